/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics: reads the counters of the layers below. No fast path counts
 * anything for it: puts and gets are the counts that flush needs.
 */
#ifndef _WSQ_OBS_STATS_H
#define _WSQ_OBS_STATS_H

#include <linux/wsq_stats.h>

struct wsq;

void wsq_stats_queue(const struct wsq *q, struct wsq_cpu_stats *out);
u64 wsq_stats_queue_ns(const struct wsq *q);
u32 wsq_stats_queues(void);
u32 wsq_stats_workers(void);

#endif /* _WSQ_OBS_STATS_H */
