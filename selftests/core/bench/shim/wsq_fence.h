/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/fence.h under measurement: those of shim/native, except for
 * a heavy side that is chosen at run time, so that one program measures all.
 *
 * BENCH_FENCE_MEMBARRIER	membarrier: an interrupt to each CPU that runs a
 *				thread of the process, as the module's
 * BENCH_FENCE_REBIND		the caller moves to the other's CPU and back:
 *				whatever ran there has been descheduled (Dice
 *				et al., "Asymmetric Dekker Synchronization",
 *				2001; section 6.1 of the SALSA paper)
 * BENCH_FENCE_NONE		nothing: incorrect; measures the rest as if the
 *				fence were free
 *
 * For: salsa*.c here. The light side is the same for all, and inlined.
 * Limitations: rebinding assumes that consumer n runs on bench_fence_cpu[n].
 */
#ifndef _WSQ_BENCH_FENCE_H
#define _WSQ_BENCH_FENCE_H

#define wsq_fence_heavy		wsq_fence_heavy_shim
#define wsq_fence_start		wsq_fence_start_shim
#include "../../shim/wsq_user_fence.h"
#undef wsq_fence_heavy
#undef wsq_fence_start

#define BENCH_FENCE_CPUS	64

enum bench_fence {
	BENCH_FENCE_MEMBARRIER,
	BENCH_FENCE_REBIND,
	BENCH_FENCE_NONE,
};

extern enum bench_fence bench_fence;
extern int bench_fence_cpu[BENCH_FENCE_CPUS];

void wsq_fence_heavy(const u64 *cpus, u32 nr_words);
/* For the consumer with this number; also a fence by itself. */
void bench_fence_one(unsigned int id);
void wsq_fence_start(struct wsq_fence_call *call, unsigned int cpu);

#endif /* _WSQ_BENCH_FENCE_H */
