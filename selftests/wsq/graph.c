// SPDX-License-Identifier: GPL-2.0
/*
 * Futures: tasks that wait for others, beyond links.
 *
 * A node of a graph hashes the cells of up to three earlier nodes into its own
 * cell. So a node that began too early, or twice, has another hash.
 */
#include "wsq_test.h"

#include <stdbool.h>

#define CELL	32U
#define AFTER	3U	/* futures that a task can wait for */
#define LONG	(16U << 20)

/* An entry with futures; its other members are zero. */
static struct wsq_sqe entry(unsigned int op, unsigned int resolves, unsigned int a,
			    unsigned int b, unsigned int c, uint64_t user_data)
{
	return (struct wsq_sqe) {
		.op = op, .flags = WSQ_SQE_FUTURES, .user_data = user_data,
		.deadline = WSQ_FUTURES(resolves, a, b, c),
	};
}

static void push_nop(struct ring *r, unsigned int flags, unsigned int resolves,
		     unsigned int after, uint64_t user_data)
{
	struct wsq_sqe sqe = entry(WSQ_OP_NOP, resolves, after, 0, 0, user_data);

	sqe.flags |= flags;
	ring_push(r, &sqe);
}

/* A task that takes long, on any machine, and can be stopped. */
static void push_long(struct ring *r, unsigned int resolves, uint64_t user_data)
{
	struct wsq_sqe sqe = entry(WSQ_OP_SHA256, resolves, 0, 0, 0, user_data);

	sqe.len = LONG;
	ring_push(r, &sqe);
}

/* A task that fails when it runs: the list at the end of the arena is wrong. */
static struct wsq_sqe failing(const struct ring *r, unsigned int resolves,
			      unsigned int after, uint64_t user_data)
{
	struct wsq_sqe sqe = entry(WSQ_OP_CRC32C, resolves, after, 0, 0, user_data);

	sqe.flags |= WSQ_SQE_VEC;
	sqe.src = r->s.arena_bytes - sizeof(struct wsq_vec);
	sqe.len = 1;
	return sqe;
}

static void push_failing(struct ring *r, unsigned int resolves, unsigned int after,
			 uint64_t user_data)
{
	struct wsq_sqe sqe = failing(r, resolves, after, user_data);

	ring_push(r, &sqe);
}

static void graph_open(struct ring *r, unsigned int flags, unsigned int cq,
		       uint64_t arena)
{
	ring_make_flags(r, dev_open(), WSQ_SETUP_FUTURES | flags, cq, cq, arena);
}

/* Submits all that was pushed. */
static void submit(struct ring *r, unsigned int nr)
{
	EXPECT_EQ(ring_enter(r, nr, 0, 0), 0);
	/* A poller may have taken some. */
	if (!(r->s.flags & WSQ_SETUP_POLL))
		EXPECT_EQ(r->e.submitted, nr);
}

/* Waits for @nr completions; results by user_data. */
static void results(struct ring *r, int64_t *res, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		res[i] = RING_NO_RESULT;
	EXPECT_EQ(ring_enter(r, 0, nr, TIMEOUT_S), 0);
	ring_results(r, res, nr);
}

static int cancel(struct ring *r, unsigned int flags, uint64_t what,
		  struct wsq_cancel *c)
{
	*c = (struct wsq_cancel) {
		.size = sizeof(*c), .flags = flags, .what = what,
	};
	return ioctl(r->fd, WSQ_IOC_CANCEL, c) ? -errno : 0;
}

#define F	.flags = WSQ_SQE_FUTURES
#define NR	.deadline = WSQ_FUTURES

/* One after the other, on a ring with 8 futures. */
static const struct {
	int res;
	struct wsq_sqe sqe;
} rows[] = {
	{ 0, { F } },
	{ -EINVAL, { NR(1, 0, 0, 0) } },
	{ -EINVAL, { F | WSQ_SQE_DEADLINE, NR(7, 0, 0, 0) } },
	{ 0, { F, NR(8, 0, 0, 0) } },
	{ -EINVAL, { F, NR(9, 0, 0, 0) } },
	{ -EINVAL, { F, NR(65535, 0, 0, 0) } },
	{ -EINVAL, { F, NR(0, 9, 0, 0) } },
	{ -EINVAL, { F, NR(0, 0, 9, 0) } },
	{ -EINVAL, { F, NR(0, 0, 0, 65535) } },
	/* No entry has named it. */
	{ -EINVAL, { F, NR(0, 1, 0, 0) } },
	{ -EINVAL, { F, NR(0, 0, 1, 0) } },
	{ -EINVAL, { F, NR(0, 8, 8, 1) } },
	/* Its own does not count. */
	{ -EINVAL, { F, NR(2, 2, 0, 0) } },
	/* Refused, so the future has failed. */
	{ -ECANCELED, { F, NR(0, 2, 0, 0) } },
	{ -ECANCELED, { F, NR(3, 0, 0, 2) } },
	{ -ECANCELED, { F, NR(0, 3, 0, 0) } },
	/* Named again, and waits for how it was. */
	{ -ECANCELED, { F, NR(2, 2, 0, 0) } },
	{ 0, { F, NR(2, 0, 0, 0) } },
	{ 0, { F, NR(2, 2, 2, 2) } },
	{ 0, { F, NR(0, 2, 0, 8) } },
	/* Refused for another reason. */
	{ -EOPNOTSUPP, { F, .op = 0x7777, NR(8, 0, 0, 0) } },
	{ -ECANCELED, { F, NR(0, 8, 0, 0) } },
	{ 0, { F, NR(8, 0, 0, 0) } },
	{ -EFAULT, { F, .op = WSQ_OP_CRC32C, .src = 4096, .len = 1, NR(8, 0, 0, 0) } },
	{ -ECANCELED, { F, NR(0, 0, 8, 0) } },
	{ -EINVAL, { F | 1U << 15, NR(2, 0, 0, 0) } },
	{ -ECANCELED, { F, NR(0, 2, 0, 0) } },
};

static uint64_t memory_of(unsigned int flags, unsigned int entries)
{
	struct wsq_query q = {
		.size = sizeof(q), .sq_entries = entries, .setup_flags = flags,
	};
	int fd = dev_open();

	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT(q.features & WSQ_FEAT_FUTURES);
	EXPECT(q.memory);
	close(fd);
	return q.memory;
}

static void rejected(void)
{
	struct ring r, without;
	unsigned int i;

	graph_open(&r, 0, 8, 4096);
	ring_open(&without, 8, 8, 4096);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const int res = rows[i].res;
		int64_t no;

		test_at("rows", i);
		EXPECT_EQ(ring_do(&r, &rows[i].sqe), res);
		no = ring_do(&without, &rows[i].sqe);
		EXPECT_EQ(no, rows[i].sqe.op == 0x7777 ? -EOPNOTSUPP : -EINVAL);
	}
	ring_close(&r);
	ring_close(&without);

	test_at("memory", 0);
	EXPECT(memory_of(WSQ_SETUP_FUTURES, 256) - memory_of(0, 256) >= 512 * 28);
	EXPECT(memory_of(WSQ_SETUP_FUTURES, 32768) - memory_of(0, 32768) >=
	       65535 * 28);
}

/* As many as there are completion entries, and one less than 65536 at most. */
static void numbers(void)
{
	struct ring r;
	struct wsq_sqe sqe;

	graph_open(&r, 0, 64, 0);
	sqe = entry(WSQ_OP_NOP, 64, 0, 0, 0, 0);
	EXPECT_EQ(ring_do(&r, &sqe), 0);
	sqe = entry(WSQ_OP_NOP, 65, 0, 0, 0, 0);
	EXPECT_EQ(ring_do(&r, &sqe), -EINVAL);
	ring_close(&r);
	ring_make_flags(&r, dev_open(), WSQ_SETUP_FUTURES, 2, 65536, 0);
	sqe = entry(WSQ_OP_NOP, 65535, 0, 0, 0, 0);
	EXPECT_EQ(ring_do(&r, &sqe), 0);
	sqe = entry(WSQ_OP_NOP, 0, 65535, 65535, 65535, 0);
	EXPECT_EQ(ring_do(&r, &sqe), 0);
	ring_close(&r);
}

static void restricted(void)
{
	const uint32_t ops[] = { WSQ_OP_NOP };
	struct wsq_sqe nop = entry(WSQ_OP_NOP, 1, 0, 0, 0, 0);
	struct wsq_sqe after = entry(WSQ_OP_NOP, 0, 1, 0, 0, 0);
	struct wsq_sqe other = entry(WSQ_OP_CRC32C, 1, 0, 0, 0, 0);
	unsigned int i;
	struct ring r;

	for (i = 0; i < 2; i++) {
		struct wsq_restrict x = {
			.size = sizeof(x), .nr_ops = 1, .ops = (uintptr_t)ops,
			.sqe_flags = i ? WSQ_SQE_FUTURES : WSQ_SQE_LINK,
		};

		test_at("restricted", i);
		graph_open(&r, WSQ_SETUP_DISABLED, 4, 4096);
		EXPECT_ERR(ioctl(r.fd, WSQ_IOC_RESTRICT, &x), 0);
		EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENABLE, 0), 0);
		EXPECT_EQ(ring_do(&r, &nop), i ? 0 : -EPERM);
		EXPECT_EQ(ring_do(&r, &after), i ? 0 : -EPERM);
		other.len = 1;
		EXPECT_EQ(ring_do(&r, &other), -EPERM);
		EXPECT_EQ(ring_do(&r, &after), i ? -ECANCELED : -EPERM);
		ring_close(&r);
	}
}

/* A future that is pending cannot be named again; once it is resolved, it can. */
static void busy(void)
{
	unsigned int i, in_time = 0;
	int64_t res[6];
	struct ring r;

	graph_open(&r, 0, 16, LONG);
	for (i = 0; i < part_of(20) || (!in_time && i < TRIES); i++) {
		push_long(&r, 1, 0);
		push_nop(&r, 0, 1, 0, 1);
		push_nop(&r, 0, 2, 1, 2);
		push_nop(&r, 0, 2, 0, 3);
		/* Refused as busy: so these wait for the tasks before. */
		push_nop(&r, 0, 0, 1, 4);
		push_nop(&r, 0, 0, 2, 5);
		submit(&r, 6);
		results(&r, res, 6);
		EXPECT_EQ(res[0], 32);
		/* Unless the long one was over before the entry was taken. */
		EXPECT(!res[1] || res[1] == -EBUSY);
		EXPECT(!res[3] || res[3] == -EBUSY);
		EXPECT_EQ(res[2] | res[4] | res[5], 0);
		in_time += res[1] == -EBUSY && res[3] == -EBUSY;
	}
	ring_close(&r);
	if (!in_time)
		SKIP("the long task was over in each of %u rounds", i);
}

/* One after the other through a few futures; each is free when read. */
static void reuse(void)
{
	enum { ROUNDS = 3000 };
	unsigned int i;
	struct ring r;

	graph_open(&r, 0, 4, 0);
	for (i = 0; i < ROUNDS; i++) {
		struct wsq_sqe sqe = entry(WSQ_OP_NOP, 1 + i % 4,
					   i ? 1 + (i - 1) % 4 : 0, 0, 0, i);

		EXPECT_EQ(ring_do(&r, &sqe), 0);
	}
	ring_close(&r);
}

enum { NODES = 1024 };

/* A random graph, of which a node waits for nodes among the last @reach. */
struct graph {
	unsigned int nr, in[NODES][AFTER], nr_in[NODES];
	bool fails[NODES], bad[NODES], keyed[NODES];
	unsigned int place[NODES];
	uint8_t want[NODES][CELL];
};

static struct graph graph;

/* The arena: a cell for each node, a list for each, and a wrong list. */
static uint64_t cell_of(unsigned int i)
{
	return i * CELL;
}

static uint64_t list_of(unsigned int i)
{
	return NODES * CELL + i * AFTER * sizeof(struct wsq_vec);
}

#define GRAPH_ARENA	(NODES * (CELL + AFTER * sizeof(struct wsq_vec)) + 4096)

static void graph_node(struct graph *g, struct ring *r, unsigned int i,
		       uint64_t *seed, unsigned int reach, unsigned int fail)
{
	struct wsq_vec *list = (void *)(r->arena + list_of(i));
	uint8_t bytes[AFTER * CELL];
	unsigned int n = i ? rnd(seed) % (AFTER + 1) : 0, k;
	struct wsq_sqe sqe;

	g->fails[i] = fail && rnd(seed) % fail == 0;
	g->bad[i] = g->fails[i];
	g->nr_in[i] = n;
	memset(g->in[i], 0, sizeof(g->in[i]));
	for (k = 0; k < n; k++) {
		unsigned int from = i - 1 - rnd(seed) % (i < reach ? i : reach);

		g->in[i][k] = from + 1;
		g->bad[i] |= g->bad[from];
		list[k] = (struct wsq_vec) { cell_of(from), CELL };
		memcpy(bytes + k * CELL, g->want[from], CELL);
	}
	if (g->fails[i]) {
		sqe = failing(r, 0, 0, i);
	} else if (!n) {
		sqe = entry(WSQ_OP_FILL, 0, 0, 0, 0, i);
		sqe.dst = cell_of(i);
		sqe.len = CELL;
		sqe.arg = rnd(seed);
		for (k = 0; k < CELL; k += 8)
			memcpy(g->want[i] + k, &sqe.arg, 8);
	} else {
		sqe = entry(WSQ_OP_SHA256, 0, 0, 0, 0, i);
		sqe.flags |= WSQ_SQE_VEC;
		sqe.src = list_of(i);
		sqe.len = n;
		sqe.dst = cell_of(i);
		ref_sha256(bytes, n * CELL, g->want[i]);
	}
	sqe.deadline = WSQ_FUTURES(i + 1, g->in[i][0], g->in[i][1], g->in[i][2]);
	g->keyed[i] = r->s.flags & WSQ_SETUP_KEYS && rnd(seed) % 4 == 0;
	if (g->keyed[i]) {
		sqe.flags |= WSQ_SQE_KEY;
		sqe.key = rnd(seed) % 3;
	}
	if (rnd(seed) % 8 == 0) {
		sqe.flags |= WSQ_SQE_CPU;
		sqe.hint = 0;
	}
	memset(r->arena + cell_of(i), 0, CELL);
	ring_push(r, &sqe);
}

static void graph_check(struct graph *g, struct ring *r)
{
	static const uint8_t zero[CELL];
	unsigned int i, k;

	EXPECT_EQ(ring_enter(r, 0, g->nr, TIMEOUT_S), 0);
	for (i = 0; i < g->nr; i++) {
		struct wsq_cqe cqe = ring_take(r);
		unsigned int at = cqe.user_data;

		EXPECT(at < g->nr && !g->place[at]);
		g->place[at] = i + 1;
		for (k = 0; k < g->nr_in[at]; k++)
			EXPECT(g->place[g->in[at][k] - 1]);
		if (!g->bad[at])
			EXPECT_EQ(cqe.res, 32);
		else if (cqe.res != -ECANCELED)
			EXPECT(g->fails[at] && cqe.res == -EINVAL);
		for (k = 0; k < g->nr_in[at]; k++)
			if (g->bad[g->in[at][k] - 1])
				EXPECT_EQ(cqe.res, -ECANCELED);
	}
	for (i = 0; i < g->nr; i++)
		EXPECT(!memcmp(r->arena + cell_of(i), g->bad[i] ? zero : g->want[i],
			       CELL));
	EXPECT(!ring_peek(r));
}

static void graph_rounds(unsigned int flags, unsigned int rounds, unsigned int fail)
{
	static const unsigned int reaches[] = { 1, 3, 20, NODES };
	struct graph *g = &graph;
	uint64_t seed = 1 + flags + fail;
	unsigned int round, i;
	struct ring r;

	graph_open(&r, flags, NODES, GRAPH_ARENA);
	for (round = 0; round < part_of(rounds); round++) {
		test_at("round", round);
		g->nr = 1 + rnd(&seed) % NODES;
		memset(g->place, 0, sizeof(g->place));
		for (i = 0; i < g->nr; i++) {
			graph_node(g, &r, i, &seed, reaches[round % 4], fail);
			/* Some of it runs before the rest is submitted. */
			if (rnd(&seed) % 100 == 0)
				EXPECT_EQ(ring_enter(&r, -1, 0, 0), 0);
		}
		EXPECT_EQ(ring_enter(&r, -1, 0, 0), 0);
		graph_check(g, &r);
	}
	ring_close(&r);
}

static void graphs(void)
{
	graph_rounds(0, 60, 0);
}

static void graphs_fail(void)
{
	graph_rounds(0, 60, 40);
}

static void graphs_keys(void)
{
	graph_rounds(WSQ_SETUP_KEYS | WSQ_SETUP_IDS, 40, 60);
}

static void graphs_polled(void)
{
	graph_rounds(WSQ_SETUP_POLL, 40, 60);
}

/* Two tasks wait for one, one waits for both; many at a time. */
static void diamonds(void)
{
	enum { AT_A_TIME = 64, ROUNDS = 50 };
	const unsigned int all = 4 * AT_A_TIME;
	int64_t res[4 * AT_A_TIME];
	unsigned int round, i, k;
	struct ring r;

	graph_open(&r, 0, all, all * CELL);
	for (round = 0; round < ROUNDS; round++) {
		memset(r.arena, 0, all * CELL);
		for (i = 0; i < AT_A_TIME; i++) {
			const unsigned int f = 1 + 4 * i;
			const uint64_t at = 4 * i * CELL;
			struct wsq_sqe s[4] = {
				entry(WSQ_OP_FILL, f, 0, 0, 0, 4 * i),
				entry(WSQ_OP_COPY, f + 1, f, 0, 0, 4 * i + 1),
				entry(WSQ_OP_COPY, f + 2, 0, f, 0, 4 * i + 2),
				entry(WSQ_OP_COMPARE, f + 3, f + 1, 0, f + 2, 4 * i + 3),
			};

			s[0].dst = at;
			s[0].arg = ~(uint64_t)round << 8 | i;
			s[1].src = at;
			s[1].dst = at + CELL;
			s[2].src = at;
			s[2].dst = at + 2 * CELL;
			s[3].src = at + CELL;
			s[3].dst = at + 2 * CELL;
			for (k = 0; k < 4; k++) {
				s[k].len = CELL;
				ring_push(&r, &s[k]);
			}
		}
		submit(&r, all);
		results(&r, res, all);
		for (i = 0; i < all; i++)
			EXPECT_EQ(res[i], CELL);
		for (i = 0; i < AT_A_TIME; i++)
			EXPECT_EQ(r.arena[(4 * i + 2) * CELL], i);
	}
	ring_close(&r);
}

/* More tasks wait for one than are started at a time, and one for the last. */
static void fan_out(void)
{
	enum { ALL = 4096 };
	static int64_t res[ALL];
	unsigned int fails, i;
	struct ring r;

	graph_open(&r, 0, ALL, LONG);
	for (fails = 0; fails < 2; fails++) {
		push_long(&r, 1, 0);
		if (fails)
			push_failing(&r, 2, 1, 1);
		else
			push_nop(&r, 0, 2, 1, 1);
		for (i = 2; i < ALL - 1; i++)
			push_nop(&r, 0, 1 + i, 2, i);
		push_nop(&r, 0, 0, ALL - 1, i);
		submit(&r, ALL);
		results(&r, res, ALL);
		EXPECT_EQ(res[0], 32);
		EXPECT_EQ(res[1], fails ? -EINVAL : 0);
		for (i = 2; i < ALL; i++)
			EXPECT_EQ(res[i], fails ? -ECANCELED : 0);
	}
	ring_close(&r);
}

/* A failure at one end of a long row ends all of it. */
static void row_fails(void)
{
	enum { ALL = 4096 };
	static int64_t res[ALL];
	unsigned int i;
	struct ring r;

	graph_open(&r, 0, ALL, LONG);
	push_long(&r, 1, 0);
	push_failing(&r, 2, 1, 1);
	for (i = 2; i < ALL; i++)
		push_nop(&r, 0, i + 1, i, i);
	submit(&r, ALL);
	results(&r, res, ALL);
	EXPECT_EQ(res[0], 32);
	EXPECT_EQ(res[1], -EINVAL);
	for (i = 2; i < ALL; i++)
		EXPECT_EQ(res[i], -ECANCELED);
	ring_close(&r);
}

/* Links and futures in one chain, whole and broken. */
static void links(void)
{
	const unsigned int link = WSQ_SQE_LINK;
	int64_t res[9];
	struct ring r;
	int i;

	graph_open(&r, 0, 16, LONG);
	push_long(&r, 1, 0);
	push_nop(&r, link, 2, 0, 1);
	push_nop(&r, link, 3, 1, 2);	/* waits for both */
	push_nop(&r, 0, 4, 0, 3);
	push_nop(&r, 0, 0, 4, 4);
	submit(&r, 5);
	results(&r, res, 5);
	EXPECT_EQ(res[0], 32);
	EXPECT_EQ(res[1] | res[2] | res[3] | res[4], 0);

	/* The chain breaks while a task in it waits for a future. */
	push_long(&r, 1, 0);
	push_nop(&r, link, 2, 0, 1);
	ring_push(&r, &(struct wsq_sqe) {
		.op = WSQ_OP_CRC32C, .flags = link | WSQ_SQE_VEC, .user_data = 2,
		.src = LONG - sizeof(struct wsq_vec), .len = 1,
	});
	push_nop(&r, link, 3, 1, 3);
	push_nop(&r, 0, 4, 0, 4);
	push_nop(&r, 0, 0, 3, 5);
	push_nop(&r, 0, 0, 4, 6);
	push_nop(&r, 0, 0, 2, 7);
	push_nop(&r, 0, 0, 1, 8);
	submit(&r, 9);
	results(&r, res, 9);
	EXPECT_EQ(res[0], 32);
	EXPECT_EQ(res[1], 0);
	EXPECT_EQ(res[2], -EINVAL);
	for (i = 3; i < 7; i++)
		EXPECT_EQ(res[i], -ECANCELED);
	EXPECT_EQ(res[7] | res[8], 0);

	/* A refused entry breaks its chain, and fails the futures of the rest. */
	push_nop(&r, link, 1, 0, 0);
	ring_push(&r, &(struct wsq_sqe) {
		.op = 0x7777, .flags = link | WSQ_SQE_FUTURES, .user_data = 1,
		NR(2, 1, 0, 0)
	});
	push_nop(&r, 0, 3, 0, 2);
	push_nop(&r, 0, 0, 1, 3);
	push_nop(&r, 0, 0, 2, 4);
	push_nop(&r, 0, 0, 3, 5);
	submit(&r, 6);
	results(&r, res, 6);
	EXPECT_EQ(res[0], 0);
	EXPECT_EQ(res[1], -EOPNOTSUPP);
	EXPECT_EQ(res[2], -ECANCELED);
	EXPECT_EQ(res[3], 0);
	EXPECT_EQ(res[4], -ECANCELED);
	EXPECT_EQ(res[5], -ECANCELED);
	ring_close(&r);
}

/* A drain waits for tasks that wait for futures, and its own futures. */
static void drains(void)
{
	enum { ROUNDS = 200 };
	unsigned int round, i;
	struct ring r;

	graph_open(&r, 0, 16, 256 << 10);
	for (round = 0; round < ROUNDS; round++) {
		static const unsigned int order[] = { 0, 1, 3, 4 };
		struct wsq_sqe slow = entry(WSQ_OP_SHA256, 1, 0, 0, 0, 0);

		slow.len = 64 << 10;
		ring_push(&r, &slow);
		push_nop(&r, 0, 2, 1, 1);
		push_nop(&r, WSQ_SQE_DRAIN | WSQ_SQE_LINK, 3, 2, 3);
		push_nop(&r, 0, 4, 1, 4);
		push_nop(&r, 0, 0, 4, 5);
		push_nop(&r, 0, 0, 0, 5);
		submit(&r, 6);
		EXPECT_EQ(ring_enter(&r, 0, 6, TIMEOUT_S), 0);
		for (i = 0; i < 6; i++)
			EXPECT_EQ(ring_take(&r).user_data, i < 4 ? order[i] : 5);
	}
	ring_close(&r);
}

/* Cancelled while they wait: they do not run, nor do those behind them. */
static void cancelled(void)
{
	enum { ROUNDS = 20 };
	unsigned int round, in_time = 0;
	struct wsq_cancel c;
	int64_t res[6];
	struct ring r;

	graph_open(&r, WSQ_SETUP_IDS, 8, LONG);
	for (round = 0; round < part_of(ROUNDS) || (!in_time && round < TRIES);
	     round++) {
		const uint64_t *ids = (void *)((char *)r.page + r.s.ids_off);
		struct wsq_sqe fill = entry(WSQ_OP_FILL, 2, 1, 0, 0, 1);
		uint64_t id;
		int ret;

		r.arena[4096] = 0;
		fill.dst = 4096;
		fill.len = 512;
		fill.arg = -1;
		push_long(&r, 1, 0);
		ring_push(&r, &fill);
		push_nop(&r, 0, 3, 2, 2);
		push_nop(&r, 0, 0, 1, 3);
		submit(&r, 4);
		id = ids[(r.tail - 3) & (r.s.sq_entries - 1)];
		ret = cancel(&r, round % 2 ? WSQ_CANCEL_ID : WSQ_CANCEL_USER_DATA,
			     round % 2 ? id : 1, &c);
		results(&r, res, 4);
		EXPECT_EQ(res[0], 32);
		if (ret == -ENOENT || ret == -EALREADY)
			continue;
		EXPECT_EQ(ret, 0);
		EXPECT_EQ(c.cancelled, 1);
		EXPECT(res[1] == -ECANCELED && res[2] == -ECANCELED);
		EXPECT_EQ(res[3] | r.arena[4096], 0);

		/* All: the first stops, those that wait are counted. */
		push_long(&r, 1, 0);
		ring_push(&r, &fill);
		push_nop(&r, 0, 3, 1, 2);
		push_nop(&r, 0, 0, 3, 3);
		submit(&r, 4);
		ret = cancel(&r, WSQ_CANCEL_ALL, 0, &c);
		results(&r, res, 4);
		if (c.cancelled + c.running < 4)
			continue;
		EXPECT_EQ(ret, 0);
		EXPECT(c.cancelled >= 3);
		in_time++;
		EXPECT(res[1] == -ECANCELED && res[2] == -ECANCELED &&
		       res[3] == -ECANCELED);
		EXPECT_EQ(r.arena[4096], 0);
	}
	ring_close(&r);
	if (!in_time)
		SKIP("no CANCEL came in time in %u rounds", round);
}

/* Tasks that wait count as tasks in flight: they take completion entries. */
static void limits(void)
{
	unsigned int i;
	struct ring r;

	graph_open(&r, 0, 8, LONG);
	push_long(&r, 1, 0);
	for (i = 1; i < 8; i++)
		push_nop(&r, 0, 0, 1, i);
	submit(&r, 8);
	push_nop(&r, 0, 0, 1, 8);
	EXPECT_EQ(ring_enter(&r, 1, 0, 0), -EAGAIN);
	EXPECT_EQ(ring_enter(&r, 0, 8, TIMEOUT_S), 0);
	for (i = 0; i < 8; i++)
		ring_take(&r);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	EXPECT_EQ(ring_take(&r).res, 0);
	ring_close(&r);
}

/* Futures of the ring below, and entries that it takes at a time. */
#define NUMBERS	8U

/* What a future may be, a bit each; by entries in the order of submission. */
enum { UNNAMED = 1, GOOD = 2, BAD = 4 };

struct belief {
	uint8_t of[NUMBERS + 1];
	bool pending[NUMBERS + 1];	/* perhaps */
	bool cancelled;			/* some tasks may have been */
};

/* Half of the time a valid number, otherwise any, none included. */
static unsigned int some_number(uint64_t *seed)
{
	static const unsigned int others[] = {
		0, 0, 0, NUMBERS + 1, 255, 65535,
	};

	return rnd(seed) % 2 ? 1 + rnd(seed) % NUMBERS :
	       others[rnd(seed) % (rnd(seed) % 4 ? 3 : ARRAY_SIZE(others))];
}

static struct wsq_sqe some_futures(uint64_t *seed, uint64_t user_data)
{
	return entry(rnd(seed) % 16 ? WSQ_OP_NOP : 0x7777, some_number(seed),
		     some_number(seed), rnd(seed) % 2 ? some_number(seed) : 0,
		     rnd(seed) % 4 ? 0 : some_number(seed), user_data);
}

/* Checks the result of an entry, and what is then known of its future. */
static void believe(struct belief *b, const struct wsq_sqe *sqe, int64_t res)
{
	const uint16_t own = (uint16_t)sqe->deadline;
	bool valid = own <= NUMBERS, taken;
	uint8_t after = GOOD;
	unsigned int i;

	for (i = 1; i <= AFTER; i++) {
		uint16_t nr = sqe->deadline >> 16 * i;

		if (nr > NUMBERS || (nr && b->of[nr] == UNNAMED))
			valid = false;
		else if (nr && b->of[nr] == BAD)
			after = BAD;
		else if (nr && b->of[nr] != GOOD && after == GOOD)
			after = GOOD | BAD;
	}
	if (sqe->op) {
		EXPECT_EQ(res, -EOPNOTSUPP);
	} else if (!valid) {
		EXPECT_EQ(res, -EINVAL);
	} else if (res == -EBUSY) {
		EXPECT(own && b->pending[own]);
	} else {
		EXPECT(res ? res == -ECANCELED && (after & BAD || b->cancelled) :
		       after & GOOD);
	}
	if (!own || own > NUMBERS || res == -EBUSY)
		return;
	taken = !sqe->op && valid;
	if (taken)
		b->of[own] = res ? BAD : GOOD;
	else if (b->pending[own])
		b->of[own] |= BAD;
	else
		b->of[own] = BAD;
	b->pending[own] |= taken;
}

/*
 * Random numbers: valid or not, named before or not, an entry's own, and some
 * that would make a cycle. The rules of <linux/wsq.h> say how each entry ends.
 */
static void random_numbers(unsigned int flags, unsigned int rounds, uint64_t seed)
{
	struct wsq_sqe sqes[NUMBERS];
	int64_t res[NUMBERS];
	struct belief b = { 0 };
	struct wsq_cancel c;
	unsigned int i, nr;
	struct ring r;

	memset(b.of, UNNAMED, sizeof(b.of));
	graph_open(&r, flags, NUMBERS, 4096);
	while (rounds--) {
		test_at("round", rounds);
		nr = 1 + rnd(&seed) % NUMBERS;
		for (i = 0; i < nr; i++) {
			sqes[i] = some_futures(&seed, i);
			ring_push(&r, &sqes[i]);
		}
		submit(&r, nr);
		b.cancelled = rnd(&seed) % 8 == 0;
		if (b.cancelled)
			cancel(&r, WSQ_CANCEL_ALL, 0, &c);
		results(&r, res, nr);
		/* The process has read all completions of the rounds before. */
		memset(b.pending, 0, sizeof(b.pending));
		for (i = 0; i < nr; i++)
			believe(&b, &sqes[i], res[i]);
	}
	ring_close(&r);
}

static void randoms(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		random_numbers(i % 2 ? WSQ_SETUP_KEYS : 0, part_of(2000), i + 1);
	random_numbers(WSQ_SETUP_POLL, part_of(2000), 5);
}

/* Graphs of which next to nothing has begun. */
static void push_waiting(struct ring *r, uint64_t *seed)
{
	const unsigned int all = r->s.sq_entries;
	unsigned int i;

	push_long(r, 1, 0);
	for (i = 1; i < all; i++) {
		struct wsq_sqe sqe = entry(WSQ_OP_NOP, i + 1, 1 + rnd(seed) % i,
					   1 + rnd(seed) % i, 1, i);

		if (r->s.flags & WSQ_SETUP_KEYS && rnd(seed) % 3 == 0) {
			sqe.flags |= WSQ_SQE_KEY;
			sqe.key = rnd(seed) % 4;
		}
		if (rnd(seed) % 4 == 0)
			sqe.flags |= WSQ_SQE_LINK;
		else if (rnd(seed) % 40 == 0)
			sqe.flags |= WSQ_SQE_DRAIN;
		ring_push(r, &sqe);
	}
	submit(r, all);
}

static const unsigned int kinds[] = {
	0, WSQ_SETUP_KEYS, WSQ_SETUP_POLL, WSQ_SETUP_KEYS | WSQ_SETUP_IDS,
};

static void closed(void)
{
	uint64_t seed = 5;
	unsigned int i;
	struct ring r;

	expect_rings(0);
	for (i = 0; i < part_of(40); i++) {
		test_at("closed", i);
		graph_open(&r, kinds[i % 4], 512, LONG);
		push_waiting(&r, &seed);
		usleep(rnd(&seed) % 3000);
		ring_close(&r);
	}
	expect_rings(0);
	expect_usable();
}

static void killed(void)
{
	uint64_t seed = 6;
	unsigned int i;

	expect_rings(0);
	for (i = 0; i < part_of(20); i++) {
		pid_t pid;

		test_at("killed", i);
		pid = fork();
		if (!pid) {
			struct ring r;

			graph_open(&r, kinds[i % 4], 512, LONG);
			for (;;) {
				push_waiting(&r, &seed);
				ring_enter(&r, 0, 512, TIMEOUT_S);
				while (ring_peek(&r))
					ring_seen(&r);
			}
		}
		usleep(rnd(&seed) % 60000);
		expect_killed(pid);
	}
	expect_rings(0);
	expect_usable();
}

static const struct test tests[] = {
	{ "rejected", rejected },
	{ "numbers", numbers },
	{ "restricted", restricted },
	{ "busy", busy },
	{ "reuse", reuse },
	{ "diamonds", diamonds },
	{ "graphs", graphs },
	{ "graphs_fail", graphs_fail },
	{ "graphs_keys", graphs_keys },
	{ "graphs_polled", graphs_polled },
	{ "fan_out", fan_out },
	{ "row_fails", row_fails },
	{ "links", links },
	{ "drains", drains },
	{ "cancelled", cancelled },
	{ "limits", limits },
	{ "randoms", randoms },
	{ "closed", closed },
	{ "killed", killed },
};

TEST_MAIN(tests)
