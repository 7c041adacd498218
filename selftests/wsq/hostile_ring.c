// SPDX-License-Identifier: GPL-2.0
/*
 * For hostile.c: rings that get hostile entries in batches, with hostile calls
 * between any two steps. No task is in flight when a batch begins; when it has
 * ended, the result of each entry is compared with the expected ones.
 *
 * A chain ends where the process lets it end, by to_submit or by sq_tail. Where
 * the thread of a polled ring finds sq_tail is not known; either result is
 * accepted there.
 */
#include "wsq_poll.h"
#include "wsq_hostile.h"

const struct kind kinds[NR_KINDS] = {
	{ "plain", 0, 64, 128, 1 << 16 },
	{ "keys", WSQ_SETUP_KEYS | WSQ_SETUP_IDS, 32, 32, 1 << 16 },
	{ "one", WSQ_SETUP_IDS, 1, 1, PAGE },
	{ "no arena", WSQ_SETUP_KEYS, 8, 16, 0 },
	{ "masked", WSQ_SETUP_DISABLED | WSQ_SETUP_KEYS | WSQ_SETUP_IDS, 16, 32,
	  1 << 14 },
	{ "polled", WSQ_SETUP_POLL | WSQ_SETUP_IDS, 32, 64, 1 << 16 },
	{ "shared", SHARE | WSQ_SETUP_KEYS, 16, 16, PAGE },
	{ "polled later", WSQ_SETUP_POLL | WSQ_SETUP_DISABLED, 8, 64, 1 << 13 },
	/* More than an op takes. */
	{ "large", WSQ_SETUP_IDS, 32, 64, 0x1001000 },
	{ "futures", WSQ_SETUP_FUTURES | WSQ_SETUP_KEYS | WSQ_SETUP_IDS, 32, 32,
	  1 << 16 },
};

void hring_open(struct hring *h, unsigned int kind, const struct hring *polled)
{
	const struct kind *k = &kinds[kind];
	struct ring *r = &h->r;

	free(h->named);
	memset(h, 0, offsetof(struct hring, lists));
	h->kind = kind;
	r->fd = dev_open();
	r->s.sq_entries = k->sq;
	r->s.cq_entries = k->cq;
	r->s.arena_size = k->arena;
	EXPECT_ERR(setup(r->fd, k->flags, (k->flags & SHARE) == WSQ_SETUP_POLL ?
			 100 : 0, k->flags & WSQ_SETUP_POLL_SHARE ?
			 polled->r.fd : 0, &r->s), 0);
	ring_map(r);
	h->polled = k->flags & WSQ_SETUP_POLL;
	h->disabled = k->flags & WSQ_SETUP_DISABLED;
	if (k->flags & WSQ_SETUP_FUTURES) {
		h->named = calloc(k->cq + 1, sizeof(*h->named));
		EXPECT(h->named);
	}
}

static void entry_notify(const struct hring *h, unsigned int i)
{
	const struct wsq_sqe *e = &h->tasks[i].sqe;

	dprintf(1, "# ring \"%s\", entry %u: op %u flags %#x hint %#x\n",
		kinds[h->kind].name, i, e->op, e->flags, e->hint);
	dprintf(1, "# src %#llx len %#llx dst %#llx arg %#llx\n",
		(unsigned long long)e->src, (unsigned long long)e->len,
		(unsigned long long)e->dst, (unsigned long long)e->arg);
	dprintf(1, "# key %#llx deadline %#llx: %s %lld\n",
		(unsigned long long)e->key, (unsigned long long)e->deadline,
		h->tasks[i].told ? "result" : "none, not",
		(long long)h->tasks[i].res);
}

#define EXPECT_ENTRY(cond, h, i) do {					\
	if (!(cond)) {							\
		if (i)							\
			entry_notify(h, (i) - 1);				\
		entry_notify(h, i);					\
		FAIL("not true: %s", #cond);				\
	}								\
} while (0)

static void batch_begin(struct gen *g, struct hring *h)
{
	uint64_t at = h->r.s.arena_bytes - LISTS_BYTES;
	unsigned int i;
	bool held;

	h->base = h->r.tail;
	h->salt = rnd(&g->seed);
	h->begun_ns = now_ns();
	h->steps = 0;
	h->pushed = 0;
	h->told = 0;
	h->lists_spoilt = false;
	h->most_cancelled = 0;
	h->nr = 1 + rnd(&g->seed) % BATCH;
	/* No task is in flight that could write there. */
	if (h->r.arena) {
		some_lists(h, &g->seed, h->lists);
		memcpy(h->r.arena + at, h->lists, LISTS_BYTES);
	}
	memset(h->tasks, 0, h->nr * sizeof(h->tasks[0]));
	held = h->r.s.arena_bytes > 16384 && rnd(&g->seed) % 16 == 0;
	for (i = 0; i < h->nr; i++) {
		struct wsq_sqe *e = &h->tasks[i].sqe;

		some_entry(h, &g->seed, e);
		/* Hold the others back for a while, for CANCEL to find. */
		if (held && i < 2)
			*e = (struct wsq_sqe) {
				.op = i ? WSQ_OP_NOP : WSQ_OP_SHA256,
				.flags = i ? WSQ_SQE_DRAIN : 0,
				.len = i ? 0 : 16384, .dst = i ? 0 : 16384,
			};
		e->user_data = h->salt ^ i;
		if (!refusal(h, e, false) && spoils(h, e))
			h->lists_spoilt = true;
	}
}

uint64_t hring_taken(struct hring *h)
{
	if (h->polled)
		h->taken = taken(&h->r);
	return h->taken;
}

static void push_some(struct gen *g, struct hring *h)
{
	unsigned int n = 1 + rnd(&g->seed) % 32;

	while (n-- && h->pushed < h->nr &&
	       h->r.tail - hring_taken(h) < h->r.s.sq_entries) {
		struct task *t = &h->tasks[h->pushed++];

		t->pushed_ns = now_ns();
		ring_push(&h->r, &t->sqe);
	}
	publish(&h->r);
}

/* The futures of an entry that is refused for no other reason. */
struct futures {
	bool waits;		/* for some */
	bool unnamed;		/* for one that no entry before it named */
	bool again;		/* it resolves one that an entry before it named */
};

static struct futures futures_of(const struct hring *h, const struct wsq_sqe *e)
{
	struct futures f = { 0 };
	unsigned int i;
	uint16_t nr;

	if (!(e->flags & WSQ_SQE_FUTURES))
		return f;
	f.again = h->named[e->deadline & 0xffff];
	for (i = 16; i < 64; i += 16) {
		nr = e->deadline >> i;
		f.waits |= nr;
		f.unnamed |= nr && !h->named[nr];
	}
	return f;
}

/* Whatever becomes of an entry, those behind it may wait for its future. */
static void name_future(struct hring *h, const struct wsq_sqe *e)
{
	uint16_t own = e->deadline;

	if (h->named && e->flags & WSQ_SQE_FUTURES && own &&
	    own <= h->r.s.cq_entries)
		h->named[own] = true;
}

/* Is the result of a task an expected one? */
static bool fits(const struct hring *h, unsigned int i, bool linked)
{
	const struct task *t = &h->tasks[i];
	int own = refusal(h, &t->sqe, linked);
	struct futures f;
	struct outcome o;

	if (own)
		return t->res == own;
	f = futures_of(h, &t->sqe);
	if (linked && t[-1].res < 0 && t->res == -ECANCELED)
		return true;
	if (f.unnamed)
		return t->res == -EINVAL;
	/* Is the task that resolves it still pending? */
	if (t->res == -EBUSY)
		return f.again;
	if (linked && t[-1].res < 0)
		return false;
	if (t->res == -ECANCELED)
		return t->cancelled || f.waits;
	task_outcome(h, t, &o);
	if (t->res < 0)
		return want_has(&o.err, -t->res);
	return o.done && t->res >= o.least && t->res <= o.most;
}

static bool fits_somehow(const struct hring *h, unsigned int i)
{
	bool linked = i && h->tasks[i - 1].sqe.flags & WSQ_SQE_LINK &&
		      !h->tasks[i].first;

	return fits(h, i, linked) || (linked && h->polled && fits(h, i, false));
}

static void batch_end(struct gen *g, struct hring *h)
{
	unsigned int i, cancelled = 0;

	for (i = 0; i < h->nr; i++) {
		EXPECT_ENTRY(fits_somehow(h, i), h, i);
		name_future(h, &h->tasks[i].sqe);
		cancelled += h->tasks[i].res == -ECANCELED;
	}
	EXPECT(cancelled >= h->most_cancelled);
	h->stale_id = h->id;
	g->entries += h->nr;
	call_ring_stats(g, h, h->r.fd);
	h->nr = 0;
}

static void reap(struct gen *g, struct hring *h)
{
	unsigned int n = rnd(&g->seed) % 64;
	struct wsq_cqe *cqe;

	while (n-- && (cqe = ring_peek(&h->r))) {
		uint64_t i = cqe->user_data ^ h->salt;
		struct task *t = &h->tasks[i];

		EXPECT(i < h->pushed);
		EXPECT_ENTRY(!t->told, h, i);
		EXPECT_ENTRY(h->polled || h->base + i < h->taken, h, i);
		EXPECT(cqe->cpu < world.q.nr_cpus);
		t->res = cqe->res;
		t->told = true;
		t->notified_ns = now_ns();
		h->told++;
		h->called_back += t->res == -ECANCELED;
		h->failed += t->res < 0 && t->res != -ECANCELED;
		ring_seen(&h->r);
	}
}

/* The kernel has taken @n entries at once. */
static void took(struct hring *h, uint64_t n)
{
	uint64_t k = h->taken, i = k - h->base;

	if (!n)
		return;
	h->taken += n;
	h->tasks[i].first = true;
	EXPECT_EQ(taken(&h->r), h->taken);
	for (; k < h->taken && h->r.s.ids_off; k++, i++) {
		bool linked = !h->tasks[i].first &&
			      h->tasks[i - 1].sqe.flags & WSQ_SQE_LINK;
		uint64_t id = ids_of(h)[k & (h->r.s.sq_entries - 1)];

		EXPECT_ENTRY(!id || !refusal(h, &h->tasks[i].sqe, linked), h, i);
		EXPECT_ENTRY(id || linked || (h->named && h->tasks[i].sqe.flags &
					      WSQ_SQE_FUTURES) ||
			     refusal(h, &h->tasks[i].sqe, linked), h, i);
	}
}

/* An invalid shared cursor. */
static void bend_cursors(struct gen *g, struct hring *h, struct wsq_enter *e)
{
	uint64_t sq = h->r.s.sq_entries, tail, head;

	if (rnd(&g->seed) % 2) {
		tail = PICK(&g->seed, h->r.tail + sq + 1, h->base - 1,
			    h->r.tail + (1ULL << 32) + sq, 1ULL << 63);
		__atomic_store_n(&h->r.page->sq_tail, tail, __ATOMIC_RELEASE);
		/* Otherwise the kernel does not look at it. */
		e->to_submit |= 1;
		return;
	}
	head = PICK(&g->seed, h->r.tail + 1, 1ULL << 63, UINT64_MAX,
		    h->synced ? h->synced - 1 : UINT64_MAX);
	__atomic_store_n(&h->r.page->cq_head, head, __ATOMIC_RELEASE);
}

/* An error of an ENTER; true if cursors were changed for it. */
static bool bend_enter(struct gen *g, struct hring *h, struct wsq_enter *e,
		       struct attempt *a)
{
	bool cursors = false;

	switch (rnd(&g->seed) % 3) {
	case 0:
		e->flags = PICK(&g->seed, 1, 2, 3, 0x80000000, UINT32_MAX);
		if (!h || !h->polled || e->flags != WSQ_ENTER_WAKEUP)
			want_add(&a->refuse, EINVAL);
		break;
	case 1:
		e->min_complete = PICK(&g->seed, 65537, UINT32_MAX,
				       h ? h->r.s.cq_entries + 1 : 0x80000000);
		want_add(&a->refuse, EINVAL);
		break;
	default:
		if (!h || g->loose)
			break;
		bend_cursors(g, h, e);
		want_add(&a->refuse, EINVAL);
		cursors = true;
	}
	return cursors;
}

/* How many of the first @n entries not taken form whole chains. */
static uint64_t whole_chains(const struct hring *h, uint64_t n)
{
	while (n && h->tasks[h->taken - h->base + n - 1].sqe.flags &
		    WSQ_SQE_LINK)
		n--;
	return n;
}

/* How many entries an ENTER takes, and its allowed results. */
static uint64_t enter_takes(struct hring *h, const struct wsq_enter *e,
			    struct attempt *a)
{
	uint64_t ready = h->r.tail - h->taken;
	uint64_t room = h->r.s.cq_entries - (h->taken - h->r.head), want, n;

	want = ready < e->to_submit ? ready : e->to_submit;
	n = want <= room ? want : whole_chains(h, room);
	if (want && !n)
		want_add(&a->may, EAGAIN);
	else if (n < want || !e->min_complete)
		want_add(&a->may, 0);
	else if (h->taken + n - h->r.head < e->min_complete)
		want_add(&a->may, ETIME);
	if (a->may.nr)
		return n;
	want_add(&a->may, 0);
	want_add(&a->may, ETIME);
	return n;
}

void call_enter(struct gen *g, struct hring *h, int fd, bool bend)
{
	uint64_t ready = h && !g->loose ? h->r.tail - h->taken : 4;
	struct wsq_enter e = {
		.to_submit = PICK(&g->seed, 0, 1, ready, ready, ready + 1,
				  rnd(&g->seed) % 64, UINT32_MAX),
		.min_complete = PICK(&g->seed, 0, 0, 1, 2, rnd(&g->seed) % 16),
		.timeout_ns = PICK(&g->seed, 0, 1, 1000, 10000, 100000,
				   rnd(&g->seed) % (2 * MSEC)),
		.submitted = rnd(&g->seed),
	};
	bool cursors = false;
	struct attempt a;
	uint64_t n = 0;
	int err;

	if (h && e.min_complete > h->r.s.cq_entries)
		e.min_complete = h->r.s.cq_entries;
	attempt_place(g, h, &e, sizeof(e), sizeof(e), &a);
	need_ring(h, &a);
	if (bend)
		cursors = bend_enter(g, h, &e, &a);
	if (h && h->disabled)
		want_add(&a.refuse, EBADFD);
	if (h && !h->polled && !g->loose) {
		n = enter_takes(h, &e, &a);
	} else if (h) {
		want_add(&a.may, 0);
		want_add(&a.may, EAGAIN);
		want_add(&a.may, ETIME);
	}
	attempt_fill(g, &e, sizeof(e), &a);
	err = attempt_call(g, fd, WSQ_IOC_ENTER, &a, &e, sizeof(e), true);
	if (g->loose || !h) {
		if (h && !a.unread.nr && !a.deaf && a.p >= g->args &&
		    a.p < g->args + ARGS_END)
			g->submitted += e.submitted;
		return;
	}
	if (cursors) {
		publish(&h->r);
		__atomic_store_n(&h->r.page->cq_head, h->r.head,
				 __ATOMIC_RELEASE);
	}
	if (!takes_effect(&a)) {
		EXPECT(a.unread.nr || a.deaf || !e.submitted);
		return;
	}
	if (!err || err == ETIME || err == EAGAIN)
		h->synced = h->r.head;
	if (h->polled)
		return;
	took(h, n);
	EXPECT(a.deaf || e.submitted == n);
	EXPECT(a.deaf || e.completed <= h->taken - h->r.head);
}

/* Submits everything and waits for it; lost entries would be missing then. */
static void flush(struct gen *g, struct hring *h)
{
	uint64_t there = h->r.tail - h->r.head;
	struct wsq_enter e = {
		.size = sizeof(e),
		.flags = h->polled ? WSQ_ENTER_WAKEUP : 0,
		.to_submit = UINT32_MAX,
		.min_complete = there < h->r.s.cq_entries ? there :
				h->r.s.cq_entries,
		.timeout_ns = TIMEOUT_S,
	};
	struct attempt a = { 0 };
	uint64_t n = 0;
	int err;

	if (h->polled) {
		want_add(&a.may, 0);
		want_add(&a.may, EAGAIN);
	} else {
		n = enter_takes(h, &e, &a);
	}
	err = call(g, h->r.fd, WSQ_IOC_ENTER, &e, &a.may);
	if (err == ETIME)
		FAIL("ring \"%s\": %u of %llu completions at last",
		     kinds[h->kind].name, e.completed,
		     (unsigned long long)there);
	h->synced = h->r.head;
	if (!h->polled) {
		EXPECT_EQ(e.submitted, n);
		took(h, n);
	}
}

/* A separate file, which may not be usable. */
static void call_file(struct gen *g)
{
	static const int modes[] = { O_RDWR, O_RDWR, O_RDWR, O_RDONLY, O_WRONLY };
	int mode = modes[rnd(&g->seed) % ARRAY_SIZE(modes)], fd;
	unsigned int n = 1 + rnd(&g->seed) % 4;
	struct wsq_setup s;
	struct ring r;

	fd = open(WSQ_DEVICE, mode | O_CLOEXEC);
	EXPECT(fd >= 0);
	while (n--) {
		switch (rnd(&g->seed) % 8) {
		case 0:
			call_enter(g, NULL, fd, rnd(&g->seed) % 2);
			break;
		case 1:
			call_cancel(g, NULL, fd);
			break;
		case 2:
			call_restrict(g, NULL, fd);
			break;
		case 3:
			call_enable(g, NULL, fd);
			break;
		case 4:
			call_ring_stats(g, NULL, fd);
			break;
		case 5:
			call_mmap(g, NULL, fd);
			break;
		default:
			if (!call_setup(g, NULL, fd, mode != O_RDWR, &s))
				break;
			/* It works, and is closed with work in flight. */
			n = 0;
			if (s.flags & WSQ_SETUP_DISABLED || s.size < sizeof(s))
				break;
			memset(&r, 0, sizeof(r));
			r.fd = fd;
			r.s = s;
			ring_map(&r);
			ring_push_nop(&r, 1);
			EXPECT_EQ(ring_enter(&r, 1, 0, 0), 0);
			ring_unmap(&r);
		}
	}
	close(fd);
}

/* Calls on numbers that are no open file, or another kind of file. */
static void call_wrong(struct gen *g)
{
	struct want w = { 0 };
	int fds[2];

	EXPECT_ERR(pipe2(fds, O_CLOEXEC), 0);
	want_add(&w, ENOTTY);
	call(g, fds[0], WSQ_IOC_QUERY + rnd(&g->seed) % 8, g->room, &w);
	close(fds[0]);
	close(fds[1]);
	w.nr = 0;
	want_add(&w, EBADF);
	call(g, fds[0], WSQ_IOC_QUERY + rnd(&g->seed) % 8, g->room, &w);
	call(g, -1, WSQ_IOC_QUERY + rnd(&g->seed) % 8, g->room, &w);
}

/* Any call but ENTER. */
void call_any(struct gen *g, struct hring *h)
{
	struct wsq_setup s;
	int fd = h->r.fd;

	switch (rnd(&g->seed) % 24) {
	case 0 ... 7:
		call_cancel(g, h, fd);
		break;
	case 8:
	case 9:
		call_restrict(g, h, fd);
		break;
	case 10:
	case 11:
		call_enable(g, h, fd);
		break;
	case 12 ... 14:
		call_ring_stats(g, h, fd);
		break;
	case 15:
	case 16:
		call_query(g, h, fd);
		break;
	case 17:
		call_stats(g, h, fd);
		break;
	case 18:
	case 19:
		EXPECT(!call_setup(g, h, fd, false, &s));
		break;
	case 20:
		call_unknown(g, fd);
		break;
	case 21:
		call_mmap(g, h, fd);
		break;
	case 22:
		/* Another thread may reuse the number of a closed file. */
		if (!g->loose)
			call_wrong(g);
		break;
	default:
		call_file(g);
	}
}

/* The next step with a ring. */
void step(struct gen *g, struct hring *h)
{
	if (!h->nr)
		batch_begin(g, h);
	push_some(g, h);
	if (h->disabled && rnd(&g->seed) % 64 == 0) {
		struct want w = { .nr = 1 };

		call(g, h->r.fd, WSQ_IOC_ENABLE, NULL, &w);
		h->disabled = false;
	}
	switch (rnd(&g->seed) % 8) {
	case 0:
		call_enter(g, h, h->r.fd, true);
		break;
	case 1:
	case 2:
		call_any(g, h);
		break;
	default:
		call_enter(g, h, h->r.fd, false);
	}
	if (++h->steps > 6 && !h->disabled)
		flush(g, h);
	reap(g, h);
	if (h->told == h->nr)
		batch_end(g, h);
}
