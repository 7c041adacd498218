/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parking: how a worker goes to sleep without missing a task, and how a put
 * finds out, almost for nothing, that it has to wake it.
 *
 * The worker announces that it parks, looks for work once more, and sleeps.
 * A put makes its task visible, then looks at the announcement. One of the two
 * must see the other. Of the classical two full barriers each side needs one
 * only where the other side is another CPU:
 *
 * Scenario A: the put is on the worker's own CPU (local).
 *
 *	worker			put, an interrupt or another task of this CPU
 *	------			------
 *	parked = 1		put task
 *	(look) task there?	parked?
 *
 *	Both run on one CPU, so one of them runs between two instructions of
 *	the other, never beside it: program order suffices. A put that comes
 *	before the look is found; one that comes after it sees parked.
 *	Forbidden: look finds nothing and the put sees parked == 0.
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
 * Scenario C: the put is on another CPU and the only writer of what it puts
 * into, so that it needs no atomic operation, and shall need no barrier.
 *
 *	worker			put, in a section of fence.h
 *	------			------
 *	parked = 1		store task
 *	smp_mb()		light fence
 *	set = xchg(mask, 0)	bit in mask? if not, set it (full barrier)
 *	heavy fence on set	parked?
 *	task there?
 *
 *	Forbidden: as in A. A put that finds its bit clear pays for a full
 *	barrier, once for each time the worker parks: scenario B. One that
 *	finds its bit set is in the worker's set, if it matters: either it saw
 *	the bit before the worker's exchange, then the exchange takes the bit
 *	and the fence interrupts the put's CPU, or the bit was set again after
 *	the exchange, by a put of this CPU which had to be behind a full
 *	barrier to do so and by then is behind the announcement too.
 *
 *	The interrupt finds the put in one of five places:
 *
 *	1. Before the task is stored. All of the put is behind the handler,
 *	   hence behind parked = 1: it sees that the worker parked.
 *	2. Behind the store, before the look at the bit. The look at parked is
 *	   behind the handler: as 1. The task is before it, so that the worker
 *	   finds it too. A wake-up of one that is awake does no harm.
 *	3. Behind the look at the bit, which was clear, before it is set: as 2.
 *	   The bit that is set then is for the worker's next exchange.
 *	4. Behind the setting, or behind the look if the bit was set, before
 *	   the look at parked: as 2. Without the fence this is where wake-ups
 *	   are lost: the store still in the store buffer, parked read as 0.
 *	5. Behind the look at parked. The store is before the handler, hence
 *	   before the worker's last look, which finds it.
 *	litmus/parking-fence.litmus, a step for each place
 *
 *	The exchange stands between the announcement and the fence, nowhere
 *	else. Before the announcement it loses the second of two puts: the
 *	first sets its bit just behind the exchange and sees a worker that is
 *	awake; the second finds the bit set, needs no barrier, and its CPU is
 *	not in the set of the worker that announces itself meanwhile.
 *	litmus/parking-exchange.litmus
 *
 *	Two levels of one CPU (task and softirq) share a bit. A put that is
 *	interrupted before it set the bit may set it a second time: harmless.
 *
 *	A CPU that may not be interrupted never sets a bit; its puts execute
 *	smp_mb() and are scenario B. litmus/parking-isolated.litmus
 *
 * A wake-up is claimed by an exchange of the word, so that of many puts one
 * pays for it, and of one put at most one worker wakes.
 *
 * Cost of scenario C: to the put two loads of lines that nobody writes while
 * the worker is awake; to the worker, each time it parks, an interrupt of each
 * CPU that put something since it last did, and a look at one word for each 64
 * CPUs. It pays where puts are many for each time the worker parks. Scenario C
 * is for task and softirq context: others go through the inbox.
 *
 * Pairs:
 *
 *	PK(announce:B) full -> PK(register:A) full
 *		If PK(collect:A) does not see the bit, PK(claim:A) behind its
 *		setting sees PK(announce:A). If it was the exchange that cleared
 *		it, likewise: the bit was then read from the exchange, which is
 *		behind PK(announce:B). PK(collect:B) needs no order of its own:
 *		PK(announce:B) is before it and PK(fence:A) is behind.
 *		litmus/parking-register.litmus
 *	PK(announce:B) full -> PK(register:B) full
 *		Scenario B for those that may not be interrupted.
 *		litmus/parking-isolated.litmus
 *	PK(fence:A) heavy -> PK(pass:A) light
 *		fence.h, scenario A, with PK(announce:A) for x.
 *		litmus/parking-fence.litmus, step 4
 *
 * No order: PK(pass:B), which PK(register:A) makes good or the fence covers.
 */
#ifndef _WSQ_CORE_PARKING_H
#define _WSQ_CORE_PARKING_H

#include <wsq_platform.h>

#include "fence.h"

/**
 * struct wsq_park - one worker's announcement
 * @parked: 1 while the worker sleeps or is about to. Set by the worker,
 *	cleared by it or by whoever claims the wake-up.
 */
struct wsq_park {
	atomic64_t parked;
};

/**
 * struct wsq_park_mask - who puts to one worker without a barrier
 * @words: bit b of word w is CPU 64 * w + b: it has put since the worker last
 *	parked, and may again without a barrier. Set by that CPU, cleared by
 *	the worker.
 * @taken: the worker's own: what it took from @words when it last parked
 * @nr_words: how many there are of either
 */
struct wsq_park_mask {
	atomic64_t *words;
	u64 *taken;
	u32 nr_words;
};

/**
 * struct wsq_park_door - one CPU's way to one worker
 * @word: where its bit is, in the worker's mask
 * @bit: the bit; 0 for a CPU that may not be interrupted
 *
 * Written once, read by puts of that CPU.
 */
struct wsq_park_door {
	atomic64_t *word;
	u64 bit;
};

static inline void wsq_park_init(struct wsq_park *park)
{
	atomic64_set(&park->parked, 0);
}

/**
 * wsq_park_mask_init() - prepare a worker's mask
 * @mask: the mask
 * @words: memory for the bits, on cache lines of their own
 * @taken: memory for what is taken, no smaller than a set of wsq_fence_heavy()
 * @nr_words: words of either
 *
 * Context: any; before anybody else knows @mask.
 */
static inline void wsq_park_mask_init(struct wsq_park_mask *mask,
				      atomic64_t *words, u64 *taken,
				      u32 nr_words)
{
	u32 i;

	mask->words = words;
	mask->taken = taken;
	mask->nr_words = nr_words;
	for (i = 0; i < nr_words; i++) {
		atomic64_set(&words[i], 0);
		taken[i] = 0;
	}
}

/**
 * wsq_park_door_init() - prepare a CPU's way to a worker
 * @door: the way
 * @mask: the worker's mask
 * @cpu: the CPU, below 64 times the mask's words
 * @reached: may the CPU be interrupted, see wsq_fence_reaches()
 *
 * Context: any; before the first put through @door.
 */
static inline void wsq_park_door_init(struct wsq_park_door *door,
				      const struct wsq_park_mask *mask,
				      u32 cpu, bool reached)
{
	door->word = &mask->words[cpu / WSQ_FENCE_WORD_BITS];
	door->bit = reached ? (u64)1 << cpu % WSQ_FENCE_WORD_BITS : 0;
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
 * wsq_park_collect() - take the set of those that put without a barrier
 * @mask: the worker's mask
 *
 * Between wsq_park_announce() and wsq_fence_heavy() on @mask->taken, nowhere
 * else: wsq_park_announce_mask() is all three.
 *
 * A store of 0 would do for the exchange: a bit that is set between the look
 * and the store is that of a put behind the announcement, which wakes the
 * worker, and is set anew by the next. With an exchange what was cleared is
 * what was taken, and that needs no argument; the fence costs far more.
 *
 * Context: the worker.
 * Return: true if the set is not empty.
 */
static inline bool wsq_park_collect(struct wsq_park_mask *mask)
{
	u64 any = 0;
	u32 i;

	for (i = 0; i < mask->nr_words; i++) {
		/* Mostly nobody put: leave the line to its readers. */
		mask->taken[i] = (u64)atomic64_read(&mask->words[i]); /* PK(collect:A) */
		if (mask->taken[i])
			mask->taken[i] = (u64)
				atomic64_xchg_relaxed(&mask->words[i], 0); /* PK(collect:B) */
		any |= mask->taken[i];
	}
	return any;
}

/**
 * wsq_park_announce_mask() - the worker is about to sleep, scenario C
 * @park: its announcement
 * @mask: who puts to it without a barrier
 *
 * Look for work once more after this, and only then sleep.
 *
 * Context: the worker; task context, outside of sections of fence.h.
 */
static inline void wsq_park_announce_mask(struct wsq_park *park,
					  struct wsq_park_mask *mask)
{
	wsq_park_announce(park);
	/* Against PK(pass:A): each put of the set before or behind this. */
	if (wsq_park_collect(mask))
		wsq_fence_heavy(mask->taken, mask->nr_words);	/* PK(fence:A) */
}

/**
 * wsq_park_retract() - the worker is awake
 * @park: its announcement
 *
 * Context: the worker. A wake-up that was claimed before may still arrive.
 */
static inline void wsq_park_retract(struct wsq_park *park)
{
	atomic64_set(&park->parked, 0);				/* PK(retract:A) */
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
 * wsq_park_claim() - does the caller have to wake the worker
 * @park: the worker's announcement
 *
 * Call after the task is visible: in program order on the worker's own CPU,
 * behind a full barrier elsewhere.
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

/* The put is the first one since the worker parked, or may never be fenced. */
static inline void wsq_park_register(const struct wsq_park_door *door)
{
	if (door->bit)
		/* Against PK(announce:B), then PK(claim:A). */
		atomic64_fetch_or((s64)door->bit, door->word);	/* PK(register:A) */
	else
		smp_mb();					/* PK(register:B) */
}

/**
 * wsq_park_claim_remote() - does the caller have to wake the worker, scenario C
 * @park: the worker's announcement
 * @door: the way to it of the CPU that this runs on
 *
 * Call after the task is stored, in the section of fence.h in which it was.
 *
 * Context: task or softirq, in a section.
 * Return: true for exactly one caller for each time the worker parked.
 */
static inline bool wsq_park_claim_remote(struct wsq_park *park,
					 const struct wsq_park_door *door)
{
	wsq_fence_light();					/* PK(pass:A) */
	if (unlikely(!((u64)atomic64_read(door->word) & door->bit))) /* PK(pass:B) */
		wsq_park_register(door);
	return wsq_park_claim(park);
}

#endif /* _WSQ_CORE_PARKING_H */
