// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * libwsq: an allocator for the ring's data arena.
 *
 * Binary buddies. Blocks are powers of two from 64 bytes (a cache line) up to
 * the largest power of two that fits; a block's offset is a multiple of its
 * size, so alignment costs nothing extra up to the size (and, since the arena
 * begins on a page, holds for addresses up to a page).
 *
 * Cost: alloc and free take at most O(log2(arena / 64)) steps, 27 for 4 GiB,
 * and usually one or two. A request is rounded up to a power of two: up to half
 * of the arena may be lost inside blocks. The allocator's state is in private
 * memory, 9 bytes for every 64 of the arena, touched as used: a task that
 * writes outside its range cannot corrupt it.
 *
 * Limitations: one thread at a time, like everything of a ring. Arenas up to
 * 256 GiB - 64. Blocks do not move, so a fragmented arena may refuse a request
 * although enough bytes are free. A double free, and a free of an offset that
 * was never allocated, return -EINVAL. A double free is not detected once the
 * block has been allocated again.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "libwsq.h"
#include "sys.h"

#define UNIT_SHIFT	6
#define UNIT		(1ULL << UNIT_SHIFT)
#define NR_ORDERS	32
#define NIL		UINT32_MAX

/* The state of the unit where a block begins; 0 inside a block. */
#define ST_FREE		0x40
#define ST_USED		0x80
#define ST_ORDER	0x3f

/**
 * struct wsq_arena - the allocator's state
 * @units: number of 64-byte units
 * @nonempty: bit o is set if @head[o] is not NIL
 * @head: first free block of each order, as a unit number
 * @link: for the first unit of a free block: next and previous block
 * @state: ST_* of each unit
 */
struct wsq_arena {
	__u32 units;
	__u32 nonempty;
	__u32 head[NR_ORDERS];
	struct {
		__u32 next;
		__u32 prev;
	} *link;
	unsigned char *state;
};

static void list_add(struct wsq_arena *a, __u32 u, unsigned int order)
{
	__u32 first = a->head[order];

	a->link[u].next = first;
	a->link[u].prev = NIL;
	if (first != NIL)
		a->link[first].prev = u;
	a->head[order] = u;
	a->nonempty |= 1U << order;
	a->state[u] = ST_FREE | order;
}

static void list_del(struct wsq_arena *a, __u32 u, unsigned int order)
{
	__u32 next = a->link[u].next, prev = a->link[u].prev;

	if (next != NIL)
		a->link[next].prev = prev;
	if (prev != NIL)
		a->link[prev].next = next;
	else
		a->head[order] = next;
	if (a->head[order] == NIL)
		a->nonempty &= ~(1U << order);
	a->state[u] = 0;
}

/* Frees a block, and merges it with its buddy while that is free. */
static void block_free(struct wsq_arena *a, __u32 u, unsigned int order)
{
	while (order + 1 < NR_ORDERS) {
		__u32 buddy = u ^ (1U << order);

		if (buddy >= a->units || a->state[buddy] != (ST_FREE | order))
			break;
		list_del(a, buddy, order);
		u &= ~(1U << order);
		order++;
	}
	list_add(a, u, order);
}

struct wsq_arena *wsq_arena_create(__u64 bytes)
{
	__u64 units = bytes >> UNIT_SHIFT;
	struct wsq_arena *a;
	unsigned int i;
	__u32 u = 0;

	if (units >= NIL)
		return NULL;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->units = (__u32)units;
	a->link = calloc(units + 1, sizeof(*a->link));
	a->state = calloc(units + 1, 1);
	if (!a->link || !a->state) {
		wsq_arena_destroy(a);
		return NULL;
	}
	for (i = 0; i < NR_ORDERS; i++)
		a->head[i] = NIL;

	/* The largest aligned blocks that fit, from left to right. */
	while (u < a->units) {
		unsigned int order = 31 - __builtin_clz(a->units - u);

		list_add(a, u, order);
		u += 1U << order;
	}
	return a;
}

void wsq_arena_destroy(struct wsq_arena *a)
{
	if (!a)
		return;
	free(a->link);
	free(a->state);
	free(a);
}

__s64 wsq_arena_take(struct wsq_arena *a, size_t size, size_t align)
{
	unsigned int want = 0, order;
	__u32 fits, u;
	__u64 units;

	if (!size || !align || (align & (align - 1)))
		return -EINVAL;
	if (size < align)
		size = align;
	if (size > (__u64)a->units << UNIT_SHIFT)
		return -ENOMEM;
	units = (size + UNIT - 1) >> UNIT_SHIFT;
	if (units > 1)
		want = 64 - __builtin_clzll(units - 1);
	if (want >= NR_ORDERS)
		return -ENOMEM;

	fits = a->nonempty & (~0U << want);
	if (!fits)
		return -ENOMEM;
	order = __builtin_ctz(fits);
	u = a->head[order];
	list_del(a, u, order);
	while (order > want) {
		order--;
		list_add(a, u + (1U << order), order);
	}
	a->state[u] = ST_USED | want;
	return (__s64)u << UNIT_SHIFT;
}

int wsq_arena_give(struct wsq_arena *a, __u64 off)
{
	__u64 u = off >> UNIT_SHIFT;
	unsigned int order;

	if ((off & (UNIT - 1)) || u >= a->units || !(a->state[u] & ST_USED))
		return -EINVAL;
	order = a->state[u] & ST_ORDER;
	/* If the merged block begins at the buddy, this unit is inside it. */
	a->state[u] = 0;
	block_free(a, (__u32)u, order);
	return 0;
}

__u64 wsq_arena_max(const struct wsq_arena *a)
{
	return a->nonempty ? UNIT << (31 - __builtin_clz(a->nonempty)) : 0;
}

/**
 * wsq_arena_alloc - allocates from the arena
 * @ring: the ring
 * @size: bytes, not zero
 * @align: a power of two; 1 if it does not matter
 *
 * Returns its offset, -ENOMEM, or -EINVAL.
 */
__s64 wsq_arena_alloc(struct wsq_ring *ring, size_t size, size_t align)
{
	return wsq_arena_take(ring->heap, size, align);
}

/**
 * wsq_arena_free - frees a block; no task may still be using it
 * @ring: the ring
 * @off: what wsq_arena_alloc() returned
 *
 * Returns 0, or -EINVAL if no allocated block begins there.
 */
int wsq_arena_free(struct wsq_ring *ring, __u64 off)
{
	return wsq_arena_give(ring->heap, off);
}

/**
 * wsq_arena_largest - the largest @size that wsq_arena_alloc() can satisfy now
 * @ring: the ring
 */
__u64 wsq_arena_largest(const struct wsq_ring *ring)
{
	return wsq_arena_max(ring->heap);
}
