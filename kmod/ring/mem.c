// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a process maps and the kernel sees in one piece.
 *
 * Single pages, charged to the memory cgroup of who makes the ring and placed
 * by its memory policy (by default, on its node), put together by vmap(). User
 * space gets them one by one as it touches them, each mapped page with a
 * reference of its own: what else takes a reference (O_DIRECT, vmsplice) may
 * keep it for longer than the ring lives.
 *
 * vmalloc_user() would do the same in fewer lines, but charges nobody.
 *
 * Cost: a fault for each page that is touched. Limitations: the two views need
 * a data cache without aliases.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../compat/mm.h"
#include "ring.h"

/* Arrays up to this size are sought in one piece: larger ones are seldom there. */
#define WSQ_ARRAY_PIECE		SZ_1M

/**
 * wsq_mem_alloc() - allocate zeroed pages
 * @mem: zeroed
 * @bytes: how much, a multiple of the page size; may be 0
 * @offset: where to mmap() it
 *
 * Context: task; may sleep.
 * Return: 0; %-ENOMEM; %-EINTR if the process was killed meanwhile. @mem is
 * good for wsq_mem_free() in any case.
 */
int wsq_mem_alloc(struct wsq_mem *mem, u64 bytes, u64 offset)
{
	unsigned long nr = bytes >> PAGE_SHIFT;

	mem->pgoff = offset >> PAGE_SHIFT;
	if (!nr)
		return 0;
	mem->pages = kvcalloc(nr, sizeof(*mem->pages), WSQ_GFP);
	if (!mem->pages)
		return -ENOMEM;
	while (mem->nr < nr) {
		struct page *page = alloc_page(WSQ_GFP | __GFP_ZERO);

		if (!page)
			return -ENOMEM;
		mem->pages[mem->nr++] = page;
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	mem->addr = vmap(mem->pages, nr, VM_MAP, PAGE_KERNEL);
	return mem->addr ? 0 : -ENOMEM;
}

/**
 * wsq_mem_array() - allocate a zeroed array that nobody maps
 * @mem: zeroed
 * @n: elements, not zero
 * @size: bytes of each
 *
 * What kvcalloc() is for, but whatever of it cannot be had in one piece is had
 * page by page: when a cgroup has not enough for vmalloc(), newer kernels give
 * back what they have got by then some time later, and meanwhile the cgroup
 * is full, of which its processes may be killed.
 *
 * Context: task; may sleep.
 * Return: 0, then @mem->addr is the array; or as wsq_mem_alloc().
 */
int wsq_mem_array(struct wsq_mem *mem, u32 n, size_t size)
{
	u64 bytes = (u64)n * size;

	if (bytes <= WSQ_ARRAY_PIECE) {
		mem->addr = kzalloc(bytes, GFP_KERNEL_ACCOUNT |
				    __GFP_NORETRY | __GFP_NOWARN);
		if (mem->addr)
			return 0;
	}
	return wsq_mem_alloc(mem, PAGE_ALIGN(bytes), 0);
}

/**
 * wsq_mem_free() - give it back
 * @mem: of wsq_mem_alloc() or wsq_mem_array(), or zeroed; zeroed after
 *
 * Context: task; may sleep.
 */
void wsq_mem_free(struct wsq_mem *mem)
{
	unsigned long i;

	if (mem->pages)
		vunmap(mem->addr);
	else
		kfree(mem->addr);
	for (i = 0; i < mem->nr; i++) {
		put_page(mem->pages[i]);
		cond_resched();
	}
	kvfree(mem->pages);
	memset(mem, 0, sizeof(*mem));
}

/*
 * The file, which the mapping holds, holds the ring, which holds the pages.
 * Parts of a mapping (munmap, mprotect) keep their page offset.
 */
static vm_fault_t wsq_mem_fault(struct vm_fault *vmf)
{
	const struct wsq_mem *mem = vmf->vma->vm_private_data;
	unsigned long i = vmf->pgoff - mem->pgoff;

	if (i >= mem->nr)
		return VM_FAULT_SIGBUS;
	get_page(mem->pages[i]);
	vmf->page = mem->pages[i];
	return 0;
}

static const struct vm_operations_struct wsq_mem_vm_ops = {
	.fault = wsq_mem_fault,
};

/**
 * wsq_mem_mmap() - map it into a process
 * @mem: what to map
 * @vma: where; the file is the ring's
 *
 * Only whole, shared, and not for execution, now or by mprotect(). Not
 * inherited by fork() unless madvise() says so, not grown by mremap(), not
 * dumped.
 *
 * Context: ->mmap().
 * Return: 0; %-EINVAL for another length or a private mapping; %-EACCES for
 * execution.
 */
int wsq_mem_mmap(struct wsq_mem *mem, struct vm_area_struct *vma)
{
	if (!mem->nr || vma_pages(vma) != mem->nr ||
	    !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	wsq_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTCOPY | VM_DONTDUMP,
			 VM_MAYEXEC);
	vma->vm_private_data = mem;
	vma->vm_ops = &wsq_mem_vm_ops;
	return 0;
}
