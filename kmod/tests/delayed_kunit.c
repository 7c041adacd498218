// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of delayed items. An item on its timer is pending. It can be
 * cancelled, brought forward and postponed there, and runs once for each time
 * it was queued.
 *
 * Delays that must pass are short and delays that must not pass are an hour, so
 * that no test depends on the machine's speed.
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/log2.h>

#include "../compat/hrtimer.h"
#include "../compat/timer.h"
#include "../exec/item.h"
#include "items.h"

#define AN_HOUR		(3600UL * HZ)

struct later {
	struct wsq_delayed_work dwork;
	struct wsq *q;
	atomic_t runs;
	atomic_t inside;
	atomic_t twice;
	unsigned long ran_at;
	int cpu;
	int again;
	unsigned long delay;
	struct completion ran;
};

static void later_fn(struct wsq_work *work)
{
	struct later *l = container_of(to_wsq_delayed_work(work), struct later,
				       dwork);

	if (atomic_inc_return(&l->inside) != 1)
		atomic_inc(&l->twice);
	l->ran_at = jiffies;
	l->cpu = raw_smp_processor_id();
	atomic_inc(&l->runs);
	if (l->again-- > 0)
		wsq_queue_delayed_work(l->q, &l->dwork, l->delay);
	atomic_dec(&l->inside);
	complete(&l->ran);
}

static struct later *later_new(struct kunit *test, struct wsq *q)
{
	struct later *l = kzalloc(sizeof(*l), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, l);
	INIT_WSQ_DELAYED_WORK(&l->dwork, later_fn);
	init_completion(&l->ran);
	l->q = q;
	l->cpu = -1;
	return l;
}

static bool later_ran(struct later *l)
{
	return wait_for_completion_timeout(&l->ran, WSQ_TEST_TIMEOUT);
}

/* The queue is empty and the item idle; it has run @runs times. */
static void later_end(struct kunit *test, struct later *l, int runs)
{
	KUNIT_EXPECT_EQ(test, wsq_work_busy(&l->dwork.work), 0);
	KUNIT_EXPECT_FALSE(test, timer_pending(&l->dwork.timer));
	KUNIT_EXPECT_EQ(test, atomic_read(&l->runs), runs);
	KUNIT_EXPECT_EQ(test, atomic_read(&l->twice), 0);
	kfree(l);
}

/* Runs no earlier than asked for, and is pending until then. */
static void delayed_runs(struct kunit *test)
{
	static const unsigned long delays[] = { 1, 2, 7, 0, 3 };
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct later *l = later_new(test, q);
	int i;

	for (i = 0; i < ARRAY_SIZE(delays); i++) {
		unsigned long from = jiffies;

		KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &l->dwork,
							       delays[i]));
		KUNIT_ASSERT_TRUE(test, later_ran(l));
		KUNIT_EXPECT_TRUE(test, time_after_eq(l->ran_at,
						      from + delays[i]));
		wsq_test_call(test, wsq_test_flush, q);
	}
	later_end(test, l, ARRAY_SIZE(delays));
	wsq_test_queue_end(test, q);
}

/* An item on its timer is pending: no function queues it a second time. */
static void delayed_pending(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct later *l = later_new(test, q);
	struct wsq_work *work = &l->dwork.work;
	struct wsq_work *works[] = { work };

	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &l->dwork, AN_HOUR));
	KUNIT_EXPECT_EQ(test, wsq_test_kind(work), WSQ_ON_TIMER);
	KUNIT_EXPECT_EQ(test, wsq_work_busy(work), WSQ_BUSY_PENDING);
	KUNIT_EXPECT_FALSE(test, wsq_queue_delayed_work(q, &l->dwork, 1));
	KUNIT_EXPECT_FALSE(test, wsq_queue_delayed_work(q, &l->dwork, 0));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work(q, work));
	KUNIT_EXPECT_EQ(test, wsq_queue_work_many(q, works, 1), 0);
	/* Neither flush nor drain of the queue waits for a timer. */
	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_call(test, wsq_test_drain, q);
	KUNIT_EXPECT_EQ(test, atomic_read(&l->runs), 0);
	KUNIT_EXPECT_TRUE(test, wsq_cancel_delayed_work(&l->dwork));
	later_end(test, l, 0);
	wsq_test_queue_end(test, q);
}

/* Cancel on the timer, in each of the ways. The item may be freed at once. */
static void delayed_cancel(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct later *l = later_new(test, q);
	struct wsq_delayed_work *d = &l->dwork;
	int i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_FALSE(test, wsq_cancel_delayed_work(d));
		KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, d, AN_HOUR));
		KUNIT_EXPECT_TRUE(test, wsq_cancel_delayed_work(d));
		KUNIT_EXPECT_FALSE(test, timer_pending(&d->timer));
		KUNIT_EXPECT_FALSE(test, wsq_cancel_delayed_work(d));

		KUNIT_EXPECT_FALSE(test, wsq_cancel_delayed_work_sync(d));
		KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, d, AN_HOUR));
		KUNIT_EXPECT_TRUE(test, wsq_test_call(test, wsq_test_cancel_sync,
						      &d->work));

		KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, d, AN_HOUR));
		KUNIT_EXPECT_TRUE(test, wsq_disable_delayed_work(d));
		KUNIT_EXPECT_FALSE(test, wsq_queue_delayed_work(q, d, 1));
		KUNIT_EXPECT_FALSE(test, wsq_queue_delayed_work(q, d, 0));
		KUNIT_EXPECT_FALSE(test, wsq_mod_delayed_work(q, d, 1));
		KUNIT_EXPECT_FALSE(test, wsq_work_pending(&d->work));
		KUNIT_EXPECT_FALSE(test, timer_pending(&d->timer));
		KUNIT_EXPECT_TRUE(test, wsq_enable_delayed_work(d));

		KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, d, AN_HOUR));
		KUNIT_EXPECT_TRUE(test, wsq_test_call(test, wsq_test_disable_sync,
						      &d->work));
		KUNIT_EXPECT_TRUE(test, wsq_enable_delayed_work(d));
	}
	wsq_test_call(test, wsq_test_flush, q);
	memset(&d->work, 0x6b, sizeof(d->work));
	INIT_WSQ_DELAYED_WORK(d, later_fn);
	later_end(test, l, 0);
	wsq_test_queue_end(test, q);
}

/* mod postpones, brings forward or queues. True if the item was pending. */
static void delayed_mod(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct later *l = later_new(test, q);
	struct wsq_delayed_work *d = &l->dwork;
	bool queued, was_pending;
	unsigned long from, flags;

	/* Idle: queued, but it was not pending. */
	KUNIT_EXPECT_FALSE(test, wsq_mod_delayed_work(q, d, 1));
	KUNIT_EXPECT_TRUE(test, later_ran(l));
	wsq_test_call(test, wsq_test_flush, q);
	/* Postponed: the first delay has no effect, however slow the test. */
	from = jiffies;
	local_irq_save(flags);
	queued = wsq_queue_delayed_work(q, d, HZ);
	was_pending = wsq_mod_delayed_work(q, d, AN_HOUR);
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, queued);
	KUNIT_EXPECT_TRUE(test, was_pending);
	while (time_before(jiffies, from + HZ + 10))
		schedule_timeout_uninterruptible(5);
	KUNIT_EXPECT_EQ(test, atomic_read(&l->runs), 1);
	KUNIT_EXPECT_EQ(test, wsq_test_kind(&d->work), WSQ_ON_TIMER);
	/* Brought forward. */
	KUNIT_EXPECT_TRUE(test, wsq_mod_delayed_work(q, d, 1));
	KUNIT_EXPECT_TRUE(test, later_ran(l));
	wsq_test_call(test, wsq_test_flush, q);
	/* At once. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, d, AN_HOUR));
	KUNIT_EXPECT_TRUE(test, wsq_mod_delayed_work(q, d, 0));
	KUNIT_EXPECT_TRUE(test, later_ran(l));
	wsq_test_call(test, wsq_test_flush, q);
	later_end(test, l, 3);
	wsq_test_queue_end(test, q);
}

/* mod of an item that waits in the queue puts it back on its timer. */
static void delayed_mod_queued(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_gate *g = wsq_test_hold(test, q, cpu);
	struct later *l = later_new(test, q);
	struct wsq_delayed_work *d = &l->dwork;

	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, d, 0));
	KUNIT_EXPECT_NE(test, wsq_test_kind(&d->work), WSQ_ON_TIMER);
	KUNIT_EXPECT_TRUE(test, wsq_mod_delayed_work(q, d, AN_HOUR));
	KUNIT_EXPECT_EQ(test, wsq_test_kind(&d->work), WSQ_ON_TIMER);
	wsq_test_release(test, q, g);
	KUNIT_EXPECT_EQ(test, atomic_read(&l->runs), 0);
	KUNIT_EXPECT_TRUE(test, wsq_cancel_delayed_work(d));
	later_end(test, l, 0);
	wsq_test_queue_end(test, q);
}

/* The item goes to the queue named last. */
static void delayed_other_queue(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq *held = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_gate *g = wsq_test_hold(test, held, cpu);
	struct later *l = later_new(test, q);

	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(held, &l->dwork, AN_HOUR));
	KUNIT_EXPECT_TRUE(test, wsq_mod_delayed_work(q, &l->dwork, 0));
	/* A flush of the first queue does not wait for it. */
	wsq_test_gate_open(g);
	wsq_test_queue_end(test, held);
	KUNIT_EXPECT_TRUE(test, later_ran(l));
	wsq_test_call(test, wsq_test_flush, q);
	later_end(test, l, 1);
	wsq_test_queue_end(test, q);
	kfree(g);
}

static bool delayed_flush_call(void *arg)
{
	return wsq_flush_delayed_work(arg);
}

/* flush runs the item now. For an idle item it returns false. */
static void delayed_flush(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct later *l = later_new(test, q);

	KUNIT_EXPECT_FALSE(test, wsq_test_call(test, delayed_flush_call,
					       &l->dwork));
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &l->dwork, AN_HOUR));
	KUNIT_EXPECT_TRUE(test, wsq_test_call(test, delayed_flush_call,
					      &l->dwork));
	KUNIT_EXPECT_EQ(test, atomic_read(&l->runs), 1);
	KUNIT_EXPECT_FALSE(test, wsq_test_call(test, delayed_flush_call,
					       &l->dwork));
	later_end(test, l, 1);
	wsq_test_queue_end(test, q);
}

/* flush_work waits for the timer, too, and ends when that is cancelled. */
static void delayed_flush_work(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct later *l = later_new(test, q);
	struct wsq_test_call *call;

	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &l->dwork, AN_HOUR));
	call = wsq_test_start(test, wsq_test_flush_work, &l->dwork.work);
	wsq_test_waits(test, call);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_TRUE(test, wsq_cancel_delayed_work(&l->dwork));
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	/* Postponing the item does not end the wait. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &l->dwork, AN_HOUR));
	call = wsq_test_start(test, wsq_test_flush_work, &l->dwork.work);
	wsq_test_waits(test, call);
	KUNIT_EXPECT_TRUE(test, wsq_mod_delayed_work(q, &l->dwork, AN_HOUR));
	wsq_test_linger();
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_TRUE(test, wsq_mod_delayed_work(q, &l->dwork, 2));
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	later_end(test, l, 1);
	wsq_test_queue_end(test, q);
}

/* Record a request as wsq_mod_delayed_work_on() does for an owned item. */
static void wish(struct later *l, struct wsq *q, unsigned long expires)
{
	l->dwork.rearm.q = q;
	l->dwork.rearm.cpu = WSQ_CPU_ANY;
	l->dwork.rearm.expires = expires;
	set_bit(ilog2(WSQ_REARM), &l->dwork.work.state);
}

/*
 * An interrupt sends an item back to its timer just when a worker takes it. A
 * flush must still notice that the items before it are done.
 */
static void delayed_flush_color(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask), color;
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct later *l = later_new(test, q);
	struct wsq_test_call *call;
	struct wsq_test_gate *g;

	wsq_test_need_cpus(test, 2);
	g = wsq_test_hold(test, q, cpu);
	color = READ_ONCE(q->color);
	call = wsq_test_start_on(test, wsq_test_other(cpu), wsq_test_flush, q);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(q->color) != color &&
					       READ_ONCE(q->awaited) == BIT(color)));
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work_on(cpu, q, &l->dwork, 0));
	wish(l, q, jiffies + AN_HOUR);
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_TRUE(test, wsq_cancel_delayed_work_sync(&l->dwork));
	kfree(g);
	later_end(test, l, 0);
	wsq_test_queue_end(test, q);
}

/* A request arrives while another context is about to set the timer. */
static void delayed_wish(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq *other = wsq_test_queue(test, 2, 4, NULL);
	struct later *l = later_new(test, q);

	/* As if the request came just after the pending bit was set. */
	wish(l, other, jiffies);
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &l->dwork, AN_HOUR));
	KUNIT_EXPECT_TRUE(test, later_ran(l));
	wsq_test_call(test, wsq_test_flush, other);
	KUNIT_EXPECT_PTR_EQ(test, l->dwork.q, other);
	later_end(test, l, 1);
	wsq_test_queue_end(test, q);
	wsq_test_queue_end(test, other);
}

/* A request made before another call takes the item is dropped. */
static void delayed_wish_old(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq *old = wsq_test_queue(test, 2, 4, NULL);
	struct later *l = later_new(test, q);
	struct wsq_test_gate *g;

	g = wsq_test_hold(test, q, cpu);
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(old, &l->dwork, AN_HOUR));
	wish(l, old, jiffies + AN_HOUR);
	KUNIT_EXPECT_TRUE(test, wsq_mod_delayed_work(q, &l->dwork, 0));
	/* The item has left its old queue, which can end. */
	wsq_test_queue_end(test, old);
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, later_ran(l));
	wsq_test_call(test, wsq_test_flush, q);
	later_end(test, l, 1);
	wsq_test_queue_end(test, q);
	kfree(g);
}

#define HURRY_ROUNDS	2000

struct hurry {
	struct later *l;
	struct hrtimer timer;
	bool pending;
	bool done;
};

static enum hrtimer_restart hurry_fn(struct hrtimer *timer)
{
	struct hurry *h = container_of(timer, struct hurry, timer);

	h->pending = wsq_mod_delayed_work(h->l->q, &h->l->dwork, 0);
	WRITE_ONCE(h->done, true);
	return HRTIMER_NORESTART;
}

/* False if the interrupt asked for a run and none came. */
static bool hurry_round(struct hurry *h, unsigned int ns, int *in_time)
{
	int runs = atomic_read(&h->l->runs);
	bool ran = true;

	WRITE_ONCE(h->done, false);
	hrtimer_start(&h->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
	while (!READ_ONCE(h->done)) {
		wsq_queue_delayed_work(h->l->q, &h->l->dwork, AN_HOUR);
		/* It came before, during or after the put; no cancel since. */
		if (READ_ONCE(h->done)) {
			++*in_time;
			ran = wsq_test_spin_until(atomic_read(&h->l->runs) !=
						  runs);
			break;
		}
		wsq_cancel_delayed_work(&h->l->dwork);
	}
	wsq_cancel_delayed_work_sync(&h->l->dwork);
	return ran;
}

/* An interrupt asks for a run now, just as the item goes on its timer. */
static void delayed_hurry(struct kunit *test)
{
	struct hurry *h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	int i, lost = 0, pending = 0, in_time = 0;

	KUNIT_ASSERT_NOT_NULL(test, h);
	h->l = later_new(test, q);
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	wsq_hrtimer_setup(&h->timer, hurry_fn, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < HURRY_ROUNDS && !lost; i++) {
		lost += !hurry_round(h, i * 37 % 20000, &in_time);
		pending += h->pending;
	}
	hrtimer_cancel(&h->timer);
	wsq_test_roam();
	kunit_info(test, "%d times in time, %d times pending", in_time, pending);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&h->l->twice), 0);
	wsq_test_call(test, wsq_test_flush, q);
	kfree(h->l);
	wsq_test_queue_end(test, q);
	wsq_test_met(test, in_time, "the interrupt never met a put");
}

/* On a given CPU, by the timer or at once. */
static void delayed_on(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	unsigned int cpu;
	int runs = 0;

	for_each_online_cpu(cpu) {
		struct later *l = later_new(test, q);

		for (runs = 0; runs < 4; runs++) {
			l->cpu = -1;
			if (runs & 1)
				wsq_mod_delayed_work_on(cpu, q, &l->dwork,
							runs & 2);
			else
				wsq_queue_delayed_work_on(cpu, q, &l->dwork,
							  runs & 2);
			KUNIT_ASSERT_TRUE(test, later_ran(l));
			KUNIT_EXPECT_EQ(test, l->cpu, (int)cpu);
			wsq_test_call(test, wsq_test_flush, q);
		}
		later_end(test, l, runs);
	}
	wsq_test_queue_end(test, q);
}

/* Requeued by its own function, with and without delay; cancel_sync ends it. */
static void delayed_again(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct later *l = later_new(test, q);
	int turn;

	for (turn = 0; turn < 2; turn++) {
		l->again = 9;
		l->delay = turn;
		KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &l->dwork, 1));
		KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&l->runs) ==
						       10 * (turn + 1)));
		wsq_test_call(test, wsq_test_flush, q);
	}
	l->again = INT_MAX;
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &l->dwork, 1));
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&l->runs) > 24));
	wsq_test_call(test, wsq_test_cancel_sync, &l->dwork.work);
	turn = atomic_read(&l->runs);
	wsq_test_linger();
	later_end(test, l, turn);
	wsq_test_queue_end(test, q);
}

#define MIX_ITEMS	6
#define MIX_ROUNDS	8000

struct mix {
	struct wsq *q[2];
	struct later *items[MIX_ITEMS];
	atomic_t queued[MIX_ITEMS];
	atomic_t cancelled[MIX_ITEMS];
	struct timer_list timer;
	u32 seed;
	bool stop;
};

/* Do one operation on one item. Also called in interrupts. */
static void mix_step(struct mix *m, u32 seed)
{
	int k = (seed >> 16) % MIX_ITEMS;
	struct wsq_delayed_work *d = &m->items[k]->dwork;
	struct wsq *q = m->q[seed >> 23 & 1];
	unsigned long delay = seed >> 24 & 3;
	int cpu = seed >> 30 & 1 ? raw_smp_processor_id() : WSQ_CPU_ANY;

	switch (seed >> 26 & 7) {
	case 0 ... 2:
		if (wsq_queue_delayed_work_on(cpu, q, d, delay))
			atomic_inc(&m->queued[k]);
		break;
	case 3 ... 4:
		/* Queued anew exactly if it was not pending. */
		if (!wsq_mod_delayed_work_on(cpu, q, d, delay))
			atomic_inc(&m->queued[k]);
		break;
	case 5:
		if (wsq_queue_work(q, &d->work))
			atomic_inc(&m->queued[k]);
		break;
	default:
		if (wsq_cancel_delayed_work(d))
			atomic_inc(&m->cancelled[k]);
		break;
	}
}

static void mix_timer(struct timer_list *timer)
{
	struct mix *m = container_of(timer, struct mix, timer);
	int i;

	for (i = 0; i < 30; i++) {
		m->seed = m->seed * 1103515245 + 12345;
		mix_step(m, m->seed);
	}
	if (!READ_ONCE(m->stop))
		mod_timer(&m->timer, jiffies + 1);
}

static void mix_thread(void *arg, int nr)
{
	struct mix *m = arg;
	u32 seed = nr + 77;
	int i;

	for (i = 0; i < MIX_ROUNDS; i++) {
		seed = seed * 1103515245 + 12345;
		mix_step(m, seed);
		if (!(i & 15))
			wsq_test_yield();
		/* Let timers expire. */
		if (!(i & 1023))
			schedule_timeout_uninterruptible(2);
	}
}

/*
 * All operations at once, from threads and from an interrupt. Each time an item
 * was queued is matched by a run or a cancel, however often it was postponed.
 */
static void delayed_mix(struct kunit *test)
{
	struct mix *m = kzalloc(sizeof(*m), GFP_KERNEL);
	bool met = true;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (i = 0; i < 2; i++)
		m->q[i] = wsq_test_queue(test, 2, 4, NULL);
	for (i = 0; i < MIX_ITEMS; i++)
		m->items[i] = later_new(test, m->q[0]);
	m->seed = 4711;
	timer_setup(&m->timer, mix_timer, 0);
	mod_timer(&m->timer, jiffies + 1);
	wsq_test_run(test, 2 * num_online_cpus(), mix_thread, m);
	WRITE_ONCE(m->stop, true);
	timer_delete_sync(&m->timer);
	for (i = 0; i < MIX_ITEMS; i++)
		wsq_test_call(test, delayed_flush_call, &m->items[i]->dwork);
	for (i = 0; i < 2; i++)
		wsq_test_call(test, wsq_test_flush, m->q[i]);
	for (i = 0; i < MIX_ITEMS; i++) {
		met = met && atomic_read(&m->cancelled[i]);
		later_end(test, m->items[i], atomic_read(&m->queued[i]) -
					     atomic_read(&m->cancelled[i]));
	}
	for (i = 0; i < 2; i++)
		wsq_test_queue_end(test, m->q[i]);
	kfree(m);
	wsq_test_met(test, met, "an item was never cancelled");
}

static atomic_t onstack_runs;

static void onstack_fn(struct wsq_work *work)
{
	atomic_inc(&onstack_runs);
}

static void delayed_onstack(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_delayed_work d;

	atomic_set(&onstack_runs, 0);
	INIT_WSQ_DELAYED_WORK_ONSTACK(&d, onstack_fn);
	KUNIT_EXPECT_TRUE(test, wsq_queue_delayed_work(q, &d, 1));
	/* May return false, if the item has run already. */
	wsq_flush_delayed_work(&d);
	KUNIT_EXPECT_EQ(test, atomic_read(&onstack_runs), 1);
	wsq_destroy_delayed_work_on_stack(&d);
	wsq_test_queue_end(test, q);
}

static struct kunit_case delayed_cases[] = {
	KUNIT_CASE(delayed_runs),
	KUNIT_CASE(delayed_pending),
	KUNIT_CASE(delayed_cancel),
	KUNIT_CASE(delayed_mod),
	KUNIT_CASE(delayed_mod_queued),
	KUNIT_CASE(delayed_other_queue),
	KUNIT_CASE(delayed_flush),
	KUNIT_CASE(delayed_flush_work),
	KUNIT_CASE(delayed_flush_color),
	KUNIT_CASE(delayed_wish),
	KUNIT_CASE(delayed_wish_old),
	KUNIT_CASE(delayed_hurry),
	KUNIT_CASE(delayed_on),
	KUNIT_CASE(delayed_again),
	KUNIT_CASE(delayed_mix),
	KUNIT_CASE(delayed_onstack),
	{}
};

static struct kunit_suite delayed_suite = {
	.name = "wsq_delayed",
	.test_cases = delayed_cases,
};

kunit_test_suite(delayed_suite);
