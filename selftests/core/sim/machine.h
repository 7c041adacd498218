/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the simulator share: event.c (the order of events), fiber.c
 * (CPUs, fibers, interrupts), cache.c (lines), access.c (what instrumented code
 * calls), arena.c (memory), profile.c. Users include sim.h.
 */
#ifndef _WSQ_SIM_MACHINE_H
#define _WSQ_SIM_MACHINE_H

#include "sim.h"

#define SIM_WORDS	(SIM_CPUS / 64)
#define SIM_STORES	64		/* entries of a store buffer at most */
#define SIM_STREAMS	16		/* streams that a CPU prefetches */

/**
 * struct sim_pending - an interrupt that was raised
 * @when: not before this
 * @fn: the handler
 * @arg: for it
 * @nmi: comes with interrupts off, too
 * @cost: charged beside what it does
 * @next: in the CPU's list, by time
 */
struct sim_pending {
	sim_time when;
	void (*fn)(void *arg);
	void *arg;
	bool nmi;
	sim_time cost;
	struct sim_pending *next;
};

/**
 * struct sim_machine_cpu - a CPU
 * @clock: how far it has got
 * @key: when it goes on, while it is in the heap
 * @pos: place in the heap of CPUs; 0: it idles, or it is the one that runs
 * @nr: its number
 * @cur: what it executes, @idle included
 * @idle: executes interrupts when there is nothing else
 * @first: fibers that wait, in the order in which they go on
 * @waiting: how many
 * @pending: interrupts
 * @irq_on: interrupts are on
 * @in_irq: depth of handlers
 * @in_nmi: depth of handlers of NMIs
 * @computing: in sim_compute() and in the heap: an interrupt may move its key
 * @resched: the current fiber shall give way
 * @began: when the current fiber began
 * @idle_since: when it began to idle
 * @store: when the last entries of the store buffer drain
 * @nr_stores: entries there have been
 * @drained: when the last one drains
 * @stream: lines that were missed last, each the end of a stream
 * @nr_streams: streams there have been
 * @stats: of it
 */
struct sim_machine_cpu {
	sim_time clock;
	sim_time key;
	unsigned int pos;
	unsigned int nr;
	struct sim_fiber *cur;
	struct sim_fiber idle;
	struct sim_fiber *first;
	unsigned int waiting;
	struct sim_pending *pending;
	bool irq_on;
	unsigned int in_irq;
	unsigned int in_nmi;
	bool computing;
	bool resched;
	sim_time began;
	sim_time idle_since;
	sim_time store[SIM_STORES];
	uint64_t nr_stores;
	sim_time drained;
	uintptr_t stream[SIM_STREAMS];
	unsigned int nr_streams;
	struct sim_stats stats;
};

extern struct sim_machine_cpu sim_cpus[SIM_CPUS];
/* The CPU that runs; NULL in setup and events. */
extern struct sim_machine_cpu *sim_cur;
/* Its clock may not pass this without a look at what else there is. */
extern sim_time sim_limit;

/* event.c: CPUs by key, events by time; the earliest is [1]. */
extern struct sim_machine_cpu *sim_cpu_heap[SIM_CPUS + 1];
extern unsigned int sim_nr_cpu_heap;
extern struct sim_event **sim_event_heap;
extern unsigned int sim_nr_event_heap;
extern sim_time sim_horizon;		/* the earliest of both */
extern bool sim_stopped;		/* sim_stop() was called */

void sim_events_init(void);
void sim_cpu_push(struct sim_machine_cpu *cpu, sim_time key);
struct sim_machine_cpu *sim_cpu_pop(void);
/* Its key is lower than it was. */
void sim_cpu_up(struct sim_machine_cpu *cpu);
void sim_event_remove(struct sim_event *event);
/* The heaps, or what the running CPU waits for, have changed. */
void sim_look_ahead(void);

/* fiber.c: what there is to do once the clock has passed sim_limit. May switch. */
void sim_look(void);
/* The current CPU becomes the earliest, and takes its interrupts. May switch. */
void sim_order(void);

/*
 * cache.c, which charges accesses; or explore.c, which delays them and their
 * effects at random.
 */
void sim_cache_init(void);
/* Accesses by the current CPU. May switch, but not between return and access. */
void sim_cache_read(uintptr_t addr, size_t size, void *pc);
void sim_cache_write(uintptr_t addr, size_t size, void *pc);
void sim_cache_rmw(uintptr_t addr, void *pc);
void sim_cache_mb(void *pc);
/* smp_mb__after_atomic() and the like, which is nothing on x86. May switch. */
void sim_cache_mb_atomic(void *pc);

/* Locked instructions whose result is not used and that order nothing. */
enum sim_op {
	SIM_OP_STORE,
	SIM_OP_ADD,
	SIM_OP_SUB,
	SIM_OP_AND,
	SIM_OP_OR,
	SIM_OP_XOR,
	SIM_OP_OTHER,
};

/* Returns true if it is done, or will be; false: the caller does it now. May switch. */
bool sim_cache_void_rmw(uintptr_t addr, size_t size, enum sim_op op, uint64_t val,
			void *pc);

/*
 * What the CPU that runs sees of memory: from enter to leave, its own stores. No
 * switch. Called by fiber.c around what a CPU does; drain: all that it has stored is
 * seen by others; freed: nothing may be stored there any more.
 */
void sim_view_enter(void);
void sim_view_leave(void);
void sim_view_drain(void);
void sim_view_drain_all(void);
void sim_view_freed(const void *mem, size_t size);

/* arena.c */
#define SIM_ARENA	0x100000000000ULL
#define SIM_NODE_SHIFT	30		/* 1 GB of addresses a node */
#define SIM_ARENA_SIZE	((uintptr_t)SIM_NODES << SIM_NODE_SHIFT)

void sim_arena_init(void);
void *sim_stack_alloc(unsigned int node);

/* profile.c */
void sim_profile_init(void);
void sim_profile_note(void *pc, uintptr_t addr, sim_time stall);

#endif /* _WSQ_SIM_MACHINE_H */
