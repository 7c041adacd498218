// SPDX-License-Identifier: GPL-2.0
/*
 * Putting items: on this CPU, on another, many at once.
 *
 * An item goes to the engine of the CPU that puts it. What cannot (the engine
 * is full or has no memory, the put interrupted another, the CPU has no part in
 * the queue, the item is meant for another CPU) goes to an entrance. A put
 * never fails for want of room, because the item has its link with it.
 */
#include <linux/kthread.h>
#include <linux/topology.h>
#include <trace/events/wsq.h>

#include "../compat/export.h"
#include "put.h"

/* Items whose places are prepared together. */
#define WSQ_PUT_CHUNK		32

/* Is the caller an item of this queue? */
static bool wsq_is_chained(const struct wsq *q)
{
	const struct wsq_worker *w = wsq_worker_current();

	return w && READ_ONCE(w->serving) == q && READ_ONCE(w->cur);
}

/**
 * wsq_admits() - does a queue take items of the caller's
 * @q: the queue
 *
 * Context: any, with preemption off.
 * Return: false while @q is drained, unless the caller is one of its items, and
 * while it is destroyed.
 */
bool wsq_admits(const struct wsq *q)
{
	unsigned int flags = READ_ONCE(q->flags);

	/* Draining queues take what their own items put. */
	return likely(!flags) ||
	       (flags == WSQ_Q_DRAINING && wsq_is_chained(q));
}

/**
 * wsq_may_put_slow() - wsq_may_put() when there is something to it
 * @q: the queue
 * @work: the item
 *
 * Context: as wsq_may_put().
 * Return: as wsq_may_put().
 */
bool wsq_may_put_slow(struct wsq *q, struct wsq_work *work)
{
	if (!(READ_ONCE(work->state) & WSQ_DEPTH)) {
		if (wsq_admits(q))
			return true;
		WARN_ONCE(1, "wsq: %ps queued on %s, which is being %s\n",
			  work->func, q->pool.name,
			  READ_ONCE(q->flags) & WSQ_Q_DYING ?
			  "destroyed" : "drained");
	}
	WRITE_ONCE(work->link.where, 0);
	wsq_clear_pending(work);
	return false;
}

/* A member that anybody may put to: this CPU, or the nearest. */
static struct wsq_container *wsq_put_place(struct wsq *q, unsigned int cpu)
{
	struct wsq_container *ct = wsq_pool_ct(&q->pool, cpu);

	/* It may be leaving: what comes now is moved with the rest. */
	return ct ?: wsq_pool_any(&q->pool, wsq_pool_nearest(&q->pool, cpu));
}

/* Something is in a CPU's container. Preemption is off. */
static void wsq_put_tell(const struct wsq *q, struct wsq_cpu *c)
{
	u32 id = q->pool.id;

	if (!wsq_ready_test(c, id))
		wsq_ready_mark(c, id);
	else if (unlikely(!READ_ONCE(c->worker)))
		/* The CPU is going offline: no worker is left to clear the bit. */
		wsq_wake_all(q, c);
	else if (unlikely(wsq_may_stay(c)))
		wsq_put_behind(c, id);
}

/* Through an entrance. Preemption is off. */
static void wsq_put_entry(struct wsq *q, struct wsq_container *ct,
			  struct wsq_work *work, unsigned int phase, bool bound,
			  bool count)
{
	struct wsq_cpu *c = wsq_cpus[ct->cpu];
	bool awake;

	/* A full barrier: against RD(unmark:B) and PK(announce:B). */
	wsq_linked_push(ct, &work->link, phase, bound, count);
	/* @ct cannot go, with preemption off; the item may have. */
	awake = !wsq_parked(&c->park);
	wsq_put_tell(q, c);
	/*
	 * The worker has more than its container holds, or its CPU is in an
	 * interrupt. If items are brief, only the first sets the surplus bit and
	 * wakes a worker, and thieves wake further ones (wsq_steal_haul()); none
	 * is woken while the container has no memory, because few are there then.
	 * IN(push:C) is between the item and these looks.
	 */
	if (!bound && awake &&
	    (wsq_brief(q, ct) ? ct->engine && !wsq_surplus_test(c) :
	     !wsq_surplus_test(c) || unlikely(wsq_idle_any())))
		wsq_wake_idle(q, c);
}

/* Where the item is meant for a CPU. False: anywhere will do. */
static bool wsq_put_bound(struct wsq *q, struct wsq_work *work, int cpu)
{
	struct wsq_container *ct;

	if (WARN_ON_ONCE((unsigned int)cpu >= nr_cpu_ids))
		return false;
	ct = wsq_pool_ct(&q->pool, cpu);
	/* Not of the queue, offline, or on its way. */
	if (!ct || atomic_read(&ct->orphan) != WSQ_OWNED ||
	    !READ_ONCE(wsq_cpus[cpu]->worker))
		return false;
	wsq_put_entry(q, ct, work, READ_ONCE(q->phase), true, true);
	return true;
}

/*
 * Is what a put has left on this CPU worth telling? An idle CPU comes for slow items,
 * and for what is beyond the block that the worker here takes from. If there is none,
 * slow items are told to those that become idle.
 */
static inline bool wsq_put_worth(const struct wsq_cpu *c,
				 const struct wsq_container *ct)
{
	if (unlikely(wsq_idle_any()))
		return wsq_items_slow(ct) || wsq_engine_shared(ct);
	return unlikely(wsq_items_slow(ct)) && !wsq_surplus_test(c);
}

/*
 * An item was put to this CPU's container, whose worker was asleep. The worker does
 * not run before the thread that is running here sleeps, which may be late.
 */
static void wsq_put_first(const struct wsq *q, struct wsq_container *ct)
{
	if (wsq_items_slow(ct) && wsq_idle_any() && !is_idle_task(current))
		wsq_invite(q, ct);
}

/**
 * wsq_put() - put an item
 * @q: the queue
 * @work: the item, in hand
 * @cpu: where it is to run, or %WSQ_CPU_ANY
 *
 * Context: any, with preemption off.
 */
void wsq_put(struct wsq *q, struct wsq_work *work, int cpu)
{
	unsigned int here = smp_processor_id();
	struct wsq_container *ct;
	unsigned int phase;
	int ret = WSQ_CONFLICT;
	struct wsq_cpu *c;

	trace_wsq_queue(q->pool.name, work, work->func, cpu);
	wsq_debug_activate(work);
	if (cpu != WSQ_CPU_ANY && wsq_put_bound(q, work, cpu))
		return;

	phase = READ_ONCE(q->phase);
	ct = wsq_pool_ct(&q->pool, here);
	if (likely(ct))
		ret = wsq_linked_put(ct, &work->link, phase, true);
	if (unlikely(ret < 0)) {
		/* What found no room is counted, what interrupted is not. */
		wsq_put_entry(q, ct ?: wsq_put_place(q, here), work, phase,
			      false, ret != WSQ_FULL);
		return;
	}
	c = wsq_cpus[here];
	if (!wsq_ready_test(c, q->pool.id)) {
		wsq_ready_mark(c, q->pool.id);
		/* Whoever serves it wakes others for what follows. */
		wsq_put_first(q, ct);
		return;
	}
	if (unlikely(!READ_ONCE(c->worker))) {
		/* The CPU is going offline: no worker is left to clear the bit. */
		wsq_wake_all(q, c);
		return;
	}
	if (unlikely(wsq_may_stay(c)))
		wsq_put_behind(c, q->pool.id);
	/*
	 * Without a barrier, a worker that parks at this very moment can be
	 * missed; then the task waits for the worker here, for the next put, or
	 * for the watchdog. OPENED pays for certainty.
	 */
	if (ret == WSQ_OPENED || wsq_put_worth(c, ct))
		wsq_invite(q, ct);
}

/**
 * wsq_put_again() - put an item that is counted already
 * @work: the item, in hand; its place says queue and phase
 *
 * Context: task, with preemption off.
 */
void wsq_put_again(struct wsq_work *work)
{
	u64 where = READ_ONCE(work->link.where);
	unsigned int phase = wsq_where_phase(where);
	struct wsq_container *ct;
	int ret = WSQ_CONFLICT;
	unsigned int cpu;
	struct wsq *q;

	/* It is counted, so the queue is there. */
	q = xa_load(&wsq_queues, wsq_where_queue(where));
	cpu = smp_processor_id();
	ct = wsq_pool_ct(&q->pool, cpu);
	if (ct)
		ret = wsq_linked_put(ct, &work->link, phase, false);
	if (ret < 0) {
		wsq_put_entry(q, ct ?: wsq_put_place(q, cpu), work, phase,
			      false, false);
		return;
	}
	wsq_put_tell(q, wsq_cpus[cpu]);
	if (ret == WSQ_OPENED)
		wsq_invite(q, ct);
}

/* Put an item, in hand, where others may take it from. Preemption is off. */
static void wsq_put_at(struct wsq *q, struct wsq_container *ct,
		       struct wsq_work *work)
{
	trace_wsq_queue(q->pool.name, work, work->func, ct->cpu);
	wsq_debug_activate(work);
	wsq_put_entry(q, ct, work, READ_ONCE(q->phase), false, true);
}

/* ... where a CPU has it at hand, but not for itself. */
static void wsq_put_near(struct wsq *q, struct wsq_work *work, int cpu)
{
	struct wsq_container *ct = NULL;

	if (!WARN_ON_ONCE((unsigned int)cpu >= nr_cpu_ids) &&
	    cpu != smp_processor_id())
		ct = wsq_pool_ct(&q->pool, cpu);
	if (ct && atomic_read(&ct->orphan) == WSQ_OWNED &&
	    READ_ONCE(wsq_cpus[cpu]->worker))
		wsq_put_at(q, ct, work);
	else
		wsq_put(q, work, WSQ_CPU_ANY);
}

/* ... where a CPU of a memory node has it at hand. */
static void wsq_put_node(struct wsq *q, struct wsq_work *work, int node)
{
	struct wsq_container *ct = NULL;
	unsigned int cpu;

	if (node < 0 || node >= nr_node_ids || !node_online(node) ||
	    node == cpu_to_node(smp_processor_id()))
		goto put;
	for_each_cpu(cpu, cpumask_of_node(node)) {
		struct wsq_container *there = wsq_pool_ct(&q->pool, cpu);

		if (!there || atomic_read(&there->orphan) != WSQ_OWNED)
			continue;
		ct = there;
		/* The first will do, but one whose worker sleeps is better. */
		if (wsq_parked(&wsq_cpus[cpu]->park))
			break;
	}
put:
	if (ct)
		wsq_put_at(q, ct, work);
	else
		wsq_put(q, work, WSQ_CPU_ANY);
}

/* ... anywhere. */
static __always_inline void wsq_put_to(struct wsq *q, struct wsq_work *work,
				       enum wsq_site site, int nr)
{
	switch (site) {
	case WSQ_ON_CPU:
		wsq_put(q, work, nr);
		break;
	case WSQ_NEAR_CPU:
		wsq_put_near(q, work, nr);
		break;
	case WSQ_NEAR_NODE:
		wsq_put_node(q, work, nr);
		break;
	}
}

/**
 * wsq_put_owed() - put an item on behalf of work that was accepted before
 * @q: the queue, drained or not; wsq_admits() was asked when that was accepted
 * @work: the item, which is not pending, and which no other context queues. If another
 *	context is in wsq_cancel_work() for it, this waits until that has seen that
 *	the item is not pending
 * @site: what @nr is
 * @nr: where it is to run
 *
 * Context: as wsq_queue_work(); task, if another context may cancel @work.
 */
void wsq_put_owed(struct wsq *q, struct wsq_work *work, enum wsq_site site,
		  int nr)
{
	preempt_disable();
	/* RN(owed:A): Full barrier: against wsq_begin(). */
	while (unlikely(test_and_set_bit(WSQ_PENDING_BIT, &work->state))) {
		if (WARN_ON_ONCE(!in_task()))
			goto out;
		cpu_relax();
	}
	wsq_put_to(q, work, site, nr);
out:
	preempt_enable();
}

static __always_inline bool wsq_queue(struct wsq *q, struct wsq_work *work,
				      enum wsq_site site, int nr)
{
	bool ret = false;

	preempt_disable();
	/*
	 * RN(queue:A): Full barrier, also if the bit was set: against
	 * wsq_begin().
	 */
	if (!test_and_set_bit(WSQ_PENDING_BIT, &work->state) &&
	    wsq_may_put(q, work)) {
		wsq_put_to(q, work, site, nr);
		ret = true;
	}
	preempt_enable();
	return ret;
}

/**
 * wsq_queue_work() - have a work item run
 * @q: the queue
 * @work: the item; may be running, and is not run beside itself
 *
 * The item runs on this CPU, or on one that is idle earlier.
 *
 * Context: any, NMI included; not under a runqueue lock, a task's pi_lock or a
 * lock of the timer code. Never sleeps, never fails for want of memory or room.
 * Return: true if @work was queued; false if it was pending already: its
 * function has not been called yet and will be, unless it is called back; and
 * false if it is disabled, or @q is being drained or destroyed.
 * Ordering: what precedes the call is visible to the function, also if @work
 * was pending.
 */
bool wsq_queue_work(struct wsq *q, struct wsq_work *work)
{
	return wsq_queue(q, work, WSQ_ON_CPU, WSQ_CPU_ANY);
}
WSQ_EXPORT(wsq_queue_work);

/**
 * wsq_queue_work_on() - have a work item run on a given CPU
 * @cpu: the CPU; if it is offline, only just coming, or no CPU of @q, or the
 *	item runs still somewhere, another CPU will do
 * @q: the queue
 * @work: the item
 *
 * Context: as wsq_queue_work().
 * Return: as wsq_queue_work().
 * Ordering: as wsq_queue_work().
 */
bool wsq_queue_work_on(int cpu, struct wsq *q, struct wsq_work *work)
{
	return wsq_queue(q, work, WSQ_ON_CPU, cpu);
}
WSQ_EXPORT(wsq_queue_work_on);

/**
 * wsq_queue_work_near() - have a work item run on a CPU, or on one that is idle
 * @cpu: the CPU; if it is offline, only just coming, or no CPU of @q, this one
 *	will do
 * @q: the queue
 * @work: the item
 *
 * The CPU gets the item as if it had queued it; it may still be stolen by one that
 * is idle.
 *
 * Context: as wsq_queue_work().
 * Return: as wsq_queue_work().
 * Ordering: as wsq_queue_work().
 */
bool wsq_queue_work_near(int cpu, struct wsq *q, struct wsq_work *work)
{
	return wsq_queue(q, work, WSQ_NEAR_CPU, cpu);
}
WSQ_EXPORT(wsq_queue_work_near);

/**
 * wsq_queue_work_node() - have a work item run near some memory
 * @node: the node, or %NUMA_NO_NODE; if @q has no CPU online there, any node
 *	will do
 * @q: the queue
 * @work: the item
 *
 * A CPU of the node gets the item, this one if it is of that node. It may still
 * be stolen by one that is idle.
 *
 * Context: as wsq_queue_work().
 * Return: as wsq_queue_work().
 * Ordering: as wsq_queue_work().
 */
bool wsq_queue_work_node(int node, struct wsq *q, struct wsq_work *work)
{
	return wsq_queue(q, work, WSQ_NEAR_NODE, node);
}
WSQ_EXPORT(wsq_queue_work_node);

/* Put some items, in hand, in one go. Preemption is off. */
static void wsq_put_chunk(struct wsq *q, struct wsq_link *const *links,
			  unsigned int nr)
{
	unsigned int phase = READ_ONCE(q->phase), done = 0;
	unsigned int cpu = smp_processor_id();
	struct wsq_container *ct = wsq_pool_ct(&q->pool, cpu);
	struct wsq_cpu *c = wsq_cpus[cpu];
	bool opened = false;

	if (likely(ct))
		done = wsq_linked_put_many(ct, links, nr, phase, &opened);
	if (done)
		wsq_put_tell(q, c);
	if (done > 1)
		wsq_put_more(c, q->pool.id);
	if (opened || (done && wsq_put_worth(c, ct)))
		wsq_invite(q, ct);
	if (likely(done == nr))
		return;
	ct = ct ?: wsq_put_place(q, cpu);
	for (; done < nr; done++)
		wsq_put_entry(q, ct, container_of(links[done], struct wsq_work,
						  link), phase, false, true);
}

/**
 * wsq_queue_work_many() - have several work items run
 * @q: the queue
 * @works: the items; may be running, pending or disabled, in any mixture
 * @nr: how many
 *
 * Cheaper than one by one; otherwise the same.
 *
 * Context: as wsq_queue_work(). Runs with preemption off for a few items at a
 * time.
 * Return: how many were queued: those for which wsq_queue_work() would have
 * returned true.
 * Ordering: as wsq_queue_work().
 */
unsigned int wsq_queue_work_many(struct wsq *q, struct wsq_work *const *works,
				 unsigned int nr)
{
	struct wsq_link *links[WSQ_PUT_CHUNK];
	unsigned int i = 0, n, queued = 0;

	while (i < nr) {
		preempt_disable();
		for (n = 0; n < WSQ_PUT_CHUNK && i < nr; i++) {
			struct wsq_work *work = works[i];

			/* RN(bulk:A) */
			if (!test_and_set_bit(WSQ_PENDING_BIT, &work->state) &&
			    wsq_may_put(q, work)) {
				trace_wsq_queue(q->pool.name, work, work->func,
						WSQ_CPU_ANY);
				wsq_debug_activate(work);
				links[n++] = &work->link;
			}
		}
		if (n)
			wsq_put_chunk(q, links, n);
		preempt_enable();
		queued += n;
	}
	return queued;
}
WSQ_EXPORT(wsq_queue_work_many);
