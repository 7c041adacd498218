#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Break kmod/ring in one place at a time; the corpus must notice.

	mutants.py [--list] [--search RUNS] [NAME...]

For: run-fuzz, and changes of kmod/ring or the fuzzers. Each mutant of
mutants.list is made by sed on a copy of one file below OUT/mutants, compiled,
linked with the other objects, and run on the corpus of the targets that the
list names for it. A mutant of kmod/ring that survives runs on the same inputs
under other seeds of the schedule, because a change of kmod moves schedules. All
inputs depend only on the sources, and so does the verdict.

One line for each: "pass NAME reason" or "fail NAME reason"; exit status 1 if
there is a fail. A mutant that changes nothing, or does not compile, is "skip
NAME reason"; with WSQ_MUTANTS=strict it is a fail (tools/check/stale.py). A
check must report what is wrong: a mutant that only hangs
until libFuzzer's timeout is not caught. With --search, a surviving mutant is
fuzzed. That is still a fail: the input that finds it is left in
OUT/found/TARGET, to be added by corpus.py.

Cost: two seconds for each. Limitations: a caught mutant shows that the check
can fail, not that it finds everything.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import corpus  # noqa: E402
sys.path.insert(0, str(HERE.parents[1] / "tools" / "check"))
from stale import Stale, edit, stale  # noqa: E402

TOP = HERE.parent.parent
OUT = Path(os.environ.get("OUT", TOP / "build" / "fuzz"))
MUTANTS = HERE / "mutants.list"
# Seconds for one input. An input takes milliseconds, so no verdict depends on
# this.
TIMEOUT = 300


class Mutant:
    def __init__(self, line):
        words, _, self.sed = line.partition(" -- ")
        self.name, self.file, *self.targets = words.split()

    def run(self, search=0):
        where = OUT / "mutants" / self.name
        shutil.rmtree(where, ignore_errors=True)
        shutil.copytree(OUT / "tree", where / "tree", symlinks=True)
        source = where / "tree/kmod" / self.file
        try:
            text = edit(self.sed, source.read_text())
        except Stale as gone:
            return stale(f"{self.file}: {gone}")
        source.unlink()
        source.write_text(text)
        shutil.copytree(OUT / "o", where / "o", copy_function=os.link)
        # Any file may include a header.
        for made in (where / "o").glob("*.o" if source.suffix == ".h" else source.stem + ".o"):
            made.unlink()
        make = ["make", "-s", "-j2", "-C", HERE, f"OUT={OUT}", f"TREE={where}/tree", f"O={where}/o",
                f"BIN={where}"]
        made = subprocess.run(make + [str(where / t) for t in self.targets],
                              capture_output=True, text=True)
        if made.returncode:
            first = [l for l in made.stderr.splitlines() if "error" in l]
            return stale(f"does not compile: {' '.join(first[:1])}")
        for target in self.targets:
            ran = self.replay(where, target, [OUT / "corpus" / target], [])
            if ran.returncode:
                return self.verdict(where, target, ran)
        for target in self.targets:
            others = corpus.reseed(target, OUT / "reseeded" / target)
            ran = self.replay(where, target, [OUT / "reseeded" / target], []) if others else None
            if ran and ran.returncode:
                good, why = self.verdict(where, target, ran)
                return good, f"under another seed, {why}"
        for target in self.targets if search else ():
            found = OUT / "found" / target
            found.mkdir(parents=True, exist_ok=True)
            (where / "new").mkdir()
            ran = self.replay(where, target, [where / "new", OUT / "corpus" / target],
                              [f"-runs={search}", "-len_control=0", "-max_len=400",
                               f"-artifact_prefix={found}/{self.name}-"])
            if ran.returncode:
                return False, f"not by the corpus, {self.verdict(where, target, ran)[1]}"
        return False, f"survives {' '.join(self.targets)}"

    @staticmethod
    def replay(where, target, dirs, options):
        if not options:
            dirs = sorted(p for d in dirs for p in d.iterdir())
        return subprocess.run([where / target, f"-timeout={TIMEOUT}", "-seed=1"] + options + dirs,
                              capture_output=True, text=True, errors="replace", cwd=where)

    @staticmethod
    def verdict(where, target, ran):
        said = re.search(r"^FAIL .*|^.*runtime error: .*|^.*ERROR: (?:\w+Sanitizer|libFuzzer): .*", ran.stderr, re.M)
        if not said:
            return False, f"{target} ended with {ran.returncode} and said nothing"
        if "libFuzzer: timeout" in said[0]:
            return False, f"{target} hangs, and no check says so"
        shutil.rmtree(where)
        return True, f"{target}: {said[0][:100]}"


def main():
    args = sys.argv[1:]
    search = 0
    if "--search" in args:
        at = args.index("--search")
        search = int(args[at + 1])
        del args[at:at + 2]
    lines = [l for l in MUTANTS.read_text().splitlines() if l and not l.startswith("#")]
    mutants = [Mutant(l) for l in lines]
    if "--list" in args:
        print("\n".join(m.name for m in mutants))
        return 0
    if args:
        mutants = [m for m in mutants if m.name in args]
    for target in {t for m in mutants for t in m.targets}:
        corpus.unpack(target, OUT / "corpus" / target)
    bad = 0
    for mutant in mutants:
        good, why = mutant.run(search)
        verdict = {True: "pass", False: "fail", None: "skip"}[good]
        print(f"{verdict} {mutant.name} {why}", flush=True)
        bad += good is False
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
