/* SPDX-License-Identifier: GPL-2.0 */
/* Between mult.c and its charged part, visit.c. */
#ifndef _WSQ_SIM_MULT_H
#define _WSQ_SIM_MULT_H

#include "../shim.h"

/**
 * struct vertex - a vertex of a graph, an object as kmalloc() places it
 * @parent: number of the walk << 32 | number of the vertex that it was reached
 *	from. Any CPU, by plain stores
 * @nr: its number
 * @arcs: its neighbours
 * @to: they
 */
struct vertex {
	u64 parent;
	u32 nr;
	u32 arcs;
	struct vertex *to[];
};

/* Puts each neighbour that this walk has not reached, as its putter thinks. */
void vertex_visit(struct vertex *v, u32 walk, void (*put)(struct vertex *v));

#endif /* _WSQ_SIM_MULT_H */
