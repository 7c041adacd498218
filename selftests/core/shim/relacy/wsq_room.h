/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks of core/room.h under the model checker: a client that uses them defines
 * them, with its threads, and the interrupts that it plays (model/room_client.h).
 */
#ifndef _WSQ_ROOM_H
#define _WSQ_ROOM_H

#include <wsq_platform.h>

typedef rl::mutex wsq_room_lock_t;
typedef int wsq_room_who_t;

#define wsq_room_lock_init(l)	((void)(l))

static unsigned long wsq_room_lock(wsq_room_lock_t *l);
static void wsq_room_unlock(wsq_room_lock_t *l, unsigned long flags);
static wsq_room_who_t *wsq_room_self(void);
static void wsq_room_poise(void);
static void wsq_room_rise(void);
static void wsq_room_sleep(long time);
static void wsq_room_rouse(wsq_room_who_t *who);
static bool wsq_room_killed(void);

#endif /* _WSQ_ROOM_H */
