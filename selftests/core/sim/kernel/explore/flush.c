// SPDX-License-Identifier: GPL-2.0
/*
 * Flushes, and an item that is queued again and again.
 *
 * A flush of an item beside threads that queue the item, sometimes in vain,
 * cancel it, disable it and enable it again, from any CPU and from interrupts,
 * while it runs and while it does not.
 *
 * - No run that had begun when wsq_flush_work() was called is in progress when
 * it returns; and each run for which the item had been queued by then is over
 * or was cancelled.
 * - After wsq_disable_work() and then wsq_flush_work(), and after
 * wsq_disable_work_sync(), the function does not run, and does not begin until
 * the item is enabled.
 * - Each flush, cancel and disable ends.
 */
#include "explore.h"

#define DEEDS	4	/* actions of a thread */

static unsigned int disabled[ITEMS];	/* by threads that know that it cannot run */

static void runs(struct item *it)
{
	if (disabled[it->nr])
		sim_fail("item %u runs while it is disabled", it->nr);
	switch (below(4)) {
	case 0:
		break;
	case 1:
		doze(30 * SIM_US);
		break;
	case 2:
		compute(20 * SIM_US);
		break;
	default:
		/* It queues itself, a few times. */
		if (it->arg && it->arg--)
			put(it);
		break;
	}
	if (disabled[it->nr])
		sim_fail("item %u still runs, and is disabled", it->nr);
}

static void flush(struct item *it)
{
	unsigned int begun = it->begun, accepted = it->accepted;

	wsq_flush_work(&it->work);
	if (it->ended < begun)
		sim_fail("item %u: a flush returns while the run is under way that it found",
			 it->nr);
	if (it->ended + it->cancelled + it->cancels < accepted)
		sim_fail("item %u: of %u runs %u are over when a flush returns", it->nr,
			 accepted, it->ended + it->cancelled);
}

static void does_not_run(struct item *it)
{
	if (it->begun != it->ended)
		sim_fail("item %u runs behind a flush, and is disabled", it->nr);
	disabled[it->nr]++;
	if (once_in(2))
		doze(20 * SIM_US);
	disabled[it->nr]--;
}

static void deed(struct item *it)
{
	switch (below(8)) {
	case 0:
	case 1:
		put(it);
		break;
	case 2:
	case 3:
		flush(it);
		break;
	case 4:
		cancel(it, wsq_cancel_work);
		break;
	case 5:
		cancel(it, wsq_disable_work);
		if (once_in(2)) {
			flush(it);
			does_not_run(it);
		} else {
			doze(10 * SIM_US);
		}
		wsq_enable_work(&it->work);
		break;
	case 6:
		cancel(it, wsq_disable_work_sync);
		does_not_run(it);
		wsq_enable_work(&it->work);
		break;
	default:
		cancel(it, wsq_cancel_work_sync);
		break;
	}
}

static int deeds_thread(void *arg)
{
	struct item *it = arg;
	unsigned int i;

	for (i = 0; i < DEEDS; i++) {
		if (once_in(3))
			doze(20 * SIM_US);
		deed(it);
	}
	return 0;
}

static void flush_round(void)
{
	struct queue *q = queue_of(1 + below(LIMITS), below(QUEUES));
	unsigned int i, nr = 1 + once_in(3);

	for (i = 0; i < nr; i++) {
		struct item *it = new_item(q, once_in(2) ? -1 : some_cpu(), runs);
		unsigned int k;

		it->arg = 3;
		it->stray = true;
		put_somewhere(it);
		for (k = 2 + below(2); k; k--)
			thread(deeds_thread, it);
		if (once_in(2))
			put_somewhere(it);
	}
}

/* ---- again ---- */

/*
 * One item, which is queued repeatedly, on one CPU and on another, while it
 * runs and when it has ended, by threads or by itself.
 */
static void runs_briefly(struct item *it)
{
	if (once_in(4))
		compute(SIM_US);
	if (it->arg && once_in(2)) {
		it->arg--;
		it->cpu = once_in(4) ? -1 : some_cpu();
		put(it);
	}
}

static int again_thread(void *arg)
{
	struct item *it = arg;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		it->cpu = once_in(4) ? -1 : some_cpu();
		put(it);
		if (once_in(3))
			compute(2 * SIM_US);
		else if (once_in(4))
			doze(20 * SIM_US);
	}
	return 0;
}

static void again_round(void)
{
	struct queue *q = queue_of(1 + below(LIMITS), below(QUEUES));
	struct item *it = new_item(q, -1, runs_briefly);
	unsigned int i;

	it->stray = true;
	it->arg = 3;
	for (i = 1 + below(2); i; i--)
		thread(again_thread, it);
}

/* ---- bound ---- */

/* Its next run is for a CPU that may take it while this one goes on. */
static void moves_on(struct item *it)
{
	if (!it->arg)
		return;
	it->arg--;
	it->cpu = some_cpu();
	put(it);
	if (once_in(2))
		doze(50 * SIM_US);
	else
		compute(20 * SIM_US);
}

/* Each run is on the CPU that the item was queued for, though it ran then. */
static void bound_round(void)
{
	struct queue *q = queue_of(1 + below(LIMITS), below(QUEUES));
	unsigned int i;

	for (i = 1 + below(3); i; i--) {
		struct item *it = new_item(q, once_in(2) ? -1 : some_cpu(), moves_on);

		it->arg = 3;
		put_somewhere(it);
	}
}

/* ---- flush_all ---- */

/*
 * Threads that queue items, flush the queue, and queue again. A flush ends, and
 * what its thread had queued before has run. What others had queued need not:
 * nothing tells this thread of that.
 */
static int flush_all_thread(void *arg)
{
	struct item *it = arg;
	unsigned int i, before, accepted = 0;

	for (i = 0; i < 5; i++) {
		/* Others may queue it again before put() returns. */
		before = it->accepted;
		if (once_in(2) && put(it))
			accepted = before + 1;
		if (once_in(3))
			doze(10 * SIM_US);
		else if (once_in(3))
			compute(2 * SIM_US);
		if (once_in(2))
			continue;
		wsq_flush(it->q->q);
		if (it->ended < accepted)
			sim_fail("item %u: of %u runs %u are over when its queue is flushed",
				 it->nr, accepted, it->ended);
	}
	return 0;
}

static void flush_all_round(void)
{
	struct queue *q = queue_of(1 + below(LIMITS), below(QUEUES));
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct item *it = new_item(q, once_in(2) ? -1 : some_cpu(), runs_briefly);

		it->stray = true;
		it->arg = 2;
		thread(flush_all_thread, it);
		if (once_in(2))
			thread(flush_all_thread, it);
	}
}

const struct scene flush_all_scene = {
	.name = "flush_all",
	.rounds = 30,
	.round = flush_all_round,
};

const struct scene bound_scene = {
	.name = "bound",
	.rounds = 30,
	.round = bound_round,
};

const struct scene again_scene = {
	.name = "again",
	.rounds = 30,
	.round = again_round,
};

const struct scene flush_scene = {
	.name = "flush",
	.rounds = 30,
	.round = flush_round,
};
