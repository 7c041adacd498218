// SPDX-License-Identifier: GPL-2.0
/*
 * Keys on polled rings. Tasks that a kernel thread takes run one at a time and
 * in order by key, like those of ENTER: with an own or a shared thread, beside
 * callers of ENTER and of CANCEL, in chains and behind drains, and when the
 * process ends. keys.c and poll_storm.c test the two separately.
 */
#include "wsq_keys.h"
#include "wsq_poll.h"

#include <pthread.h>
#include <sys/sysinfo.h>

#define KEYED	(WSQ_SETUP_KEYS | WSQ_SETUP_POLL)
#define STRANDS	8
#define SQ	64
#define LONG	(4U << 20)

static void keyed_open(struct ring *r, unsigned int flags, unsigned int idle_us,
		       const struct ring *other, unsigned int sq, uint64_t arena)
{
	memset(r, 0, sizeof(*r));
	r->fd = dev_open();
	r->s.sq_entries = sq;
	r->s.arena_size = arena;
	if (other)
		flags |= WSQ_SETUP_POLL_SHARE;
	EXPECT_ERR(setup(r->fd, KEYED | flags, other ? 0 : idle_us,
			 other ? other->fd : 0, &r->s), 0);
	ring_map(r);
}

/**
 * struct feed - keeps a ring supplied with tasks
 * @r: the ring
 * @s: the tasks of each key
 * @seed: of the next tasks
 * @pushed: tasks so far; the next one's number
 * @done: completed so far
 * @last: of each key, number + 1 of the last that has completed
 * @loose: some are cancelled, so the data proves nothing
 * @most: how many tasks there will be
 */
struct feed {
	struct ring r;
	struct strand s[STRANDS];
	uint64_t seed;
	uint64_t pushed;
	uint64_t done;
	uint64_t last[STRANDS];
	bool loose;
	uint64_t most;
};

/* The same keys in all rings. */
static void feed_open(struct feed *f, unsigned int idle_us,
		      const struct ring *other)
{
	unsigned int i;

	memset(f, 0, sizeof(*f));
	keyed_open(&f->r, 0, idle_us, other, SQ, STRANDS * STRAND_BYTES);
	f->seed = 17 + f->r.fd;
	for (i = 0; i < STRANDS; i++)
		strand_init(&f->s[i], &f->r, i * STRAND_BYTES,
			    (uint64_t)i << 60);
}

/* Submits some more tasks, as far as they fit. */
static void feed_some(struct feed *f)
{
	unsigned int n = rnd(&f->seed) % 32;

	while (n-- && f->r.tail - taken(&f->r) < SQ) {
		unsigned int key = rnd(&f->seed) % STRANDS, flags = 0, hint = 0;

		/* Half of the time one key has most of the work. */
		if (rnd(&f->seed) % 2)
			key = f->pushed >> 7 & (STRANDS - 1);
		if (rnd(&f->seed) % 8 == 0) {
			flags = WSQ_SQE_CPU;
			hint = rnd(&f->seed) % get_nprocs_conf();
		}
		strand_push(&f->s[key], &f->r, rnd(&f->seed) % 4 == 0, flags,
			    hint, f->pushed++ << 8 | key);
	}
	submit(&f->r);
}

static void feed_read(struct feed *f)
{
	struct wsq_cqe *cqe;

	while ((cqe = ring_peek(&f->r))) {
		unsigned int key = cqe->user_data & 0xff;
		uint64_t nr = cqe->user_data >> 8;

		EXPECT(key < STRANDS && nr < f->pushed);
		if (cqe->res != -ECANCELED || !f->loose)
			EXPECT_EQ(cqe->res, STRAND_CELL);
		/* A cancelled task keeps its position. */
		EXPECT(f->last[key] <= nr);
		f->last[key] = nr + 1;
		f->done++;
		ring_seen(&f->r);
	}
}

static void feed_end(struct feed *f)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	unsigned int i;

	submit(&f->r);
	while (f->done < f->pushed) {
		if (now_ns() > end)
			FAIL("%llu of %llu tasks completed",
			     (unsigned long long)f->done,
			     (unsigned long long)f->pushed);
		feed_read(f);
		sched_yield();
	}
	for (i = 0; i < STRANDS && !f->loose; i++)
		strand_check(&f->s[i], &f->r);
	printf("# %llu tasks, %lld taken by the poller\n",
	       (unsigned long long)f->pushed,
	       fdinfo_at(&f->r, "wsq_polled", NULL));
}

static void *feed_run(void *arg)
{
	struct feed *f = arg;

	while (f->pushed < f->most) {
		feed_some(f);
		feed_read(f);
		/* Long enough for the thread to fall asleep, now and then. */
		if (rnd(&f->seed) % 64 == 0)
			usleep(rnd(&f->seed) % 2000);
	}
	feed_end(f);
	return NULL;
}

/* A thread awake all the time, and one that sleeps whenever it can. */
static void own(void)
{
	static const unsigned int idle[] = { SECOND, 1 };
	static struct feed f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(idle); i++) {
		test_at("idle", i);
		feed_open(&f, idle[i], NULL);
		f.most = part_of(10000);
		feed_run(&f);
		/* No other taker; the last tasks are counted when queued. */
		EVENTUALLY(fdinfo_at(&f.r, "wsq_polled", NULL) ==
			   (long long)f.pushed);
		ring_close(&f.r);
	}
	EVENTUALLY(pollers() == 0);
}

static void shared(void)
{
	enum { RINGS = 3 };
	static struct feed f[RINGS];
	pthread_t t[RINGS];
	unsigned int i;

	for (i = 0; i < RINGS; i++)
		feed_open(&f[i], 200, i ? &f[0].r : NULL);
	EVENTUALLY(pollers() == 1);
	for (i = 0; i < RINGS; i++) {
		f[i].most = part_of(8000);
		EXPECT(!pthread_create(&t[i], NULL, feed_run, &f[i]));
	}
	for (i = 0; i < RINGS; i++)
		pthread_join(t[i], NULL);
	for (i = 0; i < RINGS; i++)
		ring_close(&f[i].r);
	EVENTUALLY(pollers() == 0);
	expect_rings(0);
}

static bool stop;

static void *enterer(void *arg)
{
	const struct feed *f = arg;
	uint64_t seed = f->r.fd;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		struct wsq_enter e = {
			.size = sizeof(e),
			.to_submit = rnd(&seed) % 8,
		};

		if (ioctl(f->r.fd, WSQ_IOC_ENTER, &e))
			EXPECT_EQ(errno, EAGAIN);
		if (rnd(&seed) % 4 == 0)
			usleep(rnd(&seed) % 200);
	}
	return NULL;
}

/* An entry keeps its order, with either taker. */
static void entered(void)
{
	static struct feed f;
	long long polled;
	pthread_t t;
	int turn = 0;

	feed_open(&f, 50, NULL);
	__atomic_store_n(&stop, false, __ATOMIC_RELAXED);
	EXPECT(!pthread_create(&t, NULL, enterer, &f));
	/* One of the two may have had no CPU for a while. */
	do {
		f.most = f.pushed + part_of(10000);
		feed_run(&f);
		/* All entries taken are counted before others are. */
		EXPECT_EQ(ring_enter(&f.r, 0, 0, 0), 0);
		polled = fdinfo_at(&f.r, "wsq_polled", NULL);
	} while ((!polled || polled == (long long)f.pushed) && ++turn < TRIES);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	ring_close(&f.r);
	if (turn == TRIES)
		SKIP("%lld of %llu entries were taken by the poller", polled,
		     (unsigned long long)f.pushed);
}

static void *canceller(void *arg)
{
	const struct feed *f = arg;
	uint64_t seed = f->r.fd;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		uint64_t nr = __atomic_load_n(&f->r.page->sq_head,
					      __ATOMIC_RELAXED);
		struct wsq_cancel c = {
			.size = sizeof(c),
			.flags = WSQ_CANCEL_USER_DATA,
		};

		nr -= rnd(&seed) % SQ;
		c.what = nr << 8 | rnd(&seed) % STRANDS;
		if (rnd(&seed) % 16 == 0) {
			c.flags = WSQ_CANCEL_ALL;
			c.what = 0;
		}
		ioctl(f->r.fd, WSQ_IOC_CANCEL, &c);
		if (rnd(&seed) % 4 == 0)
			usleep(rnd(&seed) % 500);
	}
	return NULL;
}

/* Cancelled at any moment, tasks complete once, and in their key's order. */
static void cancelled(void)
{
	static struct feed f;
	struct wsq_ring_stats st;
	pthread_t t;
	int turn = 0;

	feed_open(&f, 100, NULL);
	f.loose = true;
	__atomic_store_n(&stop, false, __ATOMIC_RELAXED);
	EXPECT(!pthread_create(&t, NULL, canceller, &f));
	do {
		f.most = f.pushed + part_of(10000);
		feed_run(&f);
		st = (struct wsq_ring_stats) { .size = sizeof(st) };
		EXPECT_ERR(ioctl(f.r.fd, WSQ_IOC_RING_STATS, &st), 0);
	} while (!st.cancelled && ++turn < TRIES);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	ring_close(&f.r);
	if (!st.cancelled || st.cancelled == f.pushed)
		SKIP("%llu of %llu tasks were cancelled",
		     (unsigned long long)st.cancelled,
		     (unsigned long long)f.pushed);
}

static void push_key(struct ring *r, unsigned int op, unsigned int flags,
		     uint64_t key, uint64_t user_data)
{
	struct wsq_sqe sqe = {
		.op = op, .flags = flags, .key = key, .user_data = user_data,
	};

	if (op == WSQ_OP_SHA256)
		sqe.len = r->s.arena_bytes;
	ring_push(r, &sqe);
}

/* A busy key does not make other keys, or tasks without one, wait. */
static void beside(void)
{
	struct ring r;
	unsigned int i, turn;

	keyed_open(&r, 0, 1000, NULL, 16, LONG);
	for (turn = 0; turn < TRIES; turn++) {
		for (i = 0; i < BESIDE_LONGS; i++)
			push_key(&r, WSQ_OP_SHA256, WSQ_SQE_KEY, 1, 0);
		push_key(&r, WSQ_OP_NOP, WSQ_SQE_KEY, 2, 1);
		push_key(&r, WSQ_OP_NOP, 0, 0, 2);
		submit(&r);
		EXPECT_EQ(ring_enter(&r, 0, BESIDE_LONGS + 2, TIMEOUT_S), 0);
		if (went_beside(&r))
			break;
	}
	EXPECT(turn < TRIES);
	ring_close(&r);
}

/* Different keys run on several CPUs at once. */
static void parallel(void)
{
	enum { KEYS = 4, PER_KEY = 8 };
	struct ring r;
	unsigned int i, turn;

	if (get_nprocs() < 2)
		SKIP("one CPU");
	keyed_open(&r, 0, 1000, NULL, KEYS * PER_KEY, LONG);
	for (turn = 0; turn < TRIES; turn++) {
		for (i = 0; i < KEYS * PER_KEY; i++)
			push_key(&r, WSQ_OP_SHA256, WSQ_SQE_KEY, i % KEYS, i);
		submit(&r);
		EXPECT_EQ(ring_enter(&r, 0, KEYS * PER_KEY, TIMEOUT_S), 0);
		if (had_several_cpus(&r, KEYS * PER_KEY))
			break;
	}
	EXPECT(turn < TRIES);
	ring_close(&r);
}

/* A task of a round, and whether it has completed. */
struct member {
	unsigned int key;
	bool linked, drains, seen;
};

/*
 * A task linked behind another runs after it, a drain after all tasks before
 * it, and the head of a chain in its key's order.
 */
static void chains_check(struct member *m, unsigned int at)
{
	unsigned int k;

	EXPECT(!m[at].seen);
	m[at].seen = true;
	if (m[at].linked)
		EXPECT(m[at - 1].seen);
	for (k = 0; k < at; k++) {
		if (m[k].drains || (!m[at].linked && m[at].drains))
			EXPECT(m[k].seen);
		if (!m[at].linked && !m[k].linked && m[k].key == m[at].key)
			EXPECT(m[k].seen);
	}
}

static void chains(void)
{
	enum { MOST = 256, ROUNDS = 60 };
	static struct member m[MOST];
	uint64_t seed = 31;
	unsigned int round, nr, i;
	struct ring r[2];

	keyed_open(&r[0], 0, 100, NULL, MOST, STRAND_BYTES);
	keyed_open(&r[1], 0, 0, &r[0], MOST, STRAND_BYTES);
	for (round = 0; round < 2 * ROUNDS; round++) {
		struct ring *one = &r[round % 2];
		bool linked = false;

		test_at("round", round);
		nr = 1 + rnd(&seed) % MOST;
		for (i = 0; i < nr; i++) {
			unsigned int flags = WSQ_SQE_KEY;

			m[i] = (struct member) {
				.key = rnd(&seed) % 8,
				.linked = linked,
				.drains = !linked && rnd(&seed) % 16 == 0,
			};
			if (m[i].drains)
				flags |= WSQ_SQE_DRAIN;
			linked = rnd(&seed) % 3 == 0;
			if (linked)
				flags |= WSQ_SQE_LINK;
			push_key(one, rnd(&seed) % 8 ? WSQ_OP_NOP : WSQ_OP_SHA256,
				 flags, m[i].key, i);
		}
		submit(one);
		for (i = 0; i < nr; i++) {
			struct wsq_cqe cqe = await(one);

			EXPECT(cqe.res >= 0);
			EXPECT(cqe.user_data < nr);
			chains_check(m, cqe.user_data);
		}
		EXPECT(!ring_peek(one));
	}
	ring_close(&r[0]);
	ring_close(&r[1]);
	EVENTUALLY(pollers() == 0);
}

/* Rings come and go beside a busy one, and are closed with tasks in flight. */
static void *leaver(void *arg)
{
	const struct feed *f = arg;
	uint64_t seed = 1000 + f->r.fd;
	unsigned int i, n;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		struct ring r;

		keyed_open(&r, 0, 1 + rnd(&seed) % 300,
			   rnd(&seed) % 4 ? &f->r : NULL, SQ, LONG);
		n = rnd(&seed) % SQ;
		for (i = 0; i < n; i++)
			push_key(&r, rnd(&seed) % 8 ? WSQ_OP_NOP : WSQ_OP_SHA256,
				 WSQ_SQE_KEY |
				 (rnd(&seed) % 8 ? 0 : WSQ_SQE_LINK),
				 rnd(&seed) % 4, i);
		submit(&r);
		if (rnd(&seed) % 2)
			usleep(rnd(&seed) % 3000);
		ring_close(&r);
	}
	return NULL;
}

static void closed(void)
{
	static struct feed f;
	pthread_t t;

	expect_rings(0);
	feed_open(&f, 100, NULL);
	f.most = part_of(10000);
	__atomic_store_n(&stop, false, __ATOMIC_RELAXED);
	EXPECT(!pthread_create(&t, NULL, leaver, &f));
	feed_run(&f);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	ring_close(&f.r);
	EVENTUALLY(pollers() == 0);
	expect_rings(0);
	expect_usable();
}

/* A process that never ends by itself. */
static void __attribute__((noreturn)) busy(int go, uint64_t seed)
{
	struct ring r[2];
	unsigned int i;

	keyed_open(&r[0], 0, 1 + rnd(&seed) % 1000, NULL, SQ, LONG);
	keyed_open(&r[1], 0, 0, &r[0], SQ, LONG);
	EXPECT_EQ(write(go, "x", 1), 1);
	for (;;) {
		struct ring *one = &r[rnd(&seed) % 2];

		for (i = rnd(&seed) % SQ; i &&
		     one->tail - taken(one) < SQ; i--)
			push_key(one, rnd(&seed) % 16 ? WSQ_OP_NOP :
				 WSQ_OP_SHA256, WSQ_SQE_KEY |
				 (rnd(&seed) % 16 ? 0 : WSQ_SQE_DRAIN),
				 rnd(&seed) % 4, i);
		submit(one);
		while (ring_peek(one))
			ring_seen(one);
	}
}

/* A process killed at any moment leaves nothing behind. */
static void killed(void)
{
	uint64_t seed = 11;
	int i, p[2];
	char c;

	expect_rings(0);
	for (i = 0; i < (int)part_of(20); i++) {
		pid_t pid;

		EXPECT_ERR(pipe2(p, O_CLOEXEC), 0);
		pid = fork();
		EXPECT(pid >= 0);
		if (!pid)
			busy(p[1], i + 1);
		close(p[1]);
		EXPECT_EQ(read(p[0], &c, 1), 1);
		close(p[0]);
		usleep(rnd(&seed) % 20000);
		expect_killed(pid);
	}
	EVENTUALLY(pollers() == 0);
	expect_rings(0);
	expect_usable();
}

static const struct test tests[] = {
	{ "keys_poll_own", own },
	{ "keys_poll_shared", shared },
	{ "keys_poll_entered", entered },
	{ "keys_poll_cancelled", cancelled },
	{ "keys_poll_beside", beside },
	{ "keys_poll_parallel", parallel },
	{ "keys_poll_chains", chains },
	{ "keys_poll_closed", closed },
	{ "keys_poll_killed", killed },
};

TEST_MAIN(tests)
