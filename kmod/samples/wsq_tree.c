// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_tree.ko: work that spawns work. Builds a spanning tree of a random
 * connected graph, with a work item for each vertex, checks it, and compares
 * the time with that of one thread that walks over the same graph.
 *
 *	insmod wsq_tree.ko vertices=1000000 engine=bwos_lifo
 *
 * insmod returns at the end, with EIO if the result is no spanning tree; the
 * figures are in the kernel log. An example for recursive jobs, and a test:
 * Documentation/recursive.rst. tree.c has the graph and the check; this file
 * has all that uses the queue.
 *
 * Cost, without lockdep: 60 + 4 * degree bytes a vertex until insmod returns,
 * 92 MB by default.
 *
 * Limitations: the puts and steals that it prints include those of other
 * queues.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <linux/wsq.h>
#include <linux/wsq_stats.h>
#include <linux/wsq_version.h>

#include "../engine/engines.def"
#include "tree.h"

/* Neighbours that are queued in one call. */
#define TREE_BATCH	32

#define TREE_ENGINE(type, name, ...)	\
	[type] = #name,

static const char *const engines[] = {
	[WSQ_DEFAULT_ENGINE]	= "default",
	WSQ_ENGINES(TREE_ENGINE)
};

static const char *const policies[] = {
	[WSQ_STEAL_DEFAULT]	= "default",
	[WSQ_STEAL_RANDOM]	= "random",
	[WSQ_STEAL_SEQUENTIAL]	= "sequential",
	[WSQ_STEAL_NUMA]	= "numa",
	[WSQ_STEAL_PROB]	= "prob",
	[WSQ_STEAL_RANDOMIZED]	= "randomized",
	[WSQ_STEAL_NUMA_PROB]	= "numa+prob",
};

static const char *const batches[] = {
	[WSQ_BATCH_DEFAULT]	= "default",
	[WSQ_BATCH_ONE]		= "one",
	[WSQ_BATCH_FEW]		= "few",
	[WSQ_BATCH_HALF]	= "half",
	[WSQ_BATCH_BLOCK]	= "block",
};

static unsigned int vertices = 1000000;
module_param(vertices, uint, 0444);
MODULE_PARM_DESC(vertices, "vertices of the graph, 2 to 16777216 (default 1000000); 60 + 4 * degree bytes each");

static unsigned int degree = 8;
module_param(degree, uint, 0444);
MODULE_PARM_DESC(degree, "neighbours of a vertex, on average, 2 to 64 (default 8)");

static unsigned int reach;
module_param(reach, uint, 0444);
MODULE_PARM_DESC(reach, "largest difference between the numbers of neighbours: 1 makes a path (default 0: any)");

static unsigned long long seed = 1;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "random seed of the graph (default 1)");

#define TREE_NAME(type, name, ...)	", " #name

static char *engine = "default";
module_param(engine, charp, 0444);
MODULE_PARM_DESC(engine, "engine of the queue: default" WSQ_ENGINES(TREE_NAME));

static char *policy = "default";
module_param(policy, charp, 0444);
MODULE_PARM_DESC(policy, "which CPUs an idle CPU steals from: default, random, sequential, numa, prob, randomized, numa+prob");

static char *batch = "default";
module_param(batch, charp, 0444);
MODULE_PARM_DESC(batch, "items per steal: default, one, few, half, block");

static unsigned int blocks;
module_param(blocks, uint, 0444);
MODULE_PARM_DESC(blocks, "blocks of the queue for each CPU (default 0: the engine's)");

static unsigned int block_size;
module_param(block_size, uint, 0444);
MODULE_PARM_DESC(block_size, "items in a block of the queue (default 0: the engine's)");

/**
 * struct tree_job - state that the items share
 * @graph: the graph
 * @q: the queue
 * @stop: the result is no longer wanted. Written once
 * @wait: waits for the queue, so that insmod can also wait for a signal
 * @over: @wait is done
 * @end: when it was
 */
static struct tree_job {
	struct tree_graph graph;
	struct wsq *q;
	bool stop;
	struct work_struct wait;
	struct completion over;
	ktime_t end;
} job;

/*
 * Visit a vertex: claim its unclaimed neighbours and queue their items. The
 * context that claims a vertex owns its item. So there is no lock, and no item
 * is queued twice. The claim need not order: putting the item does.
 */
static void tree_visit(struct wsq_work *work)
{
	struct tree_vertex *v = container_of(work, struct tree_vertex, work);
	const struct tree_graph *g = &job.graph;
	u32 self = v - g->vertices, i;
	struct wsq_work *found[TREE_BATCH];
	unsigned int nr = 0;

	if (READ_ONCE(job.stop))
		return;
	v->runs++;
	v->cpu = raw_smp_processor_id();
	for (i = g->first[self]; i < g->first[self + 1]; i++) {
		struct tree_vertex *w = &g->vertices[g->ends[i]];

		/* Read first: most were claimed long ago. */
		if (READ_ONCE(w->parent) != TREE_NONE ||
		    cmpxchg_relaxed(&w->parent, TREE_NONE, self) != TREE_NONE)
			continue;
		INIT_WSQ_WORK(&w->work, tree_visit);
		found[nr++] = &w->work;
		if (nr == TREE_BATCH) {
			wsq_queue_work_many(job.q, found, nr);
			nr = 0;
		}
	}
	if (nr)
		wsq_queue_work_many(job.q, found, nr);
}

/* Not a flush: items queue items, so wait until none is left. */
static void tree_wait(struct work_struct *unused)
{
	wsq_drain(job.q);
	job.end = ktime_get();
	complete(&job.over);
}

/* Time from the root to the last vertex in ns, or -EINTR. */
static s64 tree_spread(void)
{
	struct tree_vertex *root = job.graph.vertices;
	ktime_t start = ktime_get();
	int ret;

	root->parent = 0;
	INIT_WSQ_WORK(&root->work, tree_visit);
	wsq_queue_work(job.q, &root->work);
	queue_work(system_long_wq, &job.wait);
	ret = wait_for_completion_interruptible(&job.over);
	if (ret)
		WRITE_ONCE(job.stop, true);
	flush_work(&job.wait);
	return ret ? -EINTR : ktime_to_ns(ktime_sub(job.end, start));
}

/* Items of all queues so far: queued, through the inbox, stolen by distance. */
struct tree_stats {
	u64 puts;
	u64 inbox;
	u64 steals[WSQ_DIST_NR];
};

static void tree_stats(struct tree_stats *sum)
{
	struct wsq_cpu_stats stats;
	unsigned int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		wsq_stats_cpu(cpu, &stats);
		sum->puts += stats.puts;
		sum->inbox += stats.inbox;
		for (i = 0; i < WSQ_DIST_NR; i++)
			sum->steals[i] += stats.steals[i];
	}
}

static void tree_tell_stats(const struct tree_stats *before,
			    const struct tree_stats *after)
{
	u64 steals[WSQ_DIST_NR], stolen = 0;
	unsigned int i;

	for (i = 0; i < WSQ_DIST_NR; i++) {
		steals[i] = after->steals[i] - before->steals[i];
		stolen += steals[i];
	}
	pr_info("wsq_tree: queued %llu, through an inbox %llu\n",
		after->puts - before->puts, after->inbox - before->inbox);
	pr_info("wsq_tree: stolen %llu: smt %llu, cache %llu, node %llu, remote %llu\n",
		stolen, steals[WSQ_DIST_SMT], steals[WSQ_DIST_CACHE],
		steals[WSQ_DIST_NODE], steals[WSQ_DIST_REMOTE]);
}

/* Print how many vertices each CPU visited, and how many others queued. */
static int tree_tell_cpus(void)
{
	const struct tree_graph *g = &job.graph;
	u32 *ran, *moved, v;
	unsigned int cpu;

	ran = kcalloc(2 * nr_cpu_ids, sizeof(*ran), GFP_KERNEL);
	if (!ran)
		return -ENOMEM;
	moved = ran + nr_cpu_ids;
	for (v = 0; v < g->nr; v++) {
		const struct tree_vertex *x = &g->vertices[v];

		ran[x->cpu]++;
		moved[x->cpu] += g->vertices[x->parent].cpu != x->cpu;
	}
	for_each_possible_cpu(cpu)
		if (ran[cpu])
			pr_info("wsq_tree: cpu %u visited %u, %u of them queued elsewhere\n",
				cpu, ran[cpu], moved[cpu]);
	kfree(ran);
	return 0;
}

/* Run both ways, and compare. */
static int tree_compare(void)
{
	struct tree_stats before, after;
	s64 alone, spread;
	ktime_t start;
	u64 ratio;
	u32 depth;
	int ret;

	start = ktime_get();
	ret = tree_walk(&job.graph, &depth);
	if (ret < 0)
		return ret;
	alone = ktime_to_ns(ktime_sub(ktime_get(), start));
	pr_info("wsq_tree: one thread %lld us, depth %u, reached %d\n",
		div_s64(alone, NSEC_PER_USEC), depth, ret);
	tree_stats(&before);
	spread = tree_spread();
	if (spread < 0)
		return spread;
	tree_stats(&after);
	ret = tree_check(&job.graph, &depth);
	if (ret)
		return ret;
	ratio = div64_u64(alone * 100, max_t(s64, spread, 1));
	pr_info("wsq_tree: queue %lld us, depth %u: %llu.%02llu times as fast\n",
		div_s64(spread, NSEC_PER_USEC), depth, ratio / 100,
		ratio % 100);
	tree_tell_stats(&before, &after);
	return tree_tell_cpus();
}

/* Parse the string parameters: 0 or -EINVAL. */
static int tree_attrs(struct wsq_attrs *attrs)
{
	int kind = match_string(engines, ARRAY_SIZE(engines), engine);
	int policy_name = match_string(policies, ARRAY_SIZE(policies), policy);
	int most = match_string(batches, ARRAY_SIZE(batches), batch);

	if (kind < 0 || policy_name < 0 || most < 0)
		return -EINVAL;
	attrs->engine = kind;
	attrs->steal_policy = policy_name;
	attrs->steal_batch = most;
	return 0;
}

static int __init tree_init(void)
{
	struct wsq_attrs attrs = {
		.blocks = blocks,
		.block_size = block_size,
		/* No time to allocate on demand: the work comes at once. */
		.flags = WSQ_RESIDENT,
	};
	int ret;

	ret = tree_attrs(&attrs);
	if (ret)
		return ret;
	ret = tree_graph_create(&job.graph, vertices, degree, reach, seed);
	if (ret)
		goto free;
	job.q = wsq_create(&attrs, "tree");
	if (IS_ERR(job.q)) {
		ret = PTR_ERR(job.q);
		goto free;
	}
	INIT_WORK(&job.wait, tree_wait);
	init_completion(&job.over);
	pr_info("wsq_tree: %u vertices, %u edges, %zu MB, seed %llu, engine %s, policy %s, batch %s\n",
		job.graph.nr, job.graph.edges, job.graph.bytes / 1000000, seed,
		engine, policy, batch);
	ret = tree_compare();
	wsq_destroy(job.q);
free:
	tree_graph_destroy(&job.graph);
	return ret;
}

static void __exit tree_exit(void)
{
}

module_init(tree_init);
module_exit(tree_exit);

MODULE_DESCRIPTION("Sample user of wsq: a spanning tree");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
