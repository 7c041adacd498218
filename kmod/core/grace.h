/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Polled grace periods: memory may be reused only when no context is left that
 * saw it in its earlier use.
 *
 * For: salsa.h. Only the contract is here. The platform supplies the hooks
 * through <wsq_grace.h>, found by the include path: RCU in the module
 * (kmod/compat), quiescent states that threads announce in user space and under
 * the model checker.
 *
 *	wsq_grace_get()		a cookie for this moment
 *	wsq_grace_passed(cookie)
 *				Have all sections ended that were running then?
 *				Acquire, if so: what they did is visible.
 *
 * Sections are those of core/fence.h: with preemption off, which in the kernel
 * are RCU read sides. Both hooks may be called in a section and with interrupts
 * off; neither waits. wsq_grace_passed() may be called from NMI,
 * wsq_grace_get() must not be: it takes a lock.
 */
#ifndef _WSQ_CORE_GRACE_H
#define _WSQ_CORE_GRACE_H

#include <wsq_platform.h>
#include <wsq_grace.h>

#endif /* _WSQ_CORE_GRACE_H */
