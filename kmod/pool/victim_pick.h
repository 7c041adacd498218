/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Choice of a victim, without queues, locks and memory.
 *
 * After Wang et al., "BWoS: Formally Verified Block-based Work Stealing for
 * Parallel Processing", OSDI 2023, sections 2.1.3 and 3.4. A policy is a set of
 * properties (WSQ_PICK_*). The thief draws a victim (wsq_pick_next()). If the
 * policy prefers full queues, it looks at one random block of the victim and
 * accepts the victim or draws again (wsq_pick_accept()). The number of draws is
 * bounded. A thief that has found nothing by then looks at each CPU once; the
 * caller does that.
 *
 * For: victim.c and its users. Unit tests and the benchmark of policies
 * (selftests/core) compile the same source in user space.
 *
 * Costs: a random number takes three shifts and a multiplication. A draw takes
 * a random number, a multiplication and a load from the thief's own access
 * list. Nothing here reads another CPU's memory or divides.
 *
 * Limitations: the numbers are pseudo-random and seeded by the CPU's number,
 * good for balance only. A draw may repeat.
 */
#ifndef _WSQ_POOL_VICTIM_PICK_H
#define _WSQ_POOL_VICTIM_PICK_H

#include <wsq_platform.h>

/**
 * struct wsq_victim - an entry of an access list
 * @cpu: the victim
 * @end: index in the list of the first victim that is farther away
 * @distance: enum wsq_distance
 * @hops: node distance as the firmware reports it, 10 for the own node
 */
struct wsq_victim {
	u16 cpu;
	u16 end;
	u8 distance;
	u8 hops;
};

/**
 * struct wsq_access - access list of one CPU, nearest first
 * @nr: number of entries
 * @victims: all other CPUs that exist
 */
struct wsq_access {
	u32 nr;
	struct wsq_victim victims[];
};

/*
 * DRAW: draw victims. NEXT: draw the CPU behind the last one, instead of a
 * random one. NEAR: draw among the nearest first, then among the next nearest.
 * ACCEPT: accept a victim with the probability that it is full. AT: take from
 * the block that was sampled. AGAIN: in a pointer pool, first try the CPU of
 * the last theft (steal.c).
 */
#define WSQ_PICK_DRAW		1U
#define WSQ_PICK_NEXT		2U
#define WSQ_PICK_NEAR		4U
#define WSQ_PICK_ACCEPT		8U
#define WSQ_PICK_AT		16U
#define WSQ_PICK_AGAIN		32U

/* Most draws among CPUs that are equally far, and in all. */
#define WSQ_PICK_TRIES		8U
#define WSQ_PICK_MOST		16U

/**
 * struct wsq_thief - what a thief remembers from one theft to the next
 * @rnd: state of its random numbers, never 0. Written by the thief.
 * @next: index in its access list of the next draw, with %WSQ_PICK_NEXT.
 *	Written by the thief.
 *
 * Atomic, because a theft in an interrupt may come between a read and a write.
 * Then one of the two writes is lost.
 */
struct wsq_thief {
	atomic64_t rnd;
	atomic64_t next;
};

/**
 * struct wsq_pick - one search for a victim
 * @list: the thief's access list
 * @flags: WSQ_PICK_*
 * @begin: index of the first CPU to draw from
 * @end: index behind the last one
 * @tries: draws left between @begin and @end
 * @left: draws left in all
 */
struct wsq_pick {
	const struct wsq_access *list;
	u32 flags;
	u32 begin;
	u32 end;
	u32 tries;
	u32 left;
};

/**
 * wsq_access_group() - fill in @end of an access list's victims
 * @list: the list, complete and in order except for @end
 *
 * Context: before any other context can reach @list.
 */
static inline void wsq_access_group(struct wsq_access *list)
{
	u32 end = list->nr, i = list->nr;

	while (i--) {
		struct wsq_victim *v = &list->victims[i];

		if (i + 1 < list->nr && (v[0].distance != v[1].distance ||
					 v[0].hops != v[1].hops))
			end = i + 1;
		v->end = (u16)end;
	}
}

/**
 * wsq_thief_init() - initialize a thief
 * @t: the thief
 * @nr: its number, which seeds its random numbers
 *
 * Context: before any other context can reach @t.
 */
static inline void wsq_thief_init(struct wsq_thief *t, u32 nr)
{
	/* Odd multiples of the golden ratio are far apart, and none is 0. */
	atomic64_set(&t->rnd, (s64)((2ULL * nr + 1) * 0x9e3779b97f4a7c15ULL));
	atomic64_set(&t->next, 0);
}

/**
 * wsq_thief_rnd() - draw a random number
 * @t: the thief
 *
 * The upper half of an xorshift generator's product (Marsaglia 2003, Vigna
 * 2016).
 *
 * Context: the thief.
 * Return: 32 bits.
 */
static inline u32 wsq_thief_rnd(struct wsq_thief *t)
{
	u64 x = (u64)atomic64_read(&t->rnd);

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	atomic64_set(&t->rnd, (s64)x);
	return (u32)(x * 0x2545f4914f6cdd1dULL >> 32);
}

/* A random number below @nr. */
static inline u32 wsq_thief_draw(struct wsq_thief *t, u32 nr)
{
	return (u32)((u64)wsq_thief_rnd(t) * nr >> 32);
}

/* The next number below @nr. The last list may have been longer. */
static inline u32 wsq_thief_next(struct wsq_thief *t, u32 nr)
{
	u32 i = (u32)atomic64_read(&t->next);

	if (i >= nr)
		i = 0;
	atomic64_set(&t->next, i + 1);
	return i;
}

/**
 * wsq_pick_begin() - begin to look for a victim
 * @p: the search
 * @list: the thief's access list
 * @flags: WSQ_PICK_*
 *
 * With one victim there is no choice, except of its blocks.
 *
 * Context: the thief.
 */
static inline void wsq_pick_begin(struct wsq_pick *p,
				  const struct wsq_access *list, u32 flags)
{
	u32 worth = flags & WSQ_PICK_AT ? 1 : 2;

	p->list = list;
	p->flags = flags;
	p->begin = 0;
	p->end = 0;
	p->tries = 0;
	p->left = flags & WSQ_PICK_DRAW && list->nr >= worth ?
		  WSQ_PICK_MOST : 0;
}

/**
 * wsq_pick_next() - draw a victim
 * @p: the search
 * @t: the thief
 *
 * Context: the thief.
 * Return: the victim; %NULL when the tries are used up.
 */
static inline const struct wsq_victim *wsq_pick_next(struct wsq_pick *p,
						     struct wsq_thief *t)
{
	const struct wsq_access *list = p->list;

	if (!p->left)
		return NULL;
	if (!p->tries) {
		if (p->end == list->nr)
			return NULL;
		p->begin = p->end;
		p->end = p->flags & WSQ_PICK_NEAR ?
			 list->victims[p->begin].end : list->nr;
		p->tries = p->end - p->begin;
		if (p->tries > WSQ_PICK_TRIES)
			p->tries = WSQ_PICK_TRIES;
	}
	p->tries--;
	p->left--;
	if (p->flags & WSQ_PICK_NEXT)
		return &list->victims[wsq_thief_next(t, list->nr)];
	return &list->victims[p->begin +
			      wsq_thief_draw(t, p->end - p->begin)];
}

/**
 * wsq_pick_accept() - accept a victim, or draw again
 * @t: the thief
 * @there: stealable tasks in one random block of the victim
 * @size: tasks in a block
 *
 * If draws are equally likely, a queue is accepted with the probability
 * (stealable tasks / capacity), over all its blocks.
 *
 * Context: the thief.
 * Return: true with probability @there / @size: always if the block is full,
 * never if it is empty.
 */
static inline bool wsq_pick_accept(struct wsq_thief *t, u32 there, u32 size)
{
	/* A certain answer needs no random number. */
	if (!there || there >= size)
		return there;
	return wsq_thief_draw(t, size) < there;
}

#endif /* _WSQ_POOL_VICTIM_PICK_H */
