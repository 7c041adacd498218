// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * libwsq: making a ring, submitting tasks, waiting for them.
 *
 * For programs that use /dev/wsq. The rules for threads and the argument about
 * memory order are at the top of libwsq.h, whose inline functions do the rest.
 * Cost: each function makes at most one system call. Exceptions: setup and
 * teardown; on a polled ring, wsq_submit_and_wait() while the thread sleeps,
 * and waiting for or wsq_cancel() of entries that the thread has not taken.
 * Limitations: see libwsq.h.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
 * wsq_query_sized - what the module offers, for callers of any struct size
 * @fd: from wsq_open() or wsq_ring_fd()
 * @q: the answer; sq_entries, cq_entries, arena_size and setup_flags are read,
 *	to compute @q->memory
 * @q_size: sizeof(struct wsq_query) as the caller was compiled with
 * @ops: array for the description of each op, or NULL
 * @nr_ops: size of @ops
 *
 * Returns 0 or a negative errno. @q->nr_ops may be larger than @nr_ops on
 * return.
 */
int wsq_query_sized(int fd, struct wsq_query *q, size_t q_size,
		    struct wsq_op_info *ops, unsigned int nr_ops)
{
	if (q_size > UINT32_MAX)
		return -EINVAL;
	q->size = (__u32)q_size;
	/* An older module refuses members that it does not know unless zero. */
	if (q_size > offsetof(struct wsq_query, rsv))
		memset(&q->rsv, 0, q_size - offsetof(struct wsq_query, rsv));
	q->nr_ops = ops ? nr_ops : 0;
	q->ops = (__u64)(uintptr_t)ops;
	return wsq_sys_ioctl(fd, WSQ_IOC_QUERY, q);
}

/* For programs that were linked before the struct grew. */
int (wsq_query)(int fd, struct wsq_query *q, struct wsq_op_info *ops,
		unsigned int nr_ops)
{
	return wsq_query_sized(fd, q, offsetof(struct wsq_query, setup_flags),
			       ops, nr_ops);
}

/**
 * wsq_op_find - finds an op by name
 * @fd: from wsq_open() or wsq_ring_fd()
 * @name: its name
 * @op: its description
 *
 * The number of another module's op changes each time that module is loaded.
 *
 * Returns 0, -ENOENT if the module has no such op, or a negative errno.
 */
int wsq_op_find(int fd, const char *name, struct wsq_op_info *op)
{
	unsigned int room = 32, i;
	struct wsq_op_info *ops;
	struct wsq_query q;
	int ret;

	for (;;) {
		ops = calloc(room, sizeof(*ops));
		if (!ops)
			return -ENOMEM;
		memset(&q, 0, sizeof(q));
		ret = wsq_query(fd, &q, ops, room);
		if (ret || q.nr_ops <= room)
			break;
		/* More ops may be registered before the next query. */
		free(ops);
		room = q.nr_ops + 8;
	}
	for (i = 0; !ret && i < q.nr_ops; i++) {
		if (strncmp(ops[i].name, name, sizeof(ops[i].name)))
			continue;
		*op = ops[i];
		break;
	}
	if (!ret && i == q.nr_ops)
		ret = -ENOENT;
	free(ops);
	return ret;
}

/**
 * wsq_stats_sized - the counters of the module, for callers of any struct size
 * @fd: from wsq_open() or wsq_ring_fd()
 * @st: the answer
 * @cpus: array for the counters of each CPU, or NULL
 * @nr_cpus: size of @cpus
 * @cpu_size: sizeof(struct wsq_cpu_stats) as the caller was compiled with
 *
 * Returns 0 or a negative errno. @st->nr_cpus may be larger than @nr_cpus on
 * return.
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
	return wsq_sys_ioctl(fd, WSQ_IOC_STATS, st);
}

/*
 * For programs that were linked before struct wsq_cpu_stats grew: their array
 * has elements of its first version. New programs get the macro of this name.
 */
int (wsq_stats)(int fd, struct wsq_stats *st, struct wsq_cpu_stats *cpus,
		unsigned int nr_cpus)
{
	return wsq_stats_sized(fd, st, cpus, nr_cpus,
			       offsetof(struct wsq_cpu_stats, standbys));
}

static unsigned int log2_of(__u32 n)
{
	return 31 - __builtin_clz(n);
}

/*
 * Undoes ring_map(), also a partial one. A forked child does not have these
 * mappings; other memory of its own may be at these addresses.
 */
static void ring_unmap(struct wsq_ring *ring)
{
	wsq_arena_destroy(ring->heap);
	if (ring->process != wsq_process())
		return;
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

	ring->process = wsq_process();
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
	if (s->ids_off)
		ring->ids = (void *)((char *)ring->rings + s->ids_off);
	return 0;
}

/**
 * wsq_queue_init_params - makes a ring
 * @entries: submission entries, a power of two
 * @arena_size: bytes of the arena, rounded up to pages; 0 means none
 * @ring: the ring to set up
 * @p: more parameters; NULL means zeros
 *
 * Returns 0 or a negative errno: -ENOENT without the module, -EACCES without
 * the right to open the device, -EINVAL for sizes that QUERY does not allow,
 * -ENOMEM (wsq_query() reports the memory needed), -EBUSY with WSQ_INIT_FD if
 * that file has a ring already. On error everything is undone, but a file
 * passed by WSQ_INIT_FD still belongs to the caller. It may have a ring by
 * then: close it.
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
	if (p->flags & ~(WSQ_INIT_FD | WSQ_INIT_DISABLED | WSQ_INIT_IDS |
			 WSQ_INIT_KEYS | WSQ_INIT_POLL | WSQ_INIT_POLL_SHARE |
			 WSQ_INIT_FUTURES))
		return -EINVAL;
	for (i = 0; i < sizeof(p->rsv) / sizeof(p->rsv[0]); i++)
		if (p->rsv[i])
			return -EINVAL;
	s.cq_entries = p->cq_entries;
	if (p->flags & WSQ_INIT_DISABLED)
		s.flags |= WSQ_SETUP_DISABLED;
	if (p->flags & WSQ_INIT_IDS)
		s.flags |= WSQ_SETUP_IDS;
	if (p->flags & WSQ_INIT_KEYS)
		s.flags |= WSQ_SETUP_KEYS;
	if (p->flags & WSQ_INIT_FUTURES)
		s.flags |= WSQ_SETUP_FUTURES;
	if (p->flags & WSQ_INIT_POLL)
		s.flags |= WSQ_SETUP_POLL;
	if (p->flags & WSQ_INIT_POLL_SHARE)
		s.flags |= WSQ_SETUP_POLL_SHARE;
	s.idle_us = p->idle_us;
	s.poll_fd = p->poll_fd;

	ring->fd = p->flags & WSQ_INIT_FD ? p->fd : wsq_open(NULL);
	if (ring->fd < 0)
		return p->flags & WSQ_INIT_FD ? -EBADF : ring->fd;

	ret = wsq_sys_ioctl(ring->fd, WSQ_IOC_SETUP, &s);
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
 * @ring: the ring to set up
 * @flags: WSQ_INIT_DISABLED, WSQ_INIT_IDS, WSQ_INIT_KEYS, WSQ_INIT_POLL
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
 * wsq_queue_exit - closes the ring
 * @ring: the ring
 *
 * Does not wait for tasks in flight; the module keeps the memory that they use
 * until they are done.
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

/* ENTER. Counts the entries taken; the kernel returns them on error as well. */
static int ring_enter(struct wsq_ring *ring, unsigned int enter_flags,
		      unsigned int submit, unsigned int nr, __u64 timeout_ns)
{
	struct wsq_enter e = {
		.size = sizeof(e),
		.flags = enter_flags,
		.to_submit = submit,
		.min_complete = nr,
		.timeout_ns = timeout_ns,
	};
	int ret;

	/* (1): the entries before it were filled. Skipped by a mere wait. */
	if (submit && !(ring->flags & WSQ_INIT_POLL))
		__atomic_store_n(ring->sq.ktail, ring->sq.tail,
				 __ATOMIC_RELEASE);
	ret = wsq_sys_ioctl(ring->fd, WSQ_IOC_ENTER, &e);
	/* A polled ring has sq_head instead. */
	if (!(ring->flags & WSQ_INIT_POLL))
		ring->sq.head += e.submitted;
	return ret;
}

/*
 * Hands entries over to the thread of a polled ring: only those that have a
 * completion entry, so that the thread never waits for one, and only whole
 * chains. If the thread sleeps, wakes it. If the caller is about to wait as
 * well, the same call submits the entries that the thread has not taken. A
 * caller that does not wait leaves them to the thread: the kernel gives entries
 * that it takes in a call to the worker of this CPU, and a caller that polls
 * for completions would keep the CPU from that worker.
 */
static int ring_hand(struct wsq_ring *ring, bool waits)
{
	const struct wsq_ring_page *page = ring->rings;
	__u64 ready = ring->sq.tail - ring->handed;
	__u64 room = ring->cq.entries - (ring->handed - ring->cq.head);
	__u64 n = ready;
	int ret = 0;

	if (n > room)
		for (n = room; n; n--)
			if (!(ring->sq.sqes[(ring->handed + n - 1) & ring->sq.mask].flags &
			      WSQ_SQE_LINK))
				break;
	if (ready && !n)
		return -EAGAIN;
	ring->handed += n;
	/* (1), (5) */
	__atomic_store_n(ring->sq.ktail, ring->handed, __ATOMIC_SEQ_CST); /* PL(user:A) */
	if (__atomic_load_n(&page->flags, __ATOMIC_SEQ_CST) & WSQ_RING_NEED_WAKEUP)
		ret = ring_enter(ring, WSQ_ENTER_WAKEUP, waits ?
				 (unsigned int)(ring->handed - wsq_sq_taken(ring)) : 0,
				 0, 0);
	/* Even if the ring is disabled: the thread takes them later. */
	return n ? (int)n : ret;
}

/*
 * Whether @nr completion entries can be read now. Entries may become visible
 * out of order, so each is checked, 16 at a time. The head is moved privately
 * and restored; nothing is returned to the kernel.
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
 * Submits @submit entries, then waits until @nr can be read. The kernel's
 * return is checked against the entries themselves: if one of them is not
 * visible yet, wait again.
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
		/* No task could end this wait. */
		if (timeout_ns == WSQ_NO_TIMEOUT &&
		    nr > wsq_in_flight(ring) + submit)
			return -EDEADLK;
		/*
		 * Submit the entries that the thread has not taken, in a call
		 * of its own: the kernel repeats an interrupted wait if no
		 * handler ran, but not if the call has submitted entries.
		 */
		if (ring->flags & WSQ_INIT_POLL && ring->handed != wsq_sq_taken(ring)) {
			submit = (unsigned int)(ring->handed - wsq_sq_taken(ring));
			ret = ring_enter(ring, 0, submit, 0, 0);
			submit = 0;
			if (ret < 0)
				return ret;
		}
		ret = ring_enter(ring, 0, submit, nr, left);
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
 * Returns the number of entries taken, which may be fewer than were filled (the
 * others go with the next call). If none was taken, a negative errno: -EAGAIN
 * means that all completion entries are reserved, or that fewer are free than
 * the next chain has tasks: read some, or wait for some, first.
 */
int (wsq_submit)(struct wsq_ring *ring)
{
	return wsq_submit_and_wait(ring, 0, 0);
}

/**
 * wsq_submit_and_wait - hands all filled entries over and waits, in one call
 * @ring: the ring
 * @nr: completion entries to wait for, including those that can be read already
 * @timeout_ns: time limit; 0 does not wait, WSQ_NO_TIMEOUT waits without a
 *	limit
 *
 * Returns the number of entries taken if it took any, however the wait ended: a
 * signal may have ended it, or that the process was stopped and continued. Check
 * with wsq_peek_cqe(), or wait on with wsq_wait_cqes(). If it took none: 0, or a
 * negative errno as wsq_submit() and wsq_wait_cqes() return.
 */
int wsq_submit_and_wait(struct wsq_ring *ring, unsigned int nr,
			__u64 timeout_ns)
{
	__u64 before = ring->sq.head;
	unsigned int submit = wsq_sq_ready(ring);
	int ret;

	if (ring->flags & WSQ_INIT_POLL) {
		int n = ring_hand(ring, nr);

		if (n < 0 || !nr)
			return n;
		ret = ring_wait(ring, 0, nr, timeout_ns);
		return n ? n : ret;
	}
	ret = ring_wait(ring, submit, nr, timeout_ns);
	if (ring->sq.head != before)
		return (int)(ring->sq.head - before);
	return ret;
}

/**
 * wsq_wait_cqes - waits for completion entries; submits nothing
 * @ring: the ring
 * @cqe: set to the address of the oldest one, or to NULL if there is none
 * @nr: how many to wait for, including those that can be read already
 * @timeout_ns: time limit; 0 does not wait, WSQ_NO_TIMEOUT waits without a
 *	limit
 *
 * Makes no system call if @nr entries can be read.
 *
 * Returns 0 or a negative errno. Some entries may be readable on error, too.
 * -ETIME, -EINTR (a signal handler ran), -EINVAL (@nr exceeds the ring),
 * -EDEADLK (@nr exceeds the tasks in flight, and there is no time limit).
 */
int wsq_wait_cqes(struct wsq_ring *ring, struct wsq_cqe **cqe, unsigned int nr,
		  __u64 timeout_ns)
{
	int ret = ring_wait(ring, 0, nr, timeout_ns);

	wsq_peek_cqe(ring, cqe);
	return ret;
}

/**
 * wsq_cancel - cancels tasks
 * @ring: the ring
 * @flags: one of WSQ_CANCEL_ID, WSQ_CANCEL_USER_DATA, WSQ_CANCEL_ALL
 * @what: an id of wsq_task_id(), the data64 of the entry, or 0
 * @running: set to the number of tasks that have begun already; may be NULL
 *
 * Entries that are filled but not submitted are not cancelled. On a polled
 * ring, entries that are submitted but not taken are taken first. Each task
 * gets its completion entry in any case.
 *
 * Returns the number of tasks that have not begun and will not, or a negative
 * errno: -ENOENT if no task matches, -EALREADY if all that match have begun,
 * and may be stopped.
 */
int wsq_cancel(struct wsq_ring *ring, unsigned int flags, __u64 what,
	       unsigned int *running)
{
	struct wsq_cancel c = {
		.size = sizeof(c),
		.flags = flags,
		.what = what,
	};
	__u64 late = wsq_sq_handed(ring) - wsq_sq_taken(ring);
	int ret;

	/* If the kernel refuses them, they need no cancelling. */
	if (late)
		ring_enter(ring, 0, (unsigned int)late, 0, 0);
	ret = wsq_sys_ioctl(ring->fd, WSQ_IOC_CANCEL, &c);
	if (running)
		*running = c.running;
	return ret < 0 ? ret : (int)c.cancelled;
}

/**
 * wsq_restrict - limits the ops and flags that a ring accepts
 * @ring: made with WSQ_INIT_DISABLED, and not enabled yet
 * @ops: the ops to allow
 * @nr_ops: size of @ops, 1024 at most
 * @sqe_flags: the WSQ_SQE_* to allow
 *
 * Returns 0 or a negative errno: -EBUSY if the ring is enabled.
 */
int wsq_restrict(struct wsq_ring *ring, const __u32 *ops, unsigned int nr_ops,
		 unsigned int sqe_flags)
{
	struct wsq_restrict r = {
		.size = sizeof(r),
		.nr_ops = nr_ops,
		.ops = (__u64)(uintptr_t)ops,
		.sqe_flags = sqe_flags,
	};

	return wsq_sys_ioctl(ring->fd, WSQ_IOC_RESTRICT, &r);
}

/**
 * wsq_enable - lets a ring made with WSQ_INIT_DISABLED take tasks
 * @ring: the ring
 *
 * Returns 0 or a negative errno: -EBADFD if it was enabled.
 */
int wsq_enable(struct wsq_ring *ring)
{
	return wsq_sys_ioctl(ring->fd, WSQ_IOC_ENABLE, NULL);
}

/**
 * wsq_ring_stats_sized - the counters of a ring, for callers of any struct size
 * @ring: the ring
 * @st: the answer
 * @st_size: sizeof(struct wsq_ring_stats) as the caller was compiled with
 *
 * Returns 0 or a negative errno.
 */
int wsq_ring_stats_sized(const struct wsq_ring *ring, struct wsq_ring_stats *st,
			 size_t st_size)
{
	if (st_size < sizeof(st->size) || st_size > UINT32_MAX)
		return -EINVAL;
	memset(st, 0, st_size);
	st->size = (__u32)st_size;
	return wsq_sys_ioctl(ring->fd, WSQ_IOC_RING_STATS, st);
}
