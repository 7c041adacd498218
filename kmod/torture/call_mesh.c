// SPDX-License-Identifier: GPL-2.0
/*
 * One graph of calls that grows during the whole run, row by row, diamonds above
 * diamonds: each call waits for two of the row above. Any thread adds rows, one
 * thread at a time, and cancels some of their calls. In 40 s at native speed the
 * graph gets about a million calls.
 *
 * Memory is bounded: eight rows, 400 KB. A row is sent into the memory of one
 * that has ended, after the row below that one has ended and was checked: its
 * calls read the futures above.
 *
 * Half of the calls are final: they run although a future has failed, and have a
 * value. Otherwise one error would fail the rest of the graph.
 */
#include <linux/mutex.h>
#include <linux/slab.h>

#include "call.h"

#define NR_COLUMNS	256

/* Rows that there is memory for, and that a thread adds at a time, at most. */
#define NR_ROWS		8
#define NR_MORE		16

#define NR_SERIALS	4

/**
 * struct torture_row - a row
 * @nodes: its calls
 * @end: waits for all nodes, and for @quiet
 * @quiet: the sender does not cancel nodes any more
 * @quiet_dep: for @quiet
 */
struct torture_row {
	struct torture_node nodes[NR_COLUMNS];
	struct wsq_call end;
	struct wsq_future quiet;
	struct wsq_call_dep quiet_dep;
};

/**
 * struct torture_mesh - the graph
 * @rows: row number n is at n modulo %NR_ROWS
 * @sent: rows that were sent
 * @checked: rows that have ended and were checked
 * @top: resolved; the first row waits for it
 * @serials: some calls run on these
 * @inside: a call of the serial is running
 */
struct torture_mesh {
	struct torture_row *rows;
	u64 sent;
	u64 checked;
	struct wsq_future top;
	struct wsq_serial serials[NR_SERIALS];
	u32 inside[NR_SERIALS];
};

static struct torture_mesh mesh;

/* For the thread that adds rows, and all that it writes. */
static DEFINE_MUTEX(mesh_lock);

static struct torture_row *mesh_row(u64 nr)
{
	return &mesh.rows[nr % NR_ROWS];
}

/* A call ends its row: all others have ended. */
static int end_fn(struct wsq_call *call)
{
	return 0;
}

/* Wait for the oldest row that was not checked, and check it. */
static void mesh_check(void)
{
	struct torture_row *row = mesh_row(mesh.checked);
	unsigned int i;

	if (wsq_future_wait(&row->end.future))
		torture_err("the end of a row has error %d",
			    wsq_future_error(&row->end.future));
	for (i = 0; i < NR_COLUMNS; i++)
		torture_node_check(&row->nodes[i]);
	atomic64_add(NR_COLUMNS + 1, &torture_calls_ended);
	torture_add(TC_CALL_MESH, NR_COLUMNS);
	mesh.checked++;
}

static void mesh_node_send(unsigned int column, struct rnd_state *rnd)
{
	struct torture_row *row = mesh_row(mesh.sent);
	struct torture_row *above = mesh.sent ? mesh_row(mesh.sent - 1) : NULL;
	struct torture_node *n = &row->nodes[column];
	unsigned int s = torture_roll(rnd, NR_SERIALS), k;

	n->dice = prandom_u32_state(rnd);
	n->final = torture_one_in(rnd, 2);
	n->inside = &mesh.inside[s];
	for (k = 0; k < 2; k++)
		n->of[k] = above ? &above->nodes[(column + k) % NR_COLUMNS].call.future :
				   &mesh.top;
	torture_node_send(n, &mesh.serials[s], &row->end, rnd);
}

/* Send a row, and cancel some of its calls, first or last. */
static void mesh_send(struct rnd_state *rnd)
{
	struct torture_row *row = mesh_row(mesh.sent);
	unsigned int nr = torture_roll(rnd, NR_COLUMNS / 16);
	unsigned int i;

	/* The last row that reads what this overwrites. */
	while (mesh.sent + 1 >= mesh.checked + NR_ROWS)
		mesh_check();
	memset(row, TORTURE_POISON, sizeof(*row));
	wsq_future_init(&row->quiet);
	wsq_call_init_final(&row->end, end_fn);
	atomic64_add(NR_COLUMNS + 1, &torture_calls_sent);
	for (i = 0; i < NR_COLUMNS; i++) {
		row->nodes[i].runs = 0;
		row->nodes[i].cancelled = false;
		mesh_node_send(i, rnd);
		/* Before those below are there, or after some have begun. */
		if (nr && torture_one_in(rnd, 32)) {
			torture_node_cancel(&row->nodes[torture_roll(rnd, i + 1)], rnd);
			nr--;
		}
	}
	wsq_call_after(&row->end, &row->quiet_dep, &row->quiet);
	wsq_call_send(&row->end, torture_some_queue(rnd));
	while (nr--)
		torture_node_cancel(&row->nodes[torture_roll(rnd, NR_COLUMNS)], rnd);
	wsq_future_resolve(&row->quiet, 0);
	mesh.sent++;
}

/**
 * torture_mesh_round() - add rows to the graph, if no other thread does
 * @t: the thread
 *
 * Context: task; waits for earlier rows.
 */
void torture_mesh_round(struct torture_thread *t)
{
	unsigned int nr = 1 + torture_roll(&t->actor.rnd, NR_MORE);

	if (!mutex_trylock(&mesh_lock))
		return;
	while (nr--)
		mesh_send(&t->actor.rnd);
	mutex_unlock(&mesh_lock);
}

/**
 * torture_mesh_create() - create the graph, without rows
 * @rnd: random state; there are queues
 *
 * Return: 0 or -ENOMEM.
 */
int torture_mesh_create(struct rnd_state *rnd)
{
	unsigned int i;

	mesh.rows = kvcalloc(NR_ROWS, sizeof(*mesh.rows), GFP_KERNEL);
	if (!mesh.rows)
		return -ENOMEM;
	wsq_future_init(&mesh.top);
	wsq_future_resolve(&mesh.top, 0);
	for (i = 0; i < NR_SERIALS; i++)
		wsq_serial_init(&mesh.serials[i], torture_some_queue(rnd));
	return 0;
}

/**
 * torture_mesh_finish() - wait for all rows, and check them
 *
 * Context: task; no thread adds rows any more, and the queues are there.
 */
void torture_mesh_finish(void)
{
	unsigned int i;

	while (mesh.checked < mesh.sent)
		mesh_check();
	for (i = 0; i < NR_SERIALS; i++)
		wsq_serial_destroy(&mesh.serials[i]);
}

/* Free the graph; torture_mesh_finish() was called, or no row was sent. */
void torture_mesh_free(void)
{
	kvfree(mesh.rows);
	mesh.rows = NULL;
}
