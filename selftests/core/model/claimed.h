/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the clients of claimed slots share: an owner that puts by reserve, fill
 * and commit and takes by claim, others that claim what they take, and tasks
 * whose content tells whether they came out whole.
 *
 * For: claims.cpp, remount.cpp, grow_client.h. Use and limitations: client.h, main.h.
 */
#ifndef _WSQ_MODEL_CLAIMED_H
#define _WSQ_MODEL_CLAIMED_H

#include "client.h"

/**
 * struct claimed_client - a queue of claimed slots with a book of its tasks
 * @T: the client
 * @THREADS: its threads
 * @MAX_NB: places that it may have
 *
 * The content is plain memory, written before a task is put: Relacy reports the
 * race if whoever takes the task does not see it.
 */
template <typename T, int THREADS, u32 MAX_NB = 2>
struct claimed_client : fifo_client<T, THREADS, 2, 2, 0, MAX_NB> {
	using base = fifo_client<T, THREADS, 2, 2, 0, MAX_NB>;
	using base::in, base::next, base::q, base::slots;

	rl::var<int> content[base::MAX_TASKS];

	void before()
	{
		base::before();
		for (wsq_slot_t &slot : slots)
			wsq_slot_publish(&slot, (void *)nullptr);
	}

	void out_came(void *task)
	{
		base::took(task);
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

	/* Was there a task, or its tomb, the last of @n times? */
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

	/* One thief's one visit; @pry: in the owner's block too. */
	void haul(bool pry)
	{
		void *tasks[2];
		int i, n = pry ? wsq_bwos_fifo_pry(&q, tasks, 2) :
				 wsq_bwos_fifo_steal_claim(&q, tasks, 2);

		for (i = 0; i < n; i++)
			out_came(tasks[i]);
	}
};

#endif /* _WSQ_MODEL_CLAIMED_H */
