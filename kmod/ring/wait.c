// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for completion entries, and waking the waiters.
 *
 * Completions are published out of order. So "64 of them are there" means that
 * the first 64 slots are done, and the worker that publishes one does not know
 * whether it is the last. A waiter therefore waits for one completion at a
 * time: first for the last that it needs, which mostly comes after the others,
 * and then for those still missing, if any. Workers compare their number with
 * the least number that any waiter waits for. So a waiter for 64 completions is
 * woken once or a little more often, not 64 times. Waiters are in a tree by that
 * number: a worker that wakes some looks at no others, however many there are.
 *
 * A worker on the waiter's CPU may have been woken by the submission, and the
 * scheduler may want to run it at once. Then short tasks are done before the
 * waiter runs again, and the waiter need not sleep. So the waiter calls
 * cond_resched(). It never calls yield(), which costs a SCHED_DEADLINE thread
 * the rest of its period, and any other thread virtual runtime.
 *
 * Threads in poll() are woken for each completion.
 */
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>

#include "../compat/export.h"
#include "complete.h"
#include "ring.h"
#include "wait.h"

#define WSQ_WAIT_DONE	U64_MAX

/**
 * wsq_ring_published() - how many completion entries can be read
 * @ring: a live ring
 * @limit: stop counting here
 *
 * A polled ring may complete a million entries without a call of this. Older
 * ones are published in any case: submission n has found completion n -
 * cq_entries published (wsq_req_take()), and there are no fewer submissions
 * than completions.
 *
 * Context: any; does not sleep. Reads each slot about once over all calls, and
 * no more than all slots in one call.
 * Return: a number such that all completions before it have been published;
 * the greatest one, up to @limit or beyond.
 */
u64 wsq_ring_published(struct wsq_ring *ring, u64 limit)
{
	/*
	 * WT(count:A): Acquire: completions, each with release, come after the
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

/* Which completion to wait for next, until all before @target are published. */
static u64 wsq_wait_for(struct wsq_ring *ring, u64 target)
{
	u64 n = wsq_ring_published(ring, target);

	if (n >= target)
		return WSQ_WAIT_DONE;
	return wsq_slot_done(ring, target - 1) ? n : target - 1;
}

static bool wsq_waiter_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct wsq_ring_waiter, node)->n <
	       rb_entry(b, struct wsq_ring_waiter, node)->n;
}

static struct wsq_ring_waiter *wsq_waiter_first(struct wsq_ring *ring)
{
	return rb_entry_safe(rb_first_cached(&ring->waiters),
			     struct wsq_ring_waiter, node);
}

/* Under @wait_lock, as the next one. */
static void wsq_waiter_erase(struct wsq_ring *ring, struct wsq_ring_waiter *w)
{
	if (RB_EMPTY_NODE(&w->node))
		return;
	rb_erase_cached(&w->node, &ring->waiters);
	RB_CLEAR_NODE(&w->node);
}

/* The waiters have changed. */
static void wsq_waiters_note(struct wsq_ring *ring)
{
	const struct wsq_ring_waiter *w = wsq_waiter_first(ring);

	WRITE_ONCE(ring->wake_at, w ? w->n : U64_MAX);
}

/* How many threads are woken at a time. */
#define WSQ_WAKE_BATCH	16

/*
 * Take out waiters for @n or before, at most a batch. Waiters are in order, so
 * none is looked at that waits for a later completion, except the first of
 * those. Stores their threads in @tasks, with a reference each, and returns how
 * many: a waiter may go out of scope once the lock is free.
 */
static int wsq_waiters_take(struct wsq_ring *ring, u64 n,
			    struct task_struct **tasks)
{
	struct wsq_ring_waiter *w;
	int nr = 0;

	spin_lock(&ring->wait_lock);
	while (nr < WSQ_WAKE_BATCH && (w = wsq_waiter_first(ring)) && w->n <= n) {
		wsq_waiter_erase(ring, w);
		tasks[nr++] = get_task_struct(w->task);
	}
	wsq_waiters_note(ring);
	spin_unlock(&ring->wait_lock);
	return nr;
}

/*
 * There may be as many waiters as a user may have threads, each of which takes
 * the lock once it was woken. So it is not held over a wake-up.
 */
static void wsq_waiters_wake(struct wsq_ring *ring, u64 n)
{
	struct task_struct *tasks[WSQ_WAKE_BATCH];
	int nr, i;

	do {
		nr = wsq_waiters_take(ring, n, tasks);
		for (i = 0; i < nr; i++) {
			wake_up_process(tasks[i]);
			put_task_struct(tasks[i]);
		}
		cond_resched();
	} while (nr == WSQ_WAKE_BATCH);
}

/**
 * wsq_ring_wake() - wake those that wait for a completion
 * @ring: the ring
 * @n: the completion, its slot stored
 *
 * Context: task; may give way to other threads.
 */
void wsq_ring_wake(struct wsq_ring *ring, u64 n)
{
	smp_mb();					/* WT(notify:A) */
	if (n >= READ_ONCE(ring->wake_at))
		wsq_waiters_wake(ring, n);
	/* [WT], too. */
	if (waitqueue_active(&ring->poll_wait))
		wake_up_poll(&ring->poll_wait, EPOLLIN | EPOLLRDNORM);
}
WSQ_EXPORT_KUNIT(wsq_ring_wake);

/**
 * wsq_waiter_arm() - let completions wake a thread
 * @ring: the ring
 * @w: its @task set; armed before or RB_CLEAR_NODE()
 * @n: this completion or a later one wakes it, once
 *
 * Context: task.
 * Ordering: [WT] a full barrier after @w can be found.
 */
void wsq_waiter_arm(struct wsq_ring *ring, struct wsq_ring_waiter *w, u64 n)
{
	spin_lock(&ring->wait_lock);
	wsq_waiter_erase(ring, w);
	w->n = n;
	rb_add_cached(&w->node, &ring->waiters, wsq_waiter_less);
	wsq_waiters_note(ring);
	spin_unlock(&ring->wait_lock);
	smp_mb();					/* WT(wait:B) */
}
WSQ_EXPORT_KUNIT(wsq_waiter_arm);

/**
 * wsq_waiter_disarm() - no completion uses a waiter any more
 * @ring: the ring
 * @w: of wsq_waiter_arm(); woken or not
 *
 * Context: task.
 */
void wsq_waiter_disarm(struct wsq_ring *ring, struct wsq_ring_waiter *w)
{
	spin_lock(&ring->wait_lock);
	wsq_waiter_erase(ring, w);
	wsq_waiters_note(ring);
	spin_unlock(&ring->wait_lock);
}
WSQ_EXPORT_KUNIT(wsq_waiter_disarm);

/**
 * wsq_ring_wait() - wait for completions
 * @ring: a live ring
 * @target: wait for all completions before this one
 * @timeout_ns: timeout in ns; if a signal ends the wait, what is left of it
 *
 * Context: task; sleeps, interruptibly.
 * Return: 0, %-ETIME; %-ERESTARTNOHAND if a signal is pending, or something else
 * that this thread has to do, such as being traced or frozen. The system call
 * is then to be restarted unless a handler runs.
 */
int wsq_ring_wait(struct wsq_ring *ring, u64 target, u64 *timeout_ns)
{
	u64 n = wsq_wait_for(ring, target);
	ktime_t expires, *until = NULL;
	struct wsq_ring_waiter w = { .task = current };
	int ret = 0;

	if (n == WSQ_WAIT_DONE)
		return 0;
	if (!*timeout_ns)
		return -ETIME;
	/* 292 years and more mean no timeout. */
	if (*timeout_ns < KTIME_MAX) {
		expires = ktime_add_safe(ktime_get(), ns_to_ktime(*timeout_ns));
		until = &expires;
	}
	/* Let a thread that wants this CPU run first, such as the worker. */
	if (need_resched()) {
		cond_resched();
		n = wsq_wait_for(ring, target);
		if (n == WSQ_WAIT_DONE)
			return 0;
	}
	RB_CLEAR_NODE(&w.node);
	while (n != WSQ_WAIT_DONE) {
		u64 was = n;

		/* Set before arming: a later wake-up cancels the sleep. */
		set_current_state(TASK_INTERRUPTIBLE);
		wsq_waiter_arm(ring, &w, n);
		n = wsq_wait_for(ring, target);
		/* Armed for another completion, or nothing left to wait for. */
		if (n != was)
			continue;
		if (signal_pending(current)) {
			ret = -ERESTARTNOHAND;
			if (until)
				*timeout_ns = max_t(s64, 0,
						    ktime_sub(expires,
							      ktime_get()));
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
	wsq_waiter_disarm(ring, &w);
	return ret;
}
WSQ_EXPORT_KUNIT(wsq_ring_wait);

/**
 * wsq_ring_poll() - the poll() mask of a ring
 * @ring: a live ring; the caller is on @poll_wait, with a barrier after that
 *
 * Reads cq_head without the lock. The process writes it, and its value affects
 * only the answer to that process.
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
	/* Some of the entries being taken may have been read already. */
	taken = max(READ_ONCE(ring->sq_head), count);
	if (taken - head < ring->sizes.cq_entries)
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}
