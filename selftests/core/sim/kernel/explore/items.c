// SPDX-License-Identifier: GPL-2.0
/*
 * Items of a round, and what must hold for each: it never runs in parallel with
 * itself, it runs where it was bound to, and no more items of its queue run on
 * a CPU than the limit allows. Running means between the first and the last
 * line of the function, which is less than the module counts; the CPU is the
 * worker's own.
 */
#include "../../../../../kmod/exec/exec.h"
#include "explore.h"

struct item *items[ITEMS];
unsigned int nr_items;

unsigned int below(unsigned int n)
{
	return sim_random_below(n);
}

bool once_in(unsigned int n)
{
	return !sim_random_below(n);
}

int some_cpu(void)
{
	return below(nr_cpu_ids);
}

static sim_time some_time(sim_time most)
{
	static const sim_time scale[] = {
		SIM_US / 2, 20 * SIM_US, 500 * SIM_US, 30 * SIM_MS
	};
	sim_time top = scale[below(ARRAY_SIZE(scale))];

	return sim_random_below((top < most ? top : most) + 1);
}

void doze(sim_time most)
{
	shim_sleep(some_time(most));
}

void compute(sim_time most)
{
	sim_compute(some_time(most));
}

/*
 * Hand-offs, as far as other files than standby.c request them, by the number
 * of the worker: after which item the worker was replaced last, and how many
 * hand-offs its CPU had made then.
 */
#define WORKERS	256

static struct {
	u64 seen;
	u64 standbys;
	bool known;
} replaced[WORKERS];

bool __real_wsq_hand_off(struct wsq_cpu *c, struct wsq_worker *w, u64 seen,
			 bool computes);
bool __wrap_wsq_hand_off(struct wsq_cpu *c, struct wsq_worker *w, u64 seen,
			 bool computes);
bool __wrap_wsq_hand_off(struct wsq_cpu *c, struct wsq_worker *w, u64 seen,
			 bool computes)
{
	u64 standbys = c->standbys;
	bool ret = __real_wsq_hand_off(c, w, seen, computes);

	MUST(w->id < WORKERS);
	if (ret) {
		replaced[w->id].seen = seen;
		/* At least: others may have happened since. */
		replaced[w->id].standbys = standbys + 1;
		replaced[w->id].known = true;
	}
	return ret;
}

/*
 * Only the current worker begins items. If it is not current, it was replaced
 * in this same item; or it was current again since, which takes two hand-offs.
 */
static bool is_current(const struct wsq_worker *w)
{
	return !w->replaced || !replaced[w->id].known ||
	       wsq_cpus[w->cpu]->standbys - replaced[w->id].standbys >= 2 ||
	       w->nr_run <= replaced[w->id].seen;
}

static void check_current(const struct item *it, const struct wsq_worker *w)
{
	struct wsq_cpu *c = wsq_cpus[w->cpu];
	unsigned long flags;
	bool current_now;

	if (is_current(w))
		return;
	/* Late stores are visible under the lock. */
	raw_spin_lock_irqsave(&c->role_lock, flags);
	current_now = is_current(w);
	raw_spin_unlock_irqrestore(&c->role_lock, flags);
	if (!current_now)
		sim_fail("item %u is begun by worker %u, which was replaced behind the one before",
			 it->nr, w->id);
}

static void run_item(struct wsq_work *work)
{
	struct item *it = container_of(work, struct item, work);
	struct wsq_worker *w = wsq_worker_current();
	unsigned int cpu;

	if (!w)
		sim_fail("item %u runs outside of a worker", it->nr);
	cpu = w->cpu;
	if (it->begun++ != it->ended)
		sim_fail("item %u runs beside itself", it->nr);
	if (it->begun > it->accepted + 1 && it->begun > it->accepted + nr_cpu_ids)
		sim_fail("item %u ran %u times, and was queued %u times", it->nr,
			 it->begun, it->accepted);
	if (it->cpu >= 0 && !it->stray && (int)sim_cpu() != it->cpu)
		sim_fail("item %u runs on CPU %u, not on CPU %d", it->nr, sim_cpu(),
			 it->cpu);
	if (++it->q->under_way[cpu] > it->q->most)
		sim_fail("item %u: %u of its queue are under way on CPU %u, and %u may be",
			 it->nr, it->q->under_way[cpu], cpu, it->q->most);
	check_current(it, w);
	sim_progress();
	it->fn(it);
	sim_progress();
	it->q->under_way[cpu]--;
	it->ended++;
	explore_look();
}

struct item *new_item(struct queue *q, int cpu, void (*fn)(struct item *it))
{
	struct item *it = sim_alloc_lines(sizeof(*it), 0);

	MUST(nr_items < ITEMS);
	INIT_WSQ_WORK(&it->work, run_item);
	it->q = q;
	it->cpu = cpu;
	it->fn = fn;
	it->nr = nr_items;
	items[nr_items++] = it;
	return it;
}

void cancel(struct item *it, bool (*fn)(struct wsq_work *work))
{
	bool got;

	it->cancels++;
	got = fn(&it->work);
	it->cancels--;
	it->cancelled += got;
}

bool put(struct item *it)
{
	bool ret;

	if (it->cpu >= 0)
		ret = wsq_queue_work_on(it->cpu, it->q->q, &it->work);
	else
		ret = wsq_queue_work(it->q->q, &it->work);
	it->accepted += ret;
	explore_look();
	return ret;
}

void nothing(struct item *it)
{
}

void wait_to_go(struct item *it)
{
	MUST(!it->waiter);
	it->waiter = current;
	for (;;) {
		current->__state = TASK_UNINTERRUPTIBLE;
		if (it->go)
			break;
		schedule();
	}
	current->__state = TASK_RUNNING;
	it->waiter = NULL;
}

void compute_to_go(struct item *it, sim_time step)
{
	while (!it->go)
		sim_compute(1 + sim_random_below(step));
}

void let_go(struct item *it)
{
	it->go = true;
	if (it->waiter)
		wake_up_process(it->waiter);
}

void let_go_on(struct item *it)
{
	let_go(it->other);
}

/* ---- contexts of puts ---- */

static void put_irq(void *arg)
{
	explore_end_thread(put(arg));
}

static int put_thread(void *arg)
{
	if (once_in(2))
		doze(100 * SIM_US);
	put(arg);
	return 0;
}

void put_somewhere(struct item *it)
{
	if (once_in(3)) {
		explore_begin_thread();
		sim_raise_cheap(some_cpu(), sim_now() + some_time(100 * SIM_US),
				put_irq, it);
	} else {
		thread(put_thread, it);
	}
}

void put_on_cpu(unsigned int cpu, struct item *it, sim_time when)
{
	explore_begin_thread();
	sim_raise_cheap(cpu, when, put_irq, it);
}
