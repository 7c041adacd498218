#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Remember which deterministic checks have passed, by the hash of what they read.

  cached.py key [-I DIR]... [-w WORD]... PATH...
  cached.py jobs [--changed FILE] [-I DIR]... [-w WORD]... [PATH...]
  cached.py get KEY
  cached.py put KEY

key prints the hash of all words, of the names and contents of all files (of a
directory: of all files below it) and, with -I, of every file that a C or C++
file among them includes from its own directory or from DIR, and so on. get
prints what was put, and its exit status is 1 if nothing was. put stores its
standard input.

jobs copies lines "NAME<tab>COMMAND<tab>PATH PATH..." from its input to its output
for tap_jobs (selftests/core/tap.sh). A line's key is that of the arguments, of the
command and of the paths. It takes the place of the paths, unless the check has
passed: such a line becomes "NAME # cached<tab>cat RESULT<tab>". --changed: FILE
lists files of this tree; a line none of whose files is among them is left out, and
the last line on stderr says how many were.

The caller puts only results of checks that passed, and names everything that
the verdict depends on: sources, scripts, compiler options, the compiler's
version (-w "$(gcc --version)"). Results are in $WSQ_LAB/results (~/.cache/wsq)
and serve every clone of the tree. A result that was not requested for 60 days
is removed. WSQ_CACHED=no in the environment finds nothing, so that everything
runs.

Costs: a fifth of a second for a few hundred keys. Limitations: a system header
(<...>, and not found in DIR) is not read: the caller passes its package's
version as a word. An #include of a macro reads every header of the directories.
"""

import argparse
import functools
import hashlib
import os
import re
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
DAYS = 60
INCLUDE = re.compile(rb'^\s*#\s*include\s+(?:(["<])([^">]+)[">]|(\w+))', re.M)
SOURCE = (".c", ".h", ".cc", ".cpp", ".hpp", ".def")


def results():
    """The directory of results."""
    lab = os.environ.get("WSQ_LAB") or os.path.join(os.environ.get("HOME", "/root"), ".cache/wsq")
    return Path(lab) / "results"


@functools.lru_cache(None)
def content(path):
    return path.read_bytes()


@functools.lru_cache(None)
def includes(path, dirs):
    """The files that path includes from its directory and from dirs."""
    found = []
    for mark, name, macro in INCLUDE.findall(content(path)):
        if macro:
            for place in (path.parent, *dirs):
                found += sorted(p for p in place.iterdir() if p.suffix in (".h", ".hpp", ".def"))
            continue
        places = (path.parent, *dirs) if mark == b'"' else dirs
        for place in places:
            # Not resolve(): a copy of a tree may consist of symbolic links.
            file = Path(os.path.normpath(place / name.decode()))
            if file.is_file():
                found.append(file)
                break
        else:
            # A file that cannot be read must not be left out silently.
            if mark == b'"':
                sys.exit("cached.py: %s includes %s, which is in no directory of -I" % (path, name.decode()))
    return found


@functools.lru_cache(None)
def closure(path, dirs):
    """path, files below it if it is a directory, and what they include."""
    if path.is_dir():
        todo = sorted(p for p in path.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    else:
        todo = [path]
    seen = set(todo)
    while dirs and todo:
        file = todo.pop()
        if file.suffix not in SOURCE:
            continue
        more = [p for p in includes(file, dirs) if p not in seen]
        seen.update(more)
        todo += more
    return frozenset(seen)


@functools.lru_cache(None)
def digest(path):
    """Name and content. The name is relative, since clones lie in different
    places."""
    name = os.path.relpath(path, TOP) if path.is_relative_to(TOP) else str(path)
    return hashlib.sha256(name.encode() + b"\0" + content(path)).digest()


def inputs(paths, dirs):
    """The files that a check reads."""
    dirs = tuple(Path(os.path.abspath(d)) for d in dirs)
    files = set()
    for path in paths:
        files |= closure(Path(os.path.abspath(path)), dirs)
    return files


def key(words=(), paths=(), dirs=()):
    """The key of a check: a name in results()."""
    files = inputs(paths, dirs)
    total = hashlib.sha256()
    # Words may contain paths of this clone: make them relative.
    for word in words:
        total.update(b"w" + str(word).replace(str(TOP), ".").encode() + b"\0")
    for file in sorted(files):
        total.update(b"f" + digest(file))
    return total.hexdigest()[:40]


def get(name):
    """The stored result, or None."""
    if os.environ.get("WSQ_CACHED") == "no":
        return None
    try:
        text = (results() / name).read_text()
        os.utime(results() / name)
        return text
    except FileNotFoundError:
        return None


def put(name, text=""):
    results().mkdir(parents=True, exist_ok=True)
    new = results() / (".%s.%d" % (name, os.getpid()))
    new.write_text(text)
    new.rename(results() / name)


def prune():
    """Remove results that were not requested for a while."""
    old = time.time() - DAYS * 86400
    for path in results().glob("*") if results().is_dir() else ():
        try:
            if path.stat().st_mtime < old:
                path.unlink()
        except FileNotFoundError:
            pass


def main():
    p = argparse.ArgumentParser(prog="cached.py", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(dest="mode", required=True)
    for mode in ("key", "jobs"):
        s = sub.add_parser(mode)
        s.add_argument("-I", dest="dirs", action="append", default=[], metavar="DIR")
        s.add_argument("-w", dest="words", action="append", default=[], metavar="WORD")
        s.add_argument("paths", nargs="*", metavar="PATH")
        if mode == "jobs":
            s.add_argument("--changed", metavar="FILE")
    for mode in ("get", "put"):
        sub.add_parser(mode).add_argument("key")
    o = p.parse_args()
    if o.mode == "key":
        print(key(o.words, o.paths, o.dirs))
    elif o.mode == "jobs":
        prune()
        changed = {TOP / line for line in Path(o.changed).read_text().splitlines()} if o.changed else None
        left = total = 0
        for line in sys.stdin:
            name, command, paths = line.rstrip("\n").split("\t")
            paths = [*o.paths, *paths.split()]
            total += 1
            if changed is not None and not changed & inputs(paths, o.dirs):
                left += 1
                continue
            name_of = key([*o.words, command], paths, o.dirs)
            if get(name_of) is not None:
                name, command, name_of = name + " # cached", "cat '%s'" % (results() / name_of), ""
            print(name, command, name_of, sep="\t")
        if left:
            print("%d of %d: no file that they read has changed" % (left, total), file=sys.stderr)
    elif o.mode == "put":
        put(o.key, sys.stdin.read())
    else:
        text = get(o.key)
        if text is None:
            return 1
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
