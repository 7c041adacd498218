/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whom to rob: the choice itself, without queues, locks and memory.
 *
 * After Wang et al., "BWoS: Formally Verified Block-based Work Stealing for
 * Parallel Processing", OSDI 2023, sections 2.1.3 and 3.4. A policy is a set of
 * properties (WSQ_PICK_*). The thief draws a victim (wsq_pick_next()), looks at
 * one block of it that chance picks as well, if the policy is to prefer full
 * queues, and takes it or draws again (wsq_pick_accept()). Tries are bounded;
 * whoever has found nothing by then looks at every CPU once, which is the
 * caller's business.
 *
 * For: victim.c and who robs by it; the same source in user space, in unit tests
 * and in the benchmark of policies (selftests/core).
 *
 * What it costs: a random number is three shifts and a multiplication; a draw is
 * one, a multiplication and a load from the thief's own access list. Nothing of
 * another CPU is read here, and nothing divides.
 *
 * Limitations: chance is pseudo-random and seeded by the CPU's number, good for
 * balance and nothing else. A draw may repeat.
 */
#ifndef _WSQ_POOL_VICTIM_PICK_H
#define _WSQ_POOL_VICTIM_PICK_H

#include <wsq_platform.h>

/**
 * struct wsq_victim - an entry of an access list
 * @cpu: whom to rob
 * @end: where in the list those begin that are farther away
 * @distance: enum wsq_distance
 * @hops: node distance as the firmware tells it, 10 for the own node
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
 * @victims: all CPUs that there are but the own one
 */
struct wsq_access {
	u32 nr;
	struct wsq_victim victims[];
};

/*
 * Draw at all; go on behind the CPU that was tried last, where others draw by
 * chance; among the nearest first, then those next to them; accept with the
 * probability that the victim is full; take from the block that was looked at.
 */
#define WSQ_PICK_DRAW		1U
#define WSQ_PICK_NEXT		2U
#define WSQ_PICK_NEAR		4U
#define WSQ_PICK_ACCEPT		8U
#define WSQ_PICK_AT		16U

/* Tries among CPUs that are equally far, and in all. */
#define WSQ_PICK_TRIES		8U
#define WSQ_PICK_MOST		16U

/**
 * struct wsq_thief - what a thief remembers from one theft to the next
 * @rnd: state of its random numbers, never 0. Itself.
 * @next: where in its access list it goes on, with %WSQ_PICK_NEXT. Itself.
 *
 * Atomic, because a theft in an interrupt may come between: either of the two
 * has its way.
 */
struct wsq_thief {
	atomic64_t rnd;
	atomic64_t next;
};

/**
 * struct wsq_pick - one search for a victim
 * @list: the thief's access list
 * @flags: WSQ_PICK_*
 * @begin: draws are from here ...
 * @end: ... to before here
 * @tries: draws left there
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
 * wsq_access_group() - say in an access list who is equally far
 * @list: the list, in order, but for the victims' @end
 *
 * Context: before anybody else knows @list.
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
 * wsq_thief_init() - make a thief
 * @t: the thief
 * @nr: its number; thieves with others draw otherwise
 *
 * Context: before anybody else knows @t.
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

/* One of @nr, by chance. */
static inline u32 wsq_thief_draw(struct wsq_thief *t, u32 nr)
{
	return (u32)((u64)wsq_thief_rnd(t) * nr >> 32);
}

/* The next of @nr; another list may have been longer. */
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
 * Where there is one victim there is no choice, but of its blocks.
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
 * wsq_pick_accept() - rob this victim, or draw again
 * @t: the thief
 * @there: tasks that thieves can take from one block of the victim's that
 *	chance has picked
 * @size: tasks in a block
 *
 * Over all blocks, and with draws that are equally likely, a queue is robbed with
 * the probability of its size over its capacity.
 *
 * Context: the thief.
 * Return: true with probability @there / @size; always if it is full, never if it
 * is empty.
 */
static inline bool wsq_pick_accept(struct wsq_thief *t, u32 there, u32 size)
{
	/* What is certain costs no random number. */
	if (!there || there >= size)
		return there;
	return wsq_thief_draw(t, size) < there;
}

#endif /* _WSQ_POOL_VICTIM_PICK_H */
