/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases, and the code that measures them. Internal.
 *
 * A kind knows how to take one sample; a case is a kind with its numbers. The
 * cases are in main.c.
 */
#ifndef _WSQ_BENCH_CASES_H
#define _WSQ_BENCH_CASES_H

#include "bench.h"

/* Figures in one sample of a case. */
#define BENCH_MAX_PARTS		8

/* Items queued one by one for the percentiles of one sample. */
#define BENCH_LATENCIES		1000

/* Items that each member has in flight, one by one, for a sample. */
#define BENCH_FLIGHTS		2000

/* Waits for one item in a sample. */
#define BENCH_FLUSHES		500

/* Trees run one after the other for a sample, and the items of each. */
#define BENCH_TREES		16
#define BENCH_TREE		4095

/* Items behind a sleeping one, and beside computing ones, in a sample. */
#define BENCH_BEHIND		200
#define BENCH_BESIDE		100

/* Items cancelled in a sample, and how many are pending at a time. */
#define BENCH_CANCELS		4096
#define BENCH_CANCEL_BURST	256

/* Requests of a device in flight, and those that one interrupt brings. */
#define BENCH_DEVICE		4096
#define BENCH_GROUP		16

/**
 * struct bench_part - one figure of a sample
 * @name: to be appended to the metric
 * @unit: its unit
 */
struct bench_part {
	const char *name;
	const char *unit;
};

struct bench_case;

/**
 * struct bench_kind - how to take a sample
 * @parts: its figures, up to one without a name or the end
 * @fits: can @s be measured so; @c->members may exceed what @s supports
 * @take: take one; @items has @nr items for each member, @sample receives
 *	hundredths of the units of @parts. Returns 0 or a negative errno, %-EIO
 *	if items have not run
 * @like: services whose @only is this kind are measured, too
 */
struct bench_kind {
	struct bench_part parts[BENCH_MAX_PARTS];
	bool (*fits)(const struct bench_case *c, const struct bench_service *s);
	int (*take)(const struct bench_case *c, struct bench_service *s,
		    struct bench_item *items, unsigned int nr, u64 *sample);
	const struct bench_kind *like;
};

/**
 * struct bench_case - a case
 * @metric: its name
 * @kind: how to measure
 * @members: how many CPUs take part; 0 means all that submit
 * @burst: how many each queues before it waits, or are in a tree; 0 means
 *	all. fork-join: the size of the work
 * @batch: how many of them are queued as one batch, by services that can; 0
 *	means one. reach: how long each computes, in us. fork-join: an enum
 *	bench_fj_work
 * @sync: cancel: wait until it has run; flush: the whole queue; behind: both
 *	items are queued at once
 * @far: cancel: from another CPU; flush: nothing is queued; beside: threads are
 *	busy, not items
 */
struct bench_case {
	const char *metric;
	const struct bench_kind *kind;
	unsigned int members;
	unsigned int burst;
	unsigned int batch;
	bool sync;
	bool far;
};

/* cases.c */
extern const struct bench_kind bench_execute;
extern const struct bench_kind bench_queueing;
extern const struct bench_kind bench_hand_over;
extern const struct bench_kind bench_latency;
unsigned int bench_members(const struct bench_case *c);
void bench_sort(u64 *values, unsigned int nr);

/*
 * cancel.c, flush.c, flight.c, spawn.c, fence.c, behind.c, beside.c,
 * waiting.c
 */
extern const struct bench_kind bench_cancel;
extern const struct bench_kind bench_flush;
extern const struct bench_kind bench_flight;
extern const struct bench_kind bench_spawning;
extern const struct bench_kind bench_fence;
extern const struct bench_kind bench_behind;
extern const struct bench_kind bench_beside;
extern const struct bench_kind bench_waiting;

/* reach.c, spread.c */
extern const struct bench_kind bench_reach;
extern const struct bench_kind bench_computing;
extern const struct bench_kind bench_list;

/* call.c */
extern const struct bench_kind bench_call;

/* completion.c */
enum bench_cpus_are {
	BENCH_AT_REST,
	BENCH_LOADED,
	BENCH_THREAD_TAKES,
	BENCH_ITEM_TAKES,
	BENCH_SATURATED,
};

extern const struct bench_kind bench_completion;

/* forkjoin.c */
enum bench_fj_work {
	BENCH_FJ_FIB,
	BENCH_FJ_QUEENS,
	BENCH_FJ_TREE,
};

extern const struct bench_kind bench_forkjoin;
extern const struct bench_kind bench_forkjoin_short;

#endif /* _WSQ_BENCH_CASES_H */
