// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of queues: batches, where items go (to a CPU, a node, the queue's
 * CPUs while these change), drain, how much one queue can delay another, and
 * how many workers a put wakes.
 */
#include <linux/cpu.h>
#include <linux/debug_locks.h>
#include <linux/delay.h>
#include <linux/sched/signal.h>
#include <linux/wsq_serial.h>
#include <uapi/linux/wsq.h>

#include "../exec/exec.h"
#include "../obs/cpu_stats.h"
#include "items.h"

static unsigned int here_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

static struct wsq_work **batch_of(struct kunit *test,
				  struct wsq_test_item *items, int nr)
{
	struct wsq_work **works;
	int i;

	works = kunit_kcalloc(test, nr, sizeof(*works), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, works);
	for (i = 0; i < nr; i++)
		works[i] = &items[i].work;
	return works;
}

/* Batches up to the capacity, beyond it, and empty. */
static void queue_many(struct kunit *test)
{
	static const int numbers[] = { 0, 1, 2, 15, 16, 17, 31, 32, 33, 1000 };
	struct wsq *q = wsq_test_queue(test, 4, 4, NULL);
	int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		int nr = numbers[i];
		struct wsq_test_item *items;

		items = wsq_test_items(test, q, max(nr, 1), wsq_test_count);
		KUNIT_EXPECT_EQ(test, wsq_queue_work_many(q, batch_of(test, items,
								      nr), nr),
				(unsigned int)nr);
		wsq_test_call(test, wsq_test_flush, q);
		wsq_test_expect_runs(test, items, nr, 1);
		vfree(items);
	}
	KUNIT_EXPECT_EQ(test, wsq_queue_work_many(q, NULL, 0), 0);
	wsq_test_queue_end(test, q);
}

/*
 * Items that are pending, disabled, on a timer, or twice in the batch are not
 * counted and not queued a second time. The order is kept.
 */
static void queue_many_mixed(struct kunit *test)
{
	unsigned int cpu = here_cpu();
	struct wsq *q = wsq_test_queue(test, 2, 8, cpumask_of(cpu));
	struct wsq_test_gate *g = wsq_test_hold(test, q, cpu);
	struct wsq_test_item *items = wsq_test_items(test, q, 100,
						     wsq_test_count);
	struct wsq_work **works = batch_of(test, items, 100);
	int i, pending = 0, disabled = 0;

	for (i = 0; i < 100; i += 3, pending++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, works[i]));
	for (i = 1; i < 100; i += 9, disabled++)
		wsq_disable_work(works[i]);
	/* Two entries in the batch are the same item. */
	works[5] = works[2];
	KUNIT_EXPECT_EQ(test, wsq_queue_work_many(q, works, 100),
			100U - pending - disabled - 1);
	KUNIT_EXPECT_EQ(test, wsq_queue_work_many(q, works, 100), 0);
	wsq_test_release(test, q, g);
	for (i = 0; i < 100; i++)
		wsq_test_expect_runs(test, &items[i], 1,
				     !(i == 5 || i % 9 == 1));
	wsq_test_queue_end(test, q);
	vfree(items);
}

/* Cancelled singly, wherever in the container the batch put them. */
static void queue_many_cancel(struct kunit *test)
{
	unsigned int cpu = here_cpu();
	struct wsq *q = wsq_test_queue(test, 4, 8, cpumask_of(cpu));
	struct wsq_test_gate *g = wsq_test_hold(test, q, cpu);
	struct wsq_test_item *items = wsq_test_items(test, q, 200,
						     wsq_test_count);
	int i;

	wsq_test_stay(test, cpu);
	KUNIT_EXPECT_EQ(test, wsq_queue_work_many(q, batch_of(test, items, 200),
						  200), 200);
	wsq_test_roam();
	KUNIT_EXPECT_EQ(test, wsq_test_kind(&items[0].work), WSQ_IN_SLOT);
	KUNIT_EXPECT_NE(test, wsq_test_kind(&items[199].work), WSQ_IN_SLOT);
	for (i = 0; i < 200; i += 2)
		KUNIT_EXPECT_TRUE(test, wsq_cancel_work(&items[i].work));
	wsq_test_release(test, q, g);
	for (i = 0; i < 200; i++)
		wsq_test_expect_runs(test, &items[i], 1, i & 1);
	wsq_test_queue_end(test, q);
	vfree(items);
}

/*
 * An item bound to a CPU runs there. It waits while the CPU is busy, even if
 * other CPUs idle.
 */
static void queue_on(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 4, NULL);
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		struct wsq_test_gate *g = wsq_test_hold(test, q, cpu);
		struct wsq_test_item *items;
		int i;

		items = wsq_test_items(test, q, 50, wsq_test_count);
		for (i = 0; i < 50; i++)
			KUNIT_EXPECT_TRUE(test,
					  wsq_queue_work_on(cpu, q,
							    &items[i].work));
		wsq_test_linger();
		wsq_test_expect_runs(test, items, 50, 0);
		wsq_test_release(test, q, g);
		wsq_test_expect_runs(test, items, 50, 1);
		for (i = 0; i < 50; i++)
			KUNIT_EXPECT_EQ(test, items[i].cpu, (int)cpu);
		vfree(items);
	}
	wsq_test_queue_end(test, q);
}

/* The CPU is not in the queue, or offline: another is used. */
static void queue_on_absent(struct kunit *test)
{
	unsigned int cpu = here_cpu(), off = cpumask_last(cpu_online_mask);
	struct wsq *one = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);

	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(off, one, &it->work));
	wsq_test_call(test, wsq_test_flush, one);
	wsq_test_expect_runs(test, it, 1, 1);
	KUNIT_EXPECT_EQ(test, it->cpu, (int)cpu);
	wsq_test_queue_end(test, one);
#ifdef CONFIG_HOTPLUG_CPU
	if (off != cpu && !remove_cpu(off)) {
		int i;

		for (i = 0; i < 20; i++) {
			KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(off, q,
								  &it->work));
			wsq_test_call(test, wsq_test_flush, q);
			KUNIT_EXPECT_NE(test, it->cpu, (int)off);
		}
		wsq_test_expect_runs(test, it, 1, 21);
		KUNIT_EXPECT_EQ(test, add_cpu(off), 0);
		/* Once online again, the CPU is used again. */
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(off, q, &it->work));
		wsq_test_call(test, wsq_test_flush, q);
		KUNIT_EXPECT_EQ(test, it->cpu, (int)off);
	}
#endif
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* Near a node: on one of its CPUs, while each CPU runs an item of the queue. */
static void queue_node(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *items;
	struct wsq_test_gate **g;
	unsigned int cpu;
	int node, nr = 0;

	g = kunit_kcalloc(test, nr_cpu_ids, sizeof(*g), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, g);
	items = wsq_test_items(test, q, nr_node_ids + nr_cpu_ids + 2,
			       wsq_test_count);
	for_each_online_cpu(cpu)
		g[cpu] = wsq_test_hold(test, q, cpu);
	for_each_online_node(node) {
		struct wsq_work *work = &items[nr++].work;
		u32 where;

		KUNIT_EXPECT_TRUE(test, wsq_queue_work_node(node, q, work));
		KUNIT_EXPECT_FALSE(test, wsq_queue_work_node(node, q, work));
		KUNIT_EXPECT_NE(test, wsq_test_kind(work), WSQ_NOWHERE);
		where = wsq_location_cpu(READ_ONCE(work->link.where));
		if (!cpumask_empty(cpumask_of_node(node)))
			KUNIT_EXPECT_EQ(test, cpu_to_node(where), node);
	}
	/* Likewise for each CPU; no idle worker can steal the item. */
	for_each_online_cpu(cpu) {
		struct wsq_work *work = &items[nr++].work;

		KUNIT_EXPECT_TRUE(test, wsq_queue_work_near(cpu, q, work));
		KUNIT_EXPECT_FALSE(test, wsq_queue_work_near(cpu, q, work));
		KUNIT_EXPECT_EQ(test, wsq_location_cpu(READ_ONCE(work->link.where)),
				cpu);
	}
	/* No particular node, and a node that does not exist. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_node(NUMA_NO_NODE, q,
						    &items[nr++].work));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_node(nr_node_ids + 7, q,
						    &items[nr++].work));
	for_each_online_cpu(cpu)
		wsq_test_gate_open(g[cpu]);
	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_expect_runs(test, items, nr, 1);
	wsq_test_queue_end(test, q);
	for_each_online_cpu(cpu)
		kfree(g[cpu]);
	vfree(items);
}

#define MASK_ITEMS	64

struct masks {
	struct wsq *q;
	struct wsq_test_item *items;
	atomic_t queued[MASK_ITEMS];
	atomic_t changes;
	int failed;
	bool stop;
};

static bool masks_all_queued(const struct masks *m)
{
	int i;

	for (i = 0; i < MASK_ITEMS; i++)
		if (!atomic_read(&m->queued[i]))
			return false;
	return true;
}

static void masks_thread(void *arg, int nr)
{
	struct masks *m = arg;
	u32 seed = nr + 1;
	int i = 0;

	if (!nr) {
		/* Each CPU alone, all, the last ones, in turn. */
		for (i = 0; i < 60; i++) {
			const struct cpumask *mask = NULL;
			unsigned int cpu;

			if (i % 3)
				mask = cpumask_of(i % 3 == 1 ? here_cpu() :
						  cpumask_last(cpu_online_mask));
			cpu = wsq_set_cpumask(m->q, mask);
			if (cpu)
				m->failed++;
			atomic_inc(&m->changes);
			wsq_test_yield();
		}
		/* The other CPU may have had no time yet. */
		wsq_test_until(masks_all_queued(m));
		WRITE_ONCE(m->stop, true);
		return;
	}
	while (!READ_ONCE(m->stop)) {
		int k, cpu = WSQ_CPU_ANY;

		seed = seed * 1103515245 + 12345;
		k = (seed >> 16) % MASK_ITEMS;
		if (!(seed >> 24 & 3))
			cpu = wsq_test_other(raw_smp_processor_id());
		if (wsq_queue_work_on(cpu, m->q, &m->items[k].work))
			atomic_inc(&m->queued[k]);
		if (!(++i & 15))
			wsq_test_yield();
	}
}

/* The CPUs change under load. Nothing is lost, and the new CPUs run it all. */
static void queue_cpumask(struct kunit *test)
{
	struct masks *m = kzalloc(sizeof(*m), GFP_KERNEL);
	unsigned int cpu;
	int i, turn;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->q = wsq_test_queue(test, 2, 4, NULL);
	m->items = wsq_test_items(test, m->q, MASK_ITEMS, wsq_test_count);
	wsq_test_run(test, 1 + num_online_cpus(), masks_thread, m);
	wsq_test_call(test, wsq_test_flush, m->q);
	KUNIT_EXPECT_EQ(test, m->failed, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&m->changes), 60);
	for (i = 0; i < MASK_ITEMS; i++) {
		KUNIT_EXPECT_GT(test, atomic_read(&m->queued[i]), 0);
		wsq_test_expect_runs(test, &m->items[i], 1,
				     atomic_read(&m->queued[i]));
	}
	for_each_online_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, wsq_set_cpumask(m->q, cpumask_of(cpu)), 0);
		for (turn = 0; turn < 5; turn++) {
			for (i = 0; i < MASK_ITEMS; i++)
				wsq_queue_work_on(turn & 1 ? wsq_test_other(cpu) :
						  WSQ_CPU_ANY, m->q,
						  &m->items[i].work);
			wsq_test_call(test, wsq_test_flush, m->q);
			for (i = 0; i < MASK_ITEMS; i++)
				KUNIT_EXPECT_EQ(test, m->items[i].cpu, (int)cpu);
		}
	}
	wsq_test_queue_end(test, m->q);
	vfree(m->items);
	kfree(m);
}

/* Items that wait on a CPU leaving the mask move, and stay pending. */
static void queue_cpumask_moves(struct kunit *test)
{
	unsigned int cpu = here_cpu(), other = wsq_test_other(cpu);
	struct wsq_test_item *items;
	struct wsq_test_gate *g;
	struct wsq *q;
	int i;

	wsq_test_need_cpus(test, 2);
	q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	g = wsq_test_hold(test, q, cpu);
	items = wsq_test_items(test, q, 100, wsq_test_count);
	wsq_test_stay(test, cpu);
	for (i = 0; i < 100; i++) {
		if (i % 3)
			wsq_queue_work(q, &items[i].work);
		else
			wsq_queue_work_on(cpu, q, &items[i].work);
	}
	wsq_test_roam();
	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(q, cpumask_of(other)), 0);
	/* The gate is still closed. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!wsq_work_pending(&items[99].work)));
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&items[i].runs)));
	wsq_test_release(test, q, g);
	wsq_test_expect_runs(test, items, 100, 1);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, items[i].cpu, (int)other);
	wsq_test_queue_end(test, q);
	vfree(items);
}

static void queue_cpumask_wrong(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	struct wsq_attrs attrs = {};
	cpumask_var_t none;
	struct wsq *no;

	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&none, GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(q, none), -EINVAL);
	attrs.cpumask = none;
	no = wsq_test_create(test, &attrs, "none");
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(no), -EINVAL);
	/* The queue is as before. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	wsq_test_queue_end(test, q);
	wsq_test_expect_runs(test, it, 1, 1);
	free_cpumask_var(none);
	vfree(it);
}

/* Items that queue themselves, and others, while the queue is drained. */
static void queue_drain(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_test_item *items = wsq_test_items(test, q, 30,
						     wsq_test_repeat);
	struct wsq_test_call *call[2];
	int i, turn;

	for (turn = 1; turn <= 3; turn++) {
		for (i = 0; i < 30; i++) {
			items[i].again = i;
			KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[i].work));
		}
		for (i = 0; i < 2; i++)
			call[i] = wsq_test_start(test, wsq_test_drain, q);
		for (i = 0; i < 2; i++)
			wsq_test_end(test, call[i]);
		/* Nothing is left, and the queue can be used again. */
		for (i = 0; i < 30; i++)
			wsq_test_expect_runs(test, &items[i], 1, turn * (i + 1));
	}
	wsq_test_queue_end(test, q);
	vfree(items);
}

struct flood {
	struct wsq *busy;
	struct wsq *calm;
	struct wsq_test_item *items;
	atomic_t runs;
	bool stop;
};

struct flood_item {
	struct wsq_work work;
	struct flood *f;
};

struct calm_item {
	struct wsq_work work;
	struct flood *f;
	int at_start;
	struct completion ran;
};

static void flood_fn(struct wsq_work *work)
{
	struct flood *f = container_of(work, struct flood_item, work)->f;

	atomic_inc(&f->runs);
	if (!READ_ONCE(f->stop))
		wsq_queue_work(f->busy, work);
}

static void calm_fn(struct wsq_work *work)
{
	struct calm_item *c = container_of(work, struct calm_item, work);

	c->at_start = atomic_read(&c->f->runs);
	complete(&c->ran);
}

#define FAIR_TRIES	200

/*
 * A queue flooded by items that requeue themselves does not delay another queue
 * on the same CPU by more than its budget, counted in items. A single try may
 * exceed it. Time that a busy host takes from the waiting queue's item counts
 * as that queue's time, which it has to make up, up to the limit of that debt.
 */
static void queue_fair(struct kunit *test)
{
	struct flood *f = kzalloc(sizeof(*f), GFP_KERNEL);
	struct calm_item *c = kzalloc(sizeof(*c), GFP_KERNEL);
	unsigned int cpu = here_cpu();
	struct flood_item *items;
	int i, before, between, most = 0, over = 0;

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_NOT_NULL(test, c);
	items = vzalloc(20 * sizeof(*items));
	KUNIT_ASSERT_NOT_NULL(test, items);
	f->busy = wsq_test_queue(test, 4, 16, cpumask_of(cpu));
	f->calm = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	init_completion(&c->ran);
	c->f = f;
	INIT_WSQ_WORK(&c->work, calm_fn);
	for (i = 0; i < 20; i++) {
		INIT_WSQ_WORK(&items[i].work, flood_fn);
		items[i].f = f;
		wsq_queue_work(f->busy, &items[i].work);
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&f->runs) > 1000));
	wsq_test_stay(test, cpu);
	for (i = 0; i < FAIR_TRIES; i++) {
		/* No flood item runs between the read and the put. */
		preempt_disable();
		before = atomic_read(&f->runs);
		wsq_queue_work(f->calm, &c->work);
		preempt_enable();
		if (!wait_for_completion_timeout(&c->ran, WSQ_TEST_TIMEOUT)) {
			KUNIT_FAIL(test, "item %d does not come", i);
			break;
		}
		between = c->at_start - before;
		most = max(most, between);
		over += between > 2 * WSQ_BUDGET;
	}
	wsq_test_roam();
	kunit_info(test, "at most %d items of the busy queue between put and start",
		   most);
	KUNIT_EXPECT_LT(test, over, FAIR_TRIES / 2);
	KUNIT_EXPECT_LE(test, most,
			(int)(WSQ_DEBT_MAX_NS / WSQ_SLICE_NS + 2) * WSQ_BUDGET);
	WRITE_ONCE(f->stop, true);
	wsq_test_queue_end(test, f->busy);
	wsq_test_queue_end(test, f->calm);
	vfree(items);
	kfree(c);
	kfree(f);
}

static int queue_threads(void)
{
	struct task_struct *p;
	int nr = 0;

	rcu_read_lock();
	for_each_process(p)
		nr += !strncmp(p->comm, "wsq/", 4) || !strncmp(p->comm, "wsq-", 4);
	rcu_read_unlock();
	return nr;
}

/* Workers that earlier tests needed have ended. */
static bool queue_few_workers(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		if (READ_ONCE(wsq_cpus[cpu]->nr_workers) != 2)
			return false;
	return true;
}

#define A_THOUSAND	1000

static struct wsq *queue_of_some_engine(struct kunit *test, int i)
{
	struct wsq_attrs attrs = {
		.blocks = 2, .block_size = 2,
		.engine = wsq_test_engines[i % ARRAY_SIZE(wsq_test_engines)].kind,
	};
	struct wsq *q = wsq_create(&attrs, "test");

	KUNIT_ASSERT_FALSE(test, IS_ERR(q));
	return q;
}

/*
 * A thousand queues, of all engines, need no threads of their own: not when
 * they are created, and not after they were used. In between some may be
 * created: on a slow CPU an item can take 10 ms, and its worker is then
 * detached. These end.
 */
static void queue_thousand(struct kunit *test)
{
	struct wsq **q = kvcalloc(A_THOUSAND, sizeof(*q), GFP_KERNEL);
	struct wsq_test_item *items;
	int i, before, most, cpus = num_online_cpus();

	KUNIT_ASSERT_NOT_NULL(test, q);
	q[0] = queue_of_some_engine(test, 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(queue_few_workers()));
	before = queue_threads();
	KUNIT_EXPECT_GE(test, before, cpus);
	for (i = 1; i < A_THOUSAND; i++)
		q[i] = queue_of_some_engine(test, i);
	KUNIT_EXPECT_LE(test, queue_threads(), before);
	items = wsq_test_items(test, NULL, 3 * A_THOUSAND, wsq_test_count);
	for (i = 0; i < 3 * A_THOUSAND; i++)
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q[i % A_THOUSAND],
						       &items[i].work));
	most = queue_threads();
	for (i = 0; i < A_THOUSAND; i++)
		wsq_flush(q[i]);
	most = max(most, queue_threads());
	wsq_test_expect_runs(test, items, 3 * A_THOUSAND, 1);
	kunit_info(test, "%d threads for %d queues", most, A_THOUSAND);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(queue_threads() <= before));
	for (i = 0; i < A_THOUSAND; i++)
		wsq_destroy(q[i]);
	wsq_queues_settle();
	vfree(items);
	kvfree(q);
}

static void herd_sum(u64 *wakeups, u64 *parks)
{
	struct wsq_cpu_stats st;
	unsigned int cpu;

	*wakeups = 0;
	*parks = 0;
	for_each_possible_cpu(cpu) {
		wsq_stats_cpu(cpu, &st);
		*wakeups += st.wakeups;
		*parks += st.parks;
	}
}

#define HERD_ITEMS	300

/*
 * One item per millisecond, all CPUs idle: each put wakes at most one worker.
 * With long items a put may wake one of another CPU as well, because the putting
 * thread may go on. The watchdog wakes more if the machine keeps a worker off its
 * CPU.
 */
static void queue_herd(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 16, NULL);
	struct wsq_test_item *items = wsq_test_items(test, q, HERD_ITEMS,
						     wsq_test_count);
	u64 wakeups[2], parks[2], by_puts = 0, most[2] = { 0, 0 };
	unsigned long flags;
	int i;

	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_linger();
	herd_sum(&wakeups[0], &parks[0]);
	for (i = 0; i < HERD_ITEMS; i++) {
		const bool slow = i & 1;
		atomic64_t *sent;
		u64 before;

		/* Count wake-ups on this CPU: only this put sends any. */
		local_irq_save(flags);
		sent = &wsq_cpus[raw_smp_processor_id()]->wakeups;
		wsq_lane(q, raw_smp_processor_id())->item_ns =
			slow ? WSQ_COME_MAX_NS : 1;
		before = atomic64_read(sent);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[i].work));
		before = atomic64_read(sent) - before;
		local_irq_restore(flags);
		by_puts += before;
		most[slow] = max(most[slow], before);
		usleep_range(1000, 1100);
	}
	wsq_test_call(test, wsq_test_flush, q);
	herd_sum(&wakeups[1], &parks[1]);
	wsq_test_expect_runs(test, items, HERD_ITEMS, 1);
	kunit_info(test, "%d items, one in a millisecond: %llu wake-ups by puts, %llu in all, %llu times a worker parked",
		   HERD_ITEMS, by_puts, wakeups[1] - wakeups[0],
		   parks[1] - parks[0]);
	KUNIT_EXPECT_LE(test, most[0], 1);
	KUNIT_EXPECT_LE(test, most[1], 2);
	/* A worker that parks was woken, except those awake before. */
	KUNIT_EXPECT_LE(test, parks[1] - parks[0],
			wakeups[1] - wakeups[0] + num_online_cpus());
	wsq_test_queue_end(test, q);
	vfree(items);
	wsq_test_met(test, by_puts, "no put met an idle worker");
}

/* Invalid attributes are refused. */
static void queue_attrs_wrong(struct kunit *test)
{
	const struct wsq_test_engine *e = wsq_test_engine(test);
	const struct wsq_attrs wrong[] = {
		{ .flags = 1U << 31 },
		{ .flags = WSQ_HAND_OVER },
		{ .flags = WSQ_AT_LEAST_ONCE }, { .flags = 1U << 30 },
		{ .blocks = e->min_blocks - 1 },
		{ .blocks = e->max_blocks + 1 },
		{ .block_size = e->min_block_size - 1 },
		{ .block_size = e->max_block_size + 1 },
		{ .blocks = 8, .max_blocks = 7 },
		{ .max_blocks = e->max_blocks + 1 },
		{ .blocks = 8, .max_blocks = e->grows ? ~0U : 9 },
		{ .max_active = 65537 },
		{ .max_active = ~0U },
	};
	struct wsq *q;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		q = wsq_test_create(test, &wrong[i], "wrong");
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(q), -EINVAL,
				    "attributes %d", i);
		if (!IS_ERR(q))
			wsq_destroy(q);
	}
}

/* Two devices of one driver, one on top of the other. */
struct layer {
	struct wsq *q;
	struct wsq_serial serial;
	struct wsq_work work;
	struct wsq_serial_work serial_work;
	struct layer *below;
};

static void layer_fn(struct wsq_work *work)
{
	struct layer *l = container_of(work, struct layer, work);

	wsq_flush(l->below->q);
	wsq_drain(l->below->q);
}

static void bottom_fn(struct wsq_work *work)
{
}

static void layer_serial_fn(struct wsq_serial_work *work)
{
	struct layer *l = container_of(work, struct layer, serial_work);

	if (l->below)
		wsq_serial_flush(&l->below->serial);
}

static void layer_add(struct kunit *test, struct layer *l, struct layer *below,
		      struct lock_class_key *key)
{
	l->below = below;
	l->q = wsq_create(NULL, "layer %d", !!below);
	KUNIT_ASSERT_FALSE(test, IS_ERR(l->q));
	/* As with workqueues, items that wait have a class of their own. */
	if (below)
		INIT_WSQ_WORK(&l->work, layer_fn);
	else
		INIT_WSQ_WORK(&l->work, bottom_fn);
	wsq_serial_init_key(&l->serial, l->q, key, "(wsq_serial)layer");
	wsq_serial_work_init(&l->serial_work, layer_serial_fn);
}

/*
 * A queue and a serial for each device, created by the same lines: those of one
 * device may wait for those below it. Lockdep finds nothing wrong with that.
 */
static void queue_layers(struct kunit *test)
{
	static struct lock_class_key keys[2];
	bool watched = debug_locks;
	struct layer *l;
	int i;

	l = kcalloc(2, sizeof(*l), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, l);
	layer_add(test, &l[0], NULL, &keys[0]);
	layer_add(test, &l[1], &l[0], &keys[1]);
	for (i = 0; i < 3; i++) {
		wsq_queue_work(l[0].q, &l[0].work);
		wsq_serial_queue(&l[0].serial, &l[0].serial_work);
		wsq_queue_work(l[1].q, &l[1].work);
		wsq_serial_queue(&l[1].serial, &l[1].serial_work);
		wsq_test_call(test, wsq_test_flush, l[1].q);
		wsq_test_call(test, wsq_test_drain, l[1].q);
	}
	/* The end of the upper one waits for the lower one. */
	wsq_queue_work(l[1].q, &l[1].work);
	wsq_test_queue_end(test, l[1].q);
	wsq_test_queue_end(test, l[0].q);
	kfree(l);
	KUNIT_EXPECT_EQ_MSG(test, watched, debug_locks,
			    "lockdep reported right use");
}

/* What processes make their threads do: statistics, open a ring, close it. */
static bool queue_users_fn(void *unused)
{
	struct wsq_cpu_stats st;
	struct wsq *q;

	wsq_stats_cpu(raw_smp_processor_id(), &st);
	wsq_stats_queues();
	q = wsq_tenant_create(NULL, "users");
	if (IS_ERR(q))
		return false;
	wsq_destroy(q);
	return true;
}

/* Threads of users do not wait for a thread that walks through all queues. */
static void queue_users(struct kunit *test)
{
	struct wsq_test_call *call;

	mutex_lock(&wsq_queues_lock);
	call = wsq_test_start(test, queue_users_fn, NULL);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_test_over(call)));
	mutex_unlock(&wsq_queues_lock);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	wsq_queues_settle();
}

/* Reads a CPU's statistics as often as it can. */
struct queue_reader {
	unsigned int cpu;
	bool stop;
	unsigned long looks;
	unsigned long back;
};

static bool queue_reader_fn(void *arg)
{
	struct queue_reader *r = arg;
	struct wsq_cpu_stats st;
	u64 last = 0;

	while (!READ_ONCE(r->stop)) {
		wsq_stats_cpu(r->cpu, &st);
		r->back += st.puts < last;
		last = st.puts;
		r->looks++;
		wsq_test_yield();
	}
	return true;
}

#define QUEUES_GONE	30

/* Counters do not go back when a queue is destroyed. */
static void queue_stats_stay(struct kunit *test)
{
	struct queue_reader r = { .cpu = cpumask_first(cpu_online_mask) };
	struct wsq_test_item *it = wsq_test_items(test, NULL, 1, wsq_test_count);
	struct wsq_test_call *call;
	struct wsq_cpu_stats st[2];
	int i;

	wsq_test_stay(test, r.cpu);
	wsq_stats_cpu(r.cpu, &st[0]);
	call = wsq_test_start(test, queue_reader_fn, &r);
	for (i = 0; i < QUEUES_GONE; i++) {
		struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(r.cpu));

		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
		wsq_test_queue_end(test, q);
	}
	WRITE_ONCE(r.stop, true);
	wsq_test_end(test, call);
	wsq_test_roam();
	wsq_stats_cpu(r.cpu, &st[1]);
	KUNIT_EXPECT_GE(test, st[1].puts, st[0].puts + QUEUES_GONE);
	KUNIT_EXPECT_EQ(test, r.back, 0UL);
	kunit_info(test, "%lu looks", r.looks);
	wsq_test_expect_runs(test, it, 1, QUEUES_GONE);
	vfree(it);
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(queue_users),
	KUNIT_CASE(queue_stats_stay),
	WSQ_ENGINE_CASE(queue_many),
	WSQ_ENGINE_CASE(queue_many_mixed),
	WSQ_ENGINE_CASE(queue_many_cancel),
	WSQ_ANY_ENGINE_CASE(queue_on),
	WSQ_ANY_ENGINE_CASE(queue_on_absent),
	WSQ_ANY_ENGINE_CASE(queue_node),
	WSQ_ANY_ENGINE_CASE(queue_cpumask),
	WSQ_ANY_ENGINE_CASE(queue_cpumask_moves),
	WSQ_ANY_ENGINE_CASE(queue_cpumask_wrong),
	WSQ_ANY_ENGINE_CASE(queue_drain),
	WSQ_ENGINE_CASE_SLOW(queue_fair),
	KUNIT_CASE_SLOW(queue_thousand),
	WSQ_ANY_ENGINE_CASE(queue_herd),
	WSQ_ANY_ENGINE_CASE(queue_attrs_wrong),
	KUNIT_CASE(queue_layers),
	{}
};

static struct kunit_suite queue_suite = {
	.name = "wsq_queue",
	.test_cases = queue_cases,
};

kunit_test_suite(queue_suite);
