// SPDX-License-Identifier: GPL-2.0
/*
 * Ops: their results, on one range and on lists of ranges, and what they
 * refuse. Ops of other modules are in ops_module.c.
 */
#include "wsq_test.h"

#include <pthread.h>

#define ARENA	(1ULL << 20)
#define MAX	(16ULL << 20)

/* The data that process and tasks use, byte by byte. */
static uint8_t byte_at(uint64_t i)
{
	return i * 7 + (i >> 8) + 3;
}

static void fill(uint8_t *p, uint64_t len, uint64_t seed)
{
	while (len--)
		*p++ = rnd(&seed);
}

/* XXH64 as in its specification. */
static uint64_t xxh_round(uint64_t acc, uint64_t word)
{
	acc += word * 0xc2b2ae3d27d4eb4fULL;
	acc = acc << 31 | acc >> 33;
	return acc * 0x9e3779b185ebca87ULL;
}

static uint64_t xxh_merge(uint64_t h, uint64_t acc)
{
	h ^= xxh_round(0, acc);
	return h * 0x9e3779b185ebca87ULL + 0x85ebca77c2b2ae63ULL;
}

#define ROL(x, n) ((x) << (n) | (x) >> (64 - (n)))

static uint64_t ref_xxh64(const uint8_t *p, uint64_t len, uint64_t seed)
{
	const uint64_t p1 = 0x9e3779b185ebca87ULL, p2 = 0xc2b2ae3d27d4eb4fULL;
	const uint64_t p3 = 0x165667b19e3779f9ULL, p4 = 0x85ebca77c2b2ae63ULL;
	const uint64_t p5 = 0x27d4eb2f165667c5ULL;
	uint64_t v[4] = { seed + p1 + p2, seed + p2, seed, seed - p1 };
	uint64_t h, word, left = len;
	uint32_t half;
	int i;

	for (; left >= 32; left -= 32) {
		for (i = 0; i < 4; i++, p += 8) {
			memcpy(&word, p, 8);
			v[i] = xxh_round(v[i], word);
		}
	}
	h = seed + p5;
	if (len >= 32) {
		h = ROL(v[0], 1) + ROL(v[1], 7) + ROL(v[2], 12) +
		    ROL(v[3], 18);
		for (i = 0; i < 4; i++)
			h = xxh_merge(h, v[i]);
	}
	h += len;
	for (; left >= 8; left -= 8, p += 8) {
		memcpy(&word, p, 8);
		h ^= xxh_round(0, word);
		h = ROL(h, 27) * p1 + p4;
	}
	if (left >= 4) {
		memcpy(&half, p, 4);
		h ^= half * p1;
		h = ROL(h, 23) * p2 + p3;
		p += 4;
		left -= 4;
	}
	for (; left; left--, p++) {
		h ^= *p * p5;
		h = ROL(h, 11) * p1;
	}
	h ^= h >> 33;
	h *= p2;
	h ^= h >> 29;
	h *= p3;
	return h ^ h >> 32;
}

/* Published test vectors. */
static void vectors(void)
{
	static const uint8_t abc[64] = {
		0xdd, 0xaf, 0x35, 0xa1, 0x93, 0x61, 0x7a, 0xba, 0xcc, 0x41,
		0x73, 0x49, 0xae, 0x20, 0x41, 0x31, 0x12, 0xe6, 0xfa, 0x4e,
		0x89, 0xa9, 0x7e, 0xa2, 0x0a, 0x9e, 0xee, 0xe6, 0x4b, 0x55,
		0xd3, 0x9a, 0x21, 0x92, 0x99, 0x2a, 0x27, 0x4f, 0xc1, 0xa8,
		0x36, 0xba, 0x3c, 0x23, 0xa3, 0xfe, 0xeb, 0xbd, 0x45, 0x4d,
		0x44, 0x23, 0x64, 0x3c, 0xe8, 0x0e, 0x2a, 0x9a, 0xc9, 0x4f,
		0xa5, 0x4c, 0xa4, 0x9f,
	};
	static const struct { uint64_t len, hash; } sha[] = {
		{ 1, 0xe45bf5817ddf94aaULL }, { 111, 0x68cffa6d0d76f309ULL },
		{ 112, 0xd0865c524d1dddf7ULL }, { 127, 0xe0b6a20f1c0c8897ULL },
		{ 128, 0x99b16f17aa0b969aULL }, { 129, 0xa1556e29185778aaULL },
		{ 16384, 0x059d5c605a8ea045ULL },
		{ 16385, 0x5a31777085f242aeULL },
		{ 300000, 0xb08c2b679f6bba04ULL },
	};
	static const struct { const char *text; uint64_t seed, hash; } xxh[] = {
		{ "a", 0, 0xd24ec4f1a98c6e5bULL },
		{ "abc", 0, 0x44bc2cf5ad770999ULL },
		{ "123456789", 0, 0x8cb841db40e6ae83ULL },
	};
	struct wsq_sqe sqe;
	uint64_t got, i;
	struct ring r;

	ring_open(&r, 4, 0, ARENA);
	memcpy(r.arena + 5, "abc", 3);
	sqe = (struct wsq_sqe) { .op = WSQ_OP_SHA512, .src = 5, .len = 3,
				 .dst = 101 };
	r.arena[165] = 0x5a;
	EXPECT_EQ(ring_do(&r, &sqe), 64);
	EXPECT(!memcmp(r.arena + 101, abc, 64));
	EXPECT_EQ(r.arena[165], 0x5a);
	for (i = 0; i < ARRAY_SIZE(xxh); i++) {
		test_at("xxhash64", i);
		memcpy(r.arena + 5, xxh[i].text, strlen(xxh[i].text));
		sqe = (struct wsq_sqe) { .op = WSQ_OP_XXHASH64, .src = 5,
					 .len = strlen(xxh[i].text),
					 .arg = xxh[i].seed, .dst = 101 };
		r.arena[109] = 0x5a;
		EXPECT_EQ(ring_do(&r, &sqe), 8);
		memcpy(&got, r.arena + 101, 8);
		EXPECT(got == xxh[i].hash);
		EXPECT_EQ(r.arena[109], 0x5a);
	}
	for (i = 0; i < ARRAY_SIZE(sha); i++) {
		unsigned int k;

		test_at("sha512", i);
		for (k = 0; k < sha[i].len; k++)
			r.arena[k] = byte_at(k);
		sqe = (struct wsq_sqe) { .op = WSQ_OP_SHA512,
					 .len = sha[i].len, .dst = ARENA - 64 };
		EXPECT_EQ(ring_do(&r, &sqe), 64);
		for (got = 0, k = 0; k < 8; k++)
			got = got << 8 | r.arena[ARENA - 64 + k];
		EXPECT(got == sha[i].hash);
		/* Overlapping the input. */
		sqe.dst = 0;
		EXPECT_EQ(ring_do(&r, &sqe), 64);
		EXPECT(!memcmp(r.arena, r.arena + ARENA - 64, 64));
	}
	ring_close(&r);
}

static const uint64_t lengths[] = {
	1, 2, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 100, 4095, 4096, 16383,
	16384, 16385, 32768, 65537, 200000,
};

/* Each length, at odd offsets, against our own computation. */
static void lengths_each(void)
{
	const uint64_t half = ARENA / 2, seed = 0x9e3779b97f4a7c15ULL;
	uint8_t *was = malloc(ARENA);
	uint64_t got, k;
	unsigned int i;
	struct ring r;

	ring_open(&r, 4, 0, ARENA);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		uint64_t len = lengths[i], src = 1 + 3 * i, dst = half + 5 * i;
		struct wsq_sqe sqe;

		test_at("length", len);
		fill(r.arena, ARENA, 1 + len);
		memcpy(was, r.arena, ARENA);

		sqe = (struct wsq_sqe) { .op = WSQ_OP_XXHASH64, .src = src,
					 .len = len, .arg = seed, .dst = dst };
		EXPECT_EQ(ring_do(&r, &sqe), 8);
		memcpy(&got, r.arena + dst, 8);
		EXPECT(got == ref_xxh64(was + src, len, seed));
		memcpy(r.arena + dst, was + dst, 8);

		sqe = (struct wsq_sqe) { .op = WSQ_OP_XOR, .src = src,
					 .len = len, .dst = dst };
		EXPECT_EQ(ring_do(&r, &sqe), len);
		for (k = 0; k < len; k++)
			was[dst + k] ^= was[src + k];
		EXPECT(!memcmp(r.arena, was, ARENA));

		sqe = (struct wsq_sqe) { .op = WSQ_OP_FILL, .dst = dst,
					 .len = len, .arg = seed };
		EXPECT_EQ(ring_do(&r, &sqe), len);
		for (k = 0; k < len; k++)
			was[dst + k] = ((const uint8_t *)&seed)[k % 8];
		EXPECT(!memcmp(r.arena, was, ARENA));

		sqe = (struct wsq_sqe) { .op = WSQ_OP_COMPARE, .src = src,
					 .len = len, .dst = dst };
		memcpy(r.arena + dst, r.arena + src, len);
		EXPECT_EQ(ring_do(&r, &sqe), len);
		/* The next byte is not included. */
		r.arena[dst + len] = ~r.arena[src + len];
		EXPECT_EQ(ring_do(&r, &sqe), len);
		r.arena[dst + len - 1] ^= 1;
		EXPECT_EQ(ring_do(&r, &sqe), len - 1);
		r.arena[dst + len / 2] ^= 0x80;
		EXPECT_EQ(ring_do(&r, &sqe), len / 2 < len - 1 ? len / 2 :
			  len > 1 ? len - 1 : 0);
		r.arena[dst] = ~r.arena[src];
		EXPECT_EQ(ring_do(&r, &sqe), 0);
		/* Ranges may overlap, and be the same. */
		sqe.dst = src;
		EXPECT_EQ(ring_do(&r, &sqe), len);
	}
	ring_close(&r);
}

#define A	ARENA
#define ROW(r, o, ...)	{ r, { .op = WSQ_OP_##o, ##__VA_ARGS__ } }
#define VEC(r, o, ...)	ROW(r, o, .flags = WSQ_SQE_VEC, ##__VA_ARGS__)

/* A list of one range, [64, 80), is at 0 and at the end of the arena. */
static const struct {
	long long res;
	struct wsq_sqe sqe;
} rows[] = {
	ROW(4, FILL, .len = 4, .dst = A - 4, .arg = ~0ULL),
	ROW(-EINVAL, FILL, .dst = 8),
	ROW(-EINVAL, FILL, .len = 4, .dst = 8, .src = 8),
	ROW(-EINVAL, FILL, .len = 4, .dst = 8, .hint = 1),
	ROW(-E2BIG, FILL, .len = MAX + 1),
	ROW(-EFAULT, FILL, .len = 4, .dst = A - 3),
	ROW(-EFAULT, FILL, .len = 1, .dst = A),
	ROW(-EFAULT, FILL, .len = 2, .dst = -1ULL),

	ROW(1, COMPARE, .len = 1, .src = A - 1, .dst = A - 1),
	ROW(-EINVAL, COMPARE, .dst = 8),
	ROW(-EINVAL, COMPARE, .len = 1, .arg = 1),
	ROW(-E2BIG, COMPARE, .len = -1ULL),
	ROW(-EFAULT, COMPARE, .len = 2, .src = A - 1),
	ROW(-EFAULT, COMPARE, .len = 2, .dst = A - 1),
	ROW(-EFAULT, COMPARE, .len = 2, .dst = -2ULL),

	ROW(8, XOR, .len = 8, .src = 8, .dst = 512),
	ROW(-EINVAL, XOR, .dst = 8),
	ROW(-EINVAL, XOR, .len = 8, .dst = 512, .arg = 1),
	ROW(-EINVAL, XOR, .len = 8, .src = 512, .dst = 512),
	ROW(-EINVAL, XOR, .len = 8, .src = 512, .dst = 519),
	ROW(-EINVAL, XOR, .len = 8, .src = 519, .dst = 512),
	ROW(8, XOR, .len = 8, .src = 512, .dst = 520),
	ROW(-E2BIG, XOR, .len = MAX + 1, .dst = 512),
	ROW(-EFAULT, XOR, .len = 8, .src = A - 7, .dst = 512),
	ROW(-EFAULT, XOR, .len = 8, .dst = A - 7),
	ROW(-EFAULT, XOR, .len = 8, .dst = -8ULL),

	ROW(8, XXHASH64, .len = 1, .dst = A - 200, .arg = ~0ULL),
	ROW(-EINVAL, XXHASH64, .dst = 512),
	ROW(-E2BIG, XXHASH64, .len = MAX + 1),
	ROW(-EFAULT, XXHASH64, .len = 1, .src = A),
	ROW(-EFAULT, XXHASH64, .len = 1, .dst = A - 7),
	ROW(-EFAULT, XXHASH64, .len = 1, .dst = -1ULL),

	ROW(64, SHA512, .len = 1, .dst = A - 200),
	ROW(-EINVAL, SHA512, .dst = 512),
	ROW(-EINVAL, SHA512, .len = 1, .arg = 1),
	ROW(-E2BIG, SHA512, .len = MAX + 1),
	ROW(-EFAULT, SHA512, .len = 2, .src = A - 1),
	ROW(-EFAULT, SHA512, .len = 1, .dst = A - 63),
	ROW(-EFAULT, SHA512, .len = 1, .dst = -64ULL),

	/* Lists: the entry's members. */
	VEC(16, COPY, .len = 1, .dst = 512),
	VEC(16, COPY, .len = 1, .src = A - 16, .dst = 512),
	VEC(-EINVAL, NOP),
	VEC(-EINVAL, NOP, .len = 1),
	VEC(-EINVAL, COPY, .dst = 512),
	VEC(-EINVAL, COPY, .len = 1, .src = 4, .dst = 512),
	VEC(-EINVAL, COPY, .len = 1, .src = 1, .dst = 512),
	VEC(-EINVAL, COPY, .len = 1, .dst = 512, .arg = 1),
	VEC(-E2BIG, COPY, .len = 17, .dst = 512),
	VEC(-E2BIG, COPY, .len = -1ULL, .dst = 512),
	VEC(-E2BIG, COPY, .len = 1ULL << 60, .dst = 512),
	VEC(-EFAULT, COPY, .len = 1, .src = A - 8, .dst = 512),
	VEC(-EFAULT, COPY, .len = 2, .src = A - 16, .dst = 512),
	VEC(-EFAULT, COPY, .len = 1, .src = A, .dst = 512),
	VEC(-EFAULT, COPY, .len = 1, .src = -16ULL, .dst = 512),
	VEC(-EFAULT, COPY, .len = 1, .src = -8ULL, .dst = 512),
	/* ... and dst, given the list. */
	VEC(16, COPY, .len = 1, .dst = 48),
	VEC(16, COPY, .len = 1, .dst = 80),
	VEC(-EINVAL, COPY, .len = 1, .dst = 64),
	VEC(-EINVAL, COPY, .len = 1, .dst = 49),
	VEC(-EINVAL, COPY, .len = 1, .dst = 79),
	VEC(-EFAULT, COPY, .len = 1, .dst = A - 15),
	VEC(-EFAULT, COPY, .len = 1, .dst = A),
	VEC(-EFAULT, COPY, .len = 1, .dst = -1ULL),
	VEC(-EFAULT, COPY, .len = 1, .dst = -16ULL),
	VEC(-EFAULT, COMPARE, .len = 1, .dst = A - 15),
	VEC(16, COMPARE, .len = 1, .dst = 64),
	VEC(16, XOR, .len = 1, .dst = 512),
	VEC(-EINVAL, XOR, .len = 1, .dst = 70),
	VEC(-EFAULT, XOR, .len = 1, .dst = A - 15),
	VEC(32, SHA256, .len = 1, .dst = 64),
	VEC(64, SHA512, .len = 1, .dst = 64),
	VEC(-EFAULT, SHA512, .len = 1, .dst = A - 63),
	VEC(8, XXHASH64, .len = 1, .dst = 64),
	VEC(-EFAULT, XXHASH64, .len = 1, .dst = A - 7),
	VEC(-EINVAL, CRC32C, .len = 1, .dst = 512),
	VEC(-EINVAL, CRC32C, .len = 1, .arg = 1ULL << 32),
	VEC(16, FILL, .len = 1),
	VEC(-EINVAL, FILL, .len = 1, .dst = 512),
	VEC(-EINVAL, FILL),
};

static void refused(void)
{
	static const struct wsq_vec one = { .off = 64, .len = 16 };
	struct ring r;
	unsigned int i;

	ring_open(&r, 4, 0, ARENA);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		test_at("row", i);
		memcpy(r.arena, &one, sizeof(one));
		memcpy(r.arena + ARENA - 16, &one, sizeof(one));
		EXPECT_EQ(ring_do(&r, &rows[i].sqe), rows[i].res);
	}
	ring_close(&r);
	/* Without an arena every range is outside. */
	ring_open(&r, 4, 0, 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		test_at("row without arena", i);
		if (rows[i].res > 0 || rows[i].res == -EFAULT)
			EXPECT_EQ(ring_do(&r, &rows[i].sqe), -EFAULT);
	}
	ring_close(&r);
}

/* Errors in a list are found when the task begins. */
static void lists_refused(void)
{
	static const struct {
		long long res;
		uint16_t op;
		struct wsq_vec list[3];
	} lists[] = {
		{ 24, WSQ_OP_COPY, { { 0, 8 }, { 0, 8 }, { A - 8, 8 } } },
		{ -EINVAL, WSQ_OP_COPY, { { 0, 8 }, { 0, 0 }, { 0, 8 } } },
		{ -EINVAL, WSQ_OP_COPY, { { 0, 8 }, { 0, 8 }, { 0, 0 } } },
		{ -EFAULT, WSQ_OP_COPY, { { 0, 8 }, { A - 7, 8 }, { 0, 8 } } },
		{ -EFAULT, WSQ_OP_COPY, { { 0, 8 }, { A, 1 }, { 0, 8 } } },
		{ -EFAULT, WSQ_OP_COPY, { { 0, 8 }, { -1ULL, 1 }, { 0, 8 } } },
		{ -EFAULT, WSQ_OP_COPY, { { 0, 8 }, { -1ULL, 2 }, { 0, 8 } } },
		{ -EFAULT, WSQ_OP_COPY, { { 0, A + 1 }, { 0, 8 }, { 0, 8 } } },
		{ -E2BIG, WSQ_OP_COPY, { { 0, 8 }, { 0, -1ULL }, { 0, 8 } } },
		{ -E2BIG, WSQ_OP_COPY, { { 0, 8 }, { 0, -8ULL }, { 0, 8 } } },
		{ -E2BIG, WSQ_OP_COPY, { { 0, MAX + 1 }, { 0, 8 }, { 0, 8 } } },
		{ -E2BIG, WSQ_OP_COPY, { { 0, 8 }, { 0, MAX - 7 }, { 0, 8 } } },
		/* The last of them is in dst. */
		{ -EINVAL, WSQ_OP_COPY, { { 0, 8 }, { 0, 8 }, { A / 2 + 23, 8 } } },
		{ 24, WSQ_OP_COPY, { { 0, 8 }, { 0, 8 }, { A / 2 + 24, 8 } } },
		{ 8, WSQ_OP_XOR, { { 0, 8 }, { 0, 8 }, { A - 8, 8 } } },
		{ -EINVAL, WSQ_OP_XOR, { { 0, 8 }, { 0, 8 }, { 0, 9 } } },
		{ -EINVAL, WSQ_OP_XOR, { { 0, 8 }, { 0, 7 }, { 0, 8 } } },
		{ -EINVAL, WSQ_OP_XOR, { { 0, 8 }, { 0, 8 }, { A / 2 + 7, 8 } } },
		{ 8, WSQ_OP_XOR, { { 0, 8 }, { 0, 8 }, { A / 2 + 8, 8 } } },
		{ -EFAULT, WSQ_OP_XOR, { { 0, A }, { 0, A }, { 0, A } } },
		{ -EINVAL, WSQ_OP_SHA256, { { 0, 8 }, { 0, 8 }, { 0, 0 } } },
		{ -EFAULT, WSQ_OP_SHA512, { { 0, 8 }, { 0, 8 }, { A, 1 } } },
		{ -E2BIG, WSQ_OP_XXHASH64, { { 0, 8 }, { 0, 8 }, { 0, MAX } } },
	};
	const uint64_t at = 4096;
	struct wsq_sqe sqe;
	unsigned int i;
	struct ring r;

	ring_open(&r, 4, 0, ARENA);
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		test_at("list", i);
		memcpy(r.arena + at, lists[i].list, sizeof(lists[i].list));
		memset(r.arena + A / 2, 0x5a, 64);
		sqe = (struct wsq_sqe) {
			.op = lists[i].op, .flags = WSQ_SQE_VEC, .src = at,
			.len = 3, .dst = A / 2,
		};
		EXPECT_EQ(ring_do(&r, &sqe), lists[i].res);
		/* A refused task has written nothing. */
		if (lists[i].res < 0) {
			uint8_t same[64];

			memset(same, 0x5a, 64);
			EXPECT(!memcmp(r.arena + A / 2, same, 64));
		}
		/* Fill has no dst, but the same list. */
		if (lists[i].op == WSQ_OP_COPY && i < 12) {
			sqe.op = WSQ_OP_FILL;
			sqe.dst = 0;
			EXPECT_EQ(ring_do(&r, &sqe), lists[i].res);
		}
	}
	ring_close(&r);
}

/* Random lists, against the concatenated ranges. */
static void lists(void)
{
	const uint64_t half = ARENA / 2, quarter = ARENA / 4;
	uint8_t *all = malloc(ARENA), *was = malloc(ARENA), want[32];
	uint64_t seed = 4711, pattern, got, k, at;
	unsigned int round, i, nr;
	struct ring r;

	ring_open(&r, 4, 0, ARENA);
	for (round = 0; round < 300; round++) {
		uint64_t most = round % 3 ? 100 : quarter / 16, total = 0, len;
		uint64_t dst = half + rnd(&seed) % 64;
		struct wsq_vec v[16];
		struct wsq_sqe sqe;

		test_at("round", round);
		nr = 1 + rnd(&seed) % 16;
		fill(r.arena, ARENA, round + 1);
		for (i = 0; i < nr; i++) {
			v[i].len = 1 + rnd(&seed) % most;
			v[i].off = 1024 + rnd(&seed) % quarter;
			memcpy(all + total, r.arena + v[i].off, v[i].len);
			total += v[i].len;
		}
		at = 8 * (rnd(&seed) % 64);
		memcpy(r.arena + at, v, nr * sizeof(v[0]));
		memcpy(was, r.arena, ARENA);
		sqe = (struct wsq_sqe) { .op = WSQ_OP_COPY, .src = at,
					 .len = nr, .dst = dst,
					 .flags = WSQ_SQE_VEC };
		EXPECT_EQ(ring_do(&r, &sqe), total);
		memcpy(was + dst, all, total);
		EXPECT(!memcmp(r.arena, was, ARENA));

		sqe.op = WSQ_OP_COMPARE;
		EXPECT_EQ(ring_do(&r, &sqe), total);
		k = rnd(&seed) % total;
		r.arena[dst + k] ^= 4;
		EXPECT_EQ(ring_do(&r, &sqe), k);

		sqe.op = WSQ_OP_SHA256;
		EXPECT_EQ(ring_do(&r, &sqe), 32);
		ref_sha256(all, total, want);
		EXPECT(!memcmp(r.arena + dst, want, 32));

		sqe.op = WSQ_OP_XXHASH64;
		sqe.arg = rnd(&seed);
		EXPECT_EQ(ring_do(&r, &sqe), 8);
		memcpy(&got, r.arena + dst, 8);
		EXPECT(got == ref_xxh64(all, total, sqe.arg));

		sqe.op = WSQ_OP_CRC32C;
		sqe.arg = (uint32_t)rnd(&seed);
		sqe.dst = 0;
		EXPECT_EQ(ring_do(&r, &sqe), ref_crc32c(sqe.arg, all, total));

		/* All ranges of one length. */
		len = v[0].len;
		for (i = 0; i < nr; i++)
			v[i].len = len;
		memcpy(r.arena + at, v, nr * sizeof(v[0]));
		memcpy(was, r.arena, ARENA);
		sqe.op = WSQ_OP_XOR;
		sqe.arg = 0;
		sqe.dst = dst;
		EXPECT_EQ(ring_do(&r, &sqe), len);
		for (i = 0; i < nr; i++)
			for (k = 0; k < len; k++)
				was[dst + k] ^= was[v[i].off + k];
		EXPECT(!memcmp(r.arena, was, ARENA));

		sqe.op = WSQ_OP_FILL;
		pattern = rnd(&seed);
		sqe.arg = pattern;
		sqe.dst = 0;
		EXPECT_EQ(ring_do(&r, &sqe), len * nr);
		for (i = 0; i < nr; i++)
			for (k = 0; k < len; k++)
				was[v[i].off + k] = ((uint8_t *)&pattern)
						    [(i * len + k) % 8];
		EXPECT(!memcmp(r.arena, was, ARENA));
	}
	ring_close(&r);
}

static struct ring shared;
static volatile int stop;

/* Lists that change under the tasks: valid, invalid, half of each. */
static void *changer(void *arg)
{
	uint64_t seed = (uintptr_t)arg + 1;
	struct wsq_vec *v = (void *)shared.arena;

	while (!stop) {
		unsigned int i = rnd(&seed) % 16;

		__atomic_store_n(&v[i].off, rnd(&seed) % 4 ?
				 4096 + rnd(&seed) % 4096 : rnd(&seed),
				 __ATOMIC_RELAXED);
		__atomic_store_n(&v[i].len, rnd(&seed) % 4 ?
				 rnd(&seed) % 4096 : rnd(&seed),
				 __ATOMIC_RELAXED);
	}
	return NULL;
}

static void lists_change(void)
{
	static const uint16_t ops[] = {
		WSQ_OP_COPY, WSQ_OP_CRC32C, WSQ_OP_SHA256, WSQ_OP_FILL,
		WSQ_OP_COMPARE, WSQ_OP_XOR, WSQ_OP_XXHASH64, WSQ_OP_SHA512,
	};
	enum { ROUNDS = 800 };
	uint64_t seed = 3, good = 0, bad = 0, round;
	pthread_t threads[2];
	unsigned int i;

	/* Tasks write only between the lists and the end of 256 KiB. */
	ring_open(&shared, 64, 64, ARENA);
	memset(shared.arena + ARENA / 2, 0x5a, ARENA / 2);
	for (i = 0; i < 16; i++)
		((struct wsq_vec *)shared.arena)[i] =
			(struct wsq_vec) { .off = 4096, .len = 64 };
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, changer, (void *)(uintptr_t)i);
	for (round = 0; round < part_of(ROUNDS) ||
	     ((!good || !bad) && round < 20 * ROUNDS); round++) {
		for (i = 0; i < 64; i++) {
			struct wsq_sqe sqe = {
				.op = ops[rnd(&seed) % ARRAY_SIZE(ops)],
				.flags = WSQ_SQE_VEC, .user_data = i,
				.len = 1 + rnd(&seed) % 16, .dst = 1 << 17,
			};

			if (sqe.op == WSQ_OP_FILL || sqe.op == WSQ_OP_CRC32C)
				sqe.dst = 0;
			ring_push(&shared, &sqe);
		}
		EXPECT_EQ(ring_enter(&shared, 64, 64, TIMEOUT_S), 0);
		for (i = 0; i < 64; i++) {
			long long res = ring_take(&shared).res;

			good += res >= 0;
			bad += res < 0;
			if (res < 0 && res != -EINVAL && res != -EFAULT &&
			    res != -E2BIG)
				FAIL("a list gives %lld", res);
		}
	}
	stop = 1;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (i = ARENA / 2; i < ARENA; i++)
		EXPECT_EQ(shared.arena[i], 0x5a);
	ring_close(&shared);
	if (!good || !bad)
		SKIP("all lists were %s", good ? "right" : "wrong");
}

/* A list may be written by a previous task. */
static void list_chained(void)
{
	struct wsq_vec v = { .off = 64, .len = 9 };
	struct wsq_sqe copy = { .op = WSQ_OP_COPY, .flags = WSQ_SQE_LINK,
				.src = 512, .len = 16, .dst = 0 };
	struct wsq_sqe crc = { .op = WSQ_OP_CRC32C, .flags = WSQ_SQE_VEC,
			       .len = 1, .user_data = 1 };
	struct ring r;
	int i;

	ring_open(&r, 4, 0, 4096);
	memcpy(r.arena + 64, "123456789", 9);
	memcpy(r.arena + 512, &v, sizeof(v));
	ring_push(&r, &copy);
	ring_push(&r, &crc);
	EXPECT_EQ(ring_enter(&r, 2, 2, TIMEOUT_S), 0);
	for (i = 0; i < 2; i++) {
		struct wsq_cqe cqe = ring_take(&r);

		EXPECT_EQ(cqe.res, cqe.user_data ? 0xe3069283LL : 16);
	}
	ring_close(&r);
}

/* Long ones end when they are cancelled, and at their deadline. */
static void stopped(void)
{
	static const uint16_t ops[] = {
		WSQ_OP_FILL, WSQ_OP_COMPARE, WSQ_OP_XOR, WSQ_OP_XXHASH64,
		WSQ_OP_SHA512,
	};
	const uint64_t half = MAX;
	unsigned int i, k, early = 0;
	struct ring r;

	ring_open(&r, 4, 0, 2 * half);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		for (k = 0; k < 20; k++) {
			struct wsq_sqe sqe = {
				.op = ops[i], .len = half, .dst = half,
				.flags = WSQ_SQE_DEADLINE,
				.deadline = now_ns() + 200000,
			};
			long long res = ring_do(&r, &sqe);

			early += res == -ETIME;
			if (res < 0)
				EXPECT_EQ(res, -ETIME);
		}
	}
	EXPECT(early);
	ring_close(&r);
}

static const struct test tests[] = {
	{ "vectors", vectors },
	{ "lengths", lengths_each },
	{ "refused", refused },
	{ "lists_refused", lists_refused },
	{ "lists", lists },
	{ "lists_change", lists_change },
	{ "list_chained", list_chained },
	{ "stopped", stopped },
};

TEST_MAIN(tests)
