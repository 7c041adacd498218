// SPDX-License-Identifier: GPL-2.0
/*
 * Creating, enabling and freeing rings.
 *
 * open() allocates the struct, SETUP the rest. The ring is freed when the file
 * has been released, which a mapping prevents, and all requests have ended.
 * Requests that have not begun end at once (close.c), those that run end at
 * their next piece. release() does not wait for that. The last reference may
 * be dropped in an RCU callback, and vunmap() may sleep: so a workqueue frees
 * the ring.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/time_namespace.h>
#include <linux/wait.h>

#include "../compat/export.h"
#include "../compat/memcg.h"
#include "close.h"
#include "futures.h"
#include "keys.h"
#include "limits.h"
#include "mem.h"
#include "order.h"
#include "poller.h"
#include "queues.h"
#include "request.h"
#include "restrict.h"
#include "ring.h"
#include "setup.h"
#include "state.h"
#include "task_stats.h"
#include "user.h"

#define WSQ_SETUP_KNOWN		(WSQ_SETUP_DISABLED | WSQ_SETUP_IDS |	\
				 WSQ_SETUP_KEYS | WSQ_SETUP_POLL |	\
				 WSQ_SETUP_POLL_SHARE | WSQ_SETUP_FUTURES)

/* Then the array of its pages is as large as kvmalloc() allows. */
#define WSQ_ARENA_LIMIT		BIT_ULL(39)
#define WSQ_ARENA_DEFAULT	(256ULL << 20)

static unsigned long long wsq_arena_max_param = WSQ_ARENA_DEFAULT;

/* Rings that SETUP has made and that are not freed yet. */
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

/* An upper bound of what an allocator uses for an array of @n times @size. */
static u64 wsq_array_bytes(u64 n, size_t size)
{
	return n ? roundup_pow_of_two(n * size) : 0;
}

/* Bytes of pages, and of the array of pointers to them. */
static u64 wsq_mem_bytes(u64 bytes)
{
	return bytes + wsq_array_bytes(bytes >> PAGE_SHIFT,
				       sizeof(struct page *));
}

/**
 * wsq_ring_sizes() - check the arguments of SETUP, and compute the sizes
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
	s->futures = flags & WSQ_SETUP_FUTURES ?
		     min(cq_entries, WSQ_MAX_FUTURES) : 0;
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
		    wsq_task_stats_bytes() +
		    wsq_array_bytes(1, sizeof(struct percpu_ref_data)) +
		    num_possible_cpus() * sizeof(unsigned long) +
		    wsq_mem_bytes(wsq_array_bytes(s->keys,
						  sizeof(struct wsq_key))) +
		    wsq_mem_bytes(wsq_array_bytes(s->keys,
						  sizeof(struct hlist_head)));
	if (s->futures)
		s->memory += wsq_mem_bytes(wsq_array_bytes(s->futures,
							   sizeof(struct wsq_ring_future))) +
			     wsq_mem_bytes(wsq_array_bytes(cq_entries,
							   sizeof(struct wsq_after)));
	/* RESTRICT allocates it, and only such a ring can be restricted. */
	if (flags & WSQ_SETUP_DISABLED)
		s->memory += wsq_array_bytes(WSQ_ALLOWED_LONGS, sizeof(long));
	if ((flags & (WSQ_SETUP_POLL | WSQ_SETUP_POLL_SHARE)) == WSQ_SETUP_POLL)
		s->memory += wsq_array_bytes(1, sizeof(struct wsq_poller));
	return 0;
}
WSQ_EXPORT_KUNIT(wsq_ring_sizes);

/**
 * wsq_ring_alloc() - allocate the part of a ring that every open file has
 * @file: that file
 *
 * Context: task; may sleep.
 * Return: the ring, or %NULL without memory.
 */
struct wsq_ring *wsq_ring_alloc(struct file *file)
{
	struct wsq_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);

	if (!ring)
		return NULL;
	ring->cred = get_cred(file->f_cred);
	mutex_init(&ring->lock);
	spin_lock_init(&ring->wait_lock);
	ring->waiters = RB_ROOT_CACHED;
	init_waitqueue_head(&ring->poll_wait);
	ring->wake_at = U64_MAX;
	wsq_order_init(ring);
	INIT_WSQ_WORK(&ring->release_work, wsq_release_run);
	wsq_futures_init(ring);
	INIT_WSQ_WORK(&ring->futures.work, wsq_futures_run);
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

/* The last reference is dropped, maybe in an RCU callback. */
static void wsq_ring_unref(struct percpu_ref *refs)
{
	struct wsq_ring *ring = container_of(refs, struct wsq_ring, refs);

	wsq_rings_queue(&ring->free_work);
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
		/* Pass 0, as if completion i - cq_entries had been stored. */
		atomic64_set(&ring->slots[i], i);
		if (!(i % 1024))
			cond_resched();
	}
	return 0;
}

/**
 * wsq_ring_make() - allocate the rest of the ring
 * @ring: of wsq_ring_alloc(), its lock held, not live; wsq_limits_charge() has
 *	set its user
 * @s: the sizes, from wsq_ring_sizes()
 *
 * Context: task; may sleep.
 * Return: 0, then wsq_ring_publish() or wsq_ring_unmake() is next. Otherwise
 * nothing has changed: %-ENOMEM; %-ENOSPC if there are too many queues; %-EINTR
 * if the process was killed.
 */
int wsq_ring_make(struct wsq_ring *ring, const struct wsq_sizes *s)
{
	struct timespec64 off = {};
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
	/* A poller has no time namespace of the process to ask later. */
	timens_add_monotonic(&off);
	ring->mono_off = timespec64_to_ns(&off);

	ret = percpu_ref_init(&ring->refs, wsq_ring_unref, 0, WSQ_GFP);
	if (!ret)
		ret = wsq_task_stats_init(ring);
	if (!ret)
		ret = wsq_ring_make_reqs(ring);
	if (!ret)
		ret = wsq_keys_make(ring, wsq_req_run_keyed);
	if (!ret)
		ret = wsq_futures_make(ring);
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
	ring->memcg = wsq_memcg_get();
	ring->page = ring->mem_rings.addr;
	ring->cqes = ring->mem_rings.addr + s->cqes_off;
	ring->ids = s->ids_off ? ring->mem_rings.addr + s->ids_off : NULL;
	ring->sqes = ring->mem_sqes.addr;
	ring->arena = ring->mem_arena.addr;
	return 0;
}
WSQ_EXPORT_KUNIT(wsq_ring_make);

/**
 * wsq_ring_unmake() - undo wsq_ring_make(), even if that failed half-way
 * @ring: the ring, not in use
 *
 * Context: task; may sleep.
 */
void wsq_ring_unmake(struct wsq_ring *ring)
{
	wsq_memcg_put(ring->memcg);
	ring->memcg = NULL;
	wsq_mem_free(&ring->mem_arena);
	wsq_mem_free(&ring->mem_sqes);
	wsq_mem_free(&ring->mem_rings);
	kvfree(ring->allowed);
	ring->allowed = NULL;
	wsq_futures_unmake(ring);
	wsq_keys_unmake(ring);
	wsq_mem_free(&ring->mem_slots);
	wsq_mem_free(&ring->mem_reqs);
	wsq_task_stats_exit(ring);
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
 * wsq_ring_enable() - let entries be taken
 * @ring: a live ring
 *
 * Context: ioctl.
 * Return: 0; %-EBADFD if it was not disabled; %-EINTR if the process was
 * killed.
 */
int wsq_ring_enable(struct wsq_ring *ring)
{
	int ret = 0;

	if (mutex_lock_killable(&ring->lock))
		return -EINTR;
	if (ring->disabled)
		WRITE_ONCE(ring->disabled, false);
	else
		ret = -EBADFD;
	mutex_unlock(&ring->lock);
	/* The poller may have found entries that it could not take. */
	if (!ret && ring->poller)
		wsq_poller_kick(ring);
	return ret;
}

/**
 * wsq_ring_release() - the file is closed
 * @ring: its ring, live or not
 *
 * Does not wait. No ENTER and no mapping is left, since each holds the file.
 * Requests that have not begun will not run.
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
 * wsq_ring_count() - number of rings, dead ones that are not freed yet included
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
 * wsq_rings_exit() - wait for the end of all rings
 *
 * No code of the module may run when this returns. In this order:
 * 1. All rings are freed: no request is left. The queue of each user is
 *    destroyed, so no worker uses it.
 * 2. The closing queue is destroyed, so no worker uses it.
 * 3. An RCU callback may have dropped the last reference on a ring and not yet
 *    returned from wsq_ring_unref(): the barrier waits for that.
 * 4. Destroying the workqueue waits until all work items have returned: the
 *    last wsq_ring_free(), and the end of each poller.
 *
 * Context: module unload; may sleep.
 */
void wsq_rings_exit(void)
{
	wait_event(wsq_rings_left, !wsq_ring_count());
	wsq_closing_exit();
	rcu_barrier();
	wsq_rings_wq_exit();
}
