/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the FIFO BWoS's clients of the model checker share: a queue small enough to go
 * around in few steps, and the book of who took which task.
 *
 * For: the .cpp files beside of that queue; main.h tells how they are run.
 */
#ifndef _WSQ_MODEL_CLIENT_H
#define _WSQ_MODEL_CLIENT_H

#include "main.h"

#include "bwos_fifo.c"

/* A client whose thieves read before they claim says so. */
#ifdef WSQ_SHIM_READ_FIRST
#define READ_FIRST	true
#else
#define READ_FIRST	false
#endif

/* Tasks are the numbers 1, 2, 3, ... */
static inline void *task_of(int id)
{
	return (void *)(intptr_t)id;
}

static inline int id_of(void *task)
{
	return (int)(intptr_t)task;
}

/**
 * struct fifo_client - a queue with a book of its tasks
 * @T: the client
 * @THREADS: its threads
 * @NB, @BS, @SPARE: places, block size, spare blocks
 * @MAX_NB, @MAX_SPARE: places and spare blocks that it may have
 *
 * The book is plain memory: what is under test is kmod/core, and Relacy's
 * threads take turns.
 */
template <typename T, int THREADS, u32 NB = 2, u32 BS = 2, u32 SPARE = 0,
	  u32 MAX_NB = NB, u32 MAX_SPARE = SPARE>
struct fifo_client : rl::test_suite<T, THREADS> {
	enum { MAX_TASKS = 64 };

	wsq_bwos_fifo q;
	struct wsq_bwos_mem mem;
	wsq_bwos_block none;
	wsq_bwos_block blocks[NB + SPARE];
	wsq_slot_t slots[(NB + SPARE) * BS];
	atomic64_t words[MAX_NB];
	atomic64_t at[MAX_NB + MAX_SPARE];
	u16 spare[MAX_SPARE + 1];
	u16 held[MAX_SPARE + 1];

	int next;
	int last_got;
	bool in[MAX_TASKS];
	int out[MAX_TASKS];

	void before()
	{
		mem_init(&mem, words, at, blocks, slots, NB, SPARE);
		mem.read_first = READ_FIRST;
		atomic64_set(&none.b_pos, 0);
		atomic64_set(&none.f_pos, 0);
		wsq_bwos_fifo_init(&q, &none);
		wsq_bwos_fifo_mount(&q, &mem);
		next = 1;
		last_got = 0;
		std::memset(in, 0, sizeof(in));
		std::memset(out, 0, sizeof(out));
	}

	void mem_init(struct wsq_bwos_mem *m, atomic64_t *w, atomic64_t *a,
		      wsq_bwos_block *b, wsq_slot_t *s, u32 places, u32 spares)
	{
		m->dir.words = w;
		m->dir.blocks = a;
		m->dir.spare = spare;
		m->dir.held = held;
		m->dir.max_places = places < MAX_NB ? MAX_NB : places;
		m->dir.max_blocks = m->dir.max_places + MAX_SPARE;
		m->first = { b, s, places, spares };
		m->block_size = BS;
	}

	void took(void *task)
	{
		int id = id_of(task);

		RL_ASSERT(id > 0 && id < MAX_TASKS);
		out[id]++;
	}

	void put(int n)
	{
		for (; n; n--, next++)
			in[next] = wsq_bwos_fifo_put(&q, task_of(next)) >= 0;
	}

	/* The consumer sees tasks in the order they were put. */
	void got(void *task)
	{
		took(task);
		RL_ASSERT(id_of(task) > last_got);
		last_got = id_of(task);
	}

	int get(int n)
	{
		void *task;
		int nr = 0;

		for (; n; n--) {
			task = wsq_bwos_fifo_get(&q);
			if (task) {
				got(task);
				nr++;
			}
		}
		return nr;
	}

	void put_many(int n)
	{
		void *tasks[MAX_TASKS];
		bool opened = false;
		int i, done;

		for (i = 0; i < n; i++)
			tasks[i] = task_of(next + i);
		done = (int)wsq_bwos_fifo_put_many(&q, tasks, (u32)n, &opened);
		for (i = 0; i < done; i++)
			in[next + i] = true;
		next += n;
	}

	int get_many(int n)
	{
		void *tasks[MAX_TASKS];
		int i, done;

		done = (int)wsq_bwos_fifo_get_many(&q, tasks, (u32)n);
		for (i = 0; i < done; i++)
			got(tasks[i]);
		return done;
	}

	/* One thief's one visit. Tasks of a block come oldest first. */
	void steal(u32 max)
	{
		void *tasks[BS];
		int i, n;

		n = wsq_bwos_fifo_steal(&q, tasks, max);
		for (i = 0; i < n; i++) {
			took(tasks[i]);
			RL_ASSERT(!i || id_of(tasks[i]) == id_of(tasks[i - 1]) + 1);
		}
	}

	/* What went in came out, once; what was refused did not. */
	void all_out_once()
	{
		int i;

		RL_ASSERT(wsq_bwos_fifo_empty(&q));
		for (i = 1; i < next; i++)
			RL_ASSERT(out[i] == (in[i] ? 1 : 0));
	}

	void drain()
	{
		while (get(1))
			;
		RL_ASSERT(!wsq_bwos_fifo_shared(&q));
		all_out_once();
	}

	/* All came out once, and nothing keeps a block out of use for good. */
	void after()
	{
		unsigned int i;

		drain();
		for (i = 0; i < (NB - 1) * BS + 1; i++) {
			put(1);
			RL_ASSERT(in[next - 1]);
		}
		drain();
		RL_ASSERT(!q.nr_held && q.nr_spare == SPARE);
	}
};

#endif /* _WSQ_MODEL_CLIENT_H */
