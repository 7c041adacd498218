// SPDX-License-Identifier: GPL-2.0
/*
 * LIFO BWoS as an engine, the parts outside the fast path: memory, growing, and
 * giving tasks to thieves. See bwos_lifo.h.
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>

#include "../../compat/export.h"
#include "../blocks.h"
#include "../engine.h"
#include "../../pool/grow.h"
#include "../../pool/pool.h"
#include "../../pool/reach.h"

/* Maximum number of tasks that an owner keeps when it gives its block away. */
#define WSQ_BWOS_LIFO_KEEP		16

/**
 * struct wsq_engine_lifo - memory of a LIFO BWoS engine
 * @head: common header
 * @mem: its parts
 * @below: directory index below each entry. The owner's, which writes it when
 *	it grows
 */
struct wsq_engine_lifo {
	struct wsq_engine head;
	struct wsq_bwos_lifo_mem mem;
	u16 below[WSQ_BWOS_MAX_BLOCKS];
};

/**
 * struct wsq_bwos_lifo_more - a further memory segment of an engine
 * @head: common header
 * @segment: its parts
 */
struct wsq_bwos_lifo_more {
	struct wsq_engine head;
	struct wsq_bwos_lifo_segment segment;
};

static size_t wsq_engine_bwos_lifo_bytes(u32 blocks, u32 max_blocks, u32 block_size)
{
	return wsq_blocks_bytes(sizeof(struct wsq_engine_lifo),
				sizeof(struct wsq_bwos_lifo_block), blocks,
				max_blocks, block_size);
}

static void wsq_engine_bwos_lifo_init(struct wsq_container *ct)
{
	wsq_bwos_lifo_init(&ct->state.bwos_lifo.q);
	/*
	 * The first thief asks the owner, see wsq_engine_bwos_lifo_drained().
	 */
	wsq_reach_set(ct);
}

static struct wsq_engine *wsq_engine_bwos_lifo_create(const struct wsq_container *ct,
						      int node)
{
	struct wsq_blocks_layout l;
	struct wsq_engine_lifo *engine =
		wsq_blocks_create(ct, node, sizeof(*engine),
				  sizeof(struct wsq_bwos_lifo_block), &l);

	if (!engine)
		return NULL;
	wsq_blocks_fill(&engine->mem, engine, &l, ct);
	engine->mem.below = engine->below;
	return &engine->head;
}

/* Number of blocks by which an engine may grow now; 0 without memory. */
static u32 wsq_engine_bwos_lifo_may_grow(const struct wsq_engine *engine)
{
	return engine ? wsq_blocks_may_grow(&container_of(engine, const struct wsq_engine_lifo,
							  head)->mem.dir) : 0;
}

/* Allocate as many blocks as there are, and a spare one. */
static struct wsq_engine *wsq_engine_bwos_lifo_create_more(const struct wsq_container *ct,
							   int node)
{
	struct wsq_blocks_layout l;
	struct wsq_bwos_lifo_more *more;
	u32 nr;

	/* Keeps the memory, which may be freed at any time. */
	preempt_disable();
	nr = wsq_engine_bwos_lifo_may_grow(READ_ONCE(ct->engine));
	preempt_enable();
	if (!nr)
		return NULL;
	more = wsq_blocks_create_more(ct, node, sizeof(*more),
				      sizeof(struct wsq_bwos_lifo_block),
				      nr + WSQ_SPARE_MORE, &l);
	if (!more)
		return ERR_PTR(-ENOMEM);
	wsq_blocks_fill_segment(&more->segment, more, &l, nr, WSQ_SPARE_MORE);
	return &more->head;
}

/* Attach a further segment. */
static void wsq_engine_bwos_lifo_extend(struct wsq_container *ct, struct wsq_engine *engine)
{
	wsq_bwos_lifo_extend(&ct->state.bwos_lifo.q,
			     &container_of(engine, struct wsq_bwos_lifo_more,
					   head)->segment);
}

/**
 * wsq_engine_bwos_lifo_more() - attach an offered segment, or ask for one
 * @ct: container of this CPU
 * @ret: %WSQ_PUBLISHED if the owner has gone up to a block, %WSQ_FULL if it
 *	could not
 *
 * Asks for a segment if the owner is in the last block that was free.
 *
 * Context: the owner, in an operation, which holds both roles.
 * Return: true if an operation that found no space shall try again.
 */
bool wsq_engine_bwos_lifo_more(struct wsq_container *ct, int ret)
{
	bool grown = false;

	if (likely(!ct->pool->growth) || !ct->engine)
		return false;
	if (wsq_grow_offered(ct)) {
		wsq_engine_extend(ct);
		grown = true;
	}
	if (wsq_bwos_lifo_short(&ct->state.bwos_lifo.q) &&
	    wsq_engine_bwos_lifo_may_grow(ct->engine))
		wsq_grow_ask(ct);
	return grown && ret == WSQ_FULL;
}
WSQ_EXPORT_KUNIT(wsq_engine_bwos_lifo_more);

static void wsq_engine_bwos_lifo_attach(struct wsq_container *ct, struct wsq_engine *engine)
{
	wsq_bwos_lifo_attach(&ct->state.bwos_lifo.q,
			     &container_of(engine, struct wsq_engine_lifo,
					   head)->mem);
}

/* Detach an empty engine's memory. */
static bool wsq_engine_bwos_lifo_detach(struct wsq_container *ct)
{
	return wsq_bwos_lifo_detach(&ct->state.bwos_lifo.q);
}

/* Publish the owner's block, if there is another one to go up to. */
static bool wsq_engine_bwos_lifo_leave(struct wsq_container *ct)
{
	int ret = wsq_bwos_lifo_publish(&ct->state.bwos_lifo.q);

	if ((ret == WSQ_PUBLISHED || ret == WSQ_FULL) &&
	    wsq_engine_bwos_lifo_more(ct, ret))
		ret = wsq_bwos_lifo_publish(&ct->state.bwos_lifo.q);
	return ret == WSQ_PUBLISHED;
}

/*
 * Publish the owner's block except its newest @nr tasks, which are taken out
 * and put again. They fit, either where they were or in a block that is empty.
 */
static bool wsq_engine_bwos_lifo_give(struct wsq_container *ct, u32 nr)
{
	struct wsq_bwos_lifo *q = &ct->state.bwos_lifo.q;
	void *keep[WSQ_BWOS_LIFO_KEEP];
	bool given, published;
	u32 n, i;

	n = wsq_bwos_lifo_get_many(q, keep, nr);
	given = wsq_engine_bwos_lifo_leave(ct);
	for (i = 0; i < n / 2; i++)
		swap(keep[i], keep[n - 1 - i]);
	wsq_bwos_lifo_put_many(q, keep, n, &published);
	return given;
}

/* wsq_engine_bwos_lifo_give() for a queue: items must know their slots. */
static bool wsq_engine_bwos_lifo_give_links(struct wsq_container *ct, u32 nr)
{
	struct wsq_link *keep[WSQ_BWOS_LIFO_KEEP];
	unsigned long flags;
	u32 n = 0;
	bool given;

	/* An interrupt must not cancel an item that is claimed here. */
	local_irq_save(flags);
	while (nr--) {
		void *task = wsq_bwos_lifo_claim(&ct->state.bwos_lifo.q);

		if (task && task != WSQ_TOMB)
			keep[n++] = task;
	}
	given = wsq_engine_bwos_lifo_leave(ct);
	while (n--)
		wsq_engine_bwos_lifo_add_link(ct, keep[n],
					      READ_ONCE(keep[n]->where) &
					      ~WSQ_LINK_SLOT);
	local_irq_restore(flags);
	return given;
}

/**
 * wsq_engine_bwos_lifo_feed() - publish the owner's block to a thief that asked
 * @ct: the container
 *
 * Keeps the newest tasks. With less than two tasks nothing is published, and
 * the thief's request stays.
 *
 * Context: the owner, in an operation.
 * Return: true if thieves can reach more from now on.
 */
bool wsq_engine_bwos_lifo_feed(struct wsq_container *ct)
{
	u32 kept = wsq_bwos_lifo_kept(&ct->state.bwos_lifo.q);
	u32 nr = min_t(u32, kept / 2, WSQ_BWOS_LIFO_KEEP);
	bool given;

	if (kept < 2)
		return false;
	WRITE_ONCE(ct->state.bwos_lifo.hungry, 0);
	given = ct->pointer ? wsq_engine_bwos_lifo_give(ct, nr) :
			  wsq_engine_bwos_lifo_give_links(ct, nr);
	/*
	 * The request is gone: a thief that still needs tasks must ask again.
	 */
	wsq_reach_set(ct);
	return given;
}
WSQ_EXPORT_KUNIT(wsq_engine_bwos_lifo_feed);

/* Implements wsq_engine_publish(). */
bool wsq_engine_bwos_lifo_publish(struct wsq_container *ct)
{
	bool given;
	u8 put, get;

	/* This interrupted the owner: a thief must ask if it needs tasks. */
	if (READ_ONCE(ct->put_busy) && READ_ONCE(ct->get_busy))
		return false;
	put = wsq_engine_bwos_lifo_begin(&ct->put_busy);
	get = wsq_engine_bwos_lifo_begin(&ct->get_busy);
	given = wsq_engine_bwos_lifo_feed(ct);
	wsq_engine_bwos_lifo_end(&ct->get_busy, get);
	wsq_engine_bwos_lifo_end(&ct->put_busy, put);
	return given;
}
WSQ_EXPORT_KUNIT(wsq_engine_bwos_lifo_publish);

/* Implements wsq_engine_sample(). */
u32 wsq_engine_bwos_lifo_sample(const struct wsq_container *ct, u32 rnd, u32 *index)
{
	*index = wsq_bwos_lifo_random_index(&ct->state.bwos_lifo.q, rnd);
	return wsq_bwos_lifo_sample(&ct->state.bwos_lifo.q, *index);
}
WSQ_EXPORT_KUNIT(wsq_engine_bwos_lifo_sample);

/* Nothing was stealable: ask the owner, if it has tasks. */
static void wsq_engine_bwos_lifo_ask(struct wsq_container *ct)
{
	if (!READ_ONCE(ct->state.bwos_lifo.hungry) && wsq_bwos_lifo_kept(&ct->state.bwos_lifo.q))
		WRITE_ONCE(ct->state.bwos_lifo.hungry, 1);
}

/* Implements wsq_engine_steal(). */
int wsq_engine_bwos_lifo_steal(struct wsq_container *ct, struct wsq_container *me,
			       void **tasks, unsigned int max)
{
	int ret = wsq_bwos_lifo_steal(&ct->state.bwos_lifo.q, tasks, max);

	if (ret == WSQ_EMPTY)
		wsq_engine_bwos_lifo_ask(ct);
	return ret;
}
WSQ_EXPORT_KUNIT(wsq_engine_bwos_lifo_steal);

/* Implements wsq_engine_steal_claim(). */
int wsq_engine_bwos_lifo_steal_claim(struct wsq_container *ct,
				     struct wsq_container *me, void **tasks,
				     unsigned int max)
{
	int ret = wsq_bwos_lifo_steal_claim(&ct->state.bwos_lifo.q, tasks, max);

	if (ret == WSQ_EMPTY)
		wsq_engine_bwos_lifo_ask(ct);
	return ret;
}

/*
 * Ask the owner even if it has no tasks, because later no thief may come to
 * ask. Once the owner has two tasks it publishes some and sets the bit.
 */
static bool wsq_engine_bwos_lifo_drained(struct wsq_container *ct)
{
	if (!READ_ONCE(ct->state.bwos_lifo.hungry))
		WRITE_ONCE(ct->state.bwos_lifo.hungry, 1);
	return wsq_bwos_lifo_shut(&ct->state.bwos_lifo.q);
}

const struct wsq_engine_ops wsq_engine_bwos_lifo_ops = {
	.name		= "bwos_lifo",
	.newest_first	= true,
	.space_timeout	= MAX_SCHEDULE_TIMEOUT,
	.sizes		= wsq_blocks_sizes,
	.bytes		= wsq_engine_bwos_lifo_bytes,
	.drained	= wsq_engine_bwos_lifo_drained,
	.init		= wsq_engine_bwos_lifo_init,
	.create		= wsq_engine_bwos_lifo_create,
	.create_more	= wsq_engine_bwos_lifo_create_more,
	.extend		= wsq_engine_bwos_lifo_extend,
	.attach		= wsq_engine_bwos_lifo_attach,
	.detach		= wsq_engine_bwos_lifo_detach,
};
