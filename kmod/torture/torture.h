/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wsq_torture.ko: interfaces between its files.
 */
#ifndef _WSQ_TORTURE_TORTURE_H
#define _WSQ_TORTURE_TORTURE_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/wsq.h>

#include "../engine/engines.def"

/* What is counted. count.c has names, and which must not be zero. */
enum torture_count {
	TC_QUEUE_TRUE,
	TC_QUEUE_FALSE,
	TC_QUEUE_ON,
	TC_QUEUE_NODE,
	TC_QUEUE_MANY,
	TC_QUEUE_HARDIRQ,
	TC_QUEUE_SOFTIRQ,
	TC_QUEUE_RUNNING,
	TC_QUEUE_SELF,
	TC_QUEUE_NESTED,
	TC_DELAYED_TRUE,
	TC_DELAYED_FALSE,
	TC_MOD_TRUE,
	TC_MOD_FALSE,
	TC_RUN,
	TC_RUN_ELSEWHERE,
	TC_RUN_SLEPT,
	TC_RUN_COMPUTED,
	TC_CANCEL_TRUE,
	TC_CANCEL_FALSE,
	TC_CANCEL_IRQ,
	TC_CANCEL_SYNC_TRUE,
	TC_CANCEL_SYNC_FALSE,
	TC_CANCEL_SYNC_RUNNING,
	TC_DISABLE_TRUE,
	TC_DISABLE_FALSE,
	TC_DISABLE_RUNNING,
	TC_REFUSED,
	TC_ENABLED,
	TC_FLUSH_WORK_TRUE,
	TC_FLUSH_WORK_FALSE,
	TC_FLUSH_DELAYED_TRUE,
	TC_FLUSH_DELAYED_FALSE,
	TC_QUIET,
	TC_VISIBLE,
	TC_CALM,
	TC_OWN_FLUSHED,
	TC_OWN_CANCELLED,
	TC_OWN_TOO_LATE,
	TC_OWN_FREED_ITSELF,
	TC_OWN_QUEUE_FLUSHED,
	TC_OWN_DISABLED,
	TC_OWN_STACK,
	TC_OWN_NESTED,
	TC_OWN_HEARD,
	TC_OWN_HEARD_ANEW,
	TC_OWN_UNDONE,
	TC_OWN_FUTILE,
	TC_OWN_ON_CPU,
	TC_OWN_ON_CPU_MOVED,
	TC_OWN_TIMER,
	TC_OWN_TIMER_MODIFIED,
	TC_OWN_TIMER_CANCELLED,
	TC_JOB,
	TC_JOB_PIECES,
	TC_FLUSH,
	TC_DRAIN,
	TC_CREATE,
	TC_DESTROY,
	TC_CPUMASK,
	TC_QUARANTINE,
	TC_POOL_PUSHED,
	TC_POOL_POPPED,
	TC_POOL_INLINE,
	TC_POOL_FULL,
	TC_MULT_PUSHED,
	TC_MULT_POPPED,
	TC_MULT_AGAIN,
	TC_MULT_FULL,
	TC_MULT_INLINE,
	TC_MULT_SETTLED,
	TC_MULT_LIFE,
	TC_SERIAL_QUEUED,
	TC_SERIAL_RAN,
	TC_SERIAL_CANCEL,
	TC_SERIAL_CANCEL_SYNC,
	TC_SERIAL_MANY,
	TC_SERIAL_DISABLE,
	TC_SERIAL_DELAYED,
	TC_SERIAL_CANCEL_DELAYED,
	TC_SERIAL_FLUSH,
	TC_SERIAL_LIFE,
	TC_CALL_SENT,
	TC_CALL_MESH,
	TC_CALL_GRAPHS,
	TC_CALL_RAN,
	TC_CALL_VALUE,
	TC_CALL_FAILED,
	TC_CALL_CANCEL_TRUE,
	TC_CALL_CANCEL_FALSE,
	TC_CALL_TASK,
	TC_CALL_IRQ,
	TC_CALL_WAIT,
	TC_FJ_RUN,
	TC_FJ_TASKS,
	TC_FJ_ELSEWHERE,
	TC_FJ_CANCELLED,
	TC_FJ_OVERFLOW,
	TC_FJ_BUSY,
	TC_FJ_LIFE,
	TC_HOSTILE_FLOOD,
	TC_HOSTILE_GATHER,
	TC_HOSTILE_SLEEP,
	TC_HOSTILE_COMPUTE,
	TC_HOSTILE_PEER,
	TC_HOSTILE_MUTEX,
	TC_HOSTILE_VICTIM,
	TC_HOSTILE_FUTILE,
	TC_PROMISE_OPEN,
	TC_PROMISE_BOUND,
	TC_PROMISE_NEAR,
	TC_PROMISE_SERIAL,
	TC_PROMISE_DELAYED,
	TC_PROMISE_WAIT,
	TC_PROMISE_FLUSH,
	TC_PROMISE_FLUSH_WORK,
	TC_PROMISE_CANCEL,
	TC_CPU_UP,
	TC_CPU_DOWN,
	TC_GOES,
	TC_NO_MEMORY,
	TC_NR
};

/**
 * enum torture_ctx - context of an actor
 * @TORTURE_TASK: in a thread
 * @TORTURE_SOFTIRQ: in a tasklet
 * @TORTURE_HARDIRQ: in an interrupt, or with interrupts off
 */
enum torture_ctx {
	TORTURE_TASK,
	TORTURE_SOFTIRQ,
	TORTURE_HARDIRQ,
};

/**
 * struct torture_actor - a context that acts at random
 * @rnd: random state; the same seed gives the same operations
 * @slot: index of its value in struct torture_item.said
 * @ctx: its context
 * @ops: number of operations so far
 */
struct torture_actor {
	struct rnd_state rnd;
	unsigned int slot;
	enum torture_ctx ctx;
	u64 ops;
};

/**
 * struct torture_thread - a thread of the test
 * @actor: its random state
 * @task: the thread
 * @round: called again and again
 * @doing: name of the current operation, for the watchdog
 * @share: operations that it does in a run by operations
 * @seen: @actor.ops when the watchdog last saw it change
 * @since: when that was, by torture_clock()
 * @told: the watchdog has reported it
 * @idle: it has done its share
 * @calm: it pauses until the others do
 * @over: it has ended
 * @rival: its number among the threads of hostile.c and promise.c
 */
struct torture_thread {
	struct torture_actor actor;
	struct task_struct *task;
	void (*round)(struct torture_thread *t);
	const char *doing;
	u64 share;
	u64 seen;
	unsigned long since;
	bool told;
	bool idle;
	bool calm;
	bool over;
	unsigned int rival;
};

/**
 * enum torture_kind - what is done to a shared item
 * @TORTURE_PLAIN: queue and cancel from everywhere; queues itself again
 * @TORTURE_BATCH: likewise, in batches; counted by group, since
 *	wsq_queue_work_many() does not return which items it queued
 * @TORTURE_SAID: queue and flush, never cancel: the last value must be seen
 * @TORTURE_DISABLE: as @TORTURE_PLAIN, and disable and enable
 * @TORTURE_DELAYED: as @TORTURE_DISABLE, with a timer
 * @TORTURE_MOD: wsq_mod_delayed_work(), and so no concurrent disable, nor
 *	cancel with sync, after which %false may mean two things
 * @TORTURE_KINDS: number of kinds
 */
enum torture_kind {
	TORTURE_PLAIN,
	TORTURE_BATCH,
	TORTURE_SAID,
	TORTURE_DISABLE,
	TORTURE_DELAYED,
	TORTURE_MOD,
	TORTURE_KINDS
};

/* Adjacent items of one kind, which are counted as one if batched. */
#define TORTURE_GROUP		8

#define TORTURE_MAGIC		0x746f7274U
#define TORTURE_POISON		0x6b

/**
 * struct torture_item - an item that all threads share, and its shadow state
 * @magic: %TORTURE_MAGIC
 * @kind: what is done to it
 * @nr: its number
 * @dwork: the item; the timer is for kinds that have one
 * @q: its queue
 * @leader: first item of its group, which has the counts of the group
 * @users: contexts between torture_enter() and torture_leave()
 * @closed: no context may enter
 * @queued: how often it was newly queued; for a batch, only in the leader
 * @runs: how often its function has run
 * @cancelled: how often it was cancelled while pending
 * @in_func: its function is running
 * @held: it is disabled, and the function is not running
 * @said: value of each actor, written before it queues. One writer each.
 * @seen: @said as the function last saw it. Function.
 * @dice: random state of the function. Function.
 * @put_cpu: where it was queued last, approximately
 * @last: runs and cancellations when the watchdog last saw them change
 * @since: when that was, by torture_clock()
 * @told: the watchdog has reported it
 */
struct torture_item {
	u32 magic;
	enum torture_kind kind;
	unsigned int nr;
	struct wsq_delayed_work dwork;
	struct wsq *q;
	struct torture_item *leader;
	atomic_t users;
	atomic_t closed;
	atomic_t queued;
	atomic_t runs;
	atomic_t cancelled;
	atomic_t in_func;
	atomic_t held;
	u32 *said;
	u32 *seen;
	struct rnd_state dice;
	unsigned int put_cpu;
	u32 last;
	unsigned long since;
	bool told;
};

/* main.c */
/**
 * struct torture_engine - an engine
 * @engine: its number in attributes
 * @name: its name
 */
struct torture_engine {
	u32 engine;
	const char *name;
};

extern const struct torture_engine torture_engines[WSQ_NR_ENGINES];
extern unsigned int torture_nr_slots;
extern unsigned int torture_starved;
extern bool torture_boot_cpu;
bool torture_stopped(void);

/* count.c */
/**
 * enum torture_wait - waits of which the longest is printed, in beats
 * @TORTURE_WAIT_ITEM: a shared item was pending, without a run
 * @TORTURE_WAIT_THREAD: a thread was in one operation
 * @TORTURE_WAIT_RIVAL: no function of a round of the two sets began or ended
 * @TORTURE_WAIT_BOUND: a bound item of the promise set waited; of its CPU
 * @TORTURE_WAIT_CALM: all items ran while all threads paused
 * @TORTURE_WAITS: number of these
 */
enum torture_wait {
	TORTURE_WAIT_ITEM,
	TORTURE_WAIT_THREAD,
	TORTURE_WAIT_RIVAL,
	TORTURE_WAIT_BOUND,
	TORTURE_WAIT_CALM,
	TORTURE_WAITS
};

DECLARE_PER_CPU(u64, torture_counts[TC_NR]);
extern atomic_t torture_errors;
u64 torture_counted(enum torture_count what);
bool torture_seen_all(bool hotplug);
void torture_print_counts(bool must_all, bool hotplug);
void torture_waited(enum torture_wait what, unsigned long beats);

/* Errors that are printed; further ones are only counted. */
#define TORTURE_ERRORS_PRINTED	20

#define torture_err(fmt, ...)						\
do {									\
	if (atomic_inc_return(&torture_errors) <= TORTURE_ERRORS_PRINTED)	\
		pr_err("wsq_torture: error: " fmt "\n", ##__VA_ARGS__);	\
} while (0)

static inline void torture_add(enum torture_count what, unsigned int nr)
{
	this_cpu_add(torture_counts[what], nr);
}

static inline void torture_inc(enum torture_count what)
{
	torture_add(what, 1);
}

/* A random number below @below. */
static inline u32 torture_roll(struct rnd_state *rnd, u32 below)
{
	return prandom_u32_state(rnd) % below;
}

static inline bool torture_one_in(struct rnd_state *rnd, u32 n)
{
	return !torture_roll(rnd, n);
}

/* queues.c */
void torture_queue_attrs(struct wsq_attrs *attrs, struct rnd_state *rnd);
int torture_queues_create(struct rnd_state *rnd, unsigned int nr);
void torture_queues_drain(void);
void torture_queues_destroy(void);
struct wsq *torture_queue(unsigned int nr);
struct wsq *torture_some_queue(struct rnd_state *rnd);
unsigned int torture_solo_cpu(void);
void torture_cpumask_round(struct torture_thread *t);
void torture_churn_round(struct torture_thread *t);

/* items.c */
int torture_items_create(struct rnd_state *rnd, unsigned int nr);
void torture_items_free(void);
void torture_items_finish(struct torture_thread *t);
struct torture_item *torture_item(unsigned int nr);
unsigned int torture_nr_items(void);
struct torture_item *torture_some_item(struct rnd_state *rnd);
bool torture_enter(struct torture_item *it);
void torture_leave(struct torture_item *it);
void torture_item_err(const struct torture_item *it, const char *what);
void torture_quiet(struct torture_actor *a, struct torture_item *it);

/* put.c */
void torture_put(struct torture_actor *a, struct torture_item *it);
void torture_cancel_item(struct torture_actor *a, struct torture_item *it);

/* mix.c */
unsigned int torture_some_cpu(struct rnd_state *rnd);
void torture_pause(struct rnd_state *rnd);
void torture_mix_round(struct torture_thread *t);

/* own.c */
void torture_own_flush(struct torture_thread *t);
void torture_own_cancel(struct torture_thread *t);
void torture_own_free(struct torture_thread *t);
void torture_own_flush_queue(struct torture_thread *t);
void torture_own_on_cpu(struct torture_thread *t);
void torture_own_disable(struct torture_thread *t);
void torture_own_stack(struct torture_thread *t);

/* heard.c */
void torture_own_heard(struct torture_thread *t);

/* futile.c */
void torture_own_futile(struct torture_thread *t);

/* nested.c */
void torture_own_nested(struct torture_thread *t);

/* timed.c */
void torture_timed_wait(struct torture_thread *t);
void torture_timed_mod(struct torture_thread *t);
void torture_timed_cancel(struct torture_thread *t);
void torture_job(struct torture_thread *t);

/* irq.c */
int torture_irq_create(u64 seed);
void torture_irq_stop(void);
void torture_irq_free(void);
void torture_kick(struct torture_thread *t);
u64 torture_irq_ops(void);
int torture_hotplug_watch(void);
void torture_hotplug_unwatch(void);
int torture_cpu_age(unsigned int cpu);

/* goes.c */
void torture_goes(unsigned int cpu);
void torture_goes_begin(void);
void torture_goes_end(void);

/* pools.c */
int torture_pools_create(struct rnd_state *rnd);
void torture_pools_finish(void);
void torture_pools_destroy(void);
void torture_pool_ops(struct torture_actor *a);
void torture_pool_round(struct torture_thread *t);

/* mult.c */
int torture_mult_create(struct rnd_state *rnd);
void torture_mult_ops(struct torture_actor *a);
void torture_mult_drain(void);
void torture_mult_round(struct torture_thread *t);
void torture_mult_finish(void);
void torture_mult_destroy(void);

/* serial.c */
int torture_serials_create(struct rnd_state *rnd);
void torture_serials_finish(void);
void torture_serials_destroy(void);
bool torture_serials_calm(void);
void torture_serial_ops(struct torture_actor *a);
void torture_serial_round(struct torture_thread *t);
void torture_serial_life(struct torture_thread *t);

/* call.c */
void torture_calls_finish(void);
void torture_call_ops(struct torture_actor *a);
void torture_call_round(struct torture_thread *t);
void torture_call_wait(struct torture_thread *t);

/* call_mesh.c */
int torture_mesh_create(struct rnd_state *rnd);
void torture_mesh_round(struct torture_thread *t);
void torture_mesh_free(void);

/* forkjoin.c */
int torture_forkjoins_create(struct rnd_state *rnd);
void torture_forkjoins_destroy(void);
void torture_forkjoin_ops(struct torture_actor *a);
void torture_forkjoin_round(struct torture_thread *t);
void torture_forkjoin_helped(struct torture_thread *t);
void torture_forkjoin_life(struct torture_thread *t);

/* rivals.c, hostile.c, promise.c */
int torture_rivals_create(struct rnd_state *rnd);
void torture_rivals_destroy(void);
void torture_rivals_watch(void);
void torture_hostile_round(struct torture_thread *t);
void torture_promise_round(struct torture_thread *t);

/* witness.c */
int torture_witness_create(void);
void torture_witness_destroy(void);
unsigned long torture_beats(unsigned int cpu);
unsigned long torture_clock(void);

/* watch.c */
bool torture_overdue(unsigned long since, unsigned int times);
void torture_watch_items(void);
void torture_watch_thread(struct torture_thread *t);
bool torture_watch_calm(struct torture_thread *all, unsigned int nr);

#endif /* _WSQ_TORTURE_TORTURE_H */
