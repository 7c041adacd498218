// SPDX-License-Identifier: GPL-2.0
/*
 * A helper that leaves, an owner that shares a task and answers requests, and a
 * third thread that asks for work. Forbidden: the helper has left, the owner
 * has a task, counts the helper, and no request stands; or the task is shared, and
 * the owner counts the helper. Use and limitations: main.h, fj_client.h.
 */
#include "fj_client.h"

struct fj_leave : rl::test_suite<fj_leave, 3>, fj_book {
	/* The owner's head at its end. */
	wsq_fj_ctx owner;

	void before()
	{
		open(2, 1);
		owner = sit(0);
		/* All helpers are there. */
		seats[0].next_ns = 0;
		wsq_fj_share_all(&seats[0], owner.head);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			spawn(&owner, 1);
			wsq_fj_share_all(&seats[0], owner.head);
			spawn(&owner, 2);
			sync(&owner, 2);
			spawn(&owner, 3);
			break;
		case 1:
			sit(1);
			wsq_fj_help(&seats[1]);
			break;
		case 2:
			wsq_fj_request(&seats[0].dq);
			break;
		}
	}

	void after()
	{
		struct wsq_fj_deque *dq = &seats[0].dq;
		bool asked = (u64)atomic64_read(&dq->guard) == WSQ_FJ_REQUEST;

		RL_ASSERT(atomic64_read(&team.active) == 0);
		RL_ASSERT(ran[1] <= 1 && ran[2] == 1 && ran[3] <= 1);
		/* With @all, the owner looks at its next operation. */
		RL_ASSERT(dq->all || asked || seats[0].next_ns);
		/* The request of a helper that left is not enough here. */
		RL_ASSERT(!wsq_fj_shared(dq) || seats[0].next_ns);
	}
};

CLIENT_MAIN(fj_leave)
