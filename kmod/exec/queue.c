// SPDX-License-Identifier: GPL-2.0
/*
 * Queues: create, drain, free.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../compat/export.h"
#include "../pool/victim.h"
#include "item.h"
#include "tenant.h"

/* Queues by id. Workers look them up under RCU, or with preemption off. */
struct xarray wsq_queues;
WSQ_EXPORT_KUNIT(wsq_queues);

/*
 * A queue found under this mutex is not freed before it is unlocked. Ioctls do
 * not take it: their threads may be kept from running for long.
 */
DEFINE_MUTEX(wsq_queues_lock);
WSQ_EXPORT_KUNIT(wsq_queues_lock);

/* Statistics see either a queue, or its counts in @old_puts and so on. */
DEFINE_SEQLOCK(wsq_fold_lock);

static void wsq_queue_lockdep_init(struct wsq *q, struct lock_class_key *key,
				   const char *lock_name)
{
#ifdef CONFIG_LOCKDEP
	/* The queues that one call creates, for each device, may be layered. */
	if (!key) {
		lockdep_register_key(&q->lock_key);
		key = &q->lock_key;
		snprintf(q->lock_name, sizeof(q->lock_name), "(wsq)%s",
			 q->pool.name);
		lock_name = q->lock_name;
	}
	lockdep_init_map(&q->lockdep_map, lock_name, key, 0);
#endif
}

/* No item runs and no thread flushes any more. May sleep. */
static void wsq_queue_lockdep_exit(struct wsq *q)
{
#ifdef CONFIG_LOCKDEP
	if (q->lockdep_map.key == &q->lock_key)
		lockdep_unregister_key(&q->lock_key);
#endif
}

/**
 * wsq_queues_settle() - wait until queues that were destroyed are freed
 *
 * Context: task; may sleep.
 */
void wsq_queues_settle(void)
{
	/* Queues that wait for a grace period, then those in the workqueue. */
	rcu_barrier();
	flush_workqueue(wsq_maintenance);
}
WSQ_EXPORT_KUNIT(wsq_queues_settle);

/* Reserve a number. A look-up does not find the queue yet. */
static int wsq_queue_number(struct wsq *q, bool tenant)
{
	const struct xa_limit limit = tenant ?
		XA_LIMIT(WSQ_FIRST_TENANT, WSQ_MAX_QUEUES - 1) :
		XA_LIMIT(0, WSQ_FIRST_TENANT - 1);
	bool waited = false;
	int ret;

	for (;;) {
		ret = xa_alloc(&wsq_queues, &q->id, XA_ZERO_ENTRY, limit,
			       GFP_KERNEL);
		if (ret != -EBUSY || waited)
			return ret == -EBUSY ? -ENOSPC : ret;
		/* Destroyed queues keep their numbers until they are freed. */
		wsq_queues_settle();
		waited = true;
	}
}

/* Build what a queue consists of, and make it visible. */
static int wsq_queue_build(struct wsq *q, const struct wsq_attrs *attrs,
			   bool tenant)
{
	int ret;

	q->limit = attrs->max_active ?: WSQ_DEF_MAX_ACTIVE;
	q->max_active = q->limit;
	q->class = wsq_class_get(attrs->class);
	if (!q->class || !zalloc_cpumask_var(&q->cpus, GFP_KERNEL))
		return -ENOMEM;
	ret = wsq_queue_number(q, tenant);
	if (ret)
		goto free_cpus;
	if (attrs->flags & WSQ_ORDERED)
		ret = wsq_order_create(q);
	if (ret)
		goto erase;
	q->pool.ct_bytes = sizeof(struct wsq_lane);
	q->pool.ct_init = wsq_lane_init;
	q->pool.on_dead_cpu = wsq_queue_cpu_dead;
	ret = wsq_pool_init(&q->pool, &wsq_machine, attrs, false);
	if (ret)
		goto erase;
	if (attrs->flags & WSQ_FREEZABLE)
		ret = wsq_freeze_add(q);
	if (!ret && attrs->flags & WSQ_MEM_RECLAIM)
		ret = wsq_rescuer_create(q);
	if (ret)
		goto unfreeze;
	/* From here on wsq_cpumask_offline() finds the queue. */
	cpus_read_lock();
	ret = wsq_cpumask_begin(q);
	if (!ret)
		xa_store(&wsq_queues, q->id, q, GFP_KERNEL);
	cpus_read_unlock();
	if (!ret)
		return 0;
	wsq_rescuer_destroy(q);
unfreeze:
	wsq_freeze_remove(q);
	wsq_pool_exit(&q->pool);
erase:
	wsq_order_destroy(q);
	xa_erase(&wsq_queues, q->id);
free_cpus:
	free_cpumask_var(q->cpus);
	return ret;
}

/* wsq_queue_build(), with the module's CPUs if the attributes name none. */
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

/* Are the attributes within bounds, and do they fit together? */
static bool wsq_queue_attrs_ok(const struct wsq_attrs *attrs)
{
	if (!attrs)
		return true;
	if (attrs->flags & ~(WSQ_MEM_RECLAIM | WSQ_RESIDENT | WSQ_SYSFS |
			     WSQ_ORDERED | WSQ_FREEZABLE) ||
	    attrs->max_active > WSQ_MAX_MAX_ACTIVE ||
	    attrs->class >= WSQ_CLASSES)
		return false;
	/* One item at a time, and no engine. */
	return !(attrs->flags & WSQ_ORDERED) ||
	       (!(attrs->flags & WSQ_RESIDENT) && !attrs->max_active &&
		!attrs->engine && !attrs->blocks && !attrs->block_size &&
		!attrs->max_blocks);
}

/* Create a queue. The name had @len bytes, which may be more than fits. */
static struct wsq *wsq_queue_create(const struct wsq_attrs *attrs, bool tenant,
				    struct lock_class_key *key,
				    const char *lock_name, const char *name,
				    size_t len)
{
	u32 flags = attrs ? attrs->flags : 0;
	struct wsq *q;
	int ret;

	if (!wsq_queue_attrs_ok(attrs))
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
	INIT_LIST_HEAD(&q->freezable);
	mutex_init(&q->drain_lock);
	mutex_init(&q->mask_lock);
	wsq_queue_lockdep_init(q, key, lock_name);
	ret = wsq_queue_build_on(q, attrs, tenant);
	if (ret) {
		wsq_queue_lockdep_exit(q);
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
 * wsq_tenant_create() - create a queue for what a user's rings submit
 * @attrs: as for wsq_create()
 * @name: its name
 *
 * On a CPU where other queues wait, all such queues together get the time of
 * one queue.
 *
 * Context: task; may sleep.
 * Return: as wsq_create(); destroy it with wsq_destroy().
 */
struct wsq *wsq_tenant_create(const struct wsq_attrs *attrs, const char *name)
{
	static struct lock_class_key key;

	return wsq_queue_create(attrs, true, &key, "(wsq)tenant", name,
				strnlen(name, WSQ_NAME_LEN));
}
WSQ_EXPORT_KUNIT(wsq_tenant_create);

int wsq_set_steal(struct wsq *q, u32 policy, u32 batch)
{
	if (batch >= WSQ_STEAL_BATCHES ||
	    wsq_victim_set_policy(&q->pool, policy))
		return -EINVAL;
	return wsq_victim_set_batch(&q->pool, batch);
}
WSQ_EXPORT(wsq_set_steal);

/*
 * Keep the queue's counts, so that statistics do not go back. The caller is the
 * writer of wsq_fold_lock.
 */
static void wsq_queue_fold(const struct wsq *q)
{
	unsigned int cpu, color;

	for_each_possible_cpu(cpu) {
		const struct wsq_lane *lane = wsq_lane_any(q, cpu);
		struct wsq_cpu *c = wsq_cpu_of(q, cpu);

		if (!lane)
			continue;
		for (color = 0; color < WSQ_FLUSH_COLORS; color++) {
			u64 in = atomic64_read(&lane->in_cnt[color]);

			c->old_puts += READ_ONCE(lane->count[color].put) + in;
			c->old_inbox += in;
			c->old_gets += READ_ONCE(lane->count[color].done) +
				       atomic64_read(&lane->far_cnt[color]);
		}
	}
}

/*
 * Run what is queued, until nothing is left. One store then sets @flags and, if
 * no other drain is under way, clears %WSQ_Q_DRAINING, so that no put comes in
 * between.
 */
static void wsq_queue_drain(struct wsq *q, unsigned int flags)
{
	bool empty;

	mutex_lock(&q->drain_lock);
	if (!q->drainers++) {
		WRITE_ONCE(q->drain_since, jiffies);
		WRITE_ONCE(q->drain_rounds, 0);
		/* DR(drain:A): A CPU that sees the flag sees the above. */
		smp_store_release(&q->flags, q->flags | WSQ_Q_DRAINING);
	}
	mutex_unlock(&q->drain_lock);
	/* If items queue items, each round runs one more generation. */
	for (;;) {
		wsq_flush(q);
		empty = wsq_flushed(q);
		mutex_lock(&q->drain_lock);
		if (empty)
			break;
		/* DR(drain:B): After @drain_since. */
		smp_store_release(&q->drain_rounds, q->drain_rounds + 1);
		mutex_unlock(&q->drain_lock);
	}
	flags |= q->flags;
	if (!--q->drainers)
		flags &= ~WSQ_Q_DRAINING;
	WRITE_ONCE(q->flags, flags);
	mutex_unlock(&q->drain_lock);
}

void wsq_drain(struct wsq *q)
{
	wsq_queue_drain(q, 0);
}
WSQ_EXPORT(wsq_drain);

/* Free a queue, a grace period after it was removed from wsq_queues. */
static void wsq_queue_free(struct work_struct *work)
{
	struct wsq *q = container_of(to_rcu_work(work), struct wsq, free_work);

	/* A context that found it before it was removed is done with it. */
	mutex_lock(&wsq_queues_lock);
	mutex_unlock(&wsq_queues_lock);
	/* A worker that found it by its number leaves soon: it is empty. */
	wsq_workers_leave(q);
	wsq_ready_forget(q);
	xa_erase(&wsq_queues, q->id);
	wsq_pool_exit(&q->pool);
	wsq_order_destroy(q);
	free_cpumask_var(q->cpus);
	kfree(q);
}

void wsq_destroy(struct wsq *q)
{
	if (!q)
		return;

	/* If it is frozen, its items run now. */
	wsq_freeze_remove(q);
	wsq_queue_drain(q, WSQ_Q_DYING);
	/* Not before: what is written there may help an item that waits. */
	wsq_sysfs_remove(q);
	wsq_rescuer_destroy(q);
	/* Statistics either find the queue or what it counted. */
	write_seqlock(&wsq_fold_lock);
	/*
	 * Look-ups do not find the queue any more; its number stays taken. In
	 * place of an entry, so no memory is needed.
	 */
	xa_store(&wsq_queues, q->id, XA_ZERO_ENTRY, GFP_ATOMIC);
	wsq_queue_fold(q);
	write_sequnlock(&wsq_fold_lock);
	wsq_queue_lockdep_exit(q);
	INIT_RCU_WORK(&q->free_work, wsq_queue_free);
	queue_rcu_work(wsq_maintenance, &q->free_work);	/* WH(free:A) */
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
	BUILD_BUG_ON(WSQ_MAX_QUEUES > BIT(WSQ_LOCATION_QUEUE_BITS));
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
	wsq_freeze_exit();
	wsq_queues_settle();
	WARN_ON(!xa_empty(&wsq_queues));
	xa_destroy(&wsq_queues);
}
