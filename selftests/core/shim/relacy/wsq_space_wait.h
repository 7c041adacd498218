/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/space_wait.h under the model checker: a client that uses them
 * defines them, with its threads, and the interrupts that it simulates
 * (model/space_wait_client.h).
 */
#ifndef _WSQ_SPACE_WAIT_H
#define _WSQ_SPACE_WAIT_H

#include <wsq_platform.h>

typedef rl::mutex wsq_space_lock_t;
typedef int wsq_space_task_t;

#define wsq_space_lock_init(l)	((void)(l))

static unsigned long wsq_space_lock(wsq_space_lock_t *l);
static void wsq_space_unlock(wsq_space_lock_t *l, unsigned long flags);
static wsq_space_task_t *wsq_space_self(void);
static void wsq_space_prepare(void);
static void wsq_space_finish(void);
static void wsq_space_sleep(long time);
static void wsq_space_wake(wsq_space_task_t *who);
static bool wsq_space_killed(void);

#endif /* _WSQ_SPACE_WAIT_H */
