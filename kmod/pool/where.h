/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a work item is: one word in the item, for contexts that cancel it.
 *
 * Written by the item's owner before it puts the item somewhere, and without a
 * kind before it clears the item's pending bit. So a word that has a kind says
 * that the item is pending at that moment, and that its queue and container
 * exist. A context that reads it under RCU, or with preemption off, may look
 * there. The item may have left by then. The place itself decides which context
 * gets it (a slot by compare-and-exchange, a list under its lock); a context
 * that does not find the item reads the word again.
 *
 *	bits	 0-2	kind of place
 *		 3	flush phase, valid while the item is pending
 *		 4	bound to its CPU
 *		 5-24	number of the slot
 *		25-40	CPU of the container
 *		41-63	number of the queue
 */
#ifndef _WSQ_POOL_WHERE_H
#define _WSQ_POOL_WHERE_H

#include <linux/bits.h>
#include <linux/types.h>

/**
 * enum wsq_kind - kinds of places
 * @WSQ_NOWHERE: idle, running, or in somebody's hand
 * @WSQ_IN_SLOT: in a slot of an engine
 * @WSQ_IN_INBOX: in an inbox, or taken from there and not in order yet
 * @WSQ_IN_LIST: in the list of an entrance
 * @WSQ_DEFERRED: in the list of the worker that runs it still
 * @WSQ_ON_TIMER: on its timer
 */
enum wsq_kind {
	WSQ_NOWHERE,
	WSQ_IN_SLOT,
	WSQ_IN_INBOX,
	WSQ_IN_LIST,
	WSQ_DEFERRED,
	WSQ_ON_TIMER,
};

#define WSQ_WHERE_KIND		GENMASK_ULL(2, 0)
#define WSQ_WHERE_PHASE_SHIFT	3
#define WSQ_WHERE_BOUND_SHIFT	4
#define WSQ_WHERE_SLOT_SHIFT	5
#define WSQ_WHERE_SLOT_BITS	20
#define WSQ_WHERE_CPU_SHIFT	25
#define WSQ_WHERE_CPU_BITS	16
#define WSQ_WHERE_QUEUE_SHIFT	41
#define WSQ_WHERE_PLACE		\
	(WSQ_WHERE_KIND | GENMASK_ULL(24, WSQ_WHERE_SLOT_SHIFT))

/* The part that is the same for all items of a container. */
static inline u64 wsq_where_base(u32 queue, u32 cpu)
{
	return (u64)queue << WSQ_WHERE_QUEUE_SHIFT |
	       (u64)cpu << WSQ_WHERE_CPU_SHIFT;
}

static inline enum wsq_kind wsq_where_kind(u64 where)
{
	return where & WSQ_WHERE_KIND;
}

static inline unsigned int wsq_where_phase(u64 where)
{
	return where >> WSQ_WHERE_PHASE_SHIFT & 1;
}

static inline bool wsq_where_bound(u64 where)
{
	return where >> WSQ_WHERE_BOUND_SHIFT & 1;
}

static inline u32 wsq_where_slot(u64 where)
{
	return where >> WSQ_WHERE_SLOT_SHIFT &
	       GENMASK(WSQ_WHERE_SLOT_BITS - 1, 0);
}

static inline u32 wsq_where_cpu(u64 where)
{
	return where >> WSQ_WHERE_CPU_SHIFT &
	       GENMASK(WSQ_WHERE_CPU_BITS - 1, 0);
}

static inline u32 wsq_where_queue(u64 where)
{
	return where >> WSQ_WHERE_QUEUE_SHIFT;
}

/* In a slot of the container whose items have @base in common. */
static inline u64 wsq_where_in_slot(u64 base, unsigned int phase, u32 slot)
{
	return base | WSQ_IN_SLOT | (u64)phase << WSQ_WHERE_PHASE_SHIFT |
	       (u64)slot << WSQ_WHERE_SLOT_SHIFT;
}

/* The same for an owned item: queue, flush phase and the bound bit stay. */
static inline u64 wsq_where_in_hand(u64 where)
{
	return where & ~WSQ_WHERE_PLACE;
}

#endif /* _WSQ_POOL_WHERE_H */
