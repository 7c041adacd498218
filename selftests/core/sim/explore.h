/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulator as a checker: accesses take random times, and stores are late.
 * See explore.c.
 */
#ifndef _WSQ_SIM_EXPLORE_H
#define _WSQ_SIM_EXPLORE_H

#include "sim.h"

/* Randomness starts here, by @seed; before that, there are no delays. */
void explore_begin(uint64_t seed);

/* Prints each access, and each store that becomes visible, to stderr. */
extern bool explore_trace;

/* Accesses since explore_begin(), and how many make the run fail; 0: any. */
extern uint64_t explore_accesses, explore_most;

#endif /* _WSQ_SIM_EXPLORE_H */
