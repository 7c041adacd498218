# SPDX-License-Identifier: GPL-2.0
"""Changes of kmod, and a program of the simulator with them: for explore/mutants and
scale/floors."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[3]
BARRIER = re.compile(r"smp_mb(__after_atomic|__before_atomic)?\(\)")


def without(text, label):
    """The source without the barrier of LABEL, on its line or the next."""
    lines = text.split("\n")
    found = [n for n, line in enumerate(lines)
             if f"/* {label} */" in line and not line.lstrip().startswith("*")]
    for n in found:
        for at in (n, n + 1):
            if BARRIER.search(lines[at]):
                lines[at] = BARRIER.sub("barrier()", lines[at], count=1)
                return "\n".join(lines)
    sys.exit(f"mutants: no barrier bears {label}")


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
    """The changed program (explorer, queue, forkjoin); None if it does not build, or is
    unchanged."""
    work = out / "mutant"
    shutil.rmtree(work, ignore_errors=True)
    kmod = work / "kmod"
    for folder in ("core", "compat", "engine", "pool", "exec", "forkjoin", "obs"):
        shutil.copytree(TOP / "kmod" / folder, kmod / folder)
    # Paths that sources name beside kmod.
    (work / "include").symlink_to(TOP / "include")
    changed = set()
    for kind, label, file, sed in changes:
        old = (kmod / file).read_text()
        if kind == "order":
            new = without(old, label)
        else:
            new = subprocess.run(["sed", "-E", sed], input=old, check=True, text=True,
                                 capture_output=True).stdout
        if new == old:
            print(f"# {label} changes nothing in {file}")
            return None
        (kmod / file).write_text(new)
        changed |= set(includers(kmod, file))
    made = subprocess.run(["make", "-s", "-j2", "-C", HERE, f"OUT={out}", f"MUTANT={work}",
                           "CHANGED=" + " ".join(sorted(changed)), work / program],
                          capture_output=True, text=True, check=False)
    if made.returncode:
        print(f"# {name}: {made.stderr[-2000:]}")
        return None
    return work / program
