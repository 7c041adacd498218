// SPDX-License-Identifier: GPL-2.0
/*
 * oneTBB's concurrent_queue (package libtbb-dev): several producers, several
 * consumers, unbounded; the loop counts to the capacity.
 */
#include <oneapi/tbb/concurrent_queue.h>

#include "../owner.h"

namespace {

constexpr unsigned int capacity = 8192;

using tbb_queue = tbb::concurrent_queue<void *>;

inline bool tbb_put(tbb_queue *q, void *task)
{
	q->push(task);
	return true;
}

inline void *tbb_get(tbb_queue *q)
{
	void *task;

	return q->try_pop(task) ? task : nullptr;
}

unsigned int tbb_steal(void *arg)
{
	void *task;

	return static_cast<tbb_queue *>(arg)->try_pop(task);
}

void *tbb_create(const struct bench_queue *)
{
	return new tbb_queue;
}

void tbb_destroy(void *arg)
{
	delete static_cast<tbb_queue *>(arg);
}

BENCH_OWNER_UNBOUNDED(tbb, tbb_queue, tbb_put, tbb_get, capacity)
BENCH_BESIDE_THIEF(tbb, tbb_queue, tbb_put, tbb_get, capacity)

}

extern "C" {
extern const struct bench_queue bench_tbb = {
	"tbb concurrent_queue", capacity,
	tbb_create, tbb_destroy, tbb_call_put, tbb_call_get,
	tbb_pass, nullptr, tbb_beside_thief, tbb_steal, 1, false,
};
}
