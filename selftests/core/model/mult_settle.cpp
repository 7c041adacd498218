// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplicity: what was taken when a floor is set does not come out again, to
 * parties that begin behind that. Shared parts, use and limitations: mult.h,
 * main.h.
 */
#include "mult.h"

struct mult_settle : mult_client<mult_settle, 3, WSQ_MULT_WEAK, 4> {
	atomic64_t settled;
	u64 limit;
	bool late;

	void before()
	{
		mult_client::before();
		atomic64_set(&settled, 0);
		limit = 0;
		late = false;
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			put();
			put();
			put();
			get();
			get();
			limit = wsq_ws_mult_taken(&q);
			smp_mb();
			wsq_ws_mult_settle(&q, limit);
			smp_mb();
			atomic64_set_release(&settled, 1);
			put();
		} else if (i == 1) {
			/* Its maximum is old, and it stores @head late. */
			steal(1);
			steal(1);
		} else if (atomic64_read_acquire(&settled)) {
			int before1 = took[2][1], before2 = took[2][2];

			steal(2);
			RL_ASSERT(took[2][1] == before1 && took[2][2] == before2);
		}
	}
};

CLIENT_MAIN(mult_settle)
