// SPDX-License-Identifier: GPL-2.0
/*
 * What workers do: serve the queues that have work on their CPU, round robin;
 * steal when there is none; park when there is nothing to steal. A parked
 * worker costs no time.
 *
 * A worker owns the containers of its CPU only while it runs there, with
 * preemption off. So a worker that was replaced and has not noticed yet cannot
 * disturb the current one. A worker that has lost its CPU, or was replaced,
 * ends the item that it runs. The item is counted in far_cnt if the worker is
 * no longer on its CPU.
 *
 * Time. A worker leaves a queue after 64 items, or after 100 us if another
 * queue waits. A queue whose items take longer owes the rest (@debt_ns). While
 * others wait it is passed over until it has paid that back. The queues of
 * users' rings (tenants) together count as one queue: one of them is served in
 * each round.
 */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched/debug.h>
#include <linux/sched/stat.h>
#include <trace/events/wsq.h>

#include "../compat/export.h"
#include "item.h"
#include "leak.h"
#include "learn.h"
#include "tenant.h"

/* A worker that parks twice within this time is woken too often. */
#define WSQ_LINGER_AGAIN_NS	(10 * NSEC_PER_USEC)

/* How long it then looks for items: about the time of a wake-up. */
#define WSQ_LINGER_NS		(2 * NSEC_PER_USEC)

/* How long it stays away from victims that other CPUs are stealing from. */
#define WSQ_PAUSE_NS		(2 * NSEC_PER_USEC)

/* Most queues to look at with preemption off while the worker strays. */
#define WSQ_STRAY_LOOKS		16

/* Does the caller, with preemption off, own this lane? */
static __always_inline bool wsq_at_home(const struct wsq_worker *w,
					const struct wsq *q,
					const struct wsq_lane *lane)
{
	return likely(smp_processor_id() == w->cpu) &&
	       likely(!READ_ONCE(w->gone)) &&
	       likely(wsq_lane(q, w->cpu) == lane);
}

/**
 * wsq_account() - count an item that has run, or will not
 * @q: the queue
 * @lane: the lane that counted it as put, or any other of @q
 * @home: the caller owns @lane
 * @color: the item's flush color
 *
 * Context: any, with preemption off.
 */
void wsq_account(struct wsq *q, struct wsq_lane *lane, bool home,
		 unsigned int color)
{
	if (likely(home))
		smp_store_release(&lane->count[color].done,	/* FL(count:A) */
				  lane->count[color].done + 1);
	else
		/* FL(count:B) */
		atomic64_fetch_add_release(1, &lane->far_cnt[color]);
}

/* Call the function, which may free the item. */
static __always_inline void wsq_run_func(struct wsq *q, struct wsq_work *work, wsq_func_t func)
{
	int locks = wsq_leak_begin();
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
	wsq_leak_end(func, locks);
}

/*
 * Run a claimed item. Preemption is off, on return as well. Returns the flush
 * color to count it in, %WSQ_NO_COLOR if it did not run here.
 */
static __always_inline unsigned int wsq_run(struct wsq_worker *w, struct wsq *q,
					    struct wsq_work *work,
					    unsigned int last_color)
{
	u32 ran = wsq_ran(READ_ONCE(work->state));
	u64 where = READ_ONCE(work->link.where);
	unsigned int color = wsq_location_color(where);
	wsq_func_t func = work->func;

	if (unlikely(ran != w->id) && ran && wsq_defer(ran, work))
		return WSQ_NO_COLOR;

	wsq_debug_deactivate(work);
	WRITE_ONCE(work->link.where, wsq_location_owned(where));
	WRITE_ONCE(w->func, func);
	WRITE_ONCE(w->bound, wsq_location_bound(where));
	WRITE_ONCE(w->nr_run, w->nr_run + 1);			/* BU(run:A) */
	WRITE_ONCE(w->cur, work);				/* RN(run:A) */
	/*
	 * Full barrier, if the item begins: the item before is counted before
	 * @awaited is read.
	 */
	if (likely(wsq_begin(w, work))) {
		preempt_enable();
		if (color != last_color)
			wsq_flush_check(q, last_color);
		wsq_run_func(q, work, func);
		cond_resched();
		preempt_disable();
	} else if (color != last_color) {
		/* Rearming the item's timer was a full barrier, too. */
		wsq_flush_check(q, last_color);
	}
	/* Release: a context that sees NULL sees what the function did. */
	smp_store_release(&w->cur, NULL);			/* RN(run:B) */
	return color;
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
 * Charge the queue for @used ns of this CPU, in which it ran @ran items. The
 * worker owns @lane. At most twice the least time of such items is charged,
 * because interrupts or a busy host took the rest.
 */
static __always_inline void wsq_charge(struct wsq_cpu *c, const struct wsq *q,
				       struct wsq_lane *lane, unsigned int ran,
				       u64 used)
{
	u32 over;

	used = min(used, 2ULL * ran * wsq_item_least(lane, ran, used));
	if (likely(used <= WSQ_SLICE_NS) || !wsq_others_ready(c, q->id))
		return;
	over = min_t(u64, used - WSQ_SLICE_NS, WSQ_DEBT_MAX_NS);
	lane->debt_ns = min_t(u32, lane->debt_ns + over, WSQ_DEBT_MAX_NS);
	if (q->id >= WSQ_FIRST_TENANT)
		c->tenants_debt = min_t(u32, c->tenants_debt + over,
					WSQ_DEBT_MAX_NS);
}

/*
 * The worker has run items of a queue, and counts their CPU time. @owner: it
 * owns @lane, and updates what the lane has learned. Preemption is off.
 */
static void wsq_serve_count(struct wsq_worker *w, struct wsq_cpu *c,
			    struct wsq *q, struct wsq_lane *lane,
			    unsigned int ran, bool owner)
{
	u64 used;

	if (unlikely(!owner)) {
		used = wsq_slice_used(&w->turn, ktime_get_mono_fast_ns());
		atomic64_add(used, &lane->far_ns);
		return;
	}
	used = wsq_slice_end(&w->turn, lane, ran);
	WRITE_ONCE(lane->used_ns, lane->used_ns + used);
	wsq_charge(c, q, lane, ran, used);
}

/**
 * wsq_slice_over() - should the running item give way to others
 *
 * For functions of items that work in pieces and can queue themselves again.
 *
 * Context: function of an item.
 * Return: true if the worker's time slice is used up and another queue waits on
 * this CPU; or if another worker is current.
 */
bool wsq_slice_over(void)
{
	const struct wsq_worker *w = wsq_worker_current();
	const struct wsq *q = w ? READ_ONCE(w->serving) : NULL;

	if (!q)
		return false;
	return READ_ONCE(w->replaced) ||
	       (ktime_get_mono_fast_ns() - w->turn.from >= WSQ_SLICE_NS &&
		wsq_others_ready(wsq_worker_cpu(w), q->id));
}

/* Leave a claimed item to the new current worker. Preemption is off. */
static void wsq_give_back(struct wsq_cpu *c, const struct wsq *q,
			  struct wsq_lane *lane, struct wsq_link *link)
{
	u64 where = READ_ONCE(link->where);

	wsq_lane_push(lane, link, wsq_location_color(where),
		      wsq_location_bound(where), false);
	wsq_ready_mark(c, q->id);
}

/**
 * wsq_serve_end() - the worker has run items of a queue
 * @w: the worker
 * @q: the queue
 * @last: flush color of the last of them, or %WSQ_NO_COLOR
 *
 * Context: @w itself, with preemption on.
 */
void wsq_serve_end(struct wsq_worker *w, struct wsq *q, unsigned int last)
{
	smp_mb();					/* FL(serve:A) */
	wsq_flush_check(q, last);
	if (unlikely(READ_ONCE(w->attention)))
		wsq_attend(w);
	if (unlikely(w->away))
		wsq_away_end(w);
}

/**
 * wsq_serve_taken() - run an item that the worker took as a thief does
 * @w: the worker; its CPU is going offline
 * @q: the queue
 * @lane: the lane of that CPU, from which the item was taken
 * @work: the item
 *
 * Context: @w itself, on any CPU; preemption off since the item was taken, and
 * on return. wsq_serve_end() follows.
 * Return: the item's flush color, or %WSQ_NO_COLOR, for wsq_serve_end().
 */
unsigned int wsq_serve_taken(struct wsq_worker *w, struct wsq *q,
			     struct wsq_lane *lane, struct wsq_work *work)
{
	struct wsq_cpu *c = wsq_worker_cpu(w);
	unsigned int color;

	WRITE_ONCE(w->serving, q);
	wsq_slice_begin(&w->turn);
	/* The scheduler's hook does nothing on another CPU. */
	wsq_watchdog_start(c);
	color = wsq_run(w, q, work, WSQ_NO_COLOR);
	if (color != WSQ_NO_COLOR) {
		wsq_account(q, lane, false, color);
		wsq_serve_count(w, c, q, lane, 1, false);
	}
	return color;
}

/* The worker leaves the queue, which may be freed once this is seen. */
static void wsq_serve_leave(struct wsq_worker *w)
{
	smp_store_release(&w->serving, NULL);		/* SV(serve:A) */
}

/**
 * wsq_serve() - run items of one queue, for a time slice
 * @w: the worker
 * @c: its CPU
 * @q: the queue; it cannot be freed, because @w->serving names it
 * @lane: its lane on @c
 *
 * Context: @w itself.
 */
void wsq_serve(struct wsq_worker *w, struct wsq_cpu *c, struct wsq *q,
	       struct wsq_lane *lane)
{
	unsigned int budget = WSQ_BUDGET;
	unsigned int last = WSQ_NO_COLOR;
	unsigned long tick = jiffies;
	u32 ran = 0, check;
	bool home = false;
	void *task;

	wsq_slice_begin(&w->turn);
	preempt_disable();
	home = wsq_at_home(w, q, lane);
	check = wsq_slice_first_check(lane);
	if (home && (unlikely(!lane->ct.engine) ||
		     unlikely(READ_ONCE(lane->give_back))))
		wsq_memory_serve(lane);
	while (budget-- && home) {
		unsigned int color;

		task = wsq_lane_claim(lane);
		if (!task) {
			wsq_ready_unmark(c, q->id, lane);
			break;
		}
		if (task == WSQ_AGAIN)
			continue;
		/* Each way to claim an item is a full barrier: item.h. */
		if (unlikely(READ_ONCE(w->attention))) {
			wsq_attend(w);
			/*
			 * It was replaced as the item before this ended, or the
			 * queue is being frozen.
			 */
			if (READ_ONCE(w->replaced) || !READ_ONCE(q->max_active)) {
				wsq_give_back(c, q, lane, task);
				break;
			}
		}
		/* More items wait: one more worker may be worth waking. */
		if ((budget == WSQ_BUDGET - 1 && wsq_engine_has_published(&lane->ct)) ||
		    wsq_engine_published(&lane->ct))
			wsq_wake_one_more(q, lane);

		color = wsq_run(w, q, task, last);
		home = wsq_at_home(w, q, lane);
		if (unlikely(color == WSQ_NO_COLOR))
			continue;
		wsq_account(q, lane, home, color);
		last = color;
		if (!ran++ && unlikely(!wsq_item_brief(lane)))
			wsq_slice_first(&w->turn);
		if (unlikely(READ_ONCE(w->replaced)))
			break;
		/* Check after a tick, too: the items may take longer now. */
		if (likely(--check) && likely(!time_after(jiffies, tick)))
			continue;
		/* Brief items, and no other queue waits: no check needed. */
		if (likely(!check) && likely(wsq_item_brief(lane)) &&
		    likely(wsq_ready_alone(c, q->id))) {
			check = ran;
			continue;
		}
		check = wsq_slice_check(&w->turn, lane, ran);
		tick = jiffies;
		if (!check && wsq_others_ready(c, q->id))
			break;
		check = check ?: 1;
	}
	if (likely(ran))
		wsq_serve_count(w, c, q, lane, ran,
				home && !READ_ONCE(w->replaced));
	preempt_enable();

	wsq_serve_end(w, q, last);
}

/* Shall the worker leave the list of a queue that keeps order? */
static bool wsq_order_over(const struct wsq_worker *w, const struct wsq *q,
			   unsigned int ran, unsigned long tick)
{
	if (READ_ONCE(w->replaced) || READ_ONCE(w->gone) || ran >= WSQ_BUDGET ||
	    !READ_ONCE(q->max_active))
		return true;
	/* The clock need not be read for each item. */
	return (is_power_of_2(ran) || time_after(jiffies, tick)) &&
	       wsq_slice_over();
}

/* The list is not in order yet: give way. Preemption is off, as on return. */
static void wsq_order_pause(void)
{
	preempt_enable();
	cond_resched();
	preempt_disable();
}

/**
 * wsq_serve_order() - run items of a queue that keeps order, for a time slice
 * @w: the worker, in wsq_serve()
 * @token: the queue's token (ordered.h), claimed by @w
 *
 * Context: @w itself, with preemption off, as on return.
 */
void wsq_serve_order(struct wsq_worker *w, struct wsq_work *token)
{
	struct wsq_order *o = container_of(token, struct wsq_order, token);
	struct wsq *q = READ_ONCE(w->serving);
	struct wsq_lane *lane = wsq_lane_any(q, w->cpu);
	unsigned int last = WSQ_NO_COLOR, ran = 0;
	u64 owed = wsq_oq_counted(&o->count), done = 0;
	unsigned long tick = jiffies;
	bool home = wsq_at_home(w, q, lane);
	void *task;

	while (owed) {
		unsigned int color;
		int ret;

		/* The claim of the token did this for the first item. */
		if (ran) {
			smp_mb();			/* RN(order:A) */
			if (unlikely(READ_ONCE(w->attention)))
				wsq_attend(w);
			if (wsq_order_over(w, q, ran, tick))
				break;
		}
		ret = wsq_lane_inbox_take(&o->list, &task, 1, false);
		if (ret == WSQ_CONFLICT) {
			wsq_order_pause();
			continue;
		}
		if (ret == WSQ_EMPTY) {
			/* What is counted was taken, or cancelled. */
			owed = wsq_oq_lower(&o->count, owed);
			done = 0;
			continue;
		}
		color = wsq_run(w, q, task, last);
		home = wsq_at_home(w, q, lane);
		if (likely(color != WSQ_NO_COLOR)) {
			wsq_account(q, lane, home, color);
			last = color;
		}
		ran++;
		if (++done == owed) {
			owed = wsq_oq_lower(&o->count, done);
			done = 0;
		}
	}
	/* Without the token, another CPU may run the next item now. */
	if (owed) {
		if (done)
			wsq_oq_lower(&o->count, done);
		wsq_order_keep(w, token);
	}
	/* The list counts as one item: that is what a thief would get. */
	if (ran)
		wsq_serve_count(w, wsq_cpu_of(q, w->cpu), q, lane, 1,
				home && !READ_ONCE(w->replaced));
	smp_mb();					/* FL(order:A) */
	wsq_flush_check(q, last);
}

/*
 * This CPU is no longer a member of the queue, or the queue is gone. Other CPUs
 * adopt the items that it left here. Preemption is off.
 */
static void wsq_serve_drop(struct wsq_cpu *c, u32 id)
{
	struct wsq *q;

	wsq_ready_drop(c, id);
	/* The CPU may be a member again, or of a new queue of that number. */
	q = wsq_queue_at(c, id);
	if (q && wsq_lane(q, c->cpu))
		wsq_ready_mark(c, id);
}

/* Serve the next queue that has work here. False if there is none. */
static bool wsq_serve_next(struct wsq_worker *w, struct wsq_cpu *c)
{
	struct wsq_lane *lane = NULL;
	u32 id = WSQ_MAX_QUEUES;
	bool home, held = false;
	struct wsq *q;

	preempt_disable();
	home = smp_processor_id() == w->cpu && !READ_ONCE(w->gone);
	if (likely(home))
		id = wsq_pick(c);
	if (id < WSQ_MAX_QUEUES) {
		wsq_seek_end(c);
		q = wsq_queue_at(c, id);
		lane = q ? wsq_lane(q, c->cpu) : NULL;
		held = lane && wsq_hold(c, q, lane);
		/* With preemption off, so that wsq_workers_leave() sees it. */
		if (!lane)
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
	if (!lane || unlikely(held))
		return true;

	WRITE_ONCE(c->last, id);
	wsq_serve(w, c, q, lane);
	wsq_serve_leave(w);
	return true;
}

/*
 * Announce that this worker parks. False if its CPU went offline: from then on
 * only another worker may announce that there. wsq_worker_offline() waits for
 * sections with preemption off.
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

/* Undo wsq_worker_announce(). */
static void wsq_worker_awake(const struct wsq_worker *w, struct wsq_cpu *c,
			     bool slept)
{
	__set_current_state(TASK_RUNNING);
	preempt_disable();
	if (likely(!READ_ONCE(w->gone))) {
		wsq_idle_leave(c);
		if (slept)
			wsq_seek_came(c);
	}
	preempt_enable();
}

static void wsq_worker_watchdog(struct wsq_cpu *c)
{
	preempt_disable();
	wsq_watchdog_start(c);
	preempt_enable();
}

static void wsq_worker_park(struct wsq_worker *w, struct wsq_cpu *c)
{
	bool slept = false;

	/*
	 * Behind this barrier no context leaves anything for this worker,
	 * because it runs no item. If it was replaced, only the new worker may
	 * announce.
	 */
	smp_mb();					/* RN(park:A) */
	if (READ_ONCE(w->attention)) {
		wsq_attend(w);
		return;
	}
	if (!wsq_worker_announce(w, c))
		return;
	if (!kthread_should_stop() && !READ_ONCE(w->gone) &&
	    !wsq_ready_free(c) && !wsq_steal(c, true)) {
		/* Another CPU may run what waits for a queue's limit here. */
		if (unlikely(wsq_ready_any(c)))
			wsq_worker_watchdog(c);
		WRITE_ONCE(c->sought, false);
		WRITE_ONCE(c->parks, c->parks + 1);
		trace_wsq_park(c->cpu);
		schedule();
		trace_wsq_unpark(c->cpu);
		slept = true;
	} else if (need_resched()) {
		/* Nothing else watches what it has just stolen. */
		wsq_worker_watchdog(c);
	}
	wsq_worker_awake(w, c, slept);
}

/* Puts must not rely on the worker as the seeker: it strays. */
static void wsq_worker_unseek(const struct wsq_worker *w, struct wsq_cpu *c)
{
	preempt_disable();
	if (likely(!READ_ONCE(w->gone)))
		wsq_seek_stop(c);
	preempt_enable();
}

/* Look for items for about the time of a wake-up. True if there may be some. */
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
 * There was something to steal. If the worker has got none of it, other CPUs
 * are stealing it. They finish sooner if this CPU stays away from their cache
 * lines for a moment.
 */
static void wsq_worker_pause(struct wsq_cpu *c)
{
	u64 from;

	if (likely(wsq_ready_any(c)))
		return;
	from = ktime_get_mono_fast_ns();
	do {
		cpu_relax();
	} while (!wsq_ready_any(c) && !need_resched() &&
		 ktime_get_mono_fast_ns() - from < WSQ_PAUSE_NS);
}

/*
 * Before it parks, a worker looks for items for a moment if it parked less than
 * WSQ_LINGER_AGAIN_NS ago, or if a CPU of its domain has a surplus that it may
 * take, which other CPUs are looking at. If another thread wants the CPU, the
 * worker parks. To yield would let that thread queue more items first, but that
 * may give away a whole slice, and an item would wait for some milliseconds.
 *
 * @parked is when the worker was last about to park, or found items; 0 before,
 * and if it has waited in vain. True if there may be items, false if the worker
 * is to park.
 */
static bool wsq_worker_rest(struct wsq_cpu *c, u64 *parked)
{
	u64 now = ktime_get_mono_fast_ns();
	bool found;

	if (!*parked || !single_task_running() ||
	    (now - *parked >= WSQ_LINGER_AGAIN_NS && !wsq_surplus_mine(c))) {
		*parked = now;
		return false;
	}
	found = wsq_worker_linger(c, now);
	/* If it has waited in vain, the worker looks once more, and parks. */
	*parked = found ? now : 0;
	return true;
}

/*
 * Is the worker on another CPU, or may the scheduler move it? A failed attempt
 * to take the CPU offline leaves it so.
 */
static bool wsq_worker_strays(const struct wsq_worker *w)
{
	return raw_smp_processor_id() != w->cpu ||
	       (current->nr_cpus_allowed != 1 && !cpu_dying(w->cpu));
}

/*
 * Move back to the worker's CPU. Hotplug moves a worker away before it calls
 * the callback, and calls none if the CPU stays online after all.
 *
 * A thread whose mask is set to a CPU that is going offline stays where it is,
 * outside of its mask. PREEMPT_RT's migrate_enable() warns of that.
 */
static void wsq_worker_return(const struct wsq_worker *w)
{
	if (!cpu_dying(w->cpu))
		set_cpus_allowed_ptr(current, cpumask_of(w->cpu));
	if (raw_smp_processor_id() == w->cpu)
		return;
	/* The CPU is going offline, or is not quite back: try again later. */
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	schedule_timeout_idle(1);
}

/**
 * struct wsq_stray - a worker's search for an item of its CPU from another one
 * @first: number of the first queue that it looked at; %WSQ_MAX_QUEUES before
 * @left: queues that it may still look at; some may come and go meanwhile
 * @q: the queue of the item
 * @lane: the lane that it was in
 */
struct wsq_stray {
	u32 first;
	u32 left;
	struct wsq *q;
	struct wsq_lane *lane;
};

/*
 * Take an item as a thief does, of one of the next few queues. Ready bits stay:
 * to clear them from here would need more order against puts on that CPU.
 * Preemption is off.
 */
static struct wsq_work *wsq_stray_take(struct wsq_cpu *c, struct wsq_stray *s)
{
	unsigned int looks = WSQ_STRAY_LOOKS;
	void *task = NULL;

	while (!task && s->left && looks--) {
		u32 id = wsq_ready_next(c, READ_ONCE(c->next));

		if (id == WSQ_MAX_QUEUES || id == s->first) {
			s->left = 0;
			break;
		}
		if (s->first == WSQ_MAX_QUEUES)
			s->first = id;
		s->left--;
		WRITE_ONCE(c->next, id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0);
		s->q = wsq_queue_at(c, id);
		s->lane = s->q ? wsq_lane_any(s->q, c->cpu) : NULL;
		if (s->lane && !wsq_hold(c, s->q, s->lane))
			wsq_lane_steal(s->lane, NULL, &task, 1, true, true);
	}
	return task;
}

/*
 * The CPU is going offline and its workers were moved away, but hotplug
 * callbacks of other modules, called before ours, may wait for its items. Run
 * one, bound or not, where the worker is now. False if none was found.
 */
static bool wsq_serve_astray(struct wsq_worker *w, struct wsq_cpu *c)
{
	struct wsq_stray s = { .first = WSQ_MAX_QUEUES, .left = WSQ_MAX_QUEUES };
	unsigned int color = WSQ_NO_COLOR;
	struct wsq_work *work = NULL;

	wsq_worker_unseek(w, c);
	while (!work && s.left) {
		preempt_disable();
		/* Once it is gone, thieves and adopters take the items. */
		if (READ_ONCE(w->gone))
			s.left = 0;
		else
			work = wsq_stray_take(c, &s);
		if (work)
			color = wsq_serve_taken(w, s.q, s.lane, work);
		preempt_enable();
		cond_resched_tasks_rcu_qs();
	}
	if (!work)
		return false;
	wsq_serve_end(w, s.q, color);
	wsq_serve_leave(w);
	return true;
}

/**
 * wsq_worker_fn() - a worker's thread function
 * @arg: the struct wsq_worker
 *
 * Return: 0.
 */
int wsq_worker_fn(void *arg)
{
	struct wsq_worker *w = arg;
	struct wsq_cpu *c = wsq_worker_cpu(w);
	u64 parked = 0;

	wsq_standby_enter(w);
	/* If it is current already, it may have a detached worker to move. */
	wsq_standby_wait(w);
	while (!kthread_should_stop() && !READ_ONCE(w->gone)) {
		if (unlikely(READ_ONCE(w->replaced))) {
			wsq_standby_wait(w);
			continue;
		}
		if (unlikely(wsq_worker_strays(w))) {
			if (!cpu_dying(w->cpu) || !wsq_serve_astray(w, c))
				wsq_worker_return(w);
			continue;
		}
		if (wsq_serve_next(w, c)) {
			cond_resched_tasks_rcu_qs();
			continue;
		}
		w->turn.left = 0;
		if (wsq_steal(c, false)) {
			wsq_worker_pause(c);
			cond_resched_tasks_rcu_qs();
			continue;
		}
		if (wsq_worker_rest(c, &parked)) {
			cond_resched_tasks_rcu_qs();
			continue;
		}
		wsq_worker_park(w, c);
		/* It may have found a surplus, stolen nothing and not slept. */
		cond_resched_tasks_rcu_qs();
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
 * Return: the worker, %NULL if the caller does not run in one.
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
 * wsq_current_running() - the item that the caller runs, if it has this function
 * @func: the function
 *
 * Does not look at the item, which its function may have freed.
 *
 * Context: any.
 * Return: the item; %NULL if its function is another one, or there is none.
 */
struct wsq_work *wsq_current_running(wsq_func_t func)
{
	const struct wsq_worker *w = wsq_worker_current();

	return w && READ_ONCE(w->func) == func ? READ_ONCE(w->cur) : NULL;
}

struct wsq_work *wsq_current_work(void)
{
	const struct wsq_worker *w = wsq_worker_current();

	return w ? READ_ONCE(w->cur) : NULL;
}
WSQ_EXPORT(wsq_current_work);
