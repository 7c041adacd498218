/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wsq: attributes of queues and pools. <linux/wsq.h> and <linux/wsq_pool.h>
 * include this file.
 */
#ifndef _LINUX_WSQ_ATTRS_H
#define _LINUX_WSQ_ATTRS_H

#include <linux/bits.h>
#include <linux/types.h>

struct cpumask;

/**
 * enum wsq_attr_flags - flags of a queue or pool
 * @WSQ_MEM_RECLAIM: memory reclaim may wait for items of this queue. The queue
 *	has a rescuer thread, created in advance. It runs items when a CPU's
 *	worker sleeps and there is no memory to create a standby worker
 * @WSQ_RESIDENT: allocate all memory of the containers at creation, and keep
 *	it. Otherwise a CPU's blocks exist only while the queue is busy on that
 *	CPU
 * @WSQ_SYSFS: the queue has a directory /sys/class/wsq/NAME, where root may
 *	change its cpumask and how its CPUs steal. NAME must be a valid
 *	directory name, and unique among these queues. wsq_destroy() waits for
 *	writers of these files, and so for CPU hotplug
 * @WSQ_ORDERED: the queue runs its items one at a time, in the order in which
 *	they were queued. Only with the defaults of @engine, @blocks,
 *	@block_size, @max_blocks and @max_active, and without %WSQ_RESIDENT
 *	(Documentation/queues.rst)
 * @WSQ_FREEZABLE: while the system is suspended or hibernated, no item of the
 *	queue begins. Suspending waits for those that run. Queued items stay
 *	(Documentation/queues.rst)
 * @WSQ_HAND_OVER: for pools only: some CPUs push, others pop
 * @WSQ_AT_LEAST_ONCE: for pools only: a pointer may be popped by several CPUs,
 *	each once (%WSQ_WS_MULT)
 */
enum wsq_attr_flags {
	WSQ_MEM_RECLAIM	= 1U << 0,
	WSQ_RESIDENT	= 1U << 1,
	WSQ_SYSFS	= 1U << 2,
	WSQ_HAND_OVER	= 1U << 3,
	WSQ_AT_LEAST_ONCE = 1U << 4,
	WSQ_ORDERED	= 1U << 5,
	WSQ_FREEZABLE	= 1U << 6,
};

/**
 * enum wsq_engine_type - the algorithm that stores tasks
 * @WSQ_DEFAULT_ENGINE: %WSQ_WS_MULT for a pool with %WSQ_AT_LEAST_ONCE,
 *	%WSQ_SALSA for one with %WSQ_HAND_OVER, otherwise %WSQ_BWOS_FIFO
 * @WSQ_BWOS_FIFO: FIFO blocks, from which thieves take single tasks. For tasks
 *	that mostly run on the CPU that put them
 * @WSQ_SALSA: chunks, which are stolen as a whole. For tasks that some CPUs put
 *	and others take. In a pool, a put goes to the nearest CPU that keeps up,
 *	and a pop may interrupt a CPU that does not
 * @WSQ_BWOS_LIFO: blocks, as in %WSQ_BWOS_FIFO. A CPU takes its newest task,
 *	thieves take the oldest. For work that spawns work. In a queue, one in
 *	64 items that a CPU takes is its oldest, so that no item starves
 * @WSQ_WS_MULT: FIFO blocks, from which other CPUs can take each task at once,
 *	without a read-modify-write or a fence on either side. Two CPUs that take
 *	at the same moment may get the same task. For pools only, with
 *	%WSQ_AT_LEAST_ONCE (Documentation/multiplicity.rst)
 */
enum wsq_engine_type {
	WSQ_DEFAULT_ENGINE,
	WSQ_BWOS_FIFO,
	WSQ_SALSA,
	WSQ_BWOS_LIFO,
	WSQ_WS_MULT,
};

/**
 * enum wsq_multiplicity - which CPUs may get the same task, with %WSQ_WS_MULT
 * @WSQ_MULTIPLICITY_WEAK: any, each at most once
 * @WSQ_MULTIPLICITY_BOUNDED: two; if the CPU that pushed it had space for it, that
 *	CPU and one other. A pop by another CPU has one read-modify-write
 * @WSQ_MULTIPLICITY_EXACT: one. Each pop has one read-modify-write
 */
enum wsq_multiplicity {
	WSQ_MULTIPLICITY_WEAK,
	WSQ_MULTIPLICITY_BOUNDED,
	WSQ_MULTIPLICITY_EXACT,
};

/**
 * enum wsq_overflow - what a push does with a task if the pool is full
 * @WSQ_OVERFLOW_FAIL: return %-EAGAIN
 * @WSQ_OVERFLOW_NEIGHBOUR: put the task in the inbox of the nearest other CPU
 *	of the pool whose inbox is not full; %-EAGAIN if all are. An inbox holds
 *	up to 64 tasks that its CPU has not taken in yet. A %WSQ_SALSA pool
 *	tries the nearest CPUs first in any case
 * @WSQ_OVERFLOW_INLINE: call @overflow_fn of struct wsq_attrs
 * @WSQ_OVERFLOW_WAIT: sleep until there is space or the thread is killed. From
 *	task context only
 *
 * For pools only. A queue is never full, because each work item has a link of
 * its own.
 */
enum wsq_overflow {
	WSQ_OVERFLOW_FAIL,
	WSQ_OVERFLOW_NEIGHBOUR,
	WSQ_OVERFLOW_INLINE,
	WSQ_OVERFLOW_WAIT,
};

/**
 * typedef wsq_overflow_fn_t - called by a push if the pool is full
 * @task: the task; it is not in the pool
 * @arg: @overflow_arg of struct wsq_attrs
 *
 * Context: that of the push. If the function pushes to the same pool, it may be
 * called recursively.
 */
typedef void (*wsq_overflow_fn_t)(void *task, void *arg);

/**
 * enum wsq_steal_policy - how a CPU that has run out of tasks picks a victim
 * @WSQ_STEAL_DEFAULT: %WSQ_STEAL_NUMA_PROB
 * @WSQ_STEAL_RANDOM: a random CPU
 * @WSQ_STEAL_SEQUENTIAL: the CPU after the one tried last
 * @WSQ_STEAL_NUMA: the nearest CPU that has tasks
 * @WSQ_STEAL_PROB: a random CPU, accepted with probability (stealable tasks /
 *	capacity), estimated from one random block of that CPU
 * @WSQ_STEAL_RANDOMIZED: as %WSQ_STEAL_PROB, but steal from the sampled block
 * @WSQ_STEAL_NUMA_PROB: as %WSQ_STEAL_PROB, among the nearest CPUs first
 *
 * A thief makes few such tries. Then, or at once with %WSQ_STEAL_NUMA, it looks
 * at all other CPUs, nearest first. So with every policy it finds a single task
 * anywhere.
 */
enum wsq_steal_policy {
	WSQ_STEAL_DEFAULT,
	WSQ_STEAL_RANDOM,
	WSQ_STEAL_SEQUENTIAL,
	WSQ_STEAL_NUMA,
	WSQ_STEAL_PROB,
	WSQ_STEAL_RANDOMIZED,
	WSQ_STEAL_NUMA_PROB,
};

/**
 * enum wsq_steal_batch - maximum number of tasks in one steal
 * @WSQ_BATCH_DEFAULT: %WSQ_BATCH_FEW from a queue, %WSQ_BATCH_ONE from a pool
 * @WSQ_BATCH_ONE: one
 * @WSQ_BATCH_FEW: 16, or half a block if less
 * @WSQ_BATCH_HALF: half a block
 * @WSQ_BATCH_BLOCK: a block
 *
 * In a pool, tasks stolen beyond those that the pop asked for go to the thief's
 * container, if it has space. %WSQ_SALSA steals whole chunks.
 */
enum wsq_steal_batch {
	WSQ_BATCH_DEFAULT,
	WSQ_BATCH_ONE,
	WSQ_BATCH_FEW,
	WSQ_BATCH_HALF,
	WSQ_BATCH_BLOCK,
};

/**
 * enum wsq_class_nr - which workers run the items of a queue
 * @WSQ_CLASS_NORMAL: workers of nice 0
 * @WSQ_CLASS_HIGH: workers of nice -20, as with WQ_HIGHPRI. Where both classes
 *	have items, those of this class run first, but leave some of the CPU to
 *	the others (Documentation/classes.rst)
 */
enum wsq_class_nr {
	WSQ_CLASS_NORMAL,
	WSQ_CLASS_HIGH,
};

/**
 * struct wsq_attrs - attributes of a pool or queue; zero means default
 * @blocks: blocks in each CPU's container, 2 to 64; default 8
 * @block_size: tasks in a block, 2 to 4096; default 256. The rest of the block
 *	that a CPU works in cannot be stolen from a pool, and is expensive to
 *	steal from a queue. So small blocks spread work better; large blocks
 *	cost less. With %WSQ_BWOS_LIFO a thief asks for tasks that it cannot
 *	reach, and the CPU publishes them at its next put or take
 * @flags: enum wsq_attr_flags; pools ignore all but %WSQ_HAND_OVER and
 *	%WSQ_AT_LEAST_ONCE
 * @engine: enum wsq_engine_type. With %WSQ_SALSA, @blocks is the number of
 *	chunks that each CPU starts with, 2 to 64, default 8, and @block_size
 *	the number of tasks in a chunk, default 1024. With %WSQ_WS_MULT both are
 *	powers of two, and @max_blocks is @blocks
 * @max_blocks: blocks, or chunks, to which a CPU's container may grow when it
 *	is short of them, @blocks to 64; 0 means @blocks: it does not grow. A
 *	pool keeps the added blocks; a queue frees them with the others
 * @steal_policy: enum wsq_steal_policy
 * @steal_batch: enum wsq_steal_batch
 * @max_active: items of a queue that may have started but not ended on one CPU,
 *	1 to 65536; default 1024. More than one item at a time has started only
 *	if items sleep, or compute for more than 10 ms while another queue
 *	waits. A queue that reaches the limit on a CPU waits there until one of
 *	these items ends. For queues only
 * @cpumask: CPUs that have a container and, for queues, a worker; %NULL means
 *	all CPUs that are not isolated (module parameter cpumask). Copied. Other
 *	CPUs may put too; their tasks go to the nearest CPU in the mask
 * @overflow: enum wsq_overflow; for pools only
 * @overflow_fn: the function for %WSQ_OVERFLOW_INLINE; otherwise %NULL
 * @overflow_arg: passed to @overflow_fn
 * @multiplicity: enum wsq_multiplicity; for %WSQ_WS_MULT only
 * @class: enum wsq_class_nr; for queues only
 */
struct wsq_attrs {
	u32 blocks;
	u32 block_size;
	u32 flags;
	u32 engine;
	u32 max_blocks;
	u32 steal_policy;
	u32 steal_batch;
	u32 max_active;
	const struct cpumask *cpumask;
	u32 overflow;
	wsq_overflow_fn_t overflow_fn;
	void *overflow_arg;
	u32 multiplicity;
	u32 class;
};

#define WSQ_DEF_BLOCKS		8
#define WSQ_DEF_BLOCK_SIZE	256

#endif /* _LINUX_WSQ_ATTRS_H */
