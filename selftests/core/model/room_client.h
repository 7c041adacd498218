/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the clients of core/room.h share: the scheduler's part, and interrupts.
 *
 * A waiter's sleep is a loop until he is roused. Where nobody rouses him it never
 * ends, which Relacy reports: a client that ends has lost no wake-up.
 *
 * A party may have one interrupt to come, of its own CPU: a function, called at one
 * of the places where interrupts are on, whichever the checker chooses, at the
 * latest when the party sleeps. In between the CPU is the party's: while it runs,
 * wsq_room_self() is who was interrupted.
 *
 * Limitations: the interrupt comes before the lock, behind it or in the sleep, not
 * within put(), which is under the lock.
 */
#ifndef _WSQ_MODEL_ROOM_CLIENT_H
#define _WSQ_MODEL_ROOM_CLIENT_H

#include "main.h"

#include "room.h"

enum { PARTIES = 4 };

struct party {
	int who;
	/* Would sleep; is about to, or does. */
	bool poised;
	/* Has returned from wsq_room_wait(), and its struct is gone. */
	bool left;
	bool killed;
	void (*interrupt)(void);
};

static party parties[PARTIES];

/* The room is no more. */
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

static unsigned long wsq_room_lock(wsq_room_lock_t *l)
{
	RL_ASSERT(!gone);
	l->lock($);
	return 0;
}

static void wsq_room_unlock(wsq_room_lock_t *l, unsigned long flags)
{
	(void)flags;
	RL_ASSERT(!gone);
	l->unlock($);
	open_up(false);
}

static wsq_room_who_t *wsq_room_self(void)
{
	return &me()->who;
}

static void wsq_room_poise(void)
{
	me()->poised = true;
}

static void wsq_room_rise(void)
{
	me()->poised = false;
}

static void wsq_room_sleep(long time)
{
	(void)time;
	while (me()->poised) {
		open_up(true);
		rl::yield(1, $);
	}
}

/* As wake_up_process(): whoever is poised sees what precedes it. */
static void wsq_room_rouse(wsq_room_who_t *who)
{
	party *p = (party *)((char *)who - offsetof(party, who));

	RL_ASSERT(p >= parties && p < parties + PARTIES);
	RL_ASSERT(!p->left);
	p->poised = false;
}

static bool wsq_room_killed(void)
{
	return me()->killed;
}

/* A place for so many, in which nothing orders anything. */
struct place {
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

#endif /* _WSQ_MODEL_ROOM_CLIENT_H */
