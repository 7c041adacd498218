// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of calls in contexts: calls are sent, cancelled and started, and
 * futures resolved, in tasks, interrupts and NMIs alike. A thread that waits is
 * woken from each.
 */
#include <linux/wsq_call.h>

#include "contexts.h"

/* Calls: one that runs, one that is cancelled, and one that waits for both. */
struct scene_calls {
	struct wsq *q;
	struct wsq_serial *serial;
	struct wsq_future first;
	struct wsq_call runs;
	struct wsq_call goes;
	struct wsq_call last;
	struct wsq_call_dep deps[4];
	int ran;
	int error;
};

static int scene_runs(struct wsq_call *call)
{
	container_of(call, struct scene_calls, runs)->ran++;
	return 0;
}

static int scene_never(struct wsq_call *call)
{
	container_of(call, struct scene_calls, goes)->ran += 100;
	return 0;
}

static int scene_last(struct wsq_call *call)
{
	container_of(call, struct scene_calls, last)->error = wsq_call_error(call);
	return 0;
}

/* Not in the errand: not for NMI. */
static void scene_calls_init(struct scene_calls *s)
{
	s->ran = 0;
	s->error = 0;
	wsq_future_init(&s->first);
	wsq_call_init(&s->runs, scene_runs);
	wsq_call_init(&s->goes, scene_never);
	wsq_call_init_final(&s->last, scene_last);
}

static int errand_calls(void *arg)
{
	struct scene_calls *s = arg;
	int wrong = 0;

	wrong += wsq_call_after(&s->runs, &s->deps[0], &s->first);
	wrong += wsq_call_after(&s->goes, &s->deps[1], &s->first);
	wrong += wsq_call_after(&s->last, &s->deps[2],
				wsq_call_send(&s->runs, s->q));
	wrong += wsq_call_after(&s->last, &s->deps[3],
				wsq_call_send_serial(&s->goes, s->serial));
	wsq_call_send(&s->last, s->q);
	wrong += !wsq_future_cancel(&s->goes.future);
	wrong += wsq_future_error(&s->last.future) != -EINPROGRESS;
	wrong += !wsq_future_resolve(&s->first, 3);
	wrong += wsq_future_fail(&s->first, -EIO);
	wrong += wsq_future_value(&s->first) != 3;
	return wrong;
}

static int errand_resolve(void *arg)
{
	return !wsq_future_resolve(arg, 0);
}

static bool scene_wait(void *future)
{
	return !wsq_future_wait(future);
}

static void context_calls(struct kunit *test)
{
	struct wsq *q = wsq_test_queue(test, 4, 4, NULL);
	struct scene_calls *sc = kzalloc(sizeof(*sc), GFP_KERNEL);
	struct wsq_serial *serial = kzalloc(sizeof(*serial), GFP_KERNEL);
	struct wsq_test_call *waiter;
	bool nmi = nmi_there();
	int i, k;

	KUNIT_ASSERT_NOT_NULL(test, sc);
	KUNIT_ASSERT_NOT_NULL(test, serial);
	wsq_serial_init(serial, q);
	sc->q = q;
	sc->serial = serial;
	for (k = 0; k < 2; k++) {
		for (i = 0; i < ARRAY_SIZE(contexts); i++) {
			if (context_skip(&contexts[i], nmi))
				continue;
			scene_calls_init(sc);
			context_do(test, &contexts[i], errand_calls, sc);
			KUNIT_ASSERT_TRUE(test,
					  wsq_test_until(wsq_future_resolved(&sc->last.future)));
			KUNIT_EXPECT_EQ(test, sc->ran, 1);
			KUNIT_EXPECT_EQ(test, sc->error, -ECANCELED);
			/* A thread waits. */
			wsq_future_init(&sc->first);
			waiter = wsq_test_start(test, scene_wait, &sc->first);
			wsq_test_waits(test, waiter);
			context_do(test, &contexts[i], errand_resolve, &sc->first);
			KUNIT_EXPECT_TRUE(test, wsq_test_end(test, waiter));
		}
	}
	if (nmi)
		nmi_gone();
	wsq_serial_destroy(serial);
	wsq_test_queue_end(test, q);
	kfree(serial);
	kfree(sc);
}

static struct kunit_case context_call_cases[] = {
	KUNIT_CASE(context_calls),
	{}
};

static struct kunit_suite context_call_suite = {
	.name = "wsq_context_call",
	.test_cases = context_call_cases,
};

kunit_test_suite(context_call_suite);
