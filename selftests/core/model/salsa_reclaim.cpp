// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA, as used by the work service: a producer that is also a consumer finds
 * no chunk, and frees one whose tasks are all removed, while a thief steals it
 * or is in it and tasks are being removed. The producer's next tasks are in the
 * slots that the thief may be about to claim. Run bounded. Shared parts, use
 * and limitations: salsa_client.h.
 */
#include "salsa_client.h"

struct salsa_reclaim : salsa_client<salsa_reclaim, 3, 2, 2, 3> {
	u32 home_of(u32)
	{
		return 0;
	}

	/* As if each CPU were a node: chunks go home. */
	u32 node_of(u32 consumer)
	{
		return consumer;
	}

	void prepare()
	{
		put_before(4, 0, 0);
		if (rl::rand(2))
			get(0);
	}

	void reclaim()
	{
		begin();
		wsq_salsa_reclaim(&c[0], 0, 2);
		wsq_fence_end();
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			in_one_go([this] {
				reclaim();
				put(0, 0);
				put(0, 0);
			});
			reclaim();
			get(0);
			break;
		case 1:
			steal_left(1, 0, true);
			get(1);
			break;
		case 2:
			in_one_go([this] {
				remove(1);
				remove(2);
				remove(4);
			});
			remove(3);
			break;
		}
	}
};

CLIENT_MAIN(salsa_reclaim)
