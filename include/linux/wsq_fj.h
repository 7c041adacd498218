/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wsq: fork and join. Work that splits itself: a task spawns others, goes on,
 * and takes their results when it needs them. A spawn and its sync cost about
 * as much as a function call. Idle CPUs of a queue steal what was spawned.
 *
 *	DEFINE_WSQ_TASK1(u64, fib, w, int, n)
 *	{
 *		u64 a, b;
 *
 *		if (n < 2)
 *			return n;
 *		wsq_spawn(w, fib, n - 1);
 *		a = wsq_fj_call(w, fib, n - 2);
 *		b = wsq_sync(w, fib);
 *		return a + b;
 *	}
 *
 *	err = fib_run(fj, &result, 30);
 *
 * Each spawn is matched by one sync or drop in the same function, the last one
 * first. Documentation/forkjoin.rst has the rules: tasks may sleep, but no lock
 * and no RCU section may be held at a sync, because a sync may run other tasks
 * of the run on this stack.
 *
 * T. van Dijk and J. van de Pol, "Lace: non-blocking split deque for
 * work-stealing" (2014).
 *
 * Symbols are exported GPL-only in namespace WSQ: see WSQ_IMPORT_NS().
 */
#ifndef _LINUX_WSQ_FJ_H
#define _LINUX_WSQ_FJ_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/wsq_fj_deque.h>
#include <linux/wsq_fj_task.h>

struct wsq;
struct wsq_fj;

/**
 * enum wsq_fj_flags - flags of a fork-join object
 * @WSQ_FJ_RANDOM: a thread that waits for a stolen task may steal from every
 *	other thread of the run, not only from the thief. Faster for trees of
 *	unpredictable shape, but a run may need more stack than the caller alone
 *	would, and fail with -EOVERFLOW (paper, section 4.3)
 * @WSQ_FJ_HALF: a thief takes half of the tasks that its victim shares, 64 at
 *	most, not one
 * @WSQ_FJ_STACKS: a task for which the stack does not suffice runs on that of
 *	another worker, while its thread sleeps. For deep recursion. Each such
 *	step costs two context switches and a thread. The run ends with
 *	-EOVERFLOW after 256 steps of one thread, and if no worker of the queue
 *	begins the task within a second, for lack of memory or because of
 *	max_active
 * @WSQ_FJ_SPREAD: the threads of a run go to CPUs that share no cache, as far
 *	as such CPUs are idle, one domain after the other. For tasks that are
 *	limited by caches or memory. Otherwise a thread starts the next one as
 *	near as possible
 */
enum wsq_fj_flags {
	WSQ_FJ_RANDOM	= 1U << 0,
	WSQ_FJ_HALF	= 1U << 1,
	WSQ_FJ_STACKS	= 1U << 2,
	WSQ_FJ_SPREAD	= 1U << 3,
};

/**
 * struct wsq_fj_attrs - attributes of a fork-join object; 0 means default
 * @flags: enum wsq_fj_flags
 * @max_cpus: most threads that run at a time, the caller's included; default
 *	as many as the queue has CPUs. Threads that slept while they waited, and
 *	run again, may exceed it: by at most @max_cpus - 1
 * @depth: tasks that one thread may have spawned and not synced, up to 2^20;
 *	default 256. Memory: 128 bytes for each of these and each CPU
 * @stack_reserve: bytes of the kernel stack that no spawn uses; 4096 to half of
 *	the stack; default 4096, with KASAN half of the stack. What the tasks
 *	call, and interrupts, need
 */
struct wsq_fj_attrs {
	u32 flags;
	u32 max_cpus;
	u32 depth;
	u32 stack_reserve;
};

/**
 * struct wsq_fj_loop - a range that is halved until its parts are small
 * @fn: called for each part
 * @arg: passed to @fn
 * @start: start of the range
 * @size: its length; 0 means no work
 * @grain: a part of at most this length is not split; 0 means 1
 */
struct wsq_fj_loop {
	void (*fn)(unsigned long start, unsigned long end, void *arg);
	void *arg;
	unsigned long start;
	unsigned long size;
	unsigned long grain;
};

/**
 * struct wsq_fj_stats - what the runs of a fork-join object did, as sums
 * @runs: runs that have begun
 * @steals: tasks that helpers stole while they had no other task
 * @leaps: tasks that threads stole while they waited for a thief
 * @requests: how often a thief that found no shared task asked the owner to
 *	share. It does not count if a request is already pending
 * @grows: how often a thread shared more tasks: because it was asked, because
 *	a helper was missing, by wsq_fj_share(), or for a long part of a range
 * @shrinks: how often shared tasks were taken back
 * @sleeps: how often a thread slept while it waited for a stolen task
 * @started: helpers that were queued
 */
struct wsq_fj_stats {
	u64 runs;
	u64 steals;
	u64 leaps;
	u64 requests;
	u64 grows;
	u64 shrinks;
	u64 sleeps;
	u64 started;
};

/**
 * wsq_fj_create() - create a fork-join object
 * @q: the queue whose CPUs may help; must outlive the object
 * @attrs: its attributes; %NULL or zero members for defaults
 *
 * Allocates all memory that runs need. One run at a time uses it.
 *
 * Context: task; may sleep.
 * Return: the object, or ERR_PTR(): %-EINVAL for attributes out of bounds and
 * for unknown flags; %-ENOMEM.
 */
struct wsq_fj *wsq_fj_create(struct wsq *q, const struct wsq_fj_attrs *attrs);

/**
 * wsq_fj_destroy() - free a fork-join object
 * @fj: the object; no new run may begin
 *
 * Stops a run that is under way, as wsq_fj_cancel() does, and waits until it has
 * ended. Then waits for helpers that have not left yet.
 *
 * Context: task; may sleep. Not from a task of @fj, nor with a lock held that one
 * of its tasks takes.
 */
void wsq_fj_destroy(struct wsq_fj *fj);

/**
 * wsq_fj_cancel() - stop the run that is under way
 * @fj: the object
 *
 * From now on its spawns and direct calls run nothing, and its syncs return 0.
 * Tasks that have begun run to their end; they may ask wsq_fj_stopped(). The
 * run returns %-ECANCELED, unless it stopped for another error before. Does not
 * wait. Does nothing if there is no run.
 *
 * Context: any.
 */
void wsq_fj_cancel(struct wsq_fj *fj);

/**
 * wsq_fj_stopped() - does this run stop
 * @w: the task's context
 *
 * For tasks that run long without a spawn.
 *
 * Context: a task of the run.
 * Return: true if the run was cancelled or has failed: its result is not used.
 */
bool wsq_fj_stopped(struct wsq_fj_ctx w);

/**
 * wsq_fj_share() - let other CPUs have all that this thread has spawned
 * @w: the task's context
 *
 * To be called before the task sleeps or computes for a long time without a
 * spawn or sync. Otherwise what it has spawned may wait until then.
 *
 * Context: a task of the run.
 */
void wsq_fj_share(struct wsq_fj_ctx w);

/**
 * wsq_fj_range() - process a range on several CPUs
 * @fj: the object
 * @range: the range, and what to do with it
 *
 * Halves the range until its parts are small. Each index is processed once.
 *
 * Context: task; may sleep. Not from a task of @fj.
 * Return: 0; %-ECANCELED if the run was cancelled, then some parts have not
 * been processed; %-EOVERFLOW; %-EBUSY if another run is under way.
 */
int wsq_fj_range(struct wsq_fj *fj, const struct wsq_fj_loop *range);

/**
 * wsq_fj_read_stats() - read the counters of a fork-join object
 * @fj: the object
 * @stats: where to store them
 *
 * Context: any. Exact while no run is under way and helpers have left.
 */
void wsq_fj_read_stats(const struct wsq_fj *fj, struct wsq_fj_stats *stats);

/**
 * wsq_fj_begin() - begin a run; for NAME_run()
 * @fj: the object
 * @w: where to store the context of the first task
 *
 * Context: task; may sleep.
 * Return: 0, or %-EBUSY if another run is under way.
 */
int wsq_fj_begin(struct wsq_fj *fj, struct wsq_fj_ctx *w);

/**
 * wsq_fj_end() - end a run; for NAME_run()
 * @fj: the object, whose first task has returned
 *
 * Return: 0, or the error for which the run stopped: %-ECANCELED or
 * %-EOVERFLOW.
 */
int wsq_fj_end(struct wsq_fj *fj);

/**
 * wsq_spawn() - spawn a task
 * @w: the context of the task that spawns
 * @name: the task's name
 * @...: its arguments
 *
 * The task runs at the matching wsq_sync(), or earlier on another CPU.
 *
 * Context: a task of a run.
 * Ordering: what precedes the call is visible to the task.
 */
#define wsq_spawn(w, name, ...)	name##_spawn(&(w), ##__VA_ARGS__)

/**
 * wsq_sync() - take the result of the task that was spawned last
 * @w: the context of the task that spawned it
 * @name: the task's name
 *
 * Runs the task, or waits for the CPU that has stolen it and runs other tasks
 * meanwhile.
 *
 * Context: a task of a run; may sleep. No lock and no RCU section is held.
 * Return: the task's result; 0 if the run stops.
 * Ordering: all that the task did is visible.
 */
#define wsq_sync(w, name)	name##_sync(&(w))

/**
 * wsq_drop() - wait for the task that was spawned last, without its result
 * @w: the context of the task that spawned it
 * @name: the task's name
 *
 * As wsq_sync(); but the task is not run if no other CPU has it. If the stack
 * is used up, this is like a sync: the task runs on another stack with
 * %WSQ_FJ_STACKS, otherwise the run ends.
 */
#define wsq_drop(w, name)	name##_drop(&(w))

/**
 * wsq_fj_call() - call a task's function directly
 * @w: the context of the calling task
 * @name: the task's name
 * @...: its arguments
 *
 * Context: a task of a run. If the stack is used up, as a spawn and its sync.
 * Return: the function's result; 0 if the run stops.
 */
#define wsq_fj_call(w, name, ...)	name##_call(&(w), ##__VA_ARGS__)

/* Debug kernels check what may not be held at a sync. */
#ifdef CONFIG_PROVE_LOCKING
void wsq_fj_check_sync(struct wsq_fj_deque *dq);
#else
static inline void wsq_fj_check_sync(struct wsq_fj_deque *dq) { }
#endif

#define __DEFINE_WSQ_TASK(nr, type, name, w, ...)			\
struct name##_args {							\
	__WSQ_TASK_MEMBERS##nr(__VA_ARGS__)				\
};									\
									\
static __always_inline type						\
name##_body(struct wsq_fj_ctx w __WSQ_TASK_PARAMS##nr(__VA_ARGS__));	\
									\
/* Two words instead of a struct: compilers pass those by registers. */	\
static type name(struct wsq_fj_deque *__dq, struct wsq_fj_task *__head	\
		 __WSQ_TASK_PARAMS##nr(__VA_ARGS__))			\
{									\
	struct wsq_fj_ctx __w = { __dq, __head };			\
									\
	return name##_body(__w __WSQ_TASK_NAMES##nr(__VA_ARGS__));	\
}									\
									\
static void name##_stolen(struct wsq_fj_deque *__dq,			\
			  struct wsq_fj_task *__head,			\
			  struct wsq_fj_task *__task)			\
{									\
	struct name##_args *__args __maybe_unused = (void *)__task->data; \
									\
	*(type *)__task->data =						\
		name(__dq, __head __WSQ_TASK_LOAD##nr(__VA_ARGS__));	\
}									\
									\
static __always_inline __maybe_unused void				\
name##_spawn(struct wsq_fj_ctx *__w __WSQ_TASK_PARAMS##nr(__VA_ARGS__))	\
{									\
	struct name##_args *__args __maybe_unused =			\
		(void *)__w->head->data;				\
									\
	BUILD_BUG_ON(sizeof(struct name##_args) > sizeof(__w->head->data)); \
	BUILD_BUG_ON(sizeof(type) > sizeof(__w->head->data));		\
	__w->head->run = name##_stolen;					\
	__WSQ_TASK_STORE##nr(__VA_ARGS__)				\
	wsq_fj_push(__w);						\
}									\
									\
static __always_inline __maybe_unused type				\
name##_sync(struct wsq_fj_ctx *__w)					\
{									\
	unsigned long __what;						\
	struct name##_args *__args __maybe_unused;			\
									\
	wsq_fj_check_sync(__w->deque);					\
	__what = wsq_fj_pop(__w);					\
	__args = (void *)__w->head->data;				\
	if (likely(__what == WSQ_FJ_RUN))				\
		return name(__w->deque, __w->head			\
			    __WSQ_TASK_LOAD##nr(__VA_ARGS__));		\
	return __what == WSQ_FJ_RESULT ? *(type *)__w->head->data :	\
					 (type)0;			\
}									\
									\
static __always_inline __maybe_unused void				\
name##_drop(struct wsq_fj_ctx *__w)					\
{									\
	wsq_fj_check_sync(__w->deque);					\
	wsq_fj_pop(__w);						\
}									\
									\
static noinline __maybe_unused type					\
name##_call_slow(struct wsq_fj_ctx __w __WSQ_TASK_PARAMS##nr(__VA_ARGS__)) \
{									\
	name##_spawn(&__w __WSQ_TASK_NAMES##nr(__VA_ARGS__));		\
	return name##_sync(&__w);					\
}									\
									\
static __always_inline __maybe_unused type				\
name##_call(struct wsq_fj_ctx *__w __WSQ_TASK_PARAMS##nr(__VA_ARGS__))	\
{									\
	if (unlikely(!wsq_fj_callable(__w)))				\
		return name##_call_slow(*__w				\
				__WSQ_TASK_NAMES##nr(__VA_ARGS__));	\
	return name(__w->deque, __w->head				\
		    __WSQ_TASK_NAMES##nr(__VA_ARGS__));			\
}									\
									\
static __maybe_unused int						\
name##_run(struct wsq_fj *__fj, type *__result				\
	   __WSQ_TASK_PARAMS##nr(__VA_ARGS__))				\
{									\
	struct wsq_fj_ctx __w;						\
	int __ret = wsq_fj_begin(__fj, &__w);				\
									\
	if (__ret)							\
		return __ret;						\
	*__result = name(__w.deque, __w.head				\
			 __WSQ_TASK_NAMES##nr(__VA_ARGS__));		\
	return wsq_fj_end(__fj);					\
}									\
									\
static __always_inline type						\
name##_body(struct wsq_fj_ctx w __WSQ_TASK_PARAMS##nr(__VA_ARGS__))

/**
 * DEFINE_WSQ_TASK0() - define a task without arguments
 * @type: type of its result, a scalar
 * @name: its name, and that of its function. Also defines NAME_run(), which
 *	runs it as the first task of a run. Its arguments are the fork-join
 *	object, a pointer to where to store the result, and those of the task.
 *	It returns 0; %-EBUSY if another run of the object is under way;
 *	%-ECANCELED after wsq_fj_cancel(); %-EOVERFLOW if the stack or a
 *	thread's descriptors were used up. After an error the result means
 *	nothing. It may sleep, and takes no memory: the caller alone can do all
 * @w: name of the function's context
 *
 * The function's body follows.
 */
#define DEFINE_WSQ_TASK0(type, name, w)	__DEFINE_WSQ_TASK(0, type, name, w)

/**
 * DEFINE_WSQ_TASK1() - define a task with an argument
 * @type: type of its result
 * @name: its name
 * @w: name of the function's context
 * @...: type and name of the argument. All arguments together have at most 48
 *	bytes
 */
#define DEFINE_WSQ_TASK1(type, name, w, ...)				\
	__DEFINE_WSQ_TASK(1, type, name, w, __VA_ARGS__)

/**
 * DEFINE_WSQ_TASK2() - define a task with two arguments
 * @type: type of its result
 * @name: its name
 * @w: name of the function's context
 * @...: type and name of each argument
 */
#define DEFINE_WSQ_TASK2(type, name, w, ...)				\
	__DEFINE_WSQ_TASK(2, type, name, w, __VA_ARGS__)

/**
 * DEFINE_WSQ_TASK3() - define a task with three arguments
 * @type: type of its result
 * @name: its name
 * @w: name of the function's context
 * @...: type and name of each argument
 */
#define DEFINE_WSQ_TASK3(type, name, w, ...)				\
	__DEFINE_WSQ_TASK(3, type, name, w, __VA_ARGS__)

/**
 * DEFINE_WSQ_TASK4() - define a task with four arguments
 * @type: type of its result
 * @name: its name
 * @w: name of the function's context
 * @...: type and name of each argument
 */
#define DEFINE_WSQ_TASK4(type, name, w, ...)				\
	__DEFINE_WSQ_TASK(4, type, name, w, __VA_ARGS__)

#endif /* _LINUX_WSQ_FJ_H */
