# SPDX-License-Identifier: GPL-2.0
"""What in a kernel log means that the kernel is unwell.

For guest.py, which feeds it every line of a guest's console. A report fails
the run even when the command succeeded. The patterns are those of the
kernel's own reports (lib/dump_stack, kernel/panic, lockdep, RCU, sanitizers,
SLUB, watchdogs), case sensitive, matched behind the printk prefix.

Limitations: sees what reaches the console; a guest that is silent hangs,
which is the time limit's business.
"""

import re

# "[   12.345678] ", "[   12.345678][  T123] ", "<4>[...] "
PREFIX = re.compile(r"^(<\d+>)?(\[ *\d+\.\d+\]\s?)?(\[ *[TC]\d+\]\s?)?")

REPORTS = [re.compile(p) for p in (
    r"^WARNING: ",                    # WARN(), lockdep
    r"\bBUG: ",                       # page faults, KASAN, KCSAN, lockups, slab
    r"^kernel BUG at ",
    r"^Oops\b|: Oops\b|\bOops: ",
    r"^Kernel panic",
    r"^UBSAN: ",
    r"^INFO: (possible|inconsistent|suspicious|trying to register)",
    r"^INFO: task .* blocked for more than",
    r"INFO: rcu\S* (self-)?detected|rcu: .*detected (expedited )?stalls?",
    r"^general protection fault|^traps: .*general protection.*\bkernel\b",
    r"^(invalid opcode|divide error|double fault|stack segment|int3): ",
    r"Unable to handle kernel|^Kernel tried to access user memory|^Kernel mode fault",
    r"^unreferenced object|^kmemleak: \d+ new suspected",
    r"^ODEBUG: |^refcount_t: |^list_(add|del) corruption",
    r"page allocation failure",
    r"^Out of memory: ",              # the machine's, not a cgroup's
    r"^workqueue: .* lockup|^Showing busy workqueues",
    r"^Call Trace:",
    r"^=+ \[ BUG",
)]

# Known noise of machines that we emulate, never of what we load.
ALLOWED = [re.compile(p) for p in (
    # -cpu max of TCG offers eIBRS; the kernel then comments on BPF's default.
    r"^Spectre V2 : WARNING: ",
    # TCG's time stamp counter is the host's, unsynchronised under load.
    r"^TSC warp|^clocksource: ",
)]


# A cgroup that has no memory left is its owner's business, though a trace is told with
# it. The machine has a report of its own, above.
OOM = re.compile(r"\binvoked oom-killer: ")
TRACE = re.compile(r"^Call Trace:")


def strip(line):
    """The message without what printk puts before it."""
    return PREFIX.sub("", line, count=1)


def is_report(line, allow=()):
    """Whether this console line reports that the kernel is unwell."""
    text = strip(line)
    if not any(p.search(text) for p in REPORTS):
        return False
    return not any(p.search(text) for p in (*ALLOWED, *allow))


class Reader:
    """Reads a log from its beginning: the first trace behind an OOM's head is its own."""

    def __init__(self, allow=()):
        self.allow = allow
        self.oom = False

    def is_report(self, line):
        text = strip(line)
        if OOM.search(text):
            self.oom = True
        elif self.oom and TRACE.search(text):
            self.oom = False
            return False
        return is_report(line, self.allow)
