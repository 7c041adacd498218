// SPDX-License-Identifier: GPL-2.0
/*
 * A call of a graph, which waits for two others: its function, and what must be
 * true of it when it has ended.
 */
#include <linux/delay.h>

#include "call.h"

static bool node_serial(const struct torture_node *n)
{
	return n->dice >> 16 & 1;
}

static bool node_fails(const struct torture_node *n)
{
	return !(n->dice >> 17 & 63);
}

/* Most calls are quick. */
static void node_dawdle(u32 dice)
{
	if (dice % 2048 == 1)
		schedule_timeout_idle(1);
	else if (dice % 128 == 2)
		udelay(9);
	else if (dice % 32 == 3)
		cond_resched();
}

/* Of the futures that have a value. */
static unsigned long node_sum(const struct torture_node *n)
{
	unsigned long sum = 1;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(n->of); i++)
		if (!wsq_future_error(n->of[i]))
			sum += wsq_future_value(n->of[i]);
	return sum;
}

/**
 * torture_node_fn() - function of a node
 * @call: its call
 *
 * Return: 0, or -EIO if its dice say so.
 */
int torture_node_fn(struct wsq_call *call)
{
	struct torture_node *n = container_of(call, struct torture_node, call);
	int e0 = wsq_future_error(n->of[0]), e1 = wsq_future_error(n->of[1]);

	if (n->inside && READ_ONCE(*n->inside))
		torture_err("two calls of a serial run at a time");
	if (n->inside)
		WRITE_ONCE(*n->inside, 1);
	n->runs++;
	if (!n->final && (e0 || e1))
		torture_err("a call runs whose futures have errors %d and %d",
			    e0, e1);
	if ((e0 || e1) && !wsq_call_error(call))
		torture_err("a final call has no error, errors above %d and %d",
			    e0, e1);
	wsq_call_set_value(call, node_sum(n));
	node_dawdle(n->dice);
	torture_inc(TC_CALL_RAN);
	if (n->inside)
		WRITE_ONCE(*n->inside, 0);
	return node_fails(n) ? -EIO : 0;
}

/**
 * torture_node_send() - send a node
 * @n: the node: @dice, @of, @inside and @final are set, and no more
 * @serial: its serial, if its dice say so; otherwise it goes to some queue, and
 *	@inside becomes %NULL
 * @end: a call that shall wait for it
 * @rnd: random state
 *
 * Context: task.
 */
void torture_node_send(struct torture_node *n, struct wsq_serial *serial,
		       struct wsq_call *end, struct rnd_state *rnd)
{
	unsigned int k;

	if (n->final)
		wsq_call_init_final(&n->call, torture_node_fn);
	else
		wsq_call_init(&n->call, torture_node_fn);
	if (!node_serial(n))
		n->inside = NULL;
	for (k = 0; k < ARRAY_SIZE(n->of); k++)
		if (wsq_call_after(&n->call, &n->deps[k], n->of[k]))
			torture_err("a call is not given a future");
	if (node_serial(n))
		wsq_call_send_serial(&n->call, serial);
	else
		wsq_call_send(&n->call, torture_some_queue(rnd));
	if (wsq_call_after(end, &n->end_dep, &n->call.future))
		torture_err("the last call is not given a future");
}

/**
 * torture_node_cancel() - cancel a node, whatever it does
 * @n: the node, sent
 * @rnd: random state
 *
 * Context: task.
 */
void torture_node_cancel(struct torture_node *n, struct rnd_state *rnd)
{
	bool got = torture_one_in(rnd, 2) ?
		   wsq_call_cancel(&n->call) :
		   wsq_future_cancel(&n->call.future);

	n->cancelled |= got;
	torture_inc(got ? TC_CALL_CANCEL_TRUE : TC_CALL_CANCEL_FALSE);
}

/**
 * torture_node_check() - check a node
 * @n: the node; it has ended, and the sender does not cancel it any more
 *
 * Context: any.
 */
void torture_node_check(const struct torture_node *n)
{
	int error = wsq_future_error(&n->call.future);
	int e0 = wsq_future_error(n->of[0]), e1 = wsq_future_error(n->of[1]);
	bool runs = n->final || (!n->cancelled && !e0 && !e1);

	if (n->runs != runs)
		torture_err("a call ran %u times, final %d, cancelled %d, errors above %d and %d",
			    n->runs, n->final, n->cancelled, e0, e1);
	if (runs ? error != (node_fails(n) ? -EIO : 0) :
	    n->cancelled ? error != -ECANCELED :
	    !error || (error != e0 && error != e1))
		torture_err("a call has error %d, ran %u, cancelled %d, errors above %d and %d",
			    error, n->runs, n->cancelled, e0, e1);
	if (!error && wsq_future_value(&n->call.future) != node_sum(n))
		torture_err("a call's value is %lu, not %lu",
			    wsq_future_value(&n->call.future), node_sum(n));
	torture_inc(error ? TC_CALL_FAILED : TC_CALL_VALUE);
}
