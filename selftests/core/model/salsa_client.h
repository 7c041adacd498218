/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by SALSA's clients of the model checker: a pool small enough to wrap
 * in few steps, the displacement fence as in the kernel, grace periods, and the
 * book of tasks taken.
 *
 * For: the salsa_*.cpp files of this directory; main.h describes how they are
 * run.
 *
 * The fence. Consumer i runs on thread i, and thread i is CPU i. Relacy
 * switches threads before each access. When a heavy side runs there, it
 * executes the victim's barrier in the victim's name, between the two accesses
 * between which the victim is, and nothing else: the victim's next store comes
 * without any order. So an interrupt arrives at any point, no thread waits for
 * it, and two thieves that fence each other cannot deadlock. An interrupt that
 * was started arrives when its thief asks whether it is done; the answer may be
 * no for a while.
 *
 * A light fence is a compiler barrier. The client simulates its absence: an
 * interrupt that arrives after a plain store, and before the next light fence
 * or a stronger operation, acts as if the compiler had moved the store behind
 * the following accesses. The interrupt publishes what the victim had done
 * before that store, and the victim sees what the interrupt brought only once
 * stores may not be moved any further.
 *
 * Grace periods. A thread that ends or begins a section, and one that is in
 * none during a poll, executes a barrier, once per grace period. A thread that
 * is in a section from before the period keeps it from ending. With GRACE_EMPTY
 * they end at once, which a client must find.
 *
 * At random a section is sometimes executed as a whole: the other threads sleep
 * through it, which would be rare in random schedules.
 *
 * With COUNT_PATHS a client prints to stderr how often its executions took each
 * path: a client that never displaces proves nothing about it.
 *
 * Limitations: main.h's. Emptiness is checked against the order of events that
 * threads can know of (the_pool_was_empty()), not against all orders.
 */
#ifndef _WSQ_MODEL_SALSA_CLIENT_H
#define _WSQ_MODEL_SALSA_CLIENT_H

#define WSQ_FENCE_BY_HAND
#ifndef WSQ_SALSA_ENTRIES
#define WSQ_SALSA_ENTRIES	1
#endif
/* Most chunks that a producer can fill at a time. */
#ifndef MODEL_OUT
#define MODEL_OUT		3
#endif
/* The second is the last: tasks are claimed once the chunk is stolen from. */
#ifndef WSQ_SALSA_EPOCHS
#define WSQ_SALSA_EPOCHS	2
#endif

#include "main.h"

#include <wsq_fence.h>

static void wsq_fence_start(struct wsq_fence_call *call, unsigned int cpu);
static bool wsq_fence_done(struct wsq_fence_call *call);

#include "salsa.c"
#include "salsa_steal.c"
#include "salsa_scan.c"

/**
 * struct salsa_cpu - a thread
 * @inside: it is in a section
 * @alone: ... in which the others sleep
 * @quiet: the last grace period that found it outside
 * @loose: it has a plain store that the compiler might move further back
 * @hit: it was interrupted since
 * @before: its state in Relacy before that store
 * @brought: state that those interrupts brought
 */
struct salsa_cpu {
	bool inside;
	bool alone;
	u64 quiet;
	bool loose;
	bool hit;
	rl::timestamp_t before[8];
	rl::timestamp_t brought[8];
};

static salsa_cpu cpus[8];
static unsigned int nr_cpus;
static u64 grace_now;
static u64 interrupts;

/* The thread's state in Relacy; all threads' states are an array. */
template <int THREADS>
static rl::thread_info<THREADS> &state_of(unsigned int cpu)
{
	rl::thread_info_base *me = rl::ctx().threadx_;
	rl::aligned<rl::thread_info<THREADS>> *mine;

	mine = static_cast<rl::aligned<rl::thread_info<THREADS>> *>(me);
	mine += (int)cpu - (int)me->index_;
	RL_ASSERT(mine->index_ == (rl::thread_id_t)cpu);
	return *mine;
}

/* smp_mb() in the name of another thread, in a program of @THREADS. */
template <int THREADS>
static void barrier_of_thread(unsigned int cpu)
{
	state_of<THREADS>(cpu).atomic_thread_fence_seq_cst(
			rl::ctx().seq_cst_fence_order_);
}

/* An interrupt: before a loose store, if there is one, behind all else. */
template <int THREADS>
static void hit_thread(unsigned int cpu)
{
	rl::timestamp_t *all = rl::ctx().seq_cst_fence_order_;
	salsa_cpu &victim = cpus[cpu];
	unsigned int i;

	interrupts++;
	if (!victim.loose) {
		barrier_of_thread<THREADS>(cpu);
		return;
	}
	for (i = 0; i < THREADS; i++) {
		/* Its later reads count as before the interrupt. */
		if (i != cpu)
			rl::assign_max(victim.before[i],
				       state_of<THREADS>(cpu).acquire_fence_order_[i]);
		rl::assign_max(all[i], victim.before[i]);
		victim.brought[i] = all[i];
	}
	victim.hit = true;
}

/* Called by wsq_shim_stores(). */
template <int THREADS>
static void loosen_thread(bool loose)
{
	unsigned int i, cpu = rl::thread_index();
	rl::thread_info<THREADS> &state = state_of<THREADS>(cpu);
	salsa_cpu &me = cpus[cpu];

	if (loose && !me.loose) {
		std::memcpy(me.before, state.acq_rel_order_, sizeof(state.acq_rel_order_));
		/* The store was its last step. */
		me.before[cpu]--;
	}
	if (!loose && me.hit) {
		for (i = 0; i < THREADS; i++) {
			rl::assign_max(state.acq_rel_order_[i], me.brought[i]);
			rl::assign_max(state.release_fence_order_[i], me.brought[i]);
		}
		me.hit = false;
	}
	me.loose = loose;
}

static void (*barrier_of)(unsigned int cpu);
static void (*hit)(unsigned int cpu);

static void wsq_fence_light(void)
{
	wsq_shim_stores(false);
}

static void wsq_fence_heavy(const u64 *set, u32 nr_words)
{
	unsigned int cpu;

	RL_ASSERT(nr_words == 1);
	smp_mb();
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		if (!(*set >> cpu & 1))
			continue;
		/* Interrupts come one by one. */
		rl::ctx().sched();
		hit(cpu);
	}
	smp_mb();
}

/*
 * A started interrupt has not come until its thief asks. Set in prepare(): it
 * has come at the first question, which halves a bounded search.
 */
static bool patient;

static void wsq_fence_start(struct wsq_fence_call *call, unsigned int cpu)
{
	smp_mb();
	/* Not started: no thread is interrupted. */
	call->cpu = cpu + 1;
}

static bool wsq_fence_done(struct wsq_fence_call *call)
{
	if (!patient && rl::rand(2))
		return false;
	rl::ctx().sched();
	if (call->cpu)
		hit(call->cpu - 1);
	smp_mb();
	return true;
}

/* A moment when a thread is in no section. */
static void salsa_quiescent(unsigned int cpu)
{
	if (cpus[cpu].quiet == grace_now)
		return;
	barrier_of(cpu);
	cpus[cpu].quiet = grace_now;
}

static void wsq_fence_begin(void)
{
	unsigned int cpu = rl::thread_index();

	RL_ASSERT(!cpus[cpu].inside);
	wsq_shim_stores(false);
	salsa_quiescent(cpu);
	cpus[cpu].inside = true;
	cpus[cpu].alone = rl::ctx().is_random_sched() && !rl::rand(4);
	if (cpus[cpu].alone)
		rl::ctx().disable_preemption();
}

static void wsq_fence_end(void)
{
	unsigned int cpu = rl::thread_index();

	if (cpus[cpu].alone)
		rl::ctx().enable_preemption();
	cpus[cpu].inside = false;
	wsq_shim_stores(false);
	salsa_quiescent(cpu);
}

static u64 wsq_grace_get(void)
{
	return ++grace_now;
}

static bool wsq_grace_passed(u64 cookie)
{
#ifndef GRACE_EMPTY
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		if (!cpus[cpu].inside)
			salsa_quiescent(cpu);
		if (cpus[cpu].quiet < cookie)
			return false;
	}
	smp_mb();
#else
	(void)cookie;
#endif
	return true;
}

#ifdef COUNT_PATHS
static struct salsa_paths {
	u64 left, finished, retired, stolen, replaced, busy, overtaken, lost;
	u64 back, contended, looks;

	~salsa_paths()
	{
		std::fprintf(stderr, "left %llu finished %llu retired %llu stolen %llu displaced %llu busy %llu overtaken %llu lost %llu back %llu contended %llu empty %llu\n",
			     left, finished, retired, stolen, replaced, busy,
			     overtaken, lost, back, contended, looks);
	}
} paths;
#endif

/**
 * struct salsa_client - a pool with a book of its tasks
 * @T: the client
 * @THREADS: its threads; consumer i works on thread i
 * @CONSUMERS, @CHUNKS: their numbers
 * @CLAIMS: consumers that claim, as a set
 * @SIZE: of a chunk
 *
 * Tasks are the numbers 1, 2, 3, ... Their content is plain memory, written
 * before a task is put: Relacy reports the race if the taker does not see it.
 * The book is plain memory as well: Relacy runs one thread at a time.
 */
template <typename T, int THREADS, u32 CONSUMERS = 2, u32 CHUNKS = 3,
	  u32 CLAIMS = 0, u32 SIZE = 2>
struct salsa_client : rl::test_suite<T, THREADS> {
	enum {
		PRODUCERS = 2, PARTIES = CONSUMERS > 2 ? CONSUMERS : 2,
		PLACES = 4, MAX_TASKS = 32, FLAGS = 4, LOOKS = 4,
	};

	wsq_salsa s;
	atomic64_t chunk_dir[CHUNKS];
	atomic64_t consumer_dir[PARTIES];
	atomic64_t producer_dir[PARTIES];
	wsq_salsa_chunk chunks[CHUNKS];
	wsq_slot_t slots[CHUNKS][SIZE];
	wsq_salsa_consumer c[CONSUMERS];
	wsq_salsa_producer p[PRODUCERS];
	atomic64_t feeders[CONSUMERS];
	atomic64_t cells[CONSUMERS][PLACES];
	atomic64_t stolen[CONSUMERS][PARTIES + WSQ_SALSA_ENTRIES];
	atomic64_t entries[PRODUCERS][MODEL_OUT];
	u64 all;

	rl::var<int> content[MAX_TASKS];
	int next;
	bool in[MAX_TASKS];
	bool out[MAX_TASKS];
	/* Where it was put, for removing it. */
	u32 chunk_of[MAX_TASKS];
	u64 slot_of[MAX_TASKS];

	/* Tasks whose put happened before the thread's actions, by a flag. */
	u32 knows[THREADS];
	u32 told[FLAGS];
	atomic64_t flags[FLAGS];
	/* Each task's producer's knowledge; its taker, time and knowledge. */
	u32 put_knowing[MAX_TASKS];
	u32 taken_knowing[MAX_TASKS];
	u32 taken_by[MAX_TASKS];
	u64 taken_at[MAX_TASKS];
	u64 now;
	/* At the start of a thread's current operation. */
	u32 knew[THREADS];
	u64 since[THREADS];
	/* Calls that found the pool empty: their knowledge, and their end. */
	int nr_looks;
	u32 look_knew[LOOKS];
	u64 look_end[LOOKS];

	/* Hooks of the client: before its threads begin, and after they end. */
	void prepare()
	{
	}

	void conclude()
	{
	}

	/* Chunk i is for consumer i % CONSUMERS, unless the client says otherwise. */
	u32 home_of(u32 nr)
	{
		return nr % CONSUMERS;
	}

	/* Node of a chunk or consumer: all on one node. */
	u32 node_of(u32)
	{
		return 0;
	}

	void before()
	{
		T *self = static_cast<T *>(this);
		struct wsq_salsa_consumer_mem space;
		u32 i;

		barrier_of = barrier_of_thread<THREADS>;
		hit = hit_thread<THREADS>;
		wsq_shim_loose = loosen_thread<THREADS>;
		nr_cpus = THREADS;
		patient = false;
		interrupts = 0;
		grace_now = 0;
		std::memset(cpus, 0, sizeof(cpus));

		all = ((1ULL << CONSUMERS) - 1) & ~(u64)CLAIMS;
		s = { chunk_dir, consumer_dir, producer_dir, CHUNKS, PARTIES,
		      SIZE, &all, all ? 1U : 0U };
		for (i = 0; i < CHUNKS; i++) {
			wsq_slots_reset(slots[i], SIZE);
			wsq_salsa_chunk_init(&s, &chunks[i], slots[i], i,
					     self->home_of(i),
					     self->node_of(self->home_of(i)));
		}
		for (i = 0; i < PARTIES; i++) {
			atomic64_set(&consumer_dir[i], 0);
			atomic64_set(&producer_dir[i], 0);
		}
		for (i = 0; i < CONSUMERS; i++) {
			atomic64_set(&feeders[i], 0);
			space.feeders = &feeders[i];
			space.stolen = stolen[i];
			space.cells = cells[i];
			space.nr_cells = PLACES;
			wsq_salsa_consumer_init(&s, &c[i], i, self->node_of(i),
						CLAIMS >> i & 1, &space);
		}
		for (i = 0; i < PRODUCERS; i++)
			wsq_salsa_producer_init(&s, &p[i], i, entries[i],
						MODEL_OUT);
		for (i = 0; i < CHUNKS; i++)
			wsq_salsa_supply(&c[self->home_of(i)], &chunks[i]);

		next = 1;
		now = 0;
		nr_looks = 0;
		std::memset(in, 0, sizeof(in));
		std::memset(out, 0, sizeof(out));
		std::memset(knows, 0, sizeof(knows));
		std::memset(told, 0, sizeof(told));
		for (i = 0; i < FLAGS; i++)
			atomic64_set(&flags[i], 0);
		self->prepare();
	}

	static void *task_of(int id)
	{
		return (void *)(intptr_t)id;
	}

	void begin()
	{
		unsigned int me = rl::thread_index();

		wsq_fence_begin();
		since[me] = ++now;
		knew[me] = knows[me];
	}

	void took(void *task)
	{
		unsigned int me = rl::thread_index();
		int id = (int)(intptr_t)task;

		RL_ASSERT(id > 0 && id < next && in[id] && !out[id]);
		RL_ASSERT(content[id]($) == id);
		out[id] = true;
		taken_by[id] = me;
		taken_at[id] = since[me];
		taken_knowing[id] = knew[me];
		knows[me] |= put_knowing[id];
	}

	void end(void *task)
	{
		if (task && task != WSQ_SALSA_TAKEN)
			took(task);
		wsq_fence_end();
	}

	/*
	 * Puts one task of producer @pi into its chunk, or into a chunk of
	 * consumer @ci, or of the next consumer that does not refuse. Returns
	 * its number; 0 if all refuse.
	 */
	int put(u32 pi, u32 ci)
	{
		unsigned int me = rl::thread_index();
		int id = next++, ret;
		u32 i;

		RL_ASSERT(id < MAX_TASKS);
		content[id]($) = id;
		begin();
		knows[me] |= 1U << id;
		put_knowing[id] = knows[me];
		for (i = 0; i < CONSUMERS && p[pi].at >= p[pi].size; i++)
			wsq_salsa_open(&p[pi], &c[(ci + i) % CONSUMERS]);
		chunk_of[id] = p[pi].nr;
		slot_of[id] = p[pi].at;
		/* The task may be taken before put returns. */
		in[id] = p[pi].at < p[pi].size;
		ret = wsq_salsa_put(&p[pi], task_of(id));
		RL_ASSERT(in[id] == (ret == WSQ_OK));
		if (!in[id])
			knows[me] &= ~(1U << id);
		wsq_fence_end();
		return in[id] ? id : 0;
	}

	/*
	 * Puts up to @n tasks of producer @pi into chunks of consumer @ci, as
	 * the engine puts a batch. Returns how many.
	 */
	u32 put_many(u32 pi, u32 ci, u32 n)
	{
		unsigned int me = rl::thread_index();
		int first = next, id;
		void *tasks[4];
		u32 done = 0, i;

		next += (int)n;
		RL_ASSERT(n <= 4 && next <= MAX_TASKS);
		begin();
		for (i = 0; i < n; i++) {
			id = first + (int)i;
			tasks[i] = task_of(id);
			content[id]($) = id;
			knows[me] |= 1U << id;
			put_knowing[id] = knows[me];
			/* The tasks may be taken before put_many returns. */
			in[id] = true;
		}
		for (;;) {
			done += wsq_salsa_put_many(&p[pi], tasks + done, n - done);
			if (done == n ||
			    wsq_salsa_open(&p[pi], &c[ci]) != WSQ_OK)
				break;
		}
		for (i = done; i < n; i++) {
			in[first + (int)i] = false;
			knows[me] &= ~(1U << (first + (int)i));
		}
		wsq_fence_end();
		return done;
	}

	/* Runs @f while the others sleep. */
	template <typename F>
	static void in_one_go(F steps)
	{
		rl::ctx().disable_preemption();
		steps();
		rl::ctx().enable_preemption();
	}

	/* Up to @most steps of the others: a pause rare in schedules. */
	static void let_others(unsigned int most)
	{
		unsigned int n;

		for (n = rl::rand(most + 1); n; n--)
			rl::ctx().sched();
	}

	/* In prepare(): puts tasks that all threads know of. */
	void put_before(int n, u32 pi, u32 ci)
	{
		int i;

		while (n--)
			RL_ASSERT(put(pi, ci));
		for (i = 0; i < THREADS; i++)
			knows[i] = knows[rl::thread_index()];
	}

	/* One take. Returns whether there was a task. */
	bool get(u32 ci)
	{
		void *task;

		begin();
		task = c[ci].claims ? wsq_salsa_claim(&c[ci]) :
				      wsq_salsa_get(&c[ci]);
		RL_ASSERT(task != WSQ_SALSA_TAKEN || c[ci].claims);
		RL_ASSERT(!c[ci].claims || !c[ci].chunk ||
			  c[ci].own & WSQ_SALSA_CLAIMS);
		end(task);
		return task;
	}

	/* Up to @n plain takes. Returns how many. */
	u32 get_many(u32 ci, u32 n)
	{
		void *tasks[4];
		u32 got, i;

		RL_ASSERT(n <= 4);
		begin();
		got = wsq_salsa_get_many(&c[ci], tasks, n);
		RL_ASSERT(got <= n && !atomic64_read(&c[ci].busy));
		for (i = 0; i < got; i++)
			took(tasks[i]);
		end(nullptr);
		return got;
	}

	/*
	 * As the engine does: steals a chunk that no consumer is in; if there
	 * is none, the one that the victim is in, and gets once, which may find
	 * that the victim has not answered yet.
	 */
	int steal(u32 ci, u32 vi)
	{
		bool before = wsq_salsa_under_way(&c[ci]);
		void *task;
		int ret;

		begin();
		ret = wsq_salsa_steal_left(&c[ci], &c[vi], false, &task);
		if (ret == WSQ_EMPTY)
			ret = wsq_salsa_steal_begin(&c[ci], &c[vi], true, &task);
		RL_ASSERT((ret == WSQ_OK) == !!task);
		end(task);
		if (!before && wsq_salsa_under_way(&c[ci]))
			get(ci);
		return ret;
	}

	/* As far as possible without waiting. */
	int steal_begin(u32 ci, u32 vi)
	{
		void *task;
		int ret;

		begin();
		ret = wsq_salsa_steal_begin(&c[ci], &c[vi], true, &task);
		RL_ASSERT((ret == WSQ_OK) == !!task);
		end(task);
		return ret;
	}

	/*
	 * Steals chunks that the victim is not in; if @full, only filled ones.
	 */
	int steal_left(u32 ci, u32 vi, bool full)
	{
		void *task;
		int ret;
		u64 i;

		begin();
		ret = wsq_salsa_steal_left(&c[ci], &c[vi], full, &task);
		RL_ASSERT((ret == WSQ_OK) == !!task);
		if (ret == WSQ_OK && full && c[ci].chunk) {
			for (i = c[ci].at; i < SIZE; i++)
				RL_ASSERT(wsq_slot_peek(&c[ci].slots[i]));
		}
		end(task);
		return ret;
	}

	/* Takes up to two tasks from a consumer's chunk, one by one. */
	void steal_active(u32 vi, bool inside)
	{
		void *tasks[2];
		u32 i, n;

		begin();
		n = wsq_salsa_steal_active(&c[vi], tasks, 2, inside);
		for (i = 0; i < n; i++)
			took(tasks[i]);
		end(nullptr);
	}

	/* The thread is producer @pi and consumer @ci. */
	bool close(u32 pi, u32 ci)
	{
		bool done;

		begin();
		done = wsq_salsa_close(&p[pi], &c[ci]);
		RL_ASSERT(!c[ci].chunk);
		RL_ASSERT(!done || p[pi].at >= p[pi].size);
		wsq_fence_end();
		return done;
	}

	void leave(u32 ci)
	{
		begin();
		wsq_salsa_leave(&c[ci]);
		RL_ASSERT(!c[ci].chunk);
		wsq_fence_end();
	}

	bool remove(int id)
	{
		void *task = task_of(id);
		bool done;

		begin();
		done = wsq_salsa_remove(&s, chunk_of[id], slot_of[id], task);
		end(done ? task : nullptr);
		return done;
	}

	/* Publishes this thread's knowledge, for those that read the flag. */
	void tell(int flag)
	{
		told[flag] = knows[rl::thread_index()];
		atomic64_set_release(&flags[flag], 1);
	}

	bool asked(int flag)
	{
		if (!atomic64_read_acquire(&flags[flag]))
			return false;
		knows[rl::thread_index()] |= told[flag];
		return true;
	}

	void look()
	{
		u32 known = knows[rl::thread_index()];

		if (wsq_salsa_empty(&s) != WSQ_EMPTY)
			return;
		RL_ASSERT(nr_looks < LOOKS);
		look_knew[nr_looks] = known;
		look_end[nr_looks++] = ++now;
	}

	/*
	 * Was the pool empty at some moment, as far as any thread can know? A
	 * task that was put before the call, or before one of these was taken
	 * and is not taken before it, was in the pool until it was taken: each
	 * must have been taken, by a party that had begun when the call was
	 * over.
	 */
	void the_pool_was_empty(u32 known, u64 over)
	{
		u32 before = 0;
		int id, other;

		while (known != before) {
			before = known;
			for (id = 1; id < next; id++) {
				if (!(known >> id & 1))
					continue;
				RL_ASSERT(out[id] && taken_at[id] < over);
				for (other = 1; other < next; other++) {
					if (!(taken_knowing[id] >> other & 1))
						continue;
					if (!out[other] || taken_at[other] > over ||
					    (taken_by[other] == taken_by[id] &&
					     taken_at[other] > taken_at[id]))
						known |= 1U << other;
				}
			}
		}
	}

	/* Takes all that is left. After two empty takes a consumer leaves. */
	void drain()
	{
		u32 i;
		int id, none;

		for (i = 0; i < CONSUMERS; i++) {
			for (none = 0; none < 3; )
				none = get(i) ? 0 : none + 1;
			RL_ASSERT(!wsq_salsa_waiting(&c[i]));
			RL_ASSERT(!c[i].chunk && !atomic64_read(&c[i].in));
			RL_ASSERT(!wsq_salsa_under_way(&c[i]));
			RL_ASSERT(!atomic64_read(&c[i].busy));
		}
		for (id = 1; id < next; id++)
			RL_ASSERT(in[id] == out[id]);
		RL_ASSERT(wsq_salsa_empty(&s) == WSQ_EMPTY);
	}

	/* For authors of clients: does it reach the intended paths? */
	void count_paths()
	{
#ifdef COUNT_PATHS
		for (const wsq_salsa_consumer &one : c) {
			paths.left += one.count.left;
			paths.finished += one.count.finished;
			paths.retired += one.count.retired;
			paths.stolen += one.count.stolen;
			paths.replaced += one.count.replaced;
			paths.busy += one.count.busy;
			paths.overtaken += one.count.overtaken;
			paths.lost += one.count.lost;
			paths.back += one.count.back;
			paths.contended += one.count.contended;
		}
		paths.looks += (u64)nr_looks;
#endif
	}

	u32 chunks_of(u32 consumer)
	{
		u32 i, nr = 0;

		for (i = 0; i < CHUNKS; i++)
			nr += static_cast<T *>(this)->home_of(i) == consumer;
		return nr;
	}

	/* No number is in two places. */
	static void no_number_twice(const wsq_salsa_list *list)
	{
		u32 i, k;

		for (i = 0; i < list->size; i++)
			for (k = 0; k < i; k++)
				RL_ASSERT(!(u32)atomic64_read(&list->entries[i]) ||
					  (u32)atomic64_read(&list->entries[i]) !=
					  (u32)atomic64_read(&list->entries[k]));
	}

	/*
	 * All came out once, and no chunk and no list entry is unusable for
	 * good.
	 */
	void after()
	{
		T *self = static_cast<T *>(this);
		u32 i, k, nr = 0;

		count_paths();
		patient = true;
		self->conclude();
		drain();
		for (i = 0; i < (u32)nr_looks; i++)
			the_pool_was_empty(look_knew[i], look_end[i]);
		for (i = 0; i < PRODUCERS; i++)
			while (p[i].at < p[i].size)
				put(i, 0);
		drain();
		for (i = 0; i < CONSUMERS * CHUNKS; i++)
			for (k = 0; k < CONSUMERS; k++)
				get(k);
		for (i = 0; i < CONSUMERS; i++) {
			RL_ASSERT(wsq_inbox_empty(&c[i].waiting));
			nr += (u32)wsq_salsa_ring_count(&c[i].pool);
			no_number_twice(&c[i].stolen);
			/* Another node's consumer sends a chunk home. */
			if (self->node_of(0) != self->node_of(1))
				RL_ASSERT(wsq_salsa_ring_count(&c[i].pool) ==
					  chunks_of(i));
		}
		RL_ASSERT(nr == CHUNKS);
		for (i = 0; i < PRODUCERS; i++) {
			no_number_twice(&p[i].list);
			k = i % CONSUMERS;
			if (wsq_salsa_ring_count(&c[k].pool))
				RL_ASSERT(wsq_salsa_open(&p[i], &c[k]) == WSQ_OK);
		}
	}
};

#endif /* _WSQ_MODEL_SALSA_CLIENT_H */
