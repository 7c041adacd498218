// SPDX-License-Identifier: GPL-2.0
/*
 * LIFO BWoS as an engine, the parts outside the fast path: memory, more of it, and
 * what goes from the owner to thieves. What it is for is in lifo.h.
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>

#include "../../compat/export.h"
#include "../blocks.h"
#include "../engine.h"
#include "../../pool/grow.h"
#include "../../pool/pool.h"

/* Tasks that an owner keeps of what it gives away, at most. */
#define WSQ_LIFO_KEEP		16

/**
 * struct wsq_engine_lifo - memory of an engine that is LIFO BWoS
 * @head: what all engines' memory has
 * @mem: its parts
 * @below: the place below each; the owner's, who writes it when it grows
 */
struct wsq_engine_lifo {
	struct wsq_engine head;
	struct wsq_bwos_lifo_mem mem;
	u16 below[WSQ_BWOS_MAX_BLOCKS];
};

/**
 * struct wsq_lifo_more - a further piece of an engine's memory
 * @head: what all engines' memory has
 * @piece: its parts
 */
struct wsq_lifo_more {
	struct wsq_engine head;
	struct wsq_bwos_lifo_piece piece;
};

static size_t wsq_engine_lifo_bytes(u32 blocks, u32 max_blocks, u32 block_size)
{
	return wsq_blocks_bytes(sizeof(struct wsq_engine_lifo),
				sizeof(struct wsq_bwos_lifo_block), blocks,
				max_blocks, block_size);
}

static void wsq_engine_lifo_init(struct wsq_container *ct)
{
	wsq_bwos_lifo_init(&ct->state.lifo.q);
}

static struct wsq_engine *wsq_engine_lifo_create(const struct wsq_container *ct,
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

/* Blocks by which an engine may grow now, if it has memory. */
static u32 wsq_lifo_may_grow(const struct wsq_engine *engine)
{
	return engine ? wsq_blocks_may_grow(&container_of(engine, const struct wsq_engine_lifo,
							  head)->mem.dir) : 0;
}

/* As many blocks as there are, and one to spare. */
static struct wsq_engine *wsq_engine_lifo_create_more(const struct wsq_container *ct,
						      int node)
{
	struct wsq_blocks_layout l;
	struct wsq_lifo_more *more;
	u32 nr;

	/* It may be given back meanwhile. */
	preempt_disable();
	nr = wsq_lifo_may_grow(READ_ONCE(ct->engine));
	preempt_enable();
	if (!nr)
		return NULL;
	more = wsq_blocks_create_more(ct, node, sizeof(*more),
				      sizeof(struct wsq_bwos_lifo_block),
				      nr + WSQ_SPARE_MORE, &l);
	if (!more)
		return ERR_PTR(-ENOMEM);
	wsq_blocks_fill_piece(&more->piece, more, &l, nr, WSQ_SPARE_MORE);
	return &more->head;
}

/* Have more blocks. */
static void wsq_engine_lifo_extend(struct wsq_container *ct, struct wsq_engine *engine)
{
	wsq_bwos_lifo_extend(&ct->state.lifo.q,
			     &container_of(engine, struct wsq_lifo_more,
					   head)->piece);
}

/**
 * wsq_engine_lifo_more() - the owner has gone up to a block, or found no room
 * @ct: container of this CPU
 * @ret: what it was told
 *
 * Takes in what this CPU was given beside what it has, and asks for more if the
 * owner is in the last block that was free.
 *
 * Context: the owner, in an operation, which has both roles.
 * Return: true if an operation that found no room shall try again.
 */
bool wsq_engine_lifo_more(struct wsq_container *ct, int ret)
{
	bool grown = false;

	if (likely(!ct->pool->growth) || !ct->engine)
		return false;
	if (wsq_grow_offered(ct)) {
		wsq_engine_extend(ct);
		grown = true;
	}
	if (wsq_bwos_lifo_short(&ct->state.lifo.q) && wsq_lifo_may_grow(ct->engine))
		wsq_grow_ask(ct);
	return grown && ret == WSQ_FULL;
}
WSQ_EXPORT_KUNIT(wsq_engine_lifo_more);

static void wsq_engine_lifo_mount(struct wsq_container *ct, struct wsq_engine *engine)
{
	wsq_bwos_lifo_mount(&ct->state.lifo.q,
			    &container_of(engine, struct wsq_engine_lifo,
					  head)->mem);
}

/* Take an empty engine's memory away. */
static bool wsq_engine_lifo_unmount(struct wsq_container *ct)
{
	return wsq_bwos_lifo_unmount(&ct->state.lifo.q);
}

/* Give away the owner's block, if there is another one to go up to. */
static bool wsq_engine_lifo_leave(struct wsq_container *ct)
{
	int ret = wsq_bwos_lifo_share(&ct->state.lifo.q);

	if ((ret == WSQ_OPENED || ret == WSQ_FULL) &&
	    wsq_engine_lifo_more(ct, ret))
		ret = wsq_bwos_lifo_share(&ct->state.lifo.q);
	return ret == WSQ_OPENED;
}

/*
 * Give away the owner's block but for its newest @nr tasks: those are taken out
 * and put again. There is room for them, where they were or in a block that is
 * empty.
 */
static bool wsq_engine_lifo_give(struct wsq_container *ct, u32 nr)
{
	struct wsq_bwos_lifo *q = &ct->state.lifo.q;
	void *keep[WSQ_LIFO_KEEP];
	bool given, opened;
	u32 n, i;

	n = wsq_bwos_lifo_get_many(q, keep, nr);
	given = wsq_engine_lifo_leave(ct);
	for (i = 0; i < n / 2; i++)
		swap(keep[i], keep[n - 1 - i]);
	wsq_bwos_lifo_put_many(q, keep, n, &opened);
	return given;
}

/* The same in a queue, whose items must know where they are. */
static bool wsq_engine_lifo_give_links(struct wsq_container *ct, u32 nr)
{
	struct wsq_link *keep[WSQ_LIFO_KEEP];
	unsigned long flags;
	u32 n = 0;
	bool given;

	/* As in wsq_linked_refill(): no interrupt calls back what is in hand. */
	local_irq_save(flags);
	while (nr--) {
		void *task = wsq_bwos_lifo_claim(&ct->state.lifo.q);

		if (task && task != WSQ_TOMB)
			keep[n++] = task;
	}
	given = wsq_engine_lifo_leave(ct);
	while (n--)
		wsq_lifo_put_link(ct, keep[n],
				  wsq_where_phase(READ_ONCE(keep[n]->where)));
	local_irq_restore(flags);
	return given;
}

/**
 * wsq_engine_lifo_feed() - let thieves have what is in the owner's block
 * @ct: the container
 *
 * What it has asked for is given, but for the newest; with less than two tasks it
 * is told to wait.
 *
 * Context: the owner, in an operation.
 * Return: true if thieves can reach more from now on.
 */
bool wsq_engine_lifo_feed(struct wsq_container *ct)
{
	u32 kept = wsq_bwos_lifo_kept(&ct->state.lifo.q);
	u32 nr = min_t(u32, kept / 2, WSQ_LIFO_KEEP);

	if (kept < 2)
		return false;
	WRITE_ONCE(ct->state.lifo.hungry, 0);
	return ct->raw ? wsq_engine_lifo_give(ct, nr) :
			 wsq_engine_lifo_give_links(ct, nr);
}
WSQ_EXPORT_KUNIT(wsq_engine_lifo_feed);

/**
 * wsq_engine_lifo_share() - wsq_engine_share()
 * @ct: as there
 *
 * Context: as there.
 * Return: as there.
 */
bool wsq_engine_lifo_share(struct wsq_container *ct)
{
	bool given;
	u8 put, get;

	/* We interrupted the owner: somebody has to ask, if need be. */
	if (READ_ONCE(ct->put_busy) && READ_ONCE(ct->get_busy))
		return false;
	put = wsq_engine_lifo_begin(&ct->put_busy);
	get = wsq_engine_lifo_begin(&ct->get_busy);
	given = wsq_engine_lifo_feed(ct);
	wsq_engine_lifo_end(&ct->get_busy, get);
	wsq_engine_lifo_end(&ct->put_busy, put);
	return given;
}
WSQ_EXPORT_KUNIT(wsq_engine_lifo_share);

/**
 * wsq_engine_lifo_sample() - wsq_engine_sample()
 * @ct: as there
 * @rnd: as there
 * @place: as there
 *
 * Context: as there.
 * Return: as there.
 */
u32 wsq_engine_lifo_sample(const struct wsq_container *ct, u32 rnd, u32 *place)
{
	*place = wsq_bwos_lifo_place(&ct->state.lifo.q, rnd);
	return wsq_bwos_lifo_sample(&ct->state.lifo.q, *place);
}
WSQ_EXPORT_KUNIT(wsq_engine_lifo_sample);

/* Nothing was within reach. Has the owner something? */
static void wsq_engine_lifo_ask(struct wsq_container *ct)
{
	if (!READ_ONCE(ct->state.lifo.hungry) && wsq_bwos_lifo_kept(&ct->state.lifo.q))
		WRITE_ONCE(ct->state.lifo.hungry, 1);
}

/**
 * wsq_engine_lifo_steal() - wsq_engine_steal()
 * @ct: as there
 * @me: as there
 * @tasks: as there
 * @max: as there
 *
 * Context: as there.
 * Return: as there.
 */
int wsq_engine_lifo_steal(struct wsq_container *ct, struct wsq_container *me,
			  void **tasks, unsigned int max)
{
	int ret = wsq_bwos_lifo_steal(&ct->state.lifo.q, tasks, max);

	if (ret == WSQ_EMPTY)
		wsq_engine_lifo_ask(ct);
	return ret;
}
WSQ_EXPORT_KUNIT(wsq_engine_lifo_steal);

/**
 * wsq_engine_lifo_steal_claim() - wsq_engine_steal_claim()
 * @ct: as there
 * @me: as there
 * @tasks: as there
 * @max: as there
 *
 * Context: as there.
 * Return: as there.
 */
int wsq_engine_lifo_steal_claim(struct wsq_container *ct,
				struct wsq_container *me, void **tasks,
				unsigned int max)
{
	int ret = wsq_bwos_lifo_steal_claim(&ct->state.lifo.q, tasks, max);

	if (ret == WSQ_EMPTY)
		wsq_engine_lifo_ask(ct);
	return ret;
}

const struct wsq_engine_ops wsq_engine_lifo_ops = {
	.name		= "lifo",
	.patience	= MAX_SCHEDULE_TIMEOUT,
	.sizes		= wsq_blocks_sizes,
	.bytes		= wsq_engine_lifo_bytes,
	.init		= wsq_engine_lifo_init,
	.create		= wsq_engine_lifo_create,
	.create_more	= wsq_engine_lifo_create_more,
	.extend		= wsq_engine_lifo_extend,
	.mount		= wsq_engine_lifo_mount,
	.unmount	= wsq_engine_lifo_unmount,
};
