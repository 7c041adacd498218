// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of contexts: what may be called from interrupts does the same
 * there. Task, softirq (tasklet), hardirq (irq_work, hrtimer), and NMI where
 * the machine lets a module raise one (x86, through the local APIC). Elsewhere
 * the deepest context is a hard hrtimer that interrupts puts and cancels of
 * the same queue. One case is SALSA's alone: a put from NMI asks for no grace
 * period.
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/wsq_serial.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "../compat/hrtimer.h"
#include "../engine/engine.h"
#include "items.h"

/*
 * struct errand - something to do in some context
 * @fn: what; returns how many things were wrong
 * @arg: its argument
 * @wrong: what it returned
 * @in_place: the context was the one asked for
 * @over: it has returned
 */
struct errand {
	int (*fn)(void *arg);
	void *arg;
	int wrong;
	bool in_place;
	bool over;
	struct tasklet_struct tasklet;
	struct irq_work irq;
	struct hrtimer timer;
};

static void errand_do(struct errand *e, bool in_place)
{
	e->in_place = in_place;
	e->wrong = e->fn(e->arg);
	/* Pairs with errand_over(): what it found is seen. */
	smp_store_release(&e->over, true);
}

static bool errand_over(struct errand *e)
{
	/* Pairs with errand_do(). */
	return smp_load_acquire(&e->over);
}

static void errand_tasklet(struct tasklet_struct *t)
{
	errand_do(container_of(t, struct errand, tasklet),
		  in_serving_softirq());
}

static void errand_irq(struct irq_work *irq)
{
	errand_do(container_of(irq, struct errand, irq), in_hardirq());
}

static enum hrtimer_restart errand_timer(struct hrtimer *timer)
{
	errand_do(container_of(timer, struct errand, timer), in_hardirq());
	return HRTIMER_NORESTART;
}

/* Each begins @e in its context, on this CPU or whatever CPU it comes to. */

static bool begin_task(struct errand *e)
{
	errand_do(e, in_task());
	return true;
}

static bool begin_atomic(struct errand *e)
{
	unsigned long flags;

	preempt_disable();
	local_irq_save(flags);
	errand_do(e, irqs_disabled());
	local_irq_restore(flags);
	preempt_enable();
	return true;
}

static bool begin_softirq(struct errand *e)
{
	tasklet_setup(&e->tasklet, errand_tasklet);
	tasklet_schedule(&e->tasklet);
	return true;
}

static bool begin_irq_work(struct errand *e)
{
	e->irq = IRQ_WORK_INIT_HARD(errand_irq);
	return irq_work_queue(&e->irq);
}

static bool begin_hrtimer(struct errand *e)
{
	wsq_hrtimer_setup(&e->timer, errand_timer, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_HARD);
	hrtimer_start(&e->timer, ns_to_ktime(10000), HRTIMER_MODE_REL_HARD);
	return true;
}

#ifdef CONFIG_X86_LOCAL_APIC
/* What the next NMI of ours shall do. */
static struct errand *nmi_errand;

static int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct errand *e = xchg(&nmi_errand, NULL);

	if (!e)
		return NMI_DONE;
	errand_do(e, in_nmi());
	return NMI_HANDLED;
}

static bool nmi_begin_on(struct errand *e, unsigned int cpu)
{
	/* One at a time: two that are pending are one. */
	if (cmpxchg(&nmi_errand, NULL, e))
		return false;
	apic->send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
	return true;
}

static bool begin_nmi(struct errand *e)
{
	bool ok;

	preempt_disable();
	ok = nmi_begin_on(e, smp_processor_id());
	preempt_enable();
	return ok;
}

static bool nmi_there(void)
{
	return !register_nmi_handler(NMI_LOCAL, nmi_handler, 0, "wsq_test");
}

static void nmi_gone(void)
{
	unregister_nmi_handler(NMI_LOCAL, "wsq_test");
	WRITE_ONCE(nmi_errand, NULL);
}
#else
static bool nmi_begin_on(struct errand *e, unsigned int cpu)
{
	return false;
}

static bool begin_nmi(struct errand *e)
{
	return false;
}

static bool nmi_there(void)
{
	return false;
}

static void nmi_gone(void)
{
}
#endif

struct context {
	const char *name;
	bool (*begin)(struct errand *e);
	bool nmi;
};

static const struct context contexts[] = {
	{ "task", begin_task },
	{ "interrupts off", begin_atomic },
	{ "softirq", begin_softirq },
	{ "irq_work", begin_irq_work },
	{ "hrtimer", begin_hrtimer },
	{ "NMI", begin_nmi, true },
};

/* Do it there, and wait until it is done. */
static void context_do(struct kunit *test, const struct context *c,
		       int (*fn)(void *arg), void *arg)
{
	struct errand *e = kzalloc(sizeof(*e), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, e);
	e->fn = fn;
	e->arg = arg;
	KUNIT_ASSERT_TRUE_MSG(test, c->begin(e), "%s", c->name);
	KUNIT_ASSERT_TRUE_MSG(test, wsq_test_until(errand_over(e)),
			      "%s does not come", c->name);
	KUNIT_EXPECT_TRUE_MSG(test, e->in_place, "%s", c->name);
	KUNIT_EXPECT_EQ_MSG(test, e->wrong, 0, "%s", c->name);
	/* Nothing of it runs any more. */
	if (c->begin == begin_softirq)
		tasklet_kill(&e->tasklet);
	if (c->begin == begin_irq_work)
		irq_work_sync(&e->irq);
	if (c->begin == begin_hrtimer)
		hrtimer_cancel(&e->timer);
	kfree(e);
}

/* Is it to be had here? NMI handlers are registered by the caller. */
static bool context_skip(const struct context *c, bool nmi)
{
	return c->nmi && !nmi;
}

#define SCENE_ITEMS	8

/* Things that errands work on. */
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

/* Each way of queueing, and that what is pending is refused. */
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

/* All are called back, so that nothing runs. */
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

/* Nothing is running, workers are parked: a put in any context wakes one. */
static void context_wakes(struct kunit *test)
{
	struct scene *s = scene_new(test, NULL);
	bool nmi = nmi_there();
	int i, k, rounds = 0;

	for (k = 0; k < 5; k++) {
		for (i = 0; i < ARRAY_SIZE(contexts); i++) {
			if (context_skip(&contexts[i], nmi))
				continue;
			/* Workers come to rest. */
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

/* Behind a gate: true, false, called back, all with the same meaning. */
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
			/* Not from NMI; but what one has put, others get. */
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

/* A serial whose queue is held, and two items, of which one is called back. */
struct scene_serial {
	struct wsq_serial serial;
	struct wsq_serial_work stays;
	struct wsq_serial_work goes;
	int stayed;
	int went;
};

static void scene_stays(struct wsq_serial_work *work)
{
	container_of(work, struct scene_serial, stays)->stayed++;
}

static void scene_goes(struct wsq_serial_work *work)
{
	container_of(work, struct scene_serial, goes)->went++;
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
			/* Its turn may have been over before it was done. */
			KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_serial_idle(&ss->serial)));
			KUNIT_EXPECT_EQ(test, ss->stayed, ++rounds);
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
 * struct storm - threads and interrupts that queue and call back the same items
 * @q: the queue
 * @items: the items
 * @cpus: an interrupt source for each CPU
 * @queued: puts that returned true, for each item
 * @cancelled: cancels that returned true
 * @interrupts: how many came
 * @stop: let them end
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
	/* Not in step with anything. */
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
			wsq_test_breathe();
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

/* What was queued has run or was called back; nothing comes any more. */
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
	/* A fast machine is through before the first. */
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
			wsq_test_breathe();
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
	/* Thread 0 interrupts the CPUs of the others, and its own. */
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
#define SPENT_CHUNKS	2
#define SPENT_SLOTS	4

/*
 * struct spent - a CPU's SALSA chunks are full. Another CPU is in one of them, and
 * every slot of that chunk is claimed
 * @q: the queue, of these two CPUs
 * @cpus: the CPUs
 * @cpu: the CPU that has the chunks
 * @held: holds its worker
 * @gates: the items that fill the chunks. One holds the worker of the other CPU
 * @items: items to put then
 */
struct spent {
	struct wsq *q;
	struct cpumask cpus;
	unsigned int cpu;
	struct wsq_test_gate *held;
	struct wsq_test_gate *gates[SPENT_CHUNKS * SPENT_SLOTS];
	struct wsq_test_item *items;
};

/* The gate that has begun; negative if none has. */
static int spent_stolen(const struct spent *s)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(s->gates); i++) {
		if (atomic_read(&s->gates[i]->it.runs))
			return i;
	}
	return -1;
}

/* How many chunks that CPU has made wait for a grace period. */
static u64 spent_retired(const struct spent *s)
{
	const struct wsq_container *ct = wsq_pool_any(&s->q->pool, s->cpu);

	return READ_ONCE(wsq_engine_salsa(ct)->c.count.retired);
}

/* On the CPU that is to have the chunks, where the caller stays. */
static struct spent *spent_new(struct kunit *test)
{
	unsigned int cpu = raw_smp_processor_id(), other = wsq_test_other(cpu);
	struct wsq_attrs attrs = {
		.engine = WSQ_SALSA,
		.blocks = SPENT_CHUNKS,
		.block_size = SPENT_SLOTS,
		.flags = WSQ_RESIDENT,
	};
	struct wsq_test_gate *elsewhere;
	struct spent *s;
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
	/* Both CPUs compute until the chunks are full: one chunk is stolen. */
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
	KUNIT_ASSERT_TRUE(test, wsq_test_until((stolen = spent_stolen(s)) >= 0));
	KUNIT_EXPECT_EQ(test, READ_ONCE(s->gates[stolen]->it.cpu), (int)other);
	/* The other items of that chunk are cancelled. */
	for (i = 0; i < ARRAY_SIZE(s->gates); i++) {
		if (i != stolen && i / SPENT_SLOTS == stolen / SPENT_SLOTS)
			KUNIT_EXPECT_TRUE(test, wsq_cancel_work(&s->gates[i]->it.work));
	}
	kfree(elsewhere);
	return s;
}

static void spent_end(struct kunit *test, struct spent *s)
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
	struct spent *s = arg;

	return (raw_smp_processor_id() != s->cpu) +
	       !wsq_queue_work(s->q, &s->items[0].work);
}

/*
 * A put that finds no free chunk frees the one in which all is claimed. That chunk
 * waits for a grace period, because the other CPU may be in a take there. A put
 * from NMI must not ask for a grace period: it leaves the chunk to the next put.
 */
static void context_spent(struct kunit *test)
{
	bool nmi = nmi_there();
	struct spent *s;
	u64 retired;
	int i;

	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		if (context_skip(&contexts[i], nmi))
			continue;
		s = spent_new(test);
		retired = spent_retired(s);
		context_do(test, &contexts[i], errand_spent, s);
		if (contexts[i].nmi) {
			KUNIT_EXPECT_EQ(test, spent_retired(s), retired);
			wsq_queue_work(s->q, &s->items[1].work);
		}
		KUNIT_EXPECT_EQ_MSG(test, spent_retired(s), retired + 1, "%s",
				    contexts[i].name);
		spent_end(test, s);
	}
	wsq_test_roam();
	if (nmi)
		nmi_gone();
}

static struct kunit_case context_cases[] = {
	WSQ_ENGINE_CASE(context_wakes),
	WSQ_ENGINE_CASE(context_pending),
	WSQ_ENGINE_CASE(context_delayed),
	WSQ_ENGINE_CASE(context_serial),
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
