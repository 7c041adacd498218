/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What both BWoS queues have: how many blocks of what size, positions, and room
 * for tasks in claimed slots.
 *
 * A position is one 64-bit word, round above index, so that one compare covers
 * both. What a round counts, and what else a block has, is each queue's own
 * business (bwos_fifo.h, bwos_lifo.h).
 *
 * For: those two. Costs and accesses: none.
 */
#ifndef _WSQ_CORE_BWOS_H
#define _WSQ_CORE_BWOS_H

#include <wsq_platform.h>

#define WSQ_BWOS_MIN_BLOCKS	2
#define WSQ_BWOS_MAX_BLOCKS	64
#define WSQ_BWOS_MIN_BLOCK_SIZE	2
#define WSQ_BWOS_MAX_BLOCK_SIZE	4096

/*
 * 13 bits hold the index 4096. 51 bits of round last 260 days at one every
 * 10 ns, and only a thief asleep for exactly that long could be fooled.
 */
#define WSQ_BWOS_IDX_BITS	13
#ifndef WSQ_BWOS_ROUND_BITS
#define WSQ_BWOS_ROUND_BITS	51
#endif

#define WSQ_BWOS_IDX_MASK	((1ULL << WSQ_BWOS_IDX_BITS) - 1)
#define WSQ_BWOS_ROUND_ONE	(WSQ_BWOS_IDX_MASK + 1)
#define WSQ_BWOS_ROUND_MASK	\
	(((1ULL << WSQ_BWOS_ROUND_BITS) - 1) << WSQ_BWOS_IDX_BITS)

static inline u64 wsq_bwos_idx(u64 pos)
{
	return pos & WSQ_BWOS_IDX_MASK;
}

static inline u64 wsq_bwos_round(u64 pos)
{
	return pos & WSQ_BWOS_ROUND_MASK;
}

/* The round after that of @pos, with index 0. */
static inline u64 wsq_bwos_next_round(u64 pos)
{
	return (wsq_bwos_round(pos) + WSQ_BWOS_ROUND_ONE) & WSQ_BWOS_ROUND_MASK;
}

/* A claim's answer: a task was here, and somebody took it out. */
#define WSQ_TOMB		((void *)-2L)

/**
 * struct wsq_bwos_room - room for tasks, between reserve and commit
 * @b: the producer's position
 * @nr: number of the first slot
 * @n: slots there are in a row
 */
struct wsq_bwos_room {
	u64 b;
	u32 nr;
	u32 n;
};

#endif /* _WSQ_CORE_BWOS_H */
