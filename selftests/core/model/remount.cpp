// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that comes and goes: the owner puts, claims, takes the memory away and
 * mounts a second one, while a thief in a section steals and pries, perhaps in
 * what was taken away meanwhile. Memory is used for something else only when
 * the thief has left its section. Each task comes out once and whole, a queue
 * that is not empty keeps its memory, and one that is drained does not.
 *
 * What says where memory's parts are is plain in core and the same here from
 * the beginning; BF(mount:A) and BF(steal:G) are for it, and for litmus.
 * Shared parts, use and limitations: client.h.
 */
#include "client.h"

struct remount : fifo_client<remount, 2> {
	struct wsq_bwos_mem other_mem;
	wsq_bwos_block other_blocks[2];
	wsq_slot_t other_slots[4];
	atomic64_t other_dir[2];
	rl::var<int> content[MAX_TASKS];

	void before()
	{
		fifo_client<remount, 2>::before();
		for (int i = 0; i < 4; i++) {
			wsq_slot_publish(&slots[i], (void *)nullptr);
			wsq_slot_publish(&other_slots[i], (void *)nullptr);
		}
		other_mem = { other_blocks, other_slots, other_dir, spare, held,
			      2, 2, 0 };
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

	bool claim()
	{
		void *task = wsq_bwos_fifo_claim(&q);

		if (task && task != WSQ_TOMB)
			out_came(task);
		return task;
	}

	void drain_claimed()
	{
		while (claim())
			;
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			put_claimed(4);
			claim();
			/* Task 2 or its tomb is there, whatever a thief does. */
			RL_ASSERT(!wsq_bwos_fifo_unmount(&q));
			drain_claimed();
			RL_ASSERT(wsq_bwos_fifo_unmount(&q) == &mem);
			put_claimed(1);
			RL_ASSERT(!in[next - 1]);
			wsq_bwos_fifo_mount(&q, &other_mem);
			put_claimed(4);
			claim();
		} else {
			void *tasks[2];
			int n;

			for (int k = 0; k < 3; k++) {
				n = k == 1 ? wsq_bwos_fifo_pry(&q, tasks, 2) :
					     wsq_bwos_fifo_steal_claim(&q, tasks, 2);
				for (int j = 0; j < n; j++)
					out_came(tasks[j]);
			}
		}
	}

	/* The thief has left: the first memory may serve again. */
	void after()
	{
		drain_claimed();
		/* Nothing keeps a block out of use for good. */
		put_claimed(3);
		RL_ASSERT(in[next - 1]);
		drain_claimed();
		RL_ASSERT(wsq_bwos_fifo_unmount(&q) == &other_mem);
		for (int i = 0; i < 4; i++) {
			RL_ASSERT(!wsq_slot_peek(&slots[i]));
			RL_ASSERT(!wsq_slot_peek(&other_slots[i]));
		}
		wsq_bwos_fifo_mount(&q, &mem);
		put_claimed(3);
		drain_claimed();
		RL_ASSERT(wsq_bwos_fifo_empty(&q));
		for (int i = 1; i < next; i++)
			RL_ASSERT(out[i] == (in[i] ? 1 : 0));
	}
};

CLIENT_MAIN(remount)
