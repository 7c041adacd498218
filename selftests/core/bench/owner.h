/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The measured loops, made for one queue by macro so that its operations are
 * inlined (paper 001, section 6.2.1: put until full, get until empty).
 *
 * For the wrappers in blocks.c and peers/. @type is the queue's structure, @put
 * is bool (type *, void *), @get is void *(type *), @put_many and @get_many are
 * unsigned int (type *, void **, unsigned int) and return how many succeeded.
 * All costs outside the queue: one increment and one compiler barrier per
 * operation, two stores per pass.
 */
#ifndef _WSQ_BENCH_OWNER_H
#define _WSQ_BENCH_OWNER_H

#include "bench.h"

/* @cap of a queue that can tell that it is full. */
#define BENCH_BOUNDED	(1ULL << 40)

#define BENCH_OWNER(prefix, type, put_fn, get_fn)			\
static bool prefix##_call_put(void *arg, void *task)			\
{									\
	return put_fn((type *)arg, task);				\
}									\
									\
static __attribute__((unused)) void *prefix##_call_get(void *arg)	\
{									\
	return get_fn((type *)arg);					\
}									\
									\
static void prefix##_pass(void *arg, uint64_t passes,			\
			  struct bench_count *count)			\
{									\
	type *q = (type *)arg;						\
	uint64_t puts = 0, gets = 0;					\
	void *task;							\
									\
	while (passes--) {						\
		while (put_fn(q, (void *)(uintptr_t)(puts + 1))) {	\
			puts++;						\
			bench_barrier();				\
		}							\
		__atomic_store_n(&count->puts, puts, __ATOMIC_RELAXED);	\
		while ((task = get_fn(q))) {				\
			gets++;						\
			bench_use(task);				\
		}							\
	}								\
	count->gets = gets;						\
}

/* For queues that are never full: the loop counts to @cap instead. */
#define BENCH_OWNER_UNBOUNDED(prefix, type, put_fn, get_fn, cap)	\
static bool prefix##_call_put(void *arg, void *task)			\
{									\
	return put_fn((type *)arg, task);				\
}									\
									\
static __attribute__((unused)) void *prefix##_call_get(void *arg)	\
{									\
	return get_fn((type *)arg);					\
}									\
									\
static void prefix##_pass(void *arg, uint64_t passes,			\
			  struct bench_count *count)			\
{									\
	type *q = (type *)arg;						\
	uint64_t puts = 0, gets = 0;					\
	void *task;							\
									\
	while (passes--) {						\
		uint64_t full = puts + (cap);				\
									\
		while (puts != full) {					\
			put_fn(q, (void *)(uintptr_t)(puts + 1));	\
			puts++;						\
			bench_barrier();				\
		}							\
		__atomic_store_n(&count->puts, puts, __ATOMIC_RELAXED);	\
		while ((task = get_fn(q))) {				\
			gets++;						\
			bench_use(task);				\
		}							\
	}								\
	count->gets = gets;						\
}

#define BENCH_OWNER_MANY(prefix, type, put_many_fn, get_many_fn, cap)	\
static void prefix##_pass_many(void *arg, uint64_t passes,		\
			       struct bench_count *count)		\
{									\
	type *q = (type *)arg;						\
	uint64_t puts = 0, gets = 0;					\
	void *tasks[BENCH_BATCH], *out[BENCH_BATCH];			\
	unsigned int i, n;						\
									\
	for (i = 0; i < BENCH_BATCH; i++)				\
		tasks[i] = (void *)(uintptr_t)(i + 1);			\
	while (passes--) {						\
		uint64_t full = puts + (cap);				\
									\
		while (puts != full) {					\
			n = put_many_fn(q, tasks, BENCH_BATCH);		\
			puts += n;					\
			bench_use(tasks);				\
			if (n < BENCH_BATCH)				\
				break;					\
		}							\
		__atomic_store_n(&count->puts, puts, __ATOMIC_RELAXED);	\
		while ((n = get_many_fn(q, out, BENCH_BATCH))) {	\
			gets += n;					\
			bench_use(out);					\
		}							\
	}								\
	count->gets = gets;						\
}

/*
 * Beside a thief, from the state in @count. The owner gets no more than its
 * share relative to the steals, so that a thief that is too slow slows the
 * owner down instead of missing its share. An owner that has reached the end of
 * both puts and gets waits for the thief's counters, away from the queue:
 * polling the queue would take its cache lines from the thief. It waits for
 * steals that were not published when it began to put, because a queue that it
 * found full may have space since.
 */
#define BENCH_BESIDE_THIEF(prefix, type, put_fn, get_fn, cap)			\
static void prefix##_beside_thief(void *arg, struct bench_count *count)	\
{									\
	const uint64_t total = count->total, odds = count->odds;	\
	const uint64_t most = count->most;				\
	type *q = (type *)arg;						\
	uint64_t puts = count->puts, gets = count->gets;		\
	uint64_t limit, before, known;					\
	void *task;							\
									\
	while (puts < total) {						\
		before = puts + gets;					\
		known = __atomic_load_n(&count->steals,			\
					__ATOMIC_RELAXED);		\
		limit = gets + known + (cap);				\
		if (limit - puts > most)				\
			limit = puts + most;				\
		while (puts != limit &&					\
		       put_fn(q, (void *)(uintptr_t)(puts + 1))) {	\
			puts++;						\
			bench_barrier();				\
		}							\
		__atomic_store_n(&count->puts, puts, __ATOMIC_RELAXED);	\
		limit = count->slack + known * odds / 1024;		\
		while (gets < limit && (task = get_fn(q))) {		\
			gets++;						\
			bench_use(task);				\
		}							\
		if (puts + gets == before)				\
			bench_await_theft(count, known);		\
	}								\
	count->gets = gets;						\
}

#endif /* _WSQ_BENCH_OWNER_H */
