// SPDX-License-Identifier: GPL-2.0
/*
 * A run that two contexts stop, each for another error, while its owner spawns,
 * syncs and calls, and a helper sits down and steals. No task runs twice,
 * spawns stay balanced, and the first error is kept. When both have returned,
 * every seat's next operation takes the slow path, a direct call too, and no
 * task runs any more. Use and limitations: main.h, fj_client.h.
 */
#include "fj_client.h"

struct fj_stop : rl::test_suite<fj_stop, 4>, fj_book {
	wsq_fj_ctx owner, helper;
	int kept[2];

	void before()
	{
		open(2, 0);
		wsq_fj_begin_run(&team);
	}

	void thread(unsigned int i)
	{
		int n;

		switch (i) {
		case 0:
			owner = sit(0);
			for (n = 1; n <= 3; n++)
				spawn(&owner, n);
			if (!wsq_fj_callable(&owner))
				RL_ASSERT(wsq_fj_stops(&team));
			for (n = 3; n >= 2; n--)
				sync(&owner, n);
			owners--;
			break;
		case 1:
			helper = sit(1);
			seek(1, 0, 2);
			break;
		default:
			kept[i - 2] = wsq_fj_stop_run(&team, (int)i);
			break;
		}
	}

	void after()
	{
		struct wsq_fj_task *head;
		int n;

		RL_ASSERT(kept[0] == kept[1] && kept[0] == wsq_fj_stops(&team));
		RL_ASSERT(kept[0] == 2 || kept[0] == 3);
		RL_ASSERT(!wsq_fj_callable(&owner));
		RL_ASSERT(!wsq_fj_callable(&helper));
		/* Spawned before the stop, behind it, and not balanced yet. */
		n = ran[1];
		head = owner.head;
		spawn(&owner, 4);
		spawn(&owner, 5);
		spawn(&helper, 6);
		RL_ASSERT(sync(&helper, 6) == WSQ_FJ_DROP);
		RL_ASSERT(sync(&owner, 5) == WSQ_FJ_DROP);
		RL_ASSERT(sync(&owner, 4) == WSQ_FJ_DROP);
		RL_ASSERT(owner.head == head);
		RL_ASSERT(sync(&owner, 1) == WSQ_FJ_DROP);
		RL_ASSERT(ran[1] == n);
		for (n = 1; n <= 3; n++)
			RL_ASSERT(ran[n] <= 1);
		RL_ASSERT(!ran[4] && !ran[5] && !ran[6]);
		RL_ASSERT(owner.head == tasks[0] && helper.head == tasks[1]);
		empty(0);
		empty(1);
		wsq_fj_rise(&seats[0]);
		wsq_fj_rise(&seats[1]);
	}
};

CLIENT_MAIN(fj_stop)
