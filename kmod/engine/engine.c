// SPDX-License-Identifier: GPL-2.0
/*
 * Engines, the parts outside the fast path: sizes, and attaching and detaching
 * memory. See engine.h.
 */
#include "../compat/export.h"
#include "alloc.h"
#include "engine.h"
#include "../pool/grow.h"
#include "../pool/overflow.h"
#include "../pool/pool.h"

#define WSQ_ENGINE_ROW(type, name, ...)	\
	[type] = &wsq_engine_##name##_ops,

/**
 * wsq_engine_ops() - an engine's operations outside the fast path
 * @kind: which engine
 *
 * Context: any.
 * Return: its operations; %NULL if there is no such engine.
 */
const struct wsq_engine_ops *wsq_engine_ops(enum wsq_engine_type kind)
{
	static const struct wsq_engine_ops *const engines[] = {
		WSQ_ALL_ENGINES(WSQ_ENGINE_ROW)
	};

	return (unsigned int)kind < ARRAY_SIZE(engines) ? engines[kind] : NULL;
}
WSQ_EXPORT_KUNIT(wsq_engine_ops);

/**
 * wsq_engine_sizes() - sizes of containers, from attributes
 * @kind: which engine
 * @blocks: as in struct wsq_attrs, 0 for the default; the resulting number is
 *	stored there
 * @max_blocks: likewise
 * @block_size: likewise
 *
 * Context: any.
 * Return: true if they are within bounds.
 */
bool wsq_engine_sizes(enum wsq_engine_type kind, u32 *blocks, u32 *max_blocks,
		      u32 *block_size)
{
	return wsq_engine_ops(kind)->sizes(blocks, max_blocks, block_size);
}

/**
 * wsq_engine_bytes() - memory of an engine that has not grown, at most
 * @kind: which engine
 * @blocks: as wsq_engine_sizes() stored it
 * @max_blocks: likewise
 * @block_size: likewise
 *
 * Context: any.
 * Return: bytes, to the page.
 */
size_t wsq_engine_bytes(enum wsq_engine_type kind, u32 blocks, u32 max_blocks,
			u32 block_size)
{
	return wsq_engine_ops(kind)->bytes(blocks, max_blocks, block_size);
}
WSQ_EXPORT_KUNIT(wsq_engine_bytes);

/**
 * wsq_engine_init() - initialize a container's engine, without memory
 * @ct: the container; @kind and @pool are set
 *
 * It is full for puts and empty for all others.
 *
 * Context: before any other context knows @ct.
 */
void wsq_engine_init(struct wsq_container *ct)
{
	const struct wsq_engine_ops *ops = wsq_engine_ops(ct->kind);

	if (ops->init)
		ops->init(ct);
}

/**
 * wsq_engine_cpu_dead() - a container's CPU is gone
 * @ct: the container
 *
 * Context: task. No context is producer or consumer.
 */
void wsq_engine_cpu_dead(struct wsq_container *ct)
{
	const struct wsq_engine_ops *ops = wsq_engine_ops(ct->kind);

	if (ops->cpu_dead)
		ops->cpu_dead(ct);
}

/**
 * wsq_engine_settle() - wait until no context writes to an engine's memory
 * @ct: the container, of a pool that is no longer used
 *
 * Context: task; may sleep.
 */
void wsq_engine_settle(const struct wsq_container *ct)
{
	const struct wsq_engine_ops *ops = wsq_engine_ops(ct->kind);

	if (ops->settle)
		ops->settle(ct);
}

/**
 * wsq_engine_create() - allocate an engine's memory
 * @ct: the container it is for
 * @node: the node whose memory to use
 *
 * Context: task; may sleep.
 * Return: the memory, for wsq_engine_destroy(), or %NULL.
 */
struct wsq_engine *wsq_engine_create(const struct wsq_container *ct, int node)
{
	return wsq_engine_ops(ct->kind)->create(ct, node);
}

/**
 * wsq_engine_create_more() - allocate more memory for an engine
 * @ct: the container it is for
 * @node: the node whose memory to use
 *
 * Context: task; may sleep.
 * Return: the memory, for wsq_engine_destroy(); ERR_PTR() of %-ENOMEM; %NULL if
 * the engine is given none, because it has gone or has all that it may have.
 */
struct wsq_engine *wsq_engine_create_more(const struct wsq_container *ct,
					  int node)
{
	return wsq_engine_ops(ct->kind)->create_more(ct, node);
}

/**
 * wsq_engine_destroy() - free all memory segments of an engine
 * @engine: the memory, no longer in use, or %NULL
 *
 * Context: task; may sleep.
 */
void wsq_engine_destroy(struct wsq_engine *engine)
{
	while (engine) {
		struct wsq_engine *next = engine->next;

		wsq_engine_free(engine);
		engine = next;
	}
}
WSQ_EXPORT_KUNIT(wsq_engine_destroy);

/**
 * wsq_engine_extend() - attach the memory segment that an engine was offered
 * @ct: container of this CPU, with memory
 *
 * Context: any; producer and consumer.
 */
void wsq_engine_extend(struct wsq_container *ct)
{
	struct wsq_engine *more = wsq_grow_take(ct);

	if (!more)
		return;
	more->next = ct->engine->next;
	ct->engine->next = more;
	wsq_engine_ops(ct->kind)->extend(ct, more);
	wsq_grow_done(ct);
	wsq_overflow_kick(ct->pool);
}

/**
 * wsq_engine_attach() - attach an engine's memory
 * @ct: the container, without engine memory
 * @engine: the memory
 *
 * Context: before any other context knows @ct, or as its producer and consumer.
 * Ordering: thieves that see the memory see it as it was attached.
 */
void wsq_engine_attach(struct wsq_container *ct, struct wsq_engine *engine)
{
	wsq_engine_ops(ct->kind)->attach(ct, engine);
	/* Initialize before publishing: SALSA's thieves use this pointer. */
	smp_store_release(&ct->engine, engine);		/* MO(attach:A) */
}

/**
 * wsq_engine_offer() - leave memory for a container's CPU to attach
 * @ct: the container
 * @engine: the memory, %NULL if there is none
 *
 * Context: task, one at a time for @ct.
 * Return: true if there was memory to offer.
 */
bool wsq_engine_offer(struct wsq_container *ct, struct wsq_engine *engine)
{
	if (engine)
		/*
		 * Pairs with the exchange in wsq_engine_accept(). If the CPU
		 * asked again before it saw the last offer, that offer is
		 * freed.
		 */
		wsq_engine_destroy(xchg(&ct->offered, engine)); /* OF(offer:A) */
	/* A CPU that sees this sees the offer. */
	smp_store_release(&ct->wanted, false);		/* OF(offer:B) */
	return engine;
}

/**
 * wsq_engine_accept() - attach offered memory
 * @ct: container of this CPU, or a dead CPU's that this CPU has adopted
 *
 * Context: task, with preemption off.
 * Return: true if the engine has memory now.
 */
bool wsq_engine_accept(struct wsq_container *ct)
{
	bool done = false;

	if (!READ_ONCE(ct->offered) || ct->engine)
		return ct->engine;
	if (!wsq_put_begin(ct))
		return false;
	if (wsq_get_begin(ct)) {
		/* OF(accept:A): Maintenance work may have taken it back. */
		struct wsq_engine *engine = xchg(&ct->offered, NULL);

		if (engine) {
			wsq_engine_attach(ct, engine);
			done = true;
		}
		wsq_get_end(ct);
	}
	wsq_put_end(ct);
	return done;
}

/**
 * wsq_engine_give_back() - free an idle engine's memory
 * @ct: container of this CPU
 *
 * Context: task, with preemption off.
 * Return: true if there is none any more.
 */
bool wsq_engine_give_back(struct wsq_container *ct)
{
	bool done = false;

	if (!ct->engine)
		return true;
	if (!wsq_put_begin(ct))
		return false;
	if (wsq_get_begin(ct)) {
		/* From now on no context can find the memory. */
		done = wsq_engine_ops(ct->kind)->detach(ct);
		if (done) {
			struct wsq_engine *engine = ct->engine, *next;

			WRITE_ONCE(ct->engine, NULL);
			for (; engine; engine = next) {
				next = engine->next;
				/* Thieves may still look. */
				wsq_engine_free_rcu(engine);
			}
		}
		wsq_get_end(ct);
	}
	wsq_put_end(ct);
	return done;
}

/**
 * wsq_engine_pool_init() - initialize what a pool's containers share
 * @pool: the pool; kind and sizes are set
 *
 * Context: task; may sleep.
 * Return: 0 or a negative errno.
 */
int wsq_engine_pool_init(struct wsq_pool *pool)
{
	const struct wsq_engine_ops *ops = wsq_engine_ops(pool->kind);

	return ops->pool_init ? ops->pool_init(pool) : 0;
}

/**
 * wsq_engine_pool_exit() - free what a pool's containers share
 * @pool: the pool, whose containers are gone
 *
 * Context: task; may sleep.
 */
void wsq_engine_pool_exit(struct wsq_pool *pool)
{
	const struct wsq_engine_ops *ops = wsq_engine_ops(pool->kind);

	if (ops->pool_exit)
		ops->pool_exit(pool);
}

/**
 * wsq_engine_was_empty() - was a pointer pool empty at some moment
 * @pool: the pool
 *
 * Context: task, interrupts on, preemption off.
 * Return: 1 if so; 0 if a task was seen, or tasks were taken during the
 * call; %-EOPNOTSUPP if the engine cannot tell.
 */
int wsq_engine_was_empty(const struct wsq_pool *pool)
{
	const struct wsq_engine_ops *ops = wsq_engine_ops(pool->kind);

	return ops->was_empty ? ops->was_empty(pool) : -EOPNOTSUPP;
}

/**
 * wsq_engine_drained() - has a pointer pool's engine nothing more for thieves
 * @ct: the container, where a thief has found nothing
 *
 * Context: any, with preemption off.
 * Return: true if thieves can find nothing before the next wsq_reach_set(),
 * by the engine or after a put that returned %WSQ_PUBLISHED.
 */
bool wsq_engine_drained(struct wsq_container *ct)
{
	return wsq_engine_ops(ct->kind)->drained(ct);
}
