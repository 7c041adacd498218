// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges, halved by fork and join.
 */
#include "../compat/export.h"
#include "forkjoin.h"

/* Process [@start, @end), which is not empty. */
DEFINE_WSQ_TASK3(int, wsq_fj_part, w, const struct wsq_fj_loop *, range,
		 unsigned long, start, unsigned long, end)
{
	unsigned long middle;

	if (end - start <= max(range->grain, 1UL)) {
		range->fn(start, end, range->arg);
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
