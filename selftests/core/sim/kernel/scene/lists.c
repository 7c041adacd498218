// SPDX-License-Identifier: GPL-2.0
/*
 * workqueue's unbound pools: a list behind a lock, for the machine, for each
 * node, or for each cluster (the scopes system, numa and cache_shard), and a
 * worker on each CPU of it. Instrumented, like the module.
 *
 * The lock is a qspinlock: a word that is taken by compare-and-exchange, and an
 * MCS queue for the CPUs that find it taken. As in workqueue (6.9 and later)
 * queueing an item wakes the worker that went idle last, if there is one, which
 * leaves the list of idle ones when it runs (kick_pool(), worker_leave_idle());
 * so does a worker that takes an item while there are more.
 *
 * Limitations: workqueue's other work for an item (pending bit, pool_workqueue
 * with max_active, hash of busy workers, RCU, flush colors) is missing. So this
 * is a lower bound of its cost.
 */
#include "lists.h"

struct mcs_node {
	struct mcs_node *next;
	u32 locked;
} ____cacheline_aligned;

union qlock {
	u64 word;
	struct {
		u32 locked;
		u32 tail;	/* CPU plus one, of the last in the queue */
	};
};

struct list_pool {
	union qlock lock;
	struct list_head works;
	struct list_head idle;
	u64 nr_idle;
} ____cacheline_aligned;

static struct mcs_node *mcs_nodes[SIM_CPUS];
static struct list_pool *list_pools[SIM_CPUS];

static void q_lock_slow(union qlock *l)
{
	unsigned int me = smp_processor_id();
	struct mcs_node *node = mcs_nodes[me], *next;
	u32 prev;

	node->next = NULL;
	node->locked = 0;
	prev = xchg(&l->tail, me + 1);
	if (prev) {
		smp_store_release(&mcs_nodes[prev - 1]->next, node);
		while (!smp_load_acquire(&node->locked))
			sim_relax();
	}
	while (smp_load_acquire(&l->locked))
		sim_relax();
	/* The last in the queue takes it together with the word. */
	if (cmpxchg(&l->word, (u64)(me + 1) << 32, 1ULL) == (u64)(me + 1) << 32)
		return;
	WRITE_ONCE(l->locked, 1);
	while (!(next = smp_load_acquire(&node->next)))
		sim_relax();
	smp_store_release(&next->locked, 1);
}

static void q_lock(union qlock *l)
{
	preempt_disable();
	if (cmpxchg(&l->word, 0ULL, 1ULL))
		q_lock_slow(l);
}

static void q_unlock(union qlock *l)
{
	smp_store_release(&l->locked, 0);
	preempt_enable();
}

/*
 * The lock is held. workqueue wakes the first of the list, and the scheduler
 * runs it on an idle CPU. Workers that stay on their CPU give the same result
 * if an idle one is chosen, which is part of a wake-up's cost.
 */
static void kick(struct list_pool *pool)
{
	struct list_worker *w;

	if (list_empty(&pool->works))
		return;
	w = list_idle_worker(&pool->idle);
	if (w)
		wake_up_process(w->task);
}

static void list_queue(struct item *it)
{
	struct list_pool *pool = list_pools[smp_processor_id()];
	bool on = sim_irq_save();

	q_lock(&pool->lock);
	list_add_tail(&it->list, &pool->works);
	kick(pool);
	q_unlock(&pool->lock);
	sim_irq_restore(on);
}

static int list_worker_fn(void *arg)
{
	struct list_worker *w = arg;
	struct list_pool *pool = w->pool;
	struct item *it;

	for (;;) {
		sim_irq_save();
		q_lock(&pool->lock);
		if (!list_empty(&w->idle))
			list_del_init(&w->idle);
		while ((it = list_first_entry_or_null(&pool->works, struct item,
						      list))) {
			list_del(&it->list);
			kick(pool);
			q_unlock(&pool->lock);
			sim_irq_restore(true);
			scene_run(it);
			cond_resched();
			sim_irq_save();
			q_lock(&pool->lock);
		}
		list_add(&w->idle, &pool->idle);
		__set_current_state(TASK_IDLE);
		q_unlock(&pool->lock);
		sim_irq_restore(true);
		schedule();
	}
	return 0;
}

/* A pool for each @cpus CPUs; workers are @aside CPUs away from their pool. */
static void list_start(unsigned int cpus, unsigned int aside)
{
	struct list_pool *pool = NULL;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		const unsigned int node = cpu_to_node(cpu);
		struct list_worker *w;

		if (cpu % cpus == 0) {
			pool = sim_alloc_lines(sizeof(*pool), node);
			INIT_LIST_HEAD(&pool->works);
			INIT_LIST_HEAD(&pool->idle);
		}
		list_pools[cpu] = pool;
		mcs_nodes[cpu] = sim_alloc_lines(sizeof(struct mcs_node), node);
		w = sim_alloc_lines(sizeof(*w), node);
		w->pool = pool;
		w->cpu = (cpu + aside) % nr_cpu_ids;
		INIT_LIST_HEAD(&w->idle);
		w->task = shim_thread(w->cpu, list_worker_fn, w, "list");
	}
}

static void machine_start(void)
{
	list_start(nr_cpu_ids, 0);
}

static void node_start(void)
{
	list_start(sim_config.node, 0);
}

static void cluster_start(void)
{
	list_start(sim_config.cluster, 0);
}

/* Scope cpu: this CPU is busy, so the scheduler runs the worker on another. */
static void cpu_start(void)
{
	list_start(1, 1);
}

const struct peer machine_peer = {
	.start = machine_start, .queue = list_queue,
};

const struct peer node_peer = {
	.start = node_start, .queue = list_queue,
};

const struct peer cluster_peer = {
	.start = cluster_start, .queue = list_queue,
};

const struct peer cpu_peer = {
	.start = cpu_start, .queue = list_queue,
};
