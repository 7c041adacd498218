# SPDX-License-Identifier: GPL-2.0
"""The time that a process and its descendants had, on a machine that is shared.

For the time limits of ktap.py and guest.py: a limit on wall time depends on the
machine's speed and on its other work. OwnTime counts wall time less the time in
which the processes were runnable and another process, or another virtual
machine, had the CPU. While all of them sleep, wall time counts: what waits for
itself reaches its limit.

Costs: one look at /proc for each call of seconds(), some milliseconds.
Limitations: Linux; descendants that have become children of init are not seen;
where /proc/PID/schedstat is missing, wall time counts.
"""

import os
import time


def _stolen():
    """The share of all CPU time so far that went to other virtual machines, as
    (stolen, all)."""
    try:
        with open("/proc/stat") as f:
            fields = [int(x) for x in f.readline().split()[1:9]]
    except (OSError, ValueError):
        return 0, 0
    return fields[7] if len(fields) > 7 else 0, sum(fields)


def _parents():
    """The parent of each process."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open("/proc/%s/stat" % name) as f:
                    parents[int(name)] = int(f.read().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                pass
    return parents


def descendants(pid):
    """pid and the processes that came from it."""
    children = {}
    for child, parent in _parents().items():
        children.setdefault(parent, []).append(child)
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], ())
    return found


def _threads(pids):
    """(nanoseconds run, nanoseconds runnable without a CPU) of each thread."""
    seen = {}
    for pid in pids:
        try:
            names = os.listdir("/proc/%d/task" % pid)
        except OSError:
            continue
        for name in names:
            try:
                with open("/proc/%d/task/%s/schedstat" % (pid, name)) as f:
                    seen[int(name)] = [int(x) for x in f.read().split()[:2]]
            except (OSError, ValueError):
                pass
    return seen


class OwnTime:
    def __init__(self, pid):
        self.pid = pid
        self.total = 0.0
        self.then = time.monotonic()
        self.threads = _threads(descendants(pid))
        self.steal = _stolen()

    def seconds(self):
        """Own time since the object was made."""
        now, threads, steal = time.monotonic(), _threads(descendants(self.pid)), _stolen()
        ran = waited = 0
        for thread, counts in threads.items():
            before = self.threads.get(thread, (0, 0))
            ran += max(0, counts[0] - before[0])
            waited += max(0, counts[1] - before[1])
        passed = now - self.then
        # What hardly wanted a CPU did not wait for one.
        share = ran / (ran + waited) if ran + waited > passed * 1e7 else 1.0
        if steal[1] > self.steal[1]:
            share *= 1 - (steal[0] - self.steal[0]) / (steal[1] - self.steal[1])
        self.total += passed * share
        self.then, self.threads, self.steal = now, threads, steal
        return self.total
