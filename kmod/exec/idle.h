/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which CPUs are idle, which ones have items to steal, and which worker is on its
 * way to steal. Internal.
 *
 * CPUs that share a last-level cache, 64 at most, are a domain. A domain has one
 * cache line with three words: a bit for each CPU whose worker is parked; a bit for
 * each CPU that has a surplus, that is, items which other CPUs may steal; and the
 * seeker, the CPU whose worker was woken to steal and has found nothing yet. Two
 * bitmaps of the machine have a bit for each domain: one says that it may have idle
 * CPUs, the other that CPUs of other domains should look at its surplus. So a worker
 * that parks reads few lines, whatever the number of CPUs.
 *
 * A put that leaves items within the reach of thieves sets the surplus bit of its
 * CPU, and wakes an idle worker, unless the domain of that one has a seeker that
 * may take items of the queue. The seeker, as soon as it has found an item, says
 * that it seeks no longer, looks at the surplus bits again, and wakes the next one.
 * So the number of workers that are woken grows only while each finds items.
 *
 * The surplus bit of a CPU is cleared by a thief that has looked at all queues
 * there and found nothing, and looks at them once more.
 *
 *	offer (put)			last look (worker)
 *	-----------			------------------
 *	task is within reach		PK(announce:A) parked = 1
 *	ID(offer:A) smp_mb		set idle bits, DM(set:B), DM(set:D)
 *	surplus bits clear? set them,	surplus bits?
 *	DM(set:B), DM(set:D) smp_mb	steal; nothing: DM(clear:C) clear the
 *	idle bits, seeker?		surplus bit, full barrier, look again
 *
 *	ID(offer:A), ID(anew:A), IN(push:C) against DM(clear:C): store buffering
 *		A put that finds its surplus bit set is seen by the thief that
 *		clears the bit. litmus/exec-surplus.litmus
 *	DM(set:B), DM(set:D), ID(all:A) against DM(set:B), DM(set:D): store
 *	buffering
 *		A put that finds no idle worker is seen by the worker that is
 *		about to park. litmus/exec-idle.litmus
 *	DM(set:B), DM(set:D) against SK(end:A): store buffering
 *		A put that leaves its item to the seeker is seen by the look after
 *		which the seeker wakes the next one. litmus/exec-seeker.litmus
 *	DM(set:B) against DM(look:B): store buffering
 *		While a bit of a domain is set, so is the domain's bit of the
 *		machine, or it is about to be. litmus/exec-domain.litmus
 *	PK(announce:B) against DM(clear:C)
 *		A context that clears the idle bit of a parked worker claims its
 *		wake-up, so that no worker stays parked without its bit.
 *		litmus/exec-claim.litmus
 *	SK(send:A) full, then PK(claim:B) -> SK(take:A)
 *		A worker whose wake-up was claimed learns that it is the seeker.
 *		litmus/exec-sent.litmus
 *
 * Limitations: a put may look at the machine's word between the two steps of a
 * worker that clears a bit there and sets it again; a seeker may be kept off its CPU.
 * Then the watchdog sets the surplus bit and wakes a worker, up to some milliseconds
 * later, if the CPU's worker begins no other item by then, or if items are slow. Items
 * so brief that a block of them is not worth a wake-up (wsq_brief()) are not offered
 * to CPUs that become idle.
 */
#ifndef _WSQ_EXEC_IDLE_H
#define _WSQ_EXEC_IDLE_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/threads.h>
#include <linux/types.h>

struct wsq;
struct wsq_cpu;

/**
 * struct wsq_domain - CPUs that share a cache
 * @idle: bits of those whose worker is parked and has not been woken. Set by the
 *	workers, cleared by the context that claims the wake-up.
 * @surplus: bits of those that have something to steal. Set by any context, cleared
 *	by thieves.
 * @seeker: the CPU, plus 1, whose worker was woken to steal and has found nothing
 *	yet; 0 if there is none. Set by whoever wakes it, cleared by the worker.
 * @id: its number. Constant.
 * @nr: how many CPUs. Constant.
 * @cpus: their numbers. Constant.
 * @order: all domains by number, the nearest first, this one at the front. Constant.
 */
struct wsq_domain {
	unsigned long idle;
	unsigned long surplus;
	atomic_t seeker;

	u32 id ____cacheline_aligned;
	u32 nr;
	u16 cpus[BITS_PER_LONG];
	u16 *order;
};

/**
 * struct wsq_domains - all of them
 * @nr: how many
 * @words: words of the two maps
 * @list: the domains
 * @idle: which of them may have idle CPUs
 * @surplus: which of them may have a surplus for others
 *
 * Constant, but for the two maps, which do not share cache lines with anything else.
 */
struct wsq_domains {
	unsigned int nr;
	unsigned int words;
	struct wsq_domain **list;
	DECLARE_BITMAP(idle, NR_CPUS) ____cacheline_aligned;
	DECLARE_BITMAP(surplus, NR_CPUS) ____cacheline_aligned;
} ____cacheline_aligned;

extern struct wsq_domains wsq_domains;

int wsq_idle_init(void);
void wsq_idle_exit(void);
void wsq_idle_cpu_init(struct wsq_cpu *c);
void wsq_idle_enter(struct wsq_cpu *c);
void wsq_idle_leave(struct wsq_cpu *c);
unsigned int wsq_idle_count(void);
bool wsq_wake_cpu(struct wsq_cpu *c);
bool wsq_wake_idle(const struct wsq *q, struct wsq_cpu *c);
bool wsq_wake_idle_anew(const struct wsq *q, struct wsq_cpu *c);
void wsq_wake_all(const struct wsq *q, struct wsq_cpu *c);
bool wsq_seek_begin(struct wsq_cpu *c);
void wsq_seek_stop(struct wsq_cpu *c);
void wsq_seek_end_slow(struct wsq_cpu *c);
void wsq_surplus_set(struct wsq_cpu *c);
bool wsq_surplus_for(struct wsq_cpu *c);
void wsq_surplus_come(struct wsq_cpu *c);
unsigned long wsq_surplus_look(struct wsq_domain *d);
bool wsq_surplus_clear(struct wsq_cpu *c);

/* The first bit of @word, not 0, from @from upwards, then around. */
static inline unsigned int wsq_domain_next(unsigned long word, unsigned int from)
{
	unsigned long ahead = word >> from << from;

	return __ffs(ahead ?: word);
}

/* Is any of the machine's bits set? No order. */
static __always_inline bool wsq_domains_any(const unsigned long *map)
{
	unsigned int i;

	for (i = 0; i < wsq_domains.words; i++) {
		if (READ_ONCE(map[i]))
			return true;
	}
	return false;
}

/* Is any worker parked? No order. */
static __always_inline bool wsq_idle_any(void)
{
	return wsq_domains_any(wsq_domains.idle);
}

/* Has any CPU a surplus that is known in this domain? No order. */
static inline bool wsq_surplus_near(const struct wsq_domain *d)
{
	return READ_ONCE(d->surplus) || wsq_domains_any(wsq_domains.surplus);
}

#endif /* _WSQ_EXEC_IDLE_H */
