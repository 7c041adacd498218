// SPDX-License-Identifier: GPL-2.0
/*
 * The fast paths as functions of their own, to be disassembled by count.
 *
 * Compiled under shim/native, whose accessors have the orders of the kernel's
 * and give the same instructions (shim/wsq_user.h says for each why): relaxed
 * is a plain load or store as READ_ONCE and WRITE_ONCE, the release store is
 * stlr on arm64 and mov on x86, the local accesses are the kernel's words. So
 * what is counted here holds for the module.
 */
#include "bwos_fifo.h"
#include "bwos_lifo.h"
#include "salsa.h"

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
	struct wsq_bwos_room room;
	int ret = wsq_bwos_fifo_reserve(q, &room);

	if (ret < 0)
		return ret;
	wsq_bwos_fifo_fill(q, &room, 0, task);
	wsq_bwos_fifo_commit(q, &room, 1);
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
	struct wsq_bwos_room room;
	int ret = wsq_bwos_lifo_reserve(q, &room);

	if (ret < 0)
		return ret;
	wsq_bwos_lifo_fill(q, &room, 0, task);
	wsq_bwos_lifo_commit(q, &room, 1);
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
