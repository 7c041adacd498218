// SPDX-License-Identifier: GPL-2.0
/*
 * Flush: wait until everything queued before has run.
 *
 * An item has the flush color that was current when it was put. It is counted
 * by color when it is put and again when it has run, in counters of the CPU
 * where that happens. A color is done when the two sums are equal. Sums over
 * counters that still grow would never agree under load, or agree because of
 * later items. So a flush changes the color first; then the sum of items run
 * can only catch up with the sum of items put. The scheme is SRCU's:
 *
 * 1. wait for the other color: items whose put read the color before its last
 *    change, but counted after
 * 2. change the color
 * 3. wait for the color before the change
 *
 * The items run are summed before the items put. So an item in the first sum is
 * also in the second, and an item put before the flush is in the second, in one
 * of the two colors. Then equal sums mean that it has run.
 *
 *	FL(count:A), FL(count:B) release -> FL(sum:A), FL(sum:B) acquire
 *		The done counter covers the put counter of the same item, which
 *		its worker saw, and everything the item did.
 *		litmus/exec-flush-count.litmus
 *	FL(serve:A), FL(order:A), FL(remove:A) or RN(begin:A) against FL(wait:B)
 *		Store buffering. litmus/exec-flush-wake.litmus
 *
 * Flushes at the same time share these steps. One that is called while others
 * are at step 3 takes part in the next change of the color: its items are put
 * before that. The context that finds the color of a step done takes the next
 * step at once. If a thread were woken for that, it would also wait for the
 * items that are put until it runs. @flush_lock orders the steps, but is not
 * held while the counters are summed: the sums count if no step has begun
 * meanwhile. A flush that joins step 1 begins it anew, because sums from before
 * need not have its items.
 *
 *	FL(step:A) release -> FL(step:B) acquire
 *		A context that computes the sums of a step knows its color, and
 *		sees the items that were put before its flushes.
 *		litmus/exec-flush-step.litmus
 *
 * Workers look whether to take a step. A worker looks at @awaited when, after
 * items of one color, it finds an item of the other, or none, or has used up
 * its budget. If @awaited is the color it ran, it computes the sums. A full
 * barrier is between the count and the look: taking the pending bit of the next
 * item (wsq_begin()), FL(serve:A) or FL(order:A). It pairs with FL(wait:B): the context
 * that takes a step sets @awaited, full barrier, computes the sums. If two
 * workers count the last two items, each has a full barrier between its count
 * and its sums, so one of them sees both.
 */
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "../compat/export.h"
#include "exec.h"

/* A call of wsq_flush(). */
struct wsq_flusher {
	struct list_head node;
	struct completion done;
};

static u64 wsq_sum_done(const struct wsq *q, unsigned int color)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu) {
		struct wsq_lane *lane = wsq_lane_any(q, cpu);

		if (!lane)
			continue;
		sum += smp_load_acquire(&lane->done_cnt[color]);	/* FL(sum:A) */
		/* FL(sum:B) */
		sum += (u64)atomic64_read_acquire(&lane->far_cnt[color]);
	}
	return sum;
}

static u64 wsq_sum_put(const struct wsq *q, unsigned int color)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu) {
		struct wsq_lane *lane = wsq_lane_any(q, cpu);

		if (!lane)
			continue;
		sum += READ_ONCE(lane->put_cnt[color]);
		sum += (u64)atomic64_read(&lane->in_cnt[color]);
	}
	return sum;
}

/* Has everything put in color @color run? */
static bool wsq_color_done(const struct wsq *q, unsigned int color)
{
	u64 done = wsq_sum_done(q, color);

	return done == wsq_sum_put(q, color);
}

/**
 * wsq_flushed() - is nothing queued or running
 * @q: the queue
 *
 * Context: any. Valid only if no context but @q's own items queues to it.
 * Return: true if all counts agree.
 */
bool wsq_flushed(const struct wsq *q)
{
	/*
	 * Both colors together, because an item of one may queue an item of the
	 * other. An item that has not run when the first sum begins is only in
	 * the second, as are all that were queued by items in the first.
	 */
	u64 done = wsq_sum_done(q, 0) + wsq_sum_done(q, 1);

	return done == wsq_sum_put(q, 0) + wsq_sum_put(q, 1);
}

/* Begin to wait for a color. The caller holds @flush_lock. */
static void wsq_flush_await(struct wsq *q, unsigned int color)
{
	WRITE_ONCE(q->awaited, color);			/* FL(wait:A) */
	smp_store_release(&q->flush_step, q->flush_step + 1);	/* FL(step:A) */
}

/*
 * The awaited color is done: take the next step. Flushes that end with it are
 * added to @ended. The caller holds @flush_lock.
 */
static void wsq_flush_next(struct wsq *q, struct list_head *ended)
{
	unsigned int color = q->color;

	if (list_empty(&q->flush_now)) {
		/*
		 * A put that still reads the old color from here on returns
		 * after these flushes were called. The next flush waits for it
		 * first.
		 */
		WRITE_ONCE(q->color, !color);
		list_splice_tail_init(&q->flush_later, &q->flush_now);
		wsq_flush_await(q, color);
		return;
	}
	list_splice_tail_init(&q->flush_now, ended);
	wsq_flush_await(q, list_empty(&q->flush_later) ? WSQ_NO_COLOR : !color);
}

/**
 * wsq_flush_go_on() - take steps of the flush for as long as its color is done
 * @q: the queue
 *
 * Computes the sums itself instead of waking a thread for that: workers call
 * this often while a flush waits, and two context switches cost more than
 * reading the counters of a hundred CPUs.
 *
 * Context: any but NMI; preemption on or off. Never sleeps.
 */
void wsq_flush_go_on(struct wsq *q)
{
	struct wsq_flusher *f, *next;
	unsigned int color;
	unsigned long flags;
	LIST_HEAD(ended);
	u32 step;

	for (;;) {
		/* Set @awaited, then compute the sums. */
		smp_mb();				/* FL(wait:B) */
		step = smp_load_acquire(&q->flush_step);	/* FL(step:B) */
		color = READ_ONCE(q->awaited);
		if (color == WSQ_NO_COLOR || !wsq_color_done(q, color))
			break;
		raw_spin_lock_irqsave(&q->flush_lock, flags);
		if (q->flush_step == step)
			wsq_flush_next(q, &ended);
		raw_spin_unlock_irqrestore(&q->flush_lock, flags);
		list_for_each_entry_safe(f, next, &ended, node)
			complete(&f->done);
		INIT_LIST_HEAD(&ended);
	}
}

/**
 * wsq_flush_init() - prepare a queue for flushes
 * @q: the queue
 */
void wsq_flush_init(struct wsq *q)
{
	raw_spin_lock_init(&q->flush_lock);
	INIT_LIST_HEAD(&q->flush_now);
	INIT_LIST_HEAD(&q->flush_later);
	q->flush_step = 0;
	q->awaited = WSQ_NO_COLOR;
	q->color = 0;
}

/*
 * Check what waiting for a queue depends on: its items, and the workers that
 * run them. An item of a queue that reclaim may wait for must not wait for an
 * item that may itself wait for memory.
 */
static void wsq_touch_queue(struct wsq *q)
{
	const struct wsq_worker *w = wsq_worker_current();
	const struct wsq *own = w ? READ_ONCE(w->serving) : NULL;

#ifdef CONFIG_LOCKDEP
	lock_map_acquire(&q->lockdep_map);
	lock_map_release(&q->lockdep_map);
#endif
	if (q->rescuer)
		return;
	WARN_ONCE(current->flags & PF_MEMALLOC,
		  "wsq: task %s(%d) that reclaims memory flushes %s, which is not WSQ_MEM_RECLAIM\n",
		  current->comm, current->pid, q->pool.name);
	WARN_ONCE(own && own->rescuer,
		  "wsq: %s, which is WSQ_MEM_RECLAIM, flushes %s, which is not\n",
		  own->pool.name, q->pool.name);
}

void wsq_flush(struct wsq *q)
{
	struct wsq_flusher f;
	unsigned long flags;

	might_sleep();
	wsq_touch_queue(q);
	init_completion(&f.done);
	raw_spin_lock_irqsave(&q->flush_lock, flags);
	list_add_tail(&f.node, &q->flush_later);
	/* Sums that began before this flush say nothing of its items. */
	if (list_empty(&q->flush_now))
		wsq_flush_await(q, !q->color);
	raw_spin_unlock_irqrestore(&q->flush_lock, flags);
	wsq_flush_go_on(q);
	wait_for_completion(&f.done);
}
WSQ_EXPORT(wsq_flush);
