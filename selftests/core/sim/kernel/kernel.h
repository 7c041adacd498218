/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the kernel's headers that kmod/pool, kmod/exec and kmod/compat
 * use, in the simulator: every <linux/...> that they include leads here (the
 * Makefile makes the names). Types that need no machine are shared with the
 * fuzzers (core/shim/kernel).
 *
 * Inline functions here become part of the module's code and are charged like
 * it. The kernel's other functions are not instrumented (sched.c and so on) and
 * charge explicitly: sim_charge() for a cost that costs.def has as one number,
 * sim_read(), sim_write() and sim_rmw() for lines that other CPUs access, too.
 *
 * The kernel is Debian's 6.1: voluntary preemption, HZ 250, no lockdep.
 */
#ifndef _WSQ_SIM_KERNEL_H
#define _WSQ_SIM_KERNEL_H

#include "sched.h"

#define LINUX_VERSION_CODE	KERNEL_VERSION(6, 1, 0)
#define CONFIG_X86		1
#define CONFIG_SMP		1
#define CONFIG_CPU_ISOLATION	1
#define CONFIG_PREEMPT_NOTIFIERS	1
#define CONFIG_ARCH_HAS_CURRENT_STACK_POINTER	1

#define SMP_CACHE_BYTES		64
#define __uninitialized		__attribute__((uninitialized))

/* asm/asm.h */
register unsigned long current_stack_pointer __asm__("rsp");

/* linux/lockdep.h */
struct lock_class_key {
	char dummy;
};

#define lockdep_assert_held(lock)					\
	MUST(_Generic((lock), struct mutex *:				\
		((struct mutex *)(lock))->owner == current,		\
		default: ((raw_spinlock_t *)(lock))->locked))
#define lockdep_assert_not_held(lock)	MUST((lock)->owner != current)
#define lockdep_depth(t)	0U
#define debug_show_held_locks(t)	((void)0)
#define lockdep_assert_irqs_enabled()	MUST(!irqs_disabled())

/* linux/gfp.h, slab.h, mm.h: lib.c */
#define GFP_KERNEL		0U
#define GFP_ATOMIC		0U
#define __GFP_NOWARN		0U

void *kmalloc_node(size_t size, gfp_t gfp, int node);
void kfree(const void *p);
#define kzalloc_node(size, gfp, node)	kmalloc_node(size, gfp, node)
#define kzalloc(size, gfp)	kmalloc_node(size, gfp, NUMA_NO_NODE)
#define kcalloc(n, size, gfp)	kzalloc((size_t)(n) * (size), gfp)
#define kvcalloc(n, size, gfp)	kcalloc(n, size, gfp)
#define kvmalloc_array(n, size, gfp)	kcalloc(n, size, gfp)
#define kvzalloc(size, gfp)	kzalloc(size, gfp)
#define kvzalloc_node(size, gfp, node)	kmalloc_node(size, gfp, node)
#define kvfree(p)		kfree(p)

/* A block of pages is known by its address. */
#define __GFP_ZERO		0U
#define __GFP_NORETRY		0U
#define KMALLOC_MAX_SIZE	(4UL << 20)

struct page *alloc_pages_node(int node, gfp_t gfp, unsigned int order);
void split_page(struct page *page, unsigned int order);
void free_pages_exact(void *p, size_t size);
int get_order(size_t size);
#define page_address(page)	((void *)(page))

/* linux/kmemleak.h */
#define kmemleak_alloc(p, size, min_count, gfp)	((void)(p))
#define kmemleak_free(p)	((void)(p))

/* linux/sort.h, hash.h, kernel.h, string.h: lib.c */
void sort_r(void *base, size_t nr, size_t size,
	    int (*cmp)(const void *a, const void *b, const void *priv),
	    void *swap, const void *priv);
#define hash_ptr(p, bits)	\
	((u32)((u64)(uintptr_t)(p) * 0x61C8864680B583EBULL >> (64 - (bits))))
#define bitmap_zero(map, nr)	memset(map, 0, DIV_ROUND_UP(nr, 8))
#define scnprintf		snprintf
ssize_t strscpy(char *to, const char *from, size_t size);
int sysfs_match_string_nr(const char *const *array, size_t nr, const char *str);
#define sysfs_match_string(array, str)	\
	sysfs_match_string_nr(array, ARRAY_SIZE(array), str)

/* linux/ktime.h, timekeeping.h, jiffies.h, sched/clock.h: time.c */
#define HZ			250
#define NSEC_PER_USEC		1000L
#define NSEC_PER_MSEC		1000000L
#define CLOCK_MONOTONIC		1
unsigned long shim_jiffies(void);
#define jiffies			shim_jiffies()
#define time_before(a, b)	((long)((a) - (b)) < 0)
#define time_after(a, b)	time_before(b, a)
u64 local_clock(void);
#define ktime_get_mono_fast_ns()	local_clock()
#define ktime_get()		((ktime_t)local_clock())
#define ns_to_ktime(ns)		((ktime_t)(ns))

/* linux/hrtimer.h: time.c */
enum hrtimer_restart {
	HRTIMER_NORESTART,
	HRTIMER_RESTART,
};

enum hrtimer_mode {
	HRTIMER_MODE_REL_HARD,
	HRTIMER_MODE_REL_PINNED_HARD,
};

struct hrtimer {
	struct sim_event event;
	u64 expires;
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	u32 cpu;
	u16 busy;
	u16 raised;
	u64 unused;
};

void hrtimer_init(struct hrtimer *timer, int clock, enum hrtimer_mode mode);
void hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode);
int hrtimer_cancel(struct hrtimer *timer);
int hrtimer_try_to_cancel(struct hrtimer *timer);
u64 hrtimer_forward_now(struct hrtimer *timer, ktime_t interval);

/* linux/timer.h: time.c */
struct timer_list {
	struct timer_list *next;
	void *pprev;
	unsigned long expires;
	void (*function)(struct timer_list *timer);
	u32 flags;
	u32 pending;
};

#define TIMER_IRQSAFE		0x00200000
#define __TIMER_INITIALIZER(f, fl)	{ .function = (f), .flags = (fl) }
#define timer_setup(t, f, fl)	\
	(*(t) = (struct timer_list)__TIMER_INITIALIZER(f, fl))
#define timer_setup_on_stack(t, f, fl)	timer_setup(t, f, fl)
#define destroy_timer_on_stack(t)	((void)(t))
void add_timer(struct timer_list *timer);
void add_timer_on(struct timer_list *timer, int cpu);
int mod_timer(struct timer_list *timer, unsigned long expires);
int del_timer(struct timer_list *timer);
int del_timer_sync(struct timer_list *timer);

/* linux/rcupdate.h: rcu.c */
struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *head);
};

#define rcu_read_lock()		preempt_disable()
#define rcu_read_unlock()	preempt_enable()
#define rcu_assign_pointer(p, v)	smp_store_release(&(p), v)
#define rcu_dereference_raw(p)		READ_ONCE(p)
#define RCU_INIT_POINTER(p, v)		WRITE_ONCE(p, v)
void synchronize_rcu(void);
void rcu_barrier(void);
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));
unsigned long get_state_synchronize_rcu(void);
unsigned long start_poll_synchronize_rcu(void);
bool poll_state_synchronize_rcu(unsigned long cookie);
void shim_kfree_rcu(struct rcu_head *head, size_t offset);
#define kvfree_rcu(p, member)	kfree_rcu(p, member)
#define kfree_rcu(p, member)	\
	shim_kfree_rcu(&(p)->member, offsetof(typeof(*(p)), member))

/* linux/workqueue.h: queue.c */
struct workqueue_struct;

struct work_struct {
	struct workqueue_struct *wq;
	struct list_head entry;
	void (*func)(struct work_struct *work);
};

struct delayed_work {
	struct work_struct work;
	struct timer_list timer;
	struct workqueue_struct *wq;
	int cpu;
};

struct rcu_work {
	struct work_struct work;
	struct rcu_head rcu;
	struct workqueue_struct *wq;
};

#define WQ_UNBOUND		2
#define WQ_MEM_RECLAIM		8
#define INIT_WORK(w, f)		\
	(*(w) = (struct work_struct){ .func = (f) })
#define INIT_DELAYED_WORK(d, f)	\
	(*(d) = (struct delayed_work)__DELAYED_WORK_INITIALIZER(f))
#define INIT_RCU_WORK(r, f)	INIT_WORK(&(r)->work, f)
#define __DELAYED_WORK_INITIALIZER(f)	\
	{ .work = { .func = (f) }, .timer = { .function = shim_delayed_work_fn } }
#define DECLARE_WORK(n, f)	struct work_struct n = { .func = (f) }
#define DECLARE_DELAYED_WORK(n, f)	\
	struct delayed_work n = __DELAYED_WORK_INITIALIZER(f)
#define DECLARE_DEFERRABLE_WORK(n, f)	DECLARE_DELAYED_WORK(n, f)
#define to_delayed_work(w)	container_of(w, struct delayed_work, work)
#define to_rcu_work(w)		container_of(w, struct rcu_work, work)
void shim_delayed_work_fn(struct timer_list *timer);
struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags,
					 int max);
void destroy_workqueue(struct workqueue_struct *wq);
void flush_workqueue(struct workqueue_struct *wq);
bool queue_work_on(int cpu, struct workqueue_struct *wq, struct work_struct *w);
bool queue_work(struct workqueue_struct *wq, struct work_struct *w);
bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *d,
			unsigned long delay);
bool queue_rcu_work(struct workqueue_struct *wq, struct rcu_work *r);
bool schedule_work_on(int cpu, struct work_struct *w);
bool schedule_delayed_work_on(int cpu, struct delayed_work *d,
			      unsigned long delay);
/* On any CPU: this one. */
#define schedule_delayed_work(d, delay)	\
	schedule_delayed_work_on(smp_processor_id(), (d), (delay))
bool cancel_work_sync(struct work_struct *w);
bool cancel_delayed_work_sync(struct delayed_work *d);

#include "xarray.h"

/* linux/tracepoint.h: off. */
#define TP_PROTO(...)		__VA_ARGS__
#define TP_ARGS(...)
#define TP_STRUCT__entry(...)
#define TP_fast_assign(...)
#define TP_printk(...)
#define TP_CONDITION(...)
#define DECLARE_EVENT_CLASS(...)
#define DEFINE_EVENT(class, name, proto, args)	\
	static inline void trace_##name(proto) { }
#define TRACE_EVENT(name, proto, ...)	\
	static inline void trace_##name(proto) { }

#endif /* _WSQ_SIM_KERNEL_H */
