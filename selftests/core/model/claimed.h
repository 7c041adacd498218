/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the clients of claimed slots: an owner that puts by reserve, fill
 * and commit and takes by claim, others that claim what they take, and tasks
 * whose content shows whether they came out whole.
 *
 * For: claims.cpp and others. Use and limitations: client.h, main.h.
 */
#ifndef _WSQ_MODEL_CLAIMED_H
#define _WSQ_MODEL_CLAIMED_H

#include "client.h"

/**
 * struct claimed_client - a queue of claimed slots with a book of its tasks
 * @T: the client
 * @THREADS: its threads; of a LIFO the first is the owner
 * @NB, @BS, @SPARE: blocks, block size, spare blocks
 * @MAX_NB: most blocks that it may have
 *
 * The content is plain memory, written before a task is put: Relacy reports the
 * race if the party that takes the task does not see it.
 */
template <typename T, int THREADS, u32 NB = 2, u32 BS = 2, u32 SPARE = 0,
	  u32 MAX_NB = NB>
struct claimed_client : client<T, THREADS, NB, BS, SPARE, MAX_NB> {
	using base = client<T, THREADS, NB, BS, SPARE, MAX_NB>;
	using base::in, base::next, base::q, base::slots, base::stack;
	using base::height, base::found_empty;

	rl::var<int> content[base::MAX_TASKS];
	/* The memory that puts go to. */
	engine_mem *attached;

	void before()
	{
		base::before();
		attached = &(base::mem);
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
		RL_ASSERT(nr / BS < attached->dir.nr_blocks);
		return &((engine_block *)wsq_bwos_block_at(&attached->dir, nr / BS))->
			slots[nr % BS];
	}

	/* Put never fills a slot that is in use. */
	void put_claimed(int n)
	{
		for (; n; n--) {
			wsq_bwos_space space;

			content[next]($) = next;
			if (engine(reserve)(&q, &space) < 0) {
				RL_ASSERT(!found_empty);
				next++;
			} else {
				wsq_slot_t *slot = engine_slot(&q, &space, 0);

				RL_ASSERT(wsq_bwos_idx(space.b) + space.n ==
					  attached->block_size);
				RL_ASSERT(slot == slot_at(space.nr));
				RL_ASSERT(!wsq_slot_peek(slot));
				/* A task may be taken before put returns. */
				if (ENGINE_LIFO)
					stack[height++] = next;
				in[next] = true;
				engine(fill)(&q, &space, 0, task_of(next));
				next++;
				engine(commit)(&q, &space, 1);
			}
			found_empty = false;
		}
	}

	/* Did the last of @n claims return a task, or its tombstone? */
	bool claim(int n)
	{
		void *task = nullptr;

		for (; n; n--) {
			task = engine(claim)(&q);
			if (task && task != WSQ_TOMB) {
				base::got(task);
				whole(task);
			}
			found_empty = ENGINE_LIFO && !task;
			RL_ASSERT(!ENGINE_LIFO || task || engine(empty)(&q));
		}
		return task;
	}

	/* Claims the oldest task, or another one. */
	void claim_oldest()
	{
		void *task = engine_claim_oldest(&q);

		if (task && task != WSQ_TOMB)
			out_came(task);
		found_empty = !task;
	}

	/* One steal of one thief. */
	void batch_of(u32 max)
	{
		void *tasks[BS];
		int i, n = engine(steal_claim)(&q, tasks, max);

		for (i = 0; i < n; i++) {
			out_came(tasks[i]);
			RL_ASSERT(!i || id_of(tasks[i]) > id_of(tasks[i - 1]));
		}
	}

	void steal_active(u32 max)
	{
		void *tasks[BS];
		int i, n = engine(steal_active)(&q, tasks, max);

		for (i = 0; i < n; i++)
			out_came(tasks[i]);
	}

	void halve(u32 max)
	{
		void *tasks[BS];
		int i, n = engine_halve(&q, tasks, max);

		for (i = 0; i < n; i++)
			out_came(tasks[i]);
	}

	void remove(u32 nr, int id)
	{
		if (engine(remove)(&q, nr, task_of(id)))
			out_came(task_of(id));
	}

	void drain_claimed()
	{
		while (claim(1))
			;
		RL_ASSERT(!engine(published)(&q));
		base::all_out_once();
		for (wsq_slot_t &slot : slots)
			RL_ASSERT(!wsq_slot_peek(&slot));
	}

	/* All came out once, and no slot is unusable for good. */
	void holds_claimed(u32 entries, u32 spares)
	{
		u64 i;

		drain_claimed();
		for (i = 0; i < engine_capacity(entries, BS); i++) {
			put_claimed(1);
			RL_ASSERT(in[next - 1]);
		}
		RL_ASSERT(!q.nr_held && q.nr_spare == spares);
		drain_claimed();
	}

	void after()
	{
		holds_claimed(NB, SPARE);
	}
};

#endif /* _WSQ_MODEL_CLAIMED_H */
