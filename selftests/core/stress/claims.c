// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots under stress, and memory that comes and goes: every task comes
 * out exactly once, by whichever way, with the content it was put with. One
 * program for each engine.
 *
 *	claims [places=N] [size=N] [spare=N] [thieves=N] [pryers=N]
 *	       [withdrawers=N] [items=N] [batch=0|1] [share=0|1] [oldest=N]
 *	       [remount=0|1] [grow=0|1] [early=0|1] [pause=US] [seed=N]
 *	       [limit=SECONDS]
 *
 * The owner puts by reserve, fill and commit and takes by claim, of a LIFO in one
 * of "oldest" takes the oldest; thieves steal by claim, from where they begin or
 * from a block that they have looked at; pryers take out of the owner's block;
 * withdrawers take back recent tasks by the slot numbers that the owner noted down
 * for them. batch=1: commits of several slots, in one or more steps, and steals of
 * up to a block. share=1: the owner shares its block now and then, if the engine
 * can. remount=1: the owner drains the queue now and then, takes the memory away
 * and mounts another one, of other places, size and spare blocks up to those given.
 * grow=1: memory has two places at first and grows now and then, by some places and
 * a spare block, to as many as were to be; the same pieces come again when the
 * memory does. pause: stress.h. limit: of CPU time. early=1: memory is used again
 * while parties may still be in it: run-checks sees that fail.
 *
 * Checked besides: a slot that is filled was empty; the owner gets tasks in the
 * engine's order, a steal is of ascending ids within a block; what the owner has
 * drained can be unmounted; in memory that is out of use each slot holds NULL and
 * each block is spent; the payload is plain memory, written before fill and read by
 * the taker, and so is the description of the memory, for the thread sanitizer; a
 * note has no order, so that a withdrawer has nothing but the slot; an owner whose
 * claim found nothing has room for a task, a FIFO's if there are as many spare
 * blocks as thieves; with every thief awake all blocks come back.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer. Bounded by
 * the number of items.
 *
 * Seen to fail, with mutants of ../model/mutants.list:
 *	bwos_fifo, plain	slot-claim-store, withdraw-no-claim, open-no-reset
 *	batch=1 size=4 thieves=2 pause=200
 *				pry-no-claim, open-no-count, steal-store
 *	remount=1 size=20 places=4 batch=1 pause=200
 *				all of those; pry-no-claim and steal-store not
 *				each time
 *	tsan, batch=1 size=4	BF(fill:A), BF(pry:E), BF(out:A)
 *	tsan, remount=1		those, BF(mount:A), BF(steal:G)
 *	bwos_lifo, plain, thieves=2
 *				claim-store, haul-store, pry-no-claim,
 *				withdraw-no-claim, commit-one-less, thief-resets,
 *				steal-no-count, steal-count-early, steal-no-index,
 *				steal-store, steal-from-zero, grant-all, up-not-spent,
 *				up-no-reset, up-no-floor, up-forgets, take-store,
 *				take-open, take-all, leave-nothing, anew-uncounted,
 *				anew-no-reset, get-below, unmount-no-init
 *	places=4 size=8 spare=2 thieves=2 pryers=2 withdrawers=2 batch=1 share=1
 *	pause=200		steal-size, steal-one-more, up-over-tasks,
 *				up-no-directory, anew-never, release-never
 *	remount=1		down-first-only
 *
 * Limitations: as conserve.c's. Claimed slots are atomic words, which hides from
 * the thread sanitizer what the positions order (BF(put:C), BF(steal:C),
 * BF(steal:F), BF(open:B) here), and a thief of the LIFO that goes beyond a grant
 * (grant-size, take-size) finds empty slots and no task: conserve.c and ../litmus
 * cover that. A FIFO's take-all does no harm here: the owner walks over what
 * thieves have claimed.
 */
#include "memory.h"

static u64 nr_thieves = 1, nr_pryers = 1, nr_withdrawers = 1;
static u64 share, oldest = 64;

static u32 *note;
static u64 next_id = 1;
static u64 nr_oldest;

static int steal(struct party *p, void **tasks, u32 max)
{
	u64 r = rnd(&p->state);
	u32 place;

	if (r % 4)
		return engine(steal_claim)(&queue, tasks, max);
	/* Any place may be asked for. */
	place = (u32)(r >> 8) % ((u32)nr_places + 1);
	if ((r >> 4) % 4 && !engine_look(&queue, (u32)(r >> 32), &place))
		return 0;
	return engine(steal_claim_at)(&queue, place, tasks, max);
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

static void *pryer(void *arg)
{
	struct party *p = (struct party *)arg;
	void *tasks[64];
	int i, n;

	while (!is_over()) {
		u64 r = rnd(&p->state);
		u32 max = (u32)(r % 64) + 1;

		n = 0;
		enter(p);
		/* As the module does: look before prying. Or do not. */
		if ((r >> 32) % 4 == 0 || engine(waiting)(&queue))
			n = engine(pry)(&queue, tasks, max);
		leave(p);
		check(n <= (int)max, "pried %d of at most %u", n, max);
		for (i = 0; i < n; i++)
			took(p, tasks[i]);
		/* The owner's block is small: leave it something. */
		dawdle(&p->state);
		dawdle(&p->state);
	}
	return NULL;
}

static void *withdrawer(void *arg)
{
	struct party *p = (struct party *)arg;
	const u64 all = block_size * nr_places < 64 ? block_size * nr_places : 64;

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
		ok = engine(withdraw)(&queue, nr, task_of(id));
		leave(p);
		if (ok)
			took(p, task_of(id));
		if (!ok || (r >> 40) % 4 == 0)
			dawdle(&p->state);
	}
	return NULL;
}

/* Puts some; *full tells whether room ran out. */
static void put_some(struct party *p, u64 want, bool *full)
{
	*full = false;
	while (want && next_id <= nr_items) {
		u64 left = nr_items - next_id + 1;
		struct wsq_bwos_room room;
		u32 n = 1, k;

		if (engine(reserve)(&queue, &room) < 0) {
			*full = true;
			return;
		}
		check(room.n && room.n <= mounted->mem.block_size,
		      "room for %u", room.n);
		if (batch && rnd(&p->state) % 2) {
			n = room.n < want ? room.n : (u32)want;
			n = n < left ? n : (u32)left;
		}
		for (k = 0; k < n; k++) {
			void *was = wsq_slot_peek(engine_slot(&queue, &room, k));
			u64 id = next_id;

			check(!was, "slot %u is filled, and holds task %llu",
			      room.nr + k, id_of(was));
			payload[id] = id * 3;
			owner_put(id);
			__atomic_store_n(&note[id], room.nr + k, __ATOMIC_RELAXED);
			engine(fill)(&queue, &room, k, task_of(id));
			__atomic_store_n(&next_id, id + 1, __ATOMIC_RELAXED);
			/* Between fill and commit only withdrawers may come. */
			if (rnd(&p->state) % 8 == 0)
				dawdle(&p->state);
			if (batch && rnd(&p->state) % 4 == 0)
				engine(commit)(&queue, &room, k + 1);
		}
		engine(commit)(&queue, &room, n);
		want -= n;
	}
}

/* Takes some, or walks over where some have been; false if there was nothing. */
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
	u64 empty = 0, stopped = 0, shared = 0;
	bool full;

	while (next_id <= nr_items) {
		put_some(p, burst(p), &full);
		/* With the owner and thieves anywhere. */
		if (full ? rnd(&p->state) % 2 : rnd(&p->state) % 64 == 0)
			grow_some(p);
		if (share && rnd(&p->state) % 4 == 0)
			shared += engine_share(&queue) == WSQ_OPENED;
		/* Let the others come: more is put than taken. */
		dawdle(&p->state);
		if (remount && rnd(&p->state) % 4 == 0) {
			while (take_some(p, 64))
				;
			unmount(p, true);
			dawdle(&p->state);
			mount(p, false);
			continue;
		}
		if (ENGINE_LIFO ? rnd(&p->state) % 2 : !full)
			continue;
		if (take_some(p, burst(p)))
			continue;
		/* No task is left that thieves have not claimed. */
		empty++;
		put_some(p, 1, &full);
		if (!full)
			continue;
		/* Only a thief can be in the way. */
		check(!engine_capacity_held(2, 2, mounted->mem.first.nr_spare >=
					    nr_thieves),
		      "an empty queue has no room, with %llu thieves, %u spare blocks",
		      nr_thieves, mounted->mem.first.nr_spare);
		stopped++;
		sched_yield();
	}
	while (taken_by_all() < nr_items)
		if (!take_some(p, 64))
			sched_yield();
	printf("owner: empty %llu times, stopped by thieves %llu, shared %llu, other memory %llu, oldest %llu, grew %llu\n",
	       empty, stopped, shared, nr_remounts, nr_oldest, nr_growths);
}

/* All is over, and no other thread is left. */
static void end(struct party *p)
{
	u64 i, n = engine_capacity(wsq_bwos_places(&mounted->mem.dir),
				   mounted->mem.block_size);
	struct wsq_bwos_room room;

	while (take_some(p, 64))
		;
	check(engine(empty)(&queue), "empty, and says it is not");
	check(!engine(waiting)(&queue), "empty, and something waits");
	for (i = 0; i < n; i++) {
		check(engine(reserve)(&queue, &room) >= 0,
		      "blocks are held for good: room for %llu of %llu", i, n);
		engine(fill)(&queue, &room, 0, task_of(1));
		engine(commit)(&queue, &room, 1);
	}
	check(!queue.nr_held, "%u spare blocks are held for good", queue.nr_held);
	for (i = 0; i < n; i++)
		check(id_of(engine(claim)(&queue)) == 1, "a task is lost");
	check(!engine(claim)(&queue), "something is left");
	memory_end(p, true);
}

static const struct stress_option options[] = {
	{ "places", &nr_places },
	{ "size", &block_size },
	{ "spare", &nr_spare },
	{ "thieves", &nr_thieves },
	{ "pryers", &nr_pryers },
	{ "withdrawers", &nr_withdrawers },
	{ "items", &nr_items },
	{ "batch", &batch },
	{ "share", &share },
	{ "oldest", &oldest },
	{ "remount", &remount },
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
	nr = nr_thieves + nr_pryers + nr_withdrawers;
	if (nr > MAX_THREADS - 1 || block_size > 4096 || block_size < 2 ||
	    nr_places > 64 || nr_places < 2)
		return 2;
	note = (u32 *)calloc(nr_items + 1, sizeof(*note));
	if (!note || !book_open() || !order_open())
		return 2;
	printf("%s %llu x %llu + %llu, %llu thieves, %llu pryers, %llu withdrawers, batch %llu, share %llu, oldest %llu, remount %llu, grow %llu, pause %llu us, %llu items, seed %llu\n",
	       ENGINE_NAME, nr_places, block_size, nr_spare, nr_thieves,
	       nr_pryers, nr_withdrawers, batch, share, oldest, remount, grow,
	       pause_opt, nr_items, seed);
	engine_init(&queue, &rest);
	mount(&parties[0], false);

	for (i = 0; i < nr; i++)
		pthread_create(&patients.thread[i], NULL,
			       i < nr_thieves ? thief :
			       i < nr_thieves + nr_pryers ? pryer : withdrawer,
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
	       taken_by(1, nr_thieves), taken_by(1 + nr_thieves, nr_pryers),
	       taken_by(1 + nr_thieves + nr_pryers, nr_withdrawers));
	free(note);
	free(stack);
	return 0;
}
