/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts for tests: run one function in a task, with interrupts off, in
 * softirq (tasklet), hardirq (irq_work, hrtimer), and NMI where a module can
 * raise one (x86, through the local APIC). Elsewhere the deepest context is a
 * hard hrtimer.
 */
#ifndef _WSQ_TESTS_CONTEXTS_H
#define _WSQ_TESTS_CONTEXTS_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "../compat/hrtimer.h"
#include "items.h"

/**
 * struct errand - a function to call in some context
 * @fn: the function; returns the number of errors
 * @arg: its argument
 * @wrong: what it returned
 * @in_place: it ran in the requested context
 * @over: it has returned
 * @tasklet: runs it in softirq
 * @irq: runs it in hardirq
 * @timer: likewise
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

static inline void errand_do(struct errand *e, bool in_place)
{
	e->in_place = in_place;
	e->wrong = e->fn(e->arg);
	/* Pairs with errand_over(): the results are visible. */
	smp_store_release(&e->over, true);
}

static inline bool errand_over(struct errand *e)
{
	/* Pairs with errand_do(). */
	return smp_load_acquire(&e->over);
}

static inline void errand_tasklet(struct tasklet_struct *t)
{
	errand_do(container_of(t, struct errand, tasklet),
		  in_serving_softirq());
}

static inline void errand_irq(struct irq_work *irq)
{
	errand_do(container_of(irq, struct errand, irq), in_hardirq());
}

static inline enum hrtimer_restart errand_timer(struct hrtimer *timer)
{
	errand_do(container_of(timer, struct errand, timer), in_hardirq());
	return HRTIMER_NORESTART;
}

/* Start @e in its context, on this CPU or on any other. */

static inline bool begin_task(struct errand *e)
{
	errand_do(e, in_task());
	return true;
}

static inline bool begin_atomic(struct errand *e)
{
	unsigned long flags;

	preempt_disable();
	local_irq_save(flags);
	errand_do(e, irqs_disabled());
	local_irq_restore(flags);
	preempt_enable();
	return true;
}

static inline bool begin_softirq(struct errand *e)
{
	tasklet_setup(&e->tasklet, errand_tasklet);
	tasklet_schedule(&e->tasklet);
	return true;
}

static inline bool begin_irq_work(struct errand *e)
{
	e->irq = IRQ_WORK_INIT_HARD(errand_irq);
	return irq_work_queue(&e->irq);
}

static inline bool begin_hrtimer(struct errand *e)
{
	wsq_hrtimer_setup(&e->timer, errand_timer, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_HARD);
	hrtimer_start(&e->timer, ns_to_ktime(10000), HRTIMER_MODE_REL_HARD);
	return true;
}

#ifdef CONFIG_X86_LOCAL_APIC
/* The errand of the next NMI raised here. */
static struct errand *nmi_errand;

static inline int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct errand *e = xchg(&nmi_errand, NULL);

	if (!e)
		return NMI_DONE;
	errand_do(e, in_nmi());
	return NMI_HANDLED;
}

static inline bool nmi_begin_on(struct errand *e, unsigned int cpu)
{
	/* One at a time: a second pending NMI would merge with the first. */
	if (cmpxchg(&nmi_errand, NULL, e))
		return false;
	apic->send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
	return true;
}

static inline bool begin_nmi(struct errand *e)
{
	bool ok;

	preempt_disable();
	ok = nmi_begin_on(e, smp_processor_id());
	preempt_enable();
	return ok;
}

static inline bool nmi_there(void)
{
	return !register_nmi_handler(NMI_LOCAL, nmi_handler, 0, "wsq_test");
}

static inline void nmi_gone(void)
{
	unregister_nmi_handler(NMI_LOCAL, "wsq_test");
	WRITE_ONCE(nmi_errand, NULL);
}
#else
static inline bool nmi_begin_on(struct errand *e, unsigned int cpu)
{
	return false;
}

static inline bool begin_nmi(struct errand *e)
{
	return false;
}

static inline bool nmi_there(void)
{
	return false;
}

static inline void nmi_gone(void)
{
}
#endif

struct context {
	const char *name;
	bool (*begin)(struct errand *e);
	bool nmi;
};

/* Some suites need only the errands. */
static const struct context contexts[] __maybe_unused = {
	{ "task", begin_task },
	{ "interrupts off", begin_atomic },
	{ "softirq", begin_softirq },
	{ "irq_work", begin_irq_work },
	{ "hrtimer", begin_hrtimer },
	{ "NMI", begin_nmi, true },
};

/* Run @fn in context @c and wait until it is done. */
static inline void context_do(struct kunit *test, const struct context *c,
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
	/* Wait until the handler itself has returned. */
	if (c->begin == begin_softirq)
		tasklet_kill(&e->tasklet);
	if (c->begin == begin_irq_work)
		irq_work_sync(&e->irq);
	if (c->begin == begin_hrtimer)
		hrtimer_cancel(&e->timer);
	kfree(e);
}

/* Is the context missing here? The caller registers NMI handlers. */
static inline bool context_skip(const struct context *c, bool nmi)
{
	return c->nmi && !nmi;
}

#endif /* _WSQ_TESTS_CONTEXTS_H */
