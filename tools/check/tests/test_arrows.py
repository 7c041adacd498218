# SPDX-License-Identifier: GPL-2.0
"""An include that its room may not have is found, and so is a circle of headers."""

import importlib.machinery
import importlib.util
import tempfile
import unittest
from pathlib import Path

TOOL = str(Path(__file__).resolve().parent.parent / "arrows")


def load():
    loader = importlib.machinery.SourceFileLoader("arrows", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("arrows", loader))
    loader.exec_module(module)
    return module


class Arrows(unittest.TestCase):
    def setUp(self):
        self.tool = load()
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.top = Path(tmp.name)
        for name in ("core/a.h", "engine/e.h", "pool/p.h", "exec/x.h", "ring/r.h", "obs/o.h",
                     "compat/c.h", "compat/wsq_platform.h"):
            self.write(name)

    def write(self, name, *included):
        path = self.top / "kmod" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("/* a comment */\n" + "".join(f"#include {i}\n" for i in included))

    def found(self, exceptions=()):
        return list(self.tool.violations(self.tool.includes(self.top), dict.fromkeys(exceptions)))

    def circles(self, nodes):
        return list(self.tool.circles(nodes(self.tool.includes(self.top))))

    def test_this_tree(self):
        graph = self.tool.includes(self.tool.TOP)
        self.assertGreater(sum(map(len, graph.values())), 500)
        found = self.tool.violations(graph, self.tool.EXCEPT)
        self.assertEqual(self.tool.wrong(found, self.tool.LEFTOVER), [])
        self.assertEqual(list(self.tool.circles(self.tool.headers(graph))), [])

    def test_down(self):
        self.write("ring/a.c", '"../exec/x.h"', '"r.h"', '"../compat/c.h"', "<linux/wsq.h>")
        self.write("main.c", '"obs/o.h"', '"exec/x.h"')
        self.write("core/b.c", '"a.h"', "<wsq_platform.h>")
        self.assertEqual(self.found(), [])

    def test_up(self):
        self.write("pool/a.c", '"p.h"', '"../exec/x.h"')
        self.assertEqual(self.found(), ["kmod/pool/a.c:3: includes kmod/exec/x.h, which kmod/pool "
                                        "may not"])

    def test_obs(self):
        self.write("ring/a.c", '"../obs/o.h"')
        self.assertEqual(len(self.found()), 1)

    def test_core(self):
        for bad in ("<linux/list.h>", '"../compat/c.h"', '"../pool/p.h"'):
            self.write("core/b.c", bad)
            self.assertEqual(len(self.found()), 1, bad)

    def test_source(self):
        self.write("ring/a.c", '"b.c"')
        self.write("ring/b.c")
        self.assertEqual(len(self.found()), 1)

    def test_unknown_room(self):
        self.write("attic/a.c")
        self.assertEqual(self.found(), ["kmod/attic/a.c: tools/check/arrows does not know the room "
                                        "kmod/attic"])

    def test_exception(self):
        self.write("pool/a.c", '"../exec/x.h"')
        self.assertEqual(self.found([("kmod/pool/*", "kmod/exec/x.h")]), [])
        self.assertEqual(self.found([("kmod/pool/*", "kmod/exec/x.h"), ("kmod/core/*", "*")]),
                         ["tools/check/arrows: no file needs the exception kmod/core/* -> *"])

    def test_circle(self):
        self.write("exec/x.h", '"y.h"')
        self.write("exec/y.h", '"z.h"')
        self.write("exec/z.h", '"x.h"')
        self.write("exec/a.c", '"x.h"')
        self.assertEqual(self.circles(self.tool.headers),
                         ["kmod/exec/x.h -> kmod/exec/y.h -> kmod/exec/z.h -> kmod/exec/x.h"])

    def test_units(self):
        self.write("exec/y.h")
        self.write("exec/y.c", '"y.h"', '"x.h"')
        self.write("exec/x.c", '"x.h"', '"y.h"')
        self.assertEqual(self.circles(self.tool.headers), [])
        self.assertEqual(self.circles(self.tool.units), ["kmod/exec/x -> kmod/exec/y -> kmod/exec/x"])


if __name__ == "__main__":
    unittest.main()
