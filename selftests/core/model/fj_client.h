/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the clients of core/fj_team.c: seats, the hooks, and a book of
 * tasks.
 *
 * A task has a number. Its owner writes the number into @arg, at the place of
 * the descriptor, before the push; what runs the task reads it and writes
 * @result, which the owner reads at the sync. Both are rl::var: Relacy reports
 * an access that is not ordered. @ran counts how often each task has run.
 *
 * A sleep is a loop until a wake-up, with the barriers of rcuwait. Without a
 * wake-up it never ends, which Relacy reports. Each thread's clock goes on by
 * @tick at each reading.
 *
 * Limitations: struct members that only the owner uses are plain memory, in
 * which Relacy sees no race. The stack pointer is a variable.
 */
#ifndef _WSQ_MODEL_FJ_CLIENT_H
#define _WSQ_MODEL_FJ_CLIENT_H

#include "main.h"

/* Of the running thread; the stack ends at 0 unless a client sets it. */
static u64 stack_pointers[8];

#define current_stack_pointer	(stack_pointers[rl::thread_index()])

#include "fj_team.c"

enum { FJ_SEATS = 4, FJ_DEPTH = 6, FJ_TASKS = 16 };

/* For the functions that have no pointer to the client. */
static struct fj_book *book;

struct fj_book {
	wsq_fj_team team;
	struct wsq_fj_seat seats[FJ_SEATS];
	struct wsq_fj_seat *list[FJ_SEATS];
	wsq_fj_task tasks[FJ_SEATS][FJ_DEPTH + 1];
	rl::var<int> arg[FJ_SEATS][FJ_DEPTH + 1];
	rl::var<int> result[FJ_SEATS][FJ_DEPTH + 1];
	bool woken[FJ_SEATS];
	u64 clock[8];
	u64 tick;
	int ran[FJ_TASKS];
	/* Owners that have not finished. */
	int owners;
	/* Hooks, if the client has helpers that can be started. */
	struct wsq_fj_seat *(*claim)(void);
	bool (*start)(struct wsq_fj_seat *seat);
	void (*unclaim)(struct wsq_fj_seat *seat);
	/* What a thief does in a task, beside the above. */
	void (*within)(wsq_fj_ctx w, int id);

	void open(u32 seats_nr, u32 max)
	{
		u32 i, k;

		book = this;
		team.seats = list;
		team.nr = seats_nr;
		team.max = max;
		team.half = false;
		team.random = false;
		team.stacks = false;
		atomic64_set(&team.stop, 0);
		atomic64_set(&team.active, max);
		/* Sleep at the second look. */
		tick = WSQ_FJ_SPIN_NS * 2;
		within = nullptr;
		claim = nullptr;
		std::memset(ran, 0, sizeof(ran));
		std::memset(woken, 0, sizeof(woken));
		owners = 1;
		for (i = 0; i < 8; i++) {
			clock[i] = 1;
			stack_pointers[i] = 1000;
		}
		for (i = 0; i < seats_nr; i++) {
			struct wsq_fj_seat *seat = &seats[i];

			list[i] = seat;
			seat->team = &team;
			seat->id = i;
			atomic64_set(&seat->waits, 0);
			atomic64_set(&seat->steals, 0);
			atomic64_set(&seat->leaps, 0);
			atomic64_set(&seat->sleeps, 0);
			atomic64_set(&seat->started, 0);
			wsq_fj_init(&seat->dq, tasks[i], FJ_DEPTH);
			wsq_fj_rise(seat);
			for (k = 0; k <= FJ_DEPTH; k++) {
				tasks[i][k].run = stolen;
				wsq_fj_task_reuse(&tasks[i][k]);
			}
		}
	}

	wsq_fj_ctx sit(u32 id)
	{
		wsq_fj_sit(&seats[id], 0);
		/* Not the address, which another process has elsewhere. */
		seats[id].rnd = id + 1;
		return wsq_fj_ctx{ &seats[id].dq, tasks[id] };
	}

	int *place(wsq_fj_task *task, u32 *seat)
	{
		static int at;

		*seat = (u32)((task - tasks[0]) / (FJ_DEPTH + 1));
		at = (int)((task - tasks[0]) % (FJ_DEPTH + 1));
		return &at;
	}

	void run(wsq_fj_ctx w, wsq_fj_task *task, bool stolen)
	{
		u32 seat;
		int at = *place(task, &seat);
		int id = arg[seat][at]($);

		RL_ASSERT(id > 0 && id < FJ_TASKS);
		RL_ASSERT(++ran[id] == 1);
		if (within)
			within(w, id);
		if (stolen)
			result[seat][at]($) = -id;
	}

	static void stolen(wsq_fj_deque *dq, wsq_fj_task *head,
			   wsq_fj_task *task)
	{
		book->run(wsq_fj_ctx{ dq, head }, task, true);
	}

	void spawn(wsq_fj_ctx *w, int id)
	{
		u32 seat;
		int at = *place(w->head, &seat);

		arg[seat][at]($) = id;
		wsq_fj_push(w);
		/* As if a direct call followed: a request is answered there. */
		(void)wsq_fj_callable(w);
	}

	/* The last task is @id, unless the run stops. */
	unsigned long sync(wsq_fj_ctx *w, int id)
	{
		unsigned long what = wsq_fj_pop(w);
		u32 seat;
		int at = *place(w->head, &seat);

		if (what == WSQ_FJ_RUN) {
			RL_ASSERT(arg[seat][at]($) == id);
			run(*w, w->head, false);
		} else if (what == WSQ_FJ_RESULT) {
			RL_ASSERT(result[seat][at]($) == -id);
		} else {
			RL_ASSERT(what == WSQ_FJ_DROP);
			RL_ASSERT(wsq_fj_stops(&team));
		}
		return what;
	}

	/* One attempt of the thread of seat @id. */
	u32 steal(u32 id, u32 victim)
	{
		return wsq_fj_steal_run(&seats[id], &seats[victim].dq, tasks[id]);
	}

	/* Ask for work, and steal @n times when there is some. */
	void seek(u32 id, u32 victim, int n)
	{
		steal(id, victim);
		while (n && owners) {
			if (wsq_fj_shared(&seats[victim].dq)) {
				steal(id, victim);
				n--;
			} else {
				rl::yield(1, $);
			}
		}
	}

	/* The thread of a seat has synced all. */
	void end(wsq_fj_ctx *w)
	{
		RL_ASSERT(w->head == w->deque->tasks);
		wsq_fj_rise(wsq_fj_seat(w->deque));
		owners--;
	}

	/* Nothing is left at a seat whose owner has synced all. */
	void empty(u32 id)
	{
		RL_ASSERT(!wsq_fj_shared(&seats[id].dq));
		RL_ASSERT(!seats[id].dropped);
		RL_ASSERT(!atomic64_read(&seats[id].waits));
	}
};

struct wsq_fj_seat *wsq_fj_claim_seat(struct wsq_fj_team *team)
{
	RL_ASSERT(team == &book->team);
	return book->claim ? book->claim() : nullptr;
}

bool wsq_fj_start_helper(struct wsq_fj_seat *seat)
{
	return book->start(seat);
}

void wsq_fj_free_seat(struct wsq_fj_seat *seat)
{
	book->unclaim(seat);
}

bool wsq_fj_other_stack(struct wsq_fj_seat *, struct wsq_fj_task *)
{
	return false;
}

void wsq_fj_sleep(struct wsq_fj_seat *seat, struct wsq_fj_task *task)
{
	struct wsq_fj_deque *thief;

	for (;;) {
		book->woken[seat->id] = false;
		smp_mb();
		if (wsq_fj_task_ended(task, &thief))
			return;
		while (!book->woken[seat->id])
			rl::yield(1, $);
	}
}

void wsq_fj_wake(struct wsq_fj_seat *seat)
{
	smp_mb();
	book->woken[seat->id] = true;
}

void wsq_fj_pin(void)
{
}

void wsq_fj_unpin(void)
{
}

bool wsq_fj_busy(void)
{
	return false;
}

void wsq_fj_relax(void)
{
	rl::yield(1, $);
}

void wsq_fj_resched(bool)
{
}

void wsq_fj_watch(struct wsq_fj_seat *)
{
}

u64 wsq_fj_clock(void)
{
	return book->clock[rl::thread_index()] += book->tick;
}

#endif /* _WSQ_MODEL_FJ_CLIENT_H */
