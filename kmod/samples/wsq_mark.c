// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_mark.ko: marks all objects that can be reached from object 0, on all CPUs,
 * with a pool whose tasks may run again (Documentation/multiplicity.rst). To mark an
 * object twice does no harm, so neither marks nor pops need an atomic operation.
 *
 *	insmod wsq_mark.ko objects=1000000; rmmod wsq_mark; dmesg | tail -2
 *
 * With another engine the pool's tasks run once, and the marks are the same.
 *
 * Each object points to @links random ones. Marks them, compares with one CPU that
 * walks the graph by itself, and prints how often an object was visited again.
 * Loading fails with EIO if an object was missed.
 *
 * In the namespace WSQ; depends on wsq.ko. Costs @objects * (4 * @links + 2) bytes
 * and 4 * @objects for each CPU.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wsq.h>
#include <linux/wsq_pool.h>
#include <linux/wsq_version.h>

#include "../engine/engines.def"

#define MARK_NAME(type, name, ...)	", " #name
#define MARK_ENGINE(type, name, ...)	\
	[type] = #name,

static const char *const engines[] = {
	[WSQ_DEFAULT_ENGINE]	= "default",
	WSQ_ALL_ENGINES(MARK_ENGINE)
};

static unsigned int objects = 100000;
module_param(objects, uint, 0444);
MODULE_PARM_DESC(objects, "number of objects (default 100000)");

static unsigned int links = 3;
module_param(links, uint, 0444);
MODULE_PARM_DESC(links, "pointers in each object, 1 to 16 (default 3)");

static char *engine = "ws_mult";
module_param(engine, charp, 0444);
MODULE_PARM_DESC(engine,
		 "engine of the pool (ws_mult): default" WSQ_ALL_ENGINES(MARK_NAME));

static unsigned int multiplicity;
module_param(multiplicity, uint, 0444);
MODULE_PARM_DESC(multiplicity, "of ws_mult: 0 weak (default), 1 bounded, 2 exact");

/**
 * struct mark_worker - one CPU that marks
 * @work: its item
 * @spill: objects that found no space in the pool
 * @nr: how many
 * @visits: how many objects it has visited
 */
struct mark_worker {
	struct wsq_work work;
	u32 *spill;
	u32 nr;
	unsigned long visits;
};

static struct wsq_pool *mark_pool;
static struct mark_worker *mark_workers;
static u32 *mark_links;
static u8 *mark_marks, *mark_alone;

/* Workers that may push. */
static atomic_t mark_active;

/* Task 0 is no task, so object n is task n + 1. */
static void mark_put(struct mark_worker *w, u32 object)
{
	if (wsq_pool_push(mark_pool, (void *)(object + 1UL)))
		w->spill[w->nr++] = object;
}

static bool mark_next(struct mark_worker *w, u32 *object)
{
	void *task = wsq_pool_pop(mark_pool);

	if (task)
		*object = (unsigned long)task - 1;
	else if (w->nr)
		*object = w->spill[--w->nr];
	else
		return false;
	return true;
}

static void mark_visit(struct mark_worker *w, u32 object)
{
	unsigned int i;

	w->visits++;
	for (i = 0; i < links; i++) {
		u32 to = mark_links[object * links + i];

		if (READ_ONCE(mark_marks[to]))
			continue;
		WRITE_ONCE(mark_marks[to], 1);
		mark_put(w, to);
	}
}

static void mark_fn(struct wsq_work *work)
{
	struct mark_worker *w = container_of(work, struct mark_worker, work);
	u32 object;

	for (;;) {
		while (mark_next(w, &object)) {
			mark_visit(w, object);
			cond_resched();
		}
		/* Its own part is empty; those who are active may still push. */
		atomic_dec(&mark_active);
		while (!mark_next(w, &object)) {
			if (!atomic_read(&mark_active))
				return;
			cond_resched();
			cpu_relax();
		}
		atomic_inc(&mark_active);
		mark_visit(w, object);
	}
}

/* One CPU marks by itself: how many objects are there to reach. */
static u32 mark_by_hand(u32 *stack)
{
	u32 nr = 1, reached = 1, i, object;

	stack[0] = 0;
	mark_alone[0] = 1;
	while (nr) {
		object = stack[--nr];
		for (i = 0; i < links; i++) {
			u32 to = mark_links[object * links + i];

			if (mark_alone[to])
				continue;
			mark_alone[to] = 1;
			stack[nr++] = to;
			reached++;
		}
	}
	return reached;
}

/* All CPUs mark. */
static void mark_all(struct wsq *q)
{
	unsigned int cpu;

	mark_marks[0] = 1;
	wsq_pool_push(mark_pool, (void *)1UL);
	atomic_set(&mark_active, num_online_cpus());
	for_each_online_cpu(cpu)
		wsq_queue_work_on(cpu, q, &mark_workers[cpu].work);
	wsq_flush(q);
}

static int mark_run(struct wsq *q)
{
	unsigned long visits = 0, missed = 0;
	struct wsq_pool_counts counts;
	u64 alone, all;
	unsigned int cpu;
	u32 reached, i;

	alone = ktime_get_ns();
	reached = mark_by_hand(mark_workers[0].spill);
	alone = ktime_get_ns() - alone;
	all = ktime_get_ns();
	mark_all(q);
	all = ktime_get_ns() - all;
	for_each_possible_cpu(cpu)
		visits += mark_workers[cpu].visits;
	for (i = 0; i < objects; i++)
		missed += mark_alone[i] != mark_marks[i];
	wsq_pool_read_counts(mark_pool, &counts);
	pr_info("wsq_mark: %u objects reached, %lu visits, %lu missed, %llu steals, %llu tasks popped again\n",
		reached, visits, missed, counts.steals, counts.duplicates);
	pr_info("wsq_mark: engine %s: %llu us, one CPU by itself %llu us\n", engine,
		div_u64(all, NSEC_PER_USEC), div_u64(alone, NSEC_PER_USEC));
	return missed || visits < reached ? -EIO : 0;
}

static void mark_free(void)
{
	unsigned int cpu;

	for (cpu = 0; mark_workers && cpu < nr_cpu_ids; cpu++)
		kvfree(mark_workers[cpu].spill);
	kvfree(mark_workers);
	kvfree(mark_links);
	kvfree(mark_marks);
	kvfree(mark_alone);
}

static int mark_allocate(void)
{
	struct rnd_state rnd;
	unsigned int cpu;
	size_t i;

	mark_workers = kvcalloc(nr_cpu_ids, sizeof(*mark_workers), GFP_KERNEL);
	mark_links = kvmalloc_array(objects, links * sizeof(*mark_links), GFP_KERNEL);
	mark_marks = kvzalloc(objects, GFP_KERNEL);
	mark_alone = kvzalloc(objects, GFP_KERNEL);
	if (!mark_workers || !mark_links || !mark_marks || !mark_alone)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct mark_worker *w = &mark_workers[cpu];

		INIT_WSQ_WORK(&w->work, mark_fn);
		w->spill = kvmalloc_array(objects, sizeof(*w->spill), GFP_KERNEL);
		if (!w->spill)
			return -ENOMEM;
	}
	prandom_seed_state(&rnd, 1);
	for (i = 0; i < (size_t)objects * links; i++)
		mark_links[i] = prandom_u32_state(&rnd) % objects;
	return 0;
}

static int __init mark_init(void)
{
	int kind = match_string(engines, ARRAY_SIZE(engines), engine);
	struct wsq_attrs attrs = {
		.engine = kind,
		.flags = kind == WSQ_WS_MULT ? WSQ_AT_LEAST_ONCE : 0,
		.multiplicity = multiplicity,
	};
	struct wsq *q;
	int ret;

	if (kind < 0 || !objects || objects > INT_MAX / 16 || !links || links > 16)
		return -EINVAL;
	ret = mark_allocate();
	if (ret)
		goto out;
	mark_pool = wsq_pool_create(&attrs, "wsq_mark");
	if (IS_ERR(mark_pool)) {
		ret = PTR_ERR(mark_pool);
		goto out;
	}
	q = wsq_create(NULL, "wsq_mark");
	if (IS_ERR(q)) {
		ret = PTR_ERR(q);
	} else {
		cpus_read_lock();
		ret = mark_run(q);
		cpus_read_unlock();
		wsq_destroy(q);
	}
	wsq_pool_destroy(mark_pool);
out:
	mark_free();
	return ret;
}

static void __exit mark_exit(void)
{
}

module_init(mark_init);
module_exit(mark_exit);

MODULE_DESCRIPTION("Sample of wsq: tasks that may run again");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
