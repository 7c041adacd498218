// SPDX-License-Identifier: GPL-2.0
/*
 * Fork-join teams: the slow path of spawn and sync, waiting, and helping.
 */
#include "fj_team.h"

/*
 * Largest distance from the head to the lower limit, before and after the first
 * attempt to start a helper. The upper limit is half as far. A binary subtree of
 * which each task spawns one child runs without a look if it spawns at most 2^9,
 * or 2^12, tasks.
 */
#define WSQ_FJ_NEAR		6
#define WSQ_FJ_FAR		8

/* Most spawns in a row that look without reading the clock. */
#define WSQ_FJ_SKIP		3

/* Read the clock less often below the first, at every operation above the second. */
#define WSQ_FJ_SOON_NS		1000
#define WSQ_FJ_LATE_NS		2000

/* Spawns without a sync before the owner answers requests. */
#define WSQ_FJ_AHEAD		32

/*
 * Syncs without a spawn before the owner lets other threads have its CPU. In a
 * deep and even tree the head may stay between both limits for seconds:
 * wsq_fj_watch().
 */
#define WSQ_FJ_DEEP		16

static inline u32 wsq_fj_nr(const struct wsq_fj_deque *dq,
			    const struct wsq_fj_task *head)
{
	return (u32)(head - dq->tasks);
}

/* Set both limits, for the head that the next operation will have. */
static void wsq_fj_limits(struct wsq_fj_seat *seat, struct wsq_fj_task *head)
{
	struct wsq_fj_deque *dq = &seat->dq;
	const struct wsq_fj_team *team = seat->team;
	u32 nr = wsq_fj_nr(dq, head);
	u32 lo = dq->split, hi = dq->nr;

	if (dq->all || seat->dropped || wsq_fj_stops(team)) {
		lo = nr;
		hi = nr;
	} else if (seat->next_ns) {
		if (nr - lo > seat->apart)
			lo = nr - seat->apart;
		/* A look there is cheaper: often it does not read the clock. */
		if (hi - nr > seat->apart / 2)
			hi = nr + seat->apart / 2;
	} else {
		if (nr - lo > WSQ_FJ_DEEP)
			lo = nr - WSQ_FJ_DEEP;
		if (hi - nr > WSQ_FJ_AHEAD)
			hi = nr + WSQ_FJ_AHEAD;
	}
	dq->lo = dq->tasks + lo;
	dq->hi = dq->tasks + hi;
}

/* Keep the first error; every seat's owner comes to its slow path. */
int wsq_fj_stop_run(struct wsq_fj_team *team, int error)
{
	u32 i;

	/* Against TM(serve:B). */
	if (atomic64_cmpxchg(&team->stop, 0, error))		/* TM(stop:A) */
		return wsq_fj_stops(team);
	for (i = 0; i < team->nr; i++)
		wsq_fj_request(&team->seats[i]->dq);
	return error;
}

/*
 * This thread, or a helper that it has counted, will do nothing for the run.
 * Count it away and ask for work everywhere else, so that owners start a helper
 * in its stead. Returns a seat that shares tasks already, or %NULL.
 */
static struct wsq_fj_seat *wsq_fj_step_out(struct wsq_fj_seat *seat)
{
	struct wsq_fj_team *team = seat->team;
	struct wsq_fj_seat *found = NULL;
	u32 i;

	/* Against TM(serve:B). */
	atomic64_fetch_add(-1, &team->active);			/* TM(leave:A) */
	for (i = 0; i < team->nr; i++) {
		struct wsq_fj_deque *dq = &team->seats[i]->dq;

		/* If all its tasks are stolen, its next push reads the count. */
		if (dq == &seat->dq || atomic64_read(&dq->allstolen)) /* TM(leave:B) */
			continue;
		wsq_fj_request(dq);
		if (wsq_fj_shared(dq))
			found = team->seats[i];
	}
	return found;
}

static void wsq_fj_step_in(struct wsq_fj_team *team)
{
	atomic64_fetch_add_relaxed(1, &team->active);		/* TM(back:A) */
}

/*
 * Count one more thread: %WSQ_OK; %WSQ_FULL if there are enough; %WSQ_CONFLICT if
 * another thread was faster. Then it is not tried again at once: on many CPUs all
 * would wait for this word.
 */
static int wsq_fj_count_in(struct wsq_fj_team *team)
{
	s64 nr = atomic64_read(&team->active), old;		/* TM(more:A) */

	if (nr >= team->max)
		return WSQ_FULL;
	old = atomic64_cmpxchg_relaxed(&team->active, nr, nr + 1); /* TM(more:B) */
	if (old == nr)
		return WSQ_OK;
	return old >= team->max ? WSQ_FULL : WSQ_CONFLICT;
}

/* Start one more helper. False if that failed for now: try again later. */
static bool wsq_fj_one_more(struct wsq_fj_seat *seat)
{
	struct wsq_fj_team *team = seat->team;
	struct wsq_fj_seat *helper;
	int ret;

	if (atomic64_read(&team->active) >= team->max)		/* TM(more:C) */
		return true;
	helper = wsq_fj_claim_seat(team);
	if (!helper)
		return false;
	ret = wsq_fj_count_in(team);
	if (ret != WSQ_OK) {
		wsq_fj_free_seat(helper);
		return ret == WSQ_FULL;
	}
	if (!wsq_fj_start_helper(helper)) {
		wsq_fj_step_out(seat);
		return false;
	}
	wsq_fj_count(&seat->started, 1);
	return true;
}

/* Is there a task for a helper? If so, share it. */
static bool wsq_fj_offer(struct wsq_fj_deque *dq, u32 nr)
{
	if (dq->all || !nr)
		return false;
	if (nr > dq->split)
		wsq_fj_grow(dq, (dq->split + nr + 1) / 2);
	return wsq_fj_shared(dq);
}

/*
 * Answer a request; false if there was none. @shared: the owner shares its first
 * task since long.
 */
static bool wsq_fj_answer(struct wsq_fj_seat *seat, u32 nr, bool shared)
{
	struct wsq_fj_deque *dq = &seat->dq;
	bool asked = false;

	if ((u64)atomic64_read(&dq->guard) == WSQ_FJ_REQUEST) {	/* TM(serve:E) */
		wsq_fj_offer(dq, nr);
		atomic64_set(&dq->guard, (s64)dq->stack_end);	/* TM(serve:A) */
		shared = true;
		asked = true;
		wsq_fj_watch(seat);
	}
	/*
	 * Against TM(leave:A) and TM(stop:A). Without it, a request that comes
	 * at this moment stands.
	 */
	if (shared)
		smp_mb();					/* TM(serve:B) */
	return asked;
}

/* The double, and more than 0, but not more than @most. */
static u32 wsq_fj_more(u32 n, u32 most)
{
	n = 2 * n + 1;
	return n < most ? n : most;
}

/*
 * If less than WSQ_FJ_SOON_NS has passed since the last reading of the clock,
 * tasks are short: double the distance to the next look, if a task has @ended;
 * otherwise double the number of spawns that skip the clock. Spawns do not change
 * @apart, so the first sync always looks: they say nothing about the length of
 * tasks. A range is halved at once, before its first long part.
 */
static void wsq_fj_adapt(struct wsq_fj_seat *seat, u64 now, bool ended)
{
	u64 passed = now - seat->looked_ns;

	if (passed > WSQ_FJ_LATE_NS) {
		seat->apart = 0;
		seat->clock_skip = 0;
	} else if (passed < WSQ_FJ_SOON_NS) {
		if (ended)
			seat->apart = wsq_fj_more(seat->apart, seat->most);
		else
			seat->clock_skip = wsq_fj_more(seat->clock_skip,
						       WSQ_FJ_SKIP);
	}
	seat->clock_left = seat->clock_skip;
}

/*
 * The owner's other duties: see whether the run stops, and whether a helper is
 * missing. @ended: at a sync. @skip: it may do without the clock.
 */
static void wsq_fj_look(struct wsq_fj_seat *seat, struct wsq_fj_task *head,
			bool ended, bool skip)
{
	struct wsq_fj_deque *dq = &seat->dq;
	struct wsq_fj_team *team = seat->team;
	u64 now;

	if (atomic64_read(&team->stop)) {			/* TM(serve:D) */
		/* Direct calls come to the slow path, too. */
		wsq_fj_request(dq);
		return;
	}
	if (atomic64_read(&team->active) >= team->max) {	/* TM(serve:C) */
		/* Until a helper leaves, the owner has nothing to look for. */
		seat->next_ns = 0;
		return;
	}
	if (seat->next_ns && seat->clock_left && skip) {
		seat->clock_left--;
		return;
	}
	now = wsq_fj_clock();
	if (!seat->next_ns) {
		/* A helper has left. */
		seat->next_ns = now + WSQ_FJ_FIRST_NS;
		seat->apart = 0;
		seat->clock_skip = 0;
		seat->clock_left = 0;
		seat->most = WSQ_FJ_NEAR;
	} else {
		wsq_fj_adapt(seat, now, ended);
	}
	seat->looked_ns = now;
	if (now < seat->next_ns)
		return;
	if (wsq_fj_offer(dq, wsq_fj_nr(dq, head))) {
		/* Against TM(leave:A): the offer, then the count. */
		smp_mb();					/* TM(look:A) */
		if (wsq_fj_one_more(seat)) {
			/* Its first theft starts the next. */
			seat->next_ns = 0;
			return;
		}
	}
	seat->next_ns = now + WSQ_FJ_AGAIN_NS;
	seat->most = WSQ_FJ_FAR;
}

/**
 * wsq_fj_spawn_slow() - end a push
 * @dq: the owner's deque
 * @task: the pushed task, whose descriptor is written
 *
 * Return: the head afterwards: behind @task, or @task if the run stops and the
 * task will not be run.
 */
struct wsq_fj_task *wsq_fj_spawn_slow(struct wsq_fj_deque *dq,
				      struct wsq_fj_task *task)
{
	struct wsq_fj_seat *seat = wsq_fj_seat(dq);
	struct wsq_fj_task *head = task;
	u32 nr = wsq_fj_nr(dq, task);
	bool first = dq->all, asked;

	if (nr == dq->nr)
		wsq_fj_stop_run(seat->team, WSQ_FJ_EOVERFLOW);
	if (seat->dropped || wsq_fj_stops(seat->team)) {
		seat->dropped++;
	} else {
		head++;
		if (first)
			wsq_fj_share_first(dq, nr);
		asked = wsq_fj_answer(seat, nr + 1, first);
		wsq_fj_look(seat, head, false, !asked);
	}
	wsq_fj_limits(seat, head);
	return head;
}

/**
 * wsq_fj_call_slow() - may a task be called directly
 * @dq: the owner's deque
 * @head: its head
 *
 * Return: false if the task is to be spawned and synced: the run stops, or the
 * stack is used up.
 */
bool wsq_fj_call_slow(struct wsq_fj_deque *dq, struct wsq_fj_task *head)
{
	struct wsq_fj_seat *seat = wsq_fj_seat(dq);

	wsq_fj_answer(seat, wsq_fj_nr(dq, head), false);
	wsq_fj_look(seat, head, false, false);
	/* Not here: a lock may be held at a call. It is not at a sync. */
	if (wsq_fj_busy())
		wsq_fj_request(dq);
	wsq_fj_limits(seat, head);
	return wsq_fj_stack_pointer() >= dq->stack_end &&
	       !wsq_fj_stops(seat->team);
}

/**
 * wsq_fj_run_here() - run a task of a seat on this thread's stack
 * @seat: the seat, whose thread waits until this returns
 * @task: the task, popped
 * @stack_end: lowest address that this thread's stack pointer may have
 *
 * For wsq_fj_other_stack().
 */
void wsq_fj_run_here(struct wsq_fj_seat *seat, struct wsq_fj_task *task,
		     u64 stack_end)
{
	struct wsq_fj_deque *dq = &seat->dq;
	u64 outer_end = dq->stack_end, outer = seat->stack;

	dq->stack_end = stack_end;
	seat->stack = wsq_fj_stack_pointer() - stack_end;
	/* The next operation sets @guard. */
	wsq_fj_request(dq);
	/* The run may have stopped while the task waited for this thread. */
	if (!wsq_fj_stops(seat->team))
		task->run(dq, task, task);
	dq->stack_end = outer_end;
	seat->stack = outer;
	wsq_fj_request(dq);
}

/*
 * Steal from @victim, unless the task @until has ended, and run what was
 * stolen, the newest first; how many.
 */
static u32 wsq_fj_steal_until(struct wsq_fj_seat *seat,
			      struct wsq_fj_deque *victim,
			      struct wsq_fj_task *head,
			      struct wsq_fj_task *until)
{
	struct wsq_fj_deque *thief;
	struct wsq_fj_task *task;
	int n = 0, k;

	wsq_fj_pin();
	if (!until || !wsq_fj_task_ended(until, &thief))
		n = wsq_fj_steal(victim, &seat->dq, seat->team->half, &task);
	wsq_fj_unpin();
	/*
	 * Before running the task, which may take long. The owner of the task
	 * waits for this, too.
	 */
	if (n > 0 && seat->starts_next) {
		seat->starts_next = false;
		wsq_fj_one_more(seat);
	}
	for (k = n; k-- > 0;) {
		if (!wsq_fj_stops(seat->team))
			task[k].run(&seat->dq, head, &task[k]);
		if (wsq_fj_task_end(&task[k]))
			wsq_fj_wake(wsq_fj_seat(victim));
	}
	return n > 0 ? (u32)n : 0;
}

static u32 wsq_fj_steal_run(struct wsq_fj_seat *seat,
			    struct wsq_fj_deque *victim,
			    struct wsq_fj_task *head)
{
	return wsq_fj_steal_until(seat, victim, head, NULL);
}

static u32 wsq_fj_random(struct wsq_fj_seat *seat)
{
	seat->rnd ^= seat->rnd << 13;
	seat->rnd ^= seat->rnd >> 7;
	seat->rnd ^= seat->rnd << 17;
	return (u32)(seat->rnd >> 32);
}

/* Steal from the last victim or a random seat. */
static u32 wsq_fj_steal_any(struct wsq_fj_seat *seat, struct wsq_fj_task *head)
{
	struct wsq_fj_team *team = seat->team;
	u32 n = 0;

	if (seat->victim != seat->id)
		n = wsq_fj_steal_run(seat, &team->seats[seat->victim]->dq, head);
	if (n)
		return n;
	seat->victim = (u32)((u64)wsq_fj_random(seat) * team->nr >> 32);
	return 0;
}

/*
 * Steal from @thief, which has the task below @head, or from one that this
 * thief waits for.
 */
static bool wsq_fj_leap(struct wsq_fj_seat *seat, struct wsq_fj_deque *thief,
			struct wsq_fj_task *head)
{
	u32 hop, n;

	for (hop = 0; hop < WSQ_FJ_HOPS && thief; hop++) {
		if (thief == &seat->dq)
			return false;
		/* If it has ended, the thief may have tasks of another one. */
		n = wsq_fj_steal_until(seat, thief, head, head - 1);
		wsq_fj_count(&seat->leaps, n);
		if (n)
			return true;
		/* A hint; the deque exists as long as the team. */
		thief = (struct wsq_fj_deque *)(uintptr_t)
			atomic64_read(&wsq_fj_seat(thief)->waits); /* TM(leap:A) */
	}
	return false;
}

/* Are half of the stack and of the descriptors left? */
static bool wsq_fj_roomy(const struct wsq_fj_seat *seat,
			 const struct wsq_fj_task *head)
{
	return wsq_fj_nr(&seat->dq, head) < seat->dq.nr / 2 &&
	       wsq_fj_stack_pointer() > seat->dq.stack_end + seat->stack / 2;
}

/* Sleep until a stolen task has ended; another thread takes over meanwhile. */
static void wsq_fj_sleep_out(struct wsq_fj_seat *seat, struct wsq_fj_task *task,
			     struct wsq_fj_deque *thief)
{
	if (!wsq_fj_task_sleep(task, thief))
		return;
	if (wsq_fj_step_out(seat))
		wsq_fj_one_more(seat);
	wsq_fj_count(&seat->sleeps, 1);
	wsq_fj_sleep(seat, task);
	wsq_fj_step_in(seat->team);
}

/* Run other tasks, or sleep, until the stolen task below @head has ended. */
static void wsq_fj_wait(struct wsq_fj_seat *seat, struct wsq_fj_task *head)
{
	struct wsq_fj_team *team = seat->team;
	struct wsq_fj_task *task = head - 1;
	struct wsq_fj_deque *thief;
	s64 outer = atomic64_read(&seat->waits);		/* TM(waits:D) */
	/* Below the limit nothing more runs on this stack. */
	bool low = wsq_fj_stack_pointer() < seat->dq.stack_end;
	u64 since = 0, now;

	while (!wsq_fj_task_ended(task, &thief)) {
		if (!thief || wsq_fj_stops(team)) {
			/* About to announce itself, or about to end. */
			if (thief)
				wsq_fj_sleep_out(seat, task, thief);
			wsq_fj_relax();
			continue;
		}
		atomic64_set(&seat->waits, (s64)(uintptr_t)thief); /* TM(waits:A) */
		if (!low && (wsq_fj_leap(seat, thief, head) ||
			     (team->random && wsq_fj_roomy(seat, head) &&
			      wsq_fj_steal_any(seat, head)))) {
			since = 0;
			continue;
		}
		now = wsq_fj_clock();
		if (!since)
			since = now;
		if (now - since > WSQ_FJ_SPIN_NS)
			wsq_fj_sleep_out(seat, task, thief);
		else
			wsq_fj_relax();
	}
	atomic64_set(&seat->waits, outer);			/* TM(waits:B) */
}

/**
 * wsq_fj_sync_slow() - pop the last task
 * @dq: the owner's deque
 * @head: its head
 *
 * Figure 1, lines 3 to 10; figure 4, lines 21 to 35.
 *
 * Return: the head afterwards, and what to do with the task.
 */
struct wsq_fj_sync wsq_fj_sync_slow(struct wsq_fj_deque *dq,
				    struct wsq_fj_task *head)
{
	struct wsq_fj_seat *seat = wsq_fj_seat(dq);
	struct wsq_fj_sync ret = { head, WSQ_FJ_DROP };
	u32 nr = wsq_fj_nr(dq, head);

	wsq_fj_resched(false);
	if (seat->dropped) {
		seat->dropped--;
		wsq_fj_limits(seat, head);
		return ret;
	}
	/* A sync without a spawn: the user's error. */
	if (!nr)
		return ret;
	ret.head = head - 1;
	if (dq->all || (nr == dq->split && !wsq_fj_shrink(dq))) {
		/* For tasks that this thread runs while it waits. */
		wsq_fj_limits(seat, head);
		wsq_fj_wait(seat, head);
		wsq_fj_task_reuse(ret.head);
		wsq_fj_set_all(dq);
		ret.what = WSQ_FJ_RESULT;
	} else {
		ret.what = WSQ_FJ_RUN;
	}
	wsq_fj_answer(seat, nr - 1, false);
	wsq_fj_look(seat, ret.head, true, false);
	wsq_fj_limits(seat, ret.head);
	if (ret.what == WSQ_FJ_RUN && !wsq_fj_stops(seat->team) &&
	    wsq_fj_stack_pointer() < dq->stack_end) {
		if (seat->team->stacks && wsq_fj_other_stack(seat, ret.head))
			ret.what = WSQ_FJ_RESULT;
		else
			wsq_fj_stop_run(seat->team, WSQ_FJ_EOVERFLOW);
		wsq_fj_limits(seat, ret.head);
	}
	if (wsq_fj_stops(seat->team))
		ret.what = WSQ_FJ_DROP;
	return ret;
}

/**
 * wsq_fj_share_all() - share all tasks, before the owner does something long
 * @seat: the owner's seat
 * @head: its head
 */
void wsq_fj_share_all(struct wsq_fj_seat *seat, struct wsq_fj_task *head)
{
	struct wsq_fj_deque *dq = &seat->dq;
	u32 nr = wsq_fj_nr(dq, head);

	if (!dq->all && nr > dq->split)
		wsq_fj_grow(dq, nr);
	/* At once, also if helpers have left since this thread last looked. */
	seat->next_ns = 1;
	wsq_fj_answer(seat, nr, true);
	wsq_fj_look(seat, head, false, false);
	wsq_fj_limits(seat, head);
}

/* Empty a seat's deque, but let a request to stop stand. */
static void wsq_fj_reset_seat(struct wsq_fj_seat *seat, u64 stack_end)
{
	wsq_fj_reset(&seat->dq, stack_end);
	/* Against TM(stop:A). */
	smp_mb();						/* TM(reset:A) */
	if (wsq_fj_stops(seat->team))
		wsq_fj_request(&seat->dq);
}

/**
 * wsq_fj_sit() - a thread takes a seat
 * @seat: the seat, which no thread has
 * @stack_end: lowest address that its stack pointer may have
 */
void wsq_fj_sit(struct wsq_fj_seat *seat, u64 stack_end)
{
	u64 now;

	wsq_fj_reset_seat(seat, stack_end);
	atomic64_set(&seat->waits, 0);				/* TM(waits:C) */
	seat->stack = wsq_fj_stack_pointer() - stack_end;
	seat->dropped = 0;
	seat->starts_next = false;
	seat->apart = 0;
	seat->clock_skip = 0;
	seat->clock_left = 0;
	seat->most = WSQ_FJ_NEAR;
	now = wsq_fj_clock();
	/* So the first look is not soon after another one. */
	seat->looked_ns = now - 2 * WSQ_FJ_LATE_NS;
	seat->next_ns = now + WSQ_FJ_FIRST_NS;
	seat->victim = seat->id;
	/* Differs from seat to seat and from run to run, and is not 0. */
	seat->rnd = (seat->next_ns + seat->id) * 0x9e3779b97f4a7c15ULL | 1;
	wsq_fj_watch(seat);
}

/**
 * wsq_fj_rise() - a thread leaves its seat
 * @seat: the seat, whose tasks were all popped
 *
 * Thieves pass it by from now on.
 */
void wsq_fj_rise(struct wsq_fj_seat *seat)
{
	wsq_fj_set_all(&seat->dq);
}

/* A run begins: the caller is about to sit down at seat 0. */
void wsq_fj_begin_run(struct wsq_fj_team *team)
{
	atomic64_set(&team->stop, 0);				/* TM(begin:A) */
	atomic64_fetch_add_relaxed(1, &team->active);		/* TM(begin:B) */
}

/* A run has ended, and its caller has left its seat. */
void wsq_fj_end_run(struct wsq_fj_team *team)
{
	atomic64_fetch_add_relaxed(-1, &team->active);		/* TM(finish:A) */
}

/* The helper leaves, unless there is something to steal after all. */
static bool wsq_fj_leave(struct wsq_fj_seat *seat)
{
	struct wsq_fj_seat *found;

	/* It has no task. */
	wsq_fj_rise(seat);
	found = wsq_fj_step_out(seat);
	if (!found)
		return true;
	wsq_fj_step_in(seat->team);
	wsq_fj_reset_seat(seat, seat->dq.stack_end);
	/* A request that came meanwhile is gone. */
	wsq_fj_watch(seat);
	seat->victim = found->id;
	return false;
}

/**
 * wsq_fj_help() - steal and run tasks until there are none for some time
 * @seat: the helper's seat; wsq_fj_sit() was called
 *
 * The helper was counted when it was started.
 */
void wsq_fj_help(struct wsq_fj_seat *seat)
{
	u64 since = wsq_fj_clock();
	u32 n;

	/* Seat 0 has the first task. */
	seat->victim = 0;
	seat->starts_next = true;
	for (;;) {
		n = wsq_fj_steal_any(seat, seat->dq.tasks);
		wsq_fj_count(&seat->steals, n);
		if (n) {
			wsq_fj_resched(true);
			since = wsq_fj_clock();
			continue;
		}
		if (wsq_fj_clock() - since > WSQ_FJ_SPIN_NS || wsq_fj_busy()) {
			if (wsq_fj_leave(seat))
				break;
			since = wsq_fj_clock();
		}
		wsq_fj_relax();
	}
}
