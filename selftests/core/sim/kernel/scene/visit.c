// SPDX-License-Identifier: GPL-2.0
/*
 * A visit of a vertex, charged access by access: the algorithm of D. Bader and G.
 * Cong, as in bench/mult/walk.h.
 */
#include "mult.h"

void vertex_visit(struct vertex *v, u32 walk, void (*put)(struct vertex *v))
{
	const u64 parent = (u64)walk << 32 | READ_ONCE(v->nr);
	u32 i, nr = READ_ONCE(v->arcs);

	for (i = 0; i < nr; i++) {
		struct vertex *to = READ_ONCE(v->to[i]);

		if (READ_ONCE(to->parent) >> 32 == walk)
			continue;
		WRITE_ONCE(to->parent, parent);
		put(to);
	}
}
