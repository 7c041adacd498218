#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Break kmod in one place at a time; a client of the model, or herd7, must notice.

	mutants.py [--list] [--select all|none|changed:FILE,FILE...+N|NAME,NAME...]

--select: "changed:" takes the mutants of the named files of kmod and of the
named clients (with or without their directory) and N others, drawn with the
number SEED of the environment (1 if it is not set). --list prints the names and
runs nothing.

For: run-model, and changes of kmod/core. Each mutant of mutants.list is made on
a copy below build/core/model/mutants, compiled with the clients that the list
names for it and run until one of them fails. Then every client that noticed
something is compiled again in the same way, from the unchanged kmod/core, and
must run as far as it took to notice: otherwise the client, or how it was
compiled, is at fault. One line for each mutant and each such client (control
NAME): "pass NAME reason" or "fail NAME reason"; exit status 1 if there is a
fail. A mutant that changes nothing, or does not compile, is "skip NAME reason";
with WSQ_MUTANTS=strict it is a fail (tools/check/stale.py).

A litmus test covers what Relacy cannot see (the list says which). Labels tie
its statements to the code, kmod/core or another folder: the test gets the order
that the weakened access has left, and herd7 must find the outcome observable,
or still unobservable where the list says "redundant".

Cost: one to two seconds for each, mostly compilation; nothing for one that was
caught before with the same input files (tools/check/cached.py). Limitations: a
caught mutant shows that the check can fail, not that it finds everything.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True
import labels  # noqa: E402
sys.path.insert(0, str(labels.LITMUS))
import herd  # noqa: E402
import tests  # noqa: E402
sys.path.insert(0, str(labels.LITMUS.parents[2] / "tools" / "check"))
import cached  # noqa: E402
from stale import Stale, edit, stale  # noqa: E402

TOP = HERE.parent.parent.parent
OUT = Path(os.environ.get("OUT", TOP / "build" / "core")) / "model" / "mutants"
PCH = OUT / "relacy.pch"
SHIM = HERE.parent / "shim" / "relacy"
# Queues of the experiments with multiplicity, which core does not have.
BENCH = HERE.parent / "bench" / "mult"
# The kernel's headers that the public half of core includes, and that half.
PUBLIC = (HERE.parent / "shim" / "linux", TOP / "include")
# kmod/exec's sources that clients compile, as exec/NAME.
EXEC = TOP / "kmod" / "exec"
EXEC_SOURCES = (EXEC / "idle.c", EXEC / "idle.h")
EXECUTIONS = os.environ.get("MUTANT_EXECUTIONS", "400000")
# Takes a third of g++'s time, with Relacy's headers compiled before.
CXX = ["clang++", "-std=gnu++17", "-O0", "-w"]

WEAKER = (
    (r"atomic64_read_acquire\(", "atomic64_read("),
    (r"atomic64_set_release\(", "atomic64_set("),
    (r"atomic64_(xchg|cmpxchg|fetch_add|fetch_or)(_acquire|_release)?\(",
     r"atomic64_\1_relaxed("),
    (r"wsq_local_(read|set)\(", r"wsq_weak_local_\1("),
    (r"wsq_slot_(publish|claim|claim_if|acquire|mark_if)\(", r"wsq_weak_slot_\1("),
    (r"wsq_grace_(get|passed)\(", r"wsq_weak_grace_\1("),
    (r"(smp_\w*mb\w*|synchronize_rcu)\(\)", "(void)0"),
    # The kernel's own, which no client compiles: labels.py reads them.
    (r"\b(smp_load_acquire|queue_rcu_work|smp_call_function_\w+|smp_store_release|(?:atomic(?:_long)?_)?(?:try_)?cmpxchg|"
     r"(?:atomic(?:_long)?_)?xchg|test_and_\w+_bit|atomic(?:_long)?_fetch_\w+|"
     r"atomic\w*_\w+_(?:acquire|release|return)|atomic64_fetch_andnot_release|"
     r"atomic64_try_cmpxchg_acquire)\(", r"wsq_weak_\1("),
    (r"wsq_fence_light\(\)", "(void)0"),
    (r"wsq_fence_(heavy|start)\(", "(void)("),
    (r"wsq_fence_done\(", "(bool)("),
)


class Mutant:
    def __init__(self, line, accesses):
        words, _, self.sed = line.partition(" -- ")
        kind, self.name, *rest = words.split()
        self.order = kind == "order"
        self.proof = None
        if self.order:
            self.access = accesses.get(self.name)
            self.file = self.access.path.name if self.access else None
            if rest[0] in ("litmus", "redundant"):
                self.proof = rest
        else:
            self.file, *rest = rest
        self.clients = rest

    def __str__(self):
        return self.name

    def make(self, core):
        """Write the broken copy of kmod/core."""
        shutil.copytree(labels.CORE, core)
        (core / "exec").mkdir()
        for source in EXEC_SOURCES:
            shutil.copy(source, core / "exec")
        if not self.order:
            path = core / self.file
            if not path.exists() and (BENCH / self.file).exists():
                for header in BENCH.glob("*.h"):
                    shutil.copy(header, core)
            for public in labels.PUBLIC:
                if public.name == self.file:
                    path = core / "linux" / self.file
                    path.parent.mkdir()
                    shutil.copy(public, path)
            path.write_text(edit(self.sed, path.read_text()))
        elif not self.access or not self.weaken(
                core / "exec" / self.file if self.access.path in EXEC_SOURCES else core / self.file):
            raise Stale("no ordered access of this name")

    def weaken(self, path):
        """Weaken the access in this file; False if it had no order."""
        lines = path.read_text().splitlines(keepends=True)
        at = self.access.nr - 1
        before = lines[at]
        for strong, weak in WEAKER:
            lines[at] = re.sub(strong, weak, lines[at])
        path.write_text("".join(lines))
        return lines[at] != before

    def proven(self, where):
        """herd7's verdict on the litmus test with the weakened order."""
        kind, name = self.proof
        want = "Never" if kind == "redundant" else "Sometimes"
        test = tests.by_name().get(name)
        if not test or test.result != "Never":
            return False, f"there is no litmus test {name}"
        if not self.access:
            return False, "no ordered access of this name"
        copy = where / self.file
        shutil.copy(self.access.path, copy)
        if not self.weaken(copy):
            return stale("WEAKER changes nothing")
        order = labels.order_at(copy, self.access.nr)
        try:
            text = test.tied(self.access.label, order)
            good, said = herd.herd().check(text, want)
        except tests.Bad as why:
            return False, str(why)
        except herd.Missing as why:
            return None, str(why)
        return good, f"{kind} litmus {name}, {order or 'gone'}: {said}"

    def run(self, caught):
        """Is it caught? @caught gets the client and execution."""
        where = OUT / re.sub(r"\W+", "-", self.name).strip("-")
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir(parents=True)
        if self.proof:
            return self.proven(where)
        try:
            self.make(where / "core")
        except Stale as gone:
            return stale(f"{self.file}: {gone}")
        for client in self.clients:
            program = Program(client, where / "core", where)
            error = program.compile()
            if error:
                return stale(error)
            after, why = program.run(EXECUTIONS)
            if after is None:
                return False, why
            if after:
                CAUGHT[client] = max(after, CAUGHT.get(client, 0))
                caught[client] = after
                return True, f"{program.source}, execution {after}: {why[:90]}"
        return False, f"survives {' '.join(self.clients)}"


# The last execution at which a client has caught a mutant.
CAUGHT = {}


class Program:
    """A client, compiled with a given kmod/core."""

    def __init__(self, client, core, where):
        self.source, *options = client.split(":")
        self.options = dict(o.split("=") for o in options)
        self.core, self.where = core, where

    def compile(self):
        """None, or the error."""
        compiled = subprocess.run(
            CXX + ["-include-pch", PCH, "-I", SHIM, "-I", self.core, "-I", HERE, "-I", BENCH,
                   *(f"-I{path}" for path in (*PUBLIC, EXEC.parent, EXEC)),
                   HERE / f"{self.source}.cpp", "-o", self.where / self.source],
            capture_output=True, text=True)
        if not compiled.returncode:
            return None
        first = [l for l in compiled.stderr.splitlines() if "error" in l]
        return f"does not compile: {' '.join(first[:1])}"

    def run(self, executions, limit=0):
        """(Execution, why) if it fails; 0 if not, None if it cannot run."""
        if "bound" in self.options:
            command = ["bound", self.options["bound"]] + ([str(limit)] if limit else [])
        else:
            command = [str(executions), self.options.get("first", "1")]
        log = self.where / f"{self.source}.out"
        with log.open("w") as out:
            ran = subprocess.run([self.where / self.source] + command,
                                 stdout=out, stderr=out)
        if ran.returncode == 0:
            return 0, ""
        text = log.read_text(errors="replace")
        after = re.search(r"^iteration: (\d+)", text, re.M)
        if ran.returncode != 1 or not after:
            return None, f"{self.source} ended with {ran.returncode}: {log}"
        return int(after[1]), text.splitlines()[1]


def inputs(clients):
    """All inputs of the verdict on these clients, beside options."""
    return [__file__, labels.__file__, sys.modules[edit.__module__].__file__, labels.CORE, BENCH, *labels.PUBLIC, *EXEC_SOURCES, "/usr/include/relacy",
            *{HERE / f"{c.split(':')[0]}.cpp" for c in clients}]


def remembered(words, clients, run):
    """As run(), or the stored result if it passed with the same inputs."""
    compiler = subprocess.run([CXX[0], "--version"], capture_output=True, text=True)
    key = cached.key([compiler.stdout, *CXX, *words, *clients], inputs(clients), (SHIM, labels.CORE, EXEC.parent, EXEC, HERE, BENCH, *PUBLIC))
    kept = cached.get(key)
    if kept is not None:
        why, caught = json.loads(kept)
        for client, after in caught.items():
            CAUGHT[client] = max(after, CAUGHT.get(client, 0))
        return True, f"{why} # cached"
    caught = {}
    good, why = run(caught)
    if good:
        cached.put(key, json.dumps([why, caught]))
    return good, why


def mutant(m):
    """Is it caught?"""
    # herd7's answers are kept by herd.py.
    if m.proof:
        return m.run({})
    return remembered(["mutant", m.name, str(m.order),
                       getattr(m, "file", ""), m.sed, EXECUTIONS], m.clients, m.run)


def control(client):
    """Does the client pass without a mutant?"""
    return remembered(["control", str(CAUGHT.get(client, 1))], [client], lambda _: unmutated(client))


def unmutated(client):
    """Runs the client without a mutant."""
    where = OUT / re.sub(r"\W+", "-", f"control {client}")
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    program = Program(client, labels.CORE, where)
    executions = CAUGHT.get(client, 1)
    error = program.compile()
    if error:
        return False, error
    after, why = program.run(executions, executions)
    if after is None or after:
        return False, f"{client} fails without a mutant: {why[:90]}"
    return True, f"{executions} executions"


def select(mutants, what):
    """Those of @mutants that a --select names, in their order."""
    if what == "all":
        return mutants
    if what == "none":
        return []
    if not what.startswith("changed:"):
        names = what.split(",")
        unknown = set(names) - {m.name for m in mutants}
        if unknown:
            sys.exit(f"mutants.py: no mutant {' '.join(sorted(unknown))}")
        return [m for m in mutants if m.name in names]
    files, plus, more = what.removeprefix("changed:").partition("+")
    if plus and not more.isdecimal():
        sys.exit(f"mutants.py: not a number: {more}")
    files = {Path(f).name for f in files.split(",") if f}
    chosen = {m for m in mutants if m.file in files or
              not m.proof and any(f"{c.split(':')[0]}.cpp" in files for c in m.clients)}
    # herd7's are cheap and add little to the positive tests.
    rest = [m for m in mutants if m not in chosen and not m.proof]
    drawn = random.Random(os.environ.get("SEED", "1"))
    chosen |= set(drawn.sample(rest, min(int(more or 0), len(rest))))
    return [m for m in mutants if m in chosen]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--select", default="all")
    args = parser.parse_args()
    accesses = labels.ordered_accesses()
    mutants = select([Mutant(l, accesses) for l in labels.mutant_lines()], args.select)
    clients = sorted({c for m in mutants if not m.proof for c in m.clients})
    if args.list:
        print("".join(f"{name}\n" for name in [m.name for m in mutants] +
                      [f"control {c}" for c in clients]), end="")
        return 0
    if not mutants:
        return 0
    PCH.parent.mkdir(parents=True, exist_ok=True)
    # Only Relacy's own headers: a client's definitions affect how the shim's
    # are compiled.
    relacy = PCH.with_suffix(".hpp")
    relacy.write_text("#include <relacy/relacy.hpp>\n")
    subprocess.run(CXX + ["-x", "c++-header", relacy, "-o", PCH], check=True)
    bad = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for what, names, run in (("mutant ", mutants, mutant),
                                 ("control ", clients, control)):
            for name, (good, why) in zip(names, pool.map(run, names)):
                verdict = {True: "pass", False: "fail", None: "skip"}[good]
                print(f"{verdict} {what}{name} {why}", flush=True)
                bad += good is False
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
