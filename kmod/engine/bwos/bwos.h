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
#ifndef _WSQ_ENGINE_BWOS_H
#define _WSQ_ENGINE_BWOS_H

#include "../slots.h"

extern const struct wsq_engine_ops wsq_engine_bwos_ops;
bool wsq_engine_bwos_more(struct wsq_container *ct, int ret);

static inline int wsq_engine_bwos_put(struct wsq_container *ct, void *task)
{
	int ret = wsq_bwos_fifo_put(&ct->state.bwos, task);

	if (unlikely(ret != WSQ_OK) && wsq_engine_bwos_more(ct, ret))
		ret = wsq_bwos_fifo_put(&ct->state.bwos, task);
	return ret;
}

static inline unsigned int
wsq_engine_bwos_put_many(struct wsq_container *ct, void *const *tasks,
			 unsigned int nr, bool *opened)
{
	unsigned int done = 0;

	for (;;) {
		bool fresh = false;

		done += wsq_bwos_fifo_put_many(&ct->state.bwos, tasks + done,
					       nr - done, &fresh);
		*opened |= fresh;
		if (likely(done == nr && !fresh))
			return done;
		if (!wsq_engine_bwos_more(ct, done == nr ? WSQ_OPENED :
							   WSQ_FULL))
			return done;
	}
}

static inline void *wsq_engine_bwos_get(struct wsq_container *ct)
{
	return wsq_bwos_fifo_get(&ct->state.bwos);
}

static inline unsigned int wsq_engine_bwos_get_many(struct wsq_container *ct,
						    void **tasks,
						    unsigned int nr)
{
	return wsq_bwos_fifo_get_many(&ct->state.bwos, tasks, nr);
}

static inline int wsq_engine_bwos_steal(struct wsq_container *ct,
					struct wsq_container *me, void **tasks,
					unsigned int max)
{
	return wsq_bwos_fifo_steal(&ct->state.bwos, tasks, max);
}

static inline int wsq_engine_bwos_steal_at(struct wsq_container *ct,
					   struct wsq_container *me, u32 place,
					   void **tasks, unsigned int max)
{
	return wsq_bwos_fifo_steal_at(&ct->state.bwos, place, tasks, max);
}

static inline bool wsq_engine_bwos_raid(const struct wsq_container *me)
{
	return false;
}

/* As wsq_bwos_fifo_reserve(). */
static inline int wsq_engine_bwos_reserve(struct wsq_container *ct,
					  struct wsq_bwos_room *room)
{
	int ret = wsq_bwos_fifo_reserve(&ct->state.bwos, room);

	if (unlikely(ret != WSQ_OK) && wsq_engine_bwos_more(ct, ret))
		ret = wsq_bwos_fifo_reserve(&ct->state.bwos, room);
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
	empty = wsq_bwos_fifo_empty(&ct->state.bwos);
	barrier();
	WRITE_ONCE(ct->get_busy, was);
	return empty;
}

static inline struct wsq_bwos_fifo *wsq_bwos_fifo_of(struct wsq_container *ct)
{
	return &ct->state.bwos;
}

WSQ_SLOTS_PUT(wsq_engine_bwos, wsq_bwos_fifo, wsq_engine_bwos_reserve)

static inline void *wsq_engine_bwos_claim(struct wsq_container *ct)
{
	void *task = wsq_bwos_fifo_claim(&ct->state.bwos);

	/* Two hints, so that what was taken goes straight through. */
	return likely(task) && unlikely(task == WSQ_TOMB) ? WSQ_AGAIN : task;
}

static inline int wsq_engine_bwos_steal_claim(struct wsq_container *ct,
					      struct wsq_container *me,
					      void **tasks, unsigned int max)
{
	return wsq_bwos_fifo_steal_claim(&ct->state.bwos, tasks, max);
}

static inline int wsq_engine_bwos_steal_claim_at(struct wsq_container *ct,
						 struct wsq_container *me,
						 u32 place, void **tasks,
						 unsigned int max)
{
	return wsq_bwos_fifo_steal_claim_at(&ct->state.bwos, place, tasks, max);
}

static inline int wsq_engine_bwos_pry(struct wsq_container *ct, void **tasks,
				      unsigned int max)
{
	return wsq_bwos_fifo_pry(&ct->state.bwos, tasks, max);
}

static inline bool wsq_engine_bwos_withdraw(struct wsq_container *ct, u32 slot,
					    struct wsq_link *link)
{
	return wsq_bwos_fifo_withdraw(&ct->state.bwos, slot, link);
}

static inline bool wsq_engine_bwos_waiting(const struct wsq_container *ct)
{
	return wsq_bwos_fifo_waiting(&ct->state.bwos);
}

static inline u32 wsq_engine_bwos_sample(const struct wsq_container *ct,
					 u32 rnd, u32 *place)
{
	return wsq_bwos_fifo_sample(&ct->state.bwos, rnd, place);
}

static inline bool wsq_engine_bwos_shared(const struct wsq_container *ct)
{
	return wsq_bwos_fifo_shared(&ct->state.bwos);
}

static inline bool wsq_engine_bwos_share(struct wsq_container *ct)
{
	return false;
}

static inline bool wsq_engine_bwos_opened(struct wsq_container *ct)
{
	return false;
}

#endif /* _WSQ_ENGINE_BWOS_H */
