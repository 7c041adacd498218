// SPDX-License-Identifier: GPL-2.0
/*
 * FIFO BWoS under measurement: kmod/core, the very source of the module,
 * compiled against the native shim.
 *
 * One spare block each, as a pool would give it; it is touched only when a
 * thief holds a block up.
 */
#include "bwos_fifo.h"
#include "owner.h"

#define NR_SPARE	1

struct bench_bwos {
	struct wsq_bwos_fifo q;
	struct wsq_bwos_mem mem;
	struct wsq_bwos_block none;
	u16 spare[NR_SPARE];
	u16 held[NR_SPARE];
};

static inline bool bwos_put(struct bench_bwos *b, void *task)
{
	return wsq_bwos_fifo_put(&b->q, task) >= 0;
}

static inline void *bwos_get(struct bench_bwos *b)
{
	return wsq_bwos_fifo_get(&b->q);
}

static inline unsigned int bwos_put_many(struct bench_bwos *b, void **tasks,
					 unsigned int nr)
{
	bool opened = false;

	return wsq_bwos_fifo_put_many(&b->q, tasks, nr, &opened);
}

static inline unsigned int bwos_get_many(struct bench_bwos *b, void **tasks,
					 unsigned int nr)
{
	return wsq_bwos_fifo_get_many(&b->q, tasks, nr);
}

static unsigned int bwos_steal_one(void *arg)
{
	struct bench_bwos *b = arg;
	void *task;
	int n = wsq_bwos_fifo_steal(&b->q, &task, 1);

	return n > 0 ? (unsigned int)n : 0;
}

/* At most @max at a time. */
static inline unsigned int bwos_rob(struct bench_bwos *b, u32 max)
{
	static void *tasks[WSQ_BWOS_MAX_BLOCK_SIZE];
	int n = wsq_bwos_fifo_steal(&b->q, tasks, max);

	return n > 0 ? (unsigned int)n : 0;
}

static unsigned int bwos_steal_few(void *arg)
{
	return bwos_rob(arg, 8);
}

static unsigned int bwos_steal_half(void *arg)
{
	struct bench_bwos *b = arg;

	return bwos_rob(b, b->mem.block_size / 2);
}

static unsigned int bwos_steal_block(void *arg)
{
	struct bench_bwos *b = arg;

	return bwos_rob(b, b->mem.block_size);
}

static void bwos_destroy(void *arg)
{
	struct bench_bwos *b = arg;

	bench_free(b->mem.first.slots);
	bench_free(b->mem.dir.words);
	bench_free(b->mem.dir.blocks);
	bench_free(b);
}

/*
 * Queue and blocks in one piece: apart, a position may come to lie at the same
 * offset in its page as q->p or q->c, and then every load of the one waits for
 * the store to the other (4 KiB aliasing: get takes 2.9 cycles for 2.2).
 */
static void *bwos_create(u32 places, u32 block_size)
{
	struct bench_bwos *b = bench_alloc(sizeof(*b) + (places + NR_SPARE) *
					   sizeof(*b->mem.first.blocks));
	struct wsq_bwos_piece *first = &b->mem.first;
	struct wsq_bwos_dir *dir = &b->mem.dir;

	first->blocks = (struct wsq_bwos_block *)(b + 1);
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
	b->mem.block_size = block_size;
	/* As a pool of pointers has it. */
	b->mem.read_first = true;
	wsq_bwos_fifo_init(&b->q, &b->none);
	wsq_bwos_fifo_mount(&b->q, &b->mem);
	return b;
}

BENCH_OWNER(bwos, struct bench_bwos, bwos_put, bwos_get)
BENCH_ROBBED(bwos, struct bench_bwos, bwos_put, bwos_get, BENCH_BOUNDED)
BENCH_OWNER_MANY(bwos, struct bench_bwos, bwos_put_many, bwos_get_many,
		 BENCH_BOUNDED)

#define BWOS(places, size, suffix, what, steal_fn, takes)		\
static void *bwos_create_##places##x##size##suffix(			\
					const struct bench_queue *self)	\
{									\
	(void)self;							\
	return bwos_create(places, size);				\
}									\
									\
const struct bench_queue bench_bwos_##places##x##size##suffix = {	\
	.name		= "wsq fifo " #places "x" #size what,		\
	.capacity	= (places) * (size),				\
	.create		= bwos_create_##places##x##size##suffix,	\
	.destroy	= bwos_destroy,					\
	.put		= bwos_call_put,				\
	.get		= bwos_call_get,				\
	.pass		= bwos_pass,					\
	.pass_many	= bwos_pass_many,				\
	.robbed		= bwos_robbed,					\
	.steal		= steal_fn,					\
	.grain		= takes,					\
}

BWOS(8, 1024, , "", bwos_steal_one, 1);
BWOS(8, 1024, _few, ", thief takes 8", bwos_steal_few, 8);
BWOS(8, 1024, _half, ", thief takes half blocks", bwos_steal_half, 512);
BWOS(8, 1024, _blk, ", thief takes blocks", bwos_steal_block, 1024);
BWOS(64, 128, , "", bwos_steal_one, 1);
BWOS(64, 128, _half, ", thief takes half blocks", bwos_steal_half, 64);
BWOS(64, 128, _blk, ", thief takes blocks", bwos_steal_block, 128);
BWOS(64, 64, , "", bwos_steal_one, 1);
BWOS(64, 64, _half, ", thief takes half blocks", bwos_steal_half, 32);
BWOS(64, 64, _blk, ", thief takes blocks", bwos_steal_block, 64);

#ifdef BENCH_POOL

#include "pool.h"

/* In a pool: see pool.h. */

static inline bool bwos_steal(struct bench_bwos *b)
{
	void *task;

	return wsq_bwos_fifo_steal(&b->q, &task, 1) > 0;
}

static inline u32 bwos_full(const struct bench_bwos *b)
{
	return b->mem.block_size;
}

static inline u32 bwos_sample(const struct bench_bwos *b, u32 rnd, u32 *place)
{
	return wsq_bwos_fifo_sample(&b->q, rnd, place);
}

static inline bool bwos_steal_at(struct bench_bwos *b, u32 place)
{
	void *task;

	return wsq_bwos_fifo_steal_at(&b->q, place, &task, 1) > 0;
}

/* What thieves could take: a look at each block. */
static u64 bwos_size(const struct bench_bwos *b)
{
	const u64 nr = b->mem.first.nr_places;
	u64 size = 0, i;
	u32 place;

	/* The least chance that leads to place i. */
	for (i = 0; i < nr; i++)
		size += bwos_sample(b, (u32)(((i << 32) + nr - 1) / nr), &place);
	return size;
}

static void *bwos_pool_create(void)
{
	return bwos_create(8, 1024);
}

POOL(bwos, struct bench_bwos)

const struct pool_queue pool_fifo = {
	.name		= "wsq fifo 8x1024",
	.capacity	= 8192,
	.samples	= true,
	.at		= true,
	.create		= bwos_pool_create,
	.destroy	= bwos_destroy,
	.get		= bwos_call_get,
	.run		= bwos_run,
	.step		= bwos_step,
};

#endif /* BENCH_POOL */
