#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Do labels, tables, litmus files and mutants of kmod agree?

For: run-model, and model/mutants.py, which takes its list of ordered accesses
from here. Prints one line for each disagreement; exit status 1 if there is any.

What must hold:
  1. each shared access in kmod/core, PUBLIC and BENCH has a label (XX(fn:L) on its
     statement or on the line before), except in *_init(), which run before the object is
     shared. A call that leads to an access may have one, too: the name of
     that access as made from there;
  2. each label that a comment in kmod/core or a litmus file names belongs to
     an access;
  3. each access with an order is named in a comment above the code of its
     header, where the pairs are: x.h for x.c, or a header that x begins with;
  4. each litmus file that a source names exists; all say Never, and make a
     negative (litmus/tests.py);
  5. a labelled statement of a litmus file has the order of the access with
     this label in kmod/core. Where the test holds with less, "weaker" follows
     the label. Where one label's accesses differ, it is one of their orders;
  6. each access with an order has its line in model/mutants.list, or one litmus
     test that ties a statement to its label: then mutant_lines() makes the line;
  7. in salsa* each label is used once. (bwos_fifo.h has variants of its
     operations, which share labels; mutants.list counts them.)
  8. in the folders of AREAS each access or barrier that has an order has its
     own label, on its line or at the head of the comment before it; it is
     named in a comment above the code of some file there; 2, 4, 5 and 6
     hold. Plain accesses may have labels, and must if a litmus file names one.

Cost: nothing. Limitations: reads lines, not C; an access hidden in a separate
macro is not found.
"""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
KMOD = HERE.parent.parent / "kmod"
sys.path.insert(0, str(HERE / "litmus"))
import tests  # noqa: E402

CORE = KMOD / "core"
# The part of kmod/core that users' code includes.
PUBLIC = (KMOD.parent / "include" / "linux" / "wsq_fj_deque.h",)
# Algorithms of a paper that are not in the module.
BENCH = tuple(HERE / "bench" / "mult" / name for name in ("max_register.h", "tasks.h"))
# Folders whose protocols are labelled as well.
AREAS = ("exec", "engine", "pool", "serial", "call", "forkjoin", "ring", "obs", "compat")
# Of compat only the fence: the others are primitives, or have no order.
COMPAT = ("fence.c", "wsq_fence.h")
LITMUS = HERE / "litmus"
MUTANTS = HERE / "model" / "mutants.list"

LABEL = re.compile(r"\b([A-Z]{2}\([a-z_]+:[A-Z]\))")
ACCESS = re.compile(r"\b(atomic64_(?!t\b)\w+|"
                    r"wsq_slots_reset|wsq_slot_(?:read|write|publish|claim|claim_if|peek|acquire|mark_if|reset)|"
                    r"wsq_local_(?:read|set)|wsq_fence_(?:light|heavy|start|done)|"
                    r"wsq_grace_(?:get|passed)|"
                    r"smp_mb|smp_[a-z_]+)\s*\(")
ORDERED = re.compile(r"\b(atomic64_\w+_(?:acquire|release)|"
                     r"atomic64_(?:xchg|cmpxchg|fetch_add|fetch_or)|"
                     r"wsq_slot_(?:publish|claim|claim_if|acquire|mark_if)|"
                     r"wsq_local_(?:read|set)|wsq_fence_(?:light|heavy|start|done)|"
                     r"wsq_grace_(?:get|passed)|"
                     r"smp_[a-z_]+)\s*\(")
# The same in AREAS, where only ordered accesses must have a label.
BARRIER = re.compile(r"\b(smp_(?:mb\w*|[rw]mb|load_acquire|store_release|store_mb)|"
                     r"(?:atomic(?:64|_long)?_)?(?:xchg|(?:try_)?cmpxchg)(?:_\w+)?|"
                     r"atomic(?:64|_long)?_(?:\w+_(?:acquire|release)|fetch_\w+|\w+_return)|"
                     r"test_and_\w+_bit)\s*\(")
PLAIN = re.compile(r"\b((?:READ|WRITE)_ONCE|atomic(?:64|_long)?_(?:read|set)|(?:set|clear)_bit|"
                   r"cpumask_(?:set|clear)_cpu|synchronize_rcu|queue_rcu_work|"
                   r"smp_call_function_\w+)\s*\(")
FUNCTION = re.compile(r"^(?=[A-Za-z_]).*?\b(\w+)\(")


def split(line, inside):
    """Code and comment of a line; inside: it begins within a comment."""
    code, comment = "", ""
    while line:
        if inside:
            end = line.find("*/")
            if end < 0:
                return code, comment + line, True
            comment += line[:end]
            line, inside = line[end + 2:], False
        else:
            start = line.find("/*")
            if start < 0:
                return code + line, comment, False
            code += line[:start]
            line, inside = line[start + 2:], True
    return code, comment, inside


# Orders that differ in name only.
SAME = {"smp_mb__after_atomic": "smp_mb", "smp_mb__before_atomic": "smp_mb",
        "smp_store_mb": "smp_mb", "synchronize_rcu": "grace", "queue_rcu_work": "grace"}


class Access:
    def __init__(self, path, nr, what, label, ordered):
        self.path, self.nr, self.what = path, nr, what
        self.label, self.ordered, self.name = label, ordered, None


def read(path):
    """Code and comment of each line."""
    lines, inside = [], False
    for line in path.read_text().splitlines():
        code, comment, inside = split(line, inside)
        lines.append((code, comment))
    return lines


def parse(path):
    """Accesses outside *_init(), and labels that comments mention."""
    lines = read(path)
    accesses, mentions, functions, function = [], [], set(), ""
    for nr, (code, comment) in enumerate(lines):
        found = FUNCTION.match(code)
        if found:
            function = found[1]
        if not ACCESS.search(code):
            if not code.strip():
                mentions += [(nr + 1, m) for m in LABEL.findall(comment)]
            continue
        if function.endswith("_init"):
            continue
        functions.add(function)
        label, at = None, nr
        while label is None:
            found = LABEL.findall(lines[at][1])
            label = found[0] if found else None
            if re.search(r"[;{]\s*$", lines[at][0]) or at + 1 == len(lines):
                break
            at += 1
        if label is None and lines[nr - 1][0].strip() and \
           not ACCESS.search(lines[nr - 1][0]):
            found = LABEL.findall(lines[nr - 1][1])
            label = found[0] if found else None
        # Attached memory is not shared until the labelled store.
        if label is None and function.endswith("_attach"):
            continue
        accesses += [Access(path, nr + 1, m, label, bool(ORDERED.match(m + "(")))
                     for m in ACCESS.findall(code)]
    return accesses, mentions, functions


def parse_area(path):
    """As parse(), of a file of AREAS, and the labels of its statements."""
    lines = read(path)
    accesses, mentions, borne = [], [], set()
    label = None
    for nr, (code, comment) in enumerate(lines):
        here = LABEL.findall(comment)
        if not code.strip():
            # A comment that begins with a label applies it to the next
            # statement.
            begins = re.match(r"\s*\*?\s*(" + LABEL.pattern + r")(?::|\s*$)", comment)
            if begins:
                label = begins[1]
                here = here[1:]
            mentions += [(nr + 1, l) for l in here]
            continue
        if code.startswith("#"):
            label = None
            continue
        borne |= set(here)
        found = [what for what in BARRIER.findall(code) if not what.endswith("_relaxed")]
        before = label
        if found or re.search(r"[;{}:]\s*$", code):
            label = None
        if before:
            borne.add(before)
        bears = (here or [before])[0] if (here or before) else None
        accesses += [Access(path, nr + 1, what, bears, True) for what in found]
        if not found and bears:
            accesses += [Access(path, nr + 1, what, bears, "rcu" in what or "smp_call" in what)
                         for what in PLAIN.findall(code)]
    return accesses, mentions, borne


def heads(area):
    """The comments above the code of a folder's files."""
    return "".join(re.split(r"^#", p.read_text(), maxsplit=1, flags=re.M)[0]
                   for p in area_sources(area))


def area_sources(area):
    return sorted(p for p in (KMOD / area).rglob("*") if p.suffix in (".h", ".c") and
                  (area != "compat" or p.name in COMPAT))


def check_area(area, made):
    """Disagreements in a folder of AREAS, and its accesses and labels."""
    errors, every, borne, table = [], [], set(), heads(area)
    for path in area_sources(area):
        accesses, _, labels = parse_area(path)
        every += accesses
        borne |= labels
        errors += [f"{path.name}:{a.nr}: {a.what}() has no label"
                   for a in accesses if a.ordered and not a.label]
        errors += [f"{path.name}:{a.nr}: {a.label} is in no table of kmod/{area}"
                   for a in accesses if a.ordered and a.label and a.label not in table]
    for label, places in group(every).items():
        if label and len(places) > 1:
            errors.append(f"{places[0].path.name}:{places[0].nr}: {label} is borne twice")
    for path in area_sources(area):
        errors += named_files(path, made)
    return errors, every, borne


def group(accesses):
    found = {}
    for access in accesses:
        found.setdefault(access.label, []).append(access)
    return found


def named_files(path, made):
    """Litmus files that a source names must exist."""
    for name in re.findall(r"litmus/([\w-]+)\.litmus", path.read_text()):
        if name not in made:
            yield f"{path.name}: no {name}.litmus"


def reach(functions):
    """Functions that have accesses, or call one that reaches one."""
    bodies = {}
    for path in sources():
        name = ""
        for code, _ in read(path):
            found = FUNCTION.match(code)
            name = found[1] if found else name
            bodies[name] = bodies.get(name, "") + code
    grown = set()
    while grown != functions:
        grown = set(functions)
        call = re.compile(r"\b(?:" + "|".join(sorted(grown)) + r")\s*\(")
        functions = grown | {n for n in bodies if n and call.search(bodies[n])}
    return functions


def calls(path, functions):
    """Labels on calls of such functions."""
    call = re.compile(r"\b(?:" + "|".join(functions) + r")\s*\(")
    found, called = [], False
    for code, comment in read(path):
        # A call continues until its statement ends.
        called = bool(call.search(code)) or called
        if code.strip() and called and not ACCESS.search(code):
            found += LABEL.findall(comment)
        if re.search(r"[;{}]\s*$", code):
            called = False
    return found


def table(path):
    """The comments above the code of a file's headers."""
    return "".join(p.read_text().split("#ifndef")[0] for p in sources()
                   if p.suffix == ".h" and
                   (path.stem + "_").startswith(p.stem + "_"))


def ordered_accesses():
    """Name (LABEL#N) to access, for all that have an order."""
    count, named = {}, {}
    every = [(path, parse) for path in sources()]
    every += [(path, parse_area) for area in AREAS for path in area_sources(area)]
    for path, reader in every:
        for access in reader(path)[0]:
            if access.ordered and access.label:
                count[access.label] = count.get(access.label, 0) + 1
                access.name = f"{access.label}#{count[access.label]}"
                named[access.name] = access
    return named


def sources():
    """kmod/core, each header before its .c: the order in which accesses are
    counted."""
    return sorted((p for p in (*CORE.iterdir(), *PUBLIC, *BENCH) if p.suffix in (".h", ".c")),
                  key=lambda p: (p.stem, p.suffix != ".h"))


# Orders of our own accessors, if the name does not contain it.
OURS = (
    (r"wsq_local_(?:read|set)", "local"),
    (r"wsq_slot_publish", "release"),
    (r"wsq_slot_acquire", "acquire"),
    (r"wsq_slot_(?:claim|claim_if|mark_if)", "full"),
    (r"wsq_fence_(?:heavy|start|done)|smp_call_function_\w+", "fence"),
    (r"wsq_grace_(?:get|passed)", "grace"),
    (r"smp_load_acquire", "acquire"),
    (r"smp_store_release", "release"),
    (r"smp_\w+|synchronize_rcu|queue_rcu_work", None),
    (r"\w+_(acquire|release|relaxed)", None),
    (r"(?:atomic(?:64|_long)?_)?(?:xchg|cmpxchg|try_cmpxchg|fetch_\w+|\w+_return)", "full"),
    (r"test_and_\w+_bit", "full"),
)


def strength(what):
    """The order of the access @what, in the words of litmus/tests.py."""
    for name, order in OURS:
        found = re.fullmatch(name, what)
        if found:
            return order or (found[1] if found.groups() else what)
    return "relaxed"


def orders(accesses):
    """Label to the orders of the accesses that have it."""
    found = {}
    for access in accesses:
        found.setdefault(access.label, set()).add(strength(access.what))
    return found


def order_at(path, nr):
    """The order of the access in line @nr, which may have been weakened; None
    if it is gone."""
    code = read(path)[nr - 1][0]
    found = re.search(r"\bwsq_weak_\w+", code)
    if found:
        return "relaxed"
    found = ACCESS.search(code) or BARRIER.search(code) or PLAIN.search(code)
    return strength(found[1]) if found else None


def agrees(code, order):
    """May a litmus test use @code for an access of this order?"""
    has = tests.strength(code)
    if order == "local":
        # It stands for program order, which a test between two CPUs does not
        # have.
        return has == ("release" if re.search(r"store_release|_set_release", code) else "acquire")
    # A read-modify-write that changes nothing, modelled by its barrier.
    has, order = SAME.get(has, has), SAME.get(order, order)
    return has == order or {has, order} == {"smp_mb", "full"}


def mutant_lines():
    """The lines of mutants.list, and "order LABEL#N litmus TEST" for each other access
    with an order that is in one test."""
    lines = [l for l in MUTANTS.read_text().splitlines() if l.startswith(("order", "logic"))]
    listed = {l.split()[1] for l in lines}
    where = {}
    for made in tests.files():
        for line in made.body:
            for label in tests.labels_of(line):
                if not weaker(label, line):
                    where.setdefault(label, set()).add(made.name)
    for name, access in ordered_accesses().items():
        found = where.get(access.label, ())
        if name not in listed and len(found) == 1:
            lines.append(f"order {name} litmus {min(found)}")
    return lines


def weaker(label, line):
    """Does the test say that it holds with less than this label's order?"""
    return re.search(re.escape(label) + r" weaker", line.partition("//")[2])


def untied(found):
    """Labelled statements whose order is not that of the code."""
    for made in tests.files():
        for line in made.body:
            code = tests.code_of(line)
            for label in tests.labels_of(line):
                have = found.get(label, set())
                if weaker(label, line):
                    if tests.strength(code) != "relaxed":
                        yield f"{made.path.name}: {label} is not weaker in \"{code}\""
                elif have and not any(agrees(code, order) for order in have):
                    yield (f"{made.path.name}: {label} is {' or '.join(sorted(have))} "
                           f"in the code, not as \"{code}\"")


def check():
    errors, borne, functions, every = [], set(), set(), []
    made = {f.name: f for f in tests.files()}
    for path in sources():
        functions |= parse(path)[2]
    functions = reach(functions)
    for path in sources():
        accesses = parse(path)[0]
        every += accesses
        labels = [a.label for a in accesses if a.label] + calls(path, functions)
        if path.name.startswith("salsa"):
            errors += [f"{path.name}: {l} is borne twice" for l in sorted(set(labels))
                       if l in borne or labels.count(l) > 1]
        borne |= set(labels)
        errors += [f"{path.name}:{a.nr}: {a.what}() has no label"
                   for a in accesses if not a.label]
        errors += [f"{path.name}:{a.nr}: {a.label} has an order and is in no table"
                   for a in accesses if a.ordered and a.label and
                   a.label not in table(path)]
    for path in sources():
        errors += [f"{path.name}:{nr}: no access bears {label}"
                   for nr, label in parse(path)[1] if label not in borne]
        errors += named_files(path, made)
    # The process's half of kmod/ring's protocol is in tools/lib.
    user = KMOD.parent / "tools" / "lib"
    for path in [*KMOD.rglob("*.[ch]"), *user.glob("*.[ch]")]:
        if path.parent != CORE:
            borne |= parse_area(path)[2]
    for area in AREAS:
        wrong, accesses, labels = check_area(area, made)
        errors += wrong
        every += accesses
        borne |= labels
    for area in AREAS:
        for path in area_sources(area):
            errors += [f"{path.name}:{nr}: no access bears {label}"
                       for nr, label in parse_area(path)[1] if label not in borne]
    for name in sorted(made):
        errors += [f"{name}.litmus: no access bears {label}"
                   for label in LABEL.findall(made[name].path.read_text())
                   if label not in borne]
    errors += [f"{f.path.name}: not Never, or without a negative" for f in made.values()
               if f.result != "Never" or not any(v[1] == "Negative" for v in f.variants)]
    errors += untied(orders(every))
    listed = {l.split()[1] for l in mutant_lines() if l.startswith("order")}
    named = ordered_accesses()
    errors += [f"{named[n].path.name}:{named[n].nr}: {n} is in no line of mutants.list, and not in one litmus test"
               for n in named if n not in listed]
    errors += [f"mutants.list: {n} is no ordered access of kmod/core"
               for n in listed if n not in named]
    return errors


if __name__ == "__main__":
    problems = check()
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
