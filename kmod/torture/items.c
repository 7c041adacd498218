// SPDX-License-Identifier: GPL-2.0
/*
 * Shared items: their shadow state, their function, and the comparison of the
 * two at rest.
 *
 * A context that puts, cancels, disables or flushes an item is a user of its
 * group for that time (torture_enter()). Now and then a thread closes a group,
 * waits until its users have left, and cancels or flushes each item with sync.
 * Then nothing may be in motion: no function runs, nothing is pending, and for
 * each item
 *
 *	newly queued == runs + cancelled while pending
 *
 * Items that are never cancelled (TORTURE_SAID) must then have seen the last
 * value of each actor that queued them, even of one whose put found the item
 * already pending.
 *
 * All counts are written before the user leaves or the function returns. So
 * they are complete at rest, and they are compared only then.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "torture.h"

static struct torture_item *items;
static unsigned int nr_items;

/**
 * torture_item() - an item by its number
 * @nr: number, below torture_nr_items()
 *
 * Return: the item.
 */
struct torture_item *torture_item(unsigned int nr)
{
	return &items[nr];
}

/**
 * torture_nr_items() - number of shared items
 *
 * Return: a multiple of %TORTURE_GROUP.
 */
unsigned int torture_nr_items(void)
{
	return nr_items;
}

/**
 * torture_some_item() - a random item
 * @rnd: random state
 *
 * Return: half the time one of the first group of each kind, and more often its
 * first, so that many actors meet at the same item.
 */
struct torture_item *torture_some_item(struct rnd_state *rnd)
{
	switch (torture_roll(rnd, 4)) {
	case 0:
		return &items[torture_roll(rnd, TORTURE_KINDS) * TORTURE_GROUP];
	case 1:
		return &items[torture_roll(rnd, TORTURE_KINDS * TORTURE_GROUP)];
	default:
		return &items[torture_roll(rnd, nr_items)];
	}
}

/**
 * torture_enter() - become a user of an item's group
 * @it: the item
 *
 * Context: any.
 * Return: %false if the group is closed. Otherwise torture_leave() is due.
 */
bool torture_enter(struct torture_item *it)
{
	atomic_inc(&it->leader->users);
	/* Pairs with torture_close(): one of the two sees the other. */
	smp_mb__after_atomic();
	if (likely(!atomic_read(&it->leader->closed)))
		return true;
	torture_leave(it);
	return false;
}

/**
 * torture_leave() - stop being a user of an item's group
 * @it: the item that was entered
 */
void torture_leave(struct torture_item *it)
{
	atomic_dec_return_release(&it->leader->users);
}

static bool torture_close(struct torture_item *leader)
{
	/* A full barrier if it succeeds; see torture_enter(). */
	if (atomic_cmpxchg(&leader->closed, 0, 1))
		return false;
	while (atomic_read_acquire(&leader->users))
		schedule_timeout_idle(1);
	return true;
}

/**
 * torture_item_err() - report an error of an item
 * @it: the item
 * @what: the error
 */
void torture_item_err(const struct torture_item *it, const char *what)
{
	torture_err("item %u (kind %d): %s; queued %d, ran %d, cancelled %d, running %d, held %d, users %d, state %lx",
		    it->nr, it->kind, what, atomic_read(&it->queued),
		    atomic_read(&it->runs), atomic_read(&it->cancelled),
		    atomic_read(&it->in_func), atomic_read(&it->held),
		    atomic_read(&it->leader->users),
		    READ_ONCE(it->dwork.work.state));
}

/* Read the actors' values; a value must never go back. */
static void torture_listen(struct torture_item *it)
{
	unsigned int i;

	for (i = 0; i < torture_nr_slots; i++) {
		u32 said = READ_ONCE(it->said[i]);

		if ((s32)(said - it->seen[i]) < 0)
			torture_item_err(it, "a later run sees less than an earlier");
		it->seen[i] = said;
	}
}

/* Do something else in the function of an item. */
static void torture_act(struct torture_item *it)
{
	struct torture_actor a = {
		.rnd = it->dice,
		.slot = UINT_MAX,
		.ctx = TORTURE_TASK,
	};
	u32 what = torture_roll(&a.rnd, 200);
	struct torture_item *other;

	if (what < 2) {
		torture_inc(TC_RUN_SLEPT);
		msleep(1 + torture_roll(&a.rnd, 3));
	} else if (what < 5) {
		torture_inc(TC_RUN_COMPUTED);
		mdelay(1 + torture_roll(&a.rnd, 5));
	} else if (what < 40) {
		udelay(torture_roll(&a.rnd, 30));
	}
	what = torture_roll(&a.rnd, 16);
	if (what < 2 && it->kind != TORTURE_SAID) {
		bool ret;

		/* Allowed if the group is closed: cancelling handles it. */
		if (it->kind == TORTURE_DELAYED || it->kind == TORTURE_MOD)
			ret = wsq_queue_delayed_work(it->q, &it->dwork, what);
		else
			ret = wsq_queue_work(it->q, &it->dwork.work);
		if (ret) {
			atomic_inc(it->kind == TORTURE_BATCH ?
				   &it->leader->queued : &it->queued);
			torture_inc(TC_QUEUE_SELF);
		}
	} else if (what < 4) {
		other = torture_some_item(&a.rnd);
		if (torture_enter(other)) {
			if (what == 2) {
				torture_put(&a, other);
				torture_inc(TC_QUEUE_NESTED);
			} else {
				torture_cancel_item(&a, other);
			}
			torture_leave(other);
		}
	}
	it->dice = a.rnd;
}

static void torture_item_fn(struct wsq_work *work)
{
	struct torture_item *it = container_of(work, struct torture_item,
					       dwork.work);

	if (it->magic != TORTURE_MAGIC) {
		torture_err("%p is no item", work);
		return;
	}
	if (atomic_inc_return(&it->in_func) != 1)
		torture_item_err(it, "runs twice at the same time");
	if (atomic_read(&it->held))
		torture_item_err(it, "runs while disabled");
	if (wsq_current_work() != work)
		torture_item_err(it, "is not what wsq_current_work() tells");
	torture_inc(TC_RUN);
	if (READ_ONCE(it->put_cpu) != raw_smp_processor_id())
		torture_inc(TC_RUN_ELSEWHERE);
	if (it->kind == TORTURE_SAID)
		torture_listen(it);
	torture_act(it);
	if (wsq_current_work() != work)
		torture_item_err(it, "is not what wsq_current_work() tells in the end");
	if (atomic_read(&it->held))
		torture_item_err(it, "still runs while disabled");
	atomic_inc(&it->runs);
	if (atomic_dec_return(&it->in_func))
		torture_item_err(it, "ran twice at the same time");
}

/* Check an item after the call that should have brought it to rest. */
static void torture_check_rest(struct torture_item *it)
{
	unsigned int i;

	if (atomic_read(&it->in_func))
		torture_item_err(it, "runs after it was waited for");
	if (wsq_work_pending(&it->dwork.work))
		torture_item_err(it, "is pending after it was waited for");
	if (wsq_work_busy(&it->dwork.work))
		torture_item_err(it, "is busy after it was waited for");
	if (it->kind != TORTURE_SAID)
		return;
	for (i = 0; i < torture_nr_slots; i++) {
		if (it->said[i] == it->seen[i])
			continue;
		torture_item_err(it, "has not seen what was said before it was queued");
		it->seen[i] = it->said[i];
	}
}

static void torture_check_group(struct torture_item *leader)
{
	int queued = 0, done = 0;
	unsigned int i;

	for (i = 0; i < TORTURE_GROUP; i++) {
		struct torture_item *it = &leader[i];

		queued += atomic_read(&it->queued);
		done += atomic_read(&it->runs) + atomic_read(&it->cancelled);
		if (leader->kind == TORTURE_BATCH && i < TORTURE_GROUP - 1)
			continue;
		if (queued != done) {
			torture_item_err(it, queued > done ? "was lost" :
					 "ran more often than it was queued");
			/* Report it once. */
			atomic_add(done - queued, &leader[i].queued);
		}
		queued = 0;
		done = 0;
	}
}

/**
 * torture_quiet() - bring a group to rest and compare
 * @a: the actor
 * @it: an item of the group
 *
 * Context: task; sleeps.
 */
void torture_quiet(struct torture_actor *a, struct torture_item *it)
{
	struct torture_item *leader = it->leader;
	u32 how = torture_roll(&a->rnd, 2);
	unsigned int i, runs[TORTURE_GROUP];

	if (!torture_close(leader))
		return;
	if (leader->kind == TORTURE_SAID && how)
		wsq_flush(leader->q);
	for (i = 0; i < TORTURE_GROUP; i++) {
		it = &leader[i];
		if (leader->kind == TORTURE_SAID) {
			if (!how)
				wsq_flush_work(&it->dwork.work);
		} else if (how) {
			if (wsq_cancel_work_sync(&it->dwork.work))
				atomic_inc(&it->cancelled);
		} else {
			if (wsq_disable_work_sync(&it->dwork.work))
				atomic_inc(&it->cancelled);
			if (!wsq_enable_work(&it->dwork.work))
				torture_item_err(it, "is not enabled by the last to enable it");
		}
		torture_check_rest(it);
		runs[i] = atomic_read(&it->runs);
	}
	torture_check_group(leader);
	torture_pause(&a->rnd);
	for (i = 0; i < TORTURE_GROUP; i++) {
		torture_check_rest(&leader[i]);
		if (runs[i] != atomic_read(&leader[i].runs))
			torture_item_err(&leader[i], "ran though nobody queued it");
	}
	torture_inc(TC_QUIET);
	if (leader->kind == TORTURE_SAID)
		torture_inc(TC_VISIBLE);
	atomic_set_release(&leader->closed, 0);
}

/**
 * torture_items_finish() - compare all items, when no context queues any more
 * @t: the calling thread
 */
void torture_items_finish(struct torture_thread *t)
{
	unsigned int i;

	for (i = 0; i < nr_items; i += TORTURE_GROUP) {
		torture_quiet(&t->actor, &items[i]);
		WRITE_ONCE(t->actor.ops, t->actor.ops + 1);
	}
}

static int torture_item_init(struct torture_item *it, unsigned int nr,
			     struct rnd_state *rnd)
{
	unsigned int group = nr / TORTURE_GROUP;

	it->magic = TORTURE_MAGIC;
	it->nr = nr;
	it->kind = group % TORTURE_KINDS;
	it->leader = it - nr % TORTURE_GROUP;
	/* A batch goes to one queue. */
	it->q = it == it->leader ? torture_some_queue(rnd) : it->leader->q;
	it->since = torture_clock();
	prandom_seed_state(&it->dice, prandom_u32_state(rnd));
	if (it->kind == TORTURE_DELAYED || it->kind == TORTURE_MOD)
		INIT_WSQ_DELAYED_WORK(&it->dwork, torture_item_fn);
	else
		INIT_WSQ_WORK(&it->dwork.work, torture_item_fn);
	if (it->kind != TORTURE_SAID)
		return 0;
	it->said = kvcalloc(torture_nr_slots, sizeof(*it->said), GFP_KERNEL);
	it->seen = kvcalloc(torture_nr_slots, sizeof(*it->seen), GFP_KERNEL);
	return it->said && it->seen ? 0 : -ENOMEM;
}

/**
 * torture_items_create() - allocate the shared items
 * @rnd: random state
 * @nr: number of items; rounded up to whole groups of all kinds
 *
 * Return: 0 or -ENOMEM; torture_items_free() is due in both cases.
 */
int torture_items_create(struct rnd_state *rnd, unsigned int nr)
{
	unsigned int i;
	int ret = 0;

	nr = roundup(nr, TORTURE_GROUP * TORTURE_KINDS);
	items = kvcalloc(nr, sizeof(*items), GFP_KERNEL);
	if (!items)
		return -ENOMEM;
	nr_items = nr;
	for (i = 0; i < nr && !ret; i++)
		ret = torture_item_init(&items[i], i, rnd);
	return ret;
}

/**
 * torture_items_free() - free the shared items, which are at rest
 */
void torture_items_free(void)
{
	unsigned int i;

	for (i = 0; i < nr_items; i++) {
		kvfree(items[i].said);
		kvfree(items[i].seen);
	}
	kvfree(items);
	items = NULL;
	nr_items = 0;
}
