/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting for space: threads that wait until they can put a task. A thread that
 * finds no space announces itself, looks once more and sleeps. A context that
 * makes space puts the first waiter's task, or wakes all waiters to look for
 * themselves.
 *
 * For: kmod/pool/overflow.c, the rule WSQ_OVERFLOW_WAIT. What space is, and
 * whether a given waiter can use it, is not known here: a function that tries
 * to put says whether it could.
 *
 * The platform supplies the hooks through <wsq_space_wait.h>, found by the
 * include path: a raw spinlock and the scheduler in the module (kmod/compat),
 * the client of the model checker in shim/relacy.
 *
 *	wsq_space_lock_t	a lock; the holder is not interrupted
 *	wsq_space_lock_init(l), wsq_space_lock(l), wsq_space_unlock(l, flags)
 *	wsq_space_task_t	a thread; wsq_space_self() is the calling one
 *	wsq_space_prepare()	prepare to sleep: a wake-up from now on ends the
 *				next sleep. No order
 *	wsq_space_sleep(time)	sleep for at most this long, unless woken since
 *				wsq_space_prepare()
 *	wsq_space_finish()	cancel wsq_space_prepare()
 *	wsq_space_wake(who)	wake a thread, which may be the calling one, in
 *				an interrupt of its own
 *	wsq_space_killed()	shall the caller give up
 *
 * A waiter is in the ring from its entry until it is settled. Settling sets
 * the waiter's @end under the lock. It is done by the waiter, when it could put
 * or gives up; by a pop that puts its task for it; or by a close. The waiter's
 * struct is on its stack, and it reads @end under the lock before it returns.
 * So a context that finds a waiter in the ring may use it under the lock, and
 * each task is put only once.
 *
 * Settling always wakes the waiter. An interrupt may come between the waiter's
 * look and its sleep, on its own CPU, and settle it. In that interrupt the
 * waiter is the current thread, and must be woken all the same. Otherwise it
 * would sleep without being in any ring.
 *
 * No space is made without its waiters seeing it:
 *
 *	waiter				context that makes space
 *	------				------------------------
 *	nr = 1				make space
 *	smp_mb()			smp_mb()
 *	space?				nr?
 *
 *	Store buffering. Forbidden: no space seen, and no waiter seen.
 *
 * Waking all is done in slices, because it happens with interrupts off. @turn
 * is the next waiter to wake; it and all behind it will be woken. It is NULL if
 * none will. A call during such a pass sets @again: the waiters behind @turn
 * are woken anyway, those before it after the pass has reached the end. A
 * waiter that leaves the ring passes its @turn to the next one. Earlier calls
 * need not wake a waiter that enters, because its look comes after them.
 *
 * Pairs:
 *
 *	RM(wait:A) full -> RM(unused:A) full
 *		If RM(unused:B) does not see RM(enter:A), the look for space
 *		behind RM(wait:A) sees the space that was made.
 *		litmus/space-wait.litmus
 *
 * No order: RM(leave:A), under the lock.
 *
 * Cost: a context that makes space and finds no waiter pays a full barrier and
 * a load. With waiters it also holds the lock, for one attempt to put, or a
 * slice of wake-ups. Limitations: all share a lock, and waking all is n
 * wake-ups for one task's space.
 */
#ifndef _WSQ_CORE_SPACE_WAIT_H
#define _WSQ_CORE_SPACE_WAIT_H

#include <wsq_platform.h>
#include <wsq_space_wait.h>

#include "status.h"

/* Waiters that are woken, or turned away, while the lock is held once. */
#ifndef WSQ_SPACE_SLICE
#define WSQ_SPACE_SLICE		16
#endif

/**
 * enum wsq_space_end - what has become of a waiter
 * @WSQ_SPACE_WAITS: nothing yet
 * @WSQ_SPACE_ADMITTED: its task was put
 * @WSQ_SPACE_KILLED: it was killed; its task was not put
 * @WSQ_SPACE_CLOSED: it was turned away; its task was not put
 */
enum wsq_space_end {
	WSQ_SPACE_WAITS,
	WSQ_SPACE_ADMITTED,
	WSQ_SPACE_KILLED,
	WSQ_SPACE_CLOSED,
};

/**
 * struct wsq_space_waiter - a waiter, on its stack
 * @next: the waiter behind it in the ring
 * @prev: the waiter before it
 * @who: the thread to wake. Constant
 * @task: what it wants to put. Constant
 * @end: what has become of it. All members but the constant ones are under the
 *	lock of struct wsq_space
 */
struct wsq_space_waiter {
	struct wsq_space_waiter *next;
	struct wsq_space_waiter *prev;
	wsq_space_task_t *who;
	void *task;
	enum wsq_space_end end;
};

/**
 * struct wsq_space - the waiters for space
 * @lock: guards all else; held for one attempt to put or one slice
 * @ring: before the first and behind the last waiter
 * @turn: the next waiter to wake; %NULL for none
 * @again: when @turn has reached the end, wake all once more
 * @nr: number of waiters in the ring. @lock; read without
 * @inside: number of threads that still use this struct. @lock
 */
struct wsq_space {
	wsq_space_lock_t lock;
	struct wsq_space_waiter ring;
	struct wsq_space_waiter *turn;
	bool again;
	atomic64_t nr;
	u32 inside;
};

/**
 * typedef wsq_space_put - put a task, if there is space for it
 * @arg: argument from the caller
 * @task: the task
 *
 * Context: under the lock of struct wsq_space.
 * Return: true if there was space.
 */
typedef bool (*wsq_space_put)(void *arg, void *task);

static inline void wsq_space_init(struct wsq_space *space)
{
	wsq_space_lock_init(&space->lock);
	space->ring.next = &space->ring;
	space->ring.prev = &space->ring;
	space->turn = NULL;
	space->again = false;
	atomic64_set(&space->nr, 0);
	space->inside = 0;
}

/* The next waiter, or NULL behind the last. */
static inline struct wsq_space_waiter *wsq_space_behind(struct wsq_space *space,
							const struct wsq_space_waiter *w)
{
	return w->next == &space->ring ? NULL : w->next;
}

/* Enter at the end of the ring. The lock is held. */
static inline void wsq_space_enter(struct wsq_space *space, struct wsq_space_waiter *w)
{
	w->next = &space->ring;
	w->prev = space->ring.prev;
	w->prev->next = w;
	space->ring.prev = w;
	space->inside++;
	atomic64_set(&space->nr, atomic64_read(&space->nr) + 1);	/* RM(enter:A) */
}

/* Take a waiter out of the ring, and record why. The lock is held. */
static inline void wsq_space_settle(struct wsq_space *space, struct wsq_space_waiter *w,
				    enum wsq_space_end end)
{
	if (space->turn == w)
		space->turn = wsq_space_behind(space, w);
	w->prev->next = w->next;
	w->next->prev = w->prev;
	atomic64_set(&space->nr, atomic64_read(&space->nr) - 1);	/* RM(leave:A) */
	w->end = end;
	/* Even if it is the current thread: see above. */
	wsq_space_wake(w->who);
}

/**
 * wsq_space_wait() - wait until a task is put
 * @space: where to wait for space
 * @task: the task
 * @put: puts it
 * @arg: for @put
 * @time: timeout after which to look again
 *
 * Context: task; sleeps.
 * Return: what has become of the waiter, not %WSQ_SPACE_WAITS.
 */
static inline enum wsq_space_end wsq_space_wait(struct wsq_space *space, void *task,
						wsq_space_put put, void *arg,
						long time)
{
	struct wsq_space_waiter w = {};
	unsigned long flags;

	w.who = wsq_space_self();
	w.task = task;
	w.end = WSQ_SPACE_WAITS;
	flags = wsq_space_lock(&space->lock);
	wsq_space_enter(space, &w);
	while (w.end == WSQ_SPACE_WAITS) {
		wsq_space_prepare();
		/* Announce, then look for space. Against RM(unused:A). */
		smp_mb();					/* RM(wait:A) */
		if (put(arg, task)) {
			wsq_space_settle(space, &w, WSQ_SPACE_ADMITTED);
		} else if (wsq_space_killed()) {
			wsq_space_settle(space, &w, WSQ_SPACE_KILLED);
		} else {
			wsq_space_unlock(&space->lock, flags);
			wsq_space_sleep(time);
			flags = wsq_space_lock(&space->lock);
		}
	}
	wsq_space_finish();
	space->inside--;
	wsq_space_unlock(&space->lock, flags);
	return w.end;
}

/**
 * wsq_space_unused() - is there no waiter for the space that was made
 * @space: where to wait for space
 *
 * Context: any, behind what made the space.
 * Return: true if there is none; if false, call wsq_space_admit() or
 * wsq_space_call().
 */
static inline bool wsq_space_unused(struct wsq_space *space)
{
	/* Make space, then look for waiters. Against RM(wait:A). */
	smp_mb();						/* RM(unused:A) */
	return !atomic64_read(&space->nr);			/* RM(unused:B) */
}

/**
 * wsq_space_admit() - put the first waiter's task, if there is space for it
 * @space: where to wait for space
 * @task: if it holds %NULL, the waiter's task is stored there, and needs no
 *	space
 * @put: puts its task
 * @arg: for @put
 *
 * Context: any but NMI.
 * Return: %WSQ_OK if the task was put or stored, %WSQ_FULL if there is no
 * space, %WSQ_EMPTY if there is no waiter.
 */
static inline int wsq_space_admit(struct wsq_space *space, void **task,
				  wsq_space_put put, void *arg)
{
	unsigned long flags = wsq_space_lock(&space->lock);
	struct wsq_space_waiter *w = wsq_space_behind(space, &space->ring);
	int ret = WSQ_OK;

	if (!w)
		ret = WSQ_EMPTY;
	else if (!*task)
		*task = w->task;
	else if (!put(arg, w->task))
		ret = WSQ_FULL;
	if (ret == WSQ_OK)
		wsq_space_settle(space, w, WSQ_SPACE_ADMITTED);
	wsq_space_unlock(&space->lock, flags);
	return ret;
}

/* Wake a slice of waiters, from @turn on: are there more? The lock is held. */
static inline bool wsq_space_slice(struct wsq_space *space)
{
	u32 n;

	for (n = 0; n < WSQ_SPACE_SLICE; n++) {
		if (!space->turn && space->again) {
			space->again = false;
			space->turn = wsq_space_behind(space, &space->ring);
		}
		if (!space->turn)
			return false;
		wsq_space_wake(space->turn->who);
		space->turn = wsq_space_behind(space, space->turn);
	}
	return space->turn || space->again;
}

/**
 * wsq_space_call() - wake all waiters, to look for space themselves
 * @space: where to wait for space
 *
 * Context: any but NMI.
 * Return: true if wsq_space_go_on() must be called.
 */
static inline bool wsq_space_call(struct wsq_space *space)
{
	unsigned long flags = wsq_space_lock(&space->lock);
	bool more;

	space->again = true;
	more = wsq_space_slice(space);
	wsq_space_unlock(&space->lock, flags);
	return more;
}

/**
 * wsq_space_go_on() - wake more of the waiters that were called
 * @space: where to wait for space
 *
 * Context: any but NMI; need not be the context that called wsq_space_call().
 * Return: true if it must be called again.
 */
static inline bool wsq_space_go_on(struct wsq_space *space)
{
	unsigned long flags = wsq_space_lock(&space->lock);
	bool more = wsq_space_slice(space);

	wsq_space_unlock(&space->lock, flags);
	return more;
}

/**
 * wsq_space_close() - turn away some of the waiters
 * @space: where to wait for space; no thread enters any more
 * @inside: where to store the number of threads that still use @space
 *
 * Context: any but NMI.
 * Return: how many were turned away. Call it until that is 0, and then until
 * @inside is 0.
 */
static inline u32 wsq_space_close(struct wsq_space *space, u32 *inside)
{
	unsigned long flags = wsq_space_lock(&space->lock);
	struct wsq_space_waiter *w;
	u32 n;

	for (n = 0; n < WSQ_SPACE_SLICE; n++) {
		w = wsq_space_behind(space, &space->ring);
		if (!w)
			break;
		wsq_space_settle(space, w, WSQ_SPACE_CLOSED);
	}
	*inside = space->inside;
	wsq_space_unlock(&space->lock, flags);
	return n;
}

#endif /* _WSQ_CORE_SPACE_WAIT_H */
