/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests are queued, run and end, see request.c; state.h has the struct and
 * its states.
 */
#ifndef _WSQ_RING_REQUEST_H
#define _WSQ_RING_REQUEST_H

#include <linux/types.h>

struct wsq_req;
struct wsq_ring;
struct wsq_serial_work;
struct wsq_work;

void wsq_chain_launch(struct wsq_ring *ring, struct wsq_req *head);
unsigned int wsq_req_end(struct wsq_req *req, s64 res, u64 wait_ns);
void wsq_req_run(struct wsq_work *work);
void wsq_req_run_keyed(struct wsq_serial_work *item);
void wsq_release_run(struct wsq_work *work);
void wsq_futures_run(struct wsq_work *work);

#endif /* _WSQ_RING_REQUEST_H */
