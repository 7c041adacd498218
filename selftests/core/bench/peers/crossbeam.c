// SPDX-License-Identifier: GPL-2.0
/*
 * crossbeam-deque (package librust-crossbeam-deque-dev), first in first out
 * and last in first out. The measured loop is in crossbeam/src/lib.rs, so no
 * call into Rust is paid per operation. Unbounded: the loop counts to the
 * capacity; the deque's buffer grows and shrinks as it does by default.
 */
#include "../bench.h"

void *xb_create(bool fifo);
void xb_destroy(void *q);
void xb_put(void *q, void *task);
void *xb_get(void *q);
void xb_pass(void *q, uint64_t passes, uint64_t capacity,
	     struct bench_count *count);
void xb_beside_thief(void *q, uint64_t capacity, struct bench_count *count);
unsigned int xb_steal(void *q);

#define CAPACITY	8192

static void *create_fifo(const struct bench_queue *self)
{
	(void)self;
	return xb_create(true);
}

static void *create_lifo(const struct bench_queue *self)
{
	(void)self;
	return xb_create(false);
}

static bool put(void *q, void *task)
{
	xb_put(q, task);
	return true;
}

static void pass(void *q, uint64_t passes, struct bench_count *count)
{
	xb_pass(q, passes, CAPACITY, count);
}

static void beside_thief(void *q, struct bench_count *count)
{
	xb_beside_thief(q, CAPACITY, count);
}

#define XB(id, label, create_fn)					\
const struct bench_queue bench_##id = {					\
	.name		= label,					\
	.capacity	= CAPACITY,					\
	.create		= create_fn,					\
	.destroy	= xb_destroy,					\
	.put		= put,						\
	.get		= xb_get,					\
	.pass		= pass,						\
	.beside_thief	= beside_thief,					\
	.steal		= xb_steal,					\
}

XB(xb_fifo, "crossbeam fifo", create_fifo);
XB(xb_lifo, "crossbeam lifo", create_lifo);
