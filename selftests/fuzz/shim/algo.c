// SPDX-License-Identifier: GPL-2.0
/*
 * linux/wsq_fj.h and linux/wsq_algo.h without fork and join: one thread, and
 * values that the harness can compute, too. What the real ones compute is
 * tested in kmod/tests/algo_kunit.c.
 */
#include "shim.h"

#include <stdlib.h>

#include <linux/wsq_algo.h>
#include <linux/wsq_fj.h>

struct wsq_fj {
	bool busy;
};

/* A task looks so often whether to stop. */
#define STEP	16384

struct wsq_fj *wsq_fj_create(struct wsq *q, const struct wsq_fj_attrs *attrs)
{
	struct wsq_fj *fj = shim_alloc(sizeof(*fj), 0);

	return fj ?: ERR_PTR(-ENOMEM);
}

void wsq_fj_destroy(struct wsq_fj *fj)
{
	MUST(!fj->busy);
	kfree(fj);
}

/* One run of an object at a time. */
static int shim_fj_run(struct wsq_fj *fj, size_t len, const struct wsq_algo_stop *stop)
{
	int ret = 0;

	MUST(!fj->busy);
	fj->busy = true;
	for (; !ret && len > STEP; len -= STEP)
		ret = stop->fn(stop->arg);
	fj->busy = false;
	return ret;
}

int wsq_tree_hash(struct wsq_fj *fj, const void *data, size_t len,
		  struct wsq_tree_digest *hash, const struct wsq_algo_stop *stop)
{
	shim_digest((u8 *)hash, shim_sum(SHIM_SUM, data, len), sizeof(*hash));
	return shim_fj_run(fj, len, stop);
}

static int number_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

int wsq_sort_u64(struct wsq_fj *fj, u64 *from, u64 *to, size_t nr,
		 const struct wsq_algo_stop *stop)
{
	memcpy(to, from, nr * sizeof(*to));
	qsort(to, nr, sizeof(*to), number_compare);
	memset(from, 0xa5, nr * sizeof(*from));
	return shim_fj_run(fj, nr * sizeof(*to), stop);
}

ssize_t wsq_gzip(struct wsq_fj *fj, const void *data, size_t len, void *to,
		 size_t size, const struct wsq_algo_stop *stop)
{
	size_t bound = wsq_gzip_bound(len);

	MUST(size >= bound);
	memset(to, 0xee, bound);
	memcpy(to, data, len);
	return shim_fj_run(fj, len, stop) ?: (ssize_t)len;
}

bool wsq_tree_hash_there(void)
{
	return true;
}

bool wsq_gzip_there(void)
{
	return true;
}
