// SPDX-License-Identifier: GPL-2.0
/*
 * Which instructions a job executes, and how often each: the process steps
 * through a child of its own. For ./steps, which classifies them. This is
 * exact, and works where there are no performance counters.
 *
 * Cost: some microseconds an instruction. Limitations: x86-64; one thread; code
 * of the program itself, which is not position independent.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../util.h"
#include "steps.h"

#ifdef __x86_64__

/* The program's text is below: one count for each address. */
#define TEXT_BASE	0x400000UL
#define TEXT_SIZE	0x40000UL

static void child(const struct fj_lib *lib, const struct fj_job *job)
{
	void *handle = lib->start(1);

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	lib->run(handle, job);
	raise(SIGSTOP);
	_exit(0);
}

void fj_steps(const struct fj_lib *lib, const struct fj_job *job)
{
	static unsigned int count[TEXT_SIZE];
	struct user_regs_struct regs;
	unsigned long other = 0, at;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		child(lib, job);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		bench_die("no process to step through");
	for (at = 0; at < TEXT_SIZE; at++)
		count[at] = 0;
	for (;;) {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) ||
		    waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			bench_die("cannot step");
		/* The second stop. */
		if (WSTOPSIG(status) != SIGTRAP)
			break;
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		if (regs.rip - TEXT_BASE < TEXT_SIZE)
			count[regs.rip - TEXT_BASE]++;
		else
			other++;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	printf("%s %d other %lu\n", lib->name, job->n, other);
	for (at = 0; at < TEXT_SIZE; at++) {
		if (count[at])
			printf("%lx %u\n", TEXT_BASE + at, count[at]);
	}
}

#else

void fj_steps(const struct fj_lib *lib, const struct fj_job *job)
{
	(void)lib;
	(void)job;
	bench_die("no stepping on this architecture");
}

#endif
