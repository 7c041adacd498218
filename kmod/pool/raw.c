// SPDX-License-Identifier: GPL-2.0
/*
 * Containers of raw pools, the parts outside the fast path. Tasks that cannot
 * use the engine's producer side pass the inbox of the entrance with a link
 * that the container lends; the lists behind it are not used.
 *
 *	RW(back:A) release -> RW(lend:A) acquire
 *		A link is used anew behind its last use.
 *		litmus/pool-raw-link.litmus
 *	RW(back:A) release -> RW(quiet:B) acquire
 *		A task whose link is back is seen in the engine.
 *		litmus/pool-quiet.litmus
 *	RW(push:A) against RW(quiet:A)
 *		A link seen counted is seen in use. litmus/pool-lent.litmus
 */
#include <linux/bitops.h>

#include "grow.h"
#include "raw.h"

/*
 * Borrow a link. A bitmap and no list, because a list's pop could be
 * interrupted by the same pop.
 */
static struct wsq_raw_link *wsq_raw_lend(struct wsq_container *ct)
{
	s64 used = atomic64_read(&ct->raw->used);
	unsigned int i;

	do {
		if (!~used)
			return NULL;
		i = __ffs64(~(u64)used);
		/*
		 * RW(lend:A): Acquire: the context that gave the link back is
		 * done with it.
		 */
	} while (!atomic64_try_cmpxchg_acquire(&ct->raw->used, &used,
					       (s64)((u64)used | BIT_ULL(i))));
	return &ct->raw->links[i];
}

static void *wsq_raw_take_back(struct wsq_raw_link *rl)
{
	struct wsq_container *home = rl->home;
	void *task = rl->task;

	/* RW(back:A) */
	atomic64_fetch_andnot_release((s64)BIT_ULL(rl - home->raw->links),
				      &home->raw->used);
	return task;
}

static void wsq_raw_push_link(struct wsq_container *ct, atomic64_t *link)
{
	int ret;

	do {
		ret = wsq_inbox_try_push(&ct->open.inbox, link);
	} while (ret == WSQ_CONFLICT);
}

/**
 * wsq_raw_push() - put a task through the inbox
 * @ct: any container
 * @task: the task
 *
 * Context: any, NMI included.
 * Return: %WSQ_OK; %WSQ_FULL if all links are lent.
 * Ordering: full barrier.
 */
int wsq_raw_push(struct wsq_container *ct, void *task)
{
	struct wsq_raw_link *rl = wsq_raw_lend(ct);

	if (!rl)
		return WSQ_FULL;
	/* Lent, then counted; before the task is there: wsq_raw_quiet(). */
	smp_mb__before_atomic();			/* RW(push:A) */
	atomic64_inc(&ct->raw->lent);
	rl->task = task;
	wsq_raw_push_link(ct, &rl->link);
	return WSQ_OK;
}

/*
 * There are at most WSQ_RAW_LINKS in an inbox, so all are looked at in one go.
 * The oldest is the caller's; the others go to the engine of @me or, where that
 * is full or @me is none, back.
 */
static void *wsq_raw_from_inbox(struct wsq_container *from,
				struct wsq_container *me)
{
	struct wsq_backlog bl;
	struct wsq_raw_link *rl;
	atomic64_t *link;
	void *task;

	link = wsq_inbox_take(&from->open.inbox);
	if (!link)
		return NULL;
	wsq_backlog_init(&bl);
	wsq_backlog_fill(&bl, link);
	wsq_backlog_turn(&bl, U32_MAX);

	rl = container_of(wsq_backlog_pop(&bl), struct wsq_raw_link, link);
	task = wsq_raw_take_back(rl);
	while ((link = wsq_backlog_pop(&bl))) {
		rl = container_of(link, struct wsq_raw_link, link);
		if (me && wsq_raw_put(me, rl->task) >= 0)
			wsq_raw_take_back(rl);
		else
			wsq_raw_push_link(from, link);
	}
	return task;
}

/**
 * wsq_raw_get_slow() - take a task from the inbox
 * @ct: container of this CPU, with @get_busy set by the caller
 *
 * Context: as wsq_raw_get().
 * Return: as wsq_raw_get().
 */
void *wsq_raw_get_slow(struct wsq_container *ct)
{
	ct->turns = 0;
	if (wsq_grow_offered(ct) && wsq_put_begin(ct)) {
		wsq_engine_extend(ct);
		wsq_put_end(ct);
	}
	return wsq_raw_from_inbox(ct, ct) ?: wsq_engine_get(ct);
}

/**
 * wsq_raw_rob() - take what waits in another CPU's inbox
 * @victim: the victim
 * @me: container of this CPU, %NULL if it has none
 *
 * Context: any but NMI, with preemption off, on @me's CPU.
 * Return: a task; what was behind it is in @me. %NULL if there was none.
 */
void *wsq_raw_rob(struct wsq_container *victim, struct wsq_container *me)
{
	if (wsq_inbox_empty(&victim->open.inbox))
		return NULL;
	return wsq_raw_from_inbox(victim, me);
}

/**
 * wsq_raw_quiet() - is nothing in an inbox, or on its way from one
 * @ct: any container
 * @lent: how often a task went there is added to this
 *
 * A task that passes an inbox has a link until it is in the engine, or in the
 * hand of who asked for it. Two answers with the same @lent: nothing went there
 * between the two.
 *
 * Context: any.
 * Return: true if so.
 */
bool wsq_raw_quiet(struct wsq_container *ct, u64 *lent)
{
	*lent += atomic64_read(&ct->raw->lent);
	/* The count, then who is there: against wsq_raw_push(), and for more. */
	smp_mb();					/* RW(quiet:A) */
	/* Acquire: what was moved on is seen where it went. */
	return !atomic64_read_acquire(&ct->raw->used);	/* RW(quiet:B) */
}

/**
 * wsq_raw_foster_get() - take a task from an orphan
 * @ct: the container of a dead CPU
 *
 * Context: any but NMI, with preemption off, on any CPU.
 * Return: the task; %NULL if there is none, if somebody else is at it, or if
 * @ct is no orphan.
 */
void *wsq_raw_foster_get(struct wsq_container *ct)
{
	void *task;

	/* Thieves get at everything, and the consumer stays on its CPU. */
	if (wsq_engine_ops(ct->kind)->moves_chunks || !wsq_foster_begin(ct))
		return NULL;
	task = wsq_raw_get(ct);
	wsq_foster_end(ct);
	return task;
}
