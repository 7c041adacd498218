/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The split deque of fork-join: its layout, and what its owner does in every
 * spawn and sync. For the macros of <linux/wsq_fj.h>, which put this code into
 * its users' functions, and for kmod/core/fj.h, which has the rest and the
 * argument for it. Not to be used directly.
 *
 * T. van Dijk and J. van de Pol, "Lace: non-blocking split deque for
 * work-stealing" (2014), figure 4, lines 10 to 30: the private part of push()
 * and pop().
 *
 * Cost: a spawn writes the descriptor and tests one condition, a call another,
 * a sync two. None holds unless the owner has more to do: the head has reached
 * one of two limits that the owner has set for itself, or the stack pointer is
 * below a word that thieves set to the maximum to ask for work. There is no
 * barrier and no read-modify-write.
 */
#ifndef _LINUX_WSQ_FJ_DEQUE_H
#define _LINUX_WSQ_FJ_DEQUE_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/thread_info.h>
#include <linux/types.h>

struct wsq_fj_deque;
struct wsq_fj_task;

/* Words of a descriptor for arguments, and after the run for the result. */
#define WSQ_FJ_WORDS	6

/**
 * struct wsq_fj_ctx - where a task's function spawns
 * @deque: deque of the thread that runs the function
 * @head: the next descriptor. The function's own copy
 */
struct wsq_fj_ctx {
	struct wsq_fj_deque *deque;
	struct wsq_fj_task *head;
};

/**
 * struct wsq_fj_task - a task that was spawned and not synced yet
 * @run: calls the function and stores its result. For thieves: the first two
 *	arguments are the thief's
 * @thief: 0 unless a thief has the task; then the thief's deque, with
 *	WSQ_FJ_SLEEPS if the owner sleeps until the task ends; WSQ_FJ_ENDED
 *	when the result is there. The thief; the owner sets WSQ_FJ_SLEEPS, and
 *	0 when it has popped the task
 * @data: the arguments. After the run, the result
 *
 * One cache line, and the only one beside the deque's first that a thief needs.
 */
struct wsq_fj_task {
	void (*run)(struct wsq_fj_deque *dq, struct wsq_fj_task *head,
		    struct wsq_fj_task *task);
	atomic64_t thief;
	u64 data[WSQ_FJ_WORDS];
} __aligned(64);

/**
 * struct wsq_fj_deque - a thread's tasks: stolen, shared and private ones
 * @guard: the lowest address that the owner's stack pointer may have;
 *	WSQ_FJ_REQUEST if a thief asks for work or the run is to stop. The
 *	owner, thieves. On a line of its own, because the owner reads it in
 *	every operation
 * @ts: tail in the upper half: tasks below it are stolen; split in the lower
 *	half: tasks below it are shared. Thieves raise tail, the owner does the
 *	rest
 * @allstolen: thieves need not look at @ts. The owner
 * @tasks: the descriptors. Constant
 * @lo: a sync whose head is here has more to do. The owner, as all below
 * @hi: a spawn whose descriptor is here has more to do
 * @split: the copy of split
 * @nr: number of descriptors that spawns may use; there is one more
 * @stack_end: the value of @guard without a request
 * @all: the copy of @allstolen
 * @grows: how often split was raised. Others may read it, as all below
 * @shrinks: how often it was lowered
 * @requests: how often the owner, as a thief, has set @guard of another deque
 */
struct wsq_fj_deque {
	atomic64_t guard;

	atomic64_t ts __aligned(SMP_CACHE_BYTES);
	atomic64_t allstolen;
	struct wsq_fj_task *tasks;

	struct wsq_fj_task *lo __aligned(SMP_CACHE_BYTES);
	struct wsq_fj_task *hi;
	u32 split;
	u32 nr;
	u64 stack_end;
	bool all;
	atomic64_t grows;
	atomic64_t shrinks;
	atomic64_t requests;
};

/**
 * enum wsq_fj_popped - what a sync does with the task that it has popped
 * @WSQ_FJ_RUN: call its function
 * @WSQ_FJ_RESULT: return the result in the descriptor
 * @WSQ_FJ_DROP: return 0, because the run stops
 */
enum wsq_fj_popped {
	WSQ_FJ_RUN,
	WSQ_FJ_RESULT,
	WSQ_FJ_DROP,
};

/**
 * struct wsq_fj_sync - result of wsq_fj_sync_slow()
 * @head: the head afterwards: the descriptor of the task, unless it is dropped
 * @what: an enum wsq_fj_popped
 */
struct wsq_fj_sync {
	struct wsq_fj_task *head;
	unsigned long what;
};

struct wsq_fj_task *wsq_fj_spawn_slow(struct wsq_fj_deque *dq,
				      struct wsq_fj_task *task);
struct wsq_fj_sync wsq_fj_sync_slow(struct wsq_fj_deque *dq,
				    struct wsq_fj_task *head);
bool wsq_fj_call_slow(struct wsq_fj_deque *dq, struct wsq_fj_task *head);

static __always_inline u64 wsq_fj_stack_pointer(void)
{
#ifdef CONFIG_ARCH_HAS_CURRENT_STACK_POINTER
	/* Do not keep an older copy, which would cost a register. */
	asm volatile("" : "+r" (current_stack_pointer));
	return current_stack_pointer;
#else
	return (uintptr_t)__builtin_frame_address(0);
#endif
}

/* Does a thief ask for work, or is the stack used up? */
#if defined(CONFIG_X86_64) && defined(CONFIG_ARCH_HAS_CURRENT_STACK_POINTER)
static __always_inline bool wsq_fj_guarded(const struct wsq_fj_deque *dq)
{
	/* Compilers do not compare with volatile memory in one instruction. */
	asm goto("cmpq %%rsp, %0\n\tja %l1"
		 : : "m" (dq->guard.counter) : "cc" : guarded);	/* FJ(look:A) */
	return false;
guarded:
	return true;
}
#else
static __always_inline bool wsq_fj_guarded(const struct wsq_fj_deque *dq)
{
	return wsq_fj_stack_pointer() < (u64)atomic64_read(&dq->guard); /* FJ(look:A) */
}
#endif

/* Push the task whose arguments were written into the descriptor @w->head. */
static __always_inline void wsq_fj_push(struct wsq_fj_ctx *w)
{
	struct wsq_fj_task *task = w->head;

	if (unlikely(task == w->deque->hi))
		w->head = wsq_fj_spawn_slow(w->deque, task);
	else
		w->head = task + 1;
}

/* Pop the last task; returns an enum wsq_fj_popped. It is at @w->head then. */
static __always_inline unsigned long wsq_fj_pop(struct wsq_fj_ctx *w)
{
	struct wsq_fj_sync sync;

	if (likely(w->head != w->deque->lo && !wsq_fj_guarded(w->deque))) {
		w->head--;
		return WSQ_FJ_RUN;
	}
	sync = wsq_fj_sync_slow(w->deque, w->head);
	w->head = sync.head;
	return sync.what;
}

/* May a task be called directly? Otherwise it is to be spawned and synced. */
static __always_inline bool wsq_fj_callable(const struct wsq_fj_ctx *w)
{
	return likely(!wsq_fj_guarded(w->deque)) ||
	       wsq_fj_call_slow(w->deque, w->head);
}

#endif /* _LINUX_WSQ_FJ_DEQUE_H */
