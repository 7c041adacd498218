// SPDX-License-Identifier: GPL-2.0
/*
 * Queues: make, drain, free.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../compat/export.h"
#include "../obs/sysfs.h"
#include "../pool/victim.h"
#include "item.h"
#include "tenant.h"

/* Queues by id. Workers look under RCU, or with preemption off. */
struct xarray wsq_queues;
WSQ_EXPORT_KUNIT(wsq_queues);

/* Makes and frees one queue at a time; holds queues for statistics. */
DEFINE_MUTEX(wsq_queues_lock);

static void wsq_queue_lockdep_init(struct wsq *q, struct lock_class_key *key,
				   const char *lock_name)
{
#ifdef CONFIG_LOCKDEP
	q->lock_name = lock_name;
	lockdep_init_map(&q->lockdep_map, lock_name, key, 0);
#endif
}

/**
 * wsq_queues_settle() - wait until queues that were destroyed are gone
 *
 * Context: task; may sleep.
 */
void wsq_queues_settle(void)
{
	/* Those that wait for their grace period, then for their turn. */
	rcu_barrier();
	flush_workqueue(wsq_housekeeping);
}
WSQ_EXPORT_KUNIT(wsq_queues_settle);

/* Take a number that is not to be found yet. */
static int wsq_queue_number(struct wsq *q, bool tenant)
{
	const struct xa_limit limit = tenant ?
		XA_LIMIT(WSQ_FIRST_TENANT, WSQ_MAX_QUEUES - 1) :
		XA_LIMIT(0, WSQ_FIRST_TENANT - 1);
	bool waited = false;
	int ret;

	for (;;) {
		ret = xa_alloc(&wsq_queues, &q->pool.id, XA_ZERO_ENTRY, limit,
			       GFP_KERNEL);
		if (ret != -EBUSY || waited)
			return ret == -EBUSY ? -ENOSPC : ret;
		/* Some may be of queues that are gone but for their memory. */
		wsq_queues_settle();
		waited = true;
	}
}

/* Give the queue its number and its parts. */
static int wsq_queue_build(struct wsq *q, const struct wsq_attrs *attrs,
			   bool tenant)
{
	int ret;

	q->max_active = attrs->max_active ?: WSQ_DEF_MAX_ACTIVE;
	ret = wsq_queue_number(q, tenant);
	if (ret)
		return ret;
	q->pool.on_orphan = wsq_queue_orphan;
	ret = wsq_pool_init(&q->pool, &wsq_machine, attrs, false);
	if (ret)
		goto erase;
	cpus_read_lock();
	ret = wsq_workers_need(q->pool.cpus);
	cpus_read_unlock();
	if (ret)
		goto exit_pool;
	if (attrs->flags & WSQ_MEM_RECLAIM)
		ret = wsq_rescuer_create(q);
	if (ret)
		goto exit_pool;
	mutex_lock(&wsq_queues_lock);
	xa_store(&wsq_queues, q->pool.id, q, GFP_KERNEL);
	mutex_unlock(&wsq_queues_lock);
	return 0;
exit_pool:
	wsq_pool_exit(&q->pool);
erase:
	xa_erase(&wsq_queues, q->pool.id);
	return ret;
}

/* wsq_queue_build() with CPUs if the attributes name none. */
static int wsq_queue_build_on(struct wsq *q, const struct wsq_attrs *attrs,
			      bool tenant)
{
	struct wsq_attrs all = attrs ? *attrs : (struct wsq_attrs){};
	cpumask_var_t cpus;
	int ret;

	if (all.cpumask)
		return wsq_queue_build(q, &all, tenant);
	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	wsq_default_cpus(cpus);
	all.cpumask = cpus;
	q->follows = true;
	ret = wsq_queue_build(q, &all, tenant);
	free_cpumask_var(cpus);
	if (!ret)
		wsq_follow_start();
	return ret;
}

/* Make a queue. @name has @len bytes, which may be more than fits. */
static struct wsq *wsq_queue_create(const struct wsq_attrs *attrs, bool tenant,
				    struct lock_class_key *key,
				    const char *lock_name, const char *name,
				    size_t len)
{
	u32 flags = attrs ? attrs->flags : 0;
	struct wsq *q;
	int ret;

	if (flags & ~(WSQ_MEM_RECLAIM | WSQ_RESIDENT | WSQ_SYSFS) ||
	    (attrs && attrs->max_active > WSQ_MAX_MAX_ACTIVE))
		return ERR_PTR(-EINVAL);
	q = kzalloc(sizeof(*q), GFP_KERNEL);
	if (!q)
		return ERR_PTR(-ENOMEM);
	strscpy(q->pool.name, name, sizeof(q->pool.name));
	if (flags & WSQ_SYSFS && (len >= sizeof(q->pool.name) ||
				  !wsq_sysfs_name_ok(q->pool.name))) {
		kfree(q);
		return ERR_PTR(-EINVAL);
	}
	wsq_flush_init(q);
	mutex_init(&q->drain_lock);
	mutex_init(&q->mask_lock);
	wsq_queue_lockdep_init(q, key, lock_name);
	ret = wsq_queue_build_on(q, attrs, tenant);
	if (ret) {
		kfree(q);
		return ERR_PTR(ret);
	}
	/* Last: a process that finds the directory may use it at once. */
	if (flags & WSQ_SYSFS)
		ret = wsq_sysfs_add(q);
	if (ret) {
		wsq_destroy(q);
		return ERR_PTR(ret);
	}
	return q;
}

/**
 * wsq_create_key() - wsq_create(), with a lockdep class
 * @attrs: what it is like; %NULL or zero members for defaults
 * @key: the class of what flushing the queue depends on
 * @lock_name: name of the class
 * @fmt: the queue's name, as for printf
 *
 * Context: task; may sleep.
 * Return: as wsq_create().
 */
struct wsq *wsq_create_key(const struct wsq_attrs *attrs,
			   struct lock_class_key *key, const char *lock_name,
			   const char *fmt, ...)
{
	char name[WSQ_NAME_LEN];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(name, sizeof(name), fmt, args);
	va_end(args);
	return wsq_queue_create(attrs, false, key, lock_name, name, len);
}
WSQ_EXPORT(wsq_create_key);

/**
 * wsq_tenant_create() - make a queue for what a user's rings submit
 * @attrs: as for wsq_create()
 * @name: its name
 *
 * On a CPU where other queues wait, all such queues together get the share of
 * one.
 *
 * Context: task; may sleep.
 * Return: as wsq_create(); wsq_destroy() is due at the end.
 */
struct wsq *wsq_tenant_create(const struct wsq_attrs *attrs, const char *name)
{
	static struct lock_class_key key;

	return wsq_queue_create(attrs, true, &key, "(wsq)tenant", name,
				strnlen(name, WSQ_NAME_LEN));
}

/**
 * wsq_set_steal() - change whom a queue's CPUs rob, and how much they take
 * @q: the queue; may be in use
 * @policy: an enum wsq_steal_policy, 0 for the default
 * @batch: an enum wsq_steal_batch, 0 for the default
 *
 * Context: any. Thefts that are under way end as they began.
 * Return: 0; %-EINVAL if there is no such policy or batch, and then nothing has
 * changed.
 */
int wsq_set_steal(struct wsq *q, u32 policy, u32 batch)
{
	if (batch >= WSQ_STEAL_BATCHES ||
	    wsq_victim_set_policy(&q->pool, policy))
		return -EINVAL;
	return wsq_victim_set_batch(&q->pool, batch);
}
WSQ_EXPORT(wsq_set_steal);

/* Keep what the queue counted, so that statistics do not go back. */
static void wsq_queue_fold(const struct wsq *q)
{
	unsigned int cpu, phase;

	for_each_possible_cpu(cpu) {
		const struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);
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

/*
 * Run what is queued, until nothing is left. @flags replace %WSQ_Q_DRAINING in
 * one step, so that no put comes in between.
 */
static void wsq_queue_drain(struct wsq *q, unsigned int flags)
{
	bool empty;

	mutex_lock(&q->drain_lock);
	if (!q->drainers++) {
		WRITE_ONCE(q->drain_since, jiffies);
		WRITE_ONCE(q->drain_rounds, 0);
		/* DR(drain:A): A CPU that sees it sees the above. */
		smp_store_release(&q->flags, q->flags | WSQ_Q_DRAINING);
	}
	mutex_unlock(&q->drain_lock);
	/* Items that queue items: each round gets one generation further. */
	for (;;) {
		wsq_flush(q);
		empty = wsq_flushed(q);
		mutex_lock(&q->drain_lock);
		if (empty)
			break;
		/* DR(drain:B): Behind @drain_since. */
		smp_store_release(&q->drain_rounds, q->drain_rounds + 1);
		mutex_unlock(&q->drain_lock);
	}
	flags |= q->flags;
	if (!--q->drainers)
		flags &= ~WSQ_Q_DRAINING;
	WRITE_ONCE(q->flags, flags);
	mutex_unlock(&q->drain_lock);
}

/**
 * wsq_drain() - run what is queued, until nothing is left
 * @q: the queue
 *
 * Meanwhile only the items of @q may queue to it; other puts are refused, with
 * a warning. Items that are on a timer are not waited for. If items that queue
 * items keep it from ending for stall_ms (module parameter), the kernel log says
 * so, and again each time that it has taken twice as long.
 *
 * Context: task; may sleep. As wsq_flush().
 */
void wsq_drain(struct wsq *q)
{
	wsq_queue_drain(q, 0);
}
WSQ_EXPORT(wsq_drain);

/* A grace period after the queue could last be found. */
static void wsq_queue_free(struct work_struct *work)
{
	struct wsq *q = container_of(to_rcu_work(work), struct wsq, free_work);

	/* Who found it by its number leaves it soon: there is nothing in it. */
	wsq_workers_leave(q);
	wsq_ready_forget(q->pool.id);
	mutex_lock(&wsq_queues_lock);
	xa_erase(&wsq_queues, q->pool.id);
	mutex_unlock(&wsq_queues_lock);
	wsq_pool_exit(&q->pool);
	kfree(q);
}

/**
 * wsq_destroy() - run what is queued, then free the queue
 * @q: the queue, or %NULL
 *
 * Nobody may queue to @q once this is called, but for its own items, which are
 * waited for as well. Delayed items are the caller's to cancel before.
 *
 * All functions of items have returned when this does. The memory goes after a
 * grace period that is not waited for.
 *
 * Context: task; may sleep. Not from an item of @q.
 */
void wsq_destroy(struct wsq *q)
{
	if (!q)
		return;

	wsq_sysfs_remove(q);
	wsq_queue_drain(q, WSQ_Q_DYING);
	wsq_rescuer_destroy(q);
	/* Not to be found any more, but the number stays taken. */
	mutex_lock(&wsq_queues_lock);
	xa_store(&wsq_queues, q->pool.id, XA_ZERO_ENTRY, GFP_KERNEL);
	/* Statistics either find the queue or what it counted. */
	wsq_queue_fold(q);
	mutex_unlock(&wsq_queues_lock);
	INIT_RCU_WORK(&q->free_work, wsq_queue_free);
	queue_rcu_work(wsq_housekeeping, &q->free_work);	/* WH(free:A) */
}
WSQ_EXPORT(wsq_destroy);

/**
 * wsq_queues_init() - before the first queue
 *
 * Context: module load.
 * Return: 0.
 */
int wsq_queues_init(void)
{
	xa_init_flags(&wsq_queues, XA_FLAGS_ALLOC);
	wsq_wait_init();
	return 0;
}

/**
 * wsq_queues_exit() - after the last queue was destroyed
 *
 * Context: module unload.
 */
void wsq_queues_exit(void)
{
	wsq_follow_exit();
	wsq_queues_settle();
	WARN_ON(!xa_empty(&wsq_queues));
	xa_destroy(&wsq_queues);
}
