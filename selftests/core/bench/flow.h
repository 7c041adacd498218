/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Producers and consumers on their own threads, over containers of any kind:
 * the framework of the SALSA paper (sections 4 and 6.2), once for all.
 *
 * For flow.c, which drives it, and the files that wrap one kind of container
 * each (flow_salsa.c, peers/flow_*). A wrapper defines how a producer begins a
 * run of tasks in a consumer's container (refused if the container is full),
 * and how a task is put, taken and stolen. FLOW() makes the loops, so that all
 * is inlined. The first entry of a thread's access list is its own number.
 *
 * Backpressure is the same for all: no more than @bound tasks are in flight, by
 * counters that each thread publishes once in 64 tasks.
 *
 * Limitations: C and C++ alike, as bench.h.
 */
#ifndef _WSQ_BENCH_FLOW_H
#define _WSQ_BENCH_FLOW_H

#include "bench.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef FLOW_PARTIES
#define FLOW_PARTIES	32
#endif
#define FLOW_TURN	32	/* tasks at a time, for a thread that does both */

/* The @nr-th task of producer @id. */
#ifndef FLOW_TASK
#define FLOW_TASK(id, nr)	((void *)(uintptr_t)(nr))
#endif

/**
 * struct flow_shape - a pool
 * @producers: threads that put
 * @consumers: threads that take, each with a container
 * @bound: most tasks in flight
 * @chunk: tasks in a chunk, for containers with chunks; 0: their default
 * @balance: a producer that is refused tries the next consumer
 * @unbounded: only the containers' memory bounds the tasks in flight. They know
 *	@bound, and no counters are shared
 * @own: a thread that does both puts for itself, not for the next one
 */
struct flow_shape {
	unsigned int producers;
	unsigned int consumers;
	unsigned int bound;
	unsigned int chunk;
	bool balance;
	bool unbounded;
	bool own;
};

/**
 * struct flow_party - a thread's counters; only that thread writes them
 * @puts: tasks put, published now and then
 * @done: tasks taken, likewise
 * @stolen: successful calls of steal
 * @looks: calls of steal
 */
struct flow_party {
	uint64_t puts __attribute__((aligned(128)));
	uint64_t done __attribute__((aligned(128)));
	uint64_t stolen;
	uint64_t looks;
};

/**
 * struct flow - shared by the threads of a window
 * @shape: the pool's
 * @q: the pool
 * @producer: counters of producers
 * @consumer: counters of consumers
 * @crowded: more threads than CPUs: waiting threads yield
 * @stop: end of the window
 */
struct flow {
	struct flow_shape shape;
	void *q;
	struct flow_party producer[FLOW_PARTIES];
	struct flow_party consumer[FLOW_PARTIES];
	bool crowded;
	int stop __attribute__((aligned(128)));
};

/**
 * struct flow_cost - costs of a pool since it was made
 * @exchanges: compare-and-exchanges
 * @fences: heavy fences
 */
struct flow_cost {
	uint64_t exchanges;
	uint64_t fences;
};

/**
 * struct flow_queue - one kind of pool
 * @name: the case as it appears in the results
 * @max: most producers and consumers; 0 for no limit
 * @create: makes one
 * @destroy: frees it
 * @produce: a producer's loop until @stop
 * @consume: a consumer's
 * @both: a thread that puts for the next one and takes its own
 * @rest: takes one task from a consumer, when the threads have ended
 * @cost: reads the counters, when the threads have ended
 */
struct flow_queue {
	const char *name;
	unsigned int max;
	void *(*create)(const struct flow_shape *shape);
	void (*destroy)(void *q);
	void (*produce)(struct flow *f, unsigned int id);
	void (*consume)(struct flow *f, unsigned int id);
	void (*both)(struct flow *f, unsigned int id);
	void *(*rest)(void *q, unsigned int id);
	void (*cost)(void *q, struct flow_cost *cost);
};

void flow_yield(void);

static inline bool flow_ended(const struct flow *f)
{
	return __atomic_load_n(&f->stop, __ATOMIC_RELAXED);
}

static inline void flow_relax(const struct flow *f)
{
	int i;

	if (f->crowded) {
		flow_yield();
		return;
	}
	for (i = 0; i < 32; i++)
#if defined(__x86_64__)
		__builtin_ia32_pause();
#else
		bench_barrier();
#endif
}

static inline void flow_publish(uint64_t *where, uint64_t val)
{
	__atomic_store_n(where, val, __ATOMIC_RELAXED);
}

/* A producer's share of the tasks that may still be put. */
static inline uint64_t flow_space(const struct flow *f)
{
	uint64_t puts = 0, done = 0;
	unsigned int i;

	if (f->shape.unbounded)
		return UINT64_MAX / 2;
	for (i = 0; i < f->shape.consumers; i++)
		done += __atomic_load_n(&f->consumer[i].done, __ATOMIC_RELAXED);
	for (i = 0; i < f->shape.producers; i++)
		puts += __atomic_load_n(&f->producer[i].puts, __ATOMIC_RELAXED);
	if (puts > done + f->shape.bound)
		return 0;
	return (done + f->shape.bound - puts) / f->shape.producers;
}

/*
 * @type is the pool, @ptype and @ctype are the state of a producer and of a
 * consumer:
 *	ptype *prefix_producer(type *q, unsigned int id)
 *	ctype *prefix_consumer(type *q, unsigned int id)
 *	unsigned int prefix_most(type *q): most tasks in a run
 *	unsigned int prefix_open(type *q, ptype *p, unsigned int c): tasks that
 *		may be put in a row now, 0 if refused
 *	void prefix_put(type *q, ptype *p, void *task)
 *	void *prefix_get(type *q, ctype *c)
 *	void *prefix_steal(type *q, ctype *c, unsigned int victim)
 *	void prefix_idle(type *q): now and then, between operations
 *	void prefix_join(type *q), prefix_leave(type *q): a thread begins, ends
 */
#define FLOW(prefix, type, ptype, ctype)				\
static unsigned int prefix##_begin(struct flow *f, type *q, ptype *p,	\
				   unsigned int first)			\
{									\
	unsigned int n = f->shape.consumers, k, run;			\
									\
	if (!f->shape.balance)						\
		return prefix##_open(q, p, first % n);			\
	for (k = 0; k < n; k++) {					\
		run = prefix##_open(q, p, (first + k) % n);		\
		if (run)						\
			return run;					\
	}								\
	return 0;							\
}									\
									\
static void prefix##_produce(struct flow *f, unsigned int id)		\
{									\
	type *q = (type *)f->q;						\
	ptype *p = prefix##_producer(q, id);				\
	const unsigned int most = prefix##_most(q);			\
	uint64_t puts = f->producer[id].puts, space = 0;			\
	unsigned int run;						\
									\
	prefix##_join(q);						\
	while (!flow_ended(f)) {					\
		prefix##_idle(q);					\
		if (space < most)					\
			space = flow_space(f);				\
		run = space < most ? 0 : prefix##_begin(f, q, p, id);	\
		if (!run) {						\
			flow_relax(f);					\
			continue;					\
		}							\
		space -= run;						\
		for (; run; run--) {					\
			puts++;						\
			prefix##_put(q, p, FLOW_TASK(id, puts));	\
			bench_barrier();				\
		}							\
		flow_publish(&f->producer[id].puts, puts);		\
	}								\
	prefix##_leave(q);						\
}									\
									\
/* A consumer without tasks of its own steals from others. */		\
static __attribute__((noinline))					\
void *prefix##_steal_any(struct flow *f, type *q, ctype *c, unsigned int id)	\
{									\
	unsigned int n = f->shape.consumers, k;				\
	void *task = NULL;						\
									\
	for (k = 1; k < n && !task; k++)				\
		task = prefix##_steal(q, c, (id + k) % n);		\
	f->consumer[id].looks += k - 1;					\
	if (task)							\
		f->consumer[id].stolen++;				\
	return task;							\
}									\
									\
static void prefix##_consume(struct flow *f, unsigned int id)		\
{									\
	type *q = (type *)f->q;						\
	ctype *c = prefix##_consumer(q, id);				\
	uint64_t done = f->consumer[id].done;				\
	void *task;							\
									\
	prefix##_join(q);						\
	while (!flow_ended(f)) {					\
		while ((task = prefix##_get(q, c))) {			\
			bench_use(task);				\
			done++;						\
			if (done % 64 == 0)				\
				break;					\
		}							\
		flow_publish(&f->consumer[id].done, done);		\
		prefix##_idle(q);					\
		if (task)						\
			continue;					\
		task = prefix##_steal_any(f, q, c, id);			\
		if (task) {						\
			bench_use(task);				\
			done++;						\
			flow_publish(&f->consumer[id].done, done);	\
		} else {						\
			flow_relax(f);					\
		}							\
	}								\
	prefix##_leave(q);						\
}									\
									\
static void prefix##_both(struct flow *f, unsigned int id)		\
{									\
	type *q = (type *)f->q;						\
	ptype *p = prefix##_producer(q, id);				\
	ctype *c = prefix##_consumer(q, id);				\
	const unsigned int most = prefix##_most(q);			\
	uint64_t puts = f->producer[id].puts, space = 0;			\
	uint64_t done = f->consumer[id].done;				\
	unsigned int run = 0, k;					\
	void *task = NULL;						\
									\
	prefix##_join(q);						\
	while (!flow_ended(f)) {					\
		prefix##_idle(q);					\
		if (!run && space < most)				\
			space = flow_space(f);				\
		if (!run && space >= most) {				\
			run = prefix##_begin(f, q, p, id + !f->shape.own); \
			space -= run;					\
		}							\
		for (k = 0; run && k < FLOW_TURN; k++, run--) {		\
			puts++;						\
			prefix##_put(q, p, FLOW_TASK(id, puts));	\
			bench_barrier();				\
		}							\
		if (!run)						\
			flow_publish(&f->producer[id].puts, puts);	\
		for (k = 0; k < FLOW_TURN; k++) {			\
			task = prefix##_get(q, c);			\
			if (!task)					\
				break;					\
			bench_use(task);				\
			done++;						\
		}							\
		flow_publish(&f->consumer[id].done, done);		\
		if (!task && !run)					\
			flow_relax(f);					\
	}								\
	/* End a begun run, so that nothing is half done. */		\
	for (; run; run--)						\
		prefix##_put(q, p, FLOW_TASK(id, ++puts));		\
	flow_publish(&f->producer[id].puts, puts);			\
	prefix##_leave(q);						\
}									\
									\
static void *prefix##_rest(void *q, unsigned int id)			\
{									\
	return prefix##_get((type *)q, prefix##_consumer((type *)q, id)); \
}

#ifdef __cplusplus
}
#endif

#endif /* _WSQ_BENCH_FLOW_H */
