// SPDX-License-Identifier: GPL-2.0
/*
 * Invalid entries and calls, by the million, half of them random and half
 * almost right, on rings of all kinds at once. Each call returns an allowed
 * value, each entry that is taken has one completion with an allowed result,
 * another process's ring computes correctly, and nothing is left behind.
 *
 * WSQ_HOSTILE_ENTRIES is the number of entries and calls, by default a million.
 * WSQ_HOSTILE_SEED is their seed: by default 1; 0 draws another one each time.
 * It is printed. The same seed gives the same entries and calls, but not the
 * same timing in the kernel, and so perhaps not the same failure.
 *
 * With WSQ_HOSTILE_BESIDE others use the module at the same time
 * (tools/check/torture), so it is not unloaded at the end.
 *
 * Needs root. Limitations: does not test ops of other modules.
 */
#include "wsq_hostile.h"
#include "wsq_left.h"

/* Percentage of the work that is done while rings are overwritten. */
#define SCRIBBLED	5
#define WORKERS		3

/* Shared by the processes of this program. */
static struct shared {
	uint64_t entries, calls, failed, sums;
	bool stop;
} *shared;

static uint64_t amount = 1000000;
static uint64_t seed0 = 1;
static uint64_t begun_ns;

static uint64_t seed_of(uint64_t who)
{
	return seed0 * 0x9e3779b97f4a7c15ULL ^ (who + 1) << 32;
}

static void tally(uint64_t *to, uint64_t n)
{
	__atomic_add_fetch(to, n, __ATOMIC_RELAXED);
}

static void tell(const char *what)
{
	printf("# %s: %llu s, %llu entries, %llu calls, %llu of them failed; %llu sums beside\n",
	       what, (unsigned long long)((now_ns() - begun_ns) / SEC),
	       (unsigned long long)shared->entries,
	       (unsigned long long)shared->calls,
	       (unsigned long long)shared->failed,
	       (unsigned long long)shared->sums);
	fflush(stdout);
}

/* Adds what a caller has done to the total; returns the total. */
static uint64_t count(struct gen *g)
{
	uint64_t n = g->entries + g->calls;

	tally(&shared->entries, g->entries);
	tally(&shared->calls, g->calls);
	tally(&shared->failed, g->failed);
	g->entries = 0;
	g->calls = 0;
	g->failed = 0;
	return n;
}

/* Closes it with everything in flight. */
static void hring_close(struct gen *g, struct hring *h)
{
	if (h->nr)
		g->entries += hring_taken(h) - h->base;
	ring_close(&h->r);
}

static void exact_worker(uint64_t me)
{
	static struct hring rings[ARRAY_SIZE(kinds)];
	uint64_t quota = amount * (100 - SCRIBBLED) / 100 / WORKERS, done = 0;
	unsigned int i, k;
	struct gen g;

	test_at("worker", me);
	gen_init(&g, seed_of(me), false);
	world_look();
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		hring_open(&rings[i], i, &rings[POLLED]);
	while (done < quota) {
		struct hring *h;

		i = rnd(&g.seed) % ARRAY_SIZE(kinds);
		/* Its tasks may be long. */
		if (i == LARGE && rnd(&g.seed) % 8)
			continue;
		h = &rings[i];
		for (k = 1 + rnd(&g.seed) % 8; k; k--)
			step(&g, h);
		if (rnd(&g.seed) % 256 == 0) {
			hring_close(&g, h);
			hring_open(h, i, &rings[POLLED]);
		}
		done += count(&g);
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		while (rings[i].nr)
			step(&g, &rings[i]);
		hring_close(&g, &rings[i]);
	}
	count(&g);
}

/* A process whose results must be right, whatever others do. */
static void innocent(uint64_t seed)
{
	struct ring r;

	ring_open(&r, 16, 0, 1 << 16);
	do {
		ring_sums(&r, &seed);
		tally(&shared->sums, 2);
		/* Its own computation takes longest. */
		usleep(2000);
	} while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED));
	ring_close(&r);
}

static pid_t start(void (*fn)(uint64_t), uint64_t arg)
{
	pid_t pid = fork();

	EXPECT(pid >= 0);
	if (!pid) {
		fn(arg);
		_exit(TEST_PASS);
	}
	return pid;
}

static void expect_passed(pid_t pid)
{
	int status;

	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIP)
		_exit(TEST_SKIP);
	EXPECT_EQ(status, 0);
}

static void begin(void)
{
	memset(shared, 0, sizeof(*shared));
	begun_ns = now_ns();
	printf("# WSQ_HOSTILE_SEED=%llu WSQ_HOSTILE_ENTRIES=%llu\n",
	       (unsigned long long)seed0, (unsigned long long)amount);
	fflush(stdout);
}

static void exact(void)
{
	pid_t pids[WORKERS], beside;
	unsigned int i;

	begin();
	beside = start(innocent, seed_of(WORKERS) | 1);
	for (i = 0; i < WORKERS; i++)
		pids[i] = start(exact_worker, i);
	for (i = 0; i < WORKERS; i++)
		expect_passed(pids[i]);
	shared->stop = true;
	expect_passed(beside);
	tell("exact");
	EXPECT(shared->sums > 0);
	expect_nothing();
	expect_usable();
}

/* From here on, rings are overwritten while threads call. */
static const unsigned int loose_kinds[] = { 0, 1, 2, MASKED, POLLED, POLLED + 1,
					    FUTURES };
static struct hring loose[ARRAY_SIZE(loose_kinds)];
static uint64_t loose_done, loose_submitted, loose_slowest_ns;
static bool loose_stop;

static struct hring *loose_any(uint64_t *seed)
{
	return &loose[rnd(seed) % ARRAY_SIZE(loose)];
}

static void words_store(void *to, const void *from, size_t bytes)
{
	uint64_t *t = to;
	const uint64_t *f = from;

	for (; bytes; bytes -= sizeof(*t))
		__atomic_store_n(t++, *f++, __ATOMIC_RELAXED);
}

/* Random words over everything, over cursors now and then. */
static void *noise(void *arg)
{
	uint64_t seed = seed_of((uintptr_t)arg) | 1;
	unsigned int k;

	while (!__atomic_load_n(&loose_stop, __ATOMIC_RELAXED)) {
		struct hring *h = loose_any(&seed);
		uint64_t *p = (uint64_t *)h->r.sqes, n = h->r.s.sqes_bytes / 8;

		if (rnd(&seed) % 16 == 0) {
			p = (uint64_t *)h->r.page;
			n = h->r.s.rings_bytes / 8;
		} else if (rnd(&seed) % 2) {
			p = (uint64_t *)h->r.arena;
			n = h->r.s.arena_bytes / 8;
		}
		for (k = 0; k < 64; k++)
			__atomic_store_n(&p[rnd(&seed) % n], rnd(&seed),
					 __ATOMIC_RELAXED);
		usleep(rnd(&seed) % 200);
	}
	return NULL;
}

static struct wsq_ring_stats stats_of(const struct ring *r)
{
	struct wsq_ring_stats st = { .size = sizeof(st) };

	EXPECT_ERR(ioctl(r->fd, WSQ_IOC_RING_STATS, &st), 0);
	return st;
}

/*
 * Almost valid entries, lists and cursors that change. Cursors come from the
 * kernel's return values, not from the page: after noise the page would stay
 * wrong.
 */
static void *teaser(void *arg)
{
	uint64_t seed = seed_of((uintptr_t)arg) | 1, tail;
	uint8_t lists[LISTS_BYTES];
	struct wsq_sqe e;
	unsigned int k;

	while (!__atomic_load_n(&loose_stop, __ATOMIC_RELAXED)) {
		struct hring *h = loose_any(&seed);
		struct wsq_ring_stats st;
		struct ring *r = &h->r;

		some_lists(h, &seed, lists);
		words_store(r->arena + r->s.arena_bytes - LISTS_BYTES, lists,
			    sizeof(lists));
		for (k = 0; k < r->s.sq_entries; k++) {
			some_entry(h, &seed, &e);
			e.user_data = rnd(&seed) % 4096;
			words_store(&r->sqes[k], &e, sizeof(e));
		}
		for (k = 0; k < 4; k++) {
			st = stats_of(r);
			tail = st.submitted + rnd(&seed) % (r->s.sq_entries + 3);
			__atomic_store_n(&r->page->cq_head, st.completed +
					 (rnd(&seed) % 8 ? 0 : rnd(&seed) % 5 - 2),
					 __ATOMIC_RELAXED);
			__atomic_store_n(&r->page->sq_tail, tail,
					 __ATOMIC_RELEASE);
			usleep(rnd(&seed) % 100);
		}
	}
	return NULL;
}

static void *caller(void *arg)
{
	uint64_t quota = amount * SCRIBBLED / 100, most;
	struct gen g;

	gen_init(&g, seed_of((uintptr_t)arg), true);
	/* Calls alone could reach the quota while teasers get no CPU. */
	while (__atomic_load_n(&loose_done, __ATOMIC_RELAXED) < quota ||
	       !__atomic_load_n(&loose_submitted, __ATOMIC_RELAXED)) {
		struct hring *h = loose_any(&g.seed);
		struct pollfd p = {
			.fd = h->r.fd, .events = rnd(&g.seed),
		};

		switch (rnd(&g.seed) % 8) {
		case 0:
			EXPECT(poll(&p, 1, rnd(&g.seed) % 2) >= 0);
			g.calls++;
			break;
		case 1:
		case 2:
			call_any(&g, h);
			break;
		default:
			call_enter(&g, h, h->r.fd, rnd(&g.seed) % 4 == 0);
		}
		tally(&loose_done, g.submitted);
		tally(&loose_submitted, g.submitted);
		g.submitted = 0;
		tally(&loose_done, count(&g));
	}
	__atomic_store_n(&loose_stop, true, __ATOMIC_RELAXED);
	most = __atomic_load_n(&loose_slowest_ns, __ATOMIC_RELAXED);
	while (most < g.slowest_ns &&
	       !__atomic_compare_exchange_n(&loose_slowest_ns, &most,
					    g.slowest_ns, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return NULL;
}

/* With valid cursors the ring works again, and nothing was lost. */
static void settle(struct hring *h)
{
	struct wsq_sqe nop = { .op = WSQ_OP_NOP, .user_data = 123456789 };
	uint64_t end = now_ns() + TIMEOUT_S;
	struct wsq_ring_stats st;
	struct ring *r = &h->r;

	if (h->disabled && ioctl(r->fd, WSQ_IOC_ENABLE, 0))
		EXPECT_EQ(errno, EBADFD);
	for (;;) {
		uint64_t was;

		st = stats_of(r);
		was = st.submitted;
		r->tail = st.submitted;
		r->head = st.completed;
		__atomic_store_n(&r->page->cq_head, r->head, __ATOMIC_RELEASE);
		/* Publish. Readers of the old cursors are done by then. */
		EXPECT_EQ(ring_enter(r, 0, 0, 0), 0);
		st = stats_of(r);
		if (st.submitted == was && st.completed == was && r->head == was)
			break;
		if (now_ns() > end)
			FAIL("ring \"%s\": %llu of %llu completed",
			     kinds[h->kind].name,
			     (unsigned long long)st.completed,
			     (unsigned long long)st.submitted);
		usleep(1000);
	}
	tally(&shared->entries, st.submitted);
	ring_push(r, &nop);
	EXPECT_EQ(ring_enter(r, 1, 1, TIMEOUT_S), 0);
	EXPECT_EQ(ring_take(r).user_data, 123456789);
	ring_close(r);
}

static void scribbled(void)
{
	static void *(*const roles[])(void *) = {
		caller, caller, caller, noise, teaser, teaser,
	};
	pthread_t threads[ARRAY_SIZE(roles)];
	uintptr_t i;
	pid_t beside;

	begin();
	world_look();
	beside = start(innocent, seed_of(100) | 1);
	for (i = 0; i < ARRAY_SIZE(loose); i++)
		hring_open(&loose[i], loose_kinds[i], &loose[POLLED - 1]);
	for (i = 0; i < ARRAY_SIZE(roles); i++)
		EXPECT(!pthread_create(&threads[i], NULL, roles[i],
				       (void *)(101 + i)));
	for (i = 0; i < ARRAY_SIZE(roles); i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < ARRAY_SIZE(loose); i++)
		settle(&loose[i]);
	shared->stop = true;
	expect_passed(beside);
	tell("scribbled");
	printf("# slowest call %llu ms\n",
	       (unsigned long long)(loose_slowest_ns / MSEC));
	fflush(stdout);
	EXPECT(shared->entries > 0);
	EXPECT(shared->sums > 0);
	expect_nothing();
	expect_usable();
}

static void nothing_left(void)
{
	expect_nothing_left();
}

int main(void)
{
	const char *entries = getenv("WSQ_HOSTILE_ENTRIES");
	const char *seed = getenv("WSQ_HOSTILE_SEED");
	struct test tests[] = {
		{ "exact", exact },
		{ "scribbled", scribbled },
		{ "nothing_left", nothing_left },
	};

	if (entries)
		amount = strtoull(entries, NULL, 0);
	if (seed)
		seed0 = strtoull(seed, NULL, 0);
	if (!seed0)
		seed0 = now_ns() << 16 ^ getpid();
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	/* Emulated machines under load do 500 a second. */
	tests[0].seconds = 1200 + amount / 100;
	tests[1].seconds = 1200 + amount / 100;
	/* The last test unloads the module. */
	return test_main(tests, ARRAY_SIZE(tests) -
			 !!getenv("WSQ_HOSTILE_BESIDE"));
}
