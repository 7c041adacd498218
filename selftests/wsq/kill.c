// SPDX-License-Identifier: GPL-2.0
/*
 * kill -9 of producers with work in flight: no process hangs, nothing stays
 * behind, and the module serves the next process.
 */
#include "wsq_done.h"

#include <pthread.h>
#include <sys/sysinfo.h>

#define ROUNDS		40

/* Keeps a ring busy until it is killed: long and short tasks, sleeps. */
static void __attribute__((noreturn)) producer(uint64_t seed)
{
	const uint64_t arena = 8 << 20;
	struct ring r;

	ring_open(&r, 256, 512, arena);
	for (;;) {
		unsigned int n = 1 + rnd(&seed) % 256, min;
		int ret;

		while (n-- && r.tail - r.page->sq_head < 256) {
			struct wsq_sqe sqe = { .user_data = r.tail };

			switch (rnd(&seed) % 4) {
			case 0:
				sqe.op = WSQ_OP_SHA256;
				sqe.len = 1 + rnd(&seed) % (arena / 2);
				sqe.dst = arena - 32;
				break;
			case 1:
				sqe.op = WSQ_OP_COPY;
				sqe.len = 1 + rnd(&seed) % (arena / 2);
				sqe.dst = arena / 2;
				break;
			case 2:
				sqe.op = rnd(&seed);
				break;
			}
			ring_push(&r, &sqe);
		}
		min = rnd(&seed) % 2 ? rnd(&seed) % 64 : 0;
		ret = ring_enter(&r, -1, min, rnd(&seed) % (20 * MSEC));
		if (ret && ret != -ETIME && ret != -EAGAIN)
			FAIL("ENTER: %d", ret);
		while (ring_peek(&r))
			ring_seen(&r);
	}
}

/* Each has up to 512 tasks of several ms that no process waits for. */
static void killed(void)
{
	uint64_t seed = 99;
	int i;

	for (i = 0; i < (int)part_of(ROUNDS); i++) {
		pid_t pid = fork();

		if (!pid)
			producer(i + 1);
		usleep(rnd(&seed) % 60000);
		expect_killed(pid);
		if (i % 10 == 9)
			expect_usable();
	}
	expect_rings(0);
	expect_usable();
}

/* It ends, and its ring goes, before 2048 hashes of 4 MiB have run. */
static void killed_early(void)
{
	unsigned int least = DONE_NR, done, i, k;
	int p[2], go[2];
	char c;

	for (i = 0; i < 10; i++) {
		pid_t pid;

		EXPECT_ERR(pipe(p), 0);
		EXPECT_ERR(pipe(go), 0);
		pid = fork();
		if (!pid) {
			struct ring r;

			ring_open(&r, DONE_NR, 0, (4 << 20) + DONE_BYTES);
			done_keep(&r, p[1], 4 << 20);
			for (k = 0; k < DONE_NR; k++)
				done_push(&r, k, 4 << 20, 0, 0);
			EXPECT_EQ(ring_enter(&r, DONE_NR, 0, 0), 0);
			EXPECT_EQ(write(go[1], "x", 1), 1);
			pause();
		}
		close(go[1]);
		EXPECT_EQ(read(go[0], &c, 1), 1);
		usleep(i * 1000);
		expect_killed(pid);
		expect_rings(0);
		done = done_count(p[0]);
		if (done < least)
			least = done;
		close(go[0]);
		close(p[0]);
		close(p[1]);
	}
	printf("# %u of %u hashes, or more\n", least, DONE_NR);
	/* Unless this process was away for so long, each time. */
	EXPECT(least < DONE_NR);
}

static void killed_together(void)
{
	uint64_t seed = 7;
	pid_t pids[6];
	int i, k;

	for (i = 0; i < (int)part_of(8); i++) {
		for (k = 0; k < 6; k++) {
			pids[k] = fork();
			if (!pids[k])
				producer(1 + i * 6 + k);
		}
		usleep(rnd(&seed) % 150000);
		for (k = 0; k < 6; k++)
			kill(pids[k], SIGKILL);
		for (k = 0; k < 6; k++)
			EXPECT_EQ(waitpid(pids[k], NULL, 0), pids[k]);
		expect_usable();
	}
	expect_rings(0);
}

/* Killed during SETUP, which is slow for a large arena. */
static void killed_in_setup(void)
{
	uint64_t seed = 3;
	int i;

	for (i = 0; i < (int)part_of(30); i++) {
		pid_t pid = fork();

		if (!pid) {
			for (;;) {
				struct wsq_setup s = {
					.size = sizeof(s), .sq_entries = 4,
					.arena_size = 192 << 20,
				};
				int fd = dev_open();

				ioctl(fd, WSQ_IOC_SETUP, &s);
				close(fd);
			}
		}
		usleep(rnd(&seed) % 60000);
		expect_killed(pid);
	}
	expect_rings(0);
	expect_usable();
}

/* Killed in an endless wait in ENTER, on a ring with nothing in flight. */
static void killed_asleep(void)
{
	pid_t pid = fork();

	if (!pid) {
		struct ring r;

		ring_open(&r, 4, 0, 0);
		ring_enter(&r, 0, 1, WSQ_NO_TIMEOUT);
		_exit(1);
	}
	usleep(100000);
	expect_killed(pid);
	expect_rings(0);
}

/*
 * Free memory, including freed pages that CPUs keep, which MemFree does not
 * count: up to 53 MiB were seen.
 */
static unsigned long long free_bytes(void)
{
	unsigned long long kept = 0, n;
	struct sysinfo si;
	char line[128];
	FILE *f;

	f = fopen("/proc/zoneinfo", "r");
	EXPECT(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " count: %llu", &n) == 1)
			kept += n;
	fclose(f);
	sysinfo(&si);
	return (unsigned long long)si.freeram * si.mem_unit +
	       kept * (unsigned long long)sysconf(_SC_PAGESIZE);
}

/* Memory comes back: 30 rings of 32 MiB each, killed at work. */
static void memory(void)
{
	unsigned long long before, after = 0, end;
	int i;

	expect_usable();
	expect_rings(0);
	before = free_bytes();
	for (i = 0; i < (int)part_of(30); i++) {
		pid_t pid = fork();

		if (!pid) {
			struct wsq_sqe sqe = {
				.op = WSQ_OP_CRC32C, .len = 16 << 20,
			};
			struct ring r;
			int k;

			ring_open(&r, 8, 0, 32 << 20);
			memset(r.arena, i, 2 << 20);
			for (k = 0; k < 8; k++)
				ring_push(&r, &sqe);
			ring_enter(&r, 8, 0, 0);
			raise(SIGKILL);
		}
		EXPECT_EQ(waitpid(pid, NULL, 0), pid);
		/* Not all at once: the guest has 2 GB. */
		expect_rings(0);
	}
	for (end = now_ns() + TIMEOUT_S; now_ns() < end; usleep(50000)) {
		after = free_bytes();
		if (after + (24 << 20) > before)
			return;
	}
	FAIL("%llu MiB were free, %llu MiB are", before >> 20, after >> 20);
}

static const struct test tests[] = {
	{ "killed", killed },
	{ "killed_early", killed_early },
	{ "killed_together", killed_together },
	{ "killed_in_setup", killed_in_setup },
	{ "killed_asleep", killed_asleep },
	{ "memory", memory },
};

TEST_MAIN(tests)
