// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: what anybody may ask of a pool. Is anything here, is the whole pool
 * empty, and can I have this one task back?
 *
 * Emptiness (section 5.5 of the paper, algorithm 6). A get may say that the pool
 * is empty only if there was a moment when it was. One look at all chunks does
 * not tell: a task may come to one that was looked at already, and another
 * leave one that was not. The paper marks every pool, has every take that may
 * empty one wipe the marks, and looks n times, for n - 1 takes may be about to
 * wipe. Here takes do nothing for it, and two looks do:
 *
 * Every chunk has a clock that never goes back: tag of the owner word, then
 * tasks taken. A look reads the word, then index and slot, then the word again:
 * otherwise it might read the index and slots of a later life of the chunk and
 * put them down to this one. Two looks at all chunks, each of which found every
 * chunk empty, and the sums of the clocks are equal: then each clock was, for
 * none goes back and what all gain between two looks is less than the sum's
 * width. So from its first look to its second no task was taken from any chunk,
 * nor was any opened; and at the second there was none in it, and so there was
 * none at any moment since the first. All chunks were empty at the moment between
 * the looks.
 *
 * Which moment that is: chunks are not moved, so that a theft hides nothing from
 * the look (it changes the tag). What a taker has in its store buffer has not
 * happened yet as far as this is concerned: it took a task that is still seen,
 * and the look says so. The other way round: the index that a plain take stored
 * is seen, and a put that happened before that take is not, because a plain
 * store orders nothing. Between the looks is a heavy fence to all that take
 * plainly. What they had stored when the first look saw it, they had stored
 * before the fence's point, and all that they had seen by then is before the
 * second look: litmus/salsa-scan.litmus. Claims need no fence: what is seen of them
 * is the slot, which a full barrier stored, or an index, stored with release by
 * who claimed the task or found that another had (SA(claim:D)):
 * litmus/salsa-scan-claim.litmus. So the moment is in an order consistent with
 * happens-before.
 *
 * Other than in the paper, a get that finds this out twice in vain is told so
 * (%WSQ_CONFLICT) and may take again: somebody else took, or moved from one chunk
 * to another, so the pool as a whole moves on.
 *
 * Chunks may come meanwhile: a new one's clock is 0, as if it had been there and
 * free, and whoever made it known did so before it was opened. Numbers of chunks
 * that go and come back (queues give memory back) would let clocks go back: it is
 * for pools that keep their chunks.
 */
#include "salsa.h"
#include "salsa_find.h"

/* Index below tag: both of the clock's parts. */
#define WSQ_SALSA_CLOCK_BITS	13

/*
 * One look at all chunks; @sum is of their clocks. %WSQ_EMPTY; %WSQ_OK if there
 * was a task; %WSQ_CONFLICT if a chunk changed hands under the look.
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
 * Return: %WSQ_EMPTY if so; %WSQ_OK if there was a task to be seen;
 * %WSQ_CONFLICT if chunks changed hands or takes went on meanwhile.
 * Ordering: a task whose put happened before the call was taken, if %WSQ_EMPTY.
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
 * Return: a hint: as of some moment, lists looked at one after the other.
 */
bool wsq_salsa_waiting(const struct wsq_salsa_consumer *c)
{
	u32 turn = 0;
	u64 word;

	return wsq_salsa_find(c, &turn, WSQ_SALSA_IS_LEFT | WSQ_SALSA_IS_INSIDE,
			      &word);
}

/**
 * wsq_salsa_withdraw() - take one task out of its slot
 * @s: the pool, all of whose consumers claim
 * @nr: number of the chunk
 * @index: number of the slot
 * @task: the task
 *
 * Context: any, in a section of fence.h.
 * Return: true if the caller has the task now. If the same task was put into the
 * same slot again, it is that one.
 */
bool wsq_salsa_withdraw(struct wsq_salsa *s, u32 nr, u64 index, void *task)
{
	struct wsq_salsa_chunk *chunk;

	if (nr >= s->max_chunks || index >= s->chunk_size)
		return false;
	chunk = wsq_salsa_chunk_at(s, nr);
	return chunk && wsq_slot_mark_if(&chunk->slots[index], task,
					 WSQ_SALSA_TAKEN);	/* SA(out:A) */
}
