// SPDX-License-Identifier: GPL-2.0
/*
 * Pushes and pops of pointer pools, from threads and interrupts of any CPU.
 *
 * - Each pointer comes out once, and none is left when each CPU has popped all.
 * - Between rounds, when no push or pop is under way: a CPU whose bit is clear
 *   has nothing that thieves can reach, and no put can add to something that
 *   they can reach. A LIFO owner has been asked. While a CPU's bit is set, so is
 *   the machine's bit of its domain. (kmod/pool/reach.h)
 *
 * pool_wake: consumers pop until they find nothing, and again when a push has
 * woken one of them. When none is awake, nothing is left that thieves can reach.
 *
 * pool_far: two CPUs of one domain pop while both have reason to look at two
 * CPUs of the domain that have nothing, and another domain has tasks. One gets
 * a task.
 */
#include <linux/wsq_pool.h>

#include "../../../../../kmod/engine/engine.h"
#include "../../../../../kmod/pool/reach.h"
#include "../../../../../kmod/pool/victim.h"
#include "explore.h"

#define TASKS	40
#define DEEDS	4	/* actions of a thread */
#define DRY	1024	/* WSQ_POOL_STEAL_DRY */

static struct wsq_pool *pool;
static bool inside[TASKS];
static unsigned int nr_inside;

static void make_pool(enum wsq_engine_type kind)
{
	static const enum wsq_steal_batch batches[] = {
		WSQ_BATCH_ONE, WSQ_BATCH_FEW, WSQ_BATCH_HALF, WSQ_BATCH_BLOCK,
	};
	const struct wsq_attrs attrs = {
		.engine = kind, .blocks = 2 + below(3), .block_size = 4,
		.steal_batch = batches[below(ARRAY_SIZE(batches))],
	};

	pool = wsq_pool_create(&attrs, "explore");
	if (IS_ERR(pool))
		sim_fail("wsq_pool_create(): %ld", PTR_ERR(pool));
}

static void push(void)
{
	unsigned int nr = below(TASKS), i;

	for (i = 0; i < TASKS && inside[nr]; i++)
		nr = (nr + 1) % TASKS;
	if (inside[nr])
		return;
	inside[nr] = true;
	nr_inside++;
	/* Full. */
	if (wsq_pool_push(pool, &inside[nr])) {
		inside[nr] = false;
		nr_inside--;
	}
}

static bool pop(void)
{
	bool *task;

	/* The CPU may clear the machine's bit. */
	if (once_in(4))
		wsq_pool_thief(sim_cpu())->dry = DRY;
	task = wsq_pool_pop(pool);
	if (!task)
		return false;
	if (!*task)
		sim_fail("task %td comes out twice", task - inside);
	*task = false;
	nr_inside--;
	return true;
}

static void some(void)
{
	unsigned int n = 1 + below(6);
	bool puts = once_in(2);

	while (n--) {
		if (puts)
			push();
		else
			pop();
	}
}

static void some_irq(void *unused)
{
	some();
	explore_end_thread(true);
}

static int some_thread(void *unused)
{
	unsigned int i;

	for (i = 0; i < DEEDS; i++) {
		if (once_in(3))
			doze(50 * SIM_US);
		some();
	}
	return 0;
}

static void reach_round(enum wsq_engine_type kind)
{
	unsigned int n = 2 + below(4);

	if (!pool)
		make_pool(kind);
	while (n--) {
		if (once_in(4)) {
			explore_begin_thread();
			sim_raise_cheap(some_cpu(), sim_now() + below(30 * SIM_US),
					some_irq, NULL);
		} else {
			thread(some_thread, NULL);
		}
	}
}

static void bwos_round(void)
{
	reach_round(WSQ_BWOS_FIFO);
}

static void lifo_round(void)
{
	reach_round(WSQ_BWOS_LIFO);
}

static void salsa_round(void)
{
	reach_round(WSQ_SALSA);
}

/* Without the engine's own answer. */
static bool open_to_thieves(const struct wsq_container *ct)
{
	switch (ct->kind) {
	case WSQ_BWOS_FIFO:
		return !wsq_bwos_fifo_shut(&ct->state.bwos_fifo);
	case WSQ_BWOS_LIFO:
		return !wsq_bwos_lifo_shut(&ct->state.bwos_lifo.q);
	default:
		return wsq_salsa_holds(&wsq_engine_salsa(ct)->c);
	}
}

static void check_cpu(unsigned int cpu)
{
	struct wsq_container *ct = wsq_pool_any(pool, cpu);
	bool set = wsq_reach_test(pool, cpu);

	if (!set && !wsq_inbox_empty(&ct->pointer->inbox))
		sim_fail("CPU %u has tasks in its inbox, and its bit is clear", cpu);
	if (!set && ct->kind == WSQ_BWOS_LIFO && !ct->state.bwos_lifo.hungry)
		sim_fail("CPU %u is not asked, and its bit is clear", cpu);
	if (!set && open_to_thieves(ct))
		sim_fail("CPU %u has something for thieves, and its bit is clear", cpu);
	if (set && !wsq_reach_domain(pool, wsq_pool_location(pool, cpu)->domain))
		sim_fail("CPU %u has its bit, and the domain has none", cpu);
}

static void drain_irq(void *unused)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		while (pop())
			;
	}
}

static void reach_over(void)
{
	unsigned int cpu, turn;

	/* Until all stores are visible. */
	shim_sleep(5 * SIM_MS);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		check_cpu(cpu);
	if (once_in(2))
		return;
	for (turn = 0; turn < 2; turn++) {
		for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
			sim_raise_cheap(cpu, sim_now() + SIM_US, drain_irq, NULL);
			shim_sleep(5 * SIM_MS);
		}
	}
	if (nr_inside)
		sim_fail("%u tasks are left that no CPU pops", nr_inside);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		check_cpu(cpu);
}

/* ---- consumers that sleep ---- */

#define CONSUMERS	3

static bool woken[CONSUMERS];
static unsigned int producers;

static int producer(void *unused)
{
	unsigned int i, n = 1 + below(4);

	while (n--) {
		if (once_in(2))
			doze(20 * SIM_US);
		/* Into the next block, where thieves reach it. */
		for (i = 0; i < 5; i++)
			push();
		/* As a wake-up does. The flag is not simulated. */
		smp_mb();
		woken[below(CONSUMERS)] = true;
	}
	producers--;
	return 0;
}

static int consumer(void *arg)
{
	bool *is_woken = arg;

	while (producers || *is_woken) {
		if (!*is_woken) {
			shim_sleep(1 + below(2 * SIM_US));
			continue;
		}
		*is_woken = false;
		while (pop())
			;
	}
	return 0;
}

static void wake_round(void)
{
	unsigned int i;

	if (!pool)
		make_pool(once_in(2) ? WSQ_BWOS_FIFO : WSQ_BWOS_LIFO);
	producers = 1 + below(2);
	for (i = 0; i < producers; i++)
		thread(producer, NULL);
	for (i = 0; i < CONSUMERS; i++)
		thread(consumer, &woken[i]);
}

static void wake_over(void)
{
	unsigned int cpu, index;

	shim_sleep(5 * SIM_MS);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct wsq_container *ct = wsq_pool_any(pool, cpu);
		void *task;

		for (index = 0; index < 16; index++) {
			if (wsq_engine_steal_at(ct, NULL, index, &task, 1) > 0)
				sim_fail("thieves can reach a task of CPU %u, and no consumer is awake",
					 cpu);
		}
		check_cpu(cpu);
	}
}

/* ---- two thieves of a domain, and tasks in another one ---- */

#define FAR	4	/* first CPU of the other domain */

static bool far_found;

static void far_pop_irq(void *unused)
{
	far_found |= pop();
	explore_end_thread(true);
}

static void far_push_irq(void *unused)
{
	unsigned int cpu;
	sim_time when;

	/* Into the next block, where thieves reach it. */
	for (cpu = 0; cpu < 5; cpu++)
		push();
	when = sim_now() + 20 * SIM_US;
	for (cpu = 0; cpu < 2; cpu++) {
		/* CPUs 2 and 3 have nothing. Each thief knows one of them. */
		wsq_reach_set(wsq_pool_any(pool, 2 + cpu));
		wsq_pool_thief(cpu)->last = 2 + (once_in(4) ? !cpu : cpu);
		sim_raise_cheap(cpu, when + below(SIM_US), far_pop_irq, NULL);
	}
}

static void far_round(void)
{
	unsigned int i;

	if (!pool)
		make_pool(WSQ_BWOS_FIFO);
	far_found = false;
	for (i = 0; i < 2; i++)
		explore_begin_thread();
	sim_raise_cheap(FAR, sim_now() + SIM_US, far_push_irq, NULL);
}

static void far_over(void)
{
	unsigned int cpu;

	shim_sleep(5 * SIM_MS);
	if (!far_found)
		sim_fail("two pops found nothing, and CPU %u has tasks", FAR);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		sim_raise_cheap(cpu, sim_now() + SIM_US, drain_irq, NULL);
		shim_sleep(5 * SIM_MS);
	}
	if (nr_inside)
		sim_fail("%u tasks are left that no CPU pops", nr_inside);
}

const struct scene pool_far_scene = {
	.name = "pool_far", .more = 3, .cluster = FAR, .rounds = 30,
	.round = far_round, .over = far_over,
};

const struct scene pool_wake_scene = {
	.name = "pool_wake", .rounds = 12, .round = wake_round, .over = wake_over,
};

const struct scene pool_bwos_scene = {
	.name = "pool_bwos", .rounds = 12, .round = bwos_round, .over = reach_over,
};

const struct scene pool_lifo_scene = {
	.name = "pool_lifo", .rounds = 12, .round = lifo_round, .over = reach_over,
};

const struct scene pool_salsa_scene = {
	.name = "pool_salsa", .rounds = 12, .round = salsa_round, .over = reach_over,
};
