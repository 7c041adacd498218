// SPDX-License-Identifier: GPL-2.0
/*
 * Futures, several resolvers: two threads try to resolve a future, a third sends
 * a call that waits for it, a fourth looks whether it is resolved. One of the
 * two resolves it; its value is what the others see. Use and limitations:
 * main.h.
 */
#include "future_client.h"

struct future_claim : rl::test_suite<future_claim, 4> {
	model_future f;
	model_call call;
	int won[2];

	void before()
	{
		model_future_init(&f);
		model_call_init(&call, 0);
		won[0] = won[1] = 0;
	}

	void start(model_call *c)
	{
		RL_ASSERT(++c->ran == 1);
		RL_ASSERT(f.value($) != 0);
	}

	void thread(unsigned int i)
	{
		auto run = [this](model_call *c) { start(c); };
		int looks;

		if (i < 2) {
			won[i] = model_resolve(&f, (int)i + 1, run);
		} else if (i == 2) {
			model_after(&call, 0, &f);
			model_send(&call, run);
		} else {
			for (looks = 0; looks < 3; looks++)
				if (wsq_fu_resolved(&f.word))
					RL_ASSERT(f.value($) != 0);
		}
	}

	void after()
	{
		RL_ASSERT(won[0] + won[1] == 1);
		RL_ASSERT(f.value($) == (won[0] ? 1 : 2));
		RL_ASSERT(call.ran == 1);
	}
};

CLIENT_MAIN(future_claim)
