/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the clients of the model checker for work stealing with
 * multiplicity: a queue of two blocks of two slots, thieves with their maxima,
 * and the book of the tasks that each party took.
 *
 * For: the clients mult_*. main.h describes how they are run.
 */
#ifndef _WSQ_MODEL_MULT_H
#define _WSQ_MODEL_MULT_H

#include "main.h"

#include "ws_mult.h"
#include "ws_mult.c"

/**
 * struct mult_client - a queue with a book
 * @T: the client
 * @THREADS: its threads; party 0 is the owner, put and get
 * @KIND: WSQ_MULT_*
 * @NB: blocks
 *
 * The book is plain memory: Relacy runs one thread at a time.
 */
template <typename T, int THREADS, u32 KIND, u32 NB = 2>
struct mult_client : rl::test_suite<T, THREADS> {
	enum { BS = 2, MOST = 16, PARTIES = 4 };

	struct wsq_ws_mult q;
	struct wsq_ws_mult_base bases[NB];
	wsq_slot_t slots[NB * BS];
	atomic64_t max[PARTIES];
	int next, put_over;
	int took[PARTIES][MOST];
	rl::var<int> payload[MOST];

	static void *task_of(int id)
	{
		return (void *)(intptr_t)id;
	}

	void before()
	{
		struct wsq_ws_mult_mem mem = { bases, slots, NB, BS };

		for (u32 i = 0; i < NB; i++)
			atomic64_set(&bases[i].at, 0);
		for (u32 i = 0; i < NB * BS; i++)
			wsq_slot_reset(&slots[i]);
		for (int i = 0; i < PARTIES; i++)
			atomic64_set(&max[i], 0);
		wsq_ws_mult_init(&q, &mem);
		next = 1;
		put_over = 0;
		std::memset(took, 0, sizeof(took));
	}

	/* Returns false if there was no space. */
	bool put()
	{
		int ret;

		RL_ASSERT(next < MOST);
		payload[next]($) = next;
		ret = wsq_ws_mult_put(&q, task_of(next));
		if (ret == WSQ_FULL)
			return false;
		next++;
		return true;
	}

	void took_it(int party, void *task)
	{
		int id = (int)(intptr_t)task;

		RL_ASSERT(id > 0 && id < MOST);
		RL_ASSERT(payload[id]($) == id);
		took[party][id]++;
		/* At most once for each party. */
		RL_ASSERT(took[party][id] == 1);
	}

	bool get()
	{
		void *task = wsq_ws_mult_get(&q, KIND);

		if (task)
			took_it(0, task);
		return task;
	}

	int steal(int party)
	{
		void *task = nullptr;
		int ret = wsq_ws_mult_steal(&q, KIND, &max[party], &task);

		if (ret == WSQ_OK)
			took_it(party, task);
		return ret;
	}

	int times(int id)
	{
		int n = 0;

		for (int i = 0; i < PARTIES; i++)
			n += took[i][id];
		return n;
	}

	void after()
	{
		while (get())
			;
		RL_ASSERT(!wsq_ws_mult_waiting(&q));
		for (int id = 1; id < next; id++) {
			int thieves = times(id) - took[0][id];

			RL_ASSERT(times(id) >= 1);
			if (KIND == WSQ_MULT_EXACT)
				RL_ASSERT(times(id) == 1);
			if (KIND == WSQ_MULT_BOUNDED)
				RL_ASSERT(thieves <= 1);
		}
	}
};

#endif /* _WSQ_MODEL_MULT_H */
