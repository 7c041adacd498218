// SPDX-License-Identifier: GPL-2.0
/*
 * Calls and futures: values, errors and cancelling, on the lists and counts of
 * core/future.h; and the items that run calls.
 *
 * For: users of include/linux/wsq_call.h, which states the cost.
 *
 * A call is in one of these states:
 *
 *	new		wsq_call_after() adds it to futures
 *	waiting		sent; some futures are missing
 *	started		its item is queued. The context that lowered the count
 *			to 0 queues it
 *	running		its item runs: FU(begin:A) decided between the function
 *			and a cancel
 *	ended		its future is resolved
 *
 * A failed or cancelled call goes through all of them, without its function:
 * until it has started, other futures have it in their lists, and a context
 * that saw its future resolved could free it. For the same reason cancelling
 * only leaves a mark.
 *
 * No recursion: a call that starts is an item, whatever becomes of it, so that
 * resolving a future resolves no other one. The exception is a call whose queue
 * or serial refuses it because it is being destroyed. Such calls are listed, and
 * resolved one after the other, by the context that meets them.
 *
 * Memory: wsq_future_settle() does not touch the future after FU(close:A), nor a
 * dependency or its call after FU(arrive:A), unless it starts the call; nor the
 * call after it queued the call's item. The item touches the call no more after
 * the call's own future is resolved, or its function has returned
 * %WSQ_CALL_TAKEN; nor do exec and serial touch an item after they called its
 * function. litmus/future-last.litmus
 *
 * Order: @value and @error of a future are written before FU(close:A), and
 * @failed of a call before FU(arrive:A) or FU(send:A). All pairs are in
 * core/future.h.
 */
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/wsq_call.h>

#include "../compat/export.h"
#include "../core/future.h"
#include "../core/inbox.h"
#include "../exec/leak.h"
#include "../exec/put.h"
#include "../serial/serial.h"

/* Links that one call of wsq_backlog_reverse() puts in order. */
#define WSQ_CALL_LINKS		64

/* Calls that wsq_future_destroy() names. */
#define WSQ_CALL_NAMES		8

/**
 * struct wsq_future_waiter - a thread that waits for a future
 * @dep: in the future's list; has no call
 * @done: completed when the future is resolved
 * @irq: completes @done, for an NMI
 * @by_irq: @irq is used
 * @error: the future's. When @done is completed, the future may be freed
 */
struct wsq_future_waiter {
	struct wsq_call_dep dep;
	struct completion done;
	struct irq_work irq;
	bool by_irq;
	int error;
};

/* Futures. */

#ifdef CONFIG_LOCKDEP
static void wsq_future_lockdep_init(struct wsq_future *future)
{
	future->lockdep_map = (struct lockdep_map){};
}

/* @work: it runs the call. */
static void wsq_future_lockdep_sent(struct wsq_future *future,
				    struct wsq_work *work)
{
	lockdep_copy_map(&future->lockdep_map, &work->lockdep_map);
}

static void wsq_future_lockdep_wait(struct wsq_future *future)
{
	struct lockdep_map map;

	if (!future->lockdep_map.key)
		return;
	/* @future may be freed while this thread waits. */
	lockdep_copy_map(&map, &future->lockdep_map);
	lock_map_acquire(&map);
	lock_map_release(&map);
}
#else
static void wsq_future_lockdep_init(struct wsq_future *future)
{
}

static void wsq_future_lockdep_sent(struct wsq_future *future,
				    struct wsq_work *work)
{
}

static void wsq_future_lockdep_wait(struct wsq_future *future)
{
}
#endif

void wsq_future_init(struct wsq_future *future)
{
	wsq_fu_init(&future->word, false);
	future->value = 0;
	future->error = 0;
	wsq_future_lockdep_init(future);
}
WSQ_EXPORT(wsq_future_init);

static void wsq_future_waiter_irq(struct irq_work *irq)
{
	struct wsq_future_waiter *w = container_of(irq, struct wsq_future_waiter,
						   irq);

	complete(&w->done);
}

/* Wake a thread, whose stack then unwinds. */
static void wsq_future_wake(struct wsq_future_waiter *w, int error)
{
	w->error = error;
	/* complete() takes a lock, which an NMI may have interrupted. */
	w->by_irq = in_nmi();
	if (unlikely(w->by_irq))
		irq_work_queue(&w->irq);
	else
		complete(&w->done);
}

/* Note that a future failed. The first error counts. */
static void wsq_call_note(struct wsq_call *call, int error)
{
	/* Relaxed: FU(arrive:A) or FU(send:A) of this context follows. */
	atomic_cmpxchg_relaxed(&call->failed, 0, error);
}

/* Queue the item of a call. False if it is refused. */
static bool wsq_call_queue(struct wsq_call *call)
{
	struct wsq *q;
	bool ok;

	if (unlikely(call->flags & WSQ_CALL_F_REFUSED))
		return false;
	if (call->flags & WSQ_CALL_F_SERIAL)
		return wsq_serial_put_owed(call->serial, &call->serial_work);
	q = call->q;
	preempt_disable();
	/* A queue that is drained takes it: it was accepted before. */
	ok = likely(!wsq_dying(q));
	if (ok)
		wsq_put_owed(q, &call->work, WSQ_ON_CPU, WSQ_CPU_ANY);
	preempt_enable();
	return ok;
}

/* Start a call: none of its futures is missing. If refused, it is listed. */
static void wsq_call_start(struct wsq_call *call, struct wsq_call **refused)
{
	if (likely(wsq_call_queue(call)))
		return;
	WARN_ONCE(!(call->flags & WSQ_CALL_F_REFUSED),
		  "wsq: a call of %ps starts on a queue or serial that was destroyed\n",
		  call->func);
	if (wsq_fu_begin(&call->count))
		wsq_call_note(call, -ESHUTDOWN);
	else
		atomic_set(&call->failed, -ECANCELED);
	call->next = *refused;
	*refused = call;
}

/* Resolve a claimed future whose value and error are written. */
static void wsq_future_close(struct wsq_future *future,
			     struct wsq_call **refused)
{
	int error = future->error;
	struct wsq_backlog bl;
	atomic64_t *link;

	wsq_backlog_init(&bl);
	wsq_backlog_fill(&bl, wsq_fu_close(&future->word));
	/* @future may be freed from here on. */
	while (!wsq_backlog_reverse(&bl, WSQ_CALL_LINKS))
		;
	while ((link = wsq_backlog_pop(&bl))) {
		struct wsq_call_dep *dep = container_of(link, struct wsq_call_dep,
							link);
		struct wsq_call *call = dep->call;

		if (unlikely(!call)) {
			wsq_future_wake(container_of(dep, struct wsq_future_waiter,
						     dep), error);
			continue;
		}
		if (unlikely(error))
			wsq_call_note(call, error);
		/* If false, @call and @dep may be freed. */
		if (wsq_fu_arrive(&call->count))
			wsq_call_start(call, refused);
	}
}

/* Resolve a future, and then those of calls that are refused for that. */
static void wsq_future_settle(struct wsq_future *future, unsigned long value,
			      int error)
{
	struct wsq_call *refused = NULL, *call;

	for (;;) {
		future->value = error ? 0 : value;
		future->error = error;
		wsq_future_close(future, &refused);
		if (likely(!refused))
			return;
		call = refused;
		refused = call->next;
		future = &call->future;
		error = atomic_read(&call->failed);
	}
}

/* Own the right to resolve a future that is no call's. */
static bool wsq_future_claim(struct wsq_future *future)
{
	if (WARN_ONCE(wsq_fu_call(&future->word),
		      "wsq: the future of a call is resolved by another context\n"))
		return false;
	return wsq_fu_claim(&future->word);
}

bool wsq_future_resolve(struct wsq_future *future, unsigned long value)
{
	if (!wsq_future_claim(future))
		return false;
	wsq_future_settle(future, value, 0);
	return true;
}
WSQ_EXPORT(wsq_future_resolve);

bool wsq_future_fail(struct wsq_future *future, int error)
{
	if (WARN_ON_ONCE(error >= 0))
		error = -EINVAL;
	if (!wsq_future_claim(future))
		return false;
	wsq_future_settle(future, 0, error);
	return true;
}
WSQ_EXPORT(wsq_future_fail);

bool wsq_future_cancel(struct wsq_future *future)
{
	if (wsq_fu_call(&future->word))
		return wsq_call_cancel(container_of(future, struct wsq_call,
						    future));
	if (!wsq_fu_claim(&future->word))
		return false;
	wsq_future_settle(future, 0, -ECANCELED);
	return true;
}
WSQ_EXPORT(wsq_future_cancel);

bool wsq_future_resolved(const struct wsq_future *future)
{
	return wsq_fu_resolved(&future->word);
}
WSQ_EXPORT(wsq_future_resolved);

int wsq_future_error(const struct wsq_future *future)
{
	return wsq_fu_resolved(&future->word) ? future->error : -EINPROGRESS;
}
WSQ_EXPORT(wsq_future_error);

unsigned long wsq_future_value(const struct wsq_future *future)
{
	return wsq_fu_resolved(&future->word) ? future->value : 0;
}
WSQ_EXPORT(wsq_future_value);

/* Wait for a future by @dep. False if it is resolved. */
static bool wsq_future_add(struct wsq_future *future, struct wsq_call_dep *dep,
			   struct wsq_call *call)
{
	int ret;

	dep->call = call;
	while ((ret = wsq_fu_try_add(&future->word, &dep->link)) == WSQ_CONFLICT)
		cpu_relax();
	return ret == WSQ_OK;
}

/* Does a future belong to a call that has not been sent? Then say so. */
static bool wsq_future_unsent(const struct wsq_future *future)
{
	return WARN_ONCE(wsq_fu_unsent(&future->word),
			 "wsq: the future of a call is waited for before the call is sent\n");
}

int wsq_future_wait(struct wsq_future *future)
{
	struct wsq_future_waiter w;

	might_sleep();
	if (WARN_ONCE(wsq_worker_current(),
		      "wsq: an item waits for a future; send a call instead\n"))
		return -EDEADLK;
	if (wsq_future_unsent(future))
		return -EINVAL;
	wsq_future_lockdep_wait(future);
	init_completion(&w.done);
	w.irq = IRQ_WORK_INIT_HARD(wsq_future_waiter_irq);
	if (wsq_future_add(future, &w.dep, NULL)) {
		wait_for_completion(&w.done);
		/*
		 * After complete() there, @w is still used. Not in vain: some
		 * machines wait for a grace period.
		 */
		if (unlikely(w.by_irq))
			irq_work_sync(&w.irq);
		/* @future may be freed: by another waiter, or its owner. */
		return w.error;
	}
	return wsq_future_error(future);
}
WSQ_EXPORT(wsq_future_wait);

unsigned int wsq_future_destroy(struct wsq_future *future)
{
	unsigned int nr = 0;
	atomic64_t *link;

	if (wsq_fu_resolved(&future->word) || !wsq_future_claim(future))
		return 0;
	link = wsq_fu_waiting(&future->word);
	for (; link; link = wsq_link_next(link)) {
		struct wsq_call_dep *dep = container_of(link, struct wsq_call_dep,
							link);

		if (nr++ >= WSQ_CALL_NAMES)
			continue;
		if (dep->call)
			pr_err("wsq: a future is destroyed, and a call of %ps waits for it\n",
			       dep->call->func);
		else
			pr_err("wsq: a future is destroyed, and a thread waits for it\n");
	}
	wsq_future_settle(future, 0, -ESHUTDOWN);
	return nr;
}
WSQ_EXPORT(wsq_future_destroy);

/* Calls. */

void ___wsq_call_init(struct wsq_call *call, wsq_call_func_t func,
		      unsigned int flags)
{
	wsq_fu_init(&call->future.word, true);
	call->future.value = 0;
	call->future.error = 0;
	wsq_future_lockdep_init(&call->future);
	wsq_fu_count_init(&call->count);
	call->func = func;
	call->q = NULL;
	atomic_set(&call->failed, 0);
	call->given = 0;
	call->flags = flags;
}
WSQ_EXPORT(___wsq_call_init);

int wsq_call_after(struct wsq_call *call, struct wsq_call_dep *dep,
		   struct wsq_future *future)
{
	if (WARN_ONCE(call->flags & WSQ_CALL_F_SENT,
		      "wsq: a call of %ps is given a future after it was sent\n",
		      call->func))
		return -EBUSY;
	if (wsq_future_unsent(future))
		return -EINVAL;
	if (wsq_future_add(future, dep, call))
		call->given++;
	else if (unlikely(future->error))
		wsq_call_note(call, future->error);
	return 0;
}
WSQ_EXPORT(wsq_call_after);

void wsq_call_end(struct wsq_call *call, unsigned long value, int error)
{
	/* A call that waits would take 1 for %WSQ_CALL_TAKEN. */
	if (WARN_ON_ONCE(error > 0))
		error = -EINVAL;
	wsq_future_settle(&call->future, value, error);
}
WSQ_EXPORT(wsq_call_end);

/* Its item runs. */
static void wsq_call_run(struct wsq_call *call)
{
	void *func = call->func;
	int locks, ret;

	if (unlikely(!wsq_fu_begin(&call->count)))
		atomic_set(&call->failed, -ECANCELED);
	ret = atomic_read(&call->failed);
	if (likely(!ret) || call->flags & WSQ_CALL_F_FINAL) {
		locks = wsq_leak_begin();
		ret = call->func(call);
		wsq_leak_end(func, locks);
	}
	/* If taken, @call may be freed. */
	if (ret != WSQ_CALL_TAKEN)
		wsq_future_settle(&call->future, call->future.value,
				  WARN_ON_ONCE(ret > 0) ? -EINVAL : ret);
}

void wsq_call_run_work(struct wsq_work *work)
{
	wsq_call_run(container_of(work, struct wsq_call, work));
}
WSQ_EXPORT(wsq_call_run_work);

static void wsq_call_run_serial(struct wsq_serial_work *work)
{
	wsq_call_run(container_of(work, struct wsq_call, serial_work));
}

/* Send a call. It may be gone on return. */
static struct wsq_future *wsq_call_commit(struct wsq_call *call, bool admitted,
					  unsigned int flags)
{
	struct wsq_future *future = &call->future;
	struct wsq_call *refused = NULL;
	u32 given = call->given;

	if (WARN_ONCE(!admitted,
		      "wsq: a call of %ps is sent to a queue or serial that is being drained or destroyed\n",
		      call->func))
		flags |= WSQ_CALL_F_REFUSED;
	call->flags |= WSQ_CALL_F_SENT | flags;
	wsq_fu_publish(&future->word);
	if (!wsq_fu_send(&call->count, given))
		return future;
	wsq_call_start(call, &refused);
	if (unlikely(refused))
		wsq_future_settle(future, 0, atomic_read(&call->failed));
	return future;
}

/* Was a call sent before? */
static bool wsq_call_sent(const struct wsq_call *call)
{
	return WARN_ONCE(call->flags & WSQ_CALL_F_SENT,
			 "wsq: a call of %ps is sent twice\n", call->func);
}

struct wsq_future *wsq_call_send(struct wsq_call *call, struct wsq *q)
{
	bool admitted;

	if (wsq_call_sent(call))
		return &call->future;
	preempt_disable();
	admitted = wsq_admits(q);
	preempt_enable();
	call->q = q;
	wsq_future_lockdep_sent(&call->future, &call->work);
	return wsq_call_commit(call, admitted, 0);
}
WSQ_EXPORT(wsq_call_send);

struct wsq_future *wsq_call_send_serial(struct wsq_call *call,
					struct wsq_serial *serial)
{
	bool admitted;

	if (wsq_call_sent(call))
		return &call->future;
	preempt_disable();
	admitted = wsq_serial_admits(serial);
	preempt_enable();
	call->serial = serial;
	wsq_future_lockdep_sent(&call->future, &serial->work);
	wsq_serial_work_init(&call->serial_work, wsq_call_run_serial);
	return wsq_call_commit(call, admitted, WSQ_CALL_F_SERIAL);
}
WSQ_EXPORT(wsq_call_send_serial);

bool wsq_call_cancel(struct wsq_call *call)
{
	return wsq_fu_cancel(&call->count);
}
WSQ_EXPORT(wsq_call_cancel);

int wsq_call_destroy(struct wsq_call *call)
{
	u32 missing = wsq_fu_missing(&call->count, call->given);

	if (missing ||
	    (call->flags & WSQ_CALL_F_SENT && !wsq_fu_resolved(&call->future.word))) {
		pr_err("wsq: a call of %ps is destroyed, and %s; %u futures are missing\n",
		       call->func,
		       call->flags & WSQ_CALL_F_SENT ? "has not ended" : "was not sent",
		       missing);
		return -EBUSY;
	}
	if (object_is_on_stack(call))
		wsq_destroy_work_on_stack(&call->work);
	return 0;
}
WSQ_EXPORT(wsq_call_destroy);
