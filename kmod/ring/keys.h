/* SPDX-License-Identifier: GPL-2.0 */
/* Requests that run one at a time, see keys.c. */
#ifndef _WSQ_RING_KEYS_H
#define _WSQ_RING_KEYS_H

#include <linux/types.h>
#include <linux/wsq_serial.h>

struct wsq;
struct wsq_req;
struct wsq_ring;

int wsq_keys_make(struct wsq_ring *ring, wsq_serial_func_t run);
void wsq_keys_unmake(struct wsq_ring *ring);
void wsq_key_get(struct wsq_req *req);
void wsq_key_put(const struct wsq_req *req);
bool wsq_key_queue(struct wsq_req *req);
void wsq_key_leave(struct wsq_req *req);
void wsq_key_hold(struct wsq_req *req);
void wsq_key_resume(struct wsq_req *req);
void wsq_keys_close(struct wsq_ring *ring, struct wsq *q);

#endif /* _WSQ_RING_KEYS_H */
