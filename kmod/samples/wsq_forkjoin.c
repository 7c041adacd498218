// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_forkjoin.ko: work that splits itself, by fork and join. Does the same
 * work once by plain code and once on all CPUs, checks that both agree, and
 * compares the times.
 *
 *	insmod wsq_forkjoin.ko work=uts
 *
 * uts	counts the nodes of an unbalanced tree: Olivier et al., "UTS: An
 *	Unbalanced Tree Search Benchmark" (2006). Binomial: the root has @root
 *	children, other nodes @children with probability @ppm. The default is
 *	the tree T3 of UTS, which has 4,112,897 nodes and is 1,572 deep
 * geo	the same for a geometric tree of @size levels, where a node has
 *	@children children on average. size=10 children=4 seed=19 is T1, with
 *	4,130,071 nodes
 * queens	counts the ways to place @size queens on a board
 * matmul	multiplies two matrices of @size rows, a power of two
 *
 * insmod returns at the end, with EIO if the results are wrong; the figures are
 * in the kernel log. An example for Documentation/forkjoin.rst, and a test:
 * tools/check/forkjoin.
 *
 * Cost: 128 bytes for each CPU and each of @depth tasks until insmod returns.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/wsq.h>
#include <linux/wsq_fj.h>
#include <linux/wsq_version.h>

static char *work = "uts";
module_param(work, charp, 0444);
MODULE_PARM_DESC(work, "uts, geo, queens, matmul (default uts)");

static unsigned int size;
module_param(size, uint, 0444);
MODULE_PARM_DESC(size, "levels, queens up to 14, or rows up to 4096 (default 10, 10, 512)");

static unsigned int root = 2000;
module_param(root, uint, 0444);
MODULE_PARM_DESC(root, "uts: children of the root (default 2000)");

static unsigned int children;
module_param(children, uint, 0444);
MODULE_PARM_DESC(children, "uts, geo: children of other nodes, up to 100 (default 8, 4)");

static unsigned int ppm = 124875;
module_param(ppm, uint, 0444);
MODULE_PARM_DESC(ppm, "uts: millionths of the nodes that have children (default 124875)");

static unsigned int seed = 42;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "uts, geo, matmul: random seed (default 42)");

static unsigned int depth = 16384;
module_param(depth, uint, 0444);
MODULE_PARM_DESC(depth, "tasks that a thread may have spawned and not synced (default 16384)");

static unsigned int max_cpus;
module_param(max_cpus, uint, 0444);
MODULE_PARM_DESC(max_cpus, "most CPUs (default 0: all)");

static bool random = true;
module_param(random, bool, 0444);
MODULE_PARM_DESC(random, "waiting threads steal from all others (default 1)");

/* Unbalanced trees. */

/* Children of a node of a geometric tree, at most, as in UTS. */
#define UTS_CHILDREN	100

/* Nodes that plain code has found and not visited. */
#define UTS_FOUND	BIT(20)

/**
 * struct uts_node - a node
 * @state: SHA-1 of its parent's state and its number
 * @level: its distance from the root
 */
struct uts_node {
	u32 state[5];
	u32 level;
};

/* For geometric trees: 2^63 times the probability of more than i children. */
static u64 uts_more[UTS_CHILDREN];

/*
 * SHA-1 of five or six words. Here, because kernels differ in what they call
 * it, and some have none.
 */
static void uts_hash(const u32 *words, u32 nr, u32 *to)
{
	static const u32 init[5] = {
		0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0
	};
	u32 w[80] = {}, a = init[0], b = init[1], c = init[2], d = init[3];
	u32 e = init[4], f, t, i;

	memcpy(w, words, nr * sizeof(u32));
	w[nr] = 0x80000000;
	w[15] = nr * 32;
	for (i = 16; i < 80; i++)
		w[i] = rol32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (i = 0; i < 80; i++) {
		if (i < 20)
			f = ((b & c) | (~b & d)) + 0x5a827999;
		else if (i < 40)
			f = (b ^ c ^ d) + 0x6ed9eba1;
		else if (i < 60)
			f = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
		else
			f = (b ^ c ^ d) + 0xca62c1d6;
		t = rol32(a, 5) + f + e + w[i];
		e = d;
		d = c;
		c = rol32(b, 30);
		b = a;
		a = t;
	}
	to[0] = init[0] + a;
	to[1] = init[1] + b;
	to[2] = init[2] + c;
	to[3] = init[3] + d;
	to[4] = init[4] + e;
}

static bool geometric;

static u32 uts_nr(const struct uts_node *node)
{
	u64 n = node->state[4] & S32_MAX;
	u32 nr = 0;

	if (geometric) {
		if (node->level >= size)
			return 0;
		while (nr < UTS_CHILDREN && (BIT_ULL(31) - n) << 32 <= uts_more[nr])
			nr++;
		return nr;
	}
	if (!node->level)
		return root;
	return n * 1000000 < (u64)ppm << 31 ? children : 0;
}

static struct uts_node uts_child(const struct uts_node *node, u32 nr)
{
	struct uts_node child = { .level = node->level + 1 };
	u32 words[6];

	memcpy(words, node->state, sizeof(node->state));
	words[5] = nr;
	uts_hash(words, 6, child.state);
	return child;
}

DEFINE_WSQ_TASK1(u64, uts, w, struct uts_node, node)
{
	u32 nr = uts_nr(&node), i;
	u64 sum = 1;

	if (nr)
		cond_resched();
	for (i = 0; i < nr; i++)
		wsq_spawn(w, uts, uts_child(&node, i));
	for (i = 0; i < nr; i++)
		sum += wsq_sync(w, uts);
	return sum;
}

/* A kernel stack cannot hold the recursion of plain calls. */
static int uts_plain(u64 *result, const struct uts_node *first)
{
	struct uts_node *found = vmalloc(array_size(UTS_FOUND, sizeof(*found)));
	u32 nr = 1, i, more;
	u64 sum = 0;

	if (!found)
		return -ENOMEM;
	found[0] = *first;
	while (nr) {
		struct uts_node node = found[--nr];

		more = uts_nr(&node);
		if (more > UTS_FOUND - nr)
			break;
		for (i = 0; i < more; i++)
			found[nr++] = uts_child(&node, i);
		if (!(++sum % 4096))
			cond_resched();
	}
	vfree(found);
	*result = sum;
	return nr ? -EOVERFLOW : 0;
}

static int uts_both(struct wsq_fj *fj, u64 *result)
{
	const u32 words[5] = { 0, 0, 0, 0, seed };
	struct uts_node first = {};

	uts_hash(words, 5, first.state);
	return fj ? uts_run(fj, result, first) : uts_plain(result, &first);
}

static int uts_init(void)
{
	u64 t = BIT_ULL(63);
	u32 i;

	geometric = !strcmp(work, "geo");
	size = size ?: 10;
	children = children ?: geometric ? 4 : 8;
	if (children > UTS_CHILDREN || root > UTS_FOUND)
		return -EINVAL;
	for (i = 0; i < UTS_CHILDREN; i++) {
		t = mul_u64_u32_div(t, children, children + 1);
		uts_more[i] = t;
	}
	return 0;
}

/*
 * Queens. Counts the boards with queens in some rows that do not attack each
 * other, and those of them with queens in all rows: QUEENS_ALL for each.
 */
#define QUEENS_ALL	BIT_ULL(40)

/* @columns and diagonals are attacked. */
DEFINE_WSQ_TASK3(u64, queens, w, u32, columns, u32, left, u32, right)
{
	u32 free = ~(columns | left | right) & (BIT(size) - 1), rest;
	u64 sum = columns == BIT(size) - 1 ? QUEENS_ALL + 1 : 1;

	for (rest = free; rest; rest &= rest - 1) {
		u32 bit = rest & -rest;

		wsq_spawn(w, queens, columns | bit, (left | bit) << 1,
			  (right | bit) >> 1);
	}
	for (rest = free; rest; rest &= rest - 1)
		sum += wsq_sync(w, queens);
	return sum;
}

static u64 queens_plain(u32 columns, u32 left, u32 right)
{
	u32 free = ~(columns | left | right) & (BIT(size) - 1);
	u64 sum = columns == BIT(size) - 1 ? QUEENS_ALL + 1 : 1;

	for (; free; free &= free - 1) {
		u32 bit = free & -free;

		sum += queens_plain(columns | bit, (left | bit) << 1,
				    (right | bit) >> 1);
	}
	return sum;
}

static int queens_both(struct wsq_fj *fj, u64 *result)
{
	if (fj)
		return queens_run(fj, result, 0, 0, 0);
	*result = queens_plain(0, 0, 0);
	return 0;
}

static int queens_init(void)
{
	size = size ?: 10;
	return size > 14 ? -EINVAL : 0;
}

/* Matrices of numbers modulo 2^32: c += a * b by quarters; counts the tasks. */

#define MATMUL_LEAF	32

static u32 *mat_a, *mat_b, *mat_c;

static void matmul_leaf(u32 *c, const u32 *a, const u32 *b, u32 n)
{
	u32 i, j, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			for (j = 0; j < n; j++)
				c[i * size + j] += a[i * size + k] *
						   b[k * size + j];
}

/* Quarter @row, @column of a matrix of @n rows. */
#define QUARTER(m, n, row, column)	\
	((m) + ((row) * (size_t)size + (column)) * ((n) / 2))

DEFINE_WSQ_TASK4(u64, matmul, w, u32 *, c, const u32 *, a, const u32 *, b,
		 u32, n)
{
	u64 sum = 1;
	u32 k, i;

	if (n <= MATMUL_LEAF) {
		matmul_leaf(c, a, b, n);
		cond_resched();
		return 1;
	}
	/* Both halves of the sums write to the same quarters. */
	for (k = 0; k < 2; k++) {
		for (i = 0; i < 4; i++)
			wsq_spawn(w, matmul, QUARTER(c, n, i / 2, i % 2),
				  QUARTER(a, n, i / 2, k),
				  QUARTER(b, n, k, i % 2), n / 2);
		for (i = 0; i < 4; i++)
			sum += wsq_sync(w, matmul);
	}
	return sum;
}

static u64 matmul_plain(u32 *c, const u32 *a, const u32 *b, u32 n)
{
	u64 sum = 1;
	u32 k, i;

	if (n <= MATMUL_LEAF) {
		matmul_leaf(c, a, b, n);
		cond_resched();
		return 1;
	}
	for (k = 0; k < 2; k++)
		for (i = 0; i < 4; i++)
			sum += matmul_plain(QUARTER(c, n, i / 2, i % 2),
					    QUARTER(a, n, i / 2, k),
					    QUARTER(b, n, k, i % 2), n / 2);
	return sum;
}

/* Is c * x == a * (b * x)? */
static bool matmul_right(void)
{
	u32 *x = vzalloc(array_size(2 * size, sizeof(*x))), i, j, c, a;
	u32 *bx = x + size;
	bool right = true;

	if (!x)
		return false;
	for (i = 0; i < size; i++)
		x[i] = i * 2654435761U + 1;
	for (i = 0; i < size; i++)
		for (j = 0; j < size; j++)
			bx[i] += mat_b[i * size + j] * x[j];
	for (i = 0; i < size; i++) {
		for (j = 0, c = 0, a = 0; j < size; j++) {
			c += mat_c[i * size + j] * x[j];
			a += mat_a[i * size + j] * bx[j];
		}
		right &= c == a;
		cond_resched();
	}
	vfree(x);
	return right;
}

static int matmul_both(struct wsq_fj *fj, u64 *result)
{
	int ret = 0;

	memset(mat_c, 0, array3_size(size, size, sizeof(u32)));
	if (fj)
		ret = matmul_run(fj, result, mat_c, mat_a, mat_b, size);
	else
		*result = matmul_plain(mat_c, mat_a, mat_b, size);
	return ret ?: matmul_right() ? 0 : -EIO;
}

static int matmul_init(void)
{
	struct rnd_state rnd;

	size = size ?: 512;
	if (size > 4096 || !is_power_of_2(size))
		return -EINVAL;
	mat_a = vmalloc(array3_size(size, size, sizeof(u32)));
	mat_b = vmalloc(array3_size(size, size, sizeof(u32)));
	mat_c = vmalloc(array3_size(size, size, sizeof(u32)));
	if (!mat_a || !mat_b || !mat_c)
		return -ENOMEM;
	prandom_seed_state(&rnd, seed);
	prandom_bytes_state(&rnd, mat_a, array3_size(size, size, sizeof(u32)));
	prandom_bytes_state(&rnd, mat_b, array3_size(size, size, sizeof(u32)));
	return 0;
}

/* All of them. */

/*
 * struct sample - a kind of work
 * @name: value of the parameter
 * @init: checks parameters, and prepares
 * @both: does it, by fork and join if there is an object
 */
static const struct sample {
	const char *name;
	int (*init)(void);
	int (*both)(struct wsq_fj *fj, u64 *result);
} samples[] = {
	{ "uts", uts_init, uts_both },
	{ "geo", uts_init, uts_both },
	{ "queens", queens_init, queens_both },
	{ "matmul", matmul_init, matmul_both },
};

static int sample_time(const struct sample *s, struct wsq_fj *fj, u64 *result,
		       u64 *us)
{
	ktime_t start = ktime_get();
	int ret = s->both(fj, result);

	*us = ktime_us_delta(ktime_get(), start);
	return ret;
}

static int sample_compare(const struct sample *s, struct wsq_fj *fj)
{
	u64 plain, result, alone, spread, ratio;
	struct wsq_fj_stats stats;
	int ret;

	ret = sample_time(s, NULL, &plain, &alone);
	if (ret)
		return ret;
	ret = sample_time(s, fj, &result, &spread);
	if (ret)
		return ret;
	if (result != plain) {
		pr_err("wsq_forkjoin: wrong: %llu, not %llu\n", result, plain);
		return -EIO;
	}
	pr_info("wsq_forkjoin: %s: tasks %llu, complete %llu\n", s->name,
		result % QUEENS_ALL, result / QUEENS_ALL);
	ratio = div64_u64(alone * 100, max(spread, 1ULL));
	pr_info("wsq_forkjoin: plain %llu us, fork-join %llu us: %llu.%02llu times as fast\n",
		alone, spread, ratio / 100, ratio % 100);
	wsq_fj_read_stats(fj, &stats);
	pr_info("wsq_forkjoin: stolen %llu, by waiting threads %llu, slept %llu, helpers %llu\n",
		stats.steals, stats.leaps, stats.sleeps, stats.started);
	return 0;
}

static int sample_run(const struct sample *s)
{
	const struct wsq_fj_attrs attrs = {
		.flags = WSQ_FJ_STACKS | (random ? WSQ_FJ_RANDOM : 0),
		.max_cpus = max_cpus,
		.depth = depth,
	};
	struct wsq *q = wsq_create(NULL, "forkjoin");
	struct wsq_fj *fj;
	int ret;

	if (IS_ERR(q))
		return PTR_ERR(q);
	fj = wsq_fj_create(q, &attrs);
	ret = PTR_ERR_OR_ZERO(fj);
	if (!ret) {
		ret = sample_compare(s, fj);
		wsq_fj_destroy(fj);
	}
	wsq_destroy(q);
	return ret;
}

static int __init sample_init(void)
{
	int i, ret = -EINVAL;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		if (strcmp(work, samples[i].name))
			continue;
		ret = samples[i].init();
		if (!ret)
			ret = sample_run(&samples[i]);
	}
	vfree(mat_a);
	vfree(mat_b);
	vfree(mat_c);
	return ret;
}

static void __exit sample_exit(void)
{
}

module_init(sample_init);
module_exit(sample_exit);

MODULE_DESCRIPTION("Sample user of wsq: fork and join");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
