// SPDX-License-Identifier: GPL-2.0
/*
 * What displacing an owner costs. Member 1 puts and takes tasks as an owner of
 * a chunk does (core/fence.h, scenario D). Member 0 fences that CPU repeatedly,
 * as a thief does between claiming a chunk and reading its index.
 *
 * thief: until the call returns. until through: until the owner's CPU has
 * executed the barrier; the asynchronous form returns before. victim: by how
 * much each fence delays the owner. operation: a put and a take without
 * stealing. For comparison, the same with a barrier in each take, or with a
 * compare-and-exchange of the slot, and without fences.
 */
#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../core/fence.h"
#include "cases.h"

/* Tasks put and taken within a section. */
#define FENCE_SLOTS		64

/* Sections without a fence, and fences, in a sample; pause between fences. */
#define FENCE_ROUNDS		2000
#define FENCE_NR		200
#define FENCE_PAUSE_NS		20000

enum bench_fence_how {
	FENCE_HEAVY,
	FENCE_STARTED,
	FENCE_BARRIER,
	FENCE_CAS,
};

/**
 * struct bench_fence - one sample
 * @how: what is measured
 * @cpu: the owner's
 * @set: that CPU
 * @call: fence call to that CPU
 * @ready: the owner has measured itself and goes on
 * @over: the owner may stop
 * @called: time spent in calls
 * @waited: time until the fences were done
 * @alone: time of %FENCE_ROUNDS sections
 * @laps: further sections, while fences came
 * @spent: their time
 * @owner: the owner word; only thieves write here besides the owner
 * @idx: the owner's index
 * @slots: the chunk
 */
struct bench_fence {
	enum bench_fence_how how;
	unsigned int cpu;
	u64 *set;
	struct wsq_fence_call call;
	bool ready;
	bool over;
	u64 called, waited;
	u64 alone, laps, spent;
	atomic64_t owner ____cacheline_aligned;
	atomic64_t idx ____cacheline_aligned;
	atomic64_t slots[FENCE_SLOTS] ____cacheline_aligned;
};

/* Returns false if a thief took the chunk, which never happens here. */
static __always_inline bool fence_take(struct bench_fence *f,
				       enum bench_fence_how how)
{
	s64 i = atomic64_read(&f->idx);
	s64 task = atomic64_read(&f->slots[i]);

	if (!task || !atomic64_read(&f->owner))
		return false;
	if (how == FENCE_CAS) {
		atomic64_set(&f->idx, i + 1);
		return atomic64_cmpxchg(&f->slots[i], task, 0) == task;
	}
	atomic64_set(&f->idx, i + 1);
	if (how == FENCE_BARRIER)
		/* The barrier that the fence saves the owner. */
		smp_mb();
	else
		wsq_fence_light();
	if (!atomic64_read(&f->owner))
		return false;
	atomic64_set(&f->slots[i], 0);
	return true;
}

static __always_inline void fence_round(struct bench_fence *f,
					enum bench_fence_how how)
{
	int i;

	wsq_fence_begin();
	for (i = 0; i < FENCE_SLOTS; i++)
		atomic64_set_release(&f->slots[i], i + 1);
	atomic64_set(&f->idx, 0);
	for (i = 0; i < FENCE_SLOTS; i++)
		if (!fence_take(f, how))
			break;
	wsq_fence_end();
}

static __always_inline void fence_own(struct bench_fence *f,
				      enum bench_fence_how how)
{
	u64 from = ktime_get_ns(), i;

	for (i = 0; i < FENCE_ROUNDS && !READ_ONCE(f->over); i++)
		fence_round(f, how);
	f->alone = ktime_get_ns() - from;
	/* Pairs with fence_thief(). */
	smp_store_release(&f->ready, true);
	from = ktime_get_ns();
	/* Pairs with fence_thief(). */
	for (i = 0; !smp_load_acquire(&f->over); i++) {
		fence_round(f, how);
		if (i % 64 == 0)
			cond_resched();
	}
	f->laps = i;
	f->spent = ktime_get_ns() - from;
}

static void fence_owner(struct bench_fence *f)
{
	switch (f->how) {
	case FENCE_HEAVY:
	case FENCE_STARTED:
		fence_own(f, FENCE_HEAVY);
		break;
	case FENCE_BARRIER:
		fence_own(f, FENCE_BARRIER);
		break;
	case FENCE_CAS:
		fence_own(f, FENCE_CAS);
		break;
	}
}

static void fence_pause(u64 until)
{
	while (ktime_get_ns() < until)
		cpu_relax();
	cond_resched();
}

static void fence_once(struct bench_fence *f)
{
	u64 from = ktime_get_ns(), to;

	if (f->how == FENCE_HEAVY) {
		wsq_fence_heavy(f->set, wsq_fence_words());
		to = ktime_get_ns();
		f->called += to - from;
		f->waited += to - from;
	} else {
		wsq_fence_start(&f->call, f->cpu);
		f->called += ktime_get_ns() - from;
		while (!wsq_fence_done(&f->call))
			cpu_relax();
		to = ktime_get_ns();
		f->waited += to - from;
	}
	fence_pause(to + FENCE_PAUSE_NS);
}

static void fence_thief(struct bench_fence *f)
{
	int i;

	/* Pairs with fence_own(). */
	while (!smp_load_acquire(&f->ready)) {
		cpu_relax();
		cond_resched();
	}
	for (i = 0; f->how <= FENCE_STARTED && i < FENCE_NR; i++)
		fence_once(f);
	/* Pairs with fence_own(). */
	smp_store_release(&f->over, true);
}

static void bench_fence_job(unsigned int member, void *arg)
{
	if (member)
		fence_owner(arg);
	else
		fence_thief(arg);
}

/* Each way is a service that is used in this case only. */

static int fence_start(void)
{
	return 0;
}

/* With fence=cas, and on isolated CPUs, there is no interrupt. */
static int fence_start_ipi(void)
{
	if (bench_nr_cpus > 1 && !wsq_fence_reaches(bench_cpus[1]))
		return -EOPNOTSUPP;
	return 0;
}

static void fence_stop(void)
{
}

struct bench_service bench_fence_heavy = {
	.name = "wsq fence",
	.start = fence_start_ipi,
	.stop = fence_stop,
	.only = &bench_fence,
};

struct bench_service bench_fence_started = {
	.name = "wsq fence, started",
	.start = fence_start_ipi,
	.stop = fence_stop,
	.only = &bench_fence,
};

struct bench_service bench_fence_barrier = {
	.name = "barrier for each task",
	.start = fence_start,
	.stop = fence_stop,
	.only = &bench_fence,
};

struct bench_service bench_fence_cas = {
	.name = "compare-and-exchange for each task",
	.start = fence_start,
	.stop = fence_stop,
	.only = &bench_fence,
};

static enum bench_fence_how fence_how(const struct bench_service *s)
{
	if (s == &bench_fence_heavy)
		return FENCE_HEAVY;
	if (s == &bench_fence_started)
		return FENCE_STARTED;
	return s == &bench_fence_barrier ? FENCE_BARRIER : FENCE_CAS;
}

static void fence_figures(const struct bench_fence *f, u64 *sample)
{
	u64 expected;

	sample[3] = div_u64(f->alone * 100, FENCE_ROUNDS * FENCE_SLOTS);
	if (f->how > FENCE_STARTED) {
		sample[0] = BENCH_NO_SAMPLE;
		sample[1] = BENCH_NO_SAMPLE;
		sample[2] = BENCH_NO_SAMPLE;
		return;
	}
	sample[0] = div_u64(f->called * 100, FENCE_NR);
	sample[1] = div_u64(f->waited * 100, FENCE_NR);
	/* Zero if the owner was slower without fences. */
	expected = div_u64(f->alone * f->laps, FENCE_ROUNDS);
	sample[2] = f->spent < expected ? 0 :
		    div_u64((f->spent - expected) * 100, FENCE_NR);
}

static int bench_fence_take(const struct bench_case *c,
			    struct bench_service *s, struct bench_item *items,
			    unsigned int nr, u64 *sample)
{
	struct bench_fence *f = kzalloc(PAGE_ALIGN(sizeof(*f)), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!f)
		return ret;
	f->set = kcalloc(wsq_fence_words(), sizeof(*f->set), GFP_KERNEL);
	if (!f->set)
		goto free;
	f->how = fence_how(s);
	f->cpu = bench_cpus[1];
	f->set[f->cpu / WSQ_FENCE_WORD_BITS] =
		1ULL << f->cpu % WSQ_FENCE_WORD_BITS;
	wsq_fence_call_init(&f->call);
	atomic64_set(&f->owner, 1);
	ret = bench_team_run(2, bench_fence_job, f);
	if (!ret)
		fence_figures(f, sample);
	kfree(f->set);
free:
	kfree(f);
	return ret;
}

static bool bench_fence_fits(const struct bench_case *c,
			     const struct bench_service *s)
{
	return s->only == &bench_fence;
}

const struct bench_kind bench_fence = {
	.parts = {
		{ ", thief", "ns" }, { ", until through", "ns" },
		{ ", victim", "ns" }, { ", operation", "ns" },
	},
	.fits = bench_fence_fits,
	.take = bench_fence_take,
};
