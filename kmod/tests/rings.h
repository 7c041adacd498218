/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For suites that need whole rings: SETUP, ENTER and close without a process.
 * The test writes the SQEs where a process would see them.
 */
#ifndef _WSQ_TESTS_RINGS_H
#define _WSQ_TESTS_RINGS_H

#include <linux/cred.h>
#include <linux/fs.h>

#include "../ring/enter.h"
#include "../ring/limits.h"
#include "../ring/ring.h"
#include "../ring/setup.h"
#include "../ring/user.h"
#include "../ring/wait.h"
#include "items.h"

/* A ring of the caller's user. Ended by wsq_test_ring_close(). */
static inline struct wsq_ring *wsq_test_ring(struct kunit *test, u32 flags,
					     u32 sq_entries, u64 arena)
{
	struct file *file = kzalloc(sizeof(*file), GFP_KERNEL);
	struct wsq_ring *ring;
	struct wsq_sizes s;

	KUNIT_ASSERT_NOT_NULL(test, file);
	file->f_cred = current_cred();
	ring = wsq_ring_alloc(file);
	kfree(file);
	KUNIT_ASSERT_NOT_NULL(test, ring);
	KUNIT_ASSERT_EQ(test, wsq_ring_sizes(flags, sq_entries, 0, arena, &s),
			0);
	mutex_lock(&ring->lock);
	KUNIT_ASSERT_EQ(test, wsq_limits_charge(ring, &s), 0);
	KUNIT_ASSERT_EQ(test, wsq_ring_make(ring, &s), 0);
	wsq_ring_publish(ring);
	mutex_unlock(&ring->lock);
	return ring;
}

/* Close the file. The ring frees itself: do not use it any more. */
static inline void wsq_test_ring_close(struct wsq_ring *ring)
{
	wsq_ring_release(ring);
}

/* Fill the next SQE. One producer; ENTER takes it, not before. */
static inline void wsq_test_ring_push(struct wsq_ring *ring,
				      const struct wsq_sqe *sqe)
{
	u64 tail = ring->page->sq_tail;

	ring->sqes[tail & ring->sq_mask] = *sqe;
	/* [SQ1], the process' half. */
	smp_store_release(&ring->page->sq_tail, tail + 1);
}

/* Take all SQEs, without waiting for completions. */
static inline void wsq_test_ring_enter(struct kunit *test,
				       struct wsq_ring *ring)
{
	struct wsq_enter e = { .to_submit = U32_MAX };

	KUNIT_ASSERT_EQ(test, wsq_ring_enter(ring, &e), 0);
	KUNIT_ASSERT_EQ(test, ring->sq_head, ring->page->sq_tail);
}

/* How many tasks have published completions. */
static inline u64 wsq_test_ring_done(struct wsq_ring *ring)
{
	return wsq_ring_published(ring, READ_ONCE(ring->sq_head));
}

/* Wait until all tasks have; false on timeout. */
static inline bool wsq_test_ring_settled(struct wsq_ring *ring)
{
	return wsq_test_until(wsq_test_ring_done(ring) == ring->sq_head);
}

/* Consume all published completions. */
static inline void wsq_test_ring_read(struct wsq_ring *ring)
{
	/* [CQ2], the process' half. */
	smp_store_release(&ring->page->cq_head, wsq_test_ring_done(ring));
}

/* The result of completion @n, which must be published. */
static inline s64 wsq_test_ring_res(const struct wsq_ring *ring, u64 n)
{
	return ring->cqes[n & ring->cq_mask].res;
}

/* Wait until all rings that were closed are freed; false on timeout. */
static inline bool wsq_test_rings_gone(void)
{
	return wsq_test_until(!wsq_ring_count());
}

#endif /* _WSQ_TESTS_RINGS_H */
