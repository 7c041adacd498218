/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the clients for idle workers: kmod/exec/idle.c itself, on a machine
 * of four CPUs. CPU 0 has the items and runs a long one; the others' workers
 * steal and park as worker.c and steal.c do.
 *
 * The words that idle.c shares are unsigned longs and bools of the kernel's
 * bit operations, READ_ONCE() and WRITE_ONCE(). Each of them has an rl::atomic
 * here, found by its address; a word without one is constant, or used by one
 * thread. Use and limitations: main.h. A surplus is one number of items, taken
 * one at a time, so an engine's own order is not looked at.
 */
#ifndef _WSQ_MODEL_IDLE_CLIENT_H
#define _WSQ_MODEL_IDLE_CLIENT_H

#include "main.h"

#include <type_traits>

#include "parking.h"

#define IDLE_CPUS		4
#define IDLE_WORDS		16

/* ---- the kernel, as far as idle.c uses it ---- */

#define BITS_PER_LONG		64
#define BIT(n)			(1UL << (n))
#define NR_CPUS			64
#define NSEC_PER_USEC		1000L
#define ____cacheline_aligned
#define DECLARE_BITMAP(name, bits)	unsigned long name[(bits) / 64]
#define READ_ONCE(x)		idle_read(&(x), $)
#define WRITE_ONCE(x, val)	idle_write(&(x), val, $)
#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define clamp_t(type, v, lo, hi)	\
	((type)(v) < (type)(lo) ? (type)(lo) : min_t(type, v, hi))
#define hweight_long(w)		__builtin_popcountl(w)
#define __ffs(w)		__builtin_ctzl(w)
#define container_of(ptr, type, member)	\
	((type *)((char *)(ptr) - offsetof(type, member)))

typedef rl::atomic<int> atomic_t;

struct irq_work {
};

struct task_struct {
	int cpu;
};

/* A word that several threads use. */
struct idle_word {
	const void *at;
	rl::atomic<unsigned long> value;
};

static struct idle_book *idle_now;

static rl::atomic<unsigned long> *idle_find(const void *at);

template <typename T>
static inline T idle_read(T *p, rl::debug_info_param info)
{
	typedef typename std::remove_const<T>::type word;

	if constexpr (std::is_same<word, unsigned long>::value ||
		      std::is_same<word, bool>::value)
		return idle_find(p)->load(rl::mo_relaxed, info);
	else
		return *p;
}

template <typename T, typename V>
static inline void idle_write(T *p, V val, rl::debug_info_param info)
{
	if constexpr (std::is_same<T, bool>::value)
		idle_find(p)->store(val, rl::mo_relaxed, info);
	else
		*p = val;
}

/* Bit operations without order, but for the one that returns a value. */
#define set_bit(bit, p)		\
	((void)idle_find(p)->fetch_or(BIT(bit), rl::mo_relaxed, $))
#define clear_bit(bit, p)	\
	((void)idle_find(p)->fetch_and(~BIT(bit), rl::mo_relaxed, $))
#define test_bit(bit, p)	((bool)(READ_ONCE(*(p)) & BIT(bit)))
#define test_and_clear_bit(bit, p)	idle_test_and_clear(bit, p, true, $)
#define smp_mb__after_atomic()	smp_mb()

/* For model/mutants.list. */
#define wsq_weak_test_and_clear_bit(bit, p)	\
	idle_test_and_clear(bit, p, false, $)

static inline bool idle_test_and_clear(unsigned int bit, unsigned long *p,
				       bool full, rl::debug_info_param info)
{
	unsigned long old;

	if (full)
		rl::atomic_thread_fence(rl::mo_seq_cst, info);
	old = idle_find(p)->fetch_and(~BIT(bit), rl::mo_relaxed, info);
	if (full)
		rl::atomic_thread_fence(rl::mo_seq_cst, info);
	return old & BIT(bit);
}

static inline int idle_cmpxchg(atomic_t *v, int old, int val, bool full,
			       rl::debug_info_param info)
{
	bool done;

	if (full)
		rl::atomic_thread_fence(rl::mo_seq_cst, info);
	done = v->compare_exchange_strong(old, val, rl::mo_relaxed, info,
					  rl::mo_relaxed, info);
	if (full && done)
		rl::atomic_thread_fence(rl::mo_seq_cst, info);
	return old;
}

#define atomic_read(v)			(v)->load(rl::mo_relaxed, $)
#define atomic_cmpxchg(v, old, val)	idle_cmpxchg(v, old, val, true, $)
#define atomic_cmpxchg_relaxed(v, old, val)	\
	idle_cmpxchg(v, old, val, false, $)
#define atomic64_inc(v)			((void)++*(v))

#define for_each_set_bit(bit, p, nr)				\
	for ((bit) = 0; (bit) < (nr); (bit)++)			\
		if (*(p) >> (bit) & 1)

#define ktime_get_mono_fast_ns()	((u64)0)
#define preempt_disable()		((void)0)
#define preempt_enable()		((void)0)
#define need_resched()			false
#define in_nmi()			false
#define in_task()			true
#define smp_processor_id()		idle_cpu()
#define current				idle_current()
#define nr_cpu_ids			IDLE_CPUS
#define is_idle_task(t)			false
#define irq_work_queue(w)		((void)(w))
#define IRQ_WORK_INIT_HARD(fn)		((void)(fn), irq_work())
#define WSQ_EXPORT_KUNIT(sym)		static_assert(true, "")

/* The headers that have these in the kernel. */
#define _WSQ_COMPAT_EXPORT_H
#define _WSQ_COMPAT_SLEEP_NOTIFIER_H
#define _WSQ_EXEC_EXEC_H

static unsigned int idle_cpu(void);
static struct task_struct *idle_current(void);

/* ---- kmod/exec, as far as idle.c uses it ---- */

/* A variable's name in C. */
#define class			klass

#include "exec/idle.h"

#define WSQ_MAX_QUEUES		1
#define WSQ_CLASS_NORMAL	0

struct wsq_lane {
	unsigned int cpu;
};

struct wsq_worker {
	struct task_struct *task;
	void *cur;
	u64 nr_run;
};

struct wsq_cpu {
	struct wsq_park park;
	unsigned int cpu;
	struct wsq_worker *worker;
	struct wsq_class *klass;
	struct wsq_domain *domain;
	const struct task_struct *idle_thread;
	unsigned int bit;
	bool seeks;
	bool sought;
	unsigned int relied;
	u32 last;
	unsigned int held[1];
	u64 sent;
	u64 wakeups;
	struct irq_work nmi_work;
};

struct wsq_class {
	struct wsq_domains domains;
	struct wsq_cpu *cpus[IDLE_CPUS];
};

struct wsq {
	u32 id;
	struct wsq_class *klass;
};

static void (*wsq_watchdog_hook)(void);

static inline struct wsq_cpu *wsq_cpu_of(const struct wsq *q, unsigned int cpu)
{
	return q->klass->cpus[cpu];
}

static inline struct wsq_cpu *wsq_domain_cpu(const struct wsq_domain *d,
					     unsigned int bit)
{
	return container_of(d->all, struct wsq_class, domains)->cpus[d->cpus[bit]];
}

static inline u32 wsq_ready_next(const struct wsq_cpu *, u32 from)
{
	return from;
}

static struct wsq_class *wsq_class_find(u32 nr);
static struct wsq *wsq_queue_at(const struct wsq_cpu *c, u32 id);
static struct wsq_lane *wsq_lane_any(const struct wsq *q, unsigned int cpu);
static bool wsq_lane_stealable(const struct wsq_lane *lane);
static bool wsq_lane_waiting(const struct wsq_lane *lane);
static int wake_up_process(struct task_struct *task);

#define wsq_lane(q, cpu)	wsq_lane_any(q, cpu)
#define wsq_hand_off(c, w, nr_run, computes)	false
#define wsq_watchdog_start(c)	((void)(c))
#define wsq_is_idle_thread(t)	((t) != nullptr)
#define wsq_thread_runs(t)	((t) != nullptr)

#include "exec/idle.c"

#undef class

/* ---- the machine ---- */

struct idle_book {
	struct idle_word words[IDLE_WORDS];
	int nr_words;
	struct wsq_class normal;
	struct wsq_domain domains[2];
	struct wsq_domain *list[2];
	u16 order[2][2];
	struct wsq_cpu cpus[IDLE_CPUS];
	struct wsq_worker workers[IDLE_CPUS];
	struct task_struct threads[IDLE_CPUS];
	struct wsq_lane lanes[IDLE_CPUS];
	struct wsq q;
	/* Items of CPU 0 that can be stolen. */
	atomic64_t items;
	/* Of each CPU's worker: how often it was woken; it sleeps. */
	int woken[IDLE_CPUS];
	bool asleep[IDLE_CPUS];
	/* On which CPU each thread runs. */
	unsigned int on[IDLE_CPUS];

	void word(const void *at, unsigned long value)
	{
		RL_ASSERT(nr_words < IDLE_WORDS);
		words[nr_words].at = at;
		words[nr_words++].value.store(value, rl::mo_relaxed, $);
	}

	/* CPUs from @far upwards belong to the second domain. */
	void open(unsigned int far)
	{
		unsigned int i;

		idle_now = this;
		nr_words = 0;
		atomic64_set(&items, 0);
		q.id = 0;
		q.klass = &normal;
		normal.domains.nr = far < IDLE_CPUS ? 2 : 1;
		normal.domains.words = 1;
		normal.domains.list = list;
		word(normal.domains.idle, 0);
		word(normal.domains.surplus, 0);
		for (i = 0; i < 2; i++) {
			struct wsq_domain *d = list[i] = &domains[i];

			word(&d->idle, 0);
			word(&d->surplus, 0);
			d->seeker.store(0, rl::mo_relaxed, $);
			d->came_ns = d->come_ns = 0;
			d->id = i;
			d->nr = 0;
			order[i][0] = i;
			order[i][1] = !i;
			d->order = order[i];
			d->all = &normal.domains;
		}
		for (i = 0; i < IDLE_CPUS; i++)
			cpu_open(i, &domains[i >= far]);
	}

	void cpu_open(unsigned int i, struct wsq_domain *d)
	{
		struct wsq_cpu *c = normal.cpus[i] = &cpus[i];

		threads[i].cpu = i;
		workers[i] = { &threads[i], nullptr, 0 };
		lanes[i].cpu = i;
		c->cpu = i;
		c->worker = &workers[i];
		c->klass = &normal;
		c->domain = d;
		c->idle_thread = nullptr;
		c->bit = d->nr++;
		d->cpus[c->bit] = i;
		d->cores[c->bit] = BIT(c->bit);
		c->relied = 0;
		c->last = 0;
		c->held[0] = 0;
		c->wakeups = 0;
		word(&c->seeks, false);
		word(&c->sought, false);
		wsq_idle_cpu_init(c);
		woken[i] = 0;
		asleep[i] = false;
	}

	/* As wsq_put() on CPU 0, whose worker runs a long item. */
	void put()
	{
		atomic64_fetch_add_relaxed(1, &items);
		smp_mb();
		wsq_wake_idle(&q, &cpus[0]);
	}

	/* As wsq_steal_pass(). */
	bool take()
	{
		s64 nr = atomic64_read(&items);

		while (nr > 0) {
			s64 was = atomic64_cmpxchg_relaxed(&items, nr, nr - 1);

			if (was == nr)
				return true;
			nr = was;
		}
		return false;
	}

	/* As wsq_steal_lane_batch() after it has got an item. */
	void taken(struct wsq_cpu *c)
	{
		struct wsq_cpu *vc = &cpus[0];

		if (atomic64_read(&items)) {
			if (!surplus_bit())
				wsq_surplus_set(vc);
		} else if (wsq_surplus_clear(vc) && atomic64_read(&items)) {
			wsq_surplus_again(c, vc);
		}
		if (READ_ONCE(c->seeks) || READ_ONCE(c->sought))
			wsq_seek_end_slow(c);
	}

	/* As wsq_steal() for one victim. */
	bool steal(unsigned int cpu)
	{
		struct wsq_cpu *c = &cpus[cpu], *vc = &cpus[0];
		struct wsq_domain *d = vc->domain;
		unsigned long surplus;

		if (!wsq_surplus_near(c->domain))
			return false;
		if (d == c->domain)
			surplus = wsq_surplus_look(c);
		else if (test_bit(d->id, normal.domains.surplus))
			surplus = READ_ONCE(d->surplus);
		else
			surplus = 0;
		if (!(surplus & BIT(vc->bit)))
			return false;
		if (take()) {
			taken(c);
			return true;
		}
		if (!wsq_surplus_clear(vc) || !take())
			return false;
		taken(c);
		wsq_surplus_again(c, vc);
		return true;
	}

	/* As wsq_worker_announce(). */
	void announce(unsigned int cpu)
	{
		wsq_seek_stop(&cpus[cpu]);
		wsq_park_announce(&cpus[cpu].park);
		wsq_idle_enter(&cpus[cpu]);
	}

	/* As wsq_worker_park(). The worker never runs again if it sleeps. */
	void park(unsigned int cpu)
	{
		announce(cpu);
		if (!steal(cpu)) {
			WRITE_ONCE(cpus[cpu].sought, false);
			asleep[cpu] = true;
			return;
		}
		wsq_idle_leave(&cpus[cpu]);
	}

	/* A worker that sleeps when the scene begins. */
	void parked(unsigned int cpu)
	{
		announce(cpu);
		asleep[cpu] = true;
	}

	bool idle_bit(unsigned int cpu)
	{
		return test_bit(cpus[cpu].bit, &cpus[cpu].domain->idle);
	}

	bool surplus_bit()
	{
		return test_bit(cpus[0].bit, &cpus[0].domain->surplus);
	}

	/* At rest: each worker is parked with all its bits, or comes. */
	void settled()
	{
		unsigned int i;

		for (i = 0; i < 2; i++) {
			int cpu = atomic_read(&domains[i].seeker) - 1;

			if (cpu >= 0)
				RL_ASSERT(asleep[cpu] ? woken[cpu] == 1 :
					  READ_ONCE(cpus[cpu].seeks));
		}
		/* A worker that comes looks at CPUs that have the bit. */
		if (atomic64_read(&items))
			RL_ASSERT(surplus_bit());
		for (i = 1; i < IDLE_CPUS; i++) {
			struct wsq_domain *d = cpus[i].domain;

			if (!asleep[i]) {
				RL_ASSERT(!wsq_parked(&cpus[i].park));
				continue;
			}
			RL_ASSERT(woken[i] == !wsq_parked(&cpus[i].park));
			if (woken[i])
				continue;
			RL_ASSERT(idle_bit(i));
			RL_ASSERT(test_bit(d->id, normal.domains.idle));
		}
	}
};

static rl::atomic<unsigned long> *idle_find(const void *at)
{
	int i;

	for (i = 0; i < idle_now->nr_words; i++) {
		if (idle_now->words[i].at == at)
			return &idle_now->words[i].value;
	}
	std::puts("idle_client.h: a word without a value");
	std::abort();
}

static unsigned int idle_cpu(void)
{
	return idle_now->on[rl::thread_index()];
}

static struct task_struct *idle_current(void)
{
	return &idle_now->threads[idle_cpu()];
}

static struct wsq_class *wsq_class_find(u32)
{
	return &idle_now->normal;
}

static struct wsq *wsq_queue_at(const struct wsq_cpu *, u32)
{
	return &idle_now->q;
}

static struct wsq_lane *wsq_lane_any(const struct wsq *, unsigned int cpu)
{
	return &idle_now->lanes[cpu];
}

static bool wsq_lane_stealable(const struct wsq_lane *lane)
{
	return !lane->cpu && atomic64_read(&idle_now->items) > 0;
}

/* Nothing is bound here. */
static bool wsq_lane_waiting(const struct wsq_lane *lane)
{
	return wsq_lane_stealable(lane);
}

static int wake_up_process(struct task_struct *task)
{
	idle_now->woken[task->cpu]++;
	return 1;
}

#endif /* _WSQ_MODEL_IDLE_CLIENT_H */
