// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: queries for any context. Is a consumer's pool empty, is the whole pool
 * empty, and removing one task.
 *
 * Emptiness (section 5.5 of the paper, algorithm 6). A get may say that the
 * pool is empty only if there was a moment when it was. One look at all chunks
 * cannot show that: a task may come to a chunk that was looked at already, and
 * another may leave a chunk that was not. The paper marks every pool, has every
 * take that may empty one wipe the marks, and looks n times, because n - 1
 * takes may be about to wipe. Here takes do nothing for it, and two looks
 * suffice:
 *
 * Every chunk has a clock that never goes back: tag of the owner word, then
 * tasks taken. A look reads the word, then index and slot, then the word again.
 * Otherwise it might read index and slots of a later life of the chunk and
 * count them for this one. Suppose that each of two looks at all chunks found
 * every chunk empty, and the sums of the clocks are equal. Then each clock is
 * equal, because none goes back and what all gain between two looks is less
 * than the sum's width. So from its first look to its second no task was taken
 * from any chunk, and none was opened. At the second look the chunk had no
 * task, so it had none at any moment since the first. All chunks were empty at
 * the moment between the looks.
 *
 * Which moment that is: chunks are not moved, so a steal hides nothing from the
 * look (it changes the tag). Stores in a taker's store buffer have not happened
 * yet for this purpose: the task that it took is still seen, and the look says
 * so. The reverse needs care: a look may see the index that a plain take
 * stored, but not a put that happened before that take, because a plain store
 * orders nothing. So between the looks is a heavy fence to all consumers that
 * take plainly. What the first look saw of their stores, they had stored before
 * the fence's point, and all that they had seen by then is before the second
 * look:
 * litmus/salsa-scan.litmus. Claims need no fence. What the look sees of them is
 * either the slot, which a full barrier stored, or an index, stored with
 * release by the consumer that claimed the task or found that another had
 * (SA(claim:D)):
 * litmus/salsa-scan-claim.litmus. So the moment is in an order consistent with
 * happens-before.
 *
 * Unlike in the paper, if the two looks disagree the result is %WSQ_CONFLICT,
 * and the caller may take again: another consumer took a task, or moved from
 * one chunk to another, so the pool as a whole makes progress.
 *
 * Chunks may be added between the looks. A new chunk's clock is 0, as if it had
 * been there and free, and it was made known before it was opened. Chunk
 * numbers that disappear and return (queues free memory) would let clocks go
 * back: this is for pools that keep their chunks.
 */
#include "salsa.h"
#include "salsa_find.h"

/* The clock's lower part is the index, its upper part the tag. */
#define WSQ_SALSA_CLOCK_BITS	13

/*
 * One look at all chunks; @sum is the sum of their clocks. %WSQ_EMPTY; %WSQ_OK
 * if there was a task; %WSQ_CONFLICT if a chunk changed hands during the look.
 */
static int wsq_salsa_collect(const struct wsq_salsa *s, u64 *sum)
{
	u32 nr;

	*sum = 0;
	for (nr = 0; nr < s->max_chunks; nr++) {
		const struct wsq_salsa_chunk *chunk = wsq_salsa_chunk_at(s, nr);
		u64 word, clock, i = 0;
		void *task = NULL;

		if (!chunk)
			continue;
		word = (u64)atomic64_read_acquire(&chunk->owner); /* SA(scan:A) */
		if (wsq_salsa_state(word) != WSQ_SALSA_FREE)
			i = wsq_salsa_first(s, chunk,
					    wsq_salsa_taken(chunk, word), /* SA(scan:D) */
					    &task);		/* SA(scan:E) */
		if (task)
			return WSQ_OK;
		/* Index and slot are of the word's time, or it has changed. */
		smp_mb();					/* SA(scan:F) */
		if ((u64)atomic64_read(&chunk->owner) != word)	/* SA(scan:G) */
			return WSQ_CONFLICT;
		clock = (word & WSQ_SALSA_TAG_MASK) >> WSQ_SALSA_TAG_SHIFT;
		*sum += (clock << WSQ_SALSA_CLOCK_BITS) + i;
	}
	return WSQ_EMPTY;
}

/**
 * wsq_salsa_empty() - was there a moment when the pool held no task
 * @s: the pool
 *
 * Context: task, interrupts on, in a section of fence.h if chunks can be freed.
 * Interrupts all CPUs whose consumers take plainly.
 * Return: %WSQ_EMPTY if so; %WSQ_OK if a task was seen; %WSQ_CONFLICT if chunks
 * changed hands or tasks were taken during the call.
 * Ordering: if %WSQ_EMPTY, a task whose put happened before the call was taken.
 */
int wsq_salsa_empty(struct wsq_salsa *s)
{
	u64 before, after;
	int ret;

	ret = wsq_salsa_collect(s, &before);
	if (ret != WSQ_EMPTY)
		return ret;
	if (s->all_words)
		wsq_fence_heavy(s->all, s->all_words);		/* SA(scan:B) */
	else
		smp_mb();					/* SA(scan:C) */
	ret = wsq_salsa_collect(s, &after);
	if (ret != WSQ_EMPTY)
		return ret;
	return before == after ? WSQ_EMPTY : WSQ_CONFLICT;
}

/**
 * wsq_salsa_waiting() - is there a task in a consumer's pool
 * @c: the consumer
 *
 * Context: any, in a section of fence.h.
 * Return: a hint: the lists are looked at one after the other.
 */
bool wsq_salsa_waiting(const struct wsq_salsa_consumer *c)
{
	u32 turn = 0;
	u64 word;

	return wsq_salsa_find(c, &turn, WSQ_SALSA_IS_LEFT | WSQ_SALSA_IS_INSIDE,
			      &word);
}

/**
 * wsq_salsa_holds() - may a consumer's chunks get tasks
 * @c: the consumer
 *
 * Context: any, in a section of fence.h.
 * Return: false if @c has no chunk, and gets none except by wsq_salsa_open() or
 * by a theft of its own. A chunk that a thief has begun to steal counts as long
 * as @c is in it, because @c may take it back.
 */
bool wsq_salsa_holds(const struct wsq_salsa_consumer *c)
{
	u32 turn = 0;
	u64 word;

	return atomic64_read(&c->in) ||				/* SA(holds:A) */
	       wsq_salsa_find(c, &turn, WSQ_SALSA_IS_LEFT | WSQ_SALSA_IS_INSIDE |
			      WSQ_SALSA_IS_EMPTY, &word);
}

/**
 * wsq_salsa_remove() - remove one task from its slot
 * @s: the pool, all of whose consumers claim
 * @nr: number of the chunk
 * @index: number of the slot
 * @task: the task
 *
 * Context: any, in a section of fence.h.
 * Return: true if the caller has the task now. If the same task was put into
 * the same slot again, the caller has that one.
 */
bool wsq_salsa_remove(struct wsq_salsa *s, u32 nr, u64 index, void *task)
{
	struct wsq_salsa_chunk *chunk;

	if (nr >= s->max_chunks || index >= s->chunk_size)
		return false;
	chunk = wsq_salsa_chunk_at(s, nr);
	return chunk && wsq_slot_mark_if(&chunk->slots[index], task,
					 WSQ_SALSA_TAKEN);	/* SA(out:A) */
}
