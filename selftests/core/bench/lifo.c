// SPDX-License-Identifier: GPL-2.0
/*
 * LIFO BWoS under measurement: kmod/core, the very source of the module,
 * compiled against the native shim.
 *
 * One spare block each, as in bwos.c; it is touched only when a thief holds a
 * block up. Queue and blocks are in one piece, for the reason given there.
 */
#include "bwos_lifo.h"
#include "owner.h"

#define NR_SPARE	1

struct bench_lifo {
	struct wsq_bwos_lifo q;
	struct wsq_bwos_lifo_mem mem;
	u16 spare[NR_SPARE];
	u16 held[NR_SPARE];
};

static inline bool lifo_put(struct bench_lifo *b, void *task)
{
	return wsq_bwos_lifo_put(&b->q, task) >= 0;
}

static inline void *lifo_get(struct bench_lifo *b)
{
	return wsq_bwos_lifo_get(&b->q);
}

static inline unsigned int lifo_put_many(struct bench_lifo *b, void **tasks,
					 unsigned int nr)
{
	bool opened = false;

	return wsq_bwos_lifo_put_many(&b->q, tasks, nr, &opened);
}

static inline unsigned int lifo_get_many(struct bench_lifo *b, void **tasks,
					 unsigned int nr)
{
	return wsq_bwos_lifo_get_many(&b->q, tasks, nr);
}

static unsigned int lifo_steal_one(void *arg)
{
	struct bench_lifo *b = arg;
	void *task;
	int n = wsq_bwos_lifo_steal(&b->q, &task, 1);

	return n > 0 ? (unsigned int)n : 0;
}

/* At most @max at a time. */
static inline unsigned int lifo_rob(struct bench_lifo *b, u32 max)
{
	static void *tasks[WSQ_BWOS_MAX_BLOCK_SIZE];
	int n = wsq_bwos_lifo_steal(&b->q, tasks, max);

	return n > 0 ? (unsigned int)n : 0;
}

static unsigned int lifo_steal_few(void *arg)
{
	return lifo_rob(arg, 8);
}

static unsigned int lifo_steal_half(void *arg)
{
	struct bench_lifo *b = arg;

	return lifo_rob(b, b->mem.block_size / 2);
}

static unsigned int lifo_steal_block(void *arg)
{
	struct bench_lifo *b = arg;

	return lifo_rob(b, b->mem.block_size);
}

static void lifo_destroy(void *arg)
{
	struct bench_lifo *b = arg;

	bench_free(b->mem.first.slots);
	bench_free(b->mem.dir.words);
	bench_free(b->mem.dir.blocks);
	bench_free(b->mem.below);
	bench_free(b);
}

static void *lifo_create(u32 places, u32 block_size)
{
	struct bench_lifo *b = bench_alloc(sizeof(*b) + (places + NR_SPARE) *
					   sizeof(*b->mem.first.blocks));
	struct wsq_bwos_lifo_piece *first = &b->mem.first;
	struct wsq_bwos_dir *dir = &b->mem.dir;

	first->blocks = (struct wsq_bwos_lifo_block *)(b + 1);
	first->slots = bench_alloc((size_t)(places + NR_SPARE) * block_size *
				   sizeof(*first->slots));
	first->nr_places = places;
	first->nr_spare = NR_SPARE;
	dir->words = bench_alloc(places * sizeof(*dir->words));
	dir->blocks = bench_alloc((places + NR_SPARE) * sizeof(*dir->blocks));
	dir->spare = b->spare;
	dir->held = b->held;
	dir->max_places = places;
	dir->max_blocks = places + NR_SPARE;
	b->mem.below = bench_alloc(places * sizeof(*b->mem.below));
	b->mem.block_size = block_size;
	/* As a pool of pointers has it. */
	b->mem.read_first = true;
	wsq_bwos_lifo_init(&b->q);
	wsq_bwos_lifo_mount(&b->q, &b->mem);
	return b;
}

BENCH_OWNER(lifo, struct bench_lifo, lifo_put, lifo_get)
BENCH_ROBBED(lifo, struct bench_lifo, lifo_put, lifo_get, BENCH_BOUNDED)
BENCH_OWNER_MANY(lifo, struct bench_lifo, lifo_put_many, lifo_get_many,
		 BENCH_BOUNDED)

#define LIFO(places, size, suffix, what, steal_fn, takes)		\
static void *lifo_create_##places##x##size##suffix(			\
					const struct bench_queue *self)	\
{									\
	(void)self;							\
	return lifo_create(places, size);				\
}									\
									\
const struct bench_queue bench_lifo_##places##x##size##suffix = {	\
	.name		= "wsq lifo " #places "x" #size what,		\
	.capacity	= (places) * (size),				\
	.create		= lifo_create_##places##x##size##suffix,	\
	.destroy	= lifo_destroy,					\
	.put		= lifo_call_put,				\
	.get		= lifo_call_get,				\
	.pass		= lifo_pass,					\
	.pass_many	= lifo_pass_many,				\
	.robbed		= lifo_robbed,					\
	.steal		= steal_fn,					\
	.grain		= takes,					\
}

LIFO(8, 1024, , "", lifo_steal_one, 1);
LIFO(8, 1024, _few, ", thief takes 8", lifo_steal_few, 8);
LIFO(8, 1024, _half, ", thief takes half blocks", lifo_steal_half, 512);
LIFO(8, 1024, _blk, ", thief takes blocks", lifo_steal_block, 1024);
LIFO(64, 128, , "", lifo_steal_one, 1);
LIFO(64, 128, _half, ", thief takes half blocks", lifo_steal_half, 64);
LIFO(64, 128, _blk, ", thief takes blocks", lifo_steal_block, 128);
LIFO(64, 64, , "", lifo_steal_one, 1);
LIFO(64, 64, _half, ", thief takes half blocks", lifo_steal_half, 32);
LIFO(64, 64, _blk, ", thief takes blocks", lifo_steal_block, 64);

#ifdef BENCH_POOL

#include "pool.h"

/* In a pool: see pool.h. */

static inline bool lifo_steal(struct bench_lifo *b)
{
	void *task;

	return wsq_bwos_lifo_steal(&b->q, &task, 1) > 0;
}

static inline u32 lifo_full(const struct bench_lifo *b)
{
	return b->mem.block_size;
}

static inline u32 lifo_sample(const struct bench_lifo *b, u32 rnd, u32 *place)
{
	*place = wsq_bwos_lifo_place(&b->q, rnd);
	return wsq_bwos_lifo_sample(&b->q, *place);
}

/* Thieves take from the bottom. */
static inline bool lifo_steal_at(struct bench_lifo *b, u32 place)
{
	(void)place;
	return lifo_steal(b);
}

/* What thieves could take: a look at each block. */
static u64 lifo_size(const struct bench_lifo *b)
{
	u64 size = 0;
	u32 place;

	for (place = 0; place < b->mem.first.nr_places; place++)
		size += wsq_bwos_lifo_sample(&b->q, place);
	return size;
}

static void *lifo_pool_create(void)
{
	return lifo_create(8, 1024);
}

POOL(lifo, struct bench_lifo)

const struct pool_queue pool_lifo = {
	.name		= "wsq lifo 8x1024",
	.capacity	= 8192,
	.samples	= true,
	.at		= false,
	.create		= lifo_pool_create,
	.destroy	= lifo_destroy,
	.get		= lifo_call_get,
	.run		= lifo_run,
	.step		= lifo_step,
};

#endif /* BENCH_POOL */
