// SPDX-License-Identifier: GPL-2.0
/*
 * Life and death of rings.
 *
 * The struct is made by open(), the rest by SETUP. It ends when the file has
 * been released, which a mapping prevents, and all requests have ended: those
 * that have not begun at once (close.c), and those that run at their next
 * piece. release() does not wait for that: the last reference frees the ring
 * from a workqueue, since vunmap() may sleep and an RCU callback may drop the
 * last reference.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../compat/export.h"
#include "poller.h"
#include "ring.h"
#include "user.h"

/* The array of its pages is then as large as kvmalloc() makes any. */
#define WSQ_ARENA_LIMIT		BIT_ULL(39)
#define WSQ_ARENA_DEFAULT	(256ULL << 20)

static unsigned long long wsq_arena_max_param = WSQ_ARENA_DEFAULT;

static struct workqueue_struct *wsq_ring_wq;
/* Rings that SETUP made and that are not freed yet. */
static atomic_t wsq_nr_rings = ATOMIC_INIT(0);
/* Woken when wsq_nr_rings becomes 0. */
static DECLARE_WAIT_QUEUE_HEAD(wsq_rings_left);

static_assert(sizeof(struct wsq_sqe) == 64);
static_assert(sizeof(struct wsq_cqe) == 32);
static_assert(sizeof(struct wsq_ring_page) == 256);
static_assert(offsetof(struct wsq_ring_page, sq_head) == 0);
static_assert(offsetof(struct wsq_ring_page, sq_tail) == 64);
static_assert(offsetof(struct wsq_ring_page, cq_head) == 128);
static_assert(offsetof(struct wsq_ring_page, cq_tail) == 192);
/* A request fills three cache lines. */
static_assert(IS_ENABLED(CONFIG_LOCKDEP) || sizeof(struct wsq_req) <= 192);
/* Shared cursors have 64 bits and are read by one load. */
static_assert(sizeof(unsigned long) == sizeof(u64));
/* The three mappings do not overlap: the arena is last and has no end. */
static_assert(WSQ_OFF_RINGS + 2 * SZ_64K + WSQ_MAX_CQ_ENTRIES *
	      sizeof(struct wsq_cqe) + WSQ_MAX_SQ_ENTRIES * sizeof(u64) <=
	      WSQ_OFF_SQES);
static_assert(WSQ_OFF_SQES + SZ_64K + WSQ_MAX_SQ_ENTRIES *
	      sizeof(struct wsq_sqe) <= WSQ_OFF_ARENA);

static int wsq_arena_max_set(const char *val, const struct kernel_param *kp)
{
	unsigned long long bytes;
	int ret = kstrtoull(val, 0, &bytes);

	if (ret)
		return ret;
	if (bytes > WSQ_ARENA_LIMIT)
		return -EINVAL;
	WRITE_ONCE(wsq_arena_max_param, bytes);
	return 0;
}

static const struct kernel_param_ops wsq_arena_max_ops = {
	.set = wsq_arena_max_set,
	.get = param_get_ullong,
};

module_param_cb(arena_max, &wsq_arena_max_ops, &wsq_arena_max_param, 0644);
MODULE_PARM_DESC(arena_max, "largest arena of a ring in bytes, 0 to 2^39");
__MODULE_PARM_TYPE(arena_max, "ullong");

/**
 * wsq_arena_max() - largest arena that SETUP takes
 *
 * Context: any.
 * Return: bytes, whole pages.
 */
u64 wsq_arena_max(void)
{
	return round_down(READ_ONCE(wsq_arena_max_param), PAGE_SIZE);
}

/* What an array of @n times @size may take of an allocator. */
static u64 wsq_array_bytes(u64 n, size_t size)
{
	return n ? roundup_pow_of_two(n * size) : 0;
}

/* Pages, and the array of pointers to them. */
static u64 wsq_mem_bytes(u64 bytes)
{
	return bytes + wsq_array_bytes(bytes >> PAGE_SHIFT,
				       sizeof(struct page *));
}

/**
 * wsq_ring_sizes() - check what SETUP asks for and tell what it takes
 * @flags: %WSQ_SETUP_*
 * @sq_entries: a power of two
 * @cq_entries: a power of two, at least @sq_entries; 0 means twice that
 * @arena_size: bytes
 * @s: filled in on success
 *
 * Context: any.
 * Return: 0 or %-EINVAL.
 */
int wsq_ring_sizes(u32 flags, u32 sq_entries, u32 cq_entries, u64 arena_size,
		   struct wsq_sizes *s)
{
	u64 rings;

	if (flags & ~WSQ_SETUP_KNOWN)
		return -EINVAL;
	if (!is_power_of_2(sq_entries) || sq_entries > WSQ_MAX_SQ_ENTRIES)
		return -EINVAL;
	if (!cq_entries)
		cq_entries = 2 * sq_entries;
	if (!is_power_of_2(cq_entries) || cq_entries > WSQ_MAX_CQ_ENTRIES ||
	    cq_entries < sq_entries)
		return -EINVAL;
	if (arena_size > wsq_arena_max())
		return -EINVAL;
	if ((flags & (WSQ_SETUP_POLL | WSQ_SETUP_POLL_SHARE)) ==
	    WSQ_SETUP_POLL_SHARE)
		return -EINVAL;

	s->sq_entries = sq_entries;
	s->cq_entries = cq_entries;
	s->keys = flags & WSQ_SETUP_KEYS ? 2 * cq_entries : 0;
	s->cqes_off = sizeof(struct wsq_ring_page);
	rings = s->cqes_off + (u64)cq_entries * sizeof(struct wsq_cqe);
	s->ids_off = 0;
	if (flags & WSQ_SETUP_IDS) {
		s->ids_off = rings;
		rings += sq_entries * sizeof(u64);
	}
	s->rings = PAGE_ALIGN(rings);
	s->sqes = PAGE_ALIGN((u64)sq_entries * sizeof(struct wsq_sqe));
	s->arena = PAGE_ALIGN(arena_size);
	s->memory = wsq_mem_bytes(s->rings) + wsq_mem_bytes(s->sqes) +
		    wsq_mem_bytes(s->arena) +
		    wsq_mem_bytes(wsq_array_bytes(cq_entries,
						  sizeof(struct wsq_req))) +
		    wsq_mem_bytes(wsq_array_bytes(cq_entries,
						  sizeof(atomic64_t))) +
		    wsq_account_bytes() +
		    wsq_array_bytes(1, sizeof(struct percpu_ref_data)) +
		    num_possible_cpus() * sizeof(unsigned long) +
		    wsq_mem_bytes(wsq_array_bytes(s->keys,
						  sizeof(struct wsq_key))) +
		    wsq_mem_bytes(wsq_array_bytes(s->keys,
						  sizeof(struct hlist_head)));
	if ((flags & (WSQ_SETUP_POLL | WSQ_SETUP_POLL_SHARE)) == WSQ_SETUP_POLL)
		s->memory += wsq_array_bytes(1, sizeof(struct wsq_poller));
	return 0;
}
WSQ_EXPORT_KUNIT(wsq_ring_sizes);

/**
 * wsq_ring_alloc() - the part of a ring that every open file has
 * @file: that file
 *
 * Context: task; may sleep.
 * Return: the ring, or %NULL for want of memory.
 */
struct wsq_ring *wsq_ring_alloc(struct file *file)
{
	struct wsq_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);

	if (!ring)
		return NULL;
	ring->cred = get_cred(file->f_cred);
	mutex_init(&ring->lock);
	init_waitqueue_head(&ring->waiters);
	init_waitqueue_head(&ring->poll_wait);
	ring->wake_at = U64_MAX;
	wsq_order_init(ring);
	wsq_close_init(ring);
	return ring;
}
WSQ_EXPORT_KUNIT(wsq_ring_alloc);

static void wsq_ring_dealloc(struct wsq_ring *ring)
{
	put_cred(ring->cred);
	kfree(ring);
}

/* In the workqueue, after the last reference. */
static void wsq_ring_free(struct work_struct *work)
{
	struct wsq_ring *ring = container_of(work, struct wsq_ring, free_work);

	wsq_ring_unmake(ring);
	wsq_limits_uncharge(ring, &ring->sizes);
	wsq_ring_dealloc(ring);
	if (atomic_dec_and_test(&wsq_nr_rings))
		wake_up_all(&wsq_rings_left);
}

/* The last reference, maybe from an RCU callback: the workqueue does the rest. */
static void wsq_ring_unref(struct percpu_ref *refs)
{
	struct wsq_ring *ring = container_of(refs, struct wsq_ring, refs);

	queue_work(wsq_ring_wq, &ring->free_work);
}

static int wsq_ring_make_reqs(struct wsq_ring *ring)
{
	u32 n = ring->sizes.cq_entries, i;
	int ret;

	ret = wsq_mem_array(&ring->mem_reqs, n, sizeof(*ring->reqs));
	if (!ret)
		ret = wsq_mem_array(&ring->mem_slots, n, sizeof(*ring->slots));
	if (ret)
		return ret;
	ring->reqs = ring->mem_reqs.addr;
	ring->slots = ring->mem_slots.addr;
	for (i = 0; i < n; i++) {
		struct wsq_req *req = &ring->reqs[i];

		INIT_WSQ_WORK(&req->work, wsq_req_run);
		req->ring = ring;
		req->index = i;
		/* Pass 0, as if completion i - cq_entries had been here. */
		atomic64_set(&ring->slots[i], i);
	}
	return 0;
}

/**
 * wsq_ring_make() - make the rest of the ring
 * @ring: of wsq_ring_alloc(), its lock held, not live; wsq_limits_charge() has found
 *	its user
 * @s: how large, from wsq_ring_sizes()
 *
 * Context: task; may sleep.
 * Return: 0, then wsq_ring_publish() or wsq_ring_unmake() is next; or %-ENOMEM,
 * %-ENOSPC if there are too many queues, %-EINTR if the process was killed meanwhile,
 * and nothing has changed.
 */
int wsq_ring_make(struct wsq_ring *ring, const struct wsq_sizes *s)
{
	int ret = wsq_closing_make();

	if (!ret)
		ret = wsq_user_start(ring->user);
	if (ret)
		return ret;
	ring->queue = ring->user->queue;
	ring->sizes = *s;
	ring->sq_mask = s->sq_entries - 1;
	ring->cq_mask = s->cq_entries - 1;
	ring->cq_shift = ilog2(s->cq_entries);
	INIT_WORK(&ring->free_work, wsq_ring_free);

	ret = percpu_ref_init(&ring->refs, wsq_ring_unref, 0, WSQ_GFP);
	if (!ret)
		ret = wsq_account_init(ring);
	if (!ret)
		ret = wsq_ring_make_reqs(ring);
	if (!ret)
		ret = wsq_keys_make(ring);
	if (!ret)
		ret = wsq_mem_alloc(&ring->mem_rings, s->rings, WSQ_OFF_RINGS);
	if (!ret)
		ret = wsq_mem_alloc(&ring->mem_sqes, s->sqes, WSQ_OFF_SQES);
	if (!ret)
		ret = wsq_mem_alloc(&ring->mem_arena, s->arena, WSQ_OFF_ARENA);
	if (ret) {
		wsq_ring_unmake(ring);
		return ret;
	}
	ring->page = ring->mem_rings.addr;
	ring->cqes = ring->mem_rings.addr + s->cqes_off;
	ring->ids = s->ids_off ? ring->mem_rings.addr + s->ids_off : NULL;
	ring->sqes = ring->mem_sqes.addr;
	ring->arena = ring->mem_arena.addr;
	return 0;
}
WSQ_EXPORT_KUNIT(wsq_ring_make);

/**
 * wsq_ring_unmake() - undo wsq_ring_make(), however far it came
 * @ring: the ring; nobody uses it
 *
 * Context: task; may sleep.
 */
void wsq_ring_unmake(struct wsq_ring *ring)
{
	wsq_mem_free(&ring->mem_arena);
	wsq_mem_free(&ring->mem_sqes);
	wsq_mem_free(&ring->mem_rings);
	kvfree(ring->allowed);
	ring->allowed = NULL;
	wsq_keys_unmake(ring);
	wsq_mem_free(&ring->mem_slots);
	wsq_mem_free(&ring->mem_reqs);
	wsq_account_exit(ring);
	percpu_ref_exit(&ring->refs);
}

/**
 * wsq_ring_publish() - let the ring be used
 * @ring: of wsq_ring_make(), its lock held
 *
 * Context: task.
 */
void wsq_ring_publish(struct wsq_ring *ring)
{
	atomic_inc(&wsq_nr_rings);
	smp_store_release(&ring->live, true);		/* LV(setup:A) */
}
WSQ_EXPORT_KUNIT(wsq_ring_publish);

/**
 * wsq_ring_release() - the file is gone
 * @ring: its ring, live or not
 *
 * Does not wait. No ENTER and no mapping is left, since each holds the file;
 * what has been submitted and not begun will not run.
 *
 * Context: task.
 */
void wsq_ring_release(struct wsq_ring *ring)
{
	if (!wsq_ring_live(ring)) {
		wsq_ring_dealloc(ring);
		return;
	}
	wsq_limits_leave(ring);
	wsq_close_begin(ring);
	if (ring->poller)
		wsq_poller_leave(ring);
	percpu_ref_kill(&ring->refs);
}
WSQ_EXPORT_KUNIT(wsq_ring_release);

/**
 * wsq_ring_count() - rings that exist, dead ones that are not freed yet included
 *
 * Context: any.
 * Return: that number.
 */
u32 wsq_ring_count(void)
{
	return atomic_read(&wsq_nr_rings);
}
WSQ_EXPORT_KUNIT(wsq_ring_count);

/**
 * wsq_rings_queue() - have the workqueue of rings do something
 * @work: what; it is through before the module goes
 *
 * Context: task.
 */
void wsq_rings_queue(struct work_struct *work)
{
	queue_work(wsq_ring_wq, work);
}

/**
 * wsq_rings_queue_rcu() - queue work after an RCU grace period
 * @work: the work; the module waits for it only if it has a reference on a ring
 *
 * Context: task.
 */
void wsq_rings_queue_rcu(struct rcu_work *work)
{
	queue_rcu_work(wsq_ring_wq, work);		/* CL(wait:A) */
}

/**
 * wsq_rings_init() - before the first open()
 *
 * Context: module load.
 * Return: 0 or %-ENOMEM.
 */
int wsq_rings_init(void)
{
	wsq_ring_wq = alloc_workqueue("wsq_ring", WQ_UNBOUND, 0);
	return wsq_ring_wq ? 0 : -ENOMEM;
}

/**
 * wsq_rings_exit() - after the last release()
 *
 * No code of the module may run when this returns. In this order:
 * 1. All rings are freed: no request is left, and the queue of each user is
 *    destroyed, which no worker is in then.
 * 2. The closing queue is destroyed, which no worker is in then.
 * 3. An RCU callback may have dropped the last reference on a ring and be about to
 *    leave wsq_ring_unref(): the barrier waits for that.
 * 4. Destroying the workqueue waits until all work items have returned: the last
 *    wsq_ring_free(), and the end of each poller.
 *
 * Context: module unload; may sleep.
 */
void wsq_rings_exit(void)
{
	wait_event(wsq_rings_left, !wsq_ring_count());
	wsq_closing_exit();
	rcu_barrier();
	destroy_workqueue(wsq_ring_wq);
}
