/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts the tasks that have run on a ring that no longer exists: for tests that
 * a ring is closed, or its process killed, without running the backlog first.
 *
 * Each task hashes the same input and has its own cell for the result. The pages
 * of the cells are also in a pipe, by vmsplice(), and stay there unchanged when
 * the ring is freed. So the number of results is exact, and independent of time.
 */
#ifndef WSQ_DONE_H
#define WSQ_DONE_H

#include "wsq_test.h"

#include <sys/uio.h>

#define DONE_CELL	32U
/* As many as their pages fit into a pipe. */
#define DONE_NR		2048U
#define DONE_BYTES	(DONE_NR * DONE_CELL)

/* Keeps the cells, @len bytes from the beginning of the arena: whole pages. */
static inline void done_keep(struct ring *r, int pipe_to, uint64_t len)
{
	struct iovec iov = { r->arena + len, DONE_BYTES };

	EXPECT_EQ(vmsplice(pipe_to, &iov, 1, 0), DONE_BYTES);
}

/* Hash @i of the first @len bytes. Does not submit it. */
static inline void done_push(struct ring *r, unsigned int i, uint64_t len,
			     unsigned int flags, uint64_t key)
{
	struct wsq_sqe sqe = {
		.op = WSQ_OP_SHA256, .flags = flags, .key = key, .len = len,
		.dst = len + i * DONE_CELL, .user_data = i,
	};

	ring_push(r, &sqe);
}

/* How many have a result. The ring has been freed. */
static inline unsigned int done_count(int pipe_from)
{
	static uint8_t cells[DONE_NR][DONE_CELL];
	static const uint8_t none[DONE_CELL];
	unsigned int done = 0, i;
	size_t got = 0;

	while (got < sizeof(cells)) {
		ssize_t n = read(pipe_from, (uint8_t *)cells + got,
				 sizeof(cells) - got);

		EXPECT(n > 0);
		got += n;
	}
	for (i = 0; i < DONE_NR; i++)
		done += !!memcmp(cells[i], none, DONE_CELL);
	return done;
}

#endif /* WSQ_DONE_H */
