// SPDX-License-Identifier: GPL-2.0
/*
 * Compression in chunks, by fork and join. The output is a sequence of gzip
 * members, which gunzip and zlib read as one file.
 *
 * Each chunk is compressed into a slot at the place where its output would be
 * if no chunk became shorter. Afterwards the caller moves the members together.
 * So no other memory is needed for the output.
 *
 * deflate of the kernel copies its input before it looks at it. So it may be
 * memory that a process changes meanwhile. zstd would be faster, but reads its
 * input several times, and relies on reading the same each time.
 *
 * Cost: that of deflate, 10 to 30 ns a byte. Chunks of 128 KiB make the output
 * about 1 % longer.
 */
#include <linux/crc32.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/zlib.h>

#include "../compat/export.h"
#include "../compat/memcg.h"
#include "../compat/unaligned.h"
#include "../forkjoin/forkjoin.h"
#include "algo.h"

#if IS_REACHABLE(CONFIG_ZLIB_DEFLATE) && IS_REACHABLE(CONFIG_CRC32)

/* Header and trailer of a member. */
#define WSQ_GZIP_HEAD		10
#define WSQ_GZIP_TAIL		8
/* The longest stored block of deflate, and the bytes before it. */
#define WSQ_GZIP_STORED		0xffff
#define WSQ_GZIP_STORED_HEAD	5
/* Bytes between two looks whether to stop: below 1 ms. */
#define WSQ_GZIP_STEP		16384
/* As gzip has it: 32 KiB back, hash of 15 bits. */
#define WSQ_GZIP_MEM_LEVEL	8
#define WSQ_GZIP_SPACE		\
	zlib_deflate_workspacesize(-MAX_WBITS, WSQ_GZIP_MEM_LEVEL)

static_assert(WSQ_GZIP_EXTRA >= WSQ_GZIP_HEAD + WSQ_GZIP_TAIL +
	      DIV_ROUND_UP(WSQ_GZIP_CHUNK, WSQ_GZIP_STORED) *
	      WSQ_GZIP_STORED_HEAD);

/**
 * struct wsq_gzip_run - a compression under way
 * @run: the run
 * @data: the input
 * @len: its bytes
 * @to: the output
 * @sizes: bytes of each chunk's member
 * @spaces: working memory of deflate for each seat, allocated when the seat's
 *	thread needs it first. The thread
 * @memcg: the caller's active memory cgroup, for which they allocate, or %NULL
 */
struct wsq_gzip_run {
	struct wsq_algo_run run;
	const u8 *data;
	size_t len;
	u8 *to;
	u32 *sizes;
	void **spaces;
	struct mem_cgroup *memcg;
};

/* The working memory of the thread, or %NULL. */
static void *wsq_gzip_space(struct wsq_gzip_run *r, struct wsq_fj_ctx w)
{
	void **space = &r->spaces[wsq_fj_seat(w.deque)->id];
	struct mem_cgroup *outer;

	if (!*space) {
		outer = set_active_memcg(r->memcg);
		/* kvmalloc() would compact memory for one block of 512 KiB. */
		*space = __vmalloc(WSQ_GZIP_SPACE, WSQ_ALGO_GFP);
		set_active_memcg(outer);
	}
	return *space;
}

/* Compress into @size bytes. Returns the bytes used, or 0. */
static size_t wsq_gzip_deflate(struct wsq_gzip_run *r, struct wsq_fj_ctx w,
			       void *space, const u8 *data, size_t len, u8 *to,
			       size_t size, u32 *crc)
{
	z_stream s = {
		.workspace = space, .next_in = data,
		.next_out = to, .avail_out = size,
	};
	int ret;

	if (zlib_deflateInit2(&s, 6, Z_DEFLATED, -MAX_WBITS, WSQ_GZIP_MEM_LEVEL,
			      Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	do {
		s.avail_in = min_t(size_t, len, WSQ_GZIP_STEP);
		*crc = crc32_le(*crc, s.next_in, s.avail_in);
		len -= s.avail_in;
		ret = zlib_deflate(&s, len ? Z_NO_FLUSH : Z_FINISH);
		if (wsq_algo_stopped(&r->run, w))
			return 0;
	} while (ret == Z_OK && len && !s.avail_in);
	return ret == Z_STREAM_END ? s.total_out : 0;
}

/* The same format, without compression. */
static size_t wsq_gzip_store(const u8 *data, size_t len, u8 *to, u32 *crc)
{
	u8 *p = to;

	do {
		size_t n = min_t(size_t, len, WSQ_GZIP_STORED);

		len -= n;
		*p = !len;
		put_unaligned_le16(n, p + 1);
		put_unaligned_le16(~n, p + 3);
		p += WSQ_GZIP_STORED_HEAD;
		memcpy(p, data, n);
		/* Of the copy: the input may change. */
		*crc = crc32_le(*crc, p, n);
		p += n;
		data += n;
	} while (len);
	return p - to;
}

/* Out of line, because the tasks above it on the stack do not need its frame. */
static noinline void wsq_gzip_chunk(struct wsq_gzip_run *r,
				    struct wsq_fj_ctx w, size_t chunk)
{
	static const u8 head[WSQ_GZIP_HEAD] = {
		0x1f, 0x8b, Z_DEFLATED, [9] = 255 /* unknown system */
	};
	const u8 *data = r->data + chunk * WSQ_GZIP_CHUNK;
	u32 len = min_t(size_t, r->len - chunk * WSQ_GZIP_CHUNK,
			WSQ_GZIP_CHUNK);
	u8 *slot = r->to + chunk * (WSQ_GZIP_CHUNK + WSQ_GZIP_EXTRA);
	void *space = wsq_gzip_space(r, w);
	u8 *to = slot + WSQ_GZIP_HEAD;
	u32 crc = ~0;
	size_t n;

	if (!space) {
		wsq_algo_fail(&r->run, -ENOMEM);
		return;
	}
	n = wsq_gzip_deflate(r, w, space, data, len, to, len, &crc);
	if (!n) {
		crc = ~0;
		n = wsq_gzip_store(data, len, to, &crc);
	}
	memcpy(slot, head, sizeof(head));
	put_unaligned_le32(~crc, to + n);
	put_unaligned_le32(len, to + n + 4);
	r->sizes[chunk] = WSQ_GZIP_HEAD + n + WSQ_GZIP_TAIL;
}

/* Compress @nr chunks, from @first on. */
DEFINE_WSQ_TASK3(int, wsq_gzip_chunks, w, struct wsq_gzip_run *, r,
		 size_t, first, size_t, nr)
{
	size_t half = nr / 2;

	if (nr == 1) {
		/* A chunk takes long. */
		wsq_fj_share(w);
		wsq_gzip_chunk(r, w, first);
		return 0;
	}
	wsq_spawn(w, wsq_gzip_chunks, r, first + half, nr - half);
	wsq_fj_call(w, wsq_gzip_chunks, r, first, half);
	wsq_sync(w, wsq_gzip_chunks);
	return 0;
}

/* Move the members together; returns their bytes. */
static size_t wsq_gzip_gather(const struct wsq_gzip_run *r, size_t nr)
{
	size_t i, end = r->sizes[0];

	for (i = 1; i < nr; i++) {
		memmove(r->to + end,
			r->to + i * (WSQ_GZIP_CHUNK + WSQ_GZIP_EXTRA),
			r->sizes[i]);
		end += r->sizes[i];
		cond_resched();
	}
	return end;
}

ssize_t wsq_gzip(struct wsq_fj *fj, const void *data, size_t len, void *to,
		 size_t size, const struct wsq_algo_stop *stop)
{
	struct wsq_gzip_run r = {
		.run = { .fj = fj, .stop = stop },
		.data = data, .len = len, .to = to,
		.memcg = wsq_memcg_active(),
	};
	size_t nr = (wsq_gzip_bound(len) - len) / WSQ_GZIP_EXTRA;
	int ret = -ENOMEM, none;
	u32 i;

	if (size < wsq_gzip_bound(len))
		return -ENOSPC;
	r.sizes = kvmalloc_array(nr, sizeof(*r.sizes), WSQ_ALGO_GFP);
	r.spaces = kvcalloc(fj->team.nr, sizeof(*r.spaces), WSQ_ALGO_GFP);
	if (r.sizes && r.spaces)
		ret = wsq_algo_result(&r.run,
				      wsq_gzip_chunks_run(fj, &none, &r, 0, nr));
	for (i = 0; r.spaces && i < fj->team.nr; i++)
		kvfree(r.spaces[i]);
	kvfree(r.spaces);
	if (!ret)
		size = wsq_gzip_gather(&r, nr);
	kvfree(r.sizes);
	return ret ?: size;
}

bool wsq_gzip_there(void)
{
	return true;
}

#else

ssize_t wsq_gzip(struct wsq_fj *fj, const void *data, size_t len, void *to,
		 size_t size, const struct wsq_algo_stop *stop)
{
	return -EOPNOTSUPP;
}

bool wsq_gzip_there(void)
{
	return false;
}

#endif
WSQ_EXPORT(wsq_gzip);
WSQ_EXPORT(wsq_gzip_there);
