// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of operations and results, to see that every path was taken: names,
 * sums, and which counts must not be zero after a run of some length.
 */
#include <linux/kernel.h>
#include <linux/printk.h>

#include "torture.h"

/* When a count of zero is an error, given time. */
enum torture_need {
	NEED_NOT,	/* never: the test does not control it */
	NEED_ALWAYS,
	NEED_AT_END,	/* always; counted when the run is over */
	NEED_CPUS,	/* with two CPUs or more */
	NEED_HOTPLUG,	/* if CPUs are taken offline and online */
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
	[TC_VISIBLE]		= { "groups at rest: the last value was seen", NEED_ALWAYS },
	[TC_CALM]		= { "times that all were at rest", NEED_ALWAYS },
	[TC_OWN_FLUSHED]	= { "own item flushed, then freed", NEED_ALWAYS },
	[TC_OWN_CANCELLED]	= { "own item cancelled, then freed", NEED_ALWAYS },
	[TC_OWN_TOO_LATE]	= { "own item too late to cancel, then freed", NEED_ALWAYS },
	[TC_OWN_FREED_ITSELF]	= { "own item freed by its function", NEED_ALWAYS },
	[TC_OWN_QUEUE_FLUSHED]	= { "own items run when the queue was flushed", NEED_ALWAYS },
	[TC_OWN_DISABLED]	= { "own item disabled, refused, enabled", NEED_ALWAYS },
	[TC_OWN_STACK]		= { "own item on the stack", NEED_ALWAYS },
	[TC_OWN_NESTED]		= { "own items put by an interrupt amid other puts", NEED_ALWAYS },
	[TC_OWN_HEARD]		= { "own item saw stores made while it was pending", NEED_CPUS },
	[TC_OWN_HEARD_ANEW]	= { "own item saw what was stored when it had begun", NEED_CPUS },
	[TC_OWN_UNDONE]		= { "own item cancelled while it ran, and flushed", NEED_CPUS },
	[TC_OWN_FUTILE]		= { "own item refused while it ran, and flushed", NEED_CPUS },
	[TC_OWN_ON_CPU]		= { "own item on the CPU it was queued on", NEED_ALWAYS },
	[TC_OWN_ON_CPU_MOVED]	= { "own item whose CPU went offline", NEED_NOT },
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
	[TC_MULT_PUSHED]	= { "pushed to pools with multiplicity", NEED_ALWAYS },
	[TC_MULT_POPPED]	= { "popped from pools with multiplicity", NEED_ALWAYS },
	[TC_MULT_AGAIN]		= { "... that another CPU had popped", NEED_NOT },
	[TC_MULT_FULL]		= { "refused, the pool with multiplicity being full", NEED_ALWAYS },
	[TC_MULT_SETTLED]	= { "settled in pools with multiplicity", NEED_ALWAYS },
	[TC_MULT_LIFE]		= { "pools with multiplicity destroyed and created", NEED_ALWAYS },
	[TC_SERIAL_QUEUED]	= { "queued to shared serials", NEED_ALWAYS },
	[TC_SERIAL_RAN]		= { "runs of items of shared serials", NEED_ALWAYS },
	[TC_SERIAL_CANCEL]	= { "items of shared serials cancelled", NEED_ALWAYS },
	[TC_SERIAL_CANCEL_SYNC]	= { "items of shared serials cancelled with sync", NEED_ALWAYS },
	[TC_SERIAL_FLUSH]	= { "shared serials flushed", NEED_ALWAYS },
	[TC_SERIAL_LIFE]	= { "own serials freed once idle", NEED_ALWAYS },
	[TC_CALL_SENT]		= { "calls sent, each of which has ended", NEED_AT_END },
	[TC_CALL_MESH]		= { "calls of the graph that grows, each right", NEED_ALWAYS },
	[TC_CALL_GRAPHS]	= { "graphs of calls, freed by their last call", NEED_ALWAYS },
	[TC_CALL_RAN]		= { "runs of calls", NEED_ALWAYS },
	[TC_CALL_VALUE]		= { "calls of graphs that have a value", NEED_ALWAYS },
	[TC_CALL_FAILED]	= { "calls of graphs that failed or were cancelled", NEED_ALWAYS },
	[TC_CALL_CANCEL_TRUE]	= { "calls cancelled, true", NEED_ALWAYS },
	[TC_CALL_CANCEL_FALSE]	= { "calls cancelled, false", NEED_ALWAYS },
	[TC_CALL_TASK]		= { "graphs resolved by some thread", NEED_ALWAYS },
	[TC_CALL_IRQ]		= { "graphs resolved in softirq or hardirq", NEED_ALWAYS },
	[TC_CALL_WAIT]		= { "calls waited for", NEED_ALWAYS },
	[TC_FJ_RUN]		= { "fork-join: runs, each task once", NEED_ALWAYS },
	[TC_FJ_TASKS]		= { "fork-join: tasks", NEED_ALWAYS },
	[TC_FJ_ELSEWHERE]	= { "fork-join: tasks run by helpers", NEED_CPUS },
	[TC_FJ_CANCELLED]	= { "fork-join: runs cancelled", NEED_ALWAYS },
	[TC_FJ_OVERFLOW]	= { "fork-join: runs short of descriptors", NEED_ALWAYS },
	[TC_FJ_BUSY]		= { "fork-join: runs of a busy object", NEED_ALWAYS },
	[TC_FJ_LIFE]		= { "fork-join: objects destroyed after a run", NEED_ALWAYS },
	[TC_HOSTILE_FLOOD]	= { "hostile: rounds that flood", NEED_ALWAYS },
	[TC_HOSTILE_GATHER]	= { "hostile: rounds that wait for the last item", NEED_ALWAYS },
	[TC_HOSTILE_SLEEP]	= { "hostile: rounds that sleep", NEED_ALWAYS },
	[TC_HOSTILE_COMPUTE]	= { "hostile: rounds that compute", NEED_ALWAYS },
	[TC_HOSTILE_PEER]	= { "hostile: rounds that wait for another queue", NEED_ALWAYS },
	[TC_HOSTILE_MUTEX]	= { "hostile: rounds that wait for a mutex", NEED_ALWAYS },
	[TC_HOSTILE_VICTIM]	= { "hostile: ordinary items behind a flood", NEED_ALWAYS },
	[TC_HOSTILE_FUTILE]	= { "hostile: futile puts", NEED_ALWAYS },
	[TC_PROMISE_OPEN]	= { "promise: rounds of open items", NEED_ALWAYS },
	[TC_PROMISE_BOUND]	= { "promise: rounds of bound items", NEED_ALWAYS },
	[TC_PROMISE_NEAR]	= { "promise: rounds of items near a CPU", NEED_ALWAYS },
	[TC_PROMISE_SERIAL]	= { "promise: rounds through a serial", NEED_ALWAYS },
	[TC_PROMISE_DELAYED]	= { "promise: rounds of delayed items", NEED_ALWAYS },
	[TC_PROMISE_WAIT]	= { "promise: rounds waited for", NEED_ALWAYS },
	[TC_PROMISE_FLUSH]	= { "promise: rounds whose queue was flushed", NEED_ALWAYS },
	[TC_PROMISE_FLUSH_WORK]	= { "promise: rounds whose items were flushed", NEED_ALWAYS },
	[TC_PROMISE_CANCEL]	= { "promise: rounds that were cancelled", NEED_ALWAYS },
	[TC_CPU_UP]		= { "CPUs that went online", NEED_HOTPLUG },
	[TC_CPU_DOWN]		= { "CPUs that went offline", NEED_HOTPLUG },
	[TC_NO_MEMORY]		= { "skipped for lack of memory", NEED_NOT },
};

DEFINE_PER_CPU(u64, torture_counts[TC_NR]);
atomic_t torture_errors = ATOMIC_INIT(0);

/**
 * torture_counted() - the value of a count
 * @what: the count
 *
 * Return: the sum over all CPUs, read one after the other.
 */
u64 torture_counted(enum torture_count what)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(torture_counts[what], cpu));
	return sum;
}

/* A path that the run must take, and has not taken yet. */
static bool unseen(enum torture_count what, bool hotplug)
{
	bool must;

	switch (torture_names[what].need) {
	case NEED_NOT:
		return false;
	case NEED_ALWAYS:
	case NEED_AT_END:
		must = true;
		break;
	case NEED_CPUS:
		must = num_possible_cpus() > 1;
		break;
	case NEED_HOTPLUG:
		must = hotplug;
		break;
	}
	return must && !torture_counted(what);
}

/**
 * torture_seen_all() - has every path been taken
 * @hotplug: CPUs go offline and online
 *
 * Return: true if torture_print_counts() would find no error, but for what is
 * counted when the run is over.
 */
bool torture_seen_all(bool hotplug)
{
	unsigned int i;

	for (i = 0; i < TC_NR; i++)
		if (torture_names[i].need != NEED_AT_END && unseen(i, hotplug))
			return false;
	return true;
}

/**
 * torture_print_counts() - print all counts
 * @must_all: a path that was never taken is an error
 * @hotplug: CPUs that never went offline or online are an error, too
 */
void torture_print_counts(bool must_all, bool hotplug)
{
	unsigned int i;

	BUILD_BUG_ON(ARRAY_SIZE(torture_names) != TC_NR);
	for (i = 0; i < TC_NR; i++) {
		pr_info("wsq_torture: count: %s: %llu\n",
			torture_names[i].name, torture_counted(i));
		if (must_all && unseen(i, hotplug))
			torture_err("never seen: %s", torture_names[i].name);
	}
}
