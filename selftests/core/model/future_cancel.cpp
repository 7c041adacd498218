// SPDX-License-Identifier: GPL-2.0
/*
 * Calls, cancelled at any moment: a thread resolves a future, another sends a
 * call that waits for it, a third cancels the call. Either the function is
 * called, or the cancel says that it is not. The call starts in any case, once.
 * Use and limitations: main.h.
 */
#include "future_client.h"

struct future_cancel : rl::test_suite<future_cancel, 3> {
	model_future f;
	model_call call;
	int called;
	int cancelled;

	void before()
	{
		model_future_init(&f);
		model_call_init(&call, 0);
		called = cancelled = 0;
	}

	void start(model_call *c)
	{
		RL_ASSERT(++c->ran == 1);
		RL_ASSERT(f.value($) == 1);
		if (wsq_fu_begin(&c->count))
			called++;
	}

	void thread(unsigned int i)
	{
		auto run = [this](model_call *c) { start(c); };

		if (!i) {
			RL_ASSERT(model_resolve(&f, 1, run));
		} else if (i == 1) {
			model_after(&call, 0, &f);
			model_send(&call, run);
		} else {
			cancelled = wsq_fu_cancel(&call.count);
		}
	}

	void after()
	{
		RL_ASSERT(call.ran == 1);
		RL_ASSERT(called + cancelled == 1);
	}
};

CLIENT_MAIN(future_cancel)
