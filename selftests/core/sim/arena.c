// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated machine's memory: a range of addresses for each node, divided
 * into objects as by the kernel's slab, so that neighbours share a line here if
 * they would in the kernel.
 *
 * Addresses are the same in each run. A page belongs to one size class; the
 * tables beside the arena are not charged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine.h"

#define PAGE		4096UL
#define NR_PAGES	(SIM_ARENA_SIZE / PAGE)
#define PERCPU_SIZE	(1UL << 20)
#define SLAB		(4 * PAGE)	/* objects of a page and less */

/* kmalloc()'s size classes; larger objects are whole pages. */
static const unsigned int classes[] = {
	8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192
};

#define NR_CLASSES	(sizeof(classes) / sizeof(*classes))

struct free_object {
	struct free_object *next;
};

/* The use of a page: 0 unused, a class plus one, or more: whole pages. */
#define PAGES_BEGIN	64		/* plus the order */

static unsigned char *page_of;
static struct {
	uintptr_t at;			/* pages from here on are free */
	struct free_object *free[NR_CLASSES];
	uintptr_t slab_at[NR_CLASSES], slab_end[NR_CLASSES];
	struct free_object *pages[32];
} nodes[SIM_NODES];
static char *percpu_base[SIM_CPUS];
static size_t percpu_at;

void sim_arena_init(void)
{
	unsigned int i;

	if (!page_of) {
		void *mem = mmap((void *)SIM_ARENA, SIM_ARENA_SIZE,
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				 MAP_FIXED_NOREPLACE, -1, 0);

		if (mem != (void *)SIM_ARENA) {
			perror("sim: no room for the arena");
			exit(2);
		}
		page_of = mmap(NULL, NR_PAGES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (page_of == MAP_FAILED)
			abort();
	} else if (madvise((void *)SIM_ARENA, SIM_ARENA_SIZE, MADV_DONTNEED) ||
		   madvise(page_of, NR_PAGES, MADV_DONTNEED)) {
		abort();
	}
	memset(nodes, 0, sizeof(nodes));
	for (i = 0; i < SIM_NODES; i++)
		nodes[i].at = SIM_ARENA + ((uintptr_t)i << SIM_NODE_SHIFT);
	percpu_at = 0;
	for (i = 0; i < sim_config.cpus; i++)
		percpu_base[i] = sim_alloc_pages(PERCPU_SIZE, sim_node_of_cpu(i));
}

unsigned int sim_node_of(const void *mem)
{
	uintptr_t at = (uintptr_t)mem - SIM_ARENA;

	return at < SIM_ARENA_SIZE ? at >> SIM_NODE_SHIFT : 0;
}

static unsigned char *page_at(const void *mem)
{
	uintptr_t at = (uintptr_t)mem - SIM_ARENA;

	if (at >= SIM_ARENA_SIZE)
		sim_fail("%p is not of the arena", mem);
	return &page_of[at / PAGE];
}

static unsigned int order_of(size_t size)
{
	unsigned int order = 0;

	while (PAGE << order < size)
		order++;
	return order;
}

/* A power of two of pages, aligned to their size. */
static uintptr_t new_pages(unsigned int node, unsigned int order)
{
	uintptr_t at = nodes[node].at, size = PAGE << order;

	at = (at + size - 1) & ~(size - 1);
	nodes[node].at = at + size;
	if (at + size > SIM_ARENA + ((uintptr_t)(node + 1) << SIM_NODE_SHIFT))
		sim_fail("node %u has no memory left", node);
	return at;
}

void *sim_alloc_pages(size_t size, unsigned int node)
{
	unsigned int order = order_of(size);
	struct free_object *mem = nodes[node].pages[order];

	if (mem) {
		nodes[node].pages[order] = mem->next;
		memset(mem, 0, PAGE << order);
	} else {
		mem = (struct free_object *)new_pages(node, order);
	}
	*page_at(mem) = PAGES_BEGIN + order;
	return mem;
}

void sim_split_pages(void *mem)
{
	unsigned char *kind = page_at(mem);
	unsigned int order = *kind - PAGES_BEGIN;

	memset(kind, PAGES_BEGIN, 1UL << order);
}

static unsigned int class_of(size_t size)
{
	unsigned int i = 0;

	while (classes[i] < size)
		i++;
	return i;
}

size_t sim_alloc_size(size_t size)
{
	if (size > classes[NR_CLASSES - 1])
		return PAGE << order_of(size);
	return classes[class_of(size)];
}

void *sim_alloc(size_t size, unsigned int node)
{
	struct free_object *mem;
	unsigned int i;

	if (node >= SIM_NODES)
		sim_fail("no node %u", node);
	if (size > classes[NR_CLASSES - 1])
		return sim_alloc_pages(size, node);
	i = class_of(size);
	mem = nodes[node].free[i];
	if (mem) {
		nodes[node].free[i] = mem->next;
		memset(mem, 0, classes[i]);
		return mem;
	}
	if (nodes[node].slab_at[i] + classes[i] > nodes[node].slab_end[i]) {
		unsigned int order = order_of(SLAB), k;
		uintptr_t slab = new_pages(node, order);

		for (k = 0; k < 1U << order; k++)
			page_at((void *)slab)[k] = i + 1;
		nodes[node].slab_at[i] = slab;
		nodes[node].slab_end[i] = slab + (PAGE << order);
	}
	mem = (struct free_object *)nodes[node].slab_at[i];
	nodes[node].slab_at[i] += classes[i];
	return mem;
}

void *sim_alloc_lines(size_t size, unsigned int node)
{
	/* The classes that are multiples of a line; not 96. */
	size = (size + SIM_LINE - 1) / SIM_LINE * SIM_LINE;
	return sim_alloc(size, node);
}

void sim_free(void *arg)
{
	struct free_object *mem = arg;
	unsigned int node = sim_node_of(mem), kind;

	if (!mem)
		return;
	kind = *page_at(mem);
	sim_view_freed(mem, kind >= PAGES_BEGIN ? PAGE << (kind - PAGES_BEGIN) :
			    kind ? classes[kind - 1] : 0);
	if (kind >= PAGES_BEGIN) {
		mem->next = nodes[node].pages[kind - PAGES_BEGIN];
		nodes[node].pages[kind - PAGES_BEGIN] = mem;
	} else if (kind) {
		mem->next = nodes[node].free[kind - 1];
		nodes[node].free[kind - 1] = mem;
	} else {
		sim_fail("%p was not allocated", arg);
	}
}

/* For test code that takes its memory from the C library: node 0's. */
void *sim_aligned_alloc(size_t align, size_t size);
void *sim_aligned_alloc(size_t align, size_t size)
{
	(void)align;
	return sim_alloc_lines(size, 0);
}

void *sim_calloc(size_t n, size_t size);
void *sim_calloc(size_t n, size_t size)
{
	return sim_alloc(n * size, 0);
}

void *sim_stack_alloc(unsigned int node)
{
	return sim_alloc_pages(sim_config.stack, node);
}

void *sim_percpu_alloc(size_t size, size_t align)
{
	percpu_at = (percpu_at + align - 1) / align * align;
	if (percpu_at + size > PERCPU_SIZE)
		sim_fail("no per-CPU memory left");
	percpu_at += size;
	return percpu_base[0] + percpu_at - size;
}

void *sim_percpu_ptr(const void *base, unsigned int cpu)
{
	return (char *)base + (percpu_base[cpu] - percpu_base[0]);
}
