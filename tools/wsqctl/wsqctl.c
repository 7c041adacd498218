// SPDX-License-Identifier: GPL-2.0
/*
 * wsqctl: looks at the wsq module and uses it, from the shell.
 *
 * This file finds the command and holds what the commands share. wsqctl(1)
 * documents options, exit status and JSON members. Cost: a few ioctls; sum's is
 * in sum.c. Limitations: the running kernel only.
 */
#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "wsqctl.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "bench", cmd_bench },
	{ "info", cmd_info },
	{ "stat", cmd_stat },
	{ "sum", cmd_sum },
	{ "top", cmd_top },
};

const char *argp_program_version = "wsqctl " WSQ_VERSION;

void complain(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("wsqctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Opens the device, or reports the error, with advice, and returns -1. */
int open_device(void)
{
	int fd = wsq_open(NULL);
	const char *hint = "";

	if (fd >= 0)
		return fd;
	if (fd == -ENOENT || fd == -ENXIO || fd == -ENODEV)
		hint = " (is the module loaded? modprobe wsq)";
	else if (fd == -EACCES || fd == -EPERM)
		hint = " (only root may, by default)";
	complain("%s: %s%s", WSQ_DEVICE, strerror(-fd), hint);
	return -1;
}

/* QUERY with all ops; @ops is malloc, NULL if not needed. */
int query(int fd, struct wsq_query *q, struct wsq_op_info **ops)
{
	struct wsq_op_info *info = NULL;
	unsigned int room = 0;
	int ret;

	for (;;) {
		ret = wsq_query(fd, q, info, room);
		if (ret < 0 || !ops || q->nr_ops <= room)
			break;
		room = q->nr_ops;
		free(info);
		info = calloc(room, sizeof(*info));
		if (!info)
			ret = -ENOMEM;
		if (ret < 0)
			break;
	}
	if (ret < 0) {
		complain("QUERY: %s", strerror(-ret));
		free(info);
		return ret;
	}
	if (ops)
		*ops = info;
	return 0;
}

/* STATS of all CPUs. On success the caller frees @c->cpus. */
int counters_get(int fd, struct counters *c)
{
	unsigned int room = 64;
	int ret;

	for (;;) {
		c->cpus = calloc(room, sizeof(*c->cpus));
		ret = c->cpus ? wsq_stats(fd, &c->st, c->cpus, room) : -ENOMEM;
		if (ret < 0 || c->st.nr_cpus <= room)
			break;
		room = c->st.nr_cpus;
		free(c->cpus);
	}
	if (ret < 0) {
		complain("STATS: %s", strerror(-ret));
		free(c->cpus);
		c->cpus = NULL;
		return ret;
	}
	c->nr = c->st.nr_cpus;
	return 0;
}

const struct wsq_cpu_stats *counters_cpu(const struct counters *c, __u32 cpu)
{
	unsigned int i;

	if (cpu < c->nr && c->cpus[cpu].cpu == cpu)
		return &c->cpus[cpu];
	for (i = 0; i < c->nr; i++)
		if (c->cpus[i].cpu == cpu)
			return &c->cpus[i];
	return NULL;
}

static void cpu_add(struct wsq_cpu_stats *a, const struct wsq_cpu_stats *b,
		    __u64 sign)
{
	unsigned int i;

	a->puts += sign * b->puts;
	a->gets += sign * b->gets;
	for (i = 0; i < WSQ_DIST_NR; i++)
		a->steals[i] += sign * b->steals[i];
	a->parks += sign * b->parks;
	a->wakeups += sign * b->wakeups;
	a->inbox += sign * b->inbox;
	a->standbys += sign * b->standbys;
	a->fences += sign * b->fences;
}

/* Sets @now to the difference from @before. */
void counters_sub(struct counters *now, const struct counters *before)
{
	unsigned int i;

	for (i = 0; i < now->nr; i++) {
		const struct wsq_cpu_stats *b =
			counters_cpu(before, now->cpus[i].cpu);

		if (b)
			cpu_add(&now->cpus[i], b, -1ULL);
	}
}

struct wsq_cpu_stats counters_total(const struct counters *c)
{
	struct wsq_cpu_stats sum = { 0 };
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		cpu_add(&sum, &c->cpus[i], 1);
	return sum;
}

/* Prints and frees @o. */
int print_json(struct json_object *o, bool one_line)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;

	flags |= one_line ? JSON_C_TO_STRING_PLAIN :
			    JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
	puts(json_object_to_json_string_ext(o, flags));
	json_object_put(o);
	return flush_stdout();
}

/* A failed write is an error, even if all else went well. */
int flush_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	complain("standard output: %s", strerror(errno));
	return EXIT_TROUBLE;
}

struct chosen {
	int arg;
	int (*run)(int argc, char **argv);
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct chosen *c = state->input;
	size_t i;

	switch (key) {
	case ARGP_KEY_ARG:
		for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
			if (!strcmp(arg, commands[i].name))
				c->run = commands[i].run;
		if (!c->run)
			argp_error(state, "no command '%s'", arg);
		/* The remaining arguments belong to the command. */
		c->arg = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_usage(state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "COMMAND [ARGUMENT...]",
	.doc = "Looks at the wsq kernel module, and uses it.\v"
	       "Commands:\n"
	       "  bench   how many tasks a second go through a ring here\n"
	       "  info    what the module offers\n"
	       "  stat    what each CPU did\n"
	       "  sum     SHA-256 of files, computed by the module's workers\n"
	       "  top     what each CPU does now\n\n"
	       "'wsqctl COMMAND --help' says more, wsqctl(1) all.",
};

int main(int argc, char **argv)
{
	char name[32];
	struct chosen c = { 0 };

	argp_err_exit_status = EXIT_TROUBLE;
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &c))
		return EXIT_TROUBLE;
	/* So that usage messages show the full name. */
	snprintf(name, sizeof(name), "wsqctl %s", argv[c.arg]);
	argv[c.arg] = name;
	return c.run(argc - c.arg, argv + c.arg);
}
