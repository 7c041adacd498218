/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The FIFO BWoS as the tests of engines see it. A program that includes
 * "engine.h" is built once for each engine, with that engine's folder on its
 * include path; engine.mk names the programs. Relacy's clients include it, too.
 *
 * engine(put)() and so on are the operations of kmod/core. Those that an engine
 * has not, or has under other terms, are functions with names of their own here.
 */
#ifndef _WSQ_SELFTESTS_ENGINE_H
#define _WSQ_SELFTESTS_ENGINE_H

#include "bwos_fifo.h"

#define ENGINE_NAME		"bwos_fifo"
#define engine(op)		wsq_bwos_fifo_##op

/* Whether the owner gets the newest task. */
#define ENGINE_LIFO		0
/* Whether put and get may be two threads'. */
#define ENGINE_SPLIT		1
/* Where a thief that reads first is about to claim. */
#define ENGINE_CLAIM		"BF(steal:H)"

typedef struct wsq_bwos_fifo engine_queue;
typedef struct wsq_bwos_mem engine_mem;
typedef struct wsq_bwos_piece engine_piece;
typedef struct wsq_bwos_block engine_block;

/* What a queue needs beside its memory. */
struct engine_rest {
	engine_block none;
};

static inline void engine_rest_make(struct engine_rest *rest)
{
	atomic64_set(&rest->none.b_pos, 0);
	atomic64_set(&rest->none.f_pos, 0);
}

static inline void engine_init(engine_queue *q, struct engine_rest *rest)
{
	engine(init)(q, &rest->none);
}

/* What of @mem no other engine has: made by @words, an array of zeroed words. */
static inline void engine_mem_make(engine_mem *mem,
				   void *(*words)(size_t n, size_t size))
{
	(void)mem;
	(void)words;
}

static inline void engine_mem_unmake(engine_mem *mem, void (*unmake)(void *))
{
	(void)mem;
	(void)unmake;
}

/* How many tasks of one block thieves could take, and of which, by @rnd. */
static inline u32 engine_look(const engine_queue *q, u32 rnd, u32 *place)
{
	return engine(sample)(q, rnd, place);
}

/* Have thieves reach what only the owner does. The FIFO's put does that itself. */
static inline int engine_share(engine_queue *q)
{
	(void)q;
	return WSQ_OK;
}

static inline void *engine_claim_oldest(engine_queue *q)
{
	return engine(claim)(q);
}

/* Slot @k of what was reserved. */
static inline wsq_slot_t *engine_slot(const engine_queue *q,
				      const struct wsq_bwos_room *room, u32 k)
{
	return &q->p.slots[wsq_bwos_idx(room->b) + k];
}

/* The slots that are left in the block that puts go to. */
static inline u64 engine_left(const engine_queue *q)
{
	return q->p.block_size - wsq_bwos_idx((u64)atomic64_read(&q->p.blk->b_pos));
}

/* Are the places one ring, whichever way round an engine walks? */
static inline bool engine_ring(const engine_mem *mem)
{
	(void)mem;
	return true;
}

/* The least that an empty queue of that many slots has room for. */
static inline u64 engine_capacity(u64 places, u64 block_size)
{
	/* A place is free once its block is read up. */
	return (places - 1) * block_size + 1;
}

/*
 * The same while thieves may be between claim and count, with a spare block for each
 * (@spare) or not. Producer and consumer may stand at the end of one block.
 */
static inline u64 engine_capacity_held(u64 places, u64 block_size, bool spare)
{
	(void)places;
	(void)block_size;
	return spare;
}

/* Is a block of memory that no queue has any more as it is to be? */
static inline bool engine_block_spent(const engine_block *blk, u32 block_size)
{
	u64 b = (u64)atomic64_read(&blk->b_pos);

	return (u64)atomic64_read(&blk->f_pos) == b &&
	       (u64)atomic64_read(&blk->s_cnt) == (wsq_bwos_round(b) | block_size);
}

#endif /* _WSQ_SELFTESTS_ENGINE_H */
