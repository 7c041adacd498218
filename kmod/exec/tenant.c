// SPDX-License-Identifier: GPL-2.0
/*
 * Queues of tenants.
 */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

#include "exec.h"
#include "tenant.h"

#define WSQ_TURN_NS	(100 * NSEC_PER_USEC)

/**
 * wsq_tenant_create() - make the queue of a tenant
 * @attrs: as of wsq_create()
 * @name: its name
 *
 * Context: task; may sleep.
 * Return: as wsq_create(); wsq_destroy() is due at the end.
 */
struct wsq *wsq_tenant_create(const struct wsq_attrs *attrs, const char *name)
{
	return wsq_create(attrs, "%s", name);
}

/* The item that asked last on this CPU, and when it asked first. */
struct wsq_asked {
	const struct wsq_worker *worker;
	u64 run;
	u64 from;
};

static DEFINE_PER_CPU(struct wsq_asked, wsq_asked);

/* Has a CPU work of another queue than the one that its worker serves? */
static bool wsq_others_wait(const struct wsq_worker *w)
{
	const struct wsq *q = READ_ONCE(w->serving);
	u32 id = wsq_ready_next(wsq_cpus[w->cpu], (q->pool.id + 1) %
				WSQ_MAX_QUEUES);

	return id != WSQ_MAX_QUEUES && id != q->pool.id;
}

/**
 * wsq_turn_over() - has the item that calls this used up its slice
 *
 * Context: function of an item.
 * Return: true if so, and something else waits on this CPU: the item had better
 * queue itself again and return.
 */
bool wsq_turn_over(void)
{
	const struct wsq_worker *w = wsq_worker_current();
	struct wsq_asked *a;
	bool over;

	a = get_cpu_ptr(&wsq_asked);
	if (a->worker != w || a->run != READ_ONCE(w->nr_run)) {
		a->worker = w;
		a->run = w->nr_run;
		a->from = local_clock();
	}
	over = local_clock() - a->from > WSQ_TURN_NS;
	put_cpu_ptr(&wsq_asked);
	return over && wsq_others_wait(w);
}
