/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FIFO BWoS as an engine: what engine.h asks for and kmod/core/bwos_fifo.h does
 * not have by itself. For engine.h alone; everybody else goes through that.
 *
 * Best suited for work that is run where it was put, and stolen now and then.
 * Costs: no read-modify-write and no fence in a put; in a take one exchange for
 * a queue's item, none for a raw pool's task. Limitation: what is left of the
 * block that the consumer works in is out of thieves' reach, but for prying.
 */
#ifndef _WSQ_POOL_ENGINE_BWOS_H
#define _WSQ_POOL_ENGINE_BWOS_H

#include <linux/minmax.h>
#include <linux/wsq.h>

#include "container.h"

size_t wsq_engine_bwos_bytes(u32 blocks, u32 block_size);
void wsq_engine_bwos_init(struct wsq_container *ct);
struct wsq_engine *wsq_engine_bwos_create(const struct wsq_container *ct,
					  int node);
void wsq_engine_bwos_mount(struct wsq_container *ct, struct wsq_engine *engine);
bool wsq_engine_bwos_unmount(struct wsq_container *ct);

static inline unsigned int wsq_engine_bwos_room(struct wsq_container *ct)
{
	struct wsq_bwos_room room;

	return wsq_bwos_fifo_reserve(&ct->bwos, &room) < 0 ? 0 : room.n;
}

static inline int wsq_engine_bwos_put_link(struct wsq_container *ct,
					   struct wsq_link *link,
					   unsigned int phase)
{
	struct wsq_bwos_room room;
	int ret = wsq_bwos_fifo_reserve(&ct->bwos, &room);

	if (unlikely(ret < 0))
		return ret;
	WRITE_ONCE(link->where, wsq_where_in_slot(ct->where, phase, room.nr));
	wsq_bwos_fifo_fill(&ct->bwos, &room, 0, link);
	wsq_bwos_fifo_commit(&ct->bwos, &room, 1);
	return ret;
}

/* One publication per block. */
static inline unsigned int
wsq_engine_bwos_put_links(struct wsq_container *ct,
			  struct wsq_link *const *links, unsigned int nr,
			  unsigned int phase, bool *opened)
{
	const u64 where = wsq_where_in_slot(ct->where, phase, 0);
	struct wsq_bwos_room room;
	unsigned int done = 0;
	u32 k, n;
	int ret;

	while (done < nr) {
		ret = wsq_bwos_fifo_reserve(&ct->bwos, &room);
		if (ret < 0)
			break;
		if (ret == WSQ_OPENED)
			*opened = true;
		n = min(nr - done, room.n);
		WRITE_ONCE(ct->put_cnt[phase], ct->put_cnt[phase] + n);
		for (k = 0; k < n; k++) {
			struct wsq_link *link = links[done + k];

			WRITE_ONCE(link->where, where |
				   (u64)(room.nr + k) << WSQ_WHERE_SLOT_SHIFT);
			wsq_bwos_fifo_fill(&ct->bwos, &room, k, link);
		}
		wsq_bwos_fifo_commit(&ct->bwos, &room, n);
		done += n;
	}
	return done;
}

static inline void *wsq_engine_bwos_claim(struct wsq_container *ct)
{
	void *task = wsq_bwos_fifo_claim(&ct->bwos);

	/* Two hints, so that what was taken goes straight through. */
	return likely(task) && unlikely(task == WSQ_TOMB) ? WSQ_AGAIN : task;
}

#endif /* _WSQ_POOL_ENGINE_BWOS_H */
