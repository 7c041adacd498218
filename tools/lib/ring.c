// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * libwsq: making a ring, handing tasks over, waiting for them.
 *
 * For programs that use /dev/wsq; the rules for threads and the argument about
 * memory order are at the top of libwsq.h, whose inline functions do the rest.
 * Cost: each function of this file that returns is one system call at most,
 * setting up and tearing down excepted. Limitations: see libwsq.h.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libwsq.h"
#include "sys.h"

/**
 * wsq_open - opens the device without making a ring
 * @path: NULL means WSQ_DEVICE
 *
 * Returns a file descriptor (close-on-exec) or a negative errno.
 */
int wsq_open(const char *path)
{
	return wsq_sys->open(path ? path : WSQ_DEVICE);
}

/**
 * wsq_close - closes what wsq_open() returned
 * @fd: the file descriptor
 */
int wsq_close(int fd)
{
	return wsq_sys->close(fd);
}

/**
 * wsq_query - what the module offers
 * @fd: of wsq_open() or wsq_ring_fd()
 * @q: the answer; sq_entries, cq_entries and arena_size are read, for @q->memory
 * @ops: room for what is known of each op, or NULL
 * @nr_ops: entries that fit there
 *
 * Returns 0 or a negative errno. @q->nr_ops may come back larger than @nr_ops.
 */
int wsq_query(int fd, struct wsq_query *q, struct wsq_op_info *ops,
	      unsigned int nr_ops)
{
	q->size = sizeof(*q);
	q->nr_ops = ops ? nr_ops : 0;
	q->ops = (__u64)(uintptr_t)ops;
	return wsq_sys->ioctl(fd, WSQ_IOC_QUERY, q);
}

/**
 * wsq_stats_sized - the counters of the module, for callers of any age
 * @fd: of wsq_open() or wsq_ring_fd()
 * @st: the answer
 * @cpus: room for the counters of each CPU, or NULL
 * @nr_cpus: entries that fit there
 * @cpu_size: sizeof(struct wsq_cpu_stats) as the caller was compiled with
 *
 * Returns 0 or a negative errno. @st->nr_cpus may come back larger than
 * @nr_cpus.
 */
int wsq_stats_sized(int fd, struct wsq_stats *st, struct wsq_cpu_stats *cpus,
		    unsigned int nr_cpus, size_t cpu_size)
{
	if (cpu_size > UINT32_MAX)
		return -EINVAL;
	memset(st, 0, sizeof(*st));
	st->size = sizeof(*st);
	st->nr_cpus = cpus ? nr_cpus : 0;
	st->cpus = (__u64)(uintptr_t)cpus;
	st->cpu_stats_size = (__u32)cpu_size;
	return wsq_sys->ioctl(fd, WSQ_IOC_STATS, st);
}

/*
 * Programs that were linked before struct wsq_cpu_stats grew have room for its
 * first version. Those compiled now get the macro of this name.
 */
int (wsq_stats)(int fd, struct wsq_stats *st, struct wsq_cpu_stats *cpus,
		unsigned int nr_cpus)
{
	return wsq_stats_sized(fd, st, cpus, nr_cpus,
			       offsetof(struct wsq_cpu_stats, standins));
}

static unsigned int log2_of(__u32 n)
{
	return 31 - __builtin_clz(n);
}

/* Undoes ring_map(), however far it came. */
static void ring_unmap(struct wsq_ring *ring)
{
	wsq_arena_destroy(ring->heap);
	if (ring->arena)
		wsq_sys->munmap(ring->arena, ring->arena_bytes);
	if (ring->sq.sqes)
		wsq_sys->munmap(ring->sq.sqes, ring->sqes_bytes);
	if (ring->rings)
		wsq_sys->munmap(ring->rings, ring->rings_bytes);
}

static int ring_map(struct wsq_ring *ring, const struct wsq_setup *s)
{
	struct wsq_ring_page *page;
	void *sqes = NULL;
	int ret;

	ret = wsq_sys->mmap(ring->fd, WSQ_OFF_RINGS, s->rings_bytes,
			    &ring->rings);
	if (ret)
		return ret;
	ring->rings_bytes = s->rings_bytes;

	ret = wsq_sys->mmap(ring->fd, WSQ_OFF_SQES, s->sqes_bytes, &sqes);
	if (ret)
		return ret;
	ring->sq.sqes = sqes;
	ring->sqes_bytes = s->sqes_bytes;

	if (s->arena_bytes) {
		ret = wsq_sys->mmap(ring->fd, WSQ_OFF_ARENA, s->arena_bytes,
				    &ring->arena);
		if (ret)
			return ret;
		ring->arena_bytes = s->arena_bytes;
	}
	ring->heap = wsq_arena_create(s->arena_bytes);
	if (!ring->heap)
		return -ENOMEM;

	page = ring->rings;
	ring->sq.ktail = &page->sq_tail;
	ring->sq.entries = s->sq_entries;
	ring->sq.mask = s->sq_entries - 1;
	ring->cq.khead = &page->cq_head;
	ring->cq.cqes = (void *)((char *)ring->rings + s->cqes_off);
	ring->cq.entries = s->cq_entries;
	ring->cq.mask = s->cq_entries - 1;
	ring->cq.shift = log2_of(s->cq_entries);
	return 0;
}

/**
 * wsq_queue_init_params - makes a ring
 * @entries: submission entries, a power of two
 * @arena_size: bytes of the arena, rounded up to pages; 0 means none
 * @ring: where to keep it
 * @p: the rest; NULL means zeros
 *
 * Returns 0 or a negative errno: -ENOENT without the module, -EACCES without
 * the right to open the device, -EINVAL for what QUERY does not allow, -ENOMEM
 * (wsq_query() says in memory how much it takes), -EBUSY with WSQ_INIT_FD if
 * that file has a ring already. On error nothing is left to be undone, and a
 * file of WSQ_INIT_FD still belongs to the caller.
 */
int wsq_queue_init_params(unsigned int entries, size_t arena_size,
			  struct wsq_ring *ring, const struct wsq_params *p)
{
	static const struct wsq_params none;
	struct wsq_setup s = {
		.size = sizeof(s),
		.sq_entries = entries,
		.arena_size = arena_size,
	};
	unsigned int i;
	int ret;

	memset(ring, 0, sizeof(*ring));
	ring->fd = -1;
	if (!p)
		p = &none;
	if (p->flags & ~WSQ_INIT_FD)
		return -EINVAL;
	for (i = 0; i < sizeof(p->rsv) / sizeof(p->rsv[0]); i++)
		if (p->rsv[i])
			return -EINVAL;
	s.cq_entries = p->cq_entries;

	ring->fd = p->flags & WSQ_INIT_FD ? p->fd : wsq_open(NULL);
	if (ring->fd < 0)
		return p->flags & WSQ_INIT_FD ? -EBADF : ring->fd;

	ret = wsq_sys->ioctl(ring->fd, WSQ_IOC_SETUP, &s);
	if (!ret && !s.cq_entries)
		s.cq_entries = 2 * entries;
	if (!ret)
		ret = ring_map(ring, &s);
	if (!ret) {
		ring->flags = p->flags;
		return 0;
	}

	ring_unmap(ring);
	if (!(p->flags & WSQ_INIT_FD))
		wsq_sys->close(ring->fd);
	memset(ring, 0, sizeof(*ring));
	ring->fd = -1;
	return ret;
}

/**
 * wsq_queue_init - makes a ring
 * @entries: submission entries, a power of two; twice as many completion
 *	entries
 * @arena_size: bytes of the arena, rounded up to pages; 0 means none
 * @ring: where to keep it
 * @flags: zero
 *
 * Returns what wsq_queue_init_params() does.
 */
int wsq_queue_init(unsigned int entries, size_t arena_size,
		   struct wsq_ring *ring, unsigned int flags)
{
	struct wsq_params p = { .flags = flags };

	if (flags & WSQ_INIT_FD)
		return -EINVAL;
	return wsq_queue_init_params(entries, arena_size, ring, &p);
}

/**
 * wsq_queue_exit - gives the ring up
 * @ring: the ring
 *
 * Does not wait for tasks in flight; the module keeps what they use until they
 * are through.
 */
void wsq_queue_exit(struct wsq_ring *ring)
{
	if (ring->fd < 0)
		return;
	ring_unmap(ring);
	wsq_sys->close(ring->fd);
	memset(ring, 0, sizeof(*ring));
	ring->fd = -1;
}

/*
 * ENTER. Keeps count of what was taken, which the kernel says also when it
 * returns an error.
 */
static int ring_enter(struct wsq_ring *ring, unsigned int submit,
		      unsigned int nr, __u64 timeout_ns)
{
	struct wsq_enter e = {
		.size = sizeof(e),
		.to_submit = submit,
		.min_complete = nr,
		.timeout_ns = timeout_ns,
	};
	int ret;

	/* (1): the entries before it were filled. */
	__atomic_store_n(ring->sq.ktail, ring->sq.tail, __ATOMIC_RELEASE);
	ret = wsq_sys->ioctl(ring->fd, WSQ_IOC_ENTER, &e);
	ring->sq.head += e.submitted;
	return ret;
}

/*
 * Whether @nr completion entries can be read now. Entries may become visible
 * out of order, so each is looked at, 16 at a time: the head is moved along
 * privately and back, nothing is given to the kernel.
 */
static int ring_ready(struct wsq_ring *ring, unsigned int nr)
{
	struct wsq_cqe *cqes[16];
	unsigned int got = 0, want, n;

	do {
		want = nr - got < 16 ? nr - got : 16;
		n = wsq_peek_batch_cqe(ring, cqes, want);
		ring->cq.head += n;
		got += n;
	} while (n == want && got < nr);
	ring->cq.head -= got;
	return got == nr;
}

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * Submits @submit entries, then waits until @nr can be read. The kernel's word
 * that they are there is checked against the entries themselves: should one of
 * them still be on its way, this goes round again.
 */
static int ring_wait(struct wsq_ring *ring, unsigned int submit,
		     unsigned int nr, __u64 timeout_ns)
{
	__u64 left = timeout_ns, end = 0, now;
	int ret;

	if (nr > ring->cq.entries)
		return -EINVAL;
	if (timeout_ns && timeout_ns != WSQ_NO_TIMEOUT) {
		now = now_ns();
		end = timeout_ns < WSQ_NO_TIMEOUT - now ? now + timeout_ns :
							  WSQ_NO_TIMEOUT - 1;
	}
	while (submit || !ring_ready(ring, nr)) {
		/* Nobody would ever end this wait. */
		if (timeout_ns == WSQ_NO_TIMEOUT &&
		    nr > wsq_in_flight(ring) + submit)
			return -EDEADLK;
		ret = ring_enter(ring, submit, nr, left);
		submit = 0;
		if (ret < 0)
			return ret;
		if (timeout_ns != WSQ_NO_TIMEOUT) {
			now = timeout_ns ? now_ns() : 0;
			left = now < end ? end - now : 0;
			if (!left && !ring_ready(ring, nr))
				return -ETIME;
		}
	}
	return 0;
}

/**
 * wsq_submit - hands all filled entries to the kernel
 * @ring: the ring
 *
 * Returns how many it took, which may be fewer (the others stay and go with the
 * next call); or, if it took none, a negative errno: -EAGAIN means that all
 * completion entries are spoken for, read some first.
 */
int wsq_submit(struct wsq_ring *ring)
{
	return wsq_submit_and_wait(ring, 0, 0);
}

/**
 * wsq_submit_and_wait - hands all filled entries over and waits, in one call
 * @ring: the ring
 * @nr: completion entries to wait for, those that are there already included
 * @timeout_ns: for how long; 0 does not wait, WSQ_NO_TIMEOUT waits for ever
 *
 * Returns how many entries it took if it took any, whatever became of the wait:
 * wsq_peek_cqe() tells. If it took none: 0, or a negative errno as of
 * wsq_submit() and wsq_wait_cqes().
 */
int wsq_submit_and_wait(struct wsq_ring *ring, unsigned int nr,
			__u64 timeout_ns)
{
	__u64 before = ring->sq.head;
	unsigned int submit = wsq_sq_ready(ring);
	int ret;

	ret = ring_wait(ring, submit, nr, timeout_ns);
	if (ring->sq.head != before)
		return (int)(ring->sq.head - before);
	return ret;
}

/**
 * wsq_wait_cqes - waits for completion entries; submits nothing
 * @ring: the ring
 * @cqe: where to put the address of the oldest one, or NULL if there is none
 * @nr: how many to wait for, those that are there already included
 * @timeout_ns: for how long; 0 does not wait, WSQ_NO_TIMEOUT waits for ever
 *
 * No system call if they are there.
 *
 * Returns 0; or a negative errno, and there may be some entries all the same:
 * -ETIME, -EINTR (a signal), -EINVAL (more than the ring has), -EDEADLK (more
 * than there are tasks, for ever).
 */
int wsq_wait_cqes(struct wsq_ring *ring, struct wsq_cqe **cqe, unsigned int nr,
		  __u64 timeout_ns)
{
	int ret = ring_wait(ring, 0, nr, timeout_ns);

	wsq_peek_cqe(ring, cqe);
	return ret;
}
