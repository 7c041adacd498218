// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA: a thief that halts while it owns a chunk, between its two changes of
 * the owner or after them, is overtaken by another one, while the victim may be
 * halted in the middle of its take. Run bounded. Shared parts, use and
 * limitations: salsa_client.h.
 */
#define MODEL_OUT	1
#include "salsa_client.h"

#ifndef OVERTAKE_CLAIMS
#define OVERTAKE_CLAIMS	0
#endif

struct salsa_overtake : salsa_client<salsa_overtake, 3, 3, 1, OVERTAKE_CLAIMS, 3> {
	void prepare()
	{
		patient = true;
		put_before(3, 0, 0);
		get(0);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			get(0);
			break;
		case 1:
			steal(1, 0);
			break;
		case 2:
			/* A halt of this thief is the same case again. */
			in_one_go([this] {
				steal(2, 1);
				get(2);
			});
			break;
		}
	}
};

CLIENT_MAIN(salsa_overtake)
