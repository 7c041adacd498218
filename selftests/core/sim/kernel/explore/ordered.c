// SPDX-License-Identifier: GPL-2.0
/*
 * A queue that keeps order, which threads and interrupts on all CPUs put to and
 * cancel from, beside a queue of another kind that its items are put to as well.
 *
 * - Never two items of the queue run at a time, on any CPU.
 * - Items that one thread put, one after the other, begin in that order.
 * - A flush ends, and what its thread had put before has run or was cancelled.
 *
 * ordered_gone: such queues are destroyed while a worker holds the token, with
 * nothing counted, and others get their numbers.
 */
#include "../../../../../kmod/exec/exec.h"
#include "explore.h"

#define DEEDS	5	/* actions of a thread */

static unsigned int inside;

static void runs(struct item *it)
{
	if (it->q != queue_ordered())
		return;
	if (inside++)
		sim_fail("item %u runs beside another one", it->nr);
	switch (below(4)) {
	case 0:
		doze(30 * SIM_US);
		break;
	case 1:
		compute(20 * SIM_US);
		break;
	default:
		if (it->arg && it->arg--)
			put(it);
		break;
	}
	inside--;
}

/* ---- ordered: two items of each thread, in order ---- */

static void in_turn(struct item *it)
{
	/* @other was put before, and cannot be queued again until it has begun. */
	if (it->other && it->other->begun < it->begun)
		sim_fail("item %u overtakes item %u", it->nr, it->other->nr);
	runs(it);
}

/* Puts both in turn: the second never begins more often than the first. */
static int pair_thread(void *arg)
{
	struct item *it = arg;
	unsigned int i;

	for (i = 0; i < DEEDS; i++) {
		if (once_in(3))
			doze(10 * SIM_US);
		if (!put(it->other))
			continue;
		put(it);
		if (once_in(3)) {
			unsigned int accepted = it->accepted;

			wsq_flush(it->q->q);
			if (it->ended < accepted)
				sim_fail("item %u: of %u runs %u are over behind a flush",
					 it->nr, accepted, it->ended);
		}
	}
	return 0;
}

/* ... and one that is cancelled all the time. */
static int cancel_thread(void *arg)
{
	struct item *it = arg;
	unsigned int i;

	for (i = 0; i < DEEDS; i++) {
		if (once_in(3))
			compute(5 * SIM_US);
		put(it);
		if (once_in(3))
			doze(10 * SIM_US);
		cancel(it, once_in(4) ? wsq_cancel_work_sync : wsq_cancel_work);
	}
	return 0;
}

static void ordered_round(void)
{
	struct queue *q = queue_ordered();
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct item *first = new_item(q, -1, runs);
		struct item *second = new_item(q, -1, in_turn);

		second->other = first;
		thread(pair_thread, second);
	}
	for (i = 1 + below(2); i; i--) {
		struct item *it = new_item(q, -1, runs);

		it->arg = 2;
		thread(cancel_thread, it);
		if (once_in(2))
			put_somewhere(it);
	}
	if (once_in(2))
		put_somewhere(new_item(queue_of(1, 0), some_cpu(), runs));
}

static void ordered_over(void)
{
	if (inside)
		sim_fail("%u items are still in their function", inside);
}

const struct scene ordered_scene = {
	.name = "ordered",
	.rounds = 30,
	.round = ordered_round,
	.over = ordered_over,
};

/* ---- ordered_gone ---- */

/* A queue that lasts as long as its thread. */
struct brief {
	struct queue queue;
	struct item *last;
	struct item *another;
};

static struct brief briefs[2];

/* Behind this one the worker's time slice is over, and nothing is left. */
static void end_slice(struct item *it)
{
	struct brief *b = container_of(it->q, struct brief, queue);

	sim_compute(WSQ_SLICE_NS + 1 + below(SIM_US));
	put(b->another);
	cancel(b->last, wsq_cancel_work);
}

static int brief_thread(void *arg)
{
	static const struct wsq_attrs keeps_order = { .flags = WSQ_ORDERED };
	struct brief *b = arg;
	struct item *first;
	unsigned int i;

	b->queue.most = 1;
	b->queue.q = wsq_create(&keeps_order, "brief");
	if (IS_ERR(b->queue.q))
		sim_fail("wsq_create(): %ld", PTR_ERR(b->queue.q));
	for (i = 1 + below(2); i; i--) {
		first = new_item(&b->queue, -1, once_in(4) ? nothing : end_slice);
		b->last = new_item(&b->queue, -1, nothing);
		b->another = new_item(queue_of(1, b - briefs), -1, nothing);
		put(first);
		put(b->last);
		/* The token waits in a lane. */
		if (once_in(4)) {
			cancel(first, wsq_cancel_work);
			cancel(b->last, wsq_cancel_work);
		}
		if (i > 1)
			wsq_flush(b->queue.q);
	}
	wsq_destroy(b->queue.q);
	return 0;
}

static void gone_round(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(briefs); i++)
		thread(brief_thread, &briefs[i]);
}

const struct scene ordered_gone_scene = {
	.name = "ordered_gone",
	.rounds = 30,
	.round = gone_round,
};
