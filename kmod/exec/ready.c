// SPDX-License-Identifier: GPL-2.0
/*
 * Ready bits. exec.h has the protocol.
 */
#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "../compat/export.h"
#include "exec.h"

static inline unsigned int wsq_leaf_word(u32 id)
{
	return id / 64;
}

static bool wsq_leaf_empty(const struct wsq_cpu *c, unsigned int word)
{
	return find_next_bit(c->leaf, (word + 1) * 64, word * 64) >=
	       (word + 1) * 64;
}

/* The summary is one word: on 32-bit machines two leaf words share a bit. */
static inline unsigned int wsq_summary_bit(unsigned int word)
{
	return word % BITS_PER_LONG;
}

static bool wsq_summary_empty(const struct wsq_cpu *c, unsigned int word)
{
	unsigned int w;

	for (w = wsq_summary_bit(word); w < WSQ_LEAF_WORDS; w += BITS_PER_LONG)
		if (!wsq_leaf_empty(c, w))
			return false;
	return true;
}

/*
 * Something waits for a CPU's worker: wake the worker if it is parked. Start
 * the watchdog if the worker may come late: it is awake, and may be in a long
 * item, or another thread has the CPU. Preemption is off.
 */
static void wsq_ready_notify(struct wsq_cpu *c)
{
	bool late;

	if (wsq_parked(&c->park)) {
		late = wsq_kept_off(c);
		if (wsq_wake_cpu(c) && !late)
			return;
	}
	wsq_watchdog_start(c);
}

/* A bit of leaf word @word was set. Preemption is off. */
static void wsq_summary_mark(struct wsq_cpu *c, unsigned int word)
{
	/* RD(summary:A) */
	test_and_set_bit(wsq_summary_bit(word), &c->summary);
	if (likely(READ_ONCE(c->worker)))
		wsq_ready_notify(c);
	else
		wsq_wake_all(NULL, c);
}

/*
 * Clear the summary bit of a leaf word that has become empty. Any context may,
 * with preemption off. A worker that finds the bit clear in between may park,
 * so a context that sets it again must wake the worker, as a put does.
 */
static void wsq_summary_tidy(struct wsq_cpu *c, unsigned int word)
{
	if (!wsq_summary_empty(c, word))
		return;
	clear_bit(wsq_summary_bit(word), &c->summary);	/* RD(tidy:A) */
	smp_mb__after_atomic();				/* RD(tidy:B) */
	if (!wsq_summary_empty(c, word))
		wsq_summary_mark(c, word);
}

/**
 * wsq_ready_mark() - notify a CPU that a queue has work for it
 * @c: the CPU
 * @id: the queue's number
 *
 * Context: as wsq_wake_cpu(). If @c is not this CPU, the caller published the
 * item with a full barrier.
 */
void wsq_ready_mark(struct wsq_cpu *c, u32 id)
{
	if (test_and_set_bit(id, c->leaf))		/* RD(mark:A) */
		return;
	/* Always: the summary bit may be set, but about to be cleared. */
	wsq_summary_mark(c, wsq_leaf_word(id));
}

/**
 * wsq_put_behind() - an item was put, and its worker may not come soon
 * @c: the CPU
 * @id: number of the item's queue, whose ready bit was found set
 *
 * The worker may sleep in an item, or be in it for long.
 *
 * Context: as wsq_ready_mark().
 */
void wsq_put_behind(struct wsq_cpu *c, u32 id)
{
	/* wsq_release() or wsq_worker_runs() looks at a held queue again. */
	if (unlikely(test_bit(id, c->held)))
		wsq_watchdog_start(c);
	else
		wsq_ready_notify(c);
}

/**
 * wsq_ready_unmark() - clear the ready bit of a queue that seems empty here
 * @c: the CPU
 * @id: the queue's number
 * @lane: its lane here
 *
 * Context: the worker, with preemption off.
 */
void wsq_ready_unmark(struct wsq_cpu *c, u32 id, struct wsq_lane *lane)
{
	unsigned int word = wsq_leaf_word(id);

	clear_bit(id, c->leaf);				/* RD(unmark:A) */
	smp_mb__after_atomic();				/* RD(unmark:B) */
	if (!wsq_lane_idle(lane)) {
		wsq_ready_mark(c, id);
		return;
	}
	wsq_summary_tidy(c, word);
}

/**
 * wsq_ready_drop() - clear the ready bit of a queue that this CPU has left
 * @c: the CPU
 * @id: the queue's number
 *
 * Context: the worker, with preemption off.
 */
void wsq_ready_drop(struct wsq_cpu *c, u32 id)
{
	clear_bit(id, c->leaf);				/* RD(drop:A) */
	smp_mb__after_atomic();				/* RD(drop:B) */
	wsq_summary_tidy(c, wsq_leaf_word(id));
}

/**
 * wsq_ready_tidy() - clear summary bits without a leaf bit
 * @c: the CPU
 *
 * A put on another CPU sets the leaf bit, then the summary bit. In between, the
 * worker may see the leaf bit, because another queue has set the summary bit,
 * run the item and clear both. Then the put sets a summary bit without a leaf
 * bit, and the worker would never park.
 *
 * Context: the worker.
 */
void wsq_ready_tidy(struct wsq_cpu *c)
{
	unsigned int bit;

	preempt_disable();
	for (bit = 0; bit < min(WSQ_LEAF_WORDS, BITS_PER_LONG); bit++) {
		if (test_bit(bit, &c->summary))
			wsq_summary_tidy(c, bit);
	}
	preempt_enable();
}

/**
 * wsq_ready_forget() - clear the ready bits of a queue that is freed
 * @q: the queue
 *
 * Context: task. No context puts to the queue any more, no worker serves it.
 */
void wsq_ready_forget(const struct wsq *q)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct wsq_cpu *c = wsq_cpu_of(q, cpu);

		preempt_disable();
		clear_bit(q->id, c->leaf);		/* RD(forget:A) */
		/* Clear, then look: as in wsq_ready_unmark(). */
		smp_mb__after_atomic();			/* RD(forget:B) */
		wsq_summary_tidy(c, wsq_leaf_word(q->id));
		preempt_enable();
	}
}

/**
 * wsq_ready_next() - the next queue that has work for a CPU
 * @c: the CPU
 * @from: where to begin
 *
 * Context: any.
 * Return: its number, the first from @from upwards, then from 0;
 * %WSQ_MAX_QUEUES if there is none.
 */
u32 wsq_ready_next(const struct wsq_cpu *c, u32 from)
{
	const unsigned long summary = READ_ONCE(c->summary);
	unsigned int turn = 0, start = wsq_leaf_word(from);

	/* A put that comes now wakes a worker that parks for lack of items. */
	while (summary && turn <= WSQ_LEAF_WORDS) {
		unsigned int word = (start + turn) % WSQ_LEAF_WORDS;
		unsigned int at = wsq_summary_bit(word);
		unsigned long ahead = summary >> at, bit;

		if (!(ahead & 1)) {
			/* Skip all empty words. */
			turn += ahead ? __ffs(ahead) : BITS_PER_LONG - at;
			continue;
		}
		bit = find_next_bit(c->leaf, (word + 1) * 64,
				    turn ? word * 64 : from);
		if (bit < (word + 1) * 64)
			return bit;
		turn++;
	}
	return WSQ_MAX_QUEUES;
}
WSQ_EXPORT_KUNIT(wsq_ready_next);

/**
 * wsq_ready_in() - the next queue that the worker of a CPU may serve
 * @c: the CPU
 * @from: the first number to look at
 * @end: the last one, plus 1
 *
 * Context: any.
 * Return: the first number that has work and is not held; %WSQ_MAX_QUEUES if
 * there is none.
 */
u32 wsq_ready_in(const struct wsq_cpu *c, u32 from, u32 end)
{
	const unsigned long summary = READ_ONCE(c->summary);
	unsigned int word = wsq_leaf_word(from);

	while (word * 64 < end) {
		unsigned long ahead = summary >> wsq_summary_bit(word);
		u32 stop;

		if (!(ahead & 1)) {
			/* Skip all empty words. */
			word += ahead ? __ffs(ahead) :
				BITS_PER_LONG - wsq_summary_bit(word);
			continue;
		}
		stop = min(end, (word + 1) * 64);
		from = max(from, word * 64);
		for (from = find_next_bit(c->leaf, stop, from); from < stop;
		     from = find_next_bit(c->leaf, stop, from + 1)) {
			if (likely(!test_bit(from, c->held)))
				return from;
		}
		word++;
	}
	return WSQ_MAX_QUEUES;
}

/**
 * wsq_ready_own() - wsq_ready_in() of all queues
 * @c: the CPU
 * @from: where to begin
 *
 * Context: any.
 * Return: its number, the first from @from upwards, then from 0;
 * %WSQ_MAX_QUEUES if there is none.
 */
u32 wsq_ready_own(const struct wsq_cpu *c, u32 from)
{
	u32 id = wsq_ready_in(c, from, WSQ_MAX_QUEUES);

	return id < WSQ_MAX_QUEUES || !from ? id : wsq_ready_in(c, 0, from);
}
