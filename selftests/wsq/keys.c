// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks of one key: one at a time, in order. A completion is counted while its
 * task is still the running one, so completion entries of a key are in its
 * order.
 */
#include "wsq_done.h"
#include "wsq_keys.h"

#include <pthread.h>
#include <sys/sysinfo.h>

#define LONG	(16U << 20)
#define KEY	WSQ_SQE_KEY

static void ring_open_keys(struct ring *r, unsigned int sq, unsigned int cq,
			   uint64_t arena)
{
	ring_make_flags(r, dev_open(), WSQ_SETUP_KEYS | WSQ_SETUP_IDS, sq, cq,
			arena);
}

static void push(struct ring *r, unsigned int op, unsigned int flags,
		 uint64_t key, uint64_t user_data)
{
	struct wsq_sqe sqe = {
		.op = op,
		.flags = flags,
		.key = key,
		.user_data = user_data,
	};

	if (op == WSQ_OP_SHA256)
		sqe.len = r->s.arena_bytes < LONG ? r->s.arena_bytes : LONG;
	if (flags & WSQ_SQE_DEADLINE)
		sqe.deadline = 1;
	ring_push(r, &sqe);
}

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

/* The id of submission @k. */
static uint64_t id_of(const struct ring *r, uint64_t k)
{
	const uint64_t *ids = (void *)((char *)r->page + r->s.ids_off);

	EXPECT(__atomic_load_n(&r->page->sq_head, __ATOMIC_ACQUIRE) > k);
	return ids[k & (r->s.sq_entries - 1)];
}

static uint64_t memory_of(unsigned int flags, unsigned int sq)
{
	struct wsq_query q = {
		.size = sizeof(q),
		.sq_entries = sq,
		.setup_flags = flags,
	};
	int fd = dev_open();

	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT(q.features & WSQ_FEAT_KEYS);
	close(fd);
	return q.memory;
}

static const struct {
	int res;
	int res_without;	/* on a ring without keys */
	struct wsq_sqe sqe;
} rows[] = {
	{ 0, -EINVAL, { .flags = KEY } },
	{ 0, -EINVAL, { .flags = KEY, .key = 1 } },
	{ 0, -EINVAL, { .flags = KEY, .key = ~0ULL } },
	{ 0, -EINVAL, { .flags = KEY | WSQ_SQE_LINK, .key = 1 } },
	{ 0, -EINVAL, { .flags = KEY | WSQ_SQE_DRAIN, .key = 1 } },
	{ 0, -EINVAL, { .flags = KEY | WSQ_SQE_CPU, .key = 1 } },
	{ 0, -EINVAL, { .flags = KEY | WSQ_SQE_NODE, .key = 1 } },
	{ -ETIME, -EINVAL, { .flags = KEY | WSQ_SQE_DEADLINE, .deadline = 1 } },
	{ -EINVAL, -EINVAL, { .key = 1 } },
	{ -EINVAL, -EINVAL, { .key = 1ULL << 63 } },
	{ -EINVAL, -EINVAL, { .flags = WSQ_SQE_CPU, .key = 1 } },
	{ -EINVAL, -EINVAL, { .flags = KEY, .hint = 1 } },
	{ -EINVAL, -EINVAL, { .flags = KEY | WSQ_SQE_CPU, .hint = -1U } },
	{ -EINVAL, -EINVAL, { .flags = KEY | WSQ_SQE_NODE, .hint = 1 << 30 } },
	{ -EINVAL, -EINVAL, { .flags = KEY | WSQ_SQE_NODE | WSQ_SQE_CPU } },
	{ -EINVAL, -EINVAL, { .flags = KEY, .deadline = 1 } },
	{ -EOPNOTSUPP, -EOPNOTSUPP, { .op = 0x7777, .flags = KEY } },
	{ -E2BIG, -EINVAL, { .op = WSQ_OP_CRC32C, .flags = KEY, .len = -1 } },
	{ -EFAULT, -EINVAL, { .op = WSQ_OP_CRC32C, .flags = KEY, .len = 1,
			      .src = 1 << 20 } },
};

static void refused(void)
{
	const uint32_t nop = WSQ_OP_NOP;
	struct wsq_restrict x = {
		.size = sizeof(x),
		.nr_ops = 1,
		.ops = (uintptr_t)&nop,
	};
	struct ring with, without;
	unsigned int i;

	ring_open_keys(&with, 2, 0, 4096);
	ring_open(&without, 2, 0, 4096);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		test_at("rows", i);
		EXPECT_EQ(ring_do(&with, &rows[i].sqe), rows[i].res);
		EXPECT_EQ(ring_do(&without, &rows[i].sqe),
			  rows[i].res_without);
	}
	ring_close(&with);
	ring_close(&without);

	for (i = 0; i < 2; i++) {
		test_at("restricted", i);
		ring_make_flags(&with, dev_open(),
				WSQ_SETUP_KEYS | WSQ_SETUP_DISABLED, 2, 0, 0);
		x.sqe_flags = i ? KEY : 0;
		EXPECT_ERR(ioctl(with.fd, WSQ_IOC_RESTRICT, &x), 0);
		EXPECT_ERR(ioctl(with.fd, WSQ_IOC_ENABLE, 0), 0);
		EXPECT_EQ(ring_do(&with, &rows[1].sqe), i ? 0 : -EPERM);
		ring_close(&with);
	}

	/* Two serials of 96 bytes for each completion entry, at least. */
	test_at("memory", 0);
	EXPECT(memory_of(WSQ_SETUP_KEYS, 256) - memory_of(0, 256) >=
	       2 * 512 * 96);
	EXPECT(memory_of(WSQ_SETUP_KEYS, 32768) - memory_of(0, 32768) >=
	       2 * 65536 * 96);
}

/*
 * Each task of a key continues from what the one before has written, while
 * others of the batch run anywhere.
 */
static void data_order(void)
{
	enum { KEYS = 16, PER_KEY = 16, ROUNDS = 16 };
	const unsigned int nr = KEYS * PER_KEY;
	static struct strand s[KEYS];
	unsigned int round, i, k;
	uint64_t seed = 21;
	struct ring r;

	ring_open_keys(&r, nr, 0, KEYS * STRAND_BYTES);
	for (k = 0; k < KEYS; k++)
		strand_init(&s[k], &r, k * STRAND_BYTES, k);
	for (round = 0; round < ROUNDS; round++) {
		test_at("round", round);
		/* Either one key after the other, or interleaved. */
		for (i = 0; i < nr; i++)
			strand_push(&s[round % 2 ? i % KEYS : i / PER_KEY], &r,
				    rnd(&seed) % 2, 0, 0, i);
		EXPECT_EQ(ring_enter(&r, nr, nr, TIMEOUT_S), 0);
		for (i = 0; i < nr; i++)
			EXPECT_EQ(ring_take(&r).res, STRAND_CELL);
		for (k = 0; k < KEYS; k++)
			strand_check(&s[k], &r);
	}
	ring_close(&r);
}

/* Tasks of each key that were submitted and not completed yet, in order. */
enum { BOOK = 4096, BOOK_KEYS = 64, NO_KEY = BOOK_KEYS };

struct book {
	uint32_t key[BOOK];		/* by number & (BOOK - 1) */
	bool open[BOOK];
	uint64_t last[BOOK_KEYS];	/* number + 1 that completed last */
	uint64_t oldest;		/* all before have completed */
	uint64_t done;
};

/* Is @nr's entry of the book still used by an older task? */
static bool book_full(struct book *b, uint64_t nr)
{
	while (b->oldest < nr && !b->open[b->oldest % BOOK])
		b->oldest++;
	return nr - b->oldest >= BOOK;
}

static void book_add(struct book *b, uint64_t nr, uint32_t key)
{
	EXPECT(!b->open[nr % BOOK]);
	b->open[nr % BOOK] = true;
	b->key[nr % BOOK] = key;
}

/* Records a completion: exactly once, and in its key's order. */
static void book_done(struct book *b, uint64_t nr)
{
	uint32_t key = b->key[nr % BOOK];

	EXPECT(b->open[nr % BOOK]);
	b->open[nr % BOOK] = false;
	b->done++;
	if (key == NO_KEY)
		return;
	EXPECT(key < BOOK_KEYS);
	EXPECT(b->last[key] <= nr);
	b->last[key] = nr + 1;
}

/* Numbers that differ in neither the lowest nor the highest bits. */
static uint64_t key_of(uint32_t key)
{
	return key % 2 ? (uint64_t)key << 58 : ~(uint64_t)key << 20;
}

/* A ring that several threads use: fill entries, call ENTER, read. */
struct crowd {
	struct ring r;
	struct book book;
	pthread_mutex_t fill;
	pthread_mutex_t read;
	uint64_t seed;
	uint64_t pushed;
	uint64_t most;
	unsigned int calls;
};

static void crowd_fill(struct crowd *w)
{
	unsigned int n = rnd(&w->seed) % 32;
	uint64_t room;

	/* Readers move on in the meantime. */
	room = __atomic_load_n(&w->r.page->sq_head, __ATOMIC_ACQUIRE) +
	       w->r.s.sq_entries - w->r.tail;
	while (n-- && room-- && !book_full(&w->book, w->pushed)) {
		uint32_t key = rnd(&w->seed) % BOOK_KEYS;
		struct wsq_sqe sqe = {
			.op = rnd(&w->seed) % 4 ? WSQ_OP_NOP : WSQ_OP_CRC32C,
			.flags = KEY,
			.key = key_of(key),
			.user_data = w->pushed,
		};

		/* Half of the time one key has most of the work. */
		if (rnd(&w->seed) % 2) {
			key = w->pushed >> 12 & 3;
			sqe.key = key_of(key);
		}
		if (sqe.op == WSQ_OP_CRC32C)
			sqe.len = 1 + rnd(&w->seed) % (32 << 10);
		if (rnd(&w->seed) % 16 == 0)
			sqe.flags |= WSQ_SQE_NODE;
		else if (rnd(&w->seed) % 8 == 0)
			sqe.flags |= WSQ_SQE_CPU;
		if (sqe.flags & WSQ_SQE_CPU)
			sqe.hint = rnd(&w->seed) % get_nprocs_conf();
		book_add(&w->book, w->pushed++, key);
		ring_push(&w->r, &sqe);
	}
	__atomic_store_n(&w->r.page->sq_tail, w->r.tail, __ATOMIC_RELEASE);
}

static void crowd_read(struct crowd *w)
{
	struct wsq_cqe *cqe;

	while ((cqe = ring_peek(&w->r))) {
		EXPECT(cqe->res >= 0);
		/* The thread that fills entries also writes the book. */
		pthread_mutex_lock(&w->fill);
		book_done(&w->book, cqe->user_data);
		pthread_mutex_unlock(&w->fill);
		ring_seen(&w->r);
	}
}

static void *crowd_member(void *arg)
{
	struct crowd *w = arg;
	bool more = true;

	do {
		struct wsq_enter e = { .size = sizeof(e), .to_submit = 64 };

		pthread_mutex_lock(&w->fill);
		if (w->pushed < w->most)
			crowd_fill(w);
		pthread_mutex_unlock(&w->fill);
		if (ioctl(w->r.fd, WSQ_IOC_ENTER, &e))
			EXPECT_EQ(errno, EAGAIN);
		pthread_mutex_lock(&w->read);
		crowd_read(w);
		w->calls++;
		pthread_mutex_unlock(&w->read);
		pthread_mutex_lock(&w->fill);
		more = w->pushed < w->most || w->book.done < w->pushed;
		pthread_mutex_unlock(&w->fill);
	} while (more);
	return NULL;
}

/* Several rings at once, several threads at each, the same keys in all. */
static void crowds(void)
{
	enum { RINGS = 3, THREADS = 3, CROWD_TASKS = 12000 };
	static struct crowd w[RINGS];
	pthread_t t[RINGS][THREADS];
	unsigned int i, k;

	for (i = 0; i < RINGS; i++) {
		ring_open_keys(&w[i].r, 256, i ? 512 : 256, 32 << 10);
		pthread_mutex_init(&w[i].fill, NULL);
		pthread_mutex_init(&w[i].read, NULL);
		w[i].seed = 77 + i;
		w[i].most = part_of(CROWD_TASKS);
		for (k = 0; k < THREADS; k++)
			EXPECT(!pthread_create(&t[i][k], NULL, crowd_member,
					       &w[i]));
	}
	for (i = 0; i < RINGS; i++) {
		for (k = 0; k < THREADS; k++)
			pthread_join(t[i][k], NULL);
		printf("# %llu tasks in %u calls\n",
		       (unsigned long long)w[i].book.done, w[i].calls);
		ring_close(&w[i].r);
	}
}

/* A busy key does not make other keys, or tasks without one, wait. */
static void beside(void)
{
	struct ring r;
	unsigned int i, turn;

	ring_open_keys(&r, 16, 0, LONG);
	for (turn = 0; turn < TRIES; turn++) {
		for (i = 0; i < BESIDE_LONGS; i++)
			push(&r, WSQ_OP_SHA256, KEY, 1, 0);
		push(&r, WSQ_OP_NOP, KEY, 2, 1);
		push(&r, WSQ_OP_NOP, 0, 0, 2);
		EXPECT_EQ(ring_enter(&r, BESIDE_LONGS + 2, BESIDE_LONGS + 2,
				     TIMEOUT_S), 0);
		if (went_beside(&r))
			break;
	}
	EXPECT(turn < TRIES);
	ring_close(&r);
}

/* Keys run in parallel, each of them on one CPU at a time. */
static void parallel(void)
{
	enum { KEYS = 4, PER_KEY = 8 };
	struct ring r;
	unsigned int i, turn;

	if (get_nprocs() < 2)
		SKIP("one CPU");
	ring_open_keys(&r, KEYS * PER_KEY, 0, LONG);
	for (turn = 0; turn < TRIES; turn++) {
		for (i = 0; i < KEYS * PER_KEY; i++)
			push(&r, WSQ_OP_SHA256, KEY, i % KEYS, i);
		EXPECT_EQ(ring_enter(&r, KEYS * PER_KEY, KEYS * PER_KEY,
				     TIMEOUT_S), 0);
		if (had_several_cpus(&r, KEYS * PER_KEY))
			break;
	}
	EXPECT(turn < TRIES);
	ring_close(&r);
}

/* Cancelled while it waits behind others of its key, runs, is held back. */
static void cancelled(void)
{
	enum { NR = 10 };
	const int64_t want[NR] = {
		[2] = -ECANCELED, [3] = -ECANCELED, [5] = -ECANCELED,
		[6] = -ECANCELED, [8] = -ECANCELED,
	};
	/* 2 twice: it has not completed, and is not running. 3 by its id. */
	static const unsigned int which[] = { 2, 2, 3, 5, 8 };
	unsigned int i, round, in_time = 0;
	struct wsq_cancel c;
	struct ring r;
	uint64_t id;
	int64_t res;
	int ret;

	ring_open_keys(&r, 16, 16, LONG);
	for (round = 0; round < 20 || (!in_time && round < TRIES); round++) {
		uint64_t base = r.tail;
		int64_t got[NR];
		unsigned int last = 0;

		test_at("round", round);
		push(&r, WSQ_OP_SHA256, KEY, round, 0);
		push(&r, WSQ_OP_NOP, KEY, round, 1);
		push(&r, WSQ_OP_NOP, KEY, round, 2);
		push(&r, WSQ_OP_NOP, KEY, round, 3);
		push(&r, WSQ_OP_NOP, KEY, round, 4);
		/* A task linked behind a cancelled one. */
		push(&r, WSQ_OP_NOP, KEY | WSQ_SQE_LINK, round, 5);
		push(&r, WSQ_OP_NOP, KEY, round, 6);
		push(&r, WSQ_OP_NOP, KEY, round, 7);
		/* Held back, and cancelled there. */
		push(&r, WSQ_OP_NOP, KEY | WSQ_SQE_DRAIN, round, 8);
		push(&r, WSQ_OP_NOP, KEY, round, 9);
		EXPECT_EQ(ring_enter(&r, NR, 0, 0), 0);
		EXPECT_EQ(r.e.submitted, NR);
		id = id_of(&r, base + 3);
		for (i = 0; i < ARRAY_SIZE(which); i++) {
			ret = which[i] == 3 ?
			      cancel(&r, WSQ_CANCEL_ID, id, &c) :
			      cancel(&r, WSQ_CANCEL_USER_DATA, which[i], &c);
			/* It has ended, or is just running. */
			if (ret == -ENOENT || ret == -EALREADY)
				break;
			EXPECT_EQ(ret, 0);
			EXPECT_EQ(c.running, 0);
			EXPECT(c.cancelled == 1 || i == 1);
		}
		if (i < ARRAY_SIZE(which)) {
			/* It was over before we could cancel. */
			cancel(&r, WSQ_CANCEL_ALL, 0, &c);
			EXPECT_EQ(ring_enter(&r, 0, NR, TIMEOUT_S), 0);
			for (i = 0; i < NR; i++)
				ring_take(&r);
			continue;
		}
		in_time++;
		/* The long one may have begun; it is cancelled, too. */
		if (round % 2)
			ret = cancel(&r, WSQ_CANCEL_USER_DATA, 0, &c);
		EXPECT_EQ(ring_enter(&r, 0, NR, TIMEOUT_S), 0);
		for (i = 0; i < NR; i++) {
			struct wsq_cqe cqe = ring_take(&r);

			EXPECT(cqe.user_data < NR);
			/* 6 ends with 5, in its turn. */
			EXPECT(cqe.user_data >= last);
			last = cqe.user_data;
			got[last] = cqe.res;
		}
		res = got[0];
		EXPECT(res == 32 || (round % 2 && res == -ECANCELED));
		for (i = 1; i < NR; i++)
			EXPECT_EQ(got[i], want[i]);
		EXPECT_EQ(cancel(&r, WSQ_CANCEL_ID, id, &c), -ENOENT);
	}
	ring_close(&r);
	if (!in_time)
		SKIP("the long task had ended in each of %u rounds", round);
}

/* The running task stops, and the next of its key runs. */
static void running(void)
{
	struct wsq_cancel c;
	unsigned int i;
	struct ring r;
	int ret = 0;

	ring_open_keys(&r, 2, 0, LONG);
	for (i = 0; i < 200 && ret != -EALREADY; i++) {
		int64_t res;

		push(&r, WSQ_OP_SHA256, KEY, 5, 1);
		push(&r, WSQ_OP_NOP, KEY, 5, 2);
		EXPECT_EQ(ring_enter(&r, 2, 0, 0), 0);
		usleep(i * 50);
		ret = cancel(&r, WSQ_CANCEL_USER_DATA, 1, &c);
		EXPECT_EQ(ring_enter(&r, 0, 2, TIMEOUT_S), 0);
		res = ring_take(&r).res;
		if (ret == 0)
			EXPECT_EQ(res, -ECANCELED);
		else if (ret == -EALREADY)
			EXPECT(res == -ECANCELED || res == 32);
		else
			EXPECT_EQ(ret, -ENOENT);
		EXPECT_EQ(ring_take(&r).res, 0);
	}
	ring_close(&r);
	if (ret != -EALREADY)
		SKIP("no CANCEL came while a task ran");
}

static struct ring shared;
static bool stop;

static void *canceller(void *arg)
{
	uint64_t seed = (uintptr_t)arg + 99;
	struct wsq_cancel c;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		if (rnd(&seed) % 8)
			cancel(&shared, WSQ_CANCEL_ID,
			       (__atomic_load_n(&shared.page->sq_head,
						__ATOMIC_RELAXED) -
				rnd(&seed) % 256) << 16 | rnd(&seed) % 512, &c);
		else
			cancel(&shared, WSQ_CANCEL_ALL, 0, &c);
		if (rnd(&seed) % 4 == 0)
			usleep(rnd(&seed) % 500);
	}
	return NULL;
}

/*
 * Submission and cancellation at once. Every task ends in order, unless it was
 * cancelled while a drain held it, before it had a position.
 */
static void storm_with(unsigned int drains)
{
	enum { SQ = 256, STORM_TASKS = 40000 };
	static struct book book;
	uint64_t seed = 5, most = part_of(STORM_TASKS), pushed = 0;
	unsigned int cancels = 0;
	struct ring *r = &shared;
	pthread_t t[2];

	memset(&book, 0, sizeof(book));
	stop = false;
	ring_open_keys(r, SQ, 0, 256 << 10);
	EXPECT(!pthread_create(&t[0], NULL, canceller, (void *)1));
	EXPECT(!pthread_create(&t[1], NULL, canceller, (void *)2));
	for (;;) {
		bool more = pushed < most ||
			    (!cancels && pushed < 20 * STORM_TASKS);
		unsigned int n = 0, want = more ? rnd(&seed) % 64 : 0;
		struct wsq_cqe *cqe;

		if (!more && book.done == pushed)
			break;

		while (n < want && pushed - book.done < SQ &&
		       !book_full(&book, pushed)) {
			uint32_t key = rnd(&seed) % BOOK_KEYS;
			struct wsq_sqe sqe = {
				.op = rnd(&seed) % 4 ? WSQ_OP_NOP : WSQ_OP_CRC32C,
				.flags = KEY,
				.key = key_of(key),
				.user_data = pushed,
			};

			if (sqe.op == WSQ_OP_CRC32C)
				sqe.len = 1 + rnd(&seed) % (256 << 10);
			if (rnd(&seed) % 64 < drains)
				sqe.flags |= WSQ_SQE_DRAIN;
			book_add(&book, pushed++, key);
			ring_push(r, &sqe);
			n++;
		}
		EXPECT_EQ(ring_enter(r, n, 0, 0), 0);
		EXPECT_EQ(r->e.submitted, n);
		while ((cqe = ring_peek(r))) {
			EXPECT(cqe->res >= 0 || cqe->res == -ECANCELED);
			cancels += cqe->res == -ECANCELED;
			if (drains && cqe->res == -ECANCELED)
				book.key[cqe->user_data % BOOK] = NO_KEY;
			book_done(&book, cqe->user_data);
			ring_seen(r);
		}
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	printf("# %llu tasks, %u cancelled\n", (unsigned long long)pushed,
	       cancels);
	ring_close(r);
	if (!cancels || cancels == pushed)
		SKIP("%u of %u tasks were cancelled", cancels,
		     (unsigned int)pushed);
}

static void storm(void)
{
	storm_with(0);
	storm_with(1);
}

/* Too late in its turn; those behind run nevertheless. */
static void deadline(void)
{
	struct wsq_sqe late = {
		.op = WSQ_OP_NOP,
		.flags = KEY | WSQ_SQE_DEADLINE,
		.key = 9,
	};
	struct ring r;
	unsigned int i;

	ring_open_keys(&r, 4, 0, LONG);
	for (i = 0; i < 10; i++) {
		struct wsq_cqe cqe;

		test_at("round", i);
		push(&r, WSQ_OP_SHA256, KEY, 9, 1);
		late.user_data = 2;
		late.deadline = now_ns() + MSEC;
		ring_push(&r, &late);
		late.user_data = 3;
		late.deadline = ~0ULL;
		ring_push(&r, &late);
		EXPECT_EQ(ring_enter(&r, 3, 3, TIMEOUT_S), 0);
		cqe = ring_take(&r);
		EXPECT_EQ(cqe.user_data, 1);
		EXPECT_EQ(cqe.res, 32);
		cqe = ring_take(&r);
		EXPECT_EQ(cqe.user_data, 2);
		EXPECT_EQ(cqe.res, -ETIME);
		cqe = ring_take(&r);
		EXPECT_EQ(cqe.user_data, 3);
		EXPECT_EQ(cqe.res, 0);
	}
	ring_close(&r);
}

/*
 * Chains and drains of tasks with keys: a task linked behind another runs after
 * it, a drain after all tasks before it. The heads of chains are in their keys'
 * order.
 */
static void with_links(void)
{
	enum { SQ = 256, ROUNDS = 100 };
	static struct {
		uint32_t key;
		bool linked, drains, seen;
	} m[SQ];
	uint64_t seed = 31;
	unsigned int round, nr, i, k;
	struct ring r;

	ring_open_keys(&r, SQ, 0, 64 << 10);
	for (round = 0; round < ROUNDS; round++) {
		bool linked = false;

		test_at("round", round);
		nr = 1 + rnd(&seed) % SQ;
		for (i = 0; i < nr; i++) {
			unsigned int flags = KEY, op = WSQ_OP_NOP;

			m[i].linked = linked;
			m[i].key = rnd(&seed) % 8;
			m[i].drains = !linked && rnd(&seed) % 16 == 0;
			m[i].seen = false;
			if (m[i].drains)
				flags |= WSQ_SQE_DRAIN;
			if (rnd(&seed) % 3 == 0)
				flags |= WSQ_SQE_LINK;
			if (rnd(&seed) % 16 == 0)
				flags |= WSQ_SQE_DEADLINE;
			if (rnd(&seed) % 16 == 0)
				op = WSQ_OP_SHA256;
			linked = flags & WSQ_SQE_LINK;
			push(&r, op, flags, m[i].key, i);
		}
		EXPECT_EQ(ring_enter(&r, nr, nr, TIMEOUT_S), 0);
		EXPECT_EQ(r.e.submitted, nr);
		for (i = 0; i < nr; i++) {
			unsigned int at = ring_take(&r).user_data;

			EXPECT(at < nr);
			EXPECT(!m[at].seen);
			m[at].seen = true;
			if (m[at].linked)
				EXPECT(m[at - 1].seen);
			for (k = 0; k < at && !m[at].linked; k++) {
				if (m[at].drains || (!m[k].linked &&
						     m[k].key == m[at].key))
					EXPECT(m[k].seen);
			}
			for (; k < at; k++)
				if (m[k].drains)
					EXPECT(m[k].seen);
		}
		EXPECT(!ring_peek(&r));
	}
	ring_close(&r);
}

/* A chain whose tasks are all of one key does not wait for itself. */
static void chain_of_one_key(void)
{
	enum { NR = 64 };
	unsigned int i, round;
	struct ring r;

	ring_open_keys(&r, NR, NR, 0);
	for (round = 0; round < 100; round++) {
		for (i = 0; i < NR; i++)
			push(&r, WSQ_OP_NOP, KEY | (i % 16 < 15 ? WSQ_SQE_LINK : 0) |
			     (i % 16 || round % 2 ? 0 : WSQ_SQE_DRAIN), 3, i);
		EXPECT_EQ(ring_enter(&r, NR, NR, TIMEOUT_S), 0);
		for (i = 0; i < NR; i++)
			EXPECT_EQ(ring_take(&r).res, 0);
	}
	ring_close(&r);
}

/*
 * The file is closed while tasks wait behind others of their keys: it does not
 * wait for them.
 */
static void closed(void)
{
	enum { SQ = 256, LEN = 16 << 20 };
	unsigned int i, round, done, least = SQ;
	struct ring r;
	int p[2];

	expect_rings(0);
	for (round = 0; round < 10; round++) {
		EXPECT_ERR(pipe(p), 0);
		ring_open_keys(&r, SQ, 0, LEN + DONE_BYTES);
		done_keep(&r, p[1], LEN);
		for (i = 0; i < SQ; i++)
			done_push(&r, i, LEN, KEY |
				  (i % 8 == 3 ? WSQ_SQE_LINK : 0) |
				  (i == SQ / 2 ? WSQ_SQE_DRAIN : 0), i % 5);
		EXPECT_EQ(ring_enter(&r, SQ, 0, 0), 0);
		EXPECT_EQ(r.e.submitted, SQ);
		ring_close(&r);
		expect_rings(0);
		done = done_count(p[0]);
		if (done < least)
			least = done;
		close(p[0]);
		close(p[1]);
	}
	printf("# %u of %u hashes, or more\n", least, SQ);
	/* Unless this process was away for so long, each time. */
	EXPECT(least < SQ);
	expect_usable();
}

/* Closed while the last of them end, from each end of a chain. */
static void closing(void)
{
	enum { SQ = 8, ROUNDS = 1200 };
	unsigned int i, round;
	struct ring r;

	expect_rings(0);
	for (round = 0; round < part_of(ROUNDS); round++) {
		ring_open_keys(&r, SQ, 0, 0);
		for (i = 0; i < SQ; i++)
			push(&r, WSQ_OP_NOP, KEY |
			     (i + 1 < SQ && round % 2 ? WSQ_SQE_LINK : 0),
			     round % 4 < 2 ? i : 0, i);
		EXPECT_EQ(ring_enter(&r, SQ, round % 3 ? 0 : SQ, TIMEOUT_S), 0);
		if (round % 5 == 0)
			usleep(round % 100);
		ring_close(&r);
	}
	printf("# %u rings\n", round);
	expect_rings(0);
	expect_usable();
}

/* Many more keys than the table can hold, at sizes down to one. */
static void reused(void)
{
	static const unsigned int sq[] = { 1, 1, 2, 4, 64 };
	static const unsigned int cq[] = { 1, 2, 2, 4, 128 };
	enum { REUSED = 20000 };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(sq); i++) {
		uint64_t seed = 3, next = 0, done = 0, most = part_of(REUSED);
		static struct book book;
		struct ring r;

		test_at("sizes", i);
		memset(&book, 0, sizeof(book));
		ring_open_keys(&r, sq[i], cq[i], 0);
		for (;;) {
			/* At least four times as many as it can hold. */
			bool more = next < most || next < 8 * cq[i];
			unsigned int n = more ? sq[i] : 0;
			struct wsq_cqe *cqe;

			if (!more && done == next)
				break;

			if (n > cq[i] - (next - done))
				n = cq[i] - (next - done);
			for (k = 0; k < n && !book_full(&book, next); k++) {
				/* One key stays; the others never return. */
				uint32_t key = rnd(&seed) % 8 == 0;

				push(&r, WSQ_OP_NOP, KEY, key ? 7 :
				     (next + 1) << (i * 12), next);
				book_add(&book, next, key ? 7 : NO_KEY);
				next++;
			}
			EXPECT_EQ(ring_enter(&r, k, k < cq[i] ? 0 : 1, TIMEOUT_S), 0);
			EXPECT_EQ(r.e.submitted, k);
			while ((cqe = ring_peek(&r))) {
				EXPECT_EQ(cqe->res, 0);
				book_done(&book, cqe->user_data);
				ring_seen(&r);
				done++;
			}
		}
		EXPECT(done >= 8 * cq[i]);
		ring_close(&r);
	}
}

/* Any flags, hints and keys: one completion each, and the ring still works. */
static void hostile(void)
{
	const unsigned int known = WSQ_SQE_LINK | WSQ_SQE_DRAIN | KEY |
				   WSQ_SQE_CPU | WSQ_SQE_NODE | WSQ_SQE_DEADLINE;
	unsigned int cpus = get_nprocs_conf(), i;
	uint64_t seed = 8;
	struct ring r;

	ring_open_keys(&r, 4, 0, 0);
	for (i = 0; i < part_of(40000); i++) {
		struct wsq_sqe sqe = {
			.op = WSQ_OP_NOP,
			.flags = rnd(&seed) % 4 ? rnd(&seed) & known :
						  rnd(&seed),
			.hint = rnd(&seed) % 2 ? 0 : rnd(&seed) % 8 ?
				rnd(&seed) % (2 * cpus) : rnd(&seed),
			.key = rnd(&seed) % 4 ? rnd(&seed) : 0,
			.deadline = rnd(&seed) % 2 ? ~0ULL : 0,
			.user_data = rnd(&seed),
		};
		bool cpu = sqe.flags & WSQ_SQE_CPU;
		bool node = sqe.flags & WSQ_SQE_NODE;
		int64_t res;

		/* It has no flag of its own. */
		if (rnd(&seed) % 2 && !(sqe.flags & KEY))
			sqe.key = 0;
		res = ring_do(&r, &sqe);
		if (sqe.flags & ~known || (sqe.key && !(sqe.flags & KEY)) ||
		    (cpu && node) || (sqe.hint && !cpu && !node) ||
		    (sqe.deadline && !(sqe.flags & WSQ_SQE_DEADLINE)))
			EXPECT_EQ(res, -EINVAL);
		else if (!sqe.hint)
			EXPECT_EQ(res, sqe.flags & WSQ_SQE_DEADLINE &&
				  !sqe.deadline ? -ETIME : 0);
		else
			/* It depends on the machine's CPUs and nodes. */
			EXPECT(res == 0 || res == -EINVAL || res == -ETIME);
	}
	ring_close(&r);
}

static const struct test tests[] = {
	{ "keys_refused", refused },
	{ "keys_data", data_order },
	{ "keys_crowds", crowds },
	{ "keys_beside", beside },
	{ "keys_parallel", parallel },
	{ "keys_cancel", cancelled },
	{ "keys_running", running },
	{ "keys_storm", storm },
	{ "keys_deadline", deadline },
	{ "keys_links", with_links },
	{ "keys_chain", chain_of_one_key },
	{ "keys_closed", closed },
	{ "keys_closing", closing },
	{ "keys_reused", reused },
	{ "keys_hostile", hostile },
};

TEST_MAIN(tests)
