// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of a ring: WSQ_IOC_RING_STATS, and the same in fdinfo.
 */
#include "wsq_test.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/sysinfo.h>

#define PAGE	4096UL

/* No machine hashes faster than this, in bytes a nanosecond. */
#define HASH_RATE	4

static struct wsq_ring_stats stats_of(int fd)
{
	struct wsq_ring_stats st = { .size = sizeof(st) };

	EXPECT_ERR(ioctl(fd, WSQ_IOC_RING_STATS, &st), 0);
	EXPECT_EQ(st.size, sizeof(st));
	EXPECT_EQ(st.rsv, 0);
	return st;
}

static void refused(void)
{
	struct wsq_ring_stats st = { .size = sizeof(st) };
	int fd = dev_open();
	struct ring r;

	EXPECT_ERR(ioctl(fd, WSQ_IOC_RING_STATS, &st), EINVAL);
	ring_make(&r, fd, 4, 0, 0);
	st.rsv = 1;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_RING_STATS, &st), EINVAL);
	st.rsv = 0;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_RING_STATS, &st), 0);
	ring_close(&r);
}

static void push_op(struct ring *r, unsigned int op, unsigned int flags)
{
	struct wsq_sqe sqe = { .op = op, .flags = flags };

	ring_push(r, &sqe);
}

static void counts(void)
{
	struct wsq_query q = { .size = sizeof(q), .sq_entries = 16 };
	struct wsq_ring_stats st;
	struct ring r;
	int i;

	ring_open(&r, 16, 0, 0);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_QUERY, &q), 0);
	st = stats_of(r.fd);
	EXPECT_EQ(st.submitted | st.completed | st.cancelled | st.failed |
		  st.run_ns, 0);
	EXPECT_EQ(st.memory, q.memory);

	/* Ten that succeed, a chain that breaks at its second, and one more. */
	for (i = 0; i < 10; i++)
		ring_push_nop(&r, i);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK);
	push_op(&r, 0xffff, WSQ_SQE_LINK);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK);
	push_op(&r, WSQ_OP_NOP, 0);
	push_op(&r, WSQ_OP_SHA256, 0);
	EXPECT_EQ(ring_enter(&r, 15, 15, TIMEOUT_S), 0);
	st = stats_of(r.fd);
	EXPECT_EQ(st.submitted, 15);
	EXPECT_EQ(st.completed, 15);
	EXPECT_EQ(st.cancelled, 2);
	EXPECT_EQ(st.failed, 2);
	/* Reading completions changes nothing. */
	for (i = 0; i < 15; i++)
		ring_take(&r);
	EXPECT_EQ(stats_of(r.fd).completed, 15);
	ring_close(&r);
}

/* Cancelled before they begin; all are counted at once. */
static void cancelled(void)
{
	struct wsq_cancel c = { .size = sizeof(c), .flags = WSQ_CANCEL_ALL };
	struct wsq_sqe sqe = {
		.op = WSQ_OP_SHA256, .len = 4 << 20, .dst = 4 << 20,
	};
	struct wsq_ring_stats st;
	uint64_t with_ecanceled = 0;
	struct ring r;
	int i;

	ring_open(&r, 256, 0, (4 << 20) + PAGE);
	for (i = 0; i < 200; i++)
		ring_push(&r, &sqe);
	EXPECT_EQ(ring_enter(&r, 200, 0, 0), 0);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_CANCEL, &c), 0);
	EXPECT_EQ(ring_enter(&r, 0, 200, TIMEOUT_S), 0);
	st = stats_of(r.fd);
	for (i = 0; i < 200; i++)
		with_ecanceled += ring_take(&r).res == -ECANCELED;
	EXPECT(with_ecanceled >= c.cancelled && c.cancelled > 0);
	EXPECT_EQ(st.cancelled, with_ecanceled);
	EXPECT_EQ(st.failed, 0);
	ring_close(&r);
}

/*
 * Runs @nr tasks; returns their run time, which is no less than they need. True
 * in @fits if it is no more than has passed. The clocks of two CPUs may differ a
 * little.
 */
static uint64_t timed(struct ring *r, const struct wsq_sqe *sqe, int nr,
		      bool *fits)
{
	uint64_t before = stats_of(r->fd).run_ns, t = now_ns(), ran;
	int i;

	for (i = 0; i < nr; i++)
		ring_push(r, sqe);
	EXPECT_EQ(ring_enter(r, nr, nr, TIMEOUT_S), 0);
	t = now_ns() - t;
	for (i = 0; i < nr; i++)
		EXPECT_EQ(ring_take(r).res, 32);
	ran = stats_of(r->fd).run_ns - before;
	EXPECT(ran >= nr * sqe->len / HASH_RATE);
	*fits = ran <= (nr == 1 ? t : t * get_nprocs());
	printf("# %d tasks: %llu us of %llu us on %d CPUs\n", nr,
	       (unsigned long long)ran / 1000, (unsigned long long)t / 1000,
	       get_nprocs());
	return ran;
}

/* No more run time than has passed, no less than the tasks need. */
static void run_time(void)
{
	struct wsq_sqe sqe = {
		.op = WSQ_OP_SHA256, .len = 16 << 20, .dst = 16 << 20,
	};
	struct ring r, idle;
	uint64_t ran, others;
	bool fits = false;
	int i;

	ring_open(&idle, 1, 0, 0);
	ring_push_nop(&idle, 0);
	EXPECT_EQ(ring_enter(&idle, 1, 1, TIMEOUT_S), 0);
	others = stats_of(idle.fd).run_ns;

	ring_open(&r, 1024, 0, (16 << 20) + PAGE);
	for (i = 0; i < TRIES && !fits; i++)
		timed(&r, &sqe, 1, &fits);
	EXPECT(fits);

	/* A batch: workers go from one task to the next. */
	sqe.len = 64 << 10;
	for (i = 0, fits = false; i < TRIES && !fits; i++)
		timed(&r, &sqe, part_of(512), &fits);
	EXPECT(fits);

	/* A nop may take no measurable time; this many do. */
	ran = stats_of(r.fd).run_ns;
	for (i = 0; i < 1024; i++)
		ring_push_nop(&r, i);
	EXPECT_EQ(ring_enter(&r, 1024, 1024, TIMEOUT_S), 0);
	EXPECT(stats_of(r.fd).run_ns > ran);
	ring_close(&r);

	/* The other ring is not charged. */
	EXPECT_EQ(stats_of(idle.fd).run_ns, others);
	EXPECT_EQ(stats_of(idle.fd).completed, 1);
	ring_close(&idle);
}

/*
 * Two rings whose tasks alternate on the same CPUs: the nearly idle one is not
 * charged for the other's tasks.
 */
static void apart(void)
{
	struct wsq_sqe sqe = {
		.op = WSQ_OP_SHA256, .len = 1 << 20, .dst = 1 << 20,
	};
	uint64_t long_ns, short_ns;
	unsigned int i, turn;
	struct ring a, b;

	/* A nop may be preempted on a busy host. */
	for (turn = 0; turn < TRIES; turn++) {
		ring_open(&a, 64, 0, (1 << 20) + PAGE);
		ring_open(&b, 64, 0, 0);
		for (i = 0; i < 32; i++) {
			ring_push(&a, &sqe);
			EXPECT_EQ(ring_enter(&a, 1, 0, 0), 0);
			ring_push_nop(&b, i);
			EXPECT_EQ(ring_enter(&b, 1, 0, 0), 0);
		}
		EXPECT_EQ(ring_enter(&a, 0, 32, TIMEOUT_S), 0);
		EXPECT_EQ(ring_enter(&b, 0, 32, TIMEOUT_S), 0);
		long_ns = stats_of(a.fd).run_ns;
		short_ns = stats_of(b.fd).run_ns;
		printf("# %llu us and %llu us\n",
		       (unsigned long long)long_ns / 1000,
		       (unsigned long long)short_ns / 1000);
		EXPECT(long_ns >= 32 * sqe.len / HASH_RATE);
		ring_close(&a);
		ring_close(&b);
		if (short_ns < long_ns / 4)
			break;
	}
	EXPECT(turn < TRIES);
}

static int stop;

static void *looks(void *arg)
{
	struct ring *r = arg;
	struct wsq_ring_stats st, last = { 0 };
	uint64_t n = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		st = stats_of(r->fd);
		EXPECT(st.completed <= st.submitted);
		EXPECT(st.submitted - st.completed <= r->s.cq_entries);
		EXPECT(st.cancelled + st.failed <= st.completed);
		EXPECT(st.completed >= last.completed);
		EXPECT(st.cancelled >= last.cancelled);
		EXPECT(st.failed >= last.failed);
		EXPECT(st.run_ns >= last.run_ns);
		last = st;
		n++;
	}
	printf("# looked %llu times\n", (unsigned long long)n);
	return NULL;
}

/* Statistics include all completions that were read, while tasks fail. */
static void looked_at(void)
{
	enum { ROUNDS = 4000 };
	uint64_t seed = 17, failed = 0, called_back = 0, round;
	struct wsq_ring_stats st;
	pthread_t thread;
	struct ring r;

	ring_open(&r, 64, 0, 0);
	EXPECT_EQ(pthread_create(&thread, NULL, looks, &r), 0);
	for (round = 0; round < part_of(ROUNDS); round++) {
		unsigned int n = 1 + rnd(&seed) % 64, i;

		for (i = 0; i < n; i++) {
			if (rnd(&seed) % 3 == 0)
				push_op(&r, WSQ_OP_CRC32C, WSQ_SQE_LINK);
			else
				push_op(&r, WSQ_OP_NOP, 0);
		}
		EXPECT_EQ(ring_enter(&r, n, n, TIMEOUT_S), 0);
		for (i = 0; i < n; i++) {
			int64_t res = ring_take(&r).res;

			called_back += res == -ECANCELED;
			failed += res == -EINVAL;
		}
		st = stats_of(r.fd);
		EXPECT_EQ(st.submitted, r.tail);
		EXPECT_EQ(st.completed, r.head);
		EXPECT_EQ(st.failed, failed);
		EXPECT_EQ(st.cancelled, called_back);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT(failed > 0 && called_back > 0);
	ring_close(&r);
	expect_rings(0);
}

static void expect_line(const char *buf, const char *name, uint64_t value)
{
	char line[80];

	snprintf(line, sizeof(line), "\n%s:\t%llu\n", name,
		 (unsigned long long)value);
	if (!strstr(buf, line))
		FAIL("no%s in: %s", line, buf);
}

static void fdinfo(void)
{
	struct wsq_setup s = {
		.size = sizeof(s), .flags = WSQ_SETUP_DISABLED, .sq_entries = 4,
	};
	struct ring r = { .fd = dev_open(), .s = s };
	struct wsq_ring_stats st;
	char buf[2048];

	fdinfo_of(r.fd, buf, sizeof(buf));
	EXPECT(strstr(buf, "wsq_state:\tnew\n"));
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_SETUP, &r.s), 0);
	ring_map(&r);
	fdinfo_of(r.fd, buf, sizeof(buf));
	EXPECT(strstr(buf, "wsq_state:\tdisabled\n"));
	EXPECT(!strstr(buf, "wsq_state:\tlive\n"));
	expect_line(buf, "wsq_submitted", 0);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENABLE, 0), 0);
	fdinfo_of(r.fd, buf, sizeof(buf));
	EXPECT(strstr(buf, "wsq_state:\tlive\n"));

	push_op(&r, WSQ_OP_NOP, 0);
	push_op(&r, WSQ_OP_CRC32C, WSQ_SQE_LINK);
	push_op(&r, WSQ_OP_NOP, 0);
	EXPECT_EQ(ring_enter(&r, 3, 3, TIMEOUT_S), 0);
	st = stats_of(r.fd);
	fdinfo_of(r.fd, buf, sizeof(buf));
	expect_line(buf, "wsq_submitted", 3);
	expect_line(buf, "wsq_completed", 3);
	expect_line(buf, "wsq_in_flight", 0);
	expect_line(buf, "wsq_cancelled", 1);
	expect_line(buf, "wsq_failed", 1);
	expect_line(buf, "wsq_run_ns", st.run_ns);
	expect_line(buf, "wsq_memory", st.memory);
	EXPECT_EQ(st.failed, 1);
	ring_close(&r);
}

static const struct test tests[] = {
	{ "refused", refused },
	{ "counts", counts },
	{ "cancelled", cancelled },
	{ "run_time", run_time },
	{ "apart", apart },
	{ "looked_at", looked_at },
	{ "fdinfo", fdinfo },
};

TEST_MAIN(tests)
