/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fuzzer's bytes as numbers, taken from the front. Behind the end all bytes
 * are zero, so short inputs are complete.
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

/* A number of any size, mostly at or near a bound. */
u64 in_number(struct input *in, u64 limit);
/* An entry: arbitrary, or one that its op may accept. */
void in_sqe(struct input *in, struct wsq_sqe *sqe, u8 *arena, u64 arena_bytes);

/* Futures for it, the ring's entry @i; with @many, for an entry of a large graph. */
void in_futures(struct input *in, struct wsq_sqe *sqe, u32 i, u32 many);

/* Register an op that may be wrong in any way, and unregister it. */
void op_any(struct input *in);

#endif /* _WSQ_FUZZ_INPUT_H */
