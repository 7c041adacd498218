// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the asymmetric fence (core/fence.h) with the kernel's hooks.
 * Two CPUs each run one side of a program millions of times, and the test
 * counts forbidden outcomes.
 *
 * In a duel neither side waits for the other between its store and its load.
 * The light side counts its rounds and logs what it read. The heavy side looks
 * up the one round that the fence had to order, and the light side does not
 * overwrite that entry before: if both virtual CPUs share one CPU of the host,
 * a time slice is many times the log. With a compiler barrier as heavy side the
 * forbidden outcome must be found (sides.h).
 *
 * x86 itself forbids message passing to fail: that case is for other
 * processors.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <uapi/linux/wsq.h>

#include "../obs/cpu_stats.h"
#include "sides.h"

#define NR_LOG		1024

/* Duels. */

struct duel;

/**
 * struct duel_ops - a program
 * @light: round @nr of the light side; false to end
 * @heavy: what the heavy side does between its store and its load
 * @hunt: end when the forbidden outcome is found
 * @all: the set has all CPUs in it
 */
struct duel_ops {
	bool (*light)(struct duel *d, u64 nr);
	void (*heavy)(struct duel *d);
	bool hunt;
	bool all;
};

/**
 * struct duel - store buffering, fence.h's scenario A
 * @ops: the program
 * @set: the light side's CPU, if it may be interrupted
 * @none: the empty set
 * @call: fence call to the light side's CPU, asynchronous
 * @cpu: the light side's
 * @reached: it may be interrupted
 * @over: the heavy side has finished
 * @asked: the round before the one that the heavy side looks for; 0: none
 * @left: the light side has ended, in this round at the latest
 * @rounds: of the heavy side. Heavy side's count, as the next two
 * @judged: rounds in which the log entry was still there
 * @found: rounds with the forbidden outcome
 * @x: the heavy side's word: its round
 * @y: the light side's word: its round
 * @log: what the light side read from @x, by round
 */
struct duel {
	const struct duel_ops *ops;
	u64 *set;
	u64 *none;
	struct wsq_fence_call call;
	unsigned int cpu;
	bool reached;
	bool over;
	u64 asked;
	u64 left;
	u64 rounds, judged, found;
	u64 x ____cacheline_aligned;
	u64 y ____cacheline_aligned;
	u64 log[NR_LOG] ____cacheline_aligned;
};

/* Release: the log entry of the previous round is visible. */
static void duel_store(struct duel *d, u64 nr)
{
	/* Pairs with duel_judge(). */
	smp_store_release(&d->y, nr);
}

static void duel_load(struct duel *d, u64 nr)
{
	WRITE_ONCE(d->log[nr % NR_LOG], READ_ONCE(d->x));
}

static bool light_section(struct duel *d, u64 nr)
{
	wsq_fence_begin();
	duel_store(d, nr);
	side_pass(d->reached);
	duel_load(d, nr);
	wsq_fence_end();
	return true;
}

/* Both sides are heavy and interrupt each other: no section, both advance. */
static bool light_mutual(struct duel *d, u64 nr)
{
	duel_store(d, nr);
	wsq_fence_heavy(d->set, wsq_fence_words());
	duel_load(d, nr);
	return true;
}

/* Without the fence and without what replaces it on a light side. */
static bool light_bare(struct duel *d, u64 nr)
{
	wsq_fence_begin();
	duel_store(d, nr);
	wsq_fence_light();
	duel_load(d, nr);
	wsq_fence_end();
	return true;
}

/* Sections end within a section, before and after the light fence. */
static bool light_nested(struct duel *d, u64 nr)
{
	wsq_fence_begin();
	wsq_fence_begin();
	duel_store(d, nr);
	wsq_fence_end();
	side_pass(d->reached);
	wsq_fence_begin();
	duel_load(d, nr);
	wsq_fence_end();
	wsq_fence_end();
	return true;
}

/* A CPU that may not be interrupted: has its own barrier, is in no set. */
static bool light_isolated(struct duel *d, u64 nr)
{
	wsq_fence_begin();
	duel_store(d, nr);
	/* Its own barrier. */
	smp_mb();
	duel_load(d, nr);
	wsq_fence_end();
	return true;
}

/* No section: a heavy fence with no light side. */
static bool light_empty(struct duel *d, u64 nr)
{
	duel_store(d, nr);
	wsq_fence_heavy(d->none, wsq_fence_words());
	duel_load(d, nr);
	return true;
}

static void heavy_set(struct duel *d)
{
	wsq_fence_heavy(d->set, wsq_fence_words());
}

static void heavy_started(struct duel *d)
{
	side_start(&d->call, d->cpu);
}

static void heavy_empty(struct duel *d)
{
	wsq_fence_heavy(d->none, wsq_fence_words());
}

static void heavy_missing(struct duel *d)
{
	barrier();
}

/*
 * Keep round @asked + 1 in the log until the heavy side has read it. @asked is
 * a hint without ordering: if it is seen too late, duel_judge() notices from
 * @y.
 */
static void duel_keep(struct duel *d, u64 nr)
{
	u64 asked;

	for (;;) {
		asked = READ_ONCE(d->asked);
		if (!asked || nr < asked + NR_LOG / 2)
			return;
		cpu_relax();
		wsq_test_yield();
	}
}

static void duel_light(struct duel *d)
{
	u64 nr;

	for (nr = 1; !READ_ONCE(d->over) && d->ops->light(d, nr); nr++) {
		if (nr % (NR_LOG / 4) == 0)
			duel_keep(d, nr);
		if (nr % 1024 == 0)
			wsq_test_yield();
	}
	side_notify(&d->left, nr);
}

/*
 * The heavy side read round @y of the light side. The light side's next round
 * stores after that load, so it must have read round @x or later. Returns false
 * if there was no next round.
 */
static bool duel_judge(struct duel *d, u64 x, u64 y)
{
	u64 seen, now;

	for (;;) {
		/* Pairs with side_notify(). */
		bool left = smp_load_acquire(&d->left);

		/* Pairs with duel_store(). */
		now = smp_load_acquire(&d->y);
		if (now >= y + 2)
			break;
		if (left)
			return false;
		cpu_relax();
		wsq_test_yield();
	}
	seen = READ_ONCE(d->log[(y + 1) % NR_LOG]);
	/* Against duel_store() of the round that overwrites the entry. */
	smp_rmb();
	if (READ_ONCE(d->y) > y + NR_LOG)
		return true;
	WRITE_ONCE(d->judged, d->judged + 1);
	d->found += seen < x;
	return true;
}

static void duel_heavy(struct duel *d)
{
	u64 begin = ktime_get_ns(), y;
	u64 want = d->ops->hunt ? SIDE_HUNTED : 1000;
	bool there;

	do {
		d->rounds++;
		WRITE_ONCE(d->x, d->rounds);
		d->ops->heavy(d);
		y = READ_ONCE(d->y);
		WRITE_ONCE(d->asked, y);
		there = duel_judge(d, d->rounds, y);
		WRITE_ONCE(d->asked, 0);
		if (!there)
			break;
		if (d->rounds % 64 == 0 && side_over(begin, d->judged, want))
			break;
	} while (!(d->ops->hunt && d->found));
	WRITE_ONCE(d->over, true);
}

static void duel_party(void *data, int nr)
{
	if (nr == 0)
		duel_heavy(data);
	else
		duel_light(data);
}

static struct duel *duel_new(struct kunit *test, const struct duel_ops *ops)
{
	struct duel *d = kunit_kzalloc(test, PAGE_ALIGN(sizeof(*d)),
				       GFP_KERNEL);
	unsigned int cpu;

	KUNIT_ASSERT_NOT_NULL(test, d);
	d->ops = ops;
	d->cpu = side_cpu();
	d->reached = wsq_fence_reaches(d->cpu);
	d->set = side_set_new(test);
	d->none = side_set_new(test);
	wsq_fence_call_init(&d->call);
	for_each_possible_cpu(cpu)
		if (wsq_fence_reaches(cpu) && (ops->all || cpu == d->cpu))
			side_set_add(d->set, cpu);
	return d;
}

static struct duel *duel_hold(struct kunit *test, const struct duel_ops *ops)
{
	struct duel *d;

	side_need_two(test);
	d = duel_new(test, ops);
	wsq_test_run(test, 2, duel_party, d);
	kunit_info(test, "%llu rounds, %llu of them judged, against %llu, %llu found",
		   d->rounds, d->judged, d->y, d->found);
	if (!ops->hunt)
		KUNIT_EXPECT_EQ(test, d->found, 0);
	wsq_test_met(test, d->judged, "no round of the two sides could be judged");
	return d;
}

static void fence_buffer(struct kunit *test)
{
	static const struct duel_ops ops = { light_section, heavy_set };

	duel_hold(test, &ops);
}

static void fence_buffer_missing(struct kunit *test)
{
	static const struct duel_ops ops = {
		light_bare, heavy_missing, .hunt = true,
	};
	struct duel *d = duel_hold(test, &ops);

	side_expect_found(test, d->found, d->rounds);
}

static void fence_started(struct kunit *test)
{
	static const struct duel_ops ops = { light_section, heavy_started };

	duel_hold(test, &ops);
}

static void fence_nested(struct kunit *test)
{
	static const struct duel_ops ops = { light_nested, heavy_set };

	duel_hold(test, &ops);
}

static void fence_isolated(struct kunit *test)
{
	static const struct duel_ops ops = { light_isolated, heavy_empty };

	duel_hold(test, &ops);
}

/* The call is a full barrier for the caller, even with an empty set. */
static void fence_empty(struct kunit *test)
{
	static const struct duel_ops ops = { light_empty, heavy_empty };

	duel_hold(test, &ops);
}

static void fence_mutual(struct kunit *test)
{
	static const struct duel_ops ops = { light_mutual, heavy_set,
					     .all = true };

	duel_hold(test, &ops);
}

/* The set includes the caller and CPUs that are offline. */
static void fence_all(struct kunit *test)
{
	static const struct duel_ops ops = { light_section, heavy_set,
					     .all = true };

	duel_hold(test, &ops);
}

/* A CPU goes offline in the middle of a duel, with its bit in the set. */

#ifdef CONFIG_HOTPLUG_CPU

#define NR_OFFLINE	5

/* Ends once it no longer runs on the CPU that is in the set. */
static bool light_bound(struct duel *d, u64 nr)
{
	bool here;

	wsq_fence_begin();
	here = raw_smp_processor_id() == d->cpu;
	if (here) {
		duel_store(d, nr);
		side_pass(d->reached);
		duel_load(d, nr);
	}
	wsq_fence_end();
	return here;
}

struct offline {
	struct duel *d;
	u64 begin;
	int ret[2];
	u64 back;
};

static void offline_party(void *data, int nr)
{
	struct offline *o = data;
	struct duel *d = o->d;

	if (nr < 2) {
		duel_party(d, nr);
		/* No CPU is there to interrupt, and nothing may be missing. */
		if (nr == 0) {
			side_wait(&d->left, 1);
			WRITE_ONCE(d->x, d->rounds + 1);
			d->ops->heavy(d);
			o->back = d->left - 1 - READ_ONCE(d->y);
		}
		return;
	}
	do
		msleep(20);
	while (!side_over(o->begin, READ_ONCE(d->judged), 100) &&
	       READ_ONCE(d->judged) < 100);
	o->ret[0] = remove_cpu(d->cpu);
	if (o->ret[0])
		return;
	msleep(20);
	o->ret[1] = add_cpu(d->cpu);
}

static void fence_offline(struct kunit *test)
{
	static const struct duel_ops ops[] = {
		{ light_bound, heavy_set }, { light_bound, heavy_started },
	};
	struct offline o = {};
	bool met = true;
	int i;

	if (num_online_cpus() < 3)
		kunit_skip(test, "needs three CPUs");
	for (i = 0; i < NR_OFFLINE; i++) {
		o.d = duel_new(test, &ops[i % ARRAY_SIZE(ops)]);
		o.begin = ktime_get_ns();
		wsq_test_run(test, 3, offline_party, &o);
		KUNIT_ASSERT_EQ(test, o.ret[0], 0);
		KUNIT_ASSERT_EQ(test, o.ret[1], 0);
		KUNIT_EXPECT_EQ(test, o.d->found, 0);
		KUNIT_EXPECT_EQ(test, o.back, 0);
		met = met && o.d->judged;
	}
	wsq_test_met(test, met, "no round of the two sides could be judged");
}

#else

static void fence_offline(struct kunit *test)
{
	kunit_skip(test, "needs CPU hotplug: tools/check/kunit debug");
}

#endif

/* Message passing, both ways. */

/**
 * struct mail - two letters at a time
 * @set: the light side's CPU, if it may be interrupted
 * @reached: it may be
 * @over: the heavy side has finished
 * @rounds: of the heavy side
 * @heavy_bad: letters older than their flag, as seen by the heavy side
 * @light_bad: the same, as seen by the light side
 * @letter: the heavy side's
 * @flag: number of the newest letter
 * @light_letter: the light side's
 * @light_flag: number of the newest letter of the light side
 */
struct mail {
	u64 *set;
	bool reached;
	bool over;
	u64 rounds, heavy_bad, light_bad;
	u64 letter ____cacheline_aligned;
	u64 flag ____cacheline_aligned;
	u64 light_letter ____cacheline_aligned;
	u64 light_flag ____cacheline_aligned;
};

static void mail_light(struct mail *m)
{
	u64 nr, flag;

	for (nr = 1; !READ_ONCE(m->over); nr++) {
		wsq_fence_begin();
		WRITE_ONCE(m->light_letter, nr);
		side_pass(m->reached);
		WRITE_ONCE(m->light_flag, nr);
		flag = READ_ONCE(m->flag);
		side_pass(m->reached);
		m->light_bad += READ_ONCE(m->letter) < flag;
		wsq_fence_end();
		if (nr % 1024 == 0)
			wsq_test_yield();
	}
}

static void mail_heavy(struct mail *m)
{
	u64 end = ktime_get_ns() + SIDE_CALM_NS, nr, flag;

	for (nr = 1; nr % 64 || ktime_get_ns() < end; nr++) {
		WRITE_ONCE(m->letter, nr);
		wsq_fence_heavy(m->set, wsq_fence_words());
		WRITE_ONCE(m->flag, nr);
		flag = READ_ONCE(m->light_flag);
		wsq_fence_heavy(m->set, wsq_fence_words());
		m->heavy_bad += READ_ONCE(m->light_letter) < flag;
	}
	m->rounds = nr;
	WRITE_ONCE(m->over, true);
}

static void mail_party(void *data, int nr)
{
	if (nr == 0)
		mail_heavy(data);
	else
		mail_light(data);
}

static void fence_message(struct kunit *test)
{
	struct mail *m;

	side_need_two(test);
	m = kunit_kzalloc(test, PAGE_ALIGN(sizeof(*m)), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	m->set = side_set_new(test);
	m->reached = wsq_fence_reaches(side_cpu());
	if (m->reached)
		side_set_add(m->set, side_cpu());
	wsq_test_run(test, 2, mail_party, m);
	kunit_info(test, "%llu rounds against %llu", m->rounds, m->light_flag);
	KUNIT_EXPECT_EQ(test, m->heavy_bad, 0);
	KUNIT_EXPECT_EQ(test, m->light_bad, 0);
	KUNIT_EXPECT_GT(test, m->rounds, 0);
}

/* The call waits for the interrupt. */

/**
 * struct hold - a CPU that has its interrupts off for a while
 * @set: that CPU
 * @cpu: its number
 * @call: asynchronous call to that CPU, started with interrupts off
 * @starts: use @call instead of the call that waits
 * @inside: that CPU has its interrupts off
 * @leaving: it is about to enable them
 * @early: @call was done before @leaving was set
 * @late: @leaving as seen after the call
 */
struct hold {
	u64 *set;
	unsigned int cpu;
	struct wsq_fence_call call;
	bool starts;
	u64 inside;
	u64 leaving;
	bool early;
	u64 late;
};

static void hold_start(struct hold *h)
{
	unsigned long flags;

	local_irq_save(flags);
	wsq_fence_start(&h->call, h->cpu);
	h->early = wsq_fence_done(&h->call) && !READ_ONCE(h->leaving);
	local_irq_restore(flags);
	while (!wsq_fence_done(&h->call))
		cpu_relax();
}

static void hold_party(void *data, int nr)
{
	struct hold *h = data;
	unsigned long flags;

	if (nr == 0) {
		side_wait(&h->inside, 1);
		if (h->starts)
			hold_start(h);
		else
			wsq_fence_heavy(h->set, wsq_fence_words());
		h->late = READ_ONCE(h->leaving);
		return;
	}
	wsq_fence_begin();
	local_irq_save(flags);
	side_notify(&h->inside, 1);
	mdelay(1);
	WRITE_ONCE(h->leaving, 1);
	local_irq_restore(flags);
	wsq_fence_end();
}

static void hold_all(struct kunit *test, bool starts)
{
	struct hold *h;
	int i;

	side_need_two(test);
	if (!wsq_fence_reaches(side_cpu()))
		kunit_skip(test, "no CPU is interrupted");
	h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, h);
	h->starts = starts;
	h->set = side_set_new(test);
	h->cpu = side_cpu();
	side_set_add(h->set, h->cpu);
	wsq_fence_call_init(&h->call);
	for (i = 0; i < 20; i++) {
		h->inside = 0;
		h->leaving = 0;
		h->late = 0;
		wsq_test_run(test, 2, hold_party, h);
		KUNIT_EXPECT_FALSE(test, h->early);
		KUNIT_EXPECT_EQ(test, h->late, 1);
	}
}

static void fence_waits(struct kunit *test)
{
	hold_all(test, false);
}

static void fence_goes_on(struct kunit *test)
{
	hold_all(test, true);
}

/* Calls that need no interrupt, or are made from interrupt context. */

struct own {
	struct irq_work work;
	struct wsq_fence_call call;
	unsigned int cpu;
	bool ran;
	bool done;
};

static void own_irq(struct irq_work *work)
{
	struct own *o = container_of(work, struct own, work);

	wsq_fence_start(&o->call, o->cpu);
	o->done = wsq_fence_done(&o->call);
	WRITE_ONCE(o->ran, true);
}

static void own_party(void *data, int nr)
{
	struct own *o = data;

	/* To its own CPU, from a section and from an interrupt: at once. */
	o->cpu = raw_smp_processor_id();
	wsq_fence_begin();
	wsq_fence_start(&o->call, o->cpu);
	o->done = wsq_fence_done(&o->call);
	wsq_fence_end();
	if (!o->done)
		return;
	irq_work_queue(&o->work);
	irq_work_sync(&o->work);
	if (!o->ran || !o->done)
		return;
	/* From interrupt context to another CPU. */
	o->ran = false;
	o->cpu = side_cpu();
	irq_work_queue(&o->work);
	irq_work_sync(&o->work);
	while (!wsq_fence_done(&o->call))
		cpu_relax();
}

static void fence_own(struct kunit *test)
{
	struct own *o = kunit_kzalloc(test, sizeof(*o), GFP_KERNEL);

	side_need_two(test);
	KUNIT_ASSERT_NOT_NULL(test, o);
	o->work = IRQ_WORK_INIT_HARD(own_irq);
	wsq_fence_call_init(&o->call);
	KUNIT_EXPECT_TRUE(test, wsq_fence_done(&o->call));
	wsq_test_run(test, 1, own_party, o);
	KUNIT_EXPECT_TRUE(test, o->ran);
	KUNIT_EXPECT_EQ(test, o->cpu, side_cpu());
	KUNIT_EXPECT_TRUE(test, wsq_fence_done(&o->call));
}

/* Nested sections on one CPU. */

struct nest {
	struct irq_work work;
	bool ran;
};

static void nest_irq(struct irq_work *work)
{
	struct nest *n = container_of(work, struct nest, work);

	wsq_fence_begin();
	wsq_fence_light();
	wsq_fence_end();
	WRITE_ONCE(n->ran, true);
}

static void fence_sections(struct kunit *test)
{
	struct nest n = { .work = IRQ_WORK_INIT_HARD(nest_irq) };
	u64 end = ktime_get_ns() + SIDE_CALM_NS;
	int was = preempt_count();
	bool open;

	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		kunit_skip(test, "the kernel does not count sections");
	wsq_fence_begin();
	wsq_fence_begin();
	wsq_fence_end();
	open = preemptible();
	irq_work_queue(&n.work);
	while (!READ_ONCE(n.ran) && ktime_get_ns() < end)
		cpu_relax();
	open |= preemptible();
	wsq_fence_end();
	irq_work_sync(&n.work);
	KUNIT_EXPECT_FALSE(test, open);
	KUNIT_EXPECT_TRUE(test, n.ran);
	KUNIT_EXPECT_EQ(test, preempt_count(), was);
}

/* Which CPUs are interrupted, and that no other is. */

#define NR_COUNTED	100

static u64 counted(unsigned int cpu)
{
	struct wsq_cpu_stats st;

	wsq_stats_cpu(cpu, &st);
	return st.fences;
}

static void count_party(void *data, int nr)
{
	struct wsq_fence_call call;
	u64 *set = data;
	int i;

	wsq_fence_call_init(&call);
	for (i = 0; i < NR_COUNTED; i++)
		wsq_fence_heavy(set, wsq_fence_words());
	/* Once more asynchronously for each CPU in the set. */
	for (i = 0; i < nr_cpu_ids; i++)
		if (set[i / WSQ_FENCE_WORD_BITS] >> i % WSQ_FENCE_WORD_BITS & 1)
			side_start(&call, i);
}

/* Workers of earlier tests add fences until they park. Try a few times. */
#define COUNT_TRIES	20

/**
 * struct counts - interrupts that were counted
 * @none: of the light side, by an empty set
 * @heavy: of the heavy side, by both sets
 * @light: of the light side, by a set that has both
 */
struct counts {
	u64 none, heavy, light;
};

static struct counts count_once(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	u64 heavy = counted(cpu), light = counted(side_cpu());
	u64 *set = side_set_new(test);
	struct counts c;

	wsq_test_run(test, 1, count_party, set);
	c.none = counted(side_cpu()) - light;
	/* The caller's own CPU needs no interrupt. */
	side_set_add(set, cpu);
	side_set_add(set, side_cpu());
	wsq_test_run(test, 1, count_party, set);
	c.heavy = counted(cpu) - heavy;
	c.light = counted(side_cpu()) - light;
	return c;
}

static void fence_counts(struct kunit *test)
{
	u64 want = wsq_fence_ipi ? NR_COUNTED + 1 : 0;
	struct counts c = {};
	unsigned int cpu, i;

	side_need_two(test);
	for (i = 0; i < COUNT_TRIES; i++) {
		c = count_once(test);
		if (!c.none && !c.heavy && c.light == want)
			break;
	}
	KUNIT_EXPECT_EQ(test, c.none, 0);
	KUNIT_EXPECT_EQ(test, c.heavy, 0);
	KUNIT_EXPECT_EQ(test, c.light, want);
	for_each_possible_cpu(cpu)
		if (!wsq_fence_ipi)
			KUNIT_EXPECT_EQ(test, counted(cpu), 0);
}

static struct kunit_case fence_cases[] = {
	KUNIT_CASE(fence_sections),
	KUNIT_CASE(fence_waits),
	KUNIT_CASE(fence_goes_on),
	KUNIT_CASE(fence_own),
	KUNIT_CASE_SLOW(fence_buffer),
	KUNIT_CASE_SLOW(fence_started),
	KUNIT_CASE_SLOW(fence_buffer_missing),
	KUNIT_CASE_SLOW(fence_nested),
	KUNIT_CASE_SLOW(fence_isolated),
	KUNIT_CASE_SLOW(fence_empty),
	KUNIT_CASE_SLOW(fence_all),
	KUNIT_CASE_SLOW(fence_mutual),
	KUNIT_CASE_SLOW(fence_offline),
	KUNIT_CASE_SLOW(fence_message),
	KUNIT_CASE(fence_counts),
	{}
};

static struct kunit_suite fence_suite = {
	.name = "wsq_fence",
	.test_cases = fence_cases,
};

kunit_test_suite(fence_suite);
