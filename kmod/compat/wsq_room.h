/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/room.h in the kernel: a raw spinlock, with interrupts off, and
 * the scheduler.
 *
 * For: kmod/pool/overflow.c. The sleep can be killed. A wake-up is a full barrier
 * before it looks whether there is one to be woken, so that one who is poised and
 * then looks under the lock misses none.
 * Limitations: those of wake_up_process(): not from NMI, nor under a runqueue lock.
 */
#ifndef _WSQ_COMPAT_ROOM_H
#define _WSQ_COMPAT_ROOM_H

#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

typedef raw_spinlock_t wsq_room_lock_t;
typedef struct task_struct wsq_room_who_t;

#define wsq_room_lock_init(lock)	raw_spin_lock_init(lock)

static inline unsigned long wsq_room_lock(raw_spinlock_t *lock)
	__acquires(lock)
{
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	return flags;
}

static inline void wsq_room_unlock(raw_spinlock_t *lock, unsigned long flags)
	__releases(lock)
{
	raw_spin_unlock_irqrestore(lock, flags);
}

static inline struct task_struct *wsq_room_self(void)
{
	return current;
}

static inline void wsq_room_poise(void)
{
	__set_current_state(TASK_KILLABLE);
}

static inline void wsq_room_rise(void)
{
	__set_current_state(TASK_RUNNING);
}

static inline void wsq_room_sleep(long time)
{
	schedule_timeout(time);
}

static inline void wsq_room_rouse(struct task_struct *who)
{
	wake_up_process(who);
}

static inline bool wsq_room_killed(void)
{
	return fatal_signal_pending(current);
}

#endif /* _WSQ_COMPAT_ROOM_H */
