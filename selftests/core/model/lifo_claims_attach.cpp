// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots in memory that is replaced: a party takes tasks out of the
 * owner's block by numbers of memory that was attached since, and is larger.
 * Behind the slots of the smaller memory are others, which it must not touch.
 * Run bounded: the party has to sleep between reading the memory and reading
 * the numbers. Shared parts: claimed.h; use and limitations: client.h, main.h.
 */
#include "../engine/bwos_lifo/model.h"
#include "claimed.h"

struct lifo_claims_attach : claimed_client<lifo_claims_attach, 2, 2, 3> {
	enum { FOREIGN = MAX_TASKS - 1 };

	struct wsq_bwos_lifo_mem other;
	wsq_bwos_lifo_block other_blocks[2];
	wsq_slot_t other_slots[4 + 4];
	atomic64_t other_words[2], other_at[3];
	wsq_bwos_lifo_block foreign;

	void before()
	{
		int i;

		claimed_client::before();
		mem_init(&other, other_words, other_at, other_blocks, other_slots,
			 2, 2, 0);
		for (i = 0; i < 4 + 4; i++)
			wsq_slot_publish(&other_slots[i],
					 i < 4 ? (void *)nullptr : task_of(FOREIGN));
		/* Behind the directory, too. */
		foreign.slots = &other_slots[4];
		atomic64_set(&other_at[2], (s64)(uintptr_t)&foreign);
		wsq_bwos_lifo_init(&q);
		wsq_bwos_lifo_attach(&q, &other);
	}

	void put_other(int n)
	{
		for (; n; n--) {
			wsq_bwos_space space;

			content[next]($) = next;
			if (wsq_bwos_lifo_reserve(&q, &space) < 0)
				return;
			RL_ASSERT(!wsq_slot_peek(&other_slots[space.nr]));
			in[next] = true;
			stack[height++] = next;
			wsq_bwos_lifo_fill(&q, &space, 0, task_of(next));
			next++;
			wsq_bwos_lifo_commit(&q, &space, 1);
		}
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			put_other(1);
			while (claim(1))
				;
			RL_ASSERT(wsq_bwos_lifo_detach(&q) == &other);
			found_empty = false;
			wsq_bwos_lifo_attach(&q, &mem);
			/* Up to the second block: its slots begin at 3. */
			put_claimed(5);
		} else {
			steal_active(2);
			for (u32 nr = 4; nr < 6; nr++)
				RL_ASSERT(!wsq_bwos_lifo_remove(&q, nr, task_of(FOREIGN)));
		}
	}

	void after()
	{
		drain_claimed();
		for (int i = 0; i < 4; i++)
			RL_ASSERT(!wsq_slot_peek(&other_slots[i]));
	}
};

CLIENT_MAIN(lifo_claims_attach)
