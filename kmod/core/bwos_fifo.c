// SPDX-License-Identifier: GPL-2.0
/*
 * FIFO BWoS, the parts outside the fast path: moving from block to block, and
 * stealing. The argument, the labels and the pairs are in bwos_fifo.h.
 */
#include "bwos_fifo.h"

/* A thief that loses this many claims in one block looks at another one. */
#define WSQ_BWOS_CLAIM_TRIES	4

static inline struct wsq_bwos_mem *wsq_bwos_mem(const struct wsq_bwos_fifo *q)
{
	/* The owner's own store; thieves have BF(steal:G). */
	return (struct wsq_bwos_mem *)(uintptr_t)
		atomic64_read(&q->mem);				/* BF(own:M) */
}

static inline struct wsq_bwos_mem *
wsq_bwos_thief_mem(const struct wsq_bwos_fifo *q)
{
	/* Pairs with BF(mount:A): the memory is as mounted or later. */
	return (struct wsq_bwos_mem *)(uintptr_t)
		atomic64_read_acquire(&q->mem);			/* BF(steal:G) */
}

static inline struct wsq_bwos_block *
wsq_bwos_blk(const struct wsq_bwos_mem *mem, u32 nr)
{
	return (struct wsq_bwos_block *)wsq_bwos_block_at(&mem->dir, nr);
}

/* The block at @place, for anybody. */
static inline struct wsq_bwos_block *
wsq_bwos_blk_at(const struct wsq_bwos_mem *mem, u32 place)
{
	u64 word = wsq_bwos_at(&mem->dir, place);		/* BW(at:A) */

	return wsq_bwos_blk(mem, wsq_bwos_nr(word));
}

/* Where an end goes next. It is in use by its owner, or by nobody. */
static inline void wsq_bwos_look_ahead(const struct wsq_bwos_mem *mem,
				       struct wsq_bwos_end *end)
{
	const struct wsq_bwos_dir *dir = &mem->dir;

	end->next = wsq_bwos_next(wsq_bwos_own_at(dir, end->place)); /* BW(own:D) */
	end->next_nr = wsq_bwos_nr(wsq_bwos_own_at(dir, end->next)); /* BW(own:D) */
	end->next_blk = wsq_bwos_blk(mem, end->next_nr);
}

/**
 * wsq_bwos_fifo_init() - make a queue that has no memory yet
 * @q: the queue
 * @none: a block with all positions 0, of which nobody writes; may serve any
 *	number of queues, must live as long as they
 *
 * Without memory the queue is full for puts and empty for everybody else.
 *
 * Context: before anybody else knows @q.
 */
void wsq_bwos_fifo_init(struct wsq_bwos_fifo *q, struct wsq_bwos_block *none)
{
	q->none = none;
	q->nr_spare = 0;
	q->nr_held = 0;
	q->p.blk = none;
	q->p.slots = NULL;
	q->p.block_size = 0;
	q->p.first = 0;
	q->p.place = 0;
	q->p.next_blk = none;
	q->p.next = 0;
	q->p.next_nr = 0;
	q->c = q->p;
	q->c_seen = 0;
	atomic64_set(&q->t_hint, 0);
	atomic64_set(&q->mem, 0);
}

/* Number the blocks of a piece, all spent in @round, from the @from-th on. */
static void wsq_bwos_supply(struct wsq_bwos_mem *mem,
			    const struct wsq_bwos_piece *piece, u64 round,
			    u32 from, u32 nr)
{
	const s64 size = (s64)(round | mem->block_size);
	u32 i;

	for (i = from; i < from + nr; i++) {
		struct wsq_bwos_block *blk = &piece->blocks[i];

		blk->slots = &piece->slots[(u64)i * mem->block_size];
		atomic64_set(&blk->b_pos, size);		/* BF(extend:A) */
		atomic64_set(&blk->f_pos, size);		/* BF(extend:A) */
		atomic64_set(&blk->s_pos, size);		/* BF(extend:A) */
		atomic64_set(&blk->s_cnt, size);		/* BF(extend:A) */
		wsq_bwos_number(&mem->dir, blk);		/* BW(insert:A) */
	}
}

/**
 * wsq_bwos_fifo_mount() - give a queue memory
 * @q: the queue, without memory
 * @mem: the memory; the slots of @mem->first hold %NULL if slots are to be
 *	claimed
 *
 * Context: producer and consumer at once.
 */
void wsq_bwos_fifo_mount(struct wsq_bwos_fifo *q, struct wsq_bwos_mem *mem)
{
	const struct wsq_bwos_piece *piece = &mem->first;
	const u64 first = WSQ_BWOS_ROUND_ONE;
	struct wsq_bwos_dir *dir = &mem->dir;
	struct wsq_bwos_block *blk = piece->blocks;
	u32 n = piece->nr_places;
	u32 size = mem->block_size;
	u32 i;

	q->nr_spare = piece->nr_spare;
	q->nr_held = 0;
	atomic64_set(&q->t_hint, 0);

	/* Every block is spent in round 0 ... */
	dir->nr_blocks = 0;
	wsq_bwos_supply(mem, piece, 0, 0, n + piece->nr_spare);
	for (i = dir->nr_blocks; i < dir->max_blocks; i++)
		atomic64_set(&dir->blocks[i], 0);
	for (i = 0; i < n; i++)
		atomic64_set(&dir->words[i],
			     (s64)wsq_bwos_word(i + 1 < n ? i + 1 : 0, i));
	atomic64_set(&dir->nr_places, (s64)n);
	for (i = 0; i < piece->nr_spare; i++)
		dir->spare[i] = (u16)(n + i);

	/* ... but the first, which is open in round 1 and taken over. */
	atomic64_set(&blk->b_pos, (s64)first);
	atomic64_set(&blk->f_pos, (s64)first);
	atomic64_set(&blk->s_pos, (s64)(first | size));
	atomic64_set(&blk->s_cnt, (s64)(first | size));

	q->p.blk = blk;
	q->p.slots = blk->slots;
	q->p.block_size = size;
	q->p.first = 0;
	q->p.place = 0;
	wsq_bwos_look_ahead(mem, &q->p);
	q->c = q->p;
	q->c_seen = first;
	/* Pairs with BF(steal:G). */
	atomic64_set_release(&q->mem, (s64)(uintptr_t)mem);	/* BF(mount:A) */
}

/**
 * wsq_bwos_fifo_extend() - give a queue more memory
 * @q: the queue, with memory
 * @piece: more of it, which stays as long as that; slots hold %NULL if slots are
 *	to be claimed. Of what would be more than the directory has room for, some
 *	is left alone
 *
 * The new places come behind the producer's, so that it goes to them next.
 *
 * Context: producer and consumer at once.
 * Return: how many places there are more.
 */
u32 wsq_bwos_fifo_extend(struct wsq_bwos_fifo *q,
			 const struct wsq_bwos_piece *piece)
{
	struct wsq_bwos_mem *mem = wsq_bwos_mem(q);
	struct wsq_bwos_dir *dir = &mem->dir;
	u32 spares = dir->max_blocks - dir->max_places - q->nr_spare -
		     q->nr_held;
	u32 room = dir->max_places -
		   (u32)atomic64_read(&dir->nr_places);		/* BF(own:M) */
	u32 n = piece->nr_places < room ? piece->nr_places : room;
	/* Of the producer's round, which is no consumer's next one here. */
	u64 b = (u64)atomic64_read(&q->p.blk->b_pos);		/* BF(own:P) */
	u32 nr = dir->nr_blocks;
	u32 last, i;

	if (spares > piece->nr_spare)
		spares = piece->nr_spare;
	wsq_bwos_supply(mem, piece, wsq_bwos_round(b), 0, n);
	wsq_bwos_supply(mem, piece, wsq_bwos_round(b), piece->nr_places,
			spares);
	for (i = 0; i < spares; i++)
		dir->spare[q->nr_spare++] = (u16)(nr + n + i);
	if (!n)
		return 0;

	last = wsq_bwos_dir_insert(dir, q->p.place, nr, n);	/* BW(insert:D) */
	/*
	 * A consumer that has read its block to the end may stand where the
	 * producer stands, a whole lap behind it: what comes next for it is
	 * behind the new places.
	 */
	if (q->c.place == q->p.place && wsq_bwos_fifo_shared(q))
		q->c.place = last;
	wsq_bwos_look_ahead(mem, &q->p);
	wsq_bwos_look_ahead(mem, &q->c);
	return n;
}

/**
 * wsq_bwos_fifo_unmount() - take an empty queue's memory away
 * @q: the queue
 *
 * Context: producer and consumer at once. Thieves may still read the memory,
 * and count in it, until each has left the section it is in: free it after a
 * grace period.
 * Return: the memory, or %NULL if the queue has none or is not empty.
 */
struct wsq_bwos_mem *wsq_bwos_fifo_unmount(struct wsq_bwos_fifo *q)
{
	struct wsq_bwos_mem *mem = wsq_bwos_mem(q);

	if (!mem || !wsq_bwos_fifo_empty(q))
		return NULL;
	wsq_bwos_fifo_init(q, q->none);
	return mem;
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
static u32 wsq_bwos_replace(struct wsq_bwos_fifo *q, struct wsq_bwos_mem *mem,
			    u32 nr)
{
	u32 other, i;

	if (q->nr_spare) {
		other = mem->dir.spare[--q->nr_spare];
		mem->dir.held[q->nr_held++] = (u16)nr;
		return other;
	}
	for (i = 0; i < q->nr_held; i++) {
		other = mem->dir.held[i];
		if (wsq_bwos_counted(wsq_bwos_blk(mem, other))) {
			mem->dir.held[i] = (u16)nr;
			return other;
		}
	}
	return nr;
}

/* Give the blocks back whose thieves have counted meanwhile. */
static void wsq_bwos_release_held(struct wsq_bwos_fifo *q,
				  struct wsq_bwos_mem *mem)
{
	struct wsq_bwos_dir *dir = &mem->dir;
	u32 i = 0;

	while (i < q->nr_held) {
		if (wsq_bwos_counted(wsq_bwos_blk(mem, dir->held[i]))) {
			dir->spare[q->nr_spare++] = dir->held[i];
			dir->held[i] = dir->held[--q->nr_held];
		} else {
			i++;
		}
	}
}

/* Has the consumer read @blk to the end? Pairs with BF(get:D), BF(take:D). */
static bool wsq_bwos_read_up(struct wsq_bwos_block *blk)
{
	return wsq_local_read(&blk->f_pos) ==			/* BF(open:A) */
	       (u64)atomic64_read(&blk->b_pos);			/* BF(own:P) */
}

/*
 * Move the producer to the next place and open its block for a new round
 * (section 4.2.2, figure 8). False if the block is not spent.
 */
static bool wsq_bwos_open(struct wsq_bwos_fifo *q)
{
	struct wsq_bwos_mem *mem = wsq_bwos_mem(q);
	/* Nobody else replaces: what was looked up still serves there. */
	struct wsq_bwos_block *blk = q->p.next_blk;
	u32 nr = q->p.next_nr;
	u64 b, round;

	if (!mem)
		return false;
	b = (u64)atomic64_read(&q->p.blk->b_pos);		/* BF(own:P) */
	round = wsq_bwos_next_round(b);

	if (!wsq_bwos_read_up(blk))
		return false;
	/* Who reads first is over by BF(take:C). */
	if (!mem->read_first && !wsq_bwos_counted(blk)) {
		nr = wsq_bwos_replace(q, mem, nr);
		if (nr == q->p.next_nr)
			return false;
		blk = wsq_bwos_blk(mem, nr);
		/* A thief with either number finds a block of this queue. */
		wsq_bwos_dir_replace(&mem->dir, q->p.next, nr);	/* BF(open:C) */
	} else if (q->nr_held) {
		wsq_bwos_release_held(q, mem);
	}

	/* Nobody but the producer looks at the block in this round so far. */
	atomic64_set(&blk->s_cnt, (s64)round);			/* BF(open:D) */
	/* Grant: with BF(put:C), thieves may claim from slot 0. */
	atomic64_set(&blk->s_pos, (s64)round);			/* BF(open:E) */
	/* Last, so that a take-over that sees the round finds the grant. */
	wsq_local_set(&blk->b_pos, round);			/* BF(open:F) */

	q->p.blk = blk;
	q->p.slots = blk->slots;
	q->p.first = nr * (u32)q->p.block_size;
	q->p.place = q->p.next;
	wsq_bwos_look_ahead(mem, &q->p);
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
 * wsq_bwos_fifo_open() - begin a new block
 * @q: the queue, whose producer's block is full
 *
 * Context: as wsq_bwos_fifo_put(). Bounded by the number of spare blocks.
 * Return: %WSQ_OPENED or %WSQ_FULL.
 */
int wsq_bwos_fifo_open(struct wsq_bwos_fifo *q)
{
	return wsq_bwos_open(q) ? WSQ_OPENED : WSQ_FULL;
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
	struct wsq_bwos_mem *mem = wsq_bwos_mem(q);
	struct wsq_bwos_block *blk;
	u64 f, round, size, s;

	if (!mem)
		return false;
	/* The producer may have replaced the block since: look again if so. */
	if (unlikely(wsq_bwos_nr(wsq_bwos_own_at(&mem->dir,	/* BF(take:A) */
						 q->c.next)) != q->c.next_nr))
		wsq_bwos_look_ahead(mem, &q->c);
	f = (u64)atomic64_read(&q->c.blk->f_pos);		/* BF(own:C) */
	round = wsq_bwos_next_round(f);
	size = q->c.block_size;
	blk = q->c.next_blk;

	if (wsq_bwos_round(wsq_local_read(&blk->b_pos)) != round) /* BF(take:B) */
		return false;

	/*
	 * Claims up to here stand, later ones fail. Pairs with BF(steal:H), for
	 * what is put to these slots next.
	 */
	s = (u64)atomic64_xchg_acquire(&blk->s_pos,		/* BF(take:C) */
				       (s64)(round | size));
	wsq_local_set(&blk->f_pos, s);				/* BF(take:D) */
	/*
	 * What thieves will not take counts as taken, so that s_cnt ends at
	 * block_size. If no thief claimed in this round, none will count, and
	 * a store does for 8 cycles less; else an add keeps the thieves'
	 * releases in force for BF(open:B).
	 */
	if (!wsq_bwos_idx(s) || mem->read_first)
		atomic64_set(&blk->s_cnt, (s64)(round | size));	/* BF(take:F) */
	else if (wsq_bwos_idx(s) != size)
		atomic64_fetch_add_relaxed((s64)(size - wsq_bwos_idx(s)),
					   &blk->s_cnt);	/* BF(take:E) */

	q->c.blk = blk;
	q->c_seen = s;
	q->c.slots = blk->slots;
	q->c.first = q->c.next_nr * (u32)size;
	q->c.place = q->c.next;
	wsq_bwos_look_ahead(mem, &q->c);
	return true;
}

/*
 * Move on to a block of which thieves have left something. Blocks that they
 * have emptied are passed over; the number of blocks bounds the loop.
 */
static bool wsq_bwos_advance(struct wsq_bwos_fifo *q)
{
	u32 tries;
	u64 f;

	for (tries = 0; tries <= WSQ_BWOS_MAX_BLOCKS; tries++) {
		if (!wsq_bwos_take_over(q))
			return false;
		f = (u64)atomic64_read(&q->c.blk->f_pos);	/* BF(own:C) */
		if (wsq_bwos_idx(f) != q->c.block_size)
			return true;
	}
	/* Only if the producer opened blocks as fast as we passed over them. */
	return false;
}

/**
 * wsq_bwos_fifo_get_slow() - wsq_bwos_fifo_get() when the block is read up
 * @q: the queue
 *
 * Context: as wsq_bwos_fifo_get().
 * Return: the task, or %NULL if there is none.
 */
void *wsq_bwos_fifo_get_slow(struct wsq_bwos_fifo *q)
{
	return wsq_bwos_advance(q) ? wsq_bwos_fifo_get(q) : NULL;
}

/**
 * wsq_bwos_fifo_claim_slow() - wsq_bwos_fifo_claim() when the block is read up
 * @q: the queue
 *
 * Context: as wsq_bwos_fifo_claim().
 * Return: as wsq_bwos_fifo_claim().
 */
void *wsq_bwos_fifo_claim_slow(struct wsq_bwos_fifo *q)
{
	return wsq_bwos_advance(q) ? wsq_bwos_fifo_claim(q) : NULL;
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

/* Read the slots of a claimed range, or claim them one by one. */
static u32 wsq_bwos_haul(wsq_slot_t *slots, u64 n, void **tasks, bool claim)
{
	u32 got = 0;
	u64 k;

	if (!claim) {
		for (k = 0; k < n; k++)
			tasks[k] = wsq_slot_read(&slots[k]);	/* BF(steal:E) */
		return (u32)n;
	}
	for (k = 0; k < n; k++) {
		void *task = wsq_slot_claim(&slots[k]);		/* BF(claim:B) */

		if (task)
			tasks[got++] = task;
	}
	return got;
}

static inline int wsq_bwos_steal_from(const struct wsq_bwos_mem *mem,
				      struct wsq_bwos_block *blk,
				      void **tasks, u32 max, bool claim)
{
	wsq_slot_t *slots = blk->slots;
	u32 tries;

	for (tries = 0; tries < WSQ_BWOS_CLAIM_TRIES; tries++) {
		u64 s = (u64)atomic64_read(&blk->s_pos);	/* BF(steal:B) */
		u64 i = wsq_bwos_idx(s);
		u64 b, n;
		u32 got;

		if (i == mem->block_size)
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
		if (!claim && mem->read_first) {
			u32 few = max >> 4 * tries;

			/* Who reads for long loses to who does not: less, then. */
			if (n > few)
				n = few ? few : 1;
			wsq_bwos_haul(&slots[i], n, tasks, false);
			/* Unchanged: so were the slots. BF(take:C) */
			if ((u64)atomic64_cmpxchg_release(&blk->s_pos, (s64)s,
							  (s64)(s + n)) != s) /* BF(steal:H) */
				continue;
			return (int)n;
		}
		if ((u64)atomic64_cmpxchg_relaxed(&blk->s_pos, (s64)s,
						  (s64)(s + n)) != s) /* BF(steal:D) */
			continue;

		got = wsq_bwos_haul(&slots[i], n, tasks, claim);
		/* After the slots are read: pairs with BF(open:B). */
		atomic64_fetch_add_release((s64)n, &blk->s_cnt); /* BF(steal:F) */
		/* All of them taken out: there may be more behind. */
		if (got)
			return (int)got;
	}
	return WSQ_CONFLICT;
}

/* @place may be of other memory: the owner can have changed it since. */
static inline int wsq_bwos_try_at(struct wsq_bwos_fifo *q, u32 place,
				  void **tasks, u32 max, bool claim)
{
	struct wsq_bwos_mem *mem = wsq_bwos_thief_mem(q);

	if (!mem || place >= wsq_bwos_places(&mem->dir))
		return WSQ_EMPTY;
	return wsq_bwos_steal_from(mem, wsq_bwos_blk_at(mem, place), /* BF(steal:A) */
				   tasks, max, claim);
}

/**
 * wsq_bwos_fifo_steal_at() - take tasks from one block
 * @q: the queue
 * @place: the place of the block; %WSQ_EMPTY if there is no such
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
	return wsq_bwos_try_at(q, place, tasks, max, false);
}

/**
 * wsq_bwos_fifo_steal_claim_at() - wsq_bwos_fifo_steal_at() for claimed slots
 * @q: the queue
 * @place: as there
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: as wsq_bwos_fifo_steal_at().
 * Return: as wsq_bwos_fifo_steal_at().
 */
int wsq_bwos_fifo_steal_claim_at(struct wsq_bwos_fifo *q, u32 place,
				 void **tasks, u32 max)
{
	return wsq_bwos_try_at(q, place, tasks, max, true);
}

/**
 * wsq_bwos_fifo_sample() - how full is a block that chance picks
 * @q: the queue
 * @rnd: the chance: any number, all equally likely
 * @place: where to say which place it was; left alone if there is no memory
 *
 * On average over all @rnd, what it says is to the block size as what thieves
 * could take is to the capacity (section 3.4 of the paper). Reads the words of
 * that one block.
 *
 * Context: anybody, in a section that keeps the memory: preemption off.
 * Return: how many tasks thieves could take there. A hint.
 */
u32 wsq_bwos_fifo_sample(const struct wsq_bwos_fifo *q, u32 rnd, u32 *place)
{
	struct wsq_bwos_mem *mem = wsq_bwos_thief_mem(q);
	struct wsq_bwos_block *blk;
	u64 i, end;

	if (!mem)
		return 0;
	*place = (u32)((u64)rnd * wsq_bwos_places(&mem->dir) >> 32);
	blk = wsq_bwos_blk_at(mem, *place);			/* BF(steal:A) */
	/* Of two rounds, they make a wrong hint and nothing worse. */
	i = wsq_bwos_idx((u64)atomic64_read(&blk->s_pos));	/* BF(sample:A) */
	end = wsq_bwos_idx((u64)atomic64_read(&blk->b_pos));	/* BF(sample:B) */
	return end > i ? (u32)(end - i) : 0;
}

static inline int wsq_bwos_steal(struct wsq_bwos_fifo *q, void **tasks,
				 u32 max, bool claim)
{
	struct wsq_bwos_mem *mem = wsq_bwos_thief_mem(q);
	u32 hint = (u32)atomic64_read(&q->t_hint);		/* BF(hint:A) */
	int ret = WSQ_EMPTY;
	u32 place = hint;
	u32 i;

	if (!mem)
		return WSQ_EMPTY;
	/* A hint of other memory. */
	if (place >= wsq_bwos_places(&mem->dir))
		place = 0;
	/* As many steps as there are places by then (bwos.h). */
	for (i = 0; i < wsq_bwos_places(&mem->dir); i++) {
		u64 word = wsq_bwos_at(&mem->dir, place);	/* BF(steal:A) */
		int n = wsq_bwos_steal_from(mem,
					    wsq_bwos_blk(mem, wsq_bwos_nr(word)),
					    tasks, max, claim);

		if (n > 0) {
			if (place != hint)			/* BF(hint:B) */
				atomic64_set(&q->t_hint, (s64)place);
			return n;
		}
		if (n == WSQ_CONFLICT)
			ret = WSQ_CONFLICT;
		place = wsq_bwos_next(word);
	}
	return ret;
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
	return wsq_bwos_steal(q, tasks, max, false);
}

/**
 * wsq_bwos_fifo_steal_claim() - wsq_bwos_fifo_steal() for claimed slots
 * @q: the queue
 * @tasks: where to store them
 * @max: how many at most; all come from one block
 *
 * Context: as wsq_bwos_fifo_steal_at().
 * Return: as wsq_bwos_fifo_steal().
 */
int wsq_bwos_fifo_steal_claim(struct wsq_bwos_fifo *q, void **tasks, u32 max)
{
	return wsq_bwos_steal(q, tasks, max, true);
}

/**
 * wsq_bwos_fifo_pry() - take tasks out of the consumer's own block
 * @q: the queue, with claimed slots
 * @tasks: where to store them
 * @max: how many at most
 *
 * For when the consumer is held up by the task it took last. Disturbs it:
 * reads its lines and leaves it tombs to walk over.
 *
 * Context: anybody, in a section that keeps the memory: preemption off.
 * Return: how many were taken, oldest first.
 */
int wsq_bwos_fifo_pry(struct wsq_bwos_fifo *q, void **tasks, u32 max)
{
	struct wsq_bwos_mem *mem = wsq_bwos_thief_mem(q);
	u32 got = 0;
	u32 place;

	if (!mem)
		return 0;
	for (place = 0; place < wsq_bwos_places(&mem->dir) && got < max;
	     place++) {
		struct wsq_bwos_block *blk =
			wsq_bwos_blk_at(mem, place);		/* BF(pry:A) */
		wsq_slot_t *slots = blk->slots;
		u64 f = (u64)atomic64_read(&blk->f_pos);	/* BF(pry:B) */
		u64 b = (u64)atomic64_read(&blk->b_pos);	/* BF(pry:C) */
		u64 i, end = wsq_bwos_idx(b);

		/* The slots decide; positions only say where to look. */
		if (wsq_bwos_round(f) != wsq_bwos_round(b))
			continue;
		for (i = wsq_bwos_idx(f); i < end && got < max; i++) {
			void *task = wsq_slot_peek(&slots[i]);	/* BF(pry:D) */

			/* Pairs with BF(fill:A). */
			if (task && wsq_slot_claim_if(&slots[i],
						      task))	/* BF(pry:E) */
				tasks[got++] = task;
		}
	}
	return (int)got;
}

/**
 * wsq_bwos_fifo_withdraw() - take one task out, wherever it is by now
 * @q: the queue, with claimed slots
 * @nr: number of the slot where it may be; any number
 * @task: the task
 *
 * Context: anybody, in a section that keeps the memory: preemption off.
 * Return: true if @task was there and is the caller's now.
 */
bool wsq_bwos_fifo_withdraw(struct wsq_bwos_fifo *q, u32 nr, void *task)
{
	struct wsq_bwos_mem *mem = wsq_bwos_thief_mem(q);

	struct wsq_bwos_block *blk;

	if (!mem)
		return false;
	blk = (struct wsq_bwos_block *)
		wsq_bwos_find(&mem->dir, nr / mem->block_size);	/* BW(find:A) */
	if (!blk)
		return false;
	/* Pairs with BF(fill:A). */
	return wsq_slot_claim_if(&blk->slots[nr % mem->block_size],
				 task);				/* BF(out:A) */
}

/**
 * wsq_bwos_fifo_waiting() - does anything wait here
 * @q: the queue
 *
 * Context: anybody, in a section that keeps the memory: preemption off.
 * Return: a hint.
 */
bool wsq_bwos_fifo_waiting(const struct wsq_bwos_fifo *q)
{
	struct wsq_bwos_mem *mem = wsq_bwos_thief_mem(q);
	u32 place;

	for (place = 0; mem && place < wsq_bwos_places(&mem->dir); place++) {
		struct wsq_bwos_block *blk =
			wsq_bwos_blk_at(mem, place);		/* BF(pry:A) */
		u64 b = (u64)atomic64_read(&blk->b_pos);	/* BF(pry:C) */
		u64 f = (u64)atomic64_read(&blk->f_pos);	/* BF(pry:B) */
		u64 s = (u64)atomic64_read(&blk->s_pos);	/* BF(steal:B) */

		/* Taken over: the consumer's; else its f_pos is of old. */
		if (wsq_bwos_round(f) == wsq_bwos_round(b) ?
		    f < b : wsq_bwos_round(s) == wsq_bwos_round(b) && s < b)
			return true;
	}
	return false;
}

/**
 * wsq_bwos_fifo_empty() - would a get come back with nothing
 * @q: the queue
 *
 * Context: the consumer, who must not be interrupted by one who extends.
 * Return: true if there is nothing in the consumer's block and the producer
 * has not begun another. False does not promise a task: thieves may have taken
 * all of the next block.
 */
bool wsq_bwos_fifo_empty(const struct wsq_bwos_fifo *q)
{
	u64 f = (u64)atomic64_read(&q->c.blk->f_pos);		/* BF(own:C) */
	struct wsq_bwos_mem *mem = wsq_bwos_mem(q);
	u32 place, nr;
	u64 b;

	if (!mem)
		return true;
	if (wsq_bwos_idx(f) != q->c.block_size) {
		b = (u64)atomic64_read(&q->c.blk->b_pos);	/* BF(empty:A) */
		return b <= f;
	}

	place = wsq_bwos_next(wsq_bwos_own_at(&mem->dir, q->c.place));
	nr = wsq_bwos_nr(wsq_bwos_own_at(&mem->dir, place));	/* BF(empty:B) */
	b = (u64)atomic64_read(&wsq_bwos_blk(mem, nr)->b_pos); /* BF(empty:C) */
	return wsq_bwos_round(b) != wsq_bwos_next_round(f);
}

/**
 * wsq_bwos_fifo_short() - is there no room but in the producer's block
 * @q: the queue
 *
 * Context: the producer.
 * Return: true if the next block is still in use and no spare one can serve in its
 * place.
 */
bool wsq_bwos_fifo_short(const struct wsq_bwos_fifo *q)
{
	struct wsq_bwos_mem *mem = wsq_bwos_mem(q);
	struct wsq_bwos_block *blk = q->p.next_blk;

	if (!mem)
		return true;
	return !wsq_bwos_read_up(blk) ||
	       (!mem->read_first && !q->nr_spare && !wsq_bwos_counted(blk));
}
