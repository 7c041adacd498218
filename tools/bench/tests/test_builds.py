# SPDX-License-Identifier: GPL-2.0
"""The native benchmarks can be built from kmod/core as it is, and run.

For: make check. Cost: ten seconds of one core, most of it the compiler's. Limitations:
without peers; nothing is measured.
"""
import os
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))


class Builds(unittest.TestCase):
    """Each folder links, and one of its programs prints a result."""

    def builds(self, folder, program, *arguments):
        with tempfile.TemporaryDirectory() as out:
            made = subprocess.run(["make", "-s", "-j2", "-C",
                                   os.path.join(TOP, "selftests/core/bench", folder),
                                   f"OUT={out}", "BUILDS=0", "HAVE="],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            if not {0, 1} <= os.sched_getaffinity(0):
                self.skipTest("it links; it needs CPUs 0 and 1 to run")
            ran = subprocess.run([os.path.join(out, program), *arguments],
                                 capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn('"samples":[', ran.stdout)

    def test_engines(self):
        self.builds("", "0/bench", "-b", "0", "-r", "1", "-w", "500", "-o", "wsq")

    def test_multiplicity(self):
        self.builds("mult", "mult/0/beside", "rounds=1", "wsq mult weak")

    def test_forkjoin(self):
        self.builds("forkjoin", "0/forkjoin", "-b", "0", "-r", "1", "-w", "500", "-m",
                    "spawn and sync")
