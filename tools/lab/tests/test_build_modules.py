# SPDX-License-Identifier: GPL-2.0
"""build-modules with a kernel build directory that copies instead of compiling:
which sources it compiles again."""

import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[1]

KDIR = """\
SOURCES := $(wildcard $(M)/kmod/*.c)
modules: $(SOURCES:.c=.o)
	cat $^ /dev/null >$(M)/wsq.ko
	echo $(M)/wsq.ko | tee $(M)/modules.order >$(M)/Module.symvers
$(M)/kmod/%.o: $(M)/kmod/%.c $(wildcard $(M)/include/*.h)
	cp $< $@; echo $(*F) >>$(dir $(MAKEFILE_LIST))compiled
"""


class BuildModules(unittest.TestCase):
    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.tmp = Path(tmp.name)
        self.kernel = self.tmp / "kernel"
        (self.kernel / "kdir").mkdir(parents=True)
        (self.kernel / "kdir/Makefile").write_text(KDIR)
        self.a = self.clone("a")

    def clone(self, name):
        top = self.tmp / name
        (top / "tools/lab").mkdir(parents=True)
        for script in ("build-modules", "lib.sh"):
            shutil.copy(LAB / script, top / "tools/lab" / script)
        (top / "tools/lab/get").write_text(f"#!/bin/sh\necho {self.kernel}\n")
        (top / "tools/lab/get").chmod(0o755)
        (top / "kmod").mkdir()
        (top / "include").mkdir()
        (top / "Kbuild").write_text("")
        (top / "include/x.h").write_text("x")
        for source in "one", "two":
            (top / f"kmod/{source}.c").write_text(source)
        return top

    def build(self, top, **env):
        """The names of the sources that were compiled."""
        compiled = self.kernel / "kdir/compiled"
        compiled.unlink(missing_ok=True)
        done = subprocess.run([top / "tools/lab/build-modules", "stock"], stdout=subprocess.PIPE, text=True,
                              check=True, env={**os.environ, "WSQ_LAB": str(self.tmp / "cache"), **env})
        self.out = Path(done.stdout.splitlines()[-1])
        self.assertEqual(self.out, top / "build/obj/stock")
        self.assertEqual((self.out / "modules.order").read_text(), f"{self.out}/wsq.ko\n")
        sources = sorted(x.read_text() for x in (top / "kmod").glob("*.c"))
        self.assertEqual((self.out / "wsq.ko").read_text(), "".join(sources))
        return sorted(compiled.read_text().split()) if compiled.exists() else []

    def test_other_clone(self):
        self.assertEqual(self.build(self.a), ["one", "two"])
        self.assertEqual(self.build(self.a), [])
        b = self.clone("b")
        self.assertEqual(self.build(b), [])
        (b / "kmod/two.c").write_text("two, changed")
        self.assertEqual(self.build(b), ["two"])
        # Older than the objects of b.
        self.assertEqual(self.build(self.a), ["two"])
        (b / "include/x.h").write_text("x, changed")
        self.assertEqual(self.build(b), ["one", "two"])

    def test_gone(self):
        self.build(self.a)
        (self.a / "kmod/two.c").unlink()
        self.build(self.a)
        self.assertFalse((self.out / "kmod/two.c").exists())

    def test_fresh(self):
        self.build(self.a)
        self.assertEqual(self.build(self.clone("b"), WSQ_OBJECTS="fresh"), ["one", "two"])

    def test_killed(self):
        self.build(self.a)
        (self.tmp / "cache/obj/stock/kmod/two.o").write_text("")
        (self.tmp / "cache/obj/stock/.building").touch()
        self.assertEqual(self.build(self.a), ["one", "two"])

    def test_clock_was_ahead(self):
        self.build(self.a)
        later = time.time() + 7200
        os.utime(self.tmp / "cache/obj/stock/kmod/two.o", (later, later))
        (self.a / "kmod/two.c").write_text("two, changed")
        self.assertEqual(self.build(self.a), ["one", "two"])

    def test_fails(self):
        """Errors are not taken for a killed compiler."""
        self.build(self.a)
        (self.kernel / "kdir/Makefile").write_text("modules:\n\texit 1\n")
        with self.assertRaises(subprocess.CalledProcessError):
            self.build(self.a)
        (self.kernel / "kdir/Makefile").write_text(KDIR)
        self.assertEqual(self.build(self.a), [])
