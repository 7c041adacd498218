/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of ringbench: tasks, their data, and engines, which do a
 * batch of tasks. See main.c.
 */
#ifndef RINGBENCH_H
#define RINGBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define MAX_BATCH	512

#define CRC_LEN		4096U
#define SHA_LEN		65536U
#define DIGEST_LEN	32U

/* Input of all engines: small enough to stay in a near cache. */
#define INPUT_LEN	(8 * SHA_LEN)

enum task {
	TASK_NOP,
	TASK_CRC32C,
	TASK_SHA256,
	NR_TASKS
};

/**
 * struct engine - a way to get tasks done
 * @name: the case, as it is printed
 * @tasks: bit for each enum task that it can do
 * @polls: a thread of its own polls for tasks, and goes on for IDLE_MS; it
 *	stays on poller_cpu, unless that is negative
 * @futures: its ring has futures, which its tasks do not use
 * @open: creates the state of a thread, called by that thread; NULL if the
 *	engine is not available, with the reason in *@why
 * @batch: does @nr tasks of one kind and checks the results
 *
 * The state that @open created lives as long as the process.
 */
struct engine {
	const char *name;
	unsigned int tasks;
	bool polls;
	bool futures;
	void *(*open)(const struct engine *engine, const char **why);
	void (*batch)(void *state, enum task task, unsigned int nr);
};

#define IDLE_MS		1

/* An idle poller sleeps by now: io_uring counts in jiffies, up to 10 ms. */
#define REST_MS		30

/* For the thread that is opening engines. */
extern __thread int poller_cpu;

extern const struct engine wsq_engine;
extern const struct engine wsq_poll_engine;
extern const struct engine wsq_futures_engine;
extern const struct engine uring_engine;
extern const struct engine uring_poll_engine;
extern const struct engine uring_async_engine;
extern const struct engine alg_crc_engine;
extern const struct engine alg_sha_engine;
extern const struct engine self_engine;
extern const struct engine self_plain_engine;

/* System calls that do nothing, for main.c to time; @state is the engine's. */
void wsq_empty_call(void *state);
void uring_empty_call(void *state);

/* System calls that this thread has made for its tasks. */
extern __thread uint64_t calls;

extern uint8_t input[INPUT_LEN];

/* Input of task @i of a batch, and the expected result (self.c). */
static inline size_t input_off(enum task task, unsigned int i)
{
	size_t len = task == TASK_CRC32C ? CRC_LEN : SHA_LEN;

	return i % (INPUT_LEN / len) * len;
}

void self_init(void);
void check_crc(const char *who, unsigned int i, int64_t crc);
void check_digest(const char *who, unsigned int i, const void *digest);

void stay(pid_t thread, int cpu);

__attribute__((noreturn)) void die(const char *what, int err);

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

/* Looks at a completion ring before a waiter goes to sleep: some 0.3 ms. */
#define SPINS		20000U

#endif /* RINGBENCH_H */
