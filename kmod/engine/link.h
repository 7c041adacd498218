/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one thing that an engine says of an item that it holds: the number of the
 * slot, in some bits of @where of its struct wsq_link. The other bits are the
 * caller's, and the engine does not look at them. What they mean is in
 * exec/location.h.
 */
#ifndef _WSQ_ENGINE_LINK_H
#define _WSQ_ENGINE_LINK_H

#include <linux/bits.h>
#include <linux/types.h>

#define WSQ_LINK_SLOT_SHIFT	5
#define WSQ_LINK_SLOT_BITS	20
#define WSQ_LINK_SLOT		\
	GENMASK_ULL(WSQ_LINK_SLOT_SHIFT + WSQ_LINK_SLOT_BITS - 1, \
		    WSQ_LINK_SLOT_SHIFT)

/* @where, in which no bit of the slot is set, with the number of a slot. */
static inline u64 wsq_link_in_slot(u64 where, u32 slot)
{
	return where | (u64)slot << WSQ_LINK_SLOT_SHIFT;
}

#endif /* _WSQ_ENGINE_LINK_H */
