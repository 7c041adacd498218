// SPDX-License-Identifier: GPL-2.0
/* What runs items, as far as it is not charged: wsq's queue, and help for lists. */
#include "../../../../../kmod/exec/lane.h"
#include "../../../../../kmod/pool/victim.h"
#include "lists.h"

struct wsq *scene_queue;

static void wsq_run_item(struct wsq_work *work)
{
	scene_run(container_of(work, struct item, work));
}

static void wsq_peer_start(void)
{
	const struct wsq_attrs attrs = {
		.engine = options.engine,
		.flags = WSQ_RESIDENT,
	};

	scene_queue = wsq_create(&attrs, "scene");
	if (IS_ERR(scene_queue))
		sim_fail("wsq_create(): %ld", PTR_ERR(scene_queue));
}

/* An item is initialized when it is first queued. */
static void wsq_prepare(struct item *it)
{
	if (!it->work.func)
		INIT_WSQ_WORK(&it->work, wsq_run_item);
}

static void wsq_peer_queue(struct item *it)
{
	wsq_prepare(it);
	if (!wsq_queue_work(scene_queue, &it->work))
		sim_fail("wsq_queue_work() refused");
}

static void wsq_peer_queue_on(unsigned int cpu, struct item *it)
{
	wsq_prepare(it);
	if (!wsq_queue_work_on(cpu, scene_queue, &it->work))
		sim_fail("wsq_queue_work_on() refused");
}

static void wsq_peer_flush(void)
{
	wsq_flush(scene_queue);
}

const struct peer wsq_peer = {
	.start = wsq_peer_start,
	.queue = wsq_peer_queue,
	.queue_on = wsq_peer_queue_on,
	.flush = wsq_peer_flush,
};

/*
 * Looks of thieves: at a victim that the policy accepted, or at each in turn
 * when a thief asks all. Counted by the linker's --wrap, because the module
 * does not count them.
 */
u64 scene_looks;

bool __real_wsq_search_accept(struct wsq_search *s, const struct wsq_container *ct);
bool __wrap_wsq_search_accept(struct wsq_search *s, const struct wsq_container *ct);
bool __wrap_wsq_search_accept(struct wsq_search *s, const struct wsq_container *ct)
{
	bool ret = __real_wsq_search_accept(s, ct);

	/* If it is not the sampled block, the next function counts. */
	scene_looks += ret && (wsq_search_sampled(s) || scene_pool);
	return ret;
}

int __real_wsq_lane_steal(struct wsq_lane *lane, struct wsq_lane *me, void **tasks,
			  unsigned int max, bool steal_active, bool bound);
int __wrap_wsq_lane_steal(struct wsq_lane *lane, struct wsq_lane *me, void **tasks,
			  unsigned int max, bool steal_active, bool bound);
int __wrap_wsq_lane_steal(struct wsq_lane *lane, struct wsq_lane *me, void **tasks,
			  unsigned int max, bool steal_active, bool bound)
{
	scene_looks++;
	return __real_wsq_lane_steal(lane, me, tasks, max, steal_active, bound);
}

struct list_worker *list_idle_worker(const struct list_head *idle)
{
	struct list_worker *w;

	list_for_each_entry(w, idle, idle) {
		const struct sim_fiber *f = sim_running(w->cpu);

		if (!f || f == w->task->fiber)
			return w;
	}
	return list_first_entry_or_null(idle, struct list_worker, idle);
}
