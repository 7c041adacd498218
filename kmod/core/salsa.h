/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SALSA: pools of many producers, one consumer each, and thieves that take
 * whole chunks.
 *
 * After Gidron, Keidar, Perelman, Perez, "SALSA: Scalable and Low
 * Synchronization NUMA-aware Algorithm for Producer-Consumer Pools", CCIT
 * Report 807, 2012: algorithms 3 to 6, sections 5 and 6.1.
 *
 * Tasks lie in chunks of some thousand slots. One producer fills a chunk and
 * one consumer, its owner, empties it. Neither needs an atomic
 * read-modify-write or a fence for a task. A thief takes the chunk, not the
 * task: it changes the owner. If the old owner may be working in the chunk, the
 * thief pays for both sides' order with a displacement fence (fence.h).
 *
 * Cost: put is one slot store. get is the slot load, two loads of the owner
 * word, the store of the index, and two stores that say that a take is under
 * way. A chunk costs its producer a compare-and-exchange and the clearing of
 * its slots, its consumer two compare-and-exchanges (enter, finish). Stealing a
 * chunk that no consumer is in costs one compare-and-exchange. Stealing a chunk
 * that its consumer is in costs two and an interrupt, which the thief does not
 * wait for. If the interrupt hits a take, both sides pay one more, for the task
 * that both may claim.
 *
 * Best suited for: producers and consumers on different CPUs, and loads that
 * move in bulk. Limitations: order is kept within a chunk only; memory comes in
 * chunks; a task in a chunk that its consumer is in can be stolen only with an
 * interrupt.
 *
 * Callers and contexts: producers and consumers each one context at a time. A
 * consumer's operations, stealing included (a thief is a consumer that steals
 * from another), run in a section of fence.h, on the CPU that has the
 * consumer's number unless its tasks are claimed. remove, waiting and empty
 * are for any context, in a section.
 *
 *		|  put  |  get  | steal | remove
 *	--------+-------+-------+-------+---------
 *	put	|  (1)  |   +   |   +   |   +
 *	get	|   +   |  (2)  |   +   |   +
 *	steal	|   +   |   +   |  (2)  |   +
 *	remove	|   +   |   +   |   +   |   +
 *
 *	(1) each producer for itself
 *	(2) each consumer for itself: get and steal of one consumer exclude each
 *	    other
 *
 * Two ways of taking. Plain: as above. Claimed: every take is a
 * compare-and-exchange of the slot, from the task to WSQ_SALSA_TAKEN. Then any
 * context that knows a task's slot can remove the task, and one
 * compare-and-exchange steals a chunk at any time, without a fence. Claiming is
 * for queues whose tasks are cancelled, for consumers on CPUs that no interrupt
 * may disturb, and where no interrupts can be sent (mode "cas"). A chunk that
 * was once claimed from stays so until it is reused.
 *
 * Departures from the paper:
 *
 * 1. A consumer enters a chunk and leaves it (DESIGN decision 4; the states are
 *    in salsa_owner.h). Chunks that no consumer is in are stolen without a
 *    fence, and a consumer that parks leaves no chunk that would need one.
 * 2. The index is in the owner word when a chunk changes hands, and in one of
 *    the chunk's index words while a consumer is in it. So there are no nodes
 *    that carry the index, to be copied and reclaimed. Lists hold chunk
 *    numbers, which may be stale: only the owner word says which consumer a
 *    chunk belongs to. A producer has one list for all consumers, not one for
 *    each. A consumer knows which producers feed it, and skips chunks that are
 *    not its own.
 * 3. A thief learns from the victim's @busy word, read behind the fence,
 *    whether a take is under way. If not, the chunk is as if it had been left.
 * 4. TAKEN is written for claims, and where victim and thief compete for a task
 *    (SA(contend:A), SA(take:F)). Plainly taken slots are cleared by the
 *    producer that reuses the chunk, which fetches its cache lines in one go.
 * 5. A thief need not wait for its fence (wsq_salsa_steal_begin()). The chunk
 *    is STOLEN and in its list, and the thief does other work. Its next get
 *    behind the fence makes the chunk one of its own that no consumer is in.
 * 6. Emptiness is a double collect over all chunks instead of n traversals with
 *    indicators (salsa_scan.c): it costs takes nothing.
 *
 * Section 5.3 of the paper, case by case. V is the victim, A the thief, @a the
 * index that A reads behind its fence.
 *
 *	V takes a task and A steals. V stores the index (get:D), then reads the
 *	owner (get:E). A changes the owner (take:A), then fences V, then reads
 *	the index (take:D). If V reads the owner before the fence's point in V,
 *	it stores the index before it, too: A begins behind that slot, and V has
 *	the task plainly. If V reads the owner behind the point, V sees the
 *	steal and competes for slot @a or the one before by compare-and-exchange
 *	(contend:A). A does so for slot @a (take:F): one of them gets it. unit
 *	salsa: steal_before_index, steal_after_index
 *
 *	The stolen empty chunk. A finds no task at @a and enters there, to take
 *	it plainly when it comes. V must not take it then: V looks at the owner
 *	between slot and index (get:C). If that is before the fence's point, V's
 *	load of the slot is, and A sees the task, too; if behind, V is refused.
 *	unit salsa: steal_empty
 *
 *	The index must not go back. V may store @a + 1 long after A has gone on.
 *	It goes to the index word of V's epoch, and A enters with the next epoch
 *	if V's take was under way: no CPU reads V's word any more. A begins at
 *	@a + 1 if there is a task at @a, whichever of the two gets it. unit
 *	salsa: index_back
 *
 *	The owner change with an old index. A thief that read the index before
 *	the chunk changed hands and came back would begin too early. The change
 *	compares the tag, and the index counts only if read behind it. unit
 *	salsa: steal_stale
 *
 *	The thief that stops midway. The chunk is in A's list before its owner
 *	changes, so others find it there. It is STOLEN, still with V's epoch and
 *	entry index. A CPU that takes it over fences all CPUs, because it does
 *	not know V. unit salsa: steal_halted
 *
 *	The thief that does not wait. It stops midway, in a section, and goes on
 *	in another section. All it keeps is the word by which the chunk was
 *	STOLEN. If the owner word is still that one, no CPU but V has taken from
 *	the chunk, and V's fence has completed. If not, neither the chunk nor
 *	its entry in the thief's list is the thief's any more; the entry may be
 *	another chunk's. unit salsa: begin_*
 *
 *	The victim that comes back (wsq_salsa_take_back()). While A waits for
 *	its fence no CPU takes from the chunk, and V knows its index without a
 *	fence. V changes the word from A's STOLEN to ENTERED, by
 *	compare-and-exchange, and goes on in its own epoch: the index word has
 *	had no other writer.
 *
 *	- A ends its steal, whether V's CPU has answered before or after, by a
 *	  compare-and-exchange of the word by which it stole. Either A or V
 *	  succeeds. If V does, A drops what it has read of index and slots.
 *	  Until it knows, A writes nothing but the owner word.
 *	- A third CPU that takes the chunk over from A changes the word, too. If
 *	  V was first, that CPU fails; if V was second, V is refused. V is also
 *	  refused while that CPU waits for its own fence: the word has that
 *	  CPU's id, and its @stealing names no victim.
 *	- V's word may be old: the chunk may have been stolen from V long ago,
 *	  used, freed and stolen from another consumer. So a STOLEN word and a
 *	  tag do not prove that it was V's. The thief says in its @stealing
 *	  which chunk it steals from which consumer, before it changes the owner
 *	  and until it has ended the steal. In that time the thief makes one
 *	  STOLEN word of that chunk only (wsq_salsa_steal_begin() does not take
 *	  over what it is stealing), from an ENTERED word of V's. That is the
 *	  last ENTERED word that V made, by which V is in the chunk. The word
 *	  that V reads is in place when V's exchange succeeds, and so is what
 *	  @stealing says.
 *	- V in the middle of a take competes for its slot first (contend:A), and
 *	  takes the chunk back behind that slot if V got the task. If A got it,
 *	  A has ended the steal, and V is refused.
 *	- The chunk is in V's list, if it ever was: V keeps the entry of the
 *	  chunk that it is in (wsq_salsa_list_index()).
 *	- No other take but V's can be under way in the chunk because of this:
 *	  the epoch stays, and so does whether the chunk waits for a grace
 *	  period. A may read the chunk by its STOLEN word long afterwards, as
 *	  any chunk of another consumer.
 *
 *	unit salsa_back
 *
 * Reclamation. A finished chunk goes to the pool of the consumer that finished
 * it. A take may be under way in it only if it was stolen during a take. Such a
 * chunk has an epoch above 0 and waits for a grace period (grace.h). Others are
 * reused at once, and tags refuse CPUs that saw them before. Both kinds lie
 * where any producer finds them, because the consumer that has finished a chunk
 * may not look again for long. Thieves and scanners may read slots of a chunk
 * that is another consumer's by then. What they read counts only if they find
 * the owner word unchanged after that.
 *
 * A chunk from which every task was removed waits for its consumer, which may
 * not take again soon. A producer that finds no chunk has wsq_salsa_reclaim()
 * free one. Claimed slots stay claimed as long as the owner word stays, so one
 * compare-and-exchange of the word is enough. If another consumer is in the
 * chunk it may still store an index there: such a chunk gets the next epoch,
 * and waits for a grace period.
 *
 * Accesses bear labels SA(operation:letter). One that a function makes for
 * several callers may have a label at the call as well: SA(leave:A) and
 * SA(finish:A) are SA(change:A); SA(open:C), SA(steal:E) and SA(send:A) are
 * SA(list:I), and SA(send:A) does SA(steal:E)'s work; SA(take:D), SA(take:J),
 * SA(scan:D) and SA(drained:C) are SA(find:C); SA(drained:D) is SA(find:D).
 * Pairs, and what rests on each:
 *
 *	SA(put:A) release -> SA(get:B) acquire
 *		A CPU that takes a task sees what was done before the put.
 *		litmus/salsa-put-get.litmus
 *	SA(put:A) release -> SA(claim:C), SA(contend:A), SA(take:F),
 *	SA(active:B), SA(out:A), full
 *		As above, for a CPU that claims it.
 *		litmus/salsa-put-claim.litmus
 *	these five against each other, full
 *		One of them has the task.
 *		litmus/salsa-claim-claim.litmus
 *	SA(claim:D) release -> SA(take:G), SA(scan:C)
 *		An index that claims have stored is not above what was claimed.
 *		litmus/salsa-claim-index.litmus
 *	SA(open:B) release -> SA(find:B), SA(scan:A) acquire
 *		A CPU that finds a chunk sees its slots and index words cleared.
 *		litmus/salsa-open-find.litmus
 *	SA(list:I) release -> SA(find:A) acquire
 *		Not needed for the above: a CPU that finds the entry and an old
 *		word finds nothing there.
 *	SA(get:D), SA(get:H), SA(get:E) against SA(take:A), SA(take:B),
 *	SA(take:D): store buffering, by the displacement fence
 *		Section 5.3, first case; scenario D of fence.h.
 *		litmus/salsa-fence.litmus, a step for each point where the
 *		interrupt finds V
 *	SA(get:B), SA(get:C) against SA(take:A), SA(take:B), SA(take:E)
 *		The second case; same files.
 *	SA(get:A), SA(get:G), SA(get:C) against SA(take:A), SA(take:B),
 *	SA(take:C)
 *		A thief that reads @busy clear behind the fence knows that V's
 *		next take finds the steal. litmus/salsa-quiet.litmus, likewise
 *	SA(contend:A) full -> SA(take:C) acquire
 *		The thief also knows that V's last take is over, and sees its
 *		index in SA(take:D). SA(get:F), SA(slow:D) and SA(steal:D) are
 *		release as well, but the fence does their work: the takes that
 *		they end began before its point.
 *		litmus/salsa-quiet.litmus, step 3;
 *		all that the two do for one slot: litmus/salsa-displace.litmus;
 *		for two slots of a batch: litmus/salsa-batch.litmus
 *	SA(take:B) then SA(take:M), one heavy fence
 *		For all of the above: what is between the two plays no role.
 *	SA(take:I)
 *		As SA(take:B), for all consumers that may have been the victim.
 *		litmus/salsa-overtake.litmus
 *	SA(take:J), SA(find:E), then SA(take:G) full
 *		What was read of a chunk belongs to the word if the word is
 *		found unchanged.
 *		litmus/salsa-look-take.litmus
 *	SA(leave:A), that is SA(change:A), and SA(take:H) where it leaves the
 *	chunk to the CPU that enters it next, full -> SA(find:B) acquire, then
 *	SA(enter:A), SA(take:G), full
 *		A consumer that enters sees all that the one that left has done:
 *		the index is in the word, and the index word of its epoch
 *		belongs to the consumer that stores next.
 *		litmus/salsa-leave-enter.litmus
 *	SA(open:B) release -> SA(drained:A) acquire, SA(drained:E) full
 *		A CPU that is not in a chunk frees it only if all slots of its
 *		present life are claimed.
 *		litmus/salsa-drained.litmus
 *	SA(take:N), SA(send:C), then SA(take:A) full -> SA(back:A) acquire,
 *	SA(back:B)
 *		V takes a chunk back only from the thief that has it from V.
 *		litmus/salsa-back.litmus
 *	SA(steal:E) -> SA(take:A), SA(take:G), SA(back:C), full -> SA(find:B)
 *	acquire
 *		A CPU that sees that a chunk is not V's any more finds it in A's
 *		list. A CPU that sees that it is V's again finds it in V's list.
 *		litmus/salsa-list-owner.litmus
 *	SA(enter:B) -> SA(enter:A), SA(steal:B) -> SA(take:A), SA(take:G), full
 *		A CPU that finds a chunk free, however many consumers had it,
 *		sees the @in of those from which it was stolen and that have not
 *		noticed. litmus/salsa-enter-in.litmus
 *	SA(finish:A), SA(take:H), SA(close:B), SA(drained:E), full;
 *	SR(give:C) -> SR(get:B) -> SA(open:A), SA(open:D)
 *		Slots and index words are cleared when no CPU takes from them
 *		any more. The ring's pair suffices. Apart from that, the word of
 *		SA(take:H) has all that its reader needs.
 *		litmus/salsa-finish-open.litmus
 *	SA(retire:A) -> SA(reap:A)
 *		Nor does any CPU claim from them, if a take was under way at the
 *		steal.
 *		litmus/salsa-grace.litmus
 *	SA(scan:B) heavy against SA(get:D), SA(scan:C) full against SA(claim:D),
 *	SA(change:A), SA(close:B)
 *		A CPU that sees that a task was taken sees what was put before
 *		it. See salsa_scan.c. litmus/salsa-scan.litmus,
 *		litmus/salsa-scan-claim.litmus, litmus/salsa-scan-finish.litmus
 *	SA(change:A), SA(close:B), SA(drained:E), full; SR(give:C) -> SR(get:B)
 *	-> SA(open:A), against SA(scan:E), SA(scan:F), SA(scan:G)
 *		A look that read a slot or an index word cleared for the chunk's
 *		next life finds the owner word changed.
 *		litmus/salsa-scan-word.litmus
 *	wsq_salsa_chunk_init() and its like, release -> SA(at:A), SA(at:B),
 *	SA(at:C) acquire
 *		A CPU that knows a number sees the object of that number as
 *		initialized. litmus/salsa-known.litmus
 *
 * No order: hints, which SA(take:A), SA(take:G) or SA(enter:A) verify by the
 * word (SA(find:C) to SA(find:I) except behind the fence, SA(list:A),
 * SA(list:B), SA(claim:B)); words that their only writer reads (SA(list:C) to
 * SA(list:G), SA(list:K), SA(list:L), SA(open:E), SA(open:H)); SA(list:J),
 * which by coherence reads the writer's life of the chunk or a later one;
 * clearing @in; SA(open:G), because a feeder's bit stays; SA(close:A), which
 * SA(close:B) verifies; SA(holds:A), which the caller orders (pool/reach.h).
 */
#ifndef _WSQ_CORE_SALSA_H
#define _WSQ_CORE_SALSA_H

#include <wsq_platform.h>

#include "fence.h"
#include "inbox.h"
#include "salsa_owner.h"
#include "salsa_ring.h"
#include "status.h"

/* Entries of a thief's list beyond one chunk of each producer. */
#ifndef WSQ_SALSA_ENTRIES
#define WSQ_SALSA_ENTRIES	16
#endif

#define WSQ_SALSA_MIN_SIZE	2
#define WSQ_SALSA_MIN_CHUNKS	2
#define WSQ_SALSA_MAX_CHUNKS	64

/* In a slot: the task that was here was claimed. No task has this address. */
#define WSQ_SALSA_TAKEN		((void *)-3L)

/* No chunk, no consumer. */
#define WSQ_SALSA_NONE		((u32)~0U)

/**
 * struct wsq_salsa_chunk - a chunk
 * @owner: the owner word (salsa_owner.h)
 * @idx: tasks taken, by epoch. Written by the consumer that is in the chunk
 *	with that epoch; claims of the last epoch: by all consumers that were in
 *	it
 * @nr: its number. Constant
 * @home: consumer for which its memory was allocated. Constant
 * @node: NUMA node of its memory. Constant
 * @slots: its tasks. Constant address
 * @life: how often it was opened, modulo 2^32. The producer that opens it
 * @link: link in a list of free chunks. The holder of the chunk while it is
 *	free
 * @cookie: grace period to wait for. The consumer that finished the chunk
 */
struct wsq_salsa_chunk {
	atomic64_t owner WSQ_CACHE_ALIGNED;
	u32 nr;
	u32 home;
	u32 node;
	wsq_slot_t *slots;
	atomic64_t life;
	atomic64_t link;
	u64 cookie;
	atomic64_t idx[WSQ_SALSA_EPOCHS] WSQ_CACHE_ALIGNED;
};

/**
 * struct wsq_salsa_list - chunks of one writer
 * @next: index of the entry to look at first. The writer
 * @top: entries below may be in use. The writer
 * @entries: chunks: number plus one, above it the life in which it was put in;
 *	0 for none. Stale ones stay. The writer. Constant address
 * @size: number of entries. Constant
 */
struct wsq_salsa_list {
	atomic64_t next;
	atomic64_t top;
	atomic64_t *entries;
	u32 size;
};

/**
 * struct wsq_salsa_consumer_mem - memory for a consumer, zeroed
 * @feeders: (max_parties + 63) / 64 words
 * @stolen: max_parties + %WSQ_SALSA_ENTRIES words: of each producer a thief may
 *	have a chunk that is still being filled
 * @cells: slots of the chunk pool
 * @nr_cells: number of @cells, a power of two
 */
struct wsq_salsa_consumer_mem {
	atomic64_t *feeders;
	atomic64_t *stolen;
	atomic64_t *cells;
	u32 nr_cells;
};

struct wsq_salsa_consumer;
struct wsq_salsa_producer;

/**
 * struct wsq_salsa - what the parties of a pool share
 * @chunks: addresses of chunks by number, 0 for none. Constant except the words
 * @consumers: addresses of consumers by id, 0 for none. As @chunks
 * @producers: addresses of producers by id, 0 for none. As @chunks
 * @max_chunks: number of chunk numbers. Constant
 * @max_parties: number of ids of consumers and producers. Constant
 * @chunk_size: tasks in a chunk, up to %WSQ_SALSA_MAX_SIZE. Constant
 * @all: consumers that take plainly, as a set for wsq_fence_heavy(). Written by
 *	the context that adds consumers; may contain consumers that do not run
 *	yet
 * @all_words: its words; 0 if none takes plainly. Constant
 */
struct wsq_salsa {
	atomic64_t *chunks;
	atomic64_t *consumers;
	atomic64_t *producers;
	u32 max_chunks;
	u32 max_parties;
	u32 chunk_size;
	u64 *all;
	u32 all_words;
};

/**
 * struct wsq_salsa_producer - where a producer stands
 * @slots: slots of the chunk it fills
 * @at: its next slot
 * @size: slots of the chunk; 0 while it has none
 * @id: its number. Constant
 * @nr: number of the chunk that it fills
 * @s: the pool. Constant
 * @list: its chunks that are not free, of any consumer. The producer writes,
 *	any context reads
 *
 * Private to the producer, except @list.
 */
struct wsq_salsa_producer {
	wsq_slot_t *slots WSQ_CACHE_ALIGNED;
	u64 at;
	u64 size;
	u32 id;
	u32 nr;
	struct wsq_salsa *s;
	struct wsq_salsa_list list WSQ_CACHE_ALIGNED;
};

/**
 * struct wsq_salsa_count - statistics of a consumer, which writes them
 * @entered: chunks entered
 * @left: chunks left unfinished
 * @finished: chunks finished
 * @retired: ... that had to wait for a grace period
 * @stolen: chunks stolen that no consumer was in
 * @replaced: chunks stolen from a consumer that was in them
 * @busy: ... during a take
 * @overtaken: chunks taken over from another thief
 * @lost: chunks that it was in and that were stolen
 * @back: chunks that it took back from a thief that waited for its fence
 * @contended: takes decided by compare-and-exchange with a thief
 * @exchanges: all compare-and-exchanges except those of claims
 * @fences: heavy fences
 * @sent: ... that it did not wait for
 */
struct wsq_salsa_count {
	u64 entered;
	u64 left;
	u64 finished;
	u64 retired;
	u64 stolen;
	u64 replaced;
	u64 busy;
	u64 overtaken;
	u64 lost;
	u64 back;
	u64 contended;
	u64 exchanges;
	u64 fences;
	u64 sent;
};

/**
 * struct wsq_salsa_async_steal - an asynchronous steal in progress, if any
 * @chunk: the chunk being stolen, or %NULL
 * @stolen: owner word of the steal
 * @victim: the consumer it is stolen from
 * @call: the fence. Shared with the victim's CPU until it is done
 *
 * Another thief may have taken @chunk over, and it may be reused. It has not
 * been as long as its owner word is @stolen: only this thief makes STOLEN words
 * with its id, and it makes no other one of this chunk while it steals and
 * waits.
 */
struct wsq_salsa_async_steal {
	struct wsq_salsa_chunk *chunk;
	u64 stolen;
	const struct wsq_salsa_consumer *victim;
	struct wsq_fence_call call;
};

/**
 * struct wsq_salsa_consumer - a single-consumer pool, the paper's SCPool
 * @chunk: the chunk it is in, or %NULL
 * @slots: slots of @chunk
 * @at: next slot to take
 * @limit: number of slots of @chunk that the fast path may take, plainly or,
 *	with
 *	@claims, by claims. 0 without a chunk, in a chunk to be claimed from if
 *	the consumer takes plainly, and during an asynchronous steal
 * @idx: index word of @chunk for its epoch
 * @own: owner word with which it is in @chunk
 * @busy: a take is under way. The consumer writes, thieves read
 * @s: the pool. Constant
 * @id: its number. Constant
 * @node: its NUMA node. Constant
 * @claims: it claims every task. Constant
 * @dry: takes since the last that found a task
 * @turn: producer whose chunks come next
 * @cookie: grace period of a chunk in @waiting, as of its last look; 0: it must
 *	look again
 * @count: statistics
 * @async: asynchronous steal in progress
 * @in: number of the chunk that it is in, or about to enter, plus one; 0 for
 *	none. The consumer writes, contexts that free chunks read
 * @stealing: what the asynchronous steal in progress steals: the victim's id,
 *	and below it the chunk's number plus one; 0 for nothing. The consumer
 *	writes, victims read
 * @stolen: chunks that it has stolen. The consumer writes, any context reads
 * @feeders: bit p is set if producer p has had chunks here. Any context sets
 * @returned: free chunks of its node that other consumers have finished, or
 *	that do not fit into @pool. Any context
 * @waiting: finished chunks that wait for a grace period. Any context
 * @pool: its chunk pool. The consumer gives, producers get
 *
 * Private to the consumer unless stated otherwise.
 */
struct wsq_salsa_consumer {
	struct wsq_salsa_chunk *chunk WSQ_CACHE_ALIGNED;
	wsq_slot_t *slots;
	u64 at;
	u64 limit;
	atomic64_t *idx;
	u64 own;
	atomic64_t busy;

	struct wsq_salsa *s WSQ_CACHE_ALIGNED;
	u32 id;
	u32 node;
	bool claims;
	u32 dry;
	u32 turn;
	u64 cookie;
	struct wsq_salsa_count count;
	struct wsq_salsa_async_steal async;

	atomic64_t in WSQ_CACHE_ALIGNED;
	atomic64_t stealing;
	struct wsq_salsa_list stolen;
	atomic64_t *feeders;
	struct wsq_inbox returned;
	struct wsq_inbox waiting;
	struct wsq_salsa_ring pool;
};

void wsq_salsa_chunk_init(struct wsq_salsa *s, struct wsq_salsa_chunk *chunk,
			  wsq_slot_t *slots, u32 nr, u32 home, u32 node);
void wsq_salsa_producer_init(struct wsq_salsa *s, struct wsq_salsa_producer *p,
			     u32 id, atomic64_t *entries, u32 nr_entries);
void wsq_salsa_consumer_init(struct wsq_salsa *s, struct wsq_salsa_consumer *c,
			     u32 id, u32 node, bool claims,
			     const struct wsq_salsa_consumer_mem *mem);
void wsq_salsa_supply(struct wsq_salsa_consumer *c,
		      struct wsq_salsa_chunk *chunk);

int wsq_salsa_open(struct wsq_salsa_producer *p, struct wsq_salsa_consumer *c);
void *wsq_salsa_get_slow(struct wsq_salsa_consumer *c);
void *wsq_salsa_contend(struct wsq_salsa_consumer *c, void *task);
void wsq_salsa_leave(struct wsq_salsa_consumer *c);
void wsq_salsa_tidy(struct wsq_salsa_consumer *c);
int wsq_salsa_steal_begin(struct wsq_salsa_consumer *c,
			  struct wsq_salsa_consumer *v, bool may_fence,
			  void **task);
int wsq_salsa_steal_left(struct wsq_salsa_consumer *c,
			 struct wsq_salsa_consumer *v, bool full, void **task);
u32 wsq_salsa_steal_active(const struct wsq_salsa_consumer *v, void **tasks, u32 max,
			   bool inside);
u64 wsq_salsa_progress(const struct wsq_salsa_consumer *v, bool *seized);
bool wsq_salsa_close(struct wsq_salsa_producer *p,
		     struct wsq_salsa_consumer *c);
bool wsq_salsa_reclaim(struct wsq_salsa_consumer *c, u32 first, u32 nr);
u32 wsq_salsa_at_home(struct wsq_salsa_consumer *c);

bool wsq_salsa_remove(struct wsq_salsa *s, u32 nr, u64 index, void *task);
bool wsq_salsa_waiting(const struct wsq_salsa_consumer *c);
bool wsq_salsa_holds(const struct wsq_salsa_consumer *c);
int wsq_salsa_empty(struct wsq_salsa *s);

static inline struct wsq_salsa_chunk *wsq_salsa_chunk_at(const struct wsq_salsa *s,
							 u32 nr)
{
	/* Acquire: a CPU that knows the number sees the chunk initialized. */
	return (struct wsq_salsa_chunk *)(uintptr_t)
		atomic64_read_acquire(&s->chunks[nr]);		/* SA(at:A) */
}

static inline struct wsq_salsa_consumer *
wsq_salsa_consumer_at(const struct wsq_salsa *s, u32 id)
{
	return (struct wsq_salsa_consumer *)(uintptr_t)
		atomic64_read_acquire(&s->consumers[id]);	/* SA(at:B) */
}

static inline struct wsq_salsa_producer *
wsq_salsa_producer_at(const struct wsq_salsa *s, u32 id)
{
	return (struct wsq_salsa_producer *)(uintptr_t)
		atomic64_read_acquire(&s->producers[id]);	/* SA(at:C) */
}

/**
 * wsq_salsa_under_way() - is an asynchronous steal in progress
 * @c: the consumer
 *
 * Context: the consumer.
 * Return: true until a get of @c has found that the fence has completed.
 */
static inline bool wsq_salsa_under_way(const struct wsq_salsa_consumer *c)
{
	return c->async.chunk;
}

/* Put a task into a free slot. */
static inline void wsq_salsa_fill(wsq_slot_t *slot, void *task)
{
	wsq_slot_publish(slot, task);				/* SA(put:A) */
}

/**
 * wsq_salsa_put() - put a task into the producer's chunk
 * @p: the producer
 * @task: the task; not %NULL, nor an error pointer, as %WSQ_SALSA_TAKEN is one
 *
 * Context: the producer. Never sleeps.
 * Return: %WSQ_OK; %WSQ_FULL if the producer has no chunk, or its chunk is
 * full: wsq_salsa_open() one with a consumer and try again.
 * Ordering: what precedes the call is visible to the context that takes the
 * task.
 */
static inline int wsq_salsa_put(struct wsq_salsa_producer *p, void *task)
{
	u64 i = p->at;

	if (unlikely(i >= p->size))
		return WSQ_FULL;
	wsq_salsa_fill(&p->slots[i], task);
	p->at = i + 1;
	return WSQ_OK;
}

/**
 * wsq_salsa_put_many() - put up to @nr tasks into the producer's chunk
 * @p: the producer
 * @tasks: the tasks, as for wsq_salsa_put()
 * @nr: how many
 *
 * Context: the producer. Never sleeps.
 * Return: how many fit; if less than @nr, wsq_salsa_open() a chunk with a
 * consumer and put the rest.
 * Ordering: as wsq_salsa_put().
 */
static inline u32 wsq_salsa_put_many(struct wsq_salsa_producer *p,
				     void *const *tasks, u32 nr)
{
	wsq_slot_t *slots = p->slots + p->at;
	u64 mem = p->size - p->at;
	u32 i, n = mem < nr ? (u32)mem : nr;

	for (i = 0; i < n; i++)
		wsq_salsa_fill(&slots[i], tasks[i]);
	p->at += n;
	return n;
}

/* What a take needs of its consumer, loaded once: fences force a reload. */
struct wsq_salsa_view {
	const atomic64_t *owner;
	wsq_slot_t *slots;
	atomic64_t *idx;
	u64 own;
};

static inline struct wsq_salsa_view
wsq_salsa_view(const struct wsq_salsa_consumer *c)
{
	const struct wsq_salsa_view v = {
		&c->chunk->owner, c->slots, c->idx, c->own
	};

	return v;
}

/* The task in slot @i; %NULL if there is none, or the chunk was stolen. */
static inline void *wsq_salsa_peek(const struct wsq_salsa_view *v, u64 i)
{
	void *task = wsq_slot_acquire(&v->slots[i]);		/* SA(get:B) */

	/* A task that was put after a steal is the thief's. */
	if (unlikely(!task ||
		     (u64)atomic64_read(v->owner) != v->own))	/* SA(get:C) */
		return NULL;
	return task;
}

/* Store the index of the take, then check that the chunk is still ours. */
static inline bool wsq_salsa_announce(const struct wsq_salsa_view *v, u64 i)
{
	atomic64_set(v->idx, (s64)(i + 1));			/* SA(get:D) */
	wsq_fence_light();					/* SA(get:H) */
	return (u64)atomic64_read(v->owner) == v->own;		/* SA(get:E) */
}

/* Mark the begin of takes; wsq_salsa_busy_end() marks the end. */
static inline void wsq_salsa_busy_begin(struct wsq_salsa_consumer *c)
{
	atomic64_set(&c->busy, 1);				/* SA(get:A) */
	wsq_fence_light();					/* SA(get:G) */
}

static inline void wsq_salsa_busy_end(struct wsq_salsa_consumer *c)
{
	atomic64_set_release(&c->busy, 0);			/* SA(get:F) */
}

/*
 * One plain take. %NULL with @busy still set if there is no task, or the chunk
 * was stolen.
 */
static inline void *wsq_salsa_take(struct wsq_salsa_consumer *c, u64 i)
{
	const struct wsq_salsa_view v = wsq_salsa_view(c);
	void *task;

	wsq_salsa_busy_begin(c);
	task = wsq_salsa_peek(&v, i);
	if (unlikely(!task))
		return NULL;
	if (unlikely(!wsq_salsa_announce(&v, i)))
		return wsq_salsa_contend(c, task);
	c->at = i + 1;
	wsq_salsa_busy_end(c);
	return task;
}

/**
 * wsq_salsa_get() - take a task from the consumer's pool, plainly
 * @c: the consumer
 *
 * Context: the consumer, in a section of fence.h. Never sleeps.
 * Return: a task; %NULL if none was found.
 */
static inline void *wsq_salsa_get(struct wsq_salsa_consumer *c)
{
	u64 i = c->at;

	if (likely(i < c->limit)) {
		void *task = wsq_salsa_take(c, i);

		if (likely(task))
			return task;
	}
	return wsq_salsa_get_slow(c);
}

/* Up to @nr plain takes from the current chunk, which has slots left. */
static inline u32 wsq_salsa_take_many(struct wsq_salsa_consumer *c, void **tasks,
				      u32 nr)
{
	const struct wsq_salsa_view v = wsq_salsa_view(c);
	u64 i = c->at;
	u32 n, most = c->limit - i < nr ? (u32)(c->limit - i) : nr;

	wsq_salsa_busy_begin(c);
	for (n = 0; n < most; n++) {
		tasks[n] = wsq_salsa_peek(&v, i + n);
		if (unlikely(!tasks[n]))
			break;
		if (unlikely(!wsq_salsa_announce(&v, i + n))) {
			c->at = i + n;
			if (wsq_salsa_contend(c, tasks[n]))
				return n + 1;
			break;
		}
	}
	/* Meaningless if the chunk was stolen. */
	c->at = i + n;
	wsq_salsa_busy_end(c);
	return n;
}

/**
 * wsq_salsa_get_many() - take up to @nr tasks from the consumer's pool, plainly
 * @c: the consumer
 * @tasks: where to store them
 * @nr: how many at most, above 0
 *
 * All are of one chunk. The takes share one @busy mark, so a thief finds it set
 * more often than its own slot is being taken.
 *
 * Context: the consumer, in a section of fence.h. Never sleeps.
 * Return: how many were taken, perhaps less than there are; 0 if none was
 * found.
 */
static inline u32 wsq_salsa_get_many(struct wsq_salsa_consumer *c, void **tasks,
				     u32 nr)
{
	u32 n = 0;

	if (unlikely(c->at >= c->limit)) {
		*tasks = wsq_salsa_get_slow(c);
		if (!*tasks)
			return 0;
		n = 1;
	}
	if (likely(n < nr && c->at < c->limit))
		n += wsq_salsa_take_many(c, tasks + n, nr - n);
	if (likely(n))
		return n;
	*tasks = wsq_salsa_get_slow(c);
	return *tasks ? 1 : 0;
}

/* One claim. %NULL if there is no task, or the chunk was stolen. */
static inline void *wsq_salsa_pick(struct wsq_salsa_consumer *c, u64 i)
{
	void *task = wsq_slot_peek(&c->slots[i]);		/* SA(claim:A) */

	/* If the chunk was stolen, its new owner takes the rest. */
	if (unlikely(!task ||
		     (u64)atomic64_read(&c->chunk->owner) != c->own)) /* SA(claim:B) */
		return NULL;
	c->at = i + 1;
	if (unlikely(task == WSQ_SALSA_TAKEN ||
		     !wsq_slot_mark_if(&c->slots[i], task,
				       WSQ_SALSA_TAKEN)))	/* SA(claim:C) */
		task = WSQ_SALSA_TAKEN;
	/*
	 * Where others may begin: never behind a task that is still there.
	 * Release: another CPU may have claimed the task, behind its put
	 * (salsa_scan.c).
	 */
	atomic64_set_release(c->idx, (s64)(i + 1));		/* SA(claim:D) */
	return task;
}

/**
 * wsq_salsa_claim() - take a task from the pool of a consumer that claims
 * @c: the consumer, made with @claims
 *
 * Context: the consumer, in a section of fence.h. Never sleeps.
 * Return: a task; %WSQ_SALSA_TAKEN if another context claimed it first: call
 * again; %NULL if none was found.
 */
static inline void *wsq_salsa_claim(struct wsq_salsa_consumer *c)
{
	u64 i = c->at;

	if (likely(i < c->limit)) {
		void *task = wsq_salsa_pick(c, i);

		if (likely(task))
			return task;
	}
	return wsq_salsa_get_slow(c);
}

#endif /* _WSQ_CORE_SALSA_H */
