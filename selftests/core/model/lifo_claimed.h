/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the clients of the LIFO BWoS's claimed slots share: an owner that puts by
 * reserve, fill and commit and takes by claim, others that claim what they take,
 * and tasks whose content tells whether they came out whole.
 *
 * For: lifo_claims*.cpp, lifo_oldest.cpp. Use and limitations: bwos_lifo_client.h,
 * main.h.
 */
#ifndef _WSQ_MODEL_LIFO_CLAIMED_H
#define _WSQ_MODEL_LIFO_CLAIMED_H

#include "bwos_lifo_client.h"

/**
 * struct lifo_claimed_client - a queue of claimed slots with a book of its tasks
 * @T: the client
 * @THREADS: its threads; the first is the owner
 * @NB, @BS, @SPARE: places, block size, spare blocks
 * @MAX_NB: places that it may have
 *
 * The content is plain memory, written before a task is put: Relacy reports the
 * race if whoever takes the task does not see it.
 */
template <typename T, int THREADS, u32 NB = 2, u32 BS = 2, u32 SPARE = 0,
	  u32 MAX_NB = NB>
struct lifo_claimed_client : lifo_client<T, THREADS, NB, BS, SPARE, MAX_NB> {
	using base = lifo_client<T, THREADS, NB, BS, SPARE, MAX_NB>;
	using base::in, base::next, base::q, base::slots, base::stack;
	using base::height, base::found_empty;

	rl::var<int> content[base::MAX_TASKS];

	void before()
	{
		base::before();
		for (wsq_slot_t &slot : slots)
			wsq_slot_publish(&slot, (void *)nullptr);
	}

	void whole(void *task)
	{
		RL_ASSERT(content[id_of(task)]($) == id_of(task));
	}

	void out_came(void *task)
	{
		base::took(task);
		whole(task);
	}

	wsq_slot_t *slot_at(u32 nr)
	{
		RL_ASSERT(nr / BS < base::mem.dir.nr_blocks);
		return &wsq_bwos_lifo_blk(&(base::mem), nr / BS)->slots[nr % BS];
	}

	/* Put never fills a slot in which something is. */
	void put_claimed(int n)
	{
		for (; n; n--) {
			wsq_bwos_room room;

			content[next]($) = next;
			if (wsq_bwos_lifo_reserve(&q, &room) < 0) {
				RL_ASSERT(!found_empty);
				next++;
			} else {
				RL_ASSERT(room.b + room.n == BS);
				RL_ASSERT(&q.slots[room.b] == slot_at(room.nr));
				RL_ASSERT(!wsq_slot_peek(&q.slots[room.b]));
				/* Others may have it before it is put. */
				stack[height++] = next;
				in[next] = true;
				wsq_bwos_lifo_fill(&q, &room, 0, task_of(next));
				next++;
				wsq_bwos_lifo_commit(&q, &room, 1);
			}
			found_empty = false;
		}
	}

	/* Was there a task, or its tomb, the last of @n times? */
	bool claim(int n)
	{
		void *task = nullptr;

		for (; n; n--) {
			task = wsq_bwos_lifo_claim(&q);
			if (task && task != WSQ_TOMB) {
				base::got(task);
				whole(task);
			}
			found_empty = !task;
			RL_ASSERT(task || wsq_bwos_lifo_empty(&q));
		}
		return task;
	}

	/* The lowest, or one that is not. */
	void claim_oldest()
	{
		void *task = wsq_bwos_lifo_claim_oldest(&q);

		if (task && task != WSQ_TOMB)
			out_came(task);
		found_empty = !task;
	}

	/* One thief's one visit. */
	void haul(u32 max)
	{
		void *tasks[BS];
		int i, n = wsq_bwos_lifo_steal_claim(&q, tasks, max);

		for (i = 0; i < n; i++) {
			out_came(tasks[i]);
			RL_ASSERT(!i || id_of(tasks[i]) > id_of(tasks[i - 1]));
		}
	}

	void pry(u32 max)
	{
		void *tasks[BS];
		int i, n = wsq_bwos_lifo_pry(&q, tasks, max);

		for (i = 0; i < n; i++)
			out_came(tasks[i]);
	}

	void withdraw(u32 nr, int id)
	{
		if (wsq_bwos_lifo_withdraw(&q, nr, task_of(id)))
			out_came(task_of(id));
	}

	void drain_claimed()
	{
		while (claim(1))
			;
		RL_ASSERT(!wsq_bwos_lifo_shared(&q));
		base::all_out_once();
		for (wsq_slot_t &slot : slots)
			RL_ASSERT(!wsq_slot_peek(&slot));
	}

	/* All came out once, and nothing keeps a slot out of use for good. */
	void after()
	{
		unsigned int i;

		drain_claimed();
		for (i = 0; i < NB * BS; i++) {
			put_claimed(1);
			RL_ASSERT(in[next - 1]);
		}
		RL_ASSERT(!q.nr_held && q.nr_spare == SPARE);
		drain_claimed();
	}
};

#endif /* _WSQ_MODEL_LIFO_CLAIMED_H */
