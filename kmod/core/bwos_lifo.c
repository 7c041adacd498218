// SPDX-License-Identifier: GPL-2.0
/*
 * LIFO BWoS, the owner's parts outside the fast path: memory, and moving from
 * block to block. The argument, the labels and the pairs are in bwos_lifo.h;
 * bwos_lifo_steal.c has the thieves' half.
 *
 * Costs: a move from block to block loads a word of the directory, an address and
 * the block's line. Limitations: bwos_lifo.h.
 */
#include "bwos_lifo_mem.h"

static inline struct wsq_bwos_lifo_mem *
wsq_bwos_lifo_mem(const struct wsq_bwos_lifo *q)
{
	/* The owner's own store; thieves have LI(steal:G). */
	return (struct wsq_bwos_lifo_mem *)(uintptr_t)
		atomic64_read(&q->mem);				/* LI(own:F) */
}

/* The block at @place, for the owner. */
static inline struct wsq_bwos_lifo_block *
wsq_bwos_lifo_own_blk(const struct wsq_bwos_lifo_mem *mem, u32 place)
{
	u64 word = wsq_bwos_own_at(&mem->dir, place);		/* LI(own:D) */

	return wsq_bwos_lifo_blk(mem, wsq_bwos_nr(word));
}

/**
 * wsq_bwos_lifo_init() - make a queue that has no memory yet
 * @q: the queue
 *
 * Without memory the queue is full for puts and empty for everybody else.
 *
 * Context: before anybody else knows @q.
 */
void wsq_bwos_lifo_init(struct wsq_bwos_lifo *q)
{
	atomic64_set(&q->pos, 0);
	atomic64_set(&q->low, 0);
	q->slots = NULL;
	q->block_size = 0;
	q->blk = NULL;
	q->round = 0;
	atomic64_set(&q->first, 0);
	q->place = 0;
	q->depth = 0;
	q->nr_spare = 0;
	q->nr_held = 0;
	atomic64_set(&q->t_hint, 0);
	atomic64_set(&q->mem, 0);
}

/* Places there are, for the owner. */
static u32 wsq_bwos_lifo_places(const struct wsq_bwos_lifo_mem *mem)
{
	return (u32)atomic64_read(&mem->dir.nr_places);		/* LI(own:D) */
}

/*
 * Number the blocks of a piece, from the @from-th on. Every one is spent: nothing
 * was ever claimed.
 */
static void wsq_bwos_lifo_supply(struct wsq_bwos_lifo_mem *mem,
				 const struct wsq_bwos_lifo_piece *piece,
				 u32 from, u32 nr)
{
	u32 i;

	for (i = from; i < from + nr; i++) {
		struct wsq_bwos_lifo_block *blk = &piece->blocks[i];

		blk->slots = &piece->slots[(u64)i * mem->block_size];
		atomic64_set(&blk->s_pos, 0);			/* LI(extend:A) */
		atomic64_set(&blk->b_pos, 0);			/* LI(extend:A) */
		atomic64_set(&blk->s_cnt, 0);			/* LI(extend:A) */
		wsq_bwos_number(&mem->dir, blk);		/* BW(insert:A) */
	}
}

/**
 * wsq_bwos_lifo_mount() - give a queue memory
 * @q: the queue, without memory
 * @mem: the memory; the slots of @mem->first hold %NULL if slots are to be
 *	claimed
 *
 * Context: the owner.
 */
void wsq_bwos_lifo_mount(struct wsq_bwos_lifo *q, struct wsq_bwos_lifo_mem *mem)
{
	const struct wsq_bwos_lifo_piece *piece = &mem->first;
	struct wsq_bwos_dir *dir = &mem->dir;
	u32 n = piece->nr_places;
	u32 i;

	dir->nr_blocks = 0;
	wsq_bwos_lifo_supply(mem, piece, 0, n + piece->nr_spare);
	for (i = dir->nr_blocks; i < dir->max_blocks; i++)
		atomic64_set(&dir->blocks[i], 0);
	for (i = 0; i < n; i++) {
		atomic64_set(&dir->words[i],
			     (s64)wsq_bwos_word(i + 1 < n ? i + 1 : 0, i));
		mem->below[i] = (u16)((i ? i : n) - 1);
	}
	atomic64_set(&dir->nr_places, (s64)n);
	for (i = 0; i < piece->nr_spare; i++)
		dir->spare[i] = (u16)(n + i);

	q->blk = piece->blocks;
	q->slots = q->blk->slots;
	q->block_size = mem->block_size;
	q->nr_spare = (u16)piece->nr_spare;
	/* Pairs with LI(steal:G). */
	atomic64_set_release(&q->mem, (s64)(uintptr_t)mem);	/* LI(mount:A) */
}

/**
 * wsq_bwos_lifo_unmount() - take an empty queue's memory away
 * @q: the queue
 *
 * Context: the owner. Thieves may still read the memory, and count in it, until
 * each has left the section it is in: free it after a grace period.
 * Return: the memory, or %NULL if the queue has none or is not empty.
 */
struct wsq_bwos_lifo_mem *wsq_bwos_lifo_unmount(struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);

	if (!mem || !wsq_bwos_lifo_empty(q))
		return NULL;
	wsq_bwos_lifo_init(q);
	return mem;
}

/* Have all thieves counted that claimed any of the first @n slots of @blk? */
static bool wsq_bwos_lifo_counted(struct wsq_bwos_lifo_block *blk, u64 n)
{
	/* Pairs with LI(steal:F): their slot reads are over. */
	return (u64)atomic64_read_acquire(&blk->s_cnt) == n;	/* LI(begin:B) */
}

/* Is there something in @blk, in which the owner is not? The owner asks. */
static bool wsq_bwos_lifo_left(const struct wsq_bwos_lifo_block *blk)
{
	/* Pairs with LI(steal:H): if not, their slot reads are over. */
	u64 s = (u64)atomic64_read_acquire(&blk->s_pos);	/* LI(left:A) */
	u64 b = (u64)atomic64_read(&blk->b_pos);		/* LI(left:B) */

	return wsq_bwos_idx(s) < wsq_bwos_idx(b);
}

/*
 * Have thieves begin at the lowest block that has something. They may have emptied
 * the one at which the owner stands by now, a lap later, and would begin with what
 * is put there next, and have the oldest last. (An owner who cannot go up until they
 * have emptied the next block has nothing to show them.)
 */
static void wsq_bwos_lifo_show_bottom(struct wsq_bwos_lifo *q,
				      const struct wsq_bwos_lifo_mem *mem)
{
	u32 place = q->place;
	u32 d;

	for (d = 0; d < q->depth; d++) {
		struct wsq_bwos_lifo_block *blk;
		u64 b;

		place = mem->below[place];
		blk = wsq_bwos_lifo_own_blk(mem, place);
		if (!wsq_bwos_lifo_left(blk))
			continue;
		b = (u64)atomic64_read(&blk->b_pos);		/* LI(own:B) */
		atomic64_set(&q->t_hint,
			     (s64)(wsq_bwos_round(b) | place));	/* LI(hint:C) */
	}
}

/**
 * wsq_bwos_lifo_extend() - give a queue more memory
 * @q: the queue, with memory
 * @piece: more of it, which stays as long as that; slots hold %NULL if slots are
 *	to be claimed. Of what would be more than the directory has room for, some
 *	is left alone
 *
 * The new places come above the owner's, so that it goes to them next.
 *
 * Context: the owner.
 * Return: how many places there are more.
 */
u32 wsq_bwos_lifo_extend(struct wsq_bwos_lifo *q,
			 const struct wsq_bwos_lifo_piece *piece)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	struct wsq_bwos_dir *dir = &mem->dir;
	u32 spares = dir->max_blocks - dir->max_places - q->nr_spare -
		     q->nr_held;
	u32 first = wsq_bwos_lifo_places(mem);
	u32 room = dir->max_places - first;
	u32 n = piece->nr_places < room ? piece->nr_places : room;
	u32 nr = dir->nr_blocks;
	u32 above, last, i;

	if (spares > piece->nr_spare)
		spares = piece->nr_spare;
	wsq_bwos_lifo_supply(mem, piece, 0, n);
	wsq_bwos_lifo_supply(mem, piece, piece->nr_places, spares);
	for (i = 0; i < spares; i++)
		dir->spare[q->nr_spare++] = (u16)(nr + n + i);
	if (!n)
		return 0;

	above = wsq_bwos_next(wsq_bwos_own_at(dir, q->place));	/* LI(own:D) */
	last = wsq_bwos_dir_insert(dir, q->place, nr, n);	/* BW(insert:D) */
	mem->below[first] = q->place;
	for (i = first + 1; i <= last; i++)
		mem->below[i] = (u16)(i - 1);
	mem->below[above] = (u16)last;
	wsq_bwos_lifo_show_bottom(q, mem);
	return n;
}

/* Is @blk, in which the owner is not, empty and free of thieves? */
static bool wsq_bwos_lifo_spent(const struct wsq_bwos_lifo_mem *mem,
				struct wsq_bwos_lifo_block *blk)
{
	u64 b = (u64)atomic64_read(&blk->b_pos);		/* LI(own:B) */

	if (mem->read_first)
		return !wsq_bwos_lifo_left(blk);
	return wsq_bwos_lifo_counted(blk, wsq_bwos_idx(b));
}

/*
 * A block that may be begun in place of @nr, which a thief still reads; @nr is
 * set aside until the thief has counted. Returns @nr itself if there is none.
 */
static u32 wsq_bwos_lifo_replace(struct wsq_bwos_lifo *q,
				 struct wsq_bwos_lifo_mem *mem, u32 nr)
{
	struct wsq_bwos_dir *dir = &mem->dir;
	u32 other, i;

	if (q->nr_spare) {
		other = dir->spare[--q->nr_spare];
		dir->held[q->nr_held++] = (u16)nr;
		return other;
	}
	for (i = 0; i < q->nr_held; i++) {
		other = dir->held[i];
		if (wsq_bwos_lifo_spent(mem, wsq_bwos_lifo_blk(mem, other))) {
			dir->held[i] = (u16)nr;
			return other;
		}
	}
	return nr;
}

/* Give the blocks back whose thieves have counted meanwhile. */
static void wsq_bwos_lifo_release_held(struct wsq_bwos_lifo *q,
				       struct wsq_bwos_lifo_mem *mem)
{
	struct wsq_bwos_dir *dir = &mem->dir;
	u32 i = 0;

	while (i < q->nr_held) {
		u32 nr = dir->held[i];

		if (wsq_bwos_lifo_spent(mem, wsq_bwos_lifo_blk(mem, nr))) {
			dir->spare[q->nr_spare++] = (u16)nr;
			dir->held[i] = dir->held[--q->nr_held];
		} else {
			i++;
		}
	}
}

/* Block @nr at @place is the owner's. */
static void wsq_bwos_lifo_stand(struct wsq_bwos_lifo *q,
				struct wsq_bwos_lifo_mem *mem, u32 nr, u32 place)
{
	q->blk = wsq_bwos_lifo_blk(mem, nr);
	q->slots = q->blk->slots;
	q->place = (u16)place;
	/* For who pries: a hint. */
	atomic64_set(&q->first, (s64)nr * mem->block_size);	/* LI(own:G) */
}

/* Let thieves have what is in the owner's block. */
static void wsq_bwos_lifo_grant(struct wsq_bwos_lifo *q)
{
	u64 pos = (u64)atomic64_read(&q->pos);			/* LI(own:C) */
	u64 low = (u64)atomic64_read(&q->low);			/* LI(own:A) */

	/* Another round each time, for who slept since an earlier grant. */
	q->round = wsq_bwos_next_round(q->round);
	atomic64_set(&q->blk->b_pos, (s64)(q->round | pos));	/* LI(grant:A) */
	/* Publishes the slots, LI(grant:A) and LI(begin:A) to LI(steal:B). */
	atomic64_set_release(&q->blk->s_pos,
			     (s64)(q->round | low));		/* LI(grant:B) */
	/* All other blocks are empty: this is the bottom. */
	if (!q->depth)
		atomic64_set(&q->t_hint,
			     (s64)(q->round | q->place));	/* LI(hint:C) */
}

/*
 * Grant the owner's block and go up to the next place. False if the block there
 * is not spent and nothing can be put in its place.
 */
static bool wsq_bwos_lifo_up(struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	struct wsq_bwos_lifo_block *blk;
	u32 place, was, nr;

	if (!mem)
		return false;
	place = wsq_bwos_next(wsq_bwos_own_at(&mem->dir, q->place));
	was = wsq_bwos_nr(wsq_bwos_own_at(&mem->dir, place));	/* LI(own:D) */
	blk = wsq_bwos_lifo_blk(mem, was);
	nr = was;

	if (!wsq_bwos_lifo_spent(mem, blk)) {
		/* Tasks, not only thieves that still read? Full. */
		if (wsq_bwos_lifo_left(blk))
			return false;
		nr = wsq_bwos_lifo_replace(q, mem, was);
		if (nr == was)
			return false;
		/* A thief with either number finds a block of this queue. */
		wsq_bwos_dir_replace(&mem->dir, place, nr);	/* LI(begin:C) */
	} else if (q->nr_held) {
		wsq_bwos_lifo_release_held(q, mem);
	}

	wsq_bwos_lifo_grant(q);

	wsq_bwos_lifo_stand(q, mem, nr, place);
	/* Around the queue the bottom is lost, which was empty. */
	if (q->depth + 1U < wsq_bwos_lifo_places(mem))
		q->depth++;
	/* No claim is under way, nor possible before the next grant. */
	atomic64_set(&q->blk->s_cnt, 0);			/* LI(begin:A) */
	atomic64_set(&q->low, 0);				/* LI(own:A) */
	atomic64_set(&q->pos, 0);				/* LI(put:C) */
	return true;
}

/**
 * wsq_bwos_lifo_put_slow() - wsq_bwos_lifo_put() when the block is full
 * @q: the queue
 * @task: what to put
 *
 * Context: as wsq_bwos_lifo_put(). Bounded by the number of spare blocks.
 * Return: %WSQ_OPENED or %WSQ_FULL.
 */
int wsq_bwos_lifo_put_slow(struct wsq_bwos_lifo *q, void *task)
{
	if (!wsq_bwos_lifo_up(q))
		return WSQ_FULL;
	wsq_bwos_lifo_put(q, task);
	return WSQ_OPENED;
}

/**
 * wsq_bwos_lifo_open() - go up to a new block
 * @q: the queue, whose owner's block is full
 *
 * Context: as wsq_bwos_lifo_put(). Bounded by the number of spare blocks.
 * Return: %WSQ_OPENED or %WSQ_FULL.
 */
int wsq_bwos_lifo_open(struct wsq_bwos_lifo *q)
{
	return wsq_bwos_lifo_up(q) ? WSQ_OPENED : WSQ_FULL;
}

/**
 * wsq_bwos_lifo_put_many() - put tasks on top, the last of them topmost
 * @q: the queue
 * @tasks: what to put
 * @nr: how many
 * @opened: set to true if a block was granted to thieves, otherwise left alone
 *
 * Context: as wsq_bwos_lifo_put().
 * Return: how many were put, from the front of @tasks; less than @nr only if the
 * queue is full.
 */
u32 wsq_bwos_lifo_put_many(struct wsq_bwos_lifo *q, void *const *tasks, u32 nr,
			   bool *opened)
{
	u32 done = 0;

	while (done < nr) {
		u64 i = (u64)atomic64_read(&q->pos);		/* LI(put:A) */
		u64 room = q->block_size - i;
		u64 n = room < nr - done ? room : nr - done;
		u64 k;

		if (!n) {
			if (!wsq_bwos_lifo_up(q))
				break;
			*opened = true;
			continue;
		}
		for (k = 0; k < n; k++)
			wsq_slot_write(&q->slots[i + k],	/* LI(put:B) */
				       tasks[done + k]);
		atomic64_set(&q->pos, (s64)(i + n));		/* LI(put:C) */
		done += (u32)n;
	}
	return done;
}

/**
 * wsq_bwos_lifo_share() - let thieves have what is in the owner's block
 * @q: the queue
 *
 * For when the owner is held up by the task it got last. What is put meanwhile
 * goes to the next block; the owner gets the rest of this one back as of any
 * other.
 *
 * Context: as wsq_bwos_lifo_put(). Bounded by the number of blocks.
 * Return: %WSQ_OPENED if thieves may rob the block now; %WSQ_OK if there is
 * something for them in others; %WSQ_EMPTY if there is nothing to share;
 * %WSQ_FULL if the next block is still in use.
 */
int wsq_bwos_lifo_share(struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	u64 pos = (u64)atomic64_read(&q->pos);			/* LI(own:C) */
	u32 place = q->place;
	u32 d;

	if (!mem)
		return WSQ_EMPTY;
	for (d = 0; d < q->depth; d++) {
		place = mem->below[place];
		if (wsq_bwos_lifo_left(wsq_bwos_lifo_own_blk(mem, place)))
			return WSQ_OK;
	}
	if (pos == (u64)atomic64_read(&q->low))			/* LI(own:A) */
		return WSQ_EMPTY;
	return wsq_bwos_lifo_up(q) ? WSQ_OPENED : WSQ_FULL;
}

/*
 * Take over what thieves have left of the block at @place, and go there from the
 * owner's block, which is empty. False if nothing is left.
 */
static bool wsq_bwos_lifo_take_over(struct wsq_bwos_lifo *q,
				    struct wsq_bwos_lifo_mem *mem, u32 place)
{
	u32 nr = wsq_bwos_nr(wsq_bwos_own_at(&mem->dir, place)); /* LI(own:D) */
	struct wsq_bwos_lifo_block *blk = wsq_bwos_lifo_blk(mem, nr);
	u64 low = (u64)atomic64_read(&q->low);			/* LI(own:A) */
	u64 b, s, was;

	/* What is drained stays so: no exchange for that. */
	if (!wsq_bwos_lifo_left(blk))
		return false;
	b = (u64)atomic64_read(&blk->b_pos);			/* LI(own:B) */
	/*
	 * Claims up to here stand, later ones fail. Pairs with LI(steal:H), for
	 * what is put to these slots next.
	 */
	s = (u64)atomic64_xchg_acquire(&blk->s_pos,
				       (s64)(wsq_bwos_round(b) |
					     mem->block_size));	/* LI(take:C) */
	if (wsq_bwos_idx(s) == wsq_bwos_idx(b))
		return false;

	/* Spent once all that was claimed of it is counted. */
	was = (u64)atomic64_read(&q->blk->b_pos);		/* LI(own:E) */
	atomic64_set(&q->blk->b_pos,
		     (s64)(wsq_bwos_round(was) | low));		/* LI(leave:A) */

	wsq_bwos_lifo_stand(q, mem, nr, place);
	atomic64_set(&q->low, (s64)wsq_bwos_idx(s));		/* LI(own:A) */
	atomic64_set(&q->pos, (s64)wsq_bwos_idx(b));		/* LI(get:C) */
	return true;
}

/*
 * Go down to a block of which thieves have left something. Blocks that they have
 * emptied are passed over, once: they are out of @depth then.
 */
static bool wsq_bwos_lifo_down(struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	u64 low = (u64)atomic64_read(&q->low);			/* LI(own:A) */
	u32 place = q->place;

	if (!mem)
		return false;
	while (q->depth) {
		q->depth--;
		place = mem->below[place];
		if (wsq_bwos_lifo_take_over(q, mem, place))
			return true;
	}
	/* Empty. Have the whole block for what comes, if thieves are done. */
	if (low && (mem->read_first || wsq_bwos_lifo_counted(q->blk, low))) {
		atomic64_set(&q->blk->s_cnt, 0);		/* LI(begin:A) */
		atomic64_set(&q->low, 0);			/* LI(own:A) */
		atomic64_set(&q->pos, 0);			/* LI(get:C) */
	}
	return false;
}

/**
 * wsq_bwos_lifo_get_slow() - wsq_bwos_lifo_get() when the block is empty
 * @q: the queue
 *
 * Context: as wsq_bwos_lifo_get(). Bounded by the number of blocks.
 * Return: the task, or %NULL if there is none.
 */
void *wsq_bwos_lifo_get_slow(struct wsq_bwos_lifo *q)
{
	return wsq_bwos_lifo_down(q) ? wsq_bwos_lifo_get(q) : NULL;
}

/**
 * wsq_bwos_lifo_claim_slow() - wsq_bwos_lifo_claim() when the block is empty
 * @q: the queue
 *
 * Context: as wsq_bwos_lifo_claim(). Bounded by the number of blocks.
 * Return: as wsq_bwos_lifo_claim().
 */
void *wsq_bwos_lifo_claim_slow(struct wsq_bwos_lifo *q)
{
	return wsq_bwos_lifo_down(q) ? wsq_bwos_lifo_claim(q) : NULL;
}

/**
 * wsq_bwos_lifo_get_many() - take tasks from the top
 * @q: the queue
 * @tasks: where to store them, the topmost first
 * @nr: how many at most
 *
 * Context: as wsq_bwos_lifo_get().
 * Return: how many were taken; less than @nr only if there are no more.
 */
u32 wsq_bwos_lifo_get_many(struct wsq_bwos_lifo *q, void **tasks, u32 nr)
{
	u32 done = 0;

	while (done < nr) {
		u64 i = (u64)atomic64_read(&q->pos);		/* LI(get:A) */
		u64 low = (u64)atomic64_read(&q->low);		/* LI(own:A) */
		u64 n = i - low < nr - done ? i - low : nr - done;
		u64 k;

		if (!n) {
			if (!wsq_bwos_lifo_down(q))
				break;
			continue;
		}
		for (k = 0; k < n; k++)				/* LI(get:B) */
			tasks[done + k] = wsq_slot_read(&q->slots[i - 1 - k]);
		atomic64_set(&q->pos, (s64)(i - n));		/* LI(get:C) */
		done += (u32)n;
	}
	return done;
}

/**
 * wsq_bwos_lifo_empty() - would a get come back with nothing
 * @q: the queue
 *
 * Context: the owner. Bounded by the number of blocks.
 * Return: true if nothing is left in any block. False does not promise a task:
 * thieves may take what is left.
 */
bool wsq_bwos_lifo_empty(const struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	u64 pos = (u64)atomic64_read(&q->pos);			/* LI(own:C) */
	u32 place = q->place;
	u32 d;

	if (!mem)
		return true;
	if (pos != (u64)atomic64_read(&q->low))			/* LI(own:A) */
		return false;
	for (d = 0; d < q->depth; d++) {
		place = mem->below[place];
		if (wsq_bwos_lifo_left(wsq_bwos_lifo_own_blk(mem, place)))
			return false;
	}
	return true;
}

/**
 * wsq_bwos_lifo_shared() - may thieves find something here
 * @q: the queue
 *
 * Context: the owner.
 * Return: true if a block below the owner's was granted. A hint: thieves may
 * have been there already.
 */
bool wsq_bwos_lifo_shared(const struct wsq_bwos_lifo *q)
{
	return q->depth;
}

/**
 * wsq_bwos_lifo_short() - is there no room but in the owner's block
 * @q: the queue
 *
 * Context: the owner.
 * Return: true if the next block is still in use and no spare one can serve in its
 * place. One that is held, and is counted just now, is not looked for.
 */
bool wsq_bwos_lifo_short(const struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	struct wsq_bwos_lifo_block *blk;

	if (!mem)
		return true;
	blk = wsq_bwos_lifo_own_blk(mem,
				    wsq_bwos_next(wsq_bwos_own_at(&mem->dir,
								  q->place)));
	return !wsq_bwos_lifo_spent(mem, blk) &&
	       (wsq_bwos_lifo_left(blk) || !q->nr_spare);
}
