# SPDX-License-Identifier: GPL-2.0
"""Handwritten inputs of the fuzzer of rings, each for one case.

An input of the corpus includes a seed of the schedule: when kmod gets one more
lock or atomic operation, the same seed gives another schedule, and an input
that hit a window of a few instructions may miss it. The inputs here do not rely
on the seed. A process catches the other side at an operation (shim_catch() in
shim/fiber.h), does what has to come in between, and the caught fiber continues
when no other fiber can run. Where many tasks have to leave their worker, there
are enough of them for any seed.

inputs("ring") returns them as bytes, each under a few seeds, since it is still
random which process takes the next action. corpus.py adds them to the corpus.

For: corpus.py. Numbers are those of act() and begin() in ring.c, of enum
shim_at and of <linux/wsq.h>.

Cost: nothing. Limitations: one fiber is caught at a time.
"""
SEEDS = range(1, 5)

AT_XCHG, AT_CMPXCHG = 1, 2
IDS, POLL = 1 << 1, 1 << 3
FUTURES = 128
CANCEL_ID = 0
OP_FILL = 4

# begin() reads: number of workers, seed; fibers switch only when they wait.
ONE_WORKER, TWO_WORKERS, THREE_WORKERS = 0 << 3, 1 << 3, 2 << 3


def begin(how, seed):
    return bytes([how, *seed.to_bytes(2, "little")])


# Actions of act(). The second byte, modulo 3, selects the file, 0.

def setup(flags, size=3):
    """Open the file and set up a ring: 8 entries, no arena."""
    return bytes([0, 0, 32 | flags, size])


def setup_large(arena_kib):
    """Likewise, with 512 entries and 16, 32 or 48 KiB of arena."""
    return bytes([0, 0, 64, arena_kib // 16 << 4])


NOPS, PROBES = 16, 8
ENTRY = bytes(3)


def enter(what, nr=1):
    return bytes([0, 0, what | (nr - 1)]) + ENTRY * nr


def enter_fills(forties, kib):
    """Fill the first so many KiB of the arena: 40 equal entries, or more."""
    length = bytes([0xf0 + kib // 4, 0])
    return bytes([0, 0, 32 | (forties - 1), OP_FILL, 0]) + bytes(2) + length + bytes(4) + bytes(1)


def submit_polled(what, nr=1):
    """Store entries and sq_tail, and wake the poller if its flag asks for that."""
    return bytes([5, 0, what | (nr - 1)]) + ENTRY * nr


def cancel_last(back=0):
    """By its id, the request submitted last, or one of those before it."""
    how = next(how for how in range(back << 2, back + 1 << 2) if how % 3 == CANCEL_ID)
    return bytes([9, 0, how])


def catch(at, wait=False):
    return bytes([22, 192 if wait else 129, at])


LINK = 1
NO_OP = bytes([14, 0, 255, 255, 0])


def probe(arg=0, flags=0):
    """An entry of a probe; it fails with bit 3 of arg, the others let it wait."""
    return bytes([12, flags, *arg.to_bytes(4, "little"), 0])


def enter_futures(*entries):
    """Entries, each with its own future and up to three that it waits for."""
    text = bytes([0, 0, 64 | (len(entries) - 1)])
    for entry, own, *after in entries:
        a, b, c = (after + [0, 0, 0])[:3]
        text += entry + bytes([own | a << 4, b | c << 4])
    return text


def enter_graph(forties, row):
    """Many nops: a row, or all others wait for the first."""
    how = 64 | 32 | NOPS | (forties - 1)
    assert how & 1 == row
    return bytes([0, 0, how]) + ENTRY + bytes(2 * 40 * forties)


READ = bytes([6, 0])
DIAMOND = enter_futures((probe(1), 1), (probe(2), 2, 1), (probe(), 3, 1), (probe(), 4, 2, 3))
HOLD_WORKERS, RELEASE_WORKERS = bytes([20, 129]), bytes([20, 0])
# A process may be switched out in the middle of an action, and the other one
# takes the next. This action gives it time to finish.
PAUSE = bytes([14, 48])

CASES = {
    # The poller has seen nothing, and has not yet set its sleep flag. It must
    # find an entry stored now when it looks once more.
    "poller-look": (ONE_WORKER, setup(POLL) + PAUSE + catch(AT_XCHG, wait=True) + submit_polled(NOPS)),
    # CANCEL has seen a request queued. A worker runs the request: too late to
    # cancel.
    "cancel-race": (TWO_WORKERS, setup(IDS) + PAUSE + HOLD_WORKERS + enter(PROBES) + PAUSE +
                    catch(AT_CMPXCHG) + cancel_last() + RELEASE_WORKERS + PAUSE),
    # All requests but the first of a batch are cancelled by a flag alone.
    "cancel-bundle": (THREE_WORKERS, setup(IDS) + PAUSE + HOLD_WORKERS + enter(NOPS, 3) + PAUSE +
                      cancel_last() + PAUSE + cancel_last(1)),
    # About half of these tasks leave their worker. Once the most that may leave
    # have left, all others wait, and each that ends passes its struct on to one
    # of them.
    # A task that waits for two others, again through the same futures.
    "future-diamond": (THREE_WORKERS, setup(FUTURES) + PAUSE + HOLD_WORKERS + DIAMOND + PAUSE +
                       RELEASE_WORKERS + PAUSE * 8 + READ + DIAMOND + PAUSE * 8 + READ +
                       enter_futures((probe(), 0, 1), (probe(), 1)) + PAUSE * 8 + READ + DIAMOND),
    # In a chain, behind a task that takes longer than the one before.
    "future-chain": (THREE_WORKERS, setup(FUTURES) + PAUSE +
                     enter_futures((probe(7), 1), (probe(0, LINK), 2), (probe(0, LINK), 3, 1),
                                   (probe(), 4, 1)) + PAUSE * 8 + READ +
                     enter_futures((probe(7), 1), (probe(8, LINK), 2), (probe(0, LINK), 3, 1),
                                   (probe(), 4, 3), (probe(), 0, 4))),
    # A failure travels, from a task and from an entry that is refused.
    "future-failed": (TWO_WORKERS, setup(FUTURES) + PAUSE +
                      enter_futures((probe(8), 1), (probe(), 2, 1), (probe(), 3, 2), (NO_OP, 4),
                                    (probe(), 5, 4), (probe(), 0, 5, 3)) + PAUSE * 8 + READ +
                      enter_futures((probe(), 0, 1), (probe(), 0, 2), (probe(), 0, 4))),
    # Not named; pending; no such future.
    "future-refused": (TWO_WORKERS, setup(FUTURES) + PAUSE + HOLD_WORKERS +
                       enter_futures((probe(), 1), (probe(), 2, 3), (probe(), 1), (probe(), 0, 1),
                                     (probe(), 0, 15), (probe(), 15)) + PAUSE + RELEASE_WORKERS),
    # More waits are over than are counted at a time.
    "future-many": (ONE_WORKER, bytes([0, 0, 64 | FUTURES, 0]) + PAUSE + HOLD_WORKERS +
                    enter_graph(7, False) + PAUSE + RELEASE_WORKERS),
    "future-row": (TWO_WORKERS, bytes([0, 0, 64 | FUTURES, 0]) + PAUSE + HOLD_WORKERS +
                   enter_graph(8, True) + PAUSE + RELEASE_WORKERS),
    "cont": (ONE_WORKER, setup_large(32) + PAUSE + HOLD_WORKERS + enter_fills(2, 20) + PAUSE +
             RELEASE_WORKERS),
}


def inputs(target):
    if target != "ring":
        return []
    return [begin(how, seed) + actions for how, actions in CASES.values() for seed in SEEDS]
