// SPDX-License-Identifier: GPL-2.0
/*
 * The heavy side of core/fence.h in the kernel, how often it has disturbed each
 * CPU, and the parameter that does without it. See wsq_fence.h, and there what
 * it costs.
 *
 * Interrupts are counted by the CPU that has them, in the handler.
 *
 *	FN(heavy:A), FN(heavy:C), FN(heavy:B)
 *		against a light side: store buffering. The barriers are the
 *		caller's own, where the set is empty; where a CPU is
 *		interrupted, the call's release and the handler's acquire do
 *		their work.
 *		litmus/fence-heavy.litmus
 *	FN(start:A), FN(start:B), FN(serve:A), FN(answer:A) -> FN(done:A),
 *	FN(done:B)
 *		The same, for a call that is waited for later. Of each pair of
 *		barrier and release, or acquire, one would do.
 *		litmus/fence-start.litmus
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "export.h"
#include "wsq_fence.h"

/* May CPUs be interrupted at all? Constant after load. */
bool wsq_fence_ipi __ro_after_init = true;
WSQ_EXPORT(wsq_fence_ipi);

static const char *const wsq_fence_modes[] = {
	[false] = "cas",
	[true] = "ipi",
};

/* Written by its CPU's handler only. */
static DEFINE_PER_CPU(u64, wsq_fence_count);

static int wsq_fence_mode_set(const char *val, const struct kernel_param *kp)
{
	int mode = sysfs_match_string(wsq_fence_modes, val);

	if (mode < 0)
		return -EINVAL;
	wsq_fence_ipi = mode;
	return 0;
}

static int wsq_fence_mode_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%s\n",
			 wsq_fence_modes[wsq_fence_ipi]);
}

static const struct kernel_param_ops wsq_fence_mode_ops = {
	.set = wsq_fence_mode_set,
	.get = wsq_fence_mode_get,
};

module_param_cb(fence, &wsq_fence_mode_ops, NULL, 0444);
MODULE_PARM_DESC(fence, "who pays where a thief displaces an owner: ipi, the thief, by interrupting the owner's CPU (default); cas, the owner, by a barrier for each task");
__MODULE_PARM_TYPE(fence, "charp");

static void wsq_fence_serve(void *unused)
{
	u64 *count = this_cpu_ptr(&wsq_fence_count);

	WRITE_ONCE(*count, *count + 1);
	/* The point of the contract in core/fence.h. */
	smp_mb();					/* FN(serve:A) */
}

/**
 * wsq_fence_heavy() - make each CPU of a set execute a full barrier
 * @cpus: the set, a cpumask; nobody changes it until this returns
 * @nr_words: its words
 *
 * Context: task, with interrupts on; spins until the slowest CPU has had its
 * interrupts on. Otherwise as in core/fence.h.
 */
void wsq_fence_heavy(const u64 *cpus, u32 nr_words)
{
	const struct cpumask *mask = to_cpumask((unsigned long *)cpus);

	/* Two that wait for each other with interrupts off never end. */
	lockdep_assert_irqs_enabled();
	WARN_ON_ONCE(!in_task());
	/* A set that is no whole cpumask: rather all CPUs than some too few. */
	if (WARN_ON_ONCE(nr_words < wsq_fence_words()))
		mask = cpu_online_mask;
	/* The caller's half: what precedes is before each handler. */
	smp_mb();					/* FN(heavy:A) */
	if (wsq_fence_ipi) {
		preempt_disable();
		/* FN(heavy:C) */
		smp_call_function_many(mask, wsq_fence_serve, NULL, true);
		preempt_enable();
	}
	/* This CPU's own sections, and where the set was empty. */
	smp_mb();					/* FN(heavy:B) */
}
WSQ_EXPORT(wsq_fence_heavy);

/*
 * The kernel is through with csd before it calls this, so the call may be gone
 * once it is done. This text may not: freeing a module's takes a grace period,
 * and interrupts are off here.
 */
static void wsq_fence_answer(void *info)
{
	struct wsq_fence_call *call = info;

	wsq_fence_serve(NULL);
	/* Pairs with wsq_fence_done(), which may have the call freed. */
	smp_store_release(&call->done, 1);		/* FN(answer:A) */
}

/**
 * wsq_fence_call_init() - prepare a call
 * @call: the call
 *
 * Context: any; before the first wsq_fence_start() of it.
 */
void wsq_fence_call_init(struct wsq_fence_call *call)
{
	INIT_CSD(&call->csd, wsq_fence_answer, call);
	call->done = 1;
}
WSQ_EXPORT(wsq_fence_call_init);

/**
 * wsq_fence_start() - begin to make one CPU execute a full barrier
 * @call: the call, which is not under way
 * @cpu: the CPU
 *
 * A CPU that is offline, the caller's own, and any with fence=cas, are done at
 * once: see wsq_fence.h.
 *
 * Context: any but NMI.
 */
void wsq_fence_start(struct wsq_fence_call *call, unsigned int cpu)
{
	int ret = -ENXIO;

	WARN_ON_ONCE(in_nmi());
	WRITE_ONCE(call->done, 0);
	/* The caller's half: what precedes is before the handler. */
	smp_mb();					/* FN(start:A) */
	preempt_disable();
	if (wsq_fence_ipi && cpu != smp_processor_id())
		/* FN(start:B) */
		ret = smp_call_function_single_async(cpu, &call->csd);
	preempt_enable();
	/* Then the handler of the one that is under way says when. */
	if (WARN_ON_ONCE(ret == -EBUSY))
		return;
	/* Nobody is asked: the caller's own barriers will do. */
	if (ret)
		WRITE_ONCE(call->done, 1);
}
WSQ_EXPORT(wsq_fence_start);

/**
 * wsq_fence_done() - is a call through
 * @call: the call
 *
 * Context: any, by whoever started it or has it from them.
 * Return: true once the CPU has executed its barrier; then what follows is
 * behind it.
 */
bool wsq_fence_done(const struct wsq_fence_call *call)
{
	/* Pairs with wsq_fence_answer(). */
	if (!smp_load_acquire(&call->done))		/* FN(done:A) */
		return false;
	/* The caller's own, as wsq_fence_heavy() has, where nobody was asked. */
	smp_mb();					/* FN(done:B) */
	return true;
}
WSQ_EXPORT(wsq_fence_done);

/**
 * wsq_fence_interrupts() - how often a CPU was interrupted for a fence
 * @cpu: a possible CPU
 *
 * Context: any.
 * Return: that number, since the module was loaded.
 */
u64 wsq_fence_interrupts(unsigned int cpu)
{
	return READ_ONCE(*per_cpu_ptr(&wsq_fence_count, cpu));
}
