/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paper's verification client (figure 9): an owner that puts and gets three
 * times around a queue of 2 x 2, a thief that steals once, one that steals
 * twice.
 *
 * For: fig9.cpp, bwos_lifo_fig9.cpp. Use and limitations: client.h, main.h.
 */
#ifndef _WSQ_MODEL_FIG9_H
#define _WSQ_MODEL_FIG9_H

#include "client.h"

struct fig9 : client<fig9, 3> {
	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			put(3);
			get(2);
			put(4);
			get(3);
			put(5);
			get(4);
			break;
		case 1:
			steal(1);
			break;
		case 2:
			steal(1);
			steal(1);
			break;
		}
	}
};

#endif /* _WSQ_MODEL_FIG9_H */
