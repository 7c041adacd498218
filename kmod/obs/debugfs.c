// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/wsq: the state of queues, pools, fork-join objects, workers,
 * thieves and pollers. Documentation/observability.rst shows the formats.
 *
 * Nothing is recorded for these files. A read looks at each object, under the
 * locks that keep queues and workers from being freed.
 *
 * Limitations: values change while they are read. Each is right by itself; what
 * is computed from two of them may be off by a few items.
 */
#include <linux/debugfs.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/wsq_pool.h>

#include "../exec/exec.h"
#include "../forkjoin/forkjoin.h"
#include "../pool/victim.h"
#include "../ring/poller.h"
#include "collect.h"
#include "debugfs.h"

static struct dentry *wsq_debugfs_dir;

/* The first queue whose id is @id or more. wsq_queues_lock is held. */
static struct wsq *wsq_queues_seek(unsigned long id, loff_t *pos)
{
	struct wsq *q = xa_find(&wsq_queues, &id, ULONG_MAX, XA_PRESENT);

	*pos = q ? id + 1 : WSQ_MAX_QUEUES + 1;
	return q;
}

/* Position 0 is the header line, a queue is at its id + 1. */
static void *wsq_queues_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&wsq_queues_lock);
	return *pos ? wsq_queues_seek(*pos - 1, pos) : SEQ_START_TOKEN;
}

static void *wsq_queues_next(struct seq_file *m, void *v, loff_t *pos)
{
	return wsq_queues_seek(*pos, pos);
}

static void wsq_queues_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&wsq_queues_lock);
}

/* How many functions of a queue's items are running. */
static unsigned int wsq_queue_running(const struct wsq *q)
{
	const struct wsq_worker *w;
	unsigned int nr = 0;

	mutex_lock(&wsq_workers_lock);
	list_for_each_entry(w, &wsq_workers, list)
		nr += READ_ONCE(w->serving) == q && READ_ONCE(w->cur);
	mutex_unlock(&wsq_workers_lock);
	rcu_read_lock();
	w = wsq_rescuer_worker(q);
	nr += w && READ_ONCE(w->cur);
	rcu_read_unlock();
	return nr;
}

static void wsq_queue_counts(const struct wsq *q, u64 *queued, u64 *done)
{
	unsigned int cpu, color;

	*queued = 0;
	*done = 0;
	for_each_possible_cpu(cpu) {
		const struct wsq_lane *lane = wsq_lane_any(q, cpu);

		for (color = 0; lane && color < WSQ_FLUSH_COLORS; color++) {
			*done += READ_ONCE(lane->count[color].done) +
				 atomic64_read(&lane->far_cnt[color]);
			*queued += READ_ONCE(lane->count[color].put) +
				   atomic64_read(&lane->in_cnt[color]);
		}
	}
}

static void wsq_queue_show_flags(struct seq_file *m, const struct wsq *q)
{
	unsigned int flags = READ_ONCE(q->flags);
	const char *comma = "";

	if (q->class->nr != WSQ_CLASS_NORMAL) {
		seq_puts(m, q->class->name);
		comma = ",";
	}
	if (READ_ONCE(q->rescuer)) {
		seq_printf(m, "%sreclaim", comma);
		comma = ",";
	}
	if (q->pool.resident) {
		seq_printf(m, "%sresident", comma);
		comma = ",";
	}
	if (flags & WSQ_Q_DRAINING) {
		seq_printf(m, "%sdraining", comma);
		comma = ",";
	}
	if (flags & WSQ_Q_DYING) {
		seq_printf(m, "%sdying", comma);
		comma = ",";
	}
	if (!*comma)
		seq_putc(m, '-');
}

/* An ordered queue has none. */
static const char *wsq_queue_engine(const struct wsq *q)
{
	return q->order ? "-" : wsq_engine_ops(q->pool.kind)->name;
}

static int wsq_queues_show(struct seq_file *m, void *v)
{
	u64 queued, done, running, left;
	struct wsq *q = v;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "id engine cpus flags queued done running waiting name\n");
		return 0;
	}
	/*
	 * The mask may be changing, bit by bit. Do not take @mask_lock: its
	 * holder may wait for hotplug, and hotplug may wait for queues.
	 */
	seq_printf(m, "%u %s %*pbl ", q->id, wsq_queue_engine(q),
		   cpumask_pr_args(q->pool.cpus));
	wsq_queue_show_flags(m, q);
	running = wsq_queue_running(q);
	wsq_queue_counts(q, &queued, &done);
	left = queued > done ? queued - done : 0;
	seq_printf(m, " %llu %llu %llu %llu %s\n", queued, done, running,
		   left > running ? left - running : 0, q->pool.name);
	return 0;
}

static const struct seq_operations wsq_queues_sops = {
	.start	= wsq_queues_start,
	.next	= wsq_queues_next,
	.stop	= wsq_queues_stop,
	.show	= wsq_queues_show,
};
DEFINE_SEQ_ATTRIBUTE(wsq_queues);

static int wsq_pools_show(struct seq_file *m, void *v)
{
	struct wsq_pool_counts c;
	struct wsq_pool *pool;

	seq_puts(m, "engine cpus puts takes steals duplicates name\n");
	mutex_lock(&wsq_pools_lock);
	list_for_each_entry(pool, &wsq_pools, list) {
		seq_printf(m, "%s %*pbl ", wsq_engine_ops(pool->kind)->name,
			   cpumask_pr_args(pool->cpus));
		if (wsq_pool_read_counts(pool, &c))
			seq_puts(m, "- - - -");
		else
			seq_printf(m, "%llu %llu %llu %llu", c.puts, c.takes,
				   c.steals, c.duplicates);
		seq_printf(m, " %s\n", pool->name);
	}
	mutex_unlock(&wsq_pools_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(wsq_pools);

static int wsq_forkjoin_show(struct seq_file *m, void *unused)
{
	struct wsq_fj_stats s;
	struct wsq_fj *fj;

	seq_puts(m, "max_cpus seats runs started steals leaps requests grows shrinks sleeps queue\n");
	mutex_lock(&wsq_fjs_lock);
	list_for_each_entry(fj, &wsq_fjs, list) {
		/* The file is read again with a larger buffer. */
		if (seq_has_overflowed(m))
			break;
		wsq_fj_read_stats(fj, &s);
		/* The queue outlives the object. */
		seq_printf(m, "%u %u %llu %llu %llu %llu %llu %llu %llu %llu %s\n",
			   fj->team.max, fj->team.nr, s.runs, s.started,
			   s.steals, s.leaps, s.requests, s.grows, s.shrinks,
			   s.sleeps, fj->q->pool.name);
	}
	mutex_unlock(&wsq_fjs_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(wsq_forkjoin);

/* The role of a worker on its CPU. */
static const char *wsq_worker_role(const struct wsq_worker *w)
{
	struct wsq_cpu *c = wsq_worker_cpu(w);
	const char *role;

	raw_spin_lock_irq(&c->role_lock);
	if (READ_ONCE(w->gone))
		role = "leaving";
	else if (c->worker == w)
		role = "current";
	else
		role = READ_ONCE(w->cur) ? "replaced" : "standby";
	raw_spin_unlock_irq(&c->role_lock);
	return role;
}

/* How long the item has been running, if known. */
static void wsq_worker_show_time(struct seq_file *m, const struct wsq_worker *w)
{
	u64 ns = wsq_collect_ran_for(w);

	if (ns)
		seq_printf(m, "%llu", div_u64(ns, NSEC_PER_USEC));
	else if (READ_ONCE(w->cur) && w->stall_run &&
		 w->stall_run == READ_ONCE(w->nr_run))
		/* Since the stall detector first saw this item. */
		seq_printf(m, ">=%u000",
			   jiffies_to_msecs(jiffies - w->stall_since));
	else
		seq_putc(m, '-');
}

/* @q: the queue that it serves, or %NULL; it cannot be freed. */
static void wsq_worker_show(struct seq_file *m, const struct wsq_worker *w,
			    const struct wsq *q, const char *role)
{
	wsq_func_t func = READ_ONCE(w->cur) ? READ_ONCE(w->func) : NULL;

	seq_printf(m, "%u %d %s %llu ", READ_ONCE(w->cpu),
		   task_pid_nr(w->task), role, READ_ONCE(w->nr_run));
	/* Only for an item of this line, not for one that began since. */
	if (q && func)
		wsq_worker_show_time(m, w);
	else
		seq_putc(m, '-');
	if (q)
		seq_printf(m, " %u ", q->id);
	else
		seq_puts(m, " - ");
	if (func)
		seq_printf(m, "%ps\n", func);
	else
		seq_puts(m, "-\n");
}

static void wsq_workers_show_rescuers(struct seq_file *m)
{
	const struct wsq_worker *w;
	unsigned long id;
	struct wsq *q;

	mutex_lock(&wsq_queues_lock);
	xa_for_each(&wsq_queues, id, q) {
		rcu_read_lock();
		/* A rescuer is ended only after a grace period. */
		w = wsq_rescuer_worker(q);
		if (w)
			wsq_worker_show(m, w, q, "rescuer");
		rcu_read_unlock();
	}
	mutex_unlock(&wsq_queues_lock);
}

static int wsq_workers_show(struct seq_file *m, void *unused)
{
	const struct wsq_worker *w;

	seq_puts(m, "cpu pid role items us queue function\n");
	mutex_lock(&wsq_workers_lock);
	list_for_each_entry_reverse(w, &wsq_workers, list)
		/* A queue is freed only after taking this lock. */
		wsq_worker_show(m, w, READ_ONCE(w->serving),
				wsq_worker_role(w));
	mutex_unlock(&wsq_workers_lock);
	wsq_workers_show_rescuers(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(wsq_workers);

static int wsq_thieves_show(struct seq_file *m, void *unused)
{
	unsigned int cpu, policy;

	seq_puts(m, "cpu policy drawn rejected found\n");
	for_each_possible_cpu(cpu) {
		const struct wsq_pool_thief *r = wsq_pool_thief(cpu);

		for (policy = 1; policy < WSQ_STEAL_POLICIES; policy++) {
			/* In this order, so that @drawn is at least the sum. */
			u64 found = READ_ONCE(r->found[policy]);
			u64 rejected = READ_ONCE(r->rejected[policy]);
			u64 drawn = READ_ONCE(r->drawn[policy]);

			if (drawn)
				seq_printf(m, "%u %s %llu %llu %llu\n", cpu,
					   wsq_steal_policies[policy], drawn,
					   rejected, found);
		}
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(wsq_thieves);

static int wsq_pollers_show(struct seq_file *m, void *unused)
{
	const struct wsq_poller *p;

	seq_puts(m, "pid state rings taken busy_us idle_us sleeps name\n");
	mutex_lock(&wsq_pollers_lock);
	list_for_each_entry(p, &wsq_pollers, list)
		seq_printf(m, "%d %s %u %llu %llu %llu %llu %s\n",
			   task_pid_nr(p->task),
			   READ_ONCE(p->resting) ? "asleep" : "awake",
			   READ_ONCE(p->nr), READ_ONCE(p->taken),
			   div_u64(READ_ONCE(p->busy_ns), NSEC_PER_USEC),
			   div_u64(READ_ONCE(p->idle_ns), NSEC_PER_USEC),
			   READ_ONCE(p->sleeps), p->task->comm);
	mutex_unlock(&wsq_pollers_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(wsq_pollers);

/**
 * wsq_debugfs_init() - create the files, after all that they show
 *
 * Errors are ignored: the module works without debugfs.
 *
 * Context: module load.
 */
void wsq_debugfs_init(void)
{
	wsq_debugfs_dir = debugfs_create_dir("wsq", NULL);
	debugfs_create_file("queues", 0400, wsq_debugfs_dir, NULL,
			    &wsq_queues_fops);
	debugfs_create_file("pools", 0400, wsq_debugfs_dir, NULL,
			    &wsq_pools_fops);
	debugfs_create_file("forkjoin", 0400, wsq_debugfs_dir, NULL,
			    &wsq_forkjoin_fops);
	debugfs_create_file("workers", 0400, wsq_debugfs_dir, NULL,
			    &wsq_workers_fops);
	debugfs_create_file("thieves", 0400, wsq_debugfs_dir, NULL,
			    &wsq_thieves_fops);
	debugfs_create_file("pollers", 0400, wsq_debugfs_dir, NULL,
			    &wsq_pollers_fops);
	wsq_collect_files(wsq_debugfs_dir);
}

/**
 * wsq_debugfs_exit() - remove the files, before anything that they show
 *
 * Context: module unload.
 */
void wsq_debugfs_exit(void)
{
	debugfs_remove_recursive(wsq_debugfs_dir);
	wsq_collect_exit();
}
