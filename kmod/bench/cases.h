/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is measured; how is in cases.c.
 */
#ifndef _WSQ_BENCH_CASES_H
#define _WSQ_BENCH_CASES_H

#include "bench.h"

/* Items queued one by one for the percentiles of one sample. */
#define BENCH_LATENCIES		100

enum bench_kind {
	BENCH_EXECUTE,
	BENCH_QUEUE,
	BENCH_HAND_OVER,
	BENCH_LATENCY,
};

/**
 * struct bench_case - a case
 * @metric: its name
 * @kind: how to measure
 * @members: how many CPUs queue
 * @burst: how many each queues before it waits; 0 means all
 * @every: measured in every so many rounds
 */
struct bench_case {
	const char *metric;
	enum bench_kind kind;
	unsigned int members;
	unsigned int burst;
	unsigned int every;
};

int bench_case_take(const struct bench_case *c, struct bench_service *s,
		    struct bench_item *items, unsigned int nr, u64 *sample);

#endif /* _WSQ_BENCH_CASES_H */
