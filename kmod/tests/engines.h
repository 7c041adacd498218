/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Suites that are written once, over engines: a case of WSQ_ENGINE_CASE() runs
 * once for each engine in the list, and gets its queues and pools from here,
 * which have that engine. In other cases they have the first.
 *
 * A further engine is here by its row in engines.def. Bounds are in tests what
 * Documentation/core-api.rst says of them, not what the engine says.
 *
 * Limitation: what a test makes by wsq_create() itself has the default engine.
 */
#ifndef _WSQ_TESTS_ENGINES_H
#define _WSQ_TESTS_ENGINES_H

#include <linux/err.h>
#include <linux/string.h>
#include <linux/wsq.h>

#include "../compat/kunit.h"
#include "../exec/exec.h"
#include "../engine/engine.h"
#include "../pool/pool.h"

/**
 * struct wsq_test_engine - an engine under test
 * @name: for people
 * @kind: which it is, as in attributes
 * @min_blocks: bounds of attributes
 * @max_blocks: likewise
 * @min_block_size: likewise
 * @max_block_size: likewise
 * @grows: max_blocks may be more than blocks, as far as @max_blocks
 * @fifo: the oldest comes first, otherwise the newest
 */
struct wsq_test_engine {
	const char *name;
	enum wsq_engine_type kind;
	u32 min_blocks;
	u32 max_blocks;
	u32 min_block_size;
	u32 max_block_size;
	bool grows;
	bool fifo;
};

#define WSQ_TEST_ENGINE(type, name, ...)	\
	{ #name, type, 2, 64, 2, 4096, true, type != WSQ_BWOS_LIFO },

static const struct wsq_test_engine wsq_test_engines[] = {
	WSQ_ENGINES(WSQ_TEST_ENGINE)
};

static inline void wsq_test_engine_desc(const struct wsq_test_engine *e,
					char *desc)
{
	strscpy(desc, e->name, KUNIT_PARAM_DESC_SIZE);
}

__maybe_unused
KUNIT_ARRAY_PARAM(wsq_engine, wsq_test_engines, wsq_test_engine_desc);

/* Cases that run once for each engine. */
#define WSQ_ENGINE_CASE(name)						\
	KUNIT_CASE_PARAM(name, wsq_engine_gen_params)

/* The same, for a case that takes more than a second: `make check` leaves it out. */
#define WSQ_ENGINE_CASE_SLOW(name)	\
	WSQ_KUNIT_PARAM_SLOW(name, wsq_engine_gen_params)

/* The engine that the case is about. */
static inline const struct wsq_test_engine *wsq_test_engine(struct kunit *test)
{
	return test->param_value ?: &wsq_test_engines[0];
}

/* Of tasks 1 to @n that one CPU puts, and then takes, which is the @i-th, from 0. */
static inline void *wsq_test_nth(struct kunit *test, unsigned long i,
				 unsigned long n)
{
	return (void *)(wsq_test_engine(test)->fifo ? i + 1 : n - i);
}

/* Attributes with the engine under test. */
static inline struct wsq_attrs wsq_test_attrs(struct kunit *test,
					      const struct wsq_attrs *attrs)
{
	struct wsq_attrs with = attrs ? *attrs : (struct wsq_attrs){};

	with.engine = wsq_test_engine(test)->kind;
	return with;
}

/* As wsq_create(), of the engine under test. */
static inline struct wsq *wsq_test_create(struct kunit *test,
					  const struct wsq_attrs *attrs,
					  const char *name)
{
	struct wsq_attrs with = wsq_test_attrs(test, attrs);
	struct wsq *q = wsq_create(&with, "%s", name);

	if (!IS_ERR(q))
		KUNIT_ASSERT_EQ(test, (int)q->pool.kind,
				(int)wsq_test_engine(test)->kind);
	return q;
}

/* As wsq_pool_create(), of the engine under test. */
static inline struct wsq_pool *wsq_test_pool(struct kunit *test,
					     const struct wsq_attrs *attrs,
					     const char *name)
{
	struct wsq_attrs with = wsq_test_attrs(test, attrs);
	struct wsq_pool *pool = wsq_pool_create(&with, "%s", name);

	if (!IS_ERR(pool))
		KUNIT_ASSERT_EQ(test, (int)pool->kind,
				(int)wsq_test_engine(test)->kind);
	return pool;
}

#endif /* _WSQ_TESTS_ENGINES_H */
