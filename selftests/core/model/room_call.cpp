// SPDX-License-Identifier: GPL-2.0
/*
 * Two who wait, each for a place that only he can use, and two thieves, each of whom
 * makes one of the places and calls all who wait; slices of one. Either may go on
 * where the other's slice ended. Forbidden: a waiter sleeps for ever, or somebody
 * is woken who has left.
 * Use and limitations: room_client.h, main.h.
 */
#define WSQ_ROOM_SLICE	1
#include "room_client.h"

struct room_call : rl::test_suite<room_call, 4> {
	wsq_room room;
	place at[2];
	int ended;

	static bool put(void *arg, void *task)
	{
		return ((room_call *)arg)->at[(long)task].put();
	}

	void before()
	{
		parties_init();
		wsq_room_init(&room);
		at[0].init(1, 1);
		at[1].init(1, 1);
		ended = 0;
	}

	void thread(unsigned int i)
	{
		bool more;

		if (i < 2) {
			RL_ASSERT(wsq_room_wait(&room, (void *)(long)i, put,
						this, 0) == WSQ_ROOM_IN);
			me()->left = true;
			ended++;
			return;
		}
		RL_ASSERT(at[i - 2].take());
		if (wsq_room_nobody(&room))
			return;
		more = wsq_room_call(&room);
		while (more)
			more = wsq_room_go_on(&room);
	}

	void after()
	{
		RL_ASSERT(ended == 2 && !atomic64_read(&room.nr));
		RL_ASSERT(!room.inside && !room.turn && !room.again);
	}
};

CLIENT_MAIN(room_call)
