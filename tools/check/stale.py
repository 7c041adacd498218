# SPDX-License-Identifier: GPL-2.0
"""The verdict on a line of a list that fits nothing in the code any more: a mutant whose
line has changed, an exception that nothing needs.

It shows that the list is behind the code, not that the code is wrong. So it is a note or
a skip, unless WSQ_MUTANTS=strict is in the environment: then it is an error.
tools/check/run sets that for all runs but `make check`.

edit() changes a text by sed, for mutants. Each command must change something: half a
mutant says nothing about the checks that should notice it.

For: tools/check/arrows, tools/check/words, and the mutants below selftests.
"""
import os
import re
import subprocess

WHY = "the line is not there any more"
ADDRESS = r"(?:/(?:\\.|[^\\/])*/[IM]*|\d+|\$|\+\d+)"
# A command with its addresses: a text to the end of the line, s or y, or a letter.
COMMAND = re.compile(rf"(?:{ADDRESS}(?:,{ADDRESS})?)?\s*!?\s*"
                     r"(?:[aic][^\n]*|[sy](.)(?:\\.|(?!\1|\\).)*\1(?:\\.|(?!\1|\\).)*\1\w*|[{a-rt-xzA-Z=])",
                     re.S)


class Stale(Exception):
    """A mutant that cannot be made."""

    def verdict(self):
        return stale(self)


def strict():
    return os.environ.get("WSQ_MUTANTS") == "strict"


def wrong(lines, leftover):
    """Those of a check's lines that are errors; leftover is in each line about a list."""
    return [line for line in lines if strict() or leftover not in line]


def stale(why):
    """(False for an error or None for a skip, the reason)."""
    return (False if strict() else None), f"{WHY}: {why}"


def commands(script):
    """The commands of a sed script, each group in braces as one."""
    found, at, start, depth = [], 0, 0, 0
    while at < len(script):
        if script[at] in " \t\n;":
            at += 1
            continue
        if not depth:
            start = at
        if script[at] == "}":
            depth, at = depth - 1, at + 1
        else:
            command = COMMAND.match(script, at)
            if not command:
                raise ValueError(f"not a command of sed: {script[at:]}")
            at = command.end()
            depth += command[0].endswith("{") and not command[1]
        if not depth:
            found.append(script[start:at])
    return found


def edit(script, text, *options):
    """The text after sed; Stale if a command of the script changes nothing."""
    def sed(some):
        return subprocess.run(["sed", *options, "\n".join(some)], input=text, check=True,
                              text=True, capture_output=True).stdout

    every = commands(script)
    new = sed(every)
    for i, command in enumerate(every):
        if sed(every[:i] + every[i + 1:]) == new:
            raise Stale(f"{command} changes nothing")
    return new
