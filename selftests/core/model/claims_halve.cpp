// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots: an owner that puts and claims, a thief that takes the newer
 * half of the owner's block, and another that takes a task by its slot. Each
 * task comes out once, and whole, as in claims.cpp. Shared parts: claimed.h;
 * use and limitations: client.h, main.h.
 */
#include "../engine/bwos_fifo/model.h"
#include "claimed.h"

struct claims_halve : claimed_client<claims_halve, 3> {
	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put_claimed(3);
			claim(2);
			put_claimed(4);
			claim(3);
			break;
		case 1:
			halve(2);
			halve(1);
			break;
		case 2:
			halve(2);
			for (u32 nr = 0; nr < 4; nr++)
				remove(nr, 4);
			break;
		}
	}
};

CLIENT_MAIN(claims_halve)
