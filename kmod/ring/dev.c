// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/wsq: the file operations.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "cancel.h"
#include "dev.h"
#include "enter.h"
#include "limits.h"
#include "mem.h"
#include "ops.h"
#include "poller.h"
#include "queues.h"
#include "restrict.h"
#include "ring.h"
#include "setup.h"
#include "task_stats.h"
#include "wait.h"

/* Sizes of the first versions. They never change; the structs may grow. */
#define WSQ_QUERY_SIZE_V0	72
#define WSQ_SETUP_SIZE_V0	56
#define WSQ_ENTER_SIZE_V0	32
#define WSQ_CANCEL_SIZE_V0	24
#define WSQ_RESTRICT_SIZE_V0	24
#define WSQ_RING_STATS_SIZE_V0	56

static const struct file_operations wsq_fops;

static_assert(offsetofend(struct wsq_query, arena_size) == WSQ_QUERY_SIZE_V0);
static_assert(offsetofend(struct wsq_query, rsv) == 80);
static_assert(sizeof(struct wsq_query) == 112);
static_assert(offsetofend(struct wsq_setup, ids_off) == WSQ_SETUP_SIZE_V0);
static_assert(sizeof(struct wsq_setup) == 64);
static_assert(sizeof(struct wsq_enter) == WSQ_ENTER_SIZE_V0);
static_assert(sizeof(struct wsq_cancel) == WSQ_CANCEL_SIZE_V0);
static_assert(sizeof(struct wsq_restrict) == WSQ_RESTRICT_SIZE_V0);
static_assert(sizeof(struct wsq_ring_stats) == WSQ_RING_STATS_SIZE_V0);
static_assert(sizeof(struct wsq_op_info) == 64);
static_assert(sizeof(struct wsq_vec) == 16);

/**
 * wsq_struct_get() - copy in a struct that begins with its size
 * @dst: the struct
 * @ksize: its size here, in bytes
 * @least: size of its first version
 * @src: the caller's struct, whose size is what the caller knows
 * @size: set to that size
 *
 * Context: task; may sleep.
 * Return: 0; %-EFAULT; %-EINVAL if it is shorter than the first version;
 * %-E2BIG if it is longer than a page, or not zero in a part that this kernel
 * does not know.
 */
int wsq_struct_get(void *dst, size_t ksize, size_t least,
		   const void __user *src, u32 *size)
{
	if (get_user(*size, (const u32 __user *)src))
		return -EFAULT;
	if (*size < least)
		return -EINVAL;
	if (*size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(dst, ksize, src, *size);
}

/**
 * wsq_struct_put() - copy out a struct as far as the caller knows it
 * @dst: the caller's struct
 * @src: the struct
 * @ksize: its size here, in bytes
 * @size: its size as the caller knows it
 *
 * Context: task; may sleep.
 * Return: 0 or %-EFAULT.
 */
int wsq_struct_put(void __user *dst, const void *src, size_t ksize, u32 size)
{
	return copy_to_user(dst, src, min_t(size_t, ksize, size)) ? -EFAULT : 0;
}

/* Counts all ops, and copies out as many as fit. */
static int wsq_query_ops(struct wsq_op_info __user *to, u32 room, u32 *nr)
{
	struct wsq_op_info info;
	u32 op = 0;

	for (*nr = 0; wsq_op_query(op, &info); (*nr)++) {
		if (*nr < room && copy_to_user(to + *nr, &info, sizeof(info)))
			return -EFAULT;
		op = info.op + 1;
		cond_resched();
	}
	return 0;
}

static long wsq_ioctl_query(void __user *arg)
{
	struct wsq_sizes sizes;
	struct wsq_query q;
	u32 size;
	int ret;

	ret = wsq_struct_get(&q, sizeof(q), WSQ_QUERY_SIZE_V0, arg, &size);
	if (ret)
		return ret;
	if (q.rsv)
		return -EINVAL;
	ret = wsq_query_ops(u64_to_user_ptr(q.ops), q.ops ? q.nr_ops : 0,
			    &q.nr_ops);
	if (ret)
		return ret;
	q.features = WSQ_FEAT_TIMEOUT | WSQ_FEAT_STATS | WSQ_FEAT_ORDER |
		     WSQ_FEAT_CANCEL | WSQ_FEAT_RESTRICT | WSQ_FEAT_KEYS |
		     WSQ_FEAT_POLL | WSQ_FEAT_VEC |
		     WSQ_FEAT_RING_STATS | WSQ_FEAT_FUTURES;
	q.max_sq_entries = WSQ_MAX_SQ_ENTRIES;
	q.max_cq_entries = WSQ_MAX_CQ_ENTRIES;
	q.max_arena = wsq_arena_max();
	q.nr_cpus = nr_cpu_ids;
	q.nr_nodes = num_node_state(N_MEMORY);
	q.memory = 0;
	if (!wsq_ring_sizes(q.setup_flags, q.sq_entries, q.cq_entries,
			    q.arena_size, &sizes))
		q.memory = sizes.memory;
	wsq_limits_query(&q);
	return wsq_struct_put(arg, &q, sizeof(q), size);
}

static int wsq_setup(struct wsq_ring *ring, struct wsq_setup *s,
		     struct wsq_ring *other, void __user *arg, u32 size)
{
	struct wsq_sizes sizes;
	int ret;

	if (wsq_ring_live(ring))
		return -EBUSY;
	ret = wsq_ring_sizes(s->flags, s->sq_entries, s->cq_entries,
			     s->arena_size, &sizes);
	if (ret)
		return ret;
	ret = wsq_limits_charge(ring, &sizes);
	if (ret)
		return ret;
	ret = wsq_ring_make(ring, &sizes);
	if (ret == -ENOMEM && wsq_limits_settle(ring))
		ret = wsq_ring_make(ring, &sizes);
	if (ret)
		goto uncharge;
	if (s->flags & WSQ_SETUP_POLL) {
		ret = wsq_poller_join(ring, s, other);
		if (ret)
			goto unmake;
	}
	s->sq_entries = sizes.sq_entries;
	s->cq_entries = sizes.cq_entries;
	s->rings_bytes = sizes.rings;
	s->sqes_bytes = sizes.sqes;
	s->arena_bytes = sizes.arena;
	s->cqes_off = sizes.cqes_off;
	s->ids_off = sizes.ids_off;
	ring->disabled = s->flags & WSQ_SETUP_DISABLED;
	/* If the process cannot learn the offsets, it cannot use the ring. */
	ret = wsq_struct_put(arg, s, sizeof(*s), size);
	if (ret)
		goto leave;
	/* Before the process can look at the flags. */
	if (ring->poller)
		wsq_poller_attach(ring);
	wsq_ring_publish(ring);
	return 0;

leave:
	if (ring->poller)
		wsq_poller_unjoin(ring);
unmake:
	wsq_ring_unmake(ring);
uncharge:
	wsq_limits_uncharge(ring, &sizes);
	return ret;
}

static long wsq_ioctl_setup(struct file *file, void __user *arg)
{
	struct wsq_ring *ring = file->private_data;
	struct file *other = NULL;
	struct wsq_setup s;
	u32 size;
	int ret;

	if ((file->f_mode & (FMODE_READ | FMODE_WRITE)) !=
	    (FMODE_READ | FMODE_WRITE))
		return -EBADF;
	ret = wsq_struct_get(&s, sizeof(s), WSQ_SETUP_SIZE_V0, arg, &size);
	if (ret)
		return ret;
	/* It was a reserved input in the first version. */
	if (s.ids_off)
		return -EINVAL;
	ret = wsq_poller_check(&s);
	if (ret)
		return ret;
	if (s.flags & WSQ_SETUP_POLL_SHARE) {
		other = fget(s.poll_fd);
		if (!other)
			return -EBADF;
		ret = -EINVAL;
		if (other->f_op != &wsq_fops)
			goto put;
	}
	ret = -EINTR;
	if (mutex_lock_killable(&ring->lock))
		goto put;
	ret = wsq_setup(ring, &s, other ? other->private_data : NULL, arg, size);
	mutex_unlock(&ring->lock);
put:
	if (other)
		fput(other);
	return ret;
}

static long wsq_ioctl_enter(struct file *file, void __user *arg)
{
	struct wsq_ring *ring = file->private_data;
	struct wsq_enter e;
	u32 size;
	int ret, put;

	ret = wsq_struct_get(&e, sizeof(e), WSQ_ENTER_SIZE_V0, arg, &size);
	if (ret)
		return ret;
	if (!wsq_ring_live(ring))
		return -EINVAL;
	ret = wsq_ring_enter(ring, &e);
	put = wsq_struct_put(arg, &e, sizeof(e), size);
	return put ?: ret;
}

static long wsq_ioctl_cancel(struct file *file, void __user *arg)
{
	struct wsq_ring *ring = file->private_data;
	struct wsq_cancel c;
	u32 size;
	int ret, put;

	ret = wsq_struct_get(&c, sizeof(c), WSQ_CANCEL_SIZE_V0, arg, &size);
	if (ret)
		return ret;
	if (!wsq_ring_live(ring))
		return -EINVAL;
	ret = wsq_ring_cancel(ring, &c);
	put = wsq_struct_put(arg, &c, sizeof(c), size);
	return put ?: ret;
}

static long wsq_ioctl_restrict(struct file *file, void __user *arg)
{
	struct wsq_ring *ring = file->private_data;
	struct wsq_restrict r;
	u32 size;
	int ret;

	ret = wsq_struct_get(&r, sizeof(r), WSQ_RESTRICT_SIZE_V0, arg, &size);
	if (ret)
		return ret;
	if (!wsq_ring_live(ring))
		return -EINVAL;
	return wsq_ring_restrict(ring, &r);
}

static long wsq_ioctl_enable(struct file *file, unsigned long arg)
{
	struct wsq_ring *ring = file->private_data;

	if (arg || !wsq_ring_live(ring))
		return -EINVAL;
	return wsq_ring_enable(ring);
}

static long wsq_ioctl_ring_stats(struct file *file, void __user *arg)
{
	struct wsq_ring *ring = file->private_data;
	struct wsq_ring_stats st;
	u32 size;
	int ret;

	ret = wsq_struct_get(&st, sizeof(st), WSQ_RING_STATS_SIZE_V0, arg,
			     &size);
	if (ret)
		return ret;
	if (st.rsv || !wsq_ring_live(ring))
		return -EINVAL;
	wsq_ring_stats_read(ring, &st);
	return wsq_struct_put(arg, &st, sizeof(st), size);
}

static long wsq_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *argp = (void __user *)arg;

	switch (cmd) {
	case WSQ_IOC_QUERY:
		return wsq_ioctl_query(argp);
	case WSQ_IOC_SETUP:
		return wsq_ioctl_setup(file, argp);
	case WSQ_IOC_ENTER:
		return wsq_ioctl_enter(file, argp);
	case WSQ_IOC_STATS:
		return wsq_ioctl_stats(argp);
	case WSQ_IOC_CANCEL:
		return wsq_ioctl_cancel(file, argp);
	case WSQ_IOC_RESTRICT:
		return wsq_ioctl_restrict(file, argp);
	case WSQ_IOC_ENABLE:
		return wsq_ioctl_enable(file, arg);
	case WSQ_IOC_RING_STATS:
		return wsq_ioctl_ring_stats(file, argp);
	default:
		return -ENOTTY;
	}
}

static int wsq_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct wsq_ring *ring = file->private_data;
	u64 off = (u64)vma->vm_pgoff << PAGE_SHIFT;

	if (!wsq_ring_live(ring))
		return -EINVAL;
	switch (off) {
	case WSQ_OFF_RINGS:
		return wsq_mem_mmap(&ring->mem_rings, vma);
	case WSQ_OFF_SQES:
		return wsq_mem_mmap(&ring->mem_sqes, vma);
	case WSQ_OFF_ARENA:
		return wsq_mem_mmap(&ring->mem_arena, vma);
	default:
		return -EINVAL;
	}
}

static __poll_t wsq_poll(struct file *file, poll_table *wait)
{
	struct wsq_ring *ring = file->private_data;

	poll_wait(file, &ring->poll_wait, wait);
	/* [WT]; poll_wait() has a barrier of its own only since 6.14. */
	smp_mb();					/* WT(poll:B) */
	if (!wsq_ring_live(ring))
		return EPOLLERR | EPOLLHUP;
	return wsq_ring_poll(ring);
}

/* The file holds the ring; the counters may change while they are printed. */
static void wsq_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct wsq_ring *ring = file->private_data;
	struct wsq_ring_stats st;

	if (!wsq_ring_live(ring)) {
		seq_puts(m, "wsq_state:\tnew\n");
		return;
	}
	wsq_ring_stats_read(ring, &st);
	seq_printf(m, "wsq_state:\t%s\n",
		   READ_ONCE(ring->disabled) ? "disabled" : "live");
	seq_printf(m, "wsq_sq_entries:\t%u\n", ring->sizes.sq_entries);
	seq_printf(m, "wsq_cq_entries:\t%u\n", ring->sizes.cq_entries);
	seq_printf(m, "wsq_arena:\t%llu\n", ring->sizes.arena);
	seq_printf(m, "wsq_memory:\t%llu\n", st.memory);
	seq_printf(m, "wsq_submitted:\t%llu\n", st.submitted);
	seq_printf(m, "wsq_completed:\t%llu\n", st.completed);
	seq_printf(m, "wsq_read:\t%llu\n", READ_ONCE(ring->cq_head));
	seq_printf(m, "wsq_in_flight:\t%llu\n", st.submitted - st.completed);
	seq_printf(m, "wsq_cancelled:\t%llu\n", st.cancelled);
	seq_printf(m, "wsq_failed:\t%llu\n", st.failed);
	seq_printf(m, "wsq_run_ns:\t%llu\n", st.run_ns);
	wsq_poller_fdinfo(m, ring);
}

static int wsq_open(struct inode *inode, struct file *file)
{
	file->private_data = wsq_ring_alloc(file);
	if (!file->private_data)
		return -ENOMEM;
	return nonseekable_open(inode, file);
}

static int wsq_release(struct inode *inode, struct file *file)
{
	wsq_ring_release(file->private_data);
	return 0;
}

static const struct file_operations wsq_fops = {
	.owner = THIS_MODULE,
	.open = wsq_open,
	.release = wsq_release,
	.unlocked_ioctl = wsq_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = wsq_mmap,
	.poll = wsq_poll,
	.show_fdinfo = wsq_show_fdinfo,
};

static struct miscdevice wsq_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "wsq",
	.fops = &wsq_fops,
	.mode = 0600,
};

/**
 * wsq_ring_init() - register the device
 *
 * Context: module load; queues can be created.
 * Return: 0 or -errno.
 */
int wsq_ring_init(void)
{
	int ret;

	ret = wsq_ops_init();
	if (ret)
		return ret;
	ret = wsq_rings_wq_init();
	if (ret)
		goto exit_ops;
	ret = misc_register(&wsq_misc);
	if (ret)
		goto exit_rings;
	return 0;

exit_rings:
	wsq_rings_exit();
exit_ops:
	wsq_ops_exit();
	return ret;
}

/**
 * wsq_ring_exit() - unregister the device
 *
 * No file is open, for each holds the module; rings may still be waiting to be
 * freed. No process can open the device after the first call, and the others
 * wait for what is left.
 *
 * Context: module unload; may sleep. Workers still run.
 */
void wsq_ring_exit(void)
{
	misc_deregister(&wsq_misc);
	wsq_rings_exit();
	wsq_ops_exit();
}
