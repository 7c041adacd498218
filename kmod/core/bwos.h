/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What both BWoS queues share: limits, positions, the space reservation for
 * claimed slots, and the directory of blocks.
 *
 * A position is one 64-bit word, round above index, so that one compare covers
 * both. What a round counts, and what else a block has, differs between the
 * queues (bwos_fifo.h, bwos_lifo.h).
 *
 * Directory entries form a ring. The word of an entry holds the index of the
 * next entry and the number of the block that serves here, so a step to the
 * next entry loads one word. A table maps block numbers to addresses. Blocks
 * may be added later, in further memory segments; a block keeps its number.
 *
 * The directory grows by inserting new entries behind an existing one
 * (wsq_bwos_dir_insert()). The new entries are written first, then the number
 * of entries, and last the word that links the new entries into the ring. No
 * context waits for another.
 *
 * A pass over all entries of a directory that may grow counts its steps and
 * rereads the number of entries at each step. It visits every entry that
 * existed when it began: inserting keeps the order of the existing entries, the
 * pass ends only after as many steps as there are entries on its way, and it
 * meets no entry twice before it has been around. Tasks in entries inserted
 * during the pass were put during the pass.
 *
 * Accesses bear labels BW(operation:letter). Pairs, and what rests on each:
 *
 *	BW(insert:D) release -> BW(at:A) acquire
 *		A reader that finds a new entry by the word of the one before
 *		also sees the entry's own word, its block's address and words,
 *		and the new number of entries.
 *		litmus/bwos-insert-at.litmus
 *	BW(insert:C) release -> BW(entries:A) acquire
 *		As above, for a reader that finds the entry by the number of
 *		entries.
 *		litmus/bwos-insert-places.litmus
 *	BW(replace:A) release -> BW(at:A) acquire
 *		As above, for a reader that finds another block in an old entry,
 *		one that was added with new entries.
 *		litmus/bwos-replace-at.litmus
 *	BW(insert:A) release -> BW(find:A) acquire
 *		A reader that has a block's number from elsewhere, and finds its
 *		address, sees the block's words and slots as initialized.
 *		litmus/bwos-insert-find.litmus
 *
 * No order: BW(own:D), where the owner of the directory reads words that only
 * it writes, and BW(block:A), whose number comes from a word that was read with
 * acquire, or is read by the owner.
 *
 * Cost: a step from one entry to the next loads the words of both and a block
 * address.
 */
#ifndef _WSQ_CORE_BWOS_H
#define _WSQ_CORE_BWOS_H

#include <wsq_platform.h>

#define WSQ_BWOS_MIN_BLOCKS	2
#define WSQ_BWOS_MAX_BLOCKS	64
#define WSQ_BWOS_MIN_BLOCK_SIZE	2
#define WSQ_BWOS_MAX_BLOCK_SIZE	4096

/*
 * 13 bits hold the index 4096. 51 bits of round last 260 days at one round
 * every 10 ns. Only a thief that sleeps for exactly that long could be misled.
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

/* What a claim returns if the task had already been taken out of the slot. */
#define WSQ_TOMB		((void *)-2L)

/**
 * struct wsq_bwos_space - space reservation, between reserve and commit
 * @b: the producer's position
 * @nr: number of the first slot
 * @n: number of consecutive slots
 */
struct wsq_bwos_space {
	u64 b;
	u32 nr;
	u32 n;
};

/**
 * struct wsq_bwos_dir - directory and blocks of a queue, part of its memory
 * @words: word of each entry, @max_entries of them. Written by the owner
 * @blocks: address of each block, 0 if there is no block of that number;
 *	@max_blocks of them. Written by the owner
 * @nr_entries: number of entries. Written by the owner
 * @spare: numbers of blocks that may serve in any entry. Owner only
 * @held: numbers of blocks whose thieves have not counted yet. Owner only. Has
 *	space for as many as @spare, @max_blocks - @max_entries
 * @nr_blocks: block numbers assigned. Owner only
 * @max_entries: maximum number of entries. Constant
 * @max_blocks: maximum number of blocks, spare ones included. Constant
 *
 * The owner is the context that changes the directory. In a FIFO queue that is
 * the producer, which alone replaces blocks and holds the consumer's role as
 * well when it grows the directory. In a LIFO queue it is the queue's owner.
 */
struct wsq_bwos_dir {
	atomic64_t *words;
	atomic64_t *blocks;
	atomic64_t nr_entries;
	u16 *spare;
	u16 *held;
	u32 nr_blocks;
	u32 max_entries;
	u32 max_blocks;
};

static inline u64 wsq_bwos_word(u32 next, u64 nr)
{
	return (u64)next << 32 | nr;
}

/* Index of the entry behind the one whose word is @word. */
static inline u32 wsq_bwos_next(u64 word)
{
	return (u32)(word >> 32);
}

/* Number of the block that serves in the entry whose word is @word. */
static inline u32 wsq_bwos_nr(u64 word)
{
	return (u32)word;
}

/* The word of entry @index, for any reader. */
static inline u64 wsq_bwos_at(const struct wsq_bwos_dir *dir, u32 index)
{
	/* Pairs with BW(insert:D) and BW(replace:A). */
	return (u64)atomic64_read_acquire(&dir->words[index]);	/* BW(at:A) */
}

/* The word of entry @index, for the owner, or a context that it interrupted. */
static inline u64 wsq_bwos_own_at(const struct wsq_bwos_dir *dir, u32 index)
{
	return (u64)atomic64_read(&dir->words[index]);		/* BW(own:D) */
}

/* Lower bound of the number of entries. */
static inline u32 wsq_bwos_nr_entries(const struct wsq_bwos_dir *dir)
{
	/* Pairs with BW(insert:C). */
	return (u32)atomic64_read_acquire(&dir->nr_entries);	/* BW(entries:A) */
}

/* Address of a block that is known to exist. */
static inline void *wsq_bwos_block_at(const struct wsq_bwos_dir *dir, u32 nr)
{
	return (void *)(uintptr_t)
		atomic64_read(&dir->blocks[nr]);		/* BW(block:A) */
}

/* Address of block @nr, any number; %NULL if there is none, or not yet. */
static inline void *wsq_bwos_find(const struct wsq_bwos_dir *dir, u32 nr)
{
	if (nr >= dir->max_blocks)
		return NULL;
	/* Pairs with BW(insert:A). */
	return (void *)(uintptr_t)
		atomic64_read_acquire(&dir->blocks[nr]);	/* BW(find:A) */
}

/* Make block @nr serve in entry @index. */
static inline void wsq_bwos_dir_replace(struct wsq_bwos_dir *dir, u32 index, u32 nr)
{
	u32 next = wsq_bwos_next(wsq_bwos_own_at(dir, index));	/* BW(own:D) */

	/* The block may be newer than the entry: pairs with BW(at:A) */
	atomic64_set_release(&dir->words[index],		/* BW(replace:A) */
			     (s64)wsq_bwos_word(next, nr));
}

/* Assign a number to the initialized block at @blk. */
static inline u32 wsq_bwos_number(struct wsq_bwos_dir *dir, void *blk)
{
	u32 nr = dir->nr_blocks++;

	/* Pairs with BW(find:A). */
	atomic64_set_release(&dir->blocks[nr],			/* BW(insert:A) */
			     (s64)(uintptr_t)blk);
	return nr;
}

/*
 * Insert @n entries behind entry @index, with the blocks @nr, @nr + 1, ... The
 * caller has checked the limits. Returns the index of the last one.
 */
static inline u32 wsq_bwos_dir_insert(struct wsq_bwos_dir *dir, u32 index,
				      u32 nr, u32 n)
{
	u64 was = wsq_bwos_own_at(dir, index);			/* BW(own:D) */
	u32 first = (u32)atomic64_read(&dir->nr_entries);	/* BW(own:D) */
	u32 i;

	for (i = 0; i < n; i++)
		atomic64_set(&dir->words[first + i],		/* BW(insert:B) */
			     (s64)wsq_bwos_word(i + 1 < n ? first + i + 1 :
						wsq_bwos_next(was), nr + i));
	/* A reader that has an entry's index sees its word: BW(entries:A). */
	atomic64_set_release(&dir->nr_entries, (s64)(first + n)); /* BW(insert:C) */
	/* So does a reader that reaches it through the ring: BW(at:A). */
	atomic64_set_release(&dir->words[index],		/* BW(insert:D) */
			     (s64)wsq_bwos_word(first, wsq_bwos_nr(was)));
	return first + n - 1;
}

#endif /* _WSQ_CORE_BWOS_H */
