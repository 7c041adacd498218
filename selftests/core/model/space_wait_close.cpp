// SPDX-License-Identifier: GPL-2.0
/*
 * Two waiters for one slot; one of them is killed, a task is popped, and the
 * wait queue is closed and freed, all at once; slices of one. Forbidden: a
 * party waits forever or uses freed memory, or reports wrongly whether its task
 * was put. Use and limitations: space_wait_client.h, main.h.
 */
#define WSQ_SPACE_SLICE	1
#include "space_wait_client.h"

struct space_wait_close : rl::test_suite<space_wait_close, 4> {
	wsq_space space;
	location at;
	int puts[3];
	bool entered[3];
	int ended;
	bool popped;

	static bool put(void *arg, void *task)
	{
		space_wait_close *m = (space_wait_close *)arg;

		m->entered[(long)task] = true;
		if (!m->at.put())
			return false;
		m->puts[(long)task]++;
		return true;
	}

	void before()
	{
		parties_init();
		wsq_space_init(&space);
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
		enum wsq_space_end end;

		end = wsq_space_wait(&space, (void *)id, put, this, 0);
		me()->left = true;
		RL_ASSERT(end == (puts[id] ? WSQ_SPACE_ADMITTED :
				  me()->killed && end != WSQ_SPACE_CLOSED ?
				  WSQ_SPACE_KILLED : WSQ_SPACE_CLOSED));
		RL_ASSERT(puts[id] <= 1);
		ended++;
	}

	void pop()
	{
		void *task = this;

		RL_ASSERT(at.take());
		if (!wsq_space_unused(&space))
			wsq_space_admit(&space, &task, put, this);
	}

	void close()
	{
		u32 inside;

		/* No party enters after this. */
		while (!entered[1] || !entered[2])
			rl::yield(1, $);
		while (wsq_space_close(&space, &inside) || inside)
			rl::yield(1, $);
		gone = true;
		RL_ASSERT(puts[1] + puts[2] <= 1);
	}

	void thread(unsigned int i)
	{
		if (i < 2) {
			waiter((long)i + 1);
		} else if (i == 2) {
			/* As by a signal: without the wait queue's lock. */
			parties[0].killed = true;
			parties[0].prepared = false;
			pop();
			popped = true;
		} else {
			/* No party pops any more either. */
			while (!popped)
				rl::yield(1, $);
			close();
		}
	}

	void after()
	{
		RL_ASSERT(ended == 2 && !atomic64_read(&space.nr));
	}
};

CLIENT_MAIN(space_wait_close)
