// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of kmod/ring: what it refuses and with which errno, next to rows
 * that are just valid; what ops compute; how slots distinguish passes.
 * Tests that need a process are in selftests/wsq.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../ring/complete.h"
#include "../ring/issue.h"
#include "../ring/ring.h"
#include "../ring/setup.h"
#include "../ring/state.h"
#include "../ring/wait.h"
#include "items.h"
#include "ops.h"

#define ARENA	((u64)SZ_16M + SZ_4M)
#define LONGEST	((u64)SZ_16M)
#define TOP_BIT	BIT_ULL(63)

#define ROW(e, ...)	{ .err = (e), .sqe = { __VA_ARGS__ } }
#define NOP(e, ...)	ROW(e, .op = WSQ_OP_NOP, ##__VA_ARGS__)
#define COPY(e, ...)	ROW(e, .op = WSQ_OP_COPY, ##__VA_ARGS__)
#define CRC(e, ...)	ROW(e, .op = WSQ_OP_CRC32C, ##__VA_ARGS__)
#define SHA(e, ...)	ROW(e, .op = WSQ_OP_SHA256, ##__VA_ARGS__)

static const struct {
	int err;
	struct wsq_sqe sqe;
} entries[] = {
	/* An unknown op is reported first, whatever else is wrong. */
	ROW(-EOPNOTSUPP, .op = WSQ_OP_NR),
	ROW(-EOPNOTSUPP, .op = WSQ_OP_NR, .flags = 1),
	ROW(-EOPNOTSUPP, .op = 0x100),
	ROW(-EOPNOTSUPP, .op = 0x7fff),
	ROW(-EOPNOTSUPP, .op = 0x8000),
	ROW(-EOPNOTSUPP, .op = 0xffff),

	NOP(0),
	NOP(0, .user_data = U64_MAX),
	NOP(-EINVAL, .flags = 0x100),
	NOP(-EINVAL, .flags = 0x8000),
	NOP(-EINVAL, .hint = 1),
	NOP(-EINVAL, .hint = BIT(31)),
	NOP(-EINVAL, .key = 1),
	NOP(-EINVAL, .deadline = 1),
	NOP(-EINVAL, .key = TOP_BIT),
	NOP(-EINVAL, .deadline = TOP_BIT),
	/* This check does not know whether the ring has keys. */
	NOP(0, .flags = WSQ_SQE_KEY),
	NOP(0, .flags = WSQ_SQE_KEY, .key = U64_MAX),
	NOP(-EINVAL, .flags = WSQ_SQE_CPU, .key = 1),
	NOP(-EINVAL, .src = 1),
	NOP(-EINVAL, .src = TOP_BIT),
	NOP(-EINVAL, .len = 1),
	NOP(-EINVAL, .len = TOP_BIT),
	NOP(-EINVAL, .dst = 1),
	NOP(-EINVAL, .dst = TOP_BIT),
	NOP(-EINVAL, .arg = 1),
	NOP(-EINVAL, .arg = TOP_BIT),

	COPY(0, .len = 1, .dst = 1),
	COPY(0, .len = 1, .src = 1),
	COPY(-EINVAL, .len = 1, .dst = 1, .flags = 0x100),
	COPY(-EINVAL, .len = 1, .dst = 1, .hint = 1),
	COPY(-EINVAL, .len = 1, .dst = 1, .key = 1),
	COPY(-EINVAL, .len = 1, .dst = 1, .arg = 1),
	COPY(-EINVAL, .len = 1, .dst = 1, .arg = TOP_BIT),
	COPY(-EINVAL, .len = 0, .dst = 1),
	/* Too long comes before outside the arena, and that before overlap. */
	COPY(-E2BIG, .len = LONGEST + 1),
	COPY(-E2BIG, .len = U64_MAX, .src = U64_MAX, .dst = U64_MAX),
	COPY(-E2BIG, .len = TOP_BIT, .dst = 1),
	COPY(-EFAULT, .len = 2, .src = ARENA - 1, .dst = ARENA - 1),
	/* Ends of the arena. */
	COPY(0, .len = SZ_4M, .src = ARENA - SZ_4M),
	COPY(0, .len = SZ_4M, .dst = ARENA - SZ_4M),
	COPY(-EFAULT, .len = SZ_4M, .src = ARENA - SZ_4M + 1),
	COPY(-EFAULT, .len = SZ_4M, .dst = ARENA - SZ_4M + 1),
	COPY(0, .len = 1, .src = ARENA - 1),
	COPY(-EFAULT, .len = 1, .src = ARENA),
	COPY(-EFAULT, .len = 1, .dst = ARENA),
	/* Sums that overflow, to just inside and to zero. */
	COPY(-EFAULT, .len = 1, .src = U64_MAX),
	COPY(-EFAULT, .len = 2, .src = U64_MAX),
	COPY(-EFAULT, .len = LONGEST, .src = U64_MAX - LONGEST + 1),
	COPY(-EFAULT, .len = LONGEST, .src = U64_MAX - LONGEST + 2),
	COPY(-EFAULT, .len = 2, .dst = U64_MAX),
	COPY(-EFAULT, .len = 2, .dst = U64_MAX - 1),
	COPY(-EFAULT, .len = 1, .src = TOP_BIT),
	COPY(-EFAULT, .len = 1, .dst = TOP_BIT),
	/* Overlap by one byte on each side, and none. */
	COPY(-EINVAL, .len = 1),
	COPY(-EINVAL, .len = 64, .src = 1000, .dst = 1000),
	COPY(-EINVAL, .len = 64, .src = 1000, .dst = 1063),
	COPY(-EINVAL, .len = 64, .src = 1000, .dst = 937),
	COPY(0, .len = 64, .src = 1000, .dst = 1064),
	COPY(0, .len = 64, .src = 1000, .dst = 936),
	COPY(-EINVAL, .len = LONGEST, .dst = SZ_4M),

	CRC(0, .len = 1),
	CRC(0, .len = 1, .arg = U32_MAX),
	CRC(-EINVAL, .len = 1, .arg = 1ULL + U32_MAX),
	CRC(-EINVAL, .len = 1, .arg = U64_MAX),
	CRC(-EINVAL, .len = 1, .dst = 1),
	CRC(-EINVAL, .len = 1, .dst = TOP_BIT),
	CRC(-EINVAL, .len = 1, .flags = 0x100),
	CRC(-EINVAL, .len = 1, .hint = 1),
	CRC(-EINVAL, .len = 1, .deadline = 1),
	CRC(-EINVAL, .len = 0),
	CRC(0, .len = LONGEST),
	CRC(-E2BIG, .len = LONGEST + 1),
	CRC(-E2BIG, .len = U64_MAX),
	CRC(0, .len = LONGEST, .src = ARENA - LONGEST),
	CRC(-EFAULT, .len = LONGEST, .src = ARENA - LONGEST + 1),
	CRC(0, .len = 1, .src = ARENA - 1),
	CRC(-EFAULT, .len = 1, .src = ARENA),
	CRC(-EFAULT, .len = 1, .src = U64_MAX),
	CRC(-EFAULT, .len = 2, .src = U64_MAX),

	SHA(0, .len = 1),
	SHA(0, .len = LONGEST),
	SHA(0, .len = LONGEST, .dst = LONGEST / 2),
	SHA(-EINVAL, .len = 0),
	SHA(-EINVAL, .len = 1, .arg = 1),
	SHA(-EINVAL, .len = 1, .flags = 0x100),
	SHA(-EINVAL, .len = 1, .hint = 1),
	SHA(-EINVAL, .len = 1, .key = 1),
	SHA(-E2BIG, .len = LONGEST + 1),
	SHA(0, .len = 1, .src = ARENA - 1),
	SHA(-EFAULT, .len = 1, .src = ARENA),
	SHA(-EFAULT, .len = 2, .src = U64_MAX),
	SHA(0, .len = 1, .dst = ARENA - 32),
	SHA(-EFAULT, .len = 1, .dst = ARENA - 31),
	SHA(-EFAULT, .len = 1, .dst = ARENA),
	SHA(-EFAULT, .len = 1, .dst = U64_MAX),
	SHA(-EFAULT, .len = 1, .dst = U64_MAX - 31),
};

static void ring_entries(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		const struct wsq_sqe *sqe = &entries[i].sqe;

		KUNIT_EXPECT_EQ_MSG(test, op_check(sqe, ARENA), entries[i].err,
				    "row %d, op %u", i, sqe->op);
	}
}

/* Without an arena every range is outside, whatever the op. */
static void ring_no_arena(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		const struct wsq_sqe *sqe = &entries[i].sqe;

		if (entries[i].err && entries[i].err != -EFAULT)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, op_check(sqe, 0),
				    sqe->op == WSQ_OP_NOP ? 0 : -EFAULT,
				    "row %d, op %u", i, sqe->op);
	}
}

static const struct {
	int err;
	u32 sq, cq;
	u64 arena;
	u32 want_cq;
} sizes[] = {
	{ 0, 1, 0, 0, 2 },
	{ 0, 1, 1, 0, 1 },
	{ 0, 1, 65536, 0, 65536 },
	{ 0, 32768, 0, 0, 65536 },
	{ 0, 32768, 32768, 0, 32768 },
	{ 0, 256, 0, 1, 512 },
	{ 0, 256, 0, PAGE_SIZE, 512 },
	{ 0, 256, 0, PAGE_SIZE + 1, 512 },
	{ -EINVAL, 0, 0, 0 },
	{ -EINVAL, 0, 2, 0 },
	{ -EINVAL, 3, 0, 0 },
	{ -EINVAL, 65536, 0, 0 },
	{ -EINVAL, 65536, 65536, 0 },
	{ -EINVAL, U32_MAX, 0, 0 },
	{ -EINVAL, 0x80000000, 0, 0 },
	{ -EINVAL, 0x80000000, 0x80000000, 0 },
	{ -EINVAL, 2, 1, 0 },
	{ -EINVAL, 2, 3, 0 },
	{ -EINVAL, 2, 131072, 0 },
	{ -EINVAL, 2, 0x80000000, 0 },
	{ -EINVAL, 2, 0, U64_MAX },
	{ -EINVAL, 2, 0, U64_MAX - PAGE_SIZE },
	{ -EINVAL, 2, 0, BIT_ULL(39) + 1 },
};

static void ring_sizes(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct wsq_sizes s = {};
		int ret = wsq_ring_sizes(0, sizes[i].sq, sizes[i].cq,
					 sizes[i].arena, &s);

		KUNIT_EXPECT_EQ_MSG(test, ret, sizes[i].err, "row %d", i);
		if (ret)
			continue;
		KUNIT_EXPECT_EQ(test, s.sq_entries, sizes[i].sq);
		KUNIT_EXPECT_EQ(test, s.cq_entries, sizes[i].want_cq);
		KUNIT_EXPECT_EQ(test, s.arena, PAGE_ALIGN(sizes[i].arena));
		KUNIT_EXPECT_GE(test, s.rings, s.cqes_off + s.cq_entries *
				(u64)sizeof(struct wsq_cqe));
		KUNIT_EXPECT_GE(test, s.sqes, s.sq_entries *
				(u64)sizeof(struct wsq_sqe));
		KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(s.rings | s.sqes));
		KUNIT_EXPECT_GE(test, s.memory, s.rings + s.sqes + s.arena +
				s.cq_entries * (u64)sizeof(struct wsq_req));
		KUNIT_EXPECT_EQ(test, s.keys, 0);
	}
}

/* Memory requested by flags is there, is counted, and is nothing else. */
static void ring_sizes_flags(struct kunit *test)
{
	struct wsq_sizes s = {}, k = {};
	u32 sq;

	for (sq = 1; sq <= WSQ_MAX_SQ_ENTRIES; sq *= 2) {
		KUNIT_EXPECT_EQ(test, wsq_ring_sizes(0, sq, 0, 0, &s), 0);
		KUNIT_EXPECT_EQ(test, wsq_ring_sizes(WSQ_SETUP_KEYS, sq, 0, 0,
						     &k), 0);
		KUNIT_EXPECT_EQ(test, k.keys, 4 * sq);
		KUNIT_EXPECT_GE(test, k.memory - s.memory,
				4 * sq * (u64)sizeof(struct wsq_key));
		k.keys = 0;
		k.memory = s.memory;
		KUNIT_EXPECT_EQ(test, memcmp(&s, &k, sizeof(s)), 0);
	}
	/* Such a ring may be restricted, by a bit for each op. */
	KUNIT_EXPECT_EQ(test, wsq_ring_sizes(0, 1, 0, 0, &s), 0);
	KUNIT_EXPECT_EQ(test, wsq_ring_sizes(WSQ_SETUP_DISABLED, 1, 0, 0, &k),
			0);
	KUNIT_EXPECT_GE(test, k.memory, s.memory + (U16_MAX + 1) / BITS_PER_BYTE);
	KUNIT_EXPECT_EQ(test, wsq_ring_sizes(BIT(31), 1, 0, 0, &s), -EINVAL);
}

static const struct {
	const char *text;
	u32 crc32c;
	u8 sha256[32];
} vectors[] = {
	{ "a", 0xc1d04330, {
		0xca, 0x97, 0x81, 0x12, 0xca, 0x1b, 0xbd, 0xca, 0xfa, 0xc2,
		0x31, 0xb3, 0x9a, 0x23, 0xdc, 0x4d, 0xa7, 0x86, 0xef, 0xf8,
		0x14, 0x7c, 0x4e, 0x72, 0xb9, 0x80, 0x77, 0x85, 0xaf, 0xee,
		0x48, 0xbb } },
	{ "123456789", 0xe3069283, {
		0x15, 0xe2, 0xb0, 0xd3, 0xc3, 0x38, 0x91, 0xeb, 0xb0, 0xf1,
		0xef, 0x60, 0x9e, 0xc4, 0x19, 0x42, 0x0c, 0x20, 0xe3, 0x20,
		0xce, 0x94, 0xc6, 0x5f, 0xbc, 0x8c, 0x33, 0x12, 0x44, 0x8e,
		0xb2, 0x25 } },
	{ "abc", 0x364b3fb7, {
		0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41,
		0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3,
		0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00,
		0x15, 0xad } },
};

static s64 op_do(const struct wsq_sqe *sqe, void *arena, bool dead)
{
	return op_do_in(sqe, arena, ARENA, dead);
}

static void ring_results(struct kunit *test)
{
	u8 *arena = vzalloc(ARENA);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, arena);
	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		u64 len = strlen(vectors[i].text);
		struct wsq_sqe crc = { .op = WSQ_OP_CRC32C, .len = len,
				       .src = 77 };
		struct wsq_sqe sha = { .op = WSQ_OP_SHA256, .len = len,
				       .src = 77, .dst = ARENA - 32 };
		struct wsq_sqe copy = { .op = WSQ_OP_COPY, .len = len,
					.src = 77, .dst = 4096 };

		memcpy(arena + 77, vectors[i].text, len);
		KUNIT_EXPECT_EQ(test, op_do(&crc, arena, false),
				vectors[i].crc32c);
		/* In two pieces: the first's checksum is passed on. */
		crc.len = len / 2;
		if (crc.len) {
			crc.arg = op_do(&crc, arena, false);
			crc.src += crc.len;
			crc.len = len - crc.len;
			KUNIT_EXPECT_EQ(test, op_do(&crc, arena, false),
					vectors[i].crc32c);
		}
		KUNIT_EXPECT_EQ(test, op_do(&sha, arena, false), 32);
		KUNIT_EXPECT_EQ(test, memcmp(arena + ARENA - 32,
					     vectors[i].sha256, 32), 0);
		arena[4096 + len] = 0x5a;
		KUNIT_EXPECT_EQ(test, op_do(&copy, arena, false), len);
		KUNIT_EXPECT_EQ(test, memcmp(arena + 4096, vectors[i].text,
					     len), 0);
		KUNIT_EXPECT_EQ(test, arena[4096 + len], 0x5a);
	}
	vfree(arena);
}

/* A whole equals its pieces, at sizes around WSQ_OP_PIECE. */
static void ring_pieces(struct kunit *test)
{
	static const u32 lens[] = {
		SZ_16K - 1, SZ_16K, SZ_16K + 1, 2 * SZ_16K, 100001, SZ_1M + 3,
	};
	u8 *arena = vmalloc(ARENA);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, arena);
	for (i = 0; i < SZ_2M; i++)
		arena[i] = i * 7 + (i >> 8);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		struct wsq_sqe crc = { .op = WSQ_OP_CRC32C, .len = lens[i] };
		struct wsq_sqe copy = { .op = WSQ_OP_COPY, .len = lens[i],
					.dst = SZ_4M };
		s64 whole = op_do(&crc, arena, false), part = 0;
		u64 off;

		for (off = 0; off < lens[i]; off += crc.len) {
			crc.src = off;
			crc.len = min_t(u64, 4999, lens[i] - off);
			crc.arg = part;
			part = op_do(&crc, arena, false);
		}
		KUNIT_EXPECT_EQ(test, whole, part);
		KUNIT_EXPECT_EQ(test, op_do(&copy, arena, false), lens[i]);
		KUNIT_EXPECT_EQ(test, memcmp(arena, arena + SZ_4M, lens[i]), 0);
	}
	vfree(arena);
}

/* Long tasks of a dead ring end early. Short ones may complete. */
static void ring_dead(struct kunit *test)
{
	struct wsq_sqe copy = { .op = WSQ_OP_COPY, .len = SZ_1M,
				.dst = SZ_2M };
	struct wsq_sqe crc = { .op = WSQ_OP_CRC32C, .len = SZ_1M };
	struct wsq_sqe sha = { .op = WSQ_OP_SHA256, .len = SZ_1M,
			       .dst = SZ_2M };
	u8 *arena = vzalloc(ARENA);

	KUNIT_ASSERT_NOT_NULL(test, arena);
	memset(arena, 1, SZ_1M);
	KUNIT_EXPECT_EQ(test, op_do(&copy, arena, true), -ECANCELED);
	KUNIT_EXPECT_EQ(test, arena[SZ_2M + SZ_1M - 1], 0);
	KUNIT_EXPECT_EQ(test, op_do(&crc, arena, true), -ECANCELED);
	memset(arena + SZ_2M, 0, 32);
	KUNIT_EXPECT_EQ(test, op_do(&sha, arena, true), -ECANCELED);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(arena + SZ_2M, 0, 32), NULL);
	vfree(arena);
}

/* Slots: published or not, from the first pass to the last number. */
static void ring_slots(struct kunit *test)
{
	static const u64 starts[] = {
		0, 1, 65536, 1ULL << 32, (1ULL << 48) - 3, U64_MAX - 70000,
	};
	struct wsq_ring *ring = kunit_kzalloc(test, sizeof(*ring), GFP_KERNEL);
	atomic64_t slot;
	int i;
	u8 shift;

	KUNIT_ASSERT_NOT_NULL(test, ring);
	ring->slots = &slot;
	for (shift = 0; shift <= 16; shift += 4) {
		/* One slot is enough: its neighbours do not matter. */
		ring->cq_shift = shift;
		ring->cq_mask = 0;
		for (i = 0; i < ARRAY_SIZE(starts); i++) {
			u64 n = starts[i], lap = 1ULL << shift;
			u32 index = lap - 1;

			if (n > U64_MAX - lap)
				continue;
			atomic64_set(&slot, wsq_slot_word(ring, n, index));
			KUNIT_EXPECT_TRUE(test, wsq_slot_done(ring, n));
			KUNIT_EXPECT_FALSE(test, wsq_slot_done(ring, n + lap));
			if (n >= lap)
				KUNIT_EXPECT_TRUE(test,
						  wsq_slot_done(ring, n - lap));
			KUNIT_EXPECT_EQ(test, atomic64_read(&slot) & (lap - 1),
					index);
		}
		/* As SETUP leaves it: nothing is published. */
		atomic64_set(&slot, (1U << shift) - 1);
		KUNIT_EXPECT_FALSE(test, wsq_slot_done(ring, 0));
	}
}

#define WAIT_SLOTS	4

/* A ring of slots and waiters only, and a thread that waits. */
struct wait_test {
	struct wsq_ring ring;
	atomic64_t slots[WAIT_SLOTS];
	struct completion done;
	u64 target;
	int ret;
};

static int wait_thread(void *arg)
{
	struct wait_test *w = arg;

	u64 forever = U64_MAX;

	w->ret = wsq_ring_wait(&w->ring, w->target, &forever);
	complete(&w->done);
	return 0;
}

/* Wait until the thread sleeps, armed for the next completion, or is done. */
static void wait_settle(struct wait_test *w, struct task_struct *task)
{
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;

	while (time_before(jiffies, end)) {
		if (completion_done(&w->done))
			return;
		if (READ_ONCE(w->ring.wake_at) != U64_MAX &&
		    READ_ONCE(task->__state) == TASK_INTERRUPTIBLE)
			return;
		usleep_range(50, 100);
	}
}

static void wait_init(struct wait_test *w)
{
	int i;

	w->ring.cq_shift = ilog2(WAIT_SLOTS);
	w->ring.cq_mask = WAIT_SLOTS - 1;
	w->ring.slots = w->slots;
	w->ring.wake_at = U64_MAX;
	spin_lock_init(&w->ring.wait_lock);
	w->ring.waiters = RB_ROOT_CACHED;
	init_waitqueue_head(&w->ring.poll_wait);
	init_completion(&w->done);
	for (i = 0; i < WAIT_SLOTS; i++)
		atomic64_set(&w->slots[i], i);
}

/* Completions come in this order. A waiter for the first @target wakes. */
static bool wait_order(struct kunit *test, struct wait_test *w,
		       const u8 *order, u64 target)
{
	struct task_struct *task;
	bool right = true;
	u8 there = 0;
	int i;

	memset(w, 0, sizeof(*w));
	wait_init(w);
	w->target = target;
	task = kthread_run(wait_thread, w, "wsq_test_wait");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);

	for (i = 0; i < WAIT_SLOTS; i++) {
		bool all = (there & (BIT(target) - 1)) == BIT(target) - 1;

		wait_settle(w, task);
		if (completion_done(&w->done) != all)
			right = false;
		atomic64_set_release(&w->slots[order[i]],
				     wsq_slot_word(&w->ring, order[i], 0));
		there |= BIT(order[i]);
		wsq_ring_wake(&w->ring, order[i]);
	}
	if (!wait_for_completion_timeout(&w->done, WSQ_TEST_TIMEOUT)) {
		right = false;
		/* Release the waiter: every completion now wakes it. */
		WRITE_ONCE(w->ring.wake_at, 0);
		wsq_ring_wake(&w->ring, U64_MAX - 1);
		wait_for_completion(&w->done);
	}
	/* The thread has left our code when this returns. */
	kthread_stop(task);
	put_task_struct(task);
	return right && !w->ret;
}

/* Every order in which completions can be published, for every number. */
static void ring_wait_orders(struct kunit *test)
{
	struct wait_test *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	u64 target;
	int code;

	KUNIT_ASSERT_NOT_NULL(test, w);
	for (code = 0; code < 256; code++) {
		u8 order[] = { code & 3, code >> 2 & 3, code >> 4 & 3,
			       code >> 6 };
		u8 used = 0;
		int i;

		for (i = 0; i < WAIT_SLOTS; i++)
			used |= BIT(order[i]);
		if (used != 0xf)
			continue;
		for (target = 1; target <= WAIT_SLOTS; target++)
			KUNIT_ASSERT_TRUE_MSG(test,
					      wait_order(test, w, order,
							 target),
					      "target %llu, order %u%u%u%u",
					      target, order[0], order[1],
					      order[2], order[3]);
	}
}

static void ring_wait_timeout(struct kunit *test)
{
	static const u64 timeouts[] = { 0, 1, 1000 * 1000, 20 * 1000 * 1000 };
	struct wait_test *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	u64 none = 0;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	wait_init(w);
	for (i = 0; i < ARRAY_SIZE(timeouts); i++) {
		u64 timeout = timeouts[i];
		ktime_t t = ktime_get();

		KUNIT_EXPECT_EQ(test, wsq_ring_wait(&w->ring, 1, &timeout),
				-ETIME);
		KUNIT_EXPECT_GE(test, ktime_to_ns(ktime_sub(ktime_get(), t)),
				(s64)timeouts[i]);
		KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(&w->ring.waiters.rb_root));
	}
	atomic64_set(&w->slots[0], wsq_slot_word(&w->ring, 0, 0));
	KUNIT_EXPECT_EQ(test, wsq_ring_wait(&w->ring, 1, &none), 0);
	KUNIT_EXPECT_EQ(test, wsq_ring_wait(&w->ring, 2, &none), -ETIME);
}

#define WAIT_MANY	64

/* Arms waiters for all completions from @from on, in an order that differs. */
static void wait_arm(struct wait_test *w, struct wsq_ring_waiter *many,
		     u64 from)
{
	int i, k;

	for (i = 0; i < WAIT_MANY; i++) {
		k = i * 37 % WAIT_MANY;
		many[k].task = current;
		wsq_waiter_arm(&w->ring, &many[k], from + k / 2);
	}
}

/*
 * Two waiters for each completion, all of this thread: each completion wakes
 * those that wait for it or for an earlier one, and no others.
 */
static void ring_wait_many(struct kunit *test)
{
	struct wait_test *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct wsq_ring_waiter *many;
	int i, step, woken;
	u64 n;

	many = kunit_kcalloc(test, WAIT_MANY, sizeof(*many), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w);
	KUNIT_ASSERT_NOT_NULL(test, many);
	wait_init(w);
	for (i = 0; i < WAIT_MANY; i++)
		RB_CLEAR_NODE(&many[i].node);
	for (step = 1; step < WAIT_MANY; step = 2 * step + 1) {
		/* Those that are armed are armed for another one. */
		wait_arm(w, many, 5);
		wait_arm(w, many, 100);
		KUNIT_EXPECT_EQ(test, w->ring.wake_at, 100ULL);
		wsq_ring_wake(&w->ring, 99);
		for (n = 99; n < 100 + WAIT_MANY / 2; n += step) {
			wsq_ring_wake(&w->ring, n);
			for (i = 0, woken = 0; i < WAIT_MANY; i++)
				woken += RB_EMPTY_NODE(&many[i].node);
			KUNIT_EXPECT_EQ(test, woken, 2 * (n - 99));
			KUNIT_EXPECT_EQ(test, w->ring.wake_at,
					n == 99 + WAIT_MANY / 2 ? U64_MAX :
								  n + 1);
		}
		for (i = 0; i < WAIT_MANY; i++)
			wsq_waiter_disarm(&w->ring, &many[i]);
		KUNIT_EXPECT_EQ(test, w->ring.wake_at, U64_MAX);
		KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(&w->ring.waiters.rb_root));
	}
}

/* The waiter that is woken before the others, in a thread that is urgent. */
struct wait_first {
	struct wait_test t;
	struct wsq_ring_waiter w;
	struct completion armed;
	u64 wake_at;
};

static bool wait_first_fn(void *arg)
{
	struct wait_first *f = arg;

	sched_set_fifo(current);
	f->w.task = current;
	wsq_waiter_arm(&f->t.ring, &f->w, 5);
	complete(&f->armed);
	do {
		set_current_state(TASK_UNINTERRUPTIBLE);
		/* Changed under the lock, before the wake-up. */
		if (data_race(RB_EMPTY_NODE(&f->w.node)))
			break;
		schedule();
	} while (1);
	__set_current_state(TASK_RUNNING);
	f->wake_at = READ_ONCE(f->t.ring.wake_at);
	return true;
}

/* The first of many waiters runs before the last one has been woken. */
static void ring_wait_crowd(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wait_first *f = kzalloc(sizeof(*f), GFP_KERNEL);
	struct wsq_ring_waiter *many;
	struct wsq_test_call *call;
	int i;

	many = kunit_kcalloc(test, WAIT_MANY, sizeof(*many), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_NOT_NULL(test, many);
	wait_init(&f->t);
	RB_CLEAR_NODE(&f->w.node);
	init_completion(&f->armed);
	call = wsq_test_start_on(test, cpu, wait_first_fn, f);
	wait_for_completion(&f->armed);
	wsq_test_stay(test, cpu);
	for (i = 0; i < WAIT_MANY; i++) {
		RB_CLEAR_NODE(&many[i].node);
		many[i].task = current;
		wsq_waiter_arm(&f->t.ring, &many[i], 5);
	}
	wsq_ring_wake(&f->t.ring, 5);
	KUNIT_EXPECT_EQ(test, f->t.ring.wake_at, U64_MAX);
	for (i = 0; i < WAIT_MANY; i++)
		KUNIT_EXPECT_TRUE(test, RB_EMPTY_NODE(&many[i].node));
	wsq_test_roam();
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	KUNIT_EXPECT_EQ(test, f->wake_at, 5ULL);
	kfree(f);
}

static const struct {
	u64 deadline;
	s64 off;
	u64 host;
} deadlines[] = {
	{ 5, 0, 5 },
	{ U64_MAX, 0, U64_MAX },
	{ 5, 2, 3 },
	{ 5, 5, 0 },
	{ 5, 6, 0 },
	{ 5, S64_MAX, 0 },
	{ U64_MAX, S64_MAX, (u64)S64_MAX + 1 },
	{ 5, -2, 7 },
	{ U64_MAX - 2, -2, U64_MAX },
	{ U64_MAX - 1, -2, U64_MAX },
	{ 0, S64_MIN, (u64)S64_MAX + 1 },
};

static void ring_deadlines(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(deadlines); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    wsq_host_deadline(deadlines[i].deadline,
						      deadlines[i].off),
				    deadlines[i].host, "row %d", i);
}

/* A ring whose published count is far behind: it is found at once. */
static void ring_published(struct kunit *test)
{
	struct wait_test *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	const u64 ages = 1ULL << 50;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, w);
	wait_init(w);
	atomic64_set(&w->ring.completed, ages + 2);
	/* Two slots are of this pass. */
	for (i = 0; i < WAIT_SLOTS; i++)
		atomic64_set(&w->slots[i],
			     wsq_slot_word(&w->ring, ages + i -
						     (i < 2 ? 0 : WAIT_SLOTS), i));
	KUNIT_EXPECT_GE(test, wsq_ring_published(&w->ring, 1), 1ULL);
	KUNIT_EXPECT_EQ(test, wsq_ring_published(&w->ring, ages + WAIT_SLOTS),
			ages + 2);
	KUNIT_EXPECT_EQ(test, w->ring.published, ages + 2);
	/* The third is completed, but the fourth is published first. */
	atomic64_set(&w->ring.completed, ages + 4);
	atomic64_set(&w->slots[3], wsq_slot_word(&w->ring, ages + 3, 3));
	KUNIT_EXPECT_EQ(test, wsq_ring_published(&w->ring, ages + WAIT_SLOTS),
			ages + 2);
	/* A count that went back. */
	w->ring.published = 1;
	KUNIT_EXPECT_EQ(test, wsq_ring_published(&w->ring, ages + WAIT_SLOTS),
			ages + 2);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(ring_entries),
	KUNIT_CASE(ring_no_arena),
	KUNIT_CASE(ring_sizes),
	KUNIT_CASE(ring_sizes_flags),
	KUNIT_CASE(ring_results),
	KUNIT_CASE(ring_pieces),
	KUNIT_CASE(ring_dead),
	KUNIT_CASE(ring_slots),
	KUNIT_CASE(ring_wait_orders),
	KUNIT_CASE(ring_wait_timeout),
	KUNIT_CASE(ring_wait_many),
	KUNIT_CASE(ring_wait_crowd),
	KUNIT_CASE(ring_deadlines),
	KUNIT_CASE(ring_published),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "wsq_ring",
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
