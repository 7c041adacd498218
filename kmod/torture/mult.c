// SPDX-License-Identifier: GPL-2.0
/*
 * Pools with WSQ_AT_LEAST_ONCE, one for each multiplicity and overflow rule, tiny
 * and mostly full. Threads, interrupts and tasklets push numbers and pop them.
 *
 * A number names a slot of a table and how often that slot was used. The slot
 * records which CPUs have popped the number. No CPU may pop it twice, and no
 * more CPUs than the multiplicity allows. When some CPU has popped it, the next
 * wsq_pool_settle() frees the slot. After that the number may not come out any
 * more.
 *
 * Now and then a thread takes a pool away with all that is in it, destroys it,
 * and creates one of another shape. At the end all numbers must have been popped,
 * and the pool's counts must be those of the table.
 *
 * Each pop and its record are one RCU read-side section, with preemption off, as
 * wsq_pool_settle() requires. A CPU that is popping finds the pool by RCU. A push
 * that may sleep is outside any such section, so pools with WSQ_OVERFLOW_WAIT are
 * not replaced.
 */
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/wsq_pool.h>

#include "torture.h"

/* Numbers in use, of each pool. */
#define MULT_BITS	9
#define MULT_SLOTS	BIT(MULT_BITS)

/* Numbers pushed or popped at once, at most. */
#define MULT_MANY	8

/* Rounds over all CPUs in which nothing comes out: the rest was lost. */
#define MULT_ROUNDS	1000

#define MULT_RULES	(WSQ_OVERFLOW_WAIT + 1)
#define MULT_POOLS	((WSQ_MULTIPLICITY_EXACT + 1) * MULT_RULES)

/* State of a slot: how often it was used, and above that in the lowest bits: */
#define MULT_FREE	0U
#define MULT_PUSHED	1U	/* no CPU has popped it */
#define MULT_POPPED	2U
#define MULT_STATE	3U
#define MULT_USE	4U

/**
 * struct mult_slot - a number and what became of it
 * @state: see above
 * @takers: how many CPUs have popped it
 */
struct mult_slot {
	atomic_t state;
	atomic_t takers;
};

/**
 * struct torture_mult - a pool and its numbers
 * @pool: the pool; %NULL while another one is created. RCU
 * @lock: of settling, and of taking the pool away
 * @multiplicity: as in struct wsq_attrs. Constant, as @rule
 * @rule: its overflow rule
 * @slots: the table
 * @by: bitmaps, for each slot the CPUs that have popped it
 * @pushed: numbers pushed to this pool, and not handled inline
 * @popped: pops of this pool that brought a number
 * @again: ... that another CPU had popped before
 */
struct torture_mult {
	struct wsq_pool __rcu *pool;
	/* Of settling, and of taking the pool away. */
	struct mutex lock;
	u32 multiplicity;
	enum wsq_overflow rule;
	struct mult_slot slots[MULT_SLOTS];
	unsigned long *by;
	atomic_long_t pushed;
	atomic_long_t popped;
	atomic_long_t again;
};

static struct torture_mult *mults;

static unsigned long *mult_by(struct torture_mult *m, unsigned int slot)
{
	return m->by + slot * BITS_TO_LONGS(nr_cpu_ids);
}

/* A number that is not in use, 0 if none was found. */
static unsigned long mult_new(struct torture_mult *m, struct torture_actor *a)
{
	unsigned int tries;

	for (tries = 0; tries < 8; tries++) {
		unsigned int i = torture_roll(&a->rnd, MULT_SLOTS);
		struct mult_slot *slot = &m->slots[i];
		u32 was = atomic_read(&slot->state);

		if ((was & MULT_STATE) != MULT_FREE ||
		    atomic_cmpxchg(&slot->state, was, was + MULT_PUSHED) != was)
			continue;
		atomic_set(&slot->takers, 0);
		bitmap_zero(mult_by(m, i), nr_cpu_ids);
		return (unsigned long)(was / MULT_USE) << MULT_BITS | i;
	}
	return 0;
}

/* It is not in the pool: its push failed, or it was handled inline. */
static void mult_back(struct torture_mult *m, unsigned long number)
{
	atomic_t *state = &m->slots[number % MULT_SLOTS].state;
	u32 was = atomic_read(state);

	if ((was & MULT_STATE) != MULT_PUSHED)
		torture_err("pool of multiplicity %u: %lu came out, but was not pushed",
			    m->multiplicity, number);
	atomic_set(state, was & ~MULT_STATE);
}

/* This CPU has popped it; preemption is off since. */
static void mult_saw(struct torture_mult *m, unsigned long number)
{
	unsigned int i = number % MULT_SLOTS, cpu = smp_processor_id(), takers;
	struct mult_slot *slot = &m->slots[i];
	u32 use = (u32)(number >> MULT_BITS) * MULT_USE;
	u32 was = atomic_read(&slot->state);

	atomic_long_inc(&m->popped);
	if ((was & ~MULT_STATE) != use || (was & MULT_STATE) == MULT_FREE) {
		torture_err("pool of multiplicity %u: %lu came out after it was settled, slot %x",
			    m->multiplicity, number, was);
		return;
	}
	if (test_and_set_bit(cpu, mult_by(m, i)))
		torture_err("pool of multiplicity %u: CPU %u has popped %lu twice",
			    m->multiplicity, cpu, number);
	takers = (u32)atomic_inc_return(&slot->takers);
	if (takers > 1 && m->multiplicity == WSQ_MULTIPLICITY_EXACT)
		torture_err("exact pool: %lu came out %u times", number, takers);
	if (takers > 2 && m->multiplicity == WSQ_MULTIPLICITY_BOUNDED)
		torture_err("bounded pool: %lu came out %u times", number, takers);
	if (atomic_cmpxchg(&slot->state, use | MULT_PUSHED, use | MULT_POPPED) !=
	    (int)(use | MULT_PUSHED)) {
		atomic_long_inc(&m->again);
		torture_inc(TC_MULT_AGAIN);
	}
}

static void mult_inline(void *task, void *arg)
{
	struct torture_mult *m = arg;

	torture_inc(TC_MULT_INLINE);
	atomic_long_dec(&m->pushed);
	mult_back(m, (unsigned long)task);
}

static void mult_push(struct torture_actor *a, struct torture_mult *m,
		      struct wsq_pool *pool)
{
	unsigned int nr, want = 1 + torture_roll(&a->rnd, MULT_MANY), done;
	void *tasks[MULT_MANY];

	for (nr = 0; nr < want; nr++) {
		unsigned long number = mult_new(m, a);

		if (!number)
			break;
		tasks[nr] = (void *)number;
	}
	if (!nr)
		return;
	if (torture_one_in(&a->rnd, 2)) {
		done = wsq_pool_push_many(pool, tasks, nr);
	} else {
		for (done = 0; done < nr; done++) {
			int ret = wsq_pool_push(pool, tasks[done]);

			if (ret && ret != -EAGAIN)
				torture_err("a push of multiplicity %u said %d",
					    m->multiplicity, ret);
			if (ret)
				break;
		}
	}
	atomic_long_add(done, &m->pushed);
	torture_add(TC_MULT_PUSHED, done);
	torture_add(TC_MULT_FULL, nr - done);
	if (done < nr && (m->rule == WSQ_OVERFLOW_INLINE ||
			  m->rule == WSQ_OVERFLOW_WAIT))
		torture_err("a push of multiplicity %u by rule %d failed",
			    m->multiplicity, m->rule);
	while (done < nr)
		mult_back(m, (unsigned long)tasks[done++]);
}

/* Preemption is off, in a read-side section. */
static unsigned int mult_pop(struct torture_mult *m, struct wsq_pool *pool,
			     unsigned int most)
{
	void *tasks[MULT_MANY];
	unsigned int nr, i;

	if (most == 1) {
		tasks[0] = wsq_pool_pop(pool);
		nr = !!tasks[0];
	} else {
		nr = wsq_pool_pop_many(pool, tasks, most);
	}
	for (i = 0; i < nr; i++)
		mult_saw(m, (unsigned long)tasks[i]);
	torture_add(TC_MULT_POPPED, nr);
	return nr;
}

/* A push that may sleep. */
static void mult_push_wait(struct torture_actor *a, struct torture_mult *m)
{
	if (a->ctx == TORTURE_TASK)
		mult_push(a, m, rcu_dereference_protected(m->pool, true));
}

/**
 * torture_mult_ops() - push and pop
 * @a: the actor
 *
 * Context: any but NMI. Pushes to pools with WSQ_OVERFLOW_WAIT only from a thread.
 */
void torture_mult_ops(struct torture_actor *a)
{
	struct torture_mult *m = &mults[torture_roll(&a->rnd, MULT_POOLS)];
	unsigned int nr = 1 + torture_roll(&a->rnd, 4);
	struct wsq_pool *pool;
	bool pop;

	while (nr--) {
		pop = torture_one_in(&a->rnd, 2);
		if (!pop && m->rule == WSQ_OVERFLOW_WAIT) {
			mult_push_wait(a, m);
			continue;
		}
		rcu_read_lock();
		preempt_disable();
		pool = rcu_dereference(m->pool);
		if (pool && pop)
			mult_pop(m, pool, 1 + torture_roll(&a->rnd, MULT_MANY));
		else if (pool)
			mult_push(a, m, pool);
		preempt_enable();
		rcu_read_unlock();
	}
}

/**
 * torture_mult_drain() - pop from each pool whose pushes wait
 *
 * The drain thread of pools.c calls it once a jiffy, because all other threads may
 * be waiting.
 *
 * Context: task.
 */
void torture_mult_drain(void)
{
	unsigned int i;

	for (i = 0; i < MULT_POOLS; i++) {
		struct torture_mult *m = &mults[i];

		if (m->rule != WSQ_OVERFLOW_WAIT)
			continue;
		rcu_read_lock();
		preempt_disable();
		mult_pop(m, rcu_dereference(m->pool), 1);
		preempt_enable();
		rcu_read_unlock();
	}
}

/* What some CPU has popped by now may be used for new numbers. */
static void mult_settle(struct torture_mult *m, struct wsq_pool *pool)
{
	DECLARE_BITMAP(popped, MULT_SLOTS);
	unsigned int i, nr = 0;

	bitmap_zero(popped, MULT_SLOTS);
	for (i = 0; i < MULT_SLOTS; i++)
		if ((atomic_read(&m->slots[i].state) & MULT_STATE) == MULT_POPPED)
			__set_bit(i, popped);
	wsq_pool_settle(pool);
	for_each_set_bit(i, popped, MULT_SLOTS) {
		u32 use = atomic_read(&m->slots[i].state) & ~MULT_STATE;

		atomic_set(&m->slots[i].state, (int)(use + MULT_USE));
		nr++;
	}
	torture_add(TC_MULT_SETTLED, nr);
}

static struct wsq_pool *mult_create(struct torture_mult *m,
				    struct rnd_state *rnd)
{
	struct wsq_attrs attrs = {
		.flags = WSQ_AT_LEAST_ONCE,
		.multiplicity = m->multiplicity,
		.blocks = 2U << torture_roll(rnd, 2),
		.block_size = 2U << torture_roll(rnd, 4),
		.overflow = m->rule,
	};

	if (m->rule == WSQ_OVERFLOW_INLINE) {
		attrs.overflow_fn = mult_inline;
		attrs.overflow_arg = m;
	}
	return wsq_pool_create(&attrs, "torture/mult%u.%u", m->multiplicity,
			       m->rule);
}

/* Take the pool away with what is in it. Afterwards no number is in use. */
static void mult_destroy(struct torture_mult *m, struct wsq_pool *pool)
{
	unsigned int i;

	rcu_assign_pointer(m->pool, NULL);
	/* Those that push and pop have ended. */
	synchronize_rcu();
	wsq_pool_destroy(pool);
	for (i = 0; i < MULT_SLOTS; i++) {
		u32 use = atomic_read(&m->slots[i].state) & ~MULT_STATE;

		atomic_set(&m->slots[i].state, (int)(use + MULT_USE));
	}
	atomic_long_set(&m->pushed, 0);
	atomic_long_set(&m->popped, 0);
	atomic_long_set(&m->again, 0);
}

/**
 * torture_mult_round() - push and pop; now and then settle, or replace a pool
 * @t: the thread
 */
void torture_mult_round(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_mult *m = &mults[torture_roll(rnd, MULT_POOLS)];
	struct wsq_pool *pool;

	torture_mult_ops(&t->actor);
	if (!torture_one_in(rnd, 8) || !mutex_trylock(&m->lock))
		return;
	pool = rcu_dereference_protected(m->pool, lockdep_is_held(&m->lock));
	if (!pool) {
		/* There was no memory. */
	} else if (m->rule != WSQ_OVERFLOW_WAIT && torture_one_in(rnd, 8)) {
		mult_destroy(m, pool);
		torture_inc(TC_MULT_LIFE);
		pool = NULL;
	} else {
		mult_settle(m, pool);
	}
	if (!pool) {
		pool = mult_create(m, rnd);
		if (!IS_ERR(pool))
			rcu_assign_pointer(m->pool, pool);
		else if (PTR_ERR(pool) != -ENOMEM)
			torture_err("a pool of multiplicity %u: %ld",
				    m->multiplicity, PTR_ERR(pool));
	}
	mutex_unlock(&m->lock);
}

static unsigned int mult_waiting(struct torture_mult *m, bool tell)
{
	unsigned int i, nr = 0;

	for (i = 0; i < MULT_SLOTS; i++) {
		if ((atomic_read(&m->slots[i].state) & MULT_STATE) != MULT_PUSHED)
			continue;
		nr++;
		if (tell)
			torture_err("pool of multiplicity %u: slot %u was never popped",
				    m->multiplicity, i);
	}
	return nr;
}

/* Pop on each CPU until nothing is found: how many were. */
static unsigned int mult_pop_all(struct torture_mult *m, struct wsq_pool *pool)
{
	unsigned int cpu, nr, sum = 0;
	int ret;

	for_each_possible_cpu(cpu) {
		cpus_read_lock();
		ret = set_cpus_allowed_ptr(current, cpumask_of(cpu));
		cpus_read_unlock();
		if (ret)
			continue;
		do {
			rcu_read_lock();
			preempt_disable();
			nr = mult_pop(m, pool, 1);
			preempt_enable();
			rcu_read_unlock();
			sum += nr;
		} while (nr);
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	return sum;
}

/* The pool's counts against those of the table, when it is empty. */
static void mult_compare(struct torture_mult *m, struct wsq_pool *pool)
{
	u64 pushed = atomic_long_read(&m->pushed), popped = atomic_long_read(&m->popped);
	struct wsq_pool_counts c;

	wsq_pool_read_counts(pool, &c);
	/* Those that were popped from an inbox are in neither count. */
	if (c.puts > pushed || pushed - c.puts != popped - c.takes - c.steals)
		torture_err("pool of multiplicity %u: pushed %llu, popped %llu, but it has %llu puts, %llu takes, %llu steals",
			    m->multiplicity, pushed, popped, c.puts, c.takes, c.steals);
	if (c.duplicates != (u64)atomic_long_read(&m->again))
		torture_err("pool of multiplicity %u: %ld came out again, but it has %llu duplicates",
			    m->multiplicity, atomic_long_read(&m->again), c.duplicates);
}

/**
 * torture_mult_finish() - pop all, when no other context pushes or pops
 *
 * Context: task, a thread that may be moved; sleeps.
 */
void torture_mult_finish(void)
{
	unsigned int i, nr, rounds;

	for (i = 0; i < MULT_POOLS; i++) {
		struct torture_mult *m = &mults[i];
		struct wsq_pool *pool = rcu_dereference_protected(m->pool, true);

		if (!pool)
			continue;
		/* CPUs may still go online and offline; see pools.c. */
		for (rounds = 0; rounds < MULT_ROUNDS; rounds++) {
			if (mult_pop_all(m, pool))
				rounds = 0;
			if (!mult_waiting(m, false))
				break;
			schedule_timeout_idle(1);
		}
		mult_waiting(m, true);
		mult_compare(m, pool);
		mult_settle(m, pool);
		nr = mult_pop_all(m, pool);
		if (nr)
			torture_err("pool of multiplicity %u: %u came out after all was settled",
				    m->multiplicity, nr);
	}
}

/**
 * torture_mult_destroy() - free the pools
 */
void torture_mult_destroy(void)
{
	unsigned int i;

	for (i = 0; mults && i < MULT_POOLS; i++) {
		wsq_pool_destroy(rcu_dereference_protected(mults[i].pool, true));
		kvfree(mults[i].by);
	}
	kvfree(mults);
	mults = NULL;
}

/**
 * torture_mult_create() - create the pools
 * @rnd: random state
 *
 * Return: 0 or a negative errno; torture_mult_destroy() is due in both cases.
 */
int torture_mult_create(struct rnd_state *rnd)
{
	unsigned int i, k;

	mults = kvcalloc(MULT_POOLS, sizeof(*mults), GFP_KERNEL);
	if (!mults)
		return -ENOMEM;
	for (i = 0; i < MULT_POOLS; i++) {
		struct torture_mult *m = &mults[i];
		struct wsq_pool *pool;

		mutex_init(&m->lock);
		m->multiplicity = i / MULT_RULES;
		m->rule = i % MULT_RULES;
		/* No number is 0. */
		for (k = 0; k < MULT_SLOTS; k++)
			atomic_set(&m->slots[k].state, MULT_USE);
		m->by = kvcalloc(MULT_SLOTS * BITS_TO_LONGS(nr_cpu_ids),
				 sizeof(*m->by), GFP_KERNEL);
		if (!m->by)
			return -ENOMEM;
		pool = mult_create(m, rnd);
		if (IS_ERR(pool))
			return PTR_ERR(pool);
		RCU_INIT_POINTER(m->pool, pool);
	}
	return 0;
}
