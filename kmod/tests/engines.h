/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Suites that are written once for all engines. A case of WSQ_ENGINE_CASE()
 * runs once for each engine in the list; the queues and pools that it makes
 * with the functions here have that engine. Other cases use the first engine.
 *
 * WSQ_ANY_ENGINE_CASE() is for cases that test what is above the engines. They
 * run with each engine, too, unless the module's parameter engine names one of
 * them. Cases about what an engine does, or that count whether each item ran
 * once under load, are no such cases.
 *
 * Slow cases take more than a second under UML, or measure time: shares, rates
 * and how long something takes depend on the machine and on what else it does.
 * `make check` leaves them out (tools/check/kunit), so no change is refused by
 * them.
 *
 * A new engine is added by its row in engines.def. The bounds used by tests are
 * those of Documentation/core-api.rst, not those that the engine reports.
 *
 * Limitation: a queue that a test makes with wsq_create() itself has the
 * default engine.
 */
#ifndef _WSQ_TESTS_ENGINES_H
#define _WSQ_TESTS_ENGINES_H

#include <linux/err.h>
#include <linux/string.h>
#include <linux/wsq.h>
#include <linux/wsq_pool.h>

#include "../compat/kunit.h"
#include "../exec/exec.h"
#include "../engine/engine.h"
#include "../pool/pool.h"

/**
 * struct wsq_test_engine - an engine under test
 * @name: shown in results
 * @kind: its number in attributes
 * @min_blocks: lower bound of blocks
 * @max_blocks: upper bound of blocks and max_blocks
 * @min_block_size: lower bound of block_size
 * @max_block_size: upper bound of block_size
 * @grows: max_blocks may exceed blocks, up to @max_blocks
 */
struct wsq_test_engine {
	const char *name;
	enum wsq_engine_type kind;
	u32 min_blocks;
	u32 max_blocks;
	u32 min_block_size;
	u32 max_block_size;
	bool grows;
};

#define WSQ_TEST_ENGINE(type, name, ...)	\
	{ #name, type, 2, 64, 2, 4096, true },

static const struct wsq_test_engine wsq_test_engines[] = {
	WSQ_ENGINES(WSQ_TEST_ENGINE)
};

static inline void wsq_test_engine_desc(const struct wsq_test_engine *e,
					char *desc)
{
	strscpy(desc, e->name, KUNIT_PARAM_DESC_SIZE);
}

/* Parameter of the module: the engine of WSQ_ANY_ENGINE_CASE(). Empty: all. */
extern char *wsq_test_only;

/* Does an engine have this name? */
static inline bool wsq_test_engine_known(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wsq_test_engines); i++) {
		if (!strcmp(wsq_test_engines[i].name, name))
			return true;
	}
	return false;
}

__maybe_unused
KUNIT_ARRAY_PARAM(wsq_engine, wsq_test_engines, wsq_test_engine_desc);

/* The same, or the only engine that was asked for. */
__maybe_unused
static const void *wsq_any_engine_gen_params(WSQ_KUNIT_GEN_ARGS)
{
	const struct wsq_test_engine *e = prev, *end;

	end = wsq_test_engines + ARRAY_SIZE(wsq_test_engines);
	for (e = e ? e + 1 : wsq_test_engines; e < end; e++) {
		if (*wsq_test_only && strcmp(e->name, wsq_test_only))
			continue;
		wsq_test_engine_desc(e, desc);
		return e;
	}
	return NULL;
}

/* Cases that run once for each engine. */
#define WSQ_ENGINE_CASE(name)						\
	KUNIT_CASE_PARAM(name, wsq_engine_gen_params)
#define WSQ_ENGINE_CASE_SLOW(name)					\
	WSQ_KUNIT_PARAM_SLOW(name, wsq_engine_gen_params)

/* Cases for which the engine is a detail. */
#define WSQ_ANY_ENGINE_CASE(name)					\
	KUNIT_CASE_PARAM(name, wsq_any_engine_gen_params)

/* The engine under test. */
static inline const struct wsq_test_engine *wsq_test_engine(struct kunit *test)
{
	return test->param_value ?: &wsq_test_engines[0];
}

/* Does the oldest task come first? Otherwise the newest does. */
static inline bool wsq_test_fifo(struct kunit *test)
{
	return !wsq_engine_ops(wsq_test_engine(test)->kind)->newest_first;
}

/* One CPU puts tasks 1 to @n, then takes all: the @i-th it gets, from 0. */
static inline void *wsq_test_nth(struct kunit *test, unsigned long i,
				 unsigned long n)
{
	return (void *)(wsq_test_fifo(test) ? i + 1 : n - i);
}

/* Attributes with the engine under test. */
static inline struct wsq_attrs wsq_test_attrs(struct kunit *test,
					      const struct wsq_attrs *attrs)
{
	struct wsq_attrs with = attrs ? *attrs : (struct wsq_attrs){};

	with.engine = wsq_test_engine(test)->kind;
	return with;
}

/* wsq_create() with the engine under test. */
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

/* wsq_pool_create() with the engine under test. */
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
