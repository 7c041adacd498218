// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl of /dev/wsq that shows counters of all rooms.
 */
#include <linux/cpumask.h>
#include <linux/uaccess.h>
#include <uapi/linux/wsq.h>

#include "../ring/dev.h"
#include "../ring/poller.h"
#include "../ring/setup.h"
#include "cpu_stats.h"

/* Sizes of the first versions. They never change; the structs may grow. */
#define WSQ_STATS_SIZE_V0	40
#define WSQ_CPU_STATS_SIZE_V0	88

static_assert(sizeof(struct wsq_stats) == WSQ_STATS_SIZE_V0);
static_assert(offsetofend(struct wsq_cpu_stats, inbox) ==
	      WSQ_CPU_STATS_SIZE_V0);

static int wsq_stats_cpus(u8 __user *to, u32 room, u32 stride)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct wsq_cpu_stats st;
		size_t n = min_t(size_t, stride, sizeof(st));

		if (!room--)
			break;
		wsq_stats_cpu(cpu, &st);
		if (copy_to_user(to, &st, n) ||
		    clear_user(to + n, stride - n))
			return -EFAULT;
		to += stride;
	}
	return 0;
}

/**
 * wsq_ioctl_stats() - %WSQ_IOC_STATS
 * @arg: the caller's struct wsq_stats
 *
 * Context: task; may sleep.
 * Return: 0 or a negative errno, see Documentation/errors.rst.
 */
long wsq_ioctl_stats(void __user *arg)
{
	struct wsq_stats st;
	u32 size;
	int ret;

	ret = wsq_struct_get(&st, sizeof(st), WSQ_STATS_SIZE_V0, arg, &size);
	if (ret)
		return ret;
	if (st.rsv)
		return -EINVAL;
	if (st.cpus) {
		if (st.cpu_stats_size < WSQ_CPU_STATS_SIZE_V0 ||
		    st.cpu_stats_size > PAGE_SIZE || st.cpu_stats_size % 8)
			return -EINVAL;
		ret = wsq_stats_cpus(u64_to_user_ptr(st.cpus), st.nr_cpus,
				     st.cpu_stats_size);
		if (ret)
			return ret;
	}
	st.nr_cpus = num_possible_cpus();
	st.rings = wsq_ring_count();
	st.queues = wsq_stats_queues();
	st.workers = wsq_stats_workers();
	st.pollers = wsq_poller_count();
	return wsq_struct_put(arg, &st, sizeof(st), size);
}
