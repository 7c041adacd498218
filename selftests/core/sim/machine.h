/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of the simulator: event.c (the order of events), fiber.c
 * (CPUs, fibers, interrupts), cache.c (lines), access.c (called by instrumented
 * code), arena.c (memory), profile.c. Users include sim.h.
 */
#ifndef _WSQ_SIM_MACHINE_H
#define _WSQ_SIM_MACHINE_H

#include "sim.h"

#define SIM_WORDS	(SIM_CPUS / 64)
#define SIM_STORES	64		/* most entries of a store buffer */
#define SIM_STREAMS	16		/* streams that a CPU prefetches */

/**
 * struct sim_pending - an interrupt that was raised
 * @when: not before this
 * @fn: the handler
 * @arg: argument of @fn
 * @nmi: also taken with interrupts off
 * @cost: charged beside the handler's own accesses
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
 * @clock: its time
 * @key: when it continues, while it is in the heap
 * @pos: position in the heap of CPUs; 0: it idles, or is the running one
 * @nr: its number
 * @cur: its current fiber, or @idle
 * @idle: executes interrupts when there is nothing else
 * @first: waiting fibers, in the order of running
 * @waiting: number of waiting fibers
 * @pending: interrupts
 * @irq_on: interrupts are on
 * @in_irq: depth of handlers
 * @in_nmi: depth of handlers of NMIs
 * @computing: in sim_compute() and in the heap: an interrupt may move its key
 * @resched: the current fiber should yield
 * @began: when the current fiber began
 * @idle_since: when it began to idle
 * @store: when the last entries of the store buffer drain
 * @nr_stores: number of entries so far
 * @drained: when the last one drains
 * @stream: lines that were missed last, each the end of a stream
 * @nr_streams: number of streams so far
 * @stats: its statistics
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
/* The running CPU; NULL in setup and events. */
extern struct sim_machine_cpu *sim_cur;
/* Its clock may not pass this without a check of what else is due. */
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
/* Call when its key has become lower. */
void sim_cpu_up(struct sim_machine_cpu *cpu);
void sim_event_remove(struct sim_event *event);
/* Call when the heaps, or conditions of the running CPU, have changed. */
void sim_look_ahead(void);

/* fiber.c: work that is due once the clock has passed sim_limit. May switch. */
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

/* Locked instructions without a used result, which order nothing. */
enum sim_op {
	SIM_OP_STORE,
	SIM_OP_ADD,
	SIM_OP_SUB,
	SIM_OP_AND,
	SIM_OP_OR,
	SIM_OP_XOR,
	SIM_OP_OTHER,
};

/* True if it is done, or will be; false: the caller does it now. May switch. */
bool sim_cache_void_rmw(uintptr_t addr, size_t size, enum sim_op op, uint64_t val,
			void *pc);

/*
 * The running CPU's view of memory: its own stores are visible between enter
 * and leave. No switch. Called by fiber.c around a CPU's execution; drain:
 * makes all its stores visible; freed: nothing may be stored there any more.
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
