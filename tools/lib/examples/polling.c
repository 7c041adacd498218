// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * polling: many tasks, almost no system calls.
 *
 * A kernel thread polls the ring, so submitting and reading completions only
 * access memory. For programs that submit continuously, on machines with a CPU
 * to spare. Polling needs CAP_SYS_NICE; without it this program continues
 * without polling.
 */
#include <libwsq.h>
#include <stdio.h>

#define TASKS	100000

int main(void)
{
	unsigned int put = 0, got = 0, failed = 0, n, i;
	const struct wsq_params polled = {
		.flags = WSQ_INIT_POLL,
		.idle_us = 10000,
	};
	struct wsq_cqe *cqes[64];
	struct wsq_ring ring;
	struct wsq_sqe *sqe;
	int ret;

	ret = wsq_queue_init_params(64, 65536, &ring, &polled);
	if (ret == -EPERM) {
		fprintf(stderr, "not allowed to poll: going on without\n");
		ret = wsq_queue_init(64, 65536, &ring, 0);
	}
	if (ret) {
		fprintf(stderr, "no ring: %s\n", strerror(-ret));
		return 1;
	}

	while (got < TASKS) {
		/* As many as there is space for. */
		while (put < TASKS && (sqe = wsq_get_sqe(&ring))) {
			wsq_prep_crc32c(sqe, 64 * (put % 64), 64, 0);
			put++;
		}
		/* EAGAIN: completions have to be read first, as below. */
		ret = wsq_submit(&ring);
		if (ret < 0 && ret != -EAGAIN)
			break;
		n = wsq_peek_batch_cqe(&ring, cqes, 64);
		for (i = 0; i < n; i++)
			failed += cqes[i]->res < 0;
		wsq_cq_advance(&ring, n);
		got += n;
		/* Nothing to fill, nothing to read: waiting is cheaper now. */
		if (!n && put == TASKS && got < TASKS) {
			ret = wsq_wait_cqe(&ring, cqes);
			if (ret < 0 && ret != -EINTR)
				break;
		}
	}
	printf("%u tasks, %u completed, %u failed\n", put, got, failed);
	wsq_queue_exit(&ring);
	return got != TASKS || failed;
}
