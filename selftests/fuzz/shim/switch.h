/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switches from one stack to another, for fibers: those of the fuzzer (fiber.c
 * here) and those of the simulator (selftests/core/sim/fiber.c).
 *
 * Limitations: x86-64. Keeps the registers that the calling convention
 * preserves; assumes that the floating-point control words never change.
 */
#ifndef _WSQ_FUZZ_SWITCH_H
#define _WSQ_FUZZ_SWITCH_H

#include <stddef.h>

/* Saves the stack pointer in *@save and continues where @to was saved. */
void shim_switch(void **save, void *to);

/* Goes into one file of each program. */
#define SHIM_SWITCH_DEFINE						\
__asm__(".text\n"							\
	".globl shim_switch\n"						\
	".type shim_switch,@function\n"					\
	"shim_switch:\n"						\
	"	pushq %rbp\n"						\
	"	pushq %rbx\n"						\
	"	pushq %r12\n"						\
	"	pushq %r13\n"						\
	"	pushq %r14\n"						\
	"	pushq %r15\n"						\
	"	movq %rsp, (%rdi)\n"					\
	"	movq %rsi, %rsp\n"					\
	"	popq %r15\n"						\
	"	popq %r14\n"						\
	"	popq %r13\n"						\
	"	popq %r12\n"						\
	"	popq %rbx\n"						\
	"	popq %rbp\n"						\
	"	ret\n"							\
	".size shim_switch, . - shim_switch\n")

/* A stack pointer for @enter, which must not return, on an empty stack. */
static inline void *shim_switch_begin(char *stack, size_t size, void (*enter)(void))
{
	void **top = (void **)(stack + size);

	top[-2] = (void *)enter;
	return &top[-8];
}

#endif /* _WSQ_FUZZ_SWITCH_H */
