// SPDX-License-Identifier: GPL-2.0
/*
 * Work that spawns work: member 0 queues the root of a binary tree, each item
 * queues its two children, and member 0 sleeps until the last leaf has run.
 * Time from queueing the root, per item. Contains one wake-up of the waiter per
 * tree, and those of workers that find work to steal.
 *
 * Completion is passed up the tree: each item but the root counts down its
 * parent, whose two children mostly run on one CPU. A counter shared by all
 * leaves would cost more than the items, and not every service can be drained.
 * The cost is the same for all services.
 *
 * Children are queued one after the other, as member 0: a kthread_worker has
 * one thread here.
 */
#include <linux/completion.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "cases.h"

/**
 * struct bench_tree - the current tree
 * @s: the service
 * @items: the tree, as a heap: the children of i are 2 * i + 1 and 2 * i + 2
 * @nr: how many; odd, so that an item has both children or none
 * @spent: ns, over all trees
 *
 * The member writes @spent, all else is constant while items run.
 */
static struct bench_tree {
	struct bench_service *s;
	struct bench_item *items;
	unsigned int nr;
	u64 spent;
} bench_tree;

/**
 * bench_spawn() - the function of an item, with %BENCH_SPAWN
 * @it: the item
 *
 * Context: whatever the service runs items in.
 */
void bench_spawn(struct bench_item *it)
{
	unsigned int i = it - bench_tree.items;

	if (2 * i + 1 < bench_tree.nr) {
		bench_tree.s->queue(bench_tree.items + 2 * i + 1, 2, 0);
		return;
	}
	while (i) {
		i = (i - 1) / 2;
		if (!atomic_dec_and_test(&bench_tree.items[i].left))
			return;
	}
	complete(bench_tree.items->done);
}

static void bench_spawn_job(unsigned int member, void *arg)
{
	struct bench_tree *t = arg;
	struct completion done;
	unsigned int i, tree;
	u64 from;

	init_completion(&done);
	t->items->done = &done;
	for (tree = 0; tree < BENCH_TREES; tree++) {
		reinit_completion(&done);
		for (i = 0; i < t->nr / 2; i++)
			atomic_set(&t->items[i].left, 2);
		from = ktime_get_ns();
		t->s->queue(t->items, 1, member);
		wait_for_completion(&done);
		t->spent += ktime_get_ns() - from;
		/* The last function may not have returned yet. */
		t->s->flush(member);
	}
}

static int bench_spawn_take(const struct bench_case *c,
			    struct bench_service *s, struct bench_item *items,
			    unsigned int nr, u64 *sample)
{
	struct bench_tree *t = &bench_tree;
	int ret;

	t->s = s;
	t->items = items;
	t->nr = c->burst;
	t->spent = 0;
	s->prepare(items, t->nr, BENCH_SPAWN);
	ret = bench_team_run(1, bench_spawn_job, t);
	if (!ret) {
		sample[0] = div64_u64(t->spent * 100, BENCH_TREES * t->nr);
		if (!s->clean(items, t->nr))
			ret = -EIO;
	}
	return ret;
}

static bool bench_spawn_fits(const struct bench_case *c,
			     const struct bench_service *s)
{
	/* Pools do not run their pointers. Children are queued on any CPU. */
	return !s->raw && !s->restricted;
}

const struct bench_kind bench_spawning = {
	.parts = { { "", "ns" } },
	.fits = bench_spawn_fits,
	.take = bench_spawn_take,
};
