// SPDX-License-Identifier: GPL-2.0
/*
 * AF_ALG, the socket interface to the kernel's hashes: for each task one call
 * submits the data, and one fetches the result.
 */
#include <errno.h>
#include <linux/if_alg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

struct alg {
	int fd;
};

static int alg_socket(const char *name)
{
	struct sockaddr_alg addr = { .salg_family = AF_ALG };
	int fd, op;

	strcpy((char *)addr.salg_type, "hash");
	strncpy((char *)addr.salg_name, name, sizeof(addr.salg_name) - 1);
	fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	op = bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ?
	     -1 : accept(fd, NULL, NULL);
	close(fd);
	return op;
}

static void *alg_open(const struct engine *engine, const char **why)
{
	bool crc = engine->tasks & 1 << TASK_CRC32C;
	struct alg *a = calloc(1, sizeof(*a));

	if (!a)
		die(engine->name, ENOMEM);
	a->fd = alg_socket(crc ? "crc32c" : "sha256");
	if (a->fd >= 0)
		return a;
	*why = crc ? "this kernel has no crc32c by AF_ALG" :
		     "this kernel has no sha256 by AF_ALG";
	free(a);
	return NULL;
}

static void alg_hash(int fd, const void *in, size_t len, void *out, size_t n)
{
	ssize_t ret;

	calls += 2;
	ret = send(fd, in, len, 0);
	if (ret < 0 || (size_t)ret != len)
		die("AF_ALG: send", ret < 0 ? errno : EIO);
	ret = read(fd, out, n);
	if (ret < 0 || (size_t)ret != n)
		die("AF_ALG: read", ret < 0 ? errno : EIO);
}

static void alg_batch(void *state, enum task task, unsigned int nr)
{
	const struct alg *a = state;
	uint8_t out[DIGEST_LEN];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const uint8_t *in = input + input_off(task, i);

		if (task == TASK_CRC32C) {
			alg_hash(a->fd, in, CRC_LEN, out, 4);
			/* Little-endian, whatever the machine is. */
			check_crc("AF_ALG", i, (uint32_t)out[3] << 24 |
				  out[2] << 16 | out[1] << 8 | out[0]);
		} else {
			alg_hash(a->fd, in, SHA_LEN, out, DIGEST_LEN);
			check_digest("AF_ALG", i, out);
		}
	}
}

const struct engine alg_crc_engine = {
	.name = "AF_ALG",
	.tasks = 1 << TASK_CRC32C,
	.open = alg_open,
	.batch = alg_batch,
};

const struct engine alg_sha_engine = {
	.name = "AF_ALG",
	.tasks = 1 << TASK_SHA256,
	.open = alg_open,
	.batch = alg_batch,
};
