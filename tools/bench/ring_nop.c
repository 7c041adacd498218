// SPDX-License-Identifier: GPL-2.0
/*
 * ring_nop: tasks that do nothing, through the wsq ring and through io_uring,
 * by one process in one kernel. For tools/bench/kernel; prints JSON lines
 * (tools/bench/README.md).
 *
 *	ring_nop [-r ROUNDS] [-n TASKS] [-R RUN]
 *
 * A batch is submitted and waited for with one system call on either side, then
 * read from the completion ring. io_uring completes a nop inside the system
 * call; with IOSQE_ASYNC its worker threads run it, which is what wsq always
 * does. What a system call costs here is measured by itself, and rows of which
 * it makes up half or more say so: they compare system calls, not rings.
 *
 * Limitations: one submitter, nothing polls.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libwsq.h"

#define MAX_BATCH	512
#define MAX_ROUNDS	1000
#define NR_BATCHES	4

static const unsigned int batches[NR_BATCHES] = { 1, 8, 64, MAX_BATCH };

static unsigned int rounds = 15;
static unsigned int tasks = 4096;
static unsigned int run;

static struct io_uring uring;
static struct wsq_ring wring;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void die(const char *what, int err)
{
	fprintf(stderr, "ring_nop: %s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(1);
}

/* Each takes a batch through, completions included. */

static void wsq_batch(unsigned int nr)
{
	struct wsq_cqe *cqes[MAX_BATCH];
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		struct wsq_sqe *sqe = wsq_get_sqe(&wring);

		if (!sqe)
			die("wsq_get_sqe", EPROTO);
		wsq_prep_nop(sqe);
		wsq_sqe_set_data64(sqe, i);
	}
	ret = wsq_submit_and_wait(&wring, nr, WSQ_NO_TIMEOUT);
	if (ret < 0)
		die("wsq_submit_and_wait", ret);
	/* io_uring's task work counts as a signal and may have ended the wait. */
	while (wsq_peek_batch_cqe(&wring, cqes, nr) != nr) {
		ret = wsq_wait_cqes(&wring, cqes, nr, WSQ_NO_TIMEOUT);
		if (ret < 0 && ret != -EINTR)
			die("wsq_wait_cqes", ret);
	}
	for (i = 0; i < nr; i++)
		if (cqes[i]->res)
			die("wsq nop", (int)cqes[i]->res);
	wsq_cq_advance(&wring, nr);
}

static void uring_some(unsigned int nr, unsigned int flags)
{
	struct io_uring_cqe *cqes[MAX_BATCH];
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&uring);

		if (!sqe)
			die("io_uring_get_sqe", EPROTO);
		io_uring_prep_nop(sqe);
		sqe->user_data = i;
		io_uring_sqe_set_flags(sqe, flags);
	}
	ret = io_uring_submit_and_wait(&uring, nr);
	if (ret < 0)
		die("io_uring_submit_and_wait", ret);
	if (io_uring_peek_batch_cqe(&uring, cqes, nr) != nr)
		die("io_uring_peek_batch_cqe", EPROTO);
	for (i = 0; i < nr; i++)
		if (cqes[i]->res)
			die("io_uring nop", cqes[i]->res);
	io_uring_cq_advance(&uring, nr);
}

static void uring_batch(unsigned int nr)
{
	uring_some(nr, 0);
}

static void uring_async_batch(unsigned int nr)
{
	uring_some(nr, IOSQE_ASYNC);
}

static bool wsq_open_ring(void)
{
	int ret = wsq_queue_init(MAX_BATCH, 4096, &wring, 0);

	if (ret < 0)
		fprintf(stderr, "ring_nop: wsq: %s\n", strerror(-ret));
	return ret >= 0;
}

static bool uring_open_ring(void)
{
	int ret = io_uring_queue_init(MAX_BATCH, &uring, 0);

	if (ret < 0)
		fprintf(stderr, "ring_nop: io_uring: %s\n", strerror(-ret));
	return ret >= 0;
}

static struct engine {
	const char *name;
	void (*batch)(unsigned int nr);
	bool there;
	double samples[NR_BATCHES][MAX_ROUNDS];
} engines[] = {
	{ .name = "wsq ring", .batch = wsq_batch },
	{ .name = "io_uring", .batch = uring_batch },
	{ .name = "io_uring async", .batch = uring_async_batch },
};

#define NR_ENGINES	(sizeof(engines) / sizeof(engines[0]))

/* System calls that do nothing. */

static void call_getppid(void)
{
	syscall(SYS_getppid);
}

static void call_wsq(void)
{
	struct wsq_enter e = { .size = sizeof(e) };

	if (ioctl(wring.fd, WSQ_IOC_ENTER, &e))
		die("WSQ_IOC_ENTER", errno);
}

static void call_uring(void)
{
	if (syscall(SYS_io_uring_enter, uring.ring_fd, 0, 0, 0, NULL, 0))
		die("io_uring_enter", errno);
}

static struct call {
	const char *name;
	void (*call)(void);
	bool there;
	double samples[MAX_ROUNDS];
} calls[] = {
	{ .name = "getppid", .call = call_getppid, .there = true },
	{ .name = "wsq enter", .call = call_wsq },
	{ .name = "io_uring_enter", .call = call_uring },
};

#define NR_CALLS	(sizeof(calls) / sizeof(calls[0]))
#define CALLS_A_ROUND	512

static void measure_calls(unsigned int round)
{
	unsigned int i, k;

	for (i = 0; i < NR_CALLS; i++) {
		uint64_t from = now_ns();

		if (!calls[i].there)
			continue;
		for (k = 0; k < CALLS_A_ROUND; k++)
			calls[i].call();
		calls[i].samples[round] = (double)(now_ns() - from) /
					  CALLS_A_ROUND;
	}
}

static void measure_batches(unsigned int round)
{
	unsigned int b, i, k;

	for (b = 0; b < NR_BATCHES; b++) {
		/* A batch of one takes its time, and needs no more of them. */
		unsigned int turns = tasks / batches[b];

		if (turns > tasks / 8)
			turns = tasks / 8;
		if (!turns)
			turns = 1;
		for (i = 0; i < NR_ENGINES; i++) {
			uint64_t from;

			if (!engines[i].there)
				continue;
			/* Wake whoever has gone to sleep meanwhile. */
			engines[i].batch(batches[b]);
			from = now_ns();
			for (k = 0; k < turns; k++)
				engines[i].batch(batches[b]);
			engines[i].samples[b][round] = (double)(now_ns() - from) /
						       turns / batches[b];
		}
	}
}

static int cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(const double *samples)
{
	double sorted[MAX_ROUNDS];

	memcpy(sorted, samples, rounds * sizeof(*samples));
	qsort(sorted, rounds, sizeof(*sorted), cmp_double);
	return sorted[rounds / 2];
}

static void print_samples(const char *name, const char *metric,
			  const double *samples, const char *note)
{
	unsigned int i, k;

	for (i = 0; i < rounds; i += 50) {
		printf("{\"suite\":\"kernel\",\"case\":\"%s\",\"metric\":\"%s\",",
		       name, metric);
		printf("\"unit\":\"ns\",\"run\":%u,\"round\":%u,", run, i);
		if (*note && !i)
			printf("\"note\":\"%s\",", note);
		printf("\"samples\":[");
		for (k = i; k < rounds && k < i + 50; k++)
			printf("%s%.1f", k == i ? "" : ",", samples[k]);
		printf("]}\n");
	}
}

static void print_all(void)
{
	char metric[64], note[128];
	unsigned int b, i;

	for (i = 0; i < NR_CALLS; i++)
		if (calls[i].there)
			print_samples(calls[i].name, "empty system call",
				      calls[i].samples, "");
	for (b = 0; b < NR_BATCHES; b++) {
		snprintf(metric, sizeof(metric), "ring nop, batches of %u",
			 batches[b]);
		for (i = 0; i < NR_ENGINES; i++) {
			/* The engine's own call: 1 of wsq, 2 of io_uring. */
			double share = 100 * median(calls[i ? 2 : 1].samples) /
				       batches[b];

			if (!engines[i].there)
				continue;
			share /= median(engines[i].samples[b]);
			*note = 0;
			if (share >= 50)
				snprintf(note, sizeof(note),
					 "system calls dominate: %.0f %% of the time",
					 share);
			print_samples(engines[i].name, metric,
				      engines[i].samples[b], note);
		}
	}
}

static unsigned int number(const char *text, unsigned int max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!*text || *end || n > max) {
		fprintf(stderr, "ring_nop: %s: a number up to %u, please\n",
			text, max);
		exit(2);
	}
	return (unsigned int)n;
}

int main(int argc, char **argv)
{
	unsigned int round;
	int opt;

	while ((opt = getopt(argc, argv, "r:n:R:")) != -1) {
		switch (opt) {
		case 'r':
			rounds = number(optarg, MAX_ROUNDS);
			break;
		case 'n':
			tasks = number(optarg, 10000000);
			break;
		case 'R':
			run = number(optarg, 1000);
			break;
		default:
			fprintf(stderr, "usage: ring_nop [-r ROUNDS] [-n TASKS] [-R RUN]\n");
			return 2;
		}
	}
	if (!rounds)
		return 2;
	engines[0].there = wsq_open_ring();
	engines[1].there = uring_open_ring();
	engines[2].there = engines[1].there;
	calls[1].there = engines[0].there;
	calls[2].there = engines[1].there;
	for (round = 0; round < rounds; round++) {
		measure_calls(round);
		measure_batches(round);
	}
	print_all();
	return engines[0].there ? 0 : 1;
}
