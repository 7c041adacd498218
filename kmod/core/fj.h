/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The split deque of fork-join: what thieves do, and what the owner does when
 * tasks cross the border between its private and its shared part.
 *
 * T. van Dijk and J. van de Pol, "Lace: non-blocking split deque for
 * work-stealing" (2014), figures 1 to 4. Tasks are descriptors in an array that
 * the owner uses as a stack. From the bottom: stolen ones up to tail, shared
 * ones up to split, private ones up to head. Thieves raise tail. The owner
 * pushes and pops at head, and raises or lowers split. A stolen task stays in
 * the array until its owner pops it, which waits for the result.
 *
 * For fj_team.c. Cost: a push or pop of a private task is in
 * <linux/wsq_fj_deque.h> and has no barrier. A steal is one
 * compare-and-exchange and touches two cache lines of the victim. Raising or
 * lowering split is one read-modify-write.
 *
 * Departures from the paper:
 *
 * - tail and split are halves of one 64-bit word. So the owner lowers split by
 *   one atomic subtraction that also reads tail. The paper's store, fence and
 *   second load are that instruction. Raising split needs a read-modify-write,
 *   too, but happens only after a request.
 * - Weak memory (section 3.3): a task is published with release and stolen with
 *   acquire; its end is published with release and seen with acquire. No other
 *   order is needed.
 * - The word that thieves set to ask for work is also the owner's stack limit.
 *   The owner compares its stack pointer to it in every operation, so that both
 *   checks are one.
 * - A thief announces itself in the descriptor when it steals, and marks the
 *   end there. The owner that wants to sleep says so in the same word.
 *
 * Wide words: tail and split have 32 bits and are indices, not counters, so
 * they do not wrap. The word may get a value again that it had before. A thief
 * whose compare-and-exchange then succeeds owns the task that is shared now,
 * and reads its descriptor only after that.
 *
 * Pairs:
 *
 *	FJ(grow:A), FJ(share:A), FJ(shrink:B), FJ(shrink:C) release ->
 *	FJ(steal:C) acquire
 *		A thief that has stolen a task sees its function and arguments,
 *		and its @thief as 0. litmus/fj-steal.litmus, fj-share.litmus,
 *		fj-shrink.litmus
 *	FJ(end:A) release -> FJ(wait:A) acquire
 *		The owner that sees a task ended sees its result, and all that
 *		the task did. litmus/fj-end.litmus
 *	FJ(steal:C) and FJ(shrink:B), on one word
 *		Each task is taken by one thief or by the owner. The owner
 *		learns from the same instruction how many thieves have taken.
 *		litmus/fj-shrink.litmus
 *
 * The release of FJ(shrink:B) and FJ(shrink:C) is not needed:
 * read-modify-writes continue that of FJ(grow:A).
 *
 * No order: FJ(look:A), FJ(request:A), FJ(request:B), FJ(shrink:A), FJ(steal:A),
 * FJ(steal:B) are hints, or confirmed by FJ(shrink:B), FJ(steal:C). FJ(end:A)
 * and FJ(sleep:A) are on one word: one of the two sees the other. FJ(reuse:A)
 * and FJ(steal:D) are ordered by the pairs of FJ(steal:C).
 */
#ifndef _WSQ_CORE_FJ_H
#define _WSQ_CORE_FJ_H

#include <wsq_platform.h>
#include <linux/wsq_fj_deque.h>

#include "status.h"

/* In @guard. No stack pointer is above it. */
#define WSQ_FJ_REQUEST		(~0ULL)

/* In @thief. */
#define WSQ_FJ_ENDED		1ULL
#define WSQ_FJ_SLEEPS		2ULL

/* Tasks that are stolen at a time, if half of what is shared is more. */
#define WSQ_FJ_HALF_MOST	64

/* The model sets fewer. */
#ifndef WSQ_FJ_SPLIT_BITS
#define WSQ_FJ_SPLIT_BITS	32
#endif

static inline u32 wsq_fj_tail(u64 ts)
{
	return (u32)(ts >> WSQ_FJ_SPLIT_BITS);
}

static inline u32 wsq_fj_split(u64 ts)
{
	return (u32)(ts & ((1ULL << WSQ_FJ_SPLIT_BITS) - 1));
}

static inline u64 wsq_fj_ts(u32 tail, u32 split)
{
	return (u64)tail << WSQ_FJ_SPLIT_BITS | split;
}

/* Count; only the owner does. Others may read at any time. */
static inline void wsq_fj_count(atomic64_t *counter, u32 n)
{
	atomic64_set(counter, atomic64_read(counter) + n);	/* FJ(count:A) */
}

/**
 * wsq_fj_reset() - empty a deque
 * @dq: the deque; its owner is the caller, and it holds no task
 * @stack_end: lowest address that the owner's stack pointer may have
 *
 * The first operation of the owner takes the slow path. Thieves may look
 * meanwhile and find nothing.
 */
static inline void wsq_fj_reset(struct wsq_fj_deque *dq, u64 stack_end)
{
	atomic64_set(&dq->ts, 0);				/* FJ(reset:A) */
	atomic64_set(&dq->allstolen, 0);			/* FJ(reset:B) */
	atomic64_set(&dq->guard, (s64)stack_end);		/* FJ(reset:C) */
	dq->stack_end = stack_end;
	dq->split = 0;
	dq->all = false;
	dq->lo = dq->tasks;
	dq->hi = dq->tasks;
}

/**
 * wsq_fj_init() - make a deque
 * @dq: the deque
 * @tasks: its descriptors, @nr and one more, all zero
 * @nr: how many tasks it may hold
 */
static inline void wsq_fj_init(struct wsq_fj_deque *dq,
			       struct wsq_fj_task *tasks, u32 nr)
{
	dq->tasks = tasks;
	dq->nr = nr;
	atomic64_set(&dq->grows, 0);				/* FJ(init:A) */
	atomic64_set(&dq->shrinks, 0);				/* FJ(init:B) */
	atomic64_set(&dq->requests, 0);				/* FJ(init:C) */
	wsq_fj_reset(dq, 0);
}

/*
 * Make the owner take its slow path at its next operation. False if a request
 * is already pending. Any context; no order.
 */
static inline bool wsq_fj_request(struct wsq_fj_deque *dq)
{
	/* Written once, so that the owner's line stays where it is. */
	if ((u64)atomic64_read(&dq->guard) != WSQ_FJ_REQUEST) {	/* FJ(request:B) */
		atomic64_set(&dq->guard, (s64)WSQ_FJ_REQUEST);	/* FJ(request:A) */
		return true;
	}
	return false;
}

/*
 * Ask the owner for work. The thief counts that in its own deque, if it has
 * written a request. No order.
 */
static inline void wsq_fj_ask(struct wsq_fj_deque *dq,
			      struct wsq_fj_deque *self)
{
	if (wsq_fj_request(dq))
		wsq_fj_count(&self->requests, 1);
}

/* Is a task shared that no thief has? Any context; no order. */
static inline bool wsq_fj_shared(const struct wsq_fj_deque *dq)
{
	u64 ts = (u64)atomic64_read(&dq->ts);			/* FJ(shared:A) */

	return wsq_fj_tail(ts) < wsq_fj_split(ts);
}

/**
 * wsq_fj_steal() - take the oldest shared tasks
 * @dq: the victim's deque
 * @self: the thief's deque
 * @half: take half of what is shared, rounded up, instead of one task; at most
 *	WSQ_FJ_HALF_MOST
 * @first: where to store the oldest; the others are behind it
 *
 * Figure 4, lines 1 to 9; several at a time: section 3.3.
 *
 * Context: any, with preemption off: the owner may spin until the descriptors
 * name the thief.
 * Return: how many were taken; %WSQ_EMPTY after asking the owner for work;
 * %WSQ_DONE if all of the owner's tasks are stolen; %WSQ_CONFLICT if another
 * thief or the owner was faster.
 */
static inline int wsq_fj_steal(struct wsq_fj_deque *dq,
			       struct wsq_fj_deque *self, bool half,
			       struct wsq_fj_task **first)
{
	u64 ts;
	u32 tail, split, n, k;

	if (atomic64_read(&dq->allstolen))			/* FJ(steal:A) */
		return WSQ_DONE;
	ts = (u64)atomic64_read(&dq->ts);			/* FJ(steal:B) */
	tail = wsq_fj_tail(ts);
	split = wsq_fj_split(ts);
	if (tail >= split) {
		wsq_fj_ask(dq, self);
		return WSQ_EMPTY;
	}
	n = half ? (split - tail + 1) / 2 : 1;
	/* Preemption is off, and the owner may spin for the last name. */
	if (n > WSQ_FJ_HALF_MOST)
		n = WSQ_FJ_HALF_MOST;
	/* Pairs with FJ(grow:A), FJ(share:A), FJ(shrink:B), FJ(shrink:C). */
	if ((u64)atomic64_cmpxchg_acquire(&dq->ts, (s64)ts,
					  (s64)wsq_fj_ts(tail + n, split)) != ts) /* FJ(steal:C) */
		return WSQ_CONFLICT;
	for (k = 0; k < n; k++)
		atomic64_set(&dq->tasks[tail + k].thief,
			     (s64)(uintptr_t)self);		/* FJ(steal:D) */
	*first = &dq->tasks[tail];
	return (int)n;
}

/**
 * wsq_fj_task_end() - a stolen task has run
 * @task: the task; its owner may reuse the descriptor when this returns
 *
 * Context: the thief.
 * Return: true if the caller must wake the owner.
 * Ordering: release.
 */
static inline bool wsq_fj_task_end(struct wsq_fj_task *task)
{
	/* Pairs with FJ(wait:A). */
	return (u64)atomic64_xchg(&task->thief, (s64)WSQ_FJ_ENDED) &
	       WSQ_FJ_SLEEPS;					/* FJ(end:A) */
}

/**
 * wsq_fj_task_ended() - has a stolen task run
 * @task: the task
 * @thief: where to store the deque of its thief if it has not ended; %NULL if
 *	the thief has not announced itself yet
 *
 * Context: the owner.
 * Return: true if its result is there.
 * Ordering: acquire, if true.
 */
static inline bool wsq_fj_task_ended(struct wsq_fj_task *task,
				     struct wsq_fj_deque **thief)
{
	/* Pairs with FJ(end:A). */
	u64 word = (u64)atomic64_read_acquire(&task->thief);	/* FJ(wait:A) */

	if (word == WSQ_FJ_ENDED)
		return true;
	*thief = (struct wsq_fj_deque *)(uintptr_t)(word & ~WSQ_FJ_SLEEPS);
	return false;
}

/**
 * wsq_fj_task_sleep() - have the thief wake the owner when a task ends
 * @task: the task
 * @thief: its thief, from wsq_fj_task_ended()
 *
 * Context: the owner.
 * Return: false if the task has ended.
 */
static inline bool wsq_fj_task_sleep(struct wsq_fj_task *task,
				     struct wsq_fj_deque *thief)
{
	u64 word = (u64)(uintptr_t)thief, was;

	was = (u64)atomic64_cmpxchg_relaxed(&task->thief, (s64)word,
					    (s64)(word | WSQ_FJ_SLEEPS)); /* FJ(sleep:A) */
	return was != WSQ_FJ_ENDED;
}

/* The owner has taken the result: the descriptor is ready for the next task. */
static inline void wsq_fj_task_reuse(struct wsq_fj_task *task)
{
	atomic64_set(&task->thief, 0);				/* FJ(reuse:A) */
}

/* All tasks are stolen: thieves need not come. The owner. */
static inline void wsq_fj_set_all(struct wsq_fj_deque *dq)
{
	if (dq->all)
		return;
	atomic64_set(&dq->allstolen, 1);			/* FJ(all:A) */
	dq->all = true;
}

/**
 * wsq_fj_share_first() - share a task at once, because all others are stolen
 * @dq: the deque, with @all set
 * @index: the task; head is behind it
 *
 * Figure 4, lines 14 to 19. No thief changes the word while tail is not below
 * split, so a store suffices.
 *
 * Context: the owner.
 */
static inline void wsq_fj_share_first(struct wsq_fj_deque *dq, u32 index)
{
	/* Pairs with FJ(steal:C). */
	atomic64_set_release(&dq->ts,
			     (s64)wsq_fj_ts(index, index + 1));	/* FJ(share:A) */
	atomic64_set(&dq->allstolen, 0);			/* FJ(share:B) */
	dq->split = index + 1;
	dq->all = false;
}

/**
 * wsq_fj_grow() - share private tasks
 * @dq: the deque, with @all not set
 * @to: the new split, not below the old one and not above head
 *
 * Figure 4, lines 36 to 40.
 *
 * Context: the owner.
 */
static inline void wsq_fj_grow(struct wsq_fj_deque *dq, u32 to)
{
	if (to == dq->split)
		return;
	/* Pairs with FJ(steal:C). */
	atomic64_fetch_add_release((s64)(to - dq->split), &dq->ts); /* FJ(grow:A) */
	dq->split = to;
	wsq_fj_count(&dq->grows, 1);
}

/**
 * wsq_fj_shrink() - take shared tasks back
 * @dq: the deque, with @all not set and without private tasks
 *
 * Figure 4, lines 41 to 57, and figure 3: thieves may have passed the new
 * split before it was set.
 *
 * Context: the owner.
 * Return: true if the task below head is private now; false if all tasks are
 * stolen.
 */
static inline bool wsq_fj_shrink(struct wsq_fj_deque *dq)
{
	u32 split = dq->split, to;
	u32 tail = wsq_fj_tail((u64)atomic64_read(&dq->ts));	/* FJ(shrink:A) */

	if (tail != split) {
		to = (tail + split) / 2;
		wsq_fj_count(&dq->shrinks, 1);
		/* Only the owner changes split. Pairs with FJ(steal:C). */
		tail = wsq_fj_tail((u64)atomic64_fetch_add_release(-(s64)(split - to),
								   &dq->ts)); /* FJ(shrink:B) */
		if (tail != split) {
			if (tail > to) {
				u32 up = (tail + split) / 2;

				/* No thief comes while tail is above split. */
				atomic64_fetch_add_release((s64)(up - to),
							   &dq->ts); /* FJ(shrink:C) */
				to = up;
			}
			dq->split = to;
			return true;
		}
	}
	wsq_fj_set_all(dq);
	return false;
}

#endif /* _WSQ_CORE_FJ_H */
