// SPDX-License-Identifier: GPL-2.0
/*
 * FIFO BWoS as an engine, its memory. Costs: positions of a cache line for each
 * writer, 192 bytes a block. Limitations: sizes are those of the pool, and do not
 * change.
 */
#include "blocks.h"
#include "engine.h"

/**
 * struct wsq_engine_bwos - memory of an engine that is FIFO BWoS
 * @head: what all engines' memory has
 * @mem: its parts
 */
struct wsq_engine_bwos {
	struct wsq_engine head;
	struct wsq_bwos_mem mem;
};

/* Stands for the blocks of engines without memory. Nobody writes to it. */
static struct wsq_bwos_block wsq_no_block;

/**
 * wsq_engine_bwos_bytes() - wsq_engine_bytes()
 * @blocks: as there
 * @block_size: as there
 *
 * Context: any.
 * Return: as there.
 */
size_t wsq_engine_bwos_bytes(u32 blocks, u32 block_size)
{
	return wsq_blocks_bytes(sizeof(struct wsq_engine_bwos),
				sizeof(struct wsq_bwos_block), blocks,
				block_size);
}

/**
 * wsq_engine_bwos_init() - wsq_engine_init()
 * @ct: as there
 *
 * Context: as there.
 */
void wsq_engine_bwos_init(struct wsq_container *ct)
{
	wsq_bwos_fifo_init(&ct->bwos, &wsq_no_block);
}

/**
 * wsq_engine_bwos_create() - wsq_engine_create()
 * @ct: as there
 * @node: as there
 *
 * Context: as there.
 * Return: as there.
 */
struct wsq_engine *wsq_engine_bwos_create(const struct wsq_container *ct,
					  int node)
{
	struct wsq_blocks_layout l;
	struct wsq_engine_bwos *engine =
		wsq_blocks_create(ct, node, sizeof(*engine),
				  sizeof(*engine->mem.blocks), &l);

	if (!engine)
		return NULL;
	wsq_blocks_fill(&engine->mem, engine, &l, ct);
	return &engine->head;
}

/**
 * wsq_engine_bwos_mount() - wsq_engine_mount()
 * @ct: as there
 * @engine: as there
 *
 * Context: as there.
 */
void wsq_engine_bwos_mount(struct wsq_container *ct, struct wsq_engine *engine)
{
	wsq_bwos_fifo_mount(&ct->bwos,
			    &container_of(engine, struct wsq_engine_bwos,
					  head)->mem);
}

/**
 * wsq_engine_bwos_unmount() - take an empty engine's memory away
 * @ct: the container
 *
 * Context: its producer and consumer.
 * Return: true if it was empty.
 */
bool wsq_engine_bwos_unmount(struct wsq_container *ct)
{
	return wsq_bwos_fifo_unmount(&ct->bwos);
}
