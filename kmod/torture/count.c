// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of operations and results, to see that every path was taken: names,
 * sums, and which counts must not be zero after a run of some length.
 *
 * Most paths depend on how contexts meet: on the machine, and on chance. Such a
 * path that was not taken is a note. It is an error only if the operations alone
 * make it certain: a thread counts it whatever others do, and does it so often
 * that its absence in a run of full length has a probability below 10^-7.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/printk.h>

#include "torture.h"

/* When a path has to be taken, and whether a count of zero is an error. */
enum torture_need {
	NEED_NOT,	/* the test does not control it */
	NEED_ALWAYS,	/* always; if not, that is a note */
	NEED_CPUS,	/* with two CPUs or more; likewise a note */
	NEED_SURE,	/* always; if not, that is an error */
	NEED_SURE_CPUS,	/* with two CPUs or more; likewise an error */
	NEED_SURE_END,	/* always, and an error; counted when the run is over */
	NEED_HOTPLUG,	/* if CPUs are taken offline and online; an error */
};

static const struct {
	const char *name;
	enum torture_need need;
} torture_names[] = {
	[TC_QUEUE_TRUE]		= { "queue, true", NEED_SURE },
	[TC_QUEUE_FALSE]	= { "queue, false", NEED_ALWAYS },
	[TC_QUEUE_ON]		= { "queue on a CPU", NEED_SURE },
	[TC_QUEUE_NODE]		= { "queue on a node", NEED_SURE },
	[TC_QUEUE_MANY]		= { "queued in batches", NEED_SURE },
	[TC_QUEUE_HARDIRQ]	= { "queued with interrupts off", NEED_SURE },
	[TC_QUEUE_SOFTIRQ]	= { "queued in softirq", NEED_ALWAYS },
	[TC_QUEUE_RUNNING]	= { "queued while it ran", NEED_CPUS },
	[TC_QUEUE_SELF]		= { "queued by its own function", NEED_ALWAYS },
	[TC_QUEUE_NESTED]	= { "queued by another's function", NEED_ALWAYS },
	[TC_DELAYED_TRUE]	= { "queue delayed, true", NEED_SURE },
	[TC_DELAYED_FALSE]	= { "queue delayed, false", NEED_ALWAYS },
	[TC_MOD_TRUE]		= { "mod delayed, true", NEED_ALWAYS },
	[TC_MOD_FALSE]		= { "mod delayed, false", NEED_ALWAYS },
	[TC_RUN]		= { "runs of shared items", NEED_SURE },
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
	[TC_REFUSED]		= { "refused while disabled", NEED_SURE },
	[TC_ENABLED]		= { "enabled", NEED_ALWAYS },
	[TC_FLUSH_WORK_TRUE]	= { "flush work, true", NEED_ALWAYS },
	[TC_FLUSH_WORK_FALSE]	= { "flush work, false", NEED_ALWAYS },
	[TC_FLUSH_DELAYED_TRUE]	= { "flush delayed, true", NEED_ALWAYS },
	[TC_FLUSH_DELAYED_FALSE] = { "flush delayed, false", NEED_ALWAYS },
	[TC_QUIET]		= { "groups at rest: what was queued has run", NEED_SURE },
	[TC_VISIBLE]		= { "groups at rest: the last value was seen", NEED_SURE },
	[TC_CALM]		= { "times that all were at rest", NEED_ALWAYS },
	[TC_OWN_FLUSHED]	= { "own item flushed, then freed", NEED_SURE },
	[TC_OWN_CANCELLED]	= { "own item cancelled, then freed", NEED_ALWAYS },
	[TC_OWN_TOO_LATE]	= { "own item too late to cancel, then freed", NEED_ALWAYS },
	[TC_OWN_FREED_ITSELF]	= { "own item freed by its function", NEED_SURE },
	[TC_OWN_QUEUE_FLUSHED]	= { "own items run when the queue was flushed", NEED_SURE },
	[TC_OWN_DISABLED]	= { "own item disabled, refused, enabled", NEED_SURE },
	[TC_OWN_STACK]		= { "own item on the stack", NEED_SURE },
	[TC_OWN_NESTED]		= { "own items put by an interrupt amid other puts", NEED_SURE },
	[TC_OWN_HEARD]		= { "own item saw stores made while it was pending", NEED_CPUS },
	[TC_OWN_HEARD_ANEW]	= { "own item saw what was stored when it had begun", NEED_CPUS },
	[TC_OWN_UNDONE]		= { "own item cancelled while it ran, and flushed", NEED_CPUS },
	[TC_OWN_FUTILE]		= { "own item refused while it ran, and flushed", NEED_CPUS },
	[TC_OWN_ON_CPU]		= { "own item on the CPU it was queued on", NEED_ALWAYS },
	[TC_OWN_ON_CPU_MOVED]	= { "own item whose CPU went offline", NEED_NOT },
	[TC_OWN_TIMER]		= { "own timer ran out, in time", NEED_SURE },
	[TC_OWN_TIMER_MODIFIED]	= { "own timer set anew", NEED_ALWAYS },
	[TC_OWN_TIMER_CANCELLED] = { "own timer cancelled", NEED_SURE },
	[TC_JOB]		= { "jobs, each index once", NEED_SURE },
	[TC_JOB_PIECES]		= { "pieces of jobs", NEED_SURE },
	[TC_FLUSH]		= { "flush of a queue", NEED_SURE },
	[TC_DRAIN]		= { "drain of a queue", NEED_ALWAYS },
	[TC_CREATE]		= { "queues created", NEED_SURE },
	[TC_DESTROY]		= { "queues destroyed", NEED_SURE },
	[TC_CPUMASK]		= { "cpumasks set", NEED_SURE_CPUS },
	[TC_QUARANTINE]		= { "freed items found untouched", NEED_SURE },
	[TC_POOL_PUSHED]	= { "pushed to pools", NEED_SURE },
	[TC_POOL_POPPED]	= { "popped from pools", NEED_SURE },
	[TC_POOL_INLINE]	= { "done inline, the pool being full", NEED_ALWAYS },
	[TC_POOL_FULL]		= { "refused, the pool being full", NEED_ALWAYS },
	[TC_MULT_PUSHED]	= { "pushed to pools with multiplicity", NEED_SURE },
	[TC_MULT_POPPED]	= { "popped from pools with multiplicity", NEED_SURE },
	[TC_MULT_AGAIN]		= { "... that another CPU had popped", NEED_NOT },
	[TC_MULT_FULL]		= { "refused, the pool with multiplicity being full", NEED_ALWAYS },
	[TC_MULT_INLINE]	= { "done inline, that pool being full", NEED_ALWAYS },
	[TC_MULT_SETTLED]	= { "settled in pools with multiplicity", NEED_ALWAYS },
	[TC_MULT_LIFE]		= { "pools with multiplicity destroyed and created", NEED_ALWAYS },
	[TC_SERIAL_QUEUED]	= { "queued to shared serials", NEED_SURE },
	[TC_SERIAL_RAN]		= { "runs of items of shared serials", NEED_SURE },
	[TC_SERIAL_CANCEL]	= { "items of shared serials cancelled", NEED_ALWAYS },
	[TC_SERIAL_CANCEL_SYNC]	= { "items of shared serials cancelled with sync", NEED_ALWAYS },
	[TC_SERIAL_MANY]	= { "queued to shared serials in batches", NEED_SURE },
	[TC_SERIAL_DISABLE]	= { "items of shared serials disabled and enabled", NEED_ALWAYS },
	[TC_SERIAL_DELAYED]	= { "queued to shared serials after a delay", NEED_SURE },
	[TC_SERIAL_CANCEL_DELAYED]	= { "... cancelled", NEED_ALWAYS },
	[TC_SERIAL_FLUSH]	= { "shared serials flushed", NEED_ALWAYS },
	[TC_SERIAL_LIFE]	= { "own serials freed once idle", NEED_SURE },
	[TC_CALL_SENT]		= { "calls sent, each of which has ended", NEED_SURE_END },
	[TC_CALL_MESH]		= { "calls of the graph that grows, each right", NEED_ALWAYS },
	[TC_CALL_GRAPHS]	= { "graphs of calls, freed by their last call", NEED_SURE },
	[TC_CALL_RAN]		= { "runs of calls", NEED_SURE },
	[TC_CALL_VALUE]		= { "calls of graphs that have a value", NEED_ALWAYS },
	[TC_CALL_FAILED]	= { "calls of graphs that failed or were cancelled", NEED_ALWAYS },
	[TC_CALL_CANCEL_TRUE]	= { "calls cancelled, true", NEED_ALWAYS },
	[TC_CALL_CANCEL_FALSE]	= { "calls cancelled, false", NEED_ALWAYS },
	[TC_CALL_TASK]		= { "graphs resolved by some thread", NEED_ALWAYS },
	[TC_CALL_IRQ]		= { "graphs resolved in softirq or hardirq", NEED_ALWAYS },
	[TC_CALL_WAIT]		= { "calls waited for", NEED_SURE },
	[TC_FJ_RUN]		= { "fork-join: runs, each task once", NEED_SURE },
	[TC_FJ_TASKS]		= { "fork-join: tasks", NEED_SURE },
	[TC_FJ_ELSEWHERE]	= { "fork-join: tasks run by helpers", NEED_CPUS },
	[TC_FJ_CANCELLED]	= { "fork-join: runs cancelled", NEED_ALWAYS },
	[TC_FJ_OVERFLOW]	= { "fork-join: runs short of descriptors", NEED_ALWAYS },
	[TC_FJ_BUSY]		= { "fork-join: runs of a busy object", NEED_ALWAYS },
	[TC_FJ_LIFE]		= { "fork-join: objects destroyed after a run", NEED_SURE },
	[TC_HOSTILE_FLOOD]	= { "hostile: rounds that flood", NEED_SURE },
	[TC_HOSTILE_GATHER]	= { "hostile: rounds that wait for the last item", NEED_SURE },
	[TC_HOSTILE_SLEEP]	= { "hostile: rounds that sleep", NEED_SURE },
	[TC_HOSTILE_COMPUTE]	= { "hostile: rounds that compute", NEED_SURE },
	[TC_HOSTILE_PEER]	= { "hostile: rounds that wait for another queue", NEED_SURE },
	[TC_HOSTILE_MUTEX]	= { "hostile: rounds that wait for a mutex", NEED_SURE },
	[TC_HOSTILE_VICTIM]	= { "hostile: ordinary items behind a flood", NEED_SURE },
	[TC_HOSTILE_FUTILE]	= { "hostile: futile puts", NEED_ALWAYS },
	[TC_PROMISE_OPEN]	= { "promise: rounds of open items", NEED_SURE },
	[TC_PROMISE_BOUND]	= { "promise: rounds of bound items", NEED_SURE },
	[TC_PROMISE_NEAR]	= { "promise: rounds of items near a CPU", NEED_SURE },
	[TC_PROMISE_SERIAL]	= { "promise: rounds through a serial", NEED_SURE },
	[TC_PROMISE_DELAYED]	= { "promise: rounds of delayed items", NEED_SURE },
	[TC_PROMISE_WAIT]	= { "promise: rounds waited for", NEED_SURE },
	[TC_PROMISE_FLUSH]	= { "promise: rounds whose queue was flushed", NEED_SURE },
	[TC_PROMISE_FLUSH_WORK]	= { "promise: rounds whose items were flushed", NEED_SURE },
	[TC_PROMISE_CANCEL]	= { "promise: rounds that were cancelled", NEED_SURE },
	[TC_CPU_UP]		= { "CPUs that went online", NEED_HOTPLUG },
	[TC_CPU_DOWN]		= { "CPUs that went offline", NEED_HOTPLUG },
	[TC_GOES]		= { "items waited for as a CPU goes offline", NEED_HOTPLUG },
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
	case NEED_SURE:
	case NEED_SURE_END:
		must = true;
		break;
	case NEED_CPUS:
	case NEED_SURE_CPUS:
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
 * Return: true if torture_print_counts() would miss no path, but for what is
 * counted when the run is over.
 */
bool torture_seen_all(bool hotplug)
{
	unsigned int i;

	for (i = 0; i < TC_NR; i++)
		if (torture_names[i].need != NEED_SURE_END && unseen(i, hotplug))
			return false;
	return true;
}

/* Is it an error if the path was not taken? Without memory none is certain. */
static bool sure(enum torture_count what)
{
	enum torture_need need = torture_names[what].need;

	if (need == NEED_HOTPLUG)
		return true;
	return need >= NEED_SURE && !torture_counted(TC_NO_MEMORY);
}

static const char *const torture_wait_names[TORTURE_WAITS] = {
	[TORTURE_WAIT_ITEM]	= "a shared item pending, without a run",
	[TORTURE_WAIT_THREAD]	= "a thread in one operation",
	[TORTURE_WAIT_RIVAL]	= "a round of the two sets, without a function",
	[TORTURE_WAIT_BOUND]	= "a bound item of the promise set, of its CPU",
	[TORTURE_WAIT_CALM]	= "all items, while all threads paused",
};

/* Longest waits, in beats. */
static atomic_long_t torture_longest[TORTURE_WAITS];

/**
 * torture_waited() - note the end of a wait
 * @what: the wait
 * @beats: its length, by torture_clock() or torture_beats()
 */
void torture_waited(enum torture_wait what, unsigned long beats)
{
	long longest = atomic_long_read(&torture_longest[what]);

	while (longest < (long)beats &&
	       !atomic_long_try_cmpxchg(&torture_longest[what], &longest,
					(long)beats))
		;
}

/**
 * torture_print_counts() - print all counts
 * @must_all: the run was long enough for every path
 * @hotplug: CPUs had to go offline and online, too
 */
void torture_print_counts(bool must_all, bool hotplug)
{
	unsigned int i;

	BUILD_BUG_ON(ARRAY_SIZE(torture_names) != TC_NR);
	for (i = 0; i < TC_NR; i++) {
		pr_info("wsq_torture: count: %s: %llu\n",
			torture_names[i].name, torture_counted(i));
		if (!must_all || !unseen(i, hotplug))
			continue;
		if (sure(i))
			torture_err("never seen: %s", torture_names[i].name);
		else
			pr_info("wsq_torture: note: never seen: %s\n",
				torture_names[i].name);
	}
	for (i = 0; i < TORTURE_WAITS; i++)
		pr_info("wsq_torture: longest wait: %s: %ld beats\n",
			torture_wait_names[i],
			atomic_long_read(&torture_longest[i]));
}
