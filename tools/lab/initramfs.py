# SPDX-License-Identifier: GPL-2.0
"""Write an initramfs (cpio, newc, uncompressed) without staging a tree.

For vm. Names are kept in order, parents are made as needed, the owner is
root. An uncompressed archive is the fastest way into a TCG guest: 346 MB in
22,000 files took 14 s from start to end, including reading them, against
21 s through an ext4 image on virtio-blk (5 s of them to make the image).

Limitations: no hard links, no device nodes (devtmpfs makes them), files below
4 GB.
"""

import os
import stat


class Initramfs:
    def __init__(self, path):
        self.out = open(path, "wb", buffering=1 << 20)
        self.seen = set()
        self.ino = 1

    def _entry(self, name, mode, data=b"", mtime=0):
        raw = name.encode("utf-8", "surrogateescape") + b"\0"
        self.ino += 1
        head = "070701" + "".join("%08X" % n for n in (
            self.ino, mode, 0, 0, 1, int(mtime), len(data), 0, 0, 0, 0, len(raw), 0))
        self.out.write(head.encode() + raw)
        self.out.write(b"\0" * (-(len(head) + len(raw)) % 4))
        self.out.write(data)
        self.out.write(b"\0" * (-len(data) % 4))

    def dir(self, name, mode=0o755):
        name = name.strip("/")
        if not name or name in self.seen:
            return
        self.dir(os.path.dirname(name))
        self.seen.add(name)
        self._entry(name, stat.S_IFDIR | mode)

    def file(self, name, data, mode=0o644, mtime=0):
        name = name.strip("/")
        if name in self.seen:
            return
        self.dir(os.path.dirname(name))
        self.seen.add(name)
        self._entry(name, stat.S_IFREG | mode, data, mtime)

    def symlink(self, name, target):
        name = name.strip("/")
        if name in self.seen:
            return
        self.dir(os.path.dirname(name))
        self.seen.add(name)
        self._entry(name, stat.S_IFLNK | 0o777, os.fsencode(target))

    def add(self, source, name):
        """A file, link or whole tree of the host."""
        info = os.lstat(source)
        if stat.S_ISLNK(info.st_mode):
            self.symlink(name, os.readlink(source))
        elif stat.S_ISDIR(info.st_mode):
            self.dir(name, stat.S_IMODE(info.st_mode))
            for entry in sorted(os.listdir(source)):
                self.add(os.path.join(source, entry), name.rstrip("/") + "/" + entry)
        elif stat.S_ISREG(info.st_mode):
            with open(source, "rb") as src:
                self.file(name, src.read(), stat.S_IMODE(info.st_mode), info.st_mtime)

    def close(self):
        self._entry("TRAILER!!!", 0)
        self.out.write(b"\0" * (-self.out.tell() % 512))
        self.out.close()
