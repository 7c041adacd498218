// SPDX-License-Identifier: GPL-2.0
/*
 * The ring's basics: tasks and their results, for any batch size, any waiter
 * and any number of wrap-arounds.
 */
#include "wsq_test.h"

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/sysinfo.h>
#include <sys/time.h>

static void fill(uint8_t *p, size_t len, uint64_t seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = rnd(&seed);
}

static const size_t lengths[] = {
	1, 2, 7, 31, 55, 56, 63, 64, 65, 119, 120, 4095, 4096, 4097,
	16383, 16384, 16385, 65537, 300000,
};

/* Each op, each length, at odd offsets, against our own computation. */
static void results(void)
{
	const size_t half = 512 << 10;
	uint8_t want[32];
	struct ring r;
	unsigned int i;

	ring_open(&r, 8, 0, 2 * half);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		size_t len = lengths[i], src = 3 * i, dst = half + 5 * i;
		struct wsq_sqe sqe = { .src = src, .len = len };

		test_at("length", len);
		fill(r.arena, 2 * half, len);

		sqe.op = WSQ_OP_CRC32C;
		EXPECT_EQ(ring_do(&r, &sqe), ref_crc32c(0, r.arena + src, len));
		sqe.arg = 0xdeadbeef;
		EXPECT_EQ(ring_do(&r, &sqe),
			  ref_crc32c(0xdeadbeef, r.arena + src, len));
		sqe.arg = 0;

		sqe.op = WSQ_OP_SHA256;
		sqe.dst = dst;
		ref_sha256(r.arena + src, len, want);
		EXPECT_EQ(ring_do(&r, &sqe), 32);
		EXPECT(!memcmp(r.arena + dst, want, 32));
		/* Overlapping the input. */
		sqe.dst = src;
		EXPECT_EQ(ring_do(&r, &sqe), 32);
		EXPECT(!memcmp(r.arena + src, want, 32));

		sqe.op = WSQ_OP_COPY;
		sqe.dst = dst;
		r.arena[dst + len] = ~r.arena[src + len];
		EXPECT_EQ(ring_do(&r, &sqe), len);
		EXPECT(!memcmp(r.arena + dst, r.arena + src, len));
		/* The next byte is not included. */
		EXPECT(r.arena[dst + len] != r.arena[src + len]);
	}
	ring_close(&r);
}

/* A checksum continued over parts. */
static void crc_chain(void)
{
	struct wsq_sqe sqe = { .op = WSQ_OP_CRC32C };
	struct ring r;

	ring_open(&r, 1, 0, 4096);
	memcpy(r.arena, "123456789", 9);
	sqe.len = 4;
	sqe.arg = ring_do(&r, &sqe);
	sqe.src = 4;
	sqe.len = 5;
	EXPECT_EQ(ring_do(&r, &sqe), 0xe3069283LL);
	ring_close(&r);
}

static void completion_members(void)
{
	struct ring r;
	unsigned int i;

	ring_open(&r, 16, 0, 0);
	for (i = 0; i < 100; i++) {
		uint64_t before = now_ns();
		struct wsq_cqe cqe;

		ring_push_nop(&r, ~0ULL - i);
		EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
		cqe = ring_take(&r);
		EXPECT_EQ(cqe.user_data, ~0ULL - i);
		EXPECT_EQ(cqe.res, 0);
		EXPECT(cqe.wait_ns <= now_ns() - before);
		EXPECT(cqe.cpu < (unsigned int)get_nprocs_conf());
		EXPECT_EQ(r.page->sq_head, i + 1);
	}
	ring_close(&r);
}

/* Thousands of rounds of tiny rings, each id exactly once. */
static void wrap(void)
{
	static const struct { unsigned int sq, cq, rounds; } rows[] = {
		{ 1, 1, 3000 }, { 1, 2, 3000 }, { 2, 2, 3000 },
		{ 4, 8, 3000 }, { 8, 8, 2000 }, { 64, 128, 300 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t next = 0, sum = 0, want = 0, seed = 1 + i;
		struct ring r;

		test_at("ring", i);
		ring_open(&r, rows[i].sq, rows[i].cq, 0);
		for (j = 0; j < rows[i].rounds; j++) {
			unsigned int n = 1 + rnd(&seed) % rows[i].sq, k;

			for (k = 0; k < n; k++) {
				want += next * next;
				ring_push_nop(&r, next++);
			}
			EXPECT_EQ(ring_enter(&r, n, n, TIMEOUT_S), 0);
			EXPECT_EQ(r.e.submitted, n);
			EXPECT_EQ(r.e.completed, n);
			for (k = 0; k < n; k++) {
				struct wsq_cqe cqe = ring_take(&r);

				EXPECT_EQ(cqe.res, 0);
				sum += cqe.user_data * cqe.user_data;
			}
			EXPECT(!ring_peek(&r));
		}
		EXPECT_EQ(sum, want);
		EXPECT_EQ(r.page->sq_head, next);
		ring_close(&r);
	}
}

/* Every batch size of a ring, and larger ones fail. */
static void batches(void)
{
	struct ring r;
	unsigned int n, k;

	ring_open(&r, 512, 512, 0);
	for (n = 1; n <= 512; n = n < 16 ? n + 1 : 2 * n) {
		for (k = 0; k < n; k++)
			ring_push_nop(&r, k);
		/* Fewer than were filled, then the rest. */
		EXPECT_EQ(ring_enter(&r, n / 2, n / 2, TIMEOUT_S), 0);
		EXPECT_EQ(r.e.submitted, n / 2);
		EXPECT_EQ(ring_enter(&r, 1000, n, TIMEOUT_S), 0);
		EXPECT_EQ(r.e.submitted, n - n / 2);
		EXPECT_EQ(r.e.completed, n);
		for (k = 0; k < n; k++)
			ring_take(&r);
	}
	ring_close(&r);
}

/* The largest ring, filled at once. */
static void largest(void)
{
	const unsigned int n = 32768;
	uint8_t *seen = calloc(n, 1);
	struct ring r;
	unsigned int k;

	ring_open(&r, n, n, 0);
	for (k = 0; k < n; k++)
		ring_push_nop(&r, k);
	EXPECT_EQ(ring_enter(&r, n, n, TIMEOUT_S), 0);
	EXPECT_EQ(r.e.submitted, n);
	EXPECT_EQ(r.e.completed, n);
	for (k = 0; k < n; k++) {
		struct wsq_cqe cqe = ring_take(&r);

		EXPECT(cqe.user_data < n && !seen[cqe.user_data]++);
	}
	ring_close(&r);
}

/* No free completion entries: EAGAIN, nothing lost, and it continues. */
static void full(void)
{
	uint64_t next = 0, got = 0;
	struct ring r;
	int i;

	ring_open(&r, 4, 8, 0);
	for (i = 0; i < 2; i++) {
		ring_push_nop(&r, next++);
		ring_push_nop(&r, next++);
		ring_push_nop(&r, next++);
		EXPECT_EQ(ring_enter(&r, 3, 0, 0), 0);
		EXPECT_EQ(r.e.submitted, 3);
	}
	/* Space for two of four: those are taken, and there is no wait. */
	for (i = 0; i < 4; i++)
		ring_push_nop(&r, next++);
	EXPECT_EQ(ring_enter(&r, 4, 8, WSQ_NO_TIMEOUT), 0);
	EXPECT_EQ(r.e.submitted, 2);
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(ring_enter(&r, 2, 8, WSQ_NO_TIMEOUT), -EAGAIN);
		EXPECT_EQ(r.e.submitted, 0);
	}
	EXPECT_EQ(ring_enter(&r, 0, 8, TIMEOUT_S), 0);
	EXPECT_EQ(r.e.completed, 8);
	EXPECT_EQ(ring_enter(&r, 2, 0, 0), -EAGAIN);
	EXPECT_EQ(r.e.completed, 8);
	/* For each one read, one is taken. */
	for (i = 0; i < 2; i++) {
		got += 1 + ring_take(&r).user_data;
		EXPECT_EQ(ring_enter(&r, 2, 0, 0), 0);
		EXPECT_EQ(r.e.submitted, 1);
	}
	EXPECT_EQ(ring_enter(&r, 2, 0, 0), 0);
	EXPECT_EQ(r.e.submitted, 0);
	EXPECT_EQ(ring_enter(&r, 0, 8, TIMEOUT_S), 0);
	for (i = 0; i < 8; i++)
		got += 1 + ring_take(&r).user_data;
	EXPECT_EQ(got, next * (next + 1) / 2);
	EXPECT(!ring_peek(&r));
	ring_close(&r);
}

static void timeouts(void)
{
	static const uint64_t rows[] = { 0, 1, MSEC, 150 * MSEC };
	static const uint64_t ever[] = {
		WSQ_NO_TIMEOUT, WSQ_NO_TIMEOUT - 1, INT64_MAX, 1ULL << 63,
		INT64_MAX - 1, 3600 * SEC,
	};
	struct ring r;
	unsigned int i;

	ring_open(&r, 8, 0, 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t t = now_ns();

		test_at("timeout", i);
		EXPECT_EQ(ring_enter(&r, 0, 1, rows[i]), -ETIME);
		t = now_ns() - t;
		EXPECT(t >= rows[i] && t < TIMEOUT_S);
	}
	/* Entries already there count. */
	ring_push_nop(&r, 0);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	ring_push_nop(&r, 0);
	EXPECT_EQ(ring_enter(&r, 1, 3, 200 * MSEC), -ETIME);
	EXPECT_EQ(r.e.submitted, 1);
	EXPECT(r.e.completed == 1 || r.e.completed == 2);
	EXPECT_EQ(ring_enter(&r, 0, 2, TIMEOUT_S), 0);
	EXPECT_EQ(r.e.completed, 2);
	ring_take(&r);
	ring_take(&r);
	/* Long timeouts do not overflow into short ones. */
	for (i = 0; i < ARRAY_SIZE(ever); i++) {
		/* Repeatedly: the first signal may come before the sleep. */
		struct itimerval off = {}, in = {
			.it_value.tv_usec = 50000,
			.it_interval.tv_usec = 50000,
		};

		test_at("ever", i);
		ring_push_nop(&r, 0);
		EXPECT_EQ(ring_enter(&r, 1, 1, ever[i]), 0);
		ring_take(&r);
		setitimer(ITIMER_REAL, &in, NULL);
		EXPECT_EQ(ring_enter(&r, 0, 1, ever[i]), -EINTR);
		setitimer(ITIMER_REAL, &off, NULL);
	}
	ring_close(&r);
}

static void nothing(int sig)
{
	(void)sig;
}

static void timeouts_caught(void)
{
	signal(SIGALRM, nothing);
	timeouts();
}

static void interrupted(void)
{
	struct sigaction sa = { .sa_handler = nothing, .sa_flags = SA_RESTART };
	struct itimerval in = {
		.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000,
	};
	struct ring r;
	int i;

	/* Not restarted, since the elapsed time would be lost. */
	sigaction(SIGALRM, &sa, NULL);
	ring_open(&r, 4, 0, 0);
	setitimer(ITIMER_REAL, &in, NULL);
	for (i = 0; i < 10; i++) {
		ring_push_nop(&r, i);
		EXPECT_EQ(ring_enter(&r, 1, 2, WSQ_NO_TIMEOUT), -EINTR);
		EXPECT_EQ(r.e.submitted, 1);
		EXPECT(r.e.completed <= 1);
		while (ring_enter(&r, 0, 1, SEC))
			;
		EXPECT_EQ(ring_take(&r).user_data, i);
	}
	ring_close(&r);
}

/* Waits for n of slow tasks, for each n. */
static void min_complete(void)
{
	struct ring r;
	unsigned int n, k;

	ring_open(&r, 32, 32, 1 << 20);
	for (n = 1; n <= 32; n++) {
		for (k = 0; k < 32; k++) {
			struct wsq_sqe sqe = {
				.op = WSQ_OP_SHA256,
				.len = 4096 + 4096 * (k * 7 % 5),
				.src = 32768 * (k % 16), .dst = 1 << 19,
			};

			ring_push(&r, &sqe);
		}
		EXPECT_EQ(ring_enter(&r, 32, n, TIMEOUT_S), 0);
		EXPECT(r.e.completed >= n);
		for (k = 0; k < n; k++)
			EXPECT_EQ(ring_take(&r).res, 32);
		EXPECT_EQ(ring_enter(&r, 0, 32 - n, TIMEOUT_S), 0);
		for (; k < 32; k++)
			EXPECT_EQ(ring_take(&r).res, 32);
	}
	ring_close(&r);
}

static short poll_now(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };

	EXPECT(poll(&p, 1, 0) >= 0);
	return p.revents;
}

static void polling(void)
{
	struct pollfd p;
	struct ring r;
	uint64_t big = 8 << 20;
	int fd = dev_open(), i;

	EXPECT_EQ(poll_now(fd), POLLERR | POLLHUP);
	ring_make(&r, fd, 2, 2, 2 * big);
	EXPECT_EQ(poll_now(fd), POLLOUT);
	p = (struct pollfd) { .fd = fd, .events = POLLIN };
	EXPECT_EQ(poll(&p, 1, 50), 0);
	/* Asleep before it is done, as far as that can be arranged. */
	for (i = 0; i < 4; i++) {
		struct wsq_sqe sqe = { .op = WSQ_OP_SHA256, .len = big };

		ring_push(&r, &sqe);
		EXPECT_EQ(ring_enter(&r, 1, 0, 0), 0);
		EXPECT_EQ(poll(&p, 1, TIMEOUT_S / MSEC), 1);
		EXPECT_EQ(p.revents, POLLIN);
		EXPECT_EQ(poll_now(fd), POLLIN | POLLOUT);
		EXPECT_EQ(ring_take(&r).res, 32);
		EXPECT_EQ(poll_now(fd), POLLOUT);
	}
	/* Full: nothing can be submitted until a completion has been read. */
	ring_push_nop(&r, 0);
	ring_push_nop(&r, 1);
	EXPECT_EQ(ring_enter(&r, 2, 2, TIMEOUT_S), 0);
	EXPECT_EQ(poll_now(fd), POLLIN);
	ring_take(&r);
	EXPECT_EQ(poll_now(fd), POLLIN | POLLOUT);
	ring_take(&r);
	EXPECT_EQ(poll_now(fd), POLLOUT);
	r.page->cq_head = 1000;
	EXPECT_EQ(poll_now(fd), POLLERR);
	ring_close(&r);
}

/* An edge for each completion, also for an epoll older than the ring. */
static void epolling(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	int fd = dev_open(), ep = epoll_create1(0), i;
	struct ring r;

	EXPECT_ERR(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), 0);
	EXPECT_EQ(epoll_wait(ep, &ev, 1, 0), 1);
	EXPECT_EQ(ev.events, EPOLLERR | EPOLLHUP);
	ring_make(&r, fd, 64, 64, 0);
	for (i = 0; i < 64; i++) {
		ring_push_nop(&r, i);
		EXPECT_EQ(ring_enter(&r, 1, 0, 0), 0);
		EXPECT_EQ(epoll_wait(ep, &ev, 1, TIMEOUT_S / MSEC), 1);
		EXPECT_EQ(ev.events, EPOLLIN);
	}
	EXPECT_EQ(epoll_wait(ep, &ev, 1, 20), 0);
	ring_close(&r);
}

#define SHARERS		6
#define SHARE		1500

static struct ring shared;
static pthread_mutex_t share_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t share, share_sum, share_read;

/* Fills and submits under the lock, waits outside, reads under the lock. */
static void *sharer(void *arg)
{
	uint64_t seed = (uintptr_t)arg + 1, left = share;

	while (__atomic_load_n(&share_read, __ATOMIC_RELAXED) <
	       SHARERS * share) {
		struct wsq_enter e = {
			.size = sizeof(e), .min_complete = 1,
			.timeout_ns = 2 * MSEC,
		};
		struct wsq_cqe *cqe;
		unsigned int n;

		pthread_mutex_lock(&share_lock);
		for (n = rnd(&seed) % 8; n && left; n--) {
			uint64_t head = __atomic_load_n(&shared.page->sq_head,
							__ATOMIC_ACQUIRE);

			if (shared.tail - head == shared.s.sq_entries)
				break;
			ring_push_nop(&shared, 3);
			left--;
		}
		n = ring_enter(&shared, -1, 0, 0);
		if (n && (int)n != -EAGAIN)
			FAIL("ENTER: %d", (int)n);
		while ((cqe = ring_peek(&shared))) {
			share_sum += cqe->user_data;
			ring_seen(&shared);
			__atomic_add_fetch(&share_read, 1, __ATOMIC_RELAXED);
		}
		pthread_mutex_unlock(&share_lock);
		if (ioctl(shared.fd, WSQ_IOC_ENTER, &e) && errno != ETIME)
			FAIL("wait: %s", strerror(errno));
	}
	return NULL;
}

static void sharing(void)
{
	pthread_t threads[SHARERS];
	uintptr_t i;

	share = part_of(SHARE);
	ring_open(&shared, 16, 32, 0);
	for (i = 0; i < SHARERS; i++)
		pthread_create(&threads[i], NULL, sharer, (void *)i);
	for (i = 0; i < SHARERS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(share_read, SHARERS * share);
	EXPECT_EQ(share_sum, 3 * SHARERS * share);
	ring_close(&shared);
}

static unsigned int awake;

static void *waiter(void *arg)
{
	struct wsq_enter e = {
		.size = sizeof(e), .min_complete = (uintptr_t)arg,
		.timeout_ns = WSQ_NO_TIMEOUT,
	};

	if (ioctl(shared.fd, WSQ_IOC_ENTER, &e))
		FAIL("wait: %s", strerror(errno));
	if (e.completed < (uintptr_t)arg)
		FAIL("woken at %u, not %lu", e.completed,
		     (unsigned long)(uintptr_t)arg);
	__atomic_add_fetch(&awake, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Many waiters, each for another number: exactly the right ones wake. */
static void waiters(void)
{
	pthread_t threads[16];
	unsigned int round;
	uintptr_t i;

	for (round = 0; round < part_of(20); round++) {
		ring_open(&shared, 16, 16, 0);
		awake = 0;
		for (i = 0; i < 16; i++)
			pthread_create(&threads[i], NULL, waiter,
				       (void *)(i + 1));
		if (round % 2)
			usleep(20000);
		for (i = 0; i < 16; i++) {
			uint64_t end = now_ns() + TIMEOUT_S;

			ring_push_nop(&shared, i);
			EXPECT_EQ(ring_enter(&shared, 1, 0, 0), 0);
			while (__atomic_load_n(&awake, __ATOMIC_ACQUIRE) <= i &&
			       now_ns() < end)
				usleep(100);
			EXPECT_EQ(awake, i + 1);
		}
		for (i = 0; i < 16; i++)
			pthread_join(threads[i], NULL);
		ring_close(&shared);
	}
}

/* Several rings on the one queue, independent of each other. */
static void rings(void)
{
	struct ring r[16];
	unsigned int round, i, k;

	for (i = 0; i < 16; i++)
		ring_open(&r[i], 32, 0, 4096);
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 16; i++) {
			for (k = 0; k < 32; k++)
				ring_push_nop(&r[i], 1000 * i + k);
			EXPECT_EQ(ring_enter(&r[i], 32, 0, 0), 0);
		}
		for (i = 0; i < 16; i++) {
			EXPECT_EQ(ring_enter(&r[i], 0, 32, TIMEOUT_S), 0);
			for (k = 0; k < 32; k++)
				EXPECT_EQ(ring_take(&r[i]).user_data / 1000, i);
		}
	}
	for (i = 0; i < 16; i++)
		ring_close(&r[i]);
}

static const struct test tests[] = {
	{ "results", results },
	{ "crc_chain", crc_chain },
	{ "completion_members", completion_members },
	{ "wrap", wrap },
	{ "batches", batches },
	{ "largest", largest },
	{ "full", full },
	{ "timeouts", timeouts_caught },
	{ "interrupted", interrupted },
	{ "min_complete", min_complete },
	{ "poll", polling },
	{ "epoll", epolling },
	{ "sharing", sharing },
	{ "waiters", waiters },
	{ "rings", rings },
};

TEST_MAIN(tests)
