// SPDX-License-Identifier: GPL-2.0
/*
 * LIFO BWoS, the thieves' half: stealing, also from the active block, removing
 * one task, and queries for any context; and wsq_bwos_lifo_claim_oldest(), an
 * owner that steals from itself. bwos_lifo.h has the correctness argument, the
 * labels and the pairs.
 *
 * Cost: bwos_lifo.h for a steal; a pass loads a word, an address and the
 * block's line for each entry. Limitations: bwos_lifo.h.
 */
#include "bwos_lifo_mem.h"

/* A thief that loses this many claims in one block tries another one. */
#define WSQ_BWOS_LIFO_CLAIM_TRIES	4

static inline struct wsq_bwos_lifo_mem *
wsq_bwos_lifo_thief_mem(const struct wsq_bwos_lifo *q)
{
	/* Pairs with LI(attach:A): the memory is as attached, or later. */
	return (struct wsq_bwos_lifo_mem *)(uintptr_t)
		atomic64_read_acquire(&q->mem);			/* LI(steal:G) */
}

/* The block of entry @index, for any reader. */
static inline struct wsq_bwos_lifo_block *
wsq_bwos_lifo_blk_at(const struct wsq_bwos_lifo_mem *mem, u32 index)
{
	u64 word = wsq_bwos_at(&mem->dir, index);		/* BW(at:A) */

	return wsq_bwos_lifo_blk(mem, wsq_bwos_nr(word));
}

/* Read the slots of a claimed range, or claim them one by one (@claim). */
static u32 wsq_bwos_lifo_read_batch(wsq_slot_t *slots, u64 n, void **tasks, bool claim)
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

static inline int wsq_bwos_lifo_steal_blk(const struct wsq_bwos_lifo_mem *mem,
					  struct wsq_bwos_lifo_block *blk,
					  void **tasks, u32 max, bool claim)
{
	wsq_slot_t *slots = blk->slots;
	u32 tries;

	for (tries = 0; tries < WSQ_BWOS_LIFO_CLAIM_TRIES; tries++) {
		/* Pairs with LI(publish:B). */
		u64 s = (u64)atomic64_read_acquire(&blk->s_pos); /* LI(steal:B) */
		u64 b = (u64)atomic64_read(&blk->b_pos);	/* LI(steal:C) */
		u64 i = wsq_bwos_idx(s);
		u32 got;
		u64 n;

		/* b is of a later publication: s is gone, or about to go. */
		if (wsq_bwos_round(b) != wsq_bwos_round(s))
			return WSQ_EMPTY;
		if (wsq_bwos_idx(b) <= i)
			return WSQ_DONE;
		n = wsq_bwos_idx(b) - i;
		if (n > max)
			n = max;
		if (!claim && mem->read_first) {
			u32 few = max >> 4 * tries;

			/* Long reads lose to short ones: read less each try. */
			if (n > few)
				n = few ? few : 1;
			wsq_bwos_lifo_read_batch(&slots[i], n, tasks, false);
			/* Same s_pos, same slots. LI(take:C), LI(left:A) */
			if ((u64)atomic64_cmpxchg_release(&blk->s_pos, (s64)s,
							  (s64)(s + n)) != s) /* LI(steal:H) */
				continue;
			return (int)n;
		}
		/* Unchanged: of the publication that LI(steal:B) acquired. */
		if ((u64)atomic64_cmpxchg_relaxed(&blk->s_pos, (s64)s,
						  (s64)(s + n)) != s) /* LI(steal:D) */
			continue;

		got = wsq_bwos_lifo_read_batch(&slots[i], n, tasks, claim);
		/* After the slots are read: pairs with LI(begin:B). */
		atomic64_fetch_add_release((s64)n, &blk->s_cnt); /* LI(steal:F) */
		/* If all had been taken out, there may be more behind. */
		if (got)
			return (int)got;
	}
	return WSQ_CONFLICT;
}

/* @index may be of older memory: the owner may have changed it since. */
static inline int wsq_bwos_lifo_steal_blk_at(struct wsq_bwos_lifo *q, u32 index,
					     void **tasks, u32 max, bool claim)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);

	if (!mem || index >= wsq_bwos_nr_entries(&mem->dir))
		return WSQ_EMPTY;
	return wsq_bwos_lifo_steal_blk(mem, wsq_bwos_lifo_blk_at(mem, index), /* LI(steal:A) */
				       tasks, max, claim);
}

/**
 * wsq_bwos_lifo_steal_at() - steal from one block
 * @q: the queue
 * @index: directory index of the block; any number
 * @tasks: where to store them
 * @max: how many at most: 1 for one task, the block size for all there are
 *
 * Context: any, with preemption off: a thief that is descheduled before it
 * counts keeps a block out of use.
 * Return: how many were taken, oldest first; %WSQ_EMPTY if the owner is
 * publishing the block; %WSQ_DONE if nothing in it is for thieves;
 * %WSQ_CONFLICT if other thieves were faster.
 */
int wsq_bwos_lifo_steal_at(struct wsq_bwos_lifo *q, u32 index, void **tasks,
			   u32 max)
{
	return wsq_bwos_lifo_steal_blk_at(q, index, tasks, max, false);
}

/**
 * wsq_bwos_lifo_steal_claim_at() - wsq_bwos_lifo_steal_at() for claimed slots
 * @q: the queue
 * @index: directory index of the block; any number
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: any, with preemption off.
 * Return: as wsq_bwos_lifo_steal_at(); %WSQ_CONFLICT also if all had been
 * taken out.
 */
int wsq_bwos_lifo_steal_claim_at(struct wsq_bwos_lifo *q, u32 index,
				 void **tasks, u32 max)
{
	return wsq_bwos_lifo_steal_blk_at(q, index, tasks, max, true);
}

static inline int wsq_bwos_lifo_steal_blk_lowest(struct wsq_bwos_lifo *q,
						 void **tasks, u32 max, bool claim)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);
	u64 hint = (u64)atomic64_read(&q->t_hint);		/* LI(hint:A) */
	u32 index = (u32)wsq_bwos_idx(hint);
	int ret = WSQ_EMPTY;
	u32 i;

	if (!mem)
		return WSQ_EMPTY;
	/* The hint may be of older memory. */
	if (index >= wsq_bwos_nr_entries(&mem->dir))
		index = 0;
	/* The number of entries is reread at each step (bwos.h). */
	for (i = 0; i < wsq_bwos_nr_entries(&mem->dir); i++) {
		u64 word = wsq_bwos_at(&mem->dir, index);	/* LI(steal:A) */
		int n = wsq_bwos_lifo_steal_blk(mem,
						wsq_bwos_lifo_blk(mem, wsq_bwos_nr(word)),
						tasks, max, claim);

		if (n > 0) {
			u64 to = wsq_bwos_round(hint) | index;

			/*
			 * Unless the owner has set another bottom. Blocks that
			 * were contended, or had all tasks removed, are below.
			 */
			if (to != hint && ret == WSQ_EMPTY)
				atomic64_cmpxchg_relaxed(&q->t_hint, (s64)hint,
							 (s64)to); /* LI(hint:B) */
			return n;
		}
		if (n == WSQ_CONFLICT)
			ret = WSQ_CONFLICT;
		index = wsq_bwos_next(word);
	}
	return ret;
}

/**
 * wsq_bwos_lifo_steal() - steal from the lowest block that has tasks
 * @q: the queue
 * @tasks: where to store them
 * @max: how many at most; all come from one block
 *
 * Begins at the bottom, as far as is known, and passes once over all entries.
 *
 * Context: any, with preemption off.
 * Return: how many were taken; %WSQ_EMPTY if no block had any; %WSQ_CONFLICT
 * if every block that had some was contended.
 */
int wsq_bwos_lifo_steal(struct wsq_bwos_lifo *q, void **tasks, u32 max)
{
	return wsq_bwos_lifo_steal_blk_lowest(q, tasks, max, false);
}

/**
 * wsq_bwos_lifo_steal_claim() - wsq_bwos_lifo_steal() for claimed slots
 * @q: the queue
 * @tasks: where to store them
 * @max: how many at most; all come from one block
 *
 * Context: any, with preemption off.
 * Return: as wsq_bwos_lifo_steal(); %WSQ_CONFLICT also if all that was found
 * had been taken out.
 */
int wsq_bwos_lifo_steal_claim(struct wsq_bwos_lifo *q, void **tasks, u32 max)
{
	return wsq_bwos_lifo_steal_blk_lowest(q, tasks, max, true);
}

/* Take tasks out of the owner's block, oldest first; returns how many. */
static u32 wsq_bwos_lifo_pick(const struct wsq_bwos_lifo *q,
			      const struct wsq_bwos_lifo_mem *mem,
			      void **tasks, u32 max)
{
	/* The slots decide; these only say where to look. */
	u64 i = (u64)atomic64_read(&q->low);			/* LI(active:A) */
	u64 end = (u64)atomic64_read(&q->pos);			/* LI(active:B) */
	u32 first = (u32)atomic64_read(&q->first);		/* LI(active:C) */
	struct wsq_bwos_lifo_block *blk = (struct wsq_bwos_lifo_block *)
		wsq_bwos_find(&mem->dir, first / mem->block_size); /* BW(find:A) */
	u32 got = 0;

	/* Each may be of another block, and of older memory. */
	if (!blk || end > mem->block_size)
		return 0;
	for (; i < end && got < max; i++) {
		wsq_slot_t *slot = &blk->slots[i];
		void *task = wsq_slot_peek(slot);		/* LI(active:D) */

		/* Pairs with LI(fill:A). */
		if (task && wsq_slot_claim_if(slot, task))	/* LI(active:E) */
			tasks[got++] = task;
	}
	return got;
}

/**
 * wsq_bwos_lifo_steal_active() - steal from the owner's active block
 * @q: the queue, with claimed slots
 * @tasks: where to store them
 * @max: how many at most
 *
 * For an owner that is held up by the task it took last. Disturbs the owner:
 * reads its lines and leaves it tombstones to skip.
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: how many were taken, oldest first.
 */
int wsq_bwos_lifo_steal_active(struct wsq_bwos_lifo *q, void **tasks, u32 max)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);

	return mem ? (int)wsq_bwos_lifo_pick(q, mem, tasks, max) : 0;
}

/**
 * wsq_bwos_lifo_remove() - remove one task, whatever the positions say
 * @q: the queue, with claimed slots
 * @nr: number of the slot where it may be; any number
 * @task: the task
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: true if @task was there; the caller owns it now.
 */
bool wsq_bwos_lifo_remove(struct wsq_bwos_lifo *q, u32 nr, void *task)
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
 * Keeps tasks at the bottom from starving: a task that puts itself again would
 * always be on top. Publishes the owner's block if thieves have nothing, and
 * steals from the lowest block as they do. If the block cannot be published
 * because there is no next one, takes its oldest task out. If both fail because
 * thieves are active there, takes the task on top.
 *
 * Context: the owner. Bounded by the number of blocks, or by the size of one.
 * Return: as wsq_bwos_lifo_claim().
 */
void *wsq_bwos_lifo_claim_oldest(struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);
	void *task;
	int got;

	switch (wsq_bwos_lifo_publish(q)) {
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

/* Number of tasks that thieves may find in entry @index. No order, a hint. */
static u64 wsq_bwos_lifo_published_round(const struct wsq_bwos_lifo_mem *mem, u32 index)
{
	const struct wsq_bwos_lifo_block *blk =
		wsq_bwos_lifo_blk_at(mem, index);		/* LI(look:C) */
	u64 s = (u64)atomic64_read(&blk->s_pos);		/* LI(look:D) */
	u64 b = (u64)atomic64_read(&blk->b_pos);		/* LI(look:E) */

	return wsq_bwos_round(s) == wsq_bwos_round(b) && s < b ? b - s : 0;
}

/**
 * wsq_bwos_lifo_waiting() - is any task left in the queue
 * @q: the queue
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: a hint.
 */
bool wsq_bwos_lifo_waiting(const struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);
	u32 index;

	if (!mem)
		return false;
	if (atomic64_read(&q->pos) !=				/* LI(look:A) */
	    atomic64_read(&q->low))				/* LI(look:B) */
		return true;
	for (index = 0; index < wsq_bwos_nr_entries(&mem->dir); index++)
		if (wsq_bwos_lifo_published_round(mem, index))
			return true;
	return false;
}

/**
 * wsq_bwos_lifo_shut() - are all blocks closed to thieves, or empty
 * @q: the queue
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: true if so, which stays so until the owner publishes a block. Also
 * true if there is no memory.
 */
bool wsq_bwos_lifo_shut(const struct wsq_bwos_lifo *q)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);
	u32 index;

	for (index = 0; mem && index < wsq_bwos_nr_entries(&mem->dir); index++)
		if (wsq_bwos_lifo_published_round(mem, index))
			return false;
	return true;
}

/**
 * wsq_bwos_lifo_random_index() - a random directory index
 * @q: the queue
 * @rnd: a random number, uniform over all u32
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: the index of an existing entry; 0 if there is no memory.
 */
u32 wsq_bwos_lifo_random_index(const struct wsq_bwos_lifo *q, u32 rnd)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);

	return mem ? (u32)((u64)rnd * wsq_bwos_nr_entries(&mem->dir) >> 32) : 0;
}

/**
 * wsq_bwos_lifo_sample() - number of stealable tasks in one block
 * @q: the queue
 * @index: directory index of the block; any number
 *
 * Reads that block's words only. A thief samples a few victims this way before
 * it chooses one (section 3.4 of the paper).
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: a hint; 0 if there are none, or no such entry.
 */
u32 wsq_bwos_lifo_sample(const struct wsq_bwos_lifo *q, u32 index)
{
	struct wsq_bwos_lifo_mem *mem = wsq_bwos_lifo_thief_mem(q);

	if (!mem || index >= wsq_bwos_nr_entries(&mem->dir))
		return 0;
	return (u32)wsq_bwos_lifo_published_round(mem, index);
}
