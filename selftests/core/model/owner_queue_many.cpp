// SPDX-License-Identifier: GPL-2.0
/*
 * Owner queue, several links at a time: two threads push a chain of two links
 * each, and one pushes a single link. A pusher that becomes the owner takes what
 * is in the queue, one link at a time or all that are counted. There are never
 * two owners; counted links are in the queue; every link comes out once, with its
 * task as it was pushed, and those of a chain in their order with no other
 * between them. Use and limitations: main.h.
 */
#include "main.h"

#include "owner_queue.h"

struct owner_queue_many : rl::test_suite<owner_queue_many, 3> {
	struct task {
		atomic64_t link;
		rl::var<int> id;
	};

	wsq_owner_queue oq;
	/* 0 and 1, 2 and 3 are chains, the older one first. */
	task tasks[5];
	/* Written by every owner: a race if there are two. */
	rl::var<int> nr_out;
	rl::var<int> newest_out;
	int out[5];

	void before()
	{
		wsq_oq_init(&oq);
		nr_out($) = 0;
		newest_out($) = -1;
		std::memset(out, 0, sizeof(out));
	}

	void take()
	{
		atomic64_t *link;
		int id, previous = newest_out($);

		while (!wsq_oq_reverse(&oq, 1))
			;
		link = wsq_oq_pop(&oq);
		RL_ASSERT(link);
		id = ((task *)link)->id($);
		RL_ASSERT((task *)link == &tasks[id]);
		if (id % 2)
			RL_ASSERT(previous == id - 1);
		else
			RL_ASSERT(previous != 0 && previous != 2);
		newest_out($) = id;
		out[id]++;
		nr_out($) = nr_out($) + 1;
	}

	void own(bool batch)
	{
		u64 owed = wsq_oq_owed(&oq);
		u32 nr, most;

		do {
			RL_ASSERT(owed >= 1 && owed <= 5);
			most = batch ? (u32)owed : 1;
			for (nr = 0; nr < most; nr++)
				take();
			owed = wsq_oq_done(&oq, nr);
		} while (owed);
	}

	void thread(unsigned int i)
	{
		task *oldest = &tasks[2 * i];
		task *newest = i < 2 ? oldest + 1 : oldest;
		int ret;

		oldest->id($) = (int)(2 * i);
		wsq_link_set(&oldest->link, NULL);
		if (newest != oldest) {
			newest->id($) = (int)(2 * i + 1);
			wsq_link_set(&newest->link, &oldest->link);
		}
		do {
			ret = wsq_oq_try_push_many(&oq, &newest->link,
						   &oldest->link, i < 2 ? 2 : 1);
		} while (ret == WSQ_CONFLICT);
		if (ret == WSQ_PUBLISHED) {
			/* The owner's state is exclusive from here on. */
			nr_out($) = nr_out($) + 0;
			own(i);
		}
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

CLIENT_MAIN(owner_queue_many)
