// SPDX-License-Identifier: GPL-2.0
/*
 * Where simulated time is lost: by instruction and by line of memory (sim.h).
 *
 * Prints JSON lines, which ./profile turns into source lines and members of
 * structures. Costs nothing unless the run is profiled.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define SLOTS	(1U << 16)
#define NAMES	65536

struct slot {
	uintptr_t key;			/* 0: free */
	uint64_t count;
	sim_time stall;
};

static struct slot by_pc[SLOTS], by_line[SLOTS];
static uint64_t lost;			/* notes that found no slot */

static struct {
	uintptr_t mem;
	size_t size;
	const char *type;
} names[NAMES];
static unsigned int nr_names;

void sim_profile_init(void)
{
	if (by_pc[0].key || lost || sim_config.profile) {
		memset(by_pc, 0, sizeof(by_pc));
		memset(by_line, 0, sizeof(by_line));
	}
	lost = 0;
	nr_names = 0;
}

static void note(struct slot *table, uintptr_t key, sim_time stall)
{
	unsigned int at = (unsigned int)(key * 0x9e3779b97f4a7c15ULL >> 48);
	unsigned int i;

	for (i = 0; i < 64; i++, at = (at + 1) % SLOTS) {
		if (!table[at].key)
			table[at].key = key;
		if (table[at].key != key)
			continue;
		table[at].count++;
		table[at].stall += stall;
		return;
	}
	lost++;
}

void sim_profile_note(void *pc, uintptr_t addr, sim_time stall)
{
	/* The call's address, not the return address. */
	note(by_pc, (uintptr_t)pc - 1, stall);
	if (addr)
		note(by_line, addr / SIM_LINE * SIM_LINE, stall);
}

void sim_name(const void *mem, size_t size, const char *type)
{
	if (!sim_config.profile || nr_names == NAMES)
		return;
	names[nr_names].mem = (uintptr_t)mem;
	names[nr_names].size = size;
	names[nr_names++].type = type;
}

static int later(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	if (x->stall != y->stall)
		return x->stall < y->stall ? 1 : -1;
	return x->key < y->key ? -1 : x->key > y->key;
}

/* The @most entries with the greatest losses. */
static unsigned int sorted(struct slot *table, unsigned int most)
{
	unsigned int i, n = 0;

	for (i = 0; i < SLOTS; i++) {
		if (table[i].key)
			table[n++] = table[i];
	}
	qsort(table, n, sizeof(*table), later);
	memset(&table[n], 0, (SLOTS - n) * sizeof(*table));
	return n < most ? n : most;
}

void sim_profile_print(void)
{
	unsigned int i, k, n;

	n = sorted(by_pc, 1024);
	for (i = 0; i < n; i++)
		printf("{\"pc\":%zu,\"count\":%llu,\"ps\":%llu}\n",
		       (size_t)by_pc[i].key, (unsigned long long)by_pc[i].count,
		       (unsigned long long)by_pc[i].stall);
	n = sorted(by_line, 4096);
	for (i = 0; i < n; i++) {
		printf("{\"line\":%zu,\"count\":%llu,\"ps\":%llu,\"in\":[",
		       (size_t)by_line[i].key,
		       (unsigned long long)by_line[i].count,
		       (unsigned long long)by_line[i].stall);
		for (k = 0; k < nr_names; k++) {
			/* Where in the object the line begins. */
			if (names[k].mem < by_line[i].key + SIM_LINE &&
			    names[k].mem + names[k].size > by_line[i].key) {
				printf("{\"type\":\"%s\",\"at\":%lld,\"size\":%zu}]}\n",
				       names[k].type,
				       (long long)(by_line[i].key - names[k].mem),
				       names[k].size);
				break;
			}
		}
		if (k == nr_names)
			printf("]}\n");
	}
	if (lost)
		printf("{\"lost\":%llu}\n", (unsigned long long)lost);
	/* The tables are unordered now. */
	memset(by_pc, 0, sizeof(by_pc));
	memset(by_line, 0, sizeof(by_line));
}
