// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of SALSA's chunk pools: one gives, two get. Each number comes out
 * once, in order, with what was done to its chunk before, and the giver reuses
 * a slot only when it was read. Use and limitations: main.h.
 */
#include "main.h"

#include "salsa_ring.h"

struct salsa_ring : rl::test_suite<salsa_ring, 3> {
	enum { PLACES = 2, NUMBERS = 6 };

	wsq_salsa_ring ring;
	atomic64_t cells[PLACES];
	rl::var<int> content[NUMBERS];
	int given;
	int out[NUMBERS];

	void before()
	{
		wsq_salsa_ring_init(&ring, cells, PLACES);
		for (atomic64_t &index : cells)
			atomic64_set(&index, NUMBERS);
		given = 0;
		std::memset(out, 0, sizeof(out));
	}

	void give()
	{
		int ret;

		content[given]($) = given + 1;
		ret = wsq_salsa_ring_give(&ring, (u32)given);
		RL_ASSERT(ret == WSQ_OK || ret == WSQ_FULL);
		given += ret == WSQ_OK;
	}

	/* The number got, or -1. */
	int get(int last)
	{
		u32 nr;
		int ret = wsq_salsa_ring_get(&ring, &nr);

		RL_ASSERT(wsq_salsa_ring_count(&ring) <= NUMBERS);
		if (ret != WSQ_OK) {
			RL_ASSERT(ret == WSQ_EMPTY || ret == WSQ_CONFLICT);
			return last;
		}
		RL_ASSERT(nr < NUMBERS && (int)nr > last);
		RL_ASSERT(content[nr]($) == (int)nr + 1);
		RL_ASSERT(!out[nr]++);
		return (int)nr;
	}

	void thread(unsigned int i)
	{
		int lap, last = -1;

		if (i == 0) {
			for (lap = 0; lap < NUMBERS; lap++)
				give();
		} else {
			for (lap = 0; lap < 3; lap++)
				last = get(last);
		}
	}

	void after()
	{
		int i, last = -1;

		/* A single getter cannot lose a race. */
		while (wsq_salsa_ring_count(&ring)) {
			i = get(last);
			RL_ASSERT(i > last);
			last = i;
		}
		for (i = 0; i < NUMBERS; i++)
			RL_ASSERT(out[i] == (i < given));
	}
};

CLIENT_MAIN(salsa_ring)
