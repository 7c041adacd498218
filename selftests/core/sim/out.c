// SPDX-License-Identifier: GPL-2.0
/* Options and output that the simulator's programs share (out.h). */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

static const struct option long_options[] = {
	{ "cpus", required_argument, NULL, 'c' },
	{ "node", required_argument, NULL, 'n' },
	{ "cluster", required_argument, NULL, 'u' },
	{ "smt", required_argument, NULL, 'm' },
	{ "seed", required_argument, NULL, 's' },
	{ "slack", required_argument, NULL, 'k' },
	{ "line-cost", required_argument, NULL, 'l' },
	{ "tasks", required_argument, NULL, 't' },
	{ "scene", required_argument, NULL, 'e' },
	{ "case", required_argument, NULL, 'o' },
	{ "profile", no_argument, NULL, 'p' },
	{ "fault", required_argument, NULL, 'f' },
	{ "list", no_argument, NULL, 'L' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char usage[] =
	"options:\n"
	"  --cpus N | FROM-TO   machines of so many CPUs, powers of two (1-256)\n"
	"  --node N             CPUs of a node (32)\n"
	"  --cluster N          CPUs that share a last-level cache (8)\n"
	"  --smt N              threads of a core (1)\n"
	"  --seed N             of the random numbers (1)\n"
	"  --slack NS           how far a CPU may run ahead on hits (20)\n"
	"  --line-cost PERCENT  multiplies what lines cost (100)\n"
	"  --tasks N            tasks measured for each CPU, and 32 times that at least (1000)\n"
	"  --scene WORD         only scenarios whose name contains it\n"
	"  --case WORD          only cases whose name contains it\n"
	"  --profile            where time is lost; pipe it into ./profile\n"
	"  --fault lose|twice   lose a task, or have it twice: must be noticed\n"
	"  --list               print the names, run nothing\n";

static unsigned long number(const char *text, unsigned long least,
			    unsigned long most)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || end == text || n < least || n > most) {
		fprintf(stderr, "not a number from %lu to %lu: %s\n", least, most,
			text);
		exit(2);
	}
	return n;
}

void sim_options(struct sim_options *o, int argc, char **argv)
{
	char *dash;
	int c;

	memset(o, 0, sizeof(*o));
	sim_config_default(&o->config);
	o->from = 1;
	o->to = SIM_CPUS;
	o->tasks = 1000;
	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (c) {
		case 'c':
			dash = strchr(optarg, '-');
			if (dash)
				*dash = 0;
			o->from = number(optarg, 1, SIM_CPUS);
			o->to = dash ? number(dash + 1, o->from, SIM_CPUS) :
				       o->from;
			break;
		case 'n':
			o->config.node = number(optarg, 1, SIM_CPUS);
			break;
		case 'u':
			o->config.cluster = number(optarg, 1, SIM_CPUS);
			break;
		case 'm':
			o->config.smt = number(optarg, 1, 2);
			break;
		case 's':
			o->config.seed = number(optarg, 0, ~0UL);
			break;
		case 'k':
			o->config.slack = number(optarg, 0, 1000000) * SIM_NS;
			break;
		case 'l':
			sim_config_scale_lines(&o->config,
					       number(optarg, 1, 10000));
			break;
		case 't':
			o->tasks = number(optarg, 1, 1000000000);
			break;
		case 'e':
			o->only = optarg;
			break;
		case 'o':
			o->case_only = optarg;
			break;
		case 'p':
			o->config.profile = true;
			break;
		case 'f':
			o->fault = optarg;
			break;
		case 'L':
			o->list = true;
			break;
		default:
			fputs(usage, c == 'h' ? stdout : stderr);
			exit(c == 'h' ? 0 : 2);
		}
	}
	if (optind != argc) {
		fputs(usage, stderr);
		exit(2);
	}
}

static char case_name[64], metric[96];

static void row(const char *what, const char *unit, double value, bool describes)
{
	printf("{\"suite\":\"sim\",\"case\":\"%s\",\"metric\":\"%s%s%s\",\"unit\":\"%s\",%s%s%s\"samples\":[%.6g]}\n",
	       case_name, metric, *what ? ": " : "", what, unit,
	       describes ? "\"describes\":\"" : "", describes ? metric : "",
	       describes ? "\"," : "", value);
}

void sim_print_also(const char *what, const char *unit, double value)
{
	row(what, unit, value, false);
}

void sim_print(const char *name, const char *scene, unsigned int cpus,
	       const struct sim_counts *n, const struct sim_stats *s)
{
	static const char *const from[] = {
		"lines from a sibling", "lines from the cluster",
		"lines from the node", "lines from another node",
		"lines from memory",
	};
	double tasks = (double)n->tasks, rate;
	unsigned int d;

	snprintf(case_name, sizeof(case_name), "%s", name);
	snprintf(metric, sizeof(metric), "%s, %u CPUs", scene, cpus);
	rate = n->ps ? tasks * SIM_US / (double)n->ps : 0;
	row("", "tasks/us", rate, false);
	row("per CPU", "tasks/us per CPU", rate / cpus, true);
	if (!n->tasks)
		return;
	for (d = SIM_SMT; d < SIM_DISTANCES; d++) {
		if (d != SIM_SMT || sim_config.smt > 1)
			row(from[d], "lines/task", (double)s->lines[d] / tasks, true);
	}
	row("upgrades", "lines/task", (double)s->upgrades / tasks, true);
	row("locked instructions", "per task", (double)s->locked / tasks, true);
	row("basic blocks", "per task", (double)s->blocks / tasks, true);
	row("waits for lines", "ns/task", (double)s->stall / SIM_NS / tasks, true);
	row("queued at lines", "ns/task", (double)s->queued / SIM_NS / tasks, true);
	row("wake-ups", "per task", (double)n->wakes / tasks, true);
	row("IPIs", "per task", (double)n->ipis / tasks, true);
	row("looks", "looks/task", (double)n->looks / tasks, true);
	if (n->thefts)
		row("looks per theft", "looks", (double)n->looks / (double)n->thefts,
		    true);
	fflush(stdout);
}
