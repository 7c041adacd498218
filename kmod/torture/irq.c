// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts: a thread sends one to a CPU, which then queues and cancels,
 * pushes and pops in
 * the handler, between any two instructions of whatever ran there, and raises
 * a tasklet, which does the same in softirq context when the handler returns.
 * And CPUs that come and go.
 *
 * To its own CPU a thread sends no interrupt: the handler is called with
 * interrupts off instead.
 */
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "torture.h"

/**
 * struct torture_irq - what a CPU's interrupts need
 * @csd: to send one
 * @sent: @csd is in use. Sender, by exchange; cleared by the handler.
 * @tasklet: does the softirq's part
 * @hard: the handler's dice
 * @soft: the tasklet's dice
 */
struct torture_irq {
	call_single_data_t csd;
	atomic_t sent;
	struct tasklet_struct tasklet;
	struct torture_actor hard;
	struct torture_actor soft;
};

static struct torture_irq *irqs;

/* How often each CPU came and went: odd while it is there. */
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
			torture_serial_ops(a);
		if (!torture_enter(it))
			continue;
		if (torture_one_in(&a->rnd, 4))
			torture_call_back(a, it);
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
	 * An idle CPU handles this without an interrupt, and PREEMPT_RT does
	 * not let that raise a softirq.
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
 * torture_kick() - send an interrupt to some CPU
 * @t: the thread
 */
void torture_kick(struct torture_thread *t)
{
	unsigned int cpu = torture_some_cpu(&t->actor.rnd);
	struct torture_irq *irq = &irqs[cpu];

	if (atomic_cmpxchg(&irq->sent, 0, 1))
		return;
	if (smp_call_function_single_async(cpu, &irq->csd))
		atomic_set(&irq->sent, 0);	/* the CPU has gone */
}

/**
 * torture_irq_ops() - what all interrupts have done
 *
 * Return: operations, as of some moment.
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
 * @seed: of the dice
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
 * torture_irq_stop() - when nobody kicks any more: no handler runs after this
 */
void torture_irq_stop(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		while (atomic_read_acquire(&irqs[cpu].sent))
			schedule_timeout_idle(1);
	/* They have also returned, when others were handled after them. */
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
 * torture_cpu_age() - how often a CPU came and went
 * @cpu: the CPU
 *
 * Return: a number that is odd while the CPU is there and grows by one each
 * time that changes. wsq was loaded before, so its worker is there before the
 * number is odd and goes after it is even.
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
	torture_inc(TC_CPU_DOWN);
	return 0;
}

/**
 * torture_hotplug_watch() - count CPUs that come and go
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
 * torture_hotplug_unwatch() - no more
 */
void torture_hotplug_unwatch(void)
{
	cpuhp_remove_state_nocalls(cpu_state);
}
