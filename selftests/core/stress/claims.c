// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots under stress, and memory that comes and goes: every task comes
 * out exactly once, by whichever way, with the content it was put with. One
 * program for each engine.
 *
 *	claims [places=N] [size=N] [spare=N] [thieves=N] [active_thieves=N]
 *	       [removers=N] [items=N] [batch=0|1] [share=0|1] [oldest=N]
 *	       [reattach=0|1] [grow=0|1] [early=0|1] [pause=US] [seed=N]
 *	       [limit=SECONDS]
 *
 * The owner puts by reserve, fill and commit and takes by claim; with "oldest",
 * once in that many takes, a LIFO's owner takes the oldest. Thieves steal by
 * claim, from where they begin or from a block that they have looked at.
 * active_thieves=N: parties that steal from the owner's active block. removers=N:
 * parties that remove recent tasks by the slot numbers that the owner noted
 * down for them. batch=1: commits of several slots, in one or more steps, and
 * steals of up to a block. share=1: the owner publishes its block now and then,
 * if the engine can. reattach=1: the owner drains the queue now and then,
 * detaches its memory and attaches other memory, with up to the given number of
 * blocks, block size and spare blocks. grow=1: memory has two blocks at first
 * and grows now and then, by some blocks and a spare block, up to the given
 * number; the same segments are used again with the memory. pause: stress.h.
 * limit: of CPU time. early=1: memory is reused while parties may still be in
 * it: run-checks sees that fail.
 *
 * Also checked: a slot that is filled was empty; the owner gets tasks in the
 * engine's order; a steal has ascending ids within a block; what the owner has
 * drained can be detached; in memory that is out of use each slot holds NULL
 * and each block is drained. The payload is plain memory, written before fill
 * and read by the taker, and so is the description of the memory, for the
 * thread sanitizer; a note has no order, so that a removal depends on the
 * slot alone. An owner whose claim found nothing has space for a task, a FIFO's
 * if there are as many spare blocks as thieves; with every thief awake all
 * blocks come back.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer. Bounded by
 * the number of items.
 *
 * Seen to fail, with mutants of ../model/mutants.list:
 *	bwos_fifo, plain	slot-claim-store, remove-no-claim, open-no-reset
 *	batch=1 size=4 thieves=2 pause=200
 *				active-no-claim, open-no-count, steal-store
 *	reattach=1 size=20 places=4 batch=1 pause=200
 *				all of those; active-no-claim and steal-store not
 *				each time
 *	tsan, batch=1 size=4	BF(fill:A), BF(active:E), BF(out:A)
 *	tsan, reattach=1		those, BF(attach:A), BF(steal:G)
 *	bwos_lifo, plain, thieves=2
 *				claim-store, batch-store, active-no-claim,
 *				remove-no-claim, commit-one-less, thief-resets,
 *				steal-no-count, steal-count-early, steal-no-index,
 *				steal-store, steal-from-zero, publish-all, up-not-drained,
 *				up-no-reset, up-no-floor, up-forgets, take-store,
 *				take-open, take-all, leave-nothing, anew-uncounted,
 *				anew-no-reset, get-below, detach-no-init
 *	places=4 size=8 spare=2 thieves=2 active_thieves=2 removers=2 batch=1 share=1
 *	pause=200		steal-size, steal-one-more, up-over-tasks,
 *				up-no-directory, anew-never, release-never
 *	reattach=1		down-first-only
 *
 * Limitations: as conserve.c's. Claimed slots are atomic words, which hides
 * from the thread sanitizer what the positions order (BF(put:C), BF(steal:C),
 * BF(steal:F), BF(open:B) here), and a thief of the LIFO that exceeds a
 * published range (publish-size, take-size) finds empty slots and no task:
 * conserve.c and ../litmus cover that. A FIFO's take-all does no harm here: the
 * owner skips what thieves have claimed.
 */
#include "memory.h"

static u64 nr_thieves = 1, nr_active_thieves = 1, nr_removers = 1;
static u64 publish, oldest = 64;

static u32 *note;
static u64 next_id = 1;
static u64 nr_oldest;

static int steal(struct party *p, void **tasks, u32 max)
{
	u64 r = rnd(&p->state);
	u32 index;

	if (r % 4)
		return engine(steal_claim)(&queue, tasks, max);
	/* Any index may be asked for. */
	index = (u32)(r >> 8) % ((u32)nr_entries + 1);
	if ((r >> 4) % 4 && !engine_look(&queue, (u32)(r >> 32), &index))
		return 0;
	return engine(steal_claim_at)(&queue, index, tasks, max);
}

static void *thief(void *arg)
{
	struct party *p = (struct party *)arg;
	void *tasks[4096];
	int i, n;

	while (!is_over()) {
		u32 max = batch && rnd(&p->state) % 2 ? (u32)block_size : 1;

		enter(p);
		n = steal(p, tasks, max);
		leave(p);
		check(n <= (int)max, "stole %d of at most %u", n, max);
		for (i = 0; i < n; i++) {
			check(!i || id_of(tasks[i]) > id_of(tasks[i - 1]),
			      "a steal with %llu behind %llu", id_of(tasks[i]),
			      id_of(tasks[i - 1]));
			check(ENGINE_LIFO ||
			      id_of(tasks[i]) - id_of(tasks[0]) < block_size,
			      "a steal from more than a block");
			took(p, tasks[i]);
		}
		p->conflicts += n == WSQ_CONFLICT;
		if (n <= 0)
			dawdle(&p->state);
	}
	return NULL;
}

static void *active_thief(void *arg)
{
	struct party *p = (struct party *)arg;
	void *tasks[64];
	int i, n;

	while (!is_over()) {
		u64 r = rnd(&p->state);
		u32 max = (u32)(r % 64) + 1;

		n = 0;
		enter(p);
		/* Usually look before a steal from the active block, as the module does. */
		if ((r >> 32) % 4 == 0 || engine(waiting)(&queue))
			n = (r >> 34) % 2 ? engine(steal_active)(&queue, tasks, max) :
					    engine_halve(&queue, tasks, max);
		leave(p);
		check(n <= (int)max, "pried %d of at most %u", n, max);
		for (i = 0; i < n; i++)
			took(p, tasks[i]);
		/* The owner's block is small: leave some tasks. */
		dawdle(&p->state);
		dawdle(&p->state);
	}
	return NULL;
}

static void *remover(void *arg)
{
	struct party *p = (struct party *)arg;
	const u64 all = block_size * nr_entries < 64 ? block_size * nr_entries : 64;

	while (!is_over()) {
		u64 r = rnd(&p->state);
		u64 next = __atomic_load_n(&next_id, __ATOMIC_RELAXED);
		u64 back = r % all;
		u64 id = next + 1 > back ? next + 1 - back : 1;
		u32 nr;
		bool ok;

		if (id > nr_items)
			id = nr_items;
		nr = __atomic_load_n(&note[id], __ATOMIC_RELAXED);
		/* Any number may be asked for. */
		if ((r >> 32) % 64 == 0)
			nr = (u32)(r >> 38) % 2 ? (u32)(r >> 8) : nr + 1;
		enter(p);
		ok = engine(remove)(&queue, nr, task_of(id));
		leave(p);
		if (ok)
			took(p, task_of(id));
		if (!ok || (r >> 40) % 4 == 0)
			dawdle(&p->state);
	}
	return NULL;
}

/* Puts some; *full says whether the queue became full. */
static void put_some(struct party *p, u64 want, bool *full)
{
	*full = false;
	while (want && next_id <= nr_items) {
		u64 left = nr_items - next_id + 1;
		struct wsq_bwos_space space;
		u32 n = 1, k;

		if (engine(reserve)(&queue, &space) < 0) {
			*full = true;
			return;
		}
		check(space.n && space.n <= attached->mem.block_size,
		      "room for %u", space.n);
		if (batch && rnd(&p->state) % 2) {
			n = space.n < want ? space.n : (u32)want;
			n = n < left ? n : (u32)left;
		}
		for (k = 0; k < n; k++) {
			void *was = wsq_slot_peek(engine_slot(&queue, &space, k));
			u64 id = next_id;

			check(!was, "slot %u is filled, and holds task %llu",
			      space.nr + k, id_of(was));
			payload[id] = id * 3;
			owner_put(id);
			__atomic_store_n(&note[id], space.nr + k, __ATOMIC_RELAXED);
			engine(fill)(&queue, &space, k, task_of(id));
			__atomic_store_n(&next_id, id + 1, __ATOMIC_RELAXED);
			/* Between fill and commit a task can only be removed. */
			if (rnd(&p->state) % 8 == 0)
				dawdle(&p->state);
			if (batch && rnd(&p->state) % 4 == 0)
				engine(commit)(&queue, &space, k + 1);
		}
		engine(commit)(&queue, &space, n);
		want -= n;
	}
}

/* Takes some, or skips slots already taken; false if there was nothing. */
static bool take_some(struct party *p, u64 want)
{
	bool any = false;

	while (want--) {
		bool last = ENGINE_LIFO && oldest && !(rnd(&p->state) % oldest);
		void *task = last ? engine_claim_oldest(&queue) :
				    engine(claim)(&queue);

		if (!task)
			return any;
		any = true;
		if (task == WSQ_TOMB)
			continue;
		nr_oldest += last;
		if (last)
			took(p, task);
		else
			owner_took(p, task);
	}
	return any;
}

static void owner(struct party *p)
{
	u64 empty = 0, stopped = 0, has_published = 0;
	bool full;

	while (next_id <= nr_items) {
		put_some(p, burst(p), &full);
		/* With the owner and thieves in any state. */
		if (full ? rnd(&p->state) % 2 : rnd(&p->state) % 64 == 0)
			grow_some(p);
		if (publish && rnd(&p->state) % 4 == 0)
			has_published += engine_publish(&queue) == WSQ_PUBLISHED;
		/* Let the others run: more is put than taken. */
		dawdle(&p->state);
		if (reattach && rnd(&p->state) % 4 == 0) {
			while (take_some(p, 64))
				;
			detach(p, true);
			dawdle(&p->state);
			attach(p, false);
			continue;
		}
		if (ENGINE_LIFO ? rnd(&p->state) % 2 : !full)
			continue;
		if (take_some(p, burst(p)))
			continue;
		/* All tasks that are left have been claimed by thieves. */
		empty++;
		put_some(p, 1, &full);
		if (!full)
			continue;
			/* Only a thief can be the reason. */
		check(!engine_capacity_held(2, 2, attached->mem.first.nr_spare >=
					    nr_thieves),
		      "an empty queue has no room, with %llu thieves, %u spare blocks",
		      nr_thieves, attached->mem.first.nr_spare);
		stopped++;
		sched_yield();
	}
	while (taken_by_all() < nr_items)
		if (!take_some(p, 64))
			sched_yield();
	printf("owner: empty %llu times, stopped by thieves %llu, shared %llu, other memory %llu, oldest %llu, grew %llu\n",
	       empty, stopped, has_published, nr_reattaches, nr_oldest, nr_growths);
}

/* All is done, and no other thread is left. */
static void end(struct party *p)
{
	u64 i, n = engine_capacity(wsq_bwos_nr_entries(&attached->mem.dir),
				   attached->mem.block_size);
	struct wsq_bwos_space space;

	while (take_some(p, 64))
		;
	check(engine(empty)(&queue), "empty, and says it is not");
	check(!engine(waiting)(&queue), "empty, and something waits");
	for (i = 0; i < n; i++) {
		check(engine(reserve)(&queue, &space) >= 0,
		      "blocks are held for good: room for %llu of %llu", i, n);
		engine(fill)(&queue, &space, 0, task_of(1));
		engine(commit)(&queue, &space, 1);
	}
	check(!queue.nr_held, "%u spare blocks are held for good", queue.nr_held);
	for (i = 0; i < n; i++)
		check(id_of(engine(claim)(&queue)) == 1, "a task is lost");
	check(!engine(claim)(&queue), "something is left");
	memory_end(p, true);
}

static const struct stress_option options[] = {
	{ "places", &nr_entries },
	{ "size", &block_size },
	{ "spare", &nr_spare },
	{ "thieves", &nr_thieves },
	{ "active_thieves", &nr_active_thieves },
	{ "removers", &nr_removers },
	{ "items", &nr_items },
	{ "batch", &batch },
	{ "share", &publish },
	{ "oldest", &oldest },
	{ "reattach", &reattach },
	{ "grow", &grow },
	{ "early", &early },
};

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t night;
	u64 nr;
	u32 i;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	nr = nr_thieves + nr_active_thieves + nr_removers;
	if (nr > MAX_THREADS - 1 || block_size > 4096 || block_size < 2 ||
	    nr_entries > 64 || nr_entries < 2)
		return 2;
	note = (u32 *)calloc(nr_items + 1, sizeof(*note));
	if (!note || !book_open() || !order_open())
		return 2;
	printf("%s %llu x %llu + %llu, %llu thieves, %llu active_thieves, %llu removers, batch %llu, share %llu, oldest %llu, reattach %llu, grow %llu, pause %llu us, %llu items, seed %llu\n",
	       ENGINE_NAME, nr_entries, block_size, nr_spare, nr_thieves,
	       nr_active_thieves, nr_removers, batch, publish, oldest, reattach, grow,
	       pause_opt, nr_items, seed);
	engine_init(&queue, &rest);
	attach(&parties[0], false);

	for (i = 0; i < nr; i++)
		pthread_create(&patients.thread[i], NULL,
			       i < nr_thieves ? thief :
			       i < nr_thieves + nr_active_thieves ? active_thief : remover,
			       &parties[1 + i]);
	patients.thread[nr] = pthread_self();
	patients.nr = (u32)nr + 1;
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);
	owner(&parties[0]);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < nr; i++)
		pthread_join(patients.thread[i], NULL);

	end(&parties[0]);
	book_close();
	printf("stolen %llu, pried %llu, withdrawn %llu\n",
	       taken_by(1, nr_thieves), taken_by(1 + nr_thieves, nr_active_thieves),
	       taken_by(1 + nr_thieves + nr_active_thieves, nr_removers));
	free(note);
	free(stack);
	return 0;
}
