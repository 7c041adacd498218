/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the programs of selftests/wsq: results as TAP, and a ring by the
 * raw ABI. Deliberately not libwsq, which has its own tests: here, nothing
 * stands between the test and the kernel.
 *
 * Each test is a function that runs in its own process, which the parent kills
 * with all its children at a time limit. A test passes by returning; EXPECT,
 * FAIL and SKIP end it otherwise.
 *
 * No verdict depends on the speed of the machine, or on how long it is busy with
 * other work. A test does a number of rounds, not as many as fit in a time. It
 * waits as long as it takes for what must happen; limits end hangs. A test that
 * has to be in time, or whose threads have to meet at random, tries again
 * (TRIES); if that never came, it is skipped and says so. Durations are printed,
 * and not judged.
 */
#ifndef WSQ_TEST_H
#define WSQ_TEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/wsq.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MSEC		1000000ULL
#define SEC		(1000 * MSEC)
/* Longest wait, in ns, for what must happen: only a hang takes as long. */
#define TIMEOUT_S	(600 * SEC)

enum { TEST_PASS = 0, TEST_FAIL = 1, TEST_SKIP = 4 };

struct test {
	const char *name;
	void (*fn)(void);
	int seconds;		/* limit, if that is more than TEST_SECONDS */
};

/*
 * Why a test ended, shared with the process that runs it; the current row of a
 * table, which is printed with a failure. Weak: one for all files of a program.
 */
__attribute__((weak)) char *test_text;
__attribute__((weak)) const char *test_table;
__attribute__((weak)) int test_row;

static inline void test_at(const char *table, int row)
{
	test_table = table;
	test_row = row;
}

static inline void __attribute__((noreturn, format(printf, 2, 3)))
test_end(int status, const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (status == TEST_SKIP)
		strcpy(test_text, text);
	else if (test_table)
		dprintf(1, "# %s, %s %d\n", text, test_table, test_row);
	else
		dprintf(1, "# %s\n", text);
	_exit(status);
}

#define FAIL(fmt, ...) \
	test_end(TEST_FAIL, "%s:%d: " fmt, __FILE__, __LINE__, ##__VA_ARGS__)
#define SKIP(fmt, ...) \
	test_end(TEST_SKIP, fmt, ##__VA_ARGS__)

#define EXPECT(cond) do {						\
	if (!(cond))							\
		FAIL("not true: %s", #cond);				\
} while (0)

#define EXPECT_EQ(a, b) do {						\
	long long a_ = (a), b_ = (b);					\
									\
	if (a_ != b_)							\
		FAIL("%s is %lld, not %s, %lld", #a, a_, #b, b_);	\
} while (0)

/* @call returns -1 and errno, @err is 0 or that errno. */
#define EXPECT_ERR(call, err) do {					\
	int err_ = (long)(call) == -1L ? errno : 0;			\
									\
	if (err_ != (err))						\
		FAIL("%s: %s (%d), not %d", #call, strerror(err_),	\
		     err_, (int)(err));					\
} while (0)

/* Longer than one wait of TIMEOUT_S, whose message says more. */
#define TEST_SECONDS	1200

/*
 * Tries of something that depends on which thread gets a CPU first. A defect
 * shows in each of them.
 */
#define TRIES		100

/* $WSQ_PART: a random test should do one of so many parts. */
static inline uint64_t parts(void)
{
	const char *s = getenv("WSQ_PART");
	uint64_t nr = s ? strtoull(s, NULL, 10) : 1;

	return nr ? nr : 1;
}

/* One part of so many rounds, or the like, rounded up. */
static inline uint64_t part_of(uint64_t whole)
{
	return (whole + parts() - 1) / parts();
}

static inline int test_run(const struct test *t)
{
	int limit = TEST_SECONDS * 20, status, i;
	pid_t pid;

	if (t->seconds > TEST_SECONDS)
		limit = t->seconds * 20;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return TEST_FAIL;
	if (!pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		t->fn();
		_exit(TEST_PASS);
	}
	setpgid(pid, pid);
	for (i = 0; i < limit; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			break;
		usleep(50000);
	}
	/* Children that the test left behind are killed, too. */
	kill(-pid, SIGKILL);
	if (i == limit) {
		printf("# %s: time limit\n", t->name);
		waitpid(pid, &status, 0);
		return TEST_FAIL;
	}
	if (WIFSIGNALED(status)) {
		printf("# %s: killed by signal %d\n", t->name,
		       WTERMSIG(status));
		return TEST_FAIL;
	}
	return WEXITSTATUS(status);
}

static inline int test_main(const struct test *tests, int nr)
{
	int failed = 0, i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	test_text = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (test_text == MAP_FAILED)
		return 1;
	printf("TAP version 13\n1..%d\n", nr);
	for (i = 0; i < nr; i++) {
		int ret = test_run(&tests[i]);

		if (ret == TEST_SKIP) {
			printf("ok %d %s # SKIP %s\n", i + 1, tests[i].name,
			       test_text);
			continue;
		}
		printf("%sok %d %s\n", ret ? "not " : "", i + 1,
		       tests[i].name);
		failed += !!ret;
	}
	return failed ? 1 : 0;
}

#define TEST_MAIN(tests)						\
int main(void)								\
{									\
	return test_main(tests, ARRAY_SIZE(tests));			\
}

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SEC + t.tv_nsec;
}

/* xorshift64; @state is not 0. */
static inline uint64_t rnd(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

/* A ring, as the process sees it. */
struct ring {
	int fd;
	struct wsq_setup s;
	struct wsq_ring_page *page;
	struct wsq_cqe *cqes;
	struct wsq_sqe *sqes;
	uint8_t *arena;
	uint64_t tail;		/* of submission entries filled */
	uint64_t head;		/* of completion entries read */
	struct wsq_enter e;	/* as the last ENTER left it */
};

static inline int dev_open(void)
{
	int fd = open(WSQ_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		FAIL("%s: %s", WSQ_DEVICE, strerror(errno));
	return fd;
}

static inline void *ring_mmap(int fd, uint64_t off, size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, off);

	if (p == MAP_FAILED)
		FAIL("mmap at %#llx: %s", (unsigned long long)off,
		     strerror(errno));
	return p;
}

static inline void ring_map(struct ring *r)
{
	r->page = ring_mmap(r->fd, WSQ_OFF_RINGS, r->s.rings_bytes);
	r->cqes = (void *)((char *)r->page + r->s.cqes_off);
	r->sqes = ring_mmap(r->fd, WSQ_OFF_SQES, r->s.sqes_bytes);
	r->arena = NULL;
	if (r->s.arena_bytes)
		r->arena = ring_mmap(r->fd, WSQ_OFF_ARENA, r->s.arena_bytes);
}

/* On an open file; @flags are WSQ_SETUP_*, @cq may be 0. */
static inline void ring_make_flags(struct ring *r, int fd, unsigned int flags,
				   unsigned int sq, unsigned int cq,
				   uint64_t arena)
{
	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->s.size = sizeof(r->s);
	r->s.flags = flags;
	r->s.sq_entries = sq;
	r->s.cq_entries = cq;
	r->s.arena_size = arena;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, &r->s), 0);
	ring_map(r);
}

static inline void ring_make(struct ring *r, int fd, unsigned int sq,
			     unsigned int cq, uint64_t arena)
{
	ring_make_flags(r, fd, 0, sq, cq, arena);
}

static inline void ring_open(struct ring *r, unsigned int sq, unsigned int cq,
			     uint64_t arena)
{
	ring_make(r, dev_open(), sq, cq, arena);
}

static inline void ring_unmap(struct ring *r)
{
	munmap(r->page, r->s.rings_bytes);
	munmap(r->sqes, r->s.sqes_bytes);
	if (r->arena)
		munmap(r->arena, r->s.arena_bytes);
}

static inline void ring_close(struct ring *r)
{
	ring_unmap(r);
	close(r->fd);
}

/* Fills the next entry. There must be space. */
static inline void ring_push(struct ring *r, const struct wsq_sqe *sqe)
{
	r->sqes[r->tail++ & (r->s.sq_entries - 1)] = *sqe;
}

static inline void ring_push_nop(struct ring *r, uint64_t user_data)
{
	struct wsq_sqe sqe = { .op = WSQ_OP_NOP, .user_data = user_data };

	ring_push(r, &sqe);
}

/* Returns 0 or a negative errno. */
static inline int ring_enter(struct ring *r, unsigned int submit,
			     unsigned int min, uint64_t timeout_ns)
{
	r->e = (struct wsq_enter) {
		.size = sizeof(r->e),
		.to_submit = submit,
		.min_complete = min,
		.timeout_ns = timeout_ns,
	};
	__atomic_store_n(&r->page->sq_tail, r->tail, __ATOMIC_RELEASE);
	return ioctl(r->fd, WSQ_IOC_ENTER, &r->e) ? -errno : 0;
}

/* The next completion entry that can be read, or NULL. */
static inline struct wsq_cqe *ring_peek(struct ring *r)
{
	uint64_t n = r->head;
	struct wsq_cqe *cqe = &r->cqes[n & (r->s.cq_entries - 1)];

	if (__atomic_load_n(&cqe->seq, __ATOMIC_ACQUIRE) !=
	    (uint32_t)(n / r->s.cq_entries) + 1)
		return NULL;
	return cqe;
}

/* Returns it to the kernel. */
static inline void ring_seen(struct ring *r)
{
	r->head++;
	__atomic_store_n(&r->page->cq_head, r->head, __ATOMIC_RELEASE);
}

/* Takes the next completion entry; it has to be there. */
static inline struct wsq_cqe ring_take(struct ring *r)
{
	struct wsq_cqe *p = ring_peek(r), cqe;

	if (!p)
		FAIL("completion %llu is not there",
		     (unsigned long long)r->head);
	cqe = *p;
	ring_seen(r);
	return cqe;
}

/*
 * Takes the completions of all tasks, by user_data from 0 to @nr - 1, each once.
 * @res holds RING_NO_RESULT for each.
 */
#define RING_NO_RESULT	12345

static inline void ring_results(struct ring *r, int64_t *res, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct wsq_cqe cqe = ring_take(r);

		EXPECT(cqe.user_data < nr);
		EXPECT_EQ(res[cqe.user_data], RING_NO_RESULT);
		res[cqe.user_data] = cqe.res;
	}
	EXPECT(!ring_peek(r));
}

/* One task from beginning to end; returns its res. */
static inline int64_t ring_do(struct ring *r, const struct wsq_sqe *sqe)
{
	struct wsq_cqe cqe;

	ring_push(r, sqe);
	EXPECT_EQ(ring_enter(r, 1, 1, TIMEOUT_S), 0);
	EXPECT_EQ(r->e.submitted, 1);
	cqe = ring_take(r);
	EXPECT_EQ(cqe.user_data, sqe->user_data);
	return cqe.res;
}

/* Checks that a task goes through a new ring. */
static inline void expect_usable(void)
{
	struct wsq_sqe sqe = { .op = WSQ_OP_CRC32C, .len = 9, .user_data = 7 };
	struct ring r;

	ring_open(&r, 1, 0, 4096);
	memcpy(r.arena, "123456789", 9);
	EXPECT_EQ(ring_do(&r, &sqe), 0xe3069283LL);
	ring_close(&r);
}

static inline void module_stats(struct wsq_stats *st)
{
	int fd = dev_open();

	memset(st, 0, sizeof(*st));
	st->size = sizeof(*st);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_STATS, st), 0);
	close(fd);
}

/* Waits until other, started processes have so many rings. */
static inline void await_rings(unsigned int nr)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	struct wsq_stats st;

	for (;;) {
		module_stats(&st);
		if (st.rings >= nr)
			return;
		if (now_ns() > end)
			FAIL("%u rings, not %u", st.rings, nr);
		usleep(1000);
	}
}

/* Rings that are no longer in use are freed soon, not at once. */
static inline void expect_rings(unsigned int nr)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	struct wsq_stats st;

	do {
		module_stats(&st);
		if (st.rings == nr)
			return;
		usleep(10000);
	} while (now_ns() < end);
	FAIL("%u rings at the end, not %u", st.rings, nr);
}

/* CRC-32C, bit by bit. */
static inline uint32_t ref_crc32c(uint32_t crc, const uint8_t *p, size_t len)
{
	int i;

	crc = ~crc;
	while (len--) {
		crc ^= *p++;
		for (i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

/* The kernel's fdinfo of an open file. */
static inline void fdinfo_of(int fd, char *buf, size_t size)
{
	char path[64];
	ssize_t n;
	int f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = open(path, O_RDONLY);
	EXPECT(f >= 0);
	n = read(f, buf, size - 1);
	EXPECT(n > 0);
	buf[n] = 0;
	close(f);
}

/* SHA-256 as in FIPS 180-4. */
static inline void ref_sha256_block(uint32_t h[8], const uint8_t *p)
{
	static const uint32_t k[64] = {
		0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
		0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
		0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7,
		0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
		0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
		0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
		0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
		0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
		0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
		0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
		0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
		0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
		0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
	};
	uint32_t w[64], v[8], t1, t2;
	int i;

#define ROR(x, n) ((x) >> (n) | (x) << (32 - (n)))
	for (i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | p[4 * i + 1] << 16 |
		       p[4 * i + 2] << 8 | p[4 * i + 3];
	for (; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (ROR(w[i - 15], 7) ^ ROR(w[i - 15], 18) ^
			w[i - 15] >> 3) +
		       (ROR(w[i - 2], 17) ^ ROR(w[i - 2], 19) ^
			w[i - 2] >> 10);
	memcpy(v, h, sizeof(v));
	for (i = 0; i < 64; i++) {
		t1 = v[7] + (ROR(v[4], 6) ^ ROR(v[4], 11) ^ ROR(v[4], 25)) +
		     ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
		t2 = (ROR(v[0], 2) ^ ROR(v[0], 13) ^ ROR(v[0], 22)) +
		     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(&v[1], &v[0], 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (i = 0; i < 8; i++)
		h[i] += v[i];
#undef ROR
}

static inline void ref_sha256(const uint8_t *p, size_t len, uint8_t out[32])
{
	uint32_t h[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};
	uint64_t bits = (uint64_t)len * 8;
	uint8_t last[128] = { 0 };
	size_t rest = len % 64, i, end;

	for (i = 0; i < len / 64; i++)
		ref_sha256_block(h, p + 64 * i);
	memcpy(last, p + 64 * i, rest);
	last[rest] = 0x80;
	end = rest < 56 ? 64 : 128;
	for (i = 0; i < 8; i++)
		last[end - 1 - i] = bits >> (8 * i);
	ref_sha256_block(h, last);
	if (end == 128)
		ref_sha256_block(h, last + 64);
	for (i = 0; i < 32; i++)
		out[i] = h[i / 4] >> (24 - 8 * (i % 4));
}

/* CRC-32C and SHA-256 of something, through a ring with an arena of 8 KiB or more. */
static inline void ring_sums(struct ring *r, uint64_t *seed)
{
	uint64_t len = 1 + rnd(seed) % 2000, i;
	struct wsq_sqe sqe = { .len = len, .user_data = r->tail };
	uint8_t want[32];

	for (i = 0; i < len; i++)
		r->arena[i] = rnd(seed);
	sqe.op = WSQ_OP_CRC32C;
	EXPECT_EQ(ring_do(r, &sqe), ref_crc32c(0, r->arena, len));
	sqe.op = WSQ_OP_SHA256;
	sqe.dst = 4096;
	EXPECT_EQ(ring_do(r, &sqe), 32);
	ref_sha256(r->arena, len, want);
	EXPECT(!memcmp(r->arena + 4096, want, 32));
}

/*
 * A killed child ends. That it does not wait for its work in flight is tested by
 * kill.c.
 */
static inline void expect_killed(pid_t pid)
{
	int status;

	EXPECT_ERR(kill(pid, SIGKILL), 0);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

#endif /* WSQ_TEST_H */
