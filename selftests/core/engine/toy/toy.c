// SPDX-License-Identifier: GPL-2.0
/*
 * The toy engine's ring under stress, with a lock as in kmod/toy.h: every task
 * that was put comes out exactly once, with the content it was put with.
 *
 *	toy [places=N] [size=N] [thieves=N] [removers=N] [items=N] [batch=0|1]
 *	    [pause=US] [seed=N] [limit=SECONDS]
 *
 * One thread puts and takes, thieves take, and removers remove recent tasks by
 * the slot numbers that the owner notes down. The ring has 2 blocks at first
 * and grows now and then, up to the given number. Also checked: each party gets
 * ascending tasks, the number of tasks, and that an empty ring has all its
 * space.
 *
 * For: tools/check/engine, under shim/threads, plain and with a sanitizer.
 * Bounded by the number of items.
 *
 * Limitation: a spinning lock; it has to be the machine's own threads.
 */
#include "book.h"

/* For racy readers, of which there are none here. */
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), (v), __ATOMIC_RELAXED)

#include "kmod/ring.h"

static u64 nr_thieves = 2, nr_removers = 1;

static pthread_spinlock_t lock;
static struct toy_ring ring;
static u32 *note;
static u64 next_id = 1;

static u32 take(void **tasks, u32 max)
{
	u32 n;

	pthread_spin_lock(&lock);
	n = toy_ring_take(&ring, tasks, max);
	pthread_spin_unlock(&lock);
	return n;
}

static u32 take_some(struct party *p)
{
	u32 n, i, max = batch ? (u32)(rnd(&p->state) % 8) + 1 : 1;
	void *tasks[8];

	n = take(tasks, max);
	check(n <= max, "took %u of at most %u", n, max);
	for (i = 0; i < n; i++)
		took_in_order(p, tasks[i]);
	return n;
}

static void *thief(void *arg)
{
	struct party *p = (struct party *)arg;

	while (!is_over())
		if (!take_some(p))
			dawdle(&p->state);
	return NULL;
}

static void *remover(void *arg)
{
	struct party *p = (struct party *)arg;

	while (!is_over()) {
		u64 r = rnd(&p->state), back = r % ring.nr;
		u64 id = __atomic_load_n(&next_id, __ATOMIC_RELAXED);
		u32 slot;
		bool was;

		id = id > back + 1 ? id - back - 1 : 1;
		slot = __atomic_load_n(&note[id], __ATOMIC_RELAXED);
		/* Any number may be asked for. */
		if ((r >> 32) % 64 == 0)
			slot = (u32)(r >> 38);
		pthread_spin_lock(&lock);
		was = toy_ring_remove(&ring, slot, task_of(id));
		pthread_spin_unlock(&lock);
		if (was)
			took(p, task_of(id));
		else
			dawdle(&p->state);
	}
	return NULL;
}

/* Put up to @want tasks from @id; returns how many. */
static u64 put_some(u64 id, u64 want)
{
	u64 n;

	for (n = 0; n < want; n++)
		payload[id + n] = (id + n) * 3;
	pthread_spin_lock(&lock);
	if (want > toy_ring_space(&ring))
		want = toy_ring_space(&ring);
	for (n = 0; n < want; n++) {
		__atomic_store_n(&note[id + n], toy_ring_next(&ring),
				 __ATOMIC_RELAXED);
		toy_ring_put(&ring, task_of(id + n));
	}
	pthread_spin_unlock(&lock);
	__atomic_store_n(&next_id, id + n, __ATOMIC_RELAXED);
	return n;
}

static void grow_some(void)
{
	pthread_spin_lock(&lock);
	if (ring.limit < nr_entries * block_size)
		ring.limit += (u32)block_size;
	pthread_spin_unlock(&lock);
}

static void owner(struct party *p)
{
	u64 next = 1, want, n, full = 0;

	while (next <= nr_items) {
		want = burst(p);
		if (want > nr_items - next + 1)
			want = nr_items - next + 1;
		n = put_some(next, want);
		next += n;
		full += n < want;
		dawdle(&p->state);
		if (rnd(&p->state) % 4096 == 0)
			grow_some();
		if (n < want || rnd(&p->state) % 2)
			take_some(p);
	}
	while (taken_by_all() < nr_items)
		if (!take_some(p))
			sched_yield();
	printf("full %llu times, %u places in the end\n", full,
	       ring.limit / (u32)block_size);
}

static const struct stress_option options[] = {
	{ "places", &nr_entries },
	{ "size", &block_size },
	{ "thieves", &nr_thieves },
	{ "removers", &nr_removers },
	{ "items", &nr_items },
	{ "batch", &batch },
};

int main(int argc, char **argv)
{
	u64 nr, i;
	struct patients patients = { .nr = 0 };
	pthread_t night;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	nr = nr_thieves + nr_removers;
	if (nr_entries < 2 || nr > MAX_THREADS - 1)
		return 2;
	ring.limit = 2 * (u32)block_size;
	for (ring.nr = 1; ring.nr < nr_entries * block_size; ring.nr *= 2)
		;
	ring.slots = (void **)calloc(ring.nr, sizeof(*ring.slots));
	note = (u32 *)calloc(nr_items + 2, sizeof(*note));
	if (!book_open() || !ring.slots || !note)
		return 2;
	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	printf("toy %llu x %llu, %llu thieves, %llu removers, pause %llu us, %llu items, seed %llu\n",
	       nr_entries, block_size, nr_thieves, nr_removers, pause_opt,
	       nr_items, seed);
	for (i = 0; i < nr; i++)
		pthread_create(&patients.thread[i], NULL,
			       i < nr_thieves ? thief : remover, &parties[1 + i]);
	patients.nr = (u32)nr;
	patients.thread[patients.nr++] = pthread_self();
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);
	owner(&parties[0]);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < nr; i++)
		pthread_join(patients.thread[i], NULL);

	check(!ring.used, "empty, and %u tasks are counted", ring.used);
	check(toy_ring_space(&ring) == ring.limit,
	      "empty, and space for %u of %u", toy_ring_space(&ring), ring.limit);
	book_close();
	printf("stolen %llu, removed %llu\n", taken_by(1, nr_thieves),
	       taken_by(1 + nr_thieves, nr_removers));
	free(note);
	free(ring.slots);
	return 0;
}
