// SPDX-License-Identifier: GPL-2.0
/*
 * The queues of the two sets, and the watchdog that reports starved items. See
 * rivals.h.
 *
 * A thread records its round before it queues the first item. The watchdog, in
 * the control thread, reports a thread of which no function begins or ends for
 * torture_starved beats, together with the rounds of the hostile set. Then it sets
 * rival_let_go: every hostile item ends as soon as it can, so that the run ends
 * with an error instead of hanging.
 */
#include <linux/err.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "rivals.h"

/* [0] is the promise set, [1] the hostile one. */
static struct wsq *queues[2][RIVAL_QUEUES];
static struct rival rivals[2 * RIVAL_MAX];

/* How often a function of the hostile set has begun, by CPU. */
DEFINE_PER_CPU(unsigned long, rival_hostile_runs);

/* Hostile items must end. */
bool rival_let_go;

/**
 * rival_queue() - a random queue of one set
 * @hostile: which set
 * @rnd: random state
 * @engine: where to store the engine's name
 *
 * Return: the queue.
 */
struct wsq *rival_queue(bool hostile, struct rnd_state *rnd,
			const char **engine)
{
	u32 i = torture_roll(rnd, RIVAL_QUEUES);

	*engine = torture_engines[i].name;
	return queues[hostile][i];
}

/**
 * rival_solo_queue() - create a queue of one CPU
 * @rnd: random state
 * @cpu: the CPU, from torture_solo_cpu()
 * @engine: where to store the engine's name
 *
 * Context: task; may sleep.
 * Return: the queue, or %NULL, which was counted.
 */
struct wsq *rival_solo_queue(struct rnd_state *rnd, unsigned int cpu,
			     const char **engine)
{
	u32 i = torture_roll(rnd, RIVAL_QUEUES);
	struct wsq_attrs attrs;
	struct wsq *q;

	torture_queue_attrs(&attrs, rnd);
	attrs.engine = torture_engines[i].engine;
	attrs.flags &= ~WSQ_SYSFS;
	attrs.class = WSQ_CLASS_NORMAL;
	attrs.cpumask = cpumask_of(cpu);
	*engine = torture_engines[i].name;
	q = wsq_create(&attrs, "solo");
	if (!IS_ERR(q))
		return q;
	if (PTR_ERR(q) == -ENOMEM)
		torture_inc(TC_NO_MEMORY);
	else
		torture_err("wsq_create() for CPU %u returned %ld", cpu,
			    PTR_ERR(q));
	return NULL;
}

/**
 * torture_rivals_create() - create the queues of both sets
 * @rnd: random state
 *
 * Return: 0 or a negative errno; torture_rivals_destroy() is due in both cases.
 */
int torture_rivals_create(struct rnd_state *rnd)
{
	unsigned int set, i;

	for (set = 0; set < 2; set++) {
		for (i = 0; i < RIVAL_QUEUES; i++) {
			struct wsq_attrs attrs;
			struct wsq *q;

			torture_queue_attrs(&attrs, rnd);
			attrs.engine = torture_engines[i].engine;
			attrs.flags &= ~WSQ_SYSFS;
			/* A high one may keep 98 % of a CPU for itself. */
			if (set)
				attrs.class = WSQ_CLASS_NORMAL;
			attrs.cpumask = cpu_possible_mask;
			q = wsq_create(&attrs, "%s_%s",
				       set ? "hostile" : "promise",
				       torture_engines[i].name);
			if (IS_ERR(q))
				return PTR_ERR(q);
			queues[set][i] = q;
		}
	}
	return 0;
}

/**
 * torture_rivals_destroy() - destroy the queues of both sets
 */
void torture_rivals_destroy(void)
{
	unsigned int i;

	for (i = 0; i < 2 * RIVAL_QUEUES; i++) {
		struct wsq **q = &queues[i / RIVAL_QUEUES][i % RIVAL_QUEUES];

		wsq_destroy(*q);
		*q = NULL;
	}
}

/**
 * rival_begin() - record a round for the watchdog, before its first put
 * @t: the thread
 * @what: description
 * @engine: engine of the queue
 * @cpu: the CPU that items are bound to, or -1
 * @nr: number of items
 *
 * Return: where items count their begins and ends; rival_end() is due.
 */
struct rival *rival_begin(struct torture_thread *t, const char *what,
			  const char *engine, int cpu, unsigned int nr)
{
	struct rival *r = &rivals[t->rival];

	WRITE_ONCE(t->doing, what);
	r->engine = engine;
	r->cpu = cpu;
	r->nr = nr;
	atomic_set(&r->begun, 0);
	atomic_set(&r->ended, 0);
	WRITE_ONCE(r->since, torture_clock());
	WRITE_ONCE(r->told, false);
	/* Pairs with rival_notify(). */
	smp_store_release(&r->what, what);
	return r;
}

/**
 * rival_end() - the round has ended
 * @r: from rival_begin()
 */
void rival_end(struct rival *r)
{
	WRITE_ONCE(r->what, NULL);
}

/**
 * rival_await_promises() - wait for progress of each thread of promise.c
 *
 * Progress is the end of its round, or of one more function. Returns early when
 * hostile items must end.
 *
 * Context: task; sleeps.
 */
void rival_await_promises(void)
{
	unsigned int i;

	for (i = 0; i < RIVAL_MAX; i++) {
		struct rival *r = &rivals[i];
		const char *what = READ_ONCE(r->what);
		int ended = atomic_read(&r->ended);

		while (what && READ_ONCE(r->what) == what &&
		       atomic_read(&r->ended) == ended &&
		       !READ_ONCE(rival_let_go))
			schedule_timeout_idle(1);
	}
}

static void rival_notify(const struct rival *r)
{
	/* Pairs with rival_begin(). */
	const char *what = smp_load_acquire(&r->what);

	if (what)
		pr_err("wsq_torture: waiting behind: %u items, %s, engine %s, CPU %d: %d begun, %d ended\n",
		       r->nr, what, r->engine, r->cpu, atomic_read(&r->begun),
		       atomic_read(&r->ended));
}

/**
 * torture_rivals_watch() - report threads of the two sets without progress
 *
 * Context: task; one at a time.
 */
void torture_rivals_watch(void)
{
	unsigned long clock = torture_clock();
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(rivals); i++) {
		struct rival *r = &rivals[i];
		/* Pairs with rival_begin(). */
		const char *what = smp_load_acquire(&r->what);
		u32 moves = atomic_read(&r->begun) + atomic_read(&r->ended);

		if (!what || moves != r->moves) {
			if (what)
				torture_waited(TORTURE_WAIT_RIVAL,
					       clock - READ_ONCE(r->since));
			r->moves = moves;
			WRITE_ONCE(r->since, clock);
			continue;
		}
		if (READ_ONCE(r->told) || !torture_overdue(READ_ONCE(r->since), 1))
			continue;
		WRITE_ONCE(r->told, true);
		torture_err("starved for %u beats: %u items, %s, engine %s, CPU %d: %d begun, %d ended",
			    torture_starved, r->nr, what, r->engine, r->cpu,
			    atomic_read(&r->begun), atomic_read(&r->ended));
		for (j = RIVAL_MAX; j < ARRAY_SIZE(rivals); j++)
			if (j != i)
				rival_notify(&rivals[j]);
		WRITE_ONCE(rival_let_go, true);
	}
}
