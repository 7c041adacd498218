// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of an idle work service. While no item waits, no worker is woken,
 * no watchdog timer expires and no standby worker takes over. No worker is
 * woken that cannot help.
 *
 * Each test creates a state, then reads counters of all CPUs over windows of a
 * second. Work left from an earlier state ends in the first windows. Activity
 * caused by the state itself is in each window. So one quiet window is enough,
 * and a slow machine only takes more of them.
 */
#include "crowd.h"

/* Windows of a second. */
#define QUIET_WINDOWS	20
/* At most this many of each in a quiet window. */
#define QUIET_FEW	4

/**
 * struct quiet - activity of the work service on all CPUs
 * @wakeups: wake-ups sent
 * @parks: times a worker parked
 * @standbys: times a standby worker took over
 * @expiries: times a watchdog timer expired
 * @ns: CPU time of the workers
 */
struct quiet {
	u64 wakeups;
	u64 parks;
	u64 standbys;
	u64 expiries;
	u64 ns;
};

static void quiet_read(struct quiet *n)
{
	unsigned int cpu;

	memset(n, 0, sizeof(*n));
	for_each_possible_cpu(cpu) {
		const struct wsq_cpu *c = wsq_cpus[cpu];

		n->wakeups += atomic64_read(&c->wakeups);
		n->parks += READ_ONCE(c->parks);
		n->standbys += READ_ONCE(c->standbys);
		n->expiries += READ_ONCE(c->watchdog.expiries);
	}
	n->ns = wsq_test_workers_time();
}

/* Which of them have to be quiet. */
enum quiet_what {
	QUIET_WAKEUPS	= BIT(0),
	QUIET_EXPIRIES	= BIT(1),
	QUIET_TIME	= BIT(2),
};

static bool quiet_enough(const struct quiet *n, unsigned int what)
{
	return (!(what & QUIET_WAKEUPS) ||
		(n->wakeups <= QUIET_FEW && n->parks <= QUIET_FEW &&
		 n->standbys <= QUIET_FEW)) &&
	       (!(what & QUIET_EXPIRIES) || n->expiries <= QUIET_FEW) &&
	       (!(what & QUIET_TIME) || !n->ns);
}

/* Expect a quiet window. The counts of the last window are printed. */
static void quiet_expect(struct kunit *test, const char *state,
			 unsigned int what)
{
	struct quiet from, to;
	int i;

	for (i = 0; i < QUIET_WINDOWS; i++) {
		quiet_read(&from);
		schedule_timeout_uninterruptible(HZ);
		quiet_read(&to);
		to.wakeups -= from.wakeups;
		to.parks -= from.parks;
		to.standbys -= from.standbys;
		to.expiries -= from.expiries;
		to.ns -= from.ns;
		if (quiet_enough(&to, what))
			break;
	}
	KUNIT_EXPECT_LT_MSG(test, i, QUIET_WINDOWS, "%s", state);
	kunit_info(test, "%s, in window %d: %llu wake-ups, %llu parkings, %llu hand-offs, %llu expiries, %llu ns of workers",
		   state, i, to.wakeups, to.parks, to.standbys, to.expiries,
		   to.ns);
}

static unsigned int quiet_cpu(void)
{
	return cpumask_last(cpu_online_mask);
}

/* Items sleep, and nothing waits behind them. */
static void quiet_sleeps(struct kunit *test)
{
	static const int numbers[] = { 1, 10 };
	struct wsq_test_crowd *crowd;
	struct wsq *q;
	int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		q = wsq_test_queue(test, 2, 4, NULL);
		crowd = wsq_test_crowd(test, numbers[i], 0);
		wsq_test_crowd_queue(test, crowd, q, quiet_cpu());
		wsq_test_crowd_begun(test, crowd, numbers[i]);
		quiet_expect(test, i ? "ten items sleep" : "one item sleeps",
			     QUIET_WAKEUPS | QUIET_EXPIRIES | QUIET_TIME);
		wsq_test_crowd_end(test, crowd, q);
		quiet_expect(test, "nothing is there",
			     QUIET_WAKEUPS | QUIET_EXPIRIES | QUIET_TIME);
		wsq_test_queue_end(test, q);
	}
}

/* One item sleeps on each CPU, so that no worker is parked. */
static void quiet_all_sleep(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_crowd *crowd;
	unsigned int cpu;
	int i = 0;

	crowd = wsq_test_crowd(test, num_online_cpus(), 0);
	for_each_online_cpu(cpu) {
		wsq_test_crowd_put(test, crowd, q, cpu, i, i + 1);
		i++;
	}
	wsq_test_crowd_begun(test, crowd, i);
	quiet_expect(test, "an item sleeps on each CPU",
		     QUIET_WAKEUPS | QUIET_EXPIRIES | QUIET_TIME);
	wsq_test_crowd_end(test, crowd, q);
	wsq_test_queue_end(test, q);
}

/* An item computes, and nothing waits. */
static void quiet_computes(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_gate *g = wsq_test_hold(test, q, quiet_cpu());

	quiet_expect(test, "an item computes",
		     QUIET_WAKEUPS | QUIET_EXPIRIES);
	wsq_test_release(test, q, g);
	wsq_test_queue_end(test, q);
}

/*
 * A bound item waits behind one of the same queue that computes. No other CPU
 * can help, and no other queue waits.
 */
static void quiet_bound(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	struct wsq_test_gate *g = wsq_test_hold(test, q, quiet_cpu());

	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(quiet_cpu(), q, &it->work));
	quiet_expect(test, "a bound item waits", QUIET_WAKEUPS);
	wsq_test_release(test, q, g);
	wsq_test_expect_runs(test, it, 1, 1);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* Items wait because their queue is at its limit on this CPU. */
static void quiet_full(struct kunit *test)
{
	const struct wsq_attrs attrs = {
		.flags = WSQ_RESIDENT,
		.max_active = 1,
		.cpumask = cpumask_of(quiet_cpu()),
	};
	struct wsq *q = wsq_test_queue_attrs(test, &attrs);
	struct wsq_test_item *items;
	struct wsq_test_crowd *crowd;
	int i;

	crowd = wsq_test_crowd(test, 1, 0);
	items = wsq_test_items(test, q, 10, wsq_test_count);
	wsq_test_crowd_queue(test, crowd, q, quiet_cpu());
	wsq_test_crowd_begun(test, crowd, 1);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test,
				  wsq_queue_work_on(i & 1 ? (int)quiet_cpu() :
						    WSQ_CPU_ANY, q,
						    &items[i].work));
	quiet_expect(test, "a full queue's items wait",
		     QUIET_WAKEUPS | QUIET_TIME);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&items[i].runs), 0);
	wsq_test_crowd_end(test, crowd, q);
	wsq_test_expect_runs(test, items, 10, 1);
	wsq_test_queue_end(test, q);
	vfree(items);
}

/* Seconds, and the most of each count in that time. */
#define QUIET_LONG		10
#define QUIET_LONG_FEW		(QUIET_LONG * QUIET_FEW)

/* A line for tools/bench/collect. */
static void quiet_row(struct kunit *test, const char *what, u64 nr)
{
	kunit_info(test, "{\"suite\":\"kernel\",\"case\":\"wsq queue\",\"metric\":\"an item sleeps alone for %d s, %s\",\"unit\":\"calls\",\"samples\":[%llu]}\n",
		   QUIET_LONG, what, nr);
	KUNIT_EXPECT_LE_MSG(test, nr, QUIET_LONG_FEW, "%s", what);
}

/* The cost of one sleeping item: counts over a longer time. */
static void quiet_figures(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_crowd *crowd = wsq_test_crowd(test, 1, 0);
	struct quiet from, to;

	wsq_test_crowd_queue(test, crowd, q, quiet_cpu());
	wsq_test_crowd_begun(test, crowd, 1);
	/* Let earlier activity end. */
	schedule_timeout_uninterruptible(3 * HZ);
	quiet_read(&from);
	schedule_timeout_uninterruptible(QUIET_LONG * HZ);
	quiet_read(&to);
	quiet_row(test, "wake-ups", to.wakeups - from.wakeups);
	quiet_row(test, "expiries", to.expiries - from.expiries);
	wsq_test_crowd_end(test, crowd, q);
	wsq_test_queue_end(test, q);
}

static struct kunit_case quiet_cases[] = {
	KUNIT_CASE_SLOW(quiet_sleeps),
	KUNIT_CASE_SLOW(quiet_all_sleep),
	KUNIT_CASE_SLOW(quiet_computes),
	KUNIT_CASE_SLOW(quiet_bound),
	KUNIT_CASE_SLOW(quiet_full),
	KUNIT_CASE_SLOW(quiet_figures),
	{}
};

static struct kunit_suite quiet_suite = {
	.name = "wsq_quiet",
	.test_cases = quiet_cases,
};

kunit_test_suite(quiet_suite);
