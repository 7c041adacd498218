/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A walk over a graph by several threads, each with a queue of vertices: D.
 * Bader, G. Cong, "A fast, parallel spanning tree algorithm for symmetric
 * multiprocessors" (IPDPS 2004), as work-stealing queues are usually compared by.
 *
 * A thread takes a vertex, its own or a stolen one, and for each neighbour that
 * has no parent yet it stores itself as the parent and puts the neighbour. Two
 * threads may do that for the same neighbour, and then both put it. A walk ends
 * when all threads are idle: a thread is idle only if its own queue is empty,
 * and only the owner puts.
 *
 * The store of a parent is plain, as published, or a compare-and-exchange
 * (@claims). Plain, the parents are a tree only if a thread that takes a vertex
 * sees all parents that were stored before others took theirs. Without a fence
 * in put and get that is not so: two threads may each overlook what the other
 * has just stored, and make two vertices each other's parent. All vertices are
 * reached nevertheless.
 *
 * For: spanning.c, ../../stress/spanning.c.
 */
#ifndef _WSQ_BENCH_MULT_WALK_H
#define _WSQ_BENCH_MULT_WALK_H

#include <sched.h>

#include "../../rnd.h"
#include "graph.h"

#define WALK_THREADS	15

/*
 * In @took: the task was put. Bit N: thread N took it; and WALK_THREADS higher:
 * more than once.
 */
#define WALK_PUT	(1U << 31)

/* @v counts as used. */
#define walk_use(v)	__asm__ __volatile__("" : : "r"(v) : "memory")

/**
 * struct walk - a walk
 * @g: the graph
 * @parent: of each vertex, %GRAPH_NONE before. Any thread
 * @nr: threads
 * @claims: a parent is stored by compare-and-exchange
 * @crowd: there are more threads than CPUs
 * @queues: of each thread
 * @took: for each thread and vertex that it puts, which threads took it; all
 *	%NULL if that is not recorded
 * @idle: threads that found nothing
 */
struct walk {
	const struct graph *g;
	u32 *parent;
	u32 nr;
	bool claims;
	bool crowd;
	void *queues[WALK_THREADS];
	u32 *took[WALK_THREADS];
	u32 idle __attribute__((aligned(64)));
};

/**
 * struct walker - a thread of a walk, its own
 * @walk: the walk
 * @me: its number
 * @root: of the thread that begins: the task of the root
 * @seed: of its random victims
 * @visits: tasks it took
 * @puts: tasks it put
 * @stolen: of @visits, those of others
 */
struct walker {
	struct walk *walk;
	u32 me;
	void *root;
	u64 seed;
	u64 visits;
	u64 puts;
	u64 stolen;
} __attribute__((aligned(64)));

/* A task names the thread that put it, which puts a vertex once at most. */
static inline void *walk_task(u32 v, u32 me)
{
	return (void *)(uintptr_t)((u64)me << 32 | ((u64)v + 1));
}

static inline void walk_mark(struct walk *walk, u32 putter, u32 v, u32 bit)
{
	u32 was;

	if (!walk->took[0])
		return;
	was = __atomic_fetch_or(&walk->took[putter][v], bit, __ATOMIC_RELAXED);
	if (was & bit)
		__atomic_fetch_or(&walk->took[putter][v], bit << WALK_THREADS,
				  __ATOMIC_RELAXED);
}

/* Does the calling thread put this neighbour of @v? */
static inline bool walk_reach(struct walk *walk, u32 v, u32 neighbour)
{
	u32 none = GRAPH_NONE;

	if (__atomic_load_n(&walk->parent[neighbour], __ATOMIC_RELAXED) != GRAPH_NONE)
		return false;
	if (walk->claims)
		return __atomic_compare_exchange_n(&walk->parent[neighbour], &none, v, false,
						   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	__atomic_store_n(&walk->parent[neighbour], v, __ATOMIC_RELAXED);
	return true;
}

/* Visit the vertex of @task. @put is the queue's. */
#define WALK_VISIT(w, task, own, put)					\
do {									\
	const struct graph *walk_g = (w)->walk->g;			\
	u32 walk_v = (u32)(uintptr_t)(task) - 1, walk_i, walk_to;	\
									\
	walk_mark((w)->walk, (u32)((u64)(uintptr_t)(task) >> 32), walk_v, 1U << (w)->me); \
	(w)->visits++;							\
	for (walk_i = walk_g->first[walk_v]; walk_i < walk_g->first[walk_v + 1]; walk_i++) { \
		walk_to = walk_g->ends[walk_i];				\
		if (!walk_reach((w)->walk, walk_v, walk_to))		\
			continue;					\
		walk_mark((w)->walk, (w)->me, walk_to, WALK_PUT);	\
		(w)->puts++;						\
		put(own, walk_task(walk_to, (w)->me));			\
	}								\
} while (0)

/* Random victims, and the caller's party in the victim's queue. */
#define WALK_VICTIMS(w, victim, party)					\
	for (u32 walk_try = 2 * (w)->walk->nr;				\
	     walk_try-- && walk_victim(w, &(victim), &(party));)

static inline bool walk_victim(struct walker *w, u32 *victim, u32 *party)
{
	u32 nr = w->walk->nr;

	if (nr == 1)
		return false;
	*party = 1 + (u32)(rnd(&w->seed) >> 32) % (nr - 1);
	*victim = (w->me + nr - *party) % nr;
	return true;
}

static inline void walk_idle(struct walk *walk)
{
	__atomic_fetch_add(&walk->idle, 1, __ATOMIC_SEQ_CST);
}

static inline void walk_busy(struct walk *walk)
{
	__atomic_fetch_sub(&walk->idle, 1, __ATOMIC_SEQ_CST);
}

static inline bool walk_over(struct walk *walk)
{
	return __atomic_load_n(&walk->idle, __ATOMIC_SEQ_CST) == walk->nr;
}

static inline void walk_relax(struct walker *w)
{
	if (w->walk->crowd)
		sched_yield();
#ifdef __x86_64__
	else
		__builtin_ia32_pause();
#endif
}

struct mult_case;

/**
 * struct walk_result - what a walk did
 * @ns: from the moment all threads were ready until the last one ended
 * @off: of these, for how long a thread was off its CPU, the most of any thread
 * @visits: tasks taken
 * @puts: tasks put, the root included
 * @stolen: of @visits, those taken by thieves
 */
struct walk_result {
	u64 ns;
	u64 off;
	u64 visits;
	u64 puts;
	u64 stolen;
};

/**
 * walk_run() - walk over a graph
 * @walk: @g, @parent, @nr, @claims and @took are set
 * @c: the queue
 * @length: slots that its arrays begin with
 * @cpus: CPUs to pin threads to, one after the other; 0: not pinned
 * @r: where to store what it did
 */
void walk_run(struct walk *walk, const struct mult_case *c, u64 length, u32 cpus,
	      struct walk_result *r);

/**
 * walk_check() - was everything reached, and are the parents a tree
 * @walk: the walk
 * @loops: where to store whether some parents do not lead to the root
 *
 * Return: %NULL, or what is wrong: a vertex was not reached, or cannot be, or its
 * parent is no neighbour. @loops is for the caller to judge.
 */
const char *walk_check(const struct walk *walk, bool *loops);

#endif /* _WSQ_BENCH_MULT_WALK_H */
