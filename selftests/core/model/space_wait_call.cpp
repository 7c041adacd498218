// SPDX-License-Identifier: GPL-2.0
/*
 * Two waiters, each for a slot that only it can use, and two thieves, each of
 * which frees one of the slots and calls all waiters; slices of one. Either may
 * continue where the other's slice ended. Forbidden: a waiter sleeps forever,
 * or a waiter that has left is woken. Use and limitations: space_wait_client.h,
 * main.h.
 */
#define WSQ_SPACE_SLICE	1
#include "space_wait_client.h"

struct space_wait_call : rl::test_suite<space_wait_call, 4> {
	wsq_space space;
	location at[2];
	int ended;

	static bool put(void *arg, void *task)
	{
		return ((space_wait_call *)arg)->at[(long)task].put();
	}

	void before()
	{
		parties_init();
		wsq_space_init(&space);
		at[0].init(1, 1);
		at[1].init(1, 1);
		ended = 0;
	}

	void thread(unsigned int i)
	{
		bool more;

		if (i < 2) {
			RL_ASSERT(wsq_space_wait(&space, (void *)(long)i, put,
						this, 0) == WSQ_SPACE_ADMITTED);
			me()->left = true;
			ended++;
			return;
		}
		RL_ASSERT(at[i - 2].take());
		if (wsq_space_unused(&space))
			return;
		more = wsq_space_call(&space);
		while (more)
			more = wsq_space_go_on(&space);
	}

	void after()
	{
		RL_ASSERT(ended == 2 && !atomic64_read(&space.nr));
		RL_ASSERT(!space.inside && !space.turn && !space.again);
	}
};

CLIENT_MAIN(space_wait_call)
