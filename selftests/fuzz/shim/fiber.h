/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fibers: what the kernel does by many, in one thread.
 *
 * A process' threads, workers, kthreads are fibers. One runs until it sleeps, spins
 * or comes to a point, which are locks, read-modify-writes, full barriers, acquires
 * and releases; there chance, of a seed, lets another one go on. Each has a CPU of
 * its own, so that any order of them is one that a machine can show.
 *
 * A wait for what never comes is found: shim_run() returns when all fibers that are
 * left wait, and the harness says whether that is right. It fails when fibers do
 * nothing but spin, and when an input takes more steps than any input needs.
 *
 * A race whose window is narrow need not be left to the seed: shim_catch() holds the
 * next fiber that comes to a point of one kind until no other fiber may run.
 */
#ifndef _WSQ_FUZZ_FIBER_H
#define _WSQ_FUZZ_FIBER_H

#define SHIM_FIBERS	15
#define SHIM_STACK	(256 << 10)

struct cred;

/**
 * struct task_struct - a fiber
 * @sp: its stack pointer while another one runs
 * @stack: its stack; of the first one, which is the program's, unknown
 * @fake: the address sanitizer's
 * @cpu: its own
 * @pid: its number
 * @live: has been started and has not ended
 * @parked: has not been woken for the first time
 * @state: TASK_*; other than running, it sleeps once it calls schedule()
 * @asleep: it does
 * @caught: shim_catch() holds it
 * @until: when it wakes by itself
 * @signal: a signal is pending
 * @killed: it kills
 * @atomic: how often sleeping was forbidden
 * @should_stop: of a kthread
 * @data: likewise
 * @cred: whose right it acts by
 * @nvcsw: how often it let others run
 * @nivcsw: how often it had to
 * @se: the scheduler's clocks, which stand still
 * @timer_slack_ns: not looked at
 * @fn: what it does
 * @arg: for what
 */
struct task_struct {
	void *sp;
	char *stack;
	void *fake;
	unsigned int cpu;
	int pid;
	bool live;
	bool parked;
	unsigned int state;
	bool asleep;
	bool caught;
	u64 until;
	bool signal;
	bool killed;
	int atomic;
	bool should_stop;
	void *data;
	const struct cred *cred;
	unsigned long nvcsw;
	unsigned long nivcsw;
	struct {
		u64 exec_start;
		u64 sum_exec_runtime;
	} se;
	u64 timer_slack_ns;
	int (*fn)(void *arg);
	void *arg;
};

extern struct task_struct *current;
extern u64 shim_clock;

#define SHIM_FOREVER	(~0ULL)

/* One input: a seed, and at how many of 256 points another fiber goes on. */
void shim_begin(u64 seed, unsigned int rate);
/* What it was given has been given back. */
void shim_end(void);
u64 shim_random(void);
/* At @n of 256 times. */
bool shim_chance(unsigned int n);

struct task_struct *shim_spawn(int (*fn)(void *arg), void *arg);
/* Let fibers run until all that are left sleep, with no end in sight. */
void shim_run(void);
/* The kinds of points at which a fiber can be caught; numbers are in the corpus. */
enum shim_at {
	SHIM_NOWHERE,
	SHIM_AT_XCHG,
	SHIM_AT_CMPXCHG,
	SHIM_AT_ADD,
	SHIM_AT_BARRIER,
	SHIM_AT_LOCK,
	SHIM_AT_UNLOCK,
};

void shim_point(void);
void shim_point_at(enum shim_at at);
/*
 * Hold the next fiber that comes to such a point. With @wait, return when a fiber is
 * held, or none has been for a while.
 */
void shim_catch(enum shim_at at, bool wait);
/* A process begins its next action, unless another waits in shim_catch(). */
void shim_action(void);
void shim_relax(void);
/* Who spins comes nearer to an end. */
void shim_progress(void);
void shim_sleep_until(u64 until);
void shim_wake(struct task_struct *t);

#endif /* _WSQ_FUZZ_FIBER_H */
