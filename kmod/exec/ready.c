// SPDX-License-Identifier: GPL-2.0
/*
 * Ready bits. The argument is in exec.h.
 */
#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "../compat/export.h"
#include "exec.h"

struct wsq_cpu **wsq_cpus;
WSQ_EXPORT_KUNIT(wsq_cpus);

static inline unsigned int wsq_leaf_word(u32 id)
{
	return id / 64;
}

static bool wsq_leaf_empty(const struct wsq_cpu *c, unsigned int word)
{
	return find_next_bit(c->leaf, (word + 1) * 64, word * 64) >=
	       (word + 1) * 64;
}

/* Summary bits are few and on 32-bit machines do not fit: two words share. */
static inline unsigned int wsq_summary_bit(unsigned int word)
{
	return word % BITS_PER_LONG;
}

static bool wsq_summary_empty(const struct wsq_cpu *c, unsigned int word)
{
	unsigned int w;

	for (w = wsq_summary_bit(word); w < WSQ_LEAF_WORDS; w += BITS_PER_LONG)
		if (!wsq_leaf_empty(c, w))
			return false;
	return true;
}

/*
 * Something is in @word, and the worker shall know. One that is awake may be in
 * a long item. Preemption is off.
 */
static void wsq_summary_mark(struct wsq_cpu *c, unsigned int word)
{
	/* RD(summary:A) */
	test_and_set_bit(wsq_summary_bit(word), &c->summary);
	if (unlikely(!READ_ONCE(c->worker)))
		wsq_wake_all(NULL, c);
	else if (!wsq_parked(&c->park) || !wsq_wake_cpu(c))
		wsq_watch_start(c);
}

/*
 * Clear the summary bit of a word that has become empty. Anybody may, with
 * preemption off. A worker that finds the bit clear in between may park, so
 * setting it again has to wake as a put does.
 */
static void wsq_summary_tidy(struct wsq_cpu *c, unsigned int word)
{
	if (!wsq_summary_empty(c, word))
		return;
	clear_bit(wsq_summary_bit(word), &c->summary);	/* RD(tidy:A) */
	smp_mb__after_atomic();				/* RD(tidy:B) */
	if (!wsq_summary_empty(c, word))
		wsq_summary_mark(c, word);
}

/**
 * wsq_ready_mark() - tell a CPU that a queue has work for it
 * @c: the CPU
 * @id: the queue's number
 *
 * Context: as wsq_wake_cpu(). On another CPU the task was published with a full
 * barrier.
 */
void wsq_ready_mark(struct wsq_cpu *c, u32 id)
{
	if (test_and_set_bit(id, c->leaf))		/* RD(mark:A) */
		return;
	/* Always: the bit may be there, about to be cleared. */
	wsq_summary_mark(c, wsq_leaf_word(id));
}

/**
 * wsq_ready_unmark() - a queue seems to have no more work for this CPU
 * @c: the CPU
 * @id: the queue's number
 * @ct: its container here
 *
 * Context: the worker, with preemption off.
 */
void wsq_ready_unmark(struct wsq_cpu *c, u32 id, struct wsq_container *ct)
{
	unsigned int word = wsq_leaf_word(id);

	clear_bit(id, c->leaf);				/* RD(unmark:A) */
	smp_mb__after_atomic();				/* RD(unmark:B) */
	if (!wsq_linked_idle(ct)) {
		wsq_ready_mark(c, id);
		return;
	}
	wsq_summary_tidy(c, word);
}

/**
 * wsq_ready_drop() - a queue's work is none of this CPU's business any more
 * @c: the CPU
 * @id: the queue's number
 *
 * Context: the worker, with preemption off.
 */
void wsq_ready_drop(struct wsq_cpu *c, u32 id)
{
	clear_bit(id, c->leaf);				/* RD(drop:A) */
	smp_mb__after_atomic();				/* RD(drop:B) */
	wsq_summary_tidy(c, wsq_leaf_word(id));
}

/**
 * wsq_ready_tidy() - summary bits are set, but no queue was found ready
 * @c: the CPU
 *
 * A put on another CPU that sets the leaf bit, then the summary bit, may find
 * in between that the worker saw the one thanks to another queue's summary bit,
 * ran the item and cleared both. The summary bit it then sets stands for
 * nothing, and the worker would never park.
 *
 * Context: the worker.
 */
void wsq_ready_tidy(struct wsq_cpu *c)
{
	unsigned int bit;

	preempt_disable();
	for (bit = 0; bit < min(WSQ_LEAF_WORDS, BITS_PER_LONG); bit++) {
		if (test_bit(bit, &c->summary))
			wsq_summary_tidy(c, bit);
	}
	preempt_enable();
}

/**
 * wsq_ready_forget() - a queue is gone
 * @id: its number
 *
 * Context: task. Nobody puts to the queue any more, and no worker is at it.
 */
void wsq_ready_forget(u32 id)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		preempt_disable();
		clear_bit(id, wsq_cpus[cpu]->leaf);	/* RD(forget:A) */
		/* Clear, then look: as in wsq_ready_unmark(). */
		smp_mb__after_atomic();			/* RD(forget:B) */
		wsq_summary_tidy(wsq_cpus[cpu], wsq_leaf_word(id));
		preempt_enable();
	}
}

/**
 * wsq_ready_next() - the next queue that has work for a CPU
 * @c: the CPU
 * @from: where to begin
 *
 * Context: any.
 * Return: its number; the first at or behind @from, then from 0;
 * %WSQ_MAX_QUEUES if there is none.
 */
u32 wsq_ready_next(const struct wsq_cpu *c, u32 from)
{
	const unsigned long summary = READ_ONCE(c->summary);
	unsigned int turn = 0, start = wsq_leaf_word(from);

	/* What comes meanwhile wakes whoever goes to sleep for want of it. */
	while (summary && turn <= WSQ_LEAF_WORDS) {
		unsigned int word = (start + turn) % WSQ_LEAF_WORDS;
		unsigned int at = wsq_summary_bit(word);
		unsigned long ahead = summary >> at, bit;

		if (!(ahead & 1)) {
			/* Past all words that have nothing. */
			turn += ahead ? __ffs(ahead) : BITS_PER_LONG - at;
			continue;
		}
		bit = find_next_bit(c->leaf, (word + 1) * 64,
				    turn ? word * 64 : from);
		if (bit < (word + 1) * 64)
			return bit;
		turn++;
	}
	return WSQ_MAX_QUEUES;
}
WSQ_EXPORT_KUNIT(wsq_ready_next);

/**
 * wsq_ready_in() - the next queue that the worker of a CPU may serve
 * @c: the CPU
 * @from: the first number to look at
 * @end: behind the last one
 *
 * Context: any.
 * Return: its number, the first at or behind @from; %WSQ_MAX_QUEUES if there is
 * none that has work and is not held.
 */
u32 wsq_ready_in(const struct wsq_cpu *c, u32 from, u32 end)
{
	const unsigned long summary = READ_ONCE(c->summary);
	unsigned int word = wsq_leaf_word(from);

	while (word * 64 < end) {
		unsigned long ahead = summary >> wsq_summary_bit(word);
		u32 stop;

		if (!(ahead & 1)) {
			/* Past all words that have nothing. */
			word += ahead ? __ffs(ahead) :
				BITS_PER_LONG - wsq_summary_bit(word);
			continue;
		}
		stop = min(end, (word + 1) * 64);
		from = max(from, word * 64);
		for (from = find_next_bit(c->leaf, stop, from); from < stop;
		     from = find_next_bit(c->leaf, stop, from + 1)) {
			if (likely(!test_bit(from, c->held)))
				return from;
		}
		word++;
	}
	return WSQ_MAX_QUEUES;
}

/**
 * wsq_ready_own() - wsq_ready_in() all of a CPU's queues
 * @c: the CPU
 * @from: where to begin
 *
 * Context: any.
 * Return: the first at or behind @from, then from 0; %WSQ_MAX_QUEUES if there
 * is none.
 */
u32 wsq_ready_own(const struct wsq_cpu *c, u32 from)
{
	u32 id = wsq_ready_in(c, from, WSQ_MAX_QUEUES);

	return id < WSQ_MAX_QUEUES || !from ? id : wsq_ready_in(c, 0, from);
}

/**
 * wsq_ready_init() - before anything else of the work service
 *
 * Context: module load.
 * Return: 0 or %-ENOMEM.
 */
int wsq_ready_init(void)
{
	unsigned int cpu;

	wsq_cpus = kcalloc(nr_cpu_ids, sizeof(*wsq_cpus), GFP_KERNEL);
	if (!wsq_cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct wsq_cpu *c;

		/* Of a node that is still offline, nearby memory must do. */
		c = kzalloc_node(sizeof(*c), GFP_KERNEL,
				 node_online(cpu_to_node(cpu)) ?
				 cpu_to_node(cpu) : NUMA_NO_NODE);
		if (!c)
			goto err;
		wsq_cpus[cpu] = c;
		c->cpu = cpu;
		wsq_idle_cpu_init(c);
		wsq_watch_init(c);
		wsq_standby_init(c);
		c->refuse_work = IRQ_WORK_INIT_HARD(wsq_refuse_work_fn);
		c->access = wsq_topology_access(&wsq_machine, cpu);
		if (!c->access)
			goto err;
	}
	if (!wsq_idle_init())
		return 0;
err:
	wsq_ready_exit();
	return -ENOMEM;
}

/**
 * wsq_ready_exit() - after everything else of the work service
 *
 * Context: module unload. No put runs or follows.
 */
void wsq_ready_exit(void)
{
	unsigned int cpu;

	if (wsq_cpus) {
		/* Interrupts that the last puts asked for have come after this. */
		synchronize_rcu();
		for_each_possible_cpu(cpu) {
			if (!wsq_cpus[cpu])
				continue;
			irq_work_sync(&wsq_cpus[cpu]->nmi_work);
			irq_work_sync(&wsq_cpus[cpu]->refuse_work);
			wsq_watch_exit(wsq_cpus[cpu]);
			wsq_standby_exit(wsq_cpus[cpu]);
			kfree(wsq_cpus[cpu]);
		}
	}
	kfree(wsq_cpus);
	wsq_cpus = NULL;
	wsq_idle_exit();
}
