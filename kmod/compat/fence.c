// SPDX-License-Identifier: GPL-2.0
/*
 * The heavy side of core/fence.h in the kernel, the count of interrupts it has
 * sent to each CPU, and the parameter that disables it. wsq_fence.h has the
 * contract and the cost.
 *
 * Each CPU counts its own interrupts, in the handler.
 *
 *	FN(heavy:A), FN(heavy:C), FN(heavy:B)
 *		against a light side: store buffering. If the set is empty, the
 *		barriers are the caller's own. If a CPU is interrupted, the
 *		call's release and the handler's acquire do their work.
 *		litmus/fence-heavy.litmus
 *	FN(start:A), FN(start:B), FN(serve:A), FN(answer:A) -> FN(done:A),
 *	FN(done:B)
 *		As above, for a call that is waited for later. Of each pair of
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
MODULE_PARM_DESC(fence, "which side pays when a thief displaces an owner: ipi: the thief, by interrupting the owner's CPU (default); cas: the owner, by a barrier for each task");
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
 * @cpus: the set, a cpumask; must not change until this returns
 * @nr_words: its words
 *
 * Context: task, with interrupts on. Spins until the slowest CPU has enabled
 * its interrupts. Otherwise as in core/fence.h.
 */
void wsq_fence_heavy(const u64 *cpus, u32 nr_words)
{
	const struct cpumask *mask = to_cpumask((unsigned long *)cpus);

	/* Two callers waiting for each other with interrupts off deadlock. */
	lockdep_assert_irqs_enabled();
	WARN_ON_ONCE(!in_task());
	/* If the set is not a whole cpumask, fence all CPUs. */
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
	/* For this CPU's own sections, and for an empty set. */
	smp_mb();					/* FN(heavy:B) */
}
WSQ_EXPORT(wsq_fence_heavy);

/*
 * The kernel no longer uses csd when it calls this, so the call may be freed
 * once it is done. The code of this function may not: freeing a module's code
 * takes a grace period, and interrupts are off here.
 */
static void wsq_fence_answer(void *info)
{
	struct wsq_fence_call *call = info;

	wsq_fence_serve(NULL);
	/* Pairs with wsq_fence_done(), whose caller may free the call. */
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
 * @call: the call, which is not in progress
 * @cpu: the CPU
 *
 * Completes at once if the CPU is offline or the caller's own, or with
 * fence=cas: see wsq_fence.h.
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
	/* A call in progress: its handler will set done. */
	if (WARN_ON_ONCE(ret == -EBUSY))
		return;
	/* If no CPU is interrupted, the caller's own barriers are enough. */
	if (ret)
		WRITE_ONCE(call->done, 1);
}
WSQ_EXPORT(wsq_fence_start);

/**
 * wsq_fence_done() - has a call completed
 * @call: the call
 *
 * Context: any, by the context that started it or one that was handed it.
 * Return: true once the CPU has executed its barrier; then what follows is
 * behind it.
 */
bool wsq_fence_done(const struct wsq_fence_call *call)
{
	/* Pairs with wsq_fence_answer(). */
	if (!smp_load_acquire(&call->done))		/* FN(done:A) */
		return false;
	/* The caller's barrier, as in wsq_fence_heavy(), without a handler. */
	smp_mb();					/* FN(done:B) */
	return true;
}
WSQ_EXPORT(wsq_fence_done);

/**
 * wsq_fence_interrupts() - number of interrupts of a CPU for fences
 * @cpu: a possible CPU
 *
 * Context: any.
 * Return: the count since the module was loaded.
 */
u64 wsq_fence_interrupts(unsigned int cpu)
{
	return READ_ONCE(*per_cpu_ptr(&wsq_fence_count, cpu));
}
