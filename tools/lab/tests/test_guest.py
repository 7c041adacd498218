# SPDX-License-Identifier: GPL-2.0
"""Tests without a real guest: kernel reports, markers, time limit, archives,
shapes."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import guest
import initramfs
import klog


class KernelLog(unittest.TestCase):
    BAD = (
        "[    3.1] WARNING: CPU: 1 PID: 126 at kernel/x.c:6 f+0x3c/0x1000 [wsq]",
        "WARNING: hello.c:6 at hello_init+0x79/0x1000 [hello], CPU#0: busybox/59",
        "[    3.1][   T12] WARNING: possible circular locking dependency detected",
        "WARNING: suspicious RCU usage",
        "BUG: kernel NULL pointer dereference, address: 0000000000000008",
        "[  9.1] BUG: KASAN: slab-use-after-free in f+0x1/0x2",
        "BUG: KCSAN: data-race in f / g",
        "BUG: sleeping function called from invalid context at mm/slab.h:1",
        "kernel BUG at kmod/main.c:8!",
        "Oops: 0002 [#1] PREEMPT SMP NOPTI",
        "invalid opcode: 0000 [#1] PREEMPT SMP NOPTI",
        "general protection fault, probably for non-canonical address 0x1: 0000 [#1]",
        "Kernel panic - not syncing: on purpose",
        "UBSAN: array-index-out-of-bounds in x.c:1:2",
        "INFO: possible recursive locking detected",
        "kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
        "Call Trace:",
    )
    LATE = (
        "watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [x:1]",
        "[  9.1] BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 30s!",
        "INFO: task sh:12 blocked for more than 120 seconds.",
        "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
        "rcu: INFO: rcu_preempt self-detected stall on CPU",
    )
    FINE = (
        "[    0.0] Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on",
        "[    0.1] AMD-Vi: functionality not available on this system - This is not a bug.",
        "[    0.1] [Firmware Bug]: TSC not synchronous",
        "wsq: loading out-of-tree module taints kernel.",
        "ok 1 warns_on_bad_argument",
        "    # Subtest: BUG_cases",
        "clocksource: timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable",
    )

    def test_late(self):
        """A stall is no report, nor are the traces behind it; a bug behind it is."""
        for line in self.LATE:
            reader = klog.Reader()
            self.assertTrue(reader.is_late(line), line)
            self.assertFalse(reader.is_report(line), line)
            self.assertFalse(reader.is_report("Call Trace:"))
            self.assertTrue(reader.is_report("BUG: KASAN: slab-use-after-free in f+0x1/0x2"))
        for line in self.BAD:
            self.assertFalse(klog.Reader().is_late(line), line)

    def test_reports(self):
        for line in self.BAD:
            self.assertTrue(klog.is_report(line), line)

    def test_noise(self):
        for line in self.FINE:
            self.assertFalse(klog.is_report(line), line)

    def test_allow(self):
        self.assertFalse(klog.is_report(self.BAD[0], [re.compile("WARNING: CPU")]))

    def test_oom(self):
        head = "[   31.4] leave invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0"
        trace = "[   31.4] Call Trace:"
        end = "Memory cgroup out of memory: Killed process 1361 (leave) total-vm:50396kB"
        reader = klog.Reader()
        for _ in range(2):
            for line in (head, "CPU: 1 PID: 7 Comm: leave", trace, " dump_stack+0x1", end):
                self.assertFalse(reader.is_report(line), line)
        # It excuses no other trace, nor the machine's own out of memory.
        self.assertTrue(reader.is_report(trace))
        self.assertFalse(reader.is_report(head))
        self.assertTrue(reader.is_report(self.BAD[0]))
        self.assertTrue(reader.is_report("Out of memory: Killed process 7 (sh) total-vm:1kB"))

    def test_refused_suspend(self):
        head = "[   42.9] task:wsq-freezer     state:I stack:0     pid:186   ppid:2"
        reader = klog.Reader()
        self.assertFalse(reader.is_report(head))
        self.assertFalse(reader.is_report("[   42.9] Call Trace:"))
        self.assertTrue(reader.is_report("[   42.9] Call Trace:"))
        self.assertFalse(reader.is_report("[   42.9] task:wsq/1     state:D stack:0"))
        self.assertTrue(reader.is_report("[   42.9] Call Trace:"))


# A sleep that no other process starts.
FOR_LONG = "sleep 98765.%d" % os.getpid()


class AfterStart(guest.Guest):
    """A guest whose limit for silence is short after its start alone."""

    @property
    def silence(self):
        return 1 if self.started else 600

    @silence.setter
    def silence(self, value):
        pass


class Running(unittest.TestCase):
    """A shell stands for the guest: $c is its console, $d its data line.

    Where the order of two lines counts, the guest waits until the first was read,
    however long that takes on a busy machine.
    """

    READ = """
        was_read() {
            python3 -c 'import fcntl, struct, sys, termios, time
while struct.unpack("i", fcntl.ioctl(int(sys.argv[1]), termios.FIONREAD, b"    "))[0]:
    time.sleep(0.01)' $1
        }
        """

    def run_guest(self, script, timeout=600, **options):
        console, console_fd = guest.line()
        data, data_fd = guest.line()
        with tempfile.TemporaryDirectory() as tmp:
            out = os.path.join(tmp, "out")
            saved = os.dup(1)
            to = os.open(out, os.O_WRONLY | os.O_CREAT)
            os.dup2(to, 1)
            os.close(to)
            try:
                g = guest.Guest("tok", os.path.join(tmp, "log"), timeout, **options)
                g._say = lambda text: os.write(1, ("guest: %s\n" % text).encode())
                with contextlib.redirect_stderr(io.StringIO()):
                    status = g.run(["bash", "-c", "c=%d; d=%d\n%s%s" % (console_fd, data_fd, self.READ, script)],
                                   console, data, (console_fd, data_fd))
            finally:
                os.dup2(saved, 1)
                os.close(saved)
                os.close(console)
                os.close(data)
            with open(out) as f:
                return status, f.read()

    START = "printf '\\036tok start\\n' >&$d;"

    def test_status_and_output(self):
        status, out = self.run_guest(self.START + "echo hi >&$d; printf '\\036tok exit 5\\n' >&$d")
        self.assertEqual((status, out), (5, "hi\n"))

    def test_forged_marker(self):
        status, out = self.run_guest(self.START + "printf '\\036tik exit 0\\n' >&$d")
        self.assertEqual(status, guest.GUEST_LOST)
        self.assertIn("\x1etik exit 0\n", out)

    def test_marker_in_pieces_behind_an_unfinished_line(self):
        status, out = self.run_guest(self.START + "printf 'abc\\036to' >&$d; was_read $d; printf 'k exit 0\\n' >&$d")
        self.assertEqual((status, out), (0, "abc"))

    def test_boot_is_not_shown(self):
        status, out = self.run_guest("echo booting >&$c; was_read $c;" + self.START +
                                     "was_read $d; echo wsq: loaded >&$c; printf '\\036tok exit 0\\n' >&$d")
        self.assertEqual((status, out), (0, "wsq: loaded\n"))

    def test_kernel_report_fails_the_run(self):
        status, out = self.run_guest(self.START + "echo 'WARNING: CPU: 1' >&$c; printf '\\036tok exit 0\\n' >&$d")
        self.assertEqual(status, guest.KERNEL_REPORT)
        self.assertIn("WARNING: CPU: 1", out)

    def test_late_fails_nothing(self):
        status, out = self.run_guest(self.START + "echo 'INFO: task sh:12 blocked for more than 120 seconds.' >&$c;"
                                     "echo 'Call Trace:' >&$c; printf '\\036tok exit 0\\n' >&$d")
        self.assertEqual(status, 0)
        self.assertIn("took long", out)

    def test_allowed_report(self):
        status, _ = self.run_guest(self.START + "echo 'WARNING: CPU: 1' >&$c; printf '\\036tok exit 0\\n' >&$d",
                                   allow=["^WARNING: CPU"])
        self.assertEqual(status, 0)

    def test_lines_do_not_mix(self):
        with mock.patch.object(guest, "UNFINISHED", 600):
            _, out = self.run_guest(self.START + "was_read $d; printf half >&$d; was_read $d; echo kernel >&$c;"
                                    "was_read $c; echo way >&$d; printf '\\036tok exit 0\\n' >&$d")
        self.assertEqual(out, "halfway\nkernel\n")

    def test_lost(self):
        status, out = self.run_guest("echo last words >&$c")
        self.assertEqual(status, guest.GUEST_LOST)
        self.assertIn("last words", out)

    OOPS = "echo '[    4.2] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI' >&$c; was_read $c;"
    INIT = "echo '[    4.0] Run /init as init process' >&$c; was_read $c;"

    def boot_guests(self, *scripts, init=False):
        """The number of guests booted, one after the other, and the status.

        A guest that prints nothing gets one second if its script is FOR_LONG,
        others ten minutes. init: the kernel is at /init from the beginning, and
        the guest gets one second once it has started the test.
        """
        booted = []
        with tempfile.TemporaryDirectory() as tmp:
            def prepare():
                console, console_fd = guest.line()
                data, data_fd = guest.line()
                g = (AfterStart if init else guest.Guest)("tok", os.path.join(tmp, "log"), 6000)
                g._say = g._show = lambda text: None
                script = scripts[len(booted)]
                g.silence = 1 if FOR_LONG in script else 600
                g.init = init
                booted.append(script)
                return g, (["bash", "-c", "c=%d; d=%d\n%s%s" % (console_fd, data_fd, self.READ, script)],
                           console, data, (console_fd, data_fd))
            with contextlib.redirect_stderr(io.StringIO()):
                status = guest.boot(prepare)
            logs = len(os.listdir(tmp))
        self.assertEqual(logs, len(booted))
        return len(booted), status

    def test_stumbles_in_boot(self):
        well = self.INIT + self.START + "printf '\\036tok exit 7\\n' >&$d"
        self.assertEqual(self.boot_guests(well), (1, 7))
        self.assertEqual(self.boot_guests(self.OOPS, self.OOPS, well), (3, 7))
        self.assertEqual(self.boot_guests(self.OOPS, self.OOPS, self.OOPS), (3, guest.KERNEL_REPORT))
        # From then on our modules may be loaded; other reports are never
        # excused.
        self.assertEqual(self.boot_guests(self.INIT + self.OOPS), (1, guest.KERNEL_REPORT))
        self.assertEqual(self.boot_guests("echo 'BUG: unable to handle page fault' >&$c; " + self.OOPS),
                         (1, guest.KERNEL_REPORT))

    def test_stands_still_in_boot(self):
        well = self.INIT + self.START + "sleep 1.5; printf '\\036tok exit 7\\n' >&$d"
        still = "echo '[    1.9] pnp: PnP ACPI: found 6 devices' >&$c; %s" % FOR_LONG
        self.assertEqual(self.boot_guests(still, FOR_LONG, well), (3, 7))
        self.assertEqual(self.boot_guests(still, still, still), (3, guest.GUEST_LOST))
        # guest-init may not get as far as to say so.
        self.assertEqual(self.boot_guests(self.INIT + FOR_LONG, well), (2, 7))
        # From its start on the time belongs to the test.
        self.assertEqual(self.boot_guests(self.START + "sleep 2.5; printf '\\036tok exit 7\\n' >&$d", init=True), (1, 7))

    def test_a_cpu_stands_still(self):
        """guest-init says so, before it has inserted a module."""
        well = self.INIT + self.START + "printf '\\036tok exit 7\\n' >&$d"
        still = self.INIT + "printf '\\036tok still\\n' >&$d; %s" % FOR_LONG
        self.assertEqual(self.boot_guests(still, well), (2, 7))
        self.assertEqual(self.boot_guests(still, still, still), (3, guest.GUEST_LOST))

    def test_many_cpus_get_more_time(self):
        with tempfile.TemporaryDirectory() as tmp:
            few, many = (guest.Guest("tok", os.path.join(tmp, "log"), 10, time_factor=n) for n in (1, 5))
            for g in (few, many):
                g.log.close()
        self.assertEqual((many.silence, many.power_off), (5 * few.silence, 5 * few.power_off))

    def test_time_limit_kills_all(self):
        begin = time.monotonic()
        status, out = self.run_guest("trap '' TERM INT; echo stuck >&$c; was_read $c; %s & %s" % (FOR_LONG, FOR_LONG),
                                     timeout=5)
        self.assertEqual(status, guest.TIMED_OUT)
        self.assertLess(time.monotonic() - begin, 5000)
        ps = subprocess.run(["ps", "ax"], stdout=subprocess.PIPE, text=True).stdout
        self.assertNotIn(FOR_LONG, ps)


class Archive(unittest.TestCase):
    def test_cpio_reads_it(self):
        with tempfile.TemporaryDirectory() as tmp:
            tree = os.path.join(tmp, "tree")
            os.makedirs(os.path.join(tree, "sub"))
            with open(os.path.join(tree, "sub/odd"), "wb") as f:
                f.write(b"x" * 4097)
            os.symlink("sub/odd", os.path.join(tree, "link"))
            path = os.path.join(tmp, "initrd")
            archive = initramfs.Initramfs(path)
            archive.add(tree, "/data")
            archive.file("/init", b"#!/bin/sh\n", 0o755)
            archive.file("/init", b"twice", 0o755)
            archive.close()
            self.assertEqual(os.path.getsize(path) % 512, 0)
            self.assertEqual(self.entries(path), {
                "data": 0o40755, "data/link": 0o120777, "data/sub": 0o40755,
                "data/sub/odd": 0o100644, "init": 0o100755, "TRAILER!!!": 0})

    @staticmethod
    def entries(path):
        """Names and modes, by a separate reader."""
        with open(path, "rb") as f:
            raw = f.read()
        at, found = 0, {}
        while raw[at:at + 6] == b"070701":
            field = [int(raw[at + 6 + 8 * n:at + 14 + 8 * n], 16) for n in range(13)]
            name = raw[at + 110:at + 109 + field[11]].decode()
            found[name] = field[1]
            at += 110 + field[11]
            at += -at % 4 + field[6]
            at += -at % 4
        return found


class Shapes(unittest.TestCase):
    """QEMU's arguments for processors, nodes and memory."""

    @classmethod
    def setUpClass(cls):
        path = os.path.join(guest.LAB, "vm")
        loader = importlib.machinery.SourceFileLoader("vm", path)
        spec = importlib.util.spec_from_loader("vm", loader)
        cls.vm = importlib.util.module_from_spec(spec)
        loader.exec_module(cls.vm)

    def options(self, *words):
        with mock.patch.dict(os.environ):
            for name in ("KERNEL", "CPUS", "NODES", "MEM", "WSQ_ACCEL"):
                os.environ.pop(name, None)
            with mock.patch.object(sys, "argv", ["vm", "run", *words, "--", "true"]):
                return self.vm.options()[0]

    def shape(self, *words):
        """(cores a socket, {node: its CPUs}, {node: its megabytes})."""
        o = self.options(*words)
        args = self.vm.machine(o, "/usr", "kernel", "initrd")
        smp = dict(w.partition("=")[::2] for w in args[args.index("-smp") + 1].split(","))
        self.assertEqual(int(smp["sockets"]) * int(smp["cores"]), int(smp["maxcpus"]))
        backends = dict(re.findall(r"memory-backend-ram,id=(m\d+),size=(\d+)M", " ".join(args)))
        cpus, memory = {}, {}
        for a in args:
            node = re.match(r"node,nodeid=(\d+)", a)
            if node:
                n = int(node[1])
                cpus[n] = [int(c) for c in re.findall(r"cpus=(\d+)", a)]
                memdev = re.search(r"memdev=(m\d+)", a)
                memory[n] = int(backends.pop(memdev[1])) if memdev else 0
        self.assertEqual(backends, {})
        self.assertEqual(sum(memory.values()), o.mem)
        self.assertEqual(sorted(c for some in cpus.values() for c in some), list(range(o.possible_cpus)))
        cores = int(smp["cores"])
        for some in cpus.values():
            for cpu in some:
                self.assertLessEqual({cpu // cores * cores + i for i in range(cores)}, set(some))
        # As the processor counts: socket and core have separate bits.
        width = (cores - 1).bit_length()
        apic = [cpu // cores << width | cpu % cores for cpu in range(o.possible_cpus)]
        self.assertLess(max(apic), 255)
        return cores, cpus, memory

    def test_default(self):
        self.assertEqual(self.shape(), (2, {0: [0, 1], 1: [2, 3]}, {0: 1024, 1: 1024}))

    def test_uneven(self):
        self.assertEqual(self.shape("--cpus", "3", "--mem", "1G")[:2], (1, {0: [0, 1], 1: [2]}))

    def test_more_nodes_than_cpus(self):
        self.assertEqual(self.shape("--cpus", "1", "--nodes", "2")[1], {0: [0], 1: []})

    def test_possible(self):
        for number in ("4", "5", "64", "255"):
            cpus = self.shape("--possible-cpus", number)[1]
            self.assertEqual([c for c in cpus[0] if c < 4], [0, 1])
            self.assertEqual([c for c in cpus[1] if c < 4], [2, 3])

    def test_bare_node(self):
        _, cpus, memory = self.shape("--bare-node", "--nodes", "3", "--cpus", "6")
        self.assertEqual((cpus[2], memory[2]), ([4, 5], 0))

    def test_debug_has_less_memory(self):
        self.assertEqual(self.shape("--kernel", "debug")[2], {0: 512, 1: 512})

    def test_many(self):
        for words, cores in ((("--cpus", "16"), 8), (("--cpus", "64", "--nodes", "8"), 8),
                             (("--cpus", "240", "--nodes", "8"), 30), (("--cpus", "240", "--nodes", "2"), 120),
                             # 40 cores would take 6 bits, and 10 take 4: ids up to 360.
                             (("--cpus", "240", "--nodes", "6"), 8), (("--cpus", "239", "--nodes", "8"), 1),
                             (("--cpus", "240", "--nodes", "1", "--possible-cpus", "255"), 1)):
            shape, cpus, _ = self.shape(*words)
            self.assertEqual(shape, cores, words)
            each = [len(some) for some in cpus.values()]
            self.assertLessEqual(max(each) - min(each), 15)

    def test_many_take_longer(self):
        few, many = self.options("--cpus", "16"), self.options("--cpus", "240")
        self.assertEqual((few.timeout, few.time_factor, few.mem), (120, 1, 2048))
        self.assertGreaterEqual(many.timeout, 600)
        self.assertGreaterEqual(many.time_factor, 4)
        self.assertGreaterEqual(many.mem, 4096)
        own = self.options("--cpus", "240", "--timeout", "7", "--mem", "1G")
        self.assertEqual((own.timeout, own.mem), (7, 1024))

    def test_many_are_not_calibrated(self):
        for number, given in (("16", 0), ("17", 1), ("240", 1)):
            args = self.vm.machine(self.options("--cpus", number, "--append", "mine=1"), "/usr", "kernel",
                                   "initrd")
            line = args[args.index("-append") + 1].split()
            self.assertEqual([w.partition("=")[0] for w in line].count("lpj"), given)
            self.assertEqual(line[-1], "mine=1")
            # The kernel's maximum.
            stall = [int(w.partition("=")[2]) for w in line if w.startswith("rcupdate.rcu_cpu_stall")]
            self.assertLessEqual(stall[0], 300)

    def test_refused(self):
        for words in (("--possible-cpus", "3"), ("--possible-cpus", "256"), ("--bare-node", "--nodes", "1"),
                      ("--cpus", "0"), ("--cpus", "241"), ("--nodes", "9")):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                self.shape(*words)
