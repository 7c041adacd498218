// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of many items that sleep on one CPU. As many as a queue allows
 * may sleep there and wait for each other. They delay no item of another queue,
 * and no item of their own queue that another CPU may run. The CPU itself
 * notices that an item sleeps, whatever other CPUs do.
 *
 * Sleepers are released only after the check, so a test that waits in vain
 * fails first and then releases them. Only crowd_deaf(), a slow case, has a
 * limit that a busy machine may exceed.
 */
#include <linux/irqflags.h>
#include <linux/ktime.h>

#include "crowd.h"

/* Items that wait for each other. */
#define CROWD		100
/* Items of one queue, enough to delay those of others if they could. */
#define CROWD_LARGE	256
/* This many of them must have begun before the other item is queued. */
#define CROWD_SOME	60

/* The CPU least used by the caller and by the machine's own work. */
static unsigned int crowd_cpu(void)
{
	return cpumask_last(cpu_online_mask);
}

/* How the items of a crowd that waits for its last one are queued. */
enum crowd_how {
	CROWD_BOUND,	/* to one CPU of many, explicitly */
	CROWD_OPEN,	/* to the only CPU */
	CROWD_MIXED,	/* half and half */
	CROWD_HOWS,
};

/* True if all items of the crowd have begun. */
static bool crowd_last_one(struct kunit *test, enum crowd_how how)
{
	unsigned int cpu = crowd_cpu();
	struct wsq_test_crowd *crowd = wsq_test_crowd(test, CROWD, CROWD);
	struct wsq *q = wsq_test_queue(test, 2, 4, how == CROWD_BOUND ?
				       NULL : cpumask_of(cpu));
	bool ok;
	int i;

	wsq_test_stay(test, cpu);
	for (i = 0; i < CROWD; i++)
		wsq_test_crowd_put(test, crowd, q, how == CROWD_BOUND ||
				   (how == CROWD_MIXED && i & 1) ?
				   (int)cpu : WSQ_CPU_ANY, i, i + 1);
	wsq_test_roam();
	ok = wsq_test_crowd_begun(test, crowd, CROWD);
	for (i = 0; i < CROWD; i++)
		if (atomic_read(&crowd->items[i].it.runs))
			KUNIT_EXPECT_EQ(test, crowd->items[i].it.cpu, (int)cpu);
	wsq_test_crowd_end(test, crowd, q);
	wsq_test_queue_end(test, q);
	return ok;
}

/* None of the items of a CPU ends before the last has begun. */
static void crowd_last(struct kunit *test)
{
	enum crowd_how how;

	for (how = 0; how < CROWD_HOWS; how++) {
		if (!crowd_last_one(test, how))
			break;
	}
}

/* Likewise with half of the items in another queue. */
static void crowd_last_of_two(struct kunit *test)
{
	unsigned int cpu = crowd_cpu();
	struct wsq_test_crowd *crowd = wsq_test_crowd(test, CROWD, CROWD);
	struct wsq *a = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq *b = wsq_test_queue(test, 2, 4, NULL);
	int i;

	for (i = 0; i < CROWD; i++)
		wsq_test_crowd_put(test, crowd, i & 1 ? a : b, cpu, i, i + 1);
	wsq_test_crowd_begun(test, crowd, CROWD);
	wsq_test_crowd_go(crowd);
	wsq_test_call(test, wsq_test_flush, a);
	wsq_test_crowd_end(test, crowd, b);
	wsq_test_queue_end(test, a);
	wsq_test_queue_end(test, b);
}

/*
 * One queue has more items asleep on a CPU than a CPU used to have workers. An
 * item of another queue runs there before any of them ends.
 */
static void crowd_other_queue(struct kunit *test)
{
	unsigned int cpu = crowd_cpu();
	struct wsq_test_crowd *crowd;
	struct wsq_test_item *it;
	struct wsq *a, *b;
	bool ok = true;
	int bound;

	for (bound = 0; ok && bound < 2; bound++) {
		crowd = wsq_test_crowd(test, CROWD_LARGE, 0);
		a = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
		b = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
		it = wsq_test_items(test, b, 1, wsq_test_count);
		wsq_test_crowd_queue(test, crowd, a, cpu);
		wsq_test_crowd_begun(test, crowd, CROWD_SOME);
		/* Let all begin that may. */
		wsq_test_linger();
		wsq_test_stay(test, cpu);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(bound ? cpu : WSQ_CPU_ANY,
							  b, &it->work));
		wsq_test_roam();
		ok = wsq_test_until(atomic_read(&it->runs));
		KUNIT_EXPECT_TRUE_MSG(test, ok,
				      "an item waits behind %d sleepers of another queue",
				      atomic_read(&crowd->begun));
		if (ok)
			ok = wsq_test_crowd_begun(test, crowd, CROWD_LARGE);
		wsq_test_crowd_end(test, crowd, a);
		wsq_test_call(test, wsq_test_flush, b);
		KUNIT_EXPECT_EQ(test, it->cpu, (int)cpu);
		wsq_test_expect_runs(test, it, 1, 1);
		wsq_test_queue_end(test, b);
		wsq_test_queue_end(test, a);
		vfree(it);
	}
}

/*
 * Many items sleep on a CPU. Each worker of the other CPUs sleeps in an item,
 * so that no worker is parked. An unbound item that is queued on the first CPU
 * runs before any of them ends.
 */
static void crowd_help(struct kunit *test)
{
	unsigned int cpu = crowd_cpu(), other;
	struct wsq_test_crowd *crowd, *others;
	struct wsq_test_item *it;
	struct wsq *q;
	bool ok = true;
	int asleep;

	wsq_test_need_cpus(test, 2);
	for (asleep = 0; ok && asleep < 2; asleep++) {
		q = wsq_test_queue(test, 2, 4, NULL);
		it = wsq_test_items(test, q, 1, wsq_test_count);
		crowd = wsq_test_crowd(test, 80, 0);
		others = wsq_test_crowd(test, asleep ? num_online_cpus() - 1 : 0, 0);
		wsq_test_crowd_queue(test, crowd, q, cpu);
		wsq_test_crowd_begun(test, crowd, CROWD_SOME);
		if (asleep) {
			int i = 0;

			for_each_online_cpu(other) {
				if (other == cpu || i == others->nr)
					continue;
				wsq_test_crowd_put(test, others, q, other, i,
						   i + 1);
				i++;
			}
			wsq_test_crowd_begun(test, others, i);
		}
		wsq_test_linger();
		wsq_test_stay(test, cpu);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
		wsq_test_roam();
		ok = wsq_test_until(atomic_read(&it->runs));
		KUNIT_EXPECT_TRUE_MSG(test, ok, "an item waits (%d)", asleep);
		wsq_test_crowd_go(others);
		wsq_test_crowd_end(test, crowd, q);
		wsq_test_crowd_end(test, others, q);
		wsq_test_expect_runs(test, it, 1, 1);
		wsq_test_queue_end(test, q);
		vfree(it);
	}
}

/**
 * struct crowd_deaf - a CPU that takes no interrupts
 * @q: a queue of another CPU
 * @cpu: that other CPU
 * @gate: an item that sleeps there
 * @it: an item behind @gate
 * @taken: @cpu is kept busy, so that its worker does not run yet
 * @queued: @gate is queued
 * @ran: @it ran before interrupts were on again
 */
struct crowd_deaf {
	struct wsq *q;
	unsigned int cpu;
	struct wsq_test_gate *gate;
	struct wsq_test_item *it;
	bool taken;
	bool queued;
	bool ran;
};

/* How long interrupts stay off, and how often to try. */
#define CROWD_DEAF_NS		(5ULL * NSEC_PER_SEC)
#define CROWD_DEAF_TRIES	12

/* Wait until the watchdog timer of @cpu has stopped. */
static bool crowd_watch_rests(unsigned int cpu)
{
	const struct wsq_watchdog *watchdog = &wsq_cpus[cpu]->watchdog;
	u64 last = READ_ONCE(watchdog->expiries), now;
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;

	while (time_before(jiffies, end)) {
		schedule_timeout_uninterruptible(HZ / 10 + 1);
		now = READ_ONCE(watchdog->expiries);
		if (now == last)
			return true;
		last = now;
	}
	return false;
}

static bool crowd_taken_fn(void *arg)
{
	struct crowd_deaf *d = arg;

	preempt_disable();
	WRITE_ONCE(d->taken, true);
	while (!READ_ONCE(d->queued))
		cpu_relax();
	preempt_enable();
	return true;
}

static bool crowd_deaf_fn(void *arg)
{
	struct crowd_deaf *d = arg;
	unsigned long flags;
	u64 end;

	while (!READ_ONCE(d->taken))
		wsq_test_yield();
	/* This CPU does its part of the wake-up before the gate runs. */
	wsq_queue_work_on(d->cpu, d->q, &d->gate->it.work);
	WRITE_ONCE(d->queued, true);
	if (!wsq_test_gate_entered(d->gate))
		return false;
	local_irq_save(flags);
	wsq_queue_work_on(d->cpu, d->q, &d->it->work);
	/* This CPU's tick may be the one that advances jiffies. */
	end = ktime_get_ns() + CROWD_DEAF_NS;
	while (!atomic_read(&d->it->runs) && ktime_get_ns() < end)
		cpu_relax();
	d->ran = atomic_read(&d->it->runs);
	local_irq_restore(flags);
	return true;
}

/*
 * An item behind a sleeping one runs while the CPU that queued both takes no
 * interrupts. If a new thread is needed, this CPU may be the one that has to
 * start it. The test therefore tries several times: later tries find the
 * thread.
 */
static void crowd_deaf(struct kunit *test)
{
	unsigned int first = cpumask_first(cpu_online_mask);
	struct crowd_deaf d = { .cpu = crowd_cpu() };
	struct wsq_test_call *taken, *deaf;
	int tries;

	wsq_test_need_cpus(test, 2);
	d.q = wsq_test_queue(test, 2, 4, cpumask_of(d.cpu));
	for (tries = 0; tries < CROWD_DEAF_TRIES && !d.ran; tries++) {
		KUNIT_EXPECT_TRUE(test, crowd_watch_rests(d.cpu));
		d.gate = wsq_test_gate(test, true);
		d.it = wsq_test_items(test, d.q, 1, wsq_test_count);
		d.taken = false;
		d.queued = false;
		taken = wsq_test_start_on(test, d.cpu, crowd_taken_fn, &d);
		deaf = wsq_test_start_on(test, first, crowd_deaf_fn, &d);
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, deaf));
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, taken));
		wsq_test_release(test, d.q, d.gate);
		wsq_test_expect_runs(test, d.it, 1, 1);
		vfree(d.it);
	}
	kunit_info(test, "in try %d", tries);
	KUNIT_EXPECT_TRUE_MSG(test, d.ran, "not in %d tries", tries);
	wsq_test_queue_end(test, d.q);
}

/* More workers than a CPU may have, except those reserved for progress. */
#define CROWD_WORKERS	1024

/* More standby workers than the tests above leave behind. */
#define CROWD_REST	400

/* Pretend that the CPU has @nr more workers. */
static void crowd_workers(struct wsq_cpu *c, int nr)
{
	mutex_lock(&wsq_workers_lock);
	WRITE_ONCE(c->nr_workers, c->nr_workers + nr);
	mutex_unlock(&wsq_workers_lock);
}

/*
 * The last worker that a CPU may have is reserved for queues that have no item
 * running there. Another queue waits only until an item of any queue ends.
 */
static void crowd_threads(struct kunit *test)
{
	unsigned int cpu = crowd_cpu();
	struct wsq *a = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq *b = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_item *it = wsq_test_items(test, a, 1, wsq_test_count);
	struct wsq_test_gate *own = wsq_test_gate(test, true);
	struct wsq_test_gate *other = wsq_test_gate(test, true);
	struct wsq_test_crowd *rest = wsq_test_crowd(test, CROWD_REST, 0);
	struct wsq_cpu *c = wsq_cpus[cpu];
	int i;

	wsq_test_gate_begin(test, a, cpu, own);
	wsq_test_gate_begin(test, b, cpu, other);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(c->nr_standby)));
	crowd_workers(c, CROWD_WORKERS);
	/* Each takes a standby worker. Maintenance work keeps the last, too. */
	for (i = 0; i < CROWD_REST && READ_ONCE(c->nr_standby) > 1; i++) {
		wsq_test_crowd_put(test, rest, b, cpu, i, i + 1);
		wsq_test_crowd_begun(test, rest, i + 1);
	}
	KUNIT_EXPECT_EQ(test, READ_ONCE(c->nr_standby), 1);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, a, &it->work));
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 0);
	wsq_test_gate_open(other);
	KUNIT_EXPECT_TRUE_MSG(test, wsq_test_until(atomic_read(&it->runs)),
			      "a queue waits, and a worker idles");
	crowd_workers(c, -CROWD_WORKERS);
	wsq_test_gate_open(own);
	wsq_test_crowd_go(rest);
	wsq_test_queue_end(test, a);
	wsq_test_queue_end(test, b);
	wsq_test_expect_runs(test, it, 1, 1);
	vfree(it);
	kfree(own);
	kfree(other);
	wsq_test_crowd_free(rest);
}

static struct kunit_case crowd_cases[] = {
	WSQ_ANY_ENGINE_CASE(crowd_last),
	KUNIT_CASE(crowd_last_of_two),
	KUNIT_CASE(crowd_other_queue),
	KUNIT_CASE(crowd_help),
	KUNIT_CASE_SLOW(crowd_deaf),
	KUNIT_CASE(crowd_threads),
	{}
};

static struct kunit_suite crowd_suite = {
	.name = "wsq_crowd",
	.test_cases = crowd_cases,
};

kunit_test_suite(crowd_suite);
