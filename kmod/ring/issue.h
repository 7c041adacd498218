/* SPDX-License-Identifier: GPL-2.0 */
/* A request calls its op. */
#ifndef _WSQ_RING_ISSUE_H
#define _WSQ_RING_ISSUE_H

#include <linux/compiler.h>

#include "ops.h"
#include "ring.h"
#include "state.h"
#include "user.h"

/**
 * wsq_host_deadline() - a deadline of a process in the clock of the host
 * @deadline: in ns of the process' CLOCK_MONOTONIC
 * @off: ns by which that clock is ahead of the host's, in a time namespace
 *
 * Context: any.
 * Return: ns of the host's CLOCK_MONOTONIC; the nearest number that exists.
 */
static inline u64 wsq_host_deadline(u64 deadline, s64 off)
{
	u64 by = off < 0 ? -(u64)off : off;

	if (off < 0)
		return deadline > U64_MAX - by ? U64_MAX : deadline + by;
	return deadline > by ? deadline - by : 0;
}

/**
 * wsq_req_stop() - when the task of a request ends early, or leaves its worker
 * @req: the request
 * @conts: memory for leaving; %NULL if the task must not leave
 * @stop: filled in
 *
 * Context: any.
 */
static inline void wsq_req_stop(const struct wsq_req *req,
				struct wsq_conts *conts, struct wsq_stop *stop)
{
	stop->dead = &req->ring->dead;
	stop->stop_asked = &req->stop_asked;
	stop->deadline = req->sqe.flags & WSQ_SQE_DEADLINE ?
			 wsq_host_deadline(req->sqe.deadline,
					   req->ring->mono_off) : U64_MAX;
	stop->conts = conts;
	stop->fj = &req->ring->user->fj;
	stop->memcg = req->ring->memcg;
}

/**
 * wsq_req_issue() - do what the entry asks for, unless it is to stop already
 * @req: the request, RUNNING
 * @stop: of wsq_req_stop()
 *
 * Context: task, a worker.
 * Return: as wsq_op_issue(); after %WSQ_OP_AGAIN, @cont of @req holds the task.
 */
static inline s64 wsq_req_issue(struct wsq_req *req,
				const struct wsq_stop *stop)
{
	struct wsq_ring *ring = req->ring;
	int ret = wsq_stopped(stop);

	if (unlikely(ret))
		return ret;
	return wsq_op_issue(&req->sqe, ring->arena, ring->sizes.arena, stop,
			    &req->cont);
}

#endif /* _WSQ_RING_ISSUE_H */
