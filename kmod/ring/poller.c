// SPDX-License-Identifier: GPL-2.0
/*
 * Pollers: a thread reads the sq_tail of one or more rings and takes their
 * entries, so that a process that keeps submitting makes no system calls.
 *
 * It does nothing that ENTER does not do, under the same lock. Nothing waits
 * for the thread to be scheduled: ENTER takes entries itself, and closing a
 * ring removes it from the list while the thread may finish with it, using a
 * reference of its own. The thread holds no file and no address space.
 *
 * When the thread has found nothing for long enough, it sets a flag in its
 * rings, looks once more, [PL], and sleeps until it is kicked, [PK]. If it can
 * take nothing from a ring (disabled, invalid cursors), the flag of that ring
 * stays set: ENTER returns the reason. A ring without space for completions is
 * no such case: it is treated like an empty one.
 *
 * The process says by its sq_tail where a chain of links ends. It cannot know
 * when the thread looks, so it stores sq_tail behind whole chains.
 *
 * Cost: a CPU, while it is awake. While other threads of this CPU want to run,
 * such as the worker that runs what was taken, it sleeps for WSQ_POLLER_NAP_US
 * between two looks. No cgroup is charged for it, which is why it takes a
 * capability.
 *
 * Not freezable: when processes are frozen, no entries come any more and the
 * thread falls asleep. Until then it touches memory and queues, as workers do,
 * which are not freezable either. Not bound to a CPU: hotplug moves it.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "../compat/export.h"
#include "mem.h"
#include "poller.h"
#include "queues.h"
#include "ring.h"
#include "submit.h"

/* How long a poller sleeps while other threads want its CPU. */
#define WSQ_POLLER_NAP_US	10

/* All pollers, for debugfs. */
DEFINE_MUTEX(wsq_pollers_lock);
LIST_HEAD(wsq_pollers);

static atomic_t wsq_nr_pollers = ATOMIC_INIT(0);

/* Set the flag that says whether the poller will see new entries. */
static void wsq_poller_flag(const struct wsq_poller *p, struct wsq_ring *ring)
{
	lockdep_assert_held(&p->lock);
	WRITE_ONCE(ring->page->flags,
		   p->resting || ring->poll_stuck ? WSQ_RING_NEED_WAKEUP : 0);
}

static void wsq_poller_announce(struct wsq_poller *p, bool resting)
{
	struct wsq_ring *ring;

	spin_lock(&p->lock);
	WRITE_ONCE(p->resting, resting);
	list_for_each_entry(ring, &p->rings, poll_link)
		wsq_poller_flag(p, ring);
	spin_unlock(&p->lock);
}

/* The next ring, with a reference; %NULL if it has no new entries. */
static struct wsq_ring *wsq_poller_next(struct wsq_poller *p)
{
	struct wsq_ring *ring;

	spin_lock(&p->lock);
	ring = list_first_entry_or_null(&p->rings, struct wsq_ring, poll_link);
	if (ring) {
		list_move_tail(&ring->poll_link, &p->rings);
		if (ring->poll_stuck || READ_ONCE(ring->page->sq_tail) !=
					READ_ONCE(ring->sq_head))
			/* On the list, so the file's reference is held. */
			percpu_ref_get(&ring->refs);
		else
			ring = NULL;
	}
	spin_unlock(&p->lock);
	return ring;
}

/* Take the entries of a ring. [PL] orders its loads of the cursors. */
static u32 wsq_poller_take(struct wsq_poller *p, struct wsq_ring *ring)
{
	bool stuck;
	u32 n = 0;
	int ret;

	mutex_lock(&ring->lock);
	ret = wsq_ring_take(ring, U32_MAX, &n);
	WRITE_ONCE(ring->polled, ring->polled + n);
	mutex_unlock(&ring->lock);
	if (n)
		/* A hint, as in ENTER. */
		WRITE_ONCE(ring->page->cq_tail,
			   atomic64_read(&ring->completed));
	stuck = ret < 0 && ret != -EAGAIN;
	if (unlikely(stuck != READ_ONCE(ring->poll_stuck))) {
		spin_lock(&p->lock);
		WRITE_ONCE(ring->poll_stuck, stuck);
		wsq_poller_flag(p, ring);
		spin_unlock(&p->lock);
	}
	return n;
}

/**
 * wsq_poller_round() - look at each ring once
 * @p: the poller
 *
 * Context: its thread.
 * Return: how many entries were taken.
 */
u64 wsq_poller_round(struct wsq_poller *p)
{
	/*
	 * All rings on the list by now. A ring that joins later is behind them,
	 * and its flag is set if this thread is about to sleep.
	 */
	unsigned int left = READ_ONCE(p->nr);
	u64 taken = 0;

	while (left--) {
		struct wsq_ring *ring = wsq_poller_next(p);

		if (!ring)
			continue;
		taken += wsq_poller_take(p, ring);
		percpu_ref_put(&ring->refs);
	}
	WRITE_ONCE(p->taken, p->taken + taken);
	return taken;
}
WSQ_EXPORT_KUNIT(wsq_poller_round);

static void wsq_poller_sleep(struct wsq_poller *p)
{
	WRITE_ONCE(p->sleeps, p->sleeps + 1);
	for (;;) {
		set_current_state(TASK_IDLE);
		/* KI(sleep:A) */
		if (atomic_xchg(&p->kicked, 0) || kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

/* Nothing came for a while: sleep until a kick. */
static void wsq_poller_rest(struct wsq_poller *p)
{
	/* [PK] What was stored before these kicks is seen below. */
	atomic_xchg(&p->kicked, 0);			/* KI(note:A) */
	wsq_poller_announce(p, true);
	smp_mb();					/* PL(rest:B) */
	if (!wsq_poller_round(p))
		wsq_poller_sleep(p);
	wsq_poller_announce(p, false);
}

/*
 * Let other threads of this CPU run first, such as the worker. To yield may
 * give away a whole slice, and entries would wait for some milliseconds. A
 * short sleep ends when its timer expires. A timer of low resolution expires
 * late.
 */
static void wsq_poller_pause(void)
{
	if (single_task_running())
		cpu_relax();
	else if (hrtimer_resolution < WSQ_POLLER_NAP_US * NSEC_PER_USEC)
		usleep_range_state(WSQ_POLLER_NAP_US, WSQ_POLLER_NAP_US,
				   TASK_IDLE);
	cond_resched_tasks_rcu_qs();
}

static void wsq_poller_spent(u64 *sum, u64 from, u64 now)
{
	/* The clock may step back a little between CPUs. */
	if (now > from)
		WRITE_ONCE(*sum, *sum + now - from);
}

static int wsq_poller_fn(void *arg)
{
	struct wsq_poller *p = arg;
	u64 from = ktime_get_mono_fast_ns();
	u64 until = from + p->idle_limit_ns;

	while (!kthread_should_stop()) {
		u64 taken = wsq_poller_round(p);
		u64 now = ktime_get_mono_fast_ns();

		if (taken) {
			wsq_poller_spent(&p->busy_ns, from, now);
			until = now + p->idle_limit_ns;
		} else {
			wsq_poller_spent(&p->idle_ns, from, now);
			if (now >= until) {
				wsq_poller_rest(p);
				now = ktime_get_mono_fast_ns();
				until = now + p->idle_limit_ns;
			}
		}
		from = now;
		wsq_poller_pause();
	}
	return 0;
}

/* May sleep: the thread ends only after its current round. */
static void wsq_poller_end(struct work_struct *work)
{
	struct wsq_poller *p = container_of(work, struct wsq_poller, end_work);

	mutex_lock(&wsq_pollers_lock);
	list_del(&p->list);
	mutex_unlock(&wsq_pollers_lock);
	kthread_stop(p->task);
	put_user_ns(p->ns);
	kfree(p);
	atomic_dec(&wsq_nr_pollers);
}

/* Create a poller for one ring, which is not on its list yet. */
static struct wsq_poller *wsq_poller_make(u32 idle_us)
{
	struct wsq_poller *p;
	int ret;

	if (!capable(CAP_SYS_NICE))
		return ERR_PTR(-EPERM);
	p = kzalloc(sizeof(*p), WSQ_GFP);
	if (!p)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&p->lock);
	INIT_LIST_HEAD(&p->rings);
	INIT_WORK(&p->end_work, wsq_poller_end);
	p->nr = 1;
	p->uid = current_euid();
	p->idle_limit_ns = (idle_us ?: WSQ_POLLER_IDLE_US) * (u64)NSEC_PER_USEC;
	p->task = kthread_create(wsq_poller_fn, p, "wsq-P-%d",
				 task_tgid_nr(current));
	if (IS_ERR(p->task)) {
		ret = PTR_ERR(p->task);
		kfree(p);
		return ERR_PTR(ret);
	}
	p->ns = get_user_ns(current_user_ns());
	atomic_inc(&wsq_nr_pollers);
	mutex_lock(&wsq_pollers_lock);
	list_add_tail(&p->list, &wsq_pollers);
	mutex_unlock(&wsq_pollers_lock);
	wake_up_process(p->task);
	return p;
}

static struct wsq_poller *wsq_poller_share(const struct wsq_ring *other)
{
	struct wsq_poller *p;
	int ret = 0;

	if (!wsq_ring_live(other) || !other->poller)
		return ERR_PTR(-EINVAL);
	p = other->poller;
	if (!uid_eq(p->uid, current_euid()) || p->ns != current_user_ns())
		return ERR_PTR(-EPERM);
	spin_lock(&p->lock);
	if (p->nr < WSQ_POLLER_RINGS)
		WRITE_ONCE(p->nr, p->nr + 1);
	else
		ret = -ENOSPC;
	spin_unlock(&p->lock);
	return ret ? ERR_PTR(ret) : p;
}

/**
 * wsq_poller_check() - check what SETUP says of pollers
 * @s: the argument of SETUP
 *
 * Context: any.
 * Return: 0 or %-EINVAL.
 */
int wsq_poller_check(const struct wsq_setup *s)
{
	bool poll = s->flags & WSQ_SETUP_POLL;
	bool share = s->flags & WSQ_SETUP_POLL_SHARE;

	if (s->poll_fd && !share)
		return -EINVAL;
	if (s->idle_us && (!poll || share))
		return -EINVAL;
	return s->idle_us > WSQ_POLLER_IDLE_US_MAX ? -EINVAL : 0;
}

/**
 * wsq_poller_join() - give a ring a poller
 * @ring: of wsq_ring_make(), its lock held, not live
 * @s: has passed wsq_poller_check(), with %WSQ_SETUP_POLL
 * @other: the ring, of a file that the caller holds, whose poller is to be
 *	shared; %NULL to create one
 *
 * Context: SETUP; may sleep.
 * Return: 0, then wsq_poller_attach() or wsq_poller_unjoin() is next; or
 * %-EPERM, %-ENOMEM, %-EINTR, %-EINVAL, %-ENOSPC, and nothing has changed.
 */
int wsq_poller_join(struct wsq_ring *ring, const struct wsq_setup *s,
		    struct wsq_ring *other)
{
	struct wsq_poller *p = other ? wsq_poller_share(other) :
				       wsq_poller_make(s->idle_us);

	if (IS_ERR(p))
		return PTR_ERR(p);
	INIT_LIST_HEAD(&ring->poll_link);
	ring->poller = p;
	return 0;
}

/**
 * wsq_poller_attach() - let the poller look at the ring
 * @ring: of wsq_poller_join(), its lock held; SETUP will not fail any more, and
 *	no process can look at the ring's flags yet
 *
 * Context: SETUP.
 */
void wsq_poller_attach(struct wsq_ring *ring)
{
	struct wsq_poller *p = ring->poller;

	spin_lock(&p->lock);
	ring->poll_stuck = ring->disabled;
	wsq_poller_flag(p, ring);
	/*
	 * At the tail: a round in progress then skips none that it has counted.
	 */
	list_add_tail(&ring->poll_link, &p->rings);
	spin_unlock(&p->lock);
}
WSQ_EXPORT_KUNIT(wsq_poller_attach);

/* Remove a ring. Returns true if it was the last. */
static bool wsq_poller_drop(struct wsq_poller *p, struct wsq_ring *ring)
{
	bool last;

	spin_lock(&p->lock);
	list_del_init(&ring->poll_link);
	WRITE_ONCE(p->nr, p->nr - 1);
	last = !p->nr;
	spin_unlock(&p->lock);
	return last;
}

/**
 * wsq_poller_unjoin() - undo wsq_poller_join()
 * @ring: of wsq_poller_join(), its lock held, not attached
 *
 * Waits for the end of a poller that has no other ring: a thread that outlived
 * the charge of its ring would not count against the user's limits.
 *
 * Context: SETUP; may sleep.
 */
void wsq_poller_unjoin(struct wsq_ring *ring)
{
	struct wsq_poller *p = ring->poller;

	ring->poller = NULL;
	if (wsq_poller_drop(p, ring))
		wsq_poller_end(&p->end_work);
}

/**
 * wsq_poller_leave() - remove a ring from its poller
 * @ring: of wsq_poller_attach()
 *
 * Does not wait. The poller may still use the ring, with a reference; it ends
 * if no ring is left.
 *
 * Context: task.
 */
void wsq_poller_leave(struct wsq_ring *ring)
{
	struct wsq_poller *p = ring->poller;

	if (wsq_poller_drop(p, ring))
		wsq_rings_queue(&p->end_work);
}

/**
 * wsq_poller_kick() - wake the poller
 * @ring: a ring that has one; the caller holds its file
 *
 * Context: task.
 * Ordering: [PK] The poller sees what the caller and its process wrote before.
 */
void wsq_poller_kick(struct wsq_ring *ring)
{
	struct wsq_poller *p = ring->poller;

	atomic_xchg(&p->kicked, 1);			/* KI(kick:A) */
	wake_up_process(p->task);
}

/**
 * wsq_poller_fdinfo() - print the state of a ring's poller
 * @m: where to write
 * @ring: a live ring; the caller holds its file
 *
 * Context: task.
 */
void wsq_poller_fdinfo(struct seq_file *m, const struct wsq_ring *ring)
{
	const struct wsq_poller *p = ring->poller;

	if (!p)
		return;
	/* In the reader's pid namespace; 0 if it is not visible there. */
	seq_printf(m, "wsq_poller:\t%d\n", task_pid_vnr(p->task));
	seq_printf(m, "wsq_poller_state:\t%s\n",
		   READ_ONCE(p->resting) ? "asleep" : "awake");
	seq_printf(m, "wsq_poller_rings:\t%u\n", READ_ONCE(p->nr));
	seq_printf(m, "wsq_poller_idle_us:\t%llu\n",
		   div_u64(p->idle_limit_ns, NSEC_PER_USEC));
	seq_printf(m, "wsq_poller_taken:\t%llu\n", READ_ONCE(p->taken));
	seq_printf(m, "wsq_poller_busy_ns:\t%llu\n", READ_ONCE(p->busy_ns));
	seq_printf(m, "wsq_poller_idle_ns:\t%llu\n",
		   READ_ONCE(p->idle_ns));
	seq_printf(m, "wsq_poller_sleeps:\t%llu\n", READ_ONCE(p->sleeps));
	seq_printf(m, "wsq_polled:\t%llu\n", READ_ONCE(ring->polled));
}

/**
 * wsq_poller_count() - number of pollers, those that are ending included
 *
 * Context: any.
 * Return: that number.
 */
u32 wsq_poller_count(void)
{
	return atomic_read(&wsq_nr_pollers);
}
