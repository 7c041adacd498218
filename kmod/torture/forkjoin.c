// SPDX-License-Identifier: GPL-2.0
/*
 * Fork and join: random trees of tasks on random queues. A few objects are
 * shared by all threads, so that runs of one meet those of another, and
 * interrupts and tasklets cancel them. A thread also creates objects of its
 * own, which are destroyed as soon as a run has ended.
 *
 * A run that succeeds has run each task of its tree exactly once. A plain
 * recursive function says how many those are. A run that fails has run none
 * twice, and has a reason. When it returns, no task is running.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/wsq_fj.h>

#include "torture.h"

#define NR_SHARED	2

/* Height of a tree, and children of a node, at most. */
#define TREE_HEIGHT	8
#define TREE_CHILDREN	3

/* Descriptors that suffice for each tree, also if waiting threads steal. */
#define TREE_DEPTH	(4 * TREE_HEIGHT * TREE_CHILDREN)

/**
 * struct fj_tree - a run
 * @fj: the object
 * @caller: thread of the run
 * @begun: tasks that have begun
 * @ended: tasks that have ended
 * @cancel: some tasks cancel the run
 * @share: each task shares what it has spawned, and some sleep then
 */
struct fj_tree {
	struct wsq_fj *fj;
	struct task_struct *caller;
	atomic_t begun;
	atomic_t ended;
	bool cancel;
	bool share;
};

/**
 * struct torture_fj - an object
 * @fj: the object
 * @attrs: its attributes
 */
struct torture_fj {
	struct wsq_fj *fj;
	struct wsq_fj_attrs attrs;
};

static struct torture_fj shared[NR_SHARED];

/* What a node does is in the bits of its seed. */
static u32 tree_child(u32 seed, u32 nr)
{
	seed = (seed + nr + 1) * 0x9e3779b1U;
	return (seed ^ seed >> 15) * 0x85ebca77U;
}

static u32 tree_children(u32 seed, u32 height)
{
	return height ? (seed >> 8) % (TREE_CHILDREN + 1) : 0;
}

static u32 tree_count(u32 seed, u32 height)
{
	u32 nr = tree_children(seed, height), sum = 1;

	while (nr--)
		sum += tree_count(tree_child(seed, nr), height - 1);
	return sum;
}

/* Most tasks are quick. Before a sleep, other CPUs may have what was spawned. */
static void tree_dawdle(struct wsq_fj_ctx w, u32 seed, bool share)
{
	if (share)
		wsq_fj_share(w);
	if (seed % (share ? 16 : 1024) == 1)
		schedule_timeout_idle(1);
	else if (seed % 64 == 2)
		udelay(9);
	else if (seed % 16 == 4)
		cond_resched();
}

/* A node's first child is called, the others are spawned. */
DEFINE_WSQ_TASK3(u32, tree_node, w, struct fj_tree *, tree, u32, seed, u32,
		 height)
{
	u32 nr = tree_children(seed, height), sum = 1, i;

	atomic_inc(&tree->begun);
	torture_inc(TC_FJ_TASKS);
	if (current != tree->caller)
		torture_inc(TC_FJ_ELSEWHERE);
	for (i = 1; i < nr; i++)
		wsq_spawn(w, tree_node, tree, tree_child(seed, i), height - 1);
	tree_dawdle(w, seed, tree->share || seed % 64 == 3);
	if (tree->cancel && seed % 8 == 5)
		wsq_fj_cancel(tree->fj);
	if (nr)
		sum += wsq_fj_call(w, tree_node, tree, tree_child(seed, 0),
				   height - 1);
	for (i = 1; i < nr; i++)
		sum += wsq_sync(w, tree_node);
	atomic_inc(&tree->ended);
	return sum;
}

static void tree_run(struct torture_thread *t, struct torture_fj *f, bool own)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct fj_tree tree = {
		.fj = f->fj, .caller = current,
		.cancel = own && torture_one_in(rnd, 4),
		.share = torture_one_in(rnd, 4),
	};
	u32 seed = prandom_u32_state(rnd), height, want, got = 0, begun;
	int ret;

	height = torture_roll(rnd, TREE_HEIGHT + 1);
	want = tree_count(seed, height);
	ret = tree_node_run(f->fj, &got, &tree, seed, height);
	begun = atomic_read(&tree.begun);
	if (begun != atomic_read(&tree.ended))
		torture_err("fork-join: %u tasks begun, %u ended when the run returned %d",
			    begun, atomic_read(&tree.ended), ret);
	switch (ret) {
	case 0:
		if (got != want || begun != want)
			torture_err("fork-join: %u tasks, %u have run, their sum is %u",
				    want, begun, got);
		torture_inc(TC_FJ_RUN);
		break;
	case -ECANCELED:
		if (own && !tree.cancel)
			torture_err("fork-join: a run was cancelled by no context");
		torture_inc(TC_FJ_CANCELLED);
		break;
	case -EOVERFLOW:
		if (f->attrs.depth >= TREE_DEPTH)
			torture_err("fork-join: overflow with a depth of %u",
				    f->attrs.depth);
		torture_inc(TC_FJ_OVERFLOW);
		break;
	case -EBUSY:
		if (own || begun)
			torture_err("fork-join: a run is busy, %u tasks begun",
				    begun);
		torture_inc(TC_FJ_BUSY);
		break;
	default:
		torture_err("fork-join: a run returned %d", ret);
	}
	if (begun > want)
		torture_err("fork-join: %u of %u tasks have run", begun, want);
}

static int tree_create(struct torture_fj *f, struct rnd_state *rnd)
{
	f->attrs = (struct wsq_fj_attrs){
		.flags = torture_roll(rnd, 2 * WSQ_FJ_SPREAD),
		.max_cpus = torture_roll(rnd, 4),
		.depth = torture_one_in(rnd, 4) ? 1 + torture_roll(rnd, 8) :
						  TREE_DEPTH,
	};
	f->fj = wsq_fj_create(torture_some_queue(rnd), &f->attrs);
	return PTR_ERR_OR_ZERO(f->fj);
}

/**
 * torture_forkjoins_create() - create the shared objects, on shared queues
 * @rnd: random state
 *
 * Return: 0 or a negative errno; torture_forkjoins_destroy() is due in both
 * cases.
 */
int torture_forkjoins_create(struct rnd_state *rnd)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < NR_SHARED && !ret; i++)
		ret = tree_create(&shared[i], rnd);
	return ret;
}

/**
 * torture_forkjoins_destroy() - destroy the shared objects, if there are any
 *
 * Context: task; no other context uses them any more.
 */
void torture_forkjoins_destroy(void)
{
	unsigned int i;

	for (i = 0; i < NR_SHARED; i++)
		if (!IS_ERR_OR_NULL(shared[i].fj))
			wsq_fj_destroy(shared[i].fj);
	memset(shared, 0, sizeof(shared));
}

/**
 * torture_forkjoin_ops() - cancel the run of a shared object, if there is one
 * @a: the actor
 *
 * Context: any but NMI.
 */
void torture_forkjoin_ops(struct torture_actor *a)
{
	wsq_fj_cancel(shared[torture_roll(&a->rnd, NR_SHARED)].fj);
}

/**
 * torture_forkjoin_round() - run a tree on a shared object
 * @t: the thread
 */
void torture_forkjoin_round(struct torture_thread *t)
{
	tree_run(t, &shared[torture_roll(&t->actor.rnd, NR_SHARED)], false);
}

/* The caller offers this one until a helper has it, if one comes at all. */
DEFINE_WSQ_TASK1(bool, tree_elsewhere, w, struct fj_tree *, tree)
{
	bool elsewhere = current != tree->caller;

	atomic_inc(&tree->begun);
	if (elsewhere)
		torture_inc(TC_FJ_ELSEWHERE);
	return elsewhere;
}

DEFINE_WSQ_TASK1(bool, tree_patient, w, struct fj_tree *, tree)
{
	unsigned long end = jiffies + HZ / 4 + 1;

	wsq_spawn(w, tree_elsewhere, tree);
	while (!atomic_read(&tree->begun) && time_before(jiffies, end)) {
		wsq_fj_share(w);
		schedule_timeout_idle(1);
	}
	return wsq_sync(w, tree_elsewhere);
}

#define NR_HELPED	8

/**
 * torture_forkjoin_helped() - have a helper run a task
 * @t: the thread
 *
 * For when nothing else runs. It tries some queues: one may have no other CPU
 * than this thread's.
 */
void torture_forkjoin_helped(struct torture_thread *t)
{
	struct fj_tree tree = { .caller = current };
	unsigned int nr = NR_HELPED;
	bool helped = false;

	while (nr-- && !helped && !torture_stopped()) {
		tree.fj = wsq_fj_create(torture_some_queue(&t->actor.rnd), NULL);
		if (IS_ERR(tree.fj)) {
			torture_inc(TC_NO_MEMORY);
			return;
		}
		atomic_set(&tree.begun, 0);
		if (tree_patient_run(tree.fj, &helped, &tree))
			torture_err("fork-join: a run on its own failed");
		if (atomic_read(&tree.begun) != 1)
			torture_err("fork-join: a task ran %d times",
				    atomic_read(&tree.begun));
		wsq_fj_destroy(tree.fj);
	}
}

/**
 * torture_forkjoin_life() - create an object, use it, destroy it at once
 * @t: the thread
 */
void torture_forkjoin_life(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	unsigned int nr = 1 + torture_roll(rnd, 3);
	struct torture_fj f;
	int ret = tree_create(&f, rnd);

	if (ret == -ENOMEM) {
		torture_inc(TC_NO_MEMORY);
		return;
	}
	if (ret) {
		torture_err("wsq_fj_create() returned %d", ret);
		return;
	}
	while (nr--)
		tree_run(t, &f, true);
	wsq_fj_destroy(f.fj);
	torture_inc(TC_FJ_LIFE);
}
