/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the commands of wsqctl.
 */
#ifndef WSQCTL_H
#define WSQCTL_H

#include <json-c/json.h>
#include <libwsq.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit status: success; something failed; could not begin. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_TROUBLE = 2 };

/* Each gets argv from the command's name on, and returns an exit status. */
int cmd_bench(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_sum(int argc, char **argv);
int cmd_top(int argc, char **argv);

/**
 * struct counters - the module's statistics
 * @st: of the module
 * @cpus: of each CPU; malloc
 * @nr: number of @cpus
 */
struct counters {
	struct wsq_stats st;
	struct wsq_cpu_stats *cpus;
	unsigned int nr;
};

int open_device(void);
int query(int fd, struct wsq_query *q, struct wsq_op_info **ops);
int counters_get(int fd, struct counters *c);
void counters_sub(struct counters *now, const struct counters *before);
struct wsq_cpu_stats counters_total(const struct counters *c);
const struct wsq_cpu_stats *counters_cpu(const struct counters *c, __u32 cpu);
int print_json(struct json_object *o, bool one_line);
int flush_stdout(void);
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* WSQCTL_H */
