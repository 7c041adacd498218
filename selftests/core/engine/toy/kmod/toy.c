// SPDX-License-Identifier: GPL-2.0
/*
 * The toy engine, its memory and what is too long to be inline. See toy.h.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/preempt.h>

#include "../../compat/export.h"
#include "../alloc.h"
#include "../engine.h"
#include "../../pool/grow.h"
#include "../../pool/pool.h"

#define TOY_MIN		2
#define TOY_MAX_BLOCKS	64
#define TOY_MAX_SIZE	4096

/**
 * struct wsq_toy_more - a further memory segment: the permission to use more
 * @head: common header
 * @nr: number of slots
 */
struct wsq_toy_more {
	struct wsq_engine head;
	u32 nr;
};

static bool wsq_engine_toy_sizes(u32 *blocks, u32 *max_blocks, u32 *block_size)
{
	*blocks = *blocks ?: WSQ_DEF_BLOCKS;
	*max_blocks = *max_blocks ?: *blocks;
	*block_size = *block_size ?: WSQ_DEF_BLOCK_SIZE;
	return *blocks >= TOY_MIN && *blocks <= *max_blocks &&
	       *max_blocks <= TOY_MAX_BLOCKS && *block_size >= TOY_MIN &&
	       *block_size <= TOY_MAX_SIZE;
}

static u32 wsq_toy_slots(u32 max_blocks, u32 block_size)
{
	return roundup_pow_of_two(max_blocks * block_size);
}

static size_t wsq_engine_toy_bytes(u32 blocks, u32 max_blocks, u32 block_size)
{
	const struct wsq_engine_toy *toy;

	return PAGE_ALIGN(struct_size(toy, slots,
				      wsq_toy_slots(max_blocks, block_size)));
}

static struct wsq_engine *wsq_engine_toy_create(const struct wsq_container *ct,
						int node)
{
	const struct wsq_pool *pool = ct->pool;
	struct wsq_engine_toy *toy;

	toy = wsq_engine_alloc(wsq_engine_toy_bytes(pool->blocks,
						    pool->max_blocks,
						    pool->block_size),
			       node, GFP_KERNEL);
	if (!toy)
		return NULL;
	raw_spin_lock_init(&toy->lock);
	toy->max = pool->max_blocks * pool->block_size;
	toy->max_blocks = pool->max_blocks;
	toy->ring.slots = toy->slots;
	toy->ring.nr = wsq_toy_slots(pool->max_blocks, pool->block_size);
	toy->ring.limit = pool->blocks * pool->block_size;
	return &toy->head;
}

/* By as much as there is, or as is left up to the maximum. */
static struct wsq_engine *
wsq_engine_toy_create_more(const struct wsq_container *ct, int node)
{
	const struct wsq_engine_toy *toy;
	struct wsq_toy_more *more;
	u32 nr = 0, now;

	/* Keeps the memory, which may be freed at any time. */
	preempt_disable();
	toy = wsq_engine_toy(ct);
	if (toy) {
		now = READ_ONCE(toy->ring.limit);
		nr = min(now, toy->max - now);
	}
	preempt_enable();
	if (!nr)
		return NULL;
	more = wsq_engine_alloc(sizeof(*more), node, GFP_KERNEL | __GFP_NOWARN);
	if (!more)
		return ERR_PTR(-ENOMEM);
	more->nr = nr;
	return &more->head;
}

static void wsq_engine_toy_extend(struct wsq_container *ct,
				  struct wsq_engine *engine)
{
	u32 nr = container_of(engine, struct wsq_toy_more, head)->nr;
	struct wsq_engine_toy *toy = wsq_engine_toy(ct);

	/* Only the producer reads the limit to decide, and this is the producer. */
	WRITE_ONCE(toy->ring.limit, min(toy->ring.limit + nr, toy->max));
}

/**
 * wsq_engine_toy_more() - attach an offered segment, or ask for one
 * @ct: container of this CPU, with memory
 *
 * Asks if less than a block is left.
 *
 * Context: the producer.
 * Return: true if there is more space now.
 */
bool wsq_engine_toy_more(struct wsq_container *ct)
{
	struct wsq_engine_toy *toy = wsq_engine_toy(ct);
	bool grown = false, unused = false;

	if (likely(!ct->pool->growth))
		return false;
	if (wsq_grow_offered(ct) && wsq_get_begin(ct)) {
		wsq_engine_extend(ct);
		wsq_get_end(ct);
		grown = true;
	}
	if (READ_ONCE(toy->ring.limit) < toy->max &&
	    wsq_engine_toy_space(ct, &unused) < ct->pool->block_size)
		wsq_grow_ask(ct);
	return grown;
}
WSQ_EXPORT_KUNIT(wsq_engine_toy_more);

/**
 * wsq_engine_toy_take() - take the oldest tasks
 * @ct: any container
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: any but NMI; any CPU, with preemption off.
 * Return: how many were taken.
 * Ordering: full barrier if any was taken.
 */
unsigned int wsq_engine_toy_take(struct wsq_container *ct, void **tasks,
				 unsigned int max)
{
	struct wsq_engine_toy *toy = wsq_engine_toy(ct);
	unsigned long flags;
	unsigned int nr;

	/* The consumer sees its own CPU's puts; thieves try again anyway. */
	if (!toy || !READ_ONCE(toy->ring.used))
		return 0;
	raw_spin_lock_irqsave(&toy->lock, flags);
	nr = toy_ring_take(&toy->ring, tasks, max);
	raw_spin_unlock_irqrestore(&toy->lock, flags);
	/* wsq_engine_claim() promises it, and unlocking is a release only. */
	smp_mb();
	return nr;
}
WSQ_EXPORT_KUNIT(wsq_engine_toy_take);

/* Implements wsq_engine_remove(). */
bool wsq_engine_toy_remove(struct wsq_container *ct, u32 slot,
			   struct wsq_link *link)
{
	struct wsq_engine_toy *toy = wsq_engine_toy(ct);
	unsigned long flags;
	bool was;

	if (!toy)
		return false;
	raw_spin_lock_irqsave(&toy->lock, flags);
	was = toy_ring_remove(&toy->ring, slot, link);
	raw_spin_unlock_irqrestore(&toy->lock, flags);
	/* As in wsq_engine_toy_take(). */
	smp_mb();
	return was;
}
WSQ_EXPORT_KUNIT(wsq_engine_toy_remove);

/* The memory is ready; thieves get it from @engine of the container. */
static void wsq_engine_toy_attach(struct wsq_container *ct,
				  struct wsq_engine *engine)
{
}

/* A thief that has the address finds an empty ring. */
static bool wsq_engine_toy_detach(struct wsq_container *ct)
{
	return !wsq_engine_toy_used(ct);
}

/* The put of the first task returns %WSQ_PUBLISHED. */
static bool wsq_engine_toy_drained(struct wsq_container *ct)
{
	return !wsq_engine_toy_used(ct);
}

const struct wsq_engine_ops wsq_engine_toy_ops = {
	.name		= "toy",
	.space_timeout	= MAX_SCHEDULE_TIMEOUT,
	.sizes		= wsq_engine_toy_sizes,
	.bytes		= wsq_engine_toy_bytes,
	.drained	= wsq_engine_toy_drained,
	.create		= wsq_engine_toy_create,
	.create_more	= wsq_engine_toy_create_more,
	.extend		= wsq_engine_toy_extend,
	.attach		= wsq_engine_toy_attach,
	.detach		= wsq_engine_toy_detach,
};
