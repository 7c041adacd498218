/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks of a given length that two threads run, each of which counts what it
 * ran. For beside.c.
 */
#ifndef _WSQ_BENCH_MULT_SPIN_TASKS_H
#define _WSQ_BENCH_MULT_SPIN_TASKS_H

#include <wsq_platform.h>

/**
 * struct spin_tasks - what one thread runs, and has run
 * @turns: turns of a loop, which make up a task
 * @x: what the loop calculates: each task depends on the one before, so that a
 *	CPU does not begin it early
 * @ran: how often the thread has run each task, from 1 on
 * @over: the owner has found its queue empty
 */
struct spin_tasks {
	u64 turns;
	u64 x;
	u8 *ran;
	u32 *over;
};

/* Some ns a turn, whatever the compiler does. */
static inline u64 spin_turns(u64 x, u64 turns)
{
	while (turns--) {
		x = x * 6364136223846793005ULL + 1;
		__asm__ __volatile__("" : "+r"(x));
	}
	return x;
}

static inline void spin_tasks_run(struct spin_tasks *t, void *task)
{
	u8 *ran = &t->ran[(u64)(uintptr_t)task];

	*ran += *ran != 255;
	t->x = spin_turns(t->x, t->turns);
}

static inline bool spin_tasks_over(const struct spin_tasks *t)
{
	return __atomic_load_n(t->over, __ATOMIC_ACQUIRE);
}

static inline void spin_relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

#endif /* _WSQ_BENCH_MULT_SPIN_TASKS_H */
