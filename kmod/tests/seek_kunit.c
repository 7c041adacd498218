// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of seekers and surpluses (kmod/exec/idle.h). A put may leave its items
 * to a worker that is on its way. They run as well if it does not come. A surplus
 * that a CPU may not take keeps none of its workers awake.
 */
#include <linux/smp.h>

#include "items.h"

/* Items for a queue whose blocks have two: most are within the reach of thieves. */
#define SEEK_ITEMS	8

/**
 * struct seek_two - a CPU with a surplus, and another one
 * @full: the first CPU
 * @idle: the other one
 * @q: a queue
 * @gate: holds @full
 * @items: items of @q
 */
struct seek_two {
	unsigned int full;
	unsigned int idle;
	struct wsq *q;
	struct wsq_test_gate *gate;
	struct wsq_test_item *items;
};

/* By an interrupt: puts go to the CPU's own part of the queue. */
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
	s->items = wsq_test_items(test, s->q, SEEK_ITEMS, wsq_test_count);
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

	for (i = 0; i < SEEK_ITEMS; i++)
		runs += atomic_read(&s->items[i].runs);
	return runs;
}

/* The worker that is said to be on its way was never woken. */
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
	/* Nobody is said to be on its way who is not. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!atomic_read(&d->seeker)));
}

/* The CPU that has nothing to do is none of the queue's. */
static void seek_foreign(struct kunit *test)
{
	struct wsq_test_item *other;
	struct seek_two s = {};
	struct wsq_cpu *c;
	struct wsq *q;
	u64 parks;

	seek_init(test, &s);
	c = wsq_cpus[s.idle];
	q = wsq_test_queue(test, 2, 4, cpumask_of(s.idle));
	other = wsq_test_items(test, q, 1, wsq_test_count);
	seek_begin(test, &s, cpumask_of(s.full));
	KUNIT_ASSERT_EQ(test, smp_call_function_single(s.full, seek_put, &s, 1), 0);
	KUNIT_EXPECT_TRUE(test, wsq_surplus_test(wsq_cpus[s.full]));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(s.idle, q, &other->work));
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_EXPECT_TRUE_MSG(test, wsq_test_until(wsq_parked(&c->park)),
			      "a worker does not sleep for what it may not take");
	parks = READ_ONCE(c->parks);
	wsq_test_linger();
	/* Others may have put something there. */
	KUNIT_EXPECT_LE(test, READ_ONCE(c->parks), parks + 10);
	KUNIT_EXPECT_EQ(test, seek_runs(&s), 0);
	seek_end(test, &s);
	wsq_test_queue_end(test, q);
	vfree(other);
}

/* When all has run, no CPU is said to have a surplus, and nobody seeks. */
static void seek_rest(struct kunit *test)
{
	struct seek_two s = {};
	unsigned int i;

	seek_init(test, &s);
	seek_begin(test, &s, NULL);
	KUNIT_ASSERT_EQ(test, smp_call_function_single(s.full, seek_put, &s, 1), 0);
	seek_end(test, &s);
	for (i = 0; i < wsq_domains.nr; i++) {
		const struct wsq_domain *d = wsq_domains.list[i];

		KUNIT_EXPECT_TRUE(test, wsq_test_until(!READ_ONCE(d->surplus)));
		KUNIT_EXPECT_TRUE(test, wsq_test_until(!atomic_read(&d->seeker)));
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_idle_count() ==
					       num_online_cpus()));
}

/**
 * struct seek_deaf - a thread that queues an item and takes no interrupts
 * @two: its CPU is @full
 * @item_ns: what items of the queue are known to take there; 0: not known
 * @ran: the item has run meanwhile
 */
struct seek_deaf {
	struct seek_two *two;
	u32 item_ns;
	bool ran;
};

/* For so long it waits for the item. */
#define SEEK_DEAF_NS		(5ULL * NSEC_PER_SEC)

static bool seek_deaf_fn(void *arg)
{
	struct seek_deaf *d = arg;
	struct seek_two *s = d->two;
	unsigned long flags;
	u64 end;

	local_irq_save(flags);
	wsq_pool_ct(&s->q->pool, smp_processor_id())->item_ns = d->item_ns;
	wsq_queue_work(s->q, &s->items[0].work);
	end = ktime_get_ns() + SEEK_DEAF_NS;
	while (!atomic_read(&s->items[0].runs) && ktime_get_ns() < end)
		cpu_relax();
	d->ran = atomic_read(&s->items[0].runs);
	local_irq_restore(flags);
	return true;
}

/*
 * A thread queues an item and goes on computing. Neither the worker of its CPU nor
 * the watchdog can run. An idle CPU comes for the item, if it may take long.
 */
static void seek_computing(struct kunit *test)
{
	static const u32 item_ns[] = { 0, 100 * NSEC_PER_USEC };
	struct seek_two s = {};
	unsigned int i;

	seek_init(test, &s);
	for (i = 0; i < ARRAY_SIZE(item_ns); i++) {
		struct seek_deaf d = { .two = &s, .item_ns = item_ns[i] };

		s.q = wsq_test_queue(test, 8, 256, NULL);
		s.items = wsq_test_items(test, s.q, 1, wsq_test_count);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_idle_count() ==
						       num_online_cpus()));
		wsq_test_end(test, wsq_test_start_on(test, s.full, seek_deaf_fn,
						     &d));
		KUNIT_EXPECT_TRUE_MSG(test, d.ran,
				      "an item of %u ns waits for a thread that computes",
				      item_ns[i]);
		wsq_test_queue_end(test, s.q);
		wsq_test_expect_runs(test, s.items, 1, 1);
		vfree(s.items);
	}
}

/* Each CPU is in one domain, which knows all others, itself first. */
static void seek_domains(struct kunit *test)
{
	unsigned int cpu, i, k, nr = 0;

	for (i = 0; i < wsq_domains.nr; i++) {
		const struct wsq_domain *d = wsq_domains.list[i];

		KUNIT_EXPECT_EQ(test, d->id, i);
		KUNIT_EXPECT_GT(test, d->nr, 0U);
		KUNIT_EXPECT_LE(test, d->nr, (unsigned int)BITS_PER_LONG);
		KUNIT_EXPECT_EQ(test, d->order[0], i);
		for (k = 0; k < wsq_domains.nr; k++) {
			unsigned int at;

			for (at = 0; at < wsq_domains.nr; at++) {
				if (d->order[at] == k)
					break;
			}
			KUNIT_EXPECT_LT(test, at, wsq_domains.nr);
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
	WSQ_ENGINE_CASE(seek_absent),
	WSQ_ENGINE_CASE(seek_foreign),
	WSQ_ENGINE_CASE(seek_rest),
	WSQ_ENGINE_CASE(seek_computing),
	{}
};

static struct kunit_suite seek_suite = {
	.name = "wsq_seek",
	.test_cases = seek_cases,
};

kunit_test_suite(seek_suite);
