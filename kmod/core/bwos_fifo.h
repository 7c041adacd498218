/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FIFO BWoS: a bounded queue of one producer, one consumer and any number of
 * thieves, split into blocks.
 *
 * After Wang et al., "BWoS: Formally Verified Block-based Work Stealing for
 * Parallel Processing", OSDI 2023, sections 3 and 4 (figures 3 to 8).
 *
 * The owner's consumer works in one block, thieves in others. So neither
 * consumer nor producer needs an atomic read-modify-write or a fence, except
 * when it moves to another block. Moving costs the producer three stores and
 * two loads of the new block's words. It costs the consumer one exchange and,
 * where thieves took a part of the block, one add. Both look up the next
 * directory entry and its block (bwos.h).
 *
 * Cost: put is one load, one slot store, one store-release. get is one load,
 * one slot load, one store, and one more load once the producer position it
 * last read is used up. A steal is two loads, one compare-and-exchange, the
 * slot loads and, unless thieves read first (departure 4), one add, all on
 * lines of that block. Keep queue and blocks in one memory segment: if a
 * position has the same offset in its page as @p or @c, loads of the one wait
 * for stores to the other (get takes 2.9 cycles instead of 2.2 then).
 *
 * Best suited for: producer and consumer on one CPU, many small tasks, order
 * roughly kept. Limitations: bounded; what is left in the consumer's active
 * block cannot be stolen (section 8 of the paper); a put can find the queue
 * full although thieves have emptied later blocks, because blocks are reused in
 * order.
 *
 * Callers and contexts:
 *
 *	put		one context at a time (the producer)
 *	extend, attach	a context that is producer and consumer at once
 *	get		one context at a time (the consumer); producer and
 *			consumer may run at the same time
 *	steal		any context, with preemption off
 *
 *	Operation against operation, without an external lock:
 *
 *		|  put  |  get  | steal
 *	--------+-------+-------+------
 *	put	|   -   |   +   |   +
 *	get	|   +   |   -   |   +
 *	steal	|   +   |   +   |   +
 *
 *	In the module, producer and consumer are on one CPU, as task and
 *	interrupt (wsq_local_* in <wsq_platform.h>).
 *
 * Departures from the paper:
 *
 * 1. The round of a block is the number of blocks opened so far, not the number
 *    of trips around the queue. It grows by one from block to block. So "round
 *    + 1" is the whole rule for moving on, and any block can serve in any
 *    entry.
 * 2. The directory (bwos.h) maps entries to blocks. If a thief has claimed
 *    slots of a block and not counted them yet (a virtual CPU that was
 *    descheduled), the producer replaces the block by a spare one instead of
 *    stopping. The block becomes a spare itself once the thief has counted.
 * 3. A thief trusts the steal position only together with a producer position
 *    of the same round, read with acquire. This orders everything the producer
 *    did to the block before, and makes acquire and release on the steal
 *    position itself redundant.
 * 4. Thieves may read before they claim (@read_first of the memory) if only one
 *    word is moved. A claim that succeeds then proves that nothing was put to
 *    the slots since they were read, because rounds never return. Such thieves
 *    count nothing: a steal has one read-modify-write instead of two, and a
 *    thief that stops midway holds up no other context, so no block is ever
 *    replaced. Claimed slots need the count.
 * 5. The queue grows while it is in use (wsq_bwos_fifo_extend()): new entries
 *    with drained blocks are inserted behind the producer's entry, and the
 *    producer goes there next. The directory, not the index, says which entry
 *    comes behind which.
 *
 * Why growing is safe: in directory order, the blocks from the consumer's to
 * the producer's lie in the order in which they were opened, and rounds grow by
 * one from each to the next. Behind the producer's block lie the drained ones,
 * in any order. The inserted blocks are drained, so both statements still hold.
 * One case differs. A consumer that has read its block to the end and has not
 * moved on leaves that block to the producer, which may have come around to it.
 * Both then stand at one entry. The consumer's next block is the oldest block,
 * one trip around the ring behind; the producer's next one is a new entry. If
 * the consumer went to the new entry, it would never find the round it expects
 * there. So the consumer's index is set to the last new entry, and this is why
 * growing takes both roles. The consumer needs nothing from its own block but
 * its last position. (Growing cannot come between the consumer's look at the
 * directory and its look at the round, as long as a caller of
 * wsq_bwos_fifo_empty() holds the consumer's role as well.) Thieves may look at
 * any block at any time, and trust positions alone. bwos.h says how they find
 * new blocks and how they pass over all of them.
 *
 * Positions (bwos.h) have indices from 0 to block_size.
 *
 *	b_pos	next slot to put	producer
 *	f_pos	next slot to get	consumer
 *	s_pos	next slot to steal	producer (open), consumer (takeover),
 *					thieves (claim); block_size shuts
 *					thieves out
 *	s_cnt	slots that thieves are done with, plus those that the takeover
 *		kept from them		as s_pos
 *
 * A block is drained, and may be opened for a new round, when f_pos and s_cnt
 * both equal b_pos.
 *
 * Accesses bear labels BF(operation:letter). Pairs, and what rests on each:
 *
 *	BF(put:C)   release -> BF(steal:C) acquire
 *		A thief that sees index i + 1 sees slot i, and sees s_cnt and
 *		s_pos as BF(open:D) and BF(open:E) reset them.
 *		litmus/bwos_fifo-put-steal.litmus
 *	BF(steal:F) release -> BF(open:B) acquire
 *		A producer that sees every steal counted opens the block after
 *		the last thief has read its slot, so no slot is overwritten
 *		while it is read.
 *		litmus/bwos_fifo-steal-open.litmus
 *	BF(put:C), BF(open:F) -> BF(get:B), BF(take:B)	(local)
 *		A consumer that sees index i + 1 sees slot i. A consumer that
 *		sees the new round sees s_pos as reset for it, so its exchange
 *		at BF(take:C) returns an index of that round, and BF(take:F)
 *		comes after BF(open:D). Both depend on what BF(take:B) read, so
 *		BF(take:B) would do without order.
 *		litmus/bwos_fifo-put-get.litmus
 *	BF(get:D) -> BF(open:A)				(local)
 *		A producer that sees the block read to its end overwrites slots
 *		only after the consumer has read them.
 *		litmus/bwos_fifo-get-open.litmus
 *	BF(take:D) -> BF(open:A)			(local)
 *		If thieves have left the consumer nothing, the takeover itself
 *		lets the producer reuse the block. Its exchange at BF(take:C)
 *		comes before BF(open:E) of the next round and cannot overwrite
 *		it.
 *		litmus/bwos_fifo-take-open.litmus
 *
 *	BF(steal:H) release -> BF(take:C) acquire
 *		As BF(steal:F) -> BF(open:B), where thieves read first: a
 *		consumer takes the block over after the last thief has read its
 *		slot, and the consumer releases the block to the producer.
 *		litmus/bwos_fifo-first-take.litmus
 *	BF(attach:A) release -> BF(steal:G) acquire
 *		A thief that sees the memory sees it as it was attached.
 *		litmus/bwos_fifo-attach-steal.litmus
 *	BF(fill:A) release -> BF(active:E), BF(out:A)
 *		A context that gets a task by its slot alone, published or not,
 *		sees it as it was put. Positions order this for BF(claim:A) and
 *		BF(claim:B).
 *		litmus/bwos_fifo-fill-out.litmus
 *	BF(put:C) release -> BF(steal:C) acquire, BF(get:B) (local)
 *		With claimed slots the pairs above also keep a slot from being
 *		claimed before it is filled. Such a slot would count as taken
 *		out, and its task would be lost.
 *		litmus/bwos_fifo-fill-steal.litmus
 *		litmus/bwos_fifo-fill-claim.litmus
 *	BF(get:D) -> BF(open:A)				(local)
 *		The pairs above also keep a slot from being filled for the next
 *		round before it was claimed in this one. BF(claim:A), a full
 *		barrier, would do instead of BF(get:B)'s and BF(get:D)'s order.
 *		litmus/bwos_fifo-claim-open.litmus
 *
 * Why claimed slots are safe: a slot's word goes from %NULL to the task once a
 * round (BF(fill:A)) and back once (one of BF(claim:A), BF(claim:B),
 * BF(active:E) and BF(out:A), all of them read-modify-writes), so a task comes
 * out once. The positions assign every slot below b_pos to the consumer or to a
 * thief, which claims it before the block is drained, so no task stays.
 * Stealing from the active block and removing one task come on top of that:
 * they leave %NULL, which the assigned context skips. The producer fills a slot
 * only when its block is drained, when all of that is over. A late access, by a
 * stale position or number, finds another task or %NULL. A thief may take
 * another task; removal compares. If the same task was queued again in the
 * slot, the caller must know that removing it is still wanted (exec/item.h).
 *
 * Atomicity alone, no order: BF(take:C) against BF(steal:D), which both change
 * s_pos in one step. An index below the exchanged value belongs to thieves, all
 * others to the consumer. Rounds never return, so a claim that slept through a
 * reuse of the block fails.
 *
 * No order either: BF(active:B), BF(active:C) and BF(active:D), which only say
 * where to look, because the slot decides; BF(own:P), BF(own:C) and BF(own:M),
 * where the producer or the consumer reads words that only it writes;
 * BF(take:A) and BF(empty:B), for which any block number that the entry ever
 * had will do, and the consumer saw that block's address written; BF(extend:A),
 * which BW(insert:A) publishes; BF(hint:A), BF(hint:B), BF(empty:A),
 * BF(empty:C), BF(sample:A) and BF(sample:B), whose answers are hints;
 * BF(shut:A), which the caller orders (pool/reach.h); BF(take:F), because no
 * thief is left that could count in this round.
 */
#ifndef _WSQ_CORE_BWOS_FIFO_H
#define _WSQ_CORE_BWOS_FIFO_H

#include <wsq_platform.h>

#include "bwos.h"
#include "status.h"

/**
 * struct wsq_bwos_block - positions of one block, a cache line for each writer
 * @b_pos: producer position. Written by the producer.
 * @slots: its slots. Constant, on the line that every user of the block reads.
 * @f_pos: consumer position. Written by the consumer.
 * @s_pos: steal position. Written by thieves (claim), by the consumer once a
 *	round (takeover), by the producer while the block is drained (open).
 * @s_cnt: finished steals. Written as @s_pos.
 */
struct wsq_bwos_block {
	atomic64_t b_pos WSQ_CACHE_ALIGNED;
	wsq_slot_t *slots;
	atomic64_t f_pos WSQ_CACHE_ALIGNED;
	atomic64_t s_pos WSQ_CACHE_ALIGNED;
	atomic64_t s_cnt;
};

/**
 * struct wsq_bwos_segment - a memory segment: blocks and slots; constant
 * @blocks: nr_entries + nr_spare blocks
 * @slots: block_size slots for each of @blocks
 * @nr_entries: blocks in use at a time
 * @nr_spare: further blocks, each of which makes up for one thief that stopped
 *	between claiming and counting
 */
struct wsq_bwos_segment {
	struct wsq_bwos_block *blocks;
	wsq_slot_t *slots;
	u32 nr_entries;
	u32 nr_spare;
};

/**
 * struct wsq_bwos_mem - the memory of a queue, allocated by the caller
 * @dir: directory; the caller sets pointers and limits. @max_entries from
 *	%WSQ_BWOS_MIN_BLOCKS to %WSQ_BWOS_MAX_BLOCKS
 * @first: the first segment; %WSQ_BWOS_MIN_BLOCKS entries or more. Constant
 * @block_size: tasks in a block, %WSQ_BWOS_MIN_BLOCK_SIZE to
 *	%WSQ_BWOS_MAX_BLOCK_SIZE. Constant
 * @read_first: thieves read before they claim, and do not count; not with
 *	claimed slots. Constant
 */
struct wsq_bwos_mem {
	struct wsq_bwos_dir dir;
	struct wsq_bwos_segment first;
	u32 block_size;
	bool read_first;
};

/**
 * struct wsq_bwos_end - state private to the producer or the consumer
 * @blk: its block
 * @slots: slots of @blk
 * @block_size: copy of the memory's, to keep the fast path on one line
 * @first: number of the first of @slots
 * @index: directory index of @blk
 * @next_blk: the block that served in the next entry when this end arrived here
 * @next: directory index of that entry
 * @next_nr: number of @next_blk
 *
 * The next block is looked up on arrival here. Looking it up when moving on
 * would wait for five dependent loads, a third of the cost of a block of 64.
 */
struct wsq_bwos_end {
	struct wsq_bwos_block *blk;
	wsq_slot_t *slots;
	u64 block_size;
	u32 first;
	u32 index;
	struct wsq_bwos_block *next_blk;
	u32 next;
	u32 next_nr;
};

/**
 * struct wsq_bwos_fifo - a FIFO BWoS queue
 * @p: producer's end. Producer only.
 * @nr_spare: number of spare blocks. Producer only.
 * @nr_held: number of held blocks. Producer only.
 * @c: consumer's end. Consumer only.
 * @c_seen: b_pos of the consumer's block as get last read it; not above f_pos
 *	if get has not read it yet in this round. Consumer only.
 * @t_hint: directory index where a thief last found a task. Any thief, no
 *	order.
 * @mem: address of the memory, 0 if there is none. Written by a context that is
 *	producer and consumer at once.
 * @none: the producer's and the consumer's block while there is no memory: full
 *	and empty, never written. Constant.
 */
struct wsq_bwos_fifo {
	struct wsq_bwos_end p WSQ_CACHE_ALIGNED;
	u32 nr_spare;
	u32 nr_held;

	struct wsq_bwos_end c WSQ_CACHE_ALIGNED;
	u64 c_seen;

	atomic64_t t_hint WSQ_CACHE_ALIGNED;
	atomic64_t mem;
	struct wsq_bwos_block *none;
};

void wsq_bwos_fifo_init(struct wsq_bwos_fifo *q, struct wsq_bwos_block *none);
void wsq_bwos_fifo_attach(struct wsq_bwos_fifo *q, struct wsq_bwos_mem *mem);
u32 wsq_bwos_fifo_extend(struct wsq_bwos_fifo *q,
			 const struct wsq_bwos_segment *segment);
struct wsq_bwos_mem *wsq_bwos_fifo_detach(struct wsq_bwos_fifo *q);
int wsq_bwos_fifo_open(struct wsq_bwos_fifo *q);
int wsq_bwos_fifo_put_slow(struct wsq_bwos_fifo *q, void *task);
void *wsq_bwos_fifo_get_slow(struct wsq_bwos_fifo *q);
u32 wsq_bwos_fifo_put_many(struct wsq_bwos_fifo *q, void *const *tasks, u32 nr,
			   bool *published);
u32 wsq_bwos_fifo_get_many(struct wsq_bwos_fifo *q, void **tasks, u32 nr);
int wsq_bwos_fifo_steal_at(struct wsq_bwos_fifo *q, u32 index, void **tasks,
			   u32 max);
int wsq_bwos_fifo_steal(struct wsq_bwos_fifo *q, void **tasks, u32 max);
u32 wsq_bwos_fifo_sample(const struct wsq_bwos_fifo *q, u32 rnd, u32 *index);
bool wsq_bwos_fifo_empty(const struct wsq_bwos_fifo *q);
bool wsq_bwos_fifo_short(const struct wsq_bwos_fifo *q);

void *wsq_bwos_fifo_claim_slow(struct wsq_bwos_fifo *q);
int wsq_bwos_fifo_steal_claim(struct wsq_bwos_fifo *q, void **tasks, u32 max);
int wsq_bwos_fifo_steal_claim_at(struct wsq_bwos_fifo *q, u32 index,
				 void **tasks, u32 max);
int wsq_bwos_fifo_take_kept(const struct wsq_bwos_fifo *q, void **tasks,
			    u32 max, u32 least);
bool wsq_bwos_fifo_remove(struct wsq_bwos_fifo *q, u32 nr, void *task);
bool wsq_bwos_fifo_waiting(const struct wsq_bwos_fifo *q);

/**
 * wsq_bwos_fifo_put() - append a task
 * @q: the queue
 * @task: what to append, not %NULL
 *
 * Context: the producer; any context that no other put can interrupt or run
 * beside. Never sleeps.
 * Return: %WSQ_OK; %WSQ_PUBLISHED if a new block was started; %WSQ_FULL if the
 * next block is still in use.
 * Ordering: what precedes the call is visible to the context that takes the
 * task.
 */
static inline int wsq_bwos_fifo_put(struct wsq_bwos_fifo *q, void *task)
{
	struct wsq_bwos_block *blk = q->p.blk;
	u64 b = (u64)atomic64_read(&blk->b_pos);		/* BF(put:A) */
	u64 i = wsq_bwos_idx(b);

	if (unlikely(i == q->p.block_size))
		return wsq_bwos_fifo_put_slow(q, task);

	wsq_slot_write(&q->p.slots[i], task);			/* BF(put:B) */
	/* Publishes the slot, and BF(open:D) and BF(open:E), to BF(steal:C). */
	atomic64_set_release(&blk->b_pos, (s64)(b + 1));	/* BF(put:C) */
	return WSQ_OK;
}

/**
 * wsq_bwos_fifo_get() - take the oldest task
 * @q: the queue
 *
 * Context: the consumer; any context that no other get can interrupt or run
 * beside. Never sleeps.
 * Return: the task, or %NULL if the queue holds none that thieves have not
 * claimed.
 */
static inline void *wsq_bwos_fifo_get(struct wsq_bwos_fifo *q)
{
	struct wsq_bwos_block *blk = q->c.blk;
	u64 f = (u64)atomic64_read(&blk->f_pos);		/* BF(get:A) */
	u64 i = wsq_bwos_idx(f);
	void *task;

	/*
	 * Same block, same round: words compare as indices do. Rereading the
	 * producer position only when the last value is used up saves a load
	 * and a compare, 0.3 of 2.2 cycles.
	 */
	if (unlikely(f >= q->c_seen)) {
		if (i == q->c.block_size)
			return wsq_bwos_fifo_get_slow(q);
		q->c_seen = wsq_local_read(&blk->b_pos);	/* BF(get:B) */
		/*
		 * f is ahead if thieves have taken tasks whose put this context
		 * does not see yet. That takes a producer on another CPU.
		 */
		if (q->c_seen <= f)
			return NULL;
	}

	task = wsq_slot_read(&q->c.slots[i]);			/* BF(get:C) */
	/* After the slot is read: BF(open:A) lets the producer reuse it. */
	wsq_local_set(&blk->f_pos, f + 1);			/* BF(get:D) */
	return task;
}

/*
 * Claimed slots. A queue whose tasks can be cancelled, or stolen from behind a
 * task that runs long, uses the operations below instead of put, get and steal.
 * Positions work as before. The slot's own word then decides which context gets
 * its task: the one that changes the word from the task to %NULL. The consumer
 * and thieves exchange, others compare and exchange. The cost is one exchange a
 * task.
 */

/**
 * wsq_bwos_fifo_reserve() - reserve space
 * @q: the queue
 * @space: where to store the reservation; at least one slot
 *
 * Context: the producer, as wsq_bwos_fifo_put(), until commit.
 * Return: %WSQ_OK; %WSQ_PUBLISHED if a new block was started; %WSQ_FULL.
 */
static inline int wsq_bwos_fifo_reserve(struct wsq_bwos_fifo *q,
					struct wsq_bwos_space *space)
{
	u64 b = (u64)atomic64_read(&q->p.blk->b_pos);		/* BF(put:A) */
	u64 i = wsq_bwos_idx(b);
	int ret = WSQ_OK;

	if (unlikely(i == q->p.block_size)) {
		ret = wsq_bwos_fifo_open(q);
		if (ret < 0)
			return ret;
		b = (u64)atomic64_read(&q->p.blk->b_pos);	/* BF(put:A) */
		i = 0;
	}
	space->b = b;
	space->nr = q->p.first + (u32)i;
	space->n = (u32)(q->p.block_size - i);
	return ret;
}

/**
 * wsq_bwos_fifo_fill() - fill a reserved slot
 * @q: the queue
 * @space: the reservation
 * @k: index of the slot in it
 * @task: the task. From here on it may be removed or stolen, or run and be
 *	freed
 *
 * Context: as wsq_bwos_fifo_reserve().
 */
static inline void wsq_bwos_fifo_fill(struct wsq_bwos_fifo *q,
				      const struct wsq_bwos_space *space, u32 k,
				      void *task)
{
	/* Release: a claim by the slot alone sees the complete task. */
	wsq_slot_publish(&q->p.slots[wsq_bwos_idx(space->b) + k],
			 task);					/* BF(fill:A) */
}

/**
 * wsq_bwos_fifo_commit() - publish the filled slots
 * @q: the queue
 * @space: the reservation
 * @n: slots filled, from the first
 *
 * Context: as wsq_bwos_fifo_reserve().
 */
static inline void wsq_bwos_fifo_commit(struct wsq_bwos_fifo *q,
					const struct wsq_bwos_space *space,
					u32 n)
{
	atomic64_set_release(&q->p.blk->b_pos,			/* BF(put:C) */
			     (s64)(space->b + n));
}

/**
 * wsq_bwos_fifo_claim() - take the oldest task of a queue with claimed slots
 * @q: the queue
 *
 * Context: the consumer, as wsq_bwos_fifo_get().
 * Return: the task; %WSQ_TOMB if it had been taken out; %NULL if there is none
 * that thieves have not claimed.
 */
static inline void *wsq_bwos_fifo_claim(struct wsq_bwos_fifo *q)
{
	struct wsq_bwos_block *blk = q->c.blk;
	u64 f = (u64)atomic64_read(&blk->f_pos);		/* BF(get:A) */
	u64 i = wsq_bwos_idx(f);
	void *task;

	if (unlikely(f >= q->c_seen)) {
		if (i == q->c.block_size)
			return wsq_bwos_fifo_claim_slow(q);
		q->c_seen = wsq_local_read(&blk->b_pos);	/* BF(get:B) */
		if (q->c_seen <= f)
			return NULL;
	}

	task = wsq_slot_claim(&q->c.slots[i]);			/* BF(claim:A) */
	wsq_local_set(&blk->f_pos, f + 1);			/* BF(get:D) */
	return task ? task : WSQ_TOMB;
}

/**
 * wsq_bwos_fifo_published() - may thieves find a task here
 * @q: the queue
 *
 * Context: the owner (producer and consumer).
 * Return: true if the producer is ahead of the consumer's block. A hint:
 * thieves may already have taken the tasks. Rounds are compared, not blocks: if
 * every block in between is full, the producer may have opened the block that
 * the consumer has read to its end and not left yet.
 */
static inline bool wsq_bwos_fifo_published(const struct wsq_bwos_fifo *q)
{
	u64 b = (u64)atomic64_read(&q->p.blk->b_pos);		/* BF(own:P) */
	u64 f = (u64)atomic64_read(&q->c.blk->f_pos);		/* BF(own:C) */

	return wsq_bwos_round(b) != wsq_bwos_round(f);
}

/**
 * wsq_bwos_fifo_steal_active() - steal from the consumer's active block
 * @q: the queue, with claimed slots
 * @tasks: where to store them
 * @max: how many at most
 *
 * For a consumer that is held up by the task it took last. Disturbs the
 * consumer: reads its lines and leaves it tombstones to skip.
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: how many were taken, oldest first.
 */
static inline int
wsq_bwos_fifo_steal_active(struct wsq_bwos_fifo *q, void **tasks, u32 max)
{
	return wsq_bwos_fifo_take_kept(q, tasks, max, 0);
}

/**
 * wsq_bwos_fifo_halve() - steal the newer half of the consumer's active block
 * @q: the queue, with claimed slots
 * @tasks: where to store them
 * @max: how many at most
 * @least: take none if the consumer has fewer slots left there, from its next
 *	one to the last that is not taken; 2 or more
 *
 * For a consumer that has more tasks there than it runs until a thief arrives.
 * The thief and the consumer work at opposite ends. Disturbs the consumer as
 * wsq_bwos_fifo_steal_active() does.
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: how many were taken, oldest first.
 */
static inline int
wsq_bwos_fifo_halve(struct wsq_bwos_fifo *q, void **tasks, u32 max, u32 least)
{
	return wsq_bwos_fifo_take_kept(q, tasks, max, least);
}

/**
 * wsq_bwos_fifo_kept() - tasks that only the consumer can reach
 * @q: the queue
 *
 * Context: the owner (producer and consumer).
 * Return: number of slots of its block that the consumer has not reached, if
 * the producer is in the same block; otherwise 0. A hint: some may have been
 * taken out.
 */
static inline u32 wsq_bwos_fifo_kept(const struct wsq_bwos_fifo *q)
{
	u64 b = (u64)atomic64_read(&q->p.blk->b_pos);		/* BF(own:P) */
	u64 f = (u64)atomic64_read(&q->c.blk->f_pos);		/* BF(own:C) */

	return wsq_bwos_round(b) == wsq_bwos_round(f) && b > f ?
	       (u32)(b - f) : 0;
}

/**
 * wsq_bwos_fifo_shut() - are all blocks closed to thieves
 * @q: the queue
 *
 * Context: any, in a section that keeps the memory: preemption off.
 * Return: true if so, which stays so until the producer starts a block. Also
 * true if there is no memory.
 */
static inline bool wsq_bwos_fifo_shut(const struct wsq_bwos_fifo *q)
{
	const struct wsq_bwos_mem *mem = (struct wsq_bwos_mem *)(uintptr_t)
		atomic64_read_acquire(&q->mem);			/* BF(steal:G) */
	const struct wsq_bwos_block *blk;
	u32 index;

	for (index = 0; mem && index < wsq_bwos_nr_entries(&mem->dir); index++) {
		u64 word = wsq_bwos_at(&mem->dir, index);	/* BW(at:A) */

		blk = (const struct wsq_bwos_block *)
			wsq_bwos_block_at(&mem->dir, wsq_bwos_nr(word));
		if (wsq_bwos_idx((u64)atomic64_read(&blk->s_pos)) !=
		    mem->block_size)				/* BF(shut:A) */
			return false;
	}
	return true;
}

#endif /* _WSQ_CORE_BWOS_FIFO_H */
