// SPDX-License-Identifier: GPL-2.0
/*
 * Which queue a worker serves next. worker.c has what queues owe.
 */
#include "exec.h"
#include "tenant.h"

/* Most queues that are passed over when the next one is chosen. */
#define WSQ_PASS_MOST		16

/*
 * The next ready queue of [@first, @end) that is not in debt; if all are, the
 * one with the least debt. Each queue that is passed over pays off a time
 * slice. Preemption is off.
 */
static u32 wsq_pick_in(struct wsq_cpu *c, u32 from, u32 first, u32 end)
{
	u32 passed = WSQ_MAX_QUEUES, least = WSQ_MAX_QUEUES;
	u32 id = wsq_ready_in(c, from, end), least_ns = U32_MAX;
	unsigned int most = WSQ_PASS_MOST;

	for (;;) {
		struct wsq_lane *lane;
		struct wsq *q;

		if (id == WSQ_MAX_QUEUES && from > first) {
			from = first;
			id = wsq_ready_in(c, from, end);
		}
		if (id == WSQ_MAX_QUEUES || id == passed || !most--)
			return least;
		q = wsq_queue_at(c, id);
		lane = q ? wsq_lane(q, c->cpu) : NULL;
		if (!lane || likely(!lane->debt_ns))
			return id;
		if (lane->debt_ns < least_ns) {
			least_ns = lane->debt_ns;
			least = id;
		}
		/* Only this CPU's workers write it, with preemption off. */
		lane->debt_ns -= min_t(u32, lane->debt_ns, WSQ_SLICE_NS);
		if (passed == WSQ_MAX_QUEUES)
			passed = id;
		from = id + 1;
		id = wsq_ready_in(c, from, end);
	}
}

/* May a tenant's queue be served although others wait? */
static bool wsq_pick_tenants(struct wsq_cpu *c)
{
	if (!c->tenants_debt)
		return true;
	c->tenants_debt -= min_t(u32, c->tenants_debt, WSQ_SLICE_NS);
	return false;
}

/**
 * wsq_pick() - the queue to serve next
 * @c: the CPU
 *
 * Round robin, with one queue of a tenant at the end of each round.
 *
 * Context: the worker, with preemption off.
 * Return: its number; %WSQ_MAX_QUEUES if none has work here.
 */
u32 wsq_pick(struct wsq_cpu *c)
{
	u32 id = wsq_pick_in(c, c->next, 0, WSQ_FIRST_TENANT);
	bool round = id < c->next || id == WSQ_MAX_QUEUES;

	if (unlikely(round) && wsq_ready_any(c) &&
	    (id == WSQ_MAX_QUEUES || wsq_pick_tenants(c))) {
		u32 tenant = wsq_pick_in(c, c->next_tenant, WSQ_FIRST_TENANT,
					 WSQ_MAX_QUEUES);

		if (tenant < WSQ_MAX_QUEUES) {
			c->next_tenant = tenant + 1 < WSQ_MAX_QUEUES ?
					 tenant + 1 : WSQ_FIRST_TENANT;
			WRITE_ONCE(c->next, 0);
			return tenant;
		}
	}
	if (id < WSQ_MAX_QUEUES)
		WRITE_ONCE(c->next, id + 1);
	return id;
}
