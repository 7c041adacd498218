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
        for name in ("tools/check/run", "tools/check/changed", "tools/lab/ktap.py", "tools/lab/owntime.py"):
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, self.top / name)
        (self.top / ".gitignore").write_text("/build/\n__pycache__/\n")
        self.run_lines = []

    def run_suites(self, mode="check", inputs="-", **suites):
        """Run suites that print these lines; the exit status, and the last line."""
        table = ""
        for name, lines in suites.items():
            (self.top / name).write_text(lines)
            table += f"{name}\tgroup\tboth\t{inputs}\t{self.command} {name}\n"
        (self.top / "tools/check/suites").write_text(table)
        env = {k: v for k, v in os.environ.items() if k != "BASE"}
        done = subprocess.run(["tools/check/run", mode], cwd=self.top, stdout=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL, env={**env, "CI": "", "WSQ_MUTANTS": ""})
        self.run_lines = done.stdout.splitlines()
        return done.returncode, self.run_lines[-1]

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words], cwd=self.top, check=True,
                       stdout=subprocess.DEVNULL)

    def test_passes(self):
        self.assertEqual(self.run_suites(a="1..1\nok 1 x\n", b="1..2\nok 1 y\nok 2 z # SKIP why\n"),
                         (0, "2 passed, 0 failed, 1 skipped"))

    def test_fails(self):
        self.assertEqual(self.run_suites(a="1..1\nok 1 x\n", b="1..1\nnot ok 1 y\n"),
                         (1, "1 passed, 1 failed, 0 skipped"))

    def test_strict(self):
        self.command = "sh"
        lines = "echo 1..1\n[ \"$WSQ_MUTANTS\" != strict ] && echo ok 1 || echo not ok 1\n"
        for what, failed in (("check", 0), ("all", 1), ("group/", 1), ("a", 1)):
            self.assertEqual(self.run_suites(what, a=lines)[0], failed, what)

    def test_a_suite_called_like_its_group(self):
        suites = {"a": "1..1\nok 1 x\n", "group": "1..1\nok 1 y\n"}
        self.assertEqual(self.run_suites("group", **suites), (0, "1 passed, 0 failed, 0 skipped"))
        self.assertEqual(self.run_suites("group/", **suites), (0, "2 passed, 0 failed, 0 skipped"))

    def test_all_skipped(self):
        self.assertEqual(self.run_suites(a="1..1\nok 1 x # SKIP why\n"), (1, "0 passed, 1 failed, 1 skipped"))

    def test_one_suite_is_skipped(self):
        self.assertEqual(self.run_suites(a="1..1\nok 1 x\n", b="1..0 # SKIP why\n"),
                         (1, "1 passed, 1 failed, 1 skipped"))

    def test_leaves_out_what_has_not_changed(self):
        lines = {"a": "1..1\nok 1 x\n", "b": "1..1\nok 1 y\n"}
        (self.top / "code").write_text("1\n")
        # Without git nothing is known, and everything runs.
        self.assertEqual(self.run_suites(inputs="code$", **lines), (0, "2 passed, 0 failed, 0 skipped"))
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")
        self.git("commit", "-qm", "second", "--allow-empty")
        self.assertEqual(self.run_suites(inputs="code$", **lines)[0], 1)
        self.assertEqual(len([line for line in self.run_lines if line.startswith("left out: ")]), 2)
        (self.top / "code").write_text("2\n")
        self.assertEqual(self.run_suites(inputs="code$", **lines), (0, "2 passed, 0 failed, 0 skipped"))
        (self.top / "code").unlink()
        self.assertEqual(self.run_suites(inputs="code$", **lines), (0, "2 passed, 0 failed, 0 skipped"))

    def test_all_resumes(self):
        self.git("init", "-q")
        (self.top / "code").write_text("1\n")
        lines = {"a": "1..1\nok 1 x\n", "b": "1..1\nnot ok 1 y\n"}
        (self.top / ".gitignore").write_text("/build/\n__pycache__/\n/b\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")
        self.assertEqual(self.run_suites("all", **lines), (1, "1 passed, 1 failed, 0 skipped"))
        lines["b"] = "1..1\nok 1 y\n"
        self.assertEqual(self.run_suites("all", **lines), (0, "2 passed, 0 failed, 0 skipped"))
        self.assertEqual([line for line in self.run_lines if line.startswith("left out: ")],
                         ["left out: a: has passed for this tree before"])
        self.assertIn("| b | 1 | 0 | 0 |", (self.top / "build/check/all.md").read_text())
        (self.top / "code").write_text("2\n")
        self.run_suites("all", **lines)
        self.assertFalse([line for line in self.run_lines if line.startswith("left out: ")])


if __name__ == "__main__":
    unittest.main()
