// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring, by its system calls: nops that the kernel completes inline, that
 * its poller takes (IORING_SETUP_SQPOLL), or that are forced to threads of
 * io-wq (IOSQE_ASYNC). A batch is submitted and waited for with one call, as
 * liburing's io_uring_submit_and_wait() does.
 *
 * Opcodes and flags as old as Linux 5.6.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

/**
 * struct uring - one ring
 * @fd: its file
 * @sqe_flags: of each entry
 * @polls: it has a poller
 * @sq_tail, @sq_flags, @sq_array, @sq_mask, @sqes: submission, shared
 * @cq_head, @cq_tail, @cq_mask, @cqes: completion, shared
 */
struct uring {
	int fd;
	uint8_t sqe_flags;
	bool polls;
	uint32_t *sq_tail;
	uint32_t *sq_flags;
	uint32_t *sq_array;
	uint32_t sq_mask;
	struct io_uring_sqe *sqes;
	uint32_t *cq_head;
	uint32_t *cq_tail;
	uint32_t cq_mask;
	struct io_uring_cqe *cqes;
};

static int uring_enter(const struct uring *u, unsigned int submit,
		       unsigned int wait, unsigned int flags)
{
	calls++;
	return (int)syscall(__NR_io_uring_enter, u->fd, submit, wait, flags,
			    NULL, 0);
}

static void *uring_map(int fd, size_t len, off_t off)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, fd, off);

	if (p == MAP_FAILED)
		die("io_uring: mmap", errno);
	return p;
}

static void *uring_open(const struct engine *engine, const char **why)
{
	struct io_uring_params p = {};
	struct uring *u = calloc(1, sizeof(*u));
	uint8_t *sq, *cq;

	if (!u)
		die(engine->name, ENOMEM);
	if (engine->polls) {
		p.flags = IORING_SETUP_SQPOLL;
		p.sq_thread_idle = IDLE_MS;
		if (poller_cpu >= 0) {
			p.flags |= IORING_SETUP_SQ_AFF;
			p.sq_thread_cpu = (uint32_t)poller_cpu;
		}
	}
	u->fd = (int)syscall(__NR_io_uring_setup, MAX_BATCH, &p);
	if (u->fd < 0) {
		*why = strerror(errno);
		free(u);
		return NULL;
	}
	u->polls = engine->polls;
	u->sqe_flags = engine == &uring_async_engine ? IOSQE_ASYNC : 0;
	sq = uring_map(u->fd, p.sq_off.array + p.sq_entries * 4,
		       IORING_OFF_SQ_RING);
	cq = uring_map(u->fd, p.cq_off.cqes +
		       p.cq_entries * sizeof(struct io_uring_cqe),
		       IORING_OFF_CQ_RING);
	u->sqes = uring_map(u->fd, p.sq_entries * sizeof(struct io_uring_sqe),
			    IORING_OFF_SQES);
	u->sq_tail = (uint32_t *)(sq + p.sq_off.tail);
	u->sq_flags = (uint32_t *)(sq + p.sq_off.flags);
	u->sq_array = (uint32_t *)(sq + p.sq_off.array);
	u->sq_mask = *(uint32_t *)(sq + p.sq_off.ring_mask);
	u->cq_head = (uint32_t *)(cq + p.cq_off.head);
	u->cq_tail = (uint32_t *)(cq + p.cq_off.tail);
	u->cq_mask = *(uint32_t *)(cq + p.cq_off.ring_mask);
	u->cqes = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
	return u;
}

static void uring_fill(struct uring *u, unsigned int nr)
{
	uint32_t tail = *u->sq_tail;
	unsigned int i;

	for (i = 0; i < nr; i++, tail++) {
		uint32_t k = tail & u->sq_mask;
		struct io_uring_sqe *sqe = &u->sqes[k];

		memset(sqe, 0, sizeof(*sqe));
		sqe->opcode = IORING_OP_NOP;
		sqe->flags = u->sqe_flags;
		sqe->fd = -1;
		sqe->user_data = i;
		u->sq_array[k] = k;
	}
	__atomic_store_n(u->sq_tail, tail, __ATOMIC_RELEASE);
}

static unsigned int uring_ready(const struct uring *u)
{
	return __atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE) - *u->cq_head;
}

/* Wakes the poller if it sleeps. */
static void uring_poke(const struct uring *u)
{
	/* The tail is stored; order it before the load of the flag. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(u->sq_flags, __ATOMIC_RELAXED) &
	    IORING_SQ_NEED_WAKEUP &&
	    uring_enter(u, 0, 0, IORING_ENTER_SQ_WAKEUP) < 0)
		die("io_uring_enter: wake", errno);
}

static void uring_batch(void *state, enum task task, unsigned int nr)
{
	unsigned int i, submit = nr;
	struct uring *u = state;
	uint32_t head;

	(void)task;
	uring_fill(u, nr);
	if (u->polls) {
		uring_poke(u);
		for (i = 0; i < SPINS && uring_ready(u) < nr; i++)
			cpu_relax();
		submit = 0;
	}
	while (submit || uring_ready(u) < nr) {
		int ret = uring_enter(u, submit, nr, IORING_ENTER_GETEVENTS);

		if (ret < 0 && errno != EINTR)
			die("io_uring_enter", errno);
		if (ret > 0)
			submit -= (unsigned int)ret;
	}
	head = *u->cq_head;
	for (i = 0; i < nr; i++, head++)
		if (u->cqes[head & u->cq_mask].res)
			die("io_uring nop", -u->cqes[head & u->cq_mask].res);
	__atomic_store_n(u->cq_head, head, __ATOMIC_RELEASE);
}

void uring_empty_call(void *state)
{
	if (uring_enter(state, 0, 0, 0))
		die("io_uring_enter", errno);
}

const struct engine uring_engine = {
	.name = "io_uring",
	.tasks = 1 << TASK_NOP,
	.open = uring_open,
	.batch = uring_batch,
};

const struct engine uring_poll_engine = {
	.name = "io_uring SQPOLL",
	.tasks = 1 << TASK_NOP,
	.polls = true,
	.open = uring_open,
	.batch = uring_batch,
};

const struct engine uring_async_engine = {
	.name = "io_uring async",
	.tasks = 1 << TASK_NOP,
	.open = uring_open,
	.batch = uring_batch,
};
