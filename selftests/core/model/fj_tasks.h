/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Split deque: an owner that pushes and pops, and some thieves, which ask for
 * work and steal. The owner answers, so split goes up and down, and descriptors
 * are used again. Each task runs once; its arguments and result are seen. Use
 * and limitations: main.h, fj_client.h.
 *
 * For: fj_one.cpp, fj_half.cpp and fj_three.cpp, which differ in the number of
 * thieves, and in how much each takes.
 */
#include "fj_client.h"

template <typename T, unsigned int THIEVES, bool HALF>
struct fj_tasks : rl::test_suite<T, THIEVES + 1>, fj_book {
	void before()
	{
		open(THIEVES + 1, 0);
		team.half = HALF;
	}

	void thread(unsigned int i)
	{
		int n;

		if (i) {
			seek(i, 0, 3);
			return;
		}

		wsq_fj_ctx w = sit(0);

		for (n = 1; n <= 4; n++)
			spawn(&w, n);
		sync(&w, 4);
		sync(&w, 3);
		spawn(&w, 5);
		spawn(&w, 6);
		wsq_fj_share_all(&seats[0], w.head);
		for (n = 6; n >= 5; n--)
			sync(&w, n);
		for (n = 2; n >= 1; n--)
			sync(&w, n);
		end(&w);
	}

	void after()
	{
		int n;

		for (n = 1; n <= 6; n++)
			RL_ASSERT(ran[n] == 1);
		empty(0);
	}
};
