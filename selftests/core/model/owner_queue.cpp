// SPDX-License-Identifier: GPL-2.0
/*
 * Owner queue: three pushers, of two links, two and one. A pusher that becomes
 * the owner takes what is in the queue, so ownership changes. There are never
 * two owners, and each sees what previous ones did; counted links are in the
 * queue; every link comes out once, with its task as it was pushed, each
 * pusher's in the order of pushing, and all of them in one order that agrees
 * with real time between pushes. Use and limitations: main.h.
 */
#include "main.h"

#include "owner_queue.h"

struct owner_queue : rl::test_suite<owner_queue, 3> {
	struct task {
		atomic64_t link;
		rl::var<int> id;
	};

	wsq_owner_queue oq;
	task tasks[5];
	/* Written by every owner: a race if there are two. */
	rl::var<int> nr_out;
	int last[3];
	int out[5];

	void before()
	{
		wsq_oq_init(&oq);
		nr_out($) = 0;
		std::memset(out, 0, sizeof(out));
		last[0] = last[1] = last[2] = -1;
	}

	void own(bool batch)
	{
		u64 owed = wsq_oq_owed(&oq);
		u32 nr;

		do {
			RL_ASSERT(owed >= 1 && owed <= 5);
			for (nr = 0; nr < (batch ? owed : 1); nr++) {
				atomic64_t *link;
				int id;

				while (!wsq_oq_reverse(&oq, 1))
					;
				link = wsq_oq_pop(&oq);
				RL_ASSERT(link);
				id = ((task *)link)->id($);
				RL_ASSERT((task *)link == &tasks[id]);
				RL_ASSERT(id > last[id / 2]);
				last[id / 2] = id;
				out[id]++;
				nr_out($) = nr_out($) + 1;
			}
			owed = wsq_oq_done(&oq, nr);
		} while (owed);
	}

	void push(int id, bool batch)
	{
		int ret;

		tasks[id].id($) = id;
		do {
			ret = wsq_oq_try_push(&oq, &tasks[id].link);
		} while (ret == WSQ_CONFLICT);
		if (ret == WSQ_PUBLISHED) {
			/* The owner's state is exclusive from here on. */
			nr_out($) = nr_out($) + 0;
			own(batch);
		}
	}

	void thread(unsigned int i)
	{
		push(2 * (int)i, i);
		if (i < 2)
			push(2 * (int)i + 1, i);
	}

	void after()
	{
		int i;

		RL_ASSERT(wsq_oq_idle(&oq));
		RL_ASSERT(nr_out($) == 5);
		RL_ASSERT(wsq_inbox_empty(&oq.in));
		RL_ASSERT(wsq_backlog_empty(&oq.bl));
		for (i = 0; i < 5; i++)
			RL_ASSERT(out[i] == 1);
	}
};

CLIENT_MAIN(owner_queue)
