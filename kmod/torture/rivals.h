/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two sets of queues that play two modules against each other: hostile.c keeps
 * workers asleep, busy and flooded; promise.c checks that its own items run all
 * the same; rivals.c has what the two share.
 */
#ifndef _WSQ_TORTURE_RIVALS_H
#define _WSQ_TORTURE_RIVALS_H

#include "torture.h"

/* Queues of each set: one for each engine. */
#define RIVAL_QUEUES		WSQ_NR_ENGINES

/* Threads of each set, at most. */
#define RIVAL_MAX		16

/*
 * Hostile items that may run on one CPU while an ordinary item waits there. The
 * longest wait that the contract allows is a few hundred items in front, of
 * which one in 64 is the oldest on a LIFO queue, and a time slice of each
 * queue. But the scheduler may preempt a worker between the claim of an item
 * and its function, while another worker runs hostile items of some 30 ns. So
 * an item counts as starved only if the witness of that CPU has also had
 * RIVAL_BEATS beats: then the worker that has the item had many time slices.
 * Either number alone proves nothing: half a million items may be one time
 * slice, and during the beats the CPU may have run other threads.
 */
#define RIVAL_MOST		500000
#define RIVAL_BEATS		500

/**
 * struct rival - the round of one thread, for the watchdog
 * @what: description; %NULL if there is no round. Thread.
 * @engine: engine of the queue. Thread.
 * @cpu: the CPU that the items are bound to, or -1. Thread.
 * @nr: number of items. Thread.
 * @begun: number of functions that have begun
 * @ended: number of functions that have ended
 * @moves: @begun + @ended when the watchdog last saw them change. Watchdog.
 * @since: when that was, by torture_clock(). Thread and watchdog.
 * @told: the watchdog has reported it. Thread and watchdog.
 */
struct rival {
	const char *what;
	const char *engine;
	int cpu;
	unsigned int nr;
	atomic_t begun;
	atomic_t ended;
	u32 moves;
	unsigned long since;
	bool told;
};

/* rivals.c */
DECLARE_PER_CPU(unsigned long, rival_hostile_runs);
extern bool rival_let_go;
struct wsq *rival_queue(bool hostile, struct rnd_state *rnd,
			const char **engine);
struct wsq *rival_solo_queue(struct rnd_state *rnd, unsigned int cpu,
			     const char **engine);
struct rival *rival_begin(struct torture_thread *t, const char *what,
			  const char *engine, int cpu, unsigned int nr);
void rival_end(struct rival *r);
void rival_await_promises(void);

#endif /* _WSQ_TORTURE_RIVALS_H */
