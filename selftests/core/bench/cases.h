/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The queues that the native benchmark knows, in the order of measuring. Weak
 * references: a peer whose package is missing is not linked and is NULL here.
 * Included by main.c only.
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
BENCH_DECLARE(bwos_8x1024_few);
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
BENCH_DECLARE(lifo_8x1024_few);
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
BENCH_DECLARE(mult_weak);
BENCH_DECLARE(mult_exact);
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
	bool asked;			/* measured when named by -o only */
} bench_queues[] = {
	{ &bench_seq_8k, true, false },
	{ &bench_seq_const_8k, true, false },
	{ &bench_bwos_8x1024, true, false },
	{ &bench_bwos_64x128, true, false },
	{ &bench_seq_stack_8k, true, false },
	{ &bench_lifo_8x1024, true, false },
	{ &bench_lifo_64x128, true, false },
	{ &bench_salsa_8x1024, true, false },
	{ &bench_salsa_4x2048, true, false },
	{ &bench_salsa_8x1024_claims, true, false },
	{ &bench_seq_4k, true, false },
	{ &bench_seq_const_4k, true, false },
	{ &bench_bwos_64x64, true, false },
	{ &bench_seq_stack_4k, true, false },
	{ &bench_lifo_64x64, true, false },
	{ &bench_mult_weak, true, false },
	{ &bench_mult_exact, true, false },
	{ &bench_chase_lev, true, false },
	{ &bench_ck_spsc, true, false },
	{ &bench_ck_spmc, true, false },
	{ &bench_rte_spsc, true, false },
	{ &bench_rte_spmc, true, false },
	{ &bench_moody, true, false },
	{ &bench_xb_fifo, true, false },
	{ &bench_xb_lifo, true, false },
	{ &bench_tbb, true, false },
	/* The same as above, except for the tasks stolen at a time. */
	{ &bench_bwos_8x1024_half, false, false },
	{ &bench_bwos_8x1024_blk, false, false },
	{ &bench_bwos_64x128_half, false, false },
	{ &bench_bwos_64x128_blk, false, false },
	{ &bench_bwos_64x64_half, false, false },
	{ &bench_bwos_64x64_blk, false, false },
	{ &bench_lifo_8x1024_half, false, false },
	{ &bench_lifo_8x1024_blk, false, false },
	{ &bench_lifo_64x128_half, false, false },
	{ &bench_lifo_64x128_blk, false, false },
	{ &bench_lifo_64x64_half, false, false },
	{ &bench_lifo_64x64_blk, false, false },
	{ &bench_salsa_8x1024_fence, false, false },
	/* Rebinding waits for time slices. */
	{ &bench_salsa_8x1024_rebind, false, true },
	{ &bench_bwos_8x1024_few, false, true },
	{ &bench_lifo_8x1024_few, false, true },
	{ BENCH_END, false, false },
};

#endif /* _WSQ_BENCH_CASES_H */
