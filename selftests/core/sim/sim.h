/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulator: a machine of up to 256 CPUs in one thread, with caches.
 *
 * Sources of the kernel module are compiled unchanged with -fsanitize=thread
 * and linked without libtsan: each access to memory becomes a call of
 * __tsan_*(), which access.c defines. It charges the access to the clock of the
 * CPU of the accessing fiber, by the work of the caches (cache.c). Code that is
 * compiled without -fsanitize=thread is not charged.
 *
 * There is one thread of control: exactly one fiber runs at a time. Another one
 * may run at each access to memory that a CPU must order with others (a miss, a
 * read-modify-write, a barrier), and at any access once the CPU is more than
 * the slack ahead of the others. Functions here never let others run, unless
 * they say "May switch". So code without instrumentation needs no locks.
 *
 * Three kinds of context:
 *	setup	before sim_run(): accesses are not charged, no CPU has the lines
 *	fiber	has a CPU; includes interrupt handlers, which use the stack of
 *		the interrupted context
 *	event	a function of the event heap: has a time and no CPU, is not
 *		charged, must not block
 *
 * Time is in picoseconds since sim_init(). Each CPU has its own clock. The CPU
 * with the lowest clock runs first; so what a fiber sees was done at an earlier
 * time, except for hits within the slack.
 *
 * Same seed, configuration and program: same run, to the last bit. So nothing
 * may depend on a host address that is not in the arena or in the program's
 * data (which is linked without PIE), nor on a host clock.
 */
#ifndef _WSQ_SIM_H
#define _WSQ_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t sim_time;		/* picoseconds */

#define SIM_NS		1000ULL
#define SIM_US		1000000ULL
#define SIM_MS		1000000000ULL
#define SIM_NEVER	(~0ULL)

#define SIM_CPUS	256		/* at most */
#define SIM_NODES	16		/* at most */
#define SIM_LINE	64		/* bytes */
#define SIM_STACK	(64 << 10)	/* bytes of a fiber's stack, by default */

/* ---- the machine ---- */

/* The source of a line. */
enum sim_distance {
	SIM_SMT,		/* a sibling of the same core */
	SIM_CLUSTER,		/* a CPU of the same cluster */
	SIM_NODE,		/* of the same node */
	SIM_REMOTE,		/* of another node */
	SIM_MEMORY,		/* no CPU had it */
	SIM_DISTANCES
};

/**
 * struct sim_costs - picoseconds for each thing, see costs.def
 */
struct sim_costs {
#define SIM_COST(name, ps, source)	sim_time name;
#include "costs.def"
#undef SIM_COST
};

/**
 * struct sim_config - a run
 * @cpus: CPUs. Numbers are assigned node by node, cluster by cluster, siblings
 *	adjacent
 * @smt: threads of a core (1 or 2)
 * @cluster: CPUs that share a last-level cache
 * @node: CPUs of a node. There are (cpus + node - 1) / node nodes
 * @seed: for sim_random()
 * @slack: how far ahead of the others a CPU may run on hits
 * @still: simulated time without sim_progress() after which the run stands
 *	still
 * @slice: time after which a fiber yields to others of its CPU; 0: never
 * @stores: entries of a store buffer
 * @streams: consecutive misses that overlap, by prefetching; 1: none do
 * @stack: bytes of a fiber's stack, a power of two of pages
 * @profile: record where time is lost (sim_profile_print())
 * @costs: picoseconds for each thing
 */
struct sim_config {
	unsigned int cpus;
	unsigned int smt;
	unsigned int cluster;
	unsigned int node;
	uint64_t seed;
	sim_time slack;
	sim_time still;
	sim_time slice;
	unsigned int stores;
	unsigned int streams;
	unsigned int stack;
	bool profile;
	struct sim_costs costs;
};

/* 1 CPU, no SMT, clusters of 8, nodes of 32, slack 20 ns, costs of costs.def. */
void sim_config_default(struct sim_config *config);

/* --line-cost: multiplies the costs of lines and memory by @percent / 100. */
void sim_config_scale_lines(struct sim_config *config, unsigned int percent);

extern struct sim_config sim_config;	/* of this run; constant while it runs */

static inline unsigned int sim_node_of_cpu(unsigned int cpu)
{
	return cpu / sim_config.node;
}

static inline unsigned int sim_cluster_of_cpu(unsigned int cpu)
{
	return cpu / sim_config.cluster;
}

static inline unsigned int sim_nodes(void)
{
	return (sim_config.cpus + sim_config.node - 1) / sim_config.node;
}

/* Between different CPUs: %SIM_SMT to %SIM_REMOTE. */
enum sim_distance sim_distance(unsigned int a, unsigned int b);

/* ---- a run ---- */

enum sim_end {
	SIM_DONE,		/* sim_stop() was called */
	SIM_STOOD_STILL,	/* nothing can run, or nothing made progress */
};

/* A new machine; all allocations of the last one are freed. */
void sim_init(const struct sim_config *config);

/*
 * Runs fibers and events until sim_stop(). If nothing can run any more, or
 * sim_progress() was not called for @still: prints a report of all fibers to
 * stderr and returns %SIM_STOOD_STILL.
 */
enum sim_end sim_run(void);

/* The goal is reached: sim_run() returns once the caller next switches. */
void sim_stop(void);

/* Progress towards the end, e.g. a task was executed. */
void sim_progress(void);

/* Ends the program with a message and the state of all fibers. */
void sim_fail(const char *fmt, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/* Called by the report of a run that stands still. May be NULL. */
extern void (*sim_report)(void);

/* ---- time ---- */

/* The clock of the current CPU, or the time of the event. */
sim_time sim_now(void);

/* Current CPU. In setup and events: 0. */
unsigned int sim_cpu(void);

/* True in a fiber (and its interrupts), false in setup and events. */
bool sim_on_cpu(void);

/* Adds to the clock without a switch. For fixed costs. */
void sim_charge(sim_time ps);

/* Computes for so long, plus interrupts that come in between. May switch. */
void sim_compute(sim_time ps);

/* cpu_relax(): charged %relax, and others run first. May switch. */
void sim_relax(void);

/* smp_mb(): waits for the store buffer, charged as a locked instruction. May switch. */
void sim_mb(void);
/* smp_mb__after_atomic(): nothing on x86, see explore.c. May switch. */
void sim_mb_atomic(void);

/*
 * An access by code without instrumentation, e.g. one that the kernel makes on
 * the module's behalf: charged like the module's own. May switch.
 */
void sim_read(const void *addr, size_t size);
void sim_write(void *addr, size_t size);
/* ... by a locked instruction, which the caller executes after the call. */
void sim_rmw(void *addr);

/* ---- events ---- */

/**
 * struct sim_event - a function that is called at a time
 * @fn: the function; may arm the event again
 * @when: time; valid while armed
 * @pos: position in the heap, 0 while it is in none
 * @seq: of two at the same time, the one that was armed first runs first
 *
 * Embedded by the caller. May be armed, moved and cancelled from any context.
 */
struct sim_event {
	void (*fn)(struct sim_event *event);
	sim_time when;
	unsigned int pos;
	uint64_t seq;
};

/* Arms it, or moves it. A time in the past means now. */
void sim_event_at(struct sim_event *event, sim_time when);
/* Returns whether it was armed. */
bool sim_event_cancel(struct sim_event *event);

static inline bool sim_event_armed(const struct sim_event *event)
{
	return event->pos;
}

/* ---- fibers ---- */

enum sim_state {
	SIM_BLOCKED,		/* not woken */
	SIM_WAKING,		/* runnable from a time on */
	SIM_RUNNABLE,		/* waits for its CPU */
	SIM_RUNNING,		/* has its CPU */
	SIM_DEAD,
};

/**
 * struct sim_fiber - a thread of execution, bound to a CPU
 * @name: for reports
 * @cpu: its CPU, next or now
 * @prio: a fiber that becomes runnable preempts one of a lower priority
 * @state: see enum sim_state
 * @preempt: depth of sim_preempt_disable()
 * @data: the creator's, e.g. a task_struct
 * @sched_out: called when it leaves its CPU (@preempted: it could continue),
 *	NULL for none. On the CPU, interrupts off. Must not block
 * @sched_in: called when it gets its CPU, NULL for none
 *
 * The rest is internal to fiber.c.
 */
struct sim_fiber {
	const char *name;
	unsigned int cpu;
	int prio;
	enum sim_state state;
	unsigned int preempt;
	void *data;
	void (*sched_out)(struct sim_fiber *fiber, bool preempted);
	void (*sched_in)(struct sim_fiber *fiber);

	void (*fn)(void *arg);
	void *arg;
	void *sp;
	char *stack;
	sim_time since;
	struct sim_event wake;
	struct sim_fiber *next;
	struct sim_fiber *all;
};

/*
 * A fiber for @cpu, blocked. It ends when @fn returns; then the structure is
 * reused, so do not keep a pointer to it. @name is not copied.
 */
struct sim_fiber *sim_fiber_create(void (*fn)(void *arg), void *arg,
				   unsigned int cpu, const char *name);

/*
 * A blocked fiber becomes runnable at @when (now, if that has passed) on its
 * CPU. Returns false and does nothing if it is not blocked. Wake-ups are not
 * remembered, so check the condition, then call sim_block(), without an
 * instrumented access in between. Charges nothing: the caller adds wake_caller
 * and wake_latency.
 */
bool sim_fiber_wake(struct sim_fiber *fiber, sim_time when);

/* The current fiber; NULL in setup and events, and in an idle CPU's interrupts. */
struct sim_fiber *sim_self(void);

/* Blocks the current fiber until it is woken. Preemption and interrupts on. May switch. */
void sim_block(void);

/* Lets other runnable fibers of this CPU run first, if any. May switch. */
void sim_yield(void);

/*
 * Moves a fiber to @cpu. The current one continues there (may switch); a
 * runnable one waits there; a blocked one will wake there. One that runs on
 * another CPU is moved when it next leaves its CPU.
 */
void sim_fiber_move(struct sim_fiber *fiber, unsigned int cpu);

/* Runnable fibers that wait for @cpu, without the running one. */
unsigned int sim_waiting(unsigned int cpu);
/* The fiber that runs on @cpu; NULL if it idles. */
struct sim_fiber *sim_running(unsigned int cpu);
/* Should the current fiber yield (need_resched())? */
bool sim_need_resched(void);

/*
 * A fiber that should yield does so at its next access with preemption and
 * interrupts on, or in the sim_preempt_enable() that ends the last section.
 * Disable, save and the queries never switch; enable and restore may switch.
 */
void sim_preempt_disable(void);
void sim_preempt_enable(void);
unsigned int sim_preempt_count(void);

/* ---- interrupts ---- */

/*
 * @fn(@arg) is called on @cpu, at its first access, computation or idleness at
 *	or after @when at which it has interrupts on. In interrupt context:
 *	interrupts off, sim_in_irq() true, must not block. Charged ipi_victim
 *	beside its own accesses; the caller adds ipi_latency to @when where it
 *	applies. Any context.
 */
void sim_raise(unsigned int cpu, sim_time when, void (*fn)(void *arg),
	       void *arg);
/* The same, but nothing is charged beside the handler (a timer, irq_work). */
void sim_raise_cheap(unsigned int cpu, sim_time when, void (*fn)(void *arg),
		     void *arg);
/* The same with interrupts off as well, even in a handler: an NMI. */
void sim_raise_nmi(unsigned int cpu, sim_time when, void (*fn)(void *arg),
		   void *arg);

/* Returns whether they were on. */
bool sim_irq_save(void);
/* Pending interrupts are taken at once. */
void sim_irq_restore(bool on);
bool sim_irqs_on(void);
/* Depth of handlers on this CPU. */
unsigned int sim_in_irq(void);
bool sim_in_nmi(void);

/* ---- memory ---- */

/*
 * Zeroed memory of @node, placed as by the kernel's slab: sizes are rounded up
 * to 8, 16, 32, 64, 96, 128, 192, 256, 512, ... 8192, larger ones to a power of
 * two of pages. An object of a slab is at a multiple of its rounded size, so
 * neighbours share lines as in the kernel. Never NULL. Charges nothing.
 */
void *sim_alloc(size_t size, unsigned int node);
/* Cache-line aligned for any size, as SLAB_HWCACHE_ALIGN. */
void *sim_alloc_lines(size_t size, unsigned int node);
/* Whole pages, never shared. */
void *sim_alloc_pages(size_t size, unsigned int node);
/* Have pages that are freed one by one. They are joined never again. */
void sim_split_pages(void *mem);
void sim_free(void *mem);
/* The memory that an object of this size occupies. */
size_t sim_alloc_size(size_t size);
/* Node of an address of the arena; of globals: 0. */
unsigned int sim_node_of(const void *mem);

/*
 * Per-CPU memory: one object for each CPU, on its node, at the same offset of
 * each CPU's area, as in the kernel. @base stands for the object of CPU 0.
 */
void *sim_percpu_alloc(size_t size, size_t align);
void *sim_percpu_ptr(const void *base, unsigned int cpu);

/* Names [@mem, @mem + @size) in profiles, by a struct or any name. */
void sim_name(const void *mem, size_t size, const char *type);

/* ---- random numbers ---- */

uint64_t sim_random(void);
/* Restarts the random numbers with @seed. */
void sim_random_begin(uint64_t seed);
/* 0 to @n - 1. */
uint64_t sim_random_below(uint64_t n);

/* ---- costs ---- */

/**
 * struct sim_stats - of a CPU, or of all
 * @lines: lines that it had to fetch, by their source
 * @upgrades: lines that it had shared and needed exclusively
 * @hits: accesses that found their line
 * @locked: locked instructions, barriers included
 * @blocks: basic blocks of instrumented code that it executed
 * @stall: total time lost for lines (without hits)
 * @queued: time that requests wait behind those of other CPUs for the same
 *	line, including requests of the store buffer, for which no CPU waits
 * @drain: of @stall, for the store buffer
 * @computed: time in sim_compute()
 * @idle: time without a fiber
 * @switches: fibers that it began
 * @irqs: interrupts that it took
 */
struct sim_stats {
	uint64_t lines[SIM_DISTANCES];
	uint64_t upgrades;
	uint64_t hits;
	uint64_t locked;
	uint64_t blocks;
	sim_time stall;
	sim_time queued;
	sim_time drain;
	sim_time computed;
	sim_time idle;
	uint64_t switches;
	uint64_t irqs;
};

/* Since sim_init() or sim_stats_reset(). */
const struct sim_stats *sim_stats(unsigned int cpu);
void sim_stats_sum(struct sim_stats *sum);
void sim_stats_reset(void);

/* Prints where time was lost, as JSON lines to stdout: for ./profile. */
void sim_profile_print(void);

#ifdef __cplusplus
}
#endif

#endif /* _WSQ_SIM_H */
