# SPDX-License-Identifier: GPL-2.0
"""Changes of kmod, and a program of the simulator with them: for explore/mutants and
scale/floors.

A barrier is found by its label, as ../../labels.py reads it; all else by sed. A change
that can no longer be made is Stale: a skip, or an error (tools/check/stale.py).
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[3]
sys.path[:0] = [str(HERE.parents[1]), str(TOP / "tools/check")]
sys.dont_write_bytecode = True
import labels  # noqa: E402
from stale import Stale, edit  # noqa: E402

BARRIER = re.compile(r"smp_mb(__after_atomic|__before_atomic)?\(\)")


def barriers(path):
    """{label: index of its line} of the barriers in a file of kmod."""
    read = labels.parse if path.parent.name == "core" else labels.parse_area
    lines = path.read_text().split("\n")
    return {a.label: a.nr - 1 for a in read(path)[0] if a.label and BARRIER.search(lines[a.nr - 1])}


def without(path, label):
    """The source without the barrier of LABEL."""
    found = barriers(path)
    if label not in found:
        raise Stale(f"no barrier of {path.name} bears {label}")
    lines = path.read_text().split("\n")
    lines[found[label]] = BARRIER.sub("barrier()", lines[found[label]], count=1)
    return "\n".join(lines)


def changed(path, change):
    """The source after a change."""
    kind, label, file, sed = change
    if kind == "order":
        return without(path, label)
    try:
        return edit(sed, path.read_text(), "-E")
    except Stale as gone:
        raise Stale(f"{file}: {gone}") from None


def includers(kmod, file):
    """The sources to compile again."""
    if file.endswith(".c"):
        return [file[:-2]]
    if file.startswith("core/fj"):
        return ["core/fj_team", *sorted(str(p.relative_to(kmod))[:-2]
                                        for p in (kmod / "forkjoin").glob("*.c"))]
    return sorted(str(p.relative_to(kmod))[:-2] for d in ("engine", "pool", "exec")
                  for p in (kmod / d).rglob("*.c"))


def build(out, program, name, changes):
    """The changed program (explorer, queue, forkjoin); Stale if there is none."""
    work = out / "mutant"
    shutil.rmtree(work, ignore_errors=True)
    kmod = work / "kmod"
    for folder in ("core", "compat", "engine", "pool", "exec", "forkjoin", "obs"):
        shutil.copytree(TOP / "kmod" / folder, kmod / folder)
    # Paths that sources name beside kmod.
    (work / "include").symlink_to(TOP / "include")
    sources = set()
    for change in changes:
        file = change[2]
        (kmod / file).write_text(changed(kmod / file, change))
        sources |= set(includers(kmod, file))
    made = subprocess.run(["make", "-s", "-j2", "-C", HERE, f"OUT={out}", f"MUTANT={work}",
                           "CHANGED=" + " ".join(sorted(sources)), work / program],
                          capture_output=True, text=True, check=False)
    if made.returncode:
        first = [line for line in made.stderr.splitlines() if "error" in line]
        raise Stale(f"{name} does not compile: {' '.join(first[:1])}")
    return work / program
