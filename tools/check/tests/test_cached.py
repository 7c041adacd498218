# SPDX-License-Identifier: GPL-2.0
"""A result is reused only while no file that was read has changed."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent / "cached.py"


class Cached(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.top = Path(self.dir.name)
        (self.top / "shim").mkdir()
        self.write("client.c", '#include "near.h"\n#include <far.h>\n#include <stdio.h>\n')
        self.write("near.h", "int near;\n")
        self.write("shim/far.h", '  #  include "deep.h"\n')
        self.write("shim/deep.h", "int deep;\n")
        self.write("shim/other.h", "int other;\n")

    def write(self, name, text):
        (self.top / name).write_text(text)

    def run_tool(self, *args, text=None, **env):
        return subprocess.run([TOOL, *args], input=text, text=True, cwd=self.top, capture_output=True,
                              env={**os.environ, "WSQ_LAB": str(self.top / "lab"), "WSQ_CACHED": "yes", **env})

    def key(self, *args):
        ran = self.run_tool("key", *args)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout.strip()

    def client(self):
        return self.key("-I", "shim", "-w", "cc 1", "client.c")

    def changes(self, name, text):
        before = self.client()
        old = (self.top / name).read_text()
        self.write(name, text)
        changed = self.client() != before
        self.write(name, old)
        self.assertEqual(self.client(), before)
        return changed

    def test_source(self):
        self.assertTrue(self.changes("client.c", '#include "near.h"\nint more;\n'))

    def test_headers_at_any_depth(self):
        self.assertTrue(self.changes("near.h", "int nearer;\n"))
        self.assertTrue(self.changes("shim/far.h", '#include "deep.h"\n\n'))
        self.assertTrue(self.changes("shim/deep.h", "int deeper;\n"))

    def test_what_is_not_included(self):
        self.assertFalse(self.changes("shim/other.h", "int another;\n"))

    def test_include_of_a_macro_may_be_any(self):
        self.write("near.h", "#include SOME\n")
        self.assertTrue(self.changes("shim/other.h", "int another;\n"))

    def test_a_header_that_appears_in_front(self):
        before = self.client()
        self.write("near.h", "int near;\n")
        self.write("client.c", '#include "far.h"\n')
        without = self.client()
        self.write("far.h", "int mine;\n")
        self.assertNotIn(self.client(), (before, without))

    def test_words(self):
        self.assertNotEqual(self.client(), self.key("-I", "shim", "-w", "cc 2", "client.c"))
        self.assertNotEqual(self.key("-w", "a b"), self.key("-w", "a", "-w", "b"))

    def test_directory(self):
        before = self.key("shim")
        self.write("shim/new", "")
        self.assertNotEqual(self.key("shim"), before)

    def test_missing_file_is_an_error(self):
        self.assertNotEqual(self.run_tool("key", "gone.c").returncode, 0)
        self.write("near.h", '#include "gone.h"\n')
        self.assertIn("gone.h", self.run_tool("key", "-I", "shim", "client.c").stderr)

    def test_jobs(self):
        lines = "one\trun 1\tclient.c near.h\ntwo\trun 1\tnear.h\nthree\trun 2\tnear.h\n"
        ran = self.run_tool("jobs", "-w", "cc 1", text=lines)
        out = [line.split("\t") for line in ran.stdout.splitlines()]
        self.assertEqual([o[:2] for o in out], [["one", "run 1"], ["two", "run 1"], ["three", "run 2"]])
        self.assertEqual(len({o[2] for o in out}), 3)
        again = self.run_tool("jobs", "-w", "cc 1", text=lines)
        self.assertEqual(again.stdout, ran.stdout)
        self.run_tool("put", out[1][2], text="its note\n")
        name, command, key = self.run_tool("jobs", "-w", "cc 1", text=lines).stdout.splitlines()[1].split("\t")
        self.assertEqual((name, key), ("two # cached", ""))
        self.assertEqual(subprocess.run(command, shell=True, capture_output=True, text=True).stdout, "its note\n")

    def test_put_and_get(self):
        self.assertEqual(self.run_tool("get", "k").returncode, 1)
        self.run_tool("put", "k", text="what it said\n")
        self.assertEqual(self.run_tool("get", "k").stdout, "what it said\n")
        self.assertEqual(self.run_tool("get", "k", WSQ_CACHED="no").returncode, 1)

    def test_old_results_go(self):
        self.run_tool("put", "old")
        self.run_tool("put", "new")
        long_ago = os.stat(self.top / "lab/results/old").st_mtime - 61 * 86400
        os.utime(self.top / "lab/results/old", (long_ago, long_ago))
        self.run_tool("jobs", text="")
        self.assertEqual([self.run_tool("get", k).returncode for k in ("old", "new")], [1, 0])
