// SPDX-License-Identifier: GPL-2.0
/*
 * The asymmetric fence (fence.h) under stress, scenario D: an owner takes tasks
 * from a chunk without a barrier, a thief displaces it and takes the rest, and
 * each task must have been taken once at the end.
 *
 *	fence [start=1] [rounds=N] [meet=N] [pause=US] [seed=N] [limit=SECONDS]
 *
 * With start=1 the thief uses the asynchronous form. Exits with status 1 at the
 * first task that is taken twice or not at all. meet=N: ends after so many
 * rounds in which the thief met the owner on its way through the chunk, and
 * with status 77 if they do not meet so often within the limit, which is CPU
 * time and counts for both.
 *
 * For: run-checks, under shim/threads, plain and with each sanitizer, and once
 * more as fence-empty: compiled with -DWSQ_FENCE_EMPTY the heavy fence does
 * nothing, and then tasks must be taken twice.
 *
 * Seen to fail: fence-empty, within 200 rounds with each of ten seeds, and within
 * 2,000 beside twenty other busy threads.
 * Limitations: membarrier interrupts every thread and waits at once. A task can
 * only be taken twice on two cores.
 */
#define _GNU_SOURCE
#include "stress.h"

#include "fence.h"

#define NR_SLOTS	64
#define TAKEN		0

/*
 * Two threads that run in lockstep and must meet in each round: each has its
 * own CPU. Otherwise the scheduler may keep both on one, where they never meet.
 */

/* CPUs of the process. Set by its first thread, before it starts others. */
static cpu_set_t all_cpus;

/* The caller is thread @nr. */
static void pin(u64 nr)
{
	cpu_set_t one;
	u64 cpu;

	nr %= (u64)CPU_COUNT(&all_cpus);
	for (cpu = 0; !CPU_ISSET(cpu, &all_cpus) || nr--; cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* The caller is thread 0. False if the CPUs are unknown. */
static bool pin_first(void)
{
	if (sched_getaffinity(0, sizeof(all_cpus), &all_cpus))
		return false;
	pin(0);
	return true;
}

/* Waits until another thread has come that far, or all is over. */
static void wait_for(const u64 *what, u64 value)
{
	u64 i = 0;

	while (__atomic_load_n(what, __ATOMIC_ACQUIRE) < value && !is_over())
		if (++i % 64 == 0)
			sched_yield();
}

static u64 nr_rounds = 20000, nr_meet, start_opt;

/* The owner word: the owner, and the round. */
enum { OWNER = 1, THIEF = 2 };

static atomic64_t owner WSQ_CACHE_ALIGNED;
static atomic64_t idx WSQ_CACHE_ALIGNED;	/* the owner's */
static atomic64_t slots[NR_SLOTS] WSQ_CACHE_ALIGNED;
static u64 begun WSQ_CACHE_ALIGNED;		/* the thief's, as the next */
static u64 thief_got;
static u64 through WSQ_CACHE_ALIGNED;		/* the owner's, as the next */
static u64 owner_got;

static s64 word(u64 nr, u64 whose)
{
	return (s64)(nr << 2 | whose);
}

/* The next task; false if no task is left for the owner. */
static bool take(s64 mine)
{
	s64 i = atomic64_read(&idx), task;

	if (i == NR_SLOTS)
		return false;
	task = atomic64_read(&slots[i]);
	if (atomic64_read(&owner) != mine)
		return false;
	atomic64_set(&idx, i + 1);
	wsq_fence_light();
	if (atomic64_read(&owner) == mine) {
		atomic64_set(&slots[i], TAKEN);
		owner_got |= 1ULL << i;
		return true;
	}
	if (atomic64_cmpxchg(&slots[i], task, TAKEN) == task)
		owner_got |= 1ULL << i;
	return false;
}

static void *own(void *arg)
{
	bool more;
	u64 nr;

	(void)arg;
	pin(1);
	for (nr = 1; nr <= nr_rounds; nr++) {
		wait_for(&begun, nr);
		if (is_over())
			break;
		owner_got = 0;
		do {
			wsq_fence_begin();
			more = take(word(nr, OWNER));
			wsq_fence_end();
		} while (more);
		__atomic_store_n(&through, nr, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void fence_all(struct wsq_fence_call *call)
{
	static const u64 set[1] = { 2 };

	if (!start_opt) {
		wsq_fence_heavy(set, 1);
		return;
	}
	wsq_fence_start(call, 1);
	while (!wsq_fence_done(call))
		;
}

/* Returns the first index that the owner has not announced. */
static s64 steal(u64 nr, struct wsq_fence_call *call)
{
	s64 before = atomic64_read(&idx), n, i, task;

	atomic64_cmpxchg(&owner, word(nr, OWNER), word(nr, THIEF));
	fence_all(call);
	n = atomic64_read(&idx);
	check(n >= before, "round %llu: the index went back", nr);
	if (n < NR_SLOTS) {
		task = atomic64_read(&slots[n]);
		if (task != TAKEN &&
		    atomic64_cmpxchg(&slots[n], task, TAKEN) == task)
			thief_got |= 1ULL << n;
	}
	for (i = n + 1; i < NR_SLOTS; i++) {
		atomic64_set(&slots[i], TAKEN);
		thief_got |= 1ULL << i;
	}
	return n;
}

static const struct stress_option options[] = {
	{ "start", &start_opt },
	{ "rounds", &nr_rounds },
	{ "meet", &nr_meet },
};

/* Two threads that other load keeps apart prove nothing. */
static void apart(int sig)
{
	static const char text[] = "the two did not meet often enough\n";

	(void)sig;
	if (write(1, text, sizeof(text) - 1))
		_exit(77);
	_exit(77);
}

int main(int argc, char **argv)
{
	struct patients patients = { .nr = 0 };
	u64 nr, met = 0, delay = 0, state, k;
	struct wsq_fence_call call;
	pthread_t thread, night;
	s64 n, i;

	stress_init(argc, argv, STRESS_OPTIONS(options));
	if (!pin_first())
		return 2;
	if (nr_meet) {
		nr_rounds = ~0ULL;
		signal(SIGPROF, apart);
	}
	wsq_fence_register();
	wsq_fence_call_init(&call);
	printf("start %llu, pause %llu us, %llu rounds, seed %llu\n", start_opt,
	       pause_opt, nr_rounds, seed);
	state = seed * 0x9e3779b97f4a7c15ULL | 1;
	pthread_create(&thread, NULL, own, NULL);
	patients.thread[patients.nr++] = thread;
	patients.thread[patients.nr++] = pthread_self();
	if (pause_us)
		pthread_create(&night, NULL, nurse, &patients);

	for (nr = 1; nr <= nr_rounds && !(nr_meet && met >= nr_meet); nr++) {
		thief_got = 0;
		for (i = 0; i < NR_SLOTS; i++)
			atomic64_set(&slots[i], (s64)nr * NR_SLOTS + i);
		atomic64_set(&idx, 0);
		atomic64_set(&owner, word(nr, OWNER));
		__atomic_store_n(&begun, nr, __ATOMIC_RELEASE);
		for (k = rnd(&state) % (2 * delay + 1); k; k--)
			barrier();
		n = steal(nr, &call);
		/* Adapt the start so that the two meet. */
		if (n == NR_SLOTS)
			delay -= delay / 16;
		else if (!n && delay < 65536)
			delay += delay / 16 + 16;
		wait_for(&through, nr);
		check(!(owner_got & thief_got),
		      "round %llu: tasks %#llx were taken twice", nr,
		      owner_got & thief_got);
		check(!~(owner_got | thief_got),
		      "round %llu: tasks %#llx were lost", nr,
		      ~(owner_got | thief_got));
		check(atomic64_read(&idx) <= n + 1,
		      "round %llu: the index moved on behind the fence", nr);
		met += n && n < NR_SLOTS;
	}
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	if (pause_us)
		pthread_join(night, NULL);
	printf("pass: met in %llu rounds\n", met);
	return 0;
}
