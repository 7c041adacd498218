// SPDX-License-Identifier: GPL-2.0
/*
 * The queues of the experiments with multiplicity: kmod/core/ws_mult.h, and the
 * algorithms as published, by their authors and by others. See case.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../peers/chase_lev.h"
#include "case.h"
#include "idem_deque.h"
#include "idem_fifo.h"
#include "idem_lifo.h"
#include "the.h"
#include "ws_mult.h"
#include "ws_mult_strict.h"
#include "ws_wmult.h"

static void no_memory(void)
{
	fputs("out of memory\n", stderr);
	exit(1);
}

void *mult_zalloc(size_t size)
{
	void *mem = aligned_alloc(64, (size + 63) / 64 * 64);

	if (!mem)
		no_memory();
	return memset(mem, 0, size);
}

/* ---- kmod/core/ws_mult.h: a ring of blocks ---- */

struct ring {
	struct wsq_ws_mult q;
	struct wsq_ws_mult_mem mem;
	atomic64_t max[WALK_THREADS];
};

static void *ring_create(u32 parties, u64 length, u64 most)
{
	struct ring *r = mult_zalloc(sizeof(*r));
	u64 blocks = 4;

	(void)parties;
	while (length * blocks < most + 2 * length)
		blocks *= 2;
	r->mem.nr_blocks = (u32)blocks;
	r->mem.block_size = (u32)length;
	r->mem.bases = mult_zalloc(blocks * sizeof(*r->mem.bases));
	r->mem.slots = malloc(blocks * length * sizeof(*r->mem.slots));
	if (!r->mem.slots)
		no_memory();
	wsq_ws_mult_init(&r->q, &r->mem);
	return r;
}

static void ring_destroy(void *arg)
{
	struct ring *r = arg;

	free(r->mem.slots);
	free(r->mem.bases);
	free(r);
}

/* It has space for all tasks, once the owner has looked what thieves took. */
static __attribute__((noinline)) void ring_full(struct ring *r, void *task)
{
	wsq_ws_mult_catch_up(&r->q);
	if (wsq_ws_mult_put(&r->q, task) < 0) {
		fputs("the ring is full\n", stderr);
		exit(1);
	}
}

static __always_inline void ring_put(struct ring *r, void *task)
{
	if (unlikely(wsq_ws_mult_put(&r->q, task) < 0))
		ring_full(r, task);
}

static inline bool ring_waiting(struct ring *r)
{
	return wsq_ws_mult_waiting(&r->q);
}

#define RING(id, title, limit, kind)						\
static __always_inline void *id##_get(struct ring *r)				\
{										\
	return wsq_ws_mult_get(&r->q, kind);					\
}										\
										\
static __always_inline void *id##_steal(struct ring *r, u32 party)		\
{										\
	void *task = NULL;							\
										\
	wsq_ws_mult_steal(&r->q, kind, &r->max[party], &task);			\
	return task;								\
}										\
										\
static void *id##_create(u32 parties, u64 length, u64 most)			\
{										\
	return ring_create(parties, length, most);				\
}										\
										\
static void id##_destroy(void *q)						\
{										\
	ring_destroy(q);							\
}										\
										\
MULT_CASE(id, title, limit, false, struct ring, ring_put, id##_get, id##_steal,	\
	  ring_waiting)

RING(weak, "wsq mult weak", MULT_PARTY_ONCE, WSQ_MULT_WEAK);
RING(bounded, "wsq mult bounded", MULT_THIEF_ONCE, WSQ_MULT_BOUNDED);
RING(exact, "wsq mult exact", MULT_ONCE, WSQ_MULT_EXACT);

/* ---- Memory without end ---- */

static struct wsq_tasks_node *node_new(u64 size, bool marks)
{
	size_t slots = (marks ? 2 : 1) * size * sizeof(wsq_slot_t);
	struct wsq_tasks_node *node = malloc(sizeof(*node) + slots);

	if (!node)
		no_memory();
	node->size = size;
	node->slots = (wsq_slot_t *)(node + 1);
	node->marks = marks ? node->slots + size : NULL;
	return node;
}

static __attribute__((noinline)) void tasks_grow(struct wsq_tasks *t, u32 way)
{
	u64 size = t->last->size;

	if (way == WSQ_TASKS_GROWING)
		size *= 2;
	wsq_tasks_grow(t, way, node_new(size, t->last->marks));
}

static void tasks_free(struct wsq_tasks *t, u32 way)
{
	struct wsq_tasks_node *node = way == WSQ_TASKS_GROWING ? t->last : t->head, *next;

	for (; node; node = next) {
		next = way == WSQ_TASKS_GROWING ? node->older : wsq_slot_peek(&node->next);
		free(node);
	}
}

/* ---- WS-WMULT as published ---- */

struct wmult {
	struct ws_wmult q;
	struct ws_wmult_party parties[WALK_THREADS];
};

static void *wmult_create(u32 parties, u64 length, bool marks)
{
	struct wmult *m = mult_zalloc(sizeof(*m));
	u32 i;

	ws_wmult_init(&m->q, node_new(length, marks));
	for (i = 0; i < parties; i++)
		ws_wmult_join(&m->q, &m->parties[i]);
	return m;
}

static inline bool wmult_waiting(struct wmult *m)
{
	return ws_wmult_waiting(&m->q, &m->parties[0]);
}

#define WMULT(id, title, limit, way, marks)					\
static __always_inline void id##_put(struct wmult *m, void *task)		\
{										\
	if (unlikely(ws_wmult_put(&m->q, task) < 0)) {				\
		tasks_grow(&m->q.tasks, way);					\
		ws_wmult_put(&m->q, task);					\
	}									\
}										\
										\
static __always_inline void *id##_get(struct wmult *m)				\
{										\
	return ws_wmult_get(&m->q, way, &m->parties[0]);			\
}										\
										\
static __always_inline void *id##_steal(struct wmult *m, u32 party)		\
{										\
	return ws_wmult_steal(&m->q, way, marks, &m->parties[party]);		\
}										\
										\
static void *id##_create(u32 parties, u64 length, u64 most)			\
{										\
	(void)most;								\
	return wmult_create(parties, length, marks);				\
}										\
										\
static void id##_destroy(void *arg)						\
{										\
	tasks_free(&((struct wmult *)arg)->q.tasks, way);			\
	free(arg);								\
}										\
										\
MULT_CASE(id, title, limit, false, struct wmult, id##_put, id##_get, id##_steal, \
	  wmult_waiting)

WMULT(wmult_linked, "ws-wmult linked", MULT_PARTY_ONCE, WSQ_TASKS_LINKED, false);
WMULT(wmult_growing, "ws-wmult growing", MULT_PARTY_ONCE, WSQ_TASKS_GROWING, false);
WMULT(bwmult_linked, "b-ws-wmult linked", MULT_THIEF_ONCE, WSQ_TASKS_LINKED, true);

/* ---- WS-MULT, on a MaxRegister ---- */

struct strict {
	struct wsq_ws_strict q;
	struct wsq_ws_strict_party parties[WALK_THREADS];
	struct wsq_max_own own[WALK_THREADS];
};

static void *strict_create(u32 parties, u64 length, u32 kind)
{
	struct strict *s = mult_zalloc(sizeof(*s));
	u32 i;

	wsq_ws_strict_init(&s->q, node_new(length, false),
			   kind == WSQ_MAX_FLAT ? s->own : NULL, parties);
	for (i = 0; i < parties; i++)
		wsq_ws_strict_join(&s->q, &s->parties[i], i);
	return s;
}

static __attribute__((noinline)) void strict_grow(struct strict *s, u32 way)
{
	u32 segment;

	if (wsq_ws_strict_needs_head(&s->q, &segment))
		wsq_ws_strict_grow_head(&s->q, segment,
					mult_zalloc(wsq_max_switches(segment) * sizeof(atomic64_t)));
	else
		tasks_grow(&s->q.tasks, way);
}

static void strict_destroy(struct strict *s, u32 way)
{
	u32 k;

	tasks_free(&s->q.tasks, way);
	for (k = 0; k < WSQ_MAX_SEGMENTS; k++)
		free(wsq_slot_peek(&s->q.head.segments[k]));
	free(s);
}

#define STRICT(id, title, steps, way, kind)					\
static __always_inline void id##_put(struct strict *s, void *task)		\
{										\
	while (unlikely(wsq_ws_strict_put(&s->q, task) < 0))			\
		strict_grow(s, way);						\
}										\
										\
static __always_inline void *id##_get(struct strict *s)				\
{										\
	return wsq_ws_strict_get(&s->q, way, kind, &s->parties[0]);		\
}										\
										\
static __always_inline void *id##_steal(struct strict *s, u32 party)		\
{										\
	void *task = NULL;							\
										\
	wsq_ws_strict_steal(&s->q, way, kind, &s->parties[party], &task);	\
	return task;								\
}										\
										\
static inline bool id##_waiting(struct strict *s)				\
{										\
	return wsq_ws_strict_waiting(&s->q, kind);				\
}										\
										\
static void *id##_create(u32 parties, u64 length, u64 most)			\
{										\
	(void)most;								\
	return strict_create(parties, length, kind);				\
}										\
										\
static void id##_destroy(void *s)						\
{										\
	strict_destroy(s, way);							\
}										\
										\
MULT_CASE(id, title, MULT_PARTY_ONCE, steps, struct strict, id##_put, id##_get,	\
	  id##_steal, id##_waiting)

STRICT(flat_linked, "ws-mult flat linked", false, WSQ_TASKS_LINKED, WSQ_MAX_FLAT);
STRICT(flat_growing, "ws-mult flat growing", false, WSQ_TASKS_GROWING, WSQ_MAX_FLAT);
STRICT(tree_linked, "ws-mult tree linked", true, WSQ_TASKS_LINKED, WSQ_MAX_TREE);
STRICT(tree_growing, "ws-mult tree growing", true, WSQ_TASKS_GROWING, WSQ_MAX_TREE);

/* ---- Queues of other authors ---- */

#define PEER(id, title, limit)							\
static __always_inline void *id##_try(struct id *q, u32 party)			\
{										\
	void *task = NULL;							\
										\
	(void)party;								\
	return id##_steal(q, &task) == WSQ_OK ? task : NULL;			\
}										\
										\
static void *id##_create(u32 parties, u64 length, u64 most)			\
{										\
	struct id *q = mult_zalloc(sizeof(*q));					\
										\
	(void)parties;								\
	(void)most;								\
	id##_init(q, length);							\
	return q;								\
}										\
										\
static void id##_destroy(void *q)						\
{										\
	id##_exit(q);								\
	free(q);								\
}										\
										\
MULT_CASE(id, title, limit, false, struct id, id##_put, id##_get, id##_try, id##_waiting)

PEER(idem_fifo, "idempotent fifo", MULT_AGAIN);
PEER(idem_lifo, "idempotent lifo", MULT_AGAIN);
PEER(idem_deque, "idempotent deque", MULT_AGAIN);
PEER(the, "the", MULT_ONCE);

static struct chase_lev_array *cl_array(size_t size)
{
	struct chase_lev_array *a = malloc(sizeof(*a) + size * sizeof(*a->slots));

	if (!a)
		no_memory();
	a->mask = size - 1;
	a->slots = (_Atomic(void *) *)(a + 1);
	a->older = NULL;
	return a;
}

static void *chase_lev_create(u32 parties, u64 length, u64 most)
{
	struct chase_lev *d = mult_zalloc(sizeof(*d));

	(void)parties;
	(void)most;
	atomic_store_explicit(&d->grown, cl_array(length), memory_order_relaxed);
	return d;
}

static void chase_lev_destroy(void *arg)
{
	struct chase_lev *d = arg;
	struct chase_lev_array *a = atomic_load_explicit(&d->grown, memory_order_relaxed), *older;

	for (; a; a = older) {
		older = a->older;
		free(a);
	}
	free(d);
}

static __attribute__((noinline)) void cl_grow(struct chase_lev *d, void *task)
{
	struct chase_lev_array *a = atomic_load_explicit(&d->grown, memory_order_relaxed);

	chase_lev_grow(d, cl_array(2 * (a->mask + 1)));
	chase_lev_put(d, task, true);
}

static __always_inline void cl_put(struct chase_lev *d, void *task)
{
	if (unlikely(!chase_lev_put(d, task, true)))
		cl_grow(d, task);
}

static __always_inline void *cl_get(struct chase_lev *d)
{
	return chase_lev_get(d, true);
}

static __always_inline void *cl_steal(struct chase_lev *d, u32 party)
{
	void *task = NULL;

	(void)party;
	return chase_lev_steal(d, &task, true) ? task : NULL;
}

static inline bool cl_waiting(struct chase_lev *d)
{
	return chase_lev_size(d);
}

MULT_CASE(chase_lev, "chase_lev", MULT_ONCE, false, struct chase_lev, cl_put, cl_get, cl_steal,
	  cl_waiting);

const struct mult_case *const mult_cases[] = {
	&mult_chase_lev, &mult_the, &mult_idem_fifo, &mult_idem_lifo, &mult_idem_deque,
	&mult_weak, &mult_bounded, &mult_exact,
	&mult_wmult_linked, &mult_wmult_growing, &mult_bwmult_linked,
	&mult_flat_linked, &mult_flat_growing, &mult_tree_linked, &mult_tree_growing,
	NULL,
};
