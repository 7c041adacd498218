// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * keys [without]: parity of many blocks, by tasks that xor into the same block.
 *
 * Two tasks that change one block at the same time corrupt it. Tasks that have
 * the block as their key run one at a time, while tasks of other stripes run in
 * parallel. With an argument the tasks have no keys: the result may then be
 * wrong if several CPUs run them.
 */
#include <libwsq.h>
#include <stdio.h>

#define STRIPES	8
#define BLOCKS	16
#define LEN	16384

int main(int argc, char **argv)
{
	int with = argc < 2 || strcmp(argv[1], "without");
	unsigned int i, k, n = 0, wrong = 0;
	__s64 block[STRIPES][BLOCKS], parity[STRIPES];
	struct wsq_ring ring;
	struct wsq_cqe *cqe;
	struct wsq_sqe *sqe;
	int ret;

	/* Keys must be requested: they cost memory. */
	ret = wsq_queue_init(STRIPES * BLOCKS, 2 * STRIPES * BLOCKS * LEN,
			     &ring, WSQ_INIT_KEYS);
	if (ret) {
		fprintf(stderr, "no ring: %s\n", strerror(-ret));
		return 1;
	}
	for (i = 0; i < STRIPES; i++) {
		parity[i] = wsq_arena_alloc(&ring, LEN, 64);
		for (k = 0; k < BLOCKS; k++) {
			block[i][k] = wsq_arena_alloc(&ring, LEN, 64);
			if (parity[i] < 0 || block[i][k] < 0)
				return 1;
			memset(wsq_arena_ptr(&ring, block[i][k]),
			       (int)(i * 31 + k * 7), LEN);
		}
	}

	for (k = 0; k < BLOCKS; k++) {
		for (i = 0; i < STRIPES; i++) {
			sqe = wsq_get_sqe(&ring);
			wsq_prep_xor(sqe, parity[i], block[i][k], LEN);
			if (with)
				wsq_sqe_set_key(sqe, parity[i]);
			n++;
		}
	}
	ret = wsq_submit_and_wait(&ring, n, WSQ_NO_TIMEOUT);
	/* Something may have interrupted the wait, such as Ctrl-Z. */
	if (ret >= 0)
		ret = wsq_wait_cqes(&ring, &cqe, n, WSQ_NO_TIMEOUT);
	while (!wsq_peek_cqe(&ring, &cqe)) {
		wrong += cqe->res != LEN;
		wsq_cqe_seen(&ring, cqe);
		n--;
	}
	if (ret < 0 || n || wrong) {
		fprintf(stderr, "%u tasks failed, %u are missing\n", wrong, n);
		return 1;
	}

	for (i = 0; i < STRIPES; i++) {
		unsigned char want = 0, *p = wsq_arena_ptr(&ring, parity[i]);

		for (k = 0; k < BLOCKS; k++)
			want ^= (unsigned char)(i * 31 + k * 7);
		for (k = 0; k < LEN; k++)
			wrong += p[k] != want;
	}
	printf("%u stripes of %u blocks%s, %u wrong bytes\n", STRIPES, BLOCKS,
	       with ? "" : " without keys", wrong);
	wsq_queue_exit(&ring);
	return with && wrong;
}
