// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots: an owner that puts and claims, a thief that steals, somebody
 * who pries tasks out of the owner's block and takes one back by its slot. Each
 * task comes out once, and whole: its content is plain memory, written before it
 * is put. Shared parts, use and limitations: client.h.
 */
#include "client.h"

struct claims : fifo_client<claims, 3> {
	rl::var<int> content[MAX_TASKS];

	void before()
	{
		fifo_client<claims, 3>::before();
		for (int i = 0; i < 4; i++)
			wsq_slot_publish(&slots[i], (void *)nullptr);
	}

	void out_came(void *task)
	{
		took(task);
		RL_ASSERT(content[id_of(task)]($) == id_of(task));
	}

	void put_claimed(int n)
	{
		for (; n; n--, next++) {
			wsq_bwos_room room;

			content[next]($) = next;
			in[next] = wsq_bwos_fifo_reserve(&q, &room) >= 0;
			if (!in[next])
				continue;
			wsq_bwos_fifo_fill(&q, &room, 0, task_of(next));
			wsq_bwos_fifo_commit(&q, &room, 1);
		}
	}

	bool claim(int n)
	{
		void *task = nullptr;

		for (; n; n--) {
			task = wsq_bwos_fifo_claim(&q);
			if (task && task != WSQ_TOMB)
				out_came(task);
		}
		return task;
	}

	void haul(bool pry)
	{
		void *tasks[2];
		int i, n = pry ? wsq_bwos_fifo_pry(&q, tasks, 2) :
				 wsq_bwos_fifo_steal_claim(&q, tasks, 2);

		for (i = 0; i < n; i++)
			out_came(tasks[i]);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put_claimed(3);
			claim(2);
			put_claimed(4);
			claim(3);
			put_claimed(5);
			claim(4);
			break;
		case 1:
			haul(false);
			haul(false);
			break;
		case 2:
			/* The block's second task, and one that comes later. */
			if (wsq_bwos_fifo_withdraw(&q, 1, task_of(2)))
				out_came(task_of(2));
			haul(true);
			for (u32 nr = 0; nr < 4; nr++)
				if (wsq_bwos_fifo_withdraw(&q, nr, task_of(6)))
					out_came(task_of(6));
			break;
		}
	}

	void after()
	{
		for (int i = 0; i < 32; i++)
			claim(1);
		RL_ASSERT(wsq_bwos_fifo_empty(&q));
		for (int i = 1; i < next; i++)
			RL_ASSERT(out[i] == (in[i] ? 1 : 0));
	}
};

CLIENT_MAIN(claims)
