// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of the simulated kernel: each is a fiber of the simulator.
 *
 * The scheduler is the simulator's (CPUs with a queue in order of priority, and
 * time slices), with the relevant parts of Linux' added:
 *
 *	- preemption is voluntary, as in Debian's kernels: a thread yields where
 *	  it asks (cond_resched()) or sleeps. So all threads run with the
 *	  simulator's preemption off, except there. With shim_preempt_full it is
 *	  as with PREEMPT.
 *	- a thread that wakes preempts one that has run much longer: the
 *	  difference of their virtual times is more than WAKEUP_GRAN. A sleeper is
 *	  credited SLEEPER_CREDIT at most (place_entity(),
 *	  check_preempt_wakeup() of 6.1).
 *
 * A wake-up costs the waker wake_caller, and the thread begins wake_latency
 * later if its CPU idles; on the waker's own CPU it costs wake_here and
 * switch_to. A wake-up of a thread that does not sleep costs its line and a
 * locked instruction.
 *
 * Preempt notifiers are called by the thread itself, in schedule().
 *
 * Limitations: no load balancing, all nice levels are one.
 */
#include "shim.h"

#define WAKEUP_GRAN		(4 * SIM_MS)	/* 1 ms, scaled for 8 CPUs and more */
#define SLEEPER_CREDIT		(12 * SIM_MS)	/* half of 6 ms scaled */

struct shim_counts shim_counts;
u64 shim_drop_wakeup;
bool shim_preempt_full;
bool shim_balance;

static struct task_struct *shim_idle[SIM_CPUS];
static struct task_struct *shim_threads;
static u64 shim_vruntime[SIM_CPUS];	/* the least of the running ones */
static u64 shim_quiets[SIM_CPUS];
static int shim_pids;

void shim_fail(const char *file, int line, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	sim_fail("%s:%d: %s", strrchr(file, '/') ? strrchr(file, '/') + 1 : file,
		 line, text);
}

struct task_struct *shim_current(void)
{
	struct sim_fiber *f = sim_self();

	return f ? f->data : shim_idle[sim_cpu()];
}

bool is_idle_task(const struct task_struct *t)
{
	return t == shim_idle[sim_cpu()];
}

unsigned int smp_processor_id(void)
{
	return sim_cpu();
}

bool in_task(void)
{
	return !sim_in_irq();
}

/* The scheduler's own part of the count: the thread yields on request only. */
static unsigned int base(void)
{
	return !shim_preempt_full && sim_self();
}

unsigned int preempt_count(void)
{
	return sim_preempt_count() - base() + !!sim_in_irq();
}

void preempt_disable(void)
{
	sim_preempt_disable();
	sim_charge(sim_config.costs.hit);
}

void preempt_enable(void)
{
	sim_charge(sim_config.costs.hit);
	if (sim_preempt_count() == base() + 1)
		shim_quiets[sim_cpu()]++;
	sim_preempt_enable();
}

u64 shim_quiet(unsigned int cpu)
{
	return shim_quiets[cpu];
}

/* ---- yielding and sleeping ---- */

static void shim_out(struct sim_fiber *f, bool preempted)
{
	struct task_struct *t = f->data;
	u64 ran = sim_now() - t->ran_since;

	t->se.sum_exec_runtime += ran / SIM_NS;
	t->se.exec_start = sim_now() / SIM_NS;
	t->vruntime += ran;
	if (preempted)
		t->nivcsw++;
	else
		t->nvcsw++;
	shim_quiets[f->cpu]++;
	shim_idle[f->cpu]->on_cpu = !sim_waiting(f->cpu);
}

static void shim_in(struct sim_fiber *f)
{
	struct task_struct *t = f->data;

	f->prio = 0;
	t->ran_since = sim_now();
	t->se.exec_start = sim_now() / SIM_NS;
	t->cpu = f->cpu;
	shim_idle[f->cpu]->on_cpu = false;
	if (t->vruntime > shim_vruntime[f->cpu])
		shim_vruntime[f->cpu] = t->vruntime;
}

/* The fiber may lose its CPU between the two. */
static void let_go(void)
{
	MUST(!preempt_count() && in_task());
	if (base())
		sim_preempt_enable();
}

static void hold_on(void)
{
	if (base())
		sim_preempt_disable();
}

int cond_resched(void)
{
	MUST(!preempt_count() && in_task());
	shim_quiets[sim_cpu()]++;
	sim_charge(sim_config.costs.hit);
	if (!sim_need_resched())
		return 0;
	let_go();
	hold_on();
	return 1;
}

void preempt_notifier_register(struct preempt_notifier *notifier)
{
	current->notifier = notifier;
}

void preempt_notifier_unregister(struct preempt_notifier *notifier)
{
	current->notifier = NULL;
}

/*
 * The notifier of a thread that sleeps: called with interrupts off, shortly
 * before it leaves its CPU. Not called for threads that yield, because they do
 * not sleep.
 */
static void shim_notify_out(struct task_struct *t)
{
	bool on;

	if (!t->notifier || t->__state == TASK_RUNNING)
		return;
	on = sim_irq_save();
	t->notifier->ops->sched_out(t->notifier, sim_waiting(sim_cpu()) ?
				    t : shim_idle[sim_cpu()]);
	sim_irq_restore(on);
}

static void shim_notify_in(struct task_struct *t)
{
	if (!t->notifier)
		return;
	preempt_disable();
	t->notifier->ops->sched_in(t->notifier, sim_cpu());
	preempt_enable();
}

/* The idle thread begins or ends: its @on_cpu is written, as shim_out() knows best. */
static void shim_idle_changes(void)
{
	sim_write(&shim_idle[sim_cpu()]->on_cpu, sizeof(bool));
}

void schedule(void)
{
	struct task_struct *t = current;

	shim_notify_out(t);
	shim_idle_changes();
	let_go();
	if (t->__state != TASK_RUNNING) {
		shim_counts.parks++;
		sim_block();
	} else {
		sim_yield();
	}
	hold_on();
	shim_idle_changes();
	shim_notify_in(t);
}

/* ---- waking ---- */

/* As Linux places a sleeper: not too far behind those that ran. */
static int shim_wake_prio(struct task_struct *t)
{
	struct sim_fiber *running = sim_running(t->cpu);
	u64 min = shim_vruntime[t->cpu];
	struct task_struct *cur;
	u64 other;

	if (min > SLEEPER_CREDIT && t->vruntime < min - SLEEPER_CREDIT)
		t->vruntime = min - SLEEPER_CREDIT;
	if (t->rt)
		return 2;
	if (!running)
		return 0;
	cur = running->data;
	other = cur->vruntime;
	if (sim_now() > cur->ran_since)
		other += sim_now() - cur->ran_since;
	return other > t->vruntime + WAKEUP_GRAN;
}

int wake_up_process(struct task_struct *t)
{
	const struct sim_costs *c = &sim_config.costs;
	bool here, idle;

	/* p->pi_lock, which is a full barrier, and p->__state. */
	sim_rmw(&t->__state);
	if (!t->__state) {
		shim_counts.wakeups_futile++;
		return 0;
	}
	here = t->cpu == sim_cpu();
	if (here)
		shim_counts.wakeups_here++;
	else
		shim_counts.wakeups++;
	if (shim_drop_wakeup && shim_counts.wakeups + shim_counts.wakeups_here ==
	    shim_drop_wakeup)
		return 1;
	t->__state = TASK_RUNNING;
	if (t->fiber->state != SIM_BLOCKED) {
		/* About to sleep: it stays awake. */
		sim_charge(c->wake_here);
		return 1;
	}
	idle = !sim_running(t->cpu) && !sim_waiting(t->cpu);
	t->fiber->prio = shim_wake_prio(t);
	sim_charge(here ? c->wake_here : c->wake_caller);
	if (idle)
		sim_fiber_wake(t->fiber, sim_now() + (here ? c->switch_to :
							     c->wake_latency));
	else
		sim_fiber_wake(t->fiber, sim_now());
	return 1;
}

/* ---- threads ---- */

void *end_of_stack(const struct task_struct *t)
{
	return t->fiber->stack;
}

static void shim_main(void *arg)
{
	struct task_struct *t = arg;

	hold_on();
	if (!t->stop)
		t->fn(t->data);
	/* The thread that stops it may still access it. */
	t->done = true;
	while (!t->stop) {
		t->__state = TASK_IDLE;
		schedule();
	}
	let_go();
	t->done = true;
}

struct task_struct *kthread_create_on_node(int (*fn)(void *arg), void *data,
					   int node, const char *fmt, ...)
{
	unsigned int cpu = sim_cpu();
	struct task_struct *t;
	va_list ap;

	if (node != NUMA_NO_NODE && (unsigned int)node != sim_node_of_cpu(cpu))
		cpu = node * sim_config.node;
	t = sim_alloc_lines(sizeof(*t), sim_node_of_cpu(cpu));
	va_start(ap, fmt);
	vsnprintf(t->comm, sizeof(t->comm), fmt, ap);
	va_end(ap);
	t->__state = TASK_UNINTERRUPTIBLE;
	t->flags = PF_KTHREAD;
	t->fn = fn;
	t->data = data;
	t->cpu = cpu;
	t->nr_cpus_allowed = nr_cpu_ids;
	t->vruntime = shim_vruntime[cpu];
	t->pid = ++shim_pids;
	t->fiber = sim_fiber_create(shim_main, t, cpu, t->comm);
	t->fiber->data = t;
	t->fiber->sched_out = shim_out;
	t->fiber->sched_in = shim_in;
	t->next = shim_threads;
	shim_threads = t;
	return t;
}

void kthread_bind(struct task_struct *t, unsigned int cpu)
{
	t->cpu = cpu;
	t->nr_cpus_allowed = 1;
	sim_fiber_move(t->fiber, cpu);
}

/* CPUs never go offline, so threads stay where they belong; rescuers move. */
int set_cpus_allowed_ptr(struct task_struct *t, const struct cpumask *mask)
{
	unsigned int cpu = cpumask_first(mask);

	t->nr_cpus_allowed = cpumask_weight(mask);
	if (shim_balance) {
		cpu = sim_random_below(nr_cpu_ids);
		while (!cpumask_test_cpu(cpu, mask))
			cpu = (cpu + 1) % nr_cpu_ids;
		if (t->cpu == cpu)
			return 0;
	} else if (test_bit(t->cpu, mask->bits)) {
		return 0;
	}
	t->cpu = cpu;
	if (t != current) {
		sim_fiber_move(t->fiber, cpu);
		return 0;
	}
	let_go();
	sim_fiber_move(t->fiber, cpu);
	hold_on();
	return 0;
}

int kthread_stop(struct task_struct *t)
{
	t->stop = true;
	while (!t->done) {
		wake_up_process(t);
		shim_sleep(10 * SIM_US);
	}
	return 0;
}

struct task_struct *shim_thread(unsigned int cpu, int (*fn)(void *data), void *data,
				const char *name)
{
	struct task_struct *t;

	t = kthread_create_on_node(fn, data, sim_node_of_cpu(cpu), "%s", name);
	kthread_bind(t, cpu);
	t->__state = TASK_RUNNING;
	sim_fiber_wake(t->fiber, sim_now());
	return t;
}

/* ---- sleeping for a time ---- */

static void shim_timeout(struct sim_event *event)
{
	struct task_struct *t = container_of(event, struct task_struct, timeout);

	t->__state = TASK_RUNNING;
	t->fiber->prio = shim_wake_prio(t);
	sim_fiber_wake(t->fiber, event->when);
}

void shim_sleep(sim_time ps)
{
	struct task_struct *t = current;

	t->__state = TASK_UNINTERRUPTIBLE;
	t->timeout.fn = shim_timeout;
	sim_event_at(&t->timeout, sim_now() + ps);
	schedule();
	sim_event_cancel(&t->timeout);
	t->__state = TASK_RUNNING;
}

long schedule_timeout(long time)
{
	struct task_struct *t = current;
	sim_time until = sim_now() + (u64)time * (1000 * SIM_MS / HZ);

	if (time != MAX_SCHEDULE_TIMEOUT) {
		t->timeout.fn = shim_timeout;
		sim_event_at(&t->timeout, until);
	}
	schedule();
	sim_event_cancel(&t->timeout);
	t->__state = TASK_RUNNING;
	if (time == MAX_SCHEDULE_TIMEOUT)
		return time;
	return sim_now() >= until ? 0 :
	       (long)((until - sim_now()) / (1000 * SIM_MS / HZ));
}

long schedule_timeout_idle(long time)
{
	current->__state = TASK_IDLE;
	return schedule_timeout(time);
}

long schedule_timeout_uninterruptible(long time)
{
	current->__state = TASK_UNINTERRUPTIBLE;
	return schedule_timeout(time);
}

void usleep_range(unsigned long from, unsigned long to)
{
	shim_sleep((from + to) / 2 * SIM_US);
}

/* ---- the machine ---- */

static const char *shim_state(const struct task_struct *t)
{
	switch (t->__state) {
	case TASK_RUNNING:
		return "runs";
	case TASK_IDLE:
		return "idle";
	default:
		return "sleeps";
	}
}

void shim_report(void)
{
	const struct task_struct *t;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		const struct sim_fiber *f = sim_running(cpu);

		fprintf(stderr, "  CPU %u: %s, %u wait\n", cpu,
			f ? f->name : "idle", sim_waiting(cpu));
	}
	for (t = shim_threads; t; t = t->next) {
		if (!t->done)
			fprintf(stderr, "  thread %s on CPU %u: %s\n", t->comm,
				t->cpu, shim_state(t));
	}
}

void shim_init(void)
{
	unsigned int cpu;

	nr_cpu_ids = sim_config.cpus;
	nr_node_ids = sim_nodes();
	shim_threads = NULL;
	shim_pids = 0;
	memset(&shim_counts, 0, sizeof(shim_counts));
	memset(shim_quiets, 0, sizeof(shim_quiets));
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		shim_vruntime[cpu] = 1000 * SIM_MS;
		shim_cpus.bits[cpu / 64] |= BIT(cpu % 64);
		shim_idle[cpu] = sim_alloc_lines(sizeof(struct task_struct),
						 sim_node_of_cpu(cpu));
		shim_idle[cpu]->cpu = cpu;
		shim_idle[cpu]->on_cpu = true;
	}
	sim_report = shim_report;
	shim_rcu_init();
	shim_workqueue_init();
}
