/* SPDX-License-Identifier: MIT OR LGPL-2.1 */
/*
 * A wsq module made of threads, for tests of libwsq and wsqctl without one.
 *
 * It follows include/uapi/linux/wsq.h: rules about sizes and reserved members,
 * completion slots reserved at submission, seq stored last, errors of ENTER,
 * order by links, drains and keys. fake_install() puts it in place of the
 * kernel. Set fake_cfg before making a ring. Limitations: its speed and its
 * steals mean nothing.
 */
#ifndef LIBWSQ_TESTS_FAKE_H
#define LIBWSQ_TESTS_FAKE_H

#include <stdbool.h>

#include "libwsq.h"

/**
 * struct fake_cfg - the behaviour of the fake
 * @threads: workers of each ring; 0 runs tasks inside ENTER's wait
 * @cpus: number of CPUs that it reports, on two nodes
 * @take_max: most entries taken by one ENTER; 0 means all
 * @open_err: error of open
 * @answer: what every ioctl returns, if not 0
 * @setup_err: error of SETUP
 * @no_poll: SETUP of polled rings fails with EPERM
 * @no_cpu: the thread of polled rings gets no CPU
 * @late_head: sq_head of polled rings is stored when the next entries are taken
 * @mmap_fail: 1, 2, 3: this call of mmap after SETUP fails with ENOMEM
 * @enter_err: error that ENTER returns once instead of waiting
 * @hold: tasks are taken but do not run
 * @lose: task number @lose (from 1) never completes
 * @fail_nth: each task whose number is a multiple ends with -EIO
 * @swap: completions 0 and 1 become visible in reverse order
 * @delay_us: run time of a task
 * @sha_max: sha256's max_len; 0 means 16 MiB
 * @no_sha: no sha256 op
 * @wrong: sha256 gives a wrong result for lengths that are a multiple of this
 * @stats_fail: number, from 1, of the first call of STATS to fail with ENODEV;
 *	later ones fail too
 * @stats_move: every CPU but the first has done something at each STATS, the
 *	last one most
 * @die_after: the process kills itself after taking this many tasks
 */
struct fake_cfg {
	unsigned int threads;
	unsigned int cpus;
	unsigned int take_max;
	int open_err;
	int answer;
	int setup_err;
	bool no_poll;
	bool no_cpu;
	bool late_head;
	int mmap_fail;
	int enter_err;
	bool hold;
	unsigned int lose;
	unsigned int fail_nth;
	bool swap;
	unsigned int delay_us;
	unsigned long sha_max;
	bool no_sha;
	unsigned long wrong;
	unsigned int stats_fail;
	bool stats_move;
	unsigned int die_after;
};

extern struct fake_cfg fake_cfg;
extern unsigned int fake_enters;	/* calls of ENTER */
extern int fake_live;			/* mappings and files not given back */

void fake_install(void);

#endif /* LIBWSQ_TESTS_FAKE_H */
