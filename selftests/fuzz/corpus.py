#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The corpus of the fuzzers: one file a target, one line an input.

	corpus.py unpack TARGET DIR	inputs as files, as libFuzzer wants them
	corpus.py add TARGET FILE...	take inputs in
	corpus.py reseed TARGET DIR	the inputs under other seeds of the schedule, as files
	corpus.py count TARGET		how many there are

unpack and count include the inputs of aimed.py. corpus/TARGET.hex holds the
inputs in hexadecimal, sorted, so that two changes merge by lines. A line that
begins with # is a comment; "-" stands for the empty input. An unpacked file has
the name that libFuzzer gives it, the SHA-1 of its bytes, so that a file that
libFuzzer writes beside it has a different name.

For: run-fuzz, mutants.py, and to add an input that found something.
Cost: nothing. Limitations: all files of DIR whose name is such a hash, and
which are not in the corpus, are removed.
"""
import hashlib
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import aimed  # noqa: E402


def file_of(target):
    path = HERE / "corpus" / f"{target}.hex"
    if not path.is_file():
        sys.exit(f"corpus.py: there is no {path}")
    return path


def read(target):
    """All inputs of a target."""
    inputs = []
    path = file_of(target)
    for nr, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("#") or not line:
            continue
        try:
            inputs.append(bytes.fromhex("" if line == "-" else line))
        except ValueError:
            sys.exit(f"{path}:{nr}: no hexadecimal")
    return inputs


def everything(target):
    """The corpus and the inputs of aimed.py."""
    return read(target) + aimed.inputs(target)


def write(inputs, where):
    """Inputs as the files of DIR; returns their paths, sorted."""
    where = Path(where)
    where.mkdir(parents=True, exist_ok=True)
    named = {hashlib.sha1(data).hexdigest(): data for data in inputs}
    for old in where.iterdir():
        if re.fullmatch("[0-9a-f]{40}", old.name) and old.name not in named:
            old.unlink()
    for name, data in named.items():
        path = where / name
        if not path.is_file() or path.read_bytes() != data:
            path.write_bytes(data)
    return sorted(where / name for name in named)


def unpack(target, where):
    return write(everything(target), where)


# Where an input of ring has the seed of its schedule. In entry and setup only
# one process acts, so schedules matter little.
SEED_AT, SEED_BYTES = 1, 2
SEEDS = 16


def reseed(target, where):
    """The inputs under other seeds, always the same ones, as files of DIR."""
    inputs = everything(target) if target == "ring" else []
    return write([data[:SEED_AT] + hashlib.sha1(data + bytes([nr])).digest()[:SEED_BYTES] +
                  data[SEED_AT + SEED_BYTES:] for data in inputs for nr in range(SEEDS)], where)


def add(target, files):
    """Add files; returns how many were new."""
    path = file_of(target)
    head = [l for l in path.read_text().splitlines() if l.startswith("#")]
    was = set(read(target))
    now = was | {Path(f).read_bytes() for f in files}
    lines = [data.hex() or "-" for data in sorted(now)]
    path.write_text("\n".join(head + lines) + "\n")
    return len(now) - len(was)


def main(args):
    if len(args) == 3 and args[0] == "unpack":
        unpack(args[1], args[2])
    elif len(args) == 3 and args[0] == "reseed":
        reseed(args[1], args[2])
    elif len(args) > 2 and args[0] == "add":
        print(f"{add(args[1], args[2:])} new")
    elif len(args) == 2 and args[0] == "count":
        print(len(everything(args[1])))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
