// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of contexts: functions that may be called from interrupts do the
 * same there as in a task. Covers task, softirq (tasklet), hardirq (irq_work,
 * hrtimer), and NMI where a module can raise one (x86, through the local APIC).
 * Elsewhere the deepest context is a hard hrtimer that interrupts puts and
 * cancels of the same queue. One case is for SALSA only: a put from NMI does
 * not ask for a grace period.
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/wsq_serial.h>

#include "../engine/engine.h"
#include "contexts.h"

#define SCENE_ITEMS	8

/* What errands work on. */
struct scene {
	struct wsq *q;
	struct wsq_test_item *items;
	struct wsq_delayed_work later;
	atomic_t later_runs;
	int other;
};

static void scene_later(struct wsq_work *work)
{
	struct scene *s = container_of(to_wsq_delayed_work(work), struct scene,
				       later);

	atomic_inc(&s->later_runs);
}

static struct scene *scene_new(struct kunit *test, const struct cpumask *mask)
{
	struct scene *s = kzalloc(sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->q = wsq_test_queue(test, 4, 4, mask);
	s->items = wsq_test_items(test, s->q, SCENE_ITEMS, wsq_test_count);
	INIT_WSQ_DELAYED_WORK(&s->later, scene_later);
	s->other = cpumask_last(cpu_online_mask);
	return s;
}

static void scene_end(struct kunit *test, struct scene *s)
{
	wsq_test_queue_end(test, s->q);
	vfree(s->items);
	kfree(s);
}

/* Queue in each possible way; pending items are refused. */
static int errand_queue(void *arg)
{
	struct wsq_work *works[3];
	struct scene *s = arg;
	int i, wrong = 0;

	wrong += !wsq_queue_work(s->q, &s->items[0].work);
	wrong += !wsq_queue_work_on(raw_smp_processor_id(), s->q,
				    &s->items[1].work);
	wrong += !wsq_queue_work_on(s->other, s->q, &s->items[2].work);
	wrong += !wsq_queue_work_node(numa_node_id(), s->q, &s->items[3].work);
	wrong += !wsq_queue_work_node(NUMA_NO_NODE, s->q, &s->items[4].work);
	for (i = 0; i < 3; i++)
		works[i] = &s->items[5 + i].work;
	wrong += wsq_queue_work_many(s->q, works, 3) != 3;
	return wrong;
}

static int errand_refused(void *arg)
{
	struct wsq_work *works[2];
	struct scene *s = arg;
	int wrong = 0;

	wrong += wsq_queue_work(s->q, &s->items[1].work);
	wrong += wsq_queue_work_on(s->other, s->q, &s->items[0].work);
	wrong += wsq_queue_work_node(0, s->q, &s->items[7].work);
	works[0] = &s->items[2].work;
	works[1] = &s->items[6].work;
	wrong += wsq_queue_work_many(s->q, works, 2) != 0;
	wrong += !wsq_work_pending(&s->items[3].work);
	wrong += wsq_work_busy(&s->items[4].work) != WSQ_BUSY_PENDING;
	return wrong;
}

/* Cancel all items, so that none runs. */
static int errand_cancel(void *arg)
{
	struct scene *s = arg;
	int i, wrong = 0;

	for (i = 0; i < SCENE_ITEMS; i++) {
		struct wsq_work *work = &s->items[i].work;

		if (i & 1)
			wrong += !wsq_cancel_work(work);
		else
			wrong += !wsq_disable_work(work);
		wrong += wsq_cancel_work(work);
		wrong += wsq_work_pending(work);
		if (i & 1)
			continue;
		wrong += wsq_queue_work(s->q, work);
		wrong += !wsq_enable_work(work);
	}
	return wrong;
}

static int errand_delayed(void *arg)
{
	struct scene *s = arg;
	int wrong = 0;

	wrong += !wsq_queue_delayed_work(s->q, &s->later, 3600 * HZ);
	wrong += wsq_queue_delayed_work(s->q, &s->later, 0);
	wrong += !wsq_mod_delayed_work(s->q, &s->later, 7200 * HZ);
	wrong += !wsq_cancel_delayed_work(&s->later);
	wrong += wsq_cancel_delayed_work(&s->later);
	wrong += wsq_mod_delayed_work(s->q, &s->later, 3600 * HZ);
	wrong += !wsq_mod_delayed_work(s->q, &s->later, 1);
	return wrong;
}

/* All workers are parked: a put from any context wakes one. */
static void context_wakes(struct kunit *test)
{
	struct scene *s = scene_new(test, NULL);
	bool nmi = nmi_there();
	int i, k, rounds = 0;

	for (k = 0; k < 5; k++) {
		for (i = 0; i < ARRAY_SIZE(contexts); i++) {
			if (context_skip(&contexts[i], nmi))
				continue;
			/* Let the workers park. */
			wsq_test_linger();
			context_do(test, &contexts[i], errand_queue, s);
			rounds++;
			wsq_test_call(test, wsq_test_flush, s->q);
			wsq_test_expect_runs(test, s->items, SCENE_ITEMS,
					     rounds);
		}
	}
	if (nmi)
		nmi_gone();
	scene_end(test, s);
}

/* Items behind a gate: queued, refused and cancelled, alike in all contexts. */
static void context_pending(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct scene *s = scene_new(test, cpumask_of(cpu));
	bool nmi = nmi_there();
	int i, where;

	/* On the queue's CPU and on another one. */
	for (where = 0; where < 2; where++) {
		wsq_test_stay(test, where ? wsq_test_other(cpu) : cpu);
		for (i = 0; i < ARRAY_SIZE(contexts); i++) {
			struct wsq_test_gate *g;

			if (context_skip(&contexts[i], nmi))
				continue;
			g = wsq_test_hold(test, s->q, cpu);
			context_do(test, &contexts[i], errand_queue, s);
			context_do(test, &contexts[i], errand_refused, s);
			/* Not from NMI. Cancel an NMI's items elsewhere. */
			context_do(test, contexts[i].nmi ? &contexts[4] :
				   &contexts[i], errand_cancel, s);
			wsq_test_release(test, s->q, g);
		}
		wsq_test_roam();
	}
	wsq_test_expect_runs(test, s->items, SCENE_ITEMS, 0);
	if (nmi)
		nmi_gone();
	scene_end(test, s);
}

static void context_delayed(struct kunit *test)
{
	struct scene *s = scene_new(test, NULL);
	int i, runs = 0;

	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		if (contexts[i].nmi)
			continue;
		context_do(test, &contexts[i], errand_delayed, s);
		runs++;
		KUNIT_EXPECT_TRUE_MSG(test,
				      wsq_test_until(atomic_read(&s->later_runs) ==
						     runs), "%s",
				      contexts[i].name);
		wsq_test_call(test, wsq_test_flush, s->q);
	}
	scene_end(test, s);
}

/* More than wsq_serial_queue_many() queues at a time. */
#define SCENE_BATCH	70

struct scene_serial;

struct scene_item {
	struct wsq_serial_work work;
	struct scene_serial *scene;
	int nr;
};

/*
 * A serial whose queue is held; an item that runs, one that is cancelled, one that
 * is disabled, and a batch.
 */
struct scene_serial {
	struct wsq_serial serial;
	struct wsq_serial_work stays;
	struct wsq_serial_work goes;
	struct wsq_serial_work off;
	struct scene_item batch[SCENE_BATCH];
	struct wsq_serial_work *works[SCENE_BATCH];
	int stayed;
	int went;
	int batched;
};

static void scene_stays(struct wsq_serial_work *work)
{
	container_of(work, struct scene_serial, stays)->stayed++;
}

static void scene_goes(struct wsq_serial_work *work)
{
	container_of(work, struct scene_serial, goes)->went++;
}

static void scene_off(struct wsq_serial_work *work)
{
	container_of(work, struct scene_serial, off)->went++;
}

/* In the order of the batch. */
static void scene_batch(struct wsq_serial_work *work)
{
	struct scene_item *it = container_of(work, struct scene_item, work);
	struct scene_serial *s = it->scene;

	if (it->nr == s->batched % SCENE_BATCH)
		s->batched++;
}

static int errand_serial(void *arg)
{
	struct scene_serial *s = arg;
	int wrong = 0;

	wrong += !wsq_serial_idle(&s->serial);
	wrong += !wsq_serial_queue(&s->serial, &s->stays);
	wrong += wsq_serial_queue(&s->serial, &s->stays);
	wrong += wsq_serial_idle(&s->serial);
	wrong += wsq_serial_cancel(&s->goes);
	wrong += !wsq_serial_queue_on(raw_smp_processor_id(), &s->serial,
				      &s->goes);
	wrong += !wsq_serial_cancel(&s->goes);
	wrong += wsq_serial_cancel(&s->goes);
	wrong += wsq_serial_queue(&s->serial, &s->goes);

	wrong += wsq_serial_queue_many(&s->serial, s->works, SCENE_BATCH) !=
		 SCENE_BATCH;
	wrong += wsq_serial_queue_many(&s->serial, s->works, SCENE_BATCH) != 0;

	wrong += wsq_serial_disable(&s->off);
	wrong += wsq_serial_queue(&s->serial, &s->off);
	wrong += wsq_serial_disable(&s->off);
	wrong += wsq_serial_enable(&s->off);
	wrong += !wsq_serial_enable(&s->off);
	wrong += !wsq_serial_queue(&s->serial, &s->off);
	/* It stays in the list. */
	wrong += !wsq_serial_disable(&s->off);
	wrong += wsq_serial_queue(&s->serial, &s->off);
	wrong += !wsq_serial_enable(&s->off);
	wrong += wsq_serial_queue(&s->serial, &s->off);
	return wrong;
}

static void context_serial(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct scene *s = scene_new(test, cpumask_of(cpu));
	struct scene_serial *ss = kzalloc(sizeof(*ss), GFP_KERNEL);
	bool nmi = nmi_there();
	int i, where, rounds = 0;

	KUNIT_ASSERT_NOT_NULL(test, ss);
	wsq_serial_init(&ss->serial, s->q);
	wsq_serial_work_init(&ss->stays, scene_stays);
	wsq_serial_work_init(&ss->goes, scene_goes);
	wsq_serial_work_init(&ss->off, scene_off);
	for (i = 0; i < SCENE_BATCH; i++) {
		ss->batch[i].scene = ss;
		ss->batch[i].nr = i;
		wsq_serial_work_init(&ss->batch[i].work, scene_batch);
		ss->works[i] = &ss->batch[i].work;
	}
	/* On the queue's CPU and on another one. */
	for (where = 0; where < 2; where++) {
		wsq_test_stay(test, where ? wsq_test_other(cpu) : cpu);
		for (i = 0; i < ARRAY_SIZE(contexts); i++) {
			struct wsq_test_gate *g;

			if (context_skip(&contexts[i], nmi))
				continue;
			g = wsq_test_hold(test, s->q, cpu);
			context_do(test, &contexts[i], errand_serial, ss);
			wsq_test_release(test, s->q, g);
			/* The budget round may end before the item does. */
			KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_serial_idle(&ss->serial)));
			KUNIT_EXPECT_EQ(test, ss->stayed, ++rounds);
			KUNIT_EXPECT_EQ(test, ss->batched, rounds * SCENE_BATCH);
		}
		wsq_test_roam();
	}
	KUNIT_EXPECT_EQ(test, ss->went, 0);
	if (nmi)
		nmi_gone();
	wsq_serial_destroy(&ss->serial);
	kfree(ss);
	scene_end(test, s);
}

#define STORM_ITEMS	64
#define STORM_ROUNDS	WSQ_TEST_MANY(3000)

/*
 * struct storm - threads and interrupts that queue and cancel the same items
 * @q: the queue
 * @items: the items
 * @cpus: an interrupt source for each CPU
 * @queued: puts that returned true, for each item
 * @cancelled: cancels that returned true
 * @interrupts: how many came
 * @stop: the timers may end
 */
struct storm {
	struct wsq *q;
	struct wsq_test_item *items;
	struct storm_cpu {
		struct storm *s;
		struct hrtimer timer;
		u32 seed;
	} *cpus;
	atomic_t queued[STORM_ITEMS];
	atomic_t cancelled[STORM_ITEMS];
	atomic_t interrupts;
	bool stop;
	bool cancels;
};

static void storm_step(struct storm *s, u32 seed)
{
	int k = (seed >> 16) % STORM_ITEMS;
	struct wsq_work *work = &s->items[k].work;
	int cpu = WSQ_CPU_ANY;

	if (s->cancels && (seed >> 28 & 3) == 3) {
		if (wsq_cancel_work(work))
			atomic_inc(&s->cancelled[k]);
		return;
	}
	if (!(seed >> 24 & 7))
		cpu = wsq_test_other(raw_smp_processor_id());
	if (wsq_queue_work_on(cpu, s->q, work))
		atomic_inc(&s->queued[k]);
}

static enum hrtimer_restart storm_timer(struct hrtimer *timer)
{
	struct storm_cpu *c = container_of(timer, struct storm_cpu, timer);
	int i;

	atomic_inc(&c->s->interrupts);
	for (i = 0; i < 20; i++) {
		c->seed = c->seed * 1103515245 + 12345;
		storm_step(c->s, c->seed);
	}
	if (READ_ONCE(c->s->stop))
		return HRTIMER_NORESTART;
	/* Vary the period, so that it is not in step with the thread. */
	hrtimer_forward_now(timer, ns_to_ktime(50000 + (c->seed >> 15)));
	return HRTIMER_RESTART;
}

static void storm_thread(void *arg, int nr)
{
	struct storm *s = arg;
	struct storm_cpu *c = &s->cpus[nr];
	u32 seed = nr + 5;
	int i;

	hrtimer_start(&c->timer, ns_to_ktime(50000), HRTIMER_MODE_REL_PINNED_HARD);
	for (i = 0; i < STORM_ROUNDS; i++) {
		seed = seed * 1103515245 + 12345;
		storm_step(s, seed);
		if (!(i & 31))
			wsq_test_yield();
	}
}

static struct storm *storm_new(struct kunit *test, bool cancels)
{
	struct storm *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->q = wsq_test_queue(test, 2, 4, NULL);
	s->items = wsq_test_items(test, s->q, STORM_ITEMS, wsq_test_count);
	s->cancels = cancels;
	s->cpus = kcalloc(num_online_cpus(), sizeof(*s->cpus), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s->cpus);
	for (i = 0; i < num_online_cpus(); i++) {
		s->cpus[i].s = s;
		s->cpus[i].seed = 1000 + i;
		wsq_hrtimer_setup(&s->cpus[i].timer, storm_timer,
				  CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	}
	return s;
}

/* Each item that was queued has run or was cancelled; none is left. */
static void storm_end(struct kunit *test, struct storm *s)
{
	int i;

	wsq_test_call(test, wsq_test_flush, s->q);
	for (i = 0; i < STORM_ITEMS; i++)
		wsq_test_expect_runs(test, &s->items[i], 1,
				     atomic_read(&s->queued[i]) -
				     atomic_read(&s->cancelled[i]));
	KUNIT_EXPECT_GT(test, atomic_read(&s->interrupts), 0);
	wsq_test_queue_end(test, s->q);
	vfree(s->items);
	kfree(s->cpus);
	kfree(s);
}

/* Hard interrupts amid puts, takes and cancels of the same queue and items. */
static void context_storm(struct kunit *test)
{
	struct storm *s = storm_new(test, true);
	int i;

	wsq_test_run(test, num_online_cpus(), storm_thread, s);
	/* A fast machine ends before the first interrupt. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&s->interrupts) > 20));
	WRITE_ONCE(s->stop, true);
	for (i = 0; i < num_online_cpus(); i++)
		hrtimer_cancel(&s->cpus[i].timer);
	storm_end(test, s);
}

/* The errand of an NMI: a few puts. */
struct nmi_put {
	struct storm *s;
	u32 seed;
};

static int errand_nmi_storm(void *arg)
{
	struct nmi_put *p = arg;
	int i;

	atomic_inc(&p->s->interrupts);
	for (i = 0; i < 5; i++) {
		p->seed = p->seed * 1103515245 + 12345;
		storm_step(p->s, p->seed);
	}
	return 0;
}

static void nmi_storm_thread(void *arg, int nr)
{
	struct storm *s = arg;
	u32 seed = nr + 99;
	int i = 0;

	while (!READ_ONCE(s->stop)) {
		seed = seed * 1103515245 + 12345;
		storm_step(s, seed);
		if (!(++i & 31))
			wsq_test_yield();
	}
}

static void nmi_storm_all(void *arg, int nr)
{
	struct storm *s = arg;
	struct nmi_put put = { .s = s, .seed = 3 };
	int i;

	if (nr) {
		nmi_storm_thread(arg, nr);
		return;
	}
	/* Thread 0 sends NMIs to all CPUs, its own included. */
	for (i = 0; i < 500; i++) {
		struct errand e = { .fn = errand_nmi_storm, .arg = &put };
		unsigned int cpu, k;

		cpu = cpumask_first(cpu_online_mask);
		for (k = i % num_online_cpus(); k; k--)
			cpu = cpumask_next(cpu, cpu_online_mask);
		if (!nmi_begin_on(&e, cpu) ||
		    !wsq_test_spin_until(errand_over(&e)))
			break;
		storm_step(s, put.seed * 69069);
	}
	WRITE_ONCE(s->stop, true);
}

/* NMIs amid puts and takes. */
static void context_nmi_storm(struct kunit *test)
{
	struct storm *s;

	if (!nmi_there())
		kunit_skip(test, "no NMI here; the deepest context is context_storm's");
	s = storm_new(test, false);
	wsq_test_run(test, num_online_cpus(), nmi_storm_all, s);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->interrupts), 500);
	nmi_gone();
	storm_end(test, s);
}

/* Chunks of a CPU, and slots of a chunk. */
#define DRAINED_CHUNKS	2
#define DRAINED_SLOTS	4

/*
 * struct drained - a CPU whose SALSA chunks are full, and another CPU that is
 * in one of them. Every slot of that chunk is claimed
 * @q: the queue, of these two CPUs
 * @cpus: the CPUs
 * @cpu: the CPU that owns the chunks
 * @held: holds its worker
 * @gates: the items that fill the chunks. One holds the worker of the other CPU
 * @items: items to put then
 */
struct drained {
	struct wsq *q;
	struct cpumask cpus;
	unsigned int cpu;
	struct wsq_test_gate *held;
	struct wsq_test_gate *gates[DRAINED_CHUNKS * DRAINED_SLOTS];
	struct wsq_test_item *items;
};

/* Index of the gate that has begun; negative if none has. */
static int drained_stolen(const struct drained *s)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(s->gates); i++) {
		if (atomic_read(&s->gates[i]->it.runs))
			return i;
	}
	return -1;
}

/* How many chunks @s->cpu has retired, to wait for a grace period. */
static u64 drained_retired(const struct drained *s)
{
	const struct wsq_container *ct = wsq_pool_any(&s->q->pool, s->cpu);

	return READ_ONCE(wsq_engine_salsa(ct)->c.count.retired);
}

/* Call it on the CPU that is to own the chunks, pinned there. */
static struct drained *drained_new(struct kunit *test)
{
	unsigned int cpu = raw_smp_processor_id(), other = wsq_test_other(cpu);
	struct wsq_attrs attrs = {
		.engine = WSQ_SALSA,
		.blocks = DRAINED_CHUNKS,
		.block_size = DRAINED_SLOTS,
		.flags = WSQ_RESIDENT,
	};
	struct wsq_test_gate *elsewhere;
	struct drained *s;
	int i, stolen;

	s = kzalloc(sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	s->cpu = cpu;
	cpumask_set_cpu(cpu, &s->cpus);
	cpumask_set_cpu(other, &s->cpus);
	attrs.cpumask = &s->cpus;
	s->q = wsq_create(&attrs, "spent");
	KUNIT_ASSERT_FALSE(test, IS_ERR(s->q));
	s->items = wsq_test_items(test, s->q, 2, wsq_test_count);
	/* Hold both CPUs until the chunks are full. One is then stolen. */
	s->held = wsq_test_hold(test, s->q, cpu);
	elsewhere = wsq_test_hold(test, s->q, other);
	for (i = 0; i < ARRAY_SIZE(s->gates); i++) {
		s->gates[i] = wsq_test_gate(test, false);
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(s->q,
						       &s->gates[i]->it.work));
		KUNIT_EXPECT_EQ(test, wsq_test_kind(&s->gates[i]->it.work),
				WSQ_IN_SLOT);
	}
	wsq_test_gate_open(elsewhere);
	KUNIT_ASSERT_TRUE(test, wsq_test_until((stolen = drained_stolen(s)) >= 0));
	KUNIT_EXPECT_EQ(test, READ_ONCE(s->gates[stolen]->it.cpu), (int)other);
	/* Cancel the other items of that chunk. */
	for (i = 0; i < ARRAY_SIZE(s->gates); i++) {
		if (i != stolen && i / DRAINED_SLOTS == stolen / DRAINED_SLOTS)
			KUNIT_EXPECT_TRUE(test, wsq_cancel_work(&s->gates[i]->it.work));
	}
	kfree(elsewhere);
	return s;
}

static void drained_end(struct kunit *test, struct drained *s)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(s->gates); i++)
		wsq_test_gate_open(s->gates[i]);
	wsq_test_release(test, s->q, s->held);
	wsq_test_queue_end(test, s->q);
	for (i = 0; i < ARRAY_SIZE(s->gates); i++)
		kfree(s->gates[i]);
	vfree(s->items);
	kfree(s);
}

static int errand_spent(void *arg)
{
	struct drained *s = arg;

	return (raw_smp_processor_id() != s->cpu) +
	       !wsq_queue_work(s->q, &s->items[0].work);
}

/*
 * A put that finds no free chunk frees a chunk in which every slot is claimed.
 * That chunk waits for a grace period, because the other CPU may be in a take
 * there. A put from NMI must not ask for a grace period: it leaves the chunk to
 * the next put.
 */
static void context_spent(struct kunit *test)
{
	bool nmi = nmi_there();
	struct drained *s;
	u64 retired;
	int i;

	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		if (context_skip(&contexts[i], nmi))
			continue;
		s = drained_new(test);
		retired = drained_retired(s);
		context_do(test, &contexts[i], errand_spent, s);
		if (contexts[i].nmi) {
			KUNIT_EXPECT_EQ(test, drained_retired(s), retired);
			wsq_queue_work(s->q, &s->items[1].work);
		}
		KUNIT_EXPECT_EQ_MSG(test, drained_retired(s), retired + 1, "%s",
				    contexts[i].name);
		drained_end(test, s);
	}
	wsq_test_roam();
	if (nmi)
		nmi_gone();
}

static struct kunit_case context_cases[] = {
	WSQ_ANY_ENGINE_CASE(context_wakes),
	WSQ_ANY_ENGINE_CASE(context_pending),
	WSQ_ANY_ENGINE_CASE(context_delayed),
	WSQ_ANY_ENGINE_CASE(context_serial),
	WSQ_ENGINE_CASE(context_storm),
	WSQ_ENGINE_CASE(context_nmi_storm),
	KUNIT_CASE(context_spent),
	{}
};

static struct kunit_suite context_suite = {
	.name = "wsq_context",
	.test_cases = context_cases,
};

kunit_test_suite(context_suite);
