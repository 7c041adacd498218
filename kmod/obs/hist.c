// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of how long items wait and how long they run, by powers of two of
 * nanoseconds, kept while somebody collects (collect.c).
 *
 * A work item has no room for a time stamp. When it was put is kept in a table
 * by the item's address, of fixed size: buckets of one cache line, four slots
 * each. What finds no slot is lost, and counted as such once it begins. What was
 * begun is in its worker.
 *
 * A put may come from anywhere, NMI included, so nobody waits for a slot, and
 * nothing is locked. A slot is two words, and its key says who may write it:
 *
 *	key		may become	by
 *	---		----------	--
 *	0		BUSY		whoever has an item in hand to put
 *	an item		BUSY		who puts that item: it was called back
 *					before; or another, who finds it stale
 *	an item		0		who begins that item
 *	BUSY		an item		who made it BUSY, after the stamp
 *
 * All but the last by compare-and-exchange. Only who has an item in hand makes
 * its address a key, so no two slots have the same one.
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
 * An item may be queued again before its begin is here, because a worker clears
 * the pending bit first. So a begin that read a stamp looks for the bit: if it
 * saw the new put's stamp, it sees the bit, and the sample is lost. If it saw
 * another item's stamp, because the slot was taken, it fails to clear the key.
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
 * Costs, while attached: an exchange or two and a clock reading at each put and
 * each begin, a clock reading at each end; 64 KiB of memory for each possible
 * CPU, 4 MiB at most.
 *
 * Limitations: a sample is too short if an item is queued again and called back
 * within the few instructions between its claim and its begin. Items that were
 * called back keep their slots until their addresses are queued again, or until
 * others take them after WSQ_HIST_STALE_NS; with many, samples are lost.
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

/* For each CPU, and in all. */
#define WSQ_HIST_SLOTS		4096
#define WSQ_HIST_MAX_SLOTS	(256 * 1024)

/* An item that has waited so long may lose its slot to another. */
#define WSQ_HIST_STALE_NS	(10 * NSEC_PER_SEC)

/**
 * struct wsq_stamp - when an item was put
 * @key: the item's address, 0 or WSQ_HIST_BUSY. As above.
 * @ns: when. Who made @key BUSY writes, anybody reads.
 */
struct wsq_stamp {
	unsigned long key;
	u64 ns;
};

/**
 * struct wsq_hist_cpu - what was counted on one CPU
 * @waited: items by the time from being put to being begun
 * @ran: items by the time they ran
 * @begun: items begun
 * @lost: of these, those that it is not known of when they were put
 * @cut: items that ended, and had begun before this was attached
 *
 * All of workers of this CPU, with preemption off; anybody reads.
 */
struct wsq_hist_cpu {
	u64 waited[WSQ_HIST_BUCKETS];
	u64 ran[WSQ_HIST_BUCKETS];
	u64 begun;
	u64 lost;
	u64 cut;
};

/**
 * struct wsq_hist - what is counted
 * @bits: log2 of the number of buckets of @stamps. Constant.
 * @nr: number of this collection, by which a worker remembers it. Constant.
 * @cpus: counts
 * @stamps: slots, WSQ_HIST_WAYS to a bucket. Anybody, as above.
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
	/* Clocks of CPUs may differ by a little. */
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

/* A slot for an item that is about to be put, BUSY; %NULL if there is none. */
static struct wsq_stamp *wsq_hist_slot(struct wsq_stamp *ways,
				       unsigned long key, u64 now)
{
	unsigned int i;

	/* If it has one, it must not get another. */
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

/* When the item was put that is about to be called. False if not known. */
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
		/* Still there, for its function has yet to be called. */
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
 * wsq_hist_create() - make histograms, empty
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
 * @h: the histograms, or %NULL; nobody counts there any more
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
 * wsq_hist_attach() - begin to count
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
	 * Before that of begins, so that each item that counts as begun is also
	 * seen to end. That of begins is called after the one of a collection
	 * that this one replaces, and has the last word in w->began_by.
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
 * wsq_hist_detach() - count no more, once tracepoint_synchronize_unregister()
 * has returned
 * @h: the histograms
 *
 * Context: task; may sleep.
 */
void wsq_hist_detach(struct wsq_hist *h)
{
	unregister_trace_wsq_queue(wsq_hist_queue_probe, h);
	unregister_trace_wsq_execute_start(wsq_hist_start_probe, h);
	unregister_trace_wsq_execute_end(wsq_hist_end_probe, h);
}

/* Add up CPUs. */
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
 * @m: where to
 * @h: the histograms; may be counted in meanwhile
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
