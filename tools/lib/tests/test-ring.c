// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * Tests of rings against the fake module, one thread: every call, every error
 * that the library returns or passes on, wrap-around of both rings.
 */
#include <nettle/sha2.h>
#include <sched.h>
#include <unistd.h>

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
	struct wsq_params p = { .flags = 1U << 31 };
	struct wsq_ring r;
	int i;

	reset();
	CHECK(wsq_queue_init(3, 0, &r, 0) == -EINVAL);
	CHECK(wsq_queue_init(0, 0, &r, 0) == -EINVAL);
	CHECK(wsq_queue_init(8, 0, &r, WSQ_INIT_FD) == -EINVAL);
	CHECK(wsq_queue_init(8, 0, &r, 0x80) == -EINVAL);
	CHECK(wsq_queue_init_params(8, 0, &r, &p) == -EINVAL);
	p = (struct wsq_params){ .rsv[2] = 1 };
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

/* A file of another device, whose ioctls of these numbers return a file. */
static void foreign(void)
{
	struct wsq_stats st;
	struct wsq_query q;
	struct wsq_ring r;

	reset();
	fake_cfg.answer = 5;
	CHECK(wsq_queue_init(8, 0, &r, 0) == -ENOTTY);
	CHECK(fake_live == 0);
	fake_cfg.answer = 0;
	CHECK(wsq_queue_init(8, 0, &r, 0) == 0);
	fake_cfg.answer = 5;
	CHECK(wsq_query(wsq_ring_fd(&r), &q, NULL, 0) == -ENOTTY);
	CHECK(wsq_stats(wsq_ring_fd(&r), &st, NULL, 0) == -ENOTTY);
	CHECK(wsq_get_sqe(&r));
	CHECK(wsq_submit(&r) == -ENOTTY);
	CHECK(wsq_enable(&r) == -ENOTTY);
	fake_cfg.answer = 0;
	wsq_queue_exit(&r);
	CHECK(fake_live == 0);
}

static void ring_stats(void)
{
	struct wsq_ring_stats st;
	struct wsq_cqe *cqe;
	struct wsq_ring r;
	int i;

	reset();
	CHECK(wsq_queue_init(8, 4096, &r, 0) == 0);
	CHECK(wsq_ring_stats(&r, &st) == 0);
	CHECK(st.size == sizeof(st) && !st.submitted && !st.completed);
	CHECK(st.memory >= 4096);
	for (i = 0; i < 6; i++)
		wsq_prep_nop(wsq_get_sqe(&r));
	wsq_prep_copy(wsq_get_sqe(&r), 0, 0, 64);
	CHECK(wsq_submit_and_wait(&r, 7, WSQ_NO_TIMEOUT) == 7);
	CHECK(wsq_ring_stats(&r, &st) == 0);
	CHECK(st.submitted == 7 && st.completed == 7 && st.failed == 1);
	CHECK(st.cancelled == 0 && st.run_ns > 0);
	for (i = 0; i < 7; i++) {
		CHECK(wsq_peek_cqe(&r, &cqe) == 0);
		wsq_cqe_seen(&r, cqe);
	}
	CHECK(wsq_ring_stats_sized(&r, &st, 48) == -EINVAL);
	CHECK(wsq_ring_stats_sized(&r, &st, 3) == -EINVAL);
	CHECK(wsq_ring_stats_sized(&r, &st, 1UL << 32 | 56) == -EINVAL);
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
	/* The symbol used by programs linked before the struct grew. */
	q.setup_flags = 0x55555555;
	CHECK((wsq_query)(fd, &q, NULL, 0) == 0 && q.setup_flags == 0x55555555);
	CHECK(wsq_query(fd, &q, NULL, 0) == -EINVAL);
	CHECK(wsq_query_sized(fd, &q, 1UL << 32 | 80, NULL, 0) == -EINVAL);
	q.setup_flags = 0;
	q.user_rings = 0x55555555;
	CHECK(wsq_query_sized(fd, &q, 80, NULL, 0) == 0);
	CHECK(q.user_rings == 0x55555555);
	/* The library clears members that an older module would refuse. */
	q.rsv = 1;
	CHECK(wsq_query(fd, &q, NULL, 0) == 0);
	CHECK(q.max_user_rings == 256 && q.user_rings == 3 && q.user_memory);
	CHECK(wsq_stats(fd, &st, cpus, 2) == 0);
	CHECK(st.nr_cpus == 4 && cpus[1].cpu == 1);
	CHECK(wsq_stats(fd, &st, NULL, 9) == 0 && st.nr_cpus == 4);
	/* The symbol used by programs linked before the struct grew. */
	memset(old, 0x55, sizeof(old));
	CHECK((wsq_stats)(fd, &st, (void *)old, 2) == 0);
	CHECK(((struct wsq_cpu_stats *)(void *)&old[88])->cpu == 1);
	CHECK(old[2 * 88 - 1] == 0 && old[2 * 88] == 0x55);
	CHECK(wsq_stats_sized(fd, &st, cpus, 2, 80) == -EINVAL);
	CHECK(wsq_stats_sized(fd, &st, cpus, 2, 1UL << 32 | 96) == -EINVAL);
	CHECK(wsq_close(fd) == 0);
	CHECK(wsq_close(fd) == -EBADF);
}

/* Links and drains: order, and errors. */
static void order(void)
{
	const __s64 want[] = { 0, 0, -EINVAL, 0, -EINVAL, -ETIME, 0 };
	struct wsq_ring r;
	struct wsq_cqe *cqe;
	struct wsq_sqe *sqe;
	unsigned int i;

	reset();
	fake_cfg.threads = 0;
	CHECK(wsq_queue_init(8, 0, &r, 0) == 0);
	for (i = 0; i < 7; i++) {
		sqe = wsq_get_sqe(&r);
		wsq_prep_nop(sqe);
		wsq_sqe_set_data64(sqe, i);
		if (i == 0)
			wsq_sqe_set_flags(sqe, WSQ_SQE_LINK | WSQ_SQE_DRAIN);
		if (i == 1 || i == 2)
			wsq_sqe_set_cpu(sqe, i == 1 ? 3 : 4);
		if (i == 3 || i == 4)
			wsq_sqe_set_node(sqe, i == 3 ? 1 : 2);
		if (i >= 5)
			wsq_sqe_set_deadline(sqe, i == 5 ? 1 : ~0ULL);
	}
	CHECK(wsq_submit_and_wait(&r, 7, WSQ_NO_TIMEOUT) == 7);
	for (i = 0; i < 7; i++) {
		CHECK(wsq_peek_cqe(&r, &cqe) == 0);
		CHECK(wsq_cqe_get_data64(cqe) == i && cqe->res == want[i]);
		wsq_cqe_seen(&r, cqe);
	}
	wsq_queue_exit(&r);
}

/* A ring has keys only if they were requested. */
static void keys(void)
{
	struct wsq_ring r;
	struct wsq_cqe *cqe;
	struct wsq_sqe *sqe;
	unsigned int i, with;

	reset();
	fake_cfg.threads = 0;
	for (with = 0; with < 2; with++) {
		CHECK(wsq_queue_init(4, 0, &r, with ? WSQ_INIT_KEYS : 0) == 0);
		for (i = 0; i < 4; i++) {
			sqe = wsq_get_sqe(&r);
			wsq_prep_nop(sqe);
			wsq_sqe_set_data64(sqe, i);
			if (i == 1)
				wsq_sqe_set_key(sqe, 0);
			if (i == 2)
				wsq_sqe_set_key(sqe, ~0ULL);
			CHECK(i != 2 || sqe->key == ~0ULL);
		}
		CHECK(wsq_submit_and_wait(&r, 4, WSQ_NO_TIMEOUT) == 4);
		for (i = 0; i < 4; i++) {
			CHECK(wsq_peek_cqe(&r, &cqe) == 0);
			CHECK(wsq_cqe_get_data64(cqe) == i);
			CHECK(cqe->res == (with || i == 0 || i == 3 ? 0 :
					   -EINVAL));
			wsq_cqe_seen(&r, cqe);
		}
		wsq_queue_exit(&r);
	}
}

/* A diamond, a failure that travels, and what is refused. */
static void futures(void)
{
	static const __s64 want[] = {
		64, 64, 64, 64, -EFAULT, -ECANCELED, -ECANCELED, -EINVAL,
	};
	struct wsq_ring r;
	struct wsq_cqe *cqe;
	struct wsq_sqe *sqe;
	unsigned int i;

	reset();
	CHECK(wsq_queue_init(8, 4096, &r, WSQ_INIT_FUTURES) == 0);
	for (i = 0; i < 8; i++) {
		sqe = wsq_get_sqe(&r);
		if (i == 0)
			wsq_prep_fill(sqe, 0, 64, 7);
		else if (i == 3)
			wsq_prep_compare(sqe, 64, 128, 64);
		else
			wsq_prep_copy(sqe, i * 64, i == 4 ? 8192 : 0, 64);
		wsq_sqe_set_data64(sqe, i);
		if (i < 7)
			wsq_sqe_set_future(sqe, i + 1);
		if (i == 1 || i == 2 || i == 6)
			CHECK(wsq_sqe_add_after(sqe, 1) == 0);
		if (i == 3) {
			CHECK(wsq_sqe_add_after(sqe, 2) == 0);
			CHECK(wsq_sqe_add_after(sqe, 3) == 0);
		}
		if (i == 5 || i == 6)
			CHECK(wsq_sqe_add_after(sqe, i) == 0);
		/* Not named by any entry. */
		if (i == 7)
			CHECK(wsq_sqe_add_after(sqe, 9) == 0);
		CHECK(sqe->flags == WSQ_SQE_FUTURES);
	}
	CHECK(sqe->deadline == WSQ_FUTURES(0, 9, 0, 0));
	CHECK(wsq_sqe_add_after(&(struct wsq_sqe){ .deadline =
			WSQ_FUTURES(0, 1, 2, 3) }, 4) == -ENOSPC);
	CHECK(wsq_submit_and_wait(&r, 8, WSQ_NO_TIMEOUT) == 8);
	for (i = 0; i < 8; i++) {
		CHECK(wsq_peek_cqe(&r, &cqe) == 0);
		CHECK(cqe->res == want[wsq_cqe_get_data64(cqe)]);
		wsq_cqe_seen(&r, cqe);
	}
	wsq_queue_exit(&r);

	/* A ring has futures only if they were requested. */
	CHECK(wsq_queue_init(4, 0, &r, 0) == 0);
	sqe = wsq_get_sqe(&r);
	wsq_prep_nop(sqe);
	wsq_sqe_set_future(sqe, 1);
	CHECK(wsq_submit_and_wait(&r, 1, WSQ_NO_TIMEOUT) == 1);
	CHECK(wsq_peek_cqe(&r, &cqe) == 0 && cqe->res == -EINVAL);
	wsq_queue_exit(&r);
}

static void cancel(void)
{
	struct wsq_ring r;
	struct wsq_cqe *cqe;
	unsigned int i, running = 9, called = 0;
	__u64 first = 0;

	reset();
	fake_cfg.threads = 0;
	fake_cfg.hold = true;
	CHECK(wsq_queue_init(4, 0, &r, 0) == 0);
	wsq_prep_nop(wsq_get_sqe(&r));
	CHECK(wsq_submit(&r) == 1);
	/* Ids were not requested, so there are none. */
	CHECK(wsq_task_id(&r, 0) == 0);
	wsq_queue_exit(&r);

	CHECK(wsq_queue_init(4, 0, &r, WSQ_INIT_IDS) == 0);
	for (i = 0; i < 4; i++) {
		struct wsq_sqe *sqe = wsq_get_sqe(&r);

		wsq_prep_nop(sqe);
		wsq_sqe_set_data64(sqe, 100 + i);
		CHECK(wsq_sqe_number(&r) == i);
		CHECK(wsq_task_id(&r, i) == 0);
	}
	CHECK(wsq_submit(&r) == 4);
	CHECK(wsq_task_id(&r, 4) == 0);
	first = wsq_task_id(&r, 0);
	CHECK(first && wsq_task_id(&r, 1) != first);
	CHECK(wsq_cancel(&r, WSQ_CANCEL_ID, wsq_task_id(&r, 2), &running) == 1);
	CHECK(running == 0);
	CHECK(wsq_cancel(&r, WSQ_CANCEL_USER_DATA, 103, NULL) == 1);
	CHECK(wsq_cancel(&r, WSQ_CANCEL_USER_DATA, 104, NULL) == -ENOENT);
	fake_cfg.hold = false;
	CHECK(wsq_wait_cqes(&r, &cqe, 4, WSQ_NO_TIMEOUT) == 0);
	for (i = 0; i < 4; i++) {
		CHECK(wsq_peek_cqe(&r, &cqe) == 0);
		called += cqe->res == -ECANCELED;
		CHECK((cqe->res == -ECANCELED) == (cqe->user_data >= 102));
		wsq_cqe_seen(&r, cqe);
	}
	CHECK(called == 2);
	CHECK(wsq_cancel(&r, WSQ_CANCEL_ALL, 0, NULL) == -ENOENT);
	/* Another entry uses its slot now. */
	wsq_prep_nop(wsq_get_sqe(&r));
	CHECK(wsq_submit_and_wait(&r, 1, WSQ_NO_TIMEOUT) == 1);
	CHECK(wsq_task_id(&r, 0) == 0 && wsq_task_id(&r, 4) != first);
	wsq_queue_exit(&r);
}

static void rights(void)
{
	const __u32 nop = WSQ_OP_NOP;
	struct wsq_ring r;
	struct wsq_cqe *cqe;

	reset();
	CHECK(wsq_queue_init(4, 4096, &r, WSQ_INIT_DISABLED) == 0);
	wsq_prep_nop(wsq_get_sqe(&r));
	wsq_prep_crc32c(wsq_get_sqe(&r), 0, 1, 0);
	CHECK(wsq_submit(&r) == -EBADFD);
	CHECK(wsq_sq_ready(&r) == 2);
	CHECK(wsq_restrict(&r, &nop, 1, 0) == 0);
	CHECK(wsq_enable(&r) == 0);
	CHECK(wsq_enable(&r) == -EBADFD);
	CHECK(wsq_restrict(&r, &nop, 1, 0) == -EBUSY);
	CHECK(wsq_submit_and_wait(&r, 2, WSQ_NO_TIMEOUT) == 2);
	while (!wsq_peek_cqe(&r, &cqe)) {
		CHECK(cqe->res == 0 || cqe->res == -EPERM);
		wsq_cqe_seen(&r, cqe);
	}
	wsq_queue_exit(&r);
	CHECK(wsq_queue_init(4, 0, &r, 1U << 31) == -EINVAL);
	/* The thread of a polled ring has them: they run when it is enabled. */
	CHECK(wsq_queue_init(4, 0, &r, WSQ_INIT_DISABLED | WSQ_INIT_POLL) == 0);
	wsq_prep_nop(wsq_get_sqe(&r));
	CHECK((wsq_submit)(&r) == 1);
	wsq_prep_nop(wsq_get_sqe(&r));
	CHECK(wsq_submit(&r) == 1 && wsq_in_flight(&r) == 2);
	CHECK(wsq_submit(&r) == -EBADFD && wsq_sq_ready(&r) == 0);
	CHECK(!wsq_enable(&r) && !wsq_wait_cqes(&r, &cqe, 2, WSQ_NO_TIMEOUT));
	wsq_queue_exit(&r);
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

/* Setters fill the whole entry, and the ops use it as documented. */
static void more_ops(void)
{
	static const __s64 res[] = { 20, 5, 20, 20, 20, 8, 64, -EOPNOTSUPP, 3, 2,
				     -EINVAL, 64, 16, 20, -EINVAL };
	static const __u64 numbers[] = { 258, 3 };
	struct wsq_op_info info;
	struct wsq_ring r;
	struct wsq_cqe *cqe;
	struct wsq_sqe *sqe;
	unsigned char want[64];
	struct sha512_ctx ctx;
	unsigned char *p;
	unsigned int i;

	reset();
	fake_cfg.threads = 0;
	CHECK(wsq_queue_init(16, 1 << 16, &r, 0) == 0);
	CHECK(wsq_op_find(wsq_ring_fd(&r), "sha512", &info) == 0);
	CHECK(info.op == WSQ_OP_SHA512 && info.max_len);
	CHECK(wsq_op_find(wsq_ring_fd(&r), "sha51", &info) == -ENOENT);
	CHECK(wsq_op_find(wsq_ring_fd(&r), "sha5123", &info) == -ENOENT);
	CHECK(wsq_op_find(-1, "nop", &info) < 0);
	p = wsq_arena_base(&r);
	memcpy(p, "0123456789abcdefghij", 20);
	memcpy(p + 100, "01234xxx", 8);
	memcpy(p + 600, numbers, 16);
	for (i = 0; i < 15; i++) {
		sqe = wsq_get_sqe(&r);
		memset(sqe, 0xff, sizeof(*sqe));	/* prep clears it */
		switch (i) {
		case 0:
			wsq_prep_fill(sqe, 200, 20, 0x0807060504030201ULL);
			break;
		case 1:
			wsq_prep_compare(sqe, 0, 100, 8);
			break;
		case 2:
			wsq_prep_compare(sqe, 0, 0, 20);
			break;
		case 3:
			wsq_prep_memset(sqe, 300, 20, 0xa5);
			break;
		case 4:
			wsq_prep_xor(sqe, 300, 0, 20);
			break;
		case 5:
			wsq_prep_xxhash64(sqe, 400, 0, 1, 0x1122334455667700ULL);
			break;
		case 6:
			wsq_prep_sha512(sqe, 500, 0, 20);
			break;
		case 7:
			wsq_prep_op(sqe, 256, 1, 2, 3, 4);
			CHECK(sqe->op == 256 && sqe->dst == 1 && sqe->src == 2);
			CHECK(sqe->len == 3 && sqe->arg == 4);
			break;
		case 8:
			wsq_prep_crc32c(sqe, 0, 0, 7);
			wsq_sqe_set_vec(sqe, 800, 3);
			CHECK(sqe->src == 800 && sqe->len == 3 && sqe->arg == 7);
			break;
		case 9:
			wsq_prep_fill(sqe, 5, 5, 7);
			wsq_sqe_set_vec(sqe, 800, 2);
			CHECK(sqe->src == 800 && !sqe->dst && sqe->arg == 7);
			break;
		case 10:
			wsq_prep_nop(sqe);
			wsq_sqe_set_vec(sqe, 800, 1);
			break;
		case 11:
			wsq_prep_fsverity(sqe, 1000, 0, 20);
			break;
		case 12:
			wsq_prep_sort64(sqe, 1200, 600, 16);
			break;
		case 13:
			wsq_prep_gzip(sqe, 1300, WSQ_GZIP_BOUND(20), 0, 20);
			break;
		case 14:
			wsq_prep_gzip(sqe, 1300, WSQ_GZIP_BOUND(20) - 1, 0, 20);
			break;
		}
		CHECK(!sqe->key && !sqe->hint && !sqe->deadline);
		wsq_sqe_set_data64(sqe, i);
	}
	CHECK(wsq_submit_and_wait(&r, 15, WSQ_NO_TIMEOUT) == 15);
	for (i = 0; i < 15; i++) {
		CHECK(wsq_peek_cqe(&r, &cqe) == 0);
		CHECK(wsq_cqe_get_data64(cqe) == i && cqe->res == res[i]);
		wsq_cqe_seen(&r, cqe);
	}
	for (i = 0; i < 20; i++) {
		CHECK(p[200 + i] == i % 8 + 1);
		CHECK(p[300 + i] == (0xa5 ^ p[i]));
	}
	CHECK(p[400] == '0' && p[401] == 0x77 && p[407] == 0x11);
	sha512_init(&ctx);
	sha512_update(&ctx, 20, p);
	sha512_digest(&ctx, 64, want);
	CHECK(!memcmp(p + 500, want, 64));
	CHECK(p[1000] == 'j' && p[1063] == 'j' && !p[1064]);
	CHECK(p[1200] == 3 && p[1208] == 2 && p[1209] == 1);
	CHECK(!memcmp(p + 1300, p, 20) && !p[1320]);
	wsq_queue_exit(&r);
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

/* All completion entries are reserved: EAGAIN; the entries go later. */
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
	/* One slot: one entry goes, the wait is still satisfied in full. */
	CHECK(wsq_submit_and_wait(&r, 8, WSQ_NO_TIMEOUT) == 1);
	n = wsq_peek_batch_cqe(&r, cqes, 16);
	CHECK(n == 8);
	wsq_cq_advance(&r, n);
	CHECK(wsq_submit_and_wait(&r, 1, WSQ_NO_TIMEOUT) == 1);
	CHECK(wsq_peek_batch_cqe(&r, cqes, 16) == 1);
	wsq_cq_advance(&r, 1);
	/* Space for two of a chain of three: nothing of it is taken. */
	for (i = 0; i < 9; i++) {
		if (!wsq_sq_space_left(&r))
			CHECK(wsq_submit(&r) > 0);
		wsq_prep_nop(wsq_get_sqe(&r));
		if (i == 6 || i == 7)
			wsq_sqe_set_flags(&r.sq.sqes[(r.sq.tail - 1) & 3],
					  WSQ_SQE_LINK);
		if (i == 5)
			CHECK(wsq_submit(&r) == 2);
	}
	CHECK(wsq_submit(&r) == -EAGAIN && wsq_in_flight(&r) == 6);
	CHECK(wsq_wait_cqes(&r, cqes, 1, WSQ_NO_TIMEOUT) == 0);
	wsq_cq_advance(&r, 1);
	CHECK(wsq_submit(&r) == 3 && wsq_in_flight(&r) == 8);
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
	/* Entries that are not handed over are not waited for. */
	CHECK(wsq_wait_cqe(&r, &cqe) == -EDEADLK);
	/* Taken, then timed out: returns the count; peek shows the timeout. */
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

/* Both rings wrap many times; every id comes back once. */
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

/* A polled ring: system calls only to wake the thread, and to wait. */
static void polled(void)
{
	unsigned int put = 0, got = 0, bad = 0, n, i, least;
	static unsigned char seen[50000];
	struct wsq_cqe *cqes[8];
	struct wsq_params p = { .flags = WSQ_INIT_POLL_SHARE };
	struct wsq_ring r, other, third;
	struct wsq_sqe *sqe;

	reset();
	CHECK(wsq_queue_init_params(8, 0, &r, &p) == -EINVAL);
	CHECK(fake_live == 0);
	CHECK(wsq_queue_init(8, 4096, &r, WSQ_INIT_POLL | WSQ_INIT_IDS) == 0);
	CHECK(wsq_sq_space_left(&r) == 8 && wsq_in_flight(&r) == 0);
	/* The thread sleeps: the call that wakes it submits as well. */
	wsq_prep_nop(wsq_get_sqe(&r));
	CHECK(wsq_sq_ready(&r) == 1 && wsq_in_flight(&r) == 0);
	CHECK(wsq_submit(&r) == 1 && fake_enters == 1);
	CHECK(wsq_sq_ready(&r) == 0 && wsq_in_flight(&r) == 1);
	CHECK(wsq_wait_cqes(&r, cqes, 1, WSQ_NO_TIMEOUT) == 0);
	wsq_cq_advance(&r, 1);
	CHECK(wsq_in_flight(&r) == 0 && wsq_task_id(&r, 0));
	CHECK(wsq_wait_cqes(&r, cqes, 1, WSQ_NO_TIMEOUT) == -EDEADLK);
	/* All completion entries are reserved: hand nothing to the thread. */
	for (n = 0; n < 16; n++) {
		while (!(sqe = wsq_get_sqe(&r)))
			;
		wsq_prep_nop(sqe);
		bad += wsq_submit(&r) != 1;
	}
	while (!(sqe = wsq_get_sqe(&r)))
		;
	wsq_prep_nop(sqe);
	CHECK(!bad && wsq_submit(&r) == -EAGAIN && wsq_in_flight(&r) == 16);
	CHECK(wsq_wait_cqes(&r, cqes, 16, WSQ_NO_TIMEOUT) == 0);
	/* Space for one is not enough for a chain of two. */
	wsq_sqe_set_flags(sqe, WSQ_SQE_LINK);
	wsq_prep_nop(wsq_get_sqe(&r));
	wsq_cq_advance(&r, 1);
	CHECK(wsq_submit(&r) == -EAGAIN && wsq_sq_ready(&r) == 2);
	wsq_cq_advance(&r, 1);
	CHECK(wsq_submit(&r) == 2 && wsq_in_flight(&r) == 16);
	wsq_cq_advance(&r, 14);
	CHECK(wsq_wait_cqes(&r, cqes, 2, WSQ_NO_TIMEOUT) == 0);
	wsq_cq_advance(&r, 2);
	CHECK(wsq_in_flight(&r) == 0);

	fake_enters = 0;
	least = 0;
	while (got < sizeof(seen)) {
		while (put < sizeof(seen) && (sqe = wsq_get_sqe(&r))) {
			wsq_prep_nop(sqe);
			wsq_sqe_set_data64(sqe, put++);
		}
		least += wsq_sq_ready(&r) != 0;
		n = wsq_submit(&r);
		bad += (int)n < 0 && (int)n != -EAGAIN;
		n = wsq_peek_batch_cqe(&r, cqes, 8);
		for (i = 0; i < n; i++)
			bad += seen[cqes[i]->user_data]++ != 0 || cqes[i]->res;
		wsq_cq_advance(&r, n);
		got += n;
	}
	/* The thread sleeps after some vain looks; mostly it does not. */
	CHECK(!bad && fake_enters < least);

	/* Another ring can share the thread, given its file descriptor. */
	p.flags |= WSQ_INIT_POLL;
	p.poll_fd = wsq_ring_fd(&r);
	CHECK(wsq_queue_init_params(8, 0, &other, &p) == 0);
	wsq_prep_nop(wsq_get_sqe(&other));
	CHECK(wsq_submit(&other) == 1);
	CHECK(wsq_wait_cqes(&other, cqes, 1, WSQ_NO_TIMEOUT) == 0);
	CHECK(cqes[0]->res == 0 && wsq_peek_cqe(&r, cqes) == -EAGAIN);
	wsq_queue_exit(&other);
	p.poll_fd = -1;
	CHECK(wsq_queue_init_params(8, 0, &other, &p) == -EBADF);
	CHECK(wsq_queue_init(8, 0, &other, 0) == 0);
	p.poll_fd = wsq_ring_fd(&other);
	CHECK(wsq_queue_init_params(8, 0, &third, &p) == -EINVAL);
	wsq_queue_exit(&other);
	wsq_queue_exit(&r);
	CHECK(fake_live == 0);
}

/* Submitted tasks are cancelled, whether the thread has taken them or not. */
static void polled_cancel(void)
{
	struct wsq_cqe *cqes[4];
	struct wsq_ring r;
	unsigned int i;

	reset();
	fake_cfg.threads = 0;
	CHECK(wsq_queue_init(4, 0, &r, WSQ_INIT_POLL) == 0);
	wsq_prep_nop(wsq_get_sqe(&r));
	CHECK(wsq_submit_and_wait(&r, 1, WSQ_NO_TIMEOUT) == 1);
	wsq_cq_advance(&r, 1);
	fake_cfg.hold = true;
	__atomic_store_n(&fake_cfg.no_cpu, true, __ATOMIC_RELAXED);
	for (i = 0; i < 3; i++)
		wsq_prep_nop(wsq_get_sqe(&r));
	CHECK(wsq_submit(&r) == 3);
	CHECK(wsq_cancel(&r, WSQ_CANCEL_ALL, 0, NULL) == 3);
	fake_cfg.hold = false;
	__atomic_store_n(&fake_cfg.no_cpu, false, __ATOMIC_RELAXED);
	CHECK(wsq_wait_cqes(&r, cqes, 3, WSQ_NO_TIMEOUT) == 0);
	CHECK(wsq_peek_batch_cqe(&r, cqes, 4) == 3);
	for (i = 0; i < 3; i++)
		CHECK(cqes[i]->res == -ECANCELED);
	wsq_cq_advance(&r, 3);
	wsq_queue_exit(&r);
	CHECK(fake_live == 0);
}

/* wsq_task_id() returns the id of the entry asked for, or 0. */
static void polled_ids(void)
{
	struct wsq_cqe *cqes[5];
	struct wsq_ring r;
	unsigned int i;

	reset();
	fake_cfg.late_head = true;
	CHECK(wsq_queue_init(4, 0, &r, WSQ_INIT_POLL | WSQ_INIT_IDS) == 0);
	for (i = 0; i < 5; i++) {
		struct wsq_sqe *sqe;

		while (!(sqe = wsq_get_sqe(&r)))
			sched_yield();
		wsq_prep_nop(sqe);
		CHECK(wsq_submit(&r) == 1);
		while (wsq_peek_batch_cqe(&r, cqes, 5) <= i)
			sched_yield();
	}
	/* The thread took entry 4, in entry 0's slot; sq_head is not stored. */
	CHECK(wsq_sq_taken(&r) == 4);
	CHECK(wsq_task_id(&r, 0) == 0 && wsq_task_id(&r, 1) != 0);
	wsq_queue_exit(&r);
	CHECK(fake_live == 0);
}

int main(void)
{
	fake_install();
	tap_case("ring: init and exit", init_exit);
	tap_case("ring: init errors leave nothing behind", init_errors);
	tap_case("ring: a file of another device", foreign);
	tap_case("ring: query and stats", query_stats);
	tap_case("ring: what came of it", ring_stats);
	tap_case("ring: every op", ops);
	tap_case("ring: ops of more kinds, lists, ops by name", more_ops);
	tap_case("ring: order, hints, deadlines", order);
	tap_case("ring: keys", keys);
	tap_case("ring: futures", futures);
	tap_case("ring: calling back", cancel);
	tap_case("ring: disabled and restricted", rights);
	tap_case("ring: submission ring full, partial take", sq_full);
	tap_case("ring: completion ring full", cq_full);
	tap_case("ring: waits that end without result", waiting);
	tap_case("ring: completions visible out of order", out_of_order);
	tap_case("ring: 100000 ids through 8 entries", laps);
	tap_case("ring: pass numbers", pass_numbers);
	tap_case("ring: polled", polled);
	tap_case("ring: polled, calling back", polled_cancel);
	tap_case("ring: polled, ids", polled_ids);
	return tap_done();
}
