// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of kmod/exec: what wsq_queue_work(), wsq_flush() and
 * wsq_destroy() promise in every context, and what idle workers do.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wsq.h>
#include <uapi/linux/wsq.h>

#include "../compat/timer.h"
#include "../exec/exec.h"
#include "../obs/cpu_stats.h"
#include "items.h"
#include "threads.h"

struct item {
	struct wsq_work work;
	struct wsq *q;
	atomic_t *ran;
	int again;
	int id;
};

static struct wsq *queue_new(struct kunit *test, u32 blocks, u32 size)
{
	struct wsq_attrs attrs = { .blocks = blocks, .block_size = size };
	struct wsq *q = wsq_test_create(test, &attrs, "test");

	KUNIT_ASSERT_FALSE(test, IS_ERR(q));
	return q;
}

static struct item *items_new(struct kunit *test, struct wsq *q, int nr,
			      wsq_func_t fn, atomic_t *ran)
{
	struct item *items = vzalloc(array_size(nr, sizeof(*items)));
	int i;

	KUNIT_ASSERT_NOT_NULL(test, items);
	for (i = 0; i < nr; i++) {
		INIT_WSQ_WORK(&items[i].work, fn);
		items[i].q = q;
		items[i].ran = ran;
		items[i].id = i;
	}
	return items;
}

static void count_item(struct wsq_work *work)
{
	atomic_inc(container_of(work, struct item, work)->ran);
}

/* Queue, run, flush: nothing is lost, within and beyond the capacity. */
static void exec_all_run(struct kunit *test)
{
	static const int numbers[] = {
		1, 15, 16, 17, 2048, WSQ_TEST_MANY(100000)
	};
	atomic_t ran = ATOMIC_INIT(0);
	int i, n, want = 0;

	for (n = 0; n < ARRAY_SIZE(numbers); n++) {
		struct wsq *q = queue_new(test, 4, 16);
		struct item *items = items_new(test, q, numbers[n], count_item,
					       &ran);

		for (i = 0; i < numbers[n]; i++)
			KUNIT_ASSERT_TRUE(test, wsq_queue_work(q, &items[i].work));
		wsq_flush(q);
		want += numbers[n];
		KUNIT_EXPECT_EQ(test, atomic_read(&ran), want);
		wsq_destroy(q);
		vfree(items);
	}
}

struct gate {
	struct wsq_work work;
	struct completion entered;
	struct completion leave;
};

static void gate_fn(struct wsq_work *work)
{
	struct gate *g = container_of(work, struct gate, work);

	complete(&g->entered);
	wait_for_completion(&g->leave);
}

static void gate_init(struct gate *g)
{
	INIT_WSQ_WORK_ONSTACK(&g->work, gate_fn);
	init_completion(&g->entered);
	init_completion(&g->leave);
}

/* A pending item is refused. A running item may be queued again. */
static void exec_pending(struct kunit *test)
{
	struct wsq *q = queue_new(test, 2, 4);
	struct gate g;

	gate_init(&g);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g.work));
	wait_for_completion(&g.entered);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g.work));
	KUNIT_EXPECT_FALSE(test, wsq_queue_work(q, &g.work));
	complete_all(&g.leave);
	wsq_flush(q);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &g.work));
	wsq_destroy(q);
	wsq_destroy_work_on_stack(&g.work);
}

static void flush_feed(void *arg, int nr)
{
	struct item *items = arg;
	int i;

	/* Thread 0 flushes. The others keep the queue from ever being empty. */
	for (i = 0; i < WSQ_TEST_MANY(20000); i++) {
		struct item *it = &items[(nr - 1) * 64 + i % 64];

		wsq_queue_work(it->q, &it->work);
		if (!(i % 64))
			wsq_test_yield();
	}
}

struct flush_load {
	struct item *items;
	struct wsq *q;
	atomic_t flushes;
	atomic_t wrong;
};

static void flush_load_thread(void *arg, int nr)
{
	struct flush_load *l = arg;
	atomic_t ran;
	int i;

	if (nr) {
		flush_feed(l->items, nr);
		return;
	}
	for (i = 0; i < 200; i++) {
		struct item mine = { .ran = &ran };

		atomic_set(&ran, 0);
		INIT_WSQ_WORK_ONSTACK(&mine.work, count_item);
		wsq_queue_work(l->q, &mine.work);
		wsq_flush(l->q);
		wsq_destroy_work_on_stack(&mine.work);
		if (atomic_read(&ran) != 1)
			atomic_inc(&l->wrong);
		atomic_inc(&l->flushes);
	}
}

/* A flush ends under steady load, and all items queued before it have run. */
static void exec_flush_load(struct kunit *test)
{
	struct flush_load l = {};
	atomic_t ran = ATOMIC_INIT(0);

	l.q = queue_new(test, 4, 16);
	l.items = items_new(test, l.q, 3 * 64, count_item, &ran);
	wsq_test_run(test, 4, flush_load_thread, &l);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.flushes), 200);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.wrong), 0);
	wsq_destroy(l.q);
	vfree(l.items);
}

static void again_item(struct wsq_work *work)
{
	struct item *it = container_of(work, struct item, work);

	atomic_inc(it->ran);
	if (it->again--)
		wsq_queue_work(it->q, &it->work);
}

/* wsq_destroy() waits for items that requeue themselves. */
static void exec_destroy_drains(struct kunit *test)
{
	struct wsq *q = queue_new(test, 2, 2);
	atomic_t ran = ATOMIC_INIT(0);
	struct item *items = items_new(test, q, 50, again_item, &ran);
	int i;

	for (i = 0; i < 50; i++) {
		items[i].again = i;
		wsq_queue_work(q, &items[i].work);
	}
	wsq_destroy(q);
	KUNIT_EXPECT_EQ(test, atomic_read(&ran), 50 + 49 * 50 / 2);
	wsq_destroy(NULL);
	vfree(items);
}

static void free_item(struct wsq_work *work)
{
	struct item *it = container_of(work, struct item, work);

	atomic_inc(it->ran);
	memset(it, 0x6b, sizeof(*it));
	kfree(it);
}

#define FREED_ITEMS	WSQ_TEST_MANY(5000)

/* An item's function may free the item. */
static void exec_item_frees_itself(struct kunit *test)
{
	struct wsq *q = queue_new(test, 2, 8);
	atomic_t ran = ATOMIC_INIT(0);
	int i;

	for (i = 0; i < FREED_ITEMS; i++) {
		struct item *it = kzalloc(sizeof(*it), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, it);
		INIT_WSQ_WORK(&it->work, free_item);
		it->ran = &ran;
		wsq_queue_work(q, &it->work);
	}
	wsq_destroy(q);
	KUNIT_EXPECT_EQ(test, atomic_read(&ran), FREED_ITEMS);
}

#define CONTEXT_ITEMS	WSQ_TEST_MANY(4000)

/* Items queued from task, softirq and hardirq at once on each CPU. */
struct contexts {
	struct timer_list timer;
	struct irq_work irq;
	struct item *items;
	atomic_t next;
	atomic_t queued;
	bool stop;
};

static void contexts_queue(struct contexts *c, int nr)
{
	while (nr--) {
		int i = atomic_inc_return(&c->next) - 1;

		if (i >= CONTEXT_ITEMS)
			return;
		if (wsq_queue_work(c->items[i].q, &c->items[i].work))
			atomic_inc(&c->queued);
	}
}

static void contexts_timer(struct timer_list *t)
{
	struct contexts *c = container_of(t, struct contexts, timer);

	contexts_queue(c, 40);
	irq_work_queue(&c->irq);
	if (!READ_ONCE(c->stop))
		mod_timer(&c->timer, jiffies + 1);
}

static void contexts_irq(struct irq_work *irq)
{
	contexts_queue(container_of(irq, struct contexts, irq), 40);
}

static void contexts_thread(void *arg, int nr)
{
	struct contexts *c = arg;

	while (atomic_read(&c->next) < CONTEXT_ITEMS) {
		contexts_queue(c, 1);
		if (!(nr & 1))
			irq_work_queue(&c->irq);
		wsq_test_yield();
	}
}

static void exec_contexts(struct kunit *test)
{
	struct wsq *q = queue_new(test, 2, 4);
	atomic_t ran = ATOMIC_INIT(0);
	struct contexts *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->items = items_new(test, q, CONTEXT_ITEMS, count_item, &ran);
	timer_setup(&c->timer, contexts_timer, 0);
	init_irq_work(&c->irq, contexts_irq);
	mod_timer(&c->timer, jiffies + 1);
	wsq_test_run(test, num_online_cpus(), contexts_thread, c);
	WRITE_ONCE(c->stop, true);
	timer_delete_sync(&c->timer);
	irq_work_sync(&c->irq);
	wsq_flush(q);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->queued), CONTEXT_ITEMS);
	KUNIT_EXPECT_EQ(test, atomic_read(&ran), CONTEXT_ITEMS);
	wsq_destroy(q);
	vfree(c->items);
}

/* A put that interrupts a put is not lost. The outer put is simulated. */
static void exec_nested(struct kunit *test)
{
	struct wsq *q = queue_new(test, 2, 4);
	atomic_t ran = ATOMIC_INIT(0);
	struct item *items = items_new(test, q, 100, count_item, &ran);
	struct wsq_lane *lane;
	int i;

	preempt_disable();
	lane = wsq_lane(q, smp_processor_id());
	lane->ct.put_busy = 1;
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[i].work));
	lane->ct.put_busy = 0;
	KUNIT_EXPECT_EQ(test, atomic64_read(&lane->in_cnt[0]), 100);
	preempt_enable();
	wsq_flush(q);
	KUNIT_EXPECT_EQ(test, atomic_read(&ran), 100);
	wsq_destroy(q);
	vfree(items);
}

struct where {
	struct wsq_work work;
	int cpu;
};

static void where_fn(struct wsq_work *work)
{
	struct where *w = container_of(work, struct where, work);

	w->cpu = raw_smp_processor_id();
	udelay(9);
}

static bool where_all(const struct where *w, int nr)
{
	while (nr && READ_ONCE(w[nr - 1].cpu) >= 0)
		nr--;
	return !nr;
}

/*
 * A long item holds a CPU. Other CPUs run the blocks behind its block before it
 * ends.
 */
static void exec_stolen_from_busy(struct kunit *test)
{
	struct wsq *q = queue_new(test, 8, 4);
	struct where *w;
	struct gate g;
	int i;

	if (num_online_cpus() < 2) {
		wsq_destroy(q);
		kunit_skip(test, "needs two CPUs");
	}
	w = kunit_kcalloc(test, 24, sizeof(*w), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w);
	gate_init(&g);
	migrate_disable();
	wsq_queue_work(q, &g.work);
	wait_for_completion(&g.entered);
	for (i = 0; i < 24; i++) {
		INIT_WSQ_WORK(&w[i].work, where_fn);
		w[i].cpu = -1;
		wsq_queue_work(q, &w[i].work);
	}
	migrate_enable();
	/* Including the rest of the long item's own block. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(where_all(w, 24)));
	complete_all(&g.leave);
	wsq_flush(q);
	for (i = 0; i < 24; i++)
		KUNIT_EXPECT_GE(test, w[i].cpu, 0);
	wsq_destroy(q);
	wsq_destroy_work_on_stack(&g.work);
}

#define MANY_QUEUES	150

/* Many queues need no more workers than CPUs, and each queue is served. */
static void exec_many_queues(struct kunit *test)
{
	struct wsq **q = kunit_kcalloc(test, MANY_QUEUES, sizeof(*q),
				       GFP_KERNEL);
	atomic_t ran = ATOMIC_INIT(0);
	struct item *items;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, q);
	for (i = 0; i < MANY_QUEUES; i++)
		q[i] = queue_new(test, 2, 4);
	items = items_new(test, NULL, MANY_QUEUES * 4, count_item, &ran);
	KUNIT_EXPECT_LE(test, wsq_stats_workers(), num_online_cpus());
	KUNIT_EXPECT_GE(test, wsq_stats_queues(), MANY_QUEUES);
	for (i = 0; i < MANY_QUEUES * 4; i++)
		wsq_queue_work(q[i % MANY_QUEUES], &items[i].work);
	for (i = 0; i < MANY_QUEUES; i++)
		wsq_flush(q[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&ran), MANY_QUEUES * 4);
	for (i = 0; i < MANY_QUEUES; i++)
		wsq_destroy(q[i]);
	vfree(items);
}

/* All queue numbers are taken: -ENOSPC, and nothing leaks. */
static void exec_too_many(struct kunit *test)
{
	struct wsq *q;
	u32 id, taken = 0;

	wsq_queues_settle();
	for (id = 0; id < WSQ_MAX_QUEUES; id++)
		taken += !xa_reserve(&wsq_queues, id, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, taken, WSQ_MAX_QUEUES);
	q = wsq_create(NULL, "one too many");
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(q), -ENOSPC);
	if (!IS_ERR(q))
		wsq_destroy(q);
	for (id = 0; id < WSQ_MAX_QUEUES; id++)
		xa_release(&wsq_queues, id);
	q = queue_new(test, 2, 2);
	wsq_destroy(q);
}

struct fair {
	struct wsq *busy;
	struct wsq *calm;
	struct item flood;
	atomic_t floods;
	bool stop;
};

static void flood_fn(struct wsq_work *work)
{
	struct fair *f = container_of(work, struct fair, flood.work);

	atomic_inc(&f->floods);
	if (!READ_ONCE(f->stop))
		wsq_queue_work(f->busy, work);
}

/* A queue that never runs dry does not starve another on the same CPU. */
static void exec_fair(struct kunit *test)
{
	struct fair *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	atomic_t ran = ATOMIC_INIT(0);
	struct item *items;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->busy = queue_new(test, 2, 16);
	f->calm = queue_new(test, 2, 16);
	INIT_WSQ_WORK(&f->flood.work, flood_fn);
	wsq_queue_work(f->busy, &f->flood.work);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&f->floods)));
	items = items_new(test, f->calm, 100, count_item, &ran);
	for (i = 0; i < 100; i++) {
		wsq_queue_work(f->calm, &items[i].work);
		wsq_flush(f->calm);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&ran), 100);
	WRITE_ONCE(f->stop, true);
	wsq_destroy(f->busy);
	wsq_destroy(f->calm);
	vfree(items);
}

/* Wait until the worker parks. */
static bool exec_parks(struct wsq_cpu *c)
{
	return wsq_test_until(wsq_parked(&c->park) && !wsq_ready_any(c));
}

/* Do the statistics show the CPU as parked, too? */
static bool exec_parks_notified(unsigned int cpu)
{
	const u32 want = WSQ_CPU_WORKER | WSQ_CPU_PARKED;
	struct wsq_cpu_stats st;

	wsq_stats_cpu(cpu, &st);
	return (st.flags & want) == want;
}

static u64 exec_parks_sum(void)
{
	struct wsq_cpu_stats st;
	unsigned int cpu;
	u64 sum = 0;

	for_each_online_cpu(cpu) {
		wsq_stats_cpu(cpu, &st);
		sum += st.parks;
	}
	return sum;
}

/* Idle workers park, and the statistics show it. */
static void exec_parked(struct kunit *test)
{
	struct wsq *q = queue_new(test, 2, 4);
	unsigned int cpu;

	wsq_flush(q);
	for_each_online_cpu(cpu) {
		KUNIT_EXPECT_TRUE(test, exec_parks(wsq_cpus[cpu]));
		KUNIT_EXPECT_TRUE(test, wsq_test_until(exec_parks_notified(cpu)));
	}
	wsq_destroy(q);
}

/*
 * Idle workers sleep: they use no CPU time and do not park again. In the first
 * seconds a worker may still be on its way to park, but a worker that wakes up
 * for nothing does so in every second.
 */
static void exec_idle(struct kunit *test)
{
	struct wsq *q = queue_new(test, 2, 4);
	unsigned int cpu, i;
	u64 time = 0, parks = 0;

	wsq_flush(q);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_TRUE(test, exec_parks(wsq_cpus[cpu]));
	for (i = 0; i < 20; i++) {
		time = wsq_test_workers_time();
		parks = exec_parks_sum();
		schedule_timeout_uninterruptible(HZ);
		time = wsq_test_workers_time() - time;
		parks = exec_parks_sum() - parks;
		if (!time && !parks)
			break;
	}
	KUNIT_EXPECT_EQ(test, time, 0);
	KUNIT_EXPECT_EQ(test, parks, 0);
	wsq_destroy(q);
}

/* Statistics add up, also after the queue is destroyed. */
static void exec_stats(struct kunit *test)
{
	struct wsq *q = queue_new(test, 4, 16);
	atomic_t ran = ATOMIC_INIT(0);
	struct item *items = items_new(test, q, 5000, count_item, &ran);
	u64 puts = 0, gets = 0;
	struct wsq_cpu_stats st;
	unsigned int cpu;
	int i, turn;

	for_each_possible_cpu(cpu) {
		wsq_stats_cpu(cpu, &st);
		puts -= st.puts;
		gets -= st.gets;
	}
	for (i = 0; i < 5000; i++)
		wsq_queue_work(q, &items[i].work);
	wsq_flush(q);
	for (turn = 0; turn < 2; turn++) {
		u64 p = puts, g = gets;

		for_each_possible_cpu(cpu) {
			wsq_stats_cpu(cpu, &st);
			p += st.puts;
			g += st.gets;
		}
		KUNIT_EXPECT_EQ(test, p, 5000);
		KUNIT_EXPECT_EQ(test, g, 5000);
		if (!turn)
			wsq_destroy(q);
	}
	vfree(items);
}

/* Ready bits come and go one by one, found from any start. */
static void exec_ready_bits(struct kunit *test)
{
	static const u32 ids[] = { 0, 1, 63, 64, 65, 2000, 4094, 4095 };
	struct wsq_cpu *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int i, n = ARRAY_SIZE(ids);

	KUNIT_ASSERT_NOT_NULL(test, c);
	wsq_park_init(&c->park);
	KUNIT_EXPECT_EQ(test, wsq_ready_next(c, 0), WSQ_MAX_QUEUES);
	for (i = 0; i < n; i++) {
		set_bit(ids[i], c->leaf);
		set_bit(ids[i] / 64 % BITS_PER_LONG, &c->summary);
	}
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, wsq_ready_next(c, ids[i]), ids[i]);
		if (ids[i] + 1 < WSQ_MAX_QUEUES)
			KUNIT_EXPECT_EQ(test, wsq_ready_next(c, ids[i] + 1),
					ids[(i + 1) % n]);
	}
	KUNIT_EXPECT_EQ(test, wsq_ready_next(c, 3000), 4094);
}

/*
 * A put on another CPU stops between setting the leaf bit and the summary bit,
 * while the worker runs the item. The summary bit set later stands for nothing.
 */
static void exec_stale_summary(struct kunit *test)
{
	struct wsq *q = queue_new(test, 2, 4);
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct wsq_cpu *c = wsq_cpus[cpu];

	KUNIT_EXPECT_TRUE(test, exec_parks(c));
	set_bit(BITS_PER_LONG - 1, &c->summary);
	wake_up_process(c->worker->task);
	KUNIT_EXPECT_TRUE(test, exec_parks(c));
	KUNIT_EXPECT_EQ(test, c->summary, 0);
	/* If the check failed, clear the bit for the tests that follow. */
	clear_bit(BITS_PER_LONG - 1, &c->summary);
	wsq_destroy(q);
}

/* A worker moved off its CPU, which stays online, comes back. */
static void exec_displaced(struct kunit *test)
{
	struct wsq *q = queue_new(test, 2, 4);
	atomic_t ran = ATOMIC_INIT(0);
	struct item *item = items_new(test, q, 1, count_item, &ran);
	struct task_struct *task;
	unsigned int here, away;

	if (num_online_cpus() < 2) {
		wsq_destroy(q);
		vfree(item);
		kunit_skip(test, "needs two CPUs");
	}
	migrate_disable();
	here = smp_processor_id();
	task = wsq_cpus[here]->worker->task;
	KUNIT_EXPECT_TRUE(test, exec_parks(wsq_cpus[here]));
	away = cpumask_any_but(cpu_online_mask, here);
	KUNIT_EXPECT_EQ(test, set_cpus_allowed_ptr(task, cpumask_of(away)), 0);
	wsq_queue_work(q, &item->work);
	migrate_enable();
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&ran)));
	/* Another CPU may take the item before the worker is back. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(task_cpu(task) == here));
	set_cpus_allowed_ptr(task, cpumask_of(here));
	wsq_destroy(q);
	vfree(item);
}

static void stray_fn(struct wsq_work *work)
{
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static void fastened_fn(struct wsq_work *work)
{
	struct item *item = container_of(work, struct item, work);

	atomic_set(item->ran, current->nr_cpus_allowed);
}

/*
 * A failed attempt to take a CPU offline may leave its worker free to run
 * anywhere. The worker is bound to its CPU again before it begins another item.
 */
static void exec_strays(struct kunit *test)
{
	struct wsq *q = queue_new(test, 2, 4);
	atomic_t allowed = ATOMIC_INIT(0);
	struct item *stray = items_new(test, q, 1, stray_fn, &allowed);
	struct item *next = items_new(test, q, 1, fastened_fn, &allowed);
	int cpu;

	for_each_online_cpu(cpu) {
		wsq_queue_work_on(cpu, q, &stray->work);
		wsq_flush(q);
		/* The worker that ran the first runs the next unless asleep. */
		atomic_set(&allowed, 0);
		wsq_queue_work_on(cpu, q, &next->work);
		wsq_flush(q);
		KUNIT_EXPECT_EQ(test, atomic_read(&allowed), 1);
	}
	wsq_destroy(q);
	vfree(stray);
	vfree(next);
}

struct monotone {
	atomic_t left;
	atomic_t back;
};

static void monotone_thread(void *arg, int nr)
{
	struct monotone *m = arg;
	struct wsq_cpu_stats st;
	unsigned int cpu;
	u64 last = 0;

	if (!nr) {
		while (atomic_read(&m->left)) {
			u64 sum = 0;

			for_each_possible_cpu(cpu) {
				wsq_stats_cpu(cpu, &st);
				sum += st.puts;
			}
			if (sum < last)
				atomic_inc(&m->back);
			last = sum;
			wsq_test_yield();
		}
		return;
	}
	while (atomic_dec_return(&m->left) > 0) {
		struct wsq *q = wsq_create(NULL, "brief");
		atomic_t ran = ATOMIC_INIT(0);
		struct item it = { .ran = &ran };

		if (IS_ERR(q))
			continue;
		INIT_WSQ_WORK_ONSTACK(&it.work, count_item);
		wsq_queue_work(q, &it.work);
		wsq_destroy(q);
		wsq_destroy_work_on_stack(&it.work);
	}
	atomic_set(&m->left, 0);
}

/* Counters do not decrease while a queue is destroyed. */
static void exec_stats_monotone(struct kunit *test)
{
	struct monotone m = { .left = ATOMIC_INIT(20) };

	wsq_test_run(test, 2, monotone_thread, &m);
	KUNIT_EXPECT_EQ(test, atomic_read(&m.back), 0);
}

static struct kunit_case exec_cases[] = {
	KUNIT_CASE(exec_ready_bits),
	WSQ_ENGINE_CASE(exec_all_run),
	WSQ_ANY_ENGINE_CASE(exec_pending),
	WSQ_ENGINE_CASE(exec_flush_load),
	WSQ_ENGINE_CASE(exec_destroy_drains),
	WSQ_ANY_ENGINE_CASE(exec_item_frees_itself),
	WSQ_ENGINE_CASE(exec_contexts),
	WSQ_ENGINE_CASE(exec_nested),
	WSQ_ENGINE_CASE(exec_stolen_from_busy),
	WSQ_ANY_ENGINE_CASE(exec_many_queues),
	KUNIT_CASE(exec_too_many),
	WSQ_ANY_ENGINE_CASE(exec_fair),
	WSQ_ANY_ENGINE_CASE(exec_parked),
	WSQ_ENGINE_CASE_SLOW(exec_idle),
	WSQ_ANY_ENGINE_CASE(exec_stats),
	KUNIT_CASE(exec_stats_monotone),
	WSQ_ANY_ENGINE_CASE(exec_stale_summary),
	WSQ_ANY_ENGINE_CASE(exec_displaced),
	WSQ_ANY_ENGINE_CASE(exec_strays),
	{}
};

static struct kunit_suite exec_suite = {
	.name = "wsq_exec",
	.test_cases = exec_cases,
};

kunit_test_suite(exec_suite);
