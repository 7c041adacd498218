// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPUs of a pointer pool have something for thieves. reach.h says why and
 * has the pairs. Costs: 128 bytes a domain and pool, rounded up to a power of
 * two in all. A put that begins a block pays a full barrier and two loads, and
 * writes nothing while its bits are set.
 */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "reach.h"
#include "victim.h"

/* A thief skips this many marks before it ignores one. */
#define WSQ_REACH_PASSES	64

/**
 * wsq_reach_init() - allocate the words of a pool
 * @pool: the pool; @topo is set
 *
 * Context: task; may sleep.
 * Return: 0 or %-ENOMEM.
 */
int wsq_reach_init(struct wsq_pool *pool)
{
	unsigned int nr = wsq_topology_domains(pool->topo);
	struct wsq_reach_all *all;
	size_t size, map;

	if (!nr)
		return -ENOMEM;
	map = struct_size(all, domains, nr);
	size = map + BITS_TO_LONGS(nr) * sizeof(*all->map);
	/* A power of two is aligned to itself, so to cache lines. */
	all = kvzalloc(roundup_pow_of_two(size), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	all->words = BITS_TO_LONGS(nr);
	all->map = (void *)all + map;
	pool->reach = all;
	return 0;
}

/**
 * wsq_reach_exit() - free the words of a pool
 * @pool: the pool, no longer in use
 *
 * Context: task; may sleep.
 */
void wsq_reach_exit(struct wsq_pool *pool)
{
	kvfree(pool->reach);
	pool->reach = NULL;
}

/**
 * wsq_reach_set() - set the bit of a container that has something for thieves
 * @ct: the container. Nothing happens if it is a queue's
 *
 * Context: any, NMI included; after what thieves can reach was stored.
 */
void wsq_reach_set(const struct wsq_container *ct)
{
	struct wsq_reach_all *all = ct->pool->reach;
	const struct wsq_cpu_location *loc;
	struct wsq_reach *d;

	if (!all)
		return;
	loc = wsq_pool_location(ct->pool, ct->cpu);
	d = &all->domains[loc->domain];
	/* The task before the bit: against a thief that clears the bit. */
	smp_mb();					/* RC(set:A) */
	if (!test_bit(loc->bit, &d->bits)) {
		set_bit(loc->bit, &d->bits);		/* RC(set:B) */
		smp_mb__after_atomic();			/* RC(set:C) */
	}
	if (!test_bit(loc->domain, all->map))
		set_bit(loc->domain, all->map);
}
WSQ_EXPORT_KUNIT(wsq_reach_set);

/**
 * wsq_reach_clear() - clear the bit of a container
 * @ct: the container, in which a thief has found nothing
 *
 * Context: any.
 * Return: true if the caller must look again, and call wsq_reach_set() if it
 * finds anything; false if another CPU has cleared the bit.
 */
bool wsq_reach_clear(const struct wsq_container *ct)
{
	const struct wsq_cpu_location *loc = wsq_pool_location(ct->pool, ct->cpu);
	unsigned long *bits = &wsq_reach_of(ct->pool, ct->cpu)->bits;

	/* Full barrier: against RC(set:A). */
	return test_bit(loc->bit, bits) &&
	       test_and_clear_bit(loc->bit, bits);	/* RC(clear:A) */
}

/**
 * wsq_reach_near() - has another CPU of this domain something for thieves
 * @pool: the pool
 * @self: this CPU
 * @dry: many pops in a row found nothing: clear the machine's bit if no CPU of
 *	the domain has anything
 *
 * Context: any.
 * Return: true if so.
 */
bool wsq_reach_near(const struct wsq_pool *pool, unsigned int self, bool dry)
{
	const struct wsq_cpu_location *loc = wsq_pool_location(pool, self);
	struct wsq_reach *d = wsq_reach_of(pool, self);
	unsigned long *map = pool->reach->map;
	unsigned long bits = READ_ONCE(d->bits);

	if (!bits && dry && test_bit(loc->domain, map)) {
		clear_bit(loc->domain, map);		/* RC(look:A) */
		smp_mb__after_atomic();			/* RC(look:B) */
		bits = READ_ONCE(d->bits);
		if (bits)
			set_bit(loc->domain, map);
	}
	return bits & ~BIT(loc->bit);
}

/**
 * wsq_reach_far() - has a CPU of another domain something for thieves
 * @pool: the pool
 * @self: this CPU
 *
 * Context: any.
 * Return: true if so.
 */
bool wsq_reach_far(const struct wsq_pool *pool, unsigned int self)
{
	unsigned int home = wsq_pool_location(pool, self)->domain, i;
	const struct wsq_reach_all *all = pool->reach;

	for (i = 0; i < all->words; i++) {
		unsigned long word = READ_ONCE(all->map[i]);

		if (i == home / BITS_PER_LONG)
			word &= ~BIT(home % BITS_PER_LONG);
		if (word)
			return true;
	}
	return false;
}

/**
 * wsq_reach_skip() - skip what another thief has marked
 * @mark: the mark
 * @self: this CPU
 * @note: the other thief shall look again
 *
 * Context: any, with preemption off.
 * Return: the CPU of the other thief. If @note is true, the mark has the note:
 * unless that thief finds something, it looks again here, and in other domains
 * if it is of this one. nr_cpu_ids if the mark was cleared, and another thief
 * set it again, during this call: that one sees what the caller knows of. @self
 * if the caller now holds the mark: there was none, it has skipped
 * %WSQ_REACH_PASSES in a row, or the mark belongs to a pop on this CPU that the
 * caller interrupted.
 */
unsigned int wsq_reach_skip(atomic_t *mark, unsigned int self, bool note)
{
	u32 *passed = &wsq_pool_thief(self)->passed;
	int was, marked;

	if (note && *passed >= WSQ_REACH_PASSES) {
		WRITE_ONCE(*passed, 0);
		/* Full barrier: this one does what the notes were for. */
		atomic_xchg(mark, self + 1);		/* RC(skip:B) */
		return self;
	}
	/* What this thief knows of, then the mark: against RC(leave:A). */
	smp_mb();					/* RC(skip:A) */
	marked = atomic_read(mark);
	was = marked;
	if (note && was > 0)
		was = atomic_cmpxchg_relaxed(mark, was, was | WSQ_MARK_NOTED);
	if (!was && wsq_reach_enter(mark, self))
		return self;
	/* Another thief's, without a note. */
	if (note && was > 0 && was != marked)
		was = 0;
	if (note)
		WRITE_ONCE(*passed, *passed + 1);
	return was ? (was & ~WSQ_MARK_NOTED) - 1 : nr_cpu_ids;
}
