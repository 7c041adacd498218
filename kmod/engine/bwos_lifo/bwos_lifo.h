/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LIFO BWoS as an engine: what engine.h requires beyond kmod/core/bwos_lifo.h.
 * Only engine.h uses this file.
 *
 * Best suited for work that spawns work. Cost: no read-modify-write and no
 * fence in a put or a pointer pool's take, and two stores for the other role's
 * flag.
 *
 * One owner. Puts and takes must not interrupt each other here. So each single
 * operation of the owner sets the other role's flag, beside the flag of its
 * caller's role, and restores it at the end, because its caller may hold both
 * roles. An interrupt of the operation finds neither role free, and acts as if
 * it had interrupted an operation of its own role. All this is on one CPU,
 * where contexts nest, so a flag that was read is valid until it is written
 * back.
 *
 * What the owner keeps. Thieves cannot reach its block, and with blocks of the
 * default size most jobs that spawn jobs never fill one. A thief that finds
 * nothing else asks (@hungry) by a store to a line that only thieves and the
 * owner's check touch. The owner reads that line in each operation. As soon as
 * its block has two tasks, it gives away all but the newest of them: it
 * publishes the block and moves the few that it keeps to the next one. So it
 * does not have to take over at once what it has just given. Thieves ask in a
 * similar way in Lace (van Dijk and van de Pol, 2014).
 *
 * Growing. An owner that has gone up to the last free block asks for more, up
 * to the pool's max_blocks (grow.c). The owner's operations, which hold both
 * roles, attach the new segment.
 *
 * Limitation: an owner that does nothing gives nothing.
 */
#ifndef _WSQ_ENGINE_LIFO_H
#define _WSQ_ENGINE_LIFO_H

#include <linux/minmax.h>

#include "../link.h"

extern const struct wsq_engine_ops wsq_engine_bwos_lifo_ops;

bool wsq_engine_bwos_lifo_more(struct wsq_container *ct, int ret);

bool wsq_engine_bwos_lifo_feed(struct wsq_container *ct);
bool wsq_engine_bwos_lifo_publish(struct wsq_container *ct);
u32 wsq_engine_bwos_lifo_sample(const struct wsq_container *ct, u32 rnd, u32 *index);
int wsq_engine_bwos_lifo_steal(struct wsq_container *ct, struct wsq_container *me,
			       void **tasks, unsigned int max);
int wsq_engine_bwos_lifo_steal_claim(struct wsq_container *ct,
				     struct wsq_container *me, void **tasks,
				     unsigned int max);

/* Begin an owner's operation. Returns what wsq_engine_bwos_lifo_end() needs. */
static inline u8 wsq_engine_bwos_lifo_begin(u8 *other)
{
	u8 was = READ_ONCE(*other);

	WRITE_ONCE(*other, 1);
	barrier();
	return was;
}

static inline void wsq_engine_bwos_lifo_end(u8 *other, u8 was)
{
	barrier();
	WRITE_ONCE(*other, was);
}

static inline bool wsq_engine_bwos_lifo_asked(const struct wsq_container *ct)
{
	return unlikely(READ_ONCE(ct->state.bwos_lifo.hungry));
}

static inline int wsq_engine_bwos_lifo_put(struct wsq_container *ct, void *task)
{
	const u8 was = wsq_engine_bwos_lifo_begin(&ct->get_busy);
	int ret = wsq_bwos_lifo_put(&ct->state.bwos_lifo.q, task);

	if (unlikely(ret != WSQ_OK) && wsq_engine_bwos_lifo_more(ct, ret))
		ret = wsq_bwos_lifo_put(&ct->state.bwos_lifo.q, task);
	if (wsq_engine_bwos_lifo_asked(ct) && ret == WSQ_OK &&
	    wsq_engine_bwos_lifo_feed(ct))
		ret = WSQ_PUBLISHED;
	wsq_engine_bwos_lifo_end(&ct->get_busy, was);
	return ret;
}

static inline unsigned int
wsq_engine_bwos_lifo_put_many(struct wsq_container *ct, void *const *tasks,
			      unsigned int nr, bool *published)
{
	const u8 was = wsq_engine_bwos_lifo_begin(&ct->get_busy);
	unsigned int done = 0;
	bool fresh;

	do {
		fresh = false;
		done += wsq_bwos_lifo_put_many(&ct->state.bwos_lifo.q, tasks + done,
					       nr - done, &fresh);
		*published |= fresh;
	} while (unlikely(done < nr || fresh) &&
		 wsq_engine_bwos_lifo_more(ct, done < nr ? WSQ_FULL : WSQ_PUBLISHED));
	if (wsq_engine_bwos_lifo_asked(ct) && wsq_engine_bwos_lifo_feed(ct))
		*published = true;
	wsq_engine_bwos_lifo_end(&ct->get_busy, was);
	return done;
}

static inline void *wsq_engine_bwos_lifo_get(struct wsq_container *ct)
{
	const u8 was = wsq_engine_bwos_lifo_begin(&ct->put_busy);
	void *task;

	if (wsq_engine_bwos_lifo_asked(ct))
		wsq_engine_bwos_lifo_feed(ct);
	task = wsq_bwos_lifo_get(&ct->state.bwos_lifo.q);
	wsq_engine_bwos_lifo_end(&ct->put_busy, was);
	return task;
}

static inline unsigned int
wsq_engine_bwos_lifo_get_many(struct wsq_container *ct, void **tasks,
			      unsigned int nr)
{
	const u8 was = wsq_engine_bwos_lifo_begin(&ct->put_busy);
	unsigned int done;

	if (wsq_engine_bwos_lifo_asked(ct))
		wsq_engine_bwos_lifo_feed(ct);
	done = wsq_bwos_lifo_get_many(&ct->state.bwos_lifo.q, tasks, nr);
	wsq_engine_bwos_lifo_end(&ct->put_busy, was);
	return done;
}

/* As wsq_bwos_lifo_reserve(). */
static inline int wsq_engine_bwos_lifo_reserve(struct wsq_container *ct,
					       struct wsq_bwos_space *space)
{
	int ret = wsq_bwos_lifo_reserve(&ct->state.bwos_lifo.q, space);

	if (unlikely(ret != WSQ_OK) && wsq_engine_bwos_lifo_more(ct, ret))
		ret = wsq_bwos_lifo_reserve(&ct->state.bwos_lifo.q, space);
	return ret;
}

/* One store to the item, one to the slot, and one to publish it. */
static inline int wsq_engine_bwos_lifo_add_link(struct wsq_container *ct,
						struct wsq_link *link, u64 where)
{
	struct wsq_bwos_lifo *q = &ct->state.bwos_lifo.q;
	struct wsq_bwos_space space;
	int ret = wsq_engine_bwos_lifo_reserve(ct, &space);

	if (unlikely(ret < 0))
		return ret;
	WRITE_ONCE(link->where, wsq_link_in_slot(where, space.nr));
	wsq_bwos_lifo_fill(q, &space, 0, link);
	wsq_bwos_lifo_commit(q, &space, 1);
	return ret;
}

/* One publication per block. */
static inline unsigned int
wsq_engine_bwos_lifo_add_links(struct wsq_container *ct,
			       struct wsq_link *const *links, unsigned int nr,
			       u64 where, u64 *count, bool *published)
{
	struct wsq_bwos_lifo *q = &ct->state.bwos_lifo.q;
	struct wsq_bwos_space space;
	unsigned int done = 0;
	u32 k, n;
	int ret;

	while (done < nr) {
		ret = wsq_engine_bwos_lifo_reserve(ct, &space);
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
			wsq_bwos_lifo_fill(q, &space, k, link);
		}
		wsq_bwos_lifo_commit(q, &space, n);
		done += n;
	}
	return done;
}

/* The caller holds both roles: no interrupt intervenes until it puts. */
static inline unsigned int wsq_engine_bwos_lifo_space(struct wsq_container *ct,
						      bool *published)
{
	struct wsq_bwos_space space;
	int ret = wsq_engine_bwos_lifo_reserve(ct, &space);

	if (ret == WSQ_PUBLISHED)
		*published = true;
	return ret < 0 ? 0 : space.n;
}

static inline int wsq_engine_bwos_lifo_put_link(struct wsq_container *ct,
						struct wsq_link *link, u64 where)
{
	const u8 was = wsq_engine_bwos_lifo_begin(&ct->get_busy);
	int ret = wsq_engine_bwos_lifo_add_link(ct, link, where);

	if (wsq_engine_bwos_lifo_asked(ct) && ret == WSQ_OK &&
	    wsq_engine_bwos_lifo_feed(ct))
		ret = WSQ_PUBLISHED;
	wsq_engine_bwos_lifo_end(&ct->get_busy, was);
	return ret;
}

static inline unsigned int
wsq_engine_bwos_lifo_put_links(struct wsq_container *ct,
			       struct wsq_link *const *links, unsigned int nr,
			       u64 where, u64 *count, bool *published)
{
	const u8 was = wsq_engine_bwos_lifo_begin(&ct->get_busy);
	unsigned int done = wsq_engine_bwos_lifo_add_links(ct, links, nr, where,
							   count, published);

	if (wsq_engine_bwos_lifo_asked(ct) && wsq_engine_bwos_lifo_feed(ct))
		*published = true;
	wsq_engine_bwos_lifo_end(&ct->get_busy, was);
	return done;
}

/*
 * Halfway between two visits to the inboxes, take the oldest: an item that is
 * queued again whenever it runs would always be the newest.
 */
static inline void *wsq_engine_bwos_lifo_claim(struct wsq_container *ct)
{
	const u8 was = wsq_engine_bwos_lifo_begin(&ct->put_busy);
	void *task;

	if (wsq_engine_bwos_lifo_asked(ct) && wsq_engine_bwos_lifo_feed(ct))
		ct->published = true;
	if (unlikely(ct->turns == WSQ_INBOX_EVERY / 2))
		task = wsq_bwos_lifo_claim_oldest(&ct->state.bwos_lifo.q);
	else
		task = wsq_bwos_lifo_claim(&ct->state.bwos_lifo.q);
	wsq_engine_bwos_lifo_end(&ct->put_busy, was);
	return likely(task) && unlikely(task == WSQ_TOMB) ? WSQ_AGAIN : task;
}

/* Called after each claim. */
static inline bool wsq_engine_bwos_lifo_published(struct wsq_container *ct)
{
	if (likely(!ct->published))
		return false;
	ct->published = false;
	return true;
}

/* The caller is the consumer; puts must not move what it reads. */
static inline bool wsq_engine_bwos_lifo_empty(struct wsq_container *ct)
{
	const u8 was = wsq_engine_bwos_lifo_begin(&ct->put_busy);
	bool empty = wsq_bwos_lifo_empty(&ct->state.bwos_lifo.q);

	wsq_engine_bwos_lifo_end(&ct->put_busy, was);
	return empty;
}

/* If the owner keeps two tasks, a thief gets some by asking. */
static inline bool wsq_engine_bwos_lifo_has_published(const struct wsq_container *ct)
{
	return wsq_bwos_lifo_published(&ct->state.bwos_lifo.q) ||
	       wsq_bwos_lifo_kept(&ct->state.bwos_lifo.q) > 1;
}

static inline int wsq_engine_bwos_lifo_steal_at(struct wsq_container *ct,
						struct wsq_container *me, u32 index,
						void **tasks, unsigned int max)
{
	return wsq_bwos_lifo_steal_at(&ct->state.bwos_lifo.q, index, tasks, max);
}

static inline int wsq_engine_bwos_lifo_steal_claim_at(struct wsq_container *ct,
						      struct wsq_container *me,
						      u32 index, void **tasks,
						      unsigned int max)
{
	return wsq_bwos_lifo_steal_claim_at(&ct->state.bwos_lifo.q, index, tasks,
					    max);
}

static inline bool wsq_engine_bwos_lifo_steal_async(const struct wsq_container *me)
{
	return false;
}

static inline int wsq_engine_bwos_lifo_steal_active(struct wsq_container *ct, void **tasks,
						    unsigned int max)
{
	return wsq_bwos_lifo_steal_active(&ct->state.bwos_lifo.q, tasks, max);
}

/* The owner gives some away if a thief asks. */
static inline int wsq_engine_bwos_lifo_halve(struct wsq_container *ct, void **tasks,
					     unsigned int max, unsigned int least)
{
	return 0;
}

static inline u32 wsq_engine_bwos_lifo_kept(const struct wsq_container *ct)
{
	return 0;
}

static inline bool wsq_engine_bwos_lifo_remove(struct wsq_container *ct, u32 slot,
					       struct wsq_link *link)
{
	return wsq_bwos_lifo_remove(&ct->state.bwos_lifo.q, slot, link);
}

static inline bool wsq_engine_bwos_lifo_waiting(const struct wsq_container *ct)
{
	return wsq_bwos_lifo_waiting(&ct->state.bwos_lifo.q);
}

#endif /* _WSQ_ENGINE_LIFO_H */
