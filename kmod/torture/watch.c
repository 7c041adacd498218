// SPDX-License-Identifier: GPL-2.0
/*
 * The watchdog: an item that stays pending, a thread that stays in one
 * operation. Both are told once, with their state.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/printk.h>

#include "torture.h"

/* An emulated guest on a busy host is slow; nothing is that slow. */
#define ITEM_STUCK		(20 * HZ)
#define THREAD_STUCK		(40 * HZ)

/**
 * torture_watch_items() - does each pending item get on?
 *
 * Context: task; one at a time.
 */
void torture_watch_items(void)
{
	unsigned int i;

	for (i = 0; i < torture_nr_items(); i++) {
		struct torture_item *it = torture_item(i);
		u32 now = atomic_read(&it->runs) + atomic_read(&it->cancelled);

		if (now != it->last || !wsq_work_pending(&it->dwork.work) ||
		    atomic_read(&it->in_func)) {
			it->last = now;
			it->since = jiffies;
			it->told = false;
		} else if (!it->told &&
			   time_after(jiffies, it->since + ITEM_STUCK)) {
			it->told = true;
			torture_item_err(it, "has been pending for 20 s");
		}
	}
}

/**
 * torture_watch_thread() - does a thread get on?
 * @t: the thread, which has not ended
 *
 * Context: task; one at a time.
 */
void torture_watch_thread(struct torture_thread *t)
{
	u64 now = READ_ONCE(t->actor.ops);

	if (now != t->seen) {
		t->seen = now;
		t->since = jiffies;
		t->told = false;
	} else if (!t->told && time_after(jiffies, t->since + THREAD_STUCK)) {
		t->told = true;
		torture_err("%s has been at \"%s\" for 40 s", t->task->comm,
			    READ_ONCE(t->doing));
	}
}
