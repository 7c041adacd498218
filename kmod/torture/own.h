/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Items that one thread creates, queues and frees: own.c, timed.c, queues.c.
 */
#ifndef _WSQ_TORTURE_OWN_H
#define _WSQ_TORTURE_OWN_H

#include "torture.h"

/* What the function of an own item does apart from counting. */
#define TORTURE_OWN_FREES	BIT(0)	/* frees the item */
#define TORTURE_OWN_SLOW	BIT(1)	/* takes a while */
#define TORTURE_OWN_TIMED	BIT(2)	/* checks that its time has come */
#define TORTURE_OWN_MOVING	BIT(3)	/* never freed: it was found in motion */
#define TORTURE_OWN_LONG	BIT(4)	/* computes or sleeps, up to 1 ms */

/**
 * struct torture_own - an item of one thread
 * @llist: in the quarantine. Must be first: it is not poisoned.
 * @magic: %TORTURE_MAGIC
 * @flags: TORTURE_OWN_*
 * @dwork: the item; with a timer only if created with %TORTURE_OWN_TIMED
 * @q: its queue
 * @chain: how often the function will still queue it again. Function.
 * @said: written by the owner before each put, by a plain store
 * @seen: @said as the function last saw it
 * @in_func: its function is running
 * @runs: how often it ran
 * @held: it is disabled, and must not run
 * @cpu: where it ran last
 * @due: earliest time to run, in jiffies
 * @ran_at: when it ran last, in jiffies
 */
struct torture_own {
	struct llist_node llist;
	u32 magic;
	unsigned int flags;
	struct wsq_delayed_work dwork;
	struct wsq *q;
	unsigned int chain;
	u32 said;
	u32 seen;
	atomic_t in_func;
	atomic_t runs;
	bool held;
	unsigned int cpu;
	unsigned long due;
	unsigned long ran_at;
};

struct torture_own *torture_own_new(struct wsq *q, unsigned int flags);
void torture_own_dispose(struct torture_own *o, bool quarantine);
bool torture_own_ran(struct torture_own *o, unsigned int times,
		     const char *after);
bool torture_own_put(struct torture_own *o, struct rnd_state *rnd);
void torture_quarantine_rotate(void);
int torture_own_alive(void);

#endif /* _WSQ_TORTURE_OWN_H */
