/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queues that the native benchmark knows, in the order in which it takes
 * them. Weak references: a peer whose package is missing is not linked and
 * reads as NULL here. Included by main.c only.
 */
#ifndef _WSQ_BENCH_CASES_H
#define _WSQ_BENCH_CASES_H

#define BENCH_MAX_RUNS	192

#define BENCH_DECLARE(id)	\
	extern const struct bench_queue bench_##id __attribute__((weak))

BENCH_DECLARE(seq_8k);
BENCH_DECLARE(seq_const_8k);
BENCH_DECLARE(seq_4k);
BENCH_DECLARE(seq_const_4k);
BENCH_DECLARE(bwos_8x1024);
BENCH_DECLARE(bwos_8x1024_half);
BENCH_DECLARE(bwos_8x1024_blk);
BENCH_DECLARE(bwos_64x128);
BENCH_DECLARE(bwos_64x128_half);
BENCH_DECLARE(bwos_64x128_blk);
BENCH_DECLARE(bwos_64x64);
BENCH_DECLARE(bwos_64x64_half);
BENCH_DECLARE(bwos_64x64_blk);
BENCH_DECLARE(seq_stack_8k);
BENCH_DECLARE(seq_stack_4k);
BENCH_DECLARE(lifo_8x1024);
BENCH_DECLARE(lifo_8x1024_half);
BENCH_DECLARE(lifo_8x1024_blk);
BENCH_DECLARE(lifo_64x128);
BENCH_DECLARE(lifo_64x128_half);
BENCH_DECLARE(lifo_64x128_blk);
BENCH_DECLARE(lifo_64x64);
BENCH_DECLARE(lifo_64x64_half);
BENCH_DECLARE(lifo_64x64_blk);
BENCH_DECLARE(salsa_8x1024);
BENCH_DECLARE(salsa_4x2048);
BENCH_DECLARE(salsa_8x1024_claims);
BENCH_DECLARE(salsa_8x1024_alone);
BENCH_DECLARE(salsa_8x1024_fence);
BENCH_DECLARE(salsa_8x1024_rebind);
BENCH_DECLARE(chase_lev);
BENCH_DECLARE(ck_spsc);
BENCH_DECLARE(ck_spmc);
BENCH_DECLARE(rte_spsc);
BENCH_DECLARE(rte_spmc);
BENCH_DECLARE(moody);
BENCH_DECLARE(xb_fifo);
BENCH_DECLARE(xb_lifo);
BENCH_DECLARE(tbb);

#define BENCH_END	((const struct bench_queue *)-1)

static const struct {
	const struct bench_queue *queue;
	bool plain;			/* also measured without a thief */
} bench_queues[] = {
	{ &bench_seq_8k, true },
	{ &bench_seq_const_8k, true },
	{ &bench_bwos_8x1024, true },
	{ &bench_bwos_64x128, true },
	{ &bench_seq_stack_8k, true },
	{ &bench_lifo_8x1024, true },
	{ &bench_lifo_64x128, true },
	{ &bench_salsa_8x1024, true },
	{ &bench_salsa_4x2048, true },
	{ &bench_salsa_8x1024_claims, true },
	{ &bench_seq_4k, true },
	{ &bench_seq_const_4k, true },
	{ &bench_bwos_64x64, true },
	{ &bench_seq_stack_4k, true },
	{ &bench_lifo_64x64, true },
	{ &bench_chase_lev, true },
	{ &bench_ck_spsc, true },
	{ &bench_ck_spmc, true },
	{ &bench_rte_spsc, true },
	{ &bench_rte_spmc, true },
	{ &bench_moody, true },
	{ &bench_xb_fifo, true },
	{ &bench_xb_lifo, true },
	{ &bench_tbb, true },
	/* The same as above, but for what a thief takes at a time. */
	{ &bench_bwos_8x1024_half, false },
	{ &bench_bwos_8x1024_blk, false },
	{ &bench_bwos_64x128_half, false },
	{ &bench_bwos_64x128_blk, false },
	{ &bench_bwos_64x64_half, false },
	{ &bench_bwos_64x64_blk, false },
	{ &bench_lifo_8x1024_half, false },
	{ &bench_lifo_8x1024_blk, false },
	{ &bench_lifo_64x128_half, false },
	{ &bench_lifo_64x128_blk, false },
	{ &bench_lifo_64x64_half, false },
	{ &bench_lifo_64x64_blk, false },
	{ &bench_salsa_8x1024_fence, false },
	{ &bench_salsa_8x1024_rebind, false },
	{ BENCH_END, false },
};

#endif /* _WSQ_BENCH_CASES_H */
