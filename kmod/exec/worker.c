// SPDX-License-Identifier: GPL-2.0
/*
 * What workers do: serve all queues that have work on their CPU in turn, steal
 * when there is none, and park when there is nothing to steal; parked, a worker
 * costs no time.
 *
 * A worker owns the containers of its CPU only while it runs there, with
 * preemption off. Two workers of one CPU, of which one was replaced and has not
 * noticed yet, cannot disturb each other because of that. A worker that has
 * lost its CPU, or was replaced, ends the item that it runs; the item is counted
 * in far_cnt if the worker is no longer on its CPU.
 *
 * Time. A worker leaves a queue after 64 items, or after 100 us if another queue
 * waits. A queue whose items take longer than that owes the rest (@debt_ns), and
 * is passed over as long as others wait, until it has made up for it. Queues of
 * users' rings (tenants) count as one queue against all others: in each round
 * one of them has its turn.
 */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched/debug.h>
#include <linux/sched/stat.h>
#include <trace/events/wsq.h>

#include "../compat/export.h"
#include "item.h"
#include "learn.h"
#include "tenant.h"

/* A worker that parks twice within this time gets too many wake-ups. */
#define WSQ_BREATHE_NS		(10 * NSEC_PER_USEC)

/* For how long it looks for items then: about as long as a wake-up takes. */
#define WSQ_LINGER_NS		(2 * NSEC_PER_USEC)

/* Queues that are passed over at most when the next one is chosen. */
#define WSQ_PASS_MOST		16

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
	WRITE_ONCE(w->bound, wsq_where_bound(where));
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
	/* Release: a context that sees NULL sees what the function did. */
	smp_store_release(&w->cur, NULL);			/* RN(run:B) */
	return phase;
}

/* Does another queue wait here? Preemption may be on. */
static bool wsq_others_ready(const struct wsq_cpu *c, u32 id)
{
	u32 next = id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0;

	if (likely(wsq_ready_alone(c, id)))
		return false;
	next = wsq_ready_own(c, next);
	return next != id && next < WSQ_MAX_QUEUES;
}

/*
 * The queue had @used ns of this CPU for @ran items. The worker owns @ct. More
 * than twice the least that its items take is not charged: interrupts or a busy
 * host took that time.
 */
static void wsq_charge(struct wsq_cpu *c, const struct wsq *q,
		       struct wsq_container *ct, unsigned int ran, u64 used)
{
	u32 over;

	used = min(used, 2ULL * ran * wsq_item_least(ct, ran, used));
	if (likely(used <= WSQ_SLICE_NS) || !wsq_others_ready(c, q->pool.id))
		return;
	over = min_t(u64, used - WSQ_SLICE_NS, WSQ_DEBT_MAX_NS);
	ct->debt_ns = min_t(u32, ct->debt_ns + over, WSQ_DEBT_MAX_NS);
	if (q->pool.id >= WSQ_FIRST_TENANT)
		c->tenants_debt = min_t(u32, c->tenants_debt + over,
					WSQ_DEBT_MAX_NS);
}

/**
 * wsq_turn_over() - should the running item leave its worker
 *
 * For functions of items that work in pieces and can queue themselves again.
 *
 * Context: function of an item.
 * Return: true if the worker's time slice is used up and another queue waits on
 * this CPU; or if the CPU has another worker by now.
 */
bool wsq_turn_over(void)
{
	const struct wsq_worker *w = wsq_worker_current();
	const struct wsq *q = w ? READ_ONCE(w->serving) : NULL;

	if (!q)
		return false;
	return READ_ONCE(w->replaced) ||
	       (ktime_get_mono_fast_ns() - w->turn.from >= WSQ_SLICE_NS &&
		wsq_others_ready(wsq_cpus[w->cpu], q->pool.id));
}

/* Leave an item that was claimed to the next worker. Preemption is off. */
static void wsq_give_back(struct wsq_cpu *c, const struct wsq *q,
			  struct wsq_container *ct, struct wsq_link *link)
{
	u64 where = READ_ONCE(link->where);

	wsq_linked_push(ct, link, wsq_where_phase(where),
			wsq_where_bound(where), false);
	wsq_ready_mark(c, q->pool.id);
}

/**
 * wsq_serve() - run items of one queue, for a time slice
 * @w: the worker
 * @c: its CPU
 * @q: the queue; it cannot go, because @w->serving names it
 * @ct: its container here
 *
 * Context: @w itself.
 */
void wsq_serve(struct wsq_worker *w, struct wsq_cpu *c, struct wsq *q,
	       struct wsq_container *ct)
{
	unsigned int budget = WSQ_BUDGET;
	unsigned int last = WSQ_NO_PHASE;
	unsigned long tick = jiffies;
	u32 ran = 0, check;
	bool home = false;
	void *task;

	wsq_turn_begin(&w->turn);
	preempt_disable();
	home = wsq_at_home(w, q, ct);
	check = wsq_turn_first_check(ct);
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
		if (unlikely(READ_ONCE(w->attention))) {
			wsq_attend(w);
			/* Replaced as the item before this one ended. */
			if (READ_ONCE(w->replaced)) {
				wsq_give_back(c, q, ct, task);
				break;
			}
		}
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
		if (!ran++ && unlikely(!wsq_item_brief(ct)))
			wsq_turn_first(&w->turn);
		if (unlikely(READ_ONCE(w->replaced)))
			break;
		/* After a tick too: the items may have become longer. */
		if (likely(--check) && likely(!time_after(jiffies, tick)))
			continue;
		/* Brief items, and nobody waits for the end of the slice. */
		if (likely(!check) && likely(wsq_item_brief(ct)) &&
		    likely(wsq_ready_alone(c, q->pool.id))) {
			check = ran;
			continue;
		}
		check = wsq_turn_check(&w->turn, ct, ran);
		tick = jiffies;
		if (!check && wsq_others_ready(c, q->pool.id))
			break;
		check = check ?: 1;
	}
	/* What a container has learned is its own CPU's. */
	if (likely(home) && likely(ran) && likely(!READ_ONCE(w->replaced)))
		wsq_charge(c, q, ct, ran, wsq_turn_end(&w->turn, ct, ran));
	preempt_enable();

	smp_mb();					/* FL(serve:A) */
	wsq_flush_check(q, last);
	if (unlikely(READ_ONCE(w->attention)))
		wsq_attend(w);
	if (unlikely(w->away))
		wsq_away_end(w);
}

/*
 * A queue that this CPU has left, or that is gone: other CPUs adopt its items
 * here. Preemption is off.
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

/*
 * The next queue of [@first, @end) that is not in debt; if all that are ready
 * are in debt, the one with the least. Each queue that is passed over pays off
 * a time slice. Preemption is off.
 */
static u32 wsq_pick_in(struct wsq_cpu *c, u32 from, u32 first, u32 end)
{
	u32 passed = WSQ_MAX_QUEUES, least = WSQ_MAX_QUEUES;
	u32 id = wsq_ready_in(c, from, end), least_ns = U32_MAX;
	unsigned int most = WSQ_PASS_MOST;

	for (;;) {
		struct wsq_container *ct;
		struct wsq *q;

		if (id == WSQ_MAX_QUEUES && from > first) {
			from = first;
			id = wsq_ready_in(c, from, end);
		}
		if (id == WSQ_MAX_QUEUES || id == passed || !most--)
			return least;
		q = xa_load(&wsq_queues, id);
		ct = q ? wsq_pool_ct(&q->pool, c->cpu) : NULL;
		if (!ct || likely(!ct->debt_ns))
			return id;
		if (ct->debt_ns < least_ns) {
			least_ns = ct->debt_ns;
			least = id;
		}
		/* The debt is this CPU's workers', with preemption off. */
		ct->debt_ns -= min_t(u32, ct->debt_ns, WSQ_SLICE_NS);
		if (passed == WSQ_MAX_QUEUES)
			passed = id;
		from = id + 1;
		id = wsq_ready_in(c, from, end);
	}
}

/* May the tenants have a turn, although others wait? */
static bool wsq_pick_tenants(struct wsq_cpu *c)
{
	if (!c->tenants_debt)
		return true;
	c->tenants_debt -= min_t(u32, c->tenants_debt, WSQ_SLICE_NS);
	return false;
}

/*
 * Which queue to serve next: in turn, and one of the tenants' at the end of each
 * round. %WSQ_MAX_QUEUES if none has work here. Preemption is off.
 */
static u32 wsq_pick(struct wsq_cpu *c)
{
	u32 id = wsq_pick_in(c, c->next, 0, WSQ_FIRST_TENANT);
	bool round = id < c->next || id == WSQ_MAX_QUEUES;

	if (unlikely(round) && wsq_ready_any(c) &&
	    (id == WSQ_MAX_QUEUES || wsq_pick_tenants(c))) {
		u32 tenant = wsq_pick_in(c, c->next_tenant, WSQ_FIRST_TENANT,
					 WSQ_MAX_QUEUES);

		if (tenant < WSQ_MAX_QUEUES) {
			c->next_tenant = tenant + 1 < WSQ_MAX_QUEUES ?
					 tenant + 1 : WSQ_FIRST_TENANT;
			WRITE_ONCE(c->next, 0);
			return tenant;
		}
	}
	if (id < WSQ_MAX_QUEUES)
		WRITE_ONCE(c->next, id + 1);
	return id;
}

/* Serve the next queue that has work here. False if there is none. */
static bool wsq_serve_next(struct wsq_worker *w, struct wsq_cpu *c)
{
	struct wsq_container *ct = NULL;
	u32 id = WSQ_MAX_QUEUES;
	bool home, held = false;
	struct wsq *q;

	preempt_disable();
	home = smp_processor_id() == w->cpu && !READ_ONCE(w->gone);
	if (likely(home))
		id = wsq_pick(c);
	if (id < WSQ_MAX_QUEUES) {
		wsq_seek_end(c);
		q = xa_load(&wsq_queues, id);
		ct = q ? wsq_pool_ct(&q->pool, c->cpu) : NULL;
		held = ct && wsq_hold(c, q, ct);
		/* Before preemption is on again: against wsq_workers_leave(). */
		if (!ct)
			wsq_serve_drop(c, id);
		else if (likely(!held))
			WRITE_ONCE(w->serving, q);
	}
	preempt_enable();
	if (id == WSQ_MAX_QUEUES) {
		if (unlikely(wsq_ready_any(c)))
			wsq_ready_tidy(c);
		return !home;
	}
	if (!ct || unlikely(held))
		return true;

	WRITE_ONCE(c->last, id);
	wsq_serve(w, c, q, ct);
	/* The queue may go once this is seen. */
	smp_store_release(&w->serving, NULL);		/* SV(serve:A) */
	return true;
}

/*
 * Announce that this worker parks. False if its CPU went offline: what is
 * announced there is another worker's from then on. wsq_worker_offline() waits
 * for sections with preemption off.
 */
static bool wsq_worker_announce(const struct wsq_worker *w, struct wsq_cpu *c)
{
	bool gone;

	preempt_disable();
	gone = READ_ONCE(w->gone);
	if (likely(!gone)) {
		set_current_state(TASK_IDLE);
		wsq_seek_stop(c);
		wsq_park_announce(&c->park);
		wsq_idle_enter(c);
	}
	preempt_enable();
	return !gone;
}

/* Awake: take that back. */
static void wsq_worker_awake(const struct wsq_worker *w, struct wsq_cpu *c)
{
	__set_current_state(TASK_RUNNING);
	preempt_disable();
	if (likely(!READ_ONCE(w->gone)))
		wsq_idle_leave(c);
	preempt_enable();
}

static void wsq_worker_watch(struct wsq_cpu *c)
{
	preempt_disable();
	wsq_watch_start(c);
	preempt_enable();
}

static void wsq_worker_park(struct wsq_worker *w, struct wsq_cpu *c)
{
	/*
	 * From here on no context leaves anything here: this worker runs
	 * nothing. If it was replaced, the announcement is the new worker's.
	 */
	smp_mb();					/* RN(park:A) */
	if (READ_ONCE(w->attention)) {
		wsq_attend(w);
		return;
	}
	if (!wsq_worker_announce(w, c))
		return;
	if (!kthread_should_stop() && !READ_ONCE(w->gone) &&
	    !wsq_ready_free(c) && !wsq_steal(c)) {
		/* What waits for a queue's limit, another CPU may run. */
		if (unlikely(wsq_ready_any(c)))
			wsq_worker_watch(c);
		WRITE_ONCE(c->sought, false);
		WRITE_ONCE(c->parks, c->parks + 1);
		trace_wsq_park(c->cpu);
		schedule();
		trace_wsq_unpark(c->cpu);
	}
	wsq_worker_awake(w, c);
}

/* Others are about to have the CPU: puts are not to rely on this worker. */
static void wsq_worker_unseek(struct wsq_cpu *c)
{
	preempt_disable();
	wsq_seek_stop(c);
	preempt_enable();
}

/* Look for items for as long as a wake-up takes. True if there may be some. */
static bool wsq_worker_linger(struct wsq_cpu *c, u64 from)
{
	do {
		if (wsq_ready_free(c) ||
		    (wsq_surplus_near(c->domain) && wsq_seek_begin(c)))
			return true;
		cpu_relax();
	} while (!need_resched() &&
		 ktime_get_mono_fast_ns() - from < WSQ_LINGER_NS);
	return false;
}

/*
 * A worker that parked less than WSQ_BREATHE_NS ago does not park at once, nor does
 * one if a CPU of its domain has a surplus, which others look at just now. If it is
 * woken for every single item, because it preempts the thread that queues them, an
 * item costs two context switches. So it lets the others on this CPU go first, and
 * finds what they have queued meanwhile. On a CPU that has nothing else to run, it
 * waits for a moment. Returns true if there may be items; otherwise parking comes
 * next.
 */
static bool wsq_worker_breathe(struct wsq_cpu *c, u64 *parked)
{
	u64 now = ktime_get_mono_fast_ns();
	bool soon = false, found = false;

	/* If the last call has found nothing, the worker parks. */
	if (*parked)
		soon = now - *parked < WSQ_BREATHE_NS ||
		       READ_ONCE(c->domain->surplus);
	if (soon && single_task_running()) {
		found = wsq_worker_linger(c, now);
	} else if (soon) {
		wsq_worker_unseek(c);
		yield();
	}
	*parked = !soon || found ? now : 0;
	return soon;
}

/*
 * Is the worker elsewhere, or may the scheduler move it? An attempt to take the
 * CPU offline leaves it so, if that failed.
 */
static bool wsq_worker_strays(const struct wsq_worker *w)
{
	return raw_smp_processor_id() != w->cpu ||
	       (current->nr_cpus_allowed != 1 && !cpu_dying(w->cpu));
}

/*
 * Back to the worker's CPU. Hotplug drives a worker out before its callback is
 * called, and calls none if the CPU stays after all.
 *
 * A thread whose mask is set to a CPU that is going offline stays where it is,
 * outside of its mask; PREEMPT_RT's migrate_enable() warns of that.
 */
static void wsq_worker_return(const struct wsq_worker *w)
{
	if (!cpu_dying(w->cpu))
		set_cpus_allowed_ptr(current, cpumask_of(w->cpu));
	if (raw_smp_processor_id() == w->cpu)
		return;
	/* Not yet: the CPU is going offline, or is not quite back. */
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

	wsq_standby_enter(w);
	/* It may have become current before it has run, behind a detached one. */
	wsq_standby_wait(w);
	while (!kthread_should_stop() && !READ_ONCE(w->gone)) {
		if (unlikely(READ_ONCE(w->replaced))) {
			wsq_standby_wait(w);
			continue;
		}
		if (unlikely(wsq_worker_strays(w))) {
			wsq_worker_return(w);
			continue;
		}
		if (wsq_serve_next(w, c)) {
			cond_resched_tasks_rcu_qs();
			continue;
		}
		w->turn.left = 0;
		if (wsq_steal(c)) {
			/* Perhaps only because another CPU steals there. */
			cond_resched_tasks_rcu_qs();
			continue;
		}
		if (wsq_worker_breathe(c, &parked)) {
			cond_resched_tasks_rcu_qs();
			continue;
		}
		wsq_worker_park(w, c);
	}
	smp_mb();					/* RN(stop:A) */
	if (READ_ONCE(w->attention))
		wsq_attend(w);
	wsq_standby_leave(w);
	wsq_worker_gone(w);
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
