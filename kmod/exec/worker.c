// SPDX-License-Identifier: GPL-2.0
/*
 * What workers do: serve all queues that have work on their CPU in turn, steal
 * when there is none, and park when stealing brings nothing; parked, a worker
 * costs no time.
 *
 * A worker owns the containers of its CPU only while it runs there, with
 * preemption off. Two workers of one CPU, of which one has been put out of
 * office and has not noticed yet, cannot get into each other's way for that. A
 * worker that has lost its CPU, or its office, finishes the item it is at; the
 * item is counted in far_cnt, for it is no longer this CPU's only counter.
 */
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/sched/debug.h>
#include <trace/events/wsq.h>

#include "../compat/export.h"
#include "item.h"
#include "lap.h"

/* A worker that parks twice within this time gets too many wake-ups. */
#define WSQ_BREATHE_NS		(10 * NSEC_PER_USEC)
/* Items of which a container learns what one takes. */
#define WSQ_LAP_ITEMS		16

/* Is the caller, with preemption off, an owner of this container? */
static bool wsq_at_home(const struct wsq_worker *w, const struct wsq *q,
			const struct wsq_container *ct)
{
	return likely(smp_processor_id() == w->cpu) &&
	       likely(!READ_ONCE(w->gone)) &&
	       likely(wsq_pool_ct(&q->pool, w->cpu) == ct);
}

/**
 * wsq_account() - count an item that has run, or will not
 * @q: the queue
 * @ct: the container that counted it as put, or any other of @q
 * @home: the caller is an owner of @ct
 * @phase: the item's phase
 *
 * Context: any, with preemption off.
 */
void wsq_account(struct wsq *q, struct wsq_container *ct, bool home,
		 unsigned int phase)
{
	if (likely(home))
		smp_store_release(&ct->done_cnt[phase],	/* FL(count:A) */
				  ct->done_cnt[phase] + 1);
	else
		/* FL(count:B) */
		atomic64_fetch_add_release(1, &ct->far_cnt[phase]);
}

/* Call the function. The item may be gone when it returns. */
static void wsq_call(struct wsq *q, struct wsq_work *work, wsq_func_t func)
{
#ifdef CONFIG_LOCKDEP
	struct lockdep_map map;

	/* The item may be freed while its map is held. */
	lockdep_copy_map(&map, &work->lockdep_map);
	lock_map_acquire(&q->lockdep_map);
	lock_map_acquire(&map);
#endif
	trace_wsq_execute_start(q->pool.name, work, func,
				raw_smp_processor_id());
	func(work);
	trace_wsq_execute_end(q->pool.name, work, func, raw_smp_processor_id());
#ifdef CONFIG_LOCKDEP
	lock_map_release(&map);
	lock_map_release(&q->lockdep_map);
#endif
	if (IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP) &&
	    unlikely(preempt_count() || rcu_preempt_depth())) {
		pr_err("wsq: %ps returned with preemption off or a lock held\n",
		       func);
		dump_stack();
	}
}

/*
 * Run an item that was claimed. Preemption is off, on return as well. Returns
 * the phase to count it in, %WSQ_NO_PHASE if it did not run here.
 */
static unsigned int wsq_run(struct wsq_worker *w, struct wsq *q,
			    struct wsq_work *work, unsigned int last_phase)
{
	u32 ran = wsq_ran(READ_ONCE(work->state));
	u64 where = READ_ONCE(work->link.where);
	unsigned int phase = wsq_where_phase(where);
	wsq_func_t func = work->func;

	if (unlikely(ran != w->id) && ran && wsq_defer(ran, work))
		return WSQ_NO_PHASE;

	wsq_debug_deactivate(work);
	WRITE_ONCE(work->link.where, wsq_where_in_hand(where));
	WRITE_ONCE(w->func, func);
	WRITE_ONCE(w->nr_run, w->nr_run + 1);			/* BU(run:A) */
	WRITE_ONCE(w->cur, work);				/* RN(run:A) */
	/*
	 * Full barrier, if it begins: the count of the item before is out
	 * before @awaited is read.
	 */
	if (likely(wsq_begin(w, work))) {
		preempt_enable();
		if (phase != last_phase)
			wsq_flush_check(q, last_phase);
		wsq_call(q, work, func);
		cond_resched();
		preempt_disable();
	} else if (phase != last_phase) {
		/* Its way back to its timer had a full barrier, too. */
		wsq_flush_check(q, last_phase);
	}
	/* Release: who sees that it is through sees what it did. */
	smp_store_release(&w->cur, NULL);			/* RN(run:B) */
	return phase;
}

/*
 * An item takes so long, as far as was seen just now. It may look longer than it is,
 * for there are interrupts, but not shorter: up slowly, down quickly.
 */
static void wsq_item_learn(struct wsq_container *ct, u64 ns)
{
	if (ns < ct->item_ns)
		ns = (ct->item_ns + ns) / 2;
	else if (ct->item_ns)
		ns = (7ULL * ct->item_ns + ns) / 8;
	WRITE_ONCE(ct->item_ns, clamp_t(u64, ns, 1, U32_MAX));
}

/*
 * @ran items have taken @ns in all, without those who had the CPU meanwhile. Many short
 * turns tell as much as a long one.
 */
static void wsq_serve_learn(struct wsq_container *ct, u32 ran, u64 ns)
{
	ct->lap_ns += ns;
	ct->lap_items += ran;
	if (ct->lap_items < WSQ_LAP_ITEMS)
		return;
	wsq_item_learn(ct, div_u64(ct->lap_ns, ct->lap_items));
	ct->lap_ns = 0;
	ct->lap_items = 0;
}

/**
 * struct wsq_turn - what is to be known of a worker's turn at a queue, to learn from
 * @from: when it began
 * @first: what the first item took, if nobody else had the CPU meanwhile
 * @switches: wsq_lap_switches() when it began
 * @sleeps: how often the worker had slept by then
 * @away: wsq_lap_away() by then
 */
struct wsq_turn {
	u64 from;
	u64 first;
	unsigned long switches;
	unsigned long sleeps;
	u64 away;
};

static __always_inline void wsq_turn_begin(struct wsq_turn *t)
{
	t->first = 0;
	t->switches = wsq_lap_switches();
	t->sleeps = READ_ONCE(current->nvcsw);
	t->away = wsq_lap_away();
	t->from = local_clock();
}

/*
 * Others had the CPU meanwhile, as with long items they always do. That does not
 * count, unless it was given up: what waits behind an item that sleeps waits for
 * that, too.
 */
static noinline void wsq_turn_learn_slow(struct wsq_container *ct,
					 const struct wsq_turn *t, u32 ran)
{
	u64 ns = local_clock() - t->from;
	s64 away = wsq_lap_away() - t->away;

	/* Time of interrupts and of hosts may be in one of the two only. */
	if (READ_ONCE(current->nvcsw) == t->sleeps && away > 0)
		ns -= min_t(u64, ns, away);
	wsq_serve_learn(ct, ran, ns);
}

/* @ran items were run; the worker is at home. */
static void wsq_turn_learn(struct wsq_container *ct, const struct wsq_turn *t,
			   u32 ran)
{
	if (likely(wsq_lap_switches() == t->switches))
		wsq_serve_learn(ct, ran, local_clock() - t->from);
	else if (t->first && ran == 1)
		wsq_item_learn(ct, t->first);
	else
		wsq_turn_learn_slow(ct, t, ran);
}

/**
 * wsq_serve() - run items of one queue, at most a budget
 * @w: the worker
 * @c: its CPU
 * @q: the queue; it cannot go, because @w->serving says we are there
 * @ct: its container here
 *
 * Context: @w itself.
 */
void wsq_serve(struct wsq_worker *w, struct wsq_cpu *c, struct wsq *q,
	       struct wsq_container *ct)
{
	unsigned int budget = WSQ_BUDGET;
	unsigned int last = WSQ_NO_PHASE;
	unsigned int ran = 0;
	struct wsq_turn turn;
	bool home = false;
	void *task;

	wsq_turn_begin(&turn);
	preempt_disable();
	home = wsq_at_home(w, q, ct);
	if (home && (unlikely(!ct->engine) ||
		     unlikely(READ_ONCE(ct->give_back))))
		wsq_memory_serve(ct);
	while (budget-- && home) {
		unsigned int phase;

		task = wsq_linked_claim(ct);
		if (!task) {
			wsq_ready_unmark(c, q->pool.id, ct);
			break;
		}
		if (task == WSQ_AGAIN)
			continue;
		/* A claim is a full barrier, wherever it was: item.h. */
		if (unlikely(READ_ONCE(w->attention)))
			wsq_attend(w);
		/* More behind it: one more worker may be worth its waking. */
		if ((budget == WSQ_BUDGET - 1 && wsq_engine_shared(ct)) ||
		    wsq_engine_opened(ct))
			wsq_invite(q, ct);

		phase = wsq_run(w, q, task, last);
		home = wsq_at_home(w, q, ct);
		if (unlikely(phase == WSQ_NO_PHASE))
			continue;
		wsq_account(q, ct, home, phase);
		last = phase;
		/* Who takes turns with those who queue is never long by himself. */
		if (!ran++ && wsq_lap_switches() == turn.switches)
			turn.first = local_clock() - turn.from;
		if (unlikely(READ_ONCE(w->displaced)))
			break;
	}
	/* What a container has learnt is its own CPU's. */
	if (likely(home) && likely(ran))
		wsq_turn_learn(ct, &turn, ran);
	preempt_enable();

	smp_mb();					/* FL(serve:A) */
	wsq_flush_check(q, last);
	if (unlikely(READ_ONCE(w->attention)))
		wsq_attend(w);
}

/*
 * A queue that this CPU has left, or that is gone: what is here, others see to.
 * Preemption is off.
 */
static void wsq_serve_drop(struct wsq_cpu *c, u32 id)
{
	struct wsq *q;

	wsq_ready_drop(c, id);
	/* Unless the CPU has joined again, or the number is another queue's. */
	q = xa_load(&wsq_queues, id);
	if (q && wsq_pool_ct(&q->pool, c->cpu))
		wsq_ready_mark(c, id);
}

/* Serve the next queue that has work here. False if there is none. */
static bool wsq_serve_next(struct wsq_worker *w, struct wsq_cpu *c)
{
	struct wsq_container *ct = NULL;
	struct wsq *q;
	u32 id;

	id = wsq_ready_next(c, READ_ONCE(c->next));
	if (id == WSQ_MAX_QUEUES) {
		if (unlikely(wsq_ready_any(c)))
			wsq_ready_tidy(c);
		return false;
	}
	WRITE_ONCE(c->next, id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0);

	preempt_disable();
	if (likely(smp_processor_id() == w->cpu && !READ_ONCE(w->gone))) {
		q = xa_load(&wsq_queues, id);
		ct = q ? wsq_pool_ct(&q->pool, c->cpu) : NULL;
		/* Before preemption is on again: against wsq_workers_leave(). */
		if (ct)
			WRITE_ONCE(w->serving, q);
		else
			wsq_serve_drop(c, id);
	}
	preempt_enable();
	if (!ct)
		return true;

	WRITE_ONCE(c->last, id);
	wsq_serve(w, c, q, ct);
	/* The queue may go once this is seen. */
	smp_store_release(&w->serving, NULL);		/* SV(serve:A) */
	return true;
}

static void wsq_worker_park(struct wsq_worker *w, struct wsq_cpu *c)
{
	/*
	 * From here on no context leaves anything here: this worker runs
	 * nothing. Out of office, the announcement is another worker's.
	 */
	smp_mb();					/* RN(park:A) */
	if (READ_ONCE(w->attention)) {
		wsq_attend(w);
		return;
	}
	set_current_state(TASK_IDLE);
	wsq_idle_enter(c->cpu);
	wsq_park_announce(&c->park);
	if (!kthread_should_stop() && !READ_ONCE(w->gone) &&
	    !wsq_ready_any(c) && !wsq_steal(c)) {
		WRITE_ONCE(c->parks, c->parks + 1);
		trace_wsq_park(c->cpu);
		schedule();
		trace_wsq_unpark(c->cpu);
	}
	__set_current_state(TASK_RUNNING);
	wsq_idle_leave(c);
	/* Awake, we are watched. */
	wsq_watch_start(c);
}

/*
 * A worker that is woken for every single item, because it preempts whoever
 * queues them, costs two context switches an item. One that parked less than
 * that time ago lets the others on this CPU go first, without parking, and
 * finds what they have queued meanwhile. Returns true if so; parking comes
 * next.
 */
static bool wsq_worker_breathe(u64 *parked)
{
	u64 now = local_clock();
	bool soon = now - *parked < WSQ_BREATHE_NS;

	/* Once in a row. */
	*parked = soon ? 0 : now;
	if (soon)
		yield();
	return soon;
}

/*
 * Back to where we belong. Hotplug drives a worker out before it tells us, and
 * tells nothing if the CPU stays after all.
 *
 * A thread that is given a CPU on its way out stays where it is, with a mask that
 * does not allow that; PREEMPT_RT's migrate_enable() warns of it.
 */
static void wsq_worker_return(const struct wsq_worker *w)
{
	if (!cpu_dying(w->cpu))
		set_cpus_allowed_ptr(current, cpumask_of(w->cpu));
	if (raw_smp_processor_id() == w->cpu)
		return;
	/* Not yet: the CPU is on its way out, since just now too, or not quite back. */
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	schedule_timeout_idle(1);
}

/**
 * wsq_worker_fn() - a worker's life
 * @arg: the struct wsq_worker
 *
 * Return: 0.
 */
int wsq_worker_fn(void *arg)
{
	struct wsq_worker *w = arg;
	struct wsq_cpu *c = wsq_cpus[w->cpu];
	u64 parked = 0;

	while (!kthread_should_stop() && !READ_ONCE(w->gone)) {
		if (unlikely(READ_ONCE(w->displaced))) {
			wsq_office_wait(w);
			continue;
		}
		if (unlikely(raw_smp_processor_id() != w->cpu)) {
			wsq_worker_return(w);
			continue;
		}
		if (wsq_serve_next(w, c)) {
			cond_resched_tasks_rcu_qs();
			continue;
		}
		if (wsq_steal(c)) {
			/* Perhaps only because somebody else is at it. */
			cond_resched_tasks_rcu_qs();
			continue;
		}
		if (wsq_worker_breathe(&parked))
			continue;
		wsq_worker_park(w, c);
	}
	smp_mb();					/* RN(stop:A) */
	if (READ_ONCE(w->attention))
		wsq_attend(w);
	/* Whoever took us out of office fetches us. */
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/**
 * wsq_worker_current() - the worker that runs the caller
 *
 * Context: any.
 * Return: the worker, %NULL if the caller is none.
 */
struct wsq_worker *wsq_worker_current(void)
{
	if (!in_task() || !(current->flags & PF_KTHREAD))
		return NULL;
	if (kthread_func(current) != wsq_worker_fn &&
	    kthread_func(current) != wsq_rescuer_fn)
		return NULL;
	return kthread_data(current);
}

/**
 * wsq_current_work() - the item whose function the caller is in
 *
 * Context: any.
 * Return: the item, which may be gone if its function has freed it; %NULL if
 * the caller is no item.
 */
struct wsq_work *wsq_current_work(void)
{
	const struct wsq_worker *w = wsq_worker_current();

	return w ? READ_ONCE(w->cur) : NULL;
}
WSQ_EXPORT(wsq_current_work);
