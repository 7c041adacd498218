/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of wsq_torture.ko: what call.c (graphs that come and go) and call_mesh.c
 * (one graph that grows) share.
 */
#ifndef _WSQ_TORTURE_CALL_H
#define _WSQ_TORTURE_CALL_H

#include <linux/wsq_call.h>

#include "torture.h"

/**
 * struct torture_node - a call of a graph
 * @call: the call
 * @deps: the two that it waits for
 * @of: their futures
 * @inside: a node of its serial is running; for those that have one. Call.
 * @dice: random number for its function
 * @runs: how often its function was called. Its function.
 * @final: it runs in any case
 * @cancelled: the sender cancelled it, in time. The sender.
 * @end_dep: the call that ends its graph or row waits for it
 */
struct torture_node {
	struct wsq_call call;
	struct wsq_call_dep deps[2];
	struct wsq_future *of[2];
	u32 *inside;
	u32 dice;
	u32 runs;
	bool final;
	bool cancelled;
	struct wsq_call_dep end_dep;
};

/* All calls: how many were sent, and how many have ended. */
extern atomic64_t torture_calls_sent;
extern atomic64_t torture_calls_ended;

int torture_node_fn(struct wsq_call *call);
void torture_node_send(struct torture_node *n, struct wsq_serial *serial,
		       struct wsq_call *end, struct rnd_state *rnd);
void torture_node_cancel(struct torture_node *n, struct rnd_state *rnd);
void torture_node_check(const struct torture_node *n);

/* call_mesh.c */
void torture_mesh_finish(void);

#endif /* _WSQ_TORTURE_CALL_H */
