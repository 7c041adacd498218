// SPDX-License-Identifier: GPL-2.0
/*
 * Users of rings against each other: the tasks of one do not wait for the
 * backlog of another, closing a ring does not wait for any backlog, and a long
 * task that leaves its worker for others has the same result as alone.
 *
 * One process has rings of two users: a ring counts for the user that calls
 * SETUP. All tasks are queued on one CPU, from which other CPUs steal. No
 * verdict depends on time; the criterion is how much of the backlog was left
 * when the tasks that should not wait for it were done. If this process loses
 * its CPU at that moment, others may work the backlog off, so a test may try
 * again: tasks that wait for a backlog do so in each try.
 */
#include "wsq_user.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>

#define ALICE	7001
#define BOB	7002
#define MIB	(1ULL << 20)

static void stay_here(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	EXPECT_ERR(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* Makes a ring of that user. The caller is root afterwards. */
static void ring_of(struct ring *r, uid_t uid, unsigned int flags,
		    unsigned int sq, uint64_t arena)
{
	ring_make_flags(r, open_as(uid), flags, sq, 0, arena);
	act_as_root();
}

static uint64_t completed(const struct ring *r)
{
	struct wsq_ring_stats st = { .size = sizeof(st) };

	EXPECT_ERR(ioctl(r->fd, WSQ_IOC_RING_STATS, &st), 0);
	return st.completed;
}

/* @nr hashes of @len bytes each; does not wait. */
static void backlog(struct ring *r, unsigned int nr, uint64_t len)
{
	struct wsq_sqe sqe = {
		.op = WSQ_OP_SHA256, .len = len, .dst = r->s.arena_bytes - 4096,
	};
	unsigned int i;

	for (i = 0; i < nr; i++)
		ring_push(r, &sqe);
	EXPECT_EQ(ring_enter(r, nr, 0, 0), 0);
	EXPECT_EQ(r->e.submitted, nr);
}

/* A nop of one user beside @nr hashes of another: were they waited for? */
static bool waited_for(unsigned int nr, uint64_t len)
{
	struct wsq_sqe nop = { .op = WSQ_OP_NOP };
	struct ring a, b;
	uint64_t ended;

	ring_of(&a, ALICE, 0, nr, len + 4096);
	ring_of(&b, BOB, 0, 1, 0);
	backlog(&a, nr, len);
	EXPECT_EQ(ring_do(&b, &nop), 0);
	ended = completed(&a);
	printf("# %u hashes of %llu KiB: %llu had ended before the nop\n", nr,
	       (unsigned long long)len >> 10, (unsigned long long)ended);
	ring_close(&a);
	ring_close(&b);
	expect_rings(0);
	return ended >= nr / 2;
}

/* Of any length. */
static void beside(void)
{
	static const struct {
		unsigned int nr;
		uint64_t len;
	} rows[] = {
		{ 16384, 16 << 10 }, { 4096, 64 << 10 }, { 1024, 256 << 10 },
		{ 256, 1 << 20 }, { 32, 16 << 20 },
	};
	unsigned int i, turn;

	stay_here();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		test_at("rows", i);
		for (turn = 0; turn < TRIES; turn++)
			if (!waited_for(rows[i].nr, rows[i].len))
				break;
		EXPECT(turn < TRIES);
	}
}

/* More than one nop: short tasks one after another, of several rings. */
static void several(void)
{
	struct wsq_sqe nop = { .op = WSQ_OP_NOP };
	struct ring a, b[4];
	unsigned int i, turn;
	uint64_t ended = 128;

	stay_here();
	for (i = 0; i < ARRAY_SIZE(b); i++)
		ring_of(&b[i], BOB + i, 0, 1, 0);
	for (turn = 0; turn < TRIES && ended >= 64; turn++) {
		ring_of(&a, ALICE, 0, 128, 16 * MIB + 4096);
		backlog(&a, 128, 16 * MIB);
		for (i = 0; i < 16; i++)
			EXPECT_EQ(ring_do(&b[i % ARRAY_SIZE(b)], &nop), 0);
		ended = completed(&a);
		ring_close(&a);
	}
	EXPECT(ended < 64);
	for (i = 0; i < ARRAY_SIZE(b); i++)
		ring_close(&b[i]);
	expect_rings(0);
}

/* Nops one by one; prints how long they waited for a worker. */
static void nops(struct ring *r, unsigned int nr, const char *beside_what)
{
	uint64_t most = 0, sum = 0;
	struct wsq_cqe cqe;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		ring_push_nop(r, i);
		EXPECT_EQ(ring_enter(r, 1, 1, TIMEOUT_S), 0);
		cqe = ring_take(r);
		EXPECT_EQ(cqe.res, 0);
		sum += cqe.wait_ns;
		if (cqe.wait_ns > most)
			most = cqe.wait_ns;
	}
	printf("# beside %s: nops waited %llu us, %llu at most\n", beside_what,
	       (unsigned long long)sum / nr / 1000,
	       (unsigned long long)most / 1000);
}

/* Nops beside as many busy threads as there are workers, for comparison. */
static void nops_beside_threads(struct ring *r)
{
	int nr = sysconf(_SC_NPROCESSORS_ONLN), i;
	pid_t pids[64];

	if (nr > (int)ARRAY_SIZE(pids))
		nr = ARRAY_SIZE(pids);
	for (i = 0; i < nr; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			cpu_set_t set;

			CPU_ZERO(&set);
			CPU_SET(i, &set);
			sched_setaffinity(0, sizeof(set), &set);
			for (;;)
				;
		}
	}
	usleep(100000);
	nops(r, 64, "busy threads");
	for (i = 0; i < nr; i++) {
		EXPECT_ERR(kill(pids[i], SIGKILL), 0);
		EXPECT_EQ(waitpid(pids[i], NULL, 0), pids[i]);
	}
}

/*
 * Nops beside 32 times @sq tasks of 0.5 ms. False if half of those that were
 * left ended before the nops.
 */
static bool million_once(struct ring *b, unsigned int sq)
{
	const unsigned int nr = 16, len = 128 << 10;
	uint64_t left = nr * 2ULL * sq, ended = 0;
	struct ring a[16];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		ring_of(&a[i], ALICE, 0, sq, len + 4096);
		backlog(&a[i], sq, len);
		backlog(&a[i], sq, len);
	}
	for (i = 0; i < nr; i++)
		left -= completed(&a[i]);
	nops(b, 16, "many tasks");
	for (i = 0; i < nr; i++)
		ended += completed(&a[i]);
	ended -= nr * 2ULL * sq - left;
	printf("# of %llu tasks %llu ended before 16 nops\n",
	       (unsigned long long)left, (unsigned long long)ended);
	for (i = 0; i < nr; i++)
		ring_close(&a[i]);
	expect_rings(1);
	return ended < left / 2;
}

/* As many tasks as a user may have, all in one submission. */
static void million(void)
{
	const unsigned int sq = part_of(2) < 2 ? 512 : 32768;
	unsigned int turn;
	struct ring b;

	stay_here();
	ring_of(&b, BOB, 0, 1, 0);
	nops_beside_threads(&b);
	for (turn = 0; turn < TRIES; turn++)
		if (million_once(&b, sq))
			break;
	EXPECT(turn < TRIES);
	ring_close(&b);
	expect_rings(0);
}

/* Tasks of each kind that can wait: short ones, links, drains, keys. */
static void all_kinds(struct ring *r)
{
	static const unsigned int flags[] = {
		0, WSQ_SQE_KEY, WSQ_SQE_LINK, 0, WSQ_SQE_KEY, WSQ_SQE_CPU,
	};
	unsigned int i, n = r->s.sq_entries;
	struct wsq_sqe sqe;

	for (i = 0; i < n; i++) {
		sqe = (struct wsq_sqe){
			.op = i % 2 ? WSQ_OP_SHA256 : WSQ_OP_CRC32C,
			.len = i % 3 ? MIB : 4096,
			.flags = flags[i % ARRAY_SIZE(flags)],
			.user_data = i,
		};
		if (sqe.op == WSQ_OP_SHA256)
			sqe.dst = r->s.arena_bytes - 4096;
		if (sqe.flags & WSQ_SQE_KEY)
			sqe.key = i % 7;
		/* A drain heads a chain, so the entry before it ends one. */
		if (i > n / 2 && i % 64 == 0)
			sqe.flags = WSQ_SQE_DRAIN;
		else if (i % 64 == 63)
			sqe.flags = 0, sqe.key = 0;
		ring_push(r, &sqe);
	}
	/* And some short ones that go to a worker as a batch. */
	EXPECT_EQ(ring_enter(r, n, 0, 0), 0);
	EXPECT_EQ(r->e.submitted, n);
	for (i = 0; i < n / 2; i++)
		ring_push_nop(r, i);
	EXPECT_EQ(ring_enter(r, n / 2, 0, 0), 0);
}

/*
 * A closed ring counts only until its tasks are removed, even if @busy has a
 * backlog in front of them: its user, at the limit, makes another one. False if
 * that waited for half of the backlog.
 */
static bool closed_early(uid_t busy_uid, bool polled)
{
	unsigned int flags = WSQ_SETUP_KEYS;
	struct ring busy, r;
	uint64_t ended;
	int fd;

	expect_rings(0);
	ring_of(&busy, busy_uid, 0, 128, 16 * MIB + 4096);
	if (polled) {
		act_as_root();
		ring_make_flags(&r, dev_open(), flags | WSQ_SETUP_POLL, 1024,
				4096, 2 * MIB);
		limits_set(1, DEF_TASKS, DEF_MEMORY);
	} else {
		limits_set(busy_uid == ALICE ? 2 : 1, DEF_TASKS, DEF_MEMORY);
		ring_of(&r, ALICE, flags, 1024, 2 * MIB);
	}
	backlog(&busy, 128, 16 * MIB);
	all_kinds(&r);
	ring_close(&r);
	if (polled) {
		act_as(0);
		fd = dev_open();
	} else {
		fd = open_as(ALICE);
	}
	EXPECT_EQ(try_setup(fd, 4, 0, 0), 0);
	ended = completed(&busy);
	printf("# %llu of 128 hashes had ended before SETUP\n",
	       (unsigned long long)ended);
	close(fd);
	ring_close(&busy);
	act_as_root();
	limits_default();
	expect_rings(0);
	return ended < 64;
}

static void close_beside(uid_t busy_uid, bool polled)
{
	unsigned int turn;

	stay_here();
	for (turn = 0; turn < TRIES; turn++)
		if (closed_early(busy_uid, polled))
			break;
	EXPECT(turn < TRIES);
}

static void close_same(void)
{
	close_beside(ALICE, false);
}

static void close_other(void)
{
	close_beside(BOB, false);
}

static void close_polled(void)
{
	close_beside(BOB, true);
}

/* A task of a closed ring ends between two of its parts. */
static void close_running(void)
{
	unsigned int early = 0;
	struct ring a, b;
	unsigned int i;

	limits_set(1, DEF_TASKS, DEF_MEMORY);
	for (i = 0; i < part_of(10); i++) {
		ring_of(&b, BOB, 0, 128, 16 * MIB + 4096);
		ring_of(&a, ALICE, 0, 64, 16 * MIB + 4096);
		backlog(&b, 128, 16 * MIB);
		backlog(&a, 64, 16 * MIB);
		usleep(i * 1000);
		ring_close(&a);
		/* At the limit: this waits until the other one is freed. */
		ring_of(&a, ALICE, 0, 1, 0);
		early += completed(&b) < 64;
		ring_close(&a);
		ring_close(&b);
	}
	printf("# before half of the backlog %u times of %u\n", early, i);
	EXPECT(early);
	limits_default();
	expect_rings(0);
}

static void fill_random(uint8_t *p, size_t len, uint64_t seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = rnd(&seed);
}

#define SUMS	64
#define SUM_LEN	(300 * 1024)

/*
 * Hashes that yield to a backlog of others, and are resumed on any CPU: single,
 * linked, by key, of lists. Their results are the same as alone.
 */
static void interleaved(void)
{
	uint64_t last[4] = { 0 };
	struct ring a, b;
	uint8_t want[32];
	uint32_t crc;
	unsigned int i;

	stay_here();
	ring_of(&b, BOB, 0, 64, 16 * MIB + 4096);
	ring_of(&a, ALICE, WSQ_SETUP_KEYS, SUMS, 2 * MIB);
	fill_random(a.arena, SUM_LEN, 3);
	ref_sha256(a.arena, SUM_LEN, want);
	crc = ref_crc32c(0, a.arena, SUM_LEN);
	for (i = 0; i < 5; i++) {
		struct wsq_vec v = { i * 60 * 1024, 60 * 1024 };

		memcpy(a.arena + MIB + i * sizeof(v), &v, sizeof(v));
	}
	backlog(&b, 64, 16 * MIB);
	for (i = 0; i < SUMS; i++) {
		struct wsq_sqe sqe = {
			.op = i % 2 ? WSQ_OP_SHA256 : WSQ_OP_CRC32C,
			.len = SUM_LEN, .user_data = i,
		};

		if (sqe.op == WSQ_OP_SHA256)
			sqe.dst = MIB + 4096 + i * 32;
		if (i % 8 < 4) {
			sqe.flags = WSQ_SQE_VEC;
			sqe.src = MIB;
			sqe.len = 5;
		}
		if (i / 4 % 2 == 0) {
			sqe.flags |= WSQ_SQE_KEY;
			sqe.key = i % 4;
		} else if (i % 4 < 3) {
			sqe.flags |= WSQ_SQE_LINK;
		}
		ring_push(&a, &sqe);
	}
	EXPECT_EQ(ring_enter(&a, SUMS, SUMS, TIMEOUT_S), 0);
	for (i = 0; i < SUMS; i++) {
		struct wsq_cqe cqe = ring_take(&a);
		uint64_t k = cqe.user_data;

		if (k % 2) {
			EXPECT_EQ(cqe.res, 32);
			EXPECT(!memcmp(a.arena + MIB + 4096 + k * 32, want, 32));
		} else {
			EXPECT_EQ(cqe.res, crc);
		}
		/* Completions of one key are in the order of submission. */
		if (k / 4 % 2 == 0) {
			EXPECT(k + 1 > last[k % 4]);
			last[k % 4] = k + 1;
		}
	}
	ring_close(&a);
	ring_close(&b);
	expect_rings(0);
}

/* CANCEL of tasks that have begun: they end between two parts. */
static void cancelled(void)
{
	struct wsq_cancel c = { .size = sizeof(c), .flags = WSQ_CANCEL_ALL };
	struct ring a, b;
	unsigned int i, n = 0;

	stay_here();
	ring_of(&b, BOB, 0, 64, 16 * MIB + 4096);
	ring_of(&a, ALICE, 0, 64, 16 * MIB + 4096);
	backlog(&b, 64, 16 * MIB);
	backlog(&a, 64, 16 * MIB);
	/* When one of the others has ended, some have begun. */
	EXPECT_EQ(ring_enter(&b, 0, 1, TIMEOUT_S), 0);
	if (ioctl(a.fd, WSQ_IOC_CANCEL, &c))
		SKIP("none could be cancelled: %s", strerror(errno));
	EXPECT_EQ(ring_enter(&a, 0, 64, TIMEOUT_S), 0);
	for (i = 0; i < 64; i++) {
		int64_t res = ring_take(&a).res;

		EXPECT(res == 32 || res == -ECANCELED);
		n += res == -ECANCELED;
	}
	printf("# %u begun, %u cancelled before\n", c.running, c.cancelled);
	EXPECT(n >= c.cancelled && n <= c.cancelled + c.running);
	ring_close(&a);
	ring_close(&b);
	expect_rings(0);
}

/* As many users as allowed, and one more. */
static void users(void)
{
	struct ring r[3];
	int fd;

	expect_rings(0);
	if (param_set("max_users", "2"))
		FAIL("no parameter max_users");
	ring_of(&r[0], ALICE, 0, 4, 0);
	ring_of(&r[1], BOB, 0, 4, 0);
	ring_of(&r[2], BOB, 0, 4, 0);
	fd = open_as(BOB + 1);
	EXPECT_EQ(try_setup(fd, 4, 0, 0), ENOSPC);
	expect_use(fd, 0, 0, 0);
	ring_close(&r[1]);
	EXPECT_EQ(try_setup(fd, 4, 0, 0), ENOSPC);
	/* The last ring of a user is freed soon after it is closed. */
	ring_close(&r[2]);
	expect_no_use(BOB);
	act_as(BOB + 1);
	EXPECT_EQ(try_setup(fd, 4, 0, 0), 0);
	close(fd);
	ring_close(&r[0]);
	param_set_number("max_users", 511);
	act_as_root();
	expect_rings(0);
}

struct dl_attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

static long switches(void)
{
	struct rusage u;

	EXPECT_ERR(getrusage(RUSAGE_THREAD, &u), 0);
	return u.ru_nivcsw;
}

/*
 * ENTER of a SCHED_DEADLINE thread does not call sched_yield(), which would
 * cost it the rest of its period. A sleep is a voluntary switch; a yield is an
 * involuntary one.
 */
static void deadline(void)
{
	struct dl_attr attr = {
		.size = sizeof(attr), .policy = 6,
		.runtime = 500 * MSEC, .deadline = SEC, .period = SEC,
	};
	struct wsq_sqe nop = { .op = WSQ_OP_NOP };
	struct ring r[16];
	unsigned int i, turn;
	long n;

	for (i = 0; i < ARRAY_SIZE(r); i++)
		ring_open(&r[i], 1, 0, 0);
	if (syscall(SYS_sched_setattr, 0, &attr, 0))
		SKIP("no SCHED_DEADLINE here: %s", strerror(errno));
	/* Others may switch it out, too, but not each time. */
	for (turn = 0; turn < TRIES; turn++) {
		n = switches();
		for (i = 0; i < ARRAY_SIZE(r); i++)
			EXPECT_EQ(ring_do(&r[i], &nop), 0);
		n = switches() - n;
		printf("# switched out %ld times in %zu calls\n", n,
		       ARRAY_SIZE(r));
		if (n < (long)ARRAY_SIZE(r) / 2)
			break;
	}
	attr = (struct dl_attr){ .size = sizeof(attr) };
	EXPECT_ERR(syscall(SYS_sched_setattr, 0, &attr, 0), 0);
	EXPECT(turn < TRIES);
	for (i = 0; i < ARRAY_SIZE(r); i++)
		ring_close(&r[i]);
	expect_rings(0);
}

static const struct test test_list[] = {
	{ "beside", beside },
	{ "several", several },
	{ "million", million },
	{ "close_same", close_same },
	{ "close_other", close_other },
	{ "close_polled", close_polled },
	{ "close_running", close_running },
	{ "interleaved", interleaved },
	{ "cancelled", cancelled },
	{ "users", users },
	{ "deadline", deadline },
};

TEST_MAIN(test_list)
