# SPDX-License-Identifier: GPL-2.0
"""Inputs of the fuzzer of rings that are written by hand, each for one case.

An input of the corpus is a seed of the schedule: when kmod gets one more lock or
atomic operation, the same seed gives another schedule, and an input that hit a window
of a few instructions may miss it. The inputs here do not rely on the seed. A process
catches the other side at an operation (shim_catch() in shim/fiber.h), does what has
to come in between, and the fiber that was caught goes on when no other may run.
Where many tasks have to leave their worker, there are enough of them for any seed.

inputs("ring") gives them as bytes, each under a few seeds, since which process takes
the next action is still random. corpus.py puts them beside the corpus.

For: corpus.py. Numbers are those of act() and begin() in ring.c, of enum shim_at and of
<linux/wsq.h>.

Cost: nothing. Limitations: one fiber is caught at a time.
"""
SEEDS = range(1, 5)

AT_XCHG, AT_CMPXCHG = 1, 2
IDS, POLL = 1 << 1, 1 << 3
CANCEL_ID = 0
OP_FILL = 4

# What begin() reads: how many workers, the seed; fibers change when they wait only.
ONE_WORKER, TWO_WORKERS, THREE_WORKERS = 0 << 3, 1 << 3, 2 << 3


def begin(how, seed):
    return bytes([how, *seed.to_bytes(2, "little")])


# Actions of act(). The second byte gives the file, 0, as its remainder by 3.

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
    """Fill the first so many KiB of the arena: 40 entries, all alike, or more."""
    length = bytes([0xf0 + kib // 4, 0])
    return bytes([0, 0, 32 | (forties - 1), OP_FILL, 0]) + bytes(2) + length + bytes(4) + bytes(1)


def submit_polled(what, nr=1):
    """Store entries and sq_tail, and wake the poller if its flag asks for that."""
    return bytes([5, 0, what | (nr - 1)]) + ENTRY * nr


def cancel_last(back=0):
    """By its id, the request that was submitted last, or one of those before it."""
    how = next(how for how in range(back << 2, back + 1 << 2) if how % 3 == CANCEL_ID)
    return bytes([9, 0, how])


def catch(at, wait=False):
    return bytes([22, 192 if wait else 129, at])


HOLD_WORKERS, RELEASE_WORKERS = bytes([20, 129]), bytes([20, 0])
# A process may be switched out in the middle of an action, and the other one takes the
# next. This one leaves it the time to finish.
PAUSE = bytes([14, 48])

CASES = {
    # The poller has seen nothing, and has not yet said that it sleeps. What is stored
    # now is its to find when it looks once more.
    "poller-look": (ONE_WORKER, setup(POLL) + PAUSE + catch(AT_XCHG, wait=True) + submit_polled(NOPS)),
    # CANCEL has seen a request queued. A worker runs it, and then it is too late.
    "cancel-race": (TWO_WORKERS, setup(IDS) + PAUSE + HOLD_WORKERS + enter(PROBES) + PAUSE +
                    catch(AT_CMPXCHG) + cancel_last() + RELEASE_WORKERS + PAUSE),
    # All requests but the first of a batch are cancelled by a flag alone.
    "cancel-bundle": (THREE_WORKERS, setup(IDS) + PAUSE + HOLD_WORKERS + enter(NOPS, 3) + PAUSE +
                      cancel_last() + PAUSE + cancel_last(1)),
    # About half of these tasks leave their worker. Once as many have left as may at a
    # time, all others wait, and each one that ends hands its struct on to one of them.
    "cont": (ONE_WORKER, setup_large(32) + PAUSE + HOLD_WORKERS + enter_fills(2, 20) + PAUSE +
             RELEASE_WORKERS),
}


def inputs(target):
    if target != "ring":
        return []
    return [begin(how, seed) + actions for how, actions in CASES.values() for seed in SEEDS]
