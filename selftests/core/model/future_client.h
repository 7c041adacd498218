/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the clients for futures: a future with a value, and calls, used as
 * kmod/call/call.c uses them, with a function of the client's in the place of an
 * item that runs. Use and limitations: main.h.
 */
#ifndef _WSQ_MODEL_FUTURE_CLIENT_H
#define _WSQ_MODEL_FUTURE_CLIENT_H

#include "main.h"

#include "future.h"
#include "inbox.h"

struct model_call;

struct model_dep {
	atomic64_t link;
	rl::var<model_call *> call;
};

/* Relacy reports a race between the value's accesses. */
struct model_future {
	atomic64_t word;
	rl::var<int> value;
};

struct model_call {
	model_future future;
	atomic64_t count;
	rl::var<int> sent;
	model_dep dep[2];
	u32 given;
	int nr;
	int ran;
};

static inline void model_future_init(model_future *f)
{
	wsq_fu_init(&f->word, false);
	f->value($) = 0;
}

static inline void model_call_init(model_call *c, int nr)
{
	wsq_fu_init(&c->future.word, true);
	wsq_fu_count_init(&c->count);
	c->given = 0;
	c->nr = nr;
	c->ran = 0;
}

/* As wsq_future_close(). @start(call) as wsq_call_start(). */
template <typename S>
static inline void model_close(model_future *f, S start)
{
	struct wsq_backlog bl;
	atomic64_t *link;

	wsq_backlog_init(&bl);
	wsq_backlog_fill(&bl, wsq_fu_close(&f->word));
	while (!wsq_backlog_reverse(&bl, 1))
		;
	while ((link = wsq_backlog_pop(&bl))) {
		model_call *c = ((model_dep *)link)->call($).load();

		if (wsq_fu_arrive(&c->count))
			start(c);
	}
}

/* As wsq_future_resolve(). */
template <typename S>
static inline bool model_resolve(model_future *f, int value, S start)
{
	if (!wsq_fu_claim(&f->word))
		return false;
	f->value($) = value;
	model_close(f, start);
	return true;
}

/* As wsq_call_after(). */
static inline void model_after(model_call *c, int i, model_future *f)
{
	int ret;

	c->dep[i].call($) = c;
	do {
		ret = wsq_fu_try_add(&f->word, &c->dep[i].link);
	} while (ret == WSQ_CONFLICT);
	RL_ASSERT(ret == WSQ_OK || ret == WSQ_DONE);
	if (ret == WSQ_OK)
		c->given++;
	else
		RL_ASSERT(f->value($) != 0);
}

/* As wsq_call_send(). */
template <typename S>
static inline void model_send(model_call *c, S start)
{
	u32 given = c->given;

	c->sent($) = 1;
	wsq_fu_publish(&c->future.word);
	if (wsq_fu_send(&c->count, given))
		start(c);
}

#endif /* _WSQ_MODEL_FUTURE_CLIENT_H */
