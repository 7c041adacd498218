// SPDX-License-Identifier: GPL-2.0
/*
 * FIFO BWoS, the parts outside the fast path: moving from block to block, and
 * stealing. The argument, the labels and the pairs are in bwos_fifo.h.
 */
#include "bwos_fifo.h"

/* A thief that loses this many claims in one block looks at another one. */
#define WSQ_BWOS_CLAIM_TRIES	4

static inline wsq_slot_t *wsq_bwos_slots(const struct wsq_bwos_fifo *q, u64 nr)
{
	return &q->slots[nr * q->block_size];
}

static inline u32 wsq_bwos_next_place(const struct wsq_bwos_fifo *q, u32 place)
{
	return place + 1 == q->nr_places ? 0 : place + 1;
}

/**
 * wsq_bwos_fifo_init() - make a queue of memory that the caller owns
 * @q: the queue
 * @mem: its memory; must live as long as any thief may look
 * @nr_places: blocks in use at a time, %WSQ_BWOS_MIN_BLOCKS to
 *	%WSQ_BWOS_MAX_BLOCKS
 * @block_size: tasks in a block, %WSQ_BWOS_MIN_BLOCK_SIZE to
 *	%WSQ_BWOS_MAX_BLOCK_SIZE
 * @nr_spare: further blocks, each of which outweighs one thief that stopped
 *	between claiming and counting
 *
 * Context: before anybody else knows @q.
 */
void wsq_bwos_fifo_init(struct wsq_bwos_fifo *q, const struct wsq_bwos_mem *mem,
			u32 nr_places, u32 block_size, u32 nr_spare)
{
	const u64 first = WSQ_BWOS_ROUND_ONE;
	u32 i;

	q->blocks = mem->blocks;
	q->slots = mem->slots;
	q->dir = mem->dir;
	q->spare = mem->spare;
	q->held = mem->held;
	q->nr_places = nr_places;
	q->block_size = block_size;
	q->nr_spare = nr_spare;
	q->nr_held = 0;
	atomic64_set(&q->t_hint, 0);

	/* Every block is spent in round 0 ... */
	for (i = 0; i < nr_places + nr_spare; i++) {
		atomic64_set(&q->blocks[i].b_pos, (s64)block_size);
		atomic64_set(&q->blocks[i].f_pos, (s64)block_size);
		atomic64_set(&q->blocks[i].s_pos, (s64)block_size);
		atomic64_set(&q->blocks[i].s_cnt, (s64)block_size);
	}
	for (i = 0; i < nr_places; i++)
		atomic64_set(&q->dir[i], (s64)i);
	for (i = 0; i < nr_spare; i++)
		q->spare[i] = (u16)(nr_places + i);

	/* ... but the first, which is open in round 1 and taken over. */
	atomic64_set(&q->blocks[0].b_pos, (s64)first);
	atomic64_set(&q->blocks[0].f_pos, (s64)first);
	atomic64_set(&q->blocks[0].s_pos, (s64)(first | block_size));
	atomic64_set(&q->blocks[0].s_cnt, (s64)(first | block_size));

	q->p.blk = &q->blocks[0];
	q->p.slots = q->slots;
	q->p.block_size = block_size;
	q->p.place = 0;
	q->c = q->p;
	q->c_seen = first;
}

/* Have all thieves that claimed slots of @blk in its last round counted? */
static bool wsq_bwos_counted(struct wsq_bwos_block *blk)
{
	u64 b = (u64)atomic64_read(&blk->b_pos);		/* BF(own:P) */

	/* Pairs with BF(steal:F): their slot reads are over. */
	return (u64)atomic64_read_acquire(&blk->s_cnt) == b;	/* BF(open:B) */
}

/*
 * A block that may be opened in place of @nr, which a thief still reads; @nr
 * is set aside until the thief has counted. Returns @nr itself if there is
 * none.
 */
static u64 wsq_bwos_replace(struct wsq_bwos_fifo *q, u64 nr)
{
	u64 other;
	u32 i;

	if (q->nr_spare) {
		other = q->spare[--q->nr_spare];
		q->held[q->nr_held++] = (u16)nr;
		return other;
	}
	for (i = 0; i < q->nr_held; i++) {
		other = q->held[i];
		if (wsq_bwos_counted(&q->blocks[other])) {
			q->held[i] = (u16)nr;
			return other;
		}
	}
	return nr;
}

/* Give the blocks back whose thieves have counted meanwhile. */
static void wsq_bwos_release_held(struct wsq_bwos_fifo *q)
{
	u32 i = 0;

	while (i < q->nr_held) {
		if (wsq_bwos_counted(&q->blocks[q->held[i]])) {
			q->spare[q->nr_spare++] = q->held[i];
			q->held[i] = q->held[--q->nr_held];
		} else {
			i++;
		}
	}
}

/*
 * Move the producer to the next place and open its block for a new round
 * (section 4.2.2, figure 8). False if the block is not spent.
 */
static bool wsq_bwos_open(struct wsq_bwos_fifo *q)
{
	u32 place = wsq_bwos_next_place(q, q->p.place);
	u64 was = (u64)atomic64_read(&q->dir[place]);		/* BF(own:P) */
	u64 b = (u64)atomic64_read(&q->p.blk->b_pos);		/* BF(own:P) */
	struct wsq_bwos_block *blk = &q->blocks[was];
	u64 round = wsq_bwos_next_round(b);
	u64 nr = was;

	/* Has the consumer read it to the end? Pairs with BF(get:D). */
	if (wsq_local_read(&blk->f_pos) !=			/* BF(open:A) */
	    (u64)atomic64_read(&blk->b_pos))			/* BF(own:P) */
		return false;
	if (!wsq_bwos_counted(blk)) {
		nr = wsq_bwos_replace(q, was);
		if (nr == was)
			return false;
		blk = &q->blocks[nr];
		/* A thief with either number finds a block of this queue. */
		atomic64_set(&q->dir[place], (s64)nr);		/* BF(open:C) */
	} else if (q->nr_held) {
		wsq_bwos_release_held(q);
	}

	/* Nobody but the producer looks at the block in this round so far. */
	atomic64_set(&blk->s_cnt, (s64)round);			/* BF(open:D) */
	/* Grant: with BF(put:C), thieves may claim from slot 0. */
	atomic64_set(&blk->s_pos, (s64)round);			/* BF(open:E) */
	/* Last, so that a take-over that sees the round finds the grant. */
	wsq_local_set(&blk->b_pos, round);			/* BF(open:F) */

	q->p.blk = blk;
	q->p.slots = wsq_bwos_slots(q, nr);
	q->p.place = place;
	return true;
}

/**
 * wsq_bwos_fifo_put_slow() - wsq_bwos_fifo_put() when the block is full
 * @q: the queue
 * @task: what to append
 *
 * Context: as wsq_bwos_fifo_put(). Bounded by the number of spare blocks.
 * Return: %WSQ_OPENED or %WSQ_FULL.
 */
int wsq_bwos_fifo_put_slow(struct wsq_bwos_fifo *q, void *task)
{
	if (!wsq_bwos_open(q))
		return WSQ_FULL;
	wsq_bwos_fifo_put(q, task);
	return WSQ_OPENED;
}

/**
 * wsq_bwos_fifo_put_many() - append tasks with one publication per block
 * @q: the queue
 * @tasks: what to append
 * @nr: how many
 * @opened: set to true if a block was begun, otherwise left alone
 *
 * Context: as wsq_bwos_fifo_put().
 * Return: how many were appended, from the front of @tasks; less than @nr only
 * if the queue is full.
 */
u32 wsq_bwos_fifo_put_many(struct wsq_bwos_fifo *q, void *const *tasks, u32 nr,
			   bool *opened)
{
	u32 done = 0;

	while (done < nr) {
		u64 b = (u64)atomic64_read(&q->p.blk->b_pos);	/* BF(put:A) */
		u64 i = wsq_bwos_idx(b);
		u64 room = q->p.block_size - i;
		u64 n = room < nr - done ? room : nr - done;
		u64 k;

		if (!n) {
			if (!wsq_bwos_open(q))
				break;
			*opened = true;
			continue;
		}
		for (k = 0; k < n; k++)
			wsq_slot_write(&q->p.slots[i + k],	/* BF(put:B) */
				       tasks[done + k]);
		/* As in wsq_bwos_fifo_put(), for n slots at once. */
		atomic64_set_release(&q->p.blk->b_pos,		/* BF(put:C) */
				     (s64)(b + n));
		done += (u32)n;
	}
	return done;
}

/*
 * Move the consumer to the next place and take its block over from thieves
 * (section 4.2.1, figure 7). False if the producer has not come that far.
 */
static bool wsq_bwos_take_over(struct wsq_bwos_fifo *q)
{
	u32 place = wsq_bwos_next_place(q, q->c.place);
	u64 nr = (u64)atomic64_read(&q->dir[place]);		/* BF(take:A) */
	u64 f = (u64)atomic64_read(&q->c.blk->f_pos);		/* BF(own:C) */
	u64 round = wsq_bwos_next_round(f);
	u64 size = q->c.block_size;
	struct wsq_bwos_block *blk = &q->blocks[nr];
	u64 s;

	if (wsq_bwos_round(wsq_local_read(&blk->b_pos)) != round) /* BF(take:B) */
		return false;

	/* Claims up to here stand, later ones fail: no order is needed. */
	s = (u64)atomic64_xchg_relaxed(&blk->s_pos,		/* BF(take:C) */
				       (s64)(round | size));
	wsq_local_set(&blk->f_pos, s);				/* BF(take:D) */
	/*
	 * What thieves will not take counts as taken, so that s_cnt ends at
	 * block_size. If no thief claimed in this round, none will count, and
	 * a store does for 8 cycles less; else an add keeps the thieves'
	 * releases in force for BF(open:B).
	 */
	if (!wsq_bwos_idx(s))
		atomic64_set(&blk->s_cnt, (s64)(round | size));	/* BF(take:F) */
	else if (wsq_bwos_idx(s) != size)
		atomic64_fetch_add_relaxed((s64)(size - wsq_bwos_idx(s)),
					   &blk->s_cnt);	/* BF(take:E) */

	q->c.blk = blk;
	q->c_seen = s;
	q->c.slots = wsq_bwos_slots(q, nr);
	q->c.place = place;
	return true;
}

/**
 * wsq_bwos_fifo_get_slow() - wsq_bwos_fifo_get() when the block is read up
 * @q: the queue
 *
 * Blocks that thieves have emptied are passed over; their number bounds the
 * loop.
 *
 * Context: as wsq_bwos_fifo_get().
 * Return: the task, or %NULL if there is none.
 */
void *wsq_bwos_fifo_get_slow(struct wsq_bwos_fifo *q)
{
	u32 tries;
	u64 f;

	for (tries = 0; tries <= q->nr_places; tries++) {
		if (!wsq_bwos_take_over(q))
			return NULL;
		f = (u64)atomic64_read(&q->c.blk->f_pos);	/* BF(own:C) */
		if (wsq_bwos_idx(f) != q->c.block_size)
			return wsq_bwos_fifo_get(q);
	}
	/* Only if the producer opened blocks as fast as we passed over them. */
	return NULL;
}

/**
 * wsq_bwos_fifo_get_many() - take tasks with one publication per block
 * @q: the queue
 * @tasks: where to store them
 * @nr: how many at most
 *
 * Context: as wsq_bwos_fifo_get().
 * Return: how many were taken; 0 if there is none.
 */
u32 wsq_bwos_fifo_get_many(struct wsq_bwos_fifo *q, void **tasks, u32 nr)
{
	u32 done = 0;

	while (done < nr) {
		u64 f = (u64)atomic64_read(&q->c.blk->f_pos);	/* BF(get:A) */
		u64 i = wsq_bwos_idx(f);
		u64 n, k;

		if (i == q->c.block_size) {
			tasks[done] = wsq_bwos_fifo_get_slow(q);
			if (!tasks[done])
				break;
			done++;
			continue;
		}
		n = wsq_local_read(&q->c.blk->b_pos);		/* BF(get:B) */
		if (n <= f)
			break;
		n -= f;
		if (n > nr - done)
			n = nr - done;
		for (k = 0; k < n; k++)				/* BF(get:C) */
			tasks[done + k] = wsq_slot_read(&q->c.slots[i + k]);
		wsq_local_set(&q->c.blk->f_pos, f + n);		/* BF(get:D) */
		done += (u32)n;
	}
	return done;
}

/**
 * wsq_bwos_fifo_steal_at() - take tasks from one block
 * @q: the queue
 * @place: the place of the block, below the number of places
 * @tasks: where to store them
 * @max: how many at most: 1 for one task, the block size for all there are
 *
 * Context: anybody, with preemption off: a thief that is descheduled before it
 * counts keeps a block out of use.
 * Return: how many were taken, oldest first; %WSQ_EMPTY if none is there yet;
 * %WSQ_DONE if thieves are shut out; %WSQ_CONFLICT if others were faster.
 */
int wsq_bwos_fifo_steal_at(struct wsq_bwos_fifo *q, u32 place, void **tasks,
			   u32 max)
{
	u64 nr = (u64)atomic64_read(&q->dir[place]);		/* BF(steal:A) */
	struct wsq_bwos_block *blk = &q->blocks[nr];
	wsq_slot_t *slots = wsq_bwos_slots(q, nr);
	u32 tries;

	for (tries = 0; tries < WSQ_BWOS_CLAIM_TRIES; tries++) {
		u64 s = (u64)atomic64_read(&blk->s_pos);	/* BF(steal:B) */
		u64 i = wsq_bwos_idx(s);
		u64 b, n, k;

		if (i == q->block_size)
			return WSQ_DONE;
		/* Pairs with BF(put:C). */
		b = (u64)atomic64_read_acquire(&blk->b_pos);	/* BF(steal:C) */
		/* Another round, or older than s: not ours to judge. */
		if (wsq_bwos_round(b) != wsq_bwos_round(s) ||
		    wsq_bwos_idx(b) <= i)
			return WSQ_EMPTY;
		n = wsq_bwos_idx(b) - i;
		if (n > max)
			n = max;
		if ((u64)atomic64_cmpxchg_relaxed(&blk->s_pos, (s64)s,
						  (s64)(s + n)) != s) /* BF(steal:D) */
			continue;

		for (k = 0; k < n; k++)				/* BF(steal:E) */
			tasks[k] = wsq_slot_read(&slots[i + k]);
		/* After the slots are read: pairs with BF(open:B). */
		atomic64_fetch_add_release((s64)n, &blk->s_cnt); /* BF(steal:F) */
		return (int)n;
	}
	return WSQ_CONFLICT;
}

/**
 * wsq_bwos_fifo_steal() - take tasks from whichever block has some
 * @q: the queue
 * @tasks: where to store them
 * @max: how many at most; all come from one block
 *
 * Begins where a thief last found something and passes once over all places.
 *
 * Context: as wsq_bwos_fifo_steal_at().
 * Return: how many were taken; %WSQ_EMPTY if no block had any; %WSQ_CONFLICT
 * if the only ones that had were contended.
 */
int wsq_bwos_fifo_steal(struct wsq_bwos_fifo *q, void **tasks, u32 max)
{
	u32 hint = (u32)atomic64_read(&q->t_hint);		/* BF(hint:A) */
	int ret = WSQ_EMPTY;
	u32 place = hint;
	u32 i;

	for (i = 0; i < q->nr_places; i++) {
		int n = wsq_bwos_fifo_steal_at(q, place, tasks, max);

		if (n > 0) {
			if (place != hint)			/* BF(hint:B) */
				atomic64_set(&q->t_hint, (s64)place);
			return n;
		}
		if (n == WSQ_CONFLICT)
			ret = WSQ_CONFLICT;
		place = wsq_bwos_next_place(q, place);
	}
	return ret;
}

/**
 * wsq_bwos_fifo_empty() - would a get come back with nothing
 * @q: the queue
 *
 * Context: the consumer.
 * Return: true if there is nothing in the consumer's block and the producer
 * has not begun another. False does not promise a task: thieves may have taken
 * all of the next block.
 */
bool wsq_bwos_fifo_empty(const struct wsq_bwos_fifo *q)
{
	u64 f = (u64)atomic64_read(&q->c.blk->f_pos);		/* BF(own:C) */
	u64 nr, b;
	u32 place;

	if (wsq_bwos_idx(f) != q->c.block_size) {
		b = (u64)atomic64_read(&q->c.blk->b_pos);	/* BF(empty:A) */
		return b <= f;
	}

	place = wsq_bwos_next_place(q, q->c.place);
	nr = (u64)atomic64_read(&q->dir[place]);		/* BF(empty:B) */
	b = (u64)atomic64_read(&q->blocks[nr].b_pos);		/* BF(empty:C) */
	return wsq_bwos_round(b) != wsq_bwos_next_round(f);
}
