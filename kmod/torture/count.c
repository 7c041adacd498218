// SPDX-License-Identifier: GPL-2.0
/*
 * What was done and what came of it, so that one sees that every path was hit:
 * names, sums, and which of them may not be zero after a run of some length.
 */
#include <linux/kernel.h>
#include <linux/printk.h>

#include "torture.h"

/* When a count of zero is an error, given time. */
enum torture_need {
	NEED_NOT,	/* never: luck, or another's doing */
	NEED_ALWAYS,
	NEED_CPUS,	/* with two CPUs or more */
	NEED_HOTPLUG,	/* if CPUs are taken off and on */
};

static const struct {
	const char *name;
	enum torture_need need;
} torture_names[] = {
	[TC_QUEUE_TRUE]		= { "queue, true", NEED_ALWAYS },
	[TC_QUEUE_FALSE]	= { "queue, false", NEED_ALWAYS },
	[TC_QUEUE_ON]		= { "queue on a CPU", NEED_ALWAYS },
	[TC_QUEUE_NODE]		= { "queue on a node", NEED_ALWAYS },
	[TC_QUEUE_MANY]		= { "queued in batches", NEED_ALWAYS },
	[TC_QUEUE_HARDIRQ]	= { "queued with interrupts off", NEED_ALWAYS },
	[TC_QUEUE_SOFTIRQ]	= { "queued in softirq", NEED_ALWAYS },
	[TC_QUEUE_RUNNING]	= { "queued while it ran", NEED_CPUS },
	[TC_QUEUE_SELF]		= { "queued by its own function", NEED_ALWAYS },
	[TC_QUEUE_NESTED]	= { "queued by another's function", NEED_ALWAYS },
	[TC_DELAYED_TRUE]	= { "queue delayed, true", NEED_ALWAYS },
	[TC_DELAYED_FALSE]	= { "queue delayed, false", NEED_ALWAYS },
	[TC_MOD_TRUE]		= { "mod delayed, true", NEED_ALWAYS },
	[TC_MOD_FALSE]		= { "mod delayed, false", NEED_ALWAYS },
	[TC_RUN]		= { "runs of shared items", NEED_ALWAYS },
	[TC_RUN_ELSEWHERE]	= { "runs on another CPU than queued on", NEED_CPUS },
	[TC_RUN_SLEPT]		= { "runs that slept", NEED_ALWAYS },
	[TC_RUN_COMPUTED]	= { "runs that computed", NEED_ALWAYS },
	[TC_CANCEL_TRUE]	= { "cancel, true", NEED_ALWAYS },
	[TC_CANCEL_FALSE]	= { "cancel, false", NEED_ALWAYS },
	[TC_CANCEL_IRQ]		= { "cancel in softirq or with interrupts off", NEED_ALWAYS },
	[TC_CANCEL_SYNC_TRUE]	= { "cancel sync, true", NEED_ALWAYS },
	[TC_CANCEL_SYNC_FALSE]	= { "cancel sync, false", NEED_ALWAYS },
	[TC_CANCEL_SYNC_RUNNING] = { "cancel sync while it ran", NEED_CPUS },
	[TC_DISABLE_TRUE]	= { "disable, true", NEED_ALWAYS },
	[TC_DISABLE_FALSE]	= { "disable, false", NEED_ALWAYS },
	[TC_DISABLE_RUNNING]	= { "disable while it ran", NEED_CPUS },
	[TC_REFUSED]		= { "refused while disabled", NEED_ALWAYS },
	[TC_ENABLED]		= { "enabled", NEED_ALWAYS },
	[TC_FLUSH_WORK_TRUE]	= { "flush work, true", NEED_ALWAYS },
	[TC_FLUSH_WORK_FALSE]	= { "flush work, false", NEED_ALWAYS },
	[TC_FLUSH_DELAYED_TRUE]	= { "flush delayed, true", NEED_ALWAYS },
	[TC_FLUSH_DELAYED_FALSE] = { "flush delayed, false", NEED_ALWAYS },
	[TC_QUIET]		= { "groups at rest: what was queued has run", NEED_ALWAYS },
	[TC_VISIBLE]		= { "groups at rest: the last word was heard", NEED_ALWAYS },
	[TC_CALM]		= { "times that all came to rest", NEED_ALWAYS },
	[TC_OWN_FLUSHED]	= { "own item flushed, then freed", NEED_ALWAYS },
	[TC_OWN_CANCELLED]	= { "own item cancelled, then freed", NEED_ALWAYS },
	[TC_OWN_TOO_LATE]	= { "own item too late to cancel, then freed", NEED_ALWAYS },
	[TC_OWN_FREED_ITSELF]	= { "own item freed by its function", NEED_ALWAYS },
	[TC_OWN_QUEUE_FLUSHED]	= { "own items run when the queue was flushed", NEED_ALWAYS },
	[TC_OWN_DISABLED]	= { "own item disabled, refused, enabled", NEED_ALWAYS },
	[TC_OWN_STACK]		= { "own item on the stack", NEED_ALWAYS },
	[TC_OWN_NESTED]		= { "own items put by an interrupt amid other puts", NEED_ALWAYS },
	[TC_OWN_HEARD]		= { "own item heard what came while it was pending", NEED_CPUS },
	[TC_OWN_HEARD_ANEW]	= { "own item heard what came when it had begun", NEED_CPUS },
	[TC_OWN_UNDONE]		= { "own item cancelled while it ran, and flushed", NEED_CPUS },
	[TC_OWN_VAIN]		= { "own item put in vain while it ran, and flushed", NEED_CPUS },
	[TC_OWN_ON_CPU]		= { "own item on the CPU it was queued on", NEED_ALWAYS },
	[TC_OWN_ON_CPU_MOVED]	= { "own item whose CPU went meanwhile", NEED_NOT },
	[TC_OWN_TIMER]		= { "own timer ran out, in time", NEED_ALWAYS },
	[TC_OWN_TIMER_MODIFIED]	= { "own timer set anew", NEED_ALWAYS },
	[TC_OWN_TIMER_CANCELLED] = { "own timer cancelled", NEED_ALWAYS },
	[TC_JOB]		= { "jobs, each index once", NEED_ALWAYS },
	[TC_JOB_PIECES]		= { "pieces of jobs", NEED_ALWAYS },
	[TC_FLUSH]		= { "flush of a queue", NEED_ALWAYS },
	[TC_DRAIN]		= { "drain of a queue", NEED_ALWAYS },
	[TC_CREATE]		= { "queues created", NEED_ALWAYS },
	[TC_DESTROY]		= { "queues destroyed", NEED_ALWAYS },
	[TC_CPUMASK]		= { "cpumasks set", NEED_CPUS },
	[TC_QUARANTINE]		= { "freed items found untouched", NEED_ALWAYS },
	[TC_POOL_PUSHED]	= { "pushed to pools", NEED_ALWAYS },
	[TC_POOL_POPPED]	= { "popped from pools", NEED_ALWAYS },
	[TC_POOL_INLINE]	= { "done inline, the pool being full", NEED_ALWAYS },
	[TC_POOL_FULL]		= { "refused, the pool being full", NEED_ALWAYS },
	[TC_SERIAL_QUEUED]	= { "queued to shared serials", NEED_ALWAYS },
	[TC_SERIAL_RAN]		= { "runs of items of shared serials", NEED_ALWAYS },
	[TC_SERIAL_CANCEL]	= { "items of shared serials cancelled", NEED_ALWAYS },
	[TC_SERIAL_CANCEL_SYNC]	= { "items of shared serials cancelled with sync", NEED_ALWAYS },
	[TC_SERIAL_FLUSH]	= { "shared serials flushed", NEED_ALWAYS },
	[TC_SERIAL_LIFE]	= { "own serials freed once idle", NEED_ALWAYS },
	[TC_HOSTILE_FLOOD]	= { "hostile: rounds that flood", NEED_ALWAYS },
	[TC_HOSTILE_GATHER]	= { "hostile: rounds that wait for the last item", NEED_ALWAYS },
	[TC_HOSTILE_SLEEP]	= { "hostile: rounds that sleep", NEED_ALWAYS },
	[TC_HOSTILE_COMPUTE]	= { "hostile: rounds that compute", NEED_ALWAYS },
	[TC_HOSTILE_PEER]	= { "hostile: rounds that wait for another queue", NEED_ALWAYS },
	[TC_HOSTILE_MUTEX]	= { "hostile: rounds that wait for a mutex", NEED_ALWAYS },
	[TC_HOSTILE_VICTIM]	= { "hostile: ordinary items behind a flood", NEED_ALWAYS },
	[TC_HOSTILE_VAIN]	= { "hostile: vain puts", NEED_ALWAYS },
	[TC_PROMISE_OPEN]	= { "promise: rounds of open items", NEED_ALWAYS },
	[TC_PROMISE_BOUND]	= { "promise: rounds of bound items", NEED_ALWAYS },
	[TC_PROMISE_NEAR]	= { "promise: rounds of items near a CPU", NEED_ALWAYS },
	[TC_PROMISE_SERIAL]	= { "promise: rounds through a serial", NEED_ALWAYS },
	[TC_PROMISE_DELAYED]	= { "promise: rounds of delayed items", NEED_ALWAYS },
	[TC_PROMISE_WAIT]	= { "promise: rounds waited for", NEED_ALWAYS },
	[TC_PROMISE_FLUSH]	= { "promise: rounds whose queue was flushed", NEED_ALWAYS },
	[TC_PROMISE_FLUSH_WORK]	= { "promise: rounds whose items were flushed", NEED_ALWAYS },
	[TC_PROMISE_CANCEL]	= { "promise: rounds that were cancelled", NEED_ALWAYS },
	[TC_CPU_UP]		= { "CPUs come", NEED_HOTPLUG },
	[TC_CPU_DOWN]		= { "CPUs gone", NEED_HOTPLUG },
	[TC_NO_MEMORY]		= { "skipped for want of memory", NEED_NOT },
};

DEFINE_PER_CPU(u64, torture_counts[TC_NR]);
atomic_t torture_errors = ATOMIC_INIT(0);

/**
 * torture_counted() - how often
 * @what: what
 *
 * Return: the sum over all CPUs, as of some moment.
 */
u64 torture_counted(enum torture_count what)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(torture_counts[what], cpu));
	return sum;
}

/**
 * torture_print_counts() - tell all counts
 * @must_all: a path that was never taken is an error
 * @hotplug: so are CPUs that never went nor came
 */
void torture_print_counts(bool must_all, bool hotplug)
{
	unsigned int i;

	BUILD_BUG_ON(ARRAY_SIZE(torture_names) != TC_NR);
	for (i = 0; i < TC_NR; i++) {
		enum torture_need need = torture_names[i].need;
		u64 n = torture_counted(i);

		pr_info("wsq_torture: count: %s: %llu\n",
			torture_names[i].name, n);
		if (!n && must_all &&
		    (need == NEED_ALWAYS ||
		     (need == NEED_CPUS && num_possible_cpus() > 1) ||
		     (need == NEED_HOTPLUG && hotplug)))
			torture_err("never seen: %s", torture_names[i].name);
	}
}
