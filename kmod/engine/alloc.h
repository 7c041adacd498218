/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for engines: whole pages, and no more of them than are needed.
 *
 * kmalloc() rounds whatever is larger than two pages up to a power of two of
 * pages: the 68 KiB of a SALSA engine to 128. An engine has pages of such a
 * block instead and gives the rest of the block back at once. They follow one
 * another in the linear mapping, so the fast path meets no more TLB misses than
 * with kmalloc(). Where there is no such block, kvmalloc() serves.
 *
 * For all engines. Costs: nothing beyond the pages. Limitations: for a moment
 * it takes the whole block, so on a node whose memory is fragmented it fails as
 * often as kmalloc().
 */
#ifndef _WSQ_ENGINE_ALLOC_H
#define _WSQ_ENGINE_ALLOC_H

#include <linux/types.h>

struct wsq_engine;

void *wsq_engine_alloc(size_t bytes, int node, gfp_t gfp);
void wsq_engine_free(struct wsq_engine *engine);
void wsq_engine_free_rcu(struct wsq_engine *engine);

#endif /* _WSQ_ENGINE_ALLOC_H */
