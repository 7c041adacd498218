/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding chunks in the lists of a SALSA consumer, for its own traversal, its
 * thieves and queries. Part of salsa*.c.
 */
#ifndef _WSQ_CORE_SALSA_FIND_H
#define _WSQ_CORE_SALSA_FIND_H

#include "salsa.h"

/* A set of states. */
enum wsq_salsa_want {
	WSQ_SALSA_IS_LEFT	= 1U << WSQ_SALSA_LEFT,
	WSQ_SALSA_IS_INSIDE	= 1U << WSQ_SALSA_ENTERED |
				  1U << WSQ_SALSA_STOLEN,
	/* Of these, only chunks that their producer has filled. */
	WSQ_SALSA_IS_FULL	= 1U << 4,
	/* Also chunks in which every task was claimed: to be finished. */
	WSQ_SALSA_IS_DRAINED	= 1U << 5,
	/* Also chunks without a task. */
	WSQ_SALSA_IS_EMPTY	= 1U << 6,
};

/*
 * Lower bound of the number of tasks taken, as of some moment, when the owner
 * word was @word.
 */
static inline u64 wsq_salsa_taken(const struct wsq_salsa_chunk *chunk, u64 word)
{
	u64 i = wsq_salsa_index(word), said;

	if (!(WSQ_SALSA_IS_INSIDE >> wsq_salsa_state(word) & 1))
		return i;
	said = (u64)atomic64_read(&chunk->idx[wsq_salsa_epoch(word)]); /* SA(find:C) */
	return said > i ? said : i;
}

/*
 * The first slot from @i on that was not claimed; *@task is its content. The
 * chunk size if all were claimed.
 */
static inline u64 wsq_salsa_first(const struct wsq_salsa *s,
				  const struct wsq_salsa_chunk *chunk, u64 i,
				  void **task)
{
	*task = NULL;
	for (; i < s->chunk_size; i++) {
		*task = wsq_slot_peek(&chunk->slots[i]);	/* SA(find:D) */
		if (*task != WSQ_SALSA_TAKEN)
			return i;
	}
	*task = NULL;
	return i;
}

/* Is there a task to take, or, with @drained, is the chunk drained? */
static inline bool wsq_salsa_any(const struct wsq_salsa *s,
				 const struct wsq_salsa_chunk *chunk, u64 word,
				 bool drained)
{
	void *task;
	u64 i = wsq_salsa_first(s, chunk, wsq_salsa_taken(chunk, word), &task);

	return task || (drained && i == s->chunk_size);
}

/*
 * The oldest chunk of consumer @id in @list that is in one of the states @want
 * and has a task, or needs none because of %WSQ_SALSA_IS_EMPTY. *@word is its
 * owner word. %NULL if there is none.
 */
static inline struct wsq_salsa_chunk *
wsq_salsa_look(const struct wsq_salsa *s, const struct wsq_salsa_list *list,
	       u32 id, u32 want, u64 *word)
{
	u64 next = (u64)atomic64_read(&list->next);		/* SA(find:H) */
	u32 i, top = (u32)atomic64_read(&list->top);		/* SA(find:I) */

	for (i = 0; i < top; i++) {
		u32 index = (u32)((next + i) % top);
		struct wsq_salsa_chunk *chunk;
		u32 nr;
		u64 w;

		/* The entry may be of an earlier life: check the owner word. */
		nr = (u32)atomic64_read_acquire(&list->entries[index]); /* SA(find:A) */
		chunk = nr ? wsq_salsa_chunk_at(s, nr - 1) : NULL;
		if (!chunk)
			continue;
		w = (u64)atomic64_read_acquire(&chunk->owner);	/* SA(find:B) */
		if (wsq_salsa_id(w) != id || !(want >> wsq_salsa_state(w) & 1))
			continue;
		/* A full chunk stays full as long as the word stays. */
		if (want & WSQ_SALSA_IS_FULL &&
		    !wsq_slot_peek(&chunk->slots[s->chunk_size - 1])) /* SA(find:E) */
			continue;
		if (!(want & WSQ_SALSA_IS_EMPTY) &&
		    !wsq_salsa_any(s, chunk, w, want & WSQ_SALSA_IS_DRAINED))
			continue;
		*word = w;
		return chunk;
	}
	return NULL;
}

/*
 * As wsq_salsa_look(), in all lists of consumer @v: its stolen chunks, then
 * those of the producers from *@turn on. On return *@turn is the producer
 * behind the one that had the chunk.
 */
static inline struct wsq_salsa_chunk *
wsq_salsa_find(const struct wsq_salsa_consumer *v, u32 *turn, u32 want,
	       u64 *word)
{
	const struct wsq_salsa *s = v->s;
	struct wsq_salsa_chunk *chunk;
	u32 k;

	chunk = wsq_salsa_look(s, &v->stolen, v->id, want, word);
	for (k = 0; !chunk && k < s->max_parties; k++) {
		u32 id = (*turn + k) % s->max_parties;
		struct wsq_salsa_producer *p;

		if (!((u64)atomic64_read(&v->feeders[id / 64]) >> id % 64 & 1)) /* SA(find:F) */
			continue;
		p = wsq_salsa_producer_at(s, id);
		if (!p)
			continue;
		chunk = wsq_salsa_look(s, &p->list, v->id, want, word);
		if (chunk)
			*turn = id + 1;
	}
	return chunk;
}

/* Shared by salsa.c and salsa_steal.c. */
int wsq_salsa_list_add(const struct wsq_salsa *s, struct wsq_salsa_list *list,
		       u32 id, const struct wsq_salsa_chunk *chunk);
void wsq_salsa_list_drop(struct wsq_salsa_list *list, u32 index);
void wsq_salsa_set_limit(struct wsq_salsa_consumer *c);
void wsq_salsa_become(struct wsq_salsa_consumer *c,
		      struct wsq_salsa_chunk *chunk, u64 word);
void wsq_salsa_recycle(struct wsq_salsa_consumer *c,
		       struct wsq_salsa_chunk *chunk, bool tainted);
bool wsq_salsa_take_back(struct wsq_salsa_consumer *c);
void *wsq_salsa_steal_end(struct wsq_salsa_consumer *c);

#endif /* _WSQ_CORE_SALSA_FIND_H */
