// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_torture.ko: calls everything that <linux/wsq.h> offers, concurrently and
 * at random, for a given time or a number of operations, and checks the
 * results. For any kernel.
 *
 *	insmod wsq_torture.ko seconds=600
 *	insmod wsq_torture.ko operations=100000
 *
 * insmod returns when the run is over, with an error if there was one; the
 * kernel log has it. With background=1 it returns at once, and rmmod ends the
 * test. Documentation/torture.rst says what is checked and how to read the log.
 *
 * Keeps all CPUs busy, and takes some megabytes of memory.
 *
 * Limitations: the seed repeats what each thread tries, not how threads
 * interleave. CPUs are taken offline and online by a script
 * (tools/check/torture), not from here.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/wsq_version.h>

#include "../compat/export.h"
#include "own.h"
#include "rivals.h"

static unsigned int seconds = 30;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "how long (default 30); from 20 on, longer until each path was seen");

static unsigned int operations;
module_param(operations, uint, 0444);
MODULE_PARM_DESC(operations, "how many operations (default 0: as many as fit in seconds)");

static unsigned int calls;
module_param(calls, uint, 0444);
MODULE_PARM_DESC(calls, "a run by seconds goes on until so many calls of the graph that grows were checked (default 0)");

static unsigned int runs;
module_param(runs, uint, 0444);
MODULE_PARM_DESC(runs, "likewise, until so many fork-join runs have succeeded (default 0)");

static unsigned long long seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "random seed (default 0: another each time, printed)");

static unsigned int threads = 3;
module_param(threads, uint, 0444);
MODULE_PARM_DESC(threads, "threads for each CPU (default 3)");

static unsigned int items = 240;
module_param(items, uint, 0444);
MODULE_PARM_DESC(items, "items that all threads share (default 240)");

static unsigned int queues = 4;
module_param(queues, uint, 0444);
MODULE_PARM_DESC(queues, "queues that all threads share (default 4)");

static unsigned int rivals = 2;
module_param(rivals, uint, 0444);
MODULE_PARM_DESC(rivals, "threads of the hostile set and of the promise set, each (default 2)");

/* Beats after which an item that waits is an error. See witness.c. */
unsigned int torture_starved = 3000;
module_param_named(starved, torture_starved, uint, 0444);
MODULE_PARM_DESC(starved, "beats after which an item that waits is an error (default 3000)");

static bool cpumask = true;
module_param(cpumask, bool, 0444);
MODULE_PARM_DESC(cpumask, "change the CPUs of queues (default 1)");

static bool churn = true;
module_param(churn, bool, 0444);
MODULE_PARM_DESC(churn, "create and destroy queues (default 1)");

/* Each queue's CPUs include the first possible CPU. */
bool torture_boot_cpu;
module_param_named(boot_cpu, torture_boot_cpu, bool, 0444);
MODULE_PARM_DESC(boot_cpu, "every queue includes the first CPU, so that all others may stay offline (default 0)");

static bool hotplug;
module_param(hotplug, bool, 0444);
MODULE_PARM_DESC(hotplug, "CPUs are taken offline and online, and it is an error if none is (default 0)");

static bool background;
module_param(background, bool, 0444);
MODULE_PARM_DESC(background, "do not wait for the end (default 0)");

/* Actors that store values: threads, and two for each CPU's interrupts. */
unsigned int torture_nr_slots;

static bool started;
static bool stop;
static bool calm;
static bool rest;
static bool rested;
static struct torture_thread *all;
static unsigned int nr_threads;
static struct torture_thread finisher;
static bool finishing;
static struct task_struct *control;
static DECLARE_COMPLETION(over);

/**
 * torture_stopped() - must the threads end
 *
 * Return: %true if so.
 */
bool torture_stopped(void)
{
	return READ_ONCE(stop);
}

/* On UML, a loop that never disables preemption would keep a CPU for itself. */
static void yield_ns(void)
{
	preempt_disable();
	preempt_enable();
	cond_resched();
}

static void await_stop(void)
{
	while (!kthread_should_stop())
		schedule_timeout_idle(HZ / 10 + 1);
}

static void thread_round(struct torture_thread *t, const char *doing,
			 void (*round)(struct torture_thread *t))
{
	WRITE_ONCE(t->idle, false);
	WRITE_ONCE(t->doing, doing);
	round(t);
	WRITE_ONCE(t->actor.ops, t->actor.ops + 1);
	yield_ns();
}

static int thread_fn(void *arg)
{
	struct torture_thread *t = arg;

	while (!torture_stopped()) {
		if (t->actor.ops < t->share) {
			thread_round(t, t->doing, t->round);
		} else {
			WRITE_ONCE(t->idle, true);
			schedule_timeout_idle(1);
		}
		while (READ_ONCE(calm) && !torture_stopped()) {
			WRITE_ONCE(t->calm, true);
			if (!READ_ONCE(rest) || t != all) {
				schedule_timeout_idle(1);
				continue;
			}
			/* This race is best hit when nothing else runs. */
			thread_round(t, "own heard", torture_own_heard);
			/* Helpers come only if a CPU is idle. */
			thread_round(t, "fork-join helped", torture_forkjoin_helped);
			WRITE_ONCE(rested, true);
		}
		WRITE_ONCE(t->calm, false);
	}
	WRITE_ONCE(t->over, true);
	await_stop();
	return 0;
}

/*
 * The last steps may hang as well, so a thread that is watched does them. It is
 * created at the beginning, when there is memory, and must be started: a thread
 * that was never started would be reported as a hung task.
 */
static int finish_fn(void *arg)
{
	struct torture_thread *t = arg;
	int left;

	while (!READ_ONCE(finishing)) {
		if (kthread_should_stop())
			return 0;
		schedule_timeout_idle(HZ / 10 + 1);
	}
	t->doing = "no more items as a CPU goes offline";
	torture_goes_end();
	t->doing = "destroy the rivals' queues";
	torture_rivals_destroy();
	t->doing = "last cancel of all items";
	torture_items_finish(t);
	t->doing = "end of all calls";
	torture_calls_finish();
	t->doing = "destroy all serials";
	torture_serials_finish();
	t->doing = "destroy all fork-join objects";
	torture_forkjoins_destroy();
	t->doing = "last drain of all queues";
	torture_queues_drain();
	t->doing = "last pop of all pools";
	torture_pools_finish();
	torture_mult_finish();
	left = torture_own_alive();
	if (left)
		torture_err("%d items never ran, or ran too late", left);
	t->doing = "destroy all queues";
	torture_queues_destroy();
	torture_quarantine_rotate();
	torture_quarantine_rotate();
	WRITE_ONCE(t->over, true);
	await_stop();
	return 0;
}

static int thread_start(struct torture_thread *t, int (*fn)(void *arg),
			const char *name, unsigned int nr)
{
	struct task_struct *task = kthread_create(fn, t, "%s/%u", name, nr);

	if (IS_ERR(task))
		return PTR_ERR(task);
	prandom_seed_state(&t->actor.rnd, seed + nr);
	t->actor.slot = nr;
	t->actor.ctx = TORTURE_TASK;
	t->since = torture_clock();
	t->doing = "start";
	t->task = task;
	return 0;
}

/* What threads do, and the share of such a thread relative to the others. */
static const struct torture_role {
	const char *name;
	void (*round)(struct torture_thread *t);
	unsigned int weight;
} roles[] = {
	{ "mixing", torture_mix_round, 1000 },
	{ "churn", torture_churn_round, 100 },
	{ "cpumask", torture_cpumask_round, 50 },
	{ "hostile", torture_hostile_round, 10 },
	{ "promise", torture_promise_round, 200 },
};

#define HOSTILE		3
#define PROMISE		4

static const struct torture_role *thread_role(unsigned int nr)
{
	unsigned int mixing = nr_threads - churn - cpumask - 2 * rivals;

	if (nr < mixing)
		return &roles[0];
	if (nr >= nr_threads - rivals)
		return &roles[PROMISE];
	if (nr >= nr_threads - 2 * rivals)
		return &roles[HOSTILE];
	return &roles[nr == mixing && churn ? 1 : 2];
}

/*
 * Divide the operations. A share each, so that a run has the same operations on
 * each machine, and no thread has to count what others do.
 */
static void threads_share(void)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < nr_threads; i++)
		sum += thread_role(i)->weight;
	for (i = 0; i < nr_threads; i++)
		all[i].share = operations ?
			       div64_u64((u64)operations * thread_role(i)->weight,
					 sum) + 1 : U64_MAX;
}

/* Create all threads, the mixing ones first, evenly over the CPUs. */
static int threads_create(void)
{
	unsigned int i, cpu = 0;
	int ret;

	all = kcalloc(nr_threads, sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	for (i = 0; i < nr_threads; i++) {
		struct torture_thread *t = &all[i];

		ret = thread_start(t, thread_fn, "wsq_torture", i);
		if (ret)
			return ret;
		t->round = thread_role(i)->round;
		if (thread_role(i) == &roles[0]) {
			cpu = cpumask_next((int)i % nr_cpu_ids - 1,
					   cpu_online_mask);
			if (cpu >= nr_cpu_ids)
				cpu = cpumask_first(cpu_online_mask);
			kthread_bind(t->task, cpu);
		} else if (thread_role(i) == &roles[PROMISE]) {
			t->rival = i - (nr_threads - rivals);
		} else if (thread_role(i) == &roles[HOSTILE]) {
			t->rival = RIVAL_MAX + i - (nr_threads - 2 * rivals);
		}
	}
	threads_share();
	return 0;
}

static void threads_stop(void)
{
	unsigned int i;

	for (i = 0; i < nr_threads && all && all[i].task; i++)
		kthread_stop(all[i].task);
	kfree(all);
}

static void watchdog(bool with_items)
{
	unsigned int i;

	if (with_items)
		torture_watch_items();
	torture_rivals_watch();
	for (i = 0; i < nr_threads; i++)
		if (!READ_ONCE(all[i].over))
			torture_watch_thread(&all[i]);
}

static void await_threads(void)
{
	unsigned int i;

	for (i = 0; i < nr_threads; i++)
		while (!READ_ONCE(all[i].over)) {
			schedule_timeout_idle(HZ / 10 + 1);
			watchdog(true);
		}
}

/* Operations of interrupts, and of the threads of each role. */
static u64 operations_done(void)
{
	u64 sum = torture_irq_ops(), done;
	unsigned int i, k;

	for (k = 0; k < ARRAY_SIZE(roles); k++) {
		done = 0;
		for (i = 0; i < nr_threads; i++)
			if (thread_role(i) == &roles[k])
				done += all[i].actor.ops;
		pr_info("wsq_torture: operations: %s threads: %llu\n",
			roles[k].name, done);
		sum += done;
	}
	return sum;
}

/* How much the thread that has done least has done of its share. */
static unsigned int threads_percent(void)
{
	u64 least = 100;
	unsigned int i;

	for (i = 0; operations && i < nr_threads; i++)
		least = min(least, div64_u64(READ_ONCE(all[i].actor.ops) * 100,
					     all[i].share));
	return operations ? least : 0;
}

static void finish(void)
{
	await_threads();
	torture_irq_stop();
	/* The thread was created when the run began. */
	finisher.since = torture_clock();
	WRITE_ONCE(finishing, true);
	while (!READ_ONCE(finisher.over)) {
		schedule_timeout_idle(HZ / 10 + 1);
		torture_watch_thread(&finisher);
	}
}

/*
 * Pause all threads until all queued items have run. Then workers park, and
 * after that one thread alone continues for a moment, and does at least one
 * round of what it does then, however long that takes.
 */
static void pause_all(void)
{
	WRITE_ONCE(calm, true);
	if (torture_watch_calm(all, nr_threads)) {
		schedule_timeout_idle(HZ / 20 + 1);
		WRITE_ONCE(rested, false);
		WRITE_ONCE(rest, true);
		schedule_timeout_idle(HZ / 10 + 1);
		while (!READ_ONCE(rested) && !torture_stopped()) {
			schedule_timeout_idle(1);
			torture_watch_thread(all);
		}
		WRITE_ONCE(rest, false);
	}
	WRITE_ONCE(calm, false);
}

/*
 * From so many seconds, operations, and rounds of each thread of the hostile set
 * on, every path must be taken.
 */
#define SECONDS_ALL	20
#define OPERATIONS_ALL	10000
#define ROUNDS_ALL	6

/* A run by seconds ends after so many more, whatever path it has not taken. */
#define SECONDS_MORE	600

static bool must_all(void)
{
	if (!churn || !cpumask || !rivals)
		return false;
	if (!operations)
		return seconds >= SECONDS_ALL;
	return operations >= OPERATIONS_ALL &&
	       all[nr_threads - 2 * rivals].share >= ROUNDS_ALL;
}

/* Between two pauses, or two checks of the watchdog. */
static void control_round(unsigned int turn)
{
	schedule_timeout_idle(HZ / 10 + 1);
	torture_clock();
	torture_quarantine_rotate();
	if (!(turn % 8))
		watchdog(true);
}

/* Parameters calls and runs. */
static bool least_counted(void)
{
	return torture_counted(TC_CALL_MESH) >= calls &&
	       torture_counted(TC_FJ_RUN) >= runs;
}

/*
 * How many operations fit in a second depends on the machine, and whether a
 * rare path was taken must not: a run goes on until it has taken them all.
 * Then it lasts long enough for a script to take CPUs offline for its end.
 *
 * Return: %false if it was ended early.
 */
static bool control_seconds(void)
{
	unsigned long begin = jiffies, end = begin + seconds * HZ;
	unsigned long most = end + SECONDS_MORE * HZ;
	bool all_seen = !must_all();
	unsigned int turn = 0;

	while (!kthread_should_stop() && !torture_stopped() &&
	       (time_before(jiffies, all_seen ? end : most) || !least_counted())) {
		control_round(++turn);
		/* So that those who read the log do not take this for a hang. */
		if (!(turn % 512) && !least_counted())
			pr_info("wsq_torture: %llu calls, %llu fork-join runs\n",
				torture_counted(TC_CALL_MESH),
				torture_counted(TC_FJ_RUN));
		if (!(turn % 32))
			pause_all();
		if (!all_seen && !(turn % 4) && torture_seen_all(hotplug)) {
			all_seen = true;
			if (time_before(end, jiffies + seconds * HZ / 10))
				end = jiffies + seconds * HZ / 10;
			pr_info("wsq_torture: every path taken after %lu s\n",
				(jiffies - begin) / HZ);
		}
	}
	return !time_before(jiffies, end);
}

/* All pause whenever another tenth is done, and once more in the end. */
#define PERCENT_PAUSE	10

/*
 * Until each thread has done its share, however long that takes. The parameter
 * hotplug says that some CPU goes offline: wait for that, too.
 */
static bool control_operations(void)
{
	unsigned int turn = 0, percent, next = PERCENT_PAUSE;
	unsigned long since = torture_clock();

	while (!kthread_should_stop() && !torture_stopped()) {
		control_round(++turn);
		percent = threads_percent();
		if (percent >= next) {
			next = percent + PERCENT_PAUSE;
			pause_all();
		}
		if (percent < 100)
			since = torture_clock();
		else if (!hotplug || torture_counted(TC_CPU_DOWN) ||
			 torture_overdue(since, 1))
			break;
	}
	return !torture_stopped() && !kthread_should_stop();
}

static int control_fn(void *arg)
{
	unsigned int i;
	bool whole;

	for (i = 0; i < nr_threads; i++)
		wake_up_process(all[i].task);
	whole = operations ? control_operations() : control_seconds();
	WRITE_ONCE(stop, true);
	finish();
	torture_print_counts(whole && must_all(), hotplug);
	pr_info("wsq_torture: end: %llu operations, %d errors\n",
		operations_done(), atomic_read(&torture_errors));
	complete(&over);
	await_stop();
	return 0;
}

/* For scripts: how far a run by operations is, and how many beats it has had. */
static int get_percent(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%u\n", started ? threads_percent() : 0);
}

static int get_beats(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%lu\n", torture_clock());
}

static int set_nothing(const char *value, const struct kernel_param *kp)
{
	return -EPERM;
}

static const struct kernel_param_ops percent_ops = {
	.set = set_nothing,
	.get = get_percent,
};
module_param_cb(percent, &percent_ops, NULL, 0444);
MODULE_PARM_DESC(percent, "read only: how much of a run by operations is done");

static const struct kernel_param_ops beats_ops = {
	.set = set_nothing,
	.get = get_beats,
};
module_param_cb(beats, &beats_ops, NULL, 0444);
MODULE_PARM_DESC(beats, "read only: how often the witness of each online CPU has run");

/* In the reverse order of prepare(); everything is at rest. */
static void cleanup(void)
{
	/* No script reads how far the threads are. */
	kernel_param_lock(THIS_MODULE);
	started = false;
	kernel_param_unlock(THIS_MODULE);
	if (finisher.task)
		kthread_stop(finisher.task);
	threads_stop();
	torture_goes_end();
	torture_hotplug_unwatch();
	torture_irq_free();
	torture_items_free();
	torture_pools_destroy();
	torture_mult_destroy();
	torture_serials_destroy();
	torture_mesh_free();
	torture_forkjoins_destroy();
	torture_rivals_destroy();
	torture_queues_destroy();
	torture_witness_destroy();
}

static int prepare(void)
{
	struct rnd_state rnd;
	int ret;

	if (!seconds || seconds > 1000000 || !threads || threads > 100 ||
	    !items || items > 1000000 || rivals > RIVAL_MAX ||
	    !torture_starved || torture_starved > 10000)
		return -EINVAL;
	if (!seed)
		seed = get_random_u32();
	prandom_seed_state(&rnd, seed);
	nr_threads = threads * num_online_cpus() + churn + cpumask +
		     2 * rivals;
	torture_nr_slots = nr_threads + 2 * nr_cpu_ids;
	ret = torture_hotplug_watch();
	if (ret)
		return ret;
	ret = torture_witness_create();
	if (!ret)
		ret = torture_queues_create(&rnd, queues);
	if (!ret)
		ret = torture_items_create(&rnd, items);
	if (!ret)
		ret = torture_mult_create(&rnd);
	/* Its drain thread pops from the former, too. */
	if (!ret)
		ret = torture_pools_create(&rnd);
	if (!ret)
		ret = torture_serials_create(&rnd);
	if (!ret)
		ret = torture_mesh_create(&rnd);
	if (!ret)
		ret = torture_forkjoins_create(&rnd);
	if (!ret)
		ret = torture_rivals_create(&rnd);
	if (!ret)
		ret = torture_irq_create(prandom_u32_state(&rnd));
	if (!ret)
		ret = threads_create();
	if (!ret)
		torture_goes_begin();
	if (!ret)
		ret = thread_start(&finisher, finish_fn, "wsq_torture_end",
				   nr_threads);
	if (ret) {
		cleanup();
		return ret;
	}
	kernel_param_lock(THIS_MODULE);
	started = true;
	kernel_param_unlock(THIS_MODULE);
	wake_up_process(finisher.task);
	return 0;
}

static int __init torture_init(void)
{
	int ret = prepare();

	if (ret)
		return ret;
	pr_info("wsq_torture: begin: seed=%llu seconds=%u operations=%u calls=%u runs=%u threads=%u items=%u queues=%u rivals=%u starved=%u cpumask=%d churn=%d boot_cpu=%d hotplug=%d, %u CPUs\n",
		seed, operations ? 0 : seconds, operations, calls, runs, threads,
		torture_nr_items(), queues, rivals, torture_starved, cpumask,
		churn, torture_boot_cpu, hotplug, num_online_cpus());
	control = kthread_run(control_fn, NULL, "wsq_torture_ctl");
	if (IS_ERR(control)) {
		cleanup();
		return PTR_ERR(control);
	}
	if (background)
		return 0;
	if (wait_for_completion_interruptible(&over)) {
		WRITE_ONCE(stop, true);
		while (!completion_done(&over))
			schedule_timeout_idle(HZ / 10 + 1);
		ret = -EINTR;
	}
	if (!ret && !atomic_read(&torture_errors))
		return 0;
	kthread_stop(control);
	cleanup();
	return ret ? ret : -EIO;
}
module_init(torture_init);

static void __exit torture_exit(void)
{
	kthread_stop(control);
	cleanup();
}
module_exit(torture_exit);

MODULE_DESCRIPTION("Torture test of wsq");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
