/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/fence.h under the model checker.
 *
 * For: selftests/core/model. Relacy has no fence with a free side. So both
 * sides execute smp_mb(), or, for a client that defines WSQ_FENCE_BY_HAND
 * before its first include, the client's own definition: model/salsa_client.h
 * simulates the interrupt. wsq_fence_start() completes at once; by hand the
 * client declares it where it is used.
 *
 * Limitations: with smp_mb() on both sides a pair holds that would really need
 * the heavy fence.
 */
#ifndef _WSQ_FENCE_H
#define _WSQ_FENCE_H

#include <wsq_platform.h>

/* @cpu is for clients that simulate the interrupt. */
struct wsq_fence_call {
	u32 cpu;
};

#define wsq_fence_call_init(call)	((void)((call)->cpu = 0))

#ifdef WSQ_FENCE_BY_HAND
static void wsq_fence_begin(void);
static void wsq_fence_end(void);
static void wsq_fence_light(void);
static void wsq_fence_heavy(const u64 *cpus, u32 nr_words);
#else
#define wsq_fence_begin()	((void)0)
#define wsq_fence_end()		((void)0)
#define wsq_fence_light()	smp_mb()
#define wsq_fence_heavy(cpus, nr_words)	\
	((void)(cpus), (void)(nr_words), smp_mb())
#define wsq_fence_start(call, cpu)	\
	((void)(call), (void)(cpu), smp_mb())
#define wsq_fence_done(call)	((void)(call), true)
#endif

#endif /* _WSQ_FENCE_H */
