// SPDX-License-Identifier: GPL-2.0
/*
 * SALSA with a halted party: it is halted before its N-th access to a shared
 * word, for each N until it reaches its end, the others use its chunks again
 * and again, and then it continues. No task may be lost or come out twice, and
 * each chunk must come back.
 *
 *	salsa [role=NAME] [kind=plain|claimed|mixed] [worlds=N] [reuses=N]
 *	      [from=SEED] [at=N] [lazy=0|1] [pairs=N] [limit=SECONDS]
 *
 * Roles: owner (takes), batcher (takes several), leaver, thief, impatient (a
 * thief that does not wait for its fence), producer, closer (a producer that is
 * also the consumer), scanner (is the pool empty?), remover (removes a task),
 * active_thief (steals from the owner's chunk). A world is a pool of four consumers
 * and two producers with small chunks and some history, another for each seed.
 * Plain and claimed are ways of taking; in mixed worlds one consumer claims.
 * After the halt chunks are used as many times as "reuses" says. Each halt is
 * tried twice: with the halted party's stores visible, and lazy, with the
 * stores that no barrier has drained still in its store buffer. pairs=N:
 * instead of one halt at each place, N times two parties at two random places,
 * which continue in either order.
 *
 * Some CPUs do not answer started fences for a while.
 *
 * In some worlds one consumer is a favourite, which gets most of the tasks and
 * keeps its chunks; in the others chunks go round.
 *
 * A task is a number that is put again as soon as it was taken, often into the
 * slot it was in: an exchange that is late by a whole life of the chunk would
 * find the same task again.
 *
 * Checked: a task comes out if and only if it is in; when all has been taken
 * each chunk is in a chunk pool or with a producer; a consumer that finds
 * nothing has no chunk with a task unless another party is in it; when the
 * scanner says that the pool was empty, a count confirms it; hints are true
 * while no party is halted.
 *
 * For: run-checks, under shim/stall (party.h), plain and with gcc's address and
 * undefined sanitizers. Deterministic: a failure prints the options that repeat
 * it. Compiled three times more, and seen to fail then: with a grace period
 * that is always over (WSQ_GRACE_EMPTY), with tags of 2 bits, with a heavy
 * fence that does nothing (WSQ_FENCE_EMPTY).
 *
 * Cost: a second for a thousand halts with a hundred reuses. Limitations: one
 * or two halts; between them the others run one whole operation after the
 * other, on one thread. Reordering is x86's only. Chunks are not freed.
 */
#include <stdarg.h>
#include <sys/time.h>
#include <unistd.h>

#include "option.h"
#include "pool.h"
#include "chunk_thief.h"
#include "salsa_find.h"
#include "party.h"

#define NR_CONSUMERS	4
#define NR_PRODUCERS	2
#define NR_CHUNKS	16
#define NR_TASKS	40
#define MAX_STEALS	6

/* Consumers have their party's number, for the fence. */
#define PRODUCER(i)	(NR_CONSUMERS + (i))
#define ANYONE		(NR_CONSUMERS + NR_PRODUCERS)

enum kind { PLAIN, CLAIMED, MIXED, NR_KINDS };
static const char * const kinds[] = { "plain", "claimed", "mixed" };
static const u64 claims[] = { 0, 15, 4 };

enum role { OWNER, BATCHER, LEAVER, THIEF, IMPATIENT, PRODUCER, CLOSER,
	    SCANNER, REMOVER, ACTIVE_THIEF, NR_ROLES };
static const char * const roles[] = { "owner", "batcher", "leaver", "thief",
				      "impatient", "producer", "closer", "scanner",
				      "remover", "active_thief" };

/* The current try, printed on failure. */
static struct {
	enum kind kind;
	const char *what;
	u64 seed;
	u64 n;
	bool lazy;
} trial;

static struct pool *t;
static u64 state;
static u64 nr_halts, nr_uses, nr_pairs_met, nr_backs;

/* Tasks: which are in, and a stack of those that are out. */
static struct {
	bool in;
	u32 nr;
	u64 index;
} book[NR_TASKS + 1];
static u64 out[NR_TASKS];
static u32 nr_out;

/* What a halted party was about to do. */
static struct {
	u64 id;
	u32 other;
	void *tasks[4];
	bool was_empty;
} mind[PARTIES];

/* The consumer whose chunks are used most; NR_CONSUMERS if none. */
static u32 favourite;

/* Steals of chunks that a consumer is in; these wait for a halted party. */
static u32 steals_left;

__attribute__((format(printf, 1, 2), noreturn))
static void fail(const char *fmt, ...)
{
	va_list args;
	u32 i;

	va_start(args, fmt);
	printf("FAIL (kind=%s %s from=%llu at=%llu lazy=%d): ", kinds[trial.kind],
	       trial.what, trial.seed, trial.n, trial.lazy);
	vprintf(fmt, args);
	printf("\n");
	for (i = 0; i < PARTIES; i++)
		if (parties[i].file)
			printf("party %u was halted at %s:%d\n", i,
			       parties[i].file, parties[i].line);
	va_end(args);
	fflush(stdout);
	_exit(1);
}

#define check(cond, ...)			\
do {						\
	if (!(cond))				\
		fail(__VA_ARGS__);		\
} while (0)

static u64 pick(u64 n)
{
	return (rnd(&state) >> 16) % n;
}

static u32 nr_in(void)
{
	return NR_TASKS - nr_out;
}

static void op_scanner(struct party *p);
static void op_batcher(struct party *p);

static u32 nr_halted(void)
{
	u32 i, n = 0;

	for (i = 0; i < PARTIES; i++)
		n += parties[i].under_way;
	return n;
}

/* Most tasks that a halted party has claimed, which are neither in nor out. */
static u32 owned_item(const struct party *p)
{
	return p->op == op_scanner ? 0 : p->op == op_batcher ? 4 : 1;
}

static u32 owned_items(void)
{
	u32 i, n = 0;

	for (i = 0; i < PARTIES; i++)
		n += parties[i].under_way ? owned_item(&parties[i]) : 0;
	return n;
}

static void look_whether_empty(void)
{
	u32 i;

	for (i = 0; i < PARTIES; i++)
		mind[i].was_empty |= nr_in() <= owned_items();
}

static void took(void *task)
{
	u64 id = id_of(task);

	check(id && id <= NR_TASKS, "task %llu was never put", id);
	check(book[id].in, "task %llu came out twice", id);
	book[id].in = false;
	out[nr_out++] = id;
	look_whether_empty();
}

static void took_any(void *task)
{
	if (task && task != WSQ_SALSA_TAKEN)
		took(task);
}

/* The next task to put; it counts as in from now on. 0 if none is left. */
static u64 next_task(void)
{
	u64 id;

	if (!nr_out)
		return 0;
	id = out[--nr_out];
	book[id].in = true;
	return id;
}

static void note(const struct wsq_salsa_producer *p, u64 id)
{
	book[id].nr = p->nr;
	book[id].index = p->at;
}

/* The task did not get in after all. */
static void take_back(u64 id)
{
	book[id].in = false;
	out[nr_out++] = id;
	look_whether_empty();
}

static void *take(struct wsq_salsa_consumer *c)
{
	return c->claims ? wsq_salsa_claim(c) : wsq_salsa_get(c);
}

/* Operations of parties that can be halted. Results are recorded later. */
static void op_owner(struct party *p)
{
	p->task = take(t->c[p - parties]);
}

static void op_batcher(struct party *p)
{
	u32 i = (u32)(p - parties);

	p->ret = wsq_salsa_get_many(t->c[i], mind[i].tasks, 4);
}

static void op_leaver(struct party *p)
{
	wsq_salsa_leave(t->c[p - parties]);
}

static void op_thief(struct party *p)
{
	u32 i = (u32)(p - parties);

	p->ret = thief_steal_and_get(t->c[i], t->c[mind[i].other], true,
				     &p->task);
}

static void op_async_thief(struct party *p)
{
	u32 i = (u32)(p - parties);

	p->ret = wsq_salsa_steal_begin(t->c[i], t->c[mind[i].other], true,
				       &p->task);
}

static void op_producer(struct party *p)
{
	u32 i = (u32)(p - parties);
	struct wsq_salsa_producer *pr = t->p[i - PRODUCER(0)];

	note(pr, mind[i].id);
	p->ret = wsq_salsa_put(pr, task_of(mind[i].id));
	if (p->ret == WSQ_OK)
		return;
	p->ret = wsq_salsa_open(pr, t->c[mind[i].other]);
	if (p->ret != WSQ_OK)
		return;
	note(pr, mind[i].id);
	p->ret = wsq_salsa_put(pr, task_of(mind[i].id));
}

static void op_closer(struct party *p)
{
	p->ret = wsq_salsa_close(t->p[0], t->c[p - parties]);
}

static void op_scanner(struct party *p)
{
	p->ret = wsq_salsa_empty(&t->s);
}

static void op_remover(struct party *p)
{
	u64 id = mind[p - parties].id;

	p->task = wsq_salsa_remove(&t->s, book[id].nr, book[id].index,
				   task_of(id)) ? task_of(id) : NULL;
}

static void op_active_thief(struct party *p)
{
	u32 i = (u32)(p - parties);

	p->ret = wsq_salsa_steal_active(t->c[mind[i].other], mind[i].tasks, 1, true);
	p->task = p->ret ? mind[i].tasks[0] : NULL;
}

static void (* const ops[])(struct party *p) = {
	op_owner, op_batcher, op_leaver, op_thief, op_async_thief, op_producer,
	op_closer, op_scanner, op_remover, op_active_thief,
};

/* Only plain takes take several, and only claimed tasks can be removed. */
static bool is_for(enum role role, enum kind kind)
{
	switch (role) {
	case BATCHER:
		return kind == PLAIN;
	case REMOVER:
	case ACTIVE_THIEF:
		return kind == CLAIMED;
	default:
		return true;
	}
}

static u32 party_of(enum role role, u32 i)
{
	switch (role) {
	case OWNER:
	case BATCHER:
	case LEAVER:
	case THIEF:
	case IMPATIENT:
	case CLOSER:
		return i;
	case PRODUCER:
		return PRODUCER(i % NR_PRODUCERS);
	default:
		return ANYONE + i % 2;
	}
}

/* A halted closer also halts the producer that it is. */
static bool is_halted(u32 i)
{
	return parties[i].under_way ||
	       (i == PRODUCER(0) && parties[0].under_way &&
		parties[0].op == op_closer);
}

/* Records the results of a party that has reached its end. */
static void ended(struct party *p)
{
	u32 i = (u32)(p - parties), k;

	wsq_cpu_drain(&p->cpu);
	p->cpu.lazy = false;
	if (p->op == op_owner || p->op == op_remover || p->op == op_active_thief) {
		took_any(p->task);
	} else if (p->op == op_batcher) {
		for (k = 0; k < (u32)p->ret; k++)
			took(mind[i].tasks[k]);
	} else if (p->op == op_thief || p->op == op_async_thief) {
		check((p->ret == WSQ_OK) == !!p->task, "a steal of %lld with a task %llu",
		      p->ret, id_of(p->task));
		took_any(p->task);
	} else if (p->op == op_producer) {
		if (p->ret != WSQ_OK)
			take_back(mind[i].id);
	} else if (p->op == op_scanner) {
		check(p->ret != WSQ_EMPTY || mind[i].was_empty,
		      "a pool that was never empty was said to be");
	}
}

/* Starts a party's operation; false if it was halted. */
static bool begin(enum role role, u32 i, u64 stop_at, bool lazy)
{
	struct party *p = &parties[i];

	p->task = NULL;
	p->ret = 0;
	p->stop_at = stop_at;
	p->cpu.lazy = lazy;
	mind[i].other = favourite < NR_CONSUMERS ? favourite :
						   (u32)pick(NR_CONSUMERS);
	if ((role == THIEF || role == IMPATIENT) && mind[i].other == i)
		mind[i].other = (i + 1) % NR_CONSUMERS;
	if (role == REMOVER)
		mind[i].id = pick(NR_TASKS) + 1;
	if (role == PRODUCER) {
		mind[i].id = next_task();
		if (!mind[i].id)
			return true;
	}
	mind[i].was_empty = false;
	look_whether_empty();
	if (!party_start(p, ops[role])) {
		look_whether_empty();
		return false;
	}
	ended(p);
	return true;
}

static void go_on(struct party *p)
{
	p->stop_at = 0;
	check(party_go(p), "no end");
	ended(p);
}

/* Puts up to @want tasks, or until refused. */
static void put_some(u32 i, u64 want)
{
	struct wsq_salsa_producer *p = t->p[i];
	u32 target = favourite < NR_CONSUMERS ? favourite :
						(u32)pick(NR_CONSUMERS);
	u64 id;

	while (want-- && (id = next_task())) {
		note(p, id);
		if (wsq_salsa_put(p, task_of(id)) == WSQ_OK)
			continue;
		if (wsq_salsa_open(p, t->c[target]) != WSQ_OK) {
			take_back(id);
			return;
		}
		nr_uses++;
		note(p, id);
		check(wsq_salsa_put(p, task_of(id)) == WSQ_OK,
		      "no room in a new chunk");
	}
}

static void get_some(u32 i, u64 want)
{
	void *task, *tasks[8];
	u32 k, n;

	/* Several at a time, where that is allowed. */
	if (!t->c[i]->claims && want && pick(4) == 0) {
		n = wsq_salsa_get_many(t->c[i], tasks, (u32)pick(8) + 1);
		for (k = 0; k < n; k++)
			took(tasks[k]);
	}
	while (want--) {
		task = take(t->c[i]);
		check(!atomic64_read(&t->c[i]->busy), "busy when it is not");
		if (!task) {
			check(nr_halted() || wsq_salsa_under_way(t->c[i]) ||
			      !wsq_salsa_waiting(t->c[i]),
			      "consumer %u found nothing where something waits", i);
			return;
		}
		took_any(task);
	}
}

static void steal_one(u32 i)
{
	u32 v = (u32)pick(NR_CONSUMERS);
	u64 sent = t->c[i]->count.sent;
	void *task = NULL;
	int ret;

	if (v == i)
		return;
	parties[v].cpu.deaf = !pick(3);
	if (!nr_halted() || steals_left) {
		ret = pick(2) ? thief_steal(t->c[i], t->c[v], pick(8), &task) :
				wsq_salsa_steal_begin(t->c[i], t->c[v], pick(8),
						      &task);
		steals_left -= nr_halted() &&
			       (ret == WSQ_OK || t->c[i]->count.sent != sent);
	} else {
		ret = wsq_salsa_steal_left(t->c[i], t->c[v], pick(2), &task);
	}
	check((ret == WSQ_OK) == !!task, "a steal of %d with a task %llu", ret,
	      id_of(task));
	took_any(task);
}

static void look_empty(void)
{
	int ret = wsq_salsa_empty(&t->s);
	u32 i;

	check(ret != WSQ_EMPTY || nr_in() <= owned_items(),
	      "empty, it is said, with %u tasks", nr_in());
	check(ret != WSQ_OK || nr_in(), "not empty, it is said, and it is");
	if (nr_halted())
		return;
	check(ret != WSQ_CONFLICT, "no party did anything");
	for (i = 0; i < NR_CONSUMERS && !wsq_salsa_waiting(t->c[i]); i++)
		;
	check((i < NR_CONSUMERS) == !!nr_in(), "%u tasks, and %s", nr_in(),
	      i < NR_CONSUMERS ? "some wait" : "none waits");
}

/* A random party that is not halted does something. */
static void step(void)
{
	u32 i = (u32)pick(NR_CONSUMERS), what = (u32)pick(32);
	void *tasks[4];
	u64 id;

	/* A favourite's chunks stay with it. */
	if (favourite < NR_CONSUMERS && pick(64)) {
		i = favourite;
		what %= 20;
	}
	if (what < 10) {
		i = (u32)pick(NR_PRODUCERS);
		if (!is_halted(PRODUCER(i)))
			put_some(i, pick(8) + 1);
	} else if (what < 20) {
		if (!is_halted(i))
			get_some(i, pick(8) ? pick(6) + 1 : 2 * NR_TASKS);
	} else if (what < 25) {
		if (!is_halted(i))
			steal_one(i);
	} else if (what < 27) {
		if (!is_halted(i))
			wsq_salsa_leave(t->c[i]);
	} else if (what == 27) {
		look_empty();
	} else if (what == 28) {
		if (!is_halted(0) && !is_halted(PRODUCER(0)))
			wsq_salsa_close(t->p[0], t->c[0]);
	} else if (trial.kind == CLAIMED) {
		if (what == 31) {
			i = wsq_salsa_steal_active(t->c[i], tasks, (u32)pick(4) + 1, pick(2));
			while (i--)
				took(tasks[i]);
			return;
		}
		id = pick(NR_TASKS) + 1;
		if (wsq_salsa_remove(&t->s, book[id].nr, book[id].index,
				     task_of(id)))
			took(task_of(id));
	}
}

/* Steps until chunks have been used so often, or nothing moves. */
static void churn(u64 uses, u64 steps)
{
	u64 until = nr_uses + uses;

	while (nr_uses < until && steps--)
		step();
}

/* A consumer with most chunks, in the only chunk that has tasks. */
static void favour(u32 i)
{
	u32 turn = 0;
	u64 word;

	favourite = i;
	get_some(i, 2 * NR_TASKS);
	put_some((u32)pick(NR_PRODUCERS), 2 * t->s.chunk_size);
	while (wsq_salsa_find(t->c[i], &turn, WSQ_SALSA_IS_LEFT, &word))
		get_some(i, 1);
	get_some(i, pick(t->s.chunk_size - 1));
}

static void world_new(enum kind kind, u64 seed)
{
	static const u32 sizes[] = { 2, 3, 4, 5 };
	u32 i, nr;

	state = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
	rnd(&state);
	party_reset();
	t = pool_new(NR_CONSUMERS, NR_PRODUCERS, sizes[pick(4)], NR_CHUNKS, 16,
		     claims[kind]);
	/* The last one is on its own node. */
	t->c[NR_CONSUMERS - 1]->node = 1;
	nr = 1U << pick(3);
	for (i = 0; i < NR_CONSUMERS; i++)
		pool_supply(t, i, nr);
	nr_out = 0;
	for (i = 1; i <= NR_TASKS; i++) {
		book[i].in = false;
		out[nr_out++] = i;
	}
	favourite = NR_CONSUMERS;
	churn(~0ULL / 2, 10 + pick(50));
	if (pick(2))
		favour((u32)pick(NR_CONSUMERS));
	steals_left = MAX_STEALS;
}

/* No party is halted. All tasks come out, and all chunks are back. */
static void world_end(void)
{
	u32 i, round, n = 0;

	for (i = 0; i < NR_CONSUMERS; i++)
		parties[i].cpu.deaf = false;
	for (round = 0; round < 64; round++) {
		for (i = 0; i < NR_CONSUMERS; i++) {
			get_some(i, 2 * NR_TASKS);
			wsq_salsa_leave(t->c[i]);
		}
	}
	for (i = 1; i <= NR_TASKS; i++)
		check(!book[i].in, "task %u was lost", i);
	look_empty();
	for (i = 0; i < NR_CONSUMERS; i++) {
		check(!t->c[i]->chunk && !atomic64_read(&t->c[i]->in),
		      "consumer %u is in a chunk", i);
		check(!wsq_salsa_under_way(t->c[i]), "consumer %u waits", i);
		check(wsq_inbox_empty(&t->c[i]->waiting),
		      "chunks of %u still wait", i);
		check(wsq_inbox_empty(&t->c[i]->returned),
		      "chunks of %u are not fetched", i);
		n += wsq_salsa_ring_count(&t->c[i]->pool);
		nr_backs += t->c[i]->count.back;
	}
	for (i = 0; i < NR_PRODUCERS; i++)
		n += t->p[i]->at < t->p[i]->size;
	check(n == t->nr_chunks, "of %u chunks %u are left", t->nr_chunks, n);
	pool_free(t);
	t = NULL;
}

/* One halt. False if the party reached its end before. */
static bool halt(enum kind kind, enum role role, u64 seed, u64 n, bool lazy,
		 u64 uses)
{
	struct party *p;
	bool halted;
	u32 i;

	trial.kind = kind;
	trial.what = roles[role];
	trial.seed = seed;
	trial.n = n;
	trial.lazy = lazy;
	world_new(kind, seed);
	i = party_of(role, role == CLOSER ? 0 : (u32)(seed % NR_CONSUMERS));
	p = &parties[i];
	halted = !begin(role, i, n, lazy);
	if (halted) {
		nr_halts++;
		churn(uses, uses * 64);
		churn(uses, pick(8));
		go_on(p);
		/* Its traces must do no harm. */
		churn(20, 200);
	}
	world_end();
	return halted;
}

static void halts(enum kind kind, enum role role, u64 from, u64 worlds, u64 at,
		  int lazy, u64 uses)
{
	u64 seed, n;
	int l;

	for (seed = from; seed < from + worlds; seed++) {
		for (l = 0; l < 2; l++) {
			if (lazy >= 0 && l != lazy)
				continue;
			if (at)
				halt(kind, role, seed, at, l, uses);
			for (n = 1; !at && halt(kind, role, seed, n, l, uses); n++)
				;
		}
	}
}

/* Two halts, at random places. */
static void two_halts(enum kind kind, u64 seed, u64 uses)
{
	static char what[64];
	u32 i[2], k, first;
	enum role role[2];
	bool halted[2];

	trial.kind = kind;
	trial.seed = seed;
	world_new(kind, seed);
	do {
		for (k = 0; k < 2; k++) {
			do {
				role[k] = (enum role)pick(NR_ROLES);
			} while (!is_for(role[k], kind));
			i[k] = party_of(role[k], role[k] == CLOSER ? 0 :
					(u32)pick(NR_CONSUMERS));
		}
	} while (i[0] == i[1] || (role[0] == CLOSER && i[1] == PRODUCER(0)) ||
		 (role[1] == CLOSER && i[0] == PRODUCER(0)));
	snprintf(what, sizeof(what), "pairs=1 %s, %s", roles[role[0]], roles[role[1]]);
	trial.what = what;
	for (k = 0; k < 2; k++) {
		halted[k] = !begin(role[k], i[k], pick(pick(4) ? 16 : 200) + 1,
				   pick(2));
		churn(pick(8), 20);
	}
	nr_pairs_met += halted[0] && halted[1];
	churn(uses, uses * 64);
	first = (u32)pick(2);
	for (k = 0; k < 2; k++) {
		if (halted[k ^ first]) {
			nr_halts++;
			go_on(&parties[i[k ^ first]]);
		}
		churn(pick(8), 20);
	}
	churn(20, 200);
	world_end();
}

static bool choice(const char *arg, const char *name, const char * const *names,
		   u32 nr, u32 *value)
{
	size_t n = strlen(name);
	u32 i;

	if (strncmp(arg, name, n) || arg[n] != '=')
		return false;
	for (i = 0; i < nr; i++) {
		if (!strcmp(arg + n + 1, names[i])) {
			*value = i;
			return true;
		}
	}
	return false;
}

int main(int argc, char **argv)
{
	u64 worlds = 1, uses = 100, from = 1, at = 0, lazy = 2, pairs = 0;
	struct itimerval cpu_time = { 0 };
	u64 limit = 300, seed;
	u32 kind = NR_KINDS, role = NR_ROLES, k, r;
	int i;

	for (i = 1; i < argc; i++)
		if (!option(argv[i], "worlds", &worlds) &&
		    !option(argv[i], "reuses", &uses) &&
		    !option(argv[i], "from", &from) &&
		    !option(argv[i], "at", &at) &&
		    !option(argv[i], "lazy", &lazy) &&
		    !option(argv[i], "pairs", &pairs) &&
		    !option(argv[i], "limit", &limit) &&
		    !choice(argv[i], "role", roles, NR_ROLES, &role) &&
		    !choice(argv[i], "kind", kinds, NR_KINDS, &kind)) {
			fprintf(stderr, "%s: what is %s?\n", argv[0], argv[i]);
			return 2;
		}
	/* CPU time, so that other programs' load does not look like a hang. */
	cpu_time.it_value.tv_sec = (time_t)limit;
	setitimer(ITIMER_PROF, &cpu_time, NULL);
	for (k = 0; k < NR_KINDS; k++) {
		if (kind != NR_KINDS && k != kind)
			continue;
		for (seed = from; seed < from + pairs; seed++)
			two_halts((enum kind)k, seed, uses);
		for (r = 0; !pairs && r < NR_ROLES; r++) {
			if (role != NR_ROLES && r != role)
				continue;
			if (!is_for((enum role)r, (enum kind)k))
				continue;
			halts((enum kind)k, (enum role)r, from, worlds, at,
			      lazy < 2 ? (int)lazy : -1, uses);
		}
	}
	printf("%llu halts, chunks used %llu times, taken back %llu times\n",
	       nr_halts, nr_uses, nr_backs);
	if (pairs)
		printf("%llu times two were halted at once\n", nr_pairs_met);
	return 0;
}
