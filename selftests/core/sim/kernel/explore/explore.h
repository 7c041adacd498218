/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scenarios of kmod/exec and kmod/pool for ../../explore.c, and the items that they queue.
 * This code is not instrumented: it takes no time, and no other CPU runs in
 * between.
 */
#ifndef _WSQ_SIM_KERNEL_EXPLORE_H
#define _WSQ_SIM_KERNEL_EXPLORE_H

#include <linux/wsq.h>

#include "../shim.h"

#define QUEUES	3	/* of each limit */
#define LIMITS	3	/* max_active: 1 to 3 */
#define ITEMS	12	/* of a round */

struct queue {
	struct wsq *q;
	unsigned int most;		/* max_active */
	unsigned int under_way[SIM_CPUS];
};

/**
 * struct item - an item of a round
 * @work: the item
 * @q: its queue
 * @fn: its function
 * @arg: the scenario's
 * @ns: likewise
 * @nr: its number
 * @cpu: CPU that it is bound to; negative: any
 * @accepted: puts that returned true
 * @begun: runs
 * @ended: runs that are over
 * @cancelled: runs that were cancelled
 * @cancels: calls in progress that may cancel one
 * @stray: a put may have found it running, so @cpu is not guaranteed
 * @other: the item that it lets continue
 * @go: it may continue
 * @waiter: the thread that waits for @go
 */
struct item {
	struct wsq_work work;
	struct queue *q;
	void (*fn)(struct item *it);
	unsigned int arg;
	u64 ns;
	unsigned int nr;
	int cpu;
	unsigned int accepted;
	unsigned int begun;
	unsigned int ended;
	unsigned int cancelled;
	unsigned int cancels;
	bool stray;
	struct item *other;
	bool go;
	struct task_struct *waiter;
};

/**
 * struct scene - a scenario
 * @name: its name on the command line
 * @more: CPUs beside those of the command line
 * @cluster: CPUs of a domain, if it matters
 * @rounds: rounds for each seed
 * @round: begins one; it is over when all threads have ended and all items that
 *	were accepted have run, or were cancelled
 * @over: checks at the end of a round; or %NULL
 */
struct scene {
	const char *name;
	unsigned int more;
	unsigned int cluster;
	unsigned int rounds;
	void (*round)(void);
	void (*over)(void);
};

extern const struct scene handoff_scene, limits_scene, detach_scene, detached_scene,
	watch_scene, parking_scene, passed_scene, released_scene, few_scene, wake_scene,
	again_scene, bound_scene, flush_scene, flush_all_scene, pool_bwos_scene, pool_lifo_scene, pool_salsa_scene,
	pool_wake_scene, pool_far_scene, ordered_scene, ordered_gone_scene;

extern struct item *items[ITEMS];
extern unsigned int nr_items;

/* 0 to @n - 1. */
unsigned int below(unsigned int n);
/* True once in @n times. */
bool once_in(unsigned int n);
/* A queue with that limit. */
struct queue *queue_of(unsigned int most, unsigned int nr);
/* A queue that keeps order. */
struct queue *queue_ordered(void);
/* The next item of the round. */
struct item *new_item(struct queue *q, int cpu, void (*fn)(struct item *it));
/* Any CPU. */
int some_cpu(void);
/* Returns the put's result. */
bool put(struct item *it);
/* Calls one of the functions that cancel, and counts. */
void cancel(struct item *it, bool (*fn)(struct wsq_work *work));
/* Puts in a thread or an interrupt, on a random CPU at a random time. */
void put_somewhere(struct item *it);
/* In an interrupt of that CPU, at that time. */
void put_on_cpu(unsigned int cpu, struct item *it, sim_time when);
/* A thread that the round waits for. */
void thread(int (*fn)(void *arg), void *arg);
/* Sleeps, or computes, for a random time, of any scale up to this. */
void doze(sim_time most);
void compute(sim_time most);
/* Computes until the item may continue, more or less. */
void compute_to_go(struct item *it, sim_time step);
/* Lets that item continue. */
void let_go(struct item *it);

/* For main.c: is the round over? And what it waits for beside items. */
void explore_look(void);
void explore_begin_thread(void);
void explore_end_thread(bool unused);

/* Functions of items: nothing; sleep until let go; let another one go. */
void nothing(struct item *it);
void wait_to_go(struct item *it);
void let_go_on(struct item *it);

#endif /* _WSQ_SIM_KERNEL_EXPLORE_H */
