// SPDX-License-Identifier: GPL-2.0
/*
 * Tiny tasks, which go to the queue in batches (kmod/ring/batch.c). All of
 * this holds for any task; here many share a worker's time slice.
 */
#include "wsq_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define SQ	1024U
#define LONG	(16U << 20)

/* Sizes around that of a batch, and of all that are queued at once. */
static const unsigned int sizes[] = {
	1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 511, 512, 513, 1000, 1024,
};

/* The arena's content from 0: a byte for each offset, unlike its neighbours. */
static void fill(struct ring *r, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		r->arena[i] = (uint8_t)(i * 167 + (i >> 8));
}

/* Every kind of tiny task, and some that are just too long. */
static struct wsq_sqe tiny(unsigned int i)
{
	struct wsq_sqe sqe = { .user_data = i };

	switch (i % 4) {
	case 0:
		if (i % 8)
			break;
		sqe.op = WSQ_OP_COMPARE;
		sqe.src = i;
		sqe.dst = i;
		sqe.len = 1 + i % 258;
		break;
	case 1:
		sqe.op = WSQ_OP_CRC32C;
		sqe.src = i;
		sqe.len = 1 + i % 258;
		break;
	case 2:
		sqe.op = WSQ_OP_COPY;
		sqe.src = i;
		sqe.dst = (1 << 16) + i * 512;
		sqe.len = 254 + i % 4 + i / 4 % 3;
		break;
	}
	return sqe;
}

static void check(struct ring *r, const struct wsq_cqe *cqe)
{
	struct wsq_sqe sqe = tiny((unsigned int)cqe->user_data);
	int64_t want = sqe.op == WSQ_OP_CRC32C ?
		       ref_crc32c(0, r->arena + sqe.src, sqe.len) :
		       (int64_t)sqe.len;

	EXPECT_EQ(cqe->res, want);
	if (sqe.op == WSQ_OP_COPY)
		EXPECT(!memcmp(r->arena + sqe.dst, r->arena + sqe.src,
			       sqe.len));
}

/* Each task of a batch of any size completes once, with its own result. */
static void every_size(void)
{
	unsigned char seen[SQ];
	unsigned int i, k, turn;
	struct ring r;

	ring_open(&r, SQ, SQ, 1 << 20);
	fill(&r, 1 << 13);
	for (turn = 0; turn < 8 * ARRAY_SIZE(sizes); turn++) {
		unsigned int nr = sizes[turn % ARRAY_SIZE(sizes)];
		uint64_t ns = now_ns();

		test_at("sizes", turn % ARRAY_SIZE(sizes));
		memset(seen, 0, sizeof(seen));
		for (i = 0; i < nr; i++) {
			struct wsq_sqe sqe = tiny(i);

			ring_push(&r, &sqe);
		}
		EXPECT_EQ(ring_enter(&r, nr, nr, TIMEOUT_S), 0);
		EXPECT_EQ(r.e.submitted, nr);
		EXPECT_EQ(r.e.completed, nr);
		ns = now_ns() - ns;
		for (k = 0; k < nr; k++) {
			struct wsq_cqe cqe = ring_take(&r);

			EXPECT(cqe.user_data < nr && !seen[cqe.user_data]);
			seen[cqe.user_data] = 1;
			check(&r, &cqe);
			EXPECT(cqe.wait_ns <= ns);
		}
		EXPECT(!ring_peek(&r));
	}
	ring_close(&r);
}

/* Returns how many will not run; in @begun, how many may still stop. */
static unsigned int cancel(struct ring *r, unsigned int flags, uint64_t what,
			   unsigned int *begun)
{
	struct wsq_cancel c = {
		.size = sizeof(c),
		.flags = flags,
		.what = what,
	};

	if (ioctl(r->fd, WSQ_IOC_CANCEL, &c))
		EXPECT(errno == ENOENT || errno == EALREADY);
	if (begun)
		*begun += c.running;
	return c.cancelled;
}

/* Keeps all workers busy for some 10 ms, on a separate ring. */
static void busy(struct ring *r)
{
	unsigned int nr = 2 * (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), i;

	for (i = 0; i < nr && i < 64; i++) {
		struct wsq_sqe sqe = { .op = WSQ_OP_SHA256, .len = LONG };

		ring_push(r, &sqe);
	}
	EXPECT_EQ(ring_enter(r, nr, 0, 0), 0);
	usleep(2000);
}

/*
 * Of a batch that waits, the first, the last and one in between are cancelled;
 * they do not run, all others do.
 */
static void called_back(void)
{
	enum { NR = 40 };
	static const unsigned int which[] = { 0, 17, 31, 32, NR - 1 };
	unsigned int i, k, turn, in_time = 0;
	struct ring r, load;

	ring_open(&r, 64, 0, 0);
	ring_open(&load, 64, 0, LONG);
	/* Repeat until it was in time often enough. */
	for (turn = 0; turn < 5 || (in_time < ARRAY_SIZE(which) && turn < TRIES);
	     turn++) {
		unsigned int hit[NR] = {}, begun[NR] = {};

		busy(&load);
		for (i = 0; i < NR; i++)
			ring_push_nop(&r, i);
		EXPECT_EQ(ring_enter(&r, NR, 0, 0), 0);
		for (k = 0; k < ARRAY_SIZE(which); k++) {
			hit[which[k]] = cancel(&r, WSQ_CANCEL_USER_DATA,
					       which[k], &begun[which[k]]);
			in_time += hit[which[k]];
		}
		EXPECT_EQ(ring_enter(&r, 0, NR, TIMEOUT_S), 0);
		for (i = 0; i < NR; i++) {
			struct wsq_cqe cqe = ring_take(&r);

			EXPECT(cqe.user_data < NR);
			if (!begun[cqe.user_data])
				EXPECT_EQ(cqe.res, hit[cqe.user_data] ?
					  -ECANCELED : 0);
		}
		cancel(&load, WSQ_CANCEL_ALL, 0, NULL);
		EXPECT_EQ(ring_enter(&load, 0, load.tail - load.head,
				     TIMEOUT_S), 0);
		while (ring_peek(&load))
			ring_seen(&load);
	}
	ring_close(&load);
	ring_close(&r);
	if (in_time < ARRAY_SIZE(which))
		SKIP("%u of %u in time in %u turns", in_time, 5 * turn, turn);
}

/* Refused entries, links and drains in the middle of tiny tasks. */
static void between(void)
{
	enum { NR = 200, BAD = 50, LINK = 90, DRAIN = 120 };
	unsigned int i, turn, at = 0;
	struct ring r;

	ring_open(&r, 256, 0, 0);
	for (turn = 0; turn < part_of(200); turn++) {
		for (i = 0; i < NR; i++) {
			struct wsq_sqe sqe = { .op = WSQ_OP_NOP, .user_data = i };

			if (i == BAD)
				sqe.op = 0x7777;
			if (i == LINK)
				sqe.flags = WSQ_SQE_LINK;
			if (i == DRAIN)
				sqe.flags = WSQ_SQE_DRAIN;
			ring_push(&r, &sqe);
		}
		EXPECT_EQ(ring_enter(&r, NR, NR, TIMEOUT_S), 0);
		for (i = 0; i < NR; i++) {
			struct wsq_cqe cqe = ring_take(&r);

			if (cqe.user_data == DRAIN)
				EXPECT_EQ(i, DRAIN);
			else
				EXPECT((cqe.user_data > DRAIN) == (i > DRAIN));
			if (cqe.user_data == LINK)
				at = i;
			if (cqe.user_data == LINK + 1)
				EXPECT(at < i);
			EXPECT_EQ(cqe.res,
				  cqe.user_data == BAD ? -EOPNOTSUPP : 0);
		}
	}
	ring_close(&r);
}

/* Rings closed without waiting take their tasks with them. */
static void left(void)
{
	unsigned int i, turn;

	expect_rings(0);
	for (turn = 0; turn < part_of(200); turn++) {
		struct ring r;

		ring_open(&r, SQ, 0, 0);
		for (i = 0; i < SQ; i++)
			ring_push_nop(&r, i);
		EXPECT_EQ(ring_enter(&r, SQ, 0, 0), 0);
		EXPECT_EQ(r.e.submitted, SQ);
		ring_close(&r);
	}
	expect_rings(0);
	expect_usable();
}

#define TASKS	200000U

static struct ring shared;
static unsigned int taken, called, stopped;
/* For each task: CANCEL has said that it will not run; its result. */
static unsigned char said[TASKS], came[TASKS];

static void *canceller(void *arg)
{
	unsigned int sum = 0, begun = 0, i, n;

	(void)arg;
	for (;;) {
		/* Near the submitter's position; none is cancelled twice. */
		for (i = 0; i < 64; i++) {
			unsigned int k = __atomic_load_n(&taken, __ATOMIC_RELAXED);

			if (k >= TASKS)
				goto out;
			if (!k)
				continue;
			k -= 1 + i % k % 600;
			n = cancel(&shared, WSQ_CANCEL_USER_DATA, k, &begun);
			said[k] |= n;
			sum += n;
		}
		usleep(50);
	}
out:
	called = sum;
	stopped = begun;
	return NULL;
}

/* CANCEL is right about tasks that will not run, and about the others. */
static void race(void)
{
	unsigned int i, n, done = 0, sum = 0, tasks = part_of(TASKS);
	struct ring *r = &shared;
	pthread_t t;

	ring_open(r, SQ, 0, 0);
	EXPECT(!pthread_create(&t, NULL, canceller, NULL));
	while (done < tasks) {
		n = 1 + done * 7 % 600;
		if (n > tasks - done)
			n = tasks - done;
		for (i = 0; i < n; i++)
			ring_push_nop(r, done + i);
		__atomic_store_n(&taken, done + n - 1, __ATOMIC_RELAXED);
		EXPECT_EQ(ring_enter(r, n, n, TIMEOUT_S), 0);
		for (i = 0; i < n; i++) {
			struct wsq_cqe cqe = ring_take(r);

			EXPECT(cqe.user_data - done < n);
			EXPECT(!came[cqe.user_data]);
			came[cqe.user_data] = cqe.res ? 2 : 1;
			EXPECT(!cqe.res || cqe.res == -ECANCELED);
			sum += !!cqe.res;
		}
		done += n;
	}
	__atomic_store_n(&taken, TASKS, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	/*
	 * A task that waits for its end may be cancelled again, and one that
	 * has begun may still check whether it should stop.
	 */
	EXPECT(called + stopped >= sum);
	EXPECT(sum || !called);
	for (i = 0; i < done; i++)
		EXPECT(!said[i] || came[i] == 2);
	ring_close(r);
}

#define PREEMPTED_ROUNDS	2000

/* The tasks of a batch, by their bytes. */
#define FILLS		32U
#define FILL_BYTES	128U

/**
 * struct hog - a real-time thread that takes a CPU from a worker, and looks
 * @cpu: the CPU
 * @round: number of the round
 * @hog_go: a pipe with a byte for each time that the hog should look,
 * @hog_was: and one for each time that it has
 * @untold: the tasks that were done and had no entry, a bit each
 * @told: how many had one
 * @fill_go: a byte for each round of the submitter, on that CPU, that begins,
 * @fill_was: and one for each that has ended
 * @ran_on: the CPU that ran each task of the last round
 */
struct hog {
	int cpu;
	uint64_t round;
	int hog_go[2], hog_was[2];
	unsigned int untold, told;
	int fill_go[2], fill_was[2];
	uint32_t ran_on[FILLS];
};

/* Waits for the next byte; false if there will be none. */
static bool next(const int p[2])
{
	char c;

	return read(p[0], &c, 1) == 1;
}

static void let(const int p[2])
{
	EXPECT_EQ(write(p[1], "x", 1), 1);
}

static void stay_on(int cpu, bool fifo)
{
	struct sched_param p = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	EXPECT_ERR(sched_setaffinity(0, sizeof(set), &set), 0);
	if (fifo)
		EXPECT_ERR(sched_setscheduler(0, SCHED_FIFO, &p), 0);
}

/* How many tasks of a round have their entries. */
static unsigned int told(uint64_t round)
{
	unsigned int i, nr = 0;

	/* Each round is a pass. */
	for (i = 0; i < FILLS; i++)
		nr += __atomic_load_n(&shared.cqes[i].seq, __ATOMIC_ACQUIRE) ==
		      (uint32_t)round;
	return nr;
}

/* The tasks of a round that are done, a bit each; none if there is an entry. */
static unsigned int untold(uint64_t round)
{
	unsigned int i, done = 0;

	for (i = 0; i < FILLS; i++) {
		const uint64_t *at = (void *)(shared.arena + i * FILL_BYTES);

		if (__atomic_load_n(at, __ATOMIC_ACQUIRE) == round)
			done |= 1U << i;
	}
	return told(round) ? 0 : done;
}

static void *hog_run(void *arg)
{
	struct hog *h = arg;
	uint64_t round;

	stay_on(h->cpu, true);
	while (next(h->hog_go)) {
		round = __atomic_load_n(&h->round, __ATOMIC_ACQUIRE);
		h->untold = untold(round);
		h->told = told(round);
		let(h->hog_was);
	}
	return NULL;
}

/* Fills the destinations with the number of the round. */
static void *fill_rounds(void *arg)
{
	struct hog *h = arg;
	struct wsq_cqe cqe;
	uint64_t round;
	unsigned int i;

	stay_on(h->cpu, false);
	for (round = 1; next(h->fill_go); round++) {
		for (i = 0; i < FILLS; i++) {
			struct wsq_sqe sqe = {
				.op = WSQ_OP_FILL, .dst = i * FILL_BYTES,
				.len = FILL_BYTES, .arg = round, .user_data = i,
			};

			ring_push(&shared, &sqe);
		}
		EXPECT_EQ(ring_enter(&shared, FILLS, FILLS, TIMEOUT_S), 0);
		for (i = 0; i < FILLS; i++) {
			cqe = ring_take(&shared);
			EXPECT_EQ(cqe.res, FILL_BYTES);
			h->ran_on[cqe.user_data] = cqe.cpu;
		}
		let(h->fill_was);
	}
	return NULL;
}

/*
 * Has the hog take the CPU at some moment of a round. When it looks, the worker
 * has been switched out. So if there is a task of that worker without an entry,
 * it was without one at the switch. Returns whether there was such a task.
 */
static bool preempt_round(struct hog *h, uint64_t delay, unsigned int *met)
{
	unsigned int i;

	__atomic_store_n(&h->round, h->round + 1, __ATOMIC_RELEASE);
	let(h->fill_go);
	while (delay--)
		told(h->round);
	let(h->hog_go);
	EXPECT(next(h->hog_was));
	EXPECT(next(h->fill_was));
	*met += h->told && h->told < FILLS;
	for (i = 0; i < FILLS; i++)
		if (h->untold >> i & 1 && h->ran_on[i] == (uint32_t)h->cpu)
			return true;
	return false;
}

/* How often told() can be called in a usual round. */
static uint64_t round_span(struct hog *h)
{
	uint64_t spans[15], n;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(spans); i++) {
		h->round++;
		let(h->fill_go);
		for (n = 0; told(h->round) < FILLS; n++)
			;
		EXPECT(next(h->fill_was));
		for (k = i; k && spans[k - 1] > n; k--)
			spans[k] = spans[k - 1];
		spans[k] = n;
	}
	return spans[ARRAY_SIZE(spans) / 2];
}

/*
 * When another thread takes a worker's CPU, each task that the worker has done
 * has its completion entry. Seen to fail only on preemptible kernels.
 */
static void preempted(void)
{
	unsigned int late = 0, met = 0, i;
	struct hog h = { .cpu = 0 };
	int *const pipes[] = { h.hog_go, h.hog_was, h.fill_go, h.fill_was };
	uint64_t seed = 71, span;
	pthread_t t[2];

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one CPU");
	for (i = 0; i < ARRAY_SIZE(pipes); i++)
		EXPECT_ERR(pipe(pipes[i]), 0);
	ring_open(&shared, FILLS, FILLS, 4096);
	stay_on(1, false);
	EXPECT(!pthread_create(&t[0], NULL, hog_run, &h));
	EXPECT(!pthread_create(&t[1], NULL, fill_rounds, &h));
	span = round_span(&h);
	for (i = 0; i < part_of(PREEMPTED_ROUNDS); i++)
		late += preempt_round(&h, rnd(&seed) % (span + 1), &met);
	close(h.hog_go[1]);
	close(h.fill_go[1]);
	printf("# %llu rounds, in %u the CPU was lost between two entries; %u late\n",
	       (unsigned long long)h.round, met, late);
	for (i = 0; i < ARRAY_SIZE(t); i++)
		pthread_join(t[i], NULL);
	EXPECT_EQ(late, 0);
	ring_close(&shared);
}

/**
 * struct sweep - a process that cancels everything, once a batch
 * @turn: of the batch about to be submitted; 0 ends the process
 * @done: the last turn that was cancelled
 * @cancelled: as CANCEL returned for that one
 * @running: likewise
 * @recanted: a second CANCEL contradicted the first
 */
struct sweep {
	uint64_t turn;
	uint64_t done;
	uint32_t cancelled;
	uint32_t running;
	uint32_t recanted;
};

static void sweeper(struct sweep *s)
{
	uint64_t turn, seed = 5, i;
	unsigned int again, begun;

	stay_on(1, false);
	for (;;) {
		turn = __atomic_load_n(&s->turn, __ATOMIC_ACQUIRE);
		if (!turn)
			_exit(0);
		if (turn == s->done)
			continue;
		for (i = rnd(&seed) % 16384; i; i--)
			__asm__ __volatile__("" ::: "memory");
		s->running = 0;
		s->cancelled = cancel(&shared, WSQ_CANCEL_ALL, 0, &s->running);
		begun = 0;
		again = cancel(&shared, WSQ_CANCEL_ALL, 0, &begun);
		if (!s->cancelled && !s->running) {
			/* The batch was not there yet. */
			s->cancelled = again;
			s->running = begun;
		} else if (again > s->cancelled || begun > s->running) {
			s->recanted++;
		}
		__atomic_store_n(&s->done, turn, __ATOMIC_RELEASE);
	}
}

/*
 * A CANCEL of everything meets workers on their way through the batches. Tasks
 * that it reports as cancelled do not run, tasks that run it reported as begun,
 * and a second CANCEL reports the same.
 */
static void sweep(void)
{
	enum { ROUNDS = 1200, MOST = 20000 };
	unsigned int i, ended, round, said = 0, met = 0;
	struct ring *r = &shared;
	struct sweep *s;
	pid_t pid;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one CPU");
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	EXPECT(s != MAP_FAILED);
	ring_open(r, SQ, SQ, 0);
	s->turn = 1;
	s->done = 1;
	pid = fork();
	EXPECT(pid >= 0);
	if (!pid)
		sweeper(s);
	stay_on(0, false);
	/* If both CPUs share one of the host's they seldom meet. */
	for (round = 0; round < part_of(ROUNDS) ||
	     (!met && round < part_of(MOST)); round++) {
		uint64_t turn = s->turn + 1;

		for (i = 0; i < SQ; i++)
			ring_push_nop(r, i);
		__atomic_store_n(&s->turn, turn, __ATOMIC_RELEASE);
		EXPECT_EQ(ring_enter(r, SQ, SQ, TIMEOUT_S), 0);
		for (i = 0, ended = 0; i < SQ; i++)
			ended += ring_take(r).res == -ECANCELED;
		/* Fails instead of looping without end. */
		while (__atomic_load_n(&s->done, __ATOMIC_ACQUIRE) != turn)
			EXPECT_EQ(waitpid(pid, NULL, WNOHANG), 0);
		EXPECT(s->cancelled <= ended);
		EXPECT(ended <= s->cancelled + s->running);
		EXPECT_EQ(s->recanted, 0);
		said += s->cancelled;
		met += s->cancelled && ended < SQ;
	}
	__atomic_store_n(&s->turn, 0, __ATOMIC_RELEASE);
	EXPECT_EQ(waitpid(pid, NULL, 0), pid);
	printf("# %llu batches, in %u some ran and some did not, %u cancelled\n",
	       (unsigned long long)s->done, met, said);
	ring_close(r);
	munmap(s, sizeof(*s));
	if (!met)
		SKIP("the processes did not meet in %u rounds", round);
}

static const struct test tests[] = {
	{ "every_size", every_size },
	{ "called_back", called_back },
	{ "between", between },
	{ "left", left },
	{ "race", race },
	{ "sweep", sweep },
	{ "preempted", preempted },
};

TEST_MAIN(tests)
