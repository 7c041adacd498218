// SPDX-License-Identifier: GPL-2.0
/*
 * Pools of pointers: wsq_pool one by one and in batches, and ptr_ring likewise.
 * The pool runs nothing; the caller that pops a pointer calls the function that
 * it finds through it.
 *
 * Submitting, each member fills the pool (or, with ptr_ring, its own ring) and
 * empties it whenever it is full. Handing over, member 0 produces and member 1
 * consumes. With wsq_pool member 1 steals. Thieves cannot reach the block in
 * which the producer last took something, so a producer that finds the pool
 * full takes a pointer itself. Pools have their default size: 2048 pointers per
 * CPU with BWoS, FIFO or LIFO, as in a ptr_ring here, and 8192 with SALSA.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/ptr_ring.h>
#include <linux/sched.h>
#include <linux/wsq_pool.h>

#include "bench.h"

/* Items run since the last bench_pointer_clean(). */
static atomic_t bench_pointer_runs = ATOMIC_INIT(0);

/* Pops beyond the first of an item, seen by bench_pointer_clean_mult(). */
static unsigned int bench_pointer_repeats;

/* The producer has queued everything and taken what it found. */
static bool bench_pointer_over;

static void bench_pointer_empty(struct bench_pointer *raw)
{
}

static void bench_pointer_prepare(struct bench_item *items, unsigned int nr,
				  enum bench_does does)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		items[i].raw.func = bench_pointer_empty;
	bench_pointer_over = false;
}

static bool bench_pointer_clean(struct bench_item *items, unsigned int nr)
{
	return atomic_xchg(&bench_pointer_runs, 0) == nr;
}

/* Where a pointer may be popped by both CPUs. */
static bool bench_pointer_clean_mult(struct bench_item *items, unsigned int nr)
{
	unsigned int runs = atomic_xchg(&bench_pointer_runs, 0);

	bench_pointer_repeats = runs - nr;
	return runs >= nr;
}

static unsigned int bench_pointer_again(void)
{
	return bench_pointer_repeats;
}

static inline void bench_pointer_run(struct bench_pointer *raw)
{
	raw->func(raw);
}

/* wsq_pool, by engine */

static struct wsq_pool *bench_pools[WSQ_NR_ALL_ENGINES + 1];

static int bench_any_pool_start(enum wsq_engine_type engine)
{
	const struct wsq_attrs attrs = {
		.engine = engine,
		.flags = engine == WSQ_WS_MULT ? WSQ_AT_LEAST_ONCE : 0,
	};

	bench_pools[engine] = wsq_pool_create(&attrs, "wsq_bench");
	return PTR_ERR_OR_ZERO(bench_pools[engine]);
}

/* One pointer, if there is one. */
static inline bool bench_any_pool_run(struct wsq_pool *pool)
{
	struct bench_pointer *raw = wsq_pool_pop(pool);

	if (raw)
		bench_pointer_run(raw);
	return raw;
}

static unsigned int bench_any_pool_empty(struct wsq_pool *pool)
{
	unsigned int runs = 0;

	while (bench_any_pool_run(pool))
		runs++;
	return runs;
}

static void bench_any_pool_queue(struct wsq_pool *pool,
				 struct bench_item *items, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		while (wsq_pool_push(pool, &items[i].raw))
			atomic_add(bench_any_pool_empty(pool), &bench_pointer_runs);
	}
}

static void bench_any_pool_produce(struct wsq_pool *pool,
				   struct bench_item *items, unsigned int nr)
{
	unsigned int i, runs = 0;

	for (i = 0; i < nr; i++) {
		while (wsq_pool_push(pool, &items[i].raw))
			runs += bench_any_pool_run(pool);
	}
	runs += bench_any_pool_empty(pool);
	atomic_add(runs, &bench_pointer_runs);
	/* Pairs with bench_any_pool_consume(). */
	smp_store_release(&bench_pointer_over, true);
}

static void bench_any_pool_consume(struct wsq_pool *pool, unsigned int nr)
{
	unsigned int i, runs = 0;

	/* Pairs with bench_any_pool_produce(). */
	while (!smp_load_acquire(&bench_pointer_over)) {
		if (bench_any_pool_run(pool)) {
			runs++;
		} else {
			cpu_relax();
			cond_resched();
		}
	}
	atomic_add(runs, &bench_pointer_runs);
	/* SALSA's thief steals whole chunks, which the producer did not see. */
	for (i = 0; i < nr && atomic_read(&bench_pointer_runs) < nr; i++)
		atomic_add(bench_any_pool_empty(pool), &bench_pointer_runs);
}

static void bench_any_pool_many_empty(struct wsq_pool *pool)
{
	void *tasks[BENCH_BATCH];
	unsigned int i, nr, runs = 0;

	while ((nr = wsq_pool_pop_many(pool, tasks, BENCH_BATCH))) {
		for (i = 0; i < nr; i++)
			bench_pointer_run(tasks[i]);
		runs += nr;
	}
	atomic_add(runs, &bench_pointer_runs);
}

static void bench_any_pool_many_queue(struct wsq_pool *pool,
				      struct bench_item *items, unsigned int nr)
{
	void *tasks[BENCH_BATCH];
	unsigned int i, n, done;

	for (i = 0; i < nr; i += n) {
		for (n = 0; n < BENCH_BATCH && i + n < nr; n++)
			tasks[n] = &items[i + n].raw;
		for (done = 0; done < n;) {
			done += wsq_pool_push_many(pool, tasks + done, n - done);
			if (done < n)
				bench_any_pool_many_empty(pool);
		}
	}
}

/* One pool, and one service for batches, which is started after it. */
#define BENCH_POOL(id, title, batched, engine)				\
static int id##_start(void)						\
{									\
	return bench_any_pool_start(engine);				\
}									\
									\
static void id##_stop(void)						\
{									\
	wsq_pool_destroy(bench_pools[engine]);				\
}									\
									\
static void id##_flush(unsigned int member)				\
{									\
	atomic_add(bench_any_pool_empty(bench_pools[engine]), &bench_pointer_runs); \
}									\
									\
static void id##_queue(struct bench_item *items, unsigned int nr,	\
		       unsigned int member)				\
{									\
	bench_any_pool_queue(bench_pools[engine], items, nr);		\
}									\
									\
static void id##_produce(struct bench_item *items, unsigned int nr)	\
{									\
	bench_any_pool_produce(bench_pools[engine], items, nr);		\
}									\
									\
static void id##_consume(unsigned int nr)				\
{									\
	bench_any_pool_consume(bench_pools[engine], nr);			\
}									\
									\
struct bench_service id = {						\
	.name = title,							\
	.start = id##_start,						\
	.stop = id##_stop,						\
	.prepare = bench_pointer_prepare,					\
	.queue = id##_queue,						\
	.flush = id##_flush,						\
	.clean = (engine) == WSQ_WS_MULT ? bench_pointer_clean_mult :	\
		 bench_pointer_clean,					\
	.again = (engine) == WSQ_WS_MULT ? bench_pointer_again : NULL,	\
	.raw = true,							\
	.produce = id##_produce,					\
	.consume = id##_consume,					\
};									\
									\
static int id##_many_start(void)					\
{									\
	return PTR_ERR_OR_ZERO(bench_pools[engine]);			\
}									\
									\
static void id##_many_stop(void)					\
{									\
}									\
									\
static void id##_many_flush(unsigned int member)			\
{									\
	bench_any_pool_many_empty(bench_pools[engine]);			\
}									\
									\
static void id##_many_queue(struct bench_item *items, unsigned int nr,	\
			    unsigned int member)			\
{									\
	bench_any_pool_many_queue(bench_pools[engine], items, nr);		\
}									\
									\
struct bench_service id##_many = {					\
	.name = batched,						\
	.start = id##_many_start,					\
	.stop = id##_many_stop,						\
	.prepare = bench_pointer_prepare,					\
	.queue = id##_many_queue,					\
	.flush = id##_many_flush,					\
	.clean = (engine) == WSQ_WS_MULT ? bench_pointer_clean_mult :	\
		 bench_pointer_clean,					\
	.raw = true,							\
}

#define BENCH_POOL_ENGINE(type, name, ...)				\
	BENCH_POOL(bench_pool_##name, BENCH_TITLE(type, name, "pool"),	\
		   BENCH_TITLE(type, name, "pool batched"), type);
WSQ_ALL_ENGINES(BENCH_POOL_ENGINE)

/* ptr_ring, one for each submitting CPU */

static struct ptr_ring bench_ring[BENCH_MAX_CPUS];

static int bench_ptr_ring_start(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < bench_nr_cpus; i++) {
		ret = ptr_ring_init(&bench_ring[i], BENCH_RING_SIZE,
				    GFP_KERNEL);
		if (ret) {
			while (i--)
				ptr_ring_cleanup(&bench_ring[i], NULL);
			return ret;
		}
	}
	return 0;
}

static void bench_ptr_ring_stop(void)
{
	unsigned int i;

	for (i = 0; i < bench_nr_cpus; i++)
		ptr_ring_cleanup(&bench_ring[i], NULL);
}

static void bench_ptr_ring_flush(unsigned int member)
{
	struct bench_pointer *raw;
	unsigned int runs = 0;

	while ((raw = ptr_ring_consume(&bench_ring[member]))) {
		bench_pointer_run(raw);
		runs++;
	}
	atomic_add(runs, &bench_pointer_runs);
}

static void bench_ptr_ring_queue(struct bench_item *items, unsigned int nr,
				 unsigned int member)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		while (ptr_ring_produce(&bench_ring[member], &items[i].raw))
			bench_ptr_ring_flush(member);
	}
}

static void bench_ptr_ring_produce(struct bench_item *items, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		while (ptr_ring_produce(&bench_ring[0], &items[i].raw)) {
			cpu_relax();
			cond_resched();
		}
	}
}

static void bench_ptr_ring_consume(unsigned int nr)
{
	struct bench_pointer *raw;
	unsigned int runs = 0;

	while (runs < nr) {
		raw = ptr_ring_consume(&bench_ring[0]);
		if (raw) {
			bench_pointer_run(raw);
			runs++;
		} else {
			cpu_relax();
			cond_resched();
		}
	}
	atomic_add(runs, &bench_pointer_runs);
}

struct bench_service bench_ptr_ring = {
	.name = "ptr_ring",
	.start = bench_ptr_ring_start,
	.stop = bench_ptr_ring_stop,
	.prepare = bench_pointer_prepare,
	.queue = bench_ptr_ring_queue,
	.flush = bench_ptr_ring_flush,
	.clean = bench_pointer_clean,
	.raw = true,
	.produce = bench_ptr_ring_produce,
	.consume = bench_ptr_ring_consume,
};

static int bench_ptr_ring_many_start(void)
{
	/* Uses the rings of bench_ptr_ring, which is started before. */
	return bench_ptr_ring.error;
}

static void bench_ptr_ring_many_stop(void)
{
}

static void bench_ptr_ring_many_flush(unsigned int member)
{
	void *tasks[BENCH_BATCH];
	unsigned int runs = 0;
	int i, nr;

	while ((nr = ptr_ring_consume_batched(&bench_ring[member], tasks,
					      BENCH_BATCH)) > 0) {
		for (i = 0; i < nr; i++)
			bench_pointer_run(tasks[i]);
		runs += nr;
	}
	atomic_add(runs, &bench_pointer_runs);
}

static void bench_ptr_ring_many_queue(struct bench_item *items,
				      unsigned int nr, unsigned int member)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		while (ptr_ring_produce(&bench_ring[member], &items[i].raw))
			bench_ptr_ring_many_flush(member);
	}
}

struct bench_service bench_ptr_ring_many = {
	.name = "ptr_ring batched consume",
	.start = bench_ptr_ring_many_start,
	.stop = bench_ptr_ring_many_stop,
	.prepare = bench_pointer_prepare,
	.queue = bench_ptr_ring_many_queue,
	.flush = bench_ptr_ring_many_flush,
	.clean = bench_pointer_clean,
	.raw = true,
};
