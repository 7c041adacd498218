/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which CPUs are idle, which have items to steal, and which worker is on its
 * way to steal. Internal.
 *
 * CPUs that share a last-level cache, 64 at most, are a domain. A domain has
 * one cache line with three words: the idle bits, one for each CPU whose worker
 * is parked; the surplus bits, one for each CPU with items that other CPUs may
 * steal; and the seeker, the CPU whose worker was woken to steal and has found
 * nothing yet. The machine has two bitmaps with a bit for each domain: one says
 * that the domain may have idle CPUs, the other that CPUs of other domains
 * should look at its surplus. So a worker that parks reads few lines, whatever
 * the number of CPUs.
 *
 * A put that leaves items where thieves can reach them sets the surplus bit of
 * its CPU. It then wakes an idle worker, unless that worker's domain has a
 * seeker that may take items of the queue. A seeker that has found an item
 * stops being the seeker, looks at the surplus bits again, and wakes the next
 * worker. So the number of woken workers grows only while each finds items.
 *
 * A thief that has looked at all queues of a CPU and found nothing clears the
 * CPU's surplus bit, and looks at them once more. If it finds items then, it
 * sets the bit again and wakes a worker, because one may have parked while the
 * bit was clear. The same holds for the machine's surplus bits.
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
 *		The thief that clears a surplus bit sees the items of a put that
 *		finds it set. litmus/exec-surplus.litmus
 *	DM(set:B), DM(set:D), ID(all:A) against DM(set:B), DM(set:D): store
 *	buffering
 *		A worker that is about to park sees the surplus of a put, or of
 *		a thief that sets the bit again, that finds no idle worker.
 *		litmus/exec-idle.litmus
 *	DM(set:B), DM(set:D) against SK(end:A): store buffering
 *		If a put leaves its item to the seeker, the seeker sees the
 *		surplus in the look before it wakes the next worker.
 *		litmus/exec-seeker.litmus
 *	DM(set:B) against DM(look:B): store buffering
 *		While a bit of a domain is set, the domain's bit of the machine
 *		is set, or is about to be. litmus/exec-domain.litmus
 *	PK(announce:B) against DM(clear:C)
 *		A context that clears the idle bit of a parked worker claims its
 *		wake-up, so that no worker stays parked without its bit.
 *		litmus/exec-claim.litmus
 *	SK(send:A) full, then PK(claim:B) -> SK(take:A)
 *		A worker whose wake-up was claimed sees that it is the seeker.
 *		litmus/exec-sent.litmus
 *
 * The machine's surplus bit of a domain is cleared by the domain's own workers
 * when they run dry, and by contexts that look for a worker to wake. Thieves of
 * other domains leave it alone: otherwise the word would move from cache to
 * cache with each look.
 *
 * Each class of queues has domains and maps of its own, because workers serve the
 * queues of one class (class.c).
 *
 * Limitations: a put may read the machine's word after a worker has cleared a
 * bit there and before it sets the bit again. A seeker may be kept off its CPU.
 * In both cases the watchdog sets the surplus bit and wakes a worker, up to
 * some milliseconds later, if the CPU's worker begins no other item by then, or
 * if items are slow. Items so brief that a block of them is not worth a wake-up
 * (wsq_brief()) are not offered to CPUs that become idle.
 */
#ifndef _WSQ_EXEC_IDLE_H
#define _WSQ_EXEC_IDLE_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/threads.h>
#include <linux/time64.h>
#include <linux/types.h>

struct task_struct;
struct wsq;
struct wsq_cpu;

/* Time from wake-up to first look: lower limit, first value, upper limit. */
#define WSQ_COME_MIN_NS		(5 * NSEC_PER_USEC)
#define WSQ_COME_NS		(10 * NSEC_PER_USEC)
#define WSQ_COME_MAX_NS		(50 * NSEC_PER_USEC)

/**
 * struct wsq_domain - CPUs that share a cache
 * @idle: bits of CPUs whose worker is parked and has not been woken. Set by the
 *	worker, cleared by the context that claims the wake-up.
 * @surplus: bits of CPUs that have something to steal. Set by any context,
 *	cleared by thieves.
 * @seeker: the CPU, plus 1, whose worker was woken to steal and has found
 *	nothing yet; 0 if there is none. Set by the context that wakes it,
 *	cleared by the worker.
 * @came_ns: recent mean of the ns from a seeker's wake-up to its first look.
 *	Seekers.
 * @come_ns: @came_ns within limits. Written only when it differs by more than
 *	an eighth, because puts read it.
 * @id: its number. Constant.
 * @nr: how many CPUs. Constant.
 * @cpus: their numbers. Constant.
 * @cores: for each CPU, the bits of the CPUs on its core, its own included.
 *	Constant.
 * @order: numbers of all domains, the nearest first, this one at the front.
 *	Constant.
 * @all: the domains of its class. Constant.
 */
struct wsq_domain {
	unsigned long idle;
	unsigned long surplus;
	atomic_t seeker;
	u32 came_ns;

	u32 come_ns ____cacheline_aligned;
	u32 id;
	u32 nr;
	u16 cpus[BITS_PER_LONG];
	unsigned long cores[BITS_PER_LONG];
	u16 *order;
	struct wsq_domains *all;
};

/**
 * struct wsq_domains - all domains of the workers of one class
 * @nr: how many
 * @words: words of the two maps
 * @list: the domains
 * @idle: domains that may have idle CPUs
 * @surplus: domains that may have a surplus for other domains
 *
 * Constant, except for the two maps, which share no cache line with anything
 * else.
 */
struct wsq_domains {
	unsigned int nr;
	unsigned int words;
	struct wsq_domain **list;
	DECLARE_BITMAP(idle, NR_CPUS) ____cacheline_aligned;
	DECLARE_BITMAP(surplus, NR_CPUS) ____cacheline_aligned;
} ____cacheline_aligned;

struct wsq_class;

int wsq_domains_init(struct wsq_class *class);
void wsq_domains_exit(struct wsq_class *class);
void wsq_idle_cpu_init(struct wsq_cpu *c);
void wsq_idle_enter(struct wsq_cpu *c);
void wsq_idle_leave(struct wsq_cpu *c);
void wsq_idle_meet(const struct wsq_class *class,
		   const struct task_struct *next);
bool wsq_idle_really(const struct wsq_cpu *c);
unsigned int wsq_idle_count(void);
unsigned int wsq_idle_nearest(const struct wsq *q);
unsigned int wsq_idle_next(const struct wsq *q);
bool wsq_wake_cpu(struct wsq_cpu *c);
bool wsq_kept_off(const struct wsq_cpu *c);
bool wsq_wake_idle(const struct wsq *q, struct wsq_cpu *c);
bool wsq_wake_idle_anew(const struct wsq *q, struct wsq_cpu *c);
void wsq_wake_all(const struct wsq *q, struct wsq_cpu *c);
bool wsq_seek_begin(struct wsq_cpu *c);
void wsq_seek_came(struct wsq_cpu *c);
void wsq_seek_stop(struct wsq_cpu *c);
void wsq_seek_end_slow(struct wsq_cpu *c);
void wsq_surplus_set(struct wsq_cpu *c);
bool wsq_surplus_for(struct wsq_cpu *c);
bool wsq_surplus_mine(struct wsq_cpu *c);
void wsq_surplus_again(struct wsq_cpu *c, struct wsq_cpu *vc);
void wsq_surplus_come(struct wsq_cpu *c);
unsigned long wsq_surplus_look(struct wsq_cpu *c);
bool wsq_surplus_clear(struct wsq_cpu *c);

/* The first bit of @word, which is not 0, from @from upwards, then from 0. */
static inline unsigned int wsq_domain_next(unsigned long word, unsigned int from)
{
	unsigned long ahead = word >> from << from;

	return __ffs(ahead ?: word);
}

/* Is any of the machine's bits set? No order. */
static __always_inline bool wsq_domains_any(const struct wsq_domains *all,
					    const unsigned long *map)
{
	unsigned int i;

	for (i = 0; i < all->words; i++) {
		if (READ_ONCE(map[i]))
			return true;
	}
	return false;
}

/* Is any worker parked? No order. */
static __always_inline bool wsq_idle_any(const struct wsq_domains *all)
{
	return wsq_domains_any(all, all->idle);
}

/* How many domains may have a surplus for others? No order. */
static inline unsigned int wsq_surplus_domains(const struct wsq_domains *all)
{
	unsigned int i, nr = 0;

	for (i = 0; i < all->words; i++)
		nr += hweight_long(READ_ONCE(all->surplus[i]));
	return nr;
}

/* Is there a surplus in this domain, or one for all domains? No order. */
static inline bool wsq_surplus_near(const struct wsq_domain *d)
{
	return READ_ONCE(d->surplus) ||
	       wsq_domains_any(d->all, d->all->surplus);
}

#endif /* _WSQ_EXEC_IDLE_H */
