# SPDX-License-Identifier: GPL-2.0
"""The kernel-doc directive: kernel-doc comments of a public header as HTML.

	.. kernel-doc:: include/linux/wsq.h
	   :identifiers: wsq_create wsq_destroy

The script scripts/kernel-doc of a kernel, named by KERNELDOC in the
environment, turns the comments into reStructuredText. Without :identifiers:
the directive shows all comments of the header. For: make docs.

The kernel has a directive of this name, but only in its source, which is a
download of 160 MB. This one needs no more than the headers to build modules
with. Limitations: no DOC: sections.
"""
import os
import re
import subprocess
from pathlib import Path

import sphinx
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, switch_source_input

TOP = Path(__file__).resolve().parent.parent.parent
COMMENT = re.compile(r"^/\*\*\n \* (?:(?:struct|union|enum|typedef) )?(\w+)(?:\(\))? - ", re.M)
log = logging.getLogger(__name__)


def commented(path):
    """Identifiers that have a kernel-doc comment in a file."""
    return set(COMMENT.findall(path.read_text()))


def run(path, names):
    """The comments as lines of (text, line in path), and complaints."""
    script = os.environ.get("KERNELDOC")
    if not script:
        return [], ["KERNELDOC names no scripts/kernel-doc: use make docs"]
    command = [script, "-rst", "-enable-lineno"]
    # The script is in Perl before 6.16; that one must know for which Sphinx.
    if "perl" in Path(script).read_text().partition("\n")[0]:
        command += ["-sphinx-version", sphinx.__version__]
    for name in names:
        command += ["-function", name]
    ran = subprocess.run([*command, path.relative_to(TOP)], cwd=TOP, capture_output=True, text=True)
    lines, nr = [], 0
    for line in ran.stdout.expandtabs().splitlines():
        mark = re.match(r"\.\. LINENO (\d+)$", line)
        if mark:
            nr = int(mark[1]) - 1
        else:
            lines.append((line, nr))
            nr += 1
    said = ran.stderr.splitlines()
    if ran.returncode and not said:
        said = [f"{script} failed"]
    return lines, said


class KernelDoc(SphinxDirective):
    required_arguments = 1
    option_spec = {"identifiers": str.split}

    def run(self):
        header = TOP / self.arguments[0]
        if not header.is_file():
            raise self.error(f"there is no {self.arguments[0]}")
        names = self.options.get("identifiers", [])
        self.env.note_dependency(str(header))
        lines, said = run(header, names)
        said += [f"{name}: no comment" for name in names if name not in commented(header)]
        for line in said:
            log.warning("kernel-doc: %s", line, location=self.get_location())
        result = StringList()
        for line, nr in lines:
            result.append(line, str(header), nr)
        node = nodes.section()
        with switch_source_input(self.state, result):
            self.state.nested_parse(result, 0, node, match_titles=1)
        return node.children


def setup(app):
    app.add_directive("kernel-doc", KernelDoc)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
