// SPDX-License-Identifier: GPL-2.0
/*
 * The ENTER ioctl: submit, then wait. The ring's lock is not held while waiting
 * for completions.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/mutex.h>

#include "../compat/export.h"
#include "enter.h"
#include "poller.h"
#include "ring.h"
#include "submit.h"
#include "wait.h"

/**
 * wsq_ring_enter() - submit, then wait
 * @ring: a live ring
 * @e: the arguments; results are filled in whatever this returns
 *
 * Context: ioctl; the caller holds the file, so the ring is not dead.
 * Return: 0 or -errno as the user ABI has it; %-ERESTARTNOHAND, which becomes
 * %-EINTR if a signal handler runs.
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
	ret = wsq_ring_take(ring, e->to_submit, &e->submitted);
	head = ring->cq_head;
	mutex_unlock(&ring->lock);
	if (unlikely(e->flags))
		wsq_poller_kick(ring);

	if (ret > 0 && e->min_complete)
		ret = wsq_ring_wait(ring, head + e->min_complete,
				    &e->timeout_ns);
	/* Not restarted if it would submit more. */
	if (ret == -ERESTARTNOHAND && e->submitted)
		ret = -EINTR;

	seen = wsq_ring_published(ring, head + ring->sizes.cq_entries);
	if (seen > head)
		e->completed = seen - head;
	/* A hint: two callers may store it in either order. */
	WRITE_ONCE(ring->page->cq_tail, atomic64_read(&ring->completed));
	return min(ret, 0);
}
WSQ_EXPORT_KUNIT(wsq_ring_enter);
