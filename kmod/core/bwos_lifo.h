/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LIFO BWoS: a bounded stack of one owner, who puts and gets at its top, and of
 * any number of thieves, who take from its bottom, split into blocks.
 *
 * After Wang et al., "BWoS: Formally Verified Block-based Work Stealing for
 * Parallel Processing", OSDI 2023, sections 3 and 4 (figures 4 to 7).
 *
 * What it is: the owner works in one block, the topmost, thieves in those below.
 * When the owner's block is full it grants it to thieves and goes up to the next
 * one; when it is empty it takes the block below over, or what thieves have left
 * of it. Within a block owner and thieves share nothing, so that put and get are
 * those of a stack in an array: no barrier, no read-modify-write, no order.
 *
 * What it costs: put is one load, one slot store, one store; get is one load,
 * one slot load, one store. Going up costs two loads and three stores of the
 * two blocks' words, one of them a release; going down two loads, one exchange
 * and one store. A steal is three loads, one compare-and-exchange, the slot
 * loads and, unless thieves read first (departure 6), one add. All words of a
 * block that thieves look at are on one line: a steal moves that and the slots'
 * lines, the owner meets it twice for each block (grant, take over), and the
 * line that the owner writes with each task is never written and, but for
 * hints, never read by anybody else. With claimed slots a put has a release
 * store, a get an exchange.
 *
 * A step from block to block also looks up the next place and where its block is
 * (bwos.h).
 *
 * Best suited for: work that spawns work; the owner goes on with what it put
 * last, whose data are warm, and thieves take what is oldest, which is often the
 * largest. Limitations: bounded; no order that anybody should rely on but the
 * owner's; the owner's block is out of thieves' reach until it is full or
 * shared (wsq_bwos_lifo_share(), section 8 of the paper); a put can find the
 * queue full although thieves have emptied blocks in the middle, because blocks
 * are used in order.
 *
 * Who may call what, from where:
 *
 *	put, get, share	one context at a time (the owner). So are reserve to
 *			commit, claim, claim_oldest, mount and extend. They may not be
 *			re-entered: what interrupts one of them on its CPU must
 *			not call any. Interrupts and other CPUs put elsewhere
 *			(inbox.h). Between them, on the owner's CPU, an interrupt
 *			may play the owner
 *	steal		anybody, at any time, with preemption off. So are pry and
 *			withdraw
 *
 *	Operation against operation, without any lock outside:
 *
 *		|  put  |  get  | share | steal
 *	--------+-------+-------+-------+------
 *	put	|   -   |   -   |   -   |   +
 *	get	|   -   |   -   |   -   |   +
 *	share	|   -   |   -   |   -   |   +
 *	steal	|   +   |   +   |   +   |   +
 *
 * Departures from the paper:
 *
 * 1. Where the owner stands (@pos, and @low, its floor) is written down with the
 *    queue, not in the block: b_pos and f_pos are one store at a transition.
 * 2. The round is the number of grants so far, and each grant takes a new one,
 *    also of a block that was taken over and is granted again. A claim that
 *    slept since before the take-over fails therefore, and needs no order.
 * 3. A block can be granted when it is not full: b_pos says where it ends. That
 *    is how the owner's block is opened to thieves while a task runs long. Puts
 *    go to the next block then: a block that thieves may rob is never put to,
 *    and it is the grant, a release, that publishes what was put, to a block
 *    that is reopened as to a fresh one.
 * 4. Places are a directory (bwos.h), as in the FIFO queue: a block that a thief
 *    still reads (claimed, not yet counted) is replaced by a spare one when the
 *    owner comes up to it.
 * 5. An owner that finds the queue empty stays where it is, and starts its block
 *    anew if it can, so that it does not walk around the queue, away from what
 *    its cache holds.
 * 6. Thieves may read before they claim (@read_first of the memory), where all that
 *    is moved is one word: a claim that succeeds says that nothing was put to the
 *    slots meanwhile. They count nothing then, a steal has one read-modify-write
 *    instead of two, and one that stops midway holds up nobody. Claimed slots
 *    need the count.
 * 7. The queue grows while it is in use (wsq_bwos_lifo_extend()): new places with
 *    spent blocks are inserted above the owner's, who goes there next. The
 *    directory says which place is above which, and an array of the owner's which
 *    is below.
 *
 * Words of a block. Positions (bwos.h) have indices from 0 to block_size.
 *
 *	s_pos	next slot to steal; block_size means that thieves are shut out.
 *					owner (grant, take over), thieves (claim)
 *	b_pos	end of what was granted, with the round of the grant; of a block
 *		that the owner left, slots that were ever claimed
 *					owner
 *	s_cnt	slots thieves are done with since the block was begun; no round
 *					thieves (count), owner (begin)
 *
 * A block is spent, and may be begun, when s_cnt equals the index of b_pos: all
 * that could be claimed was, and whoever did has read his slots. Where thieves read
 * first, when nothing is left to claim: whoever did had read his slots before.
 *
 * The argument, state by state. A block that was not replaced is in one of four:
 *
 *	state	s_pos		b_pos		tasks in	belong to
 *	own	(g, size) or	(g, any) not	low..pos	the owner
 *		(g, e)		above s_pos
 *	granted	(g, i) i < e	(g, e)		i..e		thieves
 *	drained	(g, e)		(g, e)		none		nobody
 *	left	as own		(g, low)	none		nobody
 *
 *	Only a granted block can be claimed from: a thief asks for an s_pos and a
 *	b_pos of one round, with s_pos the smaller, and then for s_pos to be
 *	unchanged in the moment of its claim. Round and index together occur once
 *	in s_pos, because rounds never return and thieves only add. So an
 *	unchanged s_pos is of the grant that b_pos is of, and the slots from its
 *	index on are as that grant published them.
 *
 *	own -> granted (LI(grant:A), LI(grant:B)): the owner gives away low..pos
 *	and from then on touches none of these slots; i starts at low. Below low
 *	there is nothing but what thieves claimed in earlier grants of the block.
 *	granted -> granted, drained (LI(steal:D), LI(steal:H)): one thief owns the
 *	slots between the two indices, alone, and counts them when it has read
 *	them, unless it had read them before.
 *	granted -> own (LI(take:C)): what was below the exchanged index belongs to
 *	thieves, the rest to the owner, whose low is that index: both are decided
 *	in one step. If thieves were faster there is no rest; the block is drained
 *	then with its s_pos shut, which changes nothing.
 *	own -> left (LI(leave:A)): only when low equals pos: no task is in it.
 *	drained, left -> own (LI(begin:A)): only when spent. No claim can be under
 *	way in it, since none is possible in either state, and none can wait for
 *	its slots; low is 0.
 *	own -> own (LI(begin:A)): the same when low equals pos and s_cnt, too.
 *
 *	So a task is in one slot from its put on, which the owner or one thief
 *	empties: it comes out once. It is never out of reach: of the blocks between
 *	the bottom and the owner, @depth counts all that may be granted; the owner
 *	goes down through these and stops at the first from which it gets a task,
 *	thieves look at all places. And no slot is put to while a thief reads it:
 *	within a block puts stay above low, and low goes back to 0 only when all
 *	claims are counted.
 *
 * Growing, the argument: all that the owner knows of other places is @depth, which
 * counts steps down from its own, and is less than the number of places. So the
 * last of these steps ends, around the queue, at the place above the owner's at the
 * latest, and none goes from there to the owner's place, where what is new comes
 * between: each step leads where it led before. From a new place the way down leads
 * to where the owner stood, and then on as before; that is why the bound of @depth
 * is the number of places there are now. A new block is drained, with nothing
 * claimed: thieves find nothing in it, and the owner may begin it. No other block
 * changes its state, place, address or number, whoever is at it. How thieves find
 * new places, and pass over all that were there when they began, is in bwos.h; so no
 * task gets out of their reach either.
 *
 *	Thieves write nothing but s_pos, by claims, and s_cnt, by counts. They do
 *	nothing to the block that they pass on to: it is the owner who makes it
 *	new, at its grant. (A thief that reset s_pos there undid the take-over of an
 *	owner who came down to the block in that moment, and tasks were lost:
 *	section 5.2 of the paper. The mutant lifo-thief-resets does it.)
 *
 * Claimed slots, the argument: a slot's word goes from %NULL to the task by
 * LI(fill:A) and back once, by one of LI(claim:A), LI(claim:B), LI(pry:E) and
 * LI(out:A), all of them read-modify-writes, so a task comes out once. Put fills
 * none but a slot that is %NULL: in mounted memory all are, and of a block that
 * is the owner's all from pos on are, because pos comes to stand below a slot in
 * three ways only. The owner takes back what he put: LI(claim:A) passes each slot
 * that pos is lowered over, be the task there or not. He takes a block over: then
 * pos is the end of what was granted, and above it nothing has changed since. He
 * begins a block (LI(begin:A)): then it is spent, each slot that was filled was
 * given up, by LI(claim:A) or to a thief, and the thief passes each slot of his
 * range by LI(claim:B) before he counts (LI(steal:F)). Nor is a slot forgotten
 * that way: of the slots below pos each is claimed by whoever the positions give
 * it to; pry and withdraw come on top and leave %NULL, at which the other passes
 * (the owner's %WSQ_TOMB). What comes late, by a stale position or number, finds
 * another task or %NULL. Another task may be pried (nobody asks which); withdraw
 * compares. The same task again is the same task queued again: it is the caller
 * who must know that taking it out is still wanted (exec/item.h).
 *
 * An owner that found the queue empty has room for one task at least: its block is
 * empty, and low is below block_size in every block that it goes to.
 *
 * Accesses bear labels LI(operation:letter). Pairs, and what rests on each:
 *
 *	LI(grant:B) release -> LI(steal:B) acquire
 *		A thief that sees an index of a grant sees the slots that were put,
 *		b_pos, and s_cnt as LI(begin:A) reset it. That it may have the index
 *		from another thief's claim does not matter: an unbroken chain of
 *		read-modify-writes hands the release on.
 *		litmus/bwos_lifo-grant-steal.litmus
 *		litmus/bwos_lifo-grant-chain.litmus
 *	LI(steal:F) release -> LI(begin:B) acquire
 *		An owner that sees every claim counted begins the block after the
 *		last thief has read its slots, so no slot is overwritten while it is
 *		read.
 *		litmus/bwos_lifo-steal-begin.litmus
 *	LI(steal:H) release -> LI(take:C) acquire, LI(left:A) acquire
 *		The same where thieves read first: an owner that takes the slots over,
 *		or sees that all are claimed, puts to them after the thief who claimed
 *		them has read them.
 *		litmus/bwos_lifo-first-take.litmus
 *		litmus/bwos_lifo-first-left.litmus
 *	LI(mount:A) release -> LI(steal:G) acquire
 *		A thief that sees memory sees it as it was mounted.
 *		litmus/bwos_lifo-mount-steal.litmus
 *	LI(fill:A) release -> LI(pry:E), LI(out:A)
 *		Who gets a task by its slot alone, put or not, granted or not, sees
 *		it as it was put. Positions order this for LI(claim:A), where it is
 *		the owner's own store, and for LI(claim:B).
 *		litmus/bwos_lifo-fill-out.litmus
 *	LI(grant:B) release -> LI(steal:B) acquire
 *		With claimed slots the pair above also keeps a slot from being
 *		claimed before it is filled: it would count as taken out, and its
 *		task be lost.
 *		litmus/bwos_lifo-fill-steal.litmus
 *	LI(steal:F) release -> LI(begin:B) acquire
 *		... and this one a slot from being filled anew before the thief has
 *		emptied it: the old task would be overwritten, and the new one
 *		carried off in its stead. LI(claim:B), a full barrier, would do
 *		instead of LI(steal:F)'s order, and a branch instead of LI(begin:B)'s.
 *		litmus/bwos_lifo-claim-begin.litmus
 *
 * Atomicity alone, no order: LI(take:C) against LI(steal:D), who both change
 * s_pos in one step; what the owner reads in the slots it wrote itself, and what
 * it writes there a thief may read only by a later grant.
 *	litmus/bwos_lifo-take-steal.litmus
 * LI(claim:A) against LI(pry:E) and LI(out:A), who take the task out of the slot in
 * one step.
 *	litmus/bwos_lifo-claim-pry.litmus
 * Rounds alone, no order: LI(steal:C) against LI(grant:A). A thief that has s_pos
 * of one grant and b_pos of a later one sees two rounds, and does not claim.
 *
 * No order either: LI(own:A) to LI(own:G) and LI(left:B), where the owner reads
 * what nobody else writes, LI(put:A), LI(put:C), LI(get:A) and LI(get:C), which
 * nobody else reads but for a hint; LI(leave:A), for a block in which no index
 * is below b_pos before or after; LI(begin:A), which LI(grant:B) publishes;
 * LI(extend:A), which BW(insert:A) publishes; LI(hint:A) to LI(hint:C),
 * LI(look:A), LI(look:B), LI(look:D) and LI(look:E), whose answers are hints;
 * LI(pry:A) to LI(pry:D), which only say where to look, for the slot decides.
 * LI(begin:C) is BW(replace:A), LI(steal:A) and LI(look:C) are BW(at:A): any block
 * number that the directory ever held will do, but its block has to be found.
 */
#ifndef _WSQ_CORE_BWOS_LIFO_H
#define _WSQ_CORE_BWOS_LIFO_H

#include <wsq_platform.h>

#include "bwos.h"
#include "status.h"

/**
 * struct wsq_bwos_lifo_block - what thieves look at in a block, on one line
 * @s_pos: steal position. Written by thieves (claim), by the owner (grant, take
 *	over).
 * @b_pos: end of what was granted. Written by the owner.
 * @s_cnt: finished steals. Written by thieves (count), by the owner while the
 *	block is spent (begin).
 * @slots: its slots. Constant.
 */
struct wsq_bwos_lifo_block {
	atomic64_t s_pos WSQ_CACHE_ALIGNED;
	atomic64_t b_pos;
	atomic64_t s_cnt;
	wsq_slot_t *slots;
};

/**
 * struct wsq_bwos_lifo_piece - blocks and slots, a piece of a queue's memory; constant
 * @blocks: nr_places + nr_spare blocks
 * @slots: block_size slots for each of @blocks
 * @nr_places: blocks in use at a time
 * @nr_spare: further blocks, each of which outweighs one thief that stopped
 *	between claiming and counting
 */
struct wsq_bwos_lifo_piece {
	struct wsq_bwos_lifo_block *blocks;
	wsq_slot_t *slots;
	u32 nr_places;
	u32 nr_spare;
};

/**
 * struct wsq_bwos_lifo_mem - the memory of a queue, lent by the caller
 * @dir: directory; the caller sets pointers and limits. @max_places from
 *	%WSQ_BWOS_MIN_BLOCKS to %WSQ_BWOS_MAX_BLOCKS
 * @below: the place below each, for @max_places. Owner only
 * @first: what it begins with; %WSQ_BWOS_MIN_BLOCKS places or more. Constant
 * @block_size: tasks in a block, %WSQ_BWOS_MIN_BLOCK_SIZE to
 *	%WSQ_BWOS_MAX_BLOCK_SIZE. Constant
 * @read_first: thieves read before they claim, and do not count; not with claimed
 *	slots. Constant
 */
struct wsq_bwos_lifo_mem {
	struct wsq_bwos_dir dir;
	u16 *below;
	struct wsq_bwos_lifo_piece first;
	u32 block_size;
	bool read_first;
};

/**
 * struct wsq_bwos_lifo - a LIFO BWoS queue
 * @pos: next slot to put in the owner's block. Owner; others read it as a hint.
 * @low: first slot of the block that is the owner's, 0 to @block_size - 1. As
 *	@pos.
 * @slots: slots of the owner's block. Owner only.
 * @block_size: copy of the memory's, 0 while there is none. Owner only.
 * @blk: the owner's block, %NULL while there is no memory. Owner only.
 * @round: round of the last grant. Owner only.
 * @first: number of the first of @slots. As @pos.
 * @place: directory place of @blk. Owner only.
 * @depth: places below in which something may be left. Owner only.
 * @nr_spare: number of spare blocks. Owner only.
 * @nr_held: number of held blocks. Owner only.
 * @t_hint: place below which thieves need not begin, with the round of the grant
 *	that it is from. Any thief and the owner, no order.
 * @mem: address of the memory, 0 while there is none. Owner.
 */
struct wsq_bwos_lifo {
	atomic64_t pos WSQ_CACHE_ALIGNED;
	atomic64_t low;
	wsq_slot_t *slots;
	u64 block_size;
	struct wsq_bwos_lifo_block *blk;
	u64 round;
	atomic64_t first;
	u16 place;
	u16 depth;
	u16 nr_spare;
	u16 nr_held;

	atomic64_t t_hint WSQ_CACHE_ALIGNED;
	atomic64_t mem;
};

void wsq_bwos_lifo_init(struct wsq_bwos_lifo *q);
void wsq_bwos_lifo_mount(struct wsq_bwos_lifo *q, struct wsq_bwos_lifo_mem *mem);
u32 wsq_bwos_lifo_extend(struct wsq_bwos_lifo *q,
			 const struct wsq_bwos_lifo_piece *piece);
struct wsq_bwos_lifo_mem *wsq_bwos_lifo_unmount(struct wsq_bwos_lifo *q);
int wsq_bwos_lifo_put_slow(struct wsq_bwos_lifo *q, void *task);
void *wsq_bwos_lifo_get_slow(struct wsq_bwos_lifo *q);
u32 wsq_bwos_lifo_put_many(struct wsq_bwos_lifo *q, void *const *tasks, u32 nr,
			   bool *opened);
u32 wsq_bwos_lifo_get_many(struct wsq_bwos_lifo *q, void **tasks, u32 nr);
int wsq_bwos_lifo_share(struct wsq_bwos_lifo *q);
int wsq_bwos_lifo_steal_at(struct wsq_bwos_lifo *q, u32 place, void **tasks,
			   u32 max);
int wsq_bwos_lifo_steal(struct wsq_bwos_lifo *q, void **tasks, u32 max);
bool wsq_bwos_lifo_empty(const struct wsq_bwos_lifo *q);
bool wsq_bwos_lifo_shared(const struct wsq_bwos_lifo *q);
bool wsq_bwos_lifo_short(const struct wsq_bwos_lifo *q);
bool wsq_bwos_lifo_waiting(const struct wsq_bwos_lifo *q);
u32 wsq_bwos_lifo_place(const struct wsq_bwos_lifo *q, u32 rnd);
u32 wsq_bwos_lifo_sample(const struct wsq_bwos_lifo *q, u32 place);

int wsq_bwos_lifo_open(struct wsq_bwos_lifo *q);
void *wsq_bwos_lifo_claim_slow(struct wsq_bwos_lifo *q);
void *wsq_bwos_lifo_claim_oldest(struct wsq_bwos_lifo *q);
int wsq_bwos_lifo_steal_claim_at(struct wsq_bwos_lifo *q, u32 place,
				 void **tasks, u32 max);
int wsq_bwos_lifo_steal_claim(struct wsq_bwos_lifo *q, void **tasks, u32 max);
int wsq_bwos_lifo_pry(struct wsq_bwos_lifo *q, void **tasks, u32 max);
bool wsq_bwos_lifo_withdraw(struct wsq_bwos_lifo *q, u32 nr, void *task);

/**
 * wsq_bwos_lifo_put() - put a task on top
 * @q: the queue
 * @task: what to put, not %NULL
 *
 * Context: the owner; any context that no other owner's operation can interrupt
 * or run beside. Never sleeps.
 * Return: %WSQ_OK; %WSQ_OPENED if a block was granted to thieves for it;
 * %WSQ_FULL if the next block is still in use.
 * Ordering: what precedes the call is visible to whoever takes the task.
 */
static inline int wsq_bwos_lifo_put(struct wsq_bwos_lifo *q, void *task)
{
	u64 i = (u64)atomic64_read(&q->pos);			/* LI(put:A) */

	if (unlikely(i == q->block_size))
		return wsq_bwos_lifo_put_slow(q, task);

	/* Nobody else looks at the slot before LI(grant:B). */
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
 * Claimed slots. Queues whose tasks can be called back, or taken from behind a
 * task that runs long, use the operations below instead of put, get and steal;
 * the positions work as before. A slot's own word then decides who has its
 * task: whoever changes it from the task to %NULL, the owner and thieves by
 * exchange, others by compare-and-exchange. One exchange a task is what that
 * costs.
 */

/**
 * wsq_bwos_lifo_reserve() - find room
 * @q: the queue
 * @room: where to say what was found; at least one slot
 *
 * Context: the owner, as wsq_bwos_lifo_put(), until commit: the positions that
 * @room holds are the owner's, and no other operation of his may come between.
 * Return: %WSQ_OK; %WSQ_OPENED if a block was granted to thieves for it;
 * %WSQ_FULL.
 */
static inline int wsq_bwos_lifo_reserve(struct wsq_bwos_lifo *q,
					struct wsq_bwos_room *room)
{
	u64 i = (u64)atomic64_read(&q->pos);			/* LI(put:A) */
	int ret = WSQ_OK;

	if (unlikely(i == q->block_size)) {
		ret = wsq_bwos_lifo_open(q);
		if (ret < 0)
			return ret;
		i = 0;
	}
	room->b = i;
	room->nr = (u32)atomic64_read(&q->first) + (u32)i;	/* LI(own:G) */
	room->n = (u32)(q->block_size - i);
	return ret;
}

/**
 * wsq_bwos_lifo_fill() - fill a reserved slot
 * @q: the queue
 * @room: what wsq_bwos_lifo_reserve() found
 * @k: which slot of it
 * @task: the task. From here on it may be withdrawn, or pried out, or run and
 *	gone
 *
 * Context: as wsq_bwos_lifo_reserve().
 */
static inline void wsq_bwos_lifo_fill(struct wsq_bwos_lifo *q,
				      const struct wsq_bwos_room *room, u32 k,
				      void *task)
{
	/* Release: who claims by the slot alone sees the task whole. */
	wsq_slot_publish(&q->slots[room->b + k], task);		/* LI(fill:A) */
}

/**
 * wsq_bwos_lifo_commit() - put what was filled on top
 * @q: the queue
 * @room: what wsq_bwos_lifo_reserve() found
 * @n: slots filled, from the first
 *
 * Context: as wsq_bwos_lifo_reserve().
 */
static inline void wsq_bwos_lifo_commit(struct wsq_bwos_lifo *q,
					const struct wsq_bwos_room *room,
					u32 n)
{
	atomic64_set(&q->pos, (s64)(room->b + n));		/* LI(put:C) */
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
 * wsq_bwos_lifo_kept() - what is out of thieves' reach
 * @q: the queue
 *
 * Context: the owner; anybody, for a hint.
 * Return: how many slots are the owner's, all with a task in them unless slots are
 * claimed.
 */
static inline u32 wsq_bwos_lifo_kept(const struct wsq_bwos_lifo *q)
{
	u64 pos = (u64)atomic64_read(&q->pos);			/* LI(look:A) */
	u64 low = (u64)atomic64_read(&q->low);			/* LI(look:B) */

	/* Of two blocks, if the owner is on its way from one to the other. */
	return pos > low ? (u32)(pos - low) : 0;
}

#endif /* _WSQ_CORE_BWOS_LIFO_H */
