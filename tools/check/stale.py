# SPDX-License-Identifier: GPL-2.0
"""The verdict on a line of a list that fits nothing in the code any more: a mutant whose
line has changed, an exception that nothing needs.

It shows that the list is behind the code, not that the code is wrong. So it is a note or
a skip, unless WSQ_MUTANTS=strict is in the environment: then it is an error.
tools/check/run sets that for all runs but `make check`.

For: tools/check/arrows, tools/check/words, and the mutants below selftests.
"""
import os

WHY = "the line is not there any more"


def strict():
    return os.environ.get("WSQ_MUTANTS") == "strict"


def wrong(lines, leftover):
    """Those of a check's lines that are errors; leftover is in each line about a list."""
    return [line for line in lines if strict() or leftover not in line]


def stale(why):
    """(False for an error or None for a skip, the reason)."""
    return (False if strict() else None), f"{WHY}: {why}"
