# SPDX-License-Identifier: GPL-2.0
"""What tools/check/torture says of a guest, and when it boots another one."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]

BEGIN = "wsq_torture: begin: seed=5 "
STOPPED = BEGIN + "\nwsq_torture: note: not judged: CPU 1 has stopped\n"
WELL = BEGIN + "\nwsq_torture: end: 7 operations, 0 errors\n"
WRONG = BEGIN + "\nwsq_torture: error: lost\nwsq_torture: end: 7 operations, 1 errors\n"

# The guests of a run, one after the other: what the log says, and the status.
LAB = """#!/bin/sh
n=$(($(cat boots 2>/dev/null || echo 0) + 1))
echo $n >boots
while [ "$1" != --log ]; do shift; done
cat guest$n.log >"$2"
exit "$(cat guest$n.status)"
"""


class Torture(unittest.TestCase):
    def torture(self, *guests):
        """Status, TAP and the number of guests booted."""
        with tempfile.TemporaryDirectory() as tmp:
            tree = Path(tmp)
            for path in ("tools/check", "tools/lab"):
                (tree / path).mkdir(parents=True)
            for name in ("torture", "seed"):
                shutil.copy(TOP / "tools/check" / name, tree / "tools/check")
            for name, text in (("uml", LAB), ("build-modules", "#!/bin/sh\necho modules\n")):
                (tree / "tools/lab" / name).write_text(text)
                (tree / "tools/lab" / name).chmod(0o755)
            for n, (log, status) in enumerate(guests, 1):
                (tree / f"guest{n}.log").write_text(log)
                (tree / f"guest{n}.status").write_text(str(status))
            got = subprocess.run(["tools/check/torture", "umdebug", "operations=7", "seed=5"], cwd=tree,
                                 env=dict(os.environ, PROCESSES="no"), capture_output=True, text=True, check=False)
            numbers = [int(n) for n in re.findall(r"(?m)^(?:not )?ok (\d+)", got.stdout)]
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
            self.assertIn(f"\n1..{len(numbers)}\n", got.stdout)
            return got.returncode, got.stdout, int((tree / "boots").read_text())

    def test_well(self):
        status, tap, boots = self.torture((WELL, 0))
        self.assertEqual((status, boots), (0, 1))
        self.assertEqual(tap.count("\nok "), 2)
        self.assertNotIn("SKIP", tap)

    def test_stopped(self):
        status, tap, boots = self.torture((STOPPED, 3), (WELL, 0))
        self.assertEqual((status, boots), (0, 2))
        self.assertEqual(tap.count("\nok "), 3)
        self.assertEqual(tap.count("# SKIP not judged: "), 1)

    def test_always_stopped(self):
        status, tap, boots = self.torture((STOPPED, 3), (STOPPED, 3), (STOPPED, 3))
        self.assertEqual((status, boots), (0, 3))
        self.assertEqual(tap.count("# SKIP not judged: "), 4)

    def test_wrong(self):
        status, tap, boots = self.torture((WRONG, 1))
        self.assertEqual((status, boots), (1, 1))
        self.assertEqual(tap.count("not ok "), 2)

    def test_stopped_with_an_error(self):
        status, tap, boots = self.torture((STOPPED + "wsq_torture: error: lost\n", 3))
        self.assertEqual((status, boots), (3, 1))
        self.assertIn("not ok 2 ", tap)


if __name__ == "__main__":
    unittest.main()
