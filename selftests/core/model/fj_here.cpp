// SPDX-License-Identifier: GPL-2.0
/*
 * A task that its owner has another thread run, on that thread's stack, beside a
 * thief. Forbidden: a task that is lost or runs twice, there or in what it
 * spawns; a limit of the wrong stack, then or afterwards. Use and limitations:
 * main.h, fj_client.h.
 */
#include "fj_client.h"

struct fj_here : rl::test_suite<fj_here, 3>, fj_book {
	enum { OUTER_END = 100, OUTER = 1000, INNER_END = 1500, INNER = 2000 };

	/* 0; 1: @task is to be run; 2: there is nothing more to do. */
	atomic64_t go;
	wsq_fj_task *task;

	void before()
	{
		open(2, 0);
		atomic64_set(&go, 0);
		within = deep;
	}

	static void deep(wsq_fj_ctx w, int id)
	{
		u64 *sp = &stack_pointers[rl::thread_index()];

		if (id != 2 || w.deque != &book->seats[0].dq)
			return;
		*sp = INNER;
		RL_ASSERT(wsq_fj_callable(&w));
		*sp = INNER_END - 1;
		RL_ASSERT(!wsq_fj_callable(&w));
		*sp = INNER;
		book->spawn(&w, 3);
		book->sync(&w, 3);
	}

	void owner()
	{
		wsq_fj_ctx w;
		unsigned long what;

		wsq_fj_sit(&seats[0], OUTER_END);
		seats[0].rnd = 1;
		w = wsq_fj_ctx{ &seats[0].dq, tasks[0] };
		spawn(&w, 1);
		spawn(&w, 2);
		wsq_fj_share_all(&seats[0], w.head);
		what = wsq_fj_pop(&w);
		if (what == WSQ_FJ_RUN) {
			task = w.head;
			atomic64_set_release(&go, 1);
			while (atomic64_read_acquire(&go) == 1)
				rl::yield(1, $);
		} else {
			RL_ASSERT(what == WSQ_FJ_RESULT);
			atomic64_set_release(&go, 2);
		}
		RL_ASSERT(w.deque->stack_end == OUTER_END);
		RL_ASSERT(wsq_fj_callable(&w));
		/* Otherwise each operation takes the slow path from now on. */
		RL_ASSERT((u64)atomic64_read(&w.deque->guard) != INNER_END);
		sync(&w, 1);
		end(&w);
	}

	void thread(unsigned int i)
	{
		s64 what;

		switch (i) {
		case 0:
			owner();
			break;
		case 1:
			seek(1, 0, 2);
			break;
		case 2:
			while (!(what = atomic64_read_acquire(&go)))
				rl::yield(1, $);
			if (what != 1)
				break;
			stack_pointers[i] = INNER;
			wsq_fj_run_here(&seats[0], task, INNER_END);
			atomic64_set_release(&go, 2);
			break;
		}
	}

	void after()
	{
		RL_ASSERT(ran[1] == 1 && ran[2] == 1 && ran[3] <= 1);
		RL_ASSERT(!wsq_fj_stops(&team));
		empty(0);
	}
};

CLIENT_MAIN(fj_here)
