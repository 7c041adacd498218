/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FIFO BWoS as an engine: what engine.h asks for and kmod/core/bwos_fifo.h does
 * not have by itself. For engine.h alone; everybody else goes through that.
 *
 * Best suited for work that is run where it was put, and stolen now and then.
 * Costs: no read-modify-write and no fence in a put; in a take one exchange for
 * a queue's item, none for a raw pool's task. Limitation: what is left of the
 * block that the consumer works in is out of thieves' reach, but for prying.
 *
 * A CPU whose puts have come to the last block that is free asks for more, up to
 * the pool's max_blocks (grow.c).
 */
#ifndef _WSQ_POOL_ENGINE_BWOS_H
#define _WSQ_POOL_ENGINE_BWOS_H

#include "slots.h"

size_t wsq_engine_bwos_bytes(u32 blocks, u32 max_blocks, u32 block_size);
void wsq_engine_bwos_init(struct wsq_container *ct);
struct wsq_engine *wsq_engine_bwos_create(const struct wsq_container *ct,
					  int node);
struct wsq_engine *wsq_engine_bwos_create_more(const struct wsq_container *ct,
					       int node);
void wsq_engine_bwos_extend(struct wsq_container *ct,
			    struct wsq_engine *engine);
void wsq_engine_bwos_mount(struct wsq_container *ct, struct wsq_engine *engine);
bool wsq_engine_bwos_unmount(struct wsq_container *ct);
bool wsq_engine_bwos_more(struct wsq_container *ct, int ret);

static inline int wsq_engine_bwos_put(struct wsq_container *ct, void *task)
{
	int ret = wsq_bwos_fifo_put(&ct->bwos, task);

	if (unlikely(ret != WSQ_OK) && wsq_engine_bwos_more(ct, ret))
		ret = wsq_bwos_fifo_put(&ct->bwos, task);
	return ret;
}

static inline unsigned int
wsq_engine_bwos_put_many(struct wsq_container *ct, void *const *tasks,
			 unsigned int nr, bool *opened)
{
	unsigned int done = 0;

	for (;;) {
		bool fresh = false;

		done += wsq_bwos_fifo_put_many(&ct->bwos, tasks + done,
					       nr - done, &fresh);
		*opened |= fresh;
		if (likely(done == nr && !fresh))
			return done;
		if (!wsq_engine_bwos_more(ct, done == nr ? WSQ_OPENED :
							   WSQ_FULL))
			return done;
	}
}

/* As wsq_bwos_fifo_reserve(). */
static inline int wsq_engine_bwos_reserve(struct wsq_container *ct,
					  struct wsq_bwos_room *room)
{
	int ret = wsq_bwos_fifo_reserve(&ct->bwos, room);

	if (unlikely(ret != WSQ_OK) && wsq_engine_bwos_more(ct, ret))
		ret = wsq_bwos_fifo_reserve(&ct->bwos, room);
	return ret;
}

static inline unsigned int wsq_engine_bwos_room(struct wsq_container *ct)
{
	struct wsq_bwos_room room;

	return wsq_engine_bwos_reserve(ct, &room) < 0 ? 0 : room.n;
}

/* It is the consumer who asks; puts that interrupt it must not extend. */
static inline bool wsq_engine_bwos_empty(struct wsq_container *ct)
{
	const u8 was = READ_ONCE(ct->get_busy);
	bool empty;

	WRITE_ONCE(ct->get_busy, 1);
	barrier();
	empty = wsq_bwos_fifo_empty(&ct->bwos);
	barrier();
	WRITE_ONCE(ct->get_busy, was);
	return empty;
}

static inline struct wsq_bwos_fifo *wsq_bwos_fifo_of(struct wsq_container *ct)
{
	return &ct->bwos;
}

WSQ_SLOTS_PUT(wsq_engine_bwos, wsq_bwos_fifo, wsq_engine_bwos_reserve)

static inline void *wsq_engine_bwos_claim(struct wsq_container *ct)
{
	void *task = wsq_bwos_fifo_claim(&ct->bwos);

	/* Two hints, so that what was taken goes straight through. */
	return likely(task) && unlikely(task == WSQ_TOMB) ? WSQ_AGAIN : task;
}

#endif /* _WSQ_POOL_ENGINE_BWOS_H */
