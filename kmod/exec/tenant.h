/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the ring: one queue for each user (tenant), and long items that give way
 * to others. queue.c, worker.c
 */
#ifndef _WSQ_EXEC_TENANT_H
#define _WSQ_EXEC_TENANT_H

#include <linux/types.h>

/* Most queues of wsq_tenant_create() that can exist at a time. */
#define WSQ_MAX_TENANTS		512

struct wsq;
struct wsq_attrs;

struct wsq *wsq_tenant_create(const struct wsq_attrs *attrs, const char *name);
bool wsq_slice_over(void);

#endif /* _WSQ_EXEC_TENANT_H */
