/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The LIFO BWoS as the tests of engines see it: see ../bwos_fifo/engine.h.
 */
#ifndef _WSQ_SELFTESTS_ENGINE_H
#define _WSQ_SELFTESTS_ENGINE_H

#include "bwos_lifo.h"

#define ENGINE_NAME		"bwos_lifo"
#define engine(op)		wsq_bwos_lifo_##op

#define ENGINE_LIFO		1
#define ENGINE_SPLIT		0
#define ENGINE_CLAIM		"LI(steal:H)"

typedef struct wsq_bwos_lifo engine_queue;
typedef struct wsq_bwos_lifo_mem engine_mem;
typedef struct wsq_bwos_lifo_segment engine_segment;
typedef struct wsq_bwos_lifo_block engine_block;

struct engine_rest {
	char none;
};

static inline void engine_rest_make(struct engine_rest *rest)
{
	(void)rest;
}

static inline void engine_init(engine_queue *q, struct engine_rest *rest)
{
	(void)rest;
	engine(init)(q);
}

static inline void engine_mem_make(engine_mem *mem,
				   void *(*words)(size_t n, size_t size))
{
	mem->below = (u16 *)words(mem->dir.max_entries, sizeof(*mem->below));
}

static inline void engine_mem_unmake(engine_mem *mem, void (*unmake)(void *))
{
	unmake(mem->below);
}

static inline u32 engine_look(const engine_queue *q, u32 rnd, u32 *index)
{
	*index = engine(random_index)(q, rnd);
	return engine(sample)(q, *index);
}

/* The owner gives half away when a thief asks; no thief takes it. */
static inline int engine_halve(engine_queue *q, void **tasks, u32 max)
{
	return engine(steal_active)(q, tasks, max);
}

static inline int engine_publish(engine_queue *q)
{
	return engine(publish)(q);
}

static inline void *engine_claim_oldest(engine_queue *q)
{
	return engine(claim_oldest)(q);
}

static inline wsq_slot_t *engine_slot(const engine_queue *q,
				      const struct wsq_bwos_space *space, u32 k)
{
	return &q->slots[space->b + k];
}

static inline u64 engine_left(const engine_queue *q)
{
	return q->block_size - (u64)atomic64_read(&q->pos);
}

/* Both directions are the same. */
static inline bool engine_ring(const engine_mem *mem)
{
	u32 i;

	for (i = 0; i < wsq_bwos_nr_entries(&mem->dir); i++)
		if (mem->below[wsq_bwos_next(wsq_bwos_at(&mem->dir, i))] != i)
			return false;
	return true;
}

static inline u64 engine_capacity(u64 entries, u64 block_size)
{
	return entries * block_size;
}

/* The owner's block is always usable; with spare blocks all but one are. */
static inline u64 engine_capacity_held(u64 entries, u64 block_size, bool spare)
{
	return spare ? (entries - 1) * block_size + 1 : 1;
}

/* Once the owner has left, positions mean nothing: check the slots. */
static inline bool engine_block_drained(const engine_block *blk, u32 block_size)
{
	(void)blk;
	(void)block_size;
	return true;
}

#endif /* _WSQ_SELFTESTS_ENGINE_H */
