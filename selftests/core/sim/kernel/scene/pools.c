// SPDX-License-Identifier: GPL-2.0
/*
 * Scenarios of pools of pointers.
 *
 * half_thieves		each even CPU pushes 256 pointers and pops until there is nothing,
 *			again and again; each odd one only pops
 * half_push		each even CPU pushes, and waits while its part is full; each odd one
 *			pops, and so steals each pointer
 * idle_thieves		CPU 0 does as in half_thieves, all others pop
 * outside		CPUs of an even number are in the pool's mask and pop; the others
 *			push, at most 64 each that are not out
 *
 * A container is full at 2048 pointers with BWoS, 8192 with SALSA.
 *
 * With WSQ_WS_MULT a pointer stands for a use of a task. One that comes out again is
 * run again, and counted apart.
 */
#include <linux/wsq_pool.h>

#include "../../../../../kmod/pool/pool.h"
#include "scene.h"

#define TASKS	8192	/* of an owner */
#define BURST	64
#define ROUND	256	/* that half_thieves pushes */

struct task {
	u32 state;
	u32 owner;
	u32 nr;
	u32 use;
	struct task *next;
};

struct wsq_pool *scene_pool;
u64 scene_stolen, scene_again;
static struct task *tasks_of[SIM_CPUS], *task_at[SIM_CPUS][TASKS];
static unsigned int nr_free[SIM_CPUS];

/* The state between out and in is not charged. */
static struct task *take_free(unsigned int cpu)
{
	struct task *t = tasks_of[cpu];

	if (t) {
		tasks_of[cpu] = t->next;
		nr_free[cpu]--;
	}
	return t;
}

static void give_free(struct task *t)
{
	t->next = tasks_of[t->owner];
	tasks_of[t->owner] = t;
	nr_free[t->owner]++;
}

static void make_tasks(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < TASKS; i++) {
		struct task *t = sim_alloc(sizeof(*t), sim_node_of_cpu(cpu));

		t->owner = cpu;
		t->nr = i;
		task_at[cpu][i] = t;
		give_free(t);
	}
}

static bool again(void)
{
	return options.engine == WSQ_WS_MULT;
}

/* What is pushed for a task. Not 0 and no error. */
static void *word_of(struct task *t)
{
	if (!again())
		return t;
	return (void *)((u64)++t->use << 24 | t->owner << 13 | t->nr);
}

/* The task; %NULL if it has been run since it was pushed. */
static struct task *task_of(void *word)
{
	u64 w = (uintptr_t)word;
	struct task *t;

	if (!again())
		return word;
	t = task_at[w >> 13 & 0x7ff][w & (TASKS - 1)];
	if ((u32)(w >> 24) != t->use || !t->state) {
		if (options.multiplicity == WSQ_MULTIPLICITY_EXACT)
			sim_fail("a task of an exact pool came out twice");
		scene_again++;
		return NULL;
	}
	return t;
}

static void run_one(void)
{
	if (options.ns > 0)
		sim_compute(options.ns * SIM_NS);
}

static bool push_one(void)
{
	struct task *t = take_free(sim_cpu());

	if (!t)
		return false;
	scene_in(&t->state);
	if (!wsq_pool_push(scene_pool, word_of(t)))
		return true;
	/* Full: it was not queued. */
	scene_out(&t->state);
	give_free(t);
	return false;
}

static bool pop_one(void)
{
	void *word = wsq_pool_pop(scene_pool);
	struct task *t;

	if (!word)
		return false;
	t = task_of(word);
	if (!t) {
		run_one();
		return true;
	}
	scene_out(&t->state);
	/* A CPU outside the mask puts into a member's container: no theft. */
	if (t->owner != sim_cpu() && wsq_pool_ct(scene_pool, t->owner))
		scene_stolen++;
	run_one();
	give_free(t);
	return true;
}

static int owner(void *arg)
{
	unsigned int i;

	while (!scene_stop) {
		for (i = 0; i < ROUND && !scene_stop && push_one(); i++)
			cond_resched();
		while (pop_one() && !scene_stop)
			cond_resched();
		cond_resched();
	}
	/* Tasks that are still there. */
	while (pop_one())
		cond_resched();
	return 0;
}

static int thief(void *arg)
{
	while (!scene_stop) {
		if (!pop_one())
			sim_relax();
		cond_resched();
	}
	/* Tasks that came with the last theft. */
	while (pop_one())
		cond_resched();
	return 0;
}

/* Keeps at most @arg pointers in flight. */
static int pusher(void *arg)
{
	const unsigned int cpu = sim_cpu(), most = (uintptr_t)arg;

	while (!scene_stop) {
		if (nr_free[cpu] <= TASKS - most || !push_one())
			sim_relax();
		cond_resched();
	}
	/* Tasks that thieves cannot reach. */
	while (pop_one())
		cond_resched();
	return 0;
}

static void make_pool(const struct cpumask *mask, u32 flags)
{
	const struct wsq_attrs attrs = {
		.engine = options.engine, .cpumask = mask,
		.multiplicity = options.multiplicity,
		.flags = flags | (again() ? WSQ_AT_LEAST_ONCE : 0),
	};

	scene_pool = wsq_pool_create(&attrs, "scene");
	if (IS_ERR(scene_pool))
		sim_fail("wsq_pool_create(): %ld", PTR_ERR(scene_pool));
}

static void half_start(void)
{
	unsigned int cpu;

	make_pool(NULL, 0);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (cpu % 2 == 0)
			make_tasks(cpu);
		scene_thread(cpu, cpu % 2 ? thief : owner, NULL,
			     cpu % 2 ? "thief" : "owner");
	}
}

static void half_push_start(void)
{
	unsigned int cpu;

	make_pool(NULL, WSQ_HAND_OVER);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (cpu % 2 == 0)
			make_tasks(cpu);
		scene_thread(cpu, cpu % 2 ? thief : pusher, (void *)(uintptr_t)TASKS,
			     cpu % 2 ? "thief" : "pusher");
	}
}

static void idle_start(void)
{
	unsigned int cpu;

	make_pool(NULL, 0);
	make_tasks(0);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		scene_thread(cpu, cpu ? thief : owner, NULL, cpu ? "thief" : "owner");
}

static void outside_start(void)
{
	struct cpumask *mask = kzalloc(sizeof(*mask), GFP_KERNEL);
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu += 2)
		cpumask_set_cpu(cpu, mask);
	make_pool(mask, 0);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (cpu % 2)
			make_tasks(cpu);
		scene_thread(cpu, cpu % 2 ? pusher : thief, (void *)(uintptr_t)BURST,
			     cpu % 2 ? "pusher" : "member");
	}
}

const struct scene pool_scenes[] = {
	{ .name = "half_thieves", .start = half_start, .rest = pop_one,
	  .pool = true, .least = 2 },
	{ .name = "half_push", .start = half_push_start, .rest = pop_one,
	  .pool = true, .least = 2 },
	{ .name = "idle_thieves", .start = idle_start, .rest = pop_one,
	  .pool = true, .least = 2 },
	{ .name = "outside", .start = outside_start, .rest = pop_one,
	  .pool = true, .least = 2 },
	{ }
};
