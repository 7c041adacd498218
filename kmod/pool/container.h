/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Container: what one CPU owns of a pool, an engine and the rules for its use.
 *
 * There are two kinds of pools. A pointer pool holds pointers, which the
 * engine's plain put, get and steal move. A pointer that cannot use the
 * engine's producer side passes an inbox (pointer.c). The pool of a queue holds
 * work items, of which the pool knows nothing: each of its containers is the
 * first member of a struct wsq_lane (kmod/exec/lane.h), which has the rest.
 *
 * Roles, all with preemption off:
 *
 *	producer	the context on the container's CPU that found @put_busy
 *			clear. One flag serves task, softirq, hardirq and NMI
 *			level, because contexts nest on one CPU. A context that
 *			interrupts a put sees the flag and uses the inbox. One
 *			that interrupts anything else has finished before the
 *			interrupted code goes on.
 *	consumer	likewise with @get_busy. Producer and consumer nest in
 *			any order (kmod/engine/engine.h), unless the engine has
 *			one owner. The owner sets the other flag too while it
 *			must not be disturbed (engine/bwos_lifo/bwos_lifo.h).
 *	thief		any context on any CPU.
 *
 * The engine's memory is attached and detached (kmod/engine/engine.h).
 *
 * When a CPU has died or left the pool, @ownership of its container is a lock.
 * Any CPU that takes the lock is the consumer, until the owner is back.
 *
 *	OR(dead:A), OR(adopt:B) release -> OR(adopt:A), OR(reclaim:A)
 *	acquire
 *		Each consumer sees what the previous one did.
 *		litmus/pool-dead.litmus
 */
#ifndef _WSQ_POOL_CONTAINER_H
#define _WSQ_POOL_CONTAINER_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/wsq.h>

#include "../core/inbox.h"
#include "../engine/state.h"

struct wsq_container;
struct wsq_engine;
struct wsq_pool;

/* Links of a container, for tasks that pass its inbox and have no link. */
#define WSQ_POINTER_LINKS		64

/*
 * Alignment of containers. A lane, and a container with links, have at least
 * this size anyway.
 */
#define WSQ_CONTAINER_ALIGN		1024UL

/* A consumer looks into its inboxes at least once in this many takes. */
#define WSQ_INBOX_EVERY		64

/* A take's answer: there is work, but not yet for this call. Call again. */
#define WSQ_AGAIN		((void *)-1L)

/**
 * enum wsq_ownership - which CPU may consume from a container
 * @WSQ_OWNED: its own CPU
 * @WSQ_DEAD_CPU: none
 * @WSQ_ADOPTED: the CPU that changed it from %WSQ_DEAD_CPU, for a moment
 */
enum wsq_ownership {
	WSQ_OWNED,
	WSQ_DEAD_CPU,
	WSQ_ADOPTED,
};

/**
 * enum wsq_grow - state of a container's request for memory
 * @WSQ_GROW_NO: no request
 * @WSQ_GROW_ASKED: requested; maintenance work will answer (grow.c)
 * @WSQ_GROW_OFFERED: the memory is in @more
 * @WSQ_GROW_TAKEN: the context that changed it from %WSQ_GROW_OFFERED has the
 *	memory and is about to store %WSQ_GROW_NO
 */
enum wsq_grow {
	WSQ_GROW_NO,
	WSQ_GROW_ASKED,
	WSQ_GROW_OFFERED,
	WSQ_GROW_TAKEN,
};

/**
 * struct wsq_pointer_link - link for a task that has none
 * @link: link in the inbox
 * @task: the task
 * @home: the container to which the link belongs
 */
struct wsq_pointer_link {
	atomic64_t link;
	void *task;
	struct wsq_container *home;
};

/**
 * struct wsq_pointer_inbox - inbox of a pointer pool's container
 * @inbox: tasks that could not use the engine. Any CPU.
 * @used: bit i is set while @links[i] is allocated. Any CPU.
 * @allocated: number of allocations. Any CPU.
 * @links: the links
 * @thief: mark of the thief that looks at the container (reach.h). Thieves.
 */
struct wsq_pointer_inbox {
	struct wsq_inbox inbox;
	atomic64_t used;
	atomic64_t allocated;
	struct wsq_pointer_link links[WSQ_POINTER_LINKS];
	atomic_t thief ____cacheline_aligned;
};

/**
 * struct wsq_container - one CPU's part of a pool
 * @pool: the pool. Constant.
 * @pointer: inbox and links; %NULL unless it is a pointer pool. Constant.
 * @tag: for the pool's user, which sets it in @ct_init of the pool. Constant.
 * @cpu: the CPU. Constant.
 * @kind: which engine. Constant.
 * @ownership: enum wsq_ownership. Written by CPU hotplug, cpumask changes and
 *	adopting consumers.
 * @engine: the engine's memory. Written by the own CPU, and when the container
 *	is freed.
 * @offered: memory for the engine to attach. Maintenance work stores it, the
 *	own CPU takes it.
 * @wanted: the engine has asked for memory. The own CPU sets it, maintenance
 *	work clears it.
 * @grow: enum wsq_grow. Any CPU.
 * @more: additional memory for the engine. @grow says which context may use it.
 * @state: the part of the engine that is not in its memory
 * @put_busy: a put is under way. Own CPU.
 * @get_busy: a take is under way. Own CPU.
 * @published: a take has published tasks for thieves. Own CPU.
 * @turns: takes since the consumer last looked into its inboxes. Consumer.
 *
 * The own CPU writes the last cache line with each put and take. struct
 * wsq_lane continues on it.
 */
struct wsq_container {
	struct wsq_pool *pool;
	struct wsq_pointer_inbox *pointer;
	u64 tag;
	u32 cpu;
	enum wsq_engine_type kind;

	atomic_t ownership ____cacheline_aligned;
	struct wsq_engine *engine;
	struct wsq_engine *offered;
	bool wanted;
	atomic_t grow;
	struct wsq_engine *more;

	union wsq_engine_state state;

	u8 put_busy ____cacheline_aligned;
	u8 get_busy;
	bool published;
	u32 turns;
};

struct wsq_container *wsq_container_create(struct wsq_pool *pool,
					   unsigned int cpu, int node);
void wsq_container_destroy(struct wsq_container *ct);
void wsq_container_cpu_dead(struct wsq_container *ct);
void wsq_container_reclaim(struct wsq_container *ct);

/*
 * Enter and leave the roles. A barrier() is enough, because the role's accesses
 * and the flag are this CPU's own.
 */
static inline bool wsq_put_begin(struct wsq_container *ct)
{
	if (unlikely(READ_ONCE(ct->put_busy)))
		return false;
	WRITE_ONCE(ct->put_busy, 1);
	barrier();
	return true;
}

static inline void wsq_put_end(struct wsq_container *ct)
{
	barrier();
	WRITE_ONCE(ct->put_busy, 0);
}

static inline bool wsq_get_begin(struct wsq_container *ct)
{
	if (unlikely(READ_ONCE(ct->get_busy)))
		return false;
	WRITE_ONCE(ct->get_busy, 1);
	barrier();
	return true;
}

static inline void wsq_get_end(struct wsq_container *ct)
{
	barrier();
	WRITE_ONCE(ct->get_busy, 0);
}

/* Become the consumer of a dead CPU's container, until wsq_adopt_end(). */
static inline bool wsq_adopt_begin(struct wsq_container *ct)
{
	return atomic_read(&ct->ownership) == WSQ_DEAD_CPU &&
	       /* OR(adopt:A) */
	       atomic_cmpxchg_acquire(&ct->ownership, WSQ_DEAD_CPU,
				      WSQ_ADOPTED) == WSQ_DEAD_CPU;
}

static inline void wsq_adopt_end(struct wsq_container *ct)
{
	atomic_set_release(&ct->ownership, WSQ_DEAD_CPU);	/* OR(adopt:B) */
}

#endif /* _WSQ_POOL_CONTAINER_H */
