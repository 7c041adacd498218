// SPDX-License-Identifier: GPL-2.0
/*
 * FIFO BWoS as an engine, its memory. Costs: positions of a cache line for each
 * writer, 192 bytes a block. Limitations: grows by as many blocks as there are,
 * and gets smaller only when all of its memory goes.
 */
#include <linux/err.h>
#include <linux/preempt.h>

#include "../../compat/export.h"
#include "../blocks.h"
#include "../engine.h"
#include "../../pool/grow.h"
#include "../../pool/pool.h"

/**
 * struct wsq_engine_bwos - memory of an engine that is FIFO BWoS
 * @head: what all engines' memory has
 * @mem: its parts
 */
struct wsq_engine_bwos {
	struct wsq_engine head;
	struct wsq_bwos_mem mem;
};

/**
 * struct wsq_bwos_more - a further piece of an engine's memory
 * @head: what all engines' memory has
 * @piece: its parts
 */
struct wsq_bwos_more {
	struct wsq_engine head;
	struct wsq_bwos_piece piece;
};

/* Stands for the blocks of engines without memory. Nobody writes to it. */
static struct wsq_bwos_block wsq_no_block;

static size_t wsq_engine_bwos_bytes(u32 blocks, u32 max_blocks, u32 block_size)
{
	return wsq_blocks_bytes(sizeof(struct wsq_engine_bwos),
				sizeof(struct wsq_bwos_block), blocks,
				max_blocks, block_size);
}

static void wsq_engine_bwos_init(struct wsq_container *ct)
{
	wsq_bwos_fifo_init(&ct->state.bwos, &wsq_no_block);
}

static struct wsq_engine *wsq_engine_bwos_create(const struct wsq_container *ct,
						 int node)
{
	struct wsq_blocks_layout l;
	struct wsq_engine_bwos *engine =
		wsq_blocks_create(ct, node, sizeof(*engine),
				  sizeof(struct wsq_bwos_block), &l);

	if (!engine)
		return NULL;
	wsq_blocks_fill(&engine->mem, engine, &l, ct);
	return &engine->head;
}

/* Blocks by which an engine may grow now, if it has memory. */
static u32 wsq_bwos_may_grow(const struct wsq_engine *engine)
{
	return engine ? wsq_blocks_may_grow(&container_of(engine, const struct wsq_engine_bwos,
							  head)->mem.dir) : 0;
}

/* As many blocks as there are, and one to spare. */
static struct wsq_engine *wsq_engine_bwos_create_more(const struct wsq_container *ct,
						      int node)
{
	struct wsq_blocks_layout l;
	struct wsq_bwos_more *more;
	u32 nr;

	/* It may be given back meanwhile. */
	preempt_disable();
	nr = wsq_bwos_may_grow(READ_ONCE(ct->engine));
	preempt_enable();
	if (!nr)
		return NULL;
	more = wsq_blocks_create_more(ct, node, sizeof(*more),
				      sizeof(struct wsq_bwos_block),
				      nr + WSQ_SPARE_MORE, &l);
	if (!more)
		return ERR_PTR(-ENOMEM);
	wsq_blocks_fill_piece(&more->piece, more, &l, nr, WSQ_SPARE_MORE);
	return &more->head;
}

/* Have more blocks. */
static void wsq_engine_bwos_extend(struct wsq_container *ct, struct wsq_engine *engine)
{
	wsq_bwos_fifo_extend(&ct->state.bwos,
			     &container_of(engine, struct wsq_bwos_more,
					   head)->piece);
}

/**
 * wsq_engine_bwos_more() - a put has begun a block, or found no room
 * @ct: container of this CPU
 * @ret: what the put said
 *
 * Takes in what this CPU was given beside what it has, and asks for more if the
 * producer is in the last block that was free.
 *
 * Context: the producer.
 * Return: true if a put that found no room shall try again.
 */
bool wsq_engine_bwos_more(struct wsq_container *ct, int ret)
{
	bool grown = false;

	if (likely(!ct->pool->growth) || !ct->engine)
		return false;
	if (wsq_grow_offered(ct) && wsq_get_begin(ct)) {
		wsq_engine_extend(ct);
		wsq_get_end(ct);
		grown = true;
	}
	if (wsq_bwos_fifo_short(&ct->state.bwos) && wsq_bwos_may_grow(ct->engine))
		wsq_grow_ask(ct);
	return grown && ret == WSQ_FULL;
}
WSQ_EXPORT_KUNIT(wsq_engine_bwos_more);

static void wsq_engine_bwos_mount(struct wsq_container *ct, struct wsq_engine *engine)
{
	wsq_bwos_fifo_mount(&ct->state.bwos,
			    &container_of(engine, struct wsq_engine_bwos,
					  head)->mem);
}

/* Take an empty engine's memory away. */
static bool wsq_engine_bwos_unmount(struct wsq_container *ct)
{
	return wsq_bwos_fifo_unmount(&ct->state.bwos);
}

const struct wsq_engine_ops wsq_engine_bwos_ops = {
	.name		= "bwos",
	.patience	= MAX_SCHEDULE_TIMEOUT,
	.sizes		= wsq_blocks_sizes,
	.bytes		= wsq_engine_bwos_bytes,
	.init		= wsq_engine_bwos_init,
	.create		= wsq_engine_bwos_create,
	.create_more	= wsq_engine_bwos_create_more,
	.extend		= wsq_engine_bwos_extend,
	.mount		= wsq_engine_bwos_mount,
	.unmount	= wsq_engine_bwos_unmount,
};
