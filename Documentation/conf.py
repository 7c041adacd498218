# SPDX-License-Identifier: GPL-2.0
"""Sphinx: the documentation as HTML. Documentation/sphinx/build runs it."""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent / "sphinx"))

project = "wsq"
needs_sphinx = "5.3"
extensions = ["kerneldoc", "sphinx.ext.graphviz"]
master_doc = "index"
exclude_patterns = ["sphinx"]
# ``name`` in a page may be anything: a file, a parameter, a field.
default_role = None
primary_domain = "c"
highlight_language = "none"
# Attributes that Sphinx' parser of C does not know.
c_id_attributes = ["__user", "__percpu", "__printf", "__must_check"]

html_theme = "alabaster"
html_theme_options = {
    "page_width": "72em",
    "sidebar_width": "16em",
    "fixed_sidebar": False,
    "show_powered_by": False,
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_copy_source = False
html_show_copyright = False
html_static_path = []
graphviz_output_format = "svg"
