// SPDX-License-Identifier: GPL-2.0
/*
 * Fork-join objects in user space, and the hooks of core/fj_team.h.
 *
 * A helper's thread sleeps on @call until it is called, helps, and sleeps
 * again. A thread that waits for a stolen task sleeps on @woken.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fj_team.h"
#include "native.h"

#define DEF_DEPTH	1024
#define DEF_RESERVE	65536
/* A thread that waits offers its CPU to others so often. */
#define RELAX_YIELD	32

_Static_assert(WSQ_FJ_EOVERFLOW == EOVERFLOW, "");

/* What a helper's thread is to do. */
enum call {
	CALL_NONE,
	CALL_HELP,
	CALL_END,
};

/**
 * struct member - a seat, and the thread that has it
 * @seat: the seat; the first member
 * @thread: the helper's thread; unused for seat 0
 * @taken: the helper is at work, or was called. The thread that starts the
 *	helper sets it, the helper clears it
 * @call: an enum call. The thread that has taken the seat sets it, the helper
 *	clears it
 * @woken: how often the thread was woken
 */
struct member {
	struct wsq_fj_seat seat;
	pthread_t thread;
	u32 taken;
	u32 call;
	u32 woken;
};

/**
 * struct wsq_fj - a fork-join object
 * @team: its seats
 * @busy: a run is under way
 * @stack_reserve: bytes of a stack that no spawn uses
 * @seats: what @team points to
 */
struct wsq_fj {
	struct wsq_fj_team team;
	u32 busy;
	u32 stack_reserve;
	u64 runs;
	struct wsq_fj_seat *seats[];
};

static struct member *member_of(struct wsq_fj_seat *seat)
{
	return (struct member *)seat;
}

static struct wsq_fj *object_of(struct wsq_fj_team *team)
{
	return (struct wsq_fj *)team;
}

/* ---- hooks ---- */

static void futex_wait(u32 *word, u32 value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(u32 *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void wsq_fj_free_seat(struct wsq_fj_seat *seat)
{
	/* Pairs with the acquire in wsq_fj_claim_seat(). */
	__atomic_store_n(&member_of(seat)->taken, 0, __ATOMIC_RELEASE);
}

struct wsq_fj_seat *wsq_fj_claim_seat(struct wsq_fj_team *team)
{
	u32 i;

	for (i = 1; i < team->nr; i++) {
		struct member *m = member_of(team->seats[i]);

		/* Pairs with the release in wsq_fj_free_seat(). */
		if (!__atomic_load_n(&m->taken, __ATOMIC_RELAXED) &&
		    !__atomic_exchange_n(&m->taken, 1, __ATOMIC_ACQUIRE))
			return &m->seat;
	}
	return NULL;
}

/* CPUs that helpers may have: those of the thread that created the last object. */
static cpu_set_t allowed;

/*
 * Have the helper wake up on another CPU than this one. Otherwise Linux often
 * queues it here, behind this thread, for milliseconds.
 */
static void place(struct member *m)
{
	s64 skip = atomic64_read(&m->seat.team->active) - 1;
	int cpu = sched_getcpu(), i;
	cpu_set_t one;

	/* One more for each thread that runs already. */
	for (i = 0; i < CPU_SETSIZE && cpu >= 0 && skip > 0; i++) {
		cpu = (cpu + 1) % CPU_SETSIZE;
		skip -= CPU_ISSET(cpu, &allowed);
	}
	if (cpu < 0 || skip > 0)
		return;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_setaffinity_np(m->thread, sizeof(one), &one);
}

bool wsq_fj_start_helper(struct wsq_fj_seat *seat)
{
	struct member *m = member_of(seat);

	place(m);
	__atomic_store_n(&m->call, CALL_HELP, __ATOMIC_RELEASE);
	futex_wake(&m->call);
	return true;
}

void wsq_fj_sleep(struct wsq_fj_seat *seat, struct wsq_fj_task *task)
{
	struct member *m = member_of(seat);
	struct wsq_fj_deque *thief;

	for (;;) {
		/* Before the look: the thread that ends the task counts afterwards. */
		u32 woken = __atomic_load_n(&m->woken, __ATOMIC_ACQUIRE);

		if (wsq_fj_task_ended(task, &thief))
			return;
		futex_wait(&m->woken, woken);
	}
}

void wsq_fj_wake(struct wsq_fj_seat *seat)
{
	struct member *m = member_of(seat);

	__atomic_fetch_add(&m->woken, 1, __ATOMIC_RELEASE);
	futex_wake(&m->woken);
}

void wsq_fj_pin(void)
{
}

void wsq_fj_unpin(void)
{
}

bool wsq_fj_busy(void)
{
	return false;
}

void wsq_fj_relax(void)
{
	static __thread u32 turns;

#ifdef __x86_64__
	__builtin_ia32_pause();
#else
	barrier();
#endif
	if (++turns % RELAX_YIELD == 0)
		sched_yield();
}

void wsq_fj_resched(bool between)
{
	(void)between;
}

/*
 * The host takes the CPU away at any time. A helper may be missing for long while
 * the head stays between both limits.
 */
void wsq_fj_watch(struct wsq_fj_seat *seat)
{
	(void)seat;
}

u64 wsq_fj_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

/* ---- threads ---- */

/* The lowest address of the caller's stack. */
static u64 end_of_stack(void)
{
	static __thread u64 low;
	pthread_attr_t attr;
	size_t size;
	void *start;

	if (!low) {
		/* Reads a file if the caller is the process's first thread. */
		if (pthread_getattr_np(pthread_self(), &attr))
			abort();
		pthread_attr_getstack(&attr, &start, &size);
		pthread_attr_destroy(&attr);
		low = (u64)(uintptr_t)start;
	}
	return low;
}

static void sit_down(struct wsq_fj *fj, struct wsq_fj_seat *seat)
{
	wsq_fj_sit(seat, end_of_stack() + fj->stack_reserve);
}

/**
 * struct other - a task that runs on another thread's stack
 * @seat: its seat
 * @task: the task
 */
struct other {
	struct wsq_fj_seat *seat;
	struct wsq_fj_task *task;
};

static void *other(void *arg)
{
	struct other *o = arg;

	wsq_fj_run_here(o->seat, o->task, end_of_stack() +
			object_of(o->seat->team)->stack_reserve);
	return NULL;
}

bool wsq_fj_other_stack(struct wsq_fj_seat *seat, struct wsq_fj_task *task)
{
	struct other o = { seat, task };
	pthread_t thread;

	if (pthread_create(&thread, NULL, other, &o))
		return false;
	pthread_join(thread, NULL);
	return true;
}

static void *helper(void *arg)
{
	struct member *m = arg;

	for (;;) {
		u32 call = __atomic_load_n(&m->call, __ATOMIC_ACQUIRE);

		if (call == CALL_END)
			return NULL;
		if (call == CALL_NONE) {
			futex_wait(&m->call, CALL_NONE);
			continue;
		}
		/* No other thread writes it until the seat is free again. */
		__atomic_store_n(&m->call, CALL_NONE, __ATOMIC_RELAXED);
		/* From here on, Linux may move it. */
		pthread_setaffinity_np(pthread_self(), sizeof(allowed), &allowed);
		sit_down(object_of(m->seat.team), &m->seat);
		wsq_fj_help(&m->seat);
		wsq_fj_free_seat(&m->seat);
	}
}

/* ---- objects ---- */

static bool add_seat(struct wsq_fj *fj, u32 id, u32 depth)
{
	size_t size = (sizeof(struct member) + 63) / 64 * 64;
	struct member *m = aligned_alloc(64, size);
	struct wsq_fj_task *tasks;

	tasks = aligned_alloc(64, (depth + 1) * sizeof(*tasks));
	if (!m || !tasks) {
		free(m);
		free(tasks);
		return false;
	}
	memset(m, 0, size);
	memset(tasks, 0, (depth + 1) * sizeof(*tasks));
	m->seat.team = &fj->team;
	m->seat.id = id;
	wsq_fj_init(&m->seat.dq, tasks, depth);
	wsq_fj_rise(&m->seat);
	fj->seats[id] = &m->seat;
	return true;
}

struct wsq_fj *fj_native_create(u32 threads, size_t stack,
				const struct wsq_fj_attrs *attrs)
{
	static const struct wsq_fj_attrs none;
	const struct wsq_fj_attrs *a = attrs ? attrs : &none;
	/* A thread that sleeps keeps its seat. */
	u32 seats = 2 * threads - 1;
	size_t size = sizeof(struct wsq_fj) + seats * sizeof(void *);
	pthread_attr_t attr;
	struct wsq_fj *fj;
	u32 i;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return NULL;
	size = (size + 63) / 64 * 64;
	fj = aligned_alloc(64, size);
	if (!fj)
		return NULL;
	memset(fj, 0, size);
	fj->stack_reserve = a->stack_reserve ? a->stack_reserve : DEF_RESERVE;
	fj->team.seats = fj->seats;
	fj->team.max = threads;
	fj->team.half = a->flags & WSQ_FJ_HALF;
	fj->team.random = a->flags & WSQ_FJ_RANDOM;
	fj->team.stacks = a->flags & WSQ_FJ_STACKS;
	for (i = 0; i < seats; i++) {
		if (!add_seat(fj, i, a->depth ? a->depth : DEF_DEPTH)) {
			while (i--) {
				free(fj->seats[i]->dq.tasks);
				free(fj->seats[i]);
			}
			free(fj);
			return NULL;
		}
	}
	pthread_attr_init(&attr);
	if (stack)
		pthread_attr_setstacksize(&attr, stack);
	for (i = 1; i < seats; i++) {
		struct member *m = member_of(fj->seats[i]);

		if (pthread_create(&m->thread, &attr, helper, m))
			break;
	}
	pthread_attr_destroy(&attr);
	/* Those that were created, and no other, will be joined. */
	fj->team.nr = i;
	if (i < seats) {
		for (; i < seats; i++) {
			free(fj->seats[i]->dq.tasks);
			free(fj->seats[i]);
		}
		wsq_fj_destroy(fj);
		return NULL;
	}
	return fj;
}

void wsq_fj_destroy(struct wsq_fj *fj)
{
	u32 i;

	if (__atomic_load_n(&fj->busy, __ATOMIC_ACQUIRE))
		abort();
	/*
	 * A helper that has not left yet may look at any seat, and move any
	 * thread that it starts (place()): take all seats first.
	 */
	for (i = 1; i < fj->team.nr; i++) {
		struct member *m = member_of(fj->seats[i]);

		/* Pairs with the release in wsq_fj_free_seat(). */
		while (__atomic_exchange_n(&m->taken, 1, __ATOMIC_ACQUIRE))
			sched_yield();
	}
	for (i = 1; i < fj->team.nr; i++) {
		struct member *m = member_of(fj->seats[i]);

		__atomic_store_n(&m->call, CALL_END, __ATOMIC_RELEASE);
		futex_wake(&m->call);
		pthread_join(m->thread, NULL);
	}
	for (i = 0; i < fj->team.nr; i++) {
		free(fj->seats[i]->dq.tasks);
		free(fj->seats[i]);
	}
	free(fj);
}

int wsq_fj_begin(struct wsq_fj *fj, struct wsq_fj_ctx *w)
{
	if (__atomic_exchange_n(&fj->busy, 1, __ATOMIC_ACQUIRE))
		return -EBUSY;
	__atomic_store_n(&fj->runs, fj->runs + 1, __ATOMIC_RELAXED);
	wsq_fj_begin_run(&fj->team);
	sit_down(fj, fj->seats[0]);
	w->deque = &fj->seats[0]->dq;
	w->head = w->deque->tasks;
	return 0;
}

int wsq_fj_end(struct wsq_fj *fj)
{
	int ret;

	wsq_fj_rise(fj->seats[0]);
	wsq_fj_end_run(&fj->team);
	ret = -wsq_fj_stops(&fj->team);
	__atomic_store_n(&fj->busy, 0, __ATOMIC_RELEASE);
	return ret;
}

void wsq_fj_cancel(struct wsq_fj *fj)
{
	if (__atomic_load_n(&fj->busy, __ATOMIC_RELAXED))
		wsq_fj_stop_run(&fj->team, ECANCELED);
}

bool wsq_fj_stopped(struct wsq_fj_ctx w)
{
	return wsq_fj_stops(wsq_fj_seat(w.deque)->team);
}

void wsq_fj_share(struct wsq_fj_ctx w)
{
	wsq_fj_share_all(wsq_fj_seat(w.deque), w.head);
}

void wsq_fj_read_stats(const struct wsq_fj *fj, struct wsq_fj_stats *stats)
{
	u32 i;

	memset(stats, 0, sizeof(*stats));
	stats->runs = __atomic_load_n(&fj->runs, __ATOMIC_RELAXED);
	for (i = 0; i < fj->team.nr; i++) {
		const struct wsq_fj_seat *seat = fj->seats[i];

		stats->steals += (u64)atomic64_read(&seat->steals);
		stats->leaps += (u64)atomic64_read(&seat->leaps);
		stats->requests += (u64)atomic64_read(&seat->dq.requests);
		stats->grows += (u64)atomic64_read(&seat->dq.grows);
		stats->shrinks += (u64)atomic64_read(&seat->dq.shrinks);
		stats->sleeps += (u64)atomic64_read(&seat->sleeps);
		stats->started += (u64)atomic64_read(&seat->started);
	}
}

pthread_t fj_native_thread(const struct wsq_fj *fj, u32 nr)
{
	return member_of(fj->seats[nr])->thread;
}

u32 fj_native_helpers(const struct wsq_fj *fj)
{
	return (u32)atomic64_read(&fj->team.active);
}
