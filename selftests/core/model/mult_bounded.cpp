// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplicity, bounded: an owner that puts and gets beside two thieves, with slots
 * used again. Shared parts, use and limitations: mult.h, main.h.
 */
#include "mult.h"

struct mult_bounded : mult_client<mult_bounded, 3, WSQ_MULT_BOUNDED> {
	void thread(unsigned int i)
	{
		if (i) {
			steal(i);
			steal(i);
			return;
		}
		put();
		put();
		get();
		put();
		get();
		put();
		put();
		if (!put()) {
			wsq_ws_mult_catch_up(&q);
			put();
		}
	}
};

CLIENT_MAIN(mult_bounded)
