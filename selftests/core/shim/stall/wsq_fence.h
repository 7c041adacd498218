/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/fence.h where parties can be stopped: a heavy fence has the
 * stores of those at whom it is aimed come out of their buffers.
 *
 * With WSQ_FENCE_EMPTY it does nothing: for the proof that a test would notice.
 */
#ifndef _WSQ_FENCE_H
#define _WSQ_FENCE_H

#include <wsq_platform.h>

/* The CPU of that number, in its test. */
struct wsq_cpu *wsq_cpu_of(unsigned int nr);

#define wsq_fence_begin()	barrier()
#define wsq_fence_end()		barrier()
#define wsq_fence_light()	barrier()
#define wsq_fence_reaches(cpu)	((void)(cpu), true)

static inline void wsq_cpu_interrupt(unsigned int nr)
{
	struct wsq_cpu *cpu = wsq_cpu_of(nr);

#ifndef WSQ_FENCE_EMPTY
	if (cpu)
		wsq_cpu_drain(cpu);
#else
	(void)cpu;
#endif
}

static inline void wsq_cpu_interrupt_all(const u64 *cpus, u32 nr_words)
{
	u32 nr;

	for (nr = 0; nr < nr_words * 64; nr++)
		if (cpus[nr / 64] >> nr % 64 & 1)
			wsq_cpu_interrupt(nr);
}

#define wsq_fence_heavy(cpus, nr_words)	\
	(smp_mb(), wsq_cpu_interrupt_all(cpus, nr_words))
#define wsq_fence_heavy_one(cpu)	\
	(smp_mb(), wsq_cpu_interrupt(cpu))

#endif /* _WSQ_FENCE_H */
