/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/topology.h> and its architecture parts: last-level caches have no
 * exported name that all supported kernels share.
 */
#ifndef _WSQ_COMPAT_TOPOLOGY_H
#define _WSQ_COMPAT_TOPOLOGY_H

struct wsq_topology;

int wsq_topology_gather(struct wsq_topology *topo);

#endif /* _WSQ_COMPAT_TOPOLOGY_H */
