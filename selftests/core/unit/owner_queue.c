// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the owner queue, one thread in all roles: which push makes an
 * owner, what the owner may take, in which order, what is left to the next.
 *
 * For: run-checks. Cost: nothing. Limitations: a push is not stopped between
 * its two halves except in counted_late(), which does the halves itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "owner_queue.h"

#define NR	9

static void push(struct wsq_owner_queue *oq, atomic64_t *link, int want)
{
	assert_int_equal(wsq_oq_try_push(oq, link), want);
}

static void pop(struct wsq_owner_queue *oq, atomic64_t *link)
{
	while (!wsq_oq_reverse(oq, 2))
		;
	assert_ptr_equal(wsq_oq_pop(oq), link);
}

static void one_owner_at_a_time(void **state)
{
	struct wsq_owner_queue oq;
	atomic64_t links[3];

	(void)state;
	wsq_oq_init(&oq);
	assert_true(wsq_oq_idle(&oq));
	push(&oq, &links[0], WSQ_PUBLISHED);
	assert_false(wsq_oq_idle(&oq));
	assert_int_equal(wsq_oq_owed(&oq), 1);
	pop(&oq, &links[0]);
	/* Taken, but not done: a push now does not make an owner. */
	push(&oq, &links[1], WSQ_OK);
	assert_int_equal(wsq_oq_done(&oq, 1), 1);
	pop(&oq, &links[1]);
	assert_false(wsq_oq_idle(&oq));
	assert_int_equal(wsq_oq_done(&oq, 1), 0);
	assert_true(wsq_oq_idle(&oq));
	/* The next one does; a link may be reused. */
	push(&oq, &links[1], WSQ_PUBLISHED);
	push(&oq, &links[2], WSQ_OK);
	assert_int_equal(wsq_oq_owed(&oq), 2);
	pop(&oq, &links[1]);
	pop(&oq, &links[2]);
	assert_int_equal(wsq_oq_done(&oq, 2), 0);
}

/* In the order of pushing, whatever was taken and done in between. */
static void order(void **state)
{
	struct wsq_owner_queue oq;
	atomic64_t links[NR];
	int first, batch, i, out;

	(void)state;
	for (first = 1; first <= NR; first++) {
		for (batch = 1; batch <= first; batch++) {
			wsq_oq_init(&oq);
			for (i = 0; i < first; i++)
				push(&oq, &links[i], i ? WSQ_OK : WSQ_PUBLISHED);
			for (out = 0; out < batch; out++)
				pop(&oq, &links[out]);
			/* After the links that were already reversed. */
			for (; i < NR; i++)
				push(&oq, &links[i], WSQ_OK);
			assert_int_equal(wsq_oq_done(&oq, (u32)batch), NR - batch);
			for (; out < NR; out++)
				pop(&oq, &links[out]);
			if (batch < NR)
				assert_int_equal(wsq_oq_done(&oq, (u32)(NR - batch)), 0);
			assert_true(wsq_oq_idle(&oq));
		}
	}
}

static void slice_is_bounded(void **state)
{
	struct wsq_owner_queue oq;
	atomic64_t links[NR];
	int i, turns;

	(void)state;
	wsq_oq_init(&oq);
	for (i = 0; i < NR; i++)
		push(&oq, &links[i], i ? WSQ_OK : WSQ_PUBLISHED);
	for (turns = 1; !wsq_oq_reverse(&oq, 2); turns++)
		;
	assert_int_equal(turns, (NR + 1) / 2);
	assert_ptr_equal(wsq_oq_pop(&oq), &links[0]);
	assert_true(wsq_oq_reverse(&oq, 0));
	assert_ptr_equal(wsq_oq_pop(&oq), &links[1]);
}

/*
 * A pusher stops between push and count. Others overtake it, and run its task;
 * when it continues it owns one of theirs instead.
 */
static void counted_late(void **state)
{
	struct wsq_owner_queue oq;
	atomic64_t late, other;

	(void)state;
	wsq_oq_init(&oq);
	assert_int_equal(wsq_inbox_try_push(&oq.in, &late), WSQ_PUBLISHED);
	assert_true(wsq_oq_idle(&oq));
	push(&oq, &other, WSQ_PUBLISHED);
	assert_int_equal(wsq_oq_owed(&oq), 1);
	pop(&oq, &late);
	assert_int_equal(wsq_oq_done(&oq, 1), 0);
	assert_true(wsq_oq_idle(&oq));
	/* Now it counts, and owns the other's task. */
	assert_int_equal(atomic64_fetch_add(1, &oq.count), 0);
	pop(&oq, &other);
	assert_int_equal(wsq_oq_done(&oq, 1), 0);
	/* The same again, with the late one's task behind. */
	push(&oq, &other, WSQ_PUBLISHED);
	assert_int_equal(wsq_inbox_try_push(&oq.in, &late), WSQ_OK);
	pop(&oq, &other);
	assert_int_equal(wsq_oq_done(&oq, 1), 0);
	assert_int_equal(atomic64_fetch_add(1, &oq.count), 0);
	pop(&oq, &late);
	assert_int_equal(wsq_oq_done(&oq, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_owner_at_a_time),
		cmocka_unit_test(order),
		cmocka_unit_test(slice_is_bounded),
		cmocka_unit_test(counted_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
