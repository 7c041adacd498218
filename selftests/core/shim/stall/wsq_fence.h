/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/fence.h where parties can be stopped: a heavy fence drains
 * the store buffers of the CPUs it is aimed at.
 *
 * A fence that is started is answered at once, or, by a CPU that is deaf, in
 * wsq_fence_done() when it is no longer deaf.
 *
 * With WSQ_FENCE_EMPTY it does nothing, to prove that a test notices.
 */
#ifndef _WSQ_FENCE_H
#define _WSQ_FENCE_H

#include <wsq_platform.h>

/* The CPU of that number; defined by the test. */
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

/**
 * struct wsq_fence_call - a heavy fence of one CPU, in progress
 * @nr: the CPU
 * @done: it has answered
 */
struct wsq_fence_call {
	unsigned int nr;
	bool done;
};

static inline void wsq_fence_call_init(struct wsq_fence_call *call)
{
	call->nr = 0;
	call->done = true;
}

static inline bool wsq_cpu_answers(struct wsq_fence_call *call)
{
	struct wsq_cpu *cpu = wsq_cpu_of(call->nr);

	if (!call->done && !(cpu && cpu->deaf)) {
		wsq_cpu_interrupt(call->nr);
		call->done = true;
	}
	return call->done;
}

#define wsq_fence_start(call, cpu)	\
	(smp_mb(), (call)->nr = (cpu), (call)->done = false,	\
	 (void)wsq_cpu_answers(call))
#define wsq_fence_done(call)	(smp_mb(), wsq_cpu_answers(call))

#endif /* _WSQ_FENCE_H */
