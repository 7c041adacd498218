/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far a container has grown. For the suites of growth and of failing
 * allocations.
 */
#ifndef _WSQ_TESTS_GROW_H
#define _WSQ_TESTS_GROW_H

#include <linux/minmax.h>
#include <linux/preempt.h>

#include "../engine/engine.h"

/*
 * Blocks or chunks that a CPU's engine has now; 0 without memory. Of an engine
 * that is not known here: each of its segments doubles them, up to the maximum.
 */
static inline u32 grow_blocks(const struct wsq_container *ct)
{
	const struct wsq_bwos_lifo_mem *lifo;
	const struct wsq_engine *segment;
	const struct wsq_bwos_mem *mem;
	u32 nr = 0;

	/* Keep a queue's memory from being freed. */
	preempt_disable();
	if (ct && READ_ONCE(ct->engine)) {
		switch (ct->kind) {
		case WSQ_BWOS_FIFO:
			/* Cleared before @engine. */
			mem = (struct wsq_bwos_mem *)(uintptr_t)
				atomic64_read_acquire(&ct->state.bwos_fifo.mem);
			nr = mem ? wsq_bwos_nr_entries(&mem->dir) : 0;
			break;
		case WSQ_BWOS_LIFO:
			lifo = (struct wsq_bwos_lifo_mem *)(uintptr_t)
				atomic64_read_acquire(&ct->state.bwos_lifo.q.mem);
			nr = lifo ? wsq_bwos_nr_entries(&lifo->dir) : 0;
			break;
		case WSQ_SALSA:
			nr = READ_ONCE(wsq_engine_salsa(ct)->nr_chunks);
			break;
		default:
			nr = ct->pool->blocks;
			segment = READ_ONCE(ct->engine);
			while ((segment = READ_ONCE(segment->next)))
				nr = min(2 * nr, ct->pool->max_blocks);
			break;
		}
	}
	preempt_enable();
	return nr;
}

#endif /* _WSQ_TESTS_GROW_H */
