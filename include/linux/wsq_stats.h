/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics of the module. ``wsqctl stat`` shows the same.
 */
#ifndef _LINUX_WSQ_STATS_H
#define _LINUX_WSQ_STATS_H

#include <uapi/linux/wsq.h>

/**
 * wsq_stats_cpu() - counters of a CPU over all queues, destroyed ones included
 * @cpu: a possible CPU
 * @out: filled in
 *
 * Context: task; may sleep. Counters change while they are read: each is right
 * by itself.
 */
void wsq_stats_cpu(unsigned int cpu, struct wsq_cpu_stats *out);

#endif /* _LINUX_WSQ_STATS_H */
