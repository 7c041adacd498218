# SPDX-License-Identifier: GPL-2.0
"""What tools/lab/needs says on a machine that lacks something."""

import os
import shutil
import subprocess
import tempfile
import unittest

NEEDS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "needs")
SCRIPT = "#!/bin/sh\n"
# A compiler that has the C library's headers only.
NO_HEADERS = SCRIPT + "grep -q stdio.h\n"


class Needs(unittest.TestCase):
    def run_with(self, programs, *what, manager="apt-get", **env):
        """Runs needs with these programs only: (status, stderr)."""
        with tempfile.TemporaryDirectory() as tmp:
            for name in ("bash", "cat", "grep", "sed", "sort", "tr"):
                os.symlink(shutil.which(name), os.path.join(tmp, name))
            for name, text in (*programs.items(), (manager, SCRIPT)):
                with open(os.path.join(tmp, name), "w") as out:
                    out.write(text)
                os.chmod(os.path.join(tmp, name), 0o755)
            # The script adds sbin, where depmod is on the host.
            script = os.path.join(tmp, "needs")
            with open(NEEDS) as src, open(script, "w") as out:
                out.write(src.read().replace("PATH=$PATH:/usr/sbin:/sbin", ""))
            done = subprocess.run([os.path.join(tmp, "bash"), script, *what], text=True,
                                  capture_output=True, env={"PATH": tmp, **env})
        return done.returncode, done.stderr

    def test_all_there(self):
        have = dict.fromkeys(("make", "gcc", "rsync", "flock", "depmod"), SCRIPT)
        self.assertEqual(self.run_with(have, "modules", "tools", "install"), (0, ""))

    def test_headers_of_wsqctl(self):
        have = {"make": SCRIPT, "gcc": NO_HEADERS}
        status, said = self.run_with(have, "tools")
        self.assertEqual(status, 1)
        self.assertEqual(said, "missing: <json-c/json.h> <nettle/sha2.h>\n"
                               "please run: apt-get install libjson-c-dev nettle-dev\n")

    def test_other_compiler(self):
        have = {"make": SCRIPT, "gcc": SCRIPT, "my-cc": NO_HEADERS}
        self.assertIn("libjson-c-dev", self.run_with(have, "tools", CC="my-cc")[1])

    def test_programs(self):
        status, said = self.run_with({"make": SCRIPT, "gcc": SCRIPT}, "modules", "install")
        self.assertEqual(status, 1)
        self.assertEqual(said, "missing: depmod flock rsync\n"
                               "please run: apt-get install rsync util-linux kmod\n")

    def test_packages(self):
        status, said = self.run_with({"git": SCRIPT, "rsync": SCRIPT}, "deb")
        self.assertEqual(status, 1)
        self.assertIn("apt-get install dpkg-dev debhelper dh-dkms\n", said)

    def test_fedora(self):
        have = {"make": SCRIPT, "gcc": NO_HEADERS}
        self.assertIn("dnf install json-c-devel nettle-devel\n",
                      self.run_with(have, "tools", manager="dnf")[1])

    def test_nothing_at_all(self):
        said = self.run_with({}, "modules", "tools")[1]
        self.assertIn("apt-get install make gcc ", said)
        self.assertEqual(said.count(" make"), 2)

    def test_wrong_word(self):
        self.assertEqual(self.run_with({}, "everything")[0], 2)


if __name__ == "__main__":
    unittest.main()
