/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the clients of the model checker for a block engine: a queue small
 * enough to wrap around in few steps, and the book of tasks taken.
 *
 * For: clients that have included engine/NAME/model.h; main.h describes how
 * they are run.
 */
#ifndef _WSQ_MODEL_CLIENT_H
#define _WSQ_MODEL_CLIENT_H

/* Set by a client whose thieves read before they claim. */
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
 * struct client - a queue with a book of its tasks
 * @T: the client
 * @THREADS: its threads; of a LIFO the first is the owner
 * @NB, @BS, @SPARE: blocks, block size, spare blocks
 * @MAX_NB, @MAX_SPARE: most blocks and spare blocks that it may have
 *
 * The book is plain memory: kmod/core is under test, and Relacy runs one thread
 * at a time.
 */
template <typename T, int THREADS, u32 NB = 2, u32 BS = 2, u32 SPARE = 0,
	  u32 MAX_NB = NB, u32 MAX_SPARE = SPARE>
struct client : rl::test_suite<T, THREADS> {
	enum { MAX_TASKS = 64 };

	engine_queue q;
	engine_mem mem;
	struct engine_rest rest;
	engine_block blocks[NB + SPARE];
	wsq_slot_t slots[(NB + SPARE) * BS];
	atomic64_t words[MAX_NB];
	atomic64_t at[MAX_NB + MAX_SPARE];
	u16 spare[MAX_SPARE + 1];
	u16 held[MAX_SPARE + 1];

	int next;
	int last_got;
	int stack[MAX_TASKS];
	int height;
	bool found_empty;
	bool in[MAX_TASKS];
	int out[MAX_TASKS];

	/* Without memory yet. */
	void begin()
	{
		mem_init(&mem, words, at, blocks, slots, NB, BS, SPARE);
		engine_rest_make(&rest);
		engine_init(&q, &rest);
		next = 1;
		last_got = 0;
		height = 0;
		found_empty = false;
		std::memset(in, 0, sizeof(in));
		std::memset(out, 0, sizeof(out));
	}

	void before()
	{
		begin();
		engine(attach)(&q, &mem);
	}

	/* Words of memory that only one engine has are the same for all memory. */
	static void *words_of(size_t, size_t)
	{
		static u64 some[MAX_NB];

		return some;
	}

	void mem_init(engine_mem *m, atomic64_t *w, atomic64_t *a,
		      engine_block *b, wsq_slot_t *s, u32 entries, u32 size,
		      u32 spares)
	{
		m->dir.words = w;
		m->dir.blocks = a;
		m->dir.spare = spare;
		m->dir.held = held;
		m->dir.max_entries = entries < MAX_NB ? MAX_NB : entries;
		m->dir.max_blocks = m->dir.max_entries + MAX_SPARE;
		engine_mem_make(m, words_of);
		m->first = { b, s, entries, spares };
		m->block_size = size;
		m->read_first = READ_FIRST;
	}

	/* The number of the block at directory index @index. */
	u32 nr_at(u32 index)
	{
		return wsq_bwos_nr(wsq_bwos_at(&mem.dir, index));
	}

	void took(void *task)
	{
		int id = id_of(task);

		RL_ASSERT(id > 0 && id < MAX_TASKS);
		RL_ASSERT(++out[id] == 1);
	}

	void went_in(int n)
	{
		for (; n; n--) {
			if (ENGINE_LIFO)
				stack[height++] = next;
			in[next++] = true;
		}
	}

	/* Refused tasks keep their number. An empty LIFO refuses none. */
	void put(int n)
	{
		for (; n; n--) {
			if (engine(put)(&q, task_of(next)) >= 0) {
				went_in(1);
			} else {
				RL_ASSERT(!found_empty);
				next++;
			}
			found_empty = false;
		}
	}

	/*
	 * A FIFO's consumer sees tasks in the order they were put. A LIFO's
	 * owner gets the topmost that is left: those above were stolen.
	 */
	void got(void *task)
	{
		took(task);
		if (!ENGINE_LIFO) {
			RL_ASSERT(id_of(task) > last_got);
			last_got = id_of(task);
			return;
		}
		while (height && stack[height - 1] != id_of(task))
			height--;
		RL_ASSERT(height);
		height--;
	}

	int get(int n)
	{
		void *task;
		int nr = 0;

		for (; n; n--) {
			task = engine(get)(&q);
			if (task) {
				got(task);
				nr++;
			} else {
				found_empty = ENGINE_LIFO;
			}
		}
		return nr;
	}

	void put_many(int n)
	{
		void *tasks[MAX_TASKS];
		bool published = false;
		int i, done;

		for (i = 0; i < n; i++)
			tasks[i] = task_of(next + i);
		found_empty = false;
		done = (int)engine(put_many)(&q, tasks, (u32)n, &published);
		went_in(done);
		next += n - done;
	}

	void get_many(int n)
	{
		void *tasks[MAX_TASKS];
		int i, done;

		done = (int)engine(get_many)(&q, tasks, (u32)n);
		for (i = 0; i < done; i++)
			got(tasks[i]);
	}

	/* A thief gets the tasks of one block oldest first. */
	void stole(void **tasks, int n)
	{
		int i;

		for (i = 0; i < n; i++) {
			took(tasks[i]);
			RL_ASSERT(!i || (ENGINE_LIFO ?
					 id_of(tasks[i]) > id_of(tasks[i - 1]) :
					 id_of(tasks[i]) == id_of(tasks[i - 1]) + 1));
		}
	}

	/* One steal of one thief. */
	void steal(u32 max)
	{
		void *tasks[BS];

		stole(tasks, engine(steal)(&q, tasks, max));
	}

	void steal_at(u32 index, u32 max)
	{
		void *tasks[BS];

		stole(tasks, engine(steal_at)(&q, index, tasks, max));
	}

	/* Tasks that were put came out, once; refused ones did not. */
	void all_out_once()
	{
		int i;

		RL_ASSERT(engine(empty)(&q));
		for (i = 1; i < next; i++)
			RL_ASSERT(out[i] == (in[i] ? 1 : 0));
	}

	void drain()
	{
		while (get(1))
			;
		RL_ASSERT(!engine(published)(&q));
		all_out_once();
	}

	/*
	 * All came out once, and no block is unusable for good: the queue holds
	 * as much as @entries blocks, with @spares to spare.
	 */
	void holds(u32 entries, u32 spares)
	{
		u64 i;

		drain();
		RL_ASSERT(wsq_bwos_nr_entries(&mem.dir) == entries);
		for (i = 0; i < engine_capacity(entries, mem.block_size); i++) {
			put(1);
			RL_ASSERT(in[next - 1]);
		}
		RL_ASSERT(!ENGINE_LIFO || engine(short)(&q));
		RL_ASSERT(!q.nr_held && q.nr_spare == spares);
		drain();
	}

	void after()
	{
		holds(NB, SPARE);
	}
};

#endif /* _WSQ_MODEL_CLIENT_H */
