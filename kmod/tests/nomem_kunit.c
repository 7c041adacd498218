// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of allocations that fail: each one that the in-kernel API makes,
 * one by one, by fault injection. What fails says -ENOMEM and leaves nothing
 * behind, what does without memory goes on, and the next attempt succeeds. For
 * what programs cause, see selftests/wsq/nomem.c.
 *
 * Needs the debug kernel of tools/lab: failslab and fail_page_alloc are set by
 * /bin/sh in the guest, for nothing in the kernel can, and leaks are looked for
 * when the guest ends. Other kernels skip all of it. Takes a minute emulated.
 *
 * Limitations: memory of per-CPU variables is not failed, for the kernel cannot
 * be asked to, nor are stacks of tasks.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/umh.h>

#include "../exec/exec.h"
#include "../pool/engine.h"
#include "../pool/overflow.h"
#include "items.h"

#if defined(CONFIG_FAULT_INJECTION_STACKTRACE_FILTER) && \
	defined(CONFIG_FAILSLAB) && defined(CONFIG_FAIL_PAGE_ALLOC)

/* More allocations than any single call makes. */
#define NOMEM_MAX	2000

static int nomem_shell(char *command)
{
	char sh[] = "/bin/sh", option[] = "-c";
	char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
	char *argv[4] = { sh, option, command }, *envp[2] = { path };

	return call_usermodehelper(sh, argv, envp, UMH_WAIT_PROC);
}

/* Set a knob of both kinds of failures. */
static int nomem_set(const char *knob, const char *value)
{
	char command[300];

	snprintf(command, sizeof(command),
		 "cd /sys/kernel/debug && echo %s >failslab/%s && echo %s >fail_page_alloc/%s",
		 value, knob, value, knob);
	return nomem_shell(command);
}

/* Everybody gets memory again. Also when a test gives up. */
static int nomem_feed(void)
{
	return nomem_set("probability", "0") ||
	       nomem_set("reject-start", "0") || nomem_set("reject-end", "0") ||
	       nomem_set("require-start", "0") ||
	       nomem_set("require-end", "0xffffffffffffffff");
}

static void nomem_exit(struct kunit *test)
{
	current->fail_nth = 0;
	nomem_feed();
}

static int nomem_init(struct kunit *test)
{
	char highmem[] = "echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem";
	char order[] = "echo 0 >/sys/kernel/debug/fail_page_alloc/min-order";

	if (nomem_feed() || nomem_set("verbose", "0") ||
	    nomem_set("ignore-gfp-wait", "N") || nomem_shell(highmem) ||
	    nomem_shell(order))
		kunit_skip(test, "cannot set failslab and fail_page_alloc");
	return 0;
}

/* Have failures require, or reject, that a function is on the stack. */
static void nomem_range(struct kunit *test, const char *what,
			const char *function)
{
	static const char line[] =
		"0x$(sort /proc/kallsyms | grep -A1 ' [tT] %s' | sed -n '%ds/ .*//p')";
	char knob[20], text[120];

	/* To where the next one begins. */
	snprintf(knob, sizeof(knob), "%s-start", what);
	snprintf(text, sizeof(text), line, function, 1);
	KUNIT_ASSERT_EQ(test, nomem_set(knob, text), 0);
	snprintf(knob, sizeof(knob), "%s-end", what);
	snprintf(text, sizeof(text), line, function, 2);
	KUNIT_ASSERT_EQ(test, nomem_set(knob, text), 0);
}

/* Nothing in a function of the module gets memory, nor what it calls. */
static void nomem_starve(struct kunit *test, const char *function)
{
	nomem_range(test, "require", function);
	KUNIT_ASSERT_EQ(test, nomem_set("times", "-1"), 0);
	KUNIT_ASSERT_EQ(test, nomem_set("probability", "100"), 0);
}

/* The queue works. */
static void expect_works(struct kunit *test, struct wsq *q)
{
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);

	KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it->work));
	wsq_test_call(test, wsq_test_flush, q);
	wsq_test_expect_runs(test, it, 1, 1);
	vfree(it);
}

/* Tell how much failed; that nothing did is a test that tested nothing. */
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

/* A rescuer's thread is not to be had: what kthreadd needs for it fails. */
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
	/* Of stacks it cannot get, the kernel makes words that are a report here. */
	nomem_range(test, "reject", "__vmalloc_node_range_noprof$");
	for (nth = 1; nth < NOMEM_MAX && !left; nth++) {
		WRITE_ONCE(kthreadd->fail_nth, nth);
		q = wsq_test_create(test, &attrs, "nomem");
		left = READ_ONCE(kthreadd->fail_nth);
		WRITE_ONCE(kthreadd->fail_nth, 0);
		if (IS_ERR(q)) {
			/* What fork() says of it is not always the former. */
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
		/* Anew each time: the others get what they need only once. */
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

/* A busy queue without memory for its engines does without, and asks again. */
static void nomem_engine(struct kunit *test)
{
	struct wsq *q = wsq_test_queue_attrs(test, NULL);
	struct wsq_test_item *it = wsq_test_items(test, q, NOMEM_ITEMS,
						  wsq_test_count);
	unsigned long end = jiffies + HZ;
	int i, rounds = 0;

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
	end = jiffies + WSQ_TEST_PATIENCE;
	while (!nomem_engines(q) && time_before(jiffies, end)) {
		for (i = 0; i < NOMEM_ITEMS; i++)
			KUNIT_EXPECT_TRUE(test, wsq_queue_work(q, &it[i].work));
		wsq_test_call(test, wsq_test_flush, q);
		rounds++;
	}
	KUNIT_EXPECT_GT(test, nomem_engines(q), 0);
	wsq_test_expect_runs(test, it, NOMEM_ITEMS, rounds);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* A pool that may grow stays as it is, and gets more when there is some. */
static void nomem_grow(struct kunit *test)
{
	struct wsq_attrs attrs = {
		.blocks = 2, .block_size = 4, .max_blocks = 16,
		.cpumask = cpumask_of(cpumask_first(cpu_online_mask)),
	};
	unsigned long end, n = 0, i;
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
	end = jiffies + HZ;
	while (time_before(jiffies, end)) {
		/* There was an answer, and it was none. */
		failed += atomic_read(&ct->grow) == WSQ_GROW_NO;
		while (!wsq_pool_push(pool, pool))
			n++;
		schedule_timeout_uninterruptible(1);
	}
	KUNIT_EXPECT_EQ(test, n, 8);
	/* Before it asked, at once, and then once in a tenth of a second. */
	KUNIT_EXPECT_GT(test, failed, 2);
	KUNIT_EXPECT_LE(test, failed, 13);

	KUNIT_ASSERT_EQ(test, nomem_feed(), 0);
	end = jiffies + WSQ_TEST_PATIENCE;
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

static bool nomem_push(void *pool)
{
	return !wsq_pool_push(pool, pool);
}

/* Who waits for room in such a pool gets it when there is memory. */
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
	schedule_timeout_uninterruptible(HZ);
	KUNIT_EXPECT_FALSE(test, wsq_test_over(call));
	KUNIT_EXPECT_EQ(test, wsq_overflow_waiting(pool), 1);
	/* Nobody pops. */
	KUNIT_ASSERT_EQ(test, nomem_feed(), 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_end(test, call));
	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(pool), (void *)pool);
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));
	wsq_pool_destroy(pool);
	wsq_test_roam();
}

/* No stand-in for a worker that sleeps: what waits behind it waits on. */
static void nomem_standin(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct wsq *q = wsq_test_queue(test, 2, 4, cpumask_of(cpu));
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	struct wsq_test_gate *g = wsq_test_gate(test, true);

	/* Spare workers that other tests have left would stand in at once. */
	KUNIT_ASSERT_TRUE(test, wsq_test_until(READ_ONCE(wsq_cpus[cpu]->nr_workers) == 1));
	nomem_starve(test, "wsq_office_spawn.\\[wsq\\]");
	wsq_queue_work(q, &g->it.work);
	KUNIT_ASSERT_TRUE(test, wsq_test_gate_entered(g));
	wsq_queue_work(q, &it->work);
	schedule_timeout_uninterruptible(HZ);
	KUNIT_EXPECT_EQ(test, atomic_read(&it->runs), 0);

	KUNIT_ASSERT_EQ(test, nomem_feed(), 0);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&it->runs)));
	wsq_test_release(test, q, g);
	wsq_test_expect_runs(test, it, 1, 1);
	wsq_test_queue_end(test, q);
	vfree(it);
}

/* A CPU that comes: its containers may fail to, its worker may not. */
static void nomem_cpu(struct kunit *test)
{
#ifdef CONFIG_HOTPLUG_CPU
	unsigned int cpu = cpumask_last(cpu_online_mask);
	int nth, ret, failed = 0, left = 0;
	struct wsq_test_item *it;
	struct wsq *q;

	wsq_test_need_cpus(test, 2);
	wsq_test_stay(test, cpumask_first(cpu_online_mask));
	nomem_range(test, "require", "wsq_pool_cpu_up.\\[wsq\\]");
	for (nth = 1; nth < NOMEM_MAX && !left; nth++) {
		/* What a queue once had there it keeps. */
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
		/* Perhaps elsewhere. */
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

static void nomem_delayed_fn(struct wsq_work *work)
{
}

/* What is called from any context allocates nothing: nothing can fail. */
static void nomem_none(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 2, 4, NULL);
	struct wsq_delayed_work *d = kzalloc(sizeof(*d), GFP_KERNEL);
	struct wsq_test_item *it = wsq_test_items(test, q, 1, wsq_test_count);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, d);
	INIT_WSQ_DELAYED_WORK(d, nomem_delayed_fn);
	for (i = 0; i < 100; i++) {
		/* The first would, if there were one. */
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
static void nomem_wait(struct kunit *test) { }
static void nomem_standin(struct kunit *test) { }
static void nomem_cpu(struct kunit *test) { }
static void nomem_none(struct kunit *test) { }

#endif

static struct kunit_case nomem_cases[] = {
	KUNIT_CASE(nomem_none),
	WSQ_ENGINE_CASE_SLOW(nomem_create),
	WSQ_ENGINE_CASE_SLOW(nomem_thread),
	WSQ_ENGINE_CASE_SLOW(nomem_cpumask),
	WSQ_ENGINE_CASE_SLOW(nomem_engine),
	WSQ_ENGINE_CASE_SLOW(nomem_grow),
	WSQ_ENGINE_CASE_SLOW(nomem_wait),
	WSQ_ENGINE_CASE_SLOW(nomem_standin),
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
