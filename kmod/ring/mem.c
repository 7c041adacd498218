// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a process maps and the kernel maps contiguously.
 *
 * Single pages, charged to the memory cgroup of the process that makes the ring
 * and placed by its memory policy (by default, on its node), mapped by vmap().
 * User space maps each page at the first access. Each mapped page has a
 * reference of its own: other references (O_DIRECT, vmsplice) may keep it for
 * longer than the ring.
 *
 * vmalloc_user() would be shorter, but charges no cgroup.
 *
 * Cost: a fault for each page that is touched. Limitations: the two mappings
 * need a data cache without aliases.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/personality.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../compat/mm.h"
#include "mem.h"

/* Larger arrays are not tried with kzalloc(): it would rarely succeed. */
#define WSQ_ARRAY_SEGMENT		SZ_1M

/**
 * wsq_mem_alloc() - allocate zeroed pages
 * @mem: zeroed
 * @bytes: size, a multiple of the page size; may be 0
 * @offset: its mmap() offset
 *
 * Context: task; may sleep.
 * Return: 0; %-ENOMEM; %-EINTR if the process was killed. wsq_mem_free() may be
 * called in any case.
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
 * wsq_mem_array() - allocate a zeroed array that no process maps
 * @mem: zeroed
 * @n: elements, not zero
 * @size: bytes of each
 *
 * Like kvcalloc(), but an array for which kzalloc() fails is allocated page by
 * page. If the memory cgroup's limit is too low for vmalloc(), newer kernels
 * free the pages allocated so far only some time later. Until then the cgroup
 * is at its limit, and its processes may be killed.
 *
 * Context: task; may sleep.
 * Return: 0, then @mem->addr is the array; or as wsq_mem_alloc().
 */
int wsq_mem_array(struct wsq_mem *mem, u32 n, size_t size)
{
	u64 bytes = (u64)n * size;

	if (bytes <= WSQ_ARRAY_SEGMENT) {
		mem->addr = kzalloc(bytes, GFP_KERNEL_ACCOUNT |
				    __GFP_NORETRY | __GFP_NOWARN);
		if (mem->addr)
			return 0;
	}
	return wsq_mem_alloc(mem, PAGE_ALIGN(bytes), 0);
}

/**
 * wsq_mem_free() - free the pages or the array
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
 * wsq_mem_mmap() - map the pages into a process
 * @mem: the pages
 * @vma: the mapping; the file is the ring's
 *
 * The mapping must be whole and shared. It is never executable, not even by
 * mprotect() or by READ_IMPLIES_EXEC, not inherited by fork() unless madvise()
 * allows it, not grown by mremap(), and not dumped.
 *
 * Context: ->mmap().
 * Return: 0; %-EINVAL for another length or a private mapping; %-EACCES for an
 * executable one.
 */
int wsq_mem_mmap(struct wsq_mem *mem, struct vm_area_struct *vma)
{
	if (!mem->nr || vma_pages(vma) != mem->nr ||
	    !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	/* A program with READ_IMPLIES_EXEC did not ask for it. */
	if (vma->vm_flags & VM_EXEC &&
	    !(current->personality & READ_IMPLIES_EXEC))
		return -EACCES;
	wsq_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTCOPY | VM_DONTDUMP,
			 VM_EXEC | VM_MAYEXEC);
	vma->vm_private_data = mem;
	vma->vm_ops = &wsq_mem_vm_ops;
	return 0;
}
