/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulator as a checker: accesses take as long as chance has it, and stores
 * are late. See explore.c.
 */
#ifndef _WSQ_SIM_EXPLORE_H
#define _WSQ_SIM_EXPLORE_H

#include "sim.h"

/* From here on at random, by @seed; before that, everything is done at once. */
void explore_begin(uint64_t seed);

/* Each access, and each store that others come to see, to stderr. */
extern bool explore_trace;

/* Accesses since explore_begin(), and after how many the run fails; 0: never. */
extern uint64_t explore_accesses, explore_most;

#endif /* _WSQ_SIM_EXPLORE_H */
