/* SPDX-License-Identifier: GPL-2.0 */
/* Between the lists of lists.c and their uncharged part, peer.c. */
#ifndef _WSQ_SIM_LISTS_H
#define _WSQ_SIM_LISTS_H

#include "scene.h"

struct list_pool;

/**
 * struct list_worker - a worker of a CPU
 * @idle: in @pool's list, or empty
 * @pool: source of its items
 * @task: the thread
 * @cpu: its CPU
 */
struct list_worker {
	struct list_head idle;
	struct list_pool *pool;
	struct task_struct *task;
	unsigned int cpu;
} ____cacheline_aligned;

/* The first whose CPU is otherwise idle; if there is none, the first. */
struct list_worker *list_idle_worker(const struct list_head *idle);

#endif /* _WSQ_SIM_LISTS_H */
