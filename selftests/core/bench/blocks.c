// SPDX-License-Identifier: GPL-2.0
/*
 * The block engines under measurement: kmod/core, the same source as the
 * module, compiled against the native shim. Built once for each, with its
 * folder of ../engine on the include path: bwos.o is FIFO BWoS, lifo.o LIFO
 * BWoS.
 *
 * One spare block each, as in a pool; it is used only when a thief holds a
 * block.
 */
#include "engine.h"
#include "owner.h"

#if ENGINE_LIFO
#define SYMBOL(what)	bench_lifo_##what
#define POOL_SYMBOL	pool_lifo
#define TITLE		"wsq lifo "
#else
#define SYMBOL(what)	bench_bwos_##what
#define POOL_SYMBOL	pool_fifo
#define TITLE		"wsq fifo "
#endif

#define NR_SPARE	1

struct blocks {
	engine_queue q;
	engine_mem mem;
	struct engine_rest rest;
	u16 spare[NR_SPARE];
	u16 held[NR_SPARE];
};

static inline bool blocks_put(struct blocks *b, void *task)
{
	return engine(put)(&b->q, task) >= 0;
}

static inline void *blocks_get(struct blocks *b)
{
	return engine(get)(&b->q);
}

static inline unsigned int blocks_put_many(struct blocks *b, void **tasks,
					 unsigned int nr)
{
	bool published = false;

	return engine(put_many)(&b->q, tasks, nr, &published);
}

static inline unsigned int blocks_get_many(struct blocks *b, void **tasks,
					 unsigned int nr)
{
	return engine(get_many)(&b->q, tasks, nr);
}

static unsigned int blocks_steal_one(void *arg)
{
	struct blocks *b = arg;
	void *task;
	int n = engine(steal)(&b->q, &task, 1);

	return n > 0 ? (unsigned int)n : 0;
}

/* Steals at most @max at a time. */
static inline unsigned int blocks_steal_some(struct blocks *b, u32 max)
{
	static void *tasks[WSQ_BWOS_MAX_BLOCK_SIZE];
	int n = engine(steal)(&b->q, tasks, max);

	return n > 0 ? (unsigned int)n : 0;
}

static unsigned int blocks_steal_few(void *arg)
{
	return blocks_steal_some(arg, 8);
}

static unsigned int blocks_steal_half(void *arg)
{
	struct blocks *b = arg;

	return blocks_steal_some(b, b->mem.block_size / 2);
}

static unsigned int blocks_steal_block(void *arg)
{
	struct blocks *b = arg;

	return blocks_steal_some(b, b->mem.block_size);
}

static void blocks_destroy(void *arg)
{
	struct blocks *b = arg;

	bench_free(b->mem.first.slots);
	bench_free(b->mem.dir.words);
	bench_free(b->mem.dir.blocks);
	engine_mem_unmake(&b->mem, bench_free);
	bench_free(b);
}

static void *words(size_t n, size_t size)
{
	return bench_alloc(n * size);
}

/*
 * Queue and blocks in one allocation. Separately, a position may have the same
 * offset in its page as q->p or q->c, and then every load of the one waits for
 * the store to the other (4 KiB aliasing: get takes 2.9 cycles instead of 2.2).
 */
static void *blocks_create(u32 entries, u32 block_size)
{
	struct blocks *b = bench_alloc(sizeof(*b) + (entries + NR_SPARE) *
					   sizeof(*b->mem.first.blocks));
	engine_segment *first = &b->mem.first;
	struct wsq_bwos_dir *dir = &b->mem.dir;

	first->blocks = (engine_block *)(b + 1);
	first->slots = bench_alloc((size_t)(entries + NR_SPARE) * block_size *
				   sizeof(*first->slots));
	first->nr_entries = entries;
	first->nr_spare = NR_SPARE;
	dir->words = bench_alloc(entries * sizeof(*dir->words));
	dir->blocks = bench_alloc((entries + NR_SPARE) * sizeof(*dir->blocks));
	dir->spare = b->spare;
	dir->held = b->held;
	dir->max_entries = entries;
	dir->max_blocks = entries + NR_SPARE;
	engine_mem_make(&b->mem, words);
	b->mem.block_size = block_size;
	/* As in a pool of pointers. */
	b->mem.read_first = true;
	engine_init(&b->q, &b->rest);
	engine(attach)(&b->q, &b->mem);
	return b;
}

BENCH_OWNER(blocks, struct blocks, blocks_put, blocks_get)
BENCH_BESIDE_THIEF(blocks, struct blocks, blocks_put, blocks_get, BENCH_BOUNDED)
BENCH_OWNER_MANY(blocks, struct blocks, blocks_put_many, blocks_get_many,
		 BENCH_BOUNDED)

#define BLOCKS(entries, size, suffix, what, steal_fn, takes)		\
static void *blocks_create_##entries##x##size##suffix(			\
					const struct bench_queue *self)	\
{									\
	(void)self;							\
	return blocks_create(entries, size);				\
}									\
									\
const struct bench_queue SYMBOL(entries##x##size##suffix) = {		\
	.name		= TITLE #entries "x" #size what,		\
	.capacity	= (entries) * (size),				\
	.create		= blocks_create_##entries##x##size##suffix,	\
	.destroy	= blocks_destroy,					\
	.put		= blocks_call_put,				\
	.get		= blocks_call_get,				\
	.pass		= blocks_pass,					\
	.pass_many	= blocks_pass_many,				\
	.beside_thief	= blocks_beside_thief,				\
	.steal		= steal_fn,					\
	.grain		= takes,					\
}

BLOCKS(8, 1024, , "", blocks_steal_one, 1);
BLOCKS(8, 1024, _few, ", thief takes 8", blocks_steal_few, 8);
BLOCKS(8, 1024, _half, ", thief takes half blocks", blocks_steal_half, 512);
BLOCKS(8, 1024, _blk, ", thief takes blocks", blocks_steal_block, 1024);
BLOCKS(64, 128, , "", blocks_steal_one, 1);
BLOCKS(64, 128, _half, ", thief takes half blocks", blocks_steal_half, 64);
BLOCKS(64, 128, _blk, ", thief takes blocks", blocks_steal_block, 128);
BLOCKS(64, 64, , "", blocks_steal_one, 1);
BLOCKS(64, 64, _half, ", thief takes half blocks", blocks_steal_half, 32);
BLOCKS(64, 64, _blk, ", thief takes blocks", blocks_steal_block, 64);

#ifdef BENCH_POOL

#include "pool.h"

/* Pool operations: see pool.h. */

static inline bool blocks_steal(struct blocks *b)
{
	void *task;

	return engine(steal)(&b->q, &task, 1) > 0;
}

static inline u32 blocks_full(const struct blocks *b)
{
	return b->mem.block_size;
}

static inline u32 blocks_sample(const struct blocks *b, u32 rnd, u32 *index)
{
	return engine_look(&b->q, rnd, index);
}

static inline bool blocks_steal_at(struct blocks *b, u32 index)
{
	void *task;

	/* Thieves of a LIFO take from the bottom. */
	if (ENGINE_LIFO)
		return blocks_steal(b);
	return engine(steal_at)(&b->q, index, &task, 1) > 0;
}

/* Number of stealable tasks, by a look at each block. */
static u64 blocks_size(const struct blocks *b)
{
	const u64 nr = b->mem.first.nr_entries;
	u64 size = 0, i;
	u32 index;

	/* The smallest random number that selects block i. */
	for (i = 0; i < nr; i++)
		size += blocks_sample(b, (u32)(((i << 32) + nr - 1) / nr), &index);
	return size;
}

static void *blocks_pool_create(void)
{
	return blocks_create(8, 1024);
}

POOL(blocks, struct blocks)

const struct pool_queue POOL_SYMBOL = {
	.name		= TITLE "8x1024",
	.capacity	= 8192,
	.samples	= true,
	.at		= !ENGINE_LIFO,
	.create		= blocks_pool_create,
	.destroy	= blocks_destroy,
	.get		= blocks_call_get,
	.run		= blocks_run,
	.step		= blocks_step,
};

#endif /* BENCH_POOL */
