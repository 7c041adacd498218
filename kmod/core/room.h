/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A room for those who wait until they can put a task: they find no place for it,
 * say so, look once more and sleep; whoever makes a place lets the first of them
 * in, or wakes them all to look where they are.
 *
 * For: kmod/pool/overflow.c, the rule WSQ_OVERFLOW_WAIT. What a place is, and
 * whether there is one for whom, is not known here: a function that puts, or does
 * not, says so.
 *
 * The hooks come from the platform through <wsq_room.h>, found by the include path:
 * a raw spinlock and the scheduler in the module (kmod/compat), the client of the
 * model checker in shim/relacy.
 *
 *	wsq_room_lock_t		a lock; the holder is not interrupted
 *	wsq_room_lock_init(l), wsq_room_lock(l), wsq_room_unlock(l, flags)
 *	wsq_room_who_t		a thread, wsq_room_self() which one calls
 *	wsq_room_poise()	the caller is about to sleep: a wake-up from now on
 *				ends the next sleep. No order
 *	wsq_room_sleep(time)	sleep, unless woken since wsq_room_poise(), for so
 *				long at most
 *	wsq_room_rise()		the caller does not sleep after all
 *	wsq_room_rouse(who)	wake a thread, which may be the one that calls: an
 *				interrupt of its own
 *	wsq_room_killed()	is the caller to give up
 *
 * Who waits is in the ring from his entry until somebody settles him, which is said
 * in @end under the lock: himself, when he could put or gives up; a pop that puts
 * his task for him; who closes. His struct is on his stack, and he looks at @end
 * under the lock before he goes. So whoever finds a waiter in the ring may use it
 * under the lock, and each task is put by one.
 *
 * Settling wakes, and that without exceptions. An interrupt may come between the
 * waiter's look and his sleep, on his own CPU, and settle him: it looks like the
 * waiter, and must wake him, or he sleeps for ever and is in no ring.
 *
 * No place is made without those who wait for it hearing of it:
 *
 *	who waits			who makes a place
 *	---------			-----------------
 *	nr = 1				place
 *	smp_mb()			smp_mb()
 *	place?				nr?
 *
 *	Store buffering. Forbidden: no place, and nobody.
 *
 * To wake all is done in slices, for it happens with interrupts off. @turn is the
 * waiter whose turn it is, and he and all behind him will be woken; NULL if nobody
 * is. A call that comes while a turn is under way is noted in @again: those behind
 * @turn hear of it anyway, those before it when the turn has come to the end.
 * Whoever leaves the ring hands his turn to the next. Who enters need not be woken
 * by calls that were before: his look comes after.
 *
 * Pairs:
 *
 *	RM(wait:A) full -> RM(nobody:A) full
 *		If RM(nobody:B) does not see RM(enter:A), the look for a place
 *		behind RM(wait:A) sees the one that was made.
 *		litmus/room-wait.litmus
 *
 * No order: RM(leave:A), under the lock.
 *
 * Cost: to who makes a place and finds nobody a full barrier and a load; to who
 * finds somebody the lock, for one attempt to put, or a slice of wake-ups.
 * Limitations: all share a lock, and a wake-up of all is n wake-ups for one place.
 */
#ifndef _WSQ_CORE_ROOM_H
#define _WSQ_CORE_ROOM_H

#include <wsq_platform.h>
#include <wsq_room.h>

#include "status.h"

/* Those who are woken, or turned away, while the lock is held once. */
#ifndef WSQ_ROOM_SLICE
#define WSQ_ROOM_SLICE		16
#endif

/**
 * enum wsq_room_end - what has become of a waiter
 * @WSQ_ROOM_WAITS: nothing yet
 * @WSQ_ROOM_IN: his task was put
 * @WSQ_ROOM_KILLED: he was to give up; his task was not put
 * @WSQ_ROOM_CLOSED: he was turned away; his task was not put
 */
enum wsq_room_end {
	WSQ_ROOM_WAITS,
	WSQ_ROOM_IN,
	WSQ_ROOM_KILLED,
	WSQ_ROOM_CLOSED,
};

/**
 * struct wsq_waiter - one who waits, on his stack
 * @next: the one behind him in the ring
 * @prev: the one before him
 * @who: whom to wake. Constant
 * @task: what he would put. Constant
 * @end: what has become of him. All else under the room's lock
 */
struct wsq_waiter {
	struct wsq_waiter *next;
	struct wsq_waiter *prev;
	wsq_room_who_t *who;
	void *task;
	enum wsq_room_end end;
};

/**
 * struct wsq_room - those who wait
 * @lock: guards all else; held for one attempt to put or one slice
 * @ring: before the first and behind the last of them
 * @turn: who is woken next; %NULL for nobody
 * @again: when @turn is through, all are to be woken once more
 * @nr: how many are in the ring. @lock; read without
 * @inside: those who still use this struct. @lock
 */
struct wsq_room {
	wsq_room_lock_t lock;
	struct wsq_waiter ring;
	struct wsq_waiter *turn;
	bool again;
	atomic64_t nr;
	u32 inside;
};

/**
 * typedef wsq_room_put - put a task, if there is a place for it
 * @arg: of the caller of this header
 * @task: the task
 *
 * Context: under the room's lock.
 * Return: was there one.
 */
typedef bool (*wsq_room_put)(void *arg, void *task);

static inline void wsq_room_init(struct wsq_room *room)
{
	wsq_room_lock_init(&room->lock);
	room->ring.next = &room->ring;
	room->ring.prev = &room->ring;
	room->turn = NULL;
	room->again = false;
	atomic64_set(&room->nr, 0);
	room->inside = 0;
}

/* The next one, or NULL behind the last. */
static inline struct wsq_waiter *wsq_room_behind(struct wsq_room *room,
						 const struct wsq_waiter *w)
{
	return w->next == &room->ring ? NULL : w->next;
}

/* At the end of the ring. The lock is held. */
static inline void wsq_room_enter(struct wsq_room *room, struct wsq_waiter *w)
{
	w->next = &room->ring;
	w->prev = room->ring.prev;
	w->prev->next = w;
	room->ring.prev = w;
	room->inside++;
	atomic64_set(&room->nr, atomic64_read(&room->nr) + 1);	/* RM(enter:A) */
}

/* It is over for him who waited. The lock is held. */
static inline void wsq_room_settle(struct wsq_room *room, struct wsq_waiter *w,
				   enum wsq_room_end end)
{
	if (room->turn == w)
		room->turn = wsq_room_behind(room, w);
	w->prev->next = w->next;
	w->next->prev = w->prev;
	atomic64_set(&room->nr, atomic64_read(&room->nr) - 1);	/* RM(leave:A) */
	w->end = end;
	/* Even if it is the caller: see above. */
	wsq_room_rouse(w->who);
}

/**
 * wsq_room_wait() - wait until a task is put
 * @room: the room
 * @task: the task
 * @put: puts it
 * @arg: for @put
 * @time: how long to sleep at most before the next look
 *
 * Context: task; sleeps.
 * Return: what has become of it, not %WSQ_ROOM_WAITS.
 */
static inline enum wsq_room_end wsq_room_wait(struct wsq_room *room, void *task,
					      wsq_room_put put, void *arg,
					      long time)
{
	struct wsq_waiter w = {};
	unsigned long flags;

	w.who = wsq_room_self();
	w.task = task;
	w.end = WSQ_ROOM_WAITS;
	flags = wsq_room_lock(&room->lock);
	wsq_room_enter(room, &w);
	while (w.end == WSQ_ROOM_WAITS) {
		wsq_room_poise();
		/* I wait, then the place. Against RM(nobody:A). */
		smp_mb();					/* RM(wait:A) */
		if (put(arg, task)) {
			wsq_room_settle(room, &w, WSQ_ROOM_IN);
		} else if (wsq_room_killed()) {
			wsq_room_settle(room, &w, WSQ_ROOM_KILLED);
		} else {
			wsq_room_unlock(&room->lock, flags);
			wsq_room_sleep(time);
			flags = wsq_room_lock(&room->lock);
		}
	}
	wsq_room_rise();
	room->inside--;
	wsq_room_unlock(&room->lock, flags);
	return w.end;
}

/**
 * wsq_room_nobody() - does nobody wait for the place that was made
 * @room: the room
 *
 * Context: any, behind what made the place.
 * Return: if not, wsq_room_admit() or wsq_room_call() is due.
 */
static inline bool wsq_room_nobody(struct wsq_room *room)
{
	/* The place, then who waits. Against RM(wait:A). */
	smp_mb();						/* RM(nobody:A) */
	return !atomic64_read(&room->nr);			/* RM(nobody:B) */
}

/**
 * wsq_room_admit() - let in who came first, if there is a place for him
 * @room: the room
 * @task: if it holds %NULL he leaves his task there, and needs no place
 * @put: puts his task
 * @arg: for @put
 *
 * Context: any but NMI.
 * Return: %WSQ_OK if he is in, %WSQ_FULL if there is no place, %WSQ_EMPTY if nobody
 * waits.
 */
static inline int wsq_room_admit(struct wsq_room *room, void **task,
				 wsq_room_put put, void *arg)
{
	unsigned long flags = wsq_room_lock(&room->lock);
	struct wsq_waiter *w = wsq_room_behind(room, &room->ring);
	int ret = WSQ_OK;

	if (!w)
		ret = WSQ_EMPTY;
	else if (!*task)
		*task = w->task;
	else if (!put(arg, w->task))
		ret = WSQ_FULL;
	if (ret == WSQ_OK)
		wsq_room_settle(room, w, WSQ_ROOM_IN);
	wsq_room_unlock(&room->lock, flags);
	return ret;
}

/* Wake a slice of those whose turn it is: is there more? The lock is held. */
static inline bool wsq_room_slice(struct wsq_room *room)
{
	u32 n;

	for (n = 0; n < WSQ_ROOM_SLICE; n++) {
		if (!room->turn && room->again) {
			room->again = false;
			room->turn = wsq_room_behind(room, &room->ring);
		}
		if (!room->turn)
			return false;
		wsq_room_rouse(room->turn->who);
		room->turn = wsq_room_behind(room, room->turn);
	}
	return room->turn || room->again;
}

/**
 * wsq_room_call() - have all who wait look again where they are
 * @room: the room
 *
 * Context: any but NMI.
 * Return: true if wsq_room_go_on() is due.
 */
static inline bool wsq_room_call(struct wsq_room *room)
{
	unsigned long flags = wsq_room_lock(&room->lock);
	bool more;

	room->again = true;
	more = wsq_room_slice(room);
	wsq_room_unlock(&room->lock, flags);
	return more;
}

/**
 * wsq_room_go_on() - wake more of those who were called
 * @room: the room
 *
 * Context: as wsq_room_call(), by whom and wherever.
 * Return: true if another call is due.
 */
static inline bool wsq_room_go_on(struct wsq_room *room)
{
	unsigned long flags = wsq_room_lock(&room->lock);
	bool more = wsq_room_slice(room);

	wsq_room_unlock(&room->lock, flags);
	return more;
}

/**
 * wsq_room_close() - turn away some of those who wait
 * @room: the room, which nobody enters any more
 * @inside: how many still use the room, if nobody waits any more
 *
 * Context: any but NMI.
 * Return: how many were turned away. Call it until that is none, and then until
 * @inside is.
 */
static inline u32 wsq_room_close(struct wsq_room *room, u32 *inside)
{
	unsigned long flags = wsq_room_lock(&room->lock);
	struct wsq_waiter *w;
	u32 n;

	for (n = 0; n < WSQ_ROOM_SLICE; n++) {
		w = wsq_room_behind(room, &room->ring);
		if (!w)
			break;
		wsq_room_settle(room, w, WSQ_ROOM_CLOSED);
	}
	*inside = room->inside;
	wsq_room_unlock(&room->lock, flags);
	return n;
}

#endif /* _WSQ_CORE_ROOM_H */
