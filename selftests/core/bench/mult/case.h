/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between a queue and the experiments with multiplicity
 * (zero_cost.c, beside.c, spanning.c, ../../stress/spanning.c), and their loops,
 * made for each queue by macro so that its operations are inlined.
 *
 * A queue has functions over its structure:
 *
 *	void put(TYPE *q, void *task)		the owner's; grows by itself
 *	void *get(TYPE *q)			the owner's; NULL if empty
 *	void *steal(TYPE *q, u32 party)		one attempt; NULL if it failed
 *	bool waiting(TYPE *q)			a hint, from any CPU; false once
 *						the owner has found it empty
 *
 * Party 0 is the owner, the others are thieves. A task is a number other than 0.
 */
#ifndef _WSQ_BENCH_MULT_CASE_H
#define _WSQ_BENCH_MULT_CASE_H

#include "spin_tasks.h"
#include "walk.h"

/**
 * enum mult_bound - how often a task may come out
 * @MULT_ONCE: once
 * @MULT_THIEF_ONCE: once to the owner and once to the thieves together
 * @MULT_PARTY_ONCE: once to each party
 * @MULT_AGAIN: any number of times
 */
enum mult_bound {
	MULT_ONCE,
	MULT_THIEF_ONCE,
	MULT_PARTY_ONCE,
	MULT_AGAIN,
};

/**
 * struct mult_case - a queue
 * @name: as in the results
 * @bound: how often a task may come out
 * @slow: a step for each bit of a task's number
 * @create: makes one for so many parties; arrays begin with @length slots, a
 *	power of two; a queue that does not grow has space for @most tasks
 * @destroy: frees it
 * @puts: puts tasks 1 to @n
 * @gets: takes until it is empty; returns how many
 * @steals: the same as party 1
 * @owns: takes and runs tasks until it is empty
 * @thieves: as party 1, steals and runs tasks until the owner has found it empty
 * @walk: a thread's part of a walk over a graph
 */
struct mult_case {
	const char *name;
	enum mult_bound bound;
	bool slow;
	void *(*create)(u32 parties, u64 length, u64 most);
	void (*destroy)(void *q);
	void (*puts)(void *q, u64 n);
	u64 (*gets)(void *q);
	u64 (*steals)(void *q);
	void (*owns)(void *q, struct spin_tasks *t);
	void (*thieves)(void *q, struct spin_tasks *t);
	void (*walk)(struct walker *w);
};

extern const struct mult_case *const mult_cases[];

/* The one that others are compared with. */
extern const struct mult_case mult_chase_lev;

/* Zeroed, aligned to cache lines. A program without memory ends. */
void *mult_zalloc(size_t size);

#define MULT_LOOPS(id, type, put, get, steal, waiting)			\
static void id##_puts(void *q, u64 n)					\
{									\
	u64 i;								\
									\
	for (i = 1; i <= n; i++)					\
		put((type *)q, (void *)(uintptr_t)i);			\
}									\
									\
static u64 id##_gets(void *q)						\
{									\
	u64 n = 0;							\
	void *task;							\
									\
	while ((task = get((type *)q))) {				\
		walk_use(task);						\
		n++;							\
	}								\
	return n;							\
}									\
									\
static u64 id##_steals(void *q)						\
{									\
	u64 n = 0;							\
	void *task;							\
									\
	while ((task = steal((type *)q, 1))) {				\
		walk_use(task);						\
		n++;							\
	}								\
	return n;							\
}									\
									\
static void id##_owns(void *q, struct spin_tasks *t)			\
{									\
	void *task;							\
									\
	while ((task = get((type *)q)))					\
		spin_tasks_run(t, task);					\
}									\
									\
static void id##_thieves(void *q, struct spin_tasks *t)			\
{									\
	void *task;							\
									\
	while (!spin_tasks_over(t)) {					\
		task = steal((type *)q, 1);				\
		if (task)						\
			spin_tasks_run(t, task);				\
		else							\
			spin_relax();					\
	}								\
}									\
									\
static void id##_walk(struct walker *w)					\
{									\
	type *own = (type *)w->walk->queues[w->me];			\
	void *task;							\
	u32 victim, party;						\
	bool waits;							\
									\
	if (w->root) {							\
		w->puts++;						\
		put(own, w->root);					\
	}								\
	for (;;) {							\
		while ((task = get(own)))				\
			WALK_VISIT(w, task, own, put);			\
		waits = false;						\
		WALK_VICTIMS(w, victim, party) {			\
			type *q = (type *)w->walk->queues[victim];	\
									\
			task = steal(q, party);				\
			if (task)					\
				break;					\
		}							\
		if (task) {						\
			w->stolen++;					\
			WALK_VISIT(w, task, own, put);			\
			continue;					\
		}							\
		walk_idle(w->walk);					\
		while (!walk_over(w->walk)) {				\
			for (victim = 0; victim < w->walk->nr; victim++) \
				waits |= waiting((type *)w->walk->queues[victim]); \
			if (waits)					\
				break;					\
			walk_relax(w);					\
		}							\
		if (!waits)						\
			return;						\
		walk_busy(w->walk);					\
	}								\
}

#define MULT_CASE(id, title, limit, steps, type, put, get, steal, waiting)	\
MULT_LOOPS(id, type, put, get, steal, waiting)				\
const struct mult_case mult_##id = {					\
	.name		= title,					\
	.bound		= limit,					\
	.slow		= steps,					\
	.create		= id##_create,					\
	.destroy	= id##_destroy,					\
	.puts		= id##_puts,					\
	.gets		= id##_gets,					\
	.steals		= id##_steals,					\
	.owns		= id##_owns,					\
	.thieves	= id##_thieves,					\
	.walk		= id##_walk,					\
}

#endif /* _WSQ_BENCH_MULT_CASE_H */
