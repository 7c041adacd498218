// SPDX-License-Identifier: GPL-2.0
/*
 * Grace periods. One takes at least the time in costs.def, and until each CPU
 * has been where no reader can be: idle, at a switch, or outside of all
 * sections with preemption off, which are the only readers.
 *
 * A cookie is the number of the grace period that has to be over. Requesting
 * one accesses the line of RCU's lock, by a locked instruction; asking whether
 * it is over reads it.
 */
#include "../machine.h"
#include "shim.h"

#define AGAIN	SIM_MS

static u64 *rcu_line;		/* accessed by all CPUs; no numbers here */
static u64 rcu_running;		/* number of the current one; 0 none */
static u64 rcu_done;		/* number of the last one that is over */
static u64 rcu_wanted;		/* all up to this one are to be run */
static u64 rcu_seen[SIM_CPUS];
static struct sim_event rcu_event;

struct rcu_waiter {
	struct rcu_waiter *next;
	struct rcu_head *head;
	struct task_struct *task;
	unsigned int cpu;
	u64 cookie;
};

static struct rcu_waiter *rcu_waiters, **rcu_last = &rcu_waiters;

static void rcu_begin(void)
{
	unsigned int cpu;

	rcu_running = rcu_done + 1;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		rcu_seen[cpu] = shim_quiet(cpu);
	sim_event_at(&rcu_event, sim_now() + sim_config.costs.grace);
}

static void rcu_want(u64 cookie)
{
	if (cookie > rcu_wanted)
		rcu_wanted = cookie;
	if (!rcu_running && rcu_wanted > rcu_done)
		rcu_begin();
}

/* On the CPU that asked. */
static void rcu_call(void *arg)
{
	struct rcu_head *head = arg;

	head->func(head);
}

static void rcu_over(struct sim_event *event)
{
	struct rcu_waiter *w, **at = &rcu_waiters;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		/* A thread outside of sections reports at its next one. */
		if (sim_running(cpu) && shim_quiet(cpu) == rcu_seen[cpu]) {
			sim_event_at(event, event->when + AGAIN);
			return;
		}
	}
	/* A grace period is a full barrier on each CPU. */
	sim_view_drain_all();
	rcu_done = rcu_running;
	rcu_running = 0;
	while ((w = *at)) {
		if (w->cookie > rcu_done) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		if (w->task) {
			w->task->__state = TASK_RUNNING;
			sim_fiber_wake(w->task->fiber, event->when);
		} else {
			sim_raise(w->cpu, event->when, rcu_call, w->head);
		}
		free(w);
	}
	rcu_last = at;
	if (rcu_wanted > rcu_done)
		rcu_begin();
}

unsigned long get_state_synchronize_rcu(void)
{
	sim_read(rcu_line, sizeof(*rcu_line));
	/* One that has begun may have missed readers. */
	return rcu_done + 1 + !!rcu_running;
}

unsigned long start_poll_synchronize_rcu(void)
{
	unsigned long cookie = get_state_synchronize_rcu();

	if (rcu_wanted < cookie) {
		sim_rmw(rcu_line);
		cookie = rcu_done + 1 + !!rcu_running;
		rcu_want(cookie);
	}
	return cookie;
}

bool poll_state_synchronize_rcu(unsigned long cookie)
{
	sim_read(rcu_line, sizeof(*rcu_line));
	return rcu_done >= cookie;
}

static void rcu_wait(struct rcu_head *head, struct task_struct *task)
{
	struct rcu_waiter *w = calloc(1, sizeof(*w));

	MUST(w);
	w->head = head;
	w->task = task;
	w->cpu = sim_cpu();
	w->cookie = rcu_done + 1 + !!rcu_running;
	*rcu_last = w;
	rcu_last = &w->next;
	rcu_want(w->cookie);
}

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	head->func = func;
	rcu_wait(head, NULL);
}

static void free_head(struct rcu_head *head)
{
	kfree((char *)head - (uintptr_t)head->next);
}

void shim_kfree_rcu(struct rcu_head *head, size_t offset)
{
	head->next = (struct rcu_head *)offset;
	call_rcu(head, free_head);
}

void synchronize_rcu(void)
{
	unsigned long cookie = rcu_done + 1 + !!rcu_running;

	might_sleep();
	rcu_wait(NULL, current);
	while (rcu_done < cookie) {
		current->__state = TASK_UNINTERRUPTIBLE;
		schedule();
	}
	current->__state = TASK_RUNNING;
}

void rcu_barrier(void)
{
	synchronize_rcu();
	/* Callbacks run at their CPUs' next look. */
	shim_sleep(SIM_US * 100);
}

void shim_rcu_init(void)
{
	rcu_line = sim_alloc_lines(SIM_LINE, 0);
	rcu_running = rcu_done = rcu_wanted = 0;
	rcu_waiters = NULL;
	rcu_last = &rcu_waiters;
	rcu_event = (struct sim_event){ .fn = rcu_over };
}
