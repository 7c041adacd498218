/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a work item is: one word in the item, for contexts that cancel it.
 *
 * The item's owner writes the word before it puts the item somewhere, and
 * removes the kind before it clears the item's pending bit. So while the word
 * has a kind, the item is pending, and its queue and container exist. A context
 * that reads the word under RCU, or with preemption off, may look there. The
 * item may have left by then: a slot (by compare-and-exchange) or a list (under
 * its lock) decides which context gets the item. A context that does not find
 * it reads the word again.
 *
 *	bits	 0-2	kind of location
 *		 3	unused
 *		 4	bound to its CPU
 *		 5-24	number of the slot; in an inbox, bit 5 is that of a
 *			queue that keeps order, and the rest is 0
 *		25-40	CPU of the container
 *		41-52	number of the queue
 *		53-55	flush color, valid while the item is pending
 */
#ifndef _WSQ_EXEC_LOCATION_H
#define _WSQ_EXEC_LOCATION_H

#include <linux/bits.h>
#include <linux/types.h>

#include "../engine/link.h"

/**
 * enum wsq_kind - kinds of locations
 * @WSQ_NOWHERE: idle, running, or owned
 * @WSQ_IN_SLOT: in a slot of an engine
 * @WSQ_IN_INBOX: in an inbox, and not in order yet
 * @WSQ_IN_LIST: in a list of an inbox
 * @WSQ_DEFERRED: in the list of the worker that still runs it
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

#define WSQ_LOCATION_KIND		GENMASK_ULL(2, 0)
#define WSQ_LOCATION_BOUND_SHIFT	4
#define WSQ_LOCATION_ORDERED		BIT_ULL(WSQ_LINK_SLOT_SHIFT)
#define WSQ_LOCATION_CPU_SHIFT	25
#define WSQ_LOCATION_CPU_BITS	16
#define WSQ_LOCATION_QUEUE_SHIFT	41
#define WSQ_LOCATION_QUEUE_BITS		12
#define WSQ_LOCATION_COLOR_SHIFT	53
#define WSQ_LOCATION_COLOR_BITS		3
#define WSQ_LOCATION_IN		(WSQ_LOCATION_KIND | WSQ_LINK_SLOT)

/* The bits that all items of a container have in common. */
static inline u64 wsq_location_base(u32 queue, u32 cpu)
{
	return (u64)queue << WSQ_LOCATION_QUEUE_SHIFT |
	       (u64)cpu << WSQ_LOCATION_CPU_SHIFT;
}

static inline enum wsq_kind wsq_location_kind(u64 where)
{
	return where & WSQ_LOCATION_KIND;
}

static inline unsigned int wsq_location_color(u64 where)
{
	return where >> WSQ_LOCATION_COLOR_SHIFT &
	       GENMASK(WSQ_LOCATION_COLOR_BITS - 1, 0);
}

static inline bool wsq_location_bound(u64 where)
{
	return where >> WSQ_LOCATION_BOUND_SHIFT & 1;
}

static inline u32 wsq_location_slot(u64 where)
{
	return (where & WSQ_LINK_SLOT) >> WSQ_LINK_SLOT_SHIFT;
}

static inline u32 wsq_location_cpu(u64 where)
{
	return where >> WSQ_LOCATION_CPU_SHIFT &
	       GENMASK(WSQ_LOCATION_CPU_BITS - 1, 0);
}

static inline u32 wsq_location_queue(u64 where)
{
	return where >> WSQ_LOCATION_QUEUE_SHIFT &
	       GENMASK(WSQ_LOCATION_QUEUE_BITS - 1, 0);
}

/* In a slot of the container of @base; the engine adds the slot's number. */
static inline u64 wsq_location_in_slot(u64 base, unsigned int color)
{
	return base | WSQ_IN_SLOT | (u64)color << WSQ_LOCATION_COLOR_SHIFT;
}

/* The same for an owned item: queue, CPU, flush color and bound bit stay. */
static inline u64 wsq_location_owned(u64 where)
{
	return where & ~WSQ_LOCATION_IN;
}

#endif /* _WSQ_EXEC_LOCATION_H */
