// SPDX-License-Identifier: GPL-2.0
/*
 * The wsq ring, by libwsq. libwsq calls the kernel through a table
 * (tools/lib/sys.h); here it is replaced by one that counts.
 *
 * The data is in the arena when the clock starts, as it is in the process's
 * memory for other engines: programs that hash what they read would read it
 * into the arena.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "libwsq.h"
#include "sys.h"

/* Offset of the digests: behind the input. */
#define DIGESTS		INPUT_LEN

static const struct wsq_sys *real_sys;

static int count_open(const char *path)
{
	return real_sys->open(path);
}

static int count_close(int fd)
{
	return real_sys->close(fd);
}

static int count_ioctl(int fd, unsigned long cmd, void *arg)
{
	calls++;
	return real_sys->ioctl(fd, cmd, arg);
}

static int count_mmap(int fd, __u64 off, size_t len, void **addr)
{
	return real_sys->mmap(fd, off, len, addr);
}

static int count_munmap(void *addr, size_t len)
{
	return real_sys->munmap(addr, len);
}

static const struct wsq_sys count_sys = {
	.open	= count_open,
	.close	= count_close,
	.ioctl	= count_ioctl,
	.mmap	= count_mmap,
	.munmap	= count_munmap,
};

/* The thread that polls for @ring, from its fdinfo. */
static pid_t wsq_poller(const struct wsq_ring *ring)
{
	char line[64];
	int pid = 0;
	FILE *f;

	snprintf(line, sizeof(line), "/proc/self/fdinfo/%d", wsq_ring_fd(ring));
	f = fopen(line, "r");
	if (!f)
		die(line, errno);
	while (!pid && fgets(line, sizeof(line), f))
		sscanf(line, "wsq_poller: %d", &pid);
	fclose(f);
	return pid;
}

static void *wsq_engine_open(const struct engine *engine, const char **why)
{
	struct wsq_ring *ring = calloc(1, sizeof(*ring));
	struct wsq_params params = {
		.flags = (engine->polls ? WSQ_INIT_POLL : 0) |
			 (engine->futures ? WSQ_INIT_FUTURES : 0),
		.idle_us = engine->polls ? IDLE_MS * 1000 : 0,
	};
	int ret;

	if (!ring)
		die(engine->name, ENOMEM);
	if (wsq_sys != &count_sys) {
		real_sys = wsq_sys;
		wsq_sys = &count_sys;
	}
	ret = wsq_queue_init_params(MAX_BATCH,
				    INPUT_LEN + MAX_BATCH * DIGEST_LEN, ring,
				    &params);
	if (ret < 0) {
		*why = strerror(-ret);
		free(ring);
		return NULL;
	}
	if (engine->polls && poller_cpu >= 0)
		stay(wsq_poller(ring), poller_cpu);
	memcpy(wsq_arena_base(ring), input, INPUT_LEN);
	return ring;
}

static void wsq_fill(struct wsq_ring *ring, enum task task, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct wsq_sqe *sqe = wsq_get_sqe(ring);

		if (!sqe)
			die("wsq_get_sqe", EPROTO);
		switch (task) {
		case TASK_CRC32C:
			wsq_prep_crc32c(sqe, input_off(task, i), CRC_LEN, 0);
			break;
		case TASK_SHA256:
			wsq_prep_sha256(sqe, DIGESTS + i * DIGEST_LEN,
					input_off(task, i), SHA_LEN);
			break;
		default:
			wsq_prep_nop(sqe);
		}
		wsq_sqe_set_data64(sqe, i);
	}
}

static void wsq_check(struct wsq_ring *ring, enum task task,
		      const struct wsq_cqe *cqe)
{
	unsigned int i = (unsigned int)wsq_cqe_get_data64(cqe);

	if (cqe->res < 0)
		die("wsq task", (int)-cqe->res);
	if (task == TASK_CRC32C)
		check_crc("wsq ring", i, cqe->res);
	else if (task == TASK_SHA256)
		check_digest("wsq ring", i,
			     wsq_arena_ptr(ring, DIGESTS + i * DIGEST_LEN));
}

static void wsq_batch(void *state, enum task task, unsigned int nr)
{
	struct wsq_cqe *cqes[MAX_BATCH];
	struct wsq_ring *ring = state;
	bool polled = ring->flags & WSQ_INIT_POLL;
	unsigned int i, n, got = 0, spins = 0;
	int ret;

	wsq_fill(ring, task, nr);
	ret = polled ? wsq_submit(ring) :
	      wsq_submit_and_wait(ring, nr, WSQ_NO_TIMEOUT);
	if (ret < 0)
		die("wsq_submit", -ret);
	while (got < nr) {
		n = wsq_peek_batch_cqe(ring, cqes, nr - got);
		for (i = 0; i < n; i++)
			wsq_check(ring, task, cqes[i]);
		wsq_cq_advance(ring, n);
		got += n;
		if (n)
			continue;
		if (polled && spins++ < SPINS) {
			cpu_relax();
			continue;
		}
		/* Also where a signal (io_uring's task work) ended the wait. */
		ret = wsq_wait_cqes(ring, cqes, nr - got, WSQ_NO_TIMEOUT);
		if (ret < 0 && ret != -EINTR)
			die("wsq_wait_cqes", -ret);
	}
}

void wsq_empty_call(void *state)
{
	struct wsq_enter e = { .size = sizeof(e) };
	struct wsq_ring *ring = state;

	int ret = real_sys->ioctl(wsq_ring_fd(ring), WSQ_IOC_ENTER, &e);

	if (ret)
		die("WSQ_IOC_ENTER", -ret);
}

const struct engine wsq_engine = {
	.name = "wsq ring",
	.tasks = 1 << TASK_NOP | 1 << TASK_CRC32C | 1 << TASK_SHA256,
	.open = wsq_engine_open,
	.batch = wsq_batch,
};

const struct engine wsq_poll_engine = {
	.name = "wsq ring polled",
	.tasks = 1 << TASK_NOP | 1 << TASK_CRC32C | 1 << TASK_SHA256,
	.polls = true,
	.open = wsq_engine_open,
	.batch = wsq_batch,
};

/* What futures cost tasks that have none. */
const struct engine wsq_futures_engine = {
	.name = "wsq ring with futures",
	.tasks = 1 << TASK_NOP,
	.futures = true,
	.open = wsq_engine_open,
	.batch = wsq_batch,
};
