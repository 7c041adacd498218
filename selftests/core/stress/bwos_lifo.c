// SPDX-License-Identifier: GPL-2.0
/*
 * Conservation under stress of the LIFO queue: every task that was put comes out
 * exactly once, and with the content it was put with.
 *
 *	bwos_lifo [places=N] [size=N] [spare=N] [thieves=N] [items=N] [batch=0|1] [first=0|1]
 *		  [share=0|1] [grow=0|1] [pause=US] [seed=N] [limit=SECONDS]
 *
 * One thread is the owner, the others thieves. batch=1: put_many, get_many and
 * steals of up to a block, mixed with single ones. share=1: the owner shares its
 * block now and then, full or not. grow=1: the queue has two places at first, and
 * grows now and then, by some of them, to as many as were to be; when it is found
 * empty after that, it may get other memory, with as few. pause=US: all threads are put to sleep for so
 * long, at arbitrary instructions, over and over (stress.h).
 *
 * Checked besides: the owner gets the topmost task that thieves have not taken; a
 * steal is of ascending ids; an owner that found the queue empty is not refused
 * a put, and with as many spare blocks as thieves none before all blocks are
 * full (a thief that sleeps between claim and count does not stop it). The
 * payload is plain memory, written before put and read by the taker, for the
 * thread sanitizer.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer. Bounded by
 * the number of items; "limit" ends a hang. Seeds are printed; the schedule is
 * the machine's, so the same seed repeats the operations, not the outcome.
 *
 * Seen to fail, with mutants of ../model/mutants.list:
 *	plain				steal-no-count, steal-no-index, steal-store,
 *					steal-from-zero, grant-all, up-not-spent,
 *					up-no-reset, take-store, take-open, take-all,
 *					leave-nothing, anew-uncounted, anew-no-reset,
 *					get-below
 *	batch=1 share=1 pause=200	thief-resets, steal-count-early, steal-size,
 *					steal-one-more, grant-size, up-no-floor,
 *					take-size
 *	the same, spare=4 thieves=4	up-over-tasks, up-no-directory, up-forgets,
 *					replace-never, release-never
 *	the same, size=64 spare=1	grant-same-round, release-uncounted
 *	tsan, batch=1 share=1		LI(grant:B), LI(steal:B), LI(steal:F),
 *					LI(begin:B)
 * Limitations: x86 hides weak orders from the plain variants, and some mutants
 * (steal-no-round, replace-uncounted) have windows of a few instructions that
 * only the model checker hits.
 */
#include "lifo_memory.h"

static u64 nr_spare, nr_thieves = 2, share, first, grow;

static struct wsq_bwos_lifo queue;
static struct memory *mounted;
static u64 nr_growths, nr_remounts;

/* What the owner put and did not get, the last on top. */
static struct {
	u64 *id;
	u64 size, height;
} stack;

static void pushed(u64 id)
{
	stack.id[stack.height++ % stack.size] = id;
}

/*
 * What is above was stolen. There is never more above a task than the queue
 * holds: the owner cannot come around as long as that is there.
 */
static void popped(u64 id)
{
	u64 n;

	for (n = 0; stack.height && n < stack.size; n++)
		if (stack.id[--stack.height % stack.size] == id)
			return;
	fail("the owner got %llu, which is not what is on top", id);
}

static void *thief(void *arg)
{
	struct party *p = (struct party *)arg;
	void *tasks[4096];
	int i, n;

	while (!is_over()) {
		u32 max = batch && rnd(&p->state) % 2 ? (u32)block_size : 1;

		/* Only what grows is taken away. */
		if (grow)
			enter(p);
		n = wsq_bwos_lifo_steal(&queue, tasks, max);
		if (grow)
			leave(p);
		if (n <= 0) {
			p->conflicts += n == WSQ_CONFLICT;
			dawdle(&p->state);
			continue;
		}
		check(n <= (int)max, "stole %d of at most %u", n, max);
		for (i = 0; i < n; i++) {
			check(!i || id_of(tasks[i]) > id_of(tasks[i - 1]),
			      "a steal with %llu behind %llu", id_of(tasks[i]),
			      id_of(tasks[i - 1]));
			took(p, tasks[i]);
		}
	}
	return NULL;
}

/* Puts some; returns how many: less than asked for if the queue had no room. */
static u64 put_some(struct party *p, u64 next, u64 want)
{
	void *tasks[64];
	bool opened = false;
	u64 i, n;

	for (i = 0; i < want; i++) {
		payload[next + i] = (next + i) * 3;
		tasks[i] = task_of(next + i);
	}
	if (batch && rnd(&p->state) % 2) {
		n = wsq_bwos_lifo_put_many(&queue, tasks, (u32)want, &opened);
	} else {
		for (n = 0; n < want; n++)
			if (wsq_bwos_lifo_put(&queue, tasks[n]) < 0)
				break;
	}
	for (i = 0; i < n; i++)
		pushed(next + i);
	return n;
}

static u64 get_some(struct party *p, u64 want)
{
	void *tasks[64];
	u64 i, n;

	if (batch && rnd(&p->state) % 2) {
		n = wsq_bwos_lifo_get_many(&queue, tasks, (u32)want);
	} else {
		for (n = 0; n < want; n++) {
			tasks[n] = wsq_bwos_lifo_get(&queue);
			if (!tasks[n])
				break;
		}
	}
	for (i = 0; i < n; i++) {
		popped(id_of(tasks[i]));
		took(p, tasks[i]);
	}
	return n;
}

static u64 at_most(u64 a, u64 b, u64 c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

static void mount(void)
{
	mounted = memory_new((u32)nr_places, (u32)block_size, (u32)nr_spare, grow);
	/* Constant, once thieves know it. */
	mounted->mem.read_first = first;
	wsq_bwos_lifo_mount(&queue, &mounted->mem);
}

/* The queue is empty, of memory that may have grown: begin anew. */
static void remount(void)
{
	check(wsq_bwos_lifo_unmount(&queue) == &mounted->mem,
	      "empty, and its memory is not given back");
	memory_retire(mounted, false);
	mount();
	nr_remounts++;
}

static u64 all_places(void)
{
	return wsq_bwos_places(&mounted->mem.dir);
}

/* What an empty queue has room for, whatever thieves do. */
static u64 room_if_empty(void)
{
	return nr_spare < nr_thieves ? 1 : (all_places() - 1) * block_size + 1;
}

static void owner(struct party *p)
{
	u64 next = 1, full = 0, empty = 0, shared = 0, want, n;

	while (next <= nr_items) {
		want = at_most(burst(p), 64, nr_items - next + 1);
		n = put_some(p, next, want);
		next += n;
		full += n < want;
		/* From any place, and however much is below it. */
		if (grow && rnd(&p->state) % 16 == 0)
			nr_growths += memory_grow(mounted, &queue, p) > 0;
		if (share && rnd(&p->state) % 4 == 0)
			shared += wsq_bwos_lifo_share(&queue) == WSQ_OPENED;
		/* Thieves shall have their chance: more is put than got. */
		dawdle(&p->state);
		if (n < want && rnd(&p->state) % 2)
			sched_yield();
		if (rnd(&p->state) % 2)
			continue;
		want = at_most(burst(p), 64, 64);
		if (get_some(p, want) == want)
			continue;
		/* Nothing is left. */
		if (grow && rnd(&p->state) % 8 == 0)
			remount();
		want = at_most(room_if_empty(), 64, nr_items - next + 1);
		n = put_some(p, next, want);
		check(n == want, "an empty queue had room for %llu only, with %llu thieves, %llu spare blocks",
		      n, nr_thieves, nr_spare);
		next += n;
		empty++;
	}
	printf("owner: full %llu times, empty %llu, shared %llu, grew %llu, other memory %llu\n",
	       full, empty, shared, nr_growths, nr_remounts);
}

static const struct stress_option options[] = {
	{ "places", &nr_places },
	{ "size", &block_size },
	{ "spare", &nr_spare },
	{ "thieves", &nr_thieves },
	{ "items", &nr_items },
	{ "batch", &batch },
	{ "first", &first },
	{ "share", &share },
	{ "grow", &grow },
};

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t threads[MAX_THREADS], night;
	u64 stolen, conflicts = 0;
	u32 i;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (nr_thieves > MAX_THREADS - 1 || block_size > 4096)
		return 2;
	wsq_bwos_lifo_init(&queue);
	mount();
	stack.size = nr_places * block_size;
	stack.id = (u64 *)calloc(stack.size, sizeof(*stack.id));
	if (!stack.id || !book_open())
		return 2;
	printf("%llu x %llu + %llu, %llu thieves, batch %llu, first %llu, share %llu, grow %llu, pause %llu us, %llu items, seed %llu\n",
	       nr_places, block_size, nr_spare, nr_thieves, batch, first, share,
	       grow, pause_opt, nr_items, seed);

	for (i = 0; i < nr_thieves; i++)
		pthread_create(&threads[i], NULL, thief, &parties[1 + i]);
	memcpy(patients.thread, threads, sizeof(threads));
	patients.nr = (u32)nr_thieves;
	patients.thread[patients.nr++] = pthread_self();
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);

	owner(&parties[0]);
	while (taken_by_all() < nr_items)
		if (!get_some(&parties[0], 64))
			sched_yield();
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < nr_thieves; i++)
		pthread_join(threads[i], NULL);

	check(!wsq_bwos_lifo_get(&queue), "something is left");
	check(wsq_bwos_lifo_empty(&queue), "empty, and says it is not");
	check(!wsq_bwos_lifo_waiting(&queue), "empty, and something waits");
	/* With every thief awake all blocks come back. */
	for (i = 0; i < all_places() * block_size; i++)
		check(wsq_bwos_lifo_put(&queue, task_of(1)) >= 0,
		      "%llu blocks are held for good",
		      all_places() - i / block_size);
	check(!queue.nr_held, "%u spare blocks are held for good", queue.nr_held);
	book_close();
	stolen = taken_by(1, nr_thieves);
	for (i = 0; i < nr_thieves; i++)
		conflicts += parties[1 + i].conflicts;
	printf("stolen %llu (%llu %%), conflicts %llu\n", stolen,
	       stolen * 100 / nr_items, conflicts);
	memory_reap(false);
	check(!retired, "a section without a party");
	memory_free(mounted, false);
	free(stack.id);
	return 0;
}
