// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a consumer halts before it stores its index, while its chunk is stolen
 * and the thief goes on to higher ones. Another thief must not begin at the
 * index that the consumer stores when it continues. With BACK_LAST
 * (salsa_last.cpp) the chunk is in its last epoch, and later tasks are claimed.
 * Run bounded. Shared parts, use and limitations: salsa_client.h.
 */
#define MODEL_OUT	1
#include "salsa_client.h"

struct salsa_back : salsa_client<salsa_back, 3, 3, 1, 0, 4> {
	void prepare()
	{
		put_before(4, 0, 0);
#ifdef BACK_LAST
		atomic64_set(&chunks[0].owner, atomic64_read(&chunks[0].owner) +
			     (s64)WSQ_SALSA_EPOCH_ONE);
#endif
		get(0);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			get(0);
			break;
		case 1:
			in_one_go([this] {
				steal(1, 0);
				get(1);
			});
			break;
		case 2:
			in_one_go([this] {
				steal(2, 1);
			});
			break;
		}
	}
};

CLIENT_MAIN(salsa_back)
