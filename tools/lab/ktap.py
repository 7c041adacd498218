#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Read KTAP and TAP as test results, strictly.

  ktap.py run --suite NAME [--idle-until FILE] [--silence S] [--most S] [--dir build/check] -- CMD...
  ktap.py total [--expect NAME]... [--left-out TEXT]... [--summary FILE.md --commit TEXT] FILE.json...

run passes CMD's output on as it comes, reads the test results in it and writes
DIR/NAME.json: {suite, passed, failed, skipped, cached, skips: [{name, reason}],
failures: [text], said: [[line]], left: [text], names: [text], slowest:
[[seconds, name]], seconds, cpu}; slowest has the results with the longest time
since the one before. It fails when a test failed, when a plan is missing or not
kept, when no test ran or all were skipped, when CMD's exit status is not 0, or
when CMD hangs: it has printed nothing for --silence seconds of its own time
(owntime.py), so the machine's speed and other work are no reason. A CMD that is
not at its end after --most seconds of wall time is ended, and what it had not
reported is a skip, "not judged". Until FILE exists CMD has only the time that
others leave.
total prints a table, what was left out
(CMD's lines "# left out: ..."), every skip with its reason, every failure with
the lines before it (for readers who see only the end of a log), the sum of the
suites' CPU seconds, and "N passed, N failed, N skipped" as its last line;
--summary writes the table to a file, too.

Understood: KTAP 1 with nesting by indentation, TAP 12 to 14, kselftest's
nesting behind "# " (announced by "# TAP version" or "# KTAP version"), KUnit
in a kernel log with or without time stamps, log lines in between, several
documents one after another. Only leaves count. "# cached" behind a name says
that the result of an earlier run was reused (tools/check/cached.py): it is
counted, and is not part of the name. A parent that is "not ok" with no failed
child counts as a failure; so does each level whose plan was not kept. A failing
test stays a failure behind TODO, XFAIL and SKIP. With CI=true a skip without a
reason counts as failed.

Limitations: results need a number ("ok 1"), as KTAP has it; a nested level
may lack a plan (KUnit's parameters), the outermost may not.
"""

import argparse
import collections
import ctypes
import json
import os
import resource
import re
import signal
import subprocess
import sys
import threading
import time

import owntime

PRINTK = re.compile(r"^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? ?")
PREFIX = re.compile(r"^((?:# (?=\S| *(?:K?TAP version|1\.\.\d|(?:not )?ok\b|# ))| )*)(.*)$")
VERSION = re.compile(r"^K?TAP version \d+\s*$")
PLAN = re.compile(r"^1\.\.(\d+)\s*(?:#\s*(.*))?$")
RESULT = re.compile(r"^(ok|not ok) (\d+)(?:\s+(.*))?$")
NUMBERLESS = re.compile(r"^not ok\b")
SUBTEST = re.compile(r"^# Subtest: (.*)$")
BAIL = re.compile(r"^Bail out!\s*(.*)$")
CACHED = re.compile(r"\s+# cached\s*$")
LEFT_OUT = re.compile(r"^# left out: (.*)$")
TICK = 5    # seconds between looks at a command's time
DIRECTIVE = re.compile(r"(?:^|\s)#\s*(SKIP|TODO|XFAIL|XPASS|TIMEOUT|ERROR)\b:?\s*(.*)$", re.I)


class Level:
    """One list of results: a document, or a list nested in a result."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.name = None
        self.plan = None
        self.skip_all = None
        self.numbers = set()
        self.count = 0
        self.leaves = 0
        self.failed = 0

    @property
    def width(self):
        return len(self.prefix)

    @property
    def used(self):
        return self.plan is not None or self.count > 0


class Parser:
    def __init__(self, strict_skips=False):
        self.strict_skips = strict_skips
        self.stack = []
        self.passed = 0
        self.cached = 0
        self.names = []     # of all leaves
        self.times = []     # of each leaf, since the one before
        self.last = time.monotonic()
        self.skips = []
        self.failures = []
        self.said = []      # for each failure, the lines since the previous result
        self.left = []      # what the command says that it left out
        self.recent = collections.deque(maxlen=24)

    # Leaves

    def _path(self, name):
        return "/".join([lv.name for lv in self.stack if lv.name] + [name or "unnamed"])

    def fail(self, text):
        self.failures.append(text)
        self.said.append([line[:200] for line in self.recent])
        for level in self.stack:
            level.failed += 1

    def _leaf(self, name):
        now = time.monotonic()
        self.names.append(name)
        self.times.append(round(now - self.last, 1))
        self.last = now
        for level in self.stack:
            level.leaves += 1

    def _skip(self, name, reason):
        self._leaf(name)
        if self.strict_skips and not reason:
            self.fail("%s: skipped without a reason" % name)
        else:
            self.skips.append({"name": name, "reason": reason})

    # Levels

    def _pop(self):
        level = self.stack[-1]
        where = self._path("").removesuffix("unnamed").rstrip("/") or "document"
        if level.skip_all is not None and level.count == 0:
            self._skip(where, level.skip_all)
        elif level.plan is None and len(self.stack) == 1:
            self.fail("%s: no plan (1..N) for %d result(s)" % (where, level.count))
        elif level.plan is not None and level.count != level.plan:
            self.fail("%s: %d planned, %d reported" % (where, level.plan, level.count))
        return self.stack.pop()

    def _close_deeper(self, width):
        """Ends the levels right of width; returns their counts."""
        leaves = failed = 0
        while self.stack and self.stack[-1].width > width:
            level = self._pop()
            # Counts include deeper levels: keep the outermost closed.
            leaves, failed = level.leaves, level.failed
        return leaves, failed

    def _level(self, prefix):
        if not self.stack or self.stack[-1].width < len(prefix):
            self.stack.append(Level(prefix))
        return self.stack[-1]

    # Lines

    def feed(self, line):
        line = PRINTK.sub("", line.rstrip("\r\n"), count=1).expandtabs(8)
        left = LEFT_OUT.match(line)
        if left:
            self.left.append(left.group(1))
            return
        subtest = re.match(r"^((?:# )*\s*)(# Subtest: .*)$", line)
        if subtest:
            prefix, text = subtest.groups()
        else:
            prefix, text = PREFIX.match(line).groups()
        if "#" in prefix and not VERSION.match(text) and prefix not in [lv.prefix for lv in self.stack]:
            self._remember(line)
            return
        for pattern, action in ((VERSION, self._version), (PLAN, self._plan), (SUBTEST, self._subtest),
                                (RESULT, self._result), (NUMBERLESS, self._numberless),
                                (BAIL, self._bail)):
            match = pattern.match(text)
            if match:
                action(prefix, match)
                if action == self._result:
                    self.recent.clear()
                return
        self._remember(line)

    def _remember(self, line):
        if line.strip(" #"):
            self.recent.append(line.strip())

    def _version(self, prefix, _match):
        self._close_deeper(len(prefix))
        if self.stack and self.stack[-1].width == len(prefix) and self.stack[-1].used:
            self._pop()
        self._level(prefix)

    def _plan(self, prefix, match):
        self._close_deeper(len(prefix))
        level = self._level(prefix)
        if level.plan is not None:
            if level.count == level.plan:
                self._pop()
                level = self._level(prefix)
            else:
                self.fail("%s: a second plan" % self._path(""))
        level.plan = int(match.group(1))
        directive = DIRECTIVE.search("# " + (match.group(2) or ""))
        if directive and directive.group(1).upper() == "SKIP" and level.plan == 0:
            level.skip_all = directive.group(2).strip()

    def _subtest(self, prefix, match):
        self._close_deeper(len(prefix))
        if self.stack and self.stack[-1].width == len(prefix) and self.stack[-1].used:
            return
        self._level(prefix).name = match.group(1).strip()

    def _result(self, prefix, match):
        leaves, failed = self._close_deeper(len(prefix))
        level = self._level(prefix)
        ok, number = match.group(1) == "ok", int(match.group(2))
        name, directive, reason = self._describe(match.group(3) or "")
        if number in level.numbers:
            self.fail("%s: number %d twice" % (self._path(name), number))
        elif number != level.count + 1:
            self.fail("%s: number %d where %d was expected" % (self._path(name), number, level.count + 1))
        level.numbers.add(number)
        level.count += 1
        path = self._path(name)
        if leaves:
            if not ok and not failed:
                self.fail("%s: not ok, though nothing in it failed" % path)
            return
        if ok and directive == "SKIP":
            self._skip(path, reason)
            return
        self._leaf(path)
        if ok and directive not in ("TIMEOUT", "ERROR"):
            self.passed += 1
            self.cached += bool(CACHED.search(match.group(3) or ""))
        elif not failed:
            self.fail(path + (": %s %s" % (directive, reason) if directive else ""))

    def _numberless(self, prefix, _match):
        self._close_deeper(len(prefix))
        self.fail("%s: not ok without a number" % self._path(""))

    def _bail(self, _prefix, match):
        self.fail("bail out: " + (match.group(1) or "no reason given"))

    @staticmethod
    def _describe(text):
        text = CACHED.sub("", text)
        directive = DIRECTIVE.search(text)
        word = reason = ""
        if directive:
            word, reason = directive.group(1).upper(), directive.group(2).strip()
            text = text[:directive.start()]
        name = re.sub(r"^-\s+", "", text.strip()).replace("\\#", "#")
        return name.strip() or reason, word, reason

    def cut_off(self, reason):
        """The command was ended before its end: its open plans are no promise."""
        self._skip("the rest", reason)
        self.stack.clear()

    def finish(self):
        while self.stack:
            self._pop()
        if not (self.passed or self.skips or self.failures):
            self.fail("no test ran")


# Commands

class Output:
    """Passes bytes on at once and splits them into lines for the parser."""

    def __init__(self, parser):
        self.parser = parser
        self.rest = b""

    def feed(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(1, view):]
        self.rest += data
        *lines, self.rest = self.rest.split(b"\n")
        for line in lines:
            self.parser.feed(line.split(b"\r")[-1].decode("utf-8", "replace")
                             if not line.endswith(b"\r") else line.decode("utf-8", "replace"))

    def close(self):
        if self.rest:
            self.parser.feed(self.rest.decode("utf-8", "replace"))


def _child_setup():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)      # PR_SET_PDEATHSIG


def _idle_setup():
    """Only root may take this back; for others a low weight has to do.
    The scheduler shares out CPUs among sessions (sched_autogroup) before it
    looks at the policy of a thread: the session has to yield, too."""
    _child_setup()
    try:
        if os.geteuid():
            os.nice(5)
        else:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        with open("/proc/self/autogroup", "w") as f:
            f.write("19")
    except OSError:
        pass


def _idle_end(pid):
    """Let pid and its descendants be as others are. Those which begin meanwhile
    may be missed, so call it again."""
    for process in owntime.descendants(pid):
        try:
            with open("/proc/%d/autogroup" % process, "w") as f:
                f.write("0")
        except OSError:
            pass
        try:
            for thread in os.listdir("/proc/%d/task" % process):
                if os.sched_getscheduler(int(thread)) == os.SCHED_IDLE:
                    os.sched_setscheduler(int(thread), os.SCHED_OTHER, os.sched_param(0))
        except OSError:
            pass


def _stop(proc):
    """SIGTERM, so that a guest's runner cleans up, then SIGKILL, to the group."""
    for number, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(proc.pid, number)
        except ProcessLookupError:
            return
        try:
            proc.wait(patience)
        except subprocess.TimeoutExpired:
            continue
    # The leader has exited; kill the rest of its group.
        try:
            os.killpg(proc.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return


def _cpu():
    """CPU seconds of all children that were waited for, and of their
    children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Watch(threading.Thread):
    """Ends a command that hangs, or that this machine does not finish."""

    def __init__(self, proc, silence, most, idle_until):
        super().__init__(daemon=True)
        self.proc, self.silence, self.most, self.idle_until = proc, silence, most, idle_until
        self.verdict = None
        self.own = owntime.OwnTime(proc.pid)
        self.heard = 0.0            # own time at the last look before which there was output
        self.output = threading.Event()
        self.over = threading.Event()

    def run(self):
        begin = time.monotonic()
        while not self.over.wait(min(TICK, self.silence / 4)):
            if self.idle_until and os.path.exists(self.idle_until):
                _idle_end(self.proc.pid)
            own = self.own.seconds()
            if self.output.is_set():
                self.output.clear()
                self.heard = own
            if own - self.heard > self.silence:
                self.verdict = "hangs: nothing printed for %g s of its own time" % self.silence
            elif time.monotonic() - begin > self.most:
                self.verdict = "not judged: not at its end after %g s" % self.most
            else:
                continue
            _stop(self.proc)
            return


def run(suite, command, silence, most, directory, idle_until=None):
    parser = Parser(strict_skips=os.environ.get("CI") == "true")
    out = Output(parser)
    begin, busy = time.monotonic(), _cpu()
    wrong = watch = None
    try:
        proc = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                start_new_session=True, preexec_fn=_idle_setup if idle_until else _child_setup)
    except OSError as error:
        proc, wrong = None, "cannot run %s: %s" % (command[0], error.strerror)
        status = 127
    interrupted = 0
    if proc:
        def on_signal(number, _frame):
            raise KeyboardInterrupt(number)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, on_signal)

        watch = Watch(proc, silence, most, idle_until)
        watch.start()
        try:
            while True:
                chunk = os.read(proc.stdout.fileno(), 65536)
                if not chunk:
                    break
                watch.output.set()
                out.feed(chunk)
            proc.wait()
        except KeyboardInterrupt as stop:
            interrupted = stop.args[0] if stop.args else signal.SIGINT
        watch.over.set()
        _stop(proc)
        status = proc.wait()
    out.close()
    if interrupted:
        wrong = "interrupted"
    elif watch and watch.verdict:
        wrong = watch.verdict
    not_judged = wrong is not None and wrong.startswith("not judged")
    if not_judged:
        parser.cut_off(wrong)
    parser.finish()
    # A command of which a test failed ends with 1; other ends have another cause.
    if wrong is None and status not in ((0, 1) if parser.failures else (0,)):
        wrong = "the command's exit status is %d" % status
    if wrong is None and not parser.passed and not parser.failures:
        wrong = "nothing passed: all %d test(s) were skipped" % len(parser.skips)
    if wrong and not not_judged:
        parser.fail(wrong)
    result = {"suite": suite, "passed": parser.passed, "failed": len(parser.failures),
              "skipped": len(parser.skips), "cached": parser.cached, "skips": parser.skips,
              "failures": parser.failures, "said": parser.said, "left": parser.left, "names": parser.names,
              "slowest": sorted(zip(parser.times, parser.names), reverse=True)[:20],
              "seconds": round(time.monotonic() - begin, 1), "cpu": round(_cpu() - busy, 1)}
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, suite + ".json")
    with open(path + ".tmp", "w") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
    os.rename(path + ".tmp", path)
    print("# %s: %d passed%s, %d failed, %d skipped in %.1f s"
          % (suite, result["passed"], " (%d cached)" % parser.cached if parser.cached else "",
             result["failed"], result["skipped"], result["seconds"]), flush=True)
    for failure in parser.failures:
        print("# %s: failed: %s" % (suite, failure), flush=True)
    if interrupted:
        return 128 + interrupted
    return 1 if parser.failures else 0


def summarise(path, commit, results):
    """The table as Markdown, with each failure."""
    with open(path, "w") as f:
        f.write("# %s, %s\n\n| suite | passed | failed | skipped | seconds | CPU seconds |\n|---|---|---|---|---|---|\n"
                % (commit, time.strftime("%Y-%m-%d")))
        for r in results:
            f.write("| %s | %d | %d | %d | %.0f | %.0f |\n"
                    % (r["suite"], r["passed"], r["failed"], r["skipped"], r["seconds"], r["cpu"]))
        for r in results:
            for failure in r["failures"]:
                f.write("\n- failed: %s: %s" % (r["suite"], failure))
        f.write("\n")


def total(paths, expected, left_out, summary=None, commit=""):
    results = []
    for path in paths:
        with open(path) as f:
            results.append(json.load(f))
    for name in expected:
        if name not in [r["suite"] for r in results]:
            results.append({"suite": name, "passed": 0, "failed": 1, "skipped": 0, "cached": 0, "skips": [],
                            "failures": ["the suite left no result"], "said": [[]], "left": [], "seconds": 0, "cpu": 0})
    if summary:
        summarise(summary, commit, results)
    width = max([len(r["suite"]) for r in results] + [5])
    print("\n%-*s  %7s %7s %7s %7s %9s %9s" % (width, "suite", "passed", "cached", "failed", "skipped",
                                               "seconds", "CPU"))
    for r in results:
        print("%-*s  %7d %7d %7d %7d %9.1f %9.1f" % (width, r["suite"], r["passed"], r["cached"], r["failed"],
                                                    r["skipped"], r["seconds"], r["cpu"]))
    for text in left_out + ["%s: %s" % (r["suite"], text) for r in results for text in r["left"]]:
        print("left out: " + text)
    for r in results:
        for skip in r["skips"]:
            print("skipped: %s: %s: %s" % (r["suite"], skip["name"], skip["reason"] or "no reason given"))
    for r in results:
        for failure, said in zip(r["failures"], r["said"], strict=True):
            print("failed: %s: %s" % (r["suite"], failure))
            for line in said:
                print("    " + line)
    passed, failed, skipped = (sum(r[k] for r in results) for k in ("passed", "failed", "skipped"))
    print("%.0f CPU seconds in all" % sum(r["cpu"] for r in results))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped), flush=True)
    return 1 if failed or not passed else 0


def main(argv):
    p = argparse.ArgumentParser(prog="ktap.py", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(dest="mode", required=True)
    r = sub.add_parser("run")
    r.add_argument("--suite", required=True)
    r.add_argument("--idle-until", metavar="FILE")
    r.add_argument("--silence", type=float, default=900)
    r.add_argument("--most", type=float, default=float("inf"))
    r.add_argument("--dir", default="build/check")
    t = sub.add_parser("total")
    t.add_argument("--expect", action="append", default=[])
    t.add_argument("--left-out", action="append", default=[])
    t.add_argument("--summary")
    t.add_argument("--commit", default="")
    t.add_argument("files", nargs="*")
    command = []
    if "--" in argv:
        at = argv.index("--")
        argv, command = argv[:at], argv[at + 1:]
    o = p.parse_args(argv)
    if o.mode == "total":
        return total(o.files, o.expect, o.left_out, o.summary, o.commit)
    if not command:
        p.error("run what? -- CMD... is missing")
    return run(o.suite, command, o.silence, o.most, o.dir, o.idle_until)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
