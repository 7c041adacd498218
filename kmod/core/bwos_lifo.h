/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LIFO BWoS: a bounded stack, split into blocks. One owner puts and gets at its
 * top; any number of thieves take from its bottom.
 *
 * After Wang et al., "BWoS: Formally Verified Block-based Work Stealing for
 * Parallel Processing", OSDI 2023, sections 3 and 4 (figures 4 to 7).
 *
 * The owner works in one block, the topmost, thieves in those below. When the
 * owner's block is full, the owner publishes it to thieves and goes up to the
 * next one. When it is empty, the owner takes over what thieves have left of
 * the block below. Within a block owner and thieves share nothing. So put and
 * get are those of a stack in an array: no barrier, no read-modify-write, no
 * order.
 *
 * Cost: put is one load, one slot store, one store; get is one load, one slot
 * load, one store. Going up costs two loads and three stores of the two blocks'
 * words, one of them a release; going down two loads, one exchange and one
 * store. A step from block to block also looks up the next directory entry and
 * its block (bwos.h). A steal is three loads, one compare-and-exchange, the
 * slot loads and, unless thieves read first (departure 6), one add. All words
 * of a block that thieves look at are on one line. A steal moves that line and
 * the slots' lines. The owner touches it twice for each block (publish, take
 * over). The line that the owner writes with each task is written by no other
 * context and, except for hints, read by none. With claimed slots a put has a
 * release store, a get an exchange.
 *
 * Best suited for: work that spawns work. The owner continues with what it put
 * last, which is in its cache. Thieves take the oldest task, which is often the
 * largest. Limitations: bounded; only the owner sees a dependable order;
 * thieves cannot reach the owner's block until it is full or published
 * (wsq_bwos_lifo_publish(), section 8 of the paper); a put can find the queue
 * full although thieves have emptied blocks in the middle, because blocks are
 * used in order.
 *
 * Callers and contexts:
 *
 *	put, get, publish
 *			one context at a time (the owner). So are reserve to
 *			commit, claim, claim_oldest, attach and extend. They
 *			must not be re-entered: an interrupt of one of them on
 *			its CPU must not call any. Interrupts and other CPUs put
 *			to the inbox (inbox.h). Between operations an interrupt
 *			on the owner's CPU may act as the owner
 *	steal		any context, with preemption off. So are steal_active
 *			and remove
 *
 *	Operation against operation, without an external lock:
 *
 *		|  put  |  get  |publish| steal
 *	--------+-------+-------+-------+------
 *	put	|   -   |   -   |   -   |   +
 *	get	|   -   |   -   |   -   |   +
 *	publish	|   -   |   -   |   -   |   +
 *	steal	|   +   |   +   |   +   |   +
 *
 * Departures from the paper:
 *
 * 1. The owner's position (@pos, and @low, its floor) is in the queue, not in
 *    the block. b_pos and f_pos are one store at a transition.
 * 2. The round is the number of publications so far. Each publication takes a
 *    new one, also if the block was taken over and is published again. So a
 *    claim that slept since before the takeover fails, and needs no order.
 * 3. A block can be published before it is full: b_pos says where it ends. That
 *    is how thieves get at the owner's block while a task runs long. Puts then
 *    go to the next block: a block that thieves may steal from is never put to.
 *    The publication, a release, makes visible what was put, to a reopened
 *    block as to a fresh one.
 * 4. The directory (bwos.h) maps entries to blocks, as in the FIFO queue. If a
 *    thief has claimed slots of a block and not counted them yet, the owner
 *    replaces the block by a spare one when it comes up to it.
 * 5. An owner that finds the queue empty stays where it is, and restarts its
 *    block if it can. So it does not walk around the ring, away from what its
 *    cache holds.
 * 6. Thieves may read before they claim (@read_first of the memory) if only one
 *    word is moved. A claim that succeeds then proves that nothing was put to
 *    the slots since they were read. Such thieves count nothing: a steal has
 *    one read-modify-write instead of two, and a thief that stops midway holds
 *    up no other context. Claimed slots need the count.
 * 7. The queue grows while it is in use (wsq_bwos_lifo_extend()): new entries
 *    with drained blocks are inserted above the owner's entry, and the owner
 *    goes there next. The directory says which entry is above which, and an
 *    array of the owner's which is below.
 *
 * Words of a block. Positions (bwos.h) have indices from 0 to block_size.
 *
 *	s_pos	next slot to steal; block_size shuts thieves out.
 *				owner (publish, take over), thieves (claim)
 *	b_pos	end of what was published, with its round; in a block that the
 *		owner left, number of slots that were ever claimed
 *				owner
 *	s_cnt	slots thieves are done with since the block was begun; no round
 *				thieves (count), owner (begin)
 *
 * A block is drained, and may be begun, when s_cnt equals the index of b_pos:
 * every slot that could be claimed was, and the thief that claimed it has read
 * it. If thieves read first, it is drained when nothing is left to claim: they
 * have read before.
 *
 * Why it is safe, state by state. A block that was not replaced is in one of
 * four:
 *
 *	state	s_pos		b_pos		tasks in	belong to
 *	own	(g, size) or	(g, any) not	low..pos	the owner
 *		(g, e)		above s_pos
 *	published (g, i) i < e	(g, e)		i..e		thieves
 *	empty	(g, e)		(g, e)		none		none
 *	left	as own		(g, low)	none		none
 *
 *	Only a published block can be claimed from: a thief requires an s_pos
 *	and a b_pos of one round, with s_pos the smaller, and an s_pos that is
 *	unchanged at the moment of its claim. Round and index together occur
 *	once in s_pos, because rounds never return and thieves only add. So an
 *	unchanged s_pos is of the publication that b_pos is of, and the slots
 *	from its index on are as published.
 *
 *	own -> published (LI(publish:A), LI(publish:B)): the owner gives away
 *	low..pos and from then on touches none of these slots; i starts at low.
 *	Below low there is only what thieves claimed in earlier publications of
 *	the block.
 *	published -> published, empty (LI(steal:D), LI(steal:H)): one thief owns
 *	the slots between the two indices, alone, and counts them when it has
 *	read them, unless it had read them before.
 *	published -> own (LI(take:C)): the slots below the exchanged index
 *	belong to thieves, the rest to the owner, and low becomes that index.
 *	One step decides both. If thieves were faster there is no rest; the
 *	block is then empty with its s_pos shut, which changes nothing.
 *	own -> left (LI(leave:A)): only if low equals pos: no task is in it.
 *	empty, left -> own (LI(begin:A)): only if drained. No claim can be under
 *	way in it, since none is possible in either state, and none can wait for
 *	its slots; low is 0.
 *	own -> own (LI(begin:A)): likewise, if low equals pos and s_cnt.
 *
 *	So from its put on a task is in one slot, which the owner or one thief
 *	empties: it comes out once. It is always reachable. Of the blocks
 *	between the bottom and the owner, @depth counts all that may be
 *	published; the owner goes down through these and stops at the first from
 *	which it gets a task, and thieves look at all entries. And no slot is
 *	put to while a thief reads it: within a block puts stay above low, and
 *	low goes back to 0 only when all claims are counted.
 *
 * Why growing is safe: all that the owner knows of other entries is @depth,
 * which counts steps down from its own, and is less than the number of entries.
 * So the last of these steps ends at the latest at the entry above the owner's.
 * No step goes from there to the owner's entry, where the new entries are
 * inserted: each step leads where it led before. From a new entry the way down
 * leads to the owner's old entry, and then on as before. So @depth stays below
 * the current number of entries. A new block is empty, with nothing claimed:
 * thieves find nothing in it, and the owner may begin it. No other block
 * changes its state, entry, address or number, whatever works in it. How
 * thieves find new entries, and pass over all that existed when they began, is
 * in bwos.h. So no task becomes unreachable for them either.
 *
 *	Thieves write only s_pos, by claims, and s_cnt, by counts. They do
 *	nothing to the block that they go to next: the owner resets it when it
 *	publishes it. (A thief that reset s_pos there undid the takeover of an
 *	owner that came down to the block at that moment, and tasks were lost:
 *	section 5.2 of the paper. The mutant lifo-thief-resets does it.)
 *
 * Why claimed slots are safe: a slot's word goes from %NULL to the task by
 * LI(fill:A) and back once, by one of LI(claim:A), LI(claim:B), LI(active:E)
 * and LI(out:A), all of them read-modify-writes, so a task comes out once.
 *
 * Put fills only slots that are %NULL. In newly attached memory all are. In the
 * owner's block all slots from pos on are, because pos gets below a slot in
 * three ways only. The owner takes back what it put: LI(claim:A) claims each
 * slot that pos is lowered over, whether or not the task is still there. The
 * owner takes a block over: then pos is the end of what was published, and
 * above it nothing has changed since. The owner begins a block (LI(begin:A)):
 * then it is drained. Each filled slot was given up, by LI(claim:A) or to a
 * thief, and the thief claims each slot of its range by LI(claim:B) before it
 * counts (LI(steal:F)).
 *
 * No slot is forgotten either. The positions assign each slot below pos to one
 * context, which claims it. Stealing from the active block and removing one
 * task come on top of that: they leave %NULL, which the assigned context skips
 * (the owner's %WSQ_TOMB). A late access, by a stale position or number, finds
 * another task or %NULL. A thief may take another task; removal compares. If
 * the same task was queued again in the slot, the caller must know that
 * removing it is still wanted (exec/item.h).
 *
 * An owner that found the queue empty has space for one task at least: its
 * block is empty, and low is below block_size in every block that it goes to.
 *
 * Accesses bear labels LI(operation:letter). Pairs, and what rests on each:
 *
 *	LI(publish:B) release -> LI(steal:B) acquire
 *		A thief that sees an index of a publication sees the slots that
 *		were put, b_pos, and s_cnt as LI(begin:A) reset it. The index
 *		may come from another thief's claim: an unbroken chain of
 *		read-modify-writes hands the release on.
 *		litmus/bwos_lifo-publish-steal.litmus
 *		litmus/bwos_lifo-publish-chain.litmus
 *	LI(steal:F) release -> LI(begin:B) acquire
 *		An owner that sees every claim counted begins the block after
 *		the last thief has read its slots, so no slot is overwritten
 *		while it is read.
 *		litmus/bwos_lifo-steal-begin.litmus
 *	LI(steal:H) release -> LI(take:C) acquire, LI(left:A) acquire
 *		As above, where thieves read first: an owner that takes the
 *		slots over, or sees that all are claimed, puts to them after the
 *		thief that claimed them has read them.
 *		litmus/bwos_lifo-first-take.litmus
 *		litmus/bwos_lifo-first-left.litmus
 *	LI(attach:A) release -> LI(steal:G) acquire
 *		A thief that sees the memory sees it as it was attached.
 *		litmus/bwos_lifo-attach-steal.litmus
 *	LI(fill:A) release -> LI(active:E), LI(out:A)
 *		A context that gets a task by its slot alone, put or not,
 *		published or not, sees it as it was put. Positions order this
 *		for LI(claim:A), where it is the owner's own store, and for
 *		LI(claim:B).
 *		litmus/bwos_lifo-fill-out.litmus
 *	LI(publish:B) release -> LI(steal:B) acquire
 *		With claimed slots the pair above also keeps a slot from being
 *		claimed before it is filled. Such a slot would count as taken
 *		out, and its task would be lost.
 *		litmus/bwos_lifo-fill-steal.litmus
 *	LI(steal:F) release -> LI(begin:B) acquire
 *		This pair also keeps a slot from being filled anew before the
 *		thief has emptied it. Otherwise the old task would be
 *		overwritten, and the thief would take the new one instead.
 *		LI(claim:B), a full barrier, would do instead of LI(steal:F)'s
 *		order, and a branch instead of LI(begin:B)'s.
 *		litmus/bwos_lifo-claim-begin.litmus
 *
 * Atomicity alone, no order: LI(take:C) against LI(steal:D), which both change
 * s_pos in one step. The owner reads only slots that it wrote itself, and a
 * thief may read what the owner writes there only by a later publication.
 *	litmus/bwos_lifo-take-steal.litmus
 * LI(claim:A) against LI(active:E) and LI(out:A), which take the task out of
 * the slot in one step.
 *	litmus/bwos_lifo-claim-active.litmus
 * Rounds alone, no order: LI(steal:C) against LI(publish:A). A thief that has
 * s_pos of one publication and b_pos of a later one sees two rounds, and does
 * not claim.
 *
 * No order either: LI(own:A) to LI(own:G) and LI(left:B), where the owner reads
 * words that only it writes; LI(put:A), LI(put:C), LI(get:A) and LI(get:C),
 * which other contexts read only as a hint; LI(leave:A), for a block in which
 * no index is below b_pos before or after; LI(begin:A), which LI(publish:B)
 * publishes; LI(extend:A), which BW(insert:A) publishes; LI(hint:A) to
 * LI(hint:C), LI(look:A), LI(look:B), LI(look:D) and LI(look:E), whose answers
 * are hints, or ordered by the caller (pool/reach.h); LI(active:A) to
 * LI(active:D), which only say where to look, because the slot decides.
 * LI(begin:C) is BW(replace:A), LI(steal:A) and LI(look:C) are BW(at:A): any
 * block number that the directory ever held will do, but its block must be
 * found.
 */
#ifndef _WSQ_CORE_BWOS_LIFO_H
#define _WSQ_CORE_BWOS_LIFO_H

#include <wsq_platform.h>

#include "bwos.h"
#include "status.h"

/**
 * struct wsq_bwos_lifo_block - what thieves look at in a block, on one line
 * @s_pos: steal position. Written by thieves (claim), by the owner (publish,
 *	take over).
 * @b_pos: end of what was published. Written by the owner.
 * @s_cnt: finished steals. Written by thieves (count), by the owner while the
 *	block is drained (begin).
 * @slots: its slots. Constant.
 */
struct wsq_bwos_lifo_block {
	atomic64_t s_pos WSQ_CACHE_ALIGNED;
	atomic64_t b_pos;
	atomic64_t s_cnt;
	wsq_slot_t *slots;
};

/**
 * struct wsq_bwos_lifo_segment - a memory segment: blocks and slots; constant
 * @blocks: nr_entries + nr_spare blocks
 * @slots: block_size slots for each of @blocks
 * @nr_entries: blocks in use at a time
 * @nr_spare: further blocks, each of which makes up for one thief that stopped
 *	between claiming and counting
 */
struct wsq_bwos_lifo_segment {
	struct wsq_bwos_lifo_block *blocks;
	wsq_slot_t *slots;
	u32 nr_entries;
	u32 nr_spare;
};

/**
 * struct wsq_bwos_lifo_mem - the memory of a queue, allocated by the caller
 * @dir: directory; the caller sets pointers and limits. @max_entries from
 *	%WSQ_BWOS_MIN_BLOCKS to %WSQ_BWOS_MAX_BLOCKS
 * @below: directory index below each entry, for @max_entries. Owner only
 * @first: the first segment; %WSQ_BWOS_MIN_BLOCKS entries or more. Constant
 * @block_size: tasks in a block, %WSQ_BWOS_MIN_BLOCK_SIZE to
 *	%WSQ_BWOS_MAX_BLOCK_SIZE. Constant
 * @read_first: thieves read before they claim, and do not count; not with
 *	claimed slots. Constant
 */
struct wsq_bwos_lifo_mem {
	struct wsq_bwos_dir dir;
	u16 *below;
	struct wsq_bwos_lifo_segment first;
	u32 block_size;
	bool read_first;
};

/**
 * struct wsq_bwos_lifo - a LIFO BWoS queue
 * @pos: next slot to put in the owner's block. Owner; other contexts read it as
 *	a hint.
 * @low: first slot of the block that is the owner's, 0 to @block_size - 1. As
 *	@pos.
 * @slots: slots of the owner's block. Owner only.
 * @block_size: copy of the memory's, 0 if there is none. Owner only.
 * @blk: the owner's block, %NULL if there is no memory. Owner only.
 * @round: round of the last publication. Owner only.
 * @first: number of the first of @slots. As @pos.
 * @index: directory index of @blk. Owner only.
 * @depth: number of entries below in which tasks may be left. Owner only.
 * @nr_spare: number of spare blocks. Owner only.
 * @nr_held: number of held blocks. Owner only.
 * @t_hint: directory index at which thieves begin, with the round of the
 *	publication that it is from. Any thief and the owner, no order.
 * @mem: address of the memory, 0 if there is none. Owner.
 */
struct wsq_bwos_lifo {
	atomic64_t pos WSQ_CACHE_ALIGNED;
	atomic64_t low;
	wsq_slot_t *slots;
	u64 block_size;
	struct wsq_bwos_lifo_block *blk;
	u64 round;
	atomic64_t first;
	u16 index;
	u16 depth;
	u16 nr_spare;
	u16 nr_held;

	atomic64_t t_hint WSQ_CACHE_ALIGNED;
	atomic64_t mem;
};

void wsq_bwos_lifo_init(struct wsq_bwos_lifo *q);
void wsq_bwos_lifo_attach(struct wsq_bwos_lifo *q, struct wsq_bwos_lifo_mem *mem);
u32 wsq_bwos_lifo_extend(struct wsq_bwos_lifo *q,
			 const struct wsq_bwos_lifo_segment *segment);
struct wsq_bwos_lifo_mem *wsq_bwos_lifo_detach(struct wsq_bwos_lifo *q);
int wsq_bwos_lifo_put_slow(struct wsq_bwos_lifo *q, void *task);
void *wsq_bwos_lifo_get_slow(struct wsq_bwos_lifo *q);
u32 wsq_bwos_lifo_put_many(struct wsq_bwos_lifo *q, void *const *tasks, u32 nr,
			   bool *published);
u32 wsq_bwos_lifo_get_many(struct wsq_bwos_lifo *q, void **tasks, u32 nr);
int wsq_bwos_lifo_publish(struct wsq_bwos_lifo *q);
int wsq_bwos_lifo_steal_at(struct wsq_bwos_lifo *q, u32 index, void **tasks,
			   u32 max);
int wsq_bwos_lifo_steal(struct wsq_bwos_lifo *q, void **tasks, u32 max);
bool wsq_bwos_lifo_empty(const struct wsq_bwos_lifo *q);
bool wsq_bwos_lifo_published(const struct wsq_bwos_lifo *q);
bool wsq_bwos_lifo_short(const struct wsq_bwos_lifo *q);
bool wsq_bwos_lifo_waiting(const struct wsq_bwos_lifo *q);
bool wsq_bwos_lifo_shut(const struct wsq_bwos_lifo *q);
u32 wsq_bwos_lifo_random_index(const struct wsq_bwos_lifo *q, u32 rnd);
u32 wsq_bwos_lifo_sample(const struct wsq_bwos_lifo *q, u32 index);

int wsq_bwos_lifo_open(struct wsq_bwos_lifo *q);
void *wsq_bwos_lifo_claim_slow(struct wsq_bwos_lifo *q);
void *wsq_bwos_lifo_claim_oldest(struct wsq_bwos_lifo *q);
int wsq_bwos_lifo_steal_claim_at(struct wsq_bwos_lifo *q, u32 index,
				 void **tasks, u32 max);
int wsq_bwos_lifo_steal_claim(struct wsq_bwos_lifo *q, void **tasks, u32 max);
int wsq_bwos_lifo_steal_active(struct wsq_bwos_lifo *q, void **tasks, u32 max);
bool wsq_bwos_lifo_remove(struct wsq_bwos_lifo *q, u32 nr, void *task);

/**
 * wsq_bwos_lifo_put() - put a task on top
 * @q: the queue
 * @task: what to put, not %NULL
 *
 * Context: the owner; any context that no other owner's operation can interrupt
 * or run beside. Never sleeps.
 * Return: %WSQ_OK; %WSQ_PUBLISHED if a block was published to thieves for it;
 * %WSQ_FULL if the next block is still in use.
 * Ordering: what precedes the call is visible to the context that takes the
 * task.
 */
static inline int wsq_bwos_lifo_put(struct wsq_bwos_lifo *q, void *task)
{
	u64 i = (u64)atomic64_read(&q->pos);			/* LI(put:A) */

	if (unlikely(i == q->block_size))
		return wsq_bwos_lifo_put_slow(q, task);

	/* No other context looks at the slot before LI(publish:B). */
	wsq_slot_write(&q->slots[i], task);			/* LI(put:B) */
	atomic64_set(&q->pos, (s64)(i + 1));			/* LI(put:C) */
	return WSQ_OK;
}

/**
 * wsq_bwos_lifo_get() - take the task on top
 * @q: the queue
 *
 * Context: the owner, as wsq_bwos_lifo_put().
 * Return: the task, or %NULL if the queue holds none that thieves have not
 * claimed.
 */
static inline void *wsq_bwos_lifo_get(struct wsq_bwos_lifo *q)
{
	u64 i = (u64)atomic64_read(&q->pos);			/* LI(get:A) */
	void *task;

	if (unlikely(i == (u64)atomic64_read(&q->low)))		/* LI(own:A) */
		return wsq_bwos_lifo_get_slow(q);

	task = wsq_slot_read(&q->slots[i - 1]);			/* LI(get:B) */
	atomic64_set(&q->pos, (s64)(i - 1));			/* LI(get:C) */
	return task;
}

/*
 * Claimed slots. A queue whose tasks can be cancelled, or stolen from behind a
 * task that runs long, uses the operations below instead of put, get and steal.
 * Positions work as before. The slot's own word then decides which context gets
 * its task: the one that changes the word from the task to %NULL. The owner and
 * thieves exchange, others compare and exchange. The cost is one exchange a
 * task.
 */

/**
 * wsq_bwos_lifo_reserve() - reserve space
 * @q: the queue
 * @space: where to store the reservation; at least one slot
 *
 * Context: the owner, as wsq_bwos_lifo_put(), until commit: @space holds the
 * owner's positions, so no other owner's operation may come between.
 * Return: %WSQ_OK; %WSQ_PUBLISHED if a block was published to thieves for it;
 * %WSQ_FULL.
 */
static inline int wsq_bwos_lifo_reserve(struct wsq_bwos_lifo *q,
					struct wsq_bwos_space *space)
{
	u64 i = (u64)atomic64_read(&q->pos);			/* LI(put:A) */
	int ret = WSQ_OK;

	if (unlikely(i == q->block_size)) {
		ret = wsq_bwos_lifo_open(q);
		if (ret < 0)
			return ret;
		i = 0;
	}
	space->b = i;
	space->nr = (u32)atomic64_read(&q->first) + (u32)i;	/* LI(own:G) */
	space->n = (u32)(q->block_size - i);
	return ret;
}

/**
 * wsq_bwos_lifo_fill() - fill a reserved slot
 * @q: the queue
 * @space: the reservation
 * @k: index of the slot in it
 * @task: the task. From here on it may be removed or stolen, or run and be
 *	freed
 *
 * Context: as wsq_bwos_lifo_reserve().
 */
static inline void wsq_bwos_lifo_fill(struct wsq_bwos_lifo *q,
				      const struct wsq_bwos_space *space, u32 k,
				      void *task)
{
	/* Release: a claim by the slot alone sees the complete task. */
	wsq_slot_publish(&q->slots[space->b + k], task);		/* LI(fill:A) */
}

/**
 * wsq_bwos_lifo_commit() - put the filled slots on top
 * @q: the queue
 * @space: the reservation
 * @n: slots filled, from the first
 *
 * Context: as wsq_bwos_lifo_reserve().
 */
static inline void wsq_bwos_lifo_commit(struct wsq_bwos_lifo *q,
					const struct wsq_bwos_space *space,
					u32 n)
{
	atomic64_set(&q->pos, (s64)(space->b + n));		/* LI(put:C) */
}

/**
 * wsq_bwos_lifo_claim() - take the task on top of a queue with claimed slots
 * @q: the queue
 *
 * Context: the owner, as wsq_bwos_lifo_get().
 * Return: the task; %WSQ_TOMB if it had been taken out; %NULL if there is none
 * that thieves have not claimed.
 */
static inline void *wsq_bwos_lifo_claim(struct wsq_bwos_lifo *q)
{
	u64 i = (u64)atomic64_read(&q->pos);			/* LI(get:A) */
	void *task;

	if (unlikely(i == (u64)atomic64_read(&q->low)))		/* LI(own:A) */
		return wsq_bwos_lifo_claim_slow(q);

	task = wsq_slot_claim(&q->slots[i - 1]);		/* LI(claim:A) */
	atomic64_set(&q->pos, (s64)(i - 1));			/* LI(get:C) */
	return task ? task : WSQ_TOMB;
}

/**
 * wsq_bwos_lifo_kept() - tasks that thieves cannot reach
 * @q: the queue
 *
 * Context: the owner; any context, for a hint.
 * Return: number of slots that are the owner's, all with a task in them unless
 * slots are claimed.
 */
static inline u32 wsq_bwos_lifo_kept(const struct wsq_bwos_lifo *q)
{
	u64 pos = (u64)atomic64_read(&q->pos);			/* LI(look:A) */
	u64 low = (u64)atomic64_read(&q->low);			/* LI(look:B) */

	/* They may be of two blocks, if the owner is moving between them. */
	return pos > low ? (u32)(pos - low) : 0;
}

#endif /* _WSQ_CORE_BWOS_LIFO_H */
