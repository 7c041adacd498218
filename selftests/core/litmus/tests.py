# SPDX-License-Identifier: GPL-2.0
"""The .litmus files of this folder: a positive test, its variants, its steps.

For: run-litmus, labels.py, model/mutants.py, tools/check/docs. A file is a
litmus test in herd7's syntax with three additions:

  1. Lines of its head comment make variants of it, each a test of its own:

	Negative: weaken SA(get:B): why
	Redundant: drop RM(wait:A)
	Negative at 3: move SA(get:A) before SA(get:D)
	Negative: replace LI(claim:A) with r0 = READ_ONCE(*slot);
	Negative: weaken IN(push:C) to acquire

     A negative must be observable (Sometimes), a redundant variant must stay
     unobservable (Never). A label means the statements whose comment has it;
     LABEL#2 means the second of them. "weaken" removes the order of an access,
     and removes a barrier.
     A label's statement has the order of the access in kmod/core (labels.py);
     "weaker" behind the label means that the test holds with less.
  2. "// interrupt" stands for the handler of a heavy fence. With "// interrupt
     at N" the file is a family: one test for each N, named NAME-N, with the
     handler there.
  3. There may be several filter lines, all of which must hold. One that says
     that a fence has waited has the fence's label: without it the fence is
     empty.

One sentence of the head begins with "Forbidden:" and is understandable alone.
tools/check/ordering copies it to Documentation/memory-ordering*.rst.

Limitations: one statement a line.
"""
import functools
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

LABEL = re.compile(r"\b[A-Z]{2}\([a-z_]+:[A-Z]\)")
VARIANT = re.compile(r"(Negative|Redundant)(?: at ([\d, ]+))?: "
                     r"(weaken|drop|move|replace) (\S+?)(?:#(\d+))?"
                     r"(?: (to|before|behind|with) (.*?))?(?:: (.*))?$")
INTERRUPT = re.compile(r"^(\t*)// interrupt(?: at (\d+))?$")
HANDLER = """\
r9 = smp_load_acquire(req);
if (r9) {
	smp_mb();
	smp_store_release(ack, 1);
}	// the interrupt
"""
# Names of read-modify-writes that have an order as a suffix.
SUFFIX = re.compile(r"\b((?:atomic_)?(?:xchg|cmpxchg|fetch_\w+?|\w+?_return))"
                    r"(_relaxed|_acquire|_release)?\(")
STRENGTHS = ("relaxed", "acquire", "release", "full")


class Bad(Exception):
    """A file that says something impossible."""


def code_of(line):
    return line.partition("//")[0].strip()


def labels_of(line):
    return LABEL.findall(line.partition("//")[2])


def strength(code):
    """What a statement orders: a strength of STRENGTHS, or the barrier that it is."""
    code = code.strip()
    if code.startswith("filter"):
        return "fence"
    barrier = re.match(r"(smp_mb|smp_rmb|smp_wmb|smp_mb__\w+|synchronize_rcu)\(\);", code)
    if barrier:
        return "grace" if barrier[1] == "synchronize_rcu" else barrier[1]
    if "smp_load_acquire(" in code or "_read_acquire(" in code:
        return "acquire"
    if "smp_store_release(" in code or "_set_release(" in code:
        return "release"
    found = SUFFIX.search(code)
    if found:
        return (found[2] or "_full")[1:]
    return "relaxed"


def weaker(line, to="relaxed"):
    """The line with the order @to, which must be a weaker one; None: it goes."""
    code, slashes, comment = line.partition("//")
    if strength(code) not in STRENGTHS:
        if to != "relaxed":
            raise Bad(f"{code.strip()} cannot become {to}")
        return None
    if to == "relaxed":
        code = re.sub(r"smp_load_acquire\((\w+)\)", r"READ_ONCE(*\1)", code)
        code = re.sub(r"smp_store_release\((\w+), (\w+)\)", r"WRITE_ONCE(*\1, \2)", code)
        code = re.sub(r"(_read|_set)_(acquire|release)\(", r"\1(", code)
    code = SUFFIX.sub(rf"\1_{to}(", code)
    return code + slashes + comment


class Test:
    """One litmus test: @name, @lines of its body, the @result that is wanted."""
    def __init__(self, name, result, lines, source):
        self.name, self.result, self.lines, self.source = name, result, lines, source

    def at(self, label, nr=None):
        """Where the statements are that bear @label."""
        found = [i for i, l in enumerate(self.lines) if label in labels_of(l)]
        if nr:
            found = found[nr - 1:nr]
        if not found:
            raise Bad(f"{self.name}: no statement bears {label}")
        return found

    def weaken(self, label, nr=None, to="relaxed"):
        lines = list(self.lines)
        for i in self.at(label, nr):
            lines[i] = weaker(lines[i], to)
        return self.changed(lines, f"weaken {label}")

    def tied(self, label, order):
        """The text with the statements of @label in @order; None: removed."""
        lines = list(self.lines)
        for i in self.at(label):
            if not re.search(re.escape(label) + " weaker", lines[i]):
                lines[i] = weaker(lines[i], order) if order else None
        return Test(self.name, "", self.changed(lines, f"weaken {label}"), self.source).text()

    def changed(self, lines, what):
        lines = [l for l in lines if l is not None]
        if lines == self.lines:
            raise Bad(f"{self.name}: nothing to {what}")
        return lines

    def variant(self, line):
        """The lines of what a line of the head comment describes."""
        op, label, nr, how, arg = line[2:7]
        nr = int(nr or 0)
        if op == "weaken":
            return self.weaken(label, nr, arg if how == "to" else "relaxed")
        lines = list(self.lines)
        where = self.at(label, nr)
        if op == "drop":
            for i in where:
                lines[i] = None
        elif op == "replace" and how == "with":
            for i in where:
                indent = re.match(r"\t*", lines[i])[0]
                lines[i] = f"{indent}{arg}\t// {label}"
        elif op == "move" and how in ("before", "behind"):
            if arg == "the interrupt":
                target = next(i for i, l in enumerate(lines) if l.endswith(f"// {arg}"))
            else:
                target = self.at(arg)[0]
            moved = lines[where[0]].strip()
            lines[where[0]] = None
            indent = re.match(r"\t*", lines[target])[0]
            lines.insert(target + (how == "behind"), indent + moved)
        else:
            raise Bad(f"{self.name}: cannot {line[0]}")
        return self.changed(lines, op)

    def text(self):
        """What herd7 reads."""
        filters = [code_of(l)[len("filter"):].strip() for l in self.lines
                   if l.startswith("filter")]
        lines = [l for l in self.lines if not l.startswith("filter")]
        if filters:
            at = next(i for i, l in enumerate(lines) if l.startswith("exists"))
            both = " /\\ ".join(filters)
            lines.insert(at, f"filter ({both})" if filters[1:] else f"filter {both}")
        name = re.sub(r"[^\w-]+", "-", self.name).strip("-")
        return f"C {name}\n\n" + "\n".join(lines) + "\n"


class File:
    """A .litmus file: its head's lines and the tests that it makes."""
    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.comment = path.read_text()
        match = re.match(r"C (\S+)\n\n\(\*\n(.*?)\n \*\)\n\n", self.comment, re.S)
        if not match or match[1] != self.name:
            raise Bad(f"{path.name}: no head comment, or another name")
        self.body = self.comment[match.end():].splitlines()
        self.comment = match[2]
        self.result, self.variants = None, []
        for line in paragraphs(match[2]):
            if line.startswith("Result: "):
                self.result = line[8:]
            elif line.startswith(("Negative", "Redundant")):
                found = VARIANT.match(line)
                if not found:
                    raise Bad(f"{path.name}: what is \"{line}\"?")
                self.variants.append(found)
        self.steps = [int(m[2]) for m in map(INTERRUPT.match, self.body) if m and m[2]]
        if self.steps != list(range(1, len(self.steps) + 1)):
            raise Bad(f"{path.name}: steps {self.steps}")

    def positives(self):
        """The file's tests as they stand, by step."""
        return {step: Test(f"{self.name}-{step}" if step else self.name,
                           self.result, self.expand(step), self)
                for step in self.steps or [0]}

    def expand(self, step):
        lines = []
        for line in self.body:
            found = INTERRUPT.match(line)
            if not found:
                lines.append(line)
            elif int(found[2] or 0) == step:
                lines += [found[1] + l for l in HANDLER.splitlines()]
        return lines

    def tests(self, negatives=True):
        made = []
        for step, test in self.positives().items():
            made.append(test)
            for line in self.variants if negatives else ():
                if line[2] and str(step) not in re.findall(r"\d+", line[2]):
                    continue
                name = f"{test.name}/{line[3]}-{line[4]}" + \
                    (f"-{line[5]}" if line[5] else "") + \
                    (f"-to-{line[7]}" if line[6] == "to" else "")
                result = "Sometimes" if line[1] == "Negative" else "Never"
                fields = [line[0], line[1]] + [line[i] for i in range(3, 9)]
                made.append(Test(name, result, test.variant(fields), self))
        return made


def paragraphs(comment):
    """Lines of a comment, those joined that are continued."""
    made = []
    for line in comment.splitlines():
        line = line[2:].strip()
        if not line:
            made.append("")
        elif not made or not made[-1] or re.match(r"(Negative|Redundant|Result)\b.*:", line):
            made.append(line)
        else:
            made[-1] += " " + line
    return [l for l in made if l]


def files():
    return [File(p) for p in sorted(HERE.glob("*.litmus"))]


def tests(negatives=True):
    """All tests, in order; names are unique."""
    made = [t for f in files() for t in f.tests(negatives)]
    names = [t.name for t in made]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise Bad(f"made twice: {' '.join(twice)}")
    return made


@functools.cache
def by_name():
    return {t.name: t for t in tests()}


if __name__ == "__main__":
    for each in tests():
        print(each.result, each.name)
    sys.exit(0)
