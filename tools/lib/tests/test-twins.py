#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR LGPL-2.1
"""Is libwsq usable from a language that cannot read C? Prints TAP.

    test-twins.py LIBWSQ.SO LIBWSQ.H

Calls the shared library by name, without its header: fills submission entries,
reads completion entries of a ring that is in this process, opens a device that
does not exist. test-ring, compiled for both, tests that the twins otherwise
behave like the inline functions. Needs no module.
"""
import ctypes as c
import errno
import re
import struct
import sys

lib = c.CDLL(sys.argv[1])
header = open(sys.argv[2], encoding="utf-8").read()
number = failed = 0

SQE = "<HHIQQQQQQQ"    # struct wsq_sqe: op, flags, hint, then 64 bits each
VOID, U32, U64, S32 = None, c.c_uint32, c.c_uint64, c.c_int32


def case(name, ok):
    global number, failed
    number += 1
    failed |= not ok
    print(f"{'ok' if ok else 'not ok'} {number} - {name}", flush=True)


def call(name, result, *args):
    function = getattr(lib, name)
    function.restype = result
    return function(*args)


names = re.findall(r"^static inline[^(]*?\b(wsq_(?!prep_rw)\w+)\(", header, re.M)
lacking = [name for name in names if not hasattr(lib, name)]
for name in lacking:
    print(f"# {name} is not exported")
case("each inline function is exported", len(names) > 30 and not lacking)

# Entries. Members: op, flags, hint, user_data, src, len, dst, arg, key,
# deadline.
sqe = c.create_string_buffer(b"\xff" * 64, 64)
call("wsq_prep_crc32c", VOID, sqe, U64(128), U64(9), U32(7))
call("wsq_sqe_set_data64", VOID, sqe, U64(2**64 - 5))
call("wsq_sqe_set_key", VOID, sqe, U64(77))
call("wsq_sqe_set_deadline", VOID, sqe, U64(88))
call("wsq_sqe_set_cpu", VOID, sqe, U32(3))
call("wsq_sqe_set_flags", VOID, sqe, U32(2))
case("an entry is filled, member by member",
     struct.unpack(SQE, sqe.raw) == (2, 2 | 4 | 8 | 32, 3, 2**64 - 5, 128, 9, 0, 7, 77, 88))
call("wsq_prep_op", VOID, sqe, U32(256), U64(1), U64(2), U64(3), U64(4))
call("wsq_sqe_set_vec", VOID, sqe, U64(64), U32(5))
case("prep clears the entry, a list takes the place of the range",
     struct.unpack(SQE, sqe.raw) == (256, 64, 0, 0, 64, 5, 1, 4, 0, 0))
call("wsq_prep_op", VOID, sqe, U32(256), U64(1), U64(0), U64(3), U64(4))
call("wsq_sqe_set_vec_out", VOID, sqe, U64(64), U32(5))
case("a list takes the place of the range to be written",
     struct.unpack(SQE, sqe.raw) == (256, 64, 0, 0, 64, 5, 0, 4, 0, 0))
call("wsq_prep_nop", VOID, sqe)
call("wsq_sqe_set_future", VOID, sqe, U32(9))
full = [call("wsq_sqe_add_after", S32, sqe, U32(n)) for n in (3, 2, 1, 4)]
case("futures are packed, three at most",
     full == [0, 0, 0, -errno.ENOSPC] and
     struct.unpack(SQE, sqe.raw) == (0, 128, 0, 0, 0, 0, 0, 0, 0, 1 << 48 | 2 << 32 | 3 << 16 | 9))

# A ring of 4 and 4 entries, laid out as struct wsq_ring: sq, cq, the rest.
page = c.create_string_buffer(256)
sqes = c.create_string_buffer(4 * 64)
cqes = c.create_string_buffer(4 * 32)
arena = c.create_string_buffer(4096)


def addr(buf, off=0):
    return c.addressof(buf) + off


ring = c.create_string_buffer(struct.pack(
    "<QQQQII QQQIIII QQQQQQiIQQQQ", addr(page, 64), addr(sqes), 0, 0, 3, 4,
    addr(page, 128), addr(cqes), 0, 3, 2, 4, 0,
    addr(arena), 4096, 0, addr(page), 256, 256, 42, 0, 0, 0, 0, 0))
got = [call("wsq_get_sqe", c.c_void_p, ring) for _ in range(5)]
case("entries are given out until there are no more",
     got == [addr(sqes, 64 * i) for i in range(4)] + [None])
case("counts, the file, the arena",
     (call("wsq_sq_ready", U32, ring), call("wsq_sq_space_left", U32, ring),
      call("wsq_sqe_number", U64, ring), call("wsq_ring_fd", S32, ring),
      call("wsq_arena_size", U64, ring), call("wsq_arena_ptr", c.c_void_p, ring, U64(100))) ==
     (4, 0, 3, 42, 4096, addr(arena, 100)))
cqe = c.c_void_p()
none = call("wsq_peek_cqe", S32, ring, c.byref(cqe))
case("no completion: EAGAIN", none == -errno.EAGAIN and cqe.value is None)
for i in range(2):
    struct.pack_into("<QqQII", cqes, 32 * i, 1000 + i, -i, 0, 0, 1)
seen = []
while call("wsq_peek_cqe", S32, ring, c.byref(cqe)) == 0:
    seen.append((call("wsq_cqe_get_data64", U64, cqe), cqe.value))
    call("wsq_cqe_seen", VOID, ring, cqe)
case("completions are read and given back",
     seen == [(1000, addr(cqes)), (1001, addr(cqes, 32))] and
     struct.unpack_from("<Q", page, 128) == (2,))
case("no such device", call("wsq_open", S32, b"/nowhere/wsq") == -errno.ENOENT)
print(f"1..{number}")
sys.exit(failed)
