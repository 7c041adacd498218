// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * cancel: tasks with a deadline; the rest is cancelled.
 *
 * Submits more hashing than fits into the time limit, and cancels what is left
 * when the time is over. Each task has exactly one completion, however it
 * ended, so the counts add up.
 */
#include <libwsq.h>
#include <stdio.h>
#include <time.h>

#define TASKS	256
#define LEN	(1 << 20)
#define MS	1000000ULL

static __u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int main(void)
{
	unsigned int done = 0, late = 0, called = 0, failed = 0, i, running = 0;
	__s64 data, out;
	struct wsq_ring ring;
	struct wsq_cqe *cqe;
	struct wsq_sqe *sqe;
	__u64 begin;
	int ret;

	ret = wsq_queue_init(TASKS, 2 * LEN, &ring, 0);
	if (ret) {
		fprintf(stderr, "no ring: %s\n", strerror(-ret));
		return 1;
	}
	data = wsq_arena_alloc(&ring, LEN, 64);
	out = wsq_arena_alloc(&ring, 32 * TASKS, 64);
	begin = now();
	for (i = 0; i < TASKS; i++) {
		sqe = wsq_get_sqe(&ring);
		wsq_prep_sha256(sqe, out + 32 * i, data, LEN);
		/* The first half is useful for 5 ms only. */
		if (i < TASKS / 2)
			wsq_sqe_set_deadline(sqe, begin + 5 * MS);
	}
	ret = wsq_submit(&ring);
	if (ret != TASKS) {
		fprintf(stderr, "submitted: %d\n", ret);
		return 1;
	}

	/* Wait for all of them, but no longer than 20 ms. */
	ret = wsq_wait_cqes(&ring, &cqe, TASKS, 20 * MS);
	if (ret == -ETIME || ret == -EINTR) {
		ret = wsq_cancel(&ring, WSQ_CANCEL_ALL, 0, &running);
		printf("cancelled: %d, had begun: %u\n", ret < 0 ? 0 : ret,
		       running);
	}

	/* Only the results need this wait; the ring could be closed now. */
	while (wsq_in_flight(&ring)) {
		ret = wsq_wait_cqe(&ring, &cqe);
		if (ret == -EINTR)
			continue;
		if (ret < 0)
			break;
		done += cqe->res == 32;
		late += cqe->res == -ETIME;
		called += cqe->res == -ECANCELED;
		failed += cqe->res < 0 && cqe->res != -ETIME &&
			  cqe->res != -ECANCELED;
		wsq_cqe_seen(&ring, cqe);
	}
	printf("%u done, %u late, %u cancelled, %u failed: %u of %u\n", done,
	       late, called, failed, done + late + called + failed, TASKS);
	wsq_queue_exit(&ring);
	return failed || done + late + called != TASKS;
}
