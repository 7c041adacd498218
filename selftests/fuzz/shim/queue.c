// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces kmod/exec and workqueues: lists, and fibers that take from them.
 *
 * As a queue of wsq promises: a pending item is not queued again; a running
 * item may be queued again, but never runs in parallel with itself; the order
 * is random. Cancelling an item that is in no list prevents queueing it for a
 * moment, as in kmod/exec. Long items are asked at random to leave their
 * worker.
 */
#include <linux/wsq.h>

#include "exec/leak.h"
#include "exec/put.h"
#include "exec/tenant.h"
#include "shim.h"
#include <uapi/linux/wsq.h>

#include <obs/cpu_stats.h>

#define SHIM_PENDING	1UL
#define SHIM_WORKERS	3
#define SHIM_ITEMS	4096
#define SHIM_QUEUES	8

struct wsq {
	struct wsq_work *items[SHIM_ITEMS];
	unsigned int nr;
	bool dying;
};

/* %NULL for a free slot. */
static struct wsq *shim_all_queues[SHIM_QUEUES];
static struct wsq_worker shim_workers[SHIM_WORKERS];
static struct task_struct *shim_worker_tasks[SHIM_WORKERS];
static unsigned int shim_nr_workers;
static bool shim_held;
static bool shim_stopping;

unsigned int shim_policy;
u32 shim_queues;

static bool shim_runs(const struct wsq_work *work)
{
	unsigned int i;

	for (i = 0; i < shim_nr_workers; i++)
		if (shim_workers[i].cur == work)
			return true;
	return false;
}

/* Takes an item, perhaps from the middle. NULL if none may run. */
static struct wsq_work *shim_take(struct wsq *q)
{
	unsigned int i, k, from;
	struct wsq_work *work;

	from = shim_policy == SHIM_RANDOM ? shim_random() % q->nr : 0;
	for (i = 0; i < q->nr; i++) {
		k = (from + i) % q->nr;
		if (shim_policy == SHIM_LIFO)
			k = q->nr - 1 - k;
		work = q->items[k];
		if (shim_runs(work))
			continue;
		memmove(&q->items[k], &q->items[k + 1],
			(--q->nr - k) * sizeof(q->items[0]));
		return work;
	}
	return NULL;
}

/* The next queue with items, from a random one on; %NULL if none has. */
static struct wsq *shim_ready(void)
{
	unsigned int i, from = shim_random();

	for (i = 0; i < SHIM_QUEUES; i++) {
		struct wsq *q = shim_all_queues[(from + i) % SHIM_QUEUES];

		if (q && q->nr)
			return q;
	}
	return NULL;
}

static int shim_worker(void *arg)
{
	struct wsq_worker *w = arg;
	struct wsq_work *work;
	struct wsq *q;

	current->data = w;
	while (!shim_stopping) {
		current->state = TASK_IDLE;
		q = shim_held ? NULL : shim_ready();
		work = q ? shim_take(q) : NULL;
		if (!work) {
			schedule();
			continue;
		}
		current->state = TASK_RUNNING;
		/* No other worker runs it now; it may be queued again. */
		w->cur = work;
		w->func = work->func;
		w->serving = q;
		w->nr_run++;
		shim_point();
		MUST(work->state & SHIM_PENDING);
		work->state &= ~SHIM_PENDING;
		shim_point();
		work->func(work);
		MUST(!current->atomic);
		w->cur = NULL;
		w->serving = NULL;
		/* The hold may have been set while it ran. */
		shim_workers_hold(shim_held);
		shim_point();
	}
	return 0;
}

void shim_workers_start(unsigned int nr)
{
	unsigned int i;

	shim_nr_workers = nr;
	shim_held = false;
	shim_stopping = false;
	memset(shim_workers, 0, sizeof(shim_workers));
	for (i = 0; i < nr; i++)
		shim_worker_tasks[i] = shim_spawn(shim_worker, &shim_workers[i]);
}

void shim_workers_hold(bool hold)
{
	unsigned int i;

	shim_held = hold;
	for (i = 0; !hold && i < shim_nr_workers; i++)
		if (shim_worker_tasks[i] != current)
			shim_wake(shim_worker_tasks[i]);
}

void shim_workers_stop(void)
{
	shim_stopping = true;
	shim_workers_hold(false);
}

bool shim_workers_idle(void)
{
	unsigned int i;

	for (i = 0; i < shim_nr_workers; i++)
		if (shim_workers[i].cur)
			return false;
	return !shim_ready();
}

struct wsq *wsq_tenant_create(const struct wsq_attrs *attrs, const char *name)
{
	struct wsq *q = shim_alloc(sizeof(*q), GFP_KERNEL);
	unsigned int i;

	if (!q)
		return ERR_PTR(-ENOMEM);
	for (i = 0; shim_all_queues[i]; i++)
		MUST(i < SHIM_QUEUES - 1);
	shim_all_queues[i] = q;
	shim_queues++;
	return q;
}

/* Asks half of the callers to leave. */
bool wsq_slice_over(void)
{
	return shim_chance(128);
}

/* Has it items, or is a worker in the function of one? */
static bool shim_busy(const struct wsq *q)
{
	unsigned int i;

	for (i = 0; i < shim_nr_workers; i++)
		if (shim_workers[i].serving == q)
			return true;
	return q->nr;
}

void wsq_destroy(struct wsq *q)
{
	unsigned int i;

	if (!q)
		return;
	might_sleep();
	while (shim_busy(q))
		shim_relax();
	q->dying = true;
	for (i = 0; shim_all_queues[i] != q; i++)
		MUST(i < SHIM_QUEUES - 1);
	shim_all_queues[i] = NULL;
	shim_queues--;
	kfree(q);
}

bool wsq_admits(const struct wsq *q)
{
	return !q->dying;
}

bool wsq_dying(const struct wsq *q)
{
	return q->dying;
}

static void shim_put(struct wsq *q, struct wsq_work *work)
{
	MUST(!q->dying);
	MUST(q->nr < SHIM_ITEMS);
	q->items[q->nr++] = work;
	shim_workers_hold(shim_held);
	shim_point();
}

bool wsq_queue_work(struct wsq *q, struct wsq_work *work)
{
	shim_point();
	if (work->state & SHIM_PENDING)
		return false;
	work->state |= SHIM_PENDING;
	shim_put(q, work);
	return true;
}

bool wsq_queue_work_near(int cpu, struct wsq *q, struct wsq_work *work)
{
	MUST(cpu >= 0 && cpu_possible((unsigned int)cpu));
	return wsq_queue_work(q, work);
}

bool wsq_queue_work_node(int node, struct wsq *q, struct wsq_work *work)
{
	MUST(node >= 0 && node_possible((unsigned int)node));
	return wsq_queue_work(q, work);
}

unsigned int wsq_queue_work_many(struct wsq *q, struct wsq_work *const *works,
				 unsigned int nr)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++)
		n += wsq_queue_work(q, works[i]);
	return n;
}

void wsq_put_owed(struct wsq *q, struct wsq_work *work, enum wsq_site site, int nr)
{
	MUST(site != WSQ_NEAR_CPU || cpu_possible((unsigned int)nr));
	MUST(site != WSQ_NEAR_NODE || node_possible((unsigned int)nr));
	/* Another fiber may be about to see that it is not pending. */
	while (work->state & SHIM_PENDING)
		shim_relax();
	work->state |= SHIM_PENDING;
	shim_put(q, work);
}

bool wsq_cancel_work(struct wsq_work *work)
{
	unsigned int i, k;

	shim_point();
	if (!(work->state & SHIM_PENDING)) {
		/* Claimed until it is clear that it is in no list. */
		work->state |= SHIM_PENDING;
		shim_point();
		work->state &= ~SHIM_PENDING;
		return false;
	}
	for (k = 0; k < SHIM_QUEUES; k++) {
		struct wsq *q = shim_all_queues[k];

		for (i = 0; q && i < q->nr; i++) {
			if (q->items[i] != work)
				continue;
			memmove(&q->items[i], &q->items[i + 1],
				(--q->nr - i) * sizeof(work));
			work->state &= ~SHIM_PENDING;
			return true;
		}
	}
	/* A worker has it. */
	return false;
}

bool wsq_flush_work(struct wsq_work *work)
{
	FAIL("unexpected flush");
}

static const struct wsq_worker *shim_current_worker(void)
{
	unsigned int i;

	for (i = 0; i < shim_nr_workers; i++)
		if (shim_worker_tasks[i] == current)
			return &shim_workers[i];
	return NULL;
}

struct wsq_work *wsq_current_work(void)
{
	const struct wsq_worker *w = shim_current_worker();

	return w ? w->cur : NULL;
}

struct wsq_work *wsq_current_running(wsq_func_t func)
{
	const struct wsq_worker *w = shim_current_worker();

	return w && w->func == func ? w->cur : NULL;
}

/* Statistics: a number that tells the CPU. */

void wsq_stats_cpu(unsigned int cpu, struct wsq_cpu_stats *out)
{
	memset(out, 0, sizeof(*out));
	out->cpu = cpu;
	out->puts = 1000 + cpu;
	out->fences = ~0ULL;
}

u32 wsq_stats_queues(void)
{
	return shim_queues;
}

u32 wsq_stats_workers(void)
{
	return shim_nr_workers;
}

/* The workqueue of rings */

#define SHIM_WORKS	64

struct workqueue_struct {
	struct work_struct *works[SHIM_WORKS];
	unsigned int nr;
	struct work_struct *busy;
	bool stop;
	struct task_struct *task;
};

static struct workqueue_struct *shim_wq;

bool shim_works_idle(void)
{
	return !shim_wq || (!shim_wq->nr && !shim_wq->busy);
}

static int shim_kworker(void *arg)
{
	struct workqueue_struct *wq = arg;

	for (;;) {
		struct work_struct *work;
		unsigned int i;

		current->state = TASK_IDLE;
		if (!wq->nr) {
			if (wq->stop)
				break;
			schedule();
			continue;
		}
		current->state = TASK_RUNNING;
		i = shim_random() % wq->nr;
		work = wq->works[i];
		wq->works[i] = wq->works[--wq->nr];
		work->pending = false;
		wq->busy = work;
		shim_point();
		if (work->rcu)
			synchronize_rcu();
		work->func(work);
		MUST(!current->atomic);
		wq->busy = NULL;
	}
	current->state = TASK_RUNNING;
	wq->task = NULL;
	return 0;
}

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max)
{
	struct workqueue_struct *wq = shim_alloc(sizeof(*wq), GFP_KERNEL);

	if (wq)
		wq->task = shim_spawn(shim_kworker, wq);
	shim_wq = wq;
	return wq;
}

bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	if (work->pending)
		return false;
	MUST(!wq->stop && wq->nr < SHIM_WORKS);
	work->pending = true;
	wq->works[wq->nr++] = work;
	shim_wake(wq->task);
	return true;
}

bool queue_rcu_work(struct workqueue_struct *wq, struct rcu_work *work)
{
	work->work.rcu = true;
	return queue_work(wq, &work->work);
}

void flush_work(struct work_struct *work)
{
	might_sleep();
	while (work->pending || shim_wq->busy == work)
		shim_relax();
}

void flush_workqueue(struct workqueue_struct *wq)
{
	might_sleep();
	while (wq->nr || wq->busy)
		shim_relax();
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	flush_workqueue(wq);
	wq->stop = true;
	shim_wake(wq->task);
	while (wq->task)
		shim_relax();
	shim_wq = NULL;
	kfree(wq);
}

/* No op leaves a lock, or preemption off. */
void wsq_leaked(void *func, int locks)
{
	MUST(!func);
}
