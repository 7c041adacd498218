// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * rings: several threads, each with its own ring.
 *
 * A ring is for one thread at a time; one ring per thread needs no lock. All
 * rings share the same workers: a task runs wherever a CPU is free.
 * Compile with -pthread.
 */
#include <libwsq.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS	4
#define TASKS	2000

struct job {
	pthread_t thread;
	unsigned int nr;
	unsigned int got;
	unsigned long long sum;
	int ret;
};

/* Checksums of numbers, 32 at a time. */
static void *work(void *arg)
{
	struct wsq_cqe *cqes[32];
	struct job *job = arg;
	unsigned int put = 0, n, i;
	struct wsq_ring ring;
	struct wsq_sqe *sqe;
	__u32 *number;

	job->ret = wsq_queue_init(32, 4096, &ring, 0);
	if (job->ret)
		return NULL;
	number = wsq_arena_base(&ring);
	while (job->got < TASKS) {
		while (put < TASKS && put - job->got < 32) {
			sqe = wsq_get_sqe(&ring);
			/* The slot is free: its previous task has completed. */
			number[put % 32] = job->nr * TASKS + put;
			wsq_prep_crc32c(sqe, 4 * (put % 32), 4, 0);
			put++;
		}
		/* Wait for all, so that every slot is free again. */
		job->ret = wsq_submit_and_wait(&ring, put - job->got,
					       WSQ_NO_TIMEOUT);
		/* Again, if something such as Ctrl-Z interrupted the wait. */
		if (job->ret >= 0)
			job->ret = wsq_wait_cqes(&ring, cqes, put - job->got,
						 WSQ_NO_TIMEOUT);
		if (job->ret < 0)
			break;
		n = wsq_peek_batch_cqe(&ring, cqes, 32);
		for (i = 0; i < n && cqes[i]->res >= 0; i++)
			job->sum += cqes[i]->res;
		if (i < n) {
			job->ret = (int)cqes[i]->res;
			break;
		}
		wsq_cq_advance(&ring, n);
		job->got += n;
	}
	wsq_queue_exit(&ring);
	return NULL;
}

int main(void)
{
	struct job jobs[THREADS] = { 0 };
	unsigned long long sum = 0;
	unsigned int i, got = 0;
	int bad = 0;

	for (i = 0; i < THREADS; i++) {
		jobs[i].nr = i;
		if (pthread_create(&jobs[i].thread, NULL, work, &jobs[i]))
			return 1;
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		if (jobs[i].ret < 0) {
			fprintf(stderr, "thread %u: %s\n", i,
				strerror(-jobs[i].ret));
			bad = 1;
		}
		got += jobs[i].got;
		sum += jobs[i].sum;
	}
	printf("%u threads, %u tasks, sum %llu\n", THREADS, got, sum);
	return bad || got != THREADS * TASKS;
}
