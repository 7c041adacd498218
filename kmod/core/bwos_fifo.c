// SPDX-License-Identifier: GPL-2.0
/*
 * FIFO BWoS, the parts outside the fast path: moving from block to block, and
 * stealing. The argument, the labels and the pairs are in bwos_fifo.h.
 */
#include "bwos_fifo.h"

/* A thief that loses this many claims in one block tries another one. */
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
	/* Pairs with BF(attach:A): the memory is as attached, or later. */
	return (struct wsq_bwos_mem *)(uintptr_t)
		atomic64_read_acquire(&q->mem);			/* BF(steal:G) */
}

static inline struct wsq_bwos_block *
wsq_bwos_blk(const struct wsq_bwos_mem *mem, u32 nr)
{
	return (struct wsq_bwos_block *)wsq_bwos_block_at(&mem->dir, nr);
}

/* The block of entry @index, for any reader. */
static inline struct wsq_bwos_block *
wsq_bwos_blk_at(const struct wsq_bwos_mem *mem, u32 index)
{
	u64 word = wsq_bwos_at(&mem->dir, index);		/* BW(at:A) */

	return wsq_bwos_blk(mem, wsq_bwos_nr(word));
}

/* Look up where @end goes next. @end is used by its owner, or by no context. */
static inline void wsq_bwos_look_ahead(const struct wsq_bwos_mem *mem,
				       struct wsq_bwos_end *end)
{
	const struct wsq_bwos_dir *dir = &mem->dir;

	end->next = wsq_bwos_next(wsq_bwos_own_at(dir, end->index)); /* BW(own:D) */
	end->next_nr = wsq_bwos_nr(wsq_bwos_own_at(dir, end->next)); /* BW(own:D) */
	end->next_blk = wsq_bwos_blk(mem, end->next_nr);
}

/**
 * wsq_bwos_fifo_init() - initialize a queue without memory
 * @q: the queue
 * @none: a block with all positions 0 that is never written; may serve any
 *	number of queues, must outlive them
 *
 * Without memory the queue is full for puts and empty for all others.
 *
 * Context: before any other context knows @q.
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
	q->p.index = 0;
	q->p.next_blk = none;
	q->p.next = 0;
	q->p.next_nr = 0;
	q->c = q->p;
	q->c_seen = 0;
	atomic64_set(&q->t_hint, 0);
	atomic64_set(&q->mem, 0);
}

/* Number @nr blocks of @segment from index @from on, all drained in @round. */
static void wsq_bwos_supply(struct wsq_bwos_mem *mem,
			    const struct wsq_bwos_segment *segment, u64 round,
			    u32 from, u32 nr)
{
	const s64 size = (s64)(round | mem->block_size);
	u32 i;

	for (i = from; i < from + nr; i++) {
		struct wsq_bwos_block *blk = &segment->blocks[i];

		blk->slots = &segment->slots[(u64)i * mem->block_size];
		atomic64_set(&blk->b_pos, size);		/* BF(extend:A) */
		atomic64_set(&blk->f_pos, size);		/* BF(extend:A) */
		atomic64_set(&blk->s_pos, size);		/* BF(extend:A) */
		atomic64_set(&blk->s_cnt, size);		/* BF(extend:A) */
		wsq_bwos_number(&mem->dir, blk);		/* BW(insert:A) */
	}
}

/**
 * wsq_bwos_fifo_attach() - attach memory to a queue
 * @q: the queue, without memory
 * @mem: the memory; the slots of @mem->first hold %NULL if slots are to be
 *	claimed
 *
 * Context: producer and consumer at once.
 */
void wsq_bwos_fifo_attach(struct wsq_bwos_fifo *q, struct wsq_bwos_mem *mem)
{
	const struct wsq_bwos_segment *segment = &mem->first;
	const u64 first = WSQ_BWOS_ROUND_ONE;
	struct wsq_bwos_dir *dir = &mem->dir;
	struct wsq_bwos_block *blk = segment->blocks;
	u32 n = segment->nr_entries;
	u32 size = mem->block_size;
	u32 i;

	q->nr_spare = segment->nr_spare;
	q->nr_held = 0;
	atomic64_set(&q->t_hint, 0);

	/* Every block is drained in round 0 ... */
	dir->nr_blocks = 0;
	wsq_bwos_supply(mem, segment, 0, 0, n + segment->nr_spare);
	for (i = dir->nr_blocks; i < dir->max_blocks; i++)
		atomic64_set(&dir->blocks[i], 0);
	for (i = 0; i < n; i++)
		atomic64_set(&dir->words[i],
			     (s64)wsq_bwos_word(i + 1 < n ? i + 1 : 0, i));
	atomic64_set(&dir->nr_entries, (s64)n);
	for (i = 0; i < segment->nr_spare; i++)
		dir->spare[i] = (u16)(n + i);

	/* ... except the first, which is open in round 1 and taken over. */
	atomic64_set(&blk->b_pos, (s64)first);
	atomic64_set(&blk->f_pos, (s64)first);
	atomic64_set(&blk->s_pos, (s64)(first | size));
	atomic64_set(&blk->s_cnt, (s64)(first | size));

	q->p.blk = blk;
	q->p.slots = blk->slots;
	q->p.block_size = size;
	q->p.first = 0;
	q->p.index = 0;
	wsq_bwos_look_ahead(mem, &q->p);
	q->c = q->p;
	q->c_seen = first;
	/* Pairs with BF(steal:G). */
	atomic64_set_release(&q->mem, (s64)(uintptr_t)mem);	/* BF(attach:A) */
}

/**
 * wsq_bwos_fifo_extend() - add a memory segment to a queue
 * @q: the queue, with memory
 * @segment: the segment; must stay as long as the queue's memory. Its slots
 *	hold %NULL if slots are to be claimed. Blocks beyond the directory's
 *	limits stay unused
 *
 * The new entries come behind the producer's, so the producer goes there next.
 *
 * Context: producer and consumer at once.
 * Return: number of entries added.
 */
u32 wsq_bwos_fifo_extend(struct wsq_bwos_fifo *q,
			 const struct wsq_bwos_segment *segment)
{
	struct wsq_bwos_mem *mem = wsq_bwos_mem(q);
	struct wsq_bwos_dir *dir = &mem->dir;
	u32 spares = dir->max_blocks - dir->max_entries - q->nr_spare -
		     q->nr_held;
	u32 space = dir->max_entries -
		   (u32)atomic64_read(&dir->nr_entries);		/* BF(own:M) */
	u32 n = segment->nr_entries < space ? segment->nr_entries : space;
	/* The producer's round, which is never a consumer's next one here. */
	u64 b = (u64)atomic64_read(&q->p.blk->b_pos);		/* BF(own:P) */
	u32 nr = dir->nr_blocks;
	u32 last, i;

	if (spares > segment->nr_spare)
		spares = segment->nr_spare;
	wsq_bwos_supply(mem, segment, wsq_bwos_round(b), 0, n);
	wsq_bwos_supply(mem, segment, wsq_bwos_round(b), segment->nr_entries,
			spares);
	for (i = 0; i < spares; i++)
		dir->spare[q->nr_spare++] = (u16)(nr + n + i);
	if (!n)
		return 0;

	last = wsq_bwos_dir_insert(dir, q->p.index, nr, n);	/* BW(insert:D) */
	/*
	 * A consumer that has read its block to the end may stand at the
	 * producer's entry, one trip around the ring behind. Its next block is
	 * behind the new entries.
	 */
	if (q->c.index == q->p.index && wsq_bwos_fifo_published(q))
		q->c.index = last;
	wsq_bwos_look_ahead(mem, &q->p);
	wsq_bwos_look_ahead(mem, &q->c);
	return n;
}

/**
 * wsq_bwos_fifo_detach() - detach the memory of an empty queue
 * @q: the queue
 *
 * Context: producer and consumer at once. Thieves may still read the memory,
 * and count in it, until each has left its section. Free it after a grace
 * period.
 * Return: the memory, or %NULL if the queue has none or is not empty.
 */
struct wsq_bwos_mem *wsq_bwos_fifo_detach(struct wsq_bwos_fifo *q)
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
 * Find a block that may be opened instead of @nr, which a thief still reads.
 * @nr is set aside until the thief has counted. Returns @nr itself if there is
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

/* Make held blocks spare again once their thieves have counted. */
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
 * Move the producer to the next entry and open its block for a new round
 * (section 4.2.2, figure 8). False if the block is not drained.
 */
static bool wsq_bwos_open(struct wsq_bwos_fifo *q)
{
	struct wsq_bwos_mem *mem = wsq_bwos_mem(q);
	/* Only the producer replaces: what was looked up still serves. */
	struct wsq_bwos_block *blk = q->p.next_blk;
	u32 nr = q->p.next_nr;
	u64 b, round;

	if (!mem)
		return false;
	b = (u64)atomic64_read(&q->p.blk->b_pos);		/* BF(own:P) */
	round = wsq_bwos_next_round(b);

	if (!wsq_bwos_read_up(blk))
		return false;
	/* Thieves that read first are done by BF(take:C). */
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

	/* So far only the producer looks at the block in this round. */
	atomic64_set(&blk->s_cnt, (s64)round);			/* BF(open:D) */
	/* From BF(put:C) on, thieves may claim from slot 0. */
	atomic64_set(&blk->s_pos, (s64)round);			/* BF(open:E) */
	/* Last: a takeover that sees the round must find s_pos reset. */
	wsq_local_set(&blk->b_pos, round);			/* BF(open:F) */

	q->p.blk = blk;
	q->p.slots = blk->slots;
	q->p.first = nr * (u32)q->p.block_size;
	q->p.index = q->p.next;
	wsq_bwos_look_ahead(mem, &q->p);
	return true;
}

/**
 * wsq_bwos_fifo_put_slow() - wsq_bwos_fifo_put() into a full block
 * @q: the queue
 * @task: what to append
 *
 * Context: the producer. Bounded by the number of spare blocks.
 * Return: %WSQ_PUBLISHED or %WSQ_FULL.
 */
int wsq_bwos_fifo_put_slow(struct wsq_bwos_fifo *q, void *task)
{
	if (!wsq_bwos_open(q))
		return WSQ_FULL;
	wsq_bwos_fifo_put(q, task);
	return WSQ_PUBLISHED;
}

/**
 * wsq_bwos_fifo_open() - start a new block
 * @q: the queue; the producer's block is full
 *
 * Context: the producer. Bounded by the number of spare blocks.
 * Return: %WSQ_PUBLISHED or %WSQ_FULL.
 */
int wsq_bwos_fifo_open(struct wsq_bwos_fifo *q)
{
	return wsq_bwos_open(q) ? WSQ_PUBLISHED : WSQ_FULL;
}

/**
 * wsq_bwos_fifo_put_many() - append tasks with one publication per block
 * @q: the queue
 * @tasks: what to append
 * @nr: how many
 * @published: set to true if a block was started, otherwise left alone
 *
 * Context: the producer.
 * Return: how many were appended, from the front of @tasks; less than @nr only
 * if the queue is full.
 */
u32 wsq_bwos_fifo_put_many(struct wsq_bwos_fifo *q, void *const *tasks, u32 nr,
			   bool *published)
{
	u32 done = 0;

	while (done < nr) {
		u64 b = (u64)atomic64_read(&q->p.blk->b_pos);	/* BF(put:A) */
		u64 i = wsq_bwos_idx(b);
		u64 space = q->p.block_size - i;
		u64 n = space < nr - done ? space : nr - done;
		u64 k;

		if (!n) {
			if (!wsq_bwos_open(q))
				break;
			*published = true;
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
 * Move the consumer to the next entry and take its block over from thieves
 * (section 4.2.1, figure 7). False if the producer has not come that far.
 */
static bool wsq_bwos_take_over(struct wsq_bwos_fifo *q)
{
	struct wsq_bwos_mem *mem = wsq_bwos_mem(q);
	struct wsq_bwos_block *blk;
	u64 f, round, size, s;

	if (!mem)
		return false;
	/* The producer may have replaced the block since the look-up. */
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
	 * Earlier claims stand, later ones fail. Pairs with BF(steal:H), for
	 * what is put to these slots next.
	 */
	s = (u64)atomic64_xchg_acquire(&blk->s_pos,		/* BF(take:C) */
				       (s64)(round | size));
	wsq_local_set(&blk->f_pos, s);				/* BF(take:D) */
	/*
	 * Slots that thieves will not take count as taken, so that s_cnt ends
	 * at block_size. If no thief claimed in this round, none will count,
	 * and a store is enough, 8 cycles cheaper. Otherwise an add keeps the
	 * thieves' releases in force for BF(open:B).
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
	q->c.index = q->c.next;
	wsq_bwos_look_ahead(mem, &q->c);
	return true;
}

/*
 * Move on to a block in which thieves have left something. Blocks that they
 * have emptied are skipped; the number of blocks bounds the loop.
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
	/* Only if the producer opened blocks as fast as this skipped them. */
	return false;
}

/**
 * wsq_bwos_fifo_get_slow() - wsq_bwos_fifo_get() at the end of a block
 * @q: the queue
 *
 * Context: the consumer.
 * Return: the task, or %NULL if there is none.
 */
void *wsq_bwos_fifo_get_slow(struct wsq_bwos_fifo *q)
{
	return wsq_bwos_advance(q) ? wsq_bwos_fifo_get(q) : NULL;
}

/**
 * wsq_bwos_fifo_claim_slow() - wsq_bwos_fifo_claim() at the end of a block
 * @q: the queue
 *
 * Context: the consumer.
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
 * Context: the consumer.
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

/* Read the slots of a claimed range, or claim them one by one (@claim). */
static u32 wsq_bwos_read_batch(wsq_slot_t *slots, u64 n, void **tasks, bool claim)
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
		/* Another round, or older than s: no claim is possible. */
		if (wsq_bwos_round(b) != wsq_bwos_round(s) ||
		    wsq_bwos_idx(b) <= i)
			return WSQ_EMPTY;
		n = wsq_bwos_idx(b) - i;
		if (n > max)
			n = max;
		if (!claim && mem->read_first) {
			u32 few = max >> 4 * tries;

			/* Long reads lose to short ones: read less each try. */
			if (n > few)
				n = few ? few : 1;
			wsq_bwos_read_batch(&slots[i], n, tasks, false);
			/* s_pos unchanged: so were the slots. BF(take:C) */
			if ((u64)atomic64_cmpxchg_release(&blk->s_pos, (s64)s,
							  (s64)(s + n)) != s) /* BF(steal:H) */
				continue;
			return (int)n;
		}
		if ((u64)atomic64_cmpxchg_relaxed(&blk->s_pos, (s64)s,
						  (s64)(s + n)) != s) /* BF(steal:D) */
			continue;

		got = wsq_bwos_read_batch(&slots[i], n, tasks, claim);
		/* After the slots are read: pairs with BF(open:B). */
		atomic64_fetch_add_release((s64)n, &blk->s_cnt); /* BF(steal:F) */
		/* If all had been taken out, there may be more behind. */
		if (got)
			return (int)got;
	}
	return WSQ_CONFLICT;
}

/* @index may be of older memory: the owner may have changed it since. */
static inline int wsq_bwos_try_at(struct wsq_bwos_fifo *q, u32 index,
				  void **tasks, u32 max, bool claim)
{
	struct wsq_bwos_mem *mem = wsq_bwos_thief_mem(q);

	if (!mem || index >= wsq_bwos_nr_entries(&mem->dir))
		return WSQ_EMPTY;
	return wsq_bwos_steal_from(mem, wsq_bwos_blk_at(mem, index), /* BF(steal:A) */
				   tasks, max, claim);
}

/**
 * wsq_bwos_fifo_steal_at() - steal from one block
 * @q: the queue
 * @index: directory index of the block; %WSQ_EMPTY if there is no such entry
 * @tasks: where to store them
 * @max: how many at most: 1 for one task, the block size for all there are
 *
 * Context: any, with preemption off: a thief that is descheduled before it
 * counts keeps a block out of use.
 * Return: how many were taken, oldest first; %WSQ_EMPTY if none is there yet;
 * %WSQ_DONE if thieves are shut out; %WSQ_CONFLICT if other thieves were
 * faster.
 */
int wsq_bwos_fifo_steal_at(struct wsq_bwos_fifo *q, u32 index, void **tasks,
			   u32 max)
{
	return wsq_bwos_try_at(q, index, tasks, max, false);
}

/**
 * wsq_bwos_fifo_steal_claim_at() - wsq_bwos_fifo_steal_at() for claimed slots
 * @q: the queue
 * @index: directory index of the block
 * @tasks: where to store them
 * @max: how many at most
 *
 * Context: any, with preemption off.
 * Return: as wsq_bwos_fifo_steal_at().
 */
int wsq_bwos_fifo_steal_claim_at(struct wsq_bwos_fifo *q, u32 index,
				 void **tasks, u32 max)
{
	return wsq_bwos_try_at(q, index, tasks, max, true);
}

/**
 * wsq_bwos_fifo_sample() - number of stealable tasks in a random block
 * @q: the queue
 * @rnd: a random number, uniform over all u32
 * @index: where to store the block's directory index; left alone if there is no
 *	memory
 *
 * The expected value, relative to the block size, is the number of stealable
 * tasks relative to the capacity (section 3.4 of the paper). Reads the words of
 * that one block.
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: how many tasks thieves could take there. A hint.
 */
u32 wsq_bwos_fifo_sample(const struct wsq_bwos_fifo *q, u32 rnd, u32 *index)
{
	struct wsq_bwos_mem *mem = wsq_bwos_thief_mem(q);
	struct wsq_bwos_block *blk;
	u64 i, end;

	if (!mem)
		return 0;
	*index = (u32)((u64)rnd * wsq_bwos_nr_entries(&mem->dir) >> 32);
	blk = wsq_bwos_blk_at(mem, *index);			/* BF(steal:A) */
	/* If they are of two rounds, the hint is wrong, and nothing worse. */
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
	u32 index = hint;
	u32 i;

	if (!mem)
		return WSQ_EMPTY;
	/* The hint may be of older memory. */
	if (index >= wsq_bwos_nr_entries(&mem->dir))
		index = 0;
	/* The number of entries is reread at each step (bwos.h). */
	for (i = 0; i < wsq_bwos_nr_entries(&mem->dir); i++) {
		u64 word = wsq_bwos_at(&mem->dir, index);	/* BF(steal:A) */
		int n = wsq_bwos_steal_from(mem,
					    wsq_bwos_blk(mem, wsq_bwos_nr(word)),
					    tasks, max, claim);

		if (n > 0) {
			if (index != hint)			/* BF(hint:B) */
				atomic64_set(&q->t_hint, (s64)index);
			return n;
		}
		if (n == WSQ_CONFLICT)
			ret = WSQ_CONFLICT;
		index = wsq_bwos_next(word);
	}
	return ret;
}

/**
 * wsq_bwos_fifo_steal() - steal from any block
 * @q: the queue
 * @tasks: where to store them
 * @max: how many at most; all come from one block
 *
 * Begins where a thief last found a task and passes once over all entries.
 *
 * Context: any, with preemption off.
 * Return: how many were taken; %WSQ_EMPTY if no block had any; %WSQ_CONFLICT
 * if every block that had some was contended.
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
 * Context: any, with preemption off.
 * Return: as wsq_bwos_fifo_steal().
 */
int wsq_bwos_fifo_steal_claim(struct wsq_bwos_fifo *q, void **tasks, u32 max)
{
	return wsq_bwos_steal(q, tasks, max, true);
}

/**
 * wsq_bwos_fifo_take_kept() - take tasks out of the consumer's active block
 * @q: the queue, with claimed slots
 * @tasks: where to store them
 * @max: how many at most
 * @least: 0 for the oldest; otherwise the newer half, if there are so many
 *
 * Serves wsq_bwos_fifo_steal_active() and wsq_bwos_fifo_halve().
 *
 * Return: the number of tasks stored.
 */
int wsq_bwos_fifo_take_kept(const struct wsq_bwos_fifo *q, void **tasks,
			    u32 max, u32 least)
{
	struct wsq_bwos_mem *mem = wsq_bwos_thief_mem(q);
	u32 got = 0;
	u32 index;

	if (!mem)
		return 0;
	for (index = 0; index < wsq_bwos_nr_entries(&mem->dir) && got < max;
	     index++) {
		struct wsq_bwos_block *blk =
			wsq_bwos_blk_at(mem, index);		/* BF(active:A) */
		wsq_slot_t *slots = blk->slots;
		u64 f = (u64)atomic64_read(&blk->f_pos);	/* BF(active:B) */
		u64 b = (u64)atomic64_read(&blk->b_pos);	/* BF(active:C) */
		u64 i, end = wsq_bwos_idx(b);

		/* The slots decide; positions only say where to look. */
		if (wsq_bwos_round(f) != wsq_bwos_round(b))
			continue;
		i = wsq_bwos_idx(f);
		if (least) {
			u64 half;

			/* Skip what other thieves have taken. */
			while (end > i &&
			       !wsq_slot_peek(&slots[end - 1]))	/* BF(active:D) */
				end--;
			if (i + least > end)
				continue;
			half = (end - i) / 2;
			i = end - (half < max - got ? half : max - got);
		}
		for (; i < end && got < max; i++) {
			void *task = wsq_slot_peek(&slots[i]);	/* BF(active:D) */

			/* Pairs with BF(fill:A). */
			if (task && wsq_slot_claim_if(&slots[i],
						      task))	/* BF(active:E) */
				tasks[got++] = task;
		}
	}
	return (int)got;
}

/**
 * wsq_bwos_fifo_remove() - remove one task, whatever the positions say
 * @q: the queue, with claimed slots
 * @nr: number of the slot where it may be; any number
 * @task: the task
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: true if @task was there; the caller owns it now.
 */
bool wsq_bwos_fifo_remove(struct wsq_bwos_fifo *q, u32 nr, void *task)
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
 * wsq_bwos_fifo_waiting() - is any task left in the queue
 * @q: the queue
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: a hint.
 */
bool wsq_bwos_fifo_waiting(const struct wsq_bwos_fifo *q)
{
	struct wsq_bwos_mem *mem = wsq_bwos_thief_mem(q);
	u32 index;

	for (index = 0; mem && index < wsq_bwos_nr_entries(&mem->dir); index++) {
		struct wsq_bwos_block *blk =
			wsq_bwos_blk_at(mem, index);		/* BF(active:A) */
		u64 b = (u64)atomic64_read(&blk->b_pos);	/* BF(active:C) */
		u64 f = (u64)atomic64_read(&blk->f_pos);	/* BF(active:B) */
		u64 s = (u64)atomic64_read(&blk->s_pos);	/* BF(steal:B) */

		/* Taken over: the consumer's. Else f_pos is of an old round. */
		if (wsq_bwos_round(f) == wsq_bwos_round(b) ?
		    f < b : wsq_bwos_round(s) == wsq_bwos_round(b) && s < b)
			return true;
	}
	return false;
}

/**
 * wsq_bwos_fifo_empty() - would a get find nothing
 * @q: the queue
 *
 * Context: the consumer; no context that extends may interrupt it.
 * Return: true if there is nothing in the consumer's block and the producer has
 * not started another. False does not promise a task: thieves may have taken
 * all of the next block.
 */
bool wsq_bwos_fifo_empty(const struct wsq_bwos_fifo *q)
{
	u64 f = (u64)atomic64_read(&q->c.blk->f_pos);		/* BF(own:C) */
	struct wsq_bwos_mem *mem = wsq_bwos_mem(q);
	u32 index, nr;
	u64 b;

	if (!mem)
		return true;
	if (wsq_bwos_idx(f) != q->c.block_size) {
		b = (u64)atomic64_read(&q->c.blk->b_pos);	/* BF(empty:A) */
		return b <= f;
	}

	index = wsq_bwos_next(wsq_bwos_own_at(&mem->dir, q->c.index));
	nr = wsq_bwos_nr(wsq_bwos_own_at(&mem->dir, index));	/* BF(empty:B) */
	b = (u64)atomic64_read(&wsq_bwos_blk(mem, nr)->b_pos); /* BF(empty:C) */
	return wsq_bwos_round(b) != wsq_bwos_next_round(f);
}

/**
 * wsq_bwos_fifo_short() - is the producer's block the only space left
 * @q: the queue
 *
 * Context: the producer.
 * Return: true if the next block is still in use and no spare one can replace
 * it.
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
