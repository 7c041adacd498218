// SPDX-License-Identifier: GPL-2.0
/*
 * Queues: make, put, free.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "exec.h"

/* Queues by id. Workers look under RCU, or with preemption off. */
struct xarray wsq_queues;
WSQ_EXPORT(wsq_queues);

/* Makes and frees one queue at a time; holds queues for statistics. */
DEFINE_MUTEX(wsq_queues_lock);

/**
 * wsq_create() - make a queue
 * @attrs: what it is like; %NULL or zero members for defaults
 * @fmt: its name, as for printf
 *
 * Starts the workers of its CPUs unless they run already.
 *
 * Context: task; may sleep.
 * Return: the queue, or ERR_PTR(): %-EINVAL for attributes out of bounds,
 * %-ENOMEM, %-ENOSPC if there are too many queues.
 */
struct wsq *wsq_create(const struct wsq_attrs *attrs, const char *fmt, ...)
{
	va_list args;
	struct wsq *q;
	int ret;

	q = kzalloc(sizeof(*q), GFP_KERNEL);
	if (!q)
		return ERR_PTR(-ENOMEM);
	va_start(args, fmt);
	vsnprintf(q->pool.name, sizeof(q->pool.name), fmt, args);
	va_end(args);
	wsq_flush_init(q);
	q->pool.on_orphan = wsq_queue_orphan;

	ret = wsq_pool_init(&q->pool, &wsq_machine, attrs,
			    offsetof(struct wsq_work, link));
	if (ret)
		goto free;
	ret = wsq_workers_need(q->pool.cpus);
	if (ret)
		goto exit_pool;
	mutex_lock(&wsq_queues_lock);
	ret = xa_alloc(&wsq_queues, &q->id, q, XA_LIMIT(0, WSQ_MAX_QUEUES - 1),
		       GFP_KERNEL);
	mutex_unlock(&wsq_queues_lock);
	if (ret) {
		ret = ret == -EBUSY ? -ENOSPC : ret;
		goto exit_pool;
	}
	return q;

exit_pool:
	wsq_pool_exit(&q->pool);
free:
	kfree(q);
	return ERR_PTR(ret);
}
WSQ_EXPORT(wsq_create);

/* Keep what the queue counted, so that statistics do not go back. */
static void wsq_queue_fold(const struct wsq *q)
{
	unsigned int cpu, phase;

	for_each_cpu(cpu, q->pool.cpus) {
		const struct wsq_container *ct = wsq_pool_ct(&q->pool, cpu);
		struct wsq_cpu *c = wsq_cpus[cpu];

		if (!ct)
			continue;
		for (phase = 0; phase < WSQ_PHASES; phase++) {
			u64 in = atomic64_read(&ct->in_cnt[phase]);

			c->old_puts += READ_ONCE(ct->put_cnt[phase]) + in;
			c->old_inbox += in;
			c->old_gets += READ_ONCE(ct->done_cnt[phase]) +
				       atomic64_read(&ct->far_cnt[phase]);
		}
	}
}

/**
 * wsq_destroy() - run what is queued, then free the queue
 * @q: the queue, or %NULL
 *
 * Nobody may queue to @q once this is called, but for its own items, which are
 * waited for as well.
 *
 * Context: task; may sleep. Not from an item, as wsq_flush().
 */
void wsq_destroy(struct wsq *q)
{
	if (!q)
		return;

	/* Items that queue items: each round gets one generation further. */
	do {
		wsq_flush(q);
	} while (!wsq_flushed(q));
	WRITE_ONCE(q->dying, true);

	/* Not to be found any more, but the number stays taken. */
	mutex_lock(&wsq_queues_lock);
	xa_store(&wsq_queues, q->id, XA_ZERO_ENTRY, GFP_KERNEL);
	/* Statistics either find the queue or what it counted. */
	wsq_queue_fold(q);
	mutex_unlock(&wsq_queues_lock);
	/* Who found the queue by its number has said so by now ... */
	synchronize_rcu();
	/* ... and leaves it soon, for there is nothing in it. */
	wsq_workers_leave(q);
	wsq_ready_forget(q->id);

	mutex_lock(&wsq_queues_lock);
	xa_erase(&wsq_queues, q->id);
	mutex_unlock(&wsq_queues_lock);
	wsq_pool_exit(&q->pool);
	kfree(q);
}
WSQ_EXPORT(wsq_destroy);

/* A put that cannot use the engine of its own CPU. */
static void wsq_queue_slow(struct wsq *q, struct wsq_container *ct,
			   struct wsq_work *work, unsigned int phase)
{
	unsigned int cpu = smp_processor_id();

	if (!ct) {
		cpu = wsq_pool_nearest(&q->pool, cpu);
		ct = wsq_pool_ct(&q->pool, cpu);
	}
	/* A full barrier: [RD1], and against wsq_idle_enter(). */
	wsq_container_push_link(ct, &work->link, phase);
	if (!wsq_ready_test(wsq_cpus[cpu], q->id))
		wsq_ready_mark(wsq_cpus[cpu], q->id);
	/* A full container, or a CPU that is busy with an interrupt. */
	if (unlikely(wsq_idle_any()) && !wsq_parked(&wsq_cpus[cpu]->park))
		wsq_wake_idle(q, cpu);
}

/**
 * wsq_queue_work() - have a work item run
 * @q: the queue
 * @work: the item
 *
 * The item runs on this CPU, or on one that is idle earlier. An item that was
 * queued again by its own function, or since that function was called, may run
 * beside itself on two CPUs.
 *
 * Context: any, NMI included; not under a runqueue lock or a task's pi_lock.
 * Never sleeps, never fails for want of memory or room.
 * Return: true if @work was queued; false if it was pending already: its
 * function has not been called yet and will be.
 * Ordering: what precedes the call is visible to the function, whatever the
 * return value.
 */
bool wsq_queue_work(struct wsq *q, struct wsq_work *work)
{
	struct wsq_container *ct;
	unsigned int cpu, phase;
	int ret = WSQ_CONFLICT;

	/* Full barrier, also if the bit was set: against wsq_run(). */
	if (test_and_set_bit(WSQ_PENDING_BIT, &work->state))
		return false;
	if (WARN_ON_ONCE(READ_ONCE(q->dying))) {
		clear_bit(WSQ_PENDING_BIT, &work->state);
		return false;
	}

	preempt_disable();
	phase = READ_ONCE(q->phase);
	/* Whoever sets the pending bit owns the item. */
	work->phase = phase;

	cpu = smp_processor_id();
	ct = wsq_pool_ct(&q->pool, cpu);
	if (likely(ct))
		ret = wsq_container_put_counted(ct, work, phase);
	if (unlikely(ret < 0)) {
		/* What found no room is counted, what interrupted is not. */
		wsq_queue_slow(q, ct, work,
			       ret == WSQ_FULL ? WSQ_PHASES : phase);
	} else {
		if (!wsq_ready_test(wsq_cpus[cpu], q->id))
			wsq_ready_mark(wsq_cpus[cpu], q->id);
		/*
		 * What the worker here does not have at hand is worth waking
		 * an idle one for. Without a barrier, one that parks at this
		 * very moment can be missed; then the task waits for the
		 * worker here, or for the next put. OPENED pays for certainty.
		 */
		if (ret == WSQ_OPENED ||
		    (unlikely(wsq_idle_any()) &&
		     wsq_bwos_fifo_shared(&ct->fifo)))
			wsq_wake_idle(q, cpu);
	}
	preempt_enable();
	return true;
}
WSQ_EXPORT(wsq_queue_work);

/**
 * wsq_queues_init() - before the first queue
 *
 * Context: module load.
 * Return: 0.
 */
int wsq_queues_init(void)
{
	xa_init_flags(&wsq_queues, XA_FLAGS_ALLOC);
	return 0;
}

/**
 * wsq_queues_exit() - after the last queue
 *
 * Context: module unload.
 */
void wsq_queues_exit(void)
{
	WARN_ON(!xa_empty(&wsq_queues));
	xa_destroy(&wsq_queues);
}
