// SPDX-License-Identifier: GPL-2.0
/*
 * A word said just when the function begins, on another CPU, is heard, by that
 * run or by one more. An item in front, a gate, makes the two meet: it stays
 * until the thread is there, and the item begins when it goes.
 */
#include <linux/printk.h>

#include "own.h"

/* Words said in one operation. */
#define HEARD_WORDS		40

/* Turns that one waits for the other. */
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
 * Say one word, after @wait turns. Returns how often the item was queued; @met
 * tells whether its worker was there.
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
	/* Some cycles a turn: what matters takes tens of them. */
	while (wait--)
		barrier();
	/* Nothing between the word and the call. */
	WRITE_ONCE(o->said, word);
	puts += wsq_queue_work(o->q, &o->dwork.work);
	wsq_flush_work(&gate.work);
	wsq_flush_work(&o->dwork.work);
	wsq_destroy_work_on_stack(&gate.work);
	return puts;
}

/**
 * torture_own_heard() - words said when an item begins
 * @t: the thread
 *
 * The time to say it is found by trying: too early and the item is pending
 * still, too late and it is queued anew.
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
		/* Its CPU has other things to do. */
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
