/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the unit tests of fork-join: a team, and hooks.
 *
 * One thread plays all parts. What another would do within a function is done
 * before its read-modify-write (@meanwhile), or in hooks (@on_relax, @on_sleep,
 * @on_pin). Time and stack pointer are variables.
 *
 * For: fj.c and fj_helpers.c. Cost: none. Limitations: one interleaving each; the
 * model has the others.
 */
#ifndef _WSQ_UNIT_FJ_UNIT_H
#define _WSQ_UNIT_FJ_UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static unsigned long stack_pointer;

#define current_stack_pointer	stack_pointer

#include <wsq_platform.h>

static void (*meanwhile)(void);

static inline void others(void)
{
	void (*fn)(void) = meanwhile;

	meanwhile = NULL;
	if (fn)
		fn();
}

static inline s64 fetch_add_release(s64 i, atomic64_t *v)
{
	others();
	return atomic64_fetch_add_release(i, v);
}

static inline s64 cmpxchg_acquire(atomic64_t *v, s64 old, s64 i)
{
	others();
	return atomic64_cmpxchg_acquire(v, old, i);
}

static inline s64 cmpxchg_relaxed(atomic64_t *v, s64 old, s64 i)
{
	others();
	return atomic64_cmpxchg_relaxed(v, old, i);
}

#define atomic64_fetch_add_release	fetch_add_release
#define atomic64_cmpxchg_acquire	cmpxchg_acquire
#define atomic64_cmpxchg_relaxed	cmpxchg_relaxed

#include "fj_team.c"

#define SEATS		3
#define DEPTH		16
#define STACK_END	1000
#define STACK_TOP	9000

static struct wsq_fj_seat seats[SEATS];
static struct wsq_fj_seat *list[SEATS];
static struct wsq_fj_task tasks[SEATS][DEPTH + 1];
static struct wsq_fj_team team;

static u64 now, clocks, sleeps, wakes, starts, stacks, claims;
static s64 counted;
static bool can_start, refused, other_stack, stop_there, others_wait;
static void (*on_relax)(void);
static void (*on_pin)(void);
static void (*on_sleep)(void);

struct wsq_fj_seat *wsq_fj_claim_seat(struct wsq_fj_team *t)
{
	assert_ptr_equal(t, &team);
	starts++;
	if (!can_start)
		return NULL;
	claims++;
	return &seats[SEATS - 1];
}

bool wsq_fj_start_helper(struct wsq_fj_seat *seat)
{
	assert_ptr_equal(seat, &seats[SEATS - 1]);
	/* Counted before it runs. */
	counted = atomic64_read(&team.active);
	if (refused)
		claims--;
	return !refused;
}

void wsq_fj_free_seat(struct wsq_fj_seat *seat)
{
	assert_ptr_equal(seat, &seats[SEATS - 1]);
	claims--;
}

bool wsq_fj_other_stack(struct wsq_fj_seat *seat, struct wsq_fj_task *task)
{
	stacks++;
	if (!other_stack)
		return false;
	if (stop_there)
		wsq_fj_stop_run(&team, ECANCELED);
	stack_pointer = STACK_TOP;
	wsq_fj_run_here(seat, task, STACK_END);
	return true;
}

void wsq_fj_sleep(struct wsq_fj_seat *seat, struct wsq_fj_task *task)
{
	struct wsq_fj_deque *thief;

	(void)seat;
	sleeps++;
	assert_non_null(on_sleep);
	on_sleep();
	assert_true(wsq_fj_task_ended(task, &thief));
}

void wsq_fj_wake(struct wsq_fj_seat *seat)
{
	(void)seat;
	wakes++;
}

void wsq_fj_pin(void)
{
	if (on_pin)
		on_pin();
}

void wsq_fj_unpin(void)
{
}

bool wsq_fj_busy(void)
{
	return others_wait;
}

void wsq_fj_relax(void)
{
	if (on_relax)
		on_relax();
}

/* How often a thread that had work let others have its CPU. */
static u64 rescheds;

void wsq_fj_resched(bool between)
{
	(void)between;
	rescheds++;
}

/* How often a seat was watched from then on. */
static u64 watches[SEATS];

void wsq_fj_watch(struct wsq_fj_seat *seat)
{
	watches[seat->id]++;
}

u64 wsq_fj_clock(void)
{
	clocks++;
	return now;
}

/* Tasks that have run, in this order, by descriptor. */
static u32 ran[64], nr_ran;
/* Helpers started, or tried, before the first. */
static u64 starts_before;

static void run(struct wsq_fj_deque *dq, struct wsq_fj_task *head,
		struct wsq_fj_task *task)
{
	(void)dq;
	/* On another stack the task is where it was. */
	assert_true(head != task || stacks);
	if (!nr_ran)
		starts_before = starts;
	ran[nr_ran++] = (u32)task->data[0];
	task->data[0] += 100;
}

static struct wsq_fj_ctx sit(u32 id)
{
	wsq_fj_sit(&seats[id], STACK_END);
	return (struct wsq_fj_ctx){ &seats[id].dq, tasks[id] };
}

/* What the slow path of a call does. */
static void serve(const struct wsq_fj_ctx *w)
{
	struct wsq_fj_seat *seat = wsq_fj_seat(w->deque);

	wsq_fj_answer(seat, wsq_fj_nr(w->deque, w->head), false);
	wsq_fj_look(seat, w->head, false, false);
	wsq_fj_limits(seat, w->head);
}

/* A team whose helpers are all there. */
static struct wsq_fj_ctx begin(void)
{
	struct wsq_fj_ctx w;
	u32 i;

	memset(seats, 0, sizeof(seats));
	memset(&team, 0, sizeof(team));
	memset(tasks, 0, sizeof(tasks));
	team.seats = list;
	team.nr = SEATS;
	team.max = SEATS;
	/* The caller counts itself. */
	atomic64_set(&team.active, team.max - 1);
	for (i = 0; i < SEATS; i++) {
		list[i] = &seats[i];
		seats[i].team = &team;
		seats[i].id = i;
		wsq_fj_init(&seats[i].dq, tasks[i], DEPTH);
		wsq_fj_rise(&seats[i]);
	}
	now = 1;
	rescheds = 0;
	others_wait = false;
	memset(watches, 0, sizeof(watches));
	clocks = sleeps = wakes = starts = stacks = 0;
	nr_ran = 0;
	can_start = false;
	other_stack = false;
	stop_there = false;
	on_relax = NULL;
	on_pin = NULL;
	on_sleep = NULL;
	meanwhile = NULL;
	refused = false;
	stack_pointer = STACK_TOP;
	wsq_fj_begin_run(&team);
	w = sit(0);
	/* As the first spawn does: it counts the helpers. */
	serve(&w);
	return w;
}

static void spawn(struct wsq_fj_ctx *w, u64 id)
{
	w->head->run = run;
	w->head->data[0] = id;
	wsq_fj_push(w);
}

static void spawns(struct wsq_fj_ctx *w, u64 n)
{
	u64 i;

	for (i = 1; i <= n; i++)
		spawn(w, i);
}

static void at(const struct wsq_fj_deque *dq, u32 tail, u32 split)
{
	u64 ts = (u64)atomic64_read(&dq->ts);

	assert_int_equal(wsq_fj_tail(ts), tail);
	assert_int_equal(wsq_fj_split(ts), split);
}

static bool asked(u32 id)
{
	return (u64)atomic64_read(&seats[id].dq.guard) == WSQ_FJ_REQUEST;
}

/* How often seat @id has asked others. */
static u64 requests(u32 id)
{
	return (u64)atomic64_read(&seats[id].dq.requests);
}

/* A theft by seat @id that does not run yet; how many. */
static int steal(u32 id, struct wsq_fj_task **first)
{
	return wsq_fj_steal(&seats[0].dq, &seats[id].dq, team.half, first);
}

#endif /* _WSQ_UNIT_FJ_UNIT_H */
