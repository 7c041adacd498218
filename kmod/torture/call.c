// SPDX-License-Identifier: GPL-2.0
/*
 * Calls and futures. Threads send graphs of calls, diamonds above diamonds, to
 * shared queues and to a serial of each graph. The future at the top of a graph
 * is resolved, failed or cancelled by any thread, interrupt or tasklet, while
 * the sender cancels some of its calls.
 *
 * A call runs once or not at all, and not before all that it was given is
 * resolved. It has failed exactly if it was cancelled in time, one of its
 * futures failed, or its function said so. The last call of a graph checks that,
 * frees and poisons the graph. In the end no graph is left, and all calls that
 * were sent have ended.
 */
#include <linux/slab.h>

#include "call.h"

/* Rows of a graph, and calls in a row: each waits for two of the row above. */
#define NR_ROWS		4
#define NR_COLUMNS	4
#define NR_NODES	(NR_ROWS * NR_COLUMNS)

/* Graphs that wait for some context to resolve them. */
#define NR_TOPS		16

/* Graphs at a time: a sender above that waits a little. */
#define NR_ALIVE	512

/**
 * struct torture_graph - a graph
 * @top: the first row waits for it. Resolved by any context.
 * @quiet: the sender does not use the graph any more
 * @serial: some calls run on it
 * @inside: one of these is running. Call.
 * @nodes: the calls, row by row
 * @last: waits for all nodes and for @quiet
 * @last_deps: for @top and @quiet
 */
struct torture_graph {
	struct wsq_future top;
	struct wsq_future quiet;
	struct wsq_serial serial;
	u32 inside;
	struct torture_node nodes[NR_NODES];
	struct wsq_call last;
	struct wsq_call_dep last_deps[2];
};

static struct torture_graph *open[NR_TOPS];
static atomic_t graphs_alive;
atomic64_t torture_calls_sent;
atomic64_t torture_calls_ended;

/* In its function, the last call may free its graph. */
static int last_fn(struct wsq_call *call)
{
	struct torture_graph *g = container_of(call, struct torture_graph, last);
	unsigned int i;

	for (i = 0; i < NR_NODES; i++)
		torture_node_check(&g->nodes[i]);
	/* The worker that ran its last call may still own it. */
	while (!wsq_serial_idle(&g->serial))
		schedule_timeout_idle(1);
	memset(g, TORTURE_POISON, sizeof(*g));
	kfree(g);
	atomic64_add(NR_NODES + 1, &torture_calls_ended);
	atomic_dec(&graphs_alive);
	torture_inc(TC_CALL_GRAPHS);
	return WSQ_CALL_TAKEN;
}

static void graph_resolve(struct torture_graph *g, u32 dice)
{
	if (dice % 16 == 1)
		wsq_future_fail(&g->top, -EIO);
	else if (dice % 16 == 2)
		wsq_future_cancel(&g->top);
	else
		wsq_future_resolve(&g->top, dice % 1000);
}

/**
 * torture_call_ops() - resolve the future of a graph, if one waits
 * @a: the actor
 *
 * Context: any but NMI.
 */
void torture_call_ops(struct torture_actor *a)
{
	struct torture_graph *g = xchg(&open[torture_roll(&a->rnd, NR_TOPS)], NULL);

	if (!g)
		return;
	graph_resolve(g, prandom_u32_state(&a->rnd));
	torture_inc(a->ctx == TORTURE_TASK ? TC_CALL_TASK : TC_CALL_IRQ);
}

static void graph_node_send(struct torture_graph *g, unsigned int i,
			    struct rnd_state *rnd)
{
	struct torture_node *n = &g->nodes[i], *above;
	unsigned int column = i % NR_COLUMNS, k;

	n->dice = prandom_u32_state(rnd);
	n->inside = &g->inside;
	for (k = 0; k < 2; k++) {
		above = n - NR_COLUMNS - column + (column + k) % NR_COLUMNS;
		n->of[k] = i < NR_COLUMNS ? &g->top : &above->call.future;
	}
	torture_node_send(n, &g->serial, &g->last, rnd);
}

/* Cancel a few of the calls, whatever they do. */
static void graph_cancel(struct torture_graph *g, struct rnd_state *rnd)
{
	unsigned int nr = torture_roll(rnd, 3);

	while (nr--) {
		torture_node_cancel(&g->nodes[torture_roll(rnd, NR_NODES)], rnd);
		if (torture_one_in(rnd, 4))
			torture_pause(rnd);
	}
}

/* Send a graph, and leave its top to any context. */
static void graph_send(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_graph *g, *old;
	bool early = torture_one_in(rnd, 4);
	unsigned int i;

	g = kzalloc(sizeof(*g), GFP_KERNEL | __GFP_NOWARN);
	if (!g) {
		torture_inc(TC_NO_MEMORY);
		return;
	}
	atomic_inc(&graphs_alive);
	atomic64_add(NR_NODES + 1, &torture_calls_sent);
	wsq_future_init(&g->top);
	wsq_future_init(&g->quiet);
	wsq_serial_init(&g->serial, torture_some_queue(rnd));
	wsq_call_init_final(&g->last, last_fn);
	if (early)
		graph_resolve(g, prandom_u32_state(rnd));
	for (i = 0; i < NR_NODES; i++)
		graph_node_send(g, i, rnd);
	wsq_call_after(&g->last, &g->last_deps[0], &g->top);
	wsq_call_after(&g->last, &g->last_deps[1], &g->quiet);
	wsq_call_send(&g->last, torture_some_queue(rnd));
	if (!early) {
		old = xchg(&open[torture_roll(rnd, NR_TOPS)], g);
		if (old)
			graph_resolve(old, prandom_u32_state(rnd));
	}
	if (torture_one_in(rnd, 2))
		graph_cancel(g, rnd);
	wsq_future_resolve(&g->quiet, 0);
}

/**
 * torture_call_round() - send graphs, and resolve some
 * @t: the thread
 */
void torture_call_round(struct torture_thread *t)
{
	unsigned int nr = 1 + torture_roll(&t->actor.rnd, 24);

	while (nr--) {
		torture_call_ops(&t->actor);
		if (atomic_read(&graphs_alive) < NR_ALIVE)
			graph_send(t);
		else
			torture_pause(&t->actor.rnd);
	}
}

/**
 * torture_call_wait() - send a call on the stack, and wait for it
 * @t: the thread
 */
void torture_call_wait(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_node n = { .dice = prandom_u32_state(rnd) & 0xffff };
	struct wsq_future top;
	bool got;

	wsq_future_init(&top);
	wsq_call_init(&n.call, torture_node_fn);
	n.of[0] = &top;
	n.of[1] = &top;
	n.dice |= BIT(17);
	wsq_call_after(&n.call, &n.deps[0], &top);
	wsq_call_send(&n.call, torture_some_queue(rnd));
	atomic64_inc(&torture_calls_sent);
	wsq_future_resolve(&top, 5);
	got = torture_one_in(rnd, 4) && wsq_call_cancel(&n.call);
	if (wsq_future_wait(&n.call.future) != (got ? -ECANCELED : 0))
		torture_err("a call ended with %d, cancelled %d",
			    wsq_future_error(&n.call.future), got);
	if (!got && wsq_future_value(&n.call.future) != 11)
		torture_err("a call's value is %lu, not 11",
			    wsq_future_value(&n.call.future));
	wsq_call_destroy(&n.call);
	atomic64_inc(&torture_calls_ended);
	torture_inc(TC_CALL_WAIT);
}

/**
 * torture_calls_finish() - resolve all graphs, and compare counts
 *
 * Context: task; no other context sends calls any more.
 */
void torture_calls_finish(void)
{
	unsigned int i;

	for (i = 0; i < NR_TOPS; i++) {
		struct torture_graph *g = xchg(&open[i], NULL);

		if (g)
			graph_resolve(g, 0);
	}
	torture_mesh_finish();
	while (atomic_read(&graphs_alive))
		schedule_timeout_idle(1);
	if (atomic64_read(&torture_calls_sent) != atomic64_read(&torture_calls_ended))
		torture_err("%lld calls were sent, and %lld have ended",
			    atomic64_read(&torture_calls_sent),
			    atomic64_read(&torture_calls_ended));
	torture_add(TC_CALL_SENT, atomic64_read(&torture_calls_sent));
	atomic64_set(&torture_calls_sent, 0);
	atomic64_set(&torture_calls_ended, 0);
}
