/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of words, for one context at a time: the caller has a lock.
 *
 * For toy.h, and for ../stress.c in user space. Positions only grow, and wrap;
 * a position's slot is its remainder by the number of slots, a power of two.
 * @limit tasks fit, and it may be raised up to the number of slots. Cost: one
 * load or store of a slot, and two stores, a task. Limitation: a removed task
 * keeps its slot until all older ones have gone.
 */
#ifndef _WSQ_TOY_RING_H
#define _WSQ_TOY_RING_H

/* In the slot of a task that was removed. */
#define TOY_REMOVED	((void *)-2L)

/**
 * struct toy_ring - the ring
 * @slots: the slots
 * @nr: number of slots. Constant
 * @limit: how many may be in use
 * @head: position of the oldest task
 * @tail: position of the next put
 * @used: number of tasks, without those removed. Others may read it
 */
struct toy_ring {
	void **slots;
	u32 nr;
	u32 limit;
	u32 head;
	u32 tail;
	u32 used;
};

static inline u32 toy_ring_slot(const struct toy_ring *r, u32 at)
{
	return at & (r->nr - 1);
}

/* Number of tasks that fit. */
static inline u32 toy_ring_space(const struct toy_ring *r)
{
	u32 in_use = r->tail - r->head;

	return in_use < r->limit ? r->limit - in_use : 0;
}

/* The slot of the next put. */
static inline u32 toy_ring_next(const struct toy_ring *r)
{
	return toy_ring_slot(r, r->tail);
}

/* Append a task; the caller has checked that there is space. */
static inline void toy_ring_put(struct toy_ring *r, void *task)
{
	r->slots[toy_ring_next(r)] = task;
	r->tail++;
	WRITE_ONCE(r->used, r->used + 1);
}

/* Pass what was removed at the oldest end. */
static inline void toy_ring_pass(struct toy_ring *r)
{
	while (r->head != r->tail &&
	       r->slots[toy_ring_slot(r, r->head)] == TOY_REMOVED)
		r->head++;
}

/* Take the oldest tasks; returns how many. */
static inline u32 toy_ring_take(struct toy_ring *r, void **tasks, u32 max)
{
	u32 n;

	/* The oldest slot always holds a task. */
	for (n = 0; n < max && r->head != r->tail; n++) {
		tasks[n] = r->slots[toy_ring_slot(r, r->head)];
		r->head++;
		toy_ring_pass(r);
	}
	WRITE_ONCE(r->used, r->used - n);
	return n;
}

/* Remove a task from a slot, which may be any number; true if it was there. */
static inline bool toy_ring_remove(struct toy_ring *r, u32 slot,
				   const void *task)
{
	u32 behind;

	if (slot >= r->nr || r->slots[slot] != task)
		return false;
	/* An unused slot keeps what was last in it. */
	behind = toy_ring_slot(r, slot - r->head);
	if (behind >= r->tail - r->head)
		return false;
	r->slots[slot] = TOY_REMOVED;
	WRITE_ONCE(r->used, r->used - 1);
	toy_ring_pass(r);
	return true;
}

#endif /* _WSQ_TOY_RING_H */
