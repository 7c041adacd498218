// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that take less than their way through the queue: several of them go
 * as one item of it, which the first one lends.
 *
 * Only what is known to be that short, asks for nothing in particular and waits for
 * nothing. Each request can be called back until its bundle's turn comes, runs once or
 * not at all, and has its completion entry. What they share is the queue's work, a look
 * at the clock, the count of completions and the barriers.
 *
 * What it costs: a request may wait for those before it in the bundle, and its
 * completion for those behind it: WSQ_BUNDLE_MOST of them or WSQ_BUNDLE_BYTES, a
 * microsecond, less than it takes another CPU to come for one of them. So that it is
 * no more, preemption is off from the first to the last completion entry: who takes
 * the CPU of a worker in the middle would have all of them wait, those that are done
 * included, and nobody else can do the rest. Who is asleep until they complete is
 * woken behind that, and may have to wait for who had to wait.
 *
 * Limitations: a bundle is what one ENTER brings; nothing waits for the next. One
 * that was called back completes when its bundle's turn comes.
 */
#include "../exec/lap.h"
#include "ring.h"

/* What is read or written in 0.1 us, with a table even. */
#define WSQ_TINY_LEN		256

/*
 * A bundle takes about a microsecond, whatever is in it: it counts as one item for
 * budgets and thieves, and a block of the queue is to be a share worth fetching, not
 * all that there is.
 */
#define WSQ_BUNDLE_BYTES	2048

/* Does it take less than queueing it? Of an entry that was checked. */
static bool wsq_sqe_tiny(const struct wsq_sqe *sqe)
{
	if (sqe->flags)
		return false;
	switch (sqe->op) {
	case WSQ_OP_NOP:
		return true;
	case WSQ_OP_COPY:
	case WSQ_OP_CRC32C:
	case WSQ_OP_FILL:
	case WSQ_OP_COMPARE:
	case WSQ_OP_XOR:
		return sqe->len <= WSQ_TINY_LEN;
	default:
		return false;
	}
}

static void wsq_bundle_close(struct wsq_load *load)
{
	struct wsq_req *head = load->head;

	if (!head)
		return;
	head->bundled = load->n > 1;
	load->works[load->nr++] = &head->work;
	load->head = NULL;
	load->n = 0;
	load->bytes = 0;
}

/**
 * wsq_load_off() - queue what was gathered
 * @ring: the ring, its lock held
 * @load: empty afterwards
 *
 * Context: task, the submitter.
 * Ordering: what was stored to the requests is seen by the worker.
 */
void wsq_load_off(struct wsq_ring *ring, struct wsq_load *load)
{
	unsigned int nr;

	wsq_bundle_close(load);
	nr = load->nr;
	load->nr = 0;
	/*
	 * Nobody else has them in hand: that would take the ring's lock. And the
	 * queue takes them: it is destroyed when all rings and pollers have gone.
	 */
	if (nr)
		WARN_ON_ONCE(wsq_queue_work_many(ring->queue, load->works,
						 nr) != nr);
}

/**
 * wsq_load_add() - let a request go, with others
 * @ring: the ring, its lock held
 * @load: where they gather; wsq_load_off() comes later
 * @req: the request, not refused; nothing is linked to it
 *
 * Context: task, the submitter.
 * Return: false if it is none that goes with others.
 */
bool wsq_load_add(struct wsq_ring *ring, struct wsq_load *load,
		  struct wsq_req *req)
{
	/* Open, it stays so: only a submitter closes it. */
	if (!wsq_sqe_tiny(&req->sqe) ||
	    unlikely(READ_ONCE(ring->gate) != WSQ_GATE_OPEN))
		return false;
	/* Not by exchange: until it is queued, who would change it waits for the lock. */
	atomic_set(&req->state, WSQ_REQ_QUEUED);
	if (load->head) {
		load->tail->next = req;
		req->bundled = true;
	} else {
		load->head = req;
	}
	load->tail = req;
	load->bytes += req->sqe.len;
	if (++load->n == WSQ_BUNDLE_MOST || load->bytes > WSQ_BUNDLE_BYTES) {
		wsq_bundle_close(load);
		if (load->nr == WSQ_LOAD_MOST)
			wsq_load_off(ring, load);
	}
	return true;
}

/**
 * wsq_bundle_run() - the first request's item has come to a worker
 * @head: that request
 *
 * Context: task, a worker.
 */
void wsq_bundle_run(struct wsq_req *head)
{
	struct wsq_ring *ring = head->ring;
	struct wsq_worker *w = wsq_lap_worker();
	struct wsq_stop stop;
	struct wsq_req *req;
	u64 start, n;
	u32 nr = 0;

	/* What is tiny neither sleeps nor lets others run. */
	preempt_disable();
	/* Stores will do, for nobody else moves their states. */
	for (req = head; req; req = req->next) {
		atomic_set(&req->state, WSQ_REQ_RUNNING);
		nr++;
	}
	smp_mb();					/* CB(begin:B) */
	start = wsq_lap_begin(w, head->submit_ns);
	for (req = head; req; req = req->next) {
		wsq_req_stop(req, NULL, &stop);
		req->res = wsq_req_issue(req, &stop);
	}
	wsq_account_ran(ring, start, wsq_lap_end(w));
	/* That clock may step back a little between CPUs. */
	n = wsq_reqs_complete(head, nr,
			      start > head->submit_ns ?
			      start - head->submit_ns : 0);
	preempt_enable();
	wsq_reqs_told(ring, n, nr);
}
