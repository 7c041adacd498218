// SPDX-License-Identifier: GPL-2.0
/*
 * wsq_fib.ko: Fibonacci numbers by calls and futures. The experiment fib of
 * L. Quirk, "Ownership of a queue for practical lock-free scheduling" (2008),
 * section 9, figures 4 to 6.
 *
 *	insmod wsq_fib.ko n=20 work=10000
 *
 * fib(n) is a call that sends two more, for n - 1 and n - 2, and a call *plus*
 * that waits for the futures of both and resolves the future of fib(n) with the
 * sum. No thread waits. This is a slow way to get a Fibonacci number; it
 * measures calls and futures.
 *
 * Does it once by plain recursion, and by calls on 1, 2, ... CPUs. Prints for
 * each the time, how many times as fast it is as on one CPU (figure 4), the CPU
 * time beyond that on one CPU (figure 5), and CPU time over that on one CPU
 * (figure 6) and over that of plain recursion. @rounds rounds each, of which
 * the shortest counts.
 *
 * insmod returns at the end, with EIO if a result is wrong; the figures are in
 * the kernel log. An example for Documentation/call.rst, and a test:
 * tools/check/call.
 *
 * Cost: 576 bytes for each pair of calls that has begun and not ended: those of
 * one path for each CPU, because the queue is LIFO, and some that were stolen.
 *
 * Limitations: CPU time includes that of other tasks.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wsq.h>
#include <linux/wsq_call.h>
#include <linux/wsq_version.h>

#include "cpu_time.h"

/* Plain recursion lets other tasks run before each number of this size. */
#define FIB_YIELD	14

static unsigned int n = 20;
module_param(n, uint, 0444);
MODULE_PARM_DESC(n, "which Fibonacci number, 2 to 32 (default 20)");

static unsigned int work;
module_param(work, uint, 0444);
MODULE_PARM_DESC(work, "rounds of a loop in each call (default 0)");

static unsigned int cpus;
module_param(cpus, uint, 0444);
MODULE_PARM_DESC(cpus, "most CPUs (default 0: all)");

static unsigned int rounds = 3;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "rounds, of which the shortest counts (default 3)");

/**
 * struct fib - one number
 * @fib: its future has the number
 * @plus: adds the numbers of @two
 * @deps: @plus waits for these
 * @two: the two numbers before it, or NULL
 * @n: which number
 * @calls: calls that ran for it, itself and @plus included
 */
struct fib {
	struct wsq_call fib;
	struct wsq_call plus;
	struct wsq_call_dep deps[2];
	struct fib *two;
	u32 n;
	u64 calls;
};

static struct wsq *fib_q;
static struct kmem_cache *fib_cache;

static void fib_work(void)
{
	unsigned int i;

	for (i = 0; i < work; i++)
		barrier();
}

/* Add. Final: the numbers are freed even if there is no sum. */
static int fib_plus(struct wsq_call *call)
{
	struct fib *f = container_of(call, struct fib, plus), *two = f->two;
	unsigned long sum = wsq_future_value(&two[0].fib.future) +
			    wsq_future_value(&two[1].fib.future);

	fib_work();
	f->calls = 2 + two[0].calls + two[1].calls;
	kmem_cache_free(fib_cache, two);
	/* The call that waits for the number frees @f, and so @call. */
	wsq_call_end(&f->fib, sum, wsq_call_error(call));
	return WSQ_CALL_TAKEN;
}

static int fib_fn(struct wsq_call *call)
{
	struct fib *f = container_of(call, struct fib, fib), *two;
	u32 i;

	fib_work();
	f->calls = 1;
	if (f->n < 2) {
		wsq_call_set_value(call, f->n);
		return 0;
	}
	two = kmem_cache_alloc(fib_cache, GFP_KERNEL);
	if (!two)
		return -ENOMEM;
	f->two = two;
	wsq_call_init_final(&f->plus, fib_plus);
	for (i = 0; i < 2; i++) {
		two[i].n = f->n - 1 - i;
		wsq_call_init(&two[i].fib, fib_fn);
		wsq_call_after(&f->plus, &f->deps[i],
			       wsq_call_send(&two[i].fib, fib_q));
	}
	wsq_call_send(&f->plus, fib_q);
	/* From here on @f may be freed: fib_plus() ends it. */
	return WSQ_CALL_TAKEN;
}

/* Plain recursion, with the same work. */
static noinline unsigned long fib_plain(u32 m)
{
	unsigned long sum;

	fib_work();
	if (m < 2)
		return m;
	if (m == FIB_YIELD)
		cond_resched();
	sum = fib_plain(m - 1) + fib_plain(m - 2);
	fib_work();
	return sum;
}

/* By calls. */
static int fib_calls(unsigned long *result, u64 *calls)
{
	struct fib *f = kmem_cache_alloc(fib_cache, GFP_KERNEL);
	int ret;

	if (!f)
		return -ENOMEM;
	f->n = n;
	wsq_call_init(&f->fib, fib_fn);
	ret = wsq_future_wait(wsq_call_send(&f->fib, fib_q));
	*result = wsq_future_value(&f->fib.future);
	*calls = f->calls;
	/* The last functions may not have returned. */
	wsq_drain(fib_q);
	kmem_cache_free(fib_cache, f);
	return ret;
}

/**
 * struct fib_time - one way to do it
 * @result: the number
 * @calls: calls that ran
 * @us: time in us
 * @busy: CPU time in us
 */
struct fib_time {
	unsigned long result;
	u64 calls;
	u64 us;
	u64 busy;
};

static u64 fib_idle(void)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_online_cpu(cpu)
		sum += sample_idle_us(cpu);
	return sum;
}

static int fib_once(struct fib_time *t, bool plain)
{
	u64 idle = fib_idle();
	ktime_t start = ktime_get();
	int ret = 0;

	if (plain) {
		t->result = fib_plain(n);
		t->calls = 0;
	} else {
		ret = fib_calls(&t->result, &t->calls);
	}
	t->us = max(ktime_us_delta(ktime_get(), start), 1LL);
	t->busy = max(sample_busy_us(t->us * num_online_cpus(), idle,
				     fib_idle()), 1ULL);
	return ret;
}

static int fib_time(struct fib_time *best, bool plain)
{
	struct fib_time t;
	u32 i;
	int ret;

	for (i = 0; i < max(rounds, 1U); i++) {
		ret = fib_once(&t, plain);
		if (ret)
			return ret;
		if (!i || t.us < best->us)
			*best = t;
	}
	return 0;
}

/* For "%llu.%02llu": @a / @b, in hundredths. */
static u64 fib_ratio(u64 a, u64 b)
{
	return div64_u64(a * 100, b);
}

/* Calls on @nr CPUs. @one: on one of them. */
static int fib_on(u32 nr, const struct cpumask *mask,
		  const struct fib_time *plain, struct fib_time *one)
{
	const struct wsq_attrs attrs = {
		/* Not to have all of them at a time. */
		.engine = WSQ_BWOS_LIFO,
		.flags = WSQ_RESIDENT,
		.cpumask = mask,
	};
	u64 speed, waste, over;
	struct fib_time t;
	int ret;

	fib_q = wsq_create(&attrs, "fib");
	if (IS_ERR(fib_q))
		return PTR_ERR(fib_q);
	ret = fib_time(&t, false);
	wsq_destroy(fib_q);
	if (ret)
		return ret;
	if (t.result != plain->result) {
		pr_err("wsq_fib: wrong on %u CPUs: %lu, not %lu\n", nr,
		       t.result, plain->result);
		return -EIO;
	}
	if (nr == 1) {
		*one = t;
		pr_info("wsq_fib: fib(%u) = %lu, calls %llu\n", n, t.result,
			t.calls);
		pr_info("wsq_fib: plain recursion %llu us, CPU time %llu us; a call costs %llu ns beyond that\n",
			plain->us, plain->busy,
			div64_u64((max(t.us, plain->us) - plain->us) * 1000,
				  t.calls));
	} else if (t.calls != one->calls) {
		pr_err("wsq_fib: wrong on %u CPUs: %llu calls, not %llu\n", nr,
		       t.calls, one->calls);
		return -EIO;
	}
	speed = fib_ratio(one->us, t.us);
	waste = fib_ratio(t.busy, one->busy);
	over = fib_ratio(t.busy, plain->busy);
	pr_info("wsq_fib: %u CPUs: %llu us, %llu.%02llu times as fast as one; CPU time %llu us, lost %lld us, waste %llu.%02llu, over plain recursion %llu.%02llu\n",
		nr, t.us, speed / 100, speed % 100, t.busy,
		(s64)(t.busy - one->busy), waste / 100, waste % 100,
		over / 100, over % 100);
	return 0;
}

static int fib_measure(struct cpumask *mask)
{
	struct fib_time plain, one;
	unsigned int cpu;
	u32 nr = 0;
	int ret;

	ret = fib_time(&plain, true);
	for_each_online_cpu(cpu) {
		if (ret || (cpus && nr == cpus))
			break;
		cpumask_set_cpu(cpu, mask);
		ret = fib_on(++nr, mask, &plain, &one);
	}
	return ret;
}

static int __init fib_init(void)
{
	cpumask_var_t mask;
	int ret = -ENOMEM;

	if (n < 2 || n > 32)
		return -EINVAL;
	/* Two at a time. */
	fib_cache = kmem_cache_create("wsq_fib", 2 * sizeof(struct fib), 0,
				      SLAB_HWCACHE_ALIGN, NULL);
	if (!fib_cache)
		return -ENOMEM;
	if (zalloc_cpumask_var(&mask, GFP_KERNEL)) {
		pr_info("wsq_fib: n %u, work %u, %u rounds\n", n, work, rounds);
		ret = fib_measure(mask);
		free_cpumask_var(mask);
	}
	kmem_cache_destroy(fib_cache);
	return ret;
}

static void __exit fib_exit(void)
{
}

module_init(fib_init);
module_exit(fib_exit);

MODULE_DESCRIPTION("Sample user of wsq: Fibonacci numbers by futures");
MODULE_LICENSE("GPL");
MODULE_VERSION(WSQ_VERSION);
WSQ_IMPORT_NS();
