// SPDX-License-Identifier: GPL-2.0
/*
 * The selectable heavy fence (shim/wsq_fence.h), and definitions for the shim's
 * grace periods.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <wsq_fence.h>
#include <wsq_grace.h>

WSQ_GRACE_DEFINE;

enum bench_fence bench_fence;
int bench_fence_cpu[BENCH_FENCE_CPUS];

/* Moves to a CPU: threads that ran on it have been switched out on return. */
static void bench_move(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		abort();
	}
}

void bench_fence_one(unsigned int id)
{
	int here;

	switch (bench_fence) {
	case BENCH_FENCE_MEMBARRIER:
		wsq_fence_heavy_shim(NULL, 0);
		break;
	case BENCH_FENCE_REBIND:
		here = sched_getcpu();
		bench_move(bench_fence_cpu[id]);
		bench_move(here);
		break;
	case BENCH_FENCE_NONE:
		break;
	}
}

void wsq_fence_heavy(const u64 *ids, u32 nr_words)
{
	u32 id;

	if (bench_fence == BENCH_FENCE_MEMBARRIER) {
		wsq_fence_heavy_shim(ids, nr_words);
		return;
	}
	for (id = 0; id < nr_words * 64; id++) {
		if (ids[id / 64] >> id % 64 & 1)
			bench_fence_one(id);
	}
}

void wsq_fence_start(struct wsq_fence_call *call, unsigned int cpu)
{
	bench_fence_one(cpu);
	call->done = true;
}
