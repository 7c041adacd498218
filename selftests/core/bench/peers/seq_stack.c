// SPDX-License-Identifier: GPL-2.0
/*
 * The upper bound for a LIFO: a plain sequential stack in an array, which no
 * second context may touch. Fields of one word each, on one line; its size is
 * in memory, as if chosen at run time.
 */
#include "../owner.h"

struct stack {
	uint64_t pos;
	uint64_t size;
	void **slots;
};

static inline bool stack_put(struct stack *s, void *task)
{
	uint64_t pos = s->pos;

	if (__builtin_expect(pos == s->size, 0))
		return false;
	s->slots[pos] = task;
	s->pos = pos + 1;
	return true;
}

static inline void *stack_get(struct stack *s)
{
	uint64_t pos = s->pos;
	void *task;

	if (__builtin_expect(!pos, 0))
		return NULL;
	task = s->slots[pos - 1];
	s->pos = pos - 1;
	return task;
}

static inline unsigned int stack_put_many(struct stack *s, void **tasks,
					  unsigned int nr)
{
	uint64_t pos = s->pos, space = s->size - pos;
	unsigned int i, n = space < nr ? (unsigned int)space : nr;

	for (i = 0; i < n; i++)
		s->slots[pos + i] = tasks[i];
	s->pos = pos + n;
	return n;
}

static inline unsigned int stack_get_many(struct stack *s, void **tasks,
					  unsigned int nr)
{
	uint64_t pos = s->pos;
	unsigned int i, n = pos < nr ? (unsigned int)pos : nr;

	for (i = 0; i < n; i++)
		tasks[i] = s->slots[pos - 1 - i];
	s->pos = pos - n;
	return n;
}

static void *stack_create(const struct bench_queue *self)
{
	struct stack *s = bench_alloc(sizeof(*s));

	s->pos = 0;
	s->size = self->capacity;
	s->slots = bench_alloc(self->capacity * sizeof(*s->slots));
	return s;
}

static void stack_destroy(void *arg)
{
	struct stack *s = arg;

	bench_free(s->slots);
	bench_free(s);
}

BENCH_OWNER(stack, struct stack, stack_put, stack_get)
BENCH_OWNER_MANY(stack, struct stack, stack_put_many, stack_get_many,
		 BENCH_BOUNDED)

#define STACK(id, label, cap)						\
const struct bench_queue bench_##id = {					\
	.name		= label,					\
	.capacity	= cap,						\
	.create		= stack_create,					\
	.destroy	= stack_destroy,				\
	.put		= stack_call_put,				\
	.get		= stack_call_get,				\
	.pass		= stack_pass,					\
	.pass_many	= stack_pass_many,				\
}

STACK(seq_stack_8k, "seq_stack", 8192);
STACK(seq_stack_4k, "seq_stack 4k", 4096);
