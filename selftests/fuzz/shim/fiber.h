/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fibers: the kernel's parallel contexts, in one thread.
 *
 * A process's threads, workers, kthreads are fibers. One runs until it sleeps,
 * spins or reaches a point: a lock, a read-modify-write, a full barrier, an
 * acquire or a release. There a seeded random number decides whether another
 * fiber continues. Each fiber has its own CPU, so a real machine can show any
 * such order.
 *
 * A lost wake-up is found: shim_run() returns when all fibers that are left
 * wait, and the harness decides whether that is right. It fails when fibers do
 * nothing but spin, and when an input takes more steps than any input needs.
 *
 * A narrow race need not depend on the seed: shim_catch() stops the next fiber
 * that reaches a point of one kind until no other fiber can run.
 */
#ifndef _WSQ_FUZZ_FIBER_H
#define _WSQ_FUZZ_FIBER_H

#define SHIM_FIBERS	15
#define SHIM_STACK	(256 << 10)

struct cred;

/**
 * struct task_struct - a fiber
 * @sp: its stack pointer while another fiber runs
 * @stack: its stack; unknown for the first fiber, which has the program's
 * @fake: the address sanitizer's
 * @cpu: its own
 * @pid: its number
 * @live: has been started and has not ended
 * @refs: of get_task_struct(): no other fiber takes its place
 * @parked: has not been woken for the first time
 * @state: TASK_*; other than running, it sleeps once it calls schedule()
 * @asleep: it sleeps
 * @caught: shim_catch() holds it
 * @until: when it wakes by itself
 * @signal: a signal is pending
 * @killed: the signal is fatal
 * @atomic: nesting depth of sections that forbid sleeping
 * @should_stop: of a kthread
 * @data: likewise
 * @cred: its credentials
 * @personality: no bit is set
 * @nvcsw: voluntary switches
 * @nivcsw: involuntary switches
 * @se: the scheduler's clocks, which stand still
 * @timer_slack_ns: unused
 * @fn: its function
 * @arg: argument of @fn
 */
struct task_struct {
	void *sp;
	char *stack;
	void *fake;
	unsigned int cpu;
	int pid;
	bool live;
	unsigned int refs;
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
	unsigned int personality;
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

/* Begins an input: a seed, and at how many of 256 points to switch fibers. */
void shim_begin(u64 seed, unsigned int rate);
/* Checks that everything has been freed. */
void shim_end(void);
u64 shim_random(void);
/* True @n of 256 times. */
bool shim_chance(unsigned int n);

struct task_struct *shim_spawn(int (*fn)(void *arg), void *arg);
/* Runs fibers until all that are left sleep without a timeout. */
void shim_run(void);
/* Points where a fiber can be caught; the corpus has their numbers. */
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
 * Stops the next fiber that reaches such a point. With @wait, returns when a
 * fiber was caught, or none has been for a while.
 */
void shim_catch(enum shim_at at, bool wait);
/* A process begins its next action, unless another waits in shim_catch(). */
void shim_action(void);
void shim_relax(void);
/* A spinning fiber has made progress. */
void shim_progress(void);
void shim_sleep_until(u64 until);
void shim_wake(struct task_struct *t);

#endif /* _WSQ_FUZZ_FIBER_H */
