// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads of a run start a helper while one is missing; both find an idle
 * CPU and a seat. Forbidden: two helpers, none, or a count that is wrong while
 * one starts or in the end; a seat that stays claimed. Use and limitations:
 * main.h, fj_client.h.
 */
#include "fj_client.h"

struct fj_most : rl::test_suite<fj_most, 2>, fj_book {
	int claimed, started;

	void before()
	{
		open(4, 3);
		claim = claim_any;
		start = start_any;
		unclaim = unclaim_any;
		claimed = started = 0;
		atomic64_set(&team.active, 2);
	}

	static fj_most *self()
	{
		return static_cast<fj_most *>(book);
	}

	static struct wsq_fj_seat *claim_any()
	{
		return &self()->seats[2 + self()->claimed++];
	}

	static bool start_any(struct wsq_fj_seat *)
	{
		RL_ASSERT(atomic64_read(&book->team.active) == 3);
		self()->started++;
		return true;
	}

	static void unclaim_any(struct wsq_fj_seat *)
	{
		self()->claimed--;
	}

	void thread(unsigned int i)
	{
		sit(i);
		RL_ASSERT(wsq_fj_one_more(&seats[i]));
		wsq_fj_rise(&seats[i]);
	}

	void after()
	{
		RL_ASSERT(started == 1 && claimed == 1);
		RL_ASSERT(atomic64_read(&team.active) == 3);
	}
};

CLIENT_MAIN(fj_most)
