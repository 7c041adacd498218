// SPDX-License-Identifier: GPL-2.0
/*
 * LIFO BWoS, the parts outside the fast path: moving from block to block, and
 * stealing. The argument, the labels and the pairs are in bwos_lifo.h.
 */
#include "bwos_lifo.h"

/* A thief that loses this many claims in one block looks at another one. */
#define WSQ_BWOS_LIFO_CLAIM_TRIES	4

static inline struct wsq_bwos_lifo_mem *
wsq_bwos_lifo_mem(const struct wsq_bwos_lifo *q)
{
	/* The owner's own store; thieves have LI(steal:G). */
	return (struct wsq_bwos_lifo_mem *)(uintptr_t)
		atomic64_read(&q->mem);				/* LI(own:F) */
}

static inline struct wsq_bwos_lifo_mem *
wsq_bwos_lifo_thief_mem(const struct wsq_bwos_lifo *q)
{
	/* Pairs with LI(mount:A): the memory is as mounted or later. */
	return (struct wsq_bwos_lifo_mem *)(uintptr_t)
		atomic64_read_acquire(&q->mem);			/* LI(steal:G) */
}

static inline wsq_slot_t *
wsq_bwos_lifo_slots(const struct wsq_bwos_lifo_mem *mem, u64 nr)
{
	return &mem->slots[nr * mem->block_size];
}

static inline u64 wsq_bwos_lifo_nr_slots(const struct wsq_bwos_lifo_mem *mem)
{
	return (u64)(mem->nr_places + mem->nr_spare) * mem->block_size;
}

static inline u32 wsq_bwos_lifo_above(const struct wsq_bwos_lifo_mem *mem,
				      u32 place)
{
	return place + 1 == mem->nr_places ? 0 : place + 1;
}

static inline u32 wsq_bwos_lifo_below(const struct wsq_bwos_lifo_mem *mem,
				      u32 place)
{
	return (place ? place : mem->nr_places) - 1;
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

/**
 * wsq_bwos_lifo_mount() - give a queue memory
 * @q: the queue, without memory
 * @mem: the memory; @mem->slots hold %NULL if slots are to be claimed
 *
 * Context: the owner.
 */
void wsq_bwos_lifo_mount(struct wsq_bwos_lifo *q, struct wsq_bwos_lifo_mem *mem)
{
	u32 i;

	/* Every block is spent: nothing was ever claimed. */
	for (i = 0; i < mem->nr_places + mem->nr_spare; i++) {
		atomic64_set(&mem->blocks[i].s_pos, 0);
		atomic64_set(&mem->blocks[i].b_pos, 0);
		atomic64_set(&mem->blocks[i].s_cnt, 0);
	}
	for (i = 0; i < mem->nr_places; i++)
		atomic64_set(&mem->dir[i], (s64)i);
	for (i = 0; i < mem->nr_spare; i++)
		mem->spare[i] = (u16)(mem->nr_places + i);

	q->slots = mem->slots;
	q->block_size = mem->block_size;
	q->blk = &mem->blocks[0];
	q->nr_spare = (u16)mem->nr_spare;
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
static u64 wsq_bwos_lifo_replace(struct wsq_bwos_lifo *q,
				 struct wsq_bwos_lifo_mem *mem, u64 nr)
{
	u64 other;
	u32 i;

	if (q->nr_spare) {
		other = mem->spare[--q->nr_spare];
		mem->held[q->nr_held++] = (u16)nr;
		return other;
	}
	for (i = 0; i < q->nr_held; i++) {
		other = mem->held[i];
		if (wsq_bwos_lifo_spent(mem, &mem->blocks[other])) {
			mem->held[i] = (u16)nr;
			return other;
		}
	}
	return nr;
}

/* Give the blocks back whose thieves have counted meanwhile. */
static void wsq_bwos_lifo_release_held(struct wsq_bwos_lifo *q,
				       struct wsq_bwos_lifo_mem *mem)
{
	u32 i = 0;

	while (i < q->nr_held) {
		if (wsq_bwos_lifo_spent(mem, &mem->blocks[mem->held[i]])) {
			mem->spare[q->nr_spare++] = mem->held[i];
			mem->held[i] = mem->held[--q->nr_held];
		} else {
			i++;
		}
	}
}

/* Block @nr at @place is the owner's. */
static void wsq_bwos_lifo_stand(struct wsq_bwos_lifo *q,
				struct wsq_bwos_lifo_mem *mem, u64 nr, u32 place)
{
	q->blk = &mem->blocks[nr];
	q->slots = wsq_bwos_lifo_slots(mem, nr);
	q->place = (u16)place;
	/* For who pries: a hint. */
	atomic64_set(&q->first, (s64)(nr * mem->block_size));	/* LI(own:G) */
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
	u64 was, nr;
	u32 place;

	if (!mem)
		return false;
	place = wsq_bwos_lifo_above(mem, q->place);
	was = (u64)atomic64_read(&mem->dir[place]);		/* LI(own:D) */
	nr = was;

	if (!wsq_bwos_lifo_spent(mem, &mem->blocks[was])) {
		/* Tasks, not only thieves that still read? Full. */
		if (wsq_bwos_lifo_left(&mem->blocks[was]))
			return false;
		nr = wsq_bwos_lifo_replace(q, mem, was);
		if (nr == was)
			return false;
		/* A thief with either number finds a block of this queue. */
		atomic64_set(&mem->dir[place], (s64)nr);	/* LI(begin:C) */
	} else if (q->nr_held) {
		wsq_bwos_lifo_release_held(q, mem);
	}

	wsq_bwos_lifo_grant(q);

	wsq_bwos_lifo_stand(q, mem, nr, place);
	/* Around the queue the bottom is lost, which was empty. */
	if (q->depth + 1U < mem->nr_places)
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
		u64 nr;

		place = wsq_bwos_lifo_below(mem, place);
		nr = (u64)atomic64_read(&mem->dir[place]);	/* LI(own:D) */
		if (wsq_bwos_lifo_left(&mem->blocks[nr]))
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
	u64 nr = (u64)atomic64_read(&mem->dir[place]);		/* LI(own:D) */
	struct wsq_bwos_lifo_block *blk = &mem->blocks[nr];
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
		place = wsq_bwos_lifo_below(mem, place);
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

/* Read the slots of a claimed range, or claim them one by one. */
static u32 wsq_bwos_lifo_haul(wsq_slot_t *slots, u64 n, void **tasks, bool claim)
{
	u32 got = 0;
	u64 k;

	if (!claim) {
		for (k = 0; k < n; k++)
			tasks[k] = wsq_slot_read(&slots[k]);	/* LI(steal:E) */
		return (u32)n;
	}
	for (k = 0; k < n; k++) {
		void *task = wsq_slot_claim(&slots[k]);		/* LI(claim:B) */

		if (task)
			tasks[got++] = task;
	}
	return got;
}

static inline int wsq_bwos_lifo_rob(struct wsq_bwos_lifo_mem *mem, u32 place,
				    void **tasks, u32 max, bool claim)
{
	u64 nr = (u64)atomic64_read(&mem->dir[place]);		/* LI(steal:A) */
	struct wsq_bwos_lifo_block *blk = &mem->blocks[nr];
	wsq_slot_t *slots = wsq_bwos_lifo_slots(mem, nr);
	u32 tries;

	for (tries = 0; tries < WSQ_BWOS_LIFO_CLAIM_TRIES; tries++) {
		/* Pairs with LI(grant:B). */
		u64 s = (u64)atomic64_read_acquire(&blk->s_pos); /* LI(steal:B) */
		u64 b = (u64)atomic64_read(&blk->b_pos);	/* LI(steal:C) */
		u64 i = wsq_bwos_idx(s);
		u32 got;
		u64 n;

		/* Of a later grant: s is gone, or about to go. */
		if (wsq_bwos_round(b) != wsq_bwos_round(s))
			return WSQ_EMPTY;
		if (wsq_bwos_idx(b) <= i)
			return WSQ_DONE;
		n = wsq_bwos_idx(b) - i;
		if (n > max)
			n = max;
		if (!claim && mem->read_first) {
			u32 few = max >> 4 * tries;

			/* Who reads for long loses to who does not: less, then. */
			if (n > few)
				n = few ? few : 1;
			wsq_bwos_lifo_haul(&slots[i], n, tasks, false);
			/* Unchanged: so were the slots. LI(take:C), LI(left:A) */
			if ((u64)atomic64_cmpxchg_release(&blk->s_pos, (s64)s,
							  (s64)(s + n)) != s) /* LI(steal:H) */
				continue;
			return (int)n;
		}
		/* Unchanged, hence of the grant that LI(steal:B) has acquired. */
		if ((u64)atomic64_cmpxchg_relaxed(&blk->s_pos, (s64)s,
						  (s64)(s + n)) != s) /* LI(steal:D) */
			continue;

		got = wsq_bwos_lifo_haul(&slots[i], n, tasks, claim);
		/* After the slots are read: pairs with LI(begin:B). */
		atomic64_fetch_add_release((s64)n, &blk->s_cnt); /* LI(steal:F) */
		/* All of them taken out: there may be more behind. */
		if (got)
			return (int)got;
	}
	return WSQ_CONFLICT;
}

/**
 * wsq_bwos_lifo_steal_at() - take tasks from one block
 * @q: the queue
 * @place: the place of the block; any number
 * @tasks: where to store them
 * @max: how many at most: 1 for one task, the block size for all there are
 *
 * Context: anybody, with preemption off: a thief that is descheduled before it
 * counts keeps a block out of use.
 * Return: how many were taken, oldest first; %WSQ_EMPTY if the owner is granting
 * the block; %WSQ_DONE if nothing in it is for thieves; %WSQ_CONFLICT if others
 * were faster.
 */
int wsq_bwos_lifo_steal_at(struct wsq_bwos_lifo *q, u32 place, void **tasks,
			   u32 max)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);

	/* A place of other memory. */
	if (!mem || place >= mem->nr_places)
		return WSQ_EMPTY;
	return wsq_bwos_lifo_rob(mem, place, tasks, max, false);
}

/**
 * wsq_bwos_lifo_steal_claim_at() - wsq_bwos_lifo_steal_at() for claimed slots
 * @q: the queue
 * @place: the place of the block; any number
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: as wsq_bwos_lifo_steal_at().
 * Return: as wsq_bwos_lifo_steal_at(); %WSQ_CONFLICT also where all had been
 * taken out.
 */
int wsq_bwos_lifo_steal_claim_at(struct wsq_bwos_lifo *q, u32 place,
				 void **tasks, u32 max)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);

	/* A place of other memory. */
	if (!mem || place >= mem->nr_places)
		return WSQ_EMPTY;
	return wsq_bwos_lifo_rob(mem, place, tasks, max, true);
}

static inline int wsq_bwos_lifo_rob_lowest(struct wsq_bwos_lifo *q,
					   void **tasks, u32 max, bool claim)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);
	u64 hint = (u64)atomic64_read(&q->t_hint);		/* LI(hint:A) */
	u32 place = (u32)wsq_bwos_idx(hint);
	int ret = WSQ_EMPTY;
	u32 i;

	if (!mem)
		return WSQ_EMPTY;
	/* A hint of other memory. */
	if (place >= mem->nr_places)
		place = 0;
	for (i = 0; i < mem->nr_places; i++) {
		int n = wsq_bwos_lifo_rob(mem, place, tasks, max, claim);

		if (n > 0) {
			u64 to = wsq_bwos_round(hint) | place;

			/*
			 * Unless the owner has begun at another bottom. What was
			 * left for others' sake, or after many holes, is below.
			 */
			if (to != hint && ret == WSQ_EMPTY)
				atomic64_cmpxchg_relaxed(&q->t_hint, (s64)hint,
							 (s64)to); /* LI(hint:B) */
			return n;
		}
		if (n == WSQ_CONFLICT)
			ret = WSQ_CONFLICT;
		place = wsq_bwos_lifo_above(mem, place);
	}
	return ret;
}

/**
 * wsq_bwos_lifo_steal() - take tasks from the lowest block that has some
 * @q: the queue
 * @tasks: where to store them
 * @max: how many at most; all come from one block
 *
 * Begins at the bottom, as far as is known, and passes once over all places.
 *
 * Context: as wsq_bwos_lifo_steal_at().
 * Return: how many were taken; %WSQ_EMPTY if no block had any; %WSQ_CONFLICT
 * if the only ones that had were contended.
 */
int wsq_bwos_lifo_steal(struct wsq_bwos_lifo *q, void **tasks, u32 max)
{
	return wsq_bwos_lifo_rob_lowest(q, tasks, max, false);
}

/**
 * wsq_bwos_lifo_steal_claim() - wsq_bwos_lifo_steal() for claimed slots
 * @q: the queue
 * @tasks: where to store them
 * @max: how many at most; all come from one block
 *
 * Context: as wsq_bwos_lifo_steal_at().
 * Return: as wsq_bwos_lifo_steal(); %WSQ_CONFLICT also where all that was found
 * had been taken out.
 */
int wsq_bwos_lifo_steal_claim(struct wsq_bwos_lifo *q, void **tasks, u32 max)
{
	return wsq_bwos_lifo_rob_lowest(q, tasks, max, true);
}

/* Take tasks out of the owner's block, oldest first; returns how many. */
static u32 wsq_bwos_lifo_pick(const struct wsq_bwos_lifo *q,
			      struct wsq_bwos_lifo_mem *mem, void **tasks,
			      u32 max)
{
	/* The slots decide; these only say where to look. */
	u64 i = (u64)atomic64_read(&q->low);			/* LI(pry:A) */
	u64 end = (u64)atomic64_read(&q->pos);			/* LI(pry:B) */
	u64 first = (u64)atomic64_read(&q->first);		/* LI(pry:C) */
	u32 got = 0;

	/* Each may be of another block, and of other memory. */
	if (first + end > wsq_bwos_lifo_nr_slots(mem))
		return 0;
	for (; i < end && got < max; i++) {
		wsq_slot_t *slot = &mem->slots[first + i];
		void *task = wsq_slot_peek(slot);		/* LI(pry:D) */

		/* Pairs with LI(fill:A). */
		if (task && wsq_slot_claim_if(slot, task))	/* LI(pry:E) */
			tasks[got++] = task;
	}
	return got;
}

/**
 * wsq_bwos_lifo_pry() - take tasks out of the owner's block
 * @q: the queue, with claimed slots
 * @tasks: where to store them
 * @max: how many at most
 *
 * For when the owner is held up by the task it took last. Disturbs it: reads its
 * lines and leaves it tombs to walk over.
 *
 * Context: anybody, in a section that keeps the memory: preemption off.
 * Return: how many were taken, oldest first.
 */
int wsq_bwos_lifo_pry(struct wsq_bwos_lifo *q, void **tasks, u32 max)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);

	return mem ? (int)wsq_bwos_lifo_pick(q, mem, tasks, max) : 0;
}

/**
 * wsq_bwos_lifo_withdraw() - take one task out, wherever it is by now
 * @q: the queue, with claimed slots
 * @nr: number of the slot where it may be; any number
 * @task: the task
 *
 * Context: anybody, in a section that keeps the memory: preemption off.
 * Return: true if @task was there and is the caller's now.
 */
bool wsq_bwos_lifo_withdraw(struct wsq_bwos_lifo *q, u32 nr, void *task)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);

	if (!mem || nr >= wsq_bwos_lifo_nr_slots(mem))
		return false;
	/* Pairs with LI(fill:A). */
	return wsq_slot_claim_if(&mem->slots[nr], task);	/* LI(out:A) */
}

/**
 * wsq_bwos_lifo_claim_oldest() - take the task at the bottom
 * @q: the queue, with claimed slots
 *
 * For an owner that must not keep what lies below waiting for ever: a task that
 * puts itself again would always be on top. Shares the owner's block if thieves
 * have nothing, and robs the lowest one as they do; if the block cannot be
 * shared, for want of another one, takes its oldest task out. What is not to be
 * had that way, because thieves are at it, is taken from the top.
 *
 * Context: as wsq_bwos_lifo_claim(). Bounded by the number of blocks, or by the
 * size of one.
 * Return: as wsq_bwos_lifo_claim().
 */
void *wsq_bwos_lifo_claim_oldest(struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_mem(q);
	void *task;
	int got;

	switch (wsq_bwos_lifo_share(q)) {
	case WSQ_EMPTY:
		return wsq_bwos_lifo_claim(q);
	case WSQ_FULL:
		got = (int)wsq_bwos_lifo_pick(q, mem, &task, 1);
		break;
	default:
		got = wsq_bwos_lifo_steal_claim(q, &task, 1);
		break;
	}
	return got > 0 ? task : wsq_bwos_lifo_claim(q);
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
		u64 nr;

		place = wsq_bwos_lifo_below(mem, place);
		nr = (u64)atomic64_read(&mem->dir[place]);	/* LI(own:D) */
		if (wsq_bwos_lifo_left(&mem->blocks[nr]))
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

/* How much thieves may find at @place. No order, a hint. */
static u64 wsq_bwos_lifo_granted(const struct wsq_bwos_lifo_mem *mem, u32 place)
{
	u64 nr = (u64)atomic64_read(&mem->dir[place]);		/* LI(look:C) */
	const struct wsq_bwos_lifo_block *blk = &mem->blocks[nr];
	u64 s = (u64)atomic64_read(&blk->s_pos);		/* LI(look:D) */
	u64 b = (u64)atomic64_read(&blk->b_pos);		/* LI(look:E) */

	return wsq_bwos_round(s) == wsq_bwos_round(b) && s < b ? b - s : 0;
}

/**
 * wsq_bwos_lifo_waiting() - does anything wait here
 * @q: the queue
 *
 * Context: anybody, in a section that keeps the memory: preemption off.
 * Return: a hint.
 */
bool wsq_bwos_lifo_waiting(const struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);
	u32 place;

	if (!mem)
		return false;
	if (atomic64_read(&q->pos) !=				/* LI(look:A) */
	    atomic64_read(&q->low))				/* LI(look:B) */
		return true;
	for (place = 0; place < mem->nr_places; place++)
		if (wsq_bwos_lifo_granted(mem, place))
			return true;
	return false;
}

/**
 * wsq_bwos_lifo_sample() - how many tasks could thieves take from one block
 * @q: the queue
 * @place: the place of the block; any number
 *
 * Reads that block's words only: what a thief that chooses among many victims
 * asks a few of (section 3.4 of the paper).
 *
 * Context: anybody, in a section that keeps the memory: preemption off.
 * Return: a hint; 0 if there are none, or no such place.
 */
u32 wsq_bwos_lifo_sample(const struct wsq_bwos_lifo *q, u32 place)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);

	if (!mem || place >= mem->nr_places)
		return 0;
	return (u32)wsq_bwos_lifo_granted(mem, place);
}
