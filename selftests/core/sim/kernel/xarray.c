// SPDX-License-Identifier: GPL-2.0
/*
 * An xarray: nodes of 64 slots, 576 bytes each, of which a lookup reads the
 * shift and one slot. Instrumented, like the module.
 *
 * Limitations: it grows and does not shrink; xa_alloc() takes the lowest free
 * index by trying each.
 */
#include "kernel.h"

#define SLOTS	64

struct xa_node {
	unsigned char shift;
	unsigned char offset;
	unsigned char count;
	unsigned char nr_values;
	struct xa_node *parent;
	struct xarray *array;
	struct list_head list;
	void *slots[SLOTS];
	unsigned long tags[3];
};

static_assert(sizeof(struct xa_node) == 576);

static bool is_node(const void *entry)
{
	return ((unsigned long)entry & 3) == 2 && (unsigned long)entry > 4096;
}

static struct xa_node *to_node(const void *entry)
{
	return (struct xa_node *)((unsigned long)entry - 2);
}

static void *raw_load(const struct xarray *xa, unsigned long index)
{
	void *entry = READ_ONCE(xa->xa_head);

	if (!is_node(entry))
		return index ? NULL : entry;
	if (index >> READ_ONCE(to_node(entry)->shift) >= SLOTS)
		return NULL;
	while (is_node(entry)) {
		struct xa_node *n = to_node(entry);

		entry = READ_ONCE(n->slots[index >> n->shift & (SLOTS - 1)]);
	}
	return entry;
}

void xa_init_flags(struct xarray *xa, gfp_t flags)
{
	raw_spin_lock_init(&xa->xa_lock);
	xa->xa_flags = flags;
	xa->xa_head = NULL;
}

void *xa_load(struct xarray *xa, unsigned long index)
{
	void *entry = raw_load(xa, index);

	return entry == XA_ZERO_ENTRY ? NULL : entry;
}

static void *new_node(unsigned int shift)
{
	struct xa_node *n = kzalloc(sizeof(*n), GFP_KERNEL);

	n->shift = shift;
	return (char *)n + 2;
}

/* Makes it as deep as @index needs. */
static void grow(struct xarray *xa, unsigned long index)
{
	for (;;) {
		void *head = xa->xa_head, *top;
		unsigned int shift = 0;

		if (is_node(head)) {
			shift = to_node(head)->shift;
			if (index >> shift < SLOTS)
				return;
			shift += 6;
		} else if (!index) {
			return;
		}
		top = new_node(shift);
		to_node(top)->slots[0] = head;
		smp_store_release(&xa->xa_head, top);
	}
}

static void raw_store(struct xarray *xa, unsigned long index, void *entry)
{
	void **at = &xa->xa_head;
	unsigned int shift;

	if (entry)
		grow(xa, index);
	else if (!raw_load(xa, index))
		return;
	shift = is_node(*at) ? to_node(*at)->shift + 6 : 0;
	while (shift) {
		shift -= 6;
		if (!*at)
			smp_store_release(at, new_node(shift));
		at = &to_node(*at)->slots[index >> shift & (SLOTS - 1)];
	}
	smp_store_release(at, entry);
}

static void *exchange(struct xarray *xa, unsigned long index, void *entry)
{
	void *old;

	raw_spin_lock(&xa->xa_lock);
	old = raw_load(xa, index);
	raw_store(xa, index, entry);
	raw_spin_unlock(&xa->xa_lock);
	return old == XA_ZERO_ENTRY ? NULL : old;
}

void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	return exchange(xa, index, entry);
}

void *xa_erase(struct xarray *xa, unsigned long index)
{
	return exchange(xa, index, NULL);
}

int xa_alloc(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit,
	     gfp_t gfp)
{
	unsigned long i = limit.min;

	if (!i && xa->xa_flags & XA_FLAGS_ALLOC1)
		i = 1;
	raw_spin_lock(&xa->xa_lock);
	while (i <= limit.max && raw_load(xa, i))
		i++;
	if (i <= limit.max) {
		*id = i;
		raw_store(xa, i, entry ?: XA_ZERO_ENTRY);
	}
	raw_spin_unlock(&xa->xa_lock);
	return i <= limit.max ? 0 : -EBUSY;
}

static unsigned long end_of(const struct xarray *xa)
{
	void *head = READ_ONCE(xa->xa_head);

	if (!is_node(head))
		return head ? 1 : 0;
	return (unsigned long)SLOTS << to_node(head)->shift;
}

void *xa_find(struct xarray *xa, unsigned long *index)
{
	unsigned long end = end_of(xa);
	void *entry;

	for (; *index < end; ++*index) {
		entry = xa_load(xa, *index);
		if (entry)
			return entry;
	}
	return NULL;
}

bool xa_empty(const struct xarray *xa)
{
	unsigned long i, end = end_of(xa);

	for (i = 0; i < end; i++)
		if (raw_load(xa, i))
			return false;
	return true;
}

static void destroy(void *entry)
{
	unsigned int i;

	if (!is_node(entry))
		return;
	for (i = 0; i < SLOTS; i++)
		if (to_node(entry)->shift)
			destroy(to_node(entry)->slots[i]);
	kfree(to_node(entry));
}

void xa_destroy(struct xarray *xa)
{
	destroy(xa->xa_head);
	xa->xa_head = NULL;
}
