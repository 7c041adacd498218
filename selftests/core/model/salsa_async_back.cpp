// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a consumer takes its chunk back from a thief that waits for its fence,
 * before the interrupt, after it, or never; and another thief steals the chunk
 * from either of them in the meantime. Run bounded. Shared parts, use and
 * limitations: salsa_client.h.
 */
#define MODEL_OUT	1
#include "salsa_client.h"

struct salsa_async_back : salsa_client<salsa_async_back, 3, 3, 1, 0, 4> {
	void prepare()
	{
		put_before(4, 0, 0);
		get(0);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			get(0);
			get(0);
			break;
		case 1:
			steal_begin(1, 0);
			get(1);
			break;
		case 2:
			in_one_go([this] {
				steal_begin(2, rl::rand(2));
			});
			in_one_go([this] {
				get(2);
			});
			break;
		}
	}
};

CLIENT_MAIN(salsa_async_back)
