// SPDX-License-Identifier: GPL-2.0
/*
 * The clock by which waiting is judged: beats of a witness on each CPU.
 *
 * Wall time is no evidence that an item starves. The host may give a CPU of
 * the machine to others for any time (stolen time), and the machine may be
 * slow: the worker then had no chance to run the item, whatever wsq did.
 *
 * So each CPU has a witness: a thread of the lowest priority (nice 19) that
 * computes for some microseconds, counts a beat, and sleeps for 10 ms. A beat
 * says that the CPU ran, that it ran the witness, and that it was free for all
 * other threads before. A worker's weight is at least 68 times that of the
 * witness. So if a worker was runnable during some beats, the scheduler gave it
 * at least 68 times what the witness computed, however many threads compete and
 * however much of the CPU is stolen. An item that waits for many beats does not
 * wait for a CPU: its worker is not runnable (it was not woken), or it runs and
 * does other things.
 *
 * Beats stop while a CPU is offline: the witness is parked. If they stop on a CPU
 * that is online, the CPU itself has stopped: emulated ones lose their timer on a
 * host that is very busy. Then nothing is judged, and a note says so.
 *
 * Limitation: beats are rare on a CPU that is busy with threads of high
 * priority, so a defect is reported late there.
 */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/smpboot.h>
#include <linux/spinlock.h>

#include "torture.h"

/* What a witness computes for one beat: some 10 us on a machine of 2022. */
#define WITNESS_NUMBERS		2000

/* How long it sleeps then: 10 ms, or a jiffy. */
#define WITNESS_SLEEP		DIV_ROUND_UP(HZ, 100)

static DEFINE_PER_CPU(struct task_struct *, witness_task);
static DEFINE_PER_CPU(unsigned long, witness_beats);
static DEFINE_PER_CPU(struct rnd_state, witness_rnd);
static bool witnesses;

/* Beats of another CPU, without a beat of this one: the CPU has stopped. */
#define WITNESS_STOPPED		(2UL * torture_starved)

/* Beats of all CPUs, and those of each CPU when it was last advanced. */
static DEFINE_SPINLOCK(clock_lock);
static unsigned long clock;
static DEFINE_PER_CPU(unsigned long, clock_seen);
static bool clock_stopped;

/**
 * torture_beats() - how often a CPU's witness has run
 * @cpu: the CPU
 *
 * Return: the number of beats, which stays as it is while the CPU is offline.
 */
unsigned long torture_beats(unsigned int cpu)
{
	return READ_ONCE(per_cpu(witness_beats, cpu));
}

/**
 * torture_clock() - how often the witness of every online CPU has run
 *
 * Each call adds the smallest number of beats that an online CPU has had since
 * the last call that added some. So in the time between two values that differ
 * by n, each CPU that was online has had n beats or more, but for those of the
 * first interval. It is exact enough if it is called every few beats.
 *
 * Context: task.
 * Return: that number.
 */
unsigned long torture_clock(void)
{
	unsigned long least = ULONG_MAX, most = 0, beats, now;
	unsigned int cpu, last = 0;

	spin_lock(&clock_lock);
	for_each_online_cpu(cpu) {
		beats = torture_beats(cpu) - per_cpu(clock_seen, cpu);
		most = max(most, beats);
		if (beats < least) {
			least = beats;
			last = cpu;
		}
	}
	if (!least && most > WITNESS_STOPPED && !clock_stopped) {
		clock_stopped = true;
		pr_info("wsq_torture: note: not judged: CPU %u has stopped: no beat in %lu of another\n",
			last, most);
	}
	if (least && least != ULONG_MAX) {
		clock += least;
		for_each_possible_cpu(cpu)
			per_cpu(clock_seen, cpu) = torture_beats(cpu);
	}
	now = clock;
	spin_unlock(&clock_lock);
	return now;
}

static void witness_setup(unsigned int cpu)
{
	set_user_nice(current, MAX_NICE);
	prandom_seed_state(&per_cpu(witness_rnd, cpu), cpu + 1);
}

static int witness_should_run(unsigned int cpu)
{
	return 1;
}

/* kthread_park() and kthread_stop() end the sleep. */
static void witness_fn(unsigned int cpu)
{
	struct rnd_state *rnd = &per_cpu(witness_rnd, cpu);
	unsigned int i;

	for (i = 0; i < WITNESS_NUMBERS; i++)
		prandom_u32_state(rnd);
	WRITE_ONCE(per_cpu(witness_beats, cpu), torture_beats(cpu) + 1);
	schedule_timeout_idle(WITNESS_SLEEP);
}

static struct smp_hotplug_thread witness_threads = {
	.store			= &witness_task,
	.setup			= witness_setup,
	.thread_should_run	= witness_should_run,
	.thread_fn		= witness_fn,
	.thread_comm		= "wsq_torture_w/%u",
};

/**
 * torture_witness_create() - start the witnesses
 *
 * Return: 0 or a negative errno; torture_witness_destroy() is due in both
 * cases.
 */
int torture_witness_create(void)
{
	int ret = smpboot_register_percpu_thread(&witness_threads);

	witnesses = !ret;
	return ret;
}

/**
 * torture_witness_destroy() - stop the witnesses, if they were started
 */
void torture_witness_destroy(void)
{
	if (witnesses)
		smpboot_unregister_percpu_thread(&witness_threads);
	witnesses = false;
}
