// SPDX-License-Identifier: GPL-2.0
/*
 * The queues that all rings share: a workqueue, which frees rings, ends pollers
 * and creates queues, and the closing queue, where the items of dead rings end
 * (close.c).
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "../exec/tenant.h"
#include "queues.h"
#include "ring.h"

/* For what may sleep: the end of rings and pollers, the creation of queues. */
static struct workqueue_struct *wsq_ring_wq;

/*
 * The closing queue, where items of dead rings end. Created with the first
 * ring, under the lock; constant from then on.
 */
static DEFINE_MUTEX(wsq_closing_lock);
static struct wsq __rcu *wsq_closing;

/**
 * struct wsq_rings_creation - a queue that is being created
 * @work: creates it
 * @attrs: its attributes
 * @name: its name
 * @q: the queue or ERR_PTR(), when @work has ended
 */
struct wsq_rings_creation {
	struct work_struct work;
	const struct wsq_attrs *attrs;
	const char *name;
	struct wsq *q;
};

static void wsq_rings_create_fn(struct work_struct *work)
{
	struct wsq_rings_creation *c = container_of(work, struct wsq_rings_creation,
						    work);

	c->q = wsq_tenant_create(c->attrs, c->name);
}

/**
 * wsq_rings_create() - create a queue on behalf of a process
 * @attrs: as for wsq_tenant_create()
 * @name: its name
 *
 * A kernel thread creates it. The creation sleeps while it holds mutexes that
 * other users of the module and CPU hotplug wait for, and the process may be
 * kept off its CPU for long, by its priority or a limit of its cgroup.
 *
 * Context: task; may sleep.
 * Return: as wsq_create().
 */
struct wsq *wsq_rings_create(const struct wsq_attrs *attrs, const char *name)
{
	struct wsq_rings_creation c = { .attrs = attrs, .name = name };

	INIT_WORK_ONSTACK(&c.work, wsq_rings_create_fn);
	wsq_rings_queue(&c.work);
	flush_work(&c.work);
	destroy_work_on_stack(&c.work);
	return c.q;
}

/**
 * wsq_closing_make() - create the closing queue, unless it exists
 *
 * Takes the lock only if it does not exist: a thread that is preempted while
 * it holds the lock would delay every other user's SETUP.
 *
 * Context: task; may sleep.
 * Return: 0 or as wsq_create().
 */
int wsq_closing_make(void)
{
	int ret = 0;

	if (wsq_closing_queue())
		return 0;
	mutex_lock(&wsq_closing_lock);
	if (!wsq_closing_queue()) {
		struct wsq *q = wsq_rings_create(NULL, "ring-closing");

		if (IS_ERR(q))
			ret = PTR_ERR(q);
		else
			rcu_assign_pointer(wsq_closing, q);
	}
	mutex_unlock(&wsq_closing_lock);
	return ret;
}

/**
 * wsq_closing_queue() - the closing queue
 *
 * Context: any.
 * Return: the queue, which exists until the module is unloaded. %NULL only if
 * there has been no ring.
 */
struct wsq *wsq_closing_queue(void)
{
	return rcu_dereference_raw(wsq_closing);
}

/**
 * wsq_closing_exit() - destroy the closing queue
 *
 * Context: module unload; may sleep. No ring is left.
 */
void wsq_closing_exit(void)
{
	wsq_destroy(wsq_closing_queue());
	RCU_INIT_POINTER(wsq_closing, NULL);
}

/**
 * wsq_ring_requeue() - queue an item of an accepted request
 * @ring: the ring, which exists until the item has run
 * @work: the item, owned by the caller; may be freed on return
 *
 * Context: task; does not sleep.
 * Ordering: as wsq_queue_work().
 */
void wsq_ring_requeue(struct wsq_ring *ring, struct wsq_work *work)
{
	struct wsq *q = ring->queue;

	rcu_read_lock();
	if (unlikely(READ_ONCE(ring->dead)))		/* CL(put:A) */
		q = wsq_closing_queue();
	/* Not pending; the put fails only while a canceller looks. */
	while (!wsq_queue_work(q, work))
		cpu_relax();
	rcu_read_unlock();
}

/**
 * wsq_rings_queue() - queue work to the workqueue of rings
 * @work: the work; it has ended before the module is unloaded
 *
 * Context: task.
 */
void wsq_rings_queue(struct work_struct *work)
{
	queue_work(wsq_ring_wq, work);
}

/**
 * wsq_rings_queue_rcu() - queue work after an RCU grace period
 * @work: the work; the module waits for it only if it has a reference on a ring
 *
 * Context: task.
 */
void wsq_rings_queue_rcu(struct rcu_work *work)
{
	queue_rcu_work(wsq_ring_wq, work);		/* CL(wait:A) */
}

/**
 * wsq_rings_wq_init() - create the workqueue
 *
 * Context: module load.
 * Return: 0 or %-ENOMEM.
 */
int wsq_rings_wq_init(void)
{
	wsq_ring_wq = alloc_workqueue("wsq_ring", WQ_UNBOUND, 0);
	return wsq_ring_wq ? 0 : -ENOMEM;
}

/**
 * wsq_rings_wq_exit() - destroy the workqueue, and wait for its work items
 *
 * Context: module unload; may sleep. No ring is left.
 */
void wsq_rings_wq_exit(void)
{
	destroy_workqueue(wsq_ring_wq);
}
