/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites of calls share: calls that count their runs and add up the
 * values of what they waited for, and diamonds of them.
 */
#ifndef _WSQ_TESTS_CALLS_H
#define _WSQ_TESTS_CALLS_H

#include <linux/wsq_call.h>

#include "items.h"

#define TCALL_DEPS	4

/**
 * struct tcall - a call that logs its runs
 * @call: the call. Its value is the sum of those that it waited for, plus @add
 * @deps: what it waits for
 * @of: the futures of @deps
 * @nr: how many
 * @add: added to its value
 * @ret: what its function returns
 * @error: what wsq_call_error() said
 * @runs: how often it ran
 * @hold: its function waits for this, if not %NULL
 * @entered: its function runs
 */
struct tcall {
	struct wsq_call call;
	struct wsq_call_dep deps[TCALL_DEPS];
	struct wsq_future *of[TCALL_DEPS];
	unsigned int nr;
	unsigned long add;
	int ret;
	int error;
	atomic_t runs;
	struct completion *hold;
	struct completion entered;
};

static inline struct tcall *tcall_of(struct wsq_call *call)
{
	return container_of(call, struct tcall, call);
}

static inline int tcall_fn(struct wsq_call *call)
{
	struct tcall *t = tcall_of(call);
	unsigned long sum = t->add;
	unsigned int i;

	atomic_inc(&t->runs);
	t->error = wsq_call_error(call);
	complete(&t->entered);
	if (t->hold)
		wait_for_completion(t->hold);
	for (i = 0; i < t->nr; i++)
		sum += wsq_future_value(t->of[i]);
	wsq_call_set_value(call, sum);
	return t->ret;
}

static inline void tcall_init(struct tcall *t, unsigned long add)
{
	memset(t, 0, sizeof(*t));
	wsq_call_init(&t->call, tcall_fn);
	init_completion(&t->entered);
	t->add = add;
}

static inline void tcall_init_final(struct tcall *t, unsigned long add)
{
	memset(t, 0, sizeof(*t));
	wsq_call_init_final(&t->call, tcall_fn);
	init_completion(&t->entered);
	t->add = add;
}

/* Has the function of the call begun? It must, within the tests' timeout. */
static inline bool tcall_entered(struct tcall *t)
{
	return wait_for_completion_timeout(&t->entered, WSQ_TEST_TIMEOUT);
}

static inline int tcall_after(struct tcall *t, struct wsq_future *f)
{
	t->of[t->nr] = f;
	return wsq_call_after(&t->call, &t->deps[t->nr++], f);
}

static inline bool tcall_wait(void *future)
{
	return !wsq_future_wait(future);
}

/* Wait for the future, which must be resolved in time, and by @error. */
static inline void tcall_expect(struct kunit *test, struct wsq_future *f,
				int error)
{
	KUNIT_ASSERT_TRUE(test, wsq_test_until(wsq_future_resolved(f)));
	KUNIT_EXPECT_EQ(test, wsq_future_error(f), error);
	if (error)
		KUNIT_EXPECT_EQ(test, wsq_future_value(f), 0UL);
}

/**
 * struct diamond - one call, two that wait for it, and one that waits for both
 * @first: resolved from outside
 * @top: waits for @first
 * @side: wait for @top
 * @bottom: waits for both
 */
struct diamond {
	struct wsq_future first;
	struct tcall top;
	struct tcall side[2];
	struct tcall bottom;
};

/* Send it; sides run on the serial, if there is one. Value: 2 * first + 13. */
static inline struct wsq_future *diamond_send(struct diamond *d, struct wsq *q,
					      struct wsq_serial *serial)
{
	struct wsq_future *f;
	int i;

	wsq_future_init(&d->first);
	tcall_init(&d->top, 1);
	tcall_init(&d->bottom, 0);
	tcall_after(&d->top, &d->first);
	f = wsq_call_send(&d->top.call, q);
	for (i = 0; i < 2; i++) {
		struct wsq_future *side;

		tcall_init(&d->side[i], i ? 10 : 1);
		tcall_after(&d->side[i], f);
		if (serial)
			side = wsq_call_send_serial(&d->side[i].call, serial);
		else
			side = wsq_call_send(&d->side[i].call, q);
		tcall_after(&d->bottom, side);
	}
	return wsq_call_send(&d->bottom.call, q);
}

/* How often its functions were called. */
static inline int diamond_runs(const struct diamond *d)
{
	return atomic_read(&d->top.runs) + atomic_read(&d->side[0].runs) +
	       atomic_read(&d->side[1].runs) + atomic_read(&d->bottom.runs);
}

#endif /* _WSQ_TESTS_CALLS_H */
