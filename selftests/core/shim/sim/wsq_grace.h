/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/grace.h in the simulator: a grace period takes the time in
 * costs.def, and sections are over by then, because none of them sleeps.
 */
#ifndef _WSQ_SIM_GRACE_H
#define _WSQ_SIM_GRACE_H

#include <wsq_platform.h>

static inline u64 wsq_grace_get(void)
{
	return sim_now() + sim_config.costs.grace;
}

static inline bool wsq_grace_passed(u64 cookie)
{
	return sim_now() >= cookie;
}

/* For users of the native shim. Here only time matters. */
static inline void wsq_grace_quiesce(void)
{
}

static inline void wsq_grace_join(void)
{
}

static inline void wsq_grace_leave(void)
{
}

#define WSQ_GRACE_DEFINE	extern int wsq_grace_defined

#endif /* _WSQ_SIM_GRACE_H */
