// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_bench.ko: measures on load, prints JSON lines (tools/bench/README.md),
 * and can then be removed.
 *
 *	insmod wsq_bench.ko rounds=15 items=100000 cases=execute:queue
 *
 * For whoever wants to know what wsq costs on their own kernel beside
 * workqueue, kthread_worker and ptr_ring. make bench-kernel runs it in SMP
 * user-mode Linux. Takes some seconds, keeps two CPUs busy, and 128 bytes of
 * memory an item. Empty items show what the service costs, nothing else: see
 * Documentation/when-not.rst.
 *
 * Limitations: two submitting CPUs at most, the first that are online.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "cases.h"

static char *cases;
module_param(cases, charp, 0444);
MODULE_PARM_DESC(cases, "beginnings of metrics to measure, by colons (default all)");

static unsigned int rounds = 15;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "samples of each service (default 15)");

static unsigned int items = 100000;
module_param(items, uint, 0444);
MODULE_PARM_DESC(items, "items that each CPU queues for a sample (default 100000)");

static bool verbose;
module_param(verbose, bool, 0444);
MODULE_PARM_DESC(verbose, "tell what is about to be measured");

static unsigned int run;
module_param(run, uint, 0444);
MODULE_PARM_DESC(run, "number of this boot, to be printed (default 0)");

unsigned int bench_cpus[BENCH_MAX_CPUS];
unsigned int bench_nr_cpus;

static struct bench_service *const services[] = {
	&bench_wsq,
	&bench_system_wq,
	&bench_wsq_local,
	&bench_percpu_wq,
	&bench_unbound_wq,
	&bench_wsq_large,
	&bench_wsq_blocks,
	&bench_bh_wq,
	&bench_kthread_worker,
	&bench_pool,
	&bench_ptr_ring,
	&bench_pool_many,
	&bench_ptr_ring_many,
};

#define BENCH_SERVICES		ARRAY_SIZE(services)

/* A burst of 1000 fits into a container of default size, a long one does not. */
static const struct bench_case all_cases[] = {
	{ "execute, 1 CPU, bursts of 1000", BENCH_EXECUTE, 1, 1000, 1 },
	{ "execute, 1 CPU, one burst", BENCH_EXECUTE, 1, 0, 1 },
	{ "execute, 2 CPUs, bursts of 1000", BENCH_EXECUTE, 2, 1000, 1 },
	{ "execute, 2 CPUs, one burst", BENCH_EXECUTE, 2, 0, 1 },
	{ "queue, bursts of 1000", BENCH_QUEUE, 1, 1000, 1 },
	{ "queue, one burst", BENCH_QUEUE, 1, 0, 1 },
	{ "hand over", BENCH_HAND_OVER, 2, 0, 1 },
	{ "latency", BENCH_LATENCY, 1, 1, 5 },
};

#define BENCH_CASES		ARRAY_SIZE(all_cases)

/* Samples: two for each case, service and round. */
static u64 *samples;
static bool seen[BENCH_CASES][BENCH_SERVICES];

static u64 *bench_samples(unsigned int c, unsigned int s, unsigned int which)
{
	return samples + ((c * BENCH_SERVICES + s) * 2 + which) * rounds;
}

/* Is one of the beginnings in @cases that of @metric? */
static bool bench_wanted(const char *metric)
{
	const char *at = cases;

	if (!at || !*at)
		return true;
	for (;;) {
		const char *end = strchrnul(at, ':');

		if (!strncmp(metric, at, end - at))
			return true;
		if (!*end)
			return false;
		at = end + 1;
	}
}

static bool bench_fits(const struct bench_case *c,
		       const struct bench_service *s)
{
	if (s->error || c->members > bench_nr_cpus || items < c->burst ||
	    (s == &bench_wsq_local && c->members > 1))
		return false;
	switch (c->kind) {
	case BENCH_QUEUE:
	case BENCH_LATENCY:
		return !s->raw;
	case BENCH_HAND_OVER:
		return s->produce;
	default:
		return true;
	}
}

static int bench_round(unsigned int round, struct bench_item *all)
{
	unsigned int c, s;
	u64 sample[2];
	int ret;

	for (c = 0; c < BENCH_CASES; c++) {
		const struct bench_case *bc = &all_cases[c];

		if (!bench_wanted(bc->metric) || round % bc->every)
			continue;
		for (s = 0; s < BENCH_SERVICES; s++) {
			if (!bench_fits(bc, services[s]))
				continue;
			if (verbose)
				pr_info("wsq_bench: %s: %s\n", bc->metric,
					services[s]->name);
			ret = bench_case_take(bc, services[s], all, items,
					      sample);
			if (ret) {
				pr_err("wsq_bench: %s, %s: error %d\n",
				       services[s]->name, bc->metric, ret);
				return ret;
			}
			seen[c][s] = true;
			bench_samples(c, s, 0)[round / bc->every] = sample[0];
			bench_samples(c, s, 1)[round / bc->every] = sample[1];
		}
	}
	return 0;
}

static void bench_report_all(void)
{
	unsigned int c, s, nr;
	char metric[64];

	for (c = 0; c < BENCH_CASES; c++) {
		const struct bench_case *bc = &all_cases[c];
		bool latency = bc->kind == BENCH_LATENCY;

		nr = DIV_ROUND_UP(rounds, bc->every);
		for (s = 0; s < BENCH_SERVICES; s++) {
			if (!seen[c][s])
				continue;
			snprintf(metric, sizeof(metric), "%s%s", bc->metric,
				 latency ? ", p50" : "");
			bench_report(services[s]->name, metric, "ns",
				     bench_samples(c, s, 0), nr, run);
			if (!latency)
				continue;
			snprintf(metric, sizeof(metric), "%s, p99", bc->metric);
			bench_report(services[s]->name, metric, "ns",
				     bench_samples(c, s, 1), nr, run);
		}
	}
	for (s = 0; s < BENCH_SERVICES; s++)
		if (services[s]->error)
			bench_report_note(services[s]->name,
					  all_cases[0].metric,
					  services[s]->error == -EOPNOTSUPP ?
					  "not in this kernel" :
					  "could not be started", run);
}

static void bench_services_start(void)
{
	unsigned int s;

	for (s = 0; s < BENCH_SERVICES; s++)
		services[s]->error = services[s]->start();
}

static void bench_services_stop(void)
{
	unsigned int s = BENCH_SERVICES;

	while (s--)
		if (!services[s]->error)
			services[s]->stop();
}

static int __init bench_init(void)
{
	struct bench_item *all;
	unsigned int cpu, round;
	int ret = -ENOMEM;

	if (!rounds || rounds > 1000 || !items || items > 10000000)
		return -EINVAL;
	for_each_online_cpu(cpu) {
		if (bench_nr_cpus < BENCH_MAX_CPUS)
			bench_cpus[bench_nr_cpus++] = cpu;
	}
	samples = kvcalloc(BENCH_CASES * BENCH_SERVICES * 2 * rounds,
			   sizeof(*samples), GFP_KERNEL);
	all = kvcalloc(bench_nr_cpus * items, sizeof(*all), GFP_KERNEL);
	if (!samples || !all)
		goto free;

	bench_services_start();
	for (round = 0, ret = 0; !ret && round < rounds; round++)
		ret = bench_round(round, all);
	bench_services_stop();
	if (!ret)
		bench_report_all();
free:
	kvfree(all);
	kvfree(samples);
	return ret;
}
module_init(bench_init);

static void __exit bench_exit(void)
{
}
module_exit(bench_exit);

MODULE_DESCRIPTION("Benchmark of wsq beside what the kernel has");
MODULE_LICENSE("GPL");
WSQ_IMPORT_NS();
