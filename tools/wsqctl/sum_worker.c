// SPDX-License-Identifier: GPL-2.0
/*
 * wsqctl sum: one producer process.
 *
 * It claims files a few at a time, reads each straight into a block of its
 * ring's arena, and has a worker of the module hash it there: nothing but
 * read() copies the data. Tasks are submitted in batches, up to depth in
 * flight. The process waits only when it has nothing else to do, for a batch of
 * completions at a time.
 *
 * Two kinds of files are hashed in this process, by nettle, and counted
 * separately: empty files, because the ABI has no task of length 0, and files
 * larger than a task may be or than the empty arena can hold. The digest is the
 * same; the table shows how many there were.
 */
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sum.h"

#define BATCH		16	/* tasks handed over at a time */
#define UNKNOWN		65536	/* space for a file of unknown size */

struct slot {
	size_t file;
	uint64_t block;		/* offset of the data in the arena */
	uint64_t len;
	unsigned int cpu;	/* where it was submitted */
	bool busy;
};

struct producer {
	struct sum_run *run;
	struct sum_worker *w;
	struct wsq_ring ring;
	struct slot *slot;
	uint32_t *free;		/* slots */
	uint32_t nr_free;
	uint32_t fresh[BATCH];	/* filled since the last submission */
	uint32_t nr_fresh;
	uint64_t digests;	/* offset of the array of digests */
	size_t claim, claim_end;
	time_t heard;		/* when the last completion came */
	uint8_t buf[65536];
};

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static int give_up(struct producer *p, enum sum_giveup why, int err)
{
	p->w->giveup = why;
	p->w->err = err;
	p->w->in_flight = wsq_in_flight(&p->ring) + wsq_sq_ready(&p->ring);
	return -1;
}

/* The file is finished; the parent may look at it from now on. */
static void finish(struct producer *p, size_t file, enum sum_stage stage,
		   int err, const uint8_t *digest)
{
	struct sum_result *r = &p->run->result[file];

	r->stage = stage;
	r->err = err;
	if (digest)
		memcpy(r->digest, digest, DIGEST_LEN);
	p->w->files++;
	p->w->errors += stage != STAGE_NONE;
	__atomic_store_n(&r->state, SUM_DONE, __ATOMIC_RELEASE);
}

static bool next_file(struct producer *p, size_t *file)
{
	if (p->claim == p->claim_end) {
		p->claim = __atomic_fetch_add(p->run->next, p->run->claim,
					      __ATOMIC_RELAXED);
		p->claim_end = p->claim + p->run->claim;
	}
	if (p->claim >= p->run->list.nr) {
		p->claim = p->run->list.nr;
		p->claim_end = p->claim;
		return false;
	}
	*file = p->claim++;
	return true;
}

static void account(struct producer *p, const struct slot *s,
		    const struct wsq_cqe *cqe)
{
	const struct counters *c = &p->run->before;
	const struct wsq_cpu_stats *from = counters_cpu(c, s->cpu);
	const struct wsq_cpu_stats *to = counters_cpu(c, cqe->cpu);

	p->w->tasks++;
	p->w->same_cpu += cqe->cpu == s->cpu;
	p->w->same_node += from && to && from->node == to->node;
	hist_put(&p->w->wait, cqe->wait_ns);
}

/* Takes all completions that can be read now. */
static int reap(struct producer *p)
{
	struct wsq_cqe *cqes[BATCH];
	unsigned int i, n;

	while ((n = wsq_peek_batch_cqe(&p->ring, cqes, BATCH))) {
		p->heard = now();
		for (i = 0; i < n; i++) {
			const struct wsq_cqe *c = cqes[i];
			const uint8_t *digest;
			struct slot *s;

			if (c->user_data >= p->run->opts.depth ||
			    !p->slot[c->user_data].busy)
				return give_up(p, GIVEUP_STRAY, EPROTO);
			s = &p->slot[c->user_data];
			digest = wsq_arena_ptr(&p->ring, p->digests +
					       DIGEST_SIZE * c->user_data);
			account(p, s, c);
			s->busy = false;
			if (c->res >= 0) {
				p->w->bytes += s->len;
				finish(p, s->file, STAGE_NONE, 0, digest);
			} else {
				finish(p, s->file, STAGE_TASK, (int)-c->res,
				       NULL);
			}
			wsq_arena_free(&p->ring, s->block);
			p->free[p->nr_free++] = (uint32_t)c->user_data;
		}
		wsq_cq_advance(&p->ring, n);
	}
	return 0;
}

/* System calls that submitting and waiting for @nr completions takes. */
static unsigned int calls(struct producer *p, unsigned int nr)
{
	const struct wsq_ring_page *page = p->ring.rings;
	struct wsq_cqe *cqes[BATCH];
	unsigned int n;

	if (!p->run->opts.poll)
		return 1;
	n = nr && wsq_peek_batch_cqe(&p->ring, cqes, nr) < nr;
	if (p->nr_fresh)
		n += !!(__atomic_load_n(&page->flags, __ATOMIC_RELAXED) &
			WSQ_RING_NEED_WAKEUP);
	return n;
}

/* Submits filled entries, waits for @nr completions, takes all there are. */
static int submit(struct producer *p, unsigned int nr)
{
	unsigned int cpu = 0, i;
	int ret;

	getcpu(&cpu, NULL);
	for (i = 0; i < p->nr_fresh; i++)
		p->slot[p->fresh[i]].cpu = cpu;
	p->w->enters += calls(p, nr);
	p->nr_fresh = 0;
	ret = wsq_submit_and_wait(&p->ring, nr, 1000000000ULL);
	if (ret < 0 && ret != -ETIME && ret != -EINTR && ret != -EAGAIN)
		return give_up(p, GIVEUP_ENTER, -ret);
	if (reap(p))
		return -1;
	if (now() - p->heard > (time_t)p->run->opts.stall)
		return give_up(p, GIVEUP_STALL, ETIMEDOUT);
	return 0;
}

static uint64_t in_flight(const struct producer *p)
{
	return wsq_in_flight(&p->ring) + wsq_sq_ready(&p->ring);
}

/* Waits for a batch, or for all tasks in flight if fewer. */
static int wait_some(struct producer *p)
{
	uint64_t n = in_flight(p);

	return submit(p, n < BATCH ? (unsigned int)n : BATCH);
}

/* Hashes the rest of the file here; @ctx has @bytes of it already. */
static int hash_here(struct producer *p, size_t file, int fd,
		     struct sha256_ctx *ctx, uint64_t bytes)
{
	uint8_t digest[DIGEST_LEN];
	ssize_t n;

	/* Submit first, so that the module works in parallel. */
	if (p->nr_fresh && submit(p, 0))
		return -1;
	while ((n = read(fd, p->buf, sizeof(p->buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			finish(p, file, STAGE_FILE, errno, NULL);
			return 0;
		}
		sha256_update(ctx, n, p->buf);
		bytes += n;
	}
	sha256_digest(ctx, DIGEST_LEN, digest);
	p->heard = now();	/* this took time: not a stall */
	p->w->bytes += bytes;
	p->w->empty += !bytes;
	p->w->large += !!bytes;
	finish(p, file, STAGE_NONE, 0, digest);
	return 0;
}

/* Reads up to @want bytes. Returns how many, or -errno. */
static ssize_t read_into(int fd, void *to, size_t want)
{
	size_t got = 0;
	ssize_t n;

	while (got < want) {
		n = read(fd, (char *)to + got, want - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		got += n;
	}
	return got;
}

/* Allocates the file's block, waiting if necessary. -1: gave up. */
static int block_for(struct producer *p, uint64_t want, int64_t *block)
{
	while ((*block = wsq_arena_alloc(&p->ring, want, 1)) == -ENOMEM) {
		if (!in_flight(p))
			return 0;
		if (wait_some(p))
			return -1;
	}
	return 0;
}

static int queue_task(struct producer *p, size_t file, uint64_t block,
		      uint64_t len)
{
	uint32_t id = p->free[--p->nr_free];
	struct wsq_sqe *sqe = wsq_get_sqe(&p->ring);

		/* As many entries as slots: this cannot happen. */
	if (!sqe)
		return give_up(p, GIVEUP_ENTER, EBUSY);
	p->slot[id] = (struct slot){
		.file = file, .block = block, .len = len, .busy = true,
	};
	wsq_prep_sha256(sqe, p->digests + DIGEST_SIZE * id, block, len);
	wsq_sqe_set_data64(sqe, id);
	p->fresh[p->nr_fresh++] = id;
	return 0;
}

/*
 * Reads the file into its block. Returns 1 if a task is to hash it, @len bytes;
 * 0 if it is finished; -1 if the worker gave up.
 */
static int read_block(struct producer *p, size_t file, int fd, uint64_t block,
		      uint64_t room, uint64_t *len)
{
	void *data = wsq_arena_ptr(&p->ring, block);
	ssize_t n = read_into(fd, data, room), m = 0;
	struct sha256_ctx ctx;
	uint8_t beyond;

		/* End of file? It may have grown, or its size was unknown. */
	if (n > 0 && (uint64_t)n == room)
		m = read_into(fd, &beyond, 1);
	if (n < 0 || m < 0) {
		finish(p, file, STAGE_FILE, (int)(n < 0 ? -n : -m), NULL);
		return 0;
	}
	*len = n;
	if (n > 0 && m == 0)
		return 1;
	sha256_init(&ctx);
	sha256_update(&ctx, n, data);
	sha256_update(&ctx, m, &beyond);
	return hash_here(p, file, fd, &ctx, n + m);
}

/* Queues the open file's task, or finishes it otherwise. */
static int one_open_file(struct producer *p, size_t file, int fd)
{
	uint64_t room = UNKNOWN, len;
	int64_t block = -ENOMEM;
	struct sha256_ctx ctx;
	struct stat st;
	int ret;

	if (fstat(fd, &st)) {
		finish(p, file, STAGE_FILE, errno, NULL);
		return 0;
	}
	if (S_ISDIR(st.st_mode)) {
		finish(p, file, STAGE_FILE, EISDIR, NULL);
		return 0;
	}
	if (st.st_size > 0)
		room = st.st_size;
	else if (room > p->run->max_len)
		room = p->run->max_len;
	if (room <= p->run->max_len && block_for(p, room, &block))
		return -1;
	if (block < 0) {
		sha256_init(&ctx);
		return hash_here(p, file, fd, &ctx, 0);
	}
	ret = read_block(p, file, fd, block, room, &len);
	if (ret == 1)
		return queue_task(p, file, block, len);
	wsq_arena_free(&p->ring, block);
	return ret;
}

static int one_file(struct producer *p, size_t file)
{
	const char *path = p->run->list.path[file];
	bool std = !strcmp(path, "-");
	int fd, ret;

	fd = std ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		finish(p, file, STAGE_FILE, errno, NULL);
		return 0;
	}
	ret = one_open_file(p, file, fd);
	if (!std)
		close(fd);
	return ret;
}

static int produce(struct producer *p)
{
	size_t file;

	while (next_file(p, &file)) {
			/* A wait can end early: by timeout or by a signal. */
		while (!p->nr_free)
			if (wait_some(p))
				return -1;
		if (one_file(p, file))
			return -1;
		if (p->nr_fresh == BATCH && submit(p, 0))
			return -1;
	}
	while (in_flight(p))
		if (wait_some(p))
			return -1;
	return 0;
}

static int begin(struct producer *p, int cpu)
{
	const struct sum_opts *o = &p->run->opts;
	struct wsq_query q = {
		.sq_entries = o->depth, .cq_entries = 2 * o->depth,
	};
	struct wsq_params params = { 0 };
	uint64_t arena = sum_arena_bytes(o);
	int64_t digests;
	uint32_t i;
	int ret;

	if (cpu >= 0) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			return give_up(p, GIVEUP_RING, errno);
	}
	p->slot = calloc(o->depth, sizeof(*p->slot));
	p->free = calloc(o->depth, sizeof(*p->free));
	if (!p->slot || !p->free)
		return give_up(p, GIVEUP_RING, ENOMEM);
	for (i = 0; i < o->depth; i++)
		p->free[p->nr_free++] = o->depth - 1 - i;

	if (o->poll) {
		params.flags = WSQ_INIT_POLL | WSQ_INIT_POLL_SHARE;
		params.poll_fd = wsq_ring_fd(&p->run->poller);
	}
	ret = wsq_queue_init_params(o->depth, arena, &p->ring, &params);
	if (ret == -ENOMEM) {
		int fd = wsq_open(NULL);

		q.arena_size = arena;
		if (fd >= 0 && !wsq_query(fd, &q, NULL, 0))
			p->w->memory = q.memory;
	}
	if (ret)
		return give_up(p, GIVEUP_RING, -ret);
	/* Outside the power of two that stays whole for the files. */
	digests = wsq_arena_alloc(&p->ring, (size_t)DIGEST_SIZE * o->depth,
				  DIGEST_SIZE);
	if (digests < 0)
		return give_up(p, GIVEUP_RING, (int)-digests);
	p->digests = digests;
	p->heard = now();
	return 0;
}

/**
 * sum_worker_main - the whole life of a producer, in a process of its own
 * @run: the run
 * @me: which worker
 * @cpu: CPU to stay on; -1 for any
 *
 * Returns an exit status; the worker's figures say why it is not 0.
 */
int sum_worker_main(struct sum_run *run, unsigned int me, int cpu)
{
	struct producer *p = calloc(1, sizeof(*p));
	int ret = EXIT_TROUBLE;

	if (!p)
		return ret;
	p->run = run;
	p->w = &run->worker[me];
	p->ring.fd = -1;
	if (!begin(p, cpu))
		ret = produce(p) ? EXIT_TROUBLE : EXIT_OK;
	wsq_queue_exit(&p->ring);
	free(p->slot);
	free(p->free);
	free(p);
	return ret;
}
