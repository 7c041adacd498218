/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results of kmod/core operations. No operation waits: if another context is in
 * the way it says so, and the caller decides.
 */
#ifndef _WSQ_CORE_STATUS_H
#define _WSQ_CORE_STATUS_H

/**
 * enum wsq_status - result of a core operation
 * @WSQ_OK: done
 * @WSQ_PUBLISHED: done, and the task is the first of a block that thieves may
 *	steal from: the moment to wake an idle CPU
 * @WSQ_EMPTY: nothing to take
 * @WSQ_FULL: no space to put
 * @WSQ_CONFLICT: another CPU took the task or slot; trying again may succeed
 * @WSQ_DONE: this block has nothing more for thieves until it is reused, or this
 *	future is resolved: there is nothing to wait for
 */
enum wsq_status {
	WSQ_OK		= 0,
	WSQ_PUBLISHED	= 1,
	WSQ_EMPTY	= -1,
	WSQ_FULL	= -2,
	WSQ_CONFLICT	= -3,
	WSQ_DONE	= -4,
};

#endif /* _WSQ_CORE_STATUS_H */
