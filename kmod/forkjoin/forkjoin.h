/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fork-join objects. Internal; <linux/wsq_fj.h> has the interface.
 */
#ifndef _WSQ_FORKJOIN_FORKJOIN_H
#define _WSQ_FORKJOIN_FORKJOIN_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcuwait.h>
#include <linux/timer.h>
#include <linux/wsq.h>
#include <linux/wsq_fj.h>

#include "../core/fj_team.h"

/* In @caller. No thread's address has this bit. */
#define WSQ_FJ_DESTROYED	1UL

/* Stacks of other workers that the tasks of one seat may be on. */
#define WSQ_FJ_MAX_STACKS	256

/**
 * struct wsq_fj_member - a seat, and the thread that has it
 * @seat: the seat; the first member
 * @work: has a worker help; not for seat 0
 * @wait: the thread, while it sleeps
 * @watch: has the thread come to the slow path
 * @taken: a thread has the seat, or claims it for a helper
 * @cpu: idle CPU for which it was claimed
 * @lock_depth: locks that the thread held when it sat down
 * @stacks: stacks of other workers that its tasks are on. The thread
 * @long_parts: its next part of a range probably takes long. The thread
 * @skip: number of parts still to run without measuring. The thread
 * @skipped: number of them after the last short part. The thread
 */
struct wsq_fj_member {
	struct wsq_fj_seat seat;
	struct wsq_work work;
	struct rcuwait wait;
	struct timer_list watch;
	atomic_t taken;
	unsigned int cpu;
	unsigned int lock_depth;
	unsigned int stacks;
	bool long_parts;
	u8 skip;
	u8 skipped;
};

/**
 * struct wsq_fj - a fork-join object
 * @team: its seats
 * @q: queue whose workers help. Constant, as all but @team, @caller, @ended,
 *	@runs and @list
 * @caller: thread of the run that is under way, or 0; WSQ_FJ_DESTROYED since
 *	wsq_fj_destroy() was called
 * @ended: completed by a run that ends while wsq_fj_destroy() waits for it
 * @runs: how many have begun. The caller
 * @stack_reserve: bytes of a stack that no spawn uses
 * @spread: %WSQ_FJ_SPREAD
 * @list: in @wsq_fjs. @wsq_fjs_lock
 * @seats: what @team points to; for CPU c, seat 1 + c modulo the others is
 *	tried first, and is in memory of a node of such a CPU
 */
struct wsq_fj {
	struct wsq_fj_team team;
	struct wsq *q;
	atomic_long_t caller;
	struct completion ended;
	u64 runs;
	u32 stack_reserve;
	bool spread;
	struct list_head list;
	struct wsq_fj_seat *seats[];
};

static inline struct wsq_fj_member *wsq_fj_member(struct wsq_fj_seat *seat)
{
	return container_of(seat, struct wsq_fj_member, seat);
}

static inline struct wsq_fj *wsq_fj_of(struct wsq_fj_team *team)
{
	return container_of(team, struct wsq_fj, team);
}

extern struct list_head wsq_fjs;
extern struct mutex wsq_fjs_lock;

u64 wsq_fj_stack_end(const struct wsq_fj *fj);
void wsq_fj_sit_down(struct wsq_fj *fj, struct wsq_fj_member *m);
void wsq_fj_help_fn(struct wsq_work *work);
bool wsq_fj_helps(const struct wsq_fj *fj);
void wsq_fj_watch_fn(struct timer_list *timer);

#endif /* _WSQ_FORKJOIN_FORKJOIN_H */
