// SPDX-License-Identifier: GPL-2.0
/*
 * Futures, no lost wake-up: two threads resolve a future each, a third sends a
 * call that waits for both, a fourth one that waits for the first. Each call
 * starts once, when both values are there. Its function sees them and what the
 * sender wrote, and may use the links again. Use and limitations: main.h.
 */
#include "future_client.h"

struct future_wait : rl::test_suite<future_wait, 4> {
	model_future f[2];
	model_call call[2];

	void before()
	{
		int i;

		for (i = 0; i < 2; i++) {
			model_future_init(&f[i]);
			model_call_init(&call[i], i);
		}
	}

	void start(model_call *c)
	{
		RL_ASSERT(++c->ran == 1);
		RL_ASSERT(c->sent($) == 1);
		RL_ASSERT(wsq_fu_begin(&c->count));
		RL_ASSERT(f[0].value($) == 1);
		if (!c->nr)
			RL_ASSERT(f[1].value($) == 2);
		/* The function may use the links again. */
		c->dep[0].call($) = nullptr;
		c->dep[1].call($) = nullptr;
	}

	void thread(unsigned int i)
	{
		auto run = [this](model_call *c) { start(c); };

		if (i < 2) {
			RL_ASSERT(model_resolve(&f[i], (int)i + 1, run));
			return;
		}
		i -= 2;
		model_after(&call[i], 0, &f[0]);
		if (!i)
			model_after(&call[i], 1, &f[1]);
		model_send(&call[i], run);
	}

	void after()
	{
		int i;

		for (i = 0; i < 2; i++) {
			RL_ASSERT(wsq_fu_resolved(&f[i].word));
			RL_ASSERT(call[i].ran == 1);
			RL_ASSERT(!wsq_fu_missing(&call[i].count, call[i].given));
		}
	}
};

CLIENT_MAIN(future_wait)
