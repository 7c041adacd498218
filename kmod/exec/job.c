// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs: a range that several CPUs work through, the caller among them. The
 * range is cut into pieces of at least a grain; whoever is free takes the next
 * one. Helpers that have not begun when nothing is left are called back, so the
 * caller waits for nobody who does not work on this very range.
 */
#include <linux/slab.h>

#include "../compat/export.h"
#include "item.h"

/* Pieces for each CPU, so that one that is slow does not hold up all. */
#define WSQ_JOB_PIECES		4

/**
 * struct wsq_job_run - a job under way
 * @job: what to do
 * @next: how much of the range has been handed out. Anybody.
 * @piece: length of a piece. Constant.
 */
struct wsq_job_run {
	const struct wsq_job *job;
	atomic_long_t next;
	unsigned long piece;
};

struct wsq_job_helper {
	struct wsq_work work;
	struct wsq_job_run *run;
};

/* Take pieces until there are none. */
static void wsq_job_pieces(struct wsq_job_run *run)
{
	const struct wsq_job *job = run->job;
	unsigned long at, n;

	for (;;) {
		at = atomic_long_read(&run->next);
		do {
			if (at >= job->size)
				return;
			n = min(run->piece, job->size - at);
			/* JB(piece:A) */
		} while (!atomic_long_try_cmpxchg(&run->next, (long *)&at,
						  at + n));
		job->func(job->start + at, job->start + at + n, job->arg);
		cond_resched();
	}
}

static void wsq_job_help(struct wsq_work *work)
{
	struct wsq_job_helper *helper = container_of(work,
						     struct wsq_job_helper,
						     work);

	wsq_job_pieces(helper->run);
}

static unsigned long wsq_job_piece(const struct wsq_job *job,
				   unsigned int cpus)
{
	unsigned long align = max(job->align, 1UL);
	unsigned long piece = job->size / ((unsigned long)cpus *
					   WSQ_JOB_PIECES);

	piece = max3(piece, job->grain, 1UL);
	/* Up to a multiple; if there is none that large, all in one piece. */
	return piece > ULONG_MAX - align ? ULONG_MAX : roundup(piece, align);
}

/**
 * wsq_run_job() - work through a range on several CPUs
 * @q: the queue whose CPUs may help
 * @job: the range and what to do with it
 *
 * The function is called from this context and from workers, each index exactly
 * once, in pieces of no particular order. Without memory for helpers the caller
 * does it alone.
 *
 * Context: task; may sleep. Also from items of @q, and from jobs.
 * Ordering: all that the function did is visible on return.
 */
void wsq_run_job(struct wsq *q, const struct wsq_job *job)
{
	struct wsq_job_run run = { .job = job };
	struct wsq_job_helper *helpers = NULL;
	unsigned int cpus, nr, i;

	if (!job->size)
		return;
	cpus = cpumask_weight_and(q->pool.cpus, cpu_online_mask);
	if (job->max_cpus)
		cpus = min(cpus, job->max_cpus);
	cpus = max(cpus, 1U);
	run.piece = wsq_job_piece(job, cpus);
	/* No more helpers than pieces for them. */
	nr = min_t(unsigned long, cpus - 1, (job->size - 1) / run.piece);
	if (nr)
		helpers = kvmalloc_array(nr, sizeof(*helpers),
					 GFP_KERNEL | __GFP_NOWARN);
	if (!helpers)
		nr = 0;
	for (i = 0; i < nr; i++) {
		INIT_WSQ_WORK(&helpers[i].work, wsq_job_help);
		helpers[i].run = &run;
		wsq_queue_work(q, &helpers[i].work);
	}
	wsq_job_pieces(&run);
	for (i = 0; i < nr; i++)
		wsq_disable_work_wait(&helpers[i].work);
	kvfree(helpers);
}
WSQ_EXPORT(wsq_run_job);
