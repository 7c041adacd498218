// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of wsq_run_job(): each index comes exactly once, in pieces as
 * asked for, with any number of helpers or none.
 */
#include "items.h"

/**
 * struct tally - what became of a range
 * @seen: how often each index was handed out; %NULL for ranges too large
 * @start: first index
 * @size: how many
 * @align: pieces begin at a multiple of this
 * @grain: shortest piece, but for the last
 * @calls: pieces
 * @sum: indices in all pieces
 * @at_work: CPUs in the job now
 * @most: the maximum of @at_work
 * @wrong: pieces that are out of range, unaligned, too short or empty
 * @slow: make pieces take some time
 */
struct tally {
	atomic_t *seen;
	unsigned long start;
	unsigned long size;
	unsigned long align;
	unsigned long grain;
	atomic_t calls;
	atomic64_t sum;
	atomic_t at_work;
	atomic_t most;
	atomic_t wrong;
	bool slow;
};

static void tally_piece(unsigned long start, unsigned long end, void *arg)
{
	struct tally *t = arg;
	int n = atomic_inc_return(&t->at_work), most = atomic_read(&t->most);
	unsigned long i;

	while (n > most && !atomic_try_cmpxchg(&t->most, &most, n))
		;
	atomic_inc(&t->calls);
	atomic64_add(end - start, &t->sum);
	if (end <= start || start - t->start >= t->size ||
	    end - t->start > t->size)
		atomic_inc(&t->wrong);
	else if ((start - t->start) % max(t->align, 1UL))
		atomic_inc(&t->wrong);
	else if (end - t->start < t->size && end - start < t->grain)
		atomic_inc(&t->wrong);
	else if (t->seen)
		for (i = start; i < end; i++)
			atomic_inc(&t->seen[i - t->start]);
	if (t->slow) {
		for (i = 0; i < 200; i++)
			wsq_test_yield();
	}
	atomic_dec(&t->at_work);
}

struct job_call {
	struct wsq *q;
	struct wsq_job job;
};

static bool job_run(void *arg)
{
	struct job_call *c = arg;

	wsq_run_job(c->q, &c->job);
	return true;
}

/* Run a job, check that each index came once, and return the calls. */
static int job_try(struct kunit *test, struct wsq *q, unsigned long start,
		   unsigned long size, unsigned long grain, unsigned long align,
		   unsigned int max_cpus, bool slow)
{
	struct tally *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct job_call *c = kzalloc(sizeof(*c), GFP_KERNEL);
	unsigned long i;
	int calls;

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_NOT_NULL(test, c);
	t->start = start;
	t->size = size;
	t->align = align;
	t->grain = grain;
	t->slow = slow;
	if (size && size <= 100000) {
		t->seen = vzalloc(array_size(size, sizeof(*t->seen)));
		KUNIT_ASSERT_NOT_NULL(test, t->seen);
	}
	c->q = q;
	c->job.func = tally_piece;
	c->job.arg = t;
	c->job.start = start;
	c->job.size = size;
	c->job.grain = grain;
	c->job.align = align;
	c->job.max_cpus = max_cpus;
	wsq_test_call(test, job_run, c);

	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&t->wrong), 0,
			    "size %lu grain %lu align %lu", size, grain, align);
	KUNIT_EXPECT_EQ(test, (unsigned long)atomic64_read(&t->sum), size);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->at_work), 0);
	for (i = 0; t->seen && i < size; i++) {
		if (atomic_read(&t->seen[i]) == 1)
			continue;
		KUNIT_FAIL(test, "index %lu of %lu (grain %lu, align %lu) came %d times",
			   i, size, grain, align, atomic_read(&t->seen[i]));
		break;
	}
	if (max_cpus)
		KUNIT_EXPECT_LE(test, (unsigned int)atomic_read(&t->most), max_cpus);
	KUNIT_EXPECT_LE(test, atomic_read(&t->most), (int)num_online_cpus() + 1);
	calls = atomic_read(&t->calls);
	vfree(t->seen);
	kfree(t);
	kfree(c);
	return calls;
}

/* All combinations of sizes, grains, alignments and starts. */
static void job_ranges(struct kunit *test)
{
	static const unsigned long sizes[] = { 0, 1, 2, 7, 64, 997, 65537 };
	static const unsigned long grains[] = { 0, 1, 3, 100, 1000000 };
	static const unsigned long aligns[] = { 0, 1, 8, 13, 4096 };
	static const unsigned long starts[] = { 0, 1, 12345 };
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	int s, g, a, b, calls;

	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		for (g = 0; g < ARRAY_SIZE(grains); g++) {
			for (a = 0; a < ARRAY_SIZE(aligns); a++) {
				b = (s + g + a) % ARRAY_SIZE(starts);
				calls = job_try(test, q, starts[b], sizes[s],
						grains[g], aligns[a], 0, false);
				if (!sizes[s])
					KUNIT_EXPECT_EQ(test, calls, 0);
				else if (grains[g] >= sizes[s])
					KUNIT_EXPECT_EQ(test, calls, 1);
				else
					KUNIT_EXPECT_GE(test, calls, 1);
			}
		}
	}
	wsq_test_queue_end(test, q);
}

/* Ranges that overflow a careless addition. */
static void job_huge(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);

	job_try(test, q, 0, ULONG_MAX, 0, 0, 0, false);
	job_try(test, q, 0, ULONG_MAX, 1, 4096, 0, false);
	job_try(test, q, 0, ULONG_MAX, ULONG_MAX, 1, 0, false);
	job_try(test, q, 0, ULONG_MAX, ULONG_MAX, ULONG_MAX, 0, false);
	job_try(test, q, 0, ULONG_MAX, ULONG_MAX - 5, 7, 0, false);
	job_try(test, q, 1, ULONG_MAX - 1, ULONG_MAX / 3, 1UL << 60, 0, false);
	job_try(test, q, ULONG_MAX - 1000, 1000, 10, 3, 0, false);
	job_try(test, q, 0, 1UL << 40, 1UL << 30, 1UL << 20, 0, false);
	/* Each piece has at least the grain: their number is bounded. */
	KUNIT_EXPECT_LE(test, job_try(test, q, 0, 1UL << 40, 1UL << 38, 0, 0,
				      false), 4);
	wsq_test_queue_end(test, q);
}

/* No more CPUs than allowed: one alone; unlimited if UINT_MAX. */
static void job_max_cpus(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	unsigned int n;

	for (n = 1; n <= num_online_cpus() + 1; n++)
		job_try(test, q, 3, 5000, 10, 1, n, true);
	job_try(test, q, 3, 5000, 10, 1, UINT_MAX, true);
	wsq_test_queue_end(test, q);
}

static struct task_struct *alone_task;
static bool alone_others;

static void alone_piece(unsigned long start, unsigned long end, void *arg)
{
	if (current != alone_task)
		alone_others = true;
	atomic64_add(end - start, arg);
}

static bool alone_run(void *arg)
{
	struct job_call *c = arg;

	alone_task = current;
	wsq_run_job(c->q, &c->job);
	return true;
}

/*
 * With max_cpus of 1 the caller works alone. It also does all the work if gates
 * of the same queue hold all workers: helpers that cannot begin are cancelled,
 * and the caller waits for no gate.
 */
static void job_alone(struct kunit *test)
{
	struct job_call *c = kzalloc(sizeof(*c), GFP_KERNEL);
	atomic64_t sum = ATOMIC64_INIT(0);
	struct wsq_test_gate **g;
	unsigned int cpu;

	KUNIT_ASSERT_NOT_NULL(test, c);
	g = kunit_kcalloc(test, nr_cpu_ids, sizeof(*g), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, g);
	c->q = wsq_test_queue(test, 2, 4, NULL);
	c->job.func = alone_piece;
	c->job.arg = &sum;
	c->job.size = 10000;
	c->job.max_cpus = 1;
	alone_others = false;
	wsq_test_call(test, alone_run, c);
	KUNIT_EXPECT_FALSE(test, alone_others);
	KUNIT_EXPECT_EQ(test, atomic64_read(&sum), 10000);

	for_each_online_cpu(cpu)
		g[cpu] = wsq_test_hold(test, c->q, cpu);
	c->job.max_cpus = 0;
	wsq_test_call(test, alone_run, c);
	KUNIT_EXPECT_FALSE(test, alone_others);
	KUNIT_EXPECT_EQ(test, atomic64_read(&sum), 20000);
	for_each_online_cpu(cpu)
		wsq_test_gate_open(g[cpu]);
	wsq_test_queue_end(test, c->q);
	for_each_online_cpu(cpu)
		kfree(g[cpu]);
	kfree(c);
}

static void meet_piece(unsigned long start, unsigned long end, void *arg)
{
	struct tally *t = arg;

	atomic_inc(&t->at_work);
	/* None leaves before there are two. */
	if (wsq_test_until(atomic_read(&t->at_work) > 1))
		atomic_add(end - start, &t->calls);
}

/* Others do help: two pieces that wait for each other both end. */
static void job_helped(struct kunit *test)
{
	struct tally *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct job_call *c = kzalloc(sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_NOT_NULL(test, c);
	if (num_online_cpus() < 2) {
		kfree(t);
		kfree(c);
		kunit_skip(test, "needs 2 CPUs");
	}
	c->q = wsq_test_queue(test, 2, 4, NULL);
	c->job.func = meet_piece;
	c->job.arg = t;
	c->job.size = 2;
	wsq_test_call(test, job_run, c);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->calls), 2);
	wsq_test_queue_end(test, c->q);
	kfree(t);
	kfree(c);
}

struct nest {
	struct wsq *q;
	atomic64_t sum;
	int depth;
};

/* Each index of an outer job is a job, down to some depth. */
static void nest_piece(unsigned long start, unsigned long end, void *arg)
{
	struct nest *n = arg;
	struct nest below = { .q = n->q, .depth = n->depth - 1 };
	struct wsq_job job = { .func = nest_piece, .arg = &below, .size = 9 };
	unsigned long i;

	for (i = start; i < end; i++) {
		if (!n->depth) {
			atomic64_inc(&n->sum);
			continue;
		}
		atomic64_set(&below.sum, 0);
		wsq_run_job(n->q, &job);
		atomic64_add(atomic64_read(&below.sum), &n->sum);
	}
}

static bool nest_run(void *arg)
{
	nest_piece(0, 9, arg);
	return true;
}

struct nest_item {
	struct wsq_work work;
	struct nest n;
};

static void nest_item_fn(struct wsq_work *work)
{
	nest_run(&container_of(work, struct nest_item, work)->n);
}

/* Each runs some hundred jobs. */
#define NEST_ITEMS	8

/* Jobs within jobs, from a thread and from items of the same queue. */
static void job_nested(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 2, NULL);
	struct nest *n = kzalloc(sizeof(*n), GFP_KERNEL);
	struct nest_item *items = vzalloc(NEST_ITEMS * sizeof(*items));
	int i;

	KUNIT_ASSERT_NOT_NULL(test, n);
	KUNIT_ASSERT_NOT_NULL(test, items);
	n->q = q;
	n->depth = 3;
	wsq_test_call(test, nest_run, n);
	KUNIT_EXPECT_EQ(test, atomic64_read(&n->sum), 9 * 9 * 9 * 9);
	for (i = 0; i < NEST_ITEMS; i++) {
		INIT_WSQ_WORK(&items[i].work, nest_item_fn);
		items[i].n.q = q;
		items[i].n.depth = 2;
		KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &items[i].work));
	}
	wsq_test_call(test, wsq_test_flush, q);
	for (i = 0; i < NEST_ITEMS; i++)
		KUNIT_EXPECT_EQ(test, atomic64_read(&items[i].n.sum), 9 * 9 * 9);
	wsq_test_queue_end(test, q);
	vfree(items);
	kfree(n);
}

#ifdef CONFIG_FAULT_INJECTION
/* Fail the first allocation, then the second, and so on. */
static bool starved_run(void *arg)
{
	struct job_call *c = arg;
	int nth, failed = 0;

	for (nth = 1; nth < 5; nth++) {
		current->fail_nth = nth;
		wsq_run_job(c->q, &c->job);
		failed += !current->fail_nth;
		current->fail_nth = 0;
	}
	return failed;
}

/*
 * Without memory for helpers the caller works alone. Allocations that may sleep
 * fail only if /sys/kernel/debug/failslab/ignore-gfp-wait is N.
 */
static void job_no_memory(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct tally *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct job_call *c = kzalloc(sizeof(*c), GFP_KERNEL);
	bool failed;

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_NOT_NULL(test, c);
	t->size = 1000;
	c->q = q;
	c->job.func = tally_piece;
	c->job.arg = t;
	c->job.size = 1000;
	failed = wsq_test_call(test, starved_run, c);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->sum), 4000);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->wrong), 0);
	wsq_test_queue_end(test, q);
	kfree(t);
	kfree(c);
	if (!failed)
		kunit_skip(test, "nothing failed: write N to failslab/ignore-gfp-wait");
}
#else
static void job_no_memory(struct kunit *test)
{
	kunit_skip(test, "needs CONFIG_FAULT_INJECTION");
}
#endif

struct crowd {
	struct wsq *q;
	atomic64_t sum;
};

static void crowd_piece(unsigned long start, unsigned long end, void *arg)
{
	struct crowd *c = arg;

	atomic64_add(end - start, &c->sum);
}

static void crowd_thread(void *arg, int nr)
{
	struct crowd *c = arg;
	struct wsq_job job = { .func = crowd_piece, .arg = c };
	int i;

	for (i = 0; i < 200; i++) {
		job.size = nr * 100 + i;
		wsq_run_job(c->q, &job);
	}
}

/* Many jobs at once on one queue. */
static void job_crowd(struct kunit *test)
{
	struct crowd *c = kzalloc(sizeof(*c), GFP_KERNEL);
	int nr = 2 * num_online_cpus(), i;
	s64 want = 0;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->q = wsq_test_queue(test, 2, 2, NULL);
	wsq_test_run(test, nr, crowd_thread, c);
	for (i = 0; i < nr; i++)
		want += 200 * 100 * i + 199 * 200 / 2;
	KUNIT_EXPECT_EQ(test, atomic64_read(&c->sum), want);
	wsq_test_queue_end(test, c->q);
	kfree(c);
}

/* How many items were put for other CPUs. */
static s64 job_sent(struct wsq *q)
{
	unsigned int cpu;
	s64 put = 0;

	for_each_online_cpu(cpu)
		put += atomic64_read(&wsq_lane(q, cpu)->in_cnt[0]) +
		       atomic64_read(&wsq_lane(q, cpu)->in_cnt[1]);
	return put;
}

/*
 * Helpers go to idle CPUs, also if those of earlier jobs found little to do.
 * Another thread may have the other CPU at that moment, so try more than once.
 */
#define IDLE_TRIES	20

static void job_idle(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 64, NULL);
	unsigned int cpu = cpumask_first(cpu_online_mask), i;
	struct tally t = { .size = 64, .slow = true };
	struct job_call c = {
		.q = q,
		.job = { .func = tally_piece, .arg = &t, .size = 64, .max_cpus = 2 },
	};
	s64 sent;
	int tries;

	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, cpu);
	for (tries = 0; tries < IDLE_TRIES && !job_sent(q); tries++) {
		WRITE_ONCE(wsq_lane(q, cpu)->item_ns, 100);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_idle_count() ==
						       num_online_cpus()));
		for_each_online_cpu(i)
			KUNIT_EXPECT_TRUE(test, i == cpu ||
					  wsq_test_until(wsq_idle_really(wsq_cpus[i])));
		wsq_test_end(test, wsq_test_start_on(test, cpu, job_run, &c));
	}
	wsq_test_roam();
	sent = job_sent(q);
	KUNIT_EXPECT_LE_MSG(test, sent, 1, "helpers that were sent to another CPU");
	KUNIT_EXPECT_EQ(test, atomic64_read(&t.sum), 64 * tries);
	wsq_test_queue_end(test, q);
	wsq_test_met(test, sent, "no other CPU was idle at the right moment");
}

static struct kunit_case job_cases[] = {
	KUNIT_CASE(job_ranges),
	KUNIT_CASE(job_huge),
	KUNIT_CASE(job_max_cpus),
	KUNIT_CASE(job_alone),
	KUNIT_CASE(job_helped),
	KUNIT_CASE(job_nested),
	KUNIT_CASE(job_no_memory),
	KUNIT_CASE(job_idle),
	KUNIT_CASE(job_crowd),
	{}
};

static struct kunit_suite job_suite = {
	.name = "wsq_job",
	.test_cases = job_cases,
};

kunit_test_suite(job_suite);
