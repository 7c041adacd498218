// SPDX-License-Identifier: GPL-2.0
/*
 * The fast paths as separate functions, to be disassembled by count.
 *
 * Compiled under shim/native, whose accessors have the orders of the kernel's
 * and give the same instructions (shim/wsq_user.h has the reasons): relaxed is
 * a plain load or store as READ_ONCE and WRITE_ONCE, the release store is stlr
 * on arm64 and mov on x86, the local accesses are as in the kernel. So the
 * counts hold for the module.
 */
#include "bwos_fifo.h"
#include "bwos_lifo.h"
#include "fj.h"
#include "salsa.h"
#include "ws_mult.h"

int mult_put(struct wsq_ws_mult *q, void *task);
void *mult_get(struct wsq_ws_mult *q);
int mult_steal(struct wsq_ws_mult *q, atomic64_t *max, void **task);
int fast_put(struct wsq_bwos_fifo *q, void *task);
void *fast_get(struct wsq_bwos_fifo *q);
int claimed_put(struct wsq_bwos_fifo *q, void *task);
void *claimed_get(struct wsq_bwos_fifo *q);
int lifo_put(struct wsq_bwos_lifo *q, void *task);
void *lifo_get(struct wsq_bwos_lifo *q);
int lifo_claimed_put(struct wsq_bwos_lifo *q, void *task);
void *lifo_claim(struct wsq_bwos_lifo *q);
u32 lifo_kept(const struct wsq_bwos_lifo *q)
{
	return wsq_bwos_lifo_kept(q);
}

int salsa_put(struct wsq_salsa_producer *p, void *task);
void *salsa_get(struct wsq_salsa_consumer *c);
void *salsa_claim(struct wsq_salsa_consumer *c);
u32 salsa_put_many(struct wsq_salsa_producer *p, void *const *tasks, u32 nr);
u32 salsa_get_many(struct wsq_salsa_consumer *c, void **tasks, u32 nr);
void fj_spawn(struct wsq_fj_ctx *w, u64 arg);
unsigned long fj_sync(struct wsq_fj_ctx *w);
bool fj_call(const struct wsq_fj_ctx *w);
int fj_steal(struct wsq_fj_deque *dq, struct wsq_fj_deque *self,
	     struct wsq_fj_task **task);
void fj_run(struct wsq_fj_deque *dq, struct wsq_fj_task *head,
	    struct wsq_fj_task *task);

int mult_put(struct wsq_ws_mult *q, void *task)
{
	return wsq_ws_mult_put(q, task);
}

void *mult_get(struct wsq_ws_mult *q)
{
	return wsq_ws_mult_get(q, WSQ_MULT_WEAK);
}

int mult_steal(struct wsq_ws_mult *q, atomic64_t *max, void **task)
{
	return wsq_ws_mult_steal(q, WSQ_MULT_WEAK, max, task);
}

int fast_put(struct wsq_bwos_fifo *q, void *task)
{
	return wsq_bwos_fifo_put(q, task);
}

void *fast_get(struct wsq_bwos_fifo *q)
{
	return wsq_bwos_fifo_get(q);
}

int claimed_put(struct wsq_bwos_fifo *q, void *task)
{
	struct wsq_bwos_space space;
	int ret = wsq_bwos_fifo_reserve(q, &space);

	if (ret < 0)
		return ret;
	wsq_bwos_fifo_fill(q, &space, 0, task);
	wsq_bwos_fifo_commit(q, &space, 1);
	return ret;
}

void *claimed_get(struct wsq_bwos_fifo *q)
{
	return wsq_bwos_fifo_claim(q);
}

int lifo_put(struct wsq_bwos_lifo *q, void *task)
{
	return wsq_bwos_lifo_put(q, task);
}

void *lifo_get(struct wsq_bwos_lifo *q)
{
	return wsq_bwos_lifo_get(q);
}

int lifo_claimed_put(struct wsq_bwos_lifo *q, void *task)
{
	struct wsq_bwos_space space;
	int ret = wsq_bwos_lifo_reserve(q, &space);

	if (ret < 0)
		return ret;
	wsq_bwos_lifo_fill(q, &space, 0, task);
	wsq_bwos_lifo_commit(q, &space, 1);
	return ret;
}

void *lifo_claim(struct wsq_bwos_lifo *q)
{
	return wsq_bwos_lifo_claim(q);
}

int salsa_put(struct wsq_salsa_producer *p, void *task)
{
	return wsq_salsa_put(p, task);
}

void *salsa_get(struct wsq_salsa_consumer *c)
{
	return wsq_salsa_get(c);
}

void *salsa_claim(struct wsq_salsa_consumer *c)
{
	return wsq_salsa_claim(c);
}

u32 salsa_put_many(struct wsq_salsa_producer *p, void *const *tasks, u32 nr)
{
	return wsq_salsa_put_many(p, tasks, nr);
}

u32 salsa_get_many(struct wsq_salsa_consumer *c, void **tasks, u32 nr)
{
	return wsq_salsa_get_many(c, tasks, nr);
}

/* As the macros of <linux/wsq_fj.h>. */
void fj_spawn(struct wsq_fj_ctx *w, u64 arg)
{
	w->head->run = fj_run;
	w->head->data[0] = arg;
	wsq_fj_push(w);
}

unsigned long fj_sync(struct wsq_fj_ctx *w)
{
	return wsq_fj_pop(w);
}

bool fj_call(const struct wsq_fj_ctx *w)
{
	return wsq_fj_callable(w);
}

int fj_steal(struct wsq_fj_deque *dq, struct wsq_fj_deque *self,
	     struct wsq_fj_task **task)
{
	return wsq_fj_steal(dq, self, false, task);
}
