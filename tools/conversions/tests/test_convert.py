# SPDX-License-Identifier: GPL-2.0
"""Tests of convert: python3 -m unittest discover -s tools/conversions/tests. Also converts
the drivers of a kernel's source where the laboratory's cache has one;
tools/check/conversions and tools/check/loop build and run them."""
import glob
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

TOOL = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
CACHE = os.environ.get("WSQ_LAB") or os.path.expanduser("~/.cache/wsq")
sys.dont_write_bytecode = True

with open(os.path.join(TOOL, "drivers.toml"), "rb") as toml:
    DRIVERS = tomllib.load(toml)

# Has what loop.patch expects, and uses workqueue as drivers do; otherwise minimal.
DRIVER = """\
#include <linux/spinlock.h>
#include <uapi/linux/loop.h>
struct device {
	struct workqueue_struct *workqueue;
	struct work_struct one;
};
static void f(struct work_struct *work);
static void g(struct device *lo, struct work_struct *work)
{
	static DECLARE_WORK(other, f);

	INIT_WORK(&lo->one, f);
	goto queue_work;
queue_work:
	queue_work(lo->workqueue, work);
	work_pending(work);
	flush_work(work);
	cancel_work_sync(work);
}
static int open(struct device *lo)
{
	if (!lo->workqueue) {
		lo->workqueue = alloc_workqueue("loop%d",
						WQ_UNBOUND | WQ_FREEZABLE,
						0, lo->lo_number);
		if (!lo->workqueue) {
			error = -ENOMEM;
			goto out_unlock;
		}
	}
out_unlock:
	destroy_workqueue(lo->workqueue);
}
MODULE_LICENSE("GPL");
MODULE_ALIAS_BLOCKDEV_MAJOR(LOOP_MAJOR);
"""

CONVERTED = """\
#include <linux/spinlock.h>
#include <linux/wsq.h>
#include <uapi/linux/loop.h>
struct device {
	struct wsq *workqueue;
	struct wsq_work one;
};
static void f(struct wsq_work *work);
static void g(struct device *lo, struct wsq_work *work)
{
	static DECLARE_WSQ_WORK(other, f);

	INIT_WSQ_WORK(&lo->one, f);
	goto queue_work;
queue_work:
	wsq_queue_work(lo->workqueue, work);
	wsq_work_pending(work);
	wsq_flush_work(work);
	wsq_cancel_work_sync(work);
}
static int open(struct device *lo)
{
	if (!lo->workqueue) {
		const struct wsq_attrs queue = { .flags = WSQ_FREEZABLE };

		lo->workqueue = wsq_create(&queue, "loop%d",
					   lo->lo_number);
		if (IS_ERR(lo->workqueue)) {
			error = PTR_ERR(lo->workqueue);
			lo->workqueue = NULL;
			goto out_unlock;
		}
	}
out_unlock:
	wsq_destroy(lo->workqueue);
}
MODULE_LICENSE("GPL");
WSQ_IMPORT_NS();
MODULE_ALIAS_BLOCKDEV_MAJOR(LOOP_MAJOR);
"""


def convert(*args):
    return subprocess.run([os.path.join(TOOL, "convert"), *args], capture_output=True, text=True)


def setUpModule():
    # A new machine has no spatch.
    subprocess.run(["bash", "-c", '. "$1/../lab/lib.sh" && need coccinelle patch', "-", TOOL],
                   check=True, stdout=subprocess.DEVNULL)


class Convert(unittest.TestCase):
    def run_on(self, driver, version="9.1", original=False):
        """What convert made of this loop driver (None if nothing), its complaints, its status."""
        major, minor = version.split(".")
        with tempfile.TemporaryDirectory() as tree:
            os.makedirs(os.path.join(tree, "drivers/block"))
            with open(os.path.join(tree, "Makefile"), "w", encoding="utf-8") as f:
                f.write(f"VERSION = {major}\nPATCHLEVEL = {minor}\nSUBLEVEL = 2\n")
            with open(os.path.join(tree, "drivers/block/loop.c"), "w", encoding="utf-8") as f:
                f.write(driver)
            out = os.path.join(tree, "out")
            done = convert(*["--original"][:original], "loop", tree, out)
            text = None
            if os.path.exists(out):
                with open(os.path.join(out, "loop.c"), encoding="utf-8") as f:
                    text = f.read()
                with open(os.path.join(out, "Kbuild"), encoding="utf-8") as f:
                    self.assertIn("obj-m += loop.o\n", f.read())
        return text, done.stderr, done.returncode

    def test_converts(self):
        out, err, status = self.run_on(DRIVER)
        self.assertEqual((err, status), ("", 0))
        self.assertEqual(out, CONVERTED)

    def test_original(self):
        self.assertEqual(self.run_on(DRIVER, original=True), (DRIVER, "", 0))

    def test_other_lines(self):
        out, err, status = self.run_on(DRIVER.replace("WQ_FREEZABLE", "WQ_SYSFS"))
        self.assertEqual((out, status), (None, 3))
        self.assertIn("Linux 9.1.2", err)
        self.assertIn("left over in loop.c: WQ_UNBOUND", err)

    def test_known_version(self):
        out, _, status = self.run_on(DRIVER.replace("WQ_FREEZABLE", "WQ_SYSFS"),
                                     DRIVERS["loop"]["known"][0])
        self.assertEqual((out, status), (None, 1))

    def test_uses_that_need_thought(self):
        for use, left in (("schedule_work(work);", "schedule_work("),
                          ("queue_work(system_bh_wq, work);", "system_bh_wq"),
                          ("queue_work(system_wq, work);", "system_wq"),
                          ("queue_rcu_work(lo->workqueue, work);", "queue_rcu_work("),
                          ("enable_work(work);", "enable_work("),
                          ("INIT_DEFERRABLE_WORK(work, f);", "INIT_DEFERRABLE_WORK(")):
            more = f"static void h(struct device *lo, struct work_struct *work)\n{{\n\t{use}\n}}\n"
            out, err, status = self.run_on(DRIVER + more)
            self.assertEqual((out, status), (None, 3), use)
            self.assertIn("left over in loop.c: " + left, err)

    def test_no_driver(self):
        with tempfile.TemporaryDirectory() as tree:
            done = convert("loop", tree, os.path.join(tree, "out"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("No such file", done.stderr)

    def test_list(self):
        self.assertEqual(convert("--list").stdout.split(), list(DRIVERS))

    def test_of_the_cache(self):
        trees = [os.path.dirname(p) for p in glob.glob(os.path.join(CACHE, "um*/*/src/Makefile"))]
        if not trees:
            self.skipTest("no kernel's source in the cache")
        for driver, about in DRIVERS.items():
            with tempfile.TemporaryDirectory() as where:
                out = os.path.join(where, "out")
                done = convert(driver, max(trees, key=os.path.getmtime), out)
                if done.returncode == 3:
                    self.skipTest(done.stderr.splitlines()[0])
                self.assertEqual((done.stderr, done.returncode), ("", 0), driver)
                text = ""
                for name in about["files"]:
                    with open(os.path.join(out, name), encoding="utf-8") as f:
                        text += f.read()
                self.assertRegex(text, r"\bwsq_queue_work\(")
                self.assertRegex(text, r"\bWSQ_IMPORT_NS\(\);")

    def test_patches_are_small(self):
        # What is mechanical belongs to workqueue.cocci.
        for driver in DRIVERS:
            with open(os.path.join(TOOL, driver + ".patch"), encoding="utf-8") as f:
                changed = [line for line in f if re.match(r"[-+](?![-+])", line)]
            self.assertLess(len(changed), 70, driver)


if __name__ == "__main__":
    unittest.main()
