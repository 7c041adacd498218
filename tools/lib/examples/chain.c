// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * chain: tasks that wait for each other without involving the process.
 *
 * Fills a block, copies it, compares the two, and takes a checksum: each step
 * needs the one before. One system call submits all four. A second chain fails
 * in the middle: the tasks behind the failed one do not run.
 */
#include <libwsq.h>
#include <stdio.h>

#define LEN	4096

static int run(struct wsq_ring *ring, unsigned int nr, __s64 *res)
{
	struct wsq_cqe *cqe;
	unsigned int i;
	int ret;

	ret = wsq_submit_and_wait(ring, nr, WSQ_NO_TIMEOUT);
	for (i = 0; ret >= 0 && i < nr; i++) {
		ret = wsq_wait_cqe(ring, &cqe);
		if (ret)
			break;
		/* Completions come in any order: data64 identifies the task. */
		res[wsq_cqe_get_data64(cqe)] = cqe->res;
		wsq_cqe_seen(ring, cqe);
	}
	if (ret < 0)
		fprintf(stderr, "chain: %s\n", strerror(-ret));
	return ret < 0;
}

/* Fill, copy, compare, checksum; @copy_len is the length of the copy. */
static int chain(struct wsq_ring *ring, __u64 a, __u64 b, __u64 copy_len,
		 __s64 *res)
{
	struct wsq_sqe *sqe;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		sqe = wsq_get_sqe(ring);
		if (i == 0)
			wsq_prep_memset(sqe, a, LEN, 'w');
		else if (i == 1)
			wsq_prep_copy(sqe, b, a, copy_len);
		else if (i == 2)
			wsq_prep_compare(sqe, a, b, LEN);
		else
			wsq_prep_crc32c(sqe, b, LEN, 0);
		wsq_sqe_set_data64(sqe, i);
		/* All but the last: the next entry waits for this one. */
		if (i < 3)
			wsq_sqe_set_flags(sqe, WSQ_SQE_LINK);
	}
	return run(ring, 4, res);
}

int main(void)
{
	struct wsq_ring ring;
	__s64 a, b, res[4];
	int ret;

	ret = wsq_queue_init(8, 4 * LEN, &ring, 0);
	if (ret) {
		fprintf(stderr, "no ring: %s\n", strerror(-ret));
		return 1;
	}
	a = wsq_arena_alloc(&ring, LEN, 64);
	b = wsq_arena_alloc(&ring, LEN, 64);

	if (chain(&ring, a, b, LEN, res))
		return 1;
	printf("filled %lld, copied %lld, equal %lld, checksum %08llx\n",
	       (long long)res[0], (long long)res[1], (long long)res[2],
	       (unsigned long long)res[3]);
	if (res[0] != LEN || res[1] != LEN || res[2] != LEN || res[3] < 0)
		return 1;

	/* A copy of length 0 fails with EINVAL, and the others do not run. */
	if (chain(&ring, a, b, 0, res))
		return 1;
	printf("broken: %s, %s, %s\n", strerror((int)-res[1]),
	       strerror((int)-res[2]), strerror((int)-res[3]));
	wsq_queue_exit(&ring);
	return res[1] != -EINVAL || res[2] != -ECANCELED ||
	       res[3] != -ECANCELED;
}
