// SPDX-License-Identifier: GPL-2.0
/*
 * The simulator's own tests: cases whose answer follows from the costs alone.
 * TAP.
 *
 * Costs are set to round numbers here, so that an answer can be computed on
 * paper: hit 1 ns, locked 10, lines 30, 60, 120 ns, memory 90 and 150, the rest
 * 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"
#include "unit_code.h"

#define NS(n)	((n) * SIM_NS)

static char why[256];
static struct sim_config cfg;

#define CHECK(cond, ...)						\
do {									\
	if (!(cond) && !why[0]) {					\
		int at = snprintf(why, sizeof(why), "line %d: %s: ",	\
				  __LINE__, #cond);			\
									\
		snprintf(why + at, sizeof(why) - at, " " __VA_ARGS__);	\
	}								\
} while (0)

#define CHECK_TIME(got, ns)						\
	CHECK((got) == NS(ns), "%.3f ns, expected %.3f",		\
	      (double)(got) / SIM_NS, (double)(ns))

static void config(unsigned int cpus)
{
	sim_config_default(&cfg);
	cfg.cpus = cpus;
	memset(&cfg.costs, 0, sizeof(cfg.costs));
	cfg.costs.hit = NS(1);
	cfg.costs.locked = NS(10);
	cfg.costs.relax = NS(10);
	cfg.costs.line_smt = NS(6);
	cfg.costs.line_cluster = NS(30);
	cfg.costs.line_node = NS(60);
	cfg.costs.line_remote = NS(120);
	cfg.costs.memory_local = NS(90);
	cfg.costs.memory_remote = NS(150);
	cfg.costs.serve_read = NS(3);
	cfg.costs.ipi_victim = NS(800);
	cfg.slack = 0;
	cfg.streams = 1;
}

static unsigned int running;

/* The last fiber to end ends the run. */
static void end(void)
{
	if (!--running)
		sim_stop();
}

static void start(void (*fn)(void *arg), void *arg, unsigned int cpu,
		  sim_time when)
{
	running++;
	sim_fiber_wake(sim_fiber_create(fn, arg, cpu, "test"), when);
}

/* ---- one CPU ---- */

static uint64_t *word;
static sim_time took[SIM_CPUS];

static void alone(void *arg)
{
	sim_time t = sim_now();

	(void)arg;
	sim_read(word, 8);
	CHECK_TIME(sim_now() - t, 90);		/* no CPU has it: memory */
	t = sim_now();
	sim_read(word, 8);
	CHECK_TIME(sim_now() - t, 1);
	t = sim_now();
	sim_write(word, 8);			/* exclusive: no request */
	CHECK_TIME(sim_now() - t, 1);
	t = sim_now();
	sim_rmw(word);
	CHECK_TIME(sim_now() - t, 10);
	t = sim_now();
	sim_mb();
	CHECK_TIME(sim_now() - t, 10);
	t = sim_now();
	sim_read((char *)word + 60, 8);		/* across the edge of a line */
	CHECK_TIME(sim_now() - t, 1 + 90);
	t = sim_now();
	sim_compute(NS(1000));
	CHECK_TIME(sim_now() - t, 1000);
	end();
}

static void test_alone(void)
{
	config(1);
	sim_init(&cfg);
	word = sim_alloc(128, 0);
	start(alone, NULL, 0, 0);
	CHECK(sim_run() == SIM_DONE);
	CHECK(sim_stats(0)->lines[SIM_MEMORY] == 2);
	CHECK(sim_stats(0)->locked == 2);
}

/* ---- lines ---- */

static void read_once(void *arg)
{
	unsigned int me = sim_cpu();
	sim_time t = sim_now();

	(void)arg;
	sim_read(word, 8);
	took[me] = sim_now() - t;
	end();
}

static void write_once(void *arg)
{
	unsigned int me = sim_cpu();
	sim_time t = sim_now();

	(void)arg;
	sim_write(word, 8);
	sim_mb();
	took[me] = sim_now() - t;
	end();
}

/* A line's cost depends on the distance of its owner. */
static void test_distances(void)
{
	config(64);
	cfg.smt = 2;
	sim_init(&cfg);
	word = sim_alloc(64, 0);
	start(write_once, NULL, 0, 0);
	start(read_once, NULL, 1, NS(1000));	/* its sibling */
	start(write_once, NULL, 0, NS(2000));
	start(read_once, NULL, 2, NS(3000));	/* the cluster */
	start(write_once, NULL, 0, NS(4000));
	start(read_once, NULL, 8, NS(5000));	/* the node */
	start(write_once, NULL, 0, NS(6000));
	start(read_once, NULL, 32, NS(7000));	/* the other one */
	start(read_once, NULL, 33, NS(8000));	/* its sibling has it now */
	start(read_once, NULL, 63, NS(9000));	/* a CPU of the node has it */
	CHECK(sim_run() == SIM_DONE);
	CHECK_TIME(took[1], 6);
	CHECK_TIME(took[2], 30);
	CHECK_TIME(took[8], 60);
	CHECK_TIME(took[32], 120);
	CHECK_TIME(took[33], 6);
	CHECK_TIME(took[63], 60);
	CHECK(sim_stats(0)->upgrades == 3);
	CHECK(sim_stats(32)->lines[SIM_REMOTE] == 1);
}

static void test_memory(void)
{
	config(64);
	sim_init(&cfg);
	word = sim_alloc(64, 1);
	CHECK(sim_node_of(word) == 1);
	start(read_once, NULL, 0, 0);
	CHECK(sim_run() == SIM_DONE);
	CHECK_TIME(took[0], 150);
}

/* ---- ping-pong ---- */

#define ROUNDS	100

static struct {
	uint64_t turn __attribute__((aligned(64)));
} *ball;

static void ping(void *arg)
{
	uint64_t odd = (uintptr_t)arg, i;

	for (i = 0; i < ROUNDS; i++) {
		while ((code_load_acquire(&ball->turn) & 1) != odd)
			;
		code_store_release(&ball->turn, ball->turn + 1);
	}
	took[sim_cpu()] = sim_now();
	end();
}

/*
 * A round is two transfers to read and two upgrades to write. The reader cannot
 * have the line before the writer does, so the upgrade counts: 60 + 60 ns, and
 * the hits of the reads that find their turn.
 */
static void test_ping_pong(void)
{
	struct sim_stats sum;
	double round;

	config(64);
	sim_init(&cfg);
	ball = sim_alloc(64, 0);
	start(ping, (void *)0, 0, 0);
	start(ping, (void *)1, 8, 0);
	CHECK(sim_run() == SIM_DONE);
	CHECK(ball->turn == 2 * ROUNDS, "%llu", (unsigned long long)ball->turn);
	sim_stats_sum(&sum);
	CHECK(sum.lines[SIM_MEMORY] == 1);
	/* Each half of a round: one transfer, one upgrade. */
	CHECK(sum.lines[SIM_NODE] >= 2 * ROUNDS - 2 &&
	      sum.lines[SIM_NODE] <= 2 * ROUNDS + 1, "%llu",
	      (unsigned long long)sum.lines[SIM_NODE]);
	round = (double)took[8] / SIM_NS / ROUNDS;
	CHECK(round > 160 && round < 260, "%.1f ns a round", round);
}

/* ---- readers ---- */

/* N readers of a line that was written: the first gets it, the others queue. */
static void test_readers(void)
{
	unsigned int i;

	config(8);
	sim_init(&cfg);
	word = sim_alloc(64, 0);
	start(write_once, NULL, 0, 0);
	for (i = 1; i < 8; i++)
		start(read_once, NULL, i, NS(1000));
	CHECK(sim_run() == SIM_DONE);
	/* The owner's copy: 10 of request, 20 of transfer. */
	CHECK_TIME(took[1], 30);
	/* Then it is shared: served at 3 ns each after the first. */
	for (i = 2; i < 8; i++)
		CHECK_TIME(took[i], 50 + 3 * (i - 2));
}

/* ---- false sharing ---- */

static void add_own(void *arg)
{
	uint64_t *mine = arg;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		code_add(mine, 1);
	took[sim_cpu()] = sim_now();
	end();
}

static sim_time two_words(unsigned int apart)
{
	config(2);
	sim_init(&cfg);
	word = sim_alloc(128, 0);
	start(add_own, &word[0], 0, 0);
	start(add_own, &word[apart], 1, 0);
	CHECK(sim_run() == SIM_DONE);
	CHECK(word[0] == ROUNDS && word[apart] == ROUNDS);
	return took[0] > took[1] ? took[0] : took[1];
}

static void test_false_sharing(void)
{
	/* Separate lines: one fetch from memory, then 10 ns each. */
	CHECK_TIME(two_words(8), 90 + 10 * ROUNDS);
	/* One line: each addition fetches it from the other CPU. */
	CHECK(two_words(1) > NS(30 * 2 * ROUNDS * 3 / 4));
}

/* ---- contended read-modify-writes ---- */

static void test_contended(void)
{
	const unsigned int n = 32;
	sim_time last = 0;
	struct sim_stats sum;
	unsigned int i;
	double each;

	config(n);
	cfg.cluster = 32;
	sim_init(&cfg);
	word = sim_alloc(64, 0);
	for (i = 0; i < n; i++)
		start(add_own, word, i, 0);
	CHECK(sim_run() == SIM_DONE);
	CHECK(word[0] == n * ROUNDS);
	for (i = 0; i < n; i++)
		last = took[i] > last ? took[i] : last;
	/* The line is held for two thirds of a transfer and the instruction. */
	each = (double)last / SIM_NS / (n * ROUNDS);
	CHECK(each > 29 && each < 31, "%.2f ns each", each);
	sim_stats_sum(&sum);
	CHECK(sum.queued > NS(25) * n * (n - 2) * ROUNDS, "%.0f ns queued",
	      (double)sum.queued / SIM_NS);
	CHECK(sum.locked == n * ROUNDS);
}

/* Requests for different lines do not wait for each other. */
static void test_queue(void)
{
	unsigned int i;

	config(4);
	sim_init(&cfg);
	word = sim_alloc(64, 0);
	for (i = 0; i < 4; i++)
		start(read_once, NULL, i, 0);
	CHECK(sim_run() == SIM_DONE);
	/* One from memory; the next from it, once it has it... */
	CHECK_TIME(took[0], 90);
	CHECK(took[1] > NS(30));
	CHECK(sim_stats(0)->queued == 0);
}

/* ---- store buffer ---- */

static void stores(void *arg)
{
	unsigned int i, n = (uintptr_t)arg;
	sim_time t;

	t = sim_now();
	for (i = 0; i < n; i++)
		sim_write((char *)word + 64 * i, 8);
	took[0] = sim_now() - t;
	t = sim_now();
	sim_mb();
	took[1] = sim_now() - t;
	end();
}

static void test_store_buffer(void)
{
	config(1);
	cfg.stores = 4;
	sim_init(&cfg);
	word = sim_alloc(4096, 0);
	start(stores, (void *)4, 0, 0);
	CHECK(sim_run() == SIM_DONE);
	/* They cost their issue; the barrier waits for the last (from 3 on). */
	CHECK_TIME(took[0], 4);
	CHECK_TIME(took[1], 3 + 90 - 4 + 10);
	CHECK(sim_stats(0)->drain == NS(89));

	sim_init(&cfg);
	word = sim_alloc(4096, 0);
	start(stores, (void *)5, 0, 0);
	CHECK(sim_run() == SIM_DONE);
	/* The fifth waits until the first has drained, at 90. */
	CHECK_TIME(took[0], 90 + 1);
}

/* ---- streams ---- */

static void reads(void *arg)
{
	unsigned int i;
	sim_time t = sim_now();

	for (i = 0; i < 10; i++)
		sim_read((char *)word + ((uintptr_t)arg ? 9 - i : i) * 64, 8);
	took[0] = sim_now() - t;
	end();
}

static sim_time stream(bool down)
{
	config(1);
	cfg.streams = 3;
	sim_init(&cfg);
	word = sim_alloc(4096, 0);
	start(reads, (void *)down, 0, 0);
	CHECK(sim_run() == SIM_DONE);
	return took[0];
}

static void test_streams(void)
{
	CHECK_TIME(stream(false), 90 + 9 * 30);
	CHECK_TIME(stream(true), 10 * 90);
}

/* ---- output of the compiler ---- */

static struct code_big *big;

static void code(void *arg)
{
	const struct sim_stats *s = sim_stats(0);
	uint64_t lines, hits, locked;

	(void)arg;
#define COUNT(call, new_lines, more_hits, more_locked)			\
	do {								\
		lines = s->lines[SIM_MEMORY];				\
		hits = s->hits;						\
		locked = s->locked;					\
		call;							\
		CHECK(s->lines[SIM_MEMORY] == lines + (new_lines), "%llu", \
		      (unsigned long long)(s->lines[SIM_MEMORY] - lines)); \
		CHECK(s->hits == hits + (more_hits), "%llu",		\
		      (unsigned long long)(s->hits - hits));		\
		CHECK(s->locked == locked + (more_locked));		\
	} while (0)

	/* Do not count the stack's lines and what the compiler keeps there. */
	code_cmpxchg(word, 1, 1);
	COUNT(code_load(word + 8), 1, 0, 0);
	COUNT(code_store(word, 1), 0, 1, 0);
	COUNT(CHECK(code_load_acquire(word) == 1), 0, 1, 0);
	COUNT(code_store_release(word, 2), 0, 1, 0);
	COUNT(code_store_seq_cst(word, 3), 0, 1, 1);
	COUNT(CHECK(code_add(word, 4) == 3), 0, 1, 1);
	locked = s->locked;
	CHECK(code_cmpxchg(word, 7, 8) == 7);
	CHECK(code_cmpxchg(word, 7, 9) == 8);
	CHECK(s->locked == locked + 2);
	COUNT(code_store(&code_global[3], 1), 1, 0, 0);
	COUNT(CHECK(code_load(&code_global[3]) == 1), 0, 1, 0);
	COUNT(code_clear_big(&big[0]), 3, 0, 0);
	COUNT(code_clear(&big[1], sizeof(*big)), 3, 0, 0);
	COUNT(code_copy_big(&big[2], &big[0]), 3, 3, 0);
	COUNT(code_sum(big[3].word, 24), 3, 21, 0);
	CHECK(s->blocks >= 24);
	end();
}

static void test_code(void)
{
	config(1);
	sim_init(&cfg);
	word = sim_alloc(128, 0);
	big = sim_alloc_lines(4 * sizeof(*big), 0);
	start(code, NULL, 0, 0);
	CHECK(sim_run() == SIM_DONE);
}

/* ---- interrupts ---- */

static sim_time seen[4];
static unsigned int nr_seen;

static void interrupt(void *arg)
{
	(void)arg;
	CHECK(sim_in_irq());
	CHECK(!sim_irqs_on());
	CHECK(sim_cpu() == 1);
	if (nr_seen < 4)
		seen[nr_seen] = sim_now();
	nr_seen++;
}

static void victim(void *arg)
{
	bool on;

	(void)arg;
	/* Raised at 500 in the middle of this: prolongs it. */
	sim_compute(NS(1000));
	CHECK(nr_seen == 1);
	CHECK_TIME(sim_now(), 1800);
	/* Raised at 2000, and held off until 4000. */
	on = sim_irq_save();
	CHECK(on);
	sim_compute(NS(2200));
	CHECK(nr_seen == 1);
	sim_irq_restore(on);
	CHECK(nr_seen == 2);
	CHECK_TIME(sim_now(), 4800);
	end();
}

static void test_interrupts(void)
{
	config(2);
	sim_init(&cfg);
	nr_seen = 0;
	start(victim, NULL, 1, 0);
	sim_raise(1, NS(500), interrupt, NULL);
	sim_raise(1, NS(2000), interrupt, NULL);
	CHECK(sim_run() == SIM_DONE);
	CHECK(nr_seen == 2);
	CHECK_TIME(seen[0], 1300);
	CHECK_TIME(seen[1], 4800);
	CHECK(sim_stats(1)->irqs == 2);
}

static void spin(void *arg)
{
	(void)arg;
	while (!nr_seen)
		sim_read(word, 8);
	took[1] = sim_now();
	end();
}

/* At an access; and in an idle CPU; and an NMI where interrupts are off. */
static void test_interrupts_elsewhere(void)
{
	config(2);
	sim_init(&cfg);
	word = sim_alloc(64, 0);
	nr_seen = 0;
	start(spin, NULL, 1, 0);
	sim_raise_cheap(1, NS(500), interrupt, NULL);
	CHECK(sim_run() == SIM_DONE);
	CHECK(nr_seen == 1);
	CHECK(seen[0] >= NS(500) && seen[0] <= NS(501));

	sim_init(&cfg);
	nr_seen = 0;
	running = 0;
	start(alone, NULL, 0, NS(3000));
	word = sim_alloc(128, 0);
	sim_raise(1, NS(700), interrupt, NULL);
	CHECK(sim_run() == SIM_DONE);
	CHECK(nr_seen == 1);
	CHECK_TIME(seen[0], 1500);
}

static void off(void *arg)
{
	bool on = sim_irq_save();

	(void)arg;
	sim_compute(NS(1000));
	CHECK(nr_seen == 1);
	sim_irq_restore(on);
	end();
}

static void test_nmi(void)
{
	config(2);
	sim_init(&cfg);
	nr_seen = 0;
	start(off, NULL, 1, 0);
	sim_raise_nmi(1, NS(100), interrupt, NULL);
	CHECK(sim_run() == SIM_DONE);
	CHECK_TIME(seen[0], 900);
}

/* ---- fibers of one CPU ---- */

static char order[16];
static struct sim_fiber *sleeper;

static void log_order(char c)
{
	size_t n = strlen(order);

	if (n < sizeof(order) - 1)
		order[n] = c;
}

static void low(void *arg)
{
	(void)arg;
	log_order('a');
	sim_fiber_wake(sleeper, sim_now());
	sim_preempt_disable();
	sim_compute(NS(100));
	log_order('b');
	sim_preempt_enable();		/* the sleeper has a higher priority */
	log_order('d');
	sim_yield();
	log_order('f');
	end();
}

static void high(void *arg)
{
	(void)arg;
	log_order('c');
	end();
}

static void same(void *arg)
{
	(void)arg;
	log_order('e');
	end();
}

static void test_fibers(void)
{
	config(1);
	sim_init(&cfg);
	memset(order, 0, sizeof(order));
	start(low, NULL, 0, 0);
	start(same, NULL, 0, NS(1));
	running++;
	sleeper = sim_fiber_create(high, NULL, 0, "high");
	sleeper->prio = 1;
	CHECK(sim_run() == SIM_DONE);
	CHECK(!strcmp(order, "abcdef"), "%s", order);
}

static void mover(void *arg)
{
	(void)arg;
	CHECK(sim_cpu() == 0);
	sim_compute(NS(100));
	sim_fiber_move(sim_self(), 1);
	CHECK(sim_cpu() == 1);
	CHECK(sim_now() >= NS(100));
	sim_compute(NS(50));
	end();
}

static void test_move(void)
{
	config(2);
	sim_init(&cfg);
	start(mover, NULL, 0, 0);
	CHECK(sim_run() == SIM_DONE);
	CHECK(sim_stats(1)->computed == NS(50));
}

/* Two computing fibers share the CPU by slices. */
static void computes(void *arg)
{
	sim_compute(10 * SIM_MS);
	took[(uintptr_t)arg] = sim_now();
	end();
}

static void test_slices(void)
{
	config(1);
	sim_init(&cfg);
	start(computes, (void *)0, 0, 0);
	start(computes, (void *)1, 0, 0);
	CHECK(sim_run() == SIM_DONE);
	CHECK(took[0] > 17 * SIM_MS && took[0] < 20 * SIM_MS);
	CHECK(took[1] == 20 * SIM_MS);
}

/* ---- standing still ---- */

static void waits(void *arg)
{
	(void)arg;
	sim_block();
	end();
}

static void wakes(void *arg)
{
	if (arg)
		sim_fiber_wake(sleeper, sim_now());
	end();
}

static enum sim_end dropped(bool wake, struct sim_event *ticks)
{
	config(2);
	cfg.still = 5 * SIM_MS;
	sim_init(&cfg);
	running = 2;
	sleeper = sim_fiber_create(waits, NULL, 0, "sleeper");
	sim_fiber_wake(sleeper, 0);
	sim_fiber_wake(sim_fiber_create(wakes, (void *)wake, 1, "waker"),
		       NS(1000));
	if (ticks)
		sim_event_at(ticks, 0);
	return sim_run();
}

static void tick(struct sim_event *event)
{
	sim_event_at(event, sim_now() + SIM_MS);
}

/* With and without a wake-up; and beside an endless timer. */
static void test_still(void)
{
	struct sim_event ticks = { .fn = tick };

	CHECK(dropped(true, NULL) == SIM_DONE);
	CHECK(dropped(false, NULL) == SIM_STOOD_STILL);
	ticks.pos = 0;
	CHECK(dropped(false, &ticks) == SIM_STOOD_STILL);
	CHECK(sim_now() < 7 * SIM_MS);
}

/* ---- events ---- */

static unsigned int fired[3];
static unsigned int nr_fired;

static void fire(struct sim_event *event);
static struct sim_event events[3] = {
	{ .fn = fire }, { .fn = fire }, { .fn = fire }
};

static void fire(struct sim_event *event)
{
	fired[nr_fired++] = (unsigned int)(event - events);
	if (nr_fired == 2)
		sim_stop();
}

static void test_events(void)
{
	config(1);
	sim_init(&cfg);
	nr_fired = 0;
	sim_event_at(&events[0], NS(300));
	sim_event_at(&events[1], NS(200));
	sim_event_at(&events[2], NS(100));
	CHECK(sim_event_cancel(&events[1]));
	CHECK(!sim_event_cancel(&events[1]));
	sim_event_at(&events[0], NS(50));
	CHECK(sim_run() == SIM_DONE);
	CHECK(nr_fired == 2 && fired[0] == 0 && fired[1] == 2);
	CHECK_TIME(sim_now(), 100);
}

/* ---- memory ---- */

static void test_memory_places(void)
{
	char *a, *b;

	config(64);
	sim_init(&cfg);
	CHECK(sim_alloc_size(1) == 8 && sim_alloc_size(65) == 96 &&
	      sim_alloc_size(97) == 128 && sim_alloc_size(513) == 1024 &&
	      sim_alloc_size(8193) == 16384);
	a = sim_alloc(20, 0);
	b = sim_alloc(20, 0);
	CHECK(b == a + 32);			/* on one line, as in slab */
	a = sim_alloc(100, 1);
	memset(a, 1, 100);
	sim_free(a);
	CHECK(sim_alloc(110, 1) == a && !a[0]);
	a = sim_alloc_lines(96, 0);
	CHECK((uintptr_t)a % 64 == 0);
	a = sim_percpu_alloc(8, 8);
	CHECK(sim_node_of(sim_percpu_ptr(a, 40)) == 1);
	CHECK((char *)sim_percpu_ptr(a, 40) != (char *)sim_percpu_ptr(a, 41));
}

/* ---- the same again ---- */

static uint64_t hash;

static void random_work(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < 200; i++) {
		uint64_t *p = word + sim_random_below(512);

		if (sim_random_below(4))
			code_load(p);
		else
			code_add(p, sim_random());
		hash = hash * 31 + *p + sim_now() * 7 + sim_cpu();
	}
	end();
}

static uint64_t run_random(uint64_t seed)
{
	unsigned int i;

	config(32);
	cfg.seed = seed;
	sim_init(&cfg);
	word = sim_alloc(4096, 0);
	hash = 0;
	for (i = 0; i < 32; i++)
		start(random_work, NULL, i, 0);
	CHECK(sim_run() == SIM_DONE);
	return hash;
}

static void test_same(void)
{
	uint64_t first = run_random(1);

	CHECK(run_random(1) == first);
	CHECK(run_random(2) != first);
	/* For run-sim, which runs the program twice. */
	printf("# hash %016llx\n", (unsigned long long)first);
}

static const struct {
	const char *name;
	void (*fn)(void);
} tests[] = {
	{ "one CPU alone", test_alone },
	{ "a line by distance", test_distances },
	{ "memory of another node", test_memory },
	{ "ping-pong of a line", test_ping_pong },
	{ "N readers of a line", test_readers },
	{ "two words on one line and on two", test_false_sharing },
	{ "contended read-modify-writes", test_contended },
	{ "queueing at a line", test_queue },
	{ "the store buffer drains", test_store_buffer },
	{ "lines in a row are prefetched", test_streams },
	{ "what the compiler makes is charged", test_code },
	{ "interrupts in and behind a computation", test_interrupts },
	{ "interrupts at an access and in an idle CPU", test_interrupts_elsewhere },
	{ "an NMI", test_nmi },
	{ "priorities, preemption, yield", test_fibers },
	{ "a fiber moves", test_move },
	{ "slices", test_slices },
	{ "events in order", test_events },
	{ "memory as the slab's", test_memory_places },
	{ "a dropped wake-up stands still", test_still },
	{ "same seed, same run", test_same },
};

static bool run(unsigned int i)
{
	why[0] = 0;
	running = 0;
	tests[i].fn();
	if (why[0])
		printf("# %s\n", why);
	printf("%sok %u - %s\n", why[0] ? "not " : "", i + 1, tests[i].name);
	fflush(stdout);
	return !why[0];
}

/* unit [--list | NUMBER]: the names, one test, or all. */
int main(int argc, char **argv)
{
	const unsigned int n = sizeof(tests) / sizeof(*tests);
	unsigned int i, failed = 0;

	if (argc > 1 && !strcmp(argv[1], "--list")) {
		for (i = 0; i < n; i++)
			printf("%s\n", tests[i].name);
		return 0;
	}
	if (argc > 1)
		return !run((unsigned int)atoi(argv[1]) % n);
	printf("TAP version 13\n1..%u\n", n);
	for (i = 0; i < n; i++)
		failed += !run(i);
	return failed ? 1 : 0;
}
