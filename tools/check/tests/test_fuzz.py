# SPDX-License-Identifier: GPL-2.0
"""Which mutants of kmod/ring count as caught, and which inputs they run on."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "selftests" / "fuzz"))
import aimed  # noqa: E402
import corpus  # noqa: E402
import mutants  # noqa: E402


class Verdict(unittest.TestCase):
    def verdict(self, said, code=77):
        with tempfile.TemporaryDirectory() as tmp:
            where = Path(tmp) / "mutant"
            where.mkdir()
            return mutants.Mutant.verdict(where, "ring", subprocess.CompletedProcess([], code, "", said))[0]

    def test_check(self):
        self.assertTrue(self.verdict("Running: x\nFAIL ring.c:1: not so: a\n==1== ERROR: libFuzzer: deadly signal\n"))

    def test_sanitizers(self):
        self.assertTrue(self.verdict("==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n", 1))
        self.assertTrue(self.verdict("a.c:1:2: runtime error: member access within null pointer\n"))

    def test_timeout(self):
        self.assertFalse(self.verdict("ALARM: working on the last Unit for 301 seconds\n"
                                      "==1== ERROR: libFuzzer: timeout after 301 seconds\n", 70))

    def test_silence(self):
        self.assertFalse(self.verdict("", 1))


class Inputs(unittest.TestCase):
    def test_unpack(self):
        with tempfile.TemporaryDirectory() as tmp:
            (Path(tmp) / ("0" * 40)).write_bytes(b"of another corpus")
            (Path(tmp) / "mine").write_bytes(b"")
            paths = corpus.unpack("ring", tmp)
            self.assertEqual({p.read_bytes() for p in paths}, set(corpus.read("ring") + aimed.inputs("ring")))
            self.assertEqual({p.name for p in Path(tmp).iterdir()}, {p.name for p in paths} | {"mine"})

    def test_reseed(self):
        def rest(data):
            return data[:1] + data[3:]

        with tempfile.TemporaryDirectory() as tmp:
            first = [p.read_bytes() for p in corpus.reseed("ring", tmp)]
            self.assertEqual(first, [p.read_bytes() for p in corpus.reseed("ring", tmp)])
            was = corpus.everything("ring")
            self.assertEqual({rest(data) for data in first}, {rest(data) for data in was})
            self.assertGreater(len(first), 8 * len(was))
            self.assertEqual(corpus.reseed("entry", tmp), [])

    def test_aimed(self):
        self.assertEqual(len(set(aimed.inputs("ring"))), len(aimed.CASES) * len(aimed.SEEDS))
        for target in ("entry", "setup"):
            self.assertEqual(aimed.inputs(target), [])


if __name__ == "__main__":
    unittest.main()
