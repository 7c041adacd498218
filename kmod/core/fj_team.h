/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fork-join teams: a caller and its helpers, each with a seat, run the tasks of
 * one run. When helpers are started, and how they leave without leaving work.
 *
 * A seat is a deque and what its thread remembers. Seat 0 belongs to the caller
 * of a run, each other seat to a helper. A helper steals and runs tasks until
 * it has found none for some time, and leaves. While fewer threads run than the
 * team may have, those that have tasks start one more.
 *
 * For kmod/forkjoin, which has threads, sleeping and memory; it supplies the
 * functions under "hooks" below, as native programs and the model do.
 *
 * The owner's checks. A spawn takes the slow path if its head is at @hi of the
 * deque, a sync if it is at @lo, and a sync or call if the stack pointer is
 * below @guard. There the owner answers requests, and looks whether the run is
 * to stop and whether a helper is missing. It sets the limits so that it comes
 * again when it must:
 *
 *	if the run stops or all tasks are stolen: at every operation
 *	if a helper is missing: at every spawn and sync, or, while tasks are
 *	short, when the head has moved by some descriptors. Syncs read the clock
 *	there, spawns only sometimes, and after WSQ_FJ_FIRST_NS the owner tries
 *	to start a helper
 *	otherwise: when the private part is empty, the array is full, or there
 *	were many spawns without a sync, or many syncs without a spawn
 *	in any case: at a request. wsq_fj_watch() makes one after some time, for
 *	a head that stays between both limits, and for calls, which pass none
 *
 * At a sync it also lets other threads have the CPU: not all kernels take it
 * away from a thread that runs for long. A call that finds that they wait
 * leaves the request for the next sync.
 *
 * So a short run of nothing but tiny tasks never wakes another CPU, and a run
 * with long tasks does so at its second operation. Neither costs the fast path
 * anything.
 *
 * Leaving. A helper that leaves, and an owner that is about to sleep, counts
 * itself away, then asks at every seat for work, and looks for shared tasks
 * once more. If there are any, the helper stays, and the owner starts a helper.
 * An owner that has tasks publishes some, takes the request back, and then
 * reads the count.
 *
 *	helper				owner, in the slow path
 *	------				-----------------------
 *	TM(leave:A) count--		FJ(grow:A), FJ(share:A) publish
 *	full barrier			TM(serve:A) guard = stack_end
 *	FJ(request:A) guard = REQUEST	TM(serve:B) smp_mb
 *	FJ(shared:A) tasks there?	TM(serve:C) count?
 *
 *	TM(leave:A) against TM(serve:B), TM(look:A): store buffering
 *		If the owner does not see that the helper has left, the helper
 *		sees the tasks. litmus/fj-leave.litmus
 *		Nor does the owner take back the request of a helper that it does
 *		not see leave: it comes to the slow path again at its next
 *		operation. litmus/fj-request.litmus
 *	TM(stop:A) against TM(serve:B): the same with TM(serve:D)
 *		If the owner does not see that the run stops, the request stands.
 *		litmus/fj-stop.litmus
 *	TM(stop:A) against TM(reset:A): the same with TM(stops:A), when a thread
 *		sits down. litmus/fj-sit.litmus
 *
 * A helper is counted before it is started, so that there are never too many.
 * If starting it fails, the caller does what a helper does that leaves: an
 * owner may have seen the higher count, and stopped looking.
 *
 * No order: TM(more:B) and TM(back:A) count a helper that looks at every seat
 * before it leaves. TM(waits:A) is a hint.
 *
 * Stopping. The first error of a run is kept. From then on spawns are counted
 * only, and syncs return 0 without a call, except that a sync waits for a thief
 * that has begun.
 *
 * Waiting (figure 1, lines 5 to 8). The owner of a stolen task runs tasks that
 * it steals from the thief. If the thief has none, it follows the thief to the
 * one that the thief itself waits for (section 4.3), a few steps. So it runs
 * descendants of the stolen task, almost only: the thief may end that task and
 * begin another one in the few instructions between the owner's look at the
 * task and its theft. Each of them adds the frames of waiting to the stack. A
 * thread whose stack is below its limit runs nothing while it waits. The stolen
 * task does not depend on it: its thief runs what it has spawned, or waits for
 * a task that began later. With @random the thread also steals from any seat
 * while half of its stack and descriptors are left. After WSQ_FJ_SPIN_NS
 * without a task it sleeps until its task has ended. It does not count as
 * running then, so that a helper may take over its CPU. For that there are more
 * seats than threads that run.
 */
#ifndef _WSQ_CORE_FJ_TEAM_H
#define _WSQ_CORE_FJ_TEAM_H

#include "fj.h"

/* A run shorter than this has no helpers. */
#define WSQ_FJ_FIRST_NS		10000ULL

/* If no CPU was idle, try again after this time. */
#define WSQ_FJ_AGAIN_NS		100000ULL

/* Without a task for this time, a helper leaves, and a waiting owner sleeps. */
#define WSQ_FJ_SPIN_NS		20000ULL

/* Most steps from a thief to those that it waits for. */
#define WSQ_FJ_HOPS		4

/* EOVERFLOW: a deque or a stack is used up. */
#define WSQ_FJ_EOVERFLOW	75

/**
 * struct wsq_fj_seat - one thread's part in a run
 * @dq: its tasks
 * @team: the team. Constant, as @id
 * @id: its number
 * @waits: deque of the thief that the thread waits for, or 0. The thread;
 *	thieves read it
 * @dropped: spawns since the run stopped that were not synced. The thread, as
 *	all below
 * @next_ns: when it tries to start a helper; 0 if none is missing
 * @looked_ns: when it last read the clock
 * @apart: how many descriptors its head goes down before it looks again; up, half
 *	as many
 * @clock_skip: looks at spawns, between two readings of the clock, that do not
 *	read it
 * @clock_left: looks at spawns left until the next reading
 * @most: most for @apart
 * @victim: seat that it stole from last
 * @rnd: random state
 * @stack: bytes of stack that the thread had when it sat down
 * @starts_next: true until a helper's first theft, which starts the next helper
 * @steals: tasks it stole as a helper that had no other
 * @leaps: tasks it stole while it waited
 * @sleeps: how often it slept while it waited
 * @started: helpers it started
 */
struct wsq_fj_seat {
	struct wsq_fj_deque dq;
	struct wsq_fj_team *team;
	u32 id;
	atomic64_t waits;
	u64 dropped WSQ_CACHE_ALIGNED;
	u64 next_ns;
	u64 looked_ns;
	u32 apart;
	u32 clock_skip;
	u32 clock_left;
	u32 most;
	u32 victim;
	u64 rnd;
	u64 stack;
	bool starts_next;
	atomic64_t steals;
	atomic64_t leaps;
	atomic64_t sleeps;
	atomic64_t started;
};

/**
 * struct wsq_fj_team - the seats of a run
 * @seats: all seats. Constant, as all but @stop and @active
 * @nr: how many
 * @max: most threads that run at a time, the caller included
 * @half: steal half of what a victim shares, up to WSQ_FJ_HALF_MOST
 * @random: waiting threads steal from any seat
 * @stacks: tasks may continue on other stacks
 * @stop: 0, or the errno, as a positive number, for which the run stops. Any
 *	context
 * @active: threads that run: the caller, and helpers that were started and have
 *	not left, except those that sleep. Any thread of the run
 */
struct wsq_fj_team {
	struct wsq_fj_seat **seats;
	u32 nr;
	u32 max;
	bool half;
	bool random;
	bool stacks;
	atomic64_t stop WSQ_CACHE_ALIGNED;
	atomic64_t active;
};

/*
 * Hooks. wsq_fj_claim_seat() returns a free seat for a helper if a CPU is idle,
 * else %NULL. Then wsq_fj_start_helper() starts one there, or frees the seat and
 * returns false; or wsq_fj_free_seat() frees it. wsq_fj_sleep() returns when
 * wsq_fj_task_ended() is true. wsq_fj_other_stack() calls wsq_fj_run_here() on
 * another thread and waits for it, or says that it cannot. wsq_fj_wake() wakes
 * the thread of a seat that sleeps. wsq_fj_pin() keeps the thread from being
 * descheduled until wsq_fj_unpin(). wsq_fj_relax() lets other threads have this
 * CPU if they wait for it, and wsq_fj_busy() says that they do. So does
 * wsq_fj_resched(), which does not slow down a thread that has work; @between:
 * no task is on the thread's stack. wsq_fj_watch() has wsq_fj_request() called
 * some milliseconds after its last call for the seat. wsq_fj_clock() counts ns.
 */
struct wsq_fj_seat *wsq_fj_claim_seat(struct wsq_fj_team *team);
bool wsq_fj_start_helper(struct wsq_fj_seat *seat);
void wsq_fj_free_seat(struct wsq_fj_seat *seat);
void wsq_fj_sleep(struct wsq_fj_seat *seat, struct wsq_fj_task *task);
void wsq_fj_wake(struct wsq_fj_seat *seat);
bool wsq_fj_other_stack(struct wsq_fj_seat *seat, struct wsq_fj_task *task);
void wsq_fj_pin(void);
void wsq_fj_unpin(void);
bool wsq_fj_busy(void);
void wsq_fj_relax(void);
void wsq_fj_resched(bool between);
void wsq_fj_watch(struct wsq_fj_seat *seat);
u64 wsq_fj_clock(void);

void wsq_fj_sit(struct wsq_fj_seat *seat, u64 stack_end);
void wsq_fj_rise(struct wsq_fj_seat *seat);
void wsq_fj_begin_run(struct wsq_fj_team *team);
void wsq_fj_end_run(struct wsq_fj_team *team);
int wsq_fj_stop_run(struct wsq_fj_team *team, int error);
void wsq_fj_help(struct wsq_fj_seat *seat);
void wsq_fj_run_here(struct wsq_fj_seat *seat, struct wsq_fj_task *task,
		     u64 stack_end);
void wsq_fj_share_all(struct wsq_fj_seat *seat, struct wsq_fj_task *head);

static inline struct wsq_fj_seat *wsq_fj_seat(struct wsq_fj_deque *dq)
{
	/* The first member. */
	return (struct wsq_fj_seat *)dq;
}

/* The errno for which the run stops, positive; 0 if it does not. No order. */
static inline int wsq_fj_stops(const struct wsq_fj_team *team)
{
	return (int)atomic64_read(&team->stop);			/* TM(stops:A) */
}

#endif /* _WSQ_CORE_FJ_TEAM_H */
