// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that have begun and left their worker.
 *
 * A task of an op with state (linux/wsq_op.h) leaves its worker when its time
 * slice is used up and another queue waits on that CPU, or when the op says so.
 * Its state is then saved in a struct wsq_op_cont, and its request is queued
 * again, behind the user's other requests. A task keeps the struct until it
 * ends.
 *
 * There are few of these structs. Built-in ops and ops of other modules have
 * their own, because their tasks differ in what they may wait for:
 *
 * - A task of a built-in op computes, and ends without any other task. The
 *   tasks of a backlog must not all begin, one after the other, and leave. When
 *   one more than there are CPUs have left, a further long one that reaches a
 *   worker does not begin, but waits in a list. Each task that ends passes its
 *   struct on to the first task in that list, and queues it. So long tasks end
 *   in about the order in which they were submitted, and short tasks do not
 *   wait for them. Running tasks do not count until they leave. There are
 *   structs for as many of them as there are CPUs, since they do not sleep.
 *   Whether a task with a list of ranges is long is decided by reading the
 *   list. A process that makes the list longer afterwards can have more tasks
 *   leave than that; a task that finds no struct keeps its worker.
 *
 * - A task of a built-in op that allocates (ops_algo.c) may sleep for as long
 *   as the memory cgroup of its ring lets it. Another worker then begins the
 *   next such task: there could be a thread for each task of a user. So it
 *   counts as long, however short it is, and as one that has left, from when it
 *   begins.
 *
 * - A task of another module's op may wait for any other task of the user: it
 *   sleeps until the other one has run, or leaves and looks again. So each of
 *   them begins when a worker reaches it, and no task of any op waits because
 *   such tasks have left. As many can leave at a time as there are CPUs. A
 *   further one is called again without being asked to leave, as if its op had
 *   no state, until it ends or there is a struct for it. If its op returns
 *   %WSQ_OP_AGAIN all the same, its worker sleeps for a tick before each
 *   further call, so that a standby worker runs other tasks of the CPU.
 *
 * Cost: nothing for a task that does not leave, except one load of @held for a
 * long one of a built-in op. To leave: a spinlock of the user, and a copy of at
 * most 700 bytes. A task of an op that allocates takes the lock twice.
 * Limitations: while as many tasks of other modules' ops have left as there are
 * CPUs, other users can wait for a further one to end.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../compat/export.h"
#include "cont.h"
#include "keys.h"
#include "mem.h"
#include "ops.h"
#include "queues.h"
#include "ring.h"
#include "state.h"
#include "user.h"

static unsigned int wsq_conts_nr(void)
{
	return 3 * num_possible_cpus() + 1;
}

/**
 * wsq_conts_bytes() - memory of a user's structs, an upper bound
 *
 * Context: any.
 * Return: bytes.
 */
u64 wsq_conts_bytes(void)
{
	return roundup_pow_of_two(wsq_conts_nr() * sizeof(struct wsq_op_cont));
}

/**
 * wsq_conts_init() - initialise, without structs
 * @conts: zeroed
 *
 * Context: any.
 */
void wsq_conts_init(struct wsq_conts *conts)
{
	spin_lock_init(&conts->lock);
	INIT_LIST_HEAD(&conts->free);
	INIT_LIST_HEAD(&conts->free_registered);
	INIT_LIST_HEAD(&conts->waiting);
}
WSQ_EXPORT_KUNIT(wsq_conts_init);

/**
 * wsq_conts_make() - allocate the structs, unless they exist
 * @conts: of wsq_conts_init(); one caller at a time
 *
 * Context: task; may sleep.
 * Return: 0 or %-ENOMEM.
 */
int wsq_conts_make(struct wsq_conts *conts)
{
	unsigned int nr = wsq_conts_nr(), cpus = num_possible_cpus(), i;

	if (conts->all)
		return 0;
	conts->all = kvcalloc(nr, sizeof(*conts->all), WSQ_GFP);
	if (!conts->all)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		list_add_tail(&conts->all[i].free, i < cpus ?
			      &conts->free_registered : &conts->free);
	conts->limit = cpus + 1;
	return 0;
}
WSQ_EXPORT_KUNIT(wsq_conts_make);

/**
 * wsq_conts_exit() - free the structs
 * @conts: of wsq_conts_init(); no task has one
 *
 * Context: task; may sleep.
 */
void wsq_conts_exit(struct wsq_conts *conts)
{
	WARN_ON_ONCE(conts->held || !list_empty(&conts->waiting));
	kvfree(conts->all);
	conts->all = NULL;
}
WSQ_EXPORT_KUNIT(wsq_conts_exit);

/**
 * wsq_cont_get() - get memory for a task that is about to leave its worker, or
 * begins with an op that allocates
 * @conts: those of its user
 * @op: the number of its op
 *
 * Context: task.
 * Return: the memory; %NULL if there is none.
 */
struct wsq_op_cont *wsq_cont_get(struct wsq_conts *conts, unsigned int op)
{
	const bool builtin = op < WSQ_OP_NR;
	struct wsq_op_cont *c;

	spin_lock(&conts->lock);
	c = list_first_entry_or_null(builtin ? &conts->free :
				     &conts->free_registered,
				     struct wsq_op_cont, free);
	if (c) {
		list_del(&c->free);
		if (builtin)
			WRITE_ONCE(conts->held, conts->held + 1);
	}
	spin_unlock(&conts->lock);
	return c;
}
WSQ_EXPORT_KUNIT(wsq_cont_get);

/**
 * wsq_cont_launch() - queue a request that waited in the list
 * @req: the request
 *
 * Context: task; does not sleep.
 */
void wsq_cont_launch(struct wsq_req *req)
{
	if (req->key)
		wsq_key_resume(req);
	else
		wsq_ring_requeue(req->ring, &req->work);
}

/**
 * wsq_cont_put() - pass on or free the memory of a request that ends
 * @req: the request
 *
 * Context: task; does not sleep.
 */
void wsq_cont_put(struct wsq_req *req)
{
	struct wsq_conts *conts = &req->ring->user->conts;
	struct wsq_req *next = NULL;

	/* [CL] One RCU section, so the closer finds it in list or queue. */
	rcu_read_lock();
	spin_lock(&conts->lock);
	if (req->sqe.op < WSQ_OP_NR)
		next = list_first_entry_or_null(&conts->waiting,
						struct wsq_req, held);
	if (next) {
		list_del(&next->held);
		next->waits = false;
		next->cont = req->cont;
	} else if (req->sqe.op >= WSQ_OP_NR) {
		list_add(&req->cont->free, &conts->free_registered);
	} else {
		list_add(&req->cont->free, &conts->free);
		WRITE_ONCE(conts->held, conts->held - 1);
	}
	spin_unlock(&conts->lock);
	req->cont = NULL;
	if (next)
		wsq_cont_launch(next);
	rcu_read_unlock();
}
WSQ_EXPORT_KUNIT(wsq_cont_put);

/**
 * wsq_cont_wait() - make a long request wait if too many have left their worker
 * @req: the request, of a built-in op, QUEUED or already CANCELLED; owned by
 *	the caller
 *
 * Context: task, a worker.
 * Return: true if it waits: then the caller no longer owns it.
 */
bool wsq_cont_wait(struct wsq_req *req)
{
	struct wsq_conts *conts = &req->ring->user->conts;
	bool waits;

	rcu_read_lock();
	spin_lock(&conts->lock);
	/*
	 * Check under the lock, which both callers of wsq_cont_forget() take: a
	 * canceller changes the state first, a closer waits for RCU readers
	 * first.
	 */
	waits = conts->held >= conts->limit && !READ_ONCE(req->ring->dead) &&
		wsq_req_state(req) == WSQ_REQ_QUEUED;
	if (waits) {
		if (req->key)
			wsq_key_hold(req);
		req->waits = true;
		list_add_tail(&req->held, &conts->waiting);
	}
	spin_unlock(&conts->lock);
	rcu_read_unlock();
	return waits;
}

/**
 * wsq_cont_forget() - remove a request from the list of waiting requests
 * @req: any request of a ring
 *
 * Context: task; @req is not reused for another submission during the call.
 * Return: true if it was in the list: then the caller owns it.
 */
bool wsq_cont_forget(struct wsq_req *req)
{
	struct wsq_conts *conts = &req->ring->user->conts;
	bool waits;

	spin_lock(&conts->lock);
	waits = req->waits;
	if (waits) {
		list_del(&req->held);
		req->waits = false;
	}
	spin_unlock(&conts->lock);
	return waits;
}
