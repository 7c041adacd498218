// SPDX-License-Identifier: GPL-2.0
/*
 * counts.ko: runs one scenario on all CPUs and counts what the module did for
 * it. For tools/bench/guest-counts, which boots guests of many CPUs: times mean
 * nothing there, counts do.
 *
 *	insmod counts.ko run=pairs items=10000
 *
 * prints one line of JSON to the kernel log before insmod returns; the module
 * can then be removed. `run` is one of
 *
 *	one_producer_2us  CPU 0 queues items that compute for 2 us
 *	pairs		  each even CPU queues empty items on the next one
 *	load10		  each CPU queues a 2 us item to itself, by a timer, and
 *			  idles nine times as long as that takes
 *	half_thieves	  a FIFO pool: even CPUs put and take, odd CPUs only take
 *
 * `items` is the total number. An item of 2 us executes 2,000 rounds of an
 * empty loop, as a processor does in that time; so items keep their size
 * relative to the queue's own code, which the emulator slows down equally.
 *
 * Puts, wake-ups and stolen items are the module's own statistics. IPIs are
 * those that the kernel counts as rescheduling and function call interrupts,
 * whatever sent them. Passes (an idle CPU starts looking for work), looks (it
 * tries a victim's container) and thefts (looks that returned something) are
 * counted by return probes on the module's functions, so the module needs no
 * counters that would cost something. Other queues must be idle.
 *
 * Limitations: a probed function that the compiler has inlined is an error.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wsq.h>
#include <linux/wsq_pool.h>
#include <uapi/linux/wsq.h>

#include "../../../kmod/compat/export.h"
#include "../../../kmod/compat/hrtimer.h"
#include "../../../kmod/obs/cpu_stats.h"

static char *run = "";
module_param(run, charp, 0444);
MODULE_PARM_DESC(run, "the scenario");

static unsigned int items = 10000;
module_param(items, uint, 0444);
MODULE_PARM_DESC(items, "items or tasks in all");

static unsigned int spins = 2000;
module_param(spins, uint, 0444);
MODULE_PARM_DESC(spins, "rounds of a loop that an item of 2 us takes");

static unsigned int period = 20000;
module_param(period, uint, 0444);
MODULE_PARM_DESC(period, "load10: us between two items of a CPU");

/* Most items that a producer of pairs has in flight. */
#define COUNTS_WINDOW	64

/*
 * Tasks that an owner of half_thieves puts before it takes. More than a block,
 * because the owner's current block cannot be stolen from.
 */
#define COUNTS_BURST	1024

/**
 * struct counts_item - an item of a queue
 * @work: first
 * @done: incremented when it has run
 */
struct counts_item {
	struct wsq_work work;
	atomic_t *done;
};

/**
 * struct counts_side - state of one CPU's thread or timer
 * @cpu: its number
 * @quota: items that it puts
 * @item: the items, put again and again
 * @timer: of load10
 * @func: the thread's function
 * @task: its thread
 */
struct counts_side {
	unsigned int cpu;
	unsigned int quota;
	struct counts_item *item;
	struct hrtimer timer;
	void (*func)(struct counts_side *s);
	struct task_struct *task;
};

static struct wsq *queue;
static struct wsq_pool *pool;
static struct counts_side *sides;
static unsigned int nr_cpus, nr_running;
static DECLARE_COMPLETION(all_done);
static atomic_t running, ran, taken;

/* Probed functions: passes, and tries of a victim (successful if > 0). */

struct counts_probe {
	struct kretprobe rp;
	u64 __percpu *calls;
	u64 __percpu *hits;
};

static int counts_returned(struct kretprobe_instance *ri, struct pt_regs *regs);

#define COUNTS_PROBE(symbol)					\
	{ .rp = { .handler = counts_returned, .kp.symbol_name = symbol } }

enum { QUEUE_PASS, QUEUE_TRY, POOL_PASS, POOL_TRY, NR_PROBES };

static struct counts_probe probes[NR_PROBES] = {
	[QUEUE_PASS] = COUNTS_PROBE("wsq_steal"),
	[QUEUE_TRY] = COUNTS_PROBE("wsq_steal_from"),
	[POOL_PASS] = COUNTS_PROBE("wsq_pool_steal"),
	[POOL_TRY] = COUNTS_PROBE("wsq_pool_steal_engine"),
};

static int counts_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct counts_probe *p = container_of(get_kretprobe(ri),
					      struct counts_probe, rp);

	this_cpu_inc(*p->calls);
	if ((int)regs_return_value(regs) > 0)
		this_cpu_inc(*p->hits);
	return 0;
}

static void counts_probes_end(void)
{
	unsigned int i;

	for (i = 0; i < NR_PROBES; i++) {
		if (probes[i].rp.kp.addr)
			unregister_kretprobe(&probes[i].rp);
		free_percpu(probes[i].calls);
		free_percpu(probes[i].hits);
	}
}

static int counts_probes_begin(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < NR_PROBES; i++) {
		struct counts_probe *p = &probes[i];

		p->calls = alloc_percpu(u64);
		p->hits = alloc_percpu(u64);
		if (!p->calls || !p->hits)
			return -ENOMEM;
		p->rp.maxactive = 4 * num_possible_cpus();
		ret = register_kretprobe(&p->rp);
		if (ret) {
			pr_err("counts: no probe on %s: %d\n",
			       p->rp.kp.symbol_name, ret);
			p->rp.kp.addr = NULL;
			return ret;
		}
	}
	return 0;
}

static u64 counts_sum(u64 __percpu *of)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(of, cpu);
	return sum;
}

/* Scenarios */

static void counts_compute(void)
{
	unsigned int i;

	for (i = 0; i < spins; i++)
		barrier();
}

static void counts_item_ran(struct wsq_work *work)
{
	struct counts_item *it = container_of(work, struct counts_item, work);

	atomic_inc(it->done);
}

static void counts_item_computed(struct wsq_work *work)
{
	counts_compute();
	counts_item_ran(work);
}

static void counts_side_ends(void)
{
	if (atomic_dec_and_test(&running))
		complete(&all_done);
}

/* Has all its items at once, so it waits for none. */
static void counts_one_producer(struct counts_side *s)
{
	unsigned int i;

	for (i = 0; i < s->quota; i++) {
		wsq_queue_work(queue, &s->item[i].work);
		if (i % 64 == 63)
			cond_resched();
	}
	counts_side_ends();
}

/* Has no more than a window of items in flight. */
static void counts_pair(struct counts_side *s)
{
	unsigned int cpu = cpumask_next(s->cpu, cpu_online_mask), i;

	for (i = 0; i < s->quota; i++) {
		struct wsq_work *work = &s->item[i % COUNTS_WINDOW].work;

		while (!wsq_queue_work_on(cpu, queue, work))
			cond_resched();
		if (i % 64 == 63)
			cond_resched();
	}
	counts_side_ends();
}

/* Skips an item that still waits or runs; it is put the next time. */
static enum hrtimer_restart counts_tick(struct hrtimer *timer)
{
	struct counts_side *s = container_of(timer, struct counts_side, timer);

	if (wsq_queue_work(queue, &s->item->work) && !--s->quota) {
		counts_side_ends();
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(period * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static void counts_load(struct counts_side *s)
{
	hrtimer_start(&s->timer, ns_to_ktime(period * NSEC_PER_USEC),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void counts_owner(struct counts_side *s)
{
	unsigned int i, left = s->quota;

	while (left) {
		unsigned int burst = min_t(unsigned int, left, COUNTS_BURST);

		for (i = 0; i < burst; i++) {
			while (wsq_pool_push(pool, s) < 0)
				cond_resched();
		}
		left -= burst;
		while (wsq_pool_pop(pool))
			atomic_inc(&taken);
		cond_resched();
	}
	counts_side_ends();
}

static void counts_thief(struct counts_side *s)
{
	while (atomic_read(&taken) < items) {
		if (wsq_pool_pop(pool))
			atomic_inc(&taken);
		cond_resched();
	}
	counts_side_ends();
}

/* Waits until stopped: the module's code must not go while it runs. */
static int counts_thread(void *arg)
{
	struct counts_side *s = arg;

	s->func(s);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void counts_sides_free(void)
{
	unsigned int i;

	for (i = 0; sides && i < nr_cpus; i++) {
		if (sides[i].task) {
			kthread_stop(sides[i].task);
			hrtimer_cancel(&sides[i].timer);
		}
		vfree(sides[i].item);
	}
	kfree(sides);
}

static int counts_items(struct counts_side *s, unsigned int nr,
			wsq_func_t func)
{
	unsigned int i;

	s->item = vcalloc(nr, sizeof(*s->item));
	if (!s->item)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		INIT_WSQ_WORK(&s->item[i].work, func);
		s->item[i].done = &ran;
	}
	return 0;
}

/**
 * struct counts_case - a scenario
 * @name: its name
 * @part: one CPU in @part is a producer
 * @func: function of the producers' threads
 * @other: function of the other CPUs' threads; %NULL if they have none
 * @item: the items' function; %NULL if it uses a pool
 * @window: items of each producer; 0 for as many as it puts
 */
struct counts_case {
	const char *name;
	unsigned int part;
	void (*func)(struct counts_side *s);
	void (*other)(struct counts_side *s);
	wsq_func_t item;
	unsigned int window;
};

static const struct counts_case all_cases[] = {
	{ "one_producer_2us", UINT_MAX, counts_one_producer, NULL,
	  counts_item_computed },
	{ "pairs", 2, counts_pair, NULL, counts_item_ran, COUNTS_WINDOW },
	{ "load10", 1, counts_load, NULL, counts_item_computed, 1 },
	{ "half_thieves", 2, counts_owner, counts_thief },
};

/**
 * struct counts_numbers - statistics, over all CPUs
 * @puts: items
 * @wakeups: of workers
 * @stolen: items
 * @ipis: of two kinds
 */
struct counts_numbers {
	u64 puts;
	u64 wakeups;
	u64 stolen;
	u64 ipis;
};

static void counts_numbers(struct counts_numbers *n)
{
	unsigned int cpu, i;

	memset(n, 0, sizeof(*n));
	for_each_possible_cpu(cpu) {
		struct wsq_cpu_stats st;

		wsq_stats_cpu(cpu, &st);
		n->puts += st.puts;
		n->wakeups += st.wakeups;
		for (i = 0; i < WSQ_DIST_NR; i++)
			n->stolen += st.steals[i];
		n->ipis += per_cpu(irq_stat, cpu).irq_resched_count +
			   per_cpu(irq_stat, cpu).irq_call_count;
	}
}

static int counts_prepare(const struct counts_case *c)
{
	unsigned int i = 0, cpu, left = items, producers;
	int ret;

	nr_cpus = num_online_cpus();
	if (c->part == 2 && nr_cpus % 2)
		return -EINVAL;
	sides = kcalloc(nr_cpus, sizeof(*sides), GFP_KERNEL);
	if (!sides)
		return -ENOMEM;
	producers = c->part == UINT_MAX ? 1 : nr_cpus / c->part;
	for_each_online_cpu(cpu) {
		struct counts_side *s = &sides[i];
		bool puts = c->part == UINT_MAX ? !i : !(i % c->part);

		if (i == nr_cpus)
			return -EBUSY;
		i++;
		s->cpu = cpu;
		if (!puts && !c->other)
			continue;
		if (puts) {
			s->quota = DIV_ROUND_UP(left, producers);
			left -= s->quota;
			producers--;
			if (!s->quota)
				return -EINVAL;
		}
		ret = c->item && puts ?
		      counts_items(s, c->window ?: s->quota, c->item) : 0;
		if (ret)
			return ret;
		wsq_hrtimer_setup(&s->timer, counts_tick, CLOCK_MONOTONIC,
				  HRTIMER_MODE_REL_PINNED_HARD);
		s->func = puts ? c->func : c->other;
		s->task = kthread_create(counts_thread, s, "counts/%u", cpu);
		if (IS_ERR(s->task)) {
			ret = PTR_ERR(s->task);
			s->task = NULL;
			return ret;
		}
		kthread_bind(s->task, cpu);
		nr_running++;
	}
	return 0;
}

static int counts_go(const struct counts_case *c)
{
	struct counts_numbers before, after;
	const struct counts_probe *p = &probes[c->item ? QUEUE_PASS : POOL_PASS];
	unsigned int i;
	int ret;

	if (c->item)
		queue = wsq_create(NULL, "counts");
	else
		pool = wsq_pool_create(NULL, "counts");
	if (IS_ERR(queue) || IS_ERR(pool)) {
		counts_sides_free();
		return c->item ? PTR_ERR(queue) : PTR_ERR(pool);
	}
	/* Workers start with the queue, and look for work once. */
	msleep(200);
	ret = counts_probes_begin();
	if (ret)
		goto out;
	counts_numbers(&before);
	atomic_set(&running, nr_running);
	for (i = 0; i < nr_cpus; i++) {
		if (sides[i].task)
			wake_up_process(sides[i].task);
	}
	wait_for_completion(&all_done);
	if (c->item)
		wsq_flush(queue);
	counts_numbers(&after);
	if (atomic_read(c->item ? &ran : &taken) != items) {
		pr_err("counts: %d of %u came out\n",
		       atomic_read(c->item ? &ran : &taken), items);
		ret = -EIO;
	}
	pr_info("counts: {\"cpus\": %u, \"case\": \"%s\", \"puts\": %llu, \"wakeups\": %llu, \"ipis\": %llu, \"passes\": %llu, \"looks\": %llu, \"thefts\": %llu, \"stolen\": %llu}\n",
		nr_cpus, c->name, c->item ? after.puts - before.puts : items,
		after.wakeups - before.wakeups, after.ipis - before.ipis,
		counts_sum(p[0].calls), counts_sum(p[1].calls),
		counts_sum(p[1].hits), c->item ?
		after.stolen - before.stolen : counts_sum(p[1].hits));
out:
	counts_probes_end();
	counts_sides_free();
	if (queue)
		wsq_destroy(queue);
	if (pool)
		wsq_pool_destroy(pool);
	return ret;
}

static int __init counts_init(void)
{
	const struct counts_case *c;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(all_cases); i++)
		if (!strcmp(run, all_cases[i].name))
			break;
	if (i == ARRAY_SIZE(all_cases))
		return -EINVAL;
	c = &all_cases[i];
	ret = counts_prepare(c);
	if (ret)
		counts_sides_free();
	else
		ret = counts_go(c);
	return ret;
}
module_init(counts_init);

static void __exit counts_exit(void)
{
}
module_exit(counts_exit);

MODULE_DESCRIPTION("Counts what wsq does in a scenario");
MODULE_LICENSE("GPL");
WSQ_IMPORT_NS();
