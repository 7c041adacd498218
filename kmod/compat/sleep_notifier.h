/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/preempt.h>: preempt notifiers, which run when the scheduler takes a
 * thread off its CPU. Distributions have CONFIG_PREEMPT_NOTIFIERS, because KVM
 * selects it. Without it no callback is called, and wsq_sleep_notifiers() is
 * false.
 */
#ifndef _WSQ_COMPAT_SLEEP_NOTIFIER_H
#define _WSQ_COMPAT_SLEEP_NOTIFIER_H

#include <linux/preempt.h>
#include <linux/sched.h>

/**
 * struct wsq_sleep_notifier - callbacks of a thread
 * @sleeps: the thread gives up its CPU, which runs @next then, and does not
 *	stay runnable. Context: interrupts off, the runqueue's lock held, so it
 *	must not wake a thread or print
 * @runs: the thread is back on a CPU. Context: preemption off
 */
struct wsq_sleep_notifier {
	void (*sleeps)(struct wsq_sleep_notifier *n,
		       const struct task_struct *next);
	void (*runs)(struct wsq_sleep_notifier *n);
#ifdef CONFIG_PREEMPT_NOTIFIERS
	/* private: */
	struct preempt_notifier notifier;
#endif
};

void wsq_sleep_notifiers_get(void);
void wsq_sleep_notifiers_put(void);
void wsq_sleep_notifier_register(struct wsq_sleep_notifier *n);
void wsq_sleep_notifier_unregister(struct wsq_sleep_notifier *n);

/* Does this kernel have them? */
static inline bool wsq_sleep_notifiers(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_NOTIFIERS);
}

/*
 * Is this a CPU's idle thread? Idle injection runs in threads that look like
 * it.
 */
static inline bool wsq_is_idle_thread(const struct task_struct *t)
{
	return is_idle_task(t) && !t->pid;
}

/* Does a thread run? A hint, if it is not the caller. */
static inline bool wsq_thread_runs(const struct task_struct *t)
{
#ifdef CONFIG_SMP
	return READ_ONCE(t->on_cpu);
#else
	return t == current;
#endif
}

#endif /* _WSQ_COMPAT_SLEEP_NOTIFIER_H */
