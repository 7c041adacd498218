// SPDX-License-Identifier: GPL-2.0
/*
 * LIFO BWoS, the thieves' half: stealing, prying, withdrawing, and what may be
 * asked by anybody; and wsq_bwos_lifo_claim_oldest(), an owner who goes the
 * thieves' way. The argument, the labels and the pairs are in bwos_lifo.h.
 *
 * Costs: a theft in bwos_lifo.h; a pass loads a word, an address and the block's
 * line for each place. Limitations: bwos_lifo.h.
 */
#include "bwos_lifo_mem.h"

/* A thief that loses this many claims in one block looks at another one. */
#define WSQ_BWOS_LIFO_CLAIM_TRIES	4

static inline struct wsq_bwos_lifo_mem *
wsq_bwos_lifo_thief_mem(const struct wsq_bwos_lifo *q)
{
	/* Pairs with LI(mount:A): the memory is as mounted or later. */
	return (struct wsq_bwos_lifo_mem *)(uintptr_t)
		atomic64_read_acquire(&q->mem);			/* LI(steal:G) */
}

/* The block at @place, for anybody. */
static inline struct wsq_bwos_lifo_block *
wsq_bwos_lifo_blk_at(const struct wsq_bwos_lifo_mem *mem, u32 place)
{
	u64 word = wsq_bwos_at(&mem->dir, place);		/* BW(at:A) */

	return wsq_bwos_lifo_blk(mem, wsq_bwos_nr(word));
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

static inline int wsq_bwos_lifo_rob(const struct wsq_bwos_lifo_mem *mem,
				    struct wsq_bwos_lifo_block *blk,
				    void **tasks, u32 max, bool claim)
{
	wsq_slot_t *slots = blk->slots;
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

/* @place may be of other memory: the owner can have changed it since. */
static inline int wsq_bwos_lifo_rob_at(struct wsq_bwos_lifo *q, u32 place,
				       void **tasks, u32 max, bool claim)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);

	if (!mem || place >= wsq_bwos_places(&mem->dir))
		return WSQ_EMPTY;
	return wsq_bwos_lifo_rob(mem, wsq_bwos_lifo_blk_at(mem, place), /* LI(steal:A) */
				 tasks, max, claim);
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
	return wsq_bwos_lifo_rob_at(q, place, tasks, max, false);
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
	return wsq_bwos_lifo_rob_at(q, place, tasks, max, true);
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
	if (place >= wsq_bwos_places(&mem->dir))
		place = 0;
	/* As many steps as there are places by then (bwos.h). */
	for (i = 0; i < wsq_bwos_places(&mem->dir); i++) {
		u64 word = wsq_bwos_at(&mem->dir, place);	/* LI(steal:A) */
		int n = wsq_bwos_lifo_rob(mem,
					  wsq_bwos_lifo_blk(mem, wsq_bwos_nr(word)),
					  tasks, max, claim);

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
		place = wsq_bwos_next(word);
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
			      const struct wsq_bwos_lifo_mem *mem,
			      void **tasks, u32 max)
{
	/* The slots decide; these only say where to look. */
	u64 i = (u64)atomic64_read(&q->low);			/* LI(pry:A) */
	u64 end = (u64)atomic64_read(&q->pos);			/* LI(pry:B) */
	u32 first = (u32)atomic64_read(&q->first);		/* LI(pry:C) */
	struct wsq_bwos_lifo_block *blk = (struct wsq_bwos_lifo_block *)
		wsq_bwos_find(&mem->dir, first / mem->block_size); /* BW(find:A) */
	u32 got = 0;

	/* Each may be of another block, and of other memory. */
	if (!blk || end > mem->block_size)
		return 0;
	for (; i < end && got < max; i++) {
		wsq_slot_t *slot = &blk->slots[i];
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
	struct wsq_bwos_lifo_block *blk;

	if (!mem)
		return false;
	blk = (struct wsq_bwos_lifo_block *)
		wsq_bwos_find(&mem->dir, nr / mem->block_size);	/* BW(find:A) */
	if (!blk)
		return false;
	/* Pairs with LI(fill:A). */
	return wsq_slot_claim_if(&blk->slots[nr % mem->block_size],
				 task);				/* LI(out:A) */
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
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);
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

/* How much thieves may find at @place. No order, a hint. */
static u64 wsq_bwos_lifo_granted(const struct wsq_bwos_lifo_mem *mem, u32 place)
{
	const struct wsq_bwos_lifo_block *blk =
		wsq_bwos_lifo_blk_at(mem, place);		/* LI(look:C) */
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
	for (place = 0; place < wsq_bwos_places(&mem->dir); place++)
		if (wsq_bwos_lifo_granted(mem, place))
			return true;
	return false;
}

/**
 * wsq_bwos_lifo_place() - a place that chance picks
 * @q: the queue
 * @rnd: the chance: any number, all equally likely
 *
 * Context: anybody, in a section that keeps the memory: preemption off.
 * Return: one of the places there are; 0 if there is no memory.
 */
u32 wsq_bwos_lifo_place(const struct wsq_bwos_lifo *q, u32 rnd)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);

	return mem ? (u32)((u64)rnd * wsq_bwos_places(&mem->dir) >> 32) : 0;
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

	if (!mem || place >= wsq_bwos_places(&mem->dir))
		return 0;
	return (u32)wsq_bwos_lifo_granted(mem, place);
}
