/* SPDX-License-Identifier: GPL-2.0 */
/* Creating, enabling and freeing rings, see setup.c. */
#ifndef _WSQ_RING_SETUP_H
#define _WSQ_RING_SETUP_H

#include <linux/types.h>

#include "ring.h"

struct file;

u64 wsq_arena_max(void);
int wsq_ring_sizes(u32 flags, u32 sq_entries, u32 cq_entries, u64 arena_size,
		   struct wsq_sizes *s);
struct wsq_ring *wsq_ring_alloc(struct file *file);
int wsq_ring_make(struct wsq_ring *ring, const struct wsq_sizes *s);
void wsq_ring_unmake(struct wsq_ring *ring);
void wsq_ring_publish(struct wsq_ring *ring);
int wsq_ring_enable(struct wsq_ring *ring);
void wsq_ring_release(struct wsq_ring *ring);
u32 wsq_ring_count(void);
void wsq_rings_exit(void);

#endif /* _WSQ_RING_SETUP_H */
