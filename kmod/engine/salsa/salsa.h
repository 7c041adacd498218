/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SALSA as an engine: what engine.h requires beyond kmod/core/salsa.h. Only
 * engine.h uses this file.
 *
 * A CPU short of chunks asks for more, up to the pool's max_blocks. In a
 * pointer pool it asks only if no other CPU has spare ones. This is the paper's
 * producing with force, which expands the pool (section 5.4), but with a delay,
 * because puts allocate nothing.
 *
 * Best suited for producers and consumers on different CPUs, and for loads that
 * move in bulk. Cost: a put is one store. A take has no read-modify-write and
 * no fence in a pointer pool, and one compare-and-exchange in a queue. A chunk
 * of some thousand tasks costs three or four compare-and-exchanges on its way.
 * Limitation: memory comes in chunks.
 *
 * In a pointer pool a put goes to the nearest consumer that has a spare chunk.
 * A finished chunk goes to the CPU that took its last task, if that CPU is on
 * the chunk's node: the producer-based balancing of the paper (sections 4 and
 * 5.4). Takes are plain if the CPU may be interrupted.
 *
 * In a queue items stay with the CPU that put them until they are stolen, as
 * everywhere in the work service. All takes are claims, because items may be
 * cancelled. A finished chunk goes home, so that its memory can be freed.
 */
#ifndef _WSQ_ENGINE_SALSA_H
#define _WSQ_ENGINE_SALSA_H

#include <linux/minmax.h>
#include <linux/wsq.h>

#include "../../core/grace.h"
#include "../../core/salsa.h"

#define WSQ_SALSA_DEF_CHUNKS	8
#define WSQ_SALSA_DEF_SIZE	1024

/* A chunk is stolen from a consumer that has not taken for this long. */
#define WSQ_SALSA_STILL_NS	20000

/*
 * A thief has its victim's answer within this time. If not, it will have it no
 * later than a thief that takes over from it, which interrupts all CPUs.
 */
#define WSQ_SALSA_HALTED_NS	2000000

/**
 * struct wsq_salsa_snapshot - a thief's snapshot of a victim
 * @at: the victim's progress in its chunk, 0 if it had no task
 * @since: when it was first seen there, by ktime_get_mono_fast_ns()
 */
struct wsq_salsa_snapshot {
	u64 at;
	u64 since;
};

/**
 * struct wsq_engine_salsa - first memory segment of a SALSA engine
 * @head: common header
 * @p: the CPU as a producer
 * @c: the CPU as a consumer
 * @seen: this CPU's last snapshot of each victim. Own CPU's consumer
 * @chunks: chunks of this segment
 * @nr_chunks: number of chunks, with those of further segments. The CPU as
 *	producer and consumer; any CPU reads
 * @max_chunks: maximum of @nr_chunks. Constant
 * @first: number of the first chunk; the others' follow. Constant
 */
struct wsq_engine_salsa {
	struct wsq_engine head;
	struct wsq_salsa_producer p;
	struct wsq_salsa_consumer c;
	struct wsq_salsa_snapshot *seen;
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
bool wsq_engine_salsa_steal_async(const struct wsq_container *me);
int wsq_engine_salsa_steal_claim(struct wsq_container *ct,
				 struct wsq_container *me, void **tasks,
				 unsigned int max);
bool wsq_engine_salsa_remove(struct wsq_container *ct, u32 slot,
			     struct wsq_link *link);

/* The engine, %NULL without memory. */
static inline struct wsq_engine_salsa *
wsq_engine_salsa(const struct wsq_container *ct)
{
	/*
	 * Pairs with the release in wsq_engine_attach(): everything is reached
	 * through this address, or has an acquire of its own.
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
	return WSQ_PUBLISHED;
}

static inline unsigned int
wsq_engine_salsa_put_many(struct wsq_container *ct, void *const *tasks,
			  unsigned int nr, bool *published)
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
		*published = true;
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
		/* At most as often as a chunk has slots: no task is removed. */
	} while (task == WSQ_SALSA_TAKEN);
	return task;
}

/*
 * Take from one chunk after the other, as long as there is more. If puts have
 * come no farther, or the chunk was stolen, return what was taken so far.
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

/* Reserve a slot: a status. In a queue, a CPU puts to its own chunks. */
static inline int wsq_engine_salsa_make_space(struct wsq_container *ct,
					      struct wsq_engine_salsa *engine)
{
	if (unlikely(!engine))
		return WSQ_FULL;
	if (likely(engine->p.at < engine->p.size))
		return WSQ_OK;
	return wsq_engine_salsa_open(ct, engine) < 0 ? WSQ_FULL : WSQ_PUBLISHED;
}

/* Put an item where there is space. */
static inline void wsq_engine_salsa_fill(struct wsq_engine_salsa *engine,
					 struct wsq_link *link, u64 where)
{
	struct wsq_salsa_producer *p = &engine->p;
	u32 first = (p->nr - engine->first) * (u32)p->size;

	WRITE_ONCE(link->where, wsq_link_in_slot(where, first + (u32)p->at));
	wsq_salsa_put(p, link);
}

static inline int wsq_engine_salsa_put_link(struct wsq_container *ct,
					    struct wsq_link *link, u64 where)
{
	struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);
	int ret = wsq_engine_salsa_make_space(ct, engine);

	if (likely(ret >= 0))
		wsq_engine_salsa_fill(engine, link, where);
	return ret;
}

/* Counts the items of each chunk at once. */
static inline unsigned int
wsq_engine_salsa_put_links(struct wsq_container *ct,
			   struct wsq_link *const *links, unsigned int nr,
			   u64 where, u64 *count, bool *published)
{
	struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);
	unsigned int done = 0, n;
	int ret;

	while (done < nr) {
		ret = wsq_engine_salsa_make_space(ct, engine);
		if (ret < 0)
			break;
		if (ret == WSQ_PUBLISHED)
			*published = true;
		n = min_t(u64, nr - done, engine->p.size - engine->p.at);
		WRITE_ONCE(*count, *count + n);
		while (n--)
			wsq_engine_salsa_fill(engine, links[done++], where);
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

static inline int wsq_engine_salsa_steal_active(struct wsq_container *ct, void **tasks,
						unsigned int max)
{
	const struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);

	return engine ? wsq_salsa_steal_active(&engine->c, tasks, max, true) : 0;
}

/* Thieves may take the chunk that the consumer is in. */
static inline int wsq_engine_salsa_halve(struct wsq_container *ct, void **tasks,
					 unsigned int max, unsigned int least)
{
	return 0;
}

static inline u32 wsq_engine_salsa_kept(const struct wsq_container *ct)
{
	const struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);

	return engine && engine->p.slots == engine->c.slots &&
	       engine->p.at > engine->c.at ?
	       (u32)(engine->p.at - engine->c.at) : 0;
}

static inline bool wsq_engine_salsa_waiting(const struct wsq_container *ct)
{
	const struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);

	return engine && wsq_salsa_waiting(&engine->c);
}

/* Tasks in the consumer's current chunk do not count as shared. */
static inline bool wsq_engine_salsa_has_published(const struct wsq_container *ct)
{
	const struct wsq_engine_salsa *engine = wsq_engine_salsa(ct);

	return engine && engine->p.slots != engine->c.slots;
}

/* SALSA has no directory: @index is ignored. */
static inline int wsq_engine_salsa_steal_at(struct wsq_container *ct,
					    struct wsq_container *me, u32 index,
					    void **tasks, unsigned int max)
{
	return wsq_engine_salsa_steal(ct, me, tasks, max);
}

static inline int wsq_engine_salsa_steal_claim_at(struct wsq_container *ct,
						  struct wsq_container *me,
						  u32 index, void **tasks,
						  unsigned int max)
{
	return wsq_engine_salsa_steal_claim(ct, me, tasks, max);
}

static inline unsigned int wsq_engine_salsa_space(struct wsq_container *ct,
						  bool *published)
{
	return 0;
}

static inline bool wsq_engine_salsa_empty(struct wsq_container *ct)
{
	return !wsq_engine_salsa_waiting(ct);
}

static inline u32 wsq_engine_salsa_sample(const struct wsq_container *ct,
					  u32 rnd, u32 *index)
{
	return wsq_engine_salsa_waiting(ct) ? U32_MAX : 0;
}

static inline bool wsq_engine_salsa_publish(struct wsq_container *ct)
{
	return false;
}

static inline bool wsq_engine_salsa_published(struct wsq_container *ct)
{
	return false;
}

#endif /* _WSQ_ENGINE_SALSA_H */
