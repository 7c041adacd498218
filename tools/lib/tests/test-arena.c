// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * Tests of the arena's allocator: edge cases, and a long random run against a
 * plain map of the owner of each byte.
 */
#include <stdlib.h>

#include "libwsq.h"
#include "sys.h"
#include "tap.h"

static void arguments(void)
{
	struct wsq_arena *a = wsq_arena_create(4096);

	CHECK(wsq_arena_take(a, 0, 1) == -EINVAL);
	CHECK(wsq_arena_take(a, 1, 0) == -EINVAL);
	CHECK(wsq_arena_take(a, 1, 3) == -EINVAL);
	CHECK(wsq_arena_take(a, 4097, 1) == -ENOMEM);
	CHECK(wsq_arena_take(a, SIZE_MAX, 1) == -ENOMEM);
	CHECK(wsq_arena_take(a, 1, 8192) == -ENOMEM);
	CHECK(wsq_arena_take(a, 4096, 4096) == 0);
	CHECK(wsq_arena_take(a, 1, 1) == -ENOMEM);
	CHECK(wsq_arena_max(a) == 0);
	wsq_arena_destroy(a);
}

static void no_arena(void)
{
	struct wsq_arena *a = wsq_arena_create(0);

	CHECK(a);
	CHECK(wsq_arena_take(a, 1, 1) == -ENOMEM);
	CHECK(wsq_arena_give(a, 0) == -EINVAL);
	CHECK(wsq_arena_max(a) == 0);
	wsq_arena_destroy(a);
}

static void double_free(void)
{
	struct wsq_arena *a = wsq_arena_create(1 << 20);
	__s64 x = wsq_arena_take(a, 100, 1), y = wsq_arena_take(a, 100, 1);

	CHECK(x >= 0 && y >= 0 && x != y);
	CHECK(wsq_arena_give(a, x + 64) == -EINVAL);	/* inside a block */
	CHECK(wsq_arena_give(a, x + 1) == -EINVAL);
	CHECK(wsq_arena_give(a, 1 << 20) == -EINVAL);	/* outside */
	CHECK(wsq_arena_give(a, ~0ULL) == -EINVAL);
	CHECK(wsq_arena_give(a, x) == 0);
	CHECK(wsq_arena_give(a, x) == -EINVAL);
	CHECK(wsq_arena_give(a, y) == 0);
	CHECK(wsq_arena_give(a, y) == -EINVAL);
	CHECK(wsq_arena_give(a, x) == -EINVAL);		/* merged by now */
	CHECK(wsq_arena_max(a) == 1 << 20);
	wsq_arena_destroy(a);
}

static void odd_sizes(void)
{
	/* 5 pages and a bit: 16 KiB + 4 KiB; the rest of 63 bytes is lost. */
	struct wsq_arena *a = wsq_arena_create(5 * 4096 + 63);
	__s64 big;

	CHECK(wsq_arena_max(a) == 16384);
	big = wsq_arena_take(a, 16384, 1);
	CHECK(big == 0);
	CHECK(wsq_arena_take(a, 4096, 4096) == 16384);
	CHECK(wsq_arena_max(a) == 0);
	CHECK(wsq_arena_give(a, 16384) == 0);
	CHECK(wsq_arena_give(a, big) == 0);
	CHECK(wsq_arena_max(a) == 16384);
	wsq_arena_destroy(a);
}

#define BYTES	(300 << 10)
#define LIVE	500

static void random_run(void)
{
	struct wsq_arena *a = wsq_arena_create(BYTES);
	static struct { __s64 off; size_t size; } live[LIVE];
	unsigned char *owner = calloc(1, BYTES);
	unsigned int i, step, nr = 0, full = 0, bad = 0;
	__u64 fresh = wsq_arena_max(a);
	size_t k;

	srand(1);
	for (step = 0; step < 200000; step++) {
		if (nr < LIVE && rand() % 2) {
			size_t size = 1 + rand() % (rand() % 20 ? 900 : 20000);
			size_t align = 1UL << (rand() % 13);
			__s64 off = wsq_arena_take(a, size, align);

			if (off == -ENOMEM) {
				full++;
				continue;
			}
			bad += off < 0 || off % align ||
			       off + size > BYTES;
			for (k = 0; k < size; k++)
				bad += owner[off + k]++ != 0;
			live[nr].off = off;
			live[nr++].size = size;
		} else if (nr) {
			i = rand() % nr;
			for (k = 0; k < live[i].size; k++)
				owner[live[i].off + k]--;
			bad += wsq_arena_give(a, live[i].off) != 0;
			live[i] = live[--nr];
		}
	}
	CHECK(!bad);
	CHECK(full);
	while (nr)
		CHECK(wsq_arena_give(a, live[--nr].off) == 0);
	CHECK(wsq_arena_max(a) == fresh);
	free(owner);
	wsq_arena_destroy(a);
}

int main(void)
{
	tap_case("arena: arguments", arguments);
	tap_case("arena: of no bytes", no_arena);
	tap_case("arena: freed twice, never allocated", double_free);
	tap_case("arena: sizes that are no power of two", odd_sizes);
	tap_case("arena: random run against a map", random_run);
	return tap_done();
}
