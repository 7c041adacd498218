// SPDX-License-Identifier: GPL-2.0
/*
 * Pools: make and free, CPUs that come and go, and the raw interface of
 * <linux/wsq.h> (push and pop of pointers).
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../compat/export.h"
#include "../compat/topology.h"
#include "../engine/engine.h"
#include "grow.h"
#include "overflow.h"
#include "pool.h"
#include "raw.h"
#include "rob.h"
#include "victim.h"

/* The machine this module runs on. Constant after load. */
struct wsq_topology wsq_machine;
WSQ_EXPORT_KUNIT(wsq_machine);

/*
 * Slow work of the module itself: memory, and what waits for grace periods.
 * Constant after load.
 */
struct workqueue_struct *wsq_housekeeping;

static enum cpuhp_state wsq_pool_hp;

/* The CPU's container, made if there is none; %NULL without memory. */
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

/* Give a member its container, or give it back. */
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
 * Puts need a place even if no member is online: an orphan until its CPU
 * comes.
 */
static int wsq_pool_have_one(struct wsq_pool *pool, const struct cpumask *cpus)
{
	unsigned int cpu = cpumask_first(cpus);
	int ret;

	if (pool->ct[cpu])
		return 0;
	ret = wsq_pool_join(pool, cpu);
	if (!ret)
		wsq_container_orphan(pool->ct[cpu]);
	return ret;
}

/* A guest's container; without, it has what the entrances have. */
static int wsq_pool_invite(struct wsq_pool *pool, unsigned int cpu)
{
	struct wsq_container *ct = wsq_pool_have(pool, cpu);

	if (!ct)
		return pool->live ? 0 : -ENOMEM;
	wsq_container_reclaim(ct);
	return 0;
}

/*
 * Some CPUs put elsewhere from now on, or who waited on one is another's now:
 * there may be room, although nobody pops.
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

	/* Who has no container may still pop. */
	if (!wsq_topology_access(pool->topo, cpu))
		return -ENOMEM;
	if (!cpumask_test_cpu(cpu, pool->cpus))
		return wsq_pool_guests(pool) ? wsq_pool_invite(pool, cpu) : 0;
	ret = wsq_pool_join(pool, cpu);
	wsq_pool_moved(pool);
	/* Once the pool lives, a CPU can do without: it puts elsewhere. */
	return ret && pool->live ? 0 : ret;
}

/* After @cpu has run its last instruction. */
static int wsq_pool_cpu_dead(unsigned int cpu, struct hlist_node *node)
{
	struct wsq_pool *pool = hlist_entry(node, struct wsq_pool, hotplug);
	struct wsq_container *ct = pool->ct[cpu];

	if (!ct && wsq_pool_guests(pool))
		ct = pool->all[cpu];
	if (ct)
		wsq_container_orphan(ct);
	wsq_pool_moved(pool);
	if (ct && pool->on_orphan)
		pool->on_orphan(pool, cpu);
	return 0;
}

/* The engine that attributes ask for; false if there is no such. */
static bool wsq_pool_kind(const struct wsq_attrs *attrs, bool raw,
			  enum wsq_engine_type *kind)
{
	*kind = attrs ? attrs->engine : WSQ_DEFAULT_ENGINE;
	if (*kind == WSQ_DEFAULT_ENGINE)
		*kind = raw && attrs && attrs->flags & WSQ_HAND_OVER ?
			WSQ_SALSA : WSQ_BWOS;
	return wsq_engine_ops(*kind);
}

/**
 * wsq_pool_init() - make a pool in memory that the caller owns
 * @pool: the pool, zeroed
 * @topo: the machine; lives longer than the pool. Containers follow the CPUs
 *	of the running kernel only if it is @wsq_machine; of an invented machine
 *	each CPU that is there has one
 * @attrs: as in wsq_pool_create()
 * @raw: tasks have no link of their own
 *
 * The caller has set @pool->id and @pool->on_orphan.
 *
 * Context: task; may sleep.
 * Return: 0, %-EINVAL for bad @attrs, %-ENOMEM.
 */
int wsq_pool_init(struct wsq_pool *pool, struct wsq_topology *topo,
		  const struct wsq_attrs *attrs, bool raw)
{
	unsigned int cpu;
	int ret = 0;

	pool->topo = topo;
	pool->raw = raw;
	pool->resident = attrs && attrs->flags & WSQ_RESIDENT;
	pool->blocks = attrs ? attrs->blocks : 0;
	pool->max_blocks = attrs ? attrs->max_blocks : 0;
	pool->block_size = attrs ? attrs->block_size : 0;
	if (!wsq_pool_kind(attrs, raw, &pool->kind) ||
	    wsq_victim_set_policy(pool, attrs ? attrs->steal_policy : 0) ||
	    wsq_victim_set_batch(pool, attrs ? attrs->steal_batch : 0))
		return -EINVAL;
	if (!zalloc_cpumask_var(&pool->cpus, GFP_KERNEL))
		return -ENOMEM;
	for (cpu = 0; cpu < min(topo->nr_cpus, nr_cpu_ids); cpu++) {
		if (topo->places[cpu].core >= 0 &&
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
	pool->guests = raw && wsq_engine_ops(pool->kind)->moves_chunks;
	ret = wsq_engine_pool_init(pool);
	if (ret)
		goto free_mask;
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
	kvfree(pool->all);
free_ct:
	kvfree(pool->ct);
free_overflow:
	wsq_overflow_exit(pool);
free_growth:
	wsq_grow_exit(pool);
free_engine:
	wsq_engine_pool_exit(pool);
free_mask:
	free_cpumask_var(pool->cpus);
	return ret;
}
WSQ_EXPORT_KUNIT(wsq_pool_init);

/**
 * wsq_pool_exit() - give a pool's memory back
 * @pool: the pool; nobody uses it any more
 *
 * Context: task; may sleep.
 */
void wsq_pool_exit(struct wsq_pool *pool)
{
	unsigned int cpu;

	if (pool->topo == &wsq_machine)
		cpuhp_state_remove_instance_nocalls(wsq_pool_hp,
						    &pool->hotplug);
	/* Whoever asked for memory gets no answer after this. */
	wsq_grow_exit(pool);
	wsq_overflow_exit(pool);
	for_each_possible_cpu(cpu)
		wsq_container_destroy(pool->all[cpu]);
	kvfree(pool->all);
	kvfree(pool->ct);
	wsq_engine_pool_exit(pool);
	free_cpumask_var(pool->cpus);
}
WSQ_EXPORT_KUNIT(wsq_pool_exit);

/* While puts from elsewhere look for the nearest member. */
static void wsq_pool_copy_cpus(struct wsq_pool *pool,
			       const struct cpumask *cpus)
{
	unsigned int cpu;

	/* Who sees a member sees that it has joined. */
	smp_wmb();					/* ME(copy:A) */
	for_each_possible_cpu(cpu) {
		if (cpumask_test_cpu(cpu, cpus))
			cpumask_set_cpu(cpu, pool->cpus);
	}
	/* Those that leave go last, so that it is never empty. */
	smp_wmb();					/* ME(copy:B) */
	for_each_possible_cpu(cpu) {
		if (!cpumask_test_cpu(cpu, cpus))
			cpumask_clear_cpu(cpu, pool->cpus);
	}
}

/**
 * wsq_pool_set_cpus() - change who has a part in a pool
 * @pool: a pool of the running machine
 * @cpus: the CPUs from now on; not empty
 * @left: where to say which CPUs have left and are orphans now
 *
 * What they had is the caller's to move.
 *
 * Context: task; may sleep; CPU hotplug lock held; one at a time for @pool.
 * Return: 0; %-ENOMEM, then nothing has changed, but some that had joined may
 * have left again.
 */
int wsq_pool_set_cpus(struct wsq_pool *pool, const struct cpumask *cpus,
		      struct cpumask *left)
{
	unsigned int cpu;
	int ret = 0;

	if (!cpumask_intersects(cpus, cpu_online_mask))
		ret = wsq_pool_have_one(pool, cpus);
	for_each_cpu(cpu, cpus) {
		/* One that is offline joins when it comes. */
		if (!ret && !pool->ct[cpu] && cpu_online(cpu))
			ret = wsq_pool_join(pool, cpu);
	}
	if (!ret)
		wsq_pool_copy_cpus(pool, cpus);
	/* Those that are left out; if it failed, those that had just joined. */
	cpumask_clear(left);
	for_each_possible_cpu(cpu) {
		if (!pool->ct[cpu] || cpumask_test_cpu(cpu, pool->cpus))
			continue;
		cpumask_set_cpu(cpu, left);
		/*
		 * ME(leave:A): After all that have joined: wsq_pool_nearest().
		 */
		smp_store_release(&pool->ct[cpu], NULL);
	}
	if (cpumask_empty(left))
		return ret;
	/* Nobody is producer or consumer there any more, nor finds it. */
	synchronize_rcu();
	for_each_cpu(cpu, left)
		wsq_container_orphan(pool->all[cpu]);
	return ret;
}

/*
 * The members change just now, and those seen first had left. Between two
 * changes is a grace period, so that one more look finds one.
 */
static unsigned int wsq_pool_any_member(const struct wsq_pool *pool)
{
	unsigned int cpu;

	/* Who saw one leave, or the new members, sees those that have joined. */
	smp_rmb();						/* ME(any:A) */
	for_each_possible_cpu(cpu) {
		if (wsq_pool_ct(pool, cpu))
			return cpu;
	}
	WARN_ON_ONCE(1);
	return cpumask_first(cpu_possible_mask);
}

/**
 * wsq_pool_nearest() - where a CPU without a container puts
 * @pool: the pool
 * @cpu: the CPU
 *
 * Context: any, with preemption off for as long as the result is used.
 * Return: a CPU that has a container: the nearest that is alive, if any is.
 */
unsigned int wsq_pool_nearest(const struct wsq_pool *pool, unsigned int cpu)
{
	unsigned int best = nr_cpu_ids, fallback = nr_cpu_ids, i;
	const struct wsq_topology *topo = pool->topo;
	unsigned int best_far = UINT_MAX;

	for_each_cpu(i, pool->cpus) {
		struct wsq_container *ct = wsq_pool_ct(pool, i);
		unsigned int far;

		if (!ct)
			continue;
		fallback = i;
		if (atomic_read(&ct->orphan) != WSQ_OWNED)
			continue;
		far = wsq_topology_distance(topo, cpu, i) << 8 |
		      topo->distance[topo->places[cpu].node * topo->nr_nodes +
				     topo->places[i].node];
		if (far < best_far) {
			best_far = far;
			best = i;
		}
	}
	if (likely(best < nr_cpu_ids))
		return best;
	return fallback < nr_cpu_ids ? fallback : wsq_pool_any_member(pool);
}
WSQ_EXPORT_KUNIT(wsq_pool_nearest);

/**
 * wsq_pool_create() - make a pool of pointers
 * @attrs: what it is like; %NULL or zero members for defaults
 * @fmt: its name, as for printf
 *
 * A pool keeps what a CPU pushed on that CPU until it pops it or another CPU
 * that ran dry steals it. For each CPU roughly first in, first out; with
 * %WSQ_BWOS_LIFO last in, first out.
 *
 * Context: task; may sleep.
 * Return: the pool, or ERR_PTR(): %-EINVAL for attributes out of bounds and for
 * unknown flags, %-ENOMEM.
 */
struct wsq_pool *wsq_pool_create(const struct wsq_attrs *attrs,
				 const char *fmt, ...)
{
	u32 flags = attrs ? attrs->flags : 0;
	struct wsq_pool *pool;
	va_list args;
	int ret;

	if (flags & ~(WSQ_MEM_RECLAIM | WSQ_RESIDENT | WSQ_SYSFS |
		      WSQ_HAND_OVER))
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
	return pool;
}
WSQ_EXPORT(wsq_pool_create);

/**
 * wsq_pool_destroy() - free a pool
 * @pool: the pool. What is still in it is forgotten; pop it first.
 *
 * Context: task; may sleep. No push or pop may run or follow. A push that still
 * waits for room is the caller's mistake: it is warned of, and says %-ESHUTDOWN.
 */
void wsq_pool_destroy(struct wsq_pool *pool)
{
	if (!pool)
		return;
	WARN_ONCE(wsq_overflow_close(pool),
		  "wsq: pool %s destroyed while a push waits for room\n",
		  pool->name);
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
	return wsq_raw_push(ct, task) == WSQ_FULL ? -EAGAIN : 0;
}

/* Put where there is room for this CPU: 0 or -EAGAIN. Preemption is off. */
static __always_inline int wsq_pool_put(struct wsq_pool *pool, void *task)
{
	struct wsq_container *ct = wsq_pool_mine(pool);
	int ret = likely(ct) ? wsq_raw_put(ct, task) : WSQ_CONFLICT;

	if (likely(ret >= 0))
		return 0;
	return ret == WSQ_FULL ? -EAGAIN : wsq_pool_push_slow(pool, ct, task);
}

/**
 * wsq_pool_put_here() - wsq_pool_push() without a rule for what finds no room
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

/**
 * wsq_pool_push() - put a pointer into a pool
 * @pool: the pool
 * @task: the pointer, not %NULL
 *
 * When this CPU's part of the pool is full, with %WSQ_SALSA every CPU's, the rule
 * of the pool (@overflow of struct wsq_attrs) says what happens.
 *
 * Context: any, NMI included. Never sleeps, but with %WSQ_OVERFLOW_WAIT: task
 * context then, where it may sleep. Where it sees that it may not, a full pool is
 * %-EAGAIN.
 * Return: 0; %-EINVAL if @task is %NULL or an ERR_PTR(); %-EAGAIN if it is full, by
 * the rules %WSQ_OVERFLOW_FAIL and %WSQ_OVERFLOW_NEIGHBOUR: pop here; what this CPU
 * pops from may be out of others' reach; %-EINTR if the caller was killed while it
 * waited: @task is not in the pool.
 * Ordering: what precedes the call is visible to whoever pops @task.
 */
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

/* As many as find room at once, from the front. */
static unsigned int wsq_pool_put_many(struct wsq_pool *pool, void *const *tasks,
				      unsigned int nr)
{
	struct wsq_container *ct;
	bool opened = false;
	unsigned int done;

	preempt_disable();
	ct = wsq_pool_mine(pool);
	if (likely(ct && wsq_put_begin(ct))) {
		done = wsq_engine_put_many(ct, tasks, nr, &opened);
		wsq_put_end(ct);
	} else {
		for (done = 0; done < nr; done++) {
			if (wsq_pool_push_slow(pool, ct, tasks[done]))
				break;
		}
	}
	preempt_enable();
	return done;
}

/**
 * wsq_pool_push_many() - put several pointers into a pool
 * @pool: the pool
 * @tasks: the pointers
 * @nr: how many
 *
 * Context: as wsq_pool_push(); runs with preemption off for a time proportional to
 * @nr.
 * Return: how many were put, from the front of @tasks, or else done with by the
 * pool's rule; less than @nr where wsq_pool_push() would refuse one: if it is full,
 * if the caller was killed, or if one is %NULL or an ERR_PTR().
 * Ordering: as wsq_pool_push().
 */
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

/**
 * wsq_pool_pop() - take a pointer out of a pool
 * @pool: the pool
 *
 * Takes from this CPU's part or, when that has nothing, from another CPU where
 * something is within reach (attribute steal_policy). Out of reach is what is
 * left of the block that another CPU pops from (attribute block_size); with
 * %WSQ_BWOS_LIFO only until that CPU pushes or pops again.
 *
 * With %WSQ_SALSA that CPU is robbed of the rest by an interrupt, if it has not
 * popped for 20 microseconds, as far as this CPU knows: from the first pop here
 * that found it so. So what lies there is not popped by the first call, but by
 * calls that go on for 20 microseconds, or one after that. Of a CPU that is
 * offline it is by the first. While the interrupt is under way the call looks
 * at the other CPUs, and waits for the answer only if it finds nothing there,
 * for 100 microseconds at the most. If the answer takes longer, because
 * interrupts are off there, the call returns %NULL, and a later call gets what
 * was stolen.
 *
 * With %WSQ_OVERFLOW_WAIT it puts what others wait to push where it has made room,
 * and wakes them: not under a runqueue lock or a task's pi_lock.
 *
 * Context: any but NMI. Never sleeps. With %WSQ_SALSA, in task context with
 * interrupts and preemption on, it may interrupt another CPU and wait for the
 * answer: not under a lock that others take with interrupts off, where the kernel
 * does not count how often preemption was switched off. In other contexts what
 * only an interrupt could get is out of reach.
 * Return: a pointer that was pushed and not popped before; %NULL if none was
 * found in one pass over all CPUs, or if the call interrupted another pop on
 * this CPU and no other CPU has any.
 */
void *wsq_pool_pop(struct wsq_pool *pool)
{
	struct wsq_container *ct;
	bool stolen = false;
	void *task = NULL;

	preempt_disable();
	ct = wsq_pool_mine(pool);
	if (likely(ct))
		task = wsq_raw_get(ct);
	if (unlikely(!task)) {
		if (!wsq_rob(pool, ct, &task, 1))
			task = NULL;
		stolen = true;
	}
	/* No turns: there was a look into the inbox, wsq_raw_get_slow(). */
	if (unlikely(pool->waiting))
		task = wsq_overflow_admit(pool, task, stolen || !ct->turns);
	preempt_enable();
	return task;
}
WSQ_EXPORT(wsq_pool_pop);

/**
 * wsq_pool_pop_many() - take several pointers out of a pool
 * @pool: the pool
 * @tasks: where to store them
 * @nr: how many at most
 *
 * Context: any but NMI. Never sleeps; runs with preemption off for a time
 * proportional to @nr.
 * Return: how many were taken. All are from this CPU's part unless that had
 * none; then they are stolen, from one CPU.
 */
unsigned int wsq_pool_pop_many(struct wsq_pool *pool, void **tasks,
			       unsigned int nr)
{
	struct wsq_container *ct;
	unsigned int done = 0;
	bool stolen = false;

	preempt_disable();
	ct = wsq_pool_mine(pool);
	if (likely(ct && nr && wsq_get_begin(ct))) {
		/* As in wsq_raw_get(): a turn for the inbox. */
		if (unlikely(++ct->turns >= WSQ_ENTRY_TURN)) {
			tasks[0] = wsq_raw_get_slow(ct);
			done = !!tasks[0];
		}
		done += wsq_engine_get_many(ct, tasks + done, nr - done);
		wsq_get_end(ct);
	}
	if (!done && ct && nr) {
		tasks[0] = wsq_raw_get(ct);
		done = !!tasks[0];
	}
	if (!done && nr) {
		done = wsq_rob(pool, ct, tasks, nr);
		stolen = true;
	}
	if (unlikely(pool->waiting) && nr) {
		/* As in wsq_pool_pop(). */
		tasks[0] = wsq_overflow_admit(pool, done ? tasks[0] : NULL,
					      stolen || !ct->turns);
		/* What waits, where nothing else is. */
		if (!done)
			done = !!tasks[0];
	}
	preempt_enable();
	return done;
}
WSQ_EXPORT(wsq_pool_pop_many);

/* Is nothing in any inbox of the pool, or on its way from one? */
static bool wsq_pool_quiet(const struct wsq_pool *pool, u64 *lent)
{
	unsigned int cpu;

	*lent = 0;
	for_each_possible_cpu(cpu) {
		struct wsq_container *ct = wsq_pool_any(pool, cpu);

		if (ct && !wsq_raw_quiet(ct, lent))
			return false;
	}
	return true;
}

/**
 * wsq_pool_was_empty() - was there a moment when a pool held nothing
 * @pool: the pool, with %WSQ_SALSA
 *
 * wsq_pool_pop() looks at one CPU after the other, and may find nothing although
 * there was something at any moment. Who must know calls this when pop returned
 * %NULL, and pops again if it says no:
 *
 *	while (!(task = wsq_pool_pop(pool)) && !wsq_pool_was_empty(pool))
 *		cond_resched();
 *
 * Looks at all chunks of all CPUs twice, and interrupts all CPUs of the pool
 * that may be interrupted. Paper 000, section 5.5.
 *
 * Context: task, with interrupts on, holding no lock that is taken with
 * interrupts off. Never sleeps.
 * Return: 1 if there was a moment during the call at which all that had been
 * pushed before it, by whoever, was popped; 0 if not, or not for sure;
 * %-EOPNOTSUPP if the pool's engine cannot tell.
 */
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

	wsq_housekeeping = alloc_workqueue("wsq_housekeeping",
					   WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!wsq_housekeeping)
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
	destroy_workqueue(wsq_housekeeping);
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
	destroy_workqueue(wsq_housekeeping);
}
