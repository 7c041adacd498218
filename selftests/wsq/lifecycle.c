// SPDX-License-Identifier: GPL-2.0
/*
 * The ring belongs to the open file: fork, dup, passing it on, exec, closing
 * it before or after the mapping, with work in flight and without.
 */
#include "wsq_done.h"
#include "wsq_pass.h"

#include <stdbool.h>

#define PAGE	4096UL

static void expect_child(pid_t pid)
{
	int status;

	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

/* Starts slow work: so many hashes of 4 MiB. */
static void start_work(struct ring *r, unsigned int nr)
{
	struct wsq_sqe sqe = {
		.op = WSQ_OP_SHA256, .len = 4 << 20, .dst = 4 << 20,
	};
	unsigned int i;

	for (i = 0; i < nr; i++)
		ring_push(r, &sqe);
	EXPECT_EQ(ring_enter(r, nr, 0, 0), 0);
	EXPECT_EQ(r->e.submitted, nr);
}

#define WORK_ARENA	((4 << 20) + PAGE)

static void forked(void)
{
	struct ring r;
	pid_t pid;

	ring_open(&r, 8, 0, PAGE);
	r.arena[0] = 42;

	/* The mapping is not inherited, */
	pid = fork();
	if (!pid) {
		unsigned char vec;

		EXPECT_ERR(mincore(r.arena, PAGE, &vec), ENOMEM);
		EXPECT_ERR(mincore(r.sqes, PAGE, &vec), ENOMEM);
		EXPECT_ERR(mincore(r.page, PAGE, &vec), ENOMEM);
		_exit(0);
	}
	expect_child(pid);

	/* unless requested, where kernels allow it: it does no harm. */
	if (!madvise(r.arena, PAGE, MADV_DOFORK)) {
		pid = fork();
		if (!pid) {
			EXPECT_EQ(r.arena[0], 42);
			close(r.fd);
			r.arena[2] = 45;
			_exit(0);
		}
		expect_child(pid);
		EXPECT_EQ(r.arena[2], 45);
	}

	/* The file is inherited, and can be mapped again: the same ring. */
	pid = fork();
	if (!pid) {
		ring_map(&r);
		EXPECT_EQ(r.arena[0], 42);
		ring_push_nop(&r, 77);
		EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
		EXPECT_EQ(ring_take(&r).user_data, 77);
		r.arena[1] = 44;
		_exit(0);
	}
	expect_child(pid);
	EXPECT_EQ(r.arena[1], 44);
	r.tail++;
	r.head++;
	ring_push_nop(&r, 78);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	EXPECT_EQ(ring_take(&r).user_data, 78);

	/* The child may outlive us, with our ring. */
	pid = fork();
	if (!pid) {
		pid_t child = fork();

		if (!child) {
			usleep(50000);
			ring_map(&r);
			EXPECT_EQ(r.arena[0], 42);
			_exit(0);
		}
		ring_map(&r);
		expect_child(child);
		_exit(0);
	}
	ring_close(&r);
	expect_child(pid);
	expect_rings(0);
}

static void duplicated(void)
{
	struct wsq_setup s = { .size = sizeof(s), .sq_entries = 1 };
	struct ring r;
	int fd;

	ring_open(&r, 4, 0, 0);
	fd = dup(r.fd);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, &s), EBUSY);
	close(r.fd);
	r.fd = fd;
	ring_push_nop(&r, 5);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	EXPECT_EQ(ring_take(&r).user_data, 5);
	ring_close(&r);
	expect_rings(0);
	/* SETUP accepts a duplicate. */
	fd = dev_open();
	ring_make(&r, dup(fd), 4, 0, 0);
	EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, &s), EBUSY);
	close(fd);
	ring_close(&r);
	expect_rings(0);
}

/* Passed to a process that could not have opened it. */
static void passed(void)
{
	struct ring r;
	pid_t pid;
	int sp[2];
	char c;

	EXPECT_ERR(socketpair(AF_UNIX, SOCK_STREAM, 0, sp), 0);
	pid = fork();
	if (!pid) {
		close(sp[0]);
		if (setgid(65534) || setuid(65534))
			FAIL("cannot change the user");
		memset(&r, 0, sizeof(r));
		ring_make(&r, recv_fd(sp[1], &c, 1), 8, 0, 2 * PAGE);
		start_work(&r, 0);
		ring_push_nop(&r, 6);
		EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
		EXPECT_EQ(ring_take(&r).user_data, 6);
		_exit(0);
	}
	close(sp[1]);
	r.fd = dev_open();
	send_fd(sp[0], r.fd, "", 1);
	close(r.fd);
	expect_child(pid);

	/* In a socket, with work in flight, and never received. */
	EXPECT_ERR(socketpair(AF_UNIX, SOCK_STREAM, 0, sp), 0);
	ring_open(&r, 8, 0, WORK_ARENA);
	start_work(&r, 8);
	send_fd(sp[0], r.fd, "", 1);
	ring_close(&r);
	close(sp[0]);
	close(sp[1]);
	expect_rings(0);
}

static void mapping_kept(void)
{
	struct wsq_stats st;
	struct ring r;

	ring_open(&r, 8, 0, WORK_ARENA);
	memset(r.arena, 7, WORK_ARENA);
	start_work(&r, 8);
	close(r.fd);
	/* The mapping holds the file, so tasks still end and complete. */
	module_stats(&st);
	EXPECT_EQ(st.rings, 1);
	while (r.head < 8) {
		if (ring_peek(&r))
			EXPECT_EQ(ring_take(&r).res, 32);
		else
			usleep(1000);
	}
	EXPECT(r.arena[4 << 20] != 7 || r.arena[(4 << 20) + 1] != 7);
	EXPECT_ERR(munmap(r.page, r.s.rings_bytes), 0);
	EXPECT_ERR(munmap(r.sqes, r.s.sqes_bytes), 0);
	/* Its last page suffices. */
	EXPECT_ERR(munmap(r.arena, WORK_ARENA - PAGE), 0);
	module_stats(&st);
	EXPECT_EQ(st.rings, 1);
	EXPECT_EQ(r.arena[WORK_ARENA - 1], 7);
	EXPECT_ERR(munmap(r.arena + WORK_ARENA - PAGE, PAGE), 0);
	expect_rings(0);
}

/* Closes a ring with @nr hashes of 4 MiB; returns how many of them have run. */
static unsigned int close_with(unsigned int nr, bool await, unsigned int us)
{
	unsigned int i, done;
	struct ring r;
	int p[2];

	EXPECT_ERR(pipe(p), 0);
	ring_open(&r, DONE_NR, 0, (4 << 20) + DONE_BYTES);
	done_keep(&r, p[1], 4 << 20);
	for (i = 0; i < nr; i++)
		done_push(&r, i, 4 << 20, 0, 0);
	EXPECT_EQ(ring_enter(&r, nr, await ? nr : 0, TIMEOUT_S), 0);
	EXPECT_EQ(r.e.submitted, nr);
	usleep(us);
	ring_close(&r);
	expect_rings(0);
	done = done_count(p[0]);
	close(p[0]);
	close(p[1]);
	return done;
}

/* Closing does not wait for 2048 hashes of 4 MiB. */
static void closed_at_work(void)
{
	unsigned int most = 0, least = DONE_NR, done, i;

	/* All that have run are counted. */
	EXPECT_EQ(close_with(9, true, 0), 9);
	for (i = 0; i < part_of(30); i++) {
		done = close_with(DONE_NR, false, i % 3 ? i * 300 : 0);
		if (done > most)
			most = done;
		if (done < least)
			least = done;
	}
	printf("# %u to %u of %u hashes\n", least, most, DONE_NR);
	/* Unless this process was away for so long, each time. */
	EXPECT(least < DONE_NR);
	expect_usable();
}

/* Executes this program; its environment has the open file and the action. */
static void exec_self(int fd)
{
	char arg[16];

	snprintf(arg, sizeof(arg), "%d", fd);
	setenv("WSQ_TEST_FD", arg, 1);
	execl("/proc/self/exe", "lifecycle", NULL);
	FAIL("exec: %s", strerror(errno));
}

/* After exec: the mapping is gone; the ring remains, and can be mapped. */
static int after_exec(int fd)
{
	struct ring r = {
		.fd = fd,
		.s = { .sq_entries = 8, .cq_entries = 16, .rings_bytes = PAGE,
		       .sqes_bytes = PAGE, .arena_bytes = WORK_ARENA,
		       .cqes_off = sizeof(struct wsq_ring_page) },
	};
	int i;

	ring_map(&r);
	r.tail = r.page->sq_head;
	for (i = 0; i < 3; i++) {
		while (!ring_peek(&r))
			usleep(1000);
		EXPECT_EQ(ring_take(&r).res, 32);
	}
	ring_push_nop(&r, 9);
	EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
	EXPECT_EQ(ring_take(&r).user_data, 9);
	return 0;
}

static void executed(void)
{
	struct ring r;
	pid_t pid;

	/* Kept. */
	pid = fork();
	if (!pid) {
		ring_open(&r, 8, 0, WORK_ARENA);
		start_work(&r, 3);
		fcntl(r.fd, F_SETFD, 0);
		exec_self(r.fd);
	}
	expect_child(pid);
	expect_rings(0);

	/* Closed on exec, with work in flight. */
	pid = fork();
	if (!pid) {
		ring_open(&r, 8, 0, WORK_ARENA);
		start_work(&r, 8);
		exec_self(-1);
	}
	expect_child(pid);
	expect_rings(0);
}

/* A page with another reference outlives the ring, unchanged. */
static void page_kept(void)
{
	struct iovec iov;
	uint8_t buf[PAGE];
	struct ring r;
	int p[2], i;

	EXPECT_ERR(pipe(p), 0);
	ring_open(&r, 4, 0, 4 * PAGE);
	memset(r.arena, 0x5a, 4 * PAGE);
	iov = (struct iovec) { r.arena + PAGE, PAGE };
	EXPECT_EQ(vmsplice(p[1], &iov, 1, 0), PAGE);
	ring_close(&r);
	expect_rings(0);
		/* A new user of freed pages would overwrite them. */
	for (i = 0; i < 4; i++) {
		ring_open(&r, 4, 0, 4 << 20);
		memset(r.arena, i, 4 << 20);
		ring_close(&r);
	}
	EXPECT_EQ(read(p[0], buf, PAGE), PAGE);
	for (i = 0; i < (int)PAGE; i++)
		EXPECT_EQ(buf[i], 0x5a);
}

/* New pages contain nothing of their former users. */
static void zeroed(void)
{
	struct ring r;
	unsigned int i, k;

	for (k = 0; k < 4; k++) {
		ring_open(&r, 256, 0, 4 << 20);
		for (i = 0; i < 4 << 20; i += 61)
			EXPECT_EQ(r.arena[i], 0);
		for (i = 0; i < r.s.sqes_bytes; i++)
			EXPECT_EQ(((uint8_t *)r.sqes)[i], 0);
		for (i = 0; i < r.s.rings_bytes; i++)
			EXPECT_EQ(((uint8_t *)r.page)[i], 0);
		memset(r.arena, 0xff, 4 << 20);
		ring_close(&r);
		expect_rings(0);
	}
}

/* fdinfo and STATS are read while rings are being destroyed. */
static void watched(void)
{
	enum { ROUNDS = 400 };
	char path[64], buf[512];
	struct wsq_stats st;
	pid_t pid = fork();
	int fd, i, n, seen = 0, rounds = part_of(ROUNDS);

	if (!pid) {
		struct ring r;

		for (;;) {
			ring_open(&r, 16, 0, WORK_ARENA);
			start_work(&r, 4);
			ring_close(&r);
		}
	}
	for (i = 0; i < rounds || !seen; i++) {
		for (n = 3; n < 6; n++) {
			snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid,
				 n);
			fd = open(path, O_RDONLY);
			if (fd < 0)
				continue;
			seen += read(fd, buf, sizeof(buf)) > 0;
			close(fd);
		}
		if (i % 16 == 0)
			module_stats(&st);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_rings(0);
}

static const struct test tests[] = {
	{ "forked", forked },
	{ "duplicated", duplicated },
	{ "passed", passed },
	{ "mapping_kept", mapping_kept },
	{ "closed_at_work", closed_at_work },
	{ "executed", executed },
	{ "page_kept", page_kept },
	{ "zeroed", zeroed },
	{ "watched", watched },
};

int main(void)
{
	const char *fd = getenv("WSQ_TEST_FD");

	if (fd)
		return atoi(fd) < 0 ? 0 : after_exec(atoi(fd));
	return test_main(tests, ARRAY_SIZE(tests));
}
