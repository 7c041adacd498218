// SPDX-License-Identifier: GPL-2.0
/*
 * Flush: wait until everything queued before has run.
 *
 * Each item is counted when it is put and again when it has run, both in the
 * phase that was current when it was put, in counters of the CPU where it
 * happens. A phase is over when the sums are equal. Sums over counters that
 * still grow would never agree under load, or agree thanks to later items; so
 * a flush turns to the other phase first, and the sums it waits for can only be
 * caught up with. The scheme is SRCU's:
 *
 * 1. wait for the other phase: items whose put read the phase before it was
 *    last turned but counted after
 * 2. turn
 * 3. wait for the phase just left
 *
 * Reading what has run before what was put makes equality mean something: an
 * item that is in the first sum is in the second, and one whose put happened
 * before the flush is in the second, in one of the two phases. So equal sums
 * mean that it has run.
 *
 *	FL(count:A), FL(count:B) release -> FL(sum:A), FL(sum:B) acquire
 *		The done counter covers the put counter of the same item, which
 *		its worker saw, and everything the item did.
 *		litmus/exec-flush-count.litmus
 *	FL(serve:A), FL(withdraw:A) or RN(begin:A) against FL(wait:B)
 *		Store buffering. litmus/exec-flush-wake.litmus
 *
 * Who wakes a flush: a worker that ran items of one phase and then finds an item
 * of the other, or none, or has used up its budget, looks at @awaited, and if
 * that is the phase it ran, sums up and wakes the flush if the sums are equal.
 * A full barrier stands between the count and the look: taking the pending bit
 * of the next item (wsq_begin()), or FL(serve:A). Against FL(wait:B): the
 * flush sets @awaited, full barrier, sums up. Of two workers that count the
 * last two items each has a full barrier between its count and its sum, so one
 * of them sees both.
 */
#include <linux/sched.h>

#include "../compat/export.h"
#include "exec.h"

static u64 wsq_sum_done(const struct wsq *q, unsigned int phase)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);

		if (!ct)
			continue;
		sum += smp_load_acquire(&ct->done_cnt[phase]);	/* FL(sum:A) */
		/* FL(sum:B) */
		sum += (u64)atomic64_read_acquire(&ct->far_cnt[phase]);
	}
	return sum;
}

static u64 wsq_sum_put(const struct wsq *q, unsigned int phase)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);

		if (!ct)
			continue;
		sum += READ_ONCE(ct->put_cnt[phase]);
		sum += (u64)atomic64_read(&ct->in_cnt[phase]);
	}
	return sum;
}

/* Has everything that was put in @phase run? */
static bool wsq_phase_over(const struct wsq *q, unsigned int phase)
{
	u64 done = wsq_sum_done(q, phase);

	return done == wsq_sum_put(q, phase);
}

/**
 * wsq_flushed() - is nothing queued or running
 * @q: the queue
 *
 * Context: any. Means something only if nobody but @q's own items queues to it.
 * Return: true if all counts agree.
 */
bool wsq_flushed(const struct wsq *q)
{
	/*
	 * Both phases at once, for an item of one may queue one of the other. An
	 * item that has not run when the first sum is begun is in the second
	 * alone, and with it all that were queued by items in the first.
	 */
	u64 done = wsq_sum_done(q, 0) + wsq_sum_done(q, 1);

	return done == wsq_sum_put(q, 0) + wsq_sum_put(q, 1);
}

static void wsq_phase_wait(struct wsq *q, unsigned int phase)
{
	if (wsq_phase_over(q, phase))
		return;
	WRITE_ONCE(q->awaited, phase);			/* FL(wait:A) */
	/* Say so, then sum up. */
	smp_mb();					/* FL(wait:B) */
	swait_event_exclusive(q->flush_wait, wsq_phase_over(q, phase));
	WRITE_ONCE(q->awaited, WSQ_NO_PHASE);
}

/**
 * wsq_flush_wake() - wake the flush if what it waits for is over
 * @q: the queue
 * @phase: the phase of what the caller has run
 *
 * Sums up on behalf of the flush: two context switches cost more than the
 * counters of a hundred CPUs, and workers call this often while one waits.
 *
 * Context: any but NMI; preemption on or off. Never sleeps.
 */
void wsq_flush_wake(struct wsq *q, unsigned int phase)
{
	if (wsq_phase_over(q, phase))
		swake_up_one(&q->flush_wait);
}

/**
 * wsq_flush_init() - prepare a queue for flushes
 * @q: the queue
 */
void wsq_flush_init(struct wsq *q)
{
	mutex_init(&q->flush_lock);
	init_swait_queue_head(&q->flush_wait);
	q->awaited = WSQ_NO_PHASE;
	q->phase = 0;
}

/*
 * What waiting for a queue depends on: its items, and who runs them. An item
 * of a queue that reclaim may wait for must not wait for one that may itself
 * wait for memory.
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

/**
 * wsq_flush() - wait until everything queued before has run
 * @q: the queue
 *
 * Items queued while the flush waits, those that items queue included, are not
 * waited for.
 *
 * Context: task; may sleep. Not from an item of @q, nor with a lock held that
 * one of them takes.
 * Ordering: everything that those items did is visible on return.
 */
void wsq_flush(struct wsq *q)
{
	unsigned int phase;

	might_sleep();
	wsq_touch_queue(q);
	mutex_lock(&q->flush_lock);
	phase = q->phase;
	wsq_phase_wait(q, !phase);
	WRITE_ONCE(q->phase, !phase);
	/*
	 * A put that still reads the old phase from here on has not returned
	 * before this flush was called, and the next flush waits for it first.
	 */
	wsq_phase_wait(q, phase);
	mutex_unlock(&q->flush_lock);
}
WSQ_EXPORT(wsq_flush);
