// SPDX-License-Identifier: GPL-2.0
/*
 * Detaching: items that compute for longer than the watchdog's threshold, then
 * sleep or end, while another queue waits, and while items of their own queue
 * are held back by its limit.
 *
 * detach: some of these sleep until an unbound item of their own queue, which
 * is at its limit of one, has run: an idle CPU then has to fetch it.
 *
 * detached: a detached item ends, or sleeps, when items of its queue are
 * queued.
 *
 * watch: an item is queued behind a computing one when the watchdog stops.
 *
 * parking: items are queued when the worker is about to park and the watchdog
 * looks.
 *
 * passed: a CPU that is at a queue's limit has skipped what it could steal, and
 * its item ends.
 *
 * released: an item of a queue at its limit ends while another one computes.
 */
#include "../../../../../kmod/exec/exec.h"
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
		/* One queue is at its limit; the other must not wait for it. */
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

/* ---- items that wait for a detached item ---- */

/*
 * An item is detached, since another queue waits behind it, and moves to
 * another CPU. When that queue's item runs, the detached one soon ends, or
 * sleeps first, while items of its queue are queued on the CPU that it came
 * from: one that sleeps until another one has run, and some that do nothing.
 * The limit is one or two.
 */
static struct item *held[4];
static unsigned int nr_held;
static bool sleeper_notify;

static void ends_when_notified(struct item *it)
{
	struct item *behind = items[1];

	/* Behind this item, on its current CPU. */
	behind->cpu = sim_cpu();
	put(behind);
	sim_compute(9 * SIM_MS);
	if (sleeper_notify) {
		/* It is no longer counted as detached, and still running. */
		while (!it->arg)
			sim_compute(SIM_US);
		while (atomic_read(&wsq_worker_current()->computes))
			shim_sleep(20 * SIM_US);
		compute_to_go(it, SIM_US / 5);
		return;
	}
	compute_to_go(it, 20 * SIM_US);
	if (once_in(2))
		doze(20 * SIM_US);
	if (once_in(2))
		compute(20 * SIM_US);
}

/* Sleeps until another item has run, and makes the detached one end then. */
static void notifies_and_waits(struct item *it)
{
	if (sleeper_notify) {
		items[0]->go = true;
		sim_compute(1 + sim_random_below(SIM_US));
	}
	wait_to_go(it);
}

static void tells(struct item *it)
{
	unsigned int i;

	it->other->arg = 1;
	if (!sleeper_notify && once_in(2))
		it->other->go = true;
	for (i = 0; i < nr_held; i++)
		put_somewhere(held[i]);
	if (once_in(2))
		compute(20 * SIM_US);
	if (!sleeper_notify)
		it->other->go = true;
}

static void detached_round(void)
{
	unsigned int most = 1 + below(2), i;
	struct queue *q = queue_of(most, 0), *other = queue_of(1, 1);
	struct item *is_detached, *behind;
	int cpu = some_cpu();

	is_detached = new_item(q, -1, ends_when_notified);
	behind = new_item(other, cpu, tells);
	behind->other = is_detached;
	nr_held = 0;
	sleeper_notify = false;
	if (most == 2 && !once_in(4)) {
		sleeper_notify = once_in(2);
		held[0] = new_item(q, cpu, notifies_and_waits);
		held[1] = new_item(q, cpu, let_go_on);
		held[1]->other = held[0];
		nr_held = 2;
	}
	for (i = (once_in(2) && !sleeper_notify) || !nr_held; i; i--)
		held[nr_held++] = new_item(q, cpu, once_in(3) ? short_item : nothing);
	/* On that CPU, unless it is stolen. */
	put_on_cpu(cpu, is_detached, sim_now());
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

/* ---- watch ---- */

/* The watchdog's delay before its first look: watchdog.c. */
#define WATCH_FIRST	(500 * SIM_US)

/* Computes until the other one has run: so it must be detached. */
static void is_watched(struct item *it)
{
	unsigned int cpu = (sim_cpu() + 1 + below(nr_cpu_ids - 1)) % nr_cpu_ids;
	struct item *vain = items[1], *behind = items[2];

	compute(50 * SIM_US);
	/* Sets the timer, and no longer waits when it expires. */
	put(vain);
	put_on_cpu(cpu, behind, sim_now() + WATCH_FIRST - 5 * SIM_US +
				sim_random_below(60 * SIM_US));
	if (vain->cpu >= 0) {
		vain->cancels++;
		vain->cancelled += wsq_cancel_work(&vain->work);
		vain->cancels--;
	}
	compute_to_go(it, 300 * SIM_US);
}

static void watch_round(void)
{
	struct queue *q = queue_of(1 + below(LIMITS), 0);
	struct queue *other = queue_of(1 + below(LIMITS), 1);
	int cpu = some_cpu();

	new_item(q, cpu, is_watched);
	new_item(other, once_in(3) ? -1 : cpu, nothing);
	new_item(other, cpu, let_go_on)->other = items[0];
	put(items[0]);
}

const struct scene watch_scene = {
	.name = "watch",
	.rounds = 10,
	.round = watch_round,
};

/* ---- parking ---- */

static void is_put(struct item *it)
{
	compute_to_go(it, 300 * SIM_US);
}

/*
 * Computes until the timer has expired and seen that this item has begun. The
 * timer stops only when it sees no further one.
 */
static void until_seen(const struct wsq_watchdog *watchdog)
{
	s64 expires = watchdog->timer.expires;
	unsigned int most = 100;

	while (watchdog->timer.expires == expires && most--)
		sim_compute(20 * SIM_US);
}

/* Ends when the timer that it has set expires, and the others are queued. */
static void parks(struct item *it)
{
	unsigned int cpu = (sim_cpu() + 1 + below(nr_cpu_ids - 1)) % nr_cpu_ids;
	const struct wsq_watchdog *watchdog = &wsq_cpus[sim_cpu()]->watchdog;
	struct item *vain = items[1];
	sim_time then, puts;

	put(vain);
	vain->cancels++;
	vain->cancelled += wsq_cancel_work(&vain->work);
	vain->cancels--;
	until_seen(watchdog);
	then = watchdog->timer.expires * SIM_NS;
	if (then < sim_now() + 10 * SIM_US)
		then = sim_now() + 10 * SIM_US;
	puts = then - sim_random_below(3 * SIM_US);
	put_on_cpu(cpu, items[2], puts);
	put_on_cpu(cpu, items[3], puts + sim_random_below(SIM_US / 5));
	then -= sim_random_below(8 * SIM_US);
	if (sim_now() < then)
		sim_compute(then - sim_now());
}

static void parking_round(void)
{
	struct queue *q = queue_of(1 + below(LIMITS), 0);
	struct queue *other = queue_of(1 + below(LIMITS), 1);
	int cpu = some_cpu();

	new_item(q, cpu, parks);
	new_item(other, cpu, nothing);
	/* The first one's queue owes time, so the other's runs first. */
	new_item(other, cpu, is_put);
	new_item(q, cpu, let_go_on)->other = items[2];
	put(items[0]);
}

const struct scene parking_scene = {
	.name = "parking",
	.rounds = 40,
	.round = parking_round,
};

/* ---- passed ---- */

static void ends_or_is_detached(struct item *it)
{
	if (it->arg) {
		sim_compute(9 * SIM_MS);
		while (it->arg)
			sim_compute(SIM_US);
		compute_to_go(it, SIM_US / 5);
	} else {
		wait_to_go(it);
	}
}

/* The worker has nothing else to do then, and looks for work to steal. */
static void has_it_end(struct item *it)
{
	/* Until no timer watches the item that waits for the limit. */
	sim_time time = 1500 * SIM_US + sim_random_below(4 * SIM_MS);

	if (it->arg == 1)
		shim_sleep(time);
	else if (it->arg == 2)
		sim_compute(time);
	it->other->arg = 0;
	if (once_in(2))
		compute(2 * SIM_US);
	let_go(it->other);
}

static void passed_round(void)
{
	struct queue *q = queue_of(1, 0), *other = queue_of(2, 1);
	unsigned int here = some_cpu();
	unsigned int there = (here + 1 + below(nr_cpu_ids - 1)) % nr_cpu_ids;
	struct item *limits, *sleeper, *open, *ends_it;

	limits = new_item(q, once_in(4) ? (int)here : -1, ends_or_is_detached);
	limits->arg = once_in(2);
	ends_it = new_item(other, here, has_it_end);
	ends_it->other = limits;
	ends_it->arg = below(3);
	sleeper = new_item(q, there, wait_to_go);
	open = new_item(q, -1, let_go_on);
	open->other = sleeper;
	put_on_cpu(here, limits, sim_now());
	put_on_cpu(there, sleeper, sim_now());
	put_on_cpu(there, open, sim_now() + sim_random_below(20 * SIM_US));
	if (once_in(2))
		doze(600 * SIM_US);
	put_somewhere(ends_it);
}

const struct scene passed_scene = {
	.name = "passed",
	.rounds = 15,
	.round = passed_round,
};

/* ---- released ---- */

/* Computes until the held-back item has run: the other one must end. */
static void releases(struct item *it)
{
	sim_compute(sim_random_below(4 * SIM_MS));
	let_go(items[0]);
	compute_to_go(it, 300 * SIM_US);
}

static void released_round(void)
{
	struct queue *q = queue_of(1, 0), *other = queue_of(1 + below(LIMITS), 1);
	int cpu = some_cpu();

	new_item(q, cpu, wait_to_go);
	new_item(other, cpu, releases);
	new_item(q, cpu, let_go_on)->other = items[1];
	put(items[0]);
	if (once_in(2))
		doze(20 * SIM_US);
	put_somewhere(items[2]);
	put_somewhere(items[1]);
}

const struct scene released_scene = {
	.name = "released",
	.rounds = 10,
	.round = released_round,
};
