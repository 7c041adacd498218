// SPDX-License-Identifier: GPL-2.0
/*
 * The stall detector: says once, in the kernel log and by the tracepoint
 * wsq_stall, that an item has run for stall_ms, or that something has waited
 * behind a CPU's worker, which began nothing, for as long. With the queue, the
 * CPU, what its worker runs, and the worker's stack.
 *
 * While a worker is awake, the watch (kmod/exec/watch.c) keeps a look-out set
 * that looks four times in stall_ms and goes on while anything runs or waits.
 * So an idle module costs nothing, and a busy one a look in a while; nothing is
 * counted or stamped for it. What is reported has lasted stall_ms at least, and
 * a quarter more at most, as far as the look-out is let run.
 *
 * Limitations: the function of an item that waits is not known, because others
 * may take the item, and free it, at any moment: what the worker runs instead is
 * named. Something waits if each look finds something in the container; that it
 * was the same item each time is not known. An item that nobody was woken for is
 * only seen once some worker of the module is awake. Rescuers are not watched.
 * A shorter stall_ms counts after a quarter of the longer one.
 *
 * Drains that items keep going by queueing others are reported as well, after stall_ms
 * and whenever they have lasted twice as long. Time tells whether something queues itself
 * for ever, not how often the queue was flushed: in a deep recursion each flush is a
 * generation.
 *
 *	DR(stall:A), DR(stall:B): kmod/exec/exec.h. litmus/exec-drain.litmus
 *	ST(arm:A): one CPU arms the detector. litmus/obs-once.litmus
 */
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/sched/debug.h>
#include <linux/slab.h>
#include <trace/events/wsq.h>

#include "../compat/export.h"
#include "../exec/exec.h"
#include "stall.h"

unsigned int wsq_stall_ms = 10000;
module_param_named(stall_ms, wsq_stall_ms, uint, 0644);
MODULE_PARM_DESC(stall_ms, "report items that run or wait for so many ms, once (default 10000, 0: never)");

WSQ_EXPORT_KUNIT(wsq_stall_ms);

bool wsq_stall_stack = true;
module_param_named(stall_stack, wsq_stall_stack, bool, 0644);
MODULE_PARM_DESC(stall_stack, "report them with the worker's stack (default Y)");
WSQ_EXPORT_KUNIT(wsq_stall_stack);

/* The look-out is set, or looking. */
atomic_t wsq_stall_armed;
WSQ_EXPORT_KUNIT(wsq_stall_armed);

/* What was reported so far. */
atomic_t wsq_stall_reports;
WSQ_EXPORT_KUNIT(wsq_stall_reports);

/**
 * struct wsq_stall - how long a CPU has kept something waiting
 * @w: its worker when it was first seen, %NULL if nothing waited
 * @nr_run: what that had begun then
 * @since: when that was, in jiffies
 * @told: it was reported
 *
 * All of the look-out alone.
 */
struct wsq_stall {
	const struct wsq_worker *w;
	u64 nr_run;
	unsigned long since;
	bool told;
};

static struct wsq_stall *wsq_stalls;

static void wsq_stall_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(wsq_stall_work, wsq_stall_look);

static unsigned long wsq_stall_period(unsigned int ms)
{
	return max(msecs_to_jiffies(ms) / 4, 1UL);
}

/* wsq_workers_lock is held, so @w stays. */
static void wsq_stall_report(const char *queue, const struct wsq_worker *w,
			     unsigned long since, bool waits)
{
	wsq_func_t func = READ_ONCE(w->cur) ? READ_ONCE(w->func) : NULL;
	unsigned int ms = jiffies_to_msecs(jiffies - since);
	pid_t pid = task_pid_nr(w->task);

	atomic_inc(&wsq_stall_reports);
	trace_wsq_stall(queue, func, w->cpu, pid, ms, waits);
	if (waits && !func)
		pr_warn("wsq: stall: %s: something waits on CPU %u for %u ms, its worker (pid %d) runs nothing\n",
			queue, w->cpu, ms, pid);
	else
		pr_warn("wsq: stall: %s: %s %ps on CPU %u for %u ms, pid %d\n",
			queue, waits ? "something waits behind" : "runs", func,
			w->cpu, ms, pid);
	if (READ_ONCE(wsq_stall_stack))
		sched_show_task(w->task);
}

/* Look at one worker. True if it runs something. */
static bool wsq_stall_worker(struct wsq_worker *w, unsigned long limit)
{
	u64 nr_run = READ_ONCE(w->nr_run);
	struct wsq *q;

	if (!READ_ONCE(w->cur))
		return false;
	if (w->stall_run != nr_run) {
		w->stall_run = nr_run;
		w->stall_since = jiffies;
		w->stall_told = false;
		return true;
	}
	if (w->stall_told || time_before(jiffies, w->stall_since + limit))
		return true;
	w->stall_told = true;
	/* wsq_workers_leave() wants the lock that we hold, so it cannot go. */
	q = READ_ONCE(w->serving);
	if (q && READ_ONCE(w->nr_run) == nr_run && READ_ONCE(w->cur))
		wsq_stall_report(q->pool.name, w, w->stall_since, false);
	return true;
}

/* The first queue that has something waiting on a CPU. RCU is held. */
static const struct wsq *wsq_stall_waits(unsigned int cpu)
{
	const struct wsq_cpu *c = wsq_cpus[cpu];
	u32 id, next;

	for (id = wsq_ready_next(c, 0); id < WSQ_MAX_QUEUES; id = next) {
		const struct wsq *q = xa_load(&wsq_queues, id);
		const struct wsq_container *ct;

		ct = q ? wsq_pool_any(&q->pool, cpu) : NULL;
		if (ct && wsq_linked_waiting(ct))
			return q;
		next = wsq_ready_next(c, id + 1);
		if (next <= id)
			break;
	}
	return NULL;
}

/* Look at one CPU. True if something waits there. */
static bool wsq_stall_cpu(unsigned int cpu, unsigned long limit)
{
	const struct wsq_worker *w = READ_ONCE(wsq_cpus[cpu]->worker);
	struct wsq_stall *s = &wsq_stalls[cpu];
	const struct wsq *q;

	rcu_read_lock();
	preempt_disable();
	q = w ? wsq_stall_waits(cpu) : NULL;
	preempt_enable();
	if (!q) {
		s->w = NULL;
	} else if (s->w != w || s->nr_run != READ_ONCE(w->nr_run)) {
		s->w = w;
		s->nr_run = READ_ONCE(w->nr_run);
		s->since = jiffies;
		s->told = false;
	} else if (!s->told && !time_before(jiffies, s->since + limit)) {
		s->told = true;
		wsq_stall_report(q->pool.name, w, s->since, true);
	}
	rcu_read_unlock();
	return q;
}

/* Look at one queue, under RCU. True if it is drained. */
static bool wsq_stall_drain(struct wsq *q, unsigned int limit)
{
	unsigned long rounds, since;
	unsigned int ms;

	/*
	 * DR(stall:A): Both pair with wsq_drain(): @drain_since is of this
	 * drain, or a later one.
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
		q->drain_told = 0;
	}
	/* None since we last looked: one takes long, which others report. */
	if (rounds == q->drain_seen)
		return true;
	q->drain_seen = rounds;
	if (ms < limit || ms / 2 < q->drain_told)
		return true;
	q->drain_told = ms;
	atomic_inc(&wsq_stall_reports);
	pr_warn("wsq: stall: %s: drained for %u ms and not empty after %lu flushes, its items go on queueing\n",
		q->pool.name, ms, rounds);
	return true;
}

static bool wsq_stall_drains(unsigned int limit)
{
	bool busy = false;
	unsigned long id;
	struct wsq *q;

	/* Those that are not to be found any more stay as long. */
	rcu_read_lock();
	xa_for_each(&wsq_queues, id, q)
		busy |= wsq_stall_drain(q, limit);
	rcu_read_unlock();
	return busy;
}

static void wsq_stall_look(struct work_struct *work)
{
	unsigned int cpu, ms = READ_ONCE(wsq_stall_ms);
	struct wsq_worker *w;
	bool busy = false;

	if (!ms) {
		atomic_set(&wsq_stall_armed, 0);
		return;
	}
	mutex_lock(&wsq_workers_lock);
	list_for_each_entry(w, &wsq_workers, list)
		busy |= wsq_stall_worker(w, msecs_to_jiffies(ms));
	for_each_possible_cpu(cpu)
		busy |= wsq_stall_cpu(cpu, msecs_to_jiffies(ms));
	mutex_unlock(&wsq_workers_lock);
	busy |= wsq_stall_drains(ms);
	if (busy)
		queue_delayed_work(wsq_housekeeping, &wsq_stall_work,
				   wsq_stall_period(ms));
	else
		/* Whoever is awake by now sets it again. */
		atomic_set(&wsq_stall_armed, 0);
}

/* A worker is awake, says the watch in hardirq: set the look-out, unless it is. */
static void wsq_stall_arm(void)
{
	unsigned int ms = READ_ONCE(wsq_stall_ms);

	if (likely(atomic_read(&wsq_stall_armed)) || !ms)
		return;
	if (!atomic_xchg(&wsq_stall_armed, 1))			/* ST(arm:A) */
		queue_delayed_work(wsq_housekeeping, &wsq_stall_work,
				   wsq_stall_period(ms));
}

/**
 * wsq_stall_init() - before the first worker
 *
 * Context: module load.
 * Return: 0 or %-ENOMEM.
 */
int wsq_stall_init(void)
{
	wsq_stalls = kcalloc(nr_cpu_ids, sizeof(*wsq_stalls), GFP_KERNEL);
	if (!wsq_stalls)
		return -ENOMEM;
	wsq_watch_hook = wsq_stall_arm;
	return 0;
}

/**
 * wsq_stall_exit() - after the last worker, before housekeeping goes
 *
 * Context: module unload.
 */
void wsq_stall_exit(void)
{
	wsq_watch_hook = NULL;
	cancel_delayed_work_sync(&wsq_stall_work);
	kfree(wsq_stalls);
}
