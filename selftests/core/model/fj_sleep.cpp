// SPDX-License-Identifier: GPL-2.0
/*
 * An owner that waits for a stolen task and sleeps, and the thief that ends the
 * task. Forbidden: the owner sleeps, and the thief does not wake it; the owner
 * goes on before the task has ended, or does not see its result. Twice, because
 * the descriptor is used again. Use and limitations: main.h, fj_client.h.
 */
#include "fj_client.h"

struct fj_sleep : rl::test_suite<fj_sleep, 2>, fj_book {
	void before()
	{
		open(2, 0);
		within = longer;
	}

	/* A task that takes as long as the owner's spinning. */
	static void longer(wsq_fj_ctx w, int id)
	{
		int n;

		(void)w;
		(void)id;
		for (n = 0; n < 16; n++)
			rl::yield(1, $);
	}

	void thread(unsigned int i)
	{
		int n;

		if (i) {
			seek(i, 0, 2);
			return;
		}

		wsq_fj_ctx w = sit(0);

		for (n = 1; n <= 2; n++) {
			spawn(&w, n);
			wsq_fj_share_all(&seats[0], w.head);
			sync(&w, n);
		}
		end(&w);
	}

	void after()
	{
		RL_ASSERT(ran[1] == 1 && ran[2] == 1);
		empty(0);
	}
};

CLIENT_MAIN(fj_sleep)
