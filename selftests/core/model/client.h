/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the clients of the model checker share: a queue small enough to go
 * around in few steps, the book of who took which task, and main().
 *
 * For: the .cpp files beside. Each is one program for Relacy: a struct whose
 * thread(i) calls kmod/core, compiled from its own files through shim/relacy.
 *
 *	client [EXECUTIONS [FIRST]]	random executions FIRST, FIRST + 1, ...
 *	client bound SWITCHES		all executions with at most so many
 *					preemptions
 *
 * Exit status 0 if nothing was found; otherwise 1, and Relacy's report with the
 * history of the execution, which names the lines of kmod/core, on stdout.
 *
 * Cost: 100,000 to 400,000 executions a second. Limitations: random executions
 * are no proof, and a party that sleeps through many steps of another is rare
 * among them (2^-steps): clients that need a sleeper are run bounded. Relacy
 * has no load buffering, and a store that is executed later is later in
 * modification order; litmus/ has both.
 */
#ifndef _WSQ_MODEL_CLIENT_H
#define _WSQ_MODEL_CLIENT_H

#include <wsq_platform.h>

#include <cstdlib>
#include <cstring>

#include "bwos_fifo.c"
#include "inbox.h"
#include "parking.h"

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
 *
 * The book is plain memory: what is under test is kmod/core, and Relacy's
 * threads take turns.
 */
template <typename T, int THREADS, u32 NB = 2, u32 BS = 2, u32 SPARE = 0>
struct fifo_client : rl::test_suite<T, THREADS> {
	enum { MAX_TASKS = 64 };

	wsq_bwos_fifo q;
	wsq_bwos_block blocks[NB + SPARE];
	wsq_slot_t slots[(NB + SPARE) * BS];
	atomic64_t dir[NB];
	u16 spare[SPARE + 1];
	u16 held[SPARE + 1];

	int next;
	int last_got;
	bool in[MAX_TASKS];
	int out[MAX_TASKS];

	void before()
	{
		wsq_bwos_mem mem = { blocks, slots, dir, spare, held };

		wsq_bwos_fifo_init(&q, &mem, NB, BS, SPARE);
		next = 1;
		last_got = 0;
		std::memset(in, 0, sizeof(in));
		std::memset(out, 0, sizeof(out));
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

	void drain()
	{
		int i;

		while (get(1))
			;
		RL_ASSERT(wsq_bwos_fifo_empty(&q));
		RL_ASSERT(!wsq_bwos_fifo_shared(&q));
		for (i = 1; i < next; i++)
			RL_ASSERT(out[i] == (in[i] ? 1 : 0));
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

template <typename T>
static int client_main(int argc, char **argv)
{
	rl::test_params params;
	long first = argc > 2 ? std::atol(argv[2]) : 1;

	params.progress_output_period = 3600;
	params.execution_depth_limit = 4000;
	if (argc > 1 && !std::strcmp(argv[1], "bound")) {
		params.search_type = rl::sched_bound;
		params.context_bound = (unsigned)first;
	} else {
		params.iteration_count = argc > 1 ? std::atol(argv[1]) : 100000;
		params.iteration_count += first - 1;
		if (first > 1)
			params.initial_state = std::to_string(first).c_str();
	}
	return rl::simulate<T>(params) ? 0 : 1;
}

#define CLIENT_MAIN(type)			\
int main(int argc, char **argv)			\
{						\
	return client_main<type>(argc, argv);	\
}

#endif /* _WSQ_MODEL_CLIENT_H */
