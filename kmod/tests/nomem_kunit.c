// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of failing allocations: each one that the in-kernel API makes,
 * one by one, by fault injection. A call that fails returns -ENOMEM and leaks
 * nothing, a call that can do without memory goes on, and the next attempt
 * succeeds. For failures that programs cause see selftests/wsq/nomem.c.
 *
 * Needs the debug kernel of tools/lab. Only user space can set up failslab and
 * fail_page_alloc, so /bin/sh in the guest does. Leaks are looked for when the
 * guest ends. Other kernels skip all of it. Takes a minute emulated.
 *
 * Limitations: memory of per-CPU variables and stacks of tasks is never failed.
 * The kernel has no means for the former.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/umh.h>
#include <linux/wsq_algo.h>
#include <linux/wsq_fj.h>
#include <linux/wsq_pool.h>

#include "../exec/exec.h"
#include "../engine/engine.h"
#include "../pool/overflow.h"
#include "../ring/ops.h"
#include "grow.h"
#include "items.h"
#include "waiting.h"

#if defined(CONFIG_FAULT_INJECTION_STACKTRACE_FILTER) && \
	defined(CONFIG_FAILSLAB) && defined(CONFIG_FAIL_PAGE_ALLOC)

/* More allocations than any single call makes. */
#define NOMEM_MAX	2000

/* One shell for all settings: each takes a tenth of a second emulated. */
static int nomem_shell(const char *first, const char *settings)
{
	static const char set[] =
		"%s cd /sys/kernel/debug || exit;"
		"for s in %s; do for d in failslab fail_page_alloc;"
		"do echo ${s#*=} >$d/${s%%=*} || exit; done; done";
	char sh[] = "/bin/sh", option[] = "-c";
	char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
	char *argv[4] = { sh, option }, *envp[2] = { path };
	int ret;

	argv[2] = kasprintf(GFP_KERNEL, set, first, settings);
	if (!argv[2])
		return -ENOMEM;
	ret = call_usermodehelper(sh, argv, envp, UMH_WAIT_PROC);
	kfree(argv[2]);
	return ret;
}

/* Set knobs, "knob=value knob=value", of both kinds of failures. */
static int nomem_set(const char *settings)
{
	return nomem_shell("", settings);
}

#define NOMEM_FED \
	"probability=0 reject-start=0 reject-end=0 require-start=0 require-end=0xffffffffffffffff"

/* Allocations succeed again. Also called when a test gives up. */
static int nomem_feed(void)
{
	return nomem_set(NOMEM_FED);
}

static void nomem_exit(struct kunit *test)
{
	current->fail_nth = 0;
	nomem_feed();
}

static int nomem_init(struct kunit *test)
{
	static const char pages[] =
		"cd /sys/kernel/debug/fail_page_alloc || exit;"
		"echo N >ignore-gfp-highmem && echo 0 >min-order || exit;";

	if (nomem_shell(pages, NOMEM_FED " verbose=0 ignore-gfp-wait=N"))
		kunit_skip(test, "cannot set failslab and fail_page_alloc");
	return 0;
}

/*
 * Make failures require, or reject, that a function is on the stack: the range
 * up to the next function. Also apply @settings.
 */
static void nomem_range(struct kunit *test, const char *what,
			const char *function, const char *settings)
{
	/* The kernel's symbols are in order; sorting them takes seconds. */
	const char *of = strchr(function, '[') ? "grep wsq.$ /proc/kallsyms | sort" :
						 "cat /proc/kallsyms";
	char first[160], all[160];

	snprintf(first, sizeof(first),
		 "set -- $(%s | grep -A1 ' [tT] %s' | sed 's/ .*//') &&", of,
		 function);
	snprintf(all, sizeof(all), "%s-start=0x$1 %s-end=0x$2 %s", what, what,
		 settings);
	KUNIT_ASSERT_EQ(test, nomem_shell(first, all), 0);
}

/* Fail @times allocations in a function of the module and in its callees. */
static void nomem_fail(struct kunit *test, const char *function,
		       const char *times, const char *probability)
{
	char settings[60];

	snprintf(settings, sizeof(settings), "times=%s probability=%s", times,
		 probability);
	nomem_range(test, "require", function, settings);
}

/* Fail all of its allocations. */
static void nomem_starve(struct kunit *test, const char *function)
{
	nomem_fail(test, function, "-1", "100");
}

/* Check that the queue works. */
static void expect_works(struct kunit *test, struct wsq *q)
{
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);

	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_expect_runs(test, it, 1, 1);
	vfree(it);
}

/* Print how much failed; a test in which nothing failed tested nothing. */
static void expect_failures(struct kunit *test, const char *what, int nth,
			    int failed)
{
	kunit_info(test, "%s: %d allocations, %d of them needed", what, nth - 1,
		   failed);
	KUNIT_EXPECT_LT(test, nth, NOMEM_MAX);
	KUNIT_EXPECT_GT(test, failed, 0);
}

static void create_each(struct kunit *test, const char *what,
			const struct wsq_attrs *attrs)
{
	int nth, failed = 0, left = 0;
	struct wsq *q;

	for (nth = 1; nth < NOMEM_MAX && !left; nth++) {
		current->fail_nth = nth;
		q = wsq_test_create(test, attrs, "nomem");
		left = current->fail_nth;
		current->fail_nth = 0;
		if (IS_ERR(q)) {
			KUNIT_EXPECT_EQ(test, PTR_ERR(q), -ENOMEM);
			KUNIT_EXPECT_EQ(test, left, 0);
			failed++;
			q = wsq_test_queue_attrs(test, attrs);
		}
		expect_works(test, q);
		wsq_test_queue_end(test, q);
	}
	expect_failures(test, what, nth - 1, failed);
}

static void nomem_create(struct kunit *test)
{
	struct wsq_attrs attrs = {};

	create_each(test, "plain", &attrs);
	attrs.cpumask = cpumask_of(cpumask_first(cpu_online_mask));
	create_each(test, "one CPU", &attrs);
	attrs.flags = WSQ_RESIDENT;
	attrs.blocks = 4;
	attrs.block_size = 1024;
	create_each(test, "resident", &attrs);
	attrs.max_blocks = wsq_test_engine(test)->grows ? 8 : 0;
	create_each(test, "that grows", &attrs);
	attrs.max_blocks = 0;
	attrs.flags = WSQ_MEM_RECLAIM;
	create_each(test, "for reclaim", &attrs);
}

/* No rescuer thread: kthreadd's allocations for it fail. */
static void nomem_thread(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.flags = WSQ_MEM_RECLAIM,
		.cpumask = cpumask_of(cpumask_first(cpu_online_mask)),
	};
	struct pid *pid = find_get_pid(2);
	struct task_struct *kthreadd = get_pid_task(pid, PIDTYPE_PID);
	int nth, failed = 0, left = 0;
	struct wsq *q;

	put_pid(pid);
	KUNIT_ASSERT_NOT_NULL(test, kthreadd);
	KUNIT_ASSERT_STREQ(test, kthreadd->comm, "kthreadd");
	/* Never fail stacks: the kernel's message counts as a report. */
	nomem_range(test, "reject", "__vmalloc_node_range_noprof$", "");
	for (nth = 1; nth < NOMEM_MAX && !left; nth++) {
		WRITE_ONCE(kthreadd->fail_nth, nth);
		q = wsq_test_create(test, &attrs, "nomem");
		left = READ_ONCE(kthreadd->fail_nth);
		WRITE_ONCE(kthreadd->fail_nth, 0);
		if (IS_ERR(q)) {
			/* fork() may also return -EAGAIN for it. */
			if (PTR_ERR(q) != -EAGAIN)
				KUNIT_EXPECT_EQ(test, PTR_ERR(q), -ENOMEM);
			failed++;
			q = wsq_test_queue_attrs(test, &attrs);
		}
		expect_works(test, q);
		wsq_test_queue_end(test, q);
	}
	put_task_struct(kthreadd);
	expect_failures(test, "thread", nth - 1, failed);
}

/* A mask that cannot be set leaves the old one. */
static void nomem_cpumask(struct kunit *test)
{
	const struct cpumask *one = cpumask_of(cpumask_first(cpu_online_mask));
	int nth, ret, failed = 0, left = 0;
	cpumask_var_t before;
	struct wsq *q;

	wsq_test_need_cpus(test, 2);
	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&before, GFP_KERNEL));
	for (nth = 1; nth < NOMEM_MAX && !left; nth++) {
		/* Create a new queue each time: containers, once made, stay. */
		q = wsq_test_queue(test, 2, 4, one);
		cpumask_copy(before, q->pool.cpus);
		current->fail_nth = nth;
		ret = wsq_set_cpumask(q, cpu_online_mask);
		left = current->fail_nth;
		current->fail_nth = 0;
		if (ret) {
			KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
			KUNIT_EXPECT_TRUE(test, cpumask_equal(before,
							      q->pool.cpus));
			failed++;
			expect_works(test, q);
			KUNIT_EXPECT_EQ(test, wsq_set_cpumask(q, cpu_online_mask), 0);
		}
		KUNIT_EXPECT_TRUE(test, cpumask_equal(cpu_online_mask,
						      q->pool.cpus));
		expect_works(test, q);
		wsq_test_queue_end(test, q);
	}
	free_cpumask_var(before);
	expect_failures(test, "cpumask", nth - 1, failed);
}

/* CPUs on which the queue's engine has memory. */
static int nomem_engines(const struct wsq *q)
{
	unsigned int cpu, n = 0;

	for_each_possible_cpu(cpu) {
		const struct wsq_container *ct = wsq_pool_any(&q->pool, cpu);

		n += ct && READ_ONCE(ct->engine);
	}
	return n;
}

#define NOMEM_ITEMS		1000

/* A busy queue without memory for its engines works, and asks again. */
static void nomem_engine(struct kunit *test)
{
	struct wsq *q = wsq_test_queue_attrs(test, NULL);
	struct wsq_test_item *it = wsq_test_items(test, q, NOMEM_ITEMS,
						  wsq_test_count);
	unsigned long end = jiffies + HZ;
	int i, there, rounds = 0;

	nomem_starve(test, "wsq_memory_offer.\\[wsq\\]");
	while (time_before(jiffies, end)) {
		for (i = 0; i < NOMEM_ITEMS; i++)
			KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it[i].work));
		wsq_test_call(test, wsq_test_flush, q);
		rounds++;
		KUNIT_ASSERT_EQ(test, nomem_engines(q), 0);
	}
	wsq_test_expect_runs(test, it, NOMEM_ITEMS, rounds);

	KUNIT_ASSERT_EQ(test, nomem_feed(), 0);
	end = jiffies + WSQ_TEST_TIMEOUT;
	/* The memory may go at once. */
	while (!(there = nomem_engines(q)) && time_before(jiffies, end)) {
		for (i = 0; i < NOMEM_ITEMS; i++)
			KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it[i].work));
		wsq_test_call(test, wsq_test_flush, q);
		rounds++;
	}
	KUNIT_EXPECT_GT(test, there, 0);
	wsq_test_expect_runs(test, it, NOMEM_ITEMS, rounds);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* A pool that cannot grow stays as it is, and grows when there is memory. */
static void nomem_grow(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.blocks = 2, .block_size = 4, .max_blocks = 16,
		.cpumask = cpumask_of(cpumask_first(cpu_online_mask)),
	};
	unsigned long begin, end, n = 0, i;
	struct wsq_container *ct;
	struct wsq_pool *pool;
	unsigned int failed = 0;

	if (!wsq_test_engine(test)->grows)
		kunit_skip(test, "needs an engine that grows");
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	pool = wsq_test_pool(test, &attrs, "nomem");
	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	ct = wsq_pool_ct(pool, raw_smp_processor_id());
	nomem_starve(test, "wsq_grow_work.\\[wsq\\]");
	begin = jiffies;
	end = begin + WSQ_TEST_TIMEOUT;
	while (time_before(jiffies, begin + HZ) ||
	       (failed < 3 && time_before(jiffies, end))) {
		/* The request was answered, without memory. */
		failed += atomic_read(&ct->grow) == WSQ_GROW_NO;
		while (!wsq_pool_push(pool, pool))
			n++;
		schedule_timeout_uninterruptible(1);
	}
	KUNIT_EXPECT_EQ(test, n, 8);
	/* Before the first request, at once, then ten times a second. */
	KUNIT_EXPECT_GT(test, failed, 2);
	KUNIT_EXPECT_LE(test, failed, 3 + (jiffies - begin) * 10 / HZ);

	KUNIT_ASSERT_EQ(test, nomem_feed(), 0);
	end = jiffies + WSQ_TEST_TIMEOUT;
	while (n < 64 && time_before(jiffies, end)) {
		if (!wsq_pool_push(pool, pool))
			n++;
		else
			schedule_timeout_uninterruptible(1);
	}
	KUNIT_EXPECT_EQ(test, n, 64);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(pool), (void *)pool);
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));
	wsq_pool_destroy(pool);
	wsq_test_roam();
}

/*
 * Each memory segment that a pool grows by is denied at first, one after the
 * other. The pool stays as it was, and the next attempt brings the segment.
 * Tasks pushed in between are kept.
 */
static void nomem_grow_each(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.blocks = 2, .block_size = 4, .max_blocks = 16,
		.cpumask = cpumask_of(cpumask_first(cpu_online_mask)),
	};
	unsigned long n = 0, got = 0, wrong = 0, end;
	u8 seen[16 * 4 + 1] = {};
	struct wsq_container *ct;
	struct wsq_pool *pool;
	u32 blocks, pieces = 0, denied = 0;
	bool alone;
	void *task;

	if (!wsq_test_engine(test)->grows)
		kunit_skip(test, "needs an engine that grows");
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	pool = wsq_test_pool(test, &attrs, "nomem");
	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	ct = wsq_pool_ct(pool, raw_smp_processor_id());
	nomem_fail(test, "wsq_grow_work.\\[wsq\\]", "-1", "0");
	for (blocks = grow_blocks(ct); blocks < attrs.max_blocks;
	     blocks = grow_blocks(ct)) {
		KUNIT_ASSERT_EQ(test, nomem_set("probability=100"), 0);
		/* Some engines ask again on attaching: memory is on its way. */
		alone = atomic_read(&ct->grow) == WSQ_GROW_NO;
		end = jiffies + HZ / 4;
		while (alone && time_before(jiffies, end)) {
			while (!wsq_pool_push(pool, (void *)(n + 1)))
				n++;
			schedule_timeout_uninterruptible(1);
		}
		if (alone)
			KUNIT_EXPECT_EQ(test, grow_blocks(ct), blocks);
		denied += alone;
		KUNIT_ASSERT_EQ(test, nomem_set("probability=0"), 0);
		KUNIT_EXPECT_TRUE(test, wsq_test_until(({
			n += !wsq_pool_push(pool, (void *)(n + 1));
			grow_blocks(ct) != blocks;
		})));
		KUNIT_ASSERT_GT(test, grow_blocks(ct), blocks);
		pieces++;
	}
	KUNIT_ASSERT_EQ(test, nomem_feed(), 0);
	KUNIT_EXPECT_EQ(test, grow_blocks(ct), attrs.max_blocks);
	kunit_info(test, "%u memory segments, %u denied at first",
		   pieces, denied);
	KUNIT_EXPECT_GE(test, pieces, 3);
	KUNIT_EXPECT_GT(test, denied, 0);
	while (!wsq_pool_push(pool, (void *)(n + 1)))
		n++;
	KUNIT_EXPECT_EQ(test, n, attrs.max_blocks * attrs.block_size);
	for (; (task = wsq_pool_pop(pool)); got++)
		wrong += (unsigned long)task >= sizeof(seen) ||
			 seen[(unsigned long)task]++;
	KUNIT_EXPECT_EQ(test, got, n);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	wsq_pool_destroy(pool);
	wsq_test_roam();
}

#define NOMEM_LOAD		512

/*
 * A queue tries to grow under load. At first each attempt fails, then every
 * other one at random, and memory is released in between. For each time it was
 * queued, each item runs or is cancelled once.
 */
static void nomem_grow_load(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq_attrs attrs = {
		.blocks = 2, .block_size = 4, .max_blocks = 16,
		.cpumask = cpumask_of(cpu),
	};
	int i, *back, rounds = 0, wrong = 0, grown = 0, short_of = 0;
	struct wsq_test_item *it;
	struct wsq_container *ct;
	bool some = false, fed = false;
	unsigned long end;
	struct wsq *q;
	u32 nr;

	if (!wsq_test_engine(test)->grows)
		kunit_skip(test, "needs an engine that grows");
	back = kunit_kcalloc(test, NOMEM_LOAD, sizeof(*back), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, back);
	wsq_test_stay(test, cpu);
	q = wsq_test_queue_attrs(test, &attrs);
	ct = wsq_pool_ct(&q->pool, cpu);
	it = wsq_test_items(test, q, NOMEM_LOAD, wsq_test_count);
	nomem_starve(test, "wsq_grow_work.\\[wsq\\]");
	end = jiffies + 3 * HZ;
	do {
		if (!some && !fed && short_of > 3) {
			KUNIT_ASSERT_EQ(test, nomem_set("probability=50"), 0);
			some = true;
		}
		if (!fed && time_after(jiffies, end)) {
			KUNIT_ASSERT_EQ(test, nomem_set("probability=0"), 0);
			fed = true;
			/* The shell takes a while. */
			end = jiffies;
		}
		/* Keep the worker from draining the queue. */
		preempt_disable();
		for (i = 0; i < NOMEM_LOAD; i++)
			wrong += !wsq_queue_work(q, &it[i].work);
		for (i = rounds % 7; i < NOMEM_LOAD; i += 7)
			back[i] += wsq_cancel_work(&it[i].work);
		preempt_enable();
		wsq_test_call(test, wsq_test_flush, q);
		rounds++;
		nr = grow_blocks(ct);
		grown += nr > attrs.blocks;
		short_of += nr && nr < attrs.max_blocks;
		/* Now and then, long enough for memory to be released. */
		schedule_timeout_uninterruptible(rounds % 64 ? 1 : HZ / 4);
	} while (!fed || (nr < attrs.max_blocks &&
			  time_before(jiffies, end + WSQ_TEST_TIMEOUT)));
	kunit_info(test, "%d rounds, %d grown, %d short of memory", rounds,
		   grown, short_of);
	KUNIT_EXPECT_EQ(test, nr, attrs.max_blocks);
	KUNIT_EXPECT_GT(test, short_of, 0);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	for (i = 0; i < NOMEM_LOAD; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&it[i].runs) + back[i], rounds);
		KUNIT_EXPECT_EQ(test, atomic_read(&it[i].twice), 0);
	}
	wsq_test_queue_end(test, q);
	vfree(it);
	wsq_test_roam();
}

static bool nomem_push(void *pool)
{
	return !wsq_pool_push(pool, pool);
}

/* A push that waits for space in such a pool gets it when there is memory. */
static void nomem_wait(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.blocks = 2, .block_size = 4, .max_blocks = 4,
		.cpumask = cpumask_of(cpumask_first(cpu_online_mask)),
		.overflow = WSQ_OVERFLOW_WAIT,
	};
	unsigned int cpu = cpumask_first(cpu_online_mask), i;
	struct wsq_test_call *call;
	struct wsq_pool *pool;

	if (!wsq_test_engine(test)->grows)
		kunit_skip(test, "needs an engine that grows");
	wsq_test_stay(test, cpu);
	pool = wsq_test_pool(test, &attrs, "nomem");
	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	nomem_starve(test, "wsq_grow_work.\\[wsq\\]");
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, pool), 0);
	call = wsq_test_start_on(test, cpu, nomem_push, pool);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_test_waiting(pool) == 1));
	schedule_timeout_uninterruptible(HZ);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_EQ(test, wsq_test_waiting(pool), 1);
	/* No task is popped. */
	KUNIT_ASSERT_EQ(test, nomem_feed(), 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(pool), (void *)pool);
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));
	wsq_pool_destroy(pool);
	wsq_test_roam();
}

/*
 * Two workers sleep, and no further one can be created: items behind them go on
 * waiting.
 */
static void nomem_standby(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	struct wsq_test_gate *g[2] = { wsq_test_gate(test, true),
				       wsq_test_gate(test, true) };
	int i;

	/* Workers that earlier tests left would take over at once. */
	KUNIT_ASSERT_TRUE(test, wsq_test_until(READ_ONCE(wsq_cpus[cpu]->nr_workers) == 2));
	nomem_starve(test, "wsq_standby_spawn.\\[wsq\\]");
	for (i = 0; i < 2; i++) {
		wsq_queue_work(q, &g[i]->it.work);
		KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g[i]));
	}
	wsq_queue_work(q, &it->work);
	schedule_timeout_uninterruptible(HZ);
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 0);

	KUNIT_ASSERT_EQ(test, nomem_feed(), 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&it->runs)));
	/* The flush waits for both. */
	wsq_test_gate_open(g[1]);
	for (i = 0; i < 2; i++)
		wsq_test_release(test, q, g[i]);
	wsq_test_expect_runs(test, it, 1, 1);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* A CPU comes online: its containers may be denied, its worker may not. */
static void nomem_cpu(struct kunit *test)
{
#ifdef CONFIG_HOTPLUG_CPU
	unsigned int cpu = cpumask_last(cpu_online_mask);
	int nth, ret, failed = 0, left = 0;
	struct wsq_test_item *it;
	struct wsq *q;

	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	nomem_range(test, "require", "wsq_pool_cpu_up.\\[wsq\\]", "");
	for (nth = 1; nth < NOMEM_MAX && !left; nth++) {
		/* A queue keeps its containers there, so make a new queue. */
		KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
		q = wsq_test_queue(test, 2, 4, NULL);
		it = wsq_test_items(test, q, 1, wsq_test_count);
		current->fail_nth = nth;
		ret = add_cpu(cpu);
		left = current->fail_nth;
		current->fail_nth = 0;
		failed += !left;
		if (ret) {
			KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
			KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
		}
		/* It may run on another CPU. */
		KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, q, &it->work));
		wsq_test_call(test, wsq_test_flush, q);
		wsq_test_expect_runs(test, it, 1, 1);
		wsq_test_queue_end(test, q);
		vfree(it);
	}
	expect_failures(test, "CPU", nth - 1, failed);

	q = wsq_test_queue(test, 2, 4, NULL);
	it = wsq_test_items(test, q, 1, wsq_test_count);
	KUNIT_ASSERT_EQ(test, remove_cpu(cpu), 0);
	nomem_starve(test, "wsq_worker_online.\\[wsq\\]");
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), -ENOMEM);
	KUNIT_EXPECT_FALSE(test, cpu_online(cpu));
	expect_works(test, q);
	KUNIT_ASSERT_EQ(test, nomem_feed(), 0);
	KUNIT_ASSERT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_TRUE(test, wsq_queue_work_on(cpu, q, &it->work));
	wsq_test_call(test, wsq_test_flush, q);
	KUNIT_EXPECT_EQ(test, it->cpu, (int)cpu);
	wsq_test_queue_end(test, q);
	vfree(it);
	wsq_test_roam();
#else
	kunit_skip(test, "needs CPU hotplug");
#endif
}

static s64 nomem_issue(const struct wsq_op_task *task)
{
	return 0;
}

static const struct wsq_op_def nomem_op = {
	.name = "nomem", .cap = -1, .issue = nomem_issue,
};

/* The op left no trace: no name, no number, nothing to unregister. */
static void expect_no_op(struct kunit *test)
{
	struct wsq_op_info info;

	KUNIT_EXPECT_FALSE(test, wsq_op_query(WSQ_OP_REGISTERED, &info));
	KUNIT_EXPECT_EQ(test, wsq_ops_forget(THIS_MODULE), 0);
}

/*
 * An op that cannot be registered does not exist and uses up no number. The
 * next attempt succeeds.
 */
static void nomem_register(struct kunit *test)
{
	int nth, nr, next, failed = 0, left = 0;
	struct wsq_op_def own = nomem_op;

	own.owner = THIS_MODULE;
	next = wsq_register_op(&own);
	KUNIT_ASSERT_GE(test, next, WSQ_OP_REGISTERED);
	wsq_unregister_op(&own);
	for (nth = 1; nth < NOMEM_MAX && !left; nth++) {
		next++;
		current->fail_nth = nth;
		nr = wsq_register_op(&own);
		left = current->fail_nth;
		current->fail_nth = 0;
		if (nr < 0) {
			KUNIT_EXPECT_EQ(test, nr, -ENOMEM);
			KUNIT_EXPECT_EQ(test, left, 0);
			expect_no_op(test);
			failed++;
			nr = wsq_register_op(&own);
		}
		KUNIT_EXPECT_EQ(test, nr, next);
		wsq_unregister_op(&own);
	}
	expect_failures(test, "op", nth - 1, failed);

	/* The xarray allocates twice: fail both. */
	nomem_starve(test, "xa_store$");
	nr = wsq_register_op(&own);
	KUNIT_ASSERT_EQ(test, nomem_feed(), 0);
	KUNIT_EXPECT_EQ(test, nr, -ENOMEM);
	if (nr >= 0)
		wsq_unregister_op(&own);
	expect_no_op(test);
	KUNIT_EXPECT_EQ(test, wsq_register_op(&own), next + 1);
	wsq_unregister_op(&own);
}

static void nomem_part(unsigned long start, unsigned long end, void *arg)
{
	atomic_add(end - start, arg);
}

/*
 * A fork-join object that cannot be created does not exist. With one, a run
 * needs no memory.
 */
static void nomem_forkjoin(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	atomic_t sum = ATOMIC_INIT(0);
	struct wsq_fj_loop loop = { .fn = nomem_part, .arg = &sum, .size = 1000 };
	int nth, failed = 0, left = 0;
	struct wsq_fj *fj;

	for (nth = 1; nth < NOMEM_MAX && !left; nth++) {
		current->fail_nth = nth;
		fj = wsq_fj_create(q, NULL);
		left = current->fail_nth;
		current->fail_nth = 0;
		if (IS_ERR(fj)) {
			KUNIT_EXPECT_EQ(test, PTR_ERR(fj), -ENOMEM);
			KUNIT_EXPECT_EQ(test, left, 0);
			failed++;
			fj = wsq_fj_create(q, NULL);
			KUNIT_ASSERT_FALSE(test, IS_ERR(fj));
		}
		current->fail_nth = 1;
		KUNIT_EXPECT_EQ(test, wsq_fj_range(fj, &loop), 0);
		KUNIT_EXPECT_EQ(test, current->fail_nth, 1);
		current->fail_nth = 0;
		KUNIT_EXPECT_EQ(test, atomic_xchg(&sum, 0), 1000);
		wsq_fj_destroy(fj);
	}
	expect_failures(test, "fork-join object", nth - 1, failed);
	wsq_test_queue_end(test, q);
}

/* What an op by fork and join needs; SQEs as in selftests/wsq/algo.c. */
static void nomem_algo_op(struct kunit *test, struct wsq *q,
			  const struct wsq_sqe *sqe, u8 *arena, u64 bytes,
			  bool busy)
{
	const bool no = false;
	struct wsq_op_fj of = { .q = q };
	const struct wsq_stop stop = {
		.dead = &no, .stop_asked = &no, .deadline = U64_MAX, .fj = &of,
	};
	int nth, failed = 0, left = 0;
	s64 res, want = -1;

	/* With its own object, which is freed; or with the user's. */
	of.busy = busy;
	for (nth = 1; nth < NOMEM_MAX && !left; nth++) {
		current->fail_nth = nth;
		res = wsq_op_issue(sqe, arena, bytes, &stop, NULL);
		left = current->fail_nth;
		current->fail_nth = 0;
		if (res < 0) {
			KUNIT_EXPECT_EQ(test, res, -ENOMEM);
			KUNIT_EXPECT_EQ(test, left, 0);
			failed++;
			res = wsq_op_issue(sqe, arena, bytes, &stop, NULL);
		}
		want = want < 0 ? res : want;
		KUNIT_EXPECT_GT(test, res, 0);
		KUNIT_EXPECT_EQ(test, res, want);
		KUNIT_EXPECT_EQ(test, of.busy, (unsigned long)busy);
		KUNIT_EXPECT_EQ(test, !of.fj, busy);
		wsq_op_fj_exit(&of);
	}
	expect_failures(test, busy ? "op with its own object" : "op", nth - 1,
			failed);
}

/*
 * Ops by fork and join: an entry that finds no memory ends with -ENOMEM, leaks
 * nothing, and leaves the user's object to the next.
 */
static void nomem_algo(struct kunit *test)
{
	const u64 len = 3 * WSQ_GZIP_CHUNK, bytes = 3 * len;
	struct wsq_sqe sqe = { .dst = len, .len = len };
	struct wsq *q = wsq_test_queue_attrs(test, NULL);
	u8 *arena = vzalloc(bytes);
	int busy;

	KUNIT_ASSERT_NOT_NULL(test, arena);
	for (busy = 0; busy < 2; busy++) {
		sqe.op = WSQ_OP_FSVERITY;
		sqe.arg = 0;
		nomem_algo_op(test, q, &sqe, arena, bytes, busy);
		sqe.op = WSQ_OP_SORT64;
		nomem_algo_op(test, q, &sqe, arena, bytes, busy);
		sqe.op = WSQ_OP_GZIP;
		sqe.arg = WSQ_GZIP_BOUND(len);
		nomem_algo_op(test, q, &sqe, arena, bytes, busy);
	}
	vfree(arena);
	wsq_test_queue_end(test, q);
}

static void nomem_delayed_fn(struct wsq_work *work)
{
}

/* Functions for any context allocate nothing, so nothing can fail. */
static void nomem_none(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_delayed_work *d = kzalloc(sizeof(*d), GFP_KERNEL);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, d);
	INIT_WSQ_DELAYED_WORK(d, nomem_delayed_fn);
	for (i = 0; i < 100; i++) {
		/* The first allocation would fail, if there were one. */
		current->fail_nth = 1;
		wsq_queue_work(q, &it->work);
		wsq_queue_work_on(i % num_online_cpus(), q, &it->work);
		wsq_cancel_work(&it->work);
		wsq_queue_work(q, &it->work);
		wsq_flush_work(&it->work);
		wsq_queue_delayed_work(q, d, i % 3);
		wsq_mod_delayed_work(q, d, HZ);
		wsq_cancel_delayed_work_sync(d);
		wsq_disable_work_sync(&it->work);
		wsq_enable_work(&it->work);
		wsq_flush(q);
		if (current->fail_nth != 1)
			break;
	}
	KUNIT_EXPECT_EQ(test, current->fail_nth, 1);
	current->fail_nth = 0;
	wsq_test_queue_end(test, q);
	kfree(d);
	vfree(it);
}

#else

static int nomem_init(struct kunit *test)
{
	kunit_skip(test, "needs fault injection");
	return 0;
}

static void nomem_exit(struct kunit *test)
{
}

static void nomem_create(struct kunit *test) { }
static void nomem_thread(struct kunit *test) { }
static void nomem_cpumask(struct kunit *test) { }
static void nomem_engine(struct kunit *test) { }
static void nomem_grow(struct kunit *test) { }
static void nomem_grow_each(struct kunit *test) { }
static void nomem_grow_load(struct kunit *test) { }
static void nomem_wait(struct kunit *test) { }
static void nomem_standby(struct kunit *test) { }
static void nomem_cpu(struct kunit *test) { }
static void nomem_register(struct kunit *test) { }
static void nomem_forkjoin(struct kunit *test) { }
static void nomem_algo(struct kunit *test) { }
static void nomem_none(struct kunit *test) { }

#endif

static struct kunit_case nomem_cases[] = {
	KUNIT_CASE(nomem_none),
	KUNIT_CASE(nomem_forkjoin),
	KUNIT_CASE_SLOW(nomem_register),
	KUNIT_CASE_SLOW(nomem_algo),
	WSQ_ENGINE_CASE_SLOW(nomem_create),
	WSQ_ENGINE_CASE_SLOW(nomem_thread),
	WSQ_ENGINE_CASE_SLOW(nomem_cpumask),
	WSQ_ENGINE_CASE_SLOW(nomem_engine),
	WSQ_ENGINE_CASE_SLOW(nomem_grow),
	WSQ_ENGINE_CASE_SLOW(nomem_grow_each),
	WSQ_ENGINE_CASE_SLOW(nomem_grow_load),
	WSQ_ENGINE_CASE_SLOW(nomem_wait),
	WSQ_ENGINE_CASE_SLOW(nomem_standby),
	WSQ_ENGINE_CASE_SLOW(nomem_cpu),
	{}
};

static struct kunit_suite nomem_suite = {
	.name = "wsq_nomem",
	.init = nomem_init,
	.exit = nomem_exit,
	.test_cases = nomem_cases,
};

kunit_test_suite(nomem_suite);
