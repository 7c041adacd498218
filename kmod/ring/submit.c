// SPDX-License-Identifier: GPL-2.0
/*
 * ENTER: entries become requests.
 *
 * One submitter at a time, under the ring's lock, which nobody holds while
 * waiting for completions. Nothing is allocated.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/ktime.h>

#include "ring.h"

/* Entries between two looks at whether somebody else should run. */
#define WSQ_SUBMIT_BREATH	64

/* Copy entry @k out of shared memory: each word of it is read once. */
static void wsq_sqe_copy(struct wsq_sqe *dst, const struct wsq_sqe *src)
{
	const u64 *from = (const u64 *)src;
	u64 *to = (u64 *)dst;
	unsigned int i;

	for (i = 0; i < sizeof(*dst) / sizeof(*to); i++)
		to[i] = READ_ONCE(from[i]);
}

/*
 * The request for submission @k, whose predecessor in the slot is completion
 * k - cq_entries. The process has seen that one, or says so, and it has been
 * counted: if it is not published yet, its worker is between the two, with
 * preemption off.
 */
static struct wsq_req *wsq_req_take(struct wsq_ring *ring, u64 k)
{
	const atomic64_t *slot = &ring->slots[k & ring->cq_mask];
	u64 word;

	for (;;) {
		word = atomic64_read_acquire(slot);	/* [SL] */
		if (likely(word >> ring->cq_shift == k >> ring->cq_shift))
			break;
		cpu_relax();
	}
	return &ring->reqs[word & ring->cq_mask];
}

/* Take the entry of submission @k. The request has a reference on the ring. */
static void wsq_submit_one(struct wsq_ring *ring, u64 k, u64 now)
{
	struct wsq_req *req = wsq_req_take(ring, k);
	const struct wsq_op_def *def;

	wsq_sqe_copy(&req->sqe, &ring->sqes[k & ring->sq_mask]);
	def = wsq_op_prep(&req->sqe, ring->sizes.arena);
	if (IS_ERR(def)) {
		wsq_req_complete(req, PTR_ERR(def), 0);
		return;
	}
	req->submit_ns = now;
	/* wsq_queue_work() orders all this before the worker. */
	atomic_set(&req->state, WSQ_REQ_QUEUED);
	WARN_ON_ONCE(!wsq_queue_work(ring->queue, &req->work));
}

/*
 * Believe the process' cq_head if it makes sense: not before what it was, and
 * not beyond what has been counted. [CQ2]
 */
static int wsq_ring_sync(struct wsq_ring *ring)
{
	u64 head = smp_load_acquire(&ring->page->cq_head);	/* [CQ2] */
	u64 count = atomic64_read(&ring->completed);

	if (head < ring->cq_head || head > count)
		return -EINVAL;
	if (head != ring->cq_head) {
		WRITE_ONCE(ring->cq_head, head);
		/* There may be room for who polls for it. */
		if (waitqueue_active(&ring->poll_wait))
			wake_up_poll(&ring->poll_wait, EPOLLOUT | EPOLLWRNORM);
	}
	return 0;
}

/*
 * Submit up to @max entries, and as many as completion entries allow.
 *
 * Returns 1 if all that were there and asked for were taken, 0 if only some,
 * or -errno if none was for a reason.
 */
static int wsq_submit(struct wsq_ring *ring, u32 max, u32 *submitted)
{
	u64 tail = smp_load_acquire(&ring->page->sq_tail);	/* [SQ1] */
	u64 head = ring->sq_head;
	u64 ready = tail - head;
	u64 room = ring->sizes.cq_entries - (head - ring->cq_head);
	u64 want, n, now, i;

	if (ready > ring->sizes.sq_entries)
		return -EINVAL;
	want = min_t(u64, ready, max);
	n = min(want, room);
	if (!n)
		return want ? -EAGAIN : 1;

	percpu_ref_get_many(&ring->refs, n);
	now = ktime_get_mono_fast_ns();
	for (i = 0; i < n; i++) {
		wsq_submit_one(ring, head + i, now);
		if (i % WSQ_SUBMIT_BREATH == WSQ_SUBMIT_BREATH - 1)
			cond_resched();
	}
	WRITE_ONCE(ring->sq_head, head + n);
	smp_store_release(&ring->page->sq_head, head + n);	/* [SQ2] */
	*submitted = n;
	return n == want;
}

/**
 * wsq_ring_enter() - submit, then wait
 * @ring: a live ring
 * @e: the caller's wishes, and the results, which are there whatever this
 *	returns
 *
 * Context: ioctl; the caller holds the file, so the ring is not dead.
 * Return: 0 or -errno as the user ABI has it.
 */
int wsq_ring_enter(struct wsq_ring *ring, struct wsq_enter *e)
{
	u64 head, seen;
	int ret;

	e->submitted = 0;
	e->completed = 0;
	if (e->flags || e->min_complete > ring->sizes.cq_entries)
		return -EINVAL;

	if (mutex_lock_killable(&ring->lock))
		return -EINTR;
	ret = wsq_ring_sync(ring);
	head = ring->cq_head;
	if (!ret)
		ret = e->to_submit ?
		      wsq_submit(ring, e->to_submit, &e->submitted) : 1;
	mutex_unlock(&ring->lock);

	if (ret > 0 && e->min_complete)
		ret = wsq_ring_wait(ring, head + e->min_complete,
				    e->timeout_ns);

	seen = wsq_ring_published(ring, head + ring->sizes.cq_entries);
	if (seen > head)
		e->completed = seen - head;
	/* A hint, and so is the order in which two callers store it. */
	WRITE_ONCE(ring->page->cq_tail, atomic64_read(&ring->completed));
	return min(ret, 0);
}
