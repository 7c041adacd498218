// SPDX-License-Identifier: GPL-2.0
/*
 * The stall detector: reports once, in the kernel log and by the tracepoint
 * wsq_stall, that an item has waited in a queue on a CPU for stall_ms. The
 * report has the queue, the CPU, what its worker runs, and the worker's stack.
 * An item that sleeps or computes for long is not reported while nothing waits
 * behind it.
 *
 * If something waits behind a worker that is awake, the watchdog
 * (kmod/exec/watchdog.c) arms the detector. A put to a CPU that has no worker,
 * because it is offline, arms it as well (wsq_wake_all()). The detector looks
 * four times in stall_ms, and goes on while anything waits. So an idle module
 * costs nothing, and nothing is counted or stamped for an item.
 *
 * Items wait in three locations of a container: the two inboxes, which count
 * what is taken from them, and the engine. An item has left the engine if an
 * item of the container has ended, or if more items were put than the engine
 * has capacity for: then other CPUs steal. If a location holds something in
 * each look, and nothing has left it, an item has waited there.
 *
 * A look skips queues in which nothing waits. Looks are numbered, so the next
 * look at such a queue sees that it was skipped, and starts afresh. What is
 * reported has waited for stall_ms at least, and a quarter more at most, unless
 * the detector's own work is delayed.
 *
 * Limitations: the function of a waiting item is not reported, because another
 * CPU may take the item, and free it, at any moment; the report names what the
 * worker runs instead. Of the reports of one look, WSQ_STALL_MOST are printed.
 * A lost wake-up is seen only when something else waits on that CPU. An item
 * that is left in an engine from which others are run or stolen is not seen. A
 * shorter stall_ms takes effect after a quarter of the longer one.
 *
 * A drain whose items keep queueing others is reported as well, after stall_ms
 * and each time it has lasted twice as long. The time decides, not the number
 * of flushes: in a deep recursion each flush is a generation of items.
 *
 *	DR(stall:A), DR(stall:B): kmod/exec/exec.h. litmus/exec-drain.litmus
 *	ST(arm:A): one CPU arms the detector. litmus/obs-once.litmus
 */
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/sched/debug.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <trace/events/wsq.h>

#include "../compat/export.h"
#include "../exec/exec.h"
#include "stall.h"

unsigned int wsq_stall_ms = 10000;
module_param_named(stall_ms, wsq_stall_ms, uint, 0644);
MODULE_PARM_DESC(stall_ms, "report items that wait for so many ms, once (default 10000, 0: never)");

WSQ_EXPORT_KUNIT(wsq_stall_ms);

bool wsq_stall_stack = true;
module_param_named(stall_stack, wsq_stall_stack, bool, 0644);
MODULE_PARM_DESC(stall_stack, "report them with the worker's stack (default Y)");
WSQ_EXPORT_KUNIT(wsq_stall_stack);

/* The detector's work is queued or runs. */
atomic_t wsq_stall_armed;
WSQ_EXPORT_KUNIT(wsq_stall_armed);

/* Reports so far. */
atomic_t wsq_stall_reports;
WSQ_EXPORT_KUNIT(wsq_stall_reports);

/* Reports of one look that are printed, at most. */
#define WSQ_STALL_MOST		4

/* Number of the current or last look. Only the detector's work uses it. */
static u32 wsq_stall_nr;

/**
 * struct wsq_stall - a report
 * @queue: the queue's name
 * @due: there is something to report
 * @task: the CPU's worker, with a reference; %NULL if the CPU is offline
 * @func: the function that it runs, or %NULL
 * @cpu: the CPU
 * @ms: how long an item has waited
 */
struct wsq_stall {
	char queue[WSQ_NAME_LEN];
	bool due;
	struct task_struct *task;
	wsq_func_t func;
	unsigned int cpu;
	unsigned int ms;
};

static void wsq_stall_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(wsq_stall_work, wsq_stall_look);

static unsigned long wsq_stall_period(unsigned int ms)
{
	return max(msecs_to_jiffies(ms) / 4, 1UL);
}

static void wsq_stall_report(const struct wsq_stall *s)
{
	pid_t pid = s->task ? task_pid_nr(s->task) : 0;

	trace_wsq_stall(s->queue, s->func, s->cpu, pid, s->ms);
	if (!s->task)
		pr_warn("wsq: stall: %s: an item has waited on offline CPU %u for %u ms, and no CPU of the queue takes it\n",
			s->queue, s->cpu, s->ms);
	else if (s->func)
		pr_warn("wsq: stall: %s: an item has waited on CPU %u for %u ms, the worker (pid %d) runs %ps\n",
			s->queue, s->cpu, s->ms, pid, s->func);
	else
		pr_warn("wsq: stall: %s: an item has waited on CPU %u for %u ms, the worker (pid %d) runs nothing\n",
			s->queue, s->cpu, s->ms, pid);
	if (s->task && READ_ONCE(wsq_stall_stack))
		sched_show_task(s->task);
}

/* How many items an engine can hold. */
static u32 wsq_stall_capacity(const struct wsq_lane *lane)
{
	return lane->ct.pool->max_blocks * lane->ct.pool->block_size;
}

/*
 * Does something wait in a place of @lane? Stores what moves when something
 * leaves that place.
 */
static bool wsq_stall_location(const struct wsq_lane *lane, unsigned int place,
			       u64 *moves)
{
	unsigned int color;
	u64 puts = 0;

	*moves = 0;
	switch (place) {
	case 0:
		*moves = READ_ONCE(lane->open.taken);
		return wsq_lane_inbox_any(&lane->open);
	case 1:
		*moves = READ_ONCE(lane->bound.taken);
		return wsq_lane_inbox_any(&lane->bound);
	default:
		for (color = 0; color < WSQ_FLUSH_COLORS; color++) {
			*moves += READ_ONCE(lane->count[color].done) +
				  atomic64_read(&lane->far_cnt[color]);
			puts += READ_ONCE(lane->count[color].put);
		}
		/* If the engine is full, the open inbox does not move. */
		*moves += div_u64(puts, wsq_stall_capacity(lane));
		return wsq_engine_waiting(&lane->ct);
	}
}

/* How long an item has waited in a location, in ms, as of this look. */
static unsigned int wsq_stall_ms_of(const struct wsq_stall_mark *m)
{
	return jiffies_to_msecs((u32)jiffies - m->since);
}

/* For how long something has waited there, in ms; 0 if nothing does. */
static unsigned int wsq_stall_waits(struct wsq_lane *lane)
{
	unsigned int place, ms = 0;
	u64 moves;

	for (place = 0; place < WSQ_STALL_LOCATIONS; place++) {
		struct wsq_stall_mark *m = &lane->stall[place];
		bool passed = m->look + 1 != wsq_stall_nr;

		m->look = wsq_stall_nr;
		if (!wsq_stall_location(lane, place, &moves)) {
			m->waits = false;
		} else if (!m->waits || passed || m->moves != (u32)moves) {
			m->waits = true;
			m->moves = (u32)moves;
			m->since = (u32)jiffies;
			m->reported = false;
			ms = max(ms, 1U);
		} else {
			ms = max(ms, wsq_stall_ms_of(m) + 1);
		}
	}
	return ms;
}

/* Has something waited for @limit ms that is not reported yet? Mark it. */
static bool wsq_stall_due(struct wsq_lane *lane, unsigned int limit)
{
	unsigned int place;
	bool due = false;

	for (place = 0; place < WSQ_STALL_LOCATIONS; place++) {
		struct wsq_stall_mark *m = &lane->stall[place];

		if (!m->waits || m->reported || wsq_stall_ms_of(m) < limit)
			continue;
		m->reported = true;
		due = true;
	}
	return due;
}

/*
 * Look at a queue on a CPU. Returns true if something waits there. Sets @s->due
 * if there is a report.
 */
static bool wsq_stall_queue(struct wsq_cpu *c, u32 id, unsigned int limit,
			    struct wsq_stall *s)
{
	const struct wsq_worker *w;
	struct wsq_lane *lane;
	unsigned int ms = 0;
	struct wsq *q;

	s->due = false;
	/* Also an RCU read-side section: queue and worker stay. */
	preempt_disable();
	q = wsq_queue_at(c, id);
	lane = q ? wsq_lane_any(q, c->cpu) : NULL;
	w = READ_ONCE(c->worker);
	/* A frozen queue does not count. */
	if (lane && READ_ONCE(q->max_active))
		ms = wsq_stall_waits(lane);
	if (ms > limit && wsq_stall_due(lane, limit)) {
		s->due = true;
		strscpy(s->queue, q->pool.name, sizeof(s->queue));
		s->func = w && READ_ONCE(w->cur) ? READ_ONCE(w->func) : NULL;
		s->cpu = c->cpu;
		s->ms = ms - 1;
		s->task = w ? get_task_struct(w->task) : NULL;
	}
	preempt_enable();
	return ms;
}

/* Look at all ready queues of a CPU. Returns true if something waits there. */
static bool wsq_stall_cpu(struct wsq_cpu *c, unsigned int limit,
			  unsigned int *reports)
{
	struct wsq_stall s;
	bool busy = false;
	u32 id, next;

	for (id = wsq_ready_next(c, 0); id < WSQ_MAX_QUEUES; id = next) {
		busy |= wsq_stall_queue(c, id, limit, &s);
		if (s.due) {
			atomic_inc(&wsq_stall_reports);
			if (++*reports <= WSQ_STALL_MOST)
				wsq_stall_report(&s);
			if (s.task)
				put_task_struct(s.task);
		}
		cond_resched();
		next = wsq_ready_next(c, id + 1);
		/* The search wraps around; visit each queue once. */
		if (next <= id)
			break;
	}
	return busy;
}

/* Record since when each worker has been running its item, for debugfs. */
static void wsq_stall_workers(void)
{
	struct wsq_worker *w;

	mutex_lock(&wsq_workers_lock);
	list_for_each_entry(w, &wsq_workers, list) {
		u64 nr_run = READ_ONCE(w->nr_run);

		if (w->stall_run != nr_run) {
			w->stall_run = nr_run;
			w->stall_since = jiffies;
		}
	}
	mutex_unlock(&wsq_workers_lock);
}

/* Look at one queue, under RCU. Returns true if it is being drained. */
static bool wsq_stall_drain(struct wsq *q, unsigned int limit)
{
	unsigned long rounds, since;
	unsigned int ms;

	/*
	 * DR(stall:A): Both pair with wsq_drain(): @drain_since is of this
	 * drain, or of a later one.
	 */
	if (!(smp_load_acquire(&q->flags) & WSQ_Q_DRAINING))
		return false;
	/* As above. */
	rounds = smp_load_acquire(&q->drain_rounds);	/* DR(stall:B) */
	since = READ_ONCE(q->drain_since);
	ms = jiffies_to_msecs(jiffies - since);
	if (since != q->drain_from) {
		q->drain_from = since;
		q->drain_seen = 0;
		q->drain_reported = 0;
	}
	/* No flush since the last look: its delay is reported elsewhere. */
	if (rounds == q->drain_seen)
		return true;
	q->drain_seen = rounds;
	if (ms < limit || ms / 2 < q->drain_reported)
		return true;
	q->drain_reported = ms;
	atomic_inc(&wsq_stall_reports);
	pr_warn("wsq: stall: %s: drained for %u ms and not empty after %lu flushes, its items keep queueing others\n",
		q->pool.name, ms, rounds);
	return true;
}

static bool wsq_stall_drains(unsigned int limit)
{
	bool busy = false;
	unsigned long id;
	struct wsq *q;

	/* RCU keeps queues that are removed from the xarray meanwhile. */
	rcu_read_lock();
	xa_for_each(&wsq_queues, id, q)
		busy |= wsq_stall_drain(q, limit);
	rcu_read_unlock();
	return busy;
}

static void wsq_stall_look(struct work_struct *work)
{
	unsigned int cpu, ms = READ_ONCE(wsq_stall_ms), reports = 0;
	bool busy = false;
	u32 nr;

	/* Even if nothing is seen: marks of the last look become stale. */
	wsq_stall_nr++;
	if (!ms) {
		atomic_set(&wsq_stall_armed, 0);
		return;
	}
	wsq_stall_workers();
	for (nr = 0; nr < WSQ_CLASSES; nr++) {
		const struct wsq_class *class = wsq_class_find(nr);

		for_each_possible_cpu(cpu) {
			if (class)
				busy |= wsq_stall_cpu(class->cpus[cpu], ms,
						      &reports);
		}
	}
	if (reports > WSQ_STALL_MOST)
		pr_warn("wsq: stall: %u more like these\n",
			reports - WSQ_STALL_MOST);
	busy |= wsq_stall_drains(ms);
	if (busy)
		queue_delayed_work(wsq_maintenance, &wsq_stall_work,
				   wsq_stall_period(ms));
	else
		/* If something waits already, the watchdog arms it again. */
		atomic_set(&wsq_stall_armed, 0);
}

/* Hook of the watchdog, in any context but NMI: something waits. */
static void wsq_stall_arm(void)
{
	unsigned int ms = READ_ONCE(wsq_stall_ms);

	if (likely(atomic_read(&wsq_stall_armed)) || !ms)
		return;
	if (!atomic_xchg(&wsq_stall_armed, 1))			/* ST(arm:A) */
		queue_delayed_work(wsq_maintenance, &wsq_stall_work,
				   wsq_stall_period(ms));
}

/**
 * wsq_stall_init() - set the hook, before the first worker
 *
 * Context: module load.
 */
void wsq_stall_init(void)
{
	wsq_watchdog_hook = wsq_stall_arm;
}

/**
 * wsq_stall_exit() - stop, after the last worker and before wsq_maintenance
 *
 * Context: module unload.
 */
void wsq_stall_exit(void)
{
	wsq_watchdog_hook = NULL;
	cancel_delayed_work_sync(&wsq_stall_work);
}
