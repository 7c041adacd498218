// SPDX-License-Identifier: GPL-2.0
/*
 * Rings in a memory cgroup: their memory is charged to it and released, and
 * SETUP beyond its limit fails with ENOMEM. Then no process is killed and
 * nothing is left behind. Needs cgroup v2 with its memory controller.
 */
#include "wsq_cgroup.h"

static void charged(void)
{
	static const struct {
		unsigned int sq, cq;
		uint64_t arena;
	} sizes[] = {
		{ 4, 8, 16 * MIB },
		{ 32768, 65536, 0 },
		{ 1, 65536, 0 },
		{ 4096, 8192, 8 * MIB },
	};
	uint64_t base, kernel, now;
	unsigned int i;

	group_make();
	group_enter();
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint64_t least = sizes[i].arena + 64 * sizes[i].sq +
				 32 * sizes[i].cq, end = now_ns() + TIMEOUT_S;
		struct wsq_query q;
		struct ring r;
		int fd = dev_open();

		test_at("sizes", i);
		q = query_of(fd, sizes[i].sq, sizes[i].cq, sizes[i].arena);
		base = current_bytes();
		kernel = line_of("memory.stat", "kernel");
		ring_make(&r, fd, sizes[i].sq, sizes[i].cq, sizes[i].arena);
		now = current_bytes();
		printf("# %llu of at most %llu bytes charged, %llu mapped\n",
		       (unsigned long long)(now - base),
		       (unsigned long long)q.memory,
		       (unsigned long long)least);
		/* Earlier charges may have been released since. */
		EXPECT(now + SLACK >= base + least);
		EXPECT(now <= base + q.memory + SLACK);
		/* memory.stat lags behind. */
		do {
			now = line_of("memory.stat", "kernel");
		} while (now < kernel + least && now_ns() < end &&
			 !usleep(50000));
		EXPECT(now >= kernel + least);
		EXPECT(now <= kernel + q.memory + SLACK);
		ring_close(&r);
		expect_rings(0);
		expect_at_most(base + SLACK);
	}
	group_end();
}

/* Any part of the ring exceeds the limit. */
static void refused(void)
{
	static const struct {
		unsigned int sq, cq;
		uint64_t arena;
	} sizes[] = {
		{ 4, 8, 64 * MIB },
		{ 4, 8, 9 * MIB },
		/* Requests are the largest part of these. */
		{ 1, 65536, 0 },
		{ 32768, 65536, 0 },
		{ 32768, 32768, MIB },
		{ 16384, 65536, 256 * MIB },
	};
	uint64_t base, t, refused_ns = 0;
	unsigned int i, k;
	struct ring r;

	group_make();
	group_enter();
	max_set(8 * MIB);
	base = current_bytes();
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (k = 0; k < 4; k++) {
			int fd = dev_open();

			test_at("sizes", i);
			t = now_ns();
			EXPECT_EQ(try_setup(fd, sizes[i].sq, sizes[i].cq,
					    sizes[i].arena), ENOMEM);
			refused_ns += now_ns() - t;
			if (k % 2) {
				/* The file is still usable. */
				ring_make(&r, fd, 4, 8, MIB);
				ring_push_nop(&r, 1);
				EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
				ring_unmap(&r);
			}
			close(fd);
		}
		expect_rings(0);
	}
	printf("# %llu us until refused\n",
	       (unsigned long long)(refused_ns / (i * k) / 1000));
	EXPECT(line_of("memory.events", "max") > 0);
	EXPECT_EQ(line_of("memory.events", "oom_kill"), 0);
	expect_at_most(base + SLACK);
	expect_usable();
	expect_rings(0);
	group_end();
}

/* As many as the limit allows, and again when they are gone. */
static void full(void)
{
	unsigned int n[2], k, i;
	uint64_t base;
	int fd[64];

	group_make();
	group_enter();
	max_set(16 * MIB);
	base = current_bytes();
	for (k = 0; k < 2; k++) {
		for (n[k] = 0; n[k] < ARRAY_SIZE(fd); n[k]++) {
			int ret;

			fd[n[k]] = dev_open();
			ret = try_setup(fd[n[k]], 64, 128, MIB);
			if (ret) {
				EXPECT_EQ(ret, ENOMEM);
				close(fd[n[k]]);
				break;
			}
		}
		EXPECT_EQ(query_of(fd[0], 0, 0, 0).user_rings, n[k]);
		for (i = 0; i < n[k]; i++)
			close(fd[i]);
		expect_rings(0);
		expect_at_most(base + SLACK);
	}
	printf("# %u rings, then %u\n", n[0], n[1]);
	EXPECT(n[0] >= 8 && n[0] < 16);
	EXPECT(n[1] >= n[0] - 1);
	EXPECT_EQ(line_of("memory.events", "oom_kill"), 0);
	group_end();
}

/* Killed at any moment, at the limit: everything is uncharged. */
static void killed(void)
{
	uint64_t seed = 3, base;
	int i, status;

	group_make();
	max_set(8 * MIB);
	base = current_bytes();
	for (i = 0; i < (int)part_of(30); i++) {
		pid_t pid = fork();

		if (!pid) {
			group_enter();
			for (;;) {
				int fd = dev_open();

				/* One fits, the other does not. */
				EXPECT_EQ(try_setup(fd, 4, 8, 64 * MIB),
					  ENOMEM);
				EXPECT_EQ(try_setup(fd, 4, 8, MIB), 0);
				close(fd);
			}
		}
		usleep(rnd(&seed) % 60000);
		EXPECT_ERR(kill(pid, SIGKILL), 0);
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	}
	expect_rings(0);
	EXPECT_EQ(line_of("memory.events", "oom_kill"), 0);
	expect_at_most(base + SLACK);
	expect_usable();
	group_end();
}

/* The ring outlives the cgroup that it is charged to. */
static void outlives(void)
{
	struct wsq_sqe sqe = { .op = WSQ_OP_CRC32C, .len = 9, .user_data = 7 };
	struct ring r;

	group_make();
	group_enter();
	ring_open(&r, 4, 0, MIB);
	group_leave();
	EXPECT(current_bytes() >= MIB);
	group_remove(group);
	memcpy(r.arena, "123456789", 9);
	EXPECT_EQ(ring_do(&r, &sqe), 0xe3069283LL);
	ring_close(&r);
	expect_rings(0);
	EXPECT_ERR(umount2(top, MNT_DETACH), 0);
	rmdir(top);
}

/* Its tasks allocate for it, too: with no room for that, they fail. */
static void tasks(void)
{
	struct wsq_sqe sqe = { .op = WSQ_OP_GZIP, .src = 0, .dst = 16 * MIB,
			       .len = 8 * MIB, .arg = WSQ_GZIP_BOUND(8 * MIB) };
	uint64_t end = now_ns() + TIMEOUT_S, i;
	struct ring r;
	int64_t res;

	group_make();
	group_enter();
	ring_open(&r, 4, 0, 32 * MIB);
	for (i = 0; i < sqe.len; i++)
		r.arena[i] = (uint8_t)(i * i >> 7);
	res = ring_do(&r, &sqe);
	if (res == -EOPNOTSUPP)
		SKIP("the kernel has no deflate");
	EXPECT(res > 0);
	/* This process' own pages must not be charged at the limit. */
	group_leave();
	/* A CPU may keep charged pages, but not as many as a task needs. */
	do {
		max_set(current_bytes() + 64 * 1024);
		res = ring_do(&r, &sqe);
	} while (res > 0 && now_ns() < end);
	EXPECT_EQ(res, -ENOMEM);
	EXPECT_EQ(line_of("memory.events", "oom_kill"), 0);
	max_set(1024 * MIB);
	EXPECT(ring_do(&r, &sqe) > 0);
	ring_close(&r);
	expect_rings(0);
	group_end();
}

static const struct test tests[] = {
	{ "charged", charged },
	{ "refused", refused },
	{ "full", full },
	{ "killed", killed },
	{ "outlives", outlives },
	{ "tasks", tasks },
};

TEST_MAIN(tests)
