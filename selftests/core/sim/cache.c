// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated machine's caches: which CPU has which line, and the cost of an
 * access.
 *
 * Directory MESI. Each line knows its owner (one CPU, modified or exclusive) or
 * its sharers. A miss is a request to the line's home, which takes a third of
 * the line's cost, and a forward and reply, which take the rest. Requests for
 * one line are served one after the other: a request that changes the owner
 * holds the line until the data has arrived (and, for a locked instruction,
 * until that is done), one that shares the line for serve_read. So N CPUs that
 * add to a word get it at two thirds of a transfer each, while their requests
 * travel in parallel.
 *
 * Stores are as on x86: they wait in a buffer, in order, and the CPU goes on.
 * Their lines are requested at once. The CPU waits when the buffer is full, and
 * at a barrier or locked instruction until it is empty. The value is in memory
 * at once; a CPU that reads it waits for the line until the store would have
 * had it.
 *
 * Before a miss or a locked instruction the CPU lets all earlier CPUs run first
 * (sim_order()), and only then looks at the state of the line.
 *
 * Limitations: caches have unlimited capacity, so a line stays until another
 * CPU takes it. Misses overlap only where lines are read in ascending order: a
 * prefetcher has then requested the next lines, and each costs only its share
 * (sim_config.streams). The prefetcher never fetches a line that is not read in
 * the end. Siblings have separate caches, which are near to each other. The
 * interconnect's bandwidth is unlimited. Requests for a line are served in the
 * order in which they were made; the nearest has no advantage.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine.h"

#define NO_OWNER	(-1)

/* The request's share of a transfer: one hop of three. */
#define REQUEST(cost)	((cost) / 3)

/**
 * struct line - a cache line
 * @busy: when its home can serve the next request
 * @sharers: CPUs that have it, the owner included
 * @owner: exclusive owner's CPU plus one; 0: none
 */
struct line {
	sim_time busy;
	uint64_t sharers[SIM_WORDS];
	uint32_t owner;
	uint32_t pad[5];
};

_Static_assert(sizeof(struct line) == SIM_LINE, "as many bytes as a line: see line_of()");

extern char __executable_start[], _end[];

static char *arena_lines, *global_lines;
static size_t global_size;

/* By CPU: those of the same core, cluster, node. */
static uint64_t near[3][SIM_CPUS][SIM_WORDS];
static sim_time cost[SIM_DISTANCES];

static char *map_lines(char *old, size_t size)
{
	char *mem = old;

	if (old) {
		if (madvise(old, size, MADV_DONTNEED))
			abort();
		return old;
	}
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem == MAP_FAILED) {
		perror("sim: mmap");
		exit(2);
	}
	return mem;
}

void sim_cache_init(void)
{
	const struct sim_costs *c = &sim_config.costs;
	unsigned int a, b, d;

	global_size = ((size_t)(_end - __executable_start) / SIM_LINE + 2) *
		      sizeof(struct line);
	global_lines = map_lines(global_lines, global_size);
	arena_lines = map_lines(arena_lines, SIM_ARENA_SIZE);
	cost[SIM_SMT] = c->line_smt;
	cost[SIM_CLUSTER] = c->line_cluster;
	cost[SIM_NODE] = c->line_node;
	cost[SIM_REMOTE] = c->line_remote;
	memset(near, 0, sizeof(near));
	for (a = 0; a < sim_config.cpus; a++) {
		for (b = 0; b < sim_config.cpus; b++) {
			for (d = sim_distance(a, b); d < 3; d++)
				near[d][a][b / 64] |= 1ULL << b % 64;
		}
	}
}

static struct line *line_of(uintptr_t addr)
{
	uintptr_t at = addr - SIM_ARENA;

	if (__builtin_expect(at < SIM_ARENA_SIZE, 1))
		return (struct line *)(arena_lines + at / SIM_LINE * SIM_LINE);
	at = addr - ((uintptr_t)__executable_start & ~(uintptr_t)(SIM_LINE - 1));
	if (addr < (uintptr_t)__executable_start || addr >= (uintptr_t)_end)
		sim_fail("access to %#zx, which the simulator did not hand out",
			 (size_t)addr);
	return (struct line *)(global_lines + at / SIM_LINE * SIM_LINE);
}

static bool has(const struct line *l, unsigned int cpu)
{
	return l->sharers[cpu / 64] >> cpu % 64 & 1;
}

/* The nearest sharer of a line except the requester. */
static enum sim_distance nearest(const struct line *l, unsigned int cpu)
{
	unsigned int d, w;

	for (d = SIM_SMT; d < SIM_REMOTE; d++) {
		for (w = 0; w < SIM_WORDS; w++) {
			if (l->sharers[w] & near[d][cpu][w])
				return d;
		}
	}
	return SIM_REMOTE;
}

/* The farthest sharer: all of them have to answer. */
static enum sim_distance farthest(const struct line *l, unsigned int cpu)
{
	unsigned int d = SIM_REMOTE, w;

	for (; d > SIM_SMT; d--) {
		for (w = 0; w < SIM_WORDS; w++) {
			if (l->sharers[w] & ~near[d - 1][cpu][w])
				return d;
		}
	}
	return SIM_SMT;
}

static bool has_published(const struct line *l)
{
	uint64_t any = 0;
	unsigned int w;

	for (w = 0; w < SIM_WORDS; w++)
		any |= l->sharers[w];
	return any;
}

static sim_time memory_cost(uintptr_t addr, unsigned int cpu)
{
	return sim_node_of((void *)addr) == sim_node_of_cpu(cpu) ?
	       sim_config.costs.memory_local : sim_config.costs.memory_remote;
}

/*
 * The current CPU requests a line; returns when it gets it. @alone:
 * exclusively. @hold: how long it keeps the line at least.
 */
static sim_time request(struct line *l, uintptr_t addr, bool alone, sim_time hold)
{
	struct sim_machine_cpu *cpu = sim_cur;
	unsigned int me = cpu->nr;
	bool mine = has(l, me), transfer = alone || l->owner;
	sim_time c, arrive, start, done;
	enum sim_distance d;

	if (mine)
		l->sharers[me / 64] &= ~(1ULL << me % 64);
	if (l->owner) {
		d = sim_distance(me, l->owner - 1);
		c = cost[d];
	} else if (has_published(l)) {
		d = alone ? farthest(l, me) : nearest(l, me);
		c = cost[d];
	} else {
		d = SIM_MEMORY;
		c = mine ? 0 : memory_cost(addr, me);
	}
	if (mine)
		cpu->stats.upgrades++;
	else
		cpu->stats.lines[d]++;
	arrive = cpu->clock + REQUEST(c);
	start = arrive < l->busy ? l->busy : arrive;
	cpu->stats.queued += start - arrive;
	done = start + c - REQUEST(c);
	if (transfer)
		l->busy = done + hold;
	else
		l->busy = start + sim_config.costs.serve_read;

	if (alone) {
		memset(l->sharers, 0, sizeof(l->sharers));
		l->owner = me + 1;
	} else if (d == SIM_MEMORY) {
		l->owner = me + 1;
	} else {
		l->owner = 0;
	}
	l->sharers[me / 64] |= 1ULL << me % 64;
	return done;
}

static void stall_until(sim_time when, void *pc, uintptr_t addr)
{
	struct sim_machine_cpu *cpu = sim_cur;

	if (when <= cpu->clock)
		return;
	cpu->stats.stall += when - cpu->clock;
	if (sim_config.profile)
		sim_profile_note(pc, addr, when - cpu->clock);
	cpu->clock = when;
}

/* Is this the next line of a stream, which a prefetcher has requested? */
static bool streaming(uintptr_t addr)
{
	struct sim_machine_cpu *cpu = sim_cur;
	uintptr_t line = addr / SIM_LINE;
	unsigned int i;

	for (i = 0; i < SIM_STREAMS; i++) {
		if (cpu->stream[i] && cpu->stream[i] + 1 == line) {
			cpu->stream[i] = line;
			return true;
		}
	}
	cpu->stream[cpu->nr_streams++ % SIM_STREAMS] = line;
	return false;
}

static void hit(void)
{
	struct sim_machine_cpu *cpu = sim_cur;

	cpu->stats.hits++;
	cpu->clock += sim_config.costs.hit;
}

static void read_line(uintptr_t addr, void *pc)
{
	struct line *l = line_of(addr);

	if (!has(l, sim_cur->nr)) {
		sim_order();
		if (!has(l, sim_cur->nr)) {
			sim_time done = request(l, addr, false, 0);

			if (streaming(addr))
				done = sim_cur->clock + (done - sim_cur->clock) /
							sim_config.streams;
			stall_until(done, pc, addr);
			return;
		}
	}
	hit();
}

static void write_line(uintptr_t addr, void *pc)
{
	struct line *l = line_of(addr);
	struct sim_machine_cpu *cpu = sim_cur;
	sim_time done, *store;

	if (l->owner != cpu->nr + 1) {
		sim_order();
		cpu = sim_cur;
	}
	store = &cpu->store[cpu->nr_stores % sim_config.stores];
	if (*store > cpu->clock) {
		cpu->stats.drain += *store - cpu->clock;
		stall_until(*store, pc, addr);
	}
	if (l->owner != cpu->nr + 1) {
		done = request(l, addr, true, 0);
		cpu->clock += sim_config.costs.hit;
	} else {
		hit();
		done = cpu->clock;
	}
	if (done > cpu->drained)
		cpu->drained = done;
	*store = cpu->drained;
	cpu->nr_stores++;
}

static void drain(void *pc, uintptr_t addr)
{
	struct sim_machine_cpu *cpu = sim_cur;

	if (cpu->drained > cpu->clock) {
		cpu->stats.drain += cpu->drained - cpu->clock;
		stall_until(cpu->drained, pc, addr);
	}
	cpu->stats.locked++;
}

void sim_cache_rmw(uintptr_t addr, void *pc)
{
	struct line *l = line_of(addr);
	const sim_time locked = sim_config.costs.locked;

	sim_order();
	drain(pc, addr);
	/* That took time; others may have been earlier. */
	sim_order();
	if (l->owner != sim_cur->nr + 1)
		stall_until(request(l, addr, true, locked), pc, addr);
	else
		sim_cur->stats.hits++;
	sim_cur->clock += locked;
}

void sim_cache_mb(void *pc)
{
	sim_order();
	drain(pc, 0);
	sim_cur->clock += sim_config.costs.locked;
	sim_order();
}

static void each_line(uintptr_t addr, size_t size, void *pc,
		      void (*fn)(uintptr_t addr, void *pc))
{
	uintptr_t end = addr + size;

	do {
		fn(addr, pc);
		addr = (addr | (SIM_LINE - 1)) + 1;
	} while (addr < end);
}

/* Before an access: nothing may come between its charge and the access. */
static void look(void)
{
	if (__builtin_expect(sim_cur->clock >= sim_limit, 0))
		sim_look();
}

void sim_cache_read(uintptr_t addr, size_t size, void *pc)
{
	look();
	each_line(addr, size, pc, read_line);
}

void sim_cache_write(uintptr_t addr, size_t size, void *pc)
{
	look();
	each_line(addr, size, pc, write_line);
}

void sim_cache_mb_atomic(void *pc)
{
	(void)pc;
}

bool sim_cache_void_rmw(uintptr_t addr, size_t size, enum sim_op op, uint64_t val,
			void *pc)
{
	(void)size;
	(void)op;
	(void)val;
	sim_cache_rmw(addr, pc);
	return false;
}

/* Stored values are in memory at once. */
void sim_view_enter(void)
{
}

void sim_view_leave(void)
{
}

void sim_view_drain(void)
{
}

void sim_view_drain_all(void)
{
}

void sim_view_freed(const void *mem, size_t size)
{
	(void)mem;
	(void)size;
}
