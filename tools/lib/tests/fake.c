// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * A wsq module made of threads; see fake.h.
 *
 * Shared cursors and seq are accessed as the kernel does (acquire and release),
 * all private state under one mutex per ring. So the thread sanitizer checks
 * the library's half of the protocol. The counters of STATS are in memory
 * shared with children.
 */
#include <nettle/sha2.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"
#include "sys.h"

#include "../../../selftests/wsq/wsq_rules.h"

#define FAKE_FD0	1000
#define FAKE_FDS	64
#define FAKE_CPUS	64

struct task {
	struct wsq_sqe sqe;
	__u64 number;
	__u64 after;		/* a drain: so many have to end before */
	__u64 turn;		/* of those with keys, which is this */
	__u64 futures[3];	/* tasks it waits for, by their number + 1 */
	int refused;
	bool linked;		/* to the one before it */
	struct timespec at;
	bool cancelled;
};

struct fake_ring {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	pthread_t *threads;
	unsigned int nr_threads, rank;	/* how many there are, and have begun */
	bool dead, setup, disabled, keys, polled;
	bool awake;		/* the poller; its flag says the opposite */
	pthread_t poller;
	__u32 only;		/* one more than the op that is allowed; 0: all */
	struct wsq_ring_page *page;
	__u64 *ids;
	struct wsq_cqe *cqes;
	struct wsq_sqe *sqes;
	char *arena;
	__u32 sq_entries, cq_entries;
	__u64 arena_bytes, rings_bytes, sqes_bytes;
	__u64 head;		/* SQ entries taken */
	__u64 reserved;		/* completion slots promised: equals head */
	__u64 given;		/* completion slots used */
	__u64 cancelled, failed;	/* of these */
	__u64 ended;		/* tasks, told of or not */
	__u64 barrier;		/* of the last drain: what @after is for others */
	__u64 turns, turn;	/* of tasks with keys: given, and whose it is */
	bool *over, *well;	/* of task n, at n % kept */
	__u64 kept;
	__u64 *futures;		/* the last task to resolve each, likewise */
	__u32 nr_futures;
	struct task *queue;
	__u64 q_put, q_get;
	unsigned int mmaps;
};

struct fake_cfg fake_cfg = { .threads = 2, .cpus = 4 };
unsigned int fake_enters;
int fake_live;

static pthread_mutex_t fds_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_ring *fds[FAKE_FDS];
static struct wsq_cpu_stats *shared_stats;
static unsigned int *shared_taken;

static unsigned long op_max(unsigned int op)
{
	if (op != WSQ_OP_SHA256)
		return wsq_rules[op].max;
	return fake_cfg.no_sha ? 0 : fake_cfg.sha_max ?: WSQ_RULE_MOST;
}

static __u32 crc32c(__u32 crc, const unsigned char *p, __u64 n)
{
	int k;

	crc = ~crc;
	while (n--) {
		crc ^= *p++;
		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (0x82f63b78 & -(crc & 1));
	}
	return ~crc;
}

static int number_compare(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

static bool a_cpu(__u32 nr)
{
	return nr < fake_cfg.cpus;
}

static bool a_node(__u32 nr)
{
	return nr < 2;
}

/* Knows the list length that the entry gives; no test needs more. */
static __s64 task_check(struct fake_ring *r, const struct wsq_sqe *s)
{
	const struct wsq_rule_ring ring = {
		.arena_bytes = r->arena_bytes, .keys = r->keys,
		.futures = r->nr_futures,
		.cpu = a_cpu, .node = a_node,
	};
	struct wsq_rule rule;

	if (s->op >= WSQ_OP_NR || (s->op && !op_max(s->op)))
		return -EOPNOTSUPP;
	if (r->only && s->op != r->only - 1)
		return -EPERM;
	rule = wsq_rules[s->op];
	rule.max = op_max(s->op);
	return wsq_rule_sqe(&rule, s, &ring);
}

static __s64 task_run(struct fake_ring *r, const struct task *t)
{
	const struct wsq_sqe *s = &t->sqe;
	__s64 ret = task_check(r, s);
	struct sha256_ctx ctx;
	struct sha512_ctx ctx512;
	char *src = (void *)(r->arena + s->src), *dst = (void *)(r->arena + s->dst);
	struct timespec now;
	__u64 i;

	if (fake_cfg.delay_us)
		usleep(fake_cfg.delay_us);
	if (ret)
		return ret;
	if (t->refused)
		return t->refused;
	if (t->cancelled)
		return -ECANCELED;
	if (s->flags & WSQ_SQE_DEADLINE) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (s->deadline < now.tv_sec * 1000000000ULL + now.tv_nsec)
			return -ETIME;
	}
	if (fake_cfg.fail_nth && (t->number + 1) % fake_cfg.fail_nth == 0)
		return -EIO;
	if (s->flags & WSQ_SQE_VEC)
		return s->len;
	switch (s->op) {
	case WSQ_OP_FILL:
		for (i = 0; i < s->len; i++)
			dst[i] = s->arg >> 8 * (i % 8);
		return s->len;
	case WSQ_OP_COMPARE:
		for (i = 0; i < s->len && src[i] == dst[i]; i++)
			;
		return i;
	case WSQ_OP_XOR:
		for (i = 0; i < s->len; i++)
			dst[i] ^= src[i];
		return s->len;
	case WSQ_OP_XXHASH64:
		/* Not the real hash; depends on the seed and every byte. */
		for (i = 0; i < 8; i++)
			dst[i] = s->arg >> 8 * i;
		for (i = 0; i < s->len; i++)
			dst[i % 8] += src[i];
		return 8;
	case WSQ_OP_SHA512:
		sha512_init(&ctx512);
		sha512_update(&ctx512, s->len, (void *)src);
		sha512_digest(&ctx512, 64, (void *)dst);
		return 64;
	case WSQ_OP_FSVERITY:
		/* Not the real tree. */
		memset(dst, src[s->len - 1], 64);
		return 64;
	case WSQ_OP_SORT64:
		memcpy(dst, src, s->len);
		qsort(dst, s->len / 8, 8, number_compare);
		return s->len;
	case WSQ_OP_GZIP:	/* not compressed either */
	case WSQ_OP_COPY:
		memcpy(dst, src, s->len);
		return s->len;
	case WSQ_OP_CRC32C:
		return crc32c(s->arg, (void *)src, s->len);
	case WSQ_OP_SHA256:
		sha256_init(&ctx);
		sha256_update(&ctx, s->len, (void *)src);
		sha256_digest(&ctx, 32, (void *)dst);
		if (fake_cfg.wrong && s->len % fake_cfg.wrong == 0)
			r->arena[s->dst] ^= 1;
		return 32;
	}
	return 0;
}

static void cqe_store(struct fake_ring *r, __u64 n, const struct task *t,
		      __s64 res, unsigned int cpu, __u64 wait)
{
	struct wsq_cqe *c = &r->cqes[n & (r->cq_entries - 1)];

	c->user_data = t->sqe.user_data;
	c->res = res;
	c->wait_ns = wait;
	c->cpu = cpu;
	__atomic_store_n(&c->seq, (__u32)(n / r->cq_entries) + 1,
			 __ATOMIC_RELEASE);
}

/* Are all that @t is linked to, or waits for, in the set @of? */
static bool all_before(struct fake_ring *r, const struct task *t, const bool *of)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (t->futures[i] && !of[(t->futures[i] - 1) % r->kept])
			return false;
	return !t->linked || of[(t->number - 1) % r->kept];
}

/*
 * Whether @t has to wait for others. Those were dequeued before it, so some
 * thread runs them. All keys count as one, which orders more than necessary.
 */
static bool must_wait(struct fake_ring *r, const struct task *t)
{
	return r->ended < t->after || !all_before(r, t, r->over) ||
	       (t->sqe.flags & WSQ_SQE_KEY && r->turn != t->turn);
}

/* Runs the oldest task. Called, and returns, with the lock held. */
static void run_one(struct fake_ring *r, unsigned int cpu)
{
	static struct task kept;
	static __s64 kept_res;
	struct task t = r->queue[r->q_get++ % r->cq_entries];
	struct timespec now;
	__u64 n, wait;
	__s64 res;

	clock_gettime(CLOCK_MONOTONIC, &now);
	wait = (now.tv_sec - t.at.tv_sec) * 1000000000LL + now.tv_nsec -
	       t.at.tv_nsec;
	while (must_wait(r, &t))
		pthread_cond_wait(&r->done, &r->lock);
	t.cancelled |= !all_before(r, &t, r->well);
	pthread_mutex_unlock(&r->lock);
	res = task_run(r, &t);
	pthread_mutex_lock(&r->lock);
	r->over[t.number % r->kept] = true;
	r->well[t.number % r->kept] = res >= 0;
	r->ended++;
	r->turn += !!(t.sqe.flags & WSQ_SQE_KEY);
	pthread_cond_broadcast(&r->done);
	__atomic_fetch_add(&shared_stats[cpu].gets, 1, __ATOMIC_RELAXED);
	if (cpu & 1)
		__atomic_fetch_add(&shared_stats[cpu].steals[t.number & 3], 1,
				   __ATOMIC_RELAXED);
	if (fake_cfg.lose && t.number + 1 == fake_cfg.lose)
		return;
	n = r->given++;
	r->cancelled += res == -ECANCELED;
	r->failed += res < 0 && res != -ECANCELED;
	if (fake_cfg.swap && n == 0) {
		kept = t;
		kept_res = res;
		return;
	}
	cqe_store(r, n, &t, res, cpu, wait);
	if (fake_cfg.swap && n == 1)
		cqe_store(r, 0, &kept, kept_res, cpu, wait);
	__atomic_store_n(&r->page->cq_tail, r->given, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&r->done);
}

static void *worker(void *arg)
{
	struct fake_ring *r = arg;
	unsigned int cpu;

	pthread_mutex_lock(&r->lock);
	cpu = r->rank++ % fake_cfg.cpus;
	pthread_cond_broadcast(&r->done);
	while (!r->dead) {
		if (fake_cfg.hold || r->q_get == r->q_put)
			pthread_cond_wait(&r->work, &r->lock);
		else
			run_one(r, cpu);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static void *anon(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static struct fake_ring *ring_of(int fd)
{
	struct fake_ring *r;

	if (fd < FAKE_FD0 || fd >= FAKE_FD0 + FAKE_FDS)
		return NULL;
	pthread_mutex_lock(&fds_lock);
	r = fds[fd - FAKE_FD0];
	pthread_mutex_unlock(&fds_lock);
	return r;
}

/* Number of completion entries that can be read from @from on. */
static __u32 ready_from(struct fake_ring *r, __u64 from)
{
	__u32 i;

	for (i = 0; i < r->cq_entries; i++) {
		__u64 n = from + i;

		if (__atomic_load_n(&r->cqes[n & (r->cq_entries - 1)].seq,
				    __ATOMIC_ACQUIRE) !=
		    (__u32)(n / r->cq_entries) + 1)
			break;
	}
	return i;
}

/* Which tasks @t waits for, and which future it resolves. */
static void take_futures(struct fake_ring *r, struct task *t)
{
	__u64 nr = t->sqe.deadline & 0xffff, last;
	unsigned int i;

	memset(t->futures, 0, sizeof(t->futures));
	t->refused = (int)task_check(r, &t->sqe);
	if (!(t->sqe.flags & WSQ_SQE_FUTURES) || nr > r->nr_futures)
		return;
	for (i = 0; i < 3 && !t->refused; i++) {
		__u64 after = t->sqe.deadline >> 16 * (i + 1) & 0xffff;

		t->futures[i] = after ? r->futures[after] : 0;
		if (after && !t->futures[i])
			t->refused = -EINVAL;
	}
	last = r->futures[nr];
	if (!t->refused && last && !r->over[(last - 1) % r->kept])
		t->refused = -EBUSY;
	else if (nr)
		r->futures[nr] = t->number + 1;
}

/* How many of @n entries are taken: if there is no @room for all, whole chains. */
static __u64 whole_chains(const struct fake_ring *r, __u64 n, __u64 room)
{
	if (n <= room)
		return n;
	while (room && r->sqes[(r->head + room - 1) & (r->sq_entries - 1)].flags &
		       WSQ_SQE_LINK)
		room--;
	return room;
}

static int take(struct fake_ring *r, struct wsq_enter *e, __u64 cq_head,
		__u64 tail)
{
	__u64 want = tail - r->head, n;
	bool linked = false;

	if (want > e->to_submit)
		want = e->to_submit;
	if (fake_cfg.take_max && want > fake_cfg.take_max)
		want = fake_cfg.take_max;
	n = whole_chains(r, want, r->cq_entries - (r->reserved - cq_head));
	while (e->submitted < n) {
		struct task *t = &r->queue[r->q_put % r->cq_entries];

		t->sqe = r->sqes[r->head & (r->sq_entries - 1)];
		t->number = r->q_put++;
		t->cancelled = false;
		t->linked = linked;
		linked = t->sqe.flags & WSQ_SQE_LINK;
		t->after = r->barrier;
		if (t->sqe.flags & WSQ_SQE_DRAIN) {
			t->after = t->number;
			r->barrier = t->number + 1;
		}
		if (t->sqe.flags & WSQ_SQE_KEY)
			t->turn = r->turns++;
		r->over[t->number % r->kept] = false;
		take_futures(r, t);
		if (r->ids)
			r->ids[r->head & (r->sq_entries - 1)] = t->number + 1;
		clock_gettime(CLOCK_MONOTONIC, &t->at);
		r->head++;
		r->reserved++;
		e->submitted++;
		__atomic_fetch_add(&shared_stats[t->number % fake_cfg.cpus].puts,
				   1, __ATOMIC_RELAXED);
		if (__atomic_add_fetch(shared_taken, 1, __ATOMIC_RELAXED) ==
		    fake_cfg.die_after)
			raise(SIGKILL);
	}
	/* A polling thread may lose its CPU before it stores sq_head. */
	if (!fake_cfg.late_head || !r->polled)
		__atomic_store_n(&r->page->sq_head, r->head, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&r->work);
	return want && !e->submitted ? -EAGAIN : (e->submitted < want);
}

static void poller_flag(struct fake_ring *r, bool awake)
{
	r->awake = awake;
	__atomic_store_n(&r->page->flags, awake ? 0 : WSQ_RING_NEED_WAKEUP,
			 __ATOMIC_SEQ_CST);
}

/* Takes entries while awake; sleeps after a number of vain looks. */
static void *poller(void *arg)
{
	struct fake_ring *r = arg;
	unsigned int vain = 0;

	pthread_mutex_lock(&r->lock);
	r->rank++;
	pthread_cond_broadcast(&r->done);
	while (!r->dead) {
		struct wsq_enter e = { .to_submit = r->sq_entries };

		if (r->awake && !r->disabled &&
		    !__atomic_load_n(&fake_cfg.no_cpu, __ATOMIC_RELAXED)) {
			__u64 tail = __atomic_load_n(&r->page->sq_tail,
						     __ATOMIC_SEQ_CST);
			__u64 head = __atomic_load_n(&r->page->cq_head,
						     __ATOMIC_ACQUIRE);

			if (tail != r->head)
				__atomic_store_n(&r->page->sq_head, r->head,
						 __ATOMIC_RELEASE);
			take(r, &e, head, tail);
			vain = e.submitted ? 0 : vain + 1;
			if (vain == 1000)
				poller_flag(r, false);
			else if (vain > 1000)
				vain = 0;
		}
		/* Announce the sleep, then look once more: above. */
		if (!r->awake && vain == 1000) {
			__u64 tail = __atomic_load_n(&r->page->sq_tail,
						     __ATOMIC_SEQ_CST);

			vain = 0;
			if (tail != r->head)
				poller_flag(r, true);
		}
		pthread_mutex_unlock(&r->lock);
		sched_yield();
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static int do_setup(struct fake_ring *r, struct wsq_setup *s)
{
	unsigned int i;

	if (s->size != sizeof(*s) || s->ids_off ||
	    s->flags & ~(WSQ_SETUP_DISABLED | WSQ_SETUP_IDS | WSQ_SETUP_KEYS |
			 WSQ_SETUP_POLL | WSQ_SETUP_POLL_SHARE |
			 WSQ_SETUP_FUTURES))
		return -EINVAL;
	/* Each ring has its own thread nevertheless. */
	if (s->flags & WSQ_SETUP_POLL_SHARE) {
		struct fake_ring *other = ring_of(s->poll_fd);

		if (!(s->flags & WSQ_SETUP_POLL) || (other && !other->polled))
			return -EINVAL;
		if (!other)
			return -EBADF;
	}
	if (r->setup)
		return -EBUSY;
	if (fake_cfg.setup_err)
		return fake_cfg.setup_err;
	if (fake_cfg.no_poll && s->flags & WSQ_SETUP_POLL)
		return -EPERM;
	if (!s->cq_entries)
		s->cq_entries = 2 * s->sq_entries;
	if (!s->sq_entries || (s->sq_entries & (s->sq_entries - 1)) ||
	    (s->cq_entries & (s->cq_entries - 1)) ||
	    s->cq_entries < s->sq_entries)
		return -EINVAL;
	s->cqes_off = sizeof(struct wsq_ring_page);
	s->rings_bytes = s->cqes_off + s->cq_entries * sizeof(struct wsq_cqe);
	if (s->flags & WSQ_SETUP_IDS) {
		s->ids_off = (__u32)s->rings_bytes;
		s->rings_bytes += s->sq_entries * sizeof(__u64);
	}
	r->disabled = s->flags & WSQ_SETUP_DISABLED;
	r->keys = s->flags & WSQ_SETUP_KEYS;
	r->polled = s->flags & WSQ_SETUP_POLL;
	s->rings_bytes = (s->rings_bytes + 4095) & ~4095ULL;
	s->sqes_bytes = (s->sq_entries * 64ULL + 4095) & ~4095ULL;
	s->arena_bytes = (s->arena_size + 4095) & ~4095ULL;
	r->sq_entries = s->sq_entries;
	r->cq_entries = s->cq_entries;
	r->arena_bytes = s->arena_bytes;
	r->rings_bytes = s->rings_bytes;
	r->sqes_bytes = s->sqes_bytes;
	r->page = anon(s->rings_bytes);
	r->cqes = (void *)((char *)r->page + s->cqes_off);
	r->ids = s->ids_off ? (void *)((char *)r->page + s->ids_off) : NULL;
	r->sqes = anon(s->sqes_bytes);
	r->arena = s->arena_bytes ? anon(s->arena_bytes) : NULL;
	r->queue = calloc(r->cq_entries, sizeof(*r->queue));
	r->kept = 16ULL * r->cq_entries;
	r->over = calloc(r->kept, sizeof(*r->over));
	r->well = calloc(r->kept, sizeof(*r->well));
	r->nr_futures = s->flags & WSQ_SETUP_FUTURES ? r->cq_entries : 0;
	r->futures = calloc(r->cq_entries + 1ULL, sizeof(*r->futures));
	r->setup = true;
	r->nr_threads = fake_cfg.threads;
	r->threads = calloc(r->nr_threads + 1, sizeof(*r->threads));
	for (i = 0; i < r->nr_threads; i++)
		pthread_create(&r->threads[i], NULL, worker, r);
	if (r->polled) {
		poller_flag(r, false);
		pthread_create(&r->poller, NULL, poller, r);
	}
	/*
	 * Wait until the threads run. A starting thread allocates under a lock
	 * of the address sanitizer, and fork() copies that lock in whatever
	 * state it is: programs that have a ring and fork would hang.
	 */
	while (r->rank < r->nr_threads + r->polled)
		pthread_cond_wait(&r->done, &r->lock);
	return 0;
}

static int do_enter(struct fake_ring *r, struct wsq_enter *e)
{
	__u64 tail, cq_head;
	struct timespec end;
	int ret;

	if (e->size != sizeof(*e) || e->flags & ~WSQ_ENTER_WAKEUP ||
	    (e->flags && !r->polled) || !r->setup ||
	    e->min_complete > r->cq_entries)
		return -EINVAL;
	if (r->disabled)
		return -EBADFD;
	tail = __atomic_load_n(&r->page->sq_tail, __ATOMIC_ACQUIRE);
	cq_head = __atomic_load_n(&r->page->cq_head, __ATOMIC_ACQUIRE);
	if (tail - r->head > r->sq_entries || cq_head > r->given)
		return -EINVAL;
	e->submitted = 0;
	ret = take(r, e, cq_head, tail);
	if (e->flags)
		poller_flag(r, true);
	if (ret < 0)
		return ret;
	if (ret)
		goto out;

	clock_gettime(CLOCK_REALTIME, &end);
	if (e->timeout_ns != WSQ_NO_TIMEOUT) {
		end.tv_nsec += e->timeout_ns % 1000000000;
		end.tv_sec += e->timeout_ns / 1000000000 +
			      end.tv_nsec / 1000000000;
		end.tv_nsec %= 1000000000;
	} else {
		end.tv_sec += 1000000;
	}
	while (ready_from(r, cq_head) < e->min_complete) {
		ret = fake_cfg.enter_err;
		if (ret) {
			fake_cfg.enter_err = 0;
			return ret;
		}
		if (!e->timeout_ns)
			return -ETIME;
		if (!r->nr_threads && !fake_cfg.hold && r->q_get != r->q_put)
			run_one(r, 0);
		else if (pthread_cond_timedwait(&r->done, &r->lock, &end) ==
			 ETIMEDOUT)
			return -ETIME;
	}
	ret = 0;
out:
	e->completed = ready_from(r, cq_head);
	return 0;
}

static int do_query(struct wsq_query *q)
{
	struct wsq_op_info *info = (void *)(uintptr_t)q->ops;
	__u32 i;

	/* Version 1 had no setup flags, version 2 no limits. */
	if (q->size != sizeof(*q) &&
	    q->size != offsetof(struct wsq_query, setup_flags) &&
	    q->size != offsetof(struct wsq_query, max_user_rings))
		return -EINVAL;
	if (q->size > offsetof(struct wsq_query, setup_flags) &&
	    (q->setup_flags & ~3U || q->rsv))
		return -EINVAL;
	for (i = 0; info && i < q->nr_ops && i < WSQ_OP_NR; i++) {
		memset(&info[i], 0, sizeof(info[i]));
		info[i].op = i;
		info[i].max_len = op_max(i);
		info[i].flags = op_max(i) ? WSQ_OPF_VEC : 0;
		strcpy(info[i].name, wsq_rules[i].name);
	}
	q->nr_ops = WSQ_OP_NR;
	q->features = WSQ_FEAT_TIMEOUT | WSQ_FEAT_STATS;
	q->max_sq_entries = 4096;
	q->max_cq_entries = 8192;
	q->max_arena = 256 << 20;
	q->nr_cpus = fake_cfg.cpus;
	q->nr_nodes = 2;
	q->memory = q->sq_entries ? 8192 + q->arena_size : 0;
	if (q->size == sizeof(*q)) {
		q->max_user_rings = 256;
		q->max_user_tasks = 1 << 20;
		q->max_user_memory = 1 << 30;
		q->user_rings = 3;
		q->user_tasks = 48;
		q->user_memory = 12288;
	}
	return 0;
}

static int do_ring_stats(struct fake_ring *r, struct wsq_ring_stats *st)
{
	if (st->size != sizeof(*st) || st->rsv || !r->setup)
		return -EINVAL;
	st->submitted = r->head;
	st->completed = r->given;
	st->cancelled = r->cancelled;
	st->failed = r->failed;
	st->run_ns = 1000 * r->given;
	st->memory = r->rings_bytes + r->sqes_bytes + r->arena_bytes;
	return 0;
}

static int do_stats(struct wsq_stats *st)
{
	char *to = (void *)(uintptr_t)st->cpus;
	__u32 i, room = st->cpu_stats_size;
	static unsigned int calls;

	if (st->size != sizeof(*st) || st->cpu_stats_size < 88 || st->rsv)
		return -EINVAL;
	if (fake_cfg.stats_fail && ++calls >= fake_cfg.stats_fail)
		return -ENODEV;
	for (i = 1; fake_cfg.stats_move && i < fake_cfg.cpus; i++) {
		shared_stats[i].puts += 10 * i;
		shared_stats[i].inbox += 5 * i;
		shared_stats[i].gets += 10 * i;
		shared_stats[i].steals[WSQ_DIST_NODE] += i;
		shared_stats[i].standbys++;
		shared_stats[i].fences += 2;
	}
	for (i = 0; to && i < st->nr_cpus && i < fake_cfg.cpus; i++) {
		struct wsq_cpu_stats c = shared_stats[i];

		c.cpu = i;
		c.node = i >= fake_cfg.cpus / 2;
		c.flags = WSQ_CPU_ONLINE | WSQ_CPU_WORKER;
		memset(to, 0, room);
		memcpy(to, &c, room < sizeof(c) ? room : sizeof(c));
		to += room;
	}
	st->nr_cpus = fake_cfg.cpus;
	st->rings = 1;
	st->queues = 1;
	st->workers = fake_cfg.cpus;
	return 0;
}

static int fake_open(const char *path)
{
	struct fake_ring *r;
	int i;

	(void)path;
	if (fake_cfg.open_err)
		return fake_cfg.open_err;
	r = calloc(1, sizeof(*r));
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->work, NULL);
	pthread_cond_init(&r->done, NULL);
	pthread_mutex_lock(&fds_lock);
	for (i = 0; i < FAKE_FDS && fds[i]; i++)
		;
	if (i < FAKE_FDS)
		fds[i] = r;
	pthread_mutex_unlock(&fds_lock);
	if (i == FAKE_FDS) {
		free(r);
		return -EMFILE;
	}
	__atomic_fetch_add(&fake_live, 1, __ATOMIC_RELAXED);
	return FAKE_FD0 + i;
}

/* Tasks still queued. The id of a fake ring's task is its number plus one. */
static int do_cancel(struct fake_ring *r, struct wsq_cancel *c)
{
	__u64 k;

	if (c->size != sizeof(*c) || !r->setup)
		return -EINVAL;
	c->cancelled = 0;
	c->running = 0;
	for (k = r->q_get; k != r->q_put; k++) {
		struct task *t = &r->queue[k % r->cq_entries];

		if (c->flags == WSQ_CANCEL_ID ? t->number + 1 != c->what :
		    c->flags == WSQ_CANCEL_USER_DATA ?
		    t->sqe.user_data != c->what : c->flags != WSQ_CANCEL_ALL)
			continue;
		t->cancelled = true;
		c->cancelled++;
	}
	return c->cancelled ? 0 : -ENOENT;
}

static int do_restrict(struct fake_ring *r, const struct wsq_restrict *x)
{
	const __u32 *allowed = (void *)(uintptr_t)x->ops;

	if (x->size != sizeof(*x) || x->rsv || !r->setup)
		return -EINVAL;
	if (!r->disabled)
		return -EBUSY;
	/* The fake can store one op only. */
	if (x->nr_ops != 1)
		return -E2BIG;
	r->only = allowed[0] + 1;
	return 0;
}

static int do_enable(struct fake_ring *r, void *arg)
{
	if (arg || !r->setup)
		return -EINVAL;
	if (!r->disabled)
		return -EBADFD;
	r->disabled = false;
	return 0;
}

static int fake_close(int fd)
{
	struct fake_ring *r = ring_of(fd);
	unsigned int i;

	if (!r)
		return -EBADF;
	pthread_mutex_lock(&r->lock);
	r->dead = true;
	pthread_cond_broadcast(&r->work);
	pthread_mutex_unlock(&r->lock);
	for (i = 0; i < r->nr_threads; i++)
		pthread_join(r->threads[i], NULL);
	if (r->polled)
		pthread_join(r->poller, NULL);
	if (r->setup) {
		munmap(r->page, r->rings_bytes);
		munmap(r->sqes, r->sqes_bytes);
		if (r->arena)
			munmap(r->arena, r->arena_bytes);
	}
	free(r->threads);
	free(r->queue);
	free(r->over);
	free(r->well);
	free(r->futures);
	free(r);
	pthread_mutex_lock(&fds_lock);
	fds[fd - FAKE_FD0] = NULL;
	pthread_mutex_unlock(&fds_lock);
	__atomic_fetch_sub(&fake_live, 1, __ATOMIC_RELAXED);
	return 0;
}

static int do_call(struct fake_ring *r, unsigned long cmd, void *arg)
{
	switch (cmd) {
	case WSQ_IOC_QUERY:
		return do_query(arg);
	case WSQ_IOC_SETUP:
		return do_setup(r, arg);
	case WSQ_IOC_ENTER:
		__atomic_fetch_add(&fake_enters, 1, __ATOMIC_RELAXED);
		return do_enter(r, arg);
	case WSQ_IOC_STATS:
		return do_stats(arg);
	case WSQ_IOC_RING_STATS:
		return do_ring_stats(r, arg);
	case WSQ_IOC_CANCEL:
		return do_cancel(r, arg);
	case WSQ_IOC_RESTRICT:
		return do_restrict(r, arg);
	case WSQ_IOC_ENABLE:
		return do_enable(r, arg);
	}
	return -ENOTTY;
}

static int fake_ioctl(int fd, unsigned long cmd, void *arg)
{
	struct fake_ring *r = ring_of(fd);
	int ret;

	if (!r)
		return -EBADF;
	if (fake_cfg.answer)
		return fake_cfg.answer;
	pthread_mutex_lock(&r->lock);
	ret = do_call(r, cmd, arg);
	pthread_mutex_unlock(&r->lock);
	return ret;
}

/* Returns the memory itself; the kernel would map it a second time. */
static int fake_mmap(int fd, __u64 off, size_t len, void **addr)
{
	struct fake_ring *r = ring_of(fd);
	__u64 have;

	if (!r || !r->setup)
		return -EINVAL;
	if (++r->mmaps == (unsigned int)fake_cfg.mmap_fail)
		return -ENOMEM;
	switch (off) {
	case WSQ_OFF_RINGS:
		*addr = r->page;
		have = r->rings_bytes;
		break;
	case WSQ_OFF_SQES:
		*addr = r->sqes;
		have = r->sqes_bytes;
		break;
	case WSQ_OFF_ARENA:
		*addr = r->arena;
		have = r->arena_bytes;
		break;
	default:
		return -EINVAL;
	}
	if (len != have)
		return -EINVAL;
	__atomic_fetch_add(&fake_live, 1, __ATOMIC_RELAXED);
	return 0;
}

static int fake_munmap(void *addr, size_t len)
{
	(void)addr;
	(void)len;
	__atomic_fetch_sub(&fake_live, 1, __ATOMIC_RELAXED);
	return 0;
}

static const struct wsq_sys fake_sys = {
	.open	= fake_open,
	.close	= fake_close,
	.ioctl	= fake_ioctl,
	.mmap	= fake_mmap,
	.munmap	= fake_munmap,
};

void fake_install(void)
{
	wsq_sys = &fake_sys;
	shared_stats = anon(FAKE_CPUS * sizeof(*shared_stats) + 64);
	shared_taken = (void *)&shared_stats[FAKE_CPUS];
}
