// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a consumer halts when it has just entered a chunk that is in its
 * second use. The first use must not affect a look: it must see the tasks. Run
 * bounded. Shared parts, use and limitations: salsa_client.h.
 */
#define MODEL_OUT	1
#include "salsa_client.h"

struct salsa_anew : salsa_client<salsa_anew, 2, 2, 1> {
	void prepare()
	{
		put_before(2, 0, 0);
		while (get(0))
			;
		put_before(2, 0, 0);
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			get(0);
		} else {
			look();
			steal(1, 0);
			look();
		}
	}
};

CLIENT_MAIN(salsa_anew)
