# SPDX-License-Identifier: GPL-2.0
"""Which lines of a kernel log report a problem.

For guest.py, which passes it every line of a guest's console. A report fails
the run even when the command succeeded. The patterns are those of the
kernel's own reports (lib/dump_stack, kernel/panic, lockdep, RCU, sanitizers,
SLUB, watchdogs), case sensitive, matched behind the printk prefix.

What only says that something took long (LATE: stalls, lockups, hung tasks) is no
report: on a machine that is shared, a CPU of the guest may not run for minutes.
What really hangs reaches a time limit, which is in the guest's own time.

Limitations: sees only what reaches the console. A silent guest is left to the
time limit.
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
    r"^general protection fault|^traps: .*general protection.*\bkernel\b",
    r"^(invalid opcode|divide error|double fault|stack segment|int3): ",
    r"Unable to handle kernel|^Kernel tried to access user memory|^Kernel mode fault",
    r"^unreferenced object|^kmemleak: \d+ new suspected",
    r"^ODEBUG: |^refcount_t: |^list_(add|del) corruption",
    r"page allocation failure",
    r"^Out of memory: ",              # the machine's, not a cgroup's
    r"^Call Trace:",
    r"^=+ \[ BUG",
)]

LATE = [re.compile(p) for p in (
    r"^INFO: task .* blocked for more than",
    r"INFO: rcu\S* (self-)?detected|rcu: .*detected (expedited )?stalls?",
    r"\bBUG: (soft lockup|workqueue lockup)\b|^workqueue: .* lockup",
    r"^(NMI )?watchdog: .*(LOCKUP|lockup)",
)]

# Known noise of emulated machines, never of our modules.
ALLOWED = [re.compile(p) for p in (
    # -cpu max of TCG offers eIBRS; the kernel then comments on BPF's default.
    r"^Spectre V2 : WARNING: ",
    # TCG's time stamp counter is the host's, unsynchronised under load.
    r"^TSC warp|^clocksource: ",
)]


# An out-of-memory cgroup is no problem of the kernel, although it prints a
# trace. The machine's own is reported by another message, above. A suspend that
# is refused prints a trace of the thread that does not freeze: selftests/wsq/freeze
# has one refused.
EXPLAINED = re.compile(r"\binvoked oom-killer: |^task:wsq-freezer\b")
TRACE = re.compile(r"^Call Trace:")


def strip(line):
    """The message without the printk prefix."""
    return PREFIX.sub("", line, count=1)


def is_report(line, allow=()):
    """Whether this console line reports a problem of the kernel."""
    text = strip(line)
    if not any(p.search(text) for p in REPORTS) or any(p.search(text) for p in LATE):
        return False
    return not any(p.search(text) for p in (*ALLOWED, *allow))


class Reader:
    """Reads a log from its beginning: the first trace after an OOM report, or a
    refused suspend, belongs to it; and any number of traces after a message that
    something took long."""

    def __init__(self, allow=()):
        self.allow = allow
        self.explained = False
        self.late = False

    def is_late(self, line):
        return any(p.search(strip(line)) for p in LATE)

    def is_report(self, line):
        text = strip(line)
        self.late |= self.is_late(line)
        if self.late and TRACE.search(text):
            return False
        if EXPLAINED.search(text):
            self.explained = True
        elif self.explained and TRACE.search(text):
            self.explained = False
            return False
        return is_report(line, self.allow)
