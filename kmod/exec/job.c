// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs: several CPUs, the caller's among them, work through a range. It is cut
 * into pieces of at least a grain. A CPU that has ended a piece takes the next.
 *
 * Helpers are work items for CPUs whose workers are parked. The caller queues
 * two, and each helper queues two more while pieces are left, so that with many
 * CPUs none spends its time waking the others. When no piece is left, helpers
 * that have not begun are cancelled: the caller waits only for pieces of its
 * range.
 */
#include <linux/slab.h>

#include "../compat/export.h"
#include "leak.h"
#include "put.h"

/*
 * A piece is 1 / WSQ_JOB_PART of a CPU's share of the rest, so that pieces
 * become shorter and all CPUs end together. But it is no shorter than
 * 1 / WSQ_JOB_PIECES of a CPU's share of the whole.
 */
#define WSQ_JOB_PART		2
#define WSQ_JOB_PIECES		16

/* Helpers that one context queues at a time. */
#define WSQ_JOB_WAKES		2

struct wsq_job_helper;

/**
 * struct wsq_job_run - a job under way
 * @job: what to do. Constant, as all but @next and @begun
 * @q: the queue whose CPUs may help
 * @helpers: the helpers
 * @nr: number of helpers
 * @piece: length of the shortest pieces
 * @parts: a piece is 1 / @parts of the rest, if that is longer than @piece
 * @next: indices handed out so far
 * @begun: helpers that were queued, or are about to be
 */
struct wsq_job_run {
	const struct wsq_job *job;
	struct wsq *q;
	struct wsq_job_helper *helpers;
	int nr;
	unsigned long piece;
	unsigned long parts;
	atomic_long_t next;
	atomic_t begun;
};

struct wsq_job_helper {
	struct wsq_work work;
	struct wsq_job_run *run;
};

/* Queue some more helpers, if there are any, while pieces are left. */
static void wsq_job_wake_helper(struct wsq_job_run *run)
{
	unsigned int i;

	for (i = 0; i < WSQ_JOB_WAKES; i++) {
		int nr = atomic_read(&run->begun);

		if (atomic_long_read(&run->next) >= run->job->size)
			return;
		do {
			if (nr == run->nr)
				return;
			/* JB(helper:A) */
		} while (!atomic_try_cmpxchg_relaxed(&run->begun, &nr, nr + 1));
		/* The job's caller disables that one after waiting for us. */
		wsq_queue_work_idle(run->q, &run->helpers[nr].work);
	}
}

/* Run pieces until none is left. */
static void wsq_job_pieces(struct wsq_job_run *run)
{
	const struct wsq_job *job = run->job;
	unsigned long at, n;
	int locks;

	for (;;) {
		at = atomic_long_read(&run->next);
		do {
			if (at >= job->size)
				return;
			n = job->size - at;
			n = min(max(n / run->parts / run->piece * run->piece,
				    run->piece), n);
			/* JB(part:A) */
		} while (!atomic_long_try_cmpxchg(&run->next, (long *)&at,
						  at + n));
		locks = wsq_leak_begin();
		job->func(job->start + at, job->start + at + n, job->arg);
		wsq_leak_end(job->func, locks);
		cond_resched();
		/* Queued helpers may not begin: other threads run there. */
		if (atomic_read(&run->begun) < run->nr)
			wsq_job_wake_helper(run);
	}
}

static void wsq_job_help(struct wsq_work *work)
{
	struct wsq_job_helper *helper = container_of(work,
						     struct wsq_job_helper,
						     work);

	wsq_job_wake_helper(helper->run);
	wsq_job_pieces(helper->run);
}

static unsigned long wsq_job_piece(const struct wsq_job *job,
				   unsigned int cpus)
{
	unsigned long align = max(job->align, 1UL);
	unsigned long piece = job->size / ((unsigned long)cpus *
					   WSQ_JOB_PIECES);

	piece = max3(piece, job->grain, 1UL);
	/* Round up to a multiple of @align; on overflow use one piece. */
	return piece > ULONG_MAX - align ? ULONG_MAX : roundup(piece, align);
}

void wsq_run_job(struct wsq *q, const struct wsq_job *job)
{
	struct wsq_job_run run = { .job = job, .q = q };
	unsigned int cpus;
	int nr, i;

	if (!job->size)
		return;
	cpus = cpumask_weight_and(q->pool.cpus, cpu_online_mask);
	if (job->max_cpus)
		cpus = min(cpus, job->max_cpus);
	cpus = max(cpus, 1U);
	run.piece = wsq_job_piece(job, cpus);
	run.parts = (unsigned long)cpus * WSQ_JOB_PART;
	/* No more helpers than pieces for them. */
	nr = min_t(unsigned long, cpus - 1, (job->size - 1) / run.piece);
	if (nr)
		run.helpers = kvmalloc_array(nr, sizeof(*run.helpers),
					     GFP_KERNEL | __GFP_NOWARN);
	if (run.helpers)
		run.nr = nr;
	for (i = 0; i < run.nr; i++) {
		INIT_WSQ_WORK(&run.helpers[i].work, wsq_job_help);
		run.helpers[i].run = &run;
	}
	wsq_job_wake_helper(&run);
	wsq_job_pieces(&run);
	/* Helpers may still queue others: claim all that are left. */
	nr = atomic_xchg_relaxed(&run.begun, run.nr);		/* JB(end:A) */
	for (i = 0; i < nr; i++)
		wsq_disable_work_wait(&run.helpers[i].work);
	kvfree(run.helpers);
}
WSQ_EXPORT(wsq_run_job);
