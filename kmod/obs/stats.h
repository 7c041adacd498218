/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics: reads the counters that the layers below own. Nothing is counted
 * for its sake on a fast path; puts and gets are the counts that flush needs.
 */
#ifndef _WSQ_OBS_STATS_H
#define _WSQ_OBS_STATS_H

#include <linux/types.h>

struct wsq;
struct wsq_cpu_stats;

void wsq_stats_cpu(unsigned int cpu, struct wsq_cpu_stats *out);
void wsq_stats_queue(const struct wsq *q, struct wsq_cpu_stats *out);
u32 wsq_stats_queues(void);
u32 wsq_stats_workers(void);

#endif /* _WSQ_OBS_STATS_H */
