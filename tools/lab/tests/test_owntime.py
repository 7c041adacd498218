# SPDX-License-Identifier: GPL-2.0
"""Own time: what sleeps reaches a limit, what waits for a CPU does not."""

import os
import subprocess
import time
import unittest

import owntime


class OwnTime(unittest.TestCase):
    def measure(self, script, **options):
        """Wall and own seconds of a shell's two seconds."""
        with subprocess.Popen(["sh", "-c", script], start_new_session=True, **options) as proc:
            try:
                meter, begin = owntime.OwnTime(proc.pid), time.monotonic()
                time.sleep(2)
                own = meter.seconds()
                return time.monotonic() - begin, own
            finally:
                os.killpg(proc.pid, 9)

    def test_asleep(self):
        """However busy the machine is."""
        wall, own = self.measure("sleep 1000; true")
        self.assertGreater(own, wall / 100)

    @unittest.skipUnless(os.path.exists("/proc/self/schedstat"), "no schedstat here")
    def test_shares_a_cpu(self):
        """Four loops on one CPU: together they have at most a third of what they want."""
        cpu = min(os.sched_getaffinity(0))
        wall, own = self.measure("for i in 1 2 3 4; do (while :; do :; done) & done; wait",
                                 preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.assertLess(own, wall / 3)

    def test_descendants(self):
        with subprocess.Popen(["sh", "-c", "sleep 1000 & echo; wait"], stdout=subprocess.PIPE,
                              start_new_session=True) as proc:
            proc.stdout.readline()
            self.assertEqual(len(owntime.descendants(proc.pid)), 2)
            os.killpg(proc.pid, 9)


if __name__ == "__main__":
    unittest.main()
