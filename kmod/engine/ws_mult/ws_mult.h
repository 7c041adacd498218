/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work stealing with multiplicity as an engine: what engine.h requires of an
 * engine of pointer pools beyond kmod/core/ws_mult.h. Only engine.h uses this
 * file.
 *
 * Best suited for short tasks that do no harm if they run again, because thieves
 * reach each task as soon as it is put. Cost: a put and a take are one store
 * each. Limitations: FIFO; it does not grow; no queue may have it, because the
 * work service runs an item once.
 *
 * Thieves. A CPU has a maximum for each victim (struct wsq_mult_thief). While a
 * CPU steals it steals nothing else, so an interrupt does not get a task that
 * the interrupted code is about to get.
 *
 * A CPU's bit (reach.h). A put does not look at the CPU's bit. A thief that
 * finds nothing sets @dry. The owner's next put sees @dry and sets the bit. The
 * thief may clear the bit if, a grace period after it set @dry, all tasks are
 * taken: puts that did not see @dry have ended by then.
 *
 *	put				thief
 *	---				-----
 *	task, tail			MU(ask:A) dry, full barrier
 *	MU(put:A) dry? clear it, and	MU(ask:B) cookie
 *	wsq_reach_set()			MU(dry:A) grace period passed? acquire
 *					tail: all taken? wsq_reach_clear()
 *
 *	MU(ask:A), MU(dry:A) against MU(put:A): a grace period
 *		A put that does not see the question is seen.
 *		litmus/pool-mult-dry.litmus
 */
#ifndef _WSQ_ENGINE_WS_MULT_H
#define _WSQ_ENGINE_WS_MULT_H

#include "../../core/ws_mult.h"

/**
 * struct wsq_mult_thief - one CPU as a thief of a pool
 * @busy: it is stealing. Own CPU
 * @steals: how many tasks it has stolen. Own CPU
 * @max: for each victim, its maximum (ws_mult.h). Own CPU
 */
struct wsq_mult_thief {
	bool busy;
	u64 steals;
	atomic64_t max[];
};

/**
 * struct wsq_engine_ws_mult - memory of the engine
 * @head: common header
 * @kind: WSQ_MULT_*. Constant
 * @thieves: of the pool, by CPU. Constant
 * @q: the queue
 * @dry: 0, or a thief has found nothing: see wsq_mult_ask(). Thieves
 *	set, the owner clears
 * @asked: when @dry was set last, in jiffies. Thieves
 */
struct wsq_engine_ws_mult {
	struct wsq_engine head;
	u32 kind;
	struct wsq_mult_thief **thieves;
	struct wsq_ws_mult q;
	atomic64_t dry ____cacheline_aligned;
	unsigned long asked;
};

extern const struct wsq_engine_ops wsq_engine_ws_mult_ops;

bool wsq_engine_ws_mult_catch_up(struct wsq_container *ct);
int wsq_engine_ws_mult_steal(struct wsq_container *ct, struct wsq_container *me,
			     void **tasks, unsigned int max);

/* A pointer pool's container has memory from the start. */
static inline struct wsq_engine_ws_mult *
wsq_engine_ws_mult(const struct wsq_container *ct)
{
	/* Pairs with the release in wsq_engine_attach(), by the address. */
	return container_of(READ_ONCE(ct->engine), struct wsq_engine_ws_mult,
			    head);
}

/* A put has stored its task: %WSQ_PUBLISHED if a thief has asked. */
static inline int wsq_engine_ws_mult_asked(struct wsq_engine_ws_mult *e, int ret)
{
	if (unlikely(atomic64_read(&e->dry))) {			/* MU(put:A) */
		atomic64_set(&e->dry, 0);
		return WSQ_PUBLISHED;
	}
	return ret;
}

static inline int wsq_engine_ws_mult_put(struct wsq_container *ct, void *task)
{
	struct wsq_engine_ws_mult *e = wsq_engine_ws_mult(ct);
	int ret = wsq_ws_mult_put(&e->q, task);

	if (unlikely(ret == WSQ_FULL)) {
		if (!wsq_engine_ws_mult_catch_up(ct))
			return ret;
		ret = wsq_ws_mult_put(&e->q, task);
		if (ret < 0)
			return ret;
	}
	return wsq_engine_ws_mult_asked(e, ret);
}

static inline unsigned int
wsq_engine_ws_mult_put_many(struct wsq_container *ct, void *const *tasks,
			    unsigned int nr, bool *published)
{
	unsigned int done;
	int ret;

	for (done = 0; done < nr; done++) {
		ret = wsq_engine_ws_mult_put(ct, tasks[done]);
		if (ret < 0)
			break;
		if (ret == WSQ_PUBLISHED)
			*published = true;
	}
	return done;
}

static inline void *wsq_engine_ws_mult_get(struct wsq_container *ct)
{
	struct wsq_engine_ws_mult *e = wsq_engine_ws_mult(ct);

	return wsq_ws_mult_get(&e->q, e->kind);
}

static inline unsigned int
wsq_engine_ws_mult_get_many(struct wsq_container *ct, void **tasks,
			    unsigned int nr)
{
	unsigned int done;

	for (done = 0; done < nr; done++) {
		tasks[done] = wsq_engine_ws_mult_get(ct);
		if (!tasks[done])
			break;
	}
	return done;
}

/* There is no directory: @index is ignored. */
static inline int wsq_engine_ws_mult_steal_at(struct wsq_container *ct,
					      struct wsq_container *me, u32 index,
					      void **tasks, unsigned int max)
{
	return wsq_engine_ws_mult_steal(ct, me, tasks, max);
}

/* A batch is not worth more than its tasks: thieves take one at a time. */
static inline unsigned int wsq_engine_ws_mult_space(struct wsq_container *ct,
						    bool *published)
{
	return 0;
}

static inline bool wsq_engine_ws_mult_steal_async(const struct wsq_container *me)
{
	return false;
}

static inline bool wsq_engine_ws_mult_waiting(const struct wsq_container *ct)
{
	return wsq_ws_mult_waiting(&wsq_engine_ws_mult(ct)->q);
}

static inline u32 wsq_engine_ws_mult_sample(const struct wsq_container *ct,
					    u32 rnd, u32 *index)
{
	return (u32)min_t(u64, wsq_ws_mult_waiting(&wsq_engine_ws_mult(ct)->q),
			  U32_MAX);
}

#endif /* _WSQ_ENGINE_WS_MULT_H */
