/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Container: what one CPU owns of a pool. An engine's structure, entrances for
 * everybody who may not use the engine's producer side, and counters.
 *
 * Two kinds of pools use it. A raw pool holds pointers, which the engine's
 * plain put, get and steal move (raw.c). A queue's pool holds items that have a
 * struct wsq_link at their front and can be withdrawn one by one, so that slots
 * are claimed and entrances have lists (linked.c).
 *
 * Roles, all with preemption off:
 *
 *	producer	whoever runs on the container's CPU and found
 *			@put_busy clear. One flag serves task, softirq, hardirq
 *			and NMI level, because on one CPU contexts nest: who
 *			interrupts a put sees the flag and goes to the entrance,
 *			who interrupts anything else is through before that goes
 *			on.
 *	consumer	likewise with @get_busy. Producer and consumer nest in
 *			any order (kmod/engine/engine.h), unless the engine has
 *			one owner: that one sets the other flag as well for as
 *			long as it may not be disturbed (engine/lifo/lifo.h).
 *	thief		anybody, anywhere.
 *
 * The engine's memory comes and goes (kmod/engine/engine.h); without it all goes
 * through the entrance.
 *
 * A CPU that died, or left the pool, leaves an orphan: @orphan becomes a lock
 * under which any CPU is its consumer, until the CPU is back.
 *
 *	OR(orphan:A), OR(foster:B) release -> OR(foster:A), OR(reclaim:A)
 *	acquire
 *		Each consumer sees what the one before it did.
 *		litmus/pool-orphan.litmus
 */
#ifndef _WSQ_POOL_CONTAINER_H
#define _WSQ_POOL_CONTAINER_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/wsq.h>

#include "../core/inbox.h"
#include "../engine/state.h"
#include "entry.h"
#include "where.h"

struct wsq_container;
struct wsq_engine;
struct wsq_pool;

/* Links with which tasks that have none of their own pass an inbox. */
#define WSQ_RAW_LINKS		64

/* The inboxes get their turn after so many takes at the latest. */
#define WSQ_ENTRY_TURN		64

#define WSQ_PHASES		2

/* What a take says: work is there, but not at hand yet; call again. */
#define WSQ_AGAIN		((void *)-1L)

/**
 * enum wsq_orphan - whose a container is
 * @WSQ_OWNED: its CPU's
 * @WSQ_ORPHAN: nobody's
 * @WSQ_FOSTERED: of whoever changed it from %WSQ_ORPHAN, for a moment
 */
enum wsq_orphan {
	WSQ_OWNED,
	WSQ_ORPHAN,
	WSQ_FOSTERED,
};

/**
 * enum wsq_grow - where a container stands that wants more memory
 * @WSQ_GROW_NO: it has asked for none
 * @WSQ_GROW_ASKED: it has asked, and gets an answer (grow.c)
 * @WSQ_GROW_OFFERED: the memory is in its @more
 * @WSQ_GROW_TAKEN: whoever changed it from %WSQ_GROW_OFFERED has it, and is about
 *	to say %WSQ_GROW_NO
 */
enum wsq_grow {
	WSQ_GROW_NO,
	WSQ_GROW_ASKED,
	WSQ_GROW_OFFERED,
	WSQ_GROW_TAKEN,
};

/**
 * struct wsq_raw_link - link of a task that has none
 * @link: place in the inbox
 * @task: the task
 * @home: the container that lent the link
 */
struct wsq_raw_link {
	atomic64_t link;
	void *task;
	struct wsq_container *home;
};

/**
 * struct wsq_raw - links of a container whose tasks have none
 * @used: bit i is set while @links[i] is lent. Anybody.
 * @lent: how often one was lent. Anybody.
 * @links: the links
 */
struct wsq_raw {
	atomic64_t used;
	atomic64_t lent;
	struct wsq_raw_link links[WSQ_RAW_LINKS];
};

/* Where items wait in a container: open inbox, bound inbox, engine. */
#define WSQ_STALL_PLACES	3

/**
 * struct wsq_stall_mark - what the stall detector saw last in such a place
 * @look: number of the last look at it
 * @moves: how many items had left the place, modulo 2^32
 * @since: when @moves last changed, or the detector began anew, in jiffies,
 *	modulo 2^32
 * @waits: items were there
 * @told: this wait was reported
 */
struct wsq_stall_mark {
	u32 look;
	u32 moves;
	u32 since;
	bool waits;
	bool told;
};

/**
 * struct wsq_container - one CPU's part of a pool
 * @pool: the pool. Constant.
 * @raw: links for tasks that have none; %NULL in a queue's pool. Constant.
 * @cpu: the CPU. Constant.
 * @where: queue and CPU, as in struct wsq_link. Constant.
 * @kind: which engine. Constant.
 * @put_busy: a put is under way. Own CPU.
 * @get_busy: a take is under way. Own CPU.
 * @opened: a take gave something to thieves. Own CPU.
 * @turns: takes since the inboxes had their turn. Consumer.
 * @open_next: the open inbox has its turn before the bound one. Consumer.
 * @entered: items taken from the entrances since the engine had memory or
 *	asked for it. Consumer.
 * @put_cnt: tasks put through the engine, by phase. Producer; anybody reads.
 * @done_cnt: tasks that this CPU's workers have run, by phase. They, with
 *	preemption off; anybody reads.
 * @item_ns: what a task takes, about, asleep or not, but without other threads
 *	that have the CPU meanwhile; 0 while it is not known. This CPU's workers
 *	write, puts here read.
 * @least_ns: what a task took at least of late. This CPU's workers.
 * @lap_items: tasks since it was told last. This CPU's workers.
 * @lap_ns: what they took. Likewise.
 * @debt_ns: ns that the queue was served here beyond its time slices while
 *	others waited, less what it has paid back. Likewise.
 * @away: items under way here behind which the worker was replaced. Any CPU.
 * @detached: of these, those that compute. Any CPU.
 * @open: entrance of what anybody may run. Anybody.
 * @bound: entrance of what is to run on this CPU. Anybody.
 * @in_cnt: tasks put through an entrance, by phase. Anybody.
 * @far_cnt: tasks run by a worker that lost its CPU meanwhile, and cancelled
 *	ones, by phase. Anybody.
 * @orphan: enum wsq_orphan. Hotplug and cpumask changes; foster consumers.
 * @engine: the engine's memory. Own CPU; who frees the container.
 * @offered: memory for the engine, to be mounted. Housekeeping gives, the own
 *	CPU takes.
 * @wanted: the engine has asked for memory. Own CPU sets, housekeeping clears.
 * @give_back: the engine shall give its memory back. Housekeeping sets, own CPU
 *	clears.
 * @grow: enum wsq_grow. Anybody.
 * @more: memory for the engine beside what it has. By @grow.
 * @stall: for kmod/obs/stall.c alone
 * @idle_cnt: sum of what was put when housekeeping last looked.
 * @state: of the engine, what is not in its memory
 */
struct wsq_container {
	struct wsq_pool *pool;
	struct wsq_raw *raw;
	u64 where;
	u32 cpu;
	enum wsq_engine_type kind;

	u8 put_busy ____cacheline_aligned;
	u8 get_busy;
	bool opened;
	bool open_next;
	u32 turns;
	u32 entered;
	u64 put_cnt[WSQ_PHASES];
	u64 done_cnt[WSQ_PHASES];
	u32 item_ns;
	u32 least_ns;
	u32 lap_items;
	u64 lap_ns;
	u32 debt_ns;
	atomic_t away;
	atomic_t detached;

	struct wsq_entry open ____cacheline_aligned;
	struct wsq_entry bound;
	atomic64_t in_cnt[WSQ_PHASES];
	atomic64_t far_cnt[WSQ_PHASES];
	atomic_t orphan;

	struct wsq_engine *engine;
	struct wsq_engine *offered;
	bool wanted;
	bool give_back;
	atomic_t grow;
	struct wsq_engine *more;
	u64 idle_cnt;
	struct wsq_stall_mark stall[WSQ_STALL_PLACES];

	union wsq_engine_state state;
};

struct wsq_container *wsq_container_create(struct wsq_pool *pool,
					   unsigned int cpu, int node);
void wsq_container_destroy(struct wsq_container *ct);
size_t wsq_container_bytes(bool raw);
void wsq_container_orphan(struct wsq_container *ct);
void wsq_container_reclaim(struct wsq_container *ct);

/*
 * Take and leave the roles. What a role does stays between the two for the
 * compiler, and for this CPU it is in order anyway.
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

/* Become an orphan's consumer; hand the role on with wsq_foster_end(). */
static inline bool wsq_foster_begin(struct wsq_container *ct)
{
	/* Acquire and release hand the consumer role from one to the next. */
	return atomic_read(&ct->orphan) == WSQ_ORPHAN &&
	       /* OR(foster:A) */
	       atomic_cmpxchg_acquire(&ct->orphan, WSQ_ORPHAN,
				      WSQ_FOSTERED) == WSQ_ORPHAN;
}

static inline void wsq_foster_end(struct wsq_container *ct)
{
	atomic_set_release(&ct->orphan, WSQ_ORPHAN);	/* OR(foster:B) */
}

#endif /* _WSQ_POOL_CONTAINER_H */
