// SPDX-License-Identifier: GPL-2.0
/*
 * Helpers of a fork-join run, and the hooks of core/fj_team.h: threads,
 * sleeping and time.
 *
 * A helper is a work item of the object's queue, put near an idle CPU. While it
 * runs it has a seat. It belongs to its thread, not to the CPU: it may be
 * preempted and migrated, and its CPU may go offline.
 */
#include <linux/completion.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>

#include "../exec/idle.h"
#include "../exec/item.h"
#include "../exec/put.h"
#include "forkjoin.h"

void wsq_fj_free_seat(struct wsq_fj_seat *seat)
{
	/* FO(free:A) */
	atomic_set_release(&wsq_fj_member(seat)->taken, 0);
}

/* If possible, one with memory near the idle CPU. */
struct wsq_fj_seat *wsq_fj_claim_seat(struct wsq_fj_team *team)
{
	const struct wsq_fj *fj = wsq_fj_of(team);
	u32 i, free = team->nr - 1, at;
	unsigned int cpu;

	preempt_disable();
	cpu = fj->spread ? wsq_idle_next(fj->q) : wsq_idle_nearest(fj->q);
	preempt_enable();
	if (cpu >= nr_cpu_ids)
		return NULL;
	at = cpu % free;
	for (i = 0; i < free; i++) {
		struct wsq_fj_seat *seat = team->seats[1 + at];
		struct wsq_fj_member *m = wsq_fj_member(seat);

		if (!atomic_read(&m->taken) &&
		    !atomic_cmpxchg_acquire(&m->taken, 0, 1)) { /* FO(claim:A) */
			m->cpu = cpu;
			return seat;
		}
		if (++at == free)
			at = 0;
	}
	return NULL;
}

bool wsq_fj_start_helper(struct wsq_fj_seat *seat)
{
	struct wsq_fj_member *m = wsq_fj_member(seat);

	if (wsq_offer_work_near(m->cpu, wsq_fj_of(seat->team)->q, &m->work))
		return true;
	/* The queue is being drained, or the object destroyed. */
	wsq_fj_free_seat(seat);
	return false;
}

void wsq_fj_help_fn(struct wsq_work *work)
{
	struct wsq_fj_member *m = container_of(work, struct wsq_fj_member, work);

	wsq_fj_sit_down(wsq_fj_of(m->seat.team), m);
	wsq_fj_help(&m->seat);
	wsq_fj_free_seat(&m->seat);
}

/* A task for which no other stack is found for so long ends its run. */
#define WSQ_FJ_STACK_WAIT	HZ

/**
 * struct wsq_fj_stack - a task that runs on another worker's stack
 * @work: has a worker run it
 * @seat: its seat
 * @task: the task
 * @done: completed when it has run
 */
struct wsq_fj_stack {
	struct wsq_work work;
	struct wsq_fj_seat *seat;
	struct wsq_fj_task *task;
	struct completion done;
};

static void wsq_fj_stack_fn(struct wsq_work *work)
{
	struct wsq_fj_stack *s = container_of(work, struct wsq_fj_stack, work);
	struct wsq_fj_member *m = wsq_fj_member(s->seat);
	unsigned int outer = m->lock_depth;

	m->lock_depth = lockdep_depth(current);
	wsq_fj_run_here(s->seat, s->task,
			wsq_fj_stack_end(wsq_fj_of(s->seat->team)));
	m->lock_depth = outer;
	complete(&s->done);
}

/* Is this thread a worker that runs a task of the object? */
bool wsq_fj_helps(const struct wsq_fj *fj)
{
	struct wsq_work *work = wsq_current_running(wsq_fj_help_fn);

	if (work)
		return container_of(work, struct wsq_fj_member, work)->seat.team ==
		       &fj->team;
	work = wsq_current_running(wsq_fj_stack_fn);
	return work && container_of(work, struct wsq_fj_stack, work)->seat->team ==
		       &fj->team;
}

bool wsq_fj_other_stack(struct wsq_fj_seat *seat, struct wsq_fj_task *task)
{
	struct wsq_fj_stack s = { .seat = seat, .task = task };
	struct wsq_fj_member *m = wsq_fj_member(seat);
	struct wsq *q = wsq_fj_of(seat->team)->q;
	bool ran;

	if (m->stacks == WSQ_FJ_MAX_STACKS)
		return false;
	INIT_WSQ_WORK_ONSTACK(&s.work, wsq_fj_stack_fn);
	init_completion(&s.done);
	m->stacks++;
	/* On this CPU a standby worker takes over when this thread sleeps. */
	ran = wsq_offer_work_near(raw_smp_processor_id(), q, &s.work);
	/*
	 * The item may be held up by max_active of the queue, and by items that
	 * wait like this one: then it must give up.
	 */
	while (ran && !wait_for_completion_timeout(&s.done, WSQ_FJ_STACK_WAIT))
		ran = !wsq_cancel_work(&s.work);
	/* The function has yet to return. */
	wsq_disable_work_wait(&s.work);
	m->stacks--;
	wsq_destroy_work_on_stack(&s.work);
	return ran;
}

void wsq_fj_sleep(struct wsq_fj_seat *seat, struct wsq_fj_task *task)
{
	struct wsq_fj_deque *thief;

	rcuwait_wait_event(&wsq_fj_member(seat)->wait,
			   wsq_fj_task_ended(task, &thief), TASK_IDLE);
}

void wsq_fj_wake(struct wsq_fj_seat *seat)
{
	rcuwait_wake_up(&wsq_fj_member(seat)->wait);
}

void wsq_fj_pin(void)
{
	preempt_disable();
}

void wsq_fj_unpin(void)
{
	preempt_enable();
}

bool wsq_fj_busy(void)
{
	return need_resched();
}

void wsq_fj_relax(void)
{
	cpu_relax();
	cond_resched();
}

/* An owner whose operations do not lead there comes to the slow path this often. */
#define WSQ_FJ_WATCH	DIV_ROUND_UP(HZ, 100)

void wsq_fj_watch(struct wsq_fj_seat *seat)
{
	mod_timer(&wsq_fj_member(seat)->watch, jiffies + WSQ_FJ_WATCH);
}

/*
 * The owner sets the timer again when it answers, so that one that sleeps is
 * left alone. A seat may have another owner by now, or none.
 */
void wsq_fj_watch_fn(struct timer_list *timer)
{
	struct wsq_fj_member *m = container_of(timer, struct wsq_fj_member, watch);

	wsq_fj_request(&m->seat.dq);
}

void wsq_fj_resched(bool between)
{
	/* A task may have been called by code that tracing is about to free. */
	if (between)
		cond_resched_tasks_rcu_qs();
	else
		cond_resched();
}

u64 wsq_fj_clock(void)
{
	/* local_clock() counts ticks on some machines. */
	return ktime_get_mono_fast_ns();
}
