/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replaces kmod/exec/exec.h: as much of a worker as timestamp.h and the replacement
 * of the queue need (../queue.c). kmod/exec itself is not tested here.
 */
#ifndef _WSQ_EXEC_EXEC_H
#define _WSQ_EXEC_EXEC_H

#include <linux/wsq.h>

struct wsq_worker {
	struct wsq_work *cur;
	wsq_func_t func;
	struct wsq *serving;
	u64 nr_run;
	u64 timestamp_end;
	u64 timestamp_run;
	unsigned long timestamp_switches;
};

#endif /* _WSQ_EXEC_EXEC_H */
