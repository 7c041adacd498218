// SPDX-License-Identifier: GPL-2.0
/*
 * Flush: wait until everything queued before has run.
 *
 * An item has the flush color that was current when it was put. It is counted
 * by color when it is put and again when it has run, in counters of the CPU
 * where that happens. A color is done when the two sums are equal. The items
 * run are summed before the items put. So an item in the first sum is also in
 * the second, and equal sums mean that each item of the second has run.
 *
 * A flush waits until each color was seen done once, by sums that began after
 * it was called: an item put before it is in the second sum of its color. Sums
 * of counters that still grow may never agree. So the first step for a flush is
 * to change the current color to one that is done:
 *
 * - Items put later have a color for which the flush does not wait any more.
 *   A flush never waits for them.
 * - A put that read a color before a change may count after it. Such a color
 *   is done a little later.
 * - If the current color is itself done, no change is needed.
 * - If no color is done, the flush waits for one, and so for later items, too.
 *   This happens only while items of all colors are unfinished.
 *
 *	FL(count:A), FL(count:B) release -> FL(sum:A), FL(sum:B) acquire
 *		The done counter covers the put counter of the same item, which
 *		its worker saw, and everything the item did.
 *		litmus/exec-flush-count.litmus
 *	FL(serve:A), FL(order:A), FL(remove:A) or RN(begin:A) against FL(wait:B)
 *		Store buffering. litmus/exec-flush-wake.litmus
 *
 * Flushes at the same time share these steps. A step removes the colors that
 * are done from those that each flush waits for. A flush that was called later
 * waits for all the colors that an earlier one waits for: it began with all,
 * and has lost the same ones since. So flushes that wait for equally many
 * colors wait for the same, and a step moves them as one list.
 *
 * The context that finds a color done takes the step at once. If a thread were
 * woken for that, it would also wait for the items that are put until it runs.
 * @flush_lock orders the steps, but is not held while the counters are summed:
 * the sums count if no step was taken and no flush called meanwhile.
 *
 *	FL(step:A) release -> FL(step:B) acquire
 *		A context that computes sums knows the colors awaited, and sees
 *		the items that were put before the flushes.
 *		litmus/exec-flush-step.litmus
 *
 * Workers look whether to take a step. A worker looks at @awaited when, after
 * items of one color, it finds an item of another, or none, or has used up its
 * budget. If the color it ran is awaited, it computes the sums. A full barrier
 * is between the count and the look: taking the pending bit of the next item
 * (wsq_begin()), FL(serve:A) or FL(order:A). It pairs with FL(wait:B): the
 * context that takes a step sets @awaited, full barrier, computes the sums. If
 * two workers count the last two items, each has a full barrier between its
 * count and its sums, so one of them sees both.
 */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "../compat/export.h"
#include "exec.h"

#define WSQ_ALL_COLORS		(BIT(WSQ_FLUSH_COLORS) - 1)

/* A call of wsq_flush(). */
struct wsq_flusher {
	struct list_head node;
	struct completion done;
};

static u64 wsq_count_done(const struct wsq_lane *lane, unsigned int color)
{
	/* FL(sum:A) */
	u64 home = smp_load_acquire(&lane->count[color].done);

	/* FL(sum:B) */
	return home + (u64)atomic64_read_acquire(&lane->far_cnt[color]);
}

static u64 wsq_count_put(const struct wsq_lane *lane, unsigned int color)
{
	return READ_ONCE(lane->count[color].put) +
	       (u64)atomic64_read(&lane->in_cnt[color]);
}

/*
 * Sum up what is left of each of these colors. All items run are read before
 * the first of the items put.
 */
static void wsq_colors_left(const struct wsq *q, unsigned long colors,
			    u64 left[WSQ_FLUSH_COLORS])
{
	unsigned int cpu, color;
	struct wsq_lane *lane;

	memset(left, 0, WSQ_FLUSH_COLORS * sizeof(*left));
	for_each_possible_cpu(cpu) {
		lane = wsq_lane_any(q, cpu);
		if (!lane)
			continue;
		for_each_set_bit(color, &colors, WSQ_FLUSH_COLORS)
			left[color] -= wsq_count_done(lane, color);
	}
	for_each_possible_cpu(cpu) {
		lane = wsq_lane_any(q, cpu);
		if (!lane)
			continue;
		for_each_set_bit(color, &colors, WSQ_FLUSH_COLORS)
			left[color] += wsq_count_put(lane, color);
	}
}

/* Bits of those of these colors that are done. */
static unsigned int wsq_colors_done(const struct wsq *q, unsigned int colors)
{
	u64 left[WSQ_FLUSH_COLORS];
	unsigned int color;

	/* No flush waits any more. */
	if (!colors)
		return 0;
	wsq_colors_left(q, colors, left);
	for (color = 0; color < WSQ_FLUSH_COLORS; color++)
		if (left[color])
			colors &= ~BIT(color);
	return colors;
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
	u64 left[WSQ_FLUSH_COLORS], sum = 0;
	unsigned int color;

	/*
	 * All colors together, because an item of one may queue an item of
	 * another. An item that has not run when the sums begin is only among
	 * those put, as are all that were queued by items that have run.
	 */
	wsq_colors_left(q, WSQ_ALL_COLORS, left);
	for (color = 0; color < WSQ_FLUSH_COLORS; color++)
		sum += left[color];
	return !sum;
}

/*
 * Publish the colors that flushes wait for. Sums that began before this prove
 * nothing about them. The caller holds @flush_lock.
 */
static void wsq_flush_await(struct wsq *q)
{
	unsigned int nr = WSQ_FLUSH_COLORS;

	while (nr && list_empty(&q->flush_calls[nr]))
		nr--;
	/* The latest flush waits for the colors of all. */
	WRITE_ONCE(q->awaited, nr ? q->flush_colors[nr] : 0);	/* FL(wait:A) */
	smp_store_release(&q->flush_step, q->flush_step + 1);	/* FL(step:A) */
}

/*
 * These colors, at least one, are done. Flushes that wait for no other are
 * added to @ended. The caller holds @flush_lock.
 */
static void wsq_flush_next(struct wsq *q, unsigned int done,
			   struct list_head *ended)
{
	unsigned int nr, left, colors;

	/* A flush that waits for all needs another color for later puts. */
	if (!list_empty(&q->flush_calls[WSQ_FLUSH_COLORS]) &&
	    !(done & BIT(q->color)))
		WRITE_ONCE(q->color, __ffs(done));
	for (nr = 1; nr <= WSQ_FLUSH_COLORS; nr++) {
		if (list_empty(&q->flush_calls[nr]))
			continue;
		colors = q->flush_colors[nr] & ~done;
		left = hweight8(colors);
		if (left == nr)
			continue;
		q->flush_colors[left] = colors;
		list_splice_tail_init(&q->flush_calls[nr],
				      left ? &q->flush_calls[left] : ended);
	}
	wsq_flush_await(q);
}

/**
 * wsq_flush_go_on() - take steps of flushes for as long as a color is done
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
	unsigned long flags;
	unsigned int done;
	LIST_HEAD(ended);
	u32 step;

	for (;;) {
		/* Set @awaited, then compute the sums. */
		smp_mb();				/* FL(wait:B) */
		step = smp_load_acquire(&q->flush_step);	/* FL(step:B) */
		done = wsq_colors_done(q, READ_ONCE(q->awaited));
		if (!done)
			break;
		raw_spin_lock_irqsave(&q->flush_lock, flags);
		if (q->flush_step == step)
			wsq_flush_next(q, done, &ended);
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
	unsigned int nr;

	BUILD_BUG_ON(WSQ_FLUSH_COLORS > BIT(WSQ_LOCATION_COLOR_BITS));
	raw_spin_lock_init(&q->flush_lock);
	for (nr = 0; nr <= WSQ_FLUSH_COLORS; nr++)
		INIT_LIST_HEAD(&q->flush_calls[nr]);
	q->flush_colors[WSQ_FLUSH_COLORS] = WSQ_ALL_COLORS;
	q->flush_step = 0;
	q->awaited = 0;
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
	list_add_tail(&f.node, &q->flush_calls[WSQ_FLUSH_COLORS]);
	wsq_flush_await(q);
	raw_spin_unlock_irqrestore(&q->flush_lock, flags);
	wsq_flush_go_on(q);
	wait_for_completion(&f.done);
}
WSQ_EXPORT(wsq_flush);
