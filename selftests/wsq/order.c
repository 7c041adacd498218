// SPDX-License-Identifier: GPL-2.0
/*
 * Which task waits for which: links, drains, deadlines, hints.
 */
#include "wsq_test.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/sysinfo.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME	0x80
#endif

#define ARENA	(4U << 20)

static void push_op(struct ring *r, unsigned int op, unsigned int flags,
		    uint64_t user_data)
{
	struct wsq_sqe sqe = { .op = op, .flags = flags, .user_data = user_data };

	if (flags & WSQ_SQE_DEADLINE)
		sqe.deadline = 1;
	/* Slow: some tens of microseconds; emulated, some milliseconds. */
	if (op == WSQ_OP_SHA256)
		sqe.len = 64 << 10;
	ring_push(r, &sqe);
}

/* Runs all that was pushed; results by user_data, which counts from 0. */
static void run_all(struct ring *r, int64_t *res, unsigned int nr)
{
	EXPECT_EQ(ring_enter(r, nr, nr, TIMEOUT_S), 0);
	EXPECT_EQ(r->e.submitted, nr);
	ring_results(r, res, nr);
}

static void clear(int64_t *res, unsigned int nr)
{
	while (nr--)
		res[nr] = RING_NO_RESULT;
}

/* Each task of a chain reads what the one before has written. */
static void link_order(void)
{
	enum { CHAIN = 16, CHAINS = 16, PIECE = 4096, ROUNDS = 40 };
	const unsigned int span = (CHAIN + 1) * PIECE;
	unsigned int round, c, i;
	struct ring r;

	ring_open(&r, 256, 0, ARENA);
	EXPECT(CHAINS * span <= ARENA);
	for (round = 1; round <= ROUNDS; round++) {
		for (c = 0; c < CHAINS; c++) {
			memset(r.arena + c * span, round * CHAINS + c, PIECE);
			for (i = 0; i < CHAIN; i++) {
				struct wsq_sqe sqe = {
					.op = WSQ_OP_COPY,
					.flags = i + 1 < CHAIN ? WSQ_SQE_LINK : 0,
					.src = c * span + i * PIECE,
					.dst = c * span + (i + 1) * PIECE,
					.len = PIECE,
				};

				ring_push(&r, &sqe);
			}
		}
		EXPECT_EQ(ring_enter(&r, CHAIN * CHAINS, CHAIN * CHAINS,
				     TIMEOUT_S), 0);
		for (i = 0; i < CHAIN * CHAINS; i++)
			EXPECT_EQ(ring_take(&r).res, PIECE);
		for (c = 0; c < CHAINS; c++)
			EXPECT(!memcmp(r.arena + c * span,
				       r.arena + c * span + CHAIN * PIECE,
				       PIECE));
	}
	ring_close(&r);
}

/* A failed task cancels those linked behind it, and nothing else. */
static void link_fails(void)
{
	const unsigned int late = WSQ_SQE_DEADLINE;
	int64_t res[8];
	struct ring r;

	ring_open(&r, 8, 0, 0);
	clear(res, 8);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK, 0);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK | late, 1);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK, 2);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK | late, 3);
	push_op(&r, WSQ_OP_NOP, 0, 4);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK, 5);
	push_op(&r, WSQ_OP_NOP, 0, 6);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK, 7);
	run_all(&r, res, 8);
	EXPECT_EQ(res[0], 0);
	EXPECT_EQ(res[1], -ETIME);
	EXPECT_EQ(res[2], -ECANCELED);
	EXPECT_EQ(res[3], -ECANCELED);
	EXPECT_EQ(res[4], -ECANCELED);
	EXPECT_EQ(res[5], 0);
	EXPECT_EQ(res[6], 0);
	EXPECT_EQ(res[7], 0);
	ring_close(&r);
}

/* A refused entry breaks its chain; tasks before it run. */
static void link_refused(void)
{
	int64_t res[7];
	struct ring r;

	ring_open(&r, 8, 0, 0);
	clear(res, 7);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK, 0);
	push_op(&r, 0x7777, WSQ_SQE_LINK, 1);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK, 2);
	push_op(&r, 0x7777, WSQ_SQE_LINK, 3);
	push_op(&r, WSQ_OP_NOP, 0, 4);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK, 5);
	/* Draining is for the first of a chain. */
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_DRAIN, 6);
	run_all(&r, res, 7);
	EXPECT_EQ(res[0], 0);
	EXPECT_EQ(res[1], -EOPNOTSUPP);
	EXPECT_EQ(res[2], -ECANCELED);
	EXPECT_EQ(res[3], -EOPNOTSUPP);
	EXPECT_EQ(res[4], -ECANCELED);
	EXPECT_EQ(res[5], 0);
	EXPECT_EQ(res[6], -EINVAL);
	ring_close(&r);
}

/* A chain does not continue in the next ENTER. */
static void link_ends(void)
{
	struct ring r;

	ring_open(&r, 8, 0, 0);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK | WSQ_SQE_DEADLINE, 0);
	push_op(&r, WSQ_OP_NOP, 0, 1);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	EXPECT_EQ(ring_take(&r).res, -ETIME);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	EXPECT_EQ(ring_take(&r).res, 0);
	ring_close(&r);
}

enum { MIX_SQ = 256, MIX_ROUNDS = 60 };

/* A batch: where the chain of an entry begins and ends, if it drains. */
struct mix {
	uint64_t begin[MIX_SQ];
	uint64_t end[MIX_SQ];
	bool drains[MIX_SQ];
	unsigned int nr;
};

/* A random batch; @base is the number of its first submission. */
static void mix_push(struct ring *r, struct mix *m, uint64_t base, uint64_t *seed)
{
	unsigned int i, head = 0;
	bool linked = false, broken = false;

	m->nr = 1 + rnd(seed) % MIX_SQ;
	for (i = 0; i < m->nr; i++) {
		unsigned int flags = 0, op = WSQ_OP_NOP;
		bool refused = rnd(seed) % 16 == 0, alone;

		if (rnd(seed) % 4 == 0)
			flags |= WSQ_SQE_LINK;
		if (rnd(seed) % 12 == 0)
			flags |= WSQ_SQE_DEADLINE;
		if (!linked && rnd(seed) % 8 == 0)
			flags |= WSQ_SQE_DRAIN;
		if (rnd(seed) % 8 == 0)
			op = WSQ_OP_SHA256;
		if (refused)
			op = 0x7777;
		push_op(r, op, flags, base + i);
		/* Refused entries, and those behind, are alone. */
		alone = refused || (linked && broken);
		if (alone || !linked)
			head = i;
		m->begin[i] = base + head;
		m->drains[i] = alone ? false : head == i ?
			       !!(flags & WSQ_SQE_DRAIN) : m->drains[head];
		broken = alone;
		linked = flags & WSQ_SQE_LINK;
	}
	for (i = m->nr; i--;)
		m->end[i] = i + 1 < m->nr && m->begin[i + 1] == m->begin[i] ?
			    m->end[i + 1] : base + i + 1;
}

/*
 * Random batches of everything. Tasks before a drain complete before it, tasks
 * behind it after. Each completes once.
 */
static void drain_order(void)
{
	static bool seen[MIX_SQ];
	static struct mix m;
	uint64_t seed = 4711, base = 0;
	unsigned int round, i, k;
	struct ring r;

	ring_open(&r, MIX_SQ, 0, 64 << 10);
	for (round = 0; round < MIX_ROUNDS; round++) {
		test_at("round", round);
		mix_push(&r, &m, base, &seed);
		memset(seen, 0, sizeof(seen));
		EXPECT_EQ(ring_enter(&r, m.nr, m.nr, TIMEOUT_S), 0);
		for (i = 0; i < m.nr; i++) {
			struct wsq_cqe cqe = ring_take(&r);
			uint64_t at = cqe.user_data - base;

			EXPECT(at < m.nr);
			EXPECT(!seen[at]);
			seen[at] = true;
			/* It is behind no drain that has not completed. */
			for (k = 0; k < m.nr; k++) {
				if (seen[k] || !m.drains[k])
					continue;
				/* k's chain drains and has not completed. */
				EXPECT(at < m.end[k] - base);
			}
			for (k = 0; m.drains[at] && k < m.begin[at] - base; k++)
				EXPECT(seen[k]);
		}
		EXPECT(!ring_peek(&r));
		base += m.nr;
	}
	ring_close(&r);
}

/* Drains one behind the other, over many ENTERs, while tasks run. */
static void drain_row(void)
{
	enum { NR = 512 };
	uint64_t next = 0;
	unsigned int i;
	struct ring r;

	ring_open(&r, NR, 0, 64 << 10);
	for (i = 0; i < NR; i++) {
		push_op(&r, i % 8 ? WSQ_OP_NOP : WSQ_OP_SHA256, WSQ_SQE_DRAIN, i);
		EXPECT_EQ(ring_enter(&r, 1, 0, 0), 0);
		EXPECT_EQ(r.e.submitted, 1);
	}
	EXPECT_EQ(ring_enter(&r, 0, NR, TIMEOUT_S), 0);
	while (next < NR)
		EXPECT_EQ(ring_take(&r).user_data, next++);
	ring_close(&r);
}

/* The process ends while chains are held back: everything is freed. */
static void drain_exit(void)
{
	enum { SQ = 256 };
	struct wsq_sqe sqe = { .op = WSQ_OP_SHA256 };
	unsigned int i;
	struct ring r;

	/* Rings of the tests before may not be freed yet. */
	expect_rings(0);
	ring_open(&r, SQ, 0, 16 << 20);
	for (i = 0; i < SQ; i++) {
		/* More long tasks than CPUs, then chains of two that drain. */
		sqe.len = i < SQ / 4 ? 16 << 20 : 4096;
		sqe.flags = i < SQ / 4 ? 0 : i % 2 ? 0 :
			    WSQ_SQE_DRAIN | WSQ_SQE_LINK;
		ring_push(&r, &sqe);
	}
	EXPECT_EQ(ring_enter(&r, SQ, 0, 0), 0);
	EXPECT_EQ(r.e.submitted, SQ);
	ring_close(&r);
	expect_rings(0);
	expect_usable();
}

static void deadlines(void)
{
	struct wsq_sqe sqe = { .op = WSQ_OP_NOP, .flags = WSQ_SQE_DEADLINE };
	struct ring r;

	ring_open(&r, 4, 0, 16 << 20);
	sqe.deadline = 0;
	EXPECT_EQ(ring_do(&r, &sqe), -ETIME);
	sqe.deadline = now_ns();
	EXPECT_EQ(ring_do(&r, &sqe), -ETIME);
	sqe.deadline = now_ns() + 100 * SEC;
	EXPECT_EQ(ring_do(&r, &sqe), 0);
	sqe.deadline = ~0ULL;
	EXPECT_EQ(ring_do(&r, &sqe), 0);
	/* Sixteen megabytes take longer than that on any machine. */
	sqe.op = WSQ_OP_SHA256;
	sqe.len = 16 << 20;
	sqe.deadline = now_ns() + MSEC;
	EXPECT_EQ(ring_do(&r, &sqe), -ETIME);
	ring_close(&r);
}

/* In a time namespace: deadlines are times of its clock, @ahead ns from now. */
static int deadline_in(unsigned int flags, int64_t ahead)
{
	struct wsq_sqe sqe = {
		.op = WSQ_OP_NOP, .flags = WSQ_SQE_DEADLINE,
		.deadline = now_ns() + ahead,
	};
	struct ring r;
	int ret;

	ring_make_flags(&r, dev_open(), flags, 4, 0, 0);
	if (!flags) {
		ret = ring_do(&r, &sqe);
	} else {
		ring_push(&r, &sqe);
		EXPECT_EQ(ring_enter(&r, 0, 0, 0), 0);
		r.e.flags = WSQ_ENTER_WAKEUP;
		r.e.min_complete = 1;
		r.e.timeout_ns = TIMEOUT_S;
		EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENTER, &r.e), 0);
		ret = ring_take(&r).res;
	}
	ring_close(&r);
	return ret;
}

static void deadlines_namespace(void)
{
	static const char ahead[] = "monotonic 1000000 0\n";
	uint64_t host = now_ns();
	int fd, status;
	pid_t pid;

	if (unshare(CLONE_NEWTIME))
		SKIP("no time namespaces: %s", strerror(errno));
	fd = open("/proc/self/timens_offsets", O_WRONLY);
	EXPECT(fd >= 0);
	EXPECT_EQ(write(fd, ahead, strlen(ahead)), (long)strlen(ahead));
	close(fd);
	pid = fork();
	EXPECT(pid >= 0);
	if (!pid) {
		unsigned int flags[] = { 0, WSQ_SETUP_POLL }, i;

		EXPECT(now_ns() - host > 500000 * SEC);
		for (i = 0; i < ARRAY_SIZE(flags); i++) {
			test_at("flags", i);
			EXPECT_EQ(deadline_in(flags[i], -(int64_t)SEC), -ETIME);
			EXPECT_EQ(deadline_in(flags[i], TIMEOUT_S), 0);
		}
		_exit(0);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

static const struct {
	int res;
	unsigned int flags, hint;
} hints[] = {
	{ 0, WSQ_SQE_CPU, 0 },
	{ 0, WSQ_SQE_NODE, 0 },
	{ -EINVAL, WSQ_SQE_CPU | WSQ_SQE_NODE, 0 },
	{ -EINVAL, WSQ_SQE_CPU, 1U << 31 },
	{ -EINVAL, WSQ_SQE_CPU, -1U },
	{ -EINVAL, WSQ_SQE_NODE, 1U << 31 },
	{ -EINVAL, WSQ_SQE_NODE, -1U },
	{ -EINVAL, WSQ_SQE_NODE, 1024 },
	{ -EINVAL, 0, 1 },
};

static void hinted(void)
{
	struct wsq_query q = { .size = sizeof(q) };
	unsigned int i;
	struct ring r;

	ring_open(&r, 4, 0, 0);
	for (i = 0; i < ARRAY_SIZE(hints); i++) {
		struct wsq_sqe sqe = {
			.op = WSQ_OP_NOP,
			.flags = hints[i].flags,
			.hint = hints[i].hint,
		};

		test_at("hints", i);
		EXPECT_EQ(ring_do(&r, &sqe), hints[i].res);
	}
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_QUERY, &q), 0);
	for (i = 0; i < (unsigned int)get_nprocs_conf(); i++) {
		struct wsq_sqe sqe = {
			.op = WSQ_OP_NOP,
			.flags = WSQ_SQE_CPU,
			.hint = i,
		};

		test_at("cpu", i);
		EXPECT_EQ(ring_do(&r, &sqe), 0);
		sqe.hint = q.nr_cpus + i;
		EXPECT_EQ(ring_do(&r, &sqe), -EINVAL);
	}
	ring_close(&r);
}

static const struct test tests[] = {
	{ "link_order", link_order },
	{ "link_fails", link_fails },
	{ "link_refused", link_refused },
	{ "link_ends", link_ends },
	{ "drain_order", drain_order },
	{ "drain_row", drain_row },
	{ "drain_exit", drain_exit },
	{ "deadlines", deadlines },
	{ "deadlines_namespace", deadlines_namespace },
	{ "hints", hinted },
};

TEST_MAIN(tests)
