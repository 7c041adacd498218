// SPDX-License-Identifier: GPL-2.0
/*
 * Conservation under stress: every task that was put comes out exactly once,
 * and with the content it was put with.
 *
 *	bwos_fifo [places=N] [size=N] [spare=N] [thieves=N] [items=N] [split=0|1]
 *		  [batch=0|1] [first=0|1] [grow=0|1] [pause=US] [seed=N]
 *		  [limit=SECONDS]
 *
 * first=1: thieves read before they claim, and hold up nobody.
 * split=0: one thread puts and gets, as an owner with thieves; =1: one puts,
 * another gets. batch=1: put_many, get_many and steals of up to a block, mixed
 * with single ones. grow=1, not with split: the queue begins with two places, and
 * gets one or two more at times, until there are as many as were to be. pause=US:
 * all threads are put to sleep for so long, at arbitrary instructions, over and
 * over (stress.h).
 *
 * Checked besides: the consumer sees ascending ids, a steal is one run of ids;
 * the payload is plain memory, written before put and read by the taker, for
 * the thread sanitizer; and with as many spare blocks as thieves an owner is
 * never refused a put after its get found nothing (a thief that sleeps between
 * claim and count does not stop it).
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer. Bounded by
 * the number of items; "limit" ends a hang. Seeds are printed; the schedule is
 * the machine's, so the same seed repeats the operations, not the outcome.
 *
 * Seen to fail, with mutants of ../model/mutants.list:
 *	plain			steal-store, take-all, take-no-keep, take-no-round,
 *				steal-no-count, open-no-reset
 *	batch=1 pause=200	steal-no-round, steal-one-more, open-no-count, rounds
 *				of 2 bits (thieves=4, items=5000000)
 *	the same, spare=4	replace-never, open-no-directory
 *	size=64 spare=1		replace-uncounted (thieves=4, items=20000000)
 *	split=1 batch=1 size=3	open-reset-last, steal-no-round, open-no-count
 *	tsan, split=1 batch=1	BF(put:C), BF(steal:C), BF(steal:F), BF(open:B),
 *				BF(get:B), BF(get:D)
 * Limitations: x86 hides weak orders from the plain variants, and some mutants
 * (take-store, steal-no-index, open-grant-last) have windows of a few
 * instructions that only the model checker hits.
 */
#include "book.h"

static u64 nr_spare, nr_thieves = 2, split, first, grow;

static struct queue *queue;
static struct wsq_bwos_piece pieces[WSQ_BWOS_MAX_BLOCKS];
static u32 nr_pieces;

static void *thief(void *arg)
{
	struct party *p = (struct party *)arg;
	void *tasks[4096];
	int i, n;

	while (!is_over()) {
		u32 max = batch && rnd(&p->state) % 2 ? (u32)block_size : 1;

		n = wsq_bwos_fifo_steal(&queue->q, tasks, max);
		if (n <= 0) {
			p->conflicts += n == WSQ_CONFLICT;
			dawdle(&p->state);
			continue;
		}
		check(n <= (int)max, "stole %d of at most %u", n, max);
		for (i = 0; i < n; i++) {
			check(!i || id_of(tasks[i]) == id_of(tasks[i - 1]) + 1,
			      "a steal with %llu behind %llu", id_of(tasks[i]),
			      id_of(tasks[i - 1]));
			took(p, tasks[i]);
		}
	}
	return NULL;
}

/* Puts some; returns how many, and in *full whether the queue had no room. */
static u64 put_some(struct party *p, u64 next, u64 want, bool *full)
{
	void *tasks[64];
	bool opened = false;
	u64 i, n;

	want = want < 64 ? want : 64;
	want = want < nr_items - next + 1 ? want : nr_items - next + 1;
	for (i = 0; i < want; i++) {
		payload[next + i] = (next + i) * 3;
		tasks[i] = task_of(next + i);
	}
	if (batch && rnd(&p->state) % 2) {
		n = wsq_bwos_fifo_put_many(&queue->q, tasks, (u32)want, &opened);
	} else {
		for (n = 0; n < want; n++)
			if (wsq_bwos_fifo_put(&queue->q, tasks[n]) < 0)
				break;
	}
	*full = n < want;
	return n;
}

static u64 get_some(struct party *p, u64 want)
{
	void *tasks[64];
	u64 i, n;

	want = want < 64 ? want : 64;
	if (batch && rnd(&p->state) % 2) {
		n = wsq_bwos_fifo_get_many(&queue->q, tasks, (u32)want);
	} else {
		for (n = 0; n < want; n++) {
			tasks[n] = wsq_bwos_fifo_get(&queue->q);
			if (!tasks[n])
				break;
		}
	}
	for (i = 0; i < n; i++)
		took_in_order(p, tasks[i]);
	return n;
}

/* Evenly over the first three quarters of the tasks. */
static void grow_some(struct party *p, u64 next)
{
	u64 due = 2 + (nr_places - 2) * 4 * next / (3 * nr_items);
	u32 n = (u32)(1 + rnd(&p->state) % 2), there;
	struct wsq_bwos_piece *piece;

	there = wsq_bwos_places(&queue->mem.dir);
	if (!grow || there >= due || there == nr_places)
		return;
	piece = &pieces[nr_pieces++];
	/* The last one may bring more than there is room for. */
	piece_new(piece, n, (u32)block_size, 0);
	n = n < nr_places - there ? n : (u32)nr_places - there;
	check(wsq_bwos_fifo_extend(&queue->q, piece) == n,
	      "%u places did not grow by %u", there, n);
	check(!wsq_bwos_fifo_short(&queue->q), "grew, and is short");
}

static void owner(struct party *p)
{
	const bool never_stops = first || nr_spare >= nr_thieves;
	u64 next = 1, refused = 0;
	bool full = false;

	while (next <= nr_items) {
		grow_some(p, next);
		next += put_some(p, next, burst(p), &full);
		/* Thieves shall have their chance: they take what is left here. */
		dawdle(&p->state);
		if (!full || get_some(p, burst(p)))
			continue;
		/* Nothing to get: only a thief can be in the way. */
		next += put_some(p, next, 1, &full);
		if (!full)
			continue;
		check(!never_stops, "%llu thieves stopped an owner with %llu spare blocks",
		      nr_thieves, nr_spare);
		refused++;
		sched_yield();
	}
	printf("owner: stopped by thieves %llu times\n", refused);
}

static void *consumer(void *arg)
{
	struct party *p = (struct party *)arg;

	while (taken_by_all() < nr_items)
		if (!get_some(p, burst(p)))
			sched_yield();
	return NULL;
}

static void producer(struct party *p)
{
	bool full;
	u64 next = 1;

	while (next <= nr_items) {
		next += put_some(p, next, burst(p), &full);
		if (full)
			sched_yield();
	}
}

static const struct stress_option options[] = {
	{ "places", &nr_places },
	{ "size", &block_size },
	{ "spare", &nr_spare },
	{ "thieves", &nr_thieves },
	{ "items", &nr_items },
	{ "split", &split },
	{ "batch", &batch },
	{ "first", &first },
	{ "grow", &grow },
};

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t threads[MAX_THREADS], night;
	u64 stolen, conflicts = 0;
	u32 i;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (nr_thieves > MAX_THREADS - 2 || block_size > 4096 || (grow && split))
		return 2;
	queue = queue_new_max(grow ? 2 : (u32)nr_places, (u32)block_size,
			      (u32)nr_spare, (u32)nr_places, (u32)nr_spare);
	/* Constant: no thief is there yet. */
	queue->mem.read_first = first;
	if (!book_open())
		return 2;
	printf("%llu x %llu + %llu, %llu thieves, split %llu, batch %llu, first %llu, grow %llu, pause %llu us, %llu items, seed %llu\n",
	       nr_places, block_size, nr_spare, nr_thieves, split, batch, first,
	       grow, pause_opt, nr_items, seed);

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
		while (taken_by_all() < nr_items)
			if (!get_some(&parties[0], 64))
				sched_yield();
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < nr_thieves; i++)
		pthread_join(threads[i], NULL);

	check(!wsq_bwos_fifo_get(&queue->q), "something is left");
	check(wsq_bwos_fifo_empty(&queue->q), "empty, and says it is not");
	check(wsq_bwos_places(&queue->mem.dir) == nr_places,
	      "%u places", wsq_bwos_places(&queue->mem.dir));
	book_close();
	stolen = taken_by(2, nr_thieves);
	for (i = 0; i < nr_thieves; i++)
		conflicts += parties[2 + i].conflicts;
	printf("stolen %llu (%llu %%), conflicts %llu\n", stolen,
	       stolen * 100 / nr_items, conflicts);
	while (nr_pieces)
		piece_free(&pieces[--nr_pieces]);
	queue_free(queue);
	return 0;
}
