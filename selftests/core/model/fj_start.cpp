// SPDX-License-Identifier: GPL-2.0
/*
 * As fj_leave, with a second owner that tries to start a helper. It can do so
 * only when the seat of the one that leaves is free, and may be refused.
 * Forbidden: all helpers have left, the first owner has tasks, counts a helper
 * that was never started, and no request stands; a count that is wrong in the
 * end; a helper that was started for nothing, or that was not counted. Use and
 * limitations: main.h, fj_client.h.
 */
#include "fj_client.h"

struct fj_start : rl::test_suite<fj_start, 4>, fj_book {
	wsq_fj_ctx owner;
	bool free, started, refuse;
	int done;

	void before()
	{
		/* Helpers have seats 1 and 2. */
		open(3, 2);
		claim = claim_one;
		start = start_one;
		unclaim = unclaim_one;
		free = started = false;
		refuse = rl::rand(2);
		done = 0;
		owner = sit(0);
		seats[0].next_ns = 0;
		wsq_fj_share_all(&seats[0], owner.head);
	}

	static fj_start *self()
	{
		return static_cast<fj_start *>(book);
	}

	static struct wsq_fj_seat *claim_one()
	{
		if (!self()->free || self()->started)
			return nullptr;
		self()->free = false;
		return &self()->seats[1];
	}

	static bool start_one(struct wsq_fj_seat *)
	{
		RL_ASSERT(atomic64_read(&book->team.active) > 0);
		self()->free = self()->refuse;
		return self()->started = !self()->refuse;
	}

	static void unclaim_one(struct wsq_fj_seat *)
	{
		self()->free = true;
	}

	void help(u32 id)
	{
		sit(id);
		wsq_fj_help(&seats[id]);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			spawn(&owner, 1);
			spawn(&owner, 2);
			done++;
			break;
		case 1:
			help(1);
			free = true;
			done++;
			break;
		case 2:
			sit(2);
			wsq_fj_one_more(&seats[2]);
			wsq_fj_rise(&seats[2]);
			done++;
			break;
		case 3:
			while (!started && done < 3)
				rl::yield(1, $);
			if (started)
				help(1);
			break;
		}
	}

	void after()
	{
		struct wsq_fj_deque *dq = &seats[0].dq;
		bool asked = (u64)atomic64_read(&dq->guard) == WSQ_FJ_REQUEST;

		RL_ASSERT(atomic64_read(&team.active) == 1);
		RL_ASSERT(dq->all || asked || seats[0].next_ns);
	}
};

CLIENT_MAIN(fj_start)
