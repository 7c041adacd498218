# SPDX-License-Identifier: GPL-2.0
"""tools/check/run with its own table of suites: its counts, and its exit
status."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]


class Run(unittest.TestCase):
    command = "cat"

    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.top = Path(tmp.name)
        for name in ("tools/check/run", "tools/lab/ktap.py"):
            (self.top / name).parent.mkdir(parents=True)
            shutil.copy(TOP / name, self.top / name)

    def run_suites(self, what="check", **suites):
        """Run suites that print these lines; the exit status, and the last line."""
        table = ""
        for name, lines in suites.items():
            (self.top / name).write_text(lines)
            table += f"{name}\tgroup\tboth\t600\t{self.command} {name}\n"
        (self.top / "tools/check/suites").write_text(table)
        done = subprocess.run(["tools/check/run", what], cwd=self.top, stdout=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL, env={**os.environ, "CI": "", "WSQ_MUTANTS": ""})
        return done.returncode, done.stdout.splitlines()[-1]

    def test_passes(self):
        self.assertEqual(self.run_suites(a="1..1\nok 1 x\n", b="1..2\nok 1 y\nok 2 z # SKIP why\n"),
                         (0, "2 passed, 0 failed, 1 skipped"))

    def test_fails(self):
        self.assertEqual(self.run_suites(a="1..1\nok 1 x\n", b="1..1\nnot ok 1 y\n"),
                         (1, "1 passed, 1 failed, 0 skipped"))

    def test_strict(self):
        self.command = "sh"
        lines = "echo 1..1\n[ \"$WSQ_MUTANTS\" != strict ] && echo ok 1 || echo not ok 1\n"
        for what, failed in (("check", 0), ("all", 1), ("group", 1), ("a", 1)):
            self.assertEqual(self.run_suites(what, a=lines)[0], failed, what)

    def test_all_skipped(self):
        self.assertEqual(self.run_suites(a="1..1\nok 1 x # SKIP why\n"), (1, "0 passed, 1 failed, 1 skipped"))

    def test_one_suite_is_skipped(self):
        self.assertEqual(self.run_suites(a="1..1\nok 1 x\n", b="1..0 # SKIP why\n"),
                         (1, "1 passed, 1 failed, 1 skipped"))


if __name__ == "__main__":
    unittest.main()
