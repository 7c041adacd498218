/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/fence.h under the model checker.
 *
 * For: selftests/core/model. Relacy has no fence of which one side is for free.
 * So both sides execute smp_mb(), or, for a client that says
 * WSQ_FENCE_BY_HAND before its first include, what it has defined:
 * model/salsa_client.h plays the interrupt. wsq_fence_start() is through at once;
 * by hand it is for the client to declare, where it is used.
 *
 * Limitations: with smp_mb() on both sides a pair holds that would need the
 * heavy fence in truth.
 */
#ifndef _WSQ_FENCE_H
#define _WSQ_FENCE_H

#include <wsq_platform.h>

/* @cpu is for who plays the interrupt. */
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
