/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queues of tenants: queues whose items are of one user of the ring, among others.
 */
#ifndef _WSQ_EXEC_TENANT_H
#define _WSQ_EXEC_TENANT_H

#include <linux/types.h>

struct wsq;
struct wsq_attrs;

struct wsq *wsq_tenant_create(const struct wsq_attrs *attrs, const char *name);
bool wsq_turn_over(void);

#endif /* _WSQ_EXEC_TENANT_H */
