// SPDX-License-Identifier: GPL-2.0
/*
 * Claimed slots of the LIFO queue under stress, and memory that comes and goes:
 * every task comes out exactly once, by whichever way, with the content it was put
 * with.
 *
 *	lifo_claims [places=N] [size=N] [spare=N] [thieves=N] [pryers=N]
 *		    [withdrawers=N] [items=N] [batch=0|1] [share=0|1] [oldest=N]
 *		    [remount=0|1] [grow=0|1] [pause=US] [seed=N] [limit=SECONDS]
 *
 * The owner puts by reserve, fill and commit and takes by claim, each oldest-th
 * time by claim_oldest; thieves steal by claim, from the lowest block or from one
 * of which a sample says that it has something; pryers take out of the owner's
 * block; withdrawers take back recent tasks by the slot numbers that the owner
 * noted down for them. batch=1: commits of several slots, in one or more steps,
 * and steals of up to a block. share=1: the owner shares its block now and then.
 * remount=1: whenever the owner has drained the queue it takes the memory away and
 * mounts another one, of other places, size and spare blocks up to those given;
 * the old one is freed when each party has left the section it was in, as after
 * RCU's grace period. grow=1: memory has two places at first, and grows now and
 * then, by some places and a spare block, to as many as were to be. pause: stress.h.
 *
 * Checked besides: a slot that is filled was empty; the owner gets the topmost
 * task that nobody has taken, a steal is of ascending ids within a block; an owner
 * that found the queue empty has room for a task; what the owner has drained can
 * be unmounted; in memory that nobody uses any more each slot holds NULL; the
 * payload is plain memory, written before fill and read by the taker, and so is
 * the description of the memory, for the thread sanitizer; a note has no order, so
 * that a withdrawer has nothing but the slot.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer. Bounded by
 * the number of items; "limit" ends a hang.
 *
 * Seen to fail, with mutants of ../model/mutants.list:
 *	plain, thieves=2	claim-store, haul-store, pry-no-claim,
 *				withdraw-no-claim, commit-one-less, thief-resets,
 *				steal-no-count, steal-count-early, steal-no-index,
 *				steal-store, steal-from-zero, grant-all, up-not-spent,
 *				up-no-reset, up-no-floor, up-forgets, take-store,
 *				take-open, take-all, leave-nothing, anew-uncounted,
 *				anew-no-reset, get-below, unmount-nonempty,
 *				unmount-no-init
 *	places=4 size=8 spare=2 thieves=2 pryers=2 withdrawers=2 batch=1 share=1
 *	pause=200		steal-size, steal-one-more, up-over-tasks,
 *				up-no-directory, anew-never, release-never
 *	remount=1		down-first-only
 *
 * Limitations: as bwos_lifo.c's. Claimed slots are atomic words, which hides from
 * the thread sanitizer what the positions order, and a thief that goes beyond a
 * grant (grant-size, take-size) finds empty slots and no task: bwos_lifo.c and
 * ../litmus cover that.
 */
#include "lifo_memory.h"

static u64 nr_spare, nr_thieves = 1, nr_pryers = 1, nr_withdrawers = 1;
static u64 share, oldest = 64, remount, grow;

static struct wsq_bwos_lifo queue;
static u32 *note;
static u64 next_id = 1;

/* What the owner put and did not get, the last on top. */
static struct {
	u32 *id;
	u64 height;
} stack;

static struct memory *mounted;
static u64 nr_remounts, nr_oldest, nr_growths;

static void *thief(void *arg)
{
	struct party *p = (struct party *)arg;
	void *tasks[4096];
	int i, n;

	while (!is_over()) {
		u32 max = batch && rnd(&p->state) % 2 ? (u32)block_size : 1;
		u64 r = rnd(&p->state);
		u32 place = (u32)(r >> 8) % (u32)nr_places;

		enter(p);
		if (r % 4)
			n = wsq_bwos_lifo_steal_claim(&queue, tasks, max);
		else if (wsq_bwos_lifo_sample(&queue, place))
			n = wsq_bwos_lifo_steal_claim_at(&queue, place, tasks, max);
		else
			n = 0;
		leave(p);
		check(n <= (int)max, "stole %d of at most %u", n, max);
		for (i = 0; i < n; i++) {
			check(!i || id_of(tasks[i]) > id_of(tasks[i - 1]),
			      "a steal with %llu behind %llu", id_of(tasks[i]),
			      id_of(tasks[i - 1]));
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
		u32 max = (u32)(rnd(&p->state) % 64) + 1;

		enter(p);
		n = wsq_bwos_lifo_pry(&queue, tasks, max);
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
		ok = wsq_bwos_lifo_withdraw(&queue, nr, task_of(id));
		leave(p);
		if (ok)
			took(p, task_of(id));
		else
			dawdle(&p->state);
	}
	return NULL;
}

static void mount(struct party *p)
{
	u64 r = rnd(&p->state);

	if (!remount)
		mounted = memory_new((u32)nr_places, (u32)block_size,
				     (u32)nr_spare, grow);
	else
		mounted = memory_new((u32)(2 + r % (nr_places - 1)),
				     (u32)(2 + (r >> 16) % (block_size - 1)),
				     (u32)((r >> 32) % (nr_spare + 1)), grow);
	wsq_bwos_lifo_mount(&queue, &mounted->mem);
}

/* The queue is drained: nothing may keep its memory. */
static void unmount(void)
{
	struct memory *m = mounted;
	struct wsq_bwos_room room;

	check(wsq_bwos_lifo_unmount(&queue) == &m->mem,
	      "drained, and its memory is not given back");
	check(wsq_bwos_lifo_reserve(&queue, &room) == WSQ_FULL,
	      "room without memory");
	check(!wsq_bwos_lifo_claim(&queue), "a task without memory");
	nr_remounts++;
	memory_retire(m, true);
}

/* Puts some; returns how many: less than asked for if there was no room. */
static u64 put_some(struct party *p, u64 want)
{
	u64 done = 0;

	while (done < want && next_id <= nr_items) {
		u64 left = nr_items - next_id + 1;
		struct wsq_bwos_room room;
		u32 n = 1, k;

		if (wsq_bwos_lifo_reserve(&queue, &room) < 0)
			break;
		check(room.n && room.n <= mounted->mem.block_size,
		      "room for %u", room.n);
		if (batch && rnd(&p->state) % 2) {
			n = room.n < want - done ? room.n : (u32)(want - done);
			n = n < left ? n : (u32)left;
		}
		for (k = 0; k < n; k++) {
			void *was = wsq_slot_peek(&queue.slots[room.b + k]);
			u64 id = next_id;

			check(!was, "slot %u is filled, and holds task %llu",
			      room.nr + k, id_of(was));
			payload[id] = id * 3;
			stack.id[stack.height++] = (u32)id;
			__atomic_store_n(&note[id], room.nr + k, __ATOMIC_RELAXED);
			wsq_bwos_lifo_fill(&queue, &room, k, task_of(id));
			__atomic_store_n(&next_id, id + 1, __ATOMIC_RELAXED);
			/* Between fill and commit only withdrawers may come. */
			if (rnd(&p->state) % 8 == 0)
				dawdle(&p->state);
			if (batch && rnd(&p->state) % 4 == 0)
				wsq_bwos_lifo_commit(&queue, &room, k + 1);
		}
		wsq_bwos_lifo_commit(&queue, &room, n);
		done += n;
	}
	return done;
}

/* What is above was taken by others. */
static void popped(u64 id)
{
	while (stack.height)
		if (stack.id[--stack.height] == id)
			return;
	fail("the owner got %llu, which is not what is on top", id);
}

/* Takes some, or walks over where some have been; false if there was nothing. */
static bool take_some(struct party *p, u64 want)
{
	while (want--) {
		bool top = !oldest || rnd(&p->state) % oldest;
		void *task = top ? wsq_bwos_lifo_claim(&queue) :
				   wsq_bwos_lifo_claim_oldest(&queue);

		if (!task)
			return false;
		if (task == WSQ_TOMB)
			continue;
		if (top)
			popped(id_of(task));
		nr_oldest += !top;
		took(p, task);
	}
	return true;
}

static void owner(struct party *p)
{
	u64 full = 0, empty = 0, shared = 0, want;

	while (next_id <= nr_items) {
		want = burst(p);
		full += put_some(p, want) < want;
		/* From any place, and however much is below it. */
		if (grow && rnd(&p->state) % 16 == 0)
			nr_growths += memory_grow(mounted, &queue, p) > 0;
		if (share && rnd(&p->state) % 4 == 0)
			shared += wsq_bwos_lifo_share(&queue) == WSQ_OPENED;
		/* The others shall have their chance: more is put than taken. */
		dawdle(&p->state);
		if (remount && rnd(&p->state) % 4 == 0) {
			while (take_some(p, 64))
				;
			unmount();
			dawdle(&p->state);
			mount(p);
			continue;
		}
		if (rnd(&p->state) % 2 || take_some(p, burst(p)))
			continue;
		/* Nothing is left. */
		if (next_id <= nr_items)
			check(put_some(p, 1), "an empty queue has no room");
		empty++;
	}
	while (taken_by_all() < nr_items)
		if (!take_some(p, 64))
			sched_yield();
	printf("owner: full %llu times, empty %llu, shared %llu, other memory %llu, oldest %llu, grew %llu\n",
	       full, empty, shared, nr_remounts, nr_oldest, nr_growths);
}

/* All is over, and nobody else is left. */
static void end(struct party *p)
{
	u32 i, n = wsq_bwos_places(&mounted->mem.dir) * mounted->mem.block_size;
	struct wsq_bwos_room room;

	while (take_some(p, 64))
		;
	check(wsq_bwos_lifo_empty(&queue), "empty, and says it is not");
	check(!wsq_bwos_lifo_waiting(&queue), "empty, and something waits");
	/* With every thief awake all blocks come back. */
	for (i = 0; i < n; i++) {
		check(wsq_bwos_lifo_reserve(&queue, &room) >= 0,
		      "blocks are held for good: room for %u of %u", i, n);
		wsq_bwos_lifo_fill(&queue, &room, 0, task_of(1));
		wsq_bwos_lifo_commit(&queue, &room, 1);
	}
	check(!queue.nr_held, "%u spare blocks are held for good", queue.nr_held);
	for (i = 0; i < n; i++)
		check(id_of(wsq_bwos_lifo_claim(&queue)) == 1, "a task is lost");
	check(!wsq_bwos_lifo_claim(&queue), "something is left");
	unmount();
	check(!retired, "a section without a party");
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
	stack.id = (u32 *)calloc(nr_items + 1, sizeof(*stack.id));
	if (!note || !stack.id || !book_open())
		return 2;
	printf("%llu x %llu + %llu, %llu thieves, %llu pryers, %llu withdrawers, batch %llu, share %llu, oldest %llu, remount %llu, grow %llu, pause %llu us, %llu items, seed %llu\n",
	       nr_places, block_size, nr_spare, nr_thieves, nr_pryers,
	       nr_withdrawers, batch, share, oldest, remount, grow, pause_opt,
	       nr_items, seed);
	wsq_bwos_lifo_init(&queue);
	mount(&parties[0]);

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
	free(stack.id);
	return 0;
}
