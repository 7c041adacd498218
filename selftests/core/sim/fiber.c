// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated machine's CPUs: clocks, fibers, events, interrupts (sim.h).
 *
 * dispatch(), called on any stack, runs the events that are due and switches to
 * the fiber of the earliest CPU (event.c).
 *
 * Limitations: an event is not ordered with a CPU's hits within the slack
 * before it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../fuzz/shim/switch.h"
#include "machine.h"

SHIM_SWITCH_DEFINE;

struct sim_config sim_config;
struct sim_machine_cpu sim_cpus[SIM_CPUS];
struct sim_machine_cpu *sim_cur;
void (*sim_report)(void);

static sim_time event_now;	/* outside of fibers */
static sim_time progress;
static enum sim_end run_end;
static void *main_sp;
static struct sim_fiber *all_fibers, *dead_fibers;
static uint64_t random_state;

/* ---- configuration ---- */

void sim_config_default(struct sim_config *config)
{
	*config = (struct sim_config) {
		.cpus = 1, .smt = 1, .cluster = 8, .node = 32, .seed = 1,
		.slack = 20 * SIM_NS, .still = 1000 * SIM_MS,
		.slice = 3 * SIM_MS, .stores = 56,
		.streams = 8, .stack = SIM_STACK,
		.costs = {
#define SIM_COST(name, ps, source)	.name = ps,
#include "costs.def"
#undef SIM_COST
		},
	};
}

void sim_config_scale_lines(struct sim_config *config, unsigned int percent)
{
	struct sim_costs *c = &config->costs;
	sim_time *line[] = {
		&c->line_smt, &c->line_cluster, &c->line_node, &c->line_remote,
		&c->memory_local, &c->memory_remote, &c->serve_read,
	};
	unsigned int i;

	for (i = 0; i < sizeof(line) / sizeof(*line); i++)
		*line[i] = *line[i] * percent / 100;
}

enum sim_distance sim_distance(unsigned int a, unsigned int b)
{
	if (a / sim_config.smt == b / sim_config.smt)
		return SIM_SMT;
	if (sim_cluster_of_cpu(a) == sim_cluster_of_cpu(b))
		return SIM_CLUSTER;
	if (sim_node_of_cpu(a) == sim_node_of_cpu(b))
		return SIM_NODE;
	return SIM_REMOTE;
}

/* ---- random numbers: splitmix64 ---- */

void sim_random_begin(uint64_t seed)
{
	random_state = seed;
}

uint64_t sim_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

uint64_t sim_random_below(uint64_t n)
{
	return (uint64_t)((unsigned __int128)sim_random() * n >> 64);
}

/* ---- failure ---- */

static const char *const state_name[] = {
	"blocked", "waking", "runnable", "running", "dead"
};

static void report(void)
{
	const struct sim_fiber *f;
	unsigned int i;

	for (f = all_fibers; f; f = f->all) {
		if (f->state != SIM_DEAD)
			fprintf(stderr, "  fiber %s: CPU %u, %s\n", f->name,
				f->cpu, state_name[f->state]);
	}
	for (i = 0; i < sim_config.cpus; i++) {
		const struct sim_machine_cpu *cpu = &sim_cpus[i];

		if (cpu->pending || cpu->cur != &cpu->idle)
			fprintf(stderr, "  CPU %u: at %.3f us, %s, interrupts %s%s\n",
				i, (double)cpu->clock / SIM_US, cpu->cur->name,
				cpu->irq_on ? "on" : "off",
				cpu->pending ? ", some pending" : "");
	}
	if (sim_report)
		sim_report();
}

void sim_fail(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "FAIL at %.3f us on CPU %u: ", (double)sim_now() / SIM_US,
		sim_cpu());
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	report();
	exit(3);
}

/* ---- control ---- */

static void still(const char *why)
{
	fprintf(stderr, "STOOD STILL at %.3f us: %s\n", (double)event_now / SIM_US,
		why);
	report();
	run_end = SIM_STOOD_STILL;
}

/*
 * Runs whatever is next. @sp: where to save the current stack pointer; the CPU
 * of the current fiber has been queued where it belongs.
 */
static void dispatch(void **sp)
{
	struct sim_machine_cpu *cpu;
	void **next = &main_sp;

	if (sim_cur)
		sim_view_leave();
	sim_cur = NULL;
	for (;;) {
		if (sim_stopped) {
			run_end = SIM_DONE;
			break;
		}
		if (!sim_nr_cpu_heap && !sim_nr_event_heap) {
			still("nothing can run any more");
			break;
		}
		if (sim_nr_event_heap && (!sim_nr_cpu_heap ||
				      sim_event_heap[1]->when <= sim_cpu_heap[1]->key)) {
			struct sim_event *event = sim_event_heap[1];

			if (event->when > event_now)
				event_now = event->when;
			if (event_now > progress + sim_config.still) {
				still("no progress");
					break;
			}
			sim_event_remove(event);
			event->fn(event);
			continue;
		}
		cpu = sim_cpu_pop();
		if (cpu->key > cpu->clock)
			cpu->clock = cpu->key;
		if (cpu->clock > event_now)
			event_now = cpu->clock;
		if (cpu->clock > progress + sim_config.still) {
			still("no progress");
			break;
		}
		sim_cur = cpu;
		next = &cpu->cur->sp;
		sim_look_ahead();
		sim_view_enter();
		break;
	}
	if (next != sp)
		shim_switch(sp, *next);
}

enum sim_end sim_run(void)
{
	unsigned int i;

	sim_stopped = false;
	progress = event_now;
	for (i = 0; i < sim_config.cpus; i++)
		sim_cpus[i].idle_since = event_now;
	dispatch(&main_sp);
	sim_cur = NULL;
	return run_end;
}

void sim_stop(void)
{
	sim_stopped = true;
	sim_look_ahead();
}

void sim_progress(void)
{
	progress = sim_now();
}

sim_time sim_now(void)
{
	return sim_cur ? sim_cur->clock : event_now;
}

unsigned int sim_cpu(void)
{
	return sim_cur ? sim_cur->nr : 0;
}

bool sim_on_cpu(void)
{
	return sim_cur;
}

/* The running CPU continues at @when; earlier CPUs run first. */
static void pause_until(struct sim_machine_cpu *cpu, sim_time when)
{
	sim_cpu_push(cpu, when);
	dispatch(&cpu->cur->sp);
}

/* ---- fibers ---- */

struct sim_fiber *sim_self(void)
{
	if (!sim_cur || sim_cur->cur == &sim_cur->idle)
		return NULL;
	return sim_cur->cur;
}

static struct sim_fiber *take_first(struct sim_machine_cpu *cpu)
{
	struct sim_fiber *f = cpu->first;

	if (f) {
		cpu->first = f->next;
		cpu->waiting--;
	}
	return f;
}

/* Makes it runnable: after those of the same priority, or before them. */
static void enqueue(struct sim_fiber *f, sim_time when, bool before)
{
	struct sim_machine_cpu *cpu = &sim_cpus[f->cpu];
	struct sim_fiber **at = &cpu->first;

	f->state = SIM_RUNNABLE;
	while (*at && (before ? (*at)->prio > f->prio : (*at)->prio >= f->prio))
		at = &(*at)->next;
	f->next = *at;
	*at = f;
	cpu->waiting++;
	if (when < cpu->clock)
		when = cpu->clock;
	if (cpu->cur == &cpu->idle) {
		if (cpu == sim_cur)
			;
		else if (!cpu->pos)
			sim_cpu_push(cpu, when);
		else if (when < cpu->key) {
			cpu->key = when;
			sim_cpu_up(cpu);
		}
	} else if (f->prio > cpu->cur->prio) {
		cpu->resched = true;
		if (cpu->computing && cpu->pos && when < cpu->key) {
			cpu->key = when;
			sim_cpu_up(cpu);
		}
	}
	sim_look_ahead();
}

/* Switches from one fiber of this CPU to the next, or to idling. */
static void switch_to_next(struct sim_machine_cpu *cpu)
{
	struct sim_fiber *prev = cpu->cur, *next = take_first(cpu);

	cpu->resched = false;
	if (!next)
		next = &cpu->idle;
	if (next != &cpu->idle) {
		next->state = SIM_RUNNING;
		cpu->stats.switches++;
		if (prev != &cpu->idle)
			cpu->clock += sim_config.costs.switch_to;
	}
	cpu->began = cpu->clock;
	sim_view_drain();
	cpu->cur = next;
	sim_look_ahead();
	if (next != prev)
		shim_switch(&prev->sp, next->sp);
	/* Back, some time later. */
	if (cpu != sim_cur)
		cpu = sim_cur;
	if (cpu->cur->sched_in)
		cpu->cur->sched_in(cpu->cur);
}

static void leave_cpu(struct sim_fiber *f, bool preempted)
{
	if (f->sched_out)
		f->sched_out(f, preempted);
}

/*
 * Queues the current fiber behind others of the same priority, or in front of
 * them if it is preempted before its slice has ended.
 */
static void give_way(bool preempted)
{
	struct sim_machine_cpu *cpu = sim_cur;
	struct sim_fiber *f = cpu->cur;
	bool ended = sim_config.slice &&
		     cpu->clock >= cpu->began + sim_config.slice;

	leave_cpu(f, preempted);
	enqueue(f, cpu->clock, cpu->resched && !ended);
	switch_to_next(cpu);
}

static void must_sleep(const char *what)
{
	if (!sim_self() || sim_cur->in_irq || !sim_cur->irq_on ||
	    sim_cur->cur->preempt)
		sim_fail("%s where that is not allowed (interrupt %u, interrupts %s, preemption %u)",
			 what, sim_cur ? sim_cur->in_irq : 0,
			 sim_cur && sim_cur->irq_on ? "on" : "off",
			 sim_cur && sim_cur->cur ? sim_cur->cur->preempt : 0);
}

void sim_block(void)
{
	must_sleep("sim_block()");
	sim_cur->cur->state = SIM_BLOCKED;
	leave_cpu(sim_cur->cur, false);
	switch_to_next(sim_cur);
}

void sim_yield(void)
{
	must_sleep("sim_yield()");
	sim_cur->resched = false;
	if (sim_cur->waiting)
		give_way(true);
	sim_order();
}

static void woken(struct sim_event *event)
{
	struct sim_fiber *f = (struct sim_fiber *)
		((char *)event - offsetof(struct sim_fiber, wake));

	enqueue(f, event->when, false);
}

bool sim_fiber_wake(struct sim_fiber *f, sim_time when)
{
	if (f->state != SIM_BLOCKED)
		return false;
	f->state = SIM_WAKING;
	f->wake.fn = woken;
	sim_event_at(&f->wake, when);
	return true;
}

void sim_fiber_move(struct sim_fiber *f, unsigned int to)
{
	unsigned int from = f->cpu;
	struct sim_fiber **at;

	if (to >= sim_config.cpus)
		sim_fail("no CPU %u", to);
	if (f == sim_self()) {
		must_sleep("sim_fiber_move()");
		f->cpu = to;
		if (to != sim_cur->nr)
			give_way(false);
		return;
	}
	f->cpu = to;
	if (f->state != SIM_RUNNABLE || from == to)
		return;
	for (at = &sim_cpus[from].first; *at; at = &(*at)->next) {
		if (*at != f)
			continue;
		*at = f->next;
		sim_cpus[from].waiting--;
		enqueue(f, sim_now(), false);
		return;
	}
}

unsigned int sim_waiting(unsigned int cpu)
{
	return sim_cpus[cpu].waiting;
}

struct sim_fiber *sim_running(unsigned int cpu)
{
	struct sim_fiber *f = sim_cpus[cpu].cur;

	return f == &sim_cpus[cpu].idle ? NULL : f;
}

bool sim_need_resched(void)
{
	struct sim_machine_cpu *cpu = sim_cur;

	if (cpu && cpu->waiting && sim_config.slice &&
	    cpu->clock >= cpu->began + sim_config.slice)
		cpu->resched = true;
	return cpu && cpu->resched;
}

/* The first function on a fiber's stack. */
static void fiber_main(void)
{
	struct sim_fiber *f = sim_cur->cur;

	if (f->sched_in)
		f->sched_in(f);
	f->fn(f->arg);
	f = sim_cur->cur;
	must_sleep("the end of a fiber");
	leave_cpu(f, false);
	f->state = SIM_DEAD;
	f->next = dead_fibers;
	dead_fibers = f;
	switch_to_next(sim_cur);
	__builtin_trap();
}

struct sim_fiber *sim_fiber_create(void (*fn)(void *arg), void *arg,
				   unsigned int cpu, const char *name)
{
	struct sim_fiber *f = dead_fibers, *all;
	char *stack;

	if (cpu >= sim_config.cpus)
		sim_fail("no CPU %u", cpu);
	if (f) {
		dead_fibers = f->next;
		stack = f->stack;
		all = f->all;
	} else {
		f = malloc(sizeof(*f));
		if (!f)
			abort();
		stack = sim_stack_alloc(sim_node_of_cpu(cpu));
		all = all_fibers;
		all_fibers = f;
	}
	memset(f, 0, sizeof(*f));
	f->name = name;
	f->cpu = cpu;
	f->fn = fn;
	f->arg = arg;
	f->stack = stack;
	f->all = all;
	f->sp = shim_switch_begin(stack, sim_config.stack, fiber_main);
	return f;
}

/* ---- interrupts ---- */

static struct sim_pending *deliverable(struct sim_machine_cpu *cpu,
				       struct sim_pending ***at)
{
	for (*at = &cpu->pending; **at; *at = &(**at)->next) {
		struct sim_pending *p = **at;

		if (p->when > cpu->clock)
			break;
		if (p->nmi ? !cpu->in_nmi : cpu->irq_on)
			return p;
	}
	return NULL;
}

static void take_interrupts(struct sim_machine_cpu *cpu)
{
	struct sim_pending **at, *p;
	bool on = cpu->irq_on;

	while ((p = deliverable(cpu, &at))) {
		struct sim_pending irq = *p;

		*at = p->next;
		free(p);
		cpu->irq_on = false;
		cpu->in_irq++;
		cpu->in_nmi += irq.nmi;
		cpu->stats.irqs++;
		cpu->clock += irq.cost;
		sim_look_ahead();
		irq.fn(irq.arg);
		cpu->in_nmi -= irq.nmi;
		cpu->in_irq--;
		cpu->irq_on = on;
		sim_look_ahead();
	}
}

static void raise(unsigned int nr, sim_time when, void (*fn)(void *arg),
		  void *arg, bool nmi, sim_time cost)
{
	struct sim_machine_cpu *cpu = &sim_cpus[nr];
	struct sim_pending *p = malloc(sizeof(*p)), **at;

	if (!p || nr >= sim_config.cpus)
		abort();
	if (when < sim_now())
		when = sim_now();
	*p = (struct sim_pending) {
		.when = when, .fn = fn, .arg = arg, .nmi = nmi, .cost = cost,
	};
	for (at = &cpu->pending; *at && (*at)->when <= when; at = &(*at)->next)
		;
	p->next = *at;
	*at = p;
	if (when < cpu->clock)
		when = cpu->clock;
	if (cpu != sim_cur && (nmi || cpu->irq_on)) {
		if (cpu->cur == &cpu->idle && !cpu->pos) {
			if (!cpu->in_irq)
				sim_cpu_push(cpu, when);
		} else if (cpu->pos && when < cpu->key &&
			   (cpu->cur == &cpu->idle || cpu->computing)) {
			cpu->key = when;
			sim_cpu_up(cpu);
		}
	}
	sim_look_ahead();
}

void sim_raise(unsigned int cpu, sim_time when, void (*fn)(void *arg), void *arg)
{
	raise(cpu, when, fn, arg, false, sim_config.costs.ipi_victim);
}

void sim_raise_cheap(unsigned int cpu, sim_time when, void (*fn)(void *arg),
		     void *arg)
{
	raise(cpu, when, fn, arg, false, 0);
}

void sim_raise_nmi(unsigned int cpu, sim_time when, void (*fn)(void *arg),
		   void *arg)
{
	raise(cpu, when, fn, arg, true, sim_config.costs.ipi_victim);
}

bool sim_irq_save(void)
{
	bool on;

	if (!sim_cur)
		return true;
	on = sim_cur->irq_on;
	sim_cur->irq_on = false;
	sim_look_ahead();
	return on;
}

void sim_irq_restore(bool on)
{
	if (!sim_cur)
		return;
	sim_cur->irq_on = on;
	sim_look_ahead();
	if (sim_cur->clock >= sim_limit)
		sim_look();
}

bool sim_irqs_on(void)
{
	return !sim_cur || sim_cur->irq_on;
}

unsigned int sim_in_irq(void)
{
	return sim_cur ? sim_cur->in_irq : 0;
}

bool sim_in_nmi(void)
{
	return sim_cur && sim_cur->in_nmi;
}

void sim_preempt_disable(void)
{
	if (sim_cur)
		sim_cur->cur->preempt++;
}

static bool may_preempt(const struct sim_machine_cpu *cpu)
{
	return sim_need_resched() && cpu->irq_on && !cpu->in_irq &&
	       cpu->cur != &cpu->idle && !cpu->cur->preempt;
}

void sim_preempt_enable(void)
{
	if (!sim_cur)
		return;
	if (!sim_cur->cur->preempt--)
		sim_fail("sim_preempt_enable() without disable");
	if (may_preempt(sim_cur))
		give_way(true);
}

unsigned int sim_preempt_count(void)
{
	return sim_cur ? sim_cur->cur->preempt : 0;
}

/* ---- time ---- */

void sim_look(void)
{
	struct sim_machine_cpu *cpu = sim_cur;

	if (sim_stopped) {
		/* The run is over. */
		dispatch(&cpu->cur->sp);
		__builtin_trap();
	}
	take_interrupts(cpu);
	if (may_preempt(cpu)) {
		give_way(true);
		cpu = sim_cur;
	}
	if (sim_horizon < SIM_NEVER - sim_config.slack &&
	    cpu->clock > sim_horizon + sim_config.slack)
		pause_until(cpu, cpu->clock);
	/* A blocked request must not cause a check at each access. */
	if (cpu->resched || (sim_config.slice && cpu->waiting)) {
		cpu = sim_cur;
		sim_limit = sim_horizon < SIM_NEVER - sim_config.slack ?
			    sim_horizon + sim_config.slack : SIM_NEVER;
		if (sim_limit > cpu->clock + 10 * SIM_NS)
			sim_limit = cpu->clock + 10 * SIM_NS;
	}
}

void sim_order(void)
{
	for (;;) {
		if (sim_stopped)
			sim_look();
		if (sim_cur->clock > sim_horizon)
			pause_until(sim_cur, sim_cur->clock);
		if (sim_cur->pending || sim_cur->resched || sim_cur->waiting) {
			struct sim_pending **at;

			if (deliverable(sim_cur, &at) || may_preempt(sim_cur)) {
				sim_look();
				continue;
			}
		}
		if (sim_cur->clock <= sim_horizon)
			return;
	}
}

void sim_charge(sim_time ps)
{
	if (sim_cur)
		sim_cur->clock += ps;
}

void sim_compute(sim_time ps)
{
	struct sim_machine_cpu *cpu = sim_cur;
	sim_time end, key, before;
	struct sim_pending *p;

	if (!cpu)
		return;
	cpu->stats.computed += ps;
	end = cpu->clock + ps;
	while (cpu->clock < end) {
		key = end;
		for (p = cpu->pending; p; p = p->next) {
			if (!(p->nmi ? !cpu->in_nmi : cpu->irq_on))
				continue;
			if (p->when < key)
				key = p->when;
			break;
		}
		if (cpu->waiting && sim_config.slice && !cpu->cur->preempt &&
		    cpu->began + sim_config.slice < key)
			key = cpu->began + sim_config.slice;
		if (key < cpu->clock)
			key = cpu->clock;
		if (key <= sim_horizon && !sim_stopped) {
			cpu->clock = key;
		} else {
			cpu->computing = true;
			pause_until(cpu, key);
			cpu->computing = false;
		}
		before = cpu->clock;
		take_interrupts(cpu);
		if (may_preempt(cpu)) {
			sim_time left = end - before;

			give_way(true);
			/* Possibly on another CPU. */
			cpu = sim_cur;
			end = cpu->clock + left;
		} else {
			end += cpu->clock - before;
		}
	}
}

void sim_relax(void)
{
	if (!sim_cur)
		return;
	sim_cur->clock += sim_config.costs.relax;
	sim_order();
}

/* ---- a machine ---- */

/* A CPU without fibers takes interrupts. */
static void idle_main(void)
{
	for (;;) {
		struct sim_machine_cpu *cpu = sim_cur;

		take_interrupts(cpu);
		if (cpu->first) {
			cpu->stats.idle += cpu->clock - cpu->idle_since;
			switch_to_next(cpu);
			/* The last fiber has left. */
			sim_cur->idle_since = sim_cur->clock;
			continue;
		}
		if (cpu->pending && cpu->pending->when > cpu->clock)
			sim_cpu_push(cpu, cpu->pending->when);
		dispatch(&cpu->cur->sp);
	}
}

void sim_init(const struct sim_config *config)
{
	unsigned int i;

	if (!config->cpus || config->cpus > SIM_CPUS || !config->smt ||
	    !config->cluster || !config->node ||
	    (config->cpus + config->node - 1) / config->node > SIM_NODES ||
	    !config->stores || config->stores > SIM_STORES || !config->streams) {
		fprintf(stderr, "sim: no such machine\n");
		exit(2);
	}
	while (all_fibers) {
		struct sim_fiber *f = all_fibers;

		all_fibers = f->all;
		free(f);
	}
	dead_fibers = NULL;
	for (i = 0; i < SIM_CPUS; i++) {
		while (sim_cpus[i].pending) {
			struct sim_pending *p = sim_cpus[i].pending;

			sim_cpus[i].pending = p->next;
			free(p);
		}
	}
	event_now = 0;
	progress = 0;
	sim_cur = NULL;
	sim_events_init();
	sim_config = *config;
	random_state = config->seed;
	memset(sim_cpus, 0, sizeof(sim_cpus));
	sim_arena_init();
	sim_cache_init();
	sim_profile_init();
	for (i = 0; i < config->cpus; i++) {
		struct sim_machine_cpu *cpu = &sim_cpus[i];

		cpu->nr = i;
		cpu->irq_on = true;
		cpu->cur = &cpu->idle;
		cpu->idle.name = "idle";
		cpu->idle.cpu = i;
		cpu->idle.prio = -1000;
		cpu->idle.state = SIM_RUNNING;
		cpu->idle.stack = sim_stack_alloc(sim_node_of_cpu(i));
		cpu->idle.sp = shim_switch_begin(cpu->idle.stack, sim_config.stack,
						 idle_main);
	}
	sim_look_ahead();
}

/* ---- statistics ---- */

const struct sim_stats *sim_stats(unsigned int cpu)
{
	return &sim_cpus[cpu].stats;
}

void sim_stats_sum(struct sim_stats *sum)
{
	unsigned int i, k;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < sim_config.cpus; i++) {
		for (k = 0; k < sizeof(*sum) / sizeof(uint64_t); k++)
			((uint64_t *)sum)[k] += ((uint64_t *)&sim_cpus[i].stats)[k];
	}
}

void sim_stats_reset(void)
{
	unsigned int i;

	for (i = 0; i < sim_config.cpus; i++)
		memset(&sim_cpus[i].stats, 0, sizeof(sim_cpus[i].stats));
}
