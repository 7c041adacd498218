// SPDX-License-Identifier: GPL-2.0
/*
 * LIFO BWoS, the owner's parts outside the fast path: memory, and moving from
 * block to block. bwos_lifo.h has the correctness argument, the labels and the
 * pairs; bwos_lifo_steal.c has the thieves' half.
 *
 * Cost: a move from block to block loads a word of the directory, an address
 * and the block's line. Limitations: bwos_lifo.h.
 */
#include "bwos_lifo_mem.h"

static inline struct wsq_bwos_lifo_mem *
wsq_bwos_lifo_mem(const struct wsq_bwos_lifo *q)
{
	/* The owner's own store; thieves have LI(steal:G). */
	return (struct wsq_bwos_lifo_mem *)(uintptr_t)
		atomic64_read(&q->mem);				/* LI(own:F) */
}

/* The block of entry @index, for the owner. */
static inline struct wsq_bwos_lifo_block *
wsq_bwos_lifo_own_blk(const struct wsq_bwos_lifo_mem *mem, u32 index)
{
	u64 word = wsq_bwos_own_at(&mem->dir, index);		/* LI(own:D) */

	return wsq_bwos_lifo_blk(mem, wsq_bwos_nr(word));
}

/**
 * wsq_bwos_lifo_init() - initialize a queue without memory
 * @q: the queue
 *
 * Without memory the queue is full for puts and empty for all others.
 *
 * Context: before any other context knows @q.
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
	q->index = 0;
	q->depth = 0;
	q->nr_spare = 0;
	q->nr_held = 0;
	atomic64_set(&q->t_hint, 0);
	atomic64_set(&q->mem, 0);
}

/* Number of directory entries, for the owner. */
static u32 wsq_bwos_lifo_nr_entries(const struct wsq_bwos_lifo_mem *mem)
{
	return (u32)atomic64_read(&mem->dir.nr_entries);		/* LI(own:D) */
}

/*
 * Number @nr blocks of @segment from index @from on. All are drained: nothing
 * was ever claimed.
 */
static void wsq_bwos_lifo_supply(struct wsq_bwos_lifo_mem *mem,
				 const struct wsq_bwos_lifo_segment *segment,
				 u32 from, u32 nr)
{
	u32 i;

	for (i = from; i < from + nr; i++) {
		struct wsq_bwos_lifo_block *blk = &segment->blocks[i];

		blk->slots = &segment->slots[(u64)i * mem->block_size];
		atomic64_set(&blk->s_pos, 0);			/* LI(extend:A) */
		atomic64_set(&blk->b_pos, 0);			/* LI(extend:A) */
		atomic64_set(&blk->s_cnt, 0);			/* LI(extend:A) */
		wsq_bwos_number(&mem->dir, blk);		/* BW(insert:A) */
	}
}

/**
 * wsq_bwos_lifo_attach() - attach memory to a queue
 * @q: the queue, without memory
 * @mem: the memory; the slots of @mem->first hold %NULL if slots are to be
 *	claimed
 *
 * Context: the owner.
 */
void wsq_bwos_lifo_attach(struct wsq_bwos_lifo *q, struct wsq_bwos_lifo_mem *mem)
{
	const struct wsq_bwos_lifo_segment *segment = &mem->first;
	struct wsq_bwos_dir *dir = &mem->dir;
	u32 n = segment->nr_entries;
	u32 i;

	dir->nr_blocks = 0;
	wsq_bwos_lifo_supply(mem, segment, 0, n + segment->nr_spare);
	for (i = dir->nr_blocks; i < dir->max_blocks; i++)
		atomic64_set(&dir->blocks[i], 0);
	for (i = 0; i < n; i++) {
		atomic64_set(&dir->words[i],
			     (s64)wsq_bwos_word(i + 1 < n ? i + 1 : 0, i));
		mem->below[i] = (u16)((i ? i : n) - 1);
	}
	atomic64_set(&dir->nr_entries, (s64)n);
	for (i = 0; i < segment->nr_spare; i++)
		dir->spare[i] = (u16)(n + i);

	q->blk = segment->blocks;
	q->slots = q->blk->slots;
	q->block_size = mem->block_size;
	q->nr_spare = (u16)segment->nr_spare;
	/* Pairs with LI(steal:G). */
	atomic64_set_release(&q->mem, (s64)(uintptr_t)mem);	/* LI(attach:A) */
}

/**
 * wsq_bwos_lifo_detach() - detach the memory of an empty queue
 * @q: the queue
 *
 * Context: the owner. Thieves may still read the memory, and count in it, until
 * each has left its section. Free it after a grace period.
 * Return: the memory, or %NULL if the queue has none or is not empty.
 */
struct wsq_bwos_lifo_mem *wsq_bwos_lifo_detach(struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);

	if (!mem || !wsq_bwos_lifo_empty(q))
		return NULL;
	wsq_bwos_lifo_init(q);
	return mem;
}

/* Have all thieves that claimed any of the first @n slots of @blk counted? */
static bool wsq_bwos_lifo_counted(struct wsq_bwos_lifo_block *blk, u64 n)
{
	/* Pairs with LI(steal:F): their slot reads are over. */
	return (u64)atomic64_read_acquire(&blk->s_cnt) == n;	/* LI(begin:B) */
}

/* Is any task left in @blk, which is not the owner's? For the owner. */
static bool wsq_bwos_lifo_left(const struct wsq_bwos_lifo_block *blk)
{
	/* Pairs with LI(steal:H): if not, their slot reads are over. */
	u64 s = (u64)atomic64_read_acquire(&blk->s_pos);	/* LI(left:A) */
	u64 b = (u64)atomic64_read(&blk->b_pos);		/* LI(left:B) */

	return wsq_bwos_idx(s) < wsq_bwos_idx(b);
}

/*
 * Make thieves begin at the lowest block that has a task. They may have emptied
 * the owner's current block one trip around the ring ago. Without this they
 * would begin with what is put there next and take the oldest task last. (An
 * owner that cannot go up until they have emptied the next block has nothing to
 * show them.)
 */
static void wsq_bwos_lifo_show_bottom(struct wsq_bwos_lifo *q,
				      const struct wsq_bwos_lifo_mem *mem)
{
	u32 index = q->index;
	u32 d;

	for (d = 0; d < q->depth; d++) {
		struct wsq_bwos_lifo_block *blk;
		u64 b;

		index = mem->below[index];
		blk = wsq_bwos_lifo_own_blk(mem, index);
		if (!wsq_bwos_lifo_left(blk))
			continue;
		b = (u64)atomic64_read(&blk->b_pos);		/* LI(own:B) */
		atomic64_set(&q->t_hint,
			     (s64)(wsq_bwos_round(b) | index));	/* LI(hint:C) */
	}
}

/**
 * wsq_bwos_lifo_extend() - add a memory segment to a queue
 * @q: the queue, with memory
 * @segment: the segment; must stay as long as the queue's memory. Its slots
 *	hold %NULL if slots are to be claimed. Blocks beyond the directory's
 *	limits stay unused
 *
 * The new entries come above the owner's, so the owner goes there next.
 *
 * Context: the owner.
 * Return: number of entries added.
 */
u32 wsq_bwos_lifo_extend(struct wsq_bwos_lifo *q,
			 const struct wsq_bwos_lifo_segment *segment)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	struct wsq_bwos_dir *dir = &mem->dir;
	u32 spares = dir->max_blocks - dir->max_entries - q->nr_spare -
		     q->nr_held;
	u32 first = wsq_bwos_lifo_nr_entries(mem);
	u32 space = dir->max_entries - first;
	u32 n = segment->nr_entries < space ? segment->nr_entries : space;
	u32 nr = dir->nr_blocks;
	u32 above, last, i;

	if (spares > segment->nr_spare)
		spares = segment->nr_spare;
	wsq_bwos_lifo_supply(mem, segment, 0, n);
	wsq_bwos_lifo_supply(mem, segment, segment->nr_entries, spares);
	for (i = 0; i < spares; i++)
		dir->spare[q->nr_spare++] = (u16)(nr + n + i);
	if (!n)
		return 0;

	above = wsq_bwos_next(wsq_bwos_own_at(dir, q->index));	/* LI(own:D) */
	last = wsq_bwos_dir_insert(dir, q->index, nr, n);	/* BW(insert:D) */
	mem->below[first] = q->index;
	for (i = first + 1; i <= last; i++)
		mem->below[i] = (u16)(i - 1);
	mem->below[above] = (u16)last;
	wsq_bwos_lifo_show_bottom(q, mem);
	return n;
}

/* Is @blk, which is not the owner's, empty and free of thieves? */
static bool wsq_bwos_lifo_drained(const struct wsq_bwos_lifo_mem *mem,
				  struct wsq_bwos_lifo_block *blk)
{
	u64 b = (u64)atomic64_read(&blk->b_pos);		/* LI(own:B) */

	if (mem->read_first)
		return !wsq_bwos_lifo_left(blk);
	return wsq_bwos_lifo_counted(blk, wsq_bwos_idx(b));
}

/*
 * Find a block that may be begun instead of @nr, which a thief still reads. @nr
 * is set aside until the thief has counted. Returns @nr itself if there is
 * none.
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
		if (wsq_bwos_lifo_drained(mem, wsq_bwos_lifo_blk(mem, other))) {
			dir->held[i] = (u16)nr;
			return other;
		}
	}
	return nr;
}

/* Make held blocks spare again once their thieves have counted. */
static void wsq_bwos_lifo_release_held(struct wsq_bwos_lifo *q,
				       struct wsq_bwos_lifo_mem *mem)
{
	struct wsq_bwos_dir *dir = &mem->dir;
	u32 i = 0;

	while (i < q->nr_held) {
		u32 nr = dir->held[i];

		if (wsq_bwos_lifo_drained(mem, wsq_bwos_lifo_blk(mem, nr))) {
			dir->spare[q->nr_spare++] = (u16)nr;
			dir->held[i] = dir->held[--q->nr_held];
		} else {
			i++;
		}
	}
}

/* Make block @nr in entry @index the owner's. */
static void wsq_bwos_lifo_stand(struct wsq_bwos_lifo *q,
				struct wsq_bwos_lifo_mem *mem, u32 nr, u32 index)
{
	q->blk = wsq_bwos_lifo_blk(mem, nr);
	q->slots = q->blk->slots;
	q->index = (u16)index;
	/* A hint for thieves that steal from the active block. */
	atomic64_set(&q->first, (s64)nr * mem->block_size);	/* LI(own:G) */
}

/* Publish the owner's block to thieves. */
static void wsq_bwos_lifo_publish_block(struct wsq_bwos_lifo *q)
{
	u64 pos = (u64)atomic64_read(&q->pos);			/* LI(own:C) */
	u64 low = (u64)atomic64_read(&q->low);			/* LI(own:A) */

	/* A new round each time, for thieves asleep since an earlier one. */
	q->round = wsq_bwos_next_round(q->round);
	atomic64_set(&q->blk->b_pos, (s64)(q->round | pos));	/* LI(publish:A) */
	/* Publishes the slots, LI(publish:A) and LI(begin:A) to LI(steal:B). */
	atomic64_set_release(&q->blk->s_pos,
			     (s64)(q->round | low));		/* LI(publish:B) */
	/* All other blocks are empty: this is the bottom. */
	if (!q->depth)
		atomic64_set(&q->t_hint,
			     (s64)(q->round | q->index));	/* LI(hint:C) */
}

/*
 * Publish the owner's block and go up to the next entry. False if the block
 * there is not drained and cannot be replaced.
 */
static bool wsq_bwos_lifo_up(struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	struct wsq_bwos_lifo_block *blk;
	u32 index, was, nr;

	if (!mem)
		return false;
	index = wsq_bwos_next(wsq_bwos_own_at(&mem->dir, q->index));
	was = wsq_bwos_nr(wsq_bwos_own_at(&mem->dir, index));	/* LI(own:D) */
	blk = wsq_bwos_lifo_blk(mem, was);
	nr = was;

	if (!wsq_bwos_lifo_drained(mem, blk)) {
		/* Full if there are tasks, not only late thieves. */
		if (wsq_bwos_lifo_left(blk))
			return false;
		nr = wsq_bwos_lifo_replace(q, mem, was);
		if (nr == was)
			return false;
		/* A thief with either number finds a block of this queue. */
		wsq_bwos_dir_replace(&mem->dir, index, nr);	/* LI(begin:C) */
	} else if (q->nr_held) {
		wsq_bwos_lifo_release_held(q, mem);
	}

	wsq_bwos_lifo_publish_block(q);

	wsq_bwos_lifo_stand(q, mem, nr, index);
	/* Once around the ring the bottom block is reused; it was empty. */
	if (q->depth + 1U < wsq_bwos_lifo_nr_entries(mem))
		q->depth++;
	/* No claim is under way, nor possible before the next publication. */
	atomic64_set(&q->blk->s_cnt, 0);			/* LI(begin:A) */
	atomic64_set(&q->low, 0);				/* LI(own:A) */
	atomic64_set(&q->pos, 0);				/* LI(put:C) */
	return true;
}

/**
 * wsq_bwos_lifo_put_slow() - wsq_bwos_lifo_put() into a full block
 * @q: the queue
 * @task: what to put
 *
 * Context: the owner. Bounded by the number of spare blocks.
 * Return: %WSQ_PUBLISHED or %WSQ_FULL.
 */
int wsq_bwos_lifo_put_slow(struct wsq_bwos_lifo *q, void *task)
{
	if (!wsq_bwos_lifo_up(q))
		return WSQ_FULL;
	wsq_bwos_lifo_put(q, task);
	return WSQ_PUBLISHED;
}

/**
 * wsq_bwos_lifo_open() - go up to a new block
 * @q: the queue; the owner's block is full
 *
 * Context: the owner. Bounded by the number of spare blocks.
 * Return: %WSQ_PUBLISHED or %WSQ_FULL.
 */
int wsq_bwos_lifo_open(struct wsq_bwos_lifo *q)
{
	return wsq_bwos_lifo_up(q) ? WSQ_PUBLISHED : WSQ_FULL;
}

/**
 * wsq_bwos_lifo_put_many() - put tasks on top, the last of them topmost
 * @q: the queue
 * @tasks: what to put
 * @nr: how many
 * @published: set to true if a block was published to thieves, otherwise left
 *	alone
 *
 * Context: the owner.
 * Return: how many were put, from the front of @tasks; less than @nr only if
 * the queue is full.
 */
u32 wsq_bwos_lifo_put_many(struct wsq_bwos_lifo *q, void *const *tasks, u32 nr,
			   bool *published)
{
	u32 done = 0;

	while (done < nr) {
		u64 i = (u64)atomic64_read(&q->pos);		/* LI(put:A) */
		u64 space = q->block_size - i;
		u64 n = space < nr - done ? space : nr - done;
		u64 k;

		if (!n) {
			if (!wsq_bwos_lifo_up(q))
				break;
			*published = true;
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
 * wsq_bwos_lifo_publish() - publish what is in the owner's block
 * @q: the queue
 *
 * For an owner that is held up by the task it got last. Later puts go to the
 * next block. The owner gets the rest of this block back as of any other.
 *
 * Context: the owner. Bounded by the number of blocks.
 * Return: %WSQ_PUBLISHED if thieves may steal from the block now; %WSQ_OK if
 * other blocks have something for them; %WSQ_EMPTY if there is nothing to
 * publish; %WSQ_FULL if the next block is still in use.
 */
int wsq_bwos_lifo_publish(struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	u64 pos = (u64)atomic64_read(&q->pos);			/* LI(own:C) */
	u32 index = q->index;
	u32 d;

	if (!mem)
		return WSQ_EMPTY;
	for (d = 0; d < q->depth; d++) {
		index = mem->below[index];
		if (wsq_bwos_lifo_left(wsq_bwos_lifo_own_blk(mem, index)))
			return WSQ_OK;
	}
	if (pos == (u64)atomic64_read(&q->low))			/* LI(own:A) */
		return WSQ_EMPTY;
	return wsq_bwos_lifo_up(q) ? WSQ_PUBLISHED : WSQ_FULL;
}

/*
 * Take over what thieves have left of the block in entry @index, and go there
 * from the owner's block, which is empty. False if nothing is left.
 */
static bool wsq_bwos_lifo_take_over(struct wsq_bwos_lifo *q,
				    struct wsq_bwos_lifo_mem *mem, u32 index)
{
	u32 nr = wsq_bwos_nr(wsq_bwos_own_at(&mem->dir, index)); /* LI(own:D) */
	struct wsq_bwos_lifo_block *blk = wsq_bwos_lifo_blk(mem, nr);
	u64 low = (u64)atomic64_read(&q->low);			/* LI(own:A) */
	u64 b, s, was;

	/* An empty block stays empty: no exchange for that. */
	if (!wsq_bwos_lifo_left(blk))
		return false;
	b = (u64)atomic64_read(&blk->b_pos);			/* LI(own:B) */
	/*
	 * Earlier claims stand, later ones fail. Pairs with LI(steal:H), for
	 * what is put to these slots next.
	 */
	s = (u64)atomic64_xchg_acquire(&blk->s_pos,
				       (s64)(wsq_bwos_round(b) |
					     mem->block_size));	/* LI(take:C) */
	if (wsq_bwos_idx(s) == wsq_bwos_idx(b))
		return false;

	/* The block is drained once all claims of it are counted. */
	was = (u64)atomic64_read(&q->blk->b_pos);		/* LI(own:E) */
	atomic64_set(&q->blk->b_pos,
		     (s64)(wsq_bwos_round(was) | low));		/* LI(leave:A) */

	wsq_bwos_lifo_stand(q, mem, nr, index);
	atomic64_set(&q->low, (s64)wsq_bwos_idx(s));		/* LI(own:A) */
	atomic64_set(&q->pos, (s64)wsq_bwos_idx(b));		/* LI(get:C) */
	return true;
}

/*
 * Go down to a block in which thieves have left something. Blocks that they
 * have emptied are skipped, once: @depth no longer counts them.
 */
static bool wsq_bwos_lifo_down(struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	u64 low = (u64)atomic64_read(&q->low);			/* LI(own:A) */
	u32 index = q->index;

	if (!mem)
		return false;
	while (q->depth) {
		q->depth--;
		index = mem->below[index];
		if (wsq_bwos_lifo_take_over(q, mem, index))
			return true;
	}
	/* Empty: restart the block from slot 0 if thieves are done with it. */
	if (low && (mem->read_first || wsq_bwos_lifo_counted(q->blk, low))) {
		atomic64_set(&q->blk->s_cnt, 0);		/* LI(begin:A) */
		atomic64_set(&q->low, 0);			/* LI(own:A) */
		atomic64_set(&q->pos, 0);			/* LI(get:C) */
	}
	return false;
}

/**
 * wsq_bwos_lifo_get_slow() - wsq_bwos_lifo_get() from an empty block
 * @q: the queue
 *
 * Context: the owner. Bounded by the number of blocks.
 * Return: the task, or %NULL if there is none.
 */
void *wsq_bwos_lifo_get_slow(struct wsq_bwos_lifo *q)
{
	return wsq_bwos_lifo_down(q) ? wsq_bwos_lifo_get(q) : NULL;
}

/**
 * wsq_bwos_lifo_claim_slow() - wsq_bwos_lifo_claim() from an empty block
 * @q: the queue
 *
 * Context: the owner. Bounded by the number of blocks.
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
 * Context: the owner.
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
 * wsq_bwos_lifo_empty() - would a get find nothing
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
	u32 index = q->index;
	u32 d;

	if (!mem)
		return true;
	if (pos != (u64)atomic64_read(&q->low))			/* LI(own:A) */
		return false;
	for (d = 0; d < q->depth; d++) {
		index = mem->below[index];
		if (wsq_bwos_lifo_left(wsq_bwos_lifo_own_blk(mem, index)))
			return false;
	}
	return true;
}

/**
 * wsq_bwos_lifo_published() - may thieves find a task here
 * @q: the queue
 *
 * Context: the owner.
 * Return: true if a block below the owner's was published. A hint: thieves may
 * already have taken the tasks.
 */
bool wsq_bwos_lifo_published(const struct wsq_bwos_lifo *q)
{
	return q->depth;
}

/**
 * wsq_bwos_lifo_short() - is the owner's block the only space left
 * @q: the queue
 *
 * Context: the owner.
 * Return: true if the next block is still in use and no spare one can replace
 * it. Held blocks that have been counted since are not considered.
 */
bool wsq_bwos_lifo_short(const struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	struct wsq_bwos_lifo_block *blk;

	if (!mem)
		return true;
	blk = wsq_bwos_lifo_own_blk(mem,
				    wsq_bwos_next(wsq_bwos_own_at(&mem->dir,
								  q->index)));
	return !wsq_bwos_lifo_drained(mem, blk) &&
	       (wsq_bwos_lifo_left(blk) || !q->nr_spare);
}
