/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/grace.h under the model checker: a client that uses them
 * defines them, with the sections of its threads.
 */
#ifndef _WSQ_GRACE_H
#define _WSQ_GRACE_H

#include <wsq_platform.h>

static u64 wsq_grace_get(void);
static bool wsq_grace_passed(u64 cookie);

/* Replacements of the above for model/mutants.py. */
#define wsq_weak_grace_get()		((u64)0)
#define wsq_weak_grace_passed(cookie)	((void)(cookie), true)

#endif /* _WSQ_GRACE_H */
