/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the tasks of fj_tasks.c, which are charged, and forkjoin.c, which is
 * not: bookkeeping, the work inside of a task, the expected results.
 */
#ifndef _WSQ_SIM_FORKJOIN_H
#define _WSQ_SIM_FORKJOIN_H

#include <linux/wsq.h>
#include <linux/wsq_fj.h>

#include "../../../bench/forkjoin/fj.h"
#include "../shim.h"

/* A range of @n parts; native benchmarks have none. */
#define FJ_RANGE	FJ_WORKS

/* A task begins. */
void fj_ran(void);

/**
 * struct fj_node - a struct uts_node of the scenario's tree
 * @word: its bytes
 */
struct fj_node {
	u64 word[3];
};

struct fj_node fj_root(void);
u32 fj_children(struct fj_node node);
/* A child, by SHA-1. */
struct fj_node fj_child(struct fj_node node, u32 nr);

/* Elements from row to row of all matrices. */
extern int fj_stride;
/* The product of two small matrices. */
void fj_base(const struct fj_product *x);

/* A part of the range. */
void fj_part(void);

/* Run a job of forkjoin.c's; as NAME_run(). */
int fj_tasks_run(struct wsq_fj *fj, u64 *result, const struct fj_job *job);

#endif /* _WSQ_SIM_FORKJOIN_H */
