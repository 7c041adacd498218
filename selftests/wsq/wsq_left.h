/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the programs of selftests/wsq that watch processes end: a load that keeps
 * rings of all kinds busy until it ends, and checks that nothing is left then.
 */
#ifndef WSQ_LEFT_H
#define WSQ_LEFT_H

#include "wsq_poll.h"
#include "wsq_module.h"
#include "wsq_user.h"

#include <poll.h>
#include <pthread.h>

#define LOAD_ARENA	(2UL << 20)

/* Rings of a process with work in flight. */
enum load_kind {
	LOAD_PLAIN,
	LOAD_KEYS,
	LOAD_POLLED,
	LOAD_SHARED,		/* one that shares the thread of another */
	LOAD_SEVERAL,		/* one of each of these */
	LOAD_KINDS
};

struct load {
	enum load_kind kind;
	unsigned int nr;
	bool polled[4];
	struct ring r[4];
};

static inline void load_add(struct load *l, unsigned int flags,
			    const struct ring *other)
{
	struct ring *r = &l->r[l->nr];

	memset(r, 0, sizeof(*r));
	r->fd = dev_open();
	r->s.sq_entries = 64;
	r->s.arena_size = LOAD_ARENA;
	EXPECT_ERR(setup(r->fd, flags, 0, other ? other->fd : 0, &r->s), 0);
	ring_map(r);
	l->polled[l->nr++] = flags & WSQ_SETUP_POLL;
}

static inline void load_open(struct load *l, enum load_kind kind)
{
	bool all = kind == LOAD_SEVERAL;

	l->kind = kind;
	l->nr = 0;
	if (kind == LOAD_PLAIN || all)
		load_add(l, WSQ_SETUP_IDS, NULL);
	if (kind == LOAD_KEYS || all)
		load_add(l, WSQ_SETUP_KEYS, NULL);
	if (kind == LOAD_POLLED || kind == LOAD_SHARED || all)
		load_add(l, WSQ_SETUP_POLL, NULL);
	if (kind == LOAD_SHARED || all)
		load_add(l, SHARE | WSQ_SETUP_KEYS, &l->r[l->nr - 1]);
}

/* Long and short, linked, held back, late, and waiting for others of their key. */
static inline void load_entry(const struct ring *r, uint64_t *seed,
			      struct wsq_sqe *e)
{
	memset(e, 0, sizeof(*e));
	e->user_data = r->tail;
	switch (rnd(seed) % 4) {
	case 0:
		e->op = WSQ_OP_CRC32C;
		e->len = 1 + rnd(seed) % 4096;
		break;
	case 1:
		e->op = rnd(seed) % 2 ? WSQ_OP_SHA256 : WSQ_OP_COPY;
		e->len = 1 + rnd(seed) % (rnd(seed) % 8 ? 8192 : LOAD_ARENA / 4);
		e->dst = LOAD_ARENA / 2;
		break;
	default:
		break;
	}
	if (rnd(seed) % 4 == 0)
		e->flags |= WSQ_SQE_LINK;
	else if (rnd(seed) % 32 == 0)
		e->flags |= WSQ_SQE_DRAIN;
	if (r->s.flags & WSQ_SETUP_KEYS && rnd(seed) % 2) {
		e->flags |= WSQ_SQE_KEY;
		e->key = rnd(seed) % 4;
	}
	if (rnd(seed) % 8 == 0) {
		e->flags |= WSQ_SQE_DEADLINE;
		e->deadline = now_ns() + rnd(seed) % (20 * MSEC);
	}
}

static inline void load_push(struct load *l, unsigned int i, uint64_t *seed,
			     unsigned int n)
{
	struct ring *r = &l->r[i];
	struct wsq_sqe e;

	while (n-- && r->tail - taken(r) < r->s.sq_entries) {
		load_entry(r, seed, &e);
		ring_push(r, &e);
	}
	publish(r);
}

/* ENTER of a process that may be stopped and continued. */
static inline void load_enter(struct ring *r, bool polled, unsigned int submit,
			      unsigned int min, uint64_t timeout_ns)
{
	struct wsq_enter e = {
		.size = sizeof(e), .to_submit = submit, .min_complete = min,
		.flags = polled ? WSQ_ENTER_WAKEUP : 0,
		.timeout_ns = timeout_ns,
	};

	if (ioctl(r->fd, WSQ_IOC_ENTER, &e) && errno != EAGAIN &&
	    errno != ETIME && errno != EINTR)
		FAIL("ENTER: %s", strerror(errno));
}

/* Some work on one of the rings. */
static inline void load_step(struct load *l, uint64_t *seed)
{
	unsigned int i = rnd(seed) % l->nr;
	struct ring *r = &l->r[i];

	load_push(l, i, seed, 1 + rnd(seed) % 64);
	if (!l->polled[i] || asleep(r))
		load_enter(r, l->polled[i], l->polled[i] ? 0 : UINT32_MAX,
			   rnd(seed) % 2 ? rnd(seed) % 32 : 0,
			   rnd(seed) % (5 * MSEC));
	if (rnd(seed) % 16 == 0) {
		struct wsq_cancel c = {
			.size = sizeof(c), .flags = WSQ_CANCEL_ALL,
		};

		ioctl(r->fd, WSQ_IOC_CANCEL, &c);
	}
	while (ring_peek(r))
		ring_seen(r);
}

/* Waits for more completions than ever come at a time. */
static inline void *load_waiter(void *arg)
{
	struct load *l = arg;
	struct ring *r = &l->r[0];

	for (;;)
		load_enter(r, l->polled[0], 0, r->s.cq_entries, WSQ_NO_TIMEOUT);
	return NULL;
}

static inline void *load_poller(void *arg)
{
	struct load *l = arg;
	struct pollfd p = { .fd = l->r[l->nr - 1].fd, .events = POLLIN };

	for (;;)
		if (poll(&p, 1, 3) < 0 && errno != EINTR)
			FAIL("poll: %s", strerror(errno));
	return NULL;
}

static inline void load_thread(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	EXPECT(!pthread_create(&t, NULL, fn, arg));
}

/* A child at work; returns when it has begun. */
struct party {
	pid_t pid;
	int to, from;		/* pipes */
};

/* In the child: setup is done. */
static inline void party_ready(const struct party *p)
{
	EXPECT_EQ(write(p->to, "x", 1), 1);
}

static inline void party_start(struct party *p,
			       void (*fn)(struct party *p, uint64_t arg),
			       uint64_t arg)
{
	int up[2], down[2];
	char c;

	EXPECT_ERR(pipe2(up, O_CLOEXEC), 0);
	EXPECT_ERR(pipe2(down, O_CLOEXEC), 0);
	p->pid = fork();
	EXPECT(p->pid >= 0);
	if (!p->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(up[0]);
		close(down[1]);
		p->to = up[1];
		p->from = down[0];
		fn(p, arg);
		_exit(TEST_PASS);
	}
	close(up[1]);
	close(down[0]);
	p->to = down[1];
	p->from = up[0];
	EXPECT_EQ(read(p->from, &c, 1), 1);
}

static inline void party_over(struct party *p)
{
	close(p->to);
	close(p->from);
}

/* Keeps rings of a kind busy without end, with two threads beside. */
static inline void load_run(struct party *p, uint64_t kind)
{
	static struct load l;
	uint64_t seed = getpid() * 0x9e3779b97f4a7c15ULL | 1;

	load_open(&l, kind % LOAD_KINDS);
	load_thread(load_waiter, &l);
	load_thread(load_poller, &l);
	load_step(&l, &seed);
	party_ready(p);
	for (;;)
		load_step(&l, &seed);
}

/* No ring, none that counts for a user, no poller. */
static inline void expect_nothing(void)
{
	int fd;

	expect_rings(0);
	EVENTUALLY(pollers() == 0);
	fd = dev_open();
	expect_use(fd, 0, 0, 0);
	close(fd);
}

/* Also nothing that holds the module, which is loaded again afterwards. */
static inline void expect_nothing_left(void)
{
	uint64_t end = now_ns() + TIMEOUT_S;
	int ret;

	expect_loaded();
	expect_nothing();
	do {
		ret = module_unload();
	} while (ret == EWOULDBLOCK && now_ns() < end);
	EXPECT_EQ(ret, 0);
	EVENTUALLY(threads("wsq") == 0);
	EXPECT_EQ(module_load(), 0);
	expect_device();
	expect_usable();
}

#endif /* WSQ_LEFT_H */
