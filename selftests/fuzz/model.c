// SPDX-License-Identifier: GPL-2.0
/*
 * What was taken, and what became of it: each submission has one completion, with a
 * result that it may have, in an order that was promised.
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

/* Rings are where others were: the last one is the one that is there. */
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

/* What ENTER says of an entry at its place, by ring.rst and errors.rst. */
static int entry_error(const struct model *m, const struct wsq_sqe *sqe, bool linked)
{
	int ret = oracle_entry(sqe, m->arena);

	if (ret == -EOPNOTSUPP)
		return ret;
	if (!(m->ops & op_bit(sqe->op)) || sqe->flags & ~m->sqe_flags)
		return -EPERM;
	if (sqe->flags & WSQ_SQE_KEY && !(m->setup_flags & WSQ_SETUP_KEYS))
		return -EINVAL;
	if (sqe->flags & WSQ_SQE_DRAIN && linked)
		return -EINVAL;
	return ret;
}

/* While its module goes, an op may be there or not: what became of it here. */
static int gone_error(const struct model *m, u64 k)
{
	u32 i;

	for (i = 0; i < m->cq; i++)
		if (m->ring->reqs[i].number == k &&
		    m->ring->reqs[i].refused == -EOPNOTSUPP)
			return -EOPNOTSUPP;
	return 0;
}

void model_take(struct model *m, u64 head)
{
	bool linked = false, broken = false;
	struct entry *unit = NULL;

	for (; m->taken < head; m->taken++) {
		const u64 k = m->taken;
		struct entry *e = &m->entry[k];

		MUST(k < ENTRIES);
		e->sqe = m->ring->sqes[k & (m->sq - 1)];
		e->taken = true;
		e->error = entry_error(m, &e->sqe, linked);
		if (ops_gone && e->sqe.op >= WSQ_OP_REGISTERED && gone_error(m, k))
			e->error = -EOPNOTSUPP;
		if (!e->error && broken)
			e->error = -ECANCELED;
		if (m->ring->ids) {
			e->id = m->ring->ids[k & (m->sq - 1)];
			MUST(m->wild || !e->id == !!e->error);
			MUST(!e->id || !k || e->id > m->entry[k - 1].id);
		}
		e->head = !linked || e->error || !unit;
		e->linked = !e->head;
		if (e->error) {
			broken = true;
			unit = NULL;
		} else if (e->head) {
			unit = e;
		}
		if (unit)
			unit->unit_end = k + 1;
		linked = e->sqe.flags & WSQ_SQE_LINK;
		if (!linked) {
			broken = false;
			unit = NULL;
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
		/* It left, and was not called again. */
		MUST(e->res == -ECANCELED || e->res == -ETIME ||
		     e->res == -EOPNOTSUPP);
		e->ended = ++stamp;
	}
	m->completed++;
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
	/* As long as ENTER is under way, nobody else has told. */
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

static bool meant(const struct wsq_cancel *c, const struct entry *e)
{
	if (c->flags == WSQ_CANCEL_ALL)
		return true;
	if (c->flags == WSQ_CANCEL_USER_DATA)
		return e->sqe.user_data == c->what;
	return e->id && e->id == c->what;
}

void model_cancels(struct model *m, const struct wsq_cancel *c)
{
	u64 k;

	for (k = 0; k < m->taken; k++)
		if (!m->entry[k].done && meant(c, &m->entry[k]))
			m->entry[k].may_cancel = true;
}

void model_called_back(struct model *m, const struct wsq_cancel *c, u64 taken)
{
	u64 k;

	for (k = 0; k < taken; k++) {
		struct entry *e = &m->entry[k];

		if (!meant(c, e) || e->error)
			continue;
		if (!e->begun)
			e->called_back = true;
		if (c->flags == WSQ_CANCEL_ID && c->cancelled)
			e->must_cancel = true;
	}
}

/* May it have ended like this? */
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
	if (e->linked && m->entry[k - 1].res < 0) {
		MUST(res == -ECANCELED && !e->begun);
		return;
	}
	if (e->must_cancel)
		MUST(res == -ECANCELED && !e->begun);
	switch (res) {
	case -ECANCELED:
		MUST(e->may_cancel);
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
	else if (r->dst && r->dst < WSQ_RULE_EACH)
		MUST(res == (s64)r->dst);
	else
		MUST(res <= (16 << 20));
}

/* What is in front of a drain has ended before it began, what is behind it after. */
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

/* Tasks of a key that took their places when they were submitted. */
static void check_key(const struct model *m, u64 k)
{
	const struct entry *e = &m->entry[k];
	u64 i;

	/* What was called back may have had no place. */
	if (e->error || !e->head || e->res == -ECANCELED)
		return;
	for (i = 0; i < k; i++) {
		const struct entry *o = &m->entry[i];

		if (o->error || !o->head || o->res == -ECANCELED ||
		    !(o->sqe.flags & WSQ_SQE_KEY) || o->sqe.key != e->sqe.key)
			continue;
		MUST(o->place < e->place);
		if (o->begun && e->begun)
			MUST(o->ended < e->begun);
	}
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
		if (e->linked) {
			const struct entry *o = &m->entry[k - 1];

			MUST(o->place < e->place);
			MUST(!e->begun || !o->begun || o->ended < e->begun);
		}
		if (e->sqe.flags & WSQ_SQE_DRAIN && !e->error)
			check_drain(m, k);
		if (e->sqe.flags & WSQ_SQE_KEY)
			check_key(m, k);
	}
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
