/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stepping through a job: see steps.c. For main.c.
 */
#ifndef _WSQ_BENCH_FJ_STEPS_H
#define _WSQ_BENCH_FJ_STEPS_H

#include "fj.h"

/* Print "NAME N other COUNT", then a line "ADDRESS COUNT" for each address. */
void fj_steps(const struct fj_lib *lib, const struct fj_job *job);

#endif /* _WSQ_BENCH_FJ_STEPS_H */
