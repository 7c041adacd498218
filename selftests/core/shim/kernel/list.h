/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The used part of linux/list.h and linux/hashtable.h. Detects inconsistent
 * lists.
 */
#ifndef _WSQ_SHIM_LIST_H
#define _WSQ_SHIM_LIST_H

#include "basic.h"

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void list_add_tail(struct list_head *item, struct list_head *head)
{
	MUST(head->prev->next == head);
	item->prev = head->prev;
	item->next = head;
	head->prev->next = item;
	head->prev = item;
}

static inline void list_add(struct list_head *item, struct list_head *head)
{
	list_add_tail(item, head->next);
}

static inline void list_unlink(struct list_head *item)
{
	MUST(item->prev->next == item && item->next->prev == item);
	item->prev->next = item->next;
	item->next->prev = item->prev;
}

static inline void list_del(struct list_head *item)
{
	list_unlink(item);
	item->next = NULL;
	item->prev = NULL;
}

static inline void list_del_init(struct list_head *item)
{
	list_unlink(item);
	INIT_LIST_HEAD(item);
}

static inline void list_move_tail(struct list_head *item, struct list_head *head)
{
	list_unlink(item);
	list_add_tail(item, head);
}

/* Appends all of @list to @head; @list becomes invalid. */
static inline void list_splice_tail(struct list_head *list, struct list_head *head)
{
	if (list_empty(list))
		return;
	MUST(list->prev->next == list && list->next->prev == list);
	list->next->prev = head->prev;
	head->prev->next = list->next;
	list->prev->next = head;
	head->prev = list->prev;
}

static inline void list_splice_tail_init(struct list_head *list,
					 struct list_head *head)
{
	list_splice_tail(list, head);
	INIT_LIST_HEAD(list);
}

#define list_entry(ptr, type, member)	container_of(ptr, type, member)
#define list_first_entry(head, type, member)	\
	list_entry((head)->next, type, member)
#define list_empty_careful(head)	list_empty(head)
#define list_last_entry(head, type, member)	\
	list_entry((head)->prev, type, member)
#define list_first_entry_or_null(head, type, member)	\
	(list_empty(head) ? NULL : list_entry((head)->next, type, member))
#define list_for_each_entry(pos, head, member)				\
	for (pos = list_entry((head)->next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = list_entry(pos->member.next, typeof(*pos), member))

#define list_for_each_entry_safe(pos, n, head, member)			\
	for (pos = list_entry((head)->next, typeof(*pos), member),	\
	     n = list_entry(pos->member.next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = n, n = list_entry(n->member.next, typeof(*n), member))

#define hlist_entry(ptr, type, member)	container_of(ptr, type, member)

static inline void hlist_add_head(struct hlist_node *n, struct hlist_head *h)
{
	n->next = h->first;
	if (n->next)
		n->next->pprev = &n->next;
	h->first = n;
	n->pprev = &h->first;
}

static inline void hlist_del_init(struct hlist_node *n)
{
	if (!n->pprev)
		return;
	MUST(*n->pprev == n);
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
	n->next = NULL;
	n->pprev = NULL;
}

#define hlist_entry_safe(ptr, type, member)	\
	({ typeof(ptr) __p = (ptr); __p ? container_of(__p, type, member) : NULL; })
#define hlist_for_each_entry(pos, head, member)				\
	for (pos = hlist_entry_safe((head)->first, typeof(*(pos)), member); \
	     pos;							\
	     pos = hlist_entry_safe((pos)->member.next, typeof(*(pos)), member))

/* linux/hashtable.h */
#define DEFINE_HASHTABLE(name, bits)	struct hlist_head name[1 << (bits)]
#define hash_of(table, key)	((u32)(key) * 0x61C88647u % ARRAY_SIZE(table))
#define hash_add(table, node, key)	\
	hlist_add_head(node, &(table)[hash_of(table, key)])
#define hash_del(node)		hlist_del_init(node)
#define hash_for_each(table, bkt, obj, member)	\
	for ((bkt) = 0; (bkt) < ARRAY_SIZE(table); (bkt)++)	\
		hlist_for_each_entry(obj, &(table)[bkt], member)
#define hash_for_each_possible(table, obj, member, key)	\
	hlist_for_each_entry(obj, &(table)[hash_of(table, key)], member)

#endif /* _WSQ_SHIM_LIST_H */
