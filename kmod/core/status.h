/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What operations of kmod/core answer. They never wait: where another party is
 * in the way they say so and the caller decides.
 */
#ifndef _WSQ_CORE_STATUS_H
#define _WSQ_CORE_STATUS_H

/**
 * enum wsq_status - answer of a core operation
 * @WSQ_OK: done
 * @WSQ_OPENED: done, and the task is the first of a block that thieves may
 *	rob: the moment to wake an idle CPU
 * @WSQ_EMPTY: nothing there to take
 * @WSQ_FULL: no room to put
 * @WSQ_CONFLICT: another CPU took what was aimed at; trying again may succeed
 * @WSQ_DONE: this block has nothing more for thieves until it is used anew
 */
enum wsq_status {
	WSQ_OK		= 0,
	WSQ_OPENED	= 1,
	WSQ_EMPTY	= -1,
	WSQ_FULL	= -2,
	WSQ_CONFLICT	= -3,
	WSQ_DONE	= -4,
};

#endif /* _WSQ_CORE_STATUS_H */
