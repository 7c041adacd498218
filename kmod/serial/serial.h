/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Serials: what kmod/ring needs beyond <linux/wsq_serial.h>.
 *
 * An item may leave the worker before it is done. Its serial stays owned: no
 * other item of the serial runs until the function of this one has been called
 * again and has returned without wsq_serial_pause().
 */
#ifndef _WSQ_SERIAL_SERIAL_H
#define _WSQ_SERIAL_SERIAL_H

#include <linux/wsq_serial.h>

/**
 * enum wsq_serial_pause - what the owner does after an item's function returned
 * @WSQ_SERIAL_DONE: the next item
 * @WSQ_SERIAL_AGAIN: the same item again, when the serial has its next turn
 * @WSQ_SERIAL_HELD: likewise, but not before wsq_serial_resume()
 */
enum wsq_serial_pause {
	WSQ_SERIAL_DONE,
	WSQ_SERIAL_AGAIN,
	WSQ_SERIAL_HELD,
};

/**
 * wsq_serial_pause() - the item that runs is not done
 * @serial: its serial
 * @how: %WSQ_SERIAL_AGAIN or %WSQ_SERIAL_HELD
 *
 * The item stays where it is until its function has been called again; after
 * %WSQ_SERIAL_HELD it has to be initialised again (wsq_serial_work_init())
 * before wsq_serial_resume(), and its memory can be used for other things until
 * then.
 *
 * Context: the item's function, which returns then.
 */
static inline void wsq_serial_pause(struct wsq_serial *serial,
				    enum wsq_serial_pause how)
{
	serial->pause = how;
}

void wsq_serial_resume(struct wsq_serial *serial);
void wsq_serial_redirect(struct wsq_serial *serial, struct wsq *q);
void wsq_serial_fetch(struct wsq_serial *serial);

#endif /* _WSQ_SERIAL_SERIAL_H */
