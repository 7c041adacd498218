/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Serials: items that run one at a time, in the order they were queued, on
 * whatever worker of a queue has time.
 *
 * For objects whose work must not run beside itself (a connection, a file, a key)
 * when there are more of them than one would make queues for. No lock is taken and
 * no thread waits: an item that finds others of its serial under way is run by the
 * worker that runs those. Items of different serials run in parallel.
 *
 * What it costs: 96 bytes for each serial, 24 for each item (without lockdep);
 * to queue, three read-modify-writes, and wsq_queue_work() if the serial was idle;
 * to run, two.
 *
 * Limitations: items that were called back stay in the list until the items in front
 * of them have run: it cannot be cut in the middle. What waits for an item therefore
 * waits for those in front of it as well. A serial runs on one CPU at a time however
 * many items it has.
 *
 * Symbols are exported GPL-only in namespace WSQ.
 */
#ifndef _LINUX_WSQ_SERIAL_H
#define _LINUX_WSQ_SERIAL_H

#include <linux/wsq.h>

struct wsq_serial_work;

/**
 * typedef wsq_serial_func_t - what an item of a serial does
 * @work: the item; the function may free it or queue it again, on any serial
 *
 * Context: task, on a worker of the module; may sleep, and then all of its serial
 * waits. Must not free its serial.
 */
typedef void (*wsq_serial_func_t)(struct wsq_serial_work *work);

/**
 * struct wsq_serial_work - an item of a serial, to be embedded in the caller's struct
 * @link: the one pushed before it
 * @state: whether it is in a list, whether it will run, and how many wait until it
 *	does neither
 * @func: what to run
 *
 * All members are private to wsq. The item must stay where it is from
 * wsq_serial_queue() until its function is called, or, if it was called back, until
 * wsq_serial_cancel_sync() or a wsq_serial_flush() that begins later returns.
 */
struct wsq_serial_work {
	atomic64_t link;
	atomic_t state;
	wsq_serial_func_t func;
};

/**
 * struct wsq_serial - runs its items one at a time, in the order they were queued
 * @queue: a struct wsq_owner_queue (kmod/core/owner_queue.h)
 * @q: the queue whose workers run it
 * @work: is queued on @q while the serial has an owner that is not at work. The
 *	owner.
 * @cur: the item that runs. The owner; anybody reads.
 * @dying: only its own items may queue
 * @pause: an enum wsq_serial_pause, of the item that has run last. The owner.
 *
 * All members are private to wsq. The serial must stay where it is while something
 * is queued to it; see wsq_serial_idle() and wsq_serial_destroy().
 */
struct wsq_serial {
	u64 queue[4];
	struct wsq *q;
	struct wsq_work work;
	struct wsq_serial_work *cur;
	bool dying;
	u8 pause;
};

/* Items that a worker runs of one serial before it looks at what else there is. */
#define WSQ_SERIAL_BUDGET	64

void wsq_serial_run(struct wsq_work *work);
void __wsq_serial_init(struct wsq_serial *serial, struct wsq *q);

/**
 * wsq_serial_init() - make a serial ready to be queued to
 * @serial: the serial
 * @queue: the queue whose workers run it; must be there as long
 *
 * All serials made by one call of this are of one lockdep class. Costs nothing that
 * would have to be given back: a serial that is idle may just be freed.
 */
#define wsq_serial_init(serial, queue)					\
	do {								\
		static struct lock_class_key __key;			\
		struct wsq_serial *__s = (serial);			\
									\
		___wsq_init_work(&__s->work, wsq_serial_run, false);	\
		__wsq_work_lockdep_init(&__s->work,			\
					"(wsq_serial)" #serial, &__key);\
		__wsq_serial_init(__s, queue);				\
	} while (0)

/**
 * wsq_serial_work_init() - make an item ready to be queued to a serial
 * @work: the item; neither queued nor in use
 * @func: its function
 */
static inline void wsq_serial_work_init(struct wsq_serial_work *work,
					wsq_serial_func_t func)
{
	atomic64_set(&work->link, 0);
	atomic_set(&work->state, 0);
	work->func = func;
}

bool wsq_serial_queue_on(int cpu, struct wsq_serial *serial,
			 struct wsq_serial_work *work);
bool wsq_serial_queue_near(int cpu, struct wsq_serial *serial,
			   struct wsq_serial_work *work);
bool wsq_serial_queue_node(int node, struct wsq_serial *serial,
			   struct wsq_serial_work *work);
bool wsq_serial_cancel(struct wsq_serial_work *work);
bool wsq_serial_cancel_sync(struct wsq_serial *serial,
			    struct wsq_serial_work *work);
void wsq_serial_flush(struct wsq_serial *serial);
bool wsq_serial_idle(const struct wsq_serial *serial);
void wsq_serial_destroy(struct wsq_serial *serial);

/**
 * wsq_serial_queue() - have an item run behind all others of a serial
 * @serial: the serial
 * @work: the item
 *
 * Context: as wsq_serial_queue_on().
 * Return: as wsq_serial_queue_on().
 * Ordering: as wsq_serial_queue_on().
 */
static inline bool wsq_serial_queue(struct wsq_serial *serial,
				    struct wsq_serial_work *work)
{
	return wsq_serial_queue_on(WSQ_CPU_ANY, serial, work);
}

#endif /* _LINUX_WSQ_SERIAL_H */
