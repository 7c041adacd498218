/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of keys: tasks whose data shows whether they ran one at a
 * time and in order.
 *
 * The tasks of a key change the first bytes of a range of the arena in place,
 * some slowly, some at once. A slow task reads them when it begins (it hashes
 * the whole range) and writes them when it ends; a quick one (xor) takes no
 * time and does not commute with it. So if any two overlap, or change places,
 * the final result differs.
 */
#ifndef WSQ_KEYS_H
#define WSQ_KEYS_H

#include "wsq_test.h"

#include <stdbool.h>

#define STRAND_BYTES	8192U
#define STRAND_CELL	32U	/* of a sha256 */

/**
 * struct strand - the tasks of a key
 * @key: their key
 * @off: offset of their range of the arena
 * @pushed: number of tasks
 * @want: expected content of the range when all have run
 */
struct strand {
	uint64_t key;
	uint64_t off;
	uint64_t pushed;
	uint8_t want[STRAND_BYTES];
};

static inline void strand_init(struct strand *s, struct ring *r, uint64_t off,
			       uint64_t key)
{
	uint64_t seed = key * 0x9e3779b97f4a7c15ULL + off + 1;
	unsigned int i;

	s->key = key;
	s->off = off;
	s->pushed = 0;
	for (i = 0; i < STRAND_BYTES; i++)
		s->want[i] = rnd(&seed) >> 24;
	memcpy(r->arena + off, s->want, STRAND_BYTES);
}

/* Pushes the next task; it writes %STRAND_CELL bytes. There must be space. */
static inline void strand_push(struct strand *s, struct ring *r, bool slow,
			       unsigned int flags, unsigned int hint,
			       uint64_t user_data)
{
	struct wsq_sqe sqe = {
		.flags = WSQ_SQE_KEY | flags,
		.hint = hint,
		.key = s->key,
		.user_data = user_data,
		.src = s->off,
		.dst = s->off,
	};
	/* One of the cells behind the first, which do not change. */
	unsigned int from = (1 + s->pushed++ % 8) * STRAND_CELL, i;

	if (slow) {
		sqe.op = WSQ_OP_SHA256;
		sqe.len = STRAND_BYTES;
		ref_sha256(s->want, STRAND_BYTES, s->want);
	} else {
		sqe.op = WSQ_OP_XOR;
		sqe.src += from;
		sqe.len = STRAND_CELL;
		for (i = 0; i < STRAND_CELL; i++)
			s->want[i] ^= s->want[from + i];
	}
	ring_push(r, &sqe);
}

/* Checks the range; all tasks have completed. */
static inline void strand_check(const struct strand *s, const struct ring *r)
{
	if (memcmp(s->want, r->arena + s->off, STRAND_BYTES))
		FAIL("key %#llx: %llu tasks overlapped or changed places",
		     (unsigned long long)s->key,
		     (unsigned long long)s->pushed);
}

/* Long tasks of one key that others have to overtake. */
#define BESIDE_LONGS	12

/*
 * All that was submitted has completed: the hashes, user_data 0, and two nops
 * behind them, 1 of another key and 2 without one. True if the nops did not
 * wait for the hashes, which they do if their CPU is descheduled for that long.
 */
static inline bool went_beside(struct ring *r)
{
	unsigned int i, at[3] = { 0 };

	for (i = 0; i < BESIDE_LONGS + 2; i++) {
		struct wsq_cqe cqe = ring_take(r);

		EXPECT(cqe.user_data < 3);
		EXPECT_EQ(cqe.res, cqe.user_data ? 0 : 32);
		at[cqe.user_data] = i;
	}
	/* A single worker runs one or two hashes in between. */
	return at[1] < BESIDE_LONGS / 2 && at[2] < BESIDE_LONGS / 2;
}

/* @nr hashes have completed; true if not all of them were on one CPU. */
static inline bool had_several_cpus(struct ring *r, unsigned int nr)
{
	unsigned int i, cpus = 0;
	uint64_t seen = 0;

	for (i = 0; i < nr; i++) {
		struct wsq_cqe cqe = ring_take(r);

		EXPECT_EQ(cqe.res, 32);
		cpus += !(seen >> cqe.cpu % 64 & 1);
		seen |= 1ULL << cqe.cpu % 64;
	}
	return cpus > 1;
}

#endif /* WSQ_KEYS_H */
