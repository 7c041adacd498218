/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The work service: queues, the workers that serve them, and how the two find
 * each other. Internal.
 *
 * A queue is a pool whose tasks are work items. Workers belong to the module:
 * each CPU has one current worker, which serves all queues. A CPU has a ready
 * bit for each queue, set while the queue may have work there. A put that finds
 * its bit set is done. A put that finds it clear sets it, and wakes the worker
 * if it is parked. A worker that finds the container empty clears the bit and
 * looks once more. It parks when no bit is left and stealing brings nothing.
 *
 * The ready bits are a leaf of 64 words, 64 queues each, and a summary word. A
 * thief needs one load to see that a CPU has no work.
 *
 *	mark (put)			unmark (worker)
 *	----------			---------------
 *	task is in the container	RD(unmark:A) clear leaf bit
 *	RD(mark:A) set leaf bit		RD(unmark:B) smp_mb
 *	RD(summary:A) set summary bit	container empty? else mark again
 *	wake if parked			leaf word 0? RD(tidy:A) clear
 *					summary bit, RD(tidy:B) smp_mb
 *					leaf word still 0? else set summary bit
 *					and wake if parked: any CPU may tidy
 *
 *	IN(push:C), RD(mark:A), RD(summary:A) against RD(unmark:B), RD(tidy:B),
 *	RD(drop:B), RD(forget:B): store buffering
 *		One of the two sides sees the other's store. On the container's
 *		own CPU no order is needed (scenario A of core/parking.h).
 *		Elsewhere the push into the inbox is a full barrier, so
 *		RD(mark:A) and RD(summary:A) need none of their own.
 *		litmus/exec-ready.litmus
 *	SV(serve:A), SV(rescue:A) release -> SV(left:A), SV(left:B) acquire
 *		A queue is freed after all that a worker did in it. A queue is
 *		frozen after all that its items did.
 *		litmus/exec-serving.litmus
 *	RS(ask:B) against RS(sleep:A): store buffering
 *		A request wakes the rescuer, or the rescuer sees the CPU in its
 *		mask before it sleeps. litmus/exec-rescue.litmus
 *	DR(drain:A), DR(drain:B) release -> DR(stall:A), DR(stall:B) acquire
 *		A CPU that sees a drain under way sees when it began.
 *		litmus/exec-drain.litmus
 *	MM(give:B), then RD(mark:A), full
 *		A worker that sees the ready bit gives the memory back.
 *		litmus/exec-give-back.litmus
 *	OF(drop:A): with OF(offer:A) of engine/engine.c.
 *		litmus/pool-offer.litmus
 *	JB(part:A): one helper gets a piece of a job. litmus/exec-job.litmus
 *	JB(helper:A), JB(end:A): atomicity alone. Each helper is queued once,
 *		and the caller knows which helpers may be queued.
 */
#ifndef _WSQ_EXEC_EXEC_H
#define _WSQ_EXEC_EXEC_H

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include <linux/wsq.h>
#include <linux/xarray.h>

#include "../compat/sleep_notifier.h"
#include "../core/parking.h"
#include "../pool/pool.h"
#include "idle.h"
#include "lane.h"
#include "ordered.h"
#include "tenant.h"

#define WSQ_LEAF_WORDS		64
#define WSQ_MAX_QUEUES		(WSQ_LEAF_WORDS * 64)

/* Queue numbers from here on are for the queues of users' rings. */
#define WSQ_FIRST_TENANT	(WSQ_MAX_QUEUES - WSQ_MAX_TENANTS)

/* A worker leaves a queue after this many items ... */
#define WSQ_BUDGET		64

/* ... or after this time slice, if another queue waits. */
#define WSQ_SLICE_NS		(100 * NSEC_PER_USEC)

/* Values of enum wsq_class_nr. */
#define WSQ_CLASSES		2

/* Upper bound of a queue's debt. */
#define WSQ_DEBT_MAX_NS		(10 * NSEC_PER_MSEC)

/* Items of a queue that may be under way on a CPU: default, upper bound. */
#define WSQ_DEF_MAX_ACTIVE	1024
#define WSQ_MAX_MAX_ACTIVE	65536

/* wsq_waits(): a queue may wait that was not looked at. */
#define WSQ_UNKNOWN		(WSQ_MAX_QUEUES + 1)

/* Tasks that a worker claims from one victim at a time. */
#define WSQ_STEAL_MOST		16

/* No flush color: no item has run yet. Never in @awaited. */
#define WSQ_NO_COLOR		WSQ_FLUSH_COLORS

/* struct wsq.flags */
#define WSQ_Q_DYING		BIT(0)
#define WSQ_Q_DRAINING		BIT(1)

struct device;
struct wsq_class;
struct wsq_order;
struct wsq_rescuer;

/**
 * struct wsq - a queue
 * @pool: its containers, each at the front of a struct wsq_lane
 * @id: its number, and that of its ready bits. Constant.
 * @class: its class: which workers run its items. Constant.
 * @flags: WSQ_Q_*. Written under @drain_lock, read by any CPU.
 * @color: the flush color of new puts. Written under @flush_lock, read by puts.
 * @awaited: bits of the flush colors that flushes wait for. Written under
 *	@flush_lock, read by workers.
 * @flush_step: counts the flushes called and the steps taken. Likewise.
 * @flush_lock: taken in any context but NMI, no lock is taken under it. Protects
 *	the five around it
 * @flush_calls: calls of wsq_flush(), by the number of colors that each still
 *	waits for; [0] is not used
 * @flush_colors: bits of these colors, valid while the list is not empty
 * @drain_lock: protects @flags, @drainers, @drain_since and @drain_rounds
 * @drainers: drains under way. @drain_lock.
 * @drain_since: when the first of them began, in jiffies. Written under
 *	@drain_lock before @flags shows the drain; read by any CPU.
 * @drain_rounds: flushes since then that left the queue not empty. Written
 *	under @drain_lock, with release; read by any CPU.
 * @drain_seen: @drain_rounds at the stall detector's last check. Detector.
 * @drain_from: @drain_since at that check. Detector.
 * @drain_reported: the drain's age in ms when it was last reported. Detector.
 * @max_active: items that may be under way on a CPU: @limit, or 0 while the
 *	queue is frozen. Written under wsq_limit_lock; read by any CPU.
 * @limit: as @max_active of struct wsq_attrs, never 0. wsq_limit_lock.
 * @freezable: in the list of freezable queues, otherwise empty. wsq_limit_lock.
 * @order: what %WSQ_ORDERED needs (ordered.h); %NULL without. Constant.
 * @mask_lock: one change of @cpus at a time; protects @follows
 * @cpus: the CPUs that were asked for, of which @pool may have more
 *	(cpumask.c). Written under @mask_lock and the CPU hotplug lock.
 * @follows: the queue names no CPUs and uses the module's. @mask_lock, except
 *	before the queue can be found.
 * @rescuer: runs items when no worker can; %NULL without %WSQ_MEM_RECLAIM.
 *	Constant.
 * @dev: its directory in sysfs; %NULL without %WSQ_SYSFS. Constant while the
 *	queue may be used.
 * @free_work: frees the queue after a grace period
 * @lockdep_map: what flushing the queue depends on
 * @lock_name: name of @lockdep_map if the class is the queue's own
 * @lock_key: the queue's own class, unless wsq_create_key() was given one
 */
struct wsq {
	struct wsq_pool pool;
	u32 id;
	struct wsq_class *class;
	unsigned int flags;
	unsigned int color;
	unsigned int awaited;
	u32 flush_step;
	raw_spinlock_t flush_lock;	/* steps of flushes, what waits for them */
	struct list_head flush_calls[WSQ_FLUSH_COLORS + 1];
	unsigned int flush_colors[WSQ_FLUSH_COLORS + 1];
	struct mutex drain_lock;	/* flags, and what drains change */
	unsigned int drainers;
	unsigned long drain_since;
	unsigned long drain_rounds;
	unsigned long drain_seen;
	unsigned long drain_from;
	unsigned int drain_reported;
	u32 max_active;
	u32 limit;
	struct list_head freezable;
	struct wsq_order *order;
	struct mutex mask_lock;		/* changes of the CPUs */
	cpumask_var_t cpus;
	bool follows;
	struct wsq_rescuer *rescuer;
	struct device *dev;
	struct rcu_work free_work;
#ifdef CONFIG_LOCKDEP
	struct lockdep_map lockdep_map;
	struct lock_class_key lock_key;
	char lock_name[sizeof("(wsq)") + WSQ_NAME_LEN];
#endif
};

static inline struct wsq *wsq_of_pool(struct wsq_pool *pool)
{
	return container_of(pool, struct wsq, pool);
}

/* The lane of a member CPU, or NULL. */
static inline struct wsq_lane *wsq_lane(const struct wsq *q, unsigned int cpu)
{
	return wsq_lane_of(wsq_pool_ct(&q->pool, cpu));
}

/* The lane of a CPU, whether it is still a member or not, or NULL. */
static inline struct wsq_lane *wsq_lane_any(const struct wsq *q,
					    unsigned int cpu)
{
	return wsq_lane_of(wsq_pool_any(&q->pool, cpu));
}

/* struct wsq_worker.loose: where the thread may run. */
enum {
	WSQ_FAST,		/* on its CPU */
	WSQ_LOOSENING,		/* it is being changed */
	WSQ_LOOSE,		/* on all CPUs of the queue */
};

/**
 * struct wsq_slice - a worker's time slice at a queue (learn.c)
 * @from: when it began, ns of CLOCK_MONOTONIC
 * @first: ns that the first item took, if no other thread ran in that time
 * @switches: wsq_timestamp_switches() at the beginning
 * @sleeps: the thread's voluntary context switches at the beginning
 * @away: wsq_timestamp_away() at the beginning
 * @left: end of the time slice before, if this one follows at once; 0 otherwise
 * @left_switches: wsq_timestamp_switches() at @left
 */
struct wsq_slice {
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
 * @cpu: the CPU it belongs to. Constant, except for a rescuer.
 * @class: the class of the queues it serves. Constant.
 * @id: its number, stored in the items that it ran last. Constant.
 * @task: the thread. Constant.
 * @serving: the queue it serves, which wsq_destroy() must not free. Worker.
 * @cur: the item it runs, %NULL between two. Worker; any CPU reads.
 * @func: the function of @cur. Worker; any CPU reads.
 * @nr_run: number of items it has begun. Worker; any CPU reads.
 * @bound: @cur must run on this CPU. Worker, before @cur; any CPU reads.
 * @turn: its time slice at @serving. Worker.
 * @attention: another context left something below. Set under @lock; the worker
 *	clears it under @lock and reads it without.
 * @lock: protects what other contexts leave here
 * @waiters: struct wsq_work_waiter of contexts that wait for @cur. @lock.
 * @deferred: items that were queued again while they run here. @lock.
 * @replaced: another worker is current. The CPU's role_lock; set under @lock,
 *	too, once the worker runs.
 * @gone: it has lost its CPU and ends as soon as it can. Hotplug callback.
 * @ending: removed from the standby workers in order to end. The CPU's
 *	role_lock.
 * @notifier: called when it sleeps. Constant once it runs.
 * @asleep: its item went to sleep while it was current, and has not run since;
 *	unless it strays, it has announced that its CPU is parked.
 *	Worker, in the scheduler's hooks; set under the CPU's role_lock.
 * @holds: it held its queue when it went to sleep (standby.c). As @asleep.
 * @away: the lane that counts @cur as under way, if the worker was replaced
 *	while it ran @cur. The CPU's role_lock, then the worker.
 * @computes: @away counts @cur as detached. Changed by exchange.
 * @sleep_work: runs when @cur, which was detached, sleeps
 * @loose: where the thread may run. The CPU's role_lock; then the new worker,
 *	by release; then the worker itself.
 * @loose_cpus: the CPUs to let it run on. As @loose.
 * @nth: how many detached items of tenants the CPU had when @cur, one of them,
 *	was detached; 0 if @cur is none. As @loose.
 * @list: in wsq_workers
 * @standby: in the CPU's list of standby workers. The CPU's role_lock.
 * @rescuer: what else a rescuer has, %NULL for others. Constant once it runs.
 * @stall_run: @nr_run at the stall detector's last look. wsq_workers_lock.
 * @stall_since: when @nr_run became @stall_run, in jiffies. wsq_workers_lock.
 * @began: when @cur began, if kmod/obs/hist.c collects that. Worker; any CPU
 *	reads.
 * @began_run: the @nr_run that @began belongs to. Worker; any CPU reads.
 * @began_by: the collection that @began belongs to. Worker.
 * @timestamp_end: when the last timed item ended (timestamp.h). Worker.
 * @timestamp_run: @nr_run of that item. Worker.
 * @timestamp_switches: wsq_timestamp_switches() before @timestamp_end was read.
 *	Worker.
 * @rcu: to free it
 *
 * Here and below, a member's last words say what writes it, or which lock
 * protects it.
 */
struct wsq_worker {
	unsigned int cpu;
	u32 id;
	struct wsq_class *class;
	struct task_struct *task;
	struct wsq *serving;
	struct wsq_work *cur;
	wsq_func_t func;
	u64 nr_run;
	bool bound;
	bool attention;
	struct wsq_slice turn;
	raw_spinlock_t lock;		/* what other contexts leave here */
	struct list_head waiters;
	struct list_head deferred;
	bool replaced;
	bool gone;
	bool ending;
	bool asleep;
	bool holds;
	struct wsq_sleep_notifier notifier;
	struct wsq_lane *away;
	atomic_t computes;
	struct irq_work sleep_work;
	int loose;
	cpumask_var_t loose_cpus;
	u32 nth;
	struct list_head list;
	struct list_head standby;
	struct wsq_rescuer *rescuer;
	u64 stall_run;
	unsigned long stall_since;
	u64 began;
	u64 began_run;
	u64 began_by;
	u64 timestamp_end;
	u64 timestamp_run;
	unsigned long timestamp_switches;
	struct rcu_head rcu;
};

/**
 * struct wsq_watchdog - the watchdog: checks that a CPU's worker makes progress
 * @stuck: @nr_run + 1 of the item during which thieves may take from the
 *	consumer's block; 0 for none. Timer, and puts in interrupts of this CPU;
 *	thieves read.
 * @timer: pinned to the CPU
 * @ask: starts the timer on behalf of another CPU. Serialised by @watched of
 *	struct wsq_cpu.
 * @nmi_work: starts the timer for a put in an NMI handler
 * @seen: @nr_run of the worker at the timer's last look. Timer.
 * @worker: the worker that @seen belongs to. Timer.
 * @since: when @seen was first seen, ns of CLOCK_MONOTONIC. Timer.
 * @period: ns until the timer looks again. Timer.
 * @progress: the last look found that the worker had begun an item. Timer.
 * @from: number of the queue to look at first. Timer.
 * @limited_from: likewise, for queues at their limit. Timer.
 * @rescue_from: likewise, for queues that have a rescuer. Timer.
 * @expiries: number of looks. Timer; any CPU reads.
 */
struct wsq_watchdog {
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
	u32 rescue_from;
	u64 expiries;
};

/**
 * struct wsq_cpu - what the work service knows about a CPU, for one class
 * @summary: bit i is set while @leaf[i] may have bits. Any CPU.
 * @leaf: ready bits of all queues. Set by any CPU; cleared by the worker, and
 *	when a queue is freed.
 * @held: queues that the CPU's workers pass over (standby.c). Set by the
 *	worker; cleared when an item ends, a worker comes, or the CPU goes
 *	offline.
 * @passed: since an item last ended, the worker has passed over a queue at its
 *	limit, here or on another CPU. Set by the worker, cleared when an item
 *	ends.
 * @park: set while the current worker is parked
 * @cpu: its number. Constant.
 * @watched: the timer of @watchdog is set, or is being set. Any CPU, by
 *	exchange; read by puts, with @park and @worker.
 * @worker: the current worker, %NULL while there is none. Written under
 *	@role_lock, read with preemption off.
 * @class: the class. Constant.
 * @access: the CPUs to steal from. Constant.
 * @domain: the CPUs that share its cache. Constant.
 * @idle_thread: the CPU's idle thread, never freed; %NULL until it was first
 *	seen. Written once, on that CPU.
 * @bit: its bit in the words of @domain. Constant.
 * @seeks: its worker was woken to steal, and has not found anything yet. Set in
 *	wsq_idle_leave(), cleared by the worker.
 * @sought: its worker gave up seeking, and has neither found anything nor slept
 *	since. Worker.
 * @relied: offers in a row that this CPU has left to seekers. This CPU, with
 *	preemption off.
 * @next: number of the queue to serve next, for fairness. Workers.
 * @next_tenant: likewise, for tenants' queues. Workers.
 * @pass_from: number of the victim's queue where wsq_steal_pass() begins.
 *	Worker.
 * @tenants_debt: as @debt_ns of struct wsq_lane, for all tenants' queues
 *	together. Workers.
 * @last: number of the queue that was served last. Workers.
 * @steals: tasks stolen, by distance. Workers, preemption off.
 * @parks: times a worker parked. Workers.
 * @standbys: times a standby worker became current. @role_lock.
 * @role_lock: protects which worker is current, and which are standby workers
 * @standby: standby workers. @role_lock.
 * @nr_standby: how many. @role_lock.
 * @wanted: a hand-off found no standby worker. @role_lock.
 * @wanted_computes: the hand-off was for an item that computes. @role_lock.
 * @wanted_run: number of that item (@nr_run). @role_lock.
 * @loosen: a worker that the scheduler is to move. @role_lock.
 * @tenants_detached: detached items of tenants' queues that have not ended.
 *	@role_lock.
 * @nr_workers: all workers of this CPU. wsq_workers_lock.
 * @losing: the CPU is losing its workers: do not end them yet.
 *	wsq_workers_lock.
 * @spawn: makes a standby worker
 * @sleep_work: wakes a standby worker when the current one sleeps
 * @watchdog: the watchdog
 * @wakeups: wake-ups sent from this CPU. Any context.
 * @sent: when its worker was last woken to steal, ns of CLOCK_MONOTONIC. The
 *	CPU that wakes it.
 * @old_puts: tasks put on this CPU to queues that are gone. wsq_fold_lock.
 * @old_inbox: of these, through an inbox. wsq_fold_lock.
 * @old_gets: tasks run by this CPU for queues that are gone. wsq_fold_lock.
 * @nmi_work: wakes the worker for a put in an NMI handler
 * @refuse_work: handles items whose put was refused in an NMI handler
 */
struct wsq_cpu {
	unsigned long summary;
	unsigned long leaf[WSQ_LEAF_WORDS * 64 / BITS_PER_LONG];
	unsigned long held[WSQ_LEAF_WORDS * 64 / BITS_PER_LONG];

	struct wsq_park park ____cacheline_aligned;
	unsigned int cpu;
	atomic_t watched;
	struct wsq_worker *worker;
	struct wsq_class *class;
	const struct wsq_access *access;
	struct wsq_domain *domain;
	const struct task_struct *idle_thread;
	u8 bit;

	/* what the CPU itself changes often */
	bool seeks ____cacheline_aligned;
	bool sought;
	bool passed;
	u8 relied;
	u32 next;
	u32 next_tenant;
	u32 pass_from;
	u32 tenants_debt;
	u32 last;
	u64 steals[WSQ_DIST_NR];
	u64 parks;

	struct wsq_watchdog watchdog ____cacheline_aligned;

	/* which worker is current */
	raw_spinlock_t role_lock ____cacheline_aligned;
	struct list_head standby;
	unsigned int nr_standby;
	bool wanted;
	bool wanted_computes;
	u64 wanted_run;
	struct wsq_worker *loosen;
	u32 tenants_detached;
	u64 standbys;
	unsigned int nr_workers;
	bool losing;
	struct delayed_work spawn;
	struct irq_work sleep_work;

	atomic64_t wakeups ____cacheline_aligned;
	u64 sent;
	u64 old_puts;
	u64 old_inbox;
	u64 old_gets;
	struct irq_work nmi_work;
	struct irq_work refuse_work;
};

/**
 * struct wsq_class - a class of queues, and the workers that serve them
 * @domains: its CPUs by cache, which are idle, and which have a surplus
 * @nr: its number, enum wsq_class_nr. Constant.
 * @nice: the nice value of its workers. Constant.
 * @name: its name, for users. Constant.
 * @suffix: end of its workers' names. Constant.
 * @needed: CPUs that some queue of the class includes. Bits are set under the CPU
 *	hotplug lock, none is cleared.
 * @cpus: what the class knows about each possible CPU. Constant.
 */
struct wsq_class {
	struct wsq_domains domains;
	u32 nr;
	int nice;
	const char *name;
	const char *suffix;
	cpumask_var_t needed;
	struct wsq_cpu *cpus[];
};

extern struct wsq_cpu **wsq_cpus;
extern struct xarray wsq_queues;
extern struct mutex wsq_queues_lock;
extern seqlock_t wsq_fold_lock;
extern struct list_head wsq_workers;
extern struct mutex wsq_workers_lock;

/* What a queue's class knows about a CPU. */
static inline struct wsq_cpu *wsq_cpu_of(const struct wsq *q, unsigned int cpu)
{
	return q->class->cpus[cpu];
}

/* What a worker's class knows about the worker's CPU. */
static inline struct wsq_cpu *wsq_worker_cpu(const struct wsq_worker *w)
{
	return w->class->cpus[w->cpu];
}

/* A CPU of a domain, by its bit. */
static inline struct wsq_cpu *wsq_domain_cpu(const struct wsq_domain *d,
					     unsigned int bit)
{
	const struct wsq_class *class =
		container_of(d->all, struct wsq_class, domains);

	return class->cpus[d->cpus[bit]];
}

/*
 * Look up a queue that is ready on @c, with preemption off. %NULL if it is gone
 * or its number is that of a queue of another class now.
 */
static inline struct wsq *wsq_queue_at(const struct wsq_cpu *c, u32 id)
{
	struct wsq *q = xa_load(&wsq_queues, id);

	return q && likely(q->class == c->class) ? q : NULL;
}

/* class.c */
int wsq_classes_init(void);
void wsq_classes_exit(void);
struct wsq_class *wsq_class_get(u32 nr);
struct wsq_class *wsq_class_find(u32 nr);

/* ready.c */
void wsq_ready_mark(struct wsq_cpu *c, u32 id);
void wsq_put_behind(struct wsq_cpu *c, u32 id);
void wsq_ready_unmark(struct wsq_cpu *c, u32 id, struct wsq_lane *lane);
void wsq_ready_drop(struct wsq_cpu *c, u32 id);
void wsq_ready_tidy(struct wsq_cpu *c);
void wsq_ready_forget(const struct wsq *q);
u32 wsq_ready_next(const struct wsq_cpu *c, u32 from);
u32 wsq_ready_in(const struct wsq_cpu *c, u32 from, u32 end);
u32 wsq_ready_own(const struct wsq_cpu *c, u32 from);

/*
 * Less work than this is done before another CPU has come for it. If it takes
 * longer after all, the watchdog wakes one.
 */
#define WSQ_WORTH_WAKING_NS	(20 * NSEC_PER_USEC)

/* ns from the wake-up of a seeker in this lane's domain to its first look. */
static inline u32 wsq_come_ns(const struct wsq_lane *lane)
{
	const struct wsq *q = wsq_of_pool(lane->ct.pool);

	return READ_ONCE(wsq_cpu_of(q, lane->ct.cpu)->domain->come_ns);
}

/*
 * Does an item take longer than another CPU needs to come for it? True also
 * while the item time is not known.
 */
static inline bool wsq_items_slow(const struct wsq_lane *lane)
{
	u32 ns = READ_ONCE(lane->item_ns) - 1U;

	/* For brief items a look at the lane is enough. */
	return ns >= WSQ_COME_MIN_NS - 1 && ns >= wsq_come_ns(lane) - 1;
}

/* Do items that only the consumer can reach take as long as one slow item? */
static inline bool wsq_keeps_much(const struct wsq_lane *lane)
{
	u64 ns = READ_ONCE(lane->item_ns);

	ns *= wsq_engine_kept(&lane->ct);
	return ns >= WSQ_COME_MIN_NS && ns >= wsq_come_ns(lane);
}

/* Is a block of such items not worth waking another CPU? */
static inline bool wsq_brief(const struct wsq *q, const struct wsq_lane *lane)
{
	u32 ns = READ_ONCE(lane->item_ns);

	return ns && (u64)ns * q->pool.block_size < WSQ_WORTH_WAKING_NS;
}

/*
 * This CPU has items that thieves can reach, or can publish some. Wake one more
 * worker. Preemption is off.
 */
static inline void wsq_wake_another(const struct wsq *q, struct wsq_lane *lane)
{
	/* Publish, then look for idle CPUs: idle.h. */
	smp_mb();					/* ID(offer:A) */
	if (wsq_wake_idle(q, wsq_cpu_of(q, lane->ct.cpu)))
		wsq_engine_publish(&lane->ct);
}

/* The same, if that is worth it. */
static inline void wsq_wake_one_more(const struct wsq *q, struct wsq_lane *lane)
{
	if (!wsq_brief(q, lane))
		wsq_wake_another(q, lane);
}

/*
 * A put that found the ready bit set relies on the worker. Can its item get
 * stuck? Yes if the worker sleeps in an item, or if no watchdog timer is set.
 */
static inline bool wsq_may_stay(const struct wsq_cpu *c)
{
	return wsq_parked(&c->park) || !atomic_read(&c->watched);
}

/*
 * Several items were put at once. If the first has woken the worker, it may run
 * for long, and the others wait behind it. Preemption is off.
 */
static inline void wsq_put_more(struct wsq_cpu *c, u32 id)
{
	if (wsq_may_stay(c))
		wsq_put_behind(c, id);
}

/* Does a CPU have a surplus? No order. */
static inline bool wsq_surplus_test(const struct wsq_cpu *c)
{
	return test_bit(c->bit, &c->domain->surplus);
}

/* This CPU's seeker, if it is one, has found something. Preemption is off. */
static inline void wsq_seek_end(struct wsq_cpu *c)
{
	if (unlikely(READ_ONCE(c->seeks) || READ_ONCE(c->sought)))
		wsq_seek_end_slow(c);
}

static __always_inline bool wsq_ready_test(const struct wsq_cpu *c, u32 id)
{
	return test_bit(id, c->leaf);
}

/* Is this the only queue with work here? False if a quick look cannot tell. */
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

/* May there be an item that a worker of this CPU may begin? */
static inline bool wsq_ready_free(const struct wsq_cpu *c)
{
	return wsq_ready_any(c) && wsq_ready_own(c, 0) < WSQ_MAX_QUEUES;
}

/* pick.c, worker.c: what workers do */
u32 wsq_pick(struct wsq_cpu *c);
int wsq_worker_fn(void *arg);
struct wsq_worker *wsq_worker_current(void);
void wsq_serve(struct wsq_worker *w, struct wsq_cpu *c, struct wsq *q,
	       struct wsq_lane *lane);
void wsq_serve_end(struct wsq_worker *w, struct wsq *q, unsigned int last);
unsigned int wsq_serve_taken(struct wsq_worker *w, struct wsq *q,
			     struct wsq_lane *lane, struct wsq_work *work);
void wsq_account(struct wsq *q, struct wsq_lane *lane, bool home,
		 unsigned int color);
void wsq_serve_order(struct wsq_worker *w, struct wsq_work *token);

/* workers.c: the threads */
int wsq_workers_init(void);
void wsq_workers_exit(void);
int wsq_workers_need(struct wsq_class *class, const struct cpumask *cpus);
bool wsq_workers_at(const struct wsq *q, bool notify);
void wsq_workers_leave(const struct wsq *q);
bool wsq_workers_shrink(void);
void wsq_queue_cpu_dead(struct wsq_pool *pool, unsigned int cpu);
struct wsq_worker *wsq_worker_create(struct wsq_class *class, unsigned int cpu,
				     int (*fn)(void *arg), const char *name);
struct wsq_worker *wsq_worker_new(struct wsq_cpu *c);
void wsq_worker_add(struct wsq_cpu *c, struct wsq_worker *w);
void wsq_worker_notify(struct wsq_worker *w);
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
void wsq_unlimit(struct wsq_cpu *c, u32 id);
bool wsq_standby_shrink(struct wsq_cpu *c, struct list_head *over);
bool wsq_hand_off(struct wsq_cpu *c, struct wsq_worker *w, u64 seen,
		  bool computes);
void wsq_away_end(struct wsq_worker *w);
bool wsq_hold(struct wsq_cpu *c, const struct wsq *q,
	      const struct wsq_lane *lane);
bool wsq_limited(const struct wsq_cpu *c, const struct wsq *q,
		 const struct wsq_lane *lane);
bool wsq_rescue_begin(struct wsq_cpu *c, const struct wsq *q,
		      struct wsq_lane *lane);
void wsq_rescue_end(struct wsq_cpu *c, struct wsq_lane *lane);
u32 wsq_waits(const struct wsq_cpu *c, u32 *from, unsigned int looks);

/* wait.c */
void wsq_refuse_work_fn(struct irq_work *irq_work);

/* watchdog.c */
extern void (*wsq_watchdog_hook)(void);
void wsq_watchdog_init(struct wsq_cpu *c);
void wsq_watchdog_exit(struct wsq_cpu *c);
void wsq_watchdog_start(struct wsq_cpu *c);
bool wsq_watchdog_stuck(const struct wsq_cpu *c);

/* steal.c */
bool wsq_steal(struct wsq_cpu *c, bool last);
bool wsq_steal_pass(struct wsq_cpu *c, struct wsq_cpu *vc, bool *all,
		    bool *again);
void wsq_evacuate(struct wsq *q, unsigned int cpu);

/* flush.c */
void wsq_flush_init(struct wsq *q);
bool wsq_flushed(const struct wsq *q);
void wsq_flush_go_on(struct wsq *q);

/* Call behind a full barrier after the last item of @color was counted. */
static inline void wsq_flush_check(struct wsq *q, unsigned int color)
{
	if (unlikely(READ_ONCE(q->awaited) & BIT(color)))
		wsq_flush_go_on(q);
}

/* queue.c, put.c, engine_memory.c, rescue.c, cpumask.c */
int wsq_queues_init(void);
void wsq_queues_exit(void);
void wsq_queues_settle(void);
void wsq_put(struct wsq *q, struct wsq_work *work, int cpu);
void wsq_put_again(struct wsq_work *work);
void wsq_memory_exit(void);
void wsq_memory_serve(struct wsq_lane *lane);
void wsq_memory_later(void);
int wsq_rescuer_fn(void *arg);
int wsq_rescuer_create(struct wsq *q);
void wsq_rescuer_destroy(struct wsq *q);
void wsq_rescue(struct wsq *q, unsigned int cpu);
void wsq_rescue_some(const struct wsq_cpu *c, u32 *from);
bool wsq_rescuer_at(const struct wsq *q);
const struct wsq_worker *wsq_rescuer_worker(const struct wsq *q);
void wsq_default_cpus(struct cpumask *cpus);
int wsq_cpumask_begin(struct wsq *q);
void wsq_cpumask_offline(unsigned int cpu);
bool wsq_cpumask_online(void);
bool wsq_follow(struct wsq *q, const struct cpumask *cpus,
		struct cpumask *left);
void wsq_follow_later(void);
void wsq_follow_start(void);
void wsq_follow_exit(void);
int wsq_cpumask_init(void);
void wsq_cpumask_exit(void);

/* limit.c */
extern struct task_struct *wsq_sentinel;
int wsq_freeze_add(struct wsq *q);
void wsq_freeze_remove(struct wsq *q);
void wsq_freeze_begin(void);
bool wsq_freeze_busy(void);
void wsq_freeze_end(void);
void wsq_freeze_exit(void);

/* Directories of queues in sysfs: kmod/obs supplies them. */
bool wsq_sysfs_name_ok(const char *name);
int wsq_sysfs_add(struct wsq *q);
void wsq_sysfs_remove(struct wsq *q);

#endif /* _WSQ_EXEC_EXEC_H */
