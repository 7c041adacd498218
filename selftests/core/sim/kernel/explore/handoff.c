// SPDX-License-Identifier: GPL-2.0
/*
 * Hand-off to standby workers.
 *
 * handoff: items that sleep until an item of another queue has run, which is
 * queued before them or behind, on the same CPU or another, beside others that
 * sleep for a time or do nothing. Without a hand-off of the CPU, nothing
 * continues.
 *
 * limits: one queue, at its limit or near, with items that sleep for a time, or
 * until another thread lets them continue. If the CPU does not return to the
 * queue, its items stay.
 *
 * few: an item sleeps until another one of its queue has run, and a worker for
 * that exists only when a third item, which sleeps likewise, has ended: the CPU
 * has as many workers as allowed (mutants.list makes it two).
 *
 * wake: an item is queued on the CPU of a sleeping one when that one continues.
 */
#include "explore.h"

static void dozes(struct item *it)
{
	doze(200 * SIM_US);
}

static void computes(struct item *it)
{
	compute(50 * SIM_US);
}

/* Bound to a CPU, mostly to the same one; or unbound. */
static int bound_or_open(int cpu)
{
	if (once_in(3))
		return -1;
	return once_in(4) ? some_cpu() : cpu;
}

static void shuffle(struct item **list, unsigned int nr)
{
	unsigned int i, k;

	for (i = nr; i > 1; i--) {
		struct item *it = list[i - 1];

		k = below(i);
		list[i - 1] = list[k];
		list[k] = it;
	}
}

/* Puts all of the round's items, here or elsewhere, in some order. */
static void put_all(void)
{
	struct item *order[ITEMS];
	unsigned int i;
	bool here = once_in(3);

	memcpy(order, items, sizeof(order));
	if (once_in(2))
		shuffle(order, nr_items);
	for (i = 0; i < nr_items; i++) {
		if (here || once_in(8))
			put(order[i]);
		else
			put_somewhere(order[i]);
		if (once_in(6))
			doze(50 * SIM_US);
	}
}

static void handoff_round(void)
{
	struct queue *a = queue_of(1 + below(LIMITS), 0);
	struct queue *b = queue_of(1 + below(LIMITS), 1);
	unsigned int i, nr = 1 + below(3);
	int cpu = some_cpu();

	for (i = 0; i < nr; i++) {
		struct item *sleeper = new_item(a, bound_or_open(cpu), wait_to_go);
		struct item *waker = new_item(b, bound_or_open(cpu), let_go_on);

		waker->other = sleeper;
	}
	for (i = below(4); i; i--)
		new_item(once_in(2) ? a : b, bound_or_open(cpu),
			 once_in(3) ? dozes : once_in(2) ? computes : nothing);
	put_all();
}

const struct scene handoff_scene = {
	.name = "handoff",
	.rounds = 30,
	.round = handoff_round,
};

/* ---- limits ---- */

static int waker_thread(void *arg)
{
	struct item *it = arg;

	if (once_in(2))
		doze(100 * SIM_US);
	let_go(it);
	return 0;
}

static void limits_round(void)
{
	struct queue *q = queue_of(1 + below(2), 2);
	unsigned int i, nr = 1 + below(4);
	int cpu = some_cpu();

	for (i = 0; i < nr; i++)
		new_item(q, once_in(4) ? -1 : cpu, once_in(3) ? dozes : wait_to_go);
	for (i = 1 + below(2); i; i--)
		new_item(q, once_in(4) ? -1 : cpu, once_in(3) ? dozes : nothing);
	for (i = 0; i < nr; i++) {
		if (items[i]->fn == wait_to_go)
			thread(waker_thread, items[i]);
	}
	put_all();
}

const struct scene limits_scene = {
	.name = "limits",
	.rounds = 30,
	.round = limits_round,
};

/* ---- wake ---- */

static void sleeps_shortly(struct item *it)
{
	sim_time time = SIM_US + sim_random_below(10 * SIM_US);
	unsigned int cpu = sim_cpu();
	struct item *x = it->other;

	if (x) {
		/* Before, at, or after the time at which this one continues. */
		sim_time when = sim_now() + time + sim_random_below(6 * SIM_US);

		put_on_cpu((cpu + 1 + below(nr_cpu_ids - 1)) % nr_cpu_ids, x,
			   when > 2 * SIM_US ? when - 2 * SIM_US : 0);
	}
	shim_sleep(time);
}

static void wake_round(void)
{
	struct queue *a = queue_of(1 + below(LIMITS), 0);
	struct queue *b = queue_of(1 + below(LIMITS), 1);
	struct item *last = NULL;
	int cpu = some_cpu();
	unsigned int i;

	for (i = 2 + below(3); i; i--) {
		struct item *it = new_item(once_in(2) ? a : b, cpu,
					   last && once_in(3) ? nothing : sleeps_shortly);

		it->other = last;
		/* If the item does not queue the other one, queue it here. */
		if (last && it->fn == nothing)
			put_somewhere(last);
		last = it;
	}
	put_somewhere(last);
}

const struct scene wake_scene = {
	.name = "wake",
	.rounds = 30,
	.round = wake_round,
};

/* ---- few ---- */

/* items: the sleeper, the one it waits for, the next sleeper, the one it waits for. */
static void first_sleeps(struct item *it)
{
	put(items[2]);
	wait_to_go(it);
}

static void next_sleeps(struct item *it)
{
	put(items[3]);
	wait_to_go(it);
}

static void few_round(void)
{
	struct queue *q = queue_of(2 + below(2), 0);
	int cpu = some_cpu();

	new_item(q, cpu, first_sleeps);
	new_item(q, cpu, let_go_on)->other = items[0];
	new_item(queue_of(1, 1), cpu, next_sleeps);
	new_item(queue_of(1, 2), cpu, let_go_on)->other = items[2];
	put(items[0]);
	if (once_in(2))
		doze(20 * SIM_US);
	put_somewhere(items[1]);
}

const struct scene few_scene = {
	.name = "few",
	.rounds = 4,
	.round = few_round,
};
