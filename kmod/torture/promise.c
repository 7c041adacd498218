// SPDX-License-Identifier: GPL-2.0
/*
 * The promise set: each round queues a few short items in one way (open, bound,
 * near, through a serial, delayed) on queues of its own, and checks that they
 * run although the hostile set keeps workers asleep and busy.
 *
 * An item bound to a CPU competes only with hostile items of that CPU. So these
 * are counted from the end of its put (the producer may be preempted in it) to
 * its run. For other items the watchdog of rivals.c sets the limit. A round
 * ends with a wait, a flush or a cancellation, and accounts for each item.
 *
 * Limitation: a CPU that goes offline ends the count of its round.
 */
#include <linux/delay.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/wsq_serial.h>

#include "rivals.h"

#define PROMISE_ITEMS		16

enum promise_way {
	PROMISE_OPEN,
	PROMISE_BOUND,
	PROMISE_NEAR,
	PROMISE_SERIAL,
	PROMISE_DELAYED,
	PROMISE_WAYS
};

static const char *const promise_names[PROMISE_WAYS] = {
	"short, open",
	"short, bound",
	"short, near a CPU",
	"short, through a serial",
	"short, delayed",
};

/* How a round ends. */
enum promise_end {
	PROMISE_WAIT,
	PROMISE_FLUSH,
	PROMISE_FLUSH_WORK,
	PROMISE_CANCEL,
	PROMISE_ENDS
};

struct promise;

/**
 * struct promise_item - an item of a round
 * @dwork: the item; the timer is for delayed ones
 * @serial_work: the item, if it goes through a serial
 * @p: the round
 * @nr: its number
 * @dice: random number that gives its run time
 * @runs: how often it ran
 * @in_func: the function is running
 * @before: hostile functions that had begun on its CPU when its put returned;
 *	%ULONG_MAX until then
 * @put_at: torture_beats() of its CPU at that time
 * @passed: hostile functions that began on its CPU between that and its run; 0
 *	if it was not late. Function.
 */
struct promise_item {
	struct wsq_delayed_work dwork;
	struct wsq_serial_work serial_work;
	struct promise *p;
	unsigned int nr;
	u32 dice;
	atomic_t runs;
	atomic_t in_func;
	unsigned long before;
	unsigned long put_at;
	unsigned long passed;
};

/**
 * struct promise - a round
 * @q: the queue
 * @way: how items are queued
 * @rival: where begun and ended functions are counted
 * @serial: the serial for its items
 * @inside: items of @serial that are running
 * @last: number of the item of @serial that ran last, plus one
 * @cpu: the CPU of the round
 * @age: torture_cpu_age() of @cpu before the first put
 * @nr: number of items
 * @items: the items
 */
struct promise {
	struct wsq *q;
	enum promise_way way;
	struct rival *rival;
	struct wsq_serial serial;
	atomic_t inside;
	unsigned int last;
	unsigned int cpu;
	int age;
	unsigned int nr;
	struct promise_item items[PROMISE_ITEMS];
};

/*
 * Hostile functions that have begun on the CPU since the put of the item; 0 if
 * the CPU's witness has had few beats since then.
 */
static unsigned long promise_passed(const struct promise_item *it)
{
	/* Pairs with promise_items(): @put_at is of that put. */
	unsigned long before = smp_load_acquire(&it->before);
	unsigned int cpu = it->p->cpu;

	if (before == ULONG_MAX ||
	    torture_beats(cpu) - it->put_at < RIVAL_BEATS)
		return 0;
	return READ_ONCE(per_cpu(rival_hostile_runs, cpu)) - before;
}

static void promise_waited(const struct promise_item *it)
{
	const struct promise *p = it->p;
	/* Pairs with promise_items(): @put_at is of that put. */
	unsigned long before = smp_load_acquire(&it->before);

	if (p->way == PROMISE_BOUND && before != ULONG_MAX)
		torture_waited(TORTURE_WAIT_BOUND,
			       torture_beats(p->cpu) - it->put_at);
}

static void promise_run(struct promise_item *it)
{
	struct promise *p = it->p;

	if (atomic_inc_return(&it->in_func) != 1)
		torture_err("a short item runs twice at the same time");
	it->passed = promise_passed(it);
	promise_waited(it);
	atomic_inc(&p->rival->begun);
	if (it->dice % 64 == 1)
		schedule_timeout_idle(1);
	else if (it->dice % 8 == 2)
		udelay(it->dice / 8 % 50);
	atomic_inc(&p->rival->ended);
	atomic_inc(&it->runs);
	if (atomic_dec_return(&it->in_func))
		torture_err("a short item ran twice at the same time");
}

static void promise_fn(struct wsq_work *work)
{
	promise_run(container_of(work, struct promise_item, dwork.work));
}

static void promise_serial_fn(struct wsq_serial_work *work)
{
	struct promise_item *it = container_of(work, struct promise_item,
					       serial_work);
	struct promise *p = it->p;

	if (atomic_inc_return(&p->inside) != 1)
		torture_err("two short items of a serial run at a time");
	if (it->nr < p->last)
		torture_err("short item %u of a serial runs behind %u", it->nr,
			    p->last - 1);
	p->last = it->nr + 1;
	promise_run(it);
	atomic_dec(&p->inside);
}

static bool promise_put(struct promise_item *it, enum promise_way way,
			struct rnd_state *rnd)
{
	struct promise *p = it->p;
	struct wsq_work *work = &it->dwork.work;

	switch (way) {
	case PROMISE_BOUND:
		return wsq_queue_work_on(p->cpu, p->q, work);
	case PROMISE_NEAR:
		return wsq_queue_work_near(p->cpu, p->q, work);
	case PROMISE_SERIAL:
		return wsq_serial_queue(&p->serial, &it->serial_work);
	case PROMISE_DELAYED:
		return wsq_queue_delayed_work(p->q, &it->dwork,
					      torture_roll(rnd, 4));
	default:
		return wsq_queue_work(p->q, work);
	}
}

/* Returns 1 if it will not run, 0 if it has or nothing was cancelled. */
static int promise_stop(struct promise_item *it, enum promise_way way,
			enum promise_end end, struct rnd_state *rnd)
{
	struct promise *p = it->p;
	struct wsq_work *work = &it->dwork.work;
	bool cancelled = false;

	if (end == PROMISE_CANCEL) {
		if (way == PROMISE_SERIAL) {
			cancelled = wsq_serial_cancel_sync(&p->serial,
							   &it->serial_work);
		} else if (torture_one_in(rnd, 2)) {
			cancelled = wsq_cancel_work_sync(work);
		} else {
			cancelled = wsq_disable_work_sync(work);
			if (wsq_queue_work(p->q, work))
				torture_err("a short item could be queued while disabled");
			wsq_enable_work(work);
		}
	} else if (end == PROMISE_FLUSH_WORK || end == PROMISE_FLUSH) {
		if (way == PROMISE_SERIAL)
			wsq_serial_flush(&p->serial);
		else if (way == PROMISE_DELAYED)
			wsq_flush_delayed_work(&it->dwork);
		else if (end == PROMISE_FLUSH_WORK)
			wsq_flush_work(work);
	}
	return cancelled;
}

/* Check an item after the call that should have brought it to rest. */
static void promise_check(const struct promise_item *it, int runs,
			  enum promise_way way, enum promise_end end)
{
	const struct promise *p = it->p;

	if (atomic_read(&it->in_func) || atomic_read(&it->runs) != runs)
		torture_err("%s: item %u of %u ran %d times, not %d, after way %d to wait for it, running %d",
			    promise_names[way], it->nr, p->nr,
			    atomic_read(&it->runs), runs, end,
			    atomic_read(&it->in_func));
	if (way == PROMISE_BOUND && runs && it->passed > RIVAL_MOST &&
	    p->age == torture_cpu_age(p->cpu))
		torture_err("starved: a short item ran on CPU %u after %lu hostile ones",
			    p->cpu, it->passed);
}

/* Wait until the item has run. Few hostile ones may run before a bound one. */
static void promise_await(const struct promise_item *it, enum promise_way way)
{
	const struct promise *p = it->p;
	bool told = false;

	while (!atomic_read_acquire(&it->runs)) {
		schedule_timeout_idle(1);
		if (way != PROMISE_BOUND || told ||
		    promise_passed(it) <= RIVAL_MOST ||
		    p->age != torture_cpu_age(p->cpu) ||
		    atomic_read(&it->in_func))
			continue;
		torture_err("starved: a short item waits on CPU %u behind %lu hostile ones",
			    p->cpu, promise_passed(it));
		WRITE_ONCE(rival_let_go, true);
		told = true;
	}
}

static void promise_items(struct promise *p, enum promise_way way,
			  struct rnd_state *rnd)
{
	enum promise_end end = torture_roll(rnd, PROMISE_ENDS);
	int runs[PROMISE_ITEMS];
	unsigned int i;

	p->age = torture_cpu_age(p->cpu);
	for (i = 0; i < p->nr; i++) {
		if (!promise_put(&p->items[i], way, rnd))
			torture_err("%s: an idle item was not queued",
				    promise_names[way]);
		p->items[i].put_at = torture_beats(p->cpu);
		/* The function may be running already. */
		smp_store_release(&p->items[i].before,
				  READ_ONCE(per_cpu(rival_hostile_runs,
						    p->cpu)));
	}
	if (end == PROMISE_WAIT)
		for (i = 0; i < p->nr; i++)
			promise_await(&p->items[i], way);
	if (end == PROMISE_FLUSH)
		wsq_flush(p->q);
	for (i = 0; i < p->nr; i++) {
		runs[i] = 1 - promise_stop(&p->items[i], way, end, rnd);
		if (end != PROMISE_WAIT)
			promise_check(&p->items[i], runs[i], way, end);
	}
	if (end == PROMISE_CANCEL)
		torture_pause(rnd);
	/* Wait in any case: the memory is freed next. */
	if (way == PROMISE_SERIAL)
		wsq_serial_destroy(&p->serial);
	for (i = 0; i < p->nr; i++) {
		if (way != PROMISE_SERIAL)
			wsq_flush_work(&p->items[i].dwork.work);
		promise_check(&p->items[i], runs[i], way, end);
	}
	torture_inc(TC_PROMISE_OPEN + way);
	torture_inc(TC_PROMISE_WAIT + end);
}

/**
 * torture_promise_round() - run a round of short items beside the hostile set
 * @t: the thread
 */
void torture_promise_round(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	enum promise_way way = torture_roll(rnd, PROMISE_WAYS);
	const char *engine;
	struct promise *p;
	unsigned int i;

	p = kzalloc(sizeof(*p), GFP_KERNEL | __GFP_NOWARN);
	if (!p) {
		torture_inc(TC_NO_MEMORY);
		return;
	}
	p->q = rival_queue(false, rnd, &engine);
	p->way = way;
	p->cpu = torture_some_cpu(rnd);
	p->nr = 1 + torture_roll(rnd, PROMISE_ITEMS);
	wsq_serial_init(&p->serial, p->q);
	for (i = 0; i < p->nr; i++) {
		struct promise_item *it = &p->items[i];

		it->p = p;
		it->nr = i;
		it->before = ULONG_MAX;
		it->dice = prandom_u32_state(rnd);
		INIT_WSQ_DELAYED_WORK(&it->dwork, promise_fn);
		wsq_serial_work_init(&it->serial_work, promise_serial_fn);
	}
	p->rival = rival_begin(t, promise_names[way], engine,
			       way == PROMISE_BOUND ? (int)p->cpu : -1, p->nr);
	promise_items(p, way, rnd);
	rival_end(p->rival);
	kfree(p);
	WRITE_ONCE(t->doing, "pause");
	torture_pause(rnd);
	if (torture_one_in(rnd, 8))
		schedule_timeout_idle(1 + torture_roll(rnd, HZ / 50 + 1));
}
