/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wsq_bench.ko: empty items through wsq and through what the kernel has
 * already, side by side. Internal.
 *
 * A service takes items and sees to it that their function is called. A case
 * measures services one after the other within each round, so that whatever
 * disturbs the machine for longer than a round disturbs all alike. Samples are
 * kept in memory and printed at the end, because a console costs time.
 */
#ifndef _WSQ_BENCH_BENCH_H
#define _WSQ_BENCH_BENCH_H

#include <linux/cache.h>
#include <linux/kthread.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/wsq.h>

/* CPUs that submit: enough for contention, and all that UML has. */
#define BENCH_MAX_CPUS		2

/* Pointers in one push_many or pop_many. */
#define BENCH_BATCH		64

/* Room of each ptr_ring: what a wsq container has by default. */
#define BENCH_RING_SIZE		(WSQ_DEF_BLOCKS * WSQ_DEF_BLOCK_SIZE)

struct bench_raw;
typedef void (*bench_func_t)(struct bench_raw *raw);

/* An item of a service that hands out pointers only. */
struct bench_raw {
	bench_func_t func;
};

/**
 * struct bench_item - one item, on a cache line of its own as in real life
 * @work: for workqueue
 * @kwork: for kthread_worker
 * @wsq: for wsq
 * @raw: for pools of pointers
 * @stamp: when it ran, ns; latency only
 */
struct bench_item {
	union {
		struct work_struct work;
		struct kthread_work kwork;
		struct wsq_work wsq;
		struct bench_raw raw;
	};
	u64 stamp;
} ____cacheline_aligned;

/**
 * struct bench_service - something that runs items
 * @name: for people; ours begin with "wsq "
 * @start: make it ready; an errno keeps it out, with a note
 * @stop: take it down
 * @prepare: make items ready to be queued; @stamp chooses a function that
 *	stores the time instead of an empty one
 * @queue: queue items; called on the submitting CPU. A pool of pointers has
 *	nobody to run items: it runs them here whenever it is full
 * @flush: wait until what this member queued has run
 * @clean: has everything run since the last call
 * @raw: is a pool of pointers
 * @produce: queue for another CPU's @consume, see raw.c; %NULL if it cannot
 * @consume: run what @produce queues until that is through
 * @error: why it is not there. Set by bench_services_start().
 */
struct bench_service {
	const char *name;
	int (*start)(void);
	void (*stop)(void);
	void (*prepare)(struct bench_item *items, unsigned int nr, bool stamp);
	void (*queue)(struct bench_item *items, unsigned int nr,
		      unsigned int member);
	void (*flush)(unsigned int member);
	bool (*clean)(struct bench_item *items, unsigned int nr);
	bool raw;
	void (*produce)(struct bench_item *items, unsigned int nr);
	void (*consume)(unsigned int nr);
	int error;
};

/* The CPUs that submit, by member. Constant once set by bench_init(). */
extern unsigned int bench_cpus[BENCH_MAX_CPUS];
extern unsigned int bench_nr_cpus;

/* peers.c: what the kernel has */
extern struct bench_service bench_system_wq;
extern struct bench_service bench_percpu_wq;
extern struct bench_service bench_unbound_wq;
extern struct bench_service bench_bh_wq;
extern struct bench_service bench_kthread_worker;

/* ours.c */
extern struct bench_service bench_wsq;
extern struct bench_service bench_wsq_local;
extern struct bench_service bench_wsq_large;
extern struct bench_service bench_wsq_blocks;

/* raw.c */
extern struct bench_service bench_pool;
extern struct bench_service bench_pool_many;
extern struct bench_service bench_ptr_ring;
extern struct bench_service bench_ptr_ring_many;

/* report.c */
void bench_report(const char *service, const char *metric, const char *unit,
		  const u64 *samples, unsigned int nr, unsigned int run);
void bench_report_note(const char *service, const char *metric,
		       const char *note, unsigned int run);

/* team.c */
typedef void (*bench_job_t)(unsigned int member, void *arg);
int bench_team_run(unsigned int nr, bench_job_t job, void *arg);

#endif /* _WSQ_BENCH_BENCH_H */
