/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine interface: what kmod/pool and kmod/exec need from the algorithm
 * that moves a container's tasks.
 *
 * A pool has one kind of engine, which its containers know (@kind). Operations
 * are inline: a switch on that constant and the algorithm's own inline
 * function. There are no function pointers, because the call would cost more
 * than the operation. The cases come from the rows of engines.def, so the
 * compiler reports every operation that an engine lacks. Everything outside the
 * fast path is in struct wsq_engine_ops.
 *
 * Pointer pools move pointers (put, get, steal). Queues move items that have a
 * struct wsq_link and may be removed one by one (put_link, claim, steal_claim,
 * steal_active, remove). A container uses only one of the two sets. Engines of
 * WSQ_POOL_ENGINES have no operations of queues.
 *
 * The table says which pairs may run at the same time. Producer and consumer
 * are roles of container.h, on one CPU. They interrupt each other between any
 * two instructions, but never themselves. If one must not interrupt the other
 * (LIFO BWoS has one owner, which puts and gets), the engine enforces that by
 * the flags of the roles, and the table still holds:
 *
 *		 producer  consumer  thief	others
 *	put	 no	   yes	     yes	yes
 *	get	 yes	   no	     yes	yes
 *	steal	 yes	   yes	     yes	yes
 *	remove	 yes	   yes	     yes	yes
 *	attach	 no	   no	     yes	yes
 *
 * A context that holds both roles may call any operation. Every caller has
 * preemption off.
 *
 * Every engine must ensure: a task comes out once (@at_least_once: at least once,
 * and at most once on each CPU). The consumer finds a task
 * that stays in the engine in a bounded number of calls. So do thieves, by
 * steal and steal_active, as long as they keep trying. No operation waits,
 * sleeps or allocates, and each has a time bound that does not depend on other
 * contexts.
 *
 * Memory: one segment for each container, of its node. A pointer pool and a
 * resident queue have it from the start. Any other queue's container gets it
 * when it is busy, and frees it when it is idle: a thousand queues that are
 * used occasionally must not hold a thousand times the memory of a busy one on
 * every CPU. Puts allocate nothing. Memory is allocated and offered in task
 * context (kmod/exec/engine_memory.c), attached by the context that is producer
 * and consumer on the CPU, and freed after a grace period. That is common to
 * all engines (engine.c).
 *
 * An engine that is short of space may ask for more, and gets a further memory
 * segment in the same way (grow.c). All segments are freed with the first one.
 *
 *	OF(offer:A) full -> OF(accept:A), OF(drop:A) full
 *		Memory is seen as initialized. litmus/pool-offer.litmus
 *	OF(offer:B): OF(offer:A), before it, does its work.
 *		litmus/pool-wanted.litmus
 *	MO(attach:A) release -> a thief's look at @engine, by its address
 *		As above, for thieves. litmus/pool-engine.litmus
 *
 * To add an engine, add a row to engines.def, and a folder NAME. NAME/NAME.h
 * has each operation of this file as wsq_engine_NAME_put() and so on, with the
 * same arguments; NAME/NAME.c has wsq_engine_NAME_ops and the slow paths. The
 * algorithm is in kmod/core. tools/check/engine adds one,
 * selftests/core/engine/toy, to a copy of the tree.
 */
#ifndef _WSQ_ENGINE_H
#define _WSQ_ENGINE_H

#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../pool/container.h"

/* Call operation @op of engine @kind. All engines' @op have the same type. */
#define wsq_engine_do(kind, op, ...)					\
	wsq_engine_do_of(WSQ_ALL_ENGINES, kind, op, __VA_ARGS__)

/* The same for operations that only queues need. */
#define wsq_engine_do_queue(kind, op, ...)				\
	wsq_engine_do_of(WSQ_ENGINES, kind, op, __VA_ARGS__)

#define wsq_engine_do_of(engines, kind, op, ...)			\
({									\
	typeof(wsq_engine_bwos_fifo_##op(__VA_ARGS__)) __ret;		\
									\
	/* A row's type need not be in the enum. */			\
	switch ((u32)(kind)) {						\
	default:							\
		/* unreachable() leaves a compare and a branch */	\
		__builtin_unreachable();				\
	engines(WSQ_ENGINE_OP, __ret, op, __VA_ARGS__)			\
	}								\
	__ret;								\
})

#define WSQ_ENGINE_OP(type, name, state, ret, op, ...)		\
	case type:							\
		ret = wsq_engine_##name##_##op(__VA_ARGS__);		\
		break;

/**
 * struct wsq_engine - header of each memory segment of an engine
 * @rcu: to free it
 * @next: next memory segment. Own CPU, as producer and consumer
 * @pages: how many pages it has of a block of pages; 0 if it is of kvmalloc().
 *	Constant
 */
struct wsq_engine {
	struct rcu_head rcu;
	struct wsq_engine *next;
	u32 pages;
};

/**
 * struct wsq_engine_ops - an engine's operations outside the fast path
 * @name: its name, as in engines.def
 * @moves_chunks: thieves of a pointer pool take a whole chunk. Every CPU has a
 *	container of a pointer pool, even if it is not a member
 * @thieves_reach_all: thieves can take every task of a pointer pool's container,
 *	so no other CPU need be the consumer of a dead CPU's
 * @at_least_once: a task may come out on several CPUs
 * @newest_first: a CPU runs first what it was given last
 * @space_timeout: timeout in jiffies after which a put that waits for space
 *	retries without a wake-up: with some engines space appears by time alone
 * @sizes: wsq_engine_sizes()
 * @bytes: wsq_engine_bytes()
 * @pool_init: wsq_engine_pool_init(); %NULL if containers share nothing
 * @pool_exit: wsq_engine_pool_exit(); likewise
 * @was_empty: wsq_engine_was_empty(); %NULL if the engine cannot tell
 * @drained: wsq_engine_drained()
 * @init: wsq_engine_init(); %NULL if all state is in its memory
 * @cpu_dead: wsq_engine_cpu_dead(); %NULL if there is nothing to do
 * @settle: wsq_engine_settle(); likewise
 * @create: wsq_engine_create()
 * @create_more: wsq_engine_create_more()
 * @extend: use what @create_more has made. Producer and consumer
 * @attach: use what @create has made; the caller sets @engine of the container
 * @detach: detach an empty engine's memory; false if it is not empty. Producer
 *	and consumer
 */
struct wsq_engine_ops {
	const char *name;
	bool moves_chunks;
	bool thieves_reach_all;
	bool at_least_once;
	bool newest_first;
	long space_timeout;
	bool (*sizes)(u32 *blocks, u32 *max_blocks, u32 *block_size);
	size_t (*bytes)(u32 blocks, u32 max_blocks, u32 block_size);
	int (*pool_init)(struct wsq_pool *pool);
	void (*pool_exit)(struct wsq_pool *pool);
	int (*was_empty)(const struct wsq_pool *pool);
	bool (*drained)(struct wsq_container *ct);
	void (*init)(struct wsq_container *ct);
	void (*cpu_dead)(struct wsq_container *ct);
	void (*settle)(const struct wsq_container *ct);
	struct wsq_engine *(*create)(const struct wsq_container *ct, int node);
	struct wsq_engine *(*create_more)(const struct wsq_container *ct,
					  int node);
	void (*extend)(struct wsq_container *ct, struct wsq_engine *engine);
	void (*attach)(struct wsq_container *ct, struct wsq_engine *engine);
	bool (*detach)(struct wsq_container *ct);
};

#define WSQ_ENGINE_HEADERS
#include "engines.def"

const struct wsq_engine_ops *wsq_engine_ops(enum wsq_engine_type kind);
bool wsq_engine_sizes(enum wsq_engine_type kind, u32 *blocks, u32 *max_blocks,
		      u32 *block_size);
size_t wsq_engine_bytes(enum wsq_engine_type kind, u32 blocks, u32 max_blocks,
			u32 block_size);
int wsq_engine_was_empty(const struct wsq_pool *pool);
bool wsq_engine_drained(struct wsq_container *ct);
int wsq_engine_pool_init(struct wsq_pool *pool);
void wsq_engine_pool_exit(struct wsq_pool *pool);
void wsq_engine_init(struct wsq_container *ct);
void wsq_engine_cpu_dead(struct wsq_container *ct);
void wsq_engine_settle(const struct wsq_container *ct);
struct wsq_engine *wsq_engine_create(const struct wsq_container *ct, int node);
struct wsq_engine *wsq_engine_create_more(const struct wsq_container *ct,
					  int node);
void wsq_engine_destroy(struct wsq_engine *engine);
void wsq_engine_extend(struct wsq_container *ct);
void wsq_engine_attach(struct wsq_container *ct, struct wsq_engine *engine);
bool wsq_engine_offer(struct wsq_container *ct, struct wsq_engine *engine);
bool wsq_engine_accept(struct wsq_container *ct);
bool wsq_engine_give_back(struct wsq_container *ct);

/* Pointer pools. */

/**
 * wsq_engine_put() - append a task
 * @ct: container of this CPU
 * @task: the task, not %NULL
 *
 * Context: any, NMI included; the producer.
 * Return: %WSQ_OK; %WSQ_PUBLISHED if thieves can reach more from now on;
 * %WSQ_FULL, also without memory.
 * Ordering: what precedes the call is visible to the context that takes the
 * task.
 */
static inline int wsq_engine_put(struct wsq_container *ct, void *task)
{
	return wsq_engine_do(ct->kind, put, ct, task);
}

/**
 * wsq_engine_put_many() - append several tasks
 * @ct: container of this CPU
 * @tasks: the tasks
 * @nr: how many
 * @published: set to true if one of them was %WSQ_PUBLISHED, otherwise left
 *	alone
 *
 * Context: any, NMI included; the producer. Takes time proportional to @nr.
 * Return: how many were put, from the front; less than @nr if the engine is
 * full.
 * Ordering: as wsq_engine_put().
 */
static inline unsigned int wsq_engine_put_many(struct wsq_container *ct,
					       void *const *tasks,
					       unsigned int nr, bool *published)
{
	return wsq_engine_do(ct->kind, put_many, ct, tasks, nr, published);
}

/**
 * wsq_engine_get() - take a task, roughly the oldest or the newest one
 * @ct: container of this CPU, or a dead CPU's that this CPU has adopted
 *
 * Context: any but NMI; the consumer.
 * Return: the task; %NULL if there is none that thieves have not claimed.
 * Ordering: sees what the put saw.
 */
static inline void *wsq_engine_get(struct wsq_container *ct)
{
	return wsq_engine_do(ct->kind, get, ct);
}

/**
 * wsq_engine_get_many() - take several tasks
 * @ct: container of this CPU, or a dead CPU's that this CPU has adopted
 * @tasks: where to store them
 * @nr: how many at most
 *
 * Context: any but NMI; the consumer. Takes time proportional to @nr.
 * Return: how many were taken; 0 if there is none.
 * Ordering: as wsq_engine_get().
 */
static inline unsigned int wsq_engine_get_many(struct wsq_container *ct,
					       void **tasks, unsigned int nr)
{
	return wsq_engine_do(ct->kind, get_many, ct, tasks, nr);
}

/**
 * wsq_engine_steal() - steal tasks from another CPU
 * @ct: the victim
 * @me: container of this CPU, %NULL if it has none. A batch that the engine
 *	moves as a whole goes there beyond @max, if the consumer's role is free
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: any but NMI; any CPU, on @me's CPU. If an engine can steal from some
 * victims only in task context, it takes nothing from them in other contexts.
 * Return: how many were taken; %WSQ_EMPTY if none is stealable; %WSQ_CONFLICT
 * if other thieves were faster.
 * Ordering: as wsq_engine_get().
 */
static inline int wsq_engine_steal(struct wsq_container *ct,
				   struct wsq_container *me, void **tasks,
				   unsigned int max)
{
	return wsq_engine_do(ct->kind, steal, ct, me, tasks, max);
}

/**
 * wsq_engine_steal_at() - steal tasks from one block of another CPU
 * @ct: the victim
 * @me: as in wsq_engine_steal()
 * @index: directory index that wsq_engine_sample() stored
 * @tasks: where to store them
 * @max: how many at most
 *
 * An engine without a directory ignores @index.
 *
 * Context: as wsq_engine_steal().
 * Return: as wsq_engine_steal(), or %WSQ_DONE; there may be more elsewhere.
 * Ordering: as wsq_engine_get().
 */
static inline int wsq_engine_steal_at(struct wsq_container *ct,
				      struct wsq_container *me, u32 index,
				      void **tasks, unsigned int max)
{
	return wsq_engine_do(ct->kind, steal_at, ct, me, index, tasks, max);
}

/**
 * wsq_engine_space() - number of tasks that certainly fit
 * @ct: container of this CPU
 * @published: set to true as wsq_engine_put_many() does
 *
 * Context: any but NMI; producer and consumer, until they are put.
 * Return: slots left in the block that puts go to, after a new one was started
 * if it was full; 0 if the engine is full, or cannot tell.
 */
static inline unsigned int wsq_engine_space(struct wsq_container *ct,
					    bool *published)
{
	return wsq_engine_do(ct->kind, space, ct, published);
}

/**
 * wsq_engine_steal_async() - has this CPU an asynchronous steal in progress
 * @me: container of this CPU, %NULL if it has none
 *
 * Some steals take a while, during which wsq_engine_steal() tries other
 * victims. wsq_engine_get() of @me returns the result.
 *
 * Context: any but NMI, with preemption off; on @me's CPU.
 * Return: true if so, and if the caller may wait for it: until then no CPU can
 * take the tasks being stolen.
 */
static inline bool wsq_engine_steal_async(const struct wsq_container *me)
{
	if (!me)
		return false;
	return wsq_engine_do(me->kind, steal_async, me);
}

/* Queues. */

/**
 * wsq_engine_put_link() - append an item
 * @ct: container of this CPU
 * @link: the item's link, owned by the caller
 * @where: what to store in @link->where besides the slot
 *
 * The engine stores @where in @link->where and, by wsq_link_in_slot(), the
 * number of the item's slot, before another context can find the item there.
 * From then on it may be removed, or have run and be gone. If the engine is
 * full, @link does not change.
 *
 * Context: as wsq_engine_put().
 * Return: as wsq_engine_put().
 * Ordering: as wsq_engine_put(), also for a context that removes it.
 */
static __always_inline int wsq_engine_put_link(struct wsq_container *ct,
					       struct wsq_link *link, u64 where)
{
	return wsq_engine_do_queue(ct->kind, put_link, ct, link, where);
}

/**
 * wsq_engine_put_links() - append several items
 * @ct: container of this CPU
 * @links: the items' links, owned by the caller
 * @nr: how many
 * @where: as in wsq_engine_put_link()
 * @count: is increased by the number of items that find space, before another
 *	context can find them
 * @published: set to true if one of them was %WSQ_PUBLISHED, otherwise left
 *	alone
 *
 * Context: as wsq_engine_put(); takes a time proportional to @nr.
 * Return: how many were put, from the front; less than @nr if it is full.
 * Ordering: as wsq_engine_put_link().
 */
static inline unsigned int
wsq_engine_put_links(struct wsq_container *ct, struct wsq_link *const *links,
		     unsigned int nr, u64 where, u64 *count, bool *published)
{
	return wsq_engine_do_queue(ct->kind, put_links, ct, links, nr, where, count,
			     published);
}

/**
 * wsq_engine_claim() - take an item, roughly the oldest or the newest one
 * @ct: container of this CPU, or a dead CPU's that this CPU has adopted
 *
 * Context: any but NMI; the consumer.
 * Return: the item, owned by the caller; %NULL if there is none that thieves
 * have not claimed; %WSQ_AGAIN if it passed a slot from which an item was
 * removed.
 * Ordering: full barrier if an item is returned.
 */
static inline void *wsq_engine_claim(struct wsq_container *ct)
{
	return wsq_engine_do_queue(ct->kind, claim, ct);
}

/**
 * wsq_engine_steal_claim() - steal items from another CPU
 * @ct: the victim
 * @me: as in wsq_engine_steal()
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: task; any CPU, on @me's CPU.
 * Return: as wsq_engine_steal(); the caller owns the items.
 * Ordering: as wsq_engine_claim().
 */
static inline int wsq_engine_steal_claim(struct wsq_container *ct,
					 struct wsq_container *me, void **tasks,
					 unsigned int max)
{
	return wsq_engine_do_queue(ct->kind, steal_claim, ct, me, tasks, max);
}

/**
 * wsq_engine_steal_claim_at() - steal items from one block of another CPU
 * @ct: the victim
 * @me: as in wsq_engine_steal()
 * @index: directory index that wsq_engine_sample() stored
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: as wsq_engine_steal_claim().
 * Return: as wsq_engine_steal_at(); the caller owns the items.
 * Ordering: as wsq_engine_claim().
 */
static inline int wsq_engine_steal_claim_at(struct wsq_container *ct,
					    struct wsq_container *me,
					    u32 index, void **tasks,
					    unsigned int max)
{
	return wsq_engine_do_queue(ct->kind, steal_claim_at,
			     ct, me, index, tasks, max);
}

/**
 * wsq_engine_steal_active() - steal from the active block
 * @ct: the victim, whose consumer is held up by the item it took last
 * @tasks: where to store them
 * @max: how many at most
 *
 * This and wsq_engine_steal_claim() together reach every item, whatever the
 * consumer does. May be expensive, for the consumer too.
 *
 * Context: task; any CPU.
 * Return: how many were taken; the caller owns them.
 * Ordering: as wsq_engine_claim().
 */
static inline int wsq_engine_steal_active(struct wsq_container *ct, void **tasks,
					  unsigned int max)
{
	return wsq_engine_do_queue(ct->kind, steal_active, ct, tasks, max);
}

/**
 * wsq_engine_halve() - steal half of the active block
 * @ct: the victim
 * @tasks: where to store them
 * @max: how many at most
 * @least: take none if there are fewer than this, 2 or more
 *
 * Context: task, with preemption off; any CPU.
 * Return: how many were taken; the caller owns them. 0 if the engine's thieves
 * reach these items in other ways.
 * Ordering: as wsq_engine_claim().
 */
static inline int wsq_engine_halve(struct wsq_container *ct, void **tasks,
				   unsigned int max, unsigned int least)
{
	return wsq_engine_do_queue(ct->kind, halve, ct, tasks, max, least);
}

/**
 * wsq_engine_remove() - remove one item
 * @ct: the container that it was put to
 * @slot: the slot's number, as wsq_engine_put_link() stored it; may be old, or
 *	any number
 * @link: the item's link, which may have been freed; it is not read
 *
 * Context: any but NMI; any CPU.
 * Return: true if the item was there; the caller owns it.
 * Ordering: as wsq_engine_claim().
 */
static inline bool wsq_engine_remove(struct wsq_container *ct, u32 slot,
				     struct wsq_link *link)
{
	return wsq_engine_do_queue(ct->kind, remove, ct, slot, link);
}

/**
 * wsq_engine_empty() - would the consumer find nothing
 * @ct: container of this CPU, or a dead CPU's that this CPU has adopted
 *
 * Context: any; the consumer.
 * Return: true if nothing that this CPU put is left for wsq_engine_claim().
 * False does not promise an item.
 */
static inline bool wsq_engine_empty(struct wsq_container *ct)
{
	return wsq_engine_do_queue(ct->kind, empty, ct);
}

/**
 * wsq_engine_waiting() - is any task left, as other CPUs see it
 * @ct: any container
 *
 * Context: any; any CPU.
 * Return: a hint; right once no context uses the container.
 */
static inline bool wsq_engine_waiting(const struct wsq_container *ct)
{
	return wsq_engine_do(ct->kind, waiting, ct);
}

/**
 * wsq_engine_sample() - number of stealable tasks in a random block
 * @ct: any container, of a pointer pool or a queue
 * @rnd: 32 random bits
 * @index: where to store the block's directory index, for wsq_engine_steal_at()
 *
 * Of the victim it reads that one block's words. SALSA's chunks have no counts:
 * a victim that has any task counts as full.
 *
 * Context: any, with preemption off; any CPU.
 * Return: how many tasks thieves could take there, to be compared with the
 * pool's block size; more than that if it is only known that there are some. A
 * hint.
 */
static inline u32 wsq_engine_sample(const struct wsq_container *ct, u32 rnd,
				    u32 *index)
{
	return wsq_engine_do(ct->kind, sample, ct, rnd, index);
}

/**
 * wsq_engine_has_published() - may thieves find something here
 * @ct: container of this CPU
 *
 * Called with each put while a CPU is idle, so it reads this CPU's own words
 * only.
 *
 * Context: any; on the container's CPU.
 * Return: a hint. False for tasks that only the consumer can reach, which are
 * not worth a wake-up.
 */
static inline bool wsq_engine_has_published(const struct wsq_container *ct)
{
	return wsq_engine_do_queue(ct->kind, has_published, ct);
}

/**
 * wsq_engine_kept() - number of items that only the consumer can reach
 * @ct: container of this CPU
 *
 * Context: any; on the container's CPU.
 * Return: how many items wsq_engine_has_published() leaves out although a thief
 * can get some of them, by wsq_engine_halve() or by wsq_engine_steal_claim(). A
 * hint.
 */
static inline u32 wsq_engine_kept(const struct wsq_container *ct)
{
	return wsq_engine_do_queue(ct->kind, kept, ct);
}

/**
 * wsq_engine_publish() - publish what only the consumer can reach
 * @ct: container of this CPU
 *
 * For when wsq_engine_has_published() returned true and a CPU was woken for
 * that. Most engines have nothing to do.
 *
 * Context: any; on the container's CPU.
 * Return: true if thieves can reach more from now on.
 */
static inline bool wsq_engine_publish(struct wsq_container *ct)
{
	return wsq_engine_do_queue(ct->kind, publish, ct);
}

/**
 * wsq_engine_published() - can thieves reach more since the last claim
 * @ct: container of this CPU
 *
 * For a claim, what %WSQ_PUBLISHED is for a put.
 *
 * Context: as wsq_engine_claim(), after it.
 * Return: true if so; only once.
 */
static inline bool wsq_engine_published(struct wsq_container *ct)
{
	return wsq_engine_do_queue(ct->kind, published, ct);
}

#endif /* _WSQ_ENGINE_H */
