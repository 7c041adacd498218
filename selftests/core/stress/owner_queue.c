// SPDX-License-Identifier: GPL-2.0
/*
 * Owner queues under stress: pushers, and workers that own queues, a few items
 * at a time, then put them at the end of the list of queues with items. Half
 * the time a pusher that becomes the owner acts as the worker itself. Every
 * item comes out as often as it was pushed, with its content, each pusher's in
 * the order of pushing, and no queue ever has two owners.
 *
 *	owner_queue [pushers=N] [workers=N] [queues=N] [items=N] [batch=0|1]
 *		    [life=0|1] [pause=US] [seed=N] [limit=SECONDS]
 *
 * batch=1: owners count items taken in batches. life=1: each pusher makes its
 * own queue, pushes a few items, waits until the queue is idle, and frees it;
 * queues=N has no effect then.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer.
 *
 * Seen to fail (mutants of ../model/mutants.list):
 *	plain		oq-reverse-forgets, oq-inbox-says-who, oq-done-store; with
 *			eight queues and batch=1, oq-counts-first
 *	tsan		OQ(push:A), OQ(done:A); life=1: OQ(idle:A)
 * Limitations: OQ(owed:A) without acquire is not noticed on x86, nor was an
 * owner that looks once more at a queue it has released (oq-looks-again): the
 * window is two instructions. The model finds both.
 */
#include "stress.h"

#include "owner_queue.h"

#define NR_OWN		16
#define NR_QUEUES	64
#define NR_LIFE		6

static u64 nr_pushers = 3, nr_workers = 2, nr_queues = 4, nr_items = 200000;
static u64 batch, life;

struct item {
	atomic64_t link;
	u64 pusher, seq;
	u32 in;			/* 1 while pushed; the owner clears it */
};

/**
 * struct queue - an owner queue and its tasks' state
 * @oq: the queue
 * @next: next in the list of queues with items
 * @nr: tasks that have run. Owner; plain, so that two owners are a race.
 * @inside: there is an owner
 * @last: of each pusher, the item that ran last. Owner.
 */
struct queue {
	struct wsq_owner_queue oq;
	struct queue *next;
	u64 nr;
	u32 inside;
	u64 last[MAX_THREADS];
};

static struct queue queues[NR_QUEUES];
static struct item items[MAX_THREADS][NR_OWN];
static u64 ran_of[MAX_THREADS], opens, conflicts, handed;

static struct queue *first, **end = &first;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

static void list_add(struct queue *q)
{
	q->next = NULL;
	pthread_mutex_lock(&list_lock);
	*end = q;
	end = &q->next;
	pthread_mutex_unlock(&list_lock);
}

static struct queue *list_take(void)
{
	struct queue *q;

	pthread_mutex_lock(&list_lock);
	q = first;
	if (q) {
		first = q->next;
		if (!first)
			end = &first;
	}
	pthread_mutex_unlock(&list_lock);
	return q;
}

static void run(struct queue *q)
{
	atomic64_t *link = wsq_oq_pop(&q->oq);
	struct item *it = (struct item *)link;
	u64 who;

	check(link, "nothing there, though it was counted");
	who = it->pusher;
	check(who < nr_pushers, "an item of pusher %llu", who);
	check(__atomic_load_n(&it->in, __ATOMIC_RELAXED) == 1,
	      "pusher %llu, item %llu came out twice", who, it->seq);
	check(it->seq > q->last[who], "pusher %llu: item %llu behind %llu", who,
	      it->seq, q->last[who]);
	q->last[who] = it->seq;
	q->nr++;
	__atomic_fetch_add(&ran_of[who], 1, __ATOMIC_RELAXED);
	__atomic_store_n(&it->in, 0, __ATOMIC_RELEASE);
}

/* Owns @q for up to @budget items. */
static void own(struct queue *q, u64 *state, u32 budget)
{
	u64 owed = wsq_oq_owed(&q->oq);

	check(!__atomic_exchange_n(&q->inside, 1, __ATOMIC_RELAXED),
	      "two owners");
	for (;;) {
		u32 nr, most = batch && owed < budget ? (u32)owed : 1;

		check(owed, "an owner of nothing");
		for (nr = 0; nr < most; nr++) {
			while (!wsq_oq_reverse(&q->oq, (u32)(rnd(state) % 4 + 1)))
				;
			run(q);
		}
		budget -= nr < budget ? nr : budget;
		__atomic_store_n(&q->inside, 0, __ATOMIC_RELAXED);
		owed = wsq_oq_done(&q->oq, nr);
		if (!owed)
			return;
		if (!budget)
			break;
		check(!__atomic_exchange_n(&q->inside, 1, __ATOMIC_RELAXED),
		      "two owners");
	}
	__atomic_fetch_add(&handed, 1, __ATOMIC_RELAXED);
	list_add(q);
}

static void push(struct queue *q, struct item *it, u64 *state)
{
	int ret;

	it->in = 1;
	while ((ret = wsq_oq_try_push(&q->oq, &it->link)) == WSQ_CONFLICT)
		__atomic_fetch_add(&conflicts, 1, __ATOMIC_RELAXED);
	if (ret != WSQ_PUBLISHED)
		return;
	__atomic_fetch_add(&opens, 1, __ATOMIC_RELAXED);
	if (rnd(state) % 2)
		own(q, state, (u32)(rnd(state) % 8 + 1));
	else
		list_add(q);
}

static void *pusher(void *arg)
{
	u64 me = (u64)(uintptr_t)arg, seq;
	u64 state = (seed + me) * 0x9e3779b97f4a7c15ULL | 1;

	for (seq = 1; seq <= nr_items; seq++) {
		struct item *it = &items[me][seq % NR_OWN];

		while (__atomic_load_n(&it->in, __ATOMIC_ACQUIRE))
			sched_yield();
		it->pusher = me;
		it->seq = seq;
		push(&queues[rnd(&state) % nr_queues], it, &state);
	}
	return NULL;
}

static void *owner_of_queues(void *arg)
{
	u64 me = (u64)(uintptr_t)arg, seq = 0;
	u64 state = (seed + me) * 0x9e3779b97f4a7c15ULL | 1;

	while (seq < nr_items) {
		struct queue *q = calloc(1, sizeof(*q));
		u64 i;

		check(q, "no memory");
		wsq_oq_init(&q->oq);
		for (i = 0; i < NR_LIFE; i++) {
			struct item *it = &items[me][i];

			it->pusher = me;
			it->seq = ++seq;
			push(q, it, &state);
		}
		while (!wsq_oq_idle(&q->oq))
			sched_yield();
		check(q->nr == NR_LIFE, "idle after %llu of %u items", q->nr, NR_LIFE);
		memset(q, 0x6b, sizeof(*q));
		free(q);
	}
	return NULL;
}

static void *worker(void *arg)
{
	u64 state = (seed ^ (u64)(uintptr_t)arg) * 0x9e3779b97f4a7c15ULL | 1;

	while (!is_over()) {
		struct queue *q = list_take();

		if (q)
			own(q, &state, (u32)(rnd(&state) % 8 + 1));
		else
			sched_yield();
	}
	return NULL;
}

static const struct stress_option options[] = {
	{ "pushers", &nr_pushers },
	{ "workers", &nr_workers },
	{ "queues", &nr_queues },
	{ "items", &nr_items },
	{ "batch", &batch },
	{ "life", &life },
};

static u64 ran(void)
{
	u64 i, sum = 0;

	for (i = 0; i < nr_pushers; i++)
		sum += __atomic_load_n(&ran_of[i], __ATOMIC_RELAXED);
	return sum;
}

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	pthread_t push_by[MAX_THREADS], work_by[MAX_THREADS], night;
	u64 i, all, sum = 0;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (!nr_workers || nr_pushers + nr_workers > MAX_THREADS || !nr_queues ||
	    nr_queues > NR_QUEUES)
		return 2;
	if (life)
		nr_items -= nr_items % NR_LIFE;
	for (i = 0; i < nr_queues; i++)
		wsq_oq_init(&queues[i].oq);
	printf("%llu pushers, %llu workers, %llu queues, batch %llu, life %llu, pause %llu us, %llu items each, seed %llu\n",
	       nr_pushers, nr_workers, nr_queues, batch, life, pause_opt, nr_items,
	       seed);
	all = nr_pushers * nr_items;

	for (i = 0; i < nr_workers; i++)
		pthread_create(&work_by[i], NULL, worker,
			       (void *)(uintptr_t)(1000 + i));
	for (i = 0; i < nr_pushers; i++)
		pthread_create(&push_by[i], NULL, life ? owner_of_queues : pusher,
			       (void *)(uintptr_t)i);
	memcpy(patients.thread, work_by, nr_workers * sizeof(work_by[0]));
	patients.nr = (u32)nr_workers;
	/* Pushers end once done; the nurse must not signal ended threads. */
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);
	for (i = 0; i < nr_pushers; i++)
		pthread_join(push_by[i], NULL);
	while (ran() < all)
		sched_yield();
	for (i = 0; i < nr_queues; i++)
		while (!wsq_oq_idle(&queues[i].oq))
			sched_yield();
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < nr_workers; i++)
		pthread_join(work_by[i], NULL);
	check(!list_take(), "a queue that is idle has an owner");
	for (i = 0; i < nr_queues; i++) {
		sum += queues[i].nr;
		check(wsq_inbox_empty(&queues[i].oq.in) &&
		      wsq_backlog_empty(&queues[i].oq.bl), "something is left");
	}
	check(ran() == all && (life || sum == all), "%llu, %llu of %llu items ran",
	      ran(), sum, all);
	printf("conflicts %llu, owners %llu, handed on %llu times\n", conflicts,
	       opens, handed);
	return 0;
}
