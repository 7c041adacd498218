// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for completion entries, and waking those that wait.
 *
 * Completions are published out of order, so "64 of them are there" means that
 * the first 64 slots are done, and the worker that publishes one of them does
 * not know whether it is the last. A waiter therefore waits for one completion
 * at a time: for the last that it needs, which mostly comes when the others
 * have, and then for what is still missing, if anything is. Workers compare
 * their number with the least that any waiter waits for and go on, so a waiter
 * for 64 is woken once or a little more, not 64 times.
 *
 * A worker on the waiter's CPU may have been woken by what the waiter
 * submitted, and the scheduler may want to run that worker at once. Then short
 * tasks are done before the waiter runs again, and the waiter need not sleep at
 * all. The waiter calls cond_resched() for that. It never calls yield(), which
 * costs a SCHED_DEADLINE thread the rest of its period, and any other thread
 * virtual runtime.
 *
 * poll() wants to know of each, and is told of each.
 */
#include <linux/hrtimer.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>

#include "../compat/export.h"
#include "ring.h"

/**
 * struct wsq_waiter - somebody asleep in ENTER
 * @entry: in struct wsq_ring.waiters
 * @n: woken by this completion or a later one; U64_MAX for not at all. Under
 *	struct wsq_ring.waiters.lock
 */
struct wsq_waiter {
	struct wait_queue_entry entry;
	u64 n;
};

/**
 * struct wsq_wake - what a worker asks of waiters
 * @n: the completion that it has published
 * @least: least completion that those left asleep wait for
 */
struct wsq_wake {
	u64 n;
	u64 least;
};

#define WSQ_WAIT_DONE	U64_MAX

/**
 * wsq_ring_published() - how many completion entries can be read
 * @ring: a live ring
 * @limit: enough
 *
 * Of a polled ring nobody may have asked for a million completions; these have been
 * published all the same. Submission n has found completion n - cq_entries so
 * (wsq_req_take()), and of submissions there are no fewer than completions.
 *
 * Context: any; does not sleep. Looks at each slot once over all calls, about, and
 * at no more than there are in one.
 * Return: a number such that all completions before it have been published;
 * the greatest one, up to @limit or beyond.
 */
u64 wsq_ring_published(struct wsq_ring *ring, u64 limit)
{
	/*
	 * WT(count:A): Acquire: completions, each with release, are behind the
	 * submissions.
	 */
	u64 count = atomic64_read_acquire(&ring->completed);
	u64 from = READ_ONCE(ring->published), n = from;

	if (count > ring->cq_mask)
		n = max(n, count - ring->cq_mask - 1);
	while (n < limit && wsq_slot_done(ring, n))
		n++;
	if (n != from)
		WRITE_ONCE(ring->published, n);
	return n;
}
WSQ_EXPORT_KUNIT(wsq_ring_published);

/* Which completion to wait for until all before @target are published. */
static u64 wsq_wait_for(struct wsq_ring *ring, u64 target)
{
	u64 n = wsq_ring_published(ring, target);

	if (n >= target)
		return WSQ_WAIT_DONE;
	return wsq_slot_done(ring, target - 1) ? n : target - 1;
}

/* Called with the lock of @waiters, for each of them. */
static int wsq_waiter_wake(struct wait_queue_entry *entry, unsigned int mode,
			   int flags, void *key)
{
	struct wsq_waiter *w = container_of(entry, struct wsq_waiter, entry);
	struct wsq_wake *wake = key;

	if (w->n > wake->n) {
		wake->least = min(wake->least, w->n);
		return 0;
	}
	/* It will say anew what it waits for, if for anything. */
	w->n = U64_MAX;
	return default_wake_function(entry, mode, flags, NULL);
}

/**
 * wsq_ring_wake() - tell waiters that a completion has been published
 * @ring: the ring
 * @n: the completion, its slot stored
 *
 * Context: task.
 */
void wsq_ring_wake(struct wsq_ring *ring, u64 n)
{
	smp_mb();					/* WT(tell:A) */
	if (n >= READ_ONCE(ring->wake_at)) {
		struct wsq_wake wake = { .n = n, .least = U64_MAX };

		spin_lock_irq(&ring->waiters.lock);
		__wake_up_locked_key(&ring->waiters, TASK_NORMAL, &wake);
		WRITE_ONCE(ring->wake_at, wake.least);
		spin_unlock_irq(&ring->waiters.lock);
	}
	/* [WT], too. */
	if (waitqueue_active(&ring->poll_wait))
		wake_up_poll(&ring->poll_wait, EPOLLIN | EPOLLRDNORM);
}
WSQ_EXPORT_KUNIT(wsq_ring_wake);

/* From now on, completion @n or a later one wakes @w. */
static void wsq_waiter_arm(struct wsq_ring *ring, struct wsq_waiter *w, u64 n)
{
	spin_lock_irq(&ring->waiters.lock);
	w->n = n;
	if (n < ring->wake_at)
		WRITE_ONCE(ring->wake_at, n);
	spin_unlock_irq(&ring->waiters.lock);
	smp_mb();					/* WT(wait:B) */
}

/**
 * wsq_ring_wait() - sleep until completions are there
 * @ring: a live ring
 * @target: all before this one
 * @timeout_ns: for how long
 *
 * Context: task; sleeps, interruptibly.
 * Return: 0, %-ETIME, %-EINTR.
 */
int wsq_ring_wait(struct wsq_ring *ring, u64 target, u64 timeout_ns)
{
	u64 n = wsq_wait_for(ring, target);
	ktime_t expires, *until = NULL;
	struct wsq_waiter w;
	int ret = 0;

	if (n == WSQ_WAIT_DONE)
		return 0;
	if (!timeout_ns)
		return -ETIME;
	/* What is above 292 years is for ever. */
	if (timeout_ns < KTIME_MAX) {
		expires = ktime_add_safe(ktime_get(), ns_to_ktime(timeout_ns));
		until = &expires;
	}
	/* If another thread wants this CPU, such as the worker, it goes first. */
	if (need_resched()) {
		cond_resched();
		n = wsq_wait_for(ring, target);
		if (n == WSQ_WAIT_DONE)
			return 0;
	}
	init_waitqueue_func_entry(&w.entry, wsq_waiter_wake);
	w.entry.private = current;
	w.n = U64_MAX;
	add_wait_queue(&ring->waiters, &w.entry);
	while (n != WSQ_WAIT_DONE) {
		u64 was = n;

		/* Before arming: a wake-up from then on leaves us running. */
		set_current_state(TASK_INTERRUPTIBLE);
		wsq_waiter_arm(ring, &w, n);
		n = wsq_wait_for(ring, target);
		/* Another one than we are armed for, or none: look again. */
		if (n != was)
			continue;
		if (signal_pending(current)) {
			ret = -EINTR;
			break;
		}
		if (!schedule_hrtimeout_range_clock(until,
						    current->timer_slack_ns,
						    HRTIMER_MODE_ABS,
						    CLOCK_MONOTONIC)) {
			if (wsq_wait_for(ring, target) != WSQ_WAIT_DONE)
				ret = -ETIME;
			break;
		}
		n = wsq_wait_for(ring, target);
	}
	__set_current_state(TASK_RUNNING);
	remove_wait_queue(&ring->waiters, &w.entry);
	return ret;
}
WSQ_EXPORT_KUNIT(wsq_ring_wait);

/**
 * wsq_ring_poll() - what poll() says of a ring
 * @ring: a live ring; the caller is on @poll_wait already, a barrier behind it
 *
 * Reads the process' cq_head without the lock: whatever it holds, the answer is
 * a hint to that process.
 *
 * Context: any.
 * Return: EPOLL* bits.
 */
__poll_t wsq_ring_poll(struct wsq_ring *ring)
{
	u64 head = smp_load_acquire(&ring->page->cq_head);	/* CQ(wait:A) */
	u64 count = atomic64_read(&ring->completed), taken;
	__poll_t mask = 0;

	if (head > count)
		return EPOLLERR;
	if (wsq_ring_published(ring, head + 1) > head)
		mask |= EPOLLIN | EPOLLRDNORM;
	/* Of a batch that is being taken, some may have been read already. */
	taken = max(READ_ONCE(ring->sq_head), count);
	if (taken - head < ring->sizes.cq_entries)
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}
