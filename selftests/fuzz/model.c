// SPDX-License-Identifier: GPL-2.0
/*
 * Submissions and their completions: each submission has one completion, with
 * an allowed result, in an allowed order.
 */
#include "model.h"

struct model models[MODELS];
unsigned int nr_models;
bool ops_gone;

static u64 stamp;

struct model *model_new(void)
{
	return nr_models < MODELS ? &models[nr_models++] : NULL;
}

/* A later ring may reuse an address: the last one counts. */
struct model *model_at(const struct wsq_ring *ring)
{
	unsigned int i;

	for (i = nr_models; i--;)
		if (models[i].ring == ring)
			return &models[i];
	return NULL;
}

void models_clear(void)
{
	unsigned int i;
	u64 k;

	for (i = 0; i < nr_models; i++) {
		struct model *m = &models[i];

		for (k = 0; k < m->taken; k++)
			memset(&m->entry[k], 0, sizeof(m->entry[k]));
		memset(m, 0, offsetof(struct model, entry));
	}
	nr_models = 0;
	ops_gone = false;
	stamp = 0;
}

u64 op_bit(u32 op)
{
	if (op < 56)
		return 1ULL << op;
	return op >= 256 && op < 264 ? 1ULL << (op - 200) : 0;
}

/* ENTER's error for an entry in this position, by ring.rst and errors.rst. */
static int entry_error(const struct model *m, const struct wsq_sqe *sqe, bool linked)
{
	int ret = oracle_entry(sqe, m->arena);
	unsigned int i;

	if (ret == -EOPNOTSUPP)
		return ret;
	if (!(m->ops & op_bit(sqe->op)) || sqe->flags & ~m->sqe_flags)
		return -EPERM;
	if (sqe->flags & WSQ_SQE_KEY && !(m->setup_flags & WSQ_SETUP_KEYS))
		return -EINVAL;
	for (i = 0; i < 64 && sqe->flags & WSQ_SQE_FUTURES; i += 16)
		if (!(m->setup_flags & WSQ_SETUP_FUTURES) ||
		    (sqe->deadline >> i & 0xffff) > m->cq)
			return -EINVAL;
	if (sqe->flags & WSQ_SQE_DRAIN && linked)
		return -EINVAL;
	return ret;
}

/*
 * Was it refused with this error? While its module unloads, an op may exist or
 * not, and a future may be resolved at any time: the result tells which.
 */
static bool was_refused(const struct model *m, u64 k, int error)
{
	u32 i;

	for (i = 0; i < m->cq; i++)
		if (m->ring->reqs[i].number == k &&
		    m->ring->reqs[i].refused == error)
			return true;
	return false;
}

/* Had the entry before @k that resolves its future resolved it, for sure? */
static bool future_over(const struct model *m, u64 own)
{
	const struct entry *d = &m->entry[m->future[own] - 1];

	return d->error || (d->done && d->nth <= m->at_lock);
}

/* What an entry waits for, and whether it may resolve its future. */
static void take_futures(struct model *m, u64 k)
{
	struct entry *e = &m->entry[k];
	const u64 own = e->sqe.deadline & 0xffff;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(e->after) && !e->error; i++) {
		const u64 nr = e->sqe.deadline >> 16 * (i + 1) & 0xffff;

		if (nr && !m->future[nr]) {
			e->error = -EINVAL;
		} else if (nr) {
			e->vague |= m->unsure[nr];
			e->after[i] = m->unsure[nr] ? 0 : m->future[nr];
		}
	}
	if (!own || own > m->cq || !(m->setup_flags & WSQ_SETUP_FUTURES))
		return;
	if (!e->error && was_refused(m, k, -EBUSY)) {
		MUST(m->wild || (m->future[own] && !future_over(m, own)));
		e->error = -EBUSY;
	}
	if (!e->error)
		e->before = m->unsure[own] ? 0 : m->future[own];
	else if (m->future[own] && !future_over(m, own)) {
		/* Its future has failed, unless it was pending. */
		m->unsure[own] |= e->error != -EBUSY;
		return;
	}
	m->future[own] = k + 1;
	m->unsure[own] = false;
}

u64 model_whole(const struct model *m, u64 want, u64 room)
{
	if (want <= room)
		return want;
	while (room && m->ring->sqes[(m->taken + room - 1) & (m->sq - 1)].flags &
		       WSQ_SQE_LINK)
		room--;
	return room;
}

void model_take(struct model *m, u64 head)
{
	bool linked = false, broken = false;
	struct entry *chain_nr = NULL;

	for (; m->taken < head; m->taken++) {
		const u64 k = m->taken;
		struct entry *e = &m->entry[k];

		MUST(k < ENTRIES);
		e->sqe = m->ring->sqes[k & (m->sq - 1)];
		e->taken = true;
		e->error = entry_error(m, &e->sqe, linked);
		if (ops_gone && e->sqe.op >= WSQ_OP_REGISTERED &&
		    was_refused(m, k, -EOPNOTSUPP))
			e->error = -EOPNOTSUPP;
		if (!e->error && broken)
			e->error = -ECANCELED;
		if (e->sqe.flags & WSQ_SQE_FUTURES)
			take_futures(m, k);
		if (m->ring->ids) {
			e->id = m->ring->ids[k & (m->sq - 1)];
			MUST(m->wild || !e->id == !!e->error);
			MUST(!e->id || !k || e->id > m->entry[k - 1].id);
		}
		e->head = !linked || e->error || !chain_nr;
		e->linked = !e->head;
		if (e->error) {
			broken = true;
			chain_nr = NULL;
		} else if (e->head) {
			chain_nr = e;
		}
		if (chain_nr)
			chain_nr->unit_end = k + 1;
		linked = e->sqe.flags & WSQ_SQE_LINK;
		if (!linked) {
			broken = false;
			chain_nr = NULL;
		}
	}
}

/* A completion has just been published in @slot. */
void shim_published(const atomic64_t *slot)
{
	struct wsq_ring *ring = NULL;
	struct model *m = NULL;
	struct wsq_cqe *cqe;
	struct entry *e;
	u64 word, n, k;
	unsigned int i;

	for (i = nr_models; i-- && !m;) {
		ring = models[i].ring;
		if (!models[i].live || !ring || slot < ring->slots ||
		    slot >= ring->slots + models[i].cq)
			continue;
		m = &models[i];
	}
	if (!m)
		return;
	ring = m->ring;
	word = atomic64_read(slot);
	n = ((word >> ring->cq_shift) - 1) << ring->cq_shift | (slot - ring->slots);
	k = ring->reqs[word & (m->cq - 1)].number;
	MUST(k < ENTRIES && n < ENTRIES);
	e = &m->entry[k];
	MUST(!e->done);
	cqe = &ring->cqes[n & (m->cq - 1)];
	MUST(cqe->seq == (u32)(n / m->cq) + 1);
	MUST(cpu_possible(cqe->cpu));
	e->done = true;
	e->place = n;
	e->res = cqe->res;
	e->may_cancel |= m->closed || m->cancels;
	if (e->begun && !e->ended) {
		/* It left its worker, and was not called again. */
		MUST(e->res == -ECANCELED || e->res == -ETIME ||
		     e->res == -EOPNOTSUPP);
		e->ended = ++stamp;
	}
	e->nth = ++m->completed;
	if (!m->wild && e->taken)
		MUST(cqe->user_data == e->sqe.user_data);
	MUST(cqe->user_data == ring->reqs[word & (m->cq - 1)].sqe.user_data);
}

static void probe_alone(const struct model *m, const struct entry *e,
			const struct wsq_sqe *sqe)
{
	u64 k;

	if (!(sqe->flags & WSQ_SQE_KEY))
		return;
	for (k = 0; k < ENTRIES; k++) {
		const struct entry *o = &m->entry[k];

		if (k >= m->taken + m->cq)
			break;
		if (o != e && o->begun && !o->ended && o->sqe.key == sqe->key &&
		    o->sqe.flags & WSQ_SQE_KEY)
			FAIL("two tasks of key %llu run at a time", sqe->key);
	}
}

s64 model_probe(const struct wsq_req *req, const struct wsq_op_task *task)
{
	struct model *m = model_at(req->ring);
	u64 *calls = task->state, *asked = calls + 1;
	struct entry *e;
	int ret = 0;

	MUST(m && req->number < ENTRIES);
	e = &m->entry[req->number];
	MUST(!e->begun == !*calls && !e->done && !e->ended && !e->called_back);
	MUST(!req->refused);
	/* While ENTER is in progress, its result is not known yet. */
	if (!e->taken)
		e->sqe = req->sqe;
	probe_alone(m, e, &req->sqe);
	MUST(*calls <= *asked);
	if (!(*calls)++)
		e->begun = ++stamp;
	while (!ret && *asked < (task->arg & 7)) {
		++*asked;
		cond_resched();
		ret = wsq_op_stopped(task);
	}
	if (ret == WSQ_OP_AGAIN)
		return ret;
	e->ended = ++stamp;
	if (ret)
		return ret;
	return task->arg & 8 ? -ENOSPC : (s64)(task->arg & 0xff);
}

/* Without WSQ_SETUP_IDS a process may guess an id, from the number of the entry. */
static bool meant(const struct wsq_cancel *c, const struct model *m, u64 k)
{
	const struct entry *e = &m->entry[k];

	if (c->flags == WSQ_CANCEL_ALL)
		return true;
	if (c->flags == WSQ_CANCEL_USER_DATA)
		return e->sqe.user_data == c->what;
	return e->id ? e->id == c->what : c->what >> WSQ_ID_BITS == k + 1;
}

void model_cancels(struct model *m, const struct wsq_cancel *c)
{
	u64 k;

	for (k = 0; k < m->taken; k++)
		if (!m->entry[k].done && meant(c, m, k))
			m->entry[k].may_cancel = true;
}

void model_called_back(struct model *m, const struct wsq_cancel *c, u64 taken)
{
	u64 k;

	for (k = 0; k < taken; k++) {
		struct entry *e = &m->entry[k];

		if (!meant(c, m, k) || e->error)
			continue;
		/* A guess has to name the right slot, too. */
		if (c->flags == WSQ_CANCEL_ID && !e->id && !c->cancelled)
			continue;
		if (!e->begun)
			e->called_back = true;
		if (c->flags == WSQ_CANCEL_ID && c->cancelled)
			e->must_cancel = true;
	}
}

/* Has it waited for a task that failed? */
static bool waited_in_vain(const struct model *m, const struct entry *e)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(e->after); i++)
		if (e->after[i] && m->entry[e->after[i] - 1].res < 0)
			return true;
	return false;
}

/* Is this result allowed? */
static void check_result(const struct model *m, u64 k)
{
	const struct entry *e = &m->entry[k];
	const struct wsq_rule *r = rule_of(e->sqe.op);
	const s64 res = e->res;

	if (e->error) {
		if (res != e->error)
			FAIL("entry %llu, op %u, flags %x: %lld, not %d", k,
			     e->sqe.op, e->sqe.flags, res, e->error);
		MUST(!e->begun);
		return;
	}
	if (waited_in_vain(m, e) || (e->linked && m->entry[k - 1].res < 0)) {
		MUST(res == -ECANCELED && !e->begun);
		return;
	}
	if (e->must_cancel)
		MUST(res == -ECANCELED && !e->begun);
	switch (res) {
	case -ECANCELED:
		MUST(e->may_cancel || e->vague);
		return;
	case -ETIME:
		MUST(e->sqe.flags & WSQ_SQE_DEADLINE);
		return;
	case -EOPNOTSUPP:
		MUST(ops_gone && e->sqe.op >= WSQ_OP_REGISTERED);
		return;
	case -EINVAL:
	case -E2BIG:
	case -EFAULT:
		MUST(e->sqe.flags & WSQ_SQE_VEC);
		return;
	}
	if (e->sqe.op == OP_PROBE) {
		MUST(e->begun && e->ended);
		MUST(res == (e->sqe.arg & 8 ? -ENOSPC : (s64)(e->sqe.arg & 0xff)));
		return;
	}
	MUST(res >= 0 && r);
	if (e->sqe.op == WSQ_OP_CRC32C)
		MUST(res <= U32_MAX);
	else if (e->sqe.op == WSQ_OP_NOP || e->sqe.op == OP_MARK)
		MUST(!res);
	else if (r->dst == WSQ_RULE_ARG)
		MUST((u64)res <= e->sqe.arg);
	else if (r->dst && r->dst < WSQ_RULE_ARG)
		MUST(res == (s64)r->dst);
	else
		MUST(res <= (16 << 20));
}

/* Tasks before a drain end before it begins, tasks behind it begin after. */
static void check_drain(const struct model *m, u64 d)
{
	const struct entry *e = &m->entry[d];
	u64 k, i;

	for (k = 0; k < d; k++) {
		MUST(m->entry[k].place < e->place);
		if (e->begun && m->entry[k].begun)
			MUST(m->entry[k].ended < e->begun);
	}
	for (k = e->unit_end; k < m->taken; k++)
		for (i = d; i < e->unit_end; i++) {
			MUST(m->entry[i].place < m->entry[k].place);
			if (m->entry[i].begun && m->entry[k].begun)
				MUST(m->entry[i].ended < m->entry[k].begun);
		}
}

/* Tasks of a key that entered its order when they were submitted. */
static void check_key(const struct model *m, u64 k)
{
	const struct entry *e = &m->entry[k];
	u64 i;

	/* A cancelled task may not have entered the order. */
	if (e->error || !e->head || e->res == -ECANCELED ||
	    e->sqe.flags & WSQ_SQE_FUTURES)
		return;
	for (i = 0; i < k; i++) {
		const struct entry *o = &m->entry[i];

		if (o->error || !o->head || o->res == -ECANCELED ||
		    o->sqe.flags & WSQ_SQE_FUTURES ||
		    !(o->sqe.flags & WSQ_SQE_KEY) || o->sqe.key != e->sqe.key)
			continue;
		MUST(o->place < e->place);
		if (o->begun && e->begun)
			MUST(o->ended < e->begun);
	}
}

/* A task behind another ends, and began, after it. */
static void check_behind(const struct entry *e, const struct entry *o)
{
	MUST(o->place < e->place);
	MUST(!e->begun || !o->begun || o->ended < e->begun);
}

static void check_futures(const struct model *m, const struct entry *e)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(e->after); i++)
		if (e->after[i] && !m->entry[e->after[i] - 1].error)
			check_behind(e, &m->entry[e->after[i] - 1]);
	/* It has its future from this one. */
	if (e->before && !m->entry[e->before - 1].error)
		MUST(m->entry[e->before - 1].place < e->place);
}

void model_check(const struct model *m)
{
	static u8 places[ENTRIES];
	u64 k;

	MUST(m->completed == m->taken);
	memset(places, 0, m->taken);
	for (k = 0; k < m->taken; k++) {
		const struct entry *e = &m->entry[k];

		MUST(e->done && e->place < m->taken);
		MUST(!places[e->place]++);
		if (m->wild)
			continue;
		check_result(m, k);
		if (e->linked)
			check_behind(e, &m->entry[k - 1]);
		if (!e->error)
			check_futures(m, e);
		if (e->sqe.flags & WSQ_SQE_DRAIN && !e->error)
			check_drain(m, k);
		if (e->sqe.flags & WSQ_SQE_KEY)
			check_key(m, k);
	}
}

void model_polled(const struct model *m)
{
	const struct wsq_ring *ring = m->ring;
	u64 ready, room;

	if (!m->live || !m->honest || m->closed || ring->disabled)
		return;
	ready = ring->page->sq_tail - m->taken;
	room = m->cq - (m->taken - ring->page->cq_head);
	if (ready && ready <= room && ready <= m->sq)
		FAIL("%llu entries were left by the poller", ready);
}

void model_stats(const struct model *m, const struct wsq_ring_stats *st)
{
	u64 cancelled = 0, failed = 0, k;

	for (k = 0; k < st->submitted; k++) {
		cancelled += m->entry[k].done && m->entry[k].res == -ECANCELED;
		failed += m->entry[k].done && m->entry[k].res < 0;
	}
	MUST(st->completed == st->submitted);
	MUST(st->cancelled == cancelled);
	MUST(st->failed == failed - cancelled);
}
