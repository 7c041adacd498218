// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of queues that change: wsq_set_max_active(), and queues that are frozen
 * (%WSQ_FREEZABLE). A frozen queue has the limit 0, so workers and thieves pass
 * over it (standby.c), and what is put stays where it is.
 *
 * The sentinel is a thread that the freezer of the system asks to freeze. It
 * exists while there is a freezable queue. Before it freezes, it sets the
 * limits to 0 and waits until no worker serves these queues. So the freezer,
 * which waits for the sentinel, has waited for all items under way. A notifier
 * of power management would come too early: before user space is frozen, whose
 * system calls may wait for items. When the sentinel is thawed, it restores the
 * limits.
 *
 *	sentinel			worker
 *	--------			------
 *	limit = 0			preemption off
 *	synchronize_rcu()		limit? serves the queue
 *	serves any worker the queue?	preemption on
 *
 *	A worker that looked at the limit before it was 0 is seen to serve the
 *	queue. It leaves when it next looks at @attention (item.h), which the
 *	sentinel sets: at most one item of each worker begins after that.
 *
 * If items under way take longer than the freezer waits (20 s by default), the
 * suspend fails, and the sentinel restores the limits.
 *
 * Cost: none for other queues. A frozen queue costs what a queue at its limit
 * costs.
 */
#include <linux/completion.h>
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "../compat/export.h"
#include "item.h"

/* Limits, and what is below. */
static DEFINE_MUTEX(wsq_limit_lock);

/* Freezable queues. wsq_limit_lock. */
static LIST_HEAD(wsq_freezables);

/* How many. Written under wsq_limit_lock, read by the sentinel. */
static unsigned int wsq_nr_freezable;

/* They are frozen. wsq_limit_lock. */
static bool wsq_frozen;

/* The sentinel, %NULL if there is none. wsq_limit_lock. */
struct task_struct *wsq_sentinel;
WSQ_EXPORT_KUNIT(wsq_sentinel);

/* A sentinel was started, and it was not waited for. wsq_limit_lock. */
static bool wsq_sentinel_started;

/* The last sentinel runs no code of the module any more. */
static struct completion wsq_sentinel_gone;

/* Set the limit that workers obey. */
static void wsq_limit_apply(struct wsq *q)
{
	bool frozen = wsq_frozen && !list_empty(&q->freezable);
	u32 old = q->max_active, limit = frozen ? 0 : q->limit;
	unsigned int cpu;

	lockdep_assert_held(&wsq_limit_lock);
	WRITE_ONCE(q->max_active, limit);
	if (limit <= old)
		return;
	/* Raise the limit, then clear what workers hold. */
	smp_mb();					/* HD(raise:A) */
	for_each_possible_cpu(cpu) {
		preempt_disable();
		wsq_unlimit(wsq_cpu_of(q, cpu), q->id);
		preempt_enable();
	}
}

int wsq_set_max_active(struct wsq *q, u32 max_active)
{
	if (max_active > WSQ_MAX_MAX_ACTIVE || q->order)
		return -EINVAL;
	mutex_lock(&wsq_limit_lock);
	q->limit = max_active ?: WSQ_DEF_MAX_ACTIVE;
	wsq_limit_apply(q);
	mutex_unlock(&wsq_limit_lock);
	return 0;
}
WSQ_EXPORT(wsq_set_max_active);

bool wsq_congested(int cpu, struct wsq *q)
{
	const struct wsq_lane *lane;
	bool ret;

	preempt_disable();
	if (cpu == WSQ_CPU_ANY)
		cpu = smp_processor_id();
	lane = (unsigned int)cpu < nr_cpu_ids ? wsq_lane_any(q, cpu) : NULL;
	ret = lane && wsq_ready_test(wsq_cpu_of(q, cpu), q->id) &&
	      wsq_limited(wsq_cpu_of(q, cpu), q, lane) && wsq_lane_waiting(lane);
	preempt_enable();
	return ret;
}
WSQ_EXPORT(wsq_congested);

/**
 * wsq_freeze_begin() - begin no more items of freezable queues
 *
 * Context: task; may sleep.
 */
void wsq_freeze_begin(void)
{
	struct wsq *q;

	mutex_lock(&wsq_limit_lock);
	wsq_frozen = true;
	list_for_each_entry(q, &wsq_freezables, freezable)
		wsq_limit_apply(q);
	mutex_unlock(&wsq_limit_lock);
	/* Workers look at the limit with preemption off. */
	synchronize_rcu();
}
WSQ_EXPORT_KUNIT(wsq_freeze_begin);

/**
 * wsq_freeze_busy() - are items of freezable queues under way
 *
 * Context: task; may sleep. After wsq_freeze_begin().
 * Return: true if so. If not, the caller sees what they did, and none begins
 * before wsq_freeze_end(), except those of queues that are destroyed.
 */
bool wsq_freeze_busy(void)
{
	bool busy = false;
	struct wsq *q;

	mutex_lock(&wsq_limit_lock);
	list_for_each_entry(q, &wsq_freezables, freezable) {
		busy |= wsq_workers_at(q, true);
		busy |= wsq_rescuer_at(q);
	}
	mutex_unlock(&wsq_limit_lock);
	return busy;
}
WSQ_EXPORT_KUNIT(wsq_freeze_busy);

/**
 * wsq_freeze_end() - undo wsq_freeze_begin()
 *
 * Context: task; may sleep.
 */
void wsq_freeze_end(void)
{
	struct wsq *q;

	mutex_lock(&wsq_limit_lock);
	wsq_frozen = false;
	list_for_each_entry(q, &wsq_freezables, freezable)
		wsq_limit_apply(q);
	mutex_unlock(&wsq_limit_lock);
}
WSQ_EXPORT_KUNIT(wsq_freeze_end);

/* The freezer asks the sentinel to freeze. */
static void wsq_sentinel_freeze(void)
{
	wsq_freeze_begin();
	/* The freezer gives up if this takes too long. */
	while (freezing(current) && wsq_freeze_busy())
		schedule_timeout_idle(1);
	try_to_freeze();
	wsq_freeze_end();
}

/* Is there no freezable queue any more? Then this sentinel ends. */
static bool wsq_sentinel_over(void)
{
	bool over;

	mutex_lock(&wsq_limit_lock);
	over = !wsq_nr_freezable;
	if (over)
		wsq_sentinel = NULL;
	mutex_unlock(&wsq_limit_lock);
	return over;
}

static int wsq_sentinel_fn(void *unused)
{
	/*
	 * Not set_freezable(): if the system is being frozen, it would freeze
	 * this thread before the queues. Between the flag and the first look is
	 * the full barrier of set_current_state(): the freezer sees the flag, or
	 * this thread sees that it is asked.
	 */
	current->flags &= ~PF_NOFREEZE;
	for (;;) {
		/* Not TASK_FREEZABLE: it has to run before it freezes. */
		set_current_state(TASK_IDLE);
		if (!READ_ONCE(wsq_nr_freezable)) {
			__set_current_state(TASK_RUNNING);
			if (wsq_sentinel_over())
				break;
		} else if (freezing(current)) {
			__set_current_state(TASK_RUNNING);
			wsq_sentinel_freeze();
		} else {
			schedule();
		}
	}
	kthread_complete_and_exit(&wsq_sentinel_gone, 0);
}

/* Wait until a sentinel that has ended is gone. It needs no lock. */
static void wsq_sentinel_reap(void)
{
	if (!wsq_sentinel_started)
		return;
	wait_for_completion(&wsq_sentinel_gone);
	wsq_sentinel_started = false;
}

/* wsq_limit_lock is held. */
static int wsq_sentinel_start(void)
{
	struct task_struct *task;

	lockdep_assert_held(&wsq_limit_lock);
	if (wsq_sentinel)
		return 0;
	wsq_sentinel_reap();
	init_completion(&wsq_sentinel_gone);
	task = kthread_create_on_node(wsq_sentinel_fn, NULL, NUMA_NO_NODE,
				      "wsq-freezer");
	if (IS_ERR(task))
		return PTR_ERR(task);
	wsq_sentinel = task;
	wsq_sentinel_started = true;
	return 0;
}

/**
 * wsq_freeze_add() - a freezable queue is created
 * @q: the queue, not in use
 *
 * If the system is being suspended, the queue is frozen at once.
 *
 * Context: task; may sleep.
 * Return: 0 or a negative errno.
 */
int wsq_freeze_add(struct wsq *q)
{
	int ret;

	mutex_lock(&wsq_limit_lock);
	ret = wsq_sentinel_start();
	if (!ret) {
		list_add_tail(&q->freezable, &wsq_freezables);
		WRITE_ONCE(wsq_nr_freezable, wsq_nr_freezable + 1);
		wsq_limit_apply(q);
		wake_up_process(wsq_sentinel);
	}
	mutex_unlock(&wsq_limit_lock);
	return ret;
}

/**
 * wsq_freeze_remove() - a queue is destroyed
 * @q: the queue. If it is frozen, its items run from here on
 *
 * The last freezable queue's removal ends the sentinel, after the thaw.
 *
 * Context: task; may sleep.
 */
void wsq_freeze_remove(struct wsq *q)
{
	/* Only its creation has added it, and only this removes it. */
	if (list_empty(&q->freezable))
		return;
	mutex_lock(&wsq_limit_lock);
	list_del_init(&q->freezable);
	wsq_limit_apply(q);
	WRITE_ONCE(wsq_nr_freezable, wsq_nr_freezable - 1);
	wake_up_process(wsq_sentinel);
	mutex_unlock(&wsq_limit_lock);
}

/**
 * wsq_freeze_exit() - after the last queue was destroyed
 *
 * Context: module unload.
 */
void wsq_freeze_exit(void)
{
	wsq_sentinel_reap();
}
