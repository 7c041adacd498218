// SPDX-License-Identifier: GPL-2.0
/*
 * Locks, and wait queues. Each accesses the line that the kernel's does, by a
 * locked instruction where the kernel uses one. The list of waiters is plain
 * data, because no other code runs between two such calls.
 */
#include "shim.h"

void raw_spin_lock(raw_spinlock_t *lock)
{
	preempt_disable();
	for (;;) {
		sim_rmw(lock);
		if (!lock->locked)
			break;
		/* Spin on a copy. */
		do {
			sim_relax();
			sim_read(lock, sizeof(*lock));
		} while (lock->locked);
	}
	lock->locked = 1;
}

bool raw_spin_trylock(raw_spinlock_t *lock)
{
	preempt_disable();
	sim_read(lock, sizeof(*lock));
	if (!lock->locked) {
		sim_rmw(lock);
		if (!lock->locked) {
			lock->locked = 1;
			return true;
		}
	}
	preempt_enable();
	return false;
}

void raw_spin_unlock(raw_spinlock_t *lock)
{
	MUST(lock->locked);
	sim_write(lock, sizeof(*lock));
	lock->locked = 0;
	preempt_enable();
}

/* linux/mutex.h */

struct mutex_waiter {
	struct task_struct *task;
	struct list_head list;
};

void mutex_init(struct mutex *lock)
{
	memset(lock, 0, sizeof(*lock));
	INIT_LIST_HEAD(&lock->wait_list);
}

void mutex_lock(struct mutex *lock)
{
	struct mutex_waiter w = { .task = current };

	might_sleep();
	sim_rmw(&lock->owner);
	MUST(lock->owner != current);
	if (!lock->owner) {
		lock->owner = current;
		return;
	}
	list_add_tail(&w.list, &lock->wait_list);
	while (lock->owner != current) {
		current->__state = TASK_UNINTERRUPTIBLE;
		schedule();
		current->__state = TASK_RUNNING;
	}
}

bool mutex_trylock(struct mutex *lock)
{
	sim_rmw(&lock->owner);
	if (lock->owner)
		return false;
	lock->owner = current;
	return true;
}

void mutex_unlock(struct mutex *lock)
{
	struct mutex_waiter *w;

	sim_rmw(&lock->owner);
	MUST(lock->owner == current);
	w = list_first_entry_or_null(&lock->wait_list, struct mutex_waiter, list);
	/* It is handed over, so that no thread starves. */
	lock->owner = w ? w->task : NULL;
	if (!w)
		return;
	list_del(&w->list);
	wake_up_process(w->task);
}

/* linux/swait.h */

void init_swait_queue_head(struct swait_queue_head *q)
{
	q->lock.locked = 0;
	INIT_LIST_HEAD(&q->task_list);
}

void prepare_to_swait_exclusive(struct swait_queue_head *q, struct swait_queue *w,
				int state)
{
	sim_rmw(&q->lock);
	w->task = current;
	if (list_empty(&w->task_list))
		list_add_tail(&w->task_list, &q->task_list);
	sim_rmw(&current->__state);
	/* A wake-up during the fetch has removed us: the caller looks. */
	if (list_empty(&w->task_list))
		list_add_tail(&w->task_list, &q->task_list);
	current->__state = state;
}

void finish_swait(struct swait_queue_head *q, struct swait_queue *w)
{
	current->__state = TASK_RUNNING;
	if (list_empty(&w->task_list))
		return;
	sim_rmw(&q->lock);
	if (!list_empty(&w->task_list))
		list_del_init(&w->task_list);
}

void swake_up_one(struct swait_queue_head *q)
{
	struct swait_queue *w;

	sim_rmw(&q->lock);
	w = list_first_entry_or_null(&q->task_list, struct swait_queue, task_list);
	if (!w)
		return;
	/* Off the list first: after the wake-up it may be gone. */
	list_del_init(&w->task_list);
	wake_up_process(w->task);
}

/* linux/completion.h */

void init_completion(struct completion *c)
{
	c->done = 0;
	init_swait_queue_head(&c->wait);
}

void complete(struct completion *c)
{
	struct swait_queue *w;
	struct task_struct *t;

	sim_rmw(&c->wait.lock);
	c->done++;
	w = list_first_entry_or_null(&c->wait.task_list, struct swait_queue,
				     task_list);
	if (!w)
		return;
	t = w->task;
	list_del_init(&w->task_list);
	wake_up_process(t);
}

unsigned long wait_for_completion_timeout(struct completion *c,
					  unsigned long time)
{
	struct swait_queue w = { .task = current };

	might_sleep();
	INIT_LIST_HEAD(&w.task_list);
	sim_rmw(&c->wait.lock);
	while (!c->done && time) {
		if (list_empty(&w.task_list))
			list_add_tail(&w.task_list, &c->wait.task_list);
		current->__state = TASK_UNINTERRUPTIBLE;
		time = schedule_timeout(time);
	}
	if (!list_empty(&w.task_list))
		list_del_init(&w.task_list);
	if (!c->done)
		return 0;
	c->done--;
	return time ?: 1;
}

void wait_for_completion(struct completion *c)
{
	wait_for_completion_timeout(c, MAX_SCHEDULE_TIMEOUT);
}

/* linux/rcuwait.h */

int rcuwait_wake_up(struct rcuwait *w)
{
	sim_mb();
	sim_read(&w->task, sizeof(w->task));
	return w->task ? wake_up_process(w->task) : 0;
}
