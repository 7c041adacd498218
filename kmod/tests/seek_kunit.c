// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of seekers and surpluses (kmod/exec/idle.h). A put may leave its
 * items to a worker that already seeks. They run even if that worker does not
 * come. A CPU that becomes idle finds items put before. A surplus that a CPU
 * may not take keeps none of its workers awake.
 */
#include <linux/smp.h>

#include "items.h"

/* Items for a queue whose blocks have two: thieves can reach most of them. */
#define SEEK_ITEMS	8

/**
 * struct seek_two - a CPU with a surplus, and another one
 * @full: the first CPU
 * @idle: the other one
 * @q: a queue
 * @gate: holds @full
 * @items: items of @q
 * @nr: how many
 */
struct seek_two {
	unsigned int full;
	unsigned int idle;
	struct wsq *q;
	struct wsq_test_gate *gate;
	struct wsq_test_item *items;
	int nr;
};

/* Called by an interrupt: puts go to this CPU's container. */
static void seek_put(void *arg)
{
	struct seek_two *s = arg;
	int i;

	for (i = 0; i < SEEK_ITEMS; i++)
		wsq_queue_work(s->q, &s->items[i].work);
}

/* Hold a CPU with an item of a queue on @mask. */
static void seek_begin(struct kunit *test, struct seek_two *s,
		       const struct cpumask *mask)
{
	s->q = wsq_test_queue(test, 8, 2, mask);
	s->nr = SEEK_ITEMS;
	s->items = wsq_test_items(test, s->q, s->nr, wsq_test_count);
	s->gate = wsq_test_hold(test, s->q, s->full);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_parked(&wsq_cpus[s->idle]->park)));
}

static void seek_end(struct kunit *test, struct seek_two *s)
{
	wsq_test_release(test, s->q, s->gate);
	wsq_test_expect_runs(test, s->items, SEEK_ITEMS, 1);
	wsq_test_queue_end(test, s->q);
	vfree(s->items);
}

static void seek_init(struct kunit *test, struct seek_two *s)
{
	wsq_test_need_cpus(test, 2);
	s->full = cpumask_first(cpu_online_mask);
	s->idle = wsq_test_other(s->full);
}

/* How many items have run. */
static int seek_runs(const struct seek_two *s)
{
	int i, runs = 0;

	for (i = 0; i < s->nr; i++)
		runs += atomic_read(&s->items[i].runs);
	return runs;
}

/* The seeker that is recorded was never woken. */
static void seek_absent(struct kunit *test)
{
	struct seek_two s = {};
	struct wsq_domain *d;

	seek_init(test, &s);
	seek_begin(test, &s, NULL);
	d = wsq_cpus[s.idle]->domain;
	atomic_set(&d->seeker, s.idle + 1);
	KUNIT_ASSERT_EQ(test, smp_call_function_single(s.full, seek_put, &s, 1), 0);
	KUNIT_EXPECT_TRUE_MSG(test, wsq_test_until(seek_runs(&s) == SEEK_ITEMS),
			      "items wait for a worker that does not come");
	seek_end(test, &s);
	/* The false record is cleared. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!atomic_read(&d->seeker)));
}

/* The idle CPU is not one of the queue's. */
static void seek_foreign(struct kunit *test)
{
	struct wsq_test_item *other;
	struct seek_two s = {};
	struct wsq_cpu *c;
	struct wsq *q;
	u64 parks;
	int i;

	seek_init(test, &s);
	c = wsq_cpus[s.idle];
	q = wsq_test_queue(test, 2, 4, cpumask_of(s.idle));
	other = wsq_test_items(test, q, 1, wsq_test_count);
	seek_begin(test, &s, cpumask_of(s.full));
	/* A worker whose CPU has other threads to run does not linger. */
	wsq_test_stay(test, s.full);
	KUNIT_ASSERT_EQ(test, smp_call_function_single(s.full, seek_put, &s, 1), 0);
	KUNIT_EXPECT_TRUE(test, wsq_surplus_test(wsq_cpus[s.full]));
	/* It is no reason to linger. */
	KUNIT_EXPECT_FALSE(test, wsq_surplus_mine(c));
	/* A worker that has lingered in vain does not linger the next time. */
	for (i = 1; i <= 4; i++) {
		wsq_queue_work_on(s.idle, q, &other->work);
		KUNIT_EXPECT_TRUE(test,
				  wsq_test_until(atomic_read(&other->runs) == i));
	}
	KUNIT_EXPECT_TRUE_MSG(test, wsq_test_until(wsq_parked(&c->park)),
			      "a worker does not sleep for what it may not take");
	parks = READ_ONCE(c->parks);
	wsq_test_linger();
	/* Other code may have queued something there. quiet_kunit.c checks. */
	kunit_info(test, "then it parked %llu times more",
		   READ_ONCE(c->parks) - parks);
	KUNIT_EXPECT_EQ(test, seek_runs(&s), 0);
	wsq_test_roam();
	seek_end(test, &s);
	wsq_test_queue_end(test, q);
	vfree(other);
}

/* The other CPU is one of the queue's, and its worker is busy. */
static void seek_mine(struct kunit *test)
{
	struct wsq_test_gate *busy;
	struct seek_two s = {};
	cpumask_var_t mask;
	struct wsq_cpu *c;
	struct wsq *q;

	seek_init(test, &s);
	c = wsq_cpus[s.idle];
	if (c->domain != wsq_cpus[s.full]->domain)
		kunit_skip(test, "the two CPUs share no cache");
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&mask, GFP_KERNEL));
	cpumask_set_cpu(s.full, mask);
	cpumask_set_cpu(s.idle, mask);
	q = wsq_test_queue(test, 2, 4, NULL);
	seek_begin(test, &s, mask);
	free_cpumask_var(mask);
	busy = wsq_test_hold(test, q, s.idle);
	KUNIT_ASSERT_EQ(test, smp_call_function_single(s.full, seek_put, &s, 1), 0);
	KUNIT_EXPECT_TRUE(test, wsq_surplus_mine(c));
	/* A CPU does not linger for its own items. */
	KUNIT_EXPECT_FALSE(test, wsq_surplus_mine(wsq_cpus[s.full]));
	wsq_test_release(test, q, busy);
	seek_end(test, &s);
	wsq_test_queue_end(test, q);
}

/**
 * struct seek_pass - what a thief's pass over a victim's queues says
 * @two: the victim is @full, the thief is @idle
 * @stolen: the pass has stolen items
 * @all: the thief may steal for all queues
 * @again: the next pass may find items
 */
struct seek_pass {
	struct seek_two *two;
	bool stolen;
	bool all;
	bool again;
};

/* On the thief's CPU. */
static bool seek_pass_fn(void *arg)
{
	struct seek_pass *p = arg;
	unsigned int tries = 0;

	/* The pass also ends early if another thread wants the CPU. */
	do {
		cond_resched();
		p->all = true;
		p->again = false;
		p->stolen = wsq_steal_pass(wsq_cpus[p->two->idle],
					   wsq_cpus[p->two->full], &p->all,
					   &p->again);
	} while (p->again && ++tries < 1000);
	return true;
}

/*
 * A thief's pass over foreign queues ends early once the thief's CPU has items
 * of its own.
 */
static void seek_own_first(struct kunit *test)
{
	struct wsq_test_item *foreign, *own;
	struct wsq_test_gate *busy = NULL;
	struct seek_two s = {};
	struct seek_pass p = { .two = &s };
	struct wsq *q, *mine;
	int turn;

	seek_init(test, &s);
	mine = wsq_test_queue(test, 2, 4, cpumask_of(s.idle));
	own = wsq_test_items(test, mine, 1, wsq_test_count);
	q = wsq_test_queue(test, 2, 4, cpumask_of(s.full));
	foreign = wsq_test_items(test, q, 1, wsq_test_count);
	seek_begin(test, &s, cpumask_of(s.full));
	/* Two foreign queues are ready. */
	KUNIT_ASSERT_EQ(test, smp_call_function_single(s.full, seek_put, &s, 1), 0);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(s.full, q, &foreign->work));
	/* A thread looks in place of the worker, which parks or runs. */
	for (turn = 0; turn < 2; turn++) {
		if (turn) {
			busy = wsq_test_hold(test, mine, s.idle);
			KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(s.idle, mine, &own->work));
		}
		wsq_test_end(test, wsq_test_start_on(test, s.idle, seek_pass_fn, &p));
		KUNIT_EXPECT_FALSE(test, p.stolen);
		KUNIT_EXPECT_FALSE(test, p.all);
		KUNIT_EXPECT_EQ(test, p.again, (bool)turn);
	}
	wsq_test_release(test, mine, busy);
	seek_end(test, &s);
	wsq_test_queue_end(test, q);
	wsq_test_queue_end(test, mine);
	wsq_test_expect_runs(test, own, 1, 1);
	wsq_test_expect_runs(test, foreign, 1, 1);
	vfree(own);
	vfree(foreign);
}

/* When all has run, no CPU is recorded as having a surplus or as seeking. */
static void seek_rest(struct kunit *test)
{
	const struct wsq_domains *all =
		&wsq_class_find(WSQ_CLASS_NORMAL)->domains;
	struct seek_two s = {};
	unsigned int i;

	seek_init(test, &s);
	seek_begin(test, &s, NULL);
	KUNIT_ASSERT_EQ(test, smp_call_function_single(s.full, seek_put, &s, 1), 0);
	seek_end(test, &s);
	for (i = 0; i < all->nr; i++) {
		const struct wsq_domain *d = all->list[i];

		KUNIT_EXPECT_TRUE(test, wsq_test_until(!READ_ONCE(d->surplus)));
		KUNIT_EXPECT_TRUE(test, wsq_test_until(!atomic_read(&d->seeker)));
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_idle_count() ==
					       num_online_cpus()));
}

/**
 * struct seek_deaf - a thread that queues items and takes no interrupts
 * @two: the thread's CPU is @full
 * @nr: how many items
 * @item_ns: the learnt time of the queue's items there; 0: not known
 * @ran: one ran before interrupts were on again
 */
struct seek_deaf {
	struct seek_two *two;
	int nr;
	u32 item_ns;
	bool ran;
};

static bool seek_deaf_fn(void *arg)
{
	struct seek_deaf *d = arg;
	struct seek_two *s = d->two;
	unsigned long flags;
	u64 end;
	int i;

	local_irq_save(flags);
	wsq_lane(s->q, smp_processor_id())->item_ns = d->item_ns;
	for (i = 0; i < d->nr; i++)
		wsq_queue_work(s->q, &s->items[i].work);
	end = ktime_get_ns() + WSQ_TEST_TIMEOUT_NS;
	while (!seek_runs(s) && ktime_get_ns() < end)
		cpu_relax();
	d->ran = seek_runs(s);
	local_irq_restore(flags);
	return true;
}

/*
 * A thread queues items and goes on computing. Neither the worker of its CPU
 * nor the watchdog can run. An idle CPU takes items if one may take long, or
 * all together do, even if all are in one block.
 */
static void seek_computing(struct kunit *test)
{
	static const struct seek_deaf cases[] = {
		{ .nr = 1 },
		{ .nr = 1, .item_ns = 100 * NSEC_PER_USEC },
		{ .nr = 8, .item_ns = 10 * NSEC_PER_USEC },
		{ .nr = 200, .item_ns = 400 },
	};
	struct seek_two s = {};
	unsigned int i;

	seek_init(test, &s);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct seek_deaf d = cases[i];

		d.two = &s;
		s.nr = d.nr;
		s.q = wsq_test_queue(test, 8, 256, NULL);
		s.items = wsq_test_items(test, s.q, s.nr, wsq_test_count);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_idle_count() ==
						       num_online_cpus()));
		wsq_test_end(test, wsq_test_start_on(test, s.full, seek_deaf_fn,
						     &d));
		KUNIT_EXPECT_TRUE_MSG(test, d.ran,
				      "%d items of %u ns wait for a thread that computes",
				      d.nr, d.item_ns);
		wsq_test_queue_end(test, s.q);
		wsq_test_expect_runs(test, s.items, s.nr, 1);
		vfree(s.items);
	}
}

/*
 * Slow items, all in the block that the worker of their CPU is in. The watchdog
 * sees the worker begin one after the other.
 */
#define SEEK_SLOW_ITEMS	4000
#define SEEK_SLOW_US	200
/* How often to try: a busy host may give the idle CPU no time in one try. */
#define SEEK_SLOW_TRIES	20

/**
 * struct seek_late - a CPU that is busy when items are put on another one
 * @two: the other one is @full, this one is @idle
 * @items: items of @two's queue. Slow; short once one has run on @idle.
 * @busy: an item that keeps @idle busy
 * @go: @busy may end, or sleep
 * @sleeps: @busy sleeps until @end
 * @entered: @busy runs
 * @end: @busy may end
 * @told: the puts have recorded a surplus of @full
 * @reached: an item has run on @idle
 */
struct seek_late {
	struct seek_two two;
	struct seek_slow {
		struct wsq_test_item it;
		struct seek_late *late;
	} *items;
	struct wsq_test_item busy;
	bool go;
	bool sleeps;
	struct completion entered;
	struct completion end;
	bool told;
	bool reached;
};

static void seek_slow_fn(struct wsq_work *work)
{
	struct seek_slow *slow = container_of(work, struct seek_slow, it.work);
	struct seek_late *l = slow->late;
	u64 end = ktime_get_ns() + SEEK_SLOW_US * (u64)NSEC_PER_USEC;

	wsq_test_enter(&slow->it);
	if (raw_smp_processor_id() == l->two.idle)
		WRITE_ONCE(l->reached, true);
	while (!READ_ONCE(l->reached) && ktime_get_ns() < end)
		wsq_test_yield();
	wsq_test_leave(&slow->it);
}

static void seek_busy_fn(struct wsq_work *work)
{
	struct wsq_test_item *it = wsq_test_item_of(work);
	struct seek_late *l = container_of(it, struct seek_late, busy);

	wsq_test_enter(it);
	wsq_test_stay_young();
	complete(&l->entered);
	while (!READ_ONCE(l->go))
		wsq_test_yield();
	if (l->sleeps)
		wait_for_completion(&l->end);
	wsq_test_leave(it);
}

static void seek_forget(const struct wsq_cpu *c)
{
	clear_bit(c->bit, &c->domain->surplus);
}

static void seek_put_slow(void *arg)
{
	const struct wsq_cpu *c = wsq_cpus[smp_processor_id()];
	struct seek_late *l = arg;
	int i;

	for (i = 0; i < SEEK_SLOW_ITEMS; i++) {
		wsq_queue_work(l->two.q, &l->items[i].it.work);
		/* The first put publishes a block. */
		if (!i)
			seek_forget(c);
	}
	l->told = wsq_surplus_test(c);
}

/* Has an item run on the idle CPU? */
static bool seek_late_try(struct kunit *test, u32 item_ns, bool sleeps)
{
	struct wsq_lane *lane;
	struct seek_late *l;
	struct seek_two *s;
	struct wsq *q;
	int i, runs = 0;
	bool reached;

	l = kzalloc(sizeof(*l), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, l);
	l->sleeps = sleeps;
	s = &l->two;
	seek_init(test, s);
	s->q = wsq_test_queue(test, 2, 4096, NULL);
	q = wsq_test_queue(test, 2, 4, NULL);
	l->items = vzalloc(array_size(SEEK_SLOW_ITEMS, sizeof(*l->items)));
	KUNIT_ASSERT_NOT_NULL(test, l->items);
	for (i = 0; i < SEEK_SLOW_ITEMS; i++) {
		wsq_test_item_init(&l->items[i].it, s->q, seek_slow_fn);
		l->items[i].late = l;
	}
	wsq_test_item_init(&l->busy, q, seek_busy_fn);
	init_completion(&l->entered);
	init_completion(&l->end);
	KUNIT_ASSERT_TRUE(test, wsq_queue_work_on(s->idle, q, &l->busy.work));
	wait_for_completion(&l->entered);
	/* Any memory that the queue gets is there before. */
	s->gate = wsq_test_hold(test, s->q, s->full);
	lane = wsq_lane(s->q, s->full);
	WRITE_ONCE(lane->item_ns, item_ns);
	KUNIT_ASSERT_EQ(test, smp_call_function_single(s->full, seek_put_slow,
						       l, 1), 0);
	if (item_ns >= WSQ_COME_MAX_NS)
		KUNIT_EXPECT_TRUE(test, l->told);
	wsq_test_gate_open(s->gate);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&l->items[0].it.runs)));
	/* Clear what the puts recorded: the other CPU must not see it. */
	if (item_ns < WSQ_COME_MIN_NS)
		seek_forget(wsq_cpus[s->full]);
	WRITE_ONCE(l->go, true);
	wsq_test_call(test, wsq_test_flush, s->q);
	reached = l->reached;
	complete(&l->end);
	for (i = 0; i < SEEK_SLOW_ITEMS; i++)
		runs += atomic_read(&l->items[i].it.runs);
	KUNIT_EXPECT_EQ(test, runs, SEEK_SLOW_ITEMS);
	wsq_test_queue_end(test, q);
	wsq_test_queue_end(test, s->q);
	kfree(s->gate);
	vfree(l->items);
	kfree(l);
	return reached;
}

/* @item_ns: learnt item time on the full CPU */
static void seek_late_with(struct kunit *test, u32 item_ns, bool sleeps)
{
	int i;

	wsq_test_need_cpus(test, 2);
	for (i = 0; i < SEEK_SLOW_TRIES; i++) {
		if (seek_late_try(test, item_ns, sleeps))
			return;
	}
	KUNIT_FAIL(test, "an idle CPU leaves slow items to a busy one");
}

/* A CPU becomes idle after items were put, because its item ends. */
static void seek_late(struct kunit *test)
{
	seek_late_with(test, NSEC_PER_USEC, false);
	seek_late_with(test, SEEK_SLOW_US * NSEC_PER_USEC, false);
}

/* A CPU becomes idle after items were put, because its item sleeps. */
static void seek_late_asleep(struct kunit *test)
{
	seek_late_with(test, NSEC_PER_USEC, true);
	seek_late_with(test, SEEK_SLOW_US * NSEC_PER_USEC, true);
}

/* Each CPU is in one domain, which lists all domains, itself first. */
static void seek_domains(struct kunit *test)
{
	const struct wsq_domains *all =
		&wsq_class_find(WSQ_CLASS_NORMAL)->domains;
	unsigned int cpu, i, k, at, nr = 0;

	for (i = 0; i < all->nr; i++) {
		const struct wsq_domain *d = all->list[i];

		KUNIT_EXPECT_EQ(test, d->id, i);
		KUNIT_EXPECT_GT(test, d->nr, 0U);
		KUNIT_EXPECT_LE(test, d->nr, (unsigned int)BITS_PER_LONG);
		KUNIT_EXPECT_EQ(test, d->order[0], i);
		for (k = 0; k < all->nr; k++) {
			for (at = 0; at < all->nr; at++) {
				if (d->order[at] == k)
					break;
			}
			KUNIT_EXPECT_LT(test, at, all->nr);
		}
		for (k = 0; k < d->nr; k++) {
			for (at = 0; at < d->nr; at++) {
				bool same = wsq_topology_distance(&wsq_machine,
								  d->cpus[k],
								  d->cpus[at]) ==
					    WSQ_DIST_SMT;

				KUNIT_EXPECT_EQ(test, !!(d->cores[k] & BIT(at)),
						same);
			}
			KUNIT_EXPECT_TRUE(test, d->cores[k] & BIT(k));
		}
		nr += d->nr;
	}
	KUNIT_EXPECT_EQ(test, nr, num_possible_cpus());
	for_each_possible_cpu(cpu) {
		const struct wsq_cpu *c = wsq_cpus[cpu];

		KUNIT_EXPECT_EQ(test, c->domain->cpus[c->bit], cpu);
	}
}

static struct kunit_case seek_cases[] = {
	KUNIT_CASE(seek_domains),
	WSQ_ANY_ENGINE_CASE(seek_absent),
	WSQ_ANY_ENGINE_CASE(seek_foreign),
	WSQ_ANY_ENGINE_CASE(seek_mine),
	WSQ_ANY_ENGINE_CASE(seek_own_first),
	WSQ_ANY_ENGINE_CASE(seek_rest),
	WSQ_ANY_ENGINE_CASE(seek_computing),
	WSQ_ANY_ENGINE_CASE(seek_late),
	WSQ_ANY_ENGINE_CASE(seek_late_asleep),
	{}
};

static struct kunit_suite seek_suite = {
	.name = "wsq_seek",
	.test_cases = seek_cases,
};

kunit_test_suite(seek_suite);
