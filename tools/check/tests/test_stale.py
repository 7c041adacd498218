# SPDX-License-Identifier: GPL-2.0
"""A change by sed of which a part fits nothing is not made."""

import os
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import stale  # noqa: E402


class Edit(unittest.TestCase):
    TEXT = "static f()\n{\n\tx = 1;\n\ty = 1;\n}\n"

    def test_commands(self):
        for script in ("s/a;b/c;d/", r"s/a\/b/\n;/2g", "/^a/,/^}/s/;$//", "/a/,+1d", "/a;/{N;s/.*/}/}", "$d",
                       "/a/a return;}", "3!s|a|b|", "y/ab/cd/"):
            self.assertEqual(stale.commands(script), [script])
        self.assertEqual(stale.commands("s/a/b/;/c/{s/d/e/;n;d};\n/f/a g; h\ns/i/j/"),
                         ["s/a/b/", "/c/{s/d/e/;n;d}", "/f/a g; h", "s/i/j/"])

    def test_edit(self):
        self.assertEqual(stale.edit("s/x = 1/x = 2/;/y/d", self.TEXT), "static f()\n{\n\tx = 2;\n}\n")
        self.assertEqual(stale.edit("s/(x|y) = 1/\\1 = 2/", self.TEXT, "-E").count("2"), 2)

    def test_stale(self):
        for script in ("s/x = 3/x = 2/", "s/x = 1/x = 2/;s/z = 1/z = 2/", "s/x = 1/&/", "/^int/,/^}/s/1/2/"):
            with self.assertRaises(stale.Stale):
                stale.edit(script, self.TEXT)

    def test_not_sed(self):
        with self.assertRaises(ValueError):
            stale.edit("s/a/b", self.TEXT)


class Verdict(unittest.TestCase):
    def verdict(self, value):
        with mock.patch.dict(os.environ, WSQ_MUTANTS=value):
            return stale.stale("why")[0], stale.wrong(["a", "not needed b"], "not needed")

    def test_strict(self):
        self.assertEqual(self.verdict("strict"), (False, ["a", "not needed b"]))

    def test_check(self):
        self.assertEqual(self.verdict(""), (None, ["a"]))


if __name__ == "__main__":
    unittest.main()
