/* SPDX-License-Identifier: GPL-2.0 */
/* Options and output that the simulator's programs share. */
#ifndef _WSQ_SIM_OUT_H
#define _WSQ_SIM_OUT_H

#include "sim.h"

/**
 * struct sim_options - the options of a program
 * @config: the machine, but for the number of CPUs
 * @from: least number of CPUs (--cpus N or FROM-TO; powers of two are run)
 * @to: greatest
 * @tasks: tasks for each CPU (--tasks)
 * @only: part of the names of scenarios to run, NULL for all (--scene)
 * @case_only: part of the names of cases, NULL for all (--case)
 * @fault: "lose" or "twice": one task is not noted, or is noted twice, for the proof
 *	that it would be noticed (--fault)
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

/* Reads them; ends the program where it does not understand. */
void sim_options(struct sim_options *options, int argc, char **argv);

/**
 * struct sim_counts - of a measured window, beside struct sim_stats
 * @tasks: tasks done
 * @ps: how long it took
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
 * The rows of one window, as tools/bench/README.md has them: tasks/us in all,
 * and for each CPU; and what describes it, for each task.
 */
void sim_print(const char *name, const char *scene, unsigned int cpus,
	       const struct sim_counts *counts, const struct sim_stats *stats);
/* A row of its own, of the window printed last; e.g. a latency. */
void sim_print_also(const char *what, const char *unit, double value);

#endif /* _WSQ_SIM_OUT_H */
