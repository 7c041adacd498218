/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A toy engine: a ring with a lock. It shows what an engine has to offer to the
 * rooms above, and tools/check/engine adds it to a copy of the tree. Only
 * engine.h uses this file.
 *
 * Every task can be stolen. All operations take the lock, with interrupts off:
 * an operation that is interrupted does not hold it. An NMI may have
 * interrupted its holder, so a put from NMI only tries; if that fails, the ring
 * is full as far as the caller can tell, and the task goes to an inbox.
 *
 * Cost: a lock for each operation, shared with thieves. Limitations: breaks the
 * rule that no operation waits; has the memory for all that it may grow by from
 * the start.
 */
#ifndef _WSQ_ENGINE_TOY_H
#define _WSQ_ENGINE_TOY_H

#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/wsq.h>

#include "../link.h"
#include "ring.h"

/**
 * struct wsq_engine_toy - memory of a toy engine
 * @head: common header
 * @lock: protects @ring
 * @max: maximum of the ring's limit. Constant
 * @max_blocks: of the pool. Constant
 * @ring: the ring
 * @slots: its slots
 */
struct wsq_engine_toy {
	struct wsq_engine head;
	raw_spinlock_t lock;
	u32 max;
	u32 max_blocks;
	struct toy_ring ring;
	void *slots[];
};

extern const struct wsq_engine_ops wsq_engine_toy_ops;

bool wsq_engine_toy_more(struct wsq_container *ct);
unsigned int wsq_engine_toy_take(struct wsq_container *ct, void **tasks,
				 unsigned int max);
bool wsq_engine_toy_remove(struct wsq_container *ct, u32 slot,
			   struct wsq_link *link);

/* The engine, %NULL without memory. */
static inline struct wsq_engine_toy *
wsq_engine_toy(const struct wsq_container *ct)
{
	/* Pairs with the release in wsq_engine_attach(), by the address. */
	struct wsq_engine *engine = READ_ONCE(ct->engine);

	return engine ? container_of(engine, struct wsq_engine_toy, head) :
			NULL;
}

/* Number of tasks: exact if no other context uses the engine. */
static inline u32 wsq_engine_toy_used(const struct wsq_container *ct)
{
	const struct wsq_engine_toy *toy = wsq_engine_toy(ct);

	return toy ? READ_ONCE(toy->ring.used) : 0;
}

/* Take the lock, in NMI only if it is free. */
static inline bool wsq_engine_toy_lock(struct wsq_engine_toy *toy,
				       unsigned long *flags)
{
	if (likely(!in_nmi())) {
		raw_spin_lock_irqsave(&toy->lock, *flags);
		return true;
	}
	return raw_spin_trylock_irqsave(&toy->lock, *flags);
}

static inline void wsq_engine_toy_unlock(struct wsq_engine_toy *toy,
					 unsigned long flags)
{
	raw_spin_unlock_irqrestore(&toy->lock, flags);
}

static inline unsigned int
wsq_engine_toy_put_some(struct wsq_engine_toy *toy, void *const *tasks,
			unsigned int nr, bool *published)
{
	unsigned long flags;
	unsigned int i;

	if (!wsq_engine_toy_lock(toy, &flags))
		return 0;
	nr = min(nr, toy_ring_space(&toy->ring));
	*published |= nr && !toy->ring.used;
	for (i = 0; i < nr; i++)
		toy_ring_put(&toy->ring, tasks[i]);
	wsq_engine_toy_unlock(toy, flags);
	return nr;
}

static inline unsigned int
wsq_engine_toy_put_many(struct wsq_container *ct, void *const *tasks,
			unsigned int nr, bool *published)
{
	struct wsq_engine_toy *toy = wsq_engine_toy(ct);
	unsigned int done;

	if (unlikely(!toy))
		return 0;
	done = wsq_engine_toy_put_some(toy, tasks, nr, published);
	if (wsq_engine_toy_more(ct) && done < nr)
		done += wsq_engine_toy_put_some(toy, tasks + done, nr - done,
						published);
	return done;
}

static inline int wsq_engine_toy_put(struct wsq_container *ct, void *task)
{
	bool published = false;

	if (!wsq_engine_toy_put_many(ct, &task, 1, &published))
		return WSQ_FULL;
	return published ? WSQ_PUBLISHED : WSQ_OK;
}

static inline unsigned int
wsq_engine_toy_put_some_links(struct wsq_engine_toy *toy,
			      struct wsq_link *const *links, unsigned int nr,
			      u64 where, u64 *count, bool *published)
{
	unsigned long flags;
	unsigned int i;

	if (!wsq_engine_toy_lock(toy, &flags))
		return 0;
	nr = min(nr, toy_ring_space(&toy->ring));
	*published |= nr && !toy->ring.used;
	WRITE_ONCE(*count, *count + nr);
	for (i = 0; i < nr; i++) {
		WRITE_ONCE(links[i]->where,
			   wsq_link_in_slot(where, toy_ring_next(&toy->ring)));
		toy_ring_put(&toy->ring, links[i]);
	}
	wsq_engine_toy_unlock(toy, flags);
	return nr;
}

static inline unsigned int
wsq_engine_toy_put_links(struct wsq_container *ct,
			 struct wsq_link *const *links, unsigned int nr,
			 u64 where, u64 *count, bool *published)
{
	struct wsq_engine_toy *toy = wsq_engine_toy(ct);
	unsigned int done;

	if (unlikely(!toy))
		return 0;
	done = wsq_engine_toy_put_some_links(toy, links, nr, where, count,
					     published);
	if (wsq_engine_toy_more(ct) && done < nr)
		done += wsq_engine_toy_put_some_links(toy, links + done,
						      nr - done, where, count,
						      published);
	return done;
}

static inline int wsq_engine_toy_put_link(struct wsq_container *ct,
					  struct wsq_link *link, u64 where)
{
	bool published = false;
	u64 count = 0;

	if (!wsq_engine_toy_put_links(ct, &link, 1, where, &count, &published))
		return WSQ_FULL;
	return published ? WSQ_PUBLISHED : WSQ_OK;
}

static inline void *wsq_engine_toy_get(struct wsq_container *ct)
{
	void *task;

	return wsq_engine_toy_take(ct, &task, 1) ? task : NULL;
}

static inline unsigned int wsq_engine_toy_get_many(struct wsq_container *ct,
						   void **tasks,
						   unsigned int nr)
{
	return wsq_engine_toy_take(ct, tasks, nr);
}

static inline void *wsq_engine_toy_claim(struct wsq_container *ct)
{
	return wsq_engine_toy_get(ct);
}

static inline int wsq_engine_toy_steal(struct wsq_container *ct,
				       struct wsq_container *me, void **tasks,
				       unsigned int max)
{
	return wsq_engine_toy_take(ct, tasks, max) ?: WSQ_EMPTY;
}

static inline int wsq_engine_toy_steal_at(struct wsq_container *ct,
					  struct wsq_container *me, u32 index,
					  void **tasks, unsigned int max)
{
	return wsq_engine_toy_steal(ct, me, tasks, max);
}

static inline int wsq_engine_toy_steal_claim(struct wsq_container *ct,
					     struct wsq_container *me,
					     void **tasks, unsigned int max)
{
	return wsq_engine_toy_steal(ct, me, tasks, max);
}

static inline int wsq_engine_toy_steal_claim_at(struct wsq_container *ct,
						struct wsq_container *me,
						u32 index, void **tasks,
						unsigned int max)
{
	return wsq_engine_toy_steal(ct, me, tasks, max);
}

static inline int wsq_engine_toy_steal_active(struct wsq_container *ct,
					      void **tasks, unsigned int max)
{
	return wsq_engine_toy_take(ct, tasks, max);
}

/* Thieves reach everything by stealing. */
static inline int wsq_engine_toy_halve(struct wsq_container *ct, void **tasks,
				       unsigned int max, unsigned int least)
{
	return 0;
}

static inline u32 wsq_engine_toy_kept(const struct wsq_container *ct)
{
	return 0;
}

static inline bool wsq_engine_toy_publish(struct wsq_container *ct)
{
	return false;
}

static inline bool wsq_engine_toy_published(struct wsq_container *ct)
{
	return false;
}

static inline bool wsq_engine_toy_steal_async(const struct wsq_container *me)
{
	return false;
}

static inline unsigned int wsq_engine_toy_space(struct wsq_container *ct,
						bool *published)
{
	struct wsq_engine_toy *toy = wsq_engine_toy(ct);
	unsigned long flags;
	unsigned int space;

	if (!toy || !wsq_engine_toy_lock(toy, &flags))
		return 0;
	space = toy_ring_space(&toy->ring);
	wsq_engine_toy_unlock(toy, flags);
	return space;
}

static inline bool wsq_engine_toy_empty(struct wsq_container *ct)
{
	return !wsq_engine_toy_used(ct);
}

static inline bool wsq_engine_toy_waiting(const struct wsq_container *ct)
{
	return wsq_engine_toy_used(ct);
}

static inline bool wsq_engine_toy_has_published(const struct wsq_container *ct)
{
	return wsq_engine_toy_used(ct);
}

/* The mean of all blocks; there is no directory. */
static inline u32 wsq_engine_toy_sample(const struct wsq_container *ct,
					u32 rnd, u32 *index)
{
	const struct wsq_engine_toy *toy = wsq_engine_toy(ct);

	*index = 0;
	return toy ? DIV_ROUND_UP(READ_ONCE(toy->ring.used), toy->max_blocks) :
		     0;
}

#endif /* _WSQ_ENGINE_TOY_H */
