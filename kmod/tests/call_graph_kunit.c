// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of graphs of calls: diamonds, long chains, wide fans; on several
 * queues and serials, from several CPUs, from interrupts; with cancels, and
 * with calls that free what they waited for.
 *
 * Seen to fail: Documentation/call.rst.
 */
#include <linux/hrtimer.h>

#include "../compat/hrtimer.h"
#include "calls.h"

static void graph_diamond(struct kunit *test)
{
	enum { NR = 500 };
	struct diamond *d = vzalloc(array_size(NR, sizeof(*d)));
	struct wsq *q = wsq_test_queue(test, 4, 64, NULL);
	struct wsq_serial *serial = kzalloc(sizeof(*serial), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, d);
	KUNIT_ASSERT_NOT_NULL(test, serial);
	wsq_serial_init(serial, q);
	for (i = 0; i < NR; i++)
		diamond_send(&d[i], q, i % 2 ? serial : NULL);
	for (i = 0; i < NR; i++)
		wsq_future_resolve(&d[i].first, i);
	for (i = 0; i < NR; i++) {
		struct wsq_future *f = &d[i].bottom.call.future;

		tcall_expect(test, f, 0);
		KUNIT_EXPECT_EQ(test, wsq_future_value(f), 2UL * i + 13);
		KUNIT_EXPECT_EQ(test, diamond_runs(&d[i]), 4);
	}
	wsq_serial_destroy(serial);
	wsq_test_queue_end(test, q);
	kfree(serial);
	vfree(d);
}

/* A chain of calls. Resolving its head must not need stack for each. */
#define NR_CHAIN	100000

/**
 * struct link - a call of a chain
 * @call: the call
 * @dep: the one before
 * @stack: where its function's stack was
 */
struct link {
	struct wsq_call call;
	struct wsq_call_dep dep;
	unsigned long stack;
};

static int link_fn(struct wsq_call *call)
{
	struct link *l = container_of(call, struct link, call);

	l->stack = (unsigned long)&l;
	/* The first one has none before it, but @dep is not used for that. */
	wsq_call_set_value(call, wsq_future_value(&(l - 1)->call.future) + 1);
	if (!((unsigned long)l / sizeof(*l) % 256))
		cond_resched();
	return 0;
}

/* Send a chain that waits for @f. The first element is no call. */
static struct wsq_future *chain_send(struct link *l, struct wsq_future *f,
				     struct wsq *q, struct wsq_serial *serial)
{
	int i;

	for (i = 1; i <= NR_CHAIN; i++) {
		wsq_call_init(&l[i].call, link_fn);
		wsq_call_after(&l[i].call, &l[i].dep, f);
		if (serial && i % 2)
			f = wsq_call_send_serial(&l[i].call, serial);
		else
			f = wsq_call_send(&l[i].call, q);
		if (!(i % 1024))
			cond_resched();
	}
	return f;
}

static void chain(struct kunit *test, int error)
{
	struct link *l = vzalloc(array_size(NR_CHAIN + 1, sizeof(*l)));
	struct wsq *q = wsq_test_queue(test, 4, 64, NULL);
	struct wsq_serial *serial = kzalloc(sizeof(*serial), GFP_KERNEL);
	struct wsq_future *f;
	struct wsq_future head;
	int i, near = 0;

	KUNIT_ASSERT_NOT_NULL(test, l);
	KUNIT_ASSERT_NOT_NULL(test, serial);
	wsq_serial_init(serial, q);
	wsq_future_init(&head);
	wsq_future_init(&l->call.future);
	wsq_future_resolve(&l->call.future, 0);
	f = chain_send(l, &head, q, error ? serial : NULL);
	if (error)
		wsq_future_fail(&head, error);
	else
		wsq_future_resolve(&head, 0);
	tcall_expect(test, f, error);
	if (!error)
		KUNIT_EXPECT_EQ(test, wsq_future_value(f), 1UL * NR_CHAIN);
	for (i = 1; i <= NR_CHAIN; i++) {
		KUNIT_ASSERT_EQ(test, wsq_future_error(&l[i].call.future), error);
		if (error)
			KUNIT_ASSERT_EQ(test, l[i].stack, 0UL);
		/* One stack, and one depth of it, unless a thief came. */
		near += l[i].stack == l[1].stack;
	}
	KUNIT_EXPECT_GT(test, near, 0);
	wsq_serial_destroy(serial);
	wsq_test_queue_end(test, q);
	kfree(serial);
	vfree(l);
}

static void graph_chain(struct kunit *test)
{
	chain(test, 0);
}

static void graph_chain_fails(struct kunit *test)
{
	chain(test, -EIO);
}

/* One future, many calls; one call, many futures. */
#define NR_WIDE		10000

/**
 * struct fan - a future that many calls wait for, and a call that waits for
 * those
 * @q: their queue
 * @root: resolved by the test
 * @leaves: wait for @root, and for one of @own
 * @own: resolved by several threads
 * @dep: of @all
 * @all: waits for all leaves
 * @sum: of their values
 */
struct fan {
	struct wsq *q;
	struct wsq_future root;
	struct tcall *leaves;
	struct wsq_future *own;
	struct wsq_call_dep *dep;
	struct wsq_call all;
	unsigned long sum;
};

static int fan_fn(struct wsq_call *call)
{
	struct fan *f = container_of(call, struct fan, all);
	int i;

	for (i = 0; i < NR_WIDE; i++)
		f->sum += wsq_future_value(&f->leaves[i].call.future);
	return 0;
}

static void fan_resolve(void *arg, int nr)
{
	struct fan *f = arg;
	int i;

	if (!nr)
		wsq_future_resolve(&f->root, 1);
	/* Every thread tries each, from different ends. */
	for (i = 0; i < NR_WIDE; i++)
		wsq_future_resolve(&f->own[nr % 2 ? i : NR_WIDE - 1 - i], 2);
}

static void graph_wide(struct kunit *test)
{
	struct fan *f = kzalloc(sizeof(*f), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->leaves = vzalloc(array_size(NR_WIDE, sizeof(*f->leaves)));
	f->own = vzalloc(array_size(NR_WIDE, sizeof(*f->own)));
	f->dep = vzalloc(array_size(NR_WIDE, sizeof(*f->dep)));
	KUNIT_ASSERT_NOT_NULL(test, f->leaves);
	KUNIT_ASSERT_NOT_NULL(test, f->own);
	KUNIT_ASSERT_NOT_NULL(test, f->dep);
	f->q = wsq_test_queue(test, 4, 64, NULL);
	wsq_future_init(&f->root);
	wsq_call_init(&f->all, fan_fn);
	for (i = 0; i < NR_WIDE; i++) {
		struct wsq_future *leaf;

		wsq_future_init(&f->own[i]);
		tcall_init(&f->leaves[i], 1);
		tcall_after(&f->leaves[i], &f->root);
		tcall_after(&f->leaves[i], &f->own[i]);
		leaf = wsq_call_send(&f->leaves[i].call, f->q);
		wsq_call_after(&f->all, &f->dep[i], leaf);
	}
	wsq_call_send(&f->all, f->q);
	wsq_test_run(test, 4, fan_resolve, f);
	tcall_expect(test, &f->all.future, 0);
	KUNIT_EXPECT_EQ(test, f->sum, 4UL * NR_WIDE);
	for (i = 0; i < NR_WIDE; i++)
		KUNIT_ASSERT_EQ(test, atomic_read(&f->leaves[i].runs), 1);
	wsq_test_queue_end(test, f->q);
	vfree(f->dep);
	vfree(f->own);
	vfree(f->leaves);
	kfree(f);
}

/*
 * A graph that frees itself: the future, a call, and a final call that frees
 * all of them while the thread that resolved the future may still be in
 * wsq_future_resolve(). For KASAN.
 */
struct mortal {
	struct wsq_future first;
	struct wsq_future second;
	struct wsq_call middle;
	struct wsq_call_dep middle_dep;
	struct wsq_call last;
	struct wsq_call_dep last_deps[3];
	atomic_t *freed;
};

static int mortal_middle(struct wsq_call *call)
{
	return 0;
}

static int mortal_last(struct wsq_call *call)
{
	struct mortal *m = container_of(call, struct mortal, last);
	atomic_t *freed = m->freed;

	memset(m, 0x6b, sizeof(*m));
	kfree(m);
	atomic_inc(freed);
	return WSQ_CALL_TAKEN;
}

/**
 * struct grave - threads that send and resolve such graphs
 * @q: their queue
 * @serial: likewise
 * @now: a graph that one thread of a pair has for the other
 * @freed: graphs that have freed themselves
 */
struct grave {
	struct wsq *q;
	struct wsq_serial serial;
	struct mortal *now[2];
	atomic_t freed;
};

#define NR_MORTALS	WSQ_TEST_MANY(4000)

static struct mortal *mortal_send(struct grave *g, bool serial)
{
	struct mortal *m = kzalloc(sizeof(*m), GFP_KERNEL | __GFP_NOFAIL);
	struct wsq_future *f;

	m->freed = &g->freed;
	wsq_future_init(&m->first);
	wsq_future_init(&m->second);
	wsq_call_init(&m->middle, mortal_middle);
	wsq_call_init_final(&m->last, mortal_last);
	wsq_call_after(&m->middle, &m->middle_dep, &m->first);
	if (serial)
		f = wsq_call_send_serial(&m->middle, &g->serial);
	else
		f = wsq_call_send(&m->middle, g->q);
	wsq_call_after(&m->last, &m->last_deps[0], f);
	wsq_call_after(&m->last, &m->last_deps[1], &m->first);
	wsq_call_after(&m->last, &m->last_deps[2], &m->second);
	wsq_call_send(&m->last, g->q);
	return m;
}

/* Of each pair, one sends and resolves one future; one resolves the other. */
static void grave_fn(void *arg, int nr)
{
	struct grave *g = arg;
	struct mortal **now = &g->now[nr / 2], *m;
	int i;

	for (i = 0; i < NR_MORTALS; i++) {
		if (nr % 2 == 0) {
			m = mortal_send(g, i % 3 == 0);
			while (cmpxchg(now, NULL, m))
				wsq_test_yield();
			wsq_future_resolve(&m->second, 0);
			continue;
		}
		while (!(m = xchg(now, NULL)))
			wsq_test_yield();
		if (i % 7)
			wsq_future_resolve(&m->first, 0);
		else
			wsq_future_cancel(&m->first);
	}
}

static void graph_frees(struct kunit *test)
{
	struct grave *g = kzalloc(sizeof(*g), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, g);
	g->q = wsq_test_queue(test, 4, 64, NULL);
	wsq_serial_init(&g->serial, g->q);
	wsq_test_run(test, 4, grave_fn, g);
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&g->freed) ==
					       2 * NR_MORTALS));
	wsq_serial_destroy(&g->serial);
	wsq_test_queue_end(test, g->q);
	kfree(g);
}

/*
 * Calls of one future that free themselves, each with the link through which it
 * waited; the last one frees the future. For KASAN.
 */
struct brood {
	struct wsq_future first;
	atomic_t left;
	atomic_t *freed;
};

struct chick {
	struct wsq_call call;
	struct wsq_call_dep dep;
	struct brood *brood;
};

static int chick_fn(struct wsq_call *call)
{
	struct chick *c = container_of(call, struct chick, call);
	struct brood *b = c->brood;

	kfree(c);
	if (atomic_dec_and_test(&b->left)) {
		atomic_inc(b->freed);
		kfree(b);
	}
	return WSQ_CALL_TAKEN;
}

static void graph_frees_itself(struct kunit *test)
{
	enum { NR = WSQ_TEST_MANY(1200), CHICKS = 8 };
	struct wsq *q = wsq_test_queue(test, 4, 64, NULL);
	atomic_t freed = ATOMIC_INIT(0);
	int i, k;

	for (i = 0; i < NR; i++) {
		struct brood *b = kzalloc(sizeof(*b), GFP_KERNEL | __GFP_NOFAIL);

		wsq_future_init(&b->first);
		b->freed = &freed;
		atomic_set(&b->left, CHICKS);
		for (k = 0; k < CHICKS; k++) {
			struct chick *c = kzalloc(sizeof(*c),
						  GFP_KERNEL | __GFP_NOFAIL);

			c->brood = b;
			wsq_call_init(&c->call, chick_fn);
			wsq_call_after(&c->call, &c->dep, &b->first);
			wsq_call_send(&c->call, q);
		}
		wsq_future_resolve(&b->first, 0);
	}
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&freed) == NR));
	wsq_test_queue_end(test, q);
}

/*
 * A context that finds a future resolved frees it at once, while its resolver
 * still starts the calls that waited. For KASAN.
 */
#define NR_ONLOOK	64

/**
 * struct onlooker - a future, and what looks at it
 * @q: the queue
 * @f: the future, %NULL once it was freed
 * @round: how many were made
 * @calls: wait for the future
 */
struct onlooker {
	struct wsq *q;
	struct wsq_future *f;
	int round;
	struct tcall calls[NR_ONLOOK];
};

static void onlooker_fn(void *arg, int nr)
{
	struct onlooker *s = arg;
	int i, k;

	for (i = 0; i < WSQ_TEST_MANY(1200); i++) {
		struct wsq_future *f;

		if (nr) {
			/* Pairs with the store below. */
			while (smp_load_acquire(&s->round) != i + 1)
				wsq_test_yield();
			f = s->f;
			while (!wsq_future_resolved(f))
				cpu_relax();
			kfree(f);
			/* Pairs with the load below. */
			smp_store_release(&s->f, NULL);
			continue;
		}
		f = kzalloc(sizeof(*f), GFP_KERNEL | __GFP_NOFAIL);
		wsq_future_init(f);
		for (k = 0; k < NR_ONLOOK; k++) {
			tcall_init(&s->calls[k], 1);
			wsq_call_after(&s->calls[k].call, s->calls[k].deps, f);
			wsq_call_send(&s->calls[k].call, s->q);
		}
		s->f = f;
		/* Pairs with the load above. */
		smp_store_release(&s->round, i + 1);
		wsq_future_resolve(f, 0);
		for (k = 0; k < NR_ONLOOK; k++)
			wsq_future_wait(&s->calls[k].call.future);
		/* Pairs with the store above. */
		while (smp_load_acquire(&s->f))
			wsq_test_yield();
	}
}

static void graph_frees_seen(struct kunit *test)
{
	struct onlooker *s = kzalloc(sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	wsq_test_need_cpus(test, 2);
	s->q = wsq_test_queue(test, 4, 64, NULL);
	wsq_test_run(test, 2, onlooker_fn, s);
	wsq_test_queue_end(test, s->q);
	kfree(s);
}

/*
 * Threads that send, resolve and cancel diamonds of each other, on queues of
 * all engines and several serials. Each call has ended once in the end, and has
 * run or was cancelled; nothing that was not cancelled failed.
 */
#define NR_CROWD	4
#define NR_ROUNDS	WSQ_TEST_MANY(4000)

/**
 * struct crowd - what the threads share
 * @q: queues
 * @serial: serials, one on each queue and one more
 * @d: a diamond of each round and thread
 * @ready: how many of its diamonds a thread has sent
 * @cancels: how often a cancel was in time
 */
struct crowd {
	struct wsq *q[2];
	struct wsq_serial serial[3];
	struct diamond *d[NR_CROWD];
	int ready[NR_CROWD];
	atomic_t cancels;
};

static void crowd_cancel(struct crowd *c, struct diamond *d, u32 seed)
{
	struct tcall *t[] = { &d->top, &d->side[0], &d->side[1], &d->bottom };
	bool done;

	if (seed % 5 == 4)
		done = wsq_future_cancel(&d->first);
	else if (seed % 2)
		done = wsq_call_cancel(&t[seed % 5]->call);
	else
		done = wsq_future_cancel(&t[seed % 5]->call.future);
	if (done)
		atomic_inc(&c->cancels);
}

static void crowd_fn(void *arg, int nr)
{
	struct crowd *c = arg;
	int other = (nr + 1) % NR_CROWD, seen = 0, i;
	u32 seed = nr + 1;

	for (i = 0; i < NR_ROUNDS || seen < NR_ROUNDS;) {
		seed = seed * 1103515245 + 12345;
		if (i < NR_ROUNDS) {
			diamond_send(&c->d[nr][i], c->q[seed >> 20 & 1],
				     seed & 0x10000 ? &c->serial[i % 3] : NULL);
			i++;
			/* Pairs with the load below. */
			smp_store_release(&c->ready[nr], i);
		}
		/* Pairs with the store above. */
		while (seen < smp_load_acquire(&c->ready[other])) {
			struct diamond *d = &c->d[other][seen];

			if ((seed >> 24) % 4 == 1)
				crowd_cancel(c, d, seed >> 8);
			wsq_future_resolve(&d->first, seen);
			if ((seed >> 24) % 4 == 2)
				crowd_cancel(c, d, seed >> 8);
			seen++;
		}
		wsq_test_yield();
	}
}

/* An error only where there was a cancel, and no function called twice. */
static void crowd_check(struct kunit *test, struct diamond *d, int i)
{
	struct tcall *t[] = { &d->top, &d->side[0], &d->side[1], &d->bottom };
	bool failed = wsq_future_error(&d->first);
	int k;

	for (k = 0; k < ARRAY_SIZE(t); k++) {
		struct wsq_future *f = &t[k]->call.future;
		int error, runs;

		KUNIT_ASSERT_TRUE(test, wsq_test_until(wsq_future_resolved(f)));
		error = wsq_future_error(f);
		runs = atomic_read(&t[k]->runs);
		KUNIT_ASSERT_EQ(test, runs, error ? 0 : 1);
		if (error)
			KUNIT_ASSERT_EQ(test, error, -ECANCELED);
		/* What it waited for failed. */
		if (k == 3)
			failed = wsq_future_error(&d->side[0].call.future) ||
				 wsq_future_error(&d->side[1].call.future);
		else if (k)
			failed = wsq_future_error(&d->top.call.future);
		if (failed)
			KUNIT_ASSERT_EQ(test, error, -ECANCELED);
	}
	if (!wsq_future_error(&d->bottom.call.future))
		KUNIT_ASSERT_EQ(test, wsq_future_value(&d->bottom.call.future),
				2UL * i + 13);
}

static void graph_crowd(struct kunit *test)
{
	struct wsq_attrs lifo = { .engine = WSQ_BWOS_LIFO };
	struct crowd *c = kzalloc(sizeof(*c), GFP_KERNEL);
	int i, k;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->q[0] = wsq_test_queue(test, 2, 4, NULL);
	c->q[1] = wsq_test_queue_attrs(test, &lifo);
	for (i = 0; i < ARRAY_SIZE(c->serial); i++)
		wsq_serial_init(&c->serial[i], c->q[i % 2]);
	for (k = 0; k < NR_CROWD; k++) {
		c->d[k] = vzalloc(array_size(NR_ROUNDS, sizeof(*c->d[k])));
		KUNIT_ASSERT_NOT_NULL(test, c->d[k]);
	}
	wsq_test_run(test, NR_CROWD, crowd_fn, c);
	for (k = 0; k < NR_CROWD; k++)
		for (i = 0; i < NR_ROUNDS; i++)
			crowd_check(test, &c->d[k][i], i);
	KUNIT_EXPECT_GT(test, atomic_read(&c->cancels), 0);
	for (i = 0; i < ARRAY_SIZE(c->serial); i++)
		wsq_serial_destroy(&c->serial[i]);
	for (k = 0; k < NR_CROWD; k++)
		vfree(c->d[k]);
	wsq_test_queue_end(test, c->q[0]);
	wsq_test_queue_end(test, c->q[1]);
	kfree(c);
}

/* A hard interrupt resolves, cancels and sends, amid the same of a thread. */
#define NR_IRQ		WSQ_TEST_MANY(2000)

/**
 * struct pulse - diamonds that a timer and a thread resolve
 * @timer: the interrupt
 * @q: the queue
 * @d: the diamonds; the timer sends those of odd numbers
 * @sent: how many the thread has sent
 * @at: the next one of the timer's
 */
struct pulse {
	struct hrtimer timer;
	struct wsq *q;
	struct diamond *d;
	int sent;
	int at;
};

static enum hrtimer_restart pulse_fn(struct hrtimer *timer)
{
	struct pulse *p = container_of(timer, struct pulse, timer);
	/* Pairs with graph_irq(). */
	int sent = smp_load_acquire(&p->sent), i;

	for (i = 0; i < 20 && p->at < sent; i++, p->at++) {
		struct diamond *d = &p->d[p->at];

		if (p->at % 2)
			diamond_send(d, p->q, NULL);
		if (p->at % 8 == 5)
			wsq_call_cancel(&d->side[0].call);
		wsq_future_resolve(&d->first, p->at);
	}
	if (p->at == NR_IRQ)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(20000));
	return HRTIMER_RESTART;
}

static void graph_irq(struct kunit *test)
{
	struct pulse *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->d = vzalloc(array_size(NR_IRQ, sizeof(*p->d)));
	KUNIT_ASSERT_NOT_NULL(test, p->d);
	p->q = wsq_test_queue(test, 2, 4, NULL);
	wsq_hrtimer_setup(&p->timer, pulse_fn, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_HARD);
	hrtimer_start(&p->timer, ns_to_ktime(20000), HRTIMER_MODE_REL_HARD);
	for (i = 0; i < NR_IRQ; i++) {
		if (i % 2 == 0)
			diamond_send(&p->d[i], p->q, NULL);
		/* Pairs with pulse_fn(). */
		smp_store_release(&p->sent, i + 1);
		if (i % 2 == 0)
			wsq_future_resolve(&p->d[i].first, i);
		wsq_test_yield();
	}
	KUNIT_ASSERT_TRUE(test, wsq_test_until(READ_ONCE(p->at) == NR_IRQ));
	hrtimer_cancel(&p->timer);
	for (i = 0; i < NR_IRQ; i++) {
		struct wsq_future *f = &p->d[i].bottom.call.future;

		KUNIT_ASSERT_TRUE(test, wsq_test_until(wsq_future_resolved(f)));
		if (!wsq_future_error(f))
			KUNIT_EXPECT_EQ(test, wsq_future_value(f), 2UL * i + 13);
		else
			KUNIT_EXPECT_EQ(test, i % 8, 5);
	}
	wsq_test_queue_end(test, p->q);
	vfree(p->d);
	kfree(p);
}

static struct kunit_case call_graph_cases[] = {
	KUNIT_CASE(graph_diamond),
	KUNIT_CASE_SLOW(graph_chain),
	KUNIT_CASE(graph_chain_fails),
	KUNIT_CASE(graph_wide),
	KUNIT_CASE_SLOW(graph_frees),
	KUNIT_CASE(graph_frees_itself),
	KUNIT_CASE(graph_frees_seen),
	KUNIT_CASE(graph_crowd),
	KUNIT_CASE(graph_irq),
	{}
};

static struct kunit_suite call_graph_suite = {
	.name = "wsq_call_graph",
	.test_cases = call_graph_cases,
};

kunit_test_suite(call_graph_suite);
