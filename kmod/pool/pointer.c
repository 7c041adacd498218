// SPDX-License-Identifier: GPL-2.0
/*
 * Containers of pointer pools, the parts outside the fast path. A task that
 * cannot use the engine's producer side passes an inbox, by a link that belongs
 * to the container.
 *
 *	RW(back:A) release -> RW(alloc:A) acquire
 *		A link is used again only after its last use.
 *		litmus/pool-pointer-link.litmus
 *	RW(back:A) release -> RW(quiet:B) acquire
 *		A task whose link is free again is seen in the engine.
 *		litmus/pool-quiet.litmus
 *	RW(push:A) against RW(quiet:A)
 *		A link that is seen counted is seen in use.
 *		litmus/pool-lent.litmus
 */
#include <linux/bitops.h>

#include "grow.h"
#include "pointer.h"

/*
 * Allocate a link. Links are in a bitmap and not in a list, because a list's
 * pop could be interrupted by another pop.
 */
static struct wsq_pointer_link *wsq_pointer_link_alloc(struct wsq_container *ct)
{
	s64 used = atomic64_read(&ct->pointer->used);
	unsigned int i;

	do {
		if (!~used)
			return NULL;
		i = __ffs64(~(u64)used);
		/*
		 * RW(alloc:A): Acquire: the context that freed the link no
		 * longer uses it.
		 */
	} while (!atomic64_try_cmpxchg_acquire(&ct->pointer->used, &used,
					       (s64)((u64)used | BIT_ULL(i))));
	return &ct->pointer->links[i];
}

static void *wsq_pointer_take_back(struct wsq_pointer_link *rl)
{
	struct wsq_container *home = rl->home;
	void *task = rl->task;

	/* RW(back:A) */
	atomic64_fetch_andnot_release((s64)BIT_ULL(rl - home->pointer->links),
				      &home->pointer->used);
	return task;
}

static void wsq_pointer_push_link(struct wsq_container *ct, atomic64_t *link)
{
	int ret;

	do {
		ret = wsq_inbox_try_push(&ct->pointer->inbox, link);
	} while (ret == WSQ_CONFLICT);
	wsq_reach_set(ct);
}

/**
 * wsq_pointer_push() - put a task through the inbox
 * @ct: any container
 * @task: the task
 *
 * Context: any, NMI included.
 * Return: %WSQ_OK; %WSQ_FULL if all links are in use.
 * Ordering: full barrier.
 */
int wsq_pointer_push(struct wsq_container *ct, void *task)
{
	struct wsq_pointer_link *rl = wsq_pointer_link_alloc(ct);

	if (!rl)
		return WSQ_FULL;
	/* Set the bit, count, then publish the task: wsq_pointer_quiet(). */
	smp_mb__before_atomic();			/* RW(push:A) */
	atomic64_inc(&ct->pointer->allocated);
	rl->task = task;
	wsq_pointer_push_link(ct, &rl->link);
	return WSQ_OK;
}

/*
 * An inbox has at most WSQ_POINTER_LINKS tasks, so one call takes them all. It
 * returns the oldest. The others go to the engine of @me; if that is full, or
 * @me is %NULL, back into the inbox.
 */
static void *wsq_pointer_from_inbox(struct wsq_container *from,
				    struct wsq_container *me)
{
	struct wsq_backlog bl;
	struct wsq_pointer_link *rl;
	atomic64_t *link;
	void *task;

	link = wsq_inbox_take(&from->pointer->inbox);
	if (!link)
		return NULL;
	wsq_backlog_init(&bl);
	wsq_backlog_fill(&bl, link);
	wsq_backlog_reverse(&bl, U32_MAX);

	rl = container_of(wsq_backlog_pop(&bl), struct wsq_pointer_link, link);
	task = wsq_pointer_take_back(rl);
	while ((link = wsq_backlog_pop(&bl))) {
		int ret;

		rl = container_of(link, struct wsq_pointer_link, link);
		ret = me ? wsq_pointer_put(me, rl->task) : WSQ_FULL;
		if (ret == WSQ_PUBLISHED)
			wsq_pointer_published(me);
		if (ret >= 0)
			wsq_pointer_take_back(rl);
		else
			wsq_pointer_push_link(from, link);
	}
	return task;
}

/**
 * wsq_pointer_get_slow() - take a task from the inbox
 * @ct: container of this CPU, with @get_busy set by the caller
 *
 * Context: as wsq_pointer_get().
 * Return: as wsq_pointer_get().
 */
void *wsq_pointer_get_slow(struct wsq_container *ct)
{
	ct->turns = 0;
	if (wsq_grow_offered(ct) && wsq_put_begin(ct)) {
		wsq_engine_extend(ct);
		wsq_put_end(ct);
	}
	return wsq_pointer_from_inbox(ct, ct) ?: wsq_engine_get(ct);
}

/**
 * wsq_pointer_steal() - steal the tasks in another CPU's inbox
 * @victim: the victim
 * @me: container of this CPU, %NULL if it has none
 *
 * Context: any but NMI, with preemption off, on @me's CPU.
 * Return: the oldest task, %NULL if there was none. The others are in @me.
 */
void *wsq_pointer_steal(struct wsq_container *victim, struct wsq_container *me)
{
	if (wsq_inbox_empty(&victim->pointer->inbox))
		return NULL;
	return wsq_pointer_from_inbox(victim, me);
}

/**
 * wsq_pointer_quiet() - is an inbox empty, and no task being moved from it
 * @ct: any container
 * @allocated: the number of tasks ever put there is added to this
 *
 * A task that passes an inbox keeps its link until it is in the engine, or
 * owned by the caller of the take. If two calls return true with the same
 * @allocated, no task was put there between them.
 *
 * Context: any.
 * Return: true if so.
 */
bool wsq_pointer_quiet(struct wsq_container *ct, u64 *allocated)
{
	*allocated += atomic64_read(&ct->pointer->allocated);
	/*
	 * Read the count before the bitmap: against wsq_pointer_push(), and for
	 * wsq_pool_was_empty().
	 */
	smp_mb();					/* RW(quiet:A) */
	/* Acquire: a task that was moved on is seen where it went. */
	return !atomic64_read_acquire(&ct->pointer->used);	/* RW(quiet:B) */
}

/**
 * wsq_pointer_adopt_get() - take a task from a dead CPU's container
 * @ct: the container of a dead CPU
 *
 * Context: any but NMI, with preemption off, on any CPU.
 * Return: the task; %NULL if there is none, if another CPU has adopted the
 * container, or if its CPU owns it.
 */
void *wsq_pointer_adopt_get(struct wsq_container *ct)
{
	void *task;

	/* Then only the own CPU may consume. */
	if (wsq_engine_ops(ct->kind)->thieves_reach_all || !wsq_adopt_begin(ct))
		return NULL;
	task = wsq_pointer_get(ct);
	wsq_adopt_end(ct);
	/*
	 * A thief may have missed the rest during the adoption, and cleared the
	 * bit.
	 */
	if (task)
		wsq_reach_set(ct);
	return task;
}
