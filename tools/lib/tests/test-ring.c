// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * Tests of rings against the fake module, one thread: every call, every error
 * that the library makes or passes on, wrap-around of both rings.
 */
#include <nettle/sha2.h>

#include "fake.h"
#include "tap.h"

#define MS	1000000ULL

static void reset(void)
{
	fake_cfg = (struct fake_cfg){ .threads = 2, .cpus = 4 };
	fake_enters = 0;
}

static void init_exit(void)
{
	struct wsq_params p = { .cq_entries = 64 };
	struct wsq_ring r;
	int fd;

	reset();
	CHECK(wsq_queue_init(8, 10000, &r, 0) == 0);
	CHECK(r.sq.entries == 8 && r.cq.entries == 16);
	CHECK(wsq_arena_size(&r) == 12288 && wsq_arena_base(&r));
	CHECK(wsq_ring_fd(&r) >= 0);
	CHECK(wsq_arena_off(&r, wsq_arena_ptr(&r, 77)) == 77);
	wsq_queue_exit(&r);
	wsq_queue_exit(&r);		/* a second time does nothing */
	CHECK(fake_live == 0);

	CHECK(wsq_queue_init_params(8, 0, &r, &p) == 0);
	CHECK(r.cq.entries == 64 && r.cq.shift == 6 && !wsq_arena_base(&r));
	CHECK(wsq_arena_alloc(&r, 1, 1) == -ENOMEM);
	wsq_queue_exit(&r);
	CHECK(fake_live == 0);

	fd = wsq_open(NULL);
	p.flags = WSQ_INIT_FD;
	p.fd = fd;
	CHECK(wsq_queue_init_params(8, 0, &r, &p) == 0);
	CHECK(wsq_ring_fd(&r) == fd);
	wsq_queue_exit(&r);
	CHECK(fake_live == 0);
}

static void init_errors(void)
{
	struct wsq_params p = { .flags = 2 };
	struct wsq_ring r;
	int i;

	reset();
	CHECK(wsq_queue_init(3, 0, &r, 0) == -EINVAL);
	CHECK(wsq_queue_init(0, 0, &r, 0) == -EINVAL);
	CHECK(wsq_queue_init(8, 0, &r, WSQ_INIT_FD) == -EINVAL);
	CHECK(wsq_queue_init(8, 0, &r, 0x80) == -EINVAL);
	CHECK(wsq_queue_init_params(8, 0, &r, &p) == -EINVAL);
	p = (struct wsq_params){ .rsv[4] = 1 };
	CHECK(wsq_queue_init_params(8, 0, &r, &p) == -EINVAL);
	p = (struct wsq_params){ .flags = WSQ_INIT_FD, .fd = -1 };
	CHECK(wsq_queue_init_params(8, 0, &r, &p) == -EBADF);
	p = (struct wsq_params){ .flags = WSQ_INIT_FD, .fd = wsq_open(NULL) };
	CHECK(wsq_queue_init_params(3, 0, &r, &p) == -EINVAL);
	CHECK(fake_live == 1);		/* the file is still the caller's */
	wsq_close(p.fd);
	fake_cfg.open_err = -ENOENT;
	CHECK(wsq_queue_init(8, 0, &r, 0) == -ENOENT);
	fake_cfg.open_err = 0;
	fake_cfg.setup_err = -ENOMEM;
	CHECK(wsq_queue_init(8, 0, &r, 0) == -ENOMEM);
	fake_cfg.setup_err = 0;
	for (i = 1; i <= 3; i++) {
		fake_cfg.mmap_fail = i;
		CHECK(wsq_queue_init(8, 4096, &r, 0) == -ENOMEM);
		CHECK(wsq_ring_fd(&r) == -1);
		CHECK(fake_live == 0);
	}
	wsq_queue_exit(&r);
}

static void query_stats(void)
{
	struct wsq_cpu_stats cpus[2];
	unsigned char old[3 * 88];
	struct wsq_op_info info[2];
	struct wsq_query q = { .sq_entries = 8 };
	struct wsq_stats st;
	int fd;

	reset();
	fd = wsq_open(NULL);
	CHECK(wsq_query(fd, &q, info, 2) == 0);
	CHECK(q.nr_ops == WSQ_OP_NR && q.memory && q.nr_nodes == 2);
	CHECK(!strcmp(info[1].name, "copy"));
	CHECK(wsq_query(fd, &q, NULL, 7) == 0 && q.nr_ops == WSQ_OP_NR);
	CHECK(wsq_stats(fd, &st, cpus, 2) == 0);
	CHECK(st.nr_cpus == 4 && cpus[1].cpu == 1);
	CHECK(wsq_stats(fd, &st, NULL, 9) == 0 && st.nr_cpus == 4);
	/* A program of before the struct grew, by the symbol that it has. */
	memset(old, 0x55, sizeof(old));
	CHECK((wsq_stats)(fd, &st, (void *)old, 2) == 0);
	CHECK(((struct wsq_cpu_stats *)(void *)&old[88])->cpu == 1);
	CHECK(old[2 * 88 - 1] == 0 && old[2 * 88] == 0x55);
	CHECK(wsq_stats_sized(fd, &st, cpus, 2, 80) == -EINVAL);
	CHECK(wsq_stats_sized(fd, &st, cpus, 2, 1UL << 32 | 96) == -EINVAL);
	CHECK(wsq_close(fd) == 0);
	CHECK(wsq_close(fd) == -EBADF);
}

static void ops(void)
{
	struct wsq_ring r;
	struct wsq_cqe *cqe;
	struct wsq_sqe *sqe;
	unsigned char want[32];
	struct sha256_ctx ctx;
	unsigned int i, seen = 0;
	__s64 a, b;

	reset();
	fake_cfg.threads = 1;
	CHECK(wsq_queue_init(8, 1 << 16, &r, 0) == 0);
	a = wsq_arena_alloc(&r, 9, 64);
	b = wsq_arena_alloc(&r, 32, 64);
	memcpy(wsq_arena_ptr(&r, a), "123456789", 9);
	for (i = 0; i < 5; i++) {
		sqe = wsq_get_sqe(&r);
		memset(sqe, 0xff, sizeof(*sqe));	/* prep clears it */
		if (i == 0)
			wsq_prep_nop(sqe);
		else if (i == 1)
			wsq_prep_crc32c(sqe, a, 9, 0);
		else if (i == 2)
			wsq_prep_copy(sqe, b, a, 9);
		else if (i == 3)
			wsq_prep_sha256(sqe, b, a, 9);
		else
			wsq_prep_copy(sqe, a, a, 9);	/* overlaps */
		wsq_sqe_set_data64(sqe, 100 + i);
	}
	CHECK(wsq_sq_ready(&r) == 5 && wsq_sq_space_left(&r) == 3);
	CHECK(wsq_submit_and_wait(&r, 5, WSQ_NO_TIMEOUT) == 5);
	CHECK(fake_enters == 1);
	while (!wsq_peek_cqe(&r, &cqe)) {
		static const __s64 res[] = { 0, 0xe3069283, 9, 32, -EINVAL };

		i = wsq_cqe_get_data64(cqe) - 100;
		CHECK(i < 5 && cqe->res == res[i]);
		seen |= 1 << i;
		wsq_cqe_seen(&r, cqe);
	}
	CHECK(seen == 31 && !cqe && wsq_in_flight(&r) == 0);
	wsq_cqe_seen(&r, NULL);
	sha256_init(&ctx);
	sha256_update(&ctx, 9, (const void *)"123456789");
	sha256_digest(&ctx, 32, want);
	CHECK(!memcmp(wsq_arena_ptr(&r, b), want, 32));
	CHECK(wsq_arena_free(&r, b) == 0 && wsq_arena_free(&r, b) == -EINVAL);
	CHECK(wsq_arena_largest(&r) == 1 << 15);
	wsq_queue_exit(&r);
	CHECK(fake_live == 0);
}

static void sq_full(void)
{
	struct wsq_ring r;
	unsigned int i;

	reset();
	CHECK(wsq_queue_init(4, 0, &r, 0) == 0);
	CHECK(wsq_submit(&r) == 0 && fake_enters == 0);	/* nothing to do */
	for (i = 0; i < 4; i++)
		wsq_prep_nop(wsq_get_sqe(&r));
	CHECK(!wsq_get_sqe(&r));
	fake_cfg.take_max = 3;
	CHECK(wsq_submit(&r) == 3);
	CHECK(wsq_sq_ready(&r) == 1 && wsq_sq_space_left(&r) == 3);
	CHECK(wsq_submit(&r) == 1);
	CHECK(wsq_sq_ready(&r) == 0);
	wsq_queue_exit(&r);
}

/* Each completion entry is spoken for: EAGAIN, the entries stay, and go later. */
static void cq_full(void)
{
	struct wsq_ring r;
	struct wsq_cqe *cqes[16];
	unsigned int i, n;

	reset();
	CHECK(wsq_queue_init(4, 0, &r, 0) == 0);
	for (i = 0; i < 10; i++) {
		if (!wsq_sq_space_left(&r))
			CHECK(wsq_submit(&r) > 0);
		wsq_prep_nop(wsq_get_sqe(&r));
	}
	CHECK(wsq_submit(&r) == -EAGAIN);
	CHECK(wsq_sq_ready(&r) == 2 && wsq_in_flight(&r) == 8);
	CHECK(wsq_wait_cqes(&r, cqes, 8, WSQ_NO_TIMEOUT) == 0);
	CHECK(wsq_peek_batch_cqe(&r, cqes, 16) == 8);
	wsq_cq_advance(&r, 1);
	/* One slot: one goes, the wait is still satisfied in full. */
	CHECK(wsq_submit_and_wait(&r, 8, WSQ_NO_TIMEOUT) == 1);
	n = wsq_peek_batch_cqe(&r, cqes, 16);
	CHECK(n == 8);
	wsq_cq_advance(&r, n);
	CHECK(wsq_submit_and_wait(&r, 1, WSQ_NO_TIMEOUT) == 1);
	CHECK(wsq_peek_batch_cqe(&r, cqes, 16) == 1);
	wsq_queue_exit(&r);
}

static void waiting(void)
{
	struct wsq_cqe *cqe;
	struct wsq_ring r;

	reset();
	fake_cfg.hold = true;
	CHECK(wsq_queue_init(4, 0, &r, 0) == 0);
	CHECK(wsq_peek_cqe(&r, &cqe) == -EAGAIN && !cqe);
	CHECK(wsq_wait_cqes(&r, &cqe, 0, WSQ_NO_TIMEOUT) == 0 && !cqe);
	CHECK(wsq_wait_cqes(&r, &cqe, 9, 0) == -EINVAL);
	CHECK(wsq_wait_cqe(&r, &cqe) == -EDEADLK);
	CHECK(wsq_wait_cqes(&r, &cqe, 1, 0) == -ETIME);
	CHECK(wsq_wait_cqes(&r, &cqe, 1, 2 * MS) == -ETIME && !cqe);
	CHECK(wsq_submit_and_wait(&r, 1, WSQ_NO_TIMEOUT) == -EDEADLK);
	wsq_prep_nop(wsq_get_sqe(&r));
	/* What is not handed over is not waited for. */
	CHECK(wsq_wait_cqe(&r, &cqe) == -EDEADLK);
	/* Taken, then timed out: the count wins, peek tells. */
	CHECK(wsq_submit_and_wait(&r, 1, MS) == 1);
	CHECK(wsq_peek_cqe(&r, &cqe) == -EAGAIN);
	CHECK(wsq_submit_and_wait(&r, 1, MS) == -ETIME);
	fake_cfg.enter_err = -EINTR;
	CHECK(wsq_wait_cqe(&r, &cqe) == -EINTR && !cqe);
	CHECK(wsq_wait_cqes(&r, &cqe, 1, ~1ULL >> 40) == -ETIME);
	wsq_queue_exit(&r);
	CHECK(fake_live == 0);
}

/* The second entry becomes visible first: peek waits for the first. */
static void out_of_order(void)
{
	struct wsq_cqe *cqe, *two[4];
	struct wsq_ring r;

	reset();
	fake_cfg.threads = 0;
	fake_cfg.swap = true;
	CHECK(wsq_queue_init(4, 0, &r, 0) == 0);
	wsq_prep_nop(wsq_get_sqe(&r));
	wsq_prep_nop(wsq_get_sqe(&r));
	CHECK(wsq_submit_and_wait(&r, 1, WSQ_NO_TIMEOUT) == 2);
	CHECK(wsq_peek_cqe(&r, &cqe) == 0);
	CHECK(wsq_peek_batch_cqe(&r, two, 4) == 2);
	wsq_queue_exit(&r);
}

/* Both rings go round many times; every id comes back once. */
static void laps(void)
{
	static unsigned char seen[100000];
	unsigned int put = 0, got = 0, bad = 0, n, i;
	struct wsq_cqe *cqes[8];
	struct wsq_sqe *sqe;
	struct wsq_ring r;

	reset();
	CHECK(wsq_queue_init(8, 0, &r, 0) == 0);
	while (got < sizeof(seen)) {
		while (put < sizeof(seen) && (sqe = wsq_get_sqe(&r))) {
			wsq_prep_nop(sqe);
			wsq_sqe_set_data64(sqe, put++);
		}
		n = wsq_submit_and_wait(&r, 1, WSQ_NO_TIMEOUT);
		bad += (int)n < 0 && (int)n != -EAGAIN;
		n = wsq_peek_batch_cqe(&r, cqes, 8);
		for (i = 0; i < n; i++)
			bad += seen[cqes[i]->user_data]++ != 0 || cqes[i]->res;
		wsq_cq_advance(&r, n);
		got += n;
	}
	CHECK(!bad && got == sizeof(seen) && wsq_in_flight(&r) == 0);
	CHECK(wsq_peek_cqe(&r, cqes) == -EAGAIN);
	wsq_queue_exit(&r);
}

/* A stale pass number must not look like a new entry; 32 bits of it wrap. */
static void pass_numbers(void)
{
	struct wsq_cqe slots[2] = { { .seq = 0 }, { .seq = 0 } };
	__u64 khead = 0;
	struct wsq_ring r = { .cq = {
		.khead = &khead, .cqes = slots, .mask = 1, .shift = 1,
		.entries = 2,
	} };
	struct wsq_cqe *cqe, *many[8];

	CHECK(wsq_peek_cqe(&r, &cqe) == -EAGAIN);
	slots[0].seq = 1;
	slots[1].seq = 1;
	CHECK(wsq_peek_batch_cqe(&r, many, 8) == 2);
	wsq_cq_advance(&r, 2);
	CHECK(khead == 2 && wsq_peek_cqe(&r, &cqe) == -EAGAIN);
	r.cq.head = 0x1ffffffffULL * 2;		/* pass 2^33 - 1: seq wraps */
	CHECK(wsq_peek_cqe(&r, &cqe) == -EAGAIN);
	slots[0].seq = 0;
	CHECK(wsq_peek_cqe(&r, &cqe) == 0 && cqe == &slots[0]);
}

int main(void)
{
	fake_install();
	tap_case("ring: init and exit", init_exit);
	tap_case("ring: init errors leave nothing behind", init_errors);
	tap_case("ring: query and stats", query_stats);
	tap_case("ring: every op", ops);
	tap_case("ring: submission ring full, partial take", sq_full);
	tap_case("ring: completion ring full", cq_full);
	tap_case("ring: waits that end without result", waiting);
	tap_case("ring: completions visible out of order", out_of_order);
	tap_case("ring: 100000 ids through 8 entries", laps);
	tap_case("ring: pass numbers", pass_numbers);
	return tap_done();
}
