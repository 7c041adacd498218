// SPDX-License-Identifier: GPL-2.0
/*
 * The upper bound: a plain sequential ring, which no second context may touch.
 *
 * seq_ring has its mask in memory, like a ring whose size is chosen at run
 * time; seq_ring_const has it in the code. Fields of one word each, on one
 * line.
 */
#include "../owner.h"

struct seq {
	uint64_t head;
	uint64_t tail;
	uint64_t mask;
	void **slots;
};

/* @mask is a constant, or was just loaded from @r. */
static inline __attribute__((always_inline))
bool seq_put_mask(struct seq *r, void *task, uint64_t mask)
{
	uint64_t tail = r->tail;

	if (__builtin_expect(tail - r->head > mask, 0))
		return false;
	r->slots[tail & mask] = task;
	r->tail = tail + 1;
	return true;
}

static inline __attribute__((always_inline))
void *seq_get_mask(struct seq *r, uint64_t mask)
{
	uint64_t head = r->head;
	void *task;

	if (__builtin_expect(head == r->tail, 0))
		return NULL;
	task = r->slots[head & mask];
	r->head = head + 1;
	return task;
}

static inline bool seq_put(struct seq *r, void *task)
{
	return seq_put_mask(r, task, r->mask);
}

static inline void *seq_get(struct seq *r)
{
	return seq_get_mask(r, r->mask);
}

static inline bool seq_put_8k(struct seq *r, void *task)
{
	return seq_put_mask(r, task, 8191);
}

static inline void *seq_get_8k(struct seq *r)
{
	return seq_get_mask(r, 8191);
}

static inline bool seq_put_4k(struct seq *r, void *task)
{
	return seq_put_mask(r, task, 4095);
}

static inline void *seq_get_4k(struct seq *r)
{
	return seq_get_mask(r, 4095);
}

static inline unsigned int seq_put_many(struct seq *r, void **tasks,
					unsigned int nr)
{
	uint64_t mask = r->mask, tail = r->tail;
	uint64_t space = mask + 1 - (tail - r->head);
	unsigned int i, n = space < nr ? (unsigned int)space : nr;

	for (i = 0; i < n; i++)
		r->slots[(tail + i) & mask] = tasks[i];
	r->tail = tail + n;
	return n;
}

static inline unsigned int seq_get_many(struct seq *r, void **tasks,
					unsigned int nr)
{
	uint64_t mask = r->mask, head = r->head;
	uint64_t held = r->tail - head;
	unsigned int i, n = held < nr ? (unsigned int)held : nr;

	for (i = 0; i < n; i++)
		tasks[i] = r->slots[(head + i) & mask];
	r->head = head + n;
	return n;
}

static void *seq_create(const struct bench_queue *self)
{
	struct seq *r = bench_alloc(sizeof(*r));

	r->mask = self->capacity - 1;
	r->slots = bench_alloc(self->capacity * sizeof(*r->slots));
	return r;
}

static void seq_destroy(void *arg)
{
	struct seq *r = arg;

	bench_free(r->slots);
	bench_free(r);
}

BENCH_OWNER(seq, struct seq, seq_put, seq_get)
BENCH_OWNER_MANY(seq, struct seq, seq_put_many, seq_get_many, BENCH_BOUNDED)
BENCH_OWNER(seq_8k, struct seq, seq_put_8k, seq_get_8k)
BENCH_OWNER(seq_4k, struct seq, seq_put_4k, seq_get_4k)

#define SEQ(id, label, cap, prefix, many)				\
const struct bench_queue bench_##id = {					\
	.name		= label,					\
	.capacity	= cap,						\
	.create		= seq_create,					\
	.destroy	= seq_destroy,					\
	.put		= prefix##_call_put,				\
	.get		= prefix##_call_get,				\
	.pass		= prefix##_pass,				\
	.pass_many	= many,						\
}

SEQ(seq_8k, "seq_ring", 8192, seq, seq_pass_many);
SEQ(seq_4k, "seq_ring 4k", 4096, seq, NULL);
SEQ(seq_const_8k, "seq_ring const mask", 8192, seq_8k, NULL);
SEQ(seq_const_4k, "seq_ring const mask 4k", 4096, seq_4k, NULL);
