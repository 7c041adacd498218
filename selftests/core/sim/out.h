/* SPDX-License-Identifier: GPL-2.0 */
/* Options and output that the simulator's programs share. */
#ifndef _WSQ_SIM_OUT_H
#define _WSQ_SIM_OUT_H

#include "sim.h"

/**
 * struct sim_options - the options of a program
 * @config: the machine, except for the number of CPUs
 * @from: least number of CPUs (--cpus N or FROM-TO; powers of two are run)
 * @to: greatest
 * @tasks: tasks for each CPU (--tasks)
 * @only: part of the names of scenarios to run, NULL for all (--scene)
 * @case_only: part of the names of cases, NULL for all (--case)
 * @fault: "lose" or "twice": one task is not recorded, or is recorded twice, to
 *	prove that this is noticed (--fault)
 * @list: print the names of scenarios and cases, run nothing (--list)
 */
struct sim_options {
	struct sim_config config;
	unsigned int from;
	unsigned int to;
	uint64_t tasks;
	const char *only;
	const char *case_only;
	const char *fault;
	bool list;
};

/* Parses the options; exits on an error. */
void sim_options(struct sim_options *options, int argc, char **argv);

/**
 * struct sim_counts - counters of a measured window, beside struct sim_stats
 * @tasks: tasks done
 * @ps: duration
 * @wakes: wake-ups
 * @ipis: interrupts sent to other CPUs
 * @looks: victims looked at
 * @thefts: ... successfully
 */
struct sim_counts {
	uint64_t tasks;
	sim_time ps;
	uint64_t wakes;
	uint64_t ipis;
	uint64_t looks;
	uint64_t thefts;
};

/*
 * The rows of one window, as in tools/bench/README.md: tasks/us in all, and for
 * each CPU; and the rows that describe it, for each task.
 */
void sim_print(const char *name, const char *scene, unsigned int cpus,
	       const struct sim_counts *counts, const struct sim_stats *stats);
/* A further row of the window printed last; e.g. a latency. */
void sim_print_also(const char *what, const char *unit, double value);

#endif /* _WSQ_SIM_OUT_H */
