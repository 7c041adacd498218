// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts: a thread sends one to a CPU. The handler queues and cancels,
 * pushes and pops, between any two instructions of what ran there. It also
 * schedules a tasklet, which does the same in softirq context when the handler
 * returns. Also counts CPUs that go online and offline.
 *
 * A thread sends no interrupt to its own CPU: the handler is called with
 * interrupts off instead.
 */
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "torture.h"

/**
 * struct torture_irq - state of a CPU's interrupts
 * @csd: to send one
 * @sent: @csd is in use. Set by the sender, by exchange; cleared by the
 *	handler.
 * @tasklet: the softirq part
 * @hard: actor of the handler
 * @soft: actor of the tasklet
 */
struct torture_irq {
	call_single_data_t csd;
	atomic_t sent;
	struct tasklet_struct tasklet;
	struct torture_actor hard;
	struct torture_actor soft;
};

static struct torture_irq *irqs;

/* How often each CPU went online or offline: odd while it is online. */
static DEFINE_PER_CPU(atomic_t, cpu_age);
static int cpu_state;

static void irq_ops(struct torture_actor *a)
{
	unsigned int nr = 1 + torture_roll(&a->rnd, 4);

	while (nr--) {
		struct torture_item *it = torture_some_item(&a->rnd);

		WRITE_ONCE(a->ops, a->ops + 1);
		if (torture_one_in(&a->rnd, 4))
			torture_pool_ops(a);
		if (torture_one_in(&a->rnd, 4))
			torture_mult_ops(a);
		if (torture_one_in(&a->rnd, 4))
			torture_serial_ops(a);
		if (torture_one_in(&a->rnd, 4))
			torture_call_ops(a);
		if (torture_one_in(&a->rnd, 16))
			torture_forkjoin_ops(a);
		if (!torture_enter(it))
			continue;
		if (torture_one_in(&a->rnd, 4))
			torture_cancel_item(a, it);
		else
			torture_put(a, it);
		torture_leave(it);
	}
}

static void irq_hard(void *arg)
{
	struct torture_irq *irq = arg;

	irq_ops(&irq->hard);
	/*
	 * An idle CPU may run this without an interrupt, where PREEMPT_RT does
	 * not allow raising a softirq.
	 */
	if (in_hardirq() && torture_one_in(&irq->hard.rnd, 2))
		tasklet_schedule(&irq->tasklet);
	atomic_set_release(&irq->sent, 0);
}

static void irq_soft(struct tasklet_struct *tasklet)
{
	struct torture_irq *irq = from_tasklet(irq, tasklet, tasklet);

	irq_ops(&irq->soft);
}

/**
 * torture_kick() - send an interrupt to a random CPU
 * @t: the thread
 */
void torture_kick(struct torture_thread *t)
{
	unsigned int cpu = torture_some_cpu(&t->actor.rnd);
	struct torture_irq *irq = &irqs[cpu];

	if (atomic_cmpxchg(&irq->sent, 0, 1))
		return;
	if (smp_call_function_single_async(cpu, &irq->csd))
		atomic_set(&irq->sent, 0);	/* the CPU is offline */
}

/**
 * torture_irq_ops() - how many operations all interrupts have done
 *
 * Return: the sum over all CPUs, read one after the other.
 */
u64 torture_irq_ops(void)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(irqs[cpu].hard.ops) +
		       READ_ONCE(irqs[cpu].soft.ops);
	return sum;
}

/**
 * torture_irq_create() - prepare to send interrupts
 * @seed: random seed
 *
 * Return: 0 or -ENOMEM.
 */
int torture_irq_create(u64 seed)
{
	unsigned int cpu;

	irqs = kcalloc(nr_cpu_ids, sizeof(*irqs), GFP_KERNEL);
	if (!irqs)
		return -ENOMEM;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct torture_irq *irq = &irqs[cpu];

		INIT_CSD(&irq->csd, irq_hard, irq);
		tasklet_setup(&irq->tasklet, irq_soft);
		prandom_seed_state(&irq->hard.rnd, seed + 2 * cpu);
		prandom_seed_state(&irq->soft.rnd, seed + 2 * cpu + 1);
		irq->hard.ctx = TORTURE_HARDIRQ;
		irq->soft.ctx = TORTURE_SOFTIRQ;
		irq->hard.slot = torture_nr_slots - 1 - 2 * cpu;
		irq->soft.slot = torture_nr_slots - 2 - 2 * cpu;
	}
	return 0;
}

static void irq_nothing(void *arg)
{
}

/**
 * torture_irq_stop() - wait for the last handler, after the last torture_kick()
 */
void torture_irq_stop(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		while (atomic_read_acquire(&irqs[cpu].sent))
			schedule_timeout_idle(1);
	/* Wait until the handlers have returned, too. */
	on_each_cpu(irq_nothing, NULL, 1);
	for_each_possible_cpu(cpu)
		tasklet_kill(&irqs[cpu].tasklet);
}

/**
 * torture_irq_free() - free what torture_irq_create() made
 */
void torture_irq_free(void)
{
	kfree(irqs);
}

/**
 * torture_cpu_age() - how often a CPU went online or offline
 * @cpu: the CPU
 *
 * Return: a number that is odd while the CPU is online, and grows by one with
 * each change. wsq was loaded first, so the CPU's worker starts before the
 * number becomes odd, and stops after it becomes even.
 */
int torture_cpu_age(unsigned int cpu)
{
	return atomic_read(&per_cpu(cpu_age, cpu));
}

static int cpu_comes(unsigned int cpu)
{
	atomic_inc(&per_cpu(cpu_age, cpu));
	torture_inc(TC_CPU_UP);
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	atomic_inc(&per_cpu(cpu_age, cpu));
	torture_goes(cpu);
	torture_inc(TC_CPU_DOWN);
	return 0;
}

/**
 * torture_hotplug_watch() - count CPUs that go online and offline
 *
 * Return: 0 or a negative errno.
 */
int torture_hotplug_watch(void)
{
	int ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "wsq_torture:online",
				    cpu_comes, cpu_goes);

	if (ret < 0)
		return ret;
	cpu_state = ret;
	return 0;
}

/**
 * torture_hotplug_unwatch() - stop counting them
 */
void torture_hotplug_unwatch(void)
{
	cpuhp_remove_state_nocalls(cpu_state);
}
