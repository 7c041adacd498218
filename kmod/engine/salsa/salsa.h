/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SALSA as an engine: what engine.h asks for and kmod/core/salsa.h does not
 * have by itself. For engine.h alone; everybody else goes through that.
 *
 * A CPU short of chunks asks for more, up to the pool's max_blocks, in a raw pool
 * only when nobody else has any to spare: the force that expands of the paper
 * (section 5.4), with a delay, for puts allocate nothing.
 *
 * Best suited for producers and consumers on different CPUs, and for loads that
 * move in bulk. Costs: a put is one store; a take no read-modify-write and no
 * fence in a raw pool, one compare-and-exchange in a queue; a chunk of some
 * thousand tasks three or four compare-and-exchanges on its way. Limitation:
 * memory comes in chunks.
 *
 * In a raw pool a put goes to the nearest consumer that has a spare chunk, and
 * a finished chunk to whoever took its last task, if he is on the chunk's node:
 * the producer-based balancing of the paper (sections 4 and 5.4). Takes are
 * plain where the CPU may be interrupted.
 *
 * In a queue items stay with the CPU that put them until they are stolen, as
 * everywhere in the work service, and all takes are claims, for items are wanted
 * back. A finished chunk goes home, so that its memory can be given back.
 */
#ifndef _WSQ_ENGINE_SALSA_H
#define _WSQ_ENGINE_SALSA_H

#include <linux/minmax.h>
#include <linux/wsq.h>

#include "../../core/grace.h"
#include "../../core/salsa.h"
#include "../../pool/container.h"

#define WSQ_SALSA_DEF_CHUNKS	8
#define WSQ_SALSA_DEF_SIZE	1024

/* Who has not taken anything for so long, though it might, is robbed of it. */
#define WSQ_SALSA_STILL_NS	20000

/*
 * A thief who has begun to rob somebody has an answer in that time, or will have
 * one no later than who takes over from him, by interrupting everybody.
 */
#define WSQ_SALSA_HALTED_NS	2000000

/**
 * struct wsq_salsa_sight - what a CPU has seen of another that it would rob
 * @at: how far that one was in its chunk, 0 if it had nothing
 * @since: when it was seen there first, by ktime_get_mono_fast_ns()
 */
struct wsq_salsa_sight {
	u64 at;
	u64 since;
};

/**
 * struct wsq_engine_salsa - memory of an engine that is SALSA, the first piece
 * @head: what all engines' memory has
 * @p: the CPU as a producer
 * @c: the CPU as a consumer
 * @seen: of each CPU, what this one saw when it last wanted to rob it. Own CPU's
 *	consumer
 * @chunks: chunks of this piece
 * @nr_chunks: how many, with those of further pieces. The CPU as producer and
 *	consumer; anybody reads
 * @max_chunks: how many there may be. Constant
 * @first: number of the first; the others' follow. Constant
 */
struct wsq_engine_salsa {
	struct wsq_engine head;
	struct wsq_salsa_producer p;
	struct wsq_salsa_consumer c;
	struct wsq_salsa_sight *seen;
	struct wsq_salsa_chunk *chunks;
	u32 nr_chunks;
	u32 max_chunks;
	u32 first;
};

extern const struct wsq_engine_ops wsq_engine_salsa_ops;

int wsq_engine_salsa_open(struct wsq_container *ct,
			  struct wsq_engine_salsa *engine);
int wsq_engine_salsa_steal(struct wsq_container *ct, struct wsq_container *me,
			   void **tasks, unsigned int max);
bool wsq_engine_salsa_raid(const struct wsq_container *me);
int wsq_engine_salsa_steal_claim(struct wsq_container *ct,
				 struct wsq_container *me, void **tasks,
				 unsigned int max);
bool wsq_engine_salsa_withdraw(struct wsq_container *ct, u32 slot,
			       struct wsq_link *link);

/* The engine, %NULL while it has no memory. */
static inline struct wsq_engine_salsa *
wsq_engine_salsa(const struct wsq_container *ct)
{
	/*
	 * Pairs with the release in wsq_engine_mount(): all is reached through
	 * this address, or has an acquire of its own.
	 */
	struct wsq_engine *engine = READ_ONCE(ct->engine);

	return engine ? container_of(engine, struct wsq_engine_salsa, head) :
			NULL;
}

static inline int wsq_engine_salsa_put(struct wsq_container *ct, void *task)
{
	struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);
	int ret;

	if (unlikely(!engine))
		return WSQ_FULL;
	if (likely(wsq_salsa_put(&engine->p, task) == WSQ_OK))
		return WSQ_OK;
	ret = wsq_engine_salsa_open(ct, engine);
	if (ret < 0)
		return ret;
	wsq_salsa_put(&engine->p, task);
	return WSQ_OPENED;
}

static inline unsigned int
wsq_engine_salsa_put_many(struct wsq_container *ct, void *const *tasks,
			  unsigned int nr, bool *opened)
{
	struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);
	unsigned int done = 0;

	if (unlikely(!engine))
		return 0;
	for (;;) {
		done += wsq_salsa_put_many(&engine->p, tasks + done, nr - done);
		if (likely(done == nr) ||
		    wsq_engine_salsa_open(ct, engine) < 0)
			return done;
		*opened = true;
	}
}

static inline void *wsq_engine_salsa_get(struct wsq_container *ct)
{
	struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);
	void *task;

	if (unlikely(!engine))
		return NULL;
	if (likely(!engine->c.claims))
		return wsq_salsa_get(&engine->c);
	do {
		task = wsq_salsa_claim(&engine->c);
		/* At most as often as a chunk has slots: nobody withdraws. */
	} while (task == WSQ_SALSA_TAKEN);
	return task;
}

/*
 * Of one chunk after the other, as long as there is more at hand: where puts
 * have come no farther, or the chunk was stolen, what there is so far.
 */
static inline unsigned int
wsq_engine_salsa_get_plain(struct wsq_salsa_consumer *c, void **tasks,
			   unsigned int nr)
{
	unsigned int done = 0, n;

	while (done < nr) {
		n = wsq_salsa_get_many(c, tasks + done, nr - done);
		done += n;
		if (!n || !c->chunk || c->at < c->limit)
			break;
	}
	return done;
}

static inline unsigned int
wsq_engine_salsa_get_many(struct wsq_container *ct, void **tasks,
			  unsigned int nr)
{
	struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);
	unsigned int done;

	if (likely(engine && !engine->c.claims))
		return wsq_engine_salsa_get_plain(&engine->c, tasks, nr);
	for (done = 0; done < nr; done++) {
		tasks[done] = wsq_engine_salsa_get(ct);
		if (!tasks[done])
			break;
	}
	return done;
}

/* Make room for an item: a status. In a queue, a CPU's puts go to its own chunks. */
static inline int wsq_engine_salsa_make_room(struct wsq_container *ct,
					     struct wsq_engine_salsa *engine)
{
	if (unlikely(!engine))
		return WSQ_FULL;
	if (likely(engine->p.at < engine->p.size))
		return WSQ_OK;
	return wsq_engine_salsa_open(ct, engine) < 0 ? WSQ_FULL : WSQ_OPENED;
}

/* Put an item where there is room. */
static inline void wsq_engine_salsa_fill(const struct wsq_container *ct,
					 struct wsq_engine_salsa *engine,
					 struct wsq_link *link,
					 unsigned int phase)
{
	struct wsq_salsa_producer *p = &engine->p;
	u32 first = (p->nr - engine->first) * (u32)p->size;

	WRITE_ONCE(link->where, wsq_where_in_slot(ct->where, phase,
						  first + (u32)p->at));
	wsq_salsa_put(p, link);
}

static inline int wsq_engine_salsa_put_link(struct wsq_container *ct,
					    struct wsq_link *link,
					    unsigned int phase)
{
	struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);
	int ret = wsq_engine_salsa_make_room(ct, engine);

	if (likely(ret >= 0))
		wsq_engine_salsa_fill(ct, engine, link, phase);
	return ret;
}

/* Counted by chunks. */
static inline unsigned int
wsq_engine_salsa_put_links(struct wsq_container *ct,
			   struct wsq_link *const *links, unsigned int nr,
			   unsigned int phase, bool *opened)
{
	struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);
	unsigned int done = 0, n;
	int ret;

	while (done < nr) {
		ret = wsq_engine_salsa_make_room(ct, engine);
		if (ret < 0)
			break;
		if (ret == WSQ_OPENED)
			*opened = true;
		n = min_t(u64, nr - done, engine->p.size - engine->p.at);
		WRITE_ONCE(ct->put_cnt[phase], ct->put_cnt[phase] + n);
		while (n--)
			wsq_engine_salsa_fill(ct, engine, links[done++], phase);
	}
	return done;
}

static inline void *wsq_engine_salsa_claim(struct wsq_container *ct)
{
	struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);
	void *task = likely(engine) ? wsq_salsa_claim(&engine->c) : NULL;

	return likely(task) && unlikely(task == WSQ_SALSA_TAKEN) ? WSQ_AGAIN :
								  task;
}

static inline int wsq_engine_salsa_pry(struct wsq_container *ct, void **tasks,
				       unsigned int max)
{
	const struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);

	return engine ? wsq_salsa_pry(&engine->c, tasks, max, true) : 0;
}

static inline bool wsq_engine_salsa_waiting(const struct wsq_container *ct)
{
	const struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);

	return engine && wsq_salsa_waiting(&engine->c);
}

/* What is in the chunk that the consumer is in is for it alone. */
static inline bool wsq_engine_salsa_shared(const struct wsq_container *ct)
{
	const struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);

	return engine && engine->p.slots != engine->c.slots;
}

/* Chunks have no places. */
static inline int wsq_engine_salsa_steal_at(struct wsq_container *ct,
					    struct wsq_container *me, u32 place,
					    void **tasks, unsigned int max)
{
	return wsq_engine_salsa_steal(ct, me, tasks, max);
}

static inline int wsq_engine_salsa_steal_claim_at(struct wsq_container *ct,
						  struct wsq_container *me,
						  u32 place, void **tasks,
						  unsigned int max)
{
	return wsq_engine_salsa_steal_claim(ct, me, tasks, max);
}

static inline unsigned int wsq_engine_salsa_room(struct wsq_container *ct)
{
	return 0;
}

static inline bool wsq_engine_salsa_empty(struct wsq_container *ct)
{
	return !wsq_engine_salsa_waiting(ct);
}

static inline u32 wsq_engine_salsa_sample(const struct wsq_container *ct,
					  u32 rnd, u32 *place)
{
	return wsq_engine_salsa_waiting(ct) ? U32_MAX : 0;
}

static inline bool wsq_engine_salsa_share(struct wsq_container *ct)
{
	return false;
}

static inline bool wsq_engine_salsa_opened(struct wsq_container *ct)
{
	return false;
}

#endif /* _WSQ_ENGINE_SALSA_H */
