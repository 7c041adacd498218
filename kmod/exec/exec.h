/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The work service: queues, the workers that serve them, and how the two find
 * each other. Internal.
 *
 * A queue is a pool whose tasks are work items. Workers belong to the module,
 * one at a time for each CPU, and serve all queues. Which queues have work on a
 * CPU is told by that CPU's ready bits, one for each queue. A put that finds
 * its bit set is done; one that finds it clear sets it and wakes the worker if
 * that parked. The worker clears a bit when it has found the container empty,
 * looks once more, and parks when no bit is left and stealing brings nothing.
 *
 * Ready bits: a leaf of 64 words, 64 queues each, and a summary word, so that a
 * thief learns with one load that a CPU has nothing.
 *
 *	mark (put)			unmark (worker)
 *	----------			---------------
 *	task is in the container	RD(unmark:A) clear leaf bit
 *	RD(mark:A) set leaf bit		RD(unmark:B) smp_mb
 *	RD(summary:A) set summary bit	container empty? else mark again
 *	wake if parked			leaf word 0? RD(tidy:A) clear
 *					summary bit, RD(tidy:B) smp_mb
 *					leaf word still 0? else set summary bit
 *					and wake if parked, for others tidy too
 *
 *	IN(push:C), RD(mark:A), RD(summary:A) against RD(unmark:B), RD(tidy:B),
 *	RD(drop:B), RD(forget:B): store buffering
 *		One of the two sides sees the other's store. On the container's
 *		own CPU no order is needed (scenario A of core/parking.h);
 *		elsewhere the push into the inbox is a full barrier, so that
 *		RD(mark:A) and RD(summary:A) need none of their own.
 *		litmus/exec-ready.litmus
 *	SV(serve:A) release -> SV(left:A) acquire
 *		A queue is freed behind all that a worker did in it.
 *		litmus/exec-serving.litmus
 *	RS(ask:B) against RS(sleep:A): store buffering
 *		A rescuer that is asked for is woken, or sees for which CPU.
 *		litmus/exec-rescue.litmus
 *	DR(drain:A), DR(drain:B) release -> DR(stall:A), DR(stall:B) acquire
 *		A CPU that sees that a queue drains sees since when.
 *		litmus/exec-drain.litmus
 *	MM(give:B), then RD(mark:A), full
 *		A worker that sees the ready bit gives the memory back.
 *		litmus/exec-give-back.litmus
 *	OF(drop:A): with OF(offer:A) of engine/engine.c. litmus/pool-offer.litmus
 *	JB(piece:A): one helper has a piece of a job. litmus/exec-job.litmus
 */
#ifndef _WSQ_EXEC_EXEC_H
#define _WSQ_EXEC_EXEC_H

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/swait.h>
#include <linux/workqueue.h>
#include <linux/wsq.h>
#include <linux/xarray.h>

#include "../compat/sleep_notifier.h"
#include "../core/parking.h"
#include "../pool/linked.h"
#include "../pool/pool.h"
#include "idle.h"
#include "tenant.h"

#define WSQ_LEAF_WORDS		64
#define WSQ_MAX_QUEUES		(WSQ_LEAF_WORDS * 64)

/* Of these numbers, those from here on are of queues of users' rings. */
#define WSQ_FIRST_TENANT	(WSQ_MAX_QUEUES - WSQ_MAX_TENANTS)

/* Items that a worker runs for one queue before it looks at the next. */
#define WSQ_BUDGET		64

/* ... or for how long, if another queue waits. */
#define WSQ_SLICE_NS		(100 * NSEC_PER_USEC)

/* Most debt that a queue may have. */
#define WSQ_DEBT_MAX_NS		(10 * NSEC_PER_MSEC)

/* Items of a queue that may be under way on a CPU. */
#define WSQ_DEF_MAX_ACTIVE	1024
#define WSQ_MAX_MAX_ACTIVE	65536

/* wsq_waits(): there may be a queue that waits. */
#define WSQ_UNKNOWN		(WSQ_MAX_QUEUES + 1)

/* Tasks that a worker claims from one victim at a time. */
#define WSQ_STEAL_PIECE		16

/* No phase: nothing was run yet, or no flush waits. */
#define WSQ_NO_PHASE		WSQ_PHASES

/* struct wsq.flags */
#define WSQ_Q_DYING		BIT(0)
#define WSQ_Q_DRAINING		BIT(1)

struct device;
struct wsq_rescuer;

/**
 * struct wsq - a queue
 * @pool: its containers; their @id is the number of the queue's ready bits
 * @flags: WSQ_Q_*. Written under @drain_lock, anybody reads.
 * @phase: the phase that puts count in. Written under @flush_lock.
 * @awaited: the phase that a flush sleeps for or is about to, %WSQ_NO_PHASE if
 *	none does. Written under @flush_lock, read by workers.
 * @flush_lock: one flush at a time
 * @flush_wait: where a flush sleeps
 * @drain_lock: one drain at a time, and @drainers
 * @drainers: drains under way
 * @drain_since: since when there are any, in jiffies. Written under @drain_lock
 *	before @flags says so; anybody reads.
 * @drain_rounds: flushes since then after which something was left. Written under
 *	@drain_lock, with release; anybody reads.
 * @drain_seen: @drain_rounds when the stall detector last looked. Detector.
 * @drain_from: @drain_since at that check. Detector.
 * @drain_told: ms after which the drain was last reported. Detector.
 * @max_active: as in struct wsq_attrs, never 0. Constant.
 * @mask_lock: one change of @pool's CPUs at a time, and @follows
 * @follows: it names no CPUs and uses the module's. @mask_lock, but before the
 *	queue can be found.
 * @rescuer: runs items when no worker can; %NULL without %WSQ_MEM_RECLAIM.
 *	Constant.
 * @dev: its directory in sysfs; %NULL without %WSQ_SYSFS. Constant while the
 *	queue may be used.
 * @free_work: frees the queue after a grace period
 * @lockdep_map: what flushing the queue depends on
 * @lock_name: name of @lockdep_map
 */
struct wsq {
	struct wsq_pool pool;
	unsigned int flags;
	unsigned int phase;
	unsigned int awaited;
	struct mutex flush_lock;	/* one flush at a time */
	struct swait_queue_head flush_wait;
	struct mutex drain_lock;	/* drainers and what is about them, flags */
	unsigned int drainers;
	unsigned long drain_since;
	unsigned long drain_rounds;
	unsigned long drain_seen;
	unsigned long drain_from;
	unsigned int drain_told;
	u32 max_active;
	struct mutex mask_lock;		/* changes of the pool's CPUs */
	bool follows;
	struct wsq_rescuer *rescuer;
	struct device *dev;
	struct rcu_work free_work;
#ifdef CONFIG_LOCKDEP
	struct lockdep_map lockdep_map;
	const char *lock_name;
#endif
};

/* struct wsq_worker.loose: where the thread may run. */
enum {
	WSQ_FAST,		/* on its CPU */
	WSQ_LOOSENING,		/* it is being changed */
	WSQ_LOOSE,		/* on all CPUs of the queue */
};

/**
 * struct wsq_turn - a worker's time at a queue (learn.c)
 * @from: when it began, ns of CLOCK_MONOTONIC
 * @first: what the first item took, if no other thread had the CPU meanwhile
 * @switches: wsq_lap_switches() when it began
 * @sleeps: how often the worker had slept by then
 * @away: wsq_lap_away() by then
 * @left: when the turn before ended, if this one follows at once; 0 otherwise
 * @left_switches: wsq_lap_switches() by then
 */
struct wsq_turn {
	u64 from;
	u64 first;
	unsigned long switches;
	unsigned long sleeps;
	u64 away;
	u64 left;
	unsigned long left_switches;
};

/**
 * struct wsq_worker - a thread that runs items
 * @cpu: the CPU it belongs to. Constant, but for a rescuer.
 * @id: its number, by which an item remembers which worker ran it last.
 *	Constant.
 * @task: the thread. Constant.
 * @serving: the queue it is at, which wsq_destroy() must not free. Worker.
 * @cur: the item it runs, %NULL between two. Worker; any CPU reads.
 * @func: the function of @cur. Worker; any CPU reads.
 * @nr_run: how many items it has begun. Worker; any CPU reads.
 * @bound: @cur is to run on this CPU. Worker, before @cur; any CPU reads.
 * @turn: its time at @serving. Worker.
 * @attention: something was left below for the worker. Set under @lock, cleared
 *	by the worker under @lock, read by it without.
 * @lock: what other contexts leave here
 * @waiters: struct wsq_work_waiter of contexts that wait for @cur. @lock.
 * @deferred: items that were queued again while they run here. @lock.
 * @replaced: another worker is current. The CPU's role_lock and @lock; once
 *	seen, the worker's.
 * @gone: it has lost its CPU and ends as soon as it can. Hotplug callback.
 * @ending: it was taken out of the standby workers to be ended. The CPU's
 *	role_lock.
 * @notifier: called when it sleeps. Constant once it runs.
 * @asleep: it has announced that its CPU is parked, and has not run since.
 *	Worker, in the scheduler's hooks.
 * @holds: it held its queue when it went to sleep (standby.c). As @asleep.
 * @away: the container that counts @cur as under way, if the worker was
 *	replaced behind it. The CPU's role_lock, then the worker.
 * @computes: @away counts @cur as detached. Changed by exchange.
 * @sleep_work: @cur was detached, and sleeps now
 * @loose: where the thread may run. The CPU's role_lock; then the new worker,
 *	by release; then the worker itself.
 * @loose_cpus: the CPUs to let it run on. As @loose.
 * @list: in wsq_workers
 * @standby: in the CPU's list of standby workers. The CPU's role_lock.
 * @rescuer: what else a rescuer has, %NULL for others. Constant once it runs.
 * @stall_run: @nr_run when the stall detector last looked. wsq_workers_lock.
 * @stall_since: since when it has been that, in jiffies. wsq_workers_lock.
 * @began: when @cur was begun, while that is collected (kmod/obs/hist.c).
 *	Worker; any CPU reads.
 * @began_run: the @nr_run that @began is of. Worker; any CPU reads.
 * @began_by: the collection that @began is of. Worker.
 * @lap_end: when an item that is timed has ended last (lap.h). Worker.
 * @lap_run: the @nr_run of that item. Worker.
 * @lap_switches: how often the worker had given up the CPU by then. Worker.
 * @rcu: to free it
 */
struct wsq_worker {
	unsigned int cpu;
	u32 id;
	struct task_struct *task;
	struct wsq *serving;
	struct wsq_work *cur;
	wsq_func_t func;
	u64 nr_run;
	bool bound;
	bool attention;
	struct wsq_turn turn;
	raw_spinlock_t lock;		/* what other contexts leave here */
	struct list_head waiters;
	struct list_head deferred;
	bool replaced;
	bool gone;
	bool ending;
	bool asleep;
	bool holds;
	struct wsq_sleep_notifier notifier;
	struct wsq_container *away;
	atomic_t computes;
	struct irq_work sleep_work;
	int loose;
	cpumask_var_t loose_cpus;
	struct list_head list;
	struct list_head standby;
	struct wsq_rescuer *rescuer;
	u64 stall_run;
	unsigned long stall_since;
	u64 began;
	u64 began_run;
	u64 began_by;
	u64 lap_end;
	u64 lap_run;
	unsigned long lap_switches;
	struct rcu_head rcu;
};

/**
 * struct wsq_watch - the watchdog: looks whether a CPU's worker makes progress
 * @stuck: @nr_run + 1 of the item behind which others may take from the
 *	consumer's block; 0 for none. Timer; thieves read.
 * @timer: pinned to the CPU
 * @ask: has the CPU set the timer, for another CPU. By @watched of struct
 *	wsq_cpu.
 * @nmi_work: sets it for a put in an NMI handler
 * @seen: @nr_run of the worker when the timer last looked. Timer.
 * @worker: the worker that @seen is of. Timer.
 * @since: when @seen was first seen, ns of CLOCK_MONOTONIC. Timer.
 * @period: ns until the timer looks again. Timer.
 * @progress: the worker had begun an item when the timer last looked. Timer.
 * @from: the queue to look at first. Timer.
 * @limited_from: likewise, of queues at their limit. Timer.
 * @expiries: how often the timer has looked. Timer; any CPU reads.
 */
struct wsq_watch {
	u64 stuck;
	struct hrtimer timer;
	call_single_data_t ask;
	struct irq_work nmi_work;
	u64 seen;
	const struct wsq_worker *worker;
	u64 since;
	u64 period;
	bool progress;
	u32 from;
	u32 limited_from;
	u64 expiries;
};

/**
 * struct wsq_cpu - what the work service knows about a CPU
 * @summary: bit i is set while @leaf[i] may have bits. Any CPU.
 * @leaf: ready bits of all queues. Set by any CPU, cleared by the worker.
 * @held: queues that the CPU's workers pass over (standby.c). Set by the
 *	worker, cleared by one that ends an item, and when the CPU goes offline.
 * @passed: the worker has passed over a queue at its limit, here or on another
 *	CPU, since an item has ended. Set by the worker, cleared as @held is.
 * @park: the worker's announcement
 * @cpu: its number. Constant.
 * @worker: the current worker, %NULL while there is none. Written under
 *	@role_lock, read with preemption off.
 * @watched: the timer of @watch is set, or is being set. Any CPU, by exchange;
 *	read by puts, with @park and @worker.
 * @access: whom to steal from. Constant.
 * @domain: the CPUs that share its cache. Constant.
 * @bit: its bit there. Constant.
 * @seeks: its worker was woken to steal, and has not found anything yet. Set in
 *	wsq_idle_leave(), cleared by the worker.
 * @sought: it gave up seeking, and has neither found anything nor slept since.
 *	Worker.
 * @relied: offers in a row that this CPU has left to seekers. This CPU, with
 *	preemption off.
 * @next: queue to begin with, for fairness. Workers.
 * @next_tenant: likewise, of tenants' queues. Workers.
 * @tenants_debt: as @debt_ns of struct wsq_container, of all tenants' queues.
 *	Workers.
 * @last: queue that was served last. Workers.
 * @steals: tasks taken from others, by distance. Workers, preemption off.
 * @parks: times a worker parked. Workers.
 * @standins: times a standby worker became current. @role_lock.
 * @role_lock: which worker is current, and which are standby workers
 * @standby: standby workers. @role_lock.
 * @nr_standby: how many. @role_lock.
 * @wanted: a hand-off found no standby worker. @role_lock.
 * @loosen: a worker that the scheduler shall move. @role_lock.
 * @nr_workers: all workers of this CPU. wsq_workers_lock.
 * @spawn: makes a standby worker
 * @sleep_work: wakes a standby worker: the current one sleeps
 * @watch: the watchdog
 * @wakeups: wake-ups sent from this CPU. Any context.
 * @old_puts: tasks put on this CPU to queues that are gone. wsq_queues_lock.
 * @old_inbox: of these, through an inbox. wsq_queues_lock.
 * @old_gets: tasks run by this CPU for queues that are gone. wsq_queues_lock.
 * @nmi_work: wakes the worker for a put in an NMI handler
 * @refuse_work: sees to items whose put was refused in an NMI handler
 */
struct wsq_cpu {
	unsigned long summary;
	unsigned long leaf[WSQ_LEAF_WORDS * 64 / BITS_PER_LONG];
	unsigned long held[WSQ_LEAF_WORDS * 64 / BITS_PER_LONG];

	struct wsq_park park ____cacheline_aligned;
	unsigned int cpu;
	struct wsq_worker *worker;
	atomic_t watched;
	const struct wsq_access *access;
	struct wsq_domain *domain;
	u8 bit;
	bool seeks;
	bool sought;
	u8 relied;
	u32 next;
	u32 next_tenant;
	u32 tenants_debt;
	u32 last;
	bool passed;
	u64 steals[WSQ_DIST_NR];
	u64 parks;

	struct wsq_watch watch ____cacheline_aligned;

	/* which worker is current */
	raw_spinlock_t role_lock ____cacheline_aligned;
	struct list_head standby;
	unsigned int nr_standby;
	bool wanted;
	struct wsq_worker *loosen;
	u64 standins;
	unsigned int nr_workers;
	struct delayed_work spawn;
	struct irq_work sleep_work;

	atomic64_t wakeups ____cacheline_aligned;
	u64 old_puts;
	u64 old_inbox;
	u64 old_gets;
	struct irq_work nmi_work;
	struct irq_work refuse_work;
};

extern struct wsq_cpu **wsq_cpus;
extern struct xarray wsq_queues;
extern struct mutex wsq_queues_lock;
extern struct list_head wsq_workers;
extern struct mutex wsq_workers_lock;

/* ready.c */
int wsq_ready_init(void);
void wsq_ready_exit(void);
void wsq_ready_mark(struct wsq_cpu *c, u32 id);
void wsq_ready_unmark(struct wsq_cpu *c, u32 id, struct wsq_container *ct);
void wsq_ready_drop(struct wsq_cpu *c, u32 id);
void wsq_ready_tidy(struct wsq_cpu *c);
void wsq_ready_forget(u32 id);
u32 wsq_ready_next(const struct wsq_cpu *c, u32 from);
u32 wsq_ready_in(const struct wsq_cpu *c, u32 from, u32 end);
u32 wsq_ready_own(const struct wsq_cpu *c, u32 from);

/*
 * Work for less than this is done before another CPU has come for it. If it
 * takes longer after all, the watch wakes one.
 */
#define WSQ_WORTH_WAKING_NS	(20 * NSEC_PER_USEC)

/* Items that take as long as this are worth a wake-up each. */
#define WSQ_SLOW_NS		(10 * NSEC_PER_USEC)

/*
 * May each item be worth the wake-up of another CPU? Also if what they take is not
 * known yet.
 */
static inline bool wsq_items_slow(const struct wsq_container *ct)
{
	return READ_ONCE(ct->item_ns) - 1U >= WSQ_SLOW_NS - 1;
}

/* Is a block of such items too little to wake another CPU for? */
static inline bool wsq_brief(const struct wsq *q, const struct wsq_container *ct)
{
	u32 ns = READ_ONCE(ct->item_ns);

	return ns && (u64)ns * q->pool.block_size < WSQ_WORTH_WAKING_NS;
}

/*
 * This CPU has items within the reach of thieves, or can have: tell, and have one
 * more worker come, if that is worth it. Preemption is off.
 */
static inline void wsq_invite(const struct wsq *q, struct wsq_container *ct)
{
	if (wsq_brief(q, ct))
		return;
	/* Offer, then look who is idle: as idle.h says. */
	smp_mb();					/* ID(offer:A) */
	if (wsq_wake_idle(q, wsq_cpus[ct->cpu]))
		wsq_engine_share(ct);
}

void wsq_put_behind(struct wsq_cpu *c, u32 id);

/*
 * A put found the ready bit set, and relies on the worker. Could its item be
 * left there? Yes if the worker sleeps in an item, or no watchdog timer is set.
 */
static inline bool wsq_may_stay(const struct wsq_cpu *c)
{
	return wsq_parked(&c->park) || !atomic_read(&c->watched);
}

/*
 * More than one item was put at once. The worker, which the first has perhaps
 * woken, may be in that one for long. Preemption is off.
 */
static inline void wsq_put_more(struct wsq_cpu *c, u32 id)
{
	if (wsq_may_stay(c))
		wsq_put_behind(c, id);
}

/* Has a CPU a surplus? No order. */
static inline bool wsq_surplus_test(const struct wsq_cpu *c)
{
	return test_bit(c->bit, &c->domain->surplus);
}

/* A worker that was woken to steal has found something. Preemption is off. */
static inline void wsq_seek_end(struct wsq_cpu *c)
{
	if (unlikely(READ_ONCE(c->seeks) || READ_ONCE(c->sought)))
		wsq_seek_end_slow(c);
}

static __always_inline bool wsq_ready_test(const struct wsq_cpu *c, u32 id)
{
	return test_bit(id, c->leaf);
}

/* Has this queue alone work here? False if that takes more than a look. */
static inline bool wsq_ready_alone(const struct wsq_cpu *c, u32 id)
{
	/* On 32-bit machines two words of @leaf share a bit of @summary. */
	return WSQ_LEAF_WORDS == BITS_PER_LONG &&
	       READ_ONCE(c->summary) == BIT(id / 64) &&
	       READ_ONCE(c->leaf[BIT_WORD(id)]) == BIT_MASK(id);
}

static inline bool wsq_ready_any(const struct wsq_cpu *c)
{
	return READ_ONCE(c->summary);
}

/* May an item be here that a worker of this CPU may begin? */
static inline bool wsq_ready_free(const struct wsq_cpu *c)
{
	return wsq_ready_any(c) && wsq_ready_own(c, 0) < WSQ_MAX_QUEUES;
}

/* worker.c: what workers do */
int wsq_worker_fn(void *arg);
struct wsq_worker *wsq_worker_current(void);
void wsq_serve(struct wsq_worker *w, struct wsq_cpu *c, struct wsq *q,
	       struct wsq_container *ct);
void wsq_account(struct wsq *q, struct wsq_container *ct, bool home,
		 unsigned int phase);

/* workers.c: the threads */
int wsq_workers_init(void);
void wsq_workers_exit(void);
int wsq_workers_need(const struct cpumask *cpus);
void wsq_workers_leave(const struct wsq *q);
bool wsq_workers_thin(void);
void wsq_queue_orphan(struct wsq_pool *pool, unsigned int cpu);
struct wsq_worker *wsq_worker_create(unsigned int cpu, int (*fn)(void *arg),
				     const char *name);
struct wsq_worker *wsq_worker_new(unsigned int cpu);
void wsq_worker_dismiss(struct wsq_worker *w);
void wsq_worker_end(struct wsq_worker *w);
void wsq_worker_gone(const struct wsq_worker *w);
struct wsq_worker *wsq_worker_find(u32 id);

/* standby.c: which worker is current, limits */
void wsq_standby_init(struct wsq_cpu *c);
void wsq_standby_exit(struct wsq_cpu *c);
int wsq_standby_worker_init(struct wsq_worker *w);
void wsq_standby_worker_exit(struct wsq_worker *w);
void wsq_standby_enter(struct wsq_worker *w);
void wsq_standby_leave(struct wsq_worker *w);
void wsq_standby_have(struct wsq_cpu *c);
void wsq_standby_offline(struct wsq_cpu *c);
void wsq_standby_wait(struct wsq_worker *w);
void wsq_standby_loosen(struct wsq_cpu *c);
bool wsq_standby_thin(struct wsq_cpu *c, struct list_head *over);
bool wsq_hand_off(struct wsq_cpu *c, struct wsq_worker *w, u64 seen,
		  bool computes);
void wsq_away_end(struct wsq_worker *w);
bool wsq_hold(struct wsq_cpu *c, const struct wsq *q,
	      const struct wsq_container *ct);
bool wsq_limited(const struct wsq_cpu *c, const struct wsq *q,
		 const struct wsq_container *ct);
bool wsq_rescue_begin(struct wsq_cpu *c, const struct wsq *q,
		      struct wsq_container *ct);
void wsq_rescue_end(struct wsq_cpu *c, struct wsq_container *ct);
u32 wsq_waits(const struct wsq_cpu *c, u32 *from, unsigned int looks);

/* wait.c */
void wsq_refuse_work_fn(struct irq_work *irq_work);

/* watchdog.c */
extern void (*wsq_watch_hook)(void);
void wsq_watch_init(struct wsq_cpu *c);
void wsq_watch_exit(struct wsq_cpu *c);
void wsq_watch_start(struct wsq_cpu *c);
bool wsq_watch_stuck(const struct wsq_cpu *c);

/* steal.c */
bool wsq_steal(struct wsq_cpu *c);
void wsq_evacuate(struct wsq *q, unsigned int cpu);

/* flush.c */
void wsq_flush_init(struct wsq *q);
bool wsq_flushed(const struct wsq *q);
void wsq_flush_wake(struct wsq *q, unsigned int phase);

/* After a full barrier since the last item of @phase was counted. */
static inline void wsq_flush_check(struct wsq *q, unsigned int phase)
{
	if (unlikely(READ_ONCE(q->awaited) == phase) && phase != WSQ_NO_PHASE)
		wsq_flush_wake(q, phase);
}

/* queue.c, put.c, memory.c, rescue.c, cpumask.c */
int wsq_queues_init(void);
void wsq_queues_exit(void);
void wsq_queues_settle(void);
void wsq_put(struct wsq *q, struct wsq_work *work, int cpu);
void wsq_put_again(struct wsq_work *work);
void wsq_memory_exit(void);
void wsq_memory_serve(struct wsq_container *ct);
void wsq_memory_later(void);
int wsq_rescuer_fn(void *arg);
int wsq_rescuer_create(struct wsq *q);
void wsq_rescuer_destroy(struct wsq *q);
void wsq_rescue(struct wsq *q, unsigned int cpu);
const struct wsq_worker *wsq_rescuer_worker(const struct wsq *q);
void wsq_default_cpus(struct cpumask *cpus);
bool wsq_follow(struct wsq *q, const struct cpumask *cpus,
		struct cpumask *left);
void wsq_follow_later(void);
void wsq_follow_start(void);
void wsq_follow_exit(void);
int wsq_cpumask_init(void);
void wsq_cpumask_exit(void);

static inline struct wsq *wsq_of_pool(struct wsq_pool *pool)
{
	return container_of(pool, struct wsq, pool);
}

#endif /* _WSQ_EXEC_EXEC_H */
