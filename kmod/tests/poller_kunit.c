// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of a poller's round, with rings that have only what the round
 * looks at. A ring joins at the one moment at which it could take another
 * ring's turn. Programs that try to hit that moment are in
 * selftests/wsq/poll_storm.c.
 */
#include <kunit/test.h>
#include <linux/list.h>
#include <linux/slab.h>

#include "../ring/poller.h"
#include "../ring/ring.h"
#include "items.h"

/* The round has looked at the ring: it marked the invalid request. */
static bool round_saw(const struct wsq_ring *ring)
{
	return READ_ONCE(ring->poll_stuck);
}

static void round_idle(struct percpu_ref *refs)
{
}

/* Enough of a ring for a round; %NULL without memory. */
static struct wsq_ring *round_ring(bool disabled)
{
	struct wsq_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL);

	if (!ring)
		return NULL;
	ring->page = kzalloc(sizeof(*ring->page), GFP_KERNEL);
	if (!ring->page ||
	    percpu_ref_init(&ring->refs, round_idle, 0, GFP_KERNEL)) {
		kfree(ring->page);
		kfree(ring);
		return NULL;
	}
	mutex_init(&ring->lock);
	init_waitqueue_head(&ring->poll_wait);
	INIT_LIST_HEAD(&ring->poll_link);
	ring->sizes.sq_entries = 1;
	ring->sizes.cq_entries = 1;
	ring->page->sq_tail = 99;
	ring->disabled = disabled;
	return ring;
}

static void round_ring_free(struct wsq_ring *ring)
{
	percpu_ref_exit(&ring->refs);
	kfree(ring->page);
	kfree(ring);
}

static bool round_once(void *p)
{
	wsq_poller_round(p);
	return true;
}

static bool round_first(struct wsq_poller *p, const struct wsq_ring *ring)
{
	bool ret;

	spin_lock(&p->lock);
	ret = list_first_entry(&p->rings, struct wsq_ring, poll_link) == ring;
	spin_unlock(&p->lock);
	return ret;
}

static void round_join(struct wsq_poller *p, struct wsq_ring *ring)
{
	spin_lock(&p->lock);
	WRITE_ONCE(p->nr, p->nr + 1);
	spin_unlock(&p->lock);
	ring->poller = p;
	wsq_poller_attach(ring);
}

/*
 * A round waits for the lock of one ring while as many rings join as it had. It
 * still looks at all that were there before.
 */
static void round_joined(struct kunit *test)
{
	enum { NR = 3 };
	struct wsq_poller *p = kzalloc(sizeof(*p), GFP_KERNEL);
	struct wsq_ring *rings[2 * NR];
	struct wsq_test_call *call;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	spin_lock_init(&p->lock);
	INIT_LIST_HEAD(&p->rings);
	for (i = 0; i < 2 * NR; i++) {
		rings[i] = round_ring(!i || i >= NR);
		KUNIT_ASSERT_NOT_NULL(test, rings[i]);
	}
	for (i = 0; i < NR; i++)
		round_join(p, rings[i]);
	mutex_lock(&rings[0]->lock);
	call = wsq_test_start(test, round_once, p);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(round_first(p, rings[1])));
	for (; i < 2 * NR; i++)
		round_join(p, rings[i]);
	mutex_unlock(&rings[0]->lock);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	for (i = 1; i < NR; i++)
		KUNIT_EXPECT_TRUE_MSG(test, round_saw(rings[i]), "ring %d", i);
	/* The process sees the result, too. */
	KUNIT_EXPECT_EQ(test, rings[1]->page->flags, WSQ_RING_NEED_WAKEUP);
	for (i = 0; i < 2 * NR; i++)
		round_ring_free(rings[i]);
	kfree(p);
}

static struct kunit_case poller_cases[] = {
	KUNIT_CASE(round_joined),
	{}
};

static struct kunit_suite poller_suite = {
	.name = "wsq_poller",
	.test_cases = poller_cases,
};

kunit_test_suite(poller_suite);
