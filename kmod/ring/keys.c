// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of one key run one at a time, in order.
 *
 * A ring of WSQ_SETUP_KEYS has a table of serials, each lent to one key as long as
 * there are requests of it. A request asks for its key's serial when it is submitted,
 * and goes there instead of to the queue when it need not wait for links and drains
 * any more.
 *
 * The table has twice as many serials as there can be requests. A serial that is not
 * lent keeps its key until it is lent anew: a hand that goes round the table finds
 * one. It passes no more serials that are lent than were asked for since it was there
 * before, so that is one look at each asking or two, on average. There are always some
 * that are not lent, because a request gives back before its completion is published,
 * and after it was counted: who gets another serial for the same key comes later, [KY].
 *
 * A serial need not be idle to be lent to another key: the worker that ran the last
 * item of the one before has nothing left to do for that key. It may still complete
 * what was linked behind that item, or held back; it is then that the other key waits
 * for. So there is nothing to wait for here, until the table is freed.
 *
 * Keys are the process' own choice, so where they are sought depends on a secret.
 *
 * Cost: nothing for who does not ask for it. 136 bytes a serial with its list head; for
 * each request that has a key a hash and a lookup, two read-modify-writes, and what a
 * serial costs.
 * Limitations: a request that was called back is completed when its turn comes.
 */
#include <linux/delay.h>
#include <linux/list.h>
#include <linux/nodemask.h>
#include <linux/nospec.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../serial/serial.h"
#include "ring.h"

/* Two cache lines. */
static_assert(IS_ENABLED(CONFIG_LOCKDEP) || sizeof(struct wsq_key) == 128);

/* Serials that are passed between two looks at whether somebody else should run. */
#define WSQ_KEYS_BREATH		1024

/**
 * wsq_keys_make() - make the table
 * @ring: the ring, its sizes set; zeroed but for that, or with a table that
 *	wsq_keys_unmake() has freed
 *
 * Context: task; may sleep.
 * Return: 0 or as wsq_mem_array(); wsq_keys_unmake() in either case.
 */
int wsq_keys_make(struct wsq_ring *ring)
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
	for (i = 0; i < nr; i++)
		wsq_serial_init(&k->slots[i].serial, ring->queue);
	k->mask = nr - 1;
	k->hand = 0;
	get_random_bytes(&k->seed, sizeof(k->seed));
	return 0;
}

/**
 * wsq_keys_unmake() - free the table
 * @ring: the ring; nobody uses it, and no request is left
 *
 * Waits until workers have left the serials, where they have nothing to do any more.
 * Touches nothing of the queue, which may be gone.
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

/* A serial that is not lent. There is one. */
static struct wsq_key *wsq_key_idle(struct wsq_keys *k)
{
	struct wsq_key *slot;

	do {
		slot = &k->slots[k->hand++ & k->mask];
		if (!(k->hand % WSQ_KEYS_BREATH))
			cond_resched();
	} while (atomic_read_acquire(&slot->users));	/* KY(find:A) */
	return slot;
}

/**
 * wsq_key_get() - borrow the serial of a request's key
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
 * wsq_key_put() - give it back
 * @req: the request, which has a key and has ended
 *
 * Context: task, preemption off. The completion has been counted, and is not
 * published yet.
 */
void wsq_key_put(const struct wsq_req *req)
{
	atomic_dec_return_release(&wsq_key_of(req)->users);	/* KY(back:A) */
}

/**
 * wsq_key_queue() - have a request run behind the others of its key
 * @req: the request, which has a key, QUEUED
 *
 * Context: task.
 * Return: true, if nothing is wrong.
 */
bool wsq_key_queue(struct wsq_req *req)
{
	struct wsq_serial *serial = &wsq_key_of(req)->serial;
	struct wsq_ring *ring = req->ring;
	u32 hint = req->sqe.hint;
	bool ret;

	/*
	 * It may run, and the ring be on its way out but for this, before we have
	 * counted it in the serial.
	 */
	percpu_ref_get(&ring->refs);
	wsq_serial_work_init(&req->item, wsq_req_run_keyed);
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
 * wsq_key_leave() - a request leaves its worker, and keeps its key
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
 * wsq_key_resume() - go on with a request after wsq_key_hold()
 * @req: the request, whose @held is not in use any more
 *
 * Context: task.
 */
void wsq_key_resume(struct wsq_req *req)
{
	/* @item and @held share memory. */
	wsq_serial_work_init(&req->item, wsq_req_run_keyed);
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
