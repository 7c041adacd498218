/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scenarios of kmod/exec for ../../explore.c, and the items that they queue. None
 * of this is instrumented: it takes no time, and no other CPU comes in between.
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
 * @q: where it is queued
 * @fn: what it does
 * @arg: the scenario's
 * @ns: likewise
 * @nr: its number
 * @cpu: where it is to run; negative: anywhere
 * @accepted: puts that returned true
 * @begun: runs
 * @ended: runs that are over
 * @cancelled: runs that were cancelled
 * @cancels: calls under way that may cancel one
 * @stray: a put may have found it running, so @cpu is not promised
 * @other: the item that it has go on
 * @go: it need not wait any more
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
 * @name: how it is asked for
 * @rounds: how many there are of a seed
 * @round: begin one; it is over when all threads have ended and all items that were
 *	accepted have run, or were cancelled
 * @over: look at it then; or %NULL
 */
struct scene {
	const char *name;
	unsigned int rounds;
	void (*round)(void);
	void (*over)(void);
};

extern const struct scene handoff_scene, limits_scene, detach_scene, detached_scene,
	watch_scene, parking_scene, passed_scene, released_scene, few_scene, wake_scene,
	again_scene, flush_scene;

extern struct item *items[ITEMS];
extern unsigned int nr_items;

/* 0 to @n - 1. */
unsigned int below(unsigned int n);
/* True once in @n times. */
bool once_in(unsigned int n);
/* One of the queues of that limit. */
struct queue *queue_of(unsigned int most, unsigned int nr);
/* The next item of the round. */
struct item *new_item(struct queue *q, int cpu, void (*fn)(struct item *it));
/* Any CPU. */
int some_cpu(void);
/* Returns what the put returned. */
bool put(struct item *it);
/* Put in a thread or an interrupt, on a CPU and at a time at random. */
void put_somewhere(struct item *it);
/* In an interrupt of that CPU, at that time. */
void put_on_cpu(unsigned int cpu, struct item *it, sim_time when);
/* A thread that the round waits for. */
void thread(int (*fn)(void *arg), void *arg);
/* Sleep, or compute, for a time at random, of any scale up to this. */
void doze(sim_time most);
void compute(sim_time most);
/* Compute until the item may go on; more or less. */
void compute_to_go(struct item *it, sim_time step);
/* That item may go on. */
void let_go(struct item *it);

/* For main.c: is the round over? And what it waits for beside items. */
void explore_look(void);
void explore_begin_thread(void);
void explore_end_thread(bool unused);

/* What items do: nothing; sleep until they may go on; have another go on. */
void nothing(struct item *it);
void wait_to_go(struct item *it);
void let_go_on(struct item *it);

#endif /* _WSQ_SIM_KERNEL_EXPLORE_H */
