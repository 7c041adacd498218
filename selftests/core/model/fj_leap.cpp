// SPDX-License-Identifier: GPL-2.0
/*
 * Leapfrogging: task 1 is stolen and spawns 2 and 3, of which 2 spawns 4. The
 * owner of 1 and the thief of 1 wait, and steal what the thief that they wait
 * for has, or the thief that it waits for. Each task runs once, its arguments
 * and results are seen, and a wait that ends leaves the deque as it was. Use
 * and limitations: main.h, fj_client.h.
 */
#include "fj_client.h"

struct fj_leap : rl::test_suite<fj_leap, 3>, fj_book {
	void before()
	{
		open(3, 0);
		/* Look often. */
		tick = WSQ_FJ_SPIN_NS / 2;
		within = inner;
	}

	static void inner(wsq_fj_ctx w, int id)
	{
		struct wsq_fj_task *head = w.head;

		if (id == 1) {
			book->spawn(&w, 2);
			book->spawn(&w, 3);
			wsq_fj_share_all(wsq_fj_seat(w.deque), w.head);
			book->sync(&w, 3);
			book->sync(&w, 2);
		} else if (id == 2) {
			book->spawn(&w, 4);
			wsq_fj_share_all(wsq_fj_seat(w.deque), w.head);
			book->sync(&w, 4);
		}
		RL_ASSERT(w.head == head);
	}

	void thread(unsigned int i)
	{
		wsq_fj_ctx w = sit(i);

		if (!i) {
			spawn(&w, 5);
			spawn(&w, 1);
			wsq_fj_share_all(&seats[0], w.head);
			sync(&w, 1);
			sync(&w, 5);
			end(&w);
		} else {
			seek(i, i - 1, 2);
			wsq_fj_rise(&seats[i]);
		}
	}

	void after()
	{
		int n;

		for (n = 1; n <= 5; n++)
			RL_ASSERT(ran[n] == 1);
		for (n = 0; n < 3; n++)
			empty(n);
	}
};

CLIENT_MAIN(fj_leap)
