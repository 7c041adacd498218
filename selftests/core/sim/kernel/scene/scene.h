/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scenarios: the work that the work service, or one of its peers, is given in
 * the simulator, and the counters. Bookkeeping is not instrumented and costs
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
 * @fn: its function, beside the counting
 * @ns: its computing time
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
 * @queue: queues an item
 * @queue_on: ... on a CPU; %NULL if not supported
 * @flush: waits until all items that were queued before have run; %NULL
 *	likewise
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
 * @name: its name on the command line
 * @start: begins, in a thread on CPU 0; threads and items continue by
 *	themselves
 * @over: prints figures beside main.c's; or %NULL
 * @rest: takes one of the tasks that are left when all threads have ended; or
 *	%NULL
 * @pool: it is of a pool, which peers do not have
 * @timed: it takes its own samples of time, not when items run
 * @ours: only wsq supports it
 * @named: it runs only if --scene is given
 * @least: least number of CPUs
 * @most: with more CPUs, setup takes too long; 0: any number
 */
struct scene {
	const char *name;
	void (*start)(void);
	void (*over)(void);
	bool (*rest)(void);
	bool pool;
	bool timed;
	bool ours;
	bool named;
	unsigned int least;
	unsigned int most;
};

extern const struct scene scenes[];
extern const struct scene pool_scenes[];
extern const struct scene mult_scenes[];

/**
 * struct scene_options - options
 * @engine: of the queue or pool
 * @multiplicity: of a pool with %WSQ_WS_MULT
 * @ns: computing time of an item, if not the scenario's default
 * @flight: items in flight, if not the scenario's default
 */
struct scene_options {
	enum wsq_engine_type engine;
	enum wsq_multiplicity multiplicity;
	long ns;
	unsigned int flight;
};

extern struct scene_options options;
extern const struct peer *peer;
extern struct wsq *scene_queue;		/* wsq's, when it is the peer */
extern struct wsq_pool *scene_pool;	/* of a scenario of pools */
extern u64 scene_looks;			/* at victims, by thieves */
extern u64 scene_stolen;		/* tasks of a pool that another CPU put */
extern u64 scene_again;			/* tasks of a pool that came out again */
extern bool scene_stop;			/* nothing new is to be queued */

/* Memory of a CPU's node, in objects as kmalloc() places them. */
struct item *scene_item(unsigned int cpu, void (*fn)(struct item *it), u32 ns);
/* Queues it with the peer; the item is idle. */
void scene_put(struct item *it);
void scene_put_on(unsigned int cpu, struct item *it);
/* A peer calls this for each item that it has taken. */
void scene_run(struct item *it);
/* Tasks of pools: one went in, or came out. */
void scene_in(u32 *state);
void scene_out(u32 *state);
/* A sample of a timed scenario. */
void scene_sample(sim_time time);
/* A figure specific to the scenario. */
void scene_figure(const char *name, const char *unit, double value);
/* A thread that the run waits for at its end. */
void scene_thread(unsigned int cpu, int (*fn)(void *arg), void *arg,
		  const char *name);

#endif /* _WSQ_SIM_SCENE_H */
