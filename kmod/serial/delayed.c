// SPDX-License-Identifier: GPL-2.0
/*
 * Items of serials that are queued after a delay. A delayed item of the
 * serial's queue runs first, and its function queues the item to the serial.
 * See <linux/wsq_serial.h>.
 *
 * Cost: a delayed item of the queue in front of each item of the serial.
 */
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/wsq_serial.h>

#include "../compat/export.h"
#include "../exec/exec.h"
#include "../exec/put.h"
#include "serial.h"

/* Does the serial accept items? If not, waiting does not help. */
static bool wsq_serial_open(struct wsq_serial *serial)
{
	bool open;

	preempt_disable();
	open = wsq_serial_admits(serial);
	preempt_enable();
	return open;
}

/*
 * The delay of an item is over: queue it. If it was cancelled and is still in the
 * list, behind items that take long, it cannot be queued until it has left: look
 * again later. If it leaves between the attempt and the look at its state, the
 * state is 0, and the next attempt succeeds unless another context was faster.
 */
void __wsq_serial_delay_over(struct wsq_work *work)
{
	struct wsq_serial_delayed_work *d = container_of(work,
			struct wsq_serial_delayed_work, timer.work);
	struct wsq_serial *serial = READ_ONCE(d->serial);
	int state;

	while (!wsq_serial_queue(serial, &d->work)) {
		state = atomic_read(&d->work.state);
		if (state & WSQ_SERIAL_CANCELLED) {
			wsq_queue_delayed_work(READ_ONCE(serial->q), &d->timer, 1);
			return;
		}
		/* Queued by another context, disabled, or refused. */
		if (state || !wsq_serial_open(serial))
			return;
	}
	/* From here on its function may have freed @d. */
}
WSQ_EXPORT(__wsq_serial_delay_over);

static void wsq_serial_delay_owned(struct wsq_delayed_work *timer, void *serial)
{
	struct wsq_serial_delayed_work *d = container_of(timer,
			struct wsq_serial_delayed_work, timer);

	WRITE_ONCE(d->serial, serial);
}

bool wsq_serial_queue_delayed(struct wsq_serial *serial,
			      struct wsq_serial_delayed_work *dwork,
			      unsigned long delay)
{
	if (atomic_read(&dwork->work.state) & WSQ_SERIAL_QUEUED)
		return false;
	return wsq_queue_delayed_owned(WSQ_CPU_ANY, READ_ONCE(serial->q),
				       &dwork->timer, delay,
				       wsq_serial_delay_owned, serial);
}
WSQ_EXPORT(wsq_serial_queue_delayed);

bool wsq_serial_cancel_delayed(struct wsq_serial_delayed_work *dwork)
{
	bool ret = wsq_cancel_delayed_work(&dwork->timer);

	return wsq_serial_cancel(&dwork->work) || ret;
}
WSQ_EXPORT(wsq_serial_cancel_delayed);

bool wsq_serial_cancel_delayed_sync(struct wsq_serial *serial,
				    struct wsq_serial_delayed_work *dwork)
{
	bool ret;

	might_sleep();
	/* Its function may set the delay anew: neither is accepted meanwhile. */
	ret = wsq_disable_delayed_work_sync(&dwork->timer);
	ret |= wsq_serial_disable_sync(serial, &dwork->work);
	wsq_serial_enable(&dwork->work);
	wsq_enable_delayed_work(&dwork->timer);
	return ret;
}
WSQ_EXPORT(wsq_serial_cancel_delayed_sync);
