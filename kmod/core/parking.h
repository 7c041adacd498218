/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parking: how a worker goes to sleep without missing a task, and how a put
 * finds out cheaply that it must wake the worker.
 *
 * The worker announces that it parks, looks for work once more, and sleeps.
 * A put makes its task visible, then reads the announcement. One of the two
 * must see the other. Of the classical two full barriers each side needs one
 * only if the other side is another CPU:
 *
 * Scenario A: the put is on the worker's own CPU (local).
 *
 *	worker			put, an interrupt or another task of this CPU
 *	------			------
 *	parked = 1		put task
 *	(look) task there?	parked?
 *
 *	Both run on one CPU, so one of them runs between two instructions of
 *	the other, never beside it: program order suffices. A put before the
 *	look is found. A put after the look sees parked.
 *	Forbidden: the look finds nothing and the put sees parked == 0.
 *
 * Scenario B: the put is on another CPU, through the inbox or a ready bit.
 *
 *	worker			put
 *	------			------
 *	parked = 1		push task (full barrier)
 *	smp_mb()		parked?
 *	task there?
 *
 *	Store buffering with a full barrier on both sides. Forbidden: as in A.
 *	PK(announce:B) pairs with the full barrier of IN(push:C), or of the
 *	atomic bit operation by which a container is marked ready.
 *	litmus/parking-remote.litmus
 *
 * A wake-up is claimed by an exchange of the word. Of many puts one pays for
 * it, and one put wakes at most one worker. A worker that found a task at its
 * last look takes the announcement back by the same exchange, which also shows
 * whether a put has claimed the wake-up.
 *
 * Limitations: a put on another CPU needs a full barrier of its own. Every such
 * put has one, in the exchange that makes its task visible.
 */
#ifndef _WSQ_CORE_PARKING_H
#define _WSQ_CORE_PARKING_H

#include <wsq_platform.h>

/**
 * struct wsq_park - one worker's announcement
 * @parked: 1 while the worker sleeps or is about to. Set by the worker,
 *	cleared by the claim of the wake-up.
 */
struct wsq_park {
	atomic64_t parked;
};

static inline void wsq_park_init(struct wsq_park *park)
{
	atomic64_set(&park->parked, 0);
}

/**
 * wsq_park_announce() - the worker is about to sleep
 * @park: its announcement
 *
 * Look for work once more after this, and only then sleep.
 *
 * Context: the worker.
 */
static inline void wsq_park_announce(struct wsq_park *park)
{
	atomic64_set(&park->parked, 1);				/* PK(announce:A) */
	/* Against IN(push:C) or the ready bit, then PK(claim:A). */
	smp_mb();						/* PK(announce:B) */
}

/**
 * wsq_parked() - is the worker asleep or about to be
 * @park: its announcement
 *
 * Context: any.
 * Return: as of some moment; no order.
 */
static inline bool wsq_parked(const struct wsq_park *park)
{
	return atomic64_read(&park->parked);			/* PK(look:A) */
}

/**
 * wsq_park_claim() - must the caller wake the worker
 * @park: the worker's announcement
 *
 * A put calls this after its task is visible: in program order on the worker's
 * own CPU, behind a full barrier elsewhere. The worker calls it when it is
 * awake, before it looks for tasks. A wake-up that was claimed earlier may
 * still arrive.
 *
 * Context: any, NMI included.
 * Return: true for exactly one caller for each time the worker parked.
 */
static inline bool wsq_park_claim(struct wsq_park *park)
{
	if (!atomic64_read(&park->parked))			/* PK(claim:A) */
		return false;
	return atomic64_xchg_relaxed(&park->parked, 0) == 1;	/* PK(claim:B) */
}

#endif /* _WSQ_CORE_PARKING_H */
