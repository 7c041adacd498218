// SPDX-License-Identifier: GPL-2.0
/*
 * Pools: create and destroy, CPU hotplug, and push and pop of pointers
 * (<linux/wsq.h>).
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/wsq_pool.h>

#include "../compat/export.h"
#include "../compat/topology.h"
#include "../engine/engine.h"
#include "grow.h"
#include "overflow.h"
#include "pool.h"
#include "pointer.h"
#include "steal.h"
#include "reach.h"
#include "victim.h"

/* The machine this module runs on. Constant after load. */
struct wsq_topology wsq_machine;
WSQ_EXPORT_KUNIT(wsq_machine);

/*
 * Slow work of the module itself: memory, and waiting for grace periods.
 * Constant after load.
 */
struct workqueue_struct *wsq_maintenance;

/* Pools of wsq_pool_create(), for debugfs. */
LIST_HEAD(wsq_pools);
/* Protects wsq_pools. */
DEFINE_MUTEX(wsq_pools_lock);

static enum cpuhp_state wsq_pool_hp;

/*
 * The CPU's container, created if there is none; %NULL if there is no memory.
 */
static struct wsq_container *wsq_pool_have(struct wsq_pool *pool,
					   unsigned int cpu)
{
	struct wsq_container *ct = pool->all[cpu];

	if (ct)
		return ct;
	ct = wsq_container_create(pool, cpu, wsq_cpu_node(cpu));
	if (ct)
		/* Pairs with wsq_pool_any(): thieves look without a lock. */
		smp_store_release(&pool->all[cpu], ct);	/* ME(have:A) */
	return ct;
}

/* Create a member's container, or return it to its CPU. */
static int wsq_pool_join(struct wsq_pool *pool, unsigned int cpu)
{
	bool there = pool->all[cpu];
	struct wsq_container *ct = wsq_pool_have(pool, cpu);

	if (!ct)
		return -ENOMEM;
	if (there)
		wsq_container_reclaim(ct);
	/* Pairs with wsq_pool_ct(). */
	smp_store_release(&pool->ct[cpu], ct);		/* ME(join:A) */
	return 0;
}

/*
 * Members have joined, or have come online. A CPU outside the pool may now have
 * a nearer one than it remembers.
 */
static void wsq_pool_changed(struct wsq_pool *pool)
{
	u16 change = pool->near_change + 1;

	/* 0 is for a CPU that remembers nothing. */
	smp_store_release(&pool->near_change, change ?: 1);	/* ME(near:A) */
}

/*
 * Puts need a container even if no member is online. Until its CPU is online,
 * this one is a dead CPU's.
 */
static int wsq_pool_have_one(struct wsq_pool *pool, const struct cpumask *cpus)
{
	unsigned int cpu = cpumask_first(cpus);
	int ret;

	if (pool->ct[cpu])
		return 0;
	ret = wsq_pool_join(pool, cpu);
	if (!ret)
		wsq_container_cpu_dead(pool->ct[cpu]);
	return ret;
}

/* Prepare a non-member's container. A CPU without one puts into an inbox. */
static int wsq_pool_cpu_prepare(struct wsq_pool *pool, unsigned int cpu)
{
	struct wsq_container *ct = wsq_pool_have(pool, cpu);

	if (!ct)
		return pool->live ? 0 : -ENOMEM;
	wsq_container_reclaim(ct);
	return 0;
}

/*
 * Some CPUs put elsewhere from now on, or a waiter has moved to another CPU. So
 * there may be space although no pop has run.
 */
static void wsq_pool_moved(struct wsq_pool *pool)
{
	preempt_disable();
	wsq_overflow_kick(pool);
	preempt_enable();
}

/* Before @cpu runs anything. */
static int wsq_pool_cpu_up(unsigned int cpu, struct hlist_node *node)
{
	struct wsq_pool *pool = hlist_entry(node, struct wsq_pool, hotplug);
	int ret;

	/* A CPU without a container may still pop. */
	if (!wsq_topology_access(pool->topo, cpu))
		return -ENOMEM;
	if (!cpumask_test_cpu(cpu, pool->cpus))
		return wsq_pool_nonmembers(pool) ? wsq_pool_cpu_prepare(pool, cpu) : 0;
	ret = wsq_pool_join(pool, cpu);
	wsq_pool_changed(pool);
	wsq_pool_moved(pool);
	/*
	 * Once the pool is live, a CPU can work without a container: it puts
	 * elsewhere.
	 */
	return ret && pool->live ? 0 : ret;
}

/* After @cpu has run its last instruction. */
static int wsq_pool_cpu_dead(unsigned int cpu, struct hlist_node *node)
{
	struct wsq_pool *pool = hlist_entry(node, struct wsq_pool, hotplug);
	struct wsq_container *ct = pool->ct[cpu];

	if (!ct && wsq_pool_nonmembers(pool))
		ct = pool->all[cpu];
	if (ct)
		wsq_container_cpu_dead(ct);
	wsq_pool_moved(pool);
	if (ct && pool->on_dead_cpu)
		pool->on_dead_cpu(pool, cpu);
	return 0;
}

/* The engine that is fastest for a pool with these flags. */
static enum wsq_engine_type wsq_pool_default(u32 flags, bool pointers)
{
	if (pointers && flags & WSQ_AT_LEAST_ONCE)
		return WSQ_WS_MULT;
	return pointers && flags & WSQ_HAND_OVER ? WSQ_SALSA : WSQ_BWOS_FIFO;
}

/* The engine that attributes ask for; false if the pool cannot have it. */
static bool wsq_pool_kind(struct wsq_pool *pool, const struct wsq_attrs *attrs)
{
	u32 flags = attrs ? attrs->flags : 0;
	const struct wsq_engine_ops *ops;

	pool->kind = attrs ? attrs->engine : WSQ_DEFAULT_ENGINE;
	pool->multiplicity = attrs ? attrs->multiplicity : 0;
	if (pool->kind == WSQ_DEFAULT_ENGINE)
		pool->kind = wsq_pool_default(flags, pool->pointers);
	ops = wsq_engine_ops(pool->kind);
	if (!ops)
		return false;
	if (!ops->at_least_once)
		return !pool->multiplicity;
	return pool->pointers && flags & WSQ_AT_LEAST_ONCE &&
	       pool->multiplicity <= WSQ_MULTIPLICITY_EXACT;
}

/**
 * wsq_pool_init() - create a pool in memory that the caller owns
 * @pool: the pool, zeroed
 * @topo: the machine; lives longer than the pool. If it is @wsq_machine,
 *	containers follow the CPUs of the running kernel. In an invented machine
 *	each CPU has a container.
 * @attrs: as in wsq_pool_create()
 * @pointers: tasks have no link of their own
 *
 * The caller has set @pool->ct_bytes, @pool->ct_init and @pool->on_dead_cpu.
 *
 * Context: task; may sleep.
 * Return: 0, %-EINVAL for bad @attrs, %-ENOMEM.
 */
int wsq_pool_init(struct wsq_pool *pool, struct wsq_topology *topo,
		  const struct wsq_attrs *attrs, bool pointers)
{
	unsigned int cpu;
	int ret = 0;

	pool->topo = topo;
	pool->pointers = pointers;
	pool->resident = attrs && attrs->flags & WSQ_RESIDENT;
	pool->blocks = attrs ? attrs->blocks : 0;
	pool->max_blocks = attrs ? attrs->max_blocks : 0;
	pool->block_size = attrs ? attrs->block_size : 0;
	if (!wsq_pool_kind(pool, attrs) ||
	    wsq_victim_set_policy(pool, attrs ? attrs->steal_policy : 0) ||
	    wsq_victim_set_batch(pool, attrs ? attrs->steal_batch : 0))
		return -EINVAL;
	if (!zalloc_cpumask_var(&pool->cpus, GFP_KERNEL))
		return -ENOMEM;
	for (cpu = 0; cpu < min(topo->nr_cpus, nr_cpu_ids); cpu++) {
		if (topo->cpus[cpu].core >= 0 &&
		    (!attrs || !attrs->cpumask ||
		     cpumask_test_cpu(cpu, attrs->cpumask)))
			cpumask_set_cpu(cpu, pool->cpus);
	}
	if (!wsq_engine_sizes(pool->kind, &pool->blocks, &pool->max_blocks,
			      &pool->block_size) ||
	    cpumask_empty(pool->cpus)) {
		ret = -EINVAL;
		goto free_mask;
	}
	pool->nonmembers = pointers && wsq_engine_ops(pool->kind)->moves_chunks;
	ret = pointers ? wsq_reach_init(pool) : 0;
	if (ret)
		goto free_mask;
	ret = wsq_engine_pool_init(pool);
	if (ret)
		goto free_reach;
	ret = wsq_grow_init(pool);
	if (ret)
		goto free_engine;
	ret = wsq_overflow_init(pool, attrs);
	if (ret)
		goto free_growth;
	ret = -ENOMEM;
	pool->ct = kvcalloc(nr_cpu_ids, sizeof(*pool->ct), GFP_KERNEL);
	if (!pool->ct)
		goto free_overflow;
	pool->all = kvcalloc(nr_cpu_ids, sizeof(*pool->all), GFP_KERNEL);
	if (!pool->all)
		goto free_ct;
	pool->near = kvcalloc(nr_cpu_ids, sizeof(*pool->near), GFP_KERNEL);
	if (!pool->near)
		goto free_all;
	pool->near_change = 1;

	if (topo == &wsq_machine) {
		ret = wsq_pool_have_one(pool, pool->cpus);
		/* wsq_pool_cpu_up() for each CPU that is online. */
		if (!ret)
			ret = cpuhp_state_add_instance(wsq_pool_hp,
						       &pool->hotplug);
	} else {
		for_each_cpu(cpu, pool->cpus) {
			ret = wsq_pool_cpu_up(cpu, &pool->hotplug);
			if (ret)
				break;
		}
	}
	if (!ret) {
		pool->live = true;
		return 0;
	}

	for_each_possible_cpu(cpu)
		wsq_container_destroy(pool->all[cpu]);
	kvfree(pool->near);
free_all:
	kvfree(pool->all);
free_ct:
	kvfree(pool->ct);
free_overflow:
	wsq_overflow_exit(pool);
free_growth:
	wsq_grow_exit(pool);
free_engine:
	wsq_engine_pool_exit(pool);
free_reach:
	wsq_reach_exit(pool);
free_mask:
	free_cpumask_var(pool->cpus);
	return ret;
}
WSQ_EXPORT_KUNIT(wsq_pool_init);

/**
 * wsq_pool_exit() - free a pool's memory
 * @pool: the pool, no longer in use
 *
 * Context: task; may sleep.
 */
void wsq_pool_exit(struct wsq_pool *pool)
{
	unsigned int cpu;

	if (pool->topo == &wsq_machine)
		cpuhp_state_remove_instance_nocalls(wsq_pool_hp,
						    &pool->hotplug);
	/* No request for memory is answered after this. */
	wsq_grow_exit(pool);
	wsq_overflow_exit(pool);
	for_each_possible_cpu(cpu)
		wsq_container_destroy(pool->all[cpu]);
	kvfree(pool->near);
	kvfree(pool->all);
	kvfree(pool->ct);
	wsq_engine_pool_exit(pool);
	wsq_reach_exit(pool);
	free_cpumask_var(pool->cpus);
}
WSQ_EXPORT_KUNIT(wsq_pool_exit);

/* Puts from non-members may look for the nearest member during this. */
static void wsq_pool_copy_cpus(struct wsq_pool *pool,
			       const struct cpumask *cpus)
{
	unsigned int cpu;

	/* A CPU that sees a member's bit sees its container. */
	smp_wmb();					/* ME(copy:A) */
	for_each_possible_cpu(cpu) {
		if (cpumask_test_cpu(cpu, cpus))
			cpumask_set_cpu(cpu, pool->cpus);
	}
	/* Clear bits last, so that the mask is never empty. */
	smp_wmb();					/* ME(copy:B) */
	for_each_possible_cpu(cpu) {
		if (!cpumask_test_cpu(cpu, cpus))
			cpumask_clear_cpu(cpu, pool->cpus);
	}
}

/**
 * wsq_pool_set_cpus() - change the member CPUs of a pool
 * @pool: a pool of the running machine
 * @cpus: the CPUs from now on; not empty
 * @left: where to store which CPUs have left; their containers are now like
 *	those of dead CPUs
 *
 * The caller moves the tasks of CPUs that have left.
 *
 * Context: task; may sleep; CPU hotplug lock held; one at a time for @pool.
 * Return: 0; %-ENOMEM, then the members are the same, but a CPU that had just
 * joined may have left again.
 */
int wsq_pool_set_cpus(struct wsq_pool *pool, const struct cpumask *cpus,
		      struct cpumask *left)
{
	unsigned int cpu;
	int ret = 0;

	if (!cpumask_intersects(cpus, cpu_online_mask))
		ret = wsq_pool_have_one(pool, cpus);
	for_each_cpu(cpu, cpus) {
		/* A CPU that is offline joins when it comes online. */
		if (!ret && !pool->ct[cpu] && cpu_online(cpu))
			ret = wsq_pool_join(pool, cpu);
	}
	if (!ret)
		wsq_pool_copy_cpus(pool, cpus);
	wsq_pool_changed(pool);
	/*
	 * Remove CPUs that are no members; after a failure, those that had just
	 * joined.
	 */
	cpumask_clear(left);
	for_each_possible_cpu(cpu) {
		if (!pool->ct[cpu] || cpumask_test_cpu(cpu, pool->cpus))
			continue;
		cpumask_set_cpu(cpu, left);
		/* ME(leave:A): After all joins: see wsq_pool_nearest(). */
		smp_store_release(&pool->ct[cpu], NULL);
	}
	if (cpumask_empty(left))
		return ret;
	/*
	 * After this, no CPU that has left uses its container as producer or
	 * consumer.
	 */
	synchronize_rcu();
	for_each_cpu(cpu, left)
		wsq_container_cpu_dead(pool->all[cpu]);
	return ret;
}

/*
 * The members are being changed, and the ones seen first have left. There is a
 * grace period between two changes, so one more look finds a member.
 */
static unsigned int wsq_pool_any_member(const struct wsq_pool *pool)
{
	unsigned int cpu;

	/*
	 * A CPU that saw a member leave, or the new mask, sees those that have
	 * joined.
	 */
	smp_rmb();						/* ME(any:A) */
	for_each_possible_cpu(cpu) {
		if (wsq_pool_ct(pool, cpu))
			return cpu;
	}
	WARN_ON_ONCE(1);
	return cpumask_first(cpu_possible_mask);
}

/* The nearest member that is online. %nr_cpu_ids if there is none. */
static unsigned int wsq_pool_search(const struct wsq_pool *pool,
				    unsigned int cpu, unsigned int *any)
{
	const struct wsq_topology *topo = pool->topo;
	unsigned int best = nr_cpu_ids, best_far = UINT_MAX, i;

	for_each_cpu(i, pool->cpus) {
		struct wsq_container *ct = wsq_pool_ct(pool, i);
		unsigned int far;

		if (!ct)
			continue;
		*any = i;
		if (atomic_read(&ct->ownership) != WSQ_OWNED)
			continue;
		far = wsq_topology_distance(topo, cpu, i) << 8 |
		      topo->distance[topo->cpus[cpu].node * topo->nr_nodes +
				     topo->cpus[i].node];
		if (far < best_far) {
			best_far = far;
			best = i;
		}
	}
	return best;
}

/**
 * wsq_pool_nearest() - where a CPU without a container puts
 * @pool: the pool
 * @cpu: the CPU
 *
 * Looks at all members, and remembers the one that it finds until the members
 * change or that one goes offline.
 *
 * Context: any, with preemption off for as long as the result is used.
 * Return: a CPU that has a container: the nearest that is online, if any is.
 */
unsigned int wsq_pool_nearest(const struct wsq_pool *pool, unsigned int cpu)
{
	/* A CPU that sees the number of a change sees those that joined. */
	u32 change = smp_load_acquire(&pool->near_change);	/* ME(near:B) */
	u32 near = READ_ONCE(pool->near[cpu]);
	unsigned int best, any = nr_cpu_ids;

	if (likely(near >> 16 == change)) {
		const struct wsq_container *ct;

		best = near & U16_MAX;
		ct = wsq_pool_ct(pool, best);
		if (likely(ct) && likely(atomic_read(&ct->ownership) == WSQ_OWNED))
			return best;
	}
	best = wsq_pool_search(pool, cpu, &any);
	if (likely(best < nr_cpu_ids)) {
		WRITE_ONCE(pool->near[cpu], change << 16 | best);
		return best;
	}
	return any < nr_cpu_ids ? any : wsq_pool_any_member(pool);
}
WSQ_EXPORT_KUNIT(wsq_pool_nearest);

struct wsq_pool *wsq_pool_create(const struct wsq_attrs *attrs,
				 const char *fmt, ...)
{
	u32 flags = attrs ? attrs->flags : 0;
	struct wsq_pool *pool;
	va_list args;
	int ret;

	if (flags & ~(WSQ_MEM_RECLAIM | WSQ_RESIDENT | WSQ_SYSFS |
		      WSQ_HAND_OVER | WSQ_AT_LEAST_ONCE))
		return ERR_PTR(-EINVAL);
	pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return ERR_PTR(-ENOMEM);
	va_start(args, fmt);
	vsnprintf(pool->name, sizeof(pool->name), fmt, args);
	va_end(args);
	ret = wsq_pool_init(pool, &wsq_machine, attrs, true);
	if (ret) {
		kfree(pool);
		return ERR_PTR(ret);
	}
	mutex_lock(&wsq_pools_lock);
	list_add_tail(&pool->list, &wsq_pools);
	mutex_unlock(&wsq_pools_lock);
	return pool;
}
WSQ_EXPORT(wsq_pool_create);

void wsq_pool_destroy(struct wsq_pool *pool)
{
	if (!pool)
		return;
	WARN_ONCE(wsq_overflow_close(pool),
		  "wsq: pool %s destroyed while a push waits for space\n",
		  pool->name);
	mutex_lock(&wsq_pools_lock);
	list_del(&pool->list);
	mutex_unlock(&wsq_pools_lock);
	wsq_pool_exit(pool);
	kfree(pool);
}
WSQ_EXPORT(wsq_pool_destroy);

/* A put that cannot use the engine of its own CPU. */
static int wsq_pool_push_slow(struct wsq_pool *pool, struct wsq_container *ct,
			      void *task)
{
	if (!ct) {
		unsigned int cpu = wsq_pool_nearest(pool, smp_processor_id());

		ct = wsq_pool_any(pool, cpu);
	}
	return wsq_pointer_push(ct, task) == WSQ_FULL ? -EAGAIN : 0;
}

/* The rest of a put for which the engine returned @ret, not %WSQ_OK. */
static noinline int wsq_pool_put_rest(struct wsq_pool *pool,
				      struct wsq_container *ct, void *task,
				      int ret)
{
	if (ret == WSQ_CONFLICT)
		return wsq_pool_push_slow(pool, ct, task);
	if (ret == WSQ_FULL)
		return -EAGAIN;
	wsq_pointer_published(ct);
	return 0;
}

/*
 * Put by this CPU's container, or else into the nearest inbox: 0 or -EAGAIN.
 * Preemption is off.
 */
static __always_inline int wsq_pool_put(struct wsq_pool *pool, void *task)
{
	struct wsq_container *ct = wsq_pool_mine(pool);
	int ret = likely(ct) ? wsq_pointer_put(ct, task) : WSQ_CONFLICT;

	return likely(ret == WSQ_OK) ? 0 :
				       wsq_pool_put_rest(pool, ct, task, ret);
}

/**
 * wsq_pool_put_here() - wsq_pool_push() without an overflow rule
 * @pool: the pool
 * @task: the pointer
 *
 * Context: any, NMI included, with preemption off.
 * Return: 0 or %-EAGAIN.
 */
int wsq_pool_put_here(struct wsq_pool *pool, void *task)
{
	return wsq_pool_put(pool, task);
}

int wsq_pool_push(struct wsq_pool *pool, void *task)
{
	int ret;

	if (unlikely(!task || IS_ERR(task)))
		return -EINVAL;

	preempt_disable();
	ret = wsq_pool_put(pool, task);
	preempt_enable();
	if (unlikely(ret && pool->overflow))
		ret = wsq_overflow_push(pool, task);
	return ret;
}
WSQ_EXPORT(wsq_pool_push);

/* Put as many as find space at once, from the front. */
static unsigned int wsq_pool_put_many(struct wsq_pool *pool, void *const *tasks,
				      unsigned int nr)
{
	struct wsq_container *ct;
	bool published = false;
	unsigned int done;

	preempt_disable();
	ct = wsq_pool_mine(pool);
	if (likely(ct && wsq_put_begin(ct))) {
		done = wsq_engine_put_many(ct, tasks, nr, &published);
		wsq_put_end(ct);
		if (published)
			wsq_pointer_published(ct);
	} else {
		for (done = 0; done < nr; done++) {
			if (wsq_pool_push_slow(pool, ct, tasks[done]))
				break;
		}
	}
	preempt_enable();
	return done;
}

unsigned int wsq_pool_push_many(struct wsq_pool *pool, void *const *tasks,
				unsigned int nr)
{
	unsigned int done;

	for (done = 0; done < nr && !IS_ERR_OR_NULL(tasks[done]); done++)
		;
	nr = done;

	done = wsq_pool_put_many(pool, tasks, nr);
	while (unlikely(done < nr && pool->overflow)) {
		if (wsq_overflow_push(pool, tasks[done]))
			break;
		done++;
		done += wsq_pool_put_many(pool, tasks + done, nr - done);
	}
	return done;
}
WSQ_EXPORT(wsq_pool_push_many);

void *wsq_pool_pop(struct wsq_pool *pool)
{
	struct wsq_container *ct;
	bool stolen = false;
	void *task = NULL;

	preempt_disable();
	ct = wsq_pool_mine(pool);
	if (likely(ct))
		task = wsq_pointer_get(ct);
	if (unlikely(!task)) {
		if (!wsq_pool_steal(pool, ct, &task, 1))
			task = NULL;
		stolen = true;
	}
	/* No turns: wsq_pointer_get_slow() has looked into the inbox. */
	if (unlikely(pool->waiting))
		task = wsq_overflow_admit(pool, task, stolen || !ct->turns);
	preempt_enable();
	return task;
}
WSQ_EXPORT(wsq_pool_pop);

unsigned int wsq_pool_pop_many(struct wsq_pool *pool, void **tasks,
			       unsigned int nr)
{
	struct wsq_container *ct;
	unsigned int done = 0;
	bool stolen = false;

	preempt_disable();
	ct = wsq_pool_mine(pool);
	if (likely(ct && nr && wsq_get_begin(ct))) {
		/* As in wsq_pointer_get(): look into the inbox at times. */
		if (unlikely(++ct->turns >= WSQ_INBOX_EVERY)) {
			tasks[0] = wsq_pointer_get_slow(ct);
			done = !!tasks[0];
		}
		done += wsq_engine_get_many(ct, tasks + done, nr - done);
		wsq_get_end(ct);
	}
	if (!done && ct && nr) {
		tasks[0] = wsq_pointer_get(ct);
		done = !!tasks[0];
	}
	if (!done && nr) {
		done = wsq_pool_steal(pool, ct, tasks, nr);
		stolen = true;
	}
	if (unlikely(pool->waiting) && nr) {
		/* As in wsq_pool_pop(). */
		tasks[0] = wsq_overflow_admit(pool, done ? tasks[0] : NULL,
					      stolen || !ct->turns);
		/* Nothing was popped: take a waiter's task. */
		if (!done)
			done = !!tasks[0];
	}
	preempt_enable();
	return done;
}
WSQ_EXPORT(wsq_pool_pop_many);

/* Are all inboxes empty, and no task being moved from one? */
static bool wsq_pool_quiet(const struct wsq_pool *pool, u64 *allocated)
{
	unsigned int cpu;

	*allocated = 0;
	for_each_possible_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_any(pool, cpu);

		if (ct && !wsq_pointer_quiet(ct, allocated))
			return false;
	}
	return true;
}

int wsq_pool_was_empty(struct wsq_pool *pool)
{
	u64 before, after;
	int ret = 0;

	preempt_disable();
	if (wsq_pool_quiet(pool, &before))
		ret = wsq_engine_was_empty(pool);
	if (ret > 0)
		ret = wsq_pool_quiet(pool, &after) && before == after;
	preempt_enable();
	return ret;
}
WSQ_EXPORT(wsq_pool_was_empty);

/**
 * wsq_pool_module_init() - before the first pool is made
 *
 * Context: module load.
 * Return: 0 or a negative errno.
 */
int wsq_pool_module_init(void)
{
	int ret;

	wsq_maintenance = alloc_workqueue("wsq_maintenance",
					  WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!wsq_maintenance)
		return -ENOMEM;
	wsq_victim_init();
	ret = wsq_topology_gather(&wsq_machine);
	if (ret)
		goto destroy;
	ret = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN, "wsq/pool:prepare",
				      wsq_pool_cpu_up, wsq_pool_cpu_dead);
	if (ret < 0)
		goto forget;
	wsq_pool_hp = ret;
	return 0;
forget:
	wsq_topology_exit(&wsq_machine);
destroy:
	destroy_workqueue(wsq_maintenance);
	return ret;
}

/**
 * wsq_pool_module_exit() - after the last pool is gone
 *
 * Context: module unload.
 */
void wsq_pool_module_exit(void)
{
	cpuhp_remove_multi_state(wsq_pool_hp);
	wsq_grace_exit();
	wsq_topology_exit(&wsq_machine);
	destroy_workqueue(wsq_maintenance);
}
