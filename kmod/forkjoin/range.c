// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges, halved by fork and join.
 */
#include "../compat/export.h"
#include "forkjoin.h"

/* Most parts that are not timed after a short one. */
#define WSQ_FJ_MAX_SKIP	15

/*
 * Process a part that is not split. While it runs, this thread answers no
 * request. So if it may take long, other CPUs get at once all that the thread
 * has spawned.
 *
 * A clock may cost more than a short part. After one short part, one is not timed,
 * after the next short one three, and so on.
 */
static void wsq_fj_whole_part(struct wsq_fj_ctx w, const struct wsq_fj_loop *range,
			      unsigned long start, unsigned long end)
{
	struct wsq_fj_member *m = wsq_fj_member(wsq_fj_seat(w.deque));
	u64 begin;

	if (m->skip) {
		m->skip--;
		range->fn(start, end, range->arg);
		return;
	}
	if (m->long_parts)
		wsq_fj_share(w);
	begin = wsq_fj_clock();
	range->fn(start, end, range->arg);
	m->long_parts = wsq_fj_clock() - begin > WSQ_FJ_FIRST_NS;
	if (m->long_parts)
		m->skipped = 0;
	else
		m->skipped = min(2 * m->skipped + 1, WSQ_FJ_MAX_SKIP);
	m->skip = m->skipped;
}

/* Process [@start, @end), which is not empty. */
DEFINE_WSQ_TASK3(int, wsq_fj_part, w, const struct wsq_fj_loop *, range,
		 unsigned long, start, unsigned long, end)
{
	unsigned long middle;

	if (end - start <= max(range->grain, 1UL)) {
		wsq_fj_whole_part(w, range, start, end);
		return 0;
	}
	middle = start + (end - start) / 2;
	wsq_spawn(w, wsq_fj_part, range, middle, end);
	wsq_fj_call(w, wsq_fj_part, range, start, middle);
	wsq_sync(w, wsq_fj_part);
	return 0;
}

int wsq_fj_range(struct wsq_fj *fj, const struct wsq_fj_loop *range)
{
	int none;

	if (!range->size)
		return 0;
	return wsq_fj_part_run(fj, &none, range, range->start,
			       range->start + range->size);
}
WSQ_EXPORT(wsq_fj_range);
