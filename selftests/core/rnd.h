/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers for tests in user space: seeded, so that a run can be
 * repeated. For tests only.
 */
#ifndef _WSQ_SELFTESTS_RND_H
#define _WSQ_SELFTESTS_RND_H

#include <wsq_platform.h>

/* xorshift64*: small, seeded, the same everywhere. */
static inline u64 rnd(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ULL;
}

#endif /* _WSQ_SELFTESTS_RND_H */
