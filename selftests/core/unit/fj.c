// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of fork-join's deque: where split goes, what a thief gets, and what
 * is left after a stop.
 *
 * For: run-checks. Cost: nothing. Limitations: fj_unit.h.
 */
#include "fj_unit.h"

/* A thief touches one line of the deque, and the descriptor. */
static void lines(void **state)
{
	const size_t line = 64;

	(void)state;
	assert_int_equal(sizeof(struct wsq_fj_task), line);
	assert_int_equal(_Alignof(struct wsq_fj_task), line);
	assert_int_equal(sizeof(((struct wsq_fj_task *)0)->data), 48);
	assert_true(_Alignof(struct wsq_fj_deque) >= line);
	assert_int_equal(offsetof(struct wsq_fj_deque, ts), line);
	assert_int_equal(offsetof(struct wsq_fj_deque, allstolen) / line, 1);
	assert_int_equal(offsetof(struct wsq_fj_deque, tasks) / line, 1);
	/* A request has its own; the owner's members are behind both. */
	assert_int_equal(offsetof(struct wsq_fj_deque, guard), 0);
	assert_int_equal(offsetof(struct wsq_fj_deque, lo), 2 * line);
	/* What a thief counts is where it writes as an owner. */
	assert_int_equal(offsetof(struct wsq_fj_deque, requests) / line, 2);
	assert_int_equal(sizeof(struct wsq_fj_deque), 3 * line);
	assert_int_equal(offsetof(struct wsq_fj_seat, dq), 0);
	assert_true(offsetof(struct wsq_fj_team, stop) % line == 0);
}

/*
 * A thief counts a request in its own seat, and only when it has written it. No
 * other request counts.
 */
static void requests_counted(void **state)
{
	struct wsq_fj_ctx w = begin();
	struct wsq_fj_task *task = NULL;

	(void)state;
	spawns(&w, 3);
	assert_int_equal(steal(1, &task), WSQ_EMPTY);
	assert_int_equal(requests(1), 1);
	/* It stands, for all thieves. */
	assert_int_equal(steal(1, &task), WSQ_EMPTY);
	assert_int_equal(steal(2, &task), WSQ_EMPTY);
	assert_int_equal(requests(1), 1);
	assert_int_equal(requests(2), 0);
	/* Answered: two tasks are shared. None but an empty victim is asked. */
	assert_true(wsq_fj_callable(&w));
	assert_int_equal(steal(1, &task), 1);
	assert_int_equal(steal(1, &task), 1);
	assert_int_equal(requests(1), 1);
	assert_int_equal(steal(2, &task), WSQ_EMPTY);
	assert_int_equal(requests(2), 1);
	/* By a run that stops, and by the watch. */
	wsq_fj_stop_run(&team, 7);
	wsq_fj_request(&seats[1].dq);
	assert_int_equal(requests(0) + requests(1) + requests(2), 2);
	/* The counts are those of all runs. */
	sit(1);
	assert_int_equal(requests(1), 1);
}

static u32 tail_then;

static void thieves_come(void)
{
	u64 ts = (u64)atomic64_read(&seats[0].dq.ts);

	atomic64_set(&seats[0].dq.ts,
		     (s64)wsq_fj_ts(tail_then, wsq_fj_split(ts)));
}

/*
 * Figure 3, and all that may happen there: thieves raise tail to any value
 * before split is lowered.
 */
static void figure_3(void **state)
{
	struct wsq_fj_deque *dq = &seats[0].dq;
	u32 tail, then, split, to;

	(void)state;
	for (split = 1; split <= 9; split++) {
		for (tail = 0; tail < split; tail++) {
			for (then = tail; then <= split; then++) {
				begin();
				atomic64_set(&dq->ts, (s64)wsq_fj_ts(tail, split));
				dq->split = split;
				tail_then = then;
				meanwhile = thieves_come;
				to = (tail + split) / 2;
				if (then == split) {
					assert_false(wsq_fj_shrink(dq));
					assert_true(dq->all);
					assert_int_equal(atomic64_read(&dq->allstolen), 1);
					at(dq, then, to);
					continue;
				}
				if (then > to)
					to = (then + split) / 2;
				assert_true(wsq_fj_shrink(dq));
				assert_false(dq->all);
				assert_int_equal(dq->split, to);
				assert_true(to >= then && to < split);
				at(dq, then, to);
				assert_int_equal(atomic64_read(&dq->shrinks), 1);
			}
		}
	}
	/* The paper's numbers: one is stolen, four are shared, then three go. */
	begin();
	atomic64_set(&dq->ts, (s64)wsq_fj_ts(1, 5));
	dq->split = 5;
	tail_then = 4;
	meanwhile = thieves_come;
	assert_true(wsq_fj_shrink(dq));
	at(dq, 4, 4);
	/* None is left at the first look. */
	begin();
	atomic64_set(&dq->ts, (s64)wsq_fj_ts(5, 5));
	dq->split = 5;
	assert_false(wsq_fj_shrink(dq));
	assert_int_equal(atomic64_read(&dq->shrinks), 0);
	at(dq, 5, 5);
}

/* A request is answered at the next call: half of the private tasks. */
static void grow_by_half(void **state)
{
	struct wsq_fj_deque *dq = &seats[0].dq;
	struct wsq_fj_task *task = NULL;
	u32 head, split;

	(void)state;
	for (head = 1; head <= 9; head++) {
		for (split = 0; split < head; split++) {
			struct wsq_fj_ctx w = begin();

			spawns(&w, head - 1);
			if (split)
				wsq_fj_grow(dq, split);
			/* All that is shared is stolen. */
			atomic64_set(&dq->ts, (s64)wsq_fj_ts(split, split));
			assert_int_equal(steal(1, &task), WSQ_EMPTY);
			assert_true(asked(0));
			spawn(&w, head);
			assert_true(wsq_fj_callable(&w));
			assert_false(asked(0));
			at(dq, split, (split + head + 1) / 2);
			assert_int_equal(dq->split, (split + head + 1) / 2);
			assert_ptr_equal(dq->lo, tasks[0] + dq->split);
			assert_ptr_equal(dq->hi, tasks[0] + DEPTH);
		}
	}
}

/* No slow path without a reason, and each sync gets the last spawn. */
static void private_tasks(void **state)
{
	struct wsq_fj_ctx w = begin();
	u32 i;

	(void)state;
	spawns(&w, 5);
	for (i = 5; i >= 1; i--) {
		assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RUN);
		assert_int_equal(w.head->data[0], i);
	}
	assert_ptr_equal(w.head, tasks[0]);
	at(w.deque, 0, 0);
	/* A sync without a spawn does no harm. */
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_DROP);
	assert_ptr_equal(w.head, tasks[0]);
	assert_int_equal(clocks, 1);
}

static void raise_tail(void)
{
	tail_then = 1;
	thieves_come();
}

static void steal_one(void **state)
{
	struct wsq_fj_ctx w = begin();
	struct wsq_fj_task *task = NULL;
	struct wsq_fj_deque *thief = NULL;

	(void)state;
	spawns(&w, 3);
	wsq_fj_share_all(&seats[0], w.head);
	at(w.deque, 0, 3);
	meanwhile = raise_tail;
	assert_int_equal(steal(1, &task), WSQ_CONFLICT);
	assert_false(asked(0));
	at(w.deque, 1, 3);
	assert_false(wsq_fj_task_ended(&tasks[0][1], &thief));
	assert_null(thief);
	assert_int_equal(steal(1, &task), 1);
	assert_ptr_equal(task, &tasks[0][1]);
	assert_false(wsq_fj_task_ended(task, &thief));
	assert_ptr_equal(thief, &seats[1].dq);
	/* The owner sleeps: the thief that ends the task must wake it. */
	assert_true(wsq_fj_task_sleep(task, thief));
	assert_true(wsq_fj_task_sleep(task, thief));
	assert_false(wsq_fj_task_ended(task, &thief));
	assert_ptr_equal(thief, &seats[1].dq);
	assert_true(wsq_fj_task_end(task));
	assert_true(wsq_fj_task_ended(task, &thief));
	assert_false(wsq_fj_task_sleep(task, thief));
	/* Without a sleeper no wake-up. */
	assert_int_equal(steal(2, &task), 1);
	assert_ptr_equal(task, &tasks[0][2]);
	assert_false(wsq_fj_task_end(task));
	assert_int_equal(steal(1, &task), WSQ_EMPTY);
	assert_true(asked(0));
}

/* Half, rounded up, run from the newest; each ends by itself. */
static void steal_half(void **state)
{
	struct wsq_fj_ctx w;
	u32 n, k, i;

	(void)state;
	for (n = 1; n <= 9; n++) {
		w = begin();
		team.half = true;
		spawns(&w, n);
		wsq_fj_share_all(&seats[0], w.head);
		k = (n + 1) / 2;
		assert_int_equal(wsq_fj_steal_run(&seats[1], &seats[0].dq, tasks[1]), k);
		at(w.deque, k, n);
		assert_int_equal(nr_ran, k);
		for (i = 0; i < k; i++) {
			assert_int_equal(ran[i], k - i);
			assert_int_equal(atomic64_read(&tasks[0][i].thief), WSQ_FJ_ENDED);
		}
		assert_int_equal(wakes, 0);
	}
}

/* Half of many: a thief has preemption off while it takes them. */
static void steal_most(void **state)
{
	enum { MANY = 256, SHARED = 200 };
	static struct wsq_fj_task many[MANY + 1];
	struct wsq_fj_deque *dq = &seats[0].dq;
	struct wsq_fj_task *first = NULL;
	struct wsq_fj_ctx w;
	u32 n, i;

	(void)state;
	begin();
	memset(many, 0, sizeof(many));
	wsq_fj_init(dq, many, MANY);
	sit(0);
	w = (struct wsq_fj_ctx){ dq, many };
	spawns(&w, SHARED);
	wsq_fj_share_all(&seats[0], w.head);
	team.half = true;
	n = (u32)steal(1, &first);
	assert_int_equal(n, 64);
	assert_ptr_equal(first, many);
	at(dq, n, SHARED);
	for (i = 0; i < SHARED; i++)
		assert_int_equal(!!atomic64_read(&many[i].thief), i < n);
	assert_int_equal(steal(2, &first), 64);
	assert_int_equal(steal(2, &first), (SHARED - 2 * 64) / 2);
}

/* When all tasks are stolen thieves do not look, and the next is shared. */
static void all_stolen(void **state)
{
	struct wsq_fj_ctx w = begin();
	struct wsq_fj_task *task = NULL;

	(void)state;
	spawns(&w, 2);
	wsq_fj_share_all(&seats[0], w.head);
	assert_int_equal(wsq_fj_steal_run(&seats[1], &seats[0].dq, tasks[1]), 1);
	assert_int_equal(wsq_fj_steal_run(&seats[2], &seats[0].dq, tasks[2]), 1);
	assert_false(w.deque->all);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RESULT);
	assert_ptr_equal(w.head, &tasks[0][1]);
	assert_int_equal(w.head->data[0], 102);
	assert_true(w.deque->all);
	assert_int_equal(steal(1, &task), WSQ_DONE);
	assert_false(asked(0));
	/* Now every operation takes the slow path. */
	assert_ptr_equal(w.deque->lo, w.head);
	assert_ptr_equal(w.deque->hi, w.head);
	spawn(&w, 3);
	at(w.deque, 1, 2);
	assert_false(w.deque->all);
	assert_int_equal(atomic64_read(&w.deque->allstolen), 0);
	/* The one behind it is private. */
	spawn(&w, 4);
	at(w.deque, 1, 2);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RUN);
	assert_int_equal(w.head->data[0], 4);
	assert_int_equal(steal(1, &task), 1);
	assert_ptr_equal(task, &tasks[0][1]);
	assert_int_equal(task->data[0], 3);
	wsq_fj_task_end(task);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RESULT);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RESULT);
	assert_int_equal(w.head->data[0], 101);
	assert_ptr_equal(w.head, tasks[0]);
	assert_true(w.deque->all);
}

/* Spawns of a run that stops are counted only. */
static void stop(void **state)
{
	struct wsq_fj_ctx w = begin();
	u32 i;

	(void)state;
	spawns(&w, 2);
	assert_int_equal(wsq_fj_stop_run(&team, 7), 7);
	/* The first error is kept. */
	assert_int_equal(wsq_fj_stop_run(&team, 8), 7);
	assert_int_equal(wsq_fj_stops(&team), 7);
	for (i = 0; i < SEATS; i++)
		assert_true(asked(i));
	assert_false(wsq_fj_callable(&w));
	assert_false(wsq_fj_callable(&w));
	for (i = 0; i < 3; i++) {
		spawn(&w, 9);
		assert_ptr_equal(w.head, &tasks[0][2]);
		assert_int_equal(seats[0].dropped, i + 1);
	}
	for (i = 3; i; i--) {
		assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_DROP);
		assert_ptr_equal(w.head, &tasks[0][2]);
	}
	for (i = 2; i; i--) {
		assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_DROP);
		assert_ptr_equal(w.head, &tasks[0][i - 1]);
	}
	assert_int_equal(seats[0].dropped, 0);
	wsq_fj_rise(&seats[0]);
	/* The next run is a new one. */
	wsq_fj_begin_run(&team);
	w = sit(0);
	assert_int_equal(wsq_fj_stops(&team), 0);
	assert_false(asked(0));
	assert_true(wsq_fj_callable(&w));
	spawn(&w, 1);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RUN);
}

static void end_first(void)
{
	on_sleep = NULL;
	assert_true(wsq_fj_task_end(&tasks[0][0]));
}

/* A sync waits for a thief that has begun, but has no result. */
static void stop_waits(void **state)
{
	struct wsq_fj_ctx w = begin();
	struct wsq_fj_task *task = NULL;

	(void)state;
	spawns(&w, 2);
	wsq_fj_share_all(&seats[0], w.head);
	assert_int_equal(steal(1, &task), 1);
	wsq_fj_stop_run(&team, 7);
	/* What is stolen from now on does not run. */
	assert_int_equal(wsq_fj_steal_run(&seats[2], &seats[0].dq, tasks[2]), 1);
	assert_int_equal(nr_ran, 0);
	on_sleep = end_first;
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_DROP);
	assert_int_equal(sleeps, 0);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_DROP);
	assert_int_equal(sleeps, 1);
	assert_ptr_equal(w.head, tasks[0]);
}

static void stop_now(void)
{
	wsq_fj_stop_run(&team, 5);
}

/* A stop just before a thread sits down, or comes back, is not forgotten. */
static void stop_stands(void **state)
{
	struct wsq_fj_ctx w = begin();

	(void)state;
	stop_now();
	w = sit(1);
	assert_true(asked(1));
	assert_false(wsq_fj_callable(&w));

	w = begin();
	spawns(&w, 2);
	wsq_fj_share_all(&seats[0], w.head);
	sit(1);
	stop_now();
	assert_false(wsq_fj_leave(&seats[1]));
	assert_true(asked(1));
}

/* The last descriptor is not used, and the run fails. */
static void descriptors_used_up(void **state)
{
	struct wsq_fj_ctx w = begin();
	u32 i;

	(void)state;
	spawns(&w, DEPTH);
	assert_ptr_equal(w.head, &tasks[0][DEPTH]);
	assert_int_equal(wsq_fj_stops(&team), 0);
	spawn(&w, 99);
	assert_ptr_equal(w.head, &tasks[0][DEPTH]);
	assert_int_equal(wsq_fj_stops(&team), WSQ_FJ_EOVERFLOW);
	spawn(&w, 99);
	assert_int_equal(seats[0].dropped, 2);
	for (i = 0; i < DEPTH + 2; i++)
		assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_DROP);
	assert_ptr_equal(w.head, tasks[0]);
}

/* So it does if the stack is used up, at a sync; a call becomes one. */
static void stack_used_up(void **state)
{
	struct wsq_fj_ctx w;

	(void)state;
	w = begin();
	stack_pointer = STACK_END;
	spawn(&w, 1);
	assert_true(wsq_fj_callable(&w));
	assert_int_equal(wsq_fj_stops(&team), 0);
	stack_pointer = STACK_END - 1;
	assert_false(wsq_fj_callable(&w));
	spawn(&w, 2);
	assert_int_equal(wsq_fj_stops(&team), 0);
	assert_int_equal(stacks, 0);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_DROP);
	assert_int_equal(wsq_fj_stops(&team), WSQ_FJ_EOVERFLOW);
	assert_false(wsq_fj_callable(&w));
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_DROP);
	assert_ptr_equal(w.head, tasks[0]);
	assert_int_equal(nr_ran, 0);
}

/* Unless tasks may go on on another stack, and there is one. */
static void stack_changed(void **state)
{
	struct wsq_fj_ctx w;

	(void)state;
	w = begin();
	team.stacks = true;
	spawns(&w, 3);
	stack_pointer = STACK_END - 1;
	other_stack = true;
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_RESULT);
	assert_int_equal(stacks, 1);
	assert_int_equal(w.head->data[0], 103);
	/* Back on the old stack, the limit is the old one. */
	assert_int_equal(w.deque->stack_end, STACK_END);
	stack_pointer = STACK_END - 1;
	assert_false(wsq_fj_callable(&w));
	other_stack = false;
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_DROP);
	assert_int_equal(stacks, 2);
	assert_int_equal(wsq_fj_stops(&team), WSQ_FJ_EOVERFLOW);
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_DROP);
	assert_int_equal(nr_ran, 1);
}

/* The run is cancelled while a task waits for another stack: it does not begin. */
static void stack_stopped(void **state)
{
	struct wsq_fj_ctx w;

	(void)state;
	w = begin();
	team.stacks = true;
	spawns(&w, 2);
	stack_pointer = STACK_END - 1;
	other_stack = true;
	stop_there = true;
	assert_int_equal(wsq_fj_pop(&w), WSQ_FJ_DROP);
	assert_int_equal(stacks, 1);
	assert_int_equal(nr_ran, 0);
	assert_int_equal(w.deque->stack_end, STACK_END);
	assert_int_equal(wsq_fj_stops(&team), ECANCELED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(figure_3),
		cmocka_unit_test(grow_by_half),
		cmocka_unit_test(private_tasks),
		cmocka_unit_test(requests_counted),
		cmocka_unit_test(steal_one),
		cmocka_unit_test(steal_half),
		cmocka_unit_test(steal_most),
		cmocka_unit_test(all_stolen),
		cmocka_unit_test(stop),
		cmocka_unit_test(stop_waits),
		cmocka_unit_test(stop_stands),
		cmocka_unit_test(descriptors_used_up),
		cmocka_unit_test(stack_used_up),
		cmocka_unit_test(stack_changed),
		cmocka_unit_test(stack_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
