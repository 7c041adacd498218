/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wsq: pools. A pool holds pointers and hands them out again; it runs nothing.
 * Queues, which run work items, are in <linux/wsq.h>.
 *
 * Symbols are exported GPL-only in namespace WSQ: see WSQ_IMPORT_NS().
 */
#ifndef _LINUX_WSQ_POOL_H
#define _LINUX_WSQ_POOL_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/wsq_attrs.h>
#include <linux/wsq_ns.h>

struct wsq_pool;

/**
 * wsq_pool_create() - create a pool of pointers
 * @attrs: its attributes; %NULL or zero members for defaults
 * @fmt: its name, as for printf
 *
 * A pool keeps what a CPU pushed on that CPU, until that CPU pops it or another
 * CPU that has nothing left steals it. The order of each CPU's tasks is roughly
 * first in, first out; with %WSQ_BWOS_LIFO last in, first out. A pointer is popped
 * once; with %WSQ_AT_LEAST_ONCE at least once, and at most once on each CPU.
 *
 * Context: task; may sleep.
 * Return: the pool, or ERR_PTR(): %-EINVAL for attributes out of bounds, for
 * unknown flags, and for %WSQ_WS_MULT without %WSQ_AT_LEAST_ONCE; %-ENOMEM.
 */
__printf(2, 3)
struct wsq_pool *wsq_pool_create(const struct wsq_attrs *attrs,
				 const char *fmt, ...);

/**
 * wsq_pool_destroy() - free a pool
 * @pool: the pool. Its tasks are discarded; pop them first.
 *
 * Context: task; may sleep. No push or pop may run or follow. It is the
 * caller's error if a push still waits for space: the kernel warns, and that
 * push returns %-ESHUTDOWN.
 */
void wsq_pool_destroy(struct wsq_pool *pool);

/**
 * wsq_pool_push() - put a pointer into a pool
 * @pool: the pool
 * @task: the pointer, not %NULL
 *
 * If this CPU's part of the pool is full (with %WSQ_SALSA, if every CPU's is),
 * the pool's rule applies (@overflow of struct wsq_attrs).
 *
 * Context: any, NMI included. Never sleeps, except with %WSQ_OVERFLOW_WAIT.
 * That rule is for task context where sleeping is allowed; if the call sees
 * that it is not, a full pool is %-EAGAIN.
 * Return: 0; %-EINVAL if @task is %NULL or an ERR_PTR(). %-EAGAIN if the pool
 * is full, with the rules %WSQ_OVERFLOW_FAIL and %WSQ_OVERFLOW_NEIGHBOUR: pop
 * on this CPU, because other CPUs may not reach the block that this CPU pops
 * from. %-EINTR if the caller was killed while it waited: @task is not in the
 * pool.
 * Ordering: the pop that takes @task sees all that precedes the call.
 */
int wsq_pool_push(struct wsq_pool *pool, void *task);

/**
 * wsq_pool_push_many() - put several pointers into a pool
 * @pool: the pool
 * @tasks: the pointers
 * @nr: how many
 *
 * Context: as wsq_pool_push(); runs with preemption off for a time proportional
 * to @nr.
 * Return: how many were put or handled by the pool's rule, from the front of
 * @tasks. Less than @nr where wsq_pool_push() would return an error: if the
 * pool is full, if the caller was killed, or if a pointer is %NULL or an
 * ERR_PTR().
 * Ordering: as wsq_pool_push().
 */
unsigned int wsq_pool_push_many(struct wsq_pool *pool, void *const *tasks,
				unsigned int nr);

/**
 * wsq_pool_pop() - take a pointer out of a pool
 * @pool: the pool
 *
 * Takes from this CPU's part. If that is empty, steals from another CPU whose
 * tasks are within reach (attribute steal_policy). The rest of the block that
 * another CPU pops from is not (attribute block_size); with %WSQ_BWOS_LIFO only
 * until that CPU pushes or pops again.
 *
 * With %WSQ_SALSA a pop can steal that rest, too, by interrupting the other
 * CPU. It does so only if the pops of this CPU have seen no progress there for 20
 * microseconds. So the first call does not get it. Calls that go on for 20
 * microseconds do, or one call after that time. If the other CPU is offline, the
 * first call does. While the interrupt is under way, the call looks at the
 * other CPUs. If it finds nothing there, it waits for the answer, at most 100
 * microseconds. If the answer takes longer, because interrupts are off there,
 * the call returns %NULL, and a later call gets the stolen tasks.
 *
 * With %WSQ_OVERFLOW_WAIT the call pushes waiters' tasks into the space that it
 * has made, and wakes the waiters. With %WSQ_WS_MULT a call that finds nothing
 * may start a grace period. Do not call it under a runqueue lock or a task's
 * pi_lock with either.
 *
 * Context: any but NMI. Never sleeps. With %WSQ_SALSA, in task context with
 * interrupts and preemption on, it may interrupt another CPU and wait for the
 * answer. So if the kernel does not count preemption, do not call it under a
 * lock that others take with interrupts off. In other contexts, tasks that need
 * an interrupt are out of reach.
 * Return: a pointer that no CPU has popped before. With %WSQ_AT_LEAST_ONCE other
 * CPUs may have popped it, but not this one. %NULL if none was found in one pass
 * over all CPUs that may have one, or if the call interrupted another pop on
 * this CPU and no other CPU has any. The pass skips a CPU that another pop looks at,
 * and CPUs that do not share this CPU's cache while another pop of that cache's
 * CPUs looks there. The other pop looks again before it returns %NULL.
 */
void *wsq_pool_pop(struct wsq_pool *pool);

/**
 * wsq_pool_pop_many() - take several pointers out of a pool
 * @pool: the pool
 * @tasks: where to store them
 * @nr: how many at most
 *
 * Context: any but NMI. Never sleeps; runs with preemption off for a time
 * proportional to @nr.
 * Return: how many were taken: all from this CPU's part, or if that is empty,
 * all stolen from one CPU.
 */
unsigned int wsq_pool_pop_many(struct wsq_pool *pool, void **tasks,
			       unsigned int nr);

/**
 * wsq_pool_was_empty() - was there a moment when a pool held nothing
 * @pool: the pool, with %WSQ_SALSA
 *
 * wsq_pool_pop() looks at one CPU after the other. It may find nothing although
 * the pool was never empty. A caller that must know calls this when pop has
 * returned %NULL, and pops again if the answer is no:
 *
 *	while (!(task = wsq_pool_pop(pool)) && !wsq_pool_was_empty(pool))
 *		cond_resched();
 *
 * Looks twice at all chunks of all CPUs, and interrupts those CPUs of the pool
 * that may be interrupted. Paper 000, section 5.5.
 *
 * Context: task, with interrupts on, holding no lock that is taken with
 * interrupts off. Never sleeps.
 * Return: 1 if there was a moment during the call at which all tasks that any
 * CPU had pushed before the call were popped; 0 if there was none, or if that
 * is not certain; %-EOPNOTSUPP if the pool's engine cannot tell.
 */
int wsq_pool_was_empty(struct wsq_pool *pool);

/**
 * wsq_pool_settle() - let no task that was popped be popped again
 * @pool: the pool
 *
 * With %WSQ_AT_LEAST_ONCE a task that has been popped may be popped again by
 * another CPU, much later too. When this returns, no task that any CPU had popped
 * before the call is popped any more. If each task is popped and run in one RCU
 * read-side section, no CPU runs such a task either, and what it points to may be
 * freed::
 *
 *	rcu_read_lock();
 *	task = wsq_pool_pop(pool);
 *	if (task)
 *		run(task);
 *	rcu_read_unlock();
 *
 * Without that the caller must know that those who run tasks are done. In pools
 * without %WSQ_WS_MULT it does nothing, and costs nothing: a task is popped once.
 *
 * Context: task; sleeps for two grace periods of RCU. Takes time proportional to
 * the square of the number of CPUs. Pushes and pops may run meanwhile.
 */
void wsq_pool_settle(struct wsq_pool *pool);

/**
 * struct wsq_pool_counts - what a pool with %WSQ_WS_MULT has handed out
 * @puts: tasks that CPUs put into their own part. Those that passed an inbox
 *	(wsq_pool_push() that interrupted another one) are counted where they were
 *	moved to, or not at all if they were popped from there
 * @takes: tasks that CPUs took from their own part
 * @steals: tasks that CPUs took from other CPUs' parts
 * @duplicates: how many of both were taken before
 */
struct wsq_pool_counts {
	u64 puts;
	u64 takes;
	u64 steals;
	u64 duplicates;
};

/**
 * wsq_pool_read_counts() - read the counts of a pool
 * @pool: the pool
 * @counts: where to store them
 *
 * Context: any. Takes time proportional to the square of the number of CPUs. Exact
 * while no push and no pop runs.
 * Return: 0; %-EOPNOTSUPP without %WSQ_WS_MULT.
 */
int wsq_pool_read_counts(struct wsq_pool *pool, struct wsq_pool_counts *counts);

#endif /* _LINUX_WSQ_POOL_H */
