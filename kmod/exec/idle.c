// SPDX-License-Identifier: GPL-2.0
/*
 * Idle workers, surpluses, and who is woken. The argument is in idle.h.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "exec.h"

/*
 * So many offers of one CPU in a row may be left to seekers. The next one wakes a
 * worker: a seeker may be kept off its CPU.
 */
#define WSQ_RELY_MOST		32

/* CPUs with a surplus, and queues there, that one look takes into account. */
#define WSQ_SEEK_LOOKS		8

struct wsq_domains wsq_domains;
WSQ_EXPORT_KUNIT(wsq_domains);

/* ---- bits of a domain, and the machine's bit of that domain ---- */

static void wsq_domain_set(unsigned long *word, unsigned int bit)
{
	set_bit(bit, word);				/* DM(set:A) */
	smp_mb__after_atomic();				/* DM(set:B) */
}

/* After wsq_domain_set(). */
static void wsq_domain_tell(unsigned long *map, u32 id)
{
	if (test_bit(id, map))
		return;
	set_bit(id, map);				/* DM(set:C) */
	smp_mb__after_atomic();				/* DM(set:D) */
}

/* False if it was clear already. The machine's bit stays, for wsq_domain_look(). */
static bool wsq_domain_clear(unsigned long *word, unsigned int bit)
{
	if (!test_bit(bit, word))
		return false;
	/* Full barrier: against PK(announce:B), ID(offer:A). */
	return test_and_clear_bit(bit, word);		/* DM(clear:C) */
}

/*
 * The bits of a domain. If there are none, the machine's bit is cleared, so that the
 * next one need not look here. It is not cleared with the last bit of the domain,
 * because that comes and goes.
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
		set_bit(id, map);
	return bits;
}

/**
 * wsq_surplus_look() - which CPUs of a domain have a surplus
 * @d: the domain, of which the machine's bit is set
 *
 * Context: any.
 * Return: its bits.
 */
unsigned long wsq_surplus_look(struct wsq_domain *d)
{
	return wsq_domain_look(&d->surplus, wsq_domains.surplus, d->id);
}

/**
 * wsq_surplus_set() - a CPU has items within the reach of thieves
 * @c: the CPU
 *
 * Context: any. A full barrier since the items were put there.
 */
void wsq_surplus_set(struct wsq_cpu *c)
{
	struct wsq_domain *d = c->domain;

	if (!test_bit(c->bit, &d->surplus))
		wsq_domain_set(&d->surplus, c->bit);
	wsq_domain_tell(wsq_domains.surplus, d->id);
}

/**
 * wsq_surplus_clear() - a CPU seems to have nothing for thieves
 * @c: the CPU
 *
 * Context: any.
 * Return: true if the caller has to look at all its queues again; false if another
 * context has cleared the bit.
 */
bool wsq_surplus_clear(struct wsq_cpu *c)
{
	struct wsq_domain *d = c->domain;

	return wsq_domain_clear(&d->surplus, c->bit);
}

/**
 * wsq_idle_enter() - tell that a CPU is parked
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
	wsq_domain_tell(wsq_domains.idle, d->id);
}

/* The CPU's wake-up is about to be claimed. */
static void wsq_idle_clear(struct wsq_cpu *c)
{
	struct wsq_domain *d = c->domain;

	/* Before the claim: a bit that is set after this is of a later park. */
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
	/* The wake-up was claimed by a context that may have made it the seeker. */
	smp_mb();					/* SK(take:A) */
	seeker = atomic_read(&d->seeker);		/* SK(take:B) */
	if (seeker == (int)c->cpu + 1)
		WRITE_ONCE(c->seeks, true);
}

/**
 * wsq_idle_count() - how many CPUs count as idle
 *
 * Context: any.
 * Return: the number, as of some moment.
 */
unsigned int wsq_idle_count(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < wsq_domains.nr; i++)
		nr += hweight_long(READ_ONCE(wsq_domains.list[i]->idle));
	return nr;
}
WSQ_EXPORT_KUNIT(wsq_idle_count);

/* ---- waking ---- */

/*
 * The wake-up of a CPU that announced that it is parked. Its worker sleeps for
 * want of items, or in an item: then a standby worker takes its place. If that
 * item has just ended, the worker looks at the ready bits by itself. False if no
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
		wsq_watch_start(c);
		return READ_ONCE(w->nr_run) != nr_run || !READ_ONCE(w->cur);
	}
	/*
	 * One that is awake already may begin another item first, which may
	 * compute for long.
	 */
	if (!wake_up_process(w->task))
		wsq_watch_start(c);
	return true;
}

static void wsq_nmi_work(struct irq_work *work)
{
	struct wsq_cpu *c = container_of(work, struct wsq_cpu, nmi_work);

	/* Nobody comes: it is not the seeker either. */
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
 * Return: true if the wake-up was the caller's, and a worker comes.
 */
bool wsq_wake_cpu(struct wsq_cpu *c)
{
	if (!wsq_parked(&c->park))
		return false;
	wsq_idle_clear(c);
	if (!wsq_park_claim(&c->park))
		return false;
	atomic64_inc(&wsq_cpus[smp_processor_id()]->wakeups);
	if (unlikely(in_nmi())) {
		irq_work_queue(&c->nmi_work);
		return true;
	}
	return wsq_wake_worker(c);
}

/* May the worker of this CPU begin items of the queue? */
static bool wsq_may_begin(const struct wsq *q, unsigned int cpu)
{
	return wsq_pool_ct(&q->pool, cpu) &&
	       !test_bit(q->pool.id, wsq_cpus[cpu]->held);
}

/* May one more offer be left to a seeker? Preemption is off. */
static bool wsq_rely(void)
{
	struct wsq_cpu *here = wsq_cpus[smp_processor_id()];

	here->relied = here->relied < WSQ_RELY_MOST ? here->relied + 1 : 0;
	return here->relied;
}

/* Wake a worker as the seeker of its domain; @was: what @seeker is to be. */
static bool wsq_seek_send(struct wsq_cpu *c, int was)
{
	struct wsq_domain *d = c->domain;
	const int me = c->cpu + 1;

	if (!wsq_parked(&c->park) || !READ_ONCE(c->worker))
		return false;
	/* SK(send:A) */
	if (atomic_cmpxchg(&d->seeker, was, me) != was)
		return false;
	if (wsq_wake_cpu(c))
		return true;
	/*
	 * Another context has woken it, or no worker comes. In the first case the
	 * worker may have seen that it is the seeker; it stops as usual then.
	 */
	atomic_cmpxchg_relaxed(&d->seeker, me, 0);
	return false;
}

/*
 * Have an idle worker of a domain come for what @q has at @at. One that seeks there
 * will do, unless @anew. Not @self.
 */
static bool wsq_wake_in(struct wsq_domain *d, const struct wsq *q,
			const struct wsq_cpu *at, unsigned int self, bool anew)
{
	unsigned long idle = wsq_domain_look(&d->idle, wsq_domains.idle, d->id);
	/* Once for each offer: one of many wakes a worker in any case. */
	bool rely = !anew && wsq_rely();

	for (;;) {
		int seeker = atomic_read(&d->seeker);
		unsigned int bit, cpu;

		if (seeker && rely && wsq_may_begin(q, seeker - 1))
			return true;
		if (!idle)
			return false;
		bit = wsq_domain_next(idle, at->domain == d ? at->bit : 0);
		cpu = d->cpus[bit];
		idle &= ~BIT(bit);
		if (cpu != self && wsq_may_begin(q, cpu) &&
		    wsq_seek_send(wsq_cpus[cpu], seeker))
			return true;
	}
}

static bool wsq_wake_nearest(const struct wsq *q, struct wsq_cpu *c,
			     unsigned int self, bool anew)
{
	struct wsq_domain *home = c->domain;
	unsigned int i;

	/* If this sets a bit, it is ordered before what follows. */
	if (!test_bit(c->bit, &home->surplus))
		wsq_domain_set(&home->surplus, c->bit);
	if (wsq_wake_in(home, q, c, self, anew))
		return true;
	/* It takes other domains. */
	wsq_domain_tell(wsq_domains.surplus, home->id);
	if (!wsq_idle_any())
		return false;
	for (i = 1; i < wsq_domains.nr; i++) {
		if (test_bit(home->order[i], wsq_domains.idle) &&
		    wsq_wake_in(wsq_domains.list[home->order[i]], q, c, self,
				anew))
			return true;
	}
	return false;
}

/**
 * wsq_wake_idle() - have an idle worker come to steal
 * @q: the queue that has something to steal
 * @c: the CPU where it is
 *
 * Wakes the nearest one, or leaves it to the seeker of that one's domain.
 *
 * Context: as wsq_wake_cpu(). A full barrier since the items were put there.
 * Return: true if one comes.
 */
bool wsq_wake_idle(const struct wsq *q, struct wsq_cpu *c)
{
	const struct wsq_cpu *here = wsq_cpus[smp_processor_id()];
	const struct wsq_worker *w = READ_ONCE(here->worker);
	/* A worker that says this of what it has brought home is awake. */
	bool self = w && w->task == current && in_task();

	return wsq_wake_nearest(q, c, self ? here->cpu : nr_cpu_ids, false);
}

/**
 * wsq_wake_idle_anew() - wsq_wake_idle(), whoever seeks already
 * @q: as there
 * @c: as there
 *
 * For the watchdog: whoever seeks has not come for a while.
 *
 * Context: as wsq_wake_cpu().
 * Return: true if one was woken.
 */
bool wsq_wake_idle_anew(const struct wsq *q, struct wsq_cpu *c)
{
	smp_mb();					/* ID(anew:A) */
	return wsq_wake_nearest(q, c, nr_cpu_ids, true);
}

/**
 * wsq_wake_all() - wake every idle worker that may take a queue's items
 * @q: the queue; %NULL for any
 * @c: the CPU where they are, which has no worker
 *
 * Context: as wsq_wake_cpu().
 */
void wsq_wake_all(const struct wsq *q, struct wsq_cpu *c)
{
	unsigned int i, bit;

	wsq_surplus_set(c);
	smp_mb();						/* ID(all:A) */
	for (i = 0; i < wsq_domains.nr; i++) {
		const struct wsq_domain *d = wsq_domains.list[i];
		unsigned long idle = READ_ONCE(d->idle);

		for_each_set_bit(bit, &idle, BITS_PER_LONG) {
			if (!q || wsq_pool_ct(&q->pool, d->cpus[bit]))
				wsq_wake_cpu(wsq_cpus[d->cpus[bit]]);
		}
	}
}

/**
 * wsq_seek_begin() - a worker that is awake would be the seeker of its domain
 * @c: its CPU
 *
 * Context: the current worker.
 * Return: true if it is now.
 */
bool wsq_seek_begin(struct wsq_cpu *c)
{
	atomic_t *seeker = &c->domain->seeker;
	bool begun;

	/* A worker that seeks already has looked, and found nothing. */
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
 * wsq_seek_stop() - a worker has found nothing: it seeks no longer
 * @c: its CPU
 *
 * A put may have relied on it since its last look. If the worker finds something
 * after all, before it sleeps, it wakes the next one (@sought). Before it parks,
 * wsq_park_announce() has the barrier between this and the last look.
 *
 * Context: the current worker, with preemption off; or the CPU's role_lock is held.
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
 * Called for a queue that is ready at @vc, which has a surplus; @c is the CPU that
 * looks. True ends the search.
 */
typedef bool (*wsq_surplus_fn)(const struct wsq *q, struct wsq_cpu *vc,
			       struct wsq_cpu *c);

static bool wsq_surplus_fits(const struct wsq *q, struct wsq_cpu *vc,
			     struct wsq_cpu *c)
{
	int seeker = atomic_read(&c->domain->seeker);

	/* Unless another one comes. */
	return wsq_may_begin(q, c->cpu) &&
	       !(seeker && wsq_may_begin(q, seeker - 1));
}

/* Queues at one victim, from the one on that @c has served last. */
static bool wsq_surplus_queues(struct wsq_cpu *c, struct wsq_cpu *vc,
			       wsq_surplus_fn fn, unsigned int *looks)
{
	u32 id = wsq_ready_next(vc, READ_ONCE(c->last)), first = id;

	if (id == WSQ_MAX_QUEUES)
		--*looks;
	while (id < WSQ_MAX_QUEUES && *looks) {
		const struct wsq *q = xa_load(&wsq_queues, id);
		const struct wsq_container *ct;

		--*looks;
		ct = q ? wsq_pool_any(&q->pool, vc->cpu) : NULL;
		/* The bit may be there for the sake of another queue. */
		if (ct && wsq_linked_stealable(ct) && fn(q, vc, c))
			return true;
		id = wsq_ready_next(vc, id + 1 < WSQ_MAX_QUEUES ? id + 1 : 0);
		if (id == first)
			break;
	}
	return false;
}

/*
 * Try @fn for queues at CPUs with a surplus, the nearest first, until it has done
 * something. Preemption is off, so of many queues it tries a few.
 */
static bool wsq_surplus_try(struct wsq_cpu *c, wsq_surplus_fn fn)
{
	const struct wsq_domain *home = c->domain;
	unsigned int i, looks = WSQ_SEEK_LOOKS;

	for (i = 0; i < wsq_domains.nr; i++) {
		struct wsq_domain *d = wsq_domains.list[home->order[i]];
		unsigned long surplus;

		if (i && !test_bit(d->id, wsq_domains.surplus))
			continue;
		surplus = wsq_surplus_look(d);
		while (surplus) {
			struct wsq_cpu *vc;
			unsigned int bit;

			bit = wsq_domain_next(surplus, d == home ? c->bit : 0);
			surplus &= ~BIT(bit);
			vc = wsq_cpus[d->cpus[bit]];
			/* A CPU does not come for what it has itself. */
			if (vc == c && fn == wsq_surplus_fits)
				continue;
			if (wsq_surplus_queues(c, vc, fn, &looks))
				return true;
			if (!looks)
				return false;
		}
	}
	return false;
}

static bool wsq_surplus_wake(const struct wsq *q, struct wsq_cpu *vc,
			     struct wsq_cpu *c)
{
	return wsq_wake_nearest(q, vc, c->cpu, false);
}

/**
 * wsq_surplus_for() - should a worker of a CPU come for a surplus
 * @c: the CPU, for which wsq_idle_enter() was called
 *
 * Context: any, with preemption off.
 * Return: true if a CPU has a surplus of a queue that @c may serve, and no worker
 * of its domain is on its way for it. A hint: it looks at a few queues.
 */
bool wsq_surplus_for(struct wsq_cpu *c)
{
	return wsq_surplus_near(c->domain) &&
	       wsq_surplus_try(c, wsq_surplus_fits);
}

/**
 * wsq_surplus_come() - wake a CPU's worker for the surplus of others
 * @c: the CPU, which is parked
 *
 * Not if another CPU of its domain is on its way.
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
 * If any CPU has a surplus: a put may have left its item to this worker.
 *
 * Context: the current worker, with preemption off.
 */
void wsq_seek_end_slow(struct wsq_cpu *c)
{
	wsq_seek_stop(c);
	WRITE_ONCE(c->sought, false);
	smp_mb();					/* SK(end:A) */
	if (wsq_idle_any() && wsq_surplus_near(c->domain))
		wsq_surplus_try(c, wsq_surplus_wake);
}

/* ---- init ---- */

static struct wsq_domain *wsq_domain_add(void)
{
	struct wsq_domain *d = kzalloc(sizeof(*d), GFP_KERNEL);

	if (!d)
		return NULL;
	d->order = kcalloc(nr_cpu_ids, sizeof(*d->order), GFP_KERNEL);
	if (!d->order) {
		kfree(d);
		return NULL;
	}
	d->id = wsq_domains.nr;
	wsq_domains.list[wsq_domains.nr++] = d;
	return d;
}

/* The domain of a CPU's cache that has room for one more. */
static struct wsq_domain *wsq_domain_for(unsigned int cpu)
{
	unsigned int i = wsq_domains.nr;

	while (i--) {
		struct wsq_domain *d = wsq_domains.list[i];

		if (d->nr < BITS_PER_LONG &&
		    wsq_topology_distance(&wsq_machine, d->cpus[0], cpu) <=
		    WSQ_DIST_CACHE)
			return d;
	}
	return wsq_domain_add();
}

/* All domains, by the distance of their CPUs from the first one of this. */
static void wsq_domain_order(struct wsq_domain *d)
{
	const struct wsq_access *list = wsq_cpus[d->cpus[0]]->access;
	unsigned int i, k, nr = 0;

	d->order[nr++] = d->id;
	for (i = 0; i < list->nr; i++) {
		u32 id = wsq_cpus[list->victims[i].cpu]->domain->id;

		for (k = 0; k < nr && d->order[k] != id; k++)
			;
		if (k == nr)
			d->order[nr++] = id;
	}
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

/**
 * wsq_idle_init() - form the domains, when all of wsq_cpus is there
 *
 * Context: module load.
 * Return: 0 or %-ENOMEM; wsq_idle_exit() is due in both cases.
 */
int wsq_idle_init(void)
{
	unsigned int cpu, i;

	wsq_domains.list = kcalloc(nr_cpu_ids, sizeof(*wsq_domains.list),
				   GFP_KERNEL);
	if (!wsq_domains.list)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct wsq_domain *d = wsq_domain_for(cpu);

		if (!d)
			return -ENOMEM;
		wsq_cpus[cpu]->domain = d;
		wsq_cpus[cpu]->bit = d->nr;
		d->cpus[d->nr++] = cpu;
	}
	for (i = 0; i < wsq_domains.nr; i++)
		wsq_domain_order(wsq_domains.list[i]);
	wsq_domains.words = BITS_TO_LONGS(wsq_domains.nr);
	return 0;
}

/**
 * wsq_idle_exit() - after all else of the work service
 *
 * Context: module unload.
 */
void wsq_idle_exit(void)
{
	while (wsq_domains.nr) {
		struct wsq_domain *d = wsq_domains.list[--wsq_domains.nr];

		kfree(d->order);
		kfree(d);
	}
	kfree(wsq_domains.list);
	memset(&wsq_domains, 0, sizeof(wsq_domains));
}
