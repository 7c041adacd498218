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

#include "slots.h"

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

static inline struct wsq_bwos_fifo *wsq_bwos_fifo_of(struct wsq_container *ct)
{
	return &ct->bwos;
}

WSQ_SLOTS_PUT(wsq_engine_bwos, wsq_bwos_fifo)

static inline void *wsq_engine_bwos_claim(struct wsq_container *ct)
{
	void *task = wsq_bwos_fifo_claim(&ct->bwos);

	/* Two hints, so that what was taken goes straight through. */
	return likely(task) && unlikely(task == WSQ_TOMB) ? WSQ_AGAIN : task;
}

#endif /* _WSQ_POOL_ENGINE_BWOS_H */
