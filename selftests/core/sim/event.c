// SPDX-License-Identifier: GPL-2.0
/*
 * The order of events in the simulated machine: the heap of CPUs that have
 * something to do, by the time at which they continue, and the heap of events.
 *
 * The running CPU is in no heap. It may continue without checks until its clock
 * passes sim_limit, which is the earliest of: the next CPU or event plus the
 * slack, its next interrupt, the end of its slice. sim_look_ahead() computes
 * that, and is called whenever one of them changes.
 */
#include <stdlib.h>

#include "machine.h"

struct sim_machine_cpu *sim_cpu_heap[SIM_CPUS + 1];
unsigned int sim_nr_cpu_heap;
struct sim_event **sim_event_heap;
unsigned int sim_nr_event_heap;
sim_time sim_horizon;
bool sim_stopped;
sim_time sim_limit;

static unsigned int max_event_heap;
static uint64_t event_seq;

static bool cpu_before(const struct sim_machine_cpu *a,
		       const struct sim_machine_cpu *b)
{
	return a->key < b->key || (a->key == b->key && a->nr < b->nr);
}

static void cpu_location(unsigned int pos, struct sim_machine_cpu *cpu)
{
	sim_cpu_heap[pos] = cpu;
	cpu->pos = pos;
}

void sim_cpu_up(struct sim_machine_cpu *cpu)
{
	unsigned int pos = cpu->pos;

	for (; pos > 1 && cpu_before(cpu, sim_cpu_heap[pos / 2]); pos /= 2)
		cpu_location(pos, sim_cpu_heap[pos / 2]);
	cpu_location(pos, cpu);
}

void sim_cpu_push(struct sim_machine_cpu *cpu, sim_time key)
{
	cpu->key = key;
	cpu->pos = ++sim_nr_cpu_heap;
	sim_cpu_up(cpu);
}

struct sim_machine_cpu *sim_cpu_pop(void)
{
	struct sim_machine_cpu *top = sim_cpu_heap[1], *last;
	unsigned int pos = 1, child;

	top->pos = 0;
	last = sim_cpu_heap[sim_nr_cpu_heap--];
	if (last == top)
		return top;
	while ((child = 2 * pos) <= sim_nr_cpu_heap) {
		if (child < sim_nr_cpu_heap &&
		    cpu_before(sim_cpu_heap[child + 1], sim_cpu_heap[child]))
			child++;
		if (!cpu_before(sim_cpu_heap[child], last))
			break;
		cpu_location(pos, sim_cpu_heap[child]);
		pos = child;
	}
	cpu_location(pos, last);
	return top;
}

static bool event_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->when < b->when || (a->when == b->when && a->seq < b->seq);
}

static void event_place(unsigned int pos, struct sim_event *event)
{
	sim_event_heap[pos] = event;
	event->pos = pos;
}

static void event_move(unsigned int pos, struct sim_event *event)
{
	unsigned int child;

	for (; pos > 1 && event_before(event, sim_event_heap[pos / 2]); pos /= 2)
		event_place(pos, sim_event_heap[pos / 2]);
	while ((child = 2 * pos) <= sim_nr_event_heap) {
		if (child < sim_nr_event_heap &&
		    event_before(sim_event_heap[child + 1], sim_event_heap[child]))
			child++;
		if (!event_before(sim_event_heap[child], event))
			break;
		event_place(pos, sim_event_heap[child]);
		pos = child;
	}
	event_place(pos, event);
}

void sim_event_remove(struct sim_event *event)
{
	unsigned int pos = event->pos;
	struct sim_event *last = sim_event_heap[sim_nr_event_heap--];

	event->pos = 0;
	if (last != event)
		event_move(pos, last);
}

/* Called when the heaps, or conditions of the running CPU, have changed. */
void sim_look_ahead(void)
{
	const struct sim_machine_cpu *cpu = sim_cur;
	const struct sim_pending *p;

	sim_horizon = sim_nr_cpu_heap ? sim_cpu_heap[1]->key : SIM_NEVER;
	if (sim_nr_event_heap && sim_event_heap[1]->when < sim_horizon)
		sim_horizon = sim_event_heap[1]->when;
	if (!cpu)
		return;
	sim_limit = sim_horizon < SIM_NEVER - sim_config.slack ?
		    sim_horizon + sim_config.slack : SIM_NEVER;
	for (p = cpu->pending; p; p = p->next) {
		if (p->nmi ? !cpu->in_nmi : cpu->irq_on) {
			if (p->when < sim_limit)
				sim_limit = p->when;
			break;
		}
	}
	if (cpu->waiting && sim_config.slice &&
	    cpu->began + sim_config.slice < sim_limit)
		sim_limit = cpu->began + sim_config.slice;
	if (cpu->resched || sim_stopped)
		sim_limit = 0;
}

void sim_event_at(struct sim_event *event, sim_time when)
{
	sim_time now = sim_now();

	event->when = when < now ? now : when;
	event->seq = ++event_seq;
	if (!event->pos) {
		if (sim_nr_event_heap + 1 >= max_event_heap) {
			max_event_heap = max_event_heap ? 2 * max_event_heap : 64;
			sim_event_heap = realloc(sim_event_heap, max_event_heap *
							 sizeof(*sim_event_heap));
			if (!sim_event_heap)
				abort();
		}
		event->pos = ++sim_nr_event_heap;
	}
	event_move(event->pos, event);
	sim_look_ahead();
}

bool sim_event_cancel(struct sim_event *event)
{
	if (!event->pos)
		return false;
	sim_event_remove(event);
	sim_look_ahead();
	return true;
}

/* A new machine, with nothing to do. */
void sim_events_init(void)
{
	sim_nr_cpu_heap = 0;
	sim_nr_event_heap = 0;
	event_seq = 0;
	sim_stopped = false;
}
