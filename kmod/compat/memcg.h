/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that one context allocates on behalf of another's memory cgroup.
 * Without CONFIG_MEMCG there is none, and nothing is charged.
 */
#ifndef _WSQ_COMPAT_MEMCG_H
#define _WSQ_COMPAT_MEMCG_H

#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

/* The memory cgroup of this process, with a reference, or %NULL. */
static inline struct mem_cgroup *wsq_memcg_get(void)
{
	return get_mem_cgroup_from_mm(current->mm);
}

static inline void wsq_memcg_put(struct mem_cgroup *memcg)
{
	if (memcg)
		mem_cgroup_put(memcg);
}

/* The one that set_active_memcg() has set for this task, or %NULL. */
static inline struct mem_cgroup *wsq_memcg_active(void)
{
#ifdef CONFIG_MEMCG
	return current->active_memcg;
#else
	return NULL;
#endif
}

#endif /* _WSQ_COMPAT_MEMCG_H */
