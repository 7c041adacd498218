// SPDX-License-Identifier: GPL-2.0
/*
 * For hostile.c: invalid calls, and their expected results by <linux/wsq.h> and
 * Documentation/errors.rst.
 *
 * Where several errors apply any of them is right, and success is not.
 */
#include <sys/syscall.h>

#include "wsq_hostile.h"

void gen_init(struct gen *g, uint64_t seed, bool loose)
{
	memset(g, 0, sizeof(*g));
	g->seed = seed | 1;
	g->loose = loose;
	g->args = mmap(NULL, ARGS_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	g->room = mmap(NULL, SPACE_CPUS * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(g->args != MAP_FAILED && g->room != MAP_FAILED);
	EXPECT_ERR(mprotect(g->args, ARGS_END, PROT_READ | PROT_WRITE), 0);
}

/* All errors of a command in errors.rst. */
static void documented(unsigned int cmd, struct want *w)
{
	static const int all[8][12] = {
		{ EINVAL, EFAULT, E2BIG },
		{ EINVAL, EFAULT, E2BIG, EBADF, EPERM, ENOSPC, EBUSY, ENOMEM,
		  EDQUOT, EINTR },
		{ EINVAL, EFAULT, E2BIG, EBADFD, EAGAIN, ETIME, EINTR },
		{ EINVAL, EFAULT, E2BIG },
		{ EINVAL, EFAULT, E2BIG, ENOENT, EALREADY, EINTR },
		{ EINVAL, EFAULT, E2BIG, EBUSY, ENOMEM, EINTR },
		{ EINVAL, EBADFD, EINTR },
		{ EINVAL, EFAULT, E2BIG },
	};
	unsigned int nr = cmd - WSQ_IOC_QUERY, i;

	w->nr = 0;
	if (nr >= ARRAY_SIZE(all)) {
		want_add(w, ENOTTY);
		return;
	}
	for (i = 0; all[nr][i]; i++)
		want_add(w, all[nr][i]);
	want_add(w, 0);
}

/* Returns 0 or the errno, which must be an expected one. */
int call(struct gen *g, int fd, unsigned int cmd, void *arg,
	 const struct want *want)
{
	uint64_t t = now_ns();
	struct want w = *want;
	char text[100] = "";
	unsigned int i;
	int err;

	err = syscall(SYS_ioctl, fd, cmd, arg) ? errno : 0;
	t = now_ns() - t;
	if (t > g->slowest_ns)
		g->slowest_ns = t;
	g->calls++;
	g->failed += !!err;
	if (g->loose)
		documented(cmd, &w);
	if (want_has(&w, err))
		return err;
	for (i = 0; i < w.nr; i++)
		sprintf(text + strlen(text), " %d", w.err[i]);
	FAIL("ioctl %#x: error %d, not one of%s, call %llu", cmd, err, text,
	     (unsigned long long)g->calls);
}

/* Can the call have its effect, whatever it returns? */
bool takes_effect(const struct attempt *a)
{
	return !a->unread.nr && !a->refuse.nr;
}

static void *some_address(struct gen *g)
{
	return (void *)PICK(&g->seed, 0, 1, 4095, 4096,
			    (uintptr_t)g->args + ARGS_END,
			    (uintptr_t)g->args + ARGS_RO_END,
			    0x7ffffffff000ULL, 0x800000000000ULL,
			    0xffff800000000000ULL, 0xffff888000000000ULL,
			    0xffffffff81000000ULL, 0xffffffffffffe000ULL,
			    UINT64_MAX - 3, UINT64_MAX);
}

/* A size for a struct of @known bytes, which had @least in the first version. */
static uint32_t some_size(struct gen *g, uint32_t known, uint32_t least)
{
	if (rnd(&g->seed) % 4)
		return known;
	return PICK(&g->seed, 0, 1, 4, least - 8, least - 1, least, known - 8,
		    known - 1, known, known + 1, known + 8, 2 * known, PAGE,
		    PAGE + 1, 0x80000000, UINT32_MAX);
}

/*
 * Sets the size of @s, which has @known bytes, and finds an address for it.
 * Members behind that size become zero, as the kernel takes them.
 */
void attempt_place(struct gen *g, struct hring *h, void *s, uint32_t known,
		   uint32_t least, struct attempt *a)
{
	uint32_t size = some_size(g, known, least);

	memset(a, 0, sizeof(*a));
	if (size < known && size >= least)
		memset((char *)s + size, 0, known - size);
	*(uint32_t *)s = size;
	a->bytes = size > PAGE ? known : size < 4 ? 4 : size;
	a->there = a->bytes;
	if (size < least)
		want_add(&a->unread, EINVAL);
	if (size > PAGE)
		want_add(&a->unread, E2BIG);

	switch (rnd(&g->seed) % 16) {
	case 0:
		a->p = some_address(g);
		a->there = 0;
		a->unread.nr = 0;
		want_add(&a->unread, EFAULT);
		break;
	case 1:
		/* Its end is not mapped. */
		a->there = rnd(&g->seed) % a->bytes;
		a->p = g->args + ARGS_END - a->there;
		if (a->there < sizeof(size))
			a->unread.nr = 0;
		if (!a->unread.nr)
			want_add(&a->unread, EFAULT);
		/* The mapped part of its tail may be anything. */
		if (size > known)
			want_add(&a->unread, E2BIG);
		break;
	case 2:
		a->p = g->args + ARGS_RO;
		a->deaf = true;
		break;
	case 3:
		a->p = g->args + ARGS_END - a->bytes;
		/* Where tasks and other threads write. */
		if (g->loose && h && h->r.arena)
			a->p = h->r.arena + rnd(&g->seed) %
			       (h->r.s.arena_bytes - a->bytes + 1);
		break;
	case 4:
		a->p = g->args + ARGS_END - a->bytes;
		break;
	case 5:
		a->p = g->args + rnd(&g->seed) % (ARGS_END - a->bytes);
		break;
	default:
		a->p = g->args + (rnd(&g->seed) % PAGE & ~7UL);
	}
}

/* Writes it there. */
void attempt_fill(struct gen *g, const void *s, uint32_t known,
		  struct attempt *a)
{
	if (a->deaf)
		EXPECT_ERR(mprotect(a->p, PAGE, PROT_READ | PROT_WRITE), 0);
	memcpy(a->p, s, a->there < known ? a->there : known);
	if (a->bytes > known && a->there == a->bytes) {
		memset(a->p + known, 0, a->bytes - known);
		if (rnd(&g->seed) % 2) {
			a->p[known + rnd(&g->seed) % (a->bytes - known)] = 1;
			want_add(&a->unread, E2BIG);
		}
	}
	if (a->deaf)
		EXPECT_ERR(mprotect(a->p, PAGE, PROT_READ), 0);
}

/* Makes the call; @s gets the answer, if any. Returns 0 or the errno. */
int attempt_call(struct gen *g, int fd, unsigned int cmd, struct attempt *a,
		 void *s, uint32_t known, bool answers)
{
	struct want w = a->unread;
	unsigned int i;
	int err;

	for (i = 0; i < a->refuse.nr; i++)
		want_add(&w, a->refuse.err[i]);
	if (a->deaf && answers && !a->unread.nr)
		want_add(&w, EFAULT);
	if (!w.nr)
		w = a->may;
	if (!w.nr)
		want_add(&w, 0);
	err = call(g, fd, cmd, a->p, &w);
	if (!a->unread.nr && !a->deaf)
		memcpy(s, a->p, a->bytes < known ? a->bytes : known);
	return err;
}

/* For a file without a ring. */
void need_ring(const struct hring *h, struct attempt *a)
{
	if (!h)
		want_add(&a->refuse, EINVAL);
}

static bool power_of_2(uint64_t n)
{
	return n && !(n & (n - 1));
}

static bool sizes_right(unsigned int flags, unsigned int sq, unsigned int cq,
			uint64_t arena)
{
	if (flags & ~0x3f)
		return false;
	if (flags & WSQ_SETUP_POLL_SHARE && !(flags & WSQ_SETUP_POLL))
		return false;
	if (!power_of_2(sq) || sq > world.q.max_sq_entries)
		return false;
	if (!cq)
		cq = 2 * sq;
	return power_of_2(cq) && cq >= sq && cq <= world.q.max_cq_entries &&
	       arena <= world.q.max_arena;
}

void call_query(struct gen *g, struct hring *h, int fd)
{
	struct wsq_query q = {
		.nr_ops = PICK(&g->seed, 0, 1, 9, 4096, UINT32_MAX),
		.ops = PICK(&g->seed, 0, (uintptr_t)g->room,
			    (uintptr_t)some_address(g)),
		.sq_entries = PICK(&g->seed, 0, 1, 3, 64, 32768, 65536,
				   UINT32_MAX),
		.cq_entries = PICK(&g->seed, 0, 1, 63, 64, 65536, 0x80000000),
		.arena_size = PICK(&g->seed, 0, 1, 4096, world.q.max_arena,
				   world.q.max_arena + 1, UINT64_MAX),
		.setup_flags = PICK(&g->seed, 0, 4, 31, 32, 63, 64, UINT32_MAX),
		.rsv = rnd(&g->seed) % 8 ? 0 : 1,
	};
	struct attempt a;
	bool right;

	attempt_place(g, h, &q, sizeof(q), 72, &a);
	if (q.rsv)
		want_add(&a.refuse, EINVAL);
	/* The first op cannot be stored there. */
	if (q.ops && q.nr_ops && q.ops != (uintptr_t)g->room)
		want_add(&a.refuse, EFAULT);
	right = sizes_right(q.setup_flags, q.sq_entries, q.cq_entries,
			    q.arena_size);
	attempt_fill(g, &q, sizeof(q), &a);
	if (attempt_call(g, fd, WSQ_IOC_QUERY, &a, &q, sizeof(q), true) ||
	    g->loose)
		return;
	EXPECT_EQ(q.nr_ops, world.q.nr_ops);
	EXPECT_EQ(q.max_arena, world.q.max_arena);
	EXPECT(right ? q.memory > q.arena_size : !q.memory);
}

void call_stats(struct gen *g, struct hring *h, int fd)
{
	struct wsq_stats st = {
		.nr_cpus = PICK(&g->seed, 0, 1, 4, SPACE_CPUS),
		.cpus = PICK(&g->seed, 0, (uintptr_t)g->room,
			     (uintptr_t)some_address(g)),
		.cpu_stats_size = PICK(&g->seed, 0, 80, 87, 88, 96,
				       sizeof(struct wsq_cpu_stats),
				       sizeof(struct wsq_cpu_stats) + 8, 4096,
				       4104, UINT32_MAX),
		.rsv = rnd(&g->seed) % 8 ? 0 : 1,
	};
	struct attempt a;

	attempt_place(g, h, &st, sizeof(st), 40, &a);
	if (st.rsv)
		want_add(&a.refuse, EINVAL);
	if (st.cpus && (st.cpu_stats_size < 88 || st.cpu_stats_size > PAGE ||
			st.cpu_stats_size % 8))
		want_add(&a.refuse, EINVAL);
	if (st.cpus && st.nr_cpus && st.cpus != (uintptr_t)g->room)
		want_add(&a.refuse, EFAULT);
	attempt_fill(g, &st, sizeof(st), &a);
	if (attempt_call(g, fd, WSQ_IOC_STATS, &a, &st, sizeof(st), true) ||
	    g->loose)
		return;
	EXPECT(st.nr_cpus > 0 && st.nr_cpus <= world.q.nr_cpus);
	EXPECT(!h || st.rings > 0);
}

void call_ring_stats(struct gen *g, struct hring *h, int fd)
{
	struct wsq_ring_stats st = {
		.rsv = rnd(&g->seed) % 8 ? 0 : 1,
		.submitted = rnd(&g->seed),
	};
	struct attempt a;

	attempt_place(g, h, &st, sizeof(st), 56, &a);
	need_ring(h, &a);
	if (st.rsv)
		want_add(&a.refuse, EINVAL);
	attempt_fill(g, &st, sizeof(st), &a);
	if (attempt_call(g, fd, WSQ_IOC_RING_STATS, &a, &st, sizeof(st), true))
		return;
	/* Others may have written to it by now. */
	if (a.p < g->args || a.p > g->args + ARGS_END)
		return;
	EXPECT(st.completed <= st.submitted);
	EXPECT(st.cancelled + st.failed <= st.completed);
	if (g->loose)
		return;
	/* The counters include every completion that was read. */
	EXPECT(st.submitted <= h->base + h->pushed);
	EXPECT(st.completed >= h->base + h->told);
	EXPECT(st.failed >= h->failed);
	EXPECT(st.cancelled >= h->called_back);
	if (h->told < h->pushed)
		return;
	EXPECT_EQ(st.submitted, h->base + h->pushed);
	EXPECT_EQ(st.completed, st.submitted);
	EXPECT_EQ(st.failed, h->failed);
	EXPECT_EQ(st.cancelled, h->called_back);
}

/* A task of this range may be cancelled, and may end so. */
static void may_cancel(struct hring *h, unsigned int from, unsigned int to)
{
	for (; from < to; from++)
		h->tasks[from].cancelled = true;
}

const uint64_t *ids_of(const struct hring *h)
{
	return (const uint64_t *)((const char *)h->r.page + h->r.s.ids_off);
}

/* Valid arguments; only tasks that they match may be cancelled. */
static void cancel_what(struct gen *g, struct hring *h, struct wsq_cancel *c,
			struct attempt *a)
{
	const unsigned int there = h->told < h->pushed ? h->pushed : 0;
	unsigned int i = there ? rnd(&g->seed) % there : 0;
	uint64_t k = h->base + i;

	want_add(&a->may, ENOENT);
	switch (rnd(&g->seed) % 8) {
	case 0:
		c->flags = WSQ_CANCEL_ALL;
		may_cancel(h, 0, there);
		break;
	case 1:
	case 2:
		c->flags = WSQ_CANCEL_USER_DATA;
		c->what = h->salt ^ i;
		may_cancel(h, i, there ? i + 1 : 0);
		break;
	case 3:
		c->flags = WSQ_CANCEL_USER_DATA;
		c->what = h->salt ^ (BATCH + rnd(&g->seed) % 100);
		return;
	case 4:
	case 5:
		c->flags = WSQ_CANCEL_ID;
		if (!there || !h->r.s.ids_off || k >= h->taken ||
		    k + h->r.s.sq_entries < h->r.tail)
			return;
		c->what = ids_of(h)[k & (h->r.s.sq_entries - 1)];
		h->id = c->what;
		may_cancel(h, i, i + 1);
		break;
	default:
		c->flags = WSQ_CANCEL_ID;
		c->what = PICK(&g->seed, 0, 1, rnd(&g->seed), UINT64_MAX,
			       rnd(&g->seed) % 65536, h->stale_id);
		return;
	}
	if (there) {
		want_add(&a->may, 0);
		want_add(&a->may, EALREADY);
	}
}

void call_cancel(struct gen *g, struct hring *h, int fd)
{
	struct wsq_cancel c = { .cancelled = rnd(&g->seed) };
	struct attempt a;
	int err;

	attempt_place(g, h, &c, sizeof(c), 24, &a);
	need_ring(h, &a);
	if (rnd(&g->seed) % 4 == 0) {
		c.flags = PICK(&g->seed, 0, 3, 4, 5, 6, 7, 8, 0x80000000,
			       UINT32_MAX);
		c.what = 1 + rnd(&g->seed) % 100;
		want_add(&a.refuse, EINVAL);
	} else if (h && !g->loose) {
		cancel_what(g, h, &c, &a);
	} else {
		c.flags = 1U << rnd(&g->seed) % 3;
		c.what = c.flags == WSQ_CANCEL_ALL ? 0 : rnd(&g->seed) % 4096;
	}
	attempt_fill(g, &c, sizeof(c), &a);
	err = attempt_call(g, fd, WSQ_IOC_CANCEL, &a, &c, sizeof(c), true);
	if (g->loose || a.deaf || !takes_effect(&a))
		return;
	EXPECT_EQ(err, c.cancelled ? 0 : c.running ? EALREADY : ENOENT);
	if (c.cancelled > h->most_cancelled)
		h->most_cancelled = c.cancelled;
}

void call_restrict(struct gen *g, struct hring *h, int fd)
{
	uint32_t *ops = (uint32_t *)(g->room + 4), allowed = 0, i;
	struct wsq_restrict r = {
		.nr_ops = PICK(&g->seed, 0, 1, 8, 16, 1024, 1025, UINT32_MAX),
		.ops = PICK(&g->seed, (uintptr_t)ops, (uintptr_t)ops,
			    (uintptr_t)ops, (uintptr_t)some_address(g)),
		.sqe_flags = rnd(&g->seed) | rnd(&g->seed),
		.rsv = rnd(&g->seed) % 8 ? 0 : 1,
	};
	struct attempt a;

	attempt_place(g, h, &r, sizeof(r), 24, &a);
	need_ring(h, &a);
	if (r.rsv || r.nr_ops > 1024)
		want_add(&a.refuse, EINVAL);
	else if (r.nr_ops && r.ops != (uintptr_t)ops)
		want_add(&a.refuse, EFAULT);
	if (h && !h->disabled)
		want_add(&a.refuse, EBUSY);
	for (i = 0; i < r.nr_ops && i < 1024; i++) {
		ops[i] = rnd(&g->seed) % 16 ? rnd(&g->seed) % WSQ_OP_NR :
			 rnd(&g->seed);
		if (ops[i] < WSQ_OP_NR)
			allowed |= 1U << ops[i];
	}
	attempt_fill(g, &r, sizeof(r), &a);
	attempt_call(g, fd, WSQ_IOC_RESTRICT, &a, &r, sizeof(r), false);
	if (g->loose || !takes_effect(&a))
		return;
	h->ops = h->restricted ? h->ops & allowed : allowed;
	h->sqe_flags = h->restricted ? h->sqe_flags & r.sqe_flags :
				       r.sqe_flags;
	h->restricted = true;
}

void call_enable(struct gen *g, struct hring *h, int fd)
{
	void *arg = (void *)PICK(&g->seed, 0, 0, 1, 1ULL << 32, UINT64_MAX);
	struct want w = { 0 };

	if (arg || !h)
		want_add(&w, EINVAL);
	if (h && !h->disabled)
		want_add(&w, EBADFD);
	if (!w.nr)
		want_add(&w, 0);
	if (!call(g, fd, WSQ_IOC_ENABLE, arg, &w) && !g->loose)
		h->disabled = false;
}

/* On a file that has a ring, or has none. True if one was made. */
bool call_setup(struct gen *g, struct hring *h, int fd, bool half,
		struct wsq_setup *s)
{
	struct attempt a;
	unsigned int n;

	*s = (struct wsq_setup) {
		.flags = PICK(&g->seed, 0, WSQ_SETUP_KEYS, WSQ_SETUP_IDS,
			      WSQ_SETUP_DISABLED),
		.sq_entries = 1U << rnd(&g->seed) % 7,
		.arena_size = rnd(&g->seed) % 20000,
	};
	for (n = PICK(&g->seed, 0, 1, 1, 2); n; n--) {
		switch (rnd(&g->seed) % 8) {
		case 0:
			s->flags ^= 1U << rnd(&g->seed) % 32;
			break;
		case 1:
			s->sq_entries = PICK(&g->seed, 0, 3, 128, 65536,
					     0x80000000, UINT32_MAX);
			break;
		case 2:
			s->cq_entries = PICK(&g->seed, 1, 3, 64, 256, 131072,
					     UINT32_MAX);
			break;
		case 3:
			s->arena_size = PICK(&g->seed, 0, 1, 4096, 4097,
					     world.q.max_arena + 1, 1ULL << 63,
					     UINT64_MAX - 4095, UINT64_MAX);
			break;
		case 4:
			s->ids_off = PICK(&g->seed, 1, 4096, UINT32_MAX);
			break;
		case 5:
			s->idle_us = PICK(&g->seed, 1, 1000000, 1000001,
					  UINT32_MAX);
			break;
		case 6:
			s->poll_fd = PICK(&g->seed, 1, fd, -1, 9999,
					  0x7fffffff);
			break;
		default:
			/* As large as possible, but not too often. */
			if (rnd(&g->seed) % 64)
				break;
			s->sq_entries = world.q.max_sq_entries;
		}
	}
	attempt_place(g, h, s, sizeof(*s), 56, &a);
	if (h)
		want_add(&a.refuse, EBUSY);
	if (half)
		want_add(&a.refuse, EBADF);
	if (s->ids_off || s->idle_us > 1000000 ||
	    !sizes_right(s->flags, s->sq_entries, s->cq_entries, s->arena_size))
		want_add(&a.refuse, EINVAL);
	if (s->idle_us && (s->flags & (WSQ_SETUP_POLL | WSQ_SETUP_POLL_SHARE)) !=
			  WSQ_SETUP_POLL)
		want_add(&a.refuse, EINVAL);
	if (s->flags & WSQ_SETUP_POLL_SHARE) {
		/* None of these is a polled ring. */
		want_add(&a.refuse, EINVAL);
		want_add(&a.refuse, EBADF);
	} else if (s->poll_fd) {
		want_add(&a.refuse, EINVAL);
	}
	want_add(&a.may, 0);
	if (s->sq_entries > 1024 || s->cq_entries > 1024)
		want_add(&a.may, ENOMEM);
	attempt_fill(g, s, sizeof(*s), &a);
	return !attempt_call(g, fd, WSQ_IOC_SETUP, &a, s, sizeof(*s), true);
}

/* An unknown command. */
void call_unknown(struct gen *g, int fd)
{
	unsigned int nr = WSQ_IOC_QUERY, cmd;
	struct want w = { 0 };

	do {
		switch (rnd(&g->seed) % 4) {
		case 0:
			cmd = nr + 8 + rnd(&g->seed) % 248;
			break;
		case 1:
			/* As if the number contained direction and size. */
			cmd = nr + rnd(&g->seed) % 8;
			cmd |= (1 + rnd(&g->seed) % 0xffff) << 16;
			break;
		case 2:
			cmd = (nr ^ 1U << (8 + rnd(&g->seed) % 8)) +
			      rnd(&g->seed) % 8;
			break;
		default:
			cmd = rnd(&g->seed);
		}
	} while (cmd - nr < 8);
	want_add(&w, ENOTTY);
	call(g, fd, cmd, some_address(g), &w);
}

/* A mapping, valid or with an error; unmapped at once. */
void call_mmap(struct gen *g, struct hring *h, int fd)
{
	const struct wsq_setup none = { 0 }, *s = h ? &h->r.s : &none;
	const uint64_t offs[] = { WSQ_OFF_RINGS, WSQ_OFF_SQES, WSQ_OFF_ARENA };
	const uint64_t lens[] = { s->rings_bytes, s->sqes_bytes, s->arena_bytes };
	unsigned int part = rnd(&g->seed) % 3, prot, flags;
	uint64_t off = offs[part], len = lens[part];
	bool right = len > 0;
	struct want w = { 0 };
	void *p;
	int err;

	prot = PICK(&g->seed, PROT_READ | PROT_WRITE, PROT_READ, PROT_WRITE,
		    PROT_NONE, PROT_READ | PROT_EXEC, 7);
	flags = rnd(&g->seed) % 8 ? MAP_SHARED : MAP_PRIVATE;
	if (rnd(&g->seed) % 2) {
		if (rnd(&g->seed) % 2)
			off = PICK(&g->seed, off + 1, off + PAGE, off - PAGE,
				   offs[rnd(&g->seed) % 3], 1ULL << 32,
				   1ULL << 62, 0 - PAGE, rnd(&g->seed));
		else
			len = PICK(&g->seed, 0, 1, len - PAGE, len + 1,
				   len + PAGE, 2 * len, lens[rnd(&g->seed) % 3],
				   1ULL << 48, 1ULL << 63, UINT64_MAX);
		right = false;
	}
	for (part = 0; !right && part < 3; part++)
		/* It may be valid at random. */
		right = off == offs[part] && lens[part] && len <= lens[part] &&
			len > lens[part] - PAGE;
	if (flags != MAP_SHARED || !right)
		want_add(&w, EINVAL);
	if (prot & PROT_EXEC) {
		want_add(&w, EACCES);
		/* On a file system that is mounted with noexec. */
		want_add(&w, EPERM);
	}
	/* Of a file that is open for reading or writing only. */
	if (!h)
		want_add(&w, EACCES);
	if (!right) {
		/* An offset that is too large for any file. */
		want_add(&w, EOVERFLOW);
		want_add(&w, ENOMEM);
	}
	p = (void *)syscall(SYS_mmap, NULL, len, prot, flags, fd, off);
	err = p == MAP_FAILED ? errno : 0;
	g->calls++;
	g->failed += !!err;
	if (!w.nr)
		want_add(&w, 0);
	if (!want_has(&w, err))
		FAIL("mmap of %#llx at %#llx, %#x, %#x: error %d",
		     (unsigned long long)len, (unsigned long long)off, prot,
		     flags, err);
	if (err)
		return;
	EXPECT_ERR(mprotect(p, len, PROT_READ | PROT_EXEC), EACCES);
	EXPECT(mremap(p, len, len + PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	EXPECT_ERR(munmap(p, len), 0);
	g->calls += 2;
}
