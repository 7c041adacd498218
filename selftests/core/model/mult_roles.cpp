// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplicity: the owner's two roles as two threads, which stand for a task and
 * its interrupts, beside a thief. Shared parts, use and limitations: mult.h, main.h.
 */
#include "mult.h"

struct mult_roles : mult_client<mult_roles, 3, WSQ_MULT_WEAK> {
	void thread(unsigned int i)
	{
		if (i == 0) {
			for (int n = 0; n < 6; n++)
				put();
		} else if (i == 1) {
			for (int n = 0; n < 4; n++)
				get();
		} else {
			steal(1);
			steal(1);
		}
	}
};

CLIENT_MAIN(mult_roles)
