// SPDX-License-Identifier: GPL-2.0
/*
 * For hostile.c: invalid entries, and their expected results by <linux/wsq.h>
 * only.
 *
 * Half of them are random. The other half are almost valid: a valid entry with
 * up to two members set to, below or above a bound. All come from a seed.
 */
#include "wsq_hostile.h"

struct world world;

bool want_has(const struct want *w, int err)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		if (w->err[i] == err)
			return true;
	return false;
}

void want_add(struct want *w, int err)
{
	if (want_has(w, err))
		return;
	EXPECT(w->nr < ARRAY_SIZE(w->err));
	w->err[w->nr++] = err;
}

/* A list such as "0-3,5"; 0 alone if there is no such file. */
static void world_mask(const char *path, bool *mask)
{
	FILE *f = fopen(path, "r");
	unsigned int from, to;
	char c = ',';

	mask[0] = !f;
	while (f && c == ',' && fscanf(f, "%u", &from) == 1) {
		to = from;
		if (fscanf(f, "%c", &c) == 1 && c == '-' &&
		    (fscanf(f, "%u", &to) != 1 || fscanf(f, "%c", &c) != 1))
			c = 0;
		for (; from <= to && from < MASK_BITS; from++)
			mask[from] = true;
	}
	if (f)
		fclose(f);
}

void world_look(void)
{
	struct wsq_op_info ops[64];
	int fd = dev_open();
	unsigned int i;

	world.q = (struct wsq_query) {
		.size = sizeof(world.q),
		.nr_ops = ARRAY_SIZE(ops), .ops = (uintptr_t)ops,
	};
	EXPECT_ERR(ioctl(fd, WSQ_IOC_QUERY, &world.q), 0);
	EXPECT(world.q.nr_ops <= ARRAY_SIZE(ops));
	for (i = 0; i < world.q.nr_ops; i++) {
		if (ops[i].op >= WSQ_OP_NR)
			SKIP("another module has registered an op");
		world.op[ops[i].op] = true;
		world.max_len[ops[i].op] = ops[i].max_len;
	}
	close(fd);
	world_mask("/sys/devices/system/cpu/possible", world.cpu);
	world_mask("/sys/devices/system/node/possible", world.node);
}

static bool a_cpu(uint32_t nr)
{
	return nr < MASK_BITS && world.cpu[nr];
}

static bool a_node(uint32_t nr)
{
	return nr < MASK_BITS && world.node[nr];
}

/* The rule of an existing op, with this module's maximum. */
static struct wsq_rule rule_of(const struct wsq_sqe *e)
{
	struct wsq_rule r = wsq_rules[e->op];

	r.max = world.max_len[e->op];
	return r;
}

/* The error by which an entry is refused; 0 if it is not. */
int refusal(const struct hring *h, const struct wsq_sqe *e, bool linked)
{
	const struct wsq_rule_ring ring = {
		.arena_bytes = h->r.s.arena_bytes,
		.keys = h->r.s.flags & WSQ_SETUP_KEYS,
		.futures = h->r.s.flags & WSQ_SETUP_FUTURES ?
			   h->r.s.cq_entries : 0,
		.cpu = a_cpu, .node = a_node,
	};
	struct wsq_rule r;

	if (e->op >= WSQ_OP_NR || !world.op[e->op])
		return -EOPNOTSUPP;
	if (h->restricted && (!(h->ops >> e->op & 1) ||
			      e->flags & ~h->sqe_flags))
		return -EPERM;
	if (e->flags & WSQ_SQE_DRAIN && linked)
		return -EINVAL;
	r = rule_of(e);
	return wsq_rule_sqe(&r, e, &ring);
}

/* The list of an entry, if its content is known when the task begins. */
static const struct wsq_vec *list_of(const struct hring *h,
				     const struct wsq_sqe *e)
{
	uint64_t begin = h->r.s.arena_bytes - LISTS_BYTES;

	if (h->lists_spoilt || e->src < begin)
		return NULL;
	return (const struct wsq_vec *)&h->lists[e->src - begin];
}

static void list_wrong(void *err, int is)
{
	want_add(err, is);
}

/* Errors of a list; and its length, of all ranges and of each. */
static void list_errors(const struct hring *h, const struct wsq_sqe *e,
			const struct wsq_vec *v, struct want *err,
			struct wsq_rule_sum *sum)
{
	const struct wsq_rule r = rule_of(e);

	wsq_rule_list(&r, e, v, h->r.s.arena_bytes, sum, list_wrong, err);
}

/* Bytes that an op writes at dst, or that its ranges have. */
static uint64_t written(const struct wsq_rule *r, const struct wsq_sqe *e,
			const struct wsq_rule_sum *sum)
{
	if (r->dst == WSQ_RULE_ARG)
		return e->arg;
	if (r->dst == WSQ_RULE_EACH)
		return sum->each;
	return r->dst && r->dst != WSQ_RULE_ALL ? r->dst : sum->all;
}

static void outcome_value(const struct wsq_sqe *e,
			  const struct wsq_rule_sum *sum, struct outcome *o)
{
	o->done = true;
	o->least = written(&wsq_rules[e->op], e, sum);
	o->most = o->least;
	if (e->op == WSQ_OP_COMPARE || e->op == WSQ_OP_GZIP)
		o->least = 0;
	if (e->op == WSQ_OP_CRC32C) {
		o->least = 0;
		o->most = UINT32_MAX;
	}
}

/* Largest difference between clocks that are read in different ways. */
#define CLOCKS		(10 * MSEC)

/* Outcome of a task that did not wait and was not cancelled. */
void task_outcome(const struct hring *h, const struct task *t,
		  struct outcome *o)
{
	const struct wsq_sqe *e = &t->sqe;
	const struct wsq_vec *v;
	struct wsq_rule_sum sum = { e->len, e->len };
	struct want bad = { 0 };
	unsigned int i;

	memset(o, 0, sizeof(*o));
	if (e->flags & WSQ_SQE_DEADLINE) {
		if (e->deadline < t->notified_ns + CLOCKS)
			want_add(&o->err, ETIME);
		if (e->deadline < t->pushed_ns - CLOCKS)
			return;
	}
	if (!(e->flags & WSQ_SQE_VEC)) {
		outcome_value(e, &sum, o);
		return;
	}
	v = list_of(h, e);
	if (v) {
		list_errors(h, e, v, &bad, &sum);
		for (i = 0; i < bad.nr; i++)
			want_add(&o->err, bad.err[i]);
		if (!bad.nr)
			outcome_value(e, &sum, o);
		return;
	}
	/* The list may be anything by then. */
	want_add(&o->err, EINVAL);
	want_add(&o->err, E2BIG);
	want_add(&o->err, EFAULT);
	sum = (struct wsq_rule_sum) { 0 };
	outcome_value(e, &sum, o);
	if (!o->most)
		o->most = UINT32_MAX;
}

/* Does a valid entry write where lists are? */
bool spoils(const struct hring *h, const struct wsq_sqe *e)
{
	uint64_t begin = h->r.s.arena_bytes - LISTS_BYTES, i;
	const struct wsq_rule *r = &wsq_rules[e->op];
	struct wsq_rule_sum sum = { e->len, e->len };
	const struct wsq_vec *v;
	struct want err = { 0 };

	if ((!r->out && !r->dst) || e->op == WSQ_OP_COMPARE)
		return false;
	if (r->scratch && e->src + e->len > begin)
		return true;
	if (!(e->flags & WSQ_SQE_VEC) || (r->dst && r->dst < WSQ_RULE_EACH))
		return e->dst + written(r, e, &sum) > begin;
	v = list_of(h, e);
	if (!v)
		return true;
	list_errors(h, e, v, &err, &sum);
	if (err.nr)
		return false;
	if (!r->out)
		return e->dst + written(r, e, &sum) > begin;
	for (i = 0; i < e->len; i++)
		if (v[i].off + v[i].len > begin)
			return true;
	return false;
}

static uint64_t some_deadline(uint64_t *seed)
{
	uint64_t now = now_ns();

	return PICK(seed, 0, 1, now - 1, now + rnd(seed) % (4 * MSEC),
		    now + 3600 * SEC, 1ULL << 63, UINT64_MAX - 1, UINT64_MAX);
}

/* Mostly few numbers, so that tasks wait for one another. */
static uint64_t some_future(const struct hring *h, uint64_t *seed)
{
	return PICK(seed, 0, 0, 0, 1, 2, 3, 1 + rnd(seed) % 8,
		    h->r.s.cq_entries);
}

static uint64_t some_futures(const struct hring *h, uint64_t *seed)
{
	return WSQ_FUTURES(some_future(h, seed), some_future(h, seed),
			   some_future(h, seed), some_future(h, seed));
}

/* At a bound of the arena, or of valid offsets for @len bytes. */
static uint64_t some_offset(uint64_t *seed, uint64_t arena, uint64_t len,
			    uint64_t other)
{
	return PICK(seed, 0, 1, 8, arena - len, arena - len + 1, arena - 1, arena,
		    arena + 1, other, other + 1, other - 1, other + len - 1,
		    0 - len, 0 - len - 1, 1 - len, UINT64_MAX, 1ULL << 63,
		    1ULL << 32, arena - LIST_BYTES, arena - 16,
		    arena - LISTS_BYTES - len);
}

static uint64_t some_len(uint64_t *seed, uint64_t arena, uint64_t off,
			 uint64_t max)
{
	return PICK(seed, 0, 1, 7, 8, 16, 17, 256, 257, 16384, 16385, max, max + 1,
		    arena, arena + 1, arena - off, arena - off + 1, 0 - off,
		    UINT64_MAX, 1ULL << 63, UINT32_MAX, 1ULL << 32);
}

/* Usually short: many follow. */
static uint64_t usual_len(uint64_t *seed, uint64_t arena)
{
	uint64_t most = arena / 8;

	if (most > 512 && rnd(seed) % 64)
		most = 512;
	if (most > 32768 && rnd(seed) % 64)
		most = 32768;
	return 1 + rnd(seed) % most;
}

/* A valid entry, except that this kernel may lack its op. */
static void right_entry(struct hring *h, uint64_t *seed, struct wsq_sqe *e)
{
	uint64_t arena = h->r.s.arena_bytes, len;
	const struct wsq_rule *s;

	memset(e, 0, sizeof(*e));
	e->op = arena ? rnd(seed) % WSQ_OP_NR : WSQ_OP_NOP;
	s = &wsq_rules[e->op];
	if (s->src || s->out) {
		len = usual_len(seed, arena);
		e->len = len;
		if (s->src)
			e->src = rnd(seed) % (arena / 2 - len);
		if (s->out || s->dst)
			e->dst = arena / 2 + rnd(seed) %
				 (arena / 2 - LISTS_BYTES - (len > 64 ? len : 64));
		if (s->arg)
			e->arg = rnd(seed) & UINT32_MAX;
		if (s->dst == WSQ_RULE_ARG)
			e->arg = wsq_rule_grown(len);
		if (s->align) {
			e->len = len < s->align ? s->align : len - len % s->align;
			e->src -= e->src % s->align;
			e->dst -= e->dst % s->align;
		}
		if (s->list && rnd(seed) % 4 == 0) {
			e->flags |= WSQ_SQE_VEC;
			e->src = arena - LISTS_BYTES +
				 rnd(seed) % LIST_SLOTS * LIST_BYTES;
			e->len = 1 + rnd(seed) % WSQ_VEC_MAX;
			if (s->out)
				e->dst = 0;
		}
	}
	if (rnd(seed) % 2)
		return;
	if (rnd(seed) % 4 == 0)
		e->flags |= WSQ_SQE_LINK;
	if (rnd(seed) % 16 == 0)
		e->flags |= WSQ_SQE_DRAIN;
	if (h->r.s.flags & WSQ_SETUP_KEYS && rnd(seed) % 2) {
		e->flags |= WSQ_SQE_KEY;
		e->key = PICK(seed, 0, 1, 2, UINT64_MAX, rnd(seed) % 64);
	}
	if (rnd(seed) % 4 == 0) {
		e->flags |= WSQ_SQE_CPU;
		e->hint = rnd(seed) % world.q.nr_cpus;
	} else if (rnd(seed) % 8 == 0) {
		e->flags |= WSQ_SQE_NODE;
	}
	if (h->r.s.flags & WSQ_SETUP_FUTURES && rnd(seed) % 4) {
		e->flags |= WSQ_SQE_FUTURES;
		e->deadline = some_futures(h, seed);
	} else if (rnd(seed) % 8 == 0) {
		e->flags |= WSQ_SQE_DEADLINE;
		e->deadline = some_deadline(seed);
	}
}

static void bend_entry(const struct hring *h, uint64_t *seed, struct wsq_sqe *e)
{
	uint64_t arena = h->r.s.arena_bytes;
	uint64_t max = e->op < WSQ_OP_NR ? world.max_len[e->op] : 0;

	switch (rnd(seed) % 10) {
	case 0:
		e->op = PICK(seed, 0, 1, WSQ_OP_NR - 1, WSQ_OP_NR, 64, 255, 256,
			     257, 0x7fff, 0x8000, 0xffff);
		break;
	case 1:
		e->flags ^= 1U << rnd(seed) % 16;
		break;
	case 2:
		e->flags ^= rnd(seed) & 0xff;
		break;
	case 3:
		e->hint = PICK(seed, 0, 1, world.q.nr_cpus - 1, world.q.nr_cpus,
			       world.q.nr_nodes, 63, 64, 8191, 65535,
			       0x7fffffff, 0x80000000, UINT32_MAX);
		break;
	case 4:
		e->src = some_offset(seed, arena, e->len, e->dst);
		break;
	case 5:
		e->dst = some_offset(seed, arena, e->len, e->src);
		break;
	case 6:
		e->len = some_len(seed, arena, rnd(seed) % 2 ? e->src : e->dst,
				  max);
		break;
	case 7:
		e->arg = PICK(seed, 0, 1, UINT32_MAX, UINT32_MAX + 1ULL,
			      1ULL << 63, UINT64_MAX);
		break;
	case 8:
		e->key = PICK(seed, 0, 1, UINT64_MAX);
		break;
	default:
		e->deadline = rnd(seed) % 2 ? some_deadline(seed) :
			      some_futures(h, seed) |
			      PICK(seed, 0, h->r.s.cq_entries + 1, 0xffff)
			      << rnd(seed) % 4 * 16;
	}
}

static void random_entry(uint64_t *seed, struct wsq_sqe *e)
{
	uint64_t *word = (uint64_t *)e, keep = rnd(seed);
	unsigned int i;

	for (i = 0; i < sizeof(*e) / sizeof(*word); i++)
		word[i] = keep >> i & 1 ? rnd(seed) :
			  keep >> (8 + i) & 1 ? rnd(seed) % 10000 : 0;
	/* Most random numbers are no ops, which tests little. */
	if (keep >> 16 & 3) {
		e->op = (keep >> 24) % (WSQ_OP_NR + 1);
		if (keep >> 18 & 1)
			e->flags &= 0xff;
		if (keep >> 19 & 1)
			e->flags = 0;
	}
}

void some_entry(struct hring *h, uint64_t *seed, struct wsq_sqe *e)
{
	unsigned int n;

	if (rnd(seed) % 2) {
		random_entry(seed, e);
		return;
	}
	right_entry(h, seed, e);
	for (n = PICK(seed, 0, 1, 1, 2); n; n--)
		bend_entry(h, seed, e);
}

/* Lists for entries to point to, of which one range may be changed. */
void some_lists(struct hring *h, uint64_t *seed, uint8_t *lists)
{
	uint64_t arena = h->r.s.arena_bytes;
	struct wsq_vec *v = (struct wsq_vec *)lists;
	unsigned int slot, i;

	for (slot = 0; slot < LIST_SLOTS; slot++, v += LIST_SIZE) {
		uint64_t len = 1 + rnd(seed) % 64;
		bool equal = rnd(seed) % 2;

		for (i = 0; i < LIST_SIZE; i++) {
			v[i].len = equal ? len : 1 + rnd(seed) % 64;
			v[i].off = rnd(seed) % (arena / 2 - v[i].len);
		}
		if (rnd(seed) % 2)
			continue;
		i = rnd(seed) % 8;
		if (rnd(seed) % 2)
			v[i].off = some_offset(seed, arena, v[i].len, v[0].off);
		else
			v[i].len = some_len(seed, arena, v[i].off, 0x1000000);
	}
}
