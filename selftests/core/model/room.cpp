// SPDX-License-Identifier: GPL-2.0
/*
 * One place, which is full, and two who wait for it; one pop by another CPU, and
 * one by an interrupt of the first waiter's own CPU, wherever it comes. Each pop
 * lets in who waits, if it finds somebody. Forbidden: a waiter sleeps for ever, or
 * a task is put twice or not at all.
 * Use and limitations: room_client.h, main.h.
 */
#include "room_client.h"

struct room_model;
static room_model *self;

struct room_model : rl::test_suite<room_model, 3> {
	wsq_room room;
	place at;
	/* How often each was put. */
	int puts[3];
	int ended;

	static bool put(void *arg, void *task)
	{
		room_model *m = (room_model *)arg;

		if (!m->at.put())
			return false;
		m->puts[(long)task]++;
		return true;
	}

	void before()
	{
		self = this;
		parties_init();
		wsq_room_init(&room);
		at.init(1, 1);
		for (int &n : puts)
			n = 0;
		ended = 0;
		parties[0].interrupt = pop_here;
	}

	/* Until it has one. */
	void pop()
	{
		void *task = nullptr;
		int ret;

		while (!task) {
			if (at.take())
				task = this;
			ret = wsq_room_nobody(&room) ? WSQ_EMPTY : WSQ_OK;
			while (ret == WSQ_OK)
				ret = wsq_room_admit(&room, &task, put, this);
			if (!task)
				rl::yield(1, $);
		}
		/* One that was handed over went through no place. */
		if (task != this)
			puts[(long)task]++;
	}

	static void pop_here()
	{
		self->pop();
	}

	void thread(unsigned int i)
	{
		if (i < 2) {
			RL_ASSERT(wsq_room_wait(&room, (void *)(long)(i + 1), put,
						this, 0) == WSQ_ROOM_IN);
			me()->left = true;
			ended++;
			/* If it has not come yet. */
			open_up(true);
		} else {
			pop();
		}
	}

	void after()
	{
		RL_ASSERT(ended == 2 && puts[1] == 1 && puts[2] == 1);
		RL_ASSERT(!atomic64_read(&room.nr) && !room.inside && !room.turn);
	}
};

CLIENT_MAIN(room_model)
