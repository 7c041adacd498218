/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/hrtimer.h>: hrtimer_setup() came in 6.13 and replaced hrtimer_init().
 */
#ifndef _WSQ_COMPAT_HRTIMER_H
#define _WSQ_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>
#include <linux/version.h>

static inline void
wsq_hrtimer_setup(struct hrtimer *timer,
		  enum hrtimer_restart (*fn)(struct hrtimer *timer),
		  clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
#else
	hrtimer_setup(timer, fn, clock, mode);
#endif
}

#endif /* _WSQ_COMPAT_HRTIMER_H */
