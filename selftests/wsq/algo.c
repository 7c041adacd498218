// SPDX-License-Identifier: GPL-2.0
/*
 * Ops that idle CPUs take part in: fsverity, sort64, gzip. Their results, what
 * they refuse, many at a time, and how they end early.
 *
 * Needs gunzip and sort, which busybox has.
 */
#include "wsq_test.h"

#include <pthread.h>

#define MAX	(16ULL << 20)
#define CHUNK	131072ULL

static struct wsq_sqe fsverity_of(uint64_t dst, uint64_t src, uint64_t len)
{
	return (struct wsq_sqe) { .op = WSQ_OP_FSVERITY, .dst = dst, .src = src,
				  .len = len };
}

static struct wsq_sqe sort_of(uint64_t dst, uint64_t src, uint64_t len)
{
	return (struct wsq_sqe) { .op = WSQ_OP_SORT64, .dst = dst, .src = src,
				  .len = len };
}

static struct wsq_sqe gzip_of(uint64_t dst, uint64_t src, uint64_t len)
{
	return (struct wsq_sqe) { .op = WSQ_OP_GZIP, .dst = dst, .src = src,
				  .len = len, .arg = WSQ_GZIP_BOUND(len) };
}

/* Some text, with random bytes where deflate is to gain nothing. */
static void fill(uint8_t *p, uint64_t len, uint64_t seed)
{
	uint64_t i;

	for (i = 0; i < len; i++)
		p[i] = i / CHUNK % 3 == 2 ? (uint8_t)rnd(&seed) :
		       (uint8_t)"wsq\n "[rnd(&seed) % 5];
}

/*
 * The root by a loop for each level, and the digest, as the kernel's
 * Documentation/filesystems/fsverity.rst has them.
 */
static void ref_fsverity(const uint8_t *data, uint64_t len, uint8_t out[64])
{
	uint8_t block[4096], desc[256] = { 1, 1, 12 };
	uint64_t nr = (len + 4095) / 4096, i, n;
	uint8_t *level = malloc(nr * 32);

	for (i = 0; i < nr; i++) {
		n = len - i * 4096 < 4096 ? len - i * 4096 : 4096;
		memset(block, 0, sizeof(block));
		memcpy(block, data + i * 4096, n);
		ref_sha256(block, sizeof(block), level + i * 32);
	}
	for (; nr > 1; nr = (nr + 127) / 128) {
		for (i = 0; i * 128 < nr; i++) {
			n = nr - i * 128 < 128 ? nr - i * 128 : 128;
			memset(block, 0, sizeof(block));
			memcpy(block, level + i * 4096, n * 32);
			ref_sha256(block, sizeof(block), level + i * 32);
		}
	}
	memcpy(desc + 8, &len, 8);
	memcpy(desc + 16, level, 32);
	memcpy(out, level, 32);
	ref_sha256(desc, sizeof(desc), out + 32);
	free(level);
}

static void fsverity(void)
{
	/* "fsverity digest" of fsverity-utils, for bytes i * 7 + (i >> 8) + 3. */
	static const struct { uint64_t len; const char *digest; } known[] = {
		{ 1, "83334d2a5a79c35ecec7b206551570ffb7c723db2fb0ea790e9f63bfb4992858" },
		{ 4095, "a249870c1e4bfc8e04297eb3c752fc83185d0b482cd8db7401af27322f6dcce2" },
		{ 4096, "b238a66be7fcd967dafee44f53f784b35935c2fbe763d936c14002c773e88219" },
		{ 4097, "f2408dae2301c60300e752626949b1ebeb95cd4c02d52b5f14633f4dacdc7d76" },
		{ 1 << 19, "6f265b891c39a6b091365549ac275b298fadc1801c631a78c445c86c535edc06" },
		{ (1 << 19) + 1,
		  "c0779f8866206f8b6f79e5ff9f7ffe72b9badbb3aba0c10a686f678a6d0ab58e" },
		{ 3 << 20, "2c8a5dfb393a81ceefdc4ffa657781b1c2bd9a14022103c55d36a839cafc489e" },
	};
	const uint64_t dst = 4 << 20;
	uint64_t seed = 1, i, k;
	struct wsq_sqe sqe;
	uint8_t want[64];
	char text[65];
	struct ring r;

	ring_open(&r, 4, 0, dst + 4096);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		test_at("known", i);
		for (k = 0; k < known[i].len; k++)
			r.arena[k] = k * 7 + (k >> 8) + 3;
		r.arena[dst + 64] = 0x5a;
		sqe = fsverity_of(dst, 0, known[i].len);
		EXPECT_EQ(ring_do(&r, &sqe), 64);
		for (k = 0; k < 32; k++)
			sprintf(text + 2 * k, "%02x", r.arena[dst + 32 + k]);
		EXPECT(!strcmp(text, known[i].digest));
		EXPECT_EQ(r.arena[dst + 64], 0x5a);
		ref_fsverity(r.arena, known[i].len, want);
		EXPECT(!memcmp(r.arena + dst, want, 64));
	}
	/* At any offset; the output may be in the range that is read. */
	for (i = 0; i < 30; i++) {
		uint64_t len = 1 + rnd(&seed) % (i % 3 ? 10000 : 700000);
		uint64_t src = rnd(&seed) % 5000;

		test_at("length", len);
		fill(r.arena + src, len, i + 1);
		ref_fsverity(r.arena + src, len, want);
		sqe = fsverity_of(i % 2 ? src : dst + 1, src, len);
		EXPECT_EQ(ring_do(&r, &sqe), 64);
		EXPECT(!memcmp(r.arena + sqe.dst, want, 64));
	}
	ring_close(&r);
}

static int number_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Start @program on @len bytes; @path: for program_end(). It prints to the result. */
static FILE *program_begin(const char *program, const void *in, uint64_t len,
			   char path[32])
{
	char command[96];
	FILE *f;
	int fd;

	strcpy(path, "/tmp/wsq-algo-XXXXXX");
	fd = mkstemp(path);
	EXPECT(fd >= 0);
	EXPECT_EQ(write(fd, in, len), len);
	close(fd);
	snprintf(command, sizeof(command), "%s <%s", program, path);
	f = popen(command, "r");
	EXPECT(f);
	return f;
}

static void program_end(FILE *f, const char *path)
{
	EXPECT_EQ(pclose(f), 0);
	unlink(path);
}

/* Numbers in the order of sort(1). */
static void sort_by_program(uint64_t *v, uint64_t n)
{
	const unsigned int width = 17;
	char *text = malloc(width * n + 1), path[32];
	unsigned long long number;
	uint64_t k;
	FILE *f;

	for (k = 0; k < n; k++)
		sprintf(text + width * k, "%016llx\n", (unsigned long long)v[k]);
	f = program_begin("LC_ALL=C sort", text, width * n, path);
	for (k = 0; k < n; k++) {
		EXPECT_EQ(fscanf(f, "%llx", &number), 1);
		v[k] = number;
	}
	program_end(f, path);
	free(text);
}

static void sort64(void)
{
	static const uint64_t counts[] = {
		1, 2, 31, 32, 33, 4095, 4096, 4097, 10000, 100000,
	};
	const uint64_t half = 1 << 20;
	uint64_t *want = malloc(half), *v, seed = 1, i, k, n;
	struct wsq_sqe sqe;
	unsigned int order;
	struct ring r;

	ring_open(&r, 4, 0, 2 * half);
	v = (uint64_t *)(r.arena + 24);
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		for (order = 0; order < 4; order++) {
			test_at("count", i);
			n = counts[i];
			for (k = 0; k < n; k++)
				v[k] = order == 0 ? rnd(&seed) :
				       order == 1 ? rnd(&seed) % 4 :
				       order == 2 ? k : n - k;
			memcpy(want, v, 8 * n);
			if (order)
				qsort(want, n, 8, number_compare);
			else
				sort_by_program(want, n);
			memset(r.arena, 0x5a, 24);
			memset(r.arena + 24 + 8 * n, 0x5b, 8);
			memset(r.arena + half, 0x5c, 8 * n + 16);
			sqe = sort_of(half + 8, 24, 8 * n);
			EXPECT_EQ(ring_do(&r, &sqe), 8 * n);
			EXPECT(!memcmp(r.arena + half + 8, want, 8 * n));
			EXPECT_EQ(r.arena[23], 0x5a);
			EXPECT_EQ(r.arena[24 + 8 * n], 0x5b);
			EXPECT_EQ(r.arena[half + 7], 0x5c);
			EXPECT_EQ(r.arena[half + 8 + 8 * n], 0x5c);
		}
	ring_close(&r);
	free(want);
}

/* What gunzip makes of a file with these bytes. */
static void expect_gunzip(const uint8_t *gz, uint64_t n, const uint8_t *want,
			  uint64_t len)
{
	uint8_t *got = malloc(len + 1);
	char path[32];
	FILE *f = program_begin("gunzip -c", gz, n, path);

	EXPECT_EQ(fread(got, 1, len + 1, f), len);
	program_end(f, path);
	EXPECT(!memcmp(got, want, len));
	free(got);
}

static void gzip(void)
{
	static const uint64_t lengths[] = {
		1, 100, 65535, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK,
		7 * CHUNK + 777,
	};
	const uint64_t half = 1 << 20;
	uint8_t *was = malloc(half);
	struct wsq_sqe sqe;
	struct ring r;
	uint64_t i;
	int64_t n;

	ring_open(&r, 4, 0, 2 * half);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		test_at("length", i);
		fill(r.arena + 3, lengths[i], i + 1);
		memcpy(was, r.arena + 3, lengths[i]);
		sqe = gzip_of(half + 1, 3, lengths[i]);
		r.arena[half] = 0x5a;
		r.arena[sqe.dst + sqe.arg] = 0x5b;
		n = ring_do(&r, &sqe);
		EXPECT(n > 0 && (uint64_t)n <= sqe.arg);
		EXPECT(lengths[i] < 1000 || (uint64_t)n < lengths[i]);
		EXPECT_EQ(r.arena[half], 0x5a);
		EXPECT_EQ(r.arena[sqe.dst + sqe.arg], 0x5b);
		EXPECT(!memcmp(r.arena + 3, was, lengths[i]));
		expect_gunzip(r.arena + sqe.dst, n, was, lengths[i]);
	}
	ring_close(&r);
	free(was);
}

#define A	(1ULL << 20)
#define ROW(r, o, ...)	{ r, { .op = WSQ_OP_##o, ##__VA_ARGS__ } }

static void refused(void)
{
	static const struct {
		long long res;
		struct wsq_sqe sqe;
	} rows[] = {
		ROW(64, FSVERITY, .len = 1, .dst = A - 64),
		ROW(-EINVAL, FSVERITY, .dst = 512),
		ROW(-EINVAL, FSVERITY, .len = 1, .arg = 1),
		ROW(-EINVAL, FSVERITY, .len = 1, .flags = WSQ_SQE_VEC),
		ROW(-E2BIG, FSVERITY, .len = MAX + 1),
		ROW(-EFAULT, FSVERITY, .len = 2, .src = A - 1),
		ROW(-EFAULT, FSVERITY, .len = 1, .dst = A - 63),
		ROW(-EFAULT, FSVERITY, .len = 1, .dst = -64ULL),

		ROW(16, SORT64, .len = 16, .dst = 16),
		ROW(-EINVAL, SORT64, .dst = 512),
		ROW(-EINVAL, SORT64, .len = 4, .dst = 512),
		ROW(-EINVAL, SORT64, .len = 15, .dst = 512),
		ROW(-EINVAL, SORT64, .len = 16, .src = 4, .dst = 512),
		ROW(-EINVAL, SORT64, .len = 16, .dst = 513),
		ROW(-EINVAL, SORT64, .len = 16, .dst = 512, .arg = 1),
		ROW(-EINVAL, SORT64, .len = 1, .dst = 512, .flags = WSQ_SQE_VEC),
		ROW(-EINVAL, SORT64, .len = 16, .dst = 8),
		ROW(-EINVAL, SORT64, .len = 16, .src = 8),
		ROW(-EINVAL, SORT64, .len = 16, .src = 8, .dst = 8),
		ROW(-E2BIG, SORT64, .len = MAX + 8, .dst = 512),
		ROW(-EFAULT, SORT64, .len = 16, .src = A - 8, .dst = 512),
		ROW(-EFAULT, SORT64, .len = 16, .dst = A - 8),
		ROW(-EFAULT, SORT64, .len = 16, .dst = -16ULL),

		ROW(-EINVAL, GZIP, .dst = 512, .arg = 99),
		ROW(-EINVAL, GZIP, .len = 1, .dst = 512),
		ROW(-EINVAL, GZIP, .len = 1, .dst = 512, .arg = 33),
		ROW(-EINVAL, GZIP, .len = CHUNK + 1, .dst = 1 << 18,
		    .arg = CHUNK + 66),
		ROW(-EINVAL, GZIP, .len = 1, .dst = 512, .arg = 99,
		    .flags = WSQ_SQE_VEC),
		ROW(-EINVAL, GZIP, .len = 100, .dst = 99, .arg = 200),
		ROW(-EINVAL, GZIP, .len = 100, .src = 600, .dst = 512,
		    .arg = 200),
		ROW(-E2BIG, GZIP, .len = MAX + 1, .dst = 512, .arg = 1),
		ROW(-EINVAL, GZIP, .len = MAX + 1, .dst = 512),
		ROW(-E2BIG, GZIP, .len = -1ULL, .dst = 512, .arg = -1ULL),
		ROW(-EFAULT, GZIP, .len = 1, .src = A, .dst = 512, .arg = 34),
		ROW(-EFAULT, GZIP, .len = 1, .dst = A - 33, .arg = 34),
		ROW(-EFAULT, GZIP, .len = 1, .dst = 512, .arg = A),
		ROW(-EFAULT, GZIP, .len = 1, .dst = 512, .arg = -1ULL),
		ROW(-EFAULT, GZIP, .len = 1, .dst = 512, .arg = -512ULL),
	};
	struct wsq_sqe sqe;
	unsigned int i;
	struct ring r;

	ring_open(&r, 4, 0, A);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		test_at("row", i);
		EXPECT_EQ(ring_do(&r, &rows[i].sqe), rows[i].res);
	}
	/* With all that was refused above just in bounds. */
	sqe = gzip_of(A - 34, 0, 1);
	EXPECT(ring_do(&r, &sqe) > 0);
	sqe = gzip_of(A / 2, 0, CHUNK + 1);
	EXPECT_EQ(sqe.arg, CHUNK + 67);
	EXPECT(ring_do(&r, &sqe) > 0);
	ring_close(&r);
}

/* Many of all kinds at the same time give what one at a time gives. */
static void many(void)
{
	enum { EACH = 8 };
	const uint64_t part = 1 << 18, out = part + 4096;
	uint8_t *was = malloc(part), *want = malloc(out);
	struct wsq_sqe sqe[3 * EACH];
	int64_t res[3 * EACH];
	unsigned int i, round;
	struct ring r;

	ring_open(&r, 64, 64, 3 * EACH * (part + out));
	for (round = 0; round < part_of(4); round++) {
		for (i = 0; i < ARRAY_SIZE(sqe); i++) {
			uint64_t src = i * (part + out), dst = src + part;

			fill(r.arena + src, part, i + 1 + 100 * round);
			sqe[i] = i % 3 == 0 ? fsverity_of(dst, src, part) :
				 i % 3 == 1 ? sort_of(dst, src, part) :
				 gzip_of(dst, src, part);
			sqe[i].user_data = i;
			ring_push(&r, &sqe[i]);
		}
		EXPECT_EQ(ring_enter(&r, ARRAY_SIZE(sqe), ARRAY_SIZE(sqe),
				     TIMEOUT_S), 0);
		for (i = 0; i < ARRAY_SIZE(sqe); i++) {
			struct wsq_cqe cqe = ring_take(&r);

			EXPECT(cqe.user_data < ARRAY_SIZE(sqe));
			res[cqe.user_data] = cqe.res;
		}
		for (i = 0; i < ARRAY_SIZE(sqe); i++) {
			test_at("task", i);
			EXPECT(res[i] > 0);
			fill(was, part, i + 1 + 100 * round);
			if (i % 3 == 0) {
				ref_fsverity(was, part, want);
			} else if (i % 3 == 1) {
				memcpy(want, was, part);
				qsort(want, part / 8, 8, number_compare);
			} else {
				memcpy(want, r.arena + sqe[i].dst, res[i]);
				memcpy(r.arena + sqe[i].src, was, part);
				EXPECT_EQ(ring_do(&r, &sqe[i]), res[i]);
				if (!round && i < 6)
					expect_gunzip(want, res[i], was, part);
			}
			EXPECT(!memcmp(r.arena + sqe[i].dst, want, res[i]));
		}
	}
	ring_close(&r);
	free(was);
	free(want);
}

static struct ring shared;
static volatile int stop;

static void *changer(void *arg)
{
	uint64_t seed = (uintptr_t)arg + 1;

	while (!stop)
		__atomic_store_n((uint64_t *)shared.arena + rnd(&seed) % (A / 8),
				 rnd(&seed), __ATOMIC_RELAXED);
	return NULL;
}

/* Input and output change under the tasks; nothing else does. */
static void changed(void)
{
	enum { ROUNDS = 20 };
	unsigned int round;
	uint64_t i;
	pthread_t threads[2];

	/* The second MiB is not to be touched. */
	ring_open(&shared, 16, 16, 2 * A);
	memset(shared.arena + A, 0x5a, A);
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, changer, (void *)(uintptr_t)i);
	for (round = 0; round < 3 * part_of(ROUNDS); round++) {
		const uint64_t len = A / 2 - 4096;
		struct wsq_sqe sqe = round % 3 == 0 ? fsverity_of(A - 64, 0, len) :
				     round % 3 == 1 ? sort_of(A - len, 0, len) :
				     gzip_of(A - WSQ_GZIP_BOUND(len), 0, len);
		int64_t res = ring_do(&shared, &sqe);

		EXPECT(res > 0 && (uint64_t)res <= WSQ_GZIP_BOUND(len));
	}
	stop = 1;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (i = A; i < 2 * A; i++)
		EXPECT_EQ(shared.arena[i], 0x5a);
	ring_close(&shared);
}

/* The largest of each kind, of 16 MiB. */
static struct wsq_sqe largest(unsigned int kind)
{
	return kind == 0 ? fsverity_of(MAX, 0, MAX) :
	       kind == 1 ? sort_of(MAX, 0, MAX) : gzip_of(MAX, 0, MAX);
}

/* Deadlines and cancellation end each kind early. */
static void stopped(void)
{
	struct wsq_cancel c = { .flags = WSQ_CANCEL_ALL };
	unsigned int kind, k, ended, cancelled;
	struct ring r;

	ring_open(&r, 4, 0, 2 * MAX + 65536);
	for (kind = 0; kind < 3; kind++) {
		test_at("kind", kind);
		for (k = ended = 0; k < 8 || (!ended && k < TRIES); k++) {
			struct wsq_sqe sqe = largest(kind);
			long long res;

			sqe.flags = WSQ_SQE_DEADLINE;
			sqe.deadline = now_ns() + 2 * MSEC;
			res = ring_do(&r, &sqe);
			ended += res == -ETIME;
			if (res < 0)
				EXPECT_EQ(res, -ETIME);
		}
		EXPECT(ended);
		for (k = cancelled = 0; k < 8 || (!cancelled && k < TRIES); k++) {
			struct wsq_sqe sqe = largest(kind);
			struct wsq_cqe cqe;
			int ret;

			ring_push(&r, &sqe);
			EXPECT_EQ(ring_enter(&r, 1, 0, 0), 0);
			usleep(2000);
			c.size = sizeof(c);
			ret = ioctl(r.fd, WSQ_IOC_CANCEL, &c);
			EXPECT(!ret || errno == EALREADY || errno == ENOENT);
			EXPECT_EQ(ring_enter(&r, 0, 1, TIMEOUT_S), 0);
			cqe = ring_take(&r);
			cancelled += cqe.res == -ECANCELED;
			if (cqe.res < 0)
				EXPECT_EQ(cqe.res, -ECANCELED);
		}
		if (!cancelled)
			SKIP("no CANCEL came while a task ran");
	}
	ring_close(&r);
}

/* Rings are closed while such tasks run. */
static void closed(void)
{
	unsigned int kind, k;
	struct ring r;

	for (kind = 0; kind < 3; kind++)
		for (k = 0; k < 4; k++) {
			struct wsq_sqe sqe = largest(kind);

			ring_open(&r, 8, 0, 2 * MAX + 65536);
			ring_push(&r, &sqe);
			ring_push(&r, &sqe);
			EXPECT_EQ(ring_enter(&r, 2, 0, 0), 0);
			usleep(1000 * k);
			ring_close(&r);
		}
	expect_rings(0);
	expect_usable();
}

static const struct test tests[] = {
	{ "fsverity", fsverity },
	{ "sort64", sort64 },
	{ "gzip", gzip },
	{ "refused", refused },
	{ "many", many },
	{ "changed", changed },
	{ "stopped", stopped },
	{ "closed", closed },
};

TEST_MAIN(tests)
