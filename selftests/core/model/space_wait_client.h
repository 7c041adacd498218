/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the clients of core/space_wait.h: the scheduler's part, and interrupts.
 *
 * A waiter's sleep is a loop until it is woken. Without a wake-up it never
 * ends, which Relacy reports: a client that ends has lost no wake-up.
 *
 * A party may have one interrupt of its own CPU: a function, called at one of
 * the points where interrupts are on, chosen by the checker, at the latest when
 * the party sleeps. While it runs, wsq_space_self() is the interrupted party.
 *
 * Limitations: the interrupt comes before the lock, after it or in the sleep,
 * not within put(), which is under the lock.
 */
#ifndef _WSQ_MODEL_SPACE_WAIT_CLIENT_H
#define _WSQ_MODEL_SPACE_WAIT_CLIENT_H

#include "main.h"

#include "space_wait.h"

enum { PARTIES = 4 };

struct party {
	int who;
	/* It is prepared to sleep, or sleeps. */
	bool prepared;
	/* It has returned from wsq_space_wait(), and its struct is gone. */
	bool left;
	bool killed;
	void (*interrupt)(void);
};

static party parties[PARTIES];

/* The struct wsq_space has been freed. */
static bool gone;

static party *me(void)
{
	return &parties[rl::thread_index()];
}

static void parties_init(void)
{
	int i;

	for (i = 0; i < PARTIES; i++)
		parties[i] = party{};
	gone = false;
}

/* Interrupts are on: now, or later. */
static void open_up(bool last)
{
	void (*fn)(void) = me()->interrupt;

	if (!fn || (!last && rl::rand(2)))
		return;
	me()->interrupt = nullptr;
	fn();
}

static unsigned long wsq_space_lock(wsq_space_lock_t *l)
{
	RL_ASSERT(!gone);
	l->lock($);
	return 0;
}

static void wsq_space_unlock(wsq_space_lock_t *l, unsigned long flags)
{
	(void)flags;
	RL_ASSERT(!gone);
	l->unlock($);
	open_up(false);
}

static wsq_space_task_t *wsq_space_self(void)
{
	return &me()->who;
}

static void wsq_space_prepare(void)
{
	me()->prepared = true;
}

static void wsq_space_finish(void)
{
	me()->prepared = false;
}

static void wsq_space_sleep(long time)
{
	(void)time;
	while (me()->prepared) {
		open_up(true);
		rl::yield(1, $);
	}
}

/* As wake_up_process(): a prepared waiter sees what precedes it. */
static void wsq_space_wake(wsq_space_task_t *who)
{
	party *p = (party *)((char *)who - offsetof(party, who));

	RL_ASSERT(p >= parties && p < parties + PARTIES);
	RL_ASSERT(!p->left);
	p->prepared = false;
}

static bool wsq_space_killed(void)
{
	return me()->killed;
}

/* A container of so many slots, in which nothing orders anything. */
struct location {
	atomic64_t used;
	s64 size;

	void init(s64 n, s64 full)
	{
		size = n;
		atomic64_set(&used, full);
	}

	bool put(void)
	{
		s64 n = atomic64_read(&used), old;

		while (n < size) {
			old = atomic64_cmpxchg_relaxed(&used, n, n + 1);
			if (old == n)
				return true;
			n = atomic64_read(&used);
		}
		return false;
	}

	bool take(void)
	{
		s64 n = atomic64_read(&used), old;

		while (n > 0) {
			old = atomic64_cmpxchg_relaxed(&used, n, n - 1);
			if (old == n)
				return true;
			n = atomic64_read(&used);
		}
		return false;
	}
};

#endif /* _WSQ_MODEL_SPACE_WAIT_CLIENT_H */
