# SPDX-License-Identifier: GPL-2.0
"""A table that differs from the heads is written anew, and no litmus file is left out."""

import importlib.machinery
import importlib.util
import re
import unittest
from pathlib import Path

TOOL = str(Path(__file__).resolve().parent.parent / "ordering")


def load():
    loader = importlib.machinery.SourceFileLoader("ordering", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("ordering", loader))
    loader.exec_module(module)
    return module


class Ordering(unittest.TestCase):
    def setUp(self):
        self.tool = load()
        self.page = self.tool.read()

    def test_other_row(self):
        other = re.sub(r"^(ring-live +)a CPU sees", r"\1a CPU reads", self.page, flags=re.M)
        self.assertNotEqual(other, self.page)
        self.assertEqual(self.tool.generated(other), self.page)

    def test_missing(self):
        other = self.page.replace(" ring-live ", " ", 1)
        with self.assertRaisesRegex(self.tool.Bad, "ring-live.litmus is in 0 tables"):
            self.tool.generated(other)

    def test_twice(self):
        other = self.page.replace(".. litmus: exec-location", ".. litmus: exec-location ring-live", 1)
        with self.assertRaisesRegex(self.tool.Bad, "ring-live.litmus is in 2 tables"):
            self.tool.generated(other)

    def test_unknown(self):
        other = self.page.replace(" ring-live ", " ring-dead ", 1)
        with self.assertRaisesRegex(self.tool.Bad, "no litmus file is ring-dead"):
            self.tool.generated(other)


if __name__ == "__main__":
    unittest.main()
