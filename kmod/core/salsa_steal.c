// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: stealing chunks. The correctness argument is in salsa.h.
 */
#include "salsa.h"
#include "salsa_find.h"

/* The value of a consumer's @stealing for a chunk and its victim. */
static s64 wsq_salsa_prey(const struct wsq_salsa_chunk *chunk,
			  const struct wsq_salsa_consumer *v)
{
	return (s64)((u64)v->id << 32 | (chunk->nr + 1));
}

/* Take the first task of a chunk that was just stolen. A status. */
static int wsq_salsa_begin(struct wsq_salsa_consumer *c, void **task)
{
	*task = c->claims ? wsq_salsa_claim(c) : wsq_salsa_get(c);
	return *task ? WSQ_OK : WSQ_EMPTY;
}

/*
 * Change the owner of a chunk that no consumer is in, or that is claimed from.
 * The index of @word is not too high, and exact in the first case.
 */
static int wsq_salsa_take_over(struct wsq_salsa_consumer *c,
			       struct wsq_salsa_chunk *chunk, u64 word,
			       void **task)
{
	u64 index = wsq_salsa_taken(chunk, word);		/* SA(take:J) */
	u64 mine = wsq_salsa_next_word(word, WSQ_SALSA_ENTERED, c->id, index);

	if (c->claims)
		mine |= WSQ_SALSA_CLAIMS;
	/* The consumer that was in it may be about to claim one more. */
	if (wsq_salsa_state(word) != WSQ_SALSA_LEFT)
		mine = wsq_salsa_next_epoch(mine);
	c->count.exchanges++;
	if ((u64)atomic64_cmpxchg(&chunk->owner, (s64)word,
				  (s64)mine) != word)		/* SA(take:G) */
		return WSQ_CONFLICT;
	c->count.stolen++;
	wsq_salsa_become(c, chunk, mine);
	return wsq_salsa_begin(c, task);
}

/* The next epoch, where an old owner's index does no harm. */
static u64 wsq_salsa_taint(u64 word)
{
	u64 next = wsq_salsa_next_epoch(word);

	/*
	 * If none is left, claim from now on. Claims store no index that is too
	 * high, and the words' indices are at least where the chunk begins.
	 */
	return next == word ? word | WSQ_SALSA_CLAIMS : next;
}

/*
 * Take the chunk away from its consumer. No consumer may take from it yet.
 * Returns the new owner word; 0 if another context was faster.
 */
static u64 wsq_salsa_seize(struct wsq_salsa_consumer *c,
			   struct wsq_salsa_chunk *chunk, u64 word)
{
	u64 stolen = wsq_salsa_next_word(word, WSQ_SALSA_STOLEN, c->id,
					 wsq_salsa_index(word));

	c->count.exchanges++;
	if ((u64)atomic64_cmpxchg(&chunk->owner, (s64)word,
				  (s64)stolen) != word)		/* SA(take:A) */
		return 0;
	return stolen;
}

/*
 * Behind the fence: make a seized chunk ours, to be in it or to leave it for
 * later (@state). *@task is its first task or, if it is left for later, only
 * the task that its old consumer may be taking. A status: %WSQ_OK with a task.
 */
static int wsq_salsa_settle(struct wsq_salsa_consumer *c,
			    struct wsq_salsa_chunk *chunk, u64 stolen,
			    bool busy, u32 state, void **task)
{
	const bool enter = state == WSQ_SALSA_ENTERED;
	struct wsq_salsa *s = c->s;
	void *found = NULL;
	u64 mine, at, begin;
	bool over;

	at = wsq_salsa_taken(chunk, stolen);			/* SA(take:D) */
	begin = at;
	if (at < s->chunk_size)
		found = wsq_slot_peek(&chunk->slots[at]);	/* SA(take:E) */
	/* A take that is under way may be of this slot. */
	if (busy && found)
		begin++;
	/*
	 * A chunk to be left for later with no slot left is finished, because
	 * no consumer would look at it. The contenders for the last task keep
	 * it from being reused.
	 */
	over = begin == s->chunk_size && !(enter && found);
	if (over)
		mine = wsq_salsa_next_word(stolen, WSQ_SALSA_FREE, c->id, 0);
	else
		mine = wsq_salsa_next_word(stolen, state, c->id, begin);
	if (busy)
		mine = wsq_salsa_taint(mine);
	if (c->claims)
		mine |= WSQ_SALSA_CLAIMS;
	c->count.exchanges++;
	if ((u64)atomic64_cmpxchg(&chunk->owner, (s64)stolen,
				  (s64)mine) != stolen)		/* SA(take:H) */
		return WSQ_CONFLICT;
	c->count.replaced++;
	c->count.busy += busy;
	if (over) {
		if (enter)
			atomic64_set(&c->in, 0);		/* SA(take:K) */
		wsq_salsa_recycle(c, chunk, wsq_salsa_epoch(mine));
	} else if (enter) {
		wsq_salsa_become(c, chunk, mine);
	}
	if (begin != at && found != WSQ_SALSA_TAKEN) {
		c->count.contended++;
		if (wsq_slot_mark_if(&chunk->slots[at], found,
				     WSQ_SALSA_TAKEN)) {	/* SA(take:F) */
			*task = found;
			return WSQ_OK;
		}
	}
	return enter && !over ? wsq_salsa_begin(c, task) : WSQ_EMPTY;
}

/*
 * Take over a chunk that another thief has begun to steal. The word does not
 * say from which consumer. So the fence goes to all that take plainly, and one
 * of them may be in the middle of a take. A status.
 */
static int wsq_salsa_overtake(struct wsq_salsa_consumer *c,
			      struct wsq_salsa_chunk *chunk, u64 word,
			      void **task)
{
	u64 stolen = wsq_salsa_seize(c, chunk, word);

	if (!stolen)
		return WSQ_CONFLICT;
	c->count.overtaken++;
	c->count.fences++;
	wsq_fence_heavy(c->s->all, c->s->all_words);		/* SA(take:I) */
	return wsq_salsa_settle(c, chunk, stolen, true, WSQ_SALSA_ENTERED, task);
}

/*
 * Begin to steal a chunk from the consumer that takes from it plainly. This
 * sends the fence; wsq_salsa_steal_end() does the rest. A status.
 */
static int wsq_salsa_send(struct wsq_salsa_consumer *c,
			  struct wsq_salsa_consumer *v,
			  struct wsq_salsa_chunk *chunk, u64 word)
{
	struct wsq_salsa_async_steal *async = &c->async;
	int index;

	/* First in our list, as in wsq_salsa_take_chunk(). */
	index = wsq_salsa_list_add(c->s, &c->stolen, c->id,
				   chunk);			/* SA(send:A) */
	if (index < 0)
		return WSQ_FULL;
	/* Name chunk and victim before the steal: for wsq_salsa_take_back(). */
	atomic64_set(&c->stealing, wsq_salsa_prey(chunk, v));	/* SA(send:B) */
	async->stolen = wsq_salsa_seize(c, chunk, word);
	if (!async->stolen) {
		atomic64_set(&c->stealing, 0);			/* SA(send:C) */
		wsq_salsa_list_drop(&c->stolen, (u32)index);
		return WSQ_CONFLICT;
	}
	async->chunk = chunk;
	async->victim = v;
	/* Takes use the slow path, and so reach wsq_salsa_steal_end(). */
	c->limit = 0;
	c->count.sent++;
	c->count.fences++;
	wsq_fence_start(&async->call, v->id);			/* SA(take:B) */
	return WSQ_CONFLICT;
}

/**
 * wsq_salsa_take_back() - take back a chunk that a thief has begun to steal
 * @c: the consumer, in a chunk whose owner word is no longer @own. Either no
 *	take is under way, or one whose slot is claimed, and @at is the slot
 *	behind it
 *
 * Fails if the thief has taken the chunk over from another thief: such a thief
 * does not say from which consumer the chunk was stolen.
 *
 * Context: the consumer, in a section of fence.h. Never sleeps; interrupts no
 * CPU.
 * Return: true if @c is in the chunk, in the same epoch, from @at on; false if
 * the chunk is lost.
 */
bool wsq_salsa_take_back(struct wsq_salsa_consumer *c)
{
	struct wsq_salsa_chunk *chunk = c->chunk;
	const struct wsq_salsa_consumer *thief;
	u64 word, mine;

	word = (u64)atomic64_read_acquire(&chunk->owner);	/* SA(back:A) */
	if (wsq_salsa_state(word) != WSQ_SALSA_STOLEN)
		return false;
	thief = wsq_salsa_consumer_at(c->s, wsq_salsa_id(word));
	if (atomic64_read(&thief->stealing) !=
	    wsq_salsa_prey(chunk, c))				/* SA(back:B) */
		return false;
	mine = wsq_salsa_next_word(word, WSQ_SALSA_ENTERED, c->id, c->at);
	c->count.exchanges++;
	if ((u64)atomic64_cmpxchg(&chunk->owner, (s64)word,
				  (s64)mine) != word)		/* SA(back:C) */
		return false;
	c->count.back++;
	wsq_salsa_become(c, chunk, mine);
	return true;
}

/**
 * wsq_salsa_steal_end() - end an asynchronous steal
 * @c: the thief, with a steal in progress
 *
 * If the steal succeeds, the chunk is in @c's list of stolen chunks, as one
 * that no consumer is in. If another thief has taken it over, or the victim has
 * taken it back, the list is left as it is: the entry may be another chunk's by
 * now.
 *
 * Context: as wsq_salsa_get_slow(), which calls it.
 * Return: a task, if victim and thief competed for one and the thief got it;
 * %NULL if not, or if the victim's CPU has not answered yet.
 */
void *wsq_salsa_steal_end(struct wsq_salsa_consumer *c)
{
	struct wsq_salsa_async_steal *async = &c->async;
	struct wsq_salsa_chunk *chunk = async->chunk;
	void *task = NULL;
	bool busy;

	if (!wsq_fence_done(&async->call))			/* SA(take:M) */
		return NULL;
	busy = atomic64_read_acquire(&async->victim->busy);	/* SA(take:C) */
	async->chunk = NULL;
	/* Before this thief's next STOLEN word, which has a full barrier. */
	atomic64_set(&c->stealing, 0);				/* SA(take:N) */
	wsq_salsa_set_limit(c);
	wsq_salsa_settle(c, chunk, async->stolen, busy, WSQ_SALSA_LEFT, &task);
	return task;
}

/* Steal a chunk that was found. */
static int wsq_salsa_take_chunk(struct wsq_salsa_consumer *c,
				struct wsq_salsa_chunk *chunk, u64 word,
				void **task)
{
	int index, ret;

	atomic64_set(&c->busy, 1);				/* SA(steal:A) */
	wsq_salsa_leave(c);
	/* First in our list, then ours: so thieves always find it. */
	index = wsq_salsa_list_add(c->s, &c->stolen, c->id,
				   chunk);			/* SA(steal:E) */
	if (index < 0) {
		ret = WSQ_FULL;
		goto out;
	}
	atomic64_set(&c->in, (s64)chunk->nr + 1);		/* SA(steal:B) */
	if (wsq_salsa_state(word) == WSQ_SALSA_LEFT ||
	    word & WSQ_SALSA_CLAIMS)
		ret = wsq_salsa_take_over(c, chunk, word, task);
	else
		ret = wsq_salsa_overtake(c, chunk, word, task);
	if (ret == WSQ_CONFLICT) {
		wsq_salsa_list_drop(&c->stolen, (u32)index);
		atomic64_set(&c->in, 0);			/* SA(steal:C) */
	}
out:
	atomic64_set_release(&c->busy, 0);			/* SA(steal:D) */
	return ret;
}

/**
 * wsq_salsa_steal_begin() - begin to steal the chunk that a consumer is in
 * @c: the thief
 * @v: the victim
 * @may_fence: the caller may interrupt other CPUs: task context, interrupts on
 * @task: where to store the first task
 *
 * Sends the interrupt and returns. The thief may do anything until the victim
 * answers, gets and steals included. wsq_salsa_under_way() says whether the
 * answer is still missing. The thief's next get after the answer makes the
 * chunk one of its own. Until then no consumer takes from it, unless another
 * thief takes it over, or the victim takes it back. Only one steal can be in
 * progress at a time.
 *
 * A chunk whose tasks are claimed needs no interrupt and is stolen at once. A
 * chunk that another thief has begun to steal is also stolen at once, at the
 * cost of an interrupt to each CPU whose consumer takes plainly. In both cases
 * the thief leaves the chunk it is in, and is in the stolen one on return.
 *
 * For pools that keep their chunks and consumers.
 *
 * Context: the consumer @c, in a section of fence.h. Never sleeps. To take over
 * from another thief it spins until the other CPUs have answered.
 * Return: %WSQ_OK with a task, which is %WSQ_SALSA_TAKEN if @c claims and
 * another context was faster: get the next; %WSQ_EMPTY if there was nothing to
 * steal; %WSQ_CONFLICT if the steal is in progress, if another was in progress
 * before, if it needs an interrupt without @may_fence, or if another thief or
 * @v was faster; %WSQ_FULL if @c has too many chunks.
 */
int wsq_salsa_steal_begin(struct wsq_salsa_consumer *c,
			  struct wsq_salsa_consumer *v, bool may_fence,
			  void **task)
{
	struct wsq_salsa_chunk *chunk;
	u32 turn = 0;
	u64 word;

	*task = NULL;
	chunk = wsq_salsa_find(v, &turn, WSQ_SALSA_IS_INSIDE, &word);
	if (!chunk)
		return WSQ_EMPTY;
	if (word & WSQ_SALSA_CLAIMS)
		return wsq_salsa_take_chunk(c, chunk, word, task);
	if (!may_fence)
		return WSQ_CONFLICT;
	if (wsq_salsa_state(word) == WSQ_SALSA_STOLEN)
		/*
		 * wsq_salsa_take_back() relies on this: this thief makes only
		 * one STOLEN word of the chunk that @stealing names.
		 */
		return chunk == c->async.chunk ? WSQ_CONFLICT :
			wsq_salsa_take_chunk(c, chunk, word, task);
	return wsq_salsa_under_way(c) ? WSQ_CONFLICT :
					wsq_salsa_send(c, v, chunk, word);
}

/**
 * wsq_salsa_steal_left() - steal a chunk that no consumer is in
 * @c: the thief
 * @v: the victim
 * @full: only a chunk that its producer has filled. If a producer still fills
 *	the chunk, later tasks go to the thief, which may not expect that
 * @task: where to store the first task
 *
 * It needs no fence. The thief leaves the chunk it is in, and is in the stolen
 * one on return.
 *
 * Context: the consumer @c, in a section of fence.h. Never sleeps; waits for no
 * other CPU.
 * Return: as wsq_salsa_steal_begin(); %WSQ_CONFLICT only if another thief was
 * faster.
 */
int wsq_salsa_steal_left(struct wsq_salsa_consumer *c,
			 struct wsq_salsa_consumer *v, bool full, void **task)
{
	u32 want = WSQ_SALSA_IS_LEFT | (full ? WSQ_SALSA_IS_FULL : 0);
	struct wsq_salsa_chunk *chunk;
	u32 turn = 0;
	u64 word;

	*task = NULL;
	chunk = wsq_salsa_find(v, &turn, want, &word);
	return chunk ? wsq_salsa_take_chunk(c, chunk, word, task) : WSQ_EMPTY;
}

/**
 * wsq_salsa_progress() - how far a consumer has got in its current chunk
 * @v: the consumer
 * @seized: set to whether it is one that @v has begun to steal
 *
 * For thieves that leave a consumer its current chunk unless it makes no
 * progress.
 *
 * Context: any, in a section of fence.h.
 * Return: a number that changes with each of its takes, and when the chunk
 * changes hands; 0 if it is in no chunk with a task left.
 */
u64 wsq_salsa_progress(const struct wsq_salsa_consumer *v, bool *seized)
{
	const struct wsq_salsa_chunk *chunk;
	u32 turn = 0;
	u64 word;

	*seized = false;
	chunk = wsq_salsa_find(v, &turn, WSQ_SALSA_IS_INSIDE, &word);
	if (!chunk)
		return 0;
	*seized = wsq_salsa_state(word) == WSQ_SALSA_STOLEN;
	/* The tag is unique for this chunk, and the index belongs to it. */
	return (word >> WSQ_SALSA_TAG_SHIFT << WSQ_SALSA_TAG_SHIFT |
		(u64)chunk->nr << 13) + wsq_salsa_taken(chunk, word) + 1;
}

/**
 * wsq_salsa_steal_active() - steal single tasks from a consumer
 * @v: the consumer, of a pool all of whose consumers claim
 * @tasks: where to store them
 * @max: how many at most
 * @inside: also from the chunk that the consumer is in
 *
 * For callers that have no chunks of their own, or want only one task.
 *
 * Context: any, in a section of fence.h.
 * Return: how many were taken.
 */
u32 wsq_salsa_steal_active(const struct wsq_salsa_consumer *v, void **tasks, u32 max,
			   bool inside)
{
	u32 want = WSQ_SALSA_IS_LEFT | (inside ? WSQ_SALSA_IS_INSIDE : 0);
	const struct wsq_salsa *s = v->s;
	struct wsq_salsa_chunk *chunk;
	u32 turn = 0, n = 0;
	void *task;
	u64 word, i;

	chunk = wsq_salsa_find(v, &turn, want, &word);
	if (!chunk)
		return 0;
	for (i = wsq_salsa_taken(chunk, word); i < s->chunk_size && n < max; i++) {
		task = wsq_slot_peek(&chunk->slots[i]);		/* SA(active:A) */
		if (!task)
			break;
		/* The chunk may be reused by now; any task will do. */
		if (task != WSQ_SALSA_TAKEN &&
		    wsq_slot_mark_if(&chunk->slots[i], task,
				     WSQ_SALSA_TAKEN))		/* SA(active:B) */
			tasks[n++] = task;
	}
	return n;
}
