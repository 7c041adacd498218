/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scenarios: what work is given to the work service, or to one of its peers, in
 * the simulator, and what is counted. Bookkeeping is not instrumented and costs
 * nothing.
 */
#ifndef _WSQ_SIM_SCENE_H
#define _WSQ_SIM_SCENE_H

#include <linux/wsq.h>

#include "../shim.h"

struct peer;

/**
 * struct item - a work item of a scenario
 * @work: for wsq
 * @list: for peers
 * @fn: what it does, beside being counted
 * @ns: how long it computes
 * @home: the CPU that it belongs to
 * @arg: the scenario's
 * @queued: when
 * @state: %ITEM_IDLE, %ITEM_QUEUED, %ITEM_RUNS
 */
struct item {
	union {
		struct wsq_work work;
		struct list_head list;
	};
	void (*fn)(struct item *it);
	u32 ns;
	u32 home;
	u64 arg;
	sim_time queued;
	u32 state;
};

#define ITEM_IDLE	0
#define ITEM_QUEUED	1
#define ITEM_RUNS	2

/**
 * struct peer - something that runs items
 * @start: before the first item
 * @queue: have an item run
 * @queue_on: ... on a CPU; %NULL if it has no such thing
 * @flush: wait until all items that were queued before have run; %NULL likewise
 */
struct peer {
	void (*start)(void);
	void (*queue)(struct item *it);
	void (*queue_on)(unsigned int cpu, struct item *it);
	void (*flush)(void);
};

extern const struct peer wsq_peer, machine_peer, node_peer, cluster_peer, cpu_peer;

/**
 * struct scene - a scenario
 * @name: how it is asked for
 * @start: begin, in a thread on CPU 0; threads and items go on by themselves
 * @over: anything to be said beside what main.c says; or %NULL
 * @rest: take one of those that are left when all threads have ended; or %NULL
 * @pool: it is of a pool, and peers do not know it
 * @timed: it takes its own samples of time, not when items run
 * @ours: only wsq can do it
 * @least: there must be at least so many CPUs
 * @most: with more, setting it up takes too long; 0: any number
 */
struct scene {
	const char *name;
	void (*start)(void);
	void (*over)(void);
	bool (*rest)(void);
	bool pool;
	bool timed;
	bool ours;
	unsigned int least;
	unsigned int most;
};

extern const struct scene scenes[];
extern const struct scene pool_scenes[];

/**
 * struct scene_options - what was asked for
 * @engine: of the queue or pool
 * @ns: what an item computes, if not what the scenario says
 * @flight: items under way, if not what the scenario says
 */
struct scene_options {
	enum wsq_engine_type engine;
	long ns;
	unsigned int flight;
};

extern struct scene_options options;
extern const struct peer *peer;
extern struct wsq *scene_queue;		/* wsq's, when it is the peer */
extern struct wsq_pool *scene_pool;	/* of a scenario of pools */
extern u64 scene_looks;			/* at victims, by thieves */
extern u64 scene_stolen;		/* tasks of a pool that another CPU put */
extern bool scene_stop;			/* nothing new is to be queued */

/* Memory of a CPU's node, in objects as kmalloc() places them. */
struct item *scene_item(unsigned int cpu, void (*fn)(struct item *it), u32 ns);
/* To the peer; the item is idle. */
void scene_put(struct item *it);
void scene_put_on(unsigned int cpu, struct item *it);
/* A peer calls this for an item that it has taken. */
void scene_run(struct item *it);
/* Tasks of pools: one went in, or came out. */
void scene_in(u32 *state);
void scene_out(u32 *state);
/* What a scenario times itself. */
void scene_sample(sim_time time);
/* A figure of the scenario's own. */
void scene_figure(const char *name, const char *unit, double value);
/* A thread that the run waits for at its end. */
void scene_thread(unsigned int cpu, int (*fn)(void *arg), void *arg,
		  const char *name);

#endif /* _WSQ_SIM_SCENE_H */
