/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work stealing with multiplicity, strict: a FIFO of tasks in which only
 * operations that overlap can take the same task, without a read-modify-write
 * or a fence on either side.
 *
 * A. Castañeda, M. Piña, "Fully Read/Write Fence-Free Work-Stealing with
 * Multiplicity" (2020): WS-MULT (figure 3). The head, a number up to which all
 * tasks have been taken, is in a MaxRegister (max_register.h), so no slow party
 * can set it back. The tasks are in memory without end (tasks.h).
 *
 * - each task is taken at least once: a party writes n + 1 only if it has just
 *   taken n, and it looked for n because all before n were taken
 * - of two takes of one task, none precedes the other: the first writes n + 1
 *   before it ends, and the second's read would return that. So no party takes
 *   a task twice, and at most as many parties take a task as run at a time
 * - all parties take in the order of puts
 *
 * A party is a CPU; party 0 is the owner.
 *
 * Compared with kmod/core/ws_mult.h: there, a party that was away may take
 * tasks again that other parties took long ago. Here it takes none of them, and
 * nothing like wsq_ws_mult_settle() is needed: once a task was taken, and each
 * CPU has passed a grace period, it does not come out again. The price is the
 * register, for the owner as well.
 *
 * For: the experiments of run, unit/mult_strict.c and stress/spanning.c.
 * Memory comes from the caller, so this could be in kmod/core.
 *
 * Cost: put: two stores, one of them a release. Get and steal: a read and a
 * write of the register, and two load-acquires.
 *
 * Limitations: those of tasks.h and of the register: no memory is used again,
 * so the size is that of all tasks ever put: 8 bytes each, as much again for a
 * growing array's former arrays, and 16 for the tree.
 *
 * Operation against operation; put and get are on one CPU, and put may
 * interrupt get between any two accesses; a thief is interrupted by none of the
 * same CPU's steals:
 *
 *		put	get	steal	grow
 *	put	 -	 +	  +	 -
 *	get	 +	 -	  +	 -
 *	steal	 +	 +	  +	 +
 *	grow	 -	 -	  +	 -
 *
 * It has no shared accesses of its own: labels and pairs are in tasks.h and
 * max_register.h. What rests on both together:
 *
 *	MR(flat:B) or MR(set:B) release -> MR(flat:A) or MR(read:A), MR(read:C) acquire,
 *	then TA(find:A), TA(find:B) acquire
 *		A thief that begins where another party has ended sees the
 *		memory that this party saw.
 */
#ifndef _WSQ_BENCH_MULT_WS_MULT_STRICT_H
#define _WSQ_BENCH_MULT_WS_MULT_STRICT_H

#include "max_register.h"
#include "tasks.h"

/**
 * struct wsq_ws_strict - a queue
 * @tasks: the tasks
 * @head: all tasks below have been taken. Any party
 * @max_tail: put stops before this number, for which the tree has no memory. Owner
 */
struct wsq_ws_strict {
	struct wsq_tasks tasks;
	u64 max_tail;
	struct wsq_max_register head WSQ_CACHE_ALIGNED;
};

/**
 * struct wsq_ws_strict_party - a party of a queue
 * @nr: its number; 0 for the owner. Constant
 * @cursor: linked: the node in which it looked last. The party
 *
 * Only the party touches it.
 */
struct wsq_ws_strict_party {
	struct wsq_tasks_node *cursor;
	u32 nr;
} WSQ_CACHE_ALIGNED;

/**
 * wsq_ws_strict_init() - initialize a queue
 * @q: the queue
 * @node: the first memory of its tasks, as for wsq_tasks_init()
 * @own: flat: an array with 0 for each party; tree: %NULL, and
 *	wsq_ws_strict_grow_head() follows
 * @nr_parties: number of parties
 *
 * Context: before any other context knows @q.
 */
static inline void wsq_ws_strict_init(struct wsq_ws_strict *q, struct wsq_tasks_node *node,
				      struct wsq_max_own *own, u32 nr_parties)
{
	wsq_tasks_init(&q->tasks, node);
	wsq_max_init(&q->head, own, nr_parties);
	q->max_tail = own ? ~0ULL : 0;
}

/**
 * wsq_ws_strict_join() - initialize a party
 * @q: the queue
 * @party: the party
 * @nr: its number
 *
 * Context: before the party's first operation.
 */
static inline void wsq_ws_strict_join(struct wsq_ws_strict *q, struct wsq_ws_strict_party *party,
				      u32 nr)
{
	party->cursor = q->tasks.head;
	party->nr = nr;
}

/**
 * wsq_ws_strict_needs_head() - does the tree need a segment for the next put
 * @q: the queue, after %WSQ_FULL
 * @segment: if so, which
 *
 * Context: the owner.
 * Return: true if so; false if the tasks need memory.
 */
static inline bool wsq_ws_strict_needs_head(const struct wsq_ws_strict *q, u32 *segment)
{
	u64 n = wsq_tasks_tail(&q->tasks);

	*segment = wsq_max_segment(n + 1);
	return n >= q->max_tail;
}

/**
 * wsq_ws_strict_grow_head() - add a segment to the tree
 * @q: the queue
 * @segment: which: all of them in order, from 0
 * @switches: its memory, as for wsq_max_add()
 *
 * Context: the owner; no put and no get of this CPU at the same time.
 */
static inline void wsq_ws_strict_grow_head(struct wsq_ws_strict *q, u32 segment,
					   atomic64_t *switches)
{
	wsq_max_add(&q->head, segment, switches);
	/* The party that takes n writes n + 1, at most 2^(k+1) - 2. */
	q->max_tail = 2 * wsq_max_switches(segment) - 2;
}

/**
 * wsq_ws_strict_put() - append a task
 * @q: the queue
 * @task: not %NULL
 *
 * Context: any; the producer.
 * Return: %WSQ_OK; %WSQ_FULL if memory is needed: wsq_ws_strict_needs_head().
 * Ordering: what precedes the call is visible to each party that takes the task.
 */
static __always_inline int wsq_ws_strict_put(struct wsq_ws_strict *q, void *task)
{
	if (unlikely(wsq_tasks_tail(&q->tasks) >= q->max_tail))
		return WSQ_FULL;
	return wsq_tasks_put(&q->tasks, task);
}

/**
 * wsq_ws_strict_get() - take the oldest task
 * @q: the queue
 * @way: WSQ_TASKS_*, the same for all parties
 * @kind: WSQ_MAX_*, the same for all parties
 * @owner: party 0
 *
 * Context: any but NMI; the consumer.
 * Return: the task; %NULL if there is none.
 * Ordering: sees what the put saw.
 */
static __always_inline void *wsq_ws_strict_get(struct wsq_ws_strict *q, u32 way, u32 kind,
					       struct wsq_ws_strict_party *owner)
{
	u64 h = wsq_max_read(&q->head, kind);
	void *task;

	if (h >= wsq_tasks_tail(&q->tasks))
		return NULL;
	task = wsq_tasks_task(wsq_tasks_find(&q->tasks, way, &owner->cursor, h));
	wsq_max_write(&q->head, kind, 0, h + 1);
	return task;
}

/**
 * wsq_ws_strict_steal() - take the oldest task from another CPU
 * @q: the queue
 * @way: WSQ_TASKS_*, the same for all parties
 * @kind: WSQ_MAX_*, the same for all parties
 * @thief: the calling CPU's party
 * @taken: where to store the task
 *
 * Context: any; the only steal on this CPU.
 * Return: %WSQ_OK; %WSQ_EMPTY if there was nothing at some moment.
 * Ordering: sees what the put saw.
 */
static __always_inline int wsq_ws_strict_steal(struct wsq_ws_strict *q, u32 way, u32 kind,
					       struct wsq_ws_strict_party *thief, void **taken)
{
	u64 h = wsq_max_read(&q->head, kind);
	wsq_slot_t *slot = wsq_tasks_find(&q->tasks, way, &thief->cursor, h);
	void *task;

	if (!slot)
		return WSQ_EMPTY;
	task = wsq_tasks_task(slot);
	if (!task)
		return WSQ_EMPTY;
	wsq_max_write(&q->head, kind, thief->nr, h + 1);
	*taken = task;
	return WSQ_OK;
}

/**
 * wsq_ws_strict_waiting() - is there a task that no party has taken
 * @q: the queue
 * @kind: WSQ_MAX_*
 *
 * Context: any.
 * Return: true if so; on another CPU than the owner's a hint.
 */
static __always_inline bool wsq_ws_strict_waiting(struct wsq_ws_strict *q, u32 kind)
{
	return wsq_max_read(&q->head, kind) < wsq_tasks_tail(&q->tasks);
}

#endif /* _WSQ_BENCH_MULT_WS_MULT_STRICT_H */
