// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * graph: a tree of hashes, as a graph of tasks in one system call.
 *
 * Each block is fetched (here: copied) and hashed; then each three hashes are
 * hashed to one, until one is left. A task starts as soon as the tasks that it
 * needs have ended: no level of the tree waits for the whole level below.
 *
 * The program compares the root with that of the same hashes one by one. Then a
 * block cannot be fetched: the tasks that need it do not run, all others do.
 */
#include <libwsq.h>
#include <stdio.h>

#define BLOCKS	27
#define LEN	16384
#define HASH	32
#define HASHES	(27 + 9 + 3 + 1)
#define ROOT	(HASHES - 1)
#define MISSING	5

/* The number of each task's future. Numbers begin at 1. */
#define FETCHED(i)	(1 + (i))
#define HASHED(i)	(1 + BLOCKS + (i))

static __u64 from, blocks, hashes;

/* Hash @n: of block @n, or of three hashes, of which the first is returned. */
static unsigned int prep_hash(struct wsq_sqe *sqe, unsigned int n)
{
	unsigned int first = n < BLOCKS ? 0 : 3 * (n - BLOCKS);

	if (n < BLOCKS)
		wsq_prep_sha256(sqe, hashes + n * HASH, blocks + n * LEN, LEN);
	else
		wsq_prep_sha256(sqe, hashes + n * HASH, hashes + first * HASH,
				3 * HASH);
	return first;
}

/* Submits the tree and waits. Returns 0, or 1 if it does not end as expected. */
static int tree(struct wsq_ring *ring, int missing, unsigned int *cancelled)
{
	unsigned int i, k, nr = 0, wrong = 0;
	struct wsq_cqe *cqe;
	struct wsq_sqe *sqe;
	int ret;

	*cancelled = 0;
	for (i = 0; i < BLOCKS; i++, nr++) {
		sqe = wsq_get_sqe(ring);
		/* What is missing is behind the end of the arena. */
		wsq_prep_copy(sqe, blocks + i * LEN, (int)i == missing ?
			      wsq_arena_size(ring) : from + i * LEN, LEN);
		wsq_sqe_set_future(sqe, FETCHED(i));
		wsq_sqe_set_data64(sqe, FETCHED(i));
	}
	for (i = 0; i < HASHES; i++, nr++) {
		sqe = wsq_get_sqe(ring);
		k = prep_hash(sqe, i);
		wsq_sqe_set_future(sqe, HASHED(i));
		wsq_sqe_set_data64(sqe, HASHED(i));
		if (i < BLOCKS) {
			wsq_sqe_add_after(sqe, FETCHED(i));
			continue;
		}
		wsq_sqe_add_after(sqe, HASHED(k));
		wsq_sqe_add_after(sqe, HASHED(k + 1));
		wsq_sqe_add_after(sqe, HASHED(k + 2));
	}
	ret = wsq_submit_and_wait(ring, nr, WSQ_NO_TIMEOUT);
	/* Something may have interrupted the wait, such as Ctrl-Z. */
	if (ret >= 0)
		ret = wsq_wait_cqes(ring, &cqe, nr, WSQ_NO_TIMEOUT);
	while (!wsq_peek_cqe(ring, &cqe)) {
		if (cqe->res == -ECANCELED)
			++*cancelled;
		else if (cqe->res < 0)
			wrong += wsq_cqe_get_data64(cqe) != FETCHED((__u64)missing);
		wsq_cqe_seen(ring, cqe);
		nr--;
	}
	if (ret < 0 || nr || wrong)
		fprintf(stderr, "graph: %d, %u tasks missing, %u failed\n", ret, nr, wrong);
	return ret < 0 || nr || wrong;
}

/* The hashes one by one. Returns 0 if all succeed. */
static int one_by_one(struct wsq_ring *ring)
{
	struct wsq_cqe *cqe;
	unsigned int i;
	int wrong = 0;

	for (i = 0; i < HASHES && !wrong; i++) {
		prep_hash(wsq_get_sqe(ring), i);
		if (wsq_submit_and_wait(ring, 1, WSQ_NO_TIMEOUT) < 0 ||
		    wsq_wait_cqe(ring, &cqe))
			return 1;
		wrong = cqe->res != HASH;
		wsq_cqe_seen(ring, cqe);
	}
	return wrong;
}

int main(void)
{
	unsigned char root[HASH];
	unsigned int cancelled, i;
	struct wsq_ring ring;
	int ret;

	/* Futures must be requested, as they cost memory. */
	ret = wsq_queue_init(128, 2 << 20, &ring, WSQ_INIT_FUTURES);
	if (ret) {
		fprintf(stderr, "no ring: %s\n", strerror(-ret));
		return 1;
	}
	from = wsq_arena_alloc(&ring, (size_t)BLOCKS * LEN, 64);
	blocks = wsq_arena_alloc(&ring, (size_t)BLOCKS * LEN, 64);
	hashes = wsq_arena_alloc(&ring, (size_t)HASHES * HASH, 64);
	for (i = 0; i < BLOCKS * LEN; i++)
		((unsigned char *)wsq_arena_ptr(&ring, from))[i] = (unsigned char)(i * 7 + i / LEN);

	if (tree(&ring, -1, &cancelled))
		return 1;
	memcpy(root, wsq_arena_ptr(&ring, hashes + ROOT * HASH), HASH);
	memset(wsq_arena_ptr(&ring, hashes), 0, (size_t)HASHES * HASH);
	if (one_by_one(&ring))
		return 1;
	ret = memcmp(root, wsq_arena_ptr(&ring, hashes + ROOT * HASH), HASH);
	printf("%u blocks, %u hashes, root %02x%02x%02x%02x %s\n", BLOCKS, HASHES,
	       root[0], root[1], root[2], root[3], ret ? "wrong" : "as expected");
	if (ret || cancelled)
		return 1;

	if (tree(&ring, MISSING, &cancelled))
		return 1;
	printf("without block %u: %u tasks cancelled\n", MISSING, cancelled);
	wsq_queue_exit(&ring);
	/* Its hash, and one on each level above. */
	return cancelled != 4;
}
