/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls and futures: functions that run when the results of others are there.
 *
 * A future is a value that will be there later. A call is a function that runs
 * once all futures that it was given are resolved, on a serial (one at a time,
 * <linux/wsq_serial.h>) or on a queue. Sending a call returns the future of its
 * result, which further calls may be given. Nothing waits meanwhile: no thread,
 * and no worker. L. Quirk, "Ownership of a queue for practical lock-free
 * scheduling" (2008), sections 2, 3 and 5: a call on a serial is the paper's
 * unit operation, a call on a queue its free operation.
 *
 * Costs: 24 bytes for a future, 104 for a call, its future included (without
 * lockdep), 16 for each future that a call is given. A call costs two
 * read-modify-writes more than the item that runs it, and two for each future
 * that it waits for. No lock is taken and nothing is allocated: all of these are
 * embedded in the caller's structs.
 *
 * Limitations: a call does not begin before all its futures are resolved, even
 * if one of them has failed or the call was cancelled, because it cannot be
 * unlinked from the others. No wait has a timeout; cancel what it waits for
 * instead. The context that resolves a future starts all calls that wait for
 * it, in whatever context it is.
 *
 * Symbols are exported GPL-only in namespace WSQ.
 */
#ifndef _LINUX_WSQ_CALL_H
#define _LINUX_WSQ_CALL_H

#include <linux/lockdep.h>
#include <linux/sched/task_stack.h>
#include <linux/wsq.h>
#include <linux/wsq_serial.h>

struct wsq_call;

/**
 * struct wsq_future - a value that will be there later
 * @word: the calls and threads that wait for it, or that it is resolved
 *	(kmod/core/future.h). Any context.
 * @value: the value. Written by the context that resolves it, before that.
 * @error: 0 or a negative errno, instead of a value. As @value.
 * @lockdep_map: of a call's future: copy of the map of the item, or the serial,
 *	that runs the call. Its key must exist until the last wsq_future_wait().
 *	The sender.
 *
 * All members are private to wsq. The context that resolves a future does not
 * touch it after the moment at which it becomes resolved: what waited for it may
 * free it.
 */
struct wsq_future {
	atomic64_t word;
	unsigned long value;
	int error;
#ifdef CONFIG_LOCKDEP
	struct lockdep_map lockdep_map;
#endif
};

/**
 * struct wsq_call_dep - a future that a call waits for
 * @link: the link in the future's list
 * @call: the call
 *
 * All members are private to wsq. The caller must not move, free or reuse it
 * from wsq_call_after() until the call's function is called, or the call's
 * future is resolved.
 */
struct wsq_call_dep {
	atomic64_t link;
	struct wsq_call *call;
};

/*
 * Returned by a call's function: it has freed the call, or another context will
 * pass the call to wsq_call_end().
 */
#define WSQ_CALL_TAKEN		1

/**
 * typedef wsq_call_func_t - what a call does
 * @call: the call
 *
 * All futures that the call was given are resolved, and what their resolvers
 * did before is visible.
 *
 * Context: task, on a worker of the module; may sleep. Must not wait for a
 * future.
 * Return: 0: the call's future is resolved, by the value of
 * wsq_call_set_value(). A negative errno: it fails. %WSQ_CALL_TAKEN: the
 * function has freed the call, or another context calls wsq_call_end(), perhaps
 * before the function returns; the module does not touch the call any more.
 */
typedef int (*wsq_call_func_t)(struct wsq_call *call);

/**
 * struct wsq_call - a function that runs when its futures are resolved
 * @future: its result
 * @failed: errno of the first of its futures that failed, or its own
 * @count: how many futures are missing (kmod/core/future.h). Any context.
 * @func: the function
 * @q: where it runs
 * @serial: where it runs, if it is a call of a serial
 * @next: links calls that their queue or serial refused. Shares memory with @q
 *	and @serial, which a refused call no longer needs
 * @given: how many futures it waits for. The sender.
 * @flags: WSQ_CALL_F_*. The sender.
 * @work: queued when no future is missing
 * @serial_work: likewise, if it is a call of a serial
 *
 * All members are private to wsq. The caller must not move or free a call from
 * the first wsq_call_after(), or from wsq_call_send(), until its future is
 * resolved.
 */
struct wsq_call {
	struct wsq_future future;
	atomic64_t count;
	wsq_call_func_t func;
	union {
		struct wsq *q;
		struct wsq_serial *serial;
		struct wsq_call *next;
	};
	atomic_t failed;
	u32 given;
	unsigned int flags;
	union {
		struct wsq_work work;
		struct wsq_serial_work serial_work;
	};
};

/* In @flags. */
#define WSQ_CALL_F_FINAL	BIT(0)
#define WSQ_CALL_F_SENT		BIT(1)
#define WSQ_CALL_F_SERIAL	BIT(2)
#define WSQ_CALL_F_REFUSED	BIT(3)

/* Futures. */

/**
 * wsq_future_init() - initialize a future that other contexts resolve
 * @future: the future
 *
 * Nothing is allocated: a future that nothing waits for may simply be freed.
 */
void wsq_future_init(struct wsq_future *future);

/**
 * wsq_future_resolve() - the value is there
 * @future: the future, initialized by wsq_future_init(); a call's future is
 *	refused, with a warning
 * @value: the value
 *
 * Starts the calls that wait for this future alone, in the order in which they
 * were given it, and wakes threads. If several contexts resolve, fail or cancel
 * a future, the first one does it, and the others change nothing. Paper,
 * section 10.
 *
 * Context: as wsq_queue_work(): any, NMI included. Never sleeps, never fails
 * for lack of memory or space. Takes time for each call that waits. The future
 * is not touched after the exchange that resolves it.
 * Return: true if this call resolved @future.
 * Ordering: what precedes the call is visible to what waited for @future, and
 * to a context that finds it resolved.
 */
bool wsq_future_resolve(struct wsq_future *future, unsigned long value);

/**
 * wsq_future_fail() - there will be no value
 * @future: as for wsq_future_resolve()
 * @error: a negative errno
 *
 * As wsq_future_resolve(). The calls that wait for @future do not run, except
 * for final ones; their futures fail as well.
 *
 * Context: as wsq_future_resolve().
 * Return: true if this call resolved @future.
 * Ordering: as wsq_future_resolve().
 */
bool wsq_future_fail(struct wsq_future *future, int error);

/**
 * wsq_future_cancel() - the value is not wanted any more
 * @future: the future, of a call or not
 *
 * As wsq_future_fail() with %-ECANCELED. If it is the future of a call, as
 * wsq_call_cancel() of that call.
 *
 * Context: as wsq_future_resolve(). The call, if it is a call's future, must not
 * have been freed.
 * Return: true if this call resolved @future, or cancelled its call.
 * Ordering: as wsq_future_resolve().
 */
bool wsq_future_cancel(struct wsq_future *future);

/**
 * wsq_future_resolved() - is a future resolved
 * @future: the future
 *
 * Context: any.
 * Return: true if it has a value or has failed.
 * Ordering: if true, what preceded its resolving is visible.
 */
bool wsq_future_resolved(const struct wsq_future *future);

/**
 * wsq_future_error() - has a future failed
 * @future: the future
 *
 * Context: any.
 * Return: 0 if it has a value; a negative errno if it has failed; %-EINPROGRESS
 * if it is not resolved.
 * Ordering: as wsq_future_resolved(), unless %-EINPROGRESS.
 */
int wsq_future_error(const struct wsq_future *future);

/**
 * wsq_future_value() - the value of a future
 * @future: the future
 *
 * For functions of calls that were given @future, and contexts that have found
 * it resolved.
 *
 * Context: any.
 * Return: the value; 0 if it has failed or is not resolved.
 * Ordering: as wsq_future_resolved(), if it is resolved.
 */
unsigned long wsq_future_value(const struct wsq_future *future);

/**
 * wsq_future_wait() - wait until a future is resolved
 * @future: the future; that of a call must have been sent
 *
 * For threads that are not part of the graph of calls. An item that waits holds
 * its worker, and perhaps its serial, which the call it waits for may need
 * (Theorem 1). Send another call instead.
 *
 * Context: task; may sleep. Not from an item of any queue. If @future is a call's,
 * not with a lock held that the call's function takes, or, for a call on a serial,
 * that any item of the serial takes. Lockdep reports both. A lock that only an
 * earlier call of the graph takes is not detected.
 * Return: as wsq_future_error(). %-EDEADLK, with a warning, from an item;
 * %-EINVAL, with a warning, if the call has not been sent.
 * Ordering: as wsq_future_resolved(). On return @future may be freed.
 */
int wsq_future_wait(struct wsq_future *future);

/**
 * wsq_future_destroy() - end of a future; report what waits for it
 * @future: the future, initialized by wsq_future_init(). No other context uses
 *	it any more
 *
 * If calls or threads wait for @future, nothing could ever start them: the
 * kernel log names the functions of the calls, and @future fails with
 * %-ESHUTDOWN. On return it may be freed, also if threads wait. Not needed for
 * a future that is resolved.
 *
 * Context: as wsq_future_resolve(), except for NMI.
 * Return: how many calls and threads waited.
 */
unsigned int wsq_future_destroy(struct wsq_future *future);

/* Calls. */

/**
 * wsq_call_run_work() - run a call that is an item of a queue
 * @work: its work item
 *
 * Context: task; the function of @work.
 */
void wsq_call_run_work(struct wsq_work *work);

/**
 * ___wsq_call_init() - wsq_call_init(), except for the work item
 * @call: the call
 * @func: its function
 * @flags: 0 or %WSQ_CALL_F_FINAL
 *
 * Context: any.
 */
void ___wsq_call_init(struct wsq_call *call, wsq_call_func_t func,
		      unsigned int flags);

#define __wsq_call_init(c, f, flags)					\
	do {								\
		static struct lock_class_key __key;			\
		struct wsq_call *__c = (c);				\
									\
		___wsq_init_work(&__c->work, wsq_call_run_work,		\
				 object_is_on_stack(__c));		\
		__wsq_work_lockdep_init(&__c->work, "(wsq_call)" #c,	\
					&__key);			\
		___wsq_call_init(__c, (f), (flags));			\
	} while (0)

/**
 * wsq_call_init() - initialize a call
 * @call: the call; neither sent nor in use
 * @func: its function, a wsq_call_func_t. It is not called if one of the futures
 *	that the call is given fails, or if the call is cancelled: the call's own
 *	future then fails with that error, or with %-ECANCELED
 *
 * A call on the stack needs wsq_call_destroy() before it goes out of scope.
 */
#define wsq_call_init(call, func)					\
	__wsq_call_init(call, func, 0)

/**
 * wsq_call_init_final() - initialize a call that runs even after a failure
 * @call: the call; neither sent nor in use
 * @func: its function, a wsq_call_func_t. It is called even if one of the
 *	futures fails or the call is cancelled: see wsq_call_error()
 *
 * For calls that free what others used. If the queue or serial refuses the
 * call, its function is not called: see wsq_call_send().
 */
#define wsq_call_init_final(call, func)					\
	__wsq_call_init(call, func, WSQ_CALL_F_FINAL)

/**
 * wsq_call_after() - a call waits for a future
 * @call: the call, not sent yet
 * @dep: the caller's memory for this, in no use
 * @future: the future; it must not be freed before it is resolved. If it is a
 *	call's, that call must have been sent
 *
 * So each call waits only for calls that were sent before it, and a graph of
 * calls has no cycle (paper, Theorem 1). The theorem does not cover futures of
 * wsq_future_init(), which any context may resolve, and those that fail to be
 * resolved.
 *
 * Context: as wsq_queue_work(): any, NMI included; one at a time for @call.
 * Return: 0, also if @future is resolved already. %-EBUSY, with a warning, if
 * @call was sent; %-EINVAL, with a warning, if @future belongs to a call that
 * was not sent. After an error nothing has changed.
 */
int wsq_call_after(struct wsq_call *call, struct wsq_call_dep *dep,
		   struct wsq_future *future);

/**
 * wsq_call_send() - run a call on a queue when its futures are resolved
 * @call: the call; not sent since its wsq_call_init()
 * @q: the queue. Must not be destroyed before the call's future is resolved
 *
 * A free operation (paper, section 2): it may run at the same time as any other
 * one. It runs on the CPU that resolved the last future, or this one if none is
 * missing, or on one that becomes idle earlier. The call, and its future, may be
 * gone when this returns, if its function or what waits for it frees them.
 *
 * Context: as wsq_queue_work(): any, NMI included. Never sleeps, never fails
 * for lack of memory or space.
 * Return: the call's future. It fails with %-ESHUTDOWN, and the function is not
 * called, if @q is being drained or destroyed (with a warning), except for calls
 * that items of a queue send to it while it is drained. A call that was accepted
 * before a drain starts also during it; the drain does not wait for calls that
 * have not started.
 * Ordering: what precedes this is visible to the function.
 */
struct wsq_future *wsq_call_send(struct wsq_call *call, struct wsq *q);

/**
 * wsq_call_send_serial() - run a call on a serial when its futures are resolved
 * @call: the call; not sent since its wsq_call_init()
 * @serial: the serial. Must not be destroyed before the call's future is
 *	resolved
 *
 * A unit operation (paper, section 2): the calls and items of @serial run one at
 * a time. They run in the order in which they start, that is, in which the last
 * future of each is resolved, not in the order in which they were sent. When the
 * futures of all its calls are resolved and wsq_serial_idle() is true, @serial
 * may be freed, even if a context is still returning from the put that started
 * one of them.
 *
 * Context: as wsq_call_send().
 * Return: as wsq_call_send(), where the serial or its queue is being destroyed,
 * or its queue drained.
 * Ordering: as wsq_call_send().
 */
struct wsq_future *wsq_call_send_serial(struct wsq_call *call,
					struct wsq_serial *serial);

/**
 * wsq_call_cancel() - cancel a call
 * @call: the call, sent or not; not freed
 *
 * Does not wait. When all futures that @call was given are resolved, its own
 * one fails with %-ECANCELED, and so do the calls that wait for it. To cancel a
 * graph at once, cancel what it waits for.
 *
 * Context: as wsq_queue_work(): any, NMI included.
 * Return: true if the function was not called and will not be (that of a final
 * call: will be, with %-ECANCELED). False if it has been called or has ended.
 */
bool wsq_call_cancel(struct wsq_call *call);

/**
 * wsq_call_end() - resolve the future of a call whose function has not done so
 * @call: the call, whose function returns %WSQ_CALL_TAKEN
 * @value: the value
 * @error: 0, or a negative errno instead; %-EINVAL, with a warning, if positive
 *
 * Context: as wsq_future_resolve(); once.
 * Ordering: as wsq_future_resolve().
 */
void wsq_call_end(struct wsq_call *call, unsigned long value, int error);

/**
 * wsq_call_destroy() - end of a call; report one that has not run
 * @call: the call. No other context uses it any more
 *
 * If the call still waits for futures, or has not ended, the kernel log names
 * its function, and its memory must not be freed. Needed for calls on the stack
 * only.
 *
 * Context: task.
 * Return: 0; %-EBUSY if the call has not ended, or is in a future's list.
 */
int wsq_call_destroy(struct wsq_call *call);

/**
 * wsq_call_set_value() - set the value that a call's future will have
 * @call: the call
 * @value: the value; 0 if this is not called
 *
 * Context: the call's function.
 */
static inline void wsq_call_set_value(struct wsq_call *call, unsigned long value)
{
	call->future.value = value;
}

/**
 * wsq_call_error() - why a final call would not run
 * @call: the call
 *
 * Context: the call's function.
 * Return: 0; the error of one of its futures, the first that failed;
 * %-ECANCELED if the call was cancelled.
 */
static inline int wsq_call_error(const struct wsq_call *call)
{
	return atomic_read(&call->failed);
}

#endif /* _LINUX_WSQ_CALL_H */
