/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands in for kmod/exec/exec.h: as much of a worker as lap.h and the stand-in for
 * the queue need (../queue.c). kmod/exec itself is not tested here.
 */
#ifndef _WSQ_EXEC_EXEC_H
#define _WSQ_EXEC_EXEC_H

#include <linux/wsq.h>

struct wsq_worker {
	struct wsq_work *cur;
	struct wsq *serving;
	u64 nr_run;
	u64 lap_end;
	u64 lap_run;
	unsigned long lap_switches;
};

#endif /* _WSQ_EXEC_EXEC_H */
