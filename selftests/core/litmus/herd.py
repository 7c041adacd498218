# SPDX-License-Identifier: GPL-2.0
"""herd7's verdict on a litmus test, under the kernel's memory model.

For: run-litmus and model/mutants.py. An answer follows from the test's
statements, herd7 and the model alone, so it is kept under $WSQ_LAB/litmus, by a
hash of the three. Cost: a second for most tests, nothing for one that was asked before.
"""
import functools
import hashlib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def cache():
    lab = os.environ.get("WSQ_LAB")
    if lab:
        return Path(lab)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "wsq"


class Missing(Exception):
    """There is no herd7, with the reason."""


@functools.cache
def herd():
    return Herd()


class Herd:
    def __init__(self):
        got = subprocess.run([HERE / "get-herd"], capture_output=True, text=True)
        if got.returncode:
            raise Missing((got.stderr.strip().splitlines() or ["no herd7"])[-1])
        self.herd = Path(got.stdout.strip().splitlines()[-1])
        self.model = self.herd / "memory-model"
        key = hashlib.sha256()
        key.update(subprocess.run([self.herd / "herd7", "-version"],
                                  capture_output=True, check=True).stdout)
        for path in sorted(self.model.glob("*.*")):
            if path.suffix in (".cfg", ".bell", ".cat", ".def"):
                key.update(path.name.encode() + path.read_bytes())
        self.key = key.hexdigest()
        self.kept = cache() / "litmus"
        self.reused = set()     # tests whose answer was stored

    def ask(self, text):
        """(Never, Sometimes or Always; data race?), or (None, herd7's
        message)."""
        # A label that changes its name does not change the answer.
        code = re.sub(r"[ \t]*//.*", "", text)
        kept = self.kept / hashlib.sha256((self.key + code).encode()).hexdigest()
        try:
            if os.environ.get("WSQ_CACHED") == "no":
                raise FileNotFoundError
            answer = tuple(json.loads(kept.read_text()))
            self.reused.add(text)
            return answer
        except (OSError, ValueError):
            pass
        with tempfile.NamedTemporaryFile("w", suffix=".litmus") as test:
            test.write(text)
            test.flush()
            ran = subprocess.run([self.herd / "herd7", "-conf", "linux-kernel.cfg", test.name],
                                 cwd=self.model, capture_output=True, text=True)
        found = re.search(r"^Observation \S+ (\w+) ", ran.stdout, re.M)
        if ran.returncode or not found:
            said = (ran.stderr + ran.stdout).strip().splitlines() or ["nothing"]
            return None, said[0]
        answer = found[1], bool(re.search(r"^Flag data-race", ran.stdout, re.M))
        self.kept.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=self.kept, delete=False) as new:
            json.dump(answer, new)
        os.replace(new.name, kept)
        return answer

    def check(self, text, want):
        """Is it as expected? (bool, what was observed)"""
        got, race = self.ask(text)
        if got is None:
            return False, f"herd7: {race}"
        if want == "Never" and race:
            return False, "data race"
        return want == got, got if want == got else f"wanted {want}, got {got}"
