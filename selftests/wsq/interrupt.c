// SPDX-License-Identifier: GPL-2.0
/*
 * Waits in ENTER, and what interrupts them. Only a signal handler ends a wait:
 * a process that is stopped and continued, or traced, waits on.
 */
#include "wsq_poll.h"

#include <sys/ptrace.h>

/* A waiter, in a child; shared with the test. */
struct waiter {
	int fd;
	struct wsq_enter e;
	int ret;
	bool begun;
	bool done;
};

static struct waiter *w;
static struct ring ring;

/* As in /proc/PID/stat: R, S, T, t. */
static char state_of(pid_t pid)
{
	char path[64], line[256], *at;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	EXPECT(f && fgets(line, sizeof(line), f));
	fclose(f);
	at = strrchr(line, ')');
	EXPECT(at && at[1] == ' ');
	return at[2];
}

static bool begun(void)
{
	return __atomic_load_n(&w->begun, __ATOMIC_ACQUIRE);
}

static bool done(void)
{
	return __atomic_load_n(&w->done, __ATOMIC_ACQUIRE);
}

/* The child calls ENTER, and sleeps there. */
static pid_t wait_begin(unsigned int submit, unsigned int min,
			uint64_t timeout_ns, void (*handler)(int))
{
	pid_t pid;

	*w = (struct waiter) {
		.fd = ring.fd,
		.e = {
			.size = sizeof(w->e), .to_submit = submit,
			.min_complete = min, .timeout_ns = timeout_ns,
		},
	};
	pid = fork();
	EXPECT(pid >= 0);
	if (!pid) {
		struct sigaction sa = {
			.sa_handler = handler, .sa_flags = SA_RESTART,
		};

		EXPECT_ERR(sigaction(SIGUSR1, &sa, NULL), 0);
		__atomic_store_n(&w->begun, true, __ATOMIC_RELEASE);
		w->ret = ioctl(w->fd, WSQ_IOC_ENTER, &w->e) ? errno : 0;
		__atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
		_exit(0);
	}
	EVENTUALLY(begun() && state_of(pid) == 'S');
	return pid;
}

static void wait_end(pid_t pid, int ret)
{
	int status;

	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT(done());
	EXPECT_EQ(w->ret, ret);
}

static void handled(int sig)
{
	(void)sig;
}

static void stop(pid_t pid)
{
	EXPECT_ERR(kill(pid, SIGSTOP), 0);
	EVENTUALLY(done() || state_of(pid) == 'T');
	EXPECT_ERR(kill(pid, SIGCONT), 0);
}

static void trace(pid_t pid)
{
	int status;

	EXPECT_ERR(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	EXPECT_ERR(ptrace(PTRACE_INTERRUPT, pid, 0, 0), 0);
	EXPECT_EQ(waitpid(pid, &status, __WALL), pid);
	EXPECT_ERR(ptrace(PTRACE_DETACH, pid, 0, 0), 0);
}

static void ignored(pid_t pid)
{
	EXPECT_ERR(kill(pid, SIGUSR1), 0);
}

static const struct {
	void (*event)(pid_t pid);
	void (*handler)(int sig);
	int ret;
} events[] = {
	{ stop, SIG_DFL, 0 },
	{ trace, SIG_DFL, 0 },
	{ ignored, SIG_IGN, 0 },
	{ ignored, handled, EINTR },
};

static void each(void (*fn)(unsigned int i))
{
	unsigned int i;

	w = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	EXPECT(w != MAP_FAILED);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		test_at("events", i);
		ring_open(&ring, 8, 8, 0);
		fn(i);
		ring_close(&ring);
	}
}

/* Nothing was submitted: the wait goes on. */
static void wait_for(uint64_t timeout_ns, unsigned int i)
{
	pid_t pid = wait_begin(0, 1, timeout_ns, events[i].handler);

	events[i].event(pid);
	EVENTUALLY(done() || (state_of(pid) == 'S' && !events[i].ret));
	if (!events[i].ret) {
		EXPECT(!done());
		ring_push_nop(&ring, 0);
		EXPECT_EQ(ring_enter(&ring, 1, 0, 0), 0);
	}
	wait_end(pid, events[i].ret);
	EXPECT_EQ(w->e.submitted, 0);
	EXPECT_EQ(w->e.completed, !events[i].ret);
}

static void without_limit(unsigned int i)
{
	wait_for(WSQ_NO_TIMEOUT, i);
	EXPECT_EQ(w->e.timeout_ns, WSQ_NO_TIMEOUT);
}

/* With the rest of its time. */
static void with_limit(unsigned int i)
{
	wait_for(TIMEOUT_S, i);
	if (events[i].handler == SIG_IGN)
		EXPECT_EQ(w->e.timeout_ns, TIMEOUT_S);
	else
		EXPECT(w->e.timeout_ns && w->e.timeout_ns < TIMEOUT_S);
}

/* It submits, then waits: no second call must submit more. */
static void submitted(unsigned int i)
{
	int ret = events[i].handler == SIG_IGN ? 0 : EINTR;
	pid_t pid;

	ring_push_nop(&ring, 0);
	ring_push_nop(&ring, 1);
	publish(&ring);
	pid = wait_begin(1, 3, TIMEOUT_S, events[i].handler);
	events[i].event(pid);
	EVENTUALLY(done() || (state_of(pid) == 'S' && !ret));
	EXPECT_EQ(taken(&ring), 1);
	if (!ret) {
		EXPECT(!done());
		ring_push_nop(&ring, 2);
		EXPECT_EQ(ring_enter(&ring, 2, 0, 0), 0);
	}
	wait_end(pid, ret);
	EXPECT_EQ(w->e.submitted, 1);
	EXPECT_EQ(w->e.timeout_ns < TIMEOUT_S, ret != 0);
}

static void wait_without_limit(void)
{
	each(without_limit);
}

static void wait_with_limit(void)
{
	each(with_limit);
}

static void wait_submitted(void)
{
	each(submitted);
}

static const struct test tests[] = {
	{ "interrupt_wait", wait_without_limit },
	{ "interrupt_wait_limit", wait_with_limit },
	{ "interrupt_submitted", wait_submitted },
};

TEST_MAIN(tests)
