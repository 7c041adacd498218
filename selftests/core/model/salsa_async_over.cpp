// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a thief that does not wait for its fence, and another one that takes
 * the chunk over, before or after the first steals a second one, and before or
 * after it checks the result of the first steal. Run bounded. Shared parts, use
 * and limitations: salsa_client.h.
 */
#define MODEL_OUT	1
#include "salsa_client.h"

struct salsa_async_over : salsa_client<salsa_async_over, 3, 3, 2, 0, 3> {
	u32 home_of(u32)
	{
		return 0;
	}

	void prepare()
	{
		patient = true;
		put_before(3, 0, 0);
		get(0);
		put_before(1, 1, 0);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			get(0);
			break;
		case 1:
			steal_begin(1, 0);
			in_one_go([this] {
				steal_left(1, 0, false);
			});
			get(1);
			break;
		case 2:
			in_one_go([this] {
				steal(2, 1);
				get(2);
			});
			break;
		}
	}
};

CLIENT_MAIN(salsa_async_over)
