/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks in the order of their puts, numbered from 0, in memory without end:
 * section 6 of A. Castañeda, M. Piña, "Fully Read/Write Fence-Free Work-Stealing
 * with Multiplicity" (2020). One producer; any context may look a task up.
 *
 * %WSQ_TASKS_GROWING: one array of slots. Where it is full, the producer copies
 * it to an array of at least twice the size. A number is an index.
 * %WSQ_TASKS_LINKED: a list of arrays of any size. Each party keeps a cursor,
 * the node in which it looked last, and goes on from there, because it never
 * looks for a lower number than before.
 *
 * A slot is empty until its task is put. A put empties the second slot behind
 * its own, so there is always an empty slot behind the newest task, in whatever
 * order the two stores become visible: the put before has emptied the next one.
 * The first two slots of new memory are emptied when it is added. Therefore
 * memory need not be initialized.
 *
 * For: ws_mult_strict.h and ws_wmult.h. Memory comes from the caller, so this
 * could be in kmod/core.
 *
 * Cost: put: two stores, one of them a release. Find: one acquire; linked,
 * another for each array that the party enters.
 *
 * Limitations: no memory is used again. Arrays that were replaced or left are
 * the caller's once no party can still be in an operation that began before;
 * this header does not say when. The ring of kmod/core/ws_mult.h has neither
 * limitation.
 *
 * Accesses bear labels TA(operation:letter). Pairs, and what rests on each:
 *
 *	TA(put:C) release -> TA(task:A) acquire
 *		A party that sees a task sees what preceded its put, and the
 *		next slot as a task or empty, not as it was in new memory.
 *	TA(grow:C) release -> TA(find:A) acquire
 *		A party that sees a new array sees all tasks put before it was
 *		added.
 *	TA(grow:F) release -> TA(find:B) acquire
 *		A party that sees a node sees its first two slots empty.
 *	TA(put:D) -> TA(tail:A), local
 *		The consumer looks for tasks that were put.
 *
 * The orders of TA(grow:A) and TA(mark:A) are not needed: the producer has put
 * the tasks itself, and a party that marks a task has seen it before.
 *
 * A party that looks for number n has learnt, by an acquire, from the party
 * that took n - 1, that all before n were taken. So it sees the memory in which
 * n - 1 was. If it does not see the memory in which n is to be, n had not been
 * put before the call, as far as the party could know.
 */
#ifndef _WSQ_BENCH_MULT_TASKS_H
#define _WSQ_BENCH_MULT_TASKS_H

#include <wsq_platform.h>

#include "status.h"

#define WSQ_TASKS_GROWING	0
#define WSQ_TASKS_LINKED	1

/**
 * struct wsq_tasks_node - an array of slots
 * @first: number of the task in its first slot; 0 if growing. Constant
 * @size: slots, at least 2. Constant
 * @older: growing: the array that this one has replaced. Owner
 * @next: linked: the node behind; %NULL if there is none. Producer
 * @slots: of the tasks. Producer
 * @marks: linked: one for each task, or %NULL. Not %NULL until a party has
 *	marked the task. Producer, then any party by exchange
 */
struct wsq_tasks_node {
	u64 first;
	u64 size;
	struct wsq_tasks_node *older;
	wsq_slot_t next;
	wsq_slot_t *slots;
	wsq_slot_t *marks;
};

/**
 * struct wsq_tasks - the tasks
 * @array: growing: the array in use. Owner
 * @last: the node with the newest tasks; growing: the array in use. Owner
 * @head: linked: the first node, for the caller and for new cursors. Constant
 * @tail: number of the next task. Producer; others read it
 *
 * Thieves read the first cache line, and @tail only for a hint.
 */
struct wsq_tasks {
	wsq_slot_t array;
	struct wsq_tasks_node *head;
	struct wsq_tasks_node *last WSQ_CACHE_ALIGNED;
	atomic64_t tail;
};

/**
 * wsq_tasks_init() - initialize without tasks
 * @t: the tasks
 * @node: the first memory: @size, @slots and @marks are set
 *
 * Context: before any other context knows @t.
 */
static inline void wsq_tasks_init(struct wsq_tasks *t, struct wsq_tasks_node *node)
{
	node->first = 0;
	node->older = NULL;
	wsq_slot_reset(&node->next);
	wsq_slot_reset(&node->slots[0]);
	wsq_slot_reset(&node->slots[1]);
	wsq_slot_publish(&t->array, node);
	t->head = node;
	t->last = node;
	atomic64_set(&t->tail, 0);
}

/**
 * wsq_tasks_put() - append a task
 * @t: the tasks
 * @task: not %NULL
 *
 * Context: any; the producer.
 * Return: %WSQ_OK, or %WSQ_FULL: wsq_tasks_grow().
 * Ordering: what precedes the call is visible to each party that finds the task.
 */
static __always_inline int wsq_tasks_put(struct wsq_tasks *t, void *task)
{
	struct wsq_tasks_node *node = t->last;
	u64 n = (u64)atomic64_read(&t->tail);			/* TA(tail:B) */
	u64 i = n - node->first;

	if (unlikely(i == node->size))
		return WSQ_FULL;
	if (likely(i + 2 < node->size))
		wsq_slot_reset(&node->slots[i + 2]);		/* TA(put:A) */
	if (node->marks)
		wsq_slot_write(&node->marks[i], node);		/* TA(put:B) */
	wsq_slot_publish(&node->slots[i], task);		/* TA(put:C) */
	wsq_local_set(&t->tail, n + 1);				/* TA(put:D) */
	return WSQ_OK;
}

/**
 * wsq_tasks_grow() - add memory
 * @t: the tasks, after %WSQ_FULL
 * @way: WSQ_TASKS_*
 * @node: the memory: @size, @slots and @marks are set. Growing: at least twice
 *	the size of the last, no @marks
 *
 * Growing copies all tasks, the oldest included: a thief that is late may still
 * look for them.
 *
 * Context: the owner; no put and no get of this CPU at the same time.
 */
static inline void wsq_tasks_grow(struct wsq_tasks *t, u32 way, struct wsq_tasks_node *node)
{
	u64 n = (u64)atomic64_read(&t->tail), i;		/* TA(tail:C) */
	u64 at = way == WSQ_TASKS_GROWING ? n : 0;

	for (i = 0; i < at; i++)
		wsq_slot_publish(&node->slots[i],		/* TA(grow:A) */
				 wsq_slot_peek(&t->last->slots[i])); /* TA(grow:B) */
	wsq_slot_reset(&node->slots[at]);			/* TA(grow:D) */
	wsq_slot_reset(&node->slots[at + 1]);			/* TA(grow:E) */
	wsq_slot_reset(&node->next);				/* TA(grow:G) */
	node->first = n - at;
	if (way == WSQ_TASKS_GROWING) {
		node->older = t->last;
		wsq_slot_publish(&t->array, node);		/* TA(grow:C) */
	} else {
		node->older = NULL;
		wsq_slot_publish(&t->last->next, node);		/* TA(grow:F) */
	}
	t->last = node;
}

/**
 * wsq_tasks_find() - find the slot of a task
 * @t: the tasks
 * @way: WSQ_TASKS_*
 * @cursor: linked: the caller's cursor, at first @head of @t
 * @n: the task's number, not less than the last that was looked for with @cursor
 *
 * Context: any; one at a time for each cursor. Linked: a step for each node
 * that was added since the last call.
 * Return: the slot; %NULL if there is no memory for it yet.
 */
static __always_inline wsq_slot_t *wsq_tasks_find(struct wsq_tasks *t, u32 way,
						  struct wsq_tasks_node **cursor, u64 n)
{
	struct wsq_tasks_node *node;

	if (way == WSQ_TASKS_GROWING) {
		node = (struct wsq_tasks_node *)wsq_slot_acquire(&t->array); /* TA(find:A) */
		return likely(n < node->size) ? &node->slots[n] : NULL;
	}
	for (node = *cursor; unlikely(n - node->first >= node->size); *cursor = node) {
		node = (struct wsq_tasks_node *)wsq_slot_acquire(&node->next); /* TA(find:B) */
		if (!node)
			return NULL;
	}
	return &node->slots[n - node->first];
}

/* The task of a slot that wsq_tasks_find() returned; %NULL if it is empty. */
static __always_inline void *wsq_tasks_task(const wsq_slot_t *slot)
{
	return wsq_slot_acquire(slot);				/* TA(task:A) */
}

/* Mark task @n, which is in the node of @cursor. Return false if it was marked. */
static __always_inline bool wsq_tasks_mark(struct wsq_tasks_node *cursor, u64 n)
{
	return wsq_slot_claim(&cursor->marks[n - cursor->first]); /* TA(mark:A) */
}

/* Number of the next task; on another CPU than the owner's a hint. */
static __always_inline u64 wsq_tasks_tail(const struct wsq_tasks *t)
{
	return wsq_local_read(&t->tail);			/* TA(tail:A) */
}

#endif /* _WSQ_BENCH_MULT_TASKS_H */
