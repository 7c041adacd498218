// SPDX-License-Identifier: GPL-2.0
/*
 * Clocks and timers. An hrtimer interrupts the CPU that set it, as a pinned one
 * does, and as others do while their CPU is busy. A timer interrupts, at a
 * jiffy, the CPU named in add_timer_on(), or else the CPU that set it.
 */
#include "shim.h"

#define JIFFY	(1000 * SIM_MS / HZ)

u64 local_clock(void)
{
	sim_charge(sim_config.costs.clock);
	return sim_now() / SIM_NS;
}

unsigned long shim_jiffies(void)
{
	/* Some time after boot, as on any machine. */
	return 75000 + sim_now() / JIFFY;
}

/* linux/hrtimer.h */

static void hrtimer_arm(struct hrtimer *timer)
{
	sim_event_at(&timer->event, timer->expires * SIM_NS);
}

static void hrtimer_arrives(void *arg)
{
	struct hrtimer *timer = arg;

	timer->raised--;
	/* Cancelled, or set again, while the interrupt was pending. */
	if (timer->raised || !timer->busy ||
	    timer->expires * SIM_NS > sim_now())
		return;
	timer->busy = 2;
	shim_counts.timers++;
	if (timer->function(timer) == HRTIMER_RESTART) {
		MUST(timer->busy == 2);
		timer->busy = 1;
		sim_charge(sim_config.costs.timer_set);
		hrtimer_arm(timer);
	} else if (timer->busy == 2) {
		timer->busy = 0;
	}
}

static void hrtimer_expires(struct sim_event *event)
{
	struct hrtimer *timer = container_of(event, struct hrtimer, event);

	timer->raised++;
	sim_raise(timer->cpu, event->when, hrtimer_arrives, timer);
}

void hrtimer_init(struct hrtimer *timer, int clock, enum hrtimer_mode mode)
{
	memset(timer, 0, sizeof(*timer));
	timer->event.fn = hrtimer_expires;
}

void hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode)
{
	sim_write(timer, sizeof(*timer));
	sim_charge(sim_config.costs.timer_set);
	timer->cpu = sim_cpu();
	timer->busy = 1;
	timer->expires = sim_now() / SIM_NS + time;
	hrtimer_arm(timer);
}

int hrtimer_try_to_cancel(struct hrtimer *timer)
{
	bool was = timer->busy;

	if (timer->busy == 2)
		return -1;
	sim_event_cancel(&timer->event);
	timer->busy = 0;
	return was;
}

int hrtimer_cancel(struct hrtimer *timer)
{
	int ret;

	while ((ret = hrtimer_try_to_cancel(timer)) < 0)
		sim_relax();
	while (timer->raised)
		shim_sleep(SIM_US);
	return ret;
}

u64 hrtimer_forward_now(struct hrtimer *timer, ktime_t interval)
{
	u64 now = sim_now() / SIM_NS, n = 0;

	if (now >= timer->expires)
		n = (now - timer->expires) / interval + 1;
	timer->expires += n * interval;
	return n;
}

/* linux/timer.h: state that the kernel's structure lacks is separate. */

struct shim_timer {
	struct sim_event event;
	struct timer_list *timer;
	unsigned int cpu;
	u32 id;
};

static u32 shim_timer_ids;

static void timer_arrives(void *arg)
{
	struct shim_timer *st = arg;
	struct timer_list *timer = st->timer;

	/* Deleted, or added again, since. */
	if (timer && timer->pending == st->id) {
		timer->pending = 0;
		timer->next = NULL;
		shim_counts.timers++;
		timer->function(timer);
	}
	free(st);
}

static void timer_expires(struct sim_event *event)
{
	struct shim_timer *st = container_of(event, struct shim_timer, event);

	sim_raise(st->cpu, event->when, timer_arrives, st);
}

void add_timer_on(struct timer_list *timer, int cpu)
{
	struct shim_timer *st = calloc(1, sizeof(*st));

	MUST(st && !timer->pending);
	sim_write(timer, sizeof(*timer));
	if (!++shim_timer_ids)
		shim_timer_ids++;
	st->event.fn = timer_expires;
	st->timer = timer;
	st->cpu = cpu;
	st->id = timer->pending = shim_timer_ids;
	timer->next = (void *)st;
	sim_event_at(&st->event, (timer->expires - 75000 + 1) * JIFFY);
}

void add_timer(struct timer_list *timer)
{
	add_timer_on(timer, sim_cpu());
}

int mod_timer(struct timer_list *timer, unsigned long expires)
{
	int was = timer->pending;

	if (was && timer->expires == expires)
		return 1;
	if (was)
		del_timer(timer);
	timer->expires = expires;
	add_timer(timer);
	return !!was;
}

int del_timer(struct timer_list *timer)
{
	struct shim_timer *st = (void *)timer->next;

	sim_write(timer, sizeof(*timer));
	if (!timer->pending)
		return 0;
	timer->pending = 0;
	timer->next = NULL;
	/* If the interrupt is already pending, that frees it. */
	st->timer = NULL;
	if (sim_event_cancel(&st->event))
		free(st);
	return 1;
}

int del_timer_sync(struct timer_list *timer)
{
	return del_timer(timer);
}
