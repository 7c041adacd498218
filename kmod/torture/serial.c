// SPDX-License-Identifier: GPL-2.0
/*
 * Serials. All threads, interrupts and tasklets queue to a few shared ones, one
 * by one and several at once: items of each actor run in the order in which it
 * queued them, never two at a time, and in the end as many have run as were
 * queued and not cancelled. Actors also disable their items. Threads queue items
 * after a delay as well, for which the order is not checked. A thread also
 * creates serials of its own, and frees and poisons them as soon as they are
 * idle.
 */
#include <linux/delay.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/wsq_serial.h>

#include "torture.h"

#define NR_SERIALS	4

/* Items of each actor for all shared serials. */
#define NR_OWN		8

/* Longest delay, in jiffies. */
#define MAX_DELAY	3

/* Items of a serial that belongs to one thread. */
#define NR_LIFE		12

/**
 * struct torture_serial - a shared serial
 * @serial: the serial
 * @inside: one of its items is running. Item.
 * @last: for each slot, the number that ran last. Item.
 * @queued: how often an item was newly queued
 * @ran: how many have run
 * @cancelled: how many were cancelled
 */
struct torture_serial {
	struct wsq_serial serial;
	u32 inside;
	u32 *last;
	atomic_t queued;
	atomic_t ran;
	atomic_t cancelled;
};

/**
 * struct torture_serial_item - an item that one actor queues
 * @work: the item
 * @serial: where it was queued last. Actor, while it is not @busy.
 * @slot: the actor's. Constant.
 * @seq: its number among the actor's. As @serial.
 * @dice: random number for the function. As @serial.
 * @busy: it is queued or running. Set by the actor, cleared by the function, or
 *	by the actor when it cancels the item.
 * @in_list: it was cancelled, and may still be in the serial's list. Actor.
 */
struct torture_serial_item {
	struct wsq_serial_work work;
	struct torture_serial *serial;
	unsigned int slot;
	u32 seq;
	u32 dice;
	bool busy;
	bool in_list;
};

/**
 * struct torture_serial_delayed - a thread's item that is queued after a delay
 * @dwork: the item
 * @serial: as for struct torture_serial_item, as all below
 * @dice: random number for the function
 * @busy: its delay runs, or it is queued or running
 */
struct torture_serial_delayed {
	struct wsq_serial_delayed_work dwork;
	struct torture_serial *serial;
	u32 dice;
	bool busy;
};

static struct torture_serial serials[NR_SERIALS];
static struct torture_serial_delayed *delayed;
static struct torture_serial_item *items;
static u32 *seqs;
static unsigned int nr_serials;

static void serial_enter(u32 *inside, const char *whose)
{
	if (READ_ONCE(*inside))
		torture_err("two items of %s serial run at a time", whose);
	WRITE_ONCE(*inside, 1);
}

static void serial_leave(u32 *inside, const char *whose)
{
	if (!READ_ONCE(*inside))
		torture_err("two items of %s serial ran at a time", whose);
	WRITE_ONCE(*inside, 0);
}

/* Most items are quick: thousands may be queued, so few may sleep. */
static void serial_dawdle(u32 dice)
{
	if (dice % 1024 == 1)
		schedule_timeout_idle(1);
	else if (dice % 64 == 2)
		udelay(9);
	else if (dice % 16 == 3)
		cond_resched();
}

static void serial_fn(struct wsq_serial_work *work)
{
	struct torture_serial_item *it =
		container_of(work, struct torture_serial_item, work);
	struct torture_serial *s = it->serial;

	serial_enter(&s->inside, "a shared");
	if (!READ_ONCE(it->busy))
		torture_err("an item of a serial runs that was not queued");
	if ((s32)(it->seq - s->last[it->slot]) <= 0)
		torture_err("item %u of actor %u runs behind %u in a serial",
			    it->seq, it->slot, s->last[it->slot]);
	s->last[it->slot] = it->seq;
	serial_dawdle(it->dice);
	atomic_inc(&s->ran);
	torture_inc(TC_SERIAL_RAN);
	serial_leave(&s->inside, "a shared");
	/* Pairs with torture_serial_ops(): the actor may reuse the item. */
	smp_store_release(&it->busy, false);
}

static void serial_delayed_fn(struct wsq_serial_work *work)
{
	struct torture_serial_delayed *d =
		container_of(work, struct torture_serial_delayed, dwork.work);
	struct torture_serial *s = d->serial;

	serial_enter(&s->inside, "a shared");
	if (!READ_ONCE(d->busy))
		torture_err("a delayed item of a serial runs that was not queued");
	serial_dawdle(d->dice);
	atomic_inc(&s->ran);
	torture_inc(TC_SERIAL_RAN);
	serial_leave(&s->inside, "a shared");
	/* Pairs with serial_delayed_round(). */
	smp_store_release(&d->busy, false);
}

/**
 * torture_serials_create() - create the shared serials, on shared queues
 * @rnd: random state
 *
 * Return: 0 or -ENOMEM; torture_serials_destroy() is due in both cases.
 */
int torture_serials_create(struct rnd_state *rnd)
{
	unsigned int i, nr = torture_nr_slots;

	items = kvcalloc(nr * NR_OWN, sizeof(*items), GFP_KERNEL);
	seqs = kvcalloc(nr, sizeof(*seqs), GFP_KERNEL);
	delayed = kvcalloc(nr, sizeof(*delayed), GFP_KERNEL);
	if (!items || !seqs || !delayed)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		wsq_serial_delayed_init(&delayed[i].dwork, serial_delayed_fn);
	for (i = 0; i < nr * NR_OWN; i++) {
		wsq_serial_work_init(&items[i].work, serial_fn);
		items[i].slot = i / NR_OWN;
	}
	for (i = 0; i < NR_SERIALS; i++) {
		struct torture_serial *s = &serials[i];

		memset(s, 0, sizeof(*s));
		wsq_serial_init(&s->serial, torture_some_queue(rnd));
		nr_serials = i + 1;
		s->last = kvcalloc(nr, sizeof(*s->last), GFP_KERNEL);
		if (!s->last)
			return -ENOMEM;
	}
	return 0;
}

static void serial_put(struct torture_actor *a, struct torture_serial_item *it)
{
	struct torture_serial *s = &serials[torture_roll(&a->rnd, NR_SERIALS)];
	int cpu = WSQ_CPU_ANY;

	/* Cancelled and still in a serial's list: only to that serial. */
	if (it->in_list)
		s = it->serial;
	if (torture_one_in(&a->rnd, 4))
		cpu = torture_some_cpu(&a->rnd);
	it->serial = s;
	it->seq = seqs[a->slot] + 1;
	it->dice = prandom_u32_state(&a->rnd);
	it->busy = true;
	/* Count before it can run. */
	atomic_inc(&s->queued);
	if (wsq_serial_queue_on(cpu, &s->serial, &it->work)) {
		seqs[a->slot]++;
		it->in_list = false;
		torture_inc(TC_SERIAL_QUEUED);
		return;
	}
	atomic_dec(&s->queued);
	it->busy = false;
	if (!it->in_list)
		torture_err("a serial refused an idle item");
}

/* Queue all that are idle, in one call. */
static void serial_put_many(struct torture_actor *a)
{
	struct torture_serial *s = &serials[torture_roll(&a->rnd, NR_SERIALS)];
	struct torture_serial_item *own = &items[a->slot * NR_OWN];
	struct wsq_serial_work *works[NR_OWN];
	unsigned int nr = 0, i, queued;

	for (i = 0; i < NR_OWN; i++) {
		struct torture_serial_item *it = &own[i];

		/* Pairs with serial_fn(). */
		if (smp_load_acquire(&it->busy) || it->in_list)
			continue;
		it->serial = s;
		it->seq = ++seqs[a->slot];
		it->dice = prandom_u32_state(&a->rnd);
		it->busy = true;
		works[nr++] = &it->work;
	}
	atomic_add(nr, &s->queued);
	queued = wsq_serial_queue_many(&s->serial, works, nr);
	if (queued != nr)
		torture_err("a serial took %u of %u idle items", queued, nr);
	torture_add(TC_SERIAL_MANY, queued);
}

/* Account for a cancel or disable. @got: the item will not run. */
static void serial_count_cancel(struct torture_serial_item *it, bool sync, bool got)
{
	if (got) {
		atomic_inc(&it->serial->cancelled);
		it->in_list = !sync;
		WRITE_ONCE(it->busy, false);
	} else if (sync && READ_ONCE(it->busy)) {
		torture_err("an item of a serial runs after it was cancelled");
	}
}

static void serial_cancel_item(struct torture_actor *a,
			       struct torture_serial_item *it)
{
	bool sync = a->ctx == TORTURE_TASK && torture_one_in(&a->rnd, 4), got;

	if (sync)
		got = wsq_serial_cancel_sync(&it->serial->serial, &it->work);
	else
		got = wsq_serial_cancel(&it->work);
	torture_inc(sync ? TC_SERIAL_CANCEL_SYNC : TC_SERIAL_CANCEL);
	serial_count_cancel(it, sync, got);
}

static void serial_disable_item(struct torture_actor *a,
				struct torture_serial_item *it)
{
	bool sync = a->ctx == TORTURE_TASK && torture_one_in(&a->rnd, 4), got;

	if (sync)
		got = wsq_serial_disable_sync(&it->serial->serial, &it->work);
	else
		got = wsq_serial_disable(&it->work);
	torture_inc(TC_SERIAL_DISABLE);
	serial_count_cancel(it, sync, got);
	if (wsq_serial_queue(&it->serial->serial, &it->work))
		torture_err("a serial took a disabled item");
	if (!wsq_serial_enable(&it->work))
		torture_err("an item of a serial is disabled once too often");
}

/* Of a thread: queue its item after a delay, or cancel it. */
static void serial_delayed_round(struct torture_actor *a)
{
	struct torture_serial_delayed *d = &delayed[a->slot];

	/* Pairs with serial_delayed_fn(). */
	if (!smp_load_acquire(&d->busy)) {
		d->serial = &serials[torture_roll(&a->rnd, NR_SERIALS)];
		d->dice = prandom_u32_state(&a->rnd);
		d->busy = true;
		atomic_inc(&d->serial->queued);
		if (!wsq_serial_queue_delayed(&d->serial->serial, &d->dwork,
					      torture_roll(&a->rnd, MAX_DELAY + 1)))
			torture_err("a serial refused an idle delayed item");
		torture_inc(TC_SERIAL_DELAYED);
	} else if (torture_one_in(&a->rnd, 4)) {
		if (wsq_serial_cancel_delayed_sync(&d->serial->serial, &d->dwork)) {
			atomic_inc(&d->serial->cancelled);
			d->busy = false;
			torture_inc(TC_SERIAL_CANCEL_DELAYED);
		} else if (READ_ONCE(d->busy)) {
			torture_err("a delayed item of a serial runs after it was cancelled");
		}
	}
}

/**
 * torture_serial_ops() - queue one or all of the actor's items to a shared
 * serial, or cancel or disable one
 * @a: the actor
 *
 * Context: any but NMI.
 */
void torture_serial_ops(struct torture_actor *a)
{
	struct torture_serial_item *it =
		&items[a->slot * NR_OWN + torture_roll(&a->rnd, NR_OWN)];

	/* Pairs with serial_fn(). */
	if (!smp_load_acquire(&it->busy)) {
		if (torture_one_in(&a->rnd, 4))
			serial_put_many(a);
		else
			serial_put(a, it);
	} else if (torture_one_in(&a->rnd, 4)) {
		if (torture_one_in(&a->rnd, 4))
			serial_disable_item(a, it);
		else
			serial_cancel_item(a, it);
	}
}

/**
 * torture_serial_round() - several operations, and a flush now and then
 * @t: the thread
 */
void torture_serial_round(struct torture_thread *t)
{
	struct torture_serial_item *it;
	unsigned int nr = 1 + torture_roll(&t->actor.rnd, 8);

	while (nr--)
		torture_serial_ops(&t->actor);
	serial_delayed_round(&t->actor);
	it = &items[t->actor.slot * NR_OWN + torture_roll(&t->actor.rnd, NR_OWN)];
	if (!READ_ONCE(it->busy) || !torture_one_in(&t->actor.rnd, 4))
		return;
	wsq_serial_flush(&it->serial->serial);
	torture_inc(TC_SERIAL_FLUSH);
	if ((s32)(READ_ONCE(it->serial->last[it->slot]) - it->seq) < 0)
		torture_err("an item of a serial has not run when a flush returned");
}

/**
 * torture_serials_calm() - are the shared serials idle
 *
 * Return: true if so.
 */
bool torture_serials_calm(void)
{
	unsigned int i;

	for (i = 0; i < nr_serials; i++)
		if (!wsq_serial_idle(&serials[i].serial))
			return false;
	return true;
}

/**
 * torture_serials_finish() - run all that is queued, and compare counts
 *
 * Context: task; no other context uses the serials any more.
 */
void torture_serials_finish(void)
{
	unsigned int i;

	/* Cancel delays first: wsq_serial_destroy() refuses items. */
	for (i = 0; i < torture_nr_slots; i++) {
		struct torture_serial_delayed *d = &delayed[i];

		if (d->serial &&
		    wsq_serial_cancel_delayed_sync(&d->serial->serial, &d->dwork))
			atomic_inc(&d->serial->cancelled);
	}
	for (i = 0; i < nr_serials; i++) {
		struct torture_serial *s = &serials[i];
		int queued, ran, cancelled;

		wsq_serial_destroy(&s->serial);
		queued = atomic_read(&s->queued);
		ran = atomic_read(&s->ran);
		cancelled = atomic_read(&s->cancelled);
		if (queued != ran + cancelled)
			torture_err("serial %u: queued %d, ran %d, cancelled %d",
				    i, queued, ran, cancelled);
	}
}

/**
 * torture_serials_destroy() - free the shared serials
 */
void torture_serials_destroy(void)
{
	while (nr_serials)
		kvfree(serials[--nr_serials].last);
	kvfree(items);
	kvfree(seqs);
	kvfree(delayed);
}

/**
 * struct torture_life - a serial that belongs to one thread, with its items
 * @serial: the serial
 * @inside: one of them is running
 * @nr: how many have run
 * @items: the items
 */
struct torture_life {
	struct wsq_serial serial;
	u32 inside;
	u32 nr;
	struct torture_life_item {
		struct wsq_serial_work work;
		struct torture_life *life;
		u32 dice;
		u32 said;
		u32 seen;
		u32 ran_as;
	} items[NR_LIFE];
};

static void life_fn(struct wsq_serial_work *work)
{
	struct torture_life_item *it =
		container_of(work, struct torture_life_item, work);
	struct torture_life *l = it->life;

	serial_enter(&l->inside, "an own");
	it->seen = READ_ONCE(it->said);
	serial_dawdle(it->dice);
	it->ran_as = ++l->nr;
	serial_leave(&l->inside, "an own");
}

/* All that were not cancelled have run, in order, and seen the last value. */
static void life_check(const struct torture_life *l, const bool *cancelled)
{
	u32 i, nr = 0;

	for (i = 0; i < NR_LIFE; i++) {
		const struct torture_life_item *it = &l->items[i];
		u32 want = cancelled[i] ? 0 : ++nr;

		if (it->ran_as != want)
			torture_err("own serial: item %u ran as number %u, not %u",
				    i, it->ran_as, want);
		else if (want && it->seen != it->said)
			torture_err("own serial: item %u heard %u of %u", i,
				    it->seen, it->said);
	}
}

/**
 * torture_serial_life() - create a serial, use it, free it once it is idle
 * @t: the thread
 */
void torture_serial_life(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	bool cancelled[NR_LIFE] = {};
	struct torture_life *l;
	unsigned int i, j;

	l = kzalloc(sizeof(*l), GFP_KERNEL | __GFP_NOWARN);
	if (!l) {
		torture_inc(TC_NO_MEMORY);
		return;
	}
	wsq_serial_init(&l->serial, torture_some_queue(rnd));
	for (i = 0; i < NR_LIFE; i++) {
		struct torture_life_item *it = &l->items[i];

		wsq_serial_work_init(&it->work, life_fn);
		it->life = l;
		it->dice = prandom_u32_state(rnd);
		it->said = 1;
		if (!wsq_serial_queue(&l->serial, &it->work))
			torture_err("own serial refused an idle item");
		if (torture_one_in(rnd, 4)) {
			j = torture_roll(rnd, i + 1);
			cancelled[j] |= wsq_serial_cancel(&l->items[j].work);
		}
		j = torture_roll(rnd, i + 1);
		if (cancelled[j] || !torture_one_in(rnd, 4))
			continue;
		/* A value stored while the item is queued is seen. */
		WRITE_ONCE(l->items[j].said, 2);
		if (wsq_serial_queue(&l->serial, &l->items[j].work))
			break;
	}
	switch (torture_roll(rnd, 3)) {
	case 0:
		wsq_serial_destroy(&l->serial);
		break;
	case 1:
		wsq_serial_flush(&l->serial);
		fallthrough;
	default:
		while (!wsq_serial_idle(&l->serial))
			torture_pause(rnd);
	}
	/* Not if the last put was accepted: that item runs twice. */
	if (i == NR_LIFE)
		life_check(l, cancelled);
	torture_inc(TC_SERIAL_LIFE);
	memset(l, TORTURE_POISON, sizeof(*l));
	kfree(l);
}
