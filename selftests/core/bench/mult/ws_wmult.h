/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work stealing with weak multiplicity as published, in memory without end.
 *
 * A. Castañeda, M. Piña, "Fully Read/Write Fence-Free Work-Stealing with
 * Multiplicity" (2020): WS-WMULT (figure 7), and B-WS-WMULT, in which thieves
 * mark a task by an exchange (section 5), over the arrays of section 6
 * (tasks.h).
 *
 * For: the experiments of run, which compare it with kmod/core/ws_mult.h, the
 * same algorithm in a ring of blocks. A task comes out at least once, and at
 * most once for each party; bounded, for one thief and the owner.
 *
 * Cost: put: two stores, one of them a release; bounded: three. Get: a load,
 * two load-acquires and a store-release. Steal: as get; bounded: an exchange in
 * addition.
 *
 * Limitations: those of tasks.h. Bounded is for linked arrays only: a thief that
 * marks a task in an array that is being replaced marks it where others no
 * longer look, and a second thief takes the task. The paper does not say how
 * marks are to be copied.
 */
#ifndef _WSQ_BENCH_MULT_WS_WMULT_H
#define _WSQ_BENCH_MULT_WS_WMULT_H

#include "tasks.h"

/**
 * struct ws_wmult - a queue
 * @tasks: the tasks
 * @head: all tasks below have been taken. Any party, by plain stores
 */
struct ws_wmult {
	struct wsq_tasks tasks;
	atomic64_t head WSQ_CACHE_ALIGNED;
};

/**
 * struct ws_wmult_party - a party of a queue
 * @max: begins no lower. The party writes it, others read it as a hint
 * @cursor: linked: the node in which it looked last. The party
 */
struct ws_wmult_party {
	atomic64_t max;
	struct wsq_tasks_node *cursor;
} WSQ_CACHE_ALIGNED;

/* Before any other context knows @q. @node: as for wsq_tasks_init(). */
static inline void ws_wmult_init(struct ws_wmult *q, struct wsq_tasks_node *node)
{
	wsq_tasks_init(&q->tasks, node);
	atomic64_set(&q->head, 0);
}

static inline void ws_wmult_join(struct ws_wmult *q, struct ws_wmult_party *party)
{
	atomic64_set(&party->max, 0);
	party->cursor = q->tasks.head;
}

/* Return WSQ_FULL if wsq_tasks_grow() is needed. */
static __always_inline int ws_wmult_put(struct ws_wmult *q, void *task)
{
	return wsq_tasks_put(&q->tasks, task);
}

/* Where the party begins. */
static __always_inline u64 ws_wmult_begin(struct ws_wmult *q, struct ws_wmult_party *party)
{
	u64 max = (u64)atomic64_read(&party->max);
	u64 h = (u64)atomic64_read_acquire(&q->head);

	return h > max ? h : max;
}

static __always_inline void ws_wmult_end(struct ws_wmult *q, struct ws_wmult_party *party, u64 n)
{
	atomic64_set_release(&q->head, (s64)n);
	atomic64_set(&party->max, (s64)n);
}

/* The owner's. NULL if there is no task. */
static __always_inline void *ws_wmult_get(struct ws_wmult *q, u32 way, struct ws_wmult_party *owner)
{
	u64 h = ws_wmult_begin(q, owner);
	void *task;

	if (h >= wsq_tasks_tail(&q->tasks))
		return NULL;
	task = wsq_tasks_task(wsq_tasks_find(&q->tasks, way, &owner->cursor, h));
	ws_wmult_end(q, owner, h + 1);
	return task;
}

/* NULL if there was nothing at some moment. Bounded: a step for each mark. */
static __always_inline void *ws_wmult_steal(struct ws_wmult *q, u32 way, bool bounded,
					    struct ws_wmult_party *thief)
{
	u64 h = ws_wmult_begin(q, thief);
	wsq_slot_t *slot;
	void *task;

	for (;; h++) {
		slot = wsq_tasks_find(&q->tasks, way, &thief->cursor, h);
		task = slot ? wsq_tasks_task(slot) : NULL;
		if (!task)
			return NULL;
		if (!bounded || wsq_tasks_mark(thief->cursor, h))
			break;
	}
	ws_wmult_end(q, thief, h + 1);
	return task;
}

/* On another CPU than the owner's a hint. */
static __always_inline bool ws_wmult_waiting(struct ws_wmult *q, struct ws_wmult_party *owner)
{
	return ws_wmult_begin(q, owner) < wsq_tasks_tail(&q->tasks);
}

#endif /* _WSQ_BENCH_MULT_WS_WMULT_H */
