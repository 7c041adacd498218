/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Engines behind one small interface: all that kmod/pool and kmod/exec want of
 * the algorithm that moves a container's tasks.
 *
 * A pool has one kind of engine, its containers know which (@kind). Operations
 * are inline, a switch on that constant and the algorithm's own inline function:
 * no pointer to a function, because the call would cost more than the operation.
 * The cases come from the rows of engines.def, so the compiler names every operation
 * that an engine lacks. What is not in the fast path is in struct wsq_engine_ops.
 *
 * Raw pools move pointers (put, get, steal). Queues move items that have a
 * struct wsq_link and may be wanted back one by one (put_link, claim,
 * steal_claim, pry, withdraw). A container sees one of the two sets only.
 *
 * Which pairs may run at the same time; producer and consumer are roles of
 * container.h, on one CPU, and interrupt each other between any two
 * instructions, but never themselves. Where the one must not interrupt the other
 * (LIFO BWoS has one owner, who puts and gets), the engine sees to it by the flags
 * of the roles, and the table is right nevertheless:
 *
 *		 producer  consumer  thief	others
 *	put	 no	   yes	     yes	yes
 *	get	 yes	   no	     yes	yes
 *	steal	 yes	   yes	     yes	yes
 *	withdraw yes	   yes	     yes	yes
 *	mount	 no	   no	     yes	yes
 *
 * Who holds both roles may do everything. Everybody has preemption off.
 *
 * What all must keep: a task comes out once. One that is there and stays there
 * is found by the consumer in a bounded number of calls, and by thieves, or by
 * them with pry, as long as they come. No operation waits, sleeps or allocates,
 * and none takes longer than a bound that does not depend on others.
 *
 * Memory: one piece for each container, of its node. A raw pool and a resident
 * queue have it from the start. Any other queue's container gets it when it is
 * busy, and gives it back when it is idle: a thousand queues that are used now
 * and then shall not hold a thousand times the memory of a busy one on every
 * CPU. Puts allocate nothing; memory is allocated and offered in task context
 * (kmod/exec/memory.c), mounted by whoever is producer and consumer on the CPU,
 * and freed after a grace period. That is the same for all (engine.c).
 *
 * An engine that is short of room may ask for more, and gets a further piece of
 * memory in the same way (grow.c). Pieces go with the first one.
 *
 *	OF(offer:A) full -> OF(accept:A), OF(drop:A) full
 *		Memory is found as it was made. litmus/pool-offer.litmus
 *	OF(offer:B): OF(offer:A), before it, does its work.
 *		litmus/pool-wanted.litmus
 *	MO(mount:A) release -> a thief's look at @engine, by its address
 *		The same for thieves. litmus/pool-engine.litmus
 *
 * A further engine is a row of engines.def, and a folder NAME. NAME/NAME.h has each
 * operation of this file as wsq_engine_NAME_put() and so on, with the same arguments;
 * NAME/NAME.c has wsq_engine_NAME_ops and what is slow. The algorithm is in kmod/core.
 */
#ifndef _WSQ_ENGINE_H
#define _WSQ_ENGINE_H

#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../pool/container.h"

/* The operation @op of the engine @kind. All of them have the same type. */
#define wsq_engine_do(kind, op, ...)					\
({									\
	typeof(wsq_engine_bwos_##op(__VA_ARGS__)) __ret;		\
									\
	switch (kind) {							\
	default:							\
		/* unreachable() leaves a compare and a branch */	\
		__builtin_unreachable();				\
	WSQ_ENGINES(WSQ_ENGINE_OP, __ret, op, __VA_ARGS__)		\
	}								\
	__ret;								\
})

#define WSQ_ENGINE_OP(type, name, state, ret, op, ...)		\
	case type:							\
		ret = wsq_engine_##name##_##op(__VA_ARGS__);		\
		break;

/**
 * struct wsq_engine - memory of an engine, at the front of each piece
 * @rcu: to free it
 * @next: further pieces. Own CPU, as producer and consumer
 */
struct wsq_engine {
	struct rcu_head rcu;
	struct wsq_engine *next;
};

/**
 * struct wsq_engine_ops - what is not in the fast path of an engine
 * @name: its name, as in engines.def
 * @moves_chunks: thieves of a raw pool take a chunk as a whole. Each CPU has a
 *	container of a raw pool, also one that is not of the pool
 * @patience: a put that waits for room looks again after so many jiffies, even if
 *	nobody has woken it: with some engines room comes by time alone
 * @sizes: wsq_engine_sizes()
 * @bytes: wsq_engine_bytes()
 * @pool_init: wsq_engine_pool_init(); %NULL if containers share nothing
 * @pool_exit: wsq_engine_pool_exit(); likewise
 * @was_empty: wsq_engine_was_empty(); %NULL if the engine cannot tell
 * @init: wsq_engine_init(); %NULL if all is in its memory
 * @orphan: wsq_engine_orphan(); %NULL if there is nothing to do
 * @settle: wsq_engine_settle(); likewise
 * @create: wsq_engine_create()
 * @create_more: wsq_engine_create_more()
 * @extend: have what @create_more has made. Producer and consumer
 * @mount: put to use what @create has made, but for @engine of the container
 * @unmount: take an empty engine's memory away: true if it was empty. Producer and
 *	consumer
 */
struct wsq_engine_ops {
	const char *name;
	bool moves_chunks;
	long patience;
	bool (*sizes)(u32 *blocks, u32 *max_blocks, u32 *block_size);
	size_t (*bytes)(u32 blocks, u32 max_blocks, u32 block_size);
	int (*pool_init)(struct wsq_pool *pool);
	void (*pool_exit)(struct wsq_pool *pool);
	int (*was_empty)(const struct wsq_pool *pool);
	void (*init)(struct wsq_container *ct);
	void (*orphan)(struct wsq_container *ct);
	void (*settle)(const struct wsq_container *ct);
	struct wsq_engine *(*create)(const struct wsq_container *ct, int node);
	struct wsq_engine *(*create_more)(const struct wsq_container *ct,
					  int node);
	void (*extend)(struct wsq_container *ct, struct wsq_engine *engine);
	void (*mount)(struct wsq_container *ct, struct wsq_engine *engine);
	bool (*unmount)(struct wsq_container *ct);
};

#include "bwos/bwos.h"
#include "lifo/lifo.h"
#include "salsa/salsa.h"

const struct wsq_engine_ops *wsq_engine_ops(enum wsq_engine_type kind);
bool wsq_engine_sizes(enum wsq_engine_type kind, u32 *blocks, u32 *max_blocks,
		      u32 *block_size);
size_t wsq_engine_bytes(enum wsq_engine_type kind, u32 blocks, u32 max_blocks,
			u32 block_size);
int wsq_engine_was_empty(const struct wsq_pool *pool);
int wsq_engine_pool_init(struct wsq_pool *pool);
void wsq_engine_pool_exit(struct wsq_pool *pool);
void wsq_engine_init(struct wsq_container *ct);
void wsq_engine_orphan(struct wsq_container *ct);
void wsq_engine_settle(const struct wsq_container *ct);
struct wsq_engine *wsq_engine_create(const struct wsq_container *ct, int node);
struct wsq_engine *wsq_engine_create_more(const struct wsq_container *ct,
					  int node);
void wsq_engine_destroy(struct wsq_engine *engine);
void wsq_engine_extend(struct wsq_container *ct);
void wsq_engine_mount(struct wsq_container *ct, struct wsq_engine *engine);
bool wsq_engine_offer(struct wsq_container *ct, struct wsq_engine *engine);
bool wsq_engine_accept(struct wsq_container *ct);
bool wsq_engine_give_back(struct wsq_container *ct);

/* Raw pools. */

/**
 * wsq_engine_put() - append a task
 * @ct: container of this CPU
 * @task: the task, not %NULL
 *
 * Context: any, NMI included; the producer.
 * Return: %WSQ_OK; %WSQ_OPENED if thieves can reach more from now on; %WSQ_FULL,
 * also without memory.
 * Ordering: what precedes the call is visible to whoever takes the task.
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
 * @opened: set to true if one of them was %WSQ_OPENED, otherwise left alone
 *
 * Context: as wsq_engine_put(); takes a time proportional to @nr.
 * Return: how many were put, from the front; less than @nr if it is full.
 * Ordering: as wsq_engine_put().
 */
static inline unsigned int wsq_engine_put_many(struct wsq_container *ct,
					       void *const *tasks,
					       unsigned int nr, bool *opened)
{
	return wsq_engine_do(ct->kind, put_many, ct, tasks, nr, opened);
}

/**
 * wsq_engine_get() - take a task, roughly the oldest, or the newest
 * @ct: container of this CPU, or an orphan in foster care
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
 * @ct: container of this CPU, or an orphan in foster care
 * @tasks: where to store them
 * @nr: how many at most
 *
 * Context: as wsq_engine_get(); takes a time proportional to @nr.
 * Return: how many were taken; 0 if there is none.
 * Ordering: as wsq_engine_get().
 */
static inline unsigned int wsq_engine_get_many(struct wsq_container *ct,
					       void **tasks, unsigned int nr)
{
	return wsq_engine_do(ct->kind, get_many, ct, tasks, nr);
}

/**
 * wsq_engine_steal() - take tasks from another CPU
 * @ct: the victim
 * @me: container of this CPU, %NULL if it has none: what an engine takes in one
 *	piece beyond @max goes there, if its consumer's role is free
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: any but NMI; anybody, on @me's CPU. An engine that can rob some
 * victims in task context only takes nothing from those elsewhere.
 * Return: how many were taken; %WSQ_EMPTY if none is within reach;
 * %WSQ_CONFLICT if others were faster.
 * Ordering: as wsq_engine_get().
 */
static inline int wsq_engine_steal(struct wsq_container *ct,
				   struct wsq_container *me, void **tasks,
				   unsigned int max)
{
	return wsq_engine_do(ct->kind, steal, ct, me, tasks, max);
}

/**
 * wsq_engine_steal_at() - take tasks from another CPU, from one place
 * @ct: the victim
 * @me: as in wsq_engine_steal()
 * @place: what wsq_engine_sample() said
 * @tasks: where to store them
 * @max: how many at most
 *
 * An engine that has no places takes what it would take anyway.
 *
 * Context: as wsq_engine_steal().
 * Return: as wsq_engine_steal(), or %WSQ_DONE; there may be more elsewhere.
 * Ordering: as wsq_engine_get().
 */
static inline int wsq_engine_steal_at(struct wsq_container *ct,
				      struct wsq_container *me, u32 place,
				      void **tasks, unsigned int max)
{
	return wsq_engine_do(ct->kind, steal_at, ct, me, place, tasks, max);
}

/**
 * wsq_engine_room() - how many tasks can be put for sure
 * @ct: container of this CPU
 *
 * Context: any but NMI; producer and consumer, until they are put.
 * Return: slots left in the block that puts go to, after it was begun anew if it
 * was full; 0 if the engine is full, or cannot tell.
 */
static inline unsigned int wsq_engine_room(struct wsq_container *ct)
{
	return wsq_engine_do(ct->kind, room, ct);
}

/**
 * wsq_engine_raid() - has this CPU begun to rob another
 * @me: container of this CPU, %NULL if it has none
 *
 * Some thefts take a while, in which wsq_engine_steal() goes on with other
 * victims. What comes of it is for wsq_engine_get() of @me.
 *
 * Context: any but NMI, with preemption off; on @me's CPU.
 * Return: true if so, and if the caller may wait for it: until then what is being
 * stolen is nobody's to take.
 */
static inline bool wsq_engine_raid(const struct wsq_container *me)
{
	if (!me)
		return false;
	return wsq_engine_do(me->kind, raid, me);
}

/* Queues. */

/**
 * wsq_engine_put_link() - append an item
 * @ct: container of this CPU
 * @link: the item's link, in hand
 * @phase: flush phase of the item
 *
 * The engine stores in @link->where, by wsq_where_in_slot(), where the item
 * is, before anybody can find it there: from then on it may be withdrawn, or
 * have run and be gone. If it is full, @link is left alone.
 *
 * Context: as wsq_engine_put().
 * Return: as wsq_engine_put().
 * Ordering: as wsq_engine_put(), also for who withdraws it.
 */
static inline int wsq_engine_put_link(struct wsq_container *ct,
				      struct wsq_link *link,
				      unsigned int phase)
{
	return wsq_engine_do(ct->kind, put_link, ct, link, phase);
}

/**
 * wsq_engine_put_links() - append several items
 * @ct: container of this CPU
 * @links: the items' links, in hand
 * @nr: how many
 * @phase: flush phase of the items
 * @opened: set to true if one of them was %WSQ_OPENED, otherwise left alone
 *
 * The engine adds to @ct->put_cnt[@phase] those that find room, before anybody
 * can find them.
 *
 * Context: as wsq_engine_put(); takes a time proportional to @nr.
 * Return: how many were put, from the front; less than @nr if it is full.
 * Ordering: as wsq_engine_put_link().
 */
static inline unsigned int
wsq_engine_put_links(struct wsq_container *ct, struct wsq_link *const *links,
		     unsigned int nr, unsigned int phase, bool *opened)
{
	return wsq_engine_do(ct->kind, put_links, ct, links, nr, phase, opened);
}

/**
 * wsq_engine_claim() - take an item, roughly the oldest, or the newest
 * @ct: container of this CPU, or an orphan in foster care
 *
 * Context: any but NMI; the consumer.
 * Return: the item, in hand; %NULL if there is none that thieves have not
 * claimed; %WSQ_AGAIN if it passed a place from which one was taken out.
 * Ordering: full barrier if an item is returned.
 */
static inline void *wsq_engine_claim(struct wsq_container *ct)
{
	return wsq_engine_do(ct->kind, claim, ct);
}

/**
 * wsq_engine_steal_claim() - take items from another CPU
 * @ct: the victim
 * @me: as in wsq_engine_steal()
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: task; anybody, on @me's CPU.
 * Return: as wsq_engine_steal(); items are in hand.
 * Ordering: as wsq_engine_claim().
 */
static inline int wsq_engine_steal_claim(struct wsq_container *ct,
					 struct wsq_container *me, void **tasks,
					 unsigned int max)
{
	return wsq_engine_do(ct->kind, steal_claim, ct, me, tasks, max);
}

/**
 * wsq_engine_steal_claim_at() - take items from another CPU, from one place
 * @ct: the victim
 * @me: as in wsq_engine_steal()
 * @place: what wsq_engine_sample() said
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: as wsq_engine_steal_claim().
 * Return: as wsq_engine_steal_at(); items are in hand.
 * Ordering: as wsq_engine_claim().
 */
static inline int wsq_engine_steal_claim_at(struct wsq_container *ct,
					    struct wsq_container *me,
					    u32 place, void **tasks,
					    unsigned int max)
{
	return wsq_engine_do(ct->kind, steal_claim_at,
			     ct, me, place, tasks, max);
}

/**
 * wsq_engine_pry() - take items that only the consumer would get to
 * @ct: the victim, whose consumer is held up by the item it took last
 * @tasks: where to store them
 * @max: how many at most
 *
 * Between this and wsq_engine_steal_claim() nothing is out of reach, whatever
 * the consumer does. May be dear, to the consumer too.
 *
 * Context: task; anybody.
 * Return: how many were taken, in hand.
 * Ordering: as wsq_engine_claim().
 */
static inline int wsq_engine_pry(struct wsq_container *ct, void **tasks,
				 unsigned int max)
{
	return wsq_engine_do(ct->kind, pry, ct, tasks, max);
}

/**
 * wsq_engine_withdraw() - take one item out, wherever it is by now
 * @ct: the container that it was put to
 * @slot: the slot's number, as wsq_engine_put_link() stored it; may be old, or
 *	any number
 * @link: the item's link, which may be gone; nothing of it is read
 *
 * Context: any but NMI; anybody.
 * Return: true if the item was there and is in the caller's hand.
 * Ordering: as wsq_engine_claim().
 */
static inline bool wsq_engine_withdraw(struct wsq_container *ct, u32 slot,
				       struct wsq_link *link)
{
	return wsq_engine_do(ct->kind, withdraw, ct, slot, link);
}

/**
 * wsq_engine_empty() - would the consumer come back with nothing
 * @ct: container of this CPU, or an orphan in foster care
 *
 * Context: any; the consumer.
 * Return: true if nothing that this CPU put is left for wsq_engine_claim(). False
 * does not promise an item.
 */
static inline bool wsq_engine_empty(struct wsq_container *ct)
{
	return wsq_engine_do(ct->kind, empty, ct);
}

/**
 * wsq_engine_waiting() - does anything wait here, as others see it
 * @ct: any container
 *
 * Context: any; anybody.
 * Return: a hint; right as soon as the container is left alone.
 */
static inline bool wsq_engine_waiting(const struct wsq_container *ct)
{
	return wsq_engine_do(ct->kind, waiting, ct);
}

/**
 * wsq_engine_sample() - how full is a block that chance picks
 * @ct: any container, of either sort of pool
 * @rnd: 32 bits of chance
 * @place: where to say which block it was, for wsq_engine_steal_at()
 *
 * Of the victim it reads that one block's words. SALSA's chunks have nothing that
 * counts: one who has anything is full.
 *
 * Context: any, with preemption off; anybody.
 * Return: how many tasks thieves could take there, to be compared with the pool's
 * block size; more than that if all that is known is that there are some. A hint.
 */
static inline u32 wsq_engine_sample(const struct wsq_container *ct, u32 rnd,
				    u32 *place)
{
	return wsq_engine_do(ct->kind, sample, ct, rnd, place);
}

/**
 * wsq_engine_shared() - may thieves find something here
 * @ct: container of this CPU
 *
 * Asked with each put while a CPU is idle: of own words only.
 *
 * Context: any; on the container's CPU.
 * Return: a hint. False for what the consumer has for itself, which is not
 * worth a wake-up.
 */
static inline bool wsq_engine_shared(const struct wsq_container *ct)
{
	return wsq_engine_do(ct->kind, shared, ct);
}

/**
 * wsq_engine_share() - let thieves have what the consumer has for itself
 * @ct: container of this CPU
 *
 * For when wsq_engine_shared() said that there may be something, and somebody
 * was woken for it. Most engines have nothing to do for that.
 *
 * Context: any; on the container's CPU.
 * Return: true if thieves can reach more from now on.
 */
static inline bool wsq_engine_share(struct wsq_container *ct)
{
	return wsq_engine_do(ct->kind, share, ct);
}

/**
 * wsq_engine_opened() - can thieves reach more since the last claim
 * @ct: container of this CPU
 *
 * As what %WSQ_OPENED says of a put.
 *
 * Context: as wsq_engine_claim(), after it.
 * Return: true if so; once.
 */
static inline bool wsq_engine_opened(struct wsq_container *ct)
{
	return wsq_engine_do(ct->kind, opened, ct);
}

#endif /* _WSQ_ENGINE_H */
