// SPDX-License-Identifier: GPL-2.0
/*
 * Turns wsqctl into wsqctl-fake: installs the module made of threads before
 * main(), configured by WSQ_FAKE="name=number ..." (struct fake_cfg's members).
 */
#include <stdlib.h>

#include "fake.h"

static void set(const char *name, long v)
{
	if (!strcmp(name, "open_err"))
		fake_cfg.open_err = -v;
	else if (!strcmp(name, "setup_err"))
		fake_cfg.setup_err = -v;
	else if (!strcmp(name, "no_poll"))
		fake_cfg.no_poll = v;
	else if (!strcmp(name, "late_head"))
		fake_cfg.late_head = v;
	else if (!strcmp(name, "hold"))
		fake_cfg.hold = v;
	else if (!strcmp(name, "lose"))
		fake_cfg.lose = v;
	else if (!strcmp(name, "fail_nth"))
		fake_cfg.fail_nth = v;
	else if (!strcmp(name, "delay_us"))
		fake_cfg.delay_us = v;
	else if (!strcmp(name, "sha_max"))
		fake_cfg.sha_max = v;
	else if (!strcmp(name, "no_sha"))
		fake_cfg.no_sha = v;
	else if (!strcmp(name, "wrong"))
		fake_cfg.wrong = v;
	else if (!strcmp(name, "cpus"))
		fake_cfg.cpus = v;
	else if (!strcmp(name, "stats_fail"))
		fake_cfg.stats_fail = v;
	else if (!strcmp(name, "stats_move"))
		fake_cfg.stats_move = v;
	else if (!strcmp(name, "die_after"))
		fake_cfg.die_after = v;
	else
		abort();
}

static __attribute__((constructor)) void fake_env(void)
{
	char *env = getenv("WSQ_FAKE"), *word, *eq;

	fake_install();
	if (!env)
		return;
	env = strdup(env);
	for (word = strtok(env, " "); word; word = strtok(NULL, " ")) {
		eq = strchr(word, '=');
		if (!eq)
			abort();
		*eq = '\0';
		set(word, atol(eq + 1));
	}
	free(env);
}
