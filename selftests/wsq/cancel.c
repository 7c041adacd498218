// SPDX-License-Identifier: GPL-2.0
/*
 * Cancelling tasks, and restricting rings.
 */
#include "wsq_test.h"

#include <pthread.h>
#include <stdbool.h>

#define LONG	(16U << 20)

static int cancel(struct ring *r, unsigned int flags, uint64_t what,
		  struct wsq_cancel *c)
{
	*c = (struct wsq_cancel) {
		.size = sizeof(*c),
		.flags = flags,
		.what = what,
	};
	return ioctl(r->fd, WSQ_IOC_CANCEL, c) ? -errno : 0;
}

static void ring_open_ids(struct ring *r, unsigned int sq, uint64_t arena)
{
	memset(r, 0, sizeof(*r));
	r->fd = dev_open();
	r->s = (struct wsq_setup) {
		.size = sizeof(r->s),
		.flags = WSQ_SETUP_IDS,
		.sq_entries = sq,
		.arena_size = arena,
	};
	EXPECT_ERR(ioctl(r->fd, WSQ_IOC_SETUP, &r->s), 0);
	EXPECT(r->s.ids_off >= r->s.cqes_off + r->s.cq_entries *
			       sizeof(struct wsq_cqe));
	EXPECT(r->s.ids_off + sq * sizeof(uint64_t) <= r->s.rings_bytes);
	ring_map(r);
}

/* The id of submission @k. */
static uint64_t id_of(const struct ring *r, uint64_t k)
{
	const uint64_t *ids = (void *)((char *)r->page + r->s.ids_off);

	EXPECT(__atomic_load_n(&r->page->sq_head, __ATOMIC_ACQUIRE) > k);
	return ids[k & (r->s.sq_entries - 1)];
}

static void push(struct ring *r, unsigned int op, unsigned int flags,
		 uint64_t user_data)
{
	struct wsq_sqe sqe = {
		.op = op,
		.flags = flags,
		.len = op == WSQ_OP_SHA256 ? LONG : 0,
		.user_data = user_data,
	};

	ring_push(r, &sqe);
}

static const struct {
	int err;
	unsigned int flags;
	uint64_t what;
} wrong[] = {
	{ -EINVAL, 0, 0 },
	{ -EINVAL, 8, 0 },
	{ -EINVAL, WSQ_CANCEL_ID | WSQ_CANCEL_ALL, 0 },
	{ -EINVAL, WSQ_CANCEL_ID | WSQ_CANCEL_USER_DATA, 0 },
	{ -EINVAL, WSQ_CANCEL_ALL, 1 },
	{ -EINVAL, 1U << 31, 0 },
	{ -ENOENT, WSQ_CANCEL_ALL, 0 },
	{ -ENOENT, WSQ_CANCEL_USER_DATA, 0 },
	{ -ENOENT, WSQ_CANCEL_USER_DATA, -1ULL },
	{ -ENOENT, WSQ_CANCEL_ID, 0 },
	{ -ENOENT, WSQ_CANCEL_ID, 7 },
	{ -ENOENT, WSQ_CANCEL_ID, 0xffff },
	{ -ENOENT, WSQ_CANCEL_ID, 1 << 16 },
	{ -ENOENT, WSQ_CANCEL_ID, -1ULL },
};

static void refused(void)
{
	struct wsq_cancel c;
	unsigned int i;
	struct ring r;
	int fd;

	ring_open(&r, 8, 0, 0);
	/* A request that has been used before. */
	ring_push_nop(&r, 0);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	ring_take(&r);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		test_at("wrong", i);
		EXPECT_EQ(cancel(&r, wrong[i].flags, wrong[i].what, &c),
			  wrong[i].err);
		EXPECT_EQ(c.cancelled, 0);
		EXPECT_EQ(c.running, 0);
	}
	c.size = 8;
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_CANCEL, &c), EINVAL);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_CANCEL, NULL), EFAULT);
	fd = dev_open();
	c = (struct wsq_cancel) { .size = sizeof(c), .flags = WSQ_CANCEL_ALL };
	EXPECT_ERR(ioctl(fd, WSQ_IOC_CANCEL, &c), EINVAL);
	ring_close(&r);
}

/*
 * Fills all requests behind a long task, looks for @id, cancels all. False if
 * the long task, and so others, had ended by then.
 */
static bool all_taken(struct ring *r, uint64_t id)
{
	unsigned int i, ran = 0;
	struct wsq_cancel c;

	push(r, WSQ_OP_SHA256, 0, 0);
	for (i = 1; i < r->s.cq_entries; i++) {
		push(r, WSQ_OP_NOP, i == 1 ? WSQ_SQE_DRAIN : 0, i);
		if (i % 8 == 7) {
			EXPECT_EQ(ring_enter(r, 8, 0, 0), 0);
			EXPECT_EQ(r->e.submitted, 8);
		}
	}
	EXPECT_EQ(cancel(r, WSQ_CANCEL_ID, id, &c), -ENOENT);
	cancel(r, WSQ_CANCEL_ALL, 0, &c);
	EXPECT_EQ(ring_enter(r, 0, r->s.cq_entries, TIMEOUT_S), 0);
	for (i = 0; i < r->s.cq_entries; i++)
		ran += ring_take(r).res != -ECANCELED;
	/* A task that has begun may succeed, and start one cancelled last. */
	EXPECT(c.cancelled <= r->s.cq_entries - ran);
	return c.cancelled + c.running == r->s.cq_entries;
}

/*
 * Cancels a chain behind a long task on the same CPU by the user_data that all
 * of it has. Returns how many were counted; 0 if some had begun.
 */
static unsigned int chain_back(struct ring *r)
{
	struct wsq_sqe sqe = {
		.op = WSQ_OP_SHA256,
		.flags = WSQ_SQE_CPU,
		.len = LONG,
		.user_data = 1,
	};
	struct wsq_cancel c, rest;
	unsigned int i, back = 0;

	ring_push(r, &sqe);
	sqe.op = WSQ_OP_NOP;
	sqe.len = 0;
	sqe.user_data = 2;
	for (i = 0; i < 3; i++) {
		sqe.flags = WSQ_SQE_CPU | (i < 2 ? WSQ_SQE_LINK : 0);
		ring_push(r, &sqe);
	}
	EXPECT_EQ(ring_enter(r, 4, 0, 0), 0);
	EXPECT_EQ(r->e.submitted, 4);
	cancel(r, WSQ_CANCEL_USER_DATA, 2, &c);
	cancel(r, WSQ_CANCEL_ALL, 0, &rest);
	EXPECT_EQ(ring_enter(r, 0, 4, TIMEOUT_S), 0);
	for (i = 0; i < 4; i++) {
		struct wsq_cqe cqe = ring_take(r);

		back += cqe.user_data == 2 && cqe.res == -ECANCELED;
	}
	EXPECT(c.cancelled <= back);
	return back == 3 && !c.running ? c.cancelled : 0;
}

/* All tasks that do not run are counted, unless the first had begun. */
static void chain(void)
{
	unsigned int tries, nr, back = 0, all = 0;
	struct ring r;

	ring_open_ids(&r, 8, LONG + 4096);
	for (tries = 0; tries < 1000 && (back < 10 || all < 5); tries++) {
		nr = chain_back(&r);
		back += nr > 0;
		all += nr == 3;
	}
	printf("# %u of %u in %u\n", all, back, tries);
	ring_close(&r);
	if (back < 10)
		SKIP("in time in %u of %u tries", back, tries);
	EXPECT(all >= 5);
}

/* Cancels a task that has not begun. False if it has by now, or has ended. */
static bool one_back(struct ring *r, unsigned int flags, uint64_t what)
{
	struct wsq_cancel c;
	int ret = cancel(r, flags, what, &c);

	if (ret == -ENOENT || ret == -EALREADY)
		return false;
	EXPECT_EQ(ret, 0);
	EXPECT_EQ(c.cancelled, 1);
	EXPECT_EQ(c.running, 0);
	return true;
}

/*
 * Tasks that wait behind long ones: each is cancelled in its own way. False if
 * the long ones had ended by then. @id: set to that of a cancelled one.
 */
static bool by_each_name(struct ring *r, uint64_t *id)
{
	enum { LONGS = 8 };
	int64_t res[6] = { 99, 99, 99, 99, 99, 99 };
	uint64_t first = r->tail;
	struct wsq_cancel c;
	unsigned int i;
	bool in_time;

	for (i = 0; i < LONGS; i++)
		push(r, WSQ_OP_SHA256, 0, 0);
	push(r, WSQ_OP_NOP, WSQ_SQE_DRAIN, 1);
	push(r, WSQ_OP_NOP, WSQ_SQE_LINK, 2);
	push(r, WSQ_OP_NOP, 0, 3);
	push(r, WSQ_OP_NOP, 0, 4);
	push(r, 0x7777, 0, 5);
	EXPECT_EQ(ring_enter(r, LONGS + 5, 0, 0), 0);
	*id = id_of(r, first + LONGS + 3);
	EXPECT_EQ(id_of(r, first + LONGS + 4), 0);

	/* The task linked behind the second goes with it. */
	in_time = one_back(r, WSQ_CANCEL_ID, *id) &&
		  one_back(r, WSQ_CANCEL_USER_DATA, 2);
	/* A task that fails reports its own error, not its cancellation. */
	EXPECT_EQ(cancel(r, WSQ_CANCEL_USER_DATA, 5, &c), -ENOENT);
	/* Some of the long ones have begun. */
	cancel(r, WSQ_CANCEL_USER_DATA, 0, &c);
	in_time = in_time && c.cancelled + c.running > 0;

	EXPECT_EQ(ring_enter(r, 0, LONGS + 5, TIMEOUT_S), 0);
	for (i = 0; i < LONGS + 5; i++) {
		struct wsq_cqe cqe = ring_take(r);

		EXPECT(cqe.user_data < 6);
		if (!cqe.user_data) {
			EXPECT(cqe.res == -ECANCELED || cqe.res == 32);
			EXPECT(i < LONGS);
			continue;
		}
		EXPECT_EQ(res[cqe.user_data], 99);
		res[cqe.user_data] = cqe.res;
	}
	if (!in_time)
		return false;
	EXPECT_EQ(res[1], 0);
	EXPECT_EQ(res[2], -ECANCELED);
	EXPECT_EQ(res[3], -ECANCELED);
	EXPECT_EQ(res[4], -ECANCELED);
	EXPECT_EQ(res[5], -EOPNOTSUPP);
	return true;
}

static void by_name(void)
{
	struct wsq_cancel c;
	unsigned int i;
	struct ring r;
	uint64_t id;

	ring_open_ids(&r, 16, LONG);
	for (i = 0; i < TRIES && !by_each_name(&r, &id); i++)
		;
	if (i == TRIES)
		SKIP("the long tasks had ended in each try");

	/* Ids are not reused: that one is gone, whatever is in its slot. */
	for (i = 0; i < 64; i++) {
		push(&r, WSQ_OP_NOP, 0, i);
		EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
		EXPECT_EQ(ring_take(&r).res, 0);
		EXPECT_EQ(cancel(&r, WSQ_CANCEL_ID, id, &c), -ENOENT);
		EXPECT(id_of(&r, r.tail - 1) != id);
	}
	/* Not even while all are in use, unless this CPU was lost for long. */
	for (i = 0; i < TRIES && !all_taken(&r, id); i++)
		;
	ring_close(&r);
	if (i == TRIES)
		SKIP("the long task had ended in each try");
}

/* A task that has begun cannot be cancelled, but stops soon. */
static void begun(void)
{
	struct wsq_cancel c;
	unsigned int i;
	struct ring r;
	int ret = 0;

	ring_open(&r, 1, 0, LONG);
	for (i = 0; i < 200 && ret != -EALREADY; i++) {
		int64_t res;

		push(&r, WSQ_OP_SHA256, 0, i);
		EXPECT_EQ(ring_enter(&r, 1, 0, 0), 0);
		usleep(i * 50);
		ret = cancel(&r, WSQ_CANCEL_USER_DATA, i, &c);
		EXPECT_EQ(ring_enter(&r, 0, 1, TIMEOUT_S), 0);
		res = ring_take(&r).res;
		switch (ret) {
		case 0:
			EXPECT_EQ(c.cancelled, 1);
			EXPECT_EQ(c.running, 0);
			EXPECT_EQ(res, -ECANCELED);
			break;
		case -EALREADY:
			EXPECT_EQ(c.cancelled, 0);
			EXPECT_EQ(c.running, 1);
			/* Unless it was in its last part. */
			EXPECT(res == -ECANCELED || res == 32);
			break;
		default:
			EXPECT_EQ(ret, -ENOENT);
			EXPECT_EQ(res, 32);
		}
	}
	ring_close(&r);
	if (ret != -EALREADY)
		SKIP("no CANCEL came while a task ran");
}

/*
 * More than there are CPUs, so that some have begun and some have not. Those not
 * begun do not run. False if all had ended by then.
 */
static bool all_once(struct ring *r)
{
	enum { NR = 64 };
	struct wsq_cancel c;
	unsigned int i, calls = 0, ran = 0;
	int ret;

	for (i = 0; i < NR; i++)
		push(r, WSQ_OP_SHA256, i % 8 == 3 ? WSQ_SQE_LINK : 0, i);
	EXPECT_EQ(ring_enter(r, NR, 0, 0), 0);
	usleep(1000);
	ret = cancel(r, WSQ_CANCEL_ALL, 0, &c);
	EXPECT(!ret || ret == -ENOENT || ret == -EALREADY);
	EXPECT(c.cancelled + c.running <= NR);
	EXPECT_EQ(ring_enter(r, 0, NR, TIMEOUT_S), 0);
	for (i = 0; i < NR; i++) {
		int64_t res = ring_take(r).res;

		calls += res == -ECANCELED;
		ran += res == 32;
	}
	EXPECT_EQ(calls + ran, NR);
	EXPECT(calls >= c.cancelled);
	printf("# %u ran, %u cancelled before and %u while they ran\n", ran,
	       c.cancelled, c.running);
	return c.cancelled > 0;
}

static void all_of_them(void)
{
	unsigned int i;
	struct ring r;

	ring_open(&r, 64, 0, LONG);
	for (i = 0; i < TRIES && !all_once(&r); i++)
		;
	ring_close(&r);
	if (i == TRIES)
		SKIP("all tasks had ended, or begun, in each try");
}

#define TASKS	60000

static struct ring shared;
static unsigned int at_work;
static bool stop;

static void *canceller(void *arg)
{
	uint64_t seed = (uintptr_t)arg + 99;
	struct wsq_cancel c;

	__atomic_add_fetch(&at_work, 1, __ATOMIC_RELAXED);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		switch (rnd(&seed) % 3) {
		case 0:
			cancel(&shared, WSQ_CANCEL_ALL, 0, &c);
			break;
		case 1:
			cancel(&shared, WSQ_CANCEL_USER_DATA, rnd(&seed) % TASKS,
			       &c);
			break;
		default:
			cancel(&shared, WSQ_CANCEL_ID,
			       (1 + rnd(&seed) % TASKS) << 16 | rnd(&seed) % 512, &c);
			break;
		}
		if (rnd(&seed) % 4 == 0)
			usleep(rnd(&seed) % 500);
	}
	return NULL;
}

/* Submission and cancellation at once: each task completes, once. */
static void storm(void)
{
	enum { SQ = 256 };
	static unsigned char seen[TASKS];
	unsigned int pushed = 0, done = 0, cancelled = 0, most = part_of(TASKS);
	uint64_t seed = 5;
	pthread_t t[2];
	struct ring *r = &shared;

	ring_open(r, SQ, 0, 1 << 20);
	EXPECT(!pthread_create(&t[0], NULL, canceller, (void *)1));
	EXPECT(!pthread_create(&t[1], NULL, canceller, (void *)2));
	/* Otherwise all may be over before they begin. */
	while (__atomic_load_n(&at_work, __ATOMIC_RELAXED) < 2)
		usleep(100);
	while (done < pushed || pushed < most) {
		unsigned int n = 0, want = rnd(&seed) % 64;
		struct wsq_cqe *cqe;
		int ret;

		while (n < want && pushed < most && pushed - done < SQ) {
			struct wsq_sqe sqe = {
				.op = rnd(&seed) % 4 ? WSQ_OP_NOP : WSQ_OP_CRC32C,
				.user_data = pushed,
			};

			if (sqe.op == WSQ_OP_CRC32C)
				sqe.len = 1 + rnd(&seed) % (256 << 10);
			if (rnd(&seed) % 4 == 0)
				sqe.flags |= WSQ_SQE_LINK;
			else if (rnd(&seed) % 16 == 0)
				sqe.flags |= WSQ_SQE_DRAIN;
			ring_push(r, &sqe);
			pushed++;
			n++;
		}
		ret = ring_enter(r, n, 0, 0);
		EXPECT_EQ(ret, 0);
		EXPECT_EQ(r->e.submitted, n);
		while ((cqe = ring_peek(r))) {
			EXPECT(cqe->user_data < pushed);
			EXPECT(!seen[cqe->user_data]);
			seen[cqe->user_data] = 1;
			/* A drain behind a link is refused. */
			EXPECT(cqe->res >= 0 || cqe->res == -ECANCELED ||
			       cqe->res == -EINVAL);
			cancelled += cqe->res == -ECANCELED;
			ring_seen(r);
			done++;
		}
		/* All of them, if only one of the two has happened. */
		if (done == most && (!cancelled || cancelled == done))
			most = TASKS;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	printf("# %u tasks, %u cancelled\n", done, cancelled);
	ring_close(r);
	if (!cancelled || cancelled == done)
		SKIP("%u of %u tasks were cancelled", cancelled, done);
}

static void *racing_canceller(void *arg)
{
	struct wsq_cancel c;

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		cancel(&shared, WSQ_CANCEL_ALL, 0, &c);
	return NULL;
}

/*
 * Long chains and rows of drains, which workers launch, against continuous
 * cancellation. Cancelling a task that is just being queued prevents queueing
 * it for a moment, and it must not be lost in between.
 */
static void cancel_race(void)
{
	enum { SQ = 1024, ROUNDS = 400 };
	unsigned int round, i, kept = 0;
	struct ring *r = &shared;
	pthread_t t[2];

	ring_open(r, SQ, 0, 0);
	EXPECT(!pthread_create(&t[0], NULL, racing_canceller, NULL));
	EXPECT(!pthread_create(&t[1], NULL, racing_canceller, NULL));
	for (round = 0; round < part_of(ROUNDS); round++) {
		for (i = 0; i < SQ; i++)
			push(r, WSQ_OP_NOP, round % 2 ? WSQ_SQE_DRAIN :
			     i % 16 < 15 ? WSQ_SQE_LINK : 0, i);
		EXPECT_EQ(ring_enter(r, SQ, SQ, TIMEOUT_S), 0);
		EXPECT_EQ(r->e.submitted, SQ);
		for (i = 0; i < SQ; i++)
			kept += !ring_take(r).res;
		EXPECT(!ring_peek(r));
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	printf("# %u tasks, %u not cancelled\n", round * SQ, kept);
	ring_close(r);
}

static int restrict_to(struct ring *r, const uint32_t *ops, unsigned int nr,
		       unsigned int flags)
{
	struct wsq_restrict x = {
		.size = sizeof(x),
		.nr_ops = nr,
		.ops = (uintptr_t)ops,
		.sqe_flags = flags,
	};

	return ioctl(r->fd, WSQ_IOC_RESTRICT, &x) ? -errno : 0;
}

static void ring_open_disabled(struct ring *r)
{
	memset(r, 0, sizeof(*r));
	r->fd = dev_open();
	r->s = (struct wsq_setup) {
		.size = sizeof(r->s),
		.flags = WSQ_SETUP_DISABLED,
		.sq_entries = 4,
		.arena_size = 4096,
	};
	EXPECT_ERR(ioctl(r->fd, WSQ_IOC_SETUP, &r->s), 0);
	ring_map(r);
}

static void disabled(void)
{
	struct ring r;

	ring_open_disabled(&r);
	ring_push_nop(&r, 1);
	EXPECT_EQ(ring_enter(&r, 1, 0, 0), -EBADFD);
	EXPECT_EQ(r.e.submitted, 0);
	EXPECT_EQ(ring_enter(&r, 0, 1, SEC), -EBADFD);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENABLE, 1), EINVAL);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENABLE, 0), 0);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENABLE, 0), EBADFD);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	EXPECT_EQ(ring_take(&r).res, 0);
	ring_close(&r);
	r.fd = dev_open();
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENABLE, 0), EINVAL);
	close(r.fd);
}

static void restricted(void)
{
	const uint32_t two[] = { WSQ_OP_NOP, WSQ_OP_CRC32C, 0x7777, 1U << 16, -1U };
	const uint32_t other[] = { WSQ_OP_CRC32C, WSQ_OP_COPY };
	struct wsq_sqe nop = { .op = WSQ_OP_NOP };
	struct wsq_sqe linked = { .op = WSQ_OP_CRC32C, .len = 1,
				  .flags = WSQ_SQE_LINK };
	struct wsq_sqe crc = { .op = WSQ_OP_CRC32C, .len = 1 };
	struct wsq_sqe copy = { .op = WSQ_OP_COPY, .len = 1, .dst = 8 };
	struct wsq_sqe drain = { .op = WSQ_OP_CRC32C, .len = 1,
				 .flags = WSQ_SQE_DRAIN };
	struct wsq_restrict x = { .size = sizeof(x), .rsv = 1 };
	struct ring r;

	ring_open_disabled(&r);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_RESTRICT, &x), EINVAL);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_RESTRICT, NULL), EFAULT);
	EXPECT_EQ(restrict_to(&r, two, 1025, 0), -EINVAL);
	EXPECT_EQ(restrict_to(&r, (void *)8, 1, 0), -EFAULT);
	EXPECT_EQ(restrict_to(&r, two, ARRAY_SIZE(two),
			      WSQ_SQE_LINK | WSQ_SQE_DRAIN), 0);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENABLE, 0), 0);
	EXPECT_EQ(ring_do(&r, &nop), 0);
	EXPECT(ring_do(&r, &crc) >= 0);
	EXPECT(ring_do(&r, &linked) >= 0);
	EXPECT(ring_do(&r, &drain) >= 0);
	EXPECT_EQ(ring_do(&r, &copy), -EPERM);
	/* Too late, for better or worse. */
	EXPECT_EQ(restrict_to(&r, other, 2, 0), -EBUSY);
	EXPECT_EQ(ring_do(&r, &nop), 0);
	ring_close(&r);

	/* A second restriction only removes rights. */
	ring_open_disabled(&r);
	EXPECT_EQ(restrict_to(&r, two, ARRAY_SIZE(two), WSQ_SQE_LINK), 0);
	EXPECT_EQ(restrict_to(&r, other, 2, WSQ_SQE_LINK | WSQ_SQE_DRAIN), 0);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENABLE, 0), 0);
	EXPECT_EQ(ring_do(&r, &nop), -EPERM);
	EXPECT(ring_do(&r, &crc) >= 0);
	EXPECT_EQ(ring_do(&r, &copy), -EPERM);
	EXPECT(ring_do(&r, &linked) >= 0);
	EXPECT_EQ(ring_do(&r, &drain), -EPERM);
	ring_close(&r);

	/* Nothing at all. */
	ring_open_disabled(&r);
	EXPECT_EQ(restrict_to(&r, NULL, 0, 0), 0);
	EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENABLE, 0), 0);
	EXPECT_EQ(ring_do(&r, &nop), -EPERM);
	ring_close(&r);

	ring_open(&r, 4, 0, 4096);
	EXPECT_EQ(restrict_to(&r, two, 2, 0), -EBUSY);
	EXPECT_EQ(ring_do(&r, &nop), 0);
	ring_close(&r);
	r.fd = dev_open();
	EXPECT_EQ(restrict_to(&r, two, 2, 0), -EINVAL);
	close(r.fd);
}

static const struct test tests[] = {
	{ "cancel_refused", refused },
	{ "cancel_by_name", by_name },
	{ "cancel_begun", begun },
	{ "cancel_all", all_of_them },
	{ "cancel_chain", chain },
	{ "cancel_storm", storm },
	{ "cancel_race", cancel_race },
	{ "disabled", disabled },
	{ "restricted", restricted },
};

TEST_MAIN(tests)
