/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What both BWoS queues have: how many blocks of what size, positions, room for
 * tasks in claimed slots, and a directory: which place comes behind which, which
 * block serves there, and where blocks are.
 *
 * A position is one 64-bit word, round above index, so that one compare covers
 * both. What a round counts, and what else a block has, is each queue's own
 * business (bwos_fifo.h, bwos_lifo.h).
 *
 * Places form a ring. The word of a place names the next one and the number of
 * the block that serves here, in one word, so that who steps from place to place
 * loads one word for each. A table has the address of each block by its number:
 * blocks may come later, in further pieces of memory, and numbers are for good.
 *
 * Growing inserts new places behind one of the ring (wsq_bwos_dir_insert()):
 * first all that belongs to them is written, then how many places there are, last
 * the word that makes them part of the ring. Nobody waits for anybody.
 *
 * Who passes over all places of a directory that may grow meanwhile, counts his
 * steps and asks at each for the number of places anew. So he visits each place
 * that was there when he began: inserting leaves the order of the others as it
 * is, the pass ends only after as many steps as there are places that it can have
 * come by, and until it is around it comes by none twice. What is in places that
 * came meanwhile was put meanwhile.
 *
 * Accesses bear labels BW(operation:letter). Pairs, and what rests on each:
 *
 *	BW(insert:D) release -> BW(at:A) acquire
 *		Who finds a new place by the word of the one before finds its own
 *		word, its block's address and words, and sees that there are so
 *		many places.
 *		litmus/bwos-insert-at.litmus
 *	BW(insert:C) release -> BW(places:A) acquire
 *		The same for who finds it because there are so many.
 *		litmus/bwos-insert-places.litmus
 *	BW(replace:A) release -> BW(at:A) acquire
 *		... and for who finds another block in an old place, one that came
 *		with new places.
 *		litmus/bwos-replace-at.litmus
 *	BW(insert:A) release -> BW(find:A) acquire
 *		Who has a block's number from elsewhere, and finds its address,
 *		sees its words and slots as they were made.
 *		litmus/bwos-insert-find.litmus
 *
 * No order: BW(own:D), where the owner of the directory reads what nobody else
 * writes, and BW(block:A), for a number from a word that was read with acquire, or
 * by the owner.
 *
 * For: those two. Costs: a step from one place to the next loads the two places'
 * words and an address.
 */
#ifndef _WSQ_CORE_BWOS_H
#define _WSQ_CORE_BWOS_H

#include <wsq_platform.h>

#define WSQ_BWOS_MIN_BLOCKS	2
#define WSQ_BWOS_MAX_BLOCKS	64
#define WSQ_BWOS_MIN_BLOCK_SIZE	2
#define WSQ_BWOS_MAX_BLOCK_SIZE	4096

/*
 * 13 bits hold the index 4096. 51 bits of round last 260 days at one every
 * 10 ns, and only a thief asleep for exactly that long could be fooled.
 */
#define WSQ_BWOS_IDX_BITS	13
#ifndef WSQ_BWOS_ROUND_BITS
#define WSQ_BWOS_ROUND_BITS	51
#endif

#define WSQ_BWOS_IDX_MASK	((1ULL << WSQ_BWOS_IDX_BITS) - 1)
#define WSQ_BWOS_ROUND_ONE	(WSQ_BWOS_IDX_MASK + 1)
#define WSQ_BWOS_ROUND_MASK	\
	(((1ULL << WSQ_BWOS_ROUND_BITS) - 1) << WSQ_BWOS_IDX_BITS)

static inline u64 wsq_bwos_idx(u64 pos)
{
	return pos & WSQ_BWOS_IDX_MASK;
}

static inline u64 wsq_bwos_round(u64 pos)
{
	return pos & WSQ_BWOS_ROUND_MASK;
}

/* The round after that of @pos, with index 0. */
static inline u64 wsq_bwos_next_round(u64 pos)
{
	return (wsq_bwos_round(pos) + WSQ_BWOS_ROUND_ONE) & WSQ_BWOS_ROUND_MASK;
}

/* A claim's answer: a task was here, and somebody took it out. */
#define WSQ_TOMB		((void *)-2L)

/**
 * struct wsq_bwos_room - room for tasks, between reserve and commit
 * @b: the producer's position
 * @nr: number of the first slot
 * @n: slots there are in a row
 */
struct wsq_bwos_room {
	u64 b;
	u32 nr;
	u32 n;
};

/**
 * struct wsq_bwos_dir - places and blocks of a queue, part of its memory
 * @words: word of each place, @max_places of them. Written by the owner
 * @blocks: address of each block, 0 while there is none of that number;
 *	@max_blocks of them. Written by the owner
 * @nr_places: places there are. Written by the owner
 * @spare: numbers of blocks that may serve anywhere. Owner only
 * @held: numbers of blocks that wait for a thief to count. Owner only; as many as
 *	there may be of @spare, @max_blocks - @max_places
 * @nr_blocks: numbers that were given. Owner only
 * @max_places: places there may be. Constant
 * @max_blocks: blocks there may be, spare ones included. Constant
 *
 * The owner is whoever changes places: the producer of a FIFO queue, who alone
 * replaces, and is the consumer as well when it grows; a LIFO queue's owner.
 */
struct wsq_bwos_dir {
	atomic64_t *words;
	atomic64_t *blocks;
	atomic64_t nr_places;
	u16 *spare;
	u16 *held;
	u32 nr_blocks;
	u32 max_places;
	u32 max_blocks;
};

static inline u64 wsq_bwos_word(u32 next, u64 nr)
{
	return (u64)next << 32 | nr;
}

/* The place behind the one whose word is @word. */
static inline u32 wsq_bwos_next(u64 word)
{
	return (u32)(word >> 32);
}

/* The number of the block that serves there. */
static inline u32 wsq_bwos_nr(u64 word)
{
	return (u32)word;
}

/* The word of @place, for anybody. */
static inline u64 wsq_bwos_at(const struct wsq_bwos_dir *dir, u32 place)
{
	/* Pairs with BW(insert:D) and BW(replace:A). */
	return (u64)atomic64_read_acquire(&dir->words[place]);	/* BW(at:A) */
}

/* The word of @place, for those who change it, or wait while others do. */
static inline u64 wsq_bwos_own_at(const struct wsq_bwos_dir *dir, u32 place)
{
	return (u64)atomic64_read(&dir->words[place]);		/* BW(own:D) */
}

/* Places there are, at least. */
static inline u32 wsq_bwos_places(const struct wsq_bwos_dir *dir)
{
	/* Pairs with BW(insert:C). */
	return (u32)atomic64_read_acquire(&dir->nr_places);	/* BW(places:A) */
}

/* The address of a block that is known to be there. */
static inline void *wsq_bwos_block_at(const struct wsq_bwos_dir *dir, u32 nr)
{
	return (void *)(uintptr_t)
		atomic64_read(&dir->blocks[nr]);		/* BW(block:A) */
}

/* The address of the block of any number, %NULL if there is none, or not yet. */
static inline void *wsq_bwos_find(const struct wsq_bwos_dir *dir, u32 nr)
{
	if (nr >= dir->max_blocks)
		return NULL;
	/* Pairs with BW(insert:A). */
	return (void *)(uintptr_t)
		atomic64_read_acquire(&dir->blocks[nr]);	/* BW(find:A) */
}

/* Have block @nr serve at @place. */
static inline void wsq_bwos_dir_replace(struct wsq_bwos_dir *dir, u32 place, u32 nr)
{
	u32 next = wsq_bwos_next(wsq_bwos_own_at(dir, place));	/* BW(own:D) */

	/* The block may be younger than the place: pairs with BW(at:A). */
	atomic64_set_release(&dir->words[place],		/* BW(replace:A) */
			     (s64)wsq_bwos_word(next, nr));
}

/* Give the block at @blk, which is ready to be found, a number. */
static inline u32 wsq_bwos_number(struct wsq_bwos_dir *dir, void *blk)
{
	u32 nr = dir->nr_blocks++;

	/* Pairs with BW(find:A). */
	atomic64_set_release(&dir->blocks[nr],			/* BW(insert:A) */
			     (s64)(uintptr_t)blk);
	return nr;
}

/*
 * Insert @n places behind @place, with the blocks @nr, @nr + 1, ...; there is room
 * for them. Returns the last one.
 */
static inline u32 wsq_bwos_dir_insert(struct wsq_bwos_dir *dir, u32 place,
				      u32 nr, u32 n)
{
	u64 was = wsq_bwos_own_at(dir, place);			/* BW(own:D) */
	u32 first = (u32)atomic64_read(&dir->nr_places);	/* BW(own:D) */
	u32 i;

	for (i = 0; i < n; i++)
		atomic64_set(&dir->words[first + i],		/* BW(insert:B) */
			     (s64)wsq_bwos_word(i + 1 < n ? first + i + 1 :
						wsq_bwos_next(was), nr + i));
	/* Who finds a place by its number finds its word: BW(places:A). */
	atomic64_set_release(&dir->nr_places, (s64)(first + n)); /* BW(insert:C) */
	/* Who comes to it by the ring does so, too: BW(at:A). */
	atomic64_set_release(&dir->words[place],		/* BW(insert:D) */
			     (s64)wsq_bwos_word(first, wsq_bwos_nr(was)));
	return first + n - 1;
}

#endif /* _WSQ_CORE_BWOS_H */
