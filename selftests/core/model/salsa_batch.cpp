// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a consumer takes three tasks in one batch and a thief takes the chunk,
 * in the middle or elsewhere, and goes on in it. Nothing else, so that the
 * search can be wide. Run bounded. Shared parts, use and limitations:
 * salsa_client.h.
 */
#define MODEL_OUT	1
#include "salsa_client.h"

struct salsa_batch : salsa_client<salsa_batch, 2, 2, 1, 0, 4> {
	void prepare()
	{
		patient = true;
		put_before(4, 0, 0);
		get(0);
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			get_many(0, 3);
		} else {
			steal(1, 0);
			get_many(1, 2);
		}
	}
};

CLIENT_MAIN(salsa_batch)
