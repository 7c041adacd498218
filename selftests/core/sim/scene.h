/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included (-include) by the loops of selftests/core/bench/flow.h here: as many
 * parties as CPUs, tasks that name their producer, and each task that is taken
 * is recorded (core.c), at no cost in simulated time.
 */
#ifndef _WSQ_SIM_SCENE_H
#define _WSQ_SIM_SCENE_H

#include <stdint.h>

#include "sim.h"

#define FLOW_PARTIES		SIM_CPUS
#define BENCH_PARTIES		SIM_CPUS
#define FLOW_TASK(id, nr)	\
	((void *)((uintptr_t)((id) + 1) << 40 | (uintptr_t)(nr)))

/* A task has come out: fails if it did before. */
void sim_task_out(const void *task);

#define bench_use(task)		sim_task_out(task)

#endif /* _WSQ_SIM_SCENE_H */
