/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LIFO BWoS as an engine: what engine.h asks for and kmod/core/bwos_lifo.h does
 * not have by itself. For engine.h alone; everybody else goes through that.
 *
 * Best suited for work that spawns work. Costs: no read-modify-write and no fence
 * in a put or a raw pool's take, and two stores for the other role's flag.
 *
 * One owner. What puts and what takes must not interrupt each other here. So each
 * single operation of the owner sets, beside the flag of the role that its caller
 * has, the other role's, for as long as it lasts, and then makes it what it was:
 * its caller may have both. Who interrupts it finds neither role free, and does
 * what he would do if he had interrupted his own kind. All on one CPU, where
 * contexts nest, so a flag that was read is right until it is written back.
 *
 * What the owner keeps. Its block is out of thieves' reach, and with blocks of the
 * default size most jobs that spawn jobs never fill one. A thief who finds nothing
 * else there asks (@hungry), which is a store to a line that nobody else touches,
 * and the owner, who looks at that line in each operation, gives away all but the
 * newest of its block as soon as there are two tasks in it: that block is granted,
 * and the few that it keeps move to the next, so that it does not have to take
 * over at once what it has just given. Lace (van Dijk and van de Pol, 2014) has
 * thieves ask in a similar way.
 *
 * More room. An owner that has gone up to the last block that is free asks for more,
 * up to the pool's max_blocks (grow.c). It is the owner's operations, which have both
 * roles, that take it in.
 *
 * Limitation: an owner that does nothing gives nothing.
 */
#ifndef _WSQ_ENGINE_LIFO_H
#define _WSQ_ENGINE_LIFO_H

#include "../slots.h"

extern const struct wsq_engine_ops wsq_engine_lifo_ops;

bool wsq_engine_lifo_more(struct wsq_container *ct, int ret);

bool wsq_engine_lifo_feed(struct wsq_container *ct);
bool wsq_engine_lifo_share(struct wsq_container *ct);
u32 wsq_engine_lifo_sample(const struct wsq_container *ct, u32 rnd, u32 *place);
int wsq_engine_lifo_steal(struct wsq_container *ct, struct wsq_container *me,
			  void **tasks, unsigned int max);
int wsq_engine_lifo_steal_claim(struct wsq_container *ct,
				struct wsq_container *me, void **tasks,
				unsigned int max);

/* An operation of the owner begins. Returns what wsq_engine_lifo_end() wants. */
static inline u8 wsq_engine_lifo_begin(u8 *other)
{
	u8 was = READ_ONCE(*other);

	WRITE_ONCE(*other, 1);
	barrier();
	return was;
}

static inline void wsq_engine_lifo_end(u8 *other, u8 was)
{
	barrier();
	WRITE_ONCE(*other, was);
}

static inline bool wsq_engine_lifo_asked(const struct wsq_container *ct)
{
	return unlikely(READ_ONCE(ct->state.lifo.hungry));
}

static inline int wsq_engine_lifo_put(struct wsq_container *ct, void *task)
{
	const u8 was = wsq_engine_lifo_begin(&ct->get_busy);
	int ret = wsq_bwos_lifo_put(&ct->state.lifo.q, task);

	if (unlikely(ret != WSQ_OK) && wsq_engine_lifo_more(ct, ret))
		ret = wsq_bwos_lifo_put(&ct->state.lifo.q, task);
	if (wsq_engine_lifo_asked(ct) && ret == WSQ_OK &&
	    wsq_engine_lifo_feed(ct))
		ret = WSQ_OPENED;
	wsq_engine_lifo_end(&ct->get_busy, was);
	return ret;
}

static inline unsigned int
wsq_engine_lifo_put_many(struct wsq_container *ct, void *const *tasks,
			 unsigned int nr, bool *opened)
{
	const u8 was = wsq_engine_lifo_begin(&ct->get_busy);
	unsigned int done = 0;
	bool fresh;

	do {
		fresh = false;
		done += wsq_bwos_lifo_put_many(&ct->state.lifo.q, tasks + done,
					       nr - done, &fresh);
		*opened |= fresh;
	} while (unlikely(done < nr || fresh) &&
		 wsq_engine_lifo_more(ct, done < nr ? WSQ_FULL : WSQ_OPENED));
	if (wsq_engine_lifo_asked(ct) && wsq_engine_lifo_feed(ct))
		*opened = true;
	wsq_engine_lifo_end(&ct->get_busy, was);
	return done;
}

static inline void *wsq_engine_lifo_get(struct wsq_container *ct)
{
	const u8 was = wsq_engine_lifo_begin(&ct->put_busy);
	void *task;

	if (wsq_engine_lifo_asked(ct))
		wsq_engine_lifo_feed(ct);
	task = wsq_bwos_lifo_get(&ct->state.lifo.q);
	wsq_engine_lifo_end(&ct->put_busy, was);
	return task;
}

static inline unsigned int
wsq_engine_lifo_get_many(struct wsq_container *ct, void **tasks,
			 unsigned int nr)
{
	const u8 was = wsq_engine_lifo_begin(&ct->put_busy);
	unsigned int done;

	if (wsq_engine_lifo_asked(ct))
		wsq_engine_lifo_feed(ct);
	done = wsq_bwos_lifo_get_many(&ct->state.lifo.q, tasks, nr);
	wsq_engine_lifo_end(&ct->put_busy, was);
	return done;
}

static inline struct wsq_bwos_lifo *wsq_bwos_lifo_of(struct wsq_container *ct)
{
	return &ct->state.lifo.q;
}

/* As wsq_bwos_lifo_reserve(). */
static inline int wsq_lifo_reserve(struct wsq_container *ct,
				   struct wsq_bwos_room *room)
{
	int ret = wsq_bwos_lifo_reserve(&ct->state.lifo.q, room);

	if (unlikely(ret != WSQ_OK) && wsq_engine_lifo_more(ct, ret))
		ret = wsq_bwos_lifo_reserve(&ct->state.lifo.q, room);
	return ret;
}

WSQ_SLOTS_PUT(wsq_lifo, wsq_bwos_lifo, wsq_lifo_reserve)

/* Who asks has both roles: no interrupt gets in, here or until he puts. */
static inline unsigned int wsq_engine_lifo_room(struct wsq_container *ct)
{
	struct wsq_bwos_room room;

	return wsq_lifo_reserve(ct, &room) < 0 ? 0 : room.n;
}

static inline int wsq_engine_lifo_put_link(struct wsq_container *ct,
					   struct wsq_link *link,
					   unsigned int phase)
{
	const u8 was = wsq_engine_lifo_begin(&ct->get_busy);
	int ret = wsq_lifo_put_link(ct, link, phase);

	if (wsq_engine_lifo_asked(ct) && ret == WSQ_OK &&
	    wsq_engine_lifo_feed(ct))
		ret = WSQ_OPENED;
	wsq_engine_lifo_end(&ct->get_busy, was);
	return ret;
}

static inline unsigned int
wsq_engine_lifo_put_links(struct wsq_container *ct,
			  struct wsq_link *const *links, unsigned int nr,
			  unsigned int phase, bool *opened)
{
	const u8 was = wsq_engine_lifo_begin(&ct->get_busy);
	unsigned int done = wsq_lifo_put_links(ct, links, nr, phase, opened);

	if (wsq_engine_lifo_asked(ct) && wsq_engine_lifo_feed(ct))
		*opened = true;
	wsq_engine_lifo_end(&ct->get_busy, was);
	return done;
}

/*
 * Halfway between two turns of the entrances, the oldest: an item that is queued
 * again whenever it runs would always be the newest.
 */
static inline void *wsq_engine_lifo_claim(struct wsq_container *ct)
{
	const u8 was = wsq_engine_lifo_begin(&ct->put_busy);
	void *task;

	if (wsq_engine_lifo_asked(ct) && wsq_engine_lifo_feed(ct))
		ct->opened = true;
	if (unlikely(ct->turns == WSQ_ENTRY_TURN / 2))
		task = wsq_bwos_lifo_claim_oldest(&ct->state.lifo.q);
	else
		task = wsq_bwos_lifo_claim(&ct->state.lifo.q);
	wsq_engine_lifo_end(&ct->put_busy, was);
	return likely(task) && unlikely(task == WSQ_TOMB) ? WSQ_AGAIN : task;
}

/* Asked after each claim. */
static inline bool wsq_engine_lifo_opened(struct wsq_container *ct)
{
	if (likely(!ct->opened))
		return false;
	ct->opened = false;
	return true;
}

/* It is the consumer who asks; puts must not move what it looks at. */
static inline bool wsq_engine_lifo_empty(struct wsq_container *ct)
{
	const u8 was = wsq_engine_lifo_begin(&ct->put_busy);
	bool empty = wsq_bwos_lifo_empty(&ct->state.lifo.q);

	wsq_engine_lifo_end(&ct->put_busy, was);
	return empty;
}

/* Two of them can be had for the asking. */
static inline bool wsq_engine_lifo_shared(const struct wsq_container *ct)
{
	return wsq_bwos_lifo_shared(&ct->state.lifo.q) ||
	       wsq_bwos_lifo_kept(&ct->state.lifo.q) > 1;
}

static inline int wsq_engine_lifo_steal_at(struct wsq_container *ct,
					   struct wsq_container *me, u32 place,
					   void **tasks, unsigned int max)
{
	return wsq_bwos_lifo_steal_at(&ct->state.lifo.q, place, tasks, max);
}

static inline int wsq_engine_lifo_steal_claim_at(struct wsq_container *ct,
						 struct wsq_container *me,
						 u32 place, void **tasks,
						 unsigned int max)
{
	return wsq_bwos_lifo_steal_claim_at(&ct->state.lifo.q, place, tasks,
					    max);
}

static inline bool wsq_engine_lifo_raid(const struct wsq_container *me)
{
	return false;
}

static inline int wsq_engine_lifo_pry(struct wsq_container *ct, void **tasks,
				      unsigned int max)
{
	return wsq_bwos_lifo_pry(&ct->state.lifo.q, tasks, max);
}

static inline bool wsq_engine_lifo_withdraw(struct wsq_container *ct, u32 slot,
					    struct wsq_link *link)
{
	return wsq_bwos_lifo_withdraw(&ct->state.lifo.q, slot, link);
}

static inline bool wsq_engine_lifo_waiting(const struct wsq_container *ct)
{
	return wsq_bwos_lifo_waiting(&ct->state.lifo.q);
}

#endif /* _WSQ_ENGINE_LIFO_H */
