// SPDX-License-Identifier: GPL-2.0
/*
 * Owner queue, last touch: one link is queued, and another thread owns the
 * queue; a thread pushes another link, and has another thread own the queue if
 * need be, as workers do. Once the pusher finds the queue idle it frees it.
 * Forbidden: an owner accesses the queue after that, or the pusher does not see
 * what the tasks did. Use and limitations: main.h.
 */
#include "main.h"

#include "owner_queue.h"

struct owner_queue_last : rl::test_suite<owner_queue_last, 3> {
	/* Constructed and destroyed by the test; Relacy reports late use. */
	union memory {
		wsq_owner_queue oq;
		memory() {}
		~memory() {}
	};

	memory q;
	atomic64_t links[2];
	/* One for each owner: it owns the queue. */
	atomic64_t hand[2];
	rl::var<int> nr_out;
	int freed;

	void before()
	{
		int i;

		new (&q.oq) wsq_owner_queue;
		wsq_oq_init(&q.oq);
		RL_ASSERT(wsq_oq_try_push(&q.oq, &links[0]) == WSQ_PUBLISHED);
		for (i = 0; i < 2; i++)
			atomic64_set(&hand[i], !i);
		nr_out($) = 0;
		freed = 0;
	}

	void own()
	{
		u64 owed = wsq_oq_owed(&q.oq);

		do {
			while (!wsq_oq_reverse(&q.oq, 1))
				;
			RL_ASSERT(wsq_oq_pop(&q.oq));
			nr_out($) = nr_out($) + 1;
			owed = wsq_oq_done(&q.oq, 1);
		} while (owed);
	}

	void thread(unsigned int i)
	{
		int ret, looks;

		if (i < 2) {
			/* As a worker that looks once. */
			if (atomic64_read_acquire(&hand[i]))
				own();
			return;
		}
		do {
			ret = wsq_oq_try_push(&q.oq, &links[1]);
		} while (ret == WSQ_CONFLICT);
		if (ret == WSQ_PUBLISHED)
			atomic64_set_release(&hand[1], 1);
		for (looks = 0; looks < 4 && !freed; looks++) {
			if (!wsq_oq_idle(&q.oq))
				continue;
			RL_ASSERT(nr_out($) == 2);
			freed = 1;
			q.oq.~wsq_owner_queue();
		}
	}

	void after()
	{
		if (!freed)
			q.oq.~wsq_owner_queue();
	}
};

CLIENT_MAIN(owner_queue_last)
