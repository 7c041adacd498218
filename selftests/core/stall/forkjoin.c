// SPDX-License-Identifier: GPL-2.0
/*
 * Fork and join with a halted party: the owner of a run, or a helper, is halted
 * before its N-th access to a shared word, for each N until it reaches its end.
 * The others go on until nothing moves, and then it continues.
 *
 *	forkjoin [role=owner|first|second] [from=SEED] [worlds=N] [at=N]
 *		 [lazy=0|1] [half=0|1] [random=0|1] [limit=SECONDS]
 *
 * A world is a tree of tasks, each of which spawns one half of its subtree and
 * calls the other, and a schedule: which party runs next, for how many
 * accesses. Each halt is tried twice: with the halted party's stores visible,
 * and lazy, with the stores that no barrier has drained still in its store
 * buffer.
 *
 * Checked while a party is halted:
 *
 * - a helper that is halted keeps no other from a task: nothing is shared that
 *   no thread has stolen
 * - an owner that is halted holds up no helper but one whose task it has
 *   stolen: each ends, and what was shared when it was halted has been stolen,
 *   if a helper was there
 *
 * and when it has continued: the run ends, each task has run once, the result
 * is right, all deques are empty and all helpers have left.
 *
 * For: run-checks, under shim/stall (party.h), plain and with gcc's address and
 * undefined sanitizers. Deterministic: a failure prints the options that repeat
 * it. Compiled twice more, and seen to fail then: with a thief that waits for
 * the answer to its request, and with a thief that does not wake an owner.
 *
 * Cost: some 20,000 halts a second. Limitations: one halt. Reordering is x86's
 * only. A run does not stop early, and no stack ends.
 */
#include <stdarg.h>
#include <sys/time.h>
#include <unistd.h>

#include "option.h"
#include "rnd.h"
#include "party.h"

#include <linux/wsq_fj.h>

#include "fj_team.c"

#define SEATS	3	/* the owner's and two helpers' */
#define DEPTH	8
#define NODES	15

/* Rounds, in each of which every party runs for some accesses. */
#define QUIET	400	/* until nothing moves */
#define MOST	20000	/* until the end */

static const char * const roles[SEATS] = { "owner", "first", "second" };

static struct wsq_fj_team team;
static struct wsq_fj_seat seats[SEATS];
static struct wsq_fj_seat *list[SEATS];
static struct wsq_fj_task tasks[SEATS][DEPTH + 1];

/* The current try, printed on failure. */
static struct {
	u32 role;
	u64 seed;
	u64 n;
	bool lazy;
} trial;

static u64 state;
static u64 clocks[SEATS];
static bool woken[SEATS], claimed[SEATS], wanted[SEATS];
static u32 ran[NODES + 1];
static u64 result, nr_halts, nr_steals;

__attribute__((format(printf, 1, 2), noreturn))
static void fail(const char *fmt, ...)
{
	va_list args;
	u32 i;

	va_start(args, fmt);
	printf("FAIL (role=%s from=%llu at=%llu lazy=%d half=%d random=%d): ",
	       roles[trial.role], trial.seed, trial.n, trial.lazy, team.half, team.random);
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	for (i = 0; i < SEATS; i++)
		printf("%s: %s, %llu accesses, last at %s:%d, tail %u split %u\n", roles[i],
		       parties[i].under_way ? "under way" : "ended", parties[i].cpu.steps,
		       parties[i].file ?: "-", parties[i].line,
		       wsq_fj_tail((u64)atomic64_read(&seats[i].dq.ts)),
		       wsq_fj_split((u64)atomic64_read(&seats[i].dq.ts)));
	fflush(stdout);
	_exit(1);
}

/* Hooks. */

/* The thread gives up its CPU, which drains its stores. */
static void rest(void)
{
	wsq_cpu_drain(wsq_cpu);
	party_yield(running);
}

struct wsq_fj_seat *wsq_fj_claim_seat(struct wsq_fj_team *t)
{
	u32 i;

	(void)t;
	for (i = 1; i < SEATS; i++)
		if (!claimed[i]) {
			claimed[i] = true;
			return &seats[i];
		}
	return NULL;
}

void wsq_fj_free_seat(struct wsq_fj_seat *seat)
{
	claimed[seat->id] = false;
}

bool wsq_fj_start_helper(struct wsq_fj_seat *seat)
{
	/* The last read-modify-write of the starter comes before the wake-up. */
	wsq_cpu_drain(wsq_cpu);
	wanted[seat->id] = true;
	return true;
}

void wsq_fj_sleep(struct wsq_fj_seat *seat, struct wsq_fj_task *task)
{
	struct wsq_fj_deque *thief;

	while (!wsq_fj_task_ended(task, &thief)) {
		while (!woken[seat->id])
			rest();
		woken[seat->id] = false;
	}
}

void wsq_fj_wake(struct wsq_fj_seat *seat)
{
#ifndef STALL_SILENT
	wsq_cpu_drain(wsq_cpu);
	woken[seat->id] = true;
#else
	(void)seat;
#endif
}

bool wsq_fj_other_stack(struct wsq_fj_seat *seat, struct wsq_fj_task *task)
{
	(void)seat;
	(void)task;
	return false;
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
	rest();
}

void wsq_fj_resched(bool between)
{
	(void)between;
}

void wsq_fj_watch(struct wsq_fj_seat *seat)
{
	(void)seat;
}

u64 wsq_fj_clock(void)
{
	return clocks[running - parties] += 3000;
}

/* The tasks. */

DEFINE_WSQ_TASK1(u64, node, w, u64, n)
{
	u64 sum;

	ran[n]++;
	if (2 * n + 1 > NODES)
		return 1;
	wsq_spawn(w, node, 2 * n);
	sum = wsq_fj_call(w, node, 2 * n + 1);
	sum += wsq_sync(w, node);
	return sum + 1;
}

static void op_owner(struct party *p)
{
	struct wsq_fj_ctx w = { &seats[0].dq, tasks[0] };

	wsq_fj_sit(&seats[0], (u64)(uintptr_t)p->stack);
	wsq_fj_begin_run(&team);
	result = wsq_fj_call(w, node, 1);
	wsq_fj_end_run(&team);
	wsq_fj_rise(&seats[0]);
	wsq_cpu_drain(wsq_cpu);
}

static void op_helper(struct party *p)
{
	struct wsq_fj_seat *seat = p->arg[0];

	wsq_fj_sit(seat, (u64)(uintptr_t)p->stack);
	wsq_fj_help(seat);
	wsq_cpu_drain(wsq_cpu);
	claimed[seat->id] = false;
}

/* Worlds. */

static void world_new(u64 seed, bool lazy)
{
	u32 i, k;

	party_reset();
	state = seed * 0x9e3779b97f4a7c15ULL + 1;
	for (i = 0; i < 8; i++)
		rnd(&state);
	team.seats = list;
	team.nr = SEATS;
	team.max = SEATS;
	atomic64_set(&team.stop, 0);
	atomic64_set(&team.active, 0);
	memset(ran, 0, sizeof(ran));
	result = 0;
	for (i = 0; i < SEATS; i++) {
		struct wsq_fj_seat *seat = &seats[i];

		memset(seat, 0, sizeof(*seat));
		memset(tasks[i], 0, sizeof(tasks[i]));
		list[i] = seat;
		seat->team = &team;
		seat->id = i;
		seat->rnd = i + 1;
		wsq_fj_init(&seat->dq, tasks[i], DEPTH);
		wsq_fj_rise(seat);
		clocks[i] = 1;
		woken[i] = claimed[i] = wanted[i] = false;
		parties[i].op = NULL;
		parties[i].arg[0] = seat;
		parties[i].cpu.lazy = lazy;
		for (k = 0; k <= DEPTH; k++)
			wsq_fj_task_reuse(&tasks[i][k]);
	}
}

/* Let a party run for some accesses. Returns true if it was halted. */
static bool turn(u32 i, bool halts)
{
	struct party *p = &parties[i];
	u64 steps = p->under_way ? p->cpu.steps : 0, n = 1 + rnd(&state) % 9;
	bool last = halts && steps < trial.n && steps + n >= trial.n;

	p->stop_at = last ? trial.n : steps + n;
	if (wanted[i] || (i == 0 && !p->op)) {
		wanted[i] = false;
		party_start(p, i ? op_helper : op_owner);
	} else if (p->under_way) {
		party_go(p);
	}
	if (!p->under_way)
		return false;
	if (last && p->cpu.steps == trial.n)
		return true;
	/* Stores leave the buffer some time. */
	if (p->cpu.nr_stores && rnd(&state) % 4 == 0)
		wsq_cpu_drain(&p->cpu);
	return false;
}

static bool helpers_gone(void)
{
	u32 i;

	for (i = 1; i < SEATS; i++)
		if (parties[i].under_way || wanted[i])
			return false;
	return true;
}

/* All run but @halted. @reached: @halted has come to its access. */
static void rounds(u32 most, u32 halted, bool *reached)
{
	u32 r, k, i;

	for (r = 0; r < most; r++) {
		for (k = 0; k < SEATS; k++) {
			i = rnd(&state) % SEATS;
			if (i == halted && *reached)
				continue;
			if (turn(i, i == halted) && i == halted) {
				*reached = true;
				return;
			}
		}
		if (!parties[0].under_way && parties[0].op && helpers_gone())
			return;
	}
}

static void check_shared(void)
{
	u32 i;

	for (i = 0; i < SEATS; i++)
		/* Between the two stores of wsq_fj_share_first() no thief looks. */
		if (wsq_fj_shared(&seats[i].dq) && !atomic64_read(&seats[i].dq.allstolen))
			fail("a task of the %s is shared, and nothing takes it", roles[i]);
}

/* Does the halted party have a task of another, which then has to wait? */
static bool has_stolen(u32 role)
{
	u32 i, k;

	for (i = 0; i < SEATS; i++)
		for (k = 0; i != role && k < wsq_fj_tail((u64)atomic64_read(&seats[i].dq.ts)); k++) {
			u64 thief = (u64)atomic64_read(&tasks[i][k].thief) & ~WSQ_FJ_SLEEPS;

			/* Or it has not announced itself yet. */
			if (!thief || thief == (u64)(uintptr_t)&seats[role].dq)
				return true;
		}
	return false;
}

static void check_halted(u32 role, bool helped)
{
	if (role) {
		check_shared();
		return;
	}
	if (!helpers_gone() && !has_stolen(role))
		fail("a helper waits for the owner");
	if (helped)
		check_shared();
}

/* Returns false if the party ends before its N-th access. */
static bool halt(u32 role, u64 seed, u64 n, bool lazy)
{
	bool reached = false, never = true, helped;
	u32 i;

	trial.role = role;
	trial.seed = seed;
	trial.n = n;
	trial.lazy = lazy;
	world_new(seed, lazy);
	rounds(MOST, role, &reached);
	if (reached) {
		nr_halts++;
		/*
		 * One that is not counted has decided to leave, and may have
		 * looked before the owner shared: the owner then starts another
		 * when it continues. One that is counted looks once more.
		 */
		helped = !helpers_gone() && atomic64_read(&team.active) > 1;
		rounds(QUIET, role, &reached);
		check_halted(role, helped);
		wsq_cpu_drain(&parties[role].cpu);
	}
	rounds(MOST, SEATS, &never);
	if (parties[0].under_way || !helpers_gone())
		fail("it does not end");
	for (i = 1; i <= NODES; i++)
		if (ran[i] != 1)
			fail("task %u has run %u times", i, ran[i]);
	if (result != NODES)
		fail("the result is %llu", result);
	if (atomic64_read(&team.active))
		fail("%lld threads are counted", (long long)atomic64_read(&team.active));
	for (i = 0; i < SEATS; i++)
		nr_steals += (u64)(atomic64_read(&seats[i].steals) +
				   atomic64_read(&seats[i].leaps));
	check_shared();
	return reached;
}

int main(int argc, char **argv)
{
	u64 worlds = 20, from = 1, at = 0, lazy = 2, half = 2, random = 2, limit = 300;
	u64 role = SEATS, r, seed, n, l, flags;
	struct itimerval cpu_time = { 0 };
	int i;

	for (i = 1; i < argc; i++) {
		for (r = 0; r < SEATS; r++)
			if (!strncmp(argv[i], "role=", 5) && !strcmp(argv[i] + 5, roles[r]))
				role = r;
		if (!option(argv[i], "worlds", &worlds) && !option(argv[i], "from", &from) &&
		    !option(argv[i], "at", &at) && !option(argv[i], "lazy", &lazy) &&
		    !option(argv[i], "half", &half) && !option(argv[i], "random", &random) &&
		    !option(argv[i], "limit", &limit) && strncmp(argv[i], "role=", 5)) {
			fprintf(stderr, "%s: what is %s?\n", argv[0], argv[i]);
			return 2;
		}
	}
	/* CPU time, so that other programs' load does not look like a hang. */
	cpu_time.it_value.tv_sec = (time_t)limit;
	setitimer(ITIMER_PROF, &cpu_time, NULL);
	for (flags = 0; flags < 4; flags++) {
		team.half = flags & 1;
		team.random = flags & 2;
		if ((half < 2 && half != (flags & 1)) || (random < 2 && random != flags >> 1))
			continue;
		for (r = 0; r < SEATS; r++)
			for (seed = from; seed < from + worlds; seed++)
				for (l = 0; l < 2; l++) {
					if ((role < SEATS && r != role) || (lazy < 2 && l != lazy))
						continue;
					if (at)
						halt((u32)r, seed, at, l);
					for (n = 1; !at && halt((u32)r, seed, n, l); n++)
						;
				}
	}
	printf("%llu halts, %llu thefts\n", nr_halts, nr_steals);
	if (!nr_halts || !nr_steals)
		return 1;
	return 0;
}
