// SPDX-License-Identifier: GPL-2.0
/*
 * FIFO BWoS as an engine, its memory. Cost: a cache line of positions for each
 * writer, 192 bytes a block. Limitations: it grows by as many blocks as there
 * are, and shrinks only when all of its memory is freed.
 */
#include <linux/err.h>
#include <linux/preempt.h>

#include "../../compat/export.h"
#include "../blocks.h"
#include "../engine.h"
#include "../../pool/grow.h"
#include "../../pool/pool.h"

/**
 * struct wsq_engine_bwos - memory of a FIFO BWoS engine
 * @head: common header
 * @mem: its parts
 */
struct wsq_engine_bwos {
	struct wsq_engine head;
	struct wsq_bwos_mem mem;
};

/**
 * struct wsq_bwos_more - a further memory segment of an engine
 * @head: common header
 * @segment: its parts
 */
struct wsq_bwos_more {
	struct wsq_engine head;
	struct wsq_bwos_segment segment;
};

/* The block of engines without memory. Never written. */
static struct wsq_bwos_block wsq_no_block;

static size_t wsq_engine_bwos_fifo_bytes(u32 blocks, u32 max_blocks, u32 block_size)
{
	return wsq_blocks_bytes(sizeof(struct wsq_engine_bwos),
				sizeof(struct wsq_bwos_block), blocks,
				max_blocks, block_size);
}

static void wsq_engine_bwos_fifo_init(struct wsq_container *ct)
{
	wsq_bwos_fifo_init(&ct->state.bwos_fifo, &wsq_no_block);
}

static struct wsq_engine *wsq_engine_bwos_fifo_create(const struct wsq_container *ct,
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

/* Number of blocks by which an engine may grow now; 0 without memory. */
static u32 wsq_engine_bwos_fifo_may_grow(const struct wsq_engine *engine)
{
	return engine ? wsq_blocks_may_grow(&container_of(engine, const struct wsq_engine_bwos,
							  head)->mem.dir) : 0;
}

/* Allocate as many blocks as there are, and a spare one. */
static struct wsq_engine *wsq_engine_bwos_fifo_create_more(const struct wsq_container *ct,
							   int node)
{
	struct wsq_blocks_layout l;
	struct wsq_bwos_more *more;
	u32 nr;

	/* Keeps the memory, which may be freed at any time. */
	preempt_disable();
	nr = wsq_engine_bwos_fifo_may_grow(READ_ONCE(ct->engine));
	preempt_enable();
	if (!nr)
		return NULL;
	more = wsq_blocks_create_more(ct, node, sizeof(*more),
				      sizeof(struct wsq_bwos_block),
				      nr + WSQ_SPARE_MORE, &l);
	if (!more)
		return ERR_PTR(-ENOMEM);
	wsq_blocks_fill_segment(&more->segment, more, &l, nr, WSQ_SPARE_MORE);
	return &more->head;
}

/* Attach a further segment. */
static void wsq_engine_bwos_fifo_extend(struct wsq_container *ct, struct wsq_engine *engine)
{
	wsq_bwos_fifo_extend(&ct->state.bwos_fifo,
			     &container_of(engine, struct wsq_bwos_more,
					   head)->segment);
}

/**
 * wsq_engine_bwos_fifo_more() - attach an offered segment, or ask for one
 * @ct: container of this CPU
 * @ret: %WSQ_PUBLISHED if a put has started a block, %WSQ_FULL if it found no
 *	space
 *
 * Asks for a segment if the producer is in the last block that was free.
 *
 * Context: the producer.
 * Return: true if a put that found no space shall try again.
 */
bool wsq_engine_bwos_fifo_more(struct wsq_container *ct, int ret)
{
	bool grown = false;

	if (likely(!ct->pool->growth) || !ct->engine)
		return false;
	if (wsq_grow_offered(ct) && wsq_get_begin(ct)) {
		wsq_engine_extend(ct);
		wsq_get_end(ct);
		grown = true;
	}
	if (wsq_bwos_fifo_short(&ct->state.bwos_fifo) && wsq_engine_bwos_fifo_may_grow(ct->engine))
		wsq_grow_ask(ct);
	return grown && ret == WSQ_FULL;
}
WSQ_EXPORT_KUNIT(wsq_engine_bwos_fifo_more);

static void wsq_engine_bwos_fifo_attach(struct wsq_container *ct, struct wsq_engine *engine)
{
	wsq_bwos_fifo_attach(&ct->state.bwos_fifo,
			     &container_of(engine, struct wsq_engine_bwos,
					   head)->mem);
}

/* Detach an empty engine's memory. */
static bool wsq_engine_bwos_fifo_detach(struct wsq_container *ct)
{
	return wsq_bwos_fifo_detach(&ct->state.bwos_fifo);
}

/* Puts to a block that is open to thieves do not tell: such a block counts. */
static bool wsq_engine_bwos_fifo_drained(struct wsq_container *ct)
{
	return wsq_bwos_fifo_shut(&ct->state.bwos_fifo);
}

const struct wsq_engine_ops wsq_engine_bwos_fifo_ops = {
	.name		= "bwos_fifo",
	.space_timeout	= MAX_SCHEDULE_TIMEOUT,
	.sizes		= wsq_blocks_sizes,
	.bytes		= wsq_engine_bwos_fifo_bytes,
	.drained	= wsq_engine_bwos_fifo_drained,
	.init		= wsq_engine_bwos_fifo_init,
	.create		= wsq_engine_bwos_fifo_create,
	.create_more	= wsq_engine_bwos_fifo_create_more,
	.extend		= wsq_engine_bwos_fifo_extend,
	.attach		= wsq_engine_bwos_fifo_attach,
	.detach		= wsq_engine_bwos_fifo_detach,
};
