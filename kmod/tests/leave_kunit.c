// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of CPUs that leave a queue with items in their containers,
 * because its mask changes or because they go offline. All items run, none
 * twice, no wait hangs, and puts from other CPUs always find a container.
 *
 * Tests that take a CPU offline need a kernel with hotplug (tools/check/kunit
 * debug).
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/smp.h>

#include "../exec/exec.h"
#include "../engine/engine.h"
#include "forkjoins.h"

#define NR_LEFT		4000

/* Adopts a dead CPU's queue as often as it can, and takes nothing. */
struct leave_adopt_get {
	struct wsq_container *ct;
	bool stop;
	unsigned long nr;
};

static bool leave_adopt_get_fn(void *arg)
{
	struct leave_adopt_get *f = arg;
	unsigned int i;

	while (!READ_ONCE(f->stop)) {
		for (i = 0; i < 1000; i++) {
			preempt_disable();
			if (wsq_adopt_begin(f->ct)) {
				f->nr++;
				wsq_adopt_end(f->ct);
			}
			preempt_enable();
		}
		wsq_test_yield();
	}
	return true;
}

/* Nothing stays behind, however often thieves interfere. */
static void leave_evacuate(struct kunit *test)
{
	unsigned int stay = cpumask_first(cpu_online_mask);
	unsigned int go = wsq_test_other(stay);
	struct leave_adopt_get f = {};
	struct wsq_test_call *call;
	struct wsq_test_item *items;
	struct wsq_test_gate *g;
	struct wsq *q, *other;
	int round, i;

	wsq_test_need_cpus(test, 2);
	other = wsq_test_queue(test, 2, 4, NULL);
	items = wsq_test_items(test, NULL, NR_LEFT, wsq_test_count);
	wsq_test_stay(test, stay);
	for (round = 0; round < 10; round++) {
		q = wsq_test_queue(test, 2, 4, NULL);
		/* The CPU's worker is held and cannot serve the items. */
		g = wsq_test_hold(test, other, go);
		for (i = 0; i < NR_LEFT; i++)
			wsq_queue_work_on(go, q, &items[i].work);
		f.ct = wsq_pool_any(&q->pool, go);
		WRITE_ONCE(f.stop, false);
		call = wsq_test_start(test, leave_adopt_get_fn, &f);
		KUNIT_EXPECT_EQ(test, wsq_set_cpumask(q, cpumask_of(stay)), 0);
		WRITE_ONCE(f.stop, true);
		wsq_test_end(test, call);
		wsq_test_call(test, wsq_test_flush, q);
		wsq_test_release(test, other, g);
		wsq_test_queue_end(test, q);
	}
	wsq_test_roam();
	wsq_test_expect_runs(test, items, NR_LEFT, round);
	kunit_info(test, "adopted %lu times", f.nr);
	wsq_test_queue_end(test, other);
	vfree(items);
}

static bool leave_mask_fn(void *q)
{
	return !wsq_set_cpumask(q, cpumask_of(cpumask_first(cpu_online_mask)));
}

/* A dead CPU's queue that leaves the mask keeps the one CPU that adopted it. */
static void leave_adopt_get(struct kunit *test)
{
	unsigned int stay = cpumask_first(cpu_online_mask);
	unsigned int go = wsq_test_other(stay);
	struct wsq_container *ct;
	struct wsq_test_call *call;
	struct wsq *q;

	wsq_test_need_cpus(test, 2);
	q = wsq_test_queue(test, 2, 4, NULL);
	ct = wsq_pool_any(&q->pool, go);
	/* As if the CPU were offline and a thief had adopted its queue. */
	atomic_set(&ct->ownership, WSQ_ADOPTED);
	call = wsq_test_start(test, leave_mask_fn, q);
	/* The mask change polls from here on instead of sleeping. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(!READ_ONCE(q->pool.ct[go])));
	wsq_test_linger();
	KUNIT_EXPECT_EQ(test, atomic_read(&ct->ownership), (int)WSQ_ADOPTED);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	wsq_adopt_end(ct);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	wsq_test_queue_end(test, q);
}

/* Puts from all CPUs, of which at most one is a member at a time. */
struct leave_put {
	struct wsq *q;
	bool stop;
};

static bool leave_put_fn(void *arg)
{
	struct leave_put *p = arg;
	struct wsq_test_item it;

	memset(&it, 0, sizeof(it));
	INIT_WSQ_WORK_ONSTACK(&it.work, wsq_test_count);
	while (!READ_ONCE(p->stop)) {
		wsq_queue_work(p->q, &it.work);
		wsq_test_yield();
	}
	wsq_cancel_work_sync(&it.work);
	wsq_destroy_work_on_stack(&it.work);
	return !atomic_read(&it.twice);
}

/* A CPU that joins a queue gets memory as if it had always been a member. */
static void leave_join(struct kunit *test)
{
	unsigned int one = cpumask_first(cpu_online_mask);
	unsigned int two = wsq_test_other(one);
	const struct wsq_engine_salsa *es;
	struct wsq *q;

	wsq_test_need_cpus(test, 2);
	q = wsq_test_queue(test, 2, 4, cpumask_of(one));
	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(q, cpumask_of(two)), 0);
	KUNIT_ASSERT_NOT_NULL(test, wsq_pool_any(&q->pool, two)->engine);
	if (q->pool.kind == WSQ_SALSA) {
		es = wsq_engine_salsa(wsq_pool_any(&q->pool, two));
		KUNIT_EXPECT_EQ(test, es->nr_chunks, q->pool.blocks);
		KUNIT_EXPECT_EQ(test, es->max_chunks, q->pool.max_blocks);
	}
	wsq_test_queue_end(test, q);
}

/* A non-member's put finds a member while another CPU becomes the only one. */
static void leave_nearest(struct kunit *test)
{
	unsigned int one = cpumask_first(cpu_online_mask), cpu, nr = 0;
	unsigned int two = wsq_test_other(one);
	struct wsq_test_call *calls[4];
	struct leave_put p = {};
	int i, bad = 0;

	wsq_test_need_cpus(test, 2);
	p.q = wsq_test_queue(test, 2, 4, cpumask_of(one));
	for_each_online_cpu(cpu) {
		if (nr < ARRAY_SIZE(calls))
			calls[nr++] = wsq_test_start_on(test, cpu, leave_put_fn,
							&p);
	}
	for (i = 0; i < 100; i++)
		bad += !!wsq_set_cpumask(p.q, cpumask_of(i & 1 ? one : two));
	WRITE_ONCE(p.stop, true);
	while (nr--)
		KUNIT_EXPECT_TRUE(test, wsq_test_end(test, calls[nr]));
	KUNIT_EXPECT_EQ(test, bad, 0);
	wsq_test_call(test, wsq_test_flush, p.q);
	wsq_test_queue_end(test, p.q);
}

#ifdef CONFIG_HOTPLUG_CPU

/* Items on a CPU that dies, and how many are late. */
struct leave_dead {
	struct wsq *q;
	struct wsq_test_item *items;
	unsigned int off;
	int late;
	bool waits;
};

/* Half through the engine, half bound. */
static void leave_put_there(void *arg)
{
	struct leave_dead *d = arg;
	int i;

	for (i = 0; i < NR_LEFT; i++) {
		if (i & 1)
			wsq_queue_work(d->q, &d->items[i].work);
		else
			wsq_queue_work_on(d->off, d->q, &d->items[i].work);
	}
}

/*
 * Put items on a CPU whose worker has lost a wake-up, while all other workers
 * sleep. False if a worker does not go to sleep.
 */
static bool leave_leave(struct kunit *test, struct leave_dead *d)
{
	struct wsq_cpu *c = wsq_cpus[d->off];

	/* The CPU counts as idle shortly before its worker can be claimed. */
	if (!wsq_test_until(wsq_idle_count() == num_online_cpus() &&
			    wsq_park_claim(&c->park)))
		return false;
	smp_call_function_single(d->off, leave_put_there, d, true);
	wsq_test_linger();
	return true;
}

static void leave_take_off(struct kunit *test, struct leave_dead *d)
{
	int ret;

	KUNIT_ASSERT_NE(test, d->off, cpumask_first(cpu_online_mask));
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	KUNIT_EXPECT_TRUE(test, leave_leave(test, d));
	ret = remove_cpu(d->off);
	KUNIT_EXPECT_EQ(test, ret, 0);
	wsq_test_roam();
	if (ret)
		wake_up_process(wsq_cpus[d->off]->worker->task);
	wsq_test_call(test, wsq_test_flush, d->q);
	wsq_test_expect_runs(test, d->items, NR_LEFT, 1);
	if (!ret)
		KUNIT_EXPECT_EQ(test, add_cpu(d->off), 0);
}

/* Items on a dying CPU are found, though no other CPU was notified. */
static void leave_bequeath(struct kunit *test)
{
	struct leave_dead d = { .off = cpumask_last(cpu_online_mask) };

	wsq_test_need_cpus(test, 2);
	d.q = wsq_test_queue(test, 4, 64, NULL);
	d.items = wsq_test_items(test, d.q, NR_LEFT, wsq_test_count);
	leave_take_off(test, &d);
	wsq_test_queue_end(test, d.q);
	vfree(d.items);
}

static struct leave_dead *leave_closing_of;

static int leave_late(const struct leave_dead *d)
{
	int i, late = 0;

	for (i = 0; i < NR_LEFT; i++)
		late += !atomic_read(&d->items[i].runs);
	return late;
}

/*
 * The CPU is dead, but its containers are not yet marked as a dead CPU's.
 * Hotplug callbacks of other subsystems may wait here for the items in them.
 */
static int leave_closing_dead(unsigned int cpu)
{
	struct leave_dead *d = READ_ONCE(leave_closing_of);

	if (!d || d->off != cpu)
		return 0;
	d->waits = true;
	if (!wsq_test_until(!leave_late(d)))
		d->late = leave_late(d);
	return 0;
}

/* A dying CPU's items run although its worker is gone. */
static void leave_closing(struct kunit *test)
{
	struct leave_dead d = { .off = cpumask_last(cpu_online_mask) };
	int state;

	wsq_test_need_cpus(test, 2);
	/* Runs before the pools' callback, which was set up first. */
	state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "wsq/test:dead",
					  NULL, leave_closing_dead);
	KUNIT_ASSERT_GT(test, state, 0);
	d.q = wsq_test_queue(test, 4, 64, NULL);
	d.items = wsq_test_items(test, d.q, NR_LEFT, wsq_test_count);
	WRITE_ONCE(leave_closing_of, &d);
	leave_take_off(test, &d);
	WRITE_ONCE(leave_closing_of, NULL);
	cpuhp_remove_state_nocalls(state);
	KUNIT_EXPECT_TRUE(test, d.waits);
	KUNIT_EXPECT_EQ(test, d.late, 0);
	wsq_test_queue_end(test, d.q);
	vfree(d.items);
}

/* Workers that are awake when a CPU loses its own, and go to sleep later. */
struct leave_awake {
	struct wsq *q;
	struct wsq_work *busy;
	struct wsq_work bound;
	struct completion ran;
	atomic_t begun;
	unsigned int off;
	bool sleep, late;
};

static struct leave_awake *leave_awake_of;

static void leave_busy_fn(struct wsq_work *work)
{
	struct leave_awake *a = READ_ONCE(leave_awake_of);

	atomic_inc(&a->begun);
	while (!READ_ONCE(a->sleep))
		wsq_test_yield();
	if (work != &a->busy[a->off])
		wait_for_completion(&a->ran);
}

static void leave_bound_fn(struct wsq_work *work)
{
	complete_all(&container_of(work, struct leave_awake, bound)->ran);
}

/* As leave_closing_dead(). No worker of the CPU is left, and none is idle. */
static int leave_awake_dead(unsigned int cpu)
{
	struct leave_awake *a = READ_ONCE(leave_awake_of);

	if (!a || a->off != cpu)
		return 0;
	WRITE_ONCE(a->sleep, true);
	a->late = !wsq_test_until(completion_done(&a->ran));
	complete_all(&a->ran);
	return 0;
}

/* A bound item of a dead CPU: all others' items wait for it. */
static void leave_awake(struct kunit *test)
{
	struct leave_awake a = { .off = cpumask_last(cpu_online_mask) };
	int state, cpu;

	wsq_test_need_cpus(test, 2);
	state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "wsq/test:awake",
					  NULL, leave_awake_dead);
	KUNIT_ASSERT_GT(test, state, 0);
	a.busy = kcalloc(nr_cpu_ids, sizeof(*a.busy), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, a.busy);
	a.q = wsq_test_queue(test, 4, 64, NULL);
	init_completion(&a.ran);
	INIT_WSQ_WORK_ONSTACK(&a.bound, leave_bound_fn);
	WRITE_ONCE(leave_awake_of, &a);
	for_each_online_cpu(cpu) {
		INIT_WSQ_WORK(&a.busy[cpu], leave_busy_fn);
		wsq_queue_work_on(cpu, a.q, &a.busy[cpu]);
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&a.begun) == num_online_cpus()));
	wsq_queue_work_on(a.off, a.q, &a.bound);
	KUNIT_EXPECT_EQ(test, remove_cpu(a.off), 0);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(a.sleep));
	KUNIT_EXPECT_FALSE(test, a.late);
	wsq_test_call(test, wsq_test_flush, a.q);
	KUNIT_EXPECT_EQ(test, add_cpu(a.off), 0);
	cpuhp_remove_state_nocalls(state);
	wsq_test_queue_end(test, a.q);
	WRITE_ONCE(leave_awake_of, NULL);
	wsq_destroy_work_on_stack(&a.bound);
	kfree(a.busy);
}

/* Of two items left on a CPU that dies, the first waits for the second. */
struct leave_pair {
	struct wsq_work first;
	struct wsq_work second;
	struct completion ran;
	unsigned long left;
	struct wsq *q;
};

static void leave_first_fn(struct wsq_work *work)
{
	struct leave_pair *p = container_of(work, struct leave_pair, first);

	WRITE_ONCE(p->left, wait_for_completion_timeout(&p->ran, WSQ_TEST_TIMEOUT / 2));
}

static void leave_second_fn(struct wsq_work *work)
{
	complete(&container_of(work, struct leave_pair, second)->ran);
}

static void leave_put_pair(void *arg)
{
	struct leave_pair *p = arg;

	wsq_queue_work(p->q, &p->first);
	wsq_queue_work(p->q, &p->second);
}

/* Soon no CPU but the queue's own runs its items, and one of these does. */
static void leave_expect_restored(struct kunit *test, struct wsq *q)
{
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);

	KUNIT_EXPECT_TRUE(test, wsq_test_until(cpumask_equal(q->pool.cpus,
							     q->cpus)));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 1);
	KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(READ_ONCE(it->cpu), q->cpus));
	vfree(it);
}

/*
 * All CPUs of a queue go offline. Items run all the same, one of which waits
 * for another. Then its CPUs come back.
 */
static void leave_adopt(struct kunit *test)
{
	unsigned int two = cpumask_last(cpu_online_mask);
	struct leave_pair *p = kzalloc(sizeof(*p), GFP_KERNEL);
	struct cpumask *mask = kzalloc(cpumask_size(), GFP_KERNEL);
	unsigned int one, cpu;

	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_NOT_NULL(test, mask);
	wsq_test_need_cpus(test, 3);
	for_each_online_cpu(cpu) {
		if (cpu != two)
			one = cpu;
	}
	cpumask_set_cpu(one, mask);
	cpumask_set_cpu(two, mask);
	p->q = wsq_test_queue(test, 4, 64, mask);
	init_completion(&p->ran);
	INIT_WSQ_WORK(&p->first, leave_first_fn);
	INIT_WSQ_WORK(&p->second, leave_second_fn);
	KUNIT_EXPECT_EQ(test, remove_cpu(one), 0);
	KUNIT_EXPECT_EQ(test, remove_cpu(two), 0);
	leave_put_pair(p);
	wsq_test_call(test, wsq_test_flush, p->q);
	KUNIT_EXPECT_NE(test, p->left, 0UL);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(p->q->cpus, mask));
	KUNIT_EXPECT_EQ(test, add_cpu(two), 0);
	leave_expect_restored(test, p->q);
	KUNIT_EXPECT_EQ(test, add_cpu(one), 0);
	wsq_test_queue_end(test, p->q);
	kfree(mask);
	kfree(p);
}

static void leave_pair(struct kunit *test)
{
	unsigned int stay = cpumask_first(cpu_online_mask);
	unsigned int off = cpumask_last(cpu_online_mask);
	struct leave_pair *p = kzalloc(sizeof(*p), GFP_KERNEL);
	struct cpumask *mask = kzalloc(cpumask_size(), GFP_KERNEL);
	struct wsq_cpu *c = wsq_cpus[off];

	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_NOT_NULL(test, mask);
	wsq_test_need_cpus(test, 2);
	cpumask_set_cpu(stay, mask);
	cpumask_set_cpu(off, mask);
	p->q = wsq_test_queue(test, 4, 64, mask);
	init_completion(&p->ran);
	INIT_WSQ_WORK(&p->first, leave_first_fn);
	INIT_WSQ_WORK(&p->second, leave_second_fn);
	wsq_test_stay(test, stay);
	KUNIT_ASSERT_TRUE(test, wsq_test_until(wsq_idle_count() ==
					       num_online_cpus() &&
					       wsq_park_claim(&c->park)));
	smp_call_function_single(off, leave_put_pair, p, true);
	KUNIT_EXPECT_EQ(test, remove_cpu(off), 0);
	wsq_test_roam();
	wsq_test_call(test, wsq_test_flush, p->q);
	KUNIT_EXPECT_NE(test, p->left, 0UL);
	KUNIT_EXPECT_EQ(test, add_cpu(off), 0);
	wsq_test_queue_end(test, p->q);
	kfree(mask);
	kfree(p);
}

/*
 * Items that a hotplug callback of another module waits for: bound to the CPU,
 * or queued there; and a pair of which the first waits for the second.
 */
enum leave_awaited_item {
	LEAVE_BOUND,
	LEAVE_OPEN,
	LEAVE_SOLO,
	LEAVE_ORDERED,
	LEAVE_AWAITED,
};

struct leave_awaited {
	struct wsq *q;
	struct wsq *solo;
	struct wsq *ordered;
	struct wsq_test_item *items;
	struct leave_pair pair;
	unsigned int off;
	int late;
	bool waits;
	int ret;
};

static struct leave_awaited *leave_awaited_of;

/* A bit for each item that has not run, the pair's being the last one. */
static int leave_awaited_late(struct leave_awaited *a)
{
	int i, late = READ_ONCE(a->pair.left) ? 0 : BIT(LEAVE_AWAITED);

	for (i = 0; i < LEAVE_AWAITED; i++)
		late |= atomic_read(&a->items[i].runs) ? 0 : BIT(i);
	return late;
}

/* The CPU's workers were moved away, and know nothing of it. */
static int leave_awaited_going(unsigned int cpu)
{
	struct leave_awaited *a = READ_ONCE(leave_awaited_of);

	if (!a || a->off != cpu)
		return 0;
	a->waits = true;
	wsq_queue_work_on(cpu, a->q, &a->pair.first);
	wsq_queue_work_on(cpu, a->q, &a->pair.second);
	wsq_queue_work_on(cpu, a->q, &a->items[LEAVE_BOUND].work);
	wsq_queue_work(a->q, &a->items[LEAVE_OPEN].work);
	wsq_queue_work(a->solo, &a->items[LEAVE_SOLO].work);
	wsq_queue_work(a->ordered, &a->items[LEAVE_ORDERED].work);
	if (!wsq_test_until(!leave_awaited_late(a)))
		a->late = leave_awaited_late(a);
	return a->ret;
}

static void leave_awaited_one(struct kunit *test, int ret)
{
	struct wsq_attrs attrs = { .flags = WSQ_ORDERED };
	struct leave_awaited a = {
		.off = cpumask_last(cpu_online_mask),
		.ret = ret,
	};
	struct wsq_test_item *it;
	int removed;

	a.q = wsq_test_queue(test, 4, 64, NULL);
	a.solo = wsq_test_queue(test, 4, 64, cpumask_of(a.off));
	/* It has no engine that could be under test. */
	a.ordered = wsq_create(&attrs, "ordered");
	KUNIT_ASSERT_FALSE(test, IS_ERR(a.ordered));
	a.items = wsq_test_items(test, a.q, LEAVE_AWAITED, wsq_test_count);
	it = wsq_test_items(test, a.q, 1, wsq_test_count);
	init_completion(&a.pair.ran);
	INIT_WSQ_WORK_ONSTACK(&a.pair.first, leave_first_fn);
	INIT_WSQ_WORK_ONSTACK(&a.pair.second, leave_second_fn);
	WRITE_ONCE(leave_awaited_of, &a);
	removed = remove_cpu(a.off);
	WRITE_ONCE(leave_awaited_of, NULL);
	KUNIT_EXPECT_EQ(test, removed, ret);
	KUNIT_EXPECT_TRUE(test, a.waits);
	KUNIT_EXPECT_EQ(test, a.late, 0);
	if (!removed)
		KUNIT_EXPECT_EQ(test, add_cpu(a.off), 0);
	/* Its workers are back. */
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(a.off, a.q, &it->work));
	wsq_test_call(test, wsq_test_flush, a.q);
	KUNIT_EXPECT_EQ(test, READ_ONCE(it->cpu), (int)a.off);
	wsq_test_call(test, wsq_test_flush, a.solo);
	wsq_test_call(test, wsq_test_flush, a.ordered);
	wsq_test_expect_runs(test, a.items, LEAVE_AWAITED, 1);
	KUNIT_EXPECT_NE(test, a.pair.left, 0UL);
	wsq_test_queue_end(test, a.q);
	wsq_test_queue_end(test, a.solo);
	wsq_test_queue_end(test, a.ordered);
	wsq_destroy_work_on_stack(&a.pair.first);
	wsq_destroy_work_on_stack(&a.pair.second);
	vfree(a.items);
	vfree(it);
}

/*
 * A module that was loaded later, so that its hotplug callback is called before
 * that of wsq, waits for items of the CPU. It may then keep the CPU online.
 */
static void leave_awaited(struct kunit *test)
{
	int state;

	wsq_test_need_cpus(test, 2);
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "wsq/test:online",
					  NULL, leave_awaited_going);
	KUNIT_ASSERT_GT(test, state, 0);
	leave_awaited_one(test, 0);
	leave_awaited_one(test, -EBUSY);
	cpuhp_remove_state_nocalls(state);
}

/*
 * Hotplug waits for an item behind two that wait for hotplug. The first uses
 * the standby worker; for the second a worker must be created.
 */
struct leave_lock {
	struct wsq_work first[2];
	struct wsq_test_item *second;
	struct wsq *q;
	unsigned int off;
	unsigned int on;
	bool waits;
	bool ran;
};

static struct leave_lock *leave_locked_of;

static void leave_lock_fn(struct wsq_work *work)
{
	cpus_read_lock();
	cpus_read_unlock();
}

static int leave_locked_dead(unsigned int cpu)
{
	struct leave_lock *l = READ_ONCE(leave_locked_of);

	if (!l || l->off != cpu)
		return 0;
	l->waits = true;
	wsq_queue_work_on(l->on, l->q, &l->first[0]);
	wsq_queue_work_on(l->on, l->q, &l->first[1]);
	wsq_queue_work_on(l->on, l->q, &l->second->work);
	l->ran = wsq_test_until(atomic_read(&l->second->runs));
	return 0;
}

/* A standby worker is created while a CPU is being taken down. */
static void leave_locked(struct kunit *test)
{
	struct leave_lock l = {};
	int state;

	wsq_test_need_cpus(test, 2);
	state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "wsq/test:lock",
					  NULL, leave_locked_dead);
	KUNIT_ASSERT_GT(test, state, 0);
	l.on = cpumask_first(cpu_online_mask);
	l.off = cpumask_last(cpu_online_mask);
	l.q = wsq_test_queue(test, 2, 4, cpumask_of(l.on));
	l.second = wsq_test_items(test, l.q, 1, wsq_test_count);
	INIT_WSQ_WORK_ONSTACK(&l.first[0], leave_lock_fn);
	INIT_WSQ_WORK_ONSTACK(&l.first[1], leave_lock_fn);
	/* Wait until workers of earlier tests have ended. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(READ_ONCE(wsq_cpus[l.on]->nr_workers) == 2));
	WRITE_ONCE(leave_locked_of, &l);
	KUNIT_EXPECT_EQ(test, remove_cpu(l.off), 0);
	WRITE_ONCE(leave_locked_of, NULL);
	KUNIT_EXPECT_TRUE(test, l.waits);
	KUNIT_EXPECT_TRUE(test, l.ran);
	wsq_test_call(test, wsq_test_flush, l.q);
	KUNIT_EXPECT_EQ(test, add_cpu(l.off), 0);
	cpuhp_remove_state_nocalls(state);
	wsq_test_queue_end(test, l.q);
	wsq_destroy_work_on_stack(&l.first[0]);
	wsq_destroy_work_on_stack(&l.first[1]);
	vfree(l.second);
}

/*
 * A queue is given a CPU that is offline: by its mask, while an item waits on a
 * CPU that leaves the queue, or when it is created. It is flushed and destroyed
 * all the same.
 */
static void leave_forgotten(struct kunit *test)
{
	unsigned int stay = cpumask_first(cpu_online_mask);
	unsigned int off = cpumask_last(cpu_online_mask);
	unsigned int go = cpumask_next(stay, cpu_online_mask);
	struct wsq_test_item *items;
	struct wsq_test_gate *g;
	struct wsq *q, *made;

	wsq_test_need_cpus(test, 3);
	wsq_test_stay(test, stay);
	q = wsq_test_queue(test, 2, 4, cpumask_of(go));
	items = wsq_test_items(test, q, 3, wsq_test_count);
	g = wsq_test_hold(test, q, go);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[0].work));
	KUNIT_EXPECT_EQ(test, remove_cpu(off), 0);
	KUNIT_EXPECT_EQ(test, wsq_set_cpumask(q, cpumask_of(off)), 0);
	/* Is it @go that runs its items now? */
	if (cpumask_test_cpu(go, q->pool.cpus))
		wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&items[0].runs)));
	wsq_test_gate_open(g);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[1].work));
	wsq_test_call(test, wsq_test_flush, q);
	made = wsq_test_queue(test, 2, 4, cpumask_of(off));
	KUNIT_EXPECT_TRUE(test, wsq_queue_work(made, &items[2].work));
	wsq_test_queue_end(test, made);
	wsq_test_expect_runs(test, items, 3, 1);
	KUNIT_EXPECT_EQ(test, add_cpu(off), 0);
	leave_expect_restored(test, q);
	wsq_test_roam();
	wsq_test_queue_end(test, q);
	vfree(items);
	kfree(g);
}

static bool leave_runs(void *arg)
{
	struct stage *s = arg;
	u64 sum;
	int got;

	s->caller = current;
	while (!READ_ONCE(s->stop)) {
		if (fib_run(s->fj, &sum, 14) || sum != plain_fib(14))
			atomic_inc(&s->wrong);
		if (dozing_run(s->fj, &got, s, 2) || got != 4)
			atomic_inc(&s->wrong);
		wsq_test_yield();
	}
	return true;
}

/* Fork and join while a CPU goes and comes. */
static void leave_forkjoin(struct kunit *test)
{
	unsigned int off = cpumask_last(cpu_online_mask), turn;
	struct wsq_test_call *calls[2];
	struct stage *s[2];
	struct wsq *q;
	int i, at;

	wsq_test_need_cpus(test, 2);
	q = wsq_test_queue(test, 4, 64, NULL);
	for (i = 0; i < 2; i++) {
		s[i] = stage_begin(test, q, NULL, NULL);
		calls[i] = wsq_test_start(test, leave_runs, s[i]);
	}
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	for (turn = 0; turn < 6; turn++) {
		KUNIT_EXPECT_EQ(test, turn & 1 ? add_cpu(off) : remove_cpu(off),
				0);
		for (i = 0; i < 2; i++) {
			at = atomic_read(&s[i]->runs);
			KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&s[i]->runs) > at + 20));
		}
	}
	wsq_test_roam();
	for (i = 0; i < 2; i++) {
		WRITE_ONCE(s[i]->stop, true);
		wsq_test_end(test, calls[i]);
		KUNIT_EXPECT_EQ(test, atomic_read(&s[i]->wrong), 0);
		stage_end(test, s[i]);
	}
	wsq_test_queue_end(test, q);
}

#define LEAVE_CLASS_ITEMS	24

/* Queues itself, by turns bound to this CPU and not, until it has to stop. */
static void leave_class_fn(struct wsq_work *work)
{
	struct wsq_test_item *it = wsq_test_item_of(work);
	const struct wsq_worker *w = kthread_data(current);

	wsq_test_enter(it);
	if (w->class != it->q->class)
		atomic_inc(&it->twice);
	/* High items that never sleep would leave hotplug little CPU time. */
	if (it->q->class->nr == WSQ_CLASS_HIGH || it->id % 8)
		schedule_timeout_uninterruptible(1);
	else
		wsq_test_compute(10);
	if (READ_ONCE(it->again))
		wsq_queue_work_on(it->id & 4 ? (int)w->cpu : WSQ_CPU_ANY,
				  it->q, work);
	wsq_test_leave(it);
}

/* All items have run again. */
static bool leave_class_move(struct wsq_test_item *items)
{
	int i, at;

	for (i = 0; i < LEAVE_CLASS_ITEMS; i++) {
		at = atomic_read(&items[i].runs);
		if (!wsq_test_until(atomic_read(&items[i].runs) > at))
			return false;
	}
	return true;
}

/*
 * A CPU goes off and on under items of both classes, some bound to it. Each
 * goes on, in its class.
 */
static void leave_classes(struct kunit *test)
{
	unsigned int off = cpumask_last(cpu_online_mask), turn;
	struct wsq_test_item *items;
	struct wsq *q[2];
	int i;

	wsq_test_need_cpus(test, 2);
	for (i = 0; i < 2; i++) {
		const struct wsq_attrs attrs = {
			.blocks = 2,
			.block_size = 4,
			.class = i,
		};

		q[i] = wsq_test_queue_attrs(test, &attrs);
	}
	items = wsq_test_items(test, NULL, LEAVE_CLASS_ITEMS, leave_class_fn);
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	for (i = 0; i < LEAVE_CLASS_ITEMS; i++) {
		items[i].q = q[i & 1];
		items[i].again = 1;
		wsq_queue_work_on(i & 4 ? (int)off : WSQ_CPU_ANY, q[i & 1],
				  &items[i].work);
	}
	for (turn = 0; turn < 4; turn++) {
		KUNIT_EXPECT_TRUE(test, leave_class_move(items));
		KUNIT_EXPECT_EQ(test, turn & 1 ? add_cpu(off) : remove_cpu(off),
				0);
	}
	KUNIT_EXPECT_TRUE(test, leave_class_move(items));
	wsq_test_roam();
	for (i = 0; i < LEAVE_CLASS_ITEMS; i++)
		WRITE_ONCE(items[i].again, 0);
	for (i = 0; i < 2; i++) {
		wsq_test_call(test, wsq_test_drain, q[i]);
		wsq_test_queue_end(test, q[i]);
	}
	for (i = 0; i < LEAVE_CLASS_ITEMS; i++)
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&items[i].twice), 0,
				    "item %d", i);
	vfree(items);
}

#else

#define LEAVE_SKIP(name)						\
static void name(struct kunit *test)					\
{									\
	kunit_skip(test, "needs CPU hotplug: tools/check/kunit debug");	\
}

LEAVE_SKIP(leave_classes)
LEAVE_SKIP(leave_forkjoin)
LEAVE_SKIP(leave_forgotten)
LEAVE_SKIP(leave_locked)
LEAVE_SKIP(leave_bequeath)
LEAVE_SKIP(leave_closing)
LEAVE_SKIP(leave_adopt)
LEAVE_SKIP(leave_pair)
LEAVE_SKIP(leave_awaited)
LEAVE_SKIP(leave_awake)

#endif

static struct kunit_case leave_cases[] = {
	WSQ_ENGINE_CASE(leave_evacuate),
	WSQ_ENGINE_CASE(leave_adopt_get),
	WSQ_ENGINE_CASE(leave_nearest),
	WSQ_ENGINE_CASE(leave_join),
	WSQ_ENGINE_CASE(leave_bequeath),
	WSQ_ENGINE_CASE(leave_closing),
	WSQ_ENGINE_CASE(leave_awake),
	WSQ_ENGINE_CASE(leave_pair),
	WSQ_ENGINE_CASE(leave_awaited),
	WSQ_ENGINE_CASE(leave_adopt),
	WSQ_ENGINE_CASE(leave_locked),
	WSQ_ENGINE_CASE(leave_forgotten),
	KUNIT_CASE(leave_forkjoin),
	KUNIT_CASE(leave_classes),
	{}
};

static struct kunit_suite leave_suite = {
	.name = "wsq_leave",
	.test_cases = leave_cases,
};

kunit_test_suite(leave_suite);
