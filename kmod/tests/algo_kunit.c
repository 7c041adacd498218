// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of tree hash, sort and compression by fork and join: results, by
 * one CPU and by all, and runs that end early. What processes get is in
 * selftests/wsq/algo.c.
 *
 * Limitations: kernels without inflate do not check what gzip has compressed.
 */
#include <linux/crc32.h>
#include <linux/random.h>
#include <linux/sizes.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/wsq_algo.h>
#include <linux/wsq_fj.h>
#include <linux/zlib.h>

#include "../compat/unaligned.h"
#include "items.h"

/**
 * struct algo - what a test works with
 * @q: a queue of all CPUs
 * @one: an object of one CPU
 * @all: an object of all
 */
struct algo {
	struct wsq *q;
	struct wsq_fj *one;
	struct wsq_fj *all;
};

static int algo_init(struct kunit *test)
{
	static const struct wsq_fj_attrs one = { .max_cpus = 1 };
	struct algo *a = kunit_kzalloc(test, sizeof(*a), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, a);
	a->q = wsq_create(NULL, "algo");
	KUNIT_ASSERT_FALSE(test, IS_ERR(a->q));
	a->one = wsq_fj_create(a->q, &one);
	KUNIT_ASSERT_FALSE(test, IS_ERR(a->one));
	a->all = wsq_fj_create(a->q, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(a->all));
	test->priv = a;
	return 0;
}

static void algo_exit(struct kunit *test)
{
	struct algo *a = test->priv;

	wsq_fj_destroy(a->all);
	wsq_fj_destroy(a->one);
	wsq_destroy(a->q);
}

/* The object of one CPU, then that of all, then %NULL. */
static struct wsq_fj *algo_next(const struct algo *a, const struct wsq_fj *fj)
{
	if (!fj)
		return a->one;
	return fj == a->one ? a->all : NULL;
}

static u8 *algo_data(struct kunit *test, size_t len)
{
	u8 *data = vmalloc(len + 1);
	size_t i;

	KUNIT_ASSERT_NOT_NULL(test, data);
	for (i = 0; i < len; i++)
		data[i] = i * 7 + (i >> 8) + 3;
	return data;
}

static u64 algo_random(u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Of fsverity-utils: "fsverity digest" of a file with algo_data(). */
static const struct {
	size_t len;
	const char *digest;
} trees[] = {
	{ 0, "3d248ca542a24fc62d1c43b916eae5016878e2533c88238480b26128a1f1af95" },
	{ 1, "83334d2a5a79c35ecec7b206551570ffb7c723db2fb0ea790e9f63bfb4992858" },
	{ 4095, "a249870c1e4bfc8e04297eb3c752fc83185d0b482cd8db7401af27322f6dcce2" },
	{ 4096, "b238a66be7fcd967dafee44f53f784b35935c2fbe763d936c14002c773e88219" },
	{ 4097, "f2408dae2301c60300e752626949b1ebeb95cd4c02d52b5f14633f4dacdc7d76" },
	{ 8192, "774c63518fccffd29bf0082dc69531a6fa69edeca92d590301a828760406a4cb" },
	{ SZ_512K, "6f265b891c39a6b091365549ac275b298fadc1801c631a78c445c86c535edc06" },
	/* Two levels, three levels above the data. */
	{ SZ_512K + 1, "c0779f8866206f8b6f79e5ff9f7ffe72b9badbb3aba0c10a686f678a6d0ab58e" },
	{ SZ_1M + 5, "059fa8f28e987414dd2f94a8e2ac79d90a88a03f8251ca3e0c13d1e48b724172" },
	{ 3 * SZ_1M, "2c8a5dfb393a81ceefdc4ffa657781b1c2bd9a14022103c55d36a839cafc489e" },
	{ SZ_64M + 1, "a45de9bca103a18625088206e33785629e1254ea38716e2cd3fffe29c593216b" },
};

static void algo_tree_row(struct kunit *test, int row)
{
	const struct algo *a = test->priv;
	size_t len = trees[row].len;
	u8 *data = algo_data(test, len);
	struct wsq_fj *fj = NULL;
	char got[2 * WSQ_TREE_HASH + 1];

	while ((fj = algo_next(a, fj))) {
		struct wsq_tree_digest hash;

		memset(&hash, 0x5a, sizeof(hash));
		KUNIT_EXPECT_EQ(test, wsq_tree_hash(fj, data, len, &hash, NULL),
				0);
		snprintf(got, sizeof(got), "%*phN", WSQ_TREE_HASH, hash.digest);
		KUNIT_EXPECT_STREQ_MSG(test, got, trees[row].digest,
				       "%zu bytes", len);
		/* The digest of a file depends on its root. */
		if (!len)
			KUNIT_EXPECT_PTR_EQ(test, NULL,
					    memchr_inv(hash.root, 0,
						       sizeof(hash.root)));
	}
	vfree(data);
}

static void algo_tree(struct kunit *test)
{
	int i;

	if (!wsq_tree_hash_there())
		kunit_skip(test, "needs SHA-256");
	for (i = 0; i < ARRAY_SIZE(trees) - 1; i++)
		algo_tree_row(test, i);
}

static void algo_tree_high(struct kunit *test)
{
	if (!wsq_tree_hash_there())
		kunit_skip(test, "needs SHA-256");
	algo_tree_row(test, ARRAY_SIZE(trees) - 1);
}

static int algo_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

enum algo_order { RANDOM, FEW, EQUAL, UP, DOWN, HALVES, EXTREMES, ORDERS };

static u64 algo_number(enum algo_order order, size_t i, size_t nr, u64 *seed)
{
	switch (order) {
	case FEW:
		return algo_random(seed) % 3;
	case EQUAL:
		return 7;
	case UP:
		return i;
	case DOWN:
		return nr - i;
	case HALVES:
		/* All of one half below all of the other. */
		return i < nr / 2 ? nr + i : i;
	case EXTREMES:
		return algo_random(seed) % 2 ? U64_MAX : 0;
	default:
		return algo_random(seed);
	}
}

static void algo_sort_one(struct kunit *test, enum algo_order order, size_t nr)
{
	const struct algo *a = test->priv;
	size_t bytes = (nr + 1) * sizeof(u64), i;
	u64 *from = vmalloc(bytes), *to = vmalloc(bytes), *want = vmalloc(bytes);
	struct wsq_fj *fj = NULL;
	u64 seed = nr + 1;

	KUNIT_ASSERT_TRUE(test, from && to && want);
	for (i = 0; i < nr; i++)
		want[i] = algo_number(order, i, nr, &seed);
	sort(want, nr, sizeof(*want), algo_compare, NULL);
	while ((fj = algo_next(a, fj))) {
		seed = nr + 1;
		for (i = 0; i < nr; i++)
			from[i] = algo_number(order, i, nr, &seed);
		from[nr] = 4711;
		to[nr] = 4712;
		KUNIT_EXPECT_EQ(test, wsq_sort_u64(fj, from, to, nr, NULL), 0);
		KUNIT_EXPECT_EQ_MSG(test, memcmp(to, want, nr * sizeof(*to)), 0,
				    "order %d, %zu numbers", order, nr);
		KUNIT_EXPECT_EQ(test, from[nr], 4711);
		KUNIT_EXPECT_EQ(test, to[nr], 4712);
	}
	vfree(from);
	vfree(to);
	vfree(want);
}

static void algo_sort(struct kunit *test)
{
	static const size_t sizes[] = {
		0, 1, 2, 3, 31, 32, 33, 64, 65, 1000, 2047, 2048, 4095, 4096,
		4097, 8192, 8193, 100003,
	};
	int i, order;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (order = 0; order < ORDERS; order++)
			algo_sort_one(test, order, sizes[i]);
}

#if IS_REACHABLE(CONFIG_ZLIB_INFLATE) && IS_REACHABLE(CONFIG_CRC32)
/* Decompress all members. Returns the bytes, or a negative number. */
static ssize_t algo_gunzip(const u8 *from, size_t len, u8 *to, size_t size)
{
	static const u8 head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
	void *space = vmalloc(zlib_inflate_workspacesize());
	const u8 *end = from + len;
	size_t done = 0;

	while (space && from < end) {
		z_stream s = { .workspace = space };
		u32 crc;

		if (memcmp(from, head, sizeof(head)))
			break;
		s.next_in = from + sizeof(head);
		s.avail_in = end - s.next_in;
		s.next_out = to + done;
		s.avail_out = size - done;
		if (zlib_inflateInit2(&s, -MAX_WBITS) != Z_OK ||
		    zlib_inflate(&s, Z_FINISH) != Z_STREAM_END)
			break;
		crc = ~crc32_le(~0, to + done, s.total_out);
		if (get_unaligned_le32(s.next_in) != crc ||
		    get_unaligned_le32(s.next_in + 4) != s.total_out)
			break;
		done += s.total_out;
		from = s.next_in + 8;
	}
	vfree(space);
	return from == end ? done : -1;
}
#else
static ssize_t algo_gunzip(const u8 *from, size_t len, u8 *to, size_t size)
{
	return -1;
}
#endif

/* Every third chunk and the last bytes are random: deflate gains nothing. */
static void algo_gzip_one(struct kunit *test, size_t len)
{
	const struct algo *a = test->priv;
	size_t bound = wsq_gzip_bound(len), i;
	u8 *data = algo_data(test, len), *to[2], *back = vmalloc(len + 1);
	ssize_t n[2];
	u64 seed = len + 1;

	KUNIT_ASSERT_NOT_NULL(test, back);
	for (i = 0; i < len; i++)
		if (i / WSQ_GZIP_CHUNK % 3 == 2 || i + 1000 > len)
			data[i] = algo_random(&seed);
	for (i = 0; i < 2; i++) {
		struct wsq_fj *fj = i ? a->all : a->one;

		to[i] = vmalloc(bound + 1);
		KUNIT_ASSERT_NOT_NULL(test, to[i]);
		to[i][bound] = 0x5a;
		n[i] = wsq_gzip(fj, data, len, to[i], bound, NULL);
		KUNIT_ASSERT_GT(test, n[i], 0);
		KUNIT_ASSERT_LE(test, (size_t)n[i], bound);
		KUNIT_EXPECT_EQ(test, to[i][bound], 0x5a);
		KUNIT_EXPECT_EQ(test, wsq_gzip(fj, data, len, to[i], bound - 1,
					       NULL), -ENOSPC);
	}
	KUNIT_EXPECT_EQ(test, n[0], n[1]);
	KUNIT_EXPECT_EQ(test, memcmp(to[0], to[1], n[0]), 0);
	if (len > WSQ_GZIP_CHUNK)
		KUNIT_EXPECT_LT(test, (size_t)n[0], len);
	if (IS_REACHABLE(CONFIG_ZLIB_INFLATE)) {
		KUNIT_EXPECT_EQ_MSG(test, algo_gunzip(to[0], n[0], back, len + 1),
				    (ssize_t)len, "%zu bytes", len);
		KUNIT_EXPECT_EQ(test, memcmp(data, back, len), 0);
	}
	vfree(data);
	vfree(back);
	vfree(to[0]);
	vfree(to[1]);
}

static void algo_gzip(struct kunit *test)
{
	static const size_t sizes[] = {
		0, 1, 100, 4095, 4096, 4097, SZ_64K, WSQ_GZIP_CHUNK - 1,
		WSQ_GZIP_CHUNK, WSQ_GZIP_CHUNK + 1, 3 * WSQ_GZIP_CHUNK,
		8 * WSQ_GZIP_CHUNK + 12345,
	};
	int i;

	if (!wsq_gzip_there())
		kunit_skip(test, "needs deflate");
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		algo_gzip_one(test, sizes[i]);
}

/* ---- runs that end early, and helpers ---- */

/**
 * struct algo_end - ends a run
 * @fj: its object
 * @after: calls before it ends
 * @err: what @stop returns then; 0 cancels the run
 * @calls: how often it was asked
 * @nested: what a second run of the object returned
 * @stop: for the run
 */
struct algo_end {
	struct wsq_fj *fj;
	int after;
	int err;
	atomic_t calls;
	int nested;
	struct wsq_algo_stop stop;
};

static int algo_end_fn(void *arg)
{
	struct algo_end *e = arg;
	u64 x[2] = { 2, 1 };

	if (atomic_inc_return(&e->calls) <= e->after)
		return 0;
	WRITE_ONCE(e->nested, wsq_sort_u64(e->fj, x, x + 1, 1, NULL));
	if (!e->err)
		wsq_fj_cancel(e->fj);
	return e->err;
}

enum algo_which { TREE, SORT, GZIP, ALGOS };

/* Run an algorithm on 1 MiB of @from. */
static ssize_t algo_run(enum algo_which which, struct wsq_fj *fj, u64 *from,
			u64 *to, const struct wsq_algo_stop *stop)
{
	struct wsq_tree_digest hash;

	switch (which) {
	case TREE:
		return wsq_tree_hash(fj, from, SZ_1M, &hash, stop);
	case SORT:
		return wsq_sort_u64(fj, from, to, SZ_1M / sizeof(u64), stop);
	default:
		return wsq_gzip(fj, from, SZ_1M, to, wsq_gzip_bound(SZ_1M),
				stop);
	}
}

static bool algo_there(enum algo_which which)
{
	return which == TREE ? wsq_tree_hash_there() :
	       which == GZIP ? wsq_gzip_there() : true;
}

static void algo_early(struct kunit *test)
{
	const struct algo *a = test->priv;
	u64 *from = vzalloc(SZ_1M), *to = vmalloc(wsq_gzip_bound(SZ_1M));
	int which, err, after, calls;
	struct wsq_fj *fj = NULL;

	KUNIT_ASSERT_TRUE(test, from && to);
	while ((fj = algo_next(a, fj))) {
		for (which = 0; which < ALGOS; which++) {
			struct algo_end all = {
				.fj = fj, .after = INT_MAX,
				.stop = { algo_end_fn, &all },
			};

			if (!algo_there(which))
				continue;
			KUNIT_EXPECT_GE(test, algo_run(which, fj, from, to,
						       &all.stop), 0);
			calls = atomic_read(&all.calls);
			/* At least once for 64 KiB. */
			KUNIT_EXPECT_GE_MSG(test, calls, 16, "algo %d", which);
			for (after = 0; after < calls; after += calls / 7 + 1)
				for (err = -ETIME; err <= 0; err -= -ETIME) {
					struct algo_end e = {
						.fj = fj, .after = after,
						.err = err,
						.stop = { algo_end_fn, &e },
					};
					ssize_t ret = algo_run(which, fj, from,
							       to, &e.stop);

					KUNIT_EXPECT_EQ_MSG(test, ret,
							    err ?: -ECANCELED,
							    "algo %d, %d of %d",
							    which, after, calls);
					KUNIT_EXPECT_EQ(test, e.nested, -EBUSY);
				}
			KUNIT_EXPECT_GE(test, algo_run(which, fj, from, to, NULL),
					0);
		}
	}
	vfree(from);
	vfree(to);
}

/* Other CPUs take part. */
static void algo_helped(struct kunit *test)
{
	const struct algo *a = test->priv;
	u64 *from = vzalloc(SZ_1M), *to = vmalloc(wsq_gzip_bound(SZ_1M));
	struct wsq_fj_stats before, after;
	int which;

	wsq_test_need_cpus(test, 2);
	KUNIT_ASSERT_TRUE(test, from && to);
	for (which = 0; which < ALGOS; which++) {
		if (!algo_there(which))
			continue;
		wsq_fj_read_stats(a->all, &before);
		KUNIT_EXPECT_TRUE_MSG(test, wsq_test_until(({
			algo_run(which, a->all, from, to, NULL);
			wsq_fj_read_stats(a->all, &after);
			after.steals > before.steals;
		})), "algo %d", which);
	}
	wsq_fj_read_stats(a->one, &after);
	KUNIT_EXPECT_EQ(test, after.started, 0ULL);
	vfree(from);
	vfree(to);
}

static struct kunit_case algo_cases[] = {
	KUNIT_CASE(algo_tree),
	KUNIT_CASE_SLOW(algo_tree_high),
	KUNIT_CASE(algo_sort),
	KUNIT_CASE(algo_gzip),
	KUNIT_CASE(algo_early),
	KUNIT_CASE(algo_helped),
	{}
};

static struct kunit_suite algo_suite = {
	.name = "wsq_algo",
	.init = algo_init,
	.exit = algo_exit,
	.test_cases = algo_cases,
};

kunit_test_suite(algo_suite);
