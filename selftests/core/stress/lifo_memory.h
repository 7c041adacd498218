/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a LIFO queue that comes and goes, and grows while it is there, beside
 * thieves: sections that keep it, and the list of what waits for them to end.
 *
 * For: bwos_lifo.c, lifo_claims.c. Costs: a section has a full barrier. Limitation:
 * memory is freed as soon as it may be, so it is the address sanitizer that sees
 * who comes late; claims.c has what goes further.
 */
#ifndef _WSQ_SELFTESTS_LIFO_MEMORY_H
#define _WSQ_SELFTESTS_LIFO_MEMORY_H

#include "lifo.h"

#include "book.h"

#define MAX_PIECES	5

/**
 * struct memory - memory, mounted or out of use
 * @mem: what a queue gets
 * @more: what it has grown by
 * @nr_more: how many of them
 * @next: what was taken away before it
 * @section: where each party was when it was taken away
 */
struct memory {
	struct wsq_bwos_lifo_mem mem;
	struct wsq_bwos_lifo_piece more[MAX_PIECES];
	u32 nr_more;
	struct memory *next;
	u64 section[MAX_THREADS];
};

static struct memory *retired;

static inline void enter(struct party *p)
{
	__atomic_store_n(&p->section, p->section + 1, __ATOMIC_RELAXED);
	/* Either memory_retire() sees the section, or the section other memory. */
	smp_mb();
}

static inline void leave(struct party *p)
{
	__atomic_store_n(&p->section, p->section + 1, __ATOMIC_RELEASE);
}

/* One that may grow has two places at first, and @places in the end. */
static inline struct memory *memory_new(u32 places, u32 size, u32 spare,
					bool grows)
{
	struct memory *m = (struct memory *)calloc(1, sizeof(*m));

	if (!m)
		abort();
	lifo_mem_new_max(&m->mem, grows ? 2 : places, size, spare, places,
			 spare + (grows ? MAX_PIECES : 0));
	return m;
}

/*
 * The owner: have the queue grow by a piece of any size, if it may. Returns by how
 * many places.
 */
static inline u32 memory_grow(struct memory *m, struct wsq_bwos_lifo *q,
			      struct party *p)
{
	u32 room = m->mem.dir.max_places - wsq_bwos_places(&m->mem.dir), n;
	struct wsq_bwos_lifo_piece *more = &m->more[m->nr_more];

	if (!room || m->nr_more == MAX_PIECES)
		return 0;
	m->nr_more++;
	n = (u32)(rnd(&p->state) % room) + 1;
	lifo_piece_new(more, m->nr_more < MAX_PIECES ? n : room,
		       m->mem.block_size, 1);
	n = wsq_bwos_lifo_extend(q, more);
	check(n == more->nr_places, "grew by %u, not %u", n, more->nr_places);
	check(!wsq_bwos_lifo_short(q), "grew by %u, and is short", n);
	return n;
}

static inline void memory_look(const struct memory *m,
			       const struct wsq_bwos_lifo_piece *piece)
{
	u32 nr = (piece->nr_places + piece->nr_spare) * m->mem.block_size, i;

	for (i = 0; i < nr; i++)
		check(!piece->slots[i].task,
		      "task %llu stayed in slot %u of memory taken away",
		      id_of(piece->slots[i].task), i);
}

/*
 * Nobody looks at it any more: all that came late has come. Claimed slots are
 * empty then.
 */
static inline void memory_free(struct memory *m, bool claimed)
{
	u32 i;

	if (claimed)
		memory_look(m, &m->mem.first);
	for (i = 0; i < m->nr_more; i++) {
		if (claimed)
			memory_look(m, &m->more[i]);
		lifo_piece_free(&m->more[i]);
	}
	lifo_mem_free(&m->mem);
	free(m);
}

/* Has each party left the section it was in? */
static inline bool sections_over(const struct memory *m)
{
	u32 i;

	for (i = 1; i < MAX_THREADS; i++)
		if (m->section[i] % 2 &&
		    __atomic_load_n(&parties[i].section, __ATOMIC_ACQUIRE) ==
		    m->section[i])
			return false;
	return true;
}

static inline void memory_reap(bool claimed)
{
	struct memory **at = &retired, *m;

	while ((m = *at)) {
		if (sections_over(m)) {
			*at = m->next;
			memory_free(m, claimed);
		} else {
			at = &m->next;
		}
	}
}

/* No queue has it any more: free it when all sections that may know it are over. */
static inline void memory_retire(struct memory *m, bool claimed)
{
	u32 i;

	/* Pairs with enter(). */
	smp_mb();
	for (i = 0; i < MAX_THREADS; i++)
		m->section[i] = __atomic_load_n(&parties[i].section,
						__ATOMIC_ACQUIRE);
	m->next = retired;
	retired = m;
	memory_reap(claimed);
}

#endif /* _WSQ_SELFTESTS_LIFO_MEMORY_H */
