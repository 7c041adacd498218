// SPDX-License-Identifier: GPL-2.0
/*
 * Fork-join teams under stress: a caller and its helpers run trees of known
 * size, loops, dropped tasks, cancelled runs, runs that need more than there
 * is, and thousands of short runs between which the helpers leave; while a
 * second thread does the same on another object. Every task runs once, or, if
 * it was dropped or the run stopped, at most once; every result is right; after
 * a run that stopped, the next is whole again.
 *
 *	forkjoin [threads=N] [half=0|1] [random=0|1] [items=N] [tree=N]
 *		 [pause=US] [seed=N] [limit=SECONDS]
 *
 * threads: of a run, the caller's included. items: tasks of each of the larger
 * runs; a hundredth as many short runs. tree: 1, 2 or 3, the UTS tree T1, T2
 * or T3 as a whole; 0 for parts of T1 and T3.
 *
 * What tasks write is plain memory, for the thread sanitizer.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer.
 *
 * Seen to fail: with FJ(steal:C), FJ(grow:A), FJ(share:A), FJ(end:A) or
 * FJ(wait:A) without their order (tsan); if shrinking takes tail from before it
 * has lowered split, or does not raise split above thieves that have passed it;
 * if the end of a task does not wake, spawns do not see the end of the
 * descriptors or calls that of the stack; if a sync does not notice that all
 * tasks are stolen, does not set the limits before it waits, does not wait in a
 * run that stops, or returns a result there.
 * Limitations: without release, FJ(shrink:B) and FJ(shrink:C) go on with the
 * release sequence of what was shared before, and nothing is noticed. Nor is
 * what only costs time, like a request that is lost. The model has both.
 */
#include "stress.h"

#include <errno.h>
#include <semaphore.h>

#include "fj_team.h"
#include "forkjoin/native.h"
#include "forkjoin/uts.h"

#define MAX_MARKS	(1U << 20)
#define DEPTH		65536
#define SHALLOW		1000
#define SMALL_STACK	(1U << 20)
#define WIDEST		500
#define NARROWEST	50

static u64 nr_threads = 4, half, random_opt, nr_items = 1000000, tree;

/**
 * struct party - one of the two callers, and its objects
 * @fj: the larger object
 * @shallow: one with %SHALLOW descriptors and small stacks
 * @state: random state; the caller
 * @marks: how often each task ran. The task
 * @ends: how often it ended
 * @begun: tasks that began, where only their number counts
 * @ended: ... and that ended
 * @cancel_at: after so many tasks one of them cancels the run
 * @ask: another thread is to cancel the run
 * @asked: it has done so
 */
struct party {
	struct wsq_fj *fj, *shallow;
	u64 state;
	u8 *marks, *ends;
	u64 begun, ended;
	u64 cancel_at;
	sem_t ask, asked;
};

static struct party parties[2];

/* ---- tasks ---- */

DEFINE_WSQ_TASK1(u64, fib, w, u32, n)
{
	u64 a, b;

	if (n < 2)
		return n;
	wsq_spawn(w, fib, n - 1);
	a = wsq_fj_call(w, fib, n - 2);
	b = wsq_sync(w, fib);
	return a + b;
}

static u64 fib_of(u32 n)
{
	u64 a = 0, b = 1, c;

	while (n--) {
		c = a + b;
		a = b;
		b = c;
	}
	return a;
}

/* Marks @size tasks from @start, split at random; how many. */
DEFINE_WSQ_TASK3(u64, split, w, struct party *, p, u32, start, u32, size)
{
	u64 state = (seed + start) * 0x9e3779b97f4a7c15ULL | 1;
	u32 nr = 0, part, at = start + 1, end = start + size;
	u64 sum = 1;

	check(!p->marks[start]++, "task %u ran twice", start);
	while (at < end) {
		part = (u32)(rnd(&state) % (end - at)) + 1;
		wsq_spawn(w, split, p, at, part);
		at += part;
		nr++;
	}
	dawdle(&state);
	while (nr--)
		sum += wsq_sync(w, split);
	p->ends[start]++;
	return sum;
}

/* Marks one task; its number. */
DEFINE_WSQ_TASK2(u32, mark, w, struct party *, p, u32, nr)
{
	u64 state = (seed + nr) * 0x9e3779b97f4a7c15ULL | 1;

	(void)w;
	check(!p->marks[nr]++, "task %u ran twice", nr);
	dawdle(&state);
	p->ends[nr]++;
	return nr;
}

/* Spawns @size leaves in a row, takes the results in the reverse order. */
DEFINE_WSQ_TASK3(u32, loop, w, struct party *, p, u32, start, u32, size)
{
	u32 i, got;

	for (i = 0; i < size; i++)
		wsq_spawn(w, mark, p, start + i);
	while (i--) {
		got = wsq_sync(w, mark);
		check(got == start + i, "task %u returned %u", start + i, got);
		check(p->ends[start + i] == 1, "task %u did not end", start + i);
	}
	return size;
}

/* Loops in a row, from the last to the first. */
DEFINE_WSQ_TASK3(u32, loops, w, struct party *, p, u32, nr, u32, size)
{
	u32 i, sum = 0;

	for (i = 0; i < nr; i++)
		wsq_spawn(w, loop, p, i * size, size);
	while (i--)
		sum += wsq_sync(w, loop);
	return sum;
}

/* The same, but half of the leaves are dropped; @seen: whether they ran. */
DEFINE_WSQ_TASK4(u32, drops, w, struct party *, p, u32, start, u32, size,
		 u8 *, seen)
{
	u64 state = (seed + start + size) * 0x9e3779b97f4a7c15ULL | 1;
	u32 i, got, nr = 0;

	for (i = 0; i < size; i++)
		wsq_spawn(w, mark, p, start + i);
	dawdle(&state);
	while (i--) {
		if (rnd(&state) % 2) {
			got = wsq_sync(w, mark);
			check(got == start + i, "task %u returned %u",
			      start + i, got);
			check(p->ends[start + i] == 1, "task %u did not end",
			      start + i);
		} else {
			wsq_drop(w, mark);
			check(p->marks[start + i] == p->ends[start + i],
			      "task %u goes on after it was dropped",
			      start + i);
		}
		seen[start + i] = p->marks[start + i];
		nr += seen[start + i];
	}
	return nr;
}

/* Counts its tasks, one of which cancels the run. */
DEFINE_WSQ_TASK2(u64, breaks, w, struct party *, p, u32, n)
{
	u64 nr = __atomic_add_fetch(&p->begun, 1, __ATOMIC_RELAXED), a = 0;

	if (nr == p->cancel_at) {
		wsq_spawn(w, breaks, p, 0);
		wsq_fj_cancel(p->fj);
		check(wsq_fj_stopped(w), "cancelled, but not stopped");
		a = wsq_sync(w, breaks);
		check(!a, "a sync returned %llu in a run that stops", a);
		a = wsq_fj_call(w, breaks, p, 0);
		check(!a, "a call ran after its caller had cancelled the run");
		wsq_spawn(w, breaks, p, 0);
		a = wsq_sync(w, breaks);
		check(!a, "a task ran after its caller had cancelled the run");
	}
	if (n > 1) {
		wsq_spawn(w, breaks, p, n - 1);
		a = wsq_fj_call(w, breaks, p, n - 2);
		if (nr % 2)
			a += wsq_sync(w, breaks);
		else
			wsq_drop(w, breaks);
	}
	__atomic_fetch_add(&p->ended, 1, __ATOMIC_RELEASE);
	return a + 1;
}

/* @n tasks in the descriptors at a time. */
DEFINE_WSQ_TASK1(u64, deep, w, u32, n)
{
	u64 a;

	if (!n)
		return 1;
	wsq_spawn(w, deep, 0);
	a = wsq_fj_call(w, deep, n - 1);
	return a + wsq_sync(w, deep);
}

/* Calls itself until the stack is used up. */
DEFINE_WSQ_TASK1(u64, sink, w, u32, n)
{
	volatile u64 frame[128];

	frame[n % 128] = n;
	return wsq_fj_call(w, sink, n + 1) + frame[n % 128];
}

/* ... on another thread, if one comes. */
DEFINE_WSQ_TASK1(u64, sink_there, w, u32 *, begun)
{
	__atomic_store_n(begun, 1, __ATOMIC_RELAXED);
	return wsq_fj_call(w, sink, 0);
}

DEFINE_WSQ_TASK1(u64, sinks, w, u32, nr)
{
	u32 begun = 0;
	u64 sum = 0;

	wsq_spawn(w, sink_there, &begun);
	while (nr > 1 && !__atomic_load_n(&begun, __ATOMIC_RELAXED)) {
		wsq_fj_share(w);
		sched_yield();
	}
	if (nr < 2)
		sum = wsq_fj_call(w, sink, 0);
	return sum + wsq_sync(w, sink_there);
}

DEFINE_WSQ_TASK2(u64, walk, w, const struct uts_tree *, of,
		 struct uts_node, node)
{
	u32 i, nr = uts_children(of, &node);
	u64 sum = 1;

	for (i = 0; i < nr; i++)
		wsq_spawn(w, walk, of, uts_child(&node, i));
	for (i = 0; i < nr; i++)
		sum += wsq_sync(w, walk);
	return sum;
}

/* A run of another object from within a task; one of the same cannot be. */
DEFINE_WSQ_TASK3(u64, nested, w, struct party *, p, u32, n, u32, m)
{
	u64 a = 0, b;
	int ret;

	if (n) {
		wsq_spawn(w, nested, p, n - 1, m);
		a = wsq_fj_call(w, fib, m);
		return a + wsq_sync(w, nested);
	}
	ret = fib_run(p->fj, &b, 3);
	check(ret == -EBUSY, "a run within its own: %d", ret);
	ret = fib_run(p->shallow, &b, m);
	check(!ret, "a run within another: %d", ret);
	return b;
}

/* ---- tests ---- */

static void whole(struct party *p, struct wsq_fj *fj)
{
	u32 n = (u32)(rnd(&p->state) % 12) + 4;
	u64 got = 0;
	int ret = fib_run(fj, &got, n);

	check(!ret && got == fib_of(n), "after a run that stopped, fib(%u): %d, %llu",
	      n, ret, got);
}

static void test_fib(struct party *p)
{
	u64 got = 0;
	u32 n = 2;
	int ret;

	while (fib_of(n + 2) <= nr_items)
		n++;
	ret = fib_run(p->fj, &got, n);
	check(!ret && got == fib_of(n), "fib(%u): %d, %llu", n, ret, got);
}

static void clear_marks(struct party *p)
{
	memset(p->marks, 0, MAX_MARKS);
	memset(p->ends, 0, MAX_MARKS);
}

static void all_marked(const struct party *p, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		check(p->marks[i] == 1 && p->ends[i] == 1,
		      "task %u began %u times, ended %u times", i, p->marks[i],
		      p->ends[i]);
}

static void test_loop(struct party *p)
{
	u32 size = (u32)(rnd(&p->state) % WIDEST) + NARROWEST, nr, got = 0;
	u64 sum = 0;
	int ret;

	nr = (u32)(nr_items < MAX_MARKS ? nr_items : MAX_MARKS) / size;
	clear_marks(p);
	ret = loops_run(p->fj, &got, p, nr, size);
	check(!ret && got == nr * size, "loops: %d, %u of %u", ret, got, nr * size);
	all_marked(p, nr * size);

	clear_marks(p);
	nr *= size;
	ret = split_run(p->fj, &sum, p, 0, nr);
	check(!ret && sum == nr, "split: %d, %llu of %u", ret, sum, nr);
	all_marked(p, nr);
}

static void test_drop(struct party *p)
{
	u32 at = 0, i, size, got = 0, nr;
	u8 *seen = malloc(MAX_MARKS);
	int ret;

	check(seen, "no memory");
	nr = (u32)(nr_items < MAX_MARKS ? nr_items : MAX_MARKS);
	clear_marks(p);
	while (at + WIDEST < nr) {
		size = (u32)(rnd(&p->state) % WIDEST) + 1;
		ret = drops_run(p->fj, &got, p, at, size, seen);
		check(!ret, "drops: %d", ret);
		for (i = at; i < at + size; i++)
			got -= p->marks[i];
		check(!got, "drops: %u tasks of no number", got);
		at += size;
	}
	for (i = 0; i < at; i++)
		check(p->marks[i] == seen[i] && p->ends[i] == seen[i],
		      "task %u ran after it was dropped", i);
	free(seen);
}

/* Cancels whenever it is asked to. */
static void *canceller(void *arg)
{
	struct party *p = arg;
	u64 state = seed | 1;

	for (;;) {
		while (sem_wait(&p->ask))
			;
		if (is_over())
			return NULL;
		dawdle(&state);
		wsq_fj_cancel(p->fj);
		sem_post(&p->asked);
	}
}

static void test_cancel(struct party *p)
{
	u64 runs = nr_items / 5000 + 1, got = 0, all, last = 0;
	int ret;

	while (runs--) {
		bool asks = rnd(&p->state) % 2;

		p->begun = 0;
		p->ended = 0;
		p->cancel_at = asks ? 0 : rnd(&p->state) % 2000 + 1;
		if (asks)
			sem_post(&p->ask);
		ret = breaks_run(p->fj, &got, p, 16);
		/* A signal may interrupt it. */
		while (asks && sem_wait(&p->asked))
			;
		all = __atomic_load_n(&p->ended, __ATOMIC_ACQUIRE);
		check(ret == -ECANCELED || !ret, "cancelled: %d", ret);
		check(all == p->begun, "%llu tasks began, %llu ended", p->begun,
		      all);
		/* Dropped tasks run or not. */
		check(ret || p->cancel_at > all || asks,
		      "task %llu of %llu cancelled, but the run returned 0",
		      p->cancel_at, all);
		last += all;
		whole(p, p->fj);
	}
	check(last, "no task ran at all");
}

static void test_descriptors(struct party *p)
{
	u64 got = 0, runs = 20;
	int ret;

	while (runs--) {
		ret = deep_run(p->shallow, &got, SHALLOW);
		check(!ret && got == SHALLOW + 1, "%u descriptors: %d, %llu",
		      SHALLOW, ret, got);
		ret = deep_run(p->shallow, &got,
			       SHALLOW + 1 + (u32)(rnd(&p->state) % 1000));
		check(ret == -EOVERFLOW, "too few descriptors: %d", ret);
		whole(p, p->shallow);
	}
}

static void *small_stack(void *arg)
{
	struct party *p = arg;
	u64 got = 0, runs = 5;
	int ret;

	while (runs--) {
		ret = sink_run(p->shallow, &got, 0);
		check(ret == -EOVERFLOW, "too small a stack: %d", ret);
		whole(p, p->shallow);
		ret = sinks_run(p->shallow, &got, (u32)nr_threads);
		check(ret == -EOVERFLOW, "too small a stack there: %d", ret);
		whole(p, p->shallow);
	}
	return NULL;
}

static void test_stack(struct party *p)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, SMALL_STACK);
	check(!pthread_create(&thread, &attr, small_stack, p), "no thread");
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
}

static void walk_tree(struct party *p, const struct uts_tree *of)
{
	struct uts_node root = uts_root(of);
	u64 nodes = of->nodes ? of->nodes : uts_count(of, &root), got = 0;
	int ret = walk_run(p->fj, &got, of, root);

	check(!ret && got == nodes, "tree %s: %d, %llu of %llu nodes", of->name,
	      ret, got, (u64)nodes);
}

static void test_tree(struct party *p)
{
	const struct uts_tree * const whole_trees[] = {
		&uts_t1, &uts_t2, &uts_t3
	};
	struct uts_tree part;

	if (tree) {
		walk_tree(p, whole_trees[(tree - 1) % 3]);
		return;
	}
	part = uts_t1;
	part.nodes = 0;
	/* Its nodes increase fourfold by level. */
	part.depth = 2;
	while (part.depth < 10 && 1ULL << 2 * (part.depth + 1) <= nr_items / 4)
		part.depth++;
	walk_tree(p, &part);
	/* A binomial tree of a seed each time; about 1000 nodes a child. */
	part = uts_t3;
	part.nodes = 0;
	part.seed = (u32)rnd(&p->state);
	part.root = (double)(nr_items / 4000 + 1);
	walk_tree(p, &part);
}

/* So short that helpers come and leave in the midst of everything. */
static void test_short(struct party *p)
{
	u64 runs = nr_items / 100, got = 0, i;

	while (runs--) {
		u32 n = (u32)(rnd(&p->state) % 20);
		int ret = fib_run(p->fj, &got, n);

		check(!ret && got == fib_of(n), "fib(%u): %d, %llu", n, ret, got);
		switch (rnd(&p->state) % 4) {
		case 0:
			for (i = rnd(&p->state) % 20000; i; i--)
				barrier();
			break;
		case 1:
			sched_yield();
			break;
		case 2:
			sleep_us((u32)(rnd(&p->state) % 60));
			break;
		}
	}
}

static void test_nested(struct party *p)
{
	u64 runs = nr_items / 2000 + 1, got = 0;

	while (runs--) {
		u32 m = (u32)(rnd(&p->state) % 12) + 1;
		int ret = nested_run(p->fj, &got, p, 5, m);

		check(!ret && got == 6 * fib_of(m), "nested: %d, %llu", ret, got);
	}
}

static void (* const tests[])(struct party *p) = {
	test_fib, test_loop, test_drop, test_cancel, test_descriptors, test_stack,
	test_tree, test_short, test_nested,
};

/* All tests, in an order of the party's own. */
static void *party(void *arg)
{
	const u32 nr = sizeof(tests) / sizeof(*tests);
	struct party *p = arg;
	u32 i, from = (u32)(rnd(&p->state) % nr);

	for (i = 0; i < nr; i++)
		tests[(from + i) % nr](p);
	return NULL;
}

static const struct stress_option options[] = {
	{ "threads", &nr_threads },
	{ "half", &half },
	{ "random", &random_opt },
	{ "items", &nr_items },
	{ "tree", &tree },
};

static void create(struct party *p)
{
	struct wsq_fj_attrs attrs = { .depth = DEPTH };

	if (half)
		attrs.flags |= WSQ_FJ_HALF;
	if (random_opt)
		attrs.flags |= WSQ_FJ_RANDOM;
	p->fj = fj_native_create((u32)nr_threads, 0, &attrs);
	attrs.depth = SHALLOW;
	p->shallow = fj_native_create((u32)nr_threads, SMALL_STACK, &attrs);
	sem_init(&p->ask, 0, 0);
	sem_init(&p->asked, 0, 0);
	p->marks = malloc(MAX_MARKS);
	p->ends = malloc(MAX_MARKS);
	check(p->fj && p->shallow && p->marks && p->ends, "no memory");
}

static void destroy(struct party *p)
{
	struct wsq_fj_stats s;

	wsq_fj_read_stats(p->fj, &s);
	printf("runs %llu, stolen %llu, leaps %llu, requests %llu, grows %llu, shrinks %llu, sleeps %llu, started %llu\n",
	       s.runs, s.steals, s.leaps, s.requests, s.grows, s.shrinks, s.sleeps, s.started);
	check(nr_threads > 1 || !(s.steals | s.leaps | s.requests | s.sleeps | s.started),
	      "one thread had helpers");
	wsq_fj_destroy(p->fj);
	wsq_fj_destroy(p->shallow);
	free(p->marks);
	free(p->ends);
}

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t second, cancels[2], night;
	u32 i, k;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	/* After a lost wake-up all threads sleep, which takes no CPU time. */
	signal(SIGALRM, timed_out);
	alarm((unsigned int)limit);
	if (!nr_threads || nr_threads > MAX_THREADS / 4 || tree > 3 || !nr_items)
		return 2;
	printf("%llu threads, half %llu, random %llu, tree %llu, pause %llu us, %llu items, seed %llu\n",
	       nr_threads, half, random_opt, tree, pause_opt, nr_items, seed);
	for (i = 0; i < 2; i++) {
		parties[i].state = (seed + i) * 0x9e3779b97f4a7c15ULL | 1;
		create(&parties[i]);
	}
	for (i = 0; i < 2; i++) {
		for (k = 1; k < nr_threads; k++)
			patients.thread[patients.nr++] =
				fj_native_thread(parties[i].fj, k);
		check(!pthread_create(&cancels[i], NULL, canceller, &parties[i]),
		      "no thread");
	}
	patients.thread[patients.nr++] = pthread_self();
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);
	check(!pthread_create(&second, NULL, party, &parties[1]), "no thread");
	party(&parties[0]);
	pthread_join(second, NULL);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	/* The nurse must not signal ended threads. */
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < 2; i++) {
		sem_post(&parties[i].ask);
		pthread_join(cancels[i], NULL);
		destroy(&parties[i]);
	}
	return 0;
}
