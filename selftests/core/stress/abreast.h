/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads of a stress program that go round by round and are to meet in each:
 * every one has a CPU of its own, as far as they go. Left to themselves two that
 * wait for each other end up on one, where nothing happens at the same time.
 *
 * For: fence.c, which defines _GNU_SOURCE first.
 */
#ifndef _WSQ_SELFTESTS_ABREAST_H
#define _WSQ_SELFTESTS_ABREAST_H

#include "stress.h"

/* What the process may run on. Its first thread, before there are others. */
static cpu_set_t all_cpus;

/* Thread @nr is the caller. */
static inline void pin(u64 nr)
{
	cpu_set_t one;
	u64 cpu;

	nr %= (u64)CPU_COUNT(&all_cpus);
	for (cpu = 0; !CPU_ISSET(cpu, &all_cpus) || nr--; cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* The caller is thread 0. False if it is not known what there is. */
static inline bool pin_first(void)
{
	if (sched_getaffinity(0, sizeof(all_cpus), &all_cpus))
		return false;
	pin(0);
	return true;
}

/* Until somebody has come that far, or all is over. */
static inline void wait_for(const u64 *what, u64 value)
{
	u64 i = 0;

	while (__atomic_load_n(what, __ATOMIC_ACQUIRE) < value && !is_over())
		if (++i % 64 == 0)
			sched_yield();
}

#endif /* _WSQ_SELFTESTS_ABREAST_H */
