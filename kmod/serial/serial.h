/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Serials: what kmod/ring and kmod/call need beyond <linux/wsq_serial.h>.
 *
 * For kmod/ring: an item may leave the worker before it is done. Its serial stays owned: no
 * other item of the serial runs until this item's function has been called
 * again and has returned without wsq_serial_pause().
 */
#ifndef _WSQ_SERIAL_SERIAL_H
#define _WSQ_SERIAL_SERIAL_H

#include <linux/wsq_serial.h>

/* Bits of an item's state. */
#define WSQ_SERIAL_QUEUED	BIT(0)
#define WSQ_SERIAL_CANCELLED	BIT(1)
#define WSQ_SERIAL_LISTED	(WSQ_SERIAL_QUEUED | WSQ_SERIAL_CANCELLED)
#define WSQ_SERIAL_WAITER	((int)BIT(2))

/**
 * enum wsq_serial_pause - what the owner does after an item's function returned
 * @WSQ_SERIAL_DONE: run the next item
 * @WSQ_SERIAL_AGAIN: run the same item again, in the serial's next time slice
 * @WSQ_SERIAL_HELD: likewise, but not before wsq_serial_resume()
 */
enum wsq_serial_pause {
	WSQ_SERIAL_DONE,
	WSQ_SERIAL_AGAIN,
	WSQ_SERIAL_HELD,
};

/**
 * wsq_serial_pause() - the running item is not done
 * @serial: its serial
 * @how: %WSQ_SERIAL_AGAIN or %WSQ_SERIAL_HELD
 *
 * The item stays where it is until its function has been called again. After
 * %WSQ_SERIAL_HELD its memory may be used for other things. It must be
 * initialized again (wsq_serial_work_init()) before wsq_serial_resume().
 *
 * Context: the item's function, which then returns.
 */
static inline void wsq_serial_pause(struct wsq_serial *serial,
				    enum wsq_serial_pause how)
{
	serial->pause = how;
}

bool wsq_serial_admits(struct wsq_serial *serial);
bool wsq_serial_put_owed(struct wsq_serial *serial, struct wsq_serial_work *work);
void wsq_serial_resume(struct wsq_serial *serial);
void wsq_serial_redirect(struct wsq_serial *serial, struct wsq *q);
void wsq_serial_fetch(struct wsq_serial *serial);

#endif /* _WSQ_SERIAL_SERIAL_H */
