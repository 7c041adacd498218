#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does dev_wsq.txt agree with the header?

	check.py [DESCRIPTION [HEADER]]

Prints the differences, a line each; exit status 1 if there are any. Debian has
no syzkaller, so this reads as much of its language as the description uses:
resources, flags, types with and without parameters, structs, unions, calls.

 - Each WSQ_* constant that is named exists in the header. Each constant that a
   program can pass is named, each command has a call, each set of flags is
   complete.
 - A struct named as one of the header's, or so with a suffix, has the same
   fields in the same order, at the compiler's offsets, and the same size.
 - Each type that is named exists, and each type is used.

Cost: a run of the C compiler. Limitations: amd64's and arm64's sizes.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
DESCRIPTION = TOP / "tools/syzkaller/dev_wsq.txt"
HEADER = TOP / "include/uapi/linux/wsq.h"

# Constants that the kernel returns and programs do not pass.
NOTIFIED = re.compile(r"WSQ_(FEAT|OPF|CPU|RING|DIST)_|WSQ_OP_NR$|WSQ_(DEVICE|IOC_MAGIC)$")
# Sets of flags, by prefix; the longest matching prefix counts.
SETS = {"WSQ_OP_": "wsq_ops", "WSQ_SQE_": "wsq_sqe_flags", "WSQ_SETUP_": "wsq_setup_flags",
        "WSQ_ENTER_": "wsq_enter_flags", "WSQ_CANCEL_": "wsq_cancel_flags"}
NOT_IN_SETS = {"WSQ_OP_NAME_LEN"}
# syzkaller's own: flags and resources of its other files.
ELSEWHERE = {"mmap_prot", "mmap_flags", "fd", "pid"}
INTS = {"int8": 1, "int16": 2, "int32": 4, "int64": 8, "intptr": 8, "fd": 4, "pid": 4}
TOKEN = re.compile(r'"[^"]*"|[\w$./+-]+(?:-\d+)?|[\[\](){},:=<>]')


class Wrong(Exception):
    pass


def split(tokens):
    """Tokens between commas outside of brackets."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += (token == "[") - (token == "]")
        if token == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return [p for p in parts if p]


class Description:
    def __init__(self, text):
        self.resources, self.flags, self.types = {}, {}, {}
        self.structs, self.unions, self.calls = {}, {}, []
        self.used = set()
        lines = [re.sub(r"#.*", "", l).strip() for l in text.splitlines()]
        lines = [l for l in lines if l and not l.startswith(("include", "incdir"))]
        self.words = set(re.findall(r"\bWSQ_\w+", "\n".join(
            re.sub(r"\$\w+", "", l) for l in lines)))
        self.strings = set(re.findall(r'"([^"]*)"', "\n".join(lines)))
        while lines:
            self.parse(lines)

    def parse(self, lines):
        line = lines.pop(0)
        found = re.fullmatch(r"resource (\w+)\[(\w+)\](?::.*)?", line)
        if found:
            self.resources[found[1]] = found[2]
            return
        found = re.fullmatch(r"(\w+) = (.*)", line)
        if found:
            self.flags[found[1]] = [w.strip() for w in found[2].split(",")]
            return
        found = re.fullmatch(r"(?:type )?(\w+)(?:\[([\w, ]+)\])? ([{\[])", line) or \
            re.fullmatch(r"(\w+)() ([{\[])", line)
        if found and (found[3] == "{" or not line.startswith("type")):
            self.body(found[1], found[2], found[3], lines)
            return
        found = re.fullmatch(r"type (\w+)(?:\[([\w, ]+)\])? (.*)", line)
        if found:
            self.types[found[1]] = (self.names(found[2]), TOKEN.findall(found[3]))
            return
        found = re.fullmatch(r"([\w$]+)\((.*)\)(?: (\w+))?", line)
        if not found:
            raise Wrong(f"cannot read: {line}")
        self.calls.append((found[1], split(TOKEN.findall(found[2])), found[3]))

    @staticmethod
    def names(text):
        return [w.strip() for w in text.split(",")] if text else []

    def body(self, name, params, bracket, lines):
        fields, end = [], {"{": "}", "[": "]"}[bracket]
        while lines and not lines[0].startswith(end):
            found = re.fullmatch(r"(\w+)\s+(\S.*?)(?:\s+\((?:in|out|inout)\))?", lines[0])
            if not found:
                raise Wrong(f"cannot read: {lines[0]}")
            fields.append((found[1], TOKEN.findall(found[2])))
            lines.pop(0)
        if not lines:
            raise Wrong(f"{name} does not end")
        lines.pop(0)
        to = self.structs if bracket == "{" else self.unions
        to[name] = (self.names(params), fields)

    def fields(self, kind):
        """The fields of a struct, by its name and arguments; None if it is no
        struct."""
        name, args = kind[0], split(kind[2:-1])
        self.used.add(name)
        if name in self.structs:
            params, fields = self.structs[name]
            if len(params) != len(args):
                raise Wrong(f"{name} takes {len(params)} arguments")
            given = dict(zip(params, args))
            return [(f, [t for word in k for t in given.get(word, [word])])
                    for f, k in fields]
        if name in self.types and not args:
            return self.fields(self.types[name][1])
        return None

    def size(self, kind):
        """Size and alignment of a type, by its tokens."""
        name, args = kind[0], split(kind[2:-1])
        self.used.add(name)
        if name in INTS:
            return INTS[name], INTS[name]
        if name in self.resources:
            return self.size([self.resources[name]])
        if name in ("const", "flags", "len", "bytesize"):
            if name == "flags":
                self.used.add(args[0][0])
                if args[0][0] not in self.flags and args[0][0] not in ELSEWHERE:
                    raise Wrong(f"no flags {args[0][0]}")
            if len(args) == 1:
                return 8, 8     # the argument of a call
            return self.size(args[1])
        if name in ("ptr", "ptr64"):
            self.size(args[1])
            return 8, 8
        if name == "vma":
            return 8, 8
        if name == "string":
            return 0, 1
        if name == "array":
            size, align = self.size(args[0])
            count = args[1][0] if len(args) > 1 and len(args[1]) == 1 else "0"
            return size * self.number(count), align
        fields = self.fields(kind)
        if fields is not None:
            return self.layout(fields)[1:]
        if name in self.unions:
            sizes = [self.size(k) for _, k in self.unions[name][1]]
            return max(s for s, _ in sizes), max(a for _, a in sizes)
        if name in self.types:
            return self.size(self.types[name][1])
        raise Wrong(f"no type {name}")

    def number(self, word):
        return self.constants[word] if word in self.constants else int(word, 0)

    constants = {}

    def layout(self, fields):
        """Offsets, size and alignment, as in C."""
        offsets, at, most = [], 0, 1
        for name, kind in fields:
            size, align = self.size(kind)
            at = (at + align - 1) // align * align
            offsets.append((name, at))
            at += size
            most = max(most, align)
        return offsets, (at + most - 1) // most * most, most


def header_names(text):
    """Constants and structs of the header."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = set(re.findall(r"^#define (WSQ_\w+)\s+\S", text, re.M))
    names |= set(re.findall(r"^\t(WSQ_\w+)\s*(?:=.*)?,?$", text, re.M))
    structs = {}
    for name, body in re.findall(r"^struct (wsq_\w+) \{\n(.*?)^\};", text, re.M | re.S):
        structs[name] = re.findall(r"(\w+)(?:\[\w+\])?;", body)
    return names, structs


def compiled(header, names, structs):
    """Values of constants, offsets and sizes of structs, from the C
    compiler."""
    lines = ["#include <stddef.h>", "#include <stdio.h>", f'#include "{header}"',
             "int main(void) {"]
    for name in sorted(names - {"WSQ_DEVICE"}):
        lines.append(f'printf("{name} %llu\\n", (unsigned long long)({name}));')
    for name, fields in structs.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        for field in fields:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof(struct {name}, {field}));')
    lines.append("}")
    with tempfile.TemporaryDirectory() as where:
        program = Path(where) / "header"
        made = subprocess.run(["cc", "-x", "c", "-o", program, "-"], input="\n".join(lines),
                              capture_output=True, text=True)
        if made.returncode:
            raise Wrong(f"the header does not compile: {made.stderr.splitlines()[:1]}")
        out = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {name: int(value) for name, value in (l.split() for l in out.splitlines())}


def constants(d, names, header_text):
    """Names exist, and constants that can be passed are named."""
    for name in sorted(d.words - names):
        yield f"the header has no {name}"
    for name in sorted(names - d.words):
        if not NOTIFIED.match(name):
            yield f"nothing passes {name}"
    for name in sorted(names - NOT_IN_SETS):
        for begins, flags in SETS.items():
            if name.startswith(begins) and not NOTIFIED.match(name) and \
               name not in d.flags.get(flags, ()):
                yield f"{flags} lacks {name}"
    device = re.search(r'#define WSQ_DEVICE\s+"(.*)"', header_text)
    if not device or device[1] not in d.strings:
        yield "nothing opens the device"


def commands(d, names):
    """Each command has a call of the same name."""
    seen = set()
    for call, args, _ in d.calls:
        if not call.startswith("ioctl$"):
            continue
        cmd = args[1][3] if args[1][1:3] == ["const", "["] else None
        if not cmd or not call.startswith(f"ioctl${cmd}"):
            yield f"{call}: its command is {cmd}"
        seen.add(cmd)
    for name in sorted(n for n in names if re.match(r"WSQ_IOC_(?!MAGIC)", n)):
        if name not in seen:
            yield f"no call for {name}"


def like(name, structs):
    """The header's struct that corresponds to a struct of the description."""
    fits = [s for s in structs if name == s or name.startswith(s + "_")]
    return max(fits, key=len, default=None)


def layouts(d, structs, values):
    """Structs agree with the header's."""
    seen = set()
    for name in [*d.structs, *d.types]:
        if d.structs.get(name, ((), ()))[0] or d.types.get(name, ((), ()))[0]:
            continue
        fields = d.fields([name])
        want = like(name, structs)
        if fields is None:
            continue
        if not want:
            yield f"the header has no struct {name}"
            continue
        seen.add(want)
        offsets, size, _ = d.layout(fields)
        if [f for f, _ in offsets] != structs[want]:
            yield f"{name} has {[f for f, _ in offsets]}, struct {want} {structs[want]}"
            continue
        for field, at in offsets:
            if at != values[f"{want}.{field}"]:
                yield f"{name}.{field} is at {at}, in C at {values[f'{want}.{field}']}"
        if size != values[want]:
            yield f"{name} has {size} bytes, in C {values[want]}"
    # Only the kernel writes completion entries.
    for name in sorted(set(structs) - seen - {"wsq_cqe"}):
        yield f"struct {name} is not described"


def names_used(d):
    """All named types exist, and all types are used."""
    d.used.clear()
    for call, args, result in d.calls:
        for arg in args:
            d.size(arg[1:])
        if result and result not in d.resources:
            yield f"{call} makes no resource {result}"
    for _, fields in d.unions.values():
        for _, kind in fields:
            d.size(kind)
    have = {*d.structs, *d.unions, *d.types, *d.flags, *d.resources}
    for name in sorted(have - d.used):
        yield f"nothing uses {name}"


def problems(description, header_path):
    """All differences, as lines."""
    header_text = header_path.read_text()
    names, structs = header_names(header_text)
    try:
        d = Description(description)
        values = compiled(header_path, names, structs)
        d.constants = values
        yield from constants(d, names, header_text)
        yield from commands(d, names)
        yield from layouts(d, structs, values)
        yield from names_used(d)
    except Wrong as wrong:
        yield str(wrong)


def main(args):
    description = Path(args[0]) if args else DESCRIPTION
    header = Path(args[1]) if len(args) > 1 else HEADER
    found = list(problems(description.read_text(), header))
    for line in found:
        print(f"{description.name}: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
