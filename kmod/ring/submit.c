// SPDX-License-Identifier: GPL-2.0
/*
 * ENTER: entries become requests.
 *
 * One submitter at a time, under the ring's lock, which nobody holds while
 * waiting for completions. Nothing is allocated.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/ktime.h>

#include "../compat/attributes.h"
#include "../compat/export.h"
#include "poller.h"
#include "ring.h"

/* Entries between two looks at whether somebody else should run. */
#define WSQ_SUBMIT_BREATH	64

/*
 * Copy an entry out of shared memory: each word of it is read once. Compilers leave a
 * loop of such loads a loop.
 */
static __always_inline void wsq_sqe_copy(struct wsq_sqe *dst,
					 const struct wsq_sqe *src)
{
	const u64 *from = (const u64 *)src;
	u64 *to = (u64 *)dst;

	static_assert(sizeof(*dst) == 8 * sizeof(*to));
	to[0] = READ_ONCE(from[0]);
	to[1] = READ_ONCE(from[1]);
	to[2] = READ_ONCE(from[2]);
	to[3] = READ_ONCE(from[3]);
	to[4] = READ_ONCE(from[4]);
	to[5] = READ_ONCE(from[5]);
	to[6] = READ_ONCE(from[6]);
	to[7] = READ_ONCE(from[7]);
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
		word = atomic64_read_acquire(slot);	/* SL(take:A) */
		if (likely(word >> ring->cq_shift == k >> ring->cq_shift))
			break;
		cpu_relax();
	}
	return &ring->reqs[word & ring->cq_mask];
}

/**
 * struct wsq_chain - entries that are linked, as they come
 * @head: the first; %NULL if there is none
 * @tail: the last
 * @linked: the next entry belongs here
 * @broken: ... and ends with %-ECANCELED, for one before it was refused
 */
struct wsq_chain {
	struct wsq_req *head;
	struct wsq_req *tail;
	bool linked;
	bool broken;
};

static void wsq_chain_start(struct wsq_ring *ring, struct wsq_chain *c)
{
	struct wsq_req *head = c->head;

	c->head = NULL;
	if (head)
		wsq_unit_start(ring, head);
}

static void wsq_chain_add(struct wsq_chain *c, struct wsq_req *req)
{
	if (c->head)
		c->tail->next = req;
	else
		c->head = req;
	c->tail = req;
	c->head->unit++;
}

/* What is wrong with an entry, or with where it stands. */
static int wsq_entry_check(const struct wsq_ring *ring,
			   const struct wsq_sqe *sqe, const struct wsq_chain *c)
{
	struct wsq_op_ref op __uninitialized;
	int ret;

	if (!wsq_op_get(&op, sqe->op))
		return -EOPNOTSUPP;
	ret = wsq_ring_may(ring, op.def, sqe);
	if (!ret && unlikely(sqe->flags & WSQ_SQE_KEY) && !ring->keys.slots)
		ret = -EINVAL;
	if (!ret && c->linked && sqe->flags & WSQ_SQE_DRAIN)
		ret = -EINVAL;
	if (!ret)
		ret = wsq_op_prep(op.def, sqe, ring->sizes.arena);
	wsq_op_put(&op);
	if (ret)
		return ret;
	return c->broken ? -ECANCELED : 0;
}

/* Take the entry of submission @k. The request has a reference on the ring. */
static void wsq_submit_one(struct wsq_ring *ring, u64 k, u64 now,
			   struct wsq_chain *c, struct wsq_load *load)
{
	struct wsq_req *req = wsq_req_take(ring, k);

	lockdep_assert_held(&ring->lock);
	wsq_sqe_copy(&req->sqe, &ring->sqes[k & ring->sq_mask]);
	req->submit_ns = now;
	req->number = k;
	req->next = NULL;
	req->unit = 0;
	req->key = 0;
	req->told = false;
	req->recalled = false;
	req->bundled = false;
	req->waits = false;
	req->cont = NULL;
	req->refused = wsq_entry_check(ring, &req->sqe, c);
	/* wsq_unit_start() orders all this before others. */
	atomic_set(&req->state, WSQ_REQ_WAITING);
	if (ring->ids)
		WRITE_ONCE(ring->ids[k & ring->sq_mask],
			   req->refused ? 0 : wsq_req_id(req));

	if (likely(!req->refused) && !c->linked && wsq_load_add(ring, load, req))
		return;
	/* What came before goes before. */
	wsq_load_off(ring, load);
	if (unlikely(req->refused)) {
		/* What came before runs; this, and what follows, is by itself. */
		wsq_chain_start(ring, c);
		req->unit = 1;
		c->broken = true;
		wsq_unit_start(ring, req);
	} else {
		if (unlikely(req->sqe.flags & WSQ_SQE_KEY))
			wsq_key_get(req);
		wsq_chain_add(c, req);
	}
	c->linked = req->sqe.flags & WSQ_SQE_LINK;
	if (!c->linked) {
		wsq_chain_start(ring, c);
		c->broken = false;
	}
}

/*
 * Believe the process' cq_head if it makes sense: not before what it was, and
 * not beyond what has been counted. [CQ2]
 */
static int wsq_ring_sync(struct wsq_ring *ring)
{
	u64 head = smp_load_acquire(&ring->page->cq_head);	/* CQ(head:A) */
	u64 count = atomic64_read(&ring->completed);

	if (head < ring->cq_head || head > count)
		return -EINVAL;
	if (head != ring->cq_head) {
		WRITE_ONCE(ring->cq_head, head);
		/* There may be room for who polls for it. [PW] */
		if (wq_has_sleeper(&ring->poll_wait))
			wake_up_poll(&ring->poll_wait, EPOLLOUT | EPOLLWRNORM);
	}
	return 0;
}

/*
 * How many of the @n entries that there is room for end with a whole chain. Reads
 * flags that are read again with the entries: whoever changes them meanwhile has
 * his chain cut.
 */
static u64 wsq_whole_chains(const struct wsq_ring *ring, u64 head, u64 n)
{
	while (n && READ_ONCE(ring->sqes[(head + n - 1) & ring->sq_mask].flags) &
		    WSQ_SQE_LINK)
		n--;
	return n;
}

/*
 * Submit up to @max entries, and as many as completion entries allow; with @whole,
 * as many chains.
 *
 * Returns 1 if all that were there and asked for were taken, 0 if only some,
 * or -errno if none was for a reason.
 */
static int wsq_submit(struct wsq_ring *ring, u32 max, bool whole,
		      u32 *submitted)
{
	u64 tail = smp_load_acquire(&ring->page->sq_tail);	/* SQ(take:A) */
	u64 head = ring->sq_head;
	u64 ready = tail - head;
	u64 room = ring->sizes.cq_entries - (head - ring->cq_head);
	struct wsq_chain chain = {};
	struct wsq_load load;
	u64 want, n, now, i;

	if (ready > ring->sizes.sq_entries)
		return -EINVAL;
	want = min_t(u64, ready, max);
	n = min(want, room);
	if (whole && n < want)
		n = wsq_whole_chains(ring, head, n);
	if (!n)
		return want ? -EAGAIN : 1;

	percpu_ref_get_many(&ring->refs, n);
	now = ktime_get_mono_fast_ns();
	load.head = NULL;
	load.n = 0;
	load.bytes = 0;
	load.nr = 0;
	for (i = 0; i < n; i++) {
		wsq_submit_one(ring, head + i, now, &chain, &load);
		if (i % WSQ_SUBMIT_BREATH == WSQ_SUBMIT_BREATH - 1) {
			/* What is taken is for others to see before they may come. */
			wsq_load_off(ring, &load);
			cond_resched();
		}
	}
	wsq_load_off(ring, &load);
	wsq_chain_start(ring, &chain);
	WRITE_ONCE(ring->sq_head, head + n);
	smp_store_release(&ring->page->sq_head, head + n);	/* SQ(give:A) */
	*submitted = n;
	return n == want;
}

/**
 * wsq_ring_take() - take entries
 * @ring: a live ring, its lock held
 * @max: at most so many
 * @whole: no chain is cut for want of completion entries
 * @taken: how many; not touched if there were none
 *
 * Context: task; lets others run.
 * Return: 1 if all that there were, up to @max, have been taken, 0 if only some;
 * or %-errno as the user ABI has it of ENTER.
 */
int wsq_ring_take(struct wsq_ring *ring, u32 max, bool whole, u32 *taken)
{
	int ret = ring->disabled ? -EBADFD : wsq_ring_sync(ring);

	/* Only the poller can find a ring dead: close.c. */
	if (unlikely(READ_ONCE(ring->dead)))
		ret = -EBADFD;
	if (ret)
		return ret;
	return max ? wsq_submit(ring, max, whole, taken) : 1;
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
	if (e->flags & ~WSQ_ENTER_WAKEUP || (e->flags && !ring->poller) ||
	    e->min_complete > ring->sizes.cq_entries)
		return -EINVAL;

	if (mutex_lock_killable(&ring->lock))
		return -EINTR;
	ret = wsq_ring_take(ring, e->to_submit, false, &e->submitted);
	head = ring->cq_head;
	mutex_unlock(&ring->lock);
	if (unlikely(e->flags))
		wsq_poller_kick(ring);

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
WSQ_EXPORT_KUNIT(wsq_ring_enter);
