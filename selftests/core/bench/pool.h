/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pool of queues, one for each thread, and policies of choosing victims
 * (paper 001, section 6.2.3): fill the own queue, empty it, steal from the
 * others.
 *
 * For pool.c, which drives it, and the files that wrap one queue each
 * (blocks.c, peers/chase_lev.c), which make the loop with POOL(), so that all
 * of it is inlined. They are compiled for it separately, with BENCH_POOL, so
 * that the loops of main.c stay unchanged. The module's policies are those of
 * kmod/pool/victim_pick.h, the same source. Last victim, best of two and best
 * of many, which the module does not have, are here, and so is the paper's
 * estimate of a victim's size (section 3.4: is the sampled block empty?) beside
 * the module's (how many tasks has it?). As in the module, a thief whose policy
 * finds nothing looks at all others once, nearest first.
 *
 * Costs outside the queue: one increment and one compiler barrier for each
 * operation, a store for every 256.
 *
 * Limitations: stolen tasks are used up at once; a thread that finds nothing
 * retries a configured number of times.
 */
#ifndef _WSQ_BENCH_POOL_H
#define _WSQ_BENCH_POOL_H

#include "../../../kmod/pool/victim_pick.h"
#include "bench.h"

#define POOL_THREADS	64
#define POOL_DISTANCES	4	/* same core, cache, node; other node */
#define POOL_NOTIFIED	256	/* operations between two publications */

/**
 * struct pool_policy - how to choose a victim
 * @name: the module's name for it, or the paper's
 * @flags: WSQ_PICK_*, for the module's
 * @any: with %WSQ_PICK_ACCEPT, accept a victim whose sampled block has any task
 * @last: the last successful victim first
 * @sizes: compare the sizes of two, drawn at random
 * @many: ... of half of the others instead
 */
struct pool_policy {
	const char *name;
	u32 flags;
	bool any;
	bool last;
	bool sizes;
	bool many;
};

/**
 * struct pool_thread - a thread and its counters; only that thread writes them
 * @ops: puts, gets and steals, published now and then
 * @puts: at the end
 * @gets: at the end
 * @steals: by distance, at the end
 * @looks: victims looked at, at the end
 * @sizes: sizes of victims in thousandths of the others' average, summed up;
 *	step by step only
 * @thief: its random numbers and where it continues
 * @list: the others, nearest first
 * @last: where in @list it stole last
 * @phase: its next action, step by step
 * @tried: attempts to steal in this phase
 * @q: its queue
 */
struct pool_thread {
	uint64_t ops __attribute__((aligned(128)));
	uint64_t puts __attribute__((aligned(128)));
	uint64_t gets;
	uint64_t steals[POOL_DISTANCES];
	uint64_t looks;
	uint64_t sizes;
	struct wsq_thief thief;
	struct wsq_access *list;
	uint32_t last;
	enum { POOL_FILL, POOL_EMPTY, POOL_STEAL } phase;
	unsigned int tried;
	void *q;
};

/**
 * struct pool - shared by the threads of a window
 * @policy: how to choose a victim
 * @attempts: steals that each thread attempts in a turn
 * @stop: end of the window
 */
struct pool {
	struct pool_thread thread[POOL_THREADS];
	const struct pool_policy *policy;
	unsigned int attempts;
	int stop __attribute__((aligned(128)));
};

/**
 * struct pool_queue - one kind of queue
 * @name: the case is this and the policy's name
 * @capacity: tasks it can hold
 * @samples: can be sampled
 * @at: a thief may take from the sampled block
 * @create: makes one
 * @destroy: frees it
 * @get: takes one task, when the threads have ended
 * @run: a thread's loop until @stop
 * @step: at most so many operations of a thread's loop, all of one phase
 */
struct pool_queue {
	const char *name;
	unsigned int capacity;
	bool samples;
	bool at;
	void *(*create)(void);
	void (*destroy)(void *q);
	void *(*get)(void *q);
	void (*run)(struct pool *p, unsigned int id);
	void (*step)(struct pool *p, unsigned int id, unsigned int nr);
};

static inline bool pool_ended(const struct pool *p)
{
	return __atomic_load_n(&p->stop, __ATOMIC_RELAXED);
}

static inline void pool_notify(struct pool_thread *t, uint64_t ops)
{
	__atomic_store_n(&t->ops, ops, __ATOMIC_RELAXED);
}

static inline void *pool_victim(struct pool *p, const struct pool_thread *t,
				uint32_t i)
{
	return p->thread[t->list->victims[i].cpu].q;
}

/*
 * @type is the queue:
 *	bool prefix_put(type *q, void *task)
 *	void *prefix_get(type *q)
 *	bool prefix_steal(type *q): one task
 *	u32 prefix_sample(type *q, u32 rnd, u32 *place),
 *	u32 prefix_full(type *q): stealable tasks of a block, and its size
 *	bool prefix_steal_at(type *q, u32 place)
 *	u64 prefix_size(type *q)
 */
#define POOL(prefix, type)						\
static bool prefix##_from(struct pool *p, struct pool_thread *t,	\
			  uint32_t i)					\
{									\
	t->looks++;							\
	if (!prefix##_steal((type *)pool_victim(p, t, i)))		\
		return false;						\
	t->steals[t->list->victims[i].distance]++;			\
	t->last = i;							\
	return true;							\
}									\
									\
/* The module's policies. */						\
static bool prefix##_search(struct pool *p, struct pool_thread *t,	\
			    const struct pool_policy *policy)		\
{									\
	const u32 flags = policy->flags;				\
	const struct wsq_victim *v;					\
	struct wsq_pick pick;						\
									\
	wsq_pick_begin(&pick, t->list, flags);				\
	while ((v = wsq_pick_next(&pick, &t->thief))) {			\
		type *q = (type *)p->thread[v->cpu].q;			\
		u32 index = 0;						\
									\
		if (flags & WSQ_PICK_ACCEPT) {				\
			u32 n = prefix##_sample(q,			\
					wsq_thief_rnd(&t->thief), &index);\
									\
			t->looks++;					\
			if (policy->any ? !n :				\
			    !wsq_pick_accept(&t->thief, n, prefix##_full(q)))\
				continue;				\
		}							\
		if (!(flags & WSQ_PICK_AT)) {				\
			if (prefix##_from(p, t,				\
					  (uint32_t)(v - t->list->victims)))\
				return true;				\
		} else if (prefix##_steal_at(q, index)) {		\
			t->steals[v->distance]++;			\
			t->last = (uint32_t)(v - t->list->victims);	\
			return true;					\
		}							\
	}								\
	return false;							\
}									\
									\
/* The largest of @nr random victims. */				\
static bool prefix##_largest(struct pool *p, struct pool_thread *t,	\
			     uint32_t nr)				\
{									\
	uint32_t i, best = 0;						\
	u64 size, most = 0;						\
									\
	while (nr--) {							\
		i = wsq_thief_draw(&t->thief, t->list->nr);		\
		size = prefix##_size((type *)pool_victim(p, t, i));	\
		t->looks++;						\
		if (size > most) {					\
			most = size;					\
			best = i;					\
		}							\
	}								\
	return most && prefix##_from(p, t, best);			\
}									\
									\
static bool prefix##_attempt(struct pool *p, struct pool_thread *t)	\
{									\
	const struct pool_policy *policy = p->policy;			\
	uint32_t i, nr = t->list->nr;					\
									\
	if (policy->sizes) {						\
		if (prefix##_largest(p, t, policy->many && nr > 4 ?	\
				     (nr + 1) / 2 : 2))			\
			return true;					\
	} else if (policy->last) {					\
		if (prefix##_from(p, t, t->last) ||			\
		    prefix##_from(p, t, wsq_thief_draw(&t->thief, nr)))	\
			return true;					\
	} else if (prefix##_search(p, t, policy)) {			\
		return true;						\
	}								\
	for (i = 0; i < nr; i++) {					\
		if (prefix##_from(p, t, i))				\
			return true;					\
	}								\
	return false;							\
}									\
									\
static void prefix##_run(struct pool *p, unsigned int id)		\
{									\
	struct pool_thread *t = &p->thread[id];				\
	uint64_t puts = 0, gets = 0, steals = 0, n;			\
	type *q = (type *)t->q;						\
	unsigned int i;							\
	void *task;							\
									\
	while (!pool_ended(p)) {					\
		do {							\
			for (n = 0; n < POOL_NOTIFIED &&			\
			     prefix##_put(q, (void *)(uintptr_t)(puts + 1));\
			     n++) {					\
				puts++;					\
				bench_barrier();			\
			}						\
			pool_notify(t, puts + gets + steals);		\
		} while (n == POOL_NOTIFIED && !pool_ended(p));		\
		do {							\
			for (n = 0; n < POOL_NOTIFIED && (task = prefix##_get(q));\
			     n++) {					\
				gets++;					\
				bench_use(task);			\
			}						\
			pool_notify(t, puts + gets + steals);		\
		} while (n == POOL_NOTIFIED && !pool_ended(p));		\
		for (i = 0; i < p->attempts && !pool_ended(p); i++) {	\
			steals += prefix##_attempt(p, t);		\
			if (!(i % POOL_NOTIFIED))				\
				pool_notify(t, puts + gets + steals);	\
		}							\
		pool_notify(t, puts + gets + steals);			\
	}								\
	t->puts = puts;							\
	t->gets = gets;							\
}									\
									\
/* One attempt, and the size of its victim. */				\
static void prefix##_attempt_seen(struct pool *p, struct pool_thread *t)	\
{									\
	u64 size[POOL_THREADS], sum = 0;				\
	uint32_t i, nr = t->list->nr;					\
									\
	for (i = 0; i < nr; i++) {					\
		size[i] = prefix##_size((type *)pool_victim(p, t, i));	\
		sum += size[i];						\
	}								\
	if (prefix##_attempt(p, t) && sum)				\
		t->sizes += size[t->last] * nr * 1000 / sum;		\
}									\
									\
static void prefix##_step(struct pool *p, unsigned int id,		\
			  unsigned int nr)				\
{									\
	struct pool_thread *t = &p->thread[id];				\
	type *q = (type *)t->q;						\
									\
	for (; nr && t->phase == POOL_FILL; nr--) {			\
		if (!prefix##_put(q, (void *)(uintptr_t)(t->puts + 1))) {\
			t->phase = POOL_EMPTY;				\
			return;						\
		}							\
		t->puts++;						\
	}								\
	for (; nr && t->phase == POOL_EMPTY; nr--) {			\
		if (!prefix##_get(q)) {					\
			t->phase = POOL_STEAL;				\
			t->tried = 0;					\
			return;						\
		}							\
		t->gets++;						\
	}								\
	for (; nr && t->phase == POOL_STEAL; nr--) {			\
		if (t->tried++ == p->attempts) {			\
			t->phase = POOL_FILL;				\
			return;						\
		}							\
		prefix##_attempt_seen(p, t);				\
	}								\
}

#endif /* _WSQ_BENCH_POOL_H */
