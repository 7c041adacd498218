// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/core in the simulator, beside the peers of its native benchmark: the
 * same loops of selftests/core/bench/flow.h, on 1 to 256 CPUs.
 *
 * Scenarios: each CPU puts and gets alone; N/2 producers to N/2 consumers; one
 * producer to N - 1 consumers. A window begins when so many tasks have come out
 * that memory is reused, and ends when the requested number has come out. Then
 * producers and consumers stop, the remaining tasks are taken, and each task
 * must have come out once.
 *
 * Prints JSON lines (tools/bench/README.md).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wsq_fence.h>

#include "../bench/flow_salsa.h"
#include "out.h"

extern const struct flow_queue flow_queue_salsa, flow_queue_cas, flow_queue_bag,
	flow_queue_msq, flow_queue_bwos_fifo, flow_queue_bwos_lifo;

struct scene {
	const char *name;
	unsigned int least;		/* CPUs */
	bool both;
	bool one;			/* producer */
};

static const struct scene scenes[] = {
	{ "put and get alone", 1, true, false },
	{ "N/2 to N/2", 2, false, false },
	{ "1 to N-1", 2, false, true },
};

/* @bound: tasks for which each consumer, or producer, has memory. */
static const struct subject {
	const struct flow_queue *queue;
	const char *name;
	unsigned int bound;
	bool bound_each;		/* flow_shape.bound is for all together */
} subjects[] = {
	{ &flow_queue_salsa, "wsq salsa", 2048, true },
	{ &flow_queue_bwos_fifo, "wsq bwos_fifo", 0, false },
	{ &flow_queue_bwos_lifo, "wsq bwos_lifo", 0, false },
	{ &flow_queue_cas, "salsa+cas", 2048, true },
	{ &flow_queue_bag, "concurrent bags", 1024, false },
	{ &flow_queue_msq, "michael-scott per consumer", 2048, true },
};

static struct sim_options options;

/* ---- tasks ---- */

static struct {
	struct flow *f;
	uint64_t first, last;		/* the window, in tasks that came out */
	uint64_t out;
	uint64_t *seen[SIM_CPUS];	/* bit: came out */
	uint64_t size[SIM_CPUS];	/* bits */
	bool faulty;			/* --fault has been done */
	unsigned int running;
	sim_time begin;
	struct sim_counts counts;
	struct sim_stats stats;
} w;

static void count_looks(uint64_t *looks, uint64_t *thefts)
{
	unsigned int i;

	*looks = 0;
	*thefts = 0;
	for (i = 0; i < FLOW_PARTIES; i++) {
		*looks += w.f->consumer[i].looks;
		*thefts += w.f->consumer[i].stolen;
	}
}

static void note(uintptr_t task)
{
	uint64_t id = (task >> 40) - 1, nr = task & ((1ULL << 40) - 1);
	uint64_t size;

	if (id >= FLOW_PARTIES || !nr)
		sim_fail("task %#zx was never put", (size_t)task);
	if (nr >= w.size[id]) {
		size = 2 * nr + 65536;
		w.seen[id] = realloc(w.seen[id], (size + 63) / 64 * 8);
		if (!w.seen[id])
			abort();
		memset((char *)w.seen[id] + (w.size[id] + 63) / 64 * 8, 0,
		       (size + 63) / 64 * 8 - (w.size[id] + 63) / 64 * 8);
		w.size[id] = size;
	}
	if (w.seen[id][nr / 64] >> nr % 64 & 1)
		sim_fail("task %llu of producer %llu came out twice",
			 (unsigned long long)nr, (unsigned long long)id);
	w.seen[id][nr / 64] |= 1ULL << nr % 64;
	w.out++;
}

void sim_task_out(const void *task)
{
	uint64_t looks, thefts;

	/* Proves that check() notices faults (--fault). */
	if (w.out == w.first && options.fault && !w.faulty) {
		w.faulty = true;
		if (!strcmp(options.fault, "lose"))
			return;
		note((uintptr_t)task);
	}
	note((uintptr_t)task);
	sim_progress();
	if (w.out == w.first) {
		sim_stats_reset();
		w.begin = sim_now();
		count_looks(&w.counts.looks, &w.counts.thefts);
		w.counts.ipis = sim_fence_sent;
	} else if (w.out == w.last) {
		sim_stats_sum(&w.stats);
		count_looks(&looks, &thefts);
		w.counts.tasks = w.last - w.first;
		w.counts.ps = sim_now() - w.begin;
		w.counts.looks = looks - w.counts.looks;
		w.counts.thefts = thefts - w.counts.thefts;
		w.counts.ipis = sim_fence_sent - w.counts.ipis;
		w.f->stop = 1;
	}
}

/* All tasks that were put came out, and nothing else. */
static void check(const struct scene *scene, const struct subject *subject)
{
	uint64_t put = 0, nr;
	unsigned int i;
	void *task;

	for (i = 0; i < FLOW_PARTIES; i++) {
		if (i >= w.f->shape.consumers && i >= w.f->shape.producers)
			break;
		while ((task = subject->queue->rest(w.f->q, i)))
			note((uintptr_t)task);
	}
	for (i = 0; i < w.f->shape.producers; i++) {
		put += w.f->producer[i].puts;
		for (nr = 1; nr <= w.f->producer[i].puts; nr++) {
			if (nr >= w.size[i] ||
			    !(w.seen[i][nr / 64] >> nr % 64 & 1))
				sim_fail("%s, %s: task %llu of producer %u is lost",
					 subject->name, scene->name,
					 (unsigned long long)nr, i);
		}
	}
	if (put != w.out)
		sim_fail("%s, %s: %llu put, %llu came out", subject->name,
			 scene->name, (unsigned long long)put,
			 (unsigned long long)w.out);
}

/* ---- functions that the peers call ---- */

void *bench_alloc(size_t size)
{
	return sim_alloc_pages(size, 0);
}

void bench_free(void *mem)
{
	sim_free(mem);
}

/* 32 times PAUSE, as where threads do not outnumber CPUs. */
void flow_yield(void)
{
	sim_charge(31 * sim_config.costs.relax);
	sim_relax();
}

/* For profiles: names SALSA's objects; others name their own, if any. */
static void name_salsa(const struct flow_salsa *q)
{
	const struct bench_salsa *b = q->b;
	unsigned int i;

	sim_name(q, sizeof(*q), "flow_salsa");
	sim_name(b, sizeof(*b), "bench_salsa");
	sim_name(b->s.chunks, b->s.max_chunks * sizeof(*b->s.chunks),
		 "addresses of chunks");
	for (i = 0; i < b->shape.consumers; i++) {
		sim_name(b->consumer[i]->feeders, b->s.max_parties / 8 + 8,
			 "feeders of a consumer");
		sim_name(b->consumer[i], sizeof(*b->consumer[i]),
			 "wsq_salsa_consumer");
		sim_name(b->consumer[i]->pool.cells, b->s.max_chunks * 8,
			 "places of a chunk pool");
		sim_name(b->consumer[i]->stolen.entries, b->s.max_parties * 8,
			 "entries of a thief's list");
	}
	for (i = 0; i < b->shape.producers; i++) {
		sim_name(b->producer[i], sizeof(*b->producer[i]),
			 "wsq_salsa_producer");
		sim_name(b->producer[i]->list.entries, b->s.max_chunks * 8,
			 "entries of a producer's list");
	}
	for (i = 0; i < b->s.max_chunks; i++) {
		const struct wsq_salsa_chunk *chunk =
			(void *)(uintptr_t)atomic64_read(&b->s.chunks[i]);

		if (!chunk)
			continue;
		sim_name(chunk, sizeof(*chunk), "wsq_salsa_chunk");
		sim_name(chunk->slots, b->s.chunk_size * sizeof(*chunk->slots),
			 "slots");
	}
}

/* ---- a window ---- */

struct party {
	void (*fn)(struct flow *f, unsigned int id);
	unsigned int id;
};

static void party_main(void *arg)
{
	const struct party *p = arg;

	p->fn(w.f, p->id);
	if (!--w.running)
		sim_stop();
}

static void start(struct party *p, unsigned int cpu)
{
	w.running++;
	/* They start at different picoseconds. */
	sim_fiber_wake(sim_fiber_create(party_main, p, cpu, "party"),
		       sim_random_below(SIM_US));
}

static void run(const struct scene *scene, const struct subject *subject,
		unsigned int cpus)
{
	static struct party parties[SIM_CPUS];
	struct sim_config config = options.config;
	struct flow_shape shape = { .unbounded = true, .balance = true };
	unsigned int i;

	config.cpus = cpus;
	config.still = 50 * SIM_MS;
	/*
	 * Parties go through a quiescent state between runs of tasks, as
	 * natively. With RCU's milliseconds, all of the few chunks here would
	 * wait; the module's pools grow instead.
	 */
	config.costs.grace = 20 * SIM_US;
	sim_init(&config);
	sim_fence_init();
	if (scene->both) {
		shape.own = true;
		shape.producers = cpus;
		shape.consumers = cpus;
	} else {
		shape.producers = scene->one ? 1 : cpus / 2;
		shape.consumers = cpus - shape.producers;
	}
	shape.bound = subject->bound * (subject->bound_each ? shape.consumers : 1);
	for (i = 0; i < SIM_CPUS; i++) {
		free(w.seen[i]);
		w.seen[i] = NULL;
		w.size[i] = 0;
	}
	memset(&w, 0, sizeof(w));
	w.f = sim_alloc_pages(sizeof(*w.f), 0);
	w.f->shape = shape;
	w.f->crowded = true;
	/* One producer is as fast on any machine; a chunk is 1024 tasks. */
	w.last = options.tasks * (scene->one ? 128 : cpus < 32 ? 32 : cpus);
	/* Long enough for memory to be reused. */
	w.first = scene->one ? w.last / 4 : 5 * w.last;
	w.last += w.first;
	w.f->q = subject->queue->create(&shape);
	sim_name(w.f, sizeof(*w.f), "flow");
	if (subject->queue == &flow_queue_salsa || subject->queue == &flow_queue_cas)
		name_salsa(w.f->q);
	for (i = 0; i < cpus; i++) {
		struct party *p = &parties[i];
		bool produces;

		p->id = i;
		p->fn = subject->queue->both;
		sim_fence_cpu[i] = i;
		if (!scene->both) {
			/* Alternating: pairs of one number are nearest. */
			produces = scene->one ? !i : !(i & 1);
			p->fn = produces ? subject->queue->produce :
					   subject->queue->consume;
			p->id = scene->one ? (produces ? 0 : i - 1) : i / 2;
			if (!produces)
				sim_fence_cpu[p->id] = i;
		}
		start(p, i);
	}
	if (sim_run() != SIM_DONE)
		exit(3);
	check(scene, subject);
	if (options.config.profile)
		sim_profile_print();
	else
		sim_print(subject->name, scene->name, cpus, &w.counts, &w.stats);
}

static bool wanted(const char *name, const char *only)
{
	return !only || strstr(name, only);
}

int main(int argc, char **argv)
{
	unsigned int i, k, n;

	sim_options(&options, argc, argv);
	for (i = 0; i < sizeof(scenes) / sizeof(*scenes); i++) {
		for (k = 0; k < sizeof(subjects) / sizeof(*subjects); k++) {
			if (!wanted(scenes[i].name, options.only) ||
			    !wanted(subjects[k].name, options.case_only))
				continue;
			if (options.list) {
				printf("%s\t%s\n", scenes[i].name,
				       subjects[k].name);
				continue;
			}
			for (n = 1; n <= options.to; n *= 2) {
				if (n >= options.from && n >= scenes[i].least)
					run(&scenes[i], &subjects[k], n);
			}
		}
	}
	return 0;
}
