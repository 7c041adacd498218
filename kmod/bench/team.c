// SPDX-License-Identifier: GPL-2.0
/*
 * A team: one kernel thread for each submitting CPU, bound to it, all running
 * the same job and starting together.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/sched.h>

#include "bench.h"

struct bench_team {
	bench_job_t job;
	void *arg;
	atomic_t to_come;
	atomic_t to_go;
	struct completion over;
};

struct bench_member {
	struct bench_team *team;
	unsigned int nr;
};

static int bench_member_fn(void *arg)
{
	struct bench_member *m = arg;
	struct bench_team *team = m->team;

	/* Start together: a thread whose wake-up is late would submit alone. */
	atomic_dec(&team->to_come);
	while (atomic_read(&team->to_come)) {
		cpu_relax();
		cond_resched();
	}
	team->job(m->nr, team->arg);
	if (atomic_dec_and_test(&team->to_go))
		complete(&team->over);

	/* Wait for kthread_stop() by bench_team_run(). */
	set_current_state(TASK_IDLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_IDLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/**
 * bench_team_run() - run a job on the first submitting CPUs
 * @nr: on how many
 * @job: what to do, with the number of the member
 * @arg: for @job
 *
 * Context: task; may sleep.
 * Return: 0, or a negative errno if nothing has run.
 */
int bench_team_run(unsigned int nr, bench_job_t job, void *arg)
{
	struct task_struct *tasks[BENCH_MAX_CPUS];
	struct bench_member members[BENCH_MAX_CPUS];
	struct bench_team team = { .job = job, .arg = arg };
	unsigned int i;
	int ret = 0;

	atomic_set(&team.to_come, nr);
	atomic_set(&team.to_go, nr);
	init_completion(&team.over);
	for (i = 0; i < nr; i++) {
		members[i].team = &team;
		members[i].nr = i;
		tasks[i] = kthread_create(bench_member_fn, &members[i],
					  "wsq_bench/%u", bench_cpus[i]);
		if (IS_ERR(tasks[i])) {
			/* The threads so far have not run: they end at once. */
			ret = PTR_ERR(tasks[i]);
			nr = i;
			goto stop;
		}
		kthread_bind(tasks[i], bench_cpus[i]);
	}
	for (i = 0; i < nr; i++)
		wake_up_process(tasks[i]);
	wait_for_completion(&team.over);
stop:
	for (i = 0; i < nr; i++)
		kthread_stop(tasks[i]);
	return ret;
}
