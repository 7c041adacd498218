/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads for tests: run one function on several CPUs at once and wait for all.
 * How long to wait for what must happen, and what to do if a race did not come.
 */
#ifndef _WSQ_TESTS_THREADS_H
#define _WSQ_TESTS_THREADS_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/time64.h>

/*
 * For what must happen. Emulated and instrumented kernels are slow, most of all
 * when a virtual CPU is descheduled while it holds a lock. The machine may be
 * busy, too. So only a hang takes this long.
 */
#define WSQ_TEST_SECONDS	600
#define WSQ_TEST_TIMEOUT	(WSQ_TEST_SECONDS * HZ)
/* The same by a clock that goes on while this CPU's interrupts are off. */
#define WSQ_TEST_TIMEOUT_NS	(WSQ_TEST_SECONDS * (u64)NSEC_PER_SEC)

/*
 * How often to repeat frequent operations: less with KASAN, which checks each
 * access on an emulated kernel. KCSAN kernels do all of it, because they find a
 * race only by luck.
 */
#define WSQ_TEST_MANY(n)	(IS_ENABLED(CONFIG_KASAN) ? (n) / 4 : (n))

/*
 * The last line of a case whose race did not come in its rounds: the case is
 * skipped, and @why is the reason. A case that has failed stays failed.
 */
static inline void wsq_test_met(struct kunit *test, bool met, const char *why)
{
	if (!met && READ_ONCE(test->status) != KUNIT_FAILURE)
		kunit_skip(test, "%s", why);
}

/**
 * struct wsq_test_thread - one thread of a test
 * @fn: what it does
 * @arg: given to @fn
 * @nr: its number, from 0; given to @fn
 * @task: the thread
 * @go: when to begin
 * @over: when @fn has returned. A thread that is stopped before it first ran
 *	never runs its function, so wait for this first.
 */
struct wsq_test_thread {
	void (*fn)(void *arg, int nr);
	void *arg;
	int nr;
	struct task_struct *task;
	struct completion *go;
	struct completion over;
};

/*
 * Let others run. cond_resched() is empty on preemptible kernels, and user-mode
 * Linux does not preempt on return from an interrupt. A loop that never
 * disables preemption would keep the CPU for good.
 */
static inline void wsq_test_yield(void)
{
	preempt_disable();
	preempt_enable();
	cond_resched();
}

static int wsq_test_thread_fn(void *data)
{
	struct wsq_test_thread *t = data;

	wait_for_completion(t->go);
	t->fn(t->arg, t->nr);
	complete(&t->over);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/*
 * Run @fn on @nr threads, thread i bound to the i-th online CPU, modulo their
 * number, and wait for all.
 */
static inline void wsq_test_run(struct kunit *test, int nr,
				void (*fn)(void *arg, int nr), void *arg)
{
	struct wsq_test_thread *t;
	unsigned int cpu = cpumask_first(cpu_online_mask);
	DECLARE_COMPLETION_ONSTACK(go);
	int i, started = 0;

	t = kunit_kcalloc(test, nr, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	for (i = 0; i < nr; i++) {
		t[i].fn = fn;
		t[i].arg = arg;
		t[i].nr = i;
		t[i].go = &go;
		init_completion(&t[i].over);
		t[i].task = kthread_create(wsq_test_thread_fn, &t[i],
					   "wsq_test/%d", i);
		if (IS_ERR(t[i].task))
			break;
		kthread_bind(t[i].task, cpu);
		wake_up_process(t[i].task);
		started++;
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
	complete_all(&go);
	for (i = 0; i < started; i++) {
		wait_for_completion(&t[i].over);
		kthread_stop(t[i].task);
	}
	KUNIT_ASSERT_EQ(test, started, nr);
}

#endif /* _WSQ_TESTS_THREADS_H */
