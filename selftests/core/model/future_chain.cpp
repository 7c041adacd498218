// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that wait for calls: a thread resolves a future, another sends a call
 * that waits for it, a third sends a call that waits for the first call's
 * future, once it may. The second starts after the first has ended, and sees its
 * value. Use and limitations: main.h.
 */
#include "future_client.h"

struct future_chain : rl::test_suite<future_chain, 3> {
	model_future f;
	model_call call[2];
	bool gave_up;

	void before()
	{
		model_future_init(&f);
		model_call_init(&call[0], 0);
		model_call_init(&call[1], 1);
		gave_up = false;
	}

	void start(model_call *c)
	{
		RL_ASSERT(++c->ran == 1);
		if (c->nr) {
			RL_ASSERT(call[0].future.value($) == 2);
			return;
		}
		RL_ASSERT(f.value($) == 1);
		c->future.value($) = 2;
		model_close(&c->future, [this](model_call *next) { start(next); });
	}

	void thread(unsigned int i)
	{
		auto run = [this](model_call *c) { start(c); };
		int looks = 4;

		if (!i) {
			RL_ASSERT(model_resolve(&f, 1, run));
		} else if (i == 1) {
			model_after(&call[0], 0, &f);
			model_send(&call[0], run);
		} else {
			while (wsq_fu_unsent(&call[0].future.word) && --looks)
				;
			gave_up = !looks;
			if (gave_up)
				return;
			model_after(&call[1], 0, &call[0].future);
			model_send(&call[1], run);
		}
	}

	void after()
	{
		RL_ASSERT(call[0].ran == 1);
		RL_ASSERT(call[1].ran == !gave_up);
		RL_ASSERT(wsq_fu_resolved(&call[0].future.word));
	}
};

CLIENT_MAIN(future_chain)
