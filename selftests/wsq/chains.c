// SPDX-License-Identifier: GPL-2.0
/*
 * Chains of links are taken whole, by ENTER and by the thread of a polled ring,
 * although there are completion entries for a part of them.
 */
#include "wsq_poll.h"

#include <pthread.h>

/*
 * Publishes the pushed entries. From the taken number @from on, the kernel
 * takes those up to @to, and no more.
 */
static void takes(struct ring *r, bool polled, uint64_t from, uint64_t to)
{
	if (polled) {
		submit(r);
		EVENTUALLY(taken(r) >= to);
		/* Give it time for what it must not do. */
		usleep(5000);
	} else {
		EXPECT_EQ(ring_enter(r, UINT32_MAX, 0, 0),
			  from == to ? -EAGAIN : 0);
		EXPECT_EQ(r->e.submitted, to - from);
	}
	EXPECT_EQ(taken(r), to);
}

static const struct {
	struct wsq_sqe sqe;
	int res;
} fails[] = {
	/* Refused; and one that fails when it is run. */
	{ { .op = 0x7777, .flags = WSQ_SQE_LINK }, -EOPNOTSUPP },
	{ { .flags = WSQ_SQE_LINK | WSQ_SQE_DEADLINE, .deadline = 1 }, -ETIME },
	{ { .flags = WSQ_SQE_LINK | WSQ_SQE_DRAIN | WSQ_SQE_DEADLINE,
	    .deadline = 1 }, -ETIME },
	{ { .flags = WSQ_SQE_LINK | WSQ_SQE_DRAIN }, 0 },
};

/*
 * A chain of four behind a single entry, with @room completion entries for the
 * chain. It is taken once there are four, and its result is that of a chain.
 */
static void chain_of_four(bool polled, unsigned int kind, unsigned int room)
{
	enum { CQ = 8, CHAIN = 4 };
	const unsigned int single = CQ - 1 - room, first = single + 1;
	struct wsq_sqe head = fails[kind].sqe;
	struct ring r;
	unsigned int i;

	if (polled)
		poll_open(&r, SECOND, 8, CQ);
	else
		ring_open(&r, 8, CQ, 1 << 16);
	for (i = 0; i < single; i++)
		ring_push_nop(&r, i);
	takes(&r, polled, 0, single);
	ring_push_nop(&r, single);
	head.user_data = first;
	ring_push(&r, &head);
	for (i = 1; i < CHAIN; i++)
		push_op(&r, WSQ_OP_NOP, i + 1 < CHAIN ? WSQ_SQE_LINK : 0,
			first + i);
	takes(&r, polled, single, first);
	for (; room < CHAIN; room++) {
		takes(&r, polled, first, first);
		await(&r);
	}
	takes(&r, polled, first, first + CHAIN);
	while (r.head < first + CHAIN) {
		struct wsq_cqe cqe = await(&r);

		EXPECT_EQ(cqe.res, cqe.user_data < first ? 0 :
				   cqe.user_data == first ? fails[kind].res :
				   fails[kind].res ? -ECANCELED : 0);
	}
	ring_close(&r);
}

static void whole(bool polled)
{
	unsigned int kind, room;

	for (kind = 0; kind < ARRAY_SIZE(fails); kind++) {
		test_at("fails", kind);
		for (room = 0; room < 4; room++)
			chain_of_four(polled, kind, room);
	}
}

static void enter_whole(void)
{
	whole(false);
}

static void poll_whole(void)
{
	whole(true);
}

/* Where the process itself ends a chain: by to_submit, and by sq_tail. */
static void ended(void)
{
	struct ring r;
	unsigned int i;

	ring_open(&r, 8, 8, 0);
	ring_push(&r, &fails[0].sqe);
	push_op(&r, WSQ_OP_NOP, WSQ_SQE_LINK, 1);
	push_op(&r, WSQ_OP_NOP, 0, 2);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	EXPECT_EQ(r.e.submitted, 1);
	EXPECT_EQ(ring_take(&r).res, -EOPNOTSUPP);
	EXPECT_EQ(ring_enter(&r, 2, 2, TIMEOUT_S), 0);
	EXPECT_EQ(r.e.submitted, 2);
	ring_push(&r, &fails[0].sqe);
	EXPECT_EQ(ring_enter(&r, UINT32_MAX, 1, TIMEOUT_S), 0);
	EXPECT_EQ(r.e.submitted, 1);
	push_op(&r, WSQ_OP_NOP, 0, 3);
	EXPECT_EQ(ring_enter(&r, UINT32_MAX, 4, TIMEOUT_S), 0);
	for (i = 0; i < 4; i++) {
		struct wsq_cqe cqe = ring_take(&r);

		EXPECT_EQ(cqe.res, cqe.user_data ? 0 : -EOPNOTSUPP);
	}
	ring_close(&r);
}

/*
 * Chains of three: fill a range, copy it, checksum of the copy. Each chain has
 * ranges of its own, and a result that depends on its number.
 */
enum { LINKS = 3, RANGE = 2048, SLOTS = 16 };

struct worker {
	struct ring r;
	pthread_mutex_t lock;	/* of the ring's cursors */
	uint32_t want[256];
	bool busy[SLOTS];
	uint8_t value[SLOTS];
	uint8_t left[SLOTS];
	unsigned int begun, chains;
	unsigned int cut, again, wrong, failed;
	uint64_t submitted;
};

static void worker_open(struct worker *w, bool polled, unsigned int sq,
			unsigned int cq, unsigned int chains)
{
	uint8_t bytes[RANGE];
	unsigned int i;

	memset(w, 0, sizeof(*w));
	pthread_mutex_init(&w->lock, NULL);
	for (i = 0; i < 256; i++) {
		memset(bytes, i, RANGE);
		w->want[i] = ref_crc32c(0, bytes, RANGE);
	}
	w->chains = chains;
	if (polled)
		poll_open(&w->r, SECOND, sq, cq);
	else
		ring_open(&w->r, sq, cq, 2 * SLOTS * RANGE);
}

/* One chain, if there is space for it in the submission queue. */
static bool chain_push(struct worker *w, unsigned int slot)
{
	const uint64_t from = slot * 2 * RANGE, to = from + RANGE;
	const uint8_t value = w->begun;
	struct wsq_sqe sqe[LINKS] = {
		{ .op = WSQ_OP_FILL, .dst = from, .len = RANGE,
		  .arg = value * 0x0101010101010101ULL },
		{ .op = WSQ_OP_COPY, .src = from, .dst = to, .len = RANGE },
		{ .op = WSQ_OP_CRC32C, .src = to, .len = RANGE },
	};
	unsigned int i;

	if (w->r.tail - taken(&w->r) + LINKS > w->r.s.sq_entries)
		return false;
	/* Every eighth waits for all before it. */
	sqe[0].flags = w->begun % 8 ? 0 : WSQ_SQE_DRAIN;
	for (i = 0; i < LINKS; i++) {
		if (i + 1 < LINKS)
			sqe[i].flags |= WSQ_SQE_LINK;
		sqe[i].user_data = slot * LINKS + i;
		ring_push(&w->r, &sqe[i]);
	}
	w->value[slot] = value;
	w->left[slot] = LINKS;
	w->busy[slot] = true;
	w->begun++;
	return true;
}

static void chains_push(struct worker *w)
{
	unsigned int i;

	for (i = 0; i < SLOTS && w->begun < w->chains; i++)
		if (!w->busy[i] && !chain_push(w, i))
			break;
	publish(&w->r);
}

static unsigned int chains_reap(struct worker *w)
{
	struct wsq_cqe *cqe;
	unsigned int n = 0;

	for (; (cqe = ring_peek(&w->r)); n++) {
		unsigned int slot = cqe->user_data / LINKS;

		EXPECT(slot < SLOTS && w->left[slot]);
		if (cqe->res < 0)
			w->failed++;
		else if (cqe->user_data % LINKS == LINKS - 1)
			w->wrong += (uint32_t)cqe->res !=
				    w->want[w->value[slot]];
		w->busy[slot] = --w->left[slot];
		ring_seen(&w->r);
	}
	return n;
}

static bool worker_done(const struct worker *w)
{
	return w->begun == w->chains && w->r.head == w->r.tail;
}

static void worker_check(struct worker *w)
{
	printf("# %u chains: %u wrong, %u cut; EAGAIN %u times\n", w->chains,
	       w->wrong, w->cut, w->again);
	EXPECT_EQ(w->wrong, 0);
	EXPECT_EQ(w->cut, 0);
	EXPECT_EQ(w->failed, 0);
	ring_close(&w->r);
}

/*
 * Reads completions only when the kernel takes no more: then the entries that
 * are left cannot be a multiple of the chain's length.
 */
static void results(bool polled)
{
	static struct worker w;

	worker_open(&w, polled, 32, 32, part_of(3000));
	while (!worker_done(&w)) {
		uint64_t ready, before = taken(&w.r);
		int ret = 0;

		chains_push(&w);
		ready = w.r.tail - before;
		if (polled) {
			submit(&w.r);
		} else if (ready) {
			ret = ring_enter(&w.r, UINT32_MAX, 0, 0);
			EXPECT(!ret || ret == -EAGAIN);
			w.submitted += w.r.e.submitted;
			w.cut += w.r.e.submitted % LINKS != 0;
			w.again += ret == -EAGAIN;
		}
		if (!polled && w.begun < w.chains && w.r.e.submitted == ready &&
		    ready)
			continue;
		/* Completions may come before the thread moves sq_head. */
		while (!chains_reap(&w) && w.r.head != w.r.tail)
			usleep(50);
	}
	if (!polled)
		EXPECT_EQ(w.submitted, w.chains * LINKS);
	worker_check(&w);
}

static void enter_results(void)
{
	results(false);
}

static void poll_results(void)
{
	results(true);
}

/*
 * Two threads submit to one ring. Each publishes whole chains, and calls ENTER
 * without the lock: either call may take the chains of both.
 */
static void *submitter(void *arg)
{
	struct worker *w = arg;
	bool done = false;

	while (!done) {
		struct wsq_enter e = {
			.size = sizeof(e), .to_submit = UINT32_MAX,
		};
		int ret;

		pthread_mutex_lock(&w->lock);
		chains_push(w);
		pthread_mutex_unlock(&w->lock);
		ret = ioctl(w->r.fd, WSQ_IOC_ENTER, &e) ? errno : 0;
		EXPECT(!ret || ret == EAGAIN);
		pthread_mutex_lock(&w->lock);
		w->submitted += e.submitted;
		w->cut += e.submitted % LINKS != 0;
		w->again += ret == EAGAIN;
		/* Only if there is no space: the queue fills up. */
		if (ret || w->begun == w->chains)
			chains_reap(w);
		done = worker_done(w);
		pthread_mutex_unlock(&w->lock);
		sched_yield();
	}
	return NULL;
}

static void two_threads(void)
{
	static struct worker w;
	pthread_t other;

	worker_open(&w, false, 32, 32, part_of(3000));
	EXPECT_ERR(pthread_create(&other, NULL, submitter, &w), 0);
	submitter(&w);
	pthread_join(other, NULL);
	EXPECT_EQ(w.submitted, w.chains * LINKS);
	worker_check(&w);
}

static const struct test tests[] = {
	{ "chains_enter", enter_whole },
	{ "chains_poll", poll_whole },
	{ "chains_ended", ended },
	{ "chains_enter_results", enter_results },
	{ "chains_poll_results", poll_results },
	{ "chains_two_threads", two_threads },
};

TEST_MAIN(tests)
