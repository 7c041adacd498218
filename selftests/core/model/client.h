/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the clients of the model checker for an engine of blocks share: a queue small
 * enough to go around in few steps, and the book of who took which task.
 *
 * For: clients that have included engine/NAME/model.h; main.h tells how they are
 * run.
 */
#ifndef _WSQ_MODEL_CLIENT_H
#define _WSQ_MODEL_CLIENT_H

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
 * struct client - a queue with a book of its tasks
 * @T: the client
 * @THREADS: its threads; of a LIFO the first is the owner
 * @NB, @BS, @SPARE: places, block size, spare blocks
 * @MAX_NB, @MAX_SPARE: places and spare blocks that it may have
 *
 * The book is plain memory: what is under test is kmod/core, and Relacy's
 * threads take turns.
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

	/* Without memory as yet. */
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
		engine(mount)(&q, &mem);
	}

	/* Words of memory that only one engine has are the same for all memory. */
	static void *words_of(size_t, size_t)
	{
		static u64 some[MAX_NB];

		return some;
	}

	void mem_init(engine_mem *m, atomic64_t *w, atomic64_t *a,
		      engine_block *b, wsq_slot_t *s, u32 places, u32 size,
		      u32 spares)
	{
		m->dir.words = w;
		m->dir.blocks = a;
		m->dir.spare = spare;
		m->dir.held = held;
		m->dir.max_places = places < MAX_NB ? MAX_NB : places;
		m->dir.max_blocks = m->dir.max_places + MAX_SPARE;
		engine_mem_make(m, words_of);
		m->first = { b, s, places, spares };
		m->block_size = size;
		m->read_first = READ_FIRST;
	}

	/* The number of the block that serves at @place. */
	u32 nr_at(u32 place)
	{
		return wsq_bwos_nr(wsq_bwos_at(&mem.dir, place));
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
	 * A FIFO's consumer sees tasks in the order they were put. A LIFO's owner gets
	 * the topmost that are there: what is above was stolen.
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
		bool opened = false;
		int i, done;

		for (i = 0; i < n; i++)
			tasks[i] = task_of(next + i);
		found_empty = false;
		done = (int)engine(put_many)(&q, tasks, (u32)n, &opened);
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

	/* What a thief got from one block comes oldest first. */
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

	/* One thief's one visit. */
	void steal(u32 max)
	{
		void *tasks[BS];

		stole(tasks, engine(steal)(&q, tasks, max));
	}

	void steal_at(u32 place, u32 max)
	{
		void *tasks[BS];

		stole(tasks, engine(steal_at)(&q, place, tasks, max));
	}

	/* What went in came out, once; what was refused did not. */
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
		RL_ASSERT(!engine(shared)(&q));
		all_out_once();
	}

	/*
	 * All came out once, and nothing keeps a block out of use for good: the queue
	 * holds what @places are for, with @spares to spare.
	 */
	void holds(u32 places, u32 spares)
	{
		u64 i;

		drain();
		RL_ASSERT(wsq_bwos_places(&mem.dir) == places);
		for (i = 0; i < engine_capacity(places, mem.block_size); i++) {
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
