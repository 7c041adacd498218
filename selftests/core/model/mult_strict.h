/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the clients of the model checker for WS-MULT (bench/mult/ws_mult_strict.h):
 * an owner that puts and gets beside two thieves; its memory grows on the way.
 *
 * Only operations that overlap may take the same task. Here that means: no party
 * takes a task twice, each takes in the order of puts, and none takes a task that
 * another one had taken before something that this party has seen. To see it, a
 * party reads what others have published when it begins.
 *
 * For: the clients mult_flat, mult_linked, mult_tree. main.h describes how they are
 * run.
 */
#ifndef _WSQ_MODEL_MULT_STRICT_H
#define _WSQ_MODEL_MULT_STRICT_H

#include "main.h"

#include "ws_mult_strict.h"

/**
 * struct strict_client - a queue with a book
 * @T: the client
 * @WAY: WSQ_TASKS_*
 * @KIND: WSQ_MAX_*
 *
 * The book is plain memory: Relacy runs one thread at a time.
 */
template <typename T, u32 WAY, u32 KIND>
struct strict_client : rl::test_suite<T, 3> {
	enum { PARTIES = 3, TASKS = 4, SEGMENTS = 3 };

	struct wsq_ws_strict q;
	struct wsq_max_own own[PARTIES];
	struct wsq_ws_strict_party party[PARTIES];
	struct wsq_tasks_node node[2];
	wsq_slot_t slots[2][2 * TASKS];
	atomic64_t switches[SEGMENTS][1 << (SEGMENTS - 1)];
	/* Tasks below have been taken, as a party says that has taken one. */
	atomic64_t below[PARTIES];
	int next, added;
	int last[PARTIES], times[TASKS + 1];
	rl::var<int> payload[TASKS + 1];

	void before()
	{
		for (int i = 0; i < PARTIES; i++) {
			atomic64_set(&own[i].max, 0);
			atomic64_set(&below[i], 0);
			last[i] = 0;
		}
		for (int k = 0; k < SEGMENTS; k++)
			for (int i = 0; i < 1 << (SEGMENTS - 1); i++)
				atomic64_set(&switches[k][i], 0);
		std::memset(times, 0, sizeof(times));
		next = 1;
		added = 0;
		for (int i = 0; i < 2; i++) {
			node[i].size = i ? 2 * TASKS : 2;
			node[i].slots = slots[i];
			node[i].marks = nullptr;
		}
		wsq_ws_strict_init(&q, &node[0], KIND == WSQ_MAX_FLAT ? own : nullptr, PARTIES);
		for (int i = 0; i < PARTIES; i++)
			wsq_ws_strict_join(&q, &party[i], i);
		if (KIND == WSQ_MAX_TREE)
			wsq_ws_strict_grow_head(&q, 0, switches[0]);
	}

	void put()
	{
		u32 segment;

		payload[next]($) = next;
		while (wsq_ws_strict_put(&q, (void *)(intptr_t)next) == WSQ_FULL) {
			if (wsq_ws_strict_needs_head(&q, &segment)) {
				RL_ASSERT(segment < SEGMENTS);
				wsq_ws_strict_grow_head(&q, segment, switches[segment]);
			} else {
				RL_ASSERT(!added);
				added = 1;
				wsq_tasks_grow(&q.tasks, WAY, &node[1]);
			}
		}
		next++;
	}

	/* All that the calling party knows to be taken. */
	int seen()
	{
		int most = 0;

		for (int i = 0; i < PARTIES; i++) {
			int n = (int)atomic64_read_acquire(&below[i]);

			most = n > most ? n : most;
		}
		return most;
	}

	bool took_it(int who, void *task, int before)
	{
		int id = (int)(intptr_t)task;

		if (!task)
			return false;
		RL_ASSERT(id > 0 && id <= TASKS);
		RL_ASSERT(payload[id]($) == id);
		/* In order, none twice, and none that it knew to be taken. */
		RL_ASSERT(id > last[who] && id > before);
		last[who] = id;
		times[id]++;
		atomic64_set_release(&below[who], id);
		return true;
	}

	bool get()
	{
		int before = seen();

		return took_it(0, wsq_ws_strict_get(&q, WAY, KIND, &party[0]), before);
	}

	void steal(int who)
	{
		int before = seen();
		void *task = nullptr;

		if (wsq_ws_strict_steal(&q, WAY, KIND, &party[who], &task) == WSQ_OK)
			took_it(who, task, before);
	}

	void thread(unsigned int i)
	{
		if (i) {
			steal(i);
			steal(i);
			return;
		}
		put();
		put();
		get();
		put();
		get();
		put();
	}

	void after()
	{
		while (get())
			;
		RL_ASSERT(!wsq_ws_strict_waiting(&q, KIND));
		for (int id = 1; id < next; id++)
			RL_ASSERT(times[id] >= 1);
	}
};

#endif /* _WSQ_MODEL_MULT_STRICT_H */
