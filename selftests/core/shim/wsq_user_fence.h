/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/fence.h in user space: the part that the native and the
 * threads shim share. A thread stands for a CPU; membarrier interrupts the
 * running threads of the process, and the others have been through the
 * scheduler.
 *
 * For: unit tests, stress, sanitizers. A program with a heavy side calls
 * wsq_fence_register() before it starts threads.
 *
 * With WSQ_FENCE_EMPTY the heavy side does nothing, to prove that a test
 * notices. The asynchronous form waits as well, in wsq_fence_start().
 *
 * Cost of the heavy side: one system call, and an interrupt to each core that
 * runs a thread of the process. Limitations: all threads are interrupted, also
 * those that are not in the set, so a thread that is missing in the set is not
 * noticed here; the model checker notices it. The thread sanitizer does not
 * know membarrier: publish plain data by acquire and release, as core does.
 */
#ifndef _WSQ_SHIM_USER_FENCE_H
#define _WSQ_SHIM_USER_FENCE_H

#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <wsq_platform.h>

static inline void wsq_fence_begin(void)
{
	barrier();
}

static inline void wsq_fence_end(void)
{
	barrier();
}

static inline void wsq_fence_light(void)
{
	barrier();
}

/* Any thread can be interrupted; tests simulate isolation themselves. */
static inline bool wsq_fence_reaches(unsigned int cpu)
{
	(void)cpu;
	return true;
}

static inline void wsq_shim_membarrier(int cmd)
{
	if (syscall(__NR_membarrier, cmd, 0, 0)) {
		perror("membarrier");
		abort();
	}
}

static inline void wsq_fence_register(void)
{
	wsq_shim_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

static inline void wsq_fence_heavy(const u64 *cpus, u32 nr_words)
{
	(void)cpus;
	(void)nr_words;
#ifndef WSQ_FENCE_EMPTY
	wsq_shim_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
#endif
}

/* Completes as soon as it is started. */
struct wsq_fence_call {
	bool done;
};

static inline void wsq_fence_call_init(struct wsq_fence_call *call)
{
	call->done = true;
}

static inline void wsq_fence_start(struct wsq_fence_call *call,
				   unsigned int cpu)
{
	(void)cpu;
	wsq_fence_heavy(NULL, 0);
	call->done = true;
}

static inline bool wsq_fence_done(const struct wsq_fence_call *call)
{
	return call->done;
}

#endif /* _WSQ_SHIM_USER_FENCE_H */
