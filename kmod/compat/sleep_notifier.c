// SPDX-License-Identifier: GPL-2.0
/*
 * Notifiers of threads that go to sleep. See sleep_notifier.h.
 */
#include "sleep_notifier.h"

#ifdef CONFIG_PREEMPT_NOTIFIERS

static void wsq_sleep_in(struct preempt_notifier *notifier, int cpu)
{
	struct wsq_sleep_notifier *n =
		container_of(notifier, struct wsq_sleep_notifier, notifier);

	n->runs(n);
}

static void wsq_sleep_out(struct preempt_notifier *notifier,
			  struct task_struct *next)
{
	struct wsq_sleep_notifier *n =
		container_of(notifier, struct wsq_sleep_notifier, notifier);
	unsigned int state = READ_ONCE(current->__state);

	/*
	 * PREEMPT_RT: a thread that waits for a spinlock runs again soon. Its
	 * state is then TASK_RTLOCK_WAIT, not the one that it had set.
	 */
	if (state != TASK_RUNNING && !(state & TASK_RTLOCK_WAIT))
		n->sleeps(n, next);
}

static struct preempt_ops wsq_sleep_ops = {
	.sched_in = wsq_sleep_in,
	.sched_out = wsq_sleep_out,
};

/**
 * wsq_sleep_notifiers_get() - enable notifiers
 *
 * Context: module load; may sleep; not under the CPU hotplug lock, because it
 * patches code.
 */
void wsq_sleep_notifiers_get(void)
{
	preempt_notifier_inc();
}

/**
 * wsq_sleep_notifiers_put() - undo wsq_sleep_notifiers_get()
 *
 * Context: module unload, when no thread is registered any more; may sleep; not
 * under the CPU hotplug lock.
 */
void wsq_sleep_notifiers_put(void)
{
	preempt_notifier_dec();
}

/**
 * wsq_sleep_notifier_register() - notify when the calling thread sleeps
 * @n: what to call; @sleeps and @runs are set
 *
 * Context: task.
 */
void wsq_sleep_notifier_register(struct wsq_sleep_notifier *n)
{
	preempt_notifier_init(&n->notifier, &wsq_sleep_ops);
	preempt_notifier_register(&n->notifier);
}

/**
 * wsq_sleep_notifier_unregister() - undo wsq_sleep_notifier_register()
 * @n: the same
 *
 * Context: task, the same thread.
 */
void wsq_sleep_notifier_unregister(struct wsq_sleep_notifier *n)
{
	/* The list must not change while the scheduler walks it. */
	preempt_disable();
	preempt_notifier_unregister(&n->notifier);
	preempt_enable();
}

#else

void wsq_sleep_notifiers_get(void) { }
void wsq_sleep_notifiers_put(void) { }
void wsq_sleep_notifier_register(struct wsq_sleep_notifier *n) { }
void wsq_sleep_notifier_unregister(struct wsq_sleep_notifier *n) { }

#endif
