/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the ring: a queue for each of its users (tenants), and long items that give
 * way to others. queue.c, worker.c
 */
#ifndef _WSQ_EXEC_TENANT_H
#define _WSQ_EXEC_TENANT_H

#include <linux/types.h>

/* Queues of wsq_tenant_create() that there can be at a time. */
#define WSQ_MAX_TENANTS		512

struct wsq;
struct wsq_attrs;

struct wsq *wsq_tenant_create(const struct wsq_attrs *attrs, const char *name);
bool wsq_turn_over(void);

#endif /* _WSQ_EXEC_TENANT_H */
