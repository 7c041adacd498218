// SPDX-License-Identifier: GPL-2.0
/*
 * A machine that behaves as badly as allowed, in place of cache.c, which
 * charges accesses. Programs that are linked with this file explore
 * interleavings; their times mean nothing.
 *
 * Each access takes a random time: mostly a few nanoseconds, sometimes
 * microseconds, rarely a large part of a millisecond. The CPU with the lowest
 * clock runs first, before each single access. So any CPU may stop at any
 * access while others do anything, and interrupts and timers come between any
 * two. The probability of long times is drawn again for each seed.
 *
 * Store buffers. A store becomes visible to other CPUs after a random time,
 * after all earlier stores of its CPU (x86-TSO). The CPU itself sees it at
 * once. Full barriers and locked instructions wait until the buffer is empty,
 * and so do switches from one thread to another, and locked instructions of any
 * order that return a value. Those that return none (set_bit(), atomic_inc())
 * are unordered in Linux' memory model: they wait in the buffer as stores do,
 * and are executed, each atomically, when they leave it. smp_mb__after_atomic()
 * then waits for them.
 *
 * A store is delayed although its value is not known before it is done: the
 * compiler calls __tsan_write*() before the store, and the next call of the
 * same CPU finds the value in memory (settle()). Before another CPU, or an
 * event, runs, the buffer's values are removed from memory (sim_view_leave()),
 * and restored when its CPU continues (sim_view_enter()). Only one CPU runs at
 * a time, so each sees memory as it would.
 *
 * Code without instrumentation, such as the simulated kernel, stores at once.
 * If it overwrites something that is in the buffer, the buffered value is
 * changed.
 *
 * Limitations: loads are not early, and stores keep their order. So errors that
 * need a weaker machine are not found: acquire, release, smp_rmb(), smp_wmb().
 * Stores of more than 8 bytes, which copy and clear structures, drain the
 * buffer. Stores to a thread's own stack are visible at once.
 */
#include <stdio.h>
#include <string.h>

#include "explore.h"
#include "machine.h"

#define ENTRIES	24	/* of a buffer; one more store waits for the first */

struct store {
	uintptr_t addr;
	unsigned int size;
	enum sim_op op;
	uint64_t val;
	uint64_t under;		/* in memory for others, until it is visible */
	sim_time due;
	void *pc;
};

/**
 * struct view - a CPU's stores that others do not see yet
 * @store: in order
 * @nr: number of stores
 * @fresh: the next store, announced or already in memory
 * @has_fresh: @fresh is valid
 * @last: when the last one becomes visible
 */
struct view {
	struct store store[ENTRIES];
	unsigned int nr;
	struct store fresh;
	bool has_fresh;
	sim_time last;
};

bool explore_trace;
uint64_t explore_accesses, explore_most;

static struct view views[SIM_CPUS];
static bool exploring;
static sim_time next_due;	/* no store becomes visible before */

/* Probability, of 1024, of each scale of times: of accesses and of stores. */
static struct {
	unsigned int odds[3];
	unsigned int late[3];
} mood;

static const sim_time scale[3] = { 400 * SIM_NS, 15 * SIM_US, 300 * SIM_US };

static void trace(const char *what, uintptr_t addr, uint64_t val, void *pc)
{
	const struct sim_fiber *f = sim_self();

	fprintf(stderr, "%12.3f us CPU %u %-10s %-8s %#zx %#llx at %p\n",
		(double)sim_now() / SIM_US, sim_cpu(), f ? f->name : "idle", what,
		(size_t)addr, (unsigned long long)val, pc);
}

/* ---- memory ---- */

static uint64_t get(uintptr_t addr, unsigned int size)
{
	uint64_t val = 0;

	memcpy(&val, (const void *)addr, size);
	return val;
}

static void set(const struct store *s, uint64_t val)
{
	memcpy((void *)s->addr, &val, s->size);
}

static uint64_t apply(const struct store *s, uint64_t old)
{
	uint64_t mask = s->size < 8 ? (1ULL << 8 * s->size) - 1 : ~0ULL;

	switch (s->op) {
	case SIM_OP_ADD:
		return (old + s->val) & mask;
	case SIM_OP_SUB:
		return (old - s->val) & mask;
	case SIM_OP_AND:
		return old & s->val & mask;
	case SIM_OP_OR:
		return (old | s->val) & mask;
	case SIM_OP_XOR:
		return (old ^ s->val) & mask;
	default:
		return s->val;
	}
}

static void look_for_due(void)
{
	unsigned int i;

	next_due = SIM_NEVER;
	for (i = 0; i < sim_config.cpus; i++) {
		if (views[i].nr && views[i].store[0].due < next_due)
			next_due = views[i].store[0].due;
	}
}

/* Makes visible the first store of a CPU that is not running. */
static void pop(struct view *v)
{
	struct store *s = &v->store[0];

	set(s, apply(s, get(s->addr, s->size)));
	v->nr--;
	memmove(s, s + 1, v->nr * sizeof(*s));
}

static sim_time by_chance(const unsigned int *odds, sim_time least)
{
	uint64_t r = sim_random();
	unsigned int i;

	for (i = 3; i--; r >>= 10) {
		if ((r & 1023) < odds[i])
			return sim_random_below(scale[i]);
	}
	return least + (r & 1023) * 8;
}

/* Is it the CPU's current stack? Interrupts use the interrupted stack. */
static bool own_stack(uintptr_t addr)
{
	const struct sim_fiber *f = sim_cur->cur;

	return addr - (uintptr_t)f->stack < sim_config.stack;
}

/* Sets when a store becomes visible: at random, but not before earlier ones. */
static void put_late(struct view *v, struct store *s)
{
	s->due = sim_cur->clock + by_chance(mood.late, 0);
	if (s->due < v->last)
		s->due = v->last;
	v->last = s->due;
	if (s->due < next_due)
		next_due = s->due;
}

/* The store that was announced has been done. */
static void settle(void)
{
	struct view *v = &views[sim_cur->nr];
	struct store *s;

	if (!v->has_fresh)
		return;
	v->has_fresh = false;
	s = &v->store[v->nr++];
	*s = v->fresh;
	s->val = get(s->addr, s->size);
	put_late(v, s);
	if (explore_trace)
		trace("stored", s->addr, s->val, s->pc);
}

void sim_view_enter(void)
{
	struct view *v = &views[sim_cur->nr];
	unsigned int i;

	for (i = 0; i < v->nr; i++) {
		struct store *s = &v->store[i];

		s->under = get(s->addr, s->size);
		set(s, apply(s, s->under));
	}
}

void sim_view_leave(void)
{
	struct view *v = &views[sim_cur->nr];
	unsigned int i;

	settle();
	for (i = v->nr; i--; ) {
		struct store *s = &v->store[i];
		uint64_t now = get(s->addr, s->size);

		if (now != apply(s, s->under)) {
			s->op = SIM_OP_STORE;
			s->val = now;
		}
		set(s, s->under);
	}
}

/* Makes due stores visible. The running CPU, if any, sees its own. */
static void drain_due(sim_time now)
{
	if (sim_cur)
		sim_view_leave();
	while (next_due <= now) {
		struct view *first = NULL;
		unsigned int i;

		for (i = 0; i < sim_config.cpus; i++) {
			struct view *v = &views[i];

			if (v->nr && (!first || v->store[0].due < first->store[0].due))
				first = v;
		}
		if (explore_trace)
			trace("visible", first->store[0].addr, first->store[0].val,
			      first->store[0].pc);
		pop(first);
		look_for_due();
	}
	if (sim_cur)
		sim_view_enter();
}

void sim_view_drain(void)
{
	struct view *v = &views[sim_cur->nr];

	settle();
	if (!v->nr)
		return;
	sim_view_leave();
	while (v->nr)
		pop(v);
	v->last = 0;
	look_for_due();
}

void sim_view_drain_all(void)
{
	drain_due(SIM_NEVER - 1);
}

void sim_view_freed(const void *mem, size_t size)
{
	unsigned int i, k;

	if (sim_cur)
		sim_view_drain();
	for (i = 0; i < sim_config.cpus; i++) {
		for (k = 0; k < views[i].nr; k++) {
			if (views[i].store[k].addr - (uintptr_t)mem < size)
				sim_fail("CPU %u stores at %#zx, which is being freed", i,
					 (size_t)views[i].store[k].addr);
		}
	}
}

/* ---- accesses ---- */

/* Before each access: a random delay, in which others may run. */
static void moment(void)
{
	if (!exploring) {
		sim_cur->clock += SIM_NS;
		sim_order();
		return;
	}
	if (explore_accesses++ == explore_most && explore_most)
		sim_fail("%llu accesses, and no end", (unsigned long long)explore_most);
	settle();
	sim_cur->clock += by_chance(mood.odds, SIM_NS);
	sim_order();
	/* An interrupt, or another thread, may have run in between. */
	settle();
	if (sim_cur->clock >= next_due)
		drain_due(sim_cur->clock);
}

/* Makes space for one more store. */
static void space(void)
{
	struct view *v = &views[sim_cur->nr];

	if (v->nr == ENTRIES) {
		sim_cur->clock = v->store[0].due > sim_cur->clock ?
				 v->store[0].due : sim_cur->clock;
		drain_due(sim_cur->clock);
	}
}

void sim_cache_read(uintptr_t addr, size_t size, void *pc)
{
	(void)size;
	if (exploring && own_stack(addr))
		return;
	moment();
	if (explore_trace)
		trace("load", addr, get(addr, size < 8 ? size : 8), pc);
}

void sim_cache_write(uintptr_t addr, size_t size, void *pc)
{
	struct view *v;

	if (exploring && own_stack(addr)) {
		settle();
		return;
	}
	moment();
	if (!exploring)
		return;
	if (size > 8) {
		sim_view_drain();
		return;
	}
	space();
	v = &views[sim_cur->nr];
	v->fresh = (struct store){
		.addr = addr, .size = size, .op = SIM_OP_STORE, .pc = pc,
		.under = get(addr, size),
	};
	v->has_fresh = true;
}

bool sim_cache_void_rmw(uintptr_t addr, size_t size, enum sim_op op, uint64_t val,
			void *pc)
{
	struct view *v;
	struct store *s;

	if (!exploring || op == SIM_OP_OTHER || own_stack(addr)) {
		sim_cache_rmw(addr, pc);
		return false;
	}
	moment();
	space();
	v = &views[sim_cur->nr];
	s = &v->store[v->nr++];
	*s = (struct store){
		.addr = addr, .size = size, .op = op, .val = val, .pc = pc,
		.under = get(addr, size),
	};
	put_late(v, s);
	set(s, apply(s, s->under));
	if (explore_trace)
		trace("rmw", addr, get(addr, size), pc);
	return true;
}

void sim_cache_rmw(uintptr_t addr, void *pc)
{
	moment();
	sim_view_drain();
	if (explore_trace)
		trace("locked", addr, get(addr, 4), pc);
}

void sim_cache_mb(void *pc)
{
	moment();
	sim_view_drain();
	if (explore_trace)
		trace("barrier", 0, 0, pc);
}

void sim_cache_mb_atomic(void *pc)
{
	sim_cache_mb(pc);
}

/* ---- a run ---- */

void sim_cache_init(void)
{
	memset(views, 0, sizeof(views));
	exploring = false;
	next_due = SIM_NEVER;
}

void explore_begin(uint64_t seed)
{
	/* Of each scale: zero, or a random probability up to this. */
	static const unsigned int most[3] = { 256, 48, 4 };
	/* None, some, or all: the last mostly stay until the next barrier. */
	static const unsigned int late[4] = { 0, 0, 128, 1024 };
	unsigned int i;

	sim_random_begin(seed * 0x9e3779b97f4a7c15ULL);
	explore_accesses = 0;
	for (i = 0; i < 3; i++) {
		mood.odds[i] = sim_random_below(4) ? sim_random_below(most[i] + 1) : 0;
		mood.late[i] = late[sim_random_below(4)];
	}
	exploring = true;
}
