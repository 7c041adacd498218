// SPDX-License-Identifier: GPL-2.0
/*
 * Putting items: on this CPU, on another, many at once.
 *
 * An item goes to the engine of the CPU that puts it. It goes to an inbox
 * instead if the engine is full or has no memory, if the put interrupted
 * another put, if the CPU is no member of the queue, or if the item is meant
 * for another CPU. A put never fails for lack of space, because the item embeds
 * its inbox link. All items of a queue that keeps order go to its list
 * (ordered.h), whatever CPU they are meant for.
 */
#include <linux/kthread.h>
#include <linux/topology.h>
#include <trace/events/wsq.h>

#include "../compat/export.h"
#include "put.h"

/* Items put together, with preemption off. */
#define WSQ_PUT_CHUNK		32

/* Is the caller an item of this queue? */
static bool wsq_is_chained(const struct wsq *q)
{
	const struct wsq_worker *w = wsq_worker_current();

	return w && READ_ONCE(w->serving) == q && READ_ONCE(w->cur);
}

/* wsq_admits(), if the queue has flags. */
bool wsq_admits_slow(const struct wsq *q)
{
	unsigned int flags = READ_ONCE(q->flags);

	/* A draining queue accepts what its own items put. */
	return likely(!flags) ||
	       (flags == WSQ_Q_DRAINING && wsq_is_chained(q));
}

/**
 * wsq_may_put_slow() - wsq_may_put() of a disabled item, or if @q has flags
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

/* The lane of a member CPU for a put from @cpu: its own, or the nearest. */
static struct wsq_lane *wsq_put_lane(struct wsq *q, unsigned int cpu)
{
	struct wsq_lane *lane = wsq_lane(q, cpu);

	/* The member may be leaving: its items are then moved, this one too. */
	return lane ?: wsq_lane_any(q, wsq_pool_nearest(&q->pool, cpu));
}

/* Notify a CPU of an item in its lane. Preemption is off. */
static void wsq_put_notify(const struct wsq *q, struct wsq_cpu *c)
{
	u32 id = q->id;

	if (!wsq_ready_test(c, id))
		wsq_ready_mark(c, id);
	else if (unlikely(!READ_ONCE(c->worker)))
		/* The CPU is going offline: no worker clears the bit. */
		wsq_wake_all(q, c);
	else if (unlikely(wsq_may_stay(c)))
		wsq_put_behind(c, id);
}

/*
 * An interrupt of this CPU put an item that the CPU's worker was notified of.
 * Does another thread have the CPU, or an item of a queue whose items are slow?
 * Then the worker may begin the item late. Not asked for puts of threads: most
 * of them sleep or end soon.
 */
static bool wsq_put_late(const struct wsq_cpu *c)
{
	const struct wsq_worker *w = READ_ONCE(c->worker);
	const struct wsq_lane *lane;
	const struct wsq *q;

	if (likely(in_task()) || is_idle_task(current) || !w)
		return false;
	if (w->task != current)
		return true;
	/* While the worker is in an item, its queue exists. */
	q = READ_ONCE(w->cur) ? READ_ONCE(w->serving) : NULL;
	lane = q ? wsq_lane_any(q, c->cpu) : NULL;
	return lane && wsq_items_slow(lane);
}

/*
 * ... and an idle CPU can take over. Then thieves may take the item from the
 * worker's block, until the worker begins one.
 */
static bool wsq_put_take_over(const struct wsq *q, struct wsq_cpu *c)
{
	const struct wsq_worker *w;

	if (likely(!wsq_put_late(c)) || wsq_idle_nearest(q) >= nr_cpu_ids)
		return false;
	w = READ_ONCE(c->worker);
	if (w)
		WRITE_ONCE(c->watchdog.stuck, READ_ONCE(w->nr_run) + 1);
	return w;
}

/* Put an item through an inbox. Preemption is off. */
static void wsq_put_inbox(struct wsq *q, struct wsq_lane *lane,
			  struct wsq_work *work, unsigned int color, bool bound,
			  bool count)
{
	struct wsq_cpu *c = wsq_cpu_of(q, lane->ct.cpu);
	bool awake;

	if (unlikely(q->order)) {
		work = wsq_order_put(q, lane, work, color, count);
		if (!work)
			return;
		bound = false;
		count = false;
	}
	/* A full barrier: against RD(unmark:B) and PK(announce:B). */
	wsq_lane_push(lane, &work->link, color, bound, count);
	/* The item may be freed by now; @lane is not, with preemption off. */
	awake = !wsq_parked(&c->park);
	wsq_put_notify(q, c);
	/*
	 * The worker has more than its container holds, or its CPU is in an
	 * interrupt. If items are brief, only the first one sets the surplus
	 * bit and wakes a worker, and thieves wake more
	 * (wsq_steal_lane_batch()). While the container has no memory, no
	 * worker is woken for brief items, because few are there. IN(push:C) is
	 * between the item and these looks.
	 */
	if (!bound && awake &&
	    (wsq_brief(q, lane) ? lane->ct.engine && !wsq_surplus_test(c) :
	     !wsq_surplus_test(c) ||
	     unlikely(wsq_idle_any(&q->class->domains))))
		wsq_wake_idle(q, c);
	else if (!bound && !awake && c->cpu == smp_processor_id() &&
		 wsq_put_take_over(q, c))
		wsq_wake_idle(q, c);
}

/* Put an item that is bound to a CPU. False: any CPU will do. */
static bool wsq_put_bound(struct wsq *q, struct wsq_work *work, int cpu,
			  unsigned int color, bool count)
{
	struct wsq_lane *lane;

	if (WARN_ON_ONCE((unsigned int)cpu >= nr_cpu_ids))
		return false;
	lane = wsq_lane(q, cpu);
	/* The CPU is no member, is offline, or is on its way up or down. */
	if (!lane || atomic_read(&lane->ct.ownership) != WSQ_OWNED ||
	    !READ_ONCE(wsq_cpu_of(q, cpu)->worker))
		return false;
	wsq_put_inbox(q, lane, work, color, true, count);
	return true;
}

/*
 * Should a put notify other CPUs of the items on this one? An idle CPU comes
 * for slow items, and for items outside the worker's active block. If no CPU is
 * idle, slow items set the surplus bit, for CPUs that become idle.
 */
static inline bool wsq_put_worth(const struct wsq *q, const struct wsq_cpu *c,
				 const struct wsq_lane *lane)
{
	if (unlikely(wsq_idle_any(&q->class->domains)))
		return wsq_items_slow(lane) || wsq_engine_has_published(&lane->ct) ||
		       wsq_keeps_much(lane);
	return unlikely(wsq_items_slow(lane)) && !wsq_surplus_test(c);
}

/*
 * An item was put to this CPU's container, which was empty. The worker may run
 * late: not before the thread that runs here sleeps.
 */
static void wsq_put_first(const struct wsq *q, struct wsq_lane *lane)
{
	if (wsq_items_slow(lane) && wsq_idle_any(&q->class->domains) &&
	    !is_idle_task(current))
		wsq_wake_one_more(q, lane);
}

/**
 * wsq_put() - put an item
 * @q: the queue
 * @work: the item, owned
 * @cpu: where it is to run, or %WSQ_CPU_ANY
 *
 * Context: any, with preemption off.
 */
void wsq_put(struct wsq *q, struct wsq_work *work, int cpu)
{
	unsigned int here = smp_processor_id();
	struct wsq_lane *lane;
	unsigned int color;
	int ret = WSQ_CONFLICT;
	struct wsq_cpu *c;

	trace_wsq_queue(q->pool.name, work, work->func, cpu);
	wsq_debug_activate(work);
	color = READ_ONCE(q->color);
	if (cpu != WSQ_CPU_ANY && wsq_put_bound(q, work, cpu, color, true))
		return;

	lane = wsq_lane(q, here);
	if (likely(lane) && likely(wsq_put_begin(&lane->ct))) {
		/* First: never count more items as run than as put. */
		WRITE_ONCE(lane->count[color].put, lane->count[color].put + 1);
		ret = wsq_engine_put_link(&lane->ct, &work->link,
					  wsq_location_in_slot(lane->ct.tag, color));
		wsq_put_end(&lane->ct);
	}
	if (unlikely(ret < 0)) {
		/* If full, it is counted; after a conflict, it is not. */
		wsq_put_inbox(q, lane ?: wsq_put_lane(q, here), work, color,
			      false, ret != WSQ_FULL);
		return;
	}
	c = wsq_cpu_of(q, here);
	if (!wsq_ready_test(c, q->id)) {
		wsq_ready_mark(c, q->id);
		/* The worker that serves it wakes others for further items. */
		if (wsq_put_take_over(q, c))
			wsq_wake_another(q, lane);
		else
			wsq_put_first(q, lane);
		return;
	}
	if (unlikely(!READ_ONCE(c->worker))) {
		/* The CPU is going offline: no worker clears the bit. */
		wsq_wake_all(q, c);
		return;
	}
	if (unlikely(wsq_may_stay(c)))
		wsq_put_behind(c, q->id);
	/*
	 * There is no barrier, so this may miss a worker that parks just now.
	 * Then the item waits for the worker here, the next put, or the
	 * watchdog. After %WSQ_PUBLISHED, wsq_wake_one_more() has the barrier.
	 */
	if (ret == WSQ_PUBLISHED || wsq_put_worth(q, c, lane))
		wsq_wake_one_more(q, lane);
}

/**
 * wsq_put_again() - put an item that is counted already
 * @work: the item, owned; its @where has queue and flush color. Or the token of
 *	a queue that keeps order, which is not counted: nothing happens if its
 *	queue was destroyed. Its memory exists while a worker serves the queue,
 *	and until the queue leaves the hotplug list
 *
 * Context: task, with preemption off.
 */
void wsq_put_again(struct wsq_work *work)
{
	u64 where = READ_ONCE(work->link.where);
	unsigned int color = wsq_location_color(where);
	struct wsq_lane *lane;
	int ret = WSQ_CONFLICT;
	unsigned int cpu;
	struct wsq *q;

	/* An item is counted, so its queue exists. */
	q = xa_load(&wsq_queues, wsq_location_queue(where));
	/*
	 * A token is not. If its queue was destroyed, there is no item left to
	 * run, and the number may be another queue's by now.
	 */
	if (unlikely(wsq_ran(READ_ONCE(work->state)) == WSQ_RAN_TOKEN) &&
	    (!q || !q->order || work != &q->order->token))
		return;
	/* It was queued for that CPU while it ran elsewhere, or there. */
	if (unlikely(wsq_location_bound(where)) &&
	    wsq_put_bound(q, work, wsq_location_cpu(where), color, false))
		return;
	cpu = smp_processor_id();
	lane = wsq_lane(q, cpu);
	if (lane)
		ret = wsq_lane_put(lane, &work->link, color);
	if (ret < 0) {
		wsq_put_inbox(q, lane ?: wsq_put_lane(q, cpu), work, color,
			      false, false);
		return;
	}
	wsq_put_notify(q, wsq_cpu_of(q, cpu));
	if (ret == WSQ_PUBLISHED)
		wsq_wake_one_more(q, lane);
}

/* Put an item, owned, in a lane's open inbox. Preemption is off. */
static void wsq_put_at(struct wsq *q, struct wsq_lane *lane,
		       struct wsq_work *work)
{
	trace_wsq_queue(q->pool.name, work, work->func, lane->ct.cpu);
	wsq_debug_activate(work);
	wsq_put_inbox(q, lane, work, READ_ONCE(q->color), false, true);
}

/* ... near a CPU, not bound to it. */
static void wsq_put_near(struct wsq *q, struct wsq_work *work, int cpu)
{
	struct wsq_lane *lane = NULL;

	if (!WARN_ON_ONCE((unsigned int)cpu >= nr_cpu_ids) &&
	    cpu != smp_processor_id())
		lane = wsq_lane(q, cpu);
	if (lane && atomic_read(&lane->ct.ownership) == WSQ_OWNED &&
	    READ_ONCE(wsq_cpu_of(q, cpu)->worker))
		wsq_put_at(q, lane, work);
	else
		wsq_put(q, work, WSQ_CPU_ANY);
}

/* ... near a CPU of a memory node. */
static void wsq_put_node(struct wsq *q, struct wsq_work *work, int node)
{
	struct wsq_lane *lane = NULL;
	unsigned int cpu;

	if (node < 0 || node >= nr_node_ids || !node_online(node) ||
	    node == cpu_to_node(smp_processor_id()))
		goto put;
	for_each_cpu(cpu, cpumask_of_node(node)) {
		struct wsq_lane *there = wsq_lane(q, cpu);

		if (!there || atomic_read(&there->ct.ownership) != WSQ_OWNED)
			continue;
		lane = there;
		/* Any will do, but prefer one whose worker is parked. */
		if (wsq_parked(&wsq_cpu_of(q, cpu)->park))
			break;
	}
put:
	if (lane)
		wsq_put_at(q, lane, work);
	else
		wsq_put(q, work, WSQ_CPU_ANY);
}

/* ... on a CPU whose worker is parked. */
static void wsq_put_idle(struct wsq *q, struct wsq_work *work)
{
	unsigned int cpu = wsq_idle_nearest(q);
	struct wsq_lane *lane = NULL;

	if (cpu < nr_cpu_ids)
		lane = wsq_lane(q, cpu);
	if (lane && atomic_read(&lane->ct.ownership) == WSQ_OWNED)
		wsq_put_at(q, lane, work);
	else
		wsq_put(q, work, WSQ_CPU_ANY);
}

/* ... behind the items of this CPU: a LIFO engine would put it in front. */
static void wsq_put_last(struct wsq *q, struct wsq_work *work)
{
	struct wsq_lane *lane = wsq_lane(q, smp_processor_id());

	if (lane && wsq_engine_ops(lane->ct.kind)->newest_first)
		wsq_put_at(q, lane, work);
	else
		wsq_put(q, work, WSQ_CPU_ANY);
}

/**
 * wsq_put_owed() - put an item on behalf of work that was accepted before
 * @q: the queue, drained or not; wsq_admits() was asked when the work was
 *	accepted
 * @work: the item, which is not pending, and which no other context queues. If
 *	another context is in wsq_cancel_work() for it, this waits until that
 *	has seen that the item is not pending
 * @site: what @nr means
 * @nr: where it is to run
 *
 * Context: as wsq_queue_work(), with preemption off; task, if another context may
 * cancel @work.
 */
void wsq_put_owed(struct wsq *q, struct wsq_work *work, enum wsq_site site,
		  int nr)
{
	/* RN(owed:A): Full barrier, against wsq_begin(). */
	while (unlikely(test_and_set_bit(WSQ_PENDING_BIT, &work->state))) {
		if (WARN_ON_ONCE(!in_task()))
			return;
		cpu_relax();
	}
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
	case WSQ_ON_IDLE:
		wsq_put_idle(q, work);
		break;
	case WSQ_BEHIND:
		wsq_put_last(q, work);
		break;
	}
}

/* Own an item that was not pending. */
static __always_inline bool wsq_own_bit(struct wsq_work *work)
{
	/*
	 * RN(queue:A): Full barrier, also if the bit was set: against
	 * wsq_begin().
	 */
	return likely(!test_and_set_bit(WSQ_PENDING_BIT, &work->state));
}

/* Own an item, if it may be put. Preemption is off. */
static __always_inline bool wsq_own(struct wsq *q, struct wsq_work *work)
{
	return wsq_own_bit(work) && wsq_may_put(q, work);
}

bool wsq_queue_work(struct wsq *q, struct wsq_work *work)
{
	bool own;

	preempt_disable();
	own = wsq_own(q, work);
	if (own)
		wsq_put(q, work, WSQ_CPU_ANY);
	preempt_enable();
	return own;
}
WSQ_EXPORT(wsq_queue_work);

bool wsq_queue_work_on(int cpu, struct wsq *q, struct wsq_work *work)
{
	bool own;

	preempt_disable();
	own = wsq_own(q, work);
	if (own)
		wsq_put(q, work, cpu);
	preempt_enable();
	return own;
}
WSQ_EXPORT(wsq_queue_work_on);

bool wsq_queue_work_near(int cpu, struct wsq *q, struct wsq_work *work)
{
	bool own;

	preempt_disable();
	own = wsq_own(q, work);
	if (own)
		wsq_put_near(q, work, cpu);
	preempt_enable();
	return own;
}
WSQ_EXPORT(wsq_queue_work_near);

bool wsq_queue_work_node(int node, struct wsq *q, struct wsq_work *work)
{
	bool own;

	preempt_disable();
	own = wsq_own(q, work);
	if (own)
		wsq_put_node(q, work, node);
	preempt_enable();
	return own;
}
WSQ_EXPORT(wsq_queue_work_node);

/**
 * wsq_offer_work_near() - queue a work item that a queue may refuse
 * @cpu: the CPU
 * @q: the queue
 * @work: the item
 *
 * As wsq_queue_work_near(), for a caller that does the work itself if no worker
 * does: a queue that is being drained or destroyed refuses it without a
 * warning.
 *
 * Context: as wsq_queue_work().
 * Return: as wsq_queue_work().
 * Ordering: as wsq_queue_work().
 */
bool wsq_offer_work_near(int cpu, struct wsq *q, struct wsq_work *work)
{
	bool own;

	preempt_disable();
	own = wsq_admits(q) && wsq_own_bit(work);
	if (own && unlikely(READ_ONCE(work->state) & WSQ_DEPTH)) {
		/* Disabled. */
		WRITE_ONCE(work->link.where, 0);
		wsq_clear_pending(work);
		own = false;
	}
	if (own)
		wsq_put_near(q, work, cpu);
	preempt_enable();
	return own;
}

/**
 * wsq_queue_work_idle() - queue a work item on a CPU whose worker is parked
 * @q: the queue
 * @work: the item
 *
 * For callers that go on computing. The nearest such CPU gets the item,
 * although other threads may run there. If there is none, this CPU gets it, and
 * a worker elsewhere that runs out of items may steal it.
 *
 * Context: as wsq_queue_work().
 * Return: as wsq_queue_work().
 * Ordering: as wsq_queue_work().
 */
bool wsq_queue_work_idle(struct wsq *q, struct wsq_work *work)
{
	bool own;

	preempt_disable();
	own = wsq_own(q, work);
	if (own)
		wsq_put_idle(q, work);
	preempt_enable();
	return own;
}

/* Put some items, owned, together. Preemption is off. */
static void wsq_put_chunk(struct wsq *q, struct wsq_link *const *links,
			  unsigned int nr)
{
	unsigned int color = READ_ONCE(q->color), done = 0;
	unsigned int cpu = smp_processor_id();
	struct wsq_lane *lane = wsq_lane(q, cpu);
	struct wsq_cpu *c = wsq_cpu_of(q, cpu);
	bool published = false, first;

	if (likely(lane))
		done = wsq_lane_put_many(lane, links, nr, color, &published);
	first = done && !wsq_ready_test(c, q->id);
	if (done)
		wsq_put_notify(q, c);
	if (done > 1)
		wsq_put_more(c, q->id);
	if (first && wsq_put_take_over(q, c))
		wsq_wake_another(q, lane);
	else if (published || (done && wsq_put_worth(q, c, lane)))
		wsq_wake_one_more(q, lane);
	if (likely(done == nr))
		return;
	lane = lane ?: wsq_put_lane(q, cpu);
	for (; done < nr; done++)
		wsq_put_inbox(q, lane, container_of(links[done], struct wsq_work,
						    link), color, false, true);
}

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
