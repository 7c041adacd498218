/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a fuzzer's bytes mean: numbers, taken from the front. Behind the end all are
 * zero, and so short inputs are whole ones.
 */
#ifndef _WSQ_FUZZ_INPUT_H
#define _WSQ_FUZZ_INPUT_H

#include "shim/shim.h"

struct wsq_sqe;

struct input {
	const u8 *p;
	size_t n;
};

static inline void in_bytes(struct input *in, void *to, size_t n)
{
	size_t have = min(n, in->n);

	if (n)
		memset(to, 0, n);
	if (have)
		memcpy(to, in->p, have);
	in->p += have;
	in->n -= have;
}

static inline u8 in_u8(struct input *in)
{
	u8 v;

	in_bytes(in, &v, sizeof(v));
	return v;
}

static inline u16 in_u16(struct input *in)
{
	u16 v;

	in_bytes(in, &v, sizeof(v));
	return v;
}

static inline u32 in_u32(struct input *in)
{
	u32 v;

	in_bytes(in, &v, sizeof(v));
	return v;
}

static inline u64 in_u64(struct input *in)
{
	u64 v;

	in_bytes(in, &v, sizeof(v));
	return v;
}

/* A number of any size, mostly one at which something may happen. */
u64 in_number(struct input *in, u64 limit);
/* An entry: arbitrary, or what its op may like. */
void in_sqe(struct input *in, struct wsq_sqe *sqe, u8 *arena, u64 arena_bytes);

/* Register an op that may be wrong in any way, and unregister it. */
void op_any(struct input *in);

#endif /* _WSQ_FUZZ_INPUT_H */
