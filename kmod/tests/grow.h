/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far a container has grown. For the suites of growth and of allocations that
 * fail.
 */
#ifndef _WSQ_TESTS_GROW_H
#define _WSQ_TESTS_GROW_H

#include <linux/preempt.h>

#include "../engine/engine.h"

/* Blocks or chunks that a CPU's engine has by now; 0 without memory. */
static inline u32 grow_blocks(const struct wsq_container *ct)
{
	const struct wsq_bwos_lifo_mem *lifo;
	const struct wsq_bwos_mem *mem;
	u32 nr = 0;

	/* A queue's memory may go. */
	preempt_disable();
	if (ct && READ_ONCE(ct->engine)) {
		switch (ct->kind) {
		case WSQ_BWOS:
			/* Gone before @engine, if it goes. */
			mem = (struct wsq_bwos_mem *)(uintptr_t)
				atomic64_read_acquire(&ct->state.bwos.mem);
			nr = mem ? wsq_bwos_places(&mem->dir) : 0;
			break;
		case WSQ_BWOS_LIFO:
			lifo = (struct wsq_bwos_lifo_mem *)(uintptr_t)
				atomic64_read_acquire(&ct->state.lifo.q.mem);
			nr = lifo ? wsq_bwos_places(&lifo->dir) : 0;
			break;
		case WSQ_SALSA:
			nr = READ_ONCE(wsq_engine_salsa(ct)->nr_chunks);
			break;
		default:
			break;
		}
	}
	preempt_enable();
	return nr;
}

#endif /* _WSQ_TESTS_GROW_H */
