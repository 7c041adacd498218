/* SPDX-License-Identifier: GPL-2.0 */
/*
 * <linux/mm.h>: 6.3 made vm_flags read-only and gave it accessors.
 */
#ifndef _WSQ_COMPAT_MM_H
#define _WSQ_COMPAT_MM_H

#include <linux/mm.h>
#include <linux/version.h>

/* In ->mmap(), with the mmap lock held for writing. */
static inline void wsq_vm_flags_mod(struct vm_area_struct *vma,
				    unsigned long set, unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

#endif /* _WSQ_COMPAT_MM_H */
