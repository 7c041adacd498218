// SPDX-License-Identifier: GPL-2.0
/*
 * moodycamel::ConcurrentQueue (package libconcurrentqueue-dev) in the framework
 * of flow.h: one queue for all, a token for each producer and consumer, blocks
 * preallocated.
 */
#include <concurrentqueue/concurrentqueue.h>

#include <memory>
#include <vector>

#include "../flow.h"

namespace {

struct pool {
	moodycamel::ConcurrentQueue<void *> q;
	std::vector<std::unique_ptr<moodycamel::ProducerToken>> in;
	std::vector<std::unique_ptr<moodycamel::ConsumerToken>> out;

	explicit pool(const flow_shape *s) : q(4 * s->bound)
	{
		for (unsigned int i = 0; i < s->producers; i++)
			in.emplace_back(new moodycamel::ProducerToken(q));
		for (unsigned int i = 0; i < s->consumers; i++)
			out.emplace_back(new moodycamel::ConsumerToken(q));
	}
};

using ptok = moodycamel::ProducerToken;
using ctok = moodycamel::ConsumerToken;

inline ptok *mc_producer(pool *q, unsigned int id)
{
	return q->in[id].get();
}

inline ctok *mc_consumer(pool *q, unsigned int id)
{
	return q->out[id].get();
}

inline unsigned int mc_most(pool *)
{
	return 64;
}

inline unsigned int mc_open(pool *, ptok *, unsigned int)
{
	return 64;
}

inline void mc_put(pool *q, ptok *p, void *task)
{
	q->q.enqueue(*p, task);
}

inline void *mc_get(pool *q, ctok *c)
{
	void *task;

	return q->q.try_dequeue(*c, task) ? task : nullptr;
}

inline void *mc_steal(pool *, ctok *, unsigned int)
{
	return nullptr;
}

inline void mc_idle(pool *)
{
}

#define mc_join		mc_idle
#define mc_leave	mc_idle

void *mc_create(const flow_shape *shape)
{
	return new pool(shape);
}

void mc_destroy(void *arg)
{
	delete static_cast<pool *>(arg);
}

FLOW(mc, pool, ptok, ctok)

}

extern "C" {
extern const struct flow_queue flow_queue_moody = {
	"moodycamel tokens", 0, mc_create, mc_destroy, mc_produce, mc_consume,
	mc_both, mc_rest, nullptr,
};
}
