/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fork-join objects in user space: what kmod/forkjoin is in the kernel, with
 * threads that sleep on futexes as helpers. The rest of the interface is that
 * of <linux/wsq_fj.h>; kmod/core/fj_team.c is linked as it is.
 *
 * For: stress/forkjoin.c and the benchmark.
 *
 * Cost: a thread for each helper, a system call to have it come. Limitations:
 * Linux on x86-64 and arm64. A thread cannot stop others from taking its CPU:
 * a thief may be descheduled between taking a task and signing for it, and the
 * task's owner waits. Every free helper passes for an idle CPU.
 */
#ifndef _WSQ_SELFTESTS_FORKJOIN_NATIVE_H
#define _WSQ_SELFTESTS_FORKJOIN_NATIVE_H

#include <pthread.h>

#include <wsq_platform.h>
#include <linux/wsq_fj.h>

/**
 * fj_native_create() - create a fork-join object
 * @threads: most threads of a run, the caller's included; stands for max_cpus
 * @stack: bytes of each helper's stack; 0 for the system's default
 * @attrs: as for wsq_fj_create(). The default of @stack_reserve is 64 KiB
 *
 * wsq_fj_destroy() ends its threads and waits for them.
 *
 * Return: the object, or NULL if there is not enough memory or no thread.
 */
struct wsq_fj *fj_native_create(u32 threads, size_t stack,
				const struct wsq_fj_attrs *attrs);

/* The thread of helper @nr, from 1. */
pthread_t fj_native_thread(const struct wsq_fj *fj, u32 nr);

/* Helpers that are at work or under way. */
u32 fj_native_helpers(const struct wsq_fj *fj);

#endif /* _WSQ_SELFTESTS_FORKJOIN_NATIVE_H */
