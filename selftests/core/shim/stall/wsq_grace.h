/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/grace.h where parties can be stopped: a grace period is
 * over when no CPU is left in a section that it was in when the cookie was
 * made.
 *
 * With WSQ_GRACE_EMPTY every grace period is over at once, to prove that a test
 * notices.
 */
#ifndef _WSQ_GRACE_H
#define _WSQ_GRACE_H

#include <wsq_platform.h>

/* The last cookie made. */
extern u64 wsq_grace_now;

/* When the oldest active section began, in cookies; ~0 if none. */
u64 wsq_grace_oldest(void);

static inline u64 wsq_grace_make(void)
{
	wsq_cpu_full();
	return ++wsq_grace_now;
}

static inline bool wsq_grace_over(u64 cookie)
{
#ifndef WSQ_GRACE_EMPTY
	return wsq_grace_oldest() >= cookie;
#else
	(void)cookie;
	return true;
#endif
}

#define wsq_grace_get()		(WSQ_STEP, wsq_grace_make())
#define wsq_grace_passed(cookie)	(WSQ_STEP, wsq_grace_over(cookie))

#endif /* _WSQ_GRACE_H */
