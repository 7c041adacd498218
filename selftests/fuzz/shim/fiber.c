// SPDX-License-Identifier: GPL-2.0
/*
 * Fibers, and everything that puts them to sleep: locks, wait queues, timers.
 * The switch itself is in switch.h.
 */
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

#include "kernel.h"
#include "switch.h"

/* Fruitless switches in a row, after which the fibers count as stuck. */
#define SHIM_TIMEOUT	20000

/* A thousand times the most steps of an input of the corpus. */
#define SHIM_STEPS	20000000

/* How long shim_catch() waits. A poller sleeps after 50 of these. */
#define SHIM_CATCH_WAIT	1000

static struct task_struct shim_main;
static struct task_struct shim_fibers[SHIM_FIBERS];
static char *shim_stacks[SHIM_FIBERS];
/* The program's stack, from the sanitizer. */
static const void *shim_main_stack;
static size_t shim_main_size;

struct task_struct *current = &shim_main;
u64 shim_clock;

static u64 shim_seed;
static unsigned int shim_rate;
static unsigned int shim_idle;
static unsigned int shim_turn;
static unsigned int shim_steps;
static int shim_pids;

/* The point where the next fiber is to be caught, and the caught one. */
static enum shim_at shim_trap;
static struct task_struct *shim_caught;
static bool shim_catching;

void shim_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "FAIL %s:%d: ", strrchr(file, '/') ?
		strrchr(file, '/') + 1 : file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	abort();
}

/* A loop that lets other fibers run is no spin, but may still never end. */
static void shim_step(void)
{
	if (++shim_steps > SHIM_STEPS)
		FAIL("an input that does not end");
}

u64 shim_random(void)
{
	/* splitmix64 */
	u64 z = shim_seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

bool shim_chance(unsigned int n)
{
	return (shim_random() & 255) < n;
}

SHIM_SWITCH_DEFINE;

/* From the program to a fiber, or back. */
__attribute__((no_sanitize("address", "undefined")))
static void shim_go(struct task_struct *from, struct task_struct *to)
{
	const void *stack = to == &shim_main ? shim_main_stack : to->stack;
	size_t size = to == &shim_main ? shim_main_size : SHIM_STACK;

	current = to;
	__sanitizer_start_switch_fiber(from->live ? &from->fake : NULL, stack, size);
	shim_switch(&from->sp, to->sp);
	__sanitizer_finish_switch_fiber(from->fake, from == &shim_main ? NULL :
					&shim_main_stack, from == &shim_main ?
					NULL : &shim_main_size);
}

__attribute__((no_sanitize("address", "undefined"), noreturn))
static void shim_enter(void)
{
	struct task_struct *t = current;

	__sanitizer_finish_switch_fiber(NULL, &shim_main_stack, &shim_main_size);
	t->fn(t->arg);
	MUST(!t->atomic);
	t->live = false;
	shim_go(t, &shim_main);
	__builtin_trap();
}

void shim_begin(u64 seed, unsigned int rate)
{
	shim_seed = seed;
	shim_rate = rate;
	shim_clock = 1000000000;
	shim_main.live = true;
	shim_main.cpu = nr_cpu_ids - 1;
	shim_turn = 0;
	shim_steps = 0;
	shim_trap = SHIM_NOWHERE;
	shim_caught = NULL;
	shim_catching = false;
	memset(shim_fibers, 0, sizeof(shim_fibers));
}

void shim_end(void)
{
	unsigned int i;

	for (i = 0; i < SHIM_FIBERS; i++)
		if (shim_fibers[i].live || shim_fibers[i].refs)
			FAIL("fiber %u is still there", i);
	MUST(!shim_main.atomic);
}

static struct task_struct *shim_fiber(int (*fn)(void *arg), void *arg)
{
	struct task_struct *t;
	unsigned int i;

	for (i = 0; shim_fibers[i].live || shim_fibers[i].refs; i++)
		if (i == SHIM_FIBERS - 1)
			return NULL;
	t = &shim_fibers[i];
	if (!shim_stacks[i])
		shim_stacks[i] = aligned_alloc(4096, SHIM_STACK);
	/* The previous user of the stack has left poison. */
	__asan_unpoison_memory_region(shim_stacks[i], SHIM_STACK);
	memset(t, 0, sizeof(*t));
	t->stack = shim_stacks[i];
	t->cpu = i < 6 ? i : i + 1;
	t->pid = ++shim_pids;
	t->live = true;
	t->fn = fn;
	t->arg = arg;
	t->cred = current->cred;
	t->sp = shim_switch_begin(t->stack, SHIM_STACK, shim_enter);
	return t;
}

struct task_struct *shim_spawn(int (*fn)(void *arg), void *arg)
{
	struct task_struct *t = shim_fiber(fn, arg);

	MUST(t);
	return t;
}

static bool shim_may_run(const struct task_struct *t)
{
	return t->live && !t->parked && !t->caught &&
	       (!t->asleep || t->until <= shim_clock);
}

static struct task_struct *shim_next(void)
{
	unsigned int i, from = shim_turn;

	if (shim_chance(64))
		from = shim_random();
	for (i = 0; i < SHIM_FIBERS; i++) {
		struct task_struct *t = &shim_fibers[(from + i) % SHIM_FIBERS];

		if (shim_may_run(t)) {
			shim_turn = (from + i + 1) % SHIM_FIBERS;
			return t;
		}
	}
	return NULL;
}

/* No fiber can run: advances time until one can. False if none ever will. */
static bool shim_pass(void)
{
	u64 next = SHIM_FOREVER;
	unsigned int i;

	for (i = 0; i < SHIM_FIBERS; i++) {
		const struct task_struct *t = &shim_fibers[i];

		if (t->live && !t->parked && t->asleep)
			next = min(next, t->until);
	}
	if (next == SHIM_FOREVER)
		return false;
	shim_clock = max(shim_clock, next);
	return true;
}

/* Lets the caught fiber continue. False if there is none. */
static bool shim_let_go(void)
{
	if (!shim_caught)
		return false;
	shim_caught->caught = false;
	shim_caught = NULL;
	return true;
}

void shim_run(void)
{
	struct task_struct *t;

	MUST(current == &shim_main);
	shim_idle = 0;
	for (;;) {
		/* Spinning fibers may wait for one that is caught or sleeps. */
		if (shim_idle > SHIM_TIMEOUT / 2 && !shim_let_go())
			shim_pass();
		t = shim_next();
		if (t)
			shim_go(&shim_main, t);
		else if (!shim_let_go() && !shim_pass())
			return;
	}
}

static void shim_leave(bool idle)
{
	struct task_struct *t = current;

	if (t == &shim_main)
		return;
	shim_idle = idle ? shim_idle + 1 : 0;
	if (shim_idle > SHIM_TIMEOUT)
		FAIL("all that runs spins");
	shim_go(t, &shim_main);
}

void shim_point(void)
{
	shim_step();
	if (current != &shim_main && shim_rate && shim_chance(shim_rate)) {
		current->nivcsw++;
		shim_leave(false);
	}
}

void shim_point_at(enum shim_at at)
{
	if (at != shim_trap || current == &shim_main) {
		shim_point();
		return;
	}
	shim_trap = SHIM_NOWHERE;
	shim_caught = current;
	current->caught = true;
	shim_leave(false);
}

void shim_catch(enum shim_at at, bool wait)
{
	unsigned int i;

	if (shim_caught)
		return;
	shim_trap = at;
	shim_catching = wait;
	for (i = 0; wait && i < SHIM_CATCH_WAIT && !shim_caught; i++)
		shim_relax();
	shim_catching = false;
}

void shim_action(void)
{
	while (shim_catching)
		shim_relax();
	shim_progress();
}

void shim_relax(void)
{
	shim_step();
	shim_clock += 20000;
	current->nvcsw++;
	shim_leave(true);
}

void shim_progress(void)
{
	shim_idle = 0;
}

u64 shim_now(void)
{
	return shim_clock += 50;
}

void might_sleep(void)
{
	MUST(!current->atomic);
}

void cond_resched(void)
{
	might_sleep();
	shim_step();
	if (shim_chance(128)) {
		current->nvcsw++;
		shim_leave(false);
	}
}

void shim_wake(struct task_struct *t)
{
	t->state = TASK_RUNNING;
	t->asleep = false;
	t->parked = false;
	shim_progress();
}

/* The caller has set its state before it checked its condition. */
void shim_sleep_until(u64 until)
{
	might_sleep();
	current->nvcsw++;
	if (current == &shim_main)
		FAIL("the program itself would sleep");
	if (current->state != TASK_RUNNING) {
		current->asleep = true;
		current->until = until;
	}
	shim_leave(false);
	current->asleep = false;
	current->state = TASK_RUNNING;
}

void schedule(void)
{
	shim_sleep_until(SHIM_FOREVER);
}

int schedule_hrtimeout_range_clock(ktime_t *expires, u64 delta, int mode,
				   clockid_t clock)
{
	if (expires && *expires <= (ktime_t)shim_clock) {
		current->state = TASK_RUNNING;
		return 0;
	}
	/* No timer gets as far as KTIME_MAX. */
	shim_sleep_until(expires && *expires != KTIME_MAX ? (u64)*expires :
			 SHIM_FOREVER);
	return !expires || (ktime_t)shim_clock < *expires ? -EINTR : 0;
}

void fsleep(unsigned long usecs)
{
	current->state = TASK_UNINTERRUPTIBLE;
	shim_sleep_until(shim_clock + usecs * 1000);
}

bool wake_up_process(struct task_struct *t)
{
	shim_point();
	MUST(t->live || t->refs);
	if (!t->live)
		return false;
	shim_wake(t);
	return true;
}

struct task_struct *get_task_struct(struct task_struct *t)
{
	MUST(t->live);
	t->refs++;
	return t;
}

void put_task_struct(struct task_struct *t)
{
	MUST(t->refs);
	t->refs--;
}

/* Locks */

void spin_lock(spinlock_t *lock)
{
	shim_point_at(SHIM_AT_LOCK);
	MUST(lock->owner != current);
	while (lock->owner)
		shim_relax();
	lock->owner = current;
	current->atomic++;
}

void spin_unlock(spinlock_t *lock)
{
	MUST(lock->owner == current);
	lock->owner = NULL;
	current->atomic--;
	shim_point_at(SHIM_AT_UNLOCK);
}

void mutex_lock(struct mutex *lock)
{
	might_sleep();
	shim_point_at(SHIM_AT_LOCK);
	MUST(lock->owner != current);
	while (lock->owner)
		shim_relax();
	lock->owner = current;
	shim_mutex_taken(lock);
}

int mutex_lock_killable(struct mutex *lock)
{
	if (lock->owner && current->killed)
		return -EINTR;
	mutex_lock(lock);
	return 0;
}

void mutex_unlock(struct mutex *lock)
{
	MUST(lock->owner == current);
	shim_mutex_released(lock);
	lock->owner = NULL;
	shim_point_at(SHIM_AT_UNLOCK);
}

/* Lets all others leave their sections: they are few. */
void synchronize_rcu(void)
{
	unsigned int i;

	might_sleep();
	for (i = 0; i < SHIM_FIBERS; i++)
		while (shim_fibers[i].live && shim_fibers[i].atomic)
			shim_relax();
}

/* Wait queues */

void init_waitqueue_head(wait_queue_head_t *wq)
{
	spin_lock_init(&wq->lock);
	INIT_LIST_HEAD(&wq->head);
}

void add_wait_queue(wait_queue_head_t *wq, struct wait_queue_entry *e)
{
	spin_lock(&wq->lock);
	list_add_tail(&e->entry, &wq->head);
	spin_unlock(&wq->lock);
}

void remove_wait_queue(wait_queue_head_t *wq, struct wait_queue_entry *e)
{
	spin_lock(&wq->lock);
	list_del(&e->entry);
	spin_unlock(&wq->lock);
}

int default_wake_function(struct wait_queue_entry *e, unsigned int mode, int flags,
			  void *key)
{
	shim_wake(e->private);
	return 1;
}

void __wake_up_locked_key(wait_queue_head_t *wq, unsigned int mode, void *key)
{
	struct wait_queue_entry *e;

	lockdep_assert_held(&wq->lock);
	list_for_each_entry(e, &wq->head, entry)
		e->func(e, mode, 0, key);
}

void wake_up_all(wait_queue_head_t *wq)
{
	spin_lock(&wq->lock);
	__wake_up_locked_key(wq, TASK_NORMAL, NULL);
	spin_unlock(&wq->lock);
}

void poll_wait(struct file *file, wait_queue_head_t *wq, poll_table *wait)
{
	if (!wait)
		return;
	wait->queue = wq;
	wait->entry.func = default_wake_function;
	wait->entry.private = current;
	add_wait_queue(wq, &wait->entry);
}

void complete(struct completion *c)
{
	shim_point();
	c->done++;
}

void wait_for_completion(struct completion *c)
{
	might_sleep();
	while (!READ_ONCE(c->done))
		shim_relax();
	c->done--;
}

/* Threads */

/* A kthread stays until kthread_stop() has found it. */
static int shim_kthread(void *arg)
{
	struct task_struct *t = current;
	int (*fn)(void *arg) = t->data;

	if (!t->should_stop)
		fn(arg);
	/* It stays until it is stopped. */
	while (!t->should_stop) {
		t->state = TASK_IDLE;
		schedule();
	}
	return 0;
}

struct task_struct *kthread_create(int (*fn)(void *arg), void *arg,
				   const char *fmt, ...)
{
	struct task_struct *t;

	might_sleep();
	t = shim_fiber(shim_kthread, arg);
	if (!t)
		return ERR_PTR(-ENOMEM);
	t->data = fn;
	t->parked = true;
	return t;
}

int kthread_stop(struct task_struct *t)
{
	const int pid = t->pid;

	might_sleep();
	t->should_stop = true;
	shim_wake(t);
	/* Or another task has reused the slot. */
	while (t->live && t->pid == pid)
		shim_relax();
	return 0;
}
