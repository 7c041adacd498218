/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wsq_bench.ko: empty items through wsq and through what the kernel already
 * has, side by side. Internal.
 *
 * A service takes items and calls their functions. A case measures all services
 * one after the other in each round, so that a disturbance longer than a round
 * affects all alike. Samples are kept in memory and shown at the end.
 */
#ifndef _WSQ_BENCH_BENCH_H
#define _WSQ_BENCH_BENCH_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/wsq.h>
#include <linux/wsq_serial.h>

#include "../engine/engines.def"

/* CPUs that submit, at most. */
#define BENCH_MAX_CPUS		32

/* Pointers in one push_many or pop_many. */
#define BENCH_BATCH		64

/* Capacity of each ptr_ring: that of a wsq container by default. */
#define BENCH_RING_SIZE		(WSQ_DEF_BLOCKS * WSQ_DEF_BLOCK_SIZE)

struct bench_pointer;
struct completion;
struct seq_file;
typedef void (*bench_func_t)(struct bench_pointer *raw);

struct bench_item;

/* An item of a service that keeps a list. */
struct bench_listed {
	struct llist_node node;
	void (*func)(struct bench_item *it);
};

/* An item of a service that hands out pointers only. */
struct bench_pointer {
	bench_func_t func;
};

/**
 * struct bench_item - one item, on a cache line of its own as usual in practice
 * @work: for workqueue
 * @kwork: for kthread_worker
 * @wsq: for wsq
 * @serial: for its serials
 * @raw: for pools of pointers
 * @listed: for services with a list of their own
 * @stamp: when it ran, ns; with %BENCH_STAMP and %BENCH_SLEEP
 * @left: children that have not finished; with %BENCH_SPAWN
 * @done: the item completes it, with %BENCH_COMPLETE, or as the root of a tree;
 *	the item waits for it, with %BENCH_SLEEP
 */
struct bench_item {
	union {
		struct work_struct work;
		struct kthread_work kwork;
		struct wsq_work wsq;
		struct wsq_serial_work serial;
		struct bench_pointer raw;
		struct bench_listed listed;
	};
	union {
		u64 stamp;
		atomic_t left;
	};
	struct completion *done;
} ____cacheline_aligned;

/* What the function of an item does. */
enum bench_does {
	BENCH_EMPTY,
	BENCH_STAMP,		/* stores the time */
	BENCH_COMPLETE,
	BENCH_SPAWN,		/* queues others, see spawn.c */
	BENCH_SLEEP,		/* stores the time, and sleeps */
	BENCH_COMPUTE,		/* computes, see reach.c */
	BENCH_FINISH,		/* completes a request, see completion.c */
	BENCH_NR_DOES,
};

struct bench_kind;

/**
 * struct bench_service - something that runs items
 * @name: shown in results; ours begin with "wsq "
 * @start: set it up; if it returns an errno the service is left out, with a
 *	note
 * @stop: take it down
 * @prepare: make items ready to be queued
 * @queue: queue items; called on the submitting CPU. A pool of pointers has no
 *	workers: the caller runs items whenever the pool is full
 * @queue_many: queue items as a batch; %NULL if it cannot
 * @flush: wait until what this member queued has run
 * @flush_one: wait for one item; %NULL if it cannot
 * @cancel: cancel items, and if @sync wait for those that run; returns how many
 *	were pending. %NULL if it cannot
 * @clean: has everything run since the last call
 * @again: how many more times than once items ran, by the last @clean; %NULL if
 *	items run once
 * @raw: is a pool of pointers
 * @flushes: @flush waits for the whole queue
 * @stays: other CPUs do not take items that wait on a CPU
 * @softirq: its items run in softirq context
 * @serial: it runs one item at a time
 * @sync_only: @cancel always waits
 * @restricted: only member 0 may queue
 * @only: the only kind of case that it is measured in; %NULL means all
 * @produce: queue for another CPU's @consume, see pointer.c; %NULL if it cannot
 * @consume: run what @produce queues until @produce has ended
 * @error: why it is not available. Set by bench_services_start().
 */
struct bench_service {
	const char *name;
	int (*start)(void);
	void (*stop)(void);
	void (*prepare)(struct bench_item *items, unsigned int nr,
			enum bench_does does);
	void (*queue)(struct bench_item *items, unsigned int nr,
		      unsigned int member);
	void (*queue_many)(struct bench_item *items, unsigned int nr,
			   unsigned int member);
	void (*flush)(unsigned int member);
	void (*flush_one)(struct bench_item *item);
	unsigned int (*cancel)(struct bench_item *items, unsigned int nr,
			       bool sync);
	bool (*clean)(struct bench_item *items, unsigned int nr);
	unsigned int (*again)(void);
	bool raw;
	bool flushes;
	bool stays;
	bool softirq;
	bool serial;
	bool sync_only;
	bool restricted;
	const struct bench_kind *only;
	void (*produce)(struct bench_item *items, unsigned int nr);
	void (*consume)(unsigned int nr);
	int error;
};

/*
 * Name of a service of an engine, in results. The default engine is the one
 * that has no name there.
 */
#define BENCH_TITLE(type, name, what)					\
	((u32)(type) == WSQ_BWOS_FIFO ? "wsq " what :			\
	 (u32)(type) == WSQ_BWOS_LIFO ? "wsq lifo " what :		\
	 "wsq " #name " " what)

/* The CPUs that submit, by member. Constant once set by bench_init(). */
extern unsigned int bench_cpus[BENCH_MAX_CPUS];
extern unsigned int bench_nr_cpus;

/* spawn.c, reach.c, completion.c */
void bench_spawn(struct bench_item *it);
void bench_compute(void);
void bench_finish(struct bench_item *it);

/* peers.c: services of the kernel */
extern struct bench_service bench_system_wq;
extern struct bench_service bench_percpu_wq;
extern struct bench_service bench_unbound_wq;
extern struct bench_service bench_bh_wq;
extern struct bench_service bench_ordered_wq;
extern struct bench_service bench_scope_cpu;
extern struct bench_service bench_scope_smt;
extern struct bench_service bench_scope_shard;
extern struct bench_service bench_scope_cache;
extern struct bench_service bench_scope_numa;
extern struct bench_service bench_scope_system;
extern struct bench_service bench_kthread_worker;
extern struct bench_service bench_highpri_wq;

/* lists.c: services that keep a list for each CPU */
extern struct bench_service bench_list_work;
extern struct bench_service bench_list_delayed;
extern struct bench_service bench_list_fifo;

/* ours.c */
#define BENCH_QUEUE_DECLARE(type, name, ...)	\
	extern struct bench_service bench_wsq_##name;
WSQ_ENGINES(BENCH_QUEUE_DECLARE)
extern struct bench_service bench_wsq_local;
extern struct bench_service bench_wsq_large;
extern struct bench_service bench_wsq_blocks;
extern struct bench_service bench_wsq_short;
extern struct bench_service bench_wsq_high;
extern struct bench_service bench_wsq_last;
extern struct bench_service bench_wsq_batch;

/* spread.c */
extern struct bench_service bench_wsq_job;
extern struct bench_service bench_wsq_serials;
extern struct bench_service bench_wsq_list;

/* call.c */
extern struct bench_service bench_call_plain;
extern struct bench_service bench_call_spinlock;
extern struct bench_service bench_call_serial;
extern struct bench_service bench_call_serials;
extern struct bench_service bench_call_future;
extern struct bench_service bench_call_unit;

/* forkjoin.c */
extern struct bench_service bench_wsq_fj_range;
extern struct bench_service bench_wsq_fj;
extern struct bench_service bench_wsq_fj_one;
extern struct bench_service bench_fj_plain;

/* pointer.c */
#define BENCH_POOL_DECLARE(type, name, ...)	\
	extern struct bench_service bench_pool_##name;	\
	extern struct bench_service bench_pool_##name##_many;
WSQ_ALL_ENGINES(BENCH_POOL_DECLARE)
extern struct bench_service bench_ptr_ring;
extern struct bench_service bench_ptr_ring_many;

/* fence.c */
extern struct bench_service bench_fence_heavy;
extern struct bench_service bench_fence_started;
extern struct bench_service bench_fence_barrier;
extern struct bench_service bench_fence_cas;

/* waiting.c */
extern struct bench_service bench_waiting_many;
extern struct bench_service bench_waiting_one;
extern struct bench_service bench_waiting_none;

/* report.c */
/* Instead of a sample: this round has none. */
#define BENCH_NO_SAMPLE		U64_MAX

void bench_report(struct seq_file *m, const char *service, const char *metric,
		  const char *unit, const u64 *samples, unsigned int nr,
		  unsigned int run);
void bench_report_note(struct seq_file *m, const char *service,
		       const char *metric, const char *note, unsigned int run);

/* team.c */
typedef void (*bench_job_t)(unsigned int member, void *arg);
int bench_team_run(unsigned int nr, bench_job_t job, void *arg);

#endif /* _WSQ_BENCH_BENCH_H */
