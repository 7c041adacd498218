/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Algorithms by fork and join: what they share. <linux/wsq_algo.h> has the
 * interface.
 */
#ifndef _WSQ_ALGO_ALGO_H
#define _WSQ_ALGO_ALGO_H

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/sched.h>
#include <linux/wsq_algo.h>
#include <linux/wsq_fj.h>

/*
 * If the memory cgroup is at its limit, the allocation fails. It does not
 * invoke the OOM killer.
 */
#define WSQ_ALGO_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * struct wsq_algo_run - a run
 * @fj: the object. Constant
 * @stop: when to end early, or %NULL. Constant
 * @err: 0, or why a task has ended the run. The first task that does
 */
struct wsq_algo_run {
	struct wsq_fj *fj;
	const struct wsq_algo_stop *stop;
	atomic_t err;
};

/* For a task: end the run with an error. */
static inline void wsq_algo_fail(struct wsq_algo_run *run, int err)
{
	atomic_cmpxchg(&run->err, 0, err);
	wsq_fj_cancel(run->fj);
}

/* For a task, at least once a millisecond: is the run to end? */
static inline bool wsq_algo_stopped(struct wsq_algo_run *run,
				    struct wsq_fj_ctx w)
{
	int err = run->stop ? run->stop->fn(run->stop->arg) : 0;

	cond_resched();
	if (err)
		wsq_algo_fail(run, err);
	return err || wsq_fj_stopped(w);
}

/* What a run that has ended with @ret returns. */
static inline int wsq_algo_result(const struct wsq_algo_run *run, int ret)
{
	int err = atomic_read(&run->err);

	return ret == -ECANCELED && err ? err : ret;
}

/* tree_hash.c */
int wsq_algo_init(void);
void wsq_algo_exit(void);

#endif /* _WSQ_ALGO_ALGO_H */
