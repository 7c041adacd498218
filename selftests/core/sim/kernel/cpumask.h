/* SPDX-License-Identifier: GPL-2.0 */
/*
 * linux/cpumask.h, nodemask.h, topology.h, percpu.h, numa.h: all CPUs of the
 * simulated machine are online from the start and stay so. Masks have the size
 * they have with CONFIG_CPUMASK_OFFSTACK, so that kmalloc() places them as the
 * kernel's does.
 */
#ifndef _WSQ_SIM_CPUMASK_H
#define _WSQ_SIM_CPUMASK_H

#include "../sim.h"
#include "atomic.h"

extern unsigned int nr_cpu_ids;
extern unsigned int nr_node_ids;

struct cpumask {
	unsigned long bits[BITS_TO_LONGS(SIM_CPUS)];
};

typedef struct cpumask *cpumask_var_t;

extern struct cpumask shim_cpus;	/* all CPUs */

#define cpu_possible_mask	((const struct cpumask *)&shim_cpus)
#define cpu_online_mask		((const struct cpumask *)&shim_cpus)
#define to_cpumask(bits)	((struct cpumask *)(bits))
#define cpumask_bits(mask)	((mask)->bits)
#define cpu_possible(cpu)	((cpu) < nr_cpu_ids)
#define cpu_online(cpu)		((unsigned int)(cpu) < nr_cpu_ids)
#define cpu_dying(cpu)		false
#define num_possible_cpus()	nr_cpu_ids
#define num_online_cpus()	nr_cpu_ids
#define for_each_possible_cpu(cpu)	\
	for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)
#define for_each_online_cpu(cpu)	for_each_possible_cpu(cpu)
#define for_each_cpu(cpu, mask)						\
	for ((cpu) = cpumask_first(mask); (cpu) < nr_cpu_ids;		\
	     (cpu) = cpumask_next((int)(cpu), mask))
#define for_each_cpu_wrap(cpu, mask, start)				\
	for (unsigned int __i = 0; __i < nr_cpu_ids; __i++)		\
		if ((cpu) = ((start) + __i) % nr_cpu_ids,		\
		    cpumask_test_cpu(cpu, mask))

static inline unsigned int cpumask_size(void)
{
	return BITS_TO_LONGS(nr_cpu_ids) * sizeof(long);
}

static inline unsigned int cpumask_next(int cpu, const struct cpumask *m)
{
	return find_next_bit(m->bits, nr_cpu_ids, cpu + 1);
}

static inline unsigned int cpumask_first(const struct cpumask *m)
{
	return find_next_bit(m->bits, nr_cpu_ids, 0);
}

static inline bool cpumask_test_cpu(unsigned int cpu, const struct cpumask *m)
{
	return test_bit(cpu, m->bits);
}

static inline void cpumask_set_cpu(unsigned int cpu, struct cpumask *m)
{
	set_bit(cpu, m->bits);
}

static inline void cpumask_clear_cpu(unsigned int cpu, struct cpumask *m)
{
	clear_bit(cpu, m->bits);
}

static inline bool cpumask_empty(const struct cpumask *m)
{
	return cpumask_first(m) >= nr_cpu_ids;
}

static inline unsigned int cpumask_any_but(const struct cpumask *m,
					   unsigned int but)
{
	unsigned int cpu;

	for_each_cpu(cpu, m)
		if (cpu != but)
			break;
	return cpu;
}

#define SIM_CPUMASK_WORDS(i)	for ((i) = 0; (i) < BITS_TO_LONGS(nr_cpu_ids); (i)++)

static inline bool cpumask_and(struct cpumask *to, const struct cpumask *a,
			       const struct cpumask *b)
{
	unsigned long any = 0;
	unsigned int i;

	SIM_CPUMASK_WORDS(i)
		any |= to->bits[i] = a->bits[i] & b->bits[i];
	return any;
}

static inline void cpumask_copy(struct cpumask *to, const struct cpumask *from)
{
	unsigned int i;

	SIM_CPUMASK_WORDS(i)
		to->bits[i] = from->bits[i];
}

static inline void cpumask_clear(struct cpumask *m)
{
	unsigned int i;

	SIM_CPUMASK_WORDS(i)
		m->bits[i] = 0;
}

static inline bool cpumask_equal(const struct cpumask *a,
				 const struct cpumask *b)
{
	unsigned int i;

	SIM_CPUMASK_WORDS(i)
		if (a->bits[i] != b->bits[i])
			return false;
	return true;
}

static inline bool cpumask_intersects(const struct cpumask *a,
				      const struct cpumask *b)
{
	unsigned int i;

	SIM_CPUMASK_WORDS(i)
		if (a->bits[i] & b->bits[i])
			return true;
	return false;
}

static inline unsigned int cpumask_weight_and(const struct cpumask *a,
					      const struct cpumask *b)
{
	unsigned int i, n = 0;

	SIM_CPUMASK_WORDS(i)
		n += hweight64(a->bits[i] & b->bits[i]);
	return n;
}

#define cpumask_weight(mask)	cpumask_weight_and((mask), (mask))

bool zalloc_cpumask_var(cpumask_var_t *mask, gfp_t gfp);
#define alloc_cpumask_var(mask, gfp)	zalloc_cpumask_var(mask, gfp)
void free_cpumask_var(cpumask_var_t mask);
const struct cpumask *cpumask_of(unsigned int cpu);
int cpulist_parse(const char *list, struct cpumask *mask);

/* linux/sched/isolation.h: no CPU is isolated. */
#define HK_TYPE_TICK			0
#define HK_TYPE_DOMAIN			1
#define HK_TYPE_TIMER			2
#define housekeeping_cpumask(type)	cpu_possible_mask
#define housekeeping_enabled(type)	false
#define housekeeping_test_cpu(cpu, type)	true
#define housekeeping_any_cpu(type)	smp_processor_id()
#define cpuset_cpu_is_isolated(cpu)	false

/* linux/topology.h, nodemask.h, numa.h, asm/processor.h */
#define MAX_NUMNODES		1024
#define NUMA_NO_NODE		(-1)
#define node_possible(node)	((unsigned int)(node) < nr_node_ids)
#define node_online(node)	node_possible(node)
int cpu_to_node(unsigned int cpu);
int node_distance(int a, int b);
const struct cpumask *cpumask_of_node(int node);
const struct cpumask *topology_sibling_cpumask(unsigned int cpu);
int get_llc_id(unsigned int cpu);

/*
 * linux/percpu.h. A static variable is the template; each CPU has a copy in its
 * own memory.
 */
#define DEFINE_PER_CPU(type, name)	\
	__attribute__((section("sim_percpu"))) typeof(type) name
void *shim_percpu_ptr(const void *p, unsigned int cpu);
#define per_cpu_ptr(p, cpu)	((typeof(p))shim_percpu_ptr((p), (cpu)))
#define per_cpu(var, cpu)	(*per_cpu_ptr(&(var), (cpu)))
#define this_cpu_ptr(p)		per_cpu_ptr((p), smp_processor_id())
unsigned int smp_processor_id(void);
#define raw_smp_processor_id()	smp_processor_id()

#endif /* _WSQ_SIM_CPUMASK_H */
