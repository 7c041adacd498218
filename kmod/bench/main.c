// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_bench.ko: measures on load, shows JSON lines (tools/bench/README.md) in
 * debugfs, and can then be removed.
 *
 *	insmod wsq_bench.ko rounds=15 items=100000 cases=execute:queue
 *	cat /sys/kernel/debug/wsq_bench
 *
 * Shows what wsq costs on a given kernel beside workqueue, kthread_worker and
 * ptr_ring. tools/bench/here does all of this; make bench-kernel runs it in SMP
 * user-mode Linux. Empty items show the cost of the service only: see
 * Documentation/when-not.rst.
 *
 * Load: two busy CPUs, or as many as asked for; 64 bytes of memory per item and
 * CPU (more on debug kernels), at most a quarter of the free memory; a limited
 * time in seconds. A signal ends it, within a sample (some 0.1 s). At most a
 * millisecond with preemption off or at real-time priority (with items=10000 or
 * less; with 100000 one burst takes some ten).
 *
 * Limitations: submitting CPUs are the first that are online.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/wsq_version.h>

#include "../compat/export.h"
#include "cases.h"

static char *cases;
module_param(cases, charp, 0444);
MODULE_PARM_DESC(cases, "prefixes of metrics to measure, separated by colons (default all)");

static char *only;
module_param(only, charp, 0444);
MODULE_PARM_DESC(only, "prefixes of services to measure, separated by colons (default all)");

static unsigned int rounds = 15;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "samples of each service (default 15)");

static unsigned int items = 100000;
module_param(items, uint, 0444);
MODULE_PARM_DESC(items, "items that each CPU queues for a sample (default 100000)");

static unsigned int cpus = 2;
module_param(cpus, uint, 0444);
MODULE_PARM_DESC(cpus, "CPUs that submit (default 2)");

static unsigned int seconds = 120;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "when to end, at the latest (default 120)");

static bool verbose;
module_param(verbose, bool, 0444);
MODULE_PARM_DESC(verbose, "print what is about to be measured");

static bool print;
module_param(print, bool, 0444);
MODULE_PARM_DESC(print, "results as kernel messages, too");

static unsigned int run;
module_param(run, uint, 0444);
MODULE_PARM_DESC(run, "number of this boot, to be shown (default 0)");

unsigned int bench_cpus[BENCH_MAX_CPUS];
unsigned int bench_nr_cpus;

#define BENCH_QUEUE_ROW(type, name, ...)	{ &bench_wsq_##name },
#define BENCH_POOL_ROW(type, name, ...)		{ &bench_pool_##name },
#define BENCH_POOL_MANY_ROW(type, name, ...)	{ &bench_pool_##name##_many },

static const struct {
	struct bench_service *is;
} services[] = {
	WSQ_ENGINES(BENCH_QUEUE_ROW)
	{ &bench_system_wq },
	{ &bench_wsq_local },
	{ &bench_percpu_wq },
	{ &bench_unbound_wq },
	{ &bench_scope_shard },
	{ &bench_wsq_large },
	{ &bench_wsq_blocks },
	{ &bench_wsq_last },
	{ &bench_wsq_batch },
	{ &bench_wsq_short },
	{ &bench_wsq_high },
	{ &bench_highpri_wq },
	{ &bench_list_work },
	{ &bench_list_delayed },
	{ &bench_list_fifo },
	{ &bench_wsq_job },
	{ &bench_wsq_fj_range },
	{ &bench_wsq_serials },
	{ &bench_wsq_list },
	{ &bench_bh_wq },
	{ &bench_ordered_wq },
	{ &bench_kthread_worker },
	{ &bench_scope_cpu },
	{ &bench_scope_smt },
	{ &bench_scope_cache },
	{ &bench_scope_numa },
	{ &bench_scope_system },
	WSQ_ALL_ENGINES(BENCH_POOL_ROW)
	{ &bench_ptr_ring },
	WSQ_ALL_ENGINES(BENCH_POOL_MANY_ROW)
	{ &bench_ptr_ring_many },
	{ &bench_fence_heavy },
	{ &bench_fence_started },
	{ &bench_fence_barrier },
	{ &bench_fence_cas },
	{ &bench_waiting_many },
	{ &bench_waiting_one },
	{ &bench_waiting_none },
	{ &bench_call_plain },
	{ &bench_call_spinlock },
	{ &bench_call_serial },
	{ &bench_call_serials },
	{ &bench_call_future },
	{ &bench_call_unit },
	{ &bench_wsq_fj },
	{ &bench_wsq_fj_one },
	{ &bench_fj_plain },
};

#define BENCH_SERVICES		ARRAY_SIZE(services)

/* A burst of 1000 fits into a default container, a long one does not. */
static const struct bench_case all_cases[] = {
	{ "execute, 1 CPU, bursts of 1000", &bench_execute, 1, 1000 },
	{ "execute, 1 CPU, one burst", &bench_execute, 1 },
	{ "execute, 2 CPUs, bursts of 1000", &bench_execute, 2, 1000 },
	{ "execute, 2 CPUs, one burst", &bench_execute, 2 },
	{ "execute, all CPUs, bursts of 1000", &bench_execute, 0, 1000 },
	{ "execute, batches of 8", &bench_execute, 1, 1024, 8 },
	{ "execute, batches of 64", &bench_execute, 1, 1024, 64 },
	{ "execute, batches of 512", &bench_execute, 1, 1024, 512 },
	{ "queue, bursts of 1000", &bench_queueing, 1, 1000 },
	{ "queue, one burst", &bench_queueing, 1 },
	{ "queue, batches of 8", &bench_queueing, 1, 1024, 8 },
	{ "queue, batches of 64", &bench_queueing, 1, 1024, 64 },
	{ "queue, batches of 512", &bench_queueing, 1, 1024, 512 },
	{ "cancel, same CPU", &bench_cancel },
	{ "cancel, other CPU", &bench_cancel, .far = true },
	{ "cancel_sync, same CPU", &bench_cancel, .sync = true },
	{ "cancel_sync, other CPU", &bench_cancel, .sync = true, .far = true },
	{ "flush one item", &bench_flush, 1 },
	{ "flush a queue of one item", &bench_flush, 1, .sync = true },
	{ "flush an idle item", &bench_flush, 1, .far = true },
	{ "flush an idle queue", &bench_flush, 1, .sync = true, .far = true },
	{ "hand over", &bench_hand_over, 2 },
	{ "latency", &bench_latency, 1 },
	{ "flight, 1 CPU", &bench_flight, 1 },
	{ "flight, all CPUs", &bench_flight },
	{ "spawn", &bench_spawning, 1, BENCH_TREE },
	{ "fence", &bench_fence, 2 },
	{ "behind a sleeping item", &bench_behind, 1 },
	{ "behind an item that falls asleep", &bench_behind, 1, .sync = true },
	{ "latency beside items of 1 ms", &bench_beside, 1 },
	{ "latency beside threads", &bench_beside, 1, .far = true },
	{ "interrupts of a computing item", &bench_waiting, 1 },
	{ "completion", &bench_completion, 1, 1, BENCH_AT_REST },
	{ "completion, CPUs loaded", &bench_completion, 1, 1, BENCH_LOADED },
	{ "completion, CPU taken by a thread", &bench_completion, 1, 1,
	  BENCH_THREAD_TAKES },
	{ "completion, CPU taken by an item", &bench_completion, 1, 1,
	  BENCH_ITEM_TAKES },
	{ "completions at saturation", &bench_completion, 1, BENCH_DEVICE,
	  BENCH_SATURATED },
	{ "200 items of 100 us", &bench_reach, 1, 200, 100 },
	{ "64 items of 60 us", &bench_reach, 1, 64, 60 },
	{ "200 items of 20 us", &bench_reach, 1, 200, 20 },
	{ "1024 items of 1 us", &bench_reach, 1, 1024, 1 },
	{ "40 items of 5 us", &bench_reach, 1, 40, 5 },
	{ "40 items of 10 us", &bench_reach, 1, 40, 10 },
	/* 10 ms of work, for Documentation/choosing.rst. */
	{ "10000 items of 1 us", &bench_reach, 1, 10000, 1 },
	{ "5000 items of 2 us", &bench_reach, 1, 5000, 2 },
	{ "2000 items of 5 us", &bench_reach, 1, 2000, 5 },
	{ "1000 items of 10 us", &bench_reach, 1, 1000, 10 },
	{ "200 items of 50 us", &bench_reach, 1, 200, 50 },
	{ "20 items of 500 us", &bench_reach, 1, 20, 500 },
	{ "an item of a computing caller", &bench_computing, 1 },
	{ "behind a list", &bench_list, 1 },
	{ "start and run, bursts of 1000", &bench_call, 1, 1000 },
	{ "fib 20", &bench_forkjoin, 1, 20, BENCH_FJ_FIB },
	{ "fib 24", &bench_forkjoin, 1, 24, BENCH_FJ_FIB },
	{ "fib 30", &bench_forkjoin, 1, 30, BENCH_FJ_FIB },
	{ "queens 10", &bench_forkjoin, 1, 10, BENCH_FJ_QUEENS },
	{ "unbalanced tree", &bench_forkjoin, 1, 1, BENCH_FJ_TREE },
	{ "tree of 1023", &bench_forkjoin_short, 1, 9 },
};

#define BENCH_CASES		ARRAY_SIZE(all_cases)

/* Samples by case, service, part and round. */
static u64 *samples;
static unsigned int begun;		/* rounds */

static u64 *bench_samples(unsigned int c, unsigned int s, unsigned int part)
{
	return samples +
	       ((c * BENCH_SERVICES + s) * BENCH_MAX_PARTS + part) * rounds;
}

/* Is one of the prefixes in @list a prefix of @name? */
static bool bench_wanted(const char *list, const char *name)
{
	const char *at = list;

	if (!at || !*at)
		return true;
	for (;;) {
		const char *end = strchrnul(at, ':');

		if (!strncmp(name, at, end - at))
			return true;
		if (!*end)
			return false;
		at = end + 1;
	}
}

static bool bench_fits(const struct bench_case *c,
		       const struct bench_service *s)
{
	/* Two CPUs are a case of their own. */
	if (c->kind == &bench_execute && !c->members && bench_nr_cpus <= 2)
		return false;
	if (s->only && s->only != c->kind && s->only != c->kind->like)
		return false;
	return !s->error && bench_members(c) <= bench_nr_cpus &&
	       items >= c->burst && c->kind->fits(c, s);
}

/* Take a sample of each service. Returns 0, 1 to end, or an errno. */
static int bench_case(unsigned int c, unsigned int round,
		      struct bench_item *all, unsigned long until)
{
	const struct bench_case *bc = &all_cases[c];
	u64 sample[BENCH_MAX_PARTS];
	unsigned int s, p;
	int ret;

	for (s = 0; s < BENCH_SERVICES; s++) {
		if (!bench_wanted(only, services[s].is->name) ||
		    !bench_fits(bc, services[s].is))
			continue;
		if (signal_pending(current))
			return -EINTR;
		if (time_after(jiffies, until))
			return 1;
		if (verbose)
			pr_info("wsq_bench: %s: %s\n", bc->metric,
				services[s].is->name);
		ret = bc->kind->take(bc, services[s].is, all, items, sample);
		/* The sample was disturbed; the next round may succeed. */
		if (ret == -EBUSY || ret == -ETIMEDOUT)
			continue;
		if (ret) {
			pr_err("wsq_bench: %s, %s: error %d\n",
			       services[s].is->name, bc->metric, ret);
			return ret;
		}
		for (p = 0; p < BENCH_MAX_PARTS && bc->kind->parts[p].name; p++)
			bench_samples(c, s, p)[round] = sample[p];
	}
	return 0;
}

static int bench_rounds(struct bench_item *all)
{
	unsigned long until = jiffies + seconds * HZ;
	unsigned int c;
	int ret = 0;

	while (!ret && begun < rounds) {
		begun++;
		for (c = 0; !ret && c < BENCH_CASES; c++) {
			if (bench_wanted(cases, all_cases[c].metric))
				ret = bench_case(c, begun - 1, all, until);
		}
	}
	if (ret == 1) {
		pr_warn("wsq_bench: ended after %u seconds, in round %u of %u\n",
			seconds, begun, rounds);
		ret = 0;
	}
	return ret;
}

static void bench_report_case(struct seq_file *m, unsigned int c,
			      unsigned int s)
{
	const struct bench_case *bc = &all_cases[c];
	const struct bench_part *part = bc->kind->parts;
	char metric[64];
	unsigned int p, i;

	for (p = 0; p < BENCH_MAX_PARTS && part[p].name; p++) {
		const u64 *values = bench_samples(c, s, p);

		for (i = 0; i < begun && values[i] == BENCH_NO_SAMPLE; i++)
			;
		if (i == begun)
			continue;
		snprintf(metric, sizeof(metric), "%s%s", bc->metric,
			 part[p].name);
		bench_report(m, services[s].is->name, metric, part[p].unit, values,
			     begun, run);
	}
}

/* The metric that carries the note that a service is missing. */
static const char *bench_note_on(const struct bench_service *s)
{
	if (s->only == &bench_flight)
		return "flight, all CPUs, rate";
	if (s->only == &bench_fence)
		return "fence, thief";
	if (s->only == &bench_waiting)
		return "interrupts of a computing item, p50";
	if (s->only == &bench_completion)
		return "completion, p50";
	return all_cases[0].metric;
}

static void bench_report_all(struct seq_file *m)
{
	unsigned int c, s;

	for (c = 0; c < BENCH_CASES; c++) {
		for (s = 0; s < BENCH_SERVICES; s++)
			bench_report_case(m, c, s);
	}
	for (s = 0; s < BENCH_SERVICES; s++)
		if (services[s].is->error)
			bench_report_note(m, services[s].is->name,
					  bench_note_on(services[s].is),
					  services[s].is->error == -EOPNOTSUPP ?
					  "not in this kernel" :
					  "could not be started", run);
}

static int bench_show(struct seq_file *m, void *unused)
{
	bench_report_all(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bench);

static struct dentry *bench_file;

static void bench_services_start(void)
{
	unsigned int s;

	for (s = 0; s < BENCH_SERVICES; s++)
		services[s].is->error = services[s].is->start();
}

static void bench_services_stop(void)
{
	unsigned int s = BENCH_SERVICES;

	while (s--)
		if (!services[s].is->error)
			services[s].is->stop();
}

/* Memory for items, at most a quarter of what is available. */
static struct bench_item *bench_items_new(void)
{
	u64 size = (u64)bench_nr_cpus * items * sizeof(struct bench_item);

	if (si_mem_available() < 0 ||
	    size > ((u64)si_mem_available() << PAGE_SHIFT) / 4) {
		pr_err("wsq_bench: %u items are too many for the memory that is free\n",
		       items);
		return NULL;
	}
	return kvcalloc(bench_nr_cpus * items, sizeof(struct bench_item),
			GFP_KERNEL);
}

static int __init bench_init(void)
{
	size_t nr = BENCH_CASES * BENCH_SERVICES * BENCH_MAX_PARTS;
	struct bench_item *all;
	unsigned int cpu;
	int ret;

	/* Some kinds need a minimum of items, whatever is asked for. */
	if (!rounds || rounds > 1000 || items < BENCH_CANCEL_BURST ||
	    items > 10000000 || !cpus || cpus > BENCH_MAX_CPUS ||
	    !seconds || seconds > 3600)
		return -EINVAL;
	for_each_online_cpu(cpu) {
		if (bench_nr_cpus < cpus)
			bench_cpus[bench_nr_cpus++] = cpu;
	}
	nr *= rounds;
	samples = kvmalloc_array(nr, sizeof(*samples), GFP_KERNEL);
	all = bench_items_new();
	ret = -ENOMEM;
	if (!samples || !all)
		goto free;
	/* All ones: BENCH_NO_SAMPLE. */
	memset(samples, 0xff, nr * sizeof(*samples));

	bench_services_start();
	ret = bench_rounds(all);
	bench_services_stop();
	if (ret)
		goto free;
	kvfree(all);
	if (print)
		bench_report_all(NULL);
	bench_file = debugfs_create_file("wsq_bench", 0400, NULL, NULL,
					 &bench_fops);
	return 0;
free:
	kvfree(all);
	kvfree(samples);
	return ret;
}
module_init(bench_init);

static void __exit bench_exit(void)
{
	debugfs_remove(bench_file);
	kvfree(samples);
}
module_exit(bench_exit);

MODULE_DESCRIPTION("Benchmark of wsq beside what the kernel has");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
