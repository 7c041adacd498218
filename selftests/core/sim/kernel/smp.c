// SPDX-License-Identifier: GPL-2.0
/*
 * The machine as the kernel sees it: topology, per-CPU variables, interrupts
 * from one CPU to another, irq_work, hotplug states (all CPUs are online and
 * stay so).
 */
#include "shim.h"

unsigned int nr_cpu_ids;
unsigned int nr_node_ids;
struct cpumask shim_cpus;

static struct cpumask one_cpu[SIM_CPUS], one_node[SIM_NODES], one_core[SIM_CPUS];

const struct cpumask *cpumask_of(unsigned int cpu)
{
	one_cpu[cpu].bits[cpu / 64] |= BIT(cpu % 64);
	return &one_cpu[cpu];
}

const struct cpumask *cpumask_of_node(int node)
{
	struct cpumask *mask = &one_node[node];
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (sim_node_of_cpu(cpu) == (unsigned int)node)
			mask->bits[cpu / 64] |= BIT(cpu % 64);
	return mask;
}

const struct cpumask *topology_sibling_cpumask(unsigned int cpu)
{
	struct cpumask *mask = &one_core[cpu];
	unsigned int from = cpu / sim_config.smt * sim_config.smt, i;

	for (i = from; i < from + sim_config.smt && i < nr_cpu_ids; i++)
		mask->bits[i / 64] |= BIT(i % 64);
	return mask;
}

int cpu_to_node(unsigned int cpu)
{
	return sim_node_of_cpu(cpu);
}

int node_distance(int a, int b)
{
	return a == b ? 10 : 21;
}

int get_llc_id(unsigned int cpu)
{
	return sim_cluster_of_cpu(cpu);
}

bool zalloc_cpumask_var(cpumask_var_t *mask, gfp_t gfp)
{
	*mask = kzalloc(cpumask_size(), gfp);
	return *mask;
}

void free_cpumask_var(cpumask_var_t mask)
{
	kfree(mask);
}

/* Numbers and ranges with commas, as in "0-3,8". */
int cpulist_parse(const char *list, struct cpumask *mask)
{
	memset(mask->bits, 0, cpumask_size());
	while (*list) {
		unsigned long from, to;
		char *end;

		from = to = strtoul(list, &end, 10);
		if (end == list)
			return -EINVAL;
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		for (; from <= to && from < nr_cpu_ids; from++)
			mask->bits[from / 64] |= BIT(from % 64);
		list = *end == ',' ? end + 1 : end;
	}
	return 0;
}

/* linux/percpu.h */

extern char __start_sim_percpu[], __stop_sim_percpu[];

static char *percpu_area;

static void shim_percpu_init(void)
{
	size_t size = __stop_sim_percpu - __start_sim_percpu;
	unsigned int cpu;

	percpu_area = sim_percpu_alloc(size, 64);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		memcpy(sim_percpu_ptr(percpu_area, cpu), __start_sim_percpu, size);
}

void *shim_percpu_ptr(const void *p, unsigned int cpu)
{
	if (!percpu_area)
		shim_percpu_init();
	return (char *)sim_percpu_ptr(percpu_area, cpu) +
	       ((const char *)p - __start_sim_percpu);
}

/* linux/smp.h */

static void call_here(smp_call_func_t func, void *info)
{
	bool on = sim_irq_save();

	func(info);
	sim_irq_restore(on);
}

static void csd_arrives(void *arg)
{
	call_single_data_t *csd = arg;
	smp_call_func_t func;
	void *info;

	sim_rmw(&csd->node);
	func = csd->func;
	info = csd->info;
	/* A waiter sees it done after the function; others reuse it before. */
	if (csd->node.u_flags & 2) {
		func(info);
		sim_write(&csd->node, sizeof(csd->node));
		csd->node.u_flags = 0;
	} else {
		csd->node.u_flags = 0;
		func(info);
	}
}

static void csd_send(unsigned int cpu, call_single_data_t *csd, bool wait)
{
	sim_rmw(&csd->node);
	csd->node.u_flags = 1 | (wait ? 2 : 0);
	shim_counts.ipis++;
	sim_raise(cpu, sim_now() + sim_config.costs.ipi_latency, csd_arrives, csd);
}

static void csd_wait(call_single_data_t *csd)
{
	for (;;) {
		sim_read(&csd->node, sizeof(csd->node));
		if (!csd->node.u_flags)
			return;
		sim_relax();
	}
}

int smp_call_function_single(int cpu, smp_call_func_t func, void *info, int wait)
{
	/* On the caller's stack, as the kernel's. */
	call_single_data_t csd = { .func = func, .info = info };

	MUST(wait && !irqs_disabled());
	if ((unsigned int)cpu >= nr_cpu_ids)
		return -ENXIO;
	preempt_disable();
	if ((unsigned int)cpu == sim_cpu()) {
		call_here(func, info);
	} else {
		csd_send(cpu, &csd, true);
		csd_wait(&csd);
	}
	preempt_enable();
	return 0;
}

int smp_call_function_single_async(int cpu, call_single_data_t *csd)
{
	if ((unsigned int)cpu >= nr_cpu_ids)
		return -ENXIO;
	if (csd->node.u_flags)
		return -EBUSY;
	if ((unsigned int)cpu == sim_cpu())
		call_here(csd->func, csd->info);
	else
		csd_send(cpu, csd, false);
	return 0;
}

void smp_call_function_many(const struct cpumask *mask, smp_call_func_t func,
			    void *info, bool wait)
{
	call_single_data_t *csd = sim_alloc(nr_cpu_ids * sizeof(*csd),
					    sim_node_of_cpu(sim_cpu()));
	unsigned int cpu;

	MUST(wait && !irqs_disabled());
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (cpu == sim_cpu() || !(mask->bits[cpu / 64] & BIT(cpu % 64)))
			continue;
		csd[cpu].func = func;
		csd[cpu].info = info;
		csd_send(cpu, &csd[cpu], true);
	}
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		csd_wait(&csd[cpu]);
	sim_free(csd);
}

/* linux/irq_work.h */

/* Pending until the function begins, busy until it has returned. */
#define PENDING	1
#define BUSY	2

static void irq_work_arrives(void *arg)
{
	struct irq_work *work = arg;

	work->node.u_flags = BUSY;
	work->func(work);
	/* It may have been queued again. */
	if (!(work->node.u_flags & PENDING))
		work->node.u_flags = 0;
}

bool irq_work_queue(struct irq_work *work)
{
	sim_rmw(&work->node);
	if (work->node.u_flags & PENDING)
		return false;
	work->node.u_flags = PENDING | BUSY;
	/* An interrupt of its own CPU. */
	sim_raise(sim_cpu(), sim_now() + sim_config.costs.irq_work,
		  irq_work_arrives, work);
	return true;
}

void irq_work_sync(struct irq_work *work)
{
	while (work->node.u_flags & BUSY)
		shim_sleep(SIM_US);
}

/* linux/cpuhotplug.h */

#define SHIM_STATES	4

static struct {
	int (*startup)(unsigned int cpu, struct hlist_node *n);
} shim_states[SHIM_STATES];
static int shim_nr_states;

int cpuhp_setup_state_nocalls(enum cpuhp_state state, const char *name,
			      int (*startup)(unsigned int cpu),
			      int (*teardown)(unsigned int cpu))
{
	return state;
}

int cpuhp_setup_state_multi(enum cpuhp_state state, const char *name,
			    int (*startup)(unsigned int cpu, struct hlist_node *n),
			    int (*teardown)(unsigned int cpu, struct hlist_node *n))
{
	MUST(shim_nr_states < SHIM_STATES);
	shim_states[shim_nr_states].startup = startup;
	return shim_nr_states++;
}

int cpuhp_state_add_instance(enum cpuhp_state state, struct hlist_node *node)
{
	unsigned int cpu;
	int ret;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		ret = shim_states[state].startup(cpu, node);
		if (ret)
			return ret;
	}
	return 0;
}
