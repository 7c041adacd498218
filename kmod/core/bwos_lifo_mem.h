/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The block lookup that the owner's and the thieves' half of LIFO BWoS share.
 *
 * Only for bwos_lifo.c and bwos_lifo_steal.c. Cost: one load of the table.
 * Limitation: the block must exist; wsq_bwos_find() checks.
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
