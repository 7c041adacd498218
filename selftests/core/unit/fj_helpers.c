// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of fork-join's teams: when the owner takes its slow path, how
 * helpers come and go, and what an owner does while it waits.
 *
 * For: run-checks. Cost: nothing. Limitations: fj_unit.h.
 */
#include "fj_unit.h"

/* How many of @n pairs of spawn and sync at @w read the clock. */
static u64 looks(struct wsq_fj_ctx *w, u32 n)
{
	u64 before = clocks;

	while (n--) {
		spawn(w, 1);
		assert_int_equal(wsq_fj_pop(w), WSQ_FJ_RUN);
	}
	return clocks - before;
}

/* How many of @n spawns, which are synced again. */
static u64 looks_up(struct wsq_fj_ctx *w, u32 n)
{
	u64 before = clocks, up;
	u32 i;

	spawns(w, n);
	up = clocks - before;
	for (i = 0; i < n; i++)
		assert_int_equal(wsq_fj_pop(w), WSQ_FJ_RUN);
	return up;
}

/*
 * While a helper is missing the owner looks at every operation, and, as tasks end
 * soon, whenever its head has moved by more and more descriptors.
 */
static void limits(void **state)
{
	struct wsq_fj_ctx w;
	u32 i;

	(void)state;
	begin();
	atomic64_set(&team.active, 1);
	w = sit(0);
	/* The 1st, 2nd, 4th, 8th spawn read the clock, and do not change @apart. */
	spawns(&w, 9);
	assert_int_equal(clocks, 1 + 1 + 4);
	assert_int_equal(seats[0].clock_skip, WSQ_FJ_SKIP);
	assert_int_equal(seats[0].apart, 0);
	/* Tasks that end late: each sync looks. */
	for (i = 0; i < 3; i++) {
		now += WSQ_FJ_SOON_NS;
		assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RUN);
	}
	assert_int_equal(clocks, 1 + 1 + 4 + 3);
	assert_int_equal(seats[0].apart, 0);
	assert_ptr_equal(w.deque->lo, w.head);
	/* Tasks that end soon. */
	for (i = 1; i <= WSQ_FJ_NEAR; i += i + 1) {
		wsq_fj_look(&seats[0], w.head, true, false);
		assert_int_equal(seats[0].apart, i);
	}
	wsq_fj_look(&seats[0], w.head, true, false);
	wsq_fj_limits(&seats[0], w.head);
	assert_int_equal(seats[0].apart, WSQ_FJ_NEAR);
	assert_ptr_equal(w.deque->lo, tasks[0]);
	assert_ptr_equal(w.deque->hi, w.head + WSQ_FJ_NEAR / 2);
	/* One that ends late. */
	now += WSQ_FJ_LATE_NS + 1;
	wsq_fj_look(&seats[0], w.head, true, false);
	assert_int_equal(seats[0].apart, 0);
	assert_int_equal(seats[0].clock_skip, 0);
	for (i = 0; i < WSQ_FJ_NEAR; i++)
		wsq_fj_look(&seats[0], w.head, true, false);
	wsq_fj_limits(&seats[0], w.head);
	assert_int_equal(looks(&w, 20), 0);
	assert_int_equal(looks_up(&w, WSQ_FJ_NEAR / 2), 0);
	assert_int_equal(starts, 0);
	/* 10 us have passed, no CPU is idle: it tries again after 100 us. */
	now = 1 + WSQ_FJ_FIRST_NS;
	serve(&w);
	assert_int_equal(starts, 1);
	assert_int_equal(atomic64_read(&team.active), 1);
	assert_int_equal(seats[0].next_ns, now + WSQ_FJ_AGAIN_NS);
	for (i = 0; i <= WSQ_FJ_FAR; i++)
		wsq_fj_look(&seats[0], w.head, true, false);
	assert_int_equal(seats[0].apart, WSQ_FJ_FAR);
	now += WSQ_FJ_AGAIN_NS - 1;
	serve(&w);
	assert_int_equal(starts, 1);
	/* Then there is one. */
	now++;
	can_start = true;
	serve(&w);
	assert_int_equal(starts, 2);
	assert_int_equal(atomic64_read(&team.active), 2);
	assert_int_equal(atomic64_read(&seats[0].started), 1);
	assert_int_equal(seats[0].next_ns, 0);
	/* Something was shared for it, and no clock is read any more. */
	assert_true(wsq_fj_shared(w.deque));
	assert_ptr_equal(w.deque->lo, tasks[0] + w.deque->split);
	assert_ptr_equal(w.deque->hi, tasks[0] + DEPTH);
	assert_int_equal(looks_up(&w, 3), 0);
}

/* An owner that has nothing to share starts no helper. */
static void nothing_to_offer(void **state)
{
	struct wsq_fj_ctx w;

	(void)state;
	begin();
	atomic64_set(&team.active, 0);
	can_start = true;
	w = sit(0);
	now += WSQ_FJ_FIRST_NS;
	serve(&w);
	assert_int_equal(starts, 0);
	now += WSQ_FJ_AGAIN_NS;
	spawn(&w, 1);
	assert_int_equal(starts, 1);
}

/* Before something long all is shared, and a missing helper is started. */
static void share_all(void **state)
{
	struct wsq_fj_ctx w = begin();

	(void)state;
	spawns(&w, 5);
	assert_int_equal(seats[0].next_ns, 0);
	wsq_fj_share_all(&seats[0], w.head);
	at(w.deque, 0, 5);
	assert_int_equal(starts, 0);
	assert_int_equal(seats[0].next_ns, 0);
	/* A helper has left since the last look. */
	atomic64_set(&team.active, 1);
	can_start = true;
	wsq_fj_share_all(&seats[0], w.head);
	assert_int_equal(starts, 1);
	assert_int_equal(atomic64_read(&team.active), 2);
	assert_int_equal(seats[0].next_ns, 0);
	/* The owner knows that one is missing, but it is too early. */
	atomic64_set(&team.active, 1);
	serve(&w);
	assert_int_equal(starts, 1);
	wsq_fj_share_all(&seats[0], w.head);
	assert_int_equal(starts, 2);
}

static void another_starts_one(void)
{
	atomic64_fetch_add(1, &team.active);
}

/* Never more than the most, and each is counted before it runs. */
static void most(void **state)
{
	begin();
	(void)state;
	can_start = true;
	atomic64_set(&team.active, 1);
	assert_true(wsq_fj_one_more(&seats[0]));
	assert_int_equal(counted, 2);
	assert_int_equal(atomic64_read(&seats[0].started), 1);
	meanwhile = another_starts_one;
	claims = 0;
	assert_true(wsq_fj_one_more(&seats[0]));
	assert_int_equal(claims, 0);
	assert_int_equal(atomic64_read(&team.active), 3);
	assert_int_equal(atomic64_read(&seats[0].started), 1);
	/* One has left as well: there is still one missing, to be tried later. */
	atomic64_set(&team.active, 1);
	meanwhile = another_starts_one;
	assert_false(wsq_fj_one_more(&seats[0]));
	assert_int_equal(claims, 0);
	assert_int_equal(atomic64_read(&team.active), 2);
	assert_int_equal(atomic64_read(&seats[0].started), 1);
	assert_true(wsq_fj_one_more(&seats[0]));
	assert_int_equal(claims, 1);
	assert_int_equal(atomic64_read(&team.active), 3);
	assert_int_equal(atomic64_read(&seats[0].started), 2);
}

/* A queue that is drained takes no helper. Other owners relied on it. */
static void refused_helper(void **state)
{
	struct wsq_fj_ctx w;

	begin();
	(void)state;
	sit(1);
	w = (struct wsq_fj_ctx){ &seats[1].dq, tasks[1] };
	spawn(&w, 1);
	atomic64_set(&seats[1].dq.guard, STACK_END);
	can_start = true;
	refused = true;
	claims = 0;
	atomic64_set(&team.active, 2);
	assert_false(wsq_fj_one_more(&seats[0]));
	assert_int_equal(claims, 0);
	assert_int_equal(atomic64_read(&team.active), 2);
	assert_int_equal(atomic64_read(&seats[0].started), 0);
	assert_true(asked(1));
}

/* The first task ends late: the owner looks, and the helper is due. */
static void long_first(void **state)
{
	struct wsq_fj_ctx w;

	(void)state;
	begin();
	atomic64_set(&team.active, 1);
	can_start = true;
	w = sit(0);
	spawns(&w, 6);
	assert_int_equal(starts, 0);
	now += WSQ_FJ_FIRST_NS;
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RUN);
	assert_int_equal(starts, 1);
	assert_true(wsq_fj_shared(w.deque));
	/* So does one behind many short ones, within some descriptors. */
	sit(0);
	starts = 0;
	atomic64_set(&team.active, 1);
	w = sit(0);
	while (seats[0].apart < WSQ_FJ_NEAR)
		wsq_fj_look(&seats[0], w.head, true, false);
	wsq_fj_limits(&seats[0], w.head);
	now += WSQ_FJ_FIRST_NS;
	assert_int_equal(starts, 0);
	spawns(&w, WSQ_FJ_NEAR + 2);
	assert_int_equal(starts, 1);
}

/* A helper that leaves asks where there are tasks, and looks once more. */
static void leave(void **state)
{
	struct wsq_fj_ctx w = begin();

	(void)state;
	spawns(&w, 2);
	sit(1);
	atomic64_set(&seats[1].dq.guard, STACK_END);
	assert_true(wsq_fj_leave(&seats[1]));
	assert_int_equal(atomic64_read(&team.active), 2);
	assert_true(asked(0));
	/* Only a thief that finds nothing counts that. */
	assert_int_equal(requests(1), 0);
	/* Its own seat, and one that has nothing, are passed by. */
	assert_false(asked(1));
	assert_false(asked(2));
	assert_true(seats[1].dq.all);
	/* The owner sees that at its next operation. */
	assert_int_equal(seats[0].next_ns, 0);
	spawn(&w, 3);
	assert_true(wsq_fj_callable(&w));
	assert_int_equal(seats[0].next_ns, now + WSQ_FJ_FIRST_NS);
	/* The next one that leaves finds what was shared. */
	assert_true(wsq_fj_shared(w.deque));
	sit(2);
	seats[2].next_ns = 0;
	watches[2] = 0;
	wsq_fj_request(&seats[2].dq);
	assert_false(wsq_fj_leave(&seats[2]));
	assert_int_equal(atomic64_read(&team.active), 2);
	assert_int_equal(seats[2].victim, 0);
	/* Its request is gone, so another one must come. */
	assert_false(asked(2));
	assert_int_equal(watches[2], 1);
	assert_false(seats[2].dq.all);
}

static void time_passes(void)
{
	now += WSQ_FJ_SPIN_NS / 4 + 1;
}

/* A helper runs what there is, then leaves. Its first theft starts another. */
static void help(void **state)
{
	struct wsq_fj_ctx w = begin();

	(void)state;
	spawns(&w, 3);
	wsq_fj_share_all(&seats[0], w.head);
	atomic64_set(&team.active, 1);
	on_relax = time_passes;
	sit(1);
	wsq_fj_help(&seats[1]);
	assert_int_equal(nr_ran, 3);
	assert_int_equal(atomic64_read(&seats[1].steals), 3);
	/* It could not, and does not try again. */
	assert_int_equal(starts_before, 1);
	assert_int_equal(starts, 1);
	assert_int_equal(atomic64_read(&seats[1].started), 0);
	assert_int_equal(atomic64_read(&team.active), 0);
	assert_true(now > WSQ_FJ_SPIN_NS);
	assert_int_equal(rescheds, 3);
}

/* An owner that returns from deep recursion lets others have its CPU. */
static void deep(void **state)
{
	static struct wsq_fj_task many[64 + 1];
	struct wsq_fj_ctx w = begin();
	u32 i;

	(void)state;
	wsq_fj_init(&seats[0].dq, many, 64);
	sit(0);
	w.head = many;
	spawns(&w, 3 * WSQ_FJ_DEEP);
	serve(&w);
	assert_int_equal(seats[0].next_ns, 0);
	clocks = 0;
	for (i = 1; i < 3 * WSQ_FJ_DEEP; i++)
		assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RUN);
	assert_int_equal(rescheds, 2);
	assert_int_equal(clocks, 0);
}

/*
 * An owner that need not look is watched. It answers a request at its next call
 * or sync, and is watched again.
 */
static void watch(void **state)
{
	struct wsq_fj_ctx w = begin();

	(void)state;
	assert_int_equal(watches[0], 1);
	spawns(&w, 6);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RUN);
	assert_int_equal(watches[0], 1);
	wsq_fj_request(w.deque);
	assert_true(wsq_fj_callable(&w));
	assert_false(asked(0));
	assert_int_equal(watches[0], 2);
	assert_int_equal(rescheds, 0);
	/* A call lets no others have the CPU, but the next sync does. */
	wsq_fj_request(w.deque);
	others_wait = true;
	assert_true(wsq_fj_callable(&w));
	assert_true(wsq_fj_callable(&w));
	assert_true(asked(0));
	assert_int_equal(rescheds, 0);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RUN);
	assert_false(asked(0));
	assert_int_equal(rescheds, 1);
	/* Also while a helper is missing. */
	atomic64_set(&team.active, 1);
	watches[0] = 0;
	wsq_fj_request(w.deque);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RUN);
	assert_int_equal(watches[0], 1);
}

/* The head stays between both limits while tasks become long: the watch ends that. */
static void watch_between(void **state)
{
	struct wsq_fj_ctx w;

	(void)state;
	begin();
	atomic64_set(&team.active, 1);
	watches[0] = 0;
	w = sit(0);
	assert_int_equal(watches[0], 1);
	spawns(&w, 2);
	while (!seats[0].apart) {
		assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RUN);
		spawns(&w, 1);
	}
	looks(&w, 2);
	can_start = true;
	now += 2 * WSQ_FJ_FIRST_NS;
	assert_int_equal(looks(&w, 20), 0);
	assert_int_equal(starts, 0);
	/* Its timer. */
	wsq_fj_request(w.deque);
	looks(&w, 1);
	assert_int_equal(starts, 1);
}

/* A spawn, and then long calls only: they pass no limit. */
static void watch_calls(void **state)
{
	struct wsq_fj_ctx w;
	int i;

	(void)state;
	begin();
	atomic64_set(&team.active, 1);
	w = sit(0);
	spawns(&w, 1);
	can_start = true;
	for (i = 0; i < 5; i++) {
		now += WSQ_FJ_FIRST_NS;
		assert_true(wsq_fj_callable(&w));
	}
	assert_int_equal(starts, 0);
	wsq_fj_request(w.deque);
	assert_true(wsq_fj_callable(&w));
	assert_int_equal(starts, 1);
}

static void end_and_count(void)
{
	on_sleep = NULL;
	assert_true(wsq_fj_task_end(&tasks[0][0]));
}

/* An owner looks at its task for 20 us, then sleeps. */
static void wait_sleeps(void **state)
{
	struct wsq_fj_ctx w = begin();
	struct wsq_fj_task *task = NULL;

	(void)state;
	spawn(&w, 1);
	wsq_fj_share_all(&seats[0], w.head);
	assert_int_equal(steal(1, &task), 1);
	on_relax = time_passes;
	on_sleep = end_and_count;
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RESULT);
	assert_int_equal(sleeps, 1);
	assert_int_equal(atomic64_read(&seats[0].sleeps), 1);
	assert_true(now > WSQ_FJ_SPIN_NS && now < 2 * WSQ_FJ_SPIN_NS);
	assert_int_equal(atomic64_read(&seats[0].waits), 0);
}

static struct wsq_fj_task *stolen;
static struct wsq_fj_ctx thief_at;

/* Ends the task that seat 0 waits for, once seat 0 has nothing else to run. */
static void end_stolen(void)
{
	on_relax = NULL;
	wsq_fj_task_end(stolen);
}

/* Runs on the owner's deque while it waits. */
static void nested(struct wsq_fj_deque *dq, struct wsq_fj_task *head,
		   struct wsq_fj_task *task)
{
	struct wsq_fj_ctx w = { dq, head };
	u32 i;

	assert_ptr_equal(w.deque, &seats[0].dq);
	assert_ptr_equal(head, &tasks[0][1]);
	/* The first is shared at once, for all before it are stolen. */
	assert_true(w.deque->all || nr_ran);
	spawn(&w, 50);
	at(w.deque, 1, nr_ran ? 1 : 2);
	spawn(&w, 51);
	spawn(&w, 52);
	at(w.deque, 1, nr_ran ? 1 : 2);
	ran[nr_ran++] = (u32)task->data[0];
	for (i = 52; i >= 50; i--) {
		assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RUN);
		assert_int_equal(w.head->data[0], i);
	}
	assert_ptr_equal(w.head, head);
}

/* A waiting owner steals from the thief, on top of its own deque. */
static void leap(void **state)
{
	struct wsq_fj_ctx w = begin();

	(void)state;
	spawn(&w, 1);
	wsq_fj_share_all(&seats[0], w.head);
	assert_int_equal(steal(1, &stolen), 1);
	/* The thief has spawned two tasks. */
	thief_at = sit(1);
	thief_at.head->run = nested;
	thief_at.head->data[0] = 30;
	wsq_fj_push(&thief_at);
	thief_at.head->run = nested;
	thief_at.head->data[0] = 31;
	wsq_fj_push(&thief_at);
	wsq_fj_share_all(&seats[1], thief_at.head);
	on_relax = end_stolen;
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RESULT);
	assert_int_equal(nr_ran, 2);
	assert_int_equal(ran[0], 30);
	assert_int_equal(ran[1], 31);
	assert_int_equal(atomic64_read(&seats[0].leaps), 2);
	assert_ptr_equal(w.head, tasks[0]);
	assert_true(w.deque->all);
	assert_ptr_equal(w.deque->hi, w.head);
	assert_int_equal(atomic64_read(&seats[0].waits), 0);
}

/* Below the limit of its stack an owner runs nothing while it waits. */
static void leap_low(void **state)
{
	const bool random[] = { false, true };
	u32 i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct wsq_fj_ctx w = begin();

		team.random = random[i];
		spawn(&w, 1);
		wsq_fj_share_all(&seats[0], w.head);
		assert_int_equal(steal(1, &stolen), 1);
		thief_at = sit(1);
		spawn(&thief_at, 30);
		spawn(&thief_at, 31);
		wsq_fj_share_all(&seats[1], thief_at.head);
		seats[0].victim = 1;
		/* As if the thread sat down below its limit. */
		if (random[i])
			seats[0].stack = -1ULL;
		stack_pointer = STACK_END - 1;
		on_relax = end_stolen;
		assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RESULT);
		assert_int_equal(nr_ran, 0);
		assert_int_equal(atomic64_read(&seats[0].leaps), 0);
		at(&seats[1].dq, 0, 2);
		assert_int_equal(wsq_fj_stops(&team), 0);
		/* At the limit it does. */
		stack_pointer = STACK_END;
		spawn(&w, 2);
		wsq_fj_share_all(&seats[0], w.head);
		assert_int_equal(steal(1, &stolen), 1);
		on_relax = end_stolen;
		assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RESULT);
		assert_int_equal(nr_ran, 2);
		assert_int_equal(atomic64_read(&seats[0].leaps), 2);
	}
}

/* The task ends, and the thief has one that has nothing to do with it. */
static void end_first(void)
{
	on_pin = NULL;
	wsq_fj_task_end(stolen);
	thief_at = sit(1);
	spawn(&thief_at, 70);
	wsq_fj_share_all(&seats[1], thief_at.head);
}

/* An owner whose task ends just before it would steal takes nothing more. */
static void leap_ended(void **state)
{
	struct wsq_fj_ctx w = begin();

	(void)state;
	spawn(&w, 1);
	wsq_fj_share_all(&seats[0], w.head);
	assert_int_equal(steal(1, &stolen), 1);
	on_pin = end_first;
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RESULT);
	assert_null(on_pin);
	assert_int_equal(nr_ran, 0);
	assert_int_equal(atomic64_read(&seats[0].leaps), 0);
	at(&seats[1].dq, 0, 1);
}

/* The thief has nothing, but waits for another one, which has. */
static void leap_on(void **state)
{
	struct wsq_fj_ctx w = begin();

	(void)state;
	spawn(&w, 1);
	wsq_fj_share_all(&seats[0], w.head);
	assert_int_equal(steal(1, &stolen), 1);
	thief_at = sit(2);
	thief_at.head->run = run;
	thief_at.head->data[0] = 40;
	wsq_fj_push(&thief_at);
	wsq_fj_share_all(&seats[2], thief_at.head);
	on_relax = end_stolen;
	/* Not while the thief does not wait. */
	assert_false(wsq_fj_leap(&seats[0], &seats[1].dq, w.head));
	atomic64_set(&seats[1].waits, (s64)(uintptr_t)&seats[2].dq);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RESULT);
	assert_int_equal(nr_ran, 1);
	assert_int_equal(ran[0], 40);
	/* A circle, or the waiting seat itself, ends the search. */
	atomic64_set(&seats[2].waits, (s64)(uintptr_t)&seats[1].dq);
	assert_false(wsq_fj_leap(&seats[0], &seats[1].dq, w.head + 1));
	atomic64_set(&seats[1].waits, (s64)(uintptr_t)&seats[0].dq);
	spawn(&w, 2);
	assert_true(wsq_fj_shared(w.deque));
	assert_false(wsq_fj_leap(&seats[0], &seats[1].dq, w.head));
	assert_true(wsq_fj_shared(w.deque));
}

/* Random steals while it waits, unless stack or descriptors are short. */
static void wait_random(void **state)
{
	const struct {
		bool random;
		unsigned long stack;
		u32 depth;
		u32 want;
	} rows[] = {
		{ false, STACK_TOP, 0, 0 },
		{ true, STACK_TOP, 0, 1 },
		{ true, STACK_END + (STACK_TOP - STACK_END) / 2, 0, 0 },
		{ true, STACK_TOP, DEPTH / 2, 0 },
	};
	u32 i, k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wsq_fj_ctx w = begin();

		team.random = rows[i].random;
		for (k = 0; k < rows[i].depth; k++)
			spawn(&w, 1);
		spawn(&w, 2);
		wsq_fj_share_all(&seats[0], w.head);
		for (k = 0; k <= rows[i].depth; k++)
			assert_int_equal(steal(1, &stolen), 1);
		thief_at = sit(2);
		thief_at.head->run = run;
		thief_at.head->data[0] = 60;
		wsq_fj_push(&thief_at);
		wsq_fj_share_all(&seats[2], thief_at.head);
		seats[0].victim = 2;
		stack_pointer = rows[i].stack;
		on_relax = end_stolen;
		assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RESULT);
		assert_int_equal(nr_ran, rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(nothing_to_offer),
		cmocka_unit_test(share_all),
		cmocka_unit_test(long_first),
		cmocka_unit_test(most),
		cmocka_unit_test(refused_helper),
		cmocka_unit_test(leave),
		cmocka_unit_test(help),
		cmocka_unit_test(deep),
		cmocka_unit_test(watch),
		cmocka_unit_test(watch_between),
		cmocka_unit_test(watch_calls),
		cmocka_unit_test(wait_sleeps),
		cmocka_unit_test(leap),
		cmocka_unit_test(leap_low),
		cmocka_unit_test(leap_ended),
		cmocka_unit_test(leap_on),
		cmocka_unit_test(wait_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
