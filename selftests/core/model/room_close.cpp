// SPDX-License-Identifier: GPL-2.0
/*
 * Two who wait for one place; one of them is killed, a task is popped, and the room
 * is closed and freed, at once; slices of one. Forbidden: somebody waits for ever or
 * uses what was freed, or says that his task was put when it was not, or the other
 * way round.
 * Use and limitations: room_client.h, main.h.
 */
#define WSQ_ROOM_SLICE	1
#include "room_client.h"

struct room_close : rl::test_suite<room_close, 4> {
	wsq_room room;
	place at;
	int puts[3];
	bool entered[3];
	int ended;
	bool popped;

	static bool put(void *arg, void *task)
	{
		room_close *m = (room_close *)arg;

		m->entered[(long)task] = true;
		if (!m->at.put())
			return false;
		m->puts[(long)task]++;
		return true;
	}

	void before()
	{
		parties_init();
		wsq_room_init(&room);
		at.init(1, 1);
		for (int i = 0; i < 3; i++) {
			puts[i] = 0;
			entered[i] = false;
		}
		ended = 0;
		popped = false;
	}

	void waiter(long id)
	{
		enum wsq_room_end end;

		end = wsq_room_wait(&room, (void *)id, put, this, 0);
		me()->left = true;
		RL_ASSERT(end == (puts[id] ? WSQ_ROOM_IN :
				  me()->killed && end != WSQ_ROOM_CLOSED ?
				  WSQ_ROOM_KILLED : WSQ_ROOM_CLOSED));
		RL_ASSERT(puts[id] <= 1);
		ended++;
	}

	void pop()
	{
		void *task = this;

		RL_ASSERT(at.take());
		if (!wsq_room_nobody(&room))
			wsq_room_admit(&room, &task, put, this);
	}

	void close()
	{
		u32 inside;

		/* Nobody enters after this. */
		while (!entered[1] || !entered[2])
			rl::yield(1, $);
		while (wsq_room_close(&room, &inside) || inside)
			rl::yield(1, $);
		gone = true;
		RL_ASSERT(puts[1] + puts[2] <= 1);
	}

	void thread(unsigned int i)
	{
		if (i < 2) {
			waiter((long)i + 1);
		} else if (i == 2) {
			/* As a signal: no lock of the room's. */
			parties[0].killed = true;
			parties[0].poised = false;
			pop();
			popped = true;
		} else {
			/* Nor does anybody pop any more. */
			while (!popped)
				rl::yield(1, $);
			close();
		}
	}

	void after()
	{
		RL_ASSERT(ended == 2 && !atomic64_read(&room.nr));
	}
};

CLIENT_MAIN(room_close)
