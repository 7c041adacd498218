/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The FIFO BWoS as the tests of engines see it. A program that includes
 * "engine.h" is built once for each engine, with that engine's folder on its
 * include path; engine.mk names the programs. Relacy's clients include it, too.
 *
 * engine(put)() and so on are the operations of kmod/core. Operations that an
 * engine lacks, or has with other parameters, are functions with other names
 * here.
 */
#ifndef _WSQ_SELFTESTS_ENGINE_H
#define _WSQ_SELFTESTS_ENGINE_H

#include "bwos_fifo.h"

#define ENGINE_NAME		"bwos_fifo"
#define engine(op)		wsq_bwos_fifo_##op

/* Whether the owner gets the newest task. */
#define ENGINE_LIFO		0
/* Whether put and get may be on two threads. */
#define ENGINE_SPLIT		1
/* Where a thief that reads first is about to claim. */
#define ENGINE_CLAIM		"BF(steal:H)"

typedef struct wsq_bwos_fifo engine_queue;
typedef struct wsq_bwos_mem engine_mem;
typedef struct wsq_bwos_segment engine_segment;
typedef struct wsq_bwos_block engine_block;

/* State of a queue beside its memory. */
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

/* Engine-specific parts of @mem; @words makes an array of zeroed words. */
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

/* Takes the newer half of the owner's unpublished tasks. */
static inline int engine_halve(engine_queue *q, void **tasks, u32 max)
{
	return engine(halve)(q, tasks, max, 2);
}

/* Number of stealable tasks of one block, selected by @rnd. */
static inline u32 engine_look(const engine_queue *q, u32 rnd, u32 *index)
{
	return engine(sample)(q, rnd, index);
}

/* Publishes the owner's tasks to thieves. The FIFO's put does that itself. */
static inline int engine_publish(engine_queue *q)
{
	(void)q;
	return WSQ_OK;
}

static inline void *engine_claim_oldest(engine_queue *q)
{
	return engine(claim)(q);
}

/* Slot @k of the reserved ones. */
static inline wsq_slot_t *engine_slot(const engine_queue *q,
				      const struct wsq_bwos_space *space, u32 k)
{
	return &q->p.slots[wsq_bwos_idx(space->b) + k];
}

/* Free slots of the block that puts go to. */
static inline u64 engine_left(const engine_queue *q)
{
	return q->p.block_size - wsq_bwos_idx((u64)atomic64_read(&q->p.blk->b_pos));
}

/* Do the blocks form one ring, in either direction? */
static inline bool engine_ring(const engine_mem *mem)
{
	(void)mem;
	return true;
}

/* The least capacity of an empty queue with that many slots. */
static inline u64 engine_capacity(u64 entries, u64 block_size)
{
	/* A block is free once all of it has been read. */
	return (entries - 1) * block_size + 1;
}

/*
 * The same while thieves may be between claim and count, with (@spare) or
 * without a spare block for each. Producer and consumer may be at the end of
 * one block.
 */
static inline u64 engine_capacity_held(u64 entries, u64 block_size, bool spare)
{
	(void)entries;
	(void)block_size;
	return spare;
}

/* Is a block of detached memory in its initial state? */
static inline bool engine_block_drained(const engine_block *blk, u32 block_size)
{
	u64 b = (u64)atomic64_read(&blk->b_pos);

	return (u64)atomic64_read(&blk->f_pos) == b &&
	       (u64)atomic64_read(&blk->s_cnt) == (wsq_bwos_round(b) | block_size);
}

#endif /* _WSQ_SELFTESTS_ENGINE_H */
