// SPDX-License-Identifier: GPL-2.0
/*
 * A value is stored and an item queued just when the item's function begins on
 * another CPU: that run, or one more, must see the value. An item in front of
 * it, the gate, makes the two meet: the gate runs until the thread is ready,
 * and the item begins when the gate ends.
 */
#include <linux/printk.h>

#include "own.h"

/* Values stored in one operation. */
#define HEARD_WORDS		40

/* Iterations that one side waits for the other. */
#define HEARD_TURNS		20000

struct heard_gate {
	struct wsq_work work;
	int there;
	int go;
};

static void heard_gate_fn(struct wsq_work *work)
{
	struct heard_gate *gate = container_of(work, struct heard_gate, work);
	unsigned int turn;

	WRITE_ONCE(gate->there, 1);
	for (turn = 0; turn < HEARD_TURNS && !READ_ONCE(gate->go); turn++)
		cpu_relax();
}

static bool heard_await(struct heard_gate *gate)
{
	unsigned int turn;

	for (turn = 0; turn < HEARD_TURNS && !READ_ONCE(gate->there); turn++)
		cpu_relax();
	return turn < HEARD_TURNS;
}

/*
 * Store a value after @wait iterations. Returns how often the item was queued;
 * @met is set if its worker was in the gate.
 */
static unsigned int heard_say(struct torture_own *o, unsigned int cpu,
			      unsigned int wait, bool *met)
{
	struct heard_gate gate = {};
	unsigned int puts;
	u32 word;

	INIT_WSQ_WORK_ONSTACK(&gate.work, heard_gate_fn);
	o->said++;
	wsq_queue_work_on(cpu, o->q, &gate.work);
	puts = wsq_queue_work_on(cpu, o->q, &o->dwork.work);
	*met = heard_await(&gate);
	word = o->said + 1;
	WRITE_ONCE(gate.go, 1);
	/* Some cycles an iteration: the race is tens of cycles wide. */
	while (wait--)
		barrier();
	/* Nothing between the store and the call. */
	WRITE_ONCE(o->said, word);
	puts += wsq_queue_work(o->q, &o->dwork.work);
	wsq_flush_work(&gate.work);
	wsq_flush_work(&o->dwork.work);
	wsq_destroy_work_on_stack(&gate.work);
	return puts;
}

/**
 * torture_own_heard() - values stored when an item begins
 * @t: the thread
 *
 * Finds the right time by trial: too early, and the item is still pending; too
 * late, and it is queued anew.
 */
void torture_own_heard(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	struct torture_own *o = torture_own_new(torture_queue(0), 0);
	unsigned int i, puts, wait = 200, ran = 0;
	unsigned int cpu = torture_some_cpu(rnd);
	bool met;

	if (!o)
		return;
	if (cpu == raw_smp_processor_id())
		cpu = cpumask_any_but(cpu_online_mask, cpu);
	if (cpu >= nr_cpu_ids)
		cpu = raw_smp_processor_id();
	for (i = 0; i < HEARD_WORDS; i++) {
		puts = heard_say(o, cpu, wait, &met);
		ran += puts;
		if (!torture_own_ran(o, ran, "a word when it began"))
			break;
		/* Its CPU is busy with other things. */
		if (!met)
			break;
		if (puts == 1)
			wait += torture_roll(rnd, 64);
		else
			wait -= min(wait, torture_roll(rnd, 64));
		torture_inc(puts == 1 ? TC_OWN_HEARD : TC_OWN_HEARD_ANEW);
	}
	torture_own_dispose(o, torture_one_in(rnd, 2));
}
