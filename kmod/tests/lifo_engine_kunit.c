// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of what LIFO BWoS needs as an engine
 * (kmod/engine/bwos_lifo/bwos_lifo.h): owner operations that are not
 * re-entered, and thieves that ask for tasks of the owner's block. All else is
 * in the suites over engines (engines.h).
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/wsq_pool.h>

#include "../compat/hrtimer.h"
#include "items.h"
#include "sides.h"

/* Random numbers that are the same in each run. */
static u32 lifo_roll(u32 *seed, u32 n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % n;
}

/* Those with a third number grow up to that many blocks. */
static const struct {
	u32 blocks;
	u32 size;
	u32 max;
} lifo_shapes[] = {
	{ 2, 2 }, { 2, 3 }, { 4, 8 }, { 3, 64 }, { 8, 256 },
	{ 2, 2, 16 }, { 3, 4, 13 },
};

static struct wsq_attrs lifo_attrs(int shape, const struct cpumask *cpus)
{
	return (struct wsq_attrs){
		.engine = WSQ_BWOS_LIFO,
		.blocks = lifo_shapes[shape].blocks,
		.block_size = lifo_shapes[shape].size,
		.max_blocks = lifo_shapes[shape].max,
		.flags = WSQ_RESIDENT,
		.cpumask = cpus,
	};
}

static struct wsq_pool *lifo_pool(struct kunit *test, int shape,
				  const struct cpumask *cpus)
{
	struct wsq_attrs attrs = lifo_attrs(shape, cpus);
	struct wsq_pool *pool = wsq_pool_create(&attrs, "lifo");

	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	return pool;
}

/* If the container has asked for memory, sometimes wait for it. */
static void lifo_wait(struct kunit *test, struct wsq_container *ct, u32 *seed)
{
	if (atomic_read(&ct->grow) != WSQ_GROW_ASKED || lifo_roll(seed, 16))
		return;
	KUNIT_EXPECT_TRUE(test, wsq_test_until(atomic_read(&ct->grow) !=
					       WSQ_GROW_ASKED));
}

/* The container has all blocks that it may have. */
static void lifo_grown(struct kunit *test, const struct wsq_container *ct,
		       int shape)
{
	const struct wsq_bwos_lifo_mem *mem = (struct wsq_bwos_lifo_mem *)
		(uintptr_t)atomic64_read(&ct->state.bwos_lifo.q.mem);

	KUNIT_EXPECT_EQ(test, wsq_bwos_nr_entries(&mem->dir),
			lifo_shapes[shape].max ?: lifo_shapes[shape].blocks);
}

#define LIFO_MOST	4096

/**
 * struct lifo_model - what a pool of one CPU should hold
 * @in: the tasks, the oldest first
 * @nr: how many
 * @last: the last task that was made
 */
struct lifo_model {
	unsigned long in[LIFO_MOST];
	u32 nr;
	unsigned long last;
};

static void lifo_model_push(struct kunit *test, struct lifo_model *m,
			    struct wsq_pool *pool, u32 n)
{
	void *tasks[8];
	u32 i, done;

	for (i = 0; i < n; i++)
		tasks[i] = (void *)(m->last + 1 + i);
	done = n > 1 ? wsq_pool_push_many(pool, tasks, n) :
		       !wsq_pool_push(pool, tasks[0]);
	KUNIT_ASSERT_LE(test, m->nr + done, LIFO_MOST);
	for (i = 0; i < done; i++)
		m->in[m->nr++] = ++m->last;
}

static void lifo_model_pop(struct kunit *test, struct lifo_model *m,
			   struct wsq_pool *pool, u32 n)
{
	void *tasks[8];
	u32 i, got = wsq_pool_pop_many(pool, tasks, n);

	KUNIT_ASSERT_EQ(test, got, min(n, m->nr));
	for (i = 0; i < got; i++)
		KUNIT_ASSERT_PTR_EQ(test, tasks[i], (void *)m->in[--m->nr]);
}

/* Whenever thieves ask, the owner gets the newest task and none is lost. */
static void lifo_asked(struct kunit *test)
{
	struct lifo_model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct wsq_container *ct;
	struct wsq_pool *pool;
	u32 s, i, seed = 1;

	KUNIT_ASSERT_NOT_NULL(test, m);
	migrate_disable();
	for (s = 0; s < ARRAY_SIZE(lifo_shapes); s++) {
		u32 asks = 0, fed = 0;

		pool = lifo_pool(test, s, cpumask_of(smp_processor_id()));
		ct = wsq_pool_ct(pool, smp_processor_id());
		m->nr = 0;
		for (i = 0; i < 20000; i++) {
			bool ask = !lifo_roll(&seed, 3);

			if (ask)
				WRITE_ONCE(ct->state.bwos_lifo.hungry, 1);
			/* Mostly push, then mostly pop, to either limit. */
			if (lifo_roll(&seed, 8) < (i / 1000 % 2 ? 2 : 6))
				lifo_model_push(test, m, pool,
						lifo_roll(&seed, 8) + 1);
			else
				lifo_model_pop(test, m, pool,
					       lifo_roll(&seed, 8) + 1);
			asks += ask;
			fed += ask && !READ_ONCE(ct->state.bwos_lifo.hungry);
			lifo_wait(test, ct, &seed);
		}
		lifo_grown(test, ct, s);
		while (m->nr)
			lifo_model_pop(test, m, pool, 8);
		KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));
		/* Most of the time there are two tasks available. */
		KUNIT_EXPECT_GT(test, fed, asks / 4);
		wsq_pool_destroy(pool);
	}
	migrate_enable();
}

/* An item's link, and whether it should be in the engine. */
struct lifo_item {
	struct wsq_link link;
	bool in;
};

#define LIFO_ITEMS	64

/* The newest item that is in. */
static struct lifo_item *lifo_newest(struct lifo_item **order, u32 *nr)
{
	while (*nr) {
		struct lifo_item *it = order[--*nr];

		if (it->in)
			return it;
	}
	return NULL;
}

static void lifo_items_claim(struct kunit *test, struct wsq_container *ct,
			     struct lifo_item **order, u32 *nr)
{
	struct lifo_item *want;
	void *task;
	int tries = 4 * LIFO_ITEMS;

	do {
		/* Not the one in some turns that takes the oldest. */
		ct->turns = 0;
		task = wsq_engine_bwos_lifo_claim(ct);
	} while (task == WSQ_AGAIN && tries--);
	want = lifo_newest(order, nr);
	KUNIT_ASSERT_PTR_EQ(test, task, want ? (void *)&want->link : NULL);
	if (want)
		want->in = false;
}

static bool lifo_put(struct wsq_container *ct, struct lifo_item *it, u32 color)
{
	u64 where = wsq_location_in_slot(wsq_location_base(0, ct->cpu), color);

	return wsq_engine_bwos_lifo_put_link(ct, &it->link, where) >= 0;
}

static bool lifo_remove(struct wsq_container *ct, struct lifo_item *it)
{
	return wsq_bwos_lifo_remove(&ct->state.bwos_lifo.q,
				    wsq_location_slot(it->link.where), &it->link);
}

static void lifo_items_round(struct kunit *test, struct wsq_container *ct,
			     struct lifo_item *items)
{
	static struct lifo_item *order[2 * LIFO_ITEMS];
	struct lifo_item *it;
	u32 i, nr = 0, seed = 7;

	for (i = 0; i < 20000; i++) {
		if (!lifo_roll(&seed, 3))
			WRITE_ONCE(ct->state.bwos_lifo.hungry, 1);
		it = &items[lifo_roll(&seed, LIFO_ITEMS)];
		if (it->in && !lifo_roll(&seed, 4)) {
			/* The item knows its slot, wherever it was moved. */
			KUNIT_ASSERT_TRUE(test, lifo_remove(ct, it));
			KUNIT_ASSERT_FALSE(test, lifo_remove(ct, it));
			it->in = false;
		} else if (!it->in && nr < ARRAY_SIZE(order) &&
			   lifo_roll(&seed, 8) < (i / 500 % 2 ? 2 : 7)) {
			u32 k, n = 0;

			if (!lifo_put(ct, it, i % 2))
				continue;
			/* A removed item leaves no trace in the order. */
			for (k = 0; k < nr; k++)
				if (order[k] != it)
					order[n++] = order[k];
			nr = n;
			order[nr++] = it;
			it->in = true;
		} else {
			lifo_items_claim(test, ct, order, &nr);
		}
		lifo_wait(test, ct, &seed);
	}
	do {
		it = NULL;
		for (i = 0; i < LIFO_ITEMS && !it; i++)
			it = items[i].in ? &items[i] : NULL;
		lifo_items_claim(test, ct, order, &nr);
	} while (it);
	KUNIT_EXPECT_TRUE(test, wsq_engine_bwos_lifo_empty(ct));
}

/* With items, which are removed from the slot that they record. */
static void lifo_asked_items(struct kunit *test)
{
	struct lifo_item *items = kunit_kcalloc(test, LIFO_ITEMS, sizeof(*items),
						GFP_KERNEL);
	struct wsq_attrs attrs;
	struct wsq_pool *pool;
	u32 s;

	KUNIT_ASSERT_NOT_NULL(test, items);
	migrate_disable();
	for (s = 0; s < ARRAY_SIZE(lifo_shapes); s++) {
		pool = kunit_kzalloc(test, sizeof(*pool), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pool);
		attrs = lifo_attrs(s, cpumask_of(smp_processor_id()));
		KUNIT_ASSERT_EQ(test, wsq_pool_init(pool, &wsq_machine, &attrs,
						    false), 0);
		lifo_items_round(test, wsq_pool_ct(pool, smp_processor_id()),
				 items);
		lifo_grown(test, wsq_pool_ct(pool, smp_processor_id()), s);
		wsq_pool_exit(pool);
	}
	migrate_enable();
}

/*
 * A context interrupts an owner operation, which is simulated by setting the
 * busy flags. Its puts, single or batched, go to the inbox, and its takes find
 * nothing.
 */
static void lifo_shut(struct kunit *test)
{
	struct wsq_container *ct;
	struct wsq_pool *pool;
	void *tasks[4] = { (void *)2UL, (void *)3UL, (void *)4UL, (void *)5UL };
	unsigned long sum = 0;
	u64 allocated;
	int i;

	migrate_disable();
	pool = lifo_pool(test, 2, cpumask_of(smp_processor_id()));
	ct = wsq_pool_ct(pool, smp_processor_id());
	preempt_disable();
	allocated = atomic64_read(&ct->pointer->allocated);
	ct->put_busy = 1;
	ct->get_busy = 1;
	KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, (void *)1UL), 0);
	KUNIT_EXPECT_EQ(test, wsq_pool_push_many(pool, tasks, 4), 4);
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));
	KUNIT_EXPECT_EQ(test, wsq_pool_pop_many(pool, tasks, 4), 0);
	wsq_engine_bwos_lifo_publish(ct);
	KUNIT_EXPECT_EQ(test, wsq_bwos_lifo_kept(&ct->state.bwos_lifo.q), 0);
	ct->put_busy = 0;
	ct->get_busy = 0;
	KUNIT_EXPECT_EQ(test, atomic64_read(&ct->pointer->allocated) - allocated, 5);
	for (i = 0; i < 5; i++)
		sum += (unsigned long)wsq_pool_pop(pool);
	KUNIT_EXPECT_EQ(test, sum, 15);
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));
	/* Each operation has reset the flags that it set. */
	KUNIT_EXPECT_EQ(test, ct->put_busy, 0);
	KUNIT_EXPECT_EQ(test, ct->get_busy, 0);
	preempt_enable();
	migrate_enable();
	wsq_pool_destroy(pool);
}

#define LIFO_IDS	1000000
#define LIFO_HITS	100

/**
 * struct lifo_irq - a thread and a timer interrupt on one CPU, one pool
 * @pool: the pool
 * @ct: the CPU's container
 * @timer: interrupts the thread
 * @last: the last id that was made. The thread and the interrupt
 * @hits: interrupts of an owner operation
 * @grows: the pool may get memory in between
 * @seen: how often each id came out
 */
struct lifo_irq {
	struct wsq_pool *pool;
	struct wsq_container *ct;
	struct hrtimer timer;
	atomic_t last;
	u32 hits;
	bool grows;
	u8 *seen;
};

static void lifo_irq_saw(struct lifo_irq *t, void **tasks, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		u8 *seen = &t->seen[(unsigned long)tasks[i] - 1];

		WRITE_ONCE(*seen, READ_ONCE(*seen) + 1);
	}
}

/* Push @n tasks; those that found no space count as taken. */
static void lifo_irq_push(struct lifo_irq *t, u32 n)
{
	u32 i, done, first = atomic_fetch_add(n, &t->last);
	void *tasks[4];

	if (first + n > LIFO_IDS) {
		atomic_sub(n, &t->last);
		return;
	}
	for (i = 0; i < n; i++)
		tasks[i] = (void *)(unsigned long)(first + i + 1);
	done = n > 1 ? wsq_pool_push_many(t->pool, tasks, n) :
		       !wsq_pool_push(t->pool, tasks[0]);
	lifo_irq_saw(t, tasks + done, n - done);
}

static void lifo_irq_pop(struct lifo_irq *t, u32 n)
{
	void *tasks[4];

	if (n > 1) {
		n = wsq_pool_pop_many(t->pool, tasks, n);
	} else {
		tasks[0] = wsq_pool_pop(t->pool);
		n = !!tasks[0];
	}
	lifo_irq_saw(t, tasks, n);
}

static enum hrtimer_restart lifo_irq_fn(struct hrtimer *timer)
{
	struct lifo_irq *t = container_of(timer, struct lifo_irq, timer);
	u32 n = t->hits % 4 + 1;

	if (t->ct->put_busy && t->ct->get_busy)
		t->hits++;
	lifo_irq_push(t, n);
	lifo_irq_pop(t, 5 - n);
	lifo_irq_push(t, 1);
	lifo_irq_pop(t, 1);
	hrtimer_forward_now(timer, us_to_ktime(100));
	return HRTIMER_RESTART;
}

static void lifo_irq_thread(void *arg, int nr)
{
	struct lifo_irq *t = arg;
	u32 i, seed = 3;
	void *task;

	hrtimer_start(&t->timer, us_to_ktime(100), HRTIMER_MODE_REL_PINNED_HARD);
	while (atomic_read(&t->last) + 4 < LIFO_IDS &&
	       (READ_ONCE(t->hits) < LIFO_HITS ||
		(t->grows && !READ_ONCE(t->ct->engine->next)))) {
		for (i = 0; i < 16; i++) {
			if (!lifo_roll(&seed, 3))
				WRITE_ONCE(t->ct->state.bwos_lifo.hungry, 1);
			lifo_irq_push(t, lifo_roll(&seed, 4) + 1);
			lifo_irq_pop(t, lifo_roll(&seed, 4) + 1);
		}
		wsq_test_yield();
		/* Give memory time to come before the ids are used up. */
		if (t->grows && !READ_ONCE(t->ct->engine->next) &&
		    !lifo_roll(&seed, 16))
			schedule_timeout_uninterruptible(1);
	}
	hrtimer_cancel(&t->timer);
	/* Empty the pool here, where all of it is in reach. */
	while ((task = wsq_pool_pop(t->pool)))
		lifo_irq_saw(t, &task, 1);
}

/* An interrupt puts and takes at any instruction of the owner. */
static void lifo_interrupted(struct kunit *test)
{
	struct lifo_irq *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	unsigned int cpu = cpumask_first(cpu_online_mask);
	u32 s, i, wrong, hits = 0, grown = 0;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->seen = kvzalloc(LIFO_IDS, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->seen);
	wsq_hrtimer_setup(&t->timer, lifo_irq_fn, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
	for (s = 0; s < ARRAY_SIZE(lifo_shapes); s++) {
		memset(t->seen, 0, LIFO_IDS);
		atomic_set(&t->last, 0);
		t->hits = 0;
		t->pool = lifo_pool(test, s, cpumask_of(cpu));
		t->ct = wsq_pool_ct(t->pool, cpu);
		t->grows = lifo_shapes[s].max;
		wsq_test_run(test, 1, lifo_irq_thread, t);
		hits += t->hits;
		grown += !!t->ct->engine->next;
		wrong = 0;
		for (i = 0; i < (u32)atomic_read(&t->last); i++)
			wrong += t->seen[i] != 1;
		KUNIT_EXPECT_EQ_MSG(test, wrong, 0, "shape %d, of %d ids", s,
				    atomic_read(&t->last));
		wsq_pool_destroy(t->pool);
	}
	kvfree(t->seen);
	kunit_info(test, "%u interrupts of an owner's operation", hits);
	wsq_test_met(test, hits, "no interrupt met the owner");
	wsq_test_met(test, grown, "memory came after all ids were used");
}

#define LIFO_HANDS	16
/* At most this many rounds, until there were LIFO_HITS. */
#define LIFO_HAND_ROUNDS	20000

/**
 * struct lifo_hand - items that the owner moves and an interrupt takes
 * @ct: this CPU's container
 * @timer: interrupts the owner
 * @items: all in the engine while @settled
 * @settled: the owner only moves them
 * @next: the item that the interrupt tries next
 * @hits: interrupts of the owner's operation
 * @got: items that the interrupt got
 * @missed: items that it found nowhere
 */
struct lifo_hand {
	struct wsq_container *ct;
	struct hrtimer timer;
	struct lifo_item items[LIFO_HANDS];
	bool settled;
	u32 next;
	u32 hits;
	u32 got;
	u32 missed;
};

static enum hrtimer_restart lifo_hand_fn(struct hrtimer *timer)
{
	struct lifo_hand *h = container_of(timer, struct lifo_hand, timer);
	struct lifo_item *it = &h->items[h->next++ % LIFO_HANDS];

	if (READ_ONCE(h->settled) && it->in) {
		h->hits += h->ct->put_busy && h->ct->get_busy;
		it->in = !lifo_remove(h->ct, it);
		h->got += !it->in;
		h->missed += it->in;
	}
	hrtimer_forward_now(timer, us_to_ktime(100));
	return HRTIMER_RESTART;
}

/* Put all items, move them for a while, and take them again. */
static void lifo_hand_round(struct kunit *test, struct lifo_hand *h)
{
	u32 i, in = 0, out = 0;
	void *task;

	for (i = 0; i < LIFO_HANDS; i++) {
		KUNIT_ASSERT_TRUE(test, lifo_put(h->ct, &h->items[i], 0));
		h->items[i].in = true;
	}
	barrier();
	WRITE_ONCE(h->settled, true);
	barrier();
	for (i = 0; i < 1000; i++)
		wsq_engine_bwos_lifo_publish(h->ct);
	barrier();
	WRITE_ONCE(h->settled, false);
	barrier();
	for (i = 0; i < LIFO_HANDS; i++)
		in += h->items[i].in;
	do {
		/* Not the one in some turns that takes the oldest. */
		h->ct->turns = 0;
		task = wsq_engine_bwos_lifo_claim(h->ct);
		out += task && task != WSQ_AGAIN;
	} while (task);
	KUNIT_ASSERT_EQ(test, out, in);
}

/* An interrupt always finds an item that the owner is moving up. */
static void lifo_owned(struct kunit *test)
{
	struct lifo_hand *h = kunit_kzalloc(test, sizeof(*h), GFP_KERNEL);
	struct wsq_pool *pool = kunit_kzalloc(test, sizeof(*pool), GFP_KERNEL);
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq_attrs attrs = lifo_attrs(3, cpumask_of(cpu));
	int round;

	KUNIT_ASSERT_NOT_NULL(test, h);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	KUNIT_ASSERT_EQ(test, wsq_pool_init(pool, &wsq_machine, &attrs, false),
			0);
	wsq_test_stay(test, cpu);
	h->ct = wsq_pool_ct(pool, cpu);
	wsq_hrtimer_setup(&h->timer, lifo_hand_fn, CLOCK_MONOTONIC,
			  HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&h->timer, us_to_ktime(100), HRTIMER_MODE_REL_PINNED_HARD);
	for (round = 0; round < LIFO_HAND_ROUNDS && READ_ONCE(h->hits) < LIFO_HITS;
	     round++) {
		preempt_disable();
		lifo_hand_round(test, h);
		preempt_enable();
		wsq_test_yield();
	}
	hrtimer_cancel(&h->timer);
	kunit_info(test, "%u hits, %u items cancelled", h->hits, h->got);
	KUNIT_EXPECT_EQ(test, h->missed, 0);
	wsq_test_roam();
	wsq_pool_exit(pool);
	wsq_test_met(test, h->hits && h->got, "no interrupt met the owner");
}

/* Interrupts that were off stay off, and no item is lost. */
static void lifo_feed_irqs_off(struct kunit *test)
{
	struct lifo_item *items = kunit_kcalloc(test, LIFO_HANDS, sizeof(*items),
						GFP_KERNEL);
	struct wsq_pool *pool = kunit_kzalloc(test, sizeof(*pool), GFP_KERNEL);
	struct wsq_container *ct;
	struct wsq_attrs attrs;
	unsigned long flags;
	bool off = true;
	u32 i, n = 0;

	KUNIT_ASSERT_NOT_NULL(test, items);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	migrate_disable();
	attrs = lifo_attrs(3, cpumask_of(smp_processor_id()));
	KUNIT_ASSERT_EQ(test, wsq_pool_init(pool, &wsq_machine, &attrs, false),
			0);
	ct = wsq_pool_ct(pool, smp_processor_id());
	local_irq_save(flags);
	for (i = 0; i < LIFO_HANDS; i++) {
		WRITE_ONCE(ct->state.bwos_lifo.hungry, 1);
		n += lifo_put(ct, &items[i], i % 2);
		off &= irqs_disabled();
		wsq_engine_bwos_lifo_publish(ct);
		off &= irqs_disabled();
	}
	for (i = 0; i < LIFO_HANDS; i++) {
		n += wsq_location_color(items[i].link.where) == i % 2;
		n += lifo_remove(ct, &items[i]);
	}
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, off);
	KUNIT_EXPECT_EQ(test, n, 3 * LIFO_HANDS);
	while (wsq_engine_bwos_lifo_claim(ct))
		;
	wsq_pool_exit(pool);
	migrate_enable();
}

/**
 * struct lifo_pair - an owner and a thief
 * @pool: the pool
 * @step: whose turn it is
 * @first: the first task that each got
 * @hungry: the thief has asked
 * @got: what each got after that
 * @nr: how many
 */
struct lifo_pair {
	struct wsq_pool *pool;
	u64 step;
	void *first[2];
	bool hungry;
	void *got[2][16];
	int nr[2];
};

#define LIFO_PAIR_TASKS	9

static void lifo_pair_pop(struct lifo_pair *p, int nr)
{
	void *task;

	while (p->nr[nr] < 16 && (task = wsq_pool_pop(p->pool)))
		p->got[nr][p->nr[nr]++] = task;
}

static void lifo_pair_thread(void *arg, int nr)
{
	struct lifo_pair *p = arg;
	unsigned long i;

	if (!nr) {
		for (i = 1; i <= LIFO_PAIR_TASKS; i++)
			WARN_ON(wsq_pool_push(p->pool, (void *)i));
		side_notify(&p->step, 1);
		side_wait(&p->step, 2);
		p->first[0] = wsq_pool_pop(p->pool);
		side_notify(&p->step, 3);
		side_wait(&p->step, 4);
		lifo_pair_pop(p, 0);
	} else {
		struct wsq_container *ct;

		ct = wsq_pool_any(p->pool, cpumask_first(cpu_online_mask));
		side_wait(&p->step, 1);
		p->first[1] = wsq_pool_pop(p->pool);
		p->hungry = READ_ONCE(ct->state.bwos_lifo.hungry);
		side_notify(&p->step, 2);
		side_wait(&p->step, 3);
		lifo_pair_pop(p, 1);
		side_notify(&p->step, 4);
	}
}

/*
 * All tasks are in the owner's only block. A thief asks, and the owner's next
 * operation gives it the older half. The owner still takes the newest.
 */
static void lifo_hungry(struct kunit *test)
{
	struct lifo_pair *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	int i;

	side_need_two(test);
	KUNIT_ASSERT_NOT_NULL(test, p);
	p->pool = lifo_pool(test, 4, NULL);
	wsq_test_run(test, 2, lifo_pair_thread, p);
	KUNIT_EXPECT_NULL(test, p->first[1]);
	KUNIT_EXPECT_TRUE(test, p->hungry);
	KUNIT_EXPECT_PTR_EQ(test, p->first[0], (void *)9UL);
	KUNIT_ASSERT_EQ(test, p->nr[1], 5);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_PTR_EQ(test, p->got[1][i], (void *)(i + 1UL));
	KUNIT_ASSERT_EQ(test, p->nr[0], 3);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_PTR_EQ(test, p->got[0][i], (void *)(8UL - i));
	wsq_pool_destroy(p->pool);
}

#define LIFO_CHILDREN	200

/**
 * struct lifo_family - an item that queues others
 * @root: that item
 * @q: the queue
 * @cpu: where it ran
 * @children: the others, a fraction of a block
 */
struct lifo_family {
	struct wsq_work root;
	struct wsq *q;
	int cpu;
	struct lifo_child {
		struct wsq_work work;
		int cpu;
	} children[LIFO_CHILDREN];
};

static void lifo_child_fn(struct wsq_work *work)
{
	u64 end = ktime_get_ns() + 50 * NSEC_PER_USEC;

	while (ktime_get_ns() < end)
		cpu_relax();
	container_of(work, struct lifo_child, work)->cpu =
		raw_smp_processor_id();
}

static void lifo_root_fn(struct wsq_work *work)
{
	struct lifo_family *f = container_of(work, struct lifo_family, root);
	int i;

	f->cpu = raw_smp_processor_id();
	for (i = 0; i < LIFO_CHILDREN; i++)
		wsq_queue_work(f->q, &f->children[i].work);
}

static int lifo_family_elsewhere(struct lifo_family *f)
{
	int i, n = 0;

	for (i = 0; i < LIFO_CHILDREN; i++)
		n += f->children[i].cpu != f->cpu;
	return n;
}

/* Idle workers get some of the items even if these do not fill a block. */
static void lifo_spread(struct kunit *test)
{
	struct wsq_attrs attrs = lifo_attrs(4, NULL);
	unsigned long end = jiffies + WSQ_TEST_TIMEOUT;
	struct lifo_family *f;
	int i, most = 0;

	side_need_two(test);
	f = kvzalloc(sizeof(*f), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f);
	f->q = wsq_create(&attrs, "family");
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->q));
	INIT_WSQ_WORK(&f->root, lifo_root_fn);
	for (i = 0; i < LIFO_CHILDREN; i++)
		INIT_WSQ_WORK(&f->children[i].work, lifo_child_fn);
	/* On a busy machine the other CPU may have no time. */
	while (most < LIFO_CHILDREN / 4 && time_before(jiffies, end)) {
		wsq_queue_work(f->q, &f->root);
		wsq_drain(f->q);
		most = max(most, lifo_family_elsewhere(f));
	}
	kunit_info(test, "%d of %d elsewhere", most, LIFO_CHILDREN);
	KUNIT_EXPECT_GE(test, most, LIFO_CHILDREN / 4);
	wsq_destroy(f->q);
	kvfree(f);
}

#define LIFO_PATIENT	20
#define LIFO_ENDLESS	100000

/**
 * struct lifo_starve - an item that always requeues itself, and others
 * @root: queues all
 * @endless: requeues itself
 * @patient: queued before
 * @q: the queue
 * @left: others that have not run
 * @runs: of @endless
 * @over: @endless has ended
 */
struct lifo_starve {
	struct wsq_work root;
	struct wsq_work endless;
	struct lifo_patient {
		struct wsq_work work;
		struct lifo_starve *s;
	} patient[LIFO_PATIENT];
	struct wsq *q;
	int left;
	int runs;
	struct completion over;
};

static void lifo_patient_fn(struct wsq_work *work)
{
	container_of(work, struct lifo_patient, work)->s->left--;
}

static void lifo_endless_fn(struct wsq_work *work)
{
	struct lifo_starve *s = container_of(work, struct lifo_starve, endless);

	if (s->left && ++s->runs < LIFO_ENDLESS)
		wsq_queue_work(s->q, work);
	else
		complete(&s->over);
}

static void lifo_starve_fn(struct wsq_work *work)
{
	struct lifo_starve *s = container_of(work, struct lifo_starve, root);
	int i;

	for (i = 0; i < LIFO_PATIENT; i++)
		wsq_queue_work(s->q, &s->patient[i].work);
	wsq_queue_work(s->q, &s->endless);
}

/* An item that requeues itself in each run does not starve older items. */
static void lifo_starve(struct kunit *test)
{
	struct wsq_attrs attrs = { .flags = WSQ_RESIDENT };
	struct lifo_starve *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	attrs.cpumask = cpumask_of(cpumask_first(cpu_online_mask));
	s->q = wsq_test_queue_attrs(test, &attrs);
	s->left = LIFO_PATIENT;
	init_completion(&s->over);
	INIT_WSQ_WORK(&s->root, lifo_starve_fn);
	INIT_WSQ_WORK(&s->endless, lifo_endless_fn);
	for (i = 0; i < LIFO_PATIENT; i++) {
		s->patient[i].s = s;
		INIT_WSQ_WORK(&s->patient[i].work, lifo_patient_fn);
	}
	wsq_queue_work(s->q, &s->root);
	wait_for_completion(&s->over);
	wsq_destroy(s->q);
	KUNIT_EXPECT_EQ(test, s->left, 0);
	/* One in WSQ_INBOX_EVERY turns takes the oldest. */
	KUNIT_EXPECT_LT(test, s->runs, 2 * LIFO_PATIENT * WSQ_INBOX_EVERY);
}

static struct kunit_case lifo_engine_cases[] = {
	KUNIT_CASE(lifo_asked),
	KUNIT_CASE(lifo_asked_items),
	KUNIT_CASE(lifo_shut),
	KUNIT_CASE(lifo_interrupted),
	KUNIT_CASE(lifo_owned),
	KUNIT_CASE(lifo_feed_irqs_off),
	KUNIT_CASE(lifo_hungry),
	KUNIT_CASE(lifo_spread),
	WSQ_ENGINE_CASE(lifo_starve),
	{}
};

static struct kunit_suite lifo_engine_suite = {
	.name = "wsq_lifo_engine",
	.test_cases = lifo_engine_cases,
};

kunit_test_suite(lifo_engine_suite);
