// SPDX-License-Identifier: GPL-2.0
/*
 * Inbox: two pushers of two links each, two takers that restore the order
 * through a backlog. Every link comes out once, with its task as it was pushed,
 * and each pusher's links come out in the order of pushing. Use and
 * limitations: main.h.
 */
#include "main.h"

#include "inbox.h"

struct inbox : rl::test_suite<inbox, 4> {
	struct task {
		atomic64_t link;
		rl::var<int> id;
	};

	wsq_inbox in;
	task tasks[4];
	int out[4];
	int published;
	int taken;

	void before()
	{
		wsq_inbox_init(&in);
		published = 0;
		taken = 0;
		std::memset(out, 0, sizeof(out));
	}

	void push(int id)
	{
		int ret;

		tasks[id].id($) = id;
		do {
			ret = wsq_inbox_try_push(&in, &tasks[id].link);
		} while (ret == WSQ_CONFLICT);
		if (ret == WSQ_PUBLISHED)
			published++;
	}

	void take(int *last)
	{
		atomic64_t *links = wsq_inbox_take(&in);
		wsq_backlog bl;
		atomic64_t *link;
		int id;

		if (!links)
			return;
		taken++;
		wsq_backlog_init(&bl);
		wsq_backlog_fill(&bl, links);
		while (!wsq_backlog_reverse(&bl, 1))
			;
		while ((link = wsq_backlog_pop(&bl))) {
			task *t = (task *)link;

			id = t->id($);
			RL_ASSERT(t == &tasks[id]);
			RL_ASSERT(id > last[id / 2]);
			last[id / 2] = id;
			out[id]++;
		}
	}

	void thread(unsigned int i)
	{
		int last[2] = { -1, -1 };

		if (i < 2) {
			push(2 * (int)i);
			push(2 * (int)i + 1);
		} else {
			take(last);
			take(last);
		}
	}

	void after()
	{
		int last[2] = { -1, -1 };
		int i;

		take(last);
		RL_ASSERT(wsq_inbox_empty(&in));
		/* WSQ_PUBLISHED is returned once for each nonempty take. */
		RL_ASSERT(published == taken);
		for (i = 0; i < 4; i++)
			RL_ASSERT(out[i] == 1);
	}
};

CLIENT_MAIN(inbox)
