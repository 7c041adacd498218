/* SPDX-License-Identifier: GPL-2.0 */
/*
 * linux/xarray.h: a radix tree of the kernel's shape and sizes, because each
 * lookup of a queue or a worker by its number walks it. See xarray.c.
 */
#ifndef _WSQ_SIM_XARRAY_H
#define _WSQ_SIM_XARRAY_H

struct xarray {
	raw_spinlock_t xa_lock;
	gfp_t xa_flags;
	void *xa_head;
};

struct xa_limit {
	u32 max;
	u32 min;
};

#define XA_ZERO_ENTRY		((void *)0x402UL)
#define XA_FLAGS_ALLOC		1U
#define XA_FLAGS_ALLOC1		2U
#define XA_LIMIT(lo, hi)	((struct xa_limit){ .min = (lo), .max = (hi) })
#define xa_limit_31b		XA_LIMIT(0, INT_MAX)
#define DEFINE_XARRAY_ALLOC1(name)	\
	struct xarray name = { .xa_flags = XA_FLAGS_ALLOC1 }

void xa_init_flags(struct xarray *xa, gfp_t flags);
void *xa_load(struct xarray *xa, unsigned long index);
void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
void *xa_erase(struct xarray *xa, unsigned long index);
int xa_alloc(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit,
	     gfp_t gfp);
/* The first at or behind @index, which is set to its index. */
void *xa_find(struct xarray *xa, unsigned long *index);
bool xa_empty(const struct xarray *xa);
void xa_destroy(struct xarray *xa);
#define xa_for_each_start(xa, index, entry, start)			\
	for ((index) = (start); ((entry) = xa_find(xa, &(index))); (index)++)
#define xa_for_each(xa, index, entry)	xa_for_each_start(xa, index, entry, 0)

#endif /* _WSQ_SIM_XARRAY_H */
