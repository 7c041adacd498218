// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of one key run one at a time, in order.
 *
 * A ring of WSQ_SETUP_KEYS has a table of serials. A serial is allocated to a
 * key while there are requests of that key. A request takes a reference on its
 * key's serial when it is submitted. Once it no longer waits for links and
 * drains, it is queued to the serial instead of the queue.
 *
 * The table has twice as many serials as there can be requests. A free serial
 * keeps its key until it is allocated again. The search for a free serial goes
 * round the table from where the last search ended. It passes no more used
 * serials than were requested since it was there before, so each search looks
 * at one or two on average. There is always a free serial, because a request
 * drops its reference before its completion is published. It does so after the
 * completion is counted, so a request of the same key that gets another serial
 * completes later, [KY].
 *
 * A serial need not be idle when it is allocated to another key: the worker
 * that ran the last item of the former key has nothing left to do for that key.
 * It may still complete requests linked or held behind that item; the new key's
 * requests wait for that. Only freeing the table must wait until the serials
 * are idle.
 *
 * Keys are chosen by the process, so the hash has a secret seed.
 *
 * Cost: nothing for a request without a key. 136 bytes for each serial with its
 * list head; for each request with a key, a hash and a lookup, two
 * read-modify-writes, and the cost of a serial.
 * Limitations: a cancelled request is completed when its serial reaches it.
 */
#include <linux/delay.h>
#include <linux/list.h>
#include <linux/nodemask.h>
#include <linux/nospec.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../serial/serial.h"
#include "keys.h"
#include "mem.h"
#include "ring.h"
#include "state.h"

/* Two cache lines. */
static_assert(IS_ENABLED(CONFIG_LOCKDEP) || sizeof(struct wsq_key) == 128);

/* Serials that are passed between two calls of cond_resched(). */
#define WSQ_KEYS_RESCHED		1024

/**
 * wsq_keys_make() - create the table
 * @ring: the ring, its sizes set; zeroed but for that, or with a table that
 *	wsq_keys_unmake() has freed
 * @run: function of the requests' items
 *
 * Context: task; may sleep.
 * Return: 0 or as wsq_mem_array(); wsq_keys_unmake() in either case.
 */
int wsq_keys_make(struct wsq_ring *ring, wsq_serial_func_t run)
{
	struct wsq_keys *k = &ring->keys;
	u32 nr = ring->sizes.keys, i;
	int ret;

	if (!nr)
		return 0;
	ret = wsq_mem_array(&k->mem_slots, nr, sizeof(*k->slots));
	if (!ret)
		ret = wsq_mem_array(&k->mem_heads, nr, sizeof(*k->heads));
	if (ret)
		return ret;
	k->slots = k->mem_slots.addr;
	k->heads = k->mem_heads.addr;
	for (i = 0; i < nr; i++) {
		wsq_serial_init(&k->slots[i].serial, ring->queue);
		if (!(i % 1024))
			cond_resched();
	}
	k->run = run;
	k->mask = nr - 1;
	k->hand = 0;
	get_random_bytes(&k->seed, sizeof(k->seed));
	return 0;
}

/**
 * wsq_keys_unmake() - free the table
 * @ring: the ring, not in use; no request is left
 *
 * Waits until workers have left the serials, where they have nothing to do any
 * more. Does not touch the queue, which may be destroyed.
 *
 * Context: task; may sleep.
 */
void wsq_keys_unmake(struct wsq_ring *ring)
{
	struct wsq_keys *k = &ring->keys;
	u32 i;

	for (i = 0; k->slots && i <= k->mask; i++) {
		while (!wsq_serial_idle(&k->slots[i].serial))
			fsleep(1000);
		cond_resched();
	}
	k->heads = NULL;
	k->slots = NULL;
	wsq_mem_free(&k->mem_heads);
	wsq_mem_free(&k->mem_slots);
}

static struct hlist_head *wsq_key_head(struct wsq_keys *k, u64 key)
{
	return &k->heads[hsiphash_2u32(key, key >> 32, &k->seed) & k->mask];
}

/* Find a free serial. There is one. */
static struct wsq_key *wsq_key_idle(struct wsq_keys *k)
{
	struct wsq_key *slot;

	do {
		slot = &k->slots[k->hand++ & k->mask];
		if (!(k->hand % WSQ_KEYS_RESCHED))
			cond_resched();
	} while (atomic_read_acquire(&slot->users));	/* KY(find:A) */
	return slot;
}

/**
 * wsq_key_get() - take a reference on the serial of a request's key
 * @req: the request, not refused; its ring has keys
 *
 * Context: task, the submitter.
 */
void wsq_key_get(struct wsq_req *req)
{
	struct wsq_keys *k = &req->ring->keys;
	struct hlist_head *head = wsq_key_head(k, req->sqe.key);
	struct wsq_key *slot;

	hlist_for_each_entry(slot, head, node) {
		if (slot->key == req->sqe.key)
			goto found;
	}
	slot = wsq_key_idle(k);
	hlist_del_init(&slot->node);
	slot->key = req->sqe.key;
	hlist_add_head(&slot->node, head);
found:
	atomic_inc(&slot->users);
	req->key = slot - k->slots + 1;
}

static struct wsq_key *wsq_key_of(const struct wsq_req *req)
{
	return &req->ring->keys.slots[req->key - 1];
}

/**
 * wsq_key_put() - drop the reference on a key's serial
 * @req: the request, which has a key and has ended
 *
 * Context: task, preemption off. The completion has been counted, and is not
 * yet published.
 */
void wsq_key_put(const struct wsq_req *req)
{
	atomic_dec_return_release(&wsq_key_of(req)->users);	/* KY(back:A) */
}

/**
 * wsq_key_queue() - queue a request to the serial of its key
 * @req: the request, which has a key, QUEUED
 *
 * Context: task.
 * Return: true, unless there is a bug.
 */
bool wsq_key_queue(struct wsq_req *req)
{
	struct wsq_serial *serial = &wsq_key_of(req)->serial;
	struct wsq_ring *ring = req->ring;
	u32 hint = req->sqe.hint;
	bool ret;

	/*
	 * The request may complete, and drop the last reference on the ring,
	 * before this context has left the serial.
	 */
	percpu_ref_get(&ring->refs);
	wsq_serial_work_init(&req->item, ring->keys.run);
	if (unlikely(req->sqe.flags & WSQ_SQE_CPU))
		ret = wsq_serial_queue_near(array_index_nospec(hint, nr_cpu_ids),
					    serial, &req->item);
	else if (unlikely(req->sqe.flags & WSQ_SQE_NODE))
		ret = wsq_serial_queue_node(array_index_nospec(hint,
							       nr_node_ids),
					    serial, &req->item);
	else
		ret = wsq_serial_queue(serial, &req->item);
	percpu_ref_put(&ring->refs);
	return ret;
}

/**
 * wsq_key_leave() - a request leaves its worker; no other of its key runs
 * @req: the request, which has a key; it runs. Not to be touched afterwards
 *
 * Context: task, the function of its item.
 */
void wsq_key_leave(struct wsq_req *req)
{
	wsq_serial_pause(&wsq_key_of(req)->serial, WSQ_SERIAL_AGAIN);
}

/**
 * wsq_key_hold() - wsq_key_leave() until wsq_key_resume()
 * @req: the request, which has a key; its @held may be used from now on
 *
 * Context: task, the function of its item.
 */
void wsq_key_hold(struct wsq_req *req)
{
	wsq_serial_pause(&wsq_key_of(req)->serial, WSQ_SERIAL_HELD);
}

/**
 * wsq_key_resume() - continue a request after wsq_key_hold()
 * @req: the request; its @held is no longer in use
 *
 * Context: task.
 */
void wsq_key_resume(struct wsq_req *req)
{
	/* @item and @held share memory. */
	wsq_serial_work_init(&req->item, req->ring->keys.run);
	wsq_serial_resume(&wsq_key_of(req)->serial);
}

/**
 * wsq_keys_close() - move the serials of a dead ring to another queue
 * @ring: the ring; nothing is queued to its serials any more
 * @q: the queue
 *
 * Context: task; sleeps.
 */
void wsq_keys_close(struct wsq_ring *ring, struct wsq *q)
{
	struct wsq_keys *k = &ring->keys;
	u32 i;

	if (!k->slots)
		return;
	for (i = 0; i <= k->mask; i++) {
		wsq_serial_redirect(&k->slots[i].serial, q);
		cond_resched();
	}
	synchronize_rcu();				/* KY(close:A) */
	for (i = 0; i <= k->mask; i++) {
		wsq_serial_fetch(&k->slots[i].serial);
		cond_resched();
	}
}
