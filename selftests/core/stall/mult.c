// SPDX-License-Identifier: GPL-2.0
/*
 * Work stealing with multiplicity with a halted party: the owner or a thief is
 * halted before its N-th access to a shared word, for each N until its end. The
 * others go on until their end, and then it continues.
 *
 *	mult [role=owner|first|second] [kind=0|1|2] [from=SEED] [worlds=N] [at=N]
 *	     [lazy=0|1] [limit=SECONDS]
 *
 * A world is a queue of two blocks of two slots, what the owner puts and takes, and
 * a schedule. Each halt is tried twice: with the halted party's stores visible, and
 * lazy, with those that no barrier has drained still in its store buffer.
 *
 * Checked: no party waits for a halted one; while a thief is halted, the owner finds
 * every task that neither it nor the other thief has taken; and in the end each task
 * has come out, to each party at most once, and as seldom as the kind says.
 *
 * For: run-checks, under shim/stall (party.h), plain and with gcc's address and
 * undefined sanitizers. Deterministic: a failure prints the options that repeat
 * it. Compiled once more, and seen to fail then: with a thief that does not look
 * at @own again.
 *
 * Cost: some 100,000 halts a second. Limitations: one halt. Reordering is x86's
 * only.
 */
#include <stdarg.h>
#include <sys/time.h>
#include <unistd.h>

#include "option.h"
#include "rnd.h"
#include "party.h"

#include "ws_mult.h"
#include "ws_mult.c"

#define ROLES	3	/* the owner and two thieves */
#define BLOCKS	2
#define SIZE	2
#define MOST	24	/* operations of the owner */
#define STEALS	6

/* More accesses than a party ever has. */
#define END	100000

static const char * const roles[ROLES] = { "owner", "first", "second" };

static struct wsq_ws_mult q;
static struct wsq_ws_mult_base bases[BLOCKS];
static wsq_slot_t slots[BLOCKS * SIZE];
static atomic64_t max[ROLES];

/* The current try, printed on failure. */
static struct {
	u32 role;
	u32 kind;
	u64 seed;
	u64 n;
	bool lazy;
} trial;

static u64 state, plan;
static u32 next_id;
static u32 took[MOST + 2][ROLES];
static u64 nr_halts, nr_steals, nr_twice;

__attribute__((format(printf, 1, 2), noreturn))
static void fail(const char *fmt, ...)
{
	va_list args;
	u32 i;

	va_start(args, fmt);
	printf("FAIL (role=%s kind=%u from=%llu at=%llu lazy=%d): ", roles[trial.role],
	       trial.kind, trial.seed, trial.n, trial.lazy);
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	for (i = 0; i < ROLES; i++)
		printf("%s: %s, %llu accesses, last at %s:%d\n", roles[i],
		       parties[i].under_way ? "under way" : "ended", parties[i].cpu.steps,
		       parties[i].file ?: "-", parties[i].line);
	fflush(stdout);
	_exit(1);
}

static void take(u32 role, void *task)
{
	u64 id = (u64)(uintptr_t)task;

	if (!id || id >= next_id)
		fail("task %llu was never put", id);
	if (took[id][role]++)
		fail("task %llu came out twice to the %s", id, roles[role]);
}

static void get(void)
{
	void *task = wsq_ws_mult_get(&q, trial.kind);

	if (task)
		take(0, task);
}

static void op_owner(struct party *p)
{
	u32 i;

	(void)p;
	for (i = 0; i < MOST; i++) {
		if (plan >> i & 1) {
			get();
			continue;
		}
		/* It is known before a thief can have it. */
		next_id++;
		if (wsq_ws_mult_put(&q, (void *)(uintptr_t)(next_id - 1)) < 0) {
			next_id--;
			wsq_ws_mult_catch_up(&q);
		}
	}
	wsq_cpu_drain(wsq_cpu);
}

static void op_thief(struct party *p)
{
	u32 role = (u32)(p - parties), i;
	void *task = NULL;

	for (i = 0; i < STEALS; i++) {
		if (wsq_ws_mult_steal(&q, trial.kind, &max[role], &task) != WSQ_OK)
			continue;
		nr_steals++;
		take(role, task);
	}
	wsq_cpu_drain(wsq_cpu);
}

static void world_new(void)
{
	struct wsq_ws_mult_mem mem = { bases, slots, BLOCKS, SIZE };
	u32 i;

	party_reset();
	state = trial.seed * 0x9e3779b97f4a7c15ULL + 1;
	for (i = 0; i < 8; i++)
		rnd(&state);
	plan = rnd(&state);
	memset(bases, 0, sizeof(bases));
	memset(slots, 0xa5, sizeof(slots));
	memset(took, 0, sizeof(took));
	next_id = 1;
	wsq_ws_mult_init(&q, &mem);
	for (i = 0; i < ROLES; i++) {
		atomic64_set(&max[i], 0);
		parties[i].op = NULL;
		parties[i].cpu.lazy = trial.lazy;
	}
}

/* Let a party run for some accesses, to its halt at most. True if it is there. */
static bool turn(u32 i, bool halts)
{
	struct party *p = &parties[i];
	u64 steps = p->under_way ? p->cpu.steps : 0, n = 1 + rnd(&state) % 9;

	p->stop_at = steps + n;
	if (halts && steps < trial.n && p->stop_at >= trial.n)
		p->stop_at = trial.n;
	if (!p->op)
		party_start(p, i ? op_thief : op_owner);
	else if (p->under_way)
		party_go(p);
	if (!p->under_way)
		return false;
	if (halts && p->cpu.steps == trial.n)
		return true;
	/* Stores leave the buffer some time. */
	if (p->cpu.nr_stores && rnd(&state) % 4 == 0)
		wsq_cpu_drain(&p->cpu);
	return false;
}

static bool ended(u32 but)
{
	u32 i;

	for (i = 0; i < ROLES; i++)
		if (i != but && (!parties[i].op || parties[i].under_way))
			return false;
	return true;
}

/* All run, but @halted behind its halt. Returns true if it is halted. */
static bool run(u32 halted, bool reached)
{
	u32 r, i;

	for (r = 0; !ended(reached ? halted : ROLES); r++) {
		if (r == END)
			fail("it does not end");
		i = (u32)(rnd(&state) % ROLES);
		if (i == halted && reached)
			continue;
		if (turn(i, i == halted))
			reached = true;
	}
	return reached;
}

/* The owner takes all that is left. */
static void empty(void)
{
	u64 before = ~0ULL, now = 0;
	u32 i;

	wsq_cpu = NULL;
	while (before != now) {
		before = now;
		get();
		for (i = 1, now = 0; i < next_id; i++)
			now += took[i][0];
	}
}

static void check(u32 id)
{
	u32 thieves = took[id][1] + took[id][2], all = thieves + took[id][0];

	if (!all)
		fail("task %u was lost", id);
	if (trial.kind != WSQ_MULT_WEAK && thieves > 1)
		fail("task %u was stolen twice", id);
	if (trial.kind == WSQ_MULT_EXACT && all > 1)
		fail("task %u came out twice", id);
	nr_twice += all > 1;
}

/* Returns false if the party ends before its N-th access. */
static bool halt(void)
{
	bool reached;
	u32 id, missing = 0;

	world_new();
	reached = run(trial.role, false);
	if (reached) {
		nr_halts++;
		if (trial.role) {
			empty();
			/* It may be about to return one, and have marked it. */
			for (id = 1; id < next_id; id++)
				missing += !took[id][0] && !took[id][1] && !took[id][2];
			if (missing > 1)
				fail("%u tasks were lost while the %s is halted", missing,
				     roles[trial.role]);
		}
		wsq_cpu_drain(&parties[trial.role].cpu);
		run(ROLES, false);
	}
	empty();
	for (id = 1; id < next_id; id++)
		check(id);
	return reached;
}

int main(int argc, char **argv)
{
	u64 worlds = 20, from = 1, at = 0, lazy = 2, kind = 3, limit = 300, role = ROLES, r, l;
	struct itimerval cpu_time = { 0 };
	int i;

	for (i = 1; i < argc; i++) {
		for (r = 0; r < ROLES; r++)
			if (!strncmp(argv[i], "role=", 5) && !strcmp(argv[i] + 5, roles[r]))
				role = r;
		if (!option(argv[i], "worlds", &worlds) && !option(argv[i], "from", &from) &&
		    !option(argv[i], "at", &at) && !option(argv[i], "lazy", &lazy) &&
		    !option(argv[i], "kind", &kind) && !option(argv[i], "limit", &limit) &&
		    strncmp(argv[i], "role=", 5)) {
			fprintf(stderr, "%s: what is %s?\n", argv[0], argv[i]);
			return 2;
		}
	}
	/* CPU time, so that other programs' load does not look like a hang. */
	cpu_time.it_value.tv_sec = (time_t)limit;
	setitimer(ITIMER_PROF, &cpu_time, NULL);
	for (trial.kind = 0; trial.kind < 3; trial.kind++)
		for (trial.seed = from; trial.seed < from + worlds; trial.seed++)
			for (r = 0; r < 2 * ROLES; r++) {
				trial.role = (u32)r / 2;
				trial.lazy = r % 2;
				if ((role < ROLES && trial.role != role) ||
				    (kind < 3 && trial.kind != kind) ||
				    (lazy < 2 && trial.lazy != lazy))
					continue;
				for (l = at ?: 1; ; l++) {
					trial.n = l;
					if (!halt() || at)
						break;
				}
			}
	printf("%llu halts, %llu steals, %llu tasks came out more than once\n", nr_halts,
	       nr_steals, nr_twice);
	return !nr_halts || !nr_steals || !nr_twice;
}
