// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel functions that the module calls during setup, and memory. Memory is
 * charged when its lines are first accessed.
 */
#define _GNU_SOURCE
#include "shim.h"

void *kmalloc_node(size_t size, gfp_t gfp, int node)
{
	return sim_alloc(size ?: 1, node == NUMA_NO_NODE ?
			 sim_node_of_cpu(sim_cpu()) : (unsigned int)node);
}

void kfree(const void *p)
{
	sim_free((void *)p);
}

int get_order(size_t size)
{
	int order = 0;

	while (PAGE_SIZE << order < size)
		order++;
	return order;
}

struct page *alloc_pages_node(int node, gfp_t gfp, unsigned int order)
{
	return sim_alloc_pages(PAGE_SIZE << order, node == NUMA_NO_NODE ?
			       sim_node_of_cpu(sim_cpu()) : (unsigned int)node);
}

void split_page(struct page *page, unsigned int order)
{
	sim_split_pages(page);
}

void free_pages_exact(void *p, size_t size)
{
	size_t at;

	for (at = 0; at < size; at += PAGE_SIZE)
		sim_free((char *)p + at);
}

void sort_r(void *base, size_t nr, size_t size,
	    int (*cmp)(const void *a, const void *b, const void *priv),
	    void *swap, const void *priv)
{
	qsort_r(base, nr, size, (int (*)(const void *, const void *, void *))cmp,
		(void *)priv);
}

int sysfs_match_string_nr(const char *const *array, size_t nr, const char *str)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (array[i] && !strcmp(array[i], str))
			return i;
	return -EINVAL;
}

ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size);

	if (len == size) {
		memcpy(to, from, size - 1);
		to[size - 1] = '\0';
		return -E2BIG;
	}
	memcpy(to, from, len + 1);
	return len;
}
