// SPDX-License-Identifier: GPL-2.0
/*
 * Futures, last touch: a thread resolves a future, two others send calls that
 * wait for it. Each call frees itself, with the link through which it waited,
 * and the last one frees the future. Forbidden: any access after that. Use and
 * limitations: main.h.
 */
#include "future_client.h"

struct future_free : rl::test_suite<future_free, 3> {
	/* Constructed and destroyed by the test; Relacy reports late use. */
	union future_memory {
		model_future f;
		future_memory() {}
		~future_memory() {}
	};
	union call_memory {
		model_call c;
		call_memory() {}
		~call_memory() {}
	};

	future_memory f;
	call_memory call[2];
	atomic64_t left;
	int ran;

	void before()
	{
		int i;

		new (&f.f) model_future;
		model_future_init(&f.f);
		for (i = 0; i < 2; i++) {
			new (&call[i].c) model_call;
			model_call_init(&call[i].c, i);
		}
		atomic64_set(&left, 2);
		ran = 0;
	}

	void start(model_call *c)
	{
		ran++;
		RL_ASSERT(c->sent($) == 1);
		RL_ASSERT(f.f.value($) == 1);
		c->~model_call();
		if (atomic64_fetch_add(-1, &left) == 1)
			f.f.~model_future();
	}

	void thread(unsigned int i)
	{
		auto run = [this](model_call *c) { start(c); };

		if (!i) {
			RL_ASSERT(model_resolve(&f.f, 1, run));
			return;
		}
		model_after(&call[i - 1].c, 0, &f.f);
		model_send(&call[i - 1].c, run);
	}

	void after()
	{
		RL_ASSERT(ran == 2);
	}
};

CLIENT_MAIN(future_free)
