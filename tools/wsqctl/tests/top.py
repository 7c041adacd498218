#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""wsqctl top on a pseudo-terminal; prints nothing if all is well.

    tests/top.py WSQCTL-FAKE

Checks that lines fit the terminal, before and after a resize; that idle CPUs are
left out first; that SIGINT, and a device that vanishes, restore the terminal; that
a resize does not end a write. Takes some seconds. Limitations: knows only the escape sequences that top.c writes.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

BEGIN, END = b"\x1b[?1049h\x1b[?25l", b"\x1b[?25h\x1b[?1049l"


def size(fd, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 120, 0, 0))


class Top:
    """A run of wsqctl top, on a terminal of @rows lines."""

    def __init__(self, fake, rows, *args):
        self.text = b""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            size(0, rows)
            os.environ.update(WSQ_FAKE=fake, TERM="xterm")
            os.execv(sys.argv[1], [sys.argv[1], "top", *args])

    def read(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                return
            try:
                self.text += os.read(self.fd, 65536)
            except OSError:
                return

    def until(self, what):
        end = time.monotonic() + 300
        while not what() and time.monotonic() < end:
            self.read(0.05)
        assert what(), self.text[-2000:]

    def pages(self):
        """The screens, in order."""
        return [p.split(b"\x1b[J")[0].replace(b"\x1b[K", b"").decode().split("\r\n")
                for p in self.text.split(b"\x1b[H")[1:] if b"\x1b[J" in p]

    def ends(self, want):
        self.until(lambda: END in self.text)
        self.read(1)
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        assert status == want, (status, self.text[-2000:])
        assert self.text.startswith(BEGIN) and self.text.count(END) == 1, self.text
        assert b"Sanitizer" not in self.text and b"runtime error" not in self.text


def cpus(page):
    return [int(line.split()[0]) for line in page if line.strip()[:1].isdigit()]


def fits():
    top = Top("cpus=40 stats_move=1", 12, "-d", "0.2")
    top.until(lambda: len(top.pages()) >= 2)
    page = top.pages()[-1]
    # The cursor is on the last line.
    assert len(page) == 12 and page[-1] == "", page
    assert "32 CPUs not shown" in page[0] and cpus(page) == list(range(39, 31, -1)), page
    assert page[-2].startswith("  all "), page
    before = len(top.pages())
    size(top.fd, 100)
    os.kill(top.pid, signal.SIGWINCH)
    top.until(lambda: len(top.pages()) > before and len(cpus(top.pages()[-1])) == 40)
    size(top.fd, 2)
    os.kill(top.pid, signal.SIGWINCH)
    top.until(lambda: cpus(top.pages()[-1]) == [])
    os.kill(top.pid, signal.SIGINT)
    top.ends(0)


def idle_first():
    """Sorted by number the idle CPU is first, but it is still left out."""
    top = Top("cpus=4 stats_move=1", 7, "-d", "0.1", "--sort", "cpu")
    top.until(lambda: len(top.pages()) >= 1)
    page = top.pages()[-1]
    assert cpus(page) == [1, 2, 3] and "1 CPUs not shown" in page[0], page
    os.kill(top.pid, signal.SIGTERM)
    top.ends(-signal.SIGTERM)


def at_once():
    """A resize takes effect before the next report, as does a signal."""
    top = Top("stats_move=1", 30, "-d", "0.3")
    top.until(lambda: len(top.pages()) >= 1)
    os.write(top.fd, b"\x03")
    top.ends(0)
    start = time.monotonic()
    top = Top("stats_move=1", 30, "-d", "1000")
    top.until(lambda: BEGIN in top.text)
    os.write(top.fd, b"\x03")
    top.ends(0)
    assert time.monotonic() - start < 900


def slow_terminal():
    """A resize while a full terminal blocks the output."""
    top = Top("cpus=40 stats_move=1", 100, "-d", "0.1")
    top.until(lambda: len(top.pages()) >= 1)
    for _ in range(20):
        # Nothing is read meanwhile, so that top soon waits in its write.
        time.sleep(0.1)
        os.kill(top.pid, signal.SIGWINCH)
    before = len(top.pages())
    top.until(lambda: len(top.pages()) > before + 20)
    os.kill(top.pid, signal.SIGINT)
    top.ends(0)


def vanishes():
    top = Top("stats_fail=3", 30, "-d", "0.1")
    top.ends(2)
    # The error is on the main screen.
    assert b"STATS: No such device" in top.text.split(END)[1], top.text


for test in (fits, idle_first, at_once, slow_terminal, vanishes):
    test()
