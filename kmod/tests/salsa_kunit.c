// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of what only pools on SALSA do: balancing by producers,
 * non-member CPUs, stealing only from a CPU that takes nothing, where memory
 * is, and whether a pool was empty. For queues: the memory of cancelled items.
 * CPUs that answer no interrupt are in salsa_steal_kunit.c, what all engines do
 * is in pool_kunit.c.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include <linux/wsq.h>
#include <linux/wsq_pool.h>

#include "../engine/engine.h"
#include "../pool/pool.h"
#include "items.h"
#include "threads.h"

static struct wsq_pool *salsa_new(struct kunit *test, u32 blocks, u32 size,
				  const struct cpumask *mask)
{
	struct wsq_attrs attrs = {
		.engine = WSQ_SALSA,
		.blocks = blocks,
		.block_size = size,
		.cpumask = mask,
	};
	struct wsq_pool *pool = wsq_pool_create(&attrs, "salsa");

	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	return pool;
}

static void salsa_attrs(struct kunit *test)
{
	static const struct {
		u32 engine, blocks, size;
		int ret;
	} rows[] = {
		{ WSQ_SALSA, 0, 0, 0 }, { WSQ_WS_MULT + WSQ_NR_ENGINES, 0, 0, -EINVAL },
		{ WSQ_SALSA, 1, 64, -EINVAL }, { WSQ_SALSA, 2, 64, 0 },
		{ WSQ_SALSA, 64, 64, 0 }, { WSQ_SALSA, 65, 64, -EINVAL },
		{ WSQ_SALSA, 8, 1, -EINVAL }, { WSQ_SALSA, 8, 2, 0 },
		{ WSQ_SALSA, 8, 4096, 0 }, { WSQ_SALSA, 8, 4097, -EINVAL },
		{ ~0U, 0, 0, -EINVAL },
	};
	static const struct {
		u32 engine, flags;
		enum wsq_engine_type kind;
	} defaults[] = {
		{ WSQ_DEFAULT_ENGINE, 0, WSQ_BWOS_FIFO },
		{ WSQ_DEFAULT_ENGINE, WSQ_HAND_OVER, WSQ_SALSA },
		{ WSQ_BWOS_FIFO, WSQ_HAND_OVER, WSQ_BWOS_FIFO },
		{ WSQ_SALSA, 0, WSQ_SALSA },
		{ WSQ_BWOS_LIFO, WSQ_HAND_OVER, WSQ_BWOS_LIFO },
	};
	struct wsq_pool *pool;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wsq_attrs attrs = {
			.engine = rows[i].engine,
			.blocks = rows[i].blocks,
			.block_size = rows[i].size,
		};

		pool = wsq_pool_create(&attrs, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(pool), rows[i].ret,
				    "row %d", i);
		if (!IS_ERR(pool))
			wsq_pool_destroy(pool);
	}
	for (i = 0; i < ARRAY_SIZE(defaults); i++) {
		struct wsq_attrs attrs = {
			.engine = defaults[i].engine,
			.flags = defaults[i].flags,
		};

		pool = wsq_pool_create(&attrs, "default %d", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
		KUNIT_EXPECT_EQ_MSG(test, pool->kind, defaults[i].kind,
				    "default %d", i);
		wsq_pool_destroy(pool);
	}
	pool = salsa_new(test, 0, 0, NULL);
	KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, NULL), -EINVAL);
	/* Engines use some of these values as marks. */
	KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, WSQ_SALSA_TAKEN), -EINVAL);
	KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, ERR_PTR(-MAX_ERRNO)), -EINVAL);
	KUNIT_EXPECT_NULL(test, wsq_pool_pop(pool));
	wsq_pool_destroy(pool);
}

/**
 * struct salsa_spread - tasks that one CPU pushes and all CPUs take
 * @pool: the pool
 * @left: tasks that were pushed and not taken
 */
struct salsa_spread {
	struct wsq_pool *pool;
	atomic_t left;
};

/*
 * A CPU that takes nothing pushes its tasks to all CPUs, and each CPU finds its
 * own.
 */
static void salsa_fill(void *arg, int nr)
{
	struct salsa_spread *s = arg;
	unsigned long n = 0;

	if (nr)
		return;
	while (!wsq_pool_push(s->pool, (void *)(n + 1)))
		n++;
	atomic_set(&s->left, n);
}

static void salsa_drain(void *arg, int nr)
{
	struct salsa_spread *s = arg;
	struct wsq_engine_salsa *es;

	preempt_disable();
	es = wsq_engine_salsa(wsq_pool_ct(s->pool, smp_processor_id()));
	while (wsq_salsa_get(&es->c))
		atomic_dec(&s->left);
	preempt_enable();
}

static void salsa_balance(struct kunit *test)
{
	struct salsa_spread s = { .pool = salsa_new(test, 2, 4, NULL) };
	int nr = num_online_cpus();

	wsq_test_run(test, nr, salsa_fill, &s);
	KUNIT_EXPECT_EQ(test, atomic_read(&s.left), 8 * nr);
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(s.pool), 0);
	/* Without stealing. */
	wsq_test_run(test, nr, salsa_drain, &s);
	KUNIT_EXPECT_EQ(test, atomic_read(&s.left), 0);
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(s.pool), 1);
	wsq_pool_destroy(s.pool);
}

/* Non-member CPUs put to members, and take from them. */
static void salsa_nonmember(struct kunit *test)
{
	unsigned int here, there;
	struct wsq_container *nonmember;
	unsigned long n = 0, sum = 0, end = jiffies + WSQ_TEST_TIMEOUT;
	struct wsq_pool *pool;
	void *task;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	migrate_disable();
	here = smp_processor_id();
	there = cpumask_any_but(cpu_online_mask, here);
	pool = salsa_new(test, 2, 4, cpumask_of(there));
	KUNIT_EXPECT_NULL(test, wsq_pool_ct(pool, here));
	nonmember = wsq_pool_any(pool, here);
	KUNIT_ASSERT_NOT_NULL(test, nonmember);
	/* Chunks that the non-member has emptied go back, perhaps later. */
	while (n < 8 * 50 && time_before(jiffies, end)) {
		while (!wsq_pool_push(pool, (void *)(n + 1)))
			sum -= ++n;
		while ((task = wsq_pool_pop(pool)))
			sum += (unsigned long)task;
		cond_resched();
	}
	KUNIT_EXPECT_GE(test, n, 8 * 50);
	KUNIT_EXPECT_EQ(test, sum, 0);
	/* No inbox was used. */
	KUNIT_EXPECT_EQ(test, atomic64_read(&wsq_pool_ct(pool, there)->pointer->allocated),
			0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&nonmember->pointer->allocated), 0);
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(pool), 1);
	migrate_enable();
	wsq_pool_destroy(pool);
}

struct salsa_turn {
	struct wsq_pool *pool;
	bool pushed;
	void *got;
};

static void salsa_turn_fn(void *arg)
{
	struct salsa_turn *t = arg;

	t->pushed = !wsq_pool_push(t->pool, t);
	t->got = wsq_pool_pop(t->pool);
}

static bool salsa_turn_on(struct salsa_turn *t, unsigned int cpu)
{
	smp_call_function_single(cpu, salsa_turn_fn, t, true);
	return t->pushed;
}

/*
 * CPUs that push and pop one task each are in all chunks of the only member. A
 * push to the empty pool still succeeds, after a grace period at the latest:
 * from non-members, however often, and from the member itself. Three CPUs are
 * more than there are chunks.
 */
static void salsa_nonmember_holds(struct kunit *test)
{
	unsigned int member, cpu;
	struct salsa_turn t = {};
	int round;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	member = cpumask_first(cpu_online_mask);
	t.pool = salsa_new(test, 2, 4, cpumask_of(member));
	for (round = 0; round < 40; round++) {
		for_each_online_cpu(cpu) {
			if (cpu == member && round != 1)
				continue;
			KUNIT_ASSERT_TRUE_MSG(test,
					      wsq_test_until(salsa_turn_on(&t, cpu)),
					      "round %d on CPU %u", round, cpu);
			KUNIT_ASSERT_PTR_EQ(test, t.got, (void *)&t);
		}
	}
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(t.pool), 1);
	wsq_pool_destroy(t.pool);
}

struct salsa_stuck {
	struct wsq_pool *pool;
	unsigned int cpu;
	unsigned long got;
	u64 waited;
	atomic_t step;
};

/* Check the victim as a pop does, until there is a steal to wait for. */
static void salsa_stare(struct salsa_stuck *s)
{
	struct wsq_container *me, *ct = wsq_pool_ct(s->pool, s->cpu);
	void *task = NULL;
	u64 from;

	preempt_disable();
	me = wsq_pool_ct(s->pool, smp_processor_id());
	from = ktime_get_mono_fast_ns();
	do {
		wsq_engine_steal(ct, me, &task, 1);
		s->waited = ktime_get_mono_fast_ns() - from;
	} while (!task && !wsq_engine_steal_async(me) && s->waited < WSQ_TEST_TIMEOUT_NS);
	s->got += !!task;
	preempt_enable();
}

static void salsa_stuck_fn(void *arg, int nr)
{
	unsigned long i, end = jiffies + WSQ_TEST_TIMEOUT;
	struct salsa_stuck *s = arg;

	if (!nr) {
		preempt_disable();
		s->cpu = smp_processor_id();
		for (i = 1; i <= 100; i++)
			wsq_pool_push(s->pool, (void *)i);
		if (wsq_pool_pop(s->pool))
			s->got++;
		preempt_enable();
		atomic_set_release(&s->step, 1);
		return;
	}
	/* The last of the others. */
	if (nr != num_online_cpus() - 1)
		return;
	while (!atomic_read_acquire(&s->step))
		wsq_test_yield();
	salsa_stare(s);
	/* All tasks are in reach once the victim's CPU has answered. */
	while (s->got < 100 && time_before(jiffies, end))
		s->got += !!wsq_pool_pop(s->pool);
}

/* A CPU begins a chunk and takes no more. The rest is stolen after a time. */
static void salsa_stands_still(struct kunit *test)
{
	struct salsa_stuck s = {};
	struct wsq_engine_salsa *es;
	int nr = num_online_cpus();
	u64 replaced = 0, sent = 0;
	unsigned int cpu;

	if (nr < 2)
		kunit_skip(test, "needs two CPUs");
	s.pool = salsa_new(test, 2, 256, NULL);
	wsq_test_run(test, nr, salsa_stuck_fn, &s);
	KUNIT_EXPECT_EQ(test, s.got, 100);
	KUNIT_EXPECT_GE(test, s.waited, WSQ_SALSA_STILL_NS);
	for_each_online_cpu(cpu) {
		es = wsq_engine_salsa(wsq_pool_ct(s.pool, cpu));
		replaced += es->c.count.replaced;
		sent += es->c.count.sent;
	}
	/* With cas instead of interrupts it was a claim. */
	if (wsq_fence_reaches(cpumask_first(cpu_online_mask))) {
		KUNIT_EXPECT_EQ(test, replaced, 1);
		KUNIT_EXPECT_EQ(test, sent, 1);
	}
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(s.pool), 1);
	wsq_pool_destroy(s.pool);
}

/* Tasks in a chunk. */
#define SALSA_TAKES	8
/* Rounds without a pause that suffice, and rounds to find them. */
#define SALSA_CLEAN	100
#define SALSA_ROUNDS	500

/**
 * struct salsa_busy - a CPU that takes all the time, and one that checks it
 * @pool: the pool
 * @cpu: the first's CPU
 * @begun: round in which the other may check. The first
 * @looked: round that the other has finished. The other
 * @through: round that the first has finished. The first
 * @looks: how often the other checked. The other
 * @watched: the other checked often in this round. The first
 * @stolen: the first lost its chunk in this round. The other
 * @put: tasks put. The first, as the next
 * @got: tasks that it took
 * @taken: tasks that others took. The other
 * @clean: rounds in which the first made no pause. The first, as the next
 * @wrong: clean rounds in which it lost its chunk
 */
struct salsa_busy {
	struct wsq_pool *pool;
	unsigned int cpu;
	atomic_t begun;
	atomic_t looked;
	atomic_t through;
	unsigned long looks;
	bool watched;
	bool stolen;
	unsigned long put, got, taken;
	unsigned long clean, wrong;
};

/*
 * Take a whole chunk without delay. Returns the longest time that the CPU may
 * have seemed idle.
 */
static u64 salsa_take_all(struct salsa_busy *b, int round)
{
	struct wsq_container *ct = wsq_pool_ct(b->pool, b->cpu);
	u64 last, before, after, most = 0;
	unsigned long flags, looks;
	int i;

	local_irq_save(flags);
	looks = READ_ONCE(b->looks);
	last = ktime_get_mono_fast_ns();
	for (i = 0; i < SALSA_TAKES; i++) {
		bool found;

		before = ktime_get_mono_fast_ns();
		found = wsq_engine_get(ct);
		after = ktime_get_mono_fast_ns();
		most = max(most, after - last);
		last = before;
		b->got += found;
		/* Not earlier: before the first take no CPU is in the chunk. */
		if (!i)
			atomic_set_release(&b->begun, round);
		if (!found)
			break;
		while (ktime_get_mono_fast_ns() - after < 6000)
			cpu_relax();
	}
	b->watched = READ_ONCE(b->looks) - looks >= 2 * SALSA_TAKES;
	local_irq_restore(flags);
	return i ? most : U64_MAX;
}

static void salsa_busy_one(struct salsa_busy *b)
{
	int i, round;
	u64 most;

	b->cpu = smp_processor_id();
	for (round = 1; b->clean < SALSA_CLEAN && round < SALSA_ROUNDS; round++) {
		for (i = 0; i < SALSA_TAKES; i++)
			b->put += !wsq_pool_push(b->pool, b);
		most = salsa_take_all(b, round);
		atomic_set_release(&b->through, round);
		while (atomic_read_acquire(&b->looked) != round)
			wsq_test_yield();
		/* All chunks of this CPU have been stolen. */
		if (most == U64_MAX)
			break;
		if (most >= WSQ_SALSA_STILL_NS || (!b->watched && !b->stolen))
			continue;
		b->clean++;
		b->wrong += b->stolen;
	}
	atomic_set_release(&b->begun, -1);
}

static void salsa_busy_other(struct salsa_busy *b)
{
	struct wsq_container *me = wsq_pool_ct(b->pool, smp_processor_id());
	int round, last = 0;
	void *task;

	for (;;) {
		do {
			wsq_test_yield();
			round = atomic_read_acquire(&b->begun);
		} while (round == last);
		if (round < 0)
			return;
		last = round;
		b->stolen = false;
		preempt_disable();
		do {
			task = NULL;
			wsq_engine_steal(wsq_pool_ct(b->pool, b->cpu), me, &task,
					 1);
			b->taken += !!task;
			b->stolen = b->stolen || task || wsq_engine_steal_async(me);
			WRITE_ONCE(b->looks, b->looks + 1);
		} while (!b->stolen &&
			 atomic_read_acquire(&b->through) != round);
		preempt_enable();
		while (atomic_read_acquire(&b->through) != round)
			wsq_test_yield();
		/* No steal may be under way when the next round begins. */
		do {
			task = b->stolen ? wsq_pool_pop(b->pool) : NULL;
			b->taken += !!task;
		} while (task || wsq_salsa_under_way(&wsq_engine_salsa(me)->c));
		atomic_set_release(&b->looked, round);
	}
}

static void salsa_busy_fn(void *arg, int nr)
{
	if (!nr)
		salsa_busy_one(arg);
	else if (nr == 1)
		salsa_busy_other(arg);
}

/* A CPU that takes all the time keeps its chunk, however often checked. */
static void salsa_busy(struct kunit *test)
{
	struct salsa_busy b = {};

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	b.pool = salsa_new(test, 64, SALSA_TAKES, NULL);
	wsq_test_run(test, num_online_cpus(), salsa_busy_fn, &b);
	kunit_info(test, "%lu rounds without a pause", b.clean);
	KUNIT_EXPECT_EQ(test, b.wrong, 0);
	while (wsq_pool_was_empty(b.pool) != 1) {
		b.taken += !!wsq_pool_pop(b.pool);
		wsq_test_yield();
	}
	KUNIT_EXPECT_EQ(test, b.put, b.got + b.taken);
	wsq_pool_destroy(b.pool);
	wsq_test_met(test, b.clean, "no round without a pause: too slow to tell");
}

#define SALSA_IDS	60000

struct salsa_mix {
	struct wsq_pool *pool;
	atomic_t next;
	atomic_t got;
};

/* Every other CPU pushes, the rest pop. */
static void salsa_mix_fn(void *arg, int nr)
{
	struct salsa_mix *m = arg;

	/* Two CPUs that push may both push the last one. */
	for (;;) {
		if (!(nr & 1) && atomic_read(&m->next) < SALSA_IDS) {
			if (!wsq_pool_push(m->pool, m))
				atomic_inc(&m->next);
			else if (num_online_cpus() == 1 && wsq_pool_pop(m->pool))
				atomic_inc(&m->got);
		} else if (wsq_pool_pop(m->pool)) {
			atomic_inc(&m->got);
		}
		if (atomic_read(&m->next) >= SALSA_IDS &&
		    atomic_read(&m->got) >= atomic_read(&m->next))
			return;
		wsq_test_yield();
	}
}

static int salsa_page_node(const void *p)
{
	return is_vmalloc_addr(p) ? page_to_nid(vmalloc_to_page(p)) :
				    page_to_nid(virt_to_page(p));
}

/*
 * Chunks are on their consumer's node. After all the stealing, a CPU's chunk
 * pool has none of another node.
 */
static void salsa_nodes(struct kunit *test)
{
	struct salsa_mix m = { .pool = salsa_new(test, 4, 512, NULL) };
	struct wsq_salsa *s = m.pool->salsa;
	unsigned int cpu, i, free = 0, wrong = 0;
	u64 at;

	wsq_test_run(test, num_online_cpus(), salsa_mix_fn, &m);
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(m.pool), 1);
	for_each_online_cpu(cpu) {
		struct wsq_engine_salsa *es;

		es = wsq_engine_salsa(wsq_pool_ct(m.pool, cpu));
		for (i = 0; i < es->nr_chunks; i++) {
			const wsq_slot_t *slots = es->chunks[i].slots;
			size_t off;

			KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(slots));
			for (off = 0; off < 512 * sizeof(*slots); off += PAGE_SIZE)
				KUNIT_EXPECT_EQ(test, salsa_page_node((void *)slots + off),
						cpu_to_node(cpu));
		}
		for (at = atomic64_read(&es->c.pool.head);
		     at != atomic64_read(&es->c.pool.tail); at++, free++) {
			u32 nr = atomic64_read(&es->c.pool.cells[at & es->c.pool.mask]);

			wrong += wsq_salsa_chunk_at(s, nr)->node !=
				 cpu_to_node(cpu);
		}
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	wsq_pool_destroy(m.pool);
	wsq_test_met(test, free, "no chunk was in a chunk pool");
}

/* How often the task is replaced. */
#define SALSA_TOKENS	WSQ_TEST_MANY(300000)

struct salsa_token {
	struct wsq_pool *pool;
	atomic_t over;
	unsigned long looks, lies;
};

/*
 * One CPU always has a task in the pool: it pushes the next before it pops the
 * last. The others ask whether the pool was empty.
 */
static void salsa_token_fn(void *arg, int nr)
{
	struct salsa_token *t = arg;
	unsigned long i;

	if (nr > 1)
		return;
	if (nr) {
		while (!atomic_read_acquire(&t->over)) {
			t->lies += wsq_pool_was_empty(t->pool) != 0;
			WRITE_ONCE(t->looks, t->looks + 1);
			wsq_test_yield();
		}
		return;
	}
	for (i = 0; i < SALSA_TOKENS; i++) {
		wsq_pool_push(t->pool, t);
		while (!wsq_pool_pop(t->pool))
			;
		wsq_test_yield();
	}
	atomic_set_release(&t->over, 1);
}

static void salsa_never_empty(struct kunit *test)
{
	struct salsa_token t = {};
	struct wsq_attrs attrs = {};

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	t.pool = salsa_new(test, 4, 2, NULL);
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(t.pool), 1);
	KUNIT_EXPECT_EQ(test, wsq_pool_push(t.pool, &t), 0);
	wsq_test_run(test, num_online_cpus(), salsa_token_fn, &t);
	KUNIT_EXPECT_EQ(test, t.lies, 0);
	/* Its CPU must first have been seen to take nothing for a time. */
	KUNIT_EXPECT_TRUE(test, wsq_test_until(wsq_pool_pop(t.pool)));
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(t.pool), 1);
	wsq_pool_destroy(t.pool);

	t.pool = wsq_pool_create(&attrs, "another engine");
	KUNIT_ASSERT_FALSE(test, IS_ERR(t.pool));
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(t.pool), -EOPNOTSUPP);
	wsq_pool_destroy(t.pool);
	wsq_test_met(test, t.looks, "the other CPU never asked");
}

#ifdef CONFIG_HOTPLUG_CPU

/* Begin a chunk on a CPU. */
static void salsa_last_words(void *arg)
{
	struct salsa_stuck *s = arg;
	unsigned long i;

	for (i = 1; i <= 4; i++)
		wsq_pool_push(s->pool, (void *)i);
	s->got += !!wsq_pool_pop(s->pool);
}

/*
 * Tasks that an offline CPU left in its current chunk can be taken by all CPUs,
 * even those that may send no interrupt. As a member, and as a non-member.
 */
static void salsa_dead(struct kunit *test)
{
	unsigned int off = cpumask_last(cpu_online_mask), here, i, as_nonmember;
	struct wsq_attrs attrs = { .engine = WSQ_SALSA, .block_size = 16 };

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	here = cpumask_first(cpu_online_mask);
	for (as_nonmember = 0; as_nonmember < 2; as_nonmember++) {
		struct salsa_stuck s = {};

		if (as_nonmember)
			attrs.cpumask = cpumask_of(here);
		s.pool = wsq_pool_create(&attrs, "dead");
		KUNIT_ASSERT_FALSE(test, IS_ERR(s.pool));
		smp_call_function_single(off, salsa_last_words, &s, true);
		KUNIT_EXPECT_EQ(test, s.got, 1);
		KUNIT_ASSERT_EQ(test, remove_cpu(off), 0);
		local_bh_disable();
		for (i = 0; i < 8; i++)
			s.got += !!wsq_pool_pop(s.pool);
		local_bh_enable();
		KUNIT_EXPECT_EQ(test, s.got, 4);
		KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(s.pool), 1);
		KUNIT_EXPECT_EQ(test, add_cpu(off), 0);
		/* Back online, the CPU begins anew. */
		smp_call_function_single(off, salsa_last_words, &s, true);
		KUNIT_EXPECT_EQ(test, s.got, 5);
		while (!wsq_pool_was_empty(s.pool))
			s.got += !!wsq_pool_pop(s.pool);
		KUNIT_EXPECT_EQ(test, s.got, 8);
		wsq_pool_destroy(s.pool);
	}
}

#endif

/* A task in an inbox is in the pool. */
static void salsa_inbox(struct kunit *test)
{
	struct wsq_pool *pool = salsa_new(test, 2, 4, NULL);
	struct wsq_container *ct;

	preempt_disable();
	ct = wsq_pool_ct(pool, smp_processor_id());
	ct->put_busy = 1;
	KUNIT_EXPECT_EQ(test, wsq_pool_push(pool, pool), 0);
	ct->put_busy = 0;
	preempt_enable();
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(pool), 0);
	KUNIT_EXPECT_PTR_EQ(test, wsq_pool_pop(pool), (void *)pool);
	KUNIT_EXPECT_EQ(test, wsq_pool_was_empty(pool), 1);
	wsq_pool_destroy(pool);
}

#define SALSA_ITEMS	16

/*
 * All items of a queue are cancelled before its worker comes. Puts on that CPU
 * use the chunks again, however often.
 */
static void salsa_cancelled(struct kunit *test)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct wsq_attrs attrs = {
		.engine = WSQ_SALSA,
		.blocks = 2,
		.block_size = 4,
		.flags = WSQ_RESIDENT,
		.cpumask = cpumask_of(cpu),
	};
	struct wsq *q = wsq_create(&attrs, "salsa");
	struct wsq_test_item *items;
	struct wsq_test_gate *g;
	int round, i, slots, least = SALSA_ITEMS;

	KUNIT_ASSERT_FALSE(test, IS_ERR(q));
	items = wsq_test_items(test, q, SALSA_ITEMS, wsq_test_count);
	g = wsq_test_hold(test, q, cpu);
	wsq_test_stay(test, cpu);
	for (round = 0; round < 10; round++) {
		for (slots = 0, i = 0; i < SALSA_ITEMS; i++) {
			wsq_queue_work(q, &items[i].work);
			slots += wsq_test_kind(&items[i].work) == WSQ_IN_SLOT;
		}
		least = min(least, slots);
		for (i = 0; i < SALSA_ITEMS; i++)
			KUNIT_EXPECT_TRUE(test, wsq_cancel_work(&items[i].work));
	}
	wsq_test_roam();
	/* Two chunks; the gate may have a slot of one. */
	KUNIT_EXPECT_GE(test, least, 4);
	wsq_test_release(test, q, g);
	wsq_test_queue_end(test, q);
	vfree(items);
}

static struct kunit_case salsa_cases[] = {
	KUNIT_CASE(salsa_attrs),
	KUNIT_CASE(salsa_balance),
	KUNIT_CASE(salsa_nonmember),
	KUNIT_CASE(salsa_nonmember_holds),
	KUNIT_CASE(salsa_stands_still),
	KUNIT_CASE(salsa_busy),
	KUNIT_CASE(salsa_nodes),
	KUNIT_CASE(salsa_never_empty),
	KUNIT_CASE(salsa_inbox),
	KUNIT_CASE(salsa_cancelled),
#ifdef CONFIG_HOTPLUG_CPU
	KUNIT_CASE(salsa_dead),
#endif
	{}
};

static struct kunit_suite salsa_suite = {
	.name = "wsq_salsa",
	.test_cases = salsa_cases,
};

kunit_test_suite(salsa_suite);
