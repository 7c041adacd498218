// SPDX-License-Identifier: GPL-2.0
/*
 * Polled rings under stress: a thread that falls asleep all the time, beside
 * callers of ENTER and CANCEL, of processes that end, fork, or write anything
 * to the cursors. Each task completes once, and nothing is left.
 */
#include "wsq_poll.h"

#include <pthread.h>

/* The thread falls asleep at any moment; no entry is left behind. */
static void handshake(void)
{
	enum { ROUNDS = 40000, MOST = 400000 };
	uint64_t seed = 3, i;
	unsigned int woken = 0, unasked = 0;
	struct ring r;

	poll_open(&r, 20, 8, 0);
	/* Until both cases have occurred. */
	for (i = 0; i < part_of(ROUNDS) ||
	     ((!woken || !unasked) && i < MOST); i++) {
		unsigned int n = 1 + rnd(&seed) % 3, k;

		for (k = 0; k < n; k++)
			ring_push_nop(&r, i);
		if (submit(&r))
			woken++;
		else
			unasked++;
		for (k = 0; k < n; k++) {
			struct wsq_cqe cqe = await(&r);

			EXPECT_EQ(cqe.res, 0);
			EXPECT_EQ(cqe.user_data, i);
		}
		/* Around the time when it goes to sleep. */
		for (k = rnd(&seed) % 4096; k; k--)
			__asm__ volatile("" ::: "memory");
		if (rnd(&seed) % 64 == 0)
			usleep(rnd(&seed) % 200);
	}
	printf("# %u woken, %u not\n", woken, unasked);
	ring_close(&r);
	if (!woken || !unasked)
		SKIP("the thread was always %s", woken ? "asleep" : "awake");
}

#define TASKS	40000

static struct ring shared;
static bool stop;

static void *enterer(void *arg)
{
	uint64_t seed = (uintptr_t)arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		struct wsq_enter e = {
			.size = sizeof(e),
			.flags = rnd(&seed) % 4 ? 0 : WSQ_ENTER_WAKEUP,
			.to_submit = rnd(&seed) % 8,
		};

		/* Sometimes no completion entry is free. */
		if (ioctl(shared.fd, WSQ_IOC_ENTER, &e))
			EXPECT_EQ(errno, EAGAIN);
		if (rnd(&seed) % 4 == 0)
			usleep(rnd(&seed) % 200);
	}
	return NULL;
}

static void *canceller(void *arg)
{
	uint64_t seed = (uintptr_t)arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		struct wsq_cancel c = {
			.size = sizeof(c),
			.flags = WSQ_CANCEL_USER_DATA,
			.what = rnd(&seed) % TASKS,
		};

		if (rnd(&seed) % 16 == 0) {
			c.flags = WSQ_CANCEL_ALL;
			c.what = 0;
		}
		ioctl(shared.fd, WSQ_IOC_CANCEL, &c);
		usleep(rnd(&seed) % 500);
	}
	return NULL;
}

/* The thread, callers of ENTER and of CANCEL: each task completes, once. */
static void storm(void)
{
	enum { SQ = 32 };
	static unsigned char seen[TASKS];
	uint64_t seed = 5, pushed = 0, most = part_of(TASKS);
	struct ring *r = &shared;
	pthread_t t[3];

	poll_open(r, 50, SQ, SQ);
	EXPECT(!pthread_create(&t[0], NULL, enterer, (void *)1));
	EXPECT(!pthread_create(&t[1], NULL, enterer, (void *)2));
	EXPECT(!pthread_create(&t[2], NULL, canceller, (void *)3));
	while (r->head < pushed || pushed < most) {
		struct wsq_cqe *cqe;
		unsigned int n = rnd(&seed) % 16;

		/* At times more than there are free completion entries. */
		while (n-- && pushed < most && r->tail - taken(r) < SQ) {
			unsigned int flags = 0;

			if (rnd(&seed) % 8 == 0)
				flags = WSQ_SQE_LINK;
			else if (rnd(&seed) % 64 == 0)
				flags = WSQ_SQE_DRAIN;
			push_op(r, WSQ_OP_NOP, flags, pushed++);
		}
		/* After filling the entries, and before the reading below. */
		submit(r);
		while ((cqe = ring_peek(r))) {
			EXPECT(cqe->user_data < pushed);
			EXPECT(!seen[cqe->user_data]);
			seen[cqe->user_data] = 1;
			/* A drain behind a link is refused. */
			EXPECT(!cqe->res || cqe->res == -ECANCELED ||
			       cqe->res == -EINVAL);
			ring_seen(r);
			if (rnd(&seed) % 8 == 0)
				break;
		}
		if (rnd(&seed) % 256 == 0)
			usleep(rnd(&seed) % 300);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	pthread_join(t[2], NULL);
	/* The poller stores sq_head after queueing; tasks may end earlier. */
	EVENTUALLY(taken(r) == pushed);
	EXPECT_EQ(r->head, pushed);
	printf("# %llu tasks, %lld taken by the poller\n",
	       (unsigned long long)pushed,
	       fdinfo_at(r, "wsq_polled", NULL));
	ring_close(r);
}

/* Rings come and go, own and shared threads, while entries are taken. */
static void *comer(void *arg)
{
	enum { ROUNDS = 600 };
	uint64_t seed = (uintptr_t)arg, round;
	struct ring r[4];
	bool there[4] = { false };
	unsigned int i, k;

	for (round = 0; round < part_of(ROUNDS); round++) {
		i = rnd(&seed) % 4;
		if (there[i]) {
			for (k = rnd(&seed) % 8; k; k--)
				ring_push_nop(&r[i], k);
			if (rnd(&seed) % 2)
				submit(&r[i]);
			else
				publish(&r[i]);
			if (rnd(&seed) % 4 == 0) {
				while (rnd(&seed) % 4 && ring_peek(&r[i]))
					ring_take(&r[i]);
			}
			ring_close(&r[i]);
			there[i] = false;
			continue;
		}
		k = rnd(&seed) % 4;
		ring_poll(&r[i], there[k] ? SHARE : WSQ_SETUP_POLL,
			  there[k] ? 0 : 1 + rnd(&seed) % 500,
			  there[k] ? r[k].fd : 0, 8, 0);
		there[i] = true;
	}
	for (i = 0; i < 4; i++)
		if (there[i])
			ring_close(&r[i]);
	return NULL;
}

static void come_and_go(void)
{
	pthread_t t[3];
	uintptr_t i;

	for (i = 0; i < 3; i++)
		EXPECT(!pthread_create(&t[i], NULL, comer, (void *)(i + 1)));
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	EVENTUALLY(pollers() == 0);
	expect_rings(0);
}

/* Joins a ring's poller and leaves it, and never submits. */
static void *joiner(void *arg)
{
	const struct ring *other = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		struct wsq_setup s = { .sq_entries = 1 };
		int fd = dev_open();

		EXPECT_ERR(setup(fd, SHARE, 0, other->fd, &s), 0);
		close(fd);
	}
	return NULL;
}

/* Holds a ring's lock, so that other takers wait. */
static void *locker(void *arg)
{
	const struct ring *r = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		struct wsq_cancel c = {
			.size = sizeof(c), .flags = WSQ_CANCEL_ALL,
		};

		EXPECT_ERR(ioctl(r->fd, WSQ_IOC_CANCEL, &c), ENOENT);
	}
	return NULL;
}

/*
 * A poller that is about to sleep must not skip a ring because another one
 * joins while it waits for the lock of a third. Random timing hardly ever hits
 * this: kmod/tests/poller_kunit.c forces it.
 */
static void joined(void)
{
	enum { ROUNDS = 6000, MOST = 60000 };
	uint64_t n;
	unsigned int unasked = 0, i;
	struct ring r, stuck;
	pthread_t t[2];

	poll_open(&r, 1, 8, 0);
	ring_poll(&stuck, SHARE | WSQ_SETUP_DISABLED, 0, r.fd, 8, 16384);
	__atomic_store_n(&stop, false, __ATOMIC_RELAXED);
	EXPECT(!pthread_create(&t[0], NULL, joiner, &r));
	EXPECT(!pthread_create(&t[1], NULL, locker, &stuck));
	for (n = 0; n < part_of(ROUNDS) || (!unasked && n < MOST); n++) {
		ring_push_nop(&r, n);
		unasked += !submit(&r);
		EXPECT_EQ(await(&r).user_data, n);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(t); i++)
		pthread_join(t[i], NULL);
	printf("# %u of %llu unasked\n", unasked, (unsigned long long)n);
	ring_close(&stuck);
	ring_close(&r);
	EVENTUALLY(pollers() == 0);
	expect_rings(0);
	if (!unasked)
		SKIP("the thread slept at each of %llu times",
		     (unsigned long long)n);
}

/* A process that never ends by itself. */
static void __attribute__((noreturn)) busy(int go)
{
	struct ring r, s;
	uint64_t n = 0;

	poll_open(&r, 1000, 64, 0);
	ring_poll(&s, SHARE, 0, r.fd, 64, 0);
	EXPECT_EQ(write(go, "x", 1), 1);
	for (;;) {
		while (r.tail - taken(&r) < 64) {
			push_op(&r, WSQ_OP_NOP, n % 16 ? 0 : WSQ_SQE_DRAIN, n);
			n++;
		}
		submit(&r);
		while (ring_peek(&r))
			ring_seen(&r);
		/* Its completions are never read, so it fills up. */
		if (s.tail - taken(&s) < 64)
			ring_push_nop(&s, n);
		submit(&s);
	}
}

/* A process killed, or replaced by exec, at any moment leaves nothing. */
static void killed(void)
{
	uint64_t seed = 11;
	int i, status, p[2];
	char c;

	for (i = 0; i < 30; i++) {
		pid_t pid;

		EXPECT_ERR(pipe2(p, O_CLOEXEC), 0);
		pid = fork();
		EXPECT(pid >= 0);
		if (!pid)
			busy(p[1]);
		close(p[1]);
		EXPECT_EQ(read(p[0], &c, 1), 1);
		close(p[0]);
		usleep(rnd(&seed) % 5000);
		EXPECT_ERR(kill(pid, SIGKILL), 0);
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT(WIFSIGNALED(status));
	}
	EVENTUALLY(pollers() == 0);
	expect_rings(0);
	/* By exec, which closes its files. */
	for (i = 0; i < 5; i++) {
		pid_t pid = fork();

		EXPECT(pid >= 0);
		if (!pid) {
			static char *const args[] = { "/proc/self/exe", "-", NULL };
			struct ring r;

			poll_open(&r, SECOND, 8, 0);
			ring_push_nop(&r, 1);
			submit(&r);
			execv(args[0], args);
			_exit(1);
		}
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	EVENTUALLY(pollers() == 0);
	expect_rings(0);
	expect_usable();
}

/* A child has the file, and may map the ring; its exit spares the ring. */
static void forked(void)
{
	struct ring r;
	int status;
	pid_t pid;

	poll_open(&r, SECOND, 8, 0);
	pid = fork();
	EXPECT(pid >= 0);
	if (!pid) {
		ring_map(&r);
		ring_push_nop(&r, 4);
		submit(&r);
		EXPECT_EQ(await(&r).user_data, 4);
		_exit(TEST_PASS);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status) && !WEXITSTATUS(status));
	r.head = 1;
	r.tail = 1;
	ring_push_nop(&r, 5);
	submit(&r);
	EXPECT_EQ(await(&r).user_data, 5);
	EVENTUALLY(pollers() == 1);
	ring_close(&r);
	EVENTUALLY(pollers() == 0);
}

/* Random writes to the shared words do not disturb other rings. */
static void *scribbler(void *arg)
{
	uint64_t *words[] = {
		(uint64_t *)&shared.page->sq_head, (uint64_t *)&shared.page->flags,
		(uint64_t *)&shared.page->sq_tail, (uint64_t *)&shared.page->cq_head,
		(uint64_t *)&shared.page->cq_tail,
	};
	uint64_t seed = (uintptr_t)arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		uint64_t *at = words[rnd(&seed) % ARRAY_SIZE(words)];
		uint64_t v = rnd(&seed);

		if (rnd(&seed) % 2)
			v = *at + rnd(&seed) % 20 - 5;
		__atomic_store_n(at, v, __ATOMIC_RELAXED);
		((uint64_t *)shared.sqes)[rnd(&seed) % 64] = rnd(&seed) % 4 ?
			rnd(&seed) % 8 : rnd(&seed);
	}
	return NULL;
}

static void scribbled(void)
{
	enum { ROUNDS = 2000 };
	struct ring other;
	pthread_t t[2];
	uint64_t i;

	poll_open(&shared, 200, 8, 0);
	ring_poll(&other, SHARE, 0, shared.fd, 8, 0);
	EXPECT(!pthread_create(&t[0], NULL, scribbler, (void *)1));
	EXPECT(!pthread_create(&t[1], NULL, scribbler, (void *)2));
	for (i = 0; i < part_of(ROUNDS); i++) {
		ring_push_nop(&other, i);
		submit(&other);
		EXPECT_EQ(await(&other).user_data, i);
		wake(&shared, i % 16);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	ring_close(&shared);
	ring_push_nop(&other, 1);
	submit(&other);
	EXPECT_EQ(await(&other).user_data, 1);
	ring_close(&other);
	EVENTUALLY(pollers() == 0);
	expect_rings(0);
}

static const struct test tests[] = {
	{ "handshake", handshake },
	{ "storm", storm },
	{ "come_and_go", come_and_go },
	{ "joined", joined },
	{ "killed", killed },
	{ "forked", forked },
	{ "scribbled", scribbled },
};

int main(int argc, char **argv)
{
	/* For the exec tests. */
	if (argc > 1 && !strcmp(argv[1], "-"))
		return 0;
	return test_main(tests, ARRAY_SIZE(tests));
}
