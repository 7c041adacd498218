// SPDX-License-Identifier: GPL-2.0
/*
 * Rings whose entries a kernel thread takes: permission, no system call while
 * there is work, sleep when there is none. poll_storm.c combines all of it.
 */
#include "wsq_poll.h"

#include <poll.h>

#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

static const struct {
	int err;
	unsigned int flags, idle_us;
	int poll_fd;		/* below -9: see below */
} wrong[] = {
	{ EINVAL, .flags = WSQ_SETUP_POLL_SHARE },
	{ EINVAL, .poll_fd = 1 },
	{ EINVAL, .poll_fd = -1 },
	{ EINVAL, .flags = WSQ_SETUP_POLL, .poll_fd = 1 },
	{ EINVAL, .idle_us = 1 },
	{ EINVAL, .flags = WSQ_SETUP_POLL, .idle_us = SECOND + 1 },
	{ EINVAL, .flags = WSQ_SETUP_POLL, .idle_us = -1U },
	{ EINVAL, .flags = SHARE, .idle_us = 1, .poll_fd = -14 },
	{ EBADF, .flags = SHARE, .poll_fd = -1 },
	{ EBADF, .flags = SHARE, .poll_fd = 1000 },
	{ EBADF, .flags = SHARE, .poll_fd = -10 },
	{ EINVAL, .flags = SHARE, .poll_fd = -11 },
	{ EINVAL, .flags = SHARE, .poll_fd = -12 },
	{ EINVAL, .flags = SHARE, .poll_fd = -13 },
	{ EINVAL, .flags = SHARE, .poll_fd = -15 },
	{ 0, .flags = SHARE, .poll_fd = -14 },
	{ 0, .flags = WSQ_SETUP_POLL },
	{ 0, .flags = WSQ_SETUP_POLL, .idle_us = 1 },
	{ 0, .flags = WSQ_SETUP_POLL, .idle_us = SECOND },
	{ 0 },
};

static void refused(void)
{
	struct ring plain, polled;
	struct wsq_setup s, *ro;
	int fds[6], fd;
	unsigned int i;

	ring_open(&plain, 8, 0, 0);
	poll_open(&polled, 0, 8, 0);
	fds[0] = open(WSQ_DEVICE, O_PATH);
	fds[1] = open("/dev/null", O_RDWR);
	fds[2] = dev_open();
	fds[3] = plain.fd;
	fds[4] = polled.fd;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		test_at("wrong", i);
		fd = dev_open();
		fds[5] = fd;
		s = (struct wsq_setup) { 0 };
		EXPECT_ERR(setup(fd, wrong[i].flags, wrong[i].idle_us,
				 wrong[i].poll_fd > -10 ? wrong[i].poll_fd :
				 fds[-10 - wrong[i].poll_fd], &s),
			   wrong[i].err);
		/* A failed SETUP changes nothing, so it may be repeated. */
		if (wrong[i].err) {
			s = (struct wsq_setup) { 0 };
			EXPECT_ERR(setup(fd, 0, 0, 0, &s), 0);
		}
		close(fd);
	}
	test_at(NULL, 0);

	/* If the result cannot be stored, the ring is destroyed. */
	ro = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(ro != MAP_FAILED);
	*ro = (struct wsq_setup) {
		.size = sizeof(*ro), .flags = WSQ_SETUP_POLL, .sq_entries = 8,
	};
	EXPECT_ERR(mprotect(ro, 4096, PROT_READ), 0);
	fd = dev_open();
	/* Threads of the rings closed above end a moment later. */
	EVENTUALLY(pollers() == 1);
	for (i = 0; i < 20; i++) {
		EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, ro), EFAULT);
		/* Its thread ends with it. */
		EXPECT_EQ(pollers(), 1);
	}
	EXPECT_ERR(mprotect(ro, 4096, PROT_READ | PROT_WRITE), 0);
	ro->flags = SHARE;
	ro->poll_fd = polled.fd;
	EXPECT_ERR(mprotect(ro, 4096, PROT_READ), 0);
	for (i = 0; i < 300; i++)
		EXPECT_ERR(ioctl(fd, WSQ_IOC_SETUP, ro), EFAULT);
	EVENTUALLY(pollers() == 1);
	EXPECT_EQ(fdinfo_at(&polled, "wsq_poller_rings", NULL), 1);

	/* ENTER's flags. */
	EXPECT_EQ(wake(&plain, 0), -EINVAL);
	EXPECT_EQ(wake(&polled, 0), 0);
	polled.e.flags = 2;
	EXPECT_ERR(ioctl(polled.fd, WSQ_IOC_ENTER, &polled.e), EINVAL);
	polled.e.flags = 3;
	EXPECT_ERR(ioctl(polled.fd, WSQ_IOC_ENTER, &polled.e), EINVAL);
	polled.e.flags = 1U << 31;
	EXPECT_ERR(ioctl(polled.fd, WSQ_IOC_ENTER, &polled.e), EINVAL);
	EXPECT_EQ(fdinfo_at(&plain, "wsq_poller", NULL), -1);
	ring_close(&polled);
	ring_close(&plain);
	EVENTUALLY(pollers() == 0);
}

/* The memory that QUERY reports. */
static void asked(void)
{
	struct wsq_query q = { .size = sizeof(q), .sq_entries = 8 };
	uint64_t plain;
	int fd = dev_open();

	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT(q.features & WSQ_FEAT_POLL);
	plain = q.memory;
	q.setup_flags = WSQ_SETUP_POLL;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT(q.memory > plain);
	q.setup_flags = SHARE;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT_EQ(q.memory, plain);
	q.setup_flags = WSQ_SETUP_POLL_SHARE;
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &q), 0);
	EXPECT_EQ(q.memory, 0);
}

static void drop_nice(void)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct d[2];

	EXPECT_ERR(syscall(SYS_capget, &h, d), 0);
	d[0].effective &= ~(1U << CAP_SYS_NICE);
	EXPECT_ERR(syscall(SYS_capset, &h, d), 0);
}

static int in_child(void (*fn)(void), int poll_fd, unsigned int flags)
{
	int status;
	pid_t pid = fork();

	EXPECT(pid >= 0);
	if (!pid) {
		struct wsq_setup s = { 0 };
		int fd = dev_open();

		fn();
		_exit(setup(fd, flags, 0, poll_fd, &s) ? errno : 0);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void nobody(void)
{
	EXPECT_ERR(seteuid(65534), 0);
}

/* All capabilities, but of another user: seteuid() drops them. */
static void nobody_nice(void)
{
	EXPECT_ERR(prctl(PR_SET_SECUREBITS, 1 << 2), 0);
	EXPECT_ERR(seteuid(65534), 0);
}

static void new_namespace(void)
{
	if (unshare(CLONE_NEWUSER))
		_exit(200);
}

static void unchanged(void)
{
}

/* Permission to have a poller, and to share one. */
static void rights(void)
{
	struct ring r;
	int ret;

	poll_open(&r, 0, 8, 0);
	EXPECT_EQ(in_child(unchanged, 0, WSQ_SETUP_POLL), 0);
	EXPECT_EQ(in_child(unchanged, r.fd, SHARE), 0);
	EXPECT_EQ(in_child(drop_nice, 0, WSQ_SETUP_POLL), EPERM);
	EXPECT_EQ(in_child(drop_nice, r.fd, SHARE), 0);
	EXPECT_EQ(in_child(nobody, 0, WSQ_SETUP_POLL), EPERM);
	EXPECT_EQ(in_child(nobody, r.fd, SHARE), EPERM);
	EXPECT_EQ(in_child(nobody_nice, 0, WSQ_SETUP_POLL), 0);
	EXPECT_EQ(in_child(nobody_nice, r.fd, SHARE), EPERM);
	ret = in_child(new_namespace, r.fd, SHARE);
	if (ret != 200) {
		EXPECT_EQ(ret, EPERM);
		/* There it has all capabilities, which do not count here. */
		EXPECT_EQ(in_child(new_namespace, 0, WSQ_SETUP_POLL), EPERM);
	}
	EXPECT_EQ(fdinfo_at(&r, "wsq_poller_rings", NULL), 1);
	EVENTUALLY(pollers() == 1);
}

/* From here on, any system call but those to end the test is fatal. */
static void no_more_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog prog = {
		.len = ARRAY_SIZE(code), .filter = code,
	};

	EXPECT_ERR(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		SKIP("no seccomp filters");
}

/* Checks that the filter does what the test below relies on. */
static void calls_are_fatal(void)
{
	int status;
	pid_t pid = fork();

	EXPECT(pid >= 0);
	if (!pid) {
		struct ring r;

		poll_open(&r, 0, 8, 0);
		no_more_calls();
		wake(&r, 0);
		_exit(1);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIP)
		SKIP("no seccomp filters");
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}

#define WAS_AWAY	77

static void __attribute__((noreturn)) make_no_calls(void)
{
	enum { SQ = 64 };
	const uint64_t tasks = part_of(50000);
	uint64_t pushed = 0, sum = 0;
	struct ring r;

	poll_open(&r, SECOND, SQ, 0);
	/* First use, with all its system calls. */
	ring_push_nop(&r, 0);
	submit(&r);
	await(&r);
	no_more_calls();
	while (r.head < tasks + 1) {
		struct wsq_cqe *cqe;

		while (pushed < tasks && r.tail - taken(&r) < SQ &&
		       r.tail - r.head < r.s.cq_entries)
			ring_push_nop(&r, ++pushed);
		publish(&r);
		/* It sleeps only if this process was away for a second. */
		if (asleep(&r))
			_exit(WAS_AWAY);
		while ((cqe = ring_peek(&r))) {
			EXPECT_EQ(cqe->res, 0);
			sum += cqe->user_data;
			ring_seen(&r);
		}
	}
	EXPECT_EQ(sum, tasks * (tasks + 1) / 2);
	_exit(TEST_PASS);
}

static void no_calls(void)
{
	int status, turn;

	/* A process without a CPU of its own may have been away. */
	for (turn = 0; turn < TRIES; turn++) {
		pid_t pid = fork();

		EXPECT(pid >= 0);
		if (!pid)
			make_no_calls();
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT(WIFEXITED(status));
		if (WEXITSTATUS(status) != WAS_AWAY)
			_exit(WEXITSTATUS(status));
	}
	SKIP("away for a second in each of %d turns", turn);
}

/* The number behind a word at the beginning of a line of /proc/PID/status. */
static long status_of(int pid, const char *word)
{
	char path[64], line[256];
	long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	EXPECT(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, word, strlen(word)))
			n = strtol(line + strlen(word), NULL, 10);
	fclose(f);
	EXPECT(n >= 0);
	return n;
}

/* How often a thread was switched out: a sleeping one never is. */
static long switches_of(int pid)
{
	return status_of(pid, "voluntary_ctxt_switches:") +
	       status_of(pid, "nonvoluntary_ctxt_switches:");
}

/* Was it asleep all the time? It may have been on its way to sleep. */
static bool slept_through(int pid)
{
	long before = switches_of(pid);

	usleep(500000);
	return switches_of(pid) == before;
}

static void sleeps(void)
{
	char word[32];
	struct ring r;
	int pid, i;

	poll_open(&r, 2000, 8, 0);
	EVENTUALLY(asleep(&r));
	pid = fdinfo_at(&r, "wsq_poller", NULL);
	EXPECT(pid > 0);
	EXPECT_EQ(fdinfo_at(&r, "wsq_poller_idle_us", NULL), 2000);
	fdinfo_at(&r, "wsq_poller_state", word);
	EXPECT(!strcmp(word, "asleep"));
	EVENTUALLY(fdinfo_at(&r, "wsq_poller_sleeps", NULL) == 1);
	/* It polled in vain for the configured time. */
	EXPECT(fdinfo_at(&r, "wsq_poller_idle_ns", NULL) >= 2000 * 1000);
	EVENTUALLY(slept_through(pid));
	EXPECT_EQ(fdinfo_at(&r, "wsq_poller_sleeps", NULL), 1);

	/* It does not wake by itself. */
	ring_push_nop(&r, 1);
	publish(&r);
	usleep(50000);
	EXPECT(!ring_peek(&r));
	EXPECT_EQ(taken(&r), 0);
	EXPECT_EQ(wake(&r, 0), 0);
	EXPECT_EQ(r.e.submitted, 0);
	EXPECT_EQ(await(&r).user_data, 1);
	EVENTUALLY(fdinfo_at(&r, "wsq_polled", NULL) == 1);
	EVENTUALLY(fdinfo_at(&r, "wsq_poller_taken", NULL) == 1);
	EVENTUALLY(fdinfo_at(&r, "wsq_poller_busy_ns", NULL) > 0);

	/* A submitter by ENTER needs no thread awake, and wakes none. */
	EVENTUALLY(asleep(&r));
	EVENTUALLY(fdinfo_at(&r, "wsq_poller_sleeps", NULL) == 2);
	for (i = 0; i < 100; i++) {
		ring_push_nop(&r, i);
		EXPECT_EQ(ring_enter(&r, 1, 1, TIMEOUT_S), 0);
		EXPECT_EQ(r.e.submitted, 1);
		EXPECT_EQ(ring_take(&r).user_data, i);
		EXPECT(asleep(&r));
	}
	EXPECT_EQ(fdinfo_at(&r, "wsq_polled", NULL), 1);
	EXPECT_EQ(fdinfo_at(&r, "wsq_poller_sleeps", NULL), 2);
	/* One call can wake and submit. */
	ring_push_nop(&r, 7);
	publish(&r);
	EXPECT_EQ(wake(&r, 1), 0);
	EXPECT_EQ(r.e.submitted, 1);
	EXPECT_EQ(await(&r).user_data, 7);
	EVENTUALLY(fdinfo_at(&r, "wsq_poller_sleeps", NULL) == 3);
	EXPECT_EQ(fdinfo_at(&r, "wsq_polled", NULL), 1);
	ring_close(&r);
}

/* Full and asleep: the flag is set. False if it woke before there was space. */
static bool full_asleep(void)
{
	struct ring r;
	bool slept;
	int i;

	poll_open(&r, 1000, 8, 8);
	for (i = 0; i < 8; i++)
		ring_push_nop(&r, i);
	submit(&r);
	/* Completions may come before it stores sq_head. */
	EVENTUALLY(taken(&r) == 8);
	EVENTUALLY(r.cqes[7].seq == 1);
	for (; i < 16; i++)
		ring_push_nop(&r, i);
	publish(&r);
	EVENTUALLY(asleep(&r));
	EXPECT_EQ(taken(&r), 8);
	EXPECT_EQ(ring_enter(&r, 8, 0, 0), -EAGAIN);
	/* Waking it does not help, and does not keep it awake. */
	EXPECT_EQ(wake(&r, 0), 0);
	EVENTUALLY(fdinfo_at(&r, "wsq_poller_sleeps", NULL) >= 2);
	EVENTUALLY(asleep(&r));
	EXPECT_EQ(taken(&r), 8);
	for (i = 0; i < 8; i++)
		await(&r);
	slept = asleep(&r);
	EXPECT_EQ(wake(&r, 0), 0);
	for (; i < 16; i++)
		EXPECT_EQ(await(&r).res, 0);
	ring_close(&r);
	return slept;
}

/* No free completion entry: it waits for the process, awake or asleep. */
static void full(void)
{
	struct ring r;
	int i;

	/* Awake: storing the cursor suffices. */
	poll_open(&r, SECOND, 8, 8);
	for (i = 0; i < 8; i++)
		ring_push_nop(&r, i);
	submit(&r);
	EVENTUALLY(r.cqes[7].seq == 1);
	EVENTUALLY(taken(&r) == 8);
	for (; i < 16; i++)
		ring_push_nop(&r, i);
	submit(&r);
	usleep(20000);
	EXPECT_EQ(taken(&r), 8);
	/* The eighth may be visible before the others. */
	await(&r);
	submit(&r);
	EVENTUALLY(taken(&r) == 9);
	for (i = 1; i < 8; i++)
		await(&r);
	submit(&r);
	for (; i < 16; i++)
		EXPECT_EQ(await(&r).res, 0);
	ring_close(&r);

	for (i = 0; i < TRIES && !full_asleep(); i++)
		;
	EXPECT(i < TRIES);
}

/* Invalid cursors stop this ring, and no other. */
static void cursors(void)
{
	struct ring r, other;
	unsigned int i;

	poll_open(&r, 1000, 8, 0);
	ring_push_nop(&r, 0);
	submit(&r);
	await(&r);
	EVENTUALLY(taken(&r) == 1);
	for (i = 0; i < 4; i++) {
		uint64_t *word = i < 2 ? (uint64_t *)&r.page->sq_tail :
					 (uint64_t *)&r.page->cq_head;
		uint64_t head = taken(&r), was;

		test_at("cursor", i);
		/* The kernel reads cq_head. */
		EXPECT_EQ(ring_enter(&r, 0, 0, 0), 0);
		was = *word;
		if (i >= 2) {
			/* It is not checked while there is nothing to take. */
			ring_push_nop(&r, 0);
		}
		__atomic_store_n(word, i % 2 ? was - 1 : was + 9,
				 __ATOMIC_RELEASE);
		if (i >= 2)
			publish(&r);
		EVENTUALLY(asleep(&r));
		EXPECT_EQ(wake(&r, 8), -EINVAL);
		usleep(5000);
		EVENTUALLY(asleep(&r));
		EXPECT_EQ(taken(&r), head);
		__atomic_store_n(word, was, __ATOMIC_RELEASE);
		if (i >= 2) {
			if (asleep(&r))
				EXPECT_EQ(wake(&r, 0), 0);
			EXPECT_EQ(await(&r).res, 0);
			EVENTUALLY(taken(&r) == head + 1);
		}
	}
	ring_push_nop(&r, 5);
	submit(&r);
	EXPECT_EQ(await(&r).user_data, 5);

	/* The error is also reported while another ring keeps it awake. */
	ring_poll(&other, SHARE, 0, r.fd, 8, 0);
	__atomic_store_n(&r.page->sq_tail, r.tail + 9, __ATOMIC_RELEASE);
	for (i = 0; i < 10 || !asleep(&r); i++) {
		EXPECT(i < 100000);
		ring_push_nop(&other, i);
		submit(&other);
		EXPECT_EQ(await(&other).user_data, i);
	}
	EXPECT_EQ(wake(&r, 1), -EINVAL);
	ring_push_nop(&r, 6);
	submit(&r);
	EXPECT_EQ(await(&r).user_data, 6);
	/* And it is cleared again. */
	for (i = 0; asleep(&r); i++) {
		EXPECT(i < 100000);
		ring_push_nop(&other, i);
		submit(&other);
		EXPECT_EQ(await(&other).user_data, i);
	}
	ring_close(&r);
	ring_close(&other);
}

static void disabled(void)
{
	struct wsq_restrict x = { .size = sizeof(x), .nr_ops = 1 };
	uint32_t ops[1] = { WSQ_OP_NOP };
	struct ring r;
	int i, k;

	x.ops = (uintptr_t)ops;
	for (i = 0; i < 2; i++) {
		ring_poll(&r, WSQ_SETUP_POLL | WSQ_SETUP_DISABLED,
			  i ? SECOND : 100, 0, 8, 0);
		/* From the beginning, asleep or not. */
		EXPECT(asleep(&r));
		ring_push_nop(&r, 1);
		push_op(&r, WSQ_OP_CRC32C, 0, 2);
		publish(&r);
		EXPECT_EQ(wake(&r, 2), -EBADFD);
		usleep(20000);
		EXPECT(asleep(&r));
		EXPECT_EQ(taken(&r), 0);
		EXPECT_ERR(ioctl(r.fd, WSQ_IOC_RESTRICT, &x), 0);
		EXPECT_EQ(taken(&r), 0);
		EXPECT_ERR(ioctl(r.fd, WSQ_IOC_ENABLE, 0), 0);
		/* No further call is needed. */
		EVENTUALLY(taken(&r) == 2);
		EVENTUALLY(r.cqes[1].seq == 1);
		while (r.head < 2) {
			struct wsq_cqe cqe = await(&r);

			EXPECT_EQ(cqe.res, cqe.user_data == 2 ? -EPERM : 0);
		}
		/* Nor at any later time, unless we were away for a second. */
		for (k = 0; i && k < TRIES; k++) {
			bool woken;

			ring_push_nop(&r, 3);
			woken = submit(&r);
			EXPECT_EQ(await(&r).user_data, 3);
			if (!woken)
				break;
		}
		EXPECT(k < TRIES);
		ring_close(&r);
	}
}

static void share(void)
{
	enum { NR = 16 };
	struct ring r[NR];
	unsigned int i, k;
	int pid;

	poll_open(&r[0], SECOND, 8, 0);
	pid = fdinfo_at(&r[0], "wsq_poller", NULL);
	/* By any ring that shares it. */
	for (i = 1; i < NR; i++)
		ring_poll(&r[i], SHARE, 0, r[i - 1].fd, 8, 0);
	EVENTUALLY(pollers() == 1);
	for (i = 0; i < NR; i++) {
		EXPECT_EQ(fdinfo_at(&r[i], "wsq_poller", NULL), pid);
		EXPECT_EQ(fdinfo_at(&r[i], "wsq_poller_rings", NULL), NR);
	}
	for (k = 0; k < 200; k++) {
		for (i = 0; i < NR; i++) {
			ring_push_nop(&r[i], k * NR + i);
			submit(&r[i]);
		}
		for (i = 0; i < NR; i++)
			EXPECT_EQ(await(&r[i]).user_data, k * NR + i);
	}
	for (i = 0; i < NR; i++)
		EVENTUALLY(fdinfo_at(&r[i], "wsq_polled", NULL) == 200);
	EVENTUALLY(fdinfo_at(&r[0], "wsq_poller_taken", NULL) == NR * 200);
	/* It outlives the ring that it was made for, with entries not taken. */
	for (i = 0; i < NR - 1; i++) {
		ring_push_nop(&r[i], 1);
		publish(&r[i]);
		ring_close(&r[i]);
		EXPECT_EQ(fdinfo_at(&r[NR - 1], "wsq_poller_rings", NULL),
			  NR - 1 - i);
		ring_push_nop(&r[NR - 1], i);
		submit(&r[NR - 1]);
		EXPECT_EQ(await(&r[NR - 1]).user_data, i);
	}
	EXPECT_EQ(pollers(), 1);
	ring_close(&r[NR - 1]);
	EVENTUALLY(pollers() == 0);
	expect_rings(0);
}

static void too_many(void)
{
	enum { MOST = 256 };
	struct wsq_setup s;
	struct ring r;
	int fds[MOST], i, late;

	poll_open(&r, 100, 8, 0);
	for (i = 1; i < MOST; i++) {
		fds[i] = dev_open();
		s = (struct wsq_setup) { .sq_entries = 1 };
		EXPECT_ERR(setup(fds[i], SHARE, 0, r.fd, &s), 0);
	}
	late = dev_open();
	s = (struct wsq_setup) { .sq_entries = 1 };
	EXPECT_ERR(setup(late, SHARE, 0, r.fd, &s), ENOSPC);
	/* Close one, make one. */
	close(fds[77]);
	s = (struct wsq_setup) { .sq_entries = 1 };
	EXPECT_ERR(setup(late, SHARE, 0, r.fd, &s), 0);
	ring_push_nop(&r, 1);
	submit(&r);
	EXPECT_EQ(await(&r).user_data, 1);
	EVENTUALLY(asleep(&r));
	ring_close(&r);
	EVENTUALLY(pollers() == 1);
	close(late);
	for (i = 1; i < MOST; i++)
		if (i != 77)
			close(fds[i]);
	EVENTUALLY(pollers() == 0);
	expect_rings(0);
}

/* While a batch is being taken, reading some of it frees space. */
static void room(void)
{
	struct ring r;
	unsigned int n, k;

	poll_open(&r, 1000, 4096, 8192);
	for (n = 0; n < part_of(20); n++) {
		for (k = 0; k < 4096; k++)
			ring_push_nop(&r, k);
		submit(&r);
		for (k = 0; k < 4096; k++) {
			struct pollfd p = { .fd = r.fd, .events = POLLOUT };

			await(&r);
			EXPECT_EQ(poll(&p, 1, 0), 1);
			EXPECT_EQ(p.revents, POLLOUT);
		}
	}
	ring_close(&r);
}

static const struct test tests[] = {
	{ "refused", refused },
	{ "asked", asked },
	{ "rights", rights },
	{ "calls_are_fatal", calls_are_fatal },
	{ "no_calls", no_calls },
	{ "sleeps", sleeps },
	{ "full", full },
	{ "room", room },
	{ "cursors", cursors },
	{ "disabled", disabled },
	{ "share", share },
	{ "too_many", too_many },
};

TEST_MAIN(tests)
