/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SALSA pools for measuring: memory, parties, and a producer that handles a
 * full chunk. For salsa.c, flow_salsa.c.
 *
 * Either all parties are on one node, or each consumer is on its own; then a
 * chunk goes back to the consumer that it was allocated for, whichever consumer
 * finished it.
 */
#ifndef _WSQ_BENCH_SALSA_MEM_H
#define _WSQ_BENCH_SALSA_MEM_H

#include "bench.h"
#include "salsa.h"
#include "grace.h"

#ifndef BENCH_PARTIES
#define BENCH_PARTIES	64
#endif

/**
 * struct bench_salsa_shape - parameters of a pool
 * @consumers: number of consumers
 * @producers: number of producers
 * @chunk_size: tasks in a chunk
 * @chunks: chunks that each consumer begins with
 * @chunks_first: chunks that consumer 0 begins with, while the others have
 *	none; or 0
 * @claims: tasks are claimed
 * @nodes: each consumer is on its own node
 * @consumer: memory for consumer 0, or %NULL
 * @producer: memory for producer 0, or %NULL
 */
struct bench_salsa_shape {
	u32 consumers;
	u32 producers;
	u32 chunk_size;
	u32 chunks;
	u32 chunks_first;
	bool claims;
	bool nodes;
	struct wsq_salsa_consumer *consumer;
	struct wsq_salsa_producer *producer;
};

struct bench_salsa {
	struct wsq_salsa s;
	struct bench_salsa_shape shape;
	struct wsq_salsa_consumer *consumer[BENCH_PARTIES];
	struct wsq_salsa_producer *producer[BENCH_PARTIES];
	atomic64_t consumers[BENCH_PARTIES];
	atomic64_t producers[BENCH_PARTIES];
	u64 all[(BENCH_PARTIES + 63) / 64];
	void *mem[8 * BENCH_PARTIES];
	u32 nr_mem;
};

struct bench_salsa *bench_salsa_create(const struct bench_salsa_shape *shape);
void bench_salsa_destroy(struct bench_salsa *b);

#endif /* _WSQ_BENCH_SALSA_MEM_H */
