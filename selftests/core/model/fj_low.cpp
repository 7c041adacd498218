// SPDX-License-Identifier: GPL-2.0
/*
 * A thread waits for a stolen task while its stack is used up. Forbidden: it
 * runs what the thief has, or it never ends. Use and limitations: main.h,
 * fj_client.h.
 */
#include "fj_client.h"

struct fj_low : rl::test_suite<fj_low, 2>, fj_book {
	void before()
	{
		open(2, 0);
		/* Look often before a sleep. */
		tick = WSQ_FJ_SPIN_NS / 2;
		within = inner;
	}

	static void inner(wsq_fj_ctx w, int id)
	{
		RL_ASSERT(wsq_fj_stack_pointer() >= w.deque->stack_end);
		if (id != 1)
			return;
		book->spawn(&w, 2);
		book->spawn(&w, 3);
		wsq_fj_share_all(wsq_fj_seat(w.deque), w.head);
		book->sync(&w, 3);
		book->sync(&w, 2);
	}

	void thread(unsigned int i)
	{
		wsq_fj_ctx w = sit(i);

		if (i) {
			while (!steal(1, 0))
				rl::yield(1, $);
			wsq_fj_rise(&seats[1]);
			return;
		}
		spawn(&w, 1);
		wsq_fj_share_all(&seats[0], w.head);
		while (wsq_fj_shared(w.deque))
			rl::yield(1, $);
		w.deque->stack_end = stack_pointers[0] + 1;
		sync(&w, 1);
		end(&w);
	}

	void after()
	{
		int n;

		for (n = 1; n <= 3; n++)
			RL_ASSERT(ran[n] == 1);
		RL_ASSERT(!wsq_fj_stops(&team));
		RL_ASSERT(!atomic64_read(&seats[0].leaps));
		empty(0);
		empty(1);
	}
};

CLIENT_MAIN(fj_low)
