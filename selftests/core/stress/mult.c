// SPDX-License-Identifier: GPL-2.0
/*
 * Work stealing with multiplicity under stress: an owner that puts and takes,
 * and thieves. Each task comes out at least once, and at most once for each
 * party, of whatever kind the queue is; with its content as it was put. It
 * counts how many were taken more than once.
 *
 *	mult [kind=0|1|2] [thieves=N] [blocks=N] [size=N] [batch=N] [settle=0|1]
 *	     [items=N] [pause=US] [seed=N] [limit=SECONDS]
 *
 * kind: weak, bounded, exact. batch: tasks that the owner puts, at random up to
 * so many, before it takes some. settle=1: now and then the owner asks the
 * thieves to end their steals, sets the floor, and frees the tasks taken so
 * far: a task that came out again after that would be found in freed memory.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer.
 *
 * Seen to fail (mutants of ../model/mutants.list): mult-no-look,
 * mult-not-emptied, mult-reuse-early, mult-one-look, mult-no-max; tsan:
 * WM(steal:D).
 * Limitations: neither WM(put:B) nor mult-no-floor is noticed; the model finds
 * both.
 */
#include "stress.h"

#include "ws_mult.h"

#define MAX_PARTIES	MAX_THREADS

static u64 kind, nr_thieves = 2, nr_blocks = 4, size = 8, nr_items = 20000000;
static u64 batch = 16, settle;

/**
 * struct task - a task
 * @id: plain, so that a task which is seen before its put is a race
 */
struct task {
	u64 id;
};

static struct wsq_ws_mult q;
static atomic64_t max[MAX_PARTIES];
static struct task *tasks;
/* Bits of the parties that took each task. */
static u32 *took;
static u64 steals, empty;
/* A thief is in a steal, or uses what it took. */
static u32 inside[MAX_PARTIES];
/* Tasks below this number are freed. */
static u64 freed = 1;

static void take(u64 party, struct task *task)
{
	u64 id = task->id;
	u32 was;

	check(id && id <= nr_items && task == &tasks[id], "no task: %llu", id);
	was = __atomic_fetch_or(&took[id], 1U << party, __ATOMIC_RELAXED);
	check(!(was & 1U << party), "party %llu takes task %llu twice", party, id);
	check(kind != WSQ_MULT_EXACT || !was, "task %llu is taken twice", id);
	check(kind != WSQ_MULT_BOUNDED || !party || !(was & ~1U),
	      "two thieves take task %llu", id);
}

static void *thief(void *arg)
{
	u64 me = (u64)(uintptr_t)arg, mine = 0, none = 0;
	void *task;

	while (!is_over()) {
		__atomic_store_n(&inside[me], 1, __ATOMIC_SEQ_CST);
		if (wsq_ws_mult_steal(&q, (u32)kind, &max[me], &task) == WSQ_OK) {
			take(me, task);
			mine++;
		} else {
			none++;
		}
		__atomic_store_n(&inside[me], 0, __ATOMIC_RELEASE);
		if (none % 64 == 63)
			sched_yield();
	}
	__atomic_fetch_add(&steals, mine, __ATOMIC_RELAXED);
	__atomic_fetch_add(&empty, none, __ATOMIC_RELAXED);
	return NULL;
}

/* All steals that are under way have ended once. */
static void wait_steals(void)
{
	static u32 fence;
	u64 i;

	/* gcc's thread sanitizer knows no fences. */
	__atomic_fetch_add(&fence, 1, __ATOMIC_SEQ_CST);
	for (i = 1; i <= nr_thieves; i++)
		while (__atomic_load_n(&inside[i], __ATOMIC_ACQUIRE))
			sched_yield();
}

static void set_floor(u64 id)
{
	u64 n = wsq_ws_mult_taken(&q), i;

	for (i = 1; i <= nr_thieves; i++)
		n = wsq_ws_mult_max(n, (u64)atomic64_read(&max[i]));
	wait_steals();
	wsq_ws_mult_settle(&q, n);
	wait_steals();
	/* All that was put, because the owner has just found nothing. */
	for (; freed < id; freed++) {
		check(took[freed], "task %llu was lost", freed);
		memset(&tasks[freed], 0x6b, sizeof(tasks[freed]));
	}
}

static void *owner(void *arg)
{
	u64 state = seed * 0x9e3779b97f4a7c15ULL | 1, id = 1, n, rounds = 0;
	void *task;

	(void)arg;
	while (id <= nr_items) {
		for (n = rnd(&state) % batch + 1; n && id <= nr_items; n--) {
			tasks[id].id = id;
			if (wsq_ws_mult_put(&q, &tasks[id]) != WSQ_FULL)
				id++;
			else if (!wsq_ws_mult_catch_up(&q))
				break;
		}
		for (n = rnd(&state) % batch + 1; n; n--) {
			task = wsq_ws_mult_get(&q, (u32)kind);
			if (!task)
				break;
			take(0, task);
		}
		dawdle(&state);
		if (settle && ++rounds % 512 == 0) {
			while ((task = wsq_ws_mult_get(&q, (u32)kind)))
				take(0, task);
			set_floor(id);
		}
	}
	while ((task = wsq_ws_mult_get(&q, (u32)kind)))
		take(0, task);
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	return NULL;
}

static const struct stress_option options[] = {
	{ "kind", &kind }, { "thieves", &nr_thieves }, { "blocks", &nr_blocks },
	{ "size", &size }, { "batch", &batch }, { "settle", &settle },
	{ "items", &nr_items },
};

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t threads[MAX_PARTIES], night;
	struct wsq_ws_mult_mem mem;
	u64 i, all = 0, again = 0;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (kind > WSQ_MULT_EXACT || nr_thieves >= MAX_PARTIES || nr_blocks < 2 || size < 2 ||
	    nr_blocks & (nr_blocks - 1) || size & (size - 1) || !batch)
		return 2;
	printf("kind %llu, %llu thieves, %llu x %llu, batch %llu, settle %llu, pause %llu us, %llu items, seed %llu\n",
	       kind, nr_thieves, nr_blocks, size, batch, settle, pause_opt, nr_items, seed);
	mem.nr_blocks = (u32)nr_blocks;
	mem.block_size = (u32)size;
	mem.bases = aligned_alloc(64, nr_blocks * sizeof(*mem.bases));
	mem.slots = calloc(nr_blocks * size, sizeof(*mem.slots));
	tasks = calloc(nr_items + 1, sizeof(*tasks));
	took = calloc(nr_items + 1, sizeof(*took));
	check(mem.bases && mem.slots && tasks && took, "no memory");
	memset(mem.bases, 0, nr_blocks * sizeof(*mem.bases));
	wsq_ws_mult_init(&q, &mem);

	for (i = 1; i <= nr_thieves; i++)
		pthread_create(&threads[i], NULL, thief, (void *)(uintptr_t)i);
	/* The owner ends first, and the nurse must not signal ended threads. */
	memcpy(patients.thread, threads + 1, nr_thieves * sizeof(threads[0]));
	patients.nr = (u32)nr_thieves;
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);
	owner(NULL);
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 1; i <= nr_thieves; i++)
		pthread_join(threads[i], NULL);
	for (i = 1; i <= nr_items; i++) {
		int n = __builtin_popcount(took[i]);

		check(n, "task %llu was lost", i);
		all += (u64)n;
		again += (u64)n - 1;
	}
	check(kind != WSQ_MULT_EXACT || !again, "duplicates of an exact queue");
	printf("%llu stolen, %llu in vain, %llu of %llu taken again\n", steals, empty, again, all);
	return 0;
}
