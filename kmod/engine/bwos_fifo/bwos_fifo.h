/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FIFO BWoS as an engine: what engine.h requires beyond kmod/core/bwos_fifo.h.
 * Only engine.h uses this file.
 *
 * Best suited for work that runs where it was put, and is stolen occasionally.
 * Cost: no read-modify-write and no fence in a put; in a take one exchange for
 * a queue's item, none for a pointer pool's task. Limitation: thieves cannot
 * reach the rest of the consumer's block, except by stealing from the active
 * block.
 *
 * A CPU whose puts have come to the last free block asks for more, up to the
 * pool's max_blocks (grow.c).
 */
#ifndef _WSQ_ENGINE_BWOS_H
#define _WSQ_ENGINE_BWOS_H

#include <linux/minmax.h>

#include "../link.h"

extern const struct wsq_engine_ops wsq_engine_bwos_fifo_ops;
bool wsq_engine_bwos_fifo_more(struct wsq_container *ct, int ret);

static inline int wsq_engine_bwos_fifo_put(struct wsq_container *ct, void *task)
{
	int ret = wsq_bwos_fifo_put(&ct->state.bwos_fifo, task);

	if (unlikely(ret != WSQ_OK) && wsq_engine_bwos_fifo_more(ct, ret))
		ret = wsq_bwos_fifo_put(&ct->state.bwos_fifo, task);
	return ret;
}

static inline unsigned int
wsq_engine_bwos_fifo_put_many(struct wsq_container *ct, void *const *tasks,
			      unsigned int nr, bool *published)
{
	unsigned int done = 0;

	for (;;) {
		bool fresh = false;

		done += wsq_bwos_fifo_put_many(&ct->state.bwos_fifo, tasks + done,
					       nr - done, &fresh);
		*published |= fresh;
		if (likely(done == nr && !fresh))
			return done;
		if (!wsq_engine_bwos_fifo_more(ct, done == nr ? WSQ_PUBLISHED :
							   WSQ_FULL))
			return done;
	}
}

static inline void *wsq_engine_bwos_fifo_get(struct wsq_container *ct)
{
	return wsq_bwos_fifo_get(&ct->state.bwos_fifo);
}

static inline unsigned int wsq_engine_bwos_fifo_get_many(struct wsq_container *ct,
							 void **tasks,
							 unsigned int nr)
{
	return wsq_bwos_fifo_get_many(&ct->state.bwos_fifo, tasks, nr);
}

static inline int wsq_engine_bwos_fifo_steal(struct wsq_container *ct,
					     struct wsq_container *me, void **tasks,
					     unsigned int max)
{
	return wsq_bwos_fifo_steal(&ct->state.bwos_fifo, tasks, max);
}

static inline int wsq_engine_bwos_fifo_steal_at(struct wsq_container *ct,
						struct wsq_container *me, u32 index,
						void **tasks, unsigned int max)
{
	return wsq_bwos_fifo_steal_at(&ct->state.bwos_fifo, index, tasks, max);
}

static inline bool wsq_engine_bwos_fifo_steal_async(const struct wsq_container *me)
{
	return false;
}

/* wsq_bwos_fifo_reserve(), growing the queue if needed. */
static inline int wsq_engine_bwos_fifo_reserve(struct wsq_container *ct,
					       struct wsq_bwos_space *space)
{
	int ret = wsq_bwos_fifo_reserve(&ct->state.bwos_fifo, space);

	if (unlikely(ret != WSQ_OK) && wsq_engine_bwos_fifo_more(ct, ret))
		ret = wsq_bwos_fifo_reserve(&ct->state.bwos_fifo, space);
	return ret;
}

static inline unsigned int wsq_engine_bwos_fifo_space(struct wsq_container *ct,
						      bool *published)
{
	struct wsq_bwos_space space;
	int ret = wsq_engine_bwos_fifo_reserve(ct, &space);

	if (ret == WSQ_PUBLISHED)
		*published = true;
	return ret < 0 ? 0 : space.n;
}

/* The caller is the consumer; puts that interrupt it must not extend. */
static inline bool wsq_engine_bwos_fifo_empty(struct wsq_container *ct)
{
	const u8 was = READ_ONCE(ct->get_busy);
	bool empty;

	WRITE_ONCE(ct->get_busy, 1);
	barrier();
	empty = wsq_bwos_fifo_empty(&ct->state.bwos_fifo);
	barrier();
	WRITE_ONCE(ct->get_busy, was);
	return empty;
}

/* One store to the item, one to the slot, and one to publish it. */
static inline int wsq_engine_bwos_fifo_put_link(struct wsq_container *ct,
						struct wsq_link *link, u64 where)
{
	struct wsq_bwos_fifo *q = &ct->state.bwos_fifo;
	struct wsq_bwos_space space;
	int ret = wsq_engine_bwos_fifo_reserve(ct, &space);

	if (unlikely(ret < 0))
		return ret;
	WRITE_ONCE(link->where, wsq_link_in_slot(where, space.nr));
	wsq_bwos_fifo_fill(q, &space, 0, link);
	wsq_bwos_fifo_commit(q, &space, 1);
	return ret;
}

/* One publication per block. */
static inline unsigned int
wsq_engine_bwos_fifo_put_links(struct wsq_container *ct,
			       struct wsq_link *const *links, unsigned int nr,
			       u64 where, u64 *count, bool *published)
{
	struct wsq_bwos_fifo *q = &ct->state.bwos_fifo;
	struct wsq_bwos_space space;
	unsigned int done = 0;
	u32 k, n;
	int ret;

	while (done < nr) {
		ret = wsq_engine_bwos_fifo_reserve(ct, &space);
		if (ret < 0)
			break;
		if (ret == WSQ_PUBLISHED)
			*published = true;
		n = min(nr - done, space.n);
		WRITE_ONCE(*count, *count + n);
		for (k = 0; k < n; k++) {
			struct wsq_link *link = links[done + k];

			WRITE_ONCE(link->where,
				   wsq_link_in_slot(where, space.nr + k));
			wsq_bwos_fifo_fill(q, &space, k, link);
		}
		wsq_bwos_fifo_commit(q, &space, n);
		done += n;
	}
	return done;
}

static inline void *wsq_engine_bwos_fifo_claim(struct wsq_container *ct)
{
	void *task = wsq_bwos_fifo_claim(&ct->state.bwos_fifo);

	/* Two hints, so that the compiler lays out the normal case straight. */
	return likely(task) && unlikely(task == WSQ_TOMB) ? WSQ_AGAIN : task;
}

static inline int wsq_engine_bwos_fifo_steal_claim(struct wsq_container *ct,
						   struct wsq_container *me,
						   void **tasks, unsigned int max)
{
	return wsq_bwos_fifo_steal_claim(&ct->state.bwos_fifo, tasks, max);
}

static inline int wsq_engine_bwos_fifo_steal_claim_at(struct wsq_container *ct,
						      struct wsq_container *me,
						      u32 index, void **tasks,
						      unsigned int max)
{
	return wsq_bwos_fifo_steal_claim_at(&ct->state.bwos_fifo, index, tasks, max);
}

static inline int wsq_engine_bwos_fifo_steal_active(struct wsq_container *ct, void **tasks,
						    unsigned int max)
{
	return wsq_bwos_fifo_steal_active(&ct->state.bwos_fifo, tasks, max);
}

static inline int wsq_engine_bwos_fifo_halve(struct wsq_container *ct, void **tasks,
					     unsigned int max, unsigned int least)
{
	return wsq_bwos_fifo_halve(&ct->state.bwos_fifo, tasks, max, least);
}

static inline bool wsq_engine_bwos_fifo_remove(struct wsq_container *ct, u32 slot,
					       struct wsq_link *link)
{
	return wsq_bwos_fifo_remove(&ct->state.bwos_fifo, slot, link);
}

static inline bool wsq_engine_bwos_fifo_waiting(const struct wsq_container *ct)
{
	return wsq_bwos_fifo_waiting(&ct->state.bwos_fifo);
}

static inline u32 wsq_engine_bwos_fifo_sample(const struct wsq_container *ct,
					      u32 rnd, u32 *index)
{
	return wsq_bwos_fifo_sample(&ct->state.bwos_fifo, rnd, index);
}

static inline bool wsq_engine_bwos_fifo_has_published(const struct wsq_container *ct)
{
	return wsq_bwos_fifo_published(&ct->state.bwos_fifo);
}

static inline u32 wsq_engine_bwos_fifo_kept(const struct wsq_container *ct)
{
	return wsq_bwos_fifo_kept(&ct->state.bwos_fifo);
}

static inline bool wsq_engine_bwos_fifo_publish(struct wsq_container *ct)
{
	return false;
}

static inline bool wsq_engine_bwos_fifo_published(struct wsq_container *ct)
{
	return false;
}

#endif /* _WSQ_ENGINE_BWOS_H */
