// SPDX-License-Identifier: GPL-2.0
/*
 * The fuzzer of entries: one op after the other, on an arena of exactly its
 * size.
 *
 * Refusals and their errors are compared with oracle.c, and so are result and
 * arena of tasks that run. The address sanitizer checks accesses beyond the
 * arena and beyond the kernel's own copy of the entry. Each word of an entry's
 * list changes once it was read. A task of several parts may be told to stop,
 * or leave and be resumed.
 *
 * An input: the size of the arena, its contents, when to stop, the entry.
 */
#include "input.h"
#include "oracle.h"

#include <ring/ops.h>

/* Enough for tasks of several parts. */
#define ARENA_MOST	(80U << 10)

static struct {
	bool stop_asked;
	bool dead;
	bool leave;
} stop;

static struct wsq_conts conts;
static struct wsq_op_fj fj;

/* There is no ring here. */
void shim_published(const atomic64_t *slot)
{
}

void shim_mutex_taken(const struct mutex *lock)
{
}

void shim_mutex_released(const struct mutex *lock)
{
}

struct file *shim_fd(unsigned int fd)
{
	return NULL;
}

void shim_file_closing(struct file *file)
{
}

void shim_freed(const void *p)
{
}

/* kmod/ring/dev.c is not compiled here, nor rings: ops do not use them. */
static struct cred root = { .refs = 1, .caps = ~0ULL, .user_ns = &init_user_ns };

static void check_names(void)
{
	struct wsq_op_info info;
	u32 op = 0, n = 0;

	while (wsq_op_query(op, &info)) {
		const struct wsq_rule *r = rule_of(info.op);

		MUST(r && !strcmp(r->name, info.name));
		MUST(info.max_len == r->max);
		MUST(!(info.flags & WSQ_OPF_VEC) == !r->list);
		MUST(!(info.flags & WSQ_OPF_CAP) && !info.cap);
		op = info.op + 1;
		n++;
	}
	MUST(n == 14);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	shim_memory.room = 1 << 20;
	current->cred = &root;
	shim_begin(1, 0);
	MUST(!wsq_ops_init());
	MUST(!ops_register());
	wsq_conts_init(&conts);
	MUST(!wsq_conts_make(&conts));
	check_names();
	return 0;
}

static void arena_make(struct input *in, u8 *arena, u64 bytes)
{
	const u8 how = in_u8(in);
	u64 i;

	if (how == 0xff) {
		in_bytes(in, arena, bytes);
		return;
	}
	/* Long equal runs, so that compare() has something to do. */
	for (i = 0; i < bytes; i++)
		arena[i] = how & 1 ? i % 13 : (i * 2654435761U) >> (how & 15);
	for (i = 0; how & 2 && bytes && i < 8; i++)
		arena[in_u16(in) % bytes] ^= 1;
}

/* May the byte at @off differ after a task that was stopped? */
static bool touched(const struct verdict *v, u64 off)
{
	unsigned int i;

	for (i = 0; i < v->nr; i++)
		if (off - v->touched[i].off < v->touched[i].len)
			return true;
	return false;
}

static void check_arena(const u8 *is, const u8 *was, const u8 *want, u64 bytes,
			const struct verdict *v, s64 res)
{
	u64 i;

	if (res >= 0) {
		for (i = 0; i < bytes; i++)
			if (is[i] != want[i])
				FAIL("byte %llu is %02x, not %02x", i, is[i], want[i]);
		return;
	}
	for (i = 0; i < bytes; i++)
		if (is[i] != was[i] && !touched(v, i))
			FAIL("byte %llu was changed", i);
}

/* Is an entry's list outside of all that its task reads and writes? */
static bool list_apart(const struct wsq_sqe *sqe, const u8 *arena)
{
	const struct wsq_vec *list = (void *)(arena + sqe->src);
	const u64 end = sqe->src + sqe->len * sizeof(*list);
	u64 i, most = 64;

	if (!(sqe->flags & WSQ_SQE_VEC))
		return false;
	for (i = 0; i < sqe->len; i++) {
		if (list[i].len > ARENA_MOST || list[i].off > ARENA_MOST ||
		    (list[i].off < end && sqe->src < list[i].off + list[i].len))
			return false;
		most += list[i].len;
	}
	return sqe->dst >= end || sqe->src >= sqe->dst + most;
}

static void run(const struct wsq_sqe *sqe, u8 *arena, u64 bytes)
{
	const struct wsq_stop when = {
		.dead = &stop.dead, .stop_asked = &stop.stop_asked,
		.deadline = sqe->flags & WSQ_SQE_DEADLINE ? sqe->deadline : U64_MAX,
		.conts = stop.leave ? &conts : NULL,
		.fj = &fj,
	};
	struct wsq_op_cont *cont = NULL;
	u8 *was = malloc(bytes + 1), *want = malloc(bytes + 1);
	struct verdict v;
	s64 res;

	if (bytes) {
		memcpy(was, arena, bytes);
		memcpy(want, arena, bytes);
	}
	oracle_task(sqe, want, bytes, &v);
	if (list_apart(sqe, arena)) {
		shim_watch.from = arena + sqe->src;
		shim_watch.to = shim_watch.from + sqe->len * sizeof(struct wsq_vec);
	}
	res = wsq_op_issue(sqe, arena, bytes, &when, &cont);
	while (res == WSQ_OP_AGAIN) {
		MUST(stop.leave && cont);
		res = wsq_op_resume(sqe, &when, cont);
	}
	if (cont && sqe->op < WSQ_OP_NR) {
		list_add(&cont->free, &conts.free);
		conts.held--;
	} else if (cont) {
		list_add(&cont->free, &conts.free_registered);
	}
	MUST(!conts.held && !fj.busy);
	if (shim_watch.from)
		memcpy(shim_watch.from, was + sqe->src,
		       shim_watch.to - shim_watch.from);
	memset(&shim_watch, 0, sizeof(shim_watch));
	if (!verdict_has(&v, res)) {
		const bool stopped = (res == -ECANCELED && (stop.stop_asked || stop.dead)) ||
				     (res == -ETIME && shim_clock > when.deadline);

		if (!stopped || verdict_bad(&v))
			FAIL("op %u: result %lld, not %lld", sqe->op, res, v.res);
	}
	if (verdict_bad(&v))
		v.nr = 0;
	check_arena(arena, was, want, bytes, &v, res);
	free(was);
	free(want);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct wsq_sqe *sqe = malloc(sizeof(*sqe));
	const u16 bits = in_u16(&in);
	struct wsq_op_ref op;
	u64 bytes;
	u8 *arena;
	int ret;

	bytes = bits & 0x8000 ? ARENA_MOST - (bits & 0xff) : bits & 0xfff;
	/* As with vmap(): lists are aligned. */
	if (!bytes)
		arena = NULL;
	else if (posix_memalign((void **)&arena, 4096, bytes))
		return -1;
	shim_begin(bits, 0);
	arena_make(&in, arena, bytes);
	memset(&stop, 0, sizeof(stop));
	stop.stop_asked = bits & 0x4000 && in_u8(&in) == 1;
	stop.dead = bits & 0x2000 && in_u8(&in) == 1;
	stop.leave = bits & 0x1000;
	in_sqe(&in, sqe, arena, bytes);

	ret = -EOPNOTSUPP;
	if (wsq_op_get(&op, sqe->op)) {
		ret = wsq_op_prep(op.def, sqe, bytes);
		wsq_op_put(&op);
	}
	if (ret != oracle_entry(sqe, bytes))
		FAIL("op %u flags %x: %d, not %d", sqe->op, sqe->flags, ret,
		     oracle_entry(sqe, bytes));
	if (!ret)
		run(sqe, arena, bytes);
	free(arena);
	free(sqe);
	return 0;
}
