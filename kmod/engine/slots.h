/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Putting a queue's items into the slots of a BWoS queue, which is the same for
 * both: reserve, write into each item where it will be, fill, commit.
 *
 * For bwos.h and lifo.h. Costs: one store to the item, one to the
 * slot, one commit for all items that go to one block.
 */
#ifndef _WSQ_ENGINE_SLOTS_H
#define _WSQ_ENGINE_SLOTS_H

#include <linux/minmax.h>

#include "../pool/container.h"

/*
 * Define ID_put_link() and ID_put_links(), as wsq_engine_put_link() and
 * wsq_engine_put_links(), for the queue that CORE_of() finds in a container and
 * whose operations begin with CORE. RESERVE finds room in a container, as
 * CORE_reserve() does in a queue.
 */
#define WSQ_SLOTS_PUT(id, core, reserve)				\
static inline int id##_put_link(struct wsq_container *ct,		\
				struct wsq_link *link,			\
				unsigned int phase)			\
{									\
	struct wsq_bwos_room room;					\
	int ret = reserve(ct, &room);					\
									\
	if (unlikely(ret < 0))						\
		return ret;						\
	WRITE_ONCE(link->where,						\
		   wsq_where_in_slot(ct->where, phase, room.nr));	\
	core##_fill(core##_of(ct), &room, 0, link);			\
	core##_commit(core##_of(ct), &room, 1);				\
	return ret;							\
}									\
									\
/* One publication per block. */					\
static inline unsigned int						\
id##_put_links(struct wsq_container *ct, struct wsq_link *const *links,	\
	       unsigned int nr, unsigned int phase, bool *opened)	\
{									\
	const u64 where = wsq_where_in_slot(ct->where, phase, 0);	\
	struct wsq_bwos_room room;					\
	unsigned int done = 0;						\
	u32 k, n;							\
	int ret;							\
									\
	while (done < nr) {						\
		ret = reserve(ct, &room);				\
		if (ret < 0)						\
			break;						\
		if (ret == WSQ_OPENED)					\
			*opened = true;					\
		n = min(nr - done, room.n);				\
		WRITE_ONCE(ct->put_cnt[phase], ct->put_cnt[phase] + n);	\
		for (k = 0; k < n; k++) {				\
			struct wsq_link *link = links[done + k];	\
			u64 slot = room.nr + k;				\
									\
			WRITE_ONCE(link->where, where |			\
				   slot << WSQ_WHERE_SLOT_SHIFT);	\
			core##_fill(core##_of(ct), &room, k, link);	\
		}							\
		core##_commit(core##_of(ct), &room, n);			\
		done += n;						\
	}								\
	return done;							\
}

#endif /* _WSQ_ENGINE_SLOTS_H */
