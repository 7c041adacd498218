// SPDX-License-Identifier: GPL-2.0
/*
 * An owner that waits for a stolen task and sleeps, while another seat shares a
 * task that stays there. Forbidden: it sleeps and has started no helper in its
 * stead; a count that is wrong while a helper is started, or in the end. Use
 * and limitations: main.h, fj_client.h.
 */
#include "fj_client.h"

struct fj_out : rl::test_suite<fj_out, 2>, fj_book {
	int started;

	void before()
	{
		wsq_fj_ctx other;

		open(4, 3);
		claim = claim_one;
		start = start_one;
		unclaim = unclaim_one;
		within = longer;
		started = 0;
		other = sit(2);
		spawn(&other, 2);
		wsq_fj_share_all(&seats[2], other.head);
	}

	static fj_out *self()
	{
		return static_cast<fj_out *>(book);
	}

	static struct wsq_fj_seat *claim_one()
	{
		RL_ASSERT(!self()->started);
		return &self()->seats[3];
	}

	static bool start_one(struct wsq_fj_seat *)
	{
		RL_ASSERT(atomic64_read(&book->team.active) == 3);
		self()->started++;
		return true;
	}

	static void unclaim_one(struct wsq_fj_seat *)
	{
		RL_ASSERT(false);
	}

	/* A task that takes as long as the owner's spinning. */
	static void longer(wsq_fj_ctx w, int id)
	{
		int n;

		(void)w;
		(void)id;
		for (n = 0; n < 16; n++)
			rl::yield(1, $);
	}

	void thread(unsigned int i)
	{
		if (i) {
			seek(i, 0, 1);
			return;
		}

		wsq_fj_ctx w = sit(0);

		spawn(&w, 1);
		wsq_fj_share_all(&seats[0], w.head);
		sync(&w, 1);
		end(&w);
	}

	void after()
	{
		RL_ASSERT(ran[1] == 1);
		RL_ASSERT(atomic64_read(&seats[0].sleeps) == started);
		RL_ASSERT(atomic64_read(&team.active) == 3 + started);
		empty(0);
	}
};

CLIENT_MAIN(fj_out)
