// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling: a thief looks at one random block, and takes from that block what
 * it found, beside an owner, another thief and a party that takes tasks out. In
 * the end, with no other party running, a thief gets exactly what a sample
 * says. Shared parts: claimed.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "claimed.h"

struct sample : claimed_client<sample, 3> {
	enum { FIRST = 0, LAST = 0xffffffff };

	/* Returns how many the sample reported, and takes what there is. */
	int sample_and_take(u32 chance, bool quiet)
	{
		u32 index = 2;
		void *tasks[2];
		u32 there = wsq_bwos_fifo_sample(&q, chance, &index);
		int i, n;

		RL_ASSERT(there <= 2 && index == (chance ? 1 : 0));
		if (!there && !quiet)
			return 0;
		n = wsq_bwos_fifo_steal_claim_at(&q, index, tasks, 2);
		for (i = 0; i < n; i++)
			out_came(tasks[i]);
		if (quiet)
			RL_ASSERT((int)there == (n < 0 ? 0 : n));
		return (int)there;
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put_claimed(4);
			claim(3);
			put_claimed(3);
			claim(2);
			put_claimed(2);
			break;
		case 1:
			sample_and_take(LAST, false);
			sample_and_take(FIRST, false);
			break;
		case 2:
			for (u32 nr = 0; nr < 4; nr++)
				remove(nr, 4);
			batch_of(2);
			break;
		}
	}

	void after()
	{
		for (int i = 0; i < 32; i++)
			claim(1);
		put_claimed(3);
		/* A block has two of the tasks; thieves take one. */
		for (u32 index = 0; index < 2; index++) {
			void *task;

			if (wsq_bwos_fifo_steal_claim_at(&q, index, &task, 1) == 1)
				out_came(task);
		}
		RL_ASSERT(sample_and_take(LAST, true) +
			  sample_and_take(FIRST, true) == 1);
		for (int i = 0; i < 8; i++)
			claim(1);
		all_out_once();
	}
};

CLIENT_MAIN(sample)
