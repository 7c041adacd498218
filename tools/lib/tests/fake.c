// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * A wsq module made of threads; see fake.h.
 *
 * Shared cursors and seq are accessed as the kernel does (acquire and release),
 * everything private under one mutex per ring: so the thread sanitizer judges
 * the library's half of the protocol. The counters of STATS are in memory that
 * children share.
 */
#include <nettle/sha2.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"
#include "sys.h"

#define FAKE_FD0	1000
#define FAKE_FDS	64
#define FAKE_CPUS	64
#define SHA_MAX		(16UL << 20)

struct task {
	struct wsq_sqe sqe;
	__u64 number;
	struct timespec at;
};

struct fake_ring {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	pthread_t *threads;
	unsigned int nr_threads, rank;
	bool dead, setup;
	struct wsq_ring_page *page;
	struct wsq_cqe *cqes;
	struct wsq_sqe *sqes;
	char *arena;
	__u32 sq_entries, cq_entries;
	__u64 arena_bytes, rings_bytes, sqes_bytes;
	__u64 head;		/* SQ entries taken */
	__u64 reserved;		/* completion slots promised: equals head */
	__u64 given;		/* completion slots used */
	struct task *queue;
	__u64 q_put, q_get;
	unsigned int mmaps;
};

struct fake_cfg fake_cfg = { .threads = 2, .cpus = 4 };
unsigned int fake_enters;
int fake_live;

static struct fake_ring *fds[FAKE_FDS];
static struct wsq_cpu_stats *shared_stats;
static unsigned int *shared_taken;

static const struct {
	const char *name;
	unsigned long max;
} ops[WSQ_OP_NR] = {
	{ "nop", 0 }, { "copy", SHA_MAX }, { "crc32c", SHA_MAX },
	{ "sha256", SHA_MAX },
};

static unsigned long op_max(unsigned int op)
{
	if (op != WSQ_OP_SHA256)
		return ops[op].max;
	return fake_cfg.no_sha ? 0 : fake_cfg.sha_max ?: SHA_MAX;
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

static bool inside(const struct fake_ring *r, __u64 off, __u64 len)
{
	return off <= r->arena_bytes && len <= r->arena_bytes - off;
}

static __s64 task_check(struct fake_ring *r, const struct wsq_sqe *s)
{
	bool two = s->op == WSQ_OP_COPY;

	if (s->op >= WSQ_OP_NR || (s->op && !op_max(s->op)))
		return -EOPNOTSUPP;
	if (s->flags || s->rsv0 || s->rsv[0] || s->rsv[1])
		return -EINVAL;
	if (s->op == WSQ_OP_NOP)
		return s->src || s->len || s->dst || s->arg ? -EINVAL : 0;
	if (s->op == WSQ_OP_CRC32C ? s->dst || s->arg >> 32 : s->arg != 0)
		return -EINVAL;
	if (!s->len)
		return -EINVAL;
	if (s->len > op_max(s->op))
		return -E2BIG;
	if (!inside(r, s->src, s->len) || (two && !inside(r, s->dst, s->len)) ||
	    (s->op == WSQ_OP_SHA256 && !inside(r, s->dst, 32)))
		return -EFAULT;
	if (two && s->src < s->dst + s->len && s->dst < s->src + s->len)
		return -EINVAL;
	return 0;
}

static __s64 task_run(struct fake_ring *r, const struct task *t)
{
	const struct wsq_sqe *s = &t->sqe;
	__s64 ret = task_check(r, s);
	struct sha256_ctx ctx;

	if (fake_cfg.delay_us)
		usleep(fake_cfg.delay_us);
	if (ret)
		return ret;
	if (fake_cfg.fail_nth && (t->number + 1) % fake_cfg.fail_nth == 0)
		return -EIO;
	switch (s->op) {
	case WSQ_OP_COPY:
		memcpy(r->arena + s->dst, r->arena + s->src, s->len);
		return s->len;
	case WSQ_OP_CRC32C:
		return crc32c(s->arg, (void *)(r->arena + s->src), s->len);
	case WSQ_OP_SHA256:
		sha256_init(&ctx);
		sha256_update(&ctx, s->len, (void *)(r->arena + s->src));
		sha256_digest(&ctx, 32, (void *)(r->arena + s->dst));
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

/* Runs the oldest task; called and returns with the lock held. */
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
	pthread_mutex_unlock(&r->lock);
	res = task_run(r, &t);
	pthread_mutex_lock(&r->lock);
	__atomic_fetch_add(&shared_stats[cpu].gets, 1, __ATOMIC_RELAXED);
	if (cpu & 1)
		__atomic_fetch_add(&shared_stats[cpu].steals[t.number & 3], 1,
				   __ATOMIC_RELAXED);
	if (fake_cfg.lose && t.number + 1 == fake_cfg.lose)
		return;
	n = r->given++;
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

static int do_setup(struct fake_ring *r, struct wsq_setup *s)
{
	unsigned int i;

	if (s->size != sizeof(*s) || s->flags || s->rsv)
		return -EINVAL;
	if (r->setup)
		return -EBUSY;
	if (fake_cfg.setup_err)
		return fake_cfg.setup_err;
	if (!s->cq_entries)
		s->cq_entries = 2 * s->sq_entries;
	if (!s->sq_entries || (s->sq_entries & (s->sq_entries - 1)) ||
	    (s->cq_entries & (s->cq_entries - 1)) ||
	    s->cq_entries < s->sq_entries)
		return -EINVAL;
	s->cqes_off = sizeof(struct wsq_ring_page);
	s->rings_bytes = s->cqes_off + s->cq_entries * sizeof(struct wsq_cqe);
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
	r->sqes = anon(s->sqes_bytes);
	r->arena = s->arena_bytes ? anon(s->arena_bytes) : NULL;
	r->queue = calloc(r->cq_entries, sizeof(*r->queue));
	r->setup = true;
	r->nr_threads = fake_cfg.threads;
	r->threads = calloc(r->nr_threads + 1, sizeof(*r->threads));
	for (i = 0; i < r->nr_threads; i++)
		pthread_create(&r->threads[i], NULL, worker, r);
	return 0;
}

/* Entries that are there from @from on. */
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

static int take(struct fake_ring *r, struct wsq_enter *e, __u64 cq_head,
		__u64 tail)
{
	__u64 want = tail - r->head;

	if (want > e->to_submit)
		want = e->to_submit;
	if (fake_cfg.take_max && want > fake_cfg.take_max)
		want = fake_cfg.take_max;
	while (e->submitted < want && r->reserved - cq_head < r->cq_entries) {
		struct task *t = &r->queue[r->q_put % r->cq_entries];

		t->sqe = r->sqes[r->head & (r->sq_entries - 1)];
		t->number = r->q_put++;
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
	__atomic_store_n(&r->page->sq_head, r->head, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&r->work);
	return want && !e->submitted ? -EAGAIN : (e->submitted < want);
}

static int do_enter(struct fake_ring *r, struct wsq_enter *e)
{
	__u64 tail, cq_head;
	struct timespec end;
	int ret;

	if (e->size != sizeof(*e) || e->flags || !r->setup ||
	    e->min_complete > r->cq_entries)
		return -EINVAL;
	tail = __atomic_load_n(&r->page->sq_tail, __ATOMIC_ACQUIRE);
	cq_head = __atomic_load_n(&r->page->cq_head, __ATOMIC_ACQUIRE);
	if (tail - r->head > r->sq_entries || cq_head > r->given)
		return -EINVAL;
	e->submitted = 0;
	ret = take(r, e, cq_head, tail);
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
		fake_cfg.enter_err = 0;
		if (ret)
			return ret;
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

	if (q->size != sizeof(*q))
		return -EINVAL;
	for (i = 0; info && i < q->nr_ops && i < WSQ_OP_NR; i++) {
		memset(&info[i], 0, sizeof(info[i]));
		info[i].op = i;
		info[i].max_len = op_max(i);
		strcpy(info[i].name, ops[i].name);
	}
	q->nr_ops = WSQ_OP_NR;
	q->features = WSQ_FEAT_TIMEOUT | WSQ_FEAT_STATS;
	q->max_sq_entries = 4096;
	q->max_cq_entries = 8192;
	q->max_arena = 256 << 20;
	q->nr_cpus = fake_cfg.cpus;
	q->nr_nodes = 2;
	q->memory = q->sq_entries ? 8192 + q->arena_size : 0;
	return 0;
}

static int do_stats(struct wsq_stats *st)
{
	char *to = (void *)(uintptr_t)st->cpus;
	__u32 i, room = st->cpu_stats_size;
	static unsigned int calls;

	if (st->size != sizeof(*st) || st->cpu_stats_size < 88 ||
	    st->rsv || st->pad)
		return -EINVAL;
	if (fake_cfg.stats_fail && ++calls >= fake_cfg.stats_fail)
		return -ENODEV;
	for (i = 1; fake_cfg.stats_move && i < fake_cfg.cpus; i++) {
		shared_stats[i].puts += 10 * i;
		shared_stats[i].inbox += 5 * i;
		shared_stats[i].gets += 10 * i;
		shared_stats[i].steals[WSQ_DIST_NODE] += i;
		shared_stats[i].standins++;
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
	int i;

	(void)path;
	if (fake_cfg.open_err)
		return fake_cfg.open_err;
	for (i = 0; i < FAKE_FDS && fds[i]; i++)
		;
	if (i == FAKE_FDS)
		return -EMFILE;
	fds[i] = calloc(1, sizeof(*fds[i]));
	pthread_mutex_init(&fds[i]->lock, NULL);
	pthread_cond_init(&fds[i]->work, NULL);
	pthread_cond_init(&fds[i]->done, NULL);
	fake_live++;
	return FAKE_FD0 + i;
}

static struct fake_ring *ring_of(int fd)
{
	if (fd < FAKE_FD0 || fd >= FAKE_FD0 + FAKE_FDS)
		return NULL;
	return fds[fd - FAKE_FD0];
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
	if (r->setup) {
		munmap(r->page, r->rings_bytes);
		munmap(r->sqes, r->sqes_bytes);
		if (r->arena)
			munmap(r->arena, r->arena_bytes);
	}
	free(r->threads);
	free(r->queue);
	free(r);
	fds[fd - FAKE_FD0] = NULL;
	fake_live--;
	return 0;
}

static int fake_ioctl(int fd, unsigned long cmd, void *arg)
{
	struct fake_ring *r = ring_of(fd);
	int ret = -ENOTTY;

	if (!r)
		return -EBADF;
	pthread_mutex_lock(&r->lock);
	switch (cmd) {
	case WSQ_IOC_QUERY:
		ret = do_query(arg);
		break;
	case WSQ_IOC_SETUP:
		ret = do_setup(r, arg);
		break;
	case WSQ_IOC_ENTER:
		fake_enters++;
		ret = do_enter(r, arg);
		break;
	case WSQ_IOC_STATS:
		ret = do_stats(arg);
		break;
	}
	pthread_mutex_unlock(&r->lock);
	return ret;
}

/* Gives the memory itself: what the kernel would map a second time. */
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
	fake_live++;
	return 0;
}

static int fake_munmap(void *addr, size_t len)
{
	(void)addr;
	(void)len;
	fake_live--;
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
