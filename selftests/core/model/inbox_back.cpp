// SPDX-License-Identifier: GPL-2.0
/*
 * Inbox: two pushers of two links each, two takers that get one link at a time
 * and give back the rest. Every link comes out once, with its task as it was
 * pushed. Use and limitations: main.h.
 */
#include "main.h"

#include "inbox.h"

struct inbox_back : rl::test_suite<inbox_back, 4> {
	struct task {
		atomic64_t link;
		rl::var<int> id;
	};

	wsq_inbox in;
	task tasks[4];
	int out[4];

	void before()
	{
		wsq_inbox_init(&in);
		std::memset(out, 0, sizeof(out));
	}

	void push(int id)
	{
		tasks[id].id($) = id;
		while (wsq_inbox_try_push(&in, &tasks[id].link) == WSQ_CONFLICT)
			;
	}

	void take(atomic64_t *link)
	{
		task *t = (task *)link;
		int id = t->id($);

		RL_ASSERT(t == &tasks[id]);
		out[id]++;
	}

	void get()
	{
		atomic64_t *link = wsq_inbox_take(&in);
		atomic64_t *rest = link ? wsq_link_next(link) : NULL;

		if (rest)
			wsq_inbox_give_back(&in, rest);
		if (link)
			take(link);
	}

	void thread(unsigned int i)
	{
		if (i < 2) {
			push(2 * (int)i);
			push(2 * (int)i + 1);
		} else {
			get();
			get();
		}
	}

	void after()
	{
		atomic64_t *link, *next;
		int i;

		for (link = wsq_inbox_take(&in); link; link = next) {
			next = wsq_link_next(link);
			take(link);
		}
		RL_ASSERT(wsq_inbox_empty(&in));
		for (i = 0; i < 4; i++)
			RL_ASSERT(out[i] == 1);
	}
};

CLIENT_MAIN(inbox_back)
