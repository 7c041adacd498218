/* SPDX-License-Identifier: GPL-2.0 */
/* Requests that have begun and left their worker, see cont.c. */
#ifndef _WSQ_RING_CONT_H
#define _WSQ_RING_CONT_H

#include <linux/types.h>

struct wsq_req;

void wsq_cont_put(struct wsq_req *req);
bool wsq_cont_wait(struct wsq_req *req);
bool wsq_cont_forget(struct wsq_req *req);
void wsq_cont_launch(struct wsq_req *req);

#endif /* _WSQ_RING_CONT_H */
