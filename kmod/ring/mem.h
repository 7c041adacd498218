/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that a ring shares with a process, and its large arrays. */
#ifndef _WSQ_RING_MEM_H
#define _WSQ_RING_MEM_H

#include <linux/gfp.h>
#include <linux/types.h>

struct page;
struct vm_area_struct;

/*
 * Memory that users cause to be allocated is charged to their memory cgroup.
 * RETRY_MAYFAIL: failing is better than invoking the OOM killer.
 */
#define WSQ_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * struct wsq_mem - pages that both a process and the kernel can map
 * @pages: the pages, each with the ring's reference; a mapping takes its own.
 *	%NULL if there are none, or for an array from kzalloc()
 * @nr: number of pages
 * @pgoff: mmap offset, in pages
 * @addr: the kernel's contiguous mapping; %NULL if there is none
 *
 * Constant while the ring lives.
 */
struct wsq_mem {
	struct page **pages;
	unsigned long nr;
	unsigned long pgoff;
	void *addr;
};

int wsq_mem_alloc(struct wsq_mem *mem, u64 bytes, u64 offset);
int wsq_mem_array(struct wsq_mem *mem, u32 n, size_t size);
void wsq_mem_free(struct wsq_mem *mem);
int wsq_mem_mmap(struct wsq_mem *mem, struct vm_area_struct *vma);

#endif /* _WSQ_RING_MEM_H */
