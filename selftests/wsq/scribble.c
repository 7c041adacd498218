// SPDX-License-Identifier: GPL-2.0
/*
 * A process that continuously overwrites its whole mapping with random bytes
 * while it submits, waits and polls: the kernel survives, each call ends with an
 * allowed errno, another ring computes correctly, and nothing is left behind.
 */
#include "wsq_test.h"

#include <poll.h>
#include <pthread.h>

#define ARENA		(1ULL << 20)
#define CALLS		3000

static struct ring victim;
static volatile int stop;
static volatile int slowest_ms;
static unsigned long submitted, calls, refused;

/* Random words over everything. */
static void *scribbler(void *arg)
{
	uint64_t seed = (uintptr_t)arg + 1;

	while (!stop) {
		uint64_t *p, n;
		int k;

		switch (rnd(&seed) % 3) {
		case 0:
			p = (uint64_t *)victim.page;
			n = victim.s.rings_bytes / 8;
			break;
		case 1:
			p = (uint64_t *)victim.sqes;
			n = victim.s.sqes_bytes / 8;
			break;
		default:
			p = (uint64_t *)victim.arena;
			n = victim.s.arena_bytes / 8;
		}
		for (k = 0; k < 256; k++)
			__atomic_store_n(&p[rnd(&seed) % n], rnd(&seed),
					 __ATOMIC_RELAXED);
	}
	return NULL;
}

/*
 * Almost valid entries and cursors get further than noise: the kernel checks
 * them while they change.
 */
static void *teaser(void *arg)
{
	uint64_t seed = (uintptr_t)arg + 77;

	while (!stop) {
		struct wsq_sqe *e = &victim.sqes[rnd(&seed) %
						 victim.s.sq_entries];
		volatile struct wsq_ring_page *page = victim.page;

		e->op = rnd(&seed) % (WSQ_OP_NR + 1);
		/* Every fourth has links, drains, hints or deadlines. */
		e->flags = rnd(&seed) % 4 ? 0 : rnd(&seed) % 256;
		e->hint = e->flags & (WSQ_SQE_CPU | WSQ_SQE_NODE) ?
			  rnd(&seed) % 4 : 0;
		e->key = e->flags & WSQ_SQE_KEY ? rnd(&seed) % 50 : 0;
		e->deadline = e->flags & WSQ_SQE_DEADLINE ?
			      rnd(&seed) % 2 ? ~0ULL : rnd(&seed) % 1000 : 0;
		e->src = rnd(&seed) % (ARENA + 64);
		e->len = rnd(&seed) % 8192;
		e->dst = e->op == WSQ_OP_CRC32C ? 0 : rnd(&seed) % ARENA;
		e->arg = 0;
		if (e->op == WSQ_OP_FILL)
			e->src = 0;
		/* Turn some of the arena's noise into a valid list. */
		if (e->flags & WSQ_SQE_VEC && e->op != WSQ_OP_NOP) {
			struct wsq_vec *list;
			unsigned int k;

			e->src = rnd(&seed) % (ARENA - 256) & ~7ULL;
			e->len = 1 + rnd(&seed) % 17;
			list = (void *)&victim.arena[e->src];
			for (k = 0; k < e->len && k < 16; k++) {
				list[k].off = rnd(&seed) % (ARENA + 64);
				list[k].len = rnd(&seed) % 4096;
			}
			if (e->op == WSQ_OP_FILL)
				e->dst = 0;
		}
		if (e->op == WSQ_OP_NOP) {
			e->src = 0;
			e->len = 0;
			e->dst = 0;
		}
		page->sq_tail = page->sq_head + rnd(&seed) % 34;
		page->cq_head = page->cq_tail;
		if (rnd(&seed) % 16 == 0)
			page->cq_head = page->cq_tail + 2 - rnd(&seed) % 5;
	}
	return NULL;
}

static void *caller(void *arg)
{
	uint64_t seed = (uintptr_t)arg + 999;

	while (!stop) {
		struct wsq_enter e = {
			.size = sizeof(e),
			.to_submit = rnd(&seed) % 64,
			.min_complete = rnd(&seed) % 80,
			.timeout_ns = rnd(&seed) % (4 * MSEC),
		};
		uint64_t t = now_ns();
		int ret, ms;

		ret = ioctl(victim.fd, WSQ_IOC_ENTER, &e) ? errno : 0;
		ms = (now_ns() - t) / MSEC;
		if (ms > slowest_ms)
			slowest_ms = ms;
		if (ret && ret != EINVAL && ret != EAGAIN && ret != ETIME)
			FAIL("ENTER: %s", strerror(ret));
		if (e.submitted > 32 || e.submitted > e.to_submit)
			FAIL("%u submitted", e.submitted);
		__atomic_add_fetch(&submitted, e.submitted, __ATOMIC_RELAXED);
		__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
		if (ret == EINVAL)
			__atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *poller(void *arg)
{
	(void)arg;
	while (!stop) {
		struct pollfd p = {
			.fd = victim.fd, .events = POLLIN | POLLOUT,
		};

		if (poll(&p, 1, 2) < 0)
			FAIL("poll: %s", strerror(errno));
	}
	return NULL;
}

/* Another ring, whose every result is checked. */
static void *honest(void *arg)
{
	uint64_t seed = (uintptr_t)arg + 5;
	struct ring r;

	ring_open(&r, 16, 0, 1 << 16);
	do {
		ring_sums(&r, &seed);
	} while (!stop);
	ring_close(&r);
	return NULL;
}

static void run(void *(*const roles[])(void *), int nr, unsigned long least)
{
	pthread_t threads[16];
	uintptr_t i;

	ring_make_flags(&victim, dev_open(), WSQ_SETUP_KEYS, 32, 64, ARENA);
	for (i = 0; i < (uintptr_t)nr; i++)
		pthread_create(&threads[i], NULL, roles[i], (void *)i);
	/* Until all expected outcomes have occurred. */
	while (__atomic_load_n(&calls, __ATOMIC_RELAXED) < part_of(CALLS) ||
	       !__atomic_load_n(&refused, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&submitted, __ATOMIC_RELAXED) < least)
		usleep(10000);
	stop = 1;
	for (i = 0; i < (uintptr_t)nr; i++)
		pthread_join(threads[i], NULL);
	ring_close(&victim);
	printf("# %lu calls, %lu refused, %lu tasks, slowest call %d ms\n",
	       calls, refused, submitted, slowest_ms);
	fflush(stdout);
	expect_rings(0);
	expect_usable();
}

static void noise(void)
{
	static void *(*const roles[])(void *) = {
		scribbler, scribbler, caller, caller, poller, honest,
	};

	run(roles, ARRAY_SIZE(roles), 0);
}

static void almost(void)
{
	static void *(*const roles[])(void *) = {
		teaser, teaser, caller, caller, poller, honest,
	};

	run(roles, ARRAY_SIZE(roles), 1);
}

/* A ring whose data only is overwritten has all its results. */
static void data(void)
{
	enum { ROUNDS = 600 };
	uint64_t seed = 5, n = 0;
	pthread_t t;
	uint64_t i;

	ring_make_flags(&victim, dev_open(), WSQ_SETUP_KEYS, 32, 64, ARENA);
	/* Its rings stay intact: only the arena is overwritten. */
	victim.s.rings_bytes = 0;
	stop = 0;
	if (pthread_create(&t, NULL, poller, NULL))
		FAIL("no thread");
	while (n < 32 * part_of(ROUNDS)) {
		for (i = 0; i < 32; i++) {
			struct wsq_sqe sqe = {
				.op = 1 + i % 3, .user_data = n + i,
				.len = 1 + rnd(&seed) % 8192,
				.dst = i % 3 == 1 ? 0 : ARENA / 2,
			};

			ring_push(&victim, &sqe);
		}
		EXPECT_EQ(ring_enter(&victim, 32, 0, 0), 0);
		EXPECT_EQ(victim.e.submitted, 32);
		for (i = 0; i < 4096; i++)
			((volatile uint64_t *)victim.arena)[rnd(&seed) %
							    (ARENA / 8)] = seed;
		EXPECT_EQ(ring_enter(&victim, 0, 32, TIMEOUT_S), 0);
		for (i = 0; i < 32; i++)
			EXPECT(ring_take(&victim).res >= 0);
		n += 32;
	}
	stop = 1;
	pthread_join(t, NULL);
}

/* Killed while it scribbles. */
static void killed(void)
{
	int i;

	for (i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid) {
			pthread_t t;

			ring_make_flags(&victim, dev_open(), WSQ_SETUP_KEYS, 32, 64, ARENA);
			pthread_create(&t, NULL, teaser, NULL);
			pthread_create(&t, NULL, caller, NULL);
			pthread_create(&t, NULL, scribbler, NULL);
			caller(NULL);
		}
		usleep(50000 + 30000 * i);
		kill(pid, SIGKILL);
		EXPECT_EQ(waitpid(pid, NULL, 0), pid);
	}
	expect_rings(0);
	expect_usable();
}

static const struct test tests[] = {
	{ "noise", noise },
	{ "almost", almost },
	{ "data", data },
	{ "killed", killed },
};

TEST_MAIN(tests)
