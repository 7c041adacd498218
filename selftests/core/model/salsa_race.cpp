// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA, the central race: a consumer takes a task and a thief takes the chunk.
 * Nothing else, so that the search can be wide. Run bounded. Shared parts, use
 * and limitations: salsa_client.h.
 */
#define MODEL_OUT	1
#include "salsa_client.h"

struct salsa_race : salsa_client<salsa_race, 2, 2, 1> {
	void prepare()
	{
		put_before(2, 0, 0);
		get(0);
	}

	void thread(unsigned int i)
	{
		if (i == 0)
			get(0);
		else
			steal(1, 0);
	}
};

CLIENT_MAIN(salsa_race)
