// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA's thief as in the paper: it takes the chunk that its victim is in, and
 * pays for the fence. kmod/core/salsa_steal.c under other names, blind
 * to chunks that nobody is in.
 */
#include "salsa.h"
#include "salsa_find.h"

#undef WSQ_SALSA_IS_LEFT
#define WSQ_SALSA_IS_LEFT	0

#define wsq_salsa_steal		bench_salsa_steal_inside
#define wsq_salsa_steal_left	bench_salsa_steal_none
#define wsq_salsa_steal_begin	bench_salsa_steal_begin
#define wsq_salsa_steal_end	bench_salsa_steal_end
#define wsq_salsa_progress	bench_salsa_progress
#define wsq_salsa_pry		bench_salsa_pry

int bench_salsa_steal_none(struct wsq_salsa_consumer *c,
			   struct wsq_salsa_consumer *v, bool full, void **task);

#include "salsa_steal.c"
