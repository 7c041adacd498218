// SPDX-License-Identifier: GPL-2.0
/*
 * One slot, which is full, and two waiters; one pop by another CPU, and one by
 * an interrupt of the first waiter's own CPU, at any point. Each pop admits a
 * waiter, if it finds one. Forbidden: a waiter sleeps forever, or a task is put
 * twice or not at all. Use and limitations: space_wait_client.h, main.h.
 */
#include "space_wait_client.h"

struct space_wait_model;
static space_wait_model *self;

struct space_wait_model : rl::test_suite<space_wait_model, 3> {
	wsq_space space;
	location at;
	/* How often each task was put. */
	int puts[3];
	int ended;

	static bool put(void *arg, void *task)
	{
		space_wait_model *m = (space_wait_model *)arg;

		if (!m->at.put())
			return false;
		m->puts[(long)task]++;
		return true;
	}

	void before()
	{
		self = this;
		parties_init();
		wsq_space_init(&space);
		at.init(1, 1);
		for (int &n : puts)
			n = 0;
		ended = 0;
		parties[0].interrupt = pop_here;
	}

	/* Pops until it gets a task. */
	void pop()
	{
		void *task = nullptr;
		int ret;

		while (!task) {
			if (at.take())
				task = this;
			ret = wsq_space_unused(&space) ? WSQ_EMPTY : WSQ_OK;
			while (ret == WSQ_OK)
				ret = wsq_space_admit(&space, &task, put, this);
			if (!task)
				rl::yield(1, $);
		}
		/* A task that was handed over was never in the slot. */
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
			RL_ASSERT(wsq_space_wait(&space, (void *)(long)(i + 1), put,
						this, 0) == WSQ_SPACE_ADMITTED);
			me()->left = true;
			ended++;
			/* If the interrupt has not come yet. */
			open_up(true);
		} else {
			pop();
		}
	}

	void after()
	{
		RL_ASSERT(ended == 2 && puts[1] == 1 && puts[2] == 1);
		RL_ASSERT(!atomic64_read(&space.nr) && !space.inside && !space.turn);
	}
};

CLIENT_MAIN(space_wait_model)
