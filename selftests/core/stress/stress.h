/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the stress programs: failing, options, and the nurse, a thread that
 * puts others to sleep at arbitrary points.
 *
 * The nurse sends SIGUSR1; the handler sleeps. So a thread stops between any
 * two instructions, as a descheduled virtual CPU does, for up to the time
 * given. Under the thread sanitizer handlers run at the next access to shared
 * memory or system call instead, which is where it matters.
 */
#ifndef _WSQ_SELFTESTS_STRESS_H
#define _WSQ_SELFTESTS_STRESS_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "option.h"
#include "rnd.h"

#define MAX_THREADS	32

/* Options of all: see stress_init(). */
static u64 seed = 1, pause_opt, limit = 400;
static u32 pause_us;
static bool over;

static inline bool is_over(void)
{
	return __atomic_load_n(&over, __ATOMIC_ACQUIRE);
}

__attribute__((format(printf, 1, 2), noreturn))
static inline void fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("FAIL (seed %llu): ", seed);
	vprintf(fmt, args);
	printf("\n");
	fflush(stdout);
	_exit(1);
	va_end(args);
}

#define check(cond, ...)			\
do {						\
	if (!(cond))				\
		fail(__VA_ARGS__);		\
} while (0)

static inline void timed_out(int sig)
{
	static const char text[] = "FAIL: no end within the limit of CPU time\n";

	(void)sig;
	if (write(1, text, sizeof(text) - 1))
		_exit(1);
	_exit(1);
}

static inline void sleep_us(u32 us)
{
	struct timespec ts = { 0, (long)us * 1000 };

	nanosleep(&ts, NULL);
}

/* Some hundred nanoseconds of work, and now and then a yield. */
static inline void dawdle(u64 *state)
{
	u64 r = rnd(state), i;

	if (r % 64 == 0)
		sched_yield();
	else if (r % 2)
		for (i = 0; i < (r >> 32) % 512; i++)
			barrier();
}

static inline void on_pause(int sig)
{
	(void)sig;
	sleep_us(pause_us);
}

struct patients {
	pthread_t thread[MAX_THREADS];
	u32 nr;
};

static inline void *nurse(void *arg)
{
	struct patients *p = (struct patients *)arg;
	u64 state = seed ^ 0x9e3779b97f4a7c15ULL;

	while (!is_over()) {
		pthread_kill(p->thread[rnd(&state) % p->nr], SIGUSR1);
		sleep_us((u32)(rnd(&state) % (pause_us / 2 + 1)) + 20);
	}
	return NULL;
}

/**
 * struct stress_option - an option of one program
 * @name: its name
 * @value: where its value goes
 */
struct stress_option {
	const char *name;
	u64 *value;
};

static inline bool stress_option(const char *arg,
				 const struct stress_option *options, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (option(arg, options[i].name, options[i].value))
			return true;
	return false;
}

#define STRESS_OPTIONS(options)	\
	(options), (u32)(sizeof(options) / sizeof((options)[0]))

/*
 * Reads the program's options, and pause, limit and seed. The limit is CPU time
 * of all threads: a hang spins somewhere, and load of other programs must not
 * look like one.
 */
static inline void stress_init(int argc, char **argv,
			       const struct stress_option *options, u32 nr)
{
	const struct stress_option common[] = {
		{ "pause", &pause_opt }, { "limit", &limit }, { "seed", &seed },
	};
	struct itimerval cpu_time = { 0 };
	struct sigaction sa;
	int i;

	for (i = 1; i < argc; i++) {
		if (stress_option(argv[i], options, nr) ||
		    stress_option(argv[i], STRESS_OPTIONS(common)))
			continue;
		fprintf(stderr, "%s: what is %s?\n", argv[0], argv[i]);
		exit(2);
	}
	pause_us = (u32)pause_opt;
	cpu_time.it_value.tv_sec = (time_t)limit;
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_pause;
	sa.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &sa, NULL);
	sa.sa_handler = timed_out;
	sigaction(SIGPROF, &sa, NULL);
	setitimer(ITIMER_PROF, &cpu_time, NULL);
}

#endif /* _WSQ_SELFTESTS_STRESS_H */
