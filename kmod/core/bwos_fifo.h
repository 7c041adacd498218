/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FIFO BWoS: a bounded queue of one producer, one consumer and any number of
 * thieves, split into blocks.
 *
 * After Wang et al., "BWoS: Formally Verified Block-based Work Stealing for
 * Parallel Processing", OSDI 2023, sections 3 and 4 (figures 3 to 8).
 *
 * What it is: the owner's consumer works in one block, thieves in others, so
 * neither consumer nor producer needs an atomic read-modify-write or a fence
 * except when it moves to another block. Moving costs the producer three
 * stores and two loads of the new block's words, the consumer one exchange
 * and, where thieves took a part of the block, one add; both look up the next
 * place and where its block is (bwos.h).
 *
 * What it costs: put is one load, one slot store, one store-release. get is one
 * load, one slot load, one store, and one more load when what it last saw of
 * the producer is used up. A steal is two loads, one compare-and-exchange, the
 * slot loads and, unless thieves read first (departure 4), one add, all on lines
 * of that block. Keep queue and blocks in
 * one piece of memory: a position at the same offset in its page as @p or @c
 * makes loads of the one wait for stores to the other (get takes 2.9 cycles
 * instead of 2.2 then).
 *
 * Best suited for: producer and consumer on one CPU, many small tasks, order
 * roughly kept. Limitations: bounded; what is left in the consumer's own block
 * cannot be stolen (section 8 of the paper); a put can find the queue full
 * although thieves have emptied later blocks, because blocks are reused in
 * order.
 *
 * Who may call what, from where:
 *
 *	put		one context at a time (the producer)
 *	extend, mount	who is producer and consumer at once
 *	get		one context at a time (the consumer); producer and
 *			consumer may run beside each other
 *	steal		anybody, at any time, with preemption off
 *
 *	Operation against operation, without any lock outside:
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
 * 1. The round of a block is the number of blocks opened so far, not of trips
 *    around the queue. It grows by one from block to block, so "round + 1" is
 *    the whole rule for moving on, and any block can serve at any place.
 * 2. Places are a directory (bwos.h). A block that a thief still reads
 *    (claimed, not yet counted: a virtual CPU that was descheduled) is replaced
 *    by a spare one instead of stopping the producer, and becomes a spare
 *    itself once the thief has counted.
 * 3. A thief believes the steal position only together with a producer position
 *    of the same round, read with acquire. This orders everything the producer
 *    did to the block before, and makes acquire and release on the steal
 *    position itself redundant.
 * 4. Thieves may read before they claim (@read_first of the memory), where all that
 *    is moved is one word: a claim that succeeds says that nothing was put to the
 *    slots meanwhile, because rounds never return. They count nothing then, a steal
 *    has one read-modify-write instead of two, and one that stops midway holds up
 *    nobody: no block is ever replaced. Claimed slots need the count.
 * 5. The queue grows while it is in use (wsq_bwos_fifo_extend()): new places with
 *    spent blocks are inserted behind the producer's, who goes there next. A
 *    directory says which place comes behind which, and not the place's number.
 *
 * Growing, the argument: from the consumer's block to the producer's, by the
 * directory, lie the blocks in the order in which they were opened, and rounds
 * grow by one from each to the next; behind the producer's lie those that are
 * spent, in any order. What is inserted there is spent, so both holds as before.
 * One case is different. A consumer that has read its block to the end and not
 * moved on leaves that block to the producer, who may have come around to it:
 * both stand at one place, and what comes next for the consumer is the oldest
 * block of all, a lap behind, while for the producer it is a new place. The
 * consumer would find a round there that is not the next one, now and for ever.
 * So it is put behind the new places, which is why growing takes both roles.
 * Its own block has nothing more to say to it than its last position. (That a
 * consumer is there between its look at the directory and its look at the round is
 * therefore no case, as long as who only asks, wsq_bwos_fifo_empty(), holds the
 * role as well.)
 * Thieves may look at any block at any time, and believe positions alone; how
 * they find new ones, and pass over all, is in bwos.h.
 *
 * Positions (bwos.h) have indices from 0 to block_size.
 *
 *	b_pos	next slot to put	producer
 *	f_pos	next slot to get	consumer
 *	s_pos	next slot to steal	producer (open), consumer (take over),
 *					thieves (claim); block_size means that
 *					thieves are shut out
 *	s_cnt	slots thieves are done with, plus what the take-over kept from
 *		them			as s_pos
 *
 * A block is spent, and may be opened for a new round, when f_pos and s_cnt
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
 *		A consumer that sees index i + 1 sees slot i; one that sees the
 *		new round finds s_pos granted, so its exchange at BF(take:C)
 *		returns an index of that round, and BF(take:F) comes after
 *		BF(open:D). Both depend on what BF(take:B) read, so that
 *		BF(take:B) would do without order.
 *		litmus/bwos_fifo-put-get.litmus
 *	BF(get:D) -> BF(open:A)				(local)
 *		A producer that sees the block read to its end overwrites slots
 *		only after the consumer has read them.
 *		litmus/bwos_fifo-get-open.litmus
 *	BF(take:D) -> BF(open:A)			(local)
 *		Where thieves have left the consumer nothing, it is the take-over
 *		that tells the producer so. Its exchange at BF(take:C) comes
 *		before BF(open:E) of the next round and cannot overwrite it.
 *		litmus/bwos_fifo-take-open.litmus
 *
 *	BF(steal:H) release -> BF(take:C) acquire
 *		The same as BF(steal:F) -> BF(open:B) where thieves read first: a
 *		consumer that takes the block over has it after the last thief has
 *		read his slot, and it is he who tells the producer.
 *		litmus/bwos_fifo-first-take.litmus
 *	BF(mount:A) release -> BF(steal:G) acquire
 *		A thief that sees memory sees it as it was mounted.
 *		litmus/bwos_fifo-mount-steal.litmus
 *	BF(fill:A) release -> BF(pry:E), BF(out:A)
 *		Who gets a task by its slot alone, published or not, sees it as
 *		it was put. Positions order this for BF(claim:A) and BF(claim:B).
 *		litmus/bwos_fifo-fill-out.litmus
 *	BF(put:C) release -> BF(steal:C) acquire, BF(get:B) (local)
 *		With claimed slots the pairs above also keep a slot from being
 *		claimed before it is filled: it would count as taken out, and its
 *		task be lost.
 *		litmus/bwos_fifo-fill-steal.litmus
 *		litmus/bwos_fifo-fill-claim.litmus
 *	BF(get:D) -> BF(open:A)				(local)
 *		... and a slot from being filled for the next round before it was
 *		claimed in this one. BF(claim:A), a full barrier, would do
 *		instead of BF(get:B)'s and BF(get:D)'s order.
 *		litmus/bwos_fifo-claim-open.litmus
 *
 * Claimed slots, the argument: a slot's word goes from %NULL to the task once a
 * round (BF(fill:A)) and back once (one of BF(claim:A), BF(claim:B), BF(pry:E)
 * and BF(out:A), all of them read-modify-writes), so a task comes out once.
 * Every slot below b_pos is claimed by whoever the positions give it to, the
 * consumer or a thief, before the block is spent, so that none stays: pry and
 * withdraw come on top and leave %NULL, at which the other passes. The producer
 * fills a slot only when its block is spent, when all of that is over; what
 * comes late, by a stale position or number, finds another task or %NULL. Another
 * task may be pried (nobody asks which); withdraw compares. The same task again
 * is the same task queued again: it is the caller who must know that taking it
 * out is still wanted (exec/item.h).
 *
 * Atomicity alone, no order: BF(take:C) against BF(steal:D), who both change
 * s_pos in one step: an index below the exchanged value belongs to thieves, all
 * others to the consumer. Rounds never return, so a claim that slept through a
 * reuse of the block fails.
 *
 * No order either: BF(pry:B), BF(pry:C) and BF(pry:D), which only say
 * where to look, for the slot decides; BF(own:P), BF(own:C) and BF(own:M), where
 * the producer or the consumer reads what nobody else writes; BF(take:A) and
 * BF(empty:B), for which any block number that the place ever had will do, and
 * whose address the consumer was there to see written; BF(extend:A), which
 * BW(insert:A) publishes; BF(hint:A), BF(hint:B), BF(empty:A), BF(empty:C),
 * BF(sample:A) and BF(sample:B), whose answers are hints; BF(take:F), for which
 * no thief is left that could count in this round.
 */
#ifndef _WSQ_CORE_BWOS_FIFO_H
#define _WSQ_CORE_BWOS_FIFO_H

#include <wsq_platform.h>

#include "bwos.h"
#include "status.h"

/**
 * struct wsq_bwos_block - positions of one block, a cache line for each writer
 * @b_pos: producer position. Written by the producer.
 * @slots: its slots. Constant, on the line that all read who come to the block.
 * @f_pos: consumer position. Written by the consumer.
 * @s_pos: steal position. Written by thieves (claim), by the consumer once a
 *	round (take over), by the producer while the block is spent (open).
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
 * struct wsq_bwos_piece - blocks and slots, a piece of a queue's memory; constant
 * @blocks: nr_places + nr_spare blocks
 * @slots: block_size slots for each of @blocks
 * @nr_places: blocks in use at a time
 * @nr_spare: further blocks, each of which outweighs one thief that stopped
 *	between claiming and counting
 */
struct wsq_bwos_piece {
	struct wsq_bwos_block *blocks;
	wsq_slot_t *slots;
	u32 nr_places;
	u32 nr_spare;
};

/**
 * struct wsq_bwos_mem - the memory of a queue, lent by the caller
 * @dir: directory; the caller sets pointers and limits. @max_places from
 *	%WSQ_BWOS_MIN_BLOCKS to %WSQ_BWOS_MAX_BLOCKS
 * @first: what it begins with; %WSQ_BWOS_MIN_BLOCKS places or more. Constant
 * @block_size: tasks in a block, %WSQ_BWOS_MIN_BLOCK_SIZE to
 *	%WSQ_BWOS_MAX_BLOCK_SIZE. Constant
 * @read_first: thieves read before they claim, and do not count; not with claimed
 *	slots. Constant
 */
struct wsq_bwos_mem {
	struct wsq_bwos_dir dir;
	struct wsq_bwos_piece first;
	u32 block_size;
	bool read_first;
};

/**
 * struct wsq_bwos_end - where the producer or the consumer stands; private to it
 * @blk: its block
 * @slots: slots of @blk
 * @block_size: copy of the memory's, to keep the fast path on one line
 * @first: number of the first of @slots
 * @place: directory place of @blk
 * @next_blk: the block that served at the next place when this end came here
 * @next: that place
 * @next_nr: number of @next_blk
 *
 * Where it goes next is looked up when it comes here: there it would wait for five
 * loads one after the other, a third of what a block of 64 takes.
 */
struct wsq_bwos_end {
	struct wsq_bwos_block *blk;
	wsq_slot_t *slots;
	u64 block_size;
	u32 first;
	u32 place;
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
 *	if it has not yet read it in this round. Consumer only.
 * @t_hint: place where a thief last found something. Any thief, no order.
 * @mem: address of the memory, 0 while there is none. Written by whoever is
 *	producer and consumer at once.
 * @none: stands for the producer's and the consumer's block while there is no
 *	memory: full and empty, never written. Constant.
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
void wsq_bwos_fifo_mount(struct wsq_bwos_fifo *q, struct wsq_bwos_mem *mem);
u32 wsq_bwos_fifo_extend(struct wsq_bwos_fifo *q,
			 const struct wsq_bwos_piece *piece);
struct wsq_bwos_mem *wsq_bwos_fifo_unmount(struct wsq_bwos_fifo *q);
int wsq_bwos_fifo_open(struct wsq_bwos_fifo *q);
int wsq_bwos_fifo_put_slow(struct wsq_bwos_fifo *q, void *task);
void *wsq_bwos_fifo_get_slow(struct wsq_bwos_fifo *q);
u32 wsq_bwos_fifo_put_many(struct wsq_bwos_fifo *q, void *const *tasks, u32 nr,
			   bool *opened);
u32 wsq_bwos_fifo_get_many(struct wsq_bwos_fifo *q, void **tasks, u32 nr);
int wsq_bwos_fifo_steal_at(struct wsq_bwos_fifo *q, u32 place, void **tasks,
			   u32 max);
int wsq_bwos_fifo_steal(struct wsq_bwos_fifo *q, void **tasks, u32 max);
u32 wsq_bwos_fifo_sample(const struct wsq_bwos_fifo *q, u32 rnd, u32 *place);
bool wsq_bwos_fifo_empty(const struct wsq_bwos_fifo *q);
bool wsq_bwos_fifo_short(const struct wsq_bwos_fifo *q);

void *wsq_bwos_fifo_claim_slow(struct wsq_bwos_fifo *q);
int wsq_bwos_fifo_steal_claim(struct wsq_bwos_fifo *q, void **tasks, u32 max);
int wsq_bwos_fifo_steal_claim_at(struct wsq_bwos_fifo *q, u32 place,
				 void **tasks, u32 max);
int wsq_bwos_fifo_pry(struct wsq_bwos_fifo *q, void **tasks, u32 max);
bool wsq_bwos_fifo_withdraw(struct wsq_bwos_fifo *q, u32 nr, void *task);
bool wsq_bwos_fifo_waiting(const struct wsq_bwos_fifo *q);

/**
 * wsq_bwos_fifo_put() - append a task
 * @q: the queue
 * @task: what to append, not %NULL
 *
 * Context: the producer; any context that no other put can interrupt or run
 * beside. Never sleeps.
 * Return: %WSQ_OK; %WSQ_OPENED if a new block was begun; %WSQ_FULL if the next
 * block is still in use.
 * Ordering: what precedes the call is visible to whoever takes the task.
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
	 * Same block, same round: words compare as indices do. Looking at the
	 * producer again only when what it was seen to have put is used up
	 * spares a load and a compare, 0.3 of 2.2 cycles.
	 */
	if (unlikely(f >= q->c_seen)) {
		if (i == q->c.block_size)
			return wsq_bwos_fifo_get_slow(q);
		q->c_seen = wsq_local_read(&blk->b_pos);	/* BF(get:B) */
		/*
		 * f is ahead if thieves have taken what this context does not
		 * see put yet, which takes a producer on another CPU.
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
 * Claimed slots. Queues whose tasks can be called back, or taken from behind a
 * task that runs long, use the operations below instead of put, get and steal;
 * the positions work as before. A slot's own word then decides who has its
 * task: whoever changes it from the task to %NULL, the consumer and thieves by
 * exchange, others by compare-and-exchange. One exchange a task is what that
 * costs.
 */

/**
 * wsq_bwos_fifo_reserve() - find room
 * @q: the queue
 * @room: where to say what was found; at least one slot
 *
 * Context: the producer, as wsq_bwos_fifo_put(), until commit.
 * Return: %WSQ_OK; %WSQ_OPENED if a new block was begun; %WSQ_FULL.
 */
static inline int wsq_bwos_fifo_reserve(struct wsq_bwos_fifo *q,
					struct wsq_bwos_room *room)
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
	room->b = b;
	room->nr = q->p.first + (u32)i;
	room->n = (u32)(q->p.block_size - i);
	return ret;
}

/**
 * wsq_bwos_fifo_fill() - fill a reserved slot
 * @q: the queue
 * @room: what wsq_bwos_fifo_reserve() found
 * @k: which slot of it
 * @task: the task. From here on it may be withdrawn or pried out, or run and
 *	gone
 *
 * Context: as wsq_bwos_fifo_reserve().
 */
static inline void wsq_bwos_fifo_fill(struct wsq_bwos_fifo *q,
				      const struct wsq_bwos_room *room, u32 k,
				      void *task)
{
	/* Release: who claims by the slot alone sees the task whole. */
	wsq_slot_publish(&q->p.slots[wsq_bwos_idx(room->b) + k],
			 task);					/* BF(fill:A) */
}

/**
 * wsq_bwos_fifo_commit() - publish what was filled
 * @q: the queue
 * @room: what wsq_bwos_fifo_reserve() found
 * @n: slots filled, from the first
 *
 * Context: as wsq_bwos_fifo_reserve().
 */
static inline void wsq_bwos_fifo_commit(struct wsq_bwos_fifo *q,
					const struct wsq_bwos_room *room,
					u32 n)
{
	atomic64_set_release(&q->p.blk->b_pos,			/* BF(put:C) */
			     (s64)(room->b + n));
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
 * wsq_bwos_fifo_shared() - may thieves find something here
 * @q: the queue
 *
 * Context: the owner (producer and consumer).
 * Return: true if the producer is ahead of the consumer's block. A hint:
 * thieves may have been there already. Rounds are compared, not blocks: with
 * every block in between full, the producer may have opened the one that the
 * consumer has read to its end and not left yet.
 */
static inline bool wsq_bwos_fifo_shared(const struct wsq_bwos_fifo *q)
{
	u64 b = (u64)atomic64_read(&q->p.blk->b_pos);		/* BF(own:P) */
	u64 f = (u64)atomic64_read(&q->c.blk->f_pos);		/* BF(own:C) */

	return wsq_bwos_round(b) != wsq_bwos_round(f);
}

#endif /* _WSQ_CORE_BWOS_FIFO_H */
