/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/space_wait.h in the kernel: a raw spinlock, with interrupts
 * off, and the scheduler.
 *
 * For: kmod/pool/overflow.c. The sleep is killable. A wake-up is a full barrier
 * before it checks whether there is a thread to wake. So a thread that has set
 * its state and then checks under the lock misses no wake-up. Limitations:
 * those of wake_up_process(): not from NMI, nor under a runqueue lock.
 */
#ifndef _WSQ_COMPAT_SPACE_WAIT_H
#define _WSQ_COMPAT_SPACE_WAIT_H

#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

typedef raw_spinlock_t wsq_space_lock_t;
typedef struct task_struct wsq_space_task_t;

#define wsq_space_lock_init(lock)	raw_spin_lock_init(lock)

static inline unsigned long wsq_space_lock(raw_spinlock_t *lock)
	__acquires(lock)
{
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	return flags;
}

static inline void wsq_space_unlock(raw_spinlock_t *lock, unsigned long flags)
	__releases(lock)
{
	raw_spin_unlock_irqrestore(lock, flags);
}

static inline struct task_struct *wsq_space_self(void)
{
	return current;
}

static inline void wsq_space_prepare(void)
{
	__set_current_state(TASK_KILLABLE);
}

static inline void wsq_space_finish(void)
{
	__set_current_state(TASK_RUNNING);
}

static inline void wsq_space_sleep(long time)
{
	schedule_timeout(time);
}

static inline void wsq_space_wake(struct task_struct *who)
{
	wake_up_process(who);
}

static inline bool wsq_space_killed(void)
{
	return fatal_signal_pending(current);
}

#endif /* _WSQ_COMPAT_SPACE_WAIT_H */
