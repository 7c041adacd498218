/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MaxRegister: a word whose read returns the highest number written so far, made
 * of loads and stores alone. Two of them.
 *
 * Flat: each party has a word, its own maximum; a read looks at all of them.
 * Tree: J. Aspnes, H. Attiya, K. Censor-Hillel, "Polylogarithmic concurrent data
 * structures from monotone circuits" (J. ACM 2012). A node has a switch, which
 * goes from 0 to 1 once: the maximum is in its right half. A write sets the
 * switches of its path from the leaf upwards, so a switch that is seen leads to
 * a number that was written completely. A write that would go left of a switch
 * that is set is obsolete; it still sets the switches above.
 *
 * The tree here is unbalanced, which makes both operations logarithmic in the
 * number, not in a bound chosen before: segment k has the numbers from 2^k - 1
 * to 2^(k+1) - 2, and a list of switches leads from each segment to the next.
 * In a segment the node above number v, j levels up, has index (v + 1) >> j.
 *
 * What both give: if one operation precedes another, the later one's read does
 * not return less than what the earlier one has written or read. Operations
 * precede each other by program order on a CPU, or by a release and an acquire,
 * for instance those of a read that returns what a write has stored. For the
 * flat one this needs that a party writes no number without a read of its own
 * that returned less, as takes and thefts do: two steps of one operation.
 *
 * For: ws_mult_strict.h. Memory comes from the caller, so this could be in
 * kmod/core.
 *
 * Cost: flat: read: an acquire for each party, in as many cache lines; write: a
 * store-release. Tree: read: an acquire for each of 2 * log2(v) switches; write:
 * as many loads, and at most as many store-releases. 64 bytes for each party,
 * or 8 bytes for each number up to the highest.
 *
 * Limitations: the tree's memory is never used again, since a switch does not
 * go back.
 *
 * Accesses bear labels MR(operation:letter). Pairs, and what rests on each:
 *
 *	MR(flat:B) release -> MR(flat:A) acquire
 *		A party that reads a number sees what the party that wrote it
 *		saw before.
 *	MR(set:B) release -> MR(read:A), MR(read:C) acquire
 *		The same; and a party that sees a switch sees all switches that
 *		were set before it, those below in its right half among them.
 *	MR(add:A) release -> MR(read:B), MR(write:B) acquire
 *		A party that sees the switch before a segment, or a task whose
 *		number ends in it, sees the segment's memory, zeroed.
 *
 * The acquires of MR(write:A) and MR(write:C) are not needed.
 * litmus/mult_max-write.litmus
 */
#ifndef _WSQ_BENCH_MULT_MAX_REGISTER_H
#define _WSQ_BENCH_MULT_MAX_REGISTER_H

#include <wsq_platform.h>

#define WSQ_MAX_FLAT		0
#define WSQ_MAX_TREE		1

#define WSQ_MAX_SEGMENTS	48

/**
 * struct wsq_max_own - a party's own maximum
 * @max: the number; the party writes it, others read it
 */
struct wsq_max_own {
	atomic64_t max;
} WSQ_CACHE_ALIGNED;

/**
 * struct wsq_max_register - a register
 * @own: flat: one for each party; @max is 0 at first. Constant
 * @nr_parties: flat: number of parties. Constant
 * @beyond: tree: the maximum is beyond this segment. Any party
 * @segments: tree: switches of each segment; %NULL as long as there is no
 *	memory for it. Owner
 */
struct wsq_max_register {
	struct wsq_max_own *own;
	u32 nr_parties;
	atomic64_t beyond[WSQ_MAX_SEGMENTS];
	wsq_slot_t segments[WSQ_MAX_SEGMENTS];
};

/* The segment of number @v. */
static inline u32 wsq_max_segment(u64 v)
{
	return 63 - (u32)__builtin_clzll(v + 1);
}

/* Switches of segment @k, with one that is not used. */
static inline u64 wsq_max_switches(u32 k)
{
	return 1ULL << k;
}

/**
 * wsq_max_init() - initialize a register with 0
 * @r: the register
 * @own: flat: an array with 0 for each party; tree: %NULL
 * @nr_parties: its size
 *
 * Context: before any other context knows @r.
 */
static inline void wsq_max_init(struct wsq_max_register *r, struct wsq_max_own *own, u32 nr_parties)
{
	u32 k;

	r->own = own;
	r->nr_parties = nr_parties;
	for (k = 0; k < WSQ_MAX_SEGMENTS; k++) {
		atomic64_set(&r->beyond[k], 0);
		wsq_slot_reset(&r->segments[k]);
	}
}

/**
 * wsq_max_add() - tree: add the memory of a segment
 * @r: the register
 * @k: the segment, below %WSQ_MAX_SEGMENTS; those before have memory
 * @switches: wsq_max_switches() zeroed words
 *
 * To precede the put of the first task whose taker writes a number of @k.
 *
 * Context: the owner.
 */
static inline void wsq_max_add(struct wsq_max_register *r, u32 k, atomic64_t *switches)
{
	wsq_slot_publish(&r->segments[k], switches);		/* MR(add:A) */
}

static inline u64 wsq_max_flat_read(struct wsq_max_register *r)
{
	u64 max = 0, v;
	u32 i;

	for (i = 0; i < r->nr_parties; i++) {
		v = (u64)atomic64_read_acquire(&r->own[i].max);	/* MR(flat:A) */
		if (v > max)
			max = v;
	}
	return max;
}

static inline u64 wsq_max_tree_read(struct wsq_max_register *r)
{
	atomic64_t *switches;
	u64 at = 1;
	u32 k = 0, j;

	while (atomic64_read_acquire(&r->beyond[k]))		/* MR(read:A) */
		k++;
	switches = (atomic64_t *)wsq_slot_acquire(&r->segments[k]); /* MR(read:B) */
	for (j = k; j; j--)
		at = 2 * at + (u64)atomic64_read_acquire(&switches[at]); /* MR(read:C) */
	return at - 1;
}

/* A switch that is set already was set by a party that had set those below. */
static inline void wsq_max_set(atomic64_t *at)
{
	if (!atomic64_read(at))					/* MR(set:A) */
		atomic64_set_release(at, 1);			/* MR(set:B) */
}

static inline void wsq_max_tree_write(struct wsq_max_register *r, u64 v)
{
	u64 u = v + 1;
	u32 k = wsq_max_segment(v), j = k;
	atomic64_t *switches;

	if (!atomic64_read_acquire(&r->beyond[k])) {		/* MR(write:A) */
		switches = (atomic64_t *)wsq_slot_acquire(&r->segments[k]); /* MR(write:B) */
		/* Down, until a switch says that the maximum is on the right. */
		for (; j; j--)
			if (!(u >> (j - 1) & 1) &&
			    atomic64_read_acquire(&switches[u >> j])) /* MR(write:C) */
				break;
		for (j++; j <= k; j++)
			if (u >> (j - 1) & 1)
				wsq_max_set(&switches[u >> j]);
	}
	while (k--)
		wsq_max_set(&r->beyond[k]);
}

/**
 * wsq_max_read() - read a register
 * @r: the register
 * @kind: WSQ_MAX_*, the same for all parties
 *
 * Context: any. Bounded by the parties, or by 96 steps.
 * Return: the highest number written so far.
 */
static __always_inline u64 wsq_max_read(struct wsq_max_register *r, u32 kind)
{
	return kind == WSQ_MAX_FLAT ? wsq_max_flat_read(r) : wsq_max_tree_read(r);
}

/**
 * wsq_max_write() - write a number to a register
 * @r: the register
 * @kind: WSQ_MAX_*, the same for all parties
 * @party: number of the calling party
 * @v: higher than what wsq_max_read() has returned in this operation
 *
 * Context: any; one at a time for each party. Bounded by 144 steps.
 */
static __always_inline void wsq_max_write(struct wsq_max_register *r, u32 kind, u32 party, u64 v)
{
	if (kind == WSQ_MAX_FLAT)
		/* Not less than its own, which the read has seen. */
		atomic64_set_release(&r->own[party].max, (s64)v); /* MR(flat:B) */
	else
		wsq_max_tree_write(r, v);
}

#endif /* _WSQ_BENCH_MULT_MAX_REGISTER_H */
