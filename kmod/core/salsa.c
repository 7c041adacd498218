// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA, outside the fast path: producers that begin a chunk, consumers that
 * move from one to the next, and where finished chunks go. The argument is in
 * salsa.h.
 */
#include "salsa.h"
#include "salsa_find.h"
#include "grace.h"

/* How often a consumer looks again because thieves were faster. */
#define WSQ_SALSA_TRIES		8

/* How often a loop goes round another party that succeeded. */
#define WSQ_SALSA_SPINS		64

/* Takes that find nothing before a consumer leaves the chunk it is in. */
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
 * @node: where it is
 *
 * Context: any; nobody uses the number.
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
 * wsq_salsa_producer_init() - make a producer
 * @s: the pool
 * @p: the producer
 * @id: its number, below max_parties
 * @entries: room for its list
 * @nr_entries: how many chunks it can have out at a time
 *
 * Context: any; nobody uses the number.
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
 * wsq_salsa_consumer_init() - make a consumer
 * @s: the pool
 * @c: the consumer
 * @id: its number, below max_parties; the CPU that its fence goes to, unless it
 *	claims
 * @node: where it is
 * @claims: it claims every task
 * @room: memory for it
 *
 * Context: any; nobody uses the number. One that does not claim is in @s->all.
 */
void wsq_salsa_consumer_init(struct wsq_salsa *s, struct wsq_salsa_consumer *c,
			     u32 id, u32 node, bool claims,
			     const struct wsq_salsa_room *room)
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
	c->raid.chunk = NULL;
	wsq_fence_call_init(&c->raid.call);
	atomic64_set(&c->in, 0);
	atomic64_set(&c->stealing, 0);
	wsq_salsa_list_init(&c->stolen, room->stolen,
			    s->max_parties + WSQ_SALSA_ENTRIES);
	c->feeders = room->feeders;
	wsq_inbox_init(&c->returned);
	wsq_inbox_init(&c->waiting);
	wsq_salsa_ring_init(&c->pool, room->places, room->nr_places);
	atomic64_set_release(&s->consumers[id], (s64)(uintptr_t)c);
}

/* What a list says of a chunk in this life. */
static s64 wsq_salsa_entry(const struct wsq_salsa_chunk *chunk)
{
	u64 life = (u64)atomic64_read(&chunk->life);		/* SA(list:J) */

	return (s64)(life << 32 | (chunk->nr + 1));
}

/*
 * Does the list need this entry? Not if the chunk is free, or has lived on
 * since: whoever opened it has it in a list of his own. Nor, if @id is said, if
 * it is another consumer's by now.
 */
static bool wsq_salsa_entry_used(const struct wsq_salsa *s,
				 const struct wsq_salsa_list *list, u32 place,
				 u32 id)
{
	s64 entry = atomic64_read(&list->entries[place]);	/* SA(list:B) */
	const struct wsq_salsa_chunk *chunk;
	u64 word;

	chunk = entry ? wsq_salsa_chunk_at(s, (u32)entry - 1) : NULL;
	if (!chunk || wsq_salsa_entry(chunk) != entry)
		return false;
	word = (u64)atomic64_read(&chunk->owner);		/* SA(list:A) */
	return wsq_salsa_state(word) != WSQ_SALSA_FREE &&
	       (id == WSQ_SALSA_NONE || wsq_salsa_id(word) == id);
}

/* Where the list has room, from its oldest entry on, or a status. */
static int wsq_salsa_list_room(const struct wsq_salsa *s,
			       const struct wsq_salsa_list *list, u32 id)
{
	u64 next = (u64)atomic64_read(&list->next);		/* SA(list:C) */
	const struct wsq_salsa_chunk *in = NULL;
	u32 i, place, nr;

	/* The chunk that it is in may be stolen just now, and be taken back. */
	if (id != WSQ_SALSA_NONE)
		in = wsq_salsa_consumer_at(s, id)->chunk;
	for (i = 0; i < list->size; i++) {
		place = (u32)((next + i) % list->size);
		nr = (u32)atomic64_read(&list->entries[place]);	/* SA(list:G) */
		if (!wsq_salsa_entry_used(s, list, place, id) &&
		    !(in && nr == in->nr + 1))
			return (int)place;
	}
	return WSQ_FULL;
}

/*
 * Put a chunk where there is room, or where it is already: a list that held
 * one in several places could run out of them.
 */
static u32 wsq_salsa_list_set(struct wsq_salsa_list *list, u32 place,
			      const struct wsq_salsa_chunk *chunk)
{
	u32 i, top = (u32)atomic64_read(&list->top);		/* SA(list:K) */
	s64 entry = wsq_salsa_entry(chunk);

	for (i = 0; i < top; i++) {
		if ((u32)atomic64_read(&list->entries[i]) == (u32)entry) /* SA(list:D) */
			place = i;
	}
	/* Release: who finds it sees the chunk as it is now. */
	atomic64_set_release(&list->entries[place], entry);	/* SA(list:I) */
	if (place >= top)
		atomic64_set(&list->top, (s64)place + 1);	/* SA(list:L) */
	return place;
}

/**
 * wsq_salsa_list_add() - put a chunk into a consumer's list of stolen ones
 * @s: the pool
 * @list: the list
 * @id: the consumer
 * @chunk: the chunk
 *
 * Context: the list's writer.
 * Return: the place, for wsq_salsa_list_drop(); %WSQ_FULL.
 */
int wsq_salsa_list_add(const struct wsq_salsa *s, struct wsq_salsa_list *list,
		       u32 id, const struct wsq_salsa_chunk *chunk)
{
	int place = wsq_salsa_list_room(s, list, id);

	return place < 0 ? place :
			   (int)wsq_salsa_list_set(list, (u32)place, chunk);
}

/**
 * wsq_salsa_list_drop() - take a chunk out of a list again
 * @list: the list
 * @place: what wsq_salsa_list_add() returned
 *
 * Context: the list's writer.
 */
void wsq_salsa_list_drop(struct wsq_salsa_list *list, u32 place)
{
	atomic64_set(&list->entries[place], 0);			/* SA(list:F) */
}

static struct wsq_salsa_chunk *wsq_salsa_of_link(atomic64_t *link)
{
	return (struct wsq_salsa_chunk *)
		((char *)link - offsetof(struct wsq_salsa_chunk, link));
}

/*
 * A chunk from beside a consumer's chunk pool: who takes nothing does not look
 * there himself. The rest goes back.
 */
static struct wsq_salsa_chunk *wsq_salsa_get_returned(struct wsq_salsa_consumer *c)
{
	atomic64_t *first = wsq_inbox_take(&c->returned);
	atomic64_t *rest = first ? wsq_link_next(first) : NULL;

	if (unlikely(rest))
		wsq_inbox_give_back(&c->returned, rest);
	return first ? wsq_salsa_of_link(first) : NULL;
}

/* Is the grace period over that a chunk waits for? */
static bool wsq_salsa_ready(u64 cookie)
{
	return wsq_grace_passed(cookie);			/* SA(reap:A) */
}

/* The same, of those that wait for a grace period: one whose is over. */
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

/* A free chunk of a consumer's, or %NULL. */
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
 * @c: the consumer whose the tasks will be
 *
 * Section 5.4 of the paper: a consumer without spare chunks has enough to do,
 * and another one may have some.
 *
 * Context: the producer, in a section of fence.h. Never sleeps; clears a
 * chunk's slots.
 * Return: %WSQ_OK; %WSQ_FULL if @c's pool has none, or @p has as many chunks out
 * as its list has room for, or if those that were given back to @c are in the
 * hands of another producer, who takes one and puts back the rest.
 */
int wsq_salsa_open(struct wsq_salsa_producer *p, struct wsq_salsa_consumer *c)
{
	struct wsq_salsa *s = p->s;
	struct wsq_salsa_chunk *chunk;
	struct wsq_salsa_list *list = &p->list;
	u64 bit = 1ULL << p->id % 64;
	u32 i, life;
	int place;
	u64 word;

	/* Nothing comes back to the ring: first the list, then the chunk. */
	place = wsq_salsa_list_room(s, list, WSQ_SALSA_NONE);
	if (place < 0)
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
	/* Who sees the word sees the slots empty. */
	atomic64_set_release(&chunk->owner, (s64)word);		/* SA(open:B) */
	i = wsq_salsa_list_set(list, (u32)place, chunk);	/* SA(open:C) */
	/* The oldest first: where this one came is behind it. */
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
 * wsq_salsa_set_limit() - how far takes go by themselves
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
 * wsq_salsa_become() - be in a chunk
 * @c: the consumer
 * @chunk: the chunk
 * @word: the owner word by which it entered
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

/* Who looks after a free chunk: a consumer of its node. */
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
	/* Whoever is in the way has pushed a chunk, or got one. */
	while (wsq_inbox_try_push(in, &chunk->link) == WSQ_CONFLICT)
		;
}

/*
 * A chunk for the next producer: in a chunk pool or beside it, never where one
 * context alone would find it, which may not come again for long.
 */
static void wsq_salsa_give(struct wsq_salsa_consumer *c,
			   struct wsq_salsa_chunk *chunk)
{
	struct wsq_salsa_consumer *keeper = wsq_salsa_keeper(c, chunk);

	if (keeper != c || wsq_salsa_ring_give(&c->pool, chunk->nr) != WSQ_OK)
		wsq_salsa_push(&keeper->returned, chunk);
}

/* Chunks from beside the chunk pool, as far as that has room. */
static void wsq_salsa_fetch(struct wsq_salsa_consumer *c)
{
	atomic64_t *link = wsq_inbox_take(&c->returned), *next;

	while (unlikely(link)) {
		/* Whoever gets the chunk uses its link. */
		next = wsq_link_next(link);
		if (wsq_salsa_ring_give(&c->pool, wsq_salsa_of_link(link)->nr)) {
			wsq_inbox_give_back(&c->returned, link);
			break;
		}
		link = next;
	}
}

/*
 * Chunks whose grace period is over. All that wait are looked at, but not again
 * before one of those that had to go on waiting need no longer: the one that has
 * waited longest, for they stay in their order.
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
		/* Whoever gets the chunk uses its link. */
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
 * wsq_salsa_tidy() - bring free chunks to where producers look first
 * @c: the consumer
 *
 * Chunks that others have returned, that waited for a grace period, or for room
 * in the chunk pool. A consumer that takes does so by itself. Producers find them
 * without, for more.
 *
 * Context: the consumer, or whoever stands in for one that takes nothing any
 * more, in a section of fence.h.
 */
void wsq_salsa_tidy(struct wsq_salsa_consumer *c)
{
	wsq_salsa_fetch(c);
	wsq_salsa_reap(c);
}

/**
 * wsq_salsa_recycle() - a chunk that is free now
 * @c: who freed it
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
 * Context: the consumer, or before anybody knows @c.
 */
void wsq_salsa_supply(struct wsq_salsa_consumer *c,
		      struct wsq_salsa_chunk *chunk)
{
	wsq_salsa_give(c, chunk);
}

/* Change the owner word of the chunk it is in; false if that was stolen. */
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
 * wsq_salsa_leave() - leave the chunk it is in, if any
 * @c: the consumer
 *
 * For who goes to sleep, or away: others have the rest without a fence then.
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

/* Enter the next chunk that has a task, or none to come. A status. */
static int wsq_salsa_advance(struct wsq_salsa_consumer *c)
{
	struct wsq_salsa_chunk *chunk;
	u32 turn = c->turn;
	u64 word, mine;

	chunk = wsq_salsa_find(c, &turn,
			       WSQ_SALSA_IS_LEFT | WSQ_SALSA_IS_SPENT, &word);
	if (!chunk) {
		/* What comes next may be for the chunk that it is in. */
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
 * wsq_salsa_contend() - the chunk was stolen after the index was stored
 * @c: the consumer
 * @task: the task in its next slot
 *
 * Consumer and thief compete for @task: one of them gets it. The consumer takes
 * the rest of the chunk back if the thief still waits for its fence.
 *
 * Context: as wsq_salsa_get().
 * Return: @task if it is the caller's; %NULL, with @busy still set.
 */
void *wsq_salsa_contend(struct wsq_salsa_consumer *c, void *task)
{
	/* The thief may think it his: SA(take:F). */
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

/* Take from the chunk it is in, whichever way. %NULL if that brings nothing. */
static void *wsq_salsa_take_any(struct wsq_salsa_consumer *c)
{
	void *task;

	if (c->at >= c->s->chunk_size)
		return NULL;
	if (!(c->own & WSQ_SALSA_CLAIMS))
		return wsq_salsa_take(c, c->at);
	do {
		task = wsq_salsa_pick(c, c->at);
		/* Who claims by himself is told, and calls again. */
	} while (task == WSQ_SALSA_TAKEN && !c->claims &&
		 c->at < c->s->chunk_size);
	return task == WSQ_SALSA_TAKEN && !c->claims ? NULL : task;
}

/**
 * wsq_salsa_get_slow() - take a task from another chunk than the last
 * @c: the consumer
 *
 * Context: as wsq_salsa_get() and wsq_salsa_claim().
 * Return: as there.
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
			/* Finished, claimed from, stolen, or dry. */
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
 * @c: the consumer whose chunk it is
 *
 * So that memory can be taken back. A chunk of which something is left, or
 * that was stolen, stays.
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
 * Is every task of a chunk claimed? If not, the number of slots that were read
 * to find that out is added to @looked.
 */
static bool wsq_salsa_is_spent(const struct wsq_salsa *s,
			       const struct wsq_salsa_chunk *chunk, u64 word,
			       u64 *looked)
{
	u64 from, i;
	void *task;

	/* Filled in order: more tasks come unless the last slot is claimed. */
	if (wsq_slot_peek(&chunk->slots[s->chunk_size - 1]) !=
	    WSQ_SALSA_TAKEN)					/* SA(spent:B) */
		return false;
	from = wsq_salsa_taken(chunk, word);			/* SA(spent:C) */
	i = wsq_salsa_first(s, chunk, from, &task);		/* SA(spent:D) */
	if (i < s->chunk_size)
		*looked += i - from;
	return i == s->chunk_size;
}

/**
 * wsq_salsa_reclaim() - free a chunk of which every task was claimed
 * @c: the consumer to which the chunks go when they are free; all consumers of
 *	the pool claim
 * @first: number of the first chunk to look at
 * @nr: chunks to look at
 *
 * The consumer of such a chunk frees it with its next take. That may be long
 * after: if the tasks were withdrawn, the consumer has no reason to take.
 *
 * Looks at one slot of each chunk. In chunks that still have tasks it looks at
 * no more slots than two chunks have.
 *
 * Context: any but NMI; the consumer @c, no take under way, in a section of
 * fence.h. Never sleeps.
 * Return: true if there is one more chunk for wsq_salsa_open(); false if none was
 * found, or only chunks that have to wait for a grace period.
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
		word = (u64)atomic64_read_acquire(&chunk->owner); /* SA(spent:A) */
		if (wsq_salsa_state(word) != WSQ_SALSA_LEFT &&
		    !(wsq_salsa_state(word) == WSQ_SALSA_ENTERED &&
		      word & WSQ_SALSA_CLAIMS))
			continue;
		if (!wsq_salsa_is_spent(s, chunk, word, &looked))
			continue;
		mine = chunk == c->chunk && word == c->own;
		next = wsq_salsa_next_word(word, WSQ_SALSA_FREE, c->id, 0);
		/* Another consumer may be about to store an index. */
		if (wsq_salsa_state(word) == WSQ_SALSA_ENTERED && !mine)
			next = wsq_salsa_next_epoch(next);
		c->count.exchanges++;
		if ((u64)atomic64_cmpxchg(&chunk->owner, (s64)word,
					  (s64)next) != word)	/* SA(spent:E) */
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
 * wsq_salsa_at_home() - how many of its own chunks a consumer has at hand
 * @c: the consumer, of a pool whose chunks go home
 *
 * Context: the consumer and only producer that gets chunks of it, in a section
 * of fence.h.
 * Return: those in its chunk pool; 0 if it owes others a chunk, or a take may be
 * under way in one that was finished.
 */
u32 wsq_salsa_at_home(struct wsq_salsa_consumer *c)
{
	u32 place;

	wsq_salsa_tidy(c);
	if (!wsq_inbox_empty(&c->waiting))
		return 0;
	for (place = 0; place < c->stolen.size; place++) {
		if (wsq_salsa_entry_used(c->s, &c->stolen, place, c->id))
			return 0;
	}
	return (u32)wsq_salsa_ring_count(&c->pool);
}
