// SPDX-License-Identifier: GPL-2.0
/*
 * workqueue, as far as the module uses it for its own slow work: a thread for
 * each CPU for schedule_work_on(), one for each other queue, on the last CPU.
 * The comparators of the module are in scene/.
 */
#include "shim.h"

struct workqueue_struct {
	struct list_head works;
	struct work_struct *running;
	struct task_struct *task;
	u64 nr_done;
};

static struct workqueue_struct *system_wq[SIM_CPUS];

static int shim_kworker(void *data)
{
	struct workqueue_struct *wq = data;
	struct work_struct *w;

	while (!kthread_should_stop()) {
		w = list_first_entry_or_null(&wq->works, struct work_struct, entry);
		if (!w) {
			current->__state = TASK_IDLE;
			schedule();
			continue;
		}
		list_del(&w->entry);
		w->wq = NULL;
		wq->running = w;
		w->func(w);
		wq->running = NULL;
		wq->nr_done++;
		cond_resched();
	}
	return 0;
}

static struct workqueue_struct *shim_workqueue(unsigned int cpu, const char *name)
{
	struct workqueue_struct *wq;

	wq = sim_alloc_lines(sizeof(*wq), sim_node_of_cpu(cpu));
	INIT_LIST_HEAD(&wq->works);
	wq->task = shim_thread(cpu, shim_kworker, wq, name);
	return wq;
}

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags,
					 int max)
{
	return shim_workqueue(nr_cpu_ids - 1, name);
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	flush_workqueue(wq);
	kthread_stop(wq->task);
	sim_free(wq);
}

void flush_workqueue(struct workqueue_struct *wq)
{
	while (!list_empty(&wq->works) || wq->running)
		shim_sleep(10 * SIM_US);
}

bool queue_work(struct workqueue_struct *wq, struct work_struct *w)
{
	sim_rmw(w);
	if (w->wq)
		return false;
	sim_rmw(wq);
	if (w->wq)
		return false;
	w->wq = wq;
	list_add_tail(&w->entry, &wq->works);
	wake_up_process(wq->task);
	return true;
}

bool queue_work_on(int cpu, struct workqueue_struct *wq, struct work_struct *w)
{
	return queue_work(wq, w);
}

static struct workqueue_struct *shim_system_wq(int cpu)
{
	if (!system_wq[cpu])
		system_wq[cpu] = shim_workqueue(cpu, "kworker");
	return system_wq[cpu];
}

bool schedule_work_on(int cpu, struct work_struct *w)
{
	return queue_work(shim_system_wq(cpu), w);
}

bool cancel_work_sync(struct work_struct *w)
{
	struct workqueue_struct *wq = w->wq;
	unsigned int cpu;

	if (wq) {
		list_del(&w->entry);
		w->wq = NULL;
		return true;
	}
	/* It may be running. Its thread is not recorded, so check all. */
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		while (system_wq[cpu] && system_wq[cpu]->running == w)
			shim_sleep(10 * SIM_US);
	}
	return false;
}

void shim_delayed_work_fn(struct timer_list *timer)
{
	struct delayed_work *d = container_of(timer, struct delayed_work, timer);

	queue_work(d->wq, &d->work);
}

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *d,
			unsigned long delay)
{
	if (d->timer.pending || d->work.wq)
		return false;
	if (!delay)
		return queue_work(wq, &d->work);
	d->wq = wq;
	d->timer.function = shim_delayed_work_fn;
	d->timer.expires = jiffies + delay;
	add_timer(&d->timer);
	return true;
}

bool schedule_delayed_work_on(int cpu, struct delayed_work *d,
			      unsigned long delay)
{
	return queue_delayed_work(shim_system_wq(cpu), d, delay);
}

bool cancel_delayed_work_sync(struct delayed_work *d)
{
	bool was = del_timer(&d->timer);

	while (d->wq && d->wq->running == &d->work)
		shim_sleep(10 * SIM_US);
	return cancel_work_sync(&d->work) || was;
}

static void rcu_work_fn(struct rcu_head *head)
{
	struct rcu_work *r = container_of(head, struct rcu_work, rcu);

	queue_work(r->wq, &r->work);
}

bool queue_rcu_work(struct workqueue_struct *wq, struct rcu_work *r)
{
	r->wq = wq;
	call_rcu(&r->rcu, rcu_work_fn);
	return true;
}

void shim_workqueue_init(void)
{
	memset(system_wq, 0, sizeof(system_wq));
}
