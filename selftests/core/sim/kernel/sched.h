/* SPDX-License-Identifier: GPL-2.0 */
/*
 * linux/sched.h, kthread.h, preempt.h, irqflags.h, hardirq.h, smp.h, irq_work.h
 * and everything that threads sleep in: mutex.h, spinlock.h, swait.h,
 * completion.h.
 *
 * Types have the sizes that they have in the kernel of the measured module
 * (6.1, x86-64), because the offsets of later members depend on them.
 */
#ifndef _WSQ_SIM_SCHED_H
#define _WSQ_SIM_SCHED_H

#include "../../shim/kernel/list.h"
#include "cpumask.h"

/* linux/preempt.h, irqflags.h, hardirq.h: sched.c */
void preempt_disable(void);
void preempt_enable(void);
unsigned int preempt_count(void);
#define PREEMPT_DISABLE_OFFSET	1
#define rcu_preempt_depth()	0
/* No item leaves anything. */
#define preempt_count_set(n)	MUST(preempt_count() == (n))
#define local_irq_save(flags)	((flags) = sim_irq_save())
#define local_irq_restore(flags)	sim_irq_restore(flags)
#define irqs_disabled()		(!sim_irqs_on())
bool in_task(void);
#define in_nmi()		sim_in_nmi()

/* linux/preempt.h: notifiers. sched.c */
struct preempt_notifier;
struct task_struct;

struct preempt_ops {
	void (*sched_in)(struct preempt_notifier *notifier, int cpu);
	void (*sched_out)(struct preempt_notifier *notifier,
			  struct task_struct *next);
};

struct preempt_notifier {
	struct hlist_node link;
	struct preempt_ops *ops;
};

#define preempt_notifier_inc()	((void)0)
#define preempt_notifier_dec()	((void)0)
#define preempt_notifier_init(n, o)	((n)->ops = (o))
void preempt_notifier_register(struct preempt_notifier *notifier);
void preempt_notifier_unregister(struct preempt_notifier *notifier);

/* linux/sched.h */
#define TASK_RTLOCK_WAIT	0x1000
#define TASK_RUNNING		0
#define TASK_INTERRUPTIBLE	1
#define TASK_UNINTERRUPTIBLE	2
#define TASK_WAKEKILL		0x100
#define TASK_KILLABLE		(TASK_WAKEKILL | TASK_UNINTERRUPTIBLE)
#define TASK_NOLOAD		0x400
#define TASK_IDLE		(TASK_UNINTERRUPTIBLE | TASK_NOLOAD)
#define TASK_COMM_LEN		16
#define PF_KTHREAD		0x00200000
#define PF_MEMALLOC		0x00000800
#define MAX_SCHEDULE_TIMEOUT	LONG_MAX
#define MIN_NICE		(-20)
#define MAX_NICE		19

/**
 * struct task_struct - a thread
 * @__state: TASK_*. Others write it when they wake the thread
 * @flags: PF_*
 * @nr_cpus_allowed: number of CPUs it may run on
 * @se: the scheduler's clocks, on a line that others do not write
 * @nvcsw: voluntary switches
 * @nivcsw: involuntary switches
 * @stop: kthread_should_stop()
 * @fn: its function
 * @data: its argument
 * @fiber: its fiber
 * @done: its function has returned
 * @rt: runs before all others, from their next yield on
 * @notifier: called when it sleeps, and when it runs again
 * @vruntime: decides which threads it yields to (sched.c)
 */
struct task_struct {
	unsigned int __state;
	unsigned int flags;
	int nr_cpus_allowed;
	bool on_cpu;
	struct {
		u64 exec_start;
		u64 sum_exec_runtime;
	} se ____cacheline_aligned;
	unsigned long nvcsw ____cacheline_aligned;
	unsigned long nivcsw;
	bool stop;
	int (*fn)(void *arg);
	void *data;
	struct sim_fiber *fiber ____cacheline_aligned;
	bool done;
	bool rt;
	unsigned int cpu;
	int pid;
	struct preempt_notifier *notifier;
	u64 vruntime;
	u64 ran_since;
	struct sim_event timeout;
	struct task_struct *next;
	char comm[TASK_COMM_LEN];
};

struct task_struct *shim_current(void);
#define current			shim_current()
#define set_current_state(s)	smp_store_mb(current->__state, (unsigned int)(s))
#define __set_current_state(s)	WRITE_ONCE(current->__state, (unsigned int)(s))
void schedule(void);
long schedule_timeout(long jiffies);
long schedule_timeout_idle(long jiffies);
long schedule_timeout_uninterruptible(long jiffies);
int cond_resched(void);
#define need_resched()	sim_need_resched()
bool is_idle_task(const struct task_struct *t);
#define single_task_running()	(!sim_waiting(sim_cpu()))
#define cond_resched_tasks_rcu_qs()	cond_resched()
#define cpu_relax()		sim_relax()
#define might_sleep()		MUST(!preempt_count() && !irqs_disabled())
int wake_up_process(struct task_struct *t);

/* linux/thread_info.h, sched/task_stack.h */
#define THREAD_SIZE		sim_config.stack
void *end_of_stack(const struct task_struct *t);

/* linux/rcuwait.h: locks.c */
struct rcuwait {
	struct task_struct *task;
};

#define rcuwait_init(w)		((w)->task = NULL)
int rcuwait_wake_up(struct rcuwait *w);

#define rcuwait_wait_event(w, cond, state)				\
do {									\
	WRITE_ONCE((w)->task, current);					\
	for (;;) {							\
		/* Against the barrier of rcuwait_wake_up(). */		\
		set_current_state(state);				\
		if (cond)						\
			break;						\
		schedule();						\
	}								\
	WRITE_ONCE((w)->task, NULL);					\
	__set_current_state(TASK_RUNNING);				\
} while (0)

int set_cpus_allowed_ptr(struct task_struct *t, const struct cpumask *mask);
#define set_user_nice(t, nice)	((void)(t))
#define get_task_struct(t)	((void)(t))
#define put_task_struct(t)	((void)(t))
#define fatal_signal_pending(t)	false
void usleep_range(unsigned long from, unsigned long to);
#define dump_stack()		((void)0)

/* linux/kthread.h */
__printf(4, 5)
struct task_struct *kthread_create_on_node(int (*fn)(void *arg), void *data,
					   int node, const char *fmt, ...);
void kthread_bind(struct task_struct *t, unsigned int cpu);
int kthread_stop(struct task_struct *t);
#define kthread_should_stop()	READ_ONCE(current->stop)
#define kthread_func(t)		READ_ONCE((t)->fn)
#define kthread_data(t)		READ_ONCE((t)->data)

/* linux/spinlock.h */
typedef struct {
	u32 locked;
} raw_spinlock_t;

typedef raw_spinlock_t spinlock_t;

void raw_spin_lock(raw_spinlock_t *lock);
void raw_spin_unlock(raw_spinlock_t *lock);
bool raw_spin_trylock(raw_spinlock_t *lock);
#define raw_spin_is_locked(lock)	READ_ONCE((lock)->locked)
#define raw_spin_lock_init(lock)	((lock)->locked = 0)
#define DEFINE_RAW_SPINLOCK(name)	raw_spinlock_t name
#define raw_spin_lock_irqsave(lock, flags)	\
	do { local_irq_save(flags); raw_spin_lock(lock); } while (0)
#define raw_spin_trylock_irqsave(lock, flags)				\
({									\
	local_irq_save(flags);						\
	raw_spin_trylock(lock) ? true :					\
		({ local_irq_restore(flags); false; });			\
})
#define raw_spin_unlock_irqrestore(lock, flags)	\
	do { raw_spin_unlock(lock); local_irq_restore(flags); } while (0)
#define raw_spin_lock_irq(lock)	\
	do { MUST(sim_irq_save()); raw_spin_lock(lock); } while (0)
#define raw_spin_unlock_irq(lock)	\
	do { raw_spin_unlock(lock); sim_irq_restore(true); } while (0)

/* linux/seqlock.h: nothing here reads statistics. */
typedef struct {
	raw_spinlock_t lock;
	unsigned int sequence;
} seqlock_t;

#define DEFINE_SEQLOCK(name)	seqlock_t name
#define write_seqlock(s)						\
	do { raw_spin_lock(&(s)->lock); (s)->sequence++; } while (0)
#define write_sequnlock(s)						\
	do { (s)->sequence++; raw_spin_unlock(&(s)->lock); } while (0)

/* linux/mutex.h */
struct mutex {
	struct task_struct *owner;
	raw_spinlock_t wait_lock;
	u32 osq;
	struct list_head wait_list;
};

#define DEFINE_MUTEX(name)	\
	struct mutex name = { .wait_list = LIST_HEAD_INIT((name).wait_list) }
void mutex_init(struct mutex *lock);
void mutex_lock(struct mutex *lock);
bool mutex_trylock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);

/* linux/swait.h */
struct swait_queue_head {
	raw_spinlock_t lock;
	struct list_head task_list;
};

struct swait_queue {
	struct task_struct *task;
	struct list_head task_list;
};

void init_swait_queue_head(struct swait_queue_head *q);
void prepare_to_swait_exclusive(struct swait_queue_head *q, struct swait_queue *w,
				int state);
void finish_swait(struct swait_queue_head *q, struct swait_queue *w);
void swake_up_one(struct swait_queue_head *q);

#define swait_event_exclusive(q, cond)					\
do {									\
	struct swait_queue __w = { .task = NULL };			\
									\
	INIT_LIST_HEAD(&__w.task_list);					\
	for (;;) {							\
		prepare_to_swait_exclusive(&(q), &__w,			\
					   TASK_UNINTERRUPTIBLE);	\
		if (cond)						\
			break;						\
		schedule();						\
	}								\
	finish_swait(&(q), &__w);					\
} while (0)

/* linux/completion.h */
struct completion {
	unsigned int done;
	struct swait_queue_head wait;
};

void init_completion(struct completion *c);
void complete(struct completion *c);
void wait_for_completion(struct completion *c);

/* linux/freezer.h: the machine is never suspended, and no queue is freezable. */
#define PF_NOFREEZE		0x00008000
#define freezing(t)		((void)(t), false)
#define try_to_freeze()		false
#define kthread_complete_and_exit(c, ret)	\
do {						\
	complete(c);				\
	return (ret);				\
} while (0)

unsigned long wait_for_completion_timeout(struct completion *c,
					  unsigned long jiffies);

/* linux/smp.h: smp.c */
typedef void (*smp_call_func_t)(void *info);

struct __call_single_node {
	void *llist;
	unsigned int u_flags;
	u16 src, dst;
};

typedef struct __attribute__((aligned(32))) {
	struct __call_single_node node;
	smp_call_func_t func;
	void *info;
} call_single_data_t;

#define INIT_CSD(csd, f, i)	\
	(*(csd) = (call_single_data_t){ .func = (f), .info = (i) })
int smp_call_function_single(int cpu, smp_call_func_t func, void *info, int wait);
int smp_call_function_single_async(int cpu, call_single_data_t *csd);
void smp_call_function_many(const struct cpumask *mask, smp_call_func_t func,
			    void *info, bool wait);

/* linux/irq_work.h: smp.c */
struct irq_work {
	struct __call_single_node node;
	void (*func)(struct irq_work *work);
	void *irqwait;
};

#define IRQ_WORK_INIT_HARD(f)	((struct irq_work){ .func = (f) })
bool irq_work_queue(struct irq_work *work);
void irq_work_sync(struct irq_work *work);

/* linux/cpuhotplug.h, cpu.h: smp.c */
enum cpuhp_state {
	CPUHP_BP_PREPARE_DYN,
	CPUHP_AP_ONLINE_DYN,
};

int cpuhp_setup_state_nocalls(enum cpuhp_state state, const char *name,
			      int (*startup)(unsigned int cpu),
			      int (*teardown)(unsigned int cpu));
int cpuhp_setup_state_multi(enum cpuhp_state state, const char *name,
			    int (*startup)(unsigned int cpu, struct hlist_node *n),
			    int (*teardown)(unsigned int cpu, struct hlist_node *n));
int cpuhp_state_add_instance(enum cpuhp_state state, struct hlist_node *node);
#define cpuhp_state_remove_instance_nocalls(state, node)	((void)(node))
#define cpuhp_remove_state_nocalls(state)	((void)(state))
#define cpuhp_remove_multi_state(state)	((void)(state))
#define cpus_read_lock()	((void)0)
#define cpus_read_trylock()	true
#define cpus_read_unlock()	((void)0)

#endif /* _WSQ_SIM_SCHED_H */
