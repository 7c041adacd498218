// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of how long items wait and how long they run, in powers of two of
 * nanoseconds, counted while a collection is attached (collect.c).
 *
 * A work item has no space for a timestamp. The time of its put is kept in a
 * table of fixed size, hashed by the item's address: buckets of one cache line,
 * four slots each. An item that finds no slot is counted as lost when it
 * begins. The time of its begin is kept in its worker.
 *
 * A put may come from any context, NMI included. So nothing is locked, and no
 * context waits for a slot. A slot is two words, and its key says which context
 * may write it:
 *
 *	key		may become	by
 *	---		----------	--
 *	0		BUSY		a context that owns an item to put
 *	an item		BUSY		a context that puts that item, which
 *					was cancelled before; or another, if
 *					the slot is stale
 *	an item		0		the worker that begins that item
 *	BUSY		an item		the context that made it BUSY, after
 *					the stamp
 *
 * All but the last are compare-and-exchange. Only the owner of an item makes
 * its address a key, so no two slots have the same key.
 *
 *	put				begin
 *	---				-----
 *	item pending
 *	key = BUSY	HI(own:A)	key == item?	HI(take:A)
 *	stamp = now			read stamp
 *	key = item	HI(put:C)	smp_rmb		HI(take:C)
 *	item is put			item pending?
 *					key = 0		HI(take:D)
 *
 * An item may be queued again before its begin is recorded, because a worker
 * clears the pending bit first. So a begin that has read a stamp checks the
 * bit. If the stamp is of the new put, the bit is seen, and the sample is lost.
 * If the slot was taken for another item, clearing the key fails.
 *
 *	HI(put:C) release -> HI(take:A) acquire, HI(take:C)
 *		litmus/obs-hist.litmus, litmus/obs-stamp.litmus
 *	HI(own:A) against HI(take:D): one of the two has the slot.
 *		litmus/obs-slot.litmus
 *	BG(begin:A) release -> BG(ran:A) acquire, BG(ran:B), with RN(begin:A)
 *		The time is that of the item whose number was read.
 *		litmus/obs-began.litmus
 *	HI(make:A): no two collections have one number. litmus/obs-number.litmus
 *
 * Cost, while attached: an exchange or two and a clock reading for each put and
 * each begin, a clock reading for each end; 64 KiB of memory for each possible
 * CPU, 4 MiB at most.
 *
 * Limitations: a sample is too short if an item is queued again and cancelled
 * within the few instructions between its claim and its begin. Cancelled items
 * keep their slots until their addresses are queued again, or until other items
 * take them after WSQ_HIST_STALE_NS. With many such items, samples are lost.
 */
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <trace/events/wsq.h>

#include "../exec/item.h"
#include "hist.h"

/* 0, 1, 2 to 3, 4 to 7, ... ns; the last, from 2^46 (19 hours), has no end. */
#define WSQ_HIST_BUCKETS	48

#define WSQ_HIST_WAYS		4
#define WSQ_HIST_BUSY		1UL

/* Slots for each CPU, and the maximum. */
#define WSQ_HIST_SLOTS		4096
#define WSQ_HIST_MAX_SLOTS	(256 * 1024)

/* After this time an item may lose its slot to another. */
#define WSQ_HIST_STALE_NS	(10 * NSEC_PER_SEC)

/**
 * struct wsq_stamp - when an item was put
 * @key: the item's address, 0 or WSQ_HIST_BUSY. As above.
 * @ns: when. Written by the context that made @key BUSY; any context reads.
 */
struct wsq_stamp {
	unsigned long key;
	u64 ns;
};

/**
 * struct wsq_hist_cpu - the counts of one CPU
 * @waited: items by the time from put to begin
 * @ran: items by the time they ran
 * @begun: items begun
 * @lost: of these, those whose time of put is not known
 * @cut: items that ended, and had begun before this was attached
 *
 * Written by workers of this CPU with preemption off; any CPU reads.
 */
struct wsq_hist_cpu {
	u64 waited[WSQ_HIST_BUCKETS];
	u64 ran[WSQ_HIST_BUCKETS];
	u64 begun;
	u64 lost;
	u64 cut;
};

/**
 * struct wsq_hist - the histograms of one collection
 * @bits: log2 of the number of buckets of @stamps. Constant.
 * @nr: number of this collection, as in struct wsq_worker.began_by. Constant.
 * @cpus: counts
 * @stamps: slots, WSQ_HIST_WAYS to a bucket. Any context, as above.
 */
struct wsq_hist {
	unsigned int bits;
	u64 nr;
	struct wsq_hist_cpu __percpu *cpus;
	struct wsq_stamp *stamps;
};

static void wsq_hist_count(u64 *count)
{
	WRITE_ONCE(*count, *count + 1);
}

static u64 *wsq_hist_bucket(u64 *buckets, s64 ns)
{
	/* Clocks of CPUs may differ a little. */
	return &buckets[ns > 0 ? min(fls64(ns), WSQ_HIST_BUCKETS - 1) : 0];
}

static struct wsq_stamp *wsq_hist_way(const struct wsq_hist *h,
				      unsigned long key)
{
	return h->stamps + hash_long(key, h->bits) * WSQ_HIST_WAYS;
}

static bool wsq_hist_take(struct wsq_stamp *s, unsigned long old)
{
	return READ_ONCE(s->key) == old &&
	       cmpxchg(&s->key, old, WSQ_HIST_BUSY) == old;	/* HI(own:A) */
}

/* Make a slot BUSY for an item about to be put; %NULL if there is none. */
static struct wsq_stamp *wsq_hist_slot(struct wsq_stamp *ways,
				       unsigned long key, u64 now)
{
	unsigned int i;

	/* An item that has a slot must not get another. */
	for (i = 0; i < WSQ_HIST_WAYS; i++) {
		if (wsq_hist_take(&ways[i], key))
			return &ways[i];
	}
	for (i = 0; i < WSQ_HIST_WAYS; i++) {
		if (wsq_hist_take(&ways[i], 0))
			return &ways[i];
	}
	for (i = 0; i < WSQ_HIST_WAYS; i++) {
		unsigned long old = READ_ONCE(ways[i].key);

		if (old != WSQ_HIST_BUSY &&
		    (s64)(now - READ_ONCE(ways[i].ns)) > WSQ_HIST_STALE_NS &&
		    wsq_hist_take(&ways[i], old))
			return &ways[i];
	}
	return NULL;
}

static void wsq_hist_queue_probe(void *data, const char *queue,
				 const void *work, const void *function,
				 int cpu)
{
	struct wsq_hist *h = data;
	unsigned long key = (unsigned long)work;
	u64 now = ktime_get_mono_fast_ns();
	struct wsq_stamp *s = wsq_hist_slot(wsq_hist_way(h, key), key, now);

	if (!s)
		return;
	WRITE_ONCE(s->ns, now);
	smp_store_release(&s->key, key);			/* HI(put:C) */
}

/* Find when an item was put that is about to be called. False if not known. */
static bool wsq_hist_find(const struct wsq_hist *h, const void *item, u64 *ns)
{
	const struct wsq_work *work = item;
	unsigned long key = (unsigned long)item;
	struct wsq_stamp *ways = wsq_hist_way(h, key);
	unsigned int i;

	for (i = 0; i < WSQ_HIST_WAYS; i++) {
		if (smp_load_acquire(&ways[i].key) != key)	/* HI(take:A) */
			continue;
		*ns = READ_ONCE(ways[i].ns);
		smp_rmb();				/* HI(take:C) */
		/* The item exists, for its function is yet to be called. */
		if (READ_ONCE(work->state) & WSQ_PENDING)
			return false;
		/* HI(take:D) */
		return cmpxchg(&ways[i].key, key, 0) == key;
	}
	return false;
}

static void wsq_hist_start_probe(void *data, const char *queue,
				 const void *work, const void *function,
				 unsigned int cpu)
{
	struct wsq_worker *w = wsq_worker_current();
	struct wsq_hist *h = data;
	struct wsq_hist_cpu *c;
	u64 put, now;

	preempt_disable();
	c = this_cpu_ptr(h->cpus);
	now = ktime_get_mono_fast_ns();
	wsq_hist_count(&c->begun);
	if (wsq_hist_find(h, work, &put))
		wsq_hist_count(wsq_hist_bucket(c->waited, now - put));
	else
		wsq_hist_count(&c->lost);
	w->began_by = h->nr;
	WRITE_ONCE(w->began, now);
	/* Pairs with the acquire in wsq_collect_ran_for(). */
	smp_store_release(&w->began_run, w->nr_run);	/* BG(begin:A) */
	preempt_enable();
}

static void wsq_hist_end_probe(void *data, const char *queue, const void *work,
			       const void *function, unsigned int cpu)
{
	const struct wsq_worker *w = wsq_worker_current();
	struct wsq_hist *h = data;
	struct wsq_hist_cpu *c;

	preempt_disable();
	c = this_cpu_ptr(h->cpus);
	if (w->began_by == h->nr)
		wsq_hist_count(wsq_hist_bucket(c->ran,
					       ktime_get_mono_fast_ns() -
					       w->began));
	else
		wsq_hist_count(&c->cut);
	preempt_enable();
}

/**
 * wsq_hist_create() - allocate empty histograms
 *
 * Context: task; may sleep.
 * Return: the histograms, or %NULL.
 */
struct wsq_hist *wsq_hist_create(void)
{
	static atomic64_t last = ATOMIC64_INIT(0);
	struct wsq_hist *h = kzalloc(sizeof(*h), GFP_KERNEL);
	unsigned long slots;

	if (!h)
		return NULL;
	h->nr = atomic64_inc_return(&last);		/* HI(make:A) */
	slots = min_t(unsigned long, WSQ_HIST_MAX_SLOTS,
		      WSQ_HIST_SLOTS * roundup_pow_of_two(num_possible_cpus()));
	h->bits = ilog2(slots / WSQ_HIST_WAYS);
	h->cpus = alloc_percpu(struct wsq_hist_cpu);
	h->stamps = kvcalloc(slots, sizeof(*h->stamps), GFP_KERNEL);
	if (!h->cpus || !h->stamps) {
		wsq_hist_destroy(h);
		return NULL;
	}
	return h;
}

/**
 * wsq_hist_destroy() - free histograms
 * @h: the histograms, or %NULL; no longer counted in
 *
 * Context: task; may sleep.
 */
void wsq_hist_destroy(struct wsq_hist *h)
{
	if (!h)
		return;
	kvfree(h->stamps);
	free_percpu(h->cpus);
	kfree(h);
}

/**
 * wsq_hist_attach() - start counting
 * @h: the histograms
 *
 * Context: task; may sleep.
 * Return: 0; %-ENOSYS in a kernel without tracepoints; %-ENOMEM. Probes may run
 * until tracepoint_synchronize_unregister() in any case.
 */
int wsq_hist_attach(struct wsq_hist *h)
{
	int ret;

	ret = register_trace_wsq_queue(wsq_hist_queue_probe, h);
	if (ret)
		return ret;
	/*
	 * The end probe before the start probe, so that each item that counts
	 * as begun is also seen to end. The start probe runs after that of a
	 * collection that this one replaces, so it writes w->began_by last.
	 */
	ret = register_trace_wsq_execute_end(wsq_hist_end_probe, h);
	if (ret)
		goto no_end;
	ret = register_trace_wsq_execute_start(wsq_hist_start_probe, h);
	if (ret)
		goto no_start;
	return 0;
no_start:
	unregister_trace_wsq_execute_end(wsq_hist_end_probe, h);
no_end:
	unregister_trace_wsq_queue(wsq_hist_queue_probe, h);
	return ret;
}

/**
 * wsq_hist_detach() - stop counting
 * @h: the histograms
 *
 * Probes may run until tracepoint_synchronize_unregister() has returned.
 *
 * Context: task; may sleep.
 */
void wsq_hist_detach(struct wsq_hist *h)
{
	unregister_trace_wsq_queue(wsq_hist_queue_probe, h);
	unregister_trace_wsq_execute_start(wsq_hist_start_probe, h);
	unregister_trace_wsq_execute_end(wsq_hist_end_probe, h);
}

/* Add up the counts of all CPUs. */
static void wsq_hist_sum(const struct wsq_hist *h, struct wsq_hist_cpu *sum)
{
	unsigned int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct wsq_hist_cpu *c = per_cpu_ptr(h->cpus, cpu);

		for (i = 0; i < WSQ_HIST_BUCKETS; i++) {
			sum->waited[i] += READ_ONCE(c->waited[i]);
			sum->ran[i] += READ_ONCE(c->ran[i]);
		}
		sum->begun += READ_ONCE(c->begun);
		sum->lost += READ_ONCE(c->lost);
		sum->cut += READ_ONCE(c->cut);
	}
}

/**
 * wsq_hist_show() - print histograms
 * @m: the output
 * @h: the histograms; may be counted in during the call
 *
 * Context: task; may sleep.
 * Return: 0 or %-ENOMEM.
 */
int wsq_hist_show(struct seq_file *m, const struct wsq_hist *h)
{
	unsigned int i, first = WSQ_HIST_BUCKETS, last = 0;
	struct wsq_hist_cpu *sum = kmalloc(sizeof(*sum), GFP_KERNEL);

	if (!sum)
		return -ENOMEM;
	wsq_hist_sum(h, sum);
	seq_printf(m, "begun %llu\nlost %llu\ncut %llu\nns waited ran\n",
		   sum->begun, sum->lost, sum->cut);
	for (i = 0; i < WSQ_HIST_BUCKETS; i++) {
		if (!sum->waited[i] && !sum->ran[i])
			continue;
		first = min(first, i);
		last = i;
	}
	for (i = first; i <= last; i++)
		seq_printf(m, "%llu %llu %llu\n", i ? BIT_ULL(i - 1) : 0,
			   sum->waited[i], sum->ran[i]);
	kfree(sum);
	return 0;
}
