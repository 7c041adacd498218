/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parties that can be stopped before any of core's accesses to shared words,
 * and continued later: coroutines over shim/stall.
 *
 * For: unit/salsa*.c, unit/first_less.c, unit/lifo_hint.c, stall.
 * party_start() makes a party run one operation, in one section of
 * core/fence.h, until its stop: the N-th access from there on, or one with a
 * given label, SA(get:D), say, in the sources below WSQ_CORE_DIR.
 *
 * Cost: two system calls for each start and stop. Limitations: core keeps no
 * stack between operations, so none is known.
 */
#ifndef _WSQ_SELFTESTS_PARTY_H
#define _WSQ_SELFTESTS_PARTY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <wsq_platform.h>
#include <wsq_fence.h>
#include <wsq_grace.h>

#define PARTIES		8
#define PARTY_STACK	65536
#define PARTY_PLACES	8
#define PARTY_SOURCES	"core/salsa.h", "core/salsa_find.h", "core/salsa_ring.h", \
			"core/salsa.c", "core/salsa_steal.c", \
			"core/salsa_scan.c", "core/inbox.h", \
			"core/bwos_fifo.c", "core/bwos_lifo_steal.c"

/**
 * struct party - a party
 * @cpu: its CPU
 * @op: its operation
 * @arg: argument of @op
 * @ret: result of @op
 * @task: likewise
 * @stop_at: stop before this access, counted as by @cpu; 0 for never
 * @nr_entries: number of places
 * @entries: ... to stop at, the first time
 * @file: where it stopped last
 * @line: likewise
 * @under_way: it was stopped and has not reached its end
 */
struct party {
	struct wsq_cpu cpu;
	void (*op)(struct party *p);
	void *arg[2];
	s64 ret;
	void *task;
	u64 stop_at;
	u32 nr_entries;
	struct {
		const char *file;
		int first, last;
	} entries[PARTY_PLACES];
	const char *file;
	int line;
	bool under_way;
	ucontext_t here;
	ucontext_t test;
	char stack[PARTY_STACK];
};

static struct party parties[PARTIES];
static struct party *running;
struct wsq_cpu *wsq_cpu;
u64 wsq_grace_now;

struct wsq_cpu *wsq_cpu_of(unsigned int nr)
{
	return nr < PARTIES ? &parties[nr].cpu : NULL;
}

u64 wsq_grace_oldest(void)
{
	u64 oldest = ~0ULL;
	u32 i;

	for (i = 0; i < PARTIES; i++)
		if (parties[i].cpu.inside && parties[i].cpu.since < oldest)
			oldest = parties[i].cpu.since;
	return oldest;
}

/* Returns from a party to the test. */
static inline void party_yield(struct party *p)
{
	running = NULL;
	wsq_cpu = NULL;
	swapcontext(&p->here, &p->test);
}

void wsq_cpu_step(const char *file, int line)
{
	struct party *p = running;
	u32 i;

	p->cpu.steps++;
	for (i = 0; i < p->nr_entries; i++) {
		if (line >= p->entries[i].first && line <= p->entries[i].last &&
		    strstr(file, p->entries[i].file))
			break;
	}
	if (i < p->nr_entries || p->cpu.steps == p->stop_at) {
		p->nr_entries = 0;
		p->file = file;
		p->line = line;
		party_yield(p);
	}
}

static inline void party_main(void)
{
	struct party *p = running;

	p->op(p);
	p->under_way = false;
	p->cpu.inside = false;
	party_yield(p);
}

/* Continues it to the next stop or to the end. True if that was the end. */
static inline bool party_go(struct party *p)
{
	running = p;
	wsq_cpu = &p->cpu;
	swapcontext(&p->test, &p->here);
	return !p->under_way;
}

/* Starts an operation. True if it reached its end. */
static inline bool party_start(struct party *p, void (*op)(struct party *p))
{
	if (p->under_way)
		abort();
	p->op = op;
	p->under_way = true;
	p->cpu.nr = (unsigned int)(p - parties);
	p->cpu.inside = true;
	p->cpu.since = wsq_grace_now;
	p->cpu.steps = 0;
	if (getcontext(&p->here))
		abort();
	p->here.uc_stack.ss_sp = p->stack;
	p->here.uc_stack.ss_size = sizeof(p->stack);
	p->here.uc_link = NULL;
	makecontext(&p->here, party_main, 0);
	return party_go(p);
}

/* Resets all parties. */
static inline void party_reset(void)
{
	u32 i;

	for (i = 0; i < PARTIES; i++) {
		parties[i].under_way = false;
		parties[i].stop_at = 0;
		parties[i].nr_entries = 0;
		parties[i].file = NULL;
		memset(&parties[i].cpu, 0, sizeof(parties[i].cpu));
	}
	wsq_grace_now = 0;
}

/* Does a statement end on this line, or has none begun? */
static inline bool party_line_ends(const char *line)
{
	size_t n = strlen(line);

	if (strstr(line, "/*") || strstr(line, "*/"))
		return true;
	while (n && strchr(" \t\n", line[n - 1]))
		n--;
	return !n || strchr(";{}", line[n - 1]);
}

/* Stops it, the next time, at the statement with this label. */
static inline void party_stop_at(struct party *p, const char *label)
{
	static const char * const sources[] = { PARTY_SOURCES };
	char line[512], path[512];
	size_t i;

	p->nr_entries = 0;
	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		int nr, first = 1;
		FILE *f;

		snprintf(path, sizeof(path), "%s/../%s", WSQ_CORE_DIR, sources[i]);
		f = fopen(path, "r");
		if (!f) {
			perror(path);
			abort();
		}
		for (nr = 1; fgets(line, sizeof(line), f); nr++) {
			char *comment = strstr(line, "/* "), *at = strstr(line, label);

			if (comment && at && comment < at &&
			    p->nr_entries < PARTY_PLACES) {
				p->entries[p->nr_entries].file = sources[i];
				p->entries[p->nr_entries].first = first;
				p->entries[p->nr_entries++].last = nr;
			}
			if (party_line_ends(line))
				first = nr + 1;
		}
		fclose(f);
	}
	if (!p->nr_entries) {
		fprintf(stderr, "no access bears %s\n", label);
		abort();
	}
}

#endif /* _WSQ_SELFTESTS_PARTY_H */
