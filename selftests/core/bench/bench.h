/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between a queue under measurement and the driver.
 *
 * For main.c and the files that wrap one queue each (blocks.c, peers/). A
 * wrapper defines its put, get and steal as static inline functions over a
 * structure, and owner.h makes the measured loops of them, so that every queue
 * is inlined into the same loop. The driver calls through pointers once per
 * window.
 *
 * Limitations: C and C++ alike, so no designated initialisers and no C11
 * atomics in here.
 */
#ifndef _WSQ_BENCH_H
#define _WSQ_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_BATCH	32	/* tasks in one batched operation */
#define BENCH_NOTIFIED	128	/* tasks stolen between two publications */

/* A compiler barrier: no memory is cached in registers across it. */
#define bench_barrier()		__asm__ __volatile__("" : : : "memory")
/* The same, and @v counts as used. */
#ifndef bench_use
#define bench_use(v)		__asm__ __volatile__("" : : "r"(v) : "memory")
#endif

/* For a loop that waits for another CPU. */
#if defined(__x86_64__) || defined(__i386__)
#define bench_relax()		__builtin_ia32_pause()
#else
#define bench_relax()		bench_barrier()
#endif

/**
 * struct bench_count - what owner and thief did in a window
 * @puts: tasks appended. Owner; published once per pass, for the thief's pace.
 * @gets: tasks taken back by the owner. Owner, at the end.
 * @total: with a thief, how many puts end the loop. Constant during a window.
 * @odds: gets per 1024 steals, where the owner has to hold back for the thief
 *	to reach its share (the paper's "put/get ratio"). Constant.
 * @slack: gets by which the owner may be ahead of that. Constant.
 * @most: puts in a row, even if the thief frees space faster. Constant.
 * @steals: tasks stolen. Thief, every %BENCH_NOTIFIED, and when there is nothing to
 *	steal.
 */
struct bench_count {
	uint64_t puts;
	uint64_t gets;
	uint64_t total;
	uint64_t odds;
	uint64_t slack;
	uint64_t most;
	uint64_t steals __attribute__((aligned(64)));
};

/**
 * struct bench_queue - one queue in one configuration
 * @name: the case as it appears in the results; our own begin with "wsq "
 * @capacity: tasks it holds
 * @create: makes an empty one, or returns NULL
 * @destroy: frees it
 * @put: appends one task; not inlined, for the check that precedes measuring
 * @get: takes one task; not inlined either
 * @pass: the measured loop: @passes times put until full, get until empty
 * @pass_many: the same in batches of %BENCH_BATCH, or NULL
 * @beside_thief: the same loop beside a thief, until @total puts, or NULL
 * @steal: a thief's attempt from another thread; returns how many it took, or
 *	NULL if only one thread may take
 * @grain: most tasks that a thief takes at a time; 0 stands for 1
 * @moves: thieves move the owner off its CPU; such windows are kept
 */
struct bench_queue {
	const char *name;
	unsigned int capacity;
	void *(*create)(const struct bench_queue *self);
	void (*destroy)(void *q);
	bool (*put)(void *q, void *task);
	void *(*get)(void *q);
	void (*pass)(void *q, uint64_t passes, struct bench_count *count);
	void (*pass_many)(void *q, uint64_t passes, struct bench_count *count);
	void (*beside_thief)(void *q, struct bench_count *count);
	unsigned int (*steal)(void *q);
	unsigned int grain;
	bool moves;
};

/*
 * Waits until the thief has published more than @steals, or for some
 * microseconds: steals not yet published may have freed space.
 */
static inline void bench_await_theft(const struct bench_count *count,
				     uint64_t steals)
{
	unsigned int turns = 256;

	while (turns-- &&
	       __atomic_load_n(&count->steals, __ATOMIC_RELAXED) == steals)
		bench_relax();
}

/* Most tasks by which the published number of steals grows at a time. */
static inline unsigned int bench_grain(const struct bench_queue *queue)
{
	return queue->grain > BENCH_NOTIFIED ? queue->grain : BENCH_NOTIFIED;
}

/*
 * Page-aligned memory plus an offset that differs from build to build, so that
 * effects of the data's address average out as those of the code's address do.
 */
void *bench_alloc(size_t size);
void bench_free(void *mem);

#ifdef __cplusplus
}
#endif

#endif /* _WSQ_BENCH_H */
