// SPDX-License-Identifier: GPL-2.0
/*
 * Fork-join objects: creation, runs, cancellation, counters.
 *
 * A run allocates nothing, and the caller alone can do all of it. So a run
 * makes progress under memory reclaim, and while all CPUs are busy, if its
 * tasks do.
 *
 * Pairs:
 *
 *	FO(end:A) release -> FO(begin:A) acquire, FO(destroy:A)
 *		The next run, and the context that frees the object, see all that
 *		the run before did. litmus/forkjoin-caller.litmus
 *	FO(begin:B) against FO(destroy:A): store buffering
 *		wsq_fj_destroy() sees that @stop was cleared, and sets it, or the
 *		run that begins sees that it must stop. Otherwise it would run to
 *		its end. litmus/forkjoin-destroy.litmus
 *	FO(free:A) release -> FO(claim:A) acquire
 *		The thread that takes a seat sees what the one before it did
 *		there. litmus/forkjoin-seat.litmus
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "../compat/export.h"
#include "../compat/timer.h"
#include "../exec/exec.h"
#include "../exec/item.h"
#include "forkjoin.h"

#define WSQ_FJ_DEF_DEPTH	256
#define WSQ_FJ_MAX_DEPTH	BIT(20)
#define WSQ_FJ_MIN_RESERVE	4096

/*
 * A sync may sleep. With KASAN's frames and lockdep's, schedule() alone needs
 * more than the minimum.
 */
#define WSQ_FJ_DEF_RESERVE	(IS_ENABLED(CONFIG_KASAN) ? THREAD_SIZE / 2 : \
							    WSQ_FJ_MIN_RESERVE)

static_assert(WSQ_FJ_EOVERFLOW == EOVERFLOW);
static_assert(sizeof(struct wsq_fj_task) == 64);

/* All objects, for debugfs. */
LIST_HEAD(wsq_fjs);
/* Protects wsq_fjs. Its holder allocates nothing and waits for nothing. */
DEFINE_MUTEX(wsq_fjs_lock);

/* For the code that wsq_fj.h puts into users' functions. */
WSQ_EXPORT(wsq_fj_spawn_slow);
WSQ_EXPORT(wsq_fj_sync_slow);
WSQ_EXPORT(wsq_fj_call_slow);

static void wsq_fj_free(struct wsq_fj *fj)
{
	u32 i;

	for (i = 0; i < fj->team.nr && fj->seats[i]; i++) {
		struct wsq_fj_member *m = wsq_fj_member(fj->seats[i]);

		timer_delete_sync(&m->watch);
		kvfree(m->seat.dq.tasks);
		kfree(m);
	}
	kfree(fj);
}

static bool wsq_fj_add_seat(struct wsq_fj *fj, u32 id, u32 depth, int node)
{
	struct wsq_fj_member *m;
	struct wsq_fj_task *tasks;

	m = kzalloc_node(sizeof(*m), GFP_KERNEL | __GFP_NOWARN, node);
	tasks = kvzalloc_node(array_size(depth + 1, sizeof(*tasks)),
			      GFP_KERNEL | __GFP_NOWARN, node);
	if (!m || !tasks) {
		kfree(m);
		kvfree(tasks);
		return false;
	}
	m->seat.team = &fj->team;
	m->seat.id = id;
	wsq_fj_init(&m->seat.dq, tasks, depth);
	wsq_fj_rise(&m->seat);
	INIT_WSQ_WORK(&m->work, wsq_fj_help_fn);
	rcuwait_init(&m->wait);
	timer_setup(&m->watch, wsq_fj_watch_fn, 0);
	fj->seats[id] = &m->seat;
	return true;
}

struct wsq_fj *wsq_fj_create(struct wsq *q, const struct wsq_fj_attrs *attrs)
{
	static const struct wsq_fj_attrs none;
	const struct wsq_fj_attrs *a = attrs ?: &none;
	u32 depth = a->depth ?: WSQ_FJ_DEF_DEPTH;
	u32 reserve = a->stack_reserve ?: WSQ_FJ_DEF_RESERVE;
	unsigned int cpu, nr, nr_seats;
	struct wsq_fj *fj;
	u32 i;

	if (a->flags & ~(WSQ_FJ_RANDOM | WSQ_FJ_HALF | WSQ_FJ_STACKS |
			 WSQ_FJ_SPREAD) ||
	    depth > WSQ_FJ_MAX_DEPTH || reserve < WSQ_FJ_MIN_RESERVE ||
	    reserve > THREAD_SIZE / 2)
		return ERR_PTR(-EINVAL);
	nr = cpumask_weight(q->pool.cpus);
	if (a->max_cpus)
		nr = min(nr, a->max_cpus);
	/* A thread that sleeps keeps its seat. */
	nr_seats = 2 * nr - 1;
	fj = kzalloc(struct_size(fj, seats, nr_seats),
		     GFP_KERNEL | __GFP_NOWARN);
	if (!fj)
		return ERR_PTR(-ENOMEM);
	fj->q = q;
	init_completion(&fj->ended);
	fj->stack_reserve = reserve;
	fj->spread = a->flags & WSQ_FJ_SPREAD;
	fj->team.seats = fj->seats;
	fj->team.nr = nr_seats;
	fj->team.max = nr;
	fj->team.half = a->flags & WSQ_FJ_HALF;
	fj->team.random = a->flags & WSQ_FJ_RANDOM;
	fj->team.stacks = a->flags & WSQ_FJ_STACKS;
	if (!wsq_fj_add_seat(fj, 0, depth, NUMA_NO_NODE))
		goto free;
	cpu = -1;
	for (i = 1; i < nr_seats; i++) {
		cpu = cpumask_next(cpu, q->pool.cpus);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(q->pool.cpus);
		if (!wsq_fj_add_seat(fj, i, depth,
				     cpu < nr_cpu_ids ? cpu_to_node(cpu) :
							NUMA_NO_NODE))
			goto free;
	}
	mutex_lock(&wsq_fjs_lock);
	list_add_tail(&fj->list, &wsq_fjs);
	mutex_unlock(&wsq_fjs_lock);
	return fj;
free:
	wsq_fj_free(fj);
	return ERR_PTR(-ENOMEM);
}
WSQ_EXPORT(wsq_fj_create);

/* Is this thread running a task of the object? */
static bool wsq_fj_inside(const struct wsq_fj *fj)
{
	long caller = atomic_long_read(&fj->caller) & ~WSQ_FJ_DESTROYED;

	return caller == (long)current || wsq_fj_helps(fj);
}

void wsq_fj_destroy(struct wsq_fj *fj)
{
	u32 i;

	might_sleep();
	/*
	 * Also if it is not freed below: debugfs shows the name of the queue, which
	 * may be destroyed.
	 */
	mutex_lock(&wsq_fjs_lock);
	list_del_init(&fj->list);
	mutex_unlock(&wsq_fjs_lock);
	if (WARN_ON(wsq_fj_inside(fj)))
		return;
	/* FO(destroy:A) */
	if (atomic_long_fetch_or(WSQ_FJ_DESTROYED, &fj->caller)) {
		wsq_fj_stop_run(&fj->team, ECANCELED);
		wait_for_completion(&fj->ended);
	}
	/*
	 * The caller may be a task of another object, whose helper is an item of
	 * the same lock class: lockdep is not to see it.
	 */
	for (i = 1; i < fj->team.nr; i++)
		wsq_disable_work_wait(&wsq_fj_member(fj->seats[i])->work);
	wsq_fj_free(fj);
}
WSQ_EXPORT(wsq_fj_destroy);

/* The lowest address that this thread's stack pointer may have in a task. */
u64 wsq_fj_stack_end(const struct wsq_fj *fj)
{
	return (unsigned long)end_of_stack(current) + fj->stack_reserve;
}

/* This thread takes a seat. */
void wsq_fj_sit_down(struct wsq_fj *fj, struct wsq_fj_member *m)
{
	m->lock_depth = lockdep_depth(current);
	/* A helper starts only in long runs: assume that its first part is long. */
	m->long_parts = m->seat.id != 0;
	m->skipped = 0;
	m->skip = 0;
	wsq_fj_sit(&m->seat, wsq_fj_stack_end(fj));
}

int wsq_fj_begin(struct wsq_fj *fj, struct wsq_fj_ctx *w)
{
	might_sleep();
	/* FO(begin:A) */
	if (atomic_long_cmpxchg_acquire(&fj->caller, 0, (long)current))
		return -EBUSY;
	WRITE_ONCE(fj->runs, fj->runs + 1);
	wsq_fj_begin_run(&fj->team);
	/*
	 * FO(begin:B): wsq_fj_destroy() may have stopped the run before
	 * wsq_fj_begin_run() cleared @stop. Then stop it here.
	 */
	smp_mb();
	if (atomic_long_read(&fj->caller) & WSQ_FJ_DESTROYED)
		wsq_fj_stop_run(&fj->team, ECANCELED);
	wsq_fj_sit_down(fj, wsq_fj_member(fj->seats[0]));
	w->deque = &fj->seats[0]->dq;
	w->head = w->deque->tasks;
	return 0;
}
WSQ_EXPORT(wsq_fj_begin);

int wsq_fj_end(struct wsq_fj *fj)
{
	int ret;

	wsq_fj_rise(fj->seats[0]);
	wsq_fj_end_run(&fj->team);
	ret = -wsq_fj_stops(&fj->team);
	/*
	 * FO(end:A): the object may be gone afterwards, unless wsq_fj_destroy()
	 * waits.
	 */
	if (atomic_long_fetch_and_release(WSQ_FJ_DESTROYED, &fj->caller) &
	    WSQ_FJ_DESTROYED)
		complete(&fj->ended);
	return ret;
}
WSQ_EXPORT(wsq_fj_end);

void wsq_fj_cancel(struct wsq_fj *fj)
{
	if (atomic_long_read(&fj->caller))
		wsq_fj_stop_run(&fj->team, ECANCELED);
}
WSQ_EXPORT(wsq_fj_cancel);

bool wsq_fj_stopped(struct wsq_fj_ctx w)
{
	return wsq_fj_stops(wsq_fj_seat(w.deque)->team);
}
WSQ_EXPORT(wsq_fj_stopped);

void wsq_fj_share(struct wsq_fj_ctx w)
{
	wsq_fj_share_all(wsq_fj_seat(w.deque), w.head);
}
WSQ_EXPORT(wsq_fj_share);

void wsq_fj_read_stats(const struct wsq_fj *fj, struct wsq_fj_stats *stats)
{
	u32 i;

	memset(stats, 0, sizeof(*stats));
	stats->runs = READ_ONCE(fj->runs);
	for (i = 0; i < fj->team.nr; i++) {
		const struct wsq_fj_seat *seat = fj->seats[i];

		stats->steals += atomic64_read(&seat->steals);
		stats->leaps += atomic64_read(&seat->leaps);
		stats->requests += atomic64_read(&seat->dq.requests);
		stats->grows += atomic64_read(&seat->dq.grows);
		stats->shrinks += atomic64_read(&seat->dq.shrinks);
		stats->sleeps += atomic64_read(&seat->sleeps);
		stats->started += atomic64_read(&seat->started);
	}
}
WSQ_EXPORT(wsq_fj_read_stats);

#ifdef CONFIG_PROVE_LOCKING
/* A sync may sleep, and may run other tasks of the run on this stack. */
void wsq_fj_check_sync(struct wsq_fj_deque *dq)
{
	struct wsq_fj_member *m = wsq_fj_member(wsq_fj_seat(dq));

	might_sleep();
	WARN_ONCE(lockdep_depth(current) > m->lock_depth,
		  "wsq: a task holds a lock at a sync\n");
}
WSQ_EXPORT(wsq_fj_check_sync);
#endif
