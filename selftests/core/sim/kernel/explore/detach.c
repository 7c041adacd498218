// SPDX-License-Identifier: GPL-2.0
/*
 * Detaching: items that compute for longer than the watchdog has patience, then
 * sleep or end, while another queue waits, and while items of their own queue are
 * held back by its limit.
 *
 * Some of these sleep until an open item of their own queue, which is at its limit
 * of one, has run: then a CPU that idles has to come for it.
 */
#include "explore.h"

/* Longer than WSQ_DETACH_NS and a period of the watchdog's. */
static void is_long(void)
{
	sim_compute(9 * SIM_MS + sim_random_below(12 * SIM_MS));
}

static void long_item(struct item *it)
{
	is_long();
	if (once_in(2))
		doze(200 * SIM_US);
	if (once_in(4))
		is_long();
}

static void long_then_waits(struct item *it)
{
	if (once_in(4))
		doze(20 * SIM_US);
	is_long();
	wait_to_go(it);
}

static void short_item(struct item *it)
{
	if (once_in(2))
		compute(20 * SIM_US);
	else
		doze(100 * SIM_US);
}

static void detach_round(void)
{
	struct queue *a = queue_of(1 + below(LIMITS), 0);
	struct queue *b = queue_of(1 + below(LIMITS), 1);
	int cpu = some_cpu();
	unsigned int i;

	if (once_in(3)) {
		/* One is at the limit; the other must not wait for it. */
		struct queue *one = queue_of(1, 2);
		struct item *sleeper = new_item(one, once_in(2) ? cpu : -1,
						once_in(2) ? wait_to_go :
							     long_then_waits);
		struct item *waker = new_item(one, -1, let_go_on);

		waker->other = sleeper;
	}
	for (i = 1 + below(2); i; i--)
		new_item(a, once_in(2) ? cpu : -1, long_item);
	if (once_in(2)) {
		struct item *sleeper = new_item(a, once_in(2) ? cpu : -1,
						long_then_waits);
		struct item *waker = new_item(b, once_in(2) ? cpu : -1, let_go_on);

		waker->other = sleeper;
	}
	for (i = 1 + below(3); i; i--)
		new_item(once_in(2) ? a : b, once_in(2) ? cpu : -1, short_item);
	for (i = 0; i < nr_items; i++) {
		if (once_in(2))
			put(items[i]);
		else
			put_somewhere(items[i]);
		if (once_in(6))
			doze(50 * SIM_US);
	}
}

/* ---- what waits for a detached item ---- */

/*
 * An item is detached, since another queue waits behind it, and goes to another
 * CPU. When that queue's item runs, the detached one soon ends, or sleeps first,
 * while items of its queue are queued on the CPU that it came from: one that
 * sleeps until another one has run, and some that do nothing. The limit is one
 * or two.
 */
static void (*rest_of_it[3])(struct item *it);
static struct item *held[4];
static unsigned int nr_held;

static void ends_when_told(struct item *it)
{
	sim_compute(9 * SIM_MS);
	while (!it->go)
		sim_compute(SIM_US + sim_random_below(20 * SIM_US));
	rest_of_it[below(3)](it);
}

static void computes_on(struct item *it)
{
	compute(20 * SIM_US);
}

static void dozes_a_little(struct item *it)
{
	doze(20 * SIM_US);
}

static void dozes_and_computes(struct item *it)
{
	doze(20 * SIM_US);
	compute(20 * SIM_US);
}

static void tells(struct item *it)
{
	unsigned int i;

	if (once_in(2))
		it->other->go = true;
	for (i = 0; i < nr_held; i++)
		put_somewhere(held[i]);
	if (once_in(2))
		compute(20 * SIM_US);
	it->other->go = true;
}

static void detached_round(void)
{
	unsigned int most = 1 + below(2), i;
	struct queue *q = queue_of(most, 0), *other = queue_of(1, 1);
	struct item *is_detached, *behind;
	int cpu = some_cpu();

	rest_of_it[0] = computes_on;
	rest_of_it[1] = dozes_a_little;
	rest_of_it[2] = dozes_and_computes;
	is_detached = new_item(q, once_in(6) ? cpu : -1, ends_when_told);
	behind = new_item(other, cpu, tells);
	behind->other = is_detached;
	nr_held = 0;
	if (most == 2 && once_in(2)) {
		held[0] = new_item(q, cpu, wait_to_go);
		held[1] = new_item(q, cpu, let_go_on);
		held[1]->other = held[0];
		nr_held = 2;
	}
	for (i = once_in(2) || !nr_held; i; i--)
		held[nr_held++] = new_item(q, cpu, once_in(3) ? short_item : nothing);
	/* On that CPU, if it is not stolen. */
	put_on_cpu(cpu, is_detached);
	put_somewhere(behind);
}

const struct scene detached_scene = {
	.name = "detached",
	.rounds = 20,
	.round = detached_round,
};

const struct scene detach_scene = {
	.name = "detach",
	.rounds = 6,
	.round = detach_round,
};
