// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA, outside the fast path: producers that begin a chunk, consumers that
 * move from one to the next, and where finished chunks go. The correctness
 * argument is in salsa.h.
 */
#include "salsa.h"
#include "salsa_find.h"
#include "grace.h"

/* Retries of a consumer that lost to thieves. */
#define WSQ_SALSA_TRIES		8

/* Retries of a loop because another context succeeded. */
#define WSQ_SALSA_SPINS		64

/* Takes without a task before a consumer leaves the chunk it is in. */
#define WSQ_SALSA_DRY		2

static void wsq_salsa_list_init(struct wsq_salsa_list *list,
				atomic64_t *entries, u32 size)
{
	u32 i;

	atomic64_set(&list->next, 0);
	atomic64_set(&list->top, 0);
	list->entries = entries;
	list->size = size;
	for (i = 0; i < size; i++)
		atomic64_set(&entries[i], 0);
}

/**
 * wsq_salsa_chunk_init() - make a chunk known
 * @s: the pool
 * @chunk: the chunk
 * @slots: its chunk_size slots, empty
 * @nr: its number
 * @home: id of the consumer it is for
 * @node: NUMA node of its memory
 *
 * Context: any; the number is unused.
 */
void wsq_salsa_chunk_init(struct wsq_salsa *s, struct wsq_salsa_chunk *chunk,
			  wsq_slot_t *slots, u32 nr, u32 home, u32 node)
{
	u32 i;

	atomic64_set(&chunk->owner, WSQ_SALSA_FREE);
	chunk->nr = nr;
	chunk->home = home;
	chunk->node = node;
	chunk->slots = slots;
	atomic64_set(&chunk->life, 0);
	atomic64_set(&chunk->link, 0);
	chunk->cookie = 0;
	for (i = 0; i < WSQ_SALSA_EPOCHS; i++)
		atomic64_set(&chunk->idx[i], 0);
	atomic64_set_release(&s->chunks[nr], (s64)(uintptr_t)chunk);
}

/**
 * wsq_salsa_producer_init() - initialize a producer
 * @s: the pool
 * @p: the producer
 * @id: its number, below max_parties
 * @entries: memory for its list
 * @nr_entries: how many chunks that are not free it can have
 *
 * Context: any; the number is unused.
 */
void wsq_salsa_producer_init(struct wsq_salsa *s, struct wsq_salsa_producer *p,
			     u32 id, atomic64_t *entries, u32 nr_entries)
{
	p->slots = NULL;
	p->at = 0;
	p->size = 0;
	p->id = id;
	p->nr = WSQ_SALSA_NONE;
	p->s = s;
	wsq_salsa_list_init(&p->list, entries, nr_entries);
	atomic64_set_release(&s->producers[id], (s64)(uintptr_t)p);
}

/**
 * wsq_salsa_consumer_init() - initialize a consumer
 * @s: the pool
 * @c: the consumer
 * @id: its number, below max_parties; the CPU that its fence goes to, unless it
 *	claims
 * @node: its NUMA node
 * @claims: it claims every task
 * @mem: memory for it
 *
 * Context: any; the number is unused. @s->all contains @c unless it claims.
 */
void wsq_salsa_consumer_init(struct wsq_salsa *s, struct wsq_salsa_consumer *c,
			     u32 id, u32 node, bool claims,
			     const struct wsq_salsa_consumer_mem *mem)
{
	const struct wsq_salsa_count none = {};

	c->chunk = NULL;
	c->slots = NULL;
	c->at = 0;
	c->limit = 0;
	c->idx = NULL;
	c->own = 0;
	atomic64_set(&c->busy, 0);
	c->s = s;
	c->id = id;
	c->node = node;
	c->claims = claims;
	c->dry = 0;
	c->turn = 0;
	c->cookie = 0;
	c->count = none;
	c->async.chunk = NULL;
	wsq_fence_call_init(&c->async.call);
	atomic64_set(&c->in, 0);
	atomic64_set(&c->stealing, 0);
	wsq_salsa_list_init(&c->stolen, mem->stolen,
			    s->max_parties + WSQ_SALSA_ENTRIES);
	c->feeders = mem->feeders;
	wsq_inbox_init(&c->returned);
	wsq_inbox_init(&c->waiting);
	wsq_salsa_ring_init(&c->pool, mem->cells, mem->nr_cells);
	atomic64_set_release(&s->consumers[id], (s64)(uintptr_t)c);
}

/* The list entry for a chunk in its current life. */
static s64 wsq_salsa_entry(const struct wsq_salsa_chunk *chunk)
{
	u64 life = (u64)atomic64_read(&chunk->life);		/* SA(list:J) */

	return (s64)(life << 32 | (chunk->nr + 1));
}

/*
 * Does the list need this entry? Not if the chunk is free, or was opened again
 * since: the producer that opened it has it in its own list. Nor, if @id is
 * given, if the chunk is another consumer's by now.
 */
static bool wsq_salsa_entry_used(const struct wsq_salsa *s,
				 const struct wsq_salsa_list *list, u32 index,
				 u32 id)
{
	s64 entry = atomic64_read(&list->entries[index]);	/* SA(list:B) */
	const struct wsq_salsa_chunk *chunk;
	u64 word;

	chunk = entry ? wsq_salsa_chunk_at(s, (u32)entry - 1) : NULL;
	if (!chunk || wsq_salsa_entry(chunk) != entry)
		return false;
	word = (u64)atomic64_read(&chunk->owner);		/* SA(list:A) */
	return wsq_salsa_state(word) != WSQ_SALSA_FREE &&
	       (id == WSQ_SALSA_NONE || wsq_salsa_id(word) == id);
}

/* Index of a free entry, from the oldest entry on, or a status. */
static int wsq_salsa_list_index(const struct wsq_salsa *s,
				const struct wsq_salsa_list *list, u32 id)
{
	u64 next = (u64)atomic64_read(&list->next);		/* SA(list:C) */
	const struct wsq_salsa_chunk *in = NULL;
	u32 i, index, nr;

	/* The consumer's current chunk may be stolen and taken back. */
	if (id != WSQ_SALSA_NONE)
		in = wsq_salsa_consumer_at(s, id)->chunk;
	for (i = 0; i < list->size; i++) {
		index = (u32)((next + i) % list->size);
		nr = (u32)atomic64_read(&list->entries[index]);	/* SA(list:G) */
		if (!wsq_salsa_entry_used(s, list, index, id) &&
		    !(in && nr == in->nr + 1))
			return (int)index;
	}
	return WSQ_FULL;
}

/*
 * Put a chunk into entry @index, or into the entry that it already has: a list
 * with several entries for one chunk could run out of entries.
 */
static u32 wsq_salsa_list_set(struct wsq_salsa_list *list, u32 index,
			      const struct wsq_salsa_chunk *chunk)
{
	u32 i, top = (u32)atomic64_read(&list->top);		/* SA(list:K) */
	s64 entry = wsq_salsa_entry(chunk);

	for (i = 0; i < top; i++) {
		if ((u32)atomic64_read(&list->entries[i]) == (u32)entry) /* SA(list:D) */
			index = i;
	}
	/* Release: a CPU that finds the entry sees the chunk as it is now. */
	atomic64_set_release(&list->entries[index], entry);	/* SA(list:I) */
	if (index >= top)
		atomic64_set(&list->top, (s64)index + 1);	/* SA(list:L) */
	return index;
}

/**
 * wsq_salsa_list_add() - put a chunk into a consumer's list of stolen ones
 * @s: the pool
 * @list: the list
 * @id: the consumer
 * @chunk: the chunk
 *
 * Context: the list's writer.
 * Return: the entry's index, for wsq_salsa_list_drop(); %WSQ_FULL.
 */
int wsq_salsa_list_add(const struct wsq_salsa *s, struct wsq_salsa_list *list,
		       u32 id, const struct wsq_salsa_chunk *chunk)
{
	int index = wsq_salsa_list_index(s, list, id);

	return index < 0 ? index :
			   (int)wsq_salsa_list_set(list, (u32)index, chunk);
}

/**
 * wsq_salsa_list_drop() - remove an entry from a list
 * @list: the list
 * @index: what wsq_salsa_list_add() returned
 *
 * Context: the list's writer.
 */
void wsq_salsa_list_drop(struct wsq_salsa_list *list, u32 index)
{
	atomic64_set(&list->entries[index], 0);			/* SA(list:F) */
}

static struct wsq_salsa_chunk *wsq_salsa_of_link(atomic64_t *link)
{
	return (struct wsq_salsa_chunk *)
		((char *)link - offsetof(struct wsq_salsa_chunk, link));
}

/*
 * Take a chunk from @returned, for producers: a consumer that takes no tasks
 * does not look there. The rest goes back.
 */
static struct wsq_salsa_chunk *wsq_salsa_get_returned(struct wsq_salsa_consumer *c)
{
	atomic64_t *first = wsq_inbox_take(&c->returned);
	atomic64_t *rest = first ? wsq_link_next(first) : NULL;

	if (unlikely(rest))
		wsq_inbox_give_back(&c->returned, rest);
	return first ? wsq_salsa_of_link(first) : NULL;
}

/* Is the grace period that a chunk waits for over? */
static bool wsq_salsa_ready(u64 cookie)
{
	return wsq_grace_passed(cookie);			/* SA(reap:A) */
}

/* Take a chunk from @waiting whose grace period is over. The rest goes back. */
static struct wsq_salsa_chunk *wsq_salsa_get_waiting(struct wsq_salsa_consumer *c)
{
	atomic64_t *rest = wsq_inbox_take(&c->waiting);
	atomic64_t *link = rest, *before = NULL;

	while (link && !wsq_salsa_ready(wsq_salsa_of_link(link)->cookie)) {
		before = link;
		link = wsq_link_next(link);
	}
	if (link && before)
		wsq_link_set(before, wsq_link_next(link));
	else if (link)
		rest = wsq_link_next(link);
	if (rest)
		wsq_inbox_give_back(&c->waiting, rest);
	return link ? wsq_salsa_of_link(link) : NULL;
}

/* Take a free chunk of a consumer; %NULL if there is none. */
static struct wsq_salsa_chunk *wsq_salsa_get_chunk(struct wsq_salsa_consumer *c)
{
	struct wsq_salsa_chunk *chunk;
	int ret = WSQ_CONFLICT;
	u32 i, nr;

	for (i = 0; i < WSQ_SALSA_SPINS && ret == WSQ_CONFLICT; i++)
		ret = wsq_salsa_ring_get(&c->pool, &nr);
	if (likely(ret == WSQ_OK))
		return wsq_salsa_chunk_at(c->s, nr);
	chunk = wsq_salsa_get_returned(c);
	return chunk ? chunk : wsq_salsa_get_waiting(c);
}

/**
 * wsq_salsa_open() - begin a chunk from a consumer's chunk pool
 * @p: the producer; its chunk, if any, is full
 * @c: the consumer that the tasks are for
 *
 * Section 5.4 of the paper: a consumer without spare chunks has enough to do,
 * and another one may have some.
 *
 * Context: the producer, in a section of fence.h. Never sleeps; clears a
 * chunk's slots.
 * Return: %WSQ_OK; %WSQ_FULL if @c's pool has no chunk, or @p's list has no
 * free entry, or another producer has just taken the returned chunks of @c, of
 * which it will keep one and put back the rest.
 */
int wsq_salsa_open(struct wsq_salsa_producer *p, struct wsq_salsa_consumer *c)
{
	struct wsq_salsa *s = p->s;
	struct wsq_salsa_chunk *chunk;
	struct wsq_salsa_list *list = &p->list;
	u64 bit = 1ULL << p->id % 64;
	u32 i, life;
	int index;
	u64 word;

	/* First a list entry, then the chunk: the ring takes nothing back. */
	index = wsq_salsa_list_index(s, list, WSQ_SALSA_NONE);
	if (index < 0)
		return WSQ_FULL;
	chunk = wsq_salsa_get_chunk(c);
	if (!chunk)
		return WSQ_FULL;
	wsq_slots_reset(chunk->slots, s->chunk_size);		/* SA(open:A) */
	for (i = 0; i < WSQ_SALSA_EPOCHS; i++)
		atomic64_set(&chunk->idx[i], 0);		/* SA(open:D) */
	word = (u64)atomic64_read(&chunk->owner);		/* SA(open:E) */
	word = wsq_salsa_next_word(word & WSQ_SALSA_TAG_MASK, WSQ_SALSA_LEFT,
				   c->id, 0);
	life = (u32)atomic64_read(&chunk->life) + 1;		/* SA(open:H) */
	atomic64_set(&chunk->life, life);			/* SA(open:I) */
	/* A CPU that sees the word sees the slots empty. */
	atomic64_set_release(&chunk->owner, (s64)word);		/* SA(open:B) */
	i = wsq_salsa_list_set(list, (u32)index, chunk);	/* SA(open:C) */
	/* Lookups begin at the oldest entry, which is behind this one. */
	atomic64_set(&list->next, (s64)i + 1);			/* SA(list:E) */
	if (!((u64)atomic64_read(&c->feeders[p->id / 64]) & bit)) /* SA(open:F) */
		atomic64_fetch_or_relaxed((s64)bit,
					  &c->feeders[p->id / 64]); /* SA(open:G) */

	p->slots = chunk->slots;
	p->at = 0;
	p->size = s->chunk_size;
	p->nr = chunk->nr;
	return WSQ_OK;
}

static void wsq_salsa_drop(struct wsq_salsa_consumer *c)
{
	c->chunk = NULL;
	c->at = 0;
	c->limit = 0;
	atomic64_set(&c->in, 0);				/* SA(drop:A) */
}

/**
 * wsq_salsa_set_limit() - set how many slots the fast path may take
 * @c: the consumer
 *
 * Context: the consumer.
 */
void wsq_salsa_set_limit(struct wsq_salsa_consumer *c)
{
	bool fast = c->claims || !(c->own & WSQ_SALSA_CLAIMS);

	c->limit = c->chunk && fast && !wsq_salsa_under_way(c) ?
			   c->s->chunk_size : 0;
}

/**
 * wsq_salsa_become() - make a chunk the current one
 * @c: the consumer
 * @chunk: the chunk
 * @word: the owner word by which it was entered
 *
 * Context: the consumer.
 */
void wsq_salsa_become(struct wsq_salsa_consumer *c,
		      struct wsq_salsa_chunk *chunk, u64 word)
{
	c->chunk = chunk;
	c->slots = chunk->slots;
	c->at = wsq_salsa_index(word);
	c->idx = &chunk->idx[wsq_salsa_epoch(word)];
	c->own = word;
	c->dry = 0;
	wsq_salsa_set_limit(c);
}

/* The consumer that keeps a free chunk: one of the chunk's node. */
static struct wsq_salsa_consumer *
wsq_salsa_keeper(struct wsq_salsa_consumer *c, const struct wsq_salsa_chunk *chunk)
{
	struct wsq_salsa_consumer *home = NULL;

	if (chunk->node != c->node)
		home = wsq_salsa_consumer_at(c->s, chunk->home);
	return home ? home : c;
}

static void wsq_salsa_push(struct wsq_inbox *in, struct wsq_salsa_chunk *chunk)
{
	/* A conflict means that another context pushed a chunk, or took one. */
	while (wsq_inbox_try_push(in, &chunk->link) == WSQ_CONFLICT)
		;
}

/*
 * Make a chunk free for the next producer, in a chunk pool or in @returned. Not
 * where only one context would find it, which may not look again for long.
 */
static void wsq_salsa_give(struct wsq_salsa_consumer *c,
			   struct wsq_salsa_chunk *chunk)
{
	struct wsq_salsa_consumer *keeper = wsq_salsa_keeper(c, chunk);

	if (keeper != c || wsq_salsa_ring_give(&c->pool, chunk->nr) != WSQ_OK)
		wsq_salsa_push(&keeper->returned, chunk);
}

/* Move chunks from @returned to the chunk pool, as far as they fit. */
static void wsq_salsa_fetch(struct wsq_salsa_consumer *c)
{
	atomic64_t *link = wsq_inbox_take(&c->returned), *next;

	while (unlikely(link)) {
		/* The next holder of the chunk uses its link. */
		next = wsq_link_next(link);
		if (wsq_salsa_ring_give(&c->pool, wsq_salsa_of_link(link)->nr)) {
			wsq_inbox_give_back(&c->returned, link);
			break;
		}
		link = next;
	}
}

/*
 * Move chunks whose grace period is over. Looks at all waiting chunks, but not
 * again before the grace period of one that had to go on waiting is over: the
 * one that has waited longest, because they stay in order.
 */
static void wsq_salsa_reap(struct wsq_salsa_consumer *c)
{
	atomic64_t *link, *next, *rest = NULL, *last = NULL;
	struct wsq_salsa_chunk *chunk;

	if (likely(wsq_inbox_empty(&c->waiting)) ||
	    (c->cookie && !wsq_salsa_ready(c->cookie)))
		return;
	c->cookie = 0;
	for (link = wsq_inbox_take(&c->waiting); link; link = next) {
		/* The next holder of the chunk uses its link. */
		next = wsq_link_next(link);
		chunk = wsq_salsa_of_link(link);
		if (wsq_salsa_ready(chunk->cookie)) {
			wsq_salsa_give(c, chunk);
			continue;
		}
		c->cookie = chunk->cookie;
		if (last)
			wsq_link_set(last, link);
		else
			rest = link;
		last = link;
	}
	if (rest) {
		wsq_link_set(last, NULL);
		wsq_inbox_give_back(&c->waiting, rest);
	}
}

/**
 * wsq_salsa_tidy() - move free chunks to where producers look first
 * @c: the consumer
 *
 * Moves chunks that other consumers have returned, and those that waited for a
 * grace period or for space in the chunk pool. A consumer does this itself when
 * it takes. Without it producers still find the chunks, at a higher cost.
 *
 * Context: the consumer, or a context that replaces one that takes no more
 * tasks, in a section of fence.h.
 */
void wsq_salsa_tidy(struct wsq_salsa_consumer *c)
{
	wsq_salsa_fetch(c);
	wsq_salsa_reap(c);
}

/**
 * wsq_salsa_recycle() - make a freed chunk available
 * @c: the consumer that freed it
 * @chunk: the chunk
 * @tainted: a take may be under way in it
 *
 * Context: the consumer @c, in a section of fence.h; not NMI if @tainted.
 */
void wsq_salsa_recycle(struct wsq_salsa_consumer *c,
		       struct wsq_salsa_chunk *chunk, bool tainted)
{
	c->count.finished++;
	if (!tainted) {
		wsq_salsa_give(c, chunk);
	} else {
		c->count.retired++;
		chunk->cookie = wsq_grace_get();		/* SA(retire:A) */
		wsq_salsa_push(&wsq_salsa_keeper(c, chunk)->waiting, chunk);
	}
	wsq_salsa_tidy(c);
}

/**
 * wsq_salsa_supply() - add a free chunk to a consumer's chunk pool
 * @c: the consumer
 * @chunk: the chunk, made by wsq_salsa_chunk_init()
 *
 * Context: the consumer, or before any other context knows @c.
 */
void wsq_salsa_supply(struct wsq_salsa_consumer *c,
		      struct wsq_salsa_chunk *chunk)
{
	wsq_salsa_give(c, chunk);
}

/* Change the owner word of the current chunk; false if it was stolen. */
static bool wsq_salsa_change(struct wsq_salsa_consumer *c, u64 word)
{
	c->count.exchanges++;
	if ((u64)atomic64_cmpxchg(&c->chunk->owner, (s64)c->own,
				  (s64)word) == c->own)		/* SA(change:A) */
		return true;
	c->count.lost++;
	return false;
}

/**
 * wsq_salsa_leave() - leave the current chunk, if any
 * @c: the consumer
 *
 * For a consumer that goes to sleep or stops. Thieves then need no fence for
 * the rest.
 *
 * Context: the consumer, in a section of fence.h, no take under way.
 */
void wsq_salsa_leave(struct wsq_salsa_consumer *c)
{
	struct wsq_salsa_chunk *chunk = c->chunk;
	u64 word;

	if (!chunk)
		return;
	if (c->at >= c->s->chunk_size) {
		word = wsq_salsa_next_word(c->own, WSQ_SALSA_FREE, c->id, 0);
		if (wsq_salsa_change(c, word)) {		/* SA(finish:A) */
			wsq_salsa_drop(c);
			wsq_salsa_recycle(c, chunk, wsq_salsa_epoch(word));
			return;
		}
	} else {
		word = wsq_salsa_next_word(c->own, WSQ_SALSA_LEFT, c->id, c->at);
		if (wsq_salsa_change(c, word))			/* SA(leave:A) */
			c->count.left++;
	}
	wsq_salsa_drop(c);
}

/* Enter the next chunk that has a task, or that is drained. A status. */
static int wsq_salsa_advance(struct wsq_salsa_consumer *c)
{
	struct wsq_salsa_chunk *chunk;
	u32 turn = c->turn;
	u64 word, mine;

	chunk = wsq_salsa_find(c, &turn,
			       WSQ_SALSA_IS_LEFT | WSQ_SALSA_IS_DRAINED, &word);
	if (!chunk) {
		/* The next task may be for the current chunk. */
		if (++c->dry >= WSQ_SALSA_DRY)
			wsq_salsa_leave(c);
		return WSQ_EMPTY;
	}
	wsq_salsa_leave(c);
	mine = wsq_salsa_next_word(word, WSQ_SALSA_ENTERED, c->id,
				   wsq_salsa_index(word));
	if (c->claims)
		mine |= WSQ_SALSA_CLAIMS;
	atomic64_set(&c->in, (s64)chunk->nr + 1);		/* SA(enter:B) */
	c->count.exchanges++;
	if ((u64)atomic64_cmpxchg(&chunk->owner, (s64)word,
				  (s64)mine) != word) {		/* SA(enter:A) */
		atomic64_set(&c->in, 0);			/* SA(enter:C) */
		return WSQ_CONFLICT;
	}
	c->turn = turn;
	c->count.entered++;
	wsq_salsa_become(c, chunk, mine);
	return WSQ_OK;
}

/**
 * wsq_salsa_contend() - compete for a task of a stolen chunk
 * @c: the consumer
 * @task: the task in its next slot
 *
 * The chunk was stolen after the consumer stored the index. Consumer and thief
 * compete for @task: one of them gets it. The consumer takes the rest of the
 * chunk back if the thief still waits for its fence.
 *
 * Context: the consumer, in a section of fence.h. Never sleeps.
 * Return: @task if it is the caller's; %NULL, with @busy still set.
 */
void *wsq_salsa_contend(struct wsq_salsa_consumer *c, void *task)
{
	/* The thief may claim it, too: SA(take:F). */
	bool won = wsq_slot_mark_if(&c->slots[c->at], task,
				    WSQ_SALSA_TAKEN);		/* SA(contend:A) */

	c->count.contended++;
	c->at++;
	if (!won || !wsq_salsa_take_back(c)) {
		c->count.lost++;
		wsq_salsa_drop(c);
	}
	if (!won)
		return NULL;
	atomic64_set(&c->busy, 0);				/* SA(contend:B) */
	return task;
}

/* Take from the current chunk, plainly or by a claim. %NULL if that fails. */
static void *wsq_salsa_take_any(struct wsq_salsa_consumer *c)
{
	void *task;

	if (c->at >= c->s->chunk_size)
		return NULL;
	if (!(c->own & WSQ_SALSA_CLAIMS))
		return wsq_salsa_take(c, c->at);
	do {
		task = wsq_salsa_pick(c, c->at);
		/* A consumer that claims gets TAKEN, and calls again. */
	} while (task == WSQ_SALSA_TAKEN && !c->claims &&
		 c->at < c->s->chunk_size);
	return task == WSQ_SALSA_TAKEN && !c->claims ? NULL : task;
}

/**
 * wsq_salsa_get_slow() - take a task from another chunk than the last
 * @c: the consumer
 *
 * Context: the consumer, in a section of fence.h. Never sleeps.
 * Return: as wsq_salsa_get(), or wsq_salsa_claim() if @c claims.
 */
void *wsq_salsa_get_slow(struct wsq_salsa_consumer *c)
{
	void *task = NULL;
	u32 tries;

	atomic64_set(&c->busy, 1);				/* SA(slow:A) */
	if (unlikely(wsq_salsa_under_way(c)))
		task = wsq_salsa_steal_end(c);
	for (tries = 0; !task && tries < WSQ_SALSA_TRIES; tries++) {
		if (c->chunk) {
			/* Finished, claimed from, stolen, or without tasks. */
			task = wsq_salsa_take_any(c);
			if (task)
				break;
		}
		if (c->chunk &&
		    (u64)atomic64_read(&c->chunk->owner) != c->own) { /* SA(slow:C) */
			if (wsq_salsa_take_back(c))
				continue;
			c->count.lost++;
			wsq_salsa_drop(c);
		}
		if (c->chunk && c->at >= c->s->chunk_size)
			wsq_salsa_leave(c);
		if (wsq_salsa_advance(c) == WSQ_EMPTY)
			break;
	}
	if (!task)
		wsq_salsa_tidy(c);
	atomic64_set_release(&c->busy, 0);			/* SA(slow:D) */
	return task;
}

/**
 * wsq_salsa_close() - give up a chunk that is not full
 * @p: the producer
 * @c: the consumer that the chunk is for
 *
 * Makes it possible to free the memory. A chunk that has tasks left, or was
 * stolen, stays.
 *
 * Context: producer and consumer at once, in a section of fence.h.
 * Return: true if @p has no chunk now.
 */
bool wsq_salsa_close(struct wsq_salsa_producer *p,
		     struct wsq_salsa_consumer *c)
{
	struct wsq_salsa_chunk *chunk;
	u64 word, next, i;
	void *task;

	wsq_salsa_leave(c);
	if (p->at >= p->size)
		return true;
	chunk = wsq_salsa_chunk_at(p->s, p->nr);
	word = (u64)atomic64_read(&chunk->owner);		/* SA(close:A) */
	if (wsq_salsa_state(word) != WSQ_SALSA_LEFT ||
	    wsq_salsa_id(word) != c->id)
		return false;
	i = wsq_salsa_first(p->s, chunk, wsq_salsa_index(word), &task);
	if (i < p->at)
		return false;
	next = wsq_salsa_next_word(word, WSQ_SALSA_FREE, c->id, 0);
	if ((u64)atomic64_cmpxchg(&chunk->owner, (s64)word,
				  (s64)next) != word)		/* SA(close:B) */
		return false;
	p->slots = NULL;
	p->at = 0;
	p->size = 0;
	wsq_salsa_recycle(c, chunk, wsq_salsa_epoch(word));
	return true;
}

/*
 * Is every task of a chunk claimed? If not, the number of slots read to find
 * out is added to @looked.
 */
static bool wsq_salsa_is_drained(const struct wsq_salsa *s,
				 const struct wsq_salsa_chunk *chunk, u64 word,
				 u64 *looked)
{
	u64 from, i;
	void *task;

	/* Filled in order: more tasks come unless the last slot is claimed. */
	if (wsq_slot_peek(&chunk->slots[s->chunk_size - 1]) !=
	    WSQ_SALSA_TAKEN)					/* SA(drained:B) */
		return false;
	from = wsq_salsa_taken(chunk, word);			/* SA(drained:C) */
	i = wsq_salsa_first(s, chunk, from, &task);		/* SA(drained:D) */
	if (i < s->chunk_size)
		*looked += i - from;
	return i == s->chunk_size;
}

/**
 * wsq_salsa_reclaim() - free a chunk in which every task was claimed
 * @c: the consumer to which the freed chunks go; all consumers of the pool
 *	claim
 * @first: number of the first chunk to look at
 * @nr: chunks to look at
 *
 * The consumer of such a chunk frees it with its next take. That may take long:
 * if the tasks were removed, the consumer has no reason to take.
 *
 * Looks at one slot of each chunk. In chunks that still have tasks it looks at
 * no more slots than two chunks have.
 *
 * Context: any but NMI; the consumer @c, no take under way, in a section of
 * fence.h. Never sleeps.
 * Return: true if there is one more chunk for wsq_salsa_open(); false if none
 * was found, or only chunks that must wait for a grace period.
 */
bool wsq_salsa_reclaim(struct wsq_salsa_consumer *c, u32 first, u32 nr)
{
	const struct wsq_salsa *s = c->s;
	u64 looked = 0;
	u32 i;

	for (i = 0; i < nr && looked <= s->chunk_size; i++) {
		struct wsq_salsa_chunk *chunk = wsq_salsa_chunk_at(s, first + i);
		u64 word, next;
		bool mine;

		if (!chunk)
			continue;
		word = (u64)atomic64_read_acquire(&chunk->owner); /* SA(drained:A) */
		if (wsq_salsa_state(word) != WSQ_SALSA_LEFT &&
		    !(wsq_salsa_state(word) == WSQ_SALSA_ENTERED &&
		      word & WSQ_SALSA_CLAIMS))
			continue;
		if (!wsq_salsa_is_drained(s, chunk, word, &looked))
			continue;
		mine = chunk == c->chunk && word == c->own;
		next = wsq_salsa_next_word(word, WSQ_SALSA_FREE, c->id, 0);
		/* Another consumer may be about to store an index. */
		if (wsq_salsa_state(word) == WSQ_SALSA_ENTERED && !mine)
			next = wsq_salsa_next_epoch(next);
		c->count.exchanges++;
		if ((u64)atomic64_cmpxchg(&chunk->owner, (s64)word,
					  (s64)next) != word)	/* SA(drained:E) */
			continue;
		if (mine)
			wsq_salsa_drop(c);
		wsq_salsa_recycle(c, chunk, wsq_salsa_epoch(next));
		if (!wsq_salsa_epoch(next))
			return true;
	}
	return false;
}

/**
 * wsq_salsa_at_home() - number of a consumer's own chunks that are free
 * @c: the consumer, of a pool whose chunks return to their home
 *
 * Context: the consumer and the only producer that gets chunks from it, in a
 * section of fence.h.
 * Return: chunks in its chunk pool; 0 if it holds a chunk of another consumer,
 * or a take may be under way in one that was finished.
 */
u32 wsq_salsa_at_home(struct wsq_salsa_consumer *c)
{
	u32 index;

	wsq_salsa_tidy(c);
	if (!wsq_inbox_empty(&c->waiting))
		return 0;
	for (index = 0; index < c->stolen.size; index++) {
		if (wsq_salsa_entry_used(c->s, &c->stolen, index, c->id))
			return 0;
	}
	return (u32)wsq_salsa_ring_count(&c->pool);
}
