// SPDX-License-Identifier: GPL-2.0
/*
 * Containers, the parts outside the fast path: memory, the inbox and its
 * backlog, orphans.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "container.h"
#include "pool.h"

/* Where the parts of a container lie in its memory. */
struct wsq_layout {
	size_t blocks;
	size_t slots;
	size_t dir;
	size_t spare;
	size_t held;
	size_t raw;
	size_t total;
};

static size_t wsq_layout_add(size_t *at, size_t bytes, size_t align)
{
	size_t here = ALIGN(*at, align);

	*at = here + bytes;
	return here;
}

static void wsq_layout_make(struct wsq_layout *l, u32 blocks, u32 block_size,
			    bool raw)
{
	size_t at = sizeof(struct wsq_container);
	size_t all = blocks + WSQ_SPARE_BLOCKS;

	l->blocks = wsq_layout_add(&at, all * sizeof(struct wsq_bwos_block),
				   SMP_CACHE_BYTES);
	l->slots = wsq_layout_add(&at, all * block_size * sizeof(wsq_slot_t),
				  SMP_CACHE_BYTES);
	l->dir = wsq_layout_add(&at, blocks * sizeof(atomic64_t),
				SMP_CACHE_BYTES);
	l->spare = wsq_layout_add(&at, WSQ_SPARE_BLOCKS * sizeof(u16),
				  SMP_CACHE_BYTES);
	l->held = wsq_layout_add(&at, WSQ_SPARE_BLOCKS * sizeof(u16),
				 sizeof(u16));
	l->raw = wsq_layout_add(&at, raw ? WSQ_RAW_LINKS *
				sizeof(struct wsq_raw_link) : 0,
				SMP_CACHE_BYTES);
	/* Whole pages: aligned to cache lines whoever serves them. */
	l->total = PAGE_ALIGN(at);
}

/**
 * wsq_container_bytes() - memory of one container
 * @blocks: as in struct wsq_attrs
 * @block_size: as in struct wsq_attrs
 * @raw: whether tasks have no link of their own
 *
 * Context: any.
 * Return: bytes.
 */
size_t wsq_container_bytes(u32 blocks, u32 block_size, bool raw)
{
	struct wsq_layout l;

	wsq_layout_make(&l, blocks, block_size, raw);
	return l.total;
}

/**
 * wsq_container_create() - make a container
 * @pool: the pool it belongs to
 * @cpu: the CPU that owns it
 * @node: the node whose memory to use
 * @blocks: as in struct wsq_attrs
 * @block_size: as in struct wsq_attrs
 * @raw: whether tasks have no link of their own
 *
 * Context: task; may sleep.
 * Return: the container, or %NULL without memory.
 */
struct wsq_container *wsq_container_create(struct wsq_pool *pool,
					   unsigned int cpu, int node,
					   u32 blocks, u32 block_size,
					   bool raw)
{
	struct wsq_bwos_mem mem;
	struct wsq_container *ct;
	struct wsq_layout l;
	unsigned int i;

	wsq_layout_make(&l, blocks, block_size, raw);
	ct = kvzalloc_node(l.total, GFP_KERNEL, node);
	if (!ct)
		return NULL;

	ct->pool = pool;
	ct->cpu = cpu;
	wsq_inbox_init(&ct->inbox);
	wsq_backlog_init(&ct->backlog);
	mem.blocks = (void *)ct + l.blocks;
	mem.slots = (void *)ct + l.slots;
	mem.dir = (void *)ct + l.dir;
	mem.spare = (void *)ct + l.spare;
	mem.held = (void *)ct + l.held;
	wsq_bwos_fifo_init(&ct->fifo, &mem, blocks, block_size,
			   WSQ_SPARE_BLOCKS);
	if (raw) {
		ct->raw = (void *)ct + l.raw;
		for (i = 0; i < WSQ_RAW_LINKS; i++)
			ct->raw[i].home = ct;
	}
	return ct;
}

/**
 * wsq_container_destroy() - give a container's memory back
 * @ct: the container, or %NULL; nobody uses it any more
 *
 * Context: task; may sleep.
 */
void wsq_container_destroy(struct wsq_container *ct)
{
	kvfree(ct);
}

/**
 * wsq_container_push_link() - put a task that has a link through the inbox
 * @ct: any container
 * @link: the task's link
 * @phase: which counter to count it in; %WSQ_PHASES if it is counted already
 *
 * Context: any, NMI included.
 * Return: %WSQ_OK; %WSQ_OPENED if the inbox was empty.
 * Ordering: full barrier.
 */
int wsq_container_push_link(struct wsq_container *ct, atomic64_t *link,
			    unsigned int phase)
{
	int ret;

	if (phase < WSQ_PHASES)
		atomic64_inc(&ct->in_cnt[phase]);
	do {
		ret = wsq_inbox_try_push(&ct->inbox, link);
	} while (ret == WSQ_CONFLICT);
	return ret;
}

/*
 * Borrow a link. A bitmap and no list, because a list's pop could be
 * interrupted by the same pop.
 */
static struct wsq_raw_link *wsq_raw_get(struct wsq_container *ct)
{
	s64 used = atomic64_read(&ct->raw_used);
	unsigned int i;

	do {
		if (!~used)
			return NULL;
		i = __ffs64(~(u64)used);
		/* Acquire: whoever gave the link back is done with it. */
	} while (!atomic64_try_cmpxchg_acquire(&ct->raw_used, &used,
					       (s64)((u64)used | BIT_ULL(i))));
	return &ct->raw[i];
}

static void *wsq_raw_put(struct wsq_raw_link *rl)
{
	struct wsq_container *home = rl->home;
	void *task = rl->task;

	atomic64_fetch_andnot_release((s64)BIT_ULL(rl - home->raw),
				      &home->raw_used);
	return task;
}

/**
 * wsq_container_push_raw() - put a task that has no link through the inbox
 * @ct: any container whose pool has @raw links
 * @task: the task
 *
 * Context: any, NMI included.
 * Return: %WSQ_OK; %WSQ_OPENED if the inbox was empty; %WSQ_FULL if all links
 * are lent.
 * Ordering: full barrier.
 */
int wsq_container_push_raw(struct wsq_container *ct, void *task)
{
	struct wsq_raw_link *rl = wsq_raw_get(ct);

	if (!rl)
		return WSQ_FULL;
	rl->task = task;
	return wsq_container_push_link(ct, &rl->link, 0);
}

/*
 * Tasks without links of their own: there are at most WSQ_RAW_LINKS in an
 * inbox, so all are looked at in one go. The oldest is the caller's; the others
 * go to the engine of @me or, where that is full or @me is none, back.
 */
static void *wsq_raw_from_inbox(struct wsq_container *from,
				struct wsq_container *me)
{
	struct wsq_backlog bl;
	struct wsq_raw_link *rl;
	atomic64_t *link;
	void *task;

	link = wsq_inbox_take(&from->inbox);
	if (!link)
		return NULL;
	wsq_backlog_init(&bl);
	wsq_backlog_fill(&bl, link);
	wsq_backlog_turn(&bl, U32_MAX);

	rl = container_of(wsq_backlog_pop(&bl), struct wsq_raw_link, link);
	task = wsq_raw_put(rl);
	while ((link = wsq_backlog_pop(&bl))) {
		rl = container_of(link, struct wsq_raw_link, link);
		if (me && wsq_container_put(me, rl->task) >= 0)
			wsq_raw_put(rl);
		else
			wsq_container_push_link(from, link, WSQ_PHASES);
	}
	return task;
}

/* Move tasks from the backlog, in order, to where thieves can reach them. */
static void wsq_container_refill(struct wsq_container *ct)
{
	unsigned int budget = WSQ_REFILL_BUDGET;
	atomic64_t *link;

	while (budget-- && (link = wsq_backlog_pop(&ct->backlog))) {
		void *task = wsq_link_task(ct->pool, link);

		/* Full, or we interrupted a put: next time. */
		if (wsq_container_put(ct, task) < 0) {
			wsq_backlog_unpop(&ct->backlog, link);
			break;
		}
	}
}

/**
 * wsq_container_get_slow() - take a task from the backlog or inbox
 * @ct: container of this CPU, with @get_busy set by the caller
 *
 * Called when the engine has nothing, and now and then when it has, lest a
 * busy engine starve the inbox.
 *
 * Context: as wsq_container_get().
 * Return: as wsq_container_get().
 */
void *wsq_container_get_slow(struct wsq_container *ct)
{
	atomic64_t *link;
	void *task;

	ct->turns = 0;
	if (ct->raw) {
		task = wsq_raw_from_inbox(ct, ct);
		return task ?: wsq_bwos_fifo_get(&ct->fifo);
	}

	if (wsq_backlog_empty(&ct->backlog))
		wsq_backlog_fill(&ct->backlog, wsq_inbox_take(&ct->inbox));
	if (!wsq_backlog_turn(&ct->backlog, WSQ_TURN_BUDGET))
		return wsq_bwos_fifo_get(&ct->fifo) ?: WSQ_AGAIN;

	link = wsq_backlog_pop(&ct->backlog);
	if (!link)
		return wsq_bwos_fifo_get(&ct->fifo);
	wsq_container_refill(ct);
	return wsq_link_task(ct->pool, link);
}

/**
 * wsq_container_idle() - does the owner have nothing to do here
 * @ct: the container
 *
 * Context: the consumer.
 * Return: true if engine, backlog and inbox are empty.
 */
bool wsq_container_idle(const struct wsq_container *ct)
{
	return wsq_bwos_fifo_empty(&ct->fifo) &&
	       wsq_backlog_empty(&ct->backlog) && wsq_inbox_empty(&ct->inbox);
}

/**
 * wsq_container_steal() - rob the engine of another CPU's container
 * @ct: the victim
 * @tasks: where to store what is taken
 * @max: how many at most
 *
 * Context: any but NMI, with preemption off.
 * Return: how many were taken, or a negative enum wsq_status.
 */
int wsq_container_steal(struct wsq_container *ct, void **tasks, u32 max)
{
	return wsq_bwos_fifo_steal(&ct->fifo, tasks, max);
}

/**
 * wsq_container_rob_inbox() - take what waits in another CPU's inbox
 * @victim: the victim
 * @me: container of this CPU, %NULL if it has none
 *
 * Context: any but NMI, with preemption off, on @me's CPU.
 * Return: a task of which the caller takes care; what was behind it is in @me.
 * %NULL if there was none, or if @me's consumer was interrupted. %WSQ_AGAIN:
 * tasks are in @me, call wsq_container_get().
 */
void *wsq_container_rob_inbox(struct wsq_container *victim,
			      struct wsq_container *me)
{
	void *task;

	if (wsq_inbox_empty(&victim->inbox))
		return NULL;
	if (victim->raw && !me)
		return wsq_raw_from_inbox(victim, NULL);
	if (!me || !wsq_get_begin(me))
		return NULL;

	if (victim->raw) {
		task = wsq_raw_from_inbox(victim, me);
	} else if (wsq_backlog_empty(&me->backlog)) {
		wsq_backlog_fill(&me->backlog, wsq_inbox_take(&victim->inbox));
		task = wsq_backlog_empty(&me->backlog) ? NULL : WSQ_AGAIN;
	} else {
		task = WSQ_AGAIN;
	}
	wsq_get_end(me);
	return task;
}

/**
 * wsq_container_foster_get() - take a task from an orphan
 * @ct: the container of a dead CPU
 *
 * Context: any but NMI, with preemption off, on any CPU.
 * Return: the task; %NULL if there is none, if somebody else is at it, or if
 * @ct is no orphan; %WSQ_AGAIN as wsq_container_get().
 */
void *wsq_container_foster_get(struct wsq_container *ct)
{
	void *task;

	if (atomic_read(&ct->orphan) != WSQ_ORPHAN)
		return NULL;
	/* Acquire and release hand the consumer role from one to the next. */
	if (atomic_cmpxchg_acquire(&ct->orphan, WSQ_ORPHAN,
				   WSQ_FOSTERED) != WSQ_ORPHAN)
		return NULL;
	task = wsq_container_get(ct);
	atomic_set_release(&ct->orphan, WSQ_ORPHAN);
	return task;
}

/**
 * wsq_container_orphan() - the container's CPU is dead
 * @ct: the container
 *
 * Context: task; the CPU can run nothing any more.
 */
void wsq_container_orphan(struct wsq_container *ct)
{
	atomic_set_release(&ct->orphan, WSQ_ORPHAN);
}

/**
 * wsq_container_reclaim() - the container's CPU is about to run again
 * @ct: the container
 *
 * Context: task; may sleep. The CPU runs nothing yet.
 */
void wsq_container_reclaim(struct wsq_container *ct)
{
	while (atomic_read(&ct->orphan) != WSQ_OWNED) {
		if (atomic_cmpxchg_acquire(&ct->orphan, WSQ_ORPHAN,
					   WSQ_OWNED) == WSQ_ORPHAN)
			return;
		/* A foster consumer is at it, with preemption off. */
		cond_resched();
	}
}
