/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work stealing with multiplicity: a FIFO of tasks that may be taken more than
 * once, so that neither side needs a read-modify-write or a fence.
 *
 * A. Castañeda, M. Piña, "Fully Read/Write Fence-Free Work-Stealing with
 * Multiplicity" (2020): WS-WMULT (figures 6 and 7), and its bounded and exact
 * variants (section 5). For tasks that do no harm if they run again: scans,
 * marking, checksums, kicks, harvesting of accessed bits.
 *
 * A task has a number, the sequence number of its put. @own and @head are numbers
 * up to which all tasks have been taken. A party that takes task n stores n + 1,
 * the owner in @own, thieves in @head, by a plain store. So @head may go back when
 * a slow thief stores late. Therefore each thief also keeps the highest number
 * that it has stored itself, its maximum. A party begins at the highest number
 * that it reads. A thief that finds no task, but knows of a higher number than
 * it read in @own and @head, stores that: @head does not stay behind. So:
 *
 * - each task is taken at least once: a party stores a number only if it has
 *   just taken the task before it, or has seen it marked, and began there
 *   because all before were taken
 * - no party takes a task twice, because it never begins below its maximum, or,
 *   if it is the owner, below @own. A party is a CPU. The owner takes by
 *   wsq_ws_mult_get(), thieves by wsq_ws_mult_steal() with a maximum for each
 *   pair of thief and owner
 *
 * %WSQ_MULT_WEAK: any party may take a task, each once. %WSQ_MULT_BOUNDED: one
 * thief at most, and the owner. %WSQ_MULT_EXACT: one party.
 *
 * Memory: section 6 of the paper has an array without end, or a list of arrays.
 * Here blocks of slots form a ring, and are used again without a grace period.
 * A block has a base, the number of its first task. The owner changes the base
 * to "being emptied", empties all slots, and stores the new number. It uses a
 * block again once its tasks have all been taken, as far as @own says. A thief
 * reads base, slot and @own: if the base is the one it expects, and @own has not
 * come beyond the task, the task is the one of that number, or the slot was empty.
 *
 * Departures from the paper:
 *
 * - A block is emptied at once. The paper's put empties the second slot behind,
 *   which costs each put a store.
 * - The owner has a word of its own, @own, instead of sharing @head. So a get
 *   writes one word, which never goes back, and only reads the line that
 *   thieves write. If the owner is interrupted before it stores its number,
 *   thieves may take more tasks; its late store does not bring those out again.
 * - After it has read the slot, a thief reads @own and @head again. If either has
 *   passed its task, it goes on there. Reading the block and the slot takes most
 *   of the time of a theft, so others often pass it. Only @own is needed to know
 *   that the slot has not been put anew.
 * - A thief marks the slot itself, instead of an array beside it (bounded,
 *   exact). That saves a cache line.
 * - No party begins below @floor. By this a pool ensures that tasks taken so
 *   far do not come out again (wsq_ws_mult_settle()).
 *
 * Cost: put and get: one store-release each. Steal: five load-acquires, one
 * store-release, and four more load-acquires each time that another party was
 * faster, three times at most; bounded and exact, one compare-and-exchange in
 * addition, and exact, the owner's get too. A steal that finds nothing stores only
 * if @head was behind. 8 bytes for each pair of thief and owner, in the caller's
 * memory.
 *
 * Limitations: FIFO only. A thief that was away for long finds its place by
 * blocks, not by tasks. Sequence numbers have 63 bits and do not wrap.
 *
 * Operation against operation; put and get are on one CPU and interrupt each
 * other between any two accesses, but not themselves; a thief is interrupted by
 * none of the same CPU's steals:
 *
 *		put	get	steal	settle
 *	put	 -	 +	  +	  +
 *	get	 +	 -	  +	  +
 *	steal	 +	 +	  +	  +
 *	settle	 +	 +	  +	  +
 *
 * Accesses bear labels WM(operation:letter). Pairs, and what rests on each:
 *
 *	WM(put:A) release -> WM(steal:D) acquire
 *		A thief that sees a task sees what preceded its put.
 *		litmus/ws_mult-put-steal.litmus
 *	WM(open:D) smp_wmb -> WM(steal:D) acquire
 *		A thief that reads a slot as it was emptied, or put anew, then
 *		sees that @own has come further. litmus/ws_mult-again.litmus
 *	WM(open:B), WM(open:C) release -> WM(steal:C) acquire
 *		A thief that sees a block's base sees its slots empty, or as they
 *		were put since; one that sees it changed sees the older blocks as
 *		they are now. litmus/ws_mult-open.litmus,
 *		litmus/ws_mult-find.litmus
 *	WM(get:B) release -> WM(steal:J) acquire
 *	WM(steal:F), WM(steal:L) release -> WM(steal:A) acquire
 *		A thief that begins where another party has ended sees the base
 *		of the block that this party saw: it does not find nothing where
 *		there is something. litmus/ws_mult-head.litmus
 *	WM(settle:B), behind a grace period -> WM(steal:B) acquire
 *		Likewise for the floor. litmus/ws_mult-settle.litmus
 *	WM(steal:G) full, WM(get:F) full
 *		A slot is marked once. litmus/ws_mult-mark.litmus
 *		Their order is needed only if the same word is put again, into the
 *		same slot, between WM(steal:D) and WM(steal:G). Otherwise the
 *		task was read by WM(steal:D), or put on this CPU.
 *	No order: WM(steal:M) is a hint.
 *	WM(put:B) -> WM(get:A), local
 *		The consumer reads slots that were put.
 *	WM(get:B) -> WM(open:A), local
 *		The producer uses blocks again that the consumer no longer
 *		reads. litmus/ws_mult-get-open.litmus
 */
#ifndef _WSQ_CORE_WS_MULT_H
#define _WSQ_CORE_WS_MULT_H

#include <wsq_platform.h>

#include "bwos.h"
#include "status.h"

/* Which parties may take the same task. */
#define WSQ_MULT_WEAK		0
#define WSQ_MULT_BOUNDED	1
#define WSQ_MULT_EXACT		2

/* A thief that others have passed more often than this gives up. */
#define WSQ_MULT_PASSES		3

/* A base whose block is being emptied. Bases are multiples of the block size. */
#define WSQ_MULT_EMPTYING	1ULL

/**
 * struct wsq_ws_mult_base - the base of a block
 * @at: number of its first task; with %WSQ_MULT_EMPTYING while its slots are
 *	emptied. 0 if the block was never used. Producer
 */
struct wsq_ws_mult_base {
	atomic64_t at;
} WSQ_CACHE_ALIGNED;

/**
 * struct wsq_ws_mult_mem - memory of a queue
 * @bases: one for each block
 * @slots: of all blocks
 * @nr_blocks: a power of two, at least 2
 * @block_size: slots of a block, a power of two, at least 2
 */
struct wsq_ws_mult_mem {
	struct wsq_ws_mult_base *bases;
	wsq_slot_t *slots;
	u32 nr_blocks;
	u32 block_size;
};

/**
 * struct wsq_ws_mult - a queue
 * @bases: constant while there is memory, as the next four
 * @slots: likewise
 * @slot_mask: number of slots - 1
 * @block_mask: slots of a block - 1
 * @block_shift: their logarithm
 * @tail: number of the next task. Producer; the consumer reads it
 * @own: all tasks below have been taken. Consumer; producer and thieves read it
 * @passed: tasks below @own that the owner did not take. Consumer
 * @head: likewise. Thieves, by plain stores, so it may go back
 * @floor: likewise; no party begins below. By wsq_ws_mult_settle()
 *
 * Thieves read all cache lines but the producer's. The owner writes no line that
 * thieves write.
 */
struct wsq_ws_mult {
	struct wsq_ws_mult_base *bases;
	wsq_slot_t *slots;
	u64 slot_mask;
	u64 block_mask;
	u32 block_shift;
	atomic64_t tail WSQ_CACHE_ALIGNED;
	atomic64_t own WSQ_CACHE_ALIGNED;
	atomic64_t passed;
	atomic64_t head WSQ_CACHE_ALIGNED;
	atomic64_t floor;
};

/**
 * wsq_ws_mult_init() - initialize a queue
 * @q: the queue
 * @mem: its memory, with bases of 0; slots need not be initialized
 *
 * Context: before any other context knows @q.
 */
static inline void wsq_ws_mult_init(struct wsq_ws_mult *q,
				    const struct wsq_ws_mult_mem *mem)
{
	u64 slots = (u64)mem->nr_blocks * mem->block_size;
	u32 shift = 0;

	while (1U << shift < mem->block_size)
		shift++;
	q->bases = mem->bases;
	q->slots = mem->slots;
	q->slot_mask = slots - 1;
	q->block_mask = mem->block_size - 1;
	q->block_shift = shift;
	/* Above all bases of blocks that were never used. */
	atomic64_set(&q->tail, (s64)slots);
	atomic64_set(&q->own, (s64)slots);
	atomic64_set(&q->passed, 0);
	atomic64_set(&q->head, (s64)slots);
	atomic64_set(&q->floor, (s64)slots);
}

static inline wsq_slot_t *wsq_ws_mult_slot(const struct wsq_ws_mult *q, u64 n)
{
	return &q->slots[n & q->slot_mask];
}

static inline atomic64_t *wsq_ws_mult_base(const struct wsq_ws_mult *q, u64 n)
{
	return &q->bases[(n & q->slot_mask) >> q->block_shift].at;
}

/* Number of the first task in the block of task @n. */
static inline u64 wsq_ws_mult_first(const struct wsq_ws_mult *q, u64 n)
{
	return n & ~q->block_mask;
}

int wsq_ws_mult_open(struct wsq_ws_mult *q, u64 t);

/**
 * wsq_ws_mult_put() - append a task
 * @q: the queue
 * @task: not %NULL and not %WSQ_TOMB
 *
 * Context: any, NMI included; the producer.
 * Return: %WSQ_OK; %WSQ_PUBLISHED if it is the first of a block; %WSQ_FULL if
 * the next block has tasks that were not taken, as far as @own says:
 * wsq_ws_mult_catch_up().
 * Ordering: what precedes the call is visible to each party that takes the
 * task.
 */
static inline int wsq_ws_mult_put(struct wsq_ws_mult *q, void *task)
{
	u64 t = (u64)atomic64_read(&q->tail);			/* WM(own:A) */
	int ret = WSQ_OK;

	if (unlikely(!(t & q->block_mask))) {
		ret = wsq_ws_mult_open(q, t);
		if (unlikely(ret < 0))
			return ret;
	}
	wsq_slot_publish(wsq_ws_mult_slot(q, t), task);		/* WM(put:A) */
	wsq_local_set(&q->tail, t + 1);				/* WM(put:B) */
	return ret;
}

/* The higher of two numbers up to which all tasks have been taken. */
static inline u64 wsq_ws_mult_max(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* All tasks below @n have been taken. The consumer. */
static inline void wsq_ws_mult_own(struct wsq_ws_mult *q, u64 n)
{
	/* From here on puts may use the slots below again. */
	atomic64_set_release(&q->own, (s64)n);			/* WM(get:B) */
}

/* The consumer passes @n tasks that thieves have taken. */
static inline void wsq_ws_mult_pass(struct wsq_ws_mult *q, u64 n)
{
	atomic64_set(&q->passed, atomic64_read(&q->passed) + (s64)n); /* WM(own:E) */
}

/**
 * wsq_ws_mult_get() - take the oldest task
 * @q: the queue
 * @kind: WSQ_MULT_*, the same for all parties
 *
 * Context: any but NMI; the consumer.
 * Return: the task; %NULL if there is none.
 * Ordering: sees what the put saw.
 */
static __always_inline void *wsq_ws_mult_get(struct wsq_ws_mult *q, u32 kind)
{
	u64 own = (u64)atomic64_read(&q->own);			/* WM(own:B) */
	u64 head = (u64)atomic64_read(&q->head);		/* WM(get:D) */
	u64 floor = (u64)atomic64_read(&q->floor);		/* WM(get:C) */
	u64 t = wsq_local_read(&q->tail);			/* WM(get:A) */
	u64 h = own;
	void *task;

	/* Never without thieves. */
	if (unlikely(head > own || floor > own))
		h = wsq_ws_mult_max(head, floor);
	for (; likely(h < t); h++) {
		task = wsq_slot_peek(wsq_ws_mult_slot(q, h));	/* WM(get:E) */
		if (kind != WSQ_MULT_WEAK &&
		    (task == WSQ_TOMB ||
		     (kind == WSQ_MULT_EXACT &&
		      !wsq_slot_mark_if(wsq_ws_mult_slot(q, h), task, /* WM(get:F) */
					WSQ_TOMB))))
			continue;
		if (unlikely(h != own))
			wsq_ws_mult_pass(q, h - own);
		wsq_ws_mult_own(q, h + 1);
		return task;
	}
	if (h != own) {
		wsq_ws_mult_pass(q, h - own);
		wsq_ws_mult_own(q, h);
	}
	return NULL;
}

/**
 * wsq_ws_mult_catch_up() - let the owner's number follow what thieves have taken
 * @q: the queue
 *
 * For a put that found no space.
 *
 * Context: any but NMI; producer and consumer.
 * Return: true if there may be space now.
 */
static inline bool wsq_ws_mult_catch_up(struct wsq_ws_mult *q)
{
	u64 own = (u64)atomic64_read(&q->own);			/* WM(own:C) */
	u64 h = (u64)atomic64_read(&q->head);			/* WM(own:D) */

	h = wsq_ws_mult_max(h, (u64)atomic64_read(&q->floor));	/* WM(own:L) */
	if (h <= own)
		return false;
	wsq_ws_mult_pass(q, h - own);
	wsq_ws_mult_own(q, h);
	return true;
}

/*
 * A thief expects the block that begins at @first, and the block's base is
 * @base. Returns where the thief has to go on if the block has been used again:
 * the oldest task that may be there. @h if the block is the one, 0 if it is not
 * there yet.
 */
static inline u64 wsq_ws_mult_place(const struct wsq_ws_mult *q, u64 h, u64 base)
{
	u64 first = wsq_ws_mult_first(q, h);

	if (likely(base == first))
		return h;
	if (base <= (first | WSQ_MULT_EMPTYING))
		return 0;
	/* It was used again: all tasks that had to go for that were taken. */
	return wsq_ws_mult_first(q, base) - q->slot_mask + q->block_mask;
}

/*
 * All tasks below this number have been taken. @head may go back, so a later call
 * may return less.
 */
static inline u64 wsq_ws_mult_reached(const struct wsq_ws_mult *q)
{
	u64 own = (u64)atomic64_read_acquire(&q->own);		/* WM(steal:J) */
	u64 head = (u64)atomic64_read_acquire(&q->head);	/* WM(steal:A) */

	return wsq_ws_mult_max(own, head);
}

/**
 * wsq_ws_mult_steal() - take the oldest task from another CPU
 * @q: the queue
 * @kind: WSQ_MULT_*, the same for all parties
 * @max: maximum of the calling CPU for this queue, 0 at first
 * @taken: where to store the task
 *
 * Context: any; the only steal on this CPU. Bounded: a step for each block and
 * for each slot of one block. A call that ends without a task leaves how far it
 * came for the next, of any CPU.
 * Return: %WSQ_OK; %WSQ_EMPTY if there was nothing at some moment;
 * %WSQ_CONFLICT if other parties were faster for as long as it tried.
 * Ordering: sees what the put saw.
 */
static __always_inline int wsq_ws_mult_steal(struct wsq_ws_mult *q, u32 kind,
					     atomic64_t *max, void **taken)
{
	u64 tries = (q->slot_mask >> q->block_shift) + q->block_mask + 3;
	u64 h = wsq_ws_mult_reached(q), seen = h;
	u64 next, base;
	u32 passes = WSQ_MULT_PASSES;
	int ret = WSQ_CONFLICT;
	void *task;

	next = (u64)atomic64_read_acquire(&q->floor);		/* WM(steal:B) */
	h = wsq_ws_mult_max(h, next);
	h = wsq_ws_mult_max(h, (u64)atomic64_read(max));	/* WM(steal:I) */
	while (tries--) {
		/* Pairs with WM(open:B). */
		base = (u64)atomic64_read_acquire(wsq_ws_mult_base(q, h)); /* WM(steal:C) */
		next = wsq_ws_mult_place(q, h, base);
		if (next != h) {
			if (!next) {
				ret = WSQ_EMPTY;
				break;
			}
			h = next;
			continue;
		}
		task = wsq_slot_acquire(wsq_ws_mult_slot(q, h)); /* WM(steal:D) */
		/* Another party was faster. Another task may already be in the slot. */
		next = wsq_ws_mult_max((u64)atomic64_read(&q->own), /* WM(steal:E) */
				       (u64)atomic64_read(&q->head)); /* WM(steal:M) */
		if (unlikely(next > h)) {
			/* There is nothing to store: others are ahead. */
			if (!passes--)
				return WSQ_CONFLICT;
			seen = wsq_ws_mult_reached(q);
			h = wsq_ws_mult_max(h, seen);
			continue;
		}
		if (!task) {
			ret = WSQ_EMPTY;
			break;
		}
		if (kind != WSQ_MULT_WEAK &&
		    (task == WSQ_TOMB ||
		     !wsq_slot_mark_if(wsq_ws_mult_slot(q, h), task, WSQ_TOMB))) { /* WM(steal:G) */
			h++;
			continue;
		}
		atomic64_set(max, (s64)(h + 1));		/* WM(steal:H) */
		atomic64_set_release(&q->head, (s64)(h + 1));	/* WM(steal:F) */
		*taken = task;
		return WSQ_OK;
	}
	/* All below were taken: the next steal and the next put begin here. */
	if (unlikely(h > seen)) {
		atomic64_set(max, (s64)h);			/* WM(steal:K) */
		atomic64_set_release(&q->head, (s64)h);		/* WM(steal:L) */
	}
	return ret;
}

/**
 * wsq_ws_mult_taken() - a number up to which all tasks have been taken
 * @q: the queue
 *
 * Context: any.
 * Return: the number; not less than that of any task the owner has taken.
 */
static inline u64 wsq_ws_mult_taken(const struct wsq_ws_mult *q)
{
	u64 h = wsq_ws_mult_max((u64)atomic64_read(&q->own),	/* WM(own:F) */
				(u64)atomic64_read(&q->head));	/* WM(own:G) */

	/* A thief that was slow may have moved @head back since. */
	return wsq_ws_mult_max(h, (u64)atomic64_read(&q->floor)); /* WM(own:M) */
}

/**
 * wsq_ws_mult_waiting() - how many tasks has no party taken
 * @q: the queue
 *
 * Context: any.
 * Return: how many; on another CPU than the owner's a hint.
 */
static inline u64 wsq_ws_mult_waiting(const struct wsq_ws_mult *q)
{
	u64 h = wsq_ws_mult_taken(q);
	u64 t = (u64)atomic64_read(&q->tail);			/* WM(own:H) */

	return t > h ? t - h : 0;
}

/* How many tasks have numbers below @n. */
static inline u64 wsq_ws_mult_nr(const struct wsq_ws_mult *q, u64 n)
{
	return n - q->slot_mask - 1;
}

/**
 * wsq_ws_mult_puts() - how many tasks were put
 * @q: the queue
 *
 * Context: any.
 * Return: how many, since wsq_ws_mult_init().
 */
static inline u64 wsq_ws_mult_puts(const struct wsq_ws_mult *q)
{
	return wsq_ws_mult_nr(q, (u64)atomic64_read(&q->tail));	/* WM(own:I) */
}

/**
 * wsq_ws_mult_gets() - how many tasks has the owner taken
 * @q: the queue
 *
 * Context: any; exact while the owner takes none.
 * Return: how many, since wsq_ws_mult_init().
 */
static inline u64 wsq_ws_mult_gets(const struct wsq_ws_mult *q)
{
	return (u64)atomic64_read(&q->own) -			/* WM(own:J) */
	       (u64)atomic64_read(&q->passed) - q->slot_mask - 1; /* WM(own:K) */
}

/**
 * wsq_ws_mult_settle() - let no party begin below a number
 * @q: the queue
 * @n: the highest of wsq_ws_mult_taken() and of the thieves' maxima; a grace
 *	period has passed since they were read
 *
 * When all gets and steals that began before this have ended, no task below @n
 * comes out again.
 *
 * Context: any; one at a time.
 */
static inline void wsq_ws_mult_settle(struct wsq_ws_mult *q, u64 n)
{
	if (n > (u64)atomic64_read(&q->floor))			/* WM(settle:A) */
		atomic64_set(&q->floor, (s64)n);		/* WM(settle:B) */
}

#endif /* _WSQ_CORE_WS_MULT_H */
