/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the kernel's headers that kmod/ring and kmod/serial use, for user
 * space: every <linux/...> that they include leads here (../Makefile makes the
 * names).
 *
 * For: the fuzzers in the parent directory; not for measurements. There is one
 * thread. The kernel's parallel contexts are fibers (fiber.h), each on its own
 * CPU, which switch at the points listed there; so a schedule is a number, and
 * the same number gives the same schedule.
 *
 * Stricter than the kernel where that finds errors: array_index_nospec()
 * requires an index in bounds, a sleeping fiber must not hold a spinlock or be
 * in an RCU section, the owner of a lock releases it, reference counts do not
 * drop below 0.
 *
 * Limitations: memory is sequentially consistent (litmus tests check ordering).
 * 64-bit, x86 (fiber.c).
 */
#ifndef _WSQ_FUZZ_KERNEL_H
#define _WSQ_FUZZ_KERNEL_H

#include <time.h>

/* Types and 64-bit atomics are those of the core's shim. */
#include <wsq_platform.h>

#include "fiber.h"

#include "../../core/shim/kernel/basic.h"

typedef unsigned short umode_t;
typedef unsigned int __poll_t;
typedef unsigned int vm_fault_t;

/* linux/version.h: a kernel between the oldest and the newest. */
#define LINUX_VERSION_CODE	KERNEL_VERSION(6, 12, 0)
#define CONFIG_XXHASH		1

/*
 * Memory that the process may write at any time: the first read returns its
 * content, a second read returns something else.
 */
extern struct shim_watch {
	u8 *from;
	u8 *to;
} shim_watch;

static inline void shim_was_read(const volatile void *p)
{
	u64 *word = (u64 *)((uintptr_t)p & ~7UL);

	if ((u8 *)word >= shim_watch.from && (u8 *)word < shim_watch.to)
		*word = ~*word;
}

/* linux/compiler.h */
#define __uninitialized		__attribute__((uninitialized))
#define READ_ONCE(x)							\
({									\
	typeof(x) __x = *(const volatile typeof(x) *)&(x);		\
									\
	shim_was_read(&(x));						\
	__x;								\
})
#define WRITE_ONCE(x, val)	(*(volatile typeof(x) *)&(x) = (val))

/* linux/nospec.h: callers have checked the index. */
#define array_index_nospec(index, size)					\
({									\
	typeof(index) __i = (index);					\
									\
	if ((u64)__i >= (u64)(size))					\
		FAIL("index %llu of %llu", (u64)__i, (u64)(size));	\
	__i;								\
})

/* linux/atomic.h: 64-bit ones are the core's; some are switch points, too. */
#undef smp_mb
#define smp_mb()		shim_point_at(SHIM_AT_BARRIER)
#define smp_mb__after_atomic()	shim_point_at(SHIM_AT_BARRIER)
#define smp_load_acquire(p)	({ shim_point(); READ_ONCE(*(p)); })
#define smp_store_release(p, val)	\
	do { shim_point(); WRITE_ONCE(*(p), (val)); } while (0)

/* Called when a completion is published: the harness observes it. */
void shim_published(const atomic64_t *slot);

static inline void shim_set_release(atomic64_t *v, s64 val)
{
	shim_point();
	atomic64_set(v, val);
	shim_published(v);
}

static inline s64 shim_read_acquire(const atomic64_t *v)
{
	s64 val;

	shim_point();
	val = atomic64_read(v);
	shim_point();
	return val;
}

static inline s64 shim_fetch_add_release(s64 n, atomic64_t *v)
{
	shim_point();
	return atomic64_fetch_add_relaxed(n, v);
}

#define atomic64_set_release	shim_set_release
#define atomic64_read_acquire	shim_read_acquire
#define atomic64_fetch_add_release	shim_fetch_add_release

typedef struct {
	int counter;
} atomic_t;

#define ATOMIC_INIT(i)		{ (i) }
#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_set(v, i)	WRITE_ONCE((v)->counter, (i))
#define atomic_read_acquire(v)	({ shim_point(); atomic_read(v); })

static inline int atomic_fetch_add(int n, atomic_t *v)
{
	int old;

	shim_point_at(SHIM_AT_ADD);
	old = v->counter;
	v->counter = old + n;
	return old;
}

#define atomic_add(n, v)	((void)atomic_fetch_add(n, v))
#define atomic_sub(n, v)	((void)atomic_fetch_add(-(n), v))
#define atomic_inc(v)		atomic_add(1, v)
#define atomic_dec(v)		atomic_sub(1, v)
#define atomic_dec_return_release(v)	(atomic_fetch_add(-1, v) - 1)
#define atomic_dec_and_test(v)	(atomic_fetch_add(-1, v) == 1)

static inline int atomic_xchg(atomic_t *v, int val)
{
	int old;

	shim_point_at(SHIM_AT_XCHG);
	old = v->counter;
	v->counter = val;
	return old;
}

static inline int atomic_cmpxchg(atomic_t *v, int old, int val)
{
	int was;

	shim_point_at(SHIM_AT_CMPXCHG);
	was = v->counter;
	if (was == old)
		v->counter = val;
	return was;
}

#define atomic_cmpxchg_acquire	atomic_cmpxchg
#define atomic_cmpxchg_relaxed	atomic_cmpxchg

static inline bool atomic_try_cmpxchg(atomic_t *v, int *old, int val)
{
	int was = atomic_cmpxchg(v, *old, val);

	if (was == *old)
		return true;
	*old = was;
	return false;
}

static inline int atomic_fetch_andnot(unsigned int mask, atomic_t *v)
{
	int old;

	shim_point();
	old = v->counter;
	v->counter = old & ~mask;
	return old;
}

#include "../../core/shim/kernel/list.h"

/* linux/bitmap.h, bitops.h */
#define BITS_TO_LONGS(n)	(((n) + 63) / 64)
#define test_bit(n, map)	((READ_ONCE((map)[(n) / 64]) >> ((n) % 64)) & 1)
#define __set_bit(n, map)	((map)[(n) / 64] |= 1UL << ((n) % 64))

static inline void bitmap_and(unsigned long *dst, const unsigned long *a,
			      const unsigned long *b, unsigned int bits)
{
	unsigned int i;

	for (i = 0; i < BITS_TO_LONGS(bits); i++)
		dst[i] = a[i] & b[i];
}

/* linux/unaligned.h, string.h */
#define get_unaligned(p)	\
	({ typeof(0 + *(p)) __v; memcpy(&__v, (p), sizeof(__v)); __v; })
#define put_unaligned(val, p)	\
	do { typeof(*(p)) __v = (val); memcpy((p), &__v, sizeof(__v)); } while (0)

static inline void shim_strscpy(char *dst, const char *src, size_t n)
{
	size_t len = strnlen(src, n - 1);

	memcpy(dst, src, len);
	dst[len] = 0;
}

#define strscpy			shim_strscpy

/* linux/spinlock.h, mutex.h, lockdep.h, preempt.h: fiber.c */
typedef struct {
	struct task_struct *owner;
} spinlock_t;

struct mutex {
	struct task_struct *owner;
};

struct lock_class_key {
	char dummy;
};

#define DEFINE_SPINLOCK(name)	spinlock_t name
#define DEFINE_MUTEX(name)	struct mutex name
#define spin_lock_init(lock)	((lock)->owner = NULL)
#define mutex_init(lock)	((lock)->owner = NULL)
#define spin_lock_irq		spin_lock
#define spin_unlock_irq		spin_unlock
#define raw_spinlock_t		spinlock_t
#define raw_spin_lock_init	spin_lock_init
#define raw_spin_lock		spin_lock
#define raw_spin_unlock		spin_unlock
#define lockdep_assert_held(lock)	MUST((lock)->owner == current)
#define lockdep_depth(t)	0

void spin_lock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);
void mutex_lock(struct mutex *lock);
int mutex_lock_killable(struct mutex *lock);
void mutex_unlock(struct mutex *lock);
/* The harness observes the lock, while no other fiber can take it. */
void shim_mutex_taken(const struct mutex *lock);
void shim_mutex_released(const struct mutex *lock);

#define preempt_disable()	(current->atomic++)
#define preempt_enable()	(current->atomic--)
#define preempt_count()		(current->atomic)
#define rcu_preempt_depth()	0

/* linux/rcupdate.h */
#define rcu_read_lock()		(current->atomic++)
#define rcu_read_unlock()	(current->atomic--)
void synchronize_rcu(void);
#define rcu_barrier()		synchronize_rcu()
#define __rcu
#define rcu_assign_pointer(p, v)	((p) = (v))
#define rcu_dereference_raw(p)		(p)
#define RCU_INIT_POINTER(p, v)		((p) = (v))

/* linux/percpu.h, cpumask.h, nodemask.h: CPU 6 and node 1 do not exist. */
#define nr_cpu_ids		16U
#define nr_node_ids		3U
#define cpu_possible(cpu)	((cpu) < nr_cpu_ids && (cpu) != 6)
#define node_possible(node)	((node) < nr_node_ids && (node) != 1)
#define num_possible_cpus()	(nr_cpu_ids - 1)
#define N_MEMORY		0
#define num_node_state(what)	2
#define for_each_possible_cpu(cpu)	\
	for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++) if (cpu_possible(cpu))
#define raw_smp_processor_id()	(current->cpu)

#define SHIM_PERCPU		64	/* distance between two CPUs' */
void *shim_percpu(size_t size, gfp_t gfp);
#define alloc_percpu_gfp(type, gfp)	((type *)shim_percpu(sizeof(type), gfp))
#define free_percpu(p)		kfree(p)
#define per_cpu_ptr(p, cpu)	\
	((typeof(p))((char *)(p) + (size_t)(cpu) * SHIM_PERCPU))
#define this_cpu_ptr(p)		per_cpu_ptr(p, current->cpu)
#define this_cpu_add(var, n)	(*per_cpu_ptr(&(var), current->cpu) += (n))

/* linux/percpu-refcount.h */
struct percpu_ref_data {
	u64 words[7];
};

struct percpu_ref {
	long count;
	bool dying;
	void (*release)(struct percpu_ref *ref);
};

int percpu_ref_init(struct percpu_ref *ref,
		    void (*release)(struct percpu_ref *ref),
		    unsigned int flags, gfp_t gfp);
void percpu_ref_exit(struct percpu_ref *ref);
void percpu_ref_kill(struct percpu_ref *ref);
void percpu_ref_get_many(struct percpu_ref *ref, unsigned long n);
void percpu_ref_put_many(struct percpu_ref *ref, unsigned long n);
bool percpu_ref_tryget_live(struct percpu_ref *ref);
#define percpu_ref_get(ref)	percpu_ref_get_many(ref, 1)
#define percpu_ref_put(ref)	percpu_ref_put_many(ref, 1)
#define percpu_ref_is_dying(ref)	READ_ONCE((ref)->dying)

/* linux/gfp.h, slab.h, mm.h, vmalloc.h: kernel.c */
#define __GFP_ZERO		1U
#define __GFP_NOWARN		0U
#define __GFP_NORETRY		0U
#define __GFP_RETRY_MAYFAIL	0U
#define GFP_KERNEL		0U
#define GFP_KERNEL_ACCOUNT	2U
#define VM_MAP			0
#define PAGE_KERNEL		0

struct page {
	long refs;
};

void *shim_alloc(size_t size, gfp_t gfp);
void kfree(const void *p);
void *kvcalloc(size_t n, size_t size, gfp_t gfp);
struct page *alloc_page(gfp_t gfp);
void get_page(struct page *page);
void put_page(struct page *page);
void *vmap(struct page **pages, unsigned int nr, unsigned long flags, int prot);
void vunmap(const void *addr);
#define kzalloc(size, gfp)	shim_alloc(size, gfp)
#define kvfree(p)		kfree(p)

#define VM_EXEC			4UL
#define VM_SHARED		8UL
#define VM_MAYEXEC		0x40UL
#define VM_DONTCOPY		0x20000UL
#define VM_DONTEXPAND		0x40000UL
#define VM_DONTDUMP		0x4000000UL
#define VM_FAULT_SIGBUS		2U

struct vm_fault;

struct vm_operations_struct {
	vm_fault_t (*fault)(struct vm_fault *vmf);
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_pgoff;
	unsigned long vm_flags;
	void *vm_private_data;
	const struct vm_operations_struct *vm_ops;
};

struct vm_fault {
	struct vm_area_struct *vma;
	unsigned long pgoff;
	struct page *page;
};

#define vma_pages(vma)		(((vma)->vm_end - (vma)->vm_start) >> PAGE_SHIFT)
#define vm_flags_mod(vma, set, clear)	\
	((vma)->vm_flags = ((vma)->vm_flags | (set)) & ~(clear))

/* linux/uaccess.h: kernel.c */
unsigned long copy_from_user(void *to, const void *from, unsigned long n);
unsigned long copy_to_user(void *to, const void *from, unsigned long n);
unsigned long clear_user(void *to, unsigned long n);
int copy_struct_from_user(void *dst, size_t ksize, const void *src, size_t usize);
#define u64_to_user_ptr(x)	((void *)(uintptr_t)(x))
#define get_user(x, ptr)						\
({									\
	typeof(0 + *(ptr)) __g = 0;					\
	int __r = copy_from_user(&__g, (ptr), sizeof(__g)) ?		\
		  -EFAULT : 0;						\
									\
	(x) = __g;							\
	__r;								\
})

/* linux/ktime.h, jiffies.h, hrtimer.h, delay.h, sched/clock.h: fiber.c */
#define HZ			250
#define NSEC_PER_USEC		1000L
#define USEC_PER_SEC		1000000L
#define KTIME_MAX		LLONG_MAX
#define HRTIMER_MODE_ABS	0
#define jiffies			((unsigned long)(shim_clock / (1000000000 / HZ)))
#define time_after(a, b)	((long)((b) - (a)) < 0)
u64 shim_now(void);
#define ktime_get_mono_fast_ns()	shim_now()
#define local_clock()		shim_now()
#define ktime_get()		((ktime_t)shim_now())
#define ns_to_ktime(ns)		((ktime_t)(ns))
#define ktime_sub(a, b)		((ktime_t)((a) - (b)))
#define ERESTARTNOHAND		514

/* linux/time_namespace.h: all are in one. */
struct timespec64 {
	s64 tv_sec;
	long tv_nsec;
};

static inline void timens_add_monotonic(struct timespec64 *ts)
{
}

static inline s64 timespec64_to_ns(const struct timespec64 *ts)
{
	return ts->tv_sec * 1000000000LL + ts->tv_nsec;
}

/* linux/personality.h */
#define READ_IMPLIES_EXEC	0x0400000

static inline ktime_t ktime_add_safe(ktime_t a, ktime_t b)
{
	ktime_t sum;

	return __builtin_add_overflow(a, b, &sum) ? KTIME_MAX : sum;
}

void fsleep(unsigned long usecs);

/* linux/sched.h, kthread.h: fiber.c */
#define TASK_RUNNING		0
#define TASK_INTERRUPTIBLE	1
#define TASK_UNINTERRUPTIBLE	2
#define TASK_NORMAL		3
#define TASK_KILLABLE		4
#define TASK_IDLE		8
#define set_current_state(s)	do { WRITE_ONCE(current->state, s); shim_point(); } while (0)
#define __set_current_state(s)	WRITE_ONCE(current->state, s)
void might_sleep(void);
void cond_resched(void);
#define need_resched()		shim_chance(2)
#define cond_resched_tasks_rcu_qs()	cond_resched()
#define cpu_relax()		shim_relax()
#define single_task_running()	shim_chance(128)
void schedule(void);
#define schedule_timeout_idle(n)	fsleep((n) * (USEC_PER_SEC / HZ))
#define usleep_range_state(min, max, state)	fsleep(min)
#define hrtimer_resolution		1
int schedule_hrtimeout_range_clock(ktime_t *expires, u64 delta, int mode,
				   clockid_t clock);
#define signal_pending(t)	READ_ONCE((t)->signal)
#define fatal_signal_pending(t)	READ_ONCE((t)->killed)
bool wake_up_process(struct task_struct *t);
struct task_struct *get_task_struct(struct task_struct *t);
void put_task_struct(struct task_struct *t);
#define task_tgid_nr(t)		((t)->pid)
#define task_pid_vnr(t)		((t)->pid)

__printf(3, 4)
struct task_struct *kthread_create(int (*fn)(void *arg), void *arg,
				   const char *fmt, ...);
int kthread_stop(struct task_struct *t);
#define kthread_should_stop()	READ_ONCE(current->should_stop)
#define kthread_data(t)		((t)->data)

/* linux/wait.h, poll.h, completion.h: fiber.c */
/* linux/rbtree.h: a list in order. A node that is in none is before itself. */
struct rb_node {
	struct rb_node *prev;
	struct rb_node *next;
};

struct rb_root_cached {
	struct rb_node *first;
};

#define RB_ROOT_CACHED		((struct rb_root_cached) { NULL })
#define RB_CLEAR_NODE(node)	((node)->prev = (node))
#define RB_EMPTY_NODE(node)	((node)->prev == (node))
#define rb_first_cached(root)	((root)->first)
#define rb_entry(p, type, member)	container_of(p, type, member)
#define rb_entry_safe(p, type, member)					\
({									\
	struct rb_node *__p = (p);					\
									\
	__p ? rb_entry(__p, type, member) : NULL;			\
})

static inline void rb_add_cached(struct rb_node *node, struct rb_root_cached *root,
				 bool (*less)(struct rb_node *, const struct rb_node *))
{
	struct rb_node **at = &root->first, *prev = NULL;

	while (*at && !less(node, *at)) {
		prev = *at;
		at = &prev->next;
	}
	node->prev = prev;
	node->next = *at;
	if (*at)
		(*at)->prev = node;
	*at = node;
}

static inline void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	if (node->prev)
		node->prev->next = node->next;
	else
		root->first = node->next;
	if (node->next)
		node->next->prev = node->prev;
}

struct wait_queue_head {
	spinlock_t lock;
	struct list_head head;
};

typedef struct wait_queue_head wait_queue_head_t;

struct wait_queue_entry {
	void *private;
	int (*func)(struct wait_queue_entry *entry, unsigned int mode, int flags,
		    void *key);
	struct list_head entry;
};

typedef struct poll_table {
	struct wait_queue_entry entry;
	wait_queue_head_t *queue;
} poll_table;

struct completion {
	unsigned int done;
};

struct file;

void init_waitqueue_head(wait_queue_head_t *wq);
void add_wait_queue(wait_queue_head_t *wq, struct wait_queue_entry *e);
void remove_wait_queue(wait_queue_head_t *wq, struct wait_queue_entry *e);
void __wake_up_locked_key(wait_queue_head_t *wq, unsigned int mode, void *key);
void wake_up_all(wait_queue_head_t *wq);
int default_wake_function(struct wait_queue_entry *e, unsigned int mode,
			  int flags, void *key);
void poll_wait(struct file *file, wait_queue_head_t *wq, poll_table *wait);
#define init_waitqueue_func_entry(e, f)	\
	((e)->func = (f), (e)->private = NULL)
#define waitqueue_active(wq)	(!list_empty(&(wq)->head))
#define wq_has_sleeper(wq)	({ smp_mb(); waitqueue_active(wq); })
#define wake_up_poll(wq, mask)	wake_up_all(wq)

#define DECLARE_WAIT_QUEUE_HEAD(name)	\
	wait_queue_head_t name = { .head = { &name.head, &name.head } }

#define wait_event(wq, cond)						\
do {									\
	might_sleep();							\
	while (!(cond))							\
		shim_relax();						\
} while (0)

#define wait_event_killable(wq, cond)					\
({									\
	int __killed = 0;						\
									\
	might_sleep();							\
	while (!(cond)) {						\
		__killed = fatal_signal_pending(current) ? -EINTR : 0;	\
		if (__killed)						\
			break;						\
		shim_relax();						\
	}								\
	__killed;							\
})

#define wait_event_killable_timeout(wq, cond, timeout)			\
({									\
	u64 __until = shim_clock + (u64)(timeout) * (1000000000 / HZ);	\
	struct wait_queue_entry __e = {					\
		.private = current, .func = default_wake_function,	\
	};								\
	long __ret;							\
									\
	might_sleep();							\
	add_wait_queue(&(wq), &__e);					\
	for (;;) {							\
		set_current_state(TASK_KILLABLE);			\
		__ret = 1;						\
		if (cond)						\
			break;						\
		__ret = fatal_signal_pending(current) ? -EINTR : 0;	\
		if (__ret || shim_clock >= __until)			\
			break;						\
		shim_sleep_until(__until);				\
	}								\
	__set_current_state(TASK_RUNNING);				\
	remove_wait_queue(&(wq), &__e);					\
	__ret;								\
})

#define init_completion(c)	((c)->done = 0)
void complete(struct completion *c);
void wait_for_completion(struct completion *c);

#define EPOLLIN			1U
#define EPOLLOUT		4U
#define EPOLLERR		8U
#define EPOLLHUP		0x10U
#define EPOLLRDNORM		0x40U
#define EPOLLWRNORM		0x100U

/* linux/workqueue.h, timer.h: queue.c */
struct work_struct {
	void (*func)(struct work_struct *work);
	bool pending;
	bool rcu;		/* after a grace period */
};

struct rcu_work {
	struct work_struct work;
};

struct workqueue_struct;

struct timer_list {
	char dummy;
};

struct rcu_head {
	char dummy;
};

#define WQ_UNBOUND		2
#define INIT_WORK(w, f)		\
	((w)->func = (f), (w)->pending = false, (w)->rcu = false)
#define INIT_WORK_ONSTACK(w, f)	INIT_WORK(w, f)
#define destroy_work_on_stack(w)	((void)(w))
#define INIT_RCU_WORK(w, f)	INIT_WORK(&(w)->work, f)
#define to_rcu_work(w)		container_of(w, struct rcu_work, work)
#define TIMER_IRQSAFE		0
#define timer_setup(timer, fn, flags)	((void)(fn))
#define timer_setup_on_stack(timer, fn, flags)	((void)(fn))
struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags,
					 int max);
bool queue_work(struct workqueue_struct *wq, struct work_struct *work);
bool queue_rcu_work(struct workqueue_struct *wq, struct rcu_work *work);
void flush_work(struct work_struct *work);
void flush_workqueue(struct workqueue_struct *wq);
void destroy_workqueue(struct workqueue_struct *wq);

/* linux/hash.h */
#define hash_ptr(p, bits)	((u32)((uintptr_t)(p) >> 4))

/* linux/cred.h, capability.h, uidgid.h, user_namespace.h */
typedef struct {
	u32 val;
} kuid_t;

struct user_namespace {
	long refs;
	struct user_namespace *parent;
	kuid_t owner;
	struct {
		unsigned int inum;
	} ns;
};

struct cred {
	long refs;
	kuid_t uid;
	kuid_t euid;
	u64 caps;
	struct user_namespace *user_ns;
};

extern struct user_namespace init_user_ns;

#define CAP_SYS_NICE		23
#define CAP_SYS_RESOURCE	24
#define CAP_LAST_CAP		40
#define cap_valid(cap)		((cap) >= 0 && (cap) <= CAP_LAST_CAP)
#define __kuid_val(uid)		((uid).val)
#define INVALID_UID		((kuid_t){ -1U })
#define GLOBAL_ROOT_UID		((kuid_t){ 0 })
#define uid_eq(a, b)		((a).val == (b).val)
#define current_cred()		(current->cred)
#define current_uid()		(current->cred->uid)
#define current_euid()		(current->cred->euid)
#define current_user_ns()	(current->cred->user_ns)
#define capable(cap)		ns_capable(&init_user_ns, cap)
bool ns_capable(struct user_namespace *ns, int cap);
/* linux/memcontrol.h: no cgroup. */
struct mem_cgroup;

#define get_mem_cgroup_from_mm(mm)	((struct mem_cgroup *)NULL)

static inline void mem_cgroup_put(struct mem_cgroup *memcg)
{
}

static inline struct mem_cgroup *set_active_memcg(struct mem_cgroup *memcg)
{
	return NULL;
}

const struct cred *get_cred(const struct cred *cred);
void put_cred(const struct cred *cred);
const struct cred *override_creds(const struct cred *cred);
void revert_creds(const struct cred *old);
struct user_namespace *get_user_ns(struct user_namespace *ns);
void put_user_ns(struct user_namespace *ns);

/* linux/fs.h, file.h, miscdevice.h, seq_file.h */
#define FMODE_READ		1U
#define FMODE_WRITE		2U
#define MISC_DYNAMIC_MINOR	255

struct inode;

struct seq_file {
	char text[2048];
	size_t len;
};

struct file_operations {
	struct module *owner;
	int (*open)(struct inode *inode, struct file *file);
	int (*release)(struct inode *inode, struct file *file);
	long (*unlocked_ioctl)(struct file *file, unsigned int cmd,
			       unsigned long arg);
	long (*compat_ioctl)(struct file *file, unsigned int cmd,
			     unsigned long arg);
	int (*mmap)(struct file *file, struct vm_area_struct *vma);
	__poll_t (*poll)(struct file *file, poll_table *wait);
	void (*show_fdinfo)(struct seq_file *m, struct file *file);
};

struct file {
	unsigned int f_mode;
	const struct file_operations *f_op;
	const struct cred *f_cred;
	void *private_data;
	long refs;
};

struct miscdevice {
	int minor;
	const char *name;
	const struct file_operations *fops;
	umode_t mode;
};

struct file *fget(unsigned int fd);
void fput(struct file *file);
#define nonseekable_open(inode, file)	0
#define compat_ptr_ioctl	NULL
int misc_register(struct miscdevice *misc);
void misc_deregister(struct miscdevice *misc);
__printf(2, 3)
void seq_printf(struct seq_file *m, const char *fmt, ...);
#define seq_puts(m, s)		seq_printf(m, "%s", s)

/* linux/module.h, notifier.h */
enum module_state {
	MODULE_STATE_LIVE,
	MODULE_STATE_COMING,
	MODULE_STATE_GOING,
};

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long event,
			     void *data);
};

#define NOTIFY_DONE		0
int register_module_notifier(struct notifier_block *nb);
int unregister_module_notifier(struct notifier_block *nb);
int kstrtoull(const char *s, unsigned int base, unsigned long long *res);
int kstrtouint(const char *s, unsigned int base, unsigned int *res);
#define param_get_ullong	NULL
#define param_get_uint		NULL

/* linux/xarray.h: few entries, in order */
struct xarray {
	unsigned int nr;
	struct {
		unsigned long index;
		void *entry;
	} at[8];
};

#define DEFINE_XARRAY(name)	struct xarray name
#define xa_err(entry)		((int)(IS_ERR(entry) ? PTR_ERR(entry) : 0))
#define xa_empty(xa)		(!(xa)->nr)
void *xa_load(struct xarray *xa, unsigned long index);
void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
void *xa_erase(struct xarray *xa, unsigned long index);
/* The first at or behind @index, which is set to its index. */
void *xa_find(struct xarray *xa, unsigned long *index);
#define xa_for_each_start(xa, index, entry, start)			\
	for ((index) = (start); ((entry) = xa_find(xa, &(index))); (index)++)
#define xa_for_each(xa, index, entry)	xa_for_each_start(xa, index, entry, 0)

/* linux/bitops.h: one thread, so no atomics; linux/cache.h */
#define SMP_CACHE_BYTES	64

static inline bool test_and_set_bit_lock(unsigned int nr, unsigned long *word)
{
	bool was = *word >> nr & 1;

	*word |= 1UL << nr;
	return was;
}

static inline void clear_bit_unlock(unsigned int nr, unsigned long *word)
{
	MUST(*word >> nr & 1);
	*word &= ~(1UL << nr);
}

/* linux/siphash.h, random.h */
typedef struct {
	unsigned long key[2];
} hsiphash_key_t;

void get_random_bytes(void *buf, size_t n);
u32 hsiphash_2u32(u32 a, u32 b, const hsiphash_key_t *key);

/*
 * linux/crc32c.h, xxhash.h, crypto: checksums that the harness can compute,
 * too. Only CRC-32C is the real one; the values of the others are not tested
 * here.
 */
#define SHA256_DIGEST_SIZE	32
#define SHA512_DIGEST_SIZE	64

struct crypto_shash {
	unsigned int size;
};

struct shash_desc {
	struct crypto_shash *tfm;
	u64 sum;
};

struct xxh64_state {
	u64 sum;
};

u32 crc32c(u32 crc, const void *data, unsigned int n);
u64 shim_sum(u64 sum, const void *data, size_t n);
#define SHIM_SUM		0xcbf29ce484222325ULL
#define xxh64_reset(s, seed)	((s)->sum = SHIM_SUM ^ (seed))
#define xxh64_update(s, p, n)	((s)->sum = shim_sum((s)->sum, p, n))
#define xxh64_digest(s)		((s)->sum)
#define SHASH_DESC_ON_STACK(desc, tfm)	\
	struct shash_desc __desc, *desc = &__desc
#define crypto_shash_digestsize(tfm)	((tfm)->size)
#define crypto_shash_statesize(tfm)	(sizeof(u64) + 0 * (tfm)->size)
#define shash_desc_zero(desc)	((void)(desc))
struct crypto_shash *crypto_alloc_shash(const char *name, u32 type, u32 mask);
void crypto_free_shash(struct crypto_shash *tfm);
int crypto_shash_init(struct shash_desc *desc);
int crypto_shash_update(struct shash_desc *desc, const u8 *data, unsigned int n);
int crypto_shash_final(struct shash_desc *desc, u8 *out);
int crypto_shash_export(struct shash_desc *desc, void *out);
int crypto_shash_import(struct shash_desc *desc, const void *in);
void shim_digest(u8 *out, u64 sum, unsigned int size);

#endif /* _WSQ_FUZZ_KERNEL_H */
