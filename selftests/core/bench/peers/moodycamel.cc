// SPDX-License-Identifier: GPL-2.0
/*
 * moodycamel::ConcurrentQueue (package libconcurrentqueue-dev), with a token
 * for the producer and one for each consumer, blocks preallocated. It is never
 * full: the loop counts to the capacity.
 */
#include <concurrentqueue/concurrentqueue.h>

#include "../owner.h"

namespace {

constexpr unsigned int capacity = 8192;

struct moody {
	moodycamel::ConcurrentQueue<void *> q;
	moodycamel::ProducerToken in;
	moodycamel::ConsumerToken out;
	moodycamel::ConsumerToken thief;

	moody() : q(2 * capacity), in(q), out(q), thief(q) {}
};

inline bool moody_put(moody *m, void *task)
{
	return m->q.enqueue(m->in, task);
}

inline void *moody_get(moody *m)
{
	void *task;

	return m->q.try_dequeue(m->out, task) ? task : nullptr;
}

inline unsigned int moody_put_many(moody *m, void **tasks, unsigned int nr)
{
	return m->q.enqueue_bulk(m->in, tasks, nr) ? nr : 0;
}

inline unsigned int moody_get_many(moody *m, void **tasks, unsigned int nr)
{
	return m->q.try_dequeue_bulk(m->out, tasks, nr);
}

unsigned int moody_steal(void *arg)
{
	moody *m = static_cast<moody *>(arg);
	void *task;

	return m->q.try_dequeue(m->thief, task);
}

void *moody_create(const struct bench_queue *)
{
	return new moody;
}

void moody_destroy(void *arg)
{
	delete static_cast<moody *>(arg);
}

BENCH_OWNER_UNBOUNDED(moody, moody, moody_put, moody_get, capacity)
BENCH_BESIDE_THIEF(moody, moody, moody_put, moody_get, capacity)
BENCH_OWNER_MANY(moody, moody, moody_put_many, moody_get_many, capacity)

}

extern "C" {
extern const struct bench_queue bench_moody = {
	"moodycamel tokens", capacity,
	moody_create, moody_destroy, moody_call_put, moody_call_get,
	moody_pass, moody_pass_many, moody_beside_thief, moody_steal, 1, false,
};
}
