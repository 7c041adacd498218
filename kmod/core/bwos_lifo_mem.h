/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a LIFO BWoS to its blocks, as the owner and thieves both go.
 *
 * For: bwos_lifo.c and bwos_lifo_steal.c, nobody else. Costs: one load of the
 * table. Limitation: the block has to be there; wsq_bwos_find() asks.
 */
#ifndef _WSQ_CORE_BWOS_LIFO_MEM_H
#define _WSQ_CORE_BWOS_LIFO_MEM_H

#include "bwos_lifo.h"

static inline struct wsq_bwos_lifo_block *
wsq_bwos_lifo_blk(const struct wsq_bwos_lifo_mem *mem, u32 nr)
{
	return (struct wsq_bwos_lifo_block *)wsq_bwos_block_at(&mem->dir, nr);
}

#endif /* _WSQ_CORE_BWOS_LIFO_MEM_H */
