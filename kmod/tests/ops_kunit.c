// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of ops that other modules register: which are accepted, what they
 * get to see, and that they can be unregistered only when unused. What the
 * built-in ops compute is in ring_kunit.c and in selftests/wsq.
 */
#include <kunit/test.h>
#include <linux/capability.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/task.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "ops.h"
#include "threads.h"

#define ARENA	((u64)SZ_256K)

/* The task that an op saw last, with its ranges. */
static struct wsq_op_task seen;
static struct wsq_range seen_ranges[WSQ_VEC_MAX];
static s64 seen_res;

static s64 op_look(const struct wsq_op_task *task)
{
	seen = *task;
	if (task->nr)
		memcpy(seen_ranges, task->ranges,
		       task->nr * sizeof(*task->ranges));
	return seen_res;
}

static int op_refuse(const struct wsq_sqe *sqe)
{
	return sqe->arg == 13 ? -EDOM : 0;
}

/* The macros set defaults that arguments override. */
__diag_push();
__diag_ignore_all("-Woverride-init", "that is what they are for");

#define DEF(...)	{ .name = "t", .cap = -1, .issue = op_look, ##__VA_ARGS__ }
#define SRC(...)	DEF(.shape = WSQ_SHAPE_SRC, .max_len = 9, ##__VA_ARGS__)
#define OUT(...)	DEF(.shape = WSQ_SHAPE_OUT, .max_len = 9, ##__VA_ARGS__)

static const struct {
	int err;
	struct wsq_op_def def;
} defs[] = {
	{ 0, DEF() },
	{ 0, DEF(.dst_len = 8) },
	{ 0, DEF(.shape = WSQ_SHAPE_ARG, .prep = op_refuse) },
	{ 0, DEF(.name = "a-z_09") },
	{ 0, DEF(.name = "0123456789abcde") },
	{ 0, DEF(.cap = 0) },
	{ 0, DEF(.cap = CAP_LAST_CAP) },
	{ 0, SRC() },
	{ 0, SRC(.dst_len = WSQ_DST_ALL) },
	{ 0, SRC(.dst_len = WSQ_DST_EACH) },
	{ 0, SRC(.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_ARG,
		 .dst_len = WSQ_DST_ARG) },
	{ 0, OUT() },
	{ 0, DEF(.state_size = WSQ_OP_STATE_MAX) },
	{ -EINVAL, DEF(.state_size = WSQ_OP_STATE_MAX + 1) },
	{ -EINVAL, DEF(.batched = true) },
	{ -EINVAL, { .name = "t", .cap = -1 } },
	{ -EINVAL, DEF(.name = NULL) },
	{ -EINVAL, DEF(.name = "") },
	{ -EINVAL, DEF(.name = "0123456789abcdef") },
	{ -EINVAL, DEF(.name = "T") },
	{ -EINVAL, DEF(.name = "a b") },
	{ -EINVAL, DEF(.name = "a/b") },
	{ -EINVAL, DEF(.name = "a\n") },
	{ -EINVAL, DEF(.name = "\xe4") },
	{ -EINVAL, DEF(.cap = -2) },
	{ -EINVAL, DEF(.cap = CAP_LAST_CAP + 1) },
	{ -EINVAL, DEF(.cap = INT_MIN) },
	{ -EINVAL, DEF(.shape = BIT(5)) },
	{ -EINVAL, DEF(.shape = WSQ_SHAPE_LIST) },
	{ -EINVAL, DEF(.shape = WSQ_SHAPE_APART) },
	{ -EINVAL, DEF(.max_len = 1) },
	{ -EINVAL, DEF(.dst_len = WSQ_DST_ALL) },
	{ -EINVAL, DEF(.dst_len = WSQ_DST_EACH) },
	{ -EINVAL, SRC(.dst_len = WSQ_DST_ARG) },
	{ -EINVAL, DEF(.shape = WSQ_SHAPE_ARG, .dst_len = WSQ_DST_ARG) },
	{ -EINVAL, OUT(.shape = WSQ_SHAPE_OUT | WSQ_SHAPE_ARG,
		       .dst_len = WSQ_DST_ARG) },
	{ -EINVAL, SRC(.max_len = 0) },
	{ -EINVAL, SRC(.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_OUT) },
	{ -EINVAL, SRC(.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_APART) },
	{ -EINVAL, OUT(.max_len = 0) },
	{ -EINVAL, OUT(.dst_len = 1) },
	{ -EINVAL, OUT(.dst_len = WSQ_DST_ALL) },
	{ -EINVAL, OUT(.shape = WSQ_SHAPE_OUT | WSQ_SHAPE_APART) },
	{ -EEXIST, DEF(.name = "nop") },
	{ -EEXIST, DEF(.name = "sha512") },
};

static void ops_defs(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(defs); i++) {
		int nr = wsq_register_op(&defs[i].def);

		KUNIT_EXPECT_EQ_MSG(test, min(nr, 0), defs[i].err, "row %d", i);
		if (nr >= 0)
			wsq_unregister_op(&defs[i].def);
	}
}

static const struct wsq_op_def first = DEF(.name = "first");
static const struct wsq_op_def second =
	SRC(.name = "second", .cap = 21,
	    .shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST);

static void ops_numbers(struct kunit *test)
{
	const struct wsq_op_def same = DEF(.name = "first");
	struct wsq_op_info info;
	u32 was;
	int a, b, c;

	a = wsq_register_op(&first);
	KUNIT_ASSERT_GE(test, a, WSQ_OP_REGISTERED);
	KUNIT_EXPECT_EQ(test, wsq_register_op(&first), -EEXIST);
	KUNIT_EXPECT_EQ(test, wsq_register_op(&same), -EEXIST);
	b = wsq_register_op(&second);
	KUNIT_ASSERT_GT(test, b, a);

	/* QUERY continues after the built-in ops. */
	KUNIT_EXPECT_TRUE(test, wsq_op_query(WSQ_OP_NR, &info));
	KUNIT_EXPECT_EQ(test, info.op, a);
	KUNIT_EXPECT_STREQ(test, info.name, "first");
	KUNIT_EXPECT_EQ(test, info.flags, 0);
	KUNIT_EXPECT_TRUE(test, wsq_op_query(a + 1, &info));
	KUNIT_EXPECT_EQ(test, info.op, b);
	KUNIT_EXPECT_EQ(test, info.flags, WSQ_OPF_VEC | WSQ_OPF_CAP);
	KUNIT_EXPECT_EQ(test, info.cap, 21);
	KUNIT_EXPECT_EQ(test, info.max_len, 9);
	KUNIT_EXPECT_FALSE(test, wsq_op_query(b + 1, &info));
	KUNIT_EXPECT_FALSE(test, wsq_op_query(U32_MAX, &info));

	/* The name can be used again, the number cannot. */
	wsq_unregister_op(&first);
	KUNIT_EXPECT_TRUE(test, wsq_op_query(WSQ_OP_NR, &info));
	KUNIT_EXPECT_EQ(test, info.op, b);
	c = wsq_register_op(&same);
	KUNIT_EXPECT_GT(test, c, b);
	wsq_unregister_op(&same);

	/* The last number, and then none is left. */
	was = wsq_op_next;
	wsq_op_next = U16_MAX;
	KUNIT_EXPECT_EQ(test, wsq_register_op(&first), U16_MAX);
	KUNIT_EXPECT_EQ(test, wsq_register_op(&same), -EEXIST);
	wsq_unregister_op(&first);
	KUNIT_EXPECT_EQ(test, wsq_register_op(&first), -ENOSPC);
	wsq_op_next = was;
	wsq_unregister_op(&second);
}

/* SQEs of an op, before and after it is unregistered. */
static void ops_gone(struct kunit *test)
{
	static const struct wsq_op_def def =
		DEF(.shape = WSQ_SHAPE_ARG, .prep = op_refuse);
	static const bool no;
	const struct wsq_stop stop = {
		.dead = &no, .stop_asked = &no, .deadline = U64_MAX,
	};
	struct wsq_sqe sqe = {};
	struct wsq_op_ref ref;
	int nr = wsq_register_op(&def);

	KUNIT_ASSERT_GE(test, nr, WSQ_OP_REGISTERED);
	sqe.op = nr;
	sqe.arg = 13;
	KUNIT_EXPECT_EQ(test, op_check(&sqe, 0), -EDOM);
	sqe.arg = 12;
	KUNIT_EXPECT_EQ(test, op_check(&sqe, 0), 0);
	seen_res = 77;
	KUNIT_EXPECT_EQ(test, op_do_in(&sqe, NULL, 0, false), 77);
	KUNIT_EXPECT_EQ(test, seen.arg, 12);
	KUNIT_EXPECT_EQ(test, op_check(&sqe, 0), 0);
	wsq_unregister_op(&def);
	/* Checked before; the op is gone when it is to run. */
	KUNIT_EXPECT_EQ(test, wsq_op_issue(&sqe, NULL, 0, &stop, NULL),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, op_check(&sqe, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_FALSE(test, wsq_op_get(&ref, nr));
}

/* What the op sees of an SQE, for each shape. */
static void ops_seen(struct kunit *test)
{
	static const struct wsq_op_def shapes[] = {
		DEF(.dst_len = 8),
		DEF(.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST, .max_len = 100),
		DEF(.shape = WSQ_SHAPE_OUT | WSQ_SHAPE_LIST, .max_len = 100),
		DEF(.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST, .max_len = 100,
		    .dst_len = 8),
		DEF(.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST, .max_len = 100,
		    .dst_len = WSQ_DST_ALL),
		DEF(.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST, .max_len = 100,
		    .dst_len = WSQ_DST_EACH),
	};
	struct wsq_vec vec[2] = { { .off = 800, .len = 20 },
				  { .off = 900, .len = 20 } };
	u8 *arena = vzalloc(ARENA);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, arena);
	memcpy(arena + 1000, vec, sizeof(vec));
	seen_res = 5;
	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		const struct wsq_op_def *def = &shapes[i];
		int nr = wsq_register_op(def);
		struct wsq_sqe sqe = { .op = nr };
		bool out = def->shape & WSQ_SHAPE_OUT;
		u64 dst = def->dst_len ? 2000 : 0;

		KUNIT_ASSERT_GE(test, nr, WSQ_OP_REGISTERED);
		sqe.dst = out ? 700 : dst;
		sqe.src = out || !i ? 0 : 700;
		sqe.len = i ? 30 : 0;
		KUNIT_EXPECT_EQ_MSG(test, op_do_in(&sqe, arena, ARENA, false),
				    5, "shape %d", i);
		KUNIT_EXPECT_EQ(test, seen.nr, !!i);
		KUNIT_EXPECT_EQ(test, seen.len, sqe.len);
		KUNIT_EXPECT_PTR_EQ(test, seen.dst, dst ? arena + dst : NULL);
		if (i) {
			KUNIT_EXPECT_PTR_EQ(test, seen_ranges[0].addr,
					    arena + 700);
			KUNIT_EXPECT_EQ(test, seen_ranges[0].len, 30);
			/* Above its limit, and outside the arena. */
			sqe.len = 101;
			KUNIT_EXPECT_EQ(test, op_check(&sqe, ARENA), -E2BIG);
			sqe.len = 30;
			KUNIT_EXPECT_EQ(test, op_check(&sqe, 729), -EFAULT);
		}
		if (dst) {
			sqe.dst = ARENA - 7;
			KUNIT_EXPECT_EQ(test, op_check(&sqe, ARENA), -EFAULT);
			sqe.dst = dst;
		}
		sqe.arg = 1;
		KUNIT_EXPECT_EQ(test, op_check(&sqe, ARENA), -EINVAL);
		sqe.arg = 0;

		sqe.flags = WSQ_SQE_VEC;
		sqe.src = 1000;
		sqe.dst = dst;
		sqe.len = 2;
		if (!i) {
			KUNIT_EXPECT_EQ(test, op_check(&sqe, ARENA), -EINVAL);
			wsq_unregister_op(def);
			continue;
		}
		KUNIT_EXPECT_EQ_MSG(test, op_do_in(&sqe, arena, ARENA, false),
				    5, "shape %d", i);
		KUNIT_EXPECT_EQ(test, seen.nr, 2);
		KUNIT_EXPECT_EQ(test, seen.len, 40);
		KUNIT_EXPECT_PTR_EQ(test, seen.dst, dst ? arena + dst : NULL);
		KUNIT_EXPECT_PTR_EQ(test, seen_ranges[0].addr, arena + 800);
		KUNIT_EXPECT_PTR_EQ(test, seen_ranges[1].addr, arena + 900);
		KUNIT_EXPECT_EQ(test, seen_ranges[1].len, 20);
		wsq_unregister_op(def);
	}
	vfree(arena);
}

/* dst has arg bytes: for a range, and for a list. */
static void ops_dst_arg(struct kunit *test)
{
	static const struct wsq_op_def def =
		SRC(.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST | WSQ_SHAPE_ARG |
			     WSQ_SHAPE_APART,
		    .max_len = 100, .dst_len = WSQ_DST_ARG);
	const struct wsq_vec vec = { .off = 800, .len = 20 };
	u8 *arena = vzalloc(ARENA);
	struct wsq_sqe sqe = { .src = 800, .len = 20, .dst = 2000, .arg = 50 };
	int i;

	KUNIT_ASSERT_NOT_NULL(test, arena);
	memcpy(arena, &vec, sizeof(vec));
	sqe.op = wsq_register_op(&def);
	KUNIT_ASSERT_GE(test, (int)sqe.op, WSQ_OP_REGISTERED);
	seen_res = 5;
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, op_do_in(&sqe, arena, ARENA, false), 5);
		KUNIT_EXPECT_PTR_EQ(test, seen.dst, arena + 2000);
		KUNIT_EXPECT_EQ(test, seen.arg, 50);
		sqe.dst = ARENA - 50;
		KUNIT_EXPECT_EQ(test, op_do_in(&sqe, arena, ARENA, false), 5);
		sqe.dst++;
		KUNIT_EXPECT_EQ(test, op_check(&sqe, ARENA), -EFAULT);
		sqe.dst = 751;
		KUNIT_EXPECT_EQ(test, op_do_in(&sqe, arena, ARENA, false),
				-EINVAL);
		sqe.dst = 750;
		KUNIT_EXPECT_EQ(test, op_do_in(&sqe, arena, ARENA, false), 5);
		sqe.arg = 0;
		KUNIT_EXPECT_EQ(test, op_check(&sqe, ARENA), -EINVAL);
		sqe.arg = U64_MAX;
		KUNIT_EXPECT_EQ(test, op_check(&sqe, ARENA), -EFAULT);
		sqe.arg = 50;
		sqe.dst = 2000;
		sqe.flags = WSQ_SQE_VEC;
		sqe.src = 0;
		sqe.len = 1;
	}
	wsq_unregister_op(&def);
	vfree(arena);
}

static u8 *pieces_base;
static u64 pieces_max, pieces_sum, pieces_nr;
static bool pieces_wrong;

/* Marks each byte that a piece covers, in the order of the ranges. */
static s64 op_pieces(const struct wsq_op_task *task)
{
	struct wsq_op_piece p = {};
	unsigned int range = 0;
	u64 off = 0;
	int ret;

	pieces_sum = 0;
	pieces_max = 0;
	pieces_nr = 0;
	pieces_wrong = false;
	while ((ret = wsq_op_next_piece(task, &p)) > 0) {
		if (p.addr != task->ranges[range].addr + off || !p.len ||
		    p.at != pieces_sum ||
		    p.len > task->ranges[range].len - off)
			pieces_wrong = true;
		off += p.len;
		if (off == task->ranges[range].len) {
			range++;
			off = 0;
		}
		pieces_sum += p.len;
		pieces_max = max_t(u64, pieces_max, p.len);
		pieces_nr++;
		if (range > task->nr || pieces_wrong)
			break;
	}
	if (range != task->nr && !ret)
		pieces_wrong = true;
	return ret < 0 ? ret : (s64)pieces_sum;
}

static void ops_pieces(struct kunit *test)
{
	static const struct wsq_op_def def = {
		.name = "t", .cap = -1, .max_len = ARENA,
		.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST, .issue = op_pieces,
	};
	static const u64 lens[][5] = {
		{ 1 }, { 16383 }, { 16384 }, { 16385 }, { 100000 },
		{ 1, 1, 1, 1 }, { 16383, 1, 1 }, { 16384, 16384 },
		{ 1, 16384, 1 }, { 8192, 8192, 8192, 8192 },
		{ 5, 50000, 7, 16384, 9 },
	};
	int nr = wsq_register_op(&def), i, k;
	struct wsq_sqe sqe = { .op = nr, .flags = WSQ_SQE_VEC };
	struct wsq_vec *vec;

	KUNIT_ASSERT_GE(test, nr, WSQ_OP_REGISTERED);
	pieces_base = vzalloc(ARENA);
	KUNIT_ASSERT_NOT_NULL(test, pieces_base);
	vec = (struct wsq_vec *)pieces_base;
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		u64 sum = 0;

		for (k = 0; k < 5 && lens[i][k]; k++) {
			vec[k].off = 4096 + 100 * k;
			vec[k].len = lens[i][k];
			sum += vec[k].len;
		}
		sqe.len = k;
		KUNIT_EXPECT_EQ_MSG(test, op_do_in(&sqe, pieces_base, ARENA,
						   false), sum, "row %d", i);
		KUNIT_EXPECT_FALSE_MSG(test, pieces_wrong, "row %d", i);
		KUNIT_EXPECT_LE(test, pieces_max, (u64)WSQ_OP_PIECE);
		/* A task of a dead ring ends after the first 16 KiB. */
		KUNIT_EXPECT_EQ(test, op_do_in(&sqe, pieces_base, ARENA, true),
				sum > WSQ_OP_PIECE ? -ECANCELED : (s64)sum);
		KUNIT_EXPECT_EQ(test, pieces_sum,
				min_t(u64, sum, WSQ_OP_PIECE));
	}
	vfree(pieces_base);
	wsq_unregister_op(&def);
}

/* Adds the first byte of one more range each time it is called. */
struct again_state {
	u64 calls;
	u64 sum;
	u8 rest[WSQ_OP_STATE_MAX - 2 * sizeof(u64)];
};

static bool again_wrong;

static s64 op_again(const struct wsq_op_task *task)
{
	struct again_state *s = task->state;

	if (memchr_inv(s->rest, s->calls ? 0x5a : 0, sizeof(s->rest)) ||
	    s->calls >= task->nr || task->arg != 77)
		again_wrong = true;
	memset(s->rest, 0x5a, sizeof(s->rest));
	s->sum += task->ranges[s->calls].addr[0] * task->ranges[s->calls].len;
	return ++s->calls < task->nr ? WSQ_OP_AGAIN : (s64)s->sum;
}

static const struct wsq_op_def again_def = {
	.name = "again", .cap = -1, .max_len = ARENA,
	.shape = WSQ_SHAPE_SRC | WSQ_SHAPE_LIST | WSQ_SHAPE_ARG,
	.state_size = sizeof(struct again_state), .issue = op_again,
};

/* A task that yields after each call finds its ranges and state again. */
static void ops_again(struct kunit *test)
{
	bool stop_asked = false, dead = false;
	struct wsq_conts conts = {};
	const struct wsq_stop stop = {
		.dead = &dead, .stop_asked = &stop_asked, .deadline = U64_MAX,
		.conts = &conts,
	};
	int nr = wsq_register_op(&again_def), i, calls = 1;
	struct wsq_sqe sqe = {
		.op = nr, .flags = WSQ_SQE_VEC, .len = WSQ_VEC_MAX, .arg = 77,
	};
	struct wsq_op_cont *cont = NULL, *held = NULL, *c;
	u8 *arena = vzalloc(ARENA);
	struct wsq_vec *vec = (struct wsq_vec *)arena;
	u64 sum = 0;
	LIST_HEAD(taken);
	s64 res;

	KUNIT_ASSERT_GE(test, nr, WSQ_OP_REGISTERED);
	KUNIT_ASSERT_NOT_NULL(test, arena);
	wsq_conts_init(&conts);
	KUNIT_ASSERT_EQ(test, wsq_conts_make(&conts), 0);
	again_wrong = false;
	for (i = 0; i < WSQ_VEC_MAX; i++) {
		vec[i].off = 4096 + i;
		vec[i].len = i + 1;
		arena[4096 + i] = 3 * i + 1;
		sum += (3 * i + 1) * (i + 1);
	}
	KUNIT_ASSERT_EQ(test, op_check(&sqe, ARENA), 0);

	/* A task that must not yield is called again at once. */
	KUNIT_EXPECT_EQ(test, op_do_in(&sqe, arena, ARENA, false), (s64)sum);

	res = wsq_op_issue(&sqe, arena, ARENA, &stop, &cont);
	KUNIT_ASSERT_EQ(test, res, WSQ_OP_AGAIN);
	KUNIT_ASSERT_NOT_NULL(test, cont);
	/* It does not count as a task of a built-in op. */
	KUNIT_EXPECT_EQ(test, conts.held, 0U);
	/* The list is not read again. */
	memset(vec, 0xff, WSQ_VEC_MAX * sizeof(*vec));
	while (res == WSQ_OP_AGAIN && calls++ < 100)
		res = wsq_op_resume(&sqe, &stop, cont);
	KUNIT_EXPECT_EQ(test, res, (s64)sum);
	KUNIT_EXPECT_EQ(test, calls, WSQ_VEC_MAX);

	/* A task that has memory and is then cancelled is not called again. */
	for (i = 0; i < WSQ_VEC_MAX; i++) {
		vec[i].off = 4096 + i;
		vec[i].len = i + 1;
	}
	held = cont;
	res = wsq_op_issue(&sqe, arena, ARENA, &stop, &cont);
	KUNIT_EXPECT_EQ(test, res, WSQ_OP_AGAIN);
	KUNIT_EXPECT_PTR_EQ(test, cont, held);
	stop_asked = true;
	KUNIT_EXPECT_EQ(test, wsq_op_resume(&sqe, &stop, cont), -ECANCELED);
	stop_asked = false;

	/* Without a free context the task runs to its end. */
	while ((c = wsq_cont_get(&conts, nr)))
		list_add(&c->free, &taken);
	cont = NULL;
	KUNIT_EXPECT_EQ(test, wsq_op_issue(&sqe, arena, ARENA, &stop, &cont),
			(s64)sum);
	KUNIT_EXPECT_NULL(test, cont);
	KUNIT_EXPECT_FALSE(test, again_wrong);

	/* The op is unregistered while its task has yielded. */
	cont = held;
	res = wsq_op_issue(&sqe, arena, ARENA, &stop, &cont);
	KUNIT_EXPECT_EQ(test, res, WSQ_OP_AGAIN);
	wsq_unregister_op(&again_def);
	KUNIT_EXPECT_EQ(test, wsq_op_resume(&sqe, &stop, cont), -EOPNOTSUPP);

	wsq_conts_exit(&conts);
	vfree(arena);
}

static DECLARE_COMPLETION(slow_in);
static DECLARE_COMPLETION(slow_go);
static DECLARE_COMPLETION(slow_off);

static s64 op_slow(const struct wsq_op_task *task)
{
	complete(&slow_in);
	wait_for_completion(&slow_go);
	return 3;
}

static const struct wsq_op_def slow_def = {
	.name = "slow", .cap = -1, .issue = op_slow,
};

static s64 slow_res;

static int slow_runs(void *op)
{
	struct wsq_sqe sqe = { .op = (uintptr_t)op };

	slow_res = op_do_in(&sqe, NULL, 0, false);
	return 0;
}

static int slow_leaves(void *unused)
{
	wsq_unregister_op(&slow_def);
	complete(&slow_off);
	return 0;
}

/* A thread that kthread_stop() can wait for, whatever it does. */
static struct task_struct *thread(struct kunit *test, int (*fn)(void *),
				  void *arg)
{
	struct task_struct *task = kthread_create(fn, arg, "wsq_test_ops");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	return task;
}

static void thread_end(struct task_struct *task)
{
	kthread_stop(task);
	put_task_struct(task);
}

/* Unregistering waits for a running task, and no new one begins. */
static void ops_waits(struct kunit *test)
{
	struct task_struct *runs, *leaves;
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	int nr = wsq_register_op(&slow_def);
	struct wsq_sqe sqe = { .op = nr };
	struct wsq_op_info info;

	KUNIT_ASSERT_GE(test, nr, WSQ_OP_REGISTERED);
	reinit_completion(&slow_in);
	reinit_completion(&slow_go);
	reinit_completion(&slow_off);
	runs = thread(test, slow_runs, (void *)(uintptr_t)nr);
	wait_for_completion(&slow_in);
	leaves = thread(test, slow_leaves, NULL);
	while (op_check(&sqe, 0) != -EOPNOTSUPP && time_before(jiffies, end))
		usleep_range(1000, 2000);
	KUNIT_EXPECT_EQ(test, op_check(&sqe, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_FALSE(test, wsq_op_query(WSQ_OP_NR, &info));
	/* The name stays taken until then. */
	KUNIT_EXPECT_EQ(test, wsq_register_op(&slow_def), -EEXIST);
	msleep(50);
	KUNIT_EXPECT_FALSE(test, completion_done(&slow_off));
	complete_all(&slow_go);
	wait_for_completion(&slow_off);
	thread_end(runs);
	thread_end(leaves);
	KUNIT_EXPECT_EQ(test, slow_res, 3);
}

/* A module's remaining ops go with it, those of other modules stay. */
static void ops_forgotten(struct kunit *test)
{
	struct module *owner = kunit_kzalloc(test, sizeof(*owner), GFP_KERNEL);
	struct wsq_op_def mine[] = {
		DEF(.name = "mine0"), DEF(.name = "mine1"),
	};
	struct wsq_op_info info;
	int nr;

	KUNIT_ASSERT_NOT_NULL(test, owner);
	mine[0].owner = owner;
	mine[1].owner = owner;
	KUNIT_ASSERT_GT(test, wsq_register_op(&mine[0]), 0);
	nr = wsq_register_op(&first);
	KUNIT_ASSERT_GT(test, wsq_register_op(&mine[1]), 0);
	KUNIT_EXPECT_EQ(test, wsq_ops_forget(NULL), 0);
	KUNIT_EXPECT_EQ(test, wsq_ops_forget(owner), 2);
	KUNIT_EXPECT_EQ(test, wsq_ops_forget(owner), 0);
	KUNIT_EXPECT_TRUE(test, wsq_op_query(WSQ_OP_NR, &info));
	KUNIT_EXPECT_EQ(test, info.op, nr);
	KUNIT_EXPECT_FALSE(test, wsq_op_query(nr + 1, &info));
	wsq_unregister_op(&first);
}

/* How often the op comes and goes. */
#define FLICKER_ROUNDS	30

static u32 flicker_op;
static bool flicker_stop;
static atomic_t flicker_bad;

static s64 op_flicker(const struct wsq_op_task *task)
{
	return 9;
}

static int flicker_asks(void *unused)
{
	unsigned int n;

	for (n = 1; !READ_ONCE(flicker_stop); n++) {
		struct wsq_sqe sqe = { .op = READ_ONCE(flicker_op) };
		struct wsq_op_info info;
		s64 res = op_do_in(&sqe, NULL, 0, false);

		if (res != 9 && res != -EOPNOTSUPP)
			atomic_inc(&flicker_bad);
		if (wsq_op_query(WSQ_OP_NR, &info) && strcmp(info.name, "flicker"))
			atomic_inc(&flicker_bad);
		/* There may be only one CPU: leave it to others. */
		if (n % 256 == 0)
			usleep_range(10, 50);
	}
	return 0;
}

/* The op comes and goes while it is used, each time with its memory. */
static void ops_flicker(struct kunit *test)
{
	struct task_struct *tasks[3];
	unsigned int i, rounds;
	int last = 0;

	flicker_stop = false;
	atomic_set(&flicker_bad, 0);
	WRITE_ONCE(flicker_op, U16_MAX);
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = thread(test, flicker_asks, NULL);
	for (rounds = 0; rounds < FLICKER_ROUNDS; rounds++) {
		struct wsq_op_def *def = kzalloc(sizeof(*def), GFP_KERNEL);
		char *name = kstrdup("flicker", GFP_KERNEL);
		int nr;

		if (!def || !name)
			break;
		def->name = name;
		def->cap = -1;
		def->issue = op_flicker;
		nr = wsq_register_op(def);
		KUNIT_EXPECT_GT(test, nr, last);
		last = nr;
		WRITE_ONCE(flicker_op, nr);
		usleep_range(50, 500);
		wsq_unregister_op(def);
		/* A use after this would be noticed. */
		memset(name, 'X', strlen(name));
		memset(def, 0x5a, sizeof(*def));
		kfree(name);
		kfree(def);
	}
	WRITE_ONCE(flicker_stop, true);
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		thread_end(tasks[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&flicker_bad), 0);
	KUNIT_EXPECT_EQ(test, rounds, FLICKER_ROUNDS);
}

static struct kunit_case ops_cases[] = {
	KUNIT_CASE(ops_defs),
	KUNIT_CASE(ops_numbers),
	KUNIT_CASE(ops_gone),
	KUNIT_CASE(ops_seen),
	KUNIT_CASE(ops_dst_arg),
	KUNIT_CASE(ops_pieces),
	KUNIT_CASE(ops_again),
	KUNIT_CASE(ops_waits),
	KUNIT_CASE(ops_forgotten),
	KUNIT_CASE(ops_flicker),
	{}
};

static struct kunit_suite ops_suite = {
	.name = "wsq_ops",
	.test_cases = ops_cases,
};

kunit_test_suite(ops_suite);
