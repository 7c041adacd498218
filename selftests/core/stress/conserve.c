// SPDX-License-Identifier: GPL-2.0
/*
 * Conservation under stress: every task that was put comes out exactly once,
 * with the content it was put with. One program for each engine.
 *
 *	conserve [places=N] [size=N] [spare=N] [thieves=N] [items=N] [split=0|1]
 *		 [batch=0|1] [first=0|1] [share=0|1] [grow=0|1] [pause=US] [seed=N]
 *		 [limit=SECONDS]
 *
 * split=0: one thread puts and gets, as an owner with thieves; =1: one puts,
 * another gets. batch=1: put_many, get_many and steals of up to a block, mixed
 * with single ones. first=1: thieves read before they claim, and never hold up
 * a put. share=1: the owner publishes its block now and then, full or not, if
 * the engine can. grow=1, not with split: the queue has two blocks at first and
 * grows now and then, by some of them, up to the given number; when the owner
 * finds it empty, it may get other memory, with two again. pause=US: all
 * threads are put to sleep for so long, at arbitrary instructions, over and
 * over (stress.h). limit: of CPU time.
 *
 * Also checked: the owner gets tasks in the engine's order; a steal has
 * ascending ids, consecutive ones from a FIFO; after finding the queue empty
 * the owner can put, if there are enough spare blocks for all thieves that may
 * sleep between claim and count, and put fails only when all other blocks are
 * full; what the owner has drained can be detached; with every thief awake all
 * blocks come back. The payload is plain memory, written before put and read by
 * the taker, for the thread sanitizer.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer. Bounded
 * by the number of items. Seeds are printed; the schedule is the machine's, so
 * the same seed repeats the operations, not the outcome.
 *
 * Seen to fail, with mutants of ../model/mutants.list:
 *	bwos_fifo, plain	steal-store, take-all, take-no-keep, take-no-round,
 *				steal-no-count, open-no-reset
 *	batch=1 pause=200	steal-no-round, steal-one-more, open-no-count, rounds
 *				of 2 bits (thieves=4, items=5000000)
 *	the same, spare=4	replace-never, open-no-directory
 *	size=64 spare=1		replace-uncounted (thieves=4, items=20000000)
 *	split=1 batch=1 size=3	open-reset-last, steal-no-round, open-no-count
 *	tsan, split=1 batch=1	BF(put:C), BF(steal:C), BF(steal:F), BF(open:B),
 *				BF(get:B), BF(get:D)
 *	bwos_lifo, plain	steal-no-count, steal-no-index, steal-store,
 *				steal-from-zero, publish-all, up-not-drained,
 *				up-no-reset, take-store, take-open, take-all,
 *				leave-nothing, anew-uncounted, anew-no-reset,
 *				get-below
 *	batch=1 share=1 pause=200	thief-resets, steal-count-early, steal-size,
 *				steal-one-more, publish-size, up-no-floor,
 *				take-size
 *	the same, spare=4 thieves=4	up-over-tasks, up-no-directory, up-forgets,
 *				replace-never, release-never
 *	the same, size=64 spare=1	publish-same-round, release-uncounted
 *	tsan, batch=1 share=1	LI(publish:B), LI(steal:B), LI(steal:F),
 *				LI(begin:B)
 * Limitations: x86 hides weak orders from the plain variants, and some mutants
 * (steal-no-round, replace-uncounted) have windows of a few instructions that only
 * the model checker hits.
 */
#include "memory.h"

static u64 nr_thieves = 2, split, first, publish;

static void *thief(void *arg)
{
	struct party *p = (struct party *)arg;
	void *tasks[4096];
	int i, n;

	while (!is_over()) {
		u32 max = batch && rnd(&p->state) % 2 ? (u32)block_size : 1;

		/* Only a growing queue's memory is detached. */
		if (grow)
			enter(p);
		n = engine(steal)(&queue, tasks, max);
		if (grow)
			leave(p);
		if (n <= 0) {
			p->conflicts += n == WSQ_CONFLICT;
			dawdle(&p->state);
			continue;
		}
		check(n <= (int)max, "stole %d of at most %u", n, max);
		for (i = 0; i < n; i++) {
			check(!i || (ENGINE_LIFO ?
				     id_of(tasks[i]) > id_of(tasks[i - 1]) :
				     id_of(tasks[i]) == id_of(tasks[i - 1]) + 1),
			      "a steal with %llu behind %llu", id_of(tasks[i]),
			      id_of(tasks[i - 1]));
			took(p, tasks[i]);
		}
	}
	return NULL;
}

static u64 at_most(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* Puts some; returns how many: fewer than @want if the queue became full. */
static u64 put_some(struct party *p, u64 next, u64 want)
{
	void *tasks[64];
	bool published = false;
	u64 i, n;

	for (i = 0; i < want; i++) {
		payload[next + i] = (next + i) * 3;
		tasks[i] = task_of(next + i);
	}
	if (batch && rnd(&p->state) % 2) {
		n = engine(put_many)(&queue, tasks, (u32)want, &published);
	} else {
		for (n = 0; n < want; n++)
			if (engine(put)(&queue, tasks[n]) < 0)
				break;
	}
	for (i = 0; i < n; i++)
		owner_put(next + i);
	return n;
}

static u64 get_some(struct party *p, u64 want)
{
	void *tasks[64];
	u64 i, n;

	if (batch && rnd(&p->state) % 2) {
		n = engine(get_many)(&queue, tasks, (u32)want);
	} else {
		for (n = 0; n < want; n++) {
			tasks[n] = engine(get)(&queue);
			if (!tasks[n])
				break;
		}
	}
	for (i = 0; i < n; i++)
		owner_took(p, tasks[i]);
	return n;
}

static u64 places_now(void)
{
	return wsq_bwos_nr_entries(&attached->mem.dir);
}

static void owner(struct party *p)
{
	/* Thieves that read first hold no block. */
	const bool spare = nr_spare >= nr_thieves;
	u64 next = 1, full = 0, empty = 0, has_published = 0, stopped = 0, want, n;

	while (next <= nr_items) {
		want = at_most(at_most(burst(p), 64), nr_items - next + 1);
		n = put_some(p, next, want);
		next += n;
		full += n < want;
		/* With the owner and thieves in any state. */
		if (rnd(&p->state) % 16 == 0)
			grow_some(p);
		if (publish && rnd(&p->state) % 4 == 0)
			has_published += engine_publish(&queue) == WSQ_PUBLISHED;
		/* Let thieves run: more is put than got. */
		dawdle(&p->state);
		if (n < want && rnd(&p->state) % 16 == 0)
			sched_yield();
		if (ENGINE_LIFO ? rnd(&p->state) % 2 : n == want)
			continue;
		want = at_most(burst(p), 64);
		if (get_some(p, want) == want)
			continue;
		/* All tasks that are left have been claimed by thieves. */
		empty++;
		if (grow && rnd(&p->state) % 8 == 0) {
			detach(p, false);
			attach(p, first);
		}
		want = engine_capacity_held(places_now(), block_size,
					    spare || (first && !ENGINE_LIFO));
		n = at_most(at_most(want ? want : 1, 64), nr_items - next + 1);
		if (put_some(p, next, n) == n) {
			next += n;
			continue;
		}
		check(!want, "an empty queue had no room for %llu, with %llu thieves, %llu spare blocks",
		      n, nr_thieves, nr_spare);
		stopped++;
		sched_yield();
	}
	while (taken_by_all() < nr_items)
		if (!get_some(p, 64))
			sched_yield();
	printf("owner: full %llu times, empty %llu, stopped by thieves %llu, shared %llu, grew %llu, other memory %llu\n",
	       full, empty, stopped, has_published, nr_growths, nr_reattaches);
}

static void *consumer(void *arg)
{
	struct party *p = (struct party *)arg;

	while (taken_by_all() < nr_items)
		if (!get_some(p, at_most(burst(p), 64)))
			sched_yield();
	return NULL;
}

static void producer(struct party *p)
{
	u64 next = 1, want, n;

	while (next <= nr_items) {
		want = at_most(at_most(burst(p), 64), nr_items - next + 1);
		n = put_some(p, next, want);
		next += n;
		if (n < want)
			sched_yield();
	}
}

/* No other thread is left. */
static void end(struct party *p)
{
	u64 i;

	check(!engine(get)(&queue), "something is left");
	check(engine(empty)(&queue), "empty, and says it is not");
	check(!engine(waiting)(&queue), "empty, and something waits");
	for (i = 0; i < engine_capacity(places_now(), block_size); i++)
		check(engine(put)(&queue, task_of(1)) >= 0,
		      "blocks are held for good: room for %llu of %llu", i,
		      engine_capacity(places_now(), block_size));
	check(!queue.nr_held, "%u spare blocks are held for good", queue.nr_held);
	while (engine(get)(&queue))
		;
	memory_end(p, false);
}

static const struct stress_option options[] = {
	{ "places", &nr_entries },
	{ "size", &block_size },
	{ "spare", &nr_spare },
	{ "thieves", &nr_thieves },
	{ "items", &nr_items },
	{ "split", &split },
	{ "batch", &batch },
	{ "first", &first },
	{ "share", &publish },
	{ "grow", &grow },
};

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t threads[MAX_THREADS], night;
	u64 stolen, conflicts = 0;
	u32 i;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (nr_thieves > MAX_THREADS - 2 || block_size > 4096 || (grow && split) ||
	    (split && !ENGINE_SPLIT))
		return 2;
	if (!book_open() || !order_open())
		return 2;
	engine_init(&queue, &rest);
	attach(&parties[0], first);
	printf("%s %llu x %llu + %llu, %llu thieves, split %llu, batch %llu, first %llu, share %llu, grow %llu, pause %llu us, %llu items, seed %llu\n",
	       ENGINE_NAME, nr_entries, block_size, nr_spare, nr_thieves, split,
	       batch, first, publish, grow, pause_opt, nr_items, seed);

	for (i = 0; i < nr_thieves; i++)
		pthread_create(&threads[i], NULL, thief, &parties[2 + i]);
	if (split)
		pthread_create(&threads[nr_thieves], NULL, consumer, &parties[1]);
	memcpy(patients.thread, threads, sizeof(threads));
	patients.nr = (u32)(nr_thieves + split);
	patients.thread[patients.nr++] = pthread_self();
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);

	if (split) {
		producer(&parties[0]);
		pthread_join(threads[nr_thieves], NULL);
	} else {
		owner(&parties[0]);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < nr_thieves; i++)
		pthread_join(threads[i], NULL);

	end(&parties[0]);
	book_close();
	stolen = taken_by(2, nr_thieves);
	for (i = 0; i < nr_thieves; i++)
		conflicts += parties[2 + i].conflicts;
	printf("stolen %llu (%llu %%), conflicts %llu\n", stolen,
	       stolen * 100 / nr_items, conflicts);
	free(stack);
	return 0;
}
