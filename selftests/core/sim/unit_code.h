/* SPDX-License-Identifier: GPL-2.0 */
/* Instrumented code for the unit tests. */
#ifndef _WSQ_SIM_UNIT_CODE_H
#define _WSQ_SIM_UNIT_CODE_H

#include <stddef.h>
#include <stdint.h>

struct code_big {
	uint64_t word[24];		/* three lines */
};

extern uint64_t code_global[8];

uint64_t code_load(const uint64_t *p);
void code_store(uint64_t *p, uint64_t val);
uint64_t code_load_acquire(const uint64_t *p);
void code_store_release(uint64_t *p, uint64_t val);
void code_store_seq_cst(uint64_t *p, uint64_t val);
uint64_t code_add(uint64_t *p, uint64_t val);
uint64_t code_cmpxchg(uint64_t *p, uint64_t old, uint64_t val);
void code_clear(void *p, size_t size);
void code_clear_big(struct code_big *p);
void code_copy_big(struct code_big *to, const struct code_big *from);
uint64_t code_sum(const uint64_t *p, size_t n);

#endif /* _WSQ_SIM_UNIT_CODE_H */
