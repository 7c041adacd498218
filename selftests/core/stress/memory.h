/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a queue that is attached, grows and is detached beside thieves.
 *
 * Detached memory is reused only when each party has left the section that it
 * was in, as after a grace period of RCU. Half of it is then attached again
 * unchanged. The other half is filled with a pattern and freed: at once under
 * the address sanitizer, which detects a late access, otherwise after a while,
 * if the pattern is intact.
 *
 * For: conserve.c, claims.c. Costs: a full barrier for each section.
 */
#ifndef _WSQ_SELFTESTS_MEMORY_H
#define _WSQ_SELFTESTS_MEMORY_H

#include "queue.h"

#include "book.h"

static u64 nr_spare, reattach, grow, early;

static engine_queue queue;
static struct engine_rest rest;

#define MAX_PIECES	4

/**
 * struct memory - memory, attached or out of use
 * @mem: the memory as a queue gets it
 * @more: segments that it may grow by
 * @nr_made: number of such segments
 * @nr_more: segments added since it was attached
 * @next: detached after this one
 * @section: each party's section when it was detached
 */
struct memory {
	engine_mem mem;
	engine_segment more[MAX_PIECES];
	u32 nr_made;
	u32 nr_more;
	struct memory *next;
	u64 section[MAX_THREADS];
};

static struct memory *attached;

/* Its states: attached, retired, then clean or poisoned. */
static struct memory *retired, **retired_tail = &retired, *spotless;
static u32 nr_retired, nr_spotless;
static u64 nr_reattaches, nr_growths;

#define PATTERN		0xdb
#define MAX_RETIRED	64
#define MAX_SPOTLESS	8

#ifdef __SANITIZE_ADDRESS__
#define MAX_POISONED	0
#else
#define MAX_POISONED	16
#endif
static struct memory *poisoned[MAX_POISONED + 1];
static u64 nr_poisoned;

static inline void enter(struct party *p)
{
	__atomic_store_n(&p->section, p->section + 1, __ATOMIC_RELAXED);
	/* Either retire() sees the section, or it sees other memory. */
	smp_mb();
}

static inline void leave(struct party *p)
{
	__atomic_store_n(&p->section, p->section + 1, __ATOMIC_RELEASE);
}

static inline void check_piece(const engine_mem *mem, const engine_segment *segment)
{
	u32 nr = segment->nr_entries + segment->nr_spare, i;

	for (i = 0; i < nr * mem->block_size; i++)
		check(!segment->slots[i].task,
		      "task %llu stayed in slot %u of memory taken away",
		      id_of(segment->slots[i].task), i);
	for (i = 0; i < nr; i++)
		check(engine_block_drained(&segment->blocks[i], mem->block_size),
		      "block %u of memory taken away is not read and counted up", i);
}

/* No part of a memory of claimed slots is in use: it could be attached now. */
static inline void check_spotless(const struct memory *m)
{
	u32 i;

	check_piece(&m->mem, &m->mem.first);
	for (i = 0; i < m->nr_more; i++)
		check_piece(&m->mem, &m->more[i]);
}

/* Fills a part with the pattern, or checks that it is intact. */
static inline void part(void *p, size_t n, bool fill)
{
	const unsigned char *byte = (const unsigned char *)p;
	size_t i;

	if (fill) {
		memset(p, PATTERN, n);
		return;
	}
	for (i = 0; i < n; i++)
		check(byte[i] == PATTERN, "memory out of use was written to");
}

static inline void blocks(const engine_segment *p, u32 size, bool fill)
{
	size_t nr = p->nr_entries + p->nr_spare;

	part(p->blocks, nr * sizeof(*p->blocks), fill);
	part(p->slots, nr * size * sizeof(*p->slots), fill);
}

static inline void parts(struct memory *m, bool fill)
{
	const struct wsq_bwos_dir *dir = &m->mem.dir;
	u32 i;

	blocks(&m->mem.first, m->mem.block_size, fill);
	for (i = 0; i < m->nr_made; i++)
		blocks(&m->more[i], m->mem.block_size, fill);
	part(dir->words, dir->max_entries * sizeof(*dir->words), fill);
	part(dir->blocks, dir->max_blocks * sizeof(*dir->blocks), fill);
}

static inline void memory_free(struct memory *m)
{
	while (m->nr_made)
		segment_free(&m->more[--m->nr_made]);
	mem_free(&m->mem);
	free(m);
}

static inline void discard(struct memory *m)
{
	struct memory *old;

	parts(m, true);
	if (MAX_POISONED) {
		old = poisoned[nr_poisoned % (MAX_POISONED + 1)];
		poisoned[nr_poisoned++ % (MAX_POISONED + 1)] = m;
		m = old;
		if (!m)
			return;
		parts(m, false);
	}
	memory_free(m);
}

/* Has each party left the section it was in? */
static inline bool sections_over(const struct memory *m)
{
	u32 i;

	for (i = 1; !early && i < MAX_THREADS; i++)
		if (m->section[i] % 2 &&
		    __atomic_load_n(&parties[i].section, __ATOMIC_ACQUIRE) ==
		    m->section[i])
			return false;
	return true;
}

/* Reuses or frees what it may, until at most @leave_nr memories wait. */
static inline void reap(struct party *p, u32 leave_nr, bool claimed)
{
	while (retired) {
		struct memory *m = retired;

		if (!sections_over(m)) {
			if (nr_retired <= leave_nr)
				return;
			sched_yield();
			continue;
		}
		retired = m->next;
		if (!retired)
			retired_tail = &retired;
		nr_retired--;
		if (claimed)
			check_spotless(m);
		if (rnd(&p->state) % 2 && nr_spotless < MAX_SPOTLESS) {
			m->next = spotless;
			spotless = m;
			nr_spotless++;
		} else {
			discard(m);
		}
	}
}

static inline void mem_make(engine_mem *mem, u64 r)
{
	u32 entries = (u32)nr_entries, size = (u32)block_size;
	u32 spare = (u32)nr_spare;

	if (reattach) {
		entries = (u32)(2 + r % (nr_entries - 1));
		size = (u32)(2 + (r >> 16) % (block_size - 1));
		spare = (u32)((r >> 32) % (nr_spare + 1));
	}
	/* One that may grow has two blocks at first. */
	if (grow)
		mem_new_max(mem, 2, size, spare, entries, spare + MAX_PIECES);
	else
		mem_new(mem, entries, size, spare);
}

static inline void attach(struct party *p, bool first)
{
	u64 r = rnd(&p->state);
	struct memory *m = spotless;

	if (m) {
		spotless = m->next;
		nr_spotless--;
	} else {
		m = (struct memory *)calloc(1, sizeof(*m));
		if (!m)
			abort();
		mem_make(&m->mem, r);
	}
	m->nr_more = 0;
		/* Constant once thieves can see it. */
	m->mem.read_first = first;
	attached = m;
	engine(attach)(&queue, &m->mem);
}

/* The owner has drained the queue: its memory must be unmountable. */
static inline void detach(struct party *p, bool claimed)
{
	struct memory *m = attached;
	struct wsq_bwos_space space;
	u32 i;

	check(engine(detach)(&queue) == &m->mem,
	      "drained, and its memory is not given back");
	check(!engine(detach)(&queue), "unmounted twice");
	check(engine(reserve)(&queue, &space) == WSQ_FULL, "room without memory");
	check(!engine(claim)(&queue), "a task without memory");
	/* Pairs with enter(). */
	smp_mb();
	for (i = 0; i < MAX_THREADS; i++)
		m->section[i] = __atomic_load_n(&parties[i].section,
						__ATOMIC_ACQUIRE);
	m->next = NULL;
	*retired_tail = m;
	retired_tail = &m->next;
	nr_retired++;
	nr_reattaches++;
	reap(p, MAX_RETIRED, claimed);
}

/* Grows the queue by a segment, of any size, if it may. */
static inline void grow_some(struct party *p)
{
	const struct wsq_bwos_dir *dir = &attached->mem.dir;
	u32 space = dir->max_entries - wsq_bwos_nr_entries(dir), n;
	engine_segment *more;

	if (!grow || !space || attached->nr_more == MAX_PIECES)
		return;
	more = &attached->more[attached->nr_more++];
	if (attached->nr_more > attached->nr_made) {
		n = (u32)(rnd(&p->state) % space) + 1;
		segment_new(more, attached->nr_more < MAX_PIECES ? n : space,
			    attached->mem.block_size, 1);
		attached->nr_made++;
	}
	n = engine(extend)(&queue, more);
	check(n == more->nr_entries, "grew by %u, not %u", n, more->nr_entries);
	check(!engine(short)(&queue), "grew by %u, and is short", n);
	nr_growths++;
}

/* No other thread is left: all waiting memory must be clean. */
static inline void memory_end(struct party *p, bool claimed)
{
	struct memory *m;
	u32 i;

	detach(p, claimed);
	reap(p, 0, claimed);
	while ((m = spotless)) {
		spotless = m->next;
		discard(m);
	}
	for (i = 0; i <= MAX_POISONED; i++) {
		m = poisoned[i];
		if (!m)
			continue;
		parts(m, false);
		memory_free(m);
	}
}

/*
 * The order in which the owner gets its tasks: ascending from a FIFO, the
 * topmost that no other party has taken from a LIFO.
 */
static u32 *stack;
static u64 height;

static inline bool order_open(void)
{
	stack = (u32 *)calloc(nr_items + 1, sizeof(*stack));
	return stack;
}

static inline void owner_put(u64 id)
{
	if (ENGINE_LIFO)
		stack[height++] = (u32)id;
}

static inline void owner_took(struct party *p, void *task)
{
	if (!ENGINE_LIFO) {
		took_in_order(p, task);
		return;
	}
	while (height && stack[height - 1] != id_of(task))
		height--;
	check(height, "the owner got %llu, which is not what is on top",
	      id_of(task));
	height--;
	took(p, task);
}

#endif /* _WSQ_SELFTESTS_MEMORY_H */
