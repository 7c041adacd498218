// SPDX-License-Identifier: GPL-2.0
/*
 * faulty.ko: one fault of each kind that the debug kernels report, so that
 * tools/check/faults can check that they do.
 *
 *	insmod faulty.ko fault=NAME
 *
 * insmod fails with -EAGAIN once the fault was made (nothing stays loaded),
 * with -EINVAL for an unknown name and with another error when the fault could
 * not be made. Two of them are correct code: a checker must not report them.
 * Never load it on a machine that matters. Takes five seconds for each race,
 * nothing for the rest.
 *
 * Limitations: a fault without a checker in the kernel does its damage
 * silently.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timer.h>

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "which fault to make");

/* Read beyond what was allocated: KASAN. */
static int beyond(void)
{
	char *p = kzalloc(40, GFP_KERNEL);
	char c;

	if (!p)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(p);
	c = READ_ONCE(p[40]);
	kfree(p);
	return c == 'x' ? -EIO : 0;
}

/* Read after free: KASAN. */
static int freed(void)
{
	char *p = kzalloc(72, GFP_KERNEL);
	char *q = p;

	if (!p)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(q);
	kfree(p);
	return READ_ONCE(*q) == 'x' ? -EIO : 0;
}

/* Take two locks in both orders: lockdep. */
static int order(void)
{
	static DEFINE_MUTEX(a);
	static DEFINE_MUTEX(b);

	mutex_lock(&a);
	mutex_lock(&b);
	mutex_unlock(&b);
	mutex_unlock(&a);
	mutex_lock(&b);
	mutex_lock(&a);
	mutex_unlock(&a);
	mutex_unlock(&b);
	return 0;
}

/* Call might_sleep() in atomic context: DEBUG_ATOMIC_SLEEP. */
static int asleep(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
	return 0;
}

/* Read the CPU number with preemption on: DEBUG_PREEMPT. */
static int elsewhere(void)
{
	return smp_processor_id() < nr_cpu_ids ? 0 : -EIO;
}

static void never(struct timer_list *timer)
{
}

/* Free an active timer: DEBUG_OBJECTS. */
static int timer(void)
{
	struct timer_list *t = kmalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	timer_setup(t, never, 0);
	mod_timer(t, jiffies + 1000 * HZ);
	kfree(t);	/* the checker deactivates it */
	return 0;
}

/* Leak memory: kmemleak. */
static int leak(void)
{
	int i;

	/* Many: stale words, or the slab's own lists, may point to some. */
	for (i = 0; i < 300; i++) {
		char *p = kzalloc(1000, GFP_KERNEL);

		if (!p)
			return -ENOMEM;
		OPTIMIZER_HIDE_VAR(p);
	}
	return 0;
}

/* Make an allocation of this task fail: FAILSLAB, set up through debugfs. */
static int alloc(void)
{
#ifdef CONFIG_FAULT_INJECTION
	void *p;

	current->make_it_fail = 1;
	p = kmalloc(100, GFP_KERNEL);
	current->make_it_fail = 0;
	kfree(p);
	return p ? -EIO : 0;
#else
	return -EOPNOTSUPP;
#endif
}

/* Runs @ours and @fn in two threads. Returns 0, or why there were not two. */
static int beside(int (*fn)(void *), void (*ours)(void))
{
	struct task_struct *other = kthread_run(fn, NULL, "faulty");
	unsigned long end = jiffies + 5 * HZ;

	if (IS_ERR(other))
		return PTR_ERR(other);
	while (time_before(jiffies, end)) {
		ours();
		cond_resched();
	}
	kthread_stop(other);
	return 0;
}

static unsigned long shared;

static void race_once(void)
{
	shared++;
	barrier();
}

static int race_thread(void *arg)
{
	while (!kthread_should_stop()) {
		race_once();
		cond_resched();
	}
	return 0;
}

/* Two threads increment a plain word: KCSAN. */
static int race(void)
{
	return beside(race_thread, race_once);
}

/*
 * One thread fills in a word and hands it over, the other takes it and hands it
 * back. On each side the store that hands over is no release: no two accesses
 * conflict unless one is delayed, as KCSAN_WEAK_MEMORY does.
 */
static unsigned long payload;
static int turn;

static void hand_over(int from)
{
	/* Pairs with nothing: the store below should be a release. */
	if (smp_load_acquire(&turn) != from)
		return;
	payload++;
	WRITE_ONCE(turn, !from);	/* the fault: not a release */
}

static void barrier_ours(void)
{
	hand_over(0);
}

static int barrier_thread(void *arg)
{
	while (!kthread_should_stop()) {
		hand_over(1);
		cond_resched();
	}
	return 0;
}

/* A missing barrier: KCSAN. */
static int missing(void)
{
	return beside(barrier_thread, barrier_ours);
}

/* Correct, must not be reported: the same with a release. */
static void paired_over(int from)
{
	/* Pairs with the release below, in the other thread. */
	if (smp_load_acquire(&turn) != from)
		return;
	payload++;
	/* Pairs with the acquire above, in the other thread. */
	smp_store_release(&turn, !from);
}

static void paired_ours(void)
{
	paired_over(0);
}

static int paired_thread(void *arg)
{
	while (!kthread_should_stop()) {
		paired_over(1);
		cond_resched();
	}
	return 0;
}

static int paired(void)
{
	return beside(paired_thread, paired_ours);
}

/* Correct, must not be reported: under locks, which the kernel implements. */
static void locked_once(void)
{
	static DEFINE_MUTEX(mutex);
	static DEFINE_SPINLOCK(spin);
	static unsigned long by_mutex, by_spin;
	unsigned long flags;

	mutex_lock(&mutex);
	by_mutex++;
	mutex_unlock(&mutex);
	spin_lock_irqsave(&spin, flags);
	by_spin++;
	spin_unlock_irqrestore(&spin, flags);
}

static int locked_thread(void *arg)
{
	while (!kthread_should_stop()) {
		locked_once();
		cond_resched();
	}
	return 0;
}

static int locked(void)
{
	return beside(locked_thread, locked_once);
}

static const struct {
	const char *name;
	int (*make)(void);
} faults[] = {
	{ "paired", paired },
	{ "locked", locked },
	{ "alloc", alloc },
	{ "order", order },
	{ "asleep", asleep },
	{ "elsewhere", elsewhere },
	{ "leak", leak },
	{ "timer", timer },
	{ "beyond", beyond },
	{ "freed", freed },
	{ "race", race },
	{ "missing", missing },
};

static int __init faulty_init(void)
{
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(fault, faults[i].name))
			continue;
		ret = faults[i].make();
		pr_info("faulty: %s: %d\n", fault, ret);
		return ret ?: -EAGAIN;
	}
	return -EINVAL;
}
module_init(faulty_init);

MODULE_DESCRIPTION("Faults for debug kernels to report");
MODULE_LICENSE("GPL");
