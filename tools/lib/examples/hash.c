// SPDX-License-Identifier: MIT OR LGPL-2.1
/*
 * hash FILE: its SHA-256, computed by a worker of the wsq module.
 *
 * The first program to read: a ring, memory in its arena, one task, its
 * completion. Compile any of the examples with:
 * cc FILE $(pkg-config --cflags --libs libwsq)
 */
#include <fcntl.h>
#include <libwsq.h>
#include <stdio.h>
#include <unistd.h>

#define LARGEST	(1 << 20)

static int fail(const char *what, long long err)
{
	fprintf(stderr, "%s: %s\n", what, strerror((int)-err));
	return 1;
}

int main(int argc, char **argv)
{
	struct wsq_ring ring;
	struct wsq_cqe *cqe;
	unsigned char *digest;
	__s64 data, out;
	size_t len = 0;
	ssize_t n;
	int fd, ret, i;

	if (argc != 2) {
		fprintf(stderr, "usage: hash FILE (of 1 byte to 1 MiB)\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		return fail(argv[1], -errno);

	/* 8 entries; an arena for the file and for the digest. */
	ret = wsq_queue_init(8, 2 * LARGEST, &ring, 0);
	if (ret)
		return fail("no ring", ret);
	data = wsq_arena_alloc(&ring, LARGEST, 64);
	out = wsq_arena_alloc(&ring, 32, 64);
	if (data < 0 || out < 0)
		return fail("no room in the arena", data < 0 ? data : out);

	/* Read straight into the arena: nothing is copied after this. */
	do {
		n = read(fd, (char *)wsq_arena_ptr(&ring, data) + len,
			 LARGEST - len);
		if (n < 0)
			return fail(argv[1], -errno);
		len += n;
	} while (n && len < LARGEST);
	if (len == LARGEST && read(fd, &i, 1) > 0)
		return fail(argv[1], -EFBIG);
	close(fd);

	/*
	 * Fill, submit and wait: one system call. Something may interrupt its
	 * wait, such as Ctrl-Z: then wsq_wait_cqe() makes another.
	 */
	wsq_prep_sha256(wsq_get_sqe(&ring), out, data, len);
	ret = wsq_submit_and_wait(&ring, 1, WSQ_NO_TIMEOUT);
	if (ret < 0)
		return fail("submitting", ret);
	ret = wsq_wait_cqe(&ring, &cqe);
	if (ret)
		return fail("waiting", ret);
	/* A task's error is in its completion. */
	if (cqe->res < 0)
		return fail(argv[1], cqe->res);
	wsq_cqe_seen(&ring, cqe);

	digest = wsq_arena_ptr(&ring, out);
	for (i = 0; i < 32; i++)
		printf("%02x", digest[i]);
	printf("  %s\n", argv[1]);
	wsq_queue_exit(&ring);
	return 0;
}
