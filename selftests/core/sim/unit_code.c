// SPDX-License-Identifier: GPL-2.0
/* Instrumented code for the unit tests. */
#include <string.h>

#include "unit_code.h"

uint64_t code_global[8] __attribute__((aligned(64)));

uint64_t code_load(const uint64_t *p)
{
	return *p;
}

void code_store(uint64_t *p, uint64_t val)
{
	*p = val;
}

uint64_t code_load_acquire(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

void code_store_release(uint64_t *p, uint64_t val)
{
	__atomic_store_n(p, val, __ATOMIC_RELEASE);
}

void code_store_seq_cst(uint64_t *p, uint64_t val)
{
	__atomic_store_n(p, val, __ATOMIC_SEQ_CST);
}

uint64_t code_add(uint64_t *p, uint64_t val)
{
	return __atomic_fetch_add(p, val, __ATOMIC_SEQ_CST);
}

uint64_t code_cmpxchg(uint64_t *p, uint64_t old, uint64_t val)
{
	__atomic_compare_exchange_n(p, &old, val, 0, __ATOMIC_SEQ_CST,
				    __ATOMIC_RELAXED);
	return old;
}

void code_clear(void *p, size_t size)
{
	memset(p, 0, size);
}

void code_clear_big(struct code_big *p)
{
	memset(p, 0, sizeof(*p));
}

void code_copy_big(struct code_big *to, const struct code_big *from)
{
	*to = *from;
}

uint64_t code_sum(const uint64_t *p, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += p[i];
	return sum;
}
