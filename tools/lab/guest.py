# SPDX-License-Identifier: GPL-2.0
"""Run a guest to its end: stream its output, check its kernel log, time it.

For vm and uml. A guest has two lines: the console, which carries only kernel
messages, and a data line with the command's output and two markers of
guest-init. Both are printed as they come, never mixed within a line; the
kernel's boot messages only go to the log, unless requested.

Exit status: the command's; 97 a module could not be loaded; 98 the guest
ended (or would not end) without a status; 99 the kernel reported a problem;
124 time limit; 130 interrupted. All limits are in the guest's own time
(owntime.py): a busy machine is no reason to end it, and a message of the kernel
that something took long is shown and fails nothing (klog.py).

The guest is its own process group and gets SIGKILL when this process dies,
is interrupted or reaches the limit: UML ignores SIGTERM when stuck.

Limitations: Linux only (prctl).
"""

import argparse
import ctypes
import fcntl
import os
import re
import selectors
import shlex
import signal
import subprocess
import sys
import time

import klog
import owntime

LAB = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(LAB))

LOAD_FAILED, GUEST_LOST, KERNEL_REPORT, TIMED_OUT = 97, 98, 99, 124
PR_SET_PDEATHSIG = 1
TICK = 1           # seconds between looks at the guest's own time
POWER_OFF = 300    # seconds that a guest may take to end after its command
UNFINISHED = 0.5   # seconds that kernel messages wait for the end of a line of output
BOOTS = 3          # tries for a guest that fails while its kernel boots
BOOT_SILENCE = 120  # seconds without output until its command begins, with few CPUs; the longest seen were four
INIT = re.compile(r"Run \S+ as init process")
# QEMU's TCG (7.2) may execute a breakpoint that the kernel has just removed
# from its text: Oops where a static key is switched. tools/lab/get fetches
# newer versions.
STUMBLED = re.compile(r"Oops: int3: ")
# Printed for every module that is not Debian's, and while powering off.
QUIET = re.compile(r"loading out-of-tree module taints kernel|module verification failed: signature")
QUIET_END = re.compile(r"^(reboot: |ACPI: PM: Preparing|sd .*Synchronizing|System halted)")


def run_file(token, tty, command, deps=(), modules=(), adds="", drives="", interactive=False):
    """The variables that guest-init reads."""
    text = {"token": token, "tty": tty, "deps": " ".join(deps), "modules": " ".join(modules),
            "adds": adds, "drives": drives, "interactive": "1" if interactive else ""}
    lines = ["%s=%s" % (k, shlex.quote(v)) for k, v in text.items()]
    lines.append("command() {\n\t%s\n}" % (shlex.join(command) if command else ":"))
    return "\n".join(lines) + "\n"


def pair(text):
    """An argument SRC:/DST, SRC existing."""
    src, sep, dst = text.rpartition(":")
    if not sep or not dst.startswith("/") or not os.path.lexists(src):
        raise argparse.ArgumentTypeError("%r is no existing SRC:/DST" % text)
    return os.path.abspath(src), dst


def existing(text):
    """An argument that names a file."""
    if not os.path.isfile(text):
        raise argparse.ArgumentTypeError("no file %r" % text)
    return os.path.realpath(text)


def split_command():
    """The options, and the command after --."""
    argv = sys.argv[1:]
    if "--" not in argv:
        return argv, []
    at = argv.index("--")
    return argv[:at], argv[at + 1:]


def entry_of(kernel):
    """The directory of a kernel, or of QEMU, fetched or built when missing."""
    out = subprocess.run([os.path.join(LAB, "get"), kernel], stdout=subprocess.PIPE, text=True)
    if out.returncode:
        sys.exit(out.returncode)
    return out.stdout.split("\n")[-2]


def log_file(name):
    path = os.path.join(TOP, "build/lab", "%s-%d.log" % (name, os.getpid()))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def _child_setup():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Guest:
    def __init__(self, token, log, timeout, verbose=False, allow=(), label="guest", time_factor=1):
        """time_factor: factor for the time limits that no option sets."""
        self.mark = b"\x1e" + token.encode() + b" "
        self.label = label
        self.timeout = timeout
        self.silence = BOOT_SILENCE * time_factor
        self.power_off = POWER_OFF * time_factor
        self.verbose = verbose
        self.klog = klog.Reader([re.compile(p) for p in allow])
        self.log = open(log, "wb")
        self.log_name = log
        self.started = None
        self.status = None
        self.reports = []
        self.late = []             # messages that something took long
        self.behind = []           # lines after the first report
        self.init = False          # the kernel had started /init, which inserts modules
        self.silent = False        # it, or a CPU of it, stood still before our modules were inserted
        self.own = 0.0             # its own time
        self.heard = 0.0           # own time of its last output
        self.tail = []
        self.held = b""            # data line: what may be the start of a marker
        self.partial = b""         # console: an unfinished line
        self.column0 = True
        self.waiting = []          # kernel lines held back by an unfinished data line
        self.waiting_since = 0

    # Output

    def _show(self, data):
        os.write(1, data) if len(data) < 4096 else _write_all(1, data)

    def _say(self, text):
        sys.stdout.flush()
        self._flush_waiting(force=True)
        self._show(("%s: %s\n" % (self.label, text)).encode())

    def _quote(self, lines):
        # Behind "|", or results among them would count again.
        self._show(b"".join(b"  | " + x.encode() + b"\n" for x in lines))

    def _remember(self, line):
        self.tail.append(line)
        del self.tail[:-25]

    def _flush_waiting(self, force=False):
        if not self.waiting or not (self.column0 or force):
            return
        if not self.column0:
            self._show(b"\n")
            self.column0 = True
        self._show(b"".join(self.waiting))
        self.waiting = []

    def _kernel_line(self, raw):
        self.heard = self.own
        line = raw.rstrip(b"\r\n").decode("utf-8", "replace")
        self.log.write(b"K " + line.encode() + b"\n")
        self._remember(line)
        self.init |= bool(INIT.search(line))
        report = self.klog.is_report(line)
        if self.klog.is_late(line):
            self.late.append(line)
        if self.reports and len(self.behind) < 40:
            self.behind.append(line)
        if report:
            self.reports.append(line)
        if not (self.started or self.verbose or report):
            return
        if QUIET.search(line) or self.status is not None and QUIET_END.search(klog.strip(line)):
            return
        if not self.waiting:
            self.waiting_since = time.monotonic()
        self.waiting.append(line.encode() + b"\n")
        self._flush_waiting()

    def console(self, data):
        self.partial += data
        *lines, self.partial = self.partial.split(b"\n")
        for raw in lines:
            self._kernel_line(raw)

    def _data_out(self, data):
        if not data:
            return
        self.log.write(b"".join(b"D " + x + b"\n" for x in data.rstrip(b"\n").split(b"\n")))
        for line in data.decode("utf-8", "replace").splitlines():
            self._remember(line)
        self._show(data)
        self.column0 = data.endswith((b"\n", b"\r"))
        self._flush_waiting()

    def data(self, data):
        self.held += data
        while True:
            at = self.held.find(b"\x1e")
            if at < 0:
                self._data_out(self.held)
                self.held = b""
                return
            end = self.held.find(b"\n", at)
            rest = self.held[at:]
            if not rest.startswith(self.mark[:len(rest)]):
                self._data_out(self.held[:at + 1])
                self.held = self.held[at + 1:]
                continue
            before, self.held = self.held[:at], rest
            self._data_out(before)
            if end < 0:
                return
            word = rest[len(self.mark):end - at].decode().split()
            self.held = rest[end - at + 1:]
            if word[0] == "start":
                self.started = time.monotonic()
            elif word[0] == "still":
                self.silent = True
            elif word[0] == "exit":
                self.status = int(word[1])

    # Life

    @property
    def stumbled(self):
        """The emulator made the kernel fail before our modules were
        inserted."""
        return self.silent or bool(self.reports) and not self.init and bool(STUMBLED.search(self.reports[0]))

    def run(self, argv, console, data, pass_fds=(), cwd=None):
        """console, data: our ends of the guest's two lines; pass_fds: its."""
        begin = time.monotonic()
        ends = (console, data)
        proc = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, pass_fds=pass_fds, cwd=cwd,
                                start_new_session=True, preexec_fn=_child_setup)
        for fd in pass_fds:
            os.close(fd)

        def on_signal(number, _frame):
            raise KeyboardInterrupt(number)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, on_signal)
        verdict = None
        try:
            verdict = self._loop(proc, ends, begin)
        except KeyboardInterrupt as stop:
            self._say("interrupted")
            verdict = 128 + (stop.args[0] if stop.args else signal.SIGINT)
        finally:
            _kill_group(proc)
            self._drain(proc, ends)
        return self._judge(verdict, begin)

    def _loop(self, proc, ends, begin):
        sel = selectors.DefaultSelector()
        own = proc.stdout.fileno()
        sinks = {ends[0]: self.console, ends[1]: self.data, own: self._own_output}
        for fd in sinks:
            sel.register(fd, selectors.EVENT_READ)
        open_fds = set(sinks)
        leaving = None
        meter = owntime.OwnTime(proc.pid)
        looked = begin
        while open_fds:
            now = time.monotonic()
            if now - looked >= TICK:
                looked = now
                self.own = meter.seconds()
            if self.status is not None and leaving is None:
                leaving = self.own
            if self.silent:
                return GUEST_LOST
            if leaving is not None and self.own - leaving > self.power_off:
                self._say("the guest did not power off within %g s" % self.power_off)
                return GUEST_LOST
            if self.started is None and self.own - self.heard > self.silence:
                self._say("the guest has said nothing for %g s, and had inserted no module" % self.silence)
                self.silent = True
                return GUEST_LOST
            if leaving is None and self.own > self.timeout:
                self._say("time limit of %g s" % self.timeout)
                return TIMED_OUT
            if self.waiting and now - self.waiting_since > UNFINISHED:
                self._flush_waiting(force=True)
            for key, _ in sel.select(0.2):
                try:
                    chunk = os.read(key.fd, 65536)
                except OSError:
                    chunk = b""
                if chunk:
                    sinks[key.fd](chunk)
                else:
                    sel.unregister(key.fd)
                    open_fds.discard(key.fd)
            if proc.poll() is not None:
                return None
        proc.wait()
        return None

    def _own_output(self, chunk):
        for line in chunk.decode("utf-8", "replace").splitlines():
            self._remember(line)
            self.log.write(b"H " + line.encode() + b"\n")

    def _drain(self, proc, ends):
        """Processes remaining output after the guest has ended."""
        for fd, sink in ((ends[1], self.data), (ends[0], self.console),
                         (proc.stdout.fileno(), self._own_output)):
            os.set_blocking(fd, False)
            while True:
                try:
                    chunk = os.read(fd, 65536)
                except OSError:
                    break
                if not chunk:
                    break
                sink(chunk)
        if self.partial:
            self._kernel_line(self.partial)
            self.partial = b""
        self._flush_waiting(force=True)

    def _judge(self, verdict, begin):
        seconds = time.monotonic() - begin
        boot = (self.started or begin) - begin
        if verdict is None and self.status is None:
            self._say("the guest ended without an exit status")
            verdict = GUEST_LOST
        if self.late:
            self._say("the kernel says of %d thing(s) that they took long, the first: %s; no failure"
                      % (len(self.late), self.late[0]))
        if verdict in (GUEST_LOST, TIMED_OUT) and not self.reports:
            self._say("the last lines were:")
            self._quote(self.tail)
        if self.reports:
            self._say("%d kernel report(s), the first: %s" % (len(self.reports), self.reports[0]))
            self._quote(self.behind)
            if verdict in (None, GUEST_LOST):
                verdict = KERNEL_REPORT
        if verdict is None:
            verdict = self.status
        self.log.write(b"H exit %d after %.1f s, boot %.1f s\n" % (verdict, seconds, boot))
        self.log.close()
        if self.verbose or verdict:
            sys.stderr.write("%s: exit %d after %.1f s (boot %.1f s), log: %s\n"
                             % (self.label, verdict, seconds, boot, self.log_name))
        return verdict


def boot(prepare):
    """Run guests until one has reached /init.

    prepare() makes a Guest and the arguments of its run(). The log of a failed
    boot is kept beside the others.
    """
    for turn in range(BOOTS):
        machine, args = prepare()
        verdict = machine.run(*args)
        if not machine.stumbled or turn == BOOTS - 1:
            break
        os.rename(machine.log_name, "%s.stumbled%d" % (machine.log_name, turn))
        sys.stderr.write("%s: the emulator %s, in the kernel's boot: again\n"
                         % (machine.label, "stood still" if machine.silent else
                            "ran a breakpoint that was gone"))
    return verdict


def _write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def _kill_group(proc):
    try:
        os.killpg(proc.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    proc.wait()


def line():
    """Our end and the guest's end of one line, the latter inheritable.

    A pipe, because QEMU's serial port drops characters on a socket when the
    reader is late.
    """
    ours, theirs = os.pipe()
    os.set_inheritable(theirs, True)
    fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 1 << 20)
    return ours, theirs
