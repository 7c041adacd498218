// SPDX-License-Identifier: GPL-2.0
/*
 * The hostile set: each round queues up to a few hundred items that sleep, wait
 * for a mutex, compute for 20 ms and more, wait for the last of them, wait for
 * an item of another queue on the same CPU, or queue themselves again until an
 * ordinary item behind them has run. The round also queues them in vain,
 * cancels and disables them, and in the end accounts for each.
 *
 * promise.c runs at the same time. The kinds are taken in turn, so that a short
 * run has all of them.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "rivals.h"

struct hostile_item;

/**
 * struct hostile_kind - what the items of a round do
 * @name: for the log
 * @count: count of such rounds
 * @most: items of a round, at most
 * @whole: no item may be cancelled, because others wait for it
 * @fn: what an item does
 */
struct hostile_kind {
	const char *name;
	enum torture_count count;
	unsigned int most;
	bool whole;
	void (*fn)(struct hostile_item *it);
};

/**
 * struct hostile_item - an item of a round
 * @work: the item
 * @peer: an item of another queue, for which this one waits
 * @peer_done: @peer has run
 * @h: the round
 * @dice: random state of its function. Function.
 * @due: runs that are due: times newly queued minus times cancelled
 * @runs: how often the function has ended
 * @peer_due: how often @peer was queued
 * @peer_runs: how often @peer has run
 * @in_func: the function is running
 * @held: it is disabled, and the function is not running
 */
struct hostile_item {
	struct wsq_work work;
	struct wsq_work peer;
	struct completion peer_done;
	struct hostile *h;
	struct rnd_state dice;
	atomic_t due;
	atomic_t runs;
	atomic_t peer_due;
	atomic_t peer_runs;
	atomic_t in_func;
	atomic_t held;
};

/**
 * struct hostile - a round
 * @kind: what its items do. Constant.
 * @q: their queue. Constant.
 * @other: the queue of the items that they wait for. Constant.
 * @rival: where begun and ended functions are counted. Constant.
 * @cpu: the CPU they are bound to, or -1. Constant.
 * @nr: number of items. Constant.
 * @lock: the mutex that items wait for
 * @last: completed by the last item that begins
 * @inside: items that have begun
 * @over: items do not queue themselves again
 * @victim: an ordinary item behind items that queue themselves again
 * @victim_ran: @victim has run
 * @items: the items
 */
struct hostile {
	const struct hostile_kind *kind;
	struct wsq *q;
	struct wsq *other;
	struct rival *rival;
	int cpu;
	unsigned int nr;
	struct mutex lock;	/* items wait for it */
	struct completion last;
	atomic_t inside;
	bool over;
	struct wsq_work victim;
	atomic_t victim_ran;
	struct hostile_item items[];
};

static bool hostile_put(struct hostile_item *it)
{
	struct hostile *h = it->h;

	/* Count before it can run. */
	atomic_inc(&it->due);
	if (h->cpu >= 0 ? wsq_queue_work_on(h->cpu, h->q, &it->work) :
			  wsq_queue_work(h->q, &it->work))
		return true;
	atomic_dec(&it->due);
	return false;
}

static void hostile_sleep(struct hostile_item *it)
{
	schedule_timeout_idle(1 + torture_roll(&it->dice, HZ / 16 + 1));
}

static void hostile_mutex(struct hostile_item *it)
{
	mutex_lock(&it->h->lock);
	schedule_timeout_idle(1);
	mutex_unlock(&it->h->lock);
}

static void hostile_compute(struct hostile_item *it)
{
	mdelay(20 + torture_roll(&it->dice, 20));
}

/* Wait at most a second at a time: the watchdog may set rival_let_go. */
static void hostile_await(struct completion *done)
{
	while (!wait_for_completion_timeout(done, HZ))
		if (READ_ONCE(rival_let_go))
			break;
}

static void hostile_gather(struct hostile_item *it)
{
	if (atomic_inc_return(&it->h->inside) == it->h->nr)
		complete_all(&it->h->last);
	hostile_await(&it->h->last);
}

static void hostile_peer_fn(struct wsq_work *work)
{
	struct hostile_item *it = container_of(work, struct hostile_item, peer);

	this_cpu_inc(rival_hostile_runs);
	atomic_inc(&it->peer_runs);
	complete(&it->peer_done);
}

static void hostile_peer(struct hostile_item *it)
{
	struct hostile *h = it->h;
	int cpu = h->cpu >= 0 ? h->cpu : raw_smp_processor_id();

	atomic_inc(&it->peer_due);
	if (!wsq_queue_work_on(cpu, h->other, &it->peer))
		torture_err("an idle hostile item was not queued");
	hostile_await(&it->peer_done);
}

static void hostile_flood(struct hostile_item *it)
{
	if (READ_ONCE(it->h->over) || READ_ONCE(rival_let_go))
		return;
	if (!hostile_put(it))
		torture_err("a hostile item was pending though it ran");
}

/* torture_hostile_round() takes them in turn. */
static const struct hostile_kind hostile_kinds[] = {
	{ "queue themselves again", TC_HOSTILE_FLOOD, 16, true,
	  hostile_flood },
	{ "wait for the last of them", TC_HOSTILE_GATHER, 100, true,
	  hostile_gather },
	{ "sleep", TC_HOSTILE_SLEEP, 300, false, hostile_sleep },
	{ "compute for 20 ms and more", TC_HOSTILE_COMPUTE, 6, false,
	  hostile_compute },
	{ "wait for another queue's items", TC_HOSTILE_PEER, 40, true,
	  hostile_peer },
	{ "wait for a mutex", TC_HOSTILE_MUTEX, 24, false, hostile_mutex },
};

static void hostile_fn(struct wsq_work *work)
{
	struct hostile_item *it = container_of(work, struct hostile_item, work);
	struct rival *rival = it->h->rival;

	if (atomic_inc_return(&it->in_func) != 1)
		torture_err("a hostile item runs twice at the same time");
	if (atomic_read(&it->held))
		torture_err("a hostile item runs while disabled");
	this_cpu_inc(rival_hostile_runs);
	atomic_inc(&rival->begun);
	it->h->kind->fn(it);
	atomic_inc(&rival->ended);
	atomic_inc(&it->runs);
	if (atomic_dec_return(&it->in_func))
		torture_err("a hostile item ran twice at the same time");
}

static void hostile_victim_fn(struct wsq_work *work)
{
	struct hostile *h = container_of(work, struct hostile, victim);

	atomic_inc_return_release(&h->victim_ran);
}

/* Queue, cancel or disable items that may be pending, running or idle. */
static void hostile_meddle(struct hostile *h, struct rnd_state *rnd)
{
	unsigned int nr = torture_roll(rnd, 64);

	while (nr--) {
		struct hostile_item *it = &h->items[torture_roll(rnd, h->nr)];
		u32 how = torture_roll(rnd, 16);

		if (how < 8) {
			if (!hostile_put(it))
				torture_inc(TC_HOSTILE_FUTILE);
		} else if (how < 12) {
			if (wsq_cancel_work(&it->work))
				atomic_dec(&it->due);
		} else {
			bool sync = how == 15;

			if (sync ? wsq_disable_work_sync(&it->work) :
				   wsq_disable_work(&it->work))
				atomic_dec(&it->due);
			if (sync) {
				atomic_inc(&it->held);
				if (atomic_read(&it->in_func))
					torture_err("a hostile item runs after it was disabled");
			}
			if (hostile_put(it))
				torture_err("a hostile item could be queued while disabled");
			else
				torture_inc(TC_HOSTILE_FUTILE);
			if (sync)
				atomic_dec(&it->held);
			wsq_enable_work(&it->work);
		}
	}
}

/* Wait until each item has run as often as queued. No timeout: see rivals.c. */
static void hostile_await_all(struct hostile *h)
{
	unsigned int i;

	for (i = 0; i < h->nr; i++)
		while (atomic_read_acquire(&h->items[i].runs) !=
		       atomic_read(&h->items[i].due))
			schedule_timeout_idle(1);
}

/* Wait for all items in one of several ways, and compare counts. */
static void hostile_account(struct hostile *h, struct rnd_state *rnd)
{
	u32 how = torture_roll(rnd, 4);
	unsigned int i;

	if (!how)
		wsq_flush(h->q);
	for (i = 0; i < h->nr; i++) {
		struct hostile_item *it = &h->items[i];

		if (how == 1) {
			wsq_flush_work(&it->work);
		} else if (how == 2) {
			if (wsq_cancel_work_sync(&it->work))
				atomic_dec(&it->due);
		} else if (how == 3) {
			if (wsq_disable_work_sync(&it->work))
				atomic_dec(&it->due);
			wsq_enable_work(&it->work);
		}
		wsq_flush_work(&it->peer);
	}
	for (i = 0; i < h->nr; i++) {
		struct hostile_item *it = &h->items[i];

		if (atomic_read(&it->in_func) || wsq_work_busy(&it->work))
			torture_err("a hostile item is busy after way %u to wait for it",
				    how);
		if (atomic_read(&it->runs) != atomic_read(&it->due) ||
		    atomic_read(&it->peer_runs) != atomic_read(&it->peer_due))
			torture_err("a hostile item ran %d times, not %d, and its peer %d, not %d",
				    atomic_read(&it->runs),
				    atomic_read(&it->due),
				    atomic_read(&it->peer_runs),
				    atomic_read(&it->peer_due));
	}
}

/*
 * Queue an ordinary item behind bound ones that queue themselves again. If the
 * queue has one CPU, no thief helps; then count the items that run before it.
 */
static void hostile_victim(struct hostile *h, struct rnd_state *rnd, bool solo)
{
	unsigned int cpu = h->cpu >= 0 ? h->cpu : torture_some_cpu(rnd);
	unsigned long since, beats;
	int age = torture_cpu_age(cpu);
	bool told = false;
	u32 begun, after;

	wsq_queue_work_near(cpu, h->q, &h->victim);
	/* Count after the put, during which this thread may be preempted. */
	begun = atomic_read(&h->rival->begun);
	beats = torture_beats(cpu);
	since = torture_clock();
	while (!atomic_read_acquire(&h->victim_ran)) {
		after = atomic_read(&h->rival->begun) - begun;
		if (solo && !told && after > RIVAL_MOST &&
		    torture_beats(cpu) - beats > RIVAL_BEATS &&
		    age == torture_cpu_age(cpu)) {
			torture_err("starved: an ordinary item waits on CPU %u behind %u runs of %u items that %s",
				    cpu, after, h->nr, h->kind->name);
			told = true;
			WRITE_ONCE(h->over, true);
		}
		/* The watchdog sees progress, but not that this item waits. */
		if (!told && torture_overdue(since, 1)) {
			torture_err("starved for %u beats: an ordinary item, CPU %u, behind %u runs of %u items that %s",
				    torture_starved, cpu, after, h->nr,
				    h->kind->name);
			told = true;
			WRITE_ONCE(h->over, true);
		}
		schedule_timeout_idle(1);
	}
	/* Items of other queues must run beside these as well. */
	if (!told)
		rival_await_promises();
	WRITE_ONCE(h->over, true);
	wsq_flush_work(&h->victim);
	torture_inc(TC_HOSTILE_VICTIM);
}

static struct hostile *hostile_new(const struct hostile_kind *kind,
				   struct rnd_state *rnd)
{
	unsigned int i, nr = 1 + torture_roll(rnd, kind->most);
	struct hostile *h;

	/* Often many: limits are reached only near the maximum. */
	if (torture_one_in(rnd, 4))
		nr = kind->most;
	h = kvzalloc(struct_size(h, items, nr), GFP_KERNEL | __GFP_NOWARN);
	if (!h) {
		torture_inc(TC_NO_MEMORY);
		return NULL;
	}
	h->kind = kind;
	h->nr = nr;
	mutex_init(&h->lock);
	init_completion(&h->last);
	INIT_WSQ_WORK(&h->victim, hostile_victim_fn);
	for (i = 0; i < nr; i++) {
		struct hostile_item *it = &h->items[i];

		it->h = h;
		INIT_WSQ_WORK(&it->work, hostile_fn);
		INIT_WSQ_WORK(&it->peer, hostile_peer_fn);
		init_completion(&it->peer_done);
		prandom_seed_state(&it->dice, prandom_u32_state(rnd));
	}
	return h;
}

static void hostile_run(struct hostile *h, struct rnd_state *rnd, bool solo)
{
	unsigned int i;

	for (i = 0; i < h->nr; i++)
		if (!hostile_put(&h->items[i]))
			torture_err("an idle hostile item was not queued");
	if (h->kind->fn == hostile_flood)
		hostile_victim(h, rnd, solo);
	if (!h->kind->whole && torture_one_in(rnd, 2))
		hostile_meddle(h, rnd);
	if (h->kind->whole || torture_one_in(rnd, 2))
		hostile_await_all(h);
	hostile_account(h, rnd);
}

/**
 * torture_hostile_round() - run a round of the next kind of hostile items
 * @t: the thread
 */
void torture_hostile_round(struct torture_thread *t)
{
	struct rnd_state *rnd = &t->actor.rnd;
	const struct hostile_kind *kind =
		&hostile_kinds[(t->actor.ops + 2 * t->rival) %
			       ARRAY_SIZE(hostile_kinds)];
	struct hostile *h = hostile_new(kind, rnd);
	unsigned int cpu = torture_some_cpu(rnd);
	struct wsq *solo = NULL;
	const char *engine;

	if (!h)
		return;
	h->other = rival_queue(true, rnd, &engine);
	h->q = rival_queue(true, rnd, &engine);
	if (torture_one_in(rnd, 2)) {
		cpu = torture_solo_cpu();
		solo = rival_solo_queue(rnd, cpu, &engine);
	}
	if (solo)
		h->q = solo;
	h->cpu = kind->whole || torture_one_in(rnd, 2) ? (int)cpu : -1;
	h->rival = rival_begin(t, kind->name, engine, h->cpu, h->nr);
	hostile_run(h, rnd, solo);
	rival_end(h->rival);
	wsq_destroy(solo);
	torture_inc(kind->count);
	kvfree(h);
	WRITE_ONCE(t->doing, "pause");
	if (torture_one_in(rnd, 2))
		schedule_timeout_idle(1 + torture_roll(rnd, HZ / 20 + 1));
}
