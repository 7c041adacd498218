/* SPDX-License-Identifier: GPL-2.0 */
/* Requests that wait for the futures of others, see futures.c. */
#ifndef _WSQ_RING_FUTURES_H
#define _WSQ_RING_FUTURES_H

#include <linux/types.h>

struct wsq_req;
struct wsq_ring;
struct wsq_sqe;

void wsq_futures_init(struct wsq_ring *ring);
int wsq_futures_make(struct wsq_ring *ring);
void wsq_futures_unmake(struct wsq_ring *ring);
int wsq_futures_check(const struct wsq_ring *ring, const struct wsq_sqe *sqe);
void wsq_futures_take(struct wsq_req *req);
bool wsq_futures_pass(struct wsq_req *req, bool broken);
void wsq_futures_resolve(const struct wsq_req *req, s64 res);
bool wsq_futures_claim(struct wsq_ring *ring);
bool wsq_futures_next(struct wsq_ring *ring, struct wsq_req **req);
bool wsq_futures_more(struct wsq_ring *ring);

#endif /* _WSQ_RING_FUTURES_H */
