// SPDX-License-Identifier: GPL-2.0
/*
 * Idle workers, surpluses, and which worker to wake. The argument is in idle.h.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "../compat/export.h"
#include "../compat/sleep_notifier.h"
#include "exec.h"

/*
 * A CPU may leave this many offers in a row to seekers. The next offer wakes a
 * worker, because a seeker may be kept off its CPU.
 */
#define WSQ_RELY_MOST		128

/* Most idle CPUs that are compared to find the best one to wake. */
#define WSQ_RANK_LOOKS		8

/*
 * What one search may spend on CPUs with a surplus and queues there. A look
 * costs WSQ_SEEK_LOOK, at an empty queue of a CPU without a worker only 1.
 */
#define WSQ_SEEK_LOOK		8
#define WSQ_SEEK_LOOKS		(8 * WSQ_SEEK_LOOK)

/* ---- bits of a domain, and the machine's bit of that domain ---- */

static void wsq_domain_set(unsigned long *word, unsigned int bit)
{
	set_bit(bit, word);				/* DM(set:A) */
	smp_mb__after_atomic();				/* DM(set:B) */
}

/* Set the domain's bit of the machine, after wsq_domain_set(). */
static void wsq_domain_set_bit(unsigned long *map, u32 id)
{
	if (test_bit(id, map))
		return;
	set_bit(id, map);				/* DM(set:C) */
	smp_mb__after_atomic();				/* DM(set:D) */
}

/* False if it was already clear. wsq_domain_look() clears the machine's bit. */
static bool wsq_domain_clear(unsigned long *word, unsigned int bit)
{
	if (!test_bit(bit, word))
		return false;
	/* Full barrier: against PK(announce:B), ID(offer:A). */
	return test_and_clear_bit(bit, word);		/* DM(clear:C) */
}

/*
 * The bits of a domain. If there are none, the machine's bit is cleared, to
 * spare the next context the look. It is not cleared along with the domain's
 * last bit, because that bit changes often.
 */
static unsigned long wsq_domain_look(unsigned long *word, unsigned long *map,
				     u32 id)
{
	unsigned long bits = READ_ONCE(*word);

	if (bits || !test_bit(id, map))
		return bits;
	clear_bit(id, map);				/* DM(look:A) */
	smp_mb__after_atomic();				/* DM(look:B) */
	bits = READ_ONCE(*word);
	if (bits)
		wsq_domain_set_bit(map, id);
	return bits;
}

/**
 * wsq_surplus_set() - a CPU has items that thieves can reach
 * @c: the CPU
 *
 * Context: any. A full barrier since the items were put there.
 */
void wsq_surplus_set(struct wsq_cpu *c)
{
	struct wsq_domain *d = c->domain;

	if (!test_bit(c->bit, &d->surplus))
		wsq_domain_set(&d->surplus, c->bit);
	wsq_domain_set_bit(d->all->surplus, d->id);
}

/**
 * wsq_surplus_clear() - a CPU seems to have nothing for thieves
 * @c: the CPU
 *
 * Context: any.
 * Return: true if the caller must look at all queues of @c again; false if
 * another context has cleared the bit.
 */
bool wsq_surplus_clear(struct wsq_cpu *c)
{
	struct wsq_domain *d = c->domain;

	return wsq_domain_clear(&d->surplus, c->bit);
}

/**
 * wsq_idle_enter() - set a parked CPU's idle bit
 * @c: the CPU; wsq_park_announce() was called
 *
 * Look for work once more after this, and only then sleep.
 *
 * Context: the current worker, the scheduler's hooks included.
 * Ordering: full barrier.
 */
void wsq_idle_enter(struct wsq_cpu *c)
{
	struct wsq_domain *d = c->domain;

	wsq_domain_set(&d->idle, c->bit);
	wsq_domain_set_bit(d->all->idle, d->id);
}

static void wsq_idle_clear(struct wsq_cpu *c)
{
	struct wsq_domain *d = c->domain;

	/* Before the claim: a bit that is set after this is a later park's. */
	wsq_domain_clear(&d->idle, c->bit);
}

/**
 * wsq_idle_leave() - a CPU's worker is awake
 * @c: the CPU
 *
 * Context: the current worker; or its CPU's role_lock is held.
 */
void wsq_idle_leave(struct wsq_cpu *c)
{
	struct wsq_domain *d = c->domain;
	int seeker;

	wsq_idle_clear(c);
	if (wsq_park_claim(&c->park))
		return;
	/* The context that claimed the wake-up may have made it the seeker. */
	smp_mb();					/* SK(take:A) */
	seeker = atomic_read(&d->seeker);		/* SK(take:B) */
	if (seeker == (int)c->cpu + 1)
		WRITE_ONCE(c->seeks, true);
}

/**
 * wsq_idle_count() - how many CPUs count as idle for normal queues
 *
 * Context: any.
 * Return: the number at some moment.
 */
unsigned int wsq_idle_count(void)
{
	const struct wsq_domains *all =
		&wsq_class_find(WSQ_CLASS_NORMAL)->domains;
	unsigned int i, nr = 0;

	for (i = 0; i < all->nr; i++)
		nr += hweight_long(READ_ONCE(all->list[i]->idle));
	return nr;
}
WSQ_EXPORT_KUNIT(wsq_idle_count);

/* ---- waking ---- */

/*
 * Wake the worker of a CPU whose wake-up was claimed. If the worker sleeps in
 * an item, a standby worker becomes current instead. If that item has just
 * ended, the worker looks at the ready bits without being woken. False if no
 * worker comes before the item ends.
 */
static bool wsq_wake_worker(struct wsq_cpu *c)
{
	struct wsq_worker *w = READ_ONCE(c->worker);
	u64 nr_run;

	if (!w)
		return false;
	nr_run = READ_ONCE(w->nr_run);
	if (READ_ONCE(w->cur)) {
		if (wsq_hand_off(c, w, nr_run, false))
			return true;
		wsq_watchdog_start(c);
		return READ_ONCE(w->nr_run) != nr_run || !READ_ONCE(w->cur);
	}
	/* A worker that was awake may begin a long item first. */
	if (!wake_up_process(w->task))
		wsq_watchdog_start(c);
	return true;
}

static void wsq_nmi_work(struct irq_work *work)
{
	struct wsq_cpu *c = container_of(work, struct wsq_cpu, nmi_work);

	/* No worker comes: the CPU cannot be the seeker either. */
	if (!wsq_wake_worker(c))
		atomic_cmpxchg_relaxed(&c->domain->seeker, c->cpu + 1, 0);
}

/**
 * wsq_wake_cpu() - wake a CPU's worker if it parked
 * @c: the CPU
 *
 * Call after the ready bit is set.
 *
 * Context: any, NMI included, with preemption off; not under a runqueue lock or
 * a task's pi_lock.
 * Return: true if the caller claimed the wake-up, and a worker comes.
 */
bool wsq_wake_cpu(struct wsq_cpu *c)
{
	if (!wsq_parked(&c->park))
		return false;
	wsq_idle_clear(c);
	if (!wsq_park_claim(&c->park))
		return false;
	atomic64_inc(&c->class->cpus[smp_processor_id()]->wakeups);
	if (unlikely(in_nmi())) {
		irq_work_queue(&c->nmi_work);
		return true;
	}
	return wsq_wake_worker(c);
}

/**
 * wsq_kept_off() - may another thread keep a parked worker off its CPU
 * @c: the CPU, whose worker the caller is about to wake
 *
 * Ask before the wake-up, which makes the CPU reschedule.
 *
 * Context: as wsq_wake_cpu().
 * Return: a hint; true if nothing is known. False if the CPU is idle, and the
 * worker runs at once.
 */
bool wsq_kept_off(const struct wsq_cpu *c)
{
	const struct wsq_worker *w = READ_ONCE(c->worker);
	const struct task_struct *idle = READ_ONCE(c->idle_thread);

	if (c->cpu != smp_processor_id())
		return !idle || !wsq_thread_runs(idle);
	/* If it reschedules already, another thread was woken before. */
	if (need_resched())
		return true;
	/* A worker that has announced that it parks may look once more. */
	return !is_idle_task(current) && !(w && w->task == current);
}

/* May the worker of this CPU begin items of the queue? */
static bool wsq_may_begin(const struct wsq *q, unsigned int cpu)
{
	return wsq_lane(q, cpu) &&
	       !test_bit(q->id, wsq_cpu_of(q, cpu)->held);
}

/* May this CPU leave one more offer to a seeker? Preemption is off. */
static bool wsq_rely(const struct wsq_class *class)
{
	struct wsq_cpu *here = class->cpus[smp_processor_id()];

	here->relied = here->relied < WSQ_RELY_MOST ? here->relied + 1 : 0;
	return here->relied;
}

/**
 * wsq_idle_meet() - a worker gives up its CPU: remember the CPU's idle thread
 * @class: the worker's class
 * @next: the thread that runs now
 *
 * Modules cannot ask the kernel for it.
 *
 * Context: the scheduler's hook, on that CPU.
 */
void wsq_idle_meet(const struct wsq_class *class,
		   const struct task_struct *next)
{
	struct wsq_cpu *c = class->cpus[smp_processor_id()];

	if (unlikely(!c->idle_thread) && wsq_is_idle_thread(next))
		WRITE_ONCE(c->idle_thread, next);
}

/**
 * wsq_idle_really() - does a CPU whose worker is parked run no other thread
 * @c: the CPU
 *
 * Context: any.
 * Return: a hint; true if nothing is known.
 */
bool wsq_idle_really(const struct wsq_cpu *c)
{
	const struct task_struct *idle = READ_ONCE(c->idle_thread);

	return !idle || wsq_thread_runs(idle);
}
WSQ_EXPORT_KUNIT(wsq_idle_really);

/* Rank of a CPU whose worker is parked, worst first, as in the scheduler. */
enum wsq_rank {
	WSQ_RANK_BUSY,		/* it runs another thread */
	WSQ_RANK_SIBLING,	/* it is idle, but not all of its core is */
	WSQ_RANK_CORE,		/* its core is idle */
};

static enum wsq_rank wsq_idle_rank(const struct wsq_domain *d,
				   unsigned long idle, unsigned int bit)
{
	if (!wsq_idle_really(wsq_domain_cpu(d, bit)))
		return WSQ_RANK_BUSY;
	return d->cores[bit] & ~idle ? WSQ_RANK_SIBLING : WSQ_RANK_CORE;
}

/*
 * The best of the idle CPUs @left of a domain, from @from upwards; of many it
 * looks at a few. @idle has the CPUs that were tried already, too.
 */
static unsigned int wsq_idle_best(const struct wsq_domain *d,
				  unsigned long idle, unsigned long left,
				  unsigned int from, enum wsq_rank *rank)
{
	unsigned int best = wsq_domain_next(left, from), bit = best, looks;

	*rank = wsq_idle_rank(d, idle, best);
	for (looks = 1; looks < WSQ_RANK_LOOKS; looks++) {
		enum wsq_rank other;

		left &= ~BIT(bit);
		if (*rank == WSQ_RANK_CORE || !left)
			break;
		bit = wsq_domain_next(left, from);
		other = wsq_idle_rank(d, idle, bit);
		if (other > *rank) {
			*rank = other;
			best = bit;
		}
	}
	return best;
}

/* An idle CPU of a domain, not @from, that may begin items of @q. */
static unsigned int wsq_idle_in(struct wsq_domain *d, const struct wsq *q,
				const struct wsq_cpu *from)
{
	unsigned long idle = wsq_domain_look(&d->idle, d->all->idle, d->id);
	unsigned long left = idle;

	while (left) {
		enum wsq_rank rank;
		unsigned int bit = wsq_idle_best(d, idle, left, from->bit,
						 &rank);
		unsigned int cpu = d->cpus[bit];

		if (rank == WSQ_RANK_BUSY)
			break;
		left &= ~BIT(bit);
		if (cpu != from->cpu && wsq_may_begin(q, cpu) &&
		    READ_ONCE(wsq_cpu_of(q, cpu)->worker))
			return cpu;
	}
	return nr_cpu_ids;
}

/**
 * wsq_idle_nearest() - which idle CPU should run an item that this CPU puts
 * @q: the queue
 *
 * Context: any, with preemption off.
 * Return: the CPU, not this one; %nr_cpu_ids if none is idle. A hint: the CPU
 * may have been woken since.
 */
unsigned int wsq_idle_nearest(const struct wsq *q)
{
	const struct wsq_cpu *c = wsq_cpu_of(q, smp_processor_id());
	const struct wsq_domains *all = &q->class->domains;
	unsigned int i, cpu = nr_cpu_ids;

	if (!wsq_idle_any(all))
		return cpu;
	for (i = 0; i < all->nr && cpu == nr_cpu_ids; i++) {
		u32 id = c->domain->order[i];

		if (test_bit(id, all->idle))
			cpu = wsq_idle_in(all->list[id], q, c);
	}
	return cpu;
}
WSQ_EXPORT_KUNIT(wsq_idle_nearest);

/**
 * wsq_idle_next() - an idle CPU of another domain, if there is any
 * @q: the queue
 *
 * Begins with the domain whose number is next to this CPU's. So if the CPU that
 * is returned calls this in turn, and so on, that goes round all domains.
 *
 * Context: any, with preemption off.
 * Return: as wsq_idle_nearest().
 */
unsigned int wsq_idle_next(const struct wsq *q)
{
	const struct wsq_cpu *c = wsq_cpu_of(q, smp_processor_id());
	const struct wsq_domains *all = &q->class->domains;
	unsigned int i, cpu = nr_cpu_ids;

	if (!wsq_idle_any(all))
		return cpu;
	for (i = 1; i <= all->nr && cpu == nr_cpu_ids; i++) {
		u32 id = (c->domain->id + i) % all->nr;

		if (test_bit(id, all->idle))
			cpu = wsq_idle_in(all->list[id], q, c);
	}
	return cpu;
}
WSQ_EXPORT_KUNIT(wsq_idle_next);

/* Wake a worker as the seeker of its domain, if the domain's is still @was. */
static bool wsq_seek_send(struct wsq_cpu *c, int was)
{
	struct wsq_domain *d = c->domain;
	const int me = c->cpu + 1;

	if (!wsq_parked(&c->park) || !READ_ONCE(c->worker))
		return false;
	WRITE_ONCE(c->sent, ktime_get_mono_fast_ns());
	/* SK(send:A) */
	if (atomic_cmpxchg(&d->seeker, was, me) != was)
		return false;
	if (wsq_wake_cpu(c))
		return true;
	/*
	 * Another context has woken it, or no worker comes. In the first case
	 * the worker may have seen that it is the seeker, and stops as usual.
	 */
	atomic_cmpxchg_relaxed(&d->seeker, me, 0);
	return false;
}

/*
 * Wake an idle worker of a domain, not that of @self, to steal what @q has on
 * @at. If @rely is set, the domain's seeker suffices. Idle workers whose CPU
 * runs another thread are skipped if @busy is not %NULL, and @busy is set to
 * true.
 */
static bool wsq_wake_in(struct wsq_domain *d, const struct wsq *q,
			const struct wsq_cpu *at, unsigned int self, bool rely,
			bool *busy)
{
	unsigned long idle = wsq_domain_look(&d->idle, d->all->idle, d->id);
	unsigned long left = idle;

	for (;;) {
		int seeker = atomic_read(&d->seeker);
		unsigned int bit, cpu;
		enum wsq_rank rank;

		if (seeker && rely && wsq_may_begin(q, seeker - 1))
			return true;
		if (!left)
			return false;
		bit = wsq_idle_best(d, idle, left, at->bit, &rank);
		if (busy && rank == WSQ_RANK_BUSY) {
			*busy = true;
			return false;
		}
		cpu = d->cpus[bit];
		left &= ~BIT(bit);
		if (cpu != self && wsq_may_begin(q, cpu) &&
		    wsq_seek_send(wsq_cpu_of(q, cpu), seeker))
			return true;
	}
}

/* The same for all domains but @c's own. */
static bool wsq_wake_abroad(const struct wsq *q, const struct wsq_cpu *c,
			    unsigned int self, bool rely, bool *busy)
{
	const struct wsq_domain *home = c->domain;
	const struct wsq_domains *all = home->all;
	unsigned int i;

	if (!wsq_idle_any(all))
		return false;
	for (i = 1; i < all->nr; i++) {
		if (test_bit(home->order[i], all->idle) &&
		    wsq_wake_in(all->list[home->order[i]], q, c, self, rely,
				busy))
			return true;
	}
	return false;
}

static bool wsq_wake_nearest(const struct wsq *q, struct wsq_cpu *c,
			     unsigned int self, bool anew)
{
	struct wsq_domain *home = c->domain;
	/* One of many offers wakes a worker even if there is a seeker. */
	bool rely = !anew && wsq_rely(c->class), busy = false;

	/* If this sets the bit, it is a full barrier. */
	if (!test_bit(c->bit, &home->surplus))
		wsq_domain_set(&home->surplus, c->bit);
	if (wsq_wake_in(home, q, c, self, rely, &busy))
		return true;
	/* No worker of this domain: try the others. */
	wsq_domain_set_bit(home->all->surplus, home->id);
	if (wsq_wake_abroad(q, c, self, rely, &busy))
		return true;
	/* A worker whose CPU runs another thread is better than none. */
	return busy && (wsq_wake_in(home, q, c, self, rely, NULL) ||
			wsq_wake_abroad(q, c, self, rely, NULL));
}

/**
 * wsq_wake_idle() - wake an idle worker to steal
 * @q: the queue that has something to steal
 * @c: the CPU that has it
 *
 * Wakes the nearest idle worker, or leaves the items to the seeker of that
 * worker's domain.
 *
 * Context: as wsq_wake_cpu(). A full barrier since the items were put there.
 * Return: true if a worker comes.
 */
bool wsq_wake_idle(const struct wsq *q, struct wsq_cpu *c)
{
	const struct wsq_cpu *here = c->class->cpus[smp_processor_id()];
	const struct wsq_worker *w = READ_ONCE(here->worker);
	/* A worker that offers what it has stolen is awake itself. */
	bool self = w && w->task == current && in_task();

	return wsq_wake_nearest(q, c, self ? here->cpu : nr_cpu_ids, false);
}

/**
 * wsq_wake_idle_anew() - wake an idle worker even if one seeks
 * @q: the queue that has something to steal
 * @c: the CPU that has it
 *
 * For the watchdog: no seeker has come for a while.
 *
 * Context: as wsq_wake_cpu().
 * Return: true if a worker was woken.
 */
bool wsq_wake_idle_anew(const struct wsq *q, struct wsq_cpu *c)
{
	smp_mb();					/* ID(anew:A) */
	return wsq_wake_nearest(q, c, nr_cpu_ids, true);
}

/**
 * wsq_wake_all() - wake every idle worker that may take a queue's items
 * @q: the queue; %NULL for any
 * @c: the CPU that has the items, and no worker
 *
 * In case no worker may, the stall detector is armed: @c has no watchdog.
 *
 * Context: as wsq_wake_cpu().
 */
void wsq_wake_all(const struct wsq *q, struct wsq_cpu *c)
{
	const struct wsq_domains *all = c->domain->all;
	unsigned int i, bit;

	wsq_surplus_set(c);
	smp_mb();						/* ID(all:A) */
	for (i = 0; i < all->nr; i++) {
		const struct wsq_domain *d = all->list[i];
		unsigned long idle = READ_ONCE(d->idle);

		for_each_set_bit(bit, &idle, BITS_PER_LONG) {
			if (!q || wsq_lane(q, d->cpus[bit]))
				wsq_wake_cpu(wsq_domain_cpu(d, bit));
		}
	}
	if (!in_nmi() && wsq_watchdog_hook)
		wsq_watchdog_hook();
}

/**
 * wsq_seek_begin() - make an awake worker the seeker of its domain
 * @c: its CPU
 *
 * Context: the current worker.
 * Return: false if the domain has a seeker, or the worker has lost its CPU.
 */
bool wsq_seek_begin(struct wsq_cpu *c)
{
	atomic_t *seeker = &c->domain->seeker;
	bool begun;

	/* If this worker is the seeker, it has looked and found nothing. */
	if (READ_ONCE(c->seeks) || atomic_read(seeker))
		return false;
	preempt_disable();
	begun = smp_processor_id() == c->cpu && READ_ONCE(c->worker) &&
		!atomic_cmpxchg_relaxed(seeker, 0, c->cpu + 1);
	if (begun)
		WRITE_ONCE(c->seeks, true);
	preempt_enable();
	return begun;
}

/**
 * wsq_seek_came() - a worker is awake: if it seeks, measure its wake-up
 * @c: its CPU
 *
 * The time from wake-up to first look decides what is worth waking an idle CPU
 * for. It is some microseconds on most machines, more where CPUs are virtual or
 * sleep deeply.
 *
 * Context: the current worker, with preemption off.
 */
void wsq_seek_came(struct wsq_cpu *c)
{
	struct wsq_domain *d = c->domain;
	u32 came = READ_ONCE(d->came_ns), come = READ_ONCE(d->come_ns);
	u64 ns;

	if (!READ_ONCE(c->seeks))
		return;
	ns = ktime_get_mono_fast_ns() - READ_ONCE(c->sent);
	/* Limited: a worker that was kept off its CPU says little. */
	came = (7 * came + (u32)min_t(u64, ns, 2 * WSQ_COME_MAX_NS)) / 8;
	WRITE_ONCE(d->came_ns, came);
	came = clamp_t(u32, came, WSQ_COME_MIN_NS, WSQ_COME_MAX_NS);
	if (came > come + come / 8 || came < come - come / 8)
		WRITE_ONCE(d->come_ns, came);
}

/**
 * wsq_seek_stop() - a worker has found nothing, and seeks no longer
 * @c: its CPU
 *
 * A put may have relied on it since its last look. If the worker then finds
 * something before it sleeps, it wakes the next one (@sought). If it parks,
 * wsq_park_announce() has the barrier between this and the last look.
 *
 * Context: the current worker, with preemption off; or the CPU's role_lock is
 * held.
 */
void wsq_seek_stop(struct wsq_cpu *c)
{
	if (!READ_ONCE(c->seeks))
		return;
	WRITE_ONCE(c->seeks, false);
	WRITE_ONCE(c->sought, true);
	atomic_cmpxchg_relaxed(&c->domain->seeker, c->cpu + 1, 0);
}

/*
 * Called for a queue that is ready on @vc, which has a surplus, on behalf of
 * @c. True ends the search.
 */
typedef bool (*wsq_surplus_fn)(const struct wsq *q, struct wsq_cpu *vc,
			       struct wsq_cpu *c);

static bool wsq_surplus_begin(const struct wsq *q, struct wsq_cpu *vc,
			      struct wsq_cpu *c)
{
	return wsq_may_begin(q, c->cpu);
}

static bool wsq_surplus_fits(const struct wsq *q, struct wsq_cpu *vc,
			     struct wsq_cpu *c)
{
	int seeker = atomic_read(&c->domain->seeker);

	/* Not if the domain's seeker may take the items. */
	return wsq_may_begin(q, c->cpu) &&
	       !(seeker && wsq_may_begin(q, seeker - 1));
}

static bool wsq_surplus_wake(const struct wsq *q, struct wsq_cpu *vc,
			     struct wsq_cpu *c)
{
	return wsq_wake_nearest(q, vc, c->cpu, false);
}

/*
 * May others take something of a queue on @vc? Without a worker there, bound
 * items, too.
 */
static bool wsq_surplus_any(const struct wsq_cpu *vc,
			    const struct wsq_lane *lane)
{
	return READ_ONCE(vc->worker) ? wsq_lane_stealable(lane) :
				       wsq_lane_waiting(lane);
}

/*
 * Try @fn for the queues of one victim, first that which @c served last. On a
 * CPU without a worker queues stay marked when they are empty, and no watchdog
 * finds what a search leaves out. So it looks past many of these.
 */
static bool wsq_surplus_queues(struct wsq_cpu *c, struct wsq_cpu *vc,
			       wsq_surplus_fn fn, int *looks)
{
	u32 id = wsq_ready_next(vc, READ_ONCE(c->last)), first = id;
	int empty = READ_ONCE(vc->worker) ? WSQ_SEEK_LOOK : 1;

	if (id == WSQ_MAX_QUEUES)
		*looks -= WSQ_SEEK_LOOK;
	while (id < WSQ_MAX_QUEUES && *looks > 0) {
		const struct wsq *q = wsq_queue_at(vc, id);
		const struct wsq_lane *lane;
		bool any;

		lane = q ? wsq_lane_any(q, vc->cpu) : NULL;
		/* The surplus may be another queue's. */
		any = lane && wsq_surplus_any(vc, lane);
		if (any && fn(q, vc, c))
			return true;
		*looks -= any ? WSQ_SEEK_LOOK : empty;
		id = wsq_ready_next(vc, id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0);
		if (id == first)
			break;
	}
	return false;
}

/* Try @fn for queues of the CPUs of one domain that have a surplus. */
static bool wsq_surplus_in(struct wsq_cpu *c, struct wsq_domain *d,
			   wsq_surplus_fn fn, int *looks)
{
	unsigned long surplus = wsq_domain_look(&d->surplus, d->all->surplus,
						d->id);

	while (surplus && *looks > 0) {
		unsigned int bit = wsq_domain_next(surplus, d == c->domain ?
						   c->bit : 0);
		struct wsq_cpu *vc = wsq_domain_cpu(d, bit);

		surplus &= ~BIT(bit);
		/* A CPU does not steal from itself. */
		if (vc == c && fn != wsq_surplus_wake)
			continue;
		if (wsq_surplus_queues(c, vc, fn, looks))
			return true;
	}
	return false;
}

/*
 * Try @fn for queues of CPUs with a surplus, the nearest first, until it
 * returns true. Preemption is off, so of many queues it tries a few.
 */
static bool wsq_surplus_try(struct wsq_cpu *c, wsq_surplus_fn fn)
{
	const struct wsq_domain *home = c->domain;
	int looks = WSQ_SEEK_LOOKS;
	unsigned int i;

	for (i = 0; i < home->all->nr && looks > 0; i++) {
		struct wsq_domain *d = home->all->list[home->order[i]];

		if ((!i || test_bit(d->id, home->all->surplus)) &&
		    wsq_surplus_in(c, d, fn, &looks))
			return true;
	}
	return false;
}

/**
 * wsq_surplus_for() - should a parked CPU's worker come for a surplus
 * @c: the CPU, for which wsq_idle_enter() was called
 *
 * Context: any, with preemption off.
 * Return: true if another CPU has a surplus of a queue that @c may serve, and
 * the seeker of @c's domain, if any, may not take it. A hint: it looks at a few
 * queues.
 */
bool wsq_surplus_for(struct wsq_cpu *c)
{
	return wsq_surplus_near(c->domain) &&
	       wsq_surplus_try(c, wsq_surplus_fits);
}

/**
 * wsq_surplus_mine() - may a CPU's worker begin items of another one nearby
 * @c: the CPU
 *
 * Context: task.
 * Return: true if a CPU of @c's domain has a surplus that @c's worker may take.
 * A hint: it looks at a few queues.
 */
bool wsq_surplus_mine(struct wsq_cpu *c)
{
	int looks = WSQ_SEEK_LOOKS;
	bool mine;

	if (!READ_ONCE(c->domain->surplus))
		return false;
	preempt_disable();
	mine = wsq_surplus_in(c, c->domain, wsq_surplus_begin, &looks);
	preempt_enable();
	return mine;
}
WSQ_EXPORT_KUNIT(wsq_surplus_mine);

/*
 * A thief has cleared a bit, found items and set it again. The put of the items
 * may have found no idle worker, and a worker that parked while the bit was
 * clear has not seen them: wake one. A full barrier since the bit was set.
 */
static void wsq_surplus_notify(struct wsq_cpu *c)
{
	if (!wsq_idle_any(c->domain->all))
		return;
	preempt_disable();
	wsq_surplus_try(c, wsq_surplus_wake);
	preempt_enable();
}

/**
 * wsq_surplus_again() - a thief has cleared a surplus bit, and finds items
 * @c: the thief's CPU
 * @vc: the CPU that has the items
 *
 * Sets the bit again, and wakes a worker.
 *
 * Context: the current worker.
 */
void wsq_surplus_again(struct wsq_cpu *c, struct wsq_cpu *vc)
{
	/* A full barrier. If the bit is set already, a put wakes a worker. */
	wsq_surplus_set(vc);
	wsq_surplus_notify(c);
}

/**
 * wsq_surplus_look() - which CPUs of a worker's domain have a surplus
 * @c: the worker's CPU
 *
 * Clears the machine's bit of the domain if there are none.
 *
 * Context: the current worker.
 * Return: the domain's bits.
 */
unsigned long wsq_surplus_look(struct wsq_cpu *c)
{
	struct wsq_domain *d = c->domain;
	bool none = !READ_ONCE(d->surplus);
	unsigned long bits = wsq_domain_look(&d->surplus, d->all->surplus,
					     d->id);

	/* Then the machine's bit was clear for a moment, or a put has come. */
	if (unlikely(none && bits))
		wsq_surplus_notify(c);
	return bits;
}

/**
 * wsq_surplus_come() - wake a parked CPU's worker to steal
 * @c: the CPU
 *
 * Does nothing if its domain has a seeker.
 *
 * Context: as wsq_wake_cpu().
 */
void wsq_surplus_come(struct wsq_cpu *c)
{
	wsq_seek_send(c, 0);
}

/**
 * wsq_seek_end_slow() - a seeker has found something: wake the next one
 * @c: its CPU
 *
 * Only if there is a surplus: a put may have left its item to this worker.
 *
 * Context: the current worker, with preemption off.
 */
void wsq_seek_end_slow(struct wsq_cpu *c)
{
	wsq_seek_stop(c);
	WRITE_ONCE(c->sought, false);
	smp_mb();					/* SK(end:A) */
	if (wsq_idle_any(c->domain->all) && wsq_surplus_near(c->domain))
		wsq_surplus_try(c, wsq_surplus_wake);
}

/**
 * wsq_idle_cpu_init() - before a CPU has a worker
 * @c: the CPU
 */
void wsq_idle_cpu_init(struct wsq_cpu *c)
{
	wsq_park_init(&c->park);
	/* Hard: c->worker is only safe with preemption off. */
	c->nmi_work = IRQ_WORK_INIT_HARD(wsq_nmi_work);
}
