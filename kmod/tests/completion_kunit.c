// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of queues that are fed from interrupts (Documentation/
 * completions.rst). An idle worker is woken once for what an interrupt brings.
 * While it is busy, items gather and no worker is woken. If its CPU is taken, an
 * idle CPU takes over; if there is none, no other worker is woken. Nothing is
 * lost if puts and cancels of all contexts meet.
 *
 * The interrupt is a hard hrtimer, pinned to one CPU. It reads that CPU's
 * counter of wake-ups before and after its puts. No other context on the CPU
 * can change the counter in between, so the count is exact. An interrupt that
 * finds another state than the test needs puts nothing, and comes again.
 */
#include "contexts.h"

/* Items that an interrupt brings, and interrupts while the worker is busy. */
#define COMES_BATCH		16
#define COMES_TIMES		50

/* Until the interrupt comes, or comes again. */
#define COMES_NS		(200 * NSEC_PER_USEC)

/* Items so brief that not even a block of them is worth a wake-up. */
#define COMES_BRIEF_NS		50

struct comes;

/**
 * struct comes - an interrupt that brings items
 * @q: the queue
 * @items: the items, @nr for each time
 * @works: the same
 * @nr: items that one interrupt brings
 * @times: how many interrupts bring some
 * @many: it brings them with wsq_queue_work_many()
 * @cpu: where it comes
 * @ready: is this the state that the test needs? Called by the interrupt; %NULL
 *	means always
 * @busy: the thread to interrupt, for @ready
 * @busy_q: the queue of the item that computes there, for @ready
 * @timer: the interrupt
 * @came: interrupts that have brought items
 * @wrong: puts that returned false
 * @wakeups: wake-ups by the puts of one interrupt, at most
 * @asleep: interrupts after whose puts the CPU's worker was still parked
 * @over: all have come
 */
struct comes {
	struct wsq *q;
	struct wsq_test_item *items;
	struct wsq_work **works;
	unsigned int nr;
	unsigned int times;
	bool many;
	unsigned int cpu;
	bool (*ready)(struct comes *s);
	struct task_struct *busy;
	struct wsq *busy_q;
	struct hrtimer timer;
	unsigned int came;
	unsigned int wrong;
	u64 wakeups;
	unsigned int asleep;
	struct completion over;
};

static void comes_put(struct comes *s)
{
	struct wsq_work **works = s->works + s->came * s->nr;
	unsigned int i;

	if (s->many) {
		s->wrong += s->nr - wsq_queue_work_many(s->q, works, s->nr);
		return;
	}
	for (i = 0; i < s->nr; i++)
		s->wrong += !wsq_queue_work(s->q, works[i]);
}

static enum hrtimer_restart comes_fn(struct hrtimer *timer)
{
	struct comes *s = container_of(timer, struct comes, timer);
	unsigned int here = smp_processor_id();
	const struct wsq_cpu *c = wsq_cpus[here];
	u64 from;

	hrtimer_forward_now(timer, ns_to_ktime(COMES_NS));
	if (here != s->cpu || !in_hardirq()) {
		s->wrong++;
		complete(&s->over);
		return HRTIMER_NORESTART;
	}
	if (s->ready && !s->ready(s))
		return HRTIMER_RESTART;
	from = atomic64_read(&c->wakeups);
	comes_put(s);
	from = atomic64_read(&c->wakeups) - from;
	s->wakeups = max(s->wakeups, from);
	s->asleep += wsq_parked(&c->park);
	if (++s->came < s->times)
		return HRTIMER_RESTART;
	complete(&s->over);
	return HRTIMER_NORESTART;
}

/* Start it on this CPU. */
static void comes_start(struct comes *s)
{
	hrtimer_start(&s->timer, ns_to_ktime(COMES_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* One for @cpu, where it has to be started, with a queue of @mask. */
static struct comes *comes_new(struct kunit *test, unsigned int cpu,
			       const struct cpumask *mask, unsigned int nr,
			       unsigned int times)
{
	struct comes *s = kzalloc(sizeof(*s), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->q = wsq_test_queue(test, 8, 256, mask);
	s->items = wsq_test_items(test, s->q, nr * times, wsq_test_count);
	s->works = kcalloc(nr * times, sizeof(*s->works), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s->works);
	for (i = 0; i < nr * times; i++)
		s->works[i] = &s->items[i].work;
	s->nr = nr;
	s->times = times;
	s->cpu = cpu;
	init_completion(&s->over);
	wsq_hrtimer_setup(&s->timer, comes_fn, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
	return s;
}

/* Wait until all interrupts have come. */
static bool comes_wait(struct kunit *test, struct comes *s)
{
	bool came = wait_for_completion_timeout(&s->over, WSQ_TEST_TIMEOUT);

	hrtimer_cancel(&s->timer);
	KUNIT_EXPECT_TRUE_MSG(test, came,
			      "the interrupt never found the state it needs");
	KUNIT_EXPECT_EQ(test, s->wrong, 0);
	return came;
}

static int comes_runs(const struct comes *s)
{
	unsigned int i;
	int runs = 0;

	for (i = 0; i < s->nr * s->times; i++)
		runs += atomic_read(&s->items[i].runs);
	return runs;
}

/* All items have run once. */
static void comes_end(struct kunit *test, struct comes *s)
{
	wsq_test_call(test, wsq_test_flush, s->q);
	wsq_test_expect_runs(test, s->items, s->nr * s->times, 1);
	wsq_test_queue_end(test, s->q);
	vfree(s->items);
	kfree(s->works);
	kfree(s);
}

/* Called by the interrupt: the queue's items have been known to be brief. */
static void comes_brief(const struct comes *s)
{
	struct wsq_lane *lane = wsq_lane(s->q, s->cpu);

	lane->item_ns = COMES_BRIEF_NS;
}

/* ---- the worker is idle, and so is its CPU ---- */

static bool comes_at_rest(struct comes *s)
{
	if (!wsq_parked(&wsq_cpus[s->cpu]->park) || !is_idle_task(current) ||
	    wsq_ready_test(wsq_cpus[s->cpu], s->q->id))
		return false;
	comes_brief(s);
	return true;
}

/* The worker is woken once for a batch, and no other one. */
static void completion_wakes_once(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	int many;

	wsq_test_stay(test, cpu);
	for (many = 0; many < 2; many++) {
		struct comes *s = comes_new(test, cpu, NULL, COMES_BATCH, 20);

		s->ready = comes_at_rest;
		s->many = many;
		comes_start(s);
		comes_wait(test, s);
		KUNIT_EXPECT_EQ(test, s->wakeups, 1);
		/* Another CPU may have woken the worker just before a put. */
		KUNIT_EXPECT_EQ(test, s->asleep, 0);
		comes_end(test, s);
	}
	wsq_test_roam();
}

/* ---- the worker is busy ---- */

/* Workers of all CPUs are busy: no item begins and no worker is woken. */
static void completion_gathers(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), other;
	unsigned int nr = num_online_cpus(), i;
	struct wsq_test_gate **gates;
	int many;

	gates = kunit_kcalloc(test, nr, sizeof(*gates), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, gates);
	wsq_test_stay(test, cpu);
	for (many = 0; many < 2; many++) {
		struct comes *s = comes_new(test, cpu, NULL, COMES_BATCH,
					    COMES_TIMES);

		s->many = many;
		i = 0;
		for_each_online_cpu(other)
			gates[i++] = wsq_test_hold(test, s->q, other);
		comes_start(s);
		comes_wait(test, s);
		KUNIT_EXPECT_EQ(test, s->wakeups, 0);
		KUNIT_EXPECT_EQ(test, comes_runs(s), 0);
		for (i = 0; i < nr; i++)
			wsq_test_gate_open(gates[i]);
		comes_end(test, s);
		for (i = 0; i < nr; i++)
			kfree(gates[i]);
	}
	wsq_test_roam();
}

/* The busy worker's CPU is the queue's only one: idle CPUs are left alone. */
static void completion_gathers_alone(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct comes *s = comes_new(test, cpu, cpumask_of(cpu), COMES_BATCH,
				    COMES_TIMES);
	struct wsq_test_gate *g;

	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, cpu);
	g = wsq_test_hold(test, s->q, cpu);
	comes_start(s);
	comes_wait(test, s);
	KUNIT_EXPECT_EQ(test, s->wakeups, 0);
	KUNIT_EXPECT_EQ(test, comes_runs(s), 0);
	wsq_test_release(test, s->q, g);
	comes_end(test, s);
	wsq_test_roam();
}

/* ---- the CPU is taken ---- */

/**
 * struct comes_hog - a thread that has a CPU, and lets no other thread run
 * @s: the interrupt that it starts there; may be %NULL
 * @end: it shall stop
 */
struct comes_hog {
	struct comes *s;
	bool end;
};

/* Preemption is on, but user-mode Linux does not preempt it. */
static bool comes_hog_fn(void *arg)
{
	struct comes_hog *hog = arg;
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;

	if (hog->s) {
		hog->s->busy = current;
		comes_start(hog->s);
	}
	while (!READ_ONCE(hog->end) && time_before(jiffies, end))
		cpu_relax();
	return READ_ONCE(hog->end);
}

static bool comes_over_hog(struct comes *s)
{
	struct wsq_cpu *c = wsq_cpus[s->cpu];

	if (current != s->busy || !wsq_parked(&c->park) ||
	    wsq_ready_test(c, s->q->id) || wsq_idle_nearest(s->q) >= nr_cpu_ids)
		return false;
	comes_brief(s);
	return true;
}

/* A thread computes there. Another CPU is idle: it runs the items at once. */
static void comes_taken(struct kunit *test, unsigned int nr, bool many)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct comes *s = comes_new(test, cpu, NULL, nr, 1);
	struct comes_hog *hog = kzalloc(sizeof(*hog), GFP_KERNEL);
	struct wsq_test_call *call;
	bool came;

	KUNIT_ASSERT_NOT_NULL(test, hog);
	s->ready = comes_over_hog;
	s->many = many;
	hog->s = s;
	wsq_test_stay(test, wsq_test_other(cpu));
	call = wsq_test_start_on(test, cpu, comes_hog_fn, hog);
	came = comes_wait(test, s);
	/* The worker there, and one elsewhere. */
	KUNIT_EXPECT_EQ(test, s->wakeups, 2);
	if (came)
		KUNIT_EXPECT_TRUE_MSG(test,
				      wsq_test_until(comes_runs(s) == (int)nr ||
						     wsq_test_over(call)),
				      "items wait for a CPU that is taken");
	WRITE_ONCE(hog->end, true);
	KUNIT_EXPECT_TRUE_MSG(test, wsq_test_end(test, call),
			      "the thread gave up");
	comes_end(test, s);
	wsq_test_roam();
	kfree(hog);
}

static void completion_taken(struct kunit *test)
{
	wsq_test_need_cpus(test, 2);
	if (!wsq_sleep_notifiers())
		kunit_skip(test, "needs CONFIG_PREEMPT_NOTIFIERS");
	comes_taken(test, 1, false);
	comes_taken(test, COMES_BATCH, false);
	comes_taken(test, COMES_BATCH, true);
}

static bool comes_over_item(struct comes *s)
{
	struct wsq_cpu *c = wsq_cpus[s->cpu];

	if (wsq_parked(&c->park) || c->worker->task != current ||
	    !READ_ONCE(c->worker->cur) || wsq_ready_test(c, s->q->id) ||
	    wsq_idle_nearest(s->q) >= nr_cpu_ids)
		return false;
	comes_brief(s);
	/* What is known of the items of the queue whose item computes. */
	wsq_lane(s->busy_q, s->cpu)->item_ns = s->many ? COMES_BRIEF_NS : 0;
	return true;
}

/*
 * An item of another queue computes there. An idle CPU takes over if such items
 * are slow; if they are brief, the worker there will come in time.
 */
static void completion_taken_by_item(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq *q;
	int brief;

	wsq_test_need_cpus(test, 2);
	if (!wsq_sleep_notifiers())
		kunit_skip(test, "needs CONFIG_PREEMPT_NOTIFIERS");
	q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	for (brief = 0; brief < 2; brief++) {
		struct comes *s = comes_new(test, cpu, NULL, COMES_BATCH, 1);
		struct wsq_test_gate *g;

		s->ready = comes_over_item;
		s->busy_q = q;
		s->many = brief;
		wsq_test_stay(test, cpu);
		g = wsq_test_hold(test, q, cpu);
		comes_start(s);
		/* Let the other CPU become idle. */
		wsq_test_stay(test, cpu);
		comes_wait(test, s);
		KUNIT_EXPECT_EQ(test, s->wakeups, brief ? 0 : 1);
		/* The watchdog notices that it was mistaken. */
		KUNIT_EXPECT_TRUE(test, wsq_test_until(comes_runs(s) ==
						       COMES_BATCH));
		wsq_test_release(test, q, g);
		comes_end(test, s);
	}
	wsq_test_roam();
	wsq_test_queue_end(test, q);
}

static bool comes_over_hogs(struct comes *s)
{
	struct wsq_cpu *c = wsq_cpus[s->cpu];

	if (current != s->busy || !wsq_parked(&c->park) ||
	    wsq_ready_test(c, s->q->id) || wsq_idle_nearest(s->q) < nr_cpu_ids)
		return false;
	comes_brief(s);
	return true;
}

/* A thread that has a CPU, until the caller has seen the interrupt. */
static bool comes_hog_other(void *arg)
{
	struct comes_hog *hog = arg;
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;

	while (!READ_ONCE(hog->end) && time_before(jiffies, end)) {
		wsq_test_yield();
		cpu_relax();
	}
	return READ_ONCE(hog->end);
}

/* Threads compute on all CPUs: one wake-up for a batch, and no other. */
static void completion_all_taken(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), other, i = 0, nr;
	struct wsq_test_call **calls;
	struct comes_hog *hogs;
	struct comes *s;

	if (!wsq_sleep_notifiers())
		kunit_skip(test, "needs CONFIG_PREEMPT_NOTIFIERS");
	nr = num_online_cpus();
	calls = kunit_kcalloc(test, nr, sizeof(*calls), GFP_KERNEL);
	hogs = kunit_kcalloc(test, nr, sizeof(*hogs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, calls);
	KUNIT_ASSERT_NOT_NULL(test, hogs);
	s = comes_new(test, cpu, NULL, COMES_BATCH, 1);
	s->ready = comes_over_hogs;
	hogs[0].s = s;
	wsq_test_stay(test, wsq_test_other(cpu));
	for_each_online_cpu(other) {
		calls[i] = wsq_test_start_on(test, other, other == cpu ?
					     comes_hog_fn : comes_hog_other,
					     &hogs[i]);
		i++;
	}
	comes_wait(test, s);
	KUNIT_EXPECT_EQ(test, s->wakeups, 1);
	while (i--) {
		WRITE_ONCE(hogs[i].end, true);
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, calls[i]));
	}
	comes_end(test, s);
	wsq_test_roam();
}

/* ---- all contexts at once ---- */

#define MIXED_ITEMS	64
#define MIXED_ROUNDS	WSQ_TEST_MANY(3000)

/* NMIs that thread 0 sends, where there are any. */
#define MIXED_NMIS	100

struct mixed;

/* The interrupts of one CPU. */
struct mixed_cpu {
	struct mixed *s;
	struct hrtimer timer;
	struct tasklet_struct tasklet;
	u32 seed;
	u32 soft_seed;
};

/**
 * struct mixed - contexts that queue and cancel the same items
 * @q: the queue
 * @items: the items
 * @cpus: the interrupts, by thread
 * @queued: puts that returned true, for each item
 * @cancelled: cancels that returned true, for each item
 * @hard: hard interrupts that came
 * @soft: soft interrupts that came
 * @stop: no more interrupts
 * @nmi: NMIs can be raised
 */
struct mixed {
	struct wsq *q;
	struct wsq_test_item *items;
	struct mixed_cpu *cpus;
	atomic_t queued[MIXED_ITEMS];
	atomic_t cancelled[MIXED_ITEMS];
	atomic_t hard;
	atomic_t soft;
	bool stop;
	bool nmi;
};

static u32 mixed_step(struct mixed *s, u32 seed, bool cancels)
{
	u32 k;

	seed = seed * 1103515245 + 12345;
	k = (seed >> 16) % MIXED_ITEMS;
	if (cancels && (seed >> 28 & 3) == 3) {
		if (wsq_cancel_work(&s->items[k].work))
			atomic_inc(&s->cancelled[k]);
	} else if (wsq_queue_work(s->q, &s->items[k].work)) {
		atomic_inc(&s->queued[k]);
	}
	return seed;
}

static enum hrtimer_restart mixed_hard(struct hrtimer *timer)
{
	struct mixed_cpu *c = container_of(timer, struct mixed_cpu, timer);
	int i;

	for (i = 0; i < COMES_BATCH; i++)
		c->seed = mixed_step(c->s, c->seed, true);
	atomic_inc(&c->s->hard);
	if (READ_ONCE(c->s->stop))
		return HRTIMER_NORESTART;
	tasklet_schedule(&c->tasklet);
	/* Vary the period, so that it is not in step with the thread. */
	hrtimer_forward_now(timer, ns_to_ktime(50000 + (c->seed >> 15)));
	return HRTIMER_RESTART;
}

static void mixed_soft(struct tasklet_struct *t)
{
	struct mixed_cpu *c = container_of(t, struct mixed_cpu, tasklet);
	int i;

	for (i = 0; i < COMES_BATCH; i++)
		c->soft_seed = mixed_step(c->s, c->soft_seed, true);
	atomic_inc(&c->s->soft);
}

/* An NMI may put; it may not cancel. */
static int mixed_in_nmi(void *arg)
{
	struct mixed *s = arg;

	mixed_step(s, raw_smp_processor_id() * 31 + atomic_read(&s->hard),
		   false);
	return 0;
}

static void mixed_raise(struct mixed *s, int i)
{
	struct errand e = { .fn = mixed_in_nmi, .arg = s };
	unsigned int cpu = cpumask_first(cpu_online_mask);

	for (i %= num_online_cpus(); i; i--)
		cpu = cpumask_next(cpu, cpu_online_mask);
	if (nmi_begin_on(&e, cpu))
		wsq_test_spin_until(errand_over(&e));
}

static void mixed_thread(void *arg, int nr)
{
	struct mixed *s = arg;
	struct mixed_cpu *c = &s->cpus[nr];
	u32 seed = nr + 7;
	int i;

	hrtimer_start(&c->timer, ns_to_ktime(50000),
		      HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < MIXED_ROUNDS; i++) {
		seed = mixed_step(s, seed, true);
		if (s->nmi && !nr && i < MIXED_NMIS)
			mixed_raise(s, i);
		if (!(i & 31))
			wsq_test_yield();
	}
}

/* Each item that was queued has run or was cancelled; none is left. */
static void completion_mixed(struct kunit *test)
{
	struct mixed *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int i, nr = num_online_cpus();

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->q = wsq_test_queue(test, 2, 4, NULL);
	s->items = wsq_test_items(test, s->q, MIXED_ITEMS, wsq_test_count);
	s->cpus = kcalloc(nr, sizeof(*s->cpus), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s->cpus);
	for (i = 0; i < nr; i++) {
		s->cpus[i].s = s;
		s->cpus[i].seed = 1000 + i;
		s->cpus[i].soft_seed = 2000 + i;
		tasklet_setup(&s->cpus[i].tasklet, mixed_soft);
		wsq_hrtimer_setup(&s->cpus[i].timer, mixed_hard,
				  CLOCK_MONOTONIC,
				  HRTIMER_MODE_REL_PINNED_HARD);
	}
	s->nmi = nmi_there();
	wsq_test_run(test, nr, mixed_thread, s);
	/* A fast machine ends before the first interrupt. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&s->soft) > 20));
	WRITE_ONCE(s->stop, true);
	for (i = 0; i < nr; i++) {
		hrtimer_cancel(&s->cpus[i].timer);
		tasklet_kill(&s->cpus[i].tasklet);
	}
	if (s->nmi)
		nmi_gone();
	wsq_test_call(test, wsq_test_flush, s->q);
	for (i = 0; i < MIXED_ITEMS; i++)
		wsq_test_expect_runs(test, &s->items[i], 1,
				     atomic_read(&s->queued[i]) -
				     atomic_read(&s->cancelled[i]));
	wsq_test_queue_end(test, s->q);
	vfree(s->items);
	kfree(s->cpus);
	kfree(s);
}

static struct kunit_case completion_cases[] = {
	WSQ_ANY_ENGINE_CASE(completion_wakes_once),
	WSQ_ANY_ENGINE_CASE(completion_gathers),
	WSQ_ANY_ENGINE_CASE(completion_gathers_alone),
	WSQ_ANY_ENGINE_CASE(completion_taken),
	WSQ_ANY_ENGINE_CASE(completion_taken_by_item),
	WSQ_ANY_ENGINE_CASE(completion_all_taken),
	WSQ_ENGINE_CASE(completion_mixed),
	{}
};

static struct kunit_suite completion_suite = {
	.name = "wsq_completion",
	.test_cases = completion_cases,
};

kunit_test_suite(completion_suite);
