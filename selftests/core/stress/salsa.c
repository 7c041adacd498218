// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA under stress: producers, consumers that steal from each other, and
 * parties that remove single tasks. Every task comes out exactly once, with the
 * content that it was put with, and in the end each chunk is back.
 *
 *	salsa [consumers=N] [producers=N] [removers=N] [size=N] [chunks=N]
 *	      [mode=0|1|2] [own=0|1] [batch=0|1] [calm=N] [items=N] [pause=US]
 *	      [send=0|1] [seed=N] [limit=SECONDS]
 *
 * mode: 0 all consumers take plainly, 1 all claim, 2 every other one claims.
 * removers=N, with mode=1 only: parties that remove recent tasks by the
 * slots that producers noted down, and steal from the active chunk. chunks: for
 * each consumer. batch=1: puts and plain takes of several. calm=N: a consumer
 * steals without need once in N takes; 0 if only when it finds nothing. own=1:
 * each consumer's thread is a producer, too, and there are no others, so that
 * on few cores consumers meet. send=1: a thief that steals the chunk that
 * another consumer is in continues with other work before it checks the result.
 * pause: stress.h.
 *
 * A producer opens chunks with one consumer until that refuses, then with the
 * next. Every other consumer is on another node, so that half of the stolen
 * chunks have to go home.
 *
 * Also exits with status 1 when nothing has moved for ten seconds of CPU time:
 * parties wait for a lost task.
 *
 * Also checked: when wsq_salsa_empty() says that the pool was empty, no task
 * was left that had been put before the call, except those that others have
 * claimed. The payload is plain memory, for the thread sanitizer; a note has no
 * order, so that a removal depends on the slot alone.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer. Compiled
 * twice more and seen to fail, on two cores: with a heavy fence that does
 * nothing (WSQ_FENCE_EMPTY), and with a grace period that is always over
 * (WSQ_GRACE_EMPTY). Bounded by the number of items; "limit" ends a hang.
 *
 * Limitations: membarrier interrupts every thread, in the set or not;
 * stall/salsa.c has a fence that does not.
 */
#include "book.h"

#include "grace.h"
#include "pool.h"
#include "chunk_thief.h"

WSQ_GRACE_DEFINE;

static u64 nr_consumers = 2, nr_producers = 2, nr_removers, nr_chunks = 3;
static u64 mode, calm, own, send;

/* CPU time: all parties spin, so each that could make progress had some. */
#define STILL_SECONDS	10

static struct pool *pool;
static u64 *note;

/* Each producer's progress: tasks put, in its own count. */
static struct {
	u64 put;
} WSQ_CACHE_ALIGNED done[MAX_THREADS];

static u64 nr_refused, nr_empty;

static u64 publish(u64 p)
{
	return nr_items / nr_producers + (p < nr_items % nr_producers);
}

static u64 put_by_all(void)
{
	u64 i, sum = 0;

	for (i = 0; i < nr_producers; i++)
		sum += __atomic_load_n(&done[i].put, __ATOMIC_ACQUIRE);
	return sum;
}

/* What a producer is about to do. */
struct work {
	struct wsq_salsa_producer *pr;
	u64 me;
	u64 n;
	u64 i;
	u32 target;
};

static struct work work_of(u64 me)
{
	const struct work w = {
		.pr = pool->p[me], .me = me, .n = publish(me),
		.target = (u32)(me % nr_consumers),
	};

	return w;
}

/* Tries each consumer once. False if all refused. */
static bool open_chunk(struct party *p, struct work *w)
{
	u64 i;

	for (i = 0; i < nr_consumers; i++) {
		if (wsq_salsa_open(w->pr, pool->c[w->target]) == WSQ_OK)
			return true;
		w->target = (u32)((w->target + 1) % nr_consumers);
	}
	__atomic_fetch_add(&nr_refused, 1, __ATOMIC_RELAXED);
	/* Change the consumer now and then. */
	if (rnd(&p->state) % 16 == 0)
		w->target = (u32)((w->target + 1) % nr_consumers);
	return false;
}

/* Puts some, up to the end of a chunk. False if that is impossible. */
static bool put_some(struct party *p, struct work *w)
{
	struct wsq_salsa_producer *pr = w->pr;
	void *tasks[16];
	u64 k, most;

	if (pr->at >= pr->size && !open_chunk(p, w))
		return false;
	most = batch ? rnd(&p->state) % 16 + 1 : 1;
	most = most < pr->size - pr->at ? most : pr->size - pr->at;
	most = most < w->n - w->i ? most : w->n - w->i;
	for (k = 0; k < most; k++) {
		u64 id = w->me + 1 + (w->i + k) * nr_producers;

		payload[id] = id * 3;
		__atomic_store_n(&note[id], (u64)pr->nr << 32 | (pr->at + k),
				 __ATOMIC_RELAXED);
		tasks[k] = task_of(id);
	}
	if (most == 1)
		check(wsq_salsa_put(pr, tasks[0]) == WSQ_OK,
		      "no room where there was");
	else
		check(wsq_salsa_put_many(pr, tasks, (u32)most) == most,
		      "no room where there was");
	w->i += most;
	__atomic_store_n(&done[w->me].put, w->i, __ATOMIC_RELEASE);
	return true;
}

static void *producer(void *arg)
{
	struct party *p = (struct party *)arg;
	struct work w = work_of((u64)(p - parties) - nr_consumers);

	wsq_grace_join();
	while (w.i < w.n) {
		bool ok = put_some(p, &w);

		wsq_grace_quiesce();
		if (!ok)
			sched_yield();
		if (!ok || rnd(&p->state) % 32 == 0)
			dawdle(&p->state);
	}
	wsq_grace_leave();
	return NULL;
}

static void took_any(struct party *p, void *task)
{
	if (task && task != WSQ_SALSA_TAKEN)
		took(p, task);
}

/* Takes the next task. False if there was nothing. */
static bool take(struct party *p, struct wsq_salsa_consumer *c)
{
	void *tasks[8];
	u32 i, n = 1;

	if (c->claims)
		tasks[0] = wsq_salsa_claim(c);
	else if (batch && rnd(&p->state) % 2)
		n = wsq_salsa_get_many(c, tasks, (u32)(rnd(&p->state) % 8) + 1);
	else
		tasks[0] = wsq_salsa_get(c);
	for (i = 0; i < n; i++)
		took_any(p, tasks[i]);
	return n && tasks[0];
}

static void ask(void)
{
	u64 before = put_by_all(), taken_since;

	if (wsq_salsa_empty(&pool->s) != WSQ_EMPTY)
		return;
	/* A taker may have claimed tasks that are not in the book yet. */
	taken_since = taken_by_all() + 8 * (nr_consumers + nr_removers);
	check(taken_since >= before, "empty, and of %llu tasks %llu were taken",
	      before, taken_since);
	__atomic_fetch_add(&nr_empty, 1, __ATOMIC_RELAXED);
}

static bool steal_one(struct party *p, struct wsq_salsa_consumer *c,
		      struct wsq_salsa_consumer *v)
{
	bool may_fence = rnd(&p->state) % 8;
	void *task;
	int ret;

	if (!send)
		ret = thief_steal_and_get(c, v, may_fence, &task);
	else if (rnd(&p->state) >> 32 & 1)
		ret = wsq_salsa_steal_left(c, v, false, &task);
	else
		ret = wsq_salsa_steal_begin(c, v, may_fence, &task);
	if (ret != WSQ_OK)
		return false;
	took_any(p, task);
	return true;
}

static void *consumer(void *arg)
{
	struct party *p = (struct party *)arg;
	u64 me = (u64)(p - parties), r;
	struct wsq_salsa_consumer *c = pool->c[me];
	struct work w = { .n = 0 };
	bool found;

	wsq_grace_join();
	if (own)
		w = work_of(me);
	while (!is_over()) {
		r = rnd(&p->state) >> 8;
		if (w.i < w.n && r % 4 == 0)
			for (r = (r >> 8) % 64; r-- && w.i < w.n && put_some(p, &w);)
				;
		found = take(p, c);
		wsq_grace_quiesce();
		r = rnd(&p->state) >> 8;
		if (found && !(calm && r % calm == 0)) {
			if (r % 64 == 0)
				dawdle(&p->state);
			continue;
		}
		if (nr_consumers > 1) {
			r >>= 16;
			r = (me + 1 + r % (nr_consumers - 1)) % nr_consumers;
			found |= steal_one(p, c, pool->c[r]);
			wsq_grace_quiesce();
		}
		if (found)
			continue;
		r = rnd(&p->state) >> 8;
		if (r % 4 == 0)
			wsq_salsa_leave(c);
		else if (r % 4 == 1)
			ask();
		wsq_grace_quiesce();
		sched_yield();
	}
	wsq_salsa_leave(c);
	wsq_grace_leave();
	return NULL;
}

static void *remover(void *arg)
{
	struct party *p = (struct party *)arg;
	void *tasks[4];

	wsq_grace_join();
	while (!is_over()) {
		u64 r = rnd(&p->state), by = (r >> 8) % nr_producers, id, n, i;
		u64 put = __atomic_load_n(&done[by].put, __ATOMIC_RELAXED);
		u64 back = (r >> 16) % 32;

		if ((r >> 40) % 16 == 0) {
			n = wsq_salsa_steal_active(pool->c[(r >> 32) % nr_consumers], tasks,
						   4, (r >> 46) % 2);
			for (i = 0; i < n; i++)
				took(p, tasks[i]);
		} else if (put > back) {
			id = by + 1 + (put - 1 - back) * nr_producers;
			n = __atomic_load_n(&note[id], __ATOMIC_RELAXED);
			/* Any number may be asked for. */
			if ((r >> 48) % 64 == 0)
				n = r;
			if (wsq_salsa_remove(&pool->s, (u32)(n >> 32),
					     (u32)n, task_of(id)))
				took(p, task_of(id));
		}
		wsq_grace_quiesce();
		if ((r >> 56) % 4 == 0)
			dawdle(&p->state);
	}
	wsq_grace_leave();
	return NULL;
}

/*
 * No party runs any more: no task is left, and each chunk is in a chunk pool or
 * with a producer. A consumer that claims skips one slot a take, and any number
 * of slots whose task was removed may be left: it takes until nothing comes.
 */
static void end(void)
{
	u64 slots = (u64)pool->nr_chunks * block_size, passed = 0;
	u32 i, round, n = 0;

	for (round = 0; round < pool->nr_chunks; round++) {
		for (i = 0; i < nr_consumers; i++) {
			while (take(&parties[i], pool->c[i]))
				check(mode && passed++ < slots,
				      "one task more than there are");
			wsq_salsa_leave(pool->c[i]);
			wsq_salsa_tidy(pool->c[i]);
		}
	}
	check(wsq_salsa_empty(&pool->s) == WSQ_EMPTY, "empty, and says it is not");
	for (i = 0; i < nr_consumers; i++) {
		check(!wsq_salsa_waiting(pool->c[i]), "empty, and something waits");
		check(wsq_inbox_empty(&pool->c[i]->waiting) &&
		      wsq_inbox_empty(&pool->c[i]->returned),
		      "chunks still wait");
		n += wsq_salsa_ring_count(&pool->c[i]->pool);
	}
	for (i = 0; i < nr_producers; i++)
		n += pool->p[i]->at < pool->p[i]->size;
	check(n == pool->nr_chunks, "of %u chunks %u are left", pool->nr_chunks, n);
}

static void summary(void)
{
	struct wsq_salsa_count sum = { 0 };
	u32 i;

	for (i = 0; i < nr_consumers; i++) {
		const struct wsq_salsa_count *c = &pool->c[i]->count;

		sum.entered += c->entered;
		sum.finished += c->finished;
		sum.retired += c->retired;
		sum.stolen += c->stolen;
		sum.replaced += c->replaced;
		sum.busy += c->busy;
		sum.overtaken += c->overtaken;
		sum.back += c->back;
		sum.sent += c->sent;
		sum.contended += c->contended;
	}
	printf("entered %llu, finished %llu, retired %llu, stolen %llu, displaced %llu, busy %llu, overtaken %llu, sent %llu, back %llu, contended %llu, refused %llu, empty %llu, withdrawn %llu\n",
	       sum.entered, sum.finished, sum.retired, sum.stolen, sum.replaced,
	       sum.busy, sum.overtaken, sum.sent, sum.back, sum.contended, nr_refused, nr_empty,
	       taken_by(nr_consumers + nr_producers, nr_removers));
}

static const struct stress_option options[] = {
	{ "consumers", &nr_consumers },
	{ "producers", &nr_producers },
	{ "removers", &nr_removers },
	{ "size", &block_size },
	{ "chunks", &nr_chunks },
	{ "mode", &mode },
	{ "batch", &batch },
	{ "calm", &calm },
	{ "own", &own },
	{ "send", &send },
	{ "items", &nr_items },
};

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	u64 nr, cells = 1, claims, seen = 0;
	clock_t moved = clock();
	pthread_t night;
	u32 i;

	block_size = 8;
	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (own)
		nr_producers = nr_consumers;
	nr = nr_consumers + nr_producers + nr_removers;
	if (nr > MAX_THREADS - 1 || nr_consumers > POOL_PARTIES ||
	    nr_producers > POOL_PARTIES || !nr_consumers || !nr_producers ||
	    block_size > WSQ_SALSA_MAX_SIZE || mode > 2 ||
	    (nr_removers && mode != 1))
		return 2;
	wsq_fence_register();
	note = (u64 *)calloc(nr_items + 1, sizeof(*note));
	if (!note || !book_open())
		return 2;
	printf("%llu consumers, %llu producers, %llu removers, %llu chunks of %llu each, mode %llu, own %llu, send %llu, batch %llu, calm %llu, pause %llu us, %llu items, seed %llu\n",
	       nr_consumers, nr_producers, nr_removers, nr_chunks, block_size,
	       mode, own, send, batch, calm, pause_opt, nr_items, seed);

	while (cells < nr_chunks * nr_consumers)
		cells *= 2;
	claims = mode == 0 ? 0 : mode == 1 ? ~0ULL : 0xaaaaaaaaaaaaaaaaULL;
	pool = pool_new((u32)nr_consumers, (u32)nr_producers, (u32)block_size,
			(u32)(nr_chunks * nr_consumers), (u32)cells, claims);
	wsq_grace_join();
	for (i = 0; i < nr_consumers; i++) {
		pool->c[i]->node = i % 2;
		pool_supply(pool, i, (u32)nr_chunks);
	}
	wsq_grace_leave();
	for (i = 0; i < nr; i++) {
		if (own && i >= nr_consumers && i < nr_consumers + nr_producers)
			continue;
		pthread_create(&patients.thread[patients.nr++], NULL,
			       i < nr_consumers ? consumer :
			       i < nr_consumers + nr_producers ? producer :
			       remover, &parties[i]);
	}
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);
	while (seen < nr_items) {
		u64 now = taken_by_all();

		if (now != seen)
			moved = clock();
		check(clock() - moved < STILL_SECONDS * CLOCKS_PER_SEC,
		      "nothing moves: %llu tasks were put, %llu taken",
		      put_by_all(), seen);
		seen = now;
		sleep_us(1000);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	if (pause_us)
		pthread_join(night, NULL);
	for (i = 0; i < patients.nr; i++)
		pthread_join(patients.thread[i], NULL);

	end();
	book_close();
	summary();
	pool_free(pool);
	free(note);
	return 0;
}
